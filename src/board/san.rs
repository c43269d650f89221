//! Moves as people write them in test suites. The rules crate reads standard notation; what this adds is
//! leniency: marks that are missing, extra or spelled differently, and UCI moves.

use shakmaty::Move;
use shakmaty::san::{San, SanError, SanPlus};

use crate::board::Position;

/// Reads a move in standard or UCI notation, in any spelling found in suites.
///
/// ```
/// use espalier::{Position, board::san::read_move};
/// let position = Position::from_fen("k7/4P3/8/8/8/8/8/4K2R w K - ", false).unwrap();
/// let castles = read_move(&position, "O-O");
/// assert!(castles.is_ok());
/// for text in ["0-0", "o-o!", "e1g1", "Kg1"] {
///     assert_eq!(read_move(&position, text), castles, "{text}");
/// }
/// assert_eq!(read_move(&position, "e8Q"), read_move(&position, "e8=Q+"));
/// ```
pub fn read_move(position: &Position, text: &str) -> Result<Move, NoMove> {
    let plain = simplified(text);
    let mut ambiguous = false;
    if let Ok(san) = San::from_ascii(plain.as_bytes()) {
        for san in [san, otherwise_capturing(san)] {
            match san.to_move(position.chess()) {
                Ok(m) => return Ok(m),
                Err(SanError::AmbiguousSan) => ambiguous = true,
                Err(SanError::IllegalSan) => {}
            }
        }
    }
    castling_as_king_move(position, &plain)
        .or_else(|| position.parse_move(&plain.replace(['=', 'x'], "")).ok())
        .or_else(|| carelessly_written(position, &plain))
        .ok_or_else(|| NoMove { text: text.to_owned(), ambiguous })
}

/// A piece in small letters, or a promotion that does not say to what.
fn carelessly_written(position: &Position, plain: &str) -> Option<Move> {
    let mut letters = plain.chars();
    let piece = letters.next().filter(|letter| "nbrqk".contains(*letter));
    let with_piece = piece.map(|piece| format!("{}{}", piece.to_ascii_uppercase(), letters.as_str()));
    let with_queen = plain.ends_with(['1', '8']).then(|| format!("{plain}=Q"));
    [with_piece, with_queen].into_iter().flatten().find_map(|text| {
        let san = San::from_ascii(text.as_bytes()).ok()?;
        [san, otherwise_capturing(san)].into_iter().find_map(|san| san.to_move(position.chess()).ok())
    })
}

/// A word that belongs to the move before it: marks of check or praise, or "e.p.".
pub fn is_mark(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = word.ends_with('.') && digits(word.trim_end_matches('.'));
    matches!(word, "e.p." | "ep")
        || is_number
        || word.strip_prefix('#').is_some_and(digits)
        || word.chars().all(|letter| "+#!?=".contains(letter))
}

/// A legal move in standard notation, with its check mark.
pub fn san(position: &Position, m: Move) -> String {
    SanPlus::from_move(position.chess().clone(), m).to_string()
}

/// Some legal moves in standard notation, with blanks between them.
pub fn san_list(position: &Position, moves: &[Move]) -> String {
    moves.iter().map(|m| san(position, *m)).collect::<Vec<_>>().join(" ")
}

/// Text that names no move of the position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} {}", if *ambiguous { "may mean several moves" } else { "is no legal move here" })]
pub struct NoMove {
    /// As it was written.
    pub text: String,
    /// It fits several moves.
    pub ambiguous: bool,
}

/// The move without numbers, marks and praise, castling with letters, promotion with a `=`.
fn simplified(text: &str) -> String {
    let text = without_number(text.trim());
    let text = text.trim_end_matches(['+', '#', '!', '?', '=']);
    let text = ["e.p.", "ep"].iter().find_map(|mark| text.strip_suffix(mark)).unwrap_or(text);
    let castling = text.to_ascii_uppercase().replace('0', "O");
    if matches!(castling.as_str(), "O-O" | "O-O-O") {
        return castling;
    }
    let plain: String = text.chars().filter(|letter| !"-=()/".contains(*letter)).collect();
    with_promotion_mark(&plain.replace(':', "x"))
}

/// Without a move number such as `12.` or `3...` before it, or the dots alone.
pub(crate) fn without_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if rest.starts_with('.') { rest.trim_start_matches('.') } else { text }
}

/// `e8Q` becomes `e8=Q`. UCI's `e7e8q` is left alone.
fn with_promotion_mark(text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    match letters.as_slice() {
        [.., '1' | '8', 'Q' | 'R' | 'B' | 'N'] => letters.insert(letters.len() - 1, '='),
        [_, '1' | '8', piece] | [_, _, '1' | '8', piece] | [_, 'x', _, '1' | '8', piece]
            if "qrbn".contains(*piece) =>
        {
            let piece = piece.to_ascii_uppercase();
            letters.pop();
            letters.extend(['=', piece]);
        }
        _ => {}
    }
    letters.into_iter().collect()
}

