//! What is asked of one search, and the handle on it while it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::control::Control;
use super::observer::{Observer, Silent};
use super::report::{Listener, Outcome};
use crate::limits::Limits;

/// How often a wait looks whether it should end.
const TICK: Duration = Duration::from_millis(10);

/// Runs on the search thread before the end is reported.
pub(crate) type Conclusion<O> = Box<dyn FnOnce(&mut Outcome, &mut Vec<O>) + Send>;

/// One search, before it is started: its limits, its listener and its observer.
///
/// ```
/// use espalier::{Engine, Limits, Search};
/// let mut engine = Engine::default();
/// let limits = Limits { infinite: true, ..Limits::default() };
/// let handle = engine.start(Search::new(limits).listener(|report| println!("{report:?}")));
/// handle.stop();
/// assert!(handle.wait().best_move().is_some());
/// ```
pub struct Search<O = Silent> {
    pub(crate) limits: Limits,
    pub(crate) listener: Box<dyn Listener>,
    pub(crate) observer: O,
    pub(crate) conclusion: Option<Conclusion<O>>,
    pub(crate) on_this_thread: bool,
    pub(crate) panics: bool,
}

impl Search {
    /// A search with these limits, without listener or observer.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            listener: Box::new(()),
            observer: Silent,
            conclusion: None,
            on_this_thread: false,
            panics: false,
        }
    }

    /// Watched by this observer in the first thread, and by default ones in the others.
    pub fn observer<O: Observer>(self, observer: O) -> Search<O> {
        let Self { limits, listener, on_this_thread, panics, .. } = self;
        Search { limits, listener, observer, conclusion: None, on_this_thread, panics }
    }
}

impl<O: Observer> Search<O> {
    /// Reports lines to this listener while the search runs, and its end.
    pub fn listener(self, listener: impl Listener + 'static) -> Self {
        Self { listener: Box::new(listener), ..self }
    }

    /// Called on the search thread before the end is reported, with all observers, the first thread's first.
    pub fn conclude(self, conclusion: impl FnOnce(&mut Outcome, &mut Vec<O>) + Send + 'static) -> Self {
        Self { conclusion: Some(Box::new(conclusion)), ..self }
    }

    /// Runs on the calling thread, which must have a stack of [`STACK`](super::STACK), and is over when the start
    /// returns: for many short searches, where switching threads would cost too much. Only its limits end it.
    pub fn on_this_thread(self) -> Self {
        Self { on_this_thread: true, ..self }
    }

    /// Panics on purpose, for tests of panic containment.
    pub fn panicking(self, panics: bool) -> Self {
        Self { panics, ..self }
    }
}

/// A search that was started. Dropping the handle stops it.
#[must_use = "a search is stopped when its handle is dropped"]
pub struct Handle<O = Silent> {
    control: Arc<Control>,
    results: Receiver<(Outcome, Vec<O>)>,
    detached: bool,
}

impl<O> Handle<O> {
    pub(crate) fn new(control: Arc<Control>, results: Receiver<(Outcome, Vec<O>)>) -> Self {
        Self { control, results, detached: false }
    }

    /// Ends the search soon.
    pub fn stop(&self) {
        self.control.stop();
    }

    /// The move pondered on was played.
    pub fn ponder_hit(&self) {
        self.control.ponder_hit();
    }

    /// When the caller must [`stop`](Self::stop) the search; a ponder hit changes it.
    pub fn deadline(&self) -> Option<Instant> {
        self.control.deadline()
    }

    /// Lets the search continue without the handle: its listener learns of the end.
    pub fn detach(mut self) -> Arc<Control> {
        self.detached = true;
        Arc::clone(&self.control)
    }

    /// Waits for the end.
    pub fn wait(self) -> Outcome {
        self.observed().0
    }

    /// Waits for the end; what the observers of all threads saw, the first thread's first.
    pub fn observed(self) -> (Outcome, Vec<O>) {
        self.results_or(None)
    }

    /// Waits for the end, and stops the search when the flag is raised.
    pub fn wait_or(self, stop: &AtomicBool) -> Outcome {
        self.observed_or(stop).0
    }

    /// The same, and what the observers of all threads saw.
    pub fn observed_or(self, stop: &AtomicBool) -> (Outcome, Vec<O>) {
        self.results_or(Some(stop))
    }

    /// Keeps the deadline while it waits: the search threads may not get to see the clock in time.
    fn results_or(self, stop: Option<&AtomicBool>) -> (Outcome, Vec<O>) {
        loop {
            let tick = Instant::now() + TICK;
            let deadline = self.deadline();
            let wake = match (deadline, stop.is_some() || self.control.pondering()) {
                (deadline, true) => Some(deadline.map_or(tick, |deadline| deadline.min(tick))),
                (deadline, false) => deadline,
            };
            let received = match wake {
                Some(wake) => self.results.recv_deadline(wake),
                None => self.results.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match received {
                Ok(results) => return results,
                // Every search reports its end; one whose thread died without found nothing.
                Err(RecvTimeoutError::Disconnected) => return Default::default(),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if late || stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                self.stop();
            }
        }
    }
}

impl<O> Drop for Handle<O> {
    fn drop(&mut self) {
        if !self.detached {
            self.stop();
        }
    }
}
