//! Linear regression, and minimising over a positive number.

/// The least-squares line `y = a x + b`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct RegressionLine {
    /// By how much y grows with x.
    pub a: f64,
    /// The value of y where x is 0.
    pub b: f64,
    /// The standard deviation of the points from the line (with `n - 2`).
    pub sigma: f64,
    /// The share of the variance that the line explains.
    pub r_squared: f64,
    /// Number of points that the line was fitted to.
    pub count: usize,
}

impl RegressionLine {
    /// The line through these points; `None` for fewer than two, or if all have the same `x`.
    ///
    /// ```
    /// use espalier::statistics::RegressionLine;
    /// let line = RegressionLine::through(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]).unwrap();
    /// assert_eq!((line.a, line.b, line.sigma, line.r_squared), (2.0, 1.0, 0.0, 1.0));
    /// ```
    pub fn through(points: &[(f64, f64)]) -> Option<Self> {
        let count = points.len();
        let mean =
            |numbers: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(numbers).sum::<f64>() / count as f64;
        let (x, y) = (mean(&|point| point.0), mean(&|point| point.1));
        let moment =
            |product: &dyn Fn(f64, f64) -> f64| points.iter().map(|p| product(p.0 - x, p.1 - y)).sum::<f64>();
        let (xx, xy, yy) = (moment(&|dx, _| dx * dx), moment(&|dx, dy| dx * dy), moment(&|_, dy| dy * dy));
        if count < 2 || xx <= 0.0 {
            return None;
        }
        let a = xy / xx;
        let unexplained = (yy - a * xy).max(0.0);
        let sigma = if count > 2 { (unexplained / (count - 2) as f64).sqrt() } else { 0.0 };
        let r_squared = if yy > 0.0 { 1.0 - unexplained / yy } else { 1.0 };
        Some(Self { a, b: y - a * x, sigma, r_squared, count })
    }
}

/// Minimises an error with a single minimum over a range of positive numbers, by ternary search on the logarithm.
pub fn best_positive(range: std::ops::Range<f64>, steps: u32, error: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (range.start.ln(), range.end.ln());
    for _ in 0..steps {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if error(a.exp()) < error(b.exp()) { high = b } else { low = a }
    }
    ((low + high) / 2.0).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anscombes_quartet_gives_the_same_line_four_times() {
        let first = [
            (10.0, 8.04),
            (8.0, 6.95),
            (13.0, 7.58),
            (9.0, 8.81),
            (11.0, 8.33),
            (14.0, 9.96),
            (6.0, 7.24),
            (4.0, 4.26),
            (12.0, 10.84),
            (7.0, 4.82),
            (5.0, 5.68),
        ];
        let line = RegressionLine::through(&first).unwrap();
        assert!((line.a - 0.50009).abs() < 1e-5 && (line.b - 3.00009).abs() < 1e-5);
        assert!((line.r_squared - 0.66654).abs() < 1e-5 && (line.sigma - 1.23660).abs() < 1e-5);
    }

    #[test]
    fn points_that_give_no_line_are_refused() {
        assert_eq!(RegressionLine::through(&[]), None);
        assert_eq!(RegressionLine::through(&[(1.0, 1.0)]), None);
        assert_eq!(RegressionLine::through(&[(1.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(
            RegressionLine::through(&[(1.0, 4.0), (2.0, 4.0)]).map(|line| (line.a, line.r_squared)),
            Some((0.0, 1.0))
        );
    }
}
