//! LSC-offline (thesis, algorithm 13): each position is searched with the current weights, and once with each of them
//! changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::solver::{Solver, SolverResult, SolverTask};
use super::{CLASSES, ClassWeights, Iteration, Pace, Problem, RANGE, descend};
use crate::parallel::{Jobs, parallel_map};

/// One iteration over a suite.
pub struct Offline<'a> {
    /// The positions.
    pub problems: &'a [Problem],
    /// Node limit of a search.
    pub nodes: u64,
    /// Searches at once, each in its own solver.
    pub jobs: usize,
    /// Learning rate and step sizes.
    pub pace: Pace,
    /// Whether there is one set of weights for the whole game instead of one per phase.
    pub together: bool,
}

/// The initial directions. A path ends when its depth reaches the horizon, so starting at weights of a whole ply a tenth
/// more changes nothing, while a tenth less adds a move.
pub const FIRST_SIGNS: [[i8; CLASSES]; 3] = [[-1; CLASSES]; 3];

/// A search: the index of the problem, and the class whose weight is changed (`CLASSES` for none).
type ChangedWeight = (usize, usize);

/// Nodes of the searches of an iteration, by changed class.
type NodeSums = [u64; CLASSES + 1];

/// The run ends when a program has failed at this many positions, or at this fraction of them if that is more. It always
/// ends if the program failed at all positions.
const MOST_FAILURES: usize = 3;
/// See [`MOST_FAILURES`].
const ONE_FAILURE_OF: usize = 10;

/// Why a search has no result.
enum Failed {
    /// The program does not start, or the run was stopped.
    Everywhere,
    /// It failed twice at this position.
    Here,
}

impl Offline<'_> {
    /// Measures these weights and returns the next ones. `signs` are the directions in which the weights are changed, `+1`
    /// or `-1`, and are updated to the directions in which they move. A position where a program fails twice counts as the
    /// node limit with all weights, so it moves none. Returns `None` if `stop` was raised or the program failed too often.
    pub fn iterate<S: Solver>(
        &self,
        weights: &[ClassWeights; 3],
        signs: &mut [[i8; CLASSES]; 3],
        iteration: usize,
        workers: &Solvers<'_, S>,
    ) -> Option<(Iteration, [ClassWeights; 3])> {
        let searches = (0..self.problems.len()).flat_map(|p| (0..=CLASSES).map(move |class| (p, class)));
        let skipped = Skipped::default();
        let mut counts: BTreeMap<ChangedWeight, SolverResult> = BTreeMap::new();
        parallel_map(
            Jobs { count: self.jobs, stop: workers.stop },
            searches,
            || None,
            |solver: &mut Option<S>, (index, class)| {
                let problem = self.problems.get(index).filter(|_| !skipped.has(index))?;
                let tried = self.changed(weights, signs, problem.phase as usize, class);
                match self.solve(solver, problem, &tried, workers) {
                    Ok(count) => Some(((index, class), count)),
                    Err(failed) => {
                        let all = self.problems.len();
                        let most = MOST_FAILURES.max(all / ONE_FAILURE_OF).min(all);
                        skipped.add(index, if matches!(failed, Failed::Here) { most } else { 0 });
                        None
                    }
                }
            },
            |(search, count)| {
                counts.insert(search, count);
                (workers.progress)();
            },
        );
        if skipped.everything() || workers.stop.load(Ordering::Relaxed) {
            return None;
        }
        for index in (0..self.problems.len()).filter(|index| skipped.has(*index)) {
            counts
                .extend((0..=CLASSES).map(|class| ((index, class), SolverResult::new(false, 0, self.nodes))));
        }
        let mut next = *weights;
        for phase in 0..3 {
            let counts_here = |index: usize| self.together || self.problems[index].phase as usize == phase;
            let mut sums = NodeSums::default();
            for ((_, class), count) in counts.iter().filter(|((index, _), _)| counts_here(*index)) {
                sums[*class] += count.nodes;
            }
            self.learn(&mut next[phase], &mut signs[phase], &sums, iteration);
        }
        let plain = || counts.iter().filter(|((_, class), _)| *class == CLASSES).map(|(_, count)| count);
        let measured = Iteration {
            weights: *weights,
            nodes: plain().map(|count| count.nodes).sum(),
            solved: plain().filter(|count| count.solved).count(),
            positions: plain().count(),
        };
        Some((measured, next))
    }

    /// Line 19: `w_i ← w_i − μ Δw_max (nodes_i − nodes) / nodes`, with the sign of the change that was tried.
    fn learn(
        &self,
        weights: &mut ClassWeights,
        signs: &mut [i8; CLASSES],
        sums: &NodeSums,
        iteration: usize,
    ) {
        let nodes = sums[CLASSES] as f64;
        let change = std::array::from_fn(|class| f64::from(signs[class]) * (sums[class] as f64 - nodes));
        let before = *weights;
        descend(weights, &change, nodes, self.pace.step_in(iteration));
        for class in 0..CLASSES {
            // If a weight did not move, try the other direction next time.
            signs[class] = match weights[class].total_cmp(&before[class]) {
                std::cmp::Ordering::Greater => 1,
                std::cmp::Ordering::Less => -1,
                std::cmp::Ordering::Equal => -signs[class],
            };
        }
    }

    /// The weights with one class changed. A trial may go below the range of learned weights, down to 0.
    fn changed(
        &self,
        weights: &[ClassWeights; 3],
        signs: &[[i8; CLASSES]; 3],
        phase: usize,
        class: usize,
    ) -> [ClassWeights; 3] {
        let mut changed = *weights;
        let phases = if self.together { 0..3 } else { phase..phase + 1 };
        for phase in phases {
            if let (Some(weight), Some(&sign)) = (changed[phase].get_mut(class), signs[phase].get(class)) {
                *weight = (*weight + f64::from(sign) * self.pace.delta).clamp(0.0, RANGE.1);
            }
        }
        changed
    }

    /// Runs one search; a program that failed is restarted once.
    fn solve<S: Solver>(
        &self,
        solver: &mut Option<S>,
        problem: &Problem,
        weights: &[ClassWeights; 3],
        workers: &Solvers<'_, S>,
    ) -> Result<SolverResult, Failed> {
        let task = SolverTask { problem, weights, nodes: self.nodes };
        for _ in 0..2 {
            let mut running = match solver.take() {
                Some(running) => running,
                None => (workers.start)().map_err(|what| {
                    (workers.failure)(&what);
                    Failed::Everywhere
                })?,
            };
            match running.count(&task) {
                Ok(count) => {
                    *solver = Some(running);
                    return Ok(count);
                }
                Err(_) if workers.stop.load(Ordering::Relaxed) => return Err(Failed::Everywhere),
                Err(what) => (workers.failure)(&format!("{what} (in {})", problem.position.fen())),
            }
        }
        Err(Failed::Here)
    }
}

