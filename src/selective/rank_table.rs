//! The statistics behind RankCut: counted in self-play, kept in a file, looked up in the search.

use serde::{Deserialize, Serialize};

use super::rank_cut::{STATES, UNSEEN, probability_code};
use crate::files::fnv1a;

/// How often a state was seen, and how often this or a later move became the best.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct RankCount {
    /// This or a later move became the best.
    pub better: u32,
    /// The state was seen.
    pub seen: u32,
}

impl RankCount {
    /// How likely this or a later move is to become the best.
    pub fn probability(self) -> f64 {
        f64::from(self.better) / f64::from(self.seen.max(1))
    }
}

/// Counts of all states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Sparse", try_from = "Sparse")]
pub struct RankCounts(Box<[RankCount]>);

/// The states that were seen: number, samples, and how often this or a later move became the best.
type Sparse = Vec<(usize, u32, u32)>;

impl From<RankCounts> for Sparse {
    fn from(counts: RankCounts) -> Self {
        counts.iter_seen(1).map(|(index, count)| (index, count.seen, count.better)).collect()
    }
}

impl TryFrom<Sparse> for RankCounts {
    type Error = TableError;

    fn try_from(sparse: Sparse) -> Result<Self, TableError> {
        let mut counts = Self::default();
        for (index, seen, better) in sparse {
            let count = counts.0.get_mut(index).filter(|_| better <= seen).ok_or(TableError::Damaged)?;
            *count = RankCount { better, seen };
        }
        Ok(counts)
    }
}

impl Default for RankCounts {
    fn default() -> Self {
        Self(vec![RankCount::default(); STATES].into_boxed_slice())
    }
}

/// What a file begins with, and then its version.
const MAGIC: &[u8; 7] = b"esprank";
const VERSION: u8 = 2;

/// Why a file of statistics is refused.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// It does not begin like a table of RankCut.
    #[error("not a file of RankCut statistics")]
    NotStatistics,
    /// It was written by another version of the program.
    #[error("RankCut statistics of version {0}; this program reads version {VERSION}")]
    Version(u8),
    /// Its checksum is wrong, it ends too early, or a number in it is impossible.
    #[error("a damaged file of RankCut statistics")]
    Damaged,
}

impl RankCounts {
    /// Counts one sample of a state.
    pub fn add(&mut self, index: usize, better: bool) {
        if let Some(count) = self.0.get_mut(index) {
            count.seen = count.seen.saturating_add(1);
            count.better = count.better.saturating_add(u32::from(better));
        }
    }

    /// Adds what another collected.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.0.iter_mut().zip(&other.0) {
            count.seen = count.seen.saturating_add(more.seen);
            count.better = count.better.saturating_add(more.better);
        }
    }

    /// What was counted of a state.
    pub fn get(&self, index: usize) -> RankCount {
        self.0.get(index).copied().unwrap_or_default()
    }

    /// The states seen at least `samples` times.
    pub fn iter_seen(&self, samples: u32) -> impl Iterator<Item = (usize, RankCount)> {
        let often = move |(_, count): &(usize, RankCount)| count.seen >= samples.max(1);
        self.0.iter().copied().enumerate().filter(often)
    }

    /// How many states were seen at least `samples` times.
    pub fn seen_at_least(&self, samples: u32) -> usize {
        self.iter_seen(samples).count()
    }

    /// A compact file: a note on how it was made, the states seen at least `least` times, a checksum.
    pub fn to_bytes(&self, note: &str, least: u32) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.push(VERSION);
        put(&mut bytes, note.len() as u64);
        bytes.extend_from_slice(note.as_bytes());
        let mut last = 0;
        for (index, count) in self.iter_seen(least) {
            put(&mut bytes, (index - last) as u64);
            put(&mut bytes, u64::from(count.seen));
            put(&mut bytes, u64::from(count.better));
            last = index;
        }
        let sum = fnv1a(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads such a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TableError> {
        let (_, mut rest) = open(bytes)?;
        let mut counts = Self::default();
        let mut index = 0_usize;
        while !rest.is_empty() {
            let mut number = || take(&mut rest).ok_or(TableError::Damaged);
            let (step, seen, better) = (number()?, number()?, number()?);
            index = index.checked_add(step as usize).ok_or(TableError::Damaged)?;
            let count = counts.0.get_mut(index).ok_or(TableError::Damaged)?;
            if better > seen || seen > u64::from(u32::MAX) {
                return Err(TableError::Damaged);
            }
            *count = RankCount { better: better as u32, seen: seen as u32 };
        }
        Ok(counts)
    }
}

/// How the statistics in a file were made.
pub fn note(bytes: &[u8]) -> Result<String, TableError> {
    open(bytes).map(|(note, _)| note)
}

