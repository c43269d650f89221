//! One search: what its threads share.

use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::thread::available_parallelism;
use std::time::Duration;

use parking_lot::Mutex;

use super::control::Control;
use super::learned::Learned;
use super::report::{Effort, Line, Listener, Outcome, Report};
use super::settings::Rules;
use super::syzygy::{Ranking, Syzygy};
use super::time_manager::TimeManager;
use super::transposition_table::TranspositionTable;
use crate::board::Game;
use crate::limits::Limits;
use crate::score::Score;

/// Nodes between two looks at the stop flag when there are more threads than cores.
const CROWDED_POLL_INTERVAL: u64 = 64;

/// Cores to search on; finding out costs more than a short search may.
static CORES: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(1, NonZero::get));

/// Everything one search needs to know, shared by its threads.
pub(crate) struct Job {
    pub(super) game: Game,
    pub(super) limits: Limits,
    pub(super) rules: Rules,
    pub(super) tt: Arc<TranspositionTable>,
    pub(super) learned: Arc<Learned>,
    pub(super) syzygy: Option<Arc<Syzygy>>,
    /// What the endgame tables say of the root; asked by the thread that comes first.
    pub(super) ranking: OnceLock<Option<Ranking>>,
    pub(super) tb_hits: AtomicU64,
    pub(super) control: Arc<Control>,
    pub(super) time_manager: TimeManager,
    /// Nodes between two looks at the clock and the stop flag.
    pub(super) poll_interval: u64,
    pub(super) nodes: Vec<AtomicU64>,
    pub(super) listener: Mutex<Box<dyn Listener>>,
    /// The best line so far: the answer if the search dies.
    pub(super) best_line: Mutex<Option<Line>>,
    /// Panic on purpose, to show that a panic is contained.
    pub(super) panics: bool,
}

/// The tables that a search reads, some of which it writes.
pub(crate) struct Resources {
    /// The transposition table.
    pub tt: Arc<TranspositionTable>,
    /// What was learned off-line.
    pub learned: Arc<Learned>,
    /// Endgame tables, if there are any.
    pub syzygy: Option<Arc<Syzygy>>,
}

impl Job {
    /// A search of the game's position.
    pub(crate) fn new(
        game: Game,
        limits: Limits,
        rules: Rules,
        resources: Resources,
        listener: Box<dyn Listener>,
    ) -> Self {
        let Resources { tt, learned, syzygy } = resources;
        let time_manager = TimeManager::new(&limits, Duration::ZERO, false);
        Self {
            control: Arc::new(Control::new(&limits, time_manager.hard())),
            poll_interval: time_manager.poll_interval(),
            time_manager,
            nodes: vec![AtomicU64::new(0)],
            best_line: Mutex::new(None),
            panics: false,
            listener: Mutex::new(listener),
            learned,
            syzygy,
            ranking: OnceLock::new(),
            tb_hits: AtomicU64::new(0),
            game,
            limits,
            rules,
            tt,
        }
    }

    /// Searches with this many threads.
    pub(crate) fn with_threads(mut self, threads: usize) -> Self {
        self.nodes = (0..threads.max(1)).map(|_| AtomicU64::new(0)).collect();
        self.set_poll_interval();
        self
    }

    /// Reserves `overhead` on every move. With `ponder` a move may take longer, because some thinking happens on the
    /// opponent's time.
    pub(crate) fn with_overhead(mut self, overhead: Duration, ponder: bool) -> Self {
        self.time_manager = TimeManager::new(&self.limits, overhead, ponder);
        self.control = Arc::new(Control::new(&self.limits, self.time_manager.hard()));
        self.set_poll_interval();
        self
    }

    fn set_poll_interval(&mut self) {
        self.poll_interval = self.time_manager.poll_interval();
        if self.threads() > 1 && self.threads() > *CORES {
            // A thread waits for its turn then, and the answer waits for every thread.
            self.poll_interval = self.poll_interval.min(CROWDED_POLL_INTERVAL);
        }
    }

    /// Panics on purpose, for tests of panic containment.
    pub(crate) fn with_panic(mut self, panics: bool) -> Self {
        self.panics = panics;
        self
    }

    /// What stops it.
    pub(crate) fn control(&self) -> Arc<Control> {
        Arc::clone(&self.control)
    }

    /// The outcome of a search that failed: the best line so far, and why it failed.
    pub(crate) fn give_up(&self, why: &str) -> Outcome {
        let lines = self.fallback().into_iter().collect();
        Outcome { lines, effort: self.effort(), panicked: Some(why.to_owned()), ..Outcome::default() }
    }

    /// Tells the listener that it is over.
    pub(crate) fn finish(&self, outcome: Outcome) {
        self.tell(Report::Finished(Box::new(outcome)));
    }

    pub(super) fn threads(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn publish_nodes(&self, thread: usize, nodes: u64) {
        self.nodes[thread].store(nodes, Ordering::Relaxed);
    }

    pub(super) fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|nodes| nodes.load(Ordering::Relaxed)).sum()
    }

    pub(super) fn effort(&self) -> Effort {
        Effort {
            nodes: self.total_nodes(),
            time: self.control.elapsed(),
            hash_permille: self.tt.permille_used(),
            tb_hits: self.tb_hits.load(Ordering::Relaxed),
        }
    }

    pub(super) fn tell(&self, report: Report) {
        self.listener.lock().report(report);
    }

    /// Reports a line if the listener wants lines. If not, the numbers that go with it need not be collected.
    pub(super) fn tell_line(&self, line: &Line) {
        let mut listener = self.listener.lock();
        if listener.wants_lines() {
            listener.report(Report::Line(line.clone(), self.effort()));
        }
    }

    pub(super) fn set_best_line(&self, line: Line) {
        *self.best_line.lock() = Some(line);
    }

    /// The answer when nothing else is there: the best line so far, or any legal move.
    pub(crate) fn fallback(&self) -> Option<Line> {
        let best = self.best_line.lock().take();
        best.or_else(|| {
            let legal = self.game.position().legal_moves();
            let m = *self.limits.search_moves.first().or(legal.first())?;
            Some(Line::untested(m, Score::DRAW))
        })
    }

    /// Extends a line with moves from the hash table, where a cut-off ended it early: up to the mate it announces, or
    /// to the expected reply.
    pub(super) fn complete(&self, line: &mut Line) {
        let goal = match line.score.mate_in() {
            Some(moves) => (2 * moves.unsigned_abs() as usize).saturating_sub(usize::from(moves > 0)),
            None => 2,
        };
        if line.moves.len() >= goal || !self.rules.search.hash.is_used() {
            return;
        }
        let mut game = self.game.clone();
        for &m in &line.moves {
            game.play(m);
        }
        while line.moves.len() < goal && !game.is_over() {
            let entry = self.tt.probe(game.position().key());
            let Some(m) = entry.and_then(|entry| game.position().unpack(entry.best)) else { break };
            game.play(m);
            line.moves.push(m);
        }
    }
}
