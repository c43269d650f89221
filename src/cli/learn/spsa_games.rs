//! The games of an iteration: the engine with its parameters moved one way against itself with the opposite.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::game_record::GameRecord;
use crate::lab::matches::Match;
use crate::lab::matches::game::Conditions;
use crate::lab::matches::openings::Opening;
use crate::lab::matches::player::PlayerConfig;
use crate::learn::spsa::{SpsaState, Tuner};
use crate::options::Options;
use crate::parallel::Shard;
use crate::uci::Program;

/// How the games are played.
pub(super) struct TuningGames<'a> {
    /// All options that are not tuned.
    pub options: &'a Options,
    /// Openings, one for each pair of games, played in turn; not empty.
    pub openings: &'a [Opening],
    pub conditions: Conditions,
    pub concurrency: usize,
}

impl TuningGames<'_> {
    /// Plays the rest of the current iteration, and calls `each` with every game and the state of the run. Plays
    /// nothing if no iteration is left.
    pub(super) fn play(
        &self,
        tuner: &Tuner,
        state: &mut SpsaState,
        stop: &AtomicBool,
        mut each: impl FnMut(&GameRecord, &SpsaState) + Send,
    ) -> Result<(), String> {
        let Some(iteration) = tuner.iteration(state) else { return Ok(()) };
        let trial = tuner.trial(&state.values, iteration);
        let players = [
            PlayerConfig { name: "plus".to_owned(), program: self.program(tuner, &trial.plus)? },
            PlayerConfig { name: "minus".to_owned(), program: self.program(tuner, &trial.minus)? },
        ];
        let game = Match {
            players: &players,
            openings: &self.openings_of(tuner, iteration),
            conditions: self.conditions,
            games: tuner.games,
            concurrency: self.concurrency.min(tuner.games as usize),
            timeout: Duration::ZERO,
            sprt: None,
            shard: Shard::WHOLE,
        };
        let done = state.games.clone();
        game.run(&done, stop, |record, _| {
            tuner.take(state, record);
            each(record, state);
        });
        Ok(())
    }

    fn program(&self, tuner: &Tuner, values: &[i32]) -> Result<Program, String> {
        tuner.options_with(self.options, values).map(|options| Program::Own(Box::new(options)))
    }

    /// The openings of an iteration: the next ones after those of the iteration before.
    fn openings_of(&self, tuner: &Tuner, iteration: u64) -> Vec<Opening> {
        let pairs = tuner.games.div_ceil(2) as usize;
        let first = ((iteration - 1) % self.openings.len().max(1) as u64) as usize * pairs;
        self.openings.iter().cycle().skip(first % self.openings.len().max(1)).take(pairs).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::lab::matches::limit::Limit;
    use crate::lab::matches::openings;
    use crate::learn::spsa::{Gains, rows};

    const OPENINGS: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n\
                            rnbqkbnr/pppppppp/8/8/3P4/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n\
                            rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - 0 1";

    fn tuner(options: &Options) -> Tuner {
        let words = ["NullMove".to_owned(), "AspirationWindow=1..100:15".to_owned()];
        let parameters = rows::parameters(&words, options).unwrap();
        Tuner { parameters, gains: Gains { iterations: 4, rate: 0.2 }, seed: 5, games: 4 }
    }

    fn games(options: &Options, concurrency: usize, f: impl FnOnce(&TuningGames<'_>)) {
        let book = openings::read(OPENINGS, 0);
        let limit = Limit { nodes: Some(60), ..Limit::default() };
        let conditions = Conditions { limit, ..Conditions::default() };
        f(&TuningGames { options, openings: &book.openings, conditions, concurrency });
    }

    /// A whole run, interrupted after every `pause` games, saved as text and resumed.
    fn run(pause: usize, concurrency: usize) -> SpsaState {
        let mut options = Options::default();
        options.set("Hash", "1").unwrap();
        let tuner = tuner(&options);
        let mut state = tuner.resume(SpsaState::default()).unwrap();
        games(&options, concurrency, |games| {
            while tuner.iteration(&state).is_some() {
                let (stop, mut heard) = (AtomicBool::new(false), 0);
                let each = |_: &GameRecord, _: &SpsaState| {
                    heard += 1;
                    stop.store(heard >= pause, Ordering::Relaxed);
                };
                games.play(&tuner, &mut state, &stop, each).unwrap();
                let text = serde_json::to_string(&state).unwrap();
                state = tuner.resume(serde_json::from_str(&text).unwrap()).unwrap();
            }
        });
        state
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers_interrupted_or_not() {
        let whole = run(usize::MAX, 2);
        assert_eq!((whole.outcomes.len(), whole.games.len()), (4, 0));
        assert_eq!(run(usize::MAX, 1), whole);
        assert_eq!(run(1, 1), whole);
        assert_eq!(run(3, 2), whole);
    }

    #[test]
    fn openings_follow_on_each_other() {
        let options = Options::default();
        let tuner = tuner(&options);
        games(&options, 1, |games| {
            let starts = |iteration| -> Vec<String> {
                games.openings_of(&tuner, iteration).iter().map(|opening| opening.start.fen()).collect()
            };
            let all: Vec<String> = games.openings.iter().map(|opening| opening.start.fen()).collect();
            let order: Vec<String> = (1..=3).flat_map(starts).collect();
            assert_eq!(order, [&all[..], &all[..]].concat());
        });
    }
}
