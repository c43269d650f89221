//! T. Anantharaman, M. Campbell and F. Hsu, "Singular Extensions: Adding Selectivity to Brute-Force
//! Searching", Artificial Intelligence 43, 1990; static form: P. H. Winston, *Artificial Intelligence*,
//! chapter 6 (singular-extension heuristic).
//!
//! *Claim.* When one move is far better than all the others, the line behind it is forced and worth another
//! ply. Winston looks at static values, at the horizon; the search form asks whether all moves but the hash
//! move fail low against its value less a margin, in a search half as deep. Today's programs let the same
//! search say more: two plies where the others are far worse, a cut-off where a second move reaches beta
//! as well (a multi-cut that costs nothing), and fewer plies for a hash move that is not alone.
//! *Known failure.* The test costs nodes at every node where it is made, so it is made only at depth.

use super::{Facts, Id, Method, NEVER, Probe};
use crate::depth::Depth;
use crate::options::{Kind, Row, Slot};
use crate::score::{Bound, Score};

/// The method and its options.
pub const METHOD: Method = Method {
    id: Id::Singular,
    paper: "Anantharaman, Campbell & Hsu 1990; Winston, chapter 6",
    rows: &[
        Row {
            name: "Singular",
            kind: Kind::Check(true),
            doc: "Searches the hash move a ply deeper when all others are much worse in a shallow search.",
            slot: |o| Slot::Bool(&mut o.selective.singular.search),
        },
        Row {
            name: "SingularDepth",
            kind: Kind::Spin { default: 7, min: 2, max: 20, step: 1 },
            doc: "Singular extensions: least remaining plies of a node whose hash move is tested.",
            slot: |o| Slot::Int(&mut o.selective.singular.depth),
        },
        Row {
            name: "SingularMargin",
            kind: Kind::Spin { default: 20, min: 0, max: 500, step: 5 },
            doc: "Singular extensions: centipawns by which all other moves must be worse than the hash move.",
            slot: |o| Slot::Int(&mut o.selective.singular.margin),
        },
        Row {
            name: "SingularMarginDepth",
            kind: Kind::Spin { default: 2, min: 0, max: 50, step: 1 },
            doc: "Singular extensions: centipawns added to the margin per remaining ply.",
            slot: |o| Slot::Int(&mut o.selective.singular.margin_depth),
        },
        Row {
            name: "SingularDouble",
            kind: Kind::Check(true),
            doc: "Extends by two plies where all other moves are far worse.",
            slot: |o| Slot::Bool(&mut o.selective.singular.double),
        },
        Row {
            name: "SingularDoubleMargin",
            kind: Kind::Spin { default: 60, min: 0, max: 500, step: 5 },
            doc: "Singular extensions: centipawns more by which they must be worse for two plies.",
            slot: |o| Slot::Int(&mut o.selective.singular.double_margin),
        },
        Row {
            name: "SingularCut",
            kind: Kind::Check(true),
            doc: "Cuts where a move besides the hash move reaches beta in the same search (multi-cut).",
            slot: |o| Slot::Bool(&mut o.selective.singular.cut),
        },
        Row {
            name: "SingularReduction",
            kind: Kind::Check(true),
            doc: "Searches a hash move shallower that is not alone though its value is above beta.",
            slot: |o| Slot::Bool(&mut o.selective.singular.negative),
        },
        Row {
            name: "SingularStatic",
            kind: Kind::Check(false),
            doc: "Searches a ply beyond the horizon when one move is statically far above the rest (Winston).",
            slot: |o| Slot::Bool(&mut o.selective.singular.statically),
        },
        Row {
            name: "SingularStaticMargin",
            kind: Kind::Spin { default: 300, min: 0, max: 2000, step: 25 },
            doc: "Centipawns by which it must be above them.",
            slot: |o| Slot::Int(&mut o.selective.singular.static_margin),
        },
    ],
};

/// The options of this method, as the user set them.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Settings {
    /// `Singular`: searches the hash move a ply deeper when all others are much worse in a shallow search.
    pub search: bool,
    /// Its least depth in plies.
    pub depth: i32,
    /// `SingularMargin`: singular extensions: centipawns by which all other moves must be worse than the hash
    /// move.
    pub margin: i32,
    /// `SingularMarginDepth`: singular extensions: centipawns added to the margin per remaining ply.
    pub margin_depth: i32,
    /// Two plies where the others are far worse.
    pub double: bool,
    /// `SingularDoubleMargin`: singular extensions: centipawns more by which they must be worse for two
    /// plies.
    pub double_margin: i32,
    /// Cut where another move is as good.
    pub cut: bool,
    /// Reduce where another move is as good.
    pub negative: bool,
    /// `SingularStatic`: searches a ply beyond the horizon when one move is statically far above the rest
    /// (Winston).
    pub statically: bool,
    /// `SingularStaticMargin`: centipawns by which it must be above them.
    pub static_margin: i32,
}

/// What the search reads: the settings, resolved at `go`.
#[derive(Copy, Clone, Debug)]
pub struct Rule {
    /// Shallower nodes are not tested.
    pub min_depth: Depth,
    margin: i32,
    margin_depth: i32,
    double_margin: i32,
    cut: bool,
    negative: bool,
    /// Look at static values at the horizon.
    pub statically: bool,
    static_margin: i32,
}

