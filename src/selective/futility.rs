//! J. Schaeffer, *Experiments in Search and Knowledge*, PhD thesis, Waterloo 1986 (futility pruning).
//!
//! *Claim.* One ply before the horizon (frontier) a quiet move cannot lift a static value that lies a minor piece
//! below alpha.
//! *Known failure.* Quiet moves that win at once (mates, double attacks): moves that give check are never
//! skipped, and no node in check or near a mate score is touched.

use super::{Facts, NEVER, method, rule};
use crate::depth::Depth;
use crate::score::Score;

method! {
    "futility", "Schaeffer 1986";
    mark 1 elsewhere "futility-moves" "futility left out moves"
        leaves_out "futility" by Reach;
    needs Eval;
    pub struct Settings {
        /// Skips quiet moves one ply before the horizon that cannot reach alpha.
        on: "Futility" = false;
        /// Centipawns a quiet move may gain one ply before the horizon.
        margin: "FutilityMargin" = 250 in 0..=2000 step 25;
    }
}

rule! { asked =>
    margin: i32 = if asked.on { asked.margin } else { NEVER };
}

impl Rule {
    /// The most a quiet move can reach here, if that is less than beta: such moves are skipped.
    #[inline]
    pub fn ceiling(&self, facts: &Facts) -> Option<Score> {
        facts.is_quiet_up_to(Depth::PLY).then(|| facts.below_beta(self.margin))?
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::{behind, facts};
    use super::*;

    #[test]
    fn a_quiet_move_gains_a_minor_piece_at_the_frontier() {
        let rule = Settings { on: true, margin: 250 }.resolve();
        assert_eq!(rule.ceiling(&behind(1, 251)), Some(facts().beta - 1));
        assert_eq!(rule.ceiling(&behind(1, 250)), None);
        assert_eq!(rule.ceiling(&behind(2, 3000)), None);
        assert_eq!(Settings { on: false, margin: 0 }.resolve().ceiling(&behind(1, 20_000)), None);
    }

    #[test]
    fn checks_and_mates_are_never_futile() {
        let rule = Settings { on: true, margin: 250 }.resolve();
        assert_eq!(rule.ceiling(&Facts { in_check: true, ..behind(1, 900) }), None);
        assert_eq!(rule.ceiling(&Facts { beta: Score::mated_at(4), ..behind(1, 900) }), None);
    }
}
