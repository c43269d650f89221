//! The threads of one search: who takes part, and the best answer among theirs.
//!
//! Lazy SMP: the threads share the hash table and nothing else; odd ones begin a ply deeper. The first thread begins
//! at once and waits for no other. Each of the others wakes two more before it searches, so that none spends long
//! on waking; one that wakes when the search is over takes no part in it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Sender, bounded};
use parking_lot::{Condvar, Mutex};

use super::job::Job;
use super::observer::{MethodCount, Observer};
use super::pool::{ThreadPool, Workers};
use super::report::{Line, Outcome};
use super::request::{Conclusion, Handle};
use super::searcher::{Searcher, ThreadData};
use crate::score::Score;

/// What the first thread of a search needs besides the job.
pub(crate) struct MainTask<O> {
    pub observer: O,
    pub conclusion: Option<Conclusion<O>>,
    /// Dropped when the search is over.
    pub running: Sender<()>,
    pub on_this_thread: bool,
}

/// Starts a search on the threads of the pool.
pub(crate) fn start<O: Observer + 'static>(pool: &mut ThreadPool, job: Job, main: MainTask<O>) -> Handle<O> {
    job.tt.next_generation();
    let workers = pool.workers(job.threads());
    let team = Arc::new(Team { job, members: Mutex::default(), left: Condvar::new() });
    let (sender, results) = bounded(1);
    let handle = Handle::new(team.job.control(), results);
    if main.on_this_thread {
        wake_helper(&team, &workers, 1);
        workers[0].lend(|data| main.run(&team, data, &sender));
        return handle;
    }
    let (its_team, its_sender) = (Arc::clone(&team), sender.clone());
    match workers[0].give(Box::new(move |data| main.run(&its_team, data, &its_sender))) {
        Ok(()) => wake_helper(&team, &workers, 1),
        Err(error) => {
            let outcome = team.job.give_up(&format!("no thread could be started: {error}"));
            team.job.finish(outcome.clone());
            let _ = sender.send((outcome, Vec::new()));
        }
    }
    handle
}

impl<O: Observer> MainTask<O> {
    /// Searches, tells that it is over, and hands in the results.
    fn run(self, team: &Team<O>, data: &mut ThreadData, results: &Sender<(Outcome, Vec<O>)>) {
        let Self { observer, conclusion, running, .. } = self;
        let found = catch_unwind(AssertUnwindSafe(|| {
            let (mut outcome, mut observers) = team.search(data, observer);
            if let Some(conclude) = conclusion {
                conclude(&mut outcome, &mut observers);
            }
            (outcome, observers)
        }));
        let (outcome, observers) = found.unwrap_or_else(|_| {
            team.job.control.stop();
            (team.job.give_up("panic outside the search threads"), Vec::new())
        });
        // The listener may start the next search as soon as it learns of the end.
        drop(running);
        team.job.finish(outcome.clone());
        // The handle may be gone.
        let _ = results.send((outcome, observers));
    }
}

/// Wakes a helper thread, which wakes two more, unless the search is over.
fn wake_helper<O: Observer + 'static>(team: &Arc<Team<O>>, workers: &Workers, index: usize) {
    let Some(worker) = workers.get(index).filter(|_| !team.job.control.is_over()) else { return };
    let (its_team, others) = (Arc::clone(team), Arc::clone(workers));
    let help = move |data: &mut ThreadData| {
        for next in [2 * index, 2 * index + 1] {
            wake_helper(&its_team, &others, next);
        }
        its_team.help(data, index);
    };
    if let Err(error) = worker.give(Box::new(help)) {
        log::error!("a search thread could not start: {error}");
    }
}

/// How long the answer waits for other threads while a clock runs …
const LONGEST_WAIT: Duration = Duration::from_millis(2);
/// … and after a `stop` without a clock, where what they found still counts for more than a moment does.
const LONGEST_WAIT_AFTER_STOP: Duration = Duration::from_millis(50);

/// The threads that take part in a search.
struct Team<O> {
    job: Job,
    members: Mutex<Members<O>>,
    left: Condvar,
}

struct Members<O> {
    /// No more threads may join.
    closed: bool,
    searching: usize,
    /// Results of the threads that are done, by number of the thread.
    finished: Vec<(usize, Finished<O>)>,
}

impl<O> Default for Members<O> {
    fn default() -> Self {
        Self { closed: false, searching: 0, finished: Vec::new() }
    }
}

impl<O: Observer> Team<O> {
    /// The first thread's part: returns when the search is over and allowed to end. The observers of all threads
    /// come back with what they saw.
    fn search(&self, data: &mut ThreadData, observer: O) -> (Outcome, Vec<O>) {
        let job = &self.job;
        if job.game.position().legal_moves().is_empty() {
            job.control.wait_to_end(job.limits.is_open());
            return (Outcome { effort: job.effort(), ..Outcome::default() }, Vec::new());
        }
        let main = guarded(job, data, 0, observer);
        // A limit that was reached ends the search, not the waiting.
        job.control.wait_to_end(job.limits.is_open());
        let longest = self.longest_wait();
        job.control.stop();
        let mut finished = self.close(longest);
        finished.insert(0, main);
        self.summarise(finished)
    }

    /// The part of a helper thread.
    fn help(&self, data: &mut ThreadData, index: usize) {
        if self.job.control.is_over() || self.job.game.position().legal_moves().is_empty() {
            return;
        }
        {
            let mut members = self.members.lock();
            if members.closed {
                return;
            }
            members.searching += 1;
        }
        let finished = guarded(&self.job, data, index, O::default());
        let mut members = self.members.lock();
        members.searching -= 1;
        members.finished.push((index, finished));
        drop(members);
        self.left.notify_one();
    }

