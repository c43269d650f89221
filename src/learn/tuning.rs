//! Tunes the classical evaluation.
//!
//! Texel's method (Peter Österlund, 2014): a sigmoid turns an evaluation into an expected result, and the weights are
//! fitted to scores and results. Here the gradient is exact: [`crate::eval::trace`] gives the coefficients of each weight,
//! and Adam (Kingma & Ba, 2015) descends. King danger, which enters squared, is handled by its derivative.

use crate::Position;
use crate::eval::{self, COUNT, Coefficients, LIMIT, Pair, TermKind, Weights};
use crate::game_record::GameRecord;
use crate::random::Random;
use crate::self_play::DECIDED;
use crate::statistics::{best_positive, logistic};

/// A position with score and result from White's view.
#[derive(Clone, Debug)]
pub(crate) struct TuningSample {
    /// A quiet position.
    pub position: Position,
    /// The score of a search in centipawns.
    pub score: i32,
    /// The game's result: 0, 0.5 or 1.
    pub result: Option<f64>,
}

/// Training and validation samples, which should be of different games.
#[derive(Clone, Debug, Default)]
pub(crate) struct TuningSet {
    pub training: Vec<TuningSample>,
    /// Validation samples; if there are none, the training samples are used.
    pub held_out: Vec<TuningSample>,
}

impl TuningSet {
    /// Holds out the last samples, this share of all.
    pub(crate) fn split(mut samples: Vec<TuningSample>, share: f64) -> Self {
        let held_out = (samples.len() as f64 * share.clamp(0.0, 0.9)) as usize;
        let held_out = samples.split_off(samples.len() - held_out);
        Self { training: samples, held_out }
    }

