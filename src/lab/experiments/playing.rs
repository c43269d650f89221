//! Matches of an experiment: played on all cores, stored, and resumed.

use std::time::Duration;

use super::laboratory::spoken_changes;
use super::{Interrupted, Laboratory};
use crate::adjudication::Adjudication;
use crate::lab::matches::Match;
use crate::lab::matches::game::Conditions;
use crate::lab::matches::limit::Limit;
use crate::lab::matches::openings::{self, Opening};
use crate::lab::matches::player::PlayerConfig;
use crate::lab::matches::standing::Standing;
use crate::lab::matches::store::{MatchTerms, Store};
use crate::options::Options;
use crate::provenance::{Configuration, digest, version};
use crate::uci::Program;

/// The seed of all random numbers.
pub(crate) const SEED: u64 = 0;

impl Laboratory<'_> {
    /// Plays the missing games of a match between two settings; the standing is the first one's.
    pub(crate) fn play(
        &self,
        settings: [&Options; 2],
        games: u64,
        limit: Limit,
        book: &[Opening],
    ) -> Result<Standing, Interrupted> {
        let player = |name: &str, options: &Options| PlayerConfig {
            name: name.to_owned(),
            program: Program::Own(Box::new(options.clone())),
        };
        let [first, second] = settings;
        let players = [player("a", first), player("b", second)];
        let conditions = Conditions { limit, margin: Duration::ZERO, adjudication: Adjudication::default() };
        let name = format!(
            "{}-{}-{}",
            Configuration::of(first).hash,
            Configuration::of(second).hash,
            limit.to_string().replace([' ', '/', '+', ':'], "-")
        );
        let terms = terms(&players, &conditions, book);
        let opened = self.setup.out.map(|out| Store::open(&out.join("games").join(&name), &terms));
        let (mut store, done) = opened.transpose()?.unzip();
        let done = done.unwrap_or_default();
        let [a, b] = [first, second].map(|options| spoken_changes(&Configuration::of(options)));
        self.watch.begin(format!("games, {limit}: {a} against {b}"), games, games.min(done.len() as u64));
        let mut failed = None;
        let game = Match {
            players: &players,
            openings: book,
            conditions,
            games,
            concurrency: self.setup.size.jobs,
            timeout: Duration::from_secs(10),
            sprt: None,
            shard: self.setup.size.shard,
        };
        let standing = game.run(&done, self.watch.stop, |record, _| {
            self.watch.piece_done();
            if let Some(Err(error)) = store.as_mut().map(|store| store.add(record)) {
                failed.get_or_insert(error);
            }
        });
        let failure = standing.failures.iter().flatten().next();
        let broken =
            failure.map(|(ending, count)| format!("games {name}: {ending} {count}: a player broke down"));
        self.played(name, &standing);
        match failed {
            Some(error) => Err(Interrupted::Wrong(format!("games cannot be written: {error}"))),
            None if let Some(broken) = broken => Err(Interrupted::Wrong(broken)),
            None if self.watch.is_stopped() => Err(Interrupted::Stopped),
            None => Ok(standing),
        }
    }

    /// At most this many openings of a file, evenly spaced.
    pub(crate) fn openings(&self, name: &str, most: usize) -> Result<Vec<Opening>, Interrupted> {
        let source = self.source(name)?;
        let book = openings::read(&source.text, 16);
        book.complaints.iter().for_each(|what| self.complain(format!("{}:{what}", source.name)));
        let count = book.openings.len();
        if count == 0 {
            return Err(Interrupted::Wrong(format!("{}: no usable opening", source.name)));
        }
        let most = most.clamp(1, count);
        Ok((0..most).map(|index| book.openings[index * count / most].clone()).collect())
    }
}

/// Everything that determines the games. A match can resume only under the same terms.
fn terms(players: &[PlayerConfig; 2], conditions: &Conditions, book: &[Opening]) -> MatchTerms {
    let starts: String = book.iter().map(|opening| format!("{opening:?}\n")).collect();
    MatchTerms {
        version: version(),
        seed: SEED,
        players: players.each_ref().map(PlayerConfig::describe),
        limit: conditions.limit.to_string(),
        margin: 0,
        adjudication: conditions.adjudication,
        openings: (String::new(), digest(starts.as_bytes())),
        sprt: None,
    }
}
