//! E. A. Heinz, "Extended Futility Pruning", ICCA Journal 21(2), 1998.
//!
//! *Claim.* What holds for a minor piece one ply before the horizon holds for a rook two plies before it
//! (pre-frontier): no quiet move lifts a static value that lies so far below alpha.
//! *Known failure.* Those of [`futility`](super::futility), and a quiet threat that wins more than the margin.

use super::{Facts, NEVER, method, rule};
use crate::depth::Depth;
use crate::score::Score;

method! {
    "extended futility", "Heinz 1998";
    variant "futility, extended" = ["Futility=true"];
    mark 2048 elsewhere "extended-futility-moves" "extended futility left out moves"
        leaves_out "extended futility" by Reach;
    needs Eval;
    pub struct Settings {
        /// Skips quiet moves two plies before the horizon that cannot reach alpha.
        on: "ExtendedFutility" = false;
        /// Centipawns a quiet move may gain two plies before the horizon.
        margin: "ExtendedFutilityMargin" = 500 in 0..=2000 step 25;
    }
}

rule! { asked =>
    margin: i32 = if asked.on { asked.margin } else { NEVER };
}

impl Rule {
    /// The most a quiet move can reach two plies before the horizon, if that is less than beta.
    #[inline]
    pub fn ceiling(&self, facts: &Facts) -> Option<Score> {
        let here = facts.depth > Depth::PLY && facts.is_quiet_up_to(Depth::plies(2));
        here.then(|| facts.below_beta(self.margin))?
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::{behind, facts};
    use super::*;

    #[test]
    fn a_quiet_move_gains_a_rook_before_the_frontier() {
        let rule = Settings { on: true, margin: 500 }.resolve();
        assert_eq!(rule.ceiling(&behind(2, 501)), Some(facts().beta - 1));
        assert_eq!(rule.ceiling(&behind(2, 500)), None);
        assert_eq!(rule.ceiling(&behind(1, 3000)), None);
        assert_eq!(rule.ceiling(&behind(3, 3000)), None);
        assert_eq!(Settings { on: false, margin: 0 }.resolve().ceiling(&behind(2, 20_000)), None);
    }
}
