//! The lists of moves that nodes left out, limited to the room in the file.
//!
//! Most lists fit into the record of their node. A draft holds the others in full. If they need too much room, the
//! longest lists lose their numbers, and if that is not enough, the longest lists are dropped. The tree's summary counts
//! both.

use std::io::{self, Read};

use super::left_out::{LEFT_OUT_SIZE, LeftOutMove, Word, held, pack, shorten};
use super::node::{SIZE, TreeNode};
use crate::search::event::End;

/// Most bytes of a file per node, everything included.
pub(super) const MOST_BYTES: usize = 48;

/// Words allowed for the lists of a tree with so many of `all` records, in a file with `besides` bytes that are neither
/// records nor lists. These bytes reduce the room by at most a quarter, so small files may exceed the limit by their
/// text.
pub(super) fn room(records: u64, all: u64, besides: u64) -> u64 {
    let words = besides.div_ceil(LEFT_OUT_SIZE as u64);
    let share = (u128::from(words) * u128::from(records)).div_ceil(u128::from(all.max(1)));
    let room = records * (MOST_BYTES - SIZE) as u64 / LEFT_OUT_SIZE as u64;
    room - u64::try_from(share).unwrap_or(u64::MAX).min(room.div_ceil(4))
}

/// The room of each tree of a file, given its share and its needs. Trees get what others do not need.
pub(super) fn divide_room(trees: &[[u64; 2]]) -> Vec<u64> {
    let mut spare: u64 = trees.iter().map(|[share, needed]| share.saturating_sub(*needed)).sum();
    let room = |[share, needed]: &[u64; 2]| {
        let more = needed.saturating_sub(*share).min(spare);
        spare -= more;
        (*share).min(*needed) + more
    };
    trees.iter().map(room).collect()
}

/// Lists of this many words and more are counted together.
const LONGEST: usize = 64;

/// The lists of a level by length: their words, their words without numbers, and their count.
#[derive(Clone)]
struct Sizes([[u64; 3]; LONGEST + 1]);

/// How long lists may be.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct ListLimits {
    /// Longer lists lose their numbers.
    whole: usize,
    /// Longer lists are dropped.
    kept: usize,
}

impl Sizes {
    /// Words left under the limits.
    fn words(&self, limits: ListLimits) -> u64 {
        let kept = self.0.iter().enumerate().take(limits.kept + 1);
        kept.map(|(length, [whole, short, _])| if length > limits.whole { *short } else { *whole }).sum()
    }

    /// The number of lists that lose their numbers, and of lists that are dropped.
    fn lost(&self, limits: ListLimits) -> [u64; 2] {
        let count = |lengths: &[[u64; 3]]| lengths.iter().map(|[.., count]| count).sum();
        let kept = limits.kept + 1;
        [count(&self.0[(limits.whole + 1).min(kept)..kept]), count(&self.0[kept..])]
    }
}

/// The lists of a tree being recorded.
#[derive(Default)]
pub(super) struct Lists {
    levels: Vec<Sizes>,
    /// Buffers for the list of the last node: its moves, its words, and its words without numbers.
    moves: Vec<LeftOutMove>,
    words: Vec<Word>,
    short: Vec<Word>,
}

impl Lists {
    /// The words for the moves that a node left out. If the list fits the record, it goes into the node's numbers and
    /// there are no words.
    pub(super) fn add(&mut self, node: &mut TreeNode, level: usize, left_out: &[LeftOutMove]) -> &[Word] {
        if self.levels.len() <= level {
            self.levels.resize(level + 1, Sizes([[0; 3]; LONGEST + 1]));
        }
        self.words.clear();
        if !left_out.is_empty() {
            let all = node.end.leaves_out();
            self.moves.clear();
            self.moves.extend_from_slice(left_out);
            pack(&mut self.moves, all, &mut self.words);
            if let Some(numbers) = held(&self.words) {
                node.numbers = numbers;
                self.words.clear();
                return &self.words;
            }
            self.short.clone_from(&self.words);
            shorten(&mut self.short, all);
            let [whole, short, count] = &mut self.levels[level].0[self.words.len().min(LONGEST)];
            *whole += self.words.len() as u64;
            *short += if held(&self.short).is_some() { 0 } else { self.short.len() as u64 };
            *count += 1;
        }
        &self.words
    }

    /// Words left under the limits on all levels.
    fn words(&self, limits: ListLimits) -> u64 {
        self.levels.iter().map(|level| level.words(limits)).sum()
    }

    /// Words of all lists.
    pub(super) fn needed(&self) -> u64 {
        self.words(ListLimits { whole: LONGEST, kept: LONGEST })
    }

