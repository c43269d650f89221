//! Iterative deepening and what surrounds it: aspiration, MTD(f), several lines, several threads.
//!
//! [`run`] searches a [`Job`] with all its threads and returns an [`Outcome`]. It never prints; what it
//! finds on the way goes to a [`Listener`].

pub mod clockwork;
mod correction;
mod ends;
mod gate;
pub mod history;
mod judgement;
mod node;
pub mod observer;
mod pages;
pub mod picker;
mod probes;
mod quiescence;
mod recursion;
pub mod report;
mod root;
mod searcher;
mod settings;
mod steps;
pub mod table;
mod tablebase;
mod tables;
pub mod visit;

pub use report::{Effort, Line, Listener, Outcome, Report, Share, Statistics, Written};
pub use searcher::Memory;
pub use settings::{Algorithm, HashUse, ROWS, Rules, Settings};

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use clockwork::{Clockwork, Control, Progress};
use observer::{Count, Observer};
use searcher::Searcher;
use table::Table;
pub use tables::Tables;

use crate::limits::Limits;
use crate::position::Game;
use crate::score::{Bound, MAX_PLY, Score, Window};
use crate::tablebase::{Ranking, Tablebase};

/// The search was told to end; values on the way up mean nothing any more.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

/// The deepest iteration.
pub const MAX_DEPTH: i32 = MAX_PLY as i32 / 2;

/// Everything one search needs to know, shared by its threads.
pub struct Job {
    game: Game,
    limits: Limits,
    rules: Rules,
    table: Arc<Table>,
    tables: Arc<Tables>,
    tablebase: Option<Arc<Tablebase>>,
    /// What the endgame tables say of the root; asked by the thread that comes first.
    ranking: OnceLock<Option<Ranking>>,
    table_hits: AtomicU64,
    control: Arc<Control>,
    clockwork: Clockwork,
    nodes: Vec<AtomicU64>,
    listener: Mutex<Box<dyn Listener>>,
    /// The best line so far: the answer if the search dies.
    known: Mutex<Option<Line>>,
    /// Panic on purpose, to show that a panic is contained.
    crash: bool,
}

/// What a search looks things up in.
pub struct Resources {
    /// The hash table.
    pub table: Arc<Table>,
    /// What was learned off-line.
    pub tables: Arc<Tables>,
    /// Endgame tables, if there are any.
    pub tablebase: Option<Arc<Tablebase>>,
}

impl Job {
    /// A search of the game's position.
    pub fn new(
        game: Game,
        limits: Limits,
        rules: Rules,
        resources: Resources,
        listener: Box<dyn Listener>,
    ) -> Self {
        let Resources { table, tables, tablebase } = resources;
        Self {
            control: Arc::new(Control::new(&limits)),
            clockwork: Clockwork::new(&limits, Duration::ZERO, false),
            nodes: vec![AtomicU64::new(0)],
            known: Mutex::new(None),
            crash: false,
            listener: Mutex::new(listener),
            tables,
            tablebase,
            ranking: OnceLock::new(),
            table_hits: AtomicU64::new(0),
            game,
            limits,
            rules,
            table,
        }
    }

