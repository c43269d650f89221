//! T. Anantharaman, M. Campbell and F. Hsu, "Singular Extensions: Adding Selectivity to Brute-Force
//! Searching", Artificial Intelligence 43, 1990; static form: P. H. Winston, *Artificial Intelligence*,
//! chapter 6 (singular-extension heuristic).
//!
//! *Claim.* When one move is far better than all the others, the line behind it is forced and worth another
//! ply. Winston looks at static values, at the horizon; the search form asks whether all moves but the hash
//! move fail low against its value less a margin, in a search half as deep.
//! *Known failure.* The test costs nodes at every node where it is made, so it is made only at depth.

use super::{Facts, Id, Method, Probe};
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
            kind: Kind::Check(false),
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
            kind: Kind::Spin { default: 50, min: 0, max: 500, step: 5 },
            doc: "Singular extensions: centipawns by which all other moves must be worse than the hash move.",
            slot: |o| Slot::Int(&mut o.selective.singular.margin),
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

/// As asked for.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Settings {
    /// The search form.
    pub search: bool,
    /// Its least depth in plies.
    pub depth: i32,
    /// Its margin.
    pub margin: i32,
    /// The static form.
    pub statically: bool,
    /// Its margin.
    pub static_margin: i32,
}

/// As searched.
#[derive(Copy, Clone, Debug)]
pub struct Rule {
    min_depth: Depth,
    margin: i32,
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

impl Rule {
    /// The question whether any other move comes near, if the hash move is good enough to ask it.
    #[inline]
    pub fn plan(&self, facts: &Facts, known: &Known) -> Option<Probe> {
        let sensible = facts.depth >= self.min_depth
            && !facts.excluding
            && matches!(known.bound, Some(Bound::Lower | Bound::Exact))
            && known.depth >= facts.depth - Depth::plies(3)
            && !known.score.is_mate();
        sensible.then(|| Probe {
            depth: Depth::hundredths((facts.depth - Depth::PLY).raw() / 2),
            beta: known.score - self.margin,
        })
    }

    /// The value of the other moves says that the hash move is singular.
    #[inline]
    pub fn conclude(&self, probe: &Probe, others: Score) -> bool {
        others < probe.beta
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
        Settings { search: true, depth: 7, margin: 50, statically: true, static_margin: 300 }
    }

    fn known() -> Known {
        Known { score: Score::cp(80), bound: Some(Bound::Lower), depth: Depth::plies(6) }
    }

    #[test]
    fn asks_half_as_deep_against_the_hash_value_less_a_margin() {
        let deep = Facts { depth: Depth::plies(9), ..facts() };
        let probe = settings().resolve().plan(&deep, &known()).unwrap();
        assert_eq!(probe, Probe { depth: Depth::plies(4), beta: Score::cp(30) });
        assert!(settings().resolve().conclude(&probe, Score::cp(29)));
        assert!(!settings().resolve().conclude(&probe, Score::cp(30)));
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
