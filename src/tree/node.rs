//! One node of a recorded tree, and the 44 bytes it takes on disk.

use std::ops::Range;

use super::marks;
use crate::board::PackedMove;
use crate::depth::Depth;
use crate::score::{Bound, Score, Window};
use crate::search::event::{End, NodeKind, Purpose};
use crate::selective::Mark;

/// Bytes a node takes on disk.
pub const SIZE: usize = 44;

/// Bytes in version 2 of the format, which ended with the fingerprint.
pub const SIZE_2: usize = 38;

/// Bytes in early development builds of version 3, which had two replies before the numbers.
pub const SIZE_EARLY: usize = 48;

/// Stands for a missing number.
pub const NO_NUMBER: i16 = Score::NONE.raw() as i16;

/// Stands for no best child.
pub const NO_BEST: u16 = u16::MAX;

/// On disk: the child came nearest to alpha but did not raise it.
const ONLY_NEAREST: u16 = 1 << 15;

/// On disk, in the last number: the numbers hold the moves left out themselves, not the place of their list.
const HELD: u16 = 1 << 15;

/// Where a node keeps the moves that it left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptMoves {
    /// In its own record: a word as in a list, and a second move with the same rule and number, or none.
    Here(u32, PackedMove),
    /// In the lists of its tree.
    Listed(Range<u32>),
}

/// Why the depth of a move differs from one ply less than its parent's.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum DepthChange {
    /// The usual depth: one ply less.
    #[default]
    None = 0,
    /// Late-move reduction.
    LateMoves = 1,
    /// RankCut.
    RankCut = 2,
    /// The weight of its classes.
    Extensions = 3,
    /// It was found to be singular.
    Singular = 4,
    /// Multi-cut found only this move good.
    MultiCut = 5,
    /// It was found not to be singular.
    NotSingular = 6,
}

impl DepthChange {
    /// All of them, with their names and labels.
    pub const ALL: [(Self, &'static str, &'static str); 7] = [
        (Self::None, "none", "plain move"),
        (Self::LateMoves, "lmr", "late-move reduction"),
        (Self::RankCut, "rankcut", "RankCut reduction"),
        (Self::Extensions, "extension", "extension"),
        (Self::Singular, "singular-extension", "singular extension"),
        (Self::MultiCut, "multi-cut-extension", "extension by multi-cut"),
        (Self::NotSingular, "not-singular", "reduction: not singular"),
    ];

    /// The change with this code.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).map(|(change, ..)| *change)
    }

    /// Its name in files.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// Names of the move classes, in the order of their bits.
pub const CLASSES: [&str; 5] = ["check", "recapture", "forced reply", "pawn push", "threat"];

/// A node of a recording.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// The move that led here; none for a null move, at the root, and for a probe of the same position.
    pub m: PackedMove,
    /// Why it was searched.
    pub purpose: Purpose,
    /// Why its search stopped.
    pub end: End,
    /// Which routine searched it.
    pub kind: NodeKind,
    /// Whether a cut-off was expected, if that was determined.
    pub cut: Option<bool>,
    /// Whether the value is exact or a bound; means nothing if the value is uncertain.
    pub bound: Bound,
    /// The value is not proved.
    pub uncertain: bool,
    /// It raised its parent's alpha.
    pub raised: bool,
    /// A move was re-searched, here or below.
    pub again_below: bool,
    /// A move changed the principal variation, here or below.
    pub change_below: bool,
    /// The methods that acted here: see [`marks`].
    pub marks: u16,
    /// Its number among the moves its parent searched, from 1 to at most 255; 0 for probes.
    pub number: u8,
    /// Why its depth is not one ply less than its parent's.
    pub change: DepthChange,
    /// Classes of the move, a bit each: see [`CLASSES`].
    pub classes: u8,
    /// The window it was searched with.
    pub window: Window,
    /// The result for the side to move here.
    pub value: Score,
    /// Static evaluation; [`Score::NONE`] if it was not needed.
    pub eval: Score,
    /// Remaining depth when the search entered it.
    pub depth: Depth,
    /// How much shallower than one ply less it was searched; negative for deeper.
    pub by: Depth,
    /// The best child, counted from 0; [`NO_BEST`] if no move raised alpha.
    pub best: u16,
    /// The best child or, if no move raised alpha, the one that came nearest; unknown in version 2.
    pub nearest: u16,
    /// Nodes here and below.
    pub nodes: u32,
    /// The index of its first child; its children end where those of the next node begin.
    pub first: u32,
    /// The index of its parent; 0 for node 0.
    pub parent: u32,
    /// A fingerprint of the whole subtree; equal subtrees have equal fingerprints.
    pub print: u32,
    /// The numbers that explain its end, or the place of the moves it left out: see `docs/TREE.md`. Not in version 2.
    pub numbers: [i16; 3],
}

