//! Means of samples, and Student's paired t-test.

use super::distributions::student_two_sided;

/// Mean and standard deviation of a sample.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Size of the sample.
    pub count: u64,
    /// The arithmetic mean.
    pub mean: f64,
    /// The standard deviation (with `n - 1`); 0 for fewer than two numbers.
    pub deviation: f64,
}

impl Sample {
    /// The sample of these numbers.
    pub fn of(numbers: &[f64]) -> Self {
        let count = numbers.len() as f64;
        if numbers.is_empty() {
            return Self::default();
        }
        let mean = numbers.iter().sum::<f64>() / count;
        let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
        let deviation = if count > 1.0 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        Self { count: numbers.len() as u64, mean, deviation }
    }

    /// The standard error of the mean; infinite for fewer than two numbers.
    pub fn standard_error(&self) -> f64 {
        if self.count < 2 { f64::INFINITY } else { self.deviation / (self.count as f64).sqrt() }
    }
}

/// The result of Student's paired t-test.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct PairedT {
    /// The differences, second minus first.
    pub difference: Sample,
    /// The mean difference in standard errors.
    pub t: f64,
    /// Degrees of freedom: the number of pairs minus one.
    pub degrees: u64,
    /// The p-value: the probability of a difference this large if the means are equal.
    pub p: f64,
}

/// Tests pairs of numbers; `None` for fewer than two.
///
/// ```
/// use espalier::statistics::paired_t;
/// // Student's own example of 1908: hours of sleep gained with two drugs.
/// let pairs = [(0.7, 1.9), (-1.6, 0.8), (-0.2, 1.1), (-1.2, 0.1), (-0.1, -0.1),
///              (3.4, 4.4), (3.7, 5.5), (0.8, 1.6), (0.0, 4.6), (2.0, 3.4)];
/// let test = paired_t(&pairs).unwrap();
/// assert!((test.t - 4.0621).abs() < 1e-4 && (test.p - 0.002833).abs() < 1e-6);
/// ```
pub fn paired_t(pairs: &[(f64, f64)]) -> Option<PairedT> {
    let differences: Vec<f64> = pairs.iter().map(|(first, second)| second - first).collect();
    if differences.len() < 2 {
        return None;
    }
    let difference = Sample::of(&differences);
    let t = match difference.standard_error() {
        0.0 if difference.mean == 0.0 => 0.0,
        error => difference.mean / error,
    };
    let degrees = difference.count - 1;
    Some(PairedT { difference, t, degrees, p: student_two_sided(t, degrees as f64) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_knows_its_mean_and_how_sure_it_is() {
        let sample = Sample::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!(sample.mean, 5.0);
        assert!((sample.deviation - (32.0_f64 / 7.0).sqrt()).abs() < 1e-15);
        assert_eq!(Sample::of(&[]), Sample::default());
    }

    #[test]
    fn equal_pairs_show_nothing_and_a_constant_difference_shows_everything() {
        assert_eq!(paired_t(&[(1.0, 1.0), (2.0, 2.0)]).map(|test| (test.t, test.p)), Some((0.0, 1.0)));
        assert_eq!(paired_t(&[(1.0, 2.0), (2.0, 3.0)]).map(|test| test.p), Some(0.0));
        assert_eq!(paired_t(&[(1.0, 2.0)]), None);
    }
}
