//! Passed pawns among the pieces: how far, how free, how near the kings.

use shakmaty::{Color, Square, attacks};

use super::accumulator::Sheet;
use super::classical::Facts;
use super::masks::{self, FORWARD_FILE};
use super::trace::Trace;
use super::weights::{
    PASSED, PASSED_CONNECTED, PASSED_ENEMY_KING, PASSED_FILE, PASSED_FREE_PATH, PASSED_OWN_KING,
    PASSED_PATH_HELD, PASSED_ROOK_BEHIND, PASSED_UNSTOPPABLE,
};

/// All passed pawns of a side.
#[inline(always)]
pub(super) fn passed_pawns<const WHITE: bool, T: Trace>(facts: &Facts, sheet: &mut Sheet<T>) {
    let us = Color::from_white(WHITE);
    let board = facts.board;
    let (own, enemy) = (&facts.sides[us as usize], &facts.sides[!us as usize]);
    for square in facts.pawns.passed & own.pieces {
        let rank = masks::relative_rank(us, square);
        let Some(stop) = square.offset(us.fold_wb(8, -8)) else { continue };
        let path = FORWARD_FILE[us as usize][square.to_usize()];
        let attacked = usize::from(enemy.attacked.contains(stop));
        let state = if facts.occupied.contains(stop) { attacked } else { 3 - attacked };
        sheet.add(us, PASSED, state * 8 + rank);
        sheet.add(us, PASSED_FILE, masks::edge(square.file().to_usize()));
        sheet.add_many(us, PASSED_OWN_KING, rank, own.king.distance(stop) as i32);
        sheet.add_many(us, PASSED_ENEMY_KING, rank, enemy.king.distance(stop) as i32);
        let beside = masks::pawn_attacks(!us, stop.into());
        if own.by_pawn.contains(square) || ((beside.0 | beside.1) & own.pawns).any() {
            sheet.add(us, PASSED_CONNECTED, rank);
        }
        let held = path & enemy.attacked & !own.attacked;
        sheet.add_many(us, PASSED_PATH_HELD, rank, held.count() as i32);
        if (path & (facts.occupied | enemy.attacked)).is_empty() {
            sheet.add(us, PASSED_FREE_PATH, rank);
        }
        let behind = FORWARD_FILE[!us as usize][square.to_usize()] & board.rooks();
        if behind.any() && (behind & attacks::rook_attacks(square, facts.occupied)).any() {
            sheet.add(us, PASSED_ROOK_BEHIND, usize::from((behind & own.pieces).is_empty()));
        }
        if (enemy.pieces & !enemy.pawns).count() == 1 && (path & facts.occupied).is_empty() {
            let goal = Square::from_coords(square.file(), (!us).backrank());
            // A pawn at home has the double step to save a move.
            let way = square.distance(goal) - u32::from(rank == 1);
            if enemy.king.distance(goal) > way + 1 {
                sheet.add(us, PASSED_UNSTOPPABLE, 0);
            }
        }
    }
}
