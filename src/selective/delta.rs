//! Delta pruning in the quiescence search: J. Schaeffer, *Experiments in Search and Knowledge*, PhD thesis,
//! Waterloo 1986 (futility at the horizon); the name is that of chess programmers.
//!
//! *Claim.* In quiescence search a capture that would leave the mover below alpha even with the captured
//! piece and a margin on top cannot raise the value.
//! *Known failure.* Captures whose point is positional or a mate; in check nothing is left out.

use super::{NEVER, method, rule};
use crate::score::Score;

method! {
    "delta pruning", "Schaeffer 1986";
    mark 1 quiescence "delta-moves" "delta pruning left out captures"
        leaves_out "delta pruning" by Reach;
    pub struct Settings {
        /// Skips captures in quiescence search that cannot reach alpha.
        on: "DeltaPruning" = true;
        /// Delta pruning: centipawns a capture may gain besides the piece it takes.
        margin: "DeltaMargin" = 60 in 0..=1000 step 8;
        /// Skips captures that win nothing in the exchange where the static value and DeltaMargin do not reach alpha.
        even: "DeltaEven" = true published false;
    }
}

rule! { asked =>
    margin: i32 = if asked.on { asked.margin } else { NEVER };
    even: bool = asked.even;
}

impl Rule {
    /// The most a capture that wins `gain` can reach, if that is not above alpha.
    #[inline]
    pub fn ceiling(&self, eval: Score, gain: i32, alpha: Score) -> Option<Score> {
        let most = eval + gain + self.margin;
        (most <= alpha && !alpha.is_decided()).then_some(most)
    }

    /// The most that a capture which wins nothing in the exchange can reach, if that is not enough.
    #[inline]
    pub fn even_ceiling(&self, eval: Score, alpha: Score) -> Option<Score> {
        if self.even { self.ceiling(eval, 0, alpha) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::*;

    #[test]
    fn a_capture_must_be_able_to_reach_alpha() {
        let rule = Settings { on: true, margin: 100, even: true }.resolve();
        assert_eq!(rule.ceiling(Score::cp(-500), 325, Score::cp(-75)), Some(Score::cp(-75)));
        assert_eq!(rule.ceiling(Score::cp(-500), 325, Score::cp(-76)), None);
        assert_eq!(rule.ceiling(Score::cp(-500), 325, Score::mate_at(9)), None);
        assert_eq!(rule.even_ceiling(Score::cp(-500), Score::cp(-400)), Some(Score::cp(-400)));
        let all = Settings { on: true, margin: 100, even: false }.resolve();
        assert_eq!(all.even_ceiling(Score::cp(-500), Score::cp(-400)), None);
        let off = Settings { on: false, margin: 0, even: true }.resolve();
        assert_eq!(off.ceiling(Score::cp(-20_000), 0, Score::cp(20_000)), None);
    }
}
