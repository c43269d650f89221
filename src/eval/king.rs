//! King safety: how much the enemy's pieces could do around the king.
//!
//! Attackers, weak squares, checks and missing shelter add up to a danger, which is squared for the middle
//! game: two attackers are more than twice as bad as one.

use shakmaty::{Bitboard, Color, attacks};

use super::accumulator::ScoreAccumulator;
use super::classical::EvalInfo;
use super::masks::{KING_FLANK, KING_RING};
use super::trace::Trace;
use super::weights::{
    DANGER_BASE, DANGER_FLANK, DANGER_HITS, DANGER_KNIGHT_DEFENDER, DANGER_NO_QUEEN, DANGER_PINNED,
    DANGER_SAFE_CHECK, DANGER_UNSAFE_CHECK, DANGER_WEAK, KING_DEFENDERS, Pair,
};

/// Divisors that make centipawns of a danger: of its square, and of itself for the endgame.
pub(super) const DANGER_DIVISOR: (i32, i32) = (1024, 16);

/// No danger costs more.
pub(super) const DANGER_MOST: i32 = 2_000;

/// What a king's danger costs its side.
#[inline(always)]
pub(super) fn cost(danger: Pair) -> Pair {
    let mg = danger.mg().max(0);
    let mg = (mg * mg / DANGER_DIVISOR.0).min(DANGER_MOST);
    Pair::new(mg, danger.eg().max(0) / DANGER_DIVISOR.1)
}

/// Adds up the danger of a king; false if it is too little to count.
#[inline(always)]
pub(super) fn danger<T: Trace>(us: Color, info: &EvalInfo, sum: &mut ScoreAccumulator<T>) -> bool {
    let (own, enemy) = (&info.sides[us as usize], &info.sides[!us as usize]);
    let defenders = (KING_RING[own.king.to_usize()] & own.minors).count().min(3);
    sum.add(us, KING_DEFENDERS, defenders);

    let queens = info.queens & enemy.pieces;
    if own.attackers + i32::from(queens.any()) < 2 {
        return false;
    }
    let weak = enemy.attacked & !own.attacked_twice & (!own.attacked | own.by_queen | own.by_king);
    let safe = !enemy.pieces & (!own.attacked | (weak & enemy.attacked_twice));

    let seen_through = info.occupied ^ (info.queens & own.pieces);
    let rook_lines = attacks::rook_attacks(own.king, seen_through);
    let bishop_lines = attacks::bishop_attacks(own.king, seen_through);
    let checks = [
        attacks::knight_attacks(own.king) & enemy.by_knight,
        bishop_lines & enemy.by_bishop,
        rook_lines & enemy.by_rook,
        (rook_lines | bishop_lines) & enemy.by_queen & !own.by_queen,
    ];
    let mut unsafe_checks = Bitboard::EMPTY;
    for (role, check) in checks.into_iter().enumerate() {
        let good = check & safe;
        if good.any() {
            let more = usize::from(good.more_than_one());
            sum.endanger(us, DANGER_SAFE_CHECK, role * 2 + more, 1);
        } else if role < 3 {
            unsafe_checks |= check;
        }
    }
    sum.endanger(us, DANGER_UNSAFE_CHECK, 0, unsafe_checks.count() as i32);

    let ring = own.ring;
    sum.endanger(us, DANGER_WEAK, 0, (ring & weak).count() as i32);
    sum.endanger(us, DANGER_HITS, 0, own.ring_hits);
    let camp = KING_FLANK[own.king.file().to_usize()] & camp(us);
    sum.endanger(us, DANGER_FLANK, 0, (camp & enemy.attacked).count() as i32);
    sum.endanger(us, DANGER_FLANK, 1, (camp & enemy.attacked_twice).count() as i32);
    sum.endanger(us, DANGER_FLANK, 2, (camp & own.attacked).count() as i32);
    if queens.is_empty() {
        sum.endanger(us, DANGER_NO_QUEEN, 0, 1);
    }
    sum.endanger(us, DANGER_PINNED, 0, own.pinned.count() as i32);
    if (own.by_knight & ring).any() {
        sum.endanger(us, DANGER_KNIGHT_DEFENDER, 0, 1);
    }
    sum.endanger(us, DANGER_BASE, 0, 1);
    true
}

/// A side's first five ranks.
const fn camp(us: Color) -> Bitboard {
    let ranks = 0x0000_00ff_ffff_ffff_u64;
    Bitboard(if us.is_white() { ranks } else { ranks.swap_bytes() })
}
