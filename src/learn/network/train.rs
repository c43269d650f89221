//! Passes over the positions: batches, AdamW, and a state that can be written down and resumed.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::model::{Gradient, Model, Shape, target};
use crate::eval::network::{Network, WEIGHT_LIMIT};
use crate::learn::games::Shuffled;
use crate::learn::games::viriformat::PackedPosition;
use crate::random::Random;

/// How a network is trained.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// How large the network is.
    pub shape: Shape,
    /// Passes over the positions.
    pub passes: u32,
    /// Positions between two steps.
    pub batch: usize,
    /// Learning rate at the beginning …
    pub rate: f64,
    /// … and at the end.
    pub last_rate: f64,
    /// Share of a weight that a step at rate 1 takes away.
    pub decay: f64,
    /// Share of the game's result in the target; the rest is the search's score.
    pub result_weight: f64,
    /// Expected points are 1 / (1 + exp(−slope · centipawns)).
    pub slope: f64,
    /// What the first weights and the order of positions are drawn from.
    pub seed: u64,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            shape: Shape { width: 128, buckets: 1 },
            passes: 30,
            batch: 16_384,
            rate: 1e-3,
            last_rate: 3e-5,
            decay: 0.01,
            result_weight: 0.35,
            slope: 0.0064,
            seed: 1,
        }
    }
}

impl Recipe {
    /// The learning rate after this share of all steps.
    fn rate_at(&self, share: f64) -> f64 {
        let fallen = 0.5 + 0.5 * (std::f64::consts::PI * share.min(1.0)).cos();
        self.last_rate + (self.rate - self.last_rate) * fallen
    }
}

const MOMENTUM: f32 = 0.9;
const VELOCITY: f32 = 0.999;

/// How good the network was after a pass.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassLoss {
    /// The pass, from 1.
    pub pass: u32,
    /// Mean squared error on the positions learned from, while they were learned.
    pub training: f64,
    /// Mean squared error on positions of other games.
    pub validation: f64,
}

/// Where a pass stands.
#[derive(Copy, Clone, Debug, Default)]
pub struct TrainingProgress {
    /// Positions of this pass so far.
    pub positions: usize,
    /// Mean squared error of those.
    pub loss: f64,
}

/// Why training cannot continue.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrainerError {
    /// The loss is no number any more, or worse than that of a constant.
    #[error("training diverged in pass {pass} (loss {loss:.4}); try a smaller --rate")]
    Diverged {
        /// The pass, from 1.
        pass: u32,
        /// Mean squared error of the pass so far.
        loss: f64,
    },
    /// It was told to stop.
    #[error("interrupted")]
    Stopped,
    /// Positions cannot be read; why.
    #[error("{0}")]
    Read(String),
    /// A checkpoint cannot be read; why.
    #[error("not a checkpoint of this training: {0}")]
    Checkpoint(String),
    /// The network to start from has this width, and the recipe a smaller one.
    #[error("that network has {0} neurons a side: --width must not be smaller")]
    Width(usize),
}

/// A network in training.
#[derive(Clone, Debug, PartialEq)]
pub struct Trainer {
    /// How it is trained.
    pub recipe: Recipe,
    /// The network as it is.
    pub model: Model,
    momentum: Vec<f32>,
    velocity: Vec<f32>,
    steps: u64,
    /// Passes done.
    pub passes: u32,
    /// How the loss fell.
    pub curve: Vec<PassLoss>,
}

/// More than any network reaches that learns something: a constant has 0.25 at worst.
const HOPELESS: f64 = 0.3;

impl Trainer {
    /// A network that knows nothing.
    pub fn new(recipe: Recipe) -> Self {
        Self::with(recipe, Model::random(recipe.shape, recipe.seed))
    }

    /// A network that knows what another does, which must not be wider. Where there are more outputs than before,
    /// several begin as copies of one; new neurons begin without a say.
    pub fn from_network(recipe: Recipe, network: &Network) -> Result<Self, TrainerError> {
        let shape = Shape { width: network.width(), buckets: network.buckets() };
        let Shape { width, buckets } = recipe.shape;
        if shape.width > width {
            return Err(TrainerError::Width(shape.width));
        }
        let mut model = Model { shape, weights: network.real_weights() }.with_buckets(buckets);
        if shape.width < width {
            model = model.with_width(width, recipe.seed);
        }
        Ok(Self::with(recipe, model))
    }

