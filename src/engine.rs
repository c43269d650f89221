//! The façade: a position, a hash table, options, and a search that can be started and stopped.
//!
//! ```
//! use espalier::{Engine, Limits};
//! let mut engine = Engine::default();
//! let outcome = engine.search(Limits::depth(4));
//! assert!(outcome.best_move().is_some());
//! ```

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use crate::board::Game;
use crate::eval::Weights;
use crate::limits::Limits;
use crate::options::{self, AssignError, Effect, Options, SetError};
use crate::search::observer::{Observer, Silent, Tally};
use crate::search::syzygy::Syzygy;
use crate::search::time_manager::Control;
use crate::search::transposition_table::{OutOfMemory, TranspositionTable};
use crate::search::{self, Job, Learned, Listener, Outcome, Report, Resources, Rules, ThreadData};
use crate::selective::extensions;
use crate::tree::{Keep, Recorder, Subject, Written};

/// How often a wait looks whether it should end.
const TICK: Duration = Duration::from_millis(10);

/// An engine; several may live side by side.
pub struct Engine {
    options: Options,
    game: Game,
    tt: Arc<TranspositionTable>,
    learned: Arc<Learned>,
    syzygy: Option<Arc<Syzygy>>,
    /// One per thread; away while a search runs.
    thread_data: Vec<ThreadData>,
    running: Option<RunningSearch>,
    count_methods: bool,
    crash_next: bool,
    record_next: Option<(PathBuf, Keep)>,
}