impl Settings {
    /// Whether there is anything to do.
    pub fn is_on(&self) -> bool {
        self.search || self.statically
    }

    /// The rule these settings mean.
    pub fn resolve(&self) -> Rule {
        Rule {
            min_depth: if self.search { Depth::plies(self.depth) } else { Depth::NEVER },
            margin: self.margin,
            margin_depth: self.margin_depth,
            double_margin: if self.double { self.double_margin } else { NEVER },
            cut: self.cut,
            negative: self.negative,
            statically: self.statically,
            static_margin: self.static_margin,
        }
    }
}

/// What the hash table says about the move in question.
#[derive(Copy, Clone, Debug)]
pub struct Known {
    /// Its value.
    pub score: Score,
    /// What the value says.
    pub bound: Option<Bound>,
    /// How deep it was searched.
    pub depth: Depth,
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
    pub fn plan(&self, facts: &Facts, known: &Known) -> Option<Probe> {
        let sensible = facts.depth >= self.min_depth
            && !facts.excluding
            && matches!(known.bound, Some(Bound::Lower | Bound::Exact))
            && known.depth >= facts.depth - Depth::plies(3)
            && !known.score.is_decided();
        sensible.then(|| Probe {
            depth: Depth::hundredths((facts.depth - Depth::PLY).raw() / 2),
            beta: known.score - self.margin - self.margin_depth * facts.depth.whole(),
        })
    }

    /// What the value of the other moves says about the hash move.
    #[inline]
    pub fn conclude(&self, facts: &Facts, known: &Known, probe: &Probe, others: Score) -> SingularVerdict {
        if others < probe.beta - self.double_margin {
            SingularVerdict::Extend(Depth::plies(2))
        } else if others < probe.beta {
            SingularVerdict::Extend(Depth::PLY)
        } else if self.cut && probe.beta >= facts.beta {
            SingularVerdict::Cut(probe.beta)
        } else if self.negative && known.score >= facts.beta {
            SingularVerdict::Extend(-Depth::plies(2))
        } else {
            SingularVerdict::Extend(Depth::ZERO)
        }
    }

    /// One of the static values after the moves stands far above the rest.
    pub fn stands_out(&self, best: Score, second: Score) -> bool {
        best - second >= self.static_margin
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::facts;
    use super::*;

    fn settings() -> Settings {
        Settings {
            search: true,
            depth: 7,
            margin: 50,
            margin_depth: 0,
            double: true,
            double_margin: 25,
            cut: true,
            negative: true,
            statically: true,
            static_margin: 300,
        }
    }

    fn known() -> Known {
        Known { score: Score::cp(80), bound: Some(Bound::Lower), depth: Depth::plies(6) }
    }

    #[test]
    fn asks_half_as_deep_against_the_hash_value_less_a_margin() {
        let deep = Facts { depth: Depth::plies(9), ..facts() };
        let probe = settings().resolve().plan(&deep, &known()).unwrap();
        assert_eq!(probe, Probe { depth: Depth::plies(4), beta: Score::cp(30) });
        let by_depth = Settings { margin_depth: 2, ..settings() }.resolve();
        assert_eq!(by_depth.plan(&deep, &known()).unwrap().beta, Score::cp(12));
    }

    #[test]
    fn the_other_moves_say_how_deep_to_search_the_hash_move() {
        let deep = Facts { depth: Depth::plies(9), beta: Score::cp(60), ..facts() };
        let probe = settings().resolve().plan(&deep, &known()).unwrap();
        let says = |settings: Settings, others| {
            settings.resolve().conclude(&deep, &known(), &probe, Score::cp(others))
        };
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
        let probe = settings().resolve().plan(&deep, &known()).unwrap();
        let says = |settings: Settings| settings.resolve().conclude(&deep, &known(), &probe, Score::cp(30));
        assert_eq!(says(settings()), SingularVerdict::Cut(Score::cp(30)));
        assert_ne!(says(Settings { cut: false, ..settings() }), SingularVerdict::Cut(Score::cp(30)));
    }

    #[test]
    fn asks_only_about_a_move_known_to_be_good() {
        let rule = settings().resolve();
        let deep = Facts { depth: Depth::plies(9), ..facts() };
        for unknown in [
            Known { bound: Some(Bound::Upper), ..known() },
            Known { bound: None, ..known() },
            Known { depth: Depth::plies(5), ..known() },
            Known { score: Score::mate_at(9), ..known() },
        ] {
            assert_eq!(rule.plan(&deep, &unknown), None, "{unknown:?}");
        }
        assert_eq!(rule.plan(&Facts { excluding: true, ..deep }, &known()), None);
        assert_eq!(rule.plan(&Facts { depth: Depth::plies(6), ..deep }, &known()), None);
        assert_eq!(Settings { search: false, ..settings() }.resolve().plan(&deep, &known()), None);
    }

    #[test]
    fn statically_a_move_must_stand_out() {
        let rule = settings().resolve();
        assert!(rule.stands_out(Score::cp(350), Score::cp(50)));
        assert!(!rule.stands_out(Score::cp(349), Score::cp(50)));
    }
}