/// The part of a record that refers to other nodes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Places {
    /// See [`TreeNode::first`]; in a draft the number of children.
    pub first: u32,
    /// See [`TreeNode::parent`]; in a draft the level.
    pub parent: u32,
}

impl Places {
    /// Reads the two numbers from a record.
    pub(super) fn of(bytes: &[u8; SIZE]) -> Self {
        let long = |at: usize| bytes[at..].first_chunk().map_or(0, |long| u32::from_le_bytes(*long));
        Self { first: long(26), parent: long(30) }
    }

    /// Writes the two numbers into a record.
    pub(super) fn put(self, bytes: &mut [u8; SIZE]) {
        bytes[26..30].copy_from_slice(&self.first.to_le_bytes());
        bytes[30..34].copy_from_slice(&self.parent.to_le_bytes());
    }

    /// The end mark after the last record of a tree, which says where the children of that record end.
    pub(super) fn end_mark(records: u64) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        Self { first: records as u32, parent: 0 }.put(&mut bytes);
        bytes
    }
}

/// Clamps a number to 16 bits.
pub(super) fn short(value: i32) -> i16 {
    value.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

impl TreeNode {
    /// The marks that are set.
    pub fn acted(&self) -> impl Iterator<Item = &'static Mark> + '_ {
        marks::ALL.iter().filter(|mark| mark.is_on(self))
    }

    /// The number of a reason that is not built in. Such a node is stored as stopped, but has a value.
    pub fn own_reason(&self) -> Option<usize> {
        let own = self.end == End::Stopped && self.value != Score::NONE && self.numbers[2] != NO_NUMBER;
        own.then(|| usize::try_from(self.numbers[2]).ok())?
    }

    /// Where the moves it left out are stored, if they are.
    pub fn left_out(&self) -> Option<KeptMoves> {
        let [low, high, last] = self.numbers;
        if !self.may_keep_left_out() || last == NO_NUMBER {
            return None;
        }
        let (word, last) = (u32::from(low as u16) | u32::from(high as u16) << 16, last as u16);
        Some(if last & HELD != 0 {
            KeptMoves::Here(word, PackedMove::from_bits(last & !HELD))
        } else {
            KeptMoves::Listed(word..word.saturating_add(u32::from(last)))
        })
    }

    /// Numbers that hold the moves left out: a word, and a second move or none.
    pub(super) fn holding(word: u32, other: PackedMove) -> [i16; 3] {
        [word as i16, (word >> 16) as i16, (other.bits() | HELD) as i16]
    }

    /// Puts numbers into a record.
    pub(super) fn put_numbers(numbers: [i16; 3], bytes: &mut [u8; SIZE]) {
        for (slot, value) in bytes[SIZE_2..].chunks_exact_mut(2).zip(numbers) {
            slot.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// Numbers that point to a list.
    pub(super) fn pointing(first: u32, count: usize) -> [i16; 3] {
        [first as i16, (first >> 16) as i16, count as i16]
    }

    /// Whether its numbers are free for the moves it left out. Those of a singular test hold its bound.
    pub(super) fn may_keep_left_out(&self) -> bool {
        let searched = self.end.leaves_out() || matches!(self.end, End::Cut | End::Quiet);
        searched && self.purpose != Purpose::Singular
    }

    /// The record on disk; `docs/TREE.md` has the layout.
    pub fn to_bytes(&self) -> [u8; SIZE] {
        let cut = self.cut.map_or(0, |cut| 1 + u8::from(cut));
        let kind = self.kind as u8
            | cut << 2
            | (self.bound as u8) << 4
            | u8::from(self.uncertain) << 6
            | u8::from(self.raised) << 7;
        let mut bytes = [0; SIZE];
        bytes[..2].copy_from_slice(&self.m.bits().to_le_bytes());
        bytes[2..8].copy_from_slice(&[
            self.purpose as u8
                | ((self.marks >> 11 & 1) << 5) as u8
                | u8::from(self.again_below) << 6
                | u8::from(self.change_below) << 7,
            self.end as u8 | ((self.marks >> 8 & 7) << 5) as u8,
            kind,
            self.marks as u8,
            self.number,
            self.classes & 31 | (self.change as u8) << 5,
        ]);
        let shorts = [
            short(self.window.alpha.raw()),
            short(self.window.beta.raw()),
            short(self.value.raw()),
            short(self.eval.raw()),
            short(self.depth.raw()),
            short(self.by.raw()),
        ];
        for (slot, value) in bytes[8..20].chunks_exact_mut(2).zip(shorts) {
            slot.copy_from_slice(&value.to_le_bytes());
        }
        let best = match (self.best, self.nearest) {
            (NO_BEST, NO_BEST) => NO_BEST,
            (NO_BEST, nearest) => nearest | ONLY_NEAREST,
            (best, _) => best,
        };
        bytes[20..22].copy_from_slice(&best.to_le_bytes());
        let longs = [self.nodes, self.first, self.parent, self.print];
        for (slot, value) in bytes[22..38].chunks_exact_mut(4).zip(longs) {
            slot.copy_from_slice(&value.to_le_bytes());
        }
        Self::put_numbers(self.numbers, &mut bytes);
        bytes
    }

    /// Converts a record of version 2.
    pub fn from_version_2(old: &[u8; SIZE_2]) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        bytes[..SIZE_2].copy_from_slice(old);
        Self::put_numbers([NO_NUMBER; 3], &mut bytes);
        bytes
    }

    /// Converts a record of an early development build: removes the replies, which are the moves of records below it,
    /// and numbers that had another meaning then.
    pub fn from_early_build(old: &[u8; SIZE_EARLY]) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        bytes[..SIZE_2].copy_from_slice(&old[..SIZE_2]);
        bytes[SIZE_2..].copy_from_slice(&old[SIZE_EARLY - (SIZE - SIZE_2)..]);
        if Self::from_bytes(&bytes).is_some_and(|node| node.may_keep_left_out()) {
            Self::put_numbers([NO_NUMBER; 3], &mut bytes);
        }
        bytes
    }

    /// Reads a record; `None` if a field has an impossible value.
    pub fn from_bytes(bytes: &[u8; SIZE]) -> Option<Self> {
        let two = |at: usize| [bytes[at], bytes[at + 1]];
        let score = |at| Score::cp(i16::from_le_bytes(two(at)).into());
        let depth = |at| Depth::hundredths(i16::from_le_bytes(two(at)).into());
        let long = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let (kind, best) = (bytes[4], u16::from_le_bytes(two(20)));
        Some(Self {
            m: PackedMove::from_bits(u16::from_le_bytes(two(0))),
            purpose: Purpose::from_code(bytes[2] & 31)?,
            end: End::from_code(bytes[3] & 31)?,
            kind: NodeKind::from_code(kind & 3)?,
            cut: match kind >> 2 & 3 {
                0 => None,
                1 => Some(false),
                2 => Some(true),
                _ => return None,
            },
            bound: match kind >> 4 & 3 {
                1 => Bound::Upper,
                2 => Bound::Lower,
                3 => Bound::Exact,
                _ => return None,
            },
            uncertain: kind & 64 != 0,
            raised: kind & 128 != 0,
            again_below: bytes[2] & 64 != 0,
            change_below: bytes[2] & 128 != 0,
            marks: u16::from(bytes[5]) | u16::from(bytes[3] >> 5) << 8 | u16::from(bytes[2] >> 5 & 1) << 11,
            number: bytes[6],
            change: DepthChange::from_code(bytes[7] >> 5)?,
            classes: bytes[7] & 31,
            window: Window { alpha: score(8), beta: score(10) },
            value: score(12),
            eval: score(14),
            depth: depth(16),
            by: depth(18),
            best: if best & ONLY_NEAREST == 0 { best } else { NO_BEST },
            nearest: if best == NO_BEST { NO_BEST } else { best & !ONLY_NEAREST },
            nodes: long(22),
            first: long(26),
            parent: long(30),
            print: long(34),
            numbers: [38, 40, 42].map(|at| i16::from_le_bytes(two(at))),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A node with a different value in every field.
    pub(crate) fn node() -> TreeNode {
        TreeNode {
            m: PackedMove::from_bits(0x1234),
            purpose: Purpose::ReSearchWindow,
            end: End::MultiCut,
            kind: NodeKind::Minimal,
            cut: Some(true),
            bound: Bound::Lower,
            uncertain: true,
            raised: true,
            again_below: false,
            change_below: true,
            marks: 1 | 256 | 2048,
            number: 17,
            change: DepthChange::RankCut,
            classes: 21,
            window: Window { alpha: Score::cp(-1234), beta: Score::cp(-1233) },
            value: Score::mate_at(7),
            eval: Score::NONE,
            depth: Depth::hundredths(-275),
            by: Depth::hundredths(-75),
            best: 300,
            nearest: 300,
            nodes: 4_000_000_000,
            first: 123_456_789,
            parent: 98_765,
            print: 0xdead_beef,
            numbers: [-120, NO_NUMBER, 7],
        }
    }

    #[test]
    fn a_node_is_read_as_it_was_written() {
        assert_eq!(TreeNode::from_bytes(&node().to_bytes()), Some(node()));
        let places = Places { first: 7, parent: 3 };
        let mut bytes = node().to_bytes();
        places.put(&mut bytes);
        assert_eq!(Places::of(&bytes), places);
        assert_eq!(TreeNode::from_bytes(&bytes), Some(TreeNode { first: 7, parent: 3, ..node() }));
        for nearest in [0, NO_BEST] {
            let node = TreeNode { best: NO_BEST, nearest, ..node() };
            assert_eq!(TreeNode::from_bytes(&node.to_bytes()), Some(node), "no move raised alpha");
        }
    }

    #[test]
    fn the_numbers_may_say_where_moves_left_out_stand() {
        let end = End::Futility;
        let node = TreeNode { end, purpose: Purpose::Move, numbers: [-1, 2, 3], ..node() };
        assert_eq!(node.left_out(), Some(KeptMoves::Listed(0x2_ffff..0x3_0002)));
        let other = PackedMove::from_bits(0x7fff);
        let numbers = TreeNode::holding(0x8765_4321, other);
        assert_eq!(TreeNode { numbers, ..node }.left_out(), Some(KeptMoves::Here(0x8765_4321, other)));
        assert_eq!(TreeNode { numbers: [NO_NUMBER; 3], ..node }.left_out(), None);
        assert_eq!(TreeNode { end: End::NullMove, ..node }.left_out(), None);
        assert_eq!(TreeNode { purpose: Purpose::Singular, ..node }.left_out(), None);
    }

    #[test]
    fn a_node_of_version_2_has_no_numbers() {
        let bytes = node().to_bytes();
        let old = TreeNode::from_version_2(bytes.first_chunk().unwrap());
        assert_eq!(TreeNode::from_bytes(&old), Some(TreeNode { numbers: [NO_NUMBER; 3], ..node() }));
    }

    #[test]
    fn a_node_of_an_early_build_loses_only_its_replies() {
        let bytes = node().to_bytes();
        let mut early = [7; SIZE_EARLY];
        early[..SIZE_2].copy_from_slice(&bytes[..SIZE_2]);
        early[42..].copy_from_slice(&bytes[SIZE_2..]);
        assert_eq!(TreeNode::from_early_build(&early), bytes);
        early[3] = End::Futility as u8;
        let narrowed = TreeNode::from_bytes(&TreeNode::from_early_build(&early)).unwrap();
        assert_eq!(narrowed.numbers, [NO_NUMBER; 3], "they were those of the rules, for all moves together");
    }

    #[test]
    fn a_node_nobody_wrote_is_refused() {
        let good = node().to_bytes();
        for (at, value) in [(2, 31), (4, 0x0c), (4, 0), (7, 0xe0)] {
            let mut bytes = good;
            bytes[at] = value;
            assert_eq!(TreeNode::from_bytes(&bytes), None, "byte {at}");
        }
    }

    #[test]
    fn a_mark_may_mean_another_method_in_quiescence() {
        let names = |kind| -> Vec<_> { TreeNode { kind, ..node() }.acted().map(|mark| mark.name).collect() };
        assert_eq!(names(NodeKind::Minimal), ["futility-moves", "hindsight", "extended-futility-moves"]);
        assert_eq!(names(NodeKind::Quiescence), ["delta-moves", "hindsight"]);
    }

    #[test]
    fn changes_stand_in_the_order_of_their_numbers() {
        for (index, (change, ..)) in DepthChange::ALL.iter().enumerate() {
            assert_eq!(*change as usize, index);
        }
    }
}
