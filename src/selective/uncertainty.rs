//! Y. Björnsson, T. A. Marsland, J. Schaeffer and A. Junghanns, "Searching with Uncertainty Cut-offs", 1996;
//! general form: Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, chapter 4.
//!
//! *Claim.* An expected cut-node that has not cut after a share of its moves will probably fail low, and its
//! value will be searched again anyway: stop, and mark the value as uncertain. A pv-node never uses an
//! uncertain value, so the value of the root stays that of a full search. Published: at a ratio of 0.6 the
//! tree has 92.9 % of its nodes (Plaat's positions, 8 plies).
//! *Known failure.* Too small a ratio costs more in second searches than it saves: 119.7 % at 0.1.
//!
//! Three forms. *General* (thesis): at every expected cut-node. *Restricted* (1996): only at children of pv-nodes that
//! would be searched again anyway. *Unsafe* (1996, section 6, which proposes it without numbers): at expected
//! all-nodes, too, with a probability in place of the flag. A node that gives up is doubted by the share of its moves
//! that it left out, as if the best move stood anywhere with equal likelihood (`lab uncertainty` counts where it
//! stands, which is the paper's figure 6). Doubts add up along the tree, and a value is used if it is certain enough,
//! at the root as elsewhere. *What differs*: the paper gives no formula for the probability and does not say how to
//! combine probabilities, ours are added (the probability that something is wrong is at most the sum); and a value
//! that was certain enough for the hash table is certain when it is read.

use super::{Facts, method, rule};
use crate::depth::Depth;
use crate::score::Score;

method! {
    "uncertainty cut-offs", "Björnsson et al. 1996, Björnsson 2002, chapter 4";
    mark 4 anywhere "gave-up" "gave up (uncertainty)"
        leaves_out "uncertainty" by Count;
    pub struct Settings {
        /// Stops at an expected cut-node that has not cut after a share of its moves; the value at the root
        /// stays exact.
        on: "Uncertainty" = false;
        /// Uncertainty cut-offs: share of the legal moves to search before giving up, in hundredths.
        ratio: "UncertaintyRatio" = 60 in 1..=100 step 5;
        /// Only at children of pv-nodes, and only if they would be searched again anyway (1996).
        restricted: "UncertaintyRestricted" = false;
        /// At expected all-nodes, too, and values that are certain enough are used: the one at the root may be wrong
        /// (1996, section 6).
        risky: "UncertaintyUnsafe" = false;
        /// Least certainty in per cent with which a value is used, with UncertaintyUnsafe.
        certainty: "UncertaintyCertainty" = 50 in 0..=100 step 5;
    }
}

rule! { asked =>
    // Not at one ply or less, where the order of the moves says little.
    min_depth: Depth = if asked.on { Depth::PLY + Depth::hundredths(1) } else { Depth::NEVER };
    ratio: i32 = asked.ratio;
    restricted: bool = asked.restricted;
    risky: bool = asked.risky;
    accepted: Doubt = if asked.risky { Doubt::of(f64::from(100 - asked.certainty) / 100.0) } else { Doubt::NONE };
}

/// How likely a value is to be wrong, because moves were left out that might have changed it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Doubt(u16);

impl Doubt {
    /// The value is certain.
    pub const NONE: Self = Self(0);
    /// The value proves nothing.
    pub const TOTAL: Self = Self(u16::MAX);

    /// A probability.
    fn of(probability: f64) -> Self {
        Self((probability.clamp(0.0, 1.0) * f64::from(u16::MAX)).round() as u16)
    }

    /// A value that is wrong if one of two others is: at most the sum.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Rule {
    /// A value of this doubt is used.
    #[inline(always)]
    pub fn accepts(&self, doubt: Doubt) -> bool {
        doubt <= self.accepted
    }

    /// How doubtful a node is that gave up after so many of its moves.
    pub fn doubt(&self, searched: usize, legal: usize) -> Doubt {
        if !self.risky {
            return Doubt::TOTAL;
        }
        Doubt::of(1.0 - searched as f64 / legal.max(1) as f64)
    }

    /// The node may be cut.
    #[inline]
    pub fn applies(&self, facts: &Facts) -> bool {
        facts.depth >= self.min_depth
            && (facts.cut || self.risky)
            && (!self.restricted || facts.pv_beta.is_some())
    }

    /// `searched` of `legal` moves have not cut, the best of them reached `best`: give up. The caller still
    /// searches captures.
    #[inline]
    pub fn gives_up(&self, facts: &Facts, searched: usize, legal: usize, best: Score) -> bool {
        // In the restricted form the parent must be going to search again: its value, -best, lies below
        // its beta (above its alpha it lies already).
        let again = !self.restricted || facts.pv_beta.is_some_and(|beta| -best < beta);
        searched > 0 && searched * 100 >= legal * self.ratio as usize && again
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::facts;
    use super::*;

    fn settings() -> Settings {
        Settings { on: true, ratio: 60, restricted: false, risky: false, certainty: 90 }
    }

    fn rule(restricted: bool) -> Rule {
        Settings { restricted, ..settings() }.resolve()
    }

    #[test]
    fn the_safe_forms_use_no_uncertain_value() {
        let rule = rule(false);
        assert_eq!(rule.doubt(18, 30), Doubt::TOTAL);
        assert!(rule.accepts(Doubt::NONE) && !rule.accepts(Doubt::of(0.001)));
    }

    #[test]
    fn the_unsafe_form_gives_up_at_all_nodes_and_uses_what_is_certain_enough() {
        let rule = Settings { risky: true, ..settings() }.resolve();
        assert!(rule.applies(&Facts { cut: false, ..facts() }));
        assert!(rule.accepts(Doubt::of(0.1)) && !rule.accepts(Doubt::of(0.11)));
        let after = |searched| rule.doubt(searched, 30);
        assert!(after(3) > after(15) && after(15) > after(27), "the more was searched, the less doubt");
        assert_eq!((after(0), after(15), after(30)), (Doubt::TOTAL, Doubt::of(0.5), Doubt::NONE));
    }

    #[test]
    fn doubts_add_up_to_no_more_than_certainty_of_error() {
        let half = Doubt::of(0.5);
        assert_eq!(Doubt::of(0.2).or(Doubt::of(0.2)), Doubt::of(0.4));
        assert_eq!(half.or(half).or(half), Doubt::TOTAL);
        assert_eq!(half.or(Doubt::NONE), half);
    }

    #[test]
    fn applies_at_expected_cut_nodes_deeper_than_one_ply() {
        assert!(rule(false).applies(&facts()));
        assert!(!rule(false).applies(&Facts { cut: false, ..facts() }));
        assert!(!rule(false).applies(&Facts { depth: Depth::PLY, ..facts() }));
        assert!(!Settings { on: false, ..settings() }.resolve().applies(&facts()));
    }

    #[test]
    fn gives_up_after_the_share_of_moves() {
        let gives_up = |searched| rule(false).gives_up(&facts(), searched, 30, Score::cp(-50));
        assert!(!gives_up(17) && gives_up(18) && gives_up(19));
        assert!(!rule(false).gives_up(&facts(), 0, 1, Score::cp(-50)), "at least one move is searched");
    }

    #[test]
    fn the_restricted_form_only_where_the_parent_searches_again() {
        let child = Facts { pv_beta: Some(Score::cp(40)), ..facts() };
        assert!(!rule(true).applies(&facts()) && rule(true).applies(&child));
        assert!(rule(true).gives_up(&child, 20, 30, Score::cp(-39)));
        assert!(!rule(true).gives_up(&child, 20, 30, Score::cp(-40)), "that would cut at the parent");
    }
}
