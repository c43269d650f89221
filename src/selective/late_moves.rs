//! Late-move reductions and late-move pruning: no paper, but the practice of all leading programs since
//! T. Romstad's "An Introduction to Late Move Reductions" (2006) and Fruit 2.1 (F. Letouzey, 2005).
//!
//! *Claim.* A quiet move that comes late in a good order is seldom best: search it shallower, and again at
//! full depth if it surprises; close to the horizon, do not search it at all. The same question as
//! RankCut's, answered by a formula in the depth d and the move's number n: r = base + ln d · ln n / divisor, d in
//! whole plies; less for moves with a good history and in the principal variation, more where a cut-off is
//! expected or the position is getting worse. Captures that lose material may be reduced in the same way, but not
//! by as much: their number is high because they come last, and sacrifices are among them. What the formula
//! leaves of the depth is the move's *LMR depth*: the depth by which methods that prune single moves judge it.
//! *Known failure.* Bad move ordering, and quiet moves whose point lies deeper; moves that give check, and
//! all moves of a node in check, are spared.

use std::sync::LazyLock;

use super::{Facts, Id, Method, MoveFacts};
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
            doc: "Searches late moves shallower first: quiet ones, and those of LateMoveCaptures.",
            slot: |o| Slot::Bool(&mut o.selective.late_moves.reductions),
        },
        Row {
            name: "LateMoveBase",
            kind: Kind::Spin { default: 80, min: 0, max: 300, step: 10 },
            doc: "Reduction that every late move gets, in hundredths of a ply.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.base),
        },
        Row {
            name: "LateMoveDivisor",
            kind: Kind::Spin { default: 228, min: 50, max: 1000, step: 15 },
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
            name: "LateMoveHistory",
            kind: Kind::Spin { default: 9691, min: 0, max: 100_000, step: 1_000 },
            doc: "History that takes a ply from the reduction, or adds one if it is that bad; 0 for none.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.history),
        },
        Row {
            name: "LateMoveCut",
            kind: Kind::Spin { default: 112, min: 0, max: 300, step: 20 },
            doc: "Reduction added where a cut-off is expected, in hundredths of a ply.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.cut),
        },
        Row {
            name: "LateMoveWorsening",
            kind: Kind::Spin { default: 54, min: 0, max: 300, step: 20 },
            doc: "Reduction added while the static value is not rising, in hundredths of a ply.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.not_improving),
        },
        Row {
            name: "LateMovePv",
            kind: Kind::Spin { default: 74, min: 0, max: 300, step: 20 },
            doc: "Reduction taken off in the principal variation, in hundredths of a ply.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.pv),
        },
        Row {
            name: "LateMoveKiller",
            kind: Kind::Spin { default: 161, min: 0, max: 300, step: 20 },
            doc: "Reduction taken off for killers and counter-moves, in hundredths of a ply.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.killer),
        },
        Row {
            name: "LateMoveCaptures",
            kind: Kind::Check(true),
            doc: "Reduces late captures that lose material, like quiet moves without a history.",
            slot: |o| Slot::Bool(&mut o.selective.late_moves.captures),
        },
        Row {
            name: "LateMoveCapturesMost",
            kind: Kind::Spin { default: 100, min: 0, max: 1000, step: 25 },
            doc: "Most that a late capture is reduced by, in hundredths of a ply.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.captures_most),
        },
        Row {
            name: "LateMoveWhole",
            kind: Kind::Check(true),
            doc: "Rounds reductions to whole plies, so that the same position is met again at the same depth.",
            slot: |o| Slot::Bool(&mut o.selective.late_moves.whole),
        },
        Row {
            name: "LateMoveProspect",
            kind: Kind::Check(true),
            doc: "Deep futility, history and exchange pruning judge a late quiet move by the depth it would be reduced to.",
            slot: |o| Slot::Bool(&mut o.selective.late_moves.lmr_depth),
        },
        Row {
            name: "LateMovePruning",
            kind: Kind::Check(true),
            doc: "Skips late quiet moves close to the horizon.",
            slot: |o| Slot::Bool(&mut o.selective.late_moves.pruning),
        },
        Row {
            name: "LateMovePruningBase",
            kind: Kind::Spin { default: 5, min: 1, max: 40, step: 1 },
            doc: "Quiet moves always searched at d plies: this many plus d squared.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.pruning_base),
        },
        Row {
            name: "LateMovePruningDepth",
            kind: Kind::Spin { default: 4, min: 1, max: 12, step: 1 },
            doc: "Plies from the horizon up to which moves are skipped.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.pruning_depth),
        },
        Row {
            name: "LateMovePruningWorsening",
            kind: Kind::Spin { default: 59, min: 10, max: 100, step: 5 },
            doc: "Percent of those moves that are searched while the static value is not rising.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.pruning_worsening),
        },
        Row {
            name: "HistoryPruning",
            kind: Kind::Check(true),
            doc: "Skips quiet moves close to the horizon that have been bad everywhere.",
            slot: |o| Slot::Bool(&mut o.selective.late_moves.history_pruning),
        },
        Row {
            name: "HistoryPruningFloor",
            kind: Kind::Spin { default: 3263, min: 0, max: 20_000, step: 300 },
            doc: "History pruning: how bad a history must be, per remaining ply.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.history_floor),
        },
        Row {
            name: "HistoryPruningDepth",
            kind: Kind::Spin { default: 5, min: 1, max: 12, step: 1 },
            doc: "History pruning: most remaining plies.",
            slot: |o| Slot::Int(&mut o.selective.late_moves.history_depth),
        },
    ],
};

