//! Files of games: where a series of them is written, and how it goes on after an interruption.
//!
//! A series is a seed, the terms and the options: its games have numbers, and its files hold them in that order
//! without a gap, so that the number of games written says which comes next. A game is written with a single call;
//! one that a crash or a full disk cut off is cut away before the next is written.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::generator::{Generator, Terms};
use super::reader::{Filter, usable_positions};
use super::viriformat::{GameResult, Games, PackedGame};
use crate::lab::lock::locked;
use crate::lab::provenance::{Configuration, digest, version};

/// How the names of game files end.
pub const ENDING: &str = "vf";

/// What is in a file, or in many.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Games.
    pub games: u64,
    /// Plies played after the openings.
    pub plies: u64,
    /// Positions that the default filters keep.
    pub positions: u64,
    /// Bytes.
    pub bytes: u64,
    /// Games that Black won, drawn games, games that White won.
    pub results: [u64; 3],
}

impl Totals {
    /// With one more game.
    pub fn add(&mut self, game: &PackedGame) {
        self.games += 1;
        self.plies += game.plies().len() as u64;
        self.positions += usable_positions(game, &Filter::default());
        self.bytes += game.bytes().len() as u64;
        if let Some(result) = game.start().result() {
            self.results[result as usize] += 1;
        }
    }

    /// With those of another file.
    pub fn merge(&mut self, other: &Self) {
        self.games += other.games;
        self.plies += other.plies;
        self.positions += other.positions;
        self.bytes += other.bytes;
        for (sum, more) in self.results.iter_mut().zip(other.results) {
            *sum += more;
        }
    }

    /// Drawn games.
    pub fn draws(&self) -> u64 {
        self.results[GameResult::Draw as usize]
    }
}

/// What stands beside a file of games, as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// How the games are written.
    pub format: String,
    /// The program that played, with what tells one search from another.
    pub version: String,
    /// The day of the code.
    pub date: String,
    /// The seed of the series.
    pub seed: u64,
    /// How games were played.
    pub terms: Terms,
    /// Options that were not the defaults, as NAME=VALUE.
    pub options: Vec<String>,
    /// The number of the first game.
    pub first_game: u64,
    /// What is in the file.
    #[serde(flatten)]
    pub totals: Totals,
    /// CRC-32 of its bytes.
    pub crc32: String,
}

impl Description {
    fn new(generator: &Generator) -> Self {
        Self {
            format: "viriformat".to_owned(),
            version: version(),
            date: env!("ESPALIER_DATE").to_owned(),
            seed: generator.seed,
            terms: generator.terms.clone(),
            options: Configuration::of(&generator.options).changed(),
            first_game: 0,
            totals: Totals::default(),
            crc32: String::new(),
        }
    }

    /// The description beside a file of games; `None` if there is none, or it cannot be read.
    pub fn beside(games: &Path) -> Option<Self> {
        serde_json::from_str(&std::fs::read_to_string(games.with_extension("json")).ok()?).ok()
    }

    /// The series it belongs to: what was played, apart from how much.
    fn series(&self) -> String {
        let Self { version, terms, options, .. } = self;
        let terms = serde_json::to_string(terms).unwrap_or_default();
        format!("seed{}-{}", self.seed, digest(format!("{version} {terms} {options:?}").as_bytes()))
    }

    /// Writes it beside the games, whole or not at all.
    fn write(&self, games: &Path) -> io::Result<()> {
        let path = games.with_extension("json");
        let partial = path.with_added_extension("partial");
        let text = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(&partial, text).and_then(|()| std::fs::rename(&partial, &path)).inspect_err(|_| {
            // After a full disk nothing half written is left.
            let _ = std::fs::remove_file(&partial);
        })
    }
}

/// Why a series cannot be written.
#[derive(Debug)]
pub enum SeriesError {
    /// Another process writes it.
    Busy {
        /// The folder.
        folder: PathBuf,
        /// The seed.
        seed: u64,
    },
    /// A file or folder cannot be used.
    File(PathBuf, io::Error),
}

