//! LSC-offline (thesis, algorithm 13): every position is searched with the weights, and once more with each
//! of them changed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::solver::{Count, Solver};
use super::{CLASSES, Iteration, Pace, Problem, Weights, descend};

/// One iteration over a suite.
pub struct Offline<'a> {
    /// The suite.
    pub problems: &'a [Problem],
    /// Most nodes of a search.
    pub nodes: u64,
    /// Searches at once.
    pub jobs: usize,
    /// How fast to learn.
    pub pace: Pace,
    /// One set of weights for the whole game instead of one for each stage.
    pub together: bool,
}

/// The directions to begin with. A path ends when its depth reaches the horizon, so from weights of a whole ply
/// a tenth more changes nothing, and a tenth less adds a move.
pub const FIRST_SIGNS: [[i8; CLASSES]; 3] = [[-1; CLASSES]; 3];

/// A search to make: a problem, and the class whose weight is changed; the last one stands for none.
type Search = (usize, usize);

/// What the searches of an iteration found.
struct Sums {
    /// By stage, then by changed class; the last one stands for none.
    nodes: [[u64; CLASSES + 1]; 3],
    solved: usize,
    left: usize,
}

impl Offline<'_> {
    /// Measures these weights and says which to try next. `signs` tells in which direction each weight is
    /// changed, the one in which it moves: `+1` or `-1`. Nothing comes back if `stop` was raised or every
    /// solver gave up; `trouble` hears why they do, `progress` of every search.
    pub fn iterate<S: Solver>(
        &self,
        weights: &[Weights; 3],
        signs: &mut [[i8; CLASSES]; 3],
        iteration: usize,
        workers: &Workers<'_, S>,
    ) -> Option<(Iteration, [Weights; 3])> {
        let searches: Vec<Search> =
            (0..self.problems.len()).flat_map(|p| (0..=CLASSES).map(move |class| (p, class))).rev().collect();
        let sums = Mutex::new(Sums { nodes: [[0; CLASSES + 1]; 3], solved: 0, left: searches.len() });
        let queue = Mutex::new(searches);
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| self.work(weights, signs, &queue, &sums, workers));
            }
        });
        let sums = sums.into_inner().unwrap_or_else(PoisonError::into_inner);
        if sums.left > 0 {
            return None;
        }
        let mut next = *weights;
        for stage in 0..3 {
            self.learn(&mut next[stage], &mut signs[stage], &self.totals(&sums, stage), iteration);
        }
        let measured = Iteration {
            weights: *weights,
            nodes: sums.nodes.iter().map(|counts| counts[CLASSES]).sum(),
            solved: sums.solved,
            positions: self.problems.len(),
        };
        Some((measured, next))
    }

    /// Nodes that count for a stage's weights.
    fn totals(&self, sums: &Sums, stage: usize) -> [u64; CLASSES + 1] {
        if !self.together {
            return sums.nodes[stage];
        }
        std::array::from_fn(|class| sums.nodes.iter().map(|counts| counts[class]).sum())
    }

    /// Line 19: `w_i ← w_i − μ Δw_max (nodes_i − nodes) / nodes`, with the sign of the change that was tried.
    fn learn(
        &self,
        weights: &mut Weights,
        signs: &mut [i8; CLASSES],
        totals: &[u64; CLASSES + 1],
        iteration: usize,
    ) {
        let nodes = totals[CLASSES] as f64;
        let change = std::array::from_fn(|class| f64::from(signs[class]) * (totals[class] as f64 - nodes));
        let before = *weights;
        descend(weights, &change, nodes, self.pace.rate_in(iteration), self.pace.step);
        for class in 0..CLASSES {
            // A weight that does not move is tried in the other direction next time.
            signs[class] = match weights[class].total_cmp(&before[class]) {
                std::cmp::Ordering::Greater => 1,
                std::cmp::Ordering::Less => -1,
                std::cmp::Ordering::Equal => -signs[class],
            };
        }
    }

    /// The weights to search with: one changed, turned around where the range ends.
    fn changed(&self, weights: &Weights, signs: &[i8; CLASSES], class: usize) -> Weights {
        let mut changed = *weights;
        if let (Some(weight), Some(&sign)) = (changed.get_mut(class), signs.get(class)) {
            *weight = (*weight + f64::from(sign) * self.pace.delta).clamp(0.0, 2.0);
        }
        changed
    }

    /// One thread: searches until nothing is left. A solver in trouble is replaced once for every search.
    fn work<S: Solver>(
        &self,
        weights: &[Weights; 3],
        signs: &[[i8; CLASSES]; 3],
        queue: &Mutex<Vec<Search>>,
        sums: &Mutex<Sums>,
        workers: &Workers<'_, S>,
    ) {
        let locked = |queue: &Mutex<Vec<Search>>| queue.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut solver = None;
        while !workers.stop.load(Ordering::Relaxed)
            && let Some((index, class)) = locked(queue)
        {
            let Some(problem) = self.problems.get(index) else { break };
            let stage = problem.stage as usize;
            let tried = self.changed(&weights[stage], &signs[stage], class);
            let Some(count) = self.solve(&mut solver, problem, &tried, workers) else {
                queue.lock().unwrap_or_else(PoisonError::into_inner).push((index, class));
                break;
            };
            let mut sums = sums.lock().unwrap_or_else(PoisonError::into_inner);
            sums.left -= 1;
            sums.nodes[stage][class] += count.nodes;
            sums.solved += usize::from(count.solved && class == CLASSES);
            (workers.progress)();
        }
    }

    fn solve<S: Solver>(
        &self,
        solver: &mut Option<S>,
        problem: &Problem,
        weights: &Weights,
        workers: &Workers<'_, S>,
    ) -> Option<Count> {
        for _ in 0..2 {
            if solver.is_none() {
                match (workers.start)() {
                    Ok(started) => *solver = Some(started),
                    Err(what) => (workers.trouble)(&what),
                }
            }
            match solver.as_mut()?.count(problem, weights, self.nodes) {
                Ok(count) => return Some(count),
                Err(what) => {
                    (workers.trouble)(&format!("{what} (in {})", problem.position.fen()));
                    *solver = None;
                }
            }
        }
        None
    }
}

