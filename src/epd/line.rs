//! The syntax of an EPD line: the fields of a position, then operations that end with semicolons.

use std::borrow::Cow;

use shakmaty::Square;

use crate::board::FenError;
use crate::board::san::NoMove;

/// An opcode and its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The opcode, such as `bm` for the best moves.
    pub code: String,
    /// Words, or texts that were in quotes.
    pub operands: Vec<String>,
}

/// Whether a line is blank or a comment.
pub(crate) fn is_comment(line: &str) -> bool {
    line.is_empty() || ["#", ";", "%", "//"].iter().any(|mark| line.starts_with(mark))
}

/// Replaces bare carriage returns, the line endings of old Macs, by line feeds.
pub(crate) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let old = text.contains('\r') && !text.contains('\n');
    if old { text.replace('\r', "\n").into() } else { text.into() }
}

/// The first four fields, with the two counters if they follow, and the rest.
pub(crate) fn split_fen(text: &str) -> Result<(String, &str), LineError> {
    let (mut fields, mut rest) = (Vec::new(), text);
    while let Some((field, after)) = next_word(rest) {
        let is_counter = !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit());
        // Some programs write a dash for an unknown counter.
        if fields.len() >= 4 && field == "-" {
            rest = after;
            continue;
        }
        if fields.len() == 6 || (fields.len() >= 4 && !is_counter) {
            break;
        }
        fields.push(field);
        rest = after;
    }
    let [_, _, castling, ep, ..] = fields.as_slice() else {
        return Err(LineError::TooFewFields(fields.len()));
    };
    let is_castling =
        |letter: char| letter == '-' || matches!(letter.to_ascii_lowercase(), 'k' | 'q' | 'a'..='h');
    if !castling.chars().all(is_castling) {
        return Err(LineError::Field { name: "castling", text: (*castling).to_owned() });
    }
    if *ep != "-" && ep.parse::<Square>().is_err() {
        return Err(LineError::Field { name: "en-passant", text: (*ep).to_owned() });
    }
    Ok((fields.join(" "), rest))
}

/// The next word, which ends at white space or a semicolon, and the rest.
fn next_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(|letter: char| letter.is_whitespace() || letter == ';').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (!word.is_empty()).then_some((word, rest))
}

/// Splits at semicolons outside quotes.
pub(crate) fn operations(text: &str) -> Result<Vec<Operation>, LineError> {
    let mut operations = Vec::new();
    let (mut tokens, mut token, mut quoted) = (Vec::new(), None::<String>, false);
    for letter in text.chars() {
        match letter {
            '"' => {
                quoted = !quoted;
                token.get_or_insert_default();
            }
            _ if quoted => token.get_or_insert_default().push(letter),
            ';' => {
                tokens.extend(token.take());
                operations.extend(operation(std::mem::take(&mut tokens)));
            }
            _ if letter.is_whitespace() => tokens.extend(token.take()),
            _ => token.get_or_insert_default().push(letter),
        }
    }
    if quoted {
        return Err(LineError::OpenQuote);
    }
    tokens.extend(token);
    operations.extend(operation(tokens));
    Ok(operations)
}

fn operation(mut tokens: Vec<String>) -> Option<Operation> {
    (!tokens.is_empty()).then(|| Operation { code: tokens.remove(0), operands: tokens })
}

/// An error in a line.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// There are fewer than the four fields of a position.
    #[error("not EPD: {0} of the 4 fields of a position")]
    TooFewFields(usize),
    /// A field of the position is invalid.
    #[error("not EPD: {text:?} is no {name} field")]
    Field {
        /// The name of the field.
        name: &'static str,
        /// Its text.
        text: String,
    },
    /// The position is invalid.
    #[error(transparent)]
    Position(#[from] FenError),
    /// A quoted text has no closing quote.
    #[error("a quoted text has no end")]
    OpenQuote,
    /// A move is not legal.
    #[error("{code}: {error}")]
    Move {
        /// The operation it belongs to.
        code: String,
        /// Why the move is not legal.
        error: NoMove,
    },
    /// An operation needs moves and has none.
    #[error("{0}: no move is named")]
    NoMoves(String),
    /// `dm` without a number.
    #[error("dm: {0:?} is no number of moves")]
    MateLength(String),
}
