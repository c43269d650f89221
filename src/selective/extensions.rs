//! Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, chapters 6 and 7
//! (fractional-ply extensions).
//!
//! *Claim.* The depth of a path is the sum of the weights of its moves, and the weight of a move is that of
//! its class: forcing moves weigh less than a ply, so the search looks deeper after them. Published
//! weights (check / recapture / forced reply / pawn push): set by hand (Crafty's) 0.00 / 0.25 / 0.25 / 0.25; learned in
//! play 0.30 / 0.10 / 0.10 / 0.47 in the middle game and 0.10 / 0.10 / 0.15 / 0.25 in the endgame. No
//! extensions at all lost to every set of weights.
//! *Known failure.* Small weights make trees explode, so no move is extended beyond twice the nominal
//! depth; there a chain of moves that weigh nothing ends too.

use super::{GamePhase, method, rule};
use crate::depth::Depth;

method! {
    "extensions", "Björnsson 2002, chapters 6 and 7";
    pub struct Settings {
        /// Counts forcing moves as less than a ply, by the weights of their classes.
        on: "Extensions" = false;
        /// Weight of a check in the opening, in hundredths of a ply.
        check_opening: "WeightCheckOpening" = 30 in 0..=200 step 5;
        /// Weight of a check in the middle game, in hundredths of a ply.
        check_middle: "WeightCheckMiddle" = 30 in 0..=200 step 5;
        /// Weight of a check in the endgame, in hundredths of a ply.
        check_end: "WeightCheckEnd" = 10 in 0..=200 step 5;
        /// Weight of a recapture in the opening, in hundredths of a ply.
        recapture_opening: "WeightRecaptureOpening" = 10 in 0..=200 step 5;
        /// Weight of a recapture in the middle game, in hundredths of a ply.
        recapture_middle: "WeightRecaptureMiddle" = 10 in 0..=200 step 5;
        /// Weight of a recapture in the endgame, in hundredths of a ply.
        recapture_end: "WeightRecaptureEnd" = 10 in 0..=200 step 5;
        /// Weight of the only reply to a check in the opening, in hundredths of a ply.
        forced_opening: "WeightForcedOpening" = 10 in 0..=200 step 5;
        /// Weight of the only reply to a check in the middle game, in hundredths of a ply.
        forced_middle: "WeightForcedMiddle" = 10 in 0..=200 step 5;
        /// Weight of the only reply to a check in the endgame, in hundredths of a ply.
        forced_end: "WeightForcedEnd" = 15 in 0..=200 step 5;
        /// Weight of an advanced passed-pawn push in the opening, in hundredths of a ply.
        pawn_opening: "WeightPawnOpening" = 47 in 0..=200 step 5;
        /// Weight of an advanced passed-pawn push in the middle game, in hundredths of a ply.
        pawn_middle: "WeightPawnMiddle" = 47 in 0..=200 step 5;
        /// Weight of an advanced passed-pawn push in the endgame, in hundredths of a ply.
        pawn_end: "WeightPawnEnd" = 25 in 0..=200 step 5;
        /// Weight of a move under a null-move threat in the opening, in hundredths of a ply.
        threat_opening: "WeightThreatOpening" = 100 in 0..=200 step 5;
        /// Weight of a move under a null-move threat in the middle game, in hundredths of a ply.
        threat_middle: "WeightThreatMiddle" = 100 in 0..=200 step 5;
        /// Weight of a move under a null-move threat in the endgame, in hundredths of a ply.
        threat_end: "WeightThreatEnd" = 100 in 0..=200 step 5;
    }
}

/// What a move is, for its weight. A move may be of several classes.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    /// The move gives check.
    pub check: bool,
    /// It takes back on the square of the last capture.
    pub recapture: bool,
    /// It is the only reply to a check.
    pub forced: bool,
    /// It pushes a passed pawn to the sixth or seventh rank.
    pub pawn: bool,
    /// Passing would have lost heavily.
    pub threat: bool,
}

/// Number of classes.
pub const CLASSES: usize = 5;

rule! { asked, note contradiction =>
    /// Moves are classed at all.
    pub on: bool = asked.on;
    weights: [[Depth; CLASSES]; 3] = asked.weights().map(|phase| phase.map(Depth::hundredths));
}

/// Crafty's weights, which the thesis calls set by hand (table 6.1), in plies: check, recapture, forced reply, pawn
/// push.
pub const BY_HAND: [f64; 4] = [0.0, 0.25, 0.25, 0.25];

/// The Turk's weights, which the thesis does not give: half a ply for checks, its usual extension, and nothing else.
pub const HALF_PLY_CHECKS: [f64; 4] = [0.5, 1.0, 1.0, 1.0];

impl Settings {
    /// The weights by phase of the game and class, in hundredths of a ply.
    fn weights(&self) -> [[i32; CLASSES]; 3] {
        self.clone().weights_mut().map(|phase| phase.map(|weight| *weight))
    }

    fn weights_mut(&mut self) -> [[&mut i32; CLASSES]; 3] {
        let Self { check_opening, recapture_opening, forced_opening, pawn_opening, threat_opening, .. } =
            self;
        let Self { check_middle, recapture_middle, forced_middle, pawn_middle, threat_middle, .. } = self;
        let Self { check_end, recapture_end, forced_end, pawn_end, threat_end, .. } = self;
        [
            [check_opening, recapture_opening, forced_opening, pawn_opening, threat_opening],
            [check_middle, recapture_middle, forced_middle, pawn_middle, threat_middle],
            [check_end, recapture_end, forced_end, pawn_end, threat_end],
        ]
    }

