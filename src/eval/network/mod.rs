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

/// The file of the network in the program. To ship one, put it beside this file, name it here with
/// `Some(include_bytes!("…"))`, and make `Network` the default of the option `Evaluation`.
const BUILT_IN: Option<&[u8]> = None;

/// A weight of 1 in the first layer.
pub const FIRST_UNIT: i32 = 255;
/// A weight of 1 in the output layer.
pub const OUTPUT_UNIT: i32 = 64;

/// Numbers that a processor works on at once, and that lie where it likes them.
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

/// Runs the same code with a number of lanes that the compiler knows, if it is a usual one.
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
        let of_output = |bias: &f32| (bias * (FIRST_UNIT * OUTPUT_UNIT) as f32).round() as i32;
        Self {
            buckets,
            scale,
            rows: rounded(&weights[..biases], FIRST_UNIT),
            biases: rounded(&weights[biases..outputs], FIRST_UNIT),
            outputs: rounded(&weights[outputs..output_biases], OUTPUT_UNIT),
            output_biases: weights[output_biases..].iter().map(of_output).collect(),
        }
    }

    /// The network in the program, if there is one.
    pub fn built_in() -> Option<Arc<Self>> {
        static NETWORK: LazyLock<Option<Arc<Network>>> = LazyLock::new(|| {
            BUILT_IN.map(|bytes| Arc::new(Network::from_bytes(bytes).expect("tests read the network")))
        });
        NETWORK.clone()
    }

    /// The same network with another worth of a logit.
    pub fn with_scale(self, scale: i32) -> Self {
        Self { scale, ..self }
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

    /// The value in centipawns for the side to move, whose hidden layer comes first, with so many men on the board.
    #[inline]
    fn output(&self, own: &[Lane], other: &[Lane], men: usize) -> i32 {
        let bucket = men.saturating_sub(2) * self.buckets / 31;
        let squares = with_lanes!(self.lanes(), n => {
            let weights = &self.outputs[2 * n * bucket..][..2 * n];
            let (of_own, of_other) = weights.split_at(n);
            squared_dot(&own[..n], of_own) + squared_dot(&other[..n], of_other)
        });
        let sum = squares / i64::from(FIRST_UNIT) + i64::from(self.output_biases[bucket]);
        (sum * i64::from(self.scale) / i64::from(FIRST_UNIT * OUTPUT_UNIT)) as i32
    }
}

/// Sum of squared activations (between 0 and [`FIRST_UNIT`]) times weights; their product fits sixteen bits.
#[cfg(target_feature = "avx2")]
#[expect(unsafe_code, reason = "AVX2, which the whole program is built for here")]
#[inline(always)]
fn squared_dot(sums: &[Lane], weights: &[Lane]) -> i64 {
    use bytemuck::cast;
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi32, _mm256_madd_epi16, _mm256_max_epi16, _mm256_min_epi16, _mm256_mullo_epi16,
        _mm256_set1_epi16, _mm256_setzero_si256,
    };
    let mut total: __m256i = cast([0_i32; Lane::LEN / 2]);
    for (sums, weights) in sums.iter().zip(weights) {
        let (sums, weights): (__m256i, __m256i) = (cast(sums.0), cast(weights.0));
        // SAFETY: the function is compiled only for processors that have AVX2, and no memory is touched.
        unsafe {
            let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(FIRST_UNIT as i16));
            let active = _mm256_min_epi16(_mm256_max_epi16(sums, zero), one);
            let weighed = _mm256_mullo_epi16(active, weights);
            total = _mm256_add_epi32(total, _mm256_madd_epi16(weighed, active));
        }
    }
    cast::<_, [i32; Lane::LEN / 2]>(total).iter().map(|lane| i64::from(*lane)).sum()
}

#[cfg(not(target_feature = "avx2"))]
use portable::squared_dot;

/// The same for every processor; the compiler makes of it what it can.
#[cfg(any(test, not(target_feature = "avx2")))]
mod portable {
    use super::{FIRST_UNIT, Lane};

    #[inline(always)]
    pub(super) fn squared_dot(sums: &[Lane], weights: &[Lane]) -> i64 {
        let mut lanes = [0_i32; Lane::LEN];
        for (sums, weights) in sums.iter().zip(weights) {
            for (lane, (sum, weight)) in lanes.iter_mut().zip(sums.0.iter().zip(weights.0)) {
                let active = (*sum).clamp(0, FIRST_UNIT as i16);
                *lane += i32::from(active.wrapping_mul(weight)) * i32::from(active);
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
        let mut weight = || (random.below(1 << 16) as f32 / (1 << 15) as f32 - 1.0) * 1.98;
        let weights: Vec<f32> = (0..count).map(|_| weight()).collect();
        Network::quantised(width, buckets, 156, &weights)
    }

    #[test]
    fn the_dot_product_is_that_of_big_numbers_even_at_the_limits() {
        let network = random(256, 1);
        let mixed: [i16; Lane::LEN] = std::array::from_fn(|index| 40 * index as i16 - 100);
        for sums in [[0; Lane::LEN], [255; Lane::LEN], [i16::MAX; Lane::LEN], [i16::MIN; Lane::LEN], mixed] {
            let sums = [Lane(sums); 16];
            for weights in [&network.outputs[..16], &[Lane([127; 16]); 16], &[Lane([-127; 16]); 16]] {
                let pairs = sums.iter().flat_map(|lane| lane.0).zip(weights.iter().flat_map(|lane| lane.0));
                let plain: i64 =
                    pairs.map(|(sum, weight)| i64::from(sum.clamp(0, 255)).pow(2) * i64::from(weight)).sum();
                assert_eq!(squared_dot(&sums, weights), plain);
                assert_eq!(portable::squared_dot(&sums, weights), plain);
            }
        }
    }

    #[test]
    fn the_network_in_the_program_can_be_read() {
        assert_eq!(Network::built_in().is_some(), BUILT_IN.is_some());
    }
}
