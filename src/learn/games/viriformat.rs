//! Viriformat, which the trainers of many engines read.
//!
//! A file is a sequence of games. A game is its start position in 32 bytes, with the result, then four bytes per ply: the
//! move, and the score of the position before it from White's view. Four zero bytes end it. (C. Burge, the crate
//! `viriformat`, 2023; the tests compare with that crate.)

use bytemuck::{Pod, Zeroable};
use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Move, Piece, Position as _,
    PositionError, Role, Setup, Square,
};

pub use crate::game_record::GameResult;
use crate::score::Score;

/// Bytes of a start position.
pub const HEADER: usize = size_of::<PackedPosition>();
/// Bytes of a ply, and of the end mark.
pub const PLY: usize = 4;

/// A position in 32 bytes: the start of a game, or a training position. All numbers are little-endian.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct PackedPosition {
    occupied: u64,
    /// Four bits per piece, in the order of the squares: role (6 is a rook with castling rights), plus 8 for Black.
    pieces: [u8; 16],
    /// The en-passant square, 64 for none; the highest bit is set if Black is to move.
    turn_and_ep: u8,
    halfmoves: u8,
    fullmoves: u16,
    score: i16,
    result: u8,
    spare: u8,
}

const CASTLING_ROOK: u8 = 6;
const BLACK: u8 = 8;
const NO_EP: u8 = 64;
const NO_RESULT: u8 = 3;

impl PackedPosition {
    /// Packs a position, its score from White's view, and the result of its game.
    pub fn new(chess: &Chess, score: i16, result: GameResult) -> Self {
        let board = chess.board();
        let castling = chess.castles().castling_rights();
        let mut pieces = [0; 16];
        for (index, square) in board.occupied().into_iter().enumerate() {
            let Some(piece) = board.piece_at(square) else { continue };
            let role = if castling.contains(square) { CASTLING_ROOK } else { piece.role as u8 - 1 };
            pieces[index / 2] |= (role | piece.color.fold_wb(0, BLACK)) << (4 * (index % 2));
        }
        let ep = chess.ep_square(EnPassantMode::Legal).map_or(NO_EP, u8::from);
        Self {
            occupied: board.occupied().0.to_le(),
            pieces,
            turn_and_ep: ep | chess.turn().fold_wb(0, 0x80),
            halfmoves: chess.halfmoves().min(255) as u8,
            fullmoves: (chess.fullmoves().get().min(u32::from(u16::MAX)) as u16).to_le(),
            score: score.to_le(),
            result: result as u8,
            spare: 0,
        }
    }

    /// Packs a position that is not of a game and has no result.
    pub fn without_result(chess: &Chess, score: i16) -> Self {
        Self { result: NO_RESULT, ..Self::new(chess, score, GameResult::Draw) }
    }

    /// The score from White's view.
    pub fn score(&self) -> i16 {
        i16::from_le(self.score)
    }

    /// The result of its game, if it has one.
    pub fn result(&self) -> Option<GameResult> {
        GameResult::ALL.get(usize::from(self.result)).copied()
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        Color::from_white(self.turn_and_ep & 0x80 == 0)
    }

    /// The pieces and their squares.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        self.codes().map(|(square, code)| {
            let role =
                if code & 7 == CASTLING_ROOK { Role::Rook } else { Role::ALL[usize::from(code & 7) % 6] };
            (square, role.of(Color::from_white(code & BLACK == 0)))
        })
    }

    fn codes(&self) -> impl Iterator<Item = (Square, u8)> + '_ {
        let code = |index: usize| self.pieces[index / 2 % 16] >> (4 * (index % 2)) & 15;
        let occupied = Bitboard(u64::from_le(self.occupied));
        occupied.into_iter().enumerate().map(move |(index, square)| (square, code(index)))
    }

    /// Unpacks the position; an error if it is not valid.
    pub fn unpack(&self) -> Result<Chess, String> {
        if u64::from_le(self.occupied).count_ones() > 32 || self.codes().any(|(_, code)| code & 7 == 7) {
            return Err("this is no position".to_owned());
        }
        let mut setup = Setup::empty();
        setup.board = Board::empty();
        for (square, piece) in self.pieces() {
            setup.board.set_piece_at(square, piece);
        }
        let rooks = self.codes().filter(|(_, code)| code & 7 == CASTLING_ROOK);
        setup.castling_rights = rooks.map(|(square, _)| square).collect();
        setup.turn = self.turn();
        setup.ep_square = Square::try_from(self.turn_and_ep & 0x7f).ok();
        setup.halfmoves = self.halfmoves.into();
        setup.fullmoves = u32::from(u16::from_le(self.fullmoves)).max(1).try_into().map_err(|_| "move 0")?;
        let usual = setup.castling_rights.into_iter().all(|rook| {
            let king = setup.board.king_of(Color::from_white(rook < Square::A2));
            let file = |square: Square| square.file();
            king.map(file) == Some(shakmaty::File::E)
                && matches!(file(rook), shakmaty::File::A | shakmaty::File::H)
        });
        Chess::from_setup(setup, CastlingMode::from_chess960(!usual))
            .or_else(PositionError::ignore_impossible_check)
            .or_else(PositionError::ignore_too_much_material)
            .map_err(|error| error.to_string())
    }
}

