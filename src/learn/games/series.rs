//! Series of training games: files that can be resumed after an interruption.
//!
//! A series is given by seed, terms and options. Its games are numbered, and its files hold them in that order without
//! gaps, so the number of games written is the number of the next one. A game that ends before an earlier one waits in a
//! small file of its own, which is removed when the game is in place. A game is written with a single call; one that was
//! truncated by a crash or a full disk is removed before the next is written.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::generator::{GameTerms, Generator};
use super::reader::{Filter, LoadedFile, usable_positions};
use super::viriformat::{GameResult, PackedGame};
use crate::files::{locked, make_folder, write_whole};
use crate::options::{self, Effect};
use crate::provenance::{Configuration, digest, version};

/// Incremented when the generator plays other games for the same seed.
const GENERATION: u32 = 1;

/// Extension of game files.
pub const ENDING: &str = "vf";
/// Extension of a file with one game that waits for an earlier one.
const WAITING: &str = "waiting";

/// Counts of one file or many.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Complete games.
    pub games: u64,
    /// Plies played after the openings.
    pub plies: u64,
    /// Positions that the default filter keeps.
    pub positions: u64,
    /// Bytes of these games.
    pub bytes: u64,
    /// Games that Black won, drawn games, games that White won.
    pub results: [u64; 3],
}

impl Totals {
    /// Adds a game; `None` if it cannot be replayed.
    pub fn add(&mut self, game: &PackedGame) -> Option<()> {
        let result = game.start().result()?;
        self.positions += usable_positions(game, &Filter::default())?;
        self.games += 1;
        self.plies += game.plies().len() as u64;
        self.bytes += game.bytes().len() as u64;
        self.results[result as usize] += 1;
        Some(())
    }

    /// Adds the counts of another file.
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

/// The description beside a file of games, as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesDescription {
    /// The format of the games.
    pub format: String,
    /// The version of the program, with the digest of its search.
    pub version: String,
    /// The date of the code.
    pub date: String,
    /// The seed of the series.
    pub seed: u64,
    /// How games were played.
    pub terms: GameTerms,
    /// Options that differ from the defaults, as NAME=VALUE.
    pub options: Vec<String>,
    /// A digest of all options and of the files they name.
    #[serde(default)]
    pub options_digest: String,
    /// The number of the first game.
    pub first_game: u64,
    /// Counts of the file.
    #[serde(flatten)]
    pub totals: Totals,
    /// CRC-32 of the games.
    pub crc32: String,
}

impl SeriesDescription {
    fn new(generator: &Generator) -> Self {
        let configuration = Configuration::of(&generator.options);
        Self {
            format: "viriformat".to_owned(),
            version: version(),
            date: env!("ESPALIER_DATE").to_owned(),
            seed: generator.seed,
            terms: generator.terms.clone(),
            options: configuration.changed(),
            options_digest: configuration.hash,
            first_game: 0,
            totals: Totals::default(),
            crc32: String::new(),
        }
    }

    /// Reads the description beside a file of games, if there is one.
    pub fn beside(games: &Path) -> Option<Self> {
        serde_json::from_str(&std::fs::read_to_string(games.with_extension("json")).ok()?).ok()
    }

    /// Whether endgame tables may have ended games.
    pub fn names_endgame_tables(&self) -> bool {
        let names = self.options.iter().filter_map(|option| option.split_once('='));
        names.into_iter().any(|(name, _)| options::effect_of(name) == Effect::OpenSyzygy)
    }

    /// The name of the series, which changes with everything that changes its games.
    fn series(&self) -> String {
        let Self { version, terms, options_digest, .. } = self;
        let terms = serde_json::to_string(terms).unwrap_or_default();
        let played = format!("{GENERATION} {version} {terms} {options_digest}");
        format!("seed{}-{}", self.seed, digest(played.as_bytes()))
    }

    /// Writes the description beside the games, atomically.
    fn write(&self, games: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        write_whole(&games.with_extension("json"), text)
    }
}

