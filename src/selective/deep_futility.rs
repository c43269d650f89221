//! Futility pruning of single moves far from the horizon: no paper; the practice of leading programs after
//! E. A. Heinz, "Extended Futility Pruning", ICCA Journal 21(2), 1998.
//!
//! *Claim.* A quiet move is not worth a search if the static value, a margin that grows with the depth, and a bonus for
//! its history together do not reach alpha.
//! *Known failure.* Those of [`futility`](super::futility); moves with a good history are spared.

use super::{Facts, MoveGain, method, rule};
use crate::depth::Depth;
use crate::score::Score;

method! {
    "deep futility", "after Heinz 1998";
    mark 512 elsewhere "deep-futility-moves" "deep or capture futility left out moves"
        leaves_out "futility" by Reach;
    needs Eval;
    needs EachMove;
    pub struct Settings {
        /// Skips quiet moves up to DeepFutilityDepth plies before the horizon that cannot reach alpha.
        on: "DeepFutility" = true;
        /// Deep futility: most remaining plies.
        depth: "DeepFutilityDepth" = 12 in 1..=20 step 1;
        /// Deep futility: centipawns any quiet move may gain.
        base: "DeepFutilityBase" = 41 in 0..=1000 step 10;
        /// Deep futility: centipawns it may gain besides, per remaining ply.
        margin: "DeepFutilityMargin" = 56 in 0..=1000 step 10;
        /// Deep futility: points of history worth a centipawn; 0 for none.
        history: "DeepFutilityHistory" = 135 in 0..=1000 step 16;
    }
}

rule! { asked =>
    max_depth: Depth = if asked.on { Depth::plies(asked.depth) } else { -Depth::PLY };
    gain: MoveGain = MoveGain::of(asked.base, asked.margin, asked.history);
}

impl Rule {
    /// The most a quiet move without a history can reach here, if moves are judged so.
    #[inline]
    pub fn ceiling(&self, facts: &Facts) -> Option<Score> {
        let gain = self.gain.base + self.gain.per_ply * facts.depth.raw() / Depth::PLY.raw();
        facts.is_quiet_up_to(self.max_depth).then(|| facts.static_eval + gain)
    }

    /// How much more a move can reach than its node says, by its history.
    #[inline]
    pub fn by_history(&self, history: i32) -> i32 {
        self.gain.by_history(history)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::{behind, facts};
    use super::*;

    fn settings() -> Settings {
        Settings { on: true, depth: 6, base: 80, margin: 90, history: 100 }
    }

    #[test]
    fn the_margin_grows_with_the_plies_and_with_history() {
        let rule = settings().resolve();
        assert_eq!(rule.ceiling(&behind(3, 400)), Some(facts().beta - 400 + 80 + 270));
        assert_eq!(rule.ceiling(&behind(7, 4_000)), None);
        assert_eq!([rule.by_history(250), rule.by_history(-1_000)], [2, -10]);
        assert_eq!(Settings { history: 0, ..settings() }.resolve().by_history(900), 0);
        assert_eq!(Settings { on: false, ..settings() }.resolve().ceiling(&behind(1, 4_000)), None);
    }
}
