//! A parallel map over the items of an iterator.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

/// Stack of a thread that searches: the frames of the recursion are large and paths are long.
pub const STACK: usize = 32 << 20;

/// How many threads work, and what stops them.
#[derive(Copy, Clone, Debug)]
pub struct Jobs<'a> {
    /// Threads at a time.
    pub count: usize,
    /// Once this is raised, no more items are begun.
    pub stop: &'a AtomicBool,
}

/// Calls `work` for every item, on several threads. Each thread has a state of its own from `begin`; `done` receives
/// the results, one at a time, in the order in which they are ready.
pub fn parallel_map<T, S, R>(
    jobs: Jobs<'_>,
    items: impl Iterator<Item = T> + Send,
    begin: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) -> Option<R> + Sync,
    done: impl FnMut(R) + Send,
) {
    let (items, done) = (Mutex::new(items), Mutex::new(done));
    let next = || if jobs.stop.load(Ordering::Relaxed) { None } else { items.lock().next() };
    std::thread::scope(|scope| {
        for _ in 0..jobs.count.max(1) {
            let worker = || {
                let mut state = begin();
                while let Some(item) = next() {
                    if let Some(result) = work(&mut state, item) {
                        done.lock()(result);
                    }
                }
            };
            // A worker may search on its own stack.
            let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker);
            thread.expect("a thread can be started");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_done_once_and_none_after_a_stop() {
        let stop = AtomicBool::new(false);
        let mut sum = 0;
        parallel_map(
            Jobs { count: 3, stop: &stop },
            1..=100,
            || (),
            |(), n: i32| (n % 2 == 0).then_some(n),
            |n| sum += n,
        );
        assert_eq!(sum, 2550);
        let mut seen = Vec::new();
        let halt = |(): &mut (), n: i32| {
            stop.store(n == 5, Ordering::Relaxed);
            Some(n)
        };
        parallel_map(Jobs { count: 1, stop: &stop }, 1..=100, || (), halt, |n| seen.push(n));
        assert_eq!(seen, [1, 2, 3, 4, 5]);
    }
}
