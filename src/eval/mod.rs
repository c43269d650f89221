//! Evaluation: what a position is worth without looking further.
//!
//! [`Evaluator`] is what a search thread owns, and follows its path; [`explain`] shows the same sum term by term;
//! [`trace`] gives it as coefficients for a tuner. All three run the same code, watched by different [`Trace`] types.
//!
//! ```
//! use espalier::Position;
//! use espalier::eval::{Evaluator, Weights, explain};
//! let position = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", false).unwrap();
//! let value = Evaluator::default().evaluate(&position);
//! assert!(value.raw() > 0);
//! assert_eq!(explain(&position, &Weights::default()).total(), value);
//! ```

mod accumulator;
mod cache;
mod classical;
pub mod combination;
mod endgame;
mod evaluator;
mod explanation;
mod king;
mod kpk;
mod masks;
pub mod network;
mod passed;
mod pawns;
#[cfg(test)]
mod tests;
mod trace;
mod weights;

use shakmaty::Color;

pub use evaluator::{EvaluationKind, Evaluator};
pub use explanation::{ExplainedTerm, Explanation, explain};
pub use trace::{Coefficients, NoTrace, TermCount, TermSums, Trace, kind};
pub(crate) use weights::LIMIT;
pub use weights::{COUNT, GROUPS, Pair, TermGroup, TermKind, Weights, WeightsError};

use crate::{Position, Score};
use pawns::Pawns;

/// The phase of the start position, by which values of the middle game and the endgame are blended.
pub const PHASE_MAX: i32 = 24;

/// Scale factor of an ordinary position.
pub const SCALE_MAX: i32 = 64;

fn for_mover(position: &Position, white: i32) -> Score {
    Score::cp(position.turn().fold_wb(white, -white)).clamp_eval()
}

/// What a position's value is made of, for a tuner.
pub fn trace(position: &Position, weights: &Weights) -> Coefficients {
    let mut counts = trace::TermCounts::default();
    let outcome = watch(position, weights, &mut counts);
    Coefficients {
        counts: counts.sparse(),
        phase: outcome.phase,
        scale: outcome.scale,
        damping: outcome.damping,
        danger: outcome.danger,
        knowledge: outcome.knowledge,
    }
}

/// Evaluates without caches, so that the trace receives every term.
fn watch<T: Trace>(position: &Position, weights: &Weights, trace: &mut T) -> classical::Evaluation {
    let mut pawns = Pawns::new(position.board(), weights, trace);
    for us in Color::ALL {
        pawns.shelter(position, us, weights, trace);
    }
    classical::evaluate(position, weights, &pawns, trace)
}