/// Why a series cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum SeriesError {
    /// Another process is writing it.
    #[error("{}: another process plays these games (seed {seed}); choose another --seed", folder.display())]
    Busy {
        /// The folder of the series.
        folder: PathBuf,
        /// The seed that names the series.
        seed: u64,
    },
    /// A file or folder cannot be used.
    #[error("{}: {}", .0.display(), .1)]
    File(PathBuf, io::Error),
    /// A file is not as an earlier run wrote it.
    #[error("{}: {}; move the file away, or choose another --seed", .0.display(), .1)]
    Damaged(PathBuf, String),
}

/// A series being written.
pub struct GameSeries {
    folder: PathBuf,
    name: String,
    /// Holds the lock of the series.
    _lock: File,
    /// Size in bytes at which a new file is begun.
    file_size: u64,
    file: File,
    path: PathBuf,
    number: u32,
    description: SeriesDescription,
    checksum: crc32fast::Hasher,
    /// Counts of the files before this one.
    before: Totals,
    /// Bytes of a truncated game that were removed.
    cut: u64,
    /// Games that wait for an earlier one, by number. Each is also in a file of its own.
    waiting: BTreeMap<u64, Vec<u8>>,
}

impl GameSeries {
    /// Opens the series of a generator in a folder, or begins it.
    pub fn open(folder: &Path, generator: &Generator, file_size: u64) -> Result<Self, SeriesError> {
        let wrong = |path: &Path| {
            let path = path.to_owned();
            move |error| SeriesError::File(path, error)
        };
        make_folder(folder).map_err(wrong(folder))?;
        let mut description = SeriesDescription::new(generator);
        let name = description.series();
        let lock_path = folder.join(format!("{name}.lock"));
        let busy = || SeriesError::Busy { folder: folder.to_owned(), seed: generator.seed };
        let lock = locked(&lock_path).map_err(wrong(&lock_path))?.ok_or_else(busy)?;
        let path_of = |number: u32| folder.join(format!("{name}-{number:05}.{ENDING}"));
        let last = numbers(folder, &name, ENDING).map_err(wrong(folder))?.into_iter().max();
        let number = last.map_or(1, |last| last as u32).max(1);
        let mut before = Totals::default();
        for number in 1..number {
            before.merge(&finished(&path_of(number), before.games)?);
        }
        let path = path_of(number);
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = open.map_err(wrong(&path))?;
        description.first_game = before.games;
        let mut series = Self {
            folder: folder.to_owned(),
            name,
            _lock: lock,
            file_size,
            file,
            path,
            number,
            description,
            checksum: crc32fast::Hasher::new(),
            before,
            cut: 0,
            waiting: BTreeMap::new(),
        };
        series.catch_up()?;
        series.read_waiting()?;
        series.describe()?;
        Ok(series)
    }

    /// Reads the games in the last file, and removes anything after the last complete one.
    fn catch_up(&mut self) -> Result<(), SeriesError> {
        let loaded = LoadedFile::read(&self.path)
            .map_err(|damage| SeriesError::Damaged(self.path.clone(), damage.what))?;
        if loaded.description.as_ref().is_some_and(|known| known.first_game != self.before.games) {
            let what = "it begins with another game than those before it lead to".to_owned();
            return Err(SeriesError::Damaged(self.path.clone(), what));
        }
        let totals = &mut self.description.totals;
        for game in loaded.games() {
            // Some file systems leave zeros after a crash.
            if totals.add(&game).is_none() {
                break;
            }
        }
        let whole = totals.bytes;
        self.cut = loaded.bytes().len() as u64 - whole;
        self.checksum.update(&loaded.bytes()[..whole as usize]);
        let trimmed = self.file.set_len(whole).and_then(|()| self.file.seek(SeekFrom::Start(whole)));
        trimmed.map(drop).map_err(|error| SeriesError::File(self.path.clone(), error))
    }

