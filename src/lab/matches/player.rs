//! Players of a match: our engine in this process, or any UCI engine in another.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shakmaty::{Color, Move};
use thiserror::Error;

use super::limit::Clocks;
use crate::board::Game;
use crate::game_record::GameEnd;
use crate::provenance::Configuration;
use crate::score::Score;
use crate::uci::client::LONGEST;
use crate::uci::player::{Player, Question};
use crate::uci::{EngineError, EngineErrorKind, Program};

/// A player before it is started; every concurrent game starts its own.
#[derive(Clone, Debug)]
pub struct PlayerConfig {
    /// The name in tables.
    pub name: String,
    /// The engine and its options.
    pub program: Program,
}

/// A player as stored in result files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerDescription {
    /// The name in tables.
    pub name: String,
    /// All options of our own engine.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub configuration: Option<Configuration>,
    /// The command of another engine.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub command: Option<String>,
    /// The options that are sent to another engine.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub told: Vec<(String, String)>,
}

impl PlayerConfig {
    /// The description for result files.
    pub fn describe(&self) -> PlayerDescription {
        let name = self.name.clone();
        match &self.program {
            Program::Own(options) => PlayerDescription {
                name,
                configuration: Some(Configuration::of(options)),
                command: None,
                told: Vec::new(),
            },
            Program::Other { command, options } => PlayerDescription {
                name,
                configuration: None,
                command: Some(command.clone()),
                told: options.clone(),
            },
        }
    }

    /// Whether the player is deterministic under an exact limit.
    pub fn is_exact(&self) -> bool {
        matches!(&self.program, Program::Own(options) if options.threads == 1)
    }

    /// The player, for use on a thread with a stack of [`STACK`](crate::search::STACK). Its engine starts with the first game.
    pub fn start(&self, timeout: Duration) -> Player {
        Player::new(self.program.clone(), timeout).on_this_thread()
    }

    /// Checks that the engine can be started.
    pub fn try_out(&self, timeout: Duration) -> Result<(), EngineError> {
        self.start(timeout).start()
    }
}

/// The move of a player and its search.
#[derive(Clone, Debug)]
pub struct ChosenMove {
    /// The move to play.
    pub best: Move,
    /// Its score for the mover.
    pub score: Option<Score>,
    /// Nominal depth of the last iteration.
    pub depth: i32,
    /// Nodes that the engine reported.
    pub nodes: u64,
    /// Time the move took.
    pub took: Duration,
}

/// Why a player has no valid move.
#[derive(Clone, Debug, Error)]
pub enum PlayerError {
    /// The player exceeded its time.
    #[error("overstepped its time: {} ms for a move", .0.as_millis())]
    Late(Duration),
    /// It had to be told to stop although it had a limit.
    #[error("was told to stop after {} s, which no limit had done", .0.as_secs())]
    Endless(Duration),
    /// It answered without a move.
    #[error("the search found no move")]
    NoMove,
    /// The engine crashed, did not answer, or sent an illegal move.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl PlayerError {
    /// How the game ends.
    pub fn ending(&self) -> GameEnd {
        match self {
            Self::Late(_) => GameEnd::TimeForfeit,
            Self::Endless(_) => GameEnd::Stopped,
            Self::NoMove => GameEnd::Crash,
            Self::Engine(error) => match error.kind {
                EngineErrorKind::NotStarted(_) | EngineErrorKind::NoOption(_) => GameEnd::NotStarted,
                EngineErrorKind::Silent { .. } => GameEnd::Disconnect,
                EngineErrorKind::Died { .. } | EngineErrorKind::Panicked(_) => GameEnd::Crash,
                EngineErrorKind::IllegalMove { .. } => GameEnd::IllegalMove,
            },
        }
    }
}

/// The state of a game for a player.
pub struct Board<'a> {
    /// The position and its history.
    pub game: &'a Game,
    /// FEN of the start position.
    pub start: &'a str,
    /// The moves from it in UCI notation.
    pub moves: &'a [String],
}

/// Asks a player for a move. The result is meaningless once `stop` was raised.
pub fn think(
    player: &mut Player,
    board: &Board<'_>,
    clocks: &Clocks,
    stop: &AtomicBool,
) -> Result<ChosenMove, PlayerError> {
    let turn = board.game.position().turn();
    let most = clocks.most(turn);
    let within = wait(most, player.timeout());
    let Board { game, start, moves } = *board;
    let question = Question { game, start, moves, limits: &clocks.limits(turn), within, steps: false };
    let thought = player.think(&question, stop)?;
    if most.is_some_and(|most| thought.took > most) {
        // Being late counts before any other error.
        return Err(PlayerError::Late(thought.took));
    }
    if thought.forced {
        return Err(PlayerError::Endless(within));
    }
    let thought = thought.legal()?;
    Ok(ChosenMove {
        best: thought.best.ok_or(PlayerError::NoMove)?,
        score: thought.score,
        depth: thought.cost.depth,
        nodes: thought.cost.nodes,
        took: thought.took,
    })
}

/// How long to wait for a move; without a time limit, very long.
fn wait(most: Option<Duration>, timeout: Duration) -> Duration {
    most.map_or(LONGEST, |most| most + timeout)
}

/// The index of the player with this side, if player `white` has White.
pub fn index_of(side: Color, white: usize) -> usize {
    if side == Color::White { white } else { 1 - white }
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
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
    fn an_engine_that_no_limit_stops_has_failed() {
        let script = "sh -c 'while read line; do case \"$line\" in uci) echo uciok;; isready) echo readyok;; \
                      stop) echo bestmove e2e4;; quit) exit;; esac; done'";
        let program = Program::Other { command: script.to_owned(), options: Vec::new() };
        let mut player = Player::new(program, Duration::from_secs(10));
        let game = Game::default();
        let start = game.position().fen();
        let moves: &[String] = &[];
        let limits = Clocks::new(Limit { nodes: Some(9), ..Limit::default() }, Duration::ZERO);
        let (limits, within) = (limits.limits(Color::White), Duration::from_millis(50));
        let question = Question { game: &game, start: &start, moves, limits: &limits, within, steps: false };
        let mut forced = |stop| player.think(&question, &AtomicBool::new(stop)).unwrap().forced;
        assert!(forced(false));
        assert!(!forced(true), "a search that we end ourselves is no failure");
        assert_eq!(PlayerError::Endless(within).ending(), GameEnd::Stopped);
    }
}
