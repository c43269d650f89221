//! Razoring by quiescence search: no paper; the practice of leading programs after J. A. Birmingham and P. Kent,
//! "Tree-Searching and Tree-Pruning Techniques", Advances in Computer Chess 1, 1977.
//!
//! *Claim.* A node at most four plies before the horizon whose static value lies far below alpha can be given up
//! if the quiescence search does not lift it.
//! *Known failure.* A node that is given up sees only the checks of the quiescence search, and no stalemate.

use super::{Facts, method, rule};
use crate::depth::Depth;

method! {
    "razoring by captures", "common practice";
    needs Eval;
    pub struct Settings {
        /// Gives up a node far below alpha, at most four plies before the horizon, if quiescence search does
        /// not raise it.
        on: "RazoringDrop" = true;
        /// Razoring by quiescence search: centipawns below alpha, per remaining ply, from which a node is
        /// tried.
        margin: "RazoringDropMargin" = 250 in 0..=2000 step 20;
    }
}

rule! { asked =>
    max_depth: Depth = if asked.on { PLIES } else { -Depth::PLY };
    margin: i32 = asked.margin;
}

/// Plies before the horizon up to which captures decide about a hopeless node.
const PLIES: Depth = Depth::plies(4);

impl Rule {
    /// The node is so far below alpha that captures alone decide about it.
    #[inline]
    pub fn applies(&self, facts: &Facts) -> bool {
        let margin = self.margin * facts.depth.raw() / Depth::PLY.raw();
        facts.is_quiet_up_to(self.max_depth) && facts.eval + margin < facts.beta
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::behind;
    use super::*;

    #[test]
    fn captures_decide_about_a_node_far_behind_near_the_horizon() {
        let rule = Settings { on: true, margin: 250 }.resolve();
        assert!(rule.applies(&behind(2, 501)) && !rule.applies(&behind(2, 500)));
        assert!(!rule.applies(&behind(5, 3_000)));
        assert!(!rule.applies(&Facts { in_check: true, ..behind(1, 900) }));
        assert!(!Settings { on: false, margin: 250 }.resolve().applies(&behind(1, 900)));
    }
}
