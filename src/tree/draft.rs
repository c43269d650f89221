//! Writing a recording: first a draft in the order in which the search leaves its nodes, then breadth-first.
//!
//! Within a level of the tree, depth-first and breadth-first order are the same. So the number of nodes on each level,
//! known when the draft is complete, says where each node goes. The draft is read once from front to back and
//! distributed to the levels through small buffers. Neither step needs memory for more than the path and two buffers
//! per level. The list of moves that a node left out follows it in the draft; in the file all lists follow all nodes, in
//! the order of their nodes.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::header::{HEADER, Header, record_sum, text_sum};
use super::left_out::{LEFT_OUT_SIZE, LeftOutMove};
use super::lists::{Lists, MOST_BYTES, divide_room, room};
use super::node::{NO_NUMBER, Places, SIZE, TreeNode};
use super::summary::{Counter, Meta, TreeSummary, count_at};
use crate::search::Written;
use crate::search::observer::Tally;

/// Bytes buffered before a write.
const BUFFER: usize = 1 << 20;
/// Records buffered per level.
const PER_LEVEL: usize = 1024;
/// Bits of a draft's `parent` field that hold the level; the bits above count the words of the node's list.
const LEVEL_BITS: u32 = 16;

/// A file that is removed when it is no longer needed.
pub(super) struct Temporary {
    pub path: PathBuf,
    pub file: File,
}

impl Temporary {
    /// A new, empty file beside `path`.
    pub(super) fn beside(path: &Path, extension: &str) -> io::Result<Self> {
        let path = path.with_added_extension(extension);
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
        Ok(Self { path, file })
    }

    /// Like [`Self::beside`], but unlinked where the system allows that, so it is gone even if the program is killed.
    fn nameless(path: &Path, extension: &str) -> io::Result<Self> {
        let temporary = Self::beside(path, extension)?;
        if cfg!(unix) {
            let _ = std::fs::remove_file(&temporary.path);
        }
        Ok(temporary)
    }

