//! Extended Position Description: a position, then operations such as `bm Qxf7+; id "WAC.001";`.

pub mod library;
pub(crate) mod line;
pub mod suite;

use shakmaty::{Move, Position as _};

use crate::board::Position;
use crate::board::san::{is_mark, read_move, san_list};
use crate::score::Score;
pub use line::{LineError, Operation};
use line::{is_comment, operations, split_fen};

/// A position and its solution.
#[derive(Clone, Debug)]
pub struct Task {
    /// The line of the file, from 1.
    pub line: usize,
    /// Its name (`id`), or an empty text.
    pub id: String,
    /// Where the moves are played.
    pub position: Position,
    /// The right moves (`bm`).
    pub best: Vec<Move>,
    /// The wrong moves (`am`).
    pub avoid: Vec<Move>,
    /// Mate in this many moves (`dm`, or `bm #3`); negative if the mover is mated.
    pub mate: Option<i32>,
    /// Points for moves, as in the Strategic Test Suite.
    pub points: Vec<(Move, u32)>,
    /// All operations of the line.
    pub operations: Vec<Operation>,
    /// The castling field, if it has rights that the position does not allow.
    pub impossible_castling: Option<String>,
}

impl Task {
    /// Reads a line; `Ok(None)` if it is blank or a comment.
    ///
    /// ```
    /// use espalier::epd::Task;
    /// let line = r#"7k/8/8/8/8/8/R7/1R5K w - - bm Rb7 Ra7; dm 2; id "ladder; either rook""#;
    /// let task = Task::parse(line, 1, false).unwrap().unwrap();
    /// assert_eq!((task.best.len(), task.mate, task.id.as_str()), (2, Some(2), "ladder; either rook"));
    /// ```
    pub fn parse(text: &str, line: usize, chess960: bool) -> Result<Option<Self>, LineError> {
        let text = text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
        if is_comment(text) {
            return Ok(None);
        }
        let (fen, rest) = split_fen(text)?;
        let operations = operations(rest)?;
        let fen = with_counters(fen, &operations);
        let position = Position::from_fen(&fen, chess960).map_err(LineError::Position)?;
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
        task.read_operations()?;
        Ok(Some(task))
    }

    fn read_operations(&mut self) -> Result<(), LineError> {
        for Operation { code, operands } in &self.operations {
            match code.to_ascii_lowercase().as_str() {
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
        let operation = self.operations.iter().find(|operation| operation.code.eq_ignore_ascii_case(code))?;
        Some(&operation.operands)
    }

    /// Whether the line has a solution.
    pub fn is_question(&self) -> bool {
        !(self.best.is_empty() && self.avoid.is_empty() && self.points.is_empty()) || self.mate.is_some()
    }

    /// Whether the move solves the position. If a mate is given, seeing one at least as short solves it too, and without
    /// `bm` nothing else does; otherwise the score does not matter.
    pub fn is_right(&self, m: Move, score: Option<Score>) -> bool {
        if self.avoid.contains(&m) {
            return false;
        }
        match (self.best.is_empty(), self.mate, self.avoid.is_empty() && !self.points.is_empty()) {
            (false, ..) if self.best.contains(&m) => true,
            (_, Some(longest), _) => is_mate_within(score, longest),
            (false, ..) => false,
            (true, None, true) => self.points_of(m) == self.most_points(),
            (true, None, false) => self.is_question(),
        }
    }

    /// The solution in words.
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

    /// The name, or the line number if it has none.
    pub fn name(&self) -> String {
        if self.id.is_empty() { format!("line {}", self.line) } else { self.id.clone() }
    }

    /// The points for a move.
    pub fn points_of(&self, m: Move) -> u32 {
        self.points.iter().find(|(scored, _)| *scored == m).map_or(0, |(_, points)| *points)
    }

    /// A move that is given points twice.
    pub fn scored_twice(&self) -> Option<Move> {
        let moves = self.points.iter().map(|(m, _)| *m);
        moves
            .enumerate()
            .find(|(index, m)| self.points.iter().take(*index).any(|(other, _)| other == m))
            .map(|(_, m)| m)
    }

    /// The points for the best move.
    pub fn most_points(&self) -> u32 {
        self.points.iter().map(|(_, points)| *points).max().unwrap_or(0)
    }

    /// Reads `c0 "f5=10, Be5=2"`, or moves in `c7` or `c9` with points in `c8`. If no move in it is legal, it is an
    /// ordinary comment.
    fn read_points(&self) -> Result<Vec<(Move, u32)>, LineError> {
        let text = |code| self.operands(code).map(|operands| operands.join(" "));
        let as_moves = |code: &str, pairs: Vec<(String, u32)>| {
            let read = |(m, points): (String, u32)| Ok((read_named_move(&self.position, code, &m)?, points));
            let pairs: Vec<Result<(Move, u32), LineError>> = pairs.into_iter().map(read).collect();
            if pairs.iter().any(Result::is_ok) { pairs.into_iter().collect() } else { Ok(Vec::new()) }
        };
        if let Some(pairs) = text("c0").and_then(|text| scored_moves(&text)) {
            return as_moves("c0", pairs);
        }
        let Some(points) = text("c8").and_then(|text| numbers(&text)) else { return Ok(Vec::new()) };
        for code in ["c7", "c9"] {
            let moves = text(code).unwrap_or_default();
            let moves: Vec<String> = words(&moves).map(str::to_owned).collect();
            if moves.len() == points.len() {
                return as_moves(code, moves.into_iter().zip(points).collect());
            }
        }
        Ok(Vec::new())
    }
}

/// Replaces the counters after the position by those of `hmvc` and `fmvn`.
fn with_counters(fen: String, operations: &[Operation]) -> String {
    let counter = |code: &str| {
        let operation = operations.iter().find(|operation| operation.code.eq_ignore_ascii_case(code))?;
        operation.operands.first()?.parse::<u32>().ok()
    };
    let (halfmoves, number) = (counter("hmvc"), counter("fmvn"));
    if halfmoves.is_none() && number.is_none() {
        return fen;
    }
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    fields.extend(["0", "1"].into_iter().skip(fields.len().saturating_sub(4)).map(str::to_owned));
    for (field, given) in fields.iter_mut().skip(4).zip([halfmoves, number]) {
        if let Some(given) = given {
            *field = given.to_string();
        }
    }
    fields.join(" ")
}

/// Whether the position has all castling rights of the field.
fn allows_exactly(field: &str, position: &Position) -> bool {
    let rights = position.chess().castles().castling_rights().count();
    rights == field.chars().filter(|letter| *letter != '-').count()
}

/// Splits at white space and commas.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| letter.is_whitespace() || letter == ',').filter(|word| !word.is_empty())
}

fn read_named_move(position: &Position, code: &str, text: &str) -> Result<Move, LineError> {
    read_move(position, text).map_err(|error| LineError::Move { code: code.to_owned(), error })
}

fn read_moves(position: &Position, code: &str, operands: &[String]) -> Result<Vec<Move>, LineError> {
    let text = operands.join(" ");
    let moves: Vec<Move> = words(&text)
        .filter(|word| !is_mark(word))
        .map(|word| read_named_move(position, code, word))
        .collect::<Result<_, _>>()?;
    if moves.is_empty() { Err(LineError::NoMoves(code.to_owned())) } else { Ok(moves) }
}

/// Whether the score is a mate for the same side that is at least as short.
fn is_mate_within(score: Option<Score>, longest: i32) -> bool {
    let seen = score.and_then(Score::mate_in);
    seen.is_some_and(|moves| moves.signum() == longest.signum() && moves.abs() <= longest.abs())
}

/// The mate length in `bm #3`.
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
        let (m, points) = part.trim().trim_end_matches(';').rsplit_once('=')?;
        let m = m.trim();
        (!m.is_empty() && !m.contains(char::is_whitespace)).then_some(())?;
        Some((m.to_owned(), points.trim().parse().ok()?))
    };
    text.trim_end_matches(',').split(',').map(pair).collect()
}

