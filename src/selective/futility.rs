//! J. Schaeffer, *Experiments in Search and Knowledge*, PhD thesis, Waterloo 1986 (futility pruning);
//! E. A. Heinz, "Extended Futility Pruning", ICCA Journal 21(2), 1998 (extended futility, limited razoring).
//!
//! *Claim.* One ply before the horizon (frontier) a quiet move cannot lift a static value that lies a minor
//! piece below alpha; two plies before it (pre-frontier) the same holds for a rook; three plies before it
//! (pre-pre-frontier) a node a queen behind may be searched a ply shallower. Today's programs skip quiet moves
//! further from the horizon, by a margin that grows with the depth, and spare those with a good history; and
//! they give a node up to four plies before the horizon up whose static value lies far below alpha if the
//! quiescence search does not lift it.
//! *Known failure.* Quiet moves that win at once (mates, double attacks): moves that give check are never
//! skipped, and no node in check or near a mate score is touched. A node that is given up sees only the checks
//! of the quiescence search, and no stalemate.

use super::{Facts, Id, Method, NEVER};
use crate::depth::Depth;
use crate::options::{Kind, Row, Slot};
use crate::score::Score;

/// The method and its options.
pub const METHOD: Method = Method {
    id: Id::Futility,
    paper: "Schaeffer 1986, Heinz 1998",
    rows: &[
        Row {
            name: "Futility",
            kind: Kind::Check(false),
            doc: "Skips quiet moves one ply before the horizon that cannot reach alpha.",
            slot: |o| Slot::Bool(&mut o.selective.futility.frontier),
        },
        Row {
            name: "FutilityMargin",
            kind: Kind::Spin { default: 250, min: 0, max: 2000, step: 25 },
            doc: "Centipawns a quiet move may gain one ply before the horizon.",
            slot: |o| Slot::Int(&mut o.selective.futility.frontier_margin),
        },
        Row {
            name: "ExtendedFutility",
            kind: Kind::Check(false),
            doc: "Skips quiet moves two plies before the horizon that cannot reach alpha.",
            slot: |o| Slot::Bool(&mut o.selective.futility.extended),
        },
        Row {
            name: "ExtendedFutilityMargin",
            kind: Kind::Spin { default: 500, min: 0, max: 2000, step: 25 },
            doc: "Centipawns a quiet move may gain two plies before the horizon.",
            slot: |o| Slot::Int(&mut o.selective.futility.extended_margin),
        },
        Row {
            name: "DeepFutility",
            kind: Kind::Check(true),
            doc: "Skips quiet moves up to DeepFutilityDepth plies before the horizon that cannot reach alpha.",
            slot: |o| Slot::Bool(&mut o.selective.futility.deep),
        },
        Row {
            name: "DeepFutilityDepth",
            kind: Kind::Spin { default: 6, min: 1, max: 12, step: 1 },
            doc: "Deep futility: most remaining plies.",
            slot: |o| Slot::Int(&mut o.selective.futility.deep_plies),
        },
        Row {
            name: "DeepFutilityBase",
            kind: Kind::Spin { default: 58, min: 0, max: 1000, step: 10 },
            doc: "Deep futility: centipawns any quiet move may gain.",
            slot: |o| Slot::Int(&mut o.selective.futility.deep_base),
        },
        Row {
            name: "DeepFutilityMargin",
            kind: Kind::Spin { default: 98, min: 0, max: 1000, step: 10 },
            doc: "Deep futility: centipawns it may gain besides, per remaining ply.",
            slot: |o| Slot::Int(&mut o.selective.futility.deep_margin),
        },
        Row {
            name: "DeepFutilityHistory",
            kind: Kind::Spin { default: 118, min: 0, max: 1000, step: 16 },
            doc: "Deep futility: points of history worth a centipawn; 0 for none.",
            slot: |o| Slot::Int(&mut o.selective.futility.deep_history),
        },
        Row {
            name: "Razoring",
            kind: Kind::Check(false),
            doc: "Searches a node three plies before the horizon a ply shallower when it is far below alpha.",
            slot: |o| Slot::Bool(&mut o.selective.futility.razoring),
        },
        Row {
            name: "RazoringMargin",
            kind: Kind::Spin { default: 900, min: 0, max: 3000, step: 50 },
            doc: "Razoring: centipawns below alpha from which a node is searched a ply shallower.",
            slot: |o| Slot::Int(&mut o.selective.futility.razoring_margin),
        },
        Row {
            name: "RazoringDrop",
            kind: Kind::Check(true),
            doc: "Gives up a node far below alpha, at most four plies before the horizon, if quiescence search does not raise it.",
            slot: |o| Slot::Bool(&mut o.selective.futility.razoring_quiescence),
        },
        Row {
            name: "RazoringDropMargin",
            kind: Kind::Spin { default: 250, min: 0, max: 2000, step: 20 },
            doc: "Razoring by quiescence search: centipawns below alpha, per remaining ply, from which a node is tried.",
            slot: |o| Slot::Int(&mut o.selective.futility.razoring_quiescence_margin),
        },
    ],
};

