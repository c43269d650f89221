//! SPSA (Spall, "Multivariate Stochastic Approximation Using a Simultaneous Perturbation Gradient Approximation", 1992):
//! tunes parameters by self-play. Each iteration perturbs all parameters at once, each up or down at random, plays the
//! result against the opposite perturbation, and takes a small step towards the winner.
//!
//! All random numbers depend only on the seed and the number of the iteration, so the results of the games determine the
//! state of a run.

pub(crate) mod rows;

use serde::{Deserialize, Serialize};

use crate::game_record::GameRecord;
use crate::options::Options;
use crate::random::Random;

/// Exponent of the step sizes; Spall, "Implementation of the Simultaneous Perturbation Algorithm", 1998.
const ALPHA: f64 = 0.602;
/// Exponent of the perturbations, from the same article.
const GAMMA: f64 = 0.101;
/// The stability constant as a share of the iterations; it limits the first steps.
const STABILITY: f64 = 0.1;

/// A parameter to be tuned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    /// The name of the option.
    pub name: String,
    /// Its value before the first iteration.
    pub start: f64,
    pub min: f64,
    pub max: f64,
    /// The perturbation of the last iteration.
    pub step: f64,
}

/// The gain sequences, given by their last values.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Gains {
    pub iterations: u64,
    /// Step for one more won game in the last iteration, as a share of the perturbation.
    pub rate: f64,
}

impl Gains {
    /// c of an iteration, counted from 1, relative to the last.
    fn perturbation(&self, iteration: u64) -> f64 {
        (self.iterations as f64 / iteration.max(1) as f64).powf(GAMMA)
    }

    /// a / c² of an iteration, counted from 1.
    fn rate(&self, iteration: u64) -> f64 {
        let last = self.iterations as f64;
        let held_back = STABILITY * last;
        let steps = ((held_back + last) / (held_back + iteration.max(1) as f64)).powf(ALPHA);
        self.rate * steps / self.perturbation(iteration).powi(2)
    }
}

/// Two sets of values that play against each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trial {
    /// The values perturbed one way.
    pub plus: Vec<i32>,
    /// The values perturbed the other way.
    pub minus: Vec<i32>,
}

/// Losses, draws and wins of one side.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MatchScore(pub [u32; 3]);

impl MatchScore {
    /// The score of the first player in these games.
    pub(crate) fn of(games: &[GameRecord]) -> Self {
        let mut outcome = Self::default();
        games.iter().for_each(|game| outcome.0[game.half_points().min(2)] += 1);
        outcome
    }

    pub(crate) fn total(&self) -> u64 {
        self.0.iter().copied().map(u64::from).sum()
    }

    /// Wins minus losses of the first player.
    pub(crate) fn balance(&self) -> i64 {
        i64::from(self.0[2]) - i64::from(self.0[0])
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|points| self.0[points] + other.0[points]))
    }
}

/// The state of a run, stored in its checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SpsaState {
    /// The values after the last complete iteration.
    pub values: Vec<f64>,
    /// The score of plus against minus in every complete iteration.
    pub outcomes: Vec<MatchScore>,
    /// Games of the current iteration, without their moves.
    pub games: Vec<GameRecord>,
}

impl SpsaState {
    /// The score of all games so far.
    pub(crate) fn total(&self) -> MatchScore {
        self.outcomes.iter().fold(MatchScore::of(&self.games), |sum, outcome| sum.and(*outcome))
    }
}

/// Tunes parameters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tuner {
    pub parameters: Vec<Parameter>,
    pub gains: Gains,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Games per iteration.
    pub games: u64,
}

impl Tuner {
    /// The start values.
    pub(crate) fn start(&self) -> Vec<f64> {
        self.parameters.iter().map(|parameter| parameter.start).collect()
    }

    /// The options with the parameters at these values.
    pub(crate) fn options_with(&self, options: &Options, values: &[i32]) -> Result<Options, String> {
        let mut options = options.clone();
        for (parameter, value) in self.parameters.iter().zip(values) {
            options.set(&parameter.name, &value.to_string()).map_err(|error| error.to_string())?;
        }
        Ok(options)
    }

