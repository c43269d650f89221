//! The evaluation's features combined by a linear or quadratic function learned from games, instead of summed.
//!
//! K.-F. Lee and S. Mahajan, "A Pattern Classification Approach to Evaluation Function Learning", Artificial
//! Intelligence 36, 1988; X. Liang, *The Evolution of Mulan*, MSc thesis, New Mexico 2003, section 3.3.2. A function
//! for every phase of the game turns a handful of features into the logarithm of the odds of winning;
//! `espalier lab bayes` learns such functions and plays with them.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::trace::Trace;
use super::weights::*;
use super::{PHASE_MAX, watch};
use crate::{Position, Score};

/// The features, each a sum of terms of the classical evaluation, in pawns for the side to move.
pub const FEATURES: [&str; 5] = ["material", "pieces", "pawns", "king", "threats"];

/// How many there are.
pub const N: usize = FEATURES.len();

/// The features of one position.
pub type Features = [f64; N];

/// What every file of a combination begins with.
const FORMAT: &str = "espalier combination 2";

/// A quadratic function of the features; a linear one where `square` is zero.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quadratic {
    /// Its value where all features are zero.
    pub constant: f64,
    /// Slope in each feature where all features are zero.
    pub linear: Features,
    /// Coefficients of the products of two features; the row is one, the column the other.
    pub square: [Features; N],
}

impl Quadratic {
    /// The value: the logarithm of the odds of winning.
    pub fn log_odds(&self, x: &Features) -> f64 {
        let dot = |row: &Features| row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
        let curved: f64 = self.square.iter().zip(x).map(|(row, x)| x * dot(row)).sum();
        self.constant + dot(&self.linear) + curved
    }

    fn is_finite(&self) -> bool {
        let numbers = [self.constant].into_iter().chain(self.linear).chain(self.square.into_iter().flatten());
        numbers.into_iter().all(f64::is_finite)
    }
}

/// A function for every phase of the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Combination {
    format: String,
    features: Vec<String>,
    /// Centipawns of one unit of the logarithm of the odds.
    pub centipawns: f64,
    /// Opening, middle game, endgame.
    #[serde(rename = "stages")]
    pub phases: [Quadratic; 3],
}

impl Combination {
    /// A combination of one function per phase; `centipawns` turns their log-odds into scores.
    pub fn new(phases: [Quadratic; 3], centipawns: f64) -> Self {
        Self { format: FORMAT.into(), features: FEATURES.map(str::to_owned).to_vec(), centipawns, phases }
    }

    /// Reads a file, or says why it is not a combination of these features.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let found: Self = serde_json::from_str(text).map_err(|error| format!("no combination: {error}"))?;
        if found.format != FORMAT {
            return Err(format!("its format is {:?}, not {FORMAT:?}", found.format));
        }
        if found.features != FEATURES {
            return Err(format!("its features are {:?}, ours are {FEATURES:?}", found.features));
        }
        let sound = found.centipawns.is_finite() && found.phases.iter().all(Quadratic::is_finite);
        if sound { Ok(found) } else { Err("it has numbers that are none".to_owned()) }
    }

    /// The text of a file that [`from_text`](Self::from_text) reads.
    pub fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The logarithm of the mover's odds of winning.
    pub fn log_odds(&self, position: &Position, weights: &Weights) -> f64 {
        self.phases[phase(position)].log_odds(&features(position, weights))
    }

    /// What the position is worth to the side to move.
    pub fn evaluate(&self, position: &Position, weights: &Weights) -> Score {
        let value = self.centipawns * self.log_odds(position, weights);
        Score::cp(value.clamp(-20_000.0, 20_000.0) as i32).clamp_eval()
    }
}

/// Which of the functions is asked.
pub fn phase(position: &Position) -> usize {
    position.game_phase() as usize
}

/// The place of the pieces among the features: all groups that [`GROUPS_OF`] does not name belong to them.
const PIECES: u8 = 1;

