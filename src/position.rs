//! A position as the search wants it: shakmaty's rules plus incremental keys and the null move.
//!
//! Positions are copied and played, never taken back, so an aborted search leaves nothing to clean up.

use std::fmt;

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::uci::UciMove;
use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Move, MoveList, Position as Rules,
    PositionError, PositionErrorKinds, Role, Square, attacks,
};

/// A legal position with the keys the search needs.
#[derive(Clone, Debug)]
pub struct Position {
    chess: Chess,
    checkers: Bitboard,
    key: u64,
    pawn_key: u64,
    /// En-passant square, only where a capture is legal.
    ep: Option<Square>,
    /// Plies since the last capture, pawn move or null move: how far back a repetition can lie.
    reversible: u16,
}

impl Default for Position {
    fn default() -> Self {
        Self::new(Chess::default())
    }
}

impl Position {
    /// Takes a position from the rules crate and computes its keys from scratch.
    pub fn new(chess: Chess) -> Self {
        let ep = chess.legal_ep_square();
        let mut key = side_key(chess.turn()) ^ ep.map_or(0, ep_key);
        let mut pawn_key = 0;
        for (square, piece) in chess.board().iter() {
            key ^= piece_key(piece.color, piece.role, square);
            if piece.role == Role::Pawn {
                pawn_key ^= piece_key(piece.color, piece.role, square);
            }
        }
        for rook in chess.castles().castling_rights() {
            key ^= castle_key(rook);
        }
        let reversible = chess.halfmoves().min(u32::from(u16::MAX)) as u16;
        Self { checkers: chess.checkers(), chess, key, pawn_key, ep, reversible }
    }