    /// With so many threads.
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.nodes = (0..threads.max(1)).map(|_| AtomicU64::new(0)).collect();
        self
    }

    /// With time kept back for the way to the clock, and perhaps pondering.
    pub fn with_overhead(mut self, overhead: Duration, ponder: bool) -> Self {
        self.clockwork = Clockwork::new(&self.limits, overhead, ponder);
        self
    }

    /// With a panic on purpose.
    pub fn with_crash(mut self, crash: bool) -> Self {
        self.crash = crash;
        self
    }

    /// The handle that stops it.
    pub fn control(&self) -> Arc<Control> {
        Arc::clone(&self.control)
    }

    /// What is left to say when the search itself cannot.
    pub fn give_up(&self, why: &str) -> Outcome {
        let lines = self.fallback().into_iter().collect();
        Outcome { lines, effort: self.effort(), panicked: Some(why.to_owned()), ..Outcome::default() }
    }

    /// Tells the listener that it is over.
    pub fn finish(&self, outcome: Outcome) {
        self.tell(Report::Finished(Box::new(outcome)));
    }

    fn threads(&self) -> usize {
        self.nodes.len()
    }

    fn publish_nodes(&self, thread: usize, nodes: u64) {
        self.nodes[thread].store(nodes, Ordering::Relaxed);
    }

    fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|nodes| nodes.load(Ordering::Relaxed)).sum()
    }

    fn effort(&self) -> Effort {
        Effort {
            nodes: self.total_nodes(),
            time: self.control.elapsed(),
            hash_permille: self.table.permille_used(),
            table_hits: self.table_hits.load(Ordering::Relaxed),
        }
    }

    fn tell(&self, report: Report) {
        self.listener.lock().unwrap_or_else(PoisonError::into_inner).report(report);
    }

    /// Tells of a line, if anybody wants to know: what it cost is work to find out.
    fn tell_line(&self, line: &Line) {
        let mut listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        if listener.wants_lines() {
            listener.report(Report::Line(line.clone(), self.effort()));
        }
    }

    fn set_known(&self, line: Line) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(line);
    }

    /// The answer when nothing else is there: the best line so far, or any legal move.
    pub fn fallback(&self) -> Option<Line> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).take();
        known.or_else(|| {
            let legal = self.game.position().legal_moves();
            let m = *self.limits.search_moves.first().or(legal.first())?;
            Some(Line::untested(m, Score::DRAW))
        })
    }

    /// Lengthens a line from the hash table where the search left only its first moves: to the mate it
    /// announces, or to the reply it expects.
    fn complete(&self, line: &mut Line) {
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
            let entry = self.table.probe(game.position().key());
            let Some(m) = entry.and_then(|entry| game.position().unpack(entry.best)) else { break };
            game.play(m);
            line.moves.push(m);
        }
    }
}

/// Searches with all threads, one per memory, and returns when the search is over and allowed to end.
/// The observers of all threads come back with what they saw.
pub fn run<O: Observer>(job: &Job, memories: &mut [Memory]) -> (Outcome, Vec<O>) {
    run_with(job, memories, O::default())
}

/// The same with this observer for the first thread; the others have default ones.
pub fn run_with<O: Observer>(job: &Job, memories: &mut [Memory], observer: O) -> (Outcome, Vec<O>) {
    job.table.next_generation();
    let position = job.game.position();
    if position.legal_moves().is_empty() {
        wait_to_end(job);
        return (Outcome { effort: job.effort(), ..Outcome::default() }, Vec::new());
    }
    let (first, helpers) = memories.split_first_mut().expect("a search has at least one thread");
    let mut panicked = None;
    let mut finished: Vec<Finished<O>> = std::thread::scope(|scope| {
        let handles: Vec<_> = helpers
            .iter_mut()
            .enumerate()
            .filter_map(|(index, memory)| {
                std::thread::Builder::new()
                    .name(format!("search {}", index + 1))
                    .stack_size(STACK)
                    .spawn_scoped(scope, move || guarded(job, memory, index + 1, O::default()))
                    .inspect_err(|error| log::error!("a search thread could not start: {error}"))
                    .ok()
            })
            .collect();
        let main = guarded(job, first, 0, observer);
        wait_to_end(job);
        job.control.stop();
        let others = handles.into_iter().filter_map(|handle| handle.join().ok());
        std::iter::once(main).chain(others.collect::<Vec<_>>()).collect()
    });
    for result in &mut finished {
        panicked = panicked.or(result.panicked.take());
    }
    let observers: Vec<O> = finished.iter_mut().filter_map(|result| result.observer.take()).collect();
    let counts = sum_counts(&observers);
    let silent = finished.first().is_none_or(|main| main.lines.is_empty());
    let mut lines = best_of(finished.into_iter().map(|result| result.lines));
    if lines.is_empty() {
        lines.extend(job.fallback());
    } else if silent && let Some(first) = job.fallback() {
        // Clients expect the lines to begin with depth 1, and only the first thread tells of them.
        job.tell_line(&first);
    }
    // The last word is exact and begins with the move to play, whatever was told before.
    for line in &mut lines {
        job.complete(line);
        job.tell_line(line);
    }
    (Outcome { lines, effort: job.effort(), counts, panicked, ..Outcome::default() }, observers)
}

