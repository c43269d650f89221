//! The threads of a search: started, joined, and the best answer chosen among theirs.
//!
//! Lazy SMP: the threads share the hash table and nothing else; odd ones begin a ply deeper.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use super::job::Job;
use super::observer::{MethodCount, Observer};
use super::report::{Line, Outcome};
use super::searcher::{Searcher, ThreadData};
use crate::score::Score;

/// Searches with all threads, one for each thread data, and returns when the search is over and allowed to end.
/// The observers of all threads come back with what they saw.
pub fn run<O: Observer>(job: &Job, thread_data: &mut [ThreadData]) -> (Outcome, Vec<O>) {
    run_with(job, thread_data, O::default())
}

/// The same with this observer for the first thread; the others have default ones.
pub fn run_with<O: Observer>(job: &Job, thread_data: &mut [ThreadData], observer: O) -> (Outcome, Vec<O>) {
    job.tt.next_generation();
    let position = job.game.position();
    if position.legal_moves().is_empty() {
        wait_to_end(job);
        return (Outcome { effort: job.effort(), ..Outcome::default() }, Vec::new());
    }
    let (first, helpers) = thread_data.split_first_mut().expect("a search has at least one thread");
    let mut panicked = None;
    let mut finished: Vec<Finished<O>> = std::thread::scope(|scope| {
        let handles: Vec<_> = helpers
            .iter_mut()
            .enumerate()
            .filter_map(|(index, thread_data)| {
                std::thread::Builder::new()
                    .name(format!("search {}", index + 1))
                    .stack_size(STACK)
                    .spawn_scoped(scope, move || guarded(job, thread_data, index + 1, O::default()))
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
fn guarded<O: Observer>(job: &Job, thread_data: &mut ThreadData, thread: usize, observer: O) -> Finished<O> {
    let result = catch_unwind(AssertUnwindSafe(|| {
        assert!(!job.crash, "panic on purpose");
        let mut searcher = Searcher::new(job, thread_data, thread, observer);
        let lines = searcher.iterative_deepening();
        Finished { lines, observer: Some(searcher.into_observer()), panicked: None }
    }));
    result.unwrap_or_else(|payload| {
        thread_data.clear();
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

fn sum_counts<O: Observer>(observers: &[O]) -> Vec<MethodCount> {
    let mut sums: Vec<MethodCount> = Vec::new();
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
