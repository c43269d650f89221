//! Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, chapters 6 and 7
//! (fractional-ply extensions).
//!
//! *Claim.* The depth of a path is the sum of the weights of its moves, and the weight of a move is that of
//! its class: forcing moves weigh less than a ply, so the search looks deeper behind them. Published
//! weights (check / recapture / forced reply / pawn push): set by hand 0.00 / 0.25 / 0.25 / 0.25; learned in
//! play 0.30 / 0.10 / 0.10 / 0.47 in the middle game and 0.10 / 0.10 / 0.15 / 0.25 in the endgame. No
//! extensions at all lost to every set of weights.
//! *Known failure.* Small weights make trees explode, so no move is extended beyond twice the nominal
//! depth; there a chain of moves that weigh nothing ends too.

use super::{GamePhase, Id, Method};
use crate::depth::Depth;
use crate::options::{Kind, Row, Slot};

/// One row per class and phase of the game.
macro_rules! weight {
    ($name:literal, $default:literal, $what:literal, $phase:ident, $class:ident) => {
        Row {
            name: $name,
            kind: Kind::Spin { default: $default, min: 0, max: 200, step: 5 },
            doc: concat!("Weight of ", $what, ", in hundredths of a ply."),
            slot: |o| Slot::Int(&mut o.selective.extensions.$phase.$class),
        }
    };
}

/// The method and its options.
pub const METHOD: Method = Method {
    id: Id::Extensions,
    paper: "Björnsson 2002, chapters 6 and 7",
    rows: &[
        Row {
            name: "Extensions",
            kind: Kind::Check(false),
            doc: "Counts forcing moves as less than a ply, by the weights of their classes.",
            slot: |o| Slot::Bool(&mut o.selective.extensions.on),
        },
        weight!("WeightCheckOpening", 30, "a check in the opening", opening, check),
        weight!("WeightCheckMiddle", 30, "a check in the middle game", middle, check),
        weight!("WeightCheckEnd", 10, "a check in the endgame", end, check),
        weight!("WeightRecaptureOpening", 10, "a recapture in the opening", opening, recapture),
        weight!("WeightRecaptureMiddle", 10, "a recapture in the middle game", middle, recapture),
        weight!("WeightRecaptureEnd", 10, "a recapture in the endgame", end, recapture),
        weight!("WeightForcedOpening", 10, "the only reply to a check in the opening", opening, forced),
        weight!("WeightForcedMiddle", 10, "the only reply to a check in the middle game", middle, forced),
        weight!("WeightForcedEnd", 15, "the only reply to a check in the endgame", end, forced),
        weight!("WeightPawnOpening", 47, "an advanced passed-pawn push in the opening", opening, pawn),
        weight!("WeightPawnMiddle", 47, "an advanced passed-pawn push in the middle game", middle, pawn),
        weight!("WeightPawnEnd", 25, "an advanced passed-pawn push in the endgame", end, pawn),
        weight!(
            "WeightThreatOpening",
            100,
            "a move under a null-move threat in the opening",
            opening,
            threat
        ),
        weight!(
            "WeightThreatMiddle",
            100,
            "a move under a null-move threat in the middle game",
            middle,
            threat
        ),
        weight!("WeightThreatEnd", 100, "a move under a null-move threat in the endgame", end, threat),
    ],
};

/// Weights of the classes in one phase of the game, in hundredths of a ply.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PhaseWeights {
    /// The move gives check.
    pub check: i32,
    /// It takes back on the square of the last capture.
    pub recapture: i32,
    /// It is the only reply to a check.
    pub forced: i32,
    /// It pushes a passed pawn to the sixth or seventh rank.
    pub pawn: i32,
    /// Passing would have lost heavily.
    pub threat: i32,
}

/// The options of this method, as the user set them.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Settings {
    /// `Extensions`: counts forcing moves as less than a ply, by the weights of their classes.
    pub on: bool,
    /// In the opening.
    pub opening: PhaseWeights,
    /// In the middle game.
    pub middle: PhaseWeights,
    /// In the endgame.
    pub end: PhaseWeights,
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