    /// The number of all samples.
    pub(crate) fn len(&self) -> usize {
        self.training.len() + self.held_out.len()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct TuningSettings {
    /// Passes over the samples.
    pub epochs: usize,
    /// Samples between two steps.
    pub batch: usize,
    /// First step size in centipawns; it falls to a twentieth along a cosine.
    pub rate: f64,
    /// Regularisation towards the first weights, per sample and squared centipawn.
    pub pull: f64,
    /// Weight of the game's result in the target; the rest is the score.
    pub result_share: f64,
}

impl Default for TuningSettings {
    fn default() -> Self {
        Self { epochs: 100, batch: 4096, rate: 0.2, pull: 1e-9, result_share: 0.3 }
    }
}

/// The report after every pass.
#[derive(Copy, Clone, Debug)]
pub(crate) struct TuningProgress {
    /// Passes done; 0 for the report before the first.
    pub epoch: usize,
    /// Mean squared error on the training samples during the pass.
    pub training: f64,
    /// Mean squared error on the validation samples.
    pub held_out: f64,
}

/// Fits the weights to the samples, starting from `start`.
///
/// Returns the weights with the least validation error. The slope of the sigmoid is fitted to the first weights and then
/// fixed, so that values stay centipawns. `progress` is called after every pass and may end the run.
pub(crate) fn tune(
    set: TuningSet,
    start: &Weights,
    settings: &TuningSettings,
    mut progress: impl FnMut(&TuningProgress) -> bool,
) -> Weights {
    let slope = score_slope(&set.training);
    let [training, held_out] =
        [set.training, set.held_out].map(|samples| prepare(samples, start, settings, slope));
    let (training, held_out) = (training.as_slice(), held_out.as_slice());
    if training.is_empty() {
        return start.clone();
    }
    let values: Vec<(f64, f64)> =
        training.iter().map(|case| (case.coefficients.value(start), case.target)).collect();
    let slope = fit_slope(&values);

    let mut model = AdamModel::new(start, slope);
    // Weights are written as whole centipawns, so the error is measured on these.
    let judge = |weights: &Weights| {
        AdamModel::new(weights, slope).loss(if held_out.is_empty() { training } else { held_out })
    };
    let mut best = (judge(start), start.clone());
    if !progress(&TuningProgress { epoch: 0, training: model.loss(training), held_out: best.0 }) {
        return best.1;
    }
    let mut order: Vec<u32> = (0..training.len() as u32).collect();
    let mut random = Random::new(1);
    for epoch in 0..settings.epochs {
        random.shuffle(&mut order);
        let turn = std::f64::consts::PI * epoch as f64 / settings.epochs as f64;
        let rate = settings.rate * (0.05 + 0.95 * (0.5 + 0.5 * turn.cos()));
        let mut error = 0.0;
        for batch in order.chunks(settings.batch.max(1)) {
            error += model.step(training, batch, rate, settings.pull);
        }
        let weights = model.weights();
        let held_out = judge(&weights);
        if held_out < best.0 {
            best = (held_out, weights);
        }
        let training = error / training.len() as f64;
        if !progress(&TuningProgress { epoch: epoch + 1, training, held_out }) {
            break;
        }
    }
    best.1
}

/// A prepared sample.
struct Case {
    coefficients: Coefficients,
    target: f64,
}

/// The slope with which scores predict results best; a default if there are no results.
fn score_slope(samples: &[TuningSample]) -> f64 {
    let both: Vec<(f64, f64)> =
        samples.iter().filter_map(|sample| Some((f64::from(sample.score), sample.result?))).collect();
    if both.is_empty() { 1.0 / 200.0 } else { fit_slope(&both) }
}

/// Computes coefficients and targets of the samples.
fn prepare(
    samples: Vec<TuningSample>,
    weights: &Weights,
    settings: &TuningSettings,
    slope: f64,
) -> Vec<Case> {
    let share = settings.result_share;
    let mut cases = Vec::with_capacity(samples.len());
    for TuningSample { position, score, result } in samples {
        let expected = logistic(slope * f64::from(score));
        let target = result.map_or(expected, |result| share * result + (1.0 - share) * expected);
        let mut coefficients = eval::trace(&position, weights);
        // Nothing can be learned where endgame rules scale the value to 0.
        if coefficients.scale > 0 {
            coefficients.counts.shrink_to_fit();
            cases.push(Case { coefficients, target });
        }
    }
    cases
}

fn mean_error(values: &[(f64, f64)], slope: f64) -> f64 {
    let sum: f64 = values.iter().map(|(value, target)| (logistic(slope * value) - target).powi(2)).sum();
    sum / values.len().max(1) as f64
}

/// The slope with which values predict targets best.
fn fit_slope(values: &[(f64, f64)]) -> f64 {
    best_positive(0.000_5..0.05, 40, |slope| mean_error(values, slope))
}

/// Number of parts, the same on every machine so that sums do not depend on it.
const PARTS: usize = 8;
/// Smaller parts are not worth a thread.
const LEAST: usize = 64;

fn in_parts<T: Sync, R: Send>(all: &[T], work: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    let size = all.len().div_ceil(PARTS);
    if size < LEAST {
        return vec![work(all)];
    }
    std::thread::scope(|scope| {
        let work = &work;
        let parts: Vec<_> = all.chunks(size).map(|part| scope.spawn(move || work(part))).collect();
        parts.into_iter().map(|part| part.join().expect("arithmetic does not panic")).collect()
    })
}

/// Weights as real numbers, and Adam's memory of their gradients.
struct AdamModel {
    start: Vec<[f64; 2]>,
    weights: Vec<[f64; 2]>,
    momentum: Vec<[f64; 2]>,
    velocity: Vec<[f64; 2]>,
    slope: f64,
    steps: i32,
}

impl AdamModel {
    fn new(start: &Weights, slope: f64) -> Self {
        let pair = |pair: &Pair| [f64::from(pair.mg()), f64::from(pair.eg())];
        let weights: Vec<[f64; 2]> = start.values().iter().map(pair).collect();
        let zeros = vec![[0.0; 2]; COUNT];
        Self { start: weights.clone(), weights, momentum: zeros.clone(), velocity: zeros, slope, steps: 0 }
    }

    fn weights(&self) -> Weights {
        let mut rounded = Weights::zero();
        for (pair, [mg, eg]) in rounded.values_mut().iter_mut().zip(&self.weights) {
            let whole = |half: &f64| (half.round() as i32).clamp(-LIMIT, LIMIT);
            *pair = Pair::new(whole(mg), whole(eg));
        }
        rounded
    }

    fn loss(&self, cases: &[Case]) -> f64 {
        let error = |case: &Case| {
            let value = case.coefficients.value_of(&case.coefficients.sums(|index| self.weights[index]));
            (logistic(self.slope * value) - case.target).powi(2)
        };
        let sums = in_parts(cases, |part| part.iter().map(error).sum::<f64>());
        sums.iter().sum::<f64>() / cases.len().max(1) as f64
    }

    /// One step of Adam on a batch; returns the sum of its squared errors.
    fn step(&mut self, cases: &[Case], batch: &[u32], rate: f64, pull: f64) -> f64 {
        const MOMENTUM: f64 = 0.9;
        const VELOCITY: f64 = 0.999;
        let mut gradient = vec![[0.0; 2]; COUNT];
        let mut error = 0.0;
        let parts = in_parts(batch, |part| {
            let mut gradient = vec![[0.0; 2]; COUNT];
            let errors = part.iter().map(|&case| self.descend(&cases[case as usize], &mut gradient));
            (errors.sum::<f64>(), gradient)
        });
        for (errors, slopes) in parts {
            error += errors;
            for (sum, more) in gradient.iter_mut().flatten().zip(slopes.iter().flatten()) {
                *sum += more;
            }
        }
        self.steps = self.steps.saturating_add(1);
        let warm = [1.0 - MOMENTUM.powi(self.steps), 1.0 - VELOCITY.powi(self.steps)];
        for (index, slopes) in gradient.iter().enumerate() {
            for (half, slope) in slopes.iter().enumerate() {
                let strayed = self.weights[index][half] - self.start[index][half];
                let slope = slope / batch.len() as f64 + 2.0 * pull * strayed;
                let momentum = &mut self.momentum[index][half];
                let velocity = &mut self.velocity[index][half];
                *momentum = MOMENTUM * *momentum + (1.0 - MOMENTUM) * slope;
                *velocity = VELOCITY * *velocity + (1.0 - VELOCITY) * slope * slope;
                let step = (*momentum / warm[0]) / ((*velocity / warm[1]).sqrt() + 1e-10);
                self.weights[index][half] -= rate * step;
            }
        }
        error
    }

    /// Adds the gradient of a case's squared error; returns the squared error.
    fn descend(&self, case: &Case, gradient: &mut [[f64; 2]]) -> f64 {
        let coefficients = &case.coefficients;
        let sums = coefficients.sums(|index| self.weights[index]);
        let expected = logistic(self.slope * coefficients.value_of(&sums));
        let error = expected - case.target;
        let outer = 2.0 * error * expected * (1.0 - expected) * self.slope;
        let inner = coefficients.derivatives(&sums);
        for count in &coefficients.counts {
            let index = usize::from(count.index);
            let (white, black) = (f64::from(count.white), f64::from(count.black));
            for (half, slope) in gradient[index].iter_mut().enumerate() {
                *slope += outer
                    * match eval::kind(index) {
                        TermKind::Linear => inner.linear[half] * (white - black),
                        TermKind::Danger => inner.danger[0][half] * white + inner.danger[1][half] * black,
                        TermKind::Complexity if half == 1 => inner.complexity * white,
                        TermKind::Complexity => 0.0,
                    };
            }
        }
        error * error
    }
}

/// The quiet positions of a game, while it is not decided: not in check, and the best move is no capture or promotion.
/// Games that ended by a failure of a player have no result. `None` if the game cannot be replayed.
pub(crate) fn quiet_positions(game: &GameRecord) -> Option<Vec<TuningSample>> {
    let mut position = game.first_position()?;
    let result = game.failure.is_none().then(|| game.result.points());
    let mut samples = Vec::new();
    let book = game.book.iter().map(|uci| (uci, None));
    for (uci, score) in book.chain(game.plies.iter().map(|ply| (&ply.uci, ply.score))) {
        let m = position.parse_move(uci).ok()?;
        let quiet = !position.in_check() && !m.is_capture() && !m.is_promotion();
        if let Some(score) = score.filter(|score| quiet && score.abs() < DECIDED) {
            let score = position.turn().fold_wb(score, -score);
            samples.push(TuningSample { position: position.clone(), score, result });
        }
        position = position.play(m);
    }
    Some(samples)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator;
    use crate::game_record::{GameEnd, GameResult, Ply};

    /// Positions of a few random games, scored by the evaluation itself.
    fn self_judged() -> Vec<TuningSample> {
        let mut evaluator = Evaluator::default();
        let mut random = Random::new(3);
        let mut samples = Vec::new();
        for _ in 0..25 {
            let mut position = Position::default();
            for _ in 0..80 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position = position.play(*random.pick(&moves));
                let value = evaluator.evaluate(&position).raw();
                let score = position.turn().fold_wb(value, -value);
                samples.push(TuningSample { position: position.clone(), score, result: None });
            }
        }
        samples
    }

    #[test]
    fn derivatives_are_those_of_the_value() {
        let weights = Weights::default();
        for sample in self_judged().iter().step_by(37) {
            let coefficients = eval::trace(&sample.position, &weights);
            // Away from whole numbers, so that no sum stands exactly on a kink.
            let model = || {
                let mut model = AdamModel::new(&weights, 0.005);
                for (index, [mg, eg]) in model.weights.iter_mut().enumerate() {
                    *mg += 0.013 * (index % 17) as f64 + 0.0031;
                    *eg += 0.011 * (index % 19) as f64 + 0.0037;
                }
                model
            };
            let case = Case { coefficients, target: 0.3 };
            let mut gradient = vec![[0.0; 2]; COUNT];
            model().descend(&case, &mut gradient);
            for count in case.coefficients.counts.iter().step_by(5) {
                let index = usize::from(count.index);
                for (half, &worked_out) in gradient[index].iter().enumerate() {
                    let loss = |change: f64| {
                        let mut moved = model();
                        moved.weights[index][half] += change;
                        moved.loss(std::slice::from_ref(&case))
                    };
                    let measured = (loss(1e-4) - loss(-1e-4)) / 2e-4;
                    assert!(
                        (measured - worked_out).abs() <= 1e-8 + 1e-3 * worked_out.abs(),
                        "weight {index} half {half}: {measured} {worked_out} {}",
                        sample.position.fen()
                    );
                }
            }
        }
    }

    #[test]
    fn a_spoilt_weight_is_found_again() {
        let samples = self_judged();
        let mut spoilt = Weights::default();
        spoilt.values_mut()[1] = Pair::new(200, 200);
        let settings = TuningSettings { epochs: 40, batch: 128, rate: 3.0, ..TuningSettings::default() };
        let mut reports = Vec::new();
        let tuned = tune(TuningSet::split(samples, 0.0), &spoilt, &settings, |progress| {
            reports.push(*progress);
            true
        });
        assert_eq!(reports.len(), 41);
        let last = reports.iter().map(|report| report.held_out).fold(f64::MAX, f64::min);
        assert!(last < 0.2 * reports[0].held_out, "{reports:?}");
        assert!(tuned.values()[1].mg() > 230, "{:?}", tuned.values()[1]);
    }

    #[test]
    fn what_is_kept_back_decides_and_progress_can_end_it() {
        let mut spoilt = Weights::default();
        spoilt.values_mut()[1] = Pair::new(200, 200);
        // Batches large enough to be shared among threads.
        let settings = TuningSettings { epochs: 12, batch: 1_024, rate: 3.0, ..TuningSettings::default() };
        let run = |most: usize| {
            let mut errors = Vec::new();
            let tuned = tune(TuningSet::split(self_judged(), 0.2), &spoilt, &settings, |progress| {
                errors.push(progress.held_out);
                errors.len() <= most
            });
            (tuned, errors)
        };
        let (tuned, errors) = run(usize::MAX);
        assert!(errors.len() == 13 && tuned != spoilt && errors[12] < errors[0], "{errors:?}");
        assert_eq!(run(usize::MAX), (tuned, errors.clone()), "the same again");
        assert_eq!(run(0), (spoilt.clone(), errors[..1].to_vec()));
        assert_eq!(run(3).1.len(), 4);
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let all: Vec<usize> = (0..PARTS * LEAST + 77).collect();
        let sums = in_parts(&all, |part| part.iter().sum::<usize>());
        assert_eq!((sums.len(), sums.iter().sum::<usize>()), (PARTS, all.iter().sum()));
        assert_eq!(in_parts(&all[..LEAST], <[usize]>::len), [LEAST], "too few to share");
    }

    #[test]
    fn nothing_to_learn_from_changes_nothing() {
        let start = Weights::default();
        assert_eq!(tune(TuningSet::default(), &start, &TuningSettings::default(), |_| true), start);
    }

    #[test]
    fn the_slope_is_found() {
        let values: Vec<(f64, f64)> =
            (-50..50).map(|i| (f64::from(i) * 20.0, logistic(0.004 * f64::from(i) * 20.0))).collect();
        assert!((fit_slope(&values) - 0.004).abs() < 1e-6);
    }

    #[test]
    fn quiet_positions_are_seen_by_white_and_know_the_result() {
        let ply = |uci: &str, score| Ply { uci: uci.into(), score: Some(score), depth: 7, nodes: 9, ms: 1 };
        let game = GameRecord {
            number: 0,
            white: 0,
            start: Position::default().fen(),
            book: vec!["e2e4".into(), "d7d5".into()],
            plies: vec![
                ply("e4d5", 30), // a capture
                ply("g8f6", -25),
                ply("f1b5", 20),
                ply("c7c6", 10), // out of check
                ply("d5c6", 1_600),
            ],
            result: GameResult::Black,
            ending: GameEnd::AdjudicatedWin,
            failure: None,
        };
        let found = quiet_positions(&game).unwrap();
        let judged: Vec<_> = found.iter().map(|sample| (sample.score, sample.result)).collect();
        assert_eq!(judged, [(25, Some(0.0)), (20, Some(0.0))]);
        let lost = GameRecord { failure: Some((0, "time".into())), ..game.clone() };
        assert!(quiet_positions(&lost).unwrap().iter().all(|sample| sample.result.is_none()));
        assert!(quiet_positions(&GameRecord { start: "nonsense".into(), ..game.clone() }).is_none());
        assert!(quiet_positions(&GameRecord { book: vec!["e2e5".into()], ..game }).is_none());
    }
}