/// A move in 16 bits: from, to (the rook's square for castling), promotion, and kind.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct MoveCode(pub u16);

const EN_PASSANT: u16 = 1;
const CASTLING: u16 = 2;
const PROMOTION: u16 = 3;

impl From<Move> for MoveCode {
    fn from(m: Move) -> Self {
        let promotion = m.promotion().map_or(0, |role| role as u16 - Role::Knight as u16);
        let kind = match m {
            Move::EnPassant { .. } => EN_PASSANT,
            Move::Castle { .. } => CASTLING,
            _ if m.is_promotion() => PROMOTION,
            _ => 0,
        };
        let from = m.from().map_or(0, u16::from);
        Self(from | u16::from(m.to()) << 6 | promotion << 12 | kind << 14)
    }
}

impl MoveCode {
    /// The move, if it is legal in this position.
    #[inline]
    fn decode(self, chess: &Chess) -> Option<Move> {
        let from = Square::new(u32::from(self.0) & 63);
        let to = Square::new(u32::from(self.0) >> 6 & 63);
        let board = chess.board();
        let role = board.role_at(from).filter(|_| board.by_color(chess.turn()).contains(from))?;
        let promotion = (self.0 >> 14 == PROMOTION).then(|| Role::ALL[1 + usize::from(self.0 >> 12 & 3)]);
        let m = match self.0 >> 14 {
            EN_PASSANT => Move::EnPassant { from, to },
            CASTLING => Move::Castle { king: from, rook: to },
            _ => Move::Normal { role, from, capture: board.role_at(to), to, promotion },
        };
        chess.is_legal(m).then_some(m)
    }
}

/// A game in a file.
#[derive(Copy, Clone, Debug)]
pub struct PackedGame<'a> {
    /// All its bytes, including the end mark.
    bytes: &'a [u8],
}

/// An illegal move of a game.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct IllegalMove {
    /// The number of the move in the game, from 0.
    pub ply: usize,
}

impl<'a> PackedGame<'a> {
    /// The first game of these bytes; `None` if it is incomplete.
    pub fn first(bytes: &'a [u8]) -> Option<Self> {
        let plies = bytes.get(HEADER..)?.as_chunks::<PLY>().0;
        let length = plies.iter().position(|ply| *ply == [0; PLY])?;
        Some(Self { bytes: &bytes[..HEADER + PLY * (length + 1)] })
    }

    /// All its bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Its start position with the result.
    pub fn start(&self) -> PackedPosition {
        bytemuck::pod_read_unaligned(&self.bytes[..HEADER])
    }

    /// Moves with the scores before them, from White's view.
    pub fn plies(&self) -> impl ExactSizeIterator<Item = (MoveCode, i16)> + use<'a> {
        let plies = self.bytes[HEADER..self.bytes.len() - PLY].as_chunks::<PLY>().0;
        plies.iter().map(|&[a, b, c, d]| (MoveCode(u16::from_le_bytes([a, b])), i16::from_le_bytes([c, d])))
    }

    /// Replays the game: calls `visit` with each position, move and score. Returns the last position.
    pub fn replay(
        &self,
        mut start: Chess,
        mut visit: impl FnMut(&Chess, Move, i16),
    ) -> Result<Chess, IllegalMove> {
        for (ply, (code, score)) in self.plies().enumerate() {
            let m = code.decode(&start).ok_or(IllegalMove { ply })?;
            visit(&start, m, score);
            start.play_unchecked(m);
        }
        Ok(start)
    }
}

/// Iterates over the games of a file, up to the first incomplete one.
#[derive(Copy, Clone, Debug)]
pub struct Games<'a> {
    rest: &'a [u8],
}

impl<'a> Games<'a> {
    /// Iterates over the games in these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The bytes not read yet; at the end, those of a truncated game.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Games<'a> {
    type Item = PackedGame<'a>;

    fn next(&mut self) -> Option<PackedGame<'a>> {
        let game = PackedGame::first(self.rest)?;
        self.rest = &self.rest[game.bytes.len()..];
        Some(game)
    }
}

/// A game being written.
#[derive(Clone, Debug)]
pub struct GameWriter {
    start: Chess,
    plies: Vec<u8>,
}

impl GameWriter {
    /// Begins a game.
    pub fn new(start: Chess) -> Self {
        Self { start, plies: Vec::with_capacity(512) }
    }

    /// Whether no move was added.
    pub fn is_empty(&self) -> bool {
        self.plies.is_empty()
    }

    /// Adds a move with the mover's score.
    pub fn push(&mut self, m: Move, mover: Color, score: Score) {
        let white = mover.fold_wb(score, -score).raw() as i16;
        self.plies.extend(MoveCode::from(m).0.to_le_bytes());
        self.plies.extend(white.to_le_bytes());
    }

