//! C. Donninger, "Null Move and Deep Search", ICCA Journal 16(3), 1993; E. A. Heinz, "Adaptive Null-Move
//! Pruning", ICCA Journal 22(3), 1999; O. D. Tabibi and N. S. Netanyahu, "Verified Null-Move Pruning",
//! ICGA Journal 25(3), 2002.
//!
//! *Claim.* If even passing leaves the mover at or above beta, some real move will too; the pass is
//! searched R plies shallower, so the proof is cheap. Heinz makes R 3 far from the horizon and 2 near it.
//! *Known failure.* Zugzwang, where passing is the best "move"; and threats that lie beyond the reduced
//! depth. The first is met by not passing with pawns alone, and by verification: a cut-off only shortens
//! the search of the node by a ply, and is taken back when that search fails low.
//! *What differs.* Presets of papers pass with R = 2, or 3 above six plies (Heinz's boundary, without his count of
//! pieces), whatever the static value; a mate found by passing is returned as beta. The default asks the static value
//! first.

use super::{Facts, Probe, method, rule};
use crate::depth::Depth;
use crate::score::Score;

method! {
    "null move", "Donninger 1993, Heinz 1999, Tabibi & Netanyahu 2002";
    variant "null move, verified" = ["NullMoveVerify=true"];
    pub struct Settings {
        /// Tries a pass before the moves of a node and cuts if it is good enough.
        on: "NullMove" = true;
        /// Depth R that the search of a pass is reduced by, in hundredths of a ply.
        reduction: "NullMoveReduction" = 300 in 0..=600 step 25 published 200;
        /// Least remaining plies of a node where a pass is tried.
        depth: "NullMoveDepth" = 1 in 1..=20 step 1 published 2;
        /// Remaining plies that add a ply to R; 0 for none.
        depth_divisor: "NullMoveDepthDivisor" = 3 in 0..=20 step 1 published 0;
        /// Centipawns above beta that add a ply to R, NullMoveEvalMost at most; 0 for none.
        eval_divisor: "NullMoveEvalDivisor" = 65 in 0..=1000 step 5 published 0;
        /// Most plies that NullMoveEvalDivisor adds to R.
        eval_most: "NullMoveEvalMost" = 7 in 0..=12 step 1;
        /// Remaining plies from which a cut-off must hold in a search without passes.
        confirm: "NullMoveConfirm" = 14 in 1..=240 step 1 published 240;
        /// Adds a ply to R at nodes of more than NullMoveDeep remaining plies (Heinz).
        adaptive: "NullMoveAdaptive" = false published true;
        /// Remaining plies above which an adaptive R is one ply larger.
        deep: "NullMoveDeep" = 6 in 2..=20 step 1;
        /// Passes only where the static value is at least beta.
        eval: "NullMoveEval" = true published false;
        /// Passes only where the static value alone is high enough for the depth, and not below the hash table's.
        static_gate: "NullMoveStatic" = true published false;
        /// Centipawns above beta that the static value must have for a pass, with NullMoveStatic.
        static_margin: "NullMoveStaticMargin" = 93 in 0..=1000 step 10;
        /// Hundredths of a centipawn taken from that per remaining ply.
        static_depth: "NullMoveStaticDepth" = 770 in 0..=5000 step 50;
        /// Centipawns of improvement that take one more from it; 0 for none.
        static_improvement: "NullMoveImprovement" = 13 in 0..=100 step 2;
        /// History of the previous move from which the null move is not tried; 0 for no such limit.
        history: "NullMoveHistory" = 17000 in 0..=60_000 step 1000 published 0;
        /// The verification of a deep cut-off forbids passes to its own side for three quarters of the depth, instead
        /// of to both in the whole subtree.
        one_side: "NullMoveOneSide" = true published false;
        /// Verifies a null-move cut-off with a search one ply shallower (Tabibi and Netanyahu).
        verify: "NullMoveVerify" = false;
        /// Centipawns that a pass must lose to make a null-move threat, for the extensions.
        threat: "NullMoveThreat" = 300 in 0..=2000 step 25;
    }
}

rule! { asked =>
    min_depth: Depth = if asked.on { Depth::plies(asked.depth) } else { Depth::NEVER };
    /// R plus the ply of the pass itself.
    reduction: Depth = Depth::hundredths(asked.reduction) + Depth::PLY;
    depth_divisor: i32 = asked.depth_divisor;
    eval_divisor: i32 = asked.eval_divisor;
    eval_most: i32 = asked.eval_most;
    static_gate: bool = asked.static_gate;
    static_margin: i32 = asked.static_margin;
    static_depth: i32 = asked.static_depth;
    static_improvement: i32 = asked.static_improvement;
    history: i32 = if asked.history > 0 { asked.history } else { i32::MAX };
    one_side: bool = asked.one_side;
    confirm: Depth = Depth::plies(asked.confirm);
    deep: Depth = if asked.adaptive { Depth::plies(asked.deep) } else { Depth::NEVER };
    /// How far below beta the static value may lie.
    eval_slack: i32 = if asked.eval { 0 } else { 2 * Score::INFINITE.raw() };
    /// Cut-offs at the top of the tree are verified.
    pub verify: bool = asked.verify;
    threat: i32 = asked.threat;
}

