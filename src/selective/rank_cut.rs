//! Y. J. Lim and W. S. Lee, "RankCut – A Domain Independent Forward Pruning Method for Games", AAAI 2006.
//!
//! *Claim.* Move ordering knows when no later move will be better: off-line, for every state of a node and
//! its next move, count how often this or a later move became the new best; in the search, where that
//! probability is below t, search the move and all after it a ply shallower. As soon as one of them raises
//! alpha the rest get their full depth again. Published: −9.5 / −28.3 / −38.7 % of the nodes at depth 8 / 10 /
//! 12, with as many solutions as before within a standard error; +40 −10 =74 against itself without.
//! *Known failure.* Statistics of one program's move ordering fit that program only; so states must have
//! been seen 1,000 times, only deep nodes are cut, and only from the history phase of move generation on.
//! *What differs.* A move counts as better if it beats alpha, too (see `learn::rank_statistics`): Crafty was fail-hard
//! when the paper was written, this search is fail-soft. The limits of the intervals are ours; the paper gives none.

use super::{MoveFacts, method, rule};
use crate::depth::Depth;

method! {
    "RankCut", "Lim & Lee 2006";
    pub struct Settings {
        /// Searches moves shallower when statistics say that none of the rest will be the best.
        on: "RankCut" = false then ReadRanks;
        /// RankCut: probability t below which a move and all after it are reduced, in hundredths of a per
        /// cent.
        threshold: "RankCutThreshold" = 75 in 1..=2000 step 10;
        /// RankCut: how much shallower reduced moves are searched, in hundredths of a ply.
        reduction: "RankCutReduction" = 100 in 25..=400 step 25;
        /// RankCut: hundredths of a ply added for every halving of the probability below t (not in the
        /// paper).
        scale: "RankCutScale" = 0 in 0..=200 step 10;
        /// RankCut: least remaining plies of a node.
        depth: "RankCutDepth" = 7 in 2..=20 step 1;
        /// RankCut: how often a state must have been seen to be believed.
        samples: "RankCutSamples" = 1000 in 1..=1_000_000 step 100 then ReadRanks;
        /// Searches a move again at full depth when the shallow search raised alpha (not in the paper).
        research: "RankCutResearch" = false;
        /// The table takes the place of the formula of late-move reductions: RankCutReduction at t,
        /// RankCutScale more for every halving of the probability and less for every doubling (not in the
        /// paper).
        formula: "RankCutFormula" = false;
        /// File with collected statistics; empty for the built-in ones.
        file: "RankCutFile" = "" then ReadRanks;
    }
}

rule! { asked =>
    min_depth: Depth = if asked.on { Depth::plies(asked.depth) } else { Depth::NEVER };
    threshold: u16 = probability_code(asked.probability());
    reduction: Depth = Depth::hundredths(asked.reduction);
    scale: f32 = asked.scale as f32;
    /// A shallow search that raised alpha is repeated.
    pub research: bool = asked.research;
    formula: bool = asked.formula;
}

impl Settings {
    /// The probability below which moves are cut.
    pub fn probability(&self) -> f64 {
        f64::from(self.threshold) / 10_000.0
    }
}

/// Codes per unit of probability; the largest code stands for a state not seen often enough.
const CODES: f64 = 60_000.0;
/// A state not seen often enough.
pub const UNSEEN: u16 = u16::MAX;

/// A probability as the table keeps it.
pub fn probability_code(probability: f64) -> u16 {
    (probability * CODES).round().clamp(0.0, CODES) as u16
}

/// The seven features of a node and its next move.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RankState {
    /// Remaining plies.
    pub depth: i32,
    /// The side to move is in check.
    pub in_check: bool,
    /// Number of the move, from 1.
    pub number: usize,
    /// How often the best move has changed.
    pub changes: usize,
    /// Best value less alpha, in centipawns.
    pub lead: i32,
    /// Value of the last move less the best, in centipawns.
    pub last: i32,
    /// The move has no history any more: it is one of the rest.
    pub rest: bool,
}

/// Remaining plies told apart.
const DEPTHS: usize = 16;
/// Move numbers told apart.
const NUMBERS: usize = 64;
/// Changes told apart.
const CHANGES: usize = 8;
/// Intervals of the two differences.
const INTERVALS: usize = 7;
/// Number of states.
pub const STATES: usize = DEPTHS * NUMBERS * CHANGES * INTERVALS * INTERVALS * 2 * 2;

/// The interval of a difference: above 0, 0 to −20, −50, −100, −200, −400, and below.
fn interval(difference: i32) -> usize {
    match difference {
        1.. => 0,
        -19..=0 => 1,
        -49..=-20 => 2,
        -99..=-50 => 3,
        -199..=-100 => 4,
        -399..=-200 => 5,
        _ => 6,
    }
}

impl RankState {
    /// Its place in a table.
    #[inline]
    pub fn index(&self) -> usize {
        let mut index = (self.depth - 1).clamp(0, DEPTHS as i32 - 1) as usize;
        index = index * NUMBERS + (self.number - 1).min(NUMBERS - 1);
        index = index * CHANGES + self.changes.min(CHANGES - 1);
        index = index * INTERVALS + interval(self.lead);
        index = index * INTERVALS + interval(self.last);
        index * 4 + usize::from(self.in_check) * 2 + usize::from(self.rest)
    }
}

