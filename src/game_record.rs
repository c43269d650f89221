//! A finished game as it is stored: its moves, scores and result.

use std::fmt;

use serde::{Deserialize, Serialize};
use shakmaty::Color;

use crate::board::Position;

/// How a game ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameEnd {
    /// The side to move was checkmated.
    Mate,
    /// No legal move and no check.
    Stalemate,
    /// The position occurred three times.
    Repetition,
    /// Fifty moves without capture or pawn move.
    FiftyMoves,
    /// Neither side can mate any more.
    Material,
    /// Both players think it is won, and the rule for that was asked for.
    AdjudicatedWin,
    /// Both players think it is drawn, and the rule for that was asked for.
    AdjudicatedDraw,
    /// The game has lasted as long as it may.
    TooLong,
    /// A player overstepped the time by more than the margin.
    TimeForfeit,
    /// A move that cannot be played.
    IllegalMove,
    /// An engine died, or its search panicked.
    Crash,
    /// An engine did not answer.
    Disconnect,
    /// An engine had to be told to stop, though its limit should have stopped it.
    Stopped,
    /// An engine could not be started again.
    NotStarted,
}

impl GameEnd {
    /// Only the engine can be at fault, not a busy machine.
    pub fn is_fault(self) -> bool {
        self > Self::TimeForfeit
    }
}

impl fmt::Display for GameEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mate => "mate",
            Self::Stalemate => "stalemate",
            Self::Repetition => "repetition",
            Self::FiftyMoves => "fifty moves",
            Self::Material => "insufficient material",
            Self::AdjudicatedWin => "adjudicated win",
            Self::AdjudicatedDraw => "adjudicated draw",
            Self::TooLong => "too long",
            Self::TimeForfeit => "time forfeit",
            Self::IllegalMove => "illegal move",
            Self::Crash => "crash",
            Self::Disconnect => "disconnect",
            Self::Stopped => "told to stop",
            Self::NotStarted => "not started",
        })
    }
}

/// The result of a game, with its number in files of games to learn from.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum GameResult {
    /// Black won.
    #[serde(rename = "0-1")]
    Black = 0,
    /// Neither side won.
    #[serde(rename = "1/2-1/2")]
    Draw = 1,
    /// White won.
    #[serde(rename = "1-0")]
    White = 2,
}

impl GameResult {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Black, Self::Draw, Self::White];

    /// The result if this side won; a draw if neither did.
    pub fn won_by(winner: Option<Color>) -> Self {
        winner.map_or(Self::Draw, |color| color.fold_wb(Self::White, Self::Black))
    }

    /// White's points: 0, ½ or 1.
    pub fn points(self) -> f64 {
        f64::from(self as u8) / 2.0
    }

    /// As PGN writes it: `1-0`, `0-1` or `1/2-1/2`.
    pub fn text(self) -> &'static str {
        match self {
            Self::White => "1-0",
            Self::Black => "0-1",
            Self::Draw => "1/2-1/2",
        }
    }
}

/// A move and what was thought of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ply {
    /// The move in UCI notation, as `e2e4`.
    pub uci: String,
    /// Centipawns for the mover; 32000 less the plies to it for a mate.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<i32>,
    /// The depth that the engine reported, in plies.
    pub depth: i32,
    /// Nodes of the search.
    pub nodes: u64,
    /// Milliseconds the engine took for the move.
    pub ms: u64,
}

/// A game that was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number, from 0; games 2n and 2n + 1 are a pair.
    pub number: u64,
    /// The player with White: 0 for the first, 1 for the second.
    pub white: usize,
    /// The FEN where the game began, before the moves of the opening.
    pub start: String,
    /// Moves of the opening, in UCI notation.
    pub book: Vec<String>,
    /// Moves that the players chose.
    pub plies: Vec<Ply>,
    /// Who won.
    pub result: GameResult,
    /// Why the game ended.
    pub ending: GameEnd,
    /// The player at fault and what it did.
    #[serde(rename = "trouble", skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<(usize, String)>,
}

impl GameRecord {
    /// Where it began. A position of Chess960 may look like one of ordinary chess that has no castling any more.
    pub fn first_position(&self) -> Option<Position> {
        let usual = Position::from_fen(&self.start, false).ok()?;
        if usual.fen() == self.start { Some(usual) } else { Position::from_fen(&self.start, true).ok() }
    }

    /// Half points of the first player.
    pub fn half_points(&self) -> usize {
        match (self.result, self.white) {
            (GameResult::Draw, _) => 1,
            (GameResult::White, 0) | (GameResult::Black, 1) => 2,
            _ => 0,
        }
    }
}