    /// Reads a FEN, also without counters and with X-FEN or Shredder castling letters.
    ///
    /// Castling rights without king or rook in place and en-passant squares that cannot be are dropped;
    /// everything else that is wrong is refused.
    ///
    /// ```
    /// use espalier::Position;
    /// let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w KQ - ", false).unwrap();
    /// assert_eq!(position.fen(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    /// assert!(Position::from_fen("8/8/8/8/8/8/8/8 w - - 0 1", false).is_err());
    /// ```
    pub fn from_fen(text: &str, chess960: bool) -> Result<Self, FenError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        if fields.len() > 6 {
            return Err(FenError::TooManyFields(fields.len()));
        }
        if fields.len() < 2 {
            return Err(FenError::NoSideToMove);
        }
        for (field, name, most) in [(4, "half-move clock", MAX_HALFMOVES), (5, "move number", MAX_FULLMOVES)]
        {
            if let Some(value) = fields.get(field)
                && !value.parse().is_ok_and(|number: u32| number <= most)
            {
                return Err(FenError::Counter { name, value: (*value).to_owned(), most });
            }
        }
        let mut cleaned = fields.clone();
        if let Some(ep) = cleaned.get_mut(3)
            && ep.parse::<Square>().is_err()
        {
            *ep = "-";
        }
        let setup = cleaned.join(" ").parse::<Fen>().map_err(FenError::Syntax)?.into_setup();
        if setup.pockets.is_some() || setup.remaining_checks.is_some() {
            return Err(FenError::Syntax(ParseFenError::InvalidBoard));
        }
        for color in Color::ALL {
            let pieces = setup.board.by_color(color).count();
            if pieces > 16 {
                return Err(FenError::TooManyPieces { color, pieces });
            }
        }
        let mode = CastlingMode::from_chess960(chess960 || needs_chess960(&fields, &setup.board));
        Chess::from_setup(setup, mode)
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_invalid_ep_square)
            .or_else(PositionError::ignore_impossible_check)
            .or_else(PositionError::ignore_too_much_material)
            .map(Self::new)
            .map_err(|error| FenError::Illegal(error.kinds()))
    }

    /// The position as FEN; an en-passant square only where it can be used.
    pub fn fen(&self) -> String {
        Fen::from_position(&self.chess, EnPassantMode::Legal).to_string()
    }

    /// The rules crate's view of it.
    pub fn chess(&self) -> &Chess {
        &self.chess
    }

    /// The pieces.
    pub fn board(&self) -> &Board {
        self.chess.board()
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.chess.turn()
    }

    /// Key of everything that makes two positions the same for the repetition rule.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Key of the pawns alone.
    pub fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// A key of where a side's pieces and king stand. Made when it is asked for: few nodes ask.
    pub fn piece_key(&self, color: Color) -> u64 {
        let board = self.board();
        let ours = board.by_color(color);
        [board.knights(), board.bishops(), board.rooks(), board.queens(), board.kings()]
            .into_iter()
            .fold(0, |key: u64, role| {
                (key ^ (ours & role).0).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_right(29)
            })
    }

    /// The pieces that give check.
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// The side to move is in check.
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Plies since the last capture or pawn move.
    pub fn halfmoves(&self) -> u32 {
        self.chess.halfmoves()
    }

    /// Plies back to which the position could have occurred before.
    pub fn reversible(&self) -> usize {
        usize::from(self.reversible)
    }

    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        self.chess.legal_moves()
    }

    /// The mover has a piece besides king and pawns.
    pub fn has_pieces(&self, color: Color) -> bool {
        let board = self.board();
        (board.by_color(color) & !(board.pawns() | board.kings())).any()
    }

    /// What the pieces on the board are worth together: 1 for a minor piece, 2 for a rook, 4 for a queen.
    pub fn piece_worth(&self) -> i32 {
        let board = self.board();
        let minors = (board.knights() | board.bishops()).count();
        (minors + 2 * board.rooks().count() + 4 * board.queens().count()) as i32
    }

    /// The move pushes a pawn to the sixth or seventh rank, and no enemy pawn can stop it any more.
    pub fn is_advanced_push(&self, m: Move) -> bool {
        let us = self.turn();
        let to = m.to();
        let rank = us.fold_wb(to.rank().to_u32(), 7 - to.rank().to_u32());
        if m.role() != Role::Pawn || !(5..=6).contains(&rank) {
            return false;
        }
        let enemy = self.board().pawns() & self.board().by_color(!us);
        enemy.into_iter().all(|pawn| {
            let behind = us.fold_wb(pawn.rank() <= to.rank(), pawn.rank() >= to.rank());
            behind || pawn.file().distance(to.file()) > 1
        })
    }

    /// Neither side can ever mate.
    pub fn is_dead(&self) -> bool {
        let board = self.board();
        (board.pawns() | board.rooks_and_queens()).is_empty() && self.chess.is_insufficient_material()
    }

    /// The position after a legal move.
    pub fn play(&self, m: Move) -> Self {
        let mut chess = self.chess.clone();
        chess.play_unchecked(m);
        let us = self.turn();
        let mut key = self.key ^ side_key(Color::White) ^ side_key(Color::Black);
        let mut pawn_key = self.pawn_key;
        let mut toggle = |color: Color, role: Role, square: Square| {
            let piece = piece_key(color, role, square);
            key ^= piece;
            if role == Role::Pawn {
                pawn_key ^= piece;
            }
        };
        match m {
            Move::Normal { role, from, capture, to, promotion } => {
                toggle(us, role, from);
                toggle(us, promotion.unwrap_or(role), to);
                if let Some(captured) = capture {
                    toggle(!us, captured, to);
                }
            }
            Move::EnPassant { from, to } => {
                toggle(us, Role::Pawn, from);
                toggle(us, Role::Pawn, to);
                toggle(!us, Role::Pawn, Square::from_coords(to.file(), from.rank()));
            }
            Move::Castle { king, rook } => {
                let side = shakmaty::CastlingSide::from_king_side(king < rook);
                toggle(us, Role::King, king);
                toggle(us, Role::King, side.king_to(us));
                toggle(us, Role::Rook, rook);
                toggle(us, Role::Rook, side.rook_to(us));
            }
            Move::Put { .. } => {}
        }
        let rights = self.chess.castles().castling_rights() ^ chess.castles().castling_rights();
        for rook in rights {
            key ^= castle_key(rook);
        }
        let ep = chess.legal_ep_square();
        key ^= self.ep.map_or(0, ep_key) ^ ep.map_or(0, ep_key);
        let reversible = if m.is_zeroing() { 0 } else { self.reversible.saturating_add(1) };
        Self { checkers: chess.checkers(), chess, key, pawn_key, ep, reversible }
    }

    /// The position after passing; `None` where the rules crate sees no legal position behind it.
    pub fn pass(&self) -> Option<Self> {
        let chess = self.chess.clone().swap_turn().ok()?;
        let key = self.key ^ side_key(Color::White) ^ side_key(Color::Black) ^ self.ep.map_or(0, ep_key);
        Some(Self { chess, checkers: Bitboard::EMPTY, key, ep: None, reversible: 0, ..*self })
    }

    /// Legal captures and queen promotions. Not for positions in check.
    ///
    /// The rules crate generates everything and filters, so this one looks at the targets only.
    pub fn captures(&self) -> MoveList {
        debug_assert!(!self.in_check());
        let mut moves = MoveList::new();
        let board = self.board();
        let us = self.turn();
        let (ours, theirs) = (board.by_color(us), board.by_color(!us));
        let king = self.king(us);
        let pinned = self.blockers(us);
        let safe = |from: Square, to: Square| !pinned.contains(from) || attacks::aligned(from, to, king);

        let last_rank = (!us).backrank();
        for from in board.pawns() & ours {
            let mut targets = attacks::pawn_attacks(us, from) & theirs;
            if from.rank() == us.fold_wb(shakmaty::Rank::Seventh, shakmaty::Rank::Second)
                && let Some(push) = from.offset(us.fold_wb(8, -8))
            {
                targets |= Bitboard::from_square(push) & !board.occupied();
            }
            for to in targets {
                if safe(from, to) {
                    let promotion = (to.rank() == last_rank).then_some(Role::Queen);
                    moves.push(Move::Normal {
                        role: Role::Pawn,
                        from,
                        capture: board.role_at(to),
                        to,
                        promotion,
                    });
                }
            }
        }
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            for from in board.by_role(role) & ours {
                for to in attacks::attacks(from, role.of(us), board.occupied()) & theirs {
                    if safe(from, to) {
                        let capture = board.role_at(to);
                        moves.push(Move::Normal { role, from, capture, to, promotion: None });
                    }
                }
            }
        }
        for to in attacks::king_attacks(king) & theirs {
            if board.attacks_to(to, !us, board.occupied()).is_empty() {
                let capture = board.role_at(to);
                moves.push(Move::Normal { role: Role::King, from: king, capture, to, promotion: None });
            }
        }
        if self.ep.is_some() {
            moves.extend(self.chess.en_passant_moves());
        }
        moves
    }

    /// Where a side's king stands.
    pub fn king(&self, color: Color) -> Square {
        self.board().king_of(color).expect("a legal position has both kings")
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

    /// The move gives check, without playing it. Castling and en passant count as not giving one.
    pub fn gives_check(&self, m: Move) -> bool {
        let Move::Normal { role, from, to, promotion, .. } = m else { return false };
        let (us, king) = (self.turn(), self.king(!self.turn()));
        let occupied = self.board().occupied().without(from).with(to);
        let piece = promotion.unwrap_or(role).of(us);
        attacks::attacks(to, piece, occupied).contains(king)
            || (self.blockers(!us).contains(from) && !attacks::aligned(from, to, king))
    }

    /// The legal move behind a packed one, if there is one here.
    pub fn unpack(&self, packed: PackedMove) -> Option<Move> {
        let (from, to) = packed.squares()?;
        let board = self.board();
        if !board.by_color(self.turn()).contains(from) {
            return None;
        }
        let role = board.role_at(from)?;
        let own_rights = self.chess.castles().castling_rights() & board.by_color(self.turn());
        let m = if role == Role::King && own_rights.contains(to) {
            Move::Castle { king: from, rook: to }
        } else if role == Role::Pawn && from.file() != to.file() && !board.occupied().contains(to) {
            Move::EnPassant { from, to }
        } else {
            let capture = board.role_at(to);
            Move::Normal { role, from, capture, to, promotion: packed.promotion() }
        };
        self.chess.is_legal(m).then_some(m)
    }

    /// Reads a move in UCI notation, in any case, castling as `e1g1` or `e1h1`.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let error = || MoveError { text: text.to_owned(), fen: self.fen() };
        let uci = UciMove::from_ascii(text.to_ascii_lowercase().as_bytes()).map_err(|_| error())?;
        uci.to_move(&self.chess).map_err(|_| error())
    }
}

