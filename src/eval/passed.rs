//! Passed pawns among the pieces: how far, how free, how near the kings.

use shakmaty::{Color, Square, attacks};

use super::accumulator::ScoreAccumulator;
use super::classical::EvalInfo;
use super::masks::{self, FORWARD_FILE};
use super::trace::Trace;
use super::weights::{
    PASSED, PASSED_CONNECTED, PASSED_ENEMY_KING, PASSED_FILE, PASSED_FREE_PATH, PASSED_OWN_KING,
    PASSED_PATH_HELD, PASSED_ROOK_BEHIND, PASSED_UNSTOPPABLE,
};

/// All passed pawns of a side.
#[inline(always)]
pub(super) fn passed_pawns<const WHITE: bool, T: Trace>(info: &EvalInfo, sum: &mut ScoreAccumulator<T>) {
    let us = Color::from_white(WHITE);
    let board = info.board;
    let (own, enemy) = (&info.sides[us as usize], &info.sides[!us as usize]);
    for square in info.pawns.passed & own.pieces {
        let rank = masks::relative_rank(us, square);
        let Some(stop) = square.offset(us.fold_wb(8, -8)) else { continue };
        let path = FORWARD_FILE[us as usize][square.to_usize()];
        let attacked = usize::from(enemy.attacked.contains(stop));
        let state = if info.occupied.contains(stop) { attacked } else { 3 - attacked };
        sum.add(us, PASSED, state * 8 + rank);
        sum.add(us, PASSED_FILE, masks::edge(square.file().to_usize()));
        sum.add_many(us, PASSED_OWN_KING, rank, own.king.distance(stop) as i32);
        sum.add_many(us, PASSED_ENEMY_KING, rank, enemy.king.distance(stop) as i32);
        let beside = masks::pawn_attacks(!us, stop.into());
        if own.by_pawn.contains(square) || ((beside.0 | beside.1) & own.pawns).any() {
            sum.add(us, PASSED_CONNECTED, rank);
        }
        let held = path & enemy.attacked & !own.attacked;
        sum.add_many(us, PASSED_PATH_HELD, rank, held.count() as i32);
        if (path & (info.occupied | enemy.attacked)).is_empty() {
            sum.add(us, PASSED_FREE_PATH, rank);
        }
        let behind = FORWARD_FILE[!us as usize][square.to_usize()] & board.rooks();
        if behind.any() && (behind & attacks::rook_attacks(square, info.occupied)).any() {
            sum.add(us, PASSED_ROOK_BEHIND, usize::from((behind & own.pieces).is_empty()));
        }
        if (enemy.pieces & !enemy.pawns).count() == 1 && (path & info.occupied).is_empty() {
            let goal = Square::from_coords(square.file(), (!us).backrank());
            // A pawn at home has the double step to save a move.
            let way = square.distance(goal) - u32::from(rank == 1);
            if enemy.king.distance(goal) > way + 1 {
                sum.add(us, PASSED_UNSTOPPABLE, 0);
            }
        }
    }
}
