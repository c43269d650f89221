//! Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, chapter 5 (multi-cut).
//!
//! *Claim.* An expected cut-node with several promising moves is very unlikely to fail low, because all of
//! them would have to be refuted: when C of the first E moves reach beta in a search R plies shallower,
//! the node is cut. Published for mc(3, 10, 2) at 7 plies: 81.7 % of the nodes, 99.1 % of the solutions;
//! 45–50 % of the attempts succeed and cost 25–30 % of the nodes.
//! *Known failure.* Zugzwang and endgames (few good moves, much depends on depth), and forced lines, where
//! the reduced searches see less than the extended ones: none of these is tried.
//!
//! Three variants that the thesis proposes without results are switches of their own: *layered*
//! (the first success on a path only licenses those below it), *by depth* (C, E and R grow with the depth
//! that is left) and *shared* (one single good move is singular, and searched a ply deeper instead). A least depth and
//! a static value that must reach beta are ours, for searches that have other ways to cut there.

use super::{Facts, GamePhase, Probe, method, rule};
use crate::depth::Depth;

method! {
    "multi-cut", "Björnsson 2002, chapter 5";
    variant "multi-cut, layered" = ["MultiCutLayered=true"];
    pub struct Settings {
        /// Cuts an expected cut-node when several of its first moves reach beta in shallow searches.
        on: "MultiCut" = false;
        /// Multi-cut: moves C that must reach beta for a cut.
        cuts: "MultiCutC" = 3 in 1..=20 step 1;
        /// Multi-cut: first moves E that are tried; at least C.
        moves: "MultiCutE" = 10 in 1..=60 step 1;
        /// Multi-cut: plies R that its searches are shallower; also the least depth at which it is tried.
        reduction: "MultiCutR" = 2 in 1..=6 step 1;
        /// Multi-cut: least remaining plies of a node, if that is more than R (not in the thesis).
        depth: "MultiCutDepth" = 1 in 1..=20 step 1;
        /// Multi-cut only where the static value is at least beta (not in the thesis).
        eval: "MultiCutEval" = false;
        /// Cuts only below a node on the same path where multi-cut would have cut already.
        layered: "MultiCutLayered" = false;
        /// Lets C and E grow by one and R by half a ply with every four plies of remaining depth.
        by_depth: "MultiCutByDepth" = false;
        /// Extends a move by a ply if it alone among the first E reached beta (singular).
        shared: "MultiCutShared" = false;
    }
}

rule! { asked, note contradiction =>
    min_depth: Depth =
        if asked.on { Depth::plies(asked.reduction.max(asked.depth)) } else { Depth::NEVER };
    eval: bool = asked.eval;
    cuts: i32 = asked.cuts;
    moves: i32 = asked.moves.max(asked.cuts);
    reduction: Depth = Depth::plies(asked.reduction);
    layered: bool = asked.layered;
    by_depth: bool = asked.by_depth;
    shared: bool = asked.shared;
}

/// What to try: the first `moves` moves with this probe, until `cuts` of them succeed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The question put to the position after each move.
    pub probe: Probe,
    /// How many moves are tried (E).
    pub moves: i32,
    /// How many of them must reach beta for a cut (C).
    pub cuts: i32,
}

/// What the shallow searches say about the node.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MultiCutVerdict {
    /// C moves reached beta: so will the node.
    Cut,
    /// Do not cut here, but license the nodes below.
    License,
    /// Search the one good move deeper.
    Extend,
    /// Too few moves reached beta to say anything.
    Inconclusive,
}

impl Settings {
    /// A warning about settings under which no node could be cut.
    fn contradiction(&self) -> Option<String> {
        (self.on && self.moves < self.cuts).then(|| {
            format!(
                "MultiCutE {} is less than MultiCutC {}: no node could be cut, so {} moves are tried",
                self.moves, self.cuts, self.cuts
            )
        })
    }
}

impl Rule {
    /// The shallow searches to make at this node, if any.
    #[inline]
    pub fn plan(&self, facts: &Facts) -> Option<Plan> {
        let sensible = facts.depth >= self.min_depth
            && facts.cut
            && !facts.in_check
            && facts.phase != GamePhase::End
            && !facts.extended_lately
            && !facts.beta.is_decided()
            && (!self.eval || facts.eval >= facts.beta);
        sensible.then(|| {
            let steps = if self.by_depth { facts.depth.whole() / 4 } else { 0 };
            let reduction = self.reduction + Depth::hundredths(50) * steps;
            Plan {
                probe: Probe { depth: facts.depth - Depth::PLY - reduction, beta: facts.beta },
                moves: self.moves + steps,
                cuts: self.cuts + steps,
            }
        })
    }

