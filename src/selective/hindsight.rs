//! Hindsight adjustments: no paper; the practice of Stockfish since 2023.
//!
//! *Claim.* A reduction was decided before the reply's static value was known. Where the move just made was
//! reduced much and the opponent, now to move, stands no worse than before it, the reduction was too bold:
//! the node gets a ply back. Where it was reduced at all and both sides' static values say that the mover
//! of the reduced move has lost ground, a ply less will do.
//! *Known failure.* Static values that swing from ply to ply; nodes in check are left alone.

use super::{Facts, Id, Method};
use crate::depth::Depth;
use crate::options::{Kind, Row, Slot};
use crate::score::Score;

/// The method and its options.
pub const METHOD: Method = Method {
    id: Id::Hindsight,
    paper: "common practice",
    rows: &[
        Row {
            name: "Hindsight",
            kind: Kind::Check(false),
            doc: "Corrects the depth of a reduced move once the static value behind it is known.",
            slot: |o| Slot::Bool(&mut o.selective.hindsight.on),
        },
        Row {
            name: "HindsightMargin",
            kind: Kind::Spin { default: 150, min: 0, max: 1000, step: 15 },
            doc: "Hindsight: centipawns the mover of a reduced move must have lost for a ply less.",
            slot: |o| Slot::Int(&mut o.selective.hindsight.margin),
        },
    ],
};

/// The options of this method, as the user set them.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Settings {
    /// `Hindsight`: corrects the depth of a reduced move once the static value behind it is known.
    pub on: bool,
    /// `HindsightMargin`: hindsight: centipawns the mover of a reduced move must have lost for a ply less.
    pub margin: i32,
}

/// What the search reads: the settings, resolved at `go`.
#[derive(Copy, Clone, Debug)]
pub struct Rule {
    /// Reductions from here on may have been too bold.
    bold: Depth,
    margin: i32,
}

impl Settings {
    /// Whether there is anything to do.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// The rule these settings mean.
    pub fn resolve(&self) -> Rule {
        Rule { bold: if self.on { Depth::plies(3) } else { Depth::NEVER }, margin: self.margin }
    }
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
