//! A parallel map over the items of an iterator.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

/// Stack of a search thread: frames are large and paths are long.
pub const STACK: usize = 32 << 20;

/// The number of threads, and a flag that stops them.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Jobs<'a> {
    /// Number of threads.
    pub count: usize,
    /// When raised, no more items are begun.
    pub stop: &'a AtomicBool,
}

/// A part of a run that is split over several machines: every n-th piece.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    number: u32,
    /// How many parts there are.
    of: u32,
}

impl Shard {
    /// The only part of a run that is not split.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Whether the run is not split.
    pub fn is_whole(self) -> bool {
        self.of == 1
    }

    /// Whether a piece of the run belongs to this part.
    pub fn has(self, piece: u64) -> bool {
        piece % u64::from(self.of) == u64::from(self.number - 1)
    }

    /// All parts of the same run, in order.
    pub fn all(self) -> impl Iterator<Item = Self> {
        (1..=self.of).map(move |number| Self { number, ..self })
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err(format!("{text:?} is no part: it should be K/N, such as 2/5, with K from 1 to N")),
        }
    }
}

/// Calls `work` for every item on several threads. Each thread has its own state from `begin`; `done` gets the results
/// one at a time, in the order they are ready.
pub(crate) fn parallel_map<T, S, R>(
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
            // A worker may run a search.
            let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker);
            thread.expect("a thread can be started");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_they_are_written_and_have_every_piece_once() {
        let third: Shard = "2/3".parse().unwrap();
        assert_eq!(
            (third.to_string().as_str(), third.has(1), third.has(2), third.has(4)),
            ("2/3", true, false, true)
        );
        for piece in 0..20 {
            assert_eq!(third.all().filter(|part| part.has(piece)).count(), 1);
        }
        assert!(Shard::WHOLE.is_whole() && (0..9).all(|piece| Shard::WHOLE.has(piece)));
        for wrong in ["0/3", "4/3", "3", "a/b", "1/0", ""] {
            assert!(wrong.parse::<Shard>().unwrap_err().contains("should be K/N"), "{wrong}");
        }
    }

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