/// What the search reads: the settings, resolved at `go`.
#[derive(Copy, Clone, Debug)]
pub struct Rule {
    /// Moves are classed at all.
    pub on: bool,
    weights: [[Depth; CLASSES]; 3],
}

impl Settings {
    /// Whether there is anything to do.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// The rule these settings mean.
    pub fn resolve(&self) -> Rule {
        let of = |weights: &PhaseWeights| {
            [weights.check, weights.recapture, weights.forced, weights.pawn, weights.threat]
                .map(Depth::hundredths)
        };
        Rule { on: self.on, weights: [of(&self.opening), of(&self.middle), of(&self.end)] }
    }

    /// Sets weights, in plies: those of four classes (all but the threat) or five, for all stages or for each.
    pub fn set_weights(&mut self, weights: &[f64]) {
        let classes = if weights.len().is_multiple_of(5) { 5 } else { 4 };
        let of_all = weights.len() <= 5;
        let phases = [&mut self.opening, &mut self.middle, &mut self.end];
        for (index, phase) in phases.into_iter().enumerate() {
            let from = if of_all { 0 } else { index * classes };
            let fields = [
                &mut phase.check,
                &mut phase.recapture,
                &mut phase.forced,
                &mut phase.pawn,
                &mut phase.threat,
            ];
            for (field, weight) in fields.into_iter().zip(weights.iter().skip(from).take(classes)) {
                *field = (100.0 * weight).round().clamp(0.0, 200.0) as i32;
            }
        }
    }

    /// What a person should know about these settings.
    pub fn note(&self) -> Option<String> {
        let none = |w: &PhaseWeights| w.check + w.recapture + w.forced + w.pawn + w.threat == 0;
        (self.on && [&self.opening, &self.middle, &self.end].into_iter().any(none)).then(|| {
            "all extension weights of a stage are 0: forcing lines are searched to twice the nominal depth"
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

    /// How much more the move would weigh if each class in turn weighed `by` more.
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
    use super::*;

    fn learned() -> Rule {
        let middle = PhaseWeights { check: 30, recapture: 10, forced: 10, pawn: 47, threat: 100 };
        let end = PhaseWeights { check: 10, recapture: 10, forced: 15, pawn: 25, threat: 100 };
        Settings { on: true, opening: middle.clone(), middle, end }.resolve()
    }

    #[test]
    fn an_ordinary_move_weighs_a_ply() {
        assert_eq!(learned().weight(GamePhase::Middle, Classes::default()), Depth::PLY);
    }

    #[test]
    fn classes_weigh_what_the_thesis_learned_for_the_stage() {
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
        let heavy = PhaseWeights { check: 150, ..PhaseWeights::default() };
        let rule = Settings { on: true, middle: heavy, ..Settings::default() }.resolve();
        let check = Classes { check: true, ..Classes::default() };
        assert_eq!(rule.weight(GamePhase::Middle, check), Depth::hundredths(150));
    }

    #[test]
    fn weights_are_set_for_all_stages_or_for_each() {
        let mut settings = Settings {
            middle: PhaseWeights { threat: 70, ..PhaseWeights::default() },
            ..Settings::default()
        };
        settings.set_weights(&[0.1, 0.84, 0.68, 0.91]);
        let all = PhaseWeights { check: 10, recapture: 84, forced: 68, pawn: 91, threat: 0 };
        assert_eq!((&settings.opening, settings.middle.threat), (&all, 70));
        let each: Vec<f64> = (0..15).map(|n| f64::from(n) / 10.0).collect();
        settings.set_weights(&each);
        assert_eq!((settings.opening.check, settings.middle.check, settings.end.threat), (0, 50, 140));
    }

    #[test]
    fn weights_of_nothing_are_noted() {
        assert!(Settings { on: true, ..Settings::default() }.note().is_some());
        assert!(Settings { on: false, ..Settings::default() }.note().is_none());
    }
}
