//! Reverse futility pruning, also called static null move: no paper; described by E. A. Heinz, "Extended
//! Futility Pruning", ICCA Journal 21(2), 1998, as the mirror of futility, and used by all leading programs.
//!
//! *Claim.* A static value that lies far above beta close to the horizon stays above it whatever the
//! opponent does in the few plies left; the margin grows with the plies, and shrinks while the mover's
//! position is improving.
//! *Known failure.* Threats the static value does not see; nodes in check and mate scores are left alone.

use super::{Facts, Id, Method};
use crate::depth::Depth;
use crate::options::{Kind, Row, Slot};
use crate::score::Score;

/// The method and its options.
pub const METHOD: Method = Method {
    id: Id::ReverseFutility,
    paper: "Heinz 1998 and common practice",
    rows: &[
        Row {
            name: "ReverseFutility",
            kind: Kind::Check(true),
            doc: "Cuts a node close to the horizon whose static value lies far above beta.",
            slot: |o| Slot::Bool(&mut o.selective.reverse_futility.on),
        },
        Row {
            name: "ReverseFutilityMargin",
            kind: Kind::Spin { default: 82, min: 0, max: 500, step: 8 },
            doc: "Reverse futility: centipawns above beta, per remaining ply.",
            slot: |o| Slot::Int(&mut o.selective.reverse_futility.margin),
        },
        Row {
            name: "ReverseFutilityDepth",
            kind: Kind::Spin { default: 8, min: 1, max: 20, step: 1 },
            doc: "Reverse futility: most remaining plies.",
            slot: |o| Slot::Int(&mut o.selective.reverse_futility.depth),
        },
        Row {
            name: "ReverseFutilityImproving",
            kind: Kind::Spin { default: 53, min: 0, max: 500, step: 8 },
            doc: "Reverse futility: centipawns taken from the margin while the static value is rising.",
            slot: |o| Slot::Int(&mut o.selective.reverse_futility.improving),
        },
    ],
};

/// The options of this method, as the user set them.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Settings {
    /// `ReverseFutility`: cuts a node close to the horizon whose static value lies far above beta.
    pub on: bool,
    /// `ReverseFutilityMargin`: reverse futility: centipawns above beta, per remaining ply.
    pub margin: i32,
    /// `ReverseFutilityDepth`: reverse futility: most remaining plies.
    pub depth: i32,
    /// `ReverseFutilityImproving`: reverse futility: centipawns taken from the margin while the static value
    /// is rising.
    pub improving: i32,
}

/// What the search reads: the settings, resolved at `go`.
#[derive(Copy, Clone, Debug)]
pub struct Rule {
    max_depth: Depth,
    margin: i32,
    improving: i32,
}

impl Settings {
    /// Whether there is anything to do.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// The rule these settings mean.
    pub fn resolve(&self) -> Rule {
        Rule {
            max_depth: if self.on { Depth::plies(self.depth) } else { -Depth::PLY },
            margin: self.margin,
            improving: self.improving,
        }
    }
}

impl Rule {
    /// The value to return, if the static one is so good that nothing can spoil it.
    #[inline]
    pub fn cut(&self, facts: &Facts) -> Option<Score> {
        if facts.depth > self.max_depth || facts.in_check || facts.beta.is_decided() {
            return None;
        }
        let margin =
            self.margin * facts.depth.raw() / Depth::PLY.raw() - self.improving * i32::from(facts.improving);
        // Half way to the static value: it is high, but nobody has searched it.
        (facts.eval - margin.max(0) >= facts.beta).then(|| facts.beta + (facts.eval - facts.beta) / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::facts;
    use super::*;

    fn settings() -> Settings {
        Settings { on: true, margin: 100, depth: 6, improving: 50 }
    }

    fn above(plies: i32, centipawns: i32) -> Facts {
        Facts { depth: Depth::plies(plies), eval: facts().beta + centipawns, ..facts() }
    }

    #[test]
    fn the_margin_grows_with_the_depth_and_shrinks_while_improving() {
        let rule = settings().resolve();
        assert_eq!(rule.cut(&above(3, 300)), Some(facts().beta + 150));
        assert_eq!(rule.cut(&above(3, 299)), None);
        assert!(rule.cut(&Facts { improving: true, ..above(3, 250) }).is_some());
        assert_eq!(rule.cut(&Facts { improving: true, ..above(3, 249) }), None);
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