    /// Reads the waiting games of an earlier run. Damaged ones will be played again.
    fn read_waiting(&mut self) -> Result<(), SeriesError> {
        let numbers = numbers(&self.folder, &self.name, WAITING);
        for number in numbers.map_err(|error| SeriesError::File(self.folder.clone(), error))? {
            let path = self.waiting_file(number);
            let bytes = std::fs::read(&path).unwrap_or_default();
            let game = PackedGame::first(&bytes).filter(|game| game.bytes().len() == bytes.len());
            let sound = game.is_some_and(|game| Totals::default().add(&game).is_some());
            if sound && number >= self.next() {
                self.waiting.insert(number, bytes);
            } else {
                remove(&path);
            }
        }
        self.write_waiting()
    }

    fn waiting_file(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{}-{number}.{WAITING}", self.name))
    }

    /// The number of the next game to write.
    fn next(&self) -> u64 {
        self.before.games + self.description.totals.games
    }

    /// Whether the game with this number is written or waiting.
    fn has(&self, number: u64) -> bool {
        number < self.next() || self.waiting.contains_key(&number)
    }

    /// The numbers of all missing games, without end.
    pub fn missing(&self) -> impl Iterator<Item = u64> + Send + use<> {
        let waiting: BTreeSet<u64> = self.waiting.keys().copied().collect();
        (self.next()..).filter(move |number| !waiting.contains(number))
    }

    /// Number of games that wait for an earlier one.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Adds the game with this number, which waits if earlier games are missing. Once this returns, the game survives the
    /// end of the process.
    pub fn add(&mut self, number: u64, bytes: Vec<u8>) -> Result<(), SeriesError> {
        if self.has(number) {
            return Ok(());
        }
        if number == self.next() {
            self.write(&bytes)?;
            return self.write_waiting();
        }
        let path = self.waiting_file(number);
        write_whole(&path, &bytes).map_err(|error| SeriesError::File(path, error))?;
        self.waiting.insert(number, bytes);
        Ok(())
    }

    /// Writes waiting games whose turn has come.
    fn write_waiting(&mut self) -> Result<(), SeriesError> {
        while let Some(first) = self.waiting.first_entry()
            && *first.key() == self.before.games + self.description.totals.games
        {
            let (number, bytes) = first.remove_entry();
            self.write(&bytes)?;
            remove(&self.waiting_file(number));
        }
        Ok(())
    }

    /// Writes the next game. If that fails, the games before it stay intact.
    fn write(&mut self, bytes: &[u8]) -> Result<(), SeriesError> {
        if self.description.totals.bytes >= self.file_size {
            self.next_file()?;
        }
        let end = self.description.totals.bytes;
        if let Err(error) = self.file.write_all(bytes) {
            // If this fails too, the next run removes the truncated game.
            let _ = self.file.set_len(end);
            return Err(SeriesError::File(self.path.clone(), error));
        }
        self.checksum.update(bytes);
        if let Some(game) = PackedGame::first(bytes) {
            let counted = self.description.totals.add(&game);
            debug_assert!(counted.is_some(), "the generator writes games that can be replayed");
        }
        Ok(())
    }

    /// Closes the file and begins another.
    fn next_file(&mut self) -> Result<(), SeriesError> {
        self.describe()?;
        let path = self.folder.join(format!("{}-{:05}.{ENDING}", self.name, self.number + 1));
        let created = OpenOptions::new().write(true).create_new(true).open(&path);
        self.file = created.map_err(|error| SeriesError::File(path.clone(), error))?;
        self.path = path;
        self.number += 1;
        self.before.merge(&self.description.totals);
        self.description.first_game = self.before.games;
        self.description.totals = Totals::default();
        self.checksum = crc32fast::Hasher::new();
        self.describe()
    }

    /// Syncs the file to disk and writes its description.
    pub fn describe(&mut self) -> Result<(), SeriesError> {
        let wrong = |error| SeriesError::File(self.path.clone(), error);
        self.file.sync_data().map_err(wrong)?;
        self.description.crc32 = format!("{:08x}", self.checksum.clone().finalize());
        self.description.write(&self.path).map_err(wrong)
    }

