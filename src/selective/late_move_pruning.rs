//! Late-move pruning, also called move-count pruning: no paper; the practice of leading programs.
//!
//! *Claim.* Close to the horizon a quiet move that comes late in a good order is not worth a search at all; the
//! number of those that are grows with the square of the depth.
//! *Known failure.* Those of [`late_moves`](super::late_moves); nodes in check are spared.

use super::{Facts, method, rule};
use crate::depth::Depth;

method! {
    "late-move pruning", "common practice";
    mark 2 anywhere "late-moves-out" "late moves left out"
        leaves_out "late moves" by QuietCount;
    needs Eval;
    pub struct Settings {
        /// Skips late quiet moves close to the horizon.
        on: "LateMovePruning" = true;
        /// Quiet moves always searched at d plies: this many plus d squared.
        base: "LateMovePruningBase" = 3 in 1..=40 step 1 published 4;
        /// Plies from the horizon up to which moves are skipped.
        depth: "LateMovePruningDepth" = 20 in 1..=60 step 1 published 4;
        /// Percent of those moves that are searched while the static value is not rising.
        not_improving: "LateMovePruningWorsening" = 50 in 10..=100 step 5 published 100;
    }
}

rule! { asked =>
    max_depth: Depth = if asked.on { Depth::plies(asked.depth) } else { -Depth::PLY };
    base: usize = asked.base.max(1) as usize;
    not_improving: usize = asked.not_improving.max(0) as usize;
}

impl Rule {
    /// The number of moves after which quiet ones are skipped.
    #[inline]
    pub fn quota(&self, facts: &Facts) -> usize {
        if facts.depth > self.max_depth || facts.in_check || !facts.has_pieces {
            return usize::MAX;
        }
        let plies = facts.depth.whole().max(1) as usize;
        let quota = self.base + plies * plies;
        if facts.improving { quota } else { (quota * self.not_improving / 100).max(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::facts;
    use super::*;

    fn settings() -> Settings {
        Settings { on: true, base: 4, depth: 4, not_improving: 50 }
    }

    #[test]
    fn the_quota_grows_with_the_distance_from_the_horizon() {
        let rule = settings().resolve();
        let at = |plies| Facts { depth: Depth::plies(plies), improving: true, ..facts() };
        assert_eq!(rule.quota(&at(1)), 5);
        assert_eq!(rule.quota(&at(3)), 13);
        assert_eq!(rule.quota(&Facts { improving: false, ..at(3) }), 6);
        assert_eq!(rule.quota(&at(5)), usize::MAX);
        assert_eq!(rule.quota(&Facts { in_check: true, ..at(1) }), usize::MAX);
        let off = Settings { on: false, ..settings() }.resolve();
        assert_eq!(off.quota(&at(1)), usize::MAX);
    }
}
