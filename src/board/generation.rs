//! Moves by their kind, so that a node that is cut by a capture never makes the others.

use shakmaty::{
    Bitboard, ByRole, CastlingSide, Color, File, Move, Position as _, Rank, Role, Square, attacks,
};

use super::Position;

/// Squares that the opponent of a side attacks.
#[derive(Copy, Clone, Debug)]
pub struct Attacks {
    /// Squares that anything attacks, king and pawns included.
    pub all: Bitboard,
    /// Squares that a pawn attacks, whether or not anything stands there.
    pub pawns: Bitboard,
    /// By pawns and minor pieces.
    pub minors: Bitboard,
    /// By pawns, minor pieces and rooks.
    pub rooks: Bitboard,
    /// Pieces of the side that something of less value attacks.
    pub threatened: Bitboard,
}

impl Attacks {
    /// Nothing is known.
    pub const NONE: Self = Self {
        all: Bitboard::EMPTY,
        pawns: Bitboard::EMPTY,
        minors: Bitboard::EMPTY,
        rooks: Bitboard::EMPTY,
        threatened: Bitboard::EMPTY,
    };
}

/// How the moves of a position can give check: computed once for many moves.
#[derive(Copy, Clone, Debug)]
pub struct CheckSquares {
    /// Squares from which a piece of the mover would attack the enemy king, by role.
    pub direct: ByRole<Bitboard>,
    /// Pieces of the mover that alone stand between one of its sliders and that king.
    uncovering: Bitboard,
    /// Where it stands.
    king: Square,
}

impl CheckSquares {
    /// A move of the position gives check.
    #[inline]
    pub fn are_given_by(&self, position: &Position, m: Move) -> bool {
        match m {
            Move::Normal { role, from, to, promotion: None, .. } => {
                self.direct.get(role).contains(to)
                    || (self.uncovering.contains(from) && !attacks::aligned(from, to, self.king))
            }
            _ => position.gives_check(m),
        }
    }
}

impl Position {
    /// Visits every legal capture and queen promotion. Not for positions in check.
    #[inline]
    pub fn each_capture(&self, mut found: impl FnMut(Move)) {
        debug_assert!(!self.in_check());
        let board = self.board();
        let us = self.turn();
        let theirs = board.by_color(!us);
        let pinned = self.blockers(us);
        // Most pawns attack nothing and are not about to promote.
        let attackers = pawn_attacks(theirs, !us);
        for from in board.pawns() & board.by_color(us) & (attackers | before_last_rank(us)) {
            let last = before_last_rank(us).contains(from);
            let pushed = if last { self.push(from) } else { Bitboard::EMPTY };
            let promotion = last.then_some(Role::Queen);
            for to in self.on_pin(pinned, from, (attacks::pawn_attacks(us, from) & theirs) | pushed) {
                found(Move::Normal { role: Role::Pawn, from, capture: board.role_at(to), to, promotion });
            }
        }
        self.each_piece(pinned, |role, from, reach| {
            for to in reach & theirs {
                found(Move::Normal { role, from, capture: board.role_at(to), to, promotion: None });
            }
        });
        let from = self.king(us);
        for to in self.king_steps(theirs) {
            found(Move::Normal { role: Role::King, from, capture: board.role_at(to), to, promotion: None });
        }
        if self.ep.is_some() {
            self.chess.en_passant_moves().into_iter().for_each(found);
        }
    }

    /// Visits every piece but pawns with the empty squares to which it may go, castling left out; `attacked` are all
    /// squares that the opponent attacks, `pinned` the blockers of the mover. Not for positions in check.
    #[inline]
    pub fn each_quiet_step(
        &self,
        pinned: Bitboard,
        attacked: Bitboard,
        mut found: impl FnMut(Role, Square, Bitboard),
    ) {
        let empty = !self.board().occupied();
        self.each_piece(pinned, |role, from, reach| {
            // Many pieces of the first rank cannot move at all.
            if (reach & empty).any() {
                found(role, from, reach & empty);
            }
        });
        let king = self.king(self.turn());
        found(Role::King, king, attacks::king_attacks(king) & empty & !attacked);
    }

