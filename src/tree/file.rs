//! Reading a recording.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::node::{NO_BEST, Node, Places, SIZE};
use super::summary::{Meta, Summary};
use crate::position::{PackedMove, Position};
use crate::search::visit::Purpose;

/// Bytes of the header.
pub const HEADER: usize = 64;
/// What every recording begins with.
const MAGIC: [u8; 8] = *b"ESPTREE\n";
/// The version this program writes and reads.
pub const VERSION: u32 = 1;
/// No text is longer; a longer one is damage.
const LONGEST_TEXT: u64 = 64 << 20;

/// Where things are in a file.
pub(super) struct Header {
    pub meta_offset: u64,
    pub meta_length: u64,
    /// Of the whole file.
    pub length: u64,
    pub meta_sum: u64,
}

impl Header {
    pub fn to_bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&(SIZE as u32).to_le_bytes());
        let longs = [self.meta_offset, self.meta_length, self.length, self.meta_sum];
        for (slot, value) in bytes[16..48].chunks_exact_mut(8).zip(longs) {
            slot.copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; HEADER]) -> Result<Self, Trouble> {
        if bytes[..8] != MAGIC {
            return Err(Trouble::Foreign);
        }
        let word = |at: usize| bytes[at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
        let long = |at: usize| bytes[at..].first_chunk().map_or(0, |long| u64::from_le_bytes(*long));
        if word(8) != VERSION {
            return Err(Trouble::OtherVersion(word(8)));
        }
        if word(12) != SIZE as u32 {
            return Err(Trouble::Damaged(format!("its nodes should have {SIZE} bytes, not {}", word(12))));
        }
        Ok(Self { meta_offset: long(16), meta_length: long(24), length: long(32), meta_sum: long(40) })
    }

    fn check(&self, length: u64) -> Result<(), Trouble> {
        if length != self.length {
            return Err(Trouble::Length { is: length, should: self.length });
        }
        let records = self.meta_offset.checked_sub(HEADER as u64);
        let fits = self.meta_offset.checked_add(self.meta_length) == Some(self.length);
        if !fits || self.meta_length > LONGEST_TEXT || records.is_none_or(|bytes| bytes % SIZE as u64 != 0) {
            return Err(Trouble::Damaged("its header contradicts itself".to_owned()));
        }
        Ok(())
    }
}

/// Mixes 64 bits.
fn stir(value: u64) -> u64 {
    let value = (value ^ value >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    value ^ value >> 29
}

/// The checksum of bytes.
pub(super) fn text_sum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(bytes.len() as u64, |sum, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        stir(sum ^ u64::from_le_bytes(word))
    })
}

/// A record's share of the checksum of a tree; they are added up, so their order does not matter.
pub(super) fn record_sum(index: u32, bytes: &[u8; SIZE]) -> u64 {
    stir(text_sum(bytes) ^ stir(u64::from(index)))
}

/// What is wrong with a file.
#[derive(Debug)]
pub enum Trouble {
    /// It cannot be read.
    Io(io::Error),
    /// Something else was written there.
    Foreign,
    /// Written by another version of the format.
    OtherVersion(u32),
    /// A piece is missing, or there is too much.
    Length {
        /// Bytes there are.
        is: u64,
        /// Bytes there should be.
        should: u64,
    },
    /// It contradicts itself; says how.
    Damaged(String),
    /// No such tree or node in it.
    Missing(String),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Foreign => write!(f, "not a recording of a search tree"),
            Self::OtherVersion(version) => {
                write!(f, "a recording in version {version} of the format; this program reads {VERSION}")
            }
            Self::Length { is, should } if is < should => {
                write!(f, "truncated: {is} of {should} bytes are there")
            }
            Self::Length { is, should } => write!(f, "damaged: {is} bytes where {should} should be"),
            Self::Damaged(how) => write!(f, "damaged: {how}"),
            Self::Missing(what) => write!(f, "there is no {what} in it"),
        }
    }
}

/// What is wrong, and with which file.
#[derive(Debug)]
pub struct FileError {
    path: PathBuf,
    /// What is wrong.
    pub trouble: Trouble,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.trouble)
    }
}

impl std::error::Error for FileError {}

/// A recording on disk. Only its text part is in memory.
pub struct Recording {
    path: PathBuf,
    file: File,
    meta: Meta,
}

