//! Runs an engine on a suite: several positions at once, every one as if it were the first.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, unbounded};
use serde::Serialize;
use shakmaty::{Move, Position as _};

use super::client::{Client, Kind, PATIENCE, Trouble};
use super::epd::Task;
use crate::engine::Engine;
use crate::limits::Limits;
use crate::options::Options;
use crate::position::{Game, Position};
use crate::score::Score;
use crate::search::{Outcome, Report};
use crate::uci::command::Go;

/// How often a search is asked whether it should go on.
const TICK: Duration = Duration::from_millis(20);

/// An engine that nothing but depth or nodes limits is told to stop after this.
const LONGEST: Duration = Duration::from_secs(3600);

/// Who thinks.
#[derive(Clone, Debug)]
pub enum Player {
    /// Our own engine, in this process.
    Ours(Box<Options>),
    /// Another engine, as a process.
    Other {
        /// The program and its arguments.
        command: String,
        /// Options to set, by name.
        options: Vec<(String, String)>,
    },
}

impl From<Options> for Player {
    fn from(options: Options) -> Self {
        Self::Ours(Box::new(options))
    }
}

/// What to do with every position.
#[derive(Clone, Debug)]
pub struct Run {
    /// Who thinks.
    pub player: Player,
    /// How long.
    pub limits: Limits,
    /// Positions at once.
    pub jobs: usize,
}

/// Depth reached, nodes and time spent.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// The iteration.
    pub depth: i32,
    /// Nodes.
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
    /// The value it gives.
    pub score: Option<Score>,
    /// It is right.
    pub solved: bool,
    /// What the move is worth where moves have points.
    pub points: u32,
    /// Where it settled for good on a right move or, unsolved, on the move it would play.
    pub settled: Option<Cost>,
    /// What the whole search took.
    pub total: Cost,
    /// Why there is no answer.
    pub trouble: Option<Trouble>,
}

/// What an engine thought at some moment of a search.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Thought {
    best: Move,
    score: Option<Score>,
    cost: Cost,
}

/// All an engine thought about a position.
#[derive(Clone, Debug, Default)]
struct Thoughts {
    on_the_way: Vec<Thought>,
    best: Option<Move>,
    score: Option<Score>,
    total: Cost,
}

impl Run {
    /// Our own engine on a suite.
    pub fn new(options: Options, limits: Limits, jobs: usize) -> Self {
        Self { player: options.into(), limits, jobs }
    }

    /// Answers to all positions, in their order; fewer if `stop` was raised. `progress` hears of every answer
    /// when it comes. The only error is an engine that cannot be started at all.
    pub fn run(
        &self,
        tasks: &[Task],
        stop: &AtomicBool,
        progress: impl Fn(&Answer) + Sync,
    ) -> Result<Vec<Answer>, Trouble> {
        let jobs = self.jobs.clamp(1, tasks.len().max(1));
        let seats: Vec<Seat> = (0..jobs).map(|_| Seat::take(&self.player)).collect::<Result<_, _>>()?;
        let next = AtomicUsize::new(0);
        let answers = Mutex::new(Vec::with_capacity(tasks.len()));
        let work = |mut seat: Seat| {
            while let Some((index, task)) = nth(tasks, next.fetch_add(1, Ordering::Relaxed)) {
                let found = seat.think(&self.player, &task.position, &self.limits, stop);
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let answer = Answer { task: index, ..judge(task, found) };
                progress(&answer);
                answers.lock().unwrap_or_else(PoisonError::into_inner).push(answer);
            }
        };
        std::thread::scope(|scope| {
            for seat in seats {
                scope.spawn(|| work(seat));
            }
        });
        let mut answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
        answers.sort_by_key(|answer| answer.task);
        Ok(answers)
    }
}

fn nth(tasks: &[Task], index: usize) -> Option<(usize, &Task)> {
    tasks.get(index).map(|task| (index, task))
}

/// The verdict on what was thought.
fn judge(task: &Task, found: Result<Thoughts, Trouble>) -> Answer {
    let thoughts = match found {
        Ok(thoughts) => thoughts,
        Err(trouble) => return Answer { trouble: Some(trouble), ..Answer::default() },
    };
    let Thoughts { best, score, total, .. } = thoughts;
    let solved = best.is_some_and(|m| task.is_right(m, score));
    let settled = thoughts.settled(|thought| {
        if solved { task.is_right(thought.best, thought.score) } else { Some(thought.best) == best }
    });
    let points = best.map_or(0, |m| task.points_of(m));
    Answer { task: 0, best, score, solved, points, settled, total, trouble: None }
}

impl Thoughts {
    /// The first of the last thoughts that all hold; the end of the search if even the last one does not.
    fn settled(&self, holds: impl Fn(&Thought) -> bool) -> Option<Cost> {
        self.best?;
        let held = self.on_the_way.iter().rev().take_while(|thought| holds(thought)).last();
        Some(held.map_or(self.total, |thought| thought.cost))
    }
}

/// A place at which an engine sits.
enum Seat {
    Ours(Box<Engine>),
    Other(Box<Client>),
    /// The engine got into trouble; another will be started.
    Empty,
}

impl Seat {
    fn take(player: &Player) -> Result<Self, Trouble> {
        match player {
            Player::Ours(options) => Ok(Self::Ours(Box::new(Engine::new(options.as_ref().clone())))),
            Player::Other { command, options } => {
                let mut client = Client::start(command)?;
                for (name, value) in options {
                    client.set_option(name, value)?;
                }
                client.sync()?;
                Ok(Self::Other(Box::new(client)))
            }
        }
    }