struct RunningSearch {
    control: Arc<Control>,
    handle: JoinHandle<(Outcome, Vec<ThreadData>)>,
    /// Hangs up when the search is over.
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
        Self {
            learned: Arc::new(learned),
            syzygy: syzygy.map(Arc::new),
            options,
            game: Game::default(),
            tt: Arc::new(tt),
            thread_data: Vec::new(),
            running: None,
            count_methods: false,
            crash_next: false,
            record_next: None,
        }
    }

    /// Looks up these learned tables instead of those that the options name, until an option that names one is set.
    pub fn use_learned(&mut self, learned: Arc<Learned>) {
        self.wait();
        self.learned = learned;
    }

    /// The weights of the evaluation.
    pub fn weights(&self) -> &Weights {
        &self.learned.weights
    }

    /// The options as they are.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The game as it is.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The endgame tables, if there are any.
    pub fn syzygy(&self) -> Option<&Arc<Syzygy>> {
        self.syzygy.as_ref()
    }

    /// A search is under way.
    pub fn is_searching(&self) -> bool {
        self.running.is_some()
    }

    /// Sets an option; on any error everything stays as it was. A file that is named again is read again.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.idle()?;
        let mut options = self.options.clone();
        options.set_and_load(name, value)?;
        let again = options::row(name).filter(|row| row.is_text()).map(|row| row.effect);
        let mut effects = self.options.effects(&options);
        effects.extend(again.filter(|effect| !effects.contains(effect)));
        self.change(options, &effects)
    }

    /// Sets all options; on any error everything stays as it was. What did not change is not touched.
    pub fn configure(&mut self, options: Options) -> Result<(), OptionError> {
        self.idle()?;
        let effects = self.options.effects(&options);
        self.change(options, &effects)
    }

    /// First everything that can go wrong, then what cannot.
    fn change(&mut self, options: Options, effects: &[Effect]) -> Result<(), OptionError> {
        let has = |effect: Effect| effects.contains(&effect);
        let tt = has(Effect::NewTable).then(|| TranspositionTable::new(options.hash as usize)).transpose()?;
        let learned = self.learned.reload(options.learned_files(), effects).map_err(OptionError::Learned)?;
        let syzygy = has(Effect::OpenSyzygy).then(|| load_syzygy(&options)).transpose()?;
        // Static values in the hash table are those of the evaluation that was.
        let forget = has(Effect::Forget) || learned.judge_otherwise(&self.learned);
        if effects.iter().any(|effect| effect.reads_learned()) {
            self.learned = Arc::new(learned);
        }
        if let Some(tt) = tt {
            self.tt = Arc::new(tt);
        }
        if let Some(syzygy) = syzygy {
            self.syzygy = syzygy;
        }
        if has(Effect::NewThreads) {
            self.thread_data.truncate(options.threads.max(1) as usize);
        }
        self.options = options;
        if forget {
            self.forget();
        }
        Ok(())
    }

    /// Sets the weights of the extensions, and whether there are any; no other option changes.
    pub fn set_extensions(&mut self, extensions: extensions::Settings) {
        self.wait();
        self.options.selective.extensions = extensions;
    }

    fn idle(&self) -> Result<(), OptionError> {
        if self.is_searching() { Err(OptionError::Busy) } else { Ok(()) }
    }

    /// A new game begins: nothing of the last one is remembered.
    pub fn new_game(&mut self) {
        self.wait();
        self.game = Game::default();
        self.forget();
    }

    fn forget(&mut self) {
        self.tt.clear();
        self.thread_data.iter_mut().for_each(ThreadData::clear);
    }

    /// The position to search and how it came about.
    pub fn set_game(&mut self, game: Game) {
        self.wait();
        self.game = game;
    }

    /// Count what the selective methods do in the searches to come.
    pub fn count_methods(&mut self, on: bool) {
        self.count_methods = on;
    }

    /// Let the next search panic, to show that a panic is contained.
    pub fn crash_next(&mut self) {
        self.crash_next = true;
    }

    /// Starts a search. The listener hears of lines while it runs and of its end.
    pub fn go(&mut self, limits: Limits, listener: impl Listener + 'static) {
        self.wait();
        let job = Arc::new(self.job(limits, Box::new(listener)));
        let mut thread_data = self.take_thread_data();
        let control = job.control();
        let count = self.count_methods;
        let recording = self.recording();
        let search = move |job: &Job, thread_data: &mut [ThreadData]| match recording {
            Some((path, keep, subject)) => record(job, thread_data, (&path, keep), &subject, count),
            None if count => search::run::<Tally>(job, thread_data).0,
            None => search::run::<Silent>(job, thread_data).0,
        };
        let job_of_thread = Arc::clone(&job);
        let (alive, over) = bounded::<()>(0);
        let started = std::thread::Builder::new()
            .name("search 0".to_owned())
            .stack_size(search::STACK)
            .spawn(move || {
                let job = job_of_thread;
                let outcome = catch_unwind(AssertUnwindSafe(|| search(&job, &mut thread_data)))
                    .unwrap_or_else(|_| job.give_up("panic outside the search threads"));
                job.finish(outcome.clone());
                drop(alive);
                (outcome, thread_data)
            });
        match started {
            Ok(handle) => self.running = Some(RunningSearch { control, handle, over }),
            Err(error) => job.finish(job.give_up(&format!("no thread could be started: {error}"))),
        }
    }

    /// Records the tree of the next search, whatever `TreeFile` says.
    pub fn record_next(&mut self, path: &Path, keep: Keep) {
        self.record_next = Some((path.to_owned(), keep));
    }

    /// Searches, records the tree in a file and says what became of it.
    pub fn record(&mut self, limits: Limits, path: &Path, keep: Keep) -> (Outcome, Result<Written, String>) {
        self.record_next(path, keep);
        let mut outcome = self.search(limits);
        let recorded = outcome.recorded.take();
        (outcome, recorded.unwrap_or_else(|| Err("nothing was recorded".to_owned())))
    }

    /// Where the next search is to be recorded, if anywhere.
    fn recording(&mut self) -> Option<(PathBuf, Keep, Subject)> {
        let asked = Some(&self.options.tree_file).filter(|path| !path.is_empty());
        let (path, keep) = self.record_next.take().or_else(|| Some((PathBuf::from(asked?), Keep::Last)))?;
        Some((path, keep, Subject::new(&self.game, &self.options)))
    }

    /// One search, ready to run.
    fn job(&mut self, limits: Limits, listener: Box<dyn Listener>) -> Job {
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
            .with_crash(std::mem::take(&mut self.crash_next))
    }

    fn take_thread_data(&mut self) -> Vec<ThreadData> {
        let mut thread_data = std::mem::take(&mut self.thread_data);
        thread_data.resize_with(self.options.threads.max(1) as usize, ThreadData::default);
        thread_data
    }

    /// Searches with an observer of the caller's choice, one per thread, and returns what they saw.
    pub fn search_watched<O: Observer>(&mut self, limits: Limits) -> (Outcome, Vec<O>) {
        self.wait();
        let job = self.job(limits, Box::new(()));
        let mut thread_data = self.take_thread_data();
        let run = || search::run::<O>(&job, &mut thread_data);
        let found = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(search::STACK).spawn_scoped(scope, run);
            thread.ok().and_then(|thread| thread.join().ok())
        });
        self.thread_data = thread_data;
        found.unwrap_or_else(|| (job.give_up("the search could not run"), Vec::new()))
    }

    /// Searches on this very thread, which must have a stack of [`search::STACK`]: for many short searches, where
    /// a thread for each would cost more than a little. Nothing but the limits ends it.
    pub fn search_here(&mut self, limits: Limits) -> Outcome {
        self.wait();
        let job = self.job(limits, Box::new(()));
        let mut thread_data = self.take_thread_data();
        let outcome = search::run::<Silent>(&job, &mut thread_data).0;
        self.thread_data = thread_data;
        outcome
    }

    /// A search for a mate must not trust bounds that a selective search left behind.
    fn tt_for(&self, limits: &Limits) -> Arc<TranspositionTable> {
        let fresh =
            limits.mate.and_then(|_| TranspositionTable::new(self.options.hash.min(64) as usize).ok());
        fresh.map_or_else(|| Arc::clone(&self.tt), Arc::new)
    }

    /// What `go` means under the options.
    fn resolve(&self, mut limits: Limits) -> (Limits, Rules) {
        let mut rules = self.options.rules(limits.mate.is_some());
        if self.options.limit_strength && !self.options.analyse_mode {
            let handicap = Handicap::of(self.options.elo);
            limits.nodes = Some(limits.nodes.unwrap_or(u64::MAX).min(handicap.nodes));
            rules.noise = handicap.noise;
        }
        (limits, rules)
    }

    /// Ends the search soon; [`wait`](Self::wait) for its outcome.
    pub fn stop(&self) {
        if let Some(running) = &self.running {
            running.control.stop();
            running.handle.thread().unpark();
        }
    }

    /// The move pondered on was played.
    pub fn ponder_hit(&self) {
        if let Some(running) = &self.running {
            running.control.ponder_hit();
            running.handle.thread().unpark();
        }
    }

    /// Waits for the end of the search, and ends it when `stop` is raised.
    pub fn wait_or(&mut self, stop: &AtomicBool) -> Option<Outcome> {
        while let Some(running) = &self.running
            && running.over.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout)
        {
            if stop.load(Ordering::Relaxed) {
                self.stop();
            }
        }
        self.wait()
    }

    /// Waits for the end of the search, if there is one.
    pub fn wait(&mut self) -> Option<Outcome> {
        let running = self.running.take()?;
        match running.handle.join() {
            Ok((outcome, thread_data)) => {
                self.thread_data = thread_data;
                Some(outcome)
            }
            Err(_) => None,
        }
    }

    /// Searches and returns the outcome.
    pub fn search(&mut self, limits: Limits) -> Outcome {
        self.go(limits, |_: Report| {});
        self.wait().unwrap_or_default()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
        self.wait();
    }
}

