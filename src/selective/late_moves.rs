//! Late-move reductions and late-move pruning: no paper, but the practice of all leading programs since
//! T. Romstad's "An Introduction to Late Move Reductions" (2006) and Fruit 2.1 (F. Letouzey, 2005).
//!
//! *Claim.* A quiet move that comes late in a good order is seldom best: search it shallower, and again at
//! full depth if it surprises; close to the horizon, do not search it at all. The same question as
//! RankCut's, answered by a formula in the depth d and the move's number n: r = base + ln d · ln n / divisor, d in whole plies.
//! *Known failure.* Bad move ordering, and quiet moves whose point lies deeper; moves that give check, and
//! all moves of a node in check, are spared.

use std::sync::LazyLock;

use super::{Id, Method, MoveFacts};
use crate::depth::Depth;
use crate::options::{Kind, Row, Slot};

/// The method and its options.
pub const METHOD: Method = Method {
    id: Id::LateMoves,
    paper: "Romstad 2006",
    rows: &[
        Row {
            name: "LateMoveReductions",
            kind: Kind::Check(true),
            doc: "Searches late quiet moves shallower first.",
            slot: |o| Slot::Bool(&mut o.selective.late_moves.reductions),
        },
        Row {
            name: "LateMoveBase",
            kind: Kind::Spin { default: 75, min: 0, max: 300, step: 10 },
            doc: "Reduction that every late move gets, in hundredths of a ply.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.base),
        },
        Row {
            name: "LateMoveDivisor",
            kind: Kind::Spin { default: 225, min: 50, max: 1000, step: 15 },
            doc: "Hundredths by which the product of the logarithms of depth and move number is divided.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.divisor),
        },
        Row {
            name: "LateMoveFirst",
            kind: Kind::Spin { default: 3, min: 1, max: 30, step: 1 },
            doc: "Moves of a node that are never late.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.first),
        },
        Row {
            name: "LateMovePruning",
            kind: Kind::Check(true),
            doc: "Skips late quiet moves close to the horizon.",
            slot: |o| Slot::Bool(&mut o.selective.late_moves.pruning),
        },
        Row {
            name: "LateMovePruningBase",
            kind: Kind::Spin { default: 4, min: 1, max: 40, step: 1 },
            doc: "Quiet moves always searched at d plies: this many plus d squared.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.pruning_base),
        },
        Row {
            name: "LateMovePruningDepth",
            kind: Kind::Spin { default: 4, min: 1, max: 12, step: 1 },
            doc: "Plies from the horizon up to which moves are skipped.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.pruning_depth),
        },
    ],
};

/// As asked for.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Settings {
    /// Reduce.
    pub reductions: bool,
    /// Least reduction.
    pub base: i32,
    /// Divisor of the logarithms.
    pub divisor: i32,
    /// Moves never late.
    pub first: i32,
    /// Prune.
    pub pruning: bool,
    /// Quiet moves always searched.
    pub pruning_base: i32,
    /// How far from the horizon.
    pub pruning_depth: i32,
}

/// As searched.
#[derive(Copy, Clone, Debug)]
pub struct Rule {
    /// Moves before this one are never reduced.
    first: usize,
    base: i32,
    divisor: f32,
    logarithms: &'static [f32; 256],
    pruning_base: usize,
    pruning_depth: Depth,
}

/// Logarithms of the whole numbers; that of 0 counts as 0. Never changes once it is made.
static LOGARITHMS: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|n| (n.max(1) as f32).ln()));

/// Nodes shallower than this are not worth reducing.
const MIN_DEPTH: Depth = Depth::plies(3);

impl Settings {
    /// Whether there is anything to do.
    pub fn is_on(&self) -> bool {
        self.reductions || self.pruning
    }

    /// The rule these settings mean.
    pub fn resolve(&self) -> Rule {
        Rule {
            first: if self.reductions { self.first as usize } else { usize::MAX },
            base: self.base,
            divisor: self.divisor.max(1) as f32 / 100.0,
            logarithms: &LOGARITHMS,
            pruning_base: self.pruning_base.max(1) as usize,
            pruning_depth: if self.pruning { Depth::plies(self.pruning_depth) } else { -Depth::PLY },
        }
    }
}

impl Rule {
    /// How much shallower to search a move first.
    #[inline]
    pub fn reduction(&self, depth: Depth, facts: &MoveFacts) -> Depth {
        let late = facts.number > self.first
            && depth >= MIN_DEPTH
            && facts.quiet
            && !facts.in_check
            && !facts.gives_check
            && facts.weight >= Depth::PLY;
        if !late {
            return Depth::ZERO;
        }
        let logarithm = |n: usize| self.logarithms[n.min(255)];
        let product = logarithm(depth.whole() as usize) * logarithm(facts.number);
        Depth::hundredths(self.base + (100.0 * product / self.divisor) as i32).min(depth - Depth::plies(2))
    }

    /// The number of moves after which quiet ones are skipped.
    #[inline]
    pub fn quota(&self, depth: Depth, in_check: bool) -> usize {
        if depth > self.pruning_depth || in_check {
            return usize::MAX;
        }
        let plies = depth.whole().max(1) as usize;
        self.pruning_base + plies * plies
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings {
            reductions: true,
            base: 75,
            divisor: 225,
            first: 3,
            pruning: true,
            pruning_base: 4,
            pruning_depth: 4,
        }
    }

    fn late() -> MoveFacts {
        MoveFacts { number: 20, quiet: true, in_check: false, gives_check: false, weight: Depth::PLY }
    }

    #[test]
    fn the_later_and_the_deeper_the_more() {
        let rule = settings().resolve();
        let at = |plies, number| rule.reduction(Depth::plies(plies), &MoveFacts { number, ..late() });
        assert!(at(8, 20) > at(8, 6) && at(12, 6) > at(6, 6));
        // 0.75 + ln 8 · ln 20 / 2.25
        assert_eq!(at(8, 20), Depth::hundredths(75 + 276));
    }

    #[test]
    fn something_is_left_to_search() {
        let rule = Settings { base: 300, ..settings() }.resolve();
        assert_eq!(rule.reduction(Depth::plies(3), &late()), Depth::PLY);
    }

    #[test]
    fn early_forcing_and_shallow_moves_are_spared() {
        let rule = settings().resolve();
        for spared in [
            MoveFacts { number: 3, ..late() },
            MoveFacts { quiet: false, ..late() },
            MoveFacts { in_check: true, ..late() },
            MoveFacts { gives_check: true, ..late() },
            MoveFacts { weight: Depth::hundredths(30), ..late() },
        ] {
            assert_eq!(rule.reduction(Depth::plies(8), &spared), Depth::ZERO, "{spared:?}");
        }
        assert_eq!(rule.reduction(Depth::plies(2), &late()), Depth::ZERO);
        let off = Settings { reductions: false, ..settings() }.resolve();
        assert_eq!(off.reduction(Depth::plies(8), &late()), Depth::ZERO);
    }

    #[test]
    fn the_quota_grows_with_the_distance_from_the_horizon() {
        let rule = settings().resolve();
        assert_eq!(rule.quota(Depth::plies(1), false), 5);
        assert_eq!(rule.quota(Depth::plies(3), false), 13);
        assert_eq!(rule.quota(Depth::plies(5), false), usize::MAX);
        assert_eq!(rule.quota(Depth::plies(1), true), usize::MAX);
        let off = Settings { pruning: false, ..settings() }.resolve();
        assert_eq!(off.quota(Depth::plies(1), false), usize::MAX);
    }
}
