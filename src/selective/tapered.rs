//! P. H. Winston, *Artificial Intelligence*, chapter 6 (tapered search).
//!
//! *Claim.* A move that ranks low among its siblings deserves fewer branches below it:
//! b(child) = b(parent) − rank(child), so the tree tapers towards the implausible side.
//! *Known failure.* As of all fixed widths: the implausible move that wins. It is here for comparison, and
//! off by default. Check evasions are never dropped, and a node always keeps one move.

use super::{Id, Method};
use crate::options::{Kind, Row, Slot};

/// The method and its options.
pub const METHOD: Method = Method {
    id: Id::Tapered,
    paper: "Winston, chapter 6",
    rows: &[
        Row {
            name: "Tapered",
            kind: Kind::Check(false),
            doc: "Gives a move the fewer branches the lower it ranks statically; for comparison, not for play.",
            slot: |o| Slot::Bool(&mut o.selective.tapered.on),
        },
        Row {
            name: "TaperedWidth",
            kind: Kind::Spin { default: 20, min: 1, max: 256, step: 1 },
            doc: "Tapered search: branches of the root.",
            slot: |o| Slot::Int(&mut o.selective.tapered.width),
        },
    ],
};

/// The options of this method, as the user set them.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Settings {
    /// `Tapered`: gives a move the fewer branches the lower it ranks statically; for comparison, not for
    /// play.
    pub on: bool,
    /// `TaperedWidth`: tapered search: branches of the root.
    pub width: i32,
}

/// What the search reads: the settings, resolved at `go`.
#[derive(Copy, Clone, Debug)]
pub struct Rule {
    /// Branches of the root.
    pub width: u32,
}

impl Settings {
    /// Whether there is anything to do.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// The rule these settings mean.
    pub fn resolve(&self) -> Rule {
        Rule { width: if self.on { self.width.max(1) as u32 } else { u32::MAX } }
    }
}

impl Rule {
    /// The branches of the child that ranks `rank`-th (from 1) below a node of `width` branches.
    #[inline]
    pub fn below(&self, width: u32, rank: usize) -> u32 {
        if width == u32::MAX { width } else { width.saturating_sub(rank as u32).max(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_taper_by_rank_and_never_vanish() {
        let rule = Settings { on: true, width: 5 }.resolve();
        // Winston: with five branches, the best child gets four and the fifth none; ours keeps one.
        assert_eq!([1, 2, 3, 4, 5, 9].map(|rank| rule.below(5, rank)), [4, 3, 2, 1, 1, 1]);
    }

    #[test]
    fn off_means_no_limit_anywhere() {
        let rule = Settings { on: false, width: 5 }.resolve();
        assert_eq!(rule.below(rule.width, 7), u32::MAX);
    }
}
