//! Delta pruning in the quiescence search: J. Schaeffer, *Experiments in Search and Knowledge*, PhD thesis,
//! Waterloo 1986 (futility at the horizon); the name is that of chess programmers.
//!
//! *Claim.* Behind the horizon a capture that would leave the mover below alpha even with the captured
//! piece and a margin on top cannot raise the value.
//! *Known failure.* Captures whose point is positional or a mate; in check nothing is left out.

use super::{Id, Method, NEVER};
use crate::options::{Kind, Row, Slot};
use crate::score::Score;

/// The method and its options.
pub const METHOD: Method = Method {
    id: Id::Delta,
    paper: "Schaeffer 1986",
    rows: &[
        Row {
            name: "DeltaPruning",
            kind: Kind::Check(true),
            doc: "Skips captures in quiescence search that cannot reach alpha.",
            slot: |o| Slot::Bool(&mut o.selective.delta.on),
        },
        Row {
            name: "DeltaMargin",
            kind: Kind::Spin { default: 179, min: 0, max: 1000, step: 15 },
            doc: "Delta pruning: centipawns a capture may gain besides the piece it takes.",
            slot: |o| Slot::Int(&mut o.selective.delta.margin),
        },
    ],
};

/// The options of this method, as the user set them.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Settings {
    /// `DeltaPruning`: skips captures in quiescence search that cannot reach alpha.
    pub on: bool,
    /// `DeltaMargin`: delta pruning: centipawns a capture may gain besides the piece it takes.
    pub margin: i32,
}

/// What the search reads: the settings, resolved at `go`.
#[derive(Copy, Clone, Debug)]
pub struct Rule {
    margin: i32,
}

impl Settings {
    /// Whether there is anything to do.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// The rule these settings mean.
    pub fn resolve(&self) -> Rule {
        Rule { margin: if self.on { self.margin } else { NEVER } }
    }
}

impl Rule {
    /// The most a capture that wins `gain` can reach, if that is not above alpha.
    #[inline]
    pub fn ceiling(&self, eval: Score, gain: i32, alpha: Score) -> Option<Score> {
        let most = eval + gain + self.margin;
        (most <= alpha && !alpha.is_decided()).then_some(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_must_be_able_to_reach_alpha() {
        let rule = Settings { on: true, margin: 100 }.resolve();
        assert_eq!(rule.ceiling(Score::cp(-500), 325, Score::cp(-75)), Some(Score::cp(-75)));
        assert_eq!(rule.ceiling(Score::cp(-500), 325, Score::cp(-76)), None);
        assert_eq!(rule.ceiling(Score::cp(-500), 325, Score::mate_at(9)), None);
        let off = Settings { on: false, margin: 0 }.resolve();
        assert_eq!(off.ceiling(Score::cp(-20_000), 0, Score::cp(20_000)), None);
    }
}
