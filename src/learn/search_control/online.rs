//! LSC (thesis, algorithm 12): learns from single searches, of a suite or of self-play games.

use std::sync::atomic::AtomicBool;

use shakmaty::Move;

use super::cost::{Cost, Growth, SolutionPath};
use super::raised::Raised;
use super::{CLASSES, ClassWeights, Problem, descend, extensions_with};
use crate::board::{Game, GamePhase, Position};
use crate::engine::Engine;
use crate::limits::Limits;
use crate::score::Score;
use crate::search::{Outcome, Search};
use crate::selective::Resolve;
use crate::self_play;

/// A position, the growth of its search, and the path that should have been searched.
#[derive(Clone, Debug)]
pub struct Example {
    /// The position.
    pub position: Position,
    /// The phase of the game.
    pub phase: GamePhase,
    /// The growth of its search.
    pub growth: Growth,
    /// The moves that the search should have seen.
    pub path: Vec<Move>,
}

/// An observed search of a suite's position.
#[derive(Clone, Debug)]
pub struct Watched {
    /// Whether the best move was found.
    pub solved: bool,
    /// Nodes until it was solved, or the limit.
    pub nodes: u64,
    /// The growth of the tree; `None` if no iteration was completed.
    pub growth: Option<Growth>,
    /// The final principal variation.
    pub variation: Vec<Move>,
}

/// Searches a problem with an observer until it is solved or the node limit is reached.
pub fn watch(engine: &mut Engine, problem: &Problem, weights: &[ClassWeights; 3], nodes: u64) -> Watched {
    let extensions = extensions_with(&engine.options().selective.extensions, weights);
    engine.set_extensions(extensions);
    engine.new_game();
    engine.set_game(Game::new(problem.position.clone()));
    let limits = Limits { until: problem.moves.clone(), ..Limits::nodes(nodes) };
    let (outcome, watched) = engine.start(Search::new(limits).observer(Raised::default())).observed();
    Watched {
        solved: outcome.best_move().is_some_and(|m| problem.moves.contains(&m)),
        nodes: outcome.effort.nodes,
        growth: watched.first().and_then(Raised::growth),
        variation: outcome.lines.first().map(|line| line.moves.clone()).unwrap_or_default(),
    }
}

/// One step of gradient descent, lines 7 to 19. A phase without examples keeps its weights. With `together`, all examples
/// move the weights of all phases.
pub fn learn(weights: &mut [ClassWeights; 3], examples: &[Example], together: bool, step: f64) {
    let mut sums = [(0.0, [0.0; CLASSES]); 3];
    let rule = extensions_with(&Default::default(), weights).resolve();
    for example in examples {
        let phase = example.phase as usize;
        let path = SolutionPath::along(&example.position, &example.path, &rule);
        let Some(cost) = Cost::of(&example.growth, &path) else { continue };
        let sums = if together { &mut sums[..] } else { &mut sums[phase..=phase] };
        for (nodes, gradient) in sums {
            *nodes += cost.nodes;
            gradient.iter_mut().zip(cost.gradient).for_each(|(sum, part)| *sum += part);
        }
    }
    for (weights, (nodes, gradient)) in weights.iter_mut().zip(sums) {
        descend(weights, &gradient, nodes, step);
    }
}

/// When a position of a game is critical (thesis 6.3.1 and 6.5.2).
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Critical {
    /// τ: the value must fall by more than this within a move, in centipawns (a third of a pawn).
    pub fall: i32,
    /// Nothing is learned once the value is below this (three pawns down).
    pub lost: i32,
}

impl Default for Critical {
    fn default() -> Self {
        Self { fall: 33, lost: -300 }
    }
}

/// A position of a game with its value and the growth of its search.
struct JudgedMove {
    position: Position,
    value: Score,
    growth: Option<Growth>,
}

/// The examples of a game.
#[derive(Clone, Debug, Default)]
pub struct LearnedGame {
    /// Critical positions.
    pub examples: Vec<Example>,
    /// Number of moves, which is also that of searches.
    pub moves: usize,
    /// Nodes of all searches.
    pub nodes: u64,
}

impl Critical {
    /// Whether the value fell far enough from `then` to `now`.
    fn overlooked(&self, then: Score, now: Score) -> bool {
        now.raw() < then.raw() - self.fall && then.raw() > self.lost
    }