/// Recursion frames are large and paths long.
pub const STACK: usize = 32 << 20;

/// An open search, and one on the opponent's time, does not end by itself.
fn wait_to_end(job: &Job) {
    // A limit that was reached ends the search, not the waiting.
    while !job.control.stopped() && (job.limits.is_open() || job.control.pondering()) {
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// What one thread brought home.
struct Finished<O> {
    lines: Vec<Line>,
    observer: Option<O>,
    panicked: Option<String>,
}

/// One thread's deepening; a panic in it becomes a message.
fn guarded<O: Observer>(job: &Job, memory: &mut Memory, thread: usize, observer: O) -> Finished<O> {
    let result = catch_unwind(AssertUnwindSafe(|| {
        assert!(!job.crash, "panic on purpose");
        let mut searcher = Searcher::new(job, memory, thread, observer);
        let lines = searcher.deepen();
        Finished { lines, observer: Some(searcher.into_observer()), panicked: None }
    }));
    result.unwrap_or_else(|payload| {
        memory.clear();
        let text = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned());
        let panicked = Some(text.unwrap_or_else(|| "unknown panic".to_owned()));
        Finished { lines: Vec::new(), observer: None, panicked }
    })
}

/// A forced win, the shorter the better, or nothing.
fn winning_mate(line: &Line) -> Option<Score> {
    (line.score.is_mate() && line.score > Score::DRAW).then_some(line.score)
}

/// The lines of the thread that found a mate, or looked deepest; the first thread's among equals.
fn best_of(found: impl Iterator<Item = Vec<Line>>) -> Vec<Line> {
    let mut best: Vec<Line> = Vec::new();
    for lines in found {
        let worth = |lines: &[Line]| lines.first().map(|line| (winning_mate(line), line.depth, line.score));
        if worth(&lines) > worth(&best) {
            best = lines;
        }
    }
    best
}

fn sum_counts<O: Observer>(observers: &[O]) -> Vec<Count> {
    let mut sums: Vec<Count> = Vec::new();
    for count in observers.iter().flat_map(Observer::counts) {
        match sums.iter_mut().find(|sum| sum.method == count.method) {
            Some(sum) => {
                sum.attempts += count.attempts;
                sum.successes += count.successes;
                sum.nodes += count.nodes;
            }
            None => sums.push(count),
        }
    }
    sums
}

impl<O: Observer> Searcher<'_, O> {
    /// Searches deeper and deeper until a limit is reached; returns the best lines of the last complete
    /// iteration, or of the one under way where it has found something better.
    fn deepen(&mut self) -> Vec<Line> {
        self.collect_root_moves();
        let last = self.last_depth();
        let first = if self.rules.search.iterative || self.job.limits.depth.is_none() {
            1 + (self.thread as i32 & 1).min(last - 1)
        } else {
            last
        };
        let mut lines: Vec<Line> = Vec::new();
        let mut values = [Score::DRAW; 2];
        let mut progress = Progress::default();
        self.know_something();
        for depth in first..=last {
            self.observer.iteration_begins(depth);
            let complete = self.iterate(depth, &mut values, &mut lines);
            self.observer.iteration_ends(complete.is_ok().then_some(values[1]));
            self.job.publish_nodes(self.thread, self.nodes);
            if complete.is_ok() {
                self.observer.iterated(depth);
            }
            if complete.is_err() || self.satisfied(depth, &lines, &mut progress, &values) {
                break;
            }
        }
        lines
    }

    /// Before any clock is looked at: the first move of the order, with the static value.
    fn know_something(&mut self) {
        if let Some(root_move) = self.root_moves.first().filter(|_| self.thread == 0) {
            let m = root_move.m;
            let value = self.evaluate(self.job.game.position());
            self.job.set_known(Line::untested(m, value));
        }
    }

    fn last_depth(&self) -> i32 {
        let by_mate = self.job.limits.mate.map(|moves| moves.saturating_mul(2).saturating_sub(1));
        let asked = self.job.limits.depth.into_iter().chain(by_mate).min();
        asked.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH)
    }

    /// One iteration: every line of the root once.
    fn iterate(&mut self, depth: i32, values: &mut [Score; 2], lines: &mut Vec<Line>) -> Result<(), Stopped> {
        let wanted = self.rules.multi_pv.min(self.root_moves.len());
        let single = wanted == 1;
        let mut found: Vec<Line> = Vec::with_capacity(wanted);
        for index in 0..wanted {
            let guess = if index == 0 { self.guess(values) } else { self.root_moves[index].previous };
            let value = self.aspire(guess, depth, index, &mut |searcher, line| {
                // A better move counts at once when there is only one line to show.
                if single && line.bound == Bound::Exact {
                    searcher.publish(&line);
                    *lines = vec![line];
                } else if single && !line.score.is_mate() {
                    // Proved better than the rest, if not by how much. A mate waits for its whole line.
                    *lines = vec![Line { bound: Bound::Exact, ..line }];
                }
            })?;
            if index == 0 {
                *values = [values[1], value];
            }
            found.push(self.line(index, depth, Bound::Exact));
        }
        // Searching one line can change what another is worth: show them in order.
        found.sort_by_key(|line| std::cmp::Reverse(line.score));
        self.root_moves[..wanted].sort_by_key(|root| std::cmp::Reverse(root.score));
        for root_move in &mut self.root_moves {
            root_move.previous = root_move.score;
        }
        for (index, line) in found.iter_mut().enumerate() {
            line.rank = index + 1;
            self.job.complete(line);
            self.publish(line);
        }
        *lines = found;
        Ok(())
    }

    /// The value to expect: the last one, or that of two iterations ago if odd and even differ much.
    fn guess(&self, values: &[Score; 2]) -> Score {
        let odd_even = (values[1] - values[0]).abs() > 50 && !values[0].is_mate() && values[0] != Score::DRAW;
        if self.rules.search.algorithm == Algorithm::Mtd && odd_even { values[0] } else { values[1] }
    }

    /// The value of the root, found through narrower windows first where the rules say so.
    fn aspire(
        &mut self,
        guess: Score,
        depth: i32,
        from: usize,
        improved: &mut dyn FnMut(&mut Self, Line),
    ) -> Result<Score, Stopped> {
        if self.rules.search.algorithm == Algorithm::Mtd {
            return self.mtd(guess, depth, from, improved);
        }
        let narrow = self.rules.aspiration > 0
            && depth >= 4
            && !guess.is_mate()
            && guess != -Score::INFINITE
            && self.rules.search.algorithm != Algorithm::Minimax;
        let mut radius = self.rules.aspiration;
        let mut window = if narrow { Window::around(guess, radius) } else { Window::FULL };
        loop {
            let value = self.search_root(window, depth, from, improved)?;
            let bound = Bound::of(value, window);
            if bound == Bound::Exact || window == Window::FULL {
                return Ok(value);
            }
            self.tell_bound(depth, from, bound, value);
            radius = radius.saturating_mul(3);
            if radius > 500 || value.is_mate() {
                window = Window::FULL;
            } else if bound == Bound::Upper {
                window =
                    Window { alpha: Window::around(value, radius).alpha, beta: window.beta.min(value + 1) };
            } else {
                window =
                    Window { alpha: window.alpha.max(value - 1), beta: Window::around(value, radius).beta };
            }
        }
    }

    /// MTD(f), thesis algorithm 8: minimal windows around a guess until the bounds meet. A step above 1
    /// (Mulan) takes larger strides until the value is enclosed, then halves what is left.
    fn mtd(
        &mut self,
        guess: Score,
        depth: i32,
        from: usize,
        improved: &mut dyn FnMut(&mut Self, Line),
    ) -> Result<Score, Stopped> {
        let step = self.rules.search.mtd_step;
        let (mut low, mut high) = (-Score::INFINITE, Score::INFINITE);
        let mut beta = if guess == -Score::INFINITE { Score::DRAW } else { guess };
        while low < high {
            let value = self.search_root(Window::minimal(beta), depth, from, improved)?;
            if value < beta {
                high = value;
            } else {
                low = value;
            }
            let enclosed = low > -Score::INFINITE && high < Score::INFINITE;
            let next = match (value < beta, step > 1 && enclosed) {
                (_, true) => low + (high - low + 1) / 2,
                (true, false) => value - (step - 1),
                (false, false) => value + step,
            };
            beta = next.max(low + 1).min(high.max(low + 1));
        }
        self.root_moves[from].score = low;
        let mut line = self.line(from, depth, Bound::Exact);
        self.job.complete(&mut line);
        improved(self, line);
        Ok(low)
    }

    /// Tells the listener of an exact line.
    fn publish(&mut self, line: &Line) {
        if self.thread == 0 {
            self.job.publish_nodes(0, self.nodes);
            if line.rank == 1 {
                self.job.set_known(line.clone());
                if line.moves.first().is_some_and(|m| self.job.limits.until.contains(m)) {
                    self.stop_here();
                }
            }
            self.job.tell_line(line);
        }
    }

    /// In a long search, tells of a value outside the window.
    fn tell_bound(&mut self, depth: i32, index: usize, bound: Bound, value: Score) {
        let known = self.root_moves[index].known.is_some();
        if self.thread == 0 && self.rules.multi_pv == 1 && !known && self.job.control.elapsed().as_secs() >= 1
        {
            self.job.publish_nodes(0, self.nodes);
            self.job.tell_line(&Line { score: value, ..self.line(index, depth, bound) });
        }
    }

    /// A limit other than nodes and time is reached, or there is not enough time for more.
    fn satisfied(&self, depth: i32, lines: &[Line], progress: &mut Progress, values: &[Score; 2]) -> bool {
        if self.thread != 0 {
            return self.job.control.is_over();
        }
        let Some(best) = lines.first() else { return true };
        let mate = best.score.mate_in();
        if let (Some(wanted), Some(found)) = (self.job.limits.mate, mate)
            && found > 0
            && found <= wanted
        {
            return true;
        }
        if self.job.limits.soft_nodes.is_some_and(|limit| self.nodes >= limit) {
            return true;
        }
        let nodes = self.root_moves.first().map_or(0, |root| root.nodes);
        progress.record_best(best.moves.first().copied());
        progress.drop = if values[0].is_mate() { 0 } else { values[0] - values[1] };
        progress.best_share = nodes as f64 / self.nodes.max(1) as f64;
        if self.job.clockwork.is_timed()
            && self.job.limits.move_time.is_none()
            && !self.job.control.pondering()
        {
            // One legal move, or a mate that a deeper search cannot shorten: do not waste the clock.
            let forced = self.root_moves.len() == 1 && depth >= 6;
            let proven = mate.is_some_and(|moves| 2 * moves.abs() + 2 <= depth);
            if forced || proven {
                return true;
            }
        }
        self.job.clockwork.enough(&self.job.control, progress)
    }
}
