//! Sets of squares, made at compile time.

use shakmaty::{Bitboard, Color, Rank, Square};

/// The files beside a file.
pub(super) const ADJACENT_FILES: [Bitboard; 8] = {
    let mut masks = [Bitboard::EMPTY; 8];
    let mut file = 0;
    while file < 8 {
        let mask = FILE_A << file;
        masks[file] = Bitboard((mask & !FILE_H) << 1 | (mask & !FILE_A) >> 1);
        file += 1;
    }
    masks
};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// Squares before a square on its own file, by colour (Black first) and square.
pub(super) static FORWARD_FILE: [[Bitboard; 64]; 2] = spans(false);

/// Squares before a square on its own and the neighbour files, by colour (Black first) and square.
pub(super) static PASSED_SPAN: [[Bitboard; 64]; 2] = spans(true);

const fn spans(wide: bool) -> [[Bitboard; 64]; 2] {
    let mut spans = [[Bitboard::EMPTY; 64]; 2];
    let mut square = 0;
    while square < 64 {
        let file = square % 8;
        let files = FILE_A << file | if wide { ADJACENT_FILES[file].0 } else { 0 };
        let rank = square / 8;
        let above = if rank == 7 { 0 } else { !0 << (8 * (rank + 1)) };
        let below = (1 << (8 * rank)) - 1;
        spans[1][square] = Bitboard(files & above);
        spans[0][square] = Bitboard(files & below);
        square += 1;
    }
    spans
}

/// The three by three squares around a king, moved inwards at the edge.
pub(super) static KING_RING: [Bitboard; 64] = {
    let mut rings = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let file = inwards(square % 8);
        let rank = inwards(square / 8);
        rings[square] = Bitboard(0x0007_0707 << (8 * (rank - 1) + file - 1));
        square += 1;
    }
    rings
};

const fn inwards(line: usize) -> usize {
    match line {
        0 => 1,
        7 => 6,
        inside => inside,
    }
}

/// The wing a king stands on, by its file.
pub(super) static KING_FLANK: [Bitboard; 8] = {
    const QUEEN_SIDE: u64 = FILE_A * 0x0f;
    const CENTRE: u64 = FILE_A * 0x3c;
    const KING_SIDE: u64 = FILE_A * 0xf0;
    [
        Bitboard(QUEEN_SIDE ^ FILE_A << 3),
        Bitboard(QUEEN_SIDE),
        Bitboard(QUEEN_SIDE),
        Bitboard(CENTRE),
        Bitboard(CENTRE),
        Bitboard(KING_SIDE),
        Bitboard(KING_SIDE),
        Bitboard(KING_SIDE ^ FILE_A << 4),
    ]
};

/// Files c to f.
pub(super) const CENTRE_FILES: Bitboard = Bitboard(FILE_A * 0x3c);

/// The four central squares.
pub(super) const CENTRE: Bitboard = Bitboard(0x0000_0018_1800_0000);

/// Squares of one shade, by `is_light`.
pub(super) const fn shade(light: bool) -> Bitboard {
    if light { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES }
}

/// Ranks by a side's own count, from its first (0) to its last (7), as a set.
#[inline(always)]
pub(super) const fn rank(us: Color, rank: u32) -> Bitboard {
    Bitboard::from_rank(us.relative_rank(Rank::new(rank)))
}

/// One step forward for every square of a set.
#[inline(always)]
pub(super) const fn up(us: Color, set: Bitboard) -> Bitboard {
    Bitboard(if us.is_white() { set.0 << 8 } else { set.0 >> 8 })
}

/// The squares pawns attack: towards the a-file, towards the h-file.
#[inline(always)]
pub(super) const fn pawn_attacks(us: Color, pawns: Bitboard) -> (Bitboard, Bitboard) {
    let ahead = up(us, pawns).0;
    (Bitboard((ahead & !FILE_A) >> 1), Bitboard((ahead & !FILE_H) << 1))
}

/// Every square with a set's square behind it or on it, in a side's direction.
pub(super) const fn fill_up(us: Color, set: Bitboard) -> Bitboard {
    let mut b = set.0;
    if us.is_white() {
        b |= b << 8;
        b |= b << 16;
        b |= b << 32;
    } else {
        b |= b >> 8;
        b |= b >> 16;
        b |= b >> 32;
    }
    Bitboard(b)
}

/// The square as White would see it.
#[inline(always)]
pub(super) const fn relative(us: Color, square: Square) -> Square {
    if us.is_white() { square } else { square.flip_vertical() }
}

/// A side's own count of a square's rank, 0 to 7.
#[inline(always)]
pub(super) const fn relative_rank(us: Color, square: Square) -> usize {
    relative(us, square).rank().to_usize()
}

/// Distance of a file from the edge, 0 to 3.
#[inline(always)]
pub(super) const fn edge(file: usize) -> usize {
    if file > 3 { 7 - file } else { file }
}

/// Index into half a board.
#[inline(always)]
pub(super) const fn half_board(us: Color, square: Square) -> usize {
    let square = relative(us, square).to_usize();
    square / 8 * 4 + edge(square % 8)
}

/// Index into a board turned so that this king stands on files e to h.
#[inline(always)]
pub(super) const fn from_wing(us: Color, square: Square, king: Square) -> usize {
    relative(us, square).to_usize() ^ if king.to_usize() % 8 < 4 { 7 } else { 0 }
}

/// Two bishops of different shades.
pub(super) const fn both_shades(bishops: Bitboard) -> bool {
    bishops.intersects_const(shade(true)) && bishops.intersects_const(shade(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_turned_until_the_king_stands_on_the_right() {
        let index = |us, square, king| from_wing(us, square, king);
        assert_eq!(index(Color::White, Square::C4, Square::G1), Square::C4.to_usize());
        assert_eq!(index(Color::White, Square::C4, Square::B1), Square::F4.to_usize());
        assert_eq!(index(Color::Black, Square::C5, Square::E8), Square::C4.to_usize());
        assert_eq!(index(Color::Black, Square::C5, Square::D1), Square::F4.to_usize());
    }
}
