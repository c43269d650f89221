//! Extended Position Description: a position, then operations such as `bm Qxf7+; id "WAC.001";`.

use std::fmt;

use shakmaty::{Move, Position as _, Square};

use super::notation::{NoMove, read_move, san_list};
use crate::position::{FenError, Position};
use crate::score::Score;

/// A position and what there is to find in it.
#[derive(Clone, Debug)]
pub struct Task {
    /// The line of the file, from 1.
    pub line: usize,
    /// Its name (`id`), or an empty text.
    pub id: String,
    /// The position.
    pub position: Position,
    /// The right moves (`bm`).
    pub best: Vec<Move>,
    /// The wrong moves (`am`).
    pub avoid: Vec<Move>,
    /// A mate in so many moves is there (`dm`, or `bm #3`); negative if the mover is mated.
    pub mate: Option<i32>,
    /// What single moves are worth, as in the Strategic Test Suite.
    pub points: Vec<(Move, u32)>,
    /// Everything the line says.
    pub operations: Vec<Operation>,
    /// The castling field, if it allows more than king and rooks do; what is impossible is left out.
    pub impossible_castling: Option<String>,
}

/// An opcode and its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Such as `bm`.
    pub code: String,
    /// Words, or texts that were in quotes.
    pub operands: Vec<String>,
}

impl Task {
    /// Reads a line; `Ok(None)` if it is blank or a comment.
    ///
    /// ```
    /// use espalier::lab::epd::Task;
    /// let line = r#"7k/8/8/8/8/8/R7/1R5K w - - bm Rb7 Ra7; dm 2; id "ladder; either rook""#;
    /// let task = Task::parse(line, 1, false).unwrap().unwrap();
    /// assert_eq!((task.best.len(), task.mate, task.id.as_str()), (2, Some(2), "ladder; either rook"));
    /// ```
    pub fn parse(text: &str, line: usize, chess960: bool) -> Result<Option<Self>, LineError> {
        let text = text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
        if text.is_empty() || text.starts_with('#') {
            return Ok(None);
        }
        let (fen, rest) = split_fen(text)?;
        let position = Position::from_fen(&fen, chess960).map_err(LineError::Position)?;
        let operations = operations(rest)?;
        let castling = fen.split(' ').nth(2).filter(|field| !allows_exactly(field, &position));
        let mut task = Self {
            line,
            id: String::new(),
            position,
            best: Vec::new(),
            avoid: Vec::new(),
            mate: None,
            points: Vec::new(),
            operations,
            impossible_castling: castling.map(str::to_owned),
        };
        task.understand()?;
        Ok(Some(task))
    }

    fn understand(&mut self) -> Result<(), LineError> {
        for Operation { code, operands } in &self.operations {
            match code.as_str() {
                "bm" => match mate_sign(operands) {
                    Some(moves) => self.mate = Some(moves),
                    None => self.best.extend(read_moves(&self.position, code, operands)?),
                },
                "am" => self.avoid.extend(read_moves(&self.position, code, operands)?),
                "dm" => self.mate = Some(read_mate(operands)?),
                "id" => self.id = operands.join(" "),
                _ => {}
            }
        }
        self.points = self.read_points()?;
        Ok(())
    }

    /// The operands of an operation, if the line has it.
    pub fn operands(&self, code: &str) -> Option<&[String]> {
        let operation = self.operations.iter().find(|operation| operation.code == code)?;
        Some(&operation.operands)
    }

    /// The line says what is right.
    pub fn is_question(&self) -> bool {
        !(self.best.is_empty() && self.avoid.is_empty() && self.points.is_empty()) || self.mate.is_some()
    }

    /// The move, with the value the engine gives it, is what was to be found. Where a mate is there, the
    /// engine must see one that is no longer; otherwise the value does not matter.
    pub fn is_right(&self, m: Move, score: Option<Score>) -> bool {
        if let Some(longest) = self.mate {
            let seen = score.and_then(Score::mate_in);
            return seen
                .is_some_and(|moves| moves.signum() == longest.signum() && moves.abs() <= longest.abs());
        }
        let best = match (self.best.is_empty(), self.avoid.is_empty(), self.points.is_empty()) {
            (false, ..) => self.best.contains(&m),
            (true, true, false) => self.points_of(m) == self.most_points(),
            _ => self.is_question(),
        };
        best && !self.avoid.contains(&m)
    }