    fn with(recipe: Recipe, model: Model) -> Self {
        let zeros = vec![0.0; model.weights.len()];
        Self {
            recipe,
            model,
            momentum: zeros.clone(),
            velocity: zeros,
            steps: 0,
            passes: 0,
            curve: Vec::new(),
        }
    }

    /// One pass over the positions, `jobs` threads at a time. Returns the mean squared error; `progress` is called for
    /// every batch. An error leaves a network that should not be used.
    pub fn pass(
        &mut self,
        positions: &Shuffled,
        jobs: usize,
        stop: &AtomicBool,
        mut progress: impl FnMut(&TrainingProgress),
    ) -> Result<f64, TrainerError> {
        let batches = positions.positions().div_ceil(self.recipe.batch).max(1);
        let all_steps = (batches * self.recipe.passes as usize).max(1) as f64;
        let mut gradients: Vec<Gradient> =
            (0..jobs.max(1)).map(|_| Gradient::new(self.recipe.shape)).collect();
        let mut random = Random::split(self.recipe.seed, u64::from(self.passes) + 1);
        let mut order: Vec<usize> = (0..positions.parts()).collect();
        random.shuffle(&mut order);
        let (mut waiting, mut done) = (Vec::new(), TrainingProgress::default());
        let mut loss = 0.0;
        for (index, part) in order.iter().enumerate() {
            let begin = waiting.len();
            waiting.extend(positions.part(*part).map_err(|error| TrainerError::Read(error.to_string()))?);
            random.shuffle(&mut waiting[begin..]);
            let last = index + 1 == order.len();
            let whole =
                if last { waiting.len() } else { waiting.len() / self.recipe.batch * self.recipe.batch };
            for batch in waiting[..whole].chunks(self.recipe.batch) {
                if stop.load(Ordering::Relaxed) {
                    return Err(TrainerError::Stopped);
                }
                let share = self.steps as f64 / all_steps;
                loss += self.step(batch, &mut gradients, self.recipe.rate_at(share));
                done.positions += batch.len();
                done.loss = loss / done.positions as f64;
                if !done.loss.is_finite() || (self.steps > 200 && done.loss > HOPELESS) {
                    return Err(TrainerError::Diverged { pass: self.passes + 1, loss: done.loss });
                }
                progress(&done);
            }
            waiting.drain(..whole);
        }
        self.passes += 1;
        Ok(done.loss)
    }

    /// One step of AdamW on a batch; returns the sum of its squared errors.
    fn step(&mut self, batch: &[PackedPosition], gradients: &mut [Gradient], rate: f64) -> f64 {
        let Recipe { slope, result_weight, decay, .. } = self.recipe;
        let goal = move |position: &PackedPosition| target(position, slope, result_weight);
        let (model, share) = (&self.model, batch.len().div_ceil(gradients.len()).max(1));
        std::thread::scope(|scope| {
            for (gradient, part) in gradients.iter_mut().zip(batch.chunks(share)) {
                scope.spawn(move || {
                    gradient.clear();
                    model.descend(part, goal, gradient);
                });
            }
        });
        let used = batch.len().div_ceil(share);
        let (first, others) = gradients[..used].split_at_mut(1);
        others.iter().for_each(|other| first[0].add(other));
        self.steps += 1;
        let warm = |decay: f32| 1.0 - decay.powi(self.steps.min(100_000) as i32);
        let scale = 1.0 / batch.len() as f32;
        let (rate, kept) = (rate as f32, 1.0 - (rate * decay) as f32);
        let (warm_momentum, warm_velocity) = (warm(MOMENTUM), warm(VELOCITY));
        let weights = self.model.weights.iter_mut().zip(&mut self.momentum).zip(&mut self.velocity);
        for (((weight, momentum), velocity), slope) in weights.zip(first[0].slopes()) {
            let slope = slope * scale;
            *momentum = MOMENTUM * *momentum + (1.0 - MOMENTUM) * slope;
            *velocity = VELOCITY * *velocity + (1.0 - VELOCITY) * slope * slope;
            let step = (*momentum / warm_momentum) / ((*velocity / warm_velocity).sqrt() + 1e-8);
            *weight = (*weight * kept - rate * step).clamp(-WEIGHT_LIMIT, WEIGHT_LIMIT);
        }
        first[0].loss()
    }

