//! The lists of moves that nodes left out, on their way into a file: as much of them as there is room for.
//!
//! A draft has them whole. If they are too many for a tree, its longest lists lose their numbers; if that is not enough,
//! the longest ones are dropped.

use std::io::{self, Read};

use super::left_out::{LeftOutMove, Word, pack, shorten};
use super::node::{SIZE, TreeNode};
use crate::search::event::End;

/// Words that the lists of a tree may have: nearly one with each record, so that a node takes 48 bytes in the mean. What
/// is left is for the header and the text.
fn room(records: u64) -> u64 {
    records - records.div_ceil(16).min(1024)
}

/// Lists of so many words and more are counted together.
const LONGEST: usize = 64;

/// The lists of a level by their length: their words, and the words that are left without numbers.
#[derive(Clone)]
struct Sizes([[u64; 2]; LONGEST + 1]);

/// What becomes of the lists of a tree.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Limits {
    /// Lists that are longer lose their numbers.
    whole: usize,
    /// Lists that are longer are dropped.
    kept: usize,
}

impl Sizes {
    /// Words that the limits leave.
    fn words(&self, limits: Limits) -> u64 {
        let kept = self.0.iter().enumerate().take(limits.kept + 1);
        kept.map(|(length, [whole, short])| if length > limits.whole { *short } else { *whole }).sum()
    }
}

/// The lists of a tree under way.
#[derive(Default)]
pub(super) struct Lists {
    records: u64,
    levels: Vec<Sizes>,
    /// The list of the last node: its moves, its words, and those that are left without numbers.
    moves: Vec<LeftOutMove>,
    words: Vec<Word>,
    short: Vec<Word>,
}

impl Lists {
    /// The words of another node on a level, which left out these moves.
    pub fn add(&mut self, node: &TreeNode, level: usize, left_out: &[LeftOutMove]) -> &[Word] {
        self.records += 1;
        if self.levels.len() <= level {
            self.levels.resize(level + 1, Sizes([[0; 2]; LONGEST + 1]));
        }
        self.words.clear();
        if !left_out.is_empty() {
            let all = node.end.leaves_out();
            self.moves.clear();
            self.moves.extend_from_slice(left_out);
            pack(&mut self.moves, all, &mut self.words);
            self.short.clone_from(&self.words);
            shorten(&mut self.short, all);
            let [whole, short] = &mut self.levels[level].0[self.words.len().min(LONGEST)];
            *whole += self.words.len() as u64;
            *short += self.short.len() as u64;
        }
        &self.words
    }

    /// The words on every level that the file keeps, and what takes them from the draft.
    pub fn close(&self) -> (Vec<u64>, KeptLists) {
        let mut limits = Limits { whole: LONGEST, kept: LONGEST };
        let needed = |limits| self.levels.iter().map(|level| level.words(limits)).sum::<u64>();
        while limits.whole > 0 && needed(limits) > room(self.records) {
            limits.whole -= 1;
        }
        while limits.kept > 0 && needed(limits) > room(self.records) {
            limits.kept -= 1;
        }
        let levels = self.levels.iter().map(|level| level.words(limits)).collect();
        (levels, KeptLists { limits, words: Vec::new() })
    }
}

/// The lists of a draft as its file keeps them.
pub(super) struct KeptLists {
    limits: Limits,
    words: Vec<Word>,
}

impl KeptLists {
    /// The list that follows the record of a node, in so many words.
    pub fn read(&mut self, input: &mut impl Read, record: &[u8; SIZE], count: usize) -> io::Result<&[Word]> {
        self.words.resize(count, Word::default());
        input.read_exact(self.words.as_flattened_mut())?;
        let length = count.min(LONGEST);
        if length > self.limits.kept {
            self.words.clear();
        } else if length > self.limits.whole {
            shorten(&mut self.words, End::from_code(record[3] & 31).is_some_and(End::leaves_out));
        }
        Ok(&self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::tests::node;
    use super::*;
    use crate::board::PackedMove;
    use crate::selective::Id;

    /// Words that a file keeps of a hundred nodes that left out so many captures each, of one that left out ten, and of
    /// others that left out nothing; and the words that it reads of the one.
    fn kept(captures: u16, others: u64) -> (u64, usize) {
        let node = TreeNode { end: End::Quiet, ..node() };
        let mut lists = Lists::default();
        let mut long = Vec::new();
        for k in 0..101 + others {
            let number = match k {
                0 => 10,
                1..101 => captures,
                _ => 0,
            };
            let moves =
                (0..number).map(|m| LeftOutMove::new(Id::Delta, PackedMove::from_bits(m + 1), m.into()));
            let words = lists.add(&node, 0, &moves.collect::<Vec<_>>());
            assert_eq!(words.len(), usize::from(number), "each has a number of its own");
            if k == 0 {
                long = words.to_vec();
            }
        }
        let (levels, mut read) = lists.close();
        let words = read.read(&mut long.as_flattened(), &node.to_bytes(), long.len()).unwrap();
        (levels[0], words.len())
    }

    #[test]
    fn the_longest_lists_are_the_first_to_lose_their_numbers() {
        assert_eq!(kept(3, 400), (310, 10), "room for all");
        assert_eq!(kept(3, 226), (306, 6), "a word and five pairs are left of ten");
        assert_eq!(kept(3, 200), (206, 6), "all lose their numbers");
        assert_eq!(kept(3, 100), (0, 0), "there is not even room for rules");
        assert_eq!(kept(1, 10), (100, 0), "the longest are dropped");
    }
}
