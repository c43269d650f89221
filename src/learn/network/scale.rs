//! What a network's output is worth in centipawns: a hundred of them win half of the games, or as much as those of the
//! network before, to which the margins of a search are tuned.

use crate::statistics::logistic;

/// The worth of a logit in centipawns, such that the mover wins half of the games at 100: chances to win are fitted by
/// 1 / (1 + exp(−(a + b · logit))) to outputs and whether their mover won. Nothing if the outputs say too little.
pub fn centipawns_per_logit(outcomes: &[(f32, bool)]) -> Option<f64> {
    let (mut a, mut b) = (0.0, 1.0);
    // Newton's method; the likelihood has one maximum.
    for _ in 0..30 {
        let (mut slopes, mut bends) = ([0.0; 2], [0.0; 3]);
        for &(logit, won) in outcomes {
            let x = f64::from(logit);
            let chance = logistic(a + b * x);
            let (error, weight) = (f64::from(u8::from(won)) - chance, chance * (1.0 - chance));
            slopes = [slopes[0] + error, slopes[1] + error * x];
            bends = [bends[0] + weight, bends[1] + weight * x, bends[2] + weight * x * x];
        }
        let determinant = bends[0] * bends[2] - bends[1] * bends[1];
        if determinant <= 1e-9 {
            return None;
        }
        a += (bends[2] * slopes[0] - bends[1] * slopes[1]) / determinant;
        b += (bends[0] * slopes[1] - bends[1] * slopes[0]) / determinant;
    }
    let even = -a / b;
    // A network that has learned anything needs some advantage to win half of the games, and not a whole queen.
    (0.05..=10.0).contains(&even).then_some(100.0 / even)
}

/// The worth of a logit in centipawns, such that the values of undecided positions are on average as large as before.
/// Each pair is a network's logit and the value that another gives the same position. Nothing if no position is undecided.
pub fn centipawns_as_before(values: &[(f32, i32)]) -> Option<f64> {
    let undecided = values.iter().filter(|(_, before)| before.abs() <= UNDECIDED);
    let (mut logits, mut centipawns) = (0.0, 0.0);
    for &(logit, before) in undecided {
        logits += f64::from(logit.abs());
        centipawns += f64::from(before.abs());
    }
    (logits > 0.0 && centipawns > 0.0).then(|| centipawns / logits)
}

/// Margins matter where neither side is winning.
const UNDECIDED: i32 = 600;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Games won by chance, half of them at this logit.
    fn outcomes(even: f64, count: usize) -> Vec<(f32, bool)> {
        let mut random = Random::new(4);
        let mut unit = || random.below(1 << 24) as f64 / f64::from(1 << 24);
        (0..count)
            .map(|_| {
                let logit = 6.0 * unit() - 3.0;
                let chance = logistic(1.7 * (logit - even));
                (logit as f32, unit() < chance)
            })
            .collect()
    }

    #[test]
    fn a_hundred_centipawns_win_half_of_the_games() {
        for even in [0.4, 0.8] {
            let scale = centipawns_per_logit(&outcomes(even, 100_000)).unwrap();
            assert!((scale - 100.0 / even).abs() < 6.0, "{scale} {even}");
        }
    }

    #[test]
    fn centipawns_stay_as_large_as_before() {
        assert_eq!(centipawns_as_before(&[(1.0, 180), (-2.0, -420), (9.0, 5_000)]), Some(200.0));
        assert_eq!(centipawns_as_before(&[(9.0, 5_000)]), None);
    }

    #[test]
    fn outputs_that_say_nothing_have_no_worth() {
        assert_eq!(centipawns_per_logit(&[]), None);
        assert_eq!(centipawns_per_logit(&[(0.5, true), (0.5, false)]), None);
        assert_eq!(centipawns_per_logit(&outcomes(-0.5, 10_000)), None);
    }
}
