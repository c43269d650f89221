//! The hash table: what earlier searches of a position found.
//!
//! All threads share one table without locks. An entry is two words; the second carries a checksum of
//! the first and the position's key, so a torn entry or one of another position is ignored.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use bytemuck::Zeroable;

use super::huge_pages::Pages;
use super::prefetch::prefetch;
use crate::board::PackedMove;
use crate::depth::Depth;
use crate::random::GOLDEN_RATIO;
use crate::score::{Bound, Score, Window};
use crate::selective::TtFacts;

/// What is known of a position. Scores are as [`Score::to_tt`] makes them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TtEntry {
    /// The best move found.
    pub best: PackedMove,
    /// The best move before that one.
    pub second: PackedMove,
    /// The value, as stored.
    pub score: i16,
    /// The static value, as stored; [`Score::NONE`] if there is none.
    pub eval: i16,
    /// How deep the value was searched.
    pub depth: Depth,
    /// What the value says; `None` if only moves and static value count.
    pub bound: Option<Bound>,
    /// The position has been in a principal variation.
    pub was_pv: bool,
}

impl TtEntry {
    /// The value, seen from `ply`.
    pub fn score(&self, ply: usize) -> Score {
        Score::from_tt(self.score, ply)
    }

    /// What selective methods may know of it, seen from `ply`.
    pub fn facts(&self, ply: usize) -> TtFacts {
        TtFacts { score: self.score(ply), bound: self.bound, depth: self.depth }
    }

    /// The static value.
    pub fn eval(&self) -> Score {
        Score::cp(i32::from(self.eval))
    }

    /// The value, where it lies above a static one and is no upper bound, or below and is no lower bound;
    /// otherwise the static one.
    pub fn improves_on(&self, eval: Score, ply: usize) -> Score {
        let score = self.score(ply);
        let says_more = match self.bound {
            None => false,
            Some(Bound::Exact) => true,
            Some(Bound::Lower) => score > eval,
            Some(Bound::Upper) => score < eval,
        };
        if says_more && !score.is_decided() { score } else { eval }
    }

    /// Whether the value was searched deep enough and says all that a search of `window` could say.
    pub fn allows_cutoff(&self, depth: Depth, window: Window, ply: usize) -> bool {
        self.depth >= depth
            && match self.bound {
                None => false,
                Some(Bound::Exact) => true,
                Some(Bound::Lower) => self.score(ply) >= window.beta,
                Some(Bound::Upper) => self.score(ply) <= window.alpha,
            }
    }

    fn first_word(&self) -> u64 {
        u64::from(self.best.bits())
            | u64::from(self.second.bits()) << 16
            | u64::from(self.score as u16) << 32
            | u64::from(self.eval as u16) << 48
    }

    fn second_word(&self, key: u64, first: u64, generation: u8) -> u64 {
        checksum(key, first) << META_BITS
            | u64::from(self.was_pv) << 26
            | u64::from(generation) << 18
            | self.bound.map_or(0, |bound| bound as u64) << 16
            | u64::from(self.depth.to_tt() as u16)
    }

    fn from_words(first: u64, second: u64) -> Self {
        Self {
            best: PackedMove::from_bits(first as u16),
            second: PackedMove::from_bits((first >> 16) as u16),
            score: (first >> 32) as i16,
            eval: (first >> 48) as i16,
            depth: depth_of(second),
            bound: match second >> 16 & 3 {
                1 => Some(Bound::Upper),
                2 => Some(Bound::Lower),
                3 => Some(Bound::Exact),
                _ => None,
            },
            was_pv: second >> 26 & 1 == 1,
        }
    }
}

/// Depth (16), bound (2), generation (8) and the mark of the principal variation (1) share the second word with the
/// checksum.
const META_BITS: u32 = 27;
const GENERATIONS: u8 = u8::MAX;

fn checksum(key: u64, first: u64) -> u64 {
    (key ^ first.wrapping_mul(GOLDEN_RATIO).rotate_left(29)) & (u64::MAX >> META_BITS)
}

fn depth_of(second: u64) -> Depth {
    Depth::from_tt(second as u16 as i16)
}

fn generation_of(second: u64) -> u8 {
    (second >> 18) as u8
}

const SLOTS: usize = 4;

/// Four entries in one cache line.
#[repr(align(64))]
#[derive(Zeroable)]
struct Bucket([[AtomicU64; 2]; SLOTS]);

