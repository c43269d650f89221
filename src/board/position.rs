//! A position as the search needs it: shakmaty's rules plus incremental keys and the null move.
//!
//! Positions are copied and played, never taken back, so an aborted search leaves nothing to clean up.

use shakmaty::fen::Fen;
use shakmaty::{Bitboard, Board, Chess, Color, EnPassantMode, Move, MoveList, Position as _, Role, Square};

use super::GamePhase;
use super::keys::{Keys, castle_key, ep_key, side_key};

/// A legal position with the keys the search needs.
#[derive(Clone, Debug)]
pub struct Position {
    pub(super) chess: Chess,
    pub(super) checkers: Bitboard,
    pub(super) keys: Keys,
    /// En-passant square, only where a capture is legal.
    pub(super) ep: Option<Square>,
    /// Plies since the last capture, pawn move or null move: how far back a repetition can lie.
    pub(super) reversible: u16,
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
        let mut keys = Keys::default();
        keys.all ^= side_key(chess.turn()) ^ ep.map_or(0, ep_key);
        for (square, piece) in chess.board().iter() {
            keys.toggle(piece.color, piece.role, square);
        }
        for rook in chess.castles().castling_rights() {
            keys.all ^= castle_key(rook);
        }
        let reversible = chess.halfmoves().min(u32::from(u16::MAX)) as u16;
        Self { checkers: chess.checkers(), chess, keys, ep, reversible }
    }

    /// The position as FEN; an en-passant square only where it can be used.
    pub fn fen(&self) -> String {
        Fen::from_position(&self.chess, EnPassantMode::Legal).to_string()
    }

    /// The same position with colours and side to move exchanged; none if the rules do not know it.
    pub fn flipped(&self) -> Option<Self> {
        let castling = self.chess.castles().mode();
        let setup = self.chess.to_setup(EnPassantMode::Legal).into_mirrored();
        let chess = match setup.position::<Chess>(castling) {
            Ok(chess) => chess,
            Err(error) => error.ignore_too_much_material().ok()?,
        };
        Some(Self::new(chess))
    }

    /// The rules crate's view of it.
    pub fn chess(&self) -> &Chess {
        &self.chess
    }

    /// Where the pieces stand.
    pub fn board(&self) -> &Board {
        self.chess.board()
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.chess.turn()
    }

    /// Key of everything that makes two positions the same for the repetition rule.
    pub fn key(&self) -> u64 {
        self.keys.all
    }

    /// Key of the pawns alone.
    pub fn pawn_key(&self) -> u64 {
        self.keys.pawns
    }

    /// Key of a side's pieces and king.
    pub fn piece_key(&self, color: Color) -> u64 {
        self.keys.pieces[color as usize]
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

    /// All legal moves, in no particular order.
    pub fn legal_moves(&self) -> MoveList {
        self.chess.legal_moves()
    }

    /// A side has a piece besides king and pawns.
    pub fn has_pieces(&self, color: Color) -> bool {
        let board = self.board();
        (board.by_color(color) & !(board.pawns() | board.kings())).any()
    }

    /// The pieces left on the board, counted for the game phase: 1 for a minor piece, 2 for a rook, 4 for a queen.
    pub fn phase_material(&self) -> i32 {
        let board = self.board();
        let minors = (board.knights() | board.bishops()).count();
        (minors + 2 * board.rooks().count() + 4 * board.queens().count()) as i32
    }

    /// The phase of the game, by the pieces left.
    #[inline]
    pub fn game_phase(&self) -> GamePhase {
        GamePhase::of(self.phase_material())
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
        self.play_with(m, self.keys_moved(m))
    }

    /// The keys after a legal move, without changes of castling rights and en passant, so nearly always those of the
    /// position that follows. They are known early enough to prefetch table entries.
    #[inline]
    pub fn keys_moved(&self, m: Move) -> Keys {
        let us = self.turn();
        let mut keys = self.keys;
        keys.all ^= side_key(Color::White) ^ side_key(Color::Black);
        match m {
            Move::Normal { role, from, capture, to, promotion } => {
                keys.shift(us, role, from, to);
                if let Some(promoted) = promotion {
                    keys.toggle(us, role, to);
                    keys.toggle(us, promoted, to);
                }
                if let Some(captured) = capture {
                    keys.toggle(!us, captured, to);
                }
            }
            odd => keys.play_odd(us, odd),
        }
        keys
    }

    /// The position after a legal move whose [`keys_moved`](Self::keys_moved) are known.
    pub fn play_with(&self, m: Move, keys: Keys) -> Self {
        let mut child = Self { keys, ..self.clone() };
        child.chess.play_unchecked(m);
        for rook in self.chess.castles().castling_rights() ^ child.chess.castles().castling_rights() {
            child.keys.all ^= castle_key(rook);
        }
        child.ep = child.chess.legal_ep_square();
        child.keys.all ^= self.ep.map_or(0, ep_key) ^ child.ep.map_or(0, ep_key);
        child.reversible = if child.halfmoves() == 0 { 0 } else { self.reversible.saturating_add(1) };
        child.checkers = child.chess.checkers();
        child
    }

    /// The position after passing; `None` if the rules crate rejects the position that results.
    pub fn pass(&self) -> Option<Self> {
        let chess = self.chess.clone().swap_turn().ok()?;
        let keys = Keys { all: self.key_passed(), ..self.keys };
        Some(Self { chess, checkers: Bitboard::EMPTY, keys, ep: None, reversible: 0 })
    }

    /// The key after passing.
    #[inline]
    pub fn key_passed(&self) -> u64 {
        self.keys.all ^ side_key(Color::White) ^ side_key(Color::Black) ^ self.ep.map_or(0, ep_key)
    }

    /// Where a side's king stands.
    pub fn king(&self, color: Color) -> Square {
        self.board().king_of(color).expect("a legal position has both kings")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Game, PackedMove, uci_text};
    use super::*;
    use crate::search::move_picker::is_noisy;

    #[test]
    fn a_flipped_position_is_the_same_from_the_other_side() {
        let flipped = |fen| Position::from_fen(fen, false).unwrap().flipped().unwrap().fen();
        let fen = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQq d6 0 1";
        assert_eq!(flipped(fen), "r3k2r/8/8/8/3Pp3/8/8/R3K2R b Qkq d3 0 1");
        assert_eq!(flipped(&flipped(fen)), fen);
    }

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
                assert_eq!(position.keys, fresh.keys, "{}", position.fen());
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
    fn captures_and_quiet_moves_are_the_legal_moves() {
        let packed = |moves: Vec<Move>| {
            let mut bits: Vec<u16> = moves.into_iter().map(|m| PackedMove::new(m).bits()).collect();
            bits.sort_unstable();
            bits
        };
        for fen in TRICKY {
            walk(&Position::from_fen(fen, false).unwrap(), 3, &mut |position| {
                if position.in_check() {
                    return;
                }
                let (captures, others): (Vec<Move>, Vec<Move>) =
                    position.legal_moves().into_iter().partition(|m| is_noisy(*m));
                let (mut noisy, mut quiet) = (Vec::new(), Vec::new());
                let attacked = position.attacks_on(position.turn()).all;
                position.each_capture(|m| noisy.push(m));
                let pinned = position.blockers(position.turn());
                let step = |role, from, to| Move::Normal { role, from, capture: None, to, promotion: None };
                position.each_pawn_step(pinned, |from, to| quiet.push(step(Role::Pawn, from, to)));
                position.each_quiet_step(pinned, attacked, |role, from, targets| {
                    quiet.extend(targets.into_iter().map(|to| step(role, from, to)));
                });
                position.each_odd_quiet(|m| quiet.push(m));
                let mut checks = Vec::new();
                position.each_quiet_check(|m| checks.push(m));
                let plain = |m: &Move| matches!(m, Move::Normal { promotion: None, .. });
                let giving = quiet.iter().copied().filter(|m| plain(m) && position.gives_check(*m));
                assert_eq!(packed(checks), packed(giving.collect()), "{}", position.fen());
                assert_eq!(packed(noisy), packed(captures), "{}", position.fen());
                assert_eq!(packed(quiet), packed(others), "{}", position.fen());
            });
        }
    }

    #[test]
    fn attacked_squares_are_those_that_some_piece_attacks() {
        for fen in TRICKY {
            walk(&Position::from_fen(fen, false).unwrap(), 1, &mut |position| {
                let board = position.board();
                for color in Color::ALL {
                    let by_square: Bitboard = Square::ALL
                        .into_iter()
                        .filter(|square| board.attacks_to(*square, color, board.occupied()).any())
                        .collect();
                    assert_eq!(position.attacks_on(!color).all, by_square, "{}", position.fen());
                }
            });
        }
    }

    #[test]
    fn a_piece_is_threatened_by_lesser_pieces_alone() {
        // The bishop attacks the queen, the pawn the knight; the queen's look at the rook is no threat.
        let position = Position::from_fen("3qk3/8/6b1/2p5/1N6/3Q4/8/3RK3 w - - 0 1", false).unwrap();
        let threatened: Vec<Square> = position.attacks_on(Color::White).threatened.into_iter().collect();
        assert_eq!(threatened, [Square::D3, Square::B4]);
    }

    #[test]
    fn every_legal_move_survives_packing_and_no_other_unpacks() {
        for fen in TRICKY {
            walk(&Position::from_fen(fen, false).unwrap(), 1, &mut |position| {
                let legal = position.legal_moves();
                for bits in 0..=u16::MAX {
                    if let Some(m) = position.unpack(PackedMove::from_bits(bits)) {
                        assert!(legal.contains(&m), "{bits:#x} gives {m} in {}", position.fen());
                    }
                }
                for &m in &legal {
                    assert_eq!(position.unpack(PackedMove::new(m)), Some(m), "{}", position.fen());
                }
            });
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
            ("4k3/9/8/8/8/8/8/4K3 w - - 0 1", "the board cannot be read"),
            ("4k3/8/8/8/8/8/4K3 w - - 0 1", "the board cannot be read"),
            ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "neither w nor b"),
            ("4k3/8/8/8/8/8/8/4K3 w ?? - 0 1", "castling rights"),
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
            "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
            "8/8/8/1k1pP2Q/8/8/8/4K3 w - d6 0 1",
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 b - - 0 10",
        ] {
            let position = Position::from_fen(fen, false).unwrap();
            for m in position.legal_moves() {
                let checks = position.play(m).in_check();
                assert_eq!(position.gives_check(m), checks, "{m} in {fen}");
                assert_eq!(position.check_squares().are_given_by(&position, m), checks, "{m} in {fen}");
            }
        }
    }
}
