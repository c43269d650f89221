//! What is known of endgames: draws in spite of material, and how to mate a bare king.

use shakmaty::{Bitboard, Board, Color, File, Square};

use super::masks::{both_shades, shade};
use super::{SCALE_MAX, kpk};
use crate::Position;

/// What endgame knowledge changes in the value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct EndgameScale {
    /// The factor of the value, in parts of [`SCALE_MAX`].
    pub(super) scale: i32,
    /// Centipawns added for White.
    pub(super) bonus: i32,
}

const NORMAL: EndgameScale = EndgameScale { scale: SCALE_MAX, bonus: 0 };
const DRAW: EndgameScale = EndgameScale { scale: 0, bonus: 0 };

const fn scaled(scale: i32) -> EndgameScale {
    EndgameScale { scale: if scale < SCALE_MAX { scale } else { SCALE_MAX }, bonus: 0 }
}

/// Judges a position in which `strong` stands better by the sum of the terms.
#[inline(always)]
pub(super) fn judge(position: &Position, strong: Color, passed: Bitboard, phase: i32) -> EndgameScale {
    let board = position.board();
    // With many pieces and pawns nothing below applies.
    if phase > 14 && (board.pawns() & board.by_color(strong)).count() > 3 {
        return NORMAL;
    }
    judge_endgame(position, strong, passed)
}

fn judge_endgame(position: &Position, strong: Color, passed: Bitboard) -> EndgameScale {
    let board = position.board();
    let (ours, theirs) = (board.by_color(strong), board.by_color(!strong));
    let pawns = board.pawns() & ours;
    for (side, pieces) in [(!strong, theirs), (strong, ours)] {
        if pieces.count() == 1 {
            let EndgameScale { scale, bonus } = bare_king(position, !side);
            return EndgameScale { scale, bonus: side.fold_wb(-bonus, bonus) };
        }
    }
    if pawns.is_empty() {
        return without_pawns(board, ours, theirs);
    }
    if let Some(verdict) = rook_pawns(position, strong) {
        return verdict;
    }
    let bishops = [board.bishops() & ours, board.bishops() & theirs];
    if bishops.iter().all(|set| set.single_square().is_some()) && both_shades(board.bishops()) {
        let pieces = board.knights() | board.rooks_and_queens();
        return if pieces.is_empty() {
            scaled((12 * pawns.count() as i32 - 8).min(24) + 2 * (passed & ours).count() as i32)
        } else {
            scaled(26 + 3 * ours.count() as i32)
        };
    }
    scaled(38 + 7 * pawns.count() as i32)
}

/// Roughly what the pieces are worth in pawns.
fn piece_points(board: &Board, side: Bitboard) -> i32 {
    let count = |set: Bitboard| (set & side).count() as i32;
    3 * count(board.knights() | board.bishops()) + 5 * count(board.rooks()) + 9 * count(board.queens())
}

/// The stronger side has no pawn: an extra minor piece rarely wins.
fn without_pawns(board: &Board, ours: Bitboard, theirs: Bitboard) -> EndgameScale {
    let (own, enemy) = (piece_points(board, ours), piece_points(board, theirs));
    if own < 5 || ours == ours & (board.knights() | board.kings()) && own <= 6 {
        // One minor piece or two knights cannot force anything.
        scaled(if own < 5 { 0 } else { 6 })
    } else if own - enemy <= 3 {
        scaled(if enemy <= 3 { 8 } else { 12 })
    } else {
        NORMAL
    }
}

/// The other side has only its king; the bonus here is for `strong`.
fn bare_king(position: &Position, strong: Color) -> EndgameScale {
    let board = position.board();
    let ours = board.by_color(strong);
    let (pawns, knights) = (board.pawns() & ours, board.knights() & ours);
    let heavy = board.rooks_and_queens() & ours;
    let bishops = board.bishops() & ours;
    if pawns.any() {
        if let Some(draw) = rook_pawns(position, strong) {
            return draw;
        }
        if (heavy | bishops | knights).any() {
            return EndgameScale { bonus: 200, ..NORMAL };
        }
        let Some(pawn) = pawns.single_square() else { return NORMAL };
        let won = kpk::wins(strong, position.king(strong), pawn, position.king(!strong), position.turn());
        return if won { EndgameScale { bonus: 300, ..NORMAL } } else { DRAW };
    }
    let (strong_king, weak_king) = (position.king(strong), position.king(!strong));
    let close = 20 * (7 - strong_king.distance(weak_king) as i32);
    if heavy.any() || both_shades(bishops) || knights.count() > 2 {
        EndgameScale { bonus: 600 + close + 15 * off_centre(weak_king), ..NORMAL }
    } else if bishops.any() && knights.any() {
        // Only the corners of the bishop's colour allow mate.
        let light = (bishops & shade(true)).any();
        let corners = if light { [Square::A8, Square::H1] } else { [Square::A1, Square::H8] };
        let distance = corners.iter().map(|corner| manhattan(weak_king, *corner)).min().unwrap_or(0);
        EndgameScale { bonus: 300 + close + 40 * (14 - distance) + 5 * off_centre(weak_king), ..NORMAL }
    } else {
        DRAW
    }
}

/// All pawns on one rook file, nothing to drive the king out of the corner: the queen never appears.
fn rook_pawns(position: &Position, strong: Color) -> Option<EndgameScale> {
    let board = position.board();
    let ours = board.by_color(strong);
    let pawns = board.pawns() & ours;
    let file = if pawns.is_subset(Bitboard::from_file(File::A)) {
        File::A
    } else if pawns.is_subset(Bitboard::from_file(File::H)) {
        File::H
    } else {
        return None;
    };
    let corner = Square::from_coords(file, (!strong).backrank());
    let bishops = board.bishops() & ours;
    let others = ours & !(pawns | bishops | board.kings());
    let harmless = others.is_empty() && (bishops & shade(corner.is_light())).is_empty();
    let guard = position.king(!strong);
    (harmless && guard.distance(corner) <= 1).then_some(DRAW)
}

/// 0 in the centre to 6 in the corner.
fn off_centre(square: Square) -> i32 {
    let outwards = |line: i32| (2 * line - 7).abs() / 2;
    outwards(square.file().to_u32() as i32) + outwards(square.rank().to_u32() as i32)
}

fn manhattan(a: Square, b: Square) -> i32 {
    (a.file().distance(b.file()) + a.rank().distance(b.rank())) as i32
}
