//! The files of `espalier match`: a directory from which it can be resumed, or a single PGN file.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::{Failure, terminal};
use crate::game_record::GameRecord;
use crate::lab::matches::pgn::{self, PgnHeading};
use crate::lab::matches::player::PlayerDescription;
use crate::lab::matches::store::{MatchTerms, Store};
use crate::provenance::assignments;

/// The files of a match.
pub(super) struct Files {
    /// The directory, if there is one.
    pub store: Option<Store>,
    /// Games of earlier runs.
    pub done: Vec<GameRecord>,
    pgn: Option<File>,
    terms: MatchTerms,
}

impl Files {
    /// Opens the directory, or takes a PGN file from [`new_pgn`]. No existing file is overwritten.
    pub(super) fn open(
        directory: Option<&Path>,
        pgn: Option<File>,
        terms: &MatchTerms,
    ) -> Result<Self, Failure> {
        let mut files = Self { store: None, done: Vec::new(), pgn, terms: terms.clone() };
        let wrong = |path: &Path, error: &dyn std::fmt::Display| {
            Failure::Wrong(format!("{}: {error}", path.display()))
        };
        if let Some(directory) = directory {
            let (store, done) = Store::open(directory, terms).map_err(Failure::Wrong)?;
            // Rewritten from the stored games, because a match that was killed may have written fewer.
            let path = store.path("games.pgn");
            let before = std::fs::read_to_string(&path).unwrap_or_default();
            let (dates, today) = (pgn::dates_by_round(&before), terminal::date());
            let date =
                |record: &GameRecord| dates.get(pgn::round(record).as_str()).copied().unwrap_or(&today);
            let text: String = done.iter().map(|record| files.pgn_of(record, date(record))).collect();
            terminal::write_file(&path, text)?;
            let appending = OpenOptions::new().append(true).open(&path);
            files.pgn = Some(appending.map_err(|error| wrong(&path, &error))?);
            (files.store, files.done) = (Some(store), done);
        }
        Ok(files)
    }

    /// Writes a game at once, so that an interrupted match keeps it.
    pub(super) fn add(&mut self, record: &GameRecord) -> io::Result<()> {
        let text = self.pgn_of(record, &terminal::date());
        if let Some(store) = &mut self.store {
            store.add(record)?;
        }
        if let Some(pgn) = &mut self.pgn {
            pgn.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    fn pgn_of(&self, record: &GameRecord, date: &str) -> String {
        let players = &self.terms.players;
        let options = players.each_ref().map(changed_options);
        let hash = |player: &PlayerDescription| {
            player.configuration.as_ref().map_or(String::new(), |c| c.hash.clone())
        };
        let hashes = players.each_ref().map(hash);
        let every = players.each_ref().map(every_option);
        pgn::write(
            record,
            &PgnHeading {
                names: [&players[0].name, &players[1].name],
                hashes: [&hashes[0], &hashes[1]],
                options: [&options[0], &options[1]],
                every_option: [&every[0], &every[1]],
                date,
                limit: &self.terms.limit,
                adjudication: &self.terms.adjudication.to_string(),
                version: &self.terms.version,
                seed: self.terms.seed,
            },
        )
    }
}

/// Creates a PGN file, which must not exist yet.
pub(super) fn new_pgn(path: &Path) -> Result<File, Failure> {
    File::create_new(path).map_err(|error| {
        let what = match error.kind() {
            io::ErrorKind::AlreadyExists => {
                "is there already and is not overwritten; choose another name".into()
            }
            _ => error.to_string(),
        };
        Failure::Wrong(format!("{}: {what}", path.display()))
    })
}

fn changed_options(player: &PlayerDescription) -> String {
    let told = || assignments(&player.told);
    player.configuration.as_ref().map_or_else(told, |c| c.changed()).join(" ")
}

fn every_option(player: &PlayerDescription) -> String {
    let told = || assignments(&player.told).join("; ");
    player.configuration.as_ref().map_or_else(told, |c| c.every_option())
}