/// What follows from a null move that reached beta.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum NullMoveVerdict {
    /// Return this value.
    Cut(Score),
    /// Search the node itself a ply shallower and cut if that reaches beta too.
    Verify,
    /// Search the node itself as deep as the pass, without further passes, and cut if that reaches beta too.
    Confirm {
        /// How deep.
        depth: Depth,
        /// Passes are forbidden to both sides in the whole subtree, not to one side for some plies.
        both: bool,
    },
}

impl Rule {
    /// The search of the null move, if one makes sense here.
    #[inline]
    pub fn plan(&self, facts: &Facts) -> Option<Probe> {
        let sensible = facts.depth >= self.min_depth
            && !facts.in_check
            && !facts.after_null
            && !facts.no_null
            && facts.has_pieces
            && !facts.beta.is_decided()
            && facts.eval + self.eval_slack >= facts.beta
            && facts.last_history < self.history
            && (!self.static_gate || self.is_static_enough(facts));
        sensible.then(|| {
            let deep = i32::from(facts.depth > self.deep);
            let by_depth = facts.depth.whole().checked_div(self.depth_divisor).unwrap_or(0);
            let by_eval = (facts.eval - facts.beta).checked_div(self.eval_divisor).unwrap_or(0);
            let extra = Depth::plies(deep + by_depth + by_eval.clamp(0, self.eval_most));
            Probe { depth: facts.depth - self.reduction - extra, beta: facts.beta }
        })
    }

    /// The static value alone is high enough for the depth, and the hash table says no worse.
    #[inline]
    fn is_static_enough(&self, facts: &Facts) -> bool {
        let by_depth = self.static_depth * facts.depth.raw() / (100 * Depth::PLY.raw());
        let by_improvement = facts.improvement.checked_div(self.static_improvement).unwrap_or(0);
        facts.eval >= facts.static_eval
            && facts.static_eval >= facts.beta + self.static_margin - by_depth - by_improvement
    }

    /// What the value of the pass means. A mate found after passing is no proof.
    #[inline]
    pub fn conclude(&self, facts: &Facts, probe: &Probe, value: Score) -> Option<NullMoveVerdict> {
        if value < probe.beta {
            None
        } else if facts.verify {
            Some(NullMoveVerdict::Verify)
        } else if facts.depth >= self.confirm {
            Some(NullMoveVerdict::Confirm { depth: probe.depth, both: !self.one_side })
        } else {
            Some(NullMoveVerdict::Cut(if value.is_decided() { probe.beta } else { value }))
        }
    }