impl Recording {
    /// Opens a file and reads its text part.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let wrong = |trouble| FileError { path: path.to_owned(), trouble };
        let (file, meta) = File::open(path).map_err(Trouble::Io).and_then(read_meta).map_err(wrong)?;
        Ok(Self { path: path.to_owned(), file, meta })
    }

    /// What it says about itself.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Its trees.
    pub fn trees(&self) -> impl Iterator<Item = Tree<'_>> {
        self.meta.trees.iter().map(|summary| Tree { recording: self, summary })
    }

    /// A tree by its place in the file, from 0.
    pub fn tree(&self, number: usize) -> Result<Tree<'_>, FileError> {
        self.trees().nth(number).ok_or_else(|| self.wrong(Trouble::Missing(format!("tree {number}"))))
    }

    /// The tree of an iteration.
    pub fn iteration(&self, depth: i32) -> Result<Tree<'_>, FileError> {
        let mut trees = self.trees();
        let found = trees.find(|tree| tree.summary.iteration == depth);
        found.ok_or_else(|| self.wrong(Trouble::Missing(format!("tree of iteration {depth}"))))
    }

    fn wrong(&self, trouble: Trouble) -> FileError {
        FileError { path: self.path.clone(), trouble }
    }
}

fn read_meta(mut file: File) -> Result<(File, Meta), Trouble> {
    let length = file.metadata()?.len();
    let mut bytes = [0; HEADER];
    let magic = length.min(HEADER as u64) as usize;
    file.read_exact(&mut bytes[..magic])?;
    if magic < HEADER {
        let foreign = magic == 0 || bytes[..magic.min(8)] != MAGIC[..magic.min(8)];
        return Err(if foreign {
            Trouble::Foreign
        } else {
            Trouble::Length { is: length, should: HEADER as u64 }
        });
    }
    let header = Header::from_bytes(&bytes)?;
    header.check(length)?;
    file.seek(SeekFrom::Start(header.meta_offset))?;
    let mut text = vec![0; header.meta_length as usize];
    file.read_exact(&mut text)?;
    if text_sum(&text) != header.meta_sum {
        return Err(Trouble::Damaged("its text part is not what was written".to_owned()));
    }
    let meta: Meta = serde_json::from_slice(&text)
        .map_err(|error| Trouble::Damaged(format!("its text part cannot be read: {error}")))?;
    let records = (header.meta_offset - HEADER as u64) / SIZE as u64;
    let fits = |tree: &Summary| tree.records > 0 && tree.start.saturating_add(tree.records) < records;
    if !meta.trees.iter().all(fits) {
        return Err(Trouble::Damaged("a tree is said to be where the file does not reach".to_owned()));
    }
    Ok((file, meta))
}

/// One tree of a recording. Nodes are named by their place in it, from 0; 0 is the iteration.
#[derive(Copy, Clone)]
pub struct Tree<'a> {
    recording: &'a Recording,
    /// What is in it.
    pub summary: &'a Summary,
}

