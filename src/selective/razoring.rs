//! E. A. Heinz, "Extended Futility Pruning", ICCA Journal 21(2), 1998 (limited razoring).
//!
//! *Claim.* Three plies before the horizon (pre-pre-frontier) a node a queen behind may be searched a ply
//! shallower.
//! *Known failure.* Quiet moves that win at once; no node in check or near a mate score is touched.

use super::{Facts, NEVER, method, rule};
use crate::depth::Depth;

method! {
    "razoring", "Heinz 1998";
    mark 32 anywhere "razoring" "a ply shallower: razoring";
    needs Eval;
    pub struct Settings {
        /// Searches a node three plies before the horizon a ply shallower when it is far below alpha.
        on: "Razoring" = false;
        /// Razoring: centipawns below alpha from which a node is searched a ply shallower.
        margin: "RazoringMargin" = 900 in 0..=3000 step 50;
    }
}

rule! { asked =>
    margin: i32 = if asked.on { asked.margin } else { NEVER };
}

impl Rule {
    /// The depth to search the node to, a ply less if it is hopelessly far below alpha.
    #[inline]
    pub fn shallower(&self, facts: &Facts) -> Option<Depth> {
        let far = facts.depth > Depth::plies(2)
            && facts.is_quiet_up_to(Depth::plies(3))
            && facts.eval + self.margin < facts.beta;
        far.then(|| facts.depth - Depth::PLY)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::behind;
    use super::*;

    #[test]
    fn a_node_a_queen_behind_loses_a_ply_three_plies_before_the_horizon() {
        let rule = Settings { on: true, margin: 900 }.resolve();
        assert_eq!(rule.shallower(&behind(3, 901)), Some(Depth::plies(2)));
        assert_eq!(rule.shallower(&behind(3, 900)), None);
        assert_eq!(rule.shallower(&behind(2, 3000)), None);
        assert_eq!(rule.shallower(&behind(4, 3000)), None);
        assert_eq!(Settings { on: false, margin: 0 }.resolve().shallower(&behind(3, 3000)), None);
    }
}