/// The groups of the other features, by the index of the feature in [`FEATURES`].
const GROUPS_OF: [(u8, &[TermGroup]); 4] = [
    (0, &[MATERIAL, BISHOP_PAIR, PIECE_PAWNS, REDUNDANCY, CLOSED]),
    (
        PAWNS,
        &[
            PST_PAWN,
            ISOLATED,
            ISOLATED_OPEN,
            DOUBLED,
            BACKWARD,
            SUPPORTED,
            PHALANX,
            CANDIDATE,
            ISLANDS,
            PASSED,
            PASSED_OWN_KING,
            PASSED_ENEMY_KING,
            PASSED_CONNECTED,
            PASSED_FREE_PATH,
            PASSED_PATH_HELD,
            PASSED_FILE,
            PASSED_ROOK_BEHIND,
            PASSED_UNSTOPPABLE,
        ],
    ),
    (3, &[PST_KING, SHELTER, STORM, CASTLING, KING_DEFENDERS, KING_PAWN_DISTANCE]),
    (
        4,
        &[
            THREAT_MINOR,
            THREAT_ROOK,
            THREAT_KING,
            THREAT_PAWN,
            THREAT_PUSH,
            THREAT_QUEEN_NEXT,
            HANGING,
            WEAK_QUEEN_DEFENCE,
            RESTRICTED,
            TEMPO,
        ],
    ),
];

/// The place of the pawns among the features.
const PAWNS: u8 = 2;

/// Which feature a weight belongs to.
static FEATURE_OF: LazyLock<[u8; COUNT]> = LazyLock::new(|| {
    let mut features = [PIECES; COUNT];
    for (feature, groups) in GROUPS_OF {
        groups.iter().for_each(|group| features[group.start..group.start + group.len].fill(feature));
    }
    // The first of the boards by wing is that of the pawns.
    for group in [WING_OWN, WING_ENEMY] {
        features[group.start..group.start + 64].fill(PAWNS);
    }
    features
});

/// Adds up the linear terms of every feature, White minus Black.
struct FeatureSums<'a> {
    weights: &'a Weights,
    of: &'static [u8; COUNT],
    sums: [Pair; N],
}

impl Trace for FeatureSums<'_> {
    fn record(&mut self, color: Color, index: usize, count: i32) {
        if super::kind(index) == TermKind::Linear {
            let value = self.weights.at(index) * count;
            let sum = &mut self.sums[usize::from(self.of[index])];
            *sum = if color.is_white() { *sum + value } else { *sum - value };
        }
    }
}

/// The features of a position, in pawns for the side to move.
pub fn features(position: &Position, weights: &Weights) -> Features {
    let mut sums = FeatureSums { weights, of: &FEATURE_OF, sums: [Pair::ZERO; N] };
    let outcome = watch(position, weights, &mut sums);
    let [white, black] = outcome.danger_cost;
    sums.sums[3] = sums.sums[3] - white + black;
    let sign = position.turn().fold_wb(1.0, -1.0);
    sums.sums.map(|sum| {
        let blend = sum.mg() * outcome.phase + sum.eg() * (PHASE_MAX - outcome.phase);
        sign * f64::from(blend) / f64::from(100 * PHASE_MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen, false).unwrap()
    }

    #[test]
    fn features_add_up_to_the_evaluation_and_change_sides_with_the_mover() {
        let fen = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9";
        let (weights, here) = (Weights::default(), position(fen));
        let whole = super::super::explain(&here, &weights);
        assert_eq!((whole.scale, whole.knowledge), (super::super::SCALE_MAX, 0));
        let sum: f64 = features(&here, &weights).iter().sum();
        assert!(
            (100.0 * sum - f64::from(whole.total().raw())).abs() <= 12.0,
            "complexity and rounding apart"
        );
        let turned = position(&fen.replace(" w ", " b "));
        let (a, b) = (features(&here, &weights), features(&turned, &weights));
        assert!((0..4).all(|index| (a[index] + b[index]).abs() < 1e-9), "{a:?} {b:?}");
    }

    #[test]
    fn a_function_is_its_terms() {
        let mut square = [[0.0; N]; N];
        square[0][1] = 2.0;
        let function = Quadratic { constant: 1.0, linear: [1.0, 0.0, 0.0, 0.0, -1.0], square };
        assert_eq!(function.log_odds(&[3.0, 5.0, 0.0, 0.0, 4.0]), 1.0 + 3.0 - 4.0 + 30.0);
    }

    #[test]
    fn a_file_is_read_as_written_and_others_are_refused() {
        let plain = Quadratic { linear: [1.0; N], ..Quadratic::default() };
        let combination = Combination::new([plain; 3], 150.0);
        let text = combination.to_text();
        assert_eq!(Combination::from_text(&text), Ok(combination));
        for (bad, reason) in [
            ("", "no combination"),
            (&text.replace("combination 2", "combination 9"), "format"),
            (&text.replace("\"king\"", "\"queen\""), "features"),
            (&text.replace("150.0", "1e999"), "no combination"),
        ] {
            let error = Combination::from_text(bad).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