    /// Limits the lists to this many words.
    pub(super) fn close(&self, room: u64) -> KeptLists {
        let mut limits = ListLimits { whole: LONGEST, kept: LONGEST };
        while limits.whole > 0 && self.words(limits) > room {
            limits.whole -= 1;
        }
        while limits.kept > 0 && self.words(limits) > room {
            limits.kept -= 1;
        }
        let lost = self.levels.iter().map(|level| level.lost(limits));
        let [without_numbers, dropped] = lost.fold([0; 2], |sum, lost| [sum[0] + lost[0], sum[1] + lost[1]]);
        let levels = self.levels.iter().map(|level| level.words(limits)).collect();
        KeptLists { levels, without_numbers, dropped, limits, words: Vec::new() }
    }
}

/// The lists as the file keeps them.
pub(super) struct KeptLists {
    /// Words on every level.
    pub levels: Vec<u64>,
    /// The number of lists that lost their numbers, and of lists that were dropped.
    pub without_numbers: u64,
    pub dropped: u64,
    limits: ListLimits,
    words: Vec<Word>,
}

impl KeptLists {
    /// Reads the list of `count` words that follows a record, and shortens it to the limits. A list that then fits goes into
    /// the record.
    pub(super) fn read(
        &mut self,
        input: &mut impl Read,
        record: &mut [u8; SIZE],
        count: usize,
    ) -> io::Result<&[Word]> {
        self.words.resize(count, Word::default());
        input.read_exact(self.words.as_flattened_mut())?;
        let length = count.min(LONGEST);
        if length > self.limits.kept {
            self.words.clear();
        } else if length > self.limits.whole {
            shorten(&mut self.words, End::from_code(record[3] & 31).is_some_and(End::leaves_out));
            if let Some(numbers) = held(&self.words) {
                TreeNode::put_numbers(numbers, record);
                self.words.clear();
            }
        }
        Ok(&self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::tests::node;
    use super::*;
    use crate::board::PackedMove;
    use crate::search::event::Purpose;
    use crate::selective::Id;

    /// Stores 100 lists of so many captures and one of ten in a file with this room. Returns the number of words, the
    /// words of the long list, and how many lists lost their numbers or were dropped.
    fn kept(captures: u16, room: u64) -> (u64, usize, [u64; 2]) {
        let quiet = TreeNode { end: End::Quiet, purpose: Purpose::Move, ..node() };
        let mut lists = Lists::default();
        let mut long = Vec::new();
        for k in 0..101 {
            let number = if k == 0 { 10 } else { captures };
            let moves: Vec<LeftOutMove> = (0..number)
                .map(|m| LeftOutMove::new(Id::Delta, PackedMove::from_bits(m + 1), m.into()))
                .collect();
            let mut node = quiet;
            let words = lists.add(&mut node, 0, &moves);
            assert_eq!(words.len(), if number == 1 { 0 } else { usize::from(number) }, "each has its number");
            if k == 0 {
                long = words.to_vec();
            }
        }
        let mut read = lists.close(room);
        let mut record = quiet.to_bytes();
        let words = read.read(&mut long.as_flattened(), &mut record, long.len()).unwrap().len();
        (read.levels[0], words, [read.without_numbers, read.dropped])
    }

    #[test]
    fn the_longest_lists_are_the_first_to_lose_their_numbers() {
        assert_eq!(kept(3, 310), (310, 10, [0, 0]), "room for all");
        assert_eq!(kept(3, 309), (306, 6, [1, 0]), "a word and five pairs are left of ten");
        assert_eq!(kept(3, 250), (206, 6, [101, 0]), "all lose their numbers");
        assert_eq!(kept(2, 150), (6, 6, [101, 0]), "two moves of one rule need no list");
        assert_eq!(kept(3, 100), (0, 0, [0, 101]), "there is not even room for rules");
        assert_eq!(kept(1, 9), (6, 6, [1, 0]), "one move needs no list");
        assert_eq!(kept(1, 5), (0, 0, [0, 1]), "the longest are dropped");
    }

    #[test]
    fn a_file_takes_48_bytes_a_node_whatever_is_left_out() {
        for (records, all, besides) in
            [(30_000, 30_000, 5_000), (30_000, 60_000, 9_999), (5_000_000, 5_000_100, 4_321)]
        {
            let words = room(records, all, besides) + room(all - records, all, besides);
            let bytes = SIZE as u64 * all + LEFT_OUT_SIZE as u64 * words + besides;
            assert!(bytes <= MOST_BYTES as u64 * all, "{bytes} bytes of {all} nodes");
        }
        assert_eq!(room(1000, 1000, 9_999), 750, "the lists of a small tree are kept");
    }

    #[test]
    fn a_tree_gets_the_room_that_others_do_not_need() {
        assert_eq!(divide_room(&[[10, 4], [10, 20], [10, 13]]), [4, 16, 10]);
        assert_eq!(divide_room(&[[10, 11], [10, 8]]), [11, 8]);
        assert_eq!(divide_room(&[[10, 30]]), [10]);
    }
}
