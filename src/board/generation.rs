//! Moves by their kind, so that a node that is cut by a capture never makes the others.

use shakmaty::{
    Bitboard, ByRole, CastlingSide, Color, File, Move, Position as _, Rank, Role, Square, attacks,
};

use super::Position;

/// All but pawns and king.
const PIECES: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

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

impl Position {
    /// Tells of every legal capture and queen promotion. Not for positions in check.
    #[inline]
    pub fn each_capture(&self, mut found: impl FnMut(Move)) {
        debug_assert!(!self.in_check());
        let board = self.board();
        let us = self.turn();
        let theirs = board.by_color(!us);
        let pinned = self.blockers(us);
        for from in board.pawns() & board.by_color(us) {
            let last = self.is_before_last_rank(from);
            let pushed = if last { self.push(from) } else { Bitboard::EMPTY };
            let promotion = last.then_some(Role::Queen);
            for to in self.on_pin(pinned, from, (attacks::pawn_attacks(us, from) & theirs) | pushed) {
                found(Move::Normal { role: Role::Pawn, from, capture: board.role_at(to), to, promotion });
            }
        }
        for role in PIECES {
            for from in board.by_role(role) & board.by_color(us) {
                for to in self.reach(pinned, role, from) & theirs {
                    found(Move::Normal { role, from, capture: board.role_at(to), to, promotion: None });
                }
            }
        }
        let from = self.king(us);
        for to in self.king_steps(theirs) {
            found(Move::Normal { role: Role::King, from, capture: board.role_at(to), to, promotion: None });
        }
        if self.ep.is_some() {
            self.chess.en_passant_moves().into_iter().for_each(found);
        }
    }

    /// Tells of every other legal move, promotions to lesser pieces among them. Not for positions in check.
    #[inline]
    pub fn each_quiet(&self, mut found: impl FnMut(Move)) {
        let pinned = self.blockers(self.turn());
        self.each_step(pinned, |_, _| Bitboard::FULL, &mut found);
        self.each_odd_quiet(pinned, &mut found);
    }

    /// Tells of the quiet moves that give check, castling and promotions left out. Not for positions in check.
    pub fn each_quiet_check(&self, found: impl FnMut(Move)) {
        let us = self.turn();
        let king = self.king(!us);
        let uncovering = self.blockers(!us) & self.board().by_color(us);
        let direct = self.check_squares();
        let giving = |role: Role, from: Square| {
            let off_line =
                if uncovering.contains(from) { !attacks::ray(king, from) } else { Bitboard::EMPTY };
            *direct.get(role) | off_line
        };
        self.each_step(self.blockers(us), giving, found);
    }

    /// Tells of every quiet move but castling and promotions to where `aims` says its piece may go.
    #[inline]
    fn each_step(
        &self,
        pinned: Bitboard,
        aims: impl Fn(Role, Square) -> Bitboard,
        mut found: impl FnMut(Move),
    ) {
        debug_assert!(!self.in_check());
        let board = self.board();
        let us = self.turn();
        let empty = !board.occupied();
        let mut step = |role: Role, from: Square, to: Square| {
            found(Move::Normal { role, from, capture: None, to, promotion: None });
        };
        // A pinned pawn may step only towards the piece that pins it.
        let free = board.pawns() & board.by_color(us) & (!pinned | Bitboard::from_file(self.king(us).file()));
        let forward = us.fold_wb(8, -8);
        let once = free.shift(forward) & empty & !Bitboard::from_rank((!us).backrank());
        let twice = (once & Bitboard::from_rank(us.fold_wb(Rank::Third, Rank::Sixth))).shift(forward) & empty;
        for (targets, back) in [(once, -forward), (twice, -2 * forward)] {
            for to in targets {
                if let Some(from) = to.offset(back)
                    && aims(Role::Pawn, from).contains(to)
                {
                    step(Role::Pawn, from, to);
                }
            }
        }
        for role in PIECES {
            for from in board.by_role(role) & board.by_color(us) {
                for to in self.reach(pinned, role, from) & empty & aims(role, from) {
                    step(role, from, to);
                }
            }
        }
        let from = self.king(us);
        for to in self.king_steps(empty & aims(Role::King, from)) {
            step(Role::King, from, to);
        }
    }

    /// Tells of castling and of promotions to lesser pieces.
    fn each_odd_quiet(&self, pinned: Bitboard, found: &mut dyn FnMut(Move)) {
        let board = self.board();
        let us = self.turn();
        if self.chess.castles().any() {
            for side in CastlingSide::ALL {
                self.chess.castling_moves(side).into_iter().for_each(&mut *found);
            }
        }
        let pawns = board.pawns() & board.by_color(us);
        for from in pawns.into_iter().filter(|from| self.is_before_last_rank(*from)) {
            let targets = (attacks::pawn_attacks(us, from) & board.by_color(!us)) | self.push(from);
            for to in self.on_pin(pinned, from, targets) {
                for lesser in [Role::Knight, Role::Bishop, Role::Rook] {
                    let (role, capture) = (Role::Pawn, board.role_at(to));
                    found(Move::Normal { role, from, capture, to, promotion: Some(lesser) });
                }
            }
        }
    }

    /// Where a piece of the mover may go, his own pieces included.
    #[inline]
    fn reach(&self, pinned: Bitboard, role: Role, from: Square) -> Bitboard {
        self.on_pin(pinned, from, attacks::attacks(from, role.of(self.turn()), self.board().occupied()))
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

    /// What a side's opponent attacks.
    pub fn attacks_on(&self, color: Color) -> Attacks {
        let board = self.board();
        let by = !color;
        let (theirs, ours, occupied) = (board.by_color(by), board.by_color(color), board.occupied());
        let ahead = (board.pawns() & theirs).shift(by.fold_wb(8, -8));
        let pawns = (ahead & !Bitboard::from_file(File::A)).shift(-1)
            | (ahead & !Bitboard::from_file(File::H)).shift(1);
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

    /// Squares from which a piece of the mover would attack the enemy king, by role.
    pub fn check_squares(&self) -> ByRole<Bitboard> {
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
