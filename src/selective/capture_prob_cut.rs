//! ProbCut by captures: the form leading programs give to M. Buro, "ProbCut: An Effective Selective
//! Extension of the Alpha-Beta Algorithm", ICCA Journal 18(2), 1995 (see [`prob_cut`](super::prob_cut) for
//! the published one).
//!
//! *Claim.* If a capture reaches a value well above beta in a search some plies shallower, the full search
//! of the node will reach beta. Only captures are tried that win enough in the exchange to have a chance.
//! *Known failure.* A capture whose refutation lies beyond the reduced depth.

use super::{Facts, Probe, method, rule};
use crate::depth::Depth;
use crate::score::Score;

method! {
    "ProbCut by captures", "after Buro 1995";
    pub struct Settings {
        /// Cuts a node where a capture proves far above beta in a shallower search.
        on: "CaptureCut" = true;
        /// ProbCut by captures: centipawns above beta that a capture must reach.
        margin: "CaptureCutMargin" = 73 in 0..=1000 step 8;
        /// ProbCut by captures: centipawns more while the static value is rising.
        improving: "CaptureCutImproving" = 53 in 0..=1000 step 8;
        /// ProbCut by captures: least remaining plies.
        depth: "CaptureCutDepth" = 5 in 4..=20 step 1;
    }
}

rule! { asked =>
    min_depth: Depth = if asked.on { Depth::plies(asked.depth) } else { Depth::NEVER };
    margin: i32 = asked.margin;
    improving: i32 = asked.improving;
}

/// How much shallower than the node a capture's reply is searched.
const SHALLOWER: Depth = Depth::plies(4);

impl Rule {
    /// The search to make after captures; none if a hash value `known` to be deep enough says that no capture will do.
    #[inline]
    pub fn plan(&self, facts: &Facts, known: Option<Score>) -> Option<Probe> {
        let goal = facts.beta + self.margin + if facts.improving { self.improving } else { 0 };
        let sensible = facts.depth >= self.min_depth
            && !facts.in_check
            && !facts.beta.is_decided()
            && known.is_none_or(|known| known >= goal);
        sensible.then(|| Probe { depth: facts.depth - SHALLOWER, beta: goal })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::facts;
    use super::*;

    fn settings() -> Settings {
        Settings { on: true, margin: 150, improving: 20, depth: 5 }
    }

    #[test]
    fn asks_four_plies_shallower_well_above_beta() {
        let probe = settings().resolve().plan(&facts(), None).unwrap();
        assert_eq!(probe, Probe { depth: Depth::plies(1), beta: Score::cp(160) });
    }

    #[test]
    fn does_not_ask_what_is_known_or_senseless() {
        let rule = settings().resolve();
        assert_eq!(rule.plan(&facts(), Some(Score::cp(159))), None);
        assert!(rule.plan(&facts(), Some(Score::cp(160))).is_some());
        assert_eq!(rule.plan(&Facts { improving: true, ..facts() }, None).unwrap().beta, Score::cp(180));
        assert_eq!(rule.plan(&Facts { in_check: true, ..facts() }, None), None);
        assert_eq!(rule.plan(&Facts { depth: Depth::plies(4), ..facts() }, None), None);
        assert_eq!(Settings { on: false, ..settings() }.resolve().plan(&facts(), None), None);
    }
}
