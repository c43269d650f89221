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
    "exchange pruning", "common practice";
    mark 64 anywhere "losing-moves-out" "losing moves left out";
    needs EachMove;
    pub struct Settings {
        /// Skips moves close to the horizon that lose too much material in the exchange they begin.
        on: "ExchangePruning" = true;
        /// Exchange pruning: most remaining plies.
        depth: "ExchangeDepth" = 8 in 1..=20 step 1;
        /// Exchange pruning: centipawns a capture may lose, per remaining ply.
        capture: "ExchangeCapture" = 104 in 0..=500 step 10;
        /// Exchange pruning: centipawns a quiet move may lose, per square of the remaining plies.
        quiet: "ExchangeQuiet" = 28 in 0..=200 step 4;
    }
}

rule! { asked =>
    max_depth: Depth = if asked.on { Depth::plies(asked.depth) } else { -Depth::PLY };
    capture: i32 = asked.capture;
    quiet: i32 = asked.quiet;
}

/// The least that moves of a node must win in their exchange to be searched, in centipawns.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Least {
    /// Captures.
    pub capture: i32,
    /// Quiet moves.
    pub quiet: i32,
}

impl Rule {
    /// What moves must win here, if that is asked of them.
    #[inline]
    pub fn least(&self, facts: &Facts) -> Option<Least> {
        let plies = facts.depth.whole().max(1);
        (facts.depth <= self.max_depth && !facts.in_check)
            .then(|| Least { capture: -self.capture * plies, quiet: -self.quiet * plies * plies })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::facts;
    use super::*;

    fn settings() -> Settings {
        Settings { on: true, depth: 6, capture: 100, quiet: 25 }
    }

    #[test]
    fn the_more_plies_are_left_the_more_may_be_lost() {
        let rule = settings().resolve();
        let at = |plies| rule.least(&Facts { depth: Depth::plies(plies), ..facts() });
        assert_eq!(at(1), Some(Least { capture: -100, quiet: -25 }));
        assert_eq!(at(4), Some(Least { capture: -400, quiet: -400 }));
        assert_eq!(at(7), None);
    }

    #[test]
    fn checks_are_left_alone() {
        assert_eq!(settings().resolve().least(&Facts { in_check: true, ..facts() }), None);
        assert_eq!(Settings { on: false, ..settings() }.resolve().least(&facts()), None);
    }
}
