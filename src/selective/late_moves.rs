//! Late-move reductions: no paper, but the practice of all leading programs since T. Romstad's "An Introduction to
//! Late Move Reductions" (2006) and Fruit 2.1 (F. Letouzey, 2005).
//!
//! *Claim.* A quiet move that comes late in a good order is rarely best: search it shallower, and again at
//! full depth if it surprises. The same question as RankCut's, answered by a formula in the depth d and the move's
//! number n: r = base + ln d · ln n / divisor, d in whole plies; less for moves with a good history and in the
//! principal variation, more where a cut-off is expected or the position is getting worse. Captures that lose
//! material may be reduced in the same way, but not by as much: their number is high because they come last, and
//! sacrifices are among them. What the formula leaves of the depth is the move's *LMR depth*: the depth by which
//! methods that prune single moves judge it.
//! *Known failure.* Bad move ordering, and quiet moves whose point lies deeper; moves that give check, and
//! all moves of a node in check, are spared.

use std::sync::LazyLock;

use super::{MoveFacts, NEVER, method, rule};
use crate::depth::Depth;

method! {
    "late-move reductions", "Romstad 2006";
    needs Eval;
    pub struct Settings {
        /// Searches late moves shallower first: quiet ones, and those of LateMoveCaptures.
        on: "LateMoveReductions" = true;
        /// Reduction that every late move gets, in hundredths of a ply.
        base: "LateMoveBase" = 160 in 0..=300 step 10 published 75;
        /// Hundredths by which the product of the logarithms of depth and move number is divided.
        divisor: "LateMoveDivisor" = 250 in 50..=1000 step 15 published 225;
        /// Moves of a node that are never late.
        first: "LateMoveFirst" = 3 in 1..=30 step 1;
        /// Least remaining plies of a node whose late moves are reduced.
        depth: "LateMoveDepth" = 3 in 2..=20 step 1;
        /// Counts a move among all moves of its node, not only among those that were searched.
        seen: "LateMoveSeen" = true published false;
        /// History that takes a ply from the reduction, or adds one if it is that bad; 0 for none.
        history: "LateMoveHistory" = 13628 in 0..=100_000 step 1_000 published 0;
        /// History that counts as neither good nor bad.
        history_offset: "LateMoveHistoryOffset" = 4433 in 0..=20_000 step 500 published 0;
        /// Reduction added where a cut-off is expected, in hundredths of a ply.
        cut: "LateMoveCut" = 200 in 0..=400 step 20 published 0;
        /// Reduction added while the static value is not rising, in hundredths of a ply.
        not_improving: "LateMoveWorsening" = 100 in 0..=300 step 20 published 0;
        /// Reduction taken off in the principal variation, in hundredths of a ply.
        pv: "LateMovePv" = 100 in 0..=300 step 20 published 0;
        /// Reduction taken off besides in the principal variation near the horizon: this many plies divided by the
        /// depth and three.
        pv_near: "LateMovePvNear" = 11 in 0..=40 step 1 published 0;
        /// Reduction taken off by a window as wide as the root's, in hundredths of a ply.
        window: "LateMoveWindow" = 100 in 0..=300 step 20 published 0;
        /// Reduction taken off where the position has been in a principal variation, in hundredths of a ply.
        was_pv: "LateMoveWasPv" = 200 in 0..=400 step 20 published 0;
        /// Reduction taken off after a move that was itself late, in hundredths of a ply.
        after_late: "LateMoveAfterLate" = 100 in 0..=300 step 20 published 0;
        /// Move number from which replies to a move get LateMoveAfterLate.
        after_number: "LateMoveAfterNumber" = 8 in 2..=60 step 1;
        /// Reduction taken off where a quiet hash move is singular, in hundredths of a ply.
        singular: "LateMoveSingular" = 100 in 0..=300 step 20 published 0;
        /// Reduction added where the hash move is a capture, in hundredths of a ply.
        hash_capture: "LateMoveHashCapture" = 100 in 0..=300 step 20 published 0;
        /// Reduction added once LateMoveRefutations moves of the node were refuted, in hundredths of a ply.
        refuted: "LateMoveRefuted" = 100 in 0..=300 step 20 published 0;
        /// Refuted moves of a node from which LateMoveRefuted is added.
        refutations: "LateMoveRefutations" = 4 in 1..=60 step 1;
        /// Reduction taken off for a piece that a lesser one attacks, in hundredths of a ply.
        threatened: "LateMoveThreatened" = 100 in 0..=300 step 20 published 0;
        /// Least remaining plies at which LateMoveThreatened counts.
        threatened_depth: "LateMoveThreatenedDepth" = 10 in 1..=30 step 1;
        /// Reduction taken off for killers and counter-moves, in hundredths of a ply.
        killer: "LateMoveKiller" = 0 in 0..=300 step 20;
        /// Reduces late captures that lose material, like quiet moves without a history.
        captures: "LateMoveCaptures" = true published false;
        /// Most that a late capture is reduced by, in hundredths of a ply.
        captures_most: "LateMoveCapturesMost" = 100 in 0..=1000 step 25;
        /// Rounds reductions to whole plies, so that the same position is met again at the same depth.
        whole: "LateMoveWhole" = true published false;
        /// Lets a move of good history be searched a ply deeper instead of shallower.
        deeper: "LateMoveDeeper" = true published false;
        /// Deep futility, history and SEE pruning judge a late quiet move by the depth it would be
        /// reduced to.
        lmr_depth: "LateMoveProspect" = true published false;
        /// Centipawns above alpha from which a reduced move is searched again a ply deeper; 0 for never.
        surprise: "ReSearchDeeper" = 25 in 0..=500 step 5 published 0;
        /// Centipawns added to that per ply of the reduction.
        surprise_ply: "ReSearchDeeperPly" = 4 in 0..=100 step 1;
        /// Hundredths of a centipawn per ply above the best value below which a reduced move is searched again a ply
        /// shallower; 0 for never.
        disappointment: "ReSearchShallower" = 40 in 0..=1000 step 10 published 0;
    }
}

