//! Razoring by quiescence search: no paper; the practice of leading programs after J. A. Birmingham and P. Kent,
//! "Tree-Searching and Tree-Pruning Techniques", Advances in Computer Chess 1, 1977.
//!
//! *Claim.* A node whose static value lies far below alpha, by a margin that grows with the square of the depth, can
//! be given up if the quiescence search does not lift it.
//! *Known failure.* A node that is given up sees only the checks of the quiescence search, and no stalemate.

use super::{Facts, NEVER, method, rule};
use crate::depth::Depth;

method! {
    "razoring by quiescence search", "common practice";
    needs Eval;
    pub struct Settings {
        /// Gives up a node far below alpha if quiescence search does not raise it.
        on: "RazoringDrop" = true;
        /// Razoring by quiescence search: centipawns below alpha at any depth.
        base: "RazoringDropBase" = 142 in 0..=2000 step 15;
        /// Razoring by quiescence search: centipawns more per square of the remaining plies.
        margin: "RazoringDropMargin" = 98 in 0..=2000 step 10;
    }
}

rule! { asked =>
    base: i32 = if asked.on { asked.base } else { NEVER };
    margin: i32 = asked.margin;
}

/// Depth beyond which the margin grows no more.
const DEEPEST: Depth = Depth::plies(10);

impl Rule {
    /// How far below beta the static value must be.
    #[inline]
    pub fn margin(&self, facts: &Facts) -> i32 {
        // A square of hundredths is ten thousand times one of plies.
        let square = facts.depth.min(DEEPEST).raw().pow(2);
        self.base + self.margin * square / 10_000
    }

    /// Whether quiescence search is asked about the node.
    #[inline]
    pub fn applies(&self, facts: &Facts) -> bool {
        !facts.in_check && !facts.beta.is_decided() && facts.eval + self.margin(facts) < facts.beta
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::behind;
    use super::*;

    #[test]
    fn quiescence_search_decides_about_a_node_far_behind() {
        let rule = Settings { on: true, base: 100, margin: 50 }.resolve();
        assert!(rule.applies(&behind(2, 301)) && !rule.applies(&behind(2, 300)));
        assert!(!rule.applies(&behind(4, 900)) && rule.applies(&behind(4, 901)));
        assert!(!rule.applies(&Facts { in_check: true, ..behind(1, 900) }));
        assert!(!Settings { on: false, base: 0, margin: 0 }.resolve().applies(&behind(1, 900)));
    }
}
