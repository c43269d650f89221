//! SPSA (Spall, "Multivariate Stochastic Approximation Using a Simultaneous Perturbation Gradient Approximation",
//! 1992): finds good numbers by playing. Every iteration moves all numbers at once, each up or down by the toss
//! of a coin, plays what comes of it against the opposite, and takes a small step towards the winner.
//!
//! Everything random is drawn from the seed and the number of the iteration, so that the results of the games
//! alone say where a run stands.

pub(crate) mod rows;

use serde::{Deserialize, Serialize};

use crate::game_record::GameRecord;
use crate::options::Options;
use crate::random::Random;

/// How fast steps become smaller; Spall, "Implementation of the Simultaneous Perturbation Algorithm", 1998.
const ALPHA: f64 = 0.602;
/// How fast perturbations become smaller, from the same article.
const GAMMA: f64 = 0.101;
/// This share of the iterations holds the first steps back.
const STABILITY: f64 = 0.1;

/// A number to be found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    /// The option that holds it.
    pub name: String,
    /// Its value before the first iteration.
    pub start: f64,
    pub min: f64,
    pub max: f64,
    /// The perturbation of the last iteration.
    pub step: f64,
}

/// The gains of every iteration, from those of the last.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Gains {
    /// How many iterations there will be.
    pub iterations: u64,
    /// What a won game more is worth in the last one: a step of this share of the perturbation.
    pub rate: f64,
}

impl Gains {
    /// c of an iteration, counted from 1, in perturbations of the last one.
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

/// Two sets of numbers that play against each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trial {
    /// The numbers moved one way.
    pub plus: Vec<i32>,
    /// The numbers moved the other way.
    pub minus: Vec<i32>,
}

/// Games that one side lost, drew and won.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MatchScore(pub [u32; 3]);

impl MatchScore {
    /// Of these games, for the first player.
    pub(crate) fn of(games: &[GameRecord]) -> Self {
        let mut outcome = Self::default();
        games.iter().for_each(|game| outcome.0[game.half_points().min(2)] += 1);
        outcome
    }

    pub(crate) fn total(&self) -> u64 {
        self.0.iter().copied().map(u64::from).sum()
    }

    /// Wins less losses of the first player.
    pub(crate) fn balance(&self) -> i64 {
        i64::from(self.0[2]) - i64::from(self.0[0])
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|points| self.0[points] + other.0[points]))
    }
}

/// Where a run stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SpsaState {
    /// The numbers after the last whole iteration.
    pub values: Vec<f64>,
    /// What the moved numbers did against the opposite ones in every whole iteration.
    pub outcomes: Vec<MatchScore>,
    /// Games of the iteration under way, without their moves.
    pub games: Vec<GameRecord>,
}

impl SpsaState {
    /// All games so far, those of the iteration under way included.
    pub(crate) fn total(&self) -> MatchScore {
        self.outcomes.iter().fold(MatchScore::of(&self.games), |sum, outcome| sum.and(*outcome))
    }
}

/// A search for good numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tuner {
    /// What is to be found.
    pub parameters: Vec<Parameter>,
    /// How large the steps are.
    pub gains: Gains,
    /// What everything random is drawn from.
    pub seed: u64,
    /// Games of every iteration.
    pub games: u64,
}

impl Tuner {
    /// The numbers to begin with.
    pub(crate) fn start(&self) -> Vec<f64> {
        self.parameters.iter().map(|parameter| parameter.start).collect()
    }

    /// These options with the numbers at these values.
    pub(crate) fn options_with(&self, options: &Options, values: &[i32]) -> Result<Options, String> {
        let mut options = options.clone();
        for (parameter, value) in self.parameters.iter().zip(values) {
            options.set(&parameter.name, &value.to_string()).map_err(|error| error.to_string())?;
        }
        Ok(options)
    }

    /// Every number goes up (1) or down (-1) on the plus side of an iteration, counted from 1.
    fn signs(&self, iteration: u64) -> (Vec<f64>, Random) {
        let mut random = Random::split(self.seed, iteration);
        let mut toss = || if random.number() >> 63 == 0 { 1.0 } else { -1.0 };
        (self.parameters.iter().map(|_| toss()).collect(), random)
    }

    /// Who plays in an iteration, counted from 1. Numbers between two whole ones become one of them by chance, the
    /// more likely the nearer, and by the same chance on both sides: so a tenth of a change is felt in every
    /// tenth iteration instead of never.
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

    /// The numbers after an iteration, counted from 1.
    pub(crate) fn step(&self, values: &[f64], iteration: u64, outcome: MatchScore) -> Vec<f64> {
        let towards =
            self.gains.rate(iteration) * self.gains.perturbation(iteration) * outcome.balance() as f64;
        let moved = |((parameter, value), sign): ((&Parameter, &f64), f64)| {
            (value + towards * sign * parameter.step).clamp(parameter.min, parameter.max)
        };
        self.parameters.iter().zip(values).zip(self.signs(iteration).0).map(moved).collect()
    }

    /// The numbers at first and after every iteration.
    pub(crate) fn history(&self, outcomes: &[MatchScore]) -> Vec<Vec<f64>> {
        let mut history = vec![self.start()];
        let mut values = self.start();
        for (iteration, outcome) in (1..).zip(outcomes) {
            values = self.step(&values, iteration, *outcome);
            history.push(values.clone());
        }
        history
    }

    /// The iteration under way, counted from 1; `None` if there is none left.
    pub(crate) fn iteration(&self, state: &SpsaState) -> Option<u64> {
        let next = state.outcomes.len() as u64 + 1;
        (next <= self.gains.iterations).then_some(next)
    }

    /// Takes a game of the iteration under way; the last one moves the numbers.
    pub(crate) fn take(&self, state: &mut SpsaState, game: &GameRecord) {
        let (start, book, plies) = Default::default();
        state.games.push(GameRecord { start, book, plies, failure: game.failure.clone(), ..*game });
        if state.games.len() as u64 >= self.games {
            let outcome = MatchScore::of(&std::mem::take(&mut state.games));
            state.values = self.step(&state.values, state.outcomes.len() as u64 + 1, outcome);
            state.outcomes.push(outcome);
        }
    }

    /// The state of a run that was kept, or what is wrong with it. The numbers are recomputed from the results, so
    /// that a run that was interrupted gives exactly the same.
    pub(crate) fn resume(&self, mut state: SpsaState) -> Result<SpsaState, String> {
        if state == SpsaState::default() {
            return Ok(SpsaState { values: self.start(), ..state });
        }
        let whole = state.outcomes.len() as u64 <= self.gains.iterations
            && state.outcomes.iter().all(|outcome| outcome.total() == self.games);
        let mut numbers: Vec<u64> = state.games.iter().map(|game| game.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let under_way = numbers.len() == state.games.len()
            && (numbers.len() as u64) < self.games
            && numbers.iter().all(|&number| number < self.games);
        if !whole || !under_way {
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
