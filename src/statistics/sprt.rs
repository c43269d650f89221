//! The sequential probability ratio test of match results (Wald 1945), generalised to results of unknown variance: each
//! hypothesis is represented by the most likely distribution that it allows.

/// The meaning of the hypotheses' Elo.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum EloModel {
    /// The advantage in standard deviations of a game.
    #[default]
    Normalised,
    /// Elo as the logistic function of the expected score.
    Logistic,
}

/// A test of H0, "Elo is `elo0`", against H1, "Elo is `elo1`".
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Sprt {
    /// Elo difference of H0.
    pub elo0: f64,
    /// Elo difference of H1.
    pub elo1: f64,
    /// The probability of accepting H1 if H0 is true.
    pub alpha: f64,
    /// The probability of accepting H0 if H1 is true.
    pub beta: f64,
    /// The meaning of the Elo.
    pub model: EloModel,
}

/// The state of a test.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SprtVerdict {
    /// H0 is accepted.
    H0,
    /// H1 is accepted.
    H1,
    /// More results are needed.
    Open,
}

impl std::fmt::Display for Sprt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { elo0, elo1, alpha, beta, model } = self;
        write!(
            f,
            "{elo0} against {elo1} {} Elo, errors {alpha} and {beta}",
            format!("{model:?}").to_lowercase()
        )
    }
}

impl Sprt {
    /// Hypotheses may not be farther from 0. This is nearly all the points, and beyond it precision is lost.
    pub const FARTHEST: f64 = 2_000.0;

    /// A test with error rates of 5 %. Hypotheses too far from 0 are clamped.
    pub fn new(elo0: f64, elo1: f64, model: EloModel) -> Self {
        let [elo0, elo1] = [elo0, elo1].map(|elo| elo.clamp(-Self::FARTHEST, Self::FARTHEST));
        Self { elo0, elo1, alpha: 0.05, beta: 0.05, model }
    }

    /// The log-likelihood ratios at which the test ends.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The verdict for a log-likelihood ratio.
    pub fn verdict(&self, ratio: f64) -> SprtVerdict {
        let (low, high) = self.bounds();
        if ratio >= high {
            SprtVerdict::H1
        } else if ratio <= low {
            SprtVerdict::H0
        } else {
            SprtVerdict::Open
        }
    }
}

/// Pairs of points and probability.
type Shares = [(f64, f64)];

/// Expected log-likelihood ratio of one result, mean `score1` against mean `score0`.
pub(super) fn gain_logistic(shares: &Shares, score0: f64, score1: f64) -> f64 {
    let fit =
        |score: f64| constrained(shares, |points| points - score).unwrap_or_else(|| probabilities(shares));
    gain(shares, &fit(score0), &fit(score1))
}

/// Expected log-likelihood ratio of one result, with means in standard deviations above ½.
pub(super) fn gain_normalised(shares: &Shares, t0: f64, t1: f64) -> f64 {
    gain(shares, &at_normalised(shares, t0), &at_normalised(shares, t1))
}

fn gain(shares: &Shares, first: &[f64], second: &[f64]) -> f64 {
    shares.iter().zip(first.iter().zip(second)).map(|((_, p), (p0, p1))| p * (p1 / p0).ln()).sum()
}

fn probabilities(shares: &Shares) -> Vec<f64> {
    shares.iter().map(|(_, p)| *p).collect()
}

/// The most likely probabilities among those whose mean is `t` standard deviations above ½.
///
/// There may be several local maxima, so the search starts once from each result on the right side of ½.
fn at_normalised(shares: &Shares, t: f64) -> Vec<f64> {
    let usual = (0..shares.len()).filter(|&index| (shares[index].0 - 0.5) * t.signum() > 0.0);
    let likelihood = |fit: &[f64]| -> f64 { shares.iter().zip(fit).map(|((_, p), q)| p * q.ln()).sum() };
    usual
        .map(|index| improved(shares, t, beyond(shares, t, index)))
        .max_by(|one, other| likelihood(one).total_cmp(&likelihood(other)))
        .unwrap_or_else(|| probabilities(shares))
}

