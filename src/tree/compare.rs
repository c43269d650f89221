//! Where two recorded searches of the same position first differ.
//!
//! Every node has a fingerprint of its subtree, so equal branches are recognised without reading them.

use super::{FileError, Tree, TreeNode};
use crate::search::event::{End, Purpose};

/// Probes that may end a node, with their names and the ends they lead to.
pub const PROBES: [(Purpose, &str, &[End]); 5] = [
    (Purpose::NullMove, "null move", &[End::NullMove, End::NullMoveVerified]),
    (Purpose::ProbCut, "ProbCut", &[End::ProbCut]),
    (Purpose::MultiCut, "multi-cut", &[End::MultiCut]),
    (Purpose::CaptureProbCut, "ProbCut by a capture", &[End::CaptureProbCut]),
    (Purpose::QuiescenceRazoring, "razoring", &[End::QuiescenceRazoring]),
];

/// A node with its index in the tree.
#[derive(Copy, Clone)]
pub struct IndexedNode {
    /// The index in the tree.
    pub index: u32,
    /// The node with this index.
    pub node: TreeNode,
}

/// Where two trees first differ, in the order of the search.
pub struct Difference {
    /// The last node that both entered, in A and in B.
    pub at: [IndexedNode; 2],
    /// How they differ there.
    pub how: HowDiffers,
}

/// How two searches differ at a node that both entered.
pub enum HowDiffers {
    /// It was entered with another window or depth.
    Entered {
        /// The windows differ.
        window: bool,
        /// The depths differ.
        depth: bool,
    },
    /// They continued with different nodes; `None` where one had finished.
    Next([Option<TreeNode>; 2]),
    /// They searched the same nodes with different results.
    Result,
}

/// The first difference, if there is one.
pub fn first_difference(a: &Tree, b: &Tree) -> Result<Option<Difference>, FileError> {
    let mut at = [IndexedNode { index: 0, node: a.node(0)? }, IndexedNode { index: 0, node: b.node(0)? }];
    if at[0].node.print == at[1].node.print {
        return Ok(None);
    }
    loop {
        let [IndexedNode { index: left, node: x }, IndexedNode { index: right, node: y }] = at;
        let (window, depth) = (x.window != y.window, x.depth != y.depth);
        if window || depth {
            return Ok(Some(Difference { at, how: HowDiffers::Entered { window, depth } }));
        }
        let (below_a, below_b) = (a.children(left)?, b.children(right)?);
        let same = |p: &TreeNode, q: &TreeNode| p.m == q.m && p.purpose == q.purpose;
        let mut next = None;
        for k in 0..below_a.len().max(below_b.len()) {
            match (below_a.get(k), below_b.get(k)) {
                (Some(p), Some(q)) if same(p, q) && p.print == q.print => {}
                (Some(p), Some(q)) if same(p, q) => {
                    next = Some([
                        IndexedNode { index: x.first + k as u32, node: *p },
                        IndexedNode { index: y.first + k as u32, node: *q },
                    ]);
                    break;
                }
                (p, q) => {
                    let how = HowDiffers::Next([p.copied(), q.copied()]);
                    return Ok(Some(Difference { at, how }));
                }
            }
        }
        match next {
            Some(deeper) => at = deeper,
            None => return Ok(Some(Difference { at, how: HowDiffers::Result })),
        }
    }
}
