//! The façade: a position, a hash table, options, and a search that can be started and stopped.
//!
//! ```
//! use espalier::{Engine, Limits};
//! let mut engine = Engine::default();
//! let outcome = engine.search(Limits::depth(4));
//! assert!(outcome.best_move().is_some());
//! ```

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, TryRecvError, bounded};
use shakmaty::Move;
use thiserror::Error;

use crate::board::Game;
use crate::board::polyglot::PolyglotBook;
use crate::eval::Weights;
use crate::eval::network::Network;
use crate::files::FileStamp;
use crate::limits::Limits;
use crate::options::{self, AssignError, Effect, Options, SetError};
use crate::random::Random;
use crate::search::control::Control;
use crate::search::observer::Observer;
use crate::search::syzygy::Syzygy;
use crate::search::transposition_table::{OutOfMemory, TranspositionTable};
use crate::search::{
    self, Handle, Job, Learned, Listener, MainTask, Outcome, Resources, Rules, Search, ThreadPool,
};
use crate::selective::extensions;

/// How long to wait for threads that still hold the hash table of a search that is over.
const LATE_THREADS: Duration = Duration::from_millis(100);

/// A hash table of this many MiB takes so long to clear that the server should answer commands meanwhile.
const LONG_TO_CLEAR: usize = 64;

/// An engine. A program may have several.
pub struct Engine {
    options: Options,
    game: Game,
    tt: Arc<TranspositionTable>,
    learned: Arc<Learned>,
    syzygy: Option<Arc<Syzygy>>,
    book: Option<PolyglotBook>,
    threads: ThreadPool,
    last: Option<StartedSearch>,
    stamps: Stamps,
    /// The owner clears large hash tables through [`clearing`](Engine::clearing); otherwise the engine does it at once.
    clears_elsewhere: bool,
    /// The owner must clear the hash table before the next search.
    uncleared: bool,
    /// Nothing was searched since everything was cleared, so a second `ucinewgame` has nothing to do.
    blank: bool,
}

