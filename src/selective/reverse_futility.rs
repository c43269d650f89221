//! Reverse futility pruning, also called static null move: no paper; described by E. A. Heinz, "Extended
//! Futility Pruning", ICCA Journal 21(2), 1998, as the mirror of futility, and used by all leading programs.
//!
//! *Claim.* A static value that lies far above beta close to the horizon stays above it whatever the
//! opponent does in the few plies left; the margin grows with the plies, and shrinks while the mover's
//! position is improving.
//! *Known failure.* Threats the static value does not see; nodes in check and mate scores are left alone.

use super::{Facts, method, rule};
use crate::depth::Depth;
use crate::score::Score;

method! {
    "reverse futility", "Heinz 1998 and common practice";
    needs Eval;
    pub struct Settings {
        /// Cuts a node close to the horizon whose static value lies far above beta.
        on: "ReverseFutility" = true;
        /// Reverse futility: centipawns above beta, per remaining ply.
        margin: "ReverseFutilityMargin" = 63 in 0..=500 step 5;
        /// Reverse futility: most remaining plies.
        depth: "ReverseFutilityDepth" = 7 in 1..=20 step 1;
        /// Reverse futility: centipawns taken from the margin while the static value is rising.
        improving: "ReverseFutilityImproving" = 63 in 0..=500 step 5;
        /// Reverse futility: points of history of the move before that add a centipawn to the margin; 0 for none.
        history: "ReverseFutilityHistory" = 788 in 0..=5000 step 50;
    }
}

rule! { asked =>
    max_depth: Depth = if asked.on { Depth::plies(asked.depth) } else { -Depth::PLY };
    margin: i32 = asked.margin;
    improving: i32 = asked.improving;
    history: i32 = asked.history;
}

impl Rule {
    /// How far above beta the static value must be.
    #[inline]
    pub fn margin(&self, facts: &Facts) -> i32 {
        let margin =
            self.margin * facts.depth.raw() / Depth::PLY.raw() - self.improving * i32::from(facts.improving);
        margin.max(0) + facts.last_history.checked_div(self.history).unwrap_or(0)
    }

    /// The value to return, if the static one is so good that nothing can spoil it.
    #[inline]
    pub fn cut(&self, facts: &Facts) -> Option<Score> {
        let spared = facts.in_check || facts.was_pv || facts.beta.is_decided() || facts.eval.is_decided();
        if facts.depth > self.max_depth || spared {
            return None;
        }
        let margin = self.margin(facts);
        (facts.eval >= facts.beta && facts.eval - margin >= facts.beta).then_some(facts.eval)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::facts;
    use super::*;

    fn settings() -> Settings {
        Settings { on: true, margin: 100, depth: 6, improving: 50, history: 100 }
    }

    fn above(plies: i32, centipawns: i32) -> Facts {
        Facts { depth: Depth::plies(plies), eval: facts().beta + centipawns, ..facts() }
    }

    #[test]
    fn the_margin_grows_with_the_depth_and_shrinks_while_improving() {
        let rule = settings().resolve();
        assert_eq!(rule.cut(&above(3, 300)), Some(facts().beta + 300));
        assert_eq!(rule.cut(&above(3, 299)), None);
        assert!(rule.cut(&Facts { improving: true, ..above(3, 250) }).is_some());
        assert_eq!(rule.cut(&Facts { improving: true, ..above(3, 249) }), None);
        assert_eq!(rule.cut(&Facts { last_history: 100, ..above(3, 300) }), None);
        assert_eq!(rule.cut(&Facts { was_pv: true, ..above(3, 300) }), None);
    }

    #[test]
    fn depth_checks_and_mates_are_left_alone() {
        let rule = settings().resolve();
        assert_eq!(rule.cut(&above(7, 5_000)), None);
        assert_eq!(rule.cut(&Facts { in_check: true, ..above(1, 5_000) }), None);
        assert_eq!(rule.cut(&Facts { beta: Score::mated_at(3), ..above(1, 5_000) }), None);
        assert_eq!(Settings { on: false, ..settings() }.resolve().cut(&above(1, 5_000)), None);
    }
}