/// The endgame tables that the options name.
fn load_syzygy(options: &Options) -> Result<Option<Arc<Syzygy>>, OptionError> {
    let found = Syzygy::load(&options.syzygy.path).map_err(OptionError::Syzygy)?;
    Ok(found.map(Arc::new))
}

/// Searches and writes the tree; if it cannot be written, the search is as good as any other.
fn record(
    job: &Job,
    thread_data: &mut [ThreadData],
    (path, keep): (&Path, Keep),
    subject: &Subject,
    count: bool,
) -> Outcome {
    let (recorder, refused) = match Recorder::new(path, keep) {
        Ok(recorder) => (recorder, None),
        Err(error) => (Recorder::default(), Some(format!("no recording: {}: {error}", path.display()))),
    };
    let (mut outcome, recorders) = search::run_with(job, thread_data, recorder);
    let recorded = match (refused, recorders.into_iter().next()) {
        (Some(refused), _) => Err(refused),
        (None, Some(recorder)) => recorder.finish(subject),
        (None, None) => Err("the search ended without a tree".to_owned()),
    };
    outcome.recorded = Some(recorded);
    if !count {
        outcome.counts.clear();
    }
    outcome
}

/// How the engine plays below its strength: fewer nodes, and values that are off.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Handicap {
    nodes: u64,
    noise: i32,
}

