//! Writing: a draft in the order in which the search leaves its nodes, then once more breadth-first.
//!
//! On every level of a tree the nodes stand in the same order depth-first and breadth-first. So the number
//! of nodes on every level, known when the draft is complete, tells where each of its nodes goes: it is read
//! once from front to back and dealt out to the levels, whose ends grow through small buffers. Neither step
//! needs memory for more than the path and one buffer per level.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::header::{HEADER, Header, record_sum, text_sum};
use super::node::{Places, SIZE, TreeNode};
use super::summary::{Counter, Meta, TreeSummary, count_at};
use crate::search::Written;
use crate::search::observer::Tally;

/// Bytes gathered before they go to disk.
const BUFFER: usize = 1 << 20;
/// Records gathered per level.
const PER_LEVEL: usize = 1024;

/// A file that is removed when it is no longer needed.
pub(super) struct Temporary {
    pub path: PathBuf,
    pub file: File,
}

impl Temporary {
    /// A new, empty file beside `path`.
    pub fn beside(path: &Path, extension: &str) -> io::Result<Self> {
        let path = path.with_added_extension(extension);
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
        Ok(Self { path, file })
    }

    /// The same without a name where the system allows that: gone even if the program is killed.
    fn nameless(path: &Path, extension: &str) -> io::Result<Self> {
        let temporary = Self::beside(path, extension)?;
        if cfg!(unix) {
            let _ = std::fs::remove_file(&temporary.path);
        }
        Ok(temporary)
    }

    /// It is needed after all, under its final name.
    fn keep(self, path: &Path) -> io::Result<()> {
        self.file.sync_data()?;
        std::fs::rename(&self.path, path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // After `keep` it is not there any more.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A tree under way.
pub(super) struct Draft {
    to: Temporary,
    waiting: Vec<u8>,
    /// Records so far on every level.
    levels: Vec<u64>,
    pub iteration: i32,
    pub begun: Instant,
    pub counter: Counter,
}

/// A tree that is complete, or will never be.
pub(super) struct Closed {
    from: Temporary,
    summary: TreeSummary,
}

impl Draft {
    /// The tree of an iteration, as a file beside `path`.
    pub fn new(path: &Path, iteration: i32) -> io::Result<Self> {
        Ok(Self {
            to: Temporary::nameless(path, &format!("draft{iteration}"))?,
            waiting: Vec::with_capacity(BUFFER + SIZE),
            levels: Vec::new(),
            iteration,
            begun: Instant::now(),
            counter: Counter::default(),
        })
    }

    /// Adds a node that the search has left. `first` holds the number of its children for now.
    pub fn add(&mut self, mut node: TreeNode, level: usize) -> io::Result<()> {
        count_at(&mut self.levels, level);
        node.parent = level as u32;
        self.waiting.extend_from_slice(&node.to_bytes());
        if self.waiting.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.file.write_all(&self.waiting)?;
        self.waiting.clear();
        Ok(())
    }

    /// Nothing is added any more.
    pub fn close(mut self, complete: bool, tally: &Tally) -> io::Result<Closed> {
        self.flush()?;
        let records: u64 = self.levels.iter().sum();
        let summary = TreeSummary {
            iteration: self.iteration,
            complete,
            records,
            nodes: records.saturating_sub(1),
            levels: self.levels,
            ..self.counter.summary(tally)
        };
        if records >= u64::from(u32::MAX) {
            return Err(io::Error::other(format!("{records} nodes are more than a tree can have")));
        }
        Ok(Closed { from: self.to, summary })
    }
}

impl Closed {
    /// It was searched to its end.
    pub fn is_complete(&self) -> bool {
        self.summary.complete
    }

    /// Deals the nodes out to their levels in `to`, from record `start` of the file on.
    fn deal(&mut self, to: &mut File, start: u64) -> io::Result<()> {
        self.from.file.seek(SeekFrom::Start(0))?;
        let mut levels = Level::starts(&self.summary.levels);
        let mut input = BufReader::with_capacity(BUFFER, &self.from.file);
        let mut bytes = [0; SIZE];
        let mut sum = 0u64;
        for _ in 0..self.summary.records {
            input.read_exact(&mut bytes)?;
            let Places { first: children, parent: level } = Places::of(&bytes);
            // A parent is left after its children: it will be the next one on the level above.
            let parent = match level.checked_sub(1) {
                Some(above) => levels.get(above as usize).ok_or_else(damaged)?.next,
                None => 0,
            };
            let here = levels.get_mut(level as usize).ok_or_else(damaged)?;
            Places { first: here.children, parent }.put(&mut bytes);
            here.children += children;
            sum = sum.wrapping_add(record_sum(here.next, &bytes));
            here.next += 1;
            here.waiting.extend_from_slice(&bytes);
            if here.waiting.len() >= PER_LEVEL * SIZE {
                here.flush(to, start)?;
            }
        }
        for level in &mut levels {
            level.flush(to, start)?;
        }
        self.summary.start = start;
        self.summary.checksum = format!("{sum:016x}");
        to.seek(SeekFrom::Start(HEADER as u64 + (start + self.summary.records) * SIZE as u64))?;
        to.write_all(&Places::end_mark(self.summary.records))
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the draft of the tree is damaged")
}

/// A level being filled.
struct Level {
    /// Index of the next node to come.
    next: u32,
    /// Index of its first child.
    children: u32,
    /// Nodes that are not on disk yet, the last of them before `next`.
    waiting: Vec<u8>,
}

impl Level {
    fn starts(counts: &[u64]) -> Vec<Self> {
        let mut next = 0;
        let of = |&count: &u64| {
            let level = Self { next, children: next + count as u32, waiting: Vec::new() };
            next += count as u32;
            level
        };
        counts.iter().map(of).collect()
    }

    fn flush(&mut self, to: &mut File, start: u64) -> io::Result<()> {
        let first = u64::from(self.next) - (self.waiting.len() / SIZE) as u64;
        to.seek(SeekFrom::Start(HEADER as u64 + (start + first) * SIZE as u64))?;
        to.write_all(&self.waiting)?;
        self.waiting.clear();
        Ok(())
    }
}

/// Writes the file from the drafts, whole or not at all. `meta` gets the summaries.
pub(super) fn publish(
    path: &Path,
    mut drafts: Vec<Closed>,
    meta: impl FnOnce(Vec<TreeSummary>) -> Meta,
) -> io::Result<Written> {
    let mut to = Temporary::beside(path, "partial")?;
    let mut start = 0;
    for draft in &mut drafts {
        draft.deal(&mut to.file, start)?;
        // The disk gets its space back as soon as possible.
        draft.from.file.set_len(0)?;
        start += draft.summary.records + 1;
    }
    let meta = meta(drafts.iter().map(|draft| draft.summary.clone()).collect());
    let text = serde_json::to_vec(&meta).map_err(io::Error::other)?;
    let offset = HEADER as u64 + start * SIZE as u64;
    let header = Header {
        size: SIZE,
        meta_offset: offset,
        meta_length: text.len() as u64,
        length: offset + text.len() as u64,
        meta_sum: text_sum(&text),
    };
    let mut out = BufWriter::new(&to.file);
    out.seek(SeekFrom::Start(offset))?;
    out.write_all(&text)?;
    out.seek(SeekFrom::Start(0))?;
    out.write_all(&header.to_bytes())?;
    out.flush()?;
    drop(out);
    to.keep(path)?;
    let nodes = meta.trees.iter().map(|tree| tree.nodes).sum();
    Ok(Written { path: path.to_owned(), trees: meta.trees.len(), nodes, bytes: header.length, note: None })
}
