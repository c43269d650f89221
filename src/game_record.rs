//! Stored games: moves, scores and results.

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
    /// Neither side has mating material.
    Material,
    /// Adjudicated as won.
    AdjudicatedWin,
    /// Adjudicated as drawn.
    AdjudicatedDraw,
    /// The game reached the maximum length.
    TooLong,
    /// A player exceeded its time by more than the margin.
    TimeForfeit,
    /// A player made an illegal move.
    IllegalMove,
    /// An engine died, or its search panicked.
    Crash,
    /// An engine did not answer.
    Disconnect,
    /// An engine had to be told to stop although it had reached its limit.
    Stopped,
    /// An engine could not be started again.
    NotStarted,
}

impl GameEnd {
    /// Whether only the engine can be at fault, not a busy machine.
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

/// The result of a game; the discriminants are those of viriformat.
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

    /// The result with this winner; `None` is a draw.
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

/// A move and its search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ply {
    /// The move in UCI notation, as `e2e4`.
    pub uci: String,
    /// Centipawns for the mover; a mate is 32000 minus its plies.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<i32>,
    /// The depth that the engine reported, in plies.
    pub depth: i32,
    /// Nodes of the search.
    pub nodes: u64,
    /// Milliseconds the engine took for the move.
    pub ms: u64,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number, from 0; games 2n and 2n + 1 are a pair.
    pub number: u64,
    /// The player with White: 0 for the first, 1 for the second.
    pub white: usize,
    /// FEN before the moves of the opening.
    pub start: String,
    /// Moves of the opening, in UCI notation.
    pub book: Vec<String>,
    /// The moves of the players.
    pub plies: Vec<Ply>,
    /// The result.
    pub result: GameResult,
    /// Why the game ended.
    pub ending: GameEnd,
    /// The player at fault and what it did.
    #[serde(rename = "trouble", skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<(usize, String)>,
}

impl GameRecord {
    /// The start position. A Chess960 position may look like one of ordinary chess without castling rights.
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
