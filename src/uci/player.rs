//! One adapter to play and analyse with our engine in this process or any UCI engine in another.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use shakmaty::{Move, Position as _};

use super::client::{Client, Reply};
use super::error::{EngineError, EngineErrorKind};
use super::go::Go;
use super::program::Program;
use crate::board::{Game, Position};
use crate::engine::Engine;
use crate::limits::Limits;
use crate::score::Score;
use crate::search::{Outcome, Report, Search};

/// Searches of up to this many nodes are not worth stopping.
const SHORT: u64 = 200_000;

/// An engine that is started when it is first needed, and again after a failure.
pub struct Player {
    program: Program,
    timeout: Duration,
    on_this_thread: bool,
    running: Option<Running>,
}

enum Running {
    Own(Box<Engine>),
    Other(Box<Client>),
}

/// A request to a player: a game, and limits.
pub struct Question<'a> {
    /// The position and its history.
    pub game: &'a Game,
    /// FEN of the start position.
    pub start: &'a str,
    /// The moves from it in UCI notation.
    pub moves: &'a [String],
    /// The limits of the search.
    pub limits: &'a Limits,
    /// After this time another engine is sent `stop`, whatever its limits.
    pub within: Duration,
    /// Whether to collect every change of the best move.
    pub steps: bool,
}

/// Depth reached, nodes and time spent.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchCost {
    /// Nominal depth of the last iteration, in plies.
    pub depth: i32,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time, in milliseconds in files.
    #[serde(
        serialize_with = "as_milliseconds",
        deserialize_with = "of_milliseconds",
        rename = "milliseconds"
    )]
    pub time: Duration,
}

fn as_milliseconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((time.as_secs_f64() * 1e6).round() / 1e3)
}

fn of_milliseconds<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let milliseconds = f64::deserialize(deserializer)?;
    Duration::try_from_secs_f64(milliseconds / 1e3).map_err(serde::de::Error::custom)
}

/// The best move at some time of a search.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct BestSoFar {
    /// The move it would have played.
    pub best: Move,
    /// The value of that move for the mover.
    pub score: Option<Score>,
    /// The cost so far.
    pub cost: SearchCost,
}

/// The answer of a player.
#[derive(Clone, Debug, Default)]
pub struct Thought {
    /// The move to play; `None` without a legal move, or if it is illegal.
    pub best: Option<Move>,
    /// The error if the move is illegal. The caller decides, because the move may also be late.
    pub illegal: Option<EngineError>,
    /// The value for the mover.
    pub score: Option<Score>,
    /// The cost of the whole search.
    pub cost: SearchCost,
    /// Time from request to answer.
    pub took: Duration,
    /// The changes of the best move, if they were asked for.
    pub steps: Vec<BestSoFar>,
    /// Whether `stop` was sent because its time was up.
    pub forced: bool,
}

impl Player {
    /// A player that is not started yet. Another engine may answer `timeout` late.
    pub fn new(program: Program, timeout: Duration) -> Self {
        Self { program, timeout, on_this_thread: false, running: None }
    }

    /// Runs short searches of our own engine on the calling thread, which must have a stack of
    /// [`STACK`](crate::search::STACK).
    pub fn on_this_thread(self) -> Self {
        Self { on_this_thread: true, ..self }
    }

    /// How late another engine may answer.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Starts the engine, if it is not running.
    pub fn start(&mut self) -> Result<(), EngineError> {
        self.running().map(|_| ())
    }

    /// Gets ready for a game, of Chess960 or not.
    pub fn new_game(&mut self, chess960: bool) -> Result<(), EngineError> {
        let ready = match self.running()? {
            Running::Own(engine) => {
                engine.new_game();
                Ok(())
            }
            Running::Other(client) => client.set_chess960(chess960).and_then(|()| client.new_game()),
        };
        ready.inspect_err(|_| self.dismiss())
    }

    /// Thinks about a move. The result means nothing once `stop` was raised; after an error the engine is ended,
    /// and the next question starts another.
    pub fn think(&mut self, question: &Question<'_>, stop: &AtomicBool) -> Result<Thought, EngineError> {
        let on_this_thread = self.on_this_thread;
        let thought = match self.running()? {
            Running::Own(engine) => think(engine, question, on_this_thread, stop),
            Running::Other(client) => ask(client, question, stop),
        };
        thought.inspect_err(|_| self.dismiss())
    }

    /// Ends the engine; the next game starts another.
    pub fn dismiss(&mut self) {
        self.running = None;
    }

    fn running(&mut self) -> Result<&mut Running, EngineError> {
        let running = match self.running.take() {
            Some(running) => running,
            None => match &self.program {
                Program::Own(options) => Running::Own(Box::new(Engine::new((**options).clone()))),
                Program::Other { command, options } => {
                    Running::Other(Box::new(Client::start_with_options(command, options, self.timeout)?))
                }
            },
        };
        Ok(self.running.insert(running))
    }
}