/// A move in UCI notation: castling as king-takes-rook in Chess960, and wherever the usual form does
/// not exist.
pub fn uci_text(m: Move, chess960: bool) -> String {
    let usual = match m {
        Move::Castle { king, rook } => {
            king.file() == shakmaty::File::E && matches!(rook.file(), shakmaty::File::A | shakmaty::File::H)
        }
        _ => true,
    };
    m.to_uci(CastlingMode::from_chess960(chess960 || !usual)).to_string()
}

/// Counters above these are garbage, not chess.
const MAX_HALFMOVES: u32 = 9_999;
const MAX_FULLMOVES: u32 = 99_999;

/// The castling field or the kings show that this is no position of ordinary chess.
fn needs_chess960(fields: &[&str], board: &Board) -> bool {
    let Some(castling) = fields.get(2).filter(|field| **field != "-") else {
        return false;
    };
    castling.chars().any(|letter| !"KQkq".contains(letter))
        || Color::ALL.into_iter().any(|color| {
            let has_right = castling.chars().any(|letter| letter.is_ascii_uppercase() == color.is_white());
            let king = board.king_of(color);
            has_right
                && king
                    .is_some_and(|king| king.rank() == color.backrank() && king.file() != shakmaty::File::E)
        })
}

/// A game: the position now and the keys of all positions before it.
#[derive(Clone, Debug, Default)]
pub struct Game {
    position: Position,
    before: Vec<u64>,
}

