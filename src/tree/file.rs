//! Reading a recording.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

pub use super::header::{HEADER, RecordingError, VERSION};
use super::header::{Header, MAGIC, record_sum, text_sum};
use super::left_out::{LEFT_OUT_SIZE, LeftOut, LeftOutMove, left_out, unpack, unpack_held};
use super::node::{KeptMoves, NO_BEST, Places, SIZE, SIZE_2, SIZE_EARLY, TreeNode};
use super::summary::{Meta, TreeSummary};
use crate::board::{PackedMove, Position};
use crate::files::open_file;
use crate::search::event::Purpose;

/// An error and the file it is about.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", .path.display())]
pub struct FileError {
    path: PathBuf,
    /// The error, without the name of the file.
    pub error: RecordingError,
}

/// A recording on disk. Only its text part is kept in memory.
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
        let wrong = |error| FileError { path: path.to_owned(), error };
        let (file, size, meta) =
            open_file(path).map_err(RecordingError::Io).and_then(read_meta).map_err(wrong)?;
        Ok(Self { path: path.to_owned(), file, size, meta })
    }

    /// Its text part.
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

    fn wrong(&self, error: RecordingError) -> FileError {
        FileError { path: self.path.clone(), error }
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
    if !fits(&meta, &header) {
        return Err(RecordingError::Damaged("a tree is said to be where the file does not reach".to_owned()));
    }
    Ok((file, header.size, meta))
}

/// Whether trees and lists of left-out moves fill exactly the space between header and text.
fn fits(meta: &Meta, header: &Header) -> bool {
    let bytes = |tree: &TreeSummary| {
        let records = tree.records.checked_add(1)?.checked_mul(header.size as u64)?;
        records.checked_add(tree.left_out.checked_mul(LEFT_OUT_SIZE as u64)?)
    };
    let mut start = 0;
    let mut end = Some(HEADER as u64);
    for tree in &meta.trees {
        if tree.records == 0 || tree.records > u32::MAX.into() || tree.start != start {
            return false;
        }
        start += tree.records + 1;
        end = end.and_then(|end| end.checked_add(bytes(tree)?));
    }
    end == Some(header.meta_offset)
}

/// Converts a record of an earlier version to this one.
fn current(bytes: &[u8]) -> [u8; SIZE] {
    if let Some(early) = bytes.first_chunk::<SIZE_EARLY>() {
        return TreeNode::from_early_build(early);
    }
    match (bytes.first_chunk::<SIZE>(), bytes.first_chunk::<SIZE_2>()) {
        (Some(record), _) => *record,
        (None, Some(old)) => TreeNode::from_version_2(old),
        (None, None) => [0; SIZE],
    }
}

/// One tree of a recording. Nodes have indices from 0; node 0 is the iteration.
#[derive(Copy, Clone)]
pub struct Tree<'a> {
    recording: &'a Recording,
    /// Counts of what is in it.
    pub summary: &'a TreeSummary,
}

