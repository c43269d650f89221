//! Pruning by static exchange: no paper; the practice of leading programs. The exchange itself is that of
//! J. Reul, "Static Exchange Evaluation with αβ-Approach", ICGA Journal 33(1), 2010.
//!
//! *Claim.* Close to the horizon a move that loses more material in the exchange on its square than the
//! remaining plies could win back is not worth searching: a capture may lose a multiple of the depth, a
//! quiet move a multiple of its square.
//! *Known failure.* Sacrifices; so the first move is always searched, moves that give check are, and nodes in
//! check are left alone.

use super::{Facts, method, rule};
use crate::depth::Depth;

method! {
    "SEE pruning", "common practice";
    mark 64 anywhere "losing-moves-out" "losing moves left out"
        leaves_out "losing exchange" by Exchange;
    needs EachMove;
    pub struct Settings {
        /// Skips moves close to the horizon that lose too much material in the exchange they begin.
        on: "ExchangePruning" = true;
        /// SEE pruning: most remaining plies.
        depth: "ExchangeDepth" = 20 in 1..=60 step 1;
        /// SEE pruning: centipawns a capture may lose, per remaining ply.
        capture: "ExchangeCapture" = 87 in 0..=500 step 10;
        /// SEE pruning: centipawns a quiet move may lose, per square of the remaining plies.
        quiet: "ExchangeQuiet" = 9 in 0..=200 step 2;
        /// SEE pruning: centipawns a quiet move may lose besides, per remaining ply.
        quiet_ply: "ExchangeQuietPly" = 6 in 0..=200 step 2;
    }
}

rule! { asked =>
    max_depth: Depth = if asked.on { Depth::plies(asked.depth) } else { -Depth::PLY };
    capture: i32 = asked.capture;
    quiet: i32 = asked.quiet;
    quiet_ply: i32 = asked.quiet_ply;
}

impl Rule {
    /// The least that captures and checks of a node must win in their exchange, in centipawns, if that is asked.
    #[inline]
    pub fn least_capture(&self, facts: &Facts) -> Option<i32> {
        let plies = facts.depth.whole().max(1);
        (facts.depth <= self.max_depth && !facts.in_check).then_some(-self.capture * plies)
    }

    /// The least that a quiet move judged at this depth must win, if that is asked.
    #[inline]
    pub fn least_quiet(&self, facts: &Facts) -> Option<i32> {
        let plies = facts.depth.whole().max(0);
        let least = -(self.quiet * plies + self.quiet_ply) * plies;
        (facts.depth <= self.max_depth && !facts.in_check).then_some(least)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::facts;
    use super::*;

    fn settings() -> Settings {
        Settings { on: true, depth: 6, capture: 100, quiet: 25, quiet_ply: 5 }
    }

    #[test]
    fn the_more_plies_are_left_the_more_may_be_lost() {
        let rule = settings().resolve();
        let at = |plies| Facts { depth: Depth::plies(plies), ..facts() };
        assert_eq!([1, 4, 7].map(|plies| rule.least_capture(&at(plies))), [Some(-100), Some(-400), None]);
        assert_eq!([0, 1, 4].map(|plies| rule.least_quiet(&at(plies))), [Some(0), Some(-30), Some(-420)]);
    }

    #[test]
    fn checks_are_left_alone() {
        let rule = settings().resolve();
        let check = Facts { in_check: true, ..facts() };
        assert_eq!((rule.least_capture(&check), rule.least_quiet(&check)), (None, None));
        let off = Settings { on: false, ..settings() }.resolve();
        assert_eq!((off.least_capture(&facts()), off.least_quiet(&facts())), (None, None));
    }
}
