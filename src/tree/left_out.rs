//! Moves that a method left out: legal at a node, and searched by nobody.

use shakmaty::san::SanPlus;

use super::node::TreeNode;
use crate::board::{PackedMove, Position};
use crate::search::event::Purpose;

/// The moves that were left out at a node, in SAN and in the order of the alphabet. None are named where a
/// move cut, for those behind it were not needed, nor in a search without the hash move, which nobody recorded.
pub fn left_out(node: &TreeNode, children: &[TreeNode], position: &Position) -> Vec<String> {
    if !node.end.leaves_out() || node.purpose == Purpose::Singular {
        return Vec::new();
    }
    let searched = searched(children);
    let legal = position.legal_moves();
    let out = legal.iter().filter(|m| !searched.contains(&PackedMove::new(**m)));
    let mut names: Vec<String> =
        out.map(|m| SanPlus::from_move(position.chess().clone(), *m).to_string()).collect();
    names.sort_unstable();
    names
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
    use crate::search::event::End;

    /// A child of the start position.
    fn child(uci: &str, purpose: Purpose) -> TreeNode {
        let m = Position::default().parse_move(uci).unwrap();
        TreeNode { m: PackedMove::new(m), purpose, number: 1, ..node() }
    }

    #[test]
    fn moves_nobody_searched_were_left_out_unless_one_cut() {
        let at = |end, children: &[TreeNode]| {
            left_out(&TreeNode { end, purpose: Purpose::Move, ..node() }, children, &Position::default())
        };
        let children = [child("e2e4", Purpose::Move), child("e2e4", Purpose::SearchedDeeper)];
        let out = at(End::LateMoves, &children);
        assert_eq!((out.len(), &out[0][..], out.contains(&"e4".to_owned())), (19, "Na3", false));
        assert!(at(End::Cut, &children).is_empty());
        assert!(at(End::AllMoves, &children).is_empty());
    }

    #[test]
    fn a_verification_is_no_search_of_the_move() {
        let again = child("e2e4", Purpose::SearchedDeeper);
        assert_eq!(searched(&[child("e2e4", Purpose::Verification), again]).len(), 0);
        assert_eq!(searched(&[child("d2d4", Purpose::Verification), child("e2e4", Purpose::Move)]).len(), 1);
    }
}
