//! Moves that methods left out: legal at a node, but not searched.

use shakmaty::Move;
use shakmaty::san::SanPlus;

use super::marks;
use super::node::TreeNode;
use crate::board::{PackedMove, Position};
use crate::search::event::Purpose;
use crate::selective::{Id, LeavesOutBy, Mark};

/// Bytes of a word of a node's list.
pub const LEFT_OUT_SIZE: usize = 4;

/// A word of such a list on disk.
pub(super) type Word = [u8; LEFT_OUT_SIZE];

/// Bits of the move, the rule and the number.
const MOVE_BITS: u32 = 15;
const RULE_BITS: u32 = 4;
const NUMBER_BITS: u32 = 32 - MOVE_BITS - RULE_BITS;
const MOVE_MASK: u32 = (1 << MOVE_BITS) - 1;
/// A word with these bits holds two more moves with the rule and number of the word before. No rule has both bits.
const TWO_MORE: u32 = 3 << (MOVE_BITS + 2);
/// Stands for no number. Numbers are larger than this and smaller than its negation.
const NO_SMALL_NUMBER: i32 = -(1 << (NUMBER_BITS - 1));
/// Histories are stored in steps of this size.
pub const HISTORY_STEP: i32 = 16;

/// A move that a rule left out, as stored in a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LeftOutMove {
    /// The move; [`PackedMove::NONE`] for all moves that were not searched and are not listed.
    pub m: PackedMove,
    /// The position of the bit of the rule's mark.
    rule: u8,
    /// The number of the rule, a history in [steps](HISTORY_STEP); `None` if it does not fit.
    pub number: Option<i16>,
}

impl LeftOutMove {
    pub(super) fn new(method: Id, m: PackedMove, by: i32) -> Self {
        let rule = method.about().mark.and_then(|mark| mark.leaves_out);
        let in_steps = rule.is_some_and(|rule| rule.by == LeavesOutBy::History);
        let by = if in_steps { by / HISTORY_STEP } else { by };
        let fits = by > NO_SMALL_NUMBER && by < -NO_SMALL_NUMBER;
        let rule = marks::bit(method).trailing_zeros() as u8;
        Self { m, rule: rule & ((1 << RULE_BITS) - 1), number: fits.then_some(by as i16) }
    }

    /// The mark of the rule at this node.
    pub fn mark(&self, node: &TreeNode) -> Option<&'static Mark> {
        node.acted().find(|mark| mark.bit.trailing_zeros() == u32::from(self.rule))
    }

    fn to_word(self) -> Word {
        let number = self.number.map_or(NO_SMALL_NUMBER, i32::from) as u32;
        let bits =
            u32::from(self.m.bits()) | u32::from(self.rule) << MOVE_BITS | number << (MOVE_BITS + RULE_BITS);
        bits.to_le_bytes()
    }

    fn from_bits(bits: u32) -> Self {
        let number = bits as i32 >> (MOVE_BITS + RULE_BITS);
        Self {
            m: PackedMove::from_bits((bits & MOVE_MASK) as u16),
            rule: (bits >> MOVE_BITS) as u8 & ((1 << RULE_BITS) - 1),
            number: (number != NO_SMALL_NUMBER).then_some(number as i16),
        }
    }
}

/// A word with two moves that follows a word with their rule and number. The second move may be none.
fn two_more(one: PackedMove, other: PackedMove) -> Word {
    let (one, other) = (u32::from(one.bits()), u32::from(other.bits()));
    let bits = one | TWO_MORE | other >> NUMBER_BITS << MOVE_BITS | other << (MOVE_BITS + RULE_BITS);
    bits.to_le_bytes()
}

/// Packs the list of a node into as few words as possible. Moves with the same rule and number share words. If `all`
/// unsearched moves were left out, the largest group needs no moves. Sorts the moves.
pub(super) fn pack(moves: &mut [LeftOutMove], all: bool, words: &mut Vec<Word>) {
    words.clear();
    moves.sort_unstable_by_key(|each| (each.rule, each.number, each.m.bits()));
    let named = moves.iter().all(|each| each.m != PackedMove::NONE);
    let groups = || moves.chunk_by(|a, b| (a.rule, a.number) == (b.rule, b.number));
    let largest = groups().max_by_key(|group| group.len()).filter(|_| all && named);
    for group in groups() {
        let [first, others @ ..] = group else { continue };
        if largest == Some(group) {
            words.push(LeftOutMove { m: PackedMove::NONE, ..*first }.to_word());
            continue;
        }
        words.push(first.to_word());
        for pair in others.chunks(2) {
            words.push(two_more(pair[0].m, pair.get(1).map_or(PackedMove::NONE, |other| other.m)));
        }
    }
}