/// The options of this method, as the user set them.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Settings {
    /// `LateMoveReductions`: searches late moves shallower first: quiet ones, and those of LateMoveCaptures.
    pub reductions: bool,
    /// `LateMoveBase`: reduction that every late move gets, in hundredths of a ply.
    pub base: i32,
    /// `LateMoveDivisor`: hundredths by which the product of the logarithms of depth and move number is
    /// divided.
    pub divisor: i32,
    /// `LateMoveFirst`: moves of a node that are never late.
    pub first: i32,
    /// `LateMoveHistory`: history that takes a ply from the reduction, or adds one if it is that bad; 0 for
    /// none.
    pub history: i32,
    /// More where a cut-off is expected.
    pub cut: i32,
    /// `LateMoveWorsening`: reduction added while the static value is not rising, in hundredths of a ply.
    pub not_improving: i32,
    /// Less in the principal variation.
    pub pv: i32,
    /// `LateMoveKiller`: reduction taken off for killers and counter-moves, in hundredths of a ply.
    pub killer: i32,
    /// `LateMoveCaptures`: reduces late captures that lose material, like quiet moves without a history.
    pub captures: bool,
    /// But by no more than this.
    pub captures_most: i32,
    /// `LateMoveWhole`: rounds reductions to whole plies, so that the same position is met again at the same
    /// depth.
    pub whole: bool,
    /// Other methods ask how deep a move would be searched.
    pub lmr_depth: bool,
    /// `LateMovePruning`: skips late quiet moves close to the horizon.
    pub pruning: bool,
    /// `LateMovePruningBase`: quiet moves always searched at d plies: this many plus d squared.
    pub pruning_base: i32,
    /// How far from the horizon.
    pub pruning_depth: i32,
    /// Percent of the moves while not improving.
    pub pruning_worsening: i32,
    /// `HistoryPruning`: skips quiet moves close to the horizon that have been bad everywhere.
    pub history_pruning: bool,
    /// How bad a history, per ply.
    pub history_floor: i32,
    /// How far from the horizon.
    pub history_depth: i32,
}

/// What the search reads: the settings, resolved at `go`.
#[derive(Copy, Clone, Debug)]
pub struct Rule {
    /// Moves before this one are never reduced.
    first: usize,
    base: i32,
    divisor: f32,
    logarithms: &'static [f32; 256],
    /// Hundredths of a ply per point of history.
    per_history: f32,
    cut: i32,
    not_improving: i32,
    pv: i32,
    killer: i32,
    captures: bool,
    captures_most: i32,
    whole: bool,
    lmr_depth: bool,
    pruning_base: usize,
    pruning_depth: Depth,
    pruning_worsening: usize,
    history_floor: i32,
    history_depth: Depth,
}

/// Logarithms of the whole numbers; that of 0 counts as 0. Never changes once it is made.
static LOGARITHMS: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|n| (n.max(1) as f32).ln()));

/// Nodes shallower than this are not worth reducing.
const MIN_DEPTH: Depth = Depth::plies(3);

impl Settings {
    /// Whether there is anything to do.
    pub fn is_on(&self) -> bool {
        self.reductions || self.pruning || self.history_pruning
    }

    /// The rule these settings mean.
    pub fn resolve(&self) -> Rule {
        Rule {
            first: if self.reductions { self.first as usize } else { usize::MAX },
            base: self.base,
            divisor: self.divisor.max(1) as f32 / 100.0,
            logarithms: &LOGARITHMS,
            per_history: if self.history > 0 { 100.0 / self.history as f32 } else { 0.0 },
            cut: self.cut,
            not_improving: self.not_improving,
            pv: self.pv,
            killer: self.killer,
            captures: self.captures,
            captures_most: self.captures_most,
            whole: self.whole,
            lmr_depth: self.lmr_depth && self.reductions,
            pruning_base: self.pruning_base.max(1) as usize,
            pruning_depth: if self.pruning { Depth::plies(self.pruning_depth) } else { -Depth::PLY },
            pruning_worsening: self.pruning_worsening.max(0) as usize,
            history_floor: self.history_floor,
            history_depth: if self.history_pruning { Depth::plies(self.history_depth) } else { -Depth::PLY },
        }
    }
}

