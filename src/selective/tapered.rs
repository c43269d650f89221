//! P. H. Winston, *Artificial Intelligence*, chapter 6 (tapered search).
//!
//! *Claim.* A move that ranks low among its siblings deserves fewer branches below it:
//! b(child) = b(parent) − rank(child), so the tree tapers off towards implausible moves.
//! *Known failure.* As with all fixed widths: the implausible move that wins. It is here for comparison, and
//! off by default. Check evasions are never dropped, and a node always keeps one move.
//! *What differs.* Where all moves searched lose by force the others are searched too, so that a mate is one.

use super::{method, rule};

method! {
    "tapered", "Winston, chapter 6";
    mark 16 anywhere "tapered-moves" "tapering left out moves"
        leaves_out "tapered" by Count;
    pub struct Settings {
        /// Gives a move the fewer branches the lower it ranks statically; for comparison, not for play.
        on: "Tapered" = false;
        /// Tapered search: branches of the root.
        width: "TaperedWidth" = 20 in 1..=256 step 1;
    }
}

rule! { asked =>
    /// Branches of the root.
    pub width: u32 = if asked.on { asked.width.max(1) as u32 } else { u32::MAX };
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
    use super::super::Resolve;
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
