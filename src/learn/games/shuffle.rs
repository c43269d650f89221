//! A random order of more positions than fit into memory.
//!
//! Each position goes into a bucket drawn at random when it is read. Later the buckets are read one after another and
//! each is shuffled in memory. Every order of all positions is equally likely (Rao, "Generation of random permutation
//! of given number of elements using random sampling numbers", 1961), and only one bucket is in memory at a time.
//!
//! Positions arrive in blocks, sorted by bucket. Blocks are kept in memory up to a limit, and written to a temporary file
//! beyond it. Blocks are sorted by their origin in the input, so the order does not depend on threads or memory.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;

use super::viriformat::PackedPosition;
use crate::random::Random;

/// Positions of a block.
const BLOCK: usize = 1 << 18;

/// The origin of a block.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct BlockSource {
    file: usize,
    /// The number of the block in its file.
    block: usize,
}

/// Positions of one part of the input, sorted by bucket.
struct Block {
    origin: BlockSource,
    /// The start of each bucket, and the end of the last.
    starts: Vec<u32>,
    content: Content,
}

enum Content {
    Memory(Vec<PackedPosition>),
    /// The offset in the temporary file.
    Disk(u64),
}

/// All blocks, filled by several threads.
pub(super) struct Blocks {
    buckets: usize,
    /// Bytes of positions to hold in memory.
    memory: usize,
    list: Mutex<Vec<Block>>,
    spilled: Mutex<Spilled>,
}

/// The temporary file for blocks that do not fit into memory.
#[derive(Default)]
struct Spilled {
    /// The file, which is unlinked: it is gone when the program ends, however it ends.
    file: Option<File>,
    bytes: u64,
    /// Bytes of the blocks in memory.
    in_memory: usize,
}

impl Blocks {
    pub(super) fn new(buckets: usize, memory: usize) -> Self {
        Self { buckets, memory, list: Mutex::default(), spilled: Mutex::default() }
    }

    fn add(&self, origin: BlockSource, starts: Vec<u32>, positions: Vec<PackedPosition>) -> io::Result<()> {
        let size = size_of_val(&positions[..]);
        let mut spilled = self.spilled.lock();
        let content = if spilled.in_memory + size <= self.memory {
            spilled.in_memory += size;
            Content::Memory(positions)
        } else {
            Content::Disk(spilled.write(bytemuck::cast_slice(&positions))?)
        };
        drop(spilled);
        self.list.lock().push(Block { origin, starts, content });
        Ok(())
    }

    /// The positions of some buckets, after everything is read.
    pub(super) fn shuffled(self: &Arc<Self>, buckets: Range<usize>, seed: u64) -> Shuffled {
        let mut blocks = self.list.lock();
        blocks.sort_by_key(|block| block.origin);
        let size = |bucket: usize| blocks.iter().map(|block| block.range(bucket).len()).sum();
        let sizes = buckets.clone().map(size).collect();
        drop(blocks);
        Shuffled { blocks: Some(Arc::clone(self)), first: buckets.start, sizes, seed }
    }

    /// The positions of a bucket, in the order of the input.
    fn bucket(&self, bucket: usize) -> io::Result<Vec<PackedPosition>> {
        let mut found = Vec::new();
        for block in self.list.lock().iter() {
            let range = block.range(bucket);
            match &block.content {
                Content::Memory(positions) => found.extend_from_slice(&positions[range]),
                Content::Disk(start) => {
                    let begin = found.len();
                    found.resize(begin + range.len(), bytemuck::Zeroable::zeroed());
                    let start = start + (range.start * size_of::<PackedPosition>()) as u64;
                    self.spilled.lock().read(start, bytemuck::cast_slice_mut(&mut found[begin..]))?;
                }
            }
        }
        Ok(found)
    }

    #[cfg(test)]
    fn bytes_on_disk(&self) -> u64 {
        self.spilled.lock().bytes
    }
}

impl Block {
    fn range(&self, bucket: usize) -> Range<usize> {
        self.starts[bucket] as usize..self.starts[bucket + 1] as usize
    }
}