/// The stamps of the files that were read, by the option that names the file.
type Stamps = Vec<(&'static str, FileStamp)>;

/// A change of an option before its files are read. It owns all its data, so it may run in another thread.
pub struct Preparation {
    before: Options,
    learned: Arc<Learned>,
    stamps: Stamps,
    name: String,
    value: String,
}

impl Preparation {
    /// Whether files may have to be read, which can take a while.
    pub fn may_read(&self) -> bool {
        match options::effect_of(&self.name) {
            Effect::LoadSettings | Effect::OpenSyzygy | Effect::OpenBook | Effect::ApplyPreset => true,
            effect => effect.reads_learned(),
        }
    }

    /// Reads the files.
    pub fn run(self) -> Result<Change, OptionError> {
        let mut options = self.before.clone();
        options.set_and_load(&self.name, &self.value)?;
        let mut effects = self.before.effects(&options);
        let named = options::row(&self.name).filter(|row| row.is_text());
        let Some(row) = named else { return Change::read(options, effects, &self.learned) };
        // The contents of a file may have changed.
        let path = row.read(&options);
        let stamp = FileStamp::of(Path::new(&path));
        let known = self.stamps.iter().find(|(name, _)| *name == row.name).map(|(_, stamp)| *stamp);
        let unchanged = path == row.kind.default_text() || (stamp.is_some() && stamp == known);
        if !unchanged && !effects.contains(&row.effect) {
            effects.push(row.effect);
        }
        let change = Change::read(options, effects, &self.learned)?;
        Ok(Change { stamp: Some((row.name, stamp)), ..change })
    }
}

/// New options with the contents of the files they name.
pub struct Change {
    options: Options,
    effects: Vec<Effect>,
    learned: Learned,
    syzygy: Option<Option<Arc<Syzygy>>>,
    book: Option<Option<PolyglotBook>>,
    stamp: Option<(&'static str, Option<FileStamp>)>,
}

impl Change {
    fn read(options: Options, effects: Vec<Effect>, learned: &Learned) -> Result<Self, OptionError> {
        let learned = learned.reload(options.learned_files(), &effects).map_err(OptionError::Learned)?;
        let syzygy = effects.contains(&Effect::OpenSyzygy).then(|| load_syzygy(&options)).transpose()?;
        let book = effects.contains(&Effect::OpenBook).then(|| load_book(&options)).transpose();
        let book = book.map_err(OptionError::Book)?;
        Ok(Self { options, effects, learned, syzygy, book, stamp: None })
    }
}

/// The most recently started search.
struct StartedSearch {
    control: Arc<Control>,
    /// Disconnected when the search is over.
    over: Receiver<()>,
}

impl Default for Engine {
    fn default() -> Self {
        Self::new(Options::default())
    }
}

impl Engine {
    /// An engine with these options. If there is not enough memory for its hash table, it uses the smallest.
    pub fn new(mut options: Options) -> Self {
        let tt = TranspositionTable::new(options.hash as usize).unwrap_or_else(|error| {
            log::error!("{error}; using 1 MiB");
            options.hash = 1;
            TranspositionTable::new(1).expect("1 MiB of memory is available")
        });
        let learned = Learned::load(options.learned_files()).unwrap_or_else(|error| {
            log::error!("{error}; using the built-in tables");
            Learned::default()
        });
        let syzygy = Syzygy::load(&options.syzygy.path).unwrap_or_else(|error| {
            log::error!("{error}; using no endgame tables");
            options.syzygy.path.clear();
            None
        });
        let book = load_book(&options).unwrap_or_else(|error| {
            log::error!("{error}; using no opening book");
            options.book_file.clear();
            None
        });
        Self {
            learned: Arc::new(learned),
            syzygy: syzygy.map(Arc::new),
            book,
            options,
            game: Game::default(),
            tt: Arc::new(tt),
            threads: ThreadPool::default(),
            last: None,
            stamps: Stamps::new(),
            clears_elsewhere: false,
            uncleared: false,
            blank: false,
        }
    }

    /// From now on the owner clears large hash tables, through [`clearing`](Self::clearing).
    pub fn clear_elsewhere(&mut self) {
        self.clears_elsewhere = true;
    }

    /// A task that clears the hash table, if that is left to the owner. Ask after a new game and after every option, and
    /// run the task in any thread before the next search.
    pub fn clearing(&mut self) -> Option<impl FnOnce() + Send + use<>> {
        let tt = Arc::clone(&self.tt);
        std::mem::take(&mut self.uncleared).then_some(move || tt.clear())
    }

    /// Uses these learned tables until an option that names one is set.
    pub fn use_learned(&mut self, learned: Arc<Learned>) {
        self.wait();
        self.learned = learned;
    }

    /// The weights of the evaluation.
    pub fn weights(&self) -> &Weights {
        &self.learned.weights
    }

    /// The network, if one is used for evaluation.
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.learned.network.as_ref()
    }

    /// The current options; [`configure`](Self::configure) changes them.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The game that the next search continues.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The endgame tables, if there are any.
    pub fn syzygy(&self) -> Option<&Arc<Syzygy>> {
        self.syzygy.as_ref()
    }

    /// The opening book, if there is one.
    pub fn book(&self) -> Option<&PolyglotBook> {
        self.book.as_ref()
    }

    /// A book move, if the book is on and has the position: a random one with the weights of the book. `None` in analysis.
    pub fn book_move(&self, limits: &Limits) -> Option<Move> {
        let analyses =
            limits.infinite || limits.ponder || limits.mate.is_some() || !limits.search_moves.is_empty();
        if !self.options.own_book || self.options.analyse_mode || analyses {
            return None;
        }
        let seed = RandomState::new().build_hasher().finish();
        self.book.as_ref()?.pick(self.game.position(), &mut Random::new(seed))
    }

    /// Whether a search is running.
    pub fn is_searching(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.over.try_recv() == Err(TryRecvError::Empty))
    }

    /// Sets an option. On an error nothing changes. A file that is named again is read again if it has changed.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.idle()?;
        let change = self.prepare(name, value).run()?;
        self.apply(change)
    }

    /// Prepares to set an option. [Run](Preparation::run) the preparation in any thread, then [apply](Self::apply) the
    /// result.
    pub fn prepare(&self, name: &str, value: &str) -> Preparation {
        Preparation {
            before: self.options.clone(),
            learned: Arc::clone(&self.learned),
            stamps: self.stamps.clone(),
            name: name.to_owned(),
            value: value.to_owned(),
        }
    }

    /// Sets all options. On an error nothing changes. Only the effects of changed options are carried out.
    pub fn configure(&mut self, options: Options) -> Result<(), OptionError> {
        self.idle()?;
        let effects = self.options.effects(&options);
        let change = Change::read(options, effects, &self.learned)?;
        self.apply(change)
    }

    /// Applies a change whose files have been read. It fails, and changes nothing, if there is no memory for the hash table.
    pub fn apply(&mut self, change: Change) -> Result<(), OptionError> {
        self.idle()?;
        let Change { options, effects, learned, syzygy, book, stamp } = change;
        let has = |effect: Effect| effects.contains(&effect);
        if has(Effect::NewTable) {
            self.resize_table(options.hash as usize)?;
        }
        // The hash table holds static evaluations of the previous evaluation.
        let forget =
            has(Effect::Forget) || has(Effect::ValueDraws) || learned.changes_evaluation(&self.learned);
        if effects.iter().any(|effect| effect.reads_learned()) {
            self.learned = Arc::new(learned);
        }
        if let Some(syzygy) = syzygy {
            self.syzygy = syzygy;
        }
        if let Some(book) = book {
            self.book = book;
        }
        if has(Effect::NewThreads) {
            self.threads.shrink(options.threads.max(1) as usize);
        }
        self.options = options;
        if let Some((name, stamp)) = stamp {
            self.stamps.retain(|(other, _)| *other != name);
            self.stamps.extend(stamp.map(|stamp| (name, stamp)));
        }
        if forget {
            self.forget();
        }
        Ok(())
    }

    /// Frees the old table before allocating the new one, so that memory need not hold both. If the allocation fails, the
    /// table gets its old size back, or the largest that fits.
    fn resize_table(&mut self, megabytes: usize) -> Result<(), OutOfMemory> {
        let before = self.tt.megabytes();
        TranspositionTable::may_fit(megabytes, before)?;
        let smallest = TranspositionTable::new(1).map_err(|_| OutOfMemory { megabytes })?;
        let deadline = Instant::now() + LATE_THREADS;
        while Arc::strong_count(&self.tt) > 1 && Instant::now() < deadline {
            // A thread that woke up late for the last search will release it soon.
            std::thread::sleep(Duration::from_millis(1));
        }
        self.tt = Arc::new(smallest);
        // Clearing touches the memory of the new table before a clock runs.
        self.blank = false;
        let refused = match TranspositionTable::new(megabytes) {
            Ok(tt) => {
                self.tt = Arc::new(tt);
                return Ok(());
            }
            Err(refused) => refused,
        };
        let smaller = std::iter::successors(Some(before), |size| Some(size / 2)).take_while(|size| *size > 1);
        if let Some(tt) = smaller.filter_map(|size| TranspositionTable::new(size).ok()).next() {
            self.tt = Arc::new(tt);
        }
        self.options.hash = self.tt.megabytes() as i32;
        Err(refused)
    }

    /// Sets the options of the extensions and no others.
    pub fn set_extensions(&mut self, extensions: extensions::Settings) {
        self.wait();
        self.options.selective.extensions = extensions;
    }

    fn idle(&self) -> Result<(), OptionError> {
        if self.is_searching() { Err(OptionError::Busy) } else { Ok(()) }
    }

    /// Begins a new game with all memory cleared.
    pub fn new_game(&mut self) {
        self.wait();
        self.game = Game::default();
        self.forget();
    }

    fn forget(&mut self) {
        // A thread that woke up late for the last search may still write into the table.
        let alone = Arc::strong_count(&self.tt) == 1;
        if std::mem::replace(&mut self.blank, alone) && alone {
            return;
        }
        self.threads.clear();
        self.uncleared = self.clears_elsewhere && self.tt.megabytes() >= LONG_TO_CLEAR;
        if !self.uncleared {
            self.tt.clear();
        }
    }

    /// Sets the position to search and the moves that led to it.
    pub fn set_game(&mut self, game: Game) {
        self.wait();
        self.game = game;
    }

    /// Starts a search of the current position, after waiting for a search that still runs. Every search is started here.
    pub fn start<O: Observer + 'static>(&mut self, search: Search<O>) -> Handle<O> {
        self.wait();
        let Search { limits, listener, observer, conclusion, on_this_thread, panics } = search;
        self.blank = false;
        let job = self.job(limits, listener).with_panic(panics);
        let (running, over) = bounded(0);
        self.last = Some(StartedSearch { control: job.control(), over });
        search::start(&mut self.threads, job, MainTask { observer, conclusion, running, on_this_thread })
    }

    /// Searches and returns the outcome.
    pub fn search(&mut self, limits: Limits) -> Outcome {
        self.start(Search::new(limits)).wait()
    }

    /// Everything a search needs.
    fn job(&self, limits: Limits, listener: Box<dyn Listener>) -> Job {
        let (limits, rules) = self.resolve(limits);
        let overhead = Duration::from_millis(self.options.move_overhead.max(0) as u64);
        let resources = Resources {
            tt: self.tt_for(&limits),
            learned: Arc::clone(&self.learned),
            syzygy: self.syzygy.clone(),
        };
        Job::new(self.game.clone(), limits, rules, resources, listener)
            .with_threads(self.options.threads.max(1) as usize)
            .with_overhead(overhead, self.options.ponder)
    }

    /// The hash table for a search. A mate search gets an empty one, because it must not use bounds of a selective search.
    fn tt_for(&self, limits: &Limits) -> Arc<TranspositionTable> {
        let fresh =
            limits.mate.and_then(|_| TranspositionTable::new(self.options.hash.min(64) as usize).ok());
        fresh.map_or_else(|| Arc::clone(&self.tt), Arc::new)
    }

    /// Limits and rules of a search under the options; limited strength means fewer nodes and noise.
    fn resolve(&self, mut limits: Limits) -> (Limits, Rules) {
        let mut rules = self.options.rules(limits.mate.is_some());
        if self.options.limit_strength && !self.options.analyse_mode {
            let handicap = Handicap::of(self.options.elo);
            limits.nodes = Some(limits.nodes.unwrap_or(u64::MAX).min(handicap.nodes));
            rules.noise = handicap.noise;
        }
        if !limits.infinite && limits.mate.is_none() {
            rules.contempt = self.options.contempt_in_play();
        }
        (limits, rules)
    }

    /// Waits for the end of the last search.
    fn wait(&mut self) {
        if let Some(last) = self.last.take() {
            let _ = last.over.recv();
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(last) = &self.last {
            last.control.stop();
        }
        self.wait();
    }
}