/// The moves of a list.
pub(super) fn unpack(words: &[Word]) -> Vec<LeftOutMove> {
    let mut moves: Vec<LeftOutMove> = Vec::with_capacity(2 * words.len());
    for word in words {
        let bits = u32::from_le_bytes(*word);
        if bits & TWO_MORE != TWO_MORE {
            moves.push(LeftOutMove::from_bits(bits));
        } else if let Some(before) = moves.last().copied() {
            let other = bits >> (MOVE_BITS + RULE_BITS) | (bits >> MOVE_BITS & 3) << NUMBER_BITS;
            let both = [bits & MOVE_MASK, other].map(|bits| PackedMove::from_bits(bits as u16));
            let more = both.into_iter().filter(|m| *m != PackedMove::NONE);
            moves.extend(more.map(|m| LeftOutMove { m, ..before }));
        }
    }
    moves
}

/// The numbers of a node whose list fits its own record: one move or group, or two moves with one rule and number.
pub(super) fn held(words: &[Word]) -> Option<[i16; 3]> {
    let (word, other) = match *words {
        [word] => (word, PackedMove::NONE),
        [word, more] => match unpack(&[word, more]).as_slice() {
            // The second word begins a group of its own, or holds two moves.
            [one, other] if (one.rule, one.number) == (other.rule, other.number) => (word, other.m),
            _ => return None,
        },
        _ => return None,
    };
    Some(TreeNode::holding(u32::from_le_bytes(word), other))
}

/// The moves of a list that is held in the node's record.
pub(super) fn unpack_held(word: u32, other: PackedMove) -> Vec<LeftOutMove> {
    let one = LeftOutMove::from_bits(word);
    let more = (other != PackedMove::NONE).then_some(LeftOutMove { m: other, ..one });
    std::iter::once(one).chain(more).collect()
}

/// Removes the numbers from a list, if that needs fewer words.
pub(super) fn shorten(words: &mut Vec<Word>, all: bool) {
    if words.len() > 1 {
        let mut moves = unpack(words);
        moves.iter_mut().for_each(|each| each.number = None);
        pack(&mut moves, all, words);
    }
}

/// A move that was left out, and the rule if it is known.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The move.
    pub m: Move,
    /// The rule and its number, if the recording has them.
    pub kept: Option<LeftOutMove>,
}

/// The moves that were left out at a node, sorted by SAN. `kept` are those that the recording has with their rules.
/// After a cut-off only these are returned, because the other moves were not needed. In a singular test the excluded
/// hash move does not count.
pub fn left_out(
    node: &TreeNode,
    children: &[TreeNode],
    kept: &[LeftOutMove],
    position: &Position,
) -> Vec<LeftOut> {
    let rest = kept.iter().copied().find(|kept| kept.m == PackedMove::NONE);
    let searched = searched(children);
    let all = node.end.leaves_out() && node.purpose != Purpose::Singular;
    let reason = |m: &Move| {
        let packed = PackedMove::new(*m);
        let own = kept.iter().copied().find(|kept| kept.m == packed);
        if searched.contains(&packed) || (own.is_none() && !all) {
            return None;
        }
        Some(LeftOut { m: *m, kept: own.or(rest) })
    };
    let mut out: Vec<LeftOut> = position.legal_moves().iter().filter_map(reason).collect();
    out.sort_by_cached_key(|each| SanPlus::from_move(position.chess().clone(), each.m).to_string());
    out
}

