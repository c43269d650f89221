//! A network of real numbers: its values, and how they change with its weights.

use shakmaty::{Color, Square};

use crate::eval::network::features::{INPUTS, View};
use crate::learn::games::viriformat::PackedPosition;
use crate::random::Random;
use crate::statistics::logistic;

/// How large a network is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Shape {
    /// Neurons of the hidden layer, for each side.
    pub width: usize,
    /// Outputs, chosen by the number of men on the board.
    pub buckets: usize,
}

impl Shape {
    /// The output for a position with this many men.
    pub fn bucket(self, men: usize) -> usize {
        men.saturating_sub(2) * self.buckets / 31
    }

    /// Where the first layer, its biases, the output weights and their biases begin, and the number of all.
    fn offsets(self) -> [usize; 4] {
        let biases = INPUTS * self.width;
        let outputs = biases + self.width;
        let output_biases = outputs + 2 * self.width * self.buckets;
        [biases, outputs, output_biases, output_biases + self.buckets]
    }
}

/// Most men on a board.
const MEN: usize = 32;

/// The inputs that a position switches on, for the side to move and for the other.
pub(super) struct Inputs {
    of_side: [[u16; MEN]; 2],
    men: usize,
}

impl Inputs {
    /// Of a packed position.
    pub(super) fn of(position: &PackedPosition) -> Self {
        let turn = position.turn();
        let mut kings = [Square::E1; 2];
        for (square, piece) in position.pieces() {
            if piece.role == shakmaty::Role::King {
                kings[usize::from(piece.color != turn)] = square;
            }
        }
        let views = [View::new(turn, kings[0]), View::new(!turn, kings[1])];
        let mut inputs = Self { of_side: [[0; MEN]; 2], men: 0 };
        for (square, piece) in position.pieces().take(MEN) {
            for (list, view) in inputs.of_side.iter_mut().zip(views) {
                list[inputs.men] = view.input(piece, square) as u16;
            }
            inputs.men += 1;
        }
        inputs
    }

    fn side(&self, side: usize) -> &[u16] {
        &self.of_side[side][..self.men]
    }
}

/// What a position is worth in probability, as a network should see it: a blend of result and score, or the score alone
/// where no game was played to its end.
pub fn target(position: &PackedPosition, slope: f64, result_weight: f64) -> f32 {
    let mover = |white: f64, black: f64| if position.turn() == Color::White { white } else { black };
    let score = f64::from(position.score());
    let by_score = logistic(slope * mover(score, -score));
    let blend = |points: f64| result_weight * points + (1.0 - result_weight) * by_score;
    position.result().map_or(by_score, |result| blend(mover(result.points(), 1.0 - result.points()))) as f32
}

/// All weights of a network, one after the other: first layer by input, its biases, outputs by bucket, their biases.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// How large it is.
    pub shape: Shape,
    /// Feature weights, biases and output weights one after the other, as [`Shape`] divides them.
    pub weights: Vec<f32>,
}

/// How the loss changes with the weights, summed over positions, and that loss.
#[derive(Clone, Debug)]
pub struct Gradient {
    slopes: Vec<f32>,
    loss: f64,
    positions: usize,
}

impl Gradient {
    /// Of no position.
    pub fn new(shape: Shape) -> Self {
        Self { slopes: vec![0.0; shape.offsets()[3]], loss: 0.0, positions: 0 }
    }

    /// Forgets all positions.
    pub fn clear(&mut self) {
        self.slopes.fill(0.0);
        (self.loss, self.positions) = (0.0, 0);
    }

    /// With the positions of another.
    pub fn add(&mut self, other: &Self) {
        for (sum, more) in self.slopes.iter_mut().zip(&other.slopes) {
            *sum += more;
        }
        self.loss += other.loss;
        self.positions += other.positions;
    }

    /// Derivatives of the summed loss, in the order of the weights.
    pub fn slopes(&self) -> &[f32] {
        &self.slopes
    }

    /// Sum of the squared errors.
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// Positions looked at.
    pub fn positions(&self) -> usize {
        self.positions
    }
}

/// The first layer of one side, a row for each input; `W` is its width.
struct Layers<'a, const W: usize> {
    rows: &'a [[f32; W]],
    biases: &'a [f32; W],
    outputs: &'a [[f32; W]],
    output_biases: &'a [f32],
}

