//! Bits of [`TreeNode::marks`](super::TreeNode::marks): which methods acted at a node.

use super::node::TreeNode;
use crate::search::event::NodeKind;

/// Futility left out moves; in quiescence, delta pruning did.
pub const FUTILITY: u16 = 1;
/// Late moves were left out.
pub const LATE_MOVES: u16 = 2;
/// The node gave up: uncertainty cut-off.
pub const UNCERTAINTY: u16 = 4;
/// Only the N best moves were searched.
pub const N_BEST: u16 = 8;
/// Only as many moves were searched as a tapered search allows.
pub const TAPERED: u16 = 16;
/// The node was searched a ply shallower: razoring.
pub const RAZORED: u16 = 32;
/// Moves that lose material were left out.
pub const EXCHANGE: u16 = 64;
/// The node was searched a ply shallower: no move was known.
pub const NO_MOVE_KNOWN: u16 = 128;
/// The depth of the node was corrected because its move was reduced: hindsight.
pub const HINDSIGHT: u16 = 256;

/// What a mark says: which method acted, and how.
pub struct Mark {
    /// Its bit.
    pub bit: u16,
    /// Whether it says so in quiescence only, elsewhere only, or everywhere.
    pub quiescence: Option<bool>,
    /// Its name in files.
    pub name: &'static str,
    /// In words.
    pub label: &'static str,
}

impl Mark {
    /// It says something about this node.
    pub fn is_on(&self, node: &TreeNode) -> bool {
        let quiescence = node.kind == NodeKind::Quiescence;
        node.marks & self.bit != 0 && self.quiescence.is_none_or(|only| only == quiescence)
    }
}

const fn mark(bit: u16, quiescence: Option<bool>, name: &'static str, label: &'static str) -> Mark {
    Mark { bit, quiescence, name, label }
}

/// All of them.
pub const ALL: [Mark; 10] = [
    mark(FUTILITY, Some(false), "futility-moves", "futility left out moves"),
    mark(FUTILITY, Some(true), "delta-moves", "delta pruning left out captures"),
    mark(LATE_MOVES, None, "late-moves-out", "late moves left out"),
    mark(UNCERTAINTY, None, "gave-up", "gave up (uncertainty)"),
    mark(N_BEST, None, "n-best-moves", "N-best left out moves"),
    mark(TAPERED, None, "tapered-moves", "tapering left out moves"),
    mark(RAZORED, None, "razoring", "a ply shallower: razoring"),
    mark(EXCHANGE, None, "losing-moves-out", "losing moves left out"),
    mark(NO_MOVE_KNOWN, None, "no-hash-move", "a ply shallower: no hash move"),
    mark(HINDSIGHT, None, "hindsight", "depth corrected in hindsight"),
];