impl Bucket {
    fn clear(&self) {
        for word in self.0.iter().flatten() {
            word.store(0, Ordering::Relaxed);
        }
    }
}

/// A table of fewer buckets (32 MiB) is cleared faster than threads are started.
const WORTH_THREADS: usize = (32 << 20) / size_of::<Bucket>();

/// The transposition table: four entries per cache line, shared by all threads without locks.
pub struct TranspositionTable {
    buckets: Pages<Bucket>,
    generation: AtomicU8,
}

/// There is not enough memory for the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no memory for a hash table of {megabytes} MiB")]
pub struct OutOfMemory {
    /// What was asked for, in MiB.
    pub megabytes: usize,
}

impl TranspositionTable {
    /// An empty table of this many MiB.
    pub fn new(megabytes: usize) -> Result<Self, OutOfMemory> {
        let refused = OutOfMemory { megabytes };
        if available_megabytes().is_some_and(|available| megabytes > available) {
            return Err(refused);
        }
        let count = megabytes.checked_mul((1 << 20) / size_of::<Bucket>()).ok_or(refused)?;
        let buckets = Pages::zeroed(count.max(1)).ok_or(refused)?;
        Ok(Self { buckets, generation: AtomicU8::new(1) })
    }

    /// Whether that much memory is available once a table of `freed` MiB is freed.
    pub fn may_fit(megabytes: usize, freed: usize) -> Result<(), OutOfMemory> {
        let fits = available_megabytes().is_none_or(|available| megabytes <= available.saturating_add(freed));
        if fits { Ok(()) } else { Err(OutOfMemory { megabytes }) }
    }

    /// Its size in MiB.
    pub fn megabytes(&self) -> usize {
        (self.buckets.len() * size_of::<Bucket>()) >> 20
    }

    /// Clears the table, on all cores if it is large.
    pub fn clear(&self) {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if self.buckets.len() < WORTH_THREADS { 1 } else { cores() };
        if threads == 1 {
            self.buckets.iter().for_each(Bucket::clear);
        } else {
            std::thread::scope(|scope| {
                for part in self.buckets.chunks(self.buckets.len().div_ceil(threads)) {
                    scope.spawn(move || part.iter().for_each(Bucket::clear));
                }
            });
        }
        self.generation.store(1, Ordering::Relaxed);
    }

    /// Entries made from now on count as newer.
    pub fn next_generation(&self) {
        // Generation 0 is that of an empty slot.
        let next = self.generation.load(Ordering::Relaxed) % GENERATIONS + 1;
        self.generation.store(next, Ordering::Relaxed);
    }

    fn bucket(&self, key: u64) -> &Bucket {
        // The high bits choose the bucket, the low ones go into the checksum.
        let index = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }

    /// Prefetches the bucket of `key`.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.bucket(key));
    }

    /// What is known of the position with this key.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<TtEntry> {
        self.bucket(key).0.iter().find_map(|slot| {
            let second = slot[1].load(Ordering::Relaxed);
            let first = slot[0].load(Ordering::Relaxed);
            (second >> META_BITS == checksum(key, first) && second != 0)
                .then(|| TtEntry::from_words(first, second))
        })
    }

    /// Keeps an entry. The same position is overwritten unless that would lose a much deeper value of
    /// this search; otherwise the shallowest and oldest entry of the bucket goes.
    #[inline]
    pub fn store(&self, key: u64, mut entry: TtEntry) {
        let generation = self.generation.load(Ordering::Relaxed);
        let mut victim = 0;
        let mut least = i32::MAX;
        for (index, slot) in self.bucket(key).0.iter().enumerate() {
            let second = slot[1].load(Ordering::Relaxed);
            let first = slot[0].load(Ordering::Relaxed);
            if second >> META_BITS == checksum(key, first) && second != 0 {
                let old = TtEntry::from_words(first, second);
                if entry.best == PackedMove::NONE {
                    (entry.best, entry.second) = (old.best, old.second);
                } else if entry.best != old.best {
                    entry.second = old.best;
                } else {
                    entry.second = old.second;
                }
                // Of an uncertain value only the move is kept.
                if entry.bound.is_none() && old.bound.is_some() {
                    entry = TtEntry { best: entry.best, second: entry.second, was_pv: entry.was_pv, ..old };
                } else if entry.bound != Some(Bound::Exact)
                    && generation_of(second) == generation
                    && entry.depth + KEPT_IF_DEEPER < old.depth
                {
                    return;
                }
                victim = index;
                break;
            }
            let age = (i32::from(generation) + i32::from(GENERATIONS) - i32::from(generation_of(second)))
                % i32::from(GENERATIONS);
            let worth = if second == 0 { i32::MIN } else { (depth_of(second) - AGE_COSTS * age).raw() };
            if worth < least {
                (least, victim) = (worth, index);
            }
        }
        let slot = &self.bucket(key).0[victim];
        let first = entry.first_word();
        slot[0].store(first, Ordering::Relaxed);
        slot[1].store(entry.second_word(key, first, generation), Ordering::Relaxed);
    }

    /// How full the table is with entries of this search, in thousandths.
    pub fn permille_used(&self) -> u32 {
        let generation = self.generation.load(Ordering::Relaxed);
        let sample = &self.buckets[..self.buckets.len().min(1000 / SLOTS)];
        let used = sample
            .iter()
            .flat_map(|bucket| &bucket.0)
            .filter(|slot| generation_of(slot[1].load(Ordering::Relaxed)) == generation)
            .count();
        (used * 1000 / (sample.len() * SLOTS)) as u32
    }
}