    /// The direction of each parameter (1 or -1) on the plus side of an iteration, counted from 1.
    fn signs(&self, iteration: u64) -> (Vec<f64>, Random) {
        let mut random = Random::split(self.seed, iteration);
        let mut toss = || if random.number() >> 63 == 0 { 1.0 } else { -1.0 };
        (self.parameters.iter().map(|_| toss()).collect(), random)
    }

    /// The values that play in an iteration, counted from 1. Values are rounded up or down at random, with the nearer whole
    /// number more likely and the same random number on both sides, so that a change of 0.1 has an effect in every tenth
    /// iteration rather than never.
    pub(crate) fn trial(&self, values: &[f64], iteration: u64) -> Trial {
        let (signs, mut random) = self.signs(iteration);
        let size = self.gains.perturbation(iteration);
        let (mut plus, mut minus) = (Vec::new(), Vec::new());
        for ((parameter, value), sign) in self.parameters.iter().zip(values).zip(signs) {
            let fraction = (random.number() >> 11) as f64 / (1_u64 << 53) as f64;
            let whole = |value: f64| (value + fraction).floor().clamp(parameter.min, parameter.max) as i32;
            let moved = sign * size * parameter.step;
            plus.push(whole(value + moved));
            minus.push(whole(value - moved));
        }
        Trial { plus, minus }
    }

    /// The values after an iteration, counted from 1.
    pub(crate) fn step(&self, values: &[f64], iteration: u64, outcome: MatchScore) -> Vec<f64> {
        let towards =
            self.gains.rate(iteration) * self.gains.perturbation(iteration) * outcome.balance() as f64;
        let moved = |((parameter, value), sign): ((&Parameter, &f64), f64)| {
            (value + towards * sign * parameter.step).clamp(parameter.min, parameter.max)
        };
        self.parameters.iter().zip(values).zip(self.signs(iteration).0).map(moved).collect()
    }

    /// The values at the start and after every iteration.
    pub(crate) fn history(&self, outcomes: &[MatchScore]) -> Vec<Vec<f64>> {
        let mut history = vec![self.start()];
        let mut values = self.start();
        for (iteration, outcome) in (1..).zip(outcomes) {
            values = self.step(&values, iteration, *outcome);
            history.push(values.clone());
        }
        history
    }

    /// The current iteration, counted from 1; `None` if all are done.
    pub(crate) fn iteration(&self, state: &SpsaState) -> Option<u64> {
        let next = state.outcomes.len() as u64 + 1;
        (next <= self.gains.iterations).then_some(next)
    }

    /// Adds a game of the current iteration; the last game moves the values.
    pub(crate) fn take(&self, state: &mut SpsaState, game: &GameRecord) {
        let (start, book, plies) = Default::default();
        state.games.push(GameRecord { start, book, plies, failure: game.failure.clone(), ..*game });
        if state.games.len() as u64 >= self.games {
            let outcome = MatchScore::of(&std::mem::take(&mut state.games));
            state.values = self.step(&state.values, state.outcomes.len() as u64 + 1, outcome);
            state.outcomes.push(outcome);
        }
    }

    /// Checks a stored state and resumes it. The values are recomputed from the results, so that an interrupted run gives
    /// exactly the same.
    pub(crate) fn resume(&self, mut state: SpsaState) -> Result<SpsaState, String> {
        if state == SpsaState::default() {
            return Ok(SpsaState { values: self.start(), ..state });
        }
        let whole = state.outcomes.len() as u64 <= self.gains.iterations
            && state.outcomes.iter().all(|outcome| outcome.total() == self.games);
        let mut numbers: Vec<u64> = state.games.iter().map(|game| game.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let in_progress = numbers.len() == state.games.len()
            && (numbers.len() as u64) < self.games
            && numbers.iter().all(|&number| number < self.games);
        if !whole || !in_progress {
            return Err("a damaged checkpoint: its games cannot be those of this run".to_owned());
        }
        let values = self.history(&state.outcomes).pop().unwrap_or_default();
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-6 * a.abs().max(1.0);
        if values.len() != state.values.len() || !values.iter().zip(&state.values).all(near) {
            return Err(format!(
                "a damaged checkpoint, or one of another version: its games lead to {values:?}, not to {:?}",
                state.values
            ));
        }
        state.values = values;
        Ok(state)
    }
}

#[cfg(test)]
mod tests;