    /// Renames the file to its final name.
    fn keep(self, path: &Path) -> io::Result<()> {
        self.file.sync_data()?;
        std::fs::rename(&self.path, path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Fails after `keep`, when there is nothing to remove.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A tree being recorded.
pub(super) struct Draft {
    to: Temporary,
    waiting: Vec<u8>,
    /// Records so far on every level.
    levels: Vec<u64>,
    /// The lists of moves they left out.
    lists: Lists,
    pub iteration: i32,
    pub begun: Instant,
    pub counter: Counter,
}

/// A tree to which nothing is added any more.
pub(super) struct Closed {
    from: Temporary,
    summary: TreeSummary,
    lists: Lists,
}

impl Draft {
    /// Starts the tree of an iteration, in a file beside `path`.
    pub(super) fn new(path: &Path, iteration: i32) -> io::Result<Self> {
        Ok(Self {
            to: Temporary::nameless(path, &format!("draft{iteration}"))?,
            waiting: Vec::with_capacity(BUFFER + SIZE),
            levels: Vec::new(),
            lists: Lists::default(),
            iteration,
            begun: Instant::now(),
            counter: Counter::default(),
        })
    }

    /// Adds a node that the search has left, and the moves that it left out. In a draft `first` holds the number of
    /// children, and `parent` the level and, above that, the number of words of its list, which follow.
    pub(super) fn add(
        &mut self,
        mut node: TreeNode,
        level: usize,
        left_out: &[LeftOutMove],
    ) -> io::Result<()> {
        count_at(&mut self.levels, level, 1);
        let listed = node.may_keep_left_out();
        if listed {
            node.numbers = [NO_NUMBER; 3]; // set in the file, where they say where the list is
        }
        let words = self.lists.add(&mut node, level, if listed { left_out } else { &[] });
        node.parent = level as u32 | (words.len() as u32) << LEVEL_BITS;
        self.waiting.extend_from_slice(&node.to_bytes());
        self.waiting.extend_from_slice(words.as_flattened());
        if self.waiting.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.file.write_all(&self.waiting)?;
        self.waiting.clear();
        Ok(())
    }

    /// Ends the draft.
    pub(super) fn close(mut self, complete: bool, tally: &Tally) -> io::Result<Closed> {
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
        Ok(Closed { from: self.to, summary, lists: self.lists })
    }
}

impl Closed {
    /// Whether the iteration was completed.
    pub(super) fn is_complete(&self) -> bool {
        self.summary.complete
    }

    /// Distributes the nodes to their levels in `to`, from record `start` of the file on, and at most `room` words of the
    /// lists of moves they left out from byte `lists_at` on.
    fn distribute(&mut self, to: &mut File, start: u64, lists_at: u64, room: u64) -> io::Result<()> {
        self.from.file.seek(SeekFrom::Start(0))?;
        let at = HEADER as u64 + start * SIZE as u64;
        let mut lists = self.lists.close(room);
        self.summary.left_out = lists.levels.iter().sum();
        self.summary.without_numbers = lists.without_numbers;
        self.summary.dropped = lists.dropped;
        let mut levels = Level::starts(&self.summary.levels, &lists.levels, [at, lists_at]);
        let mut input = BufReader::with_capacity(BUFFER, &self.from.file);
        let mut bytes = [0; SIZE];
        let mut sum = 0u64;
        for _ in 0..self.summary.records {
            input.read_exact(&mut bytes)?;
            let Places { first: children, parent } = Places::of(&bytes);
            let (level, words) = (parent as usize & ((1 << LEVEL_BITS) - 1), parent >> LEVEL_BITS);
            // The search leaves a parent after its children, so the parent is the next node of the level above.
            let parent = match level.checked_sub(1) {
                Some(above) => levels.get(above).ok_or_else(damaged)?.records.next,
                None => 0,
            };
            let here = levels.get_mut(level).ok_or_else(damaged)?;
            Places { first: here.children, parent }.put(&mut bytes);
            here.children += children;
            let list = lists.read(&mut input, &mut bytes, words as usize)?;
            if !list.is_empty() {
                let numbers = TreeNode::pointing(here.left_out.next, list.len());
                TreeNode::put_numbers(numbers, &mut bytes);
            }
            sum = sum.wrapping_add(record_sum(here.records.next, &bytes));
            here.records.add(&bytes, to)?;
            for word in list {
                let index = self.summary.left_out_index(here.left_out.next);
                sum = sum.wrapping_add(record_sum(index, word));
                here.left_out.add(word, to)?;
            }
        }
        for level in &mut levels {
            level.records.flush(to)?;
            level.left_out.flush(to)?;
        }
        self.summary.start = start;
        self.summary.checksum = format!("{sum:016x}");
        to.seek(SeekFrom::Start(at + self.summary.records * SIZE as u64))?;
        to.write_all(&Places::end_mark(self.summary.records))
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the draft of the tree is damaged")
}

/// A level being filled.
struct Level {
    records: Growing,
    left_out: Growing,
    /// Index of the first child of the next node.
    children: u32,
}

impl Level {
    /// The levels of a tree, given the number of nodes and of list words on each, and the bytes where both begin.
    fn starts(nodes: &[u64], left_out: &[u64], at: [u64; 2]) -> Vec<Self> {
        let (mut node, mut out) = (0, 0);
        let of = |(&nodes, &left_out): (&u64, &u64)| {
            let level = Self {
                records: Growing { next: node, at: at[0], size: SIZE, waiting: Vec::new() },
                left_out: Growing { next: out, at: at[1], size: LEFT_OUT_SIZE, waiting: Vec::new() },
                children: node + nodes as u32,
            };
            (node, out) = (node + nodes as u32, out + left_out as u32);
            level
        };
        nodes.iter().zip(left_out).map(of).collect()
    }
}

/// A part of the file that is written through a buffer.
struct Growing {
    /// Index of the next item.
    next: u32,
    /// The byte of item 0.
    at: u64,
    /// Bytes of an item.
    size: usize,
    /// Items not written yet, the last one just before `next`.
    waiting: Vec<u8>,
}

impl Growing {
    fn add(&mut self, bytes: &[u8], to: &mut File) -> io::Result<()> {
        self.waiting.extend_from_slice(bytes);
        self.next += 1;
        if self.waiting.len() >= PER_LEVEL * self.size { self.flush(to) } else { Ok(()) }
    }

    fn flush(&mut self, to: &mut File) -> io::Result<()> {
        let first = u64::from(self.next) - (self.waiting.len() / self.size) as u64;
        to.seek(SeekFrom::Start(self.at + first * self.size as u64))?;
        to.write_all(&self.waiting)?;
        self.waiting.clear();
        Ok(())
    }
}

/// A summary whose text is at least as long as the final one.
fn longest(summary: &TreeSummary) -> TreeSummary {
    let most = summary.records * (MOST_BYTES - SIZE) as u64;
    let checksum = format!("{:016x}", 0);
    TreeSummary {
        start: u64::MAX,
        left_out: most,
        without_numbers: most,
        dropped: most,
        checksum,
        ..summary.clone()
    }
}

/// Writes the file from the drafts, atomically. `meta` gets the summaries.
pub(super) fn publish(
    path: &Path,
    mut drafts: Vec<Closed>,
    meta: impl Fn(Vec<TreeSummary>) -> Meta,
) -> io::Result<Written> {
    let mut to = Temporary::beside(path, "partial")?;
    let nodes: u64 = drafts.iter().map(|draft| draft.summary.nodes).sum();
    let records: u64 = drafts.iter().map(|draft| draft.summary.records + 1).sum();
    let longest = drafts.iter().map(|draft| longest(&draft.summary)).collect();
    let text = serde_json::to_vec(&meta(longest)).map_err(io::Error::other)?.len();
    let (mut start, mut offset) = (0, HEADER as u64 + records * SIZE as u64);
    let besides = offset + text as u64 - nodes * SIZE as u64;
    let wanted = drafts.iter().map(|draft| [room(draft.summary.nodes, nodes, besides), draft.lists.needed()]);
    let rooms = divide_room(&wanted.collect::<Vec<_>>());
    for (draft, room) in drafts.iter_mut().zip(rooms) {
        draft.distribute(&mut to.file, start, offset, room)?;
        // Frees the disk space as soon as possible.
        draft.from.file.set_len(0)?;
        start += draft.summary.records + 1;
        offset += draft.summary.left_out * LEFT_OUT_SIZE as u64;
    }
    let meta = meta(drafts.iter().map(|draft| draft.summary.clone()).collect());
    let text = serde_json::to_vec(&meta).map_err(io::Error::other)?;
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