/// Who does the work, and who hears of it.
pub struct Workers<'a, S> {
    /// Starts a solver.
    pub start: &'a (dyn Fn() -> Result<S, String> + Sync),
    /// Hears what is wrong with one.
    pub trouble: &'a (dyn Fn(&str) + Sync),
    /// Hears of every search.
    pub progress: &'a (dyn Fn() + Sync),
    /// Raised to end early.
    pub stop: &'a AtomicBool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::selective::Stage;
    use std::sync::atomic::AtomicUsize;

    /// Needs more nodes the heavier checks are and the lighter recaptures.
    struct Model;

    impl Solver for Model {
        fn count(&mut self, _: &Problem, weights: &Weights, nodes: u64) -> Result<Count, String> {
            let needed = (1_000.0 * (1.0 + weights[0] - 0.5 * weights[1])) as u64;
            Ok(Count { solved: needed < nodes, nodes: needed.min(nodes) })
        }
    }

    /// Fails at first.
    struct Shaky<'a>(&'a AtomicUsize);

    impl Solver for Shaky<'_> {
        fn count(&mut self, problem: &Problem, weights: &Weights, nodes: u64) -> Result<Count, String> {
            if self.0.fetch_add(1, Ordering::Relaxed) == 0 {
                Err("fell over".to_owned())
            } else {
                Model.count(problem, weights, nodes)
            }
        }
    }

    fn problems() -> Vec<Problem> {
        let position = Position::default();
        let moves = vec![position.legal_moves()[0]];
        [Stage::Opening, Stage::Middle, Stage::Middle]
            .map(|stage| Problem {
                position: position.clone(),
                moves: moves.clone(),
                stage,
                path: Vec::new(),
            })
            .into()
    }

    fn iterate<S: Solver>(
        problems: &[Problem],
        start: &(dyn Fn() -> Result<S, String> + Sync),
        together: bool,
    ) -> (Option<(Iteration, [Weights; 3])>, usize) {
        let pace = Pace { rate: 1.0, decay: 1.0, step: 1.0, delta: 0.1 };
        let offline = Offline { problems, nodes: 10_000, jobs: 2, pace, together };
        let (stop, troubles) = (AtomicBool::new(false), AtomicUsize::new(0));
        let trouble = |_: &str| {
            troubles.fetch_add(1, Ordering::Relaxed);
        };
        let workers = Workers { start, trouble: &trouble, progress: &|| {}, stop: &stop };
        let result = offline.iterate(&[[1.0; CLASSES]; 3], &mut [[1; CLASSES]; 3], 0, &workers);
        (result, troubles.into_inner())
    }

    // 1,500 nodes a position; 1,600 with checks at 1.1 and 1,450 with recaptures at 1.1.
    #[test]
    fn weights_move_as_line_19_says_in_the_stages_that_have_positions() {
        let (result, _) = iterate(&problems(), &|| Ok(Model), false);
        let (measured, next) = result.unwrap();
        assert_eq!((measured.nodes, measured.solved, measured.positions), (4_500, 3, 3));
        assert!((next[1][0] - (1.0 - 100.0 / 1500.0)).abs() < 1e-9, "{next:?}");
        assert!((next[1][1] - (1.0 + 50.0 / 1500.0)).abs() < 1e-9, "{next:?}");
        assert_eq!(next[1][2..], [1.0, 1.0]);
        assert_eq!(next[2], [1.0; CLASSES], "no position is of the endgame");
        let (result, _) = iterate(&problems(), &|| Ok(Model), true);
        let (_, next) = result.unwrap();
        assert_eq!((next[0], next[1]), (next[1], next[2]));
    }

    #[test]
    fn a_solver_in_trouble_is_named_and_replaced_and_the_run_ends_when_none_starts() {
        let calls = AtomicUsize::new(0);
        let (result, troubles) = iterate(&problems(), &|| Ok(Shaky(&calls)), false);
        assert!(result.is_some_and(|(measured, _)| measured.nodes == 4_500) && troubles == 1);
        let (result, troubles) = iterate::<Model>(&problems(), &|| Err("not there".to_owned()), false);
        assert!(result.is_none() && troubles >= 1);
    }
}
