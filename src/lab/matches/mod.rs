//! Matches and tournaments: openings with colours reversed, several games at once, and scores with errors.

pub mod game;
pub mod limit;
pub mod openings;
pub mod pgn;
pub mod player;
pub mod standing;
pub mod store;
pub mod summary;
pub mod tournament;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::game_record::GameRecord;
use parking_lot::Mutex;

use game::Conditions;
use openings::Opening;
use player::PlayerConfig;
use standing::Standing;

use crate::parallel::Shard;
use crate::search::STACK;
use crate::statistics::Sprt;
use crate::uci::Player;

/// Pairs of games between two players, with colours exchanged, from one opening each.
pub struct Match<'a> {
    /// The players; the first has White in the first game of every pair.
    pub players: &'a [PlayerConfig; 2],
    /// Openings, one for each pair of games, played in turn; not empty.
    pub openings: &'a [Opening],
    /// Limit, time margin and adjudication.
    pub conditions: Conditions,
    /// Games of the whole match, including those already played.
    pub games: u64,
    /// Games at once, each with its own two engines.
    pub concurrency: usize,
    /// How long to wait for an engine beyond its time.
    pub timeout: Duration,
    /// A test that ends the match when it decides.
    pub sprt: Option<Sprt>,
    /// The part of the pairs to play, if the match is split over several machines.
    pub shard: Shard,
}