    /// The mover who passes is mated or loses heavily: the opponent threatens something.
    #[inline]
    pub fn threatened(&self, probe: &Probe, value: Score) -> bool {
        value.is_loss() || value < probe.beta - self.threat
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::facts;
    use super::*;

    fn settings() -> Settings {
        Settings {
            on: true,
            reduction: 200,
            depth: 2,
            depth_divisor: 0,
            eval_divisor: 0,
            eval_most: 3,
            confirm: 240,
            adaptive: true,
            deep: 6,
            eval: true,
            static_gate: false,
            static_margin: 90,
            static_depth: 800,
            static_improvement: 10,
            history: 0,
            one_side: false,
            verify: false,
            threat: 300,
        }
    }

    #[test]
    fn asks_one_reduced_question() {
        let probe = settings().resolve().plan(&facts()).unwrap();
        assert_eq!(probe, Probe { depth: Depth::plies(5 - 1 - 2), beta: Score::cp(10) });
    }

    #[test]
    fn heinz_reduces_by_three_when_deep_and_by_two_when_shallow() {
        let depth_at = |settings: Settings, plies| {
            let deep = Facts { depth: Depth::plies(plies), ..facts() };
            settings.resolve().plan(&deep).unwrap().depth
        };
        assert_eq!(depth_at(settings(), 6), Depth::plies(6 - 1 - 2));
        assert_eq!(depth_at(settings(), 7), Depth::plies(7 - 1 - 3));
        assert_eq!(depth_at(Settings { adaptive: false, ..settings() }, 7), Depth::plies(7 - 1 - 2));
    }

    #[test]
    fn depth_and_a_high_static_value_reduce_more() {
        let rule = Settings { depth_divisor: 3, eval_divisor: 200, adaptive: false, ..settings() }.resolve();
        let depth_at = |above| {
            let node = Facts { depth: Depth::plies(12), eval: facts().beta + above, ..facts() };
            rule.plan(&node).unwrap().depth
        };
        assert_eq!(depth_at(0), Depth::plies(12 - 1 - 2 - 4));
        assert_eq!(depth_at(400), Depth::plies(12 - 1 - 2 - 4 - 2));
        assert_eq!(depth_at(4_000), Depth::plies(12 - 1 - 2 - 4 - 3));
    }

    #[test]
    fn a_deep_cut_off_must_be_confirmed() {
        let rule = Settings { confirm: 5, ..settings() }.resolve();
        let probe = rule.plan(&facts()).unwrap();
        assert_eq!(
            rule.conclude(&facts(), &probe, Score::cp(40)),
            Some(NullMoveVerdict::Confirm { depth: probe.depth, both: true })
        );
        let shallow = Facts { depth: Depth::plies(4), ..facts() };
        assert_eq!(rule.conclude(&shallow, &probe, Score::cp(40)), Some(NullMoveVerdict::Cut(Score::cp(40))));
    }

    #[test]
    fn does_not_pass_where_a_pass_says_nothing() {
        let rule = settings().resolve();
        for senseless in [
            Facts { in_check: true, ..facts() },
            Facts { after_null: true, ..facts() },
            Facts { no_null: true, ..facts() },
            Facts { has_pieces: false, ..facts() },
            Facts { beta: Score::mate_at(5), ..facts() },
            Facts { depth: Depth::plies(1), ..facts() },
            Facts { eval: Score::cp(9), ..facts() },
        ] {
            assert_eq!(rule.plan(&senseless), None, "{senseless:?}");
        }
        assert!(Settings { on: false, ..settings() }.resolve().plan(&facts()).is_none());
    }

    #[test]
    fn the_static_value_alone_must_be_high_enough_near_the_horizon() {
        let rule = Settings { static_gate: true, ..settings() }.resolve();
        let at = |plies, above, improvement| {
            let eval = facts().beta + above;
            let depth = Depth::plies(plies);
            rule.plan(&Facts { depth, eval, static_eval: eval, improvement, ..facts() }).is_some()
        };
        assert!(at(5, 50, 0) && !at(5, 49, 0) && at(5, 49, 10));
        assert!(at(11, 2, 0) && !at(11, 1, 0));
        let hash_is_lower = Facts { static_eval: Score::cp(300), eval: Score::cp(200), ..facts() };
        assert_eq!(rule.plan(&hash_is_lower), None);
    }

    #[test]
    fn nobody_passes_after_a_very_good_move() {
        let rule = Settings { history: 5_000, ..settings() }.resolve();
        assert!(rule.plan(&Facts { last_history: 4_999, ..facts() }).is_some());
        assert_eq!(rule.plan(&Facts { last_history: 5_000, ..facts() }), None);
    }

    #[test]
    fn the_static_value_is_asked_only_if_wanted() {
        let behind = Facts { eval: Score::cp(-900), ..facts() };
        assert!(Settings { eval: false, ..settings() }.resolve().plan(&behind).is_some());
    }

    #[test]
    fn cuts_from_beta_on_but_does_not_claim_mates() {
        let rule = settings().resolve();
        let probe = rule.plan(&facts()).unwrap();
        let conclude = |value| rule.conclude(&facts(), &probe, value);
        assert_eq!(conclude(Score::cp(9)), None);
        assert_eq!(conclude(Score::cp(40)), Some(NullMoveVerdict::Cut(Score::cp(40))));
        assert_eq!(conclude(Score::mate_at(9)), Some(NullMoveVerdict::Cut(Score::cp(10))));
    }

    #[test]
    fn a_pass_that_loses_heavily_shows_a_threat() {
        let rule = settings().resolve();
        let probe = rule.plan(&facts()).unwrap();
        assert!(rule.threatened(&probe, Score::mated_at(6)));
        assert!(rule.threatened(&probe, probe.beta - 301));
        assert!(!rule.threatened(&probe, probe.beta - 300));
    }

    #[test]
    fn an_unverified_cut_off_must_be_verified() {
        let rule = settings().resolve();
        let unverified = Facts { verify: true, ..facts() };
        let probe = rule.plan(&unverified).unwrap();
        assert_eq!(rule.conclude(&unverified, &probe, Score::cp(40)), Some(NullMoveVerdict::Verify));
    }
}
