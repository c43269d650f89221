//! Reading a recording.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

pub use super::header::{HEADER, RecordingError, VERSION};
use super::header::{Header, MAGIC, record_sum, text_sum};
use super::node::{NO_BEST, Places, SIZE, SIZE_2, TreeNode};
use super::summary::{Meta, TreeSummary};
use crate::board::{PackedMove, Position};
use crate::search::event::Purpose;

/// What is wrong, and with which file.
#[derive(Debug)]
pub struct FileError {
    path: PathBuf,
    /// The error, which does not know the file's name.
    pub trouble: RecordingError,
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
    /// Bytes of a record.
    size: usize,
    meta: Meta,
}

impl Recording {
    /// Opens a file and reads its text part.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let wrong = |trouble| FileError { path: path.to_owned(), trouble };
        let (file, size, meta) =
            File::open(path).map_err(RecordingError::Io).and_then(read_meta).map_err(wrong)?;
        Ok(Self { path: path.to_owned(), file, size, meta })
    }

    /// What it says about itself.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// The recorded iterations, shallow ones first.
    pub fn trees(&self) -> impl Iterator<Item = Tree<'_>> {
        self.meta.trees.iter().map(|summary| Tree { recording: self, summary })
    }

    /// A tree by its place in the file, from 0.
    pub fn tree(&self, number: usize) -> Result<Tree<'_>, FileError> {
        self.trees().nth(number).ok_or_else(|| self.wrong(RecordingError::Missing(format!("tree {number}"))))
    }

    /// The tree of an iteration.
    pub fn iteration(&self, depth: i32) -> Result<Tree<'_>, FileError> {
        let mut trees = self.trees();
        let found = trees.find(|tree| tree.summary.iteration == depth);
        found.ok_or_else(|| self.wrong(RecordingError::Missing(format!("tree of iteration {depth}"))))
    }

    fn wrong(&self, trouble: RecordingError) -> FileError {
        FileError { path: self.path.clone(), trouble }
    }
}

fn read_meta(mut file: File) -> Result<(File, usize, Meta), RecordingError> {
    let length = file.metadata()?.len();
    let mut bytes = [0; HEADER];
    let magic = length.min(HEADER as u64) as usize;
    file.read_exact(&mut bytes[..magic])?;
    if magic < HEADER {
        let foreign = magic == 0 || bytes[..magic.min(8)] != MAGIC[..magic.min(8)];
        return Err(if foreign {
            RecordingError::NotARecording
        } else {
            RecordingError::Length { is: length, should: HEADER as u64 }
        });
    }
    let header = Header::from_bytes(&bytes)?;
    header.check(length)?;
    file.seek(SeekFrom::Start(header.meta_offset))?;
    let mut text = vec![0; header.meta_length as usize];
    file.read_exact(&mut text)?;
    if text_sum(&text) != header.meta_sum {
        return Err(RecordingError::Damaged("its text part is not what was written".to_owned()));
    }
    let meta: Meta = serde_json::from_slice(&text)
        .map_err(|error| RecordingError::Damaged(format!("its text part cannot be read: {error}")))?;
    let records = (header.meta_offset - HEADER as u64) / header.size as u64;
    let fits = |tree: &TreeSummary| tree.records > 0 && tree.start.saturating_add(tree.records) < records;
    if !meta.trees.iter().all(fits) {
        return Err(RecordingError::Damaged("a tree is said to be where the file does not reach".to_owned()));
    }
    Ok((file, header.size, meta))
}

/// A record of this or an earlier version as one of this version.
fn current(bytes: &[u8]) -> [u8; SIZE] {
    match (bytes.first_chunk::<SIZE>(), bytes.first_chunk::<SIZE_2>()) {
        (Some(record), _) => *record,
        (None, Some(old)) => TreeNode::widened(old),
        (None, None) => [0; SIZE],
    }
}

/// One tree of a recording. Nodes are named by their place in it, from 0; 0 is the iteration.
#[derive(Copy, Clone)]
pub struct Tree<'a> {
    recording: &'a Recording,
    /// What is in it.
    pub summary: &'a TreeSummary,
}

impl Tree<'_> {
    fn wrong(&self, trouble: RecordingError) -> FileError {
        self.recording.wrong(trouble)
    }

    fn damaged(&self, how: String) -> FileError {
        self.wrong(RecordingError::Damaged(how))
    }

    /// Reads records and, behind them, where the children of the last one end.
    fn read(&self, from: u64, count: u64) -> Result<(Vec<TreeNode>, u64), FileError> {
        if from + count > self.summary.records {
            return Err(self.wrong(RecordingError::Missing(format!("node {}", from + count - 1))));
        }
        let size = self.recording.size;
        let mut bytes = vec![0; (count as usize + 1) * size];
        let offset = HEADER as u64 + (self.summary.start + from) * size as u64;
        let mut file = &self.recording.file;
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(|error| self.wrong(error.into()))?;
        let (records, last) = bytes.split_at(count as usize * size);
        let nodes: Option<Vec<TreeNode>> =
            records.chunks_exact(size).map(|record| TreeNode::from_bytes(&current(record))).collect();
        let nodes = nodes.ok_or_else(|| self.damaged(format!("node {from} or one behind it")))?;
        Ok((nodes, u64::from(Places::of(&current(last)).first)))
    }

    /// Reads one node from disk by its index in the tree; 0 stands for the iteration.
    pub fn node(&self, index: u32) -> Result<TreeNode, FileError> {
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
    pub fn children(&self, index: u32) -> Result<Vec<TreeNode>, FileError> {
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
        node: &TreeNode,
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
        let size = self.recording.size;
        let offset = HEADER as u64 + self.summary.start * size as u64;
        let mut file = &self.recording.file;
        file.seek(SeekFrom::Start(offset)).map_err(|error| self.wrong(error.into()))?;
        let mut input = BufReader::with_capacity(1 << 20, file);
        let mut bytes = vec![0; size];
        let (mut sum, mut children) = (0u64, 1);
        for index in 0..self.summary.records as u32 {
            input.read_exact(&mut bytes).map_err(|error| self.wrong(error.into()))?;
            let node = TreeNode::from_bytes(&current(&bytes))
                .filter(|node| node.first >= children && node.parent <= index)
                .ok_or_else(|| self.damaged(format!("node {index}")))?;
            children = node.first;
            sum = sum.wrapping_add(record_sum(index, &bytes));
            if index % 65_536 == 0 {
                progress(index.into());
            }
        }
        input.read_exact(&mut bytes).map_err(|error| self.wrong(error.into()))?;
        if bytes != Places::end_mark(self.summary.records)[..size] {
            let depth = self.summary.iteration;
            return Err(self.damaged(format!("the end mark of iteration {depth} is not what was written")));
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
