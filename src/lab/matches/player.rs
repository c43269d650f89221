//! Who plays: the engine itself with options of its own, in this process, or any UCI engine in another.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use shakmaty::{Color, Move};

use super::limit::Clocks;
use super::record::Ending;
use crate::board::Game;
use crate::engine::Engine;
use crate::lab::client::{Client, EngineError, EngineErrorKind, LONGEST};
use crate::lab::program::Program;
use crate::lab::provenance::Configuration;
use crate::score::Score;
use crate::search::Search;

/// A search of so many nodes is over before anybody wants to stop it.
const SHORT: u64 = 200_000;

/// A player that is not started yet: every concurrent game starts its own.
#[derive(Clone, Debug)]
pub struct PlayerConfig {
    /// The name in tables.
    pub name: String,
    /// The engine and its options.
    pub program: Program,
}

/// A player as result files describe it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// The name in tables.
    pub name: String,
    /// All options of our own engine.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub configuration: Option<Configuration>,
    /// The command of another engine.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub command: Option<String>,
    /// The options it is told.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub told: Vec<(String, String)>,
}

impl PlayerConfig {
    /// The player as result files describe it.
    pub fn describe(&self) -> Description {
        let name = self.name.clone();
        match &self.program {
            Program::Own(options) => Description {
                name,
                configuration: Some(Configuration::of(options)),
                command: None,
                told: Vec::new(),
            },
            Program::Other { command, options } => Description {
                name,
                configuration: None,
                command: Some(command.clone()),
                told: options.clone(),
            },
        }
    }

    /// The same position and limit give the same move every time.
    pub fn is_exact(&self) -> bool {
        matches!(&self.program, Program::Own(options) if options.threads == 1)
    }

    /// Starts the player.
    pub fn start(&self, patience: Duration) -> Player {
        match &self.program {
            Program::Own(options) => Player::Own(Box::new(Engine::new((**options).clone()))),
            Program::Other { command, options } => {
                Player::Process { command: command.clone(), options: options.clone(), client: None, patience }
            }
        }
    }

    /// Tries whether the player can play at all.
    pub fn try_out(&self, patience: Duration) -> Result<(), EngineError> {
        match self.start(patience) {
            Player::Own(_) => Ok(()),
            Player::Process { command, options, .. } => {
                Client::start_told(&command, &options, patience).map(drop)
            }
        }
    }
}

/// A player at the board.
pub enum Player {
    /// The engine itself.
    Own(Box<Engine>),
    /// Another engine; not running before its first game and after trouble.
    Process {
        /// How it is started.
        command: String,
        /// What it is told after that.
        options: Vec<(String, String)>,
        /// The process.
        client: Option<Client>,
        /// How long it may be silent beyond its time.
        patience: Duration,
    },
}

/// What a player found.
#[derive(Clone, Debug)]
pub struct ChosenMove {
    /// The move to play.
    pub best: Move,
    /// Its value for the mover.
    pub score: Option<Score>,
    /// Nominal depth of the last iteration.
    pub depth: i32,
    /// Nodes searched.
    pub nodes: u64,
    /// Time the move took.
    pub took: Duration,
}

/// Why there is no move: how the game ends, and what happened in words.
#[derive(Clone, Debug)]
pub struct PlayerError {
    /// How the game ends, as tables count it.
    pub ending: Ending,
    /// What happened, in words.
    pub text: String,
}

impl PlayerError {
    /// The player overstepped its time.
    pub fn late(took: Duration) -> Self {
        let text = format!("overstepped its time: {} ms for a move", took.as_millis());
        Self { ending: Ending::TimeForfeit, text }
    }
}

impl From<EngineError> for PlayerError {
    fn from(trouble: EngineError) -> Self {
        let ending = match trouble.kind {
            EngineErrorKind::NotStarted(_) | EngineErrorKind::NoOption(_) => Ending::NotStarted,
            EngineErrorKind::Silent { .. } => Ending::Disconnect,
            EngineErrorKind::Died { .. } | EngineErrorKind::Panicked(_) => Ending::Crash,
            EngineErrorKind::IllegalMove { .. } => Ending::IllegalMove,
        };
        Self { ending, text: trouble.to_string() }
    }
}

/// A game as a player is told of it.
pub struct Board<'a> {
    /// The position now and those before.
    pub game: &'a Game,
    /// Where the game began.
    pub start: &'a str,
    /// The moves since, in UCI notation.
    pub moves: &'a [String],
}

impl Player {
    /// Gets ready for a game, of Chess960 or not.
    pub fn new_game(&mut self, chess960: bool) -> Result<(), PlayerError> {
        match self {
            Self::Own(engine) => engine.new_game(),
            Self::Process { command, options, client, patience } => {
                let fresh = match client.take() {
                    Some(running) => running,
                    None => Client::start_told(command, options, *patience)?,
                };
                let running = client.insert(fresh);
                running.set_chess960(chess960)?;
                running.new_game()?;
            }
        }
        Ok(())
    }

