//! Results of matches: points and Elo with their errors.
//!
//! Games played in pairs (one opening, both colours) are not independent, so errors are computed from the five
//! possible results of a pair; see M. Van den Bergh's notes for the Stockfish testing framework.

use std::f64::consts::LN_10;

use super::Z_TWO_SIDED_95;
use super::distributions::normal_cdf;
use super::sprt::{self, EloModel, Sprt};

/// How often each of `N` equally spaced results occurred, the worst first.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Outcomes<const N: usize>(pub [u64; N]);

/// Losses, draws and wins of single games.
pub type Trinomial = Outcomes<3>;

/// Pairs of games with 0, ½, 1, 1½ and 2 points.
pub type Pentanomial = Outcomes<5>;

/// If all results are the same, this much is added to each count (H. Jeffreys, An invariant form for the prior
/// probability, 1946). Otherwise a single pair would seem certain.
const UNSEEN: f64 = 0.5;

/// A value with its 95 % interval.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate, in the middle of its interval.
    pub value: f64,
    /// Half the width of its 95 % interval.
    pub error: f64,
}

impl<const N: usize> Default for Outcomes<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> From<[u64; N]> for Outcomes<N> {
    fn from(counts: [u64; N]) -> Self {
        Self(counts)
    }
}

/// The logistic Elo difference that explains a share of the points.
pub fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        return f64::NEG_INFINITY;
    }
    400.0 * (score / (1.0 - score)).log10()
}

/// The expected share of the points for a logistic Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

impl<const N: usize> Outcomes<N> {
    /// Number of results of all kinds together.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Whether all results are the same or there are none, so that their variance is unknown.
    pub(super) fn is_uniform(&self) -> bool {
        self.0.iter().filter(|count| **count > 0).count() < 2
    }

    /// Games per result: 1, or 2 for pairs.
    fn games_each() -> f64 {
        (N - 1) as f64 / 2.0
    }

    /// The share of the points of each result, and its count.
    fn weighted(&self) -> impl Iterator<Item = (f64, f64)> {
        self.0.iter().enumerate().map(|(index, &count)| (index as f64 / (N - 1) as f64, count as f64))
    }

    /// The share of the points; one half without games.
    pub fn score(&self) -> f64 {
        if self.total() == 0 {
            return 0.5;
        }
        self.weighted().map(|(points, count)| points * count).sum::<f64>() / self.total() as f64
    }

    /// The variance of a single result.
    fn variance(&self) -> f64 {
        let score = self.score();
        let squares: f64 = self.weighted().map(|(points, count)| count * (points - score).powi(2)).sum();
        squares / self.total().max(1) as f64
    }

    /// The standard error of the share of the points.
    pub fn standard_error(&self) -> f64 {
        (self.variance() / self.total().max(1) as f64).sqrt()
    }

    /// The logistic Elo difference; its error is infinite where it is unknown.
    pub fn elo(&self) -> Estimate {
        let (score, width) = (self.score(), Z_TWO_SIDED_95 * self.standard_error());
        let (low, high) = (elo_of_score(score - width), elo_of_score((score + width).min(1.0)));
        let error = if self.is_uniform() || low.is_infinite() || high.is_infinite() {
            f64::INFINITY
        } else {
            (high - low) / 2.0
        };
        Estimate { value: elo_of_score(score), error }
    }

    /// The normalised Elo difference: the advantage in standard deviations of a game. It depends less on the draw rate.
    pub fn normalised_elo(&self) -> Estimate {
        let scale = Self::normalised_scale();
        let deviation = self.variance().sqrt();
        let value = match self.score() - 0.5 {
            0.0 => 0.0,
            advantage => scale * advantage / deviation,
        };
        let error = if self.is_uniform() {
            f64::INFINITY
        } else {
            scale * Z_TWO_SIDED_95 / (self.total() as f64).sqrt()
        };
        Estimate { value, error }
    }

    /// Normalised Elo in one standard deviation of a result.
    fn normalised_scale() -> f64 {
        800.0 / LN_10 / Self::games_each().sqrt()
    }

    /// The probability that the first player is the stronger one.
    pub fn likelihood_of_superiority(&self) -> f64 {
        let unseen = if self.is_uniform() { UNSEEN } else { 0.0 };
        let counted: Vec<(f64, f64)> =
            self.weighted().map(|(points, count)| (points, count + unseen)).collect();
        let total: f64 = counted.iter().map(|(_, count)| count).sum();
        let mean = |of: &dyn Fn(f64) -> f64| {
            counted.iter().map(|(points, count)| of(*points) * count).sum::<f64>() / total
        };
        let advantage = mean(&|points| points) - 0.5;
        let variance = mean(&|points| (points - 0.5).powi(2)) - advantage.powi(2);
        normal_cdf(advantage / (variance / total).sqrt())
    }