/// Mean and standard deviation under these probabilities.
fn moments(shares: &Shares, fit: &[f64]) -> (f64, f64) {
    let mean: f64 = shares.iter().zip(fit).map(|((points, _), p)| points * p).sum();
    let variance: f64 = shares.iter().zip(fit).map(|((points, _), p)| p * (points - mean).powi(2)).sum();
    (mean, variance.sqrt())
}

/// Mixes in so much of one result that the mean is at least `t` deviations away from ½.
fn beyond(shares: &Shares, t: f64, usual: usize) -> Vec<f64> {
    let mixed = |rest: f64| -> Vec<f64> {
        let share =
            |(index, (_, p)): (usize, &(f64, f64))| rest * p + if index == usual { 1.0 - rest } else { 0.0 };
        shares.iter().enumerate().map(share).collect()
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        let (mean, deviation) = moments(shares, &mixed(middle));
        if (mean - 0.5) * t.signum() >= t.abs() * deviation { low = middle } else { high = middle }
    }
    mixed(low)
}

/// Climbs from probabilities at least `t` deviations away from ½ to the nearest local maximum.
///
/// The deviation is replaced by its linear approximation, which is never below it. So every step keeps the distance,
/// and the next step has a solution again.
fn improved(shares: &Shares, t: f64, mut fit: Vec<f64>) -> Vec<f64> {
    for _ in 0..200 {
        let (mean, deviation) = moments(shares, &fit);
        let next = constrained(shares, |points| {
            points - 0.5 - t * deviation * (1.0 + ((points - mean) / deviation).powi(2)) / 2.0
        });
        let Some(next) = next else { break };
        let change = fit.iter().zip(&next).map(|(old, new)| (old - new).abs()).fold(0.0, f64::max);
        fit = next;
        if change < 1e-12 {
            break;
        }
    }
    fit
}

/// The probabilities `q` that make `shares` most likely subject to `Σ q moment(points) = 0`, if there are any.
///
/// By Lagrange's method `q = p / (1 + x moment)`, where `x` solves `Σ p moment / (1 + x moment) = 0`. That sum decreases
/// in `x` and changes sign between the two poles next to 0.
fn constrained(shares: &Shares, moment: impl Fn(f64) -> f64) -> Option<Vec<f64>> {
    let moments: Vec<(f64, f64)> = shares.iter().map(|&(points, p)| (moment(points), p)).collect();
    let (least, most) = moments.iter().fold((0.0_f64, 0.0_f64), |(l, m), (v, _)| (l.min(*v), m.max(*v)));
    if least >= 0.0 || most <= 0.0 {
        return None;
    }
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    for _ in 0..100 {
        let x = (low + high) / 2.0;
        let slope: f64 = moments.iter().map(|(value, p)| p * value / (1.0 + x * value)).sum();
        if slope > 0.0 { low = x } else { high = x }
    }
    let x = (low + high) / 2.0;
    Some(moments.iter().map(|(value, p)| p / (1.0 + x * value)).collect())
}

#[cfg(test)]
mod tests {
    use super::super::outcomes::Outcomes;
    use super::*;

    fn ratio<const N: usize>(counts: [u64; N], elo0: f64, elo1: f64, model: EloModel) -> f64 {
        Outcomes(counts).log_likelihood_ratio(&Sprt::new(elo0, elo1, model))
    }

    // Values that fastchess gives for the same counts, to its two decimals.
    #[test]
    fn ratios_are_those_of_the_field() {
        for (found, known) in [
            (ratio([36_027, 68_692, 36_433], 0.0, 2.0, EloModel::Normalised), 0.92),
            (ratio([10_650, 20_431, 10_871], -1.75, 0.25, EloModel::Normalised), 2.30),
            (ratio([21_184, 40_708, 21_404], 0.5, 2.5, EloModel::Logistic), -1.57),
            (ratio([57_030, 106_593, 57_433], 0.0, 2.0, EloModel::Logistic), -2.59),
            (ratio([365, 16_618, 36_229, 16_974, 390], 0.0, 2.0, EloModel::Normalised), 2.25),
            (ratio([127, 4_883, 10_712, 5_150, 104], -1.75, 0.25, EloModel::Normalised), 3.01),
            (ratio([223, 9_863, 21_279, 10_037, 246], 0.5, 2.5, EloModel::Logistic), -3.07),
            (ratio([871, 26_175, 55_983, 26_678, 821], 0.0, 2.0, EloModel::Logistic), -4.98),
            (ratio([0, 1, 29, 0, 0], -10.0, 30.0, EloModel::Logistic), -2.91),
            (ratio([1, 0, 6, 1, 2], 0.0, 200.0, EloModel::Normalised), -0.98),
            (ratio([2, 0, 8, 1, 2], 0.0, 200.0, EloModel::Normalised), -3.30),
        ] {
            assert!((found - known).abs() < 0.006, "{found} is not {known}");
        }
    }

