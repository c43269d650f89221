//! Discriminating won from lost positions by their features: a quadratic discriminant, and a linear one to compare.
//!
//! K.-F. Lee and S. Mahajan, 1988; X. Liang, 2003, equations 9 to 13 (see [`combination`](crate::eval::combination)).
//! Won and lost positions are modelled as two normal distributions with different means and covariances, so the log-odds
//! of a win are quadratic in the features. The linear discriminant is a logistic regression.

use crate::eval::combination::{Features, N, Quadratic};
use crate::statistics::logistic;

type FeatureMatrix = [Features; N];

/// Added to the diagonal of covariance matrices, in squared pawns, because features may be correlated.
const RIDGE: f64 = 1e-6;

/// The discriminant of the normal distributions of won and lost positions, or `None` if there are too few.
pub(super) fn quadratic(won: &[Features], lost: &[Features]) -> Option<Quadratic> {
    let [won, lost] = [Normal::of(won)?, Normal::of(lost)?];
    let mut found = Quadratic { constant: won.constant() - lost.constant(), ..Quadratic::default() };
    for i in 0..N {
        found.linear[i] = dot(&won.inverse[i], &won.mean) - dot(&lost.inverse[i], &lost.mean);
        for j in 0..N {
            found.square[i][j] = 0.5 * (lost.inverse[i][j] - won.inverse[i][j]);
        }
    }
    Some(found)
}

/// A normal distribution of the features.
struct Normal {
    mean: Features,
    /// The inverse of the covariance matrix.
    inverse: FeatureMatrix,
    log_determinant: f64,
}

impl Normal {
    fn of(samples: &[Features]) -> Option<Self> {
        if samples.len() <= 2 * N {
            return None;
        }
        let count = samples.len() as f64;
        let mut mean = [0.0; N];
        for sample in samples {
            (0..N).for_each(|i| mean[i] += sample[i] / count);
        }
        let mut covariance = [[0.0; N]; N];
        for sample in samples {
            for i in 0..N {
                for j in 0..N {
                    covariance[i][j] += (sample[i] - mean[i]) * (sample[j] - mean[j]) / (count - 1.0);
                }
            }
        }
        (0..N).for_each(|i| covariance[i][i] += RIDGE);
        let (inverse, log_determinant) = invert(covariance)?;
        Some(Self { mean, inverse, log_determinant })
    }

    /// The part of the log-density that does not depend on the position.
    fn constant(&self) -> f64 {
        let squared: f64 = (0..N).map(|i| self.mean[i] * dot(&self.inverse[i], &self.mean)).sum();
        -0.5 * (squared + self.log_determinant)
    }
}

/// Logistic regression of wins on the features, by Newton's method, with a small ridge penalty so that features that
/// separate perfectly have finite weights.
pub(super) fn linear(won: &[Features], lost: &[Features]) -> Option<Quadratic> {
    if won.len() <= 2 * N || lost.len() <= 2 * N {
        return None;
    }
    let mut found = Quadratic::default();
    for _ in 0..25 {
        let mut slope = found.linear.map(|weight| -1e-3 * weight);
        let mut curvature = [[0.0; N]; N];
        (0..N).for_each(|i| curvature[i][i] = 1e-3);
        for (samples, target) in [(won, 1.0), (lost, 0.0)] {
            for x in samples {
                let p = logistic(found.log_odds(x));
                for i in 0..N {
                    slope[i] += (target - p) * x[i];
                    for j in 0..N {
                        curvature[i][j] += p * (1.0 - p) * x[i] * x[j];
                    }
                }
            }
        }
        let (inverse, _) = invert(curvature)?;
        let step: Features = std::array::from_fn(|i| dot(&inverse[i], &slope));
        (0..N).for_each(|i| found.linear[i] += step[i]);
        if step.iter().all(|step| step.abs() < 1e-9) {
            break;
        }
    }
    Some(found)
}

fn dot(a: &Features, b: &Features) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The inverse of a positive definite matrix and the logarithm of its determinant, by elimination.
fn invert(mut matrix: FeatureMatrix) -> Option<(FeatureMatrix, f64)> {
    let mut inverse = [[0.0; N]; N];
    (0..N).for_each(|i| inverse[i][i] = 1.0);
    let mut log_determinant = 0.0;
    for column in 0..N {
        let pivot = matrix[column][column];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return None;
        }
        log_determinant += pivot.ln();
        for j in 0..N {
            matrix[column][j] /= pivot;
            inverse[column][j] /= pivot;
        }
        for row in (0..N).filter(|row| *row != column) {
            let factor = matrix[row][column];
            for j in 0..N {
                matrix[row][j] -= factor * matrix[column][j];
                inverse[row][j] -= factor * inverse[column][j];
            }
        }
    }
    Some((inverse, log_determinant))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Normally distributed samples; each number is the sum of twelve uniform ones.
    fn cloud(seed: u64, count: usize, mean: f64, width: f64) -> Vec<Features> {
        let mut random = Random::new(seed);
        let mut normal = || (0..12).map(|_| random.below(1_000_000) as f64 / 1e6).sum::<f64>() - 6.0;
        (0..count)
            .map(|_| std::array::from_fn(|i| width * normal() + if i == 0 { mean } else { 0.0 }))
            .collect()
    }

    #[test]
    fn an_inverse_times_its_matrix_is_one() {
        let mut matrix = [[0.1; N]; N];
        (0..N).for_each(|i| matrix[i][i] = 1.0 + i as f64);
        let (inverse, log_determinant) = invert(matrix).unwrap();
        // Both are symmetric, so rows are columns.
        for (i, row) in matrix.iter().enumerate() {
            for (j, column) in inverse.iter().enumerate() {
                assert!((dot(row, column) - f64::from(i == j)).abs() < 1e-12);
            }
        }
        assert!(log_determinant > 0.0);
        assert!(invert([[0.0; N]; N]).is_none());
    }

    #[test]
    fn distributions_of_equal_width_give_the_line_between_them() {
        let found = quadratic(&cloud(1, 20_000, 1.0, 1.0), &cloud(2, 20_000, -1.0, 1.0)).unwrap();
        assert!((found.linear[0] - 2.0).abs() < 0.1 && found.linear[1].abs() < 0.1, "{found:?}");
        assert!(found.square.iter().flatten().all(|curve| curve.abs() < 0.05), "{found:?}");
        let line = linear(&cloud(1, 20_000, 1.0, 1.0), &cloud(2, 20_000, -1.0, 1.0)).unwrap();
        assert!((line.linear[0] - 2.0).abs() < 0.1, "{line:?}");
    }

    #[test]
    fn a_wider_distribution_owns_what_lies_far_out() {
        let found = quadratic(&cloud(3, 20_000, 0.0, 2.0), &cloud(4, 20_000, 0.0, 1.0)).unwrap();
        let at = |x: f64| found.log_odds(&[x, 0.0, 0.0, 0.0, 0.0]);
        assert!(at(0.0) < 0.0 && at(5.0) > 2.0 && (at(5.0) - at(-5.0)).abs() < 1.0, "{found:?}");
        // Equation 12 with variances 4 and 1: log-odds 3/8 x² − (N / 2) ln 4.
        assert!(
            (found.square[0][0] - 0.375).abs() < 0.02 && (found.constant + 2.5 * 4.0_f64.ln()).abs() < 0.1
        );
    }

    #[test]
    fn too_few_positions_give_nothing() {
        let few = cloud(5, N, 0.0, 1.0);
        assert!(quadratic(&few, &few).is_none() && linear(&few, &few).is_none());
    }
}