    /// Mean squared error on positions, `jobs` threads at a time.
    pub fn loss(&self, positions: &[PackedPosition], jobs: usize) -> f64 {
        let Recipe { slope, result_weight, .. } = self.recipe;
        let goal = move |position: &PackedPosition| target(position, slope, result_weight);
        let share = positions.len().div_ceil(jobs.max(1)).max(1);
        let sum: f64 = std::thread::scope(|scope| {
            let parts: Vec<_> = positions
                .chunks(share)
                .map(|part| scope.spawn(move || self.model.loss(part, goal)))
                .collect();
            parts.into_iter().map(|part| part.join().expect("arithmetic does not panic")).sum()
        });
        sum / positions.len().max(1) as f64
    }

    /// The state that training resumes from, as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self { recipe, steps, passes, .. } = *self;
        let header = CheckpointHeader { recipe, steps, passes, curve: self.curve.clone() };
        let mut bytes = serde_json::to_vec(&header).unwrap_or_default();
        bytes.push(b'\n');
        for numbers in [&self.model.weights, &self.momentum, &self.velocity] {
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    /// Resumes from a checkpoint, which must be one of this recipe. The slope is that of the checkpoint: it is fitted
    /// to the games, of which there may be more by now.
    pub fn from_bytes(recipe: Recipe, bytes: &[u8]) -> Result<Self, TrainerError> {
        let wrong = |what: &str| TrainerError::Checkpoint(what.to_owned());
        let (body, checksum) = bytes.split_last_chunk::<4>().ok_or_else(|| wrong("it is empty"))?;
        if crc32fast::hash(body).to_le_bytes() != *checksum {
            return Err(wrong("its checksum does not fit"));
        }
        let end = body.iter().position(|byte| *byte == b'\n').ok_or_else(|| wrong("it has no header"))?;
        let header: CheckpointHeader = serde_json::from_slice(&body[..end])
            .map_err(|error| TrainerError::Checkpoint(error.to_string()))?;
        let recipe = Recipe { slope: header.recipe.slope, ..recipe };
        if header.recipe != recipe {
            return Err(TrainerError::Checkpoint(format!("it was trained with {:?}", header.recipe)));
        }
        let mut trainer = Self::new(recipe);
        let numbers = body[end + 1..].as_chunks::<4>().0;
        let count = trainer.model.weights.len();
        if numbers.len() != 3 * count {
            return Err(wrong("it has another length"));
        }
        let lists = [&mut trainer.model.weights, &mut trainer.momentum, &mut trainer.velocity];
        for (list, part) in lists.into_iter().zip(numbers.chunks(count)) {
            for (number, bytes) in list.iter_mut().zip(part) {
                *number = f32::from_le_bytes(*bytes);
            }
        }
        (trainer.steps, trainer.passes, trainer.curve) = (header.steps, header.passes, header.curve);
        Ok(trainer)
    }
}

#[derive(Serialize, Deserialize)]
struct CheckpointHeader {
    recipe: Recipe,
    steps: u64,
    passes: u32,
    curve: Vec<PassLoss>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Game;
    use crate::eval::network::Accumulators;
    use crate::learn::games::viriformat::GameResult;
    use std::sync::Arc;

    /// A thousand positions of random games, judged by their material.
    fn samples() -> Shuffled {
        let mut random = Random::new(9);
        let mut found = Vec::new();
        while found.len() < 1_000 {
            let mut game = Game::default();
            for _ in 0..70 {
                let legal = game.position().legal_moves();
                let Some(&m) = legal.get(random.below(legal.len())) else { break };
                game.play(m);
                let board = game.position().board();
                let count = |color| (board.by_color(color) & !board.pawns()).count() as i32;
                let score = 100 * (count(shakmaty::Color::White) - count(shakmaty::Color::Black));
                found.push(PackedPosition::new(game.position().chess(), score as i16, GameResult::Draw));
            }
        }
        found.truncate(1_000);
        Shuffled::of(&found.chunks(300).map(<[_]>::to_vec).collect::<Vec<_>>())
    }

    fn recipe() -> Recipe {
        let shape = Shape { width: 16, buckets: 1 };
        Recipe { shape, passes: 60, batch: 64, rate: 5e-3, result_weight: 0.0, ..Recipe::default() }
    }

    fn trained(passes: u32, trainer: &mut Trainer, samples: &Shuffled) -> f64 {
        let stop = AtomicBool::new(false);
        (0..passes).map(|_| trainer.pass(samples, 2, &stop, |_| ()).unwrap()).last().unwrap()
    }