    fn think(
        &mut self,
        player: &Player,
        position: &Position,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Result<Thoughts, Trouble> {
        if matches!(self, Self::Empty) {
            *self = Self::take(player)?;
        }
        let found = match self {
            Self::Ours(engine) => Ok(ours(engine, position, limits, stop)),
            Self::Other(client) => other(client, position, limits, stop),
            Self::Empty => Ok(Thoughts::default()),
        };
        if found.is_err() {
            *self = Self::Empty;
        }
        found
    }
}

/// Our own engine thinks.
fn ours(engine: &mut Engine, position: &Position, limits: &Limits, stop: &AtomicBool) -> Thoughts {
    engine.new_game();
    engine.set_game(Game::new(position.clone()));
    let (sender, reports) = unbounded();
    engine.go(limits.clone(), move |report: Report| {
        // Nobody can be gone: the receiver lives until the search is over.
        let _ = sender.send(report);
    });
    let mut thoughts = Thoughts::default();
    loop {
        match reports.recv_timeout(TICK) {
            Ok(Report::Line(line, effort)) if line.rank == 1 => {
                let cost = Cost { depth: line.depth, nodes: effort.nodes, time: effort.time };
                let thought = |best| Thought { best, score: Some(line.score), cost };
                thoughts.on_the_way.extend(line.moves.first().copied().map(thought));
            }
            Ok(Report::Finished(outcome)) => {
                thoughts.conclude(&outcome);
                break;
            }
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) if !stop.load(Ordering::Relaxed) => {}
            Err(RecvTimeoutError::Timeout) => engine.stop(),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    engine.wait();
    thoughts
}

impl Thoughts {
    fn conclude(&mut self, outcome: &Outcome) {
        self.best = outcome.best_move();
        self.score = outcome.score();
        let depth = outcome.lines.first().map_or(0, |line| line.depth);
        self.total = Cost { depth, nodes: outcome.effort.nodes, time: outcome.effort.time };
    }
}

/// Another engine thinks.
fn other(
    client: &mut Client,
    position: &Position,
    limits: &Limits,
    stop: &AtomicBool,
) -> Result<Thoughts, Trouble> {
    let chess960 = position.chess().castles().mode().is_chess960();
    if chess960 || client.has_option("UCI_Chess960") {
        client.set_option("UCI_Chess960", if chess960 { "true" } else { "false" })?;
    }
    client.new_game()?;
    let fen = position.fen();
    client.position(Some(&fen), &[])?;
    let within = limits.move_time.map_or(LONGEST, |time| time + PATIENCE);
    let reply = client.go(&go(limits), within, stop)?;
    let mut thoughts = Thoughts::default();
    let mut cost = Cost::default();
    for info in reply.lines.iter().filter(|info| info.is_first_line() || info.nodes.is_some()) {
        cost.depth = info.depth.unwrap_or(cost.depth);
        cost.nodes = info.nodes.unwrap_or(cost.nodes);
        cost.time = info.time.unwrap_or(cost.time);
        let first = info.moves.first().filter(|_| info.is_first_line());
        if let Some(best) = first.and_then(|text| position.parse_move(text).ok()) {
            thoughts.score = info.score;
            thoughts.on_the_way.push(Thought { best, score: info.score, cost });
        }
    }
    thoughts.total = Cost { time: reply.took, ..cost };
    if !position.legal_moves().is_empty() {
        let illegal = |_| client.trouble(Kind::IllegalMove { text: reply.best.clone(), fen });
        thoughts.best = Some(position.parse_move(&reply.best).map_err(illegal)?);
    }
    Ok(thoughts)
}

/// The limits as another engine is told them.
fn go(limits: &Limits) -> Go {
    Go {
        depth: limits.depth.map(i64::from),
        nodes: limits.nodes.map(|nodes| i64::try_from(nodes).unwrap_or(i64::MAX)),
        mate: limits.mate.map(i64::from),
        move_time: limits.move_time.map(|time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX)),
        infinite: limits.is_open(),
        ..Go::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::suite::Suite;

    fn options() -> Options {
        let mut options = Options::defaults();
        options.set("Hash", "1").unwrap();
        options
    }

    #[test]
    fn answers_come_in_order_and_do_not_depend_on_jobs() {
        let suite = Suite::load("bk", false).unwrap().thinned(8);
        let run = |jobs| {
            let run = Run::new(options(), Limits::nodes(3_000), jobs);
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
    fn a_raised_flag_gives_what_there_is() {
        let suite = Suite::load("bk", false).unwrap();
        let stop = AtomicBool::new(false);
        let run = Run::new(options(), Limits::nodes(500), 1);
        let answers = run.run(&suite.tasks, &stop, |answer| stop.store(answer.task == 2, Ordering::Relaxed));
        assert_eq!(answers.unwrap().len(), 3);
    }

    #[test]
    fn a_mate_is_solved_with_its_length() {
        let line = "7k/8/8/8/8/8/R7/1R5K w - - bm Rb7 Ra7; dm 2;";
        let suite = Suite::parse("mate", line, false);
        let run = |depth| Run::new(options(), Limits::depth(depth), 1);
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
        let thought = |text: &str, nodes| Thought {
            best: m(text),
            score: None,
            cost: Cost { nodes, ..Cost::default() },
        };
        let thoughts = Thoughts {
            on_the_way: vec![thought("e2e4", 1), thought("d2d4", 2), thought("e2e4", 3), thought("e2e4", 4)],
            best: Some(m("e2e4")),
            score: None,
            total: Cost { nodes: 9, ..Cost::default() },
        };
        let nodes = |best: &str| thoughts.settled(|thought| thought.best == m(best)).map(|cost| cost.nodes);
        assert_eq!((nodes("e2e4"), nodes("d2d4")), (Some(3), Some(9)));
    }
}
