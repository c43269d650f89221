//! Estimates and their errors: shares, means, regression lines and match results.
//!
//! All functions here are pure functions of counts or samples.

mod distributions;
mod outcomes;
mod ratings;
mod regression;
mod sprt;
mod tests_of_means;

pub use distributions::{logistic, normal_cdf, student_two_sided};
pub use outcomes::{Estimate, Outcomes, Pentanomial, Trinomial, elo_of_score, score_of_elo};
pub use ratings::{Pairing, ratings};
pub use regression::{RegressionLine, best_positive};
pub use sprt::{EloModel, Sprt, SprtVerdict};
pub use tests_of_means::{PairedT, Sample, paired_t};

/// Half width of a two-sided 95 % interval in standard errors.
pub const Z_TWO_SIDED_95: f64 = 1.959_963_984_540_054;

/// Distance of a one-sided 95 % bound in standard errors.
const Z_ONE_SIDED_95: f64 = 1.644_853_626_951_472_7;

/// The standard error of a share: `sqrt(p (1 - p) / n)`; 0 without trials.
///
/// ```
/// use espalier::statistics::standard_error_of_share;
/// assert_eq!(standard_error_of_share(0.5, 100), 0.05);
/// ```
pub fn standard_error_of_share(share: f64, trials: u64) -> f64 {
    if trials == 0 {
        return 0.0;
    }
    (share * (1.0 - share)).max(0.0).sqrt() / (trials as f64).sqrt()
}

/// The standard error of a number of successes, `n sqrt(p (1 - p) / n)`, as the papers give it for solved positions.
pub fn standard_error_of_count(successes: u64, trials: u64) -> f64 {
    let share = successes as f64 / trials.max(1) as f64;
    trials as f64 * standard_error_of_share(share, trials)
}

/// The test of Lim & Lee (RankCut, 2006) for the share of points `score` in `games` games: a 95 % lower bound on the
/// winner's share minus the loser's. The winner is better if it is above 0. `None` if one side has all the points or
/// there are no games, because the error by the paper's formula is then 0.
///
/// ```
/// use espalier::statistics::l_95;
/// // The paper's match: +40 -10 =74.
/// assert!((l_95((40.0 + 37.0) / 124.0, 124).unwrap() - 0.099).abs() < 0.0005);
/// assert_eq!(l_95(1.0, 1), None);
/// ```
pub fn l_95(score: f64, games: u64) -> Option<f64> {
    let (more, less) = (score.max(1.0 - score), score.min(1.0 - score));
    let error = |share: f64| Z_ONE_SIDED_95 * standard_error_of_share(share, games);
    (games > 0 && less > 0.0).then(|| (more - error(more)) - (less + error(less)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_error_of_solved_positions_is_the_binomial_one() {
        // 289 of 300: 300 sqrt(0.96333 × 0.03667 / 300).
        assert!((standard_error_of_count(289, 300) - 3.2553).abs() < 1e-4);
        assert_eq!(standard_error_of_count(300, 300), 0.0);
        assert_eq!(standard_error_of_count(0, 0), 0.0);
    }

    #[test]
    fn the_papers_test_does_not_care_who_won() {
        assert_eq!(l_95(0.62, 124), l_95(0.38, 124));
        assert!(l_95(0.51, 100).is_some_and(|bound| bound < 0.0));
    }
}