/// Remaining plies and move number of the state at a place in a table; the largest stand for all above.
pub fn depth_and_number(index: usize) -> (i32, usize) {
    let pair = index / (CHANGES * INTERVALS * INTERVALS * 4);
    ((pair / NUMBERS) as i32 + 1, pair % NUMBERS + 1)
}

impl Rule {
    /// The rule looks at moves of this node.
    #[inline]
    pub fn applies(&self, depth: Depth) -> bool {
        depth >= self.min_depth
    }

    /// How much shallower to search a move. The first unlikely move makes the rule `active` for itself and all moves
    /// after it. A move that is being extended is never reduced.
    #[inline]
    pub fn reduction(&self, active: &mut bool, code: u16, facts: &MoveFacts) -> Depth {
        *active |= code < self.threshold;
        if *active && facts.weight >= Depth::PLY { self.reduction + self.unlikely(code) } else { Depth::ZERO }
    }

    /// The additional reduction of a move that is much less likely than t.
    fn unlikely(&self, code: u16) -> Depth {
        if self.scale == 0.0 || code >= self.threshold {
            return Depth::ZERO;
        }
        Depth::hundredths((self.scale * self.halvings(code)) as i32)
    }

    /// How often t must be halved to reach the probability of a code; negative if it must be doubled.
    fn halvings(&self, code: u16) -> f32 {
        (f32::from(self.threshold) / f32::from(code.max(1))).log2()
    }

    /// What late-move reductions take off in place of their formula, if they ask the table and it knows the state.
    #[inline]
    pub fn learned(&self, code: u16) -> Option<Depth> {
        let asked = self.formula && code != UNSEEN;
        asked.then(|| {
            (self.reduction + Depth::hundredths((self.scale * self.halvings(code)) as i32)).max(Depth::ZERO)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::super::tests::late_move;
    use super::*;

    fn state() -> RankState {
        RankState { depth: 8, in_check: false, number: 12, changes: 1, lead: -30, last: -70, rest: false }
    }

    fn quiet() -> MoveFacts {
        MoveFacts { number: 12, ..late_move() }
    }

    /// As published: t = 0.75 %, r = 1 ply, from depth 7 on.
    fn rule() -> Rule {
        settings().resolve()
    }

    fn settings() -> Settings {
        Settings {
            on: true,
            threshold: 75,
            reduction: 100,
            scale: 0,
            depth: 7,
            samples: 1000,
            research: false,
            formula: false,
            file: String::new(),
        }
    }

    #[test]
    fn the_table_in_place_of_a_formula_knows_halvings_and_doublings() {
        let rule = Settings { formula: true, threshold: 1_000, scale: 60, ..settings() }.resolve();
        let by = |probability| rule.learned(probability_code(probability));
        assert_eq!(by(0.1), Some(Depth::PLY));
        assert_eq!(by(0.05), Some(Depth::hundredths(160)));
        assert_eq!(by(0.2), Some(Depth::hundredths(40)));
        assert_eq!(by(0.8), Some(Depth::ZERO));
        assert_eq!(rule.learned(UNSEEN), None);
        assert_eq!(settings().resolve().learned(0), None);
    }

    #[test]
    fn a_scale_makes_the_table_choose_the_size() {
        let rule = Settings { scale: 50, ..settings() }.resolve();
        let by = |probability| rule.reduction(&mut false, probability_code(probability), &quiet());
        assert_eq!(by(0.0075), Depth::ZERO);
        assert_eq!(by(0.003_75), Depth::hundredths(150));
        assert!(by(0.0) > Depth::plies(4));
        assert_eq!(rule.reduction(&mut true, UNSEEN, &quiet()), Depth::PLY);
    }

    #[test]
    fn every_feature_tells_states_apart_and_all_fit_the_table() {
        let others = [
            RankState { depth: 9, ..state() },
            RankState { in_check: true, ..state() },
            RankState { number: 13, ..state() },
            RankState { changes: 2, ..state() },
            RankState { lead: -60, ..state() },
            RankState { last: 0, ..state() },
            RankState { rest: true, ..state() },
        ];
        for other in others {
            assert_ne!(other.index(), state().index(), "{other:?}");
        }
        let extreme = RankState {
            depth: 99,
            number: 300,
            changes: 99,
            lead: -9999,
            last: -9999,
            in_check: true,
            rest: true,
        };
        assert_eq!(extreme.index(), STATES - 1);
        assert_eq!(depth_and_number(state().index()), (8, 12));
        assert_eq!(depth_and_number(STATES - 1), (16, 64));
    }

    #[test]
    fn a_state_below_the_threshold_reduces_the_move_and_all_after_it() {
        let mut pruning = false;
        let unlikely = probability_code(0.0074);
        let likely = probability_code(0.0076);
        assert_eq!(rule().reduction(&mut pruning, likely, &quiet()), Depth::ZERO);
        assert_eq!(rule().reduction(&mut pruning, unlikely, &quiet()), Depth::PLY);
        assert_eq!(rule().reduction(&mut pruning, likely, &quiet()), Depth::PLY, "pruneRest");
        assert_eq!(rule().reduction(&mut false, UNSEEN, &quiet()), Depth::ZERO);
    }

    #[test]
    fn an_extended_move_keeps_its_depth() {
        let extended = MoveFacts { weight: Depth::hundredths(25), ..quiet() };
        assert_eq!(rule().reduction(&mut true, 0, &extended), Depth::ZERO);
    }

    #[test]
    fn only_deep_nodes_are_looked_at() {
        assert!(rule().applies(Depth::plies(7)) && !rule().applies(Depth::hundredths(699)));
    }
}
