//! E. Schröder, "Internal Iterative Reductions" (Rebel, 2020), a note without a paper.
//!
//! *Claim.* A node for which the hash table knows no move is either new or was thought unimportant; it
//! is not worth a search of full depth before a cheaper one has found a move for it, so it is searched
//! shallower now and deeper when the next iteration comes back to it.
//! *Known failure.* Where the table is full or off, important nodes lose depth too.

use super::{Id, Method};
use crate::depth::Depth;
use crate::options::{Kind, Row, Slot};

/// The method and its options.
pub const METHOD: Method = Method {
    id: Id::InternalReduction,
    paper: "Schröder 2020",
    rows: &[
        Row {
            name: "InternalReduction",
            kind: Kind::Check(false),
            doc: "Searches a node without a hash move a ply shallower.",
            slot: |o| Slot::Bool(&mut o.selective.internal_iterative_reduction.on),
        },
        Row {
            name: "InternalReductionDepth",
            kind: Kind::Spin { default: 5, min: 2, max: 20, step: 1 },
            doc: "Internal reductions: least remaining plies.",
            slot: |o| Slot::Int(&mut o.selective.internal_iterative_reduction.depth),
        },
    ],
};

/// The options of this method, as the user set them.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Settings {
    /// `InternalReduction`: searches a node without a hash move a ply shallower.
    pub on: bool,
    /// `InternalReductionDepth`: internal reductions: least remaining plies.
    pub depth: i32,
}

/// What the search reads: the settings, resolved at `go`.
#[derive(Copy, Clone, Debug)]
pub struct Rule {
    min_depth: Depth,
}

impl Settings {
    /// Whether there is anything to do.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// The rule these settings mean.
    pub fn resolve(&self) -> Rule {
        Rule { min_depth: if self.on { Depth::plies(self.depth) } else { Depth::NEVER } }
    }
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
