//! Mining: makes a test suite of positions that the engine misjudged in its own games, checked by deeper searches.
//!
//! Thesis 6.3.1 (Y. Björnsson, 2002) calls a position critical if the value falls a lot within a move. A critical position
//! is kept if a deeper search finds one move clearly better than all others.

use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use shakmaty::Move;

use crate::board::san::san;
use crate::board::{Game, Position};
use crate::engine::Engine;
use crate::limits::Limits;
use crate::options::Options;
use crate::score::{Bound, Score};
use crate::search::{Line, Report, Search};

/// The conditions for keeping a position.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Demands {
    /// Nodes of the deeper searches.
    pub nodes: u64,
    /// Centipawns by which the best move must beat the second.
    pub gap: i32,
    /// Least depth at which the best move may be found for good.
    pub depth: i32,
}

/// In worse positions no move saves the game. If the second move is better than the negation, it wins too.
const LOST: i32 = -300;

/// The first, short search gets this fraction of the nodes.
const GLANCE: u64 = 10;

/// The best move with its value and that of the second, in centipawns.
struct BestMove {
    m: Move,
    value: i32,
    second: i32,
}

impl BestMove {
    /// Whether the game is neither lost nor won with the second move too.
    fn matters(&self) -> bool {
        self.value > LOST && self.second < -LOST
    }

    fn gap(&self) -> i32 {
        self.value - self.second
    }
}

/// A position of the suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Found {
    /// The first four fields of the FEN.
    pub board: String,
    /// The best move in standard notation.
    pub best: String,
    /// The solution path, the best move first.
    pub path: Vec<String>,
    /// The iteration from which the search stays with the best move.
    pub depth: i32,
    /// Value of the best move for the mover, in centipawns.
    pub value: i32,
    /// Difference to the second move.
    pub gap: i32,
}

/// An engine that searches the two best moves, and one that searches the best.
pub(crate) struct Judge {
    two: Engine,
    one: Engine,
}

impl Judge {
    pub(crate) fn new(options: &Options) -> Self {
        let two = Options { multi_pv: 2, ..options.clone() };
        let one = Options { multi_pv: 1, ..options.clone() };
        Self { two: Engine::new(two), one: Engine::new(one) }
    }

    /// Checks a position; returns it if its solution is clear and not too easy.
    pub(crate) fn judge(&mut self, position: &Position, demands: &Demands) -> Option<Found> {
        // The suite has no game history.
        let board = position.fen().split_whitespace().take(4).collect::<Vec<_>>().join(" ");
        let position = &Position::from_fen(&board, false).ok()?;
        // A short search rejects the many positions that are lost, won with any move, or easy.
        let glance = demands.nodes / GLANCE;
        let first = self.two_best(position, glance).filter(BestMove::matters)?;
        let easy = |(depth, _): (i32, Vec<Move>)| depth < demands.depth;
        if first.gap() >= demands.gap && self.settled(position, first.m, glance).is_some_and(easy) {
            return None;
        }
        let best = self.two_best(position, demands.nodes).filter(BestMove::matters)?;
        let (depth, path) =
            self.settled(position, best.m, demands.nodes).filter(|_| best.gap() >= demands.gap)?;
        (depth >= demands.depth).then(|| Found {
            board,
            best: san(position, best.m),
            path: in_words(position, &path),
            depth,
            value: best.value,
            gap: best.gap(),
        })
    }

    /// The best move and the value of the second.
    fn two_best(&mut self, position: &Position, nodes: u64) -> Option<BestMove> {
        self.two.new_game();
        self.two.set_game(Game::new(position.clone()));
        let outcome = self.two.search(Limits::nodes(nodes));
        let [first, second] = outcome.lines.get(..2)? else { return None };
        let m = *first.moves.first()?;
        Some(BestMove { m, value: first.score.raw(), second: second.score.raw() })
    }