    #[test]
    fn a_thousand_positions_are_learned_by_heart() {
        let samples = samples();
        let mut trainer = Trainer::new(recipe());
        let first = trained(1, &mut trainer, &samples);
        let last = trained(59, &mut trainer, &samples);
        assert!(last < 2e-4 && last < first / 50.0, "{first} {last}");
        let all = samples.first(1_000).unwrap();
        assert!(trainer.loss(&all, 2) < 2e-4);
        assert!(trainer.model.weights.iter().all(|weight| weight.abs() <= WEIGHT_LIMIT));
    }

    #[test]
    fn a_checkpoint_goes_on_as_if_nothing_had_happened() {
        let samples = samples();
        let (mut straight, mut halves) = (Trainer::new(recipe()), Trainer::new(recipe()));
        trained(4, &mut straight, &samples);
        trained(2, &mut halves, &samples);
        halves.curve.push(PassLoss { pass: 2, training: 0.5, validation: 0.25 });
        let bytes = halves.to_bytes();
        // More games since then have another slope.
        let mut resumed = Trainer::from_bytes(Recipe { slope: 0.1, ..recipe() }, &bytes).unwrap();
        assert_eq!(std::mem::take(&mut resumed.curve), halves.curve);
        trained(2, &mut resumed, &samples);
        assert_eq!(resumed, straight);
        let other = Recipe { result_weight: 0.5, ..recipe() };
        assert!(Trainer::from_bytes(other, &bytes).is_err());
        assert!(Trainer::from_bytes(recipe(), &bytes[..bytes.len() - 1]).is_err());
        assert!(Trainer::from_bytes(recipe(), b"").is_err());
    }

    #[test]
    fn training_goes_on_from_a_network() {
        let samples = samples();
        let mut first = Trainer::new(recipe());
        let learned = trained(20, &mut first, &samples);
        let network = Network::quantised(16, 1, 200, &first.model.weights);
        let mut second = Trainer::from_network(Recipe { rate: 1e-4, ..recipe() }, &network).unwrap();
        assert!(trained(1, &mut second, &samples) < 1.5 * learned);
        let shape = Shape { width: 32, buckets: 1 };
        let mut wider = Trainer::from_network(Recipe { rate: 1e-4, shape, ..recipe() }, &network).unwrap();
        assert!(trained(1, &mut wider, &samples) < 1.5 * learned);
        let wide = Network::quantised(32, 1, 200, &wider.model.weights);
        let refused = Trainer::from_network(recipe(), &wide).unwrap_err().to_string();
        assert_eq!(refused, "that network has 32 neurons a side: --width must not be smaller");
    }

    #[test]
    fn a_rate_that_is_too_high_is_noticed_and_a_stop_is_heard() {
        let samples = samples();
        let mut wild = Trainer::new(Recipe { rate: f64::NAN, ..recipe() });
        let stop = AtomicBool::new(false);
        let mut outcome = Ok(0.0);
        for _ in 0..3 {
            outcome = outcome.and_then(|_| wild.pass(&samples, 1, &stop, |_| ()));
        }
        assert!(matches!(outcome, Err(TrainerError::Diverged { .. })), "{outcome:?}");
        let stopped = Trainer::new(recipe()).pass(&samples, 1, &AtomicBool::new(true), |_| ());
        assert_eq!(stopped, Err(TrainerError::Stopped));
    }

    #[test]
    fn whole_numbers_say_what_real_numbers_say() {
        let samples = samples();
        for (width, buckets) in [(64, 1), (128, 2)] {
            let shape = Shape { width, buckets };
            let mut trainer = Trainer::new(Recipe { shape, ..recipe() });
            trained(4, &mut trainer, &samples);
            let network = Network::quantised(width, buckets, 1_000, &trainer.model.weights);
            let mut sums = Accumulators::new(Arc::new(network));
            let (mut most, mut range) = (0.0_f32, 0.0_f32);
            for position in &samples.first(1_000).unwrap() {
                let chess = position.unpack().unwrap();
                let whole = sums.value_alone(shakmaty::Position::board(&chess), position.turn());
                let real = trainer.model.value(position);
                most = most.max((whole as f32 / 1_000.0 - real).abs());
                range = range.max(real.abs());
            }
            assert!(most < 0.06 && range > 1.0, "{most} {range}");
        }
    }

    #[test]
    fn the_rate_falls_from_the_first_to_the_last() {
        let recipe = Recipe::default();
        assert!((recipe.rate_at(0.0) - 1e-3).abs() < 1e-12 && (recipe.rate_at(1.0) - 3e-5).abs() < 1e-12);
        assert!(recipe.rate_at(0.3) > recipe.rate_at(0.7));
    }
}