    /// What is to be found, in words.
    pub fn expected(&self) -> String {
        let list = |moves: &[Move]| san_list(&self.position, moves);
        let mut parts = Vec::new();
        if !self.best.is_empty() {
            parts.push(list(&self.best));
        } else if !self.points.is_empty() {
            let most = self.points.iter().filter(|(_, points)| *points == self.most_points());
            parts.push(list(&most.map(|(m, _)| *m).collect::<Vec<_>>()));
        }
        if !self.avoid.is_empty() {
            parts.push(format!("not {}", list(&self.avoid)));
        }
        parts.extend(self.mate.map(|moves| format!("#{moves}")));
        parts.join(", ")
    }

    /// The name, or the line if it has none.
    pub fn name(&self) -> String {
        if self.id.is_empty() { format!("line {}", self.line) } else { self.id.clone() }
    }

    /// What a move is worth, as in the Strategic Test Suite.
    pub fn points_of(&self, m: Move) -> u32 {
        self.points.iter().find(|(scored, _)| *scored == m).map_or(0, |(_, points)| *points)
    }

    /// The most points a move of this position can earn.
    pub fn most_points(&self) -> u32 {
        self.points.iter().map(|(_, points)| *points).max().unwrap_or(0)
    }

    /// `c0 "f5=10, Be5=2"`, or moves in `c7` or `c9` with points in `c8`.
    fn read_points(&self) -> Result<Vec<(Move, u32)>, LineError> {
        let text = |code| self.operands(code).map(|operands| operands.join(" "));
        if let Some(pairs) = text("c0").and_then(|text| scored_moves(&text)) {
            return pairs
                .into_iter()
                .map(|(m, points)| Ok((read_one(&self.position, "c0", &m)?, points)))
                .collect();
        }
        let Some(points) = text("c8").and_then(|text| numbers(&text)) else { return Ok(Vec::new()) };
        for code in ["c7", "c9"] {
            let moves = text(code).unwrap_or_default();
            let moves: Vec<&str> = words(&moves).collect();
            if moves.len() == points.len() {
                let moves = moves.into_iter().map(|m| read_one(&self.position, code, m));
                return moves.zip(points).map(|(m, points)| Ok((m?, points))).collect();
            }
        }
        Ok(Vec::new())
    }
}

/// The castling field promises what the position has.
fn allows_exactly(field: &str, position: &Position) -> bool {
    let rights = position.chess().castles().castling_rights().count();
    rights == field.chars().filter(|letter| *letter != '-').count()
}

/// The first four fields, with the two counters if they follow, and the rest.
fn split_fen(text: &str) -> Result<(String, &str), LineError> {
    let (mut fields, mut rest) = (Vec::new(), text);
    while let Some((field, behind)) = next_word(rest) {
        let is_counter = !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit());
        if fields.len() == 6 || (fields.len() >= 4 && !is_counter) {
            break;
        }
        fields.push(field);
        rest = behind;
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

/// A word that ends at a blank or before a semicolon, and what comes behind it.
fn next_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(|letter: char| letter.is_whitespace() || letter == ';').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (!word.is_empty()).then_some((word, rest))
}

/// What stands between semicolons; a semicolon in quotes is only text.
fn operations(text: &str) -> Result<Vec<Operation>, LineError> {
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

/// Words with blanks or commas between them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| letter.is_whitespace() || letter == ',').filter(|word| !word.is_empty())
}

fn read_one(position: &Position, code: &str, text: &str) -> Result<Move, LineError> {
    read_move(position, text).map_err(|error| LineError::Move { code: code.to_owned(), error })
}

fn read_moves(position: &Position, code: &str, operands: &[String]) -> Result<Vec<Move>, LineError> {
    let text = operands.join(" ");
    let moves: Vec<Move> =
        words(&text).map(|word| read_one(position, code, word)).collect::<Result<_, _>>()?;
    if moves.is_empty() { Err(LineError::NoMoves(code.to_owned())) } else { Ok(moves) }
}

