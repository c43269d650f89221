//! Moves that a method left out: legal at a node, and searched by nobody.

use shakmaty::Move;
use shakmaty::san::SanPlus;

use super::marks;
use super::node::TreeNode;
use crate::board::{PackedMove, Position};
use crate::search::event::Purpose;
use crate::selective::{Id, LeavesOutBy, Mark};

/// Bytes that a move left out takes on disk.
pub const LEFT_OUT_SIZE: usize = 4;

/// Bits of the move, of the rule and of the number.
const MOVE_BITS: u32 = 15;
const RULE_BITS: u32 = 4;
const NUMBER_BITS: u32 = 32 - MOVE_BITS - RULE_BITS;
/// Numbers are larger than this, which stands for none, and smaller than its opposite.
const NO_SMALL_NUMBER: i32 = -(1 << (NUMBER_BITS - 1));
/// Histories are counted in steps of this.
pub const HISTORY_STEP: i32 = 16;

/// A move that a rule left out, as it stands in a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LeftOutMove {
    /// The move; none for every move that neither was searched nor stands by itself.
    pub m: PackedMove,
    /// The bit of the rule's mark, as its place.
    rule: u8,
    /// The number of the rule, a history in [steps](HISTORY_STEP); nothing if it is too large for a file.
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

    /// The rule, at a node of a recording.
    pub fn mark(&self, node: &TreeNode) -> Option<&'static Mark> {
        node.acted().find(|mark| mark.bit.trailing_zeros() == u32::from(self.rule))
    }

    pub(super) fn to_bytes(self) -> [u8; LEFT_OUT_SIZE] {
        let number = self.number.map_or(NO_SMALL_NUMBER, i32::from) as u32;
        let bits =
            u32::from(self.m.bits()) | u32::from(self.rule) << MOVE_BITS | number << (MOVE_BITS + RULE_BITS);
        bits.to_le_bytes()
    }

    pub(super) fn from_bytes(bytes: [u8; LEFT_OUT_SIZE]) -> Self {
        let bits = u32::from_le_bytes(bytes);
        let number = bits as i32 >> (MOVE_BITS + RULE_BITS);
        Self {
            m: PackedMove::from_bits((bits & ((1 << MOVE_BITS) - 1)) as u16),
            rule: (bits >> MOVE_BITS) as u8 & ((1 << RULE_BITS) - 1),
            number: (number != NO_SMALL_NUMBER).then_some(number as i16),
        }
    }
}

/// A move of a node that was left out, and what is known about the reason.
pub type LeftOut = (Move, Option<LeftOutMove>);

/// The moves that were left out at a node, in the order of the alphabet (SAN). `kept` are those that the recording
/// keeps with their rules. Where a move cut, only those are named, for the others were not needed; and none in a search
/// without the hash move, which nobody recorded.
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
        Some((*m, own.or(rest)))
    };
    let mut out: Vec<LeftOut> = position.legal_moves().iter().filter_map(reason).collect();
    out.sort_by_cached_key(|(m, _)| SanPlus::from_move(position.chess().clone(), *m).to_string());
    out
}

/// Moves that were searched for the value of their parent, not only to verify a null-move cut-off.
fn searched(children: &[TreeNode]) -> Vec<PackedMove> {
    let mut verifying = false;
    let mut moves = Vec::new();
    for child in children.iter().filter(|child| child.number > 0) {
        if !child.purpose.is_again() {
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
            let children = [child("e2e4", Purpose::Move), child("e2e4", Purpose::SearchedDeeper)];
            left_out(&TreeNode { end, purpose: Purpose::Move, ..node() }, &children, kept, &position)
        };
        let out = at(End::LateMoves, &[]);
        assert_eq!((out.len(), out[0]), (19, (a3, None)));
        assert!(out.iter().all(|(m, _)| *m != e4));
        let out = at(End::LateMoves, &[futile, late]);
        assert_eq!((out[0], out[1].1), ((a3, Some(futile)), Some(late)), "the others are those of the rest");
        assert_eq!(at(End::Cut, &[futile]), [(a3, Some(futile))]);
        assert!(at(End::AllMoves, &[]).is_empty());
    }

    #[test]
    fn a_move_left_out_is_read_as_it_was_written() {
        let m = PackedMove::from_bits(0x4abc);
        for (method, by, number) in [
            (Id::DeepFutility, -120, Some(-120)),
            (Id::Delta, 4095, Some(4095)),
            (Id::Futility, 4096, None),
            (Id::Exchange, -4096, None),
            (Id::HistoryPruning, -16_000, Some(-1000)),
        ] {
            let one = LeftOutMove::new(method, m, by);
            assert_eq!((one.number, LeftOutMove::from_bytes(one.to_bytes())), (number, one), "{method:?}");
            let quiescence = method == Id::Delta;
            let kind = if quiescence { NodeKind::Quiescence } else { NodeKind::Minimal };
            let node = TreeNode { marks: marks::bit(method) | marks::bit(Id::Hindsight), kind, ..node() };
            assert_eq!(one.mark(&node).copied(), method.about().mark);
        }
    }

    #[test]
    fn a_verification_is_no_search_of_the_move() {
        let again = child("e2e4", Purpose::SearchedDeeper);
        assert_eq!(searched(&[child("e2e4", Purpose::Verification), again]).len(), 0);
        assert_eq!(searched(&[child("d2d4", Purpose::Verification), child("e2e4", Purpose::Move)]).len(), 1);
    }
}