impl Handicap {
    /// A doubling of nodes for every 100 Elo above 1000, and misjudgement below 2200.
    fn of(elo: i32) -> Self {
        let doublings = f64::from(elo - 1000) / 100.0;
        Self { nodes: (150.0 * doublings.exp2()) as u64, noise: ((2200 - elo) / 6).max(0) }
    }
}

/// Why an option was not set.
#[derive(Debug)]
pub enum OptionError {
    /// The table of options refuses it.
    Refused(SetError),
    /// There is not enough memory for the hash table.
    Memory(OutOfMemory),
    /// A learned table cannot be read.
    Learned(String),
    /// Endgame tables cannot be found.
    Syzygy(String),
    /// A file of settings cannot be used; why.
    File(String),
    /// Not while a search runs.
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

impl From<OutOfMemory> for OptionError {
    fn from(error: OutOfMemory) -> Self {
        Self::Memory(error)
    }
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::File(error) => write!(f, "{error}; all options are as they were"),
            Self::Learned(error) => write!(f, "{error}; the old table is kept"),
            Self::Syzygy(error) => write!(f, "{error}; the endgame tables are as they were"),
            Self::Memory(error) => write!(f, "{error}, the old one is kept"),
            Self::Busy => write!(f, "an option cannot be set while a search runs"),
        }
    }
}

impl std::error::Error for OptionError {}

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
        engine.go(Limits { infinite: true, ..Limits::default() }, ());
        assert!(matches!(engine.set_option("Hash", "2"), Err(OptionError::Busy)));
        engine.stop();
        assert!(engine.wait().unwrap().best_move().is_some());
    }

    #[test]
    fn a_panic_in_the_search_is_contained_and_answered() {
        let mut engine = Engine::default();
        engine.crash_next();
        let outcome = engine.search(Limits::depth(3));
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
    fn a_hash_size_that_cannot_be_had_keeps_the_old_table() {
        let mut engine = Engine::default();
        assert!(matches!(engine.set_option("Hash", "1048576"), Err(OptionError::Memory(_))));
        assert_eq!(engine.options().hash, 16);
    }

    #[test]
    fn strength_grows_with_elo() {
        let weak = Handicap::of(1000);
        let strong = Handicap::of(2600);
        assert!(weak.nodes < strong.nodes && weak.noise > strong.noise);
        assert_eq!(strong.noise, 0);
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
        let outcome = engine.search(Limits::depth(8));
        assert_eq!(outcome.score().and_then(|score| score.mate_in()), Some(2));
    }
}