/// The note of a file that is whole, and what follows it up to the checksum.
fn open(bytes: &[u8]) -> Result<(String, &[u8]), TableError> {
    let behind = bytes.strip_prefix(MAGIC).ok_or(TableError::NotStatistics)?;
    match behind.first() {
        Some(&VERSION) => {}
        Some(&version) => return Err(TableError::Version(version)),
        None => return Err(TableError::Damaged),
    }
    let (body, sum) = bytes.split_last_chunk::<8>().ok_or(TableError::Damaged)?;
    if fnv1a(body) != u64::from_le_bytes(*sum) {
        return Err(TableError::Damaged);
    }
    let mut rest = body.get(MAGIC.len() + 1..).ok_or(TableError::Damaged)?;
    let length = take(&mut rest).ok_or(TableError::Damaged)?;
    let (note, rest) = rest.split_at_checked(length as usize).ok_or(TableError::Damaged)?;
    let note = String::from_utf8(note.to_vec()).map_err(|_| TableError::Damaged)?;
    Ok((note, rest))
}

/// Seven bits a byte, the lowest first.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Probabilities of all states, as the search looks them up.
#[derive(Clone, Debug)]
pub struct RankTable(Box<[u16]>);

impl RankTable {
    /// The probabilities of the states seen at least `samples` times.
    pub fn new(counts: &RankCounts, samples: u32) -> Self {
        let code = |count: &RankCount| {
            if count.seen >= samples.max(1) { probability_code(count.probability()) } else { UNSEEN }
        };
        Self(counts.0.iter().map(code).collect())
    }

    /// The probability that this or a later move becomes the best, as a code.
    #[inline]
    pub fn code(&self, index: usize) -> u16 {
        self.0.get(index).copied().unwrap_or(UNSEEN)
    }
}

const BUILT_IN: &[u8] = include_bytes!("rank_cut.bin");

/// The statistics shipped with the engine.
pub fn built_in() -> RankCounts {
    RankCounts::from_bytes(BUILT_IN).expect("the built-in statistics are whole")
}

/// How they were made.
pub fn built_in_note() -> String {
    note(BUILT_IN).expect("the built-in statistics are whole")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts() -> RankCounts {
        let mut counts = RankCounts::default();
        for i in 0..3_000 {
            counts.add(5, i % 100 == 0);
            counts.add(STATES - 1, i % 2 == 0);
        }
        counts.add(77, true);
        counts
    }

    #[test]
    fn statistics_survive_their_file() {
        let bytes = counts().to_bytes("ten games", 1);
        assert_eq!(RankCounts::from_bytes(&bytes).as_ref(), Ok(&counts()));
        assert_eq!(note(&bytes).as_deref(), Ok("ten games"));
        let often = RankCounts::from_bytes(&counts().to_bytes("", 1000)).unwrap();
        assert_eq!(often.get(77), RankCount::default());
        assert_eq!(often.get(5), RankCount { better: 30, seen: 3_000 });
    }

    #[test]
    fn a_damaged_or_foreign_file_is_refused() {
        let bytes = counts().to_bytes("", 1);
        assert_eq!(RankCounts::from_bytes(b"something else"), Err(TableError::NotStatistics));
        assert_eq!(RankCounts::from_bytes(b"esprank\x01123"), Err(TableError::Version(1)));
        for index in [8, 10, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[index] ^= 4;
            assert_eq!(RankCounts::from_bytes(&damaged), Err(TableError::Damaged));
        }
        assert_eq!(RankCounts::from_bytes(&bytes[..bytes.len() - 3]), Err(TableError::Damaged));
    }

    #[test]
    fn only_states_seen_often_have_a_probability() {
        let table = RankTable::new(&counts(), 1000);
        assert_eq!(table.code(5), probability_code(0.01));
        assert_eq!(table.code(77), UNSEEN);
        assert_eq!(table.code(6), UNSEEN);
    }

    #[test]
    fn merged_statistics_are_sums() {
        let mut sum = counts();
        sum.merge(&counts());
        assert_eq!(sum.get(5), RankCount { better: 60, seen: 6_000 });
        assert_eq!(sum.seen_at_least(1000), 2);
    }

    #[test]
    fn the_built_in_statistics_can_be_read() {
        assert!(built_in().seen_at_least(1_000) > 1_000);
        assert!(built_in_note().contains("games"));
    }

    #[test]
    fn statistics_survive_a_checkpoint_and_bad_ones_are_refused() {
        let text = serde_json::to_string(&counts()).unwrap();
        assert_eq!(serde_json::from_str::<RankCounts>(&text).unwrap(), counts());
        for bad in [format!("[[{STATES},1,1]]"), "[[5,1,2]]".to_owned()] {
            assert!(serde_json::from_str::<RankCounts>(&bad).is_err(), "{bad}");
        }
    }
}
