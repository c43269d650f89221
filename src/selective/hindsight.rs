//! Hindsight adjustments: no paper; the practice of Stockfish since 2023.
//!
//! *Claim.* A reduction was decided before the reply's static value was known. Where the move just made was
//! reduced much and the opponent, now to move, stands no worse than before it, the reduction was too bold:
//! the node gets a ply back. Where it was reduced at all and both sides' static values say that the mover
//! of the reduced move has lost ground, a ply less will do.
//! *Known failure.* Static values that swing from ply to ply; nodes in check are left alone.

use super::{Facts, method, rule};
use crate::depth::Depth;
use crate::score::Score;

method! {
    "hindsight", "common practice";
    mark 256 anywhere "hindsight" "depth corrected in hindsight";
    pub struct Settings {
        /// Corrects the depth of a reduced move once the static value after it is known.
        on: "Hindsight" = false;
        /// Hindsight: centipawns the side that made a reduced move must have lost to take off another ply.
        margin: "HindsightMargin" = 150 in 0..=1000 step 15;
    }
}

rule! { asked =>
    /// Reductions from here on may have been too bold.
    bold: Depth = if asked.on { Depth::plies(3) } else { Depth::NEVER };
    margin: i32 = asked.margin;
}

impl Rule {
    /// The depth to search a node to, if the move that led to it was reduced by `by` from a node with the
    /// static value `before` and that looks wrong now.
    #[inline]
    pub fn adjusted(&self, facts: &Facts, by: Depth, before: Score) -> Option<Depth> {
        if by <= Depth::ZERO || self.bold == Depth::NEVER || facts.in_check || before == Score::NONE {
            return None;
        }
        // Values of both sides to move: equal and opposite if nothing changed.
        let lost = facts.eval - (-before);
        if by >= self.bold && lost <= 0 {
            Some(facts.depth + Depth::PLY)
        } else if facts.depth >= Depth::plies(2) && lost > self.margin {
            Some(facts.depth - Depth::PLY)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::facts;
    use super::*;

    #[test]
    fn a_bold_reduction_of_a_good_move_is_taken_back_by_a_ply() {
        let rule = Settings { on: true, margin: 100 }.resolve();
        // The opponent stands at +50 now; the mover stood at −60 before.
        let better = rule.adjusted(&facts(), Depth::plies(3), Score::cp(-60));
        assert_eq!(better, Some(facts().depth + Depth::PLY));
        assert_eq!(rule.adjusted(&facts(), Depth::plies(2), Score::cp(-60)), None);
    }

    #[test]
    fn a_reduced_move_that_lost_ground_loses_a_ply_more() {
        let rule = Settings { on: true, margin: 100 }.resolve();
        assert_eq!(rule.adjusted(&facts(), Depth::PLY, Score::cp(51)), Some(facts().depth - Depth::PLY));
        assert_eq!(rule.adjusted(&facts(), Depth::PLY, Score::cp(50)), None);
        assert_eq!(rule.adjusted(&facts(), Depth::ZERO, Score::cp(90)), None);
        assert_eq!(rule.adjusted(&Facts { in_check: true, ..facts() }, Depth::PLY, Score::cp(90)), None);
        let off = Settings { on: false, margin: 100 }.resolve();
        assert_eq!(off.adjusted(&facts(), Depth::PLY, Score::cp(90)), None);
    }
}
