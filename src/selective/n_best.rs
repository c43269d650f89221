//! X. Liang, *The Evolution of Mulan*, MSc thesis, New Mexico 2003, section 4.2 (N-best selective search).
//!
//! *Claim.* Only the F best moves of every node, ranked by the static value after each, are worth searching.
//! *Known failure.* In chess the best move often looks bad statically (sacrifices, quiet preparation). It is
//! here for comparison, and off by default. Check evasions are never dropped.

use super::{Id, Method};
use crate::options::{Kind, Row, Slot};

/// The method and its options.
pub const METHOD: Method = Method {
    id: Id::NBest,
    paper: "Liang 2003, section 4.2",
    rows: &[
        Row {
            name: "NBest",
            kind: Kind::Check(false),
            doc: "Searches only the moves that look best statically; for comparison, not for play.",
            slot: |o| Slot::Bool(&mut o.selective.n_best.on),
        },
        Row {
            name: "NBestWidth",
            kind: Kind::Spin { default: 10, min: 1, max: 256, step: 1 },
            doc: "N-best: how many moves of a node are searched.",
            slot: |o| Slot::Int(&mut o.selective.n_best.width),
        },
    ],
};

/// The options of this method, as the user set them.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Settings {
    /// `NBest`: searches only the moves that look best statically; for comparison, not for play.
    pub on: bool,
    /// `NBestWidth`: N-best: how many moves of a node are searched.
    pub width: i32,
}

/// What the search reads: the settings, resolved at `go`.
#[derive(Copy, Clone, Debug)]
pub struct Rule {
    /// Moves searched at a node.
    pub width: u32,
}

impl Settings {
    /// Whether there is anything to do.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// The rule these settings mean.
    pub fn resolve(&self) -> Rule {
        Rule { width: if self.on { self.width.max(1) as u32 } else { u32::MAX } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn off_means_every_move_and_on_at_least_one() {
        assert_eq!(Settings { on: false, width: 3 }.resolve().width, u32::MAX);
        assert_eq!(Settings { on: true, width: 3 }.resolve().width, 3);
        assert_eq!(Settings { on: true, width: 0 }.resolve().width, 1);
    }
}
