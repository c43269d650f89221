//! History pruning: no paper; the practice of leading programs.
//!
//! *Claim.* Close to the horizon a quiet move that has been bad wherever it was searched is not worth another
//! search; the deeper the node, the worse it must have been.
//! *Known failure.* Moves that are good here for the first time; nodes in check are spared.

use super::{Facts, method, rule};
use crate::depth::Depth;

method! {
    "history pruning", "common practice";
    mark 1024 elsewhere "bad-history-out" "moves with a bad history left out"
        leaves_out "bad history" by History;
    needs Eval;
    needs EachMove;
    pub struct Settings {
        /// Skips quiet moves with a bad history close to the horizon.
        on: "HistoryPruning" = true;
        /// History pruning: how bad a history must be, per remaining ply.
        floor: "HistoryPruningFloor" = 3875 in 0..=20_000 step 200;
        /// History pruning: history that counts as neither good nor bad.
        offset: "HistoryPruningOffset" = 213 in 0..=5000 step 50;
        /// History pruning: most remaining plies.
        depth: "HistoryPruningDepth" = 4 in 1..=12 step 1;
    }
}

rule! { asked =>
    max_depth: Depth = if asked.on { Depth::plies(asked.depth) } else { -Depth::PLY };
    floor: i32 = asked.floor;
    offset: i32 = asked.offset;
}

impl Rule {
    /// Quiet moves with a history below this are skipped. `facts` has the LMR depth of the move, `node_depth` is that of
    /// its node.
    #[inline]
    pub fn floor(&self, facts: &Facts, node_depth: Depth) -> i32 {
        if facts.depth > self.max_depth || facts.in_check {
            return i32::MIN;
        }
        self.offset - self.floor * (node_depth.whole() - 1).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::facts;
    use super::*;

    fn settings() -> Settings {
        Settings { on: true, floor: 1_000, offset: 50, depth: 3 }
    }

    #[test]
    fn a_history_must_be_the_worse_the_deeper_the_node_is() {
        let rule = settings().resolve();
        let at = |plies| Facts { depth: Depth::plies(plies), ..facts() };
        let floor = |lmr, plies| rule.floor(&at(lmr), Depth::plies(plies));
        assert_eq!([floor(1, 1), floor(1, 3), floor(4, 6)], [50, 50 - 2_000, i32::MIN]);
        let off = Settings { on: false, ..settings() }.resolve();
        assert_eq!(off.floor(&at(1), Depth::PLY), i32::MIN);
    }
}
