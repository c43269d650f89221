//! Late-move reductions: no paper, but the practice of all leading programs since T. Romstad's "An Introduction to
//! Late Move Reductions" (2006) and Fruit 2.1 (F. Letouzey, 2005).
//!
//! *Claim.* A quiet move that comes late in a good order is seldom best: search it shallower, and again at
//! full depth if it surprises. The same question as RankCut's, answered by a formula in the depth d and the move's
//! number n: r = base + ln d · ln n / divisor, d in whole plies; less for moves with a good history and in the
//! principal variation, more where a cut-off is expected or the position is getting worse. Captures that lose
//! material may be reduced in the same way, but not by as much: their number is high because they come last, and
//! sacrifices are among them. What the formula leaves of the depth is the move's *LMR depth*: the depth by which
//! methods that prune single moves judge it.
//! *Known failure.* Bad move ordering, and quiet moves whose point lies deeper; moves that give check, and
//! all moves of a node in check, are spared.

use std::sync::LazyLock;

use super::{MoveFacts, method, rule};
use crate::depth::Depth;

method! {
    "late-move reductions", "Romstad 2006";
    needs Eval;
    pub struct Settings {
        /// Searches late moves shallower first: quiet ones, and those of LateMoveCaptures.
        on: "LateMoveReductions" = true;
        /// Reduction that every late move gets, in hundredths of a ply.
        base: "LateMoveBase" = 80 in 0..=300 step 10 published 75;
        /// Hundredths by which the product of the logarithms of depth and move number is divided.
        divisor: "LateMoveDivisor" = 228 in 50..=1000 step 15 published 225;
        /// Moves of a node that are never late.
        first: "LateMoveFirst" = 3 in 1..=30 step 1;
        /// History that takes a ply from the reduction, or adds one if it is that bad; 0 for none.
        history: "LateMoveHistory" = 9691 in 0..=100_000 step 1_000 published 0;
        /// Reduction added where a cut-off is expected, in hundredths of a ply.
        cut: "LateMoveCut" = 112 in 0..=300 step 20 published 0;
        /// Reduction added while the static value is not rising, in hundredths of a ply.
        not_improving: "LateMoveWorsening" = 54 in 0..=300 step 20 published 0;
        /// Reduction taken off in the principal variation, in hundredths of a ply.
        pv: "LateMovePv" = 74 in 0..=300 step 20 published 0;
        /// Reduction taken off for killers and counter-moves, in hundredths of a ply.
        killer: "LateMoveKiller" = 161 in 0..=300 step 20 published 0;
        /// Reduces late captures that lose material, like quiet moves without a history.
        captures: "LateMoveCaptures" = true published false;
        /// Most that a late capture is reduced by, in hundredths of a ply.
        captures_most: "LateMoveCapturesMost" = 100 in 0..=1000 step 25;
        /// Rounds reductions to whole plies, so that the same position is met again at the same depth.
        whole: "LateMoveWhole" = true published false;
        /// Deep futility, history and exchange pruning judge a late quiet move by the depth it would be
        /// reduced to.
        lmr_depth: "LateMoveProspect" = true published false;
    }
}

rule! { asked =>
    /// Moves before this one are never reduced.
    first: usize = if asked.on { asked.first as usize } else { usize::MAX };
    base: i32 = asked.base;
    divisor: f32 = asked.divisor.max(1) as f32 / 100.0;
    logarithms: &'static [f32; 256] = &LOGARITHMS;
    /// Hundredths of a ply per point of history.
    per_history: f32 = if asked.history > 0 { 100.0 / asked.history as f32 } else { 0.0 };
    cut: i32 = asked.cut;
    not_improving: i32 = asked.not_improving;
    pv: i32 = asked.pv;
    killer: i32 = asked.killer;
    captures: bool = asked.captures;
    captures_most: i32 = asked.captures_most;
    whole: bool = asked.whole;
    lmr_depth: bool = asked.lmr_depth && asked.on;
}

/// Logarithms of the whole numbers; that of 0 counts as 0. Never changes once it is made.
static LOGARITHMS: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|n| (n.max(1) as f32).ln()));

/// Nodes shallower than this are not worth reducing.
const MIN_DEPTH: Depth = Depth::plies(3);

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
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::late_move;
    use super::*;

    fn settings() -> Settings {
        Settings {
            on: true,
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
        let off = Settings { on: false, ..settings() }.resolve();
        assert_eq!(off.reduction(Depth::plies(8), &late_move()), Depth::ZERO);
    }
}
