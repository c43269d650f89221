//! Controlling a running search from outside: its clock, its stop flag and its deadline.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::limits::Limits;

/// Shared between the threads of a search and its caller.
#[derive(Debug)]
pub struct Control {
    start: Instant,
    /// The most time of our own that the search may take.
    hard: Option<Duration>,
    stop: AtomicBool,
    limit_reached: AtomicBool,
    pondering: AtomicBool,
    /// Nanoseconds from the start to `ponderhit`.
    ponder_hit: AtomicU64,
    /// Wakes a search that is done but may not answer yet.
    signal: (Mutex<()>, Condvar),
}

impl Control {
    /// The clock starts now; `hard` is how long the search may take of our own time.
    pub fn new(limits: &Limits, hard: Option<Duration>) -> Self {
        Self {
            start: Instant::now(),
            hard,
            stop: AtomicBool::new(false),
            limit_reached: AtomicBool::new(false),
            pondering: AtomicBool::new(limits.ponder),
            ponder_hit: AtomicU64::new(0),
            signal: Default::default(),
        }
    }

    /// Ends the search and lets it answer.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// The search was stopped from outside: the answer is due.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// A limit is reached: searching ends, but an open or pondering search does not answer yet.
    pub fn reach_limit(&self) {
        self.limit_reached.store(true, Ordering::Relaxed);
    }

    /// No thread should continue searching.
    pub fn is_over(&self) -> bool {
        self.stopped() || self.limit_reached.load(Ordering::Relaxed)
    }

    /// The expected move was played: from now on the clock counts.
    pub fn ponder_hit(&self) {
        if self.pondering() {
            self.ponder_hit.store(self.elapsed().as_nanos() as u64, Ordering::Relaxed);
            self.pondering.store(false, Ordering::Release);
            self.wake();
        }
    }

    /// Still thinking on the opponent's time.
    pub fn pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// Time since `go`.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Time of our own spent: pondering does not count.
    pub fn spent(&self) -> Duration {
        self.elapsed().saturating_sub(self.before_hit())
    }

    /// The search has a time limit.
    pub(super) fn on_clock(&self) -> bool {
        self.hard.is_some()
    }

    /// When the caller must stop the search; `None` if no clock runs, or it was stopped already.
    /// A hit of the ponder move changes it.
    pub fn deadline(&self) -> Option<Instant> {
        let hard = self.hard.filter(|_| !self.pondering() && !self.stopped())?;
        self.start.checked_add(self.before_hit())?.checked_add(hard)
    }

    /// Sleeps until the search may answer: an open search, and one on the opponent's time, does not end by itself.
    pub(super) fn wait_to_end(&self, open: bool) {
        let (mutex, changed) = &self.signal;
        let mut guard = mutex.lock();
        while !self.stopped() && (open || self.pondering()) {
            changed.wait(&mut guard);
        }
    }

    fn before_hit(&self) -> Duration {
        Duration::from_nanos(self.ponder_hit.load(Ordering::Relaxed))
    }

    fn wake(&self) {
        // The lock makes sure that no thread is between checking the flags and sleeping.
        drop(self.signal.0.lock());
        self.signal.1.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HARD: Duration = Duration::from_secs(3);

    #[test]
    fn only_the_first_hit_of_a_pondering_search_starts_the_clock() {
        let control = Control::new(&Limits::default(), Some(HARD));
        std::thread::sleep(Duration::from_millis(2));
        control.ponder_hit();
        assert_eq!(control.ponder_hit.load(Ordering::Relaxed), 0, "nobody was pondering");
    }

    #[test]
    fn a_deadline_begins_with_the_hit_and_ends_with_the_stop() {
        let control = Control::new(&Limits { ponder: true, ..Limits::default() }, Some(HARD));
        assert_eq!(control.deadline(), None);
        std::thread::sleep(Duration::from_millis(2));
        control.ponder_hit();
        let deadline = control.deadline().unwrap();
        assert!(deadline >= control.start + HARD + Duration::from_millis(2));
        control.stop();
        assert_eq!(control.deadline(), None);
        assert_eq!(Control::new(&Limits::depth(3), None).deadline(), None);
    }

    #[test]
    fn a_search_that_waits_for_its_end_is_woken() {
        let control = Control::new(&Limits::default(), None);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| control.wait_to_end(true));
            control.stop();
            waiting.join().unwrap();
        });
        control.wait_to_end(true);
    }
}
