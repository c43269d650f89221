//! Runs an engine on a suite, several positions at once, each as a new game.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use shakmaty::{Move, Position as _};

use crate::board::{Game, Position};
use crate::epd::Task;
use crate::limits::Limits;
use crate::options::Options;
use crate::score::Score;
use crate::uci::client::{LONGEST, TIMEOUT};
pub use crate::uci::player::SearchCost;
use crate::uci::player::{BestSoFar, Player, Question, Thought};
use crate::uci::{EngineError, Program};

/// A run of an engine on a suite.
#[derive(Clone, Debug)]
pub struct SuiteRun {
    /// The engine, ours or another.
    pub program: Program,
    /// The limits per position.
    pub limits: Limits,
    /// Positions at once, each with its own engine.
    pub jobs: usize,
}

/// The answer of an engine to a position.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The position, as its index in the suite.
    pub task: usize,
    /// The best move; `None` only if there is no legal move, or after a failure.
    pub best: Option<Move>,
    /// The score of the best move for the side to move.
    pub score: Option<Score>,
    /// Whether the position is solved.
    pub solved: bool,
    /// Points for the move, if moves have points.
    pub points: u32,
    /// The cost when the engine finally settled on a right move or, if unsolved, on its best move.
    pub settled: Option<SearchCost>,
    /// The cost of the whole search.
    pub total: SearchCost,
    /// Why there is no answer.
    pub failure: Option<EngineError>,
}

impl SuiteRun {
    /// A run of our own engine.
    pub fn new(options: Options, limits: Limits, jobs: usize) -> Self {
        Self { program: options.into(), limits, jobs }
    }

    /// The answers in the order of the positions; fewer if `stop` was raised. `progress` is called for every answer. It is
    /// an error if no engine can be started; if only some can, the run uses these.
    pub fn run(
        &self,
        tasks: &[Task],
        stop: &AtomicBool,
        progress: impl Fn(&Answer) + Sync,
    ) -> Result<Vec<Answer>, EngineError> {
        let jobs = self.jobs.clamp(1, tasks.len().max(1));
        let mut analysts = vec![analyst(&self.program)?];
        for job in 1..jobs {
            match analyst(&self.program) {
                Ok(analyst) => analysts.push(analyst),
                Err(failure) => log::error!("{failure}; job {} of {jobs} is left out", job + 1),
            }
        }
        let next = AtomicUsize::new(0);
        let answers = Mutex::new(Vec::with_capacity(tasks.len()));
        let work = |mut analyst: Player| {
            while let Some((index, task)) = nth(tasks, next.fetch_add(1, Ordering::Relaxed)) {
                let found = analyse(&mut analyst, &task.position, &self.limits, stop);
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

/// Searches one position with an engine started for it.
pub fn ask(program: &Program, task: &Task, limits: &Limits, stop: &AtomicBool) -> Answer {
    let found = analyst(program).and_then(|mut analyst| analyse(&mut analyst, &task.position, limits, stop));
    judge(task, found)
}

/// Starts an engine. Ours gets no move overhead, because there is no clock.
fn analyst(program: &Program) -> Result<Player, EngineError> {
    let program = match program {
        Program::Own(options) => Options { move_overhead: 0, ..options.as_ref().clone() }.into(),
        other => other.clone(),
    };
    let mut player = Player::new(program, TIMEOUT);
    player.start()?;
    Ok(player)
}

/// Searches a position as a new game.
fn analyse(
    player: &mut Player,
    position: &Position,
    limits: &Limits,
    stop: &AtomicBool,
) -> Result<Thought, EngineError> {
    player.new_game(position.chess().castles().mode().is_chess960())?;
    let within = limits.move_time.map_or(LONGEST, |time| time + TIMEOUT);
    let (game, start) = (Game::new(position.clone()), position.fen());
    let question = Question { game: &game, start: &start, moves: &[], limits, within, steps: true };
    player.think(&question, stop)?.legal().inspect_err(|_| player.dismiss())
}

/// The cost at the first of the trailing steps that all hold, or of the whole search if the last step does not.
fn settled(thought: &Thought, holds: impl Fn(&BestSoFar) -> bool) -> Option<SearchCost> {
    thought.best?;
    let held = thought.steps.iter().rev().take_while(|step| holds(step)).last();
    Some(held.map_or(thought.cost, |step| step.cost))
}

fn nth(tasks: &[Task], index: usize) -> Option<(usize, &Task)> {
    tasks.get(index).map(|task| (index, task))
}

/// Compares a search with the solution of the task.
fn judge(task: &Task, found: Result<Thought, EngineError>) -> Answer {
    let thought = match found {
        Ok(thought) => thought,
        Err(failure) => return Answer { failure: Some(failure), ..Answer::default() },
    };
    let (best, score, total) = (thought.best, thought.score, thought.cost);
    let solved = best.is_some_and(|m| task.is_right(m, score));
    let holds = |step: &BestSoFar| {
        if solved { task.is_right(step.best, step.score) } else { Some(step.best) == best }
    };
    let settled = settled(&thought, holds);
    let points = best.map_or(0, |m| task.points_of(m));
    Answer { task: 0, best, score, solved, points, settled, total, failure: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epd::suite::Suite;
    use std::time::Duration;

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

    #[test]
    fn an_engine_settles_where_it_stops_changing_its_mind() {
        let position = Position::default();
        let m = |text: &str| position.parse_move(text).unwrap();
        let cost = |nodes| SearchCost { nodes, ..SearchCost::default() };
        let step = |text: &str, nodes| BestSoFar { best: m(text), score: None, cost: cost(nodes) };
        let thought = Thought {
            steps: vec![step("e2e4", 1), step("d2d4", 2), step("e2e4", 3), step("e2e4", 4)],
            best: Some(m("e2e4")),
            cost: cost(9),
            ..Thought::default()
        };
        let nodes = |best: &str| settled(&thought, |step| step.best == m(best)).map(|cost| cost.nodes);
        assert_eq!((nodes("e2e4"), nodes("d2d4")), (Some(3), Some(9)));
    }
}
