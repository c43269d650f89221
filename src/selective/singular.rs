//! T. Anantharaman, M. Campbell and F. Hsu, "Singular Extensions: Adding Selectivity to Brute-Force
//! Searching", Artificial Intelligence 43, 1990.
//!
//! *Claim.* When one move is far better than all the others, the line after it is forced and worth another
//! ply: all moves but the hash move fail low against its value less a margin, in a search half as deep.
//! Today's programs let the same search say more: two plies where the others are far worse, a cut-off where a second
//! move reaches beta as well (a multi-cut that costs nothing), and fewer plies for a hash move that is not alone.
//! *Known failure.* The test costs nodes at every node where it is made, so it is made only at depth.

use super::{Facts, NEVER, Probe, TtFacts, method, rule};
use crate::depth::Depth;
use crate::score::{Bound, Score};

method! {
    "singular, searched", "Anantharaman, Campbell & Hsu 1990";
    pub struct Settings {
        /// Searches the hash move a ply deeper when all others are much worse in a shallow search.
        on: "Singular" = true;
        /// Singular extensions: least remaining plies of a node whose hash move is tested.
        depth: "SingularDepth" = 4 in 2..=20 step 1 published 7;
        /// Singular extensions: plies more that it takes in the principal variation.
        pv_depth: "SingularPvDepth" = 2 in 0..=20 step 1 published 0;
        /// Singular extensions: centipawns by which all other moves must be worse than the hash move.
        margin: "SingularMargin" = 0 in 0..=500 step 5 published 50;
        /// Singular extensions: hundredths of a centipawn added to the margin per remaining ply.
        margin_depth: "SingularMarginDepth" = 115 in 0..=5000 step 10 published 0;
        /// Singular extensions: the same besides where the position has been in a principal variation, but is not now.
        margin_pv: "SingularMarginPv" = 39 in 0..=5000 step 10 published 0;
        /// Extends by two plies where all other moves are far worse.
        double: "SingularDouble" = true published false;
        /// Singular extensions: centipawns more by which they must be worse for two plies.
        double_margin: "SingularDoubleMargin" = 10 in 0..=500 step 2;
        /// Singular extensions: most moves of a path that are extended by two plies.
        doubles: "SingularDoubles" = 9 in 0..=100 step 1;
        /// Cuts where a move besides the hash move reaches beta in the same search (multi-cut).
        cut: "SingularCut" = true published false;
        /// Reduces the hash move if its value is above beta but other moves come close.
        negative: "SingularReduction" = true published false;
        /// Reduces the hash move by a ply if its value is not above alpha and other moves come close.
        low: "SingularLow" = true published false;
    }
}

rule! { asked =>
    /// Shallower nodes are not tested.
    pub min_depth: Depth = if asked.on { Depth::plies(asked.depth) } else { Depth::NEVER };
    pv_depth: Depth = Depth::plies(asked.pv_depth);
    margin: i32 = asked.margin;
    margin_depth: i32 = asked.margin_depth;
    margin_pv: i32 = asked.margin_pv;
    doubles: i32 = asked.doubles;
    double_margin: i32 = if asked.double { asked.double_margin } else { NEVER };
    cut: bool = asked.cut;
    negative: bool = asked.negative;
    low: bool = asked.low;
}

/// What to do with the hash move.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SingularVerdict {
    /// Search it this much deeper; shallower if that is negative.
    Extend(Depth),
    /// It is not even needed: leave the node with this value.
    Cut(Score),
}

impl Rule {
    /// The question whether any other move comes near, if the hash move is good enough to ask it.
    #[inline]
    pub fn plan(&self, facts: &Facts, tt: &TtFacts) -> Option<Probe> {
        let min_depth = if facts.pv { self.min_depth + self.pv_depth } else { self.min_depth };
        let per_ply = self.margin_depth + if facts.was_pv && !facts.pv { self.margin_pv } else { 0 };
        let sensible = facts.depth >= min_depth
            && !facts.excluding
            && matches!(tt.bound, Some(Bound::Lower | Bound::Exact))
            && tt.depth >= facts.depth - Depth::plies(3)
            && !tt.score.is_decided();
        sensible.then(|| Probe {
            depth: Depth::plies((facts.depth - Depth::PLY).whole() / 2),
            beta: tt.score - self.margin - per_ply * facts.depth.whole() / 100,
        })
    }