/// Positions left out of an iteration; `None` for all of them.
struct Skipped(Mutex<Option<BTreeSet<usize>>>);

impl Default for Skipped {
    fn default() -> Self {
        Self(Mutex::new(Some(BTreeSet::new())))
    }
}

impl Skipped {
    fn has(&self, index: usize) -> bool {
        let skipped = self.0.lock();
        skipped.as_ref().is_none_or(|some| some.contains(&index))
    }

    /// Leaves out one more position, or all of them once there are `most`.
    fn add(&self, index: usize, most: usize) {
        let mut skipped = self.0.lock();
        if let Some(some) = skipped.as_mut() {
            some.insert(index);
            if some.len() >= most {
                *skipped = None;
            }
        }
    }

    fn everything(&self) -> bool {
        self.0.lock().is_none()
    }
}

/// Starts and stops solvers, and receives failures and progress.
pub struct Solvers<'a, S> {
    /// Starts a solver, one for each job and another after a failure.
    pub start: &'a (dyn Fn() -> Result<S, String> + Sync),
    /// Called with each failure.
    pub failure: &'a (dyn Fn(&str) + Sync),
    /// Called after every search.
    pub progress: &'a (dyn Fn() + Sync),
    /// Ends the iteration when raised.
    pub stop: &'a AtomicBool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::GamePhase;
    use crate::board::Position;
    use std::sync::atomic::AtomicUsize;

    /// Needs more nodes with heavier checks and lighter recaptures.
    struct ModelSolver;

    impl Solver for ModelSolver {
        fn count(&mut self, task: &SolverTask<'_>) -> Result<SolverResult, String> {
            let weights = task.weights[task.problem.phase as usize];
            let needed = (1_000.0 * (1.0 + weights[0] - 0.5 * weights[1])) as u64;
            Ok(SolverResult::new(needed < task.nodes, needed, task.nodes))
        }
    }

    /// Fails at its first search only.
    struct Shaky<'a>(&'a AtomicUsize);

    impl Solver for Shaky<'_> {
        fn count(&mut self, task: &SolverTask<'_>) -> Result<SolverResult, String> {
            if self.0.fetch_add(1, Ordering::Relaxed) == 0 {
                Err("fell over".to_owned())
            } else {
                ModelSolver.count(task)
            }
        }
    }

    /// Fails in the opening.
    struct Fastidious;

    impl Solver for Fastidious {
        fn count(&mut self, task: &SolverTask<'_>) -> Result<SolverResult, String> {
            if task.problem.phase == GamePhase::Opening {
                Err("fell over".to_owned())
            } else {
                ModelSolver.count(task)
            }
        }
    }

    fn problems() -> Vec<Problem> {
        let position = Position::default();
        let moves = vec![position.legal_moves()[0]];
        [GamePhase::Opening, GamePhase::Middle, GamePhase::Middle]
            .map(|phase| Problem {
                position: position.clone(),
                moves: moves.clone(),
                phase,
                path: Vec::new(),
            })
            .into()
    }

    fn iterate<S: Solver>(
        problems: &[Problem],
        start: &(dyn Fn() -> Result<S, String> + Sync),
        together: bool,
    ) -> (Option<(Iteration, [ClassWeights; 3])>, usize) {
        let pace = Pace { rate: 1.0, decay: 1.0, step: 1.0, delta: 0.1 };
        let offline = Offline { problems, nodes: 10_000, jobs: 2, pace, together };
        let (stop, failures) = (AtomicBool::new(false), AtomicUsize::new(0));
        let failure = |_: &str| {
            failures.fetch_add(1, Ordering::Relaxed);
        };
        let workers = Solvers { start, failure: &failure, progress: &|| {}, stop: &stop };
        let result = offline.iterate(&[[1.0; CLASSES]; 3], &mut [[1; CLASSES]; 3], 0, &workers);
        (result, failures.into_inner())
    }

    // 1,500 nodes a position; 1,600 with checks at 1.1 and 1,450 with recaptures at 1.1.
    #[test]
    fn weights_move_as_line_19_says_in_the_stages_that_have_positions() {
        let (result, _) = iterate(&problems(), &|| Ok(ModelSolver), false);
        let (measured, next) = result.unwrap();
        assert_eq!((measured.nodes, measured.solved, measured.positions), (4_500, 3, 3));
        assert!((next[1][0] - (1.0 - 100.0 / 1500.0)).abs() < 1e-9, "{next:?}");
        assert!((next[1][1] - (1.0 + 50.0 / 1500.0)).abs() < 1e-9, "{next:?}");
        assert_eq!(next[1][2..], [1.0, 1.0]);
        assert_eq!(next[2], [1.0; CLASSES], "no position is of the endgame");
        let (result, _) = iterate(&problems(), &|| Ok(ModelSolver), true);
        let (_, next) = result.unwrap();
        assert_eq!((next[0], next[1]), (next[1], next[2]));
    }

    #[test]
    fn a_position_that_always_fails_costs_the_limit_and_too_many_of_them_end_the_run() {
        let (result, failures) = iterate(&problems(), &|| Ok(Fastidious), false);
        let (measured, next) = result.unwrap();
        assert_eq!((measured.nodes, measured.solved, measured.positions), (13_000, 2, 3));
        assert_eq!(next[0], [1.0; CLASSES], "it says nothing about weights");
        assert!(failures >= 2, "every failure is named");
        let opening = problems()[0].clone();
        let three: Vec<Problem> = std::iter::repeat_n(opening, 3).collect();
        assert!(iterate(&three, &|| Ok(Fastidious), false).0.is_none());
    }

    #[test]
    fn a_solver_that_fails_is_named_and_replaced_and_the_run_ends_when_none_starts() {
        let calls = AtomicUsize::new(0);
        let (result, failures) = iterate(&problems(), &|| Ok(Shaky(&calls)), false);
        assert!(result.is_some_and(|(measured, _)| measured.nodes == 4_500) && failures == 1);
        let (result, failures) = iterate::<ModelSolver>(&problems(), &|| Err("not there".to_owned()), false);
        assert!(result.is_none() && failures >= 1);
    }
}