/// The options of this method, as the user set them.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Settings {
    /// `Futility`: skips quiet moves one ply before the horizon that cannot reach alpha.
    pub frontier: bool,
    /// `FutilityMargin`: centipawns a quiet move may gain one ply before the horizon.
    pub frontier_margin: i32,
    /// `ExtendedFutility`: skips quiet moves two plies before the horizon that cannot reach alpha.
    pub extended: bool,
    /// `ExtendedFutilityMargin`: centipawns a quiet move may gain two plies before the horizon.
    pub extended_margin: i32,
    /// Skip further from the horizon.
    pub deep: bool,
    /// `DeepFutilityDepth`: deep futility: most remaining plies.
    pub deep_plies: i32,
    /// Its margin at the horizon.
    pub deep_base: i32,
    /// `DeepFutilityMargin`: deep futility: centipawns it may gain besides, per remaining ply.
    pub deep_margin: i32,
    /// `DeepFutilityHistory`: deep futility: points of history worth a centipawn; 0 for none.
    pub deep_history: i32,
    /// `Razoring`: searches a node three plies before the horizon a ply shallower when it is far below alpha.
    pub razoring: bool,
    /// `RazoringMargin`: razoring: centipawns below alpha from which a node is searched a ply shallower.
    pub razoring_margin: i32,
    /// Give hopeless nodes to the quiescence search.
    pub razoring_quiescence: bool,
    /// The margin of that, per ply.
    pub razoring_quiescence_margin: i32,
}

/// What the search reads: margins by remaining plies, so large that no value lies below them where a part is off.
#[derive(Copy, Clone, Debug)]
pub struct Rule {
    /// Deeper than this nothing is futile.
    max_depth: Depth,
    skip: [i32; 3],
    deep: Depth,
    deep_base: i32,
    deep_margin: i32,
    deep_history: i32,
    razor: i32,
    razoring_quiescence: Depth,
    razoring_quiescence_margin: i32,
}

/// Plies before the horizon up to which captures decide about a hopeless node.
const RAZORING_PLIES: Depth = Depth::plies(4);

impl Settings {
    /// Whether there is anything to do.
    pub fn is_on(&self) -> bool {
        self.frontier || self.extended || self.deep || self.razoring || self.razoring_quiescence
    }

    /// The rule these settings mean.
    pub fn resolve(&self) -> Rule {
        let margin = |on: bool, margin: i32| if on { margin } else { NEVER };
        let frontier = margin(self.frontier, self.frontier_margin);
        let extended = margin(self.extended, self.extended_margin);
        Rule {
            max_depth: Depth::plies(if self.razoring {
                3
            } else {
                2 * i32::from(self.frontier || self.extended)
            }),
            skip: [frontier, frontier, extended],
            deep: if self.deep { Depth::plies(self.deep_plies) } else { -Depth::PLY },
            deep_base: self.deep_base,
            deep_margin: self.deep_margin,
            deep_history: self.deep_history,
            razor: margin(self.razoring, self.razoring_margin),
            razoring_quiescence: if self.razoring_quiescence { RAZORING_PLIES } else { -Depth::PLY },
            razoring_quiescence_margin: self.razoring_quiescence_margin,
        }
    }
}

impl Rule {
    fn applies(&self, facts: &Facts, max_depth: Depth) -> bool {
        facts.depth <= max_depth && !facts.in_check && !facts.beta.is_decided()
    }

    /// The most a quiet move can reach here, if that is less than beta: such moves are skipped.
    #[inline]
    pub fn ceiling(&self, facts: &Facts) -> Option<Score> {
        if !self.applies(facts, self.max_depth) {
            return None;
        }
        let plies = (facts.depth.raw() + 99).div_euclid(100).clamp(0, 3) as usize;
        let ceiling = facts.eval + *self.skip.get(plies)?;
        (ceiling < facts.beta).then_some(ceiling)
    }

    /// The most a quiet move without a history can reach here, if moves are judged so.
    #[inline]
    pub fn deep_ceiling(&self, facts: &Facts) -> Option<Score> {
        self.applies(facts, self.deep)
            .then(|| facts.eval + self.deep_base + self.deep_margin * facts.depth.raw() / Depth::PLY.raw())
    }

