//! Who plays: the engine itself with options of its own, in this process, or any UCI engine in another.

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
pub struct PlayerDescription {
    /// The name in tables.
    pub name: String,
    /// All options of our own engine.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub configuration: Option<Configuration>,
    /// The command of another engine.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub command: Option<String>,
    /// The options that are sent to it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub told: Vec<(String, String)>,
}

impl PlayerConfig {
    /// The player as result files describe it.
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

    /// The same position and limit give the same move every time.
    pub fn is_exact(&self) -> bool {
        matches!(&self.program, Program::Own(options) if options.threads == 1)
    }

    /// The player, for a thread with a stack of [`STACK`](crate::search::STACK); its engine starts with the first game.
    pub fn start(&self, timeout: Duration) -> Player {
        Player::new(self.program.clone(), timeout).on_this_thread()
    }

    /// Tries whether the player can play at all.
    pub fn try_out(&self, timeout: Duration) -> Result<(), EngineError> {
        self.start(timeout).start()
    }
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
    /// Nodes that its search reported.
    pub nodes: u64,
    /// Time the move took.
    pub took: Duration,
}

/// Why there is no move.
#[derive(Clone, Debug, Error)]
pub enum PlayerError {
    /// The player overstepped its time.
    #[error("overstepped its time: {} ms for a move", .0.as_millis())]
    Late(Duration),
    /// It had to be told to stop.
    #[error("was told to stop after {} s, which no limit had done", .0.as_secs())]
    Endless(Duration),
    /// It answered without a move.
    #[error("the search found no move")]
    NoMove,
    /// The engine died, did not answer, or sent something impossible.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl PlayerError {
    /// How the game ends, as tables count it.
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

/// A game as it is sent to a player.
pub struct Board<'a> {
    /// The position now and those before.
    pub game: &'a Game,
    /// Where the game began.
    pub start: &'a str,
    /// The moves since, in UCI notation.
    pub moves: &'a [String],
}

/// Asks a player for a move. The result means nothing once `stop` was raised.
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
        // Whatever the move is, it came too late.
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

/// How long to wait for a move that may take so long; without a clock, until something must be wrong.
fn wait(most: Option<Duration>, timeout: Duration) -> Duration {
    most.map_or(LONGEST, |most| most + timeout)
}

/// The player of this side, if `white` has White.
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