impl Game {
    /// A game that starts here.
    pub fn new(position: Position) -> Self {
        Self { position, before: Vec::new() }
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        self.before.push(self.position.key());
        self.position = self.position.play(m);
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Keys of the earlier positions, oldest first.
    pub fn earlier_keys(&self) -> &[u64] {
        &self.before
    }

    /// The rules end the game here.
    pub fn is_over(&self) -> bool {
        self.position.halfmoves() >= 100
            || self.is_threefold()
            || self.position.is_dead()
            || self.position.legal_moves().is_empty()
    }

    /// The position has now occurred three times.
    pub fn is_threefold(&self) -> bool {
        let key = self.position.key();
        self.before.iter().rev().take(self.position.reversible()).filter(|&&k| k == key).count() >= 2
    }
}

/// A move in sixteen bits: from, to (the rook's square for castling), promotion.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Hash)]
pub struct PackedMove(u16);

impl PackedMove {
    /// No move.
    pub const NONE: Self = Self(0);

    /// The bits, for the hash table.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// From the hash table's bits; may stand for a move that is legal nowhere.
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Packs a move.
    pub fn new(m: Move) -> Self {
        let from = m.from().map_or(0, u16::from);
        let promotion = match m.promotion() {
            None => 0,
            Some(role) => u16::from(role) - u16::from(Role::Knight) + 1,
        };
        Self(from | u16::from(m.to()) << 6 | promotion << 12)
    }

    /// From and to, unless it is no move.
    pub fn squares(self) -> Option<(Square, Square)> {
        (self.0 != 0).then(|| (Square::new(u32::from(self.0 & 63)), Square::new(u32::from(self.0 >> 6 & 63))))
    }