    /// What the value of the other moves says about the hash move.
    #[inline]
    pub fn conclude(&self, facts: &Facts, tt: &TtFacts, probe: &Probe, others: Score) -> SingularVerdict {
        let double = !facts.pv && i32::from(facts.doubles) <= self.doubles;
        if double && others < probe.beta - self.double_margin {
            SingularVerdict::Extend(Depth::plies(2))
        } else if others < probe.beta {
            SingularVerdict::Extend(Depth::PLY)
        } else if self.cut && probe.beta >= facts.beta {
            SingularVerdict::Cut(probe.beta)
        } else if self.negative && tt.score >= facts.beta {
            SingularVerdict::Extend(-Depth::plies(2))
        } else if self.low && tt.score <= facts.alpha && tt.score <= others {
            SingularVerdict::Extend(-Depth::PLY)
        } else {
            SingularVerdict::Extend(Depth::ZERO)
        }
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
            depth: 7,
            pv_depth: 0,
            margin: 50,
            margin_depth: 0,
            margin_pv: 0,
            double: true,
            double_margin: 25,
            doubles: 3,
            cut: true,
            negative: true,
            low: true,
        }
    }

    fn tt() -> TtFacts {
        TtFacts { score: Score::cp(80), bound: Some(Bound::Lower), depth: Depth::plies(6) }
    }

    #[test]
    fn asks_half_as_deep_against_the_hash_value_less_a_margin() {
        let deep = Facts { depth: Depth::plies(9), ..facts() };
        let probe = settings().resolve().plan(&deep, &tt()).unwrap();
        assert_eq!(probe, Probe { depth: Depth::plies(4), beta: Score::cp(30) });
        let by_depth = Settings { margin_depth: 200, ..settings() }.resolve();
        assert_eq!(by_depth.plan(&deep, &tt()).unwrap().beta, Score::cp(12));
    }

    #[test]
    fn the_other_moves_say_how_deep_to_search_the_hash_move() {
        let deep = Facts { depth: Depth::plies(9), beta: Score::cp(60), ..facts() };
        let probe = settings().resolve().plan(&deep, &tt()).unwrap();
        let says =
            |settings: Settings, others| settings.resolve().conclude(&deep, &tt(), &probe, Score::cp(others));
        assert_eq!(says(settings(), 4), SingularVerdict::Extend(Depth::plies(2)));
        assert_eq!(says(settings(), 29), SingularVerdict::Extend(Depth::PLY));
        assert_eq!(says(settings(), 30), SingularVerdict::Extend(-Depth::plies(2)));
        assert_eq!(
            says(Settings { negative: false, ..settings() }, 30),
            SingularVerdict::Extend(Depth::ZERO)
        );
        assert_eq!(says(Settings { double: false, ..settings() }, 4), SingularVerdict::Extend(Depth::PLY));
    }

    #[test]
    fn a_second_move_above_beta_cuts() {
        let deep = Facts { depth: Depth::plies(9), beta: Score::cp(30), ..facts() };
        let probe = settings().resolve().plan(&deep, &tt()).unwrap();
        let says = |settings: Settings| settings.resolve().conclude(&deep, &tt(), &probe, Score::cp(30));
        assert_eq!(says(settings()), SingularVerdict::Cut(Score::cp(30)));
        assert_ne!(says(Settings { cut: false, ..settings() }), SingularVerdict::Cut(Score::cp(30)));
    }

    #[test]
    fn asks_only_about_a_move_known_to_be_good() {
        let rule = settings().resolve();
        let deep = Facts { depth: Depth::plies(9), ..facts() };
        for unknown in [
            TtFacts { bound: Some(Bound::Upper), ..tt() },
            TtFacts { bound: None, ..tt() },
            TtFacts { depth: Depth::plies(5), ..tt() },
            TtFacts { score: Score::mate_at(9), ..tt() },
        ] {
            assert_eq!(rule.plan(&deep, &unknown), None, "{unknown:?}");
        }
        assert_eq!(rule.plan(&Facts { excluding: true, ..deep }, &tt()), None);
        assert_eq!(rule.plan(&Facts { depth: Depth::plies(6), ..deep }, &tt()), None);
        assert_eq!(Settings { on: false, ..settings() }.resolve().plan(&deep, &tt()), None);
    }
}