impl<'a, const W: usize> Layers<'a, W> {
    fn of(model: &'a Model) -> Self {
        let [biases, outputs, output_biases, _] = model.shape.offsets();
        let rows = |from: usize, to: usize| model.weights[from..to].as_chunks::<W>().0;
        Self {
            rows: rows(0, biases),
            biases: &rows(biases, outputs)[0],
            outputs: rows(outputs, output_biases),
            output_biases: &model.weights[output_biases..],
        }
    }

    #[inline]
    fn accumulate(&self, inputs: &[u16]) -> [f32; W] {
        let mut sums = *self.biases;
        for &input in inputs {
            for (sum, weight) in sums.iter_mut().zip(&self.rows[usize::from(input)]) {
                *sum += weight;
            }
        }
        sums
    }

    /// Both sides' sums and the output.
    #[inline]
    fn forward(&self, inputs: &Inputs, bucket: usize) -> ([[f32; W]; 2], f32) {
        let sums = [self.accumulate(inputs.side(0)), self.accumulate(inputs.side(1))];
        let mut output = self.output_biases[bucket];
        for (sums, weights) in sums.iter().zip(&self.outputs[2 * bucket..]) {
            let mut lanes = [0.0; 16];
            let chunks = sums.as_chunks::<16>().0.iter().zip(weights.as_chunks::<16>().0);
            for (sums, weights) in chunks {
                for lane in 0..16 {
                    let active = sums[lane].clamp(0.0, 1.0);
                    lanes[lane] += active * active * weights[lane];
                }
            }
            output += lanes.iter().sum::<f32>();
        }
        (sums, output)
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Calls the code for the width of a network.
macro_rules! by_width {
    ($width:expr, $W:ident => $code:expr) => {
        match $width {
            16 => {
                const $W: usize = 16;
                $code
            }
            32 => {
                const $W: usize = 32;
                $code
            }
            64 => {
                const $W: usize = 64;
                $code
            }
            128 => {
                const $W: usize = 128;
                $code
            }
            256 => {
                const $W: usize = 256;
                $code
            }
            384 => {
                const $W: usize = 384;
                $code
            }
            512 => {
                const $W: usize = 512;
                $code
            }
            other => unreachable!("no network is {other} wide"),
        }
    };
}

impl Model {
    /// Widths there is code for.
    pub const WIDTHS: [usize; 7] = [16, 32, 64, 128, 256, 384, 512];

    /// Small random weights.
    pub fn random(shape: Shape, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let [biases, outputs, output_biases, all] = shape.offsets();
        let mut weights = vec![0.0; all];
        let mut fill = |part: &mut [f32], most: f32| {
            for weight in part {
                let unit = random.below(1 << 24) as f32 / (1 << 23) as f32 - 1.0;
                *weight = unit * most;
            }
        };
        fill(&mut weights[..biases], (1.0 / INPUTS as f32).sqrt());
        fill(&mut weights[outputs..output_biases], (1.0 / (2 * shape.width) as f32).sqrt());
        // A neuron that is never active never learns.
        weights[biases..outputs].fill(0.2);
        Self { shape, weights }
    }

    /// The same values from another number of outputs: each is a copy of the one that served its fewest men.
    pub fn with_buckets(self, buckets: usize) -> Self {
        let (old, new) = (self.shape, Shape { buckets, ..self.shape });
        let [_, outputs, output_biases, _] = old.offsets();
        let (first, heads) = self.weights.split_at(outputs);
        let (heads, biases) = heads.split_at(output_biases - outputs);
        let served =
            |bucket| (2..=MEN).find(|&men| new.bucket(men) == bucket).map_or(0, |men| old.bucket(men));
        let copied: Vec<usize> = (0..buckets).map(served).collect();
        let mut weights = first.to_vec();
        weights.extend(copied.iter().flat_map(|&from| &heads[2 * old.width * from..][..2 * old.width]));
        weights.extend(copied.iter().map(|&from| biases[from]));
        Self { shape: new, weights }
    }

    /// The same values from a wider hidden layer: the outputs do not listen to the new neurons yet.
    pub fn with_width(self, width: usize, seed: u64) -> Self {
        let mut wider = Self::random(Shape { width, ..self.shape }, seed);
        let (old, new) = (self.shape.offsets(), wider.shape.offsets());
        wider.weights[new[1]..new[2]].fill(0.0);
        // All weights but the last biases stand in rows of a layer's width.
        let rows = wider.weights[..new[2]].chunks_mut(width);
        for (row, narrow) in rows.zip(self.weights[..old[2]].chunks(self.shape.width)) {
            row[..narrow.len()].copy_from_slice(narrow);
        }
        wider.weights[new[2]..].copy_from_slice(&self.weights[old[2]..]);
        wider
    }

    /// The logit of the side to move's expected points.
    pub fn value(&self, position: &PackedPosition) -> f32 {
        let inputs = Inputs::of(position);
        let bucket = self.shape.bucket(inputs.men);
        by_width!(self.shape.width, W => Layers::<W>::of(self).forward(&inputs, bucket).1)
    }

    /// Sum of squared errors over positions; `target` says what each should be.
    pub fn loss(&self, positions: &[PackedPosition], target: impl Fn(&PackedPosition) -> f32) -> f64 {
        by_width!(self.shape.width, W => {
            let layers = Layers::<W>::of(self);
            let error = |position: &PackedPosition| {
                let inputs = Inputs::of(position);
                let bucket = self.shape.bucket(inputs.men);
                let error = sigmoid(layers.forward(&inputs, bucket).1) - target(position);
                f64::from(error) * f64::from(error)
            };
            positions.iter().map(error).sum()
        })
    }

    /// Adds the slopes of positions to a gradient.
    pub fn descend(
        &self,
        positions: &[PackedPosition],
        target: impl Fn(&PackedPosition) -> f32,
        gradient: &mut Gradient,
    ) {
        by_width!(self.shape.width, W => self.descend_wide::<W>(positions, target, gradient))
    }

    fn descend_wide<const W: usize>(
        &self,
        positions: &[PackedPosition],
        target: impl Fn(&PackedPosition) -> f32,
        gradient: &mut Gradient,
    ) {
        let layers = Layers::<W>::of(self);
        let [biases, outputs, output_biases, _] = self.shape.offsets();
        let (rows, rest) = gradient.slopes.split_at_mut(biases);
        let (bias_slopes, rest) = rest.split_at_mut(outputs - biases);
        let (output_slopes, bucket_slopes) = rest.split_at_mut(output_biases - outputs);
        let (rows, bias_slopes) = (rows.as_chunks_mut::<W>().0, &mut bias_slopes.as_chunks_mut::<W>().0[0]);
        let output_slopes = output_slopes.as_chunks_mut::<W>().0;
        for position in positions {
            let inputs = Inputs::of(position);
            let bucket = self.shape.bucket(inputs.men);
            let (sums, output) = layers.forward(&inputs, bucket);
            let expected = sigmoid(output);
            let error = expected - target(position);
            gradient.loss += f64::from(error) * f64::from(error);
            let slope = 2.0 * error * expected * (1.0 - expected);
            bucket_slopes[bucket] += slope;
            for (side, sums) in sums.iter().enumerate() {
                let weights = &layers.outputs[2 * bucket + side];
                let output_slopes = &mut output_slopes[2 * bucket + side];
                let mut below = [0.0; W];
                for neuron in 0..W {
                    let active = sums[neuron].clamp(0.0, 1.0);
                    output_slopes[neuron] += slope * active * active;
                    let inside = if sums[neuron] > 0.0 && sums[neuron] < 1.0 { 2.0 * active } else { 0.0 };
                    below[neuron] = slope * weights[neuron] * inside;
                }
                add(bias_slopes, &below);
                for &input in inputs.side(side) {
                    add(&mut rows[usize::from(input)], &below);
                }
            }
        }
        gradient.positions += positions.len();
    }
}

#[inline]
fn add<const W: usize>(sums: &mut [f32; W], more: &[f32; W]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;
    use crate::learn::games::viriformat::GameResult;

    fn packed(fen: &str) -> PackedPosition {
        let position = Position::from_fen(fen, false).unwrap();
        PackedPosition::new(position.chess(), 37, GameResult::White)
    }

    const FENS: [&str; 3] = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 b - - 0 10",
    ];

    #[test]
    fn slopes_are_those_of_the_loss() {
        let shape = Shape { width: 16, buckets: 2 };
        let model = Model::random(shape, 3);
        let positions = FENS.map(packed);
        let goal = |position: &PackedPosition| target(position, 0.006, 0.4);
        let mut gradient = Gradient::new(shape);
        model.descend(&positions, goal, &mut gradient);
        assert!((gradient.loss() - model.loss(&positions, goal)).abs() < 1e-9);
        let largest = |from: usize, to: usize| {
            (from..to).max_by(|&a, &b| gradient.slopes[a].abs().total_cmp(&gradient.slopes[b].abs())).unwrap()
        };
        let [biases, outputs, output_biases, all] = shape.offsets();
        for index in [largest(0, biases), largest(biases, outputs), largest(outputs, output_biases), all - 1]
        {
            let loss = |change: f32| {
                let mut moved = model.clone();
                moved.weights[index] += change;
                moved.loss(&positions, goal)
            };
            let measured = (loss(1e-2) - loss(-1e-2)) / 2e-2;
            let worked_out = f64::from(gradient.slopes[index]);
            assert!(
                (measured - worked_out).abs() < 1e-4 + 0.02 * worked_out.abs(),
                "{measured} {worked_out}"
            );
        }
    }

    #[test]
    fn a_position_turned_round_has_the_same_value() {
        let model = Model::random(Shape { width: 32, buckets: 1 }, 5);
        let white = packed("6k1/5ppp/8/8/8/8/1Q6/6K1 w - - 0 1");
        let black = packed("1k6/6q1/8/8/8/8/PPP5/1K6 b - - 0 1");
        assert!((model.value(&white) - model.value(&black)).abs() < 1e-5);
    }

    #[test]
    fn buckets_go_from_few_men_to_many() {
        let shape = Shape { width: 16, buckets: 8 };
        assert_eq!((shape.bucket(2), shape.bucket(32)), (0, 7));
        assert!((2..32).all(|men| shape.bucket(men) <= shape.bucket(men + 1)));
        assert_eq!(Shape { buckets: 1, ..shape }.bucket(32), 0);
    }

    #[test]
    fn copied_outputs_say_the_same() {
        let model = Model::random(Shape { width: 16, buckets: 2 }, 4);
        let copied = model.clone().with_buckets(8);
        assert_eq!(copied.weights.len(), copied.shape.offsets()[3]);
        // Twenty-one men are within one output of the eight and of the two alike.
        for position in FENS.map(packed) {
            assert_eq!(copied.value(&position), model.value(&position));
        }
        assert_eq!(copied.with_buckets(2), model);
    }

    #[test]
    fn new_neurons_say_nothing_at_first_and_can_learn() {
        let model = Model::random(Shape { width: 16, buckets: 2 }, 4);
        let wider = model.clone().with_width(64, 9);
        assert_eq!(wider.weights.len(), wider.shape.offsets()[3]);
        for position in FENS.map(packed) {
            assert!((wider.value(&position) - model.value(&position)).abs() < 1e-5);
        }
        let mut gradient = Gradient::new(wider.shape);
        wider.descend(&FENS.map(packed), |position| target(position, 0.006, 0.4), &mut gradient);
        let outputs = &gradient.slopes[wider.shape.offsets()[1]..][..2 * 64 * 2];
        assert!(outputs.chunks(64).any(|row| row[16..].iter().any(|slope| *slope != 0.0)));
    }

    #[test]
    fn targets_are_those_of_the_side_to_move() {
        let white = target(&packed(FENS[0]), 0.01, 0.5);
        let black = target(&packed(FENS[1]), 0.01, 0.5);
        assert!((white + black - 1.0).abs() < 1e-6 && white > 0.7, "{white} {black}");
    }

    #[test]
    fn without_a_result_the_score_is_the_target() {
        let chess = Position::from_fen(FENS[1], false).unwrap().chess().clone();
        let alone = target(&PackedPosition::without_result(&chess, -100), 0.01, 0.5);
        assert!((alone - sigmoid(1.0)).abs() < 1e-6, "{alone}");
    }
}