/// The same move with the capture mark that is missing, or without the one too many.
fn otherwise_capturing(san: San) -> San {
    match san {
        San::Normal { role, file, rank, capture, to, promotion } => {
            San::Normal { role, file, rank, capture: !capture, to, promotion }
        }
        other => other,
    }
}

/// `Kg1` or `Kc1` where only castling leads there.
fn castling_as_king_move(position: &Position, text: &str) -> Option<Move> {
    let target = text.strip_prefix('K')?.parse().ok()?;
    let king_to = |m: &Move| m.castling_side().is_some_and(|side| side.king_to(position.turn()) == target);
    position.legal_moves().into_iter().find(king_to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(fen: &str) -> Position {
        Position::from_fen(fen, false).unwrap()
    }

    /// All texts mean the move that UCI calls `uci`.
    fn mean(fen: &str, uci: &str, texts: &[&str]) {
        let position = at(fen);
        let expected = position.parse_move(uci).unwrap();
        for text in texts {
            assert_eq!(read_move(&position, text), Ok(expected), "{text} in {fen}");
        }
    }

    #[test]
    fn promotions_in_all_spellings() {
        let fen = "k2n4/4P3/8/8/8/8/8/4K3 w - - 0 1";
        mean(
            fen,
            "e7e8q",
            &["e8Q", "e8=Q", "e8=Q+", "e8(Q)", "e8/Q", "e8q", "e8=q", "e7e8q", "E7E8Q", "e7e8=Q"],
        );
        mean(fen, "e7d8n", &["exd8N", "exd8=N", "ed8=n", "exd8n", "e7xd8=N", "exd8=N!?"]);
    }

    #[test]
    fn careless_spellings_are_understood() {
        let fen = "r3k3/5p2/8/8/8/5Q2/P7/N3K3 w - - 0 1";
        mean(fen, "f3f7", &["f3xf7", "f3:f7", "Qf3xf7+", "qxf7", "qf7"]);
        mean(fen, "a1b3", &["nb3", "Na1b3", "na1-b3"]);
        mean("8/P6k/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", &["a8", "a8="]);
        assert!(is_mark("++") && is_mark("e.p.") && !is_mark("e4"));
    }

    #[test]
    fn marks_missing_and_extra() {
        let fen = "r3k3/8/8/8/8/8/8/R2QK3 w - - 0 1";
        mean(
            fen,
            "a1a8",
            &["Rxa8+", "Rxa8", "Ra8", "Ra1xa8#", "R1xa8", "12.Rxa8", "12...Rxa8!!", "R:a8", "a1-a8"],
        );
        mean(fen, "d1d5", &["Qd5", "Qd5+", "Qd1-d5", "Qxd5", "d1d5"]);
    }

    #[test]
    fn en_passant_and_pawns() {
        let fen = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        mean(fen, "e5d6", &["exd6", "exd6e.p.", "exd6ep", "ed6", "e5xd6", "e5d6"]);
        mean(fen, "e5e6", &["e6", "e5e6", "Pe6"]);
    }

    #[test]
    fn bishops_are_not_pawns() {
        let fen = "4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1";
        mean(fen, "b2c3", &["bxc3", "bc3"]);
        mean(fen, "d2c3", &["Bxc3", "Bc3"]);
    }

    #[test]
    fn what_is_no_move_is_said() {
        let position = at("4k3/8/8/8/8/8/8/R3K2R w - - 0 1");
        assert!(!read_move(&position, "Qd5").unwrap_err().ambiguous);
        assert!(!read_move(&position, "O-O").unwrap_err().ambiguous);
        assert!(read_move(&position, "Rd1").is_ok());
        let error = read_move(&at("4k3/8/8/8/8/8/4K3/R6R w - - 0 1"), "Rd1").unwrap_err();
        assert_eq!(error.to_string(), "\"Rd1\" may mean several moves");
        for text in ["", "?", "0", "--", "Ж", "12.", "e9", "=Q", "Z0", "8Q"] {
            assert!(read_move(&position, text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_legal_move_is_read_back_from_both_notations() {
        for line in
            include_str!("../../epd/perft_tricky.epd").lines().filter_map(|line| line.split(" ;").next())
        {
            let Ok(position) = Position::from_fen(line, false) else { continue };
            for m in position.legal_moves() {
                let (san, uci) = (san(&position, m), crate::board::uci_text(m, false));
                assert_eq!(read_move(&position, &san), Ok(m), "{san} in {line}");
                assert_eq!(read_move(&position, &uci), Ok(m), "{uci} in {line}");
            }
        }
    }
}
