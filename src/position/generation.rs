//! Moves by their kind, so that a node that is cut by a capture never makes the others.

use shakmaty::{Bitboard, CastlingSide, Color, Move, Position as _, Rank, Role, Square, attacks};

use super::Position;

/// All but pawns and king.
const PIECES: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

impl Position {
    /// Tells of every legal capture and queen promotion. Not for positions in check.
    pub fn each_capture(&self, mut found: impl FnMut(Move)) {
        debug_assert!(!self.in_check());
        let board = self.board();
        let us = self.turn();
        let (ours, theirs) = (board.by_color(us), board.by_color(!us));
        let king = self.king(us);
        let pinned = self.blockers(us);
        let safe = |from: Square, to: Square| !pinned.contains(from) || attacks::aligned(from, to, king);

        for from in board.pawns() & ours {
            let last = self.is_before_last_rank(from);
            let pushed = if last { self.push(from) } else { Bitboard::EMPTY };
            let promotion = last.then_some(Role::Queen);
            for to in (attacks::pawn_attacks(us, from) & theirs) | pushed {
                if safe(from, to) {
                    found(Move::Normal { role: Role::Pawn, from, capture: board.role_at(to), to, promotion });
                }
            }
        }
        for role in PIECES {
            for from in board.by_role(role) & ours {
                for to in attacks::attacks(from, role.of(us), board.occupied()) & theirs {
                    if safe(from, to) {
                        found(Move::Normal { role, from, capture: board.role_at(to), to, promotion: None });
                    }
                }
            }
        }
        for to in attacks::king_attacks(king) & theirs {
            if board.attacks_to(to, !us, board.occupied()).is_empty() {
                let capture = board.role_at(to);
                found(Move::Normal { role: Role::King, from: king, capture, to, promotion: None });
            }
        }
        if self.ep.is_some() {
            self.chess.en_passant_moves().into_iter().for_each(found);
        }
    }

    /// Tells of every other legal move, promotions to lesser pieces among them. Not for positions in check.
    pub fn each_quiet(&self, mut found: impl FnMut(Move)) {
        debug_assert!(!self.in_check());
        let board = self.board();
        let us = self.turn();
        let (ours, empty) = (board.by_color(us), !board.occupied());
        let king = self.king(us);
        let pinned = self.blockers(us);
        let safe = |from: Square, to: Square| !pinned.contains(from) || attacks::aligned(from, to, king);
        let mut step = |role: Role, from: Square, to: Square| {
            found(Move::Normal { role, from, capture: None, to, promotion: None });
        };

        let pawns = board.pawns() & ours;
        let forward = us.fold_wb(8, -8);
        let once = pawns.shift(forward) & empty & !Bitboard::from_rank((!us).backrank());
        let twice = (once & Bitboard::from_rank(us.fold_wb(Rank::Third, Rank::Sixth))).shift(forward) & empty;
        for (targets, distance) in [(once, forward), (twice, 2 * forward)] {
            for to in targets {
                if let Some(from) = to.offset(-distance)
                    && safe(from, to)
                {
                    step(Role::Pawn, from, to);
                }
            }
        }
        for role in PIECES {
            for from in board.by_role(role) & ours {
                for to in attacks::attacks(from, role.of(us), board.occupied()) & empty {
                    if safe(from, to) {
                        step(role, from, to);
                    }
                }
            }
        }
        for to in attacks::king_attacks(king) & empty {
            if board.attacks_to(to, !us, board.occupied()).is_empty() {
                step(Role::King, king, to);
            }
        }
        if self.chess.castles().any() {
            for side in CastlingSide::ALL {
                self.chess.castling_moves(side).into_iter().for_each(&mut found);
            }
        }
        for from in pawns.into_iter().filter(|from| self.is_before_last_rank(*from)) {
            let targets = (attacks::pawn_attacks(us, from) & board.by_color(!us)) | self.push(from);
            for to in targets.into_iter().filter(|to| safe(from, *to)) {
                for lesser in [Role::Knight, Role::Bishop, Role::Rook] {
                    let (role, capture) = (Role::Pawn, board.role_at(to));
                    found(Move::Normal { role, from, capture, to, promotion: Some(lesser) });
                }
            }
        }
    }

    /// A pawn of the mover that stands here promotes with its next move.
    fn is_before_last_rank(&self, from: Square) -> bool {
        from.rank() == self.turn().fold_wb(Rank::Seventh, Rank::Second)
    }

    /// The square before a pawn of the mover, if it is empty.
    fn push(&self, from: Square) -> Bitboard {
        Bitboard::from_square(from).shift(self.turn().fold_wb(8, -8)) & !self.board().occupied()
    }

    /// Pieces of either side that alone stand between a side's king and an enemy slider.
    pub fn blockers(&self, color: Color) -> Bitboard {
        let board = self.board();
        let king = self.king(color);
        let snipers = ((attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens())
            | (attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens()))
            & board.by_color(!color);
        let mut pinned = Bitboard::EMPTY;
        for sniper in snipers {
            let between = attacks::between(king, sniper) & board.occupied();
            if !between.more_than_one() {
                pinned |= between;
            }
        }
        pinned
    }

    /// The move gives check; found without playing it, unless it is one of the odd ones.
    pub fn gives_check(&self, m: Move) -> bool {
        let Move::Normal { role, from, to, promotion, .. } = m else {
            return self.play(m).in_check();
        };
        let (us, king) = (self.turn(), self.king(!self.turn()));
        let occupied = self.board().occupied().without(from).with(to);
        let piece = promotion.unwrap_or(role).of(us);
        attacks::attacks(to, piece, occupied).contains(king)
            || (self.blockers(!us).contains(from) && !attacks::aligned(from, to, king))
    }
}