impl std::fmt::Display for SeriesError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Busy { folder, seed } => write!(
                f,
                "{}: another process plays these games (seed {seed}); choose another --seed",
                folder.display()
            ),
            Self::File(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for SeriesError {}

/// A series that is being written.
pub struct Series {
    folder: PathBuf,
    name: String,
    /// Held as long as the series is written.
    _lock: File,
    /// A new file is begun when one has so many bytes.
    file_size: u64,
    file: File,
    path: PathBuf,
    number: u32,
    description: Description,
    checksum: crc32fast::Hasher,
    /// Of the files before this one.
    before: Totals,
    /// Bytes of a game that was cut off, which are gone.
    cut: u64,
}

impl Series {
    /// Opens the series of a generator in a folder: a new one, or one to go on with.
    pub fn open(folder: &Path, generator: &Generator, file_size: u64) -> Result<Self, SeriesError> {
        let wrong = |path: &Path| {
            let path = path.to_owned();
            move |error| SeriesError::File(path, error)
        };
        std::fs::create_dir_all(folder).map_err(wrong(folder))?;
        let mut description = Description::new(generator);
        let name = description.series();
        let lock_path = folder.join(format!("{name}.lock"));
        let busy = || SeriesError::Busy { folder: folder.to_owned(), seed: generator.seed };
        let lock = locked(&lock_path).map_err(wrong(&lock_path))?.ok_or_else(busy)?;
        let mut before = Totals::default();
        let mut number = 1;
        let path_of = |number: u32| folder.join(format!("{name}-{number:05}.{ENDING}"));
        while path_of(number + 1).exists() {
            before.merge(&finished(&path_of(number)).map_err(wrong(&path_of(number)))?);
            number += 1;
        }
        let path = path_of(number);
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = open.map_err(wrong(&path))?;
        description.first_game = before.games;
        let folder = folder.to_owned();
        let mut series = Self {
            folder,
            name,
            _lock: lock,
            file_size,
            file,
            path: path.clone(),
            number,
            description,
            checksum: crc32fast::Hasher::new(),
            before,
            cut: 0,
        };
        series.catch_up().map_err(wrong(&path))?;
        Ok(series)
    }

    /// Reads what the file holds already, and cuts away a game that is not whole.
    fn catch_up(&mut self) -> io::Result<()> {
        let bytes = std::fs::read(&self.path)?;
        let mut games = Games::new(&bytes);
        for game in games.by_ref() {
            self.description.totals.add(&game);
        }
        let whole = bytes.len() - games.rest().len();
        self.cut = games.rest().len() as u64;
        self.checksum.update(&bytes[..whole]);
        self.file.set_len(whole as u64)?;
        self.file.seek(SeekFrom::Start(whole as u64)).map(drop)
    }

    /// Writes the next game. If that fails, the games before it are whole.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), SeriesError> {
        if self.description.totals.bytes >= self.file_size {
            self.next_file()?;
        }
        let end = self.description.totals.bytes;
        if let Err(error) = self.file.write_all(bytes) {
            // What is half written would be cut away by the next run too.
            let _ = self.file.set_len(end);
            return Err(SeriesError::File(self.path.clone(), error));
        }
        self.checksum.update(bytes);
        if let Some(game) = PackedGame::first(bytes) {
            self.description.totals.add(&game);
        }
        Ok(())
    }

    /// Closes the file and begins another.
    fn next_file(&mut self) -> Result<(), SeriesError> {
        self.describe()?;
        self.before.merge(&self.description.totals);
        self.number += 1;
        self.path = self.folder.join(format!("{}-{:05}.{ENDING}", self.name, self.number));
        self.file = File::create(&self.path).map_err(|error| SeriesError::File(self.path.clone(), error))?;
        self.description.first_game = self.before.games;
        self.description.totals = Totals::default();
        self.checksum = crc32fast::Hasher::new();
        Ok(())
    }

    /// Writes the description of the file as it is.
    pub fn describe(&mut self) -> Result<(), SeriesError> {
        self.description.crc32 = format!("{:08x}", self.checksum.clone().finalize());
        self.description.write(&self.path).map_err(|error| SeriesError::File(self.path.clone(), error))
    }

    /// All games of the series so far.
    pub fn totals(&self) -> Totals {
        let mut totals = self.before;
        totals.merge(&self.description.totals);
        totals
    }

    /// Bytes of a game that an earlier run left unfinished, and that are gone now.
    pub fn cut(&self) -> u64 {
        self.cut
    }

    /// The name that its files begin with.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// What a finished file holds: as its description says, or counted if that is missing or does not fit.
fn finished(path: &Path) -> io::Result<Totals> {
    let length = std::fs::metadata(path)?.len();
    if let Some(known) = Description::beside(path).filter(|known| known.totals.bytes == length) {
        return Ok(known.totals);
    }
    let bytes = std::fs::read(path)?;
    let mut totals = Totals::default();
    Games::new(&bytes).for_each(|game| totals.add(&game));
    Ok(totals)
}

#[cfg(test)]
mod tests {
    use super::super::generator::Openings;
    use super::super::viriformat::GameWriter;
    use super::*;
    use crate::options::Options;
    use crate::score::Score;
    use shakmaty::{Chess, Color};

    fn generator(seed: u64) -> Generator {
        let options = Options::default();
        Generator { options, terms: Terms::default(), openings: Openings::Start, seed }
    }

    fn game(result: GameResult) -> Vec<u8> {
        let mut writer = GameWriter::new(Chess::default());
        let m = crate::Position::default().parse_move("g1f3").unwrap();
        writer.push(m, Color::White, Score::cp(11));
        writer.finish(result)
    }

    #[test]
    fn files_are_bounded_described_and_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Series::open(folder.path(), &generator(1), 100).unwrap();
        let mut series = open();
        for _ in 0..5 {
            series.write(&game(GameResult::Draw)).unwrap();
        }
        series.describe().unwrap();
        assert_eq!(series.totals().games, 5);
        drop(series);
        let mut series = open();
        assert_eq!((series.totals().games, series.totals().draws(), series.cut()), (5, 5, 0));
        series.write(&game(GameResult::White)).unwrap();
        series.describe().unwrap();
        let second = folder.path().join(format!("{}-00002.vf", series.name()));
        let described = Description::beside(&second).unwrap();
        assert_eq!((described.first_game, described.totals.games), (3, 3));
        assert_eq!(described.totals.results, [0, 2, 1]);
        let crc = crc32fast::hash(&std::fs::read(second).unwrap());
        assert_eq!(described.crc32, format!("{crc:08x}"));
    }

    #[test]
    fn a_game_that_was_cut_off_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut series = Series::open(folder.path(), &generator(1), 1 << 20).unwrap();
        let path = series.path.clone();
        for _ in 0..3 {
            series.write(&game(GameResult::Black)).unwrap();
        }
        drop(series);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 7]).unwrap();
        let mut series = Series::open(folder.path(), &generator(1), 1 << 20).unwrap();
        assert_eq!((series.totals().games, series.cut()), (2, game(GameResult::Black).len() as u64 - 7));
        series.write(&game(GameResult::Black)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn two_processes_may_share_a_folder_but_not_a_seed() {
        let folder = tempfile::tempdir().unwrap();
        let first = Series::open(folder.path(), &generator(1), 1 << 20).unwrap();
        let again = Series::open(folder.path(), &generator(1), 1 << 20);
        assert!(again.is_err_and(|error| error.to_string().contains("choose another --seed")));
        let other = Series::open(folder.path(), &generator(2), 1 << 20).unwrap();
        assert_ne!(first.name(), other.name());
        let mut slower = generator(1);
        slower.terms.nodes = 5_000;
        assert!(Series::open(folder.path(), &slower, 1 << 20).is_ok(), "other games are another series");
    }
}
