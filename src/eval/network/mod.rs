//! An efficiently updatable network (Y. Nasu, "Efficiently updatable neural-network-based evaluation functions for
//! computer shogi", 2018): one hidden layer for each side, of whole numbers, that follows the moves of the search.
//!
//! [`features`] says what it sees, [`Network`] holds the weights and their file, [`accumulator`] keeps the hidden
//! layer along the path.

mod accumulator;
mod explanation;
pub mod features;
mod file;

use std::sync::{Arc, LazyLock};

pub use accumulator::Accumulators;
pub use explanation::{PieceValues, piece_values};
pub use file::{NetworkError, VERSION};

use features::INPUTS;

/// The built-in network; docs/NETWORK.md says how it was trained.
const BUILT_IN: &[u8] = include_bytes!("built_in.net");

/// A weight of 1 in the first layer.
const FIRST_UNIT: i32 = 512;
/// A squared activation of 1. Squares lose their last bits, so that sixteen of them are worked on at once.
const SQUARE_UNIT: i32 = (FIRST_UNIT * FIRST_UNIT) >> SQUARE_SHIFT;
const SQUARE_SHIFT: i32 = 6;
/// A weight of 1 in the output layer.
const OUTPUT_UNIT: i32 = 1_024;
/// No weight may be larger: a neuron with all 32 men on its largest weights must not leave sixteen bits, nor the sums
/// of the widest output layer 32.
pub const WEIGHT_LIMIT: f32 = 1.9;

/// Numbers that a SIMD instruction works on at once, aligned for it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub(super) struct Lane([i16; Lane::LEN]);

impl Lane {
    /// Numbers of a lane; a width is a multiple of it.
    const LEN: usize = 16;
    const ZERO: Self = Self([0; Self::LEN]);

    /// All numbers, one lane after the other.
    fn of(numbers: &[i16]) -> Vec<Self> {
        numbers.as_chunks().0.iter().map(|lane| Self(*lane)).collect()
    }
}

/// Weights of a network, as whole numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    buckets: usize,
    /// Centipawns that a logit of 1 is worth.
    scale: i32,
    /// A row for each input.
    rows: Vec<Lane>,
    biases: Vec<Lane>,
    /// For each bucket the weights of the side to move's neurons, then of the other's.
    outputs: Vec<Lane>,
    output_biases: Vec<i32>,
}

/// Runs the same code with a constant number of lanes if it is a usual one, so that the compiler can unroll it.
macro_rules! with_lanes {
    ($lanes:expr, $n:ident => $code:expr) => {
        match $lanes {
            4 => {
                let $n = 4;
                $code
            }
            8 => {
                let $n = 8;
                $code
            }
            16 => {
                let $n = 16;
                $code
            }
            32 => {
                let $n = 32;
                $code
            }
            $n => $code,
        }
    };
}

use with_lanes;

impl Network {
    /// From real weights in the order of a trainer: first layer by input, its biases, outputs by bucket, their biases.
    pub fn quantised(width: usize, buckets: usize, scale: i32, weights: &[f32]) -> Self {
        let [biases, outputs, output_biases] =
            [INPUTS * width, (INPUTS + 1) * width, (INPUTS + 1 + 2 * buckets) * width];
        let rounded = |part: &[f32], unit: i32| -> Vec<Lane> {
            let whole = |weight: &f32| (weight * unit as f32).round() as i16;
            Lane::of(&part.iter().map(whole).collect::<Vec<i16>>())
        };
        let of_output = |bias: &f32| (bias * (SQUARE_UNIT * OUTPUT_UNIT) as f32).round() as i32;
        Self {
            buckets,
            scale,
            rows: rounded(&weights[..biases], FIRST_UNIT),
            biases: rounded(&weights[biases..outputs], FIRST_UNIT),
            outputs: rounded(&weights[outputs..output_biases], OUTPUT_UNIT),
            output_biases: weights[output_biases..].iter().map(of_output).collect(),
        }
    }

    /// The weights as real numbers, in the order of [`quantised`](Self::quantised): where further training starts.
    pub fn real_weights(&self) -> Vec<f32> {
        let real = |lanes: &'_ [Lane], unit: i32| -> Vec<f32> {
            lanes.iter().flat_map(|lane| lane.0).map(|weight| f32::from(weight) / unit as f32).collect()
        };
        let of_output = |bias: &i32| *bias as f32 / (SQUARE_UNIT * OUTPUT_UNIT) as f32;
        let mut weights = real(&self.rows, FIRST_UNIT);
        weights.extend(real(&self.biases, FIRST_UNIT));
        weights.extend(real(&self.outputs, OUTPUT_UNIT));
        weights.extend(self.output_biases.iter().map(of_output));
        weights
    }

    /// The built-in network.
    pub fn built_in() -> Arc<Self> {
        static NETWORK: LazyLock<Arc<Network>> =
            LazyLock::new(|| Arc::new(Network::from_bytes(BUILT_IN).expect("a test reads the network")));
        Arc::clone(&NETWORK)
    }

    /// Centipawns that a logit of 1 is worth.
    pub fn scale(&self) -> i32 {
        self.scale
    }

    /// Neurons of the hidden layer, for each side.
    pub fn width(&self) -> usize {
        self.lanes() * Lane::LEN
    }

    /// Outputs, chosen by the number of men on the board.
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// Lanes of a row.
    #[inline]
    fn lanes(&self) -> usize {
        self.biases.len()
    }

    /// The value in centipawns for the side to move, whose hidden layer comes first; `men` chooses the output.
    #[inline]
    fn output(&self, own: &[Lane], other: &[Lane], men: usize) -> i32 {
        let bucket = men.saturating_sub(2) * self.buckets / 31;
        let squares = with_lanes!(self.lanes(), n => {
            let weights = &self.outputs[2 * n * bucket..][..2 * n];
            let (of_own, of_other) = weights.split_at(n);
            squared_dot(&own[..n], of_own) + squared_dot(&other[..n], of_other)
        });
        let sum = squares + i64::from(self.output_biases[bucket]);
        (sum * i64::from(self.scale) / i64::from(SQUARE_UNIT * OUTPUT_UNIT)) as i32
    }
}

