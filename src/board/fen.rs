//! Reading positions as clients and suites write them.

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::{Board, CastlingMode, Chess, Color, FromSetup, PositionError, PositionErrorKinds, Square};

use super::Position;

impl Position {
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

/// Why a FEN was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// Not written as a FEN.
    #[error("{}", unreadable(.0))]
    Syntax(ParseFenError),
    /// Only a board, no `w` or `b`.
    #[error("the side to move (w or b) is missing")]
    NoSideToMove,
    /// More than six fields.
    #[error("a FEN has at most 6 fields, not {0}")]
    TooManyFields(usize),
    /// A counter that is no number or absurdly large.
    #[error("the {name} is {value:?}, not a number from 0 to {most}")]
    Counter {
        /// The counter that is wrong, as the error names it: half-move clock or move number.
        name: &'static str,
        /// The text that stood in its place.
        value: String,
        /// The largest value taken.
        most: u32,
    },
    /// More than sixteen pieces of one side.
    #[error("{color} has {pieces} pieces, more than 16")]
    TooManyPieces {
        /// The side that has too many.
        color: Color,
        /// How many it has.
        pieces: usize,
    },
    /// Well written, but no legal position.
    #[error("{}", reasons(*.0))]
    Illegal(PositionErrorKinds),
}

/// Which field cannot be read, in words.
fn unreadable(error: &ParseFenError) -> &'static str {
    match error {
        ParseFenError::InvalidBoard => {
            "the board cannot be read (eight ranks of eight squares, with KQRBNP, kqrbnp and digits)"
        }
        ParseFenError::InvalidTurn => "the side to move is neither w nor b",
        ParseFenError::InvalidCastling => "the castling rights cannot be read (letters such as KQkq, or -)",
        // Other fields are looked at before.
        _ => "not a FEN",
    }
}

/// What is illegal about a position, in words.
fn reasons(kinds: PositionErrorKinds) -> String {
    const REASONS: [(PositionErrorKinds, &str); 5] = [
        (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (PositionErrorKinds::TOO_MANY_KINGS, "a side has more than one king"),
        (PositionErrorKinds::PAWNS_ON_BACKRANK, "a pawn stands on the first or last rank"),
        (PositionErrorKinds::OPPOSITE_CHECK, "the side to move could capture the king"),
    ];
    let named = REASONS.iter().filter(|(kind, _)| kinds.intersects(*kind)).map(|(_, text)| *text);
    let named: Vec<&str> = named.collect();
    if named.is_empty() { format!("{kinds:?}") } else { named.join(", ") }
}
