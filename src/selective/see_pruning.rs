//! Pruning by static exchange: no paper; the practice of leading programs. The exchange itself is that of
//! J. Reul, "Static Exchange Evaluation with αβ-Approach", ICGA Journal 33(1), 2010.
//!
//! *Claim.* Close to the horizon a move that loses more material in the exchange on its square than the
//! remaining plies could win back is not worth searching: a capture may lose a multiple of the depth, a
//! quiet move a multiple of its square.
//! *Known failure.* Sacrifices; so the first move is always searched, moves that give check are, and nodes in
//! check are left alone.

use super::{Facts, Id, Method};
use crate::depth::Depth;
use crate::options::{Kind, Row, Slot};

/// The method and its options.
pub const METHOD: Method = Method {
    id: Id::Exchange,
    paper: "common practice",
    rows: &[
        Row {
            name: "ExchangePruning",
            kind: Kind::Check(true),
            doc: "Skips moves close to the horizon that lose too much material in the exchange they begin.",
            slot: |o| Slot::Bool(&mut o.selective.see_pruning.on),
        },
        Row {
            name: "ExchangeDepth",
            kind: Kind::Spin { default: 8, min: 1, max: 20, step: 1 },
            doc: "Exchange pruning: most remaining plies.",
            slot: |o| Slot::Int(&mut o.selective.see_pruning.depth),
        },
        Row {
            name: "ExchangeCapture",
            kind: Kind::Spin { default: 104, min: 0, max: 500, step: 10 },
            doc: "Exchange pruning: centipawns a capture may lose, per remaining ply.",
            slot: |o| Slot::Int(&mut o.selective.see_pruning.capture),
        },
        Row {
            name: "ExchangeQuiet",
            kind: Kind::Spin { default: 28, min: 0, max: 200, step: 4 },
            doc: "Exchange pruning: centipawns a quiet move may lose, per square of the remaining plies.",
            slot: |o| Slot::Int(&mut o.selective.see_pruning.quiet),
        },
    ],
};

/// The options of this method, as the user set them.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Settings {
    /// `ExchangePruning`: skips moves close to the horizon that lose too much material in the exchange they
    /// begin.
    pub on: bool,
    /// `ExchangeDepth`: exchange pruning: most remaining plies.
    pub depth: i32,
    /// What a capture may lose.
    pub capture: i32,
    /// What a quiet move may lose.
    pub quiet: i32,
}

/// What the search reads: the settings, resolved at `go`.
#[derive(Copy, Clone, Debug)]
pub struct Rule {
    max_depth: Depth,
    capture: i32,
    quiet: i32,
}

/// The least that moves of a node must win in their exchange to be searched, in centipawns.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Least {
    /// Captures.
    pub capture: i32,
    /// Quiet moves.
    pub quiet: i32,
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
            capture: self.capture,
            quiet: self.quiet,
        }
    }
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