impl Tree<'_> {
    fn wrong(&self, trouble: Trouble) -> FileError {
        self.recording.wrong(trouble)
    }

    fn damaged(&self, how: String) -> FileError {
        self.wrong(Trouble::Damaged(how))
    }

    /// Reads records and, behind them, where the children of the last one end.
    fn read(&self, from: u64, count: u64) -> Result<(Vec<Node>, u64), FileError> {
        if from + count > self.summary.records {
            return Err(self.wrong(Trouble::Missing(format!("node {}", from + count - 1))));
        }
        let mut bytes = vec![0; (count as usize + 1) * SIZE];
        let offset = HEADER as u64 + (self.summary.start + from) * SIZE as u64;
        let mut file = &self.recording.file;
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(|error| self.wrong(error.into()))?;
        let (records, rest) = bytes.as_chunks::<SIZE>();
        debug_assert!(rest.is_empty());
        let (last, records) = records.split_last().ok_or_else(|| self.damaged("nothing".to_owned()))?;
        let nodes: Option<Vec<Node>> = records.iter().map(Node::from_bytes).collect();
        let nodes = nodes.ok_or_else(|| self.damaged(format!("node {from} or one behind it")))?;
        Ok((nodes, u64::from(Places::of(last).first)))
    }

    /// One node.
    pub fn node(&self, index: u32) -> Result<Node, FileError> {
        self.read(index.into(), 1).map(|(nodes, _)| nodes[0])
    }

    /// The places of a node's children.
    pub fn child_range(&self, index: u32) -> Result<std::ops::Range<u32>, FileError> {
        let (nodes, end) = self.read(index.into(), 1)?;
        let first = u64::from(nodes[0].first);
        if first > end || first <= u64::from(index) || end > self.summary.records {
            return Err(self.damaged(format!("node {index} has children from {first} to {end}")));
        }
        Ok(first as u32..end as u32)
    }

    /// The children of a node, in the order in which they were searched.
    pub fn children(&self, index: u32) -> Result<Vec<Node>, FileError> {
        let range = self.child_range(index)?;
        self.read(range.start.into(), range.len() as u64).map(|(nodes, _)| nodes)
    }

    /// The places of the nodes from the iteration down to a node.
    pub fn path(&self, index: u32) -> Result<Vec<u32>, FileError> {
        let mut path = vec![index];
        let mut here = index;
        while here != 0 {
            let parent = self.node(here)?.parent;
            if parent >= here {
                return Err(self.damaged(format!("node {here} has parent {parent}")));
            }
            here = parent;
            path.push(here);
        }
        path.reverse();
        Ok(path)
    }

    /// The principal variation: the places of its nodes, from the iteration on.
    pub fn principal_variation(&self) -> Result<Vec<u32>, FileError> {
        let mut path = vec![0];
        let mut here = 0;
        loop {
            let best = self.node(here)?.best;
            if best == NO_BEST {
                return Ok(path);
            }
            let range = self.child_range(here)?;
            here = range.start + u32::from(best);
            if !range.contains(&here) {
                return Err(self.damaged(format!("the best child of node {} is not there", range.start)));
            }
            path.push(here);
        }
    }

    /// The positions on the way to a node, itself included, one per node of its path.
    pub fn positions(&self, path: &[u32]) -> Result<Vec<Position>, FileError> {
        let meta = &self.recording.meta;
        let mut position = Position::from_fen(&meta.fen, meta.chess960)
            .map_err(|error| self.damaged(format!("its position: {error}")))?;
        let mut positions = Vec::with_capacity(path.len());
        for &index in path {
            let node = self.node(index)?;
            position = self.position_after(&position, &node, index)?;
            positions.push(position.clone());
        }
        Ok(positions)
    }

    /// The position of a node, given that of its parent.
    pub fn position_after(
        &self,
        position: &Position,
        node: &Node,
        index: u32,
    ) -> Result<Position, FileError> {
        let played = if node.m != PackedMove::NONE {
            position.unpack(node.m).map(|m| position.play(m))
        } else if node.purpose == Purpose::NullMove {
            position.pass()
        } else {
            Some(position.clone())
        };
        let fen = || position.fen();
        played.ok_or_else(|| self.damaged(format!("the move of node {index} is not legal in {}", fen())))
    }

    /// Reads everything and checks that it holds together; `progress` is told of nodes read.
    pub fn check(&self, mut progress: impl FnMut(u64)) -> Result<(), FileError> {
        let offset = HEADER as u64 + self.summary.start * SIZE as u64;
        let mut file = &self.recording.file;
        file.seek(SeekFrom::Start(offset)).map_err(|error| self.wrong(error.into()))?;
        let mut input = BufReader::with_capacity(1 << 20, file);
        let mut bytes = [0; SIZE];
        let (mut sum, mut children) = (0u64, 1);
        for index in 0..self.summary.records as u32 {
            input.read_exact(&mut bytes).map_err(|error| self.wrong(error.into()))?;
            let node = Node::from_bytes(&bytes)
                .filter(|node| node.first >= children && node.parent <= index)
                .ok_or_else(|| self.damaged(format!("node {index}")))?;
            children = node.first;
            sum = sum.wrapping_add(record_sum(index, &bytes));
            if index % 65_536 == 0 {
                progress(index.into());
            }
        }
        let found = format!("{sum:016x}");
        if found != self.summary.checksum {
            let wanted = &self.summary.checksum;
            let depth = self.summary.iteration;
            return Err(self.damaged(format!("iteration {depth} has checksum {found}, not {wanted}")));
        }
        Ok(())
    }
}
