//! The search threads of an engine: they live as long as it does and sleep between searches.
//!
//! A thread is started by its first task, so an engine with many threads pays only for those that a search has time to
//! wake. Tasks are passed through a mailbox; the sender never waits for the thread.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use parking_lot::Mutex;

use super::searcher::ThreadData;

pub use crate::parallel::STACK;

/// A task for a thread.
pub(super) type Work = Box<dyn FnOnce(&mut ThreadData) + Send>;

/// The threads of an engine.
#[derive(Default)]
pub(crate) struct ThreadPool {
    workers: Vec<Arc<Worker>>,
}

/// The threads that one search may use.
pub(super) type Workers = Arc<[Arc<Worker>]>;

impl ThreadPool {
    /// Ends the threads beyond this number.
    pub(crate) fn shrink(&mut self, threads: usize) {
        self.workers.drain(threads.min(self.workers.len())..).for_each(|worker| drop(worker.close()));
    }

    /// The first `threads` workers: surplus ones end, missing ones start with their first task.
    pub(super) fn workers(&mut self, threads: usize) -> Workers {
        self.shrink(threads);
        while self.workers.len() < threads {
            self.workers.push(Arc::new(Worker::new(self.workers.len())));
        }
        self.workers.iter().cloned().collect()
    }

    /// Clears what the threads remember of earlier searches.
    pub(crate) fn clear(&self) {
        for worker in &self.workers {
            if let Some(data) = worker.data.lock().as_mut() {
                data.clear();
            }
        }
    }
}

/// How long dropping the pool waits for its threads: of hundreds on two cores, the last may not run for seconds.
const LONGEST_JOIN: Duration = Duration::from_millis(200);

/// Threads end with their engine. One that did not run in time to see that ends by itself when it does.
impl Drop for ThreadPool {
    fn drop(&mut self) {
        let threads: Vec<_> = self.workers.iter().filter_map(|worker| worker.close()).collect();
        let deadline = Instant::now() + LONGEST_JOIN;
        for thread in threads {
            while !thread.is_finished() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_micros(100));
            }
            if thread.is_finished() {
                // Panics are contained in the thread.
                let _ = thread.join();
            }
        }
    }
}

/// A thread, started or not, and what it remembers.
pub(super) struct Worker {
    index: usize,
    /// Made when it is first needed: it takes megabytes.
    data: Arc<Mutex<Option<ThreadData>>>,
    mailbox: Mutex<Mailbox>,
}

enum Mailbox {
    NotStarted,
    Open(Sender<Work>, JoinHandle<()>),
    Closed,
}

impl Worker {
    fn new(index: usize) -> Self {
        Self { index, data: Arc::default(), mailbox: Mutex::new(Mailbox::NotStarted) }
    }

    /// Queues a task, after those that the thread already has.
    pub(super) fn give(&self, task: Work) -> io::Result<()> {
        let mut mailbox = self.mailbox.lock();
        if matches!(*mailbox, Mailbox::NotStarted) {
            let (sender, tasks) = unbounded();
            let data = Arc::clone(&self.data);
            let thread = std::thread::Builder::new()
                .name(format!("search {}", self.index))
                .stack_size(STACK)
                .spawn(move || work(&tasks, &data))?;
            *mailbox = Mailbox::Open(sender, thread);
        }
        if let Mailbox::Open(sender, _) = &*mailbox {
            // The thread has the other end until its mailbox is closed.
            let _ = sender.send(task);
        }
        Ok(())
    }

    /// Runs a task on the calling thread, with the data of this worker.
    pub(super) fn lend<R>(&self, task: impl FnOnce(&mut ThreadData) -> R) -> R {
        task(self.data.lock().get_or_insert_default())
    }

    /// Closes the mailbox: the thread ends when its queue is empty.
    fn close(&self) -> Option<JoinHandle<()>> {
        match std::mem::replace(&mut *self.mailbox.lock(), Mailbox::Closed) {
            Mailbox::Open(_, thread) => Some(thread),
            Mailbox::NotStarted | Mailbox::Closed => None,
        }
    }
}

/// The life of a thread.
fn work(tasks: &Receiver<Work>, data: &Mutex<Option<ThreadData>>) {
    for task in tasks {
        let mut data = data.lock();
        if catch_unwind(AssertUnwindSafe(|| task(data.get_or_insert_default()))).is_err() {
            // Its state is undefined now.
            *data = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::{ThreadId, current};

    fn thread_of(worker: &Worker) -> ThreadId {
        let (sender, receiver) = unbounded();
        worker.give(Box::new(move |_| sender.send(current().id()).unwrap())).unwrap();
        receiver.recv().unwrap()
    }

    #[test]
    fn a_thread_that_gets_no_turn_does_not_keep_the_engine_from_ending() {
        let mut pool = ThreadPool::default();
        let workers = pool.workers(2);
        let (begun, has_begun) = unbounded();
        let (release, released) = unbounded::<()>();
        let busy = move |_: &mut ThreadData| {
            begun.send(()).unwrap();
            let _ = released.recv();
        };
        workers[1].give(Box::new(busy)).unwrap();
        has_begun.recv().unwrap();
        let begin = Instant::now();
        drop(pool);
        assert!(begin.elapsed() >= LONGEST_JOIN && begin.elapsed() < 20 * LONGEST_JOIN);
        drop(release);
    }

    #[test]
    fn a_thread_stays_the_same_and_survives_a_panic() {
        let mut pool = ThreadPool::default();
        let workers = pool.workers(2);
        let first = thread_of(&workers[0]);
        workers[0].give(Box::new(|_| panic!("on purpose"))).unwrap();
        assert_eq!(thread_of(&workers[0]), first);
        assert_ne!(thread_of(&workers[1]), first);
        assert_eq!(thread_of(&pool.workers(5)[0]), first);
    }

    #[test]
    fn a_thread_that_is_too_much_takes_no_more_work() {
        let mut pool = ThreadPool::default();
        let before = pool.workers(3);
        thread_of(&before[2]);
        assert_eq!(pool.workers(1).len(), 1);
        let (sender, receiver) = unbounded::<()>();
        before[2].give(Box::new(move |_| sender.send(()).unwrap())).unwrap();
        assert!(receiver.recv().is_err());
        thread_of(&pool.workers(3)[2]);
    }

    #[test]
    fn work_may_be_done_by_whoever_has_it() {
        let mut pool = ThreadPool::default();
        assert_eq!(pool.workers(1)[0].lend(|_| current().id()), current().id());
    }
}