impl Match<'_> {
    /// Plays the games that are not in `done`; `each` is called with every game and the standing.
    pub fn run(
        &self,
        done: &[GameRecord],
        stop: &AtomicBool,
        each: impl FnMut(&GameRecord, &Standing) + Send,
    ) -> Standing {
        let played: HashSet<u64> = done.iter().map(|record| record.number).collect();
        let mut before = Standing::default();
        // In the order in which they ended, so that the test decides at the same game as before.
        done.iter().for_each(|record| before.add_tested(record, self.sprt.as_ref()));
        // Raised when the test has decided.
        let over = AtomicBool::new(before.is_decided());
        let score = Mutex::new((before, each));
        let next = AtomicU64::new(0);
        let work = || {
            let mut players = self.players.each_ref().map(|player| player.start(self.timeout));
            while let Some(number) = self.next_game(&next, &played, &over, stop) {
                let Some(record) = self.play(&mut players, number, stop) else { break };
                let mut score = score.lock();
                let (standing, each) = &mut *score;
                standing.add_tested(&record, self.sprt.as_ref());
                each(&record, standing);
                over.fetch_or(standing.is_decided(), Ordering::Relaxed);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.concurrency.max(1) {
                // Our own engines search on these threads.
                let worker = std::thread::Builder::new().name("game".to_owned()).stack_size(STACK);
                if let Err(error) = worker.spawn_scoped(scope, work) {
                    log::error!("a thread for games could not start: {error}");
                }
            }
        });
        score.into_inner().0
    }

    fn next_game(
        &self,
        next: &AtomicU64,
        played: &HashSet<u64>,
        over: &AtomicBool,
        stop: &AtomicBool,
    ) -> Option<u64> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= self.games || over.load(Ordering::Relaxed) || stop.load(Ordering::Relaxed) {
                return None;
            }
            if !played.contains(&number) && self.shard.has(number / 2) {
                return Some(number);
            }
        }
    }

    fn play(&self, players: &mut [Player; 2], number: u64, stop: &AtomicBool) -> Option<GameRecord> {
        let pair = (number / 2) as usize;
        let opening = self.openings.get(pair % self.openings.len().max(1))?;
        game::play(players, number, opening, &self.conditions, stop)
    }

    /// Whether games will repeat: openings are used more than once, and both players are deterministic.
    pub fn repeats_itself(&self) -> bool {
        self.goes_round()
            && self.conditions.limit.is_exact()
            && self.players.iter().all(PlayerConfig::is_exact)
    }

    /// Whether there are fewer openings than pairs.
    pub fn goes_round(&self) -> bool {
        self.games.div_ceil(2) > self.openings.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::limit::Limit;
    use super::*;
    use crate::options::Options;
    use crate::statistics::EloModel;
    use crate::uci::Program;

    fn players(second: &[(&str, &str)]) -> [PlayerConfig; 2] {
        let player = |name: &str, settings: &[(&str, &str)]| {
            let mut options = Options::default();
            options.set("Hash", "1").unwrap();
            settings.iter().for_each(|(name, value)| options.set(name, value).unwrap());
            PlayerConfig { name: name.to_owned(), program: Program::Own(Box::new(options)) }
        };
        [player("a", &[]), player("b", second)]
    }

    fn conditions(nodes: u64) -> Conditions {
        Conditions { limit: Limit { nodes: Some(nodes), ..Limit::default() }, ..Conditions::default() }
    }

    fn played(game: &Match<'_>, done: &[GameRecord]) -> (Vec<GameRecord>, Standing) {
        let mut records = Vec::new();
        let standing = game.run(done, &AtomicBool::new(false), |record, _| records.push(record.clone()));
        records.sort_by_key(|record| record.number);
        for ply in records.iter_mut().flat_map(|record| &mut record.plies) {
            ply.ms = 0;
        }
        (records, standing)
    }

    const OPENINGS: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n\
                            rnbqkbnr/pppppppp/8/8/3P4/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";

    #[test]
    fn the_same_match_gives_the_same_games_however_many_at_once() {
        let (players, openings) = (players(&[("NullMove", "false")]), openings::read(OPENINGS, 0).openings);
        let game = |concurrency| Match {
            players: &players,
            openings: &openings,
            conditions: conditions(60),
            games: 4,
            concurrency,
            timeout: Duration::from_secs(1),
            sprt: None,
            shard: Shard::WHOLE,
        };
        let (one, standing) = played(&game(1), &[]);
        let (two, _) = played(&game(2), &[]);
        assert_eq!(one, two);
        assert_eq!(one.iter().map(|record| record.white).collect::<Vec<_>>(), [0, 1, 0, 1]);
        assert_eq!((one[0].start == one[1].start, one[1].start == one[2].start), (true, false));
        assert_eq!((standing.games.total(), standing.pairs.total()), (4, 2));
        let (rest, whole) = played(&game(2), &one[..1]);
        assert_eq!((rest.as_slice(), whole.games), (&one[1..], standing.games));
    }

    #[test]
    fn a_test_that_decides_ends_the_match() {
        let (players, openings) = (
            players(&[("Preset", "FullWidth"), ("Quiescence", "false")]),
            openings::read(OPENINGS, 0).openings,
        );
        let game = Match {
            players: &players,
            openings: &openings,
            conditions: conditions(400),
            games: 4_000,
            concurrency: 2,
            timeout: Duration::from_secs(1),
            sprt: Some(Sprt::new(0.0, 200.0, EloModel::Normalised)),
            shard: Shard::WHOLE,
        };
        assert!(game.goes_round() && game.repeats_itself());
        let (records, standing) = played(&game, &[]);
        assert!((4..400).contains(&records.len()), "{}", standing.brief(None));
        let sprt = standing.summary(game.sprt.as_ref()).sprt.unwrap();
        assert_eq!(sprt.verdict, "elo1 accepted");
        let (more, again) = played(&game, &records);
        assert_eq!((more.len(), again.is_decided()), (0, true));
    }

    #[test]
    fn a_raised_flag_ends_the_match() {
        let (players, openings) = (players(&[]), openings::read(OPENINGS, 0).openings);
        let game = Match {
            players: &players,
            openings: &openings,
            conditions: conditions(50),
            games: 1_000_000,
            concurrency: 2,
            timeout: Duration::from_secs(1),
            sprt: None,
            shard: Shard::WHOLE,
        };
        let stop = AtomicBool::new(false);
        let standing = game.run(&[], &stop, |_, _| stop.store(true, Ordering::Relaxed));
        assert!((1..=2).contains(&standing.games.total()));
    }
}