rule! { asked =>
    /// Moves before this one are never reduced.
    first: usize = if asked.on { asked.first as usize } else { usize::MAX };
    min_depth: Depth = Depth::plies(asked.depth);
    seen: bool = asked.seen;
    base: i32 = asked.base;
    divisor: f32 = asked.divisor.max(1) as f32 / 100.0;
    logarithms: &'static [f32; 256] = &LOGARITHMS;
    /// Hundredths of a ply per point of history.
    per_history: f32 = if asked.history > 0 { 100.0 / asked.history as f32 } else { 0.0 };
    history_offset: i32 = asked.history_offset;
    cut: i32 = asked.cut;
    not_improving: i32 = asked.not_improving;
    pv: i32 = asked.pv;
    pv_near: i32 = asked.pv_near;
    window: i32 = asked.window;
    was_pv: i32 = asked.was_pv;
    after_late: i32 = asked.after_late;
    after_number: usize = asked.after_number as usize;
    singular: i32 = asked.singular;
    hash_capture: i32 = asked.hash_capture;
    refuted: i32 = asked.refuted;
    refutations: i32 = asked.refutations;
    threatened: i32 = asked.threatened;
    threatened_depth: Depth = Depth::plies(asked.threatened_depth);
    killer: i32 = asked.killer;
    captures: bool = asked.captures;
    captures_most: i32 = asked.captures_most;
    whole: bool = asked.whole;
    /// The least reduction; negative if a move may be extended by it.
    least: i32 = if asked.deeper { -Depth::PLY.raw() } else { 0 };
    lmr_depth: bool = asked.lmr_depth && asked.on;
    surprise: i32 = if asked.surprise > 0 { asked.surprise } else { NEVER };
    surprise_ply: i32 = asked.surprise_ply;
    disappointment: i32 = asked.disappointment;
}

/// Logarithms of the whole numbers; that of 0 counts as 0. Never changes once it is made.
static LOGARITHMS: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|n| (n.max(1) as f32).ln()));

impl Rule {
    /// A move of this number may be reduced, if it is of the right kind. Its history is needed then, if it is quiet.
    #[inline]
    pub fn is_late(&self, depth: Depth, number: usize) -> bool {
        number > self.first && depth >= self.min_depth
    }

    /// The number of a move, from 1, after these counts of moves searched and seen.
    #[inline]
    pub fn number(&self, searched: usize, seen: usize) -> usize {
        if self.seen { seen } else { searched }
    }