    /// The bytes of the finished game.
    pub fn finish(self, result: GameResult) -> Vec<u8> {
        let start = PackedPosition::new(&self.start, 0, result);
        [bytemuck::bytes_of(&start), &self.plies, &[0; PLY]].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;
    use viriformat::chess::board::Board as Theirs;

    const POSITIONS: [&str; 7] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 3 17",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 99 217",
        "rnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
        "r3k3/1K6/8/8/8/8/8/8 w q - 0 1",
        "4k3/P6P/8/8/8/8/p6p/4K3 b - - 0 40",
        "8/8/4k3/8/8/3K4/8/8 w - - 12 90",
    ];

    fn chess(fen: &str) -> Chess {
        Position::from_fen(fen, false).unwrap().chess().clone()
    }

    fn theirs(fen: &str, chess960: bool) -> Theirs {
        let mut board = Theirs::new();
        board.set_from_fen(fen, chess960).unwrap();
        board
    }

    #[test]
    fn a_packed_position_comes_back_and_is_the_one_the_crate_reads_and_writes() {
        for fen in POSITIONS {
            let ours = PackedPosition::new(&chess(fen), -123, GameResult::White);
            assert_eq!(ours.unpack().unwrap(), chess(fen), "{fen}");
            assert_eq!((ours.score(), ours.result()), (-123, Some(GameResult::White)));
            let bytes = theirs(fen, false).to_marlinformat(-123, 2, 0).as_bytes();
            assert_eq!(bytemuck::bytes_of(&ours), bytes, "{fen}");
        }
    }

    #[test]
    fn the_example_of_the_format_is_read_as_it_is_described() {
        // 1. e4 e5 2. Qh5 Ke7 3. Qxe5#, from the description of the format, which shows the two pieces of a byte the
        // other way round than the crate writes them.
        let hex = "ffff00000000ffff1642256100000000 888888889ecaade94000010000000200 0c070a0034091400 \
                   c309e2ff3c0dff7f2709ff7f00000000";
        let digits: Vec<char> = hex.chars().filter(|c| !c.is_whitespace()).collect();
        let byte = |pair: &[char]| u8::from_str_radix(&String::from_iter(pair), 16).unwrap();
        let bytes: Vec<u8> = digits.chunks(2).map(byte).collect();
        let mut games = Games::new(&bytes);
        let game = games.next().unwrap();
        assert!(games.next().is_none() && games.rest().is_empty());
        let mut scores = Vec::new();
        let last = game.replay(game.start().unpack().unwrap(), |chess, m, score| {
            assert!(chess.legal_moves().contains(&m), "{m}");
            scores.push(score);
        });
        assert_eq!(scores, [10, 20, -30, 32_767, 32_767]);
        assert!(last.unwrap().is_checkmate());
    }

    #[test]
    fn every_move_is_coded_as_the_crate_codes_it() {
        for fen in POSITIONS.into_iter().chain(["1r2k2r/8/8/3pP3/8/8/8/1R2K1R1 w GBhb d6 0 1"]) {
            let here = chess(fen);
            let mut ours: Vec<u16> = here.legal_moves().iter().map(|m| MoveCode::from(*m).0).collect();
            for m in here.legal_moves() {
                assert_eq!(MoveCode::from(m).decode(&here), Some(m), "{fen}");
            }
            let mut board = theirs(fen, fen.contains("GB"));
            let mut theirs: Vec<u16> = board.legal_moves().iter().map(|m| m.inner()).collect();
            ours.sort_unstable();
            theirs.sort_unstable();
            assert_eq!(ours, theirs, "{fen}");
        }
    }

    #[test]
    fn garbage_is_no_position_and_no_move() {
        let mut packed = PackedPosition::new(&Chess::default(), 0, GameResult::Draw);
        packed.pieces[0] = 0x77;
        assert!(packed.unpack().is_err());
        assert!(PackedPosition { occupied: u64::MAX, ..packed }.unpack().is_err());
        assert!(PackedPosition { occupied: 0, ..packed }.unpack().is_err());
        assert_eq!(PackedPosition { result: 3, ..packed }.result(), None);
        let start = Chess::default();
        let legal = (0..=u16::MAX).filter(|bits| MoveCode(*bits).decode(&start).is_some());
        assert_eq!(legal.count(), 20 * 4, "the two bits of a promotion mean nothing elsewhere");
    }

    #[test]
    fn a_game_cut_off_is_not_read_and_what_is_left_is_named() {
        let mut writer = GameWriter::new(Chess::default());
        let m = Position::default().parse_move("e2e4").unwrap();
        writer.push(m, Color::White, Score::cp(25));
        let game = writer.finish(GameResult::Draw);
        assert_eq!(game.len(), HEADER + 2 * PLY);
        let file = [game.clone(), game.clone()].concat();
        for cut in 1..game.len() {
            let mut games = Games::new(&file[..file.len() - cut]);
            assert_eq!(games.by_ref().count(), 1);
            assert_eq!(games.rest().len(), game.len() - cut);
        }
    }
}
