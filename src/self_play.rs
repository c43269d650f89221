//! Self-play games, the source of everything that is learned.
//!
//! A game depends only on the seed and its number, not on how many are played at once, so a run can be interrupted,
//! resumed and repeated. (Games with a fixed time per move cannot be repeated exactly.)

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use shakmaty::Move;

use crate::board::{Game, Position};
use crate::engine::Engine;
use crate::options::Options;
use crate::parallel::{Jobs, parallel_map};
use crate::random::Random;
use crate::search::{Learned, Outcome};

/// Games end after this many plies.
const MAX_PLIES: usize = 300;
/// A game is decided at this many centipawns for [`DECIDED_FOR`] moves in a row.
pub(crate) const DECIDED: i32 = 1500;
/// Consecutive moves after which a game is decided.
const DECIDED_FOR: usize = 6;

/// Plays a game to its end. `think` searches each position. Returns `None` if `stop` was raised.
pub(crate) fn play(
    engine: &mut Engine,
    start: Game,
    stop: &AtomicBool,
    mut think: impl FnMut(&mut Engine) -> Outcome,
) -> Option<Vec<Move>> {
    let mut game = start;
    let mut moves = Vec::new();
    let mut decided = 0;
    engine.new_game();
    while moves.len() < MAX_PLIES && decided < DECIDED_FOR && !game.is_over() {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        engine.set_game(game.clone());
        let outcome = think(engine);
        let Some(best) = outcome.best_move() else { break };
        let far = outcome.score().is_some_and(|score| score.raw().abs() >= DECIDED);
        decided = if far { decided + 1 } else { 0 };
        game.play(best);
        moves.push(best);
    }
    Some(moves)
}

/// Plays many games, several at once.
pub(crate) struct SelfPlay<'a> {
    /// The options of the engine that plays both sides.
    pub options: &'a Options,
    /// Openings, used in turn.
    pub openings: Vec<Position>,
    /// The seed of the run.
    pub seed: u64,
    /// Games at once, and the stop flag.
    pub jobs: Jobs<'a>,
    /// Learned tables to use instead of those the options name.
    pub learned: Option<Arc<Learned>>,
}

impl<'a> SelfPlay<'a> {
    /// Games from these openings, shuffled by the seed.
    pub(crate) fn new(options: &'a Options, mut openings: Vec<Position>, seed: u64, jobs: Jobs<'a>) -> Self {
        Random::new(seed).shuffle(&mut openings);
        Self { options, openings, seed, jobs, learned: None }
    }

    /// The start of a game. Once all openings are used up, they are used again with two random moves.
    pub(crate) fn start(&self, game: u32) -> Option<Game> {
        let count = self.openings.len().max(1);
        let mut start = Game::new(self.openings.get(game as usize % count)?.clone());
        if game as usize >= count {
            let mut random = Random::split(self.seed, u64::from(game));
            for _ in 0..2 {
                let legal = start.position().legal_moves();
                if let Some(&m) = legal.get(random.below(legal.len())) {
                    start.play(m);
                }
            }
        }
        Some(start)
    }

    /// An engine with the options and learned tables of the games.
    pub(crate) fn engine(&self) -> Engine {
        let mut engine = Engine::new(self.options.clone());
        if let Some(learned) = &self.learned {
            engine.use_learned(Arc::clone(learned));
        }
        engine
    }

    /// Plays the games with these numbers. `play` returns the result of a game, or `None` if it was stopped; `done` gets the
    /// results one at a time.
    pub(crate) fn run<R: Send>(
        &self,
        games: impl Iterator<Item = u32> + Send,
        play: impl Fn(&mut Engine, Game) -> Option<R> + Sync,
        mut done: impl FnMut(u32, R) + Send,
    ) {
        let play_one = |engine: &mut Engine, number: u32| {
            let result = play(engine, self.start(number)?)?;
            Some((number, result))
        };
        let done = |(number, result)| done(number, result);
        parallel_map(self.jobs, games, || self.engine(), play_one, done);
    }

    /// Plays the games that are missing in `kept`, in order, until `enough` returns true; it is called after every game.
    /// Which later games are finished by then depends on `jobs`; those [`in_a_row`] do not.
    pub(crate) fn run_until<S, R: Send>(
        &self,
        kept: &mut BTreeMap<u32, R>,
        begin: impl Fn() -> S + Sync,
        play: impl Fn(&mut S, Game) -> Option<R> + Sync,
        mut enough: impl FnMut(&BTreeMap<u32, R>) -> bool + Send,
    ) {
        let known: BTreeSet<u32> = kept.keys().copied().collect();
        let full = AtomicBool::new(enough(kept));
        let missing = (0..MOST_GAMES)
            .filter(|game| !known.contains(game))
            .take_while(|_| !full.load(Ordering::Relaxed));
        let play_one = |state: &mut S, number: u32| Some((number, play(state, self.start(number)?)?));
        parallel_map(self.jobs, missing, begin, play_one, |(number, result)| {
            kept.insert(number, result);
            full.fetch_or(enough(kept), Ordering::Relaxed);
        });
    }
}

/// The largest number of games of a run.
const MOST_GAMES: u32 = 100_000;

/// The results of the games up to the first that is missing.
pub(crate) fn in_a_row<R>(kept: &BTreeMap<u32, R>) -> impl Iterator<Item = &R> {
    kept.iter()
        .zip(0..)
        .take_while(|((number, _), expected)| *number == expected)
        .map(|((_, result), _)| result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn games(jobs: usize) -> Vec<(u32, Vec<Move>)> {
        let options = Options::default();
        let stop = AtomicBool::new(false);
        let jobs = Jobs { count: jobs, stop: &stop };
        let players = SelfPlay::new(&options, vec![Position::default()], 5, jobs);
        let mut games = Vec::new();
        let think = |engine: &mut Engine| engine.search(Limits::nodes(150));
        players.run(
            0..4,
            |engine, start| play(engine, start, &stop, think),
            |number, moves| games.push((number, moves)),
        );
        games.sort_by_key(|(number, _)| *number);
        games
    }

    #[test]
    fn games_are_the_same_however_many_are_played_at_once() {
        let alone = games(1);
        assert_eq!(alone, games(3));
        assert_eq!(alone.len(), 4);
        assert_ne!(alone[1].1, alone[2].1, "the same opening again begins with random moves");
    }

    #[test]
    fn games_are_played_until_those_in_a_row_are_enough_and_known_ones_are_not_played_again() {
        let options = Options::default();
        let stop = AtomicBool::new(false);
        let jobs = Jobs { count: 3, stop: &stop };
        let players = SelfPlay::new(&options, vec![Position::default()], 5, jobs);
        let mut kept = BTreeMap::from([(1, "known"), (4, "known")]);
        let enough = |kept: &BTreeMap<u32, &str>| in_a_row(kept).count() >= 3;
        players.run_until(&mut kept, || (), |(), _| Some("played"), enough);
        let row: Vec<&str> = in_a_row(&kept).copied().take(3).collect();
        assert_eq!(row, ["played", "known", "played"]);
        players.run_until(&mut kept, || (), |(), _| panic!("there are enough"), enough);
    }

    #[test]
    fn a_stopped_game_is_no_game() {
        let mut engine = Engine::default();
        let stop = AtomicBool::new(true);
        assert_eq!(play(&mut engine, Game::default(), &stop, |_| Outcome::default()), None);
    }
}