    /// The piece a pawn becomes.
    pub fn promotion(self) -> Option<Role> {
        match self.0 >> 12 {
            1 => Some(Role::Knight),
            2 => Some(Role::Bishop),
            3 => Some(Role::Rook),
            4 => Some(Role::Queen),
            _ => None,
        }
    }
}

impl From<Move> for PackedMove {
    fn from(m: Move) -> Self {
        Self::new(m)
    }
}

/// Why a FEN was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FenError {
    /// Not written as a FEN.
    Syntax(ParseFenError),
    /// Only a board, no `w` or `b`.
    NoSideToMove,
    /// More than six fields.
    TooManyFields(usize),
    /// A counter that is no number or absurdly large.
    Counter {
        /// Which counter.
        name: &'static str,
        /// What was written.
        value: String,
        /// The largest value taken.
        most: u32,
    },
    /// More than sixteen pieces of one side.
    TooManyPieces {
        /// The side.
        color: Color,
        /// How many it has.
        pieces: usize,
    },
    /// Well written, but no legal position.
    Illegal(PositionErrorKinds),
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => write!(f, "{error}"),
            Self::NoSideToMove => write!(f, "the side to move (w or b) is missing"),
            Self::TooManyFields(n) => write!(f, "a FEN has at most 6 fields, not {n}"),
            Self::Counter { name, value, most } => {
                write!(f, "the {name} is {value:?}, not a number from 0 to {most}")
            }
            Self::TooManyPieces { color, pieces } => {
                write!(f, "{color} has {pieces} pieces, more than 16")
            }
            Self::Illegal(kinds) => {
                const REASONS: [(PositionErrorKinds, &str); 5] = [
                    (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
                    (PositionErrorKinds::MISSING_KING, "a king is missing"),
                    (PositionErrorKinds::TOO_MANY_KINGS, "a side has more than one king"),
                    (PositionErrorKinds::PAWNS_ON_BACKRANK, "a pawn stands on the first or last rank"),
                    (PositionErrorKinds::OPPOSITE_CHECK, "the side to move could capture the king"),
                ];
                let named: Vec<&str> = REASONS
                    .iter()
                    .filter(|(kind, _)| kinds.intersects(*kind))
                    .map(|(_, text)| *text)
                    .collect();
                if named.is_empty() { write!(f, "{kinds:?}") } else { write!(f, "{}", named.join(", ")) }
            }
        }
    }
}

impl std::error::Error for FenError {}

/// A move that cannot be played where it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveError {
    /// As written.
    pub text: String,
    /// Where.
    pub fen: String,
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no legal move in {}", self.text, self.fen)
    }
}

impl std::error::Error for MoveError {}

// Zobrist keys: one stream of SplitMix64 numbers, made at compile time.

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

fn castle_key(rook: Square) -> u64 {
    KEYS[12 * 64 + rook.to_usize()]
}

fn ep_key(square: Square) -> u64 {
    KEYS[12 * 64 + 64 + square.file().to_usize()]
}