impl Rule {
    /// The move may be reduced if it is of the right kind: if quiet, whoever asks should know its history.
    #[inline]
    pub fn is_late(&self, depth: Depth, number: usize) -> bool {
        number > self.first && depth >= MIN_DEPTH
    }

    /// How much shallower to search a move first.
    #[inline]
    pub fn reduction(&self, depth: Depth, facts: &MoveFacts) -> Depth {
        let late = self.is_late(depth, facts.number)
            && (facts.quiet || (facts.losing && self.captures))
            && !facts.in_check
            && !facts.gives_check
            && facts.weight >= Depth::PLY;
        if !late {
            return Depth::ZERO;
        }
        let base =
            facts.learned.map_or_else(|| self.formula(depth, facts.number), |learned| learned.raw() as f32);
        let mut by = (base - self.per_history * facts.history as f32) as i32;
        by += self.cut * i32::from(facts.cut) + self.not_improving * i32::from(!facts.improving);
        by -= self.pv * i32::from(facts.pv) + self.killer * i32::from(facts.killer);
        if !facts.quiet {
            by = by.min(self.captures_most);
        }
        if self.whole {
            by -= by.rem_euclid(Depth::PLY.raw());
        }
        Depth::hundredths(by.max(0)).min(depth - Depth::plies(2))
    }

    /// The formula alone, in hundredths of a ply.
    #[inline]
    fn formula(&self, depth: Depth, number: usize) -> f32 {
        let logarithm = |n: usize| self.logarithms[n.min(255)];
        let product = logarithm(depth.whole().max(0) as usize) * logarithm(number);
        self.base as f32 + 100.0 * product / self.divisor
    }

    /// How deep a quiet move with no history would be searched: what pruning should judge it by.
    #[inline]
    pub fn lmr_depth(&self, depth: Depth, number: usize) -> Depth {
        if !self.lmr_depth || !self.is_late(depth, number) {
            return depth;
        }
        (depth - Depth::hundredths(self.formula(depth, number) as i32)).max(Depth::PLY)
    }

    /// The number of moves after which quiet ones are skipped.
    #[inline]
    pub fn quota(&self, facts: &Facts) -> usize {
        if facts.depth > self.pruning_depth || facts.in_check {
            return usize::MAX;
        }
        let plies = facts.depth.whole().max(1) as usize;
        let quota = self.pruning_base + plies * plies;
        if facts.improving { quota } else { (quota * self.pruning_worsening / 100).max(1) }
    }

