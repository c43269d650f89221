//! E. Schröder, "Internal Iterative Reductions" (Rebel, 2020), a note without a paper.
//!
//! *Claim.* A node for which the hash table knows no move is either new or was thought unimportant; it
//! is not worth a search of full depth before a cheaper one has found a move for it, so it is searched
//! shallower now and deeper when the next iteration returns to it.
//! *Known failure.* Where the table is full or off, important nodes lose depth too.

use super::{method, rule};
use crate::depth::Depth;

method! {
    "internal iterative reduction", "Schröder 2020";
    mark 128 anywhere "no-hash-move" "a ply shallower: no hash move";
    pub struct Settings {
        /// Searches nodes without a move in the hash table shallower.
        on: "InternalReduction" = true;
        /// Least remaining plies of an expected cut-node that is searched shallower for lack of a hash move.
        depth: "InternalReductionDepth" = 9 in 2..=20 step 1;
        /// Plies taken off at such a cut-node.
        cut: "InternalReductionCut" = 2 in 0..=6 step 1;
        /// Plies taken off at a principal-variation node, whatever its depth.
        pv: "InternalReductionPv" = 3 in 0..=6 step 1;
    }
}

rule! { asked =>
    min_depth: Depth = if asked.on { Depth::plies(asked.depth) } else { Depth::NEVER };
    cut: Depth = Depth::plies(asked.cut);
    pv: Depth = if asked.on { Depth::plies(asked.pv) } else { Depth::ZERO };
}

impl Rule {
    /// The depth to search a node without a hash move to, if that is less than its own: a ply at least.
    #[inline]
    pub fn shallower(&self, depth: Depth, pv: bool, cut: bool) -> Option<Depth> {
        let by = if pv {
            self.pv
        } else if cut && depth >= self.min_depth {
            self.cut
        } else {
            return None;
        };
        Some((depth - by).max(Depth::PLY)).filter(|shallower| *shallower < depth)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::*;

    #[test]
    fn principal_variation_and_deep_cut_nodes_without_a_move_lose_plies() {
        let rule = Settings { on: true, depth: 5, cut: 2, pv: 3 }.resolve();
        let at = |plies, pv, cut| rule.shallower(Depth::plies(plies), pv, cut);
        assert_eq!([at(5, false, true), at(4, false, true)], [Some(Depth::plies(3)), None]);
        assert_eq!([at(9, false, false), at(1, true, false)], [None, None]);
        assert_eq!([at(2, true, false), at(8, true, false)], [Some(Depth::PLY), Some(Depth::plies(5))]);
        let off = Settings { on: false, depth: 5, cut: 2, pv: 3 }.resolve();
        assert_eq!(off.shallower(Depth::plies(9), true, true), None);
    }
}