fn numbers(text: &str) -> Option<Vec<u32>> {
    words(text).map(|word| word.parse().ok()).collect()
}

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
    fn counters_are_read_from_their_operations() {
        let fen = |operations: &str| task(operations).position.fen();
        assert_eq!(fen("hmvc 42; fmvn 77;"), "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 42 77");
        assert_eq!(fen("3 9 fmvn 77;"), "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 77");
        assert_eq!(fen("hmvc many;"), "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    }

    #[test]
    fn numbers_in_comments_are_no_points() {
        assert!(task(r#"bm Ra8; c0 "depth=12";"#).points.is_empty());
        assert!(task(r#"bm Ra8; c7 "hard"; c8 "3";"#).points.is_empty());
        assert_eq!(
            task(r#"bm Ra8; c0 "Ra8=5, Ra7=3;";"#).points.len(),
            2,
            "an ending semicolon is none of a move"
        );
        assert!(error(&format!(r#"{BOARD} c0 "Ra8=5, Rb9=3";"#)).contains("Rb9"), "a wrong move is named");
    }

    #[test]
    fn moves_may_be_numbered_and_mates_counted() {
        assert_eq!(task("bm 1. Rxa8+ #1;").best, task("bm Rxa8;").best);
        assert_eq!(task("bm 12... Rxa8;").best.len(), 1);
    }

    #[test]
    fn careless_lines_are_read() {
        let task =
            Task::parse("4k3/8/8/8/8/8/8/R3K3 w Q - - - BM Ra8 +!; ID \"x\";", 1, false).unwrap().unwrap();
        assert_eq!((san_list(&task.position, &task.best).as_str(), task.id.as_str()), ("Ra8+", "x"));
        for comment in ["; a remark", "% another", "// a third", "# and one more", ""] {
            assert!(Task::parse(comment, 1, false).unwrap().is_none(), "{comment}");
        }
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
        assert!(error(&format!("{BOARD} c0 \"Qa4=3, Ra4=1\"")).contains("c0: \"Qa4\""));
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
        assert!(right("bm O-O; dm 2", None) && !right("bm Ke2; dm 2", None) && !right("am O-O; dm 2", two));
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
    #[test]
    fn damaged_lines_are_refused_or_mean_legal_moves() {
        let text = include_str!("../../epd/bk.epd");
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let letters: Vec<char> = "KQRBNkqrbnp 18-;\"#x=+/wé".chars().collect();
        let mut understood = 0;
        for line in std::iter::repeat_n(text.lines(), 50).flatten() {
            let mut damaged: Vec<char> = line.chars().collect();
            for _ in 0..=random(3) {
                let place = random(damaged.len());
                damaged[place] = letters[random(letters.len())];
            }
            let damaged: String = damaged.into_iter().collect();
            let Ok(Some(task)) = Task::parse(&damaged, 1, false) else { continue };
            assert!(task.best.iter().all(|m| task.position.legal_moves().contains(m)), "{damaged}");
            understood += 1;
        }
        assert!((100..1100).contains(&understood), "{understood}");
    }
}