impl Spilled {
    /// Appends to the temporary file; returns the offset.
    fn write(&mut self, bytes: &[u8]) -> io::Result<u64> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile().map_err(in_temporary_folder)?),
        };
        file.write_all(bytes).map_err(in_temporary_folder)?;
        let start = self.bytes;
        self.bytes += bytes.len() as u64;
        Ok(start)
    }

    fn read(&mut self, start: u64, bytes: &mut [u8]) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Err(io::ErrorKind::NotFound.into()) };
        file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(bytes)).map_err(in_temporary_folder)
    }
}

fn in_temporary_folder(error: io::Error) -> io::Error {
    let folder = std::env::temp_dir();
    let what = format!("temporary file in {}: {error} (TMPDIR chooses another folder)", folder.display());
    io::Error::new(error.kind(), what)
}

/// Sorts the positions of one file into buckets.
pub(super) struct Scatterer<'a> {
    blocks: &'a Blocks,
    file: usize,
    block: usize,
    positions: Vec<PackedPosition>,
    buckets: Vec<u16>,
}

impl<'a> Scatterer<'a> {
    pub(super) fn new(blocks: &'a Blocks, file: usize) -> Self {
        Self { blocks, file, block: 0, positions: Vec::new(), buckets: Vec::new() }
    }

    #[inline]
    pub(super) fn push(&mut self, position: PackedPosition, bucket: usize) {
        self.positions.push(position);
        self.buckets.push(bucket as u16);
    }

    /// Adds a block if there are enough positions. To be called between games.
    pub(super) fn flush_if_full(&mut self) -> io::Result<()> {
        if self.positions.len() >= BLOCK { self.flush() } else { Ok(()) }
    }

    /// Adds a block with all positions so far.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        let Some(&any) = self.positions.first() else { return Ok(()) };
        // A counting sort.
        let mut starts = vec![0_u32; self.blocks.buckets + 1];
        for bucket in &self.buckets {
            starts[usize::from(*bucket) + 1] += 1;
        }
        for bucket in 0..self.blocks.buckets {
            starts[bucket + 1] += starts[bucket];
        }
        let mut next = starts.clone();
        let mut sorted = vec![any; self.positions.len()];
        for (position, bucket) in self.positions.iter().zip(&self.buckets) {
            let place = &mut next[usize::from(*bucket)];
            sorted[*place as usize] = *position;
            *place += 1;
        }
        self.positions.clear();
        self.buckets.clear();
        self.block += 1;
        self.blocks.add(BlockSource { file: self.file, block: self.block }, starts, sorted)
    }
}

/// Positions in a random order, in parts of which only one needs to be in memory. They can be read any number of times.
#[derive(Clone, Default)]
pub struct Shuffled {
    blocks: Option<Arc<Blocks>>,
    /// The first bucket.
    first: usize,
    /// Positions of each bucket.
    sizes: Vec<usize>,
    seed: u64,
}

impl Shuffled {
    /// Number of positions.
    pub fn positions(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// The number of parts.
    pub fn parts(&self) -> usize {
        self.sizes.len()
    }

    /// The positions of a part, in a random order.
    pub fn part(&self, index: usize) -> io::Result<Vec<PackedPosition>> {
        let Some(blocks) = &self.blocks else { return Ok(Vec::new()) };
        let bucket = self.first + index;
        let mut positions = blocks.bucket(bucket)?;
        Random::split(!self.seed, bucket as u64).shuffle(&mut positions);
        positions.truncate(self.sizes[index]);
        Ok(positions)
    }

    /// All parts in order.
    pub fn iter(&self) -> impl Iterator<Item = io::Result<Vec<PackedPosition>>> + '_ {
        (0..self.parts()).map(|index| self.part(index))
    }

    /// The first positions of the random order, which are a random sample.
    pub fn first(&self, most: usize) -> io::Result<Vec<PackedPosition>> {
        let mut found = Vec::new();
        for index in 0..self.parts() {
            if found.len() >= most {
                break;
            }
            found.extend(self.part(index)?);
        }
        found.truncate(most);
        Ok(found)
    }

    /// Keeps only the first positions of the random order.
    pub fn truncate(&mut self, most: usize) {
        let mut left = most;
        for size in &mut self.sizes {
            *size = (*size).min(left);
            left -= *size;
        }
        while self.sizes.pop_if(|size| *size == 0).is_some() {}
    }