    /// What follows from so many `successes` among the moves tried.
    #[inline]
    pub fn conclude(&self, plan: &Plan, successes: i32, licensed: bool) -> MultiCutVerdict {
        if successes >= plan.cuts {
            if self.layered && !licensed { MultiCutVerdict::License } else { MultiCutVerdict::Cut }
        } else if self.shared && successes == 1 {
            MultiCutVerdict::Extend
        } else {
            MultiCutVerdict::Inconclusive
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::facts;
    use super::*;
    use crate::score::Score;

    /// The thesis' choice, mc(3, 10, 2).
    fn settings() -> Settings {
        Settings { on: true, cuts: 3, moves: 10, reduction: 2, ..Settings::default() }
    }

    #[test]
    fn tries_the_first_ten_moves_two_plies_shallower_and_needs_three() {
        let plan = settings().resolve().plan(&facts()).unwrap();
        let probe = Probe { depth: facts().depth - Depth::plies(1 + 2), beta: facts().beta };
        assert_eq!(plan, Plan { probe, moves: 10, cuts: 3 });
    }

    #[test]
    fn is_tried_only_where_the_thesis_tries_it() {
        let rule = settings().resolve();
        for elsewhere in [
            Facts { cut: false, ..facts() },
            Facts { in_check: true, ..facts() },
            Facts { phase: GamePhase::End, ..facts() },
            Facts { extended_lately: true, ..facts() },
            Facts { beta: Score::mate_at(7), ..facts() },
            Facts { depth: Depth::hundredths(199), ..facts() },
        ] {
            assert_eq!(rule.plan(&elsewhere), None, "{elsewhere:?}");
        }
        assert!(rule.plan(&Facts { depth: Depth::plies(2), ..facts() }).is_some());
        assert_eq!(Settings { on: false, ..settings() }.resolve().plan(&facts()), None);
    }

    #[test]
    fn a_least_depth_and_the_static_value_may_be_asked_for() {
        let deep = Settings { depth: 6, ..settings() }.resolve();
        assert_eq!(deep.plan(&facts()), None);
        assert!(deep.plan(&Facts { depth: Depth::plies(6), ..facts() }).is_some());
        let gated = Settings { eval: true, ..settings() }.resolve();
        assert!(gated.plan(&facts()).is_some());
        assert_eq!(gated.plan(&Facts { eval: facts().beta - 1, ..facts() }), None);
    }

    #[test]
    fn three_cut_offs_prune_and_two_do_not() {
        let rule = settings().resolve();
        let plan = rule.plan(&facts()).unwrap();
        assert_eq!(rule.conclude(&plan, 3, false), MultiCutVerdict::Cut);
        assert_eq!(rule.conclude(&plan, 2, false), MultiCutVerdict::Inconclusive);
    }

    #[test]
    fn a_layered_cut_needs_a_licence_from_above() {
        let rule = Settings { layered: true, ..settings() }.resolve();
        let plan = rule.plan(&facts()).unwrap();
        assert_eq!(rule.conclude(&plan, 3, false), MultiCutVerdict::License);
        assert_eq!(rule.conclude(&plan, 3, true), MultiCutVerdict::Cut);
    }

    #[test]
    fn one_good_move_is_singular_when_the_searches_are_shared() {
        let rule = Settings { shared: true, ..settings() }.resolve();
        let plan = rule.plan(&facts()).unwrap();
        assert_eq!(rule.conclude(&plan, 1, false), MultiCutVerdict::Extend);
        assert_eq!(rule.conclude(&plan, 2, false), MultiCutVerdict::Inconclusive);
    }

    #[test]
    fn by_depth_all_three_grow() {
        let rule = Settings { by_depth: true, ..settings() }.resolve();
        let deep = Facts { depth: Depth::plies(8), ..facts() };
        let plan = rule.plan(&deep).unwrap();
        assert_eq!((plan.moves, plan.cuts), (12, 5));
        assert_eq!(plan.probe.depth, Depth::plies(8 - 1 - 2 - 1));
    }

    #[test]
    fn fewer_moves_than_cut_offs_are_noted_and_mended() {
        let silly = Settings { moves: 2, ..settings() };
        assert!(silly.note().unwrap().contains("MultiCutE 2 is less than MultiCutC 3"));
        assert_eq!(silly.resolve().plan(&facts()).unwrap().moves, 3);
        assert_eq!(settings().note(), None);
    }
}