    /// The log-likelihood ratio of H1 to H0.
    pub fn log_likelihood_ratio(&self, test: &Sprt) -> f64 {
        if self.total() == 0 {
            return 0.0;
        }
        // A result that has not occurred could still occur, so it counts a thousandth.
        let counted: Vec<(f64, f64)> =
            self.weighted().map(|(points, count)| (points, count.max(1e-3))).collect();
        let sum: f64 = counted.iter().map(|(_, count)| count).sum();
        let shares: Vec<(f64, f64)> = counted.iter().map(|(points, count)| (*points, count / sum)).collect();
        match test.model {
            EloModel::Logistic => {
                sum * sprt::gain_logistic(&shares, score_of_elo(test.elo0), score_of_elo(test.elo1))
            }
            EloModel::Normalised => {
                let scale = Self::normalised_scale();
                sum * sprt::gain_normalised(&shares, test.elo0 / scale, test.elo1 / scale)
            }
        }
    }
}

impl Trinomial {
    /// The share of draws.
    pub fn draw_ratio(&self) -> f64 {
        self.0[1] as f64 / self.total().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() <= within, "{a} is not {b}");
    }

    #[test]
    fn elo_and_score_are_inverse() {
        close(score_of_elo(400.0), 10.0 / 11.0, 1e-15);
        for elo in [-700.0, -3.0, 0.0, 120.0] {
            close(elo_of_score(score_of_elo(elo)), elo, 1e-9);
        }
        assert_eq!(elo_of_score(0.0), f64::NEG_INFINITY);
        assert_eq!(elo_of_score(1.0), f64::INFINITY);
    }

    // Values that fastchess gives for the same counts.
    #[test]
    fn single_games_have_the_known_elo() {
        let games = Outcomes([96, 111, 136]);
        close(games.elo().value, 40.70, 0.005);
        close(games.elo().error, 30.43, 0.005);
        close(games.normalised_elo().value, 49.77, 0.005);
        close(games.normalised_elo().error, 36.77, 0.005);
        close(games.likelihood_of_superiority(), 0.9960, 5e-5);
        close(games.draw_ratio(), 111.0 / 343.0, 1e-15);
    }

    #[test]
    fn pairs_have_the_known_elo() {
        let pairs = Outcomes([34, 54, 63, 64, 75]);
        close(pairs.elo().value, 55.58, 0.005);
        close(pairs.elo().error, 27.65, 0.005);
        close(pairs.normalised_elo().value, 57.94, 0.005);
        close(pairs.normalised_elo().error, 28.28, 0.005);
        let few = Outcomes([2, 0, 8, 1, 2]);
        close(few.elo().value, 13.37, 0.005);
        close(few.elo().error, 111.61, 0.005);
        close(few.normalised_elo().value, 16.56, 0.005);
        close(few.normalised_elo().error, 133.55, 0.005);
        close(few.likelihood_of_superiority(), 0.5960, 5e-5);
        let many = Outcomes([332, 433, 498, 333, 334]);
        close(many.elo().value, -8.64, 0.005);
        close(many.elo().error, 10.33, 0.005);
        close(many.likelihood_of_superiority(), 0.0505, 5e-5);
    }

    #[test]
    fn a_result_that_shows_nothing_has_an_infinite_error() {
        let nothing = Pentanomial::default();
        assert_eq!((nothing.elo().value, nothing.elo().error), (0.0, f64::INFINITY));
        assert_eq!(nothing.likelihood_of_superiority(), 0.5);
        assert_eq!(nothing.normalised_elo().value, 0.0);
        let sweep = Outcomes([0, 0, 0, 0, 3]);
        assert_eq!((sweep.elo().value, sweep.elo().error), (f64::INFINITY, f64::INFINITY));
    }

    #[test]
    fn equal_results_are_not_sure() {
        let los = |counts: [u64; 5]| Outcomes(counts).likelihood_of_superiority();
        assert!((0.7..0.9).contains(&los([0, 0, 0, 0, 1])), "{}", los([0, 0, 0, 0, 1]));
        assert!((0.99..0.9999).contains(&los([0, 0, 0, 0, 5])), "{}", los([0, 0, 0, 0, 5]));
        assert!(los([0, 0, 0, 0, 500]) > 0.999_999);
        close(los([3, 0, 0, 0, 0]), 1.0 - los([0, 0, 0, 0, 3]), 1e-12);
        close(los([0, 0, 9, 0, 0]), 0.5, 1e-12);
        for counts in [[0, 0, 9, 0, 0], [0, 0, 0, 4, 0], [7, 0, 0, 0, 0]] {
            assert_eq!(Outcomes(counts).elo().error, f64::INFINITY);
            assert_eq!(Outcomes(counts).normalised_elo().error, f64::INFINITY);
        }
    }

    #[test]
    fn an_even_score_has_no_sign() {
        assert!(elo_of_score(0.5).is_sign_positive());
    }

    #[test]
    fn swapping_the_players_swaps_the_signs() {
        let (one, other) = (Outcomes([1, 5, 20, 9, 4]), Outcomes([4, 9, 20, 5, 1]));
        close(one.elo().value, -other.elo().value, 1e-9);
        close(one.likelihood_of_superiority(), 1.0 - other.likelihood_of_superiority(), 1e-12);
    }
}
