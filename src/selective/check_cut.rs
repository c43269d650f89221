//! ProbCut in check: no paper; the practice of leading programs after M. Buro, "ProbCut: An Effective Selective
//! Extension of the Alpha-Beta Algorithm", ICCA Journal 18(2), 1995.
//!
//! *Claim.* A node in check has no static value to prune by. If the hash table knows a capture that was worth well more
//! than beta in a search a few plies shallower, the full search will reach beta.
//! *Known failure.* A capture whose refutation lies beyond the depth of the hash entry.

use super::{Facts, TtFacts, method, rule};
use crate::depth::Depth;
use crate::score::{Bound, Score};

method! {
    "cut in check", "after Buro 1995";
    pub struct Settings {
        /// Cuts a node in check for which the hash table knows a capture well above beta.
        on: "CheckCut" = true;
        /// Cut in check: centipawns above beta that the capture must be worth.
        margin: "CheckCutMargin" = 160 in 0..=1000 step 15;
    }
}

rule! { asked =>
    min_depth: Depth = if asked.on { Depth::plies(2) } else { Depth::NEVER };
    margin: i32 = asked.margin;
}

/// The hash entry may be this much shallower than the node.
const SHALLOWER: Depth = Depth::plies(3);

impl Rule {
    /// The value of a node in check whose hash move is a capture, if its hash entry is enough for a cut.
    #[inline]
    pub fn cut(&self, facts: &Facts, tt: &TtFacts) -> Option<Score> {
        let goal = facts.beta + self.margin;
        let enough = facts.depth >= self.min_depth
            && facts.in_check
            && !facts.beta.is_decided()
            && !tt.score.is_decided()
            && matches!(tt.bound, Some(Bound::Lower | Bound::Exact))
            && tt.depth >= facts.depth - SHALLOWER
            && tt.score >= goal;
        enough.then_some(goal)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::facts;
    use super::*;

    #[test]
    fn a_good_capture_of_the_hash_table_cuts_in_check_alone() {
        let rule = Settings { on: true, margin: 150 }.resolve();
        let check = Facts { in_check: true, ..facts() };
        let tt = |cp| TtFacts { score: Score::cp(cp), bound: Some(Bound::Lower), depth: Depth::plies(2) };
        let cut = |facts: &Facts, cp| rule.cut(facts, &tt(cp));
        assert_eq!(
            [cut(&check, 160), cut(&check, 159), cut(&facts(), 160)],
            [Some(Score::cp(160)), None, None]
        );
        let shallow = rule.cut(&check, &TtFacts { depth: Depth::PLY, ..tt(160) });
        let upper = rule.cut(&check, &TtFacts { bound: Some(Bound::Upper), ..tt(160) });
        assert_eq!((shallow, upper), (None, None));
        let off = Settings { on: false, margin: 150 }.resolve();
        let sure = TtFacts { bound: Some(Bound::Exact), depth: Depth::plies(9), ..tt(900) };
        assert_eq!(off.cut(&check, &sure), None);
    }
}