/// Loads the opening book of the options, if there is one.
pub(crate) fn load_book(options: &Options) -> Result<Option<PolyglotBook>, String> {
    let path = options.book_file.as_str();
    let book = (!path.is_empty()).then(|| PolyglotBook::open(Path::new(path))).transpose();
    book.map_err(|error| format!("{path}: {error}"))
}

/// Loads the endgame tables of the options, if there are any.
fn load_syzygy(options: &Options) -> Result<Option<Arc<Syzygy>>, OptionError> {
    let found = Syzygy::load(&options.syzygy.path).map_err(OptionError::Syzygy)?;
    Ok(found.map(Arc::new))
}

/// Limited strength: fewer nodes and noise in the evaluation.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Handicap {
    nodes: u64,
    noise: i32,
}

impl Handicap {
    /// Twice the nodes for every 265 Elo above 1000, and less noise. Fitted to games between the levels and against
    /// Stockfish's levels (docs/MEASUREMENTS.md).
    fn of(elo: i32) -> Self {
        let doublings = f64::from(elo - 1000) / 265.0;
        Self { nodes: (404.0 * doublings.exp2()) as u64, noise: (3800 - elo) / 16 }
    }
}

/// Why an option was not set.
#[derive(Debug, Error)]
pub enum OptionError {
    /// The name or the value is wrong.
    #[error(transparent)]
    Refused(#[from] SetError),
    /// There is not enough memory for the hash table.
    #[error("{0}, the old size is kept")]
    Memory(#[from] OutOfMemory),
    /// A learned table cannot be read.
    #[error("{0}; the old one is kept")]
    Learned(String),
    /// Endgame tables cannot be found.
    #[error("{0}; the endgame tables are as they were")]
    Syzygy(String),
    /// An opening book cannot be read.
    #[error("{0}; the opening book is as it was")]
    Book(String),
    /// A settings file cannot be used.
    #[error("{0}; all options are as they were")]
    File(String),
    /// Not while a search runs.
    #[error("an option cannot be set while a search runs")]
    Busy,
}

impl From<AssignError> for OptionError {
    fn from(error: AssignError) -> Self {
        match error {
            AssignError::Refused(error) => Self::Refused(error),
            AssignError::File(error) => Self::File(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::search::syzygy;

    fn engine_at(fen: &str) -> Engine {
        let mut engine = Engine::default();
        engine.set_game(Game::new(Position::from_fen(fen, false).unwrap()));
        engine
    }

    #[test]
    fn a_mate_in_two_is_found_with_its_whole_line() {
        // Zugzwang, which null move overlooks: a search for a mate does without it.
        let limits = Limits { mate: Some(2), ..Limits::default() };
        let outcome = engine_at("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1").search(limits);
        assert_eq!(outcome.score().and_then(|score| score.mate_in()), Some(2));
        assert_eq!(outcome.lines[0].moves.len(), 3);
    }

    #[test]
    fn a_stopped_search_answers() {
        let mut engine = Engine::default();
        let handle = engine.start(Search::new(Limits { infinite: true, ..Limits::default() }));
        assert!(matches!(engine.set_option("Hash", "2"), Err(OptionError::Busy)));
        handle.stop();
        assert!(handle.wait().best_move().is_some());
        engine.set_option("Hash", "2").unwrap();
    }

    #[test]
    fn a_panic_in_the_search_is_contained_and_answered() {
        let mut engine = Engine::default();
        let outcome = engine.start(Search::new(Limits::depth(3)).panicking(true)).wait();
        assert_eq!(outcome.panicked.as_deref(), Some("panic on purpose"));
        assert!(outcome.best_move().is_some());
        assert!(engine.search(Limits::depth(3)).panicked.is_none());
    }

    #[test]
    fn another_evaluation_leaves_nothing_of_its_values_behind() {
        use crate::eval::combination::{Combination, N, Quadratic};
        let path = std::env::temp_dir().join(format!("espalier-combination-{}", std::process::id()));
        let plain = Quadratic { linear: [1.0; N], ..Quadratic::default() };
        std::fs::write(&path, Combination::new([plain; 3], 20.0).to_text()).unwrap();
        let mut engine = Engine::default();
        engine.set_option("Evaluation", "Classical").unwrap();
        let usual = engine.search(Limits::depth(7)).effort.nodes;
        engine.set_option("CombinationFile", path.to_str().unwrap()).unwrap();
        assert_ne!(engine.search(Limits::depth(7)).effort.nodes, usual);
        engine.set_option("CombinationFile", "").unwrap();
        assert_eq!(engine.search(Limits::depth(7)).effort.nodes, usual);
        assert!(matches!(engine.set_option("CombinationFile", "/no/such"), Err(OptionError::Learned(_))));
        std::fs::write(&path, Weights::zero().to_text()).unwrap();
        engine.set_option("EvaluationFile", path.to_str().unwrap()).unwrap();
        assert_eq!(engine.weights(), &Weights::zero());
        // The same file may hold something else by now.
        std::fs::write(&path, Weights::default().to_text()).unwrap();
        engine.set_option("EvaluationFile", path.to_str().unwrap()).unwrap();
        assert_eq!(engine.search(Limits::depth(7)).effort.nodes, usual);
        std::fs::write(&path, Weights::zero().to_text()).unwrap();
        engine.set_option("EvaluationFile", path.to_str().unwrap()).unwrap();
        assert_ne!(engine.search(Limits::depth(7)).effort.nodes, usual);
        engine.set_option("EvaluationFile", "").unwrap();
        assert_eq!(engine.search(Limits::depth(7)).effort.nodes, usual);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_network_evaluates_where_one_is_asked_for_and_a_bad_one_changes_nothing() {
        use crate::eval::network::tests::random;
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let good = random(64, 1).to_bytes();
        std::fs::write(path("good"), &good).unwrap();
        let mut engine = Engine::default();
        engine.set_option("Evaluation", "Classical").unwrap();
        let nodes = |engine: &mut Engine| {
            engine.new_game();
            engine.search(Limits::depth(6)).effort.nodes
        };
        let usual = nodes(&mut engine);
        let refused = |engine: &mut Engine, name: &str, value: &str, why: &str| {
            let before = engine.options().clone();
            let error = engine.set_option(name, value).unwrap_err().to_string();
            assert!(error.contains(why) && error.contains("the old one is kept"), "{error}");
            assert_eq!(*engine.options(), before);
        };
        engine.set_option("EvalFile", &path("good")).unwrap();
        assert_eq!(nodes(&mut engine), usual, "the classical one still evaluates");
        engine.set_option("Evaluation", "Network").unwrap();
        let otherwise = nodes(&mut engine);
        assert_ne!(otherwise, usual);
        let bad = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = good.clone();
            change(&mut bytes);
            std::fs::write(path(name), bytes).unwrap();
        };
        bad("short", &|bytes| bytes.truncate(1_000));
        bad("damaged", &|bytes| bytes[700] ^= 4);
        bad("newer", &|bytes| bytes[8] = 3);
        bad("other", &|bytes| bytes[16] = 65);
        for (name, why) in [
            ("short", "1000 bytes"),
            ("damaged", "checksum"),
            ("newer", "version 3"),
            ("other", "architecture"),
            ("nowhere", "cannot be read"),
        ] {
            refused(&mut engine, "EvalFile", &path(name), why);
        }
        assert_eq!(nodes(&mut engine), otherwise);
        engine.set_option("Preset", "Turk").unwrap();
        assert!(engine.network().is_none(), "systems of papers have no network");
        engine.set_option("Preset", "Modern").unwrap();
        engine.set_option("Evaluation", "Classical").unwrap();
        assert_eq!(nodes(&mut engine), usual);
    }

    #[test]
    fn all_options_are_set_or_none_and_files_that_did_not_change_are_not_read() {
        let path = std::env::temp_dir().join(format!("espalier-configure-{}", std::process::id()));
        std::fs::write(&path, Weights::zero().to_text()).unwrap();
        let mut engine = Engine::default();
        let mut options =
            Options { hash: 2, evaluation_file: path.display().to_string(), ..Options::default() };
        engine.configure(options.clone()).unwrap();
        std::fs::remove_file(&path).unwrap();
        options.set("Preset", "Crafty").unwrap();
        engine.configure(options.clone()).unwrap();
        engine.set_option("RankCutThreshold", "100").unwrap();
        assert_eq!(engine.weights(), &Weights::zero());
        let before = engine.options().clone();
        let syzygy = syzygy::Settings { path: "/no/such".to_owned(), ..syzygy::Settings::default() };
        let refused = engine.configure(Options { hash: 4, syzygy, ..before.clone() });
        assert!(matches!(refused, Err(OptionError::Syzygy(_))));
        assert_eq!(*engine.options(), before);
        assert!(matches!(engine.set_option("RankCut", "true"), Ok(())));
        engine.configure(Options::default()).unwrap();
        assert_ne!(engine.weights(), &Weights::zero());
    }

    #[test]
    fn a_table_is_not_read_again_while_its_file_stays_the_same() {
        use crate::selective::rank_table;
        use std::time::SystemTime;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ranks");
        let write = |note: &str, seconds| {
            std::fs::write(&path, rank_table::built_in().to_bytes(note, 1)).unwrap();
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        };
        write("one", 1_000_000);
        let mut engine = Engine::default();
        engine.set_option("RankCut", "true").unwrap();
        let read_anew = |engine: &mut Engine, name: &str, value: &str| {
            let before = Arc::clone(&engine.learned);
            engine.set_option(name, value).unwrap();
            !Arc::ptr_eq(&before, &engine.learned)
        };
        assert!(!read_anew(&mut engine, "RankCutFile", ""), "the built-in table is still the same");
        let named = path.to_str().unwrap();
        assert!(read_anew(&mut engine, "RankCutFile", named));
        assert!(!read_anew(&mut engine, "RankCutFile", named));
        assert!(!read_anew(&mut engine, "RankCutThreshold", "100"));
        assert!(!read_anew(&mut engine, "RankCut", "true"));
        write("two", 2_000_000);
        assert!(read_anew(&mut engine, "RankCutFile", named));
        assert!(read_anew(&mut engine, "RankCutFile", ""));
        assert!(read_anew(&mut engine, "RankCutFile", named), "what was forgotten is read");
    }

    #[test]
    fn whatever_was_searched_is_forgotten_and_nothing_is_forgotten_twice() {
        let mut engine = Engine::default();
        let nodes = |engine: &mut Engine| engine.search(Limits::depth(6)).effort.nodes;
        let fresh = nodes(&mut engine);
        assert_ne!(nodes(&mut engine), fresh, "it remembers the search before");
        for _ in 0..2 {
            engine.new_game();
            assert_eq!(nodes(&mut engine), fresh);
            engine.set_option("Clear Hash", "").unwrap();
            engine.set_option("Clear Hash", "").unwrap();
            assert_eq!(nodes(&mut engine), fresh);
        }
        while !engine.blank {
            // The thread of the last search lets go of the table a moment after its answer.
            engine.new_game();
        }
        let began = Instant::now();
        (0..5_000).for_each(|_| engine.new_game());
        assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
        engine.set_option("Hash", "2").unwrap();
        assert!(!engine.blank, "the memory of a new table is made ready");
    }

    #[test]
    fn a_hash_size_that_cannot_be_had_keeps_the_old_table() {
        let mut engine = Engine::default();
        assert!(matches!(engine.set_option("Hash", "1048576"), Err(OptionError::Memory(_))));
        assert_eq!(engine.options().hash, 16);
    }

    #[test]
    fn contempt_moves_the_value_of_a_draw_but_not_of_an_analysis() {
        // Bare kings and a knight: dead after every move.
        let value = |settings: &[(&str, &str)], limits: Limits| {
            let mut engine = Engine::default();
            settings.iter().for_each(|(name, value)| engine.set_option(name, value).unwrap());
            engine.set_game(Game::new(Position::from_fen("8/8/4k3/8/8/3NK3/8/8 w - - 0 1", false).unwrap()));
            engine.search(limits).score().map(|score| score.raw())
        };
        let depth = |depth| Limits::depth(depth);
        assert_eq!(value(&[], depth(4)), Some(0));
        for depth in 1..=4 {
            assert_eq!(value(&[("Contempt", "25")], Limits::depth(depth)), Some(-25), "depth {depth}");
        }
        assert_eq!(value(&[("Contempt", "-30")], depth(3)), Some(30));
        assert_eq!(value(&[("Contempt", "25"), ("UCI_AnalyseMode", "true")], depth(3)), Some(0));
        let limited = [("Contempt", "25"), ("UCI_LimitStrength", "true"), ("UCI_Elo", "1500")];
        let against = |who| [&limited[..], &[("UCI_Opponent", who)]].concat();
        assert_eq!(value(&against("none 1400 human A. Novice"), depth(3)), Some(-25));
        assert_eq!(value(&against("IM 2400 human A. Master"), depth(3)), Some(0));
    }

    #[test]
    fn strength_grows_with_elo() {
        let weak = Handicap::of(1000);
        let strong = Handicap::of(2600);
        assert!(weak.nodes < strong.nodes && weak.noise > strong.noise && strong.noise > 0);
    }

    #[test]
    fn a_node_limit_is_kept_exactly_by_one_thread() {
        let mut engine = Engine::default();
        for nodes in [1, 2, 100, 5_000] {
            assert_eq!(engine.search(Limits::nodes(nodes)).effort.nodes, nodes);
        }
    }

    #[test]
    fn a_soft_node_limit_finishes_the_iteration_under_way() {
        let mut engine = Engine::default();
        let soft = engine.search(Limits::soft_nodes(1_000));
        engine.new_game();
        let whole = engine.search(Limits::depth(soft.lines[0].depth));
        assert_eq!((soft.effort.nodes, soft.best_move()), (whole.effort.nodes, whole.best_move()));
        engine.new_game();
        let shallower = engine.search(Limits::depth(soft.lines[0].depth - 1));
        assert!(shallower.effort.nodes < 1_000 && whole.effort.nodes >= 1_000);
    }

    #[test]
    fn two_threads_search_and_agree_on_a_mate() {
        let mut engine = engine_at("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1");
        engine.set_option("Threads", "2").unwrap();
        engine.set_option("NullMove", "false").unwrap();
        let outcome = engine.search(Limits::depth(12));
        assert_eq!(outcome.score().and_then(|score| score.mate_in()), Some(2));
    }

    #[test]
    fn threads_come_and_go_between_searches() {
        let mut engine = Engine::default();
        let alone = engine.search(Limits::depth(6)).effort.nodes;
        for threads in ["5", "2", "9", "1"] {
            engine.set_option("Threads", threads).unwrap();
            assert!(engine.search(Limits::nodes(20_000)).best_move().is_some());
        }
        engine.new_game();
        assert_eq!(engine.search(Limits::depth(6)).effort.nodes, alone);
    }

    #[test]
    fn no_search_is_lost_between_threads() {
        let mut engine = Engine::default();
        for threads in ["8", "3", "16"] {
            engine.set_option("Threads", threads).unwrap();
            for nodes in 0..150 {
                let handle = engine.start(Search::new(Limits::nodes(1 + nodes)));
                if nodes % 3 == 0 {
                    handle.stop();
                }
                assert!(handle.wait().best_move().is_some());
            }
        }
    }

    #[test]
    fn many_threads_keep_the_clock() {
        let mut engine = Engine::default();
        engine.set_option("Threads", "64").unwrap();
        let limits = Limits { move_time: Some(Duration::from_millis(50)), ..Limits::default() };
        let mut took = || {
            let begin = std::time::Instant::now();
            engine.search(limits.clone());
            begin.elapsed()
        };
        // Others may be at work on this machine.
        let quickest = (0..5).map(|_| took()).min();
        assert!(quickest < Some(Duration::from_millis(150)), "{quickest:?}");
    }

    #[test]
    fn engines_side_by_side_do_not_disturb_each_other() {
        let alone = Engine::default().search(Limits::depth(7)).effort.nodes;
        let (mut one, mut other) = (Engine::default(), Engine::default());
        let endless = one.start(Search::new(Limits { infinite: true, ..Limits::default() }));
        let first = other.start(Search::new(Limits::depth(7)));
        assert!(one.is_searching());
        assert_eq!(first.wait().effort.nodes, alone);
        assert!(one.is_searching() && !other.is_searching());
        endless.stop();
        assert!(endless.wait().best_move().is_some());
    }

    #[test]
    fn a_search_whose_handle_is_dropped_ends() {
        let mut engine = Engine::default();
        drop(engine.start(Search::new(Limits { infinite: true, ..Limits::default() })));
        assert!(engine.search(Limits::depth(3)).best_move().is_some());
    }

    #[test]
    fn a_search_on_this_thread_is_the_same_and_over_at_once() {
        let alone = Engine::default().search(Limits::depth(7)).effort.nodes;
        let mut engine = Engine::default();
        let search = move || {
            let handle = engine.start(Search::new(Limits::depth(7)).on_this_thread());
            assert!(!engine.is_searching());
            handle.wait().effort.nodes
        };
        let thread = std::thread::Builder::new().stack_size(search::STACK).spawn(search).unwrap();
        assert_eq!(thread.join().unwrap(), alone);
    }
}
