//! Chess as the client sees it: positions, their history, and what ends a game.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, PositionError};

use espalier::random::Random;

pub const CASTLES: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
pub const FOOLS_MATE: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
pub const KINGS_ALONE: &str = "8/8/4k3/8/8/4K3/8/8 w - - 0 1";
pub const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";
pub const MATE_IN_TWO: &str = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";
pub const MIDDLE_GAME: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
pub const ONE_MOVE: &str = "1r6/8/8/8/8/8/7k/K7 w - - 0 1";
pub const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

/// A game from some start, with its history.
#[derive(Clone)]
pub struct Game {
    start: String,
    moves: Vec<String>,
    chess: Chess,
    before: Vec<Chess>,
    mode: CastlingMode,
}

impl Default for Game {
    fn default() -> Self {
        Self::new("startpos", Chess::default(), CastlingMode::Standard)
    }
}

impl Game {
    fn new(start: &str, chess: Chess, mode: CastlingMode) -> Self {
        Self { start: start.to_owned(), moves: Vec::new(), chess, before: Vec::new(), mode }
    }

    pub fn from_fen(fen: &str) -> Self {
        Self::with_mode(fen, CastlingMode::Standard)
    }

    pub fn chess960(fen: &str) -> Self {
        Self::with_mode(fen, CastlingMode::Chess960)
    }

    fn with_mode(fen: &str, mode: CastlingMode) -> Self {
        let chess = fen.parse::<Fen>().expect(fen).into_position(mode);
        let chess = chess.or_else(PositionError::ignore_too_much_material).expect(fen);
        Self::new(&format!("fen {fen}"), chess, mode)
    }

    /// The UCI command for it.
    pub fn command(&self) -> String {
        if self.moves.is_empty() {
            return format!("position {}", self.start);
        }
        format!("position {} moves {}", self.start, self.moves.join(" "))
    }

    /// Moves played.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// The position now; an en-passant square only where it can be used.
    pub fn fen(&self) -> String {
        Fen::from_position(&self.chess, EnPassantMode::Legal).to_string()
    }

    /// All legal moves, written exactly as the engine must write them.
    pub fn legal(&self) -> Vec<String> {
        self.chess.legal_moves().iter().map(|m| self.written(*m)).collect()
    }

    pub fn is_legal(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    fn written(&self, m: Move) -> String {
        m.to_uci(self.mode).to_string()
    }

    fn find(&self, text: &str) -> Option<Move> {
        self.chess.legal_moves().iter().copied().find(|m| self.written(*m) == text)
    }

    /// Plays a move that is legal and written as it must be.
    pub fn play(&mut self, text: &str) -> Result<(), String> {
        let m = self.find(text).ok_or_else(|| format!("{text} is not legal in {}", self.fen()))?;
        self.before.push(self.chess.clone());
        self.chess.play_unchecked(m);
        self.moves.push(text.to_owned());
        Ok(())
    }

    /// Plays moves that the test itself has chosen.
    pub fn after(mut self, moves: &str) -> Self {
        for text in moves.split_whitespace() {
            self.play(text).unwrap();
        }
        self
    }

    /// Plays random moves, never one that ends the game.
    pub fn wander(mut self, plies: usize, random: &mut Random) -> Self {
        for _ in 0..plies {
            let goes_on = |text: &String| self.clone().after(text).end().is_none();
            let choice: Vec<String> = self.legal().into_iter().filter(goes_on).collect();
            if choice.is_empty() {
                break;
            }
            self = self.after(random.pick::<String>(&choice));
        }
        self
    }

    /// Why the game is over, if it is.
    pub fn end(&self) -> Option<&'static str> {
        if self.chess.is_checkmate() {
            return Some("mate");
        }
        if self.chess.is_stalemate() {
            return Some("stalemate");
        }
        if self.chess.is_insufficient_material() {
            return Some("insufficient material");
        }
        if self.chess.halfmoves() >= 100 {
            return Some("the fifty-move rule");
        }
        (self.occurrences() >= 3).then_some("threefold repetition")
    }

    /// How often the position now has been on the board.
    pub fn occurrences(&self) -> usize {
        1 + self.before.iter().filter(|earlier| **earlier == self.chess).count()
    }

    pub fn is_mate(&self) -> bool {
        self.chess.is_checkmate()
    }
}
