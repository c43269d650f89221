//! A match on disk: its terms and its games so far, so that it can be resumed.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::player::PlayerDescription;
use crate::adjudication::Adjudication;
use crate::files::{locked, make_folder};
use crate::game_record::{GameEnd, GameRecord};
use crate::provenance::{agree, sealed, unsealed};

/// Everything that determines the games. A match can resume only under the same terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchTerms {
    /// The version of the program.
    pub version: String,
    /// The seed of the order of openings.
    pub seed: u64,
    /// The players.
    pub players: [PlayerDescription; 2],
    /// The limit of every move.
    pub limit: String,
    /// Milliseconds by which a player may exceed its time.
    pub margin: u64,
    /// When games are adjudicated.
    pub adjudication: Adjudication,
    /// The openings: name of the file, and a digest of its contents.
    pub openings: (String, String),
    /// The sequential test that ends the match, if there is one.
    pub sprt: Option<String>,
}

/// The file in the directory of a match that holds its games.
pub const GAMES: &str = "games.jsonl";

/// A directory with `match.json` and `games.jsonl`.
#[derive(Debug)]
pub struct Store {
    directory: PathBuf,
    games: File,
    /// Holds the lock while the store is open, however the program ends.
    _terms: File,
}

impl Store {
    /// Creates the directory, or resumes the match in it and returns its games. It is an error if that match has other terms
    /// or is being played by another process.
    pub fn open(directory: &Path, terms: &MatchTerms) -> Result<(Self, Vec<GameRecord>), String> {
        let wrong = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        make_folder(directory).map_err(|error| wrong(directory, &error))?;
        let path = directory.join("match.json");
        if !path.exists() {
            claim(directory)?;
        }
        let games_path = directory.join(GAMES);
        let held = locked(&path).map_err(|error| wrong(&path, &error))?;
        let busy = "another process is playing this match; wait for it or choose another directory";
        let mut held = held.ok_or_else(|| wrong(&path, &busy))?;
        let mut text = String::new();
        held.read_to_string(&mut text).map_err(|error| wrong(&path, &error))?;
        if text.is_empty() && !games_path.exists() {
            let text = serde_json::to_string_pretty(terms).map_err(|error| wrong(&path, &error))? + "\n";
            held.write_all(text.as_bytes()).map_err(|error| wrong(&path, &error))?;
        } else {
            agree(&text, terms, "match").map_err(|error| wrong(&path, &error))?;
        }
        let records = read_games(&games_path)?;
        let appending = OpenOptions::new().create(true).append(true).open(&games_path);
        let games = appending.map_err(|error| wrong(&games_path, &error))?;
        Ok((Self { directory: directory.to_owned(), games, _terms: held }, records))
    }

    /// Appends a game to `games.jsonl`.
    pub fn add(&mut self, record: &GameRecord) -> io::Result<()> {
        let line = sealed(&serde_json::to_string(record)?) + "\n";
        self.games.write_all(line.as_bytes())?;
        self.games.flush()
    }

    /// A file in the directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }
}

