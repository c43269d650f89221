//! Zobrist keys: one stream of random numbers, made at compile time.

use shakmaty::{CastlingSide, Color, Move, Role, Square};

use crate::random::Random;

/// The keys of a position, updated with every move.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// Of everything that makes two positions the same.
    pub all: u64,
    /// Of the pawns alone.
    pub pawns: u64,
    /// Of either side's pieces and king, Black first.
    pub pieces: [u64; 2],
}

impl Keys {
    /// Adds or removes a piece.
    #[inline]
    pub fn toggle(&mut self, color: Color, role: Role, square: Square) {
        self.change(color, role, piece_key(color, role, square));
    }

    /// Moves a piece from one square to another.
    #[inline]
    pub fn shift(&mut self, color: Color, role: Role, from: Square, to: Square) {
        self.change(color, role, piece_key(color, role, from) ^ piece_key(color, role, to));
    }

    /// Plays castling or en passant.
    #[cold]
    #[inline(never)]
    pub fn play_odd(&mut self, us: Color, m: Move) {
        match m {
            Move::EnPassant { from, to } => {
                self.shift(us, Role::Pawn, from, to);
                self.toggle(!us, Role::Pawn, Square::from_coords(to.file(), from.rank()));
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_king_side(king < rook);
                self.shift(us, Role::King, king, side.king_to(us));
                self.shift(us, Role::Rook, rook, side.rook_to(us));
            }
            Move::Normal { .. } | Move::Put { .. } => {}
        }
    }

    #[inline(always)]
    fn change(&mut self, color: Color, role: Role, key: u64) {
        self.all ^= key;
        if role == Role::Pawn {
            self.pawns ^= key;
        } else {
            self.pieces[color as usize] ^= key;
        }
    }
}

const KEYS: [u64; 12 * 64 + 64 + 8 + 1] = {
    let mut keys = [0; 12 * 64 + 64 + 8 + 1];
    let mut random = Random::new(0x6573_7061_6c69_6572); // "espalier"
    let mut i = 0;
    while i < keys.len() {
        keys[i] = random.number();
        i += 1;
    }
    keys
};

fn piece_key(color: Color, role: Role, square: Square) -> u64 {
    KEYS[(usize::from(role) - 1) * 128 + color as usize * 64 + square.to_usize()]
}

pub(super) fn castle_key(rook: Square) -> u64 {
    KEYS[12 * 64 + rook.to_usize()]
}

pub(super) fn ep_key(square: Square) -> u64 {
    KEYS[12 * 64 + 64 + square.file().to_usize()]
}

pub(super) fn side_key(turn: Color) -> u64 {
    turn.fold_wb(0, KEYS[12 * 64 + 64 + 8])
}