    /// How much more a move can reach than its node says, by its history.
    #[inline]
    pub fn by_history(&self, history: i32) -> i32 {
        history.checked_div(self.deep_history).unwrap_or(0)
    }

    /// The node is so far below alpha that captures alone decide about it.
    #[inline]
    pub fn razors_to_quiescence(&self, facts: &Facts) -> bool {
        let margin = self.razoring_quiescence_margin * facts.depth.raw() / Depth::PLY.raw();
        self.applies(facts, self.razoring_quiescence) && facts.eval + margin < facts.beta
    }

    /// The depth to search the node to, a ply less if it is hopelessly far below alpha.
    #[inline]
    pub fn razored(&self, facts: &Facts) -> Option<Depth> {
        let far = self.applies(facts, self.max_depth)
            && facts.depth > Depth::plies(2)
            && facts.eval + self.razor < facts.beta;
        far.then(|| facts.depth - Depth::PLY)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::facts;
    use super::*;

    fn all() -> Settings {
        Settings {
            frontier: true,
            frontier_margin: 250,
            extended: true,
            extended_margin: 500,
            deep: true,
            deep_plies: 6,
            deep_base: 80,
            deep_margin: 90,
            deep_history: 100,
            razoring: true,
            razoring_margin: 900,
            razoring_quiescence: true,
            razoring_quiescence_margin: 250,
        }
    }

    fn behind(plies: i32, centipawns: i32) -> Facts {
        Facts { depth: Depth::plies(plies), eval: facts().beta - centipawns, ..facts() }
    }

    #[test]
    fn a_quiet_move_gains_a_minor_piece_at_the_frontier_and_a_rook_before_it() {
        let rule = all().resolve();
        assert_eq!(rule.ceiling(&behind(1, 251)), Some(facts().beta - 1));
        assert_eq!(rule.ceiling(&behind(1, 250)), None);
        assert_eq!(rule.ceiling(&behind(2, 501)), Some(facts().beta - 1));
        assert_eq!(rule.ceiling(&behind(2, 500)), None);
        assert_eq!(rule.ceiling(&behind(3, 3000)), None);
    }

    #[test]
    fn a_node_a_queen_behind_loses_a_ply_three_plies_before_the_horizon() {
        let rule = all().resolve();
        assert_eq!(rule.razored(&behind(3, 901)), Some(Depth::plies(2)));
        assert_eq!(rule.razored(&behind(3, 900)), None);
        assert_eq!(rule.razored(&behind(2, 3000)), None);
        assert_eq!(rule.razored(&behind(4, 3000)), None);
    }

    #[test]
    fn captures_decide_about_a_node_far_behind_near_the_horizon() {
        let rule = all().resolve();
        assert!(rule.razors_to_quiescence(&behind(2, 501)) && !rule.razors_to_quiescence(&behind(2, 500)));
        assert!(
            !rule.razors_to_quiescence(&behind(5, 3_000))
                && !rule.razors_to_quiescence(&Facts { in_check: true, ..behind(1, 900) })
        );
        assert!(
            !Settings { razoring_quiescence: false, ..all() }.resolve().razors_to_quiescence(&behind(1, 900))
        );
    }

    #[test]
    fn the_deep_margin_grows_with_the_plies_and_with_history() {
        let rule = all().resolve();
        assert_eq!(rule.deep_ceiling(&behind(3, 400)), Some(facts().beta - 400 + 80 + 270));
        assert_eq!(rule.deep_ceiling(&behind(7, 4_000)), None);
        assert_eq!([rule.by_history(250), rule.by_history(-1_000)], [2, -10]);
        assert_eq!(Settings { deep_history: 0, ..all() }.resolve().by_history(900), 0);
        assert_eq!(Settings { deep: false, ..all() }.resolve().deep_ceiling(&behind(1, 4_000)), None);
    }

    #[test]
    fn checks_and_mates_are_never_futile() {
        let rule = all().resolve();
        assert_eq!(rule.ceiling(&Facts { in_check: true, ..behind(1, 900) }), None);
        assert_eq!(rule.ceiling(&Facts { beta: Score::mated_at(4), ..behind(1, 900) }), None);
    }

    #[test]
    fn every_part_has_its_own_switch() {
        let only =
            |frontier, extended, razoring| Settings { frontier, extended, razoring, ..all() }.resolve();
        assert!(only(false, true, false).ceiling(&behind(1, 2000)).is_none());
        assert!(only(false, true, false).ceiling(&behind(2, 2000)).is_some());
        assert!(only(true, false, false).ceiling(&behind(2, 2000)).is_none());
        assert!(only(true, true, false).razored(&behind(3, 2000)).is_none());
        assert!(only(false, false, true).razored(&behind(3, 2000)).is_some());
    }
}