/// A shallower value replaces one of the same position up to this much deeper.
const KEPT_IF_DEEPER: Depth = Depth::plies(4);
/// What each search since then takes from the worth of an entry.
const AGE_COSTS: Depth = Depth::plies(4);

/// Free memory, on systems that report it.
fn available_megabytes() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<usize>().ok().map(|kilobytes| kilobytes / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn entry(depth: i32, score: i16) -> TtEntry {
        TtEntry {
            best: PackedMove::from_bits(0x1234),
            second: PackedMove::NONE,
            score,
            eval: -17,
            depth: Depth::plies(depth),
            bound: Some(Bound::Lower),
            was_pv: false,
        }
    }

    #[test]
    fn the_mark_of_the_principal_variation_is_that_of_the_last_store() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(7, TtEntry { was_pv: true, ..entry(5, 1) });
        assert!(table.probe(7).unwrap().was_pv);
        table.store(7, TtEntry { bound: None, ..entry(5, 1) });
        assert!(!table.probe(7).unwrap().was_pv);
    }

    #[test]
    fn what_is_stored_is_found_and_nothing_else() {
        let table = TranspositionTable::new(1).unwrap();
        assert_eq!(table.probe(0), None);
        table.store(77, entry(5, 123));
        assert_eq!(table.probe(77), Some(entry(5, 123)));
        assert_eq!(table.probe(78), None);
        table.clear();
        assert_eq!(table.probe(77), None);
    }

    #[test]
    fn every_bound_is_read_as_it_was_stored() {
        let table = TranspositionTable::new(1).unwrap();
        for bound in [None, Some(Bound::Upper), Some(Bound::Lower), Some(Bound::Exact)] {
            table.clear();
            table.store(3, TtEntry { bound, ..entry(4, 1) });
            assert_eq!(table.probe(3).unwrap().bound, bound);
        }
    }

    #[test]
    fn fractions_of_a_ply_and_negative_scores_survive() {
        let table = TranspositionTable::new(1).unwrap();
        let stored = TtEntry { depth: Depth::hundredths(-125), score: -32_000, bound: None, ..entry(0, 0) };
        table.store(1 << 40, stored);
        assert_eq!(table.probe(1 << 40), Some(stored));
    }

    #[test]
    fn the_best_move_before_the_best_is_kept() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(9, entry(5, 0));
        let other = PackedMove::from_bits(0x222);
        table.store(9, TtEntry { best: other, ..entry(6, 0) });
        let found = table.probe(9).unwrap();
        assert_eq!((found.best, found.second), (other, entry(0, 0).best));
        table.store(9, TtEntry { best: PackedMove::NONE, ..entry(7, 0) });
        assert_eq!(table.probe(9).unwrap().best, other, "no move must not push out a move");
    }

    #[test]
    fn a_full_bucket_gives_up_its_shallowest_then_its_oldest() {
        let table = TranspositionTable::new(1).unwrap();
        for (key, depth) in [(1, 9), (2, 3), (3, 9), (4, 9)] {
            table.store(key, entry(depth, 0));
        }
        table.store(5, entry(1, 0));
        assert_eq!(table.probe(2), None);
        for _ in 0..3 {
            table.next_generation();
        }
        for key in [1, 3, 4] {
            table.store(key, entry(9, 0));
        }
        table.store(6, entry(2, 0));
        assert_eq!(table.probe(5), None);
        assert!([1, 3, 4, 6].iter().all(|&key| table.probe(key).is_some()));
    }

    #[test]
    fn a_much_deeper_value_of_this_search_stays() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(1, entry(9, 50));
        table.store(1, entry(2, -50));
        assert_eq!(table.probe(1).unwrap().score, 50);
        table.next_generation();
        table.store(1, entry(2, -50));
        assert_eq!(table.probe(1).unwrap().score, -50);
    }

    #[test]
    fn an_uncertain_value_leaves_only_its_move() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(1, entry(3, 50));
        let other = PackedMove::from_bits(0x222);
        table.store(1, TtEntry { best: other, bound: None, ..entry(9, -50) });
        let found = table.probe(1).unwrap();
        assert_eq!((found.best, found.score, found.depth), (other, 50, Depth::plies(3)));
    }

    #[test]
    fn a_torn_pair_is_disregarded() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(1, entry(5, 1));
        table.bucket(1).0[0][0].fetch_xor(1 << 33, Ordering::Relaxed);
        assert_eq!(table.probe(1), None);
    }

    #[test]
    fn a_bound_settles_only_its_own_side() {
        let lower = entry(5, 40);
        let minimal = |beta| Window::minimal(Score::cp(beta));
        let at = |depth, beta| lower.allows_cutoff(Depth::plies(depth), minimal(beta), 0);
        assert!(at(5, 40) && !at(5, 41) && !at(6, 40));
        let upper = TtEntry { bound: Some(Bound::Upper), ..lower };
        assert!(upper.allows_cutoff(Depth::plies(5), minimal(41), 0));
        assert!(!upper.allows_cutoff(Depth::plies(5), minimal(40), 0));
        assert!(!TtEntry { bound: None, ..lower }.allows_cutoff(Depth::ZERO, minimal(0), 0));
    }

    #[test]
    fn an_impossible_size_is_refused() {
        assert!(TranspositionTable::new(usize::MAX / 2).is_err());
    }

    #[test]
    fn threads_never_see_a_mixture() {
        // Every thread stores entries whose score is tied to the key; readers check the tie.
        let table = TranspositionTable::new(1).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..2u64 {
                let table = &table;
                scope.spawn(move || {
                    for i in 0..200_000u64 {
                        let key = (i * 7 + thread) % 64;
                        let value = (key * 100 + i % 50) as i16;
                        table.store(key, TtEntry { score: value, eval: value, ..entry((i % 9) as i32, 0) });
                        if let Some(found) = table.probe((i * 3) % 64) {
                            assert_eq!(found.score, found.eval);
                            assert_eq!(found.score as u64 / 100, (i * 3) % 64);
                        }
                    }
                });
            }
        });
    }

    /// Two threads store and a third reads, without locks. The words are separate atomics with relaxed ordering, so the
    /// reader may find any word of one with any word of another: all such pairs are tried. Only whole entries come out.
    #[test]
    fn words_of_different_entries_are_never_taken_for_one() {
        let mut random = Random::new(1);
        let table = TranspositionTable::new(1).unwrap();
        for _ in 0..20_000 {
            let (key, foreign) = (random.number(), random.number());
            let mut entry = || TtEntry {
                best: PackedMove::from_bits(random.number() as u16),
                score: random.number() as i16,
                ..entry(random.below(60) as i32, 0)
            };
            let whole = [(key, entry()), (key, entry()), (foreign, entry())].map(|(key, entry)| {
                let first = entry.first_word();
                (key, entry, [first, entry.second_word(key, first, 1)])
            });
            let slot = &table.bucket(key).0[0];
            for (of_first, of_second) in (0..9).map(|pair| (pair / 3, pair % 3)) {
                slot[0].store(whole[of_first].2[0], Ordering::Relaxed);
                slot[1].store(whole[of_second].2[1], Ordering::Relaxed);
                // What was stored by one thread for this very key, if the two words are of one entry.
                let stored = (of_first == of_second && whole[of_first].0 == key).then_some(whole[of_first].1);
                assert_eq!(table.probe(key), stored, "{of_first} {of_second}");
            }
            slot.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        }
    }
}
