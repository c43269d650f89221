//! The normal and Student's distribution.

use std::f64::consts::PI;

/// How likely a standard normal number is at most `x`.
///
/// ```
/// use espalier::statistics::normal_cdf;
/// assert!((normal_cdf(1.959_963_984_540_054) - 0.975).abs() < 1e-12);
/// ```
pub fn normal_cdf(x: f64) -> f64 {
    if x.is_nan() {
        return f64::NAN;
    }
    if x.abs() > 9.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    // φ(x) (x + x³/3 + x⁵/(3·5) + …) is what lies between 0 and x.
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    let density = (-x * x / 2.0).exp() / (2.0 * PI).sqrt();
    (0.5 + density * sum).clamp(0.0, 1.0)
}

/// How likely a Student-t number of so many degrees of freedom is at least as far from 0 as `t`.
pub fn student_two_sided(t: f64, degrees: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    incomplete_beta(degrees / (degrees + t * t), degrees / 2.0, 0.5)
}

/// The `t` beyond which, to both sides together, lies the share `p` of Student's distribution.
pub fn student_critical(p: f64, degrees: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while student_two_sided(high, degrees) > p && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if student_two_sided(middle, degrees) > p { low = middle } else { high = middle }
    }
    high
}

/// The logarithm of the gamma function of a positive number.
fn ln_gamma(x: f64) -> f64 {
    // Γ(x) = Γ(x + 1) / x, until Stirling's series is exact enough.
    let (mut x, mut shift) = (x, 0.0);
    while x < 15.0 {
        shift += x.ln();
        x += 1.0;
    }
    let square = x * x;
    let series = 1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square;
    (x - 0.5) * x.ln() - x + (2.0 * PI).ln() / 2.0 + series / x - shift
}

/// The regularised incomplete beta function.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The fraction converges quickly only on this side of the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let ln_front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln();
    ln_front.exp() / (a * beta_fraction(x, a, b))
}

/// `1 + d₁/(1 + d₂/(1 + …))`, the continued fraction of the incomplete beta function, from the far end.
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TERMS: u32 = 2_000;
    (1..=TERMS).rev().fold(1.0, |rest, n| {
        let m = f64::from(n / 2);
        let numerator = if n % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        1.0 + numerator / rest
    })
}

#[cfg(test)]
mod tests {
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
    fn gamma_has_its_known_values() {
        for (x, value) in
            [(0.5, PI.sqrt().ln()), (1.0, 0.0), (5.0, 24_f64.ln()), (20.0, 39.339_884_187_199_495)]
        {
            assert!((ln_gamma(x) - value).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn the_table_of_students_t_is_reproduced() {
        // The rows of every textbook.
        for (degrees, t_95, t_99) in [
            (1.0, 12.706, 63.657),
            (2.0, 4.303, 9.925),
            (5.0, 2.571, 4.032),
            (10.0, 2.228, 3.169),
            (30.0, 2.042, 2.750),
            (1e6, 1.960, 2.576),
        ] {
            assert!((student_critical(0.05, degrees) - t_95).abs() < 6e-4, "{degrees}");
            assert!((student_critical(0.01, degrees) - t_99).abs() < 6e-4, "{degrees}");
        }
    }

    #[test]
    fn one_degree_of_freedom_is_cauchys_distribution() {
        for t in [0.1_f64, 1.0, 7.0, -7.0] {
            assert!((student_two_sided(t, 1.0) - (1.0 - 2.0 * t.abs().atan() / PI)).abs() < 1e-12);
        }
        assert_eq!(student_two_sided(0.0, 4.0), 1.0);
        assert_eq!(student_two_sided(f64::INFINITY, 4.0), 0.0);
    }
}
