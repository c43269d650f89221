//! Moves as text and in sixteen bits.

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Move, Position as _, Role, Square};

use super::Position;

impl Position {
    /// The legal move that a packed one stands for, if it is legal here.
    pub fn unpack(&self, packed: PackedMove) -> Option<Move> {
        let (from, to) = packed.squares()?;
        let board = self.board();
        if !board.by_color(self.turn()).contains(from) {
            return None;
        }
        let role = board.role_at(from)?;
        let own_rights = self.chess.castles().castling_rights() & board.by_color(self.turn());
        let m = if role == Role::King && own_rights.contains(to) {
            Move::Castle { king: from, rook: to }
        } else if role == Role::Pawn && from.file() != to.file() && !board.occupied().contains(to) {
            Move::EnPassant { from, to }
        } else {
            let capture = board.role_at(to);
            let m = Move::Normal { role, from, capture, to, promotion: packed.promotion() };
            return self.is_legal_step(m).then_some(m);
        };
        self.chess.is_legal(m).then_some(m)
    }

    /// Reads a move in UCI notation, in any case, castling as `e1g1` or `e1h1`.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let error = || MoveError { text: text.to_owned(), fen: self.fen() };
        let uci = UciMove::from_ascii(text.to_ascii_lowercase().as_bytes()).map_err(|_| error())?;
        uci.to_move(&self.chess).map_err(|_| error())
    }
}

/// A move in UCI notation: castling as king-takes-rook in Chess960, and wherever the usual form does
/// not exist.
pub fn uci_text(m: Move, chess960: bool) -> String {
    let usual = match m {
        Move::Castle { king, rook } => {
            king.file() == shakmaty::File::E && matches!(rook.file(), shakmaty::File::A | shakmaty::File::H)
        }
        _ => true,
    };
    m.to_uci(CastlingMode::from_chess960(chess960 || !usual)).to_string()
}

/// The piece of a move and its squares, which are the king's and the rook's for castling.
#[inline(always)]
pub fn role_and_squares(m: Move) -> (Role, Square, Square) {
    match m {
        Move::Normal { role, from, to, .. } => (role, from, to),
        odd => role_and_squares_of_odd(odd),
    }
}

/// The same for castling and en passant. Apart, so that other moves cost one comparison and no jump through a table.
#[cold]
#[inline(never)]
fn role_and_squares_of_odd(m: Move) -> (Role, Square, Square) {
    match m {
        Move::Normal { role, from, to, .. } => (role, from, to),
        Move::EnPassant { from, to } => (Role::Pawn, from, to),
        Move::Castle { king, rook } => (Role::King, king, rook),
        // Comes from nowhere, in variants that are not played here.
        Move::Put { role, to } => (role, to, to),
    }
}

/// A move in sixteen bits: from, to (the rook's square for castling), promotion.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Hash)]
pub struct PackedMove(u16);

impl PackedMove {
    /// Stands for no move: a1 to a1, which no piece can play.
    pub const NONE: Self = Self(0);

    /// The bits, for the hash table.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// From the hash table's bits; may stand for a move that is legal nowhere.
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Packs a legal move; what it captures and which piece moves follow from the position.
    #[inline]
    pub fn new(m: Move) -> Self {
        let (_, from, to) = role_and_squares(m);
        let promotion = match m {
            Move::Normal { promotion: Some(role), .. } => u16::from(role) - u16::from(Role::Knight) + 1,
            _ => 0,
        };
        Self(u16::from(from) | u16::from(to) << 6 | promotion << 12)
    }

    /// From and to, unless it is no move.
    pub fn squares(self) -> Option<(Square, Square)> {
        (self.0 != 0).then(|| (Square::new(u32::from(self.0 & 63)), Square::new(u32::from(self.0 >> 6 & 63))))
    }

    /// The piece a pawn becomes.
    pub fn promotion(self) -> Option<Role> {
        match self.0 >> 12 {
            1 => Some(Role::Knight),
            2 => Some(Role::Bishop),
            3 => Some(Role::Rook),
            4 => Some(Role::Queen),
            _ => None,
        }
    }
}

impl From<Move> for PackedMove {
    fn from(m: Move) -> Self {
        Self::new(m)
    }
}

/// A move that cannot be played where it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no legal move in {fen}")]
pub struct MoveError {
    /// The text that was to be read as a move.
    pub text: String,
    /// The FEN of the position in which it was to be played.
    pub fen: String,
}
