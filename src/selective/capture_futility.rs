//! Futility pruning of captures: no paper; the practice of leading programs after E. A. Heinz, "Extended Futility
//! Pruning", ICCA Journal 21(2), 1998.
//!
//! *Claim.* A capture is not worth a search if the static value, the captured piece, a margin that grows with the reduced
//! depth of the move, and a bonus for its history together do not reach alpha.
//! *Known failure.* Sacrifices that attack; captures that give check, nodes in check and the principal variation are
//! spared.

use super::{Facts, MoveGain, method, rule};
use crate::depth::Depth;
use crate::score::Score;

method! {
    "capture futility", "after Heinz 1998";
    mark 512 elsewhere "deep-futility-moves" "deep or capture futility left out moves"
        leaves_out "futility" by Reach;
    needs Eval;
    needs EachMove;
    pub struct Settings {
        /// Skips captures that cannot reach alpha.
        on: "CaptureFutility" = true;
        /// Capture futility: most plies that the reduced move would be searched to.
        depth: "CaptureFutilityDepth" = 6 in 1..=20 step 1;
        /// Capture futility: centipawns any capture may gain besides the piece it takes.
        base: "CaptureFutilityBase" = 69 in 0..=1000 step 8;
        /// Capture futility: centipawns it may gain besides, per ply.
        margin: "CaptureFutilityMargin" = 77 in 0..=1000 step 8;
        /// Capture futility: points of capture history worth a centipawn; 0 for none.
        history: "CaptureFutilityHistory" = 16 in 0..=1000 step 2;
    }
}

rule! { asked =>
    max_depth: Depth = if asked.on { Depth::plies(asked.depth) } else { -Depth::PLY };
    gain: MoveGain = MoveGain::of(asked.base, asked.margin, asked.history);
}

impl Rule {
    /// The most a capture of this value and history can reach here, judged at its LMR depth, if captures are judged so.
    #[inline]
    pub fn ceiling(&self, facts: &Facts, victim: i32, history: i32) -> Option<Score> {
        let applies = !facts.pv && facts.is_quiet_up_to(self.max_depth);
        let by_history = self.gain.by_history(history);
        let gain = self.gain.base + self.gain.per_ply * facts.depth.whole() + victim + by_history;
        applies.then(|| facts.static_eval + gain)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::{behind, facts};
    use super::*;

    fn settings() -> Settings {
        Settings { on: true, depth: 6, base: 80, margin: 90, history: 10 }
    }

    #[test]
    fn victim_plies_and_history_add_up() {
        let rule = settings().resolve();
        let reach = facts().beta - 900;
        assert_eq!(rule.ceiling(&behind(3, 900), 325, 50), Some(reach + 80 + 270 + 325 + 5));
        assert_eq!(
            Settings { history: 0, ..settings() }.resolve().ceiling(&behind(0, 900), 0, 50),
            Some(reach + 80)
        );
    }

    #[test]
    fn deep_moves_checks_and_the_principal_variation_are_spared() {
        let rule = settings().resolve();
        assert_eq!(rule.ceiling(&behind(7, 900), 0, 0), None);
        assert_eq!(rule.ceiling(&Facts { in_check: true, ..behind(1, 900) }, 0, 0), None);
        assert_eq!(rule.ceiling(&Facts { pv: true, ..behind(1, 900) }, 0, 0), None);
        assert_eq!(Settings { on: false, ..settings() }.resolve().ceiling(&behind(1, 900), 0, 0), None);
    }
}