    #[test]
    fn a_one_sided_result_has_a_finite_ratio() {
        let games = ratio([0, 0, 4_250], 0.0, 10.0, EloModel::Normalised);
        let pairs = ratio([0, 0, 0, 0, 5_550], 0.0, 5.0, EloModel::Normalised);
        assert!((games - 120.56).abs() < 0.1 && (pairs - 111.82).abs() < 0.1, "{games} {pairs}");
    }

    #[test]
    fn a_hypothesis_far_away_does_not_win_by_losing() {
        // Nothing but lost pairs: ten times the logarithm of how likely that is, for 300 Elo and for 0. The
        // likeliest distribution t deviations above ½ loses ½ - t / 2 sqrt(1 + t²) of the pairs and wins the rest.
        let t: f64 = 300.0 * std::f64::consts::LN_10 * 2_f64.sqrt() / 800.0;
        let lost = 10.0 * (1.0 - t / (1.0 + t * t).sqrt()).ln();
        for (counts, elo0, elo1, known) in [
            ([10, 0, 0, 0, 0], 0.0, 300.0, lost),
            ([0, 0, 0, 0, 10], -300.0, 0.0, -lost),
            ([0, 0, 0, 0, 10], 0.0, -300.0, lost),
        ] {
            let found = ratio(counts, elo0, elo1, EloModel::Normalised);
            assert!((found - known).abs() < 0.05, "{found} is not {known}");
        }
        for elo in [100.0, 231.0, 233.0, 300.0, 1_000.0, 1e9] {
            for model in [EloModel::Normalised, EloModel::Logistic] {
                let (loser, winner) =
                    (ratio([10, 0, 0, 0, 0], 0.0, elo, model), ratio([0, 0, 0, 0, 10], 0.0, elo, model));
                assert!(
                    loser < -1.0 && winner > 1.0 && loser.is_finite(),
                    "{elo} {model:?}: {loser} {winner}"
                );
            }
        }
    }

    #[test]
    fn nothing_played_decides_nothing_and_a_clear_result_decides() {
        let test = Sprt::new(0.0, 5.0, EloModel::Normalised);
        let judge = |counts: [u64; 5]| test.verdict(Outcomes(counts).log_likelihood_ratio(&test));
        assert_eq!(judge([0; 5]), SprtVerdict::Open);
        assert_eq!(judge([0, 50, 500, 150, 10]), SprtVerdict::H1);
        assert_eq!(judge([10, 150, 500, 50, 0]), SprtVerdict::H0);
        let (low, high) = test.bounds();
        assert!((high - 19_f64.ln()).abs() < 1e-12 && (low + high).abs() < 1e-12);
    }

    #[test]
    fn the_fit_obeys_its_hypothesis() {
        let shares = [(0.0, 0.1), (0.25, 0.2), (0.5, 0.4), (0.75, 0.2), (1.0, 0.1)];
        for t in [-8.0, -1.0, -0.01, 0.3, 0.95, 1.2, 4.0] {
            let fit = at_normalised(&shares, t);
            let (mean, deviation) = moments(&shares, &fit);
            assert!((fit.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(((mean - 0.5) / deviation - t).abs() < 1e-8, "{t}: {fit:?}");
        }
    }

    #[test]
    fn the_fit_is_the_best_of_several() {
        // A search over means and variances gives -3.0466; a start from draws ends at -3.9.
        let shares = [(0.0, 1e-6), (0.25, 0.338), (0.5, 0.341), (0.75, 1e-6), (1.0, 0.321)];
        let fit = at_normalised(&shares, -4.0);
        let found: f64 = shares.iter().zip(&fit).map(|((_, p), q)| p * q.ln()).sum();
        assert!((found + 3.0466).abs() < 2e-3, "{found}");
    }
}