    /// Positions in these parts.
    #[cfg(test)]
    pub fn of(parts: &[Vec<PackedPosition>]) -> Self {
        let blocks = Arc::new(Blocks::new(parts.len(), usize::MAX));
        let mut scatterer = Scatterer::new(&blocks, 0);
        for (bucket, part) in parts.iter().enumerate() {
            part.iter().for_each(|position| scatterer.push(*position, bucket));
        }
        scatterer.flush().unwrap();
        blocks.shuffled(0..parts.len(), 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::viriformat::GameResult;
    use super::*;
    use shakmaty::Chess;

    /// Positions that differ in their scores.
    fn numbered(count: i16) -> impl Iterator<Item = PackedPosition> {
        (0..count).map(|score| PackedPosition::new(&Chess::default(), score, GameResult::Draw))
    }

    fn scores(shuffled: &Shuffled) -> Vec<i16> {
        shuffled.iter().flat_map(Result::unwrap).map(|position| position.score()).collect()
    }

    /// Two files of 500 positions each, the second first if `reverse`, in blocks of 100.
    fn read(memory: usize, reverse: bool, seed: u64) -> (Arc<Blocks>, Shuffled) {
        let blocks = Arc::new(Blocks::new(8, memory));
        for file in if reverse { [1, 0] } else { [0, 1] } {
            let mut random = Random::split(seed, file);
            let mut scatterer = Scatterer::new(&blocks, file as usize);
            for position in numbered(1_000).skip(500 * file as usize).take(500) {
                scatterer.push(position, random.below(8));
                if scatterer.positions.len() == 100 {
                    scatterer.flush().unwrap();
                }
            }
        }
        let shuffled = blocks.shuffled(0..8, seed);
        (blocks, shuffled)
    }

    #[test]
    fn the_order_is_random_and_does_not_depend_on_memory_or_on_who_reads_first() {
        let (blocks, all) = read(usize::MAX, false, 3);
        assert_eq!((all.positions(), all.parts(), blocks.bytes_on_disk()), (1_000, 8, 0));
        let order = scores(&all);
        for (memory, reverse, on_disk) in [(usize::MAX, true, 0), (0, false, 32_000), (7_000, true, 25_600)] {
            let (blocks, again) = read(memory, reverse, 3);
            assert_eq!((scores(&again), blocks.bytes_on_disk()), (order.clone(), on_disk));
            assert_eq!(scores(&again), order, "it can be read again");
        }
        assert_ne!(scores(&read(0, false, 4).1), order);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..1_000).collect::<Vec<i16>>());
        // Neighbours of the input are no neighbours, and every tenth of the order has positions of both files.
        assert!(order.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) == 1).count() < 15);
        assert!(order.chunks(100).all(|part| {
            let first_file = part.iter().filter(|score| **score < 500).count();
            (25..75).contains(&first_file)
        }));
    }

    #[test]
    fn every_order_of_three_is_equally_likely() {
        let mut seen = std::collections::BTreeMap::new();
        for seed in 0..6_000 {
            let blocks = Arc::new(Blocks::new(2, usize::MAX));
            let (mut random, mut scatterer) = (Random::split(seed, 0), Scatterer::new(&blocks, 0));
            numbered(3).for_each(|position| scatterer.push(position, random.below(2)));
            scatterer.flush().unwrap();
            *seen.entry(scores(&blocks.shuffled(0..2, seed))).or_insert(0) += 1;
        }
        // 1,000 each are expected, with a standard deviation of 29.
        assert!(seen.len() == 6 && seen.values().all(|count| (870..1_130).contains(count)), "{seen:?}");
    }

    #[test]
    fn the_first_positions_are_those_that_truncating_leaves() {
        let mut all = read(0, false, 3).1;
        let order = scores(&all);
        let first: Vec<i16> = all.first(300).unwrap().iter().map(PackedPosition::score).collect();
        assert_eq!(first, order[..300]);
        all.truncate(300);
        assert_eq!((all.positions(), scores(&all)), (300, first));
        assert!(Shuffled::default().first(10).unwrap().is_empty());
    }
}