/// The number in `bm #3`.
fn mate_sign(operands: &[String]) -> Option<i32> {
    let [operand] = operands else { return None };
    operand.strip_prefix('#')?.parse().ok()
}

fn read_mate(operands: &[String]) -> Result<i32, LineError> {
    let moves = operands.first().and_then(|operand| operand.trim_start_matches('#').parse().ok());
    moves.filter(|moves| *moves != 0).ok_or_else(|| LineError::MateLength(operands.join(" ")))
}

/// The pairs in `f5=10, Be5+=2`; `None` if the text is anything else.
fn scored_moves(text: &str) -> Option<Vec<(String, u32)>> {
    let pair = |part: &str| {
        let (m, points) = part.trim().rsplit_once('=')?;
        let m = m.trim();
        (!m.is_empty() && !m.contains(char::is_whitespace)).then_some(())?;
        Some((m.to_owned(), points.trim().parse().ok()?))
    };
    text.trim_end_matches(',').split(',').map(pair).collect()
}

fn numbers(text: &str) -> Option<Vec<u32>> {
    words(text).map(|word| word.parse().ok()).collect()
}

/// What is wrong with a line.
#[derive(Debug)]
pub enum LineError {
    /// There are fewer than the four fields of a position.
    TooFewFields(usize),
    /// A field of the position is none.
    Field {
        /// Which.
        name: &'static str,
        /// What stands there.
        text: String,
    },
    /// The position is not one.
    Position(FenError),
    /// A quoted text does not end.
    OpenQuote,
    /// A move cannot be played.
    Move {
        /// The operation it belongs to.
        code: String,
        /// The move.
        error: NoMove,
    },
    /// An operation that names moves names none.
    NoMoves(String),
    /// `dm` without a number.
    MateLength(String),
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewFields(count) => write!(f, "not EPD: {count} of the 4 fields of a position"),
            Self::Field { name, text } => write!(f, "not EPD: {text:?} is no {name} field"),
            Self::Position(error) => write!(f, "{error}"),
            Self::OpenQuote => write!(f, "a quoted text has no end"),
            Self::Move { code, error } => write!(f, "{code}: {error}"),
            Self::NoMoves(code) => write!(f, "{code}: no move is named"),
            Self::MateLength(text) => write!(f, "dm: {text:?} is no number of moves"),
        }
    }
}