/// Our own engine thinks.
fn think(
    engine: &mut Engine,
    question: &Question<'_>,
    on_this_thread: bool,
    stop: &AtomicBool,
) -> Result<Thought, EngineError> {
    let begin = Instant::now();
    engine.set_game(question.game.clone());
    let search = Search::new(question.limits.clone());
    let steps = Arc::new(Mutex::new(Vec::new()));
    let short = question.limits.nodes.is_some_and(|nodes| nodes <= SHORT);
    let outcome = if question.steps {
        let heard = Arc::clone(&steps);
        let listen = move |report| {
            heard.lock().extend(step_of(&report));
        };
        engine.start(search.listener(listen)).wait_or(stop)
    } else if on_this_thread && short {
        engine.start(search.on_this_thread()).wait()
    } else {
        engine.start(search).wait_or(stop)
    };
    let took = begin.elapsed();
    let steps = std::mem::take(&mut *steps.lock());
    match outcome.panicked {
        Some(panic) => Err(EngineError { engine: "Espalier".into(), kind: EngineErrorKind::Panicked(panic) }),
        None => Ok(Thought::of(&outcome, took, steps)),
    }
}

/// What a report says about the best move.
fn step_of(report: &Report) -> Option<BestSoFar> {
    let Report::Line(line, effort) = report else { return None };
    let cost = SearchCost { depth: line.depth, nodes: effort.nodes, time: effort.time };
    let best = *line.moves.first().filter(|_| line.rank == 1)?;
    Some(BestSoFar { best, score: Some(line.score), cost })
}

impl Thought {
    fn of(outcome: &Outcome, took: Duration, steps: Vec<BestSoFar>) -> Self {
        let depth = outcome.lines.first().map_or(0, |line| line.depth);
        Self {
            best: outcome.best_move(),
            score: outcome.score(),
            cost: SearchCost { depth, nodes: outcome.effort.nodes, time: outcome.effort.time },
            took,
            steps,
            ..Self::default()
        }
    }

    /// The same, if its move can be played.
    pub fn legal(self) -> Result<Self, EngineError> {
        self.illegal.clone().map_or(Ok(self), Err)
    }
}

/// Another engine thinks; its move is checked here, since it may be illegal.
fn ask(client: &mut Client, question: &Question<'_>, stop: &AtomicBool) -> Result<Thought, EngineError> {
    let position = question.game.position();
    let chess960 = position.chess().castles().mode().is_chess960();
    client.position(Some(question.start), question.moves)?;
    let go = Go::asking(question.limits, position.turn(), chess960);
    let reply = client.go(&go, question.within, stop)?;
    let mut thought = read_reply(&reply, position);
    thought.best = position.parse_move(&reply.best).ok();
    if thought.best.is_none() && !position.legal_moves().is_empty() {
        let illegal = EngineErrorKind::IllegalMove { text: reply.best.clone(), fen: position.fen() };
        thought.illegal = Some(client.error(illegal));
    }
    Ok(thought)
}

/// What another engine said while it was thinking.
fn read_reply(reply: &Reply, position: &Position) -> Thought {
    let mut thought = Thought { took: reply.took, forced: reply.forced, ..Thought::default() };
    let mut cost = SearchCost::default();
    for info in reply.lines.iter().filter(|info| info.is_first_line() || info.nodes.is_some()) {
        cost.depth = info.depth.unwrap_or(cost.depth);
        cost.nodes = info.nodes.unwrap_or(cost.nodes);
        // An engine's clock may run ahead of ours.
        cost.time = info.time.unwrap_or(cost.time).min(reply.took);
        let first = info.moves.first().filter(|_| info.is_first_line());
        if let Some(best) = first.and_then(|text| position.parse_move(text).ok()) {
            thought.score = info.score;
            thought.steps.push(BestSoFar { best, score: info.score, cost });
        }
    }
    thought.cost = SearchCost { time: reply.took, ..cost };
    thought
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    fn question<'a>(game: &'a Game, start: &'a str, limits: &'a Limits) -> Question<'a> {
        Question { game, start, moves: &[], limits, within: Duration::from_secs(60), steps: true }
    }

    #[test]
    fn our_own_engine_tells_how_it_came_to_its_move() {
        let (game, limits) = (Game::default(), Limits::nodes(5_000));
        let start = game.position().fen();
        let mut player = Player::new(Options::default().into(), Duration::from_secs(1));
        player.new_game(false).unwrap();
        let question = question(&game, &start, &limits);
        let thought = player.think(&question, &AtomicBool::new(false)).unwrap();
        assert_eq!(thought.cost.nodes, 5_000);
        assert_eq!(thought.steps.last().map(|step| step.best), thought.best);
        let plain = Question { steps: false, ..question };
        player.new_game(false).unwrap();
        let again = player.think(&plain, &AtomicBool::new(false)).unwrap();
        assert_eq!((again.best, again.score, again.steps), (thought.best, thought.score, vec![]));
    }

    #[test]
    #[cfg(unix)]
    fn an_illegal_move_is_named_and_an_engine_that_failed_started_anew() {
        let script = "sh -c 'while read line; do case \"$line\" in uci) echo uciok;; isready) echo readyok;; \
                      go*) echo info depth 1 nodes 7 pv d2d4; echo bestmove e2e5; exit;; esac; done'";
        let program = Program::Other { command: script.to_owned(), options: Vec::new() };
        let mut player = Player::new(program, Duration::from_secs(5));
        let (game, limits) = (Game::default(), Limits::nodes(5));
        let start = game.position().fen();
        for _ in 0..2 {
            player.new_game(false).unwrap();
            let think = |player: &mut Player| {
                player.think(&question(&game, &start, &limits), &AtomicBool::new(false))
            };
            let error = think(&mut player).unwrap().legal().unwrap_err();
            assert!(matches!(error.kind, EngineErrorKind::IllegalMove { .. }), "{error}");
            let error = think(&mut player).unwrap_err();
            assert!(matches!(error.kind, EngineErrorKind::Died { .. }), "{error}");
        }
    }
}