    /// Thinks about a move. What comes back after `stop` was raised means nothing.
    pub fn think(
        &mut self,
        board: &Board<'_>,
        clocks: &Clocks,
        stop: &AtomicBool,
    ) -> Result<ChosenMove, PlayerError> {
        match self {
            Self::Own(engine) => think(engine, board, clocks, stop),
            Self::Process { client, patience, .. } => {
                let running = client.as_mut().ok_or_else(|| PlayerError {
                    ending: Ending::Disconnect,
                    text: "the engine is not running".to_owned(),
                })?;
                let most = clocks.most(board.game.position().turn());
                ask(running, board, clocks, wait(most, *patience), stop)
            }
        }
    }

    /// After trouble a process is ended; the next game starts another.
    pub fn dismiss(&mut self) {
        if let Self::Process { client, .. } = self {
            *client = None;
        }
    }
}

fn think(
    engine: &mut Engine,
    board: &Board<'_>,
    clocks: &Clocks,
    stop: &AtomicBool,
) -> Result<ChosenMove, PlayerError> {
    let begin = Instant::now();
    engine.set_game(board.game.clone());
    let limits = clocks.limits(board.game.position().turn());
    let outcome = if limits.nodes.is_some_and(|nodes| nodes <= SHORT) {
        engine.start(Search::new(limits).on_this_thread()).wait()
    } else {
        engine.start(Search::new(limits)).wait_or(stop)
    };
    let took = begin.elapsed();
    let crash = |text: String| PlayerError { ending: Ending::Crash, text };
    if let Some(panic) = outcome.panicked {
        return Err(crash(format!("the search panicked: {panic}")));
    }
    let line =
        outcome.lines.into_iter().next().ok_or_else(|| crash("the search found no move".to_owned()))?;
    let best = line.moves.first().copied().ok_or_else(|| crash("the search found no move".to_owned()))?;
    Ok(ChosenMove { best, score: Some(line.score), depth: line.depth, nodes: outcome.effort.nodes, took })
}

/// How long to wait for a move that may take so long; without a clock, until something must be wrong.
fn wait(most: Option<Duration>, patience: Duration) -> Duration {
    most.map_or(LONGEST, |most| most + patience)
}

fn ask(
    client: &mut Client,
    board: &Board<'_>,
    clocks: &Clocks,
    within: Duration,
    stop: &AtomicBool,
) -> Result<ChosenMove, PlayerError> {
    let position = board.game.position();
    let turn = position.turn();
    client.position(Some(board.start), board.moves)?;
    let reply = client.go(&clocks.go(turn), within, stop)?;
    if clocks.most(turn).is_some_and(|most| reply.took > most) {
        // Whatever the move is, it came too late.
        return Err(PlayerError::late(reply.took));
    }
    if reply.forced {
        let text = format!("was told to stop after {} s, which no limit had done", within.as_secs());
        return Err(PlayerError { ending: Ending::Stopped, text });
    }
    let best = position.parse_move(&reply.best).map_err(|_| {
        client.error(EngineErrorKind::IllegalMove { text: reply.best.clone(), fen: position.fen() })
    })?;
    let line = reply.last_line();
    Ok(ChosenMove {
        best,
        score: line.and_then(|line| line.score),
        depth: line.and_then(|line| line.depth).unwrap_or_default(),
        nodes: reply.lines.iter().rev().find_map(|line| line.nodes).unwrap_or_default(),
        took: reply.took,
    })
}

/// The player of this side, if `white` has White.
pub fn index_of(side: Color, white: usize) -> usize {
    if side == Color::White { white } else { 1 - white }
}

#[cfg(test)]
mod tests {
    use super::super::limit::Limit;
    use super::*;

    #[test]
    fn without_a_clock_a_move_may_take_its_time() {
        let (minute, second) = (Duration::from_secs(60), Duration::from_secs(1));
        assert_eq!(wait(Some(minute), second), minute + second);
        assert_eq!(wait(None, second), LONGEST);
    }

    #[test]
    #[cfg(unix)]
    fn an_engine_that_no_limit_stops_is_in_trouble() {
        let script = "sh -c 'while read line; do case \"$line\" in uci) echo uciok;; isready) echo readyok;; \
                      stop) echo bestmove e2e4;; quit) exit;; esac; done'";
        let mut client = Client::start(script).unwrap();
        let game = Game::default();
        let start = game.position().fen();
        let board = Board { game: &game, start: &start, moves: &[] };
        let clocks = Clocks::new(Limit { nodes: Some(9), ..Limit::default() }, Duration::ZERO);
        let mut think =
            |stop| ask(&mut client, &board, &clocks, Duration::from_millis(50), &AtomicBool::new(stop));
        assert_eq!(think(false).unwrap_err().ending, Ending::Stopped);
        assert!(think(true).is_ok(), "a search that we end ourselves is not trouble");
    }
}