    /// How much shallower to search a move first; negative if it is searched deeper.
    #[inline]
    pub fn reduction(&self, depth: Depth, facts: &MoveFacts) -> Depth {
        let number = self.number(facts.number, facts.seen);
        let late = self.is_late(depth, number)
            && (facts.quiet || (facts.losing && self.captures))
            && !facts.in_check
            && !facts.gives_check
            && facts.weight >= Depth::PLY;
        if !late {
            return Depth::ZERO;
        }
        let base = facts.learned.map_or_else(|| self.base(depth, number, facts), Depth::raw);
        let mut by = base - self.by_history(facts.history.unwrap_or(0)) + self.by_node(depth, facts);
        by -= self.killer * i32::from(facts.killer);
        by -= self.threatened * i32::from(facts.threatened && depth >= self.threatened_depth);
        if !facts.quiet {
            by = by.min(self.captures_most);
        }
        Depth::hundredths(self.rounded(by).max(self.least)).min(depth - Depth::plies(2))
    }

    /// What a history takes off, in hundredths of a ply; whole plies are rounded towards zero.
    #[inline]
    fn by_history(&self, history: i32) -> i32 {
        let by = (self.per_history * self.above_par(history) as f32) as i32;
        if self.whole { by / Depth::PLY.raw() * Depth::PLY.raw() } else { by }
    }

    /// A history less what counts as neither good nor bad.
    #[inline]
    pub fn above_par(&self, history: i32) -> i32 {
        history - self.history_offset
    }

    /// What the kind of node adds, in hundredths of a ply.
    #[inline]
    fn by_node(&self, depth: Depth, facts: &MoveFacts) -> i32 {
        let if_so = |amount: i32, so: bool| if so { amount } else { 0 };
        let near = 100 * (self.pv_near / (3 + depth.whole().max(0)));
        if_so(self.cut, facts.cut)
            + if_so(self.hash_capture, facts.hash_capture)
            + if_so(self.refuted, i32::from(facts.refuted) >= self.refutations)
            - if_so(self.pv + near, facts.pv)
            - if_so(self.was_pv, facts.was_pv)
            - if_so(self.after_late, facts.last_number >= self.after_number)
            - if_so(self.singular, facts.singular_quiet)
    }

    /// The formula with what depends on the static value and the window, in hundredths of a ply.
    #[inline]
    fn base(&self, depth: Depth, number: usize, facts: &MoveFacts) -> i32 {
        let not_improving = if facts.improving { 0 } else { self.not_improving };
        self.rounded(self.formula(depth, number) as i32 - self.window * facts.window / 100 + not_improving)
    }

    /// Rounded down to whole plies, if the rule says so.
    #[inline]
    fn rounded(&self, by: i32) -> i32 {
        if self.whole { Depth::plies(Depth::hundredths(by).whole()).raw() } else { by }
    }

    /// The formula alone, in hundredths of a ply.
    #[inline]
    fn formula(&self, depth: Depth, number: usize) -> f32 {
        let logarithm = |n: usize| self.logarithms[n.min(255)];
        let product = logarithm(depth.whole().max(0) as usize) * logarithm(number);
        self.base as f32 + 100.0 * product / self.divisor
    }

    /// The LMR depth: the depth to which a quiet move without a history would be reduced.
    #[inline]
    pub fn lmr_depth(&self, depth: Depth, number: usize, improving: bool) -> Depth {
        if !self.lmr_depth {
            return depth;
        }
        let not_improving = if improving { 0 } else { self.not_improving };
        let by = self.rounded(self.formula(depth, number) as i32 + not_improving);
        (depth - Depth::PLY - Depth::hundredths(by)).max(Depth::ZERO)
    }