    /// Counts of the whole series.
    pub fn totals(&self) -> Totals {
        let mut totals = self.before;
        totals.merge(&self.description.totals);
        totals
    }

    /// Bytes of a truncated game of an earlier run that were removed.
    pub fn cut(&self) -> u64 {
        self.cut
    }

    /// The prefix of its file names.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The numbers in the file names of a series with this extension.
fn numbers(folder: &Path, name: &str, ending: &str) -> io::Result<Vec<u64>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let file = entry?.file_name().to_string_lossy().into_owned();
        let digits = file.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
        found.extend(
            digits.and_then(|rest| rest.strip_suffix(ending)?.strip_suffix('.')?.parse::<u64>().ok()),
        );
    }
    Ok(found)
}

/// Removes a file that is no longer needed; it does no harm if it stays.
fn remove(path: &Path) {
    if let Err(error) = std::fs::remove_file(path) {
        log::debug!("{}: {error}", path.display());
    }
}

/// The counts of a finished file, which should begin with this game.
fn finished(path: &Path, first_game: u64) -> Result<Totals, SeriesError> {
    let damaged = |what: String| SeriesError::Damaged(path.to_owned(), what);
    let known = SeriesDescription::beside(path).ok_or_else(|| damaged("it has no description".to_owned()))?;
    let length = std::fs::metadata(path).map_err(|error| SeriesError::File(path.to_owned(), error))?.len();
    if known.totals.bytes != length {
        return Err(damaged(format!("it has {length} bytes, not {}", known.totals.bytes)));
    }
    if known.first_game != first_game {
        return Err(damaged("it begins with another game than those before it lead to".to_owned()));
    }
    Ok(known.totals)
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
        Generator { options, terms: GameTerms::default(), openings: Openings::Start, seed }
    }

    fn game(result: GameResult) -> Vec<u8> {
        let mut writer = GameWriter::new(Chess::default());
        let m = crate::Position::default().parse_move("g1f3").unwrap();
        writer.push(m, Color::White, Score::cp(11));
        writer.finish(result)
    }

    #[test]
    fn files_are_bounded_and_described_and_a_series_is_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let open = || GameSeries::open(folder.path(), &generator(1), 100).unwrap();
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
        let described = SeriesDescription::beside(&second).unwrap();
        assert_eq!((described.first_game, described.totals.games), (3, 3));
        assert_eq!(described.totals.results, [0, 2, 1]);
        let crc = crc32fast::hash(&std::fs::read(second).unwrap());
        assert_eq!(described.crc32, format!("{crc:08x}"));
    }

    #[test]
    fn games_that_wait_for_an_earlier_one_outlive_the_process_and_end_in_their_places() {
        let folder = tempfile::tempdir().unwrap();
        let open = || GameSeries::open(folder.path(), &generator(1), 1 << 20).unwrap();
        let results = [GameResult::White, GameResult::Black, GameResult::Draw, GameResult::White];
        let mut series = open();
        for number in [3, 1, 2] {
            series.add(number, game(results[number as usize])).unwrap();
        }
        // A killed process would leave everything like this.
        let damaged = series.waiting_file(7);
        std::fs::write(&damaged, vec![0; 64]).unwrap();
        drop(series);
        let mut series = open();
        assert_eq!((series.totals().games, series.waiting()), (0, 3));
        assert!(!series.has(0) && series.has(1) && series.has(3) && !series.has(7) && !damaged.exists());
        assert!(series.missing().take(3).eq([0, 4, 5]));
        series.add(2, game(GameResult::White)).unwrap();
        series.add(0, game(results[0])).unwrap();
        assert_eq!((series.totals().games, series.waiting()), (4, 0));
        let path = series.path.clone();
        // Written, but the process was killed before the file of the game was removed.
        std::fs::write(series.waiting_file(3), game(results[3])).unwrap();
        drop(series);
        let series = open();
        assert_eq!((series.totals().games, series.waiting()), (4, 0));
        assert!(numbers(folder.path(), series.name(), WAITING).unwrap().is_empty());
        assert_eq!(std::fs::read(path).unwrap(), results.map(game).concat());
    }

    #[test]
    fn a_game_that_was_cut_off_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut series = GameSeries::open(folder.path(), &generator(1), 1 << 20).unwrap();
        let path = series.path.clone();
        for _ in 0..3 {
            series.write(&game(GameResult::Black)).unwrap();
        }
        drop(series);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 7]).unwrap();
        let mut series = GameSeries::open(folder.path(), &generator(1), 1 << 20).unwrap();
        assert_eq!((series.totals().games, series.cut()), (2, game(GameResult::Black).len() as u64 - 7));
        series.write(&game(GameResult::Black)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn zeros_after_the_games_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mut series = GameSeries::open(folder.path(), &generator(1), 1 << 20).unwrap();
        let path = series.path.clone();
        series.write(&game(GameResult::White)).unwrap();
        drop(series);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, [bytes.clone(), vec![0; 3_600]].concat()).unwrap();
        let series = GameSeries::open(folder.path(), &generator(1), 1 << 20).unwrap();
        assert_eq!((series.totals().games, series.totals().results, series.cut()), (1, [0, 0, 1], 3_600));
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn nothing_is_written_after_files_that_are_missing_or_changed() {
        let folder = tempfile::tempdir().unwrap();
        let open = || {
            GameSeries::open(folder.path(), &generator(1), 100).map(drop).map_err(|error| error.to_string())
        };
        let mut series = GameSeries::open(folder.path(), &generator(1), 100).unwrap();
        for _ in 0..8 {
            series.write(&game(GameResult::Draw)).unwrap();
        }
        series.describe().unwrap();
        let file = |number: u32| folder.path().join(format!("{}-{number:05}.vf", series.name));
        let files = [1, 2, 3].map(file);
        drop(series);
        assert_eq!(open(), Ok(()));
        // The last one altered.
        let bytes = std::fs::read(&files[2]).unwrap();
        let mut altered = bytes.clone();
        altered[34] ^= 1;
        std::fs::write(&files[2], altered).unwrap();
        assert!(open().unwrap_err().contains("checksum"));
        std::fs::write(&files[2], bytes).unwrap();
        // One in the middle gone, or cut short.
        let moved = files[1].with_extension("away");
        std::fs::rename(&files[1], &moved).unwrap();
        assert!(open().unwrap_err().contains("00002"));
        std::fs::write(&files[1], b"short").unwrap();
        assert!(open().unwrap_err().contains("5 bytes, not"));
        std::fs::rename(&moved, &files[1]).unwrap();
        assert_eq!(open(), Ok(()));
    }

    #[test]
    fn a_file_that_an_option_names_makes_another_series_when_it_changes() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut generator = generator(1);
        let name = |generator: &Generator| SeriesDescription::new(generator).series();
        let plain = name(&generator);
        let weights = |text: &str| {
            std::fs::write(file.path(), text).unwrap();
            let mut options = Options::default();
            options.set("EvaluationFile", file.path().to_str().unwrap()).unwrap();
            options
        };
        generator.options = weights("one");
        let one = name(&generator);
        generator.options = weights("other");
        assert!(one != plain && one != name(&generator));
    }

    #[test]
    fn two_processes_may_share_a_folder_but_not_a_seed() {
        let folder = tempfile::tempdir().unwrap();
        let first = GameSeries::open(folder.path(), &generator(1), 1 << 20).unwrap();
        let again = GameSeries::open(folder.path(), &generator(1), 1 << 20);
        assert!(again.is_err_and(|error| error.to_string().contains("choose another --seed")));
        let other = GameSeries::open(folder.path(), &generator(2), 1 << 20).unwrap();
        assert_ne!(first.name(), other.name());
        let mut slower = generator(1);
        slower.terms.nodes = 5_000;
        assert!(GameSeries::open(folder.path(), &slower, 1 << 20).is_ok(), "other games are another series");
    }
}