impl std::error::Error for LineError {}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -";

    fn task(operations: &str) -> Task {
        Task::parse(&format!("{BOARD} {operations}"), 7, false).unwrap().unwrap()
    }

    fn error(line: &str) -> String {
        Task::parse(line, 1, false).unwrap_err().to_string()
    }

    #[test]
    fn moves_names_and_comments_are_read() {
        let task = task("bm Rxa8+ 0-0, Rxh8; am Ke2; id \"a; b\"; c0 \"says = nothing; really\"; acd 5");
        assert_eq!(san_list(&task.position, &task.best), "Rxa8+ O-O Rxh8+");
        assert_eq!(san_list(&task.position, &task.avoid), "Ke2");
        assert_eq!((task.name().as_str(), task.line), ("a; b", 7));
        assert_eq!(task.operands("acd"), Some(&["5".to_owned()][..]));
        assert!(task.points.is_empty() && task.is_question());
    }

    #[test]
    fn mates_have_two_spellings() {
        assert_eq!(task("dm 4;").mate, Some(4));
        assert_eq!(task("bm #-3;").mate, Some(-3));
        assert!(task("bm #2").best.is_empty());
        assert!(error(&format!("{BOARD} dm soon;")).contains("soon"));
    }

    #[test]
    fn points_stand_in_one_comment_or_in_two() {
        for operations in [
            "c0 \"Rxa8+=10, O-O=3\";",
            "bm Rxa8; c7 \"Rxa8 O-O\"; c8 \"10 3\"",
            "bm Rxa8; c9 \"a1a8 e1g1\"; c8 \"10 3\"",
        ] {
            let task = task(operations);
            let points: Vec<u32> = task.points.iter().map(|(_, points)| *points).collect();
            assert_eq!((points, task.most_points()), (vec![10, 3], 10), "{operations}");
            assert_eq!(task.points_of(task.position.parse_move("e1g1").unwrap()), 3);
            assert_eq!(task.points_of(task.position.parse_move("e1e2").unwrap()), 0);
        }
        assert!(task("c0 \"e4=good, c5\"; c8 \"1 2\"; c7 \"O-O\"").points.is_empty());
        assert!(error(&format!("{BOARD} c0 \"Qa4=3\"")).contains("c0: \"Qa4\""));
    }

    #[test]
    fn a_right_move_is_told_from_a_wrong_one() {
        let castles = task("").position.parse_move("e1g1").unwrap();
        let right = |operations: &str, score| task(operations).is_right(castles, score);
        assert!(right("bm O-O;", None) && right("bm Ke2 O-O; am Rxa8", None) && right("am Ke2", None));
        assert!(!right("bm Ke2", None) && !right("am O-O", None) && !right("bm O-O; am O-O", None));
        assert!(
            right("c0 \"O-O=10, Ke2=3\"", None) && !right("c0 \"O-O=3, Ke2=10\"", None) && !right("", None)
        );
        let (two, lost) = (Some(Score::mate_at(3)), Some(Score::mated_at(4)));
        assert!(
            right("dm 2", two) && right("dm 3", two) && right("bm Ke2; dm 2", two) && right("dm -2", lost)
        );
        assert!(!right("dm 1", two) && !right("dm 2", None) && !right("dm 2", lost) && !right("dm -2", two));
    }

    #[test]
    fn what_is_expected_is_said() {
        assert_eq!(task("bm O-O Ke2; dm 3").expected(), "O-O Ke2, #3");
        assert_eq!(task("am Ke2").expected(), "not Ke2");
        assert_eq!(task("c0 \"O-O=10, Ke2=3\"").expected(), "O-O");
    }

    #[test]
    fn impossible_castling_is_noticed_and_left_out() {
        let line = |castling: &str| format!("2r1k2r/8/8/8/8/8/8/4K3 b {castling} - bm Ke7");
        let noticed = |castling| Task::parse(&line(castling), 1, false).unwrap().unwrap().impossible_castling;
        assert_eq!((noticed("k"), noticed("-")), (None, None));
        assert_eq!(noticed("q").as_deref(), Some("q"));
        assert_eq!(noticed("kq").as_deref(), Some("kq"));
    }

    #[test]
    fn counters_may_be_there_or_not() {
        for (counters, halfmoves) in
            [("", 0), (" 12 40", 12), (" 12 40;", 12), (" 3", 3), (";", 0), (" ;D1 26 ;D2 568", 0)]
        {
            let task = Task::parse(&format!("{BOARD}{counters}"), 1, false).unwrap().unwrap();
            assert_eq!(task.position.halfmoves(), halfmoves, "{counters}");
            assert!(!task.is_question());
        }
        assert_eq!(task(" 5 9 bm O-O").position.halfmoves(), 5);
    }

    #[test]
    fn line_ends_comments_and_marks_of_editors_are_nothing() {
        for line in ["", "  \r", "# bm e4", "\u{feff}"] {
            assert!(Task::parse(line, 1, false).unwrap().is_none(), "{line:?}");
        }
        let line = format!("\u{feff}{BOARD} bm O-O;\r");
        assert_eq!(Task::parse(&line, 1, false).unwrap().unwrap().best.len(), 1);
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(error("hello world").contains("2 of the 4 fields"));
        assert!(error("8/8/8/8/8/8/8/8 w - - bm e4;").contains("king"));
        assert!(error("r3k2r/8/8/8/8/8/8/R3K2R w bm O-O;").contains("castling"));
        assert!(error("r3k2r/8/8/8/8/8/8/R3K2R w KQ bm O-O;").contains("en-passant"));
        assert!(error(&format!("{BOARD} id \"x; bm O-O;")).contains("no end"));
        assert!(error(&format!("{BOARD} bm Qa4;")).contains("bm: \"Qa4\" is no legal move"));
        assert!(error(&format!("{BOARD} bm;")).contains("no move is named"));
    }
}