    /// How much deeper than its full depth to search a move again whose reduced search beat alpha by `above` and the
    /// best value so far by `better`; negative for shallower.
    #[inline]
    pub fn re_search(&self, depth: Depth, reduction: Depth, above: i32, better: i32) -> Depth {
        let deeper = above > self.surprise.saturating_add(self.surprise_ply * reduction.whole());
        let shallower = 100 * better < self.disappointment * depth.whole();
        Depth::plies(i32::from(deeper) - i32::from(shallower))
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
            depth: 3,
            seen: false,
            history: 5_000,
            history_offset: 0,
            cut: 100,
            not_improving: 50,
            pv: 90,
            pv_near: 0,
            window: 100,
            was_pv: 150,
            after_late: 60,
            after_number: 8,
            singular: 70,
            hash_capture: 40,
            refuted: 30,
            refutations: 4,
            threatened: 20,
            threatened_depth: 10,
            killer: 80,
            captures: false,
            captures_most: 100,
            whole: false,
            deeper: false,
            lmr_depth: true,
            surprise: 25,
            surprise_ply: 4,
            disappointment: 40,
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
        assert_eq!(by(MoveFacts { history: Some(5_000), ..late_move() }), plain - 100);
        assert_eq!(by(MoveFacts { history: Some(-2_500), ..late_move() }), plain + 50);
        assert_eq!(by(MoveFacts { cut: true, ..late_move() }), plain + 100);
        assert_eq!(by(MoveFacts { improving: false, ..late_move() }), plain + 50);
        assert_eq!(by(MoveFacts { pv: true, killer: true, ..late_move() }), plain - 170);
        assert_eq!(by(MoveFacts { history: Some(60_000), ..late_move() }), 0);
        assert_eq!(by(MoveFacts { was_pv: true, ..late_move() }), plain - 150);
        assert_eq!(by(MoveFacts { last_number: 8, singular_quiet: true, ..late_move() }), plain - 130);
        assert_eq!(by(MoveFacts { hash_capture: true, refuted: 4, ..late_move() }), plain + 70);
        assert_eq!(by(MoveFacts { threatened: true, window: 50, ..late_move() }), plain - 70);
        let whole = Settings { whole: true, ..settings() }.resolve();
        assert_eq!(whole.reduction(Depth::plies(12), &late_move()).raw(), plain / 100 * 100);
    }

    #[test]
    fn a_learned_table_takes_the_place_of_the_formula_alone() {
        let rule = settings().resolve();
        let learned = MoveFacts { learned: Some(Depth::hundredths(210)), ..late_move() };
        assert_eq!(rule.reduction(Depth::plies(12), &learned), Depth::hundredths(210));
        let good = MoveFacts { history: Some(5_000), cut: true, ..learned };
        assert_eq!(rule.reduction(Depth::plies(12), &good), Depth::hundredths(210 - 100 + 100));
    }

    #[test]
    fn the_lmr_depth_of_a_move_is_what_the_formula_leaves_of_the_depth() {
        let rule = settings().resolve();
        assert_eq!(rule.lmr_depth(Depth::plies(8), 20, true), Depth::hundredths(700 - 75 - 276));
        assert_eq!(rule.lmr_depth(Depth::plies(8), 20, false), Depth::hundredths(700 - 75 - 276 - 50));
        assert_eq!(rule.lmr_depth(Depth::plies(3), 200, true), Depth::ZERO);
        let off = Settings { lmr_depth: false, ..settings() }.resolve();
        assert_eq!(off.lmr_depth(Depth::plies(8), 20, true), Depth::plies(8));
    }

    #[test]
    fn a_very_good_move_may_be_searched_deeper() {
        let rule = Settings { deeper: true, ..settings() }.resolve();
        let good = MoveFacts { history: Some(60_000), ..late_move() };
        assert_eq!(rule.reduction(Depth::plies(12), &good), -Depth::PLY);
    }

    #[test]
    fn pruned_moves_count_where_the_rule_says_so() {
        let rule = Settings { seen: true, ..settings() }.resolve();
        let at = |number, seen| rule.reduction(Depth::plies(8), &MoveFacts { number, seen, ..late_move() });
        assert_eq!(at(2, 20), at(20, 20));
        assert!(at(2, 20) > at(2, 6));
    }

    #[test]
    fn the_depth_of_a_re_search_depends_on_how_much_the_move_surprised() {
        let rule = settings().resolve();
        let by = |above, better| rule.re_search(Depth::plies(10), Depth::plies(3), above, better);
        assert_eq!([by(37, 5), by(38, 5)], [Depth::ZERO, Depth::PLY]);
        assert_eq!([by(1, 3), by(1, 4)], [-Depth::PLY, Depth::ZERO]);
        let off = Settings { surprise: 0, disappointment: 0, ..settings() }.resolve();
        assert_eq!(off.re_search(Depth::plies(10), Depth::plies(3), 900, 1), Depth::ZERO);
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
