//! History pruning: no paper; the practice of leading programs.
//!
//! *Claim.* Close to the horizon a quiet move that has been bad wherever it was searched is not worth another
//! search; the deeper the node, the worse it must have been.
//! *Known failure.* Moves that are good here for the first time; nodes in check are spared.

use super::{Facts, method, rule};
use crate::depth::Depth;

method! {
    "history pruning", "common practice";
    mark 1024 elsewhere "bad-history-out" "moves with a bad history left out";
    needs Eval;
    needs EachMove;
    pub struct Settings {
        /// Skips quiet moves close to the horizon that have been bad everywhere.
        on: "HistoryPruning" = true;
        /// History pruning: how bad a history must be, per remaining ply.
        floor: "HistoryPruningFloor" = 3263 in 0..=20_000 step 300;
        /// History pruning: most remaining plies.
        depth: "HistoryPruningDepth" = 5 in 1..=12 step 1;
    }
}

rule! { asked =>
    max_depth: Depth = if asked.on { Depth::plies(asked.depth) } else { -Depth::PLY };
    floor: i32 = asked.floor;
}

impl Rule {
    /// Quiet moves with a history below this are skipped.
    #[inline]
    pub fn floor(&self, facts: &Facts) -> i32 {
        if facts.depth > self.max_depth || facts.in_check {
            return i32::MIN;
        }
        -self.floor * facts.depth.whole().max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::facts;
    use super::*;

    fn settings() -> Settings {
        Settings { on: true, floor: 1_000, depth: 3 }
    }

    #[test]
    fn a_history_must_be_the_worse_the_deeper_the_node_is() {
        let rule = settings().resolve();
        let at = |plies| Facts { depth: Depth::plies(plies), ..facts() };
        assert_eq!(rule.floor(&at(1)), -1_000);
        assert_eq!(rule.floor(&at(3)), -3_000);
        assert_eq!(rule.floor(&at(4)), i32::MIN);
        let off = Settings { on: false, ..settings() }.resolve();
        assert_eq!(off.floor(&at(1)), i32::MIN);
    }
}
