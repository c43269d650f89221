//! King and pawn against king: every position, won or drawn, worked out once.

use std::sync::LazyLock;

use shakmaty::{Bitboard, Color, File, Rank, Square, attacks};

/// Whether the side with the pawn wins, `mover` to move.
pub(super) fn wins(strong: Color, king: Square, pawn: Square, bare: Square, mover: Color) -> bool {
    // The table has White's pawns on the files a to d only.
    let turned = |square: Square| {
        let square = if strong.is_white() { square } else { square.flip_vertical() };
        if pawn.file() > File::D { square.flip_horizontal() } else { square }
    };
    TABLE.won[usize::from(mover == strong)][pawn_index(turned(pawn))][turned(king).to_usize()]
        .contains(turned(bare))
}

static TABLE: LazyLock<KpkBitbase> = LazyLock::new(KpkBitbase::work_out);

/// Pawns stand on the files a to d and the ranks two to seven.
const PAWNS: usize = 24;

const fn pawn_index(pawn: Square) -> usize {
    (pawn.to_usize() / 8 - 1) * 4 + pawn.to_usize() % 8
}

/// By side to move (the bare king first), pawn and king: the bare king's squares with a win.
struct KpkBitbase {
    won: [Box<[[Bitboard; 64]; PAWNS]>; 2],
}

impl KpkBitbase {
    /// Marks wins from the seventh rank down until nothing is added: what stays unmarked is drawn.
    fn work_out() -> Self {
        let empty = || Box::new([[Bitboard::EMPTY; 64]; PAWNS]);
        let mut table = Self { won: [empty(), empty()] };
        for pawn in (0..PAWNS).rev() {
            let pawn = Square::from_coords(File::new(pawn as u32 % 4), Rank::new(pawn as u32 / 4 + 1));
            while table.improve(pawn) {}
        }
        table
    }

    /// One pass over all kings with this pawn; true if it found a new win.
    fn improve(&mut self, pawn: Square) -> bool {
        let index = pawn_index(pawn);
        let mut changed = false;
        for king in Square::ALL {
            if king == pawn {
                continue;
            }
            let near = attacks::king_attacks(king) | Bitboard::from_square(king);
            let mut strong_to_move = self.won[1][index][king.to_usize()];
            let mut bare_to_move = self.won[0][index][king.to_usize()];
            for bare in !(near | Bitboard::from_square(pawn)) {
                if !bare_to_move.contains(bare) && self.bare_loses(pawn, king, bare) {
                    bare_to_move.add(bare);
                }
                let check = attacks::pawn_attacks(Color::White, pawn).contains(bare);
                if !check && !strong_to_move.contains(bare) && self.strong_wins(pawn, king, bare) {
                    strong_to_move.add(bare);
                }
            }
            changed |= strong_to_move != self.won[1][index][king.to_usize()]
                || bare_to_move != self.won[0][index][king.to_usize()];
            self.won[1][index][king.to_usize()] = strong_to_move;
            self.won[0][index][king.to_usize()] = bare_to_move;
        }
        changed
    }

    /// The bare king has a move, and every move runs into a known win.
    fn bare_loses(&self, pawn: Square, king: Square, bare: Square) -> bool {
        let guarded = attacks::king_attacks(king);
        let attacked = guarded | attacks::pawn_attacks(Color::White, pawn);
        let moves = attacks::king_attacks(bare) & !attacked;
        let won = self.won[1][pawn_index(pawn)][king.to_usize()];
        // Taking the pawn is a draw; so is stalemate.
        if moves.contains(pawn) {
            return false;
        }
        if moves.is_empty() {
            return attacks::pawn_attacks(Color::White, pawn).contains(bare);
        }
        moves.is_subset(won)
    }

    /// Some move leads to a known win or promotes in safety.
    fn strong_wins(&self, pawn: Square, king: Square, bare: Square) -> bool {
        let guarded = attacks::king_attacks(bare);
        let moves = attacks::king_attacks(king) & !guarded & !Bitboard::from_square(pawn);
        let lost = &self.won[0];
        if moves.into_iter().any(|to| lost[pawn_index(pawn)][to.to_usize()].contains(bare)) {
            return true;
        }
        let Some(stop) = pawn.offset(8).filter(|stop| *stop != king && *stop != bare) else { return false };
        if stop.rank() == Rank::Eighth {
            return !guarded.contains(stop) || attacks::king_attacks(king).contains(stop);
        }
        if lost[pawn_index(stop)][king.to_usize()].contains(bare) {
            return true;
        }
        let double = stop.offset(8).filter(|two| *two != king && *two != bare && pawn.rank() == Rank::Second);
        double.is_some_and(|two| lost[pawn_index(two)][king.to_usize()].contains(bare))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;

    fn won(fen: &str) -> bool {
        let position = Position::from_fen(fen, false).unwrap();
        let pawn = position.board().pawns().first().unwrap();
        let strong = position.board().color_at(pawn).unwrap();
        wins(strong, position.king(strong), pawn, position.king(!strong), position.turn())
    }

    #[test]
    fn theory_is_kept() {
        for (fen, expected) in [
            // The king on the sixth before its pawn wins, with either side to move.
            ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", true),
            ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", true),
            // Opposition.
            ("8/8/4k3/8/4K3/4P3/8/8 w - - 0 1", false),
            ("8/8/4k3/8/4K3/4P3/8/8 b - - 0 1", true),
            ("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", false),
            ("4k3/8/3KP3/8/8/8/8/8 b - - 0 1", false),
            ("4k3/8/3KP3/8/8/8/8/8 w - - 0 1", true),
            // The square of the pawn.
            ("8/8/8/P7/4k3/8/8/7K w - - 0 1", true),
            ("8/8/8/P7/4k3/8/8/7K b - - 0 1", false),
            // A rook's pawn.
            ("1k6/8/1K6/P7/8/8/8/8 w - - 0 1", false),
            ("8/1K6/8/P7/8/8/8/6k1 w - - 0 1", true),
            // The same for Black, and on the other wing.
            ("8/8/8/8/4p3/4k3/8/4K3 w - - 0 1", true),
            ("8/8/4p3/4k3/8/4K3/8/8 b - - 0 1", false),
            ("8/8/8/7P/3k4/8/8/K7 b - - 0 1", false),
            ("8/8/8/7P/3k4/8/8/K7 w - - 0 1", true),
        ] {
            assert_eq!(won(fen), expected, "{fen}");
        }
    }
}
