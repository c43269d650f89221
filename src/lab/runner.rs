//! Runs an engine on a suite: several positions at once, every one as if it were the first.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;
use shakmaty::Move;

use super::client::EngineError;
use super::player::{Analysis, Analyst};
use super::program::Program;
use crate::epd::Task;
use crate::limits::Limits;
use crate::options::Options;
use crate::score::Score;

/// What to do with every position.
#[derive(Clone, Debug)]
pub struct SuiteRun {
    /// The engine, ours or another.
    pub program: Program,
    /// The limits of every position.
    pub limits: Limits,
    /// Positions at once, each by an engine of its own.
    pub jobs: usize,
}

/// Depth reached, nodes and time spent.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize)]
pub struct SearchCost {
    /// The depth the search reached, in plies.
    pub depth: i32,
    /// Nodes of the whole search.
    pub nodes: u64,
    /// Time, in milliseconds in files.
    #[serde(serialize_with = "as_milliseconds", rename = "milliseconds")]
    pub time: Duration,
}

fn as_milliseconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((time.as_secs_f64() * 1e6).round() / 1e3)
}

/// What an engine made of a position.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The position, as its index in the suite.
    pub task: usize,
    /// The move it would play; `None` only without a legal move, or in trouble.
    pub best: Option<Move>,
    /// The value of the chosen move for the side to move.
    pub score: Option<Score>,
    /// The position counts as solved.
    pub solved: bool,
    /// What the move is worth where moves have points.
    pub points: u32,
    /// Where it settled for good on a right move or, unsolved, on the move it would play.
    pub settled: Option<SearchCost>,
    /// What the whole search took.
    pub total: SearchCost,
    /// Why there is no answer.
    pub trouble: Option<EngineError>,
}

impl SuiteRun {
    /// Our own engine on a suite.
    pub fn new(options: Options, limits: Limits, jobs: usize) -> Self {
        Self { program: options.into(), limits, jobs }
    }

    /// Answers to all positions, in their order; fewer if `stop` was raised. `progress` hears of every answer
    /// when it comes. The only error is an engine that cannot be started at all; one that cannot be started as often
    /// as there are jobs searches with those that could.
    pub fn run(
        &self,
        tasks: &[Task],
        stop: &AtomicBool,
        progress: impl Fn(&Answer) + Sync,
    ) -> Result<Vec<Answer>, EngineError> {
        let jobs = self.jobs.clamp(1, tasks.len().max(1));
        let mut analysts = vec![Analyst::start(&self.program)?];
        for job in 1..jobs {
            match Analyst::start(&self.program) {
                Ok(analyst) => analysts.push(analyst),
                Err(trouble) => log::error!("{trouble}; job {} of {jobs} is left out", job + 1),
            }
        }
        let next = AtomicUsize::new(0);
        let answers = Mutex::new(Vec::with_capacity(tasks.len()));
        let work = |mut analyst: Analyst| {
            while let Some((index, task)) = nth(tasks, next.fetch_add(1, Ordering::Relaxed)) {
                let found = analyst.analyse(&self.program, &task.position, &self.limits, stop);
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let answer = Answer { task: index, ..judge(task, found) };
                progress(&answer);
                answers.lock().push(answer);
            }
        };
        std::thread::scope(|scope| {
            for analyst in analysts {
                scope.spawn(|| work(analyst));
            }
        });
        let mut answers = answers.into_inner();
        answers.sort_by_key(|answer| answer.task);
        Ok(answers)
    }
}

/// One position, by an engine that sits down for it alone.
pub fn ask(program: &Program, task: &Task, limits: &Limits, stop: &AtomicBool) -> Answer {
    let found = Analyst::start(program)
        .and_then(|mut analyst| analyst.analyse(program, &task.position, limits, stop));
    judge(task, found)
}

fn nth(tasks: &[Task], index: usize) -> Option<(usize, &Task)> {
    tasks.get(index).map(|task| (index, task))
}

/// Judges an analysis by the answers of the task.
fn judge(task: &Task, found: Result<Analysis, EngineError>) -> Answer {
    let analysis = match found {
        Ok(analysis) => analysis,
        Err(trouble) => return Answer { trouble: Some(trouble), ..Answer::default() },
    };
    let Analysis { best, score, total, .. } = analysis;
    let solved = best.is_some_and(|m| task.is_right(m, score));
    let settled = analysis
        .settled(|step| if solved { task.is_right(step.best, step.score) } else { Some(step.best) == best });
    let points = best.map_or(0, |m| task.points_of(m));
    Answer { task: 0, best, score, solved, points, settled, total, trouble: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epd::suite::Suite;

    fn options() -> Options {
        let mut options = Options::default();
        options.set("Hash", "1").unwrap();
        options
    }

    #[test]
    fn answers_come_in_order_and_do_not_depend_on_jobs() {
        let suite = Suite::load("bk", false).unwrap().thinned(8);
        let run = |jobs| {
            let run = SuiteRun::new(options(), Limits::nodes(3_000), jobs);
            let answers = run.run(&suite.tasks, &AtomicBool::new(false), |_| {}).unwrap();
            let view =
                |answer: &Answer| (answer.task, answer.best, answer.score, answer.solved, answer.total.nodes);
            answers.iter().map(view).collect::<Vec<_>>()
        };
        let one = run(1);
        assert_eq!(one.iter().map(|answer| answer.0).collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
        assert!(one.iter().all(|answer| answer.4 == 3_000));
        assert_eq!(one, run(3));
    }

    #[test]
    fn all_the_time_is_for_thinking() {
        let mut options = options();
        options.set("Move Overhead", "10000").unwrap();
        let suite = Suite::parse("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", false);
        let limits = Limits { move_time: Some(Duration::from_millis(60)), ..Limits::default() };
        let answers =
            SuiteRun::new(options, limits, 1).run(&suite.tasks, &AtomicBool::new(false), |_| {}).unwrap();
        assert!(answers[0].total.time >= Duration::from_millis(60), "{:?}", answers[0].total);
    }

    #[test]
    fn a_raised_flag_gives_what_there_is() {
        let suite = Suite::load("bk", false).unwrap();
        let stop = AtomicBool::new(false);
        let run = SuiteRun::new(options(), Limits::nodes(500), 1);
        let answers = run.run(&suite.tasks, &stop, |answer| stop.store(answer.task == 2, Ordering::Relaxed));
        assert_eq!(answers.unwrap().len(), 3);
    }

    #[test]
    fn a_mate_is_solved_with_its_length() {
        let line = "7k/8/8/8/8/8/R7/1R5K w - - dm 2;";
        let suite = Suite::parse("mate", line, false);
        let run = |depth| SuiteRun::new(options(), Limits::depth(depth), 1);
        let answer = |depth| run(depth).run(&suite.tasks, &AtomicBool::new(false), |_| {}).unwrap().remove(0);
        assert!(!answer(1).solved);
        let found = answer(8);
        assert!(found.solved, "{found:?}");
        let settled = found.settled.unwrap();
        assert!(settled.nodes <= found.total.nodes && settled.depth >= 2, "{found:?}");
    }
}