    /// How long the answer waits for the other threads. Where someone waits for it the wait is short: with more threads
    /// than cores the last of them may see the stop flag a long time after.
    fn longest_wait(&self) -> Duration {
        match (self.job.control.on_clock(), self.job.control.stopped()) {
            (true, _) => LONGEST_WAIT,
            (false, true) => LONGEST_WAIT_AFTER_STOP,
            (false, false) => Duration::MAX,
        }
    }

    /// Waits for the threads that take part; what they found, in the order of the threads.
    fn close(&self, longest: Duration) -> Vec<Finished<O>> {
        let mut members = self.members.lock();
        members.closed = true;
        self.left.wait_while_for(&mut members, |members| members.searching > 0, longest);
        let mut finished = std::mem::take(&mut members.finished);
        finished.sort_by_key(|(index, _)| *index);
        finished.into_iter().map(|(_, finished)| finished).collect()
    }

    /// The answer of all threads together; its lines are reported once more.
    fn summarise(&self, mut finished: Vec<Finished<O>>) -> (Outcome, Vec<O>) {
        let job = &self.job;
        let panicked = finished.iter_mut().find_map(|result| result.panicked.take());
        let observers: Vec<O> = finished.iter_mut().filter_map(|result| result.observer.take()).collect();
        let counts = sum_counts(&observers);
        let silent = finished.first().is_none_or(|main| main.lines.is_empty());
        let mut lines = best_of(finished.into_iter().map(|result| result.lines));
        if lines.is_empty() {
            lines.extend(job.fallback());
        } else if silent && let Some(first) = job.fallback() {
            // Clients expect the lines to begin with depth 1, and only the first thread reports them.
            job.tell_line(&first);
        }
        // The last lines reported are exact, and the first begins with the move to play.
        for line in &mut lines {
            job.complete(line);
            job.tell_line(line);
        }
        (Outcome { lines, effort: job.effort(), counts, panicked, ..Outcome::default() }, observers)
    }
}

/// What one thread found.
struct Finished<O> {
    lines: Vec<Line>,
    observer: Option<O>,
    panicked: Option<String>,
}

/// One thread's deepening; a panic in it becomes a message.
fn guarded<O: Observer>(job: &Job, thread_data: &mut ThreadData, thread: usize, observer: O) -> Finished<O> {
    let result = catch_unwind(AssertUnwindSafe(|| {
        assert!(!job.panics, "panic on purpose");
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Game;
    use crate::limits::Limits;
    use crate::options::Options;
    use crate::search::observer::Silent;
    use crate::search::transposition_table::TranspositionTable;
    use crate::search::{Learned, Resources};

    fn team(limits: Limits) -> Team<Silent> {
        let resources = Resources {
            tt: Arc::new(TranspositionTable::new(1).unwrap()),
            learned: Arc::new(Learned::default()),
            syzygy: None,
        };
        let rules = Options::default().rules(false);
        let job = Job::new(Game::default(), limits, rules, resources, Box::new(())).with_threads(3);
        Team { job, members: Mutex::default(), left: Condvar::new() }
    }

    #[test]
    fn who_comes_in_time_takes_part_and_is_waited_for() {
        let team = team(Limits::depth(2));
        team.help(&mut ThreadData::default(), 2);
        team.help(&mut ThreadData::default(), 1);
        let finished = team.close(team.longest_wait());
        assert_eq!(finished.len(), 2);
        assert!(finished.iter().all(|finished| !finished.lines.is_empty()));
    }

    #[test]
    fn who_does_not_get_a_turn_is_not_waited_for_on_a_clock() {
        let team = Arc::new(team(Limits { move_time: Some(Duration::from_millis(50)), ..Limits::default() }));
        // Somebody takes part and sleeps.
        team.members.lock().searching = 1;
        let begin = std::time::Instant::now();
        assert!(team.close(team.longest_wait()).is_empty());
        assert!(begin.elapsed() >= LONGEST_WAIT);
        let stopped = self::team(Limits { infinite: true, ..Limits::default() });
        stopped.members.lock().searching = 1;
        stopped.job.control.stop();
        assert!(stopped.close(stopped.longest_wait()).is_empty(), "nor after a stop");
        let patient = Arc::new(self::team(Limits::depth(2)));
        patient.members.lock().searching = 1;
        let late = Arc::clone(&patient);
        let sleeper = std::thread::spawn(move || {
            std::thread::sleep(10 * LONGEST_WAIT);
            late.members.lock().searching = 0;
            late.left.notify_one();
        });
        let begin = std::time::Instant::now();
        patient.close(patient.longest_wait());
        assert!(begin.elapsed() >= 5 * LONGEST_WAIT, "without a clock everybody is waited for");
        sleeper.join().unwrap();
    }

    #[test]
    fn who_comes_when_it_is_over_takes_no_part() {
        let stopped = team(Limits::depth(2));
        stopped.job.control.stop();
        stopped.help(&mut ThreadData::default(), 1);
        assert!(stopped.close(stopped.longest_wait()).is_empty());
        let closed = team(Limits::depth(2));
        assert!(closed.close(closed.longest_wait()).is_empty());
        closed.help(&mut ThreadData::default(), 1);
        assert!(closed.members.lock().finished.is_empty());
    }
}