    /// Plays a game and returns its critical positions; `None` if it was stopped.
    pub fn play(
        &self,
        engine: &mut Engine,
        start: Game,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Option<LearnedGame> {
        let mut learned = LearnedGame::default();
        let mut judged: Vec<JudgedMove> = Vec::new();
        let mut played: Vec<Move> = Vec::new();
        let mut lost = [false; 2];
        self_play::play(engine, start, stop, |engine| {
            let (outcome, watched) =
                engine.start(Search::new(limits.clone()).observer(Raised::default())).observed();
            learned.moves += 1;
            learned.nodes += outcome.effort.nodes;
            let ply = judged.len();
            let value = outcome.score().unwrap_or(Score::DRAW);
            if !lost[ply % 2] && ply >= 2 {
                learned.examples.extend(self.example(&judged[ply - 2], &played[ply - 2..], value, &outcome));
            }
            lost[ply % 2] |= value.raw() < self.lost;
            let position = engine.game().position().clone();
            let growth = watched.first().and_then(Raised::growth);
            judged.push(JudgedMove { position, value, growth });
            played.extend(outcome.best_move());
            outcome
        })?;
        Some(learned)
    }

    /// The position one move ago, if it was critical. Its solution path is the moves played since, then the current
    /// variation.
    fn example(&self, then: &JudgedMove, played: &[Move], value: Score, now: &Outcome) -> Option<Example> {
        let expected = now.lines.first().map(|line| line.moves.as_slice()).unwrap_or_default();
        self.overlooked(then.value, value).then_some(())?;
        Some(Example {
            position: then.position.clone(),
            phase: then.position.game_phase(),
            growth: then.growth?,
            path: played.iter().chain(expected).copied().collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    #[test]
    fn a_fall_of_more_than_a_third_of_a_pawn_is_critical_unless_the_game_was_lost() {
        let critical = Critical::default();
        let seen = |then, now| critical.overlooked(Score::cp(then), Score::cp(now));
        assert!(seen(50, 16) && !seen(50, 17));
        assert!(seen(-299, -400) && !seen(-300, -400));
        assert!(!seen(0, 500));
    }

    fn example(raised: f64, path: &[&str]) -> Example {
        let position = Position::default();
        let mut here = position.clone();
        let mut play = |text: &&str| {
            let m = here.parse_move(text).unwrap();
            here = here.play(m);
            m
        };
        let path = path.iter().map(&mut play).collect();
        let growth = Growth { depth: 4.0, nodes: 5_000.0, raised: [raised, 5e3, 5e3, 5e3], delta: 0.1 };
        Example { position, phase: GamePhase::Opening, growth, path }
    }

    #[test]
    fn a_class_that_only_feeds_the_tree_gets_heavier_and_one_on_the_path_lighter() {
        let mut weights = [[0.5; CLASSES]; 3];
        let feeds = example(4_000.0, &["e2e4", "e7e5", "g1f3"]);
        learn(&mut weights, &[feeds], false, 0.1);
        assert!(weights[0][0] > 0.5 && weights[0][1..] == [0.5; 3] && weights[1] == [0.5; CLASSES]);
        let mut weights = [[0.5; CLASSES]; 3];
        let needed = example(5_000.0, &["e2e4", "d7d5", "f1b5"]);
        learn(&mut weights, &[needed], true, 0.1);
        assert!(weights[0][0] < 0.5 && weights[2] == weights[0]);
    }

    #[test]
    fn a_game_yields_examples_whose_paths_are_legal() {
        let mut options = Options::default();
        options.set("Preset", "Crafty").unwrap();
        let mut engine = Engine::new(options);
        let start =
            Position::from_fen("r1bqkb1r/pppp1ppp/2n2n2/4p1N1/2B1P3/8/PPPP1PPP/RNBQK2R b KQkq - 5 4", false);
        let critical = Critical { fall: 5, lost: -2000 };
        let stop = AtomicBool::new(false);
        let learned =
            critical.play(&mut engine, Game::new(start.unwrap()), &Limits::nodes(500), &stop).unwrap();
        assert!(!learned.examples.is_empty() && learned.moves > 10);
        for example in &learned.examples {
            let mut position = example.position.clone();
            for &m in &example.path {
                assert!(position.legal_moves().contains(&m));
                position = position.play(m);
            }
        }
    }
}
