//! An efficiently updatable network (Y. Nasu, "Efficiently updatable neural-network-based evaluation functions for
//! computer shogi", 2018): one hidden layer for each side, of whole numbers, that follows the moves of the search.
//!
//! [`features`] says what it sees, [`Network`] holds the weights and their file, [`accumulator`] keeps the hidden
//! layer along the path.

pub mod accumulator;
pub mod features;
mod file;

pub use file::{NetworkError, VERSION};

use features::INPUTS;

/// A weight of 1 in the first layer.
pub const FIRST_UNIT: i32 = 255;
/// A weight of 1 in the output layer.
pub const OUTPUT_UNIT: i32 = 64;

/// Weights of a network, as whole numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    width: usize,
    buckets: usize,
    /// Centipawns that a logit of 1 is worth.
    scale: i32,
    /// A row of `width` for each input.
    rows: Vec<i16>,
    biases: Vec<i16>,
    /// For each bucket the weights of the side to move's neurons, then of the other's.
    outputs: Vec<i16>,
    output_biases: Vec<i32>,
}

impl Network {
    /// From real weights in the order of a trainer: first layer by input, its biases, outputs by bucket, their biases.
    pub fn quantised(width: usize, buckets: usize, scale: i32, weights: &[f32]) -> Self {
        let [biases, outputs, output_biases] =
            [INPUTS * width, (INPUTS + 1) * width, (INPUTS + 1 + 2 * buckets) * width];
        let rounded = |part: &[f32], unit: i32| -> Vec<i16> {
            part.iter().map(|weight| (weight * unit as f32).round() as i16).collect()
        };
        let of_output = |bias: &f32| (bias * (FIRST_UNIT * OUTPUT_UNIT) as f32).round() as i32;
        Self {
            width,
            buckets,
            scale,
            rows: rounded(&weights[..biases], FIRST_UNIT),
            biases: rounded(&weights[biases..outputs], FIRST_UNIT),
            outputs: rounded(&weights[outputs..output_biases], OUTPUT_UNIT),
            output_biases: weights[output_biases..].iter().map(of_output).collect(),
        }
    }

    /// Neurons of the hidden layer, for each side.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Outputs, chosen by the number of men on the board.
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// The weights of an input.
    #[inline]
    fn row(&self, input: usize) -> &[i16] {
        &self.rows[input * self.width..][..self.width]
    }

    /// The value in centipawns for the side to move, whose hidden layer comes first, with so many men on the board.
    #[inline]
    pub fn output(&self, own: &[i16], other: &[i16], men: usize) -> i32 {
        let bucket = men.saturating_sub(2) * self.buckets / 31;
        let weights = &self.outputs[2 * self.width * bucket..][..2 * self.width];
        let (of_own, of_other) = weights.split_at(self.width);
        let squares = squared_dot(own, of_own) + squared_dot(other, of_other);
        let sum = squares / i64::from(FIRST_UNIT) + i64::from(self.output_biases[bucket]);
        (sum * i64::from(self.scale) / i64::from(FIRST_UNIT * OUTPUT_UNIT)) as i32
    }
}

/// Sum of squared activations (between 0 and [`FIRST_UNIT`]) times weights.
#[inline]
fn squared_dot(sums: &[i16], weights: &[i16]) -> i64 {
    let mut lanes = [0_i32; 16];
    for (sums, weights) in sums.as_chunks::<16>().0.iter().zip(weights.as_chunks::<16>().0) {
        for lane in 0..16 {
            let active = sums[lane].clamp(0, FIRST_UNIT as i16);
            // Fits sixteen bits: 255 times at most 127.
            let weighed = active.wrapping_mul(weights[lane]);
            lanes[lane] += i32::from(weighed) * i32::from(active);
        }
    }
    lanes.iter().map(|lane| i64::from(*lane)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A network of random weights, as large as a trainer may make them.
    pub(super) fn random(width: usize, buckets: usize) -> Network {
        let mut random = Random::new(11);
        let count = (INPUTS + 1 + 2 * buckets) * width + buckets;
        let mut weight = || (random.below(1 << 16) as f32 / (1 << 15) as f32 - 1.0) * 1.98;
        let weights: Vec<f32> = (0..count).map(|_| weight()).collect();
        Network::quantised(width, buckets, 156, &weights)
    }

    #[test]
    fn the_dot_product_is_that_of_big_numbers_even_at_the_limits() {
        let network = random(256, 1);
        for sums in [vec![0_i16; 256], vec![255; 256], vec![i16::MAX; 256], vec![i16::MIN; 256]] {
            for weights in [&network.outputs[..256], &[126; 256], &[-126; 256]] {
                let plain: i64 = sums
                    .iter()
                    .zip(weights)
                    .map(|(sum, weight)| i64::from((*sum).clamp(0, 255)).pow(2) * i64::from(*weight))
                    .sum();
                assert_eq!(squared_dot(&sums, weights), plain);
            }
        }
    }
}