/// Refuses a directory with other files.
fn claim(directory: &Path) -> Result<(), String> {
    let mut entries =
        std::fs::read_dir(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    match entries.next() {
        None => Ok(()),
        Some(_) => Err(format!(
            "{}: holds other files and no match.json; choose an empty directory",
            directory.display()
        )),
    }
}

/// The games of a file, if it exists. A truncated last line is removed, and of games with the same number only the first
/// counts.
fn read_games(path: &Path) -> Result<Vec<GameRecord>, String> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    if whole < text.len() {
        let file = OpenOptions::new().write(true).open(path);
        file.and_then(|file| file.set_len(whole as u64))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    whole_games(&text, path)
}

/// The games of the text of such a file, without a truncated last line.
pub fn whole_games(text: &str, path: &Path) -> Result<Vec<GameRecord>, String> {
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let complete = text.get(..whole).unwrap_or_default();
    let read = |(index, line): (usize, &str)| {
        read_game(line).map_err(|error| format!("{}:{}: {error}", path.display(), index + 1))
    };
    let mut records: Vec<GameRecord> = complete.lines().enumerate().map(read).collect::<Result<_, _>>()?;
    let mut numbers = HashSet::new();
    records.retain(|record| numbers.insert(record.number));
    Ok(records)
}

/// Reads a game; an error if its checksum does not match or its moves are not legal.
fn read_game(line: &str) -> Result<GameRecord, String> {
    let record: GameRecord = serde_json::from_str(&unsealed(line)?).map_err(|error| error.to_string())?;
    let mut position = record.first_position().ok_or_else(|| format!("{:?} is no position", record.start))?;
    for text in record.book.iter().chain(record.plies.iter().map(|ply| &ply.uci)) {
        let m = position.parse_move(text).map_err(|error| format!("the game cannot be replayed: {error}"))?;
        position = position.play(m);
    }
    let over = position.legal_moves().is_empty();
    if (record.ending == GameEnd::Mate) != (over && position.in_check()) {
        return Err(format!("the game ended by {}, which its moves do not show", record.ending));
    }
    Ok(record)
}

/// The lines of a file of games with the numbers of the games; each is checked.
pub fn sealed_games(path: &Path) -> Result<Vec<(u64, String)>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let read = |(index, line): (usize, &str)| match read_game(line) {
        Ok(record) => Ok((record.number, line.to_owned())),
        Err(error) => Err(format!("{}:{}: {error}", path.display(), index + 1)),
    };
    text.lines().enumerate().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_record::{GameResult, Ply};

    fn terms(limit: &str) -> MatchTerms {
        let player = |name: &str| PlayerDescription {
            name: name.into(),
            configuration: None,
            command: None,
            told: Vec::new(),
        };
        MatchTerms {
            version: "1".into(),
            seed: 0,
            players: [player("a"), player("b")],
            limit: limit.into(),
            margin: 0,
            adjudication: Adjudication::default(),
            openings: ("x".into(), "y".into()),
            sprt: None,
        }
    }

    fn record(number: u64) -> GameRecord {
        let (result, ending) = (GameResult::Draw, GameEnd::Repetition);
        GameRecord {
            number,
            white: 0,
            start: crate::board::Position::default().fen(),
            book: Vec::new(),
            plies: Vec::new(),
            result,
            ending,
            failure: None,
        }
    }

    /// A directory of its own for every test, gone afterwards.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("espalier-store-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&path);
            Self(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_match_is_resumed_without_a_truncated_last_line() {
        let scratch = Scratch::new("resume");
        let (mut store, none) = Store::open(&scratch.0, &terms("5")).unwrap();
        assert!(none.is_empty());
        store.add(&record(0)).unwrap();
        store.games.write_all(b"{\"number\": 1, \"whi").unwrap();
        drop(store);
        let (mut again, some) = Store::open(&scratch.0, &terms("5")).unwrap();
        assert_eq!(some, [record(0)]);
        again.add(&record(1)).unwrap();
        drop(again);
        assert_eq!(Store::open(&scratch.0, &terms("5")).unwrap().1, [record(0), record(1)]);
    }

    #[test]
    fn a_match_that_is_being_played_is_refused_until_its_player_is_gone() {
        let scratch = Scratch::new("locked");
        let (mut store, _) = Store::open(&scratch.0, &terms("5")).unwrap();
        let refused = Store::open(&scratch.0, &terms("5")).unwrap_err();
        assert!(refused.contains("match.json: another process is playing this match"), "{refused}");
        store.add(&record(0)).unwrap();
        drop(store);
        assert_eq!(Store::open(&scratch.0, &terms("5")).unwrap().1, [record(0)]);
    }

    #[test]
    fn a_game_that_was_kept_twice_counts_once() {
        let scratch = Scratch::new("twice");
        let (mut store, _) = Store::open(&scratch.0, &terms("5")).unwrap();
        let other = GameRecord { result: GameResult::White, ..record(0) };
        for record in [&record(0), &record(1), &other] {
            store.add(record).unwrap();
        }
        drop(store);
        assert_eq!(Store::open(&scratch.0, &terms("5")).unwrap().1, [record(0), record(1)]);
    }

    #[test]
    fn another_match_and_foreign_files_are_left_alone() {
        let scratch = Scratch::new("refuse");
        Store::open(&scratch.0, &terms("5")).unwrap();
        let error = Store::open(&scratch.0, &terms("6")).unwrap_err();
        assert!(error.contains("limit was \"5\", is \"6\""), "{error}");
        let foreign = Scratch::new("foreign");
        std::fs::create_dir_all(&foreign.0).unwrap();
        std::fs::write(foreign.0.join("thesis.txt"), "x").unwrap();
        assert!(Store::open(&foreign.0, &terms("5")).unwrap_err().contains("holds other files"));
    }

    #[test]
    fn an_altered_game_is_named_even_if_its_checksum_was_altered_too() {
        let ply = |uci: &str| Ply { uci: uci.into(), score: None, depth: 1, nodes: 1, ms: 0 };
        let good = GameRecord { plies: vec![ply("e2e4"), ply("e7e5")], ..record(0) };
        let line = |record: &GameRecord| sealed(&serde_json::to_string(record).unwrap());
        assert_eq!(read_game(&line(&good)), Ok(good.clone()));
        assert!(read_game(&line(&good).replace("1/2-1/2", "1-0")).unwrap_err().contains("altered"));
        let illegal = GameRecord { plies: vec![ply("e2e5")], ..good.clone() };
        assert!(read_game(&line(&illegal)).unwrap_err().contains("cannot be replayed"));
        let no_mate = GameRecord { ending: GameEnd::Mate, ..good };
        assert!(read_game(&line(&no_mate)).unwrap_err().contains("ended by mate"));
    }

    #[test]
    fn a_broken_line_is_named() {
        let scratch = Scratch::new("broken");
        Store::open(&scratch.0, &terms("5")).unwrap();
        std::fs::write(scratch.0.join("games.jsonl"), "nonsense\n").unwrap();
        assert!(Store::open(&scratch.0, &terms("5")).unwrap_err().contains("games.jsonl:1: "));
    }
}