impl Tree<'_> {
    fn wrong(&self, error: RecordingError) -> FileError {
        self.recording.wrong(error)
    }

    /// The text part of its recording.
    pub fn meta(&self) -> &Meta {
        &self.recording.meta
    }

    /// The byte of the file where this tree's lists of left-out moves begin.
    fn left_out_offset(&self) -> u64 {
        let trees = &self.recording.meta.trees;
        let records: u64 = trees.iter().map(|tree| tree.records + 1).sum();
        let before = trees.iter().take_while(|tree| tree.start < self.summary.start);
        let moves: u64 = before.map(|tree| tree.left_out).sum();
        HEADER as u64 + records * self.recording.size as u64 + moves * LEFT_OUT_SIZE as u64
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), FileError> {
        let mut file = &self.recording.file;
        let read = file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(bytes));
        read.map_err(|error| self.wrong(error.into()))
    }

    fn damaged(&self, how: String) -> FileError {
        self.wrong(RecordingError::Damaged(how))
    }

    /// Reads records, and the index after the children of the last one.
    fn read(&self, from: u64, count: u64) -> Result<(Vec<TreeNode>, u64), FileError> {
        if from + count > self.summary.records {
            return Err(self.wrong(RecordingError::Missing(format!("node {}", from + count - 1))));
        }
        let size = self.recording.size;
        let mut bytes = vec![0; (count as usize + 1) * size];
        let offset = HEADER as u64 + (self.summary.start + from) * size as u64;
        self.read_at(offset, &mut bytes)?;
        let (records, last) = bytes.split_at(count as usize * size);
        let nodes: Option<Vec<TreeNode>> =
            records.chunks_exact(size).map(|record| TreeNode::from_bytes(&current(record))).collect();
        let nodes = nodes.ok_or_else(|| self.damaged(format!("node {from} or one after it")))?;
        Ok((nodes, u64::from(Places::of(&current(last)).first)))
    }

    /// Reads the node with this index.
    pub fn node(&self, index: u32) -> Result<TreeNode, FileError> {
        self.read(index.into(), 1).map(|(nodes, _)| nodes[0])
    }

    /// The indices of a node's children.
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

    /// The best reply to the move of a node, and the answer to that. Where no move raised alpha, the nearest to it.
    pub fn replies(&self, node: &TreeNode) -> Result<Vec<PackedMove>, FileError> {
        let mut moves = Vec::new();
        let mut here = *node;
        while moves.len() < 2 && here.nearest != NO_BEST {
            here = self.node(here.first.saturating_add(here.nearest.into()))?;
            moves.push(here.m);
        }
        Ok(moves)
    }

    /// The moves that a node left out, each with the rule that did so if the recording has it.
    pub fn left_out(&self, index: u32, position: &Position) -> Result<Vec<LeftOut>, FileError> {
        let node = self.node(index)?;
        let kept = self.kept_left_out(&node)?;
        Ok(left_out(&node, &self.children(index)?, &kept, position))
    }

    fn kept_left_out(&self, node: &TreeNode) -> Result<Vec<LeftOutMove>, FileError> {
        let range = match node.left_out() {
            None => return Ok(Vec::new()),
            Some(KeptMoves::Here(word, other)) => return Ok(unpack_held(word, other)),
            Some(KeptMoves::Listed(range)) => range,
        };
        if u64::from(range.end) > self.summary.left_out {
            return Err(self.damaged(format!("moves left out from {} to {}", range.start, range.end)));
        }
        let mut bytes = vec![0; range.len() * LEFT_OUT_SIZE];
        self.read_at(self.left_out_offset() + u64::from(range.start) * LEFT_OUT_SIZE as u64, &mut bytes)?;
        Ok(unpack(bytes.as_chunks().0))
    }

    /// The indices of the nodes from the iteration down to a node.
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

    /// The principal variation: the indices of its nodes, starting with the iteration.
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

    /// The position of each node of a path.
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

    /// Reads the whole tree and verifies its checksum and structure; `progress` gets the number of nodes read.
    pub fn check(&self, progress: impl FnMut(u64)) -> Result<(), FileError> {
        let sum = self.records_sum(progress)?.wrapping_add(self.left_out_sum()?);
        let found = format!("{sum:016x}");
        if found != self.summary.checksum {
            let wanted = &self.summary.checksum;
            let depth = self.summary.iteration;
            return Err(self.damaged(format!("iteration {depth} has checksum {found}, not {wanted}")));
        }
        Ok(())
    }

    /// The records' part of the checksum.
    fn records_sum(&self, mut progress: impl FnMut(u64)) -> Result<u64, FileError> {
        let size = self.recording.size;
        let mut input = self.input(HEADER as u64 + self.summary.start * size as u64)?;
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
        let mut end = Places::end_mark(self.summary.records).to_vec();
        end.resize(size, 0);
        if bytes != end {
            let depth = self.summary.iteration;
            return Err(self.damaged(format!("the end mark of iteration {depth} is not what was written")));
        }
        Ok(sum)
    }

    /// The part of the checksum of the moves left out.
    fn left_out_sum(&self) -> Result<u64, FileError> {
        let mut input = self.input(self.left_out_offset())?;
        let mut bytes = [0; LEFT_OUT_SIZE];
        let mut sum = 0u64;
        for place in 0..self.summary.left_out as u32 {
            input.read_exact(&mut bytes).map_err(|error| self.wrong(error.into()))?;
            sum = sum.wrapping_add(record_sum(self.summary.left_out_index(place), &bytes));
        }
        Ok(sum)
    }

    /// The file from a byte offset on.
    fn input(&self, offset: u64) -> Result<BufReader<&File>, FileError> {
        let mut file = &self.recording.file;
        file.seek(SeekFrom::Start(offset)).map_err(|error| self.wrong(error.into()))?;
        Ok(BufReader::with_capacity(1 << 20, file))
    }
}