    /// The iteration from which a search stays with `best`, and its last variation.
    fn settled(&mut self, position: &Position, best: Move, nodes: u64) -> Option<(i32, Vec<Move>)> {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&lines);
        self.one.new_game();
        self.one.set_game(Game::new(position.clone()));
        let search = Search::new(Limits::nodes(nodes)).listener(move |report| {
            if let Report::Line(line, _) = report
                && line.bound == Bound::Exact
            {
                heard.lock().push(line);
            }
        });
        self.one.start(search).wait();
        let lines: Vec<Line> = std::mem::take(&mut *lines.lock());
        let since =
            lines.iter().rposition(|line| line.moves.first() != Some(&best)).map_or(0, |last| last + 1);
        let first = lines.get(since)?;
        Some((first.depth, lines.last()?.moves.clone()))
    }
}

/// A path in SAN.
fn in_words(start: &Position, path: &[Move]) -> Vec<String> {
    let mut position = start.clone();
    let mut words = Vec::new();
    for &m in path {
        words.push(san(&position, m));
        position = position.play(m);
    }
    words
}

/// The value of a mate in the EPD standard (S. J. Edwards, 1994).
const STANDARD_MATE: i32 = 32_767;

/// The EPD line of a position.
pub(crate) fn line(found: &Found, number: usize) -> String {
    let Found { board, best, path, depth, value, gap } = found;
    let (path, second) = (path.join(" "), Score::cp(value - gap));
    let mate = if Score::cp(*value).is_mate() { STANDARD_MATE - Score::MATE.raw() } else { 0 };
    let value = value + mate;
    format!(
        "{board} bm {best}; pv {path}; acd {depth}; ce {value}; c0 \"second best {second}\"; id \"Espalier.{number:04}\";"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epd::Task;
    use crate::epd::suite::Suite;
    use crate::learn::search_control::Problem;
    use std::collections::HashSet;

    fn judged(fen: &str, depth: i32) -> Option<Found> {
        let position = Position::from_fen(fen, false).unwrap();
        let demands = Demands { nodes: 20_000, gap: 100, depth };
        Judge::new(&Options::default()).judge(&position, &demands)
    }

    // A queen down, and a mate on the back rank.
    const BACK_RANK: &str = "6k1/5ppp/8/8/8/8/q7/4R1K1 w - - 0 1";

    #[test]
    fn one_clear_move_is_kept_with_its_path_and_can_be_read_again() {
        let found = judged(BACK_RANK, 1).unwrap();
        assert_eq!((found.best.as_str(), found.path.first()), ("Re8#", Some(&found.best)));
        let task = Task::parse(&line(&found, 7), 1, false).unwrap().unwrap();
        assert_eq!((task.best.len(), task.id.as_str()), (1, "Espalier.0007"));
        assert_eq!(task.operands("pv").map(<[String]>::len), Some(found.path.len()));
        assert_eq!(task.operands("ce"), Some(&["32766".to_owned()][..]), "a mate as the standard writes it");
    }

    #[test]
    fn the_suite_that_ships_is_graded_and_has_solution_paths() {
        let suite = Suite::load("espalier", false).unwrap();
        assert!(suite.tasks.len() >= 500 && suite.defects.is_empty(), "{:?}", suite.defects);
        let depth = |task: &Task| task.operands("acd")?.first()?.parse::<i32>().ok();
        let depths: Vec<i32> = suite.tasks.iter().filter_map(depth).collect();
        assert!(depths.len() == suite.tasks.len() && depths.is_sorted() && depths[0] >= 5, "{depths:?}");
        let boards: HashSet<String> = suite.tasks.iter().map(|task| task.position.fen()).collect();
        assert_eq!(boards.len(), suite.tasks.len(), "every position comes once");
        for task in &suite.tasks {
            let problem = Problem::from_task(task).unwrap();
            assert!(problem.moves.len() == 1 && !problem.path.is_empty(), "{}", task.id);
        }
    }

    #[test]
    fn several_good_moves_and_easy_ones_are_not_kept() {
        assert_eq!(judged("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 1), None);
        assert_eq!(judged(BACK_RANK, 40), None);
    }
}