fn side_key(turn: Color) -> u64 {
    turn.fold_wb(0, KEYS[12 * 64 + 64 + 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions with every special move in reach.
    const TRICKY: [&str; 6] = [
        "r3k3/1K6/8/8/8/8/8/8 w q - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "1r2k2r/8/8/3pP3/8/8/8/1R2K1R1 w GBhb d6 0 1",
    ];

    fn walk(position: &Position, depth: u32, check: &mut impl FnMut(&Position)) {
        check(position);
        if depth > 0 {
            for m in position.legal_moves() {
                walk(&position.play(m), depth - 1, check);
            }
        }
    }

    #[test]
    fn keys_kept_along_equal_keys_made_anew() {
        for fen in TRICKY {
            walk(&Position::from_fen(fen, false).unwrap(), 2, &mut |position| {
                let fresh = Position::new(position.chess().clone());
                assert_eq!(position.key(), fresh.key(), "{}", position.fen());
                assert_eq!(position.pawn_key(), fresh.pawn_key(), "{}", position.fen());
                assert_eq!(position.checkers(), fresh.checkers());
                if !position.in_check()
                    && let Some(passed) = position.pass()
                {
                    assert_eq!(passed.key(), Position::new(passed.chess().clone()).key());
                }
            });
        }
    }

    #[test]
    fn captures_are_the_captures_among_the_legal_moves() {
        for fen in TRICKY {
            walk(&Position::from_fen(fen, false).unwrap(), 2, &mut |position| {
                if position.in_check() {
                    return;
                }
                let noisy = |m: &Move| {
                    (m.is_capture() || m.is_promotion()) && matches!(m.promotion(), None | Some(Role::Queen))
                };
                let mut expected: Vec<u16> = position
                    .legal_moves()
                    .iter()
                    .filter(|m| noisy(m))
                    .map(|&m| PackedMove::new(m).bits())
                    .collect();
                let mut found: Vec<u16> =
                    position.captures().iter().map(|&m| PackedMove::new(m).bits()).collect();
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, expected, "{}", position.fen());
            });
        }
    }

    #[test]
    fn every_legal_move_survives_packing_and_no_other_unpacks() {
        for fen in TRICKY {
            let position = Position::from_fen(fen, false).unwrap();
            let legal = position.legal_moves();
            for bits in 0..=u16::MAX {
                if let Some(m) = position.unpack(PackedMove::from_bits(bits)) {
                    assert!(legal.contains(&m), "{bits:#x} gives {m} in {fen}");
                }
            }
            for &m in &legal {
                assert_eq!(position.unpack(PackedMove::new(m)), Some(m));
            }
        }
    }

    #[test]
    fn an_en_passant_square_nobody_can_use_is_not_in_the_key() {
        let with = Position::from_fen("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", false).unwrap();
        let without = Position::from_fen("4k3/8/8/8/4P3/8/8/4K3 b - - 0 1", false).unwrap();
        assert_eq!(with.key(), without.key());
        assert_eq!(with.fen(), without.fen());
    }

    #[test]
    fn an_advanced_push_is_one_that_no_pawn_stops() {
        let position = Position::from_fen("4k3/6p1/8/P4P2/8/8/8/4K3 w - - 0 1", false).unwrap();
        let push = |text| position.is_advanced_push(position.parse_move(text).unwrap());
        assert!(push("a5a6") && !push("f5f6") && !push("e1e2"));
        let black = Position::from_fen("4k3/8/8/8/p7/8/1P6/4K3 b - - 0 1", false).unwrap();
        assert!(!black.is_advanced_push(black.parse_move("a4a3").unwrap()));
    }

    #[test]
    fn three_occurrences_are_a_repetition() {
        let mut game = Game::default();
        for (round, text) in
            ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"].iter().enumerate()
        {
            assert!(!game.is_threefold(), "too early, at ply {round}");
            let m = game.position().parse_move(text).unwrap();
            game.play(m);
        }
        assert!(game.is_threefold());
    }

    #[test]
    fn moves_are_read_and_written_as_clients_do() {
        let position = Position::from_fen("r3k2r/P7/8/8/8/8/8/R3K2R w KQkq - 0 1", false).unwrap();
        assert!(position.parse_move("a7a8Q").is_err(), "a8 is taken, a7 cannot go there");
        let castle = position.parse_move("e1g1").unwrap();
        assert_eq!(position.parse_move("E1H1").unwrap(), castle);
        assert_eq!(uci_text(castle, false), "e1g1");
        assert_eq!(uci_text(castle, true), "e1h1");
        for wrong in ["", "0000", "e9e4", "e1e1", "a7b8", "xyz"] {
            assert!(position.parse_move(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn bad_positions_are_refused_with_a_reason() {
        for (fen, reason) in [
            ("8/8/8/8/8/8/8/8 w - - 0 1", "empty"),
            ("4k3/8/8/8/8/8/8/8 w - - 0 1", "king is missing"),
            ("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "more than one king"),
            ("8/8/8/8/8/8/4k3/4K3 w - - 0 1", "capture the king"),
            ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "first or last rank"),
            ("4k3/9/8/8/8/8/8/4K3 w - - 0 1", "board"),
            ("4k3/8/8/8/8/8/4K3 w - - 0 1", "board"),
            ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "turn"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 99999999999 1", "half-move clock"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 -4", "move number"),
            ("4k3/8/8/8/8/8/8/4K3", "side to move"),
            ("4k3/8/8/8/8/QQQQQQQQ/QQQQQQQQ/QQQQK3 w - - 0 1", "more than 16"),
        ] {
            let error = Position::from_fen(fen, false).expect_err(fen).to_string();
            assert!(error.contains(reason), "{fen}: {error}");
        }
    }

    #[test]
    fn impossible_rights_and_squares_are_dropped() {
        for (fen, kept) in [
            ("4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
            ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
            ("4k3/8/8/8/8/8/8/4K3 w - d4 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ] {
            assert_eq!(Position::from_fen(fen, false).unwrap().fen(), kept);
        }
    }

    #[test]
    fn a_check_is_seen_without_playing_the_move() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "4k3/P3n3/8/3N4/4R3/8/1B6/K3Q3 w - - 0 1",
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 b - - 0 10",
        ] {
            let position = Position::from_fen(fen, false).unwrap();
            for m in position.legal_moves().into_iter().filter(|m| !m.is_castle() && !m.is_en_passant()) {
                assert_eq!(position.gives_check(m), position.play(m).in_check(), "{m} in {fen}");
            }
        }
    }
}
