//! Y. Björnsson, T. A. Marsland, J. Schaeffer and A. Junghanns, "Searching with Uncertainty Cut-offs", 1996;
//! general form: Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, chapter 4.
//!
//! *Claim.* An expected cut-node that has not cut after a share of its moves will probably fail low, and its
//! value will be searched again anyway: stop, and mark the value as uncertain. A pv-node never uses an
//! uncertain value, so the value of the root stays that of a full search. Published: at a ratio of 0.6 the
//! tree has 92.9 % of its nodes (Plaat's positions, 8 plies).
//! *Known failure.* Too small a ratio costs more in second searches than it saves: 119.7 % at 0.1.

use super::{Facts, method, rule};
use crate::depth::Depth;
use crate::score::Score;

method! {
    "uncertainty cut-offs", "Björnsson et al. 1996, Björnsson 2002, chapter 4";
    mark 4 anywhere "gave-up" "gave up (uncertainty)";
    pub struct Settings {
        /// Stops at an expected cut-node that has not cut after a share of its moves; the value at the root
        /// stays exact.
        on: "Uncertainty" = false;
        /// Uncertainty cut-offs: share of the legal moves to search before giving up, in hundredths.
        ratio: "UncertaintyRatio" = 60 in 1..=100 step 5;
        /// Only at children of pv-nodes, and only if they would be searched again anyway (1996).
        restricted: "UncertaintyRestricted" = false;
    }
}

rule! { asked =>
    // Not at one ply or less, where the order of the moves says little.
    min_depth: Depth = if asked.on { Depth::PLY + Depth::hundredths(1) } else { Depth::NEVER };
    ratio: i32 = asked.ratio;
    restricted: bool = asked.restricted;
}

impl Rule {
    /// This is a node where the cut may happen.
    #[inline]
    pub fn applies(&self, facts: &Facts) -> bool {
        facts.depth >= self.min_depth && facts.cut && (!self.restricted || facts.pv_beta.is_some())
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

    fn rule(restricted: bool) -> Rule {
        Settings { on: true, ratio: 60, restricted }.resolve()
    }

    #[test]
    fn applies_at_expected_cut_nodes_deeper_than_one_ply() {
        assert!(rule(false).applies(&facts()));
        assert!(!rule(false).applies(&Facts { cut: false, ..facts() }));
        assert!(!rule(false).applies(&Facts { depth: Depth::PLY, ..facts() }));
        assert!(!Settings { on: false, ratio: 60, restricted: false }.resolve().applies(&facts()));
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