    /// Visits every step of a pawn, from where and where to, promotions left out; `pinned` are the blockers of the
    /// mover. Not for positions in check.
    #[inline(always)]
    pub fn each_pawn_step(&self, pinned: Bitboard, mut found: impl FnMut(Square, Square)) {
        debug_assert!(!self.in_check());
        let board = self.board();
        let us = self.turn();
        let empty = !board.occupied();
        // A pinned pawn may step only towards the piece that pins it.
        let free = board.pawns() & board.by_color(us) & (!pinned | Bitboard::from_file(self.king(us).file()));
        let forward = us.fold_wb(8, -8);
        let once = free.shift(forward) & empty & !Bitboard::from_rank((!us).backrank());
        let twice = (once & Bitboard::from_rank(us.fold_wb(Rank::Third, Rank::Sixth))).shift(forward) & empty;
        for (targets, back) in [(once, -forward), (twice, -2 * forward)] {
            for to in targets {
                if let Some(from) = to.offset(back) {
                    found(from, to);
                }
            }
        }
    }

    /// Visits the quiet moves that give check, castling and promotions left out. Not for positions in check.
    pub fn each_quiet_check(&self, mut found: impl FnMut(Move)) {
        let us = self.turn();
        let checks = self.check_squares();
        let giving = |role: Role, from: Square| {
            let uncovers = checks.uncovering.contains(from);
            let off_line = if uncovers { !attacks::ray(checks.king, from) } else { Bitboard::EMPTY };
            *checks.direct.get(role) | off_line
        };
        let mut found = |role: Role, from: Square, targets: Bitboard| {
            for to in targets {
                found(Move::Normal { role, from, capture: None, to, promotion: None });
            }
        };
        let (pinned, empty) = (self.blockers(us), !self.board().occupied());
        self.each_pawn_step(pinned, |from, to| found(Role::Pawn, from, giving(Role::Pawn, from) & to));
        self.each_piece(pinned, |role, from, reach| found(role, from, reach & empty & giving(role, from)));
        let own = self.king(us);
        found(Role::King, own, self.king_steps(empty & giving(Role::King, own)));
    }

    /// Visits castling and promotions to lesser pieces. Not for positions in check.
    pub fn each_odd_quiet(&self, mut found: impl FnMut(Move)) {
        let board = self.board();
        let us = self.turn();
        let castles = self.chess.castles();
        for side in CastlingSide::ALL {
            if castles.has(us, side) && (castles.path(us, side) & board.occupied()).is_empty() {
                self.chess.castling_moves(side).into_iter().for_each(&mut found);
            }
        }
        for from in board.pawns() & board.by_color(us) & before_last_rank(us) {
            let targets = (attacks::pawn_attacks(us, from) & board.by_color(!us)) | self.push(from);
            for to in self.on_pin(self.blockers(us), from, targets) {
                for lesser in [Role::Knight, Role::Bishop, Role::Rook] {
                    let (role, capture) = (Role::Pawn, board.role_at(to));
                    found(Move::Normal { role, from, capture, to, promotion: Some(lesser) });
                }
            }
        }
    }

    /// Visits every piece of the mover but pawns and king, and where it may go, his own pieces included.
    #[inline(always)]
    fn each_piece(&self, pinned: Bitboard, mut found: impl FnMut(Role, Square, Bitboard)) {
        let board = self.board();
        let (ours, occupied) = (board.by_color(self.turn()), board.occupied());
        // A pinned knight never stays on its line.
        for from in board.knights() & ours & !pinned {
            found(Role::Knight, from, attacks::knight_attacks(from));
        }
        for from in board.bishops() & ours {
            found(Role::Bishop, from, self.on_pin(pinned, from, attacks::bishop_attacks(from, occupied)));
        }
        for from in board.rooks() & ours {
            found(Role::Rook, from, self.on_pin(pinned, from, attacks::rook_attacks(from, occupied)));
        }
        for from in board.queens() & ours {
            found(Role::Queen, from, self.on_pin(pinned, from, attacks::queen_attacks(from, occupied)));
        }
    }

    /// Squares beside the mover's king, out of `squares`, that nothing attacks.
    fn king_steps(&self, squares: Bitboard) -> Bitboard {
        let board = self.board();
        let us = self.turn();
        let mut steps = attacks::king_attacks(self.king(us)) & squares;
        for to in steps {
            if board.attacks_to(to, !us, board.occupied()).any() {
                steps.discard(to);
            }
        }
        steps
    }

