//! Means of samples, and Student's test of whether two differ.

use super::distributions::student_two_sided;

/// What a sample says about the mean.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Size of the sample.
    pub count: u64,
    /// Arithmetic mean of the sample.
    pub mean: f64,
    /// Their standard deviation (with `n - 1`); 0 for fewer than two.
    pub deviation: f64,
}

impl Sample {
    /// Mean and deviation of these numbers.
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

    /// The standard error of the mean; infinite for fewer than two numbers, which say nothing about it.
    pub fn standard_error(&self) -> f64 {
        if self.count < 2 { f64::INFINITY } else { self.deviation / (self.count as f64).sqrt() }
    }
}

/// Student's test of pairs: is the mean difference other than 0?
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct PairedT {
    /// The differences, second minus first.
    pub difference: Sample,
    /// The mean difference in standard errors.
    pub t: f64,
    /// Degrees of freedom: pairs less one.
    pub degrees: u64,
    /// How likely a difference this large is if there is none in truth.
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