    /// Quiet moves with a history below this are skipped.
    #[inline]
    pub fn history_floor(&self, facts: &Facts) -> i32 {
        if facts.depth > self.history_depth || facts.in_check {
            return i32::MIN;
        }
        -self.history_floor * facts.depth.whole().max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{facts, late_move};
    use super::*;

    fn settings() -> Settings {
        Settings {
            reductions: true,
            base: 75,
            divisor: 225,
            first: 3,
            history: 5_000,
            cut: 100,
            not_improving: 50,
            pv: 90,
            killer: 80,
            captures: false,
            captures_most: 100,
            whole: false,
            lmr_depth: true,
            pruning: true,
            pruning_base: 4,
            pruning_depth: 4,
            pruning_worsening: 50,
            history_pruning: true,
            history_floor: 1_000,
            history_depth: 3,
        }
    }

    #[test]
    fn the_later_and_the_deeper_the_more() {
        let rule = settings().resolve();
        let at = |plies, number| rule.reduction(Depth::plies(plies), &MoveFacts { number, ..late_move() });
        assert!(at(8, 20) > at(8, 6) && at(12, 6) > at(6, 6));
        // 0.75 + ln 8 · ln 20 / 2.25
        assert_eq!(at(8, 20), Depth::hundredths(75 + 276));
    }

    #[test]
    fn history_and_the_kind_of_node_change_the_reduction() {
        let rule = settings().resolve();
        let by = |facts: MoveFacts| rule.reduction(Depth::plies(12), &facts).raw();
        let plain = by(late_move());
        assert_eq!(by(MoveFacts { history: 5_000, ..late_move() }), plain - 100);
        assert_eq!(by(MoveFacts { history: -2_500, ..late_move() }), plain + 50);
        assert_eq!(by(MoveFacts { cut: true, ..late_move() }), plain + 100);
        assert_eq!(by(MoveFacts { improving: false, ..late_move() }), plain + 50);
        assert_eq!(by(MoveFacts { pv: true, killer: true, ..late_move() }), plain - 170);
        assert_eq!(by(MoveFacts { history: 60_000, ..late_move() }), 0);
        let whole = Settings { whole: true, ..settings() }.resolve();
        assert_eq!(whole.reduction(Depth::plies(12), &late_move()).raw(), plain / 100 * 100);
    }

    #[test]
    fn a_learned_table_takes_the_place_of_the_formula_alone() {
        let rule = settings().resolve();
        let learned = MoveFacts { learned: Some(Depth::hundredths(210)), ..late_move() };
        assert_eq!(rule.reduction(Depth::plies(12), &learned), Depth::hundredths(210));
        let good = MoveFacts { history: 5_000, cut: true, ..learned };
        assert_eq!(rule.reduction(Depth::plies(12), &good), Depth::hundredths(210 - 100 + 100));
    }

    #[test]
    fn the_prospect_of_a_late_move_is_what_the_formula_leaves_of_the_depth() {
        let rule = settings().resolve();
        assert_eq!(rule.lmr_depth(Depth::plies(8), 20), Depth::hundredths(800 - 75 - 276));
        assert_eq!(rule.lmr_depth(Depth::plies(8), 3), Depth::plies(8), "not late");
        assert_eq!(rule.lmr_depth(Depth::plies(3), 200), Depth::PLY);
        let off = Settings { lmr_depth: false, ..settings() }.resolve();
        assert_eq!(off.lmr_depth(Depth::plies(8), 20), Depth::plies(8));
    }

    #[test]
    fn something_is_left_to_search() {
        let rule = Settings { base: 300, ..settings() }.resolve();
        assert_eq!(rule.reduction(Depth::plies(3), &late_move()), Depth::PLY);
    }

    #[test]
    fn early_forcing_and_shallow_moves_are_spared() {
        let rule = settings().resolve();
        for spared in [
            MoveFacts { number: 3, ..late_move() },
            MoveFacts { quiet: false, ..late_move() },
            MoveFacts { quiet: false, losing: true, ..late_move() },
            MoveFacts { in_check: true, ..late_move() },
            MoveFacts { gives_check: true, ..late_move() },
            MoveFacts { weight: Depth::hundredths(30), ..late_move() },
        ] {
            assert_eq!(rule.reduction(Depth::plies(8), &spared), Depth::ZERO, "{spared:?}");
        }
        assert_eq!(rule.reduction(Depth::plies(2), &late_move()), Depth::ZERO);
        let losing = MoveFacts { quiet: false, losing: true, ..late_move() };
        let captures = Settings { captures: true, ..settings() }.resolve();
        assert_eq!(captures.reduction(Depth::plies(8), &losing), Depth::PLY);
        let much = Settings { captures: true, captures_most: 1_000, ..settings() }.resolve();
        assert_eq!(much.reduction(Depth::plies(8), &losing), rule.reduction(Depth::plies(8), &late_move()));
        let off = Settings { reductions: false, ..settings() }.resolve();
        assert_eq!(off.reduction(Depth::plies(8), &late_move()), Depth::ZERO);
    }

    #[test]
    fn the_quota_grows_with_the_distance_from_the_horizon() {
        let rule = settings().resolve();
        let at = |plies| Facts { depth: Depth::plies(plies), improving: true, ..facts() };
        assert_eq!(rule.quota(&at(1)), 5);
        assert_eq!(rule.quota(&at(3)), 13);
        assert_eq!(rule.quota(&Facts { improving: false, ..at(3) }), 6);
        assert_eq!(rule.quota(&at(5)), usize::MAX);
        assert_eq!(rule.quota(&Facts { in_check: true, ..at(1) }), usize::MAX);
        let off = Settings { pruning: false, ..settings() }.resolve();
        assert_eq!(off.quota(&at(1)), usize::MAX);
    }

    #[test]
    fn a_history_must_be_the_worse_the_deeper_the_node_is() {
        let rule = settings().resolve();
        let at = |plies| Facts { depth: Depth::plies(plies), ..facts() };
        assert_eq!(rule.history_floor(&at(1)), -1_000);
        assert_eq!(rule.history_floor(&at(3)), -3_000);
        assert_eq!(rule.history_floor(&at(4)), i32::MIN);
        let off = Settings { history_pruning: false, ..settings() }.resolve();
        assert_eq!(off.history_floor(&at(1)), i32::MIN);
    }
}
