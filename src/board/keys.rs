//! Zobrist keys: one stream of SplitMix64 numbers, made at compile time.

use shakmaty::{Color, Role, Square};

/// The keys of a position, kept along as it is played.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Keys {
    /// Of everything that makes two positions the same.
    pub all: u64,
    /// Of the pawns alone.
    pub pawns: u64,
    /// Of either side's pieces and king, Black first.
    pub pieces: [u64; 2],
}

impl Keys {
    /// A piece comes or goes.
    #[inline]
    pub fn toggle(&mut self, color: Color, role: Role, square: Square) {
        let key = piece_key(color, role, square);
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
    let mut state = 0x6573_7061_6c69_6572_u64; // "espalier"
    let mut i = 0;
    while i < keys.len() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        keys[i] = z ^ (z >> 31);
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
