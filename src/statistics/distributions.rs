//! The normal, Student's and the logistic distribution.

use std::f64::consts::SQRT_2;

use libm::erfc;
use statrs::function::beta::checked_beta_reg;

/// The standard normal distribution function: the probability of a value of at most `x`.
///
/// ```
/// use espalier::statistics::normal_cdf;
/// assert!((normal_cdf(1.959_963_984_540_054) - 0.975).abs() < 1e-12);
/// ```
pub fn normal_cdf(x: f64) -> f64 {
    erfc(-x / SQRT_2) / 2.0
}

/// The two-sided p-value of `t` under Student's distribution with these degrees of freedom.
pub fn student_two_sided(t: f64, degrees: f64) -> f64 {
    checked_beta_reg(degrees / 2.0, 0.5, degrees / (degrees + t * t)).unwrap_or(f64::NAN)
}

/// The logistic function: turns log-odds into a probability.
///
/// ```
/// use espalier::statistics::logistic;
/// assert_eq!(logistic(0.0), 0.5);
/// assert!((logistic(9.0_f64.ln()) - 0.9).abs() < 1e-12);
/// ```
pub fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn the_normal_distribution_has_its_known_values() {
        for (x, p) in
            [(0.0, 0.5), (1.0, 0.841_344_746_068_543), (-2.5, 0.006_209_665_325_776_132), (12.0, 1.0)]
        {
            assert!((normal_cdf(x) - p).abs() < 1e-13, "{x}: {}", normal_cdf(x));
        }
    }

    #[test]
    fn the_table_of_students_t_is_reproduced() {
        // From the usual table.
        for (degrees, t_95, t_99) in [
            (1.0, 12.706, 63.657),
            (2.0, 4.303, 9.925),
            (5.0, 2.571, 4.032),
            (10.0, 2.228, 3.169),
            (30.0, 2.042, 2.750),
            (1e6, 1.960, 2.576),
        ] {
            assert!((student_two_sided(t_95, degrees) - 0.05).abs() < 1e-4, "{degrees}");
            assert!((student_two_sided(t_99, degrees) - 0.01).abs() < 1e-4, "{degrees}");
        }
    }

    #[test]
    fn one_degree_of_freedom_is_cauchys_distribution() {
        for t in [0.1_f64, 1.0, 7.0, -7.0] {
            assert!((student_two_sided(t, 1.0) - (1.0 - 2.0 * t.abs().atan() / PI)).abs() < 1e-12);
        }
        assert_eq!(student_two_sided(0.0, 4.0), 1.0);
        assert_eq!(student_two_sided(f64::INFINITY, 4.0), 0.0);
        assert!(student_two_sided(f64::NAN, 4.0).is_nan() && normal_cdf(f64::NAN).is_nan());
    }
}
