//! E. Schröder, "Internal Iterative Reductions" (Rebel, 2020), a note without a paper.
//!
//! *Claim.* A node for which the hash table knows no move is either new or was thought unimportant; it
//! is not worth a search of full depth before a cheaper one has found a move for it, so it is searched
//! shallower now and deeper when the next iteration comes back to it.
//! *Known failure.* Where the table is full or off, important nodes lose depth too.

use super::{method, rule};
use crate::depth::Depth;

method! {
    "internal reduction", "Schröder 2020";
    mark 128 anywhere "no-hash-move" "a ply shallower: no hash move";
    pub struct Settings {
        /// Searches a node without a hash move a ply shallower.
        on: "InternalReduction" = false;
        /// Internal reductions: least remaining plies.
        depth: "InternalReductionDepth" = 5 in 2..=20 step 1;
    }
}

rule! { asked =>
    min_depth: Depth = if asked.on { Depth::plies(asked.depth) } else { Depth::NEVER };
}

impl Rule {
    /// The depth to search a node to; `hash_move` says that the table knows a move for it.
    #[inline]
    pub fn shallower(&self, depth: Depth, hash_move: bool) -> Option<Depth> {
        (depth >= self.min_depth && !hash_move).then(|| depth - Depth::PLY)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::*;

    #[test]
    fn only_deep_nodes_without_a_move_lose_a_ply() {
        let rule = Settings { on: true, depth: 5 }.resolve();
        assert_eq!(rule.shallower(Depth::plies(5), false), Some(Depth::plies(4)));
        assert_eq!(rule.shallower(Depth::plies(5), true), None);
        assert_eq!(rule.shallower(Depth::plies(4), false), None);
        assert_eq!(Settings { on: false, depth: 5 }.resolve().shallower(Depth::plies(9), false), None);
    }
}