    /// Those of the targets that do not uncover the king.
    #[inline]
    fn on_pin(&self, pinned: Bitboard, from: Square, targets: Bitboard) -> Bitboard {
        if pinned.contains(from) { targets & attacks::ray(self.king(self.turn()), from) } else { targets }
    }

    /// A move from a square of the mover's is legal; for all moves but castling and en passant.
    pub(super) fn is_legal_step(&self, m: Move) -> bool {
        let Move::Normal { role, from, to, promotion, .. } = m else { return false };
        let (board, us) = (self.board(), self.turn());
        let promotes = role == Role::Pawn && Bitboard::BACKRANKS.contains(to);
        let reached = self.reach(role, from) & !board.by_color(us);
        if !reached.contains(to) || promotion.is_some() != promotes {
            return false;
        }
        let king = self.king(us);
        if role == Role::King {
            return board.attacks_to(to, !us, board.occupied().without(from)).is_empty();
        }
        let meets = |checker: Square| to == checker || attacks::between(king, checker).contains(to);
        !self.checkers.more_than_one()
            && self.checkers.first().is_none_or(meets)
            && (!self.blockers(us).contains(from) || attacks::aligned(from, to, king))
    }

    /// Squares to which a piece of the mover may go, or on which it protects its own, without exposing its king.
    fn reach(&self, role: Role, from: Square) -> Bitboard {
        let (board, us) = (self.board(), self.turn());
        if role != Role::Pawn {
            return attacks::attacks(from, role.of(us), board.occupied());
        }
        let once = self.push(from);
        let third = Bitboard::from_rank(us.fold_wb(Rank::Third, Rank::Sixth));
        let twice = (once & third).shift(us.fold_wb(8, -8)) & !board.occupied();
        once | twice | (attacks::pawn_attacks(us, from) & board.by_color(!us))
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

    /// What a side's opponent attacks.
    pub fn attacks_on(&self, color: Color) -> Attacks {
        let board = self.board();
        let by = !color;
        let (theirs, ours, occupied) = (board.by_color(by), board.by_color(color), board.occupied());
        let pawns = pawn_attacks(board.pawns() & theirs, by);
        let mut minors = pawns;
        for from in board.knights() & theirs {
            minors |= attacks::knight_attacks(from);
        }
        for from in board.bishops() & theirs {
            minors |= attacks::bishop_attacks(from, occupied);
        }
        let mut rooks = minors;
        for from in board.rooks() & theirs {
            rooks |= attacks::rook_attacks(from, occupied);
        }
        let mut all = rooks | attacks::king_attacks(self.king(by));
        for from in board.queens() & theirs {
            all |= attacks::queen_attacks(from, occupied);
        }
        let threatened = (board.queens() & rooks)
            | (board.rooks() & minors)
            | ((board.knights() | board.bishops()) & pawns);
        Attacks { all, pawns, minors, rooks, threatened: threatened & ours }
    }

    /// How the mover can give check.
    pub fn check_squares(&self) -> CheckSquares {
        let us = self.turn();
        let uncovering = self.blockers(!us) & self.board().by_color(us);
        CheckSquares { direct: self.direct_checks(), uncovering, king: self.king(!us) }
    }

    /// Squares from which a piece of the mover would attack the enemy king, by role.
    pub fn direct_checks(&self) -> ByRole<Bitboard> {
        let us = self.turn();
        let (king, occupied) = (self.king(!us), self.board().occupied());
        // A piece on the king's square attacks just the squares from which one of its kind attacks the king; a pawn,
        // if it is of the other colour.
        let from_king = |role: Role| attacks::attacks(king, role.of(!us), occupied);
        ByRole { king: Bitboard::EMPTY, ..ByRole::new_with(from_king) }
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

/// Squares that pawns of a side attack.
fn pawn_attacks(pawns: Bitboard, color: Color) -> Bitboard {
    let ahead = pawns.shift(color.fold_wb(8, -8));
    (ahead & !Bitboard::from_file(File::A)).shift(-1) | (ahead & !Bitboard::from_file(File::H)).shift(1)
}

/// Squares from which pawns of a side promote with their next move.
fn before_last_rank(color: Color) -> Bitboard {
    Bitboard::from_rank(color.fold_wb(Rank::Seventh, Rank::Second))
}