/// Sum of squared activations (between 0 and [`SQUARE_UNIT`]) times weights.
#[cfg(target_feature = "avx2")]
#[expect(unsafe_code, reason = "AVX2, which the whole program is built for here")]
#[inline(always)]
fn squared_dot(sums: &[Lane], weights: &[Lane]) -> i64 {
    use bytemuck::cast;
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi32, _mm256_madd_epi16, _mm256_max_epi16, _mm256_min_epi16, _mm256_mulhi_epi16,
        _mm256_set1_epi16, _mm256_setzero_si256, _mm256_slli_epi16,
    };
    // The upper half of a product has lost sixteen bits; five more in each factor leave the right number.
    const RAISED: i32 = (16 - SQUARE_SHIFT) / 2;
    let mut total: __m256i = cast([0_i32; Lane::LEN / 2]);
    for (sums, weights) in sums.iter().zip(weights) {
        let (sums, weights): (__m256i, __m256i) = (cast(sums.0), cast(weights.0));
        // SAFETY: the function is compiled only for processors that have AVX2, and no memory is touched.
        unsafe {
            let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(FIRST_UNIT as i16));
            let active = _mm256_min_epi16(_mm256_max_epi16(sums, zero), one);
            let raised = _mm256_slli_epi16::<RAISED>(active);
            let squares = _mm256_mulhi_epi16(raised, raised);
            total = _mm256_add_epi32(total, _mm256_madd_epi16(squares, weights));
        }
    }
    cast::<_, [i32; Lane::LEN / 2]>(total).iter().map(|lane| i64::from(*lane)).sum()
}

#[cfg(not(target_feature = "avx2"))]
use portable::squared_dot;

/// The same for every processor; the compiler vectorises it if it can.
#[cfg(any(test, not(target_feature = "avx2")))]
mod portable {
    use super::{FIRST_UNIT, Lane, SQUARE_SHIFT};

    #[inline(always)]
    pub(super) fn squared_dot(sums: &[Lane], weights: &[Lane]) -> i64 {
        let mut lanes = [0_i32; Lane::LEN];
        for (sums, weights) in sums.iter().zip(weights) {
            for (lane, (sum, weight)) in lanes.iter_mut().zip(sums.0.iter().zip(weights.0)) {
                let active = i32::from(*sum).clamp(0, FIRST_UNIT);
                *lane += ((active * active) >> SQUARE_SHIFT) * i32::from(weight);
            }
        }
        lanes.iter().map(|lane| i64::from(*lane)).sum()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::random::Random;

    /// A network of random weights, as large as a trainer may make them.
    pub(crate) fn random(width: usize, buckets: usize) -> Network {
        let mut random = Random::new(11);
        let count = (INPUTS + 1 + 2 * buckets) * width + buckets;
        let mut weight = || (random.below(1 << 16) as f32 / (1 << 15) as f32 - 1.0) * WEIGHT_LIMIT;
        let weights: Vec<f32> = (0..count).map(|_| weight()).collect();
        Network::quantised(width, buckets, 156, &weights)
    }

    #[test]
    fn the_dot_product_is_that_of_big_numbers_even_at_the_limits() {
        let network = random(256, 1);
        let mixed: [i16; Lane::LEN] = std::array::from_fn(|index| 40 * index as i16 - 100);
        for sums in [[0; Lane::LEN], [512; Lane::LEN], [i16::MAX; Lane::LEN], [i16::MIN; Lane::LEN], mixed] {
            let sums = [Lane(sums); 16];
            for weights in [&network.outputs[..16], &[Lane([1_945; 16]); 16], &[Lane([-1_945; 16]); 16]] {
                let pairs = sums.iter().flat_map(|lane| lane.0).zip(weights.iter().flat_map(|lane| lane.0));
                let square = |sum: i16| i64::from(sum.clamp(0, 512)).pow(2) / 64;
                let plain: i64 = pairs.map(|(sum, weight)| square(sum) * i64::from(weight)).sum();
                assert_eq!(squared_dot(&sums, weights), plain);
                assert_eq!(portable::squared_dot(&sums, weights), plain);
            }
        }
    }

    // The widest network that is read, with the largest weights.
    #[test]
    fn no_network_that_is_read_overflows() {
        for weight in [1_946, -1_946] {
            let (sums, weights) = ([Lane([i16::MAX; 16]); 128], [Lane([weight; 16]); 128]);
            let plain = 2_048 * i64::from(SQUARE_UNIT) * i64::from(weight);
            assert_eq!(squared_dot(&sums, &weights), plain);
            assert_eq!(portable::squared_dot(&sums, &weights), plain);
        }
    }

    #[test]
    fn real_weights_are_rounded_to_the_same_network() {
        for network in [random(64, 2), random(128, 1)] {
            let again =
                Network::quantised(network.width(), network.buckets, network.scale, &network.real_weights());
            assert_eq!(again, network);
        }
    }

    #[test]
    fn the_network_in_the_program_can_be_read() {
        assert_eq!(Network::from_bytes(BUILT_IN).unwrap().to_bytes(), BUILT_IN);
    }
}