/// Moves that were searched for the value of their parent, not just to verify a null-move cut-off.
fn searched(children: &[TreeNode]) -> Vec<PackedMove> {
    let mut verifying = false;
    let mut moves = Vec::new();
    for child in children.iter().filter(|child| child.number > 0) {
        if !child.purpose.is_re_search() {
            verifying = child.purpose == Purpose::Verification;
        }
        if !verifying {
            moves.push(child.m);
        }
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::super::node::KeptMoves;
    use super::super::node::tests::node;
    use super::*;
    use crate::search::event::{End, NodeKind};

    /// A child of the start position.
    fn child(uci: &str, purpose: Purpose) -> TreeNode {
        let m = Position::default().parse_move(uci).unwrap();
        TreeNode { m: PackedMove::new(m), purpose, number: 1, ..node() }
    }

    #[test]
    fn moves_nobody_searched_were_left_out_unless_one_cut() {
        let position = Position::default();
        let (e4, a3) = (position.parse_move("e2e4").unwrap(), position.parse_move("b1a3").unwrap());
        let futile = LeftOutMove::new(Id::Futility, a3.into(), -30);
        let late = LeftOutMove::new(Id::LateMovePruning, PackedMove::NONE, 7);
        let at = |end, kept: &[LeftOutMove]| {
            let children = [child("e2e4", Purpose::Move), child("e2e4", Purpose::ReSearchDepth)];
            left_out(&TreeNode { end, purpose: Purpose::Move, ..node() }, &children, kept, &position)
        };
        let out = at(End::LateMoves, &[]);
        assert_eq!((out.len(), out[0]), (19, LeftOut { m: a3, kept: None }));
        assert!(out.iter().all(|each| each.m != e4));
        let out = at(End::LateMoves, &[futile, late]);
        let by_futility = LeftOut { m: a3, kept: Some(futile) };
        assert_eq!((out[0], out[1].kept), (by_futility, Some(late)), "the others are those of the rest");
        assert_eq!(at(End::Cut, &[futile]), [by_futility]);
        assert!(at(End::AllMoves, &[]).is_empty());
    }

    #[test]
    fn a_move_left_out_is_read_as_it_was_written() {
        let m = PackedMove::from_bits(0x4abc);
        for (method, by, number) in [
            (Id::DeepFutility, -120, Some(-120)),
            (Id::Delta, 4095, Some(4095)),
            (Id::Futility, 4096, None),
            (Id::SeePruning, -4096, None),
            (Id::HistoryPruning, -16_000, Some(-1000)),
        ] {
            let one = LeftOutMove::new(method, m, by);
            assert_eq!((one.number, unpack(&[one.to_word()])), (number, vec![one]), "{method:?}");
            let quiescence = method == Id::Delta;
            let kind = if quiescence { NodeKind::Quiescence } else { NodeKind::Minimal };
            let node = TreeNode { marks: marks::bit(method) | marks::bit(Id::Hindsight), kind, ..node() };
            assert_eq!(one.mark(&node).copied(), method.about().mark);
        }
    }

    #[test]
    fn moves_with_one_rule_and_number_share_words() {
        let list = |method, number, moves: std::ops::Range<u16>| -> Vec<LeftOutMove> {
            moves.map(|k| LeftOutMove::new(method, PackedMove::from_bits(0x7fff - 37 * k), number)).collect()
        };
        let mut words = Vec::new();
        for (futile, losing, all, fewest) in
            [(1, 0, false, 1), (2, 0, false, 2), (5, 2, false, 5), (5, 2, true, 3)]
        {
            let mut moves = list(Id::Futility, -30, 0..futile);
            moves.extend(list(Id::SeePruning, -200, futile..futile + losing));
            pack(&mut moves, all, &mut words);
            assert_eq!(words.len(), fewest);
            let mut read = unpack(&words);
            if all {
                assert_eq!(read.remove(0), LeftOutMove { m: PackedMove::NONE, ..moves[0] });
                moves.drain(..usize::from(futile));
            }
            assert_eq!(read, moves);
        }
        let late = LeftOutMove::new(Id::LateMovePruning, PackedMove::NONE, 7);
        let mut moves = [list(Id::Futility, -30, 0..4), vec![late]].concat();
        pack(&mut moves, true, &mut words);
        assert_eq!(unpack(&words), moves, "a list has one rest");
        assert_eq!(unpack(&[two_more(moves[0].m, moves[1].m)]), [], "two more than nothing");
    }

    #[test]
    fn a_node_holds_one_group_or_two_moves_of_one_rule() {
        let list = |numbers: &[i32]| -> Vec<LeftOutMove> {
            let m = |k| PackedMove::from_bits(0x7fff - k);
            let each = |(k, by): (usize, &i32)| LeftOutMove::new(Id::Futility, m(k as u16), *by);
            numbers.iter().enumerate().map(each).collect()
        };
        let mut words = Vec::new();
        for (numbers, all, holds) in [
            (&[-30][..], false, true),
            (&[-30, -30], false, true),
            (&[-30, -40], false, false),
            (&[-30, -30, -30], false, false),
            (&[-30; 20], true, true),
        ] {
            pack(&mut list(numbers), all, &mut words);
            let read = held(&words).map(|numbers| {
                let node = TreeNode { end: End::Futility, purpose: Purpose::Move, numbers, ..node() };
                match node.left_out() {
                    Some(KeptMoves::Here(word, other)) => unpack_held(word, other),
                    other => panic!("{other:?}"),
                }
            });
            assert_eq!(read, holds.then(|| unpack(&words)), "{numbers:?}");
        }
    }

    #[test]
    fn a_verification_is_no_search_of_the_move() {
        let again = child("e2e4", Purpose::ReSearchDepth);
        assert_eq!(searched(&[child("e2e4", Purpose::Verification), again]).len(), 0);
        assert_eq!(searched(&[child("d2d4", Purpose::Verification), child("e2e4", Purpose::Move)]).len(), 1);
    }
}