    /// Sets weights, in plies: those of four classes (all but the threat) or five, for all phases or for each.
    pub fn set_weights(&mut self, weights: &[f64]) {
        let classes = if weights.len().is_multiple_of(5) { 5 } else { 4 };
        let of_all = weights.len() <= 5;
        for (index, phase) in self.weights_mut().into_iter().enumerate() {
            let from = if of_all { 0 } else { index * classes };
            for (field, weight) in phase.into_iter().zip(weights.iter().skip(from).take(classes)) {
                *field = (100.0 * weight).round().clamp(0.0, 200.0) as i32;
            }
        }
    }

    /// A warning about weights with which trees explode.
    fn contradiction(&self) -> Option<String> {
        let none = |phase: [i32; CLASSES]| phase.iter().sum::<i32>() == 0;
        (self.on && self.weights().into_iter().any(none)).then(|| {
            "all extension weights of a phase are 0: forcing lines are searched to twice the nominal depth"
                .to_owned()
        })
    }
}

impl Rule {
    /// The weight of a move: the smallest among its classes, a ply if it has none.
    #[inline]
    pub fn weight(&self, phase: GamePhase, classes: Classes) -> Depth {
        least(&self.weights[phase as usize], classes)
    }

    /// By how much the weight of the move would grow if that of each class in turn grew by `by`.
    pub fn class_deltas(&self, phase: GamePhase, classes: Classes, by: Depth) -> [Depth; CLASSES] {
        let weights = self.weights[phase as usize];
        let now = least(&weights, classes);
        std::array::from_fn(|class| {
            let mut raised = weights;
            raised[class] += by;
            least(&raised, classes) - now
        })
    }
}

#[inline]
fn least(weights: &[Depth; CLASSES], classes: Classes) -> Depth {
    let Classes { check, recapture, forced, pawn, threat } = classes;
    let member = [check, recapture, forced, pawn, threat];
    let of_class = weights.iter().zip(member).filter(|(_, is)| *is).map(|(weight, _)| *weight);
    of_class.min().unwrap_or(Depth::PLY)
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::*;

    /// Settings where no class weighs anything.
    fn nothing() -> Settings {
        let mut settings = Settings { on: true, ..Settings::default() };
        settings.set_weights(&[0.0; CLASSES]);
        settings
    }

    fn learned() -> Rule {
        Settings { on: true, ..Settings::default() }.resolve()
    }

    #[test]
    fn an_ordinary_move_weighs_a_ply() {
        assert_eq!(learned().weight(GamePhase::Middle, Classes::default()), Depth::PLY);
    }

    #[test]
    fn classes_weigh_what_the_thesis_learned_for_the_phase() {
        let check = Classes { check: true, ..Classes::default() };
        let push = Classes { pawn: true, ..Classes::default() };
        assert_eq!(learned().weight(GamePhase::Middle, check), Depth::hundredths(30));
        assert_eq!(learned().weight(GamePhase::End, check), Depth::hundredths(10));
        assert_eq!(learned().weight(GamePhase::Middle, push), Depth::hundredths(47));
        assert_eq!(learned().weight(GamePhase::End, push), Depth::hundredths(25));
    }

    #[test]
    fn a_move_of_several_classes_takes_the_smallest_weight() {
        let both = Classes { check: true, recapture: true, ..Classes::default() };
        assert_eq!(learned().weight(GamePhase::Middle, both), Depth::hundredths(10));
    }

    #[test]
    fn raising_a_class_lengthens_the_moves_that_weigh_what_it_weighs() {
        let [tenth, none] = [Depth::hundredths(10), Depth::ZERO];
        let push = Classes { pawn: true, ..Classes::default() };
        let class_deltas = |classes| learned().class_deltas(GamePhase::Middle, classes, tenth);
        assert_eq!(class_deltas(push), [none, none, none, tenth, none]);
        // A recapture weighs 0.10, as a forced reply does: raising one of two classes changes nothing.
        let both = Classes { recapture: true, forced: true, ..Classes::default() };
        assert_eq!(class_deltas(both), [none; CLASSES]);
        assert_eq!(class_deltas(Classes::default()), [none; CLASSES]);
    }

    #[test]
    fn a_class_may_also_be_reduced() {
        let rule = Settings { on: true, check_middle: 150, ..Settings::default() }.resolve();
        let check = Classes { check: true, ..Classes::default() };
        assert_eq!(rule.weight(GamePhase::Middle, check), Depth::hundredths(150));
    }

    #[test]
    fn weights_are_set_for_all_phases_or_for_each() {
        let mut settings = Settings { threat_middle: 70, ..nothing() };
        settings.set_weights(&[0.1, 0.84, 0.68, 0.91]);
        assert_eq!(settings.weights(), [[10, 84, 68, 91, 0], [10, 84, 68, 91, 70], [10, 84, 68, 91, 0]]);
        let each: Vec<f64> = (0..15).map(|n| f64::from(n) / 10.0).collect();
        settings.set_weights(&each);
        assert_eq!((settings.check_opening, settings.check_middle, settings.threat_end), (0, 50, 140));
    }

    #[test]
    fn weights_of_nothing_are_noted() {
        assert!(nothing().note().is_some());
        assert!(Settings { on: false, ..nothing() }.note().is_none());
    }
}
