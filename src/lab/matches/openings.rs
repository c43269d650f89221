//! Openings: positions of an EPD file, or the first moves of the games of a PGN file.

use shakmaty::Move;

use crate::board::san::{read_move, without_number};
use crate::board::{Game, Position};
use crate::epd::line::{LineError, is_comment, split_fen, with_line_feeds};
use crate::random::Random;
use crate::uci::command::shortened;

/// A start position and moves from it.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The start position.
    pub start: Position,
    /// The moves from it before the engines think.
    pub moves: Vec<Move>,
}

/// The openings of a file, and its unusable lines.
#[derive(Clone, Debug, Default)]
pub struct Book {
    /// The openings in the order of the file.
    pub openings: Vec<Opening>,
    /// Problems as `LINE: …`, to follow the name of the file.
    pub complaints: Vec<String>,
}

impl Opening {
    /// The game after the opening moves.
    pub fn game(&self) -> Game {
        let mut game = Game::new(self.start.clone());
        self.moves.iter().for_each(|&m| game.play(m));
        game
    }
}

/// Reads EPD or PGN; of a PGN game the first `plies` are used.
pub fn read(text: &str, plies: usize) -> Book {
    let text = &with_line_feeds(text.trim_start_matches('\u{feff}'));
    let is_pgn = text
        .lines()
        .any(|line| line.trim_start().starts_with("[Event ") || line.trim_start().starts_with("[White "));
    if is_pgn { read_pgn(text, plies) } else { read_epd(text) }
}

fn read_epd(text: &str) -> Book {
    let mut book = Book::default();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if is_comment(line) {
            continue;
        }
        match position_of_line(line) {
            Ok(start) => book.add(index + 1, Opening { start, moves: Vec::new() }),
            Err(error) => book.complaints.push(format!("{}: {error}: {:?}", index + 1, shortened(line))),
        }
    }
    book
}

/// The position at the beginning of an EPD line or FEN; operations are ignored.
fn position_of_line(line: &str) -> Result<Position, LineError> {
    let (fen, _) = split_fen(line)?;
    Position::from_fen(&fen, false).map_err(LineError::Position)
}

impl Book {
    /// Adds an opening, unless the game is over there.
    fn add(&mut self, line: usize, opening: Opening) {
        if opening.game().is_over() {
            self.complaints.push(format!("{line}: the game is over before it begins"));
        } else {
            self.openings.push(opening);
        }
    }

    /// Shuffles the openings; seed 0 keeps the order of the file.
    pub fn shuffle(&mut self, seed: u64) {
        if seed != 0 {
            Random::new(seed).shuffle(&mut self.openings);
        }
    }
}

/// A PGN game being read.
struct PgnGame {
    first_line: usize,
    opening: Opening,
    now: Position,
    broken: Option<String>,
    has_moves: bool,
    chess960: bool,
    /// The FEN and its line, kept until all tags are read: `Variant` decides how to read it.
    fen: Option<(String, usize)>,
}

impl PgnGame {
    fn at(first_line: usize) -> Self {
        let start = Position::default();
        let opening = Opening { start: start.clone(), moves: Vec::new() };
        Self { first_line, opening, now: start, broken: None, has_moves: false, chess960: false, fen: None }
    }

    /// Sets up the position after all tags are read.
    fn begin(&mut self) {
        let Some((fen, line)) = self.fen.take() else { return };
        match Position::from_fen(&fen, self.chess960) {
            Ok(start) => {
                self.now = start.clone();
                self.opening.start = start;
            }
            Err(error) => self.broken = Some(format!("{line}: {error}: {fen:?}")),
        }
    }

    fn play(&mut self, word: &str, line: usize, plies: usize) {
        self.has_moves = true;
        self.begin();
        if self.broken.is_some() || self.opening.moves.len() >= plies {
            return;
        }
        match read_move(&self.now, word) {
            Ok(m) => {
                self.now = self.now.play(m);
                self.opening.moves.push(m);
            }
            Err(error) => self.broken = Some(format!("{line}: {error}: {}", self.now.fen())),
        }
    }

    fn finish(mut self, book: &mut Book) {
        self.begin();
        match self.broken {
            Some(complaint) => book.complaints.push(complaint),
            None => book.add(self.first_line, self.opening),
        }
    }
}

fn read_pgn(text: &str, plies: usize) -> Book {
    let mut book = Book::default();
    let mut reading = PgnGame::at(1);
    let mut begun = false;
    // Comments and variations may span several lines.
    let (mut in_comment, mut variations) = (false, 0_usize);
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let is_tag = !in_comment && variations == 0 && line.trim_start().starts_with('[');
        if is_tag {
            if begun && reading.has_moves {
                std::mem::replace(&mut reading, PgnGame::at(number)).finish(&mut book);
            }
            begun = true;
            reading.chess960 |= tag_value(line, "Variant").is_some_and(is_chess960);
            if let Some(fen) = tag_value(line, "FEN") {
                reading.fen = Some((fen.to_owned(), number));
            }
            continue;
        }
        if line.starts_with('%') {
            continue;
        }
        for word in words(line, &mut in_comment, &mut variations) {
            if !begun {
                reading = PgnGame::at(number);
                begun = true;
            }
            match word.as_str() {
                "1-0" | "0-1" | "1/2-1/2" | "*" => {
                    std::mem::replace(&mut reading, PgnGame::at(number)).finish(&mut book);
                    begun = false;
                }
                word => reading.play(word, number, plies),
            }
        }
    }
    if begun {
        reading.finish(&mut book);
    }
    book
}

/// Whether a variant is Chess960 in any spelling: `Fischerandom`, `chess 960` …
fn is_chess960(variant: &str) -> bool {
    let name: String = variant.chars().filter(char::is_ascii_alphanumeric).collect();
    ["chess960", "fischerandom"].contains(&name.to_ascii_lowercase().as_str())
}

/// The value of `[FEN "…"]`.
fn tag_value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.trim().strip_prefix('[')?.trim_start().strip_prefix(name)?;
    rest.trim_start().strip_prefix('"')?.split('"').next()
}

/// Moves and results of a line of PGN, without comments, variations, numbers and glyphs.
fn words(line: &str, in_comment: &mut bool, variations: &mut usize) -> Vec<String> {
    let mut kept = String::new();
    for letter in line.chars() {
        match letter {
            '}' if *in_comment => *in_comment = false,
            _ if *in_comment => {}
            '{' => *in_comment = true,
            ';' => break,
            '(' => *variations += 1,
            ')' => *variations = variations.saturating_sub(1),
            _ if *variations == 0 => kept.push(letter),
            _ => {}
        }
        if matches!(letter, '}' | ')') {
            kept.push(' ');
        }
    }
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    kept.split_whitespace()
        .map(without_number)
        .filter(|word| !is_number(word) && !word.starts_with('$'))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epd_lines_are_read_and_what_is_wrong_is_named() {
        let text = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - bm e5; id \"x\";\r\n\n# nothing\nnonsense\n\
                    7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\n8/8/4k3/8/8/4K3/4P3/8 w - - 3 60";
        let book = read(text, 8);
        assert_eq!(book.openings.len(), 2);
        assert_eq!(book.openings[1].start.fen(), "8/8/4k3/8/8/4K3/4P3/8 w - - 3 60");
        assert_eq!(book.complaints.len(), 2);
        assert!(book.complaints[0].starts_with("4: ") && book.complaints[1].starts_with("5: "));
    }

    #[test]
    fn the_first_moves_of_pgn_games_are_openings() {
        let text = "[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4 {good; 1. d4} e5 (1... c5\n2. Nf3) 2.Nf3! $1 Nc6 3. Bb5 a6 1-0\n\n\
                    [Event \"y\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Kd7 1/2-1/2\n\n[Event \"z\"]\n\n1. e5 *\n";
        let book = read(text, 4);
        assert_eq!(book.openings.iter().map(|opening| opening.moves.len()).collect::<Vec<_>>(), [4, 2]);
        assert_eq!(book.complaints.len(), 1);
        assert!(book.complaints[0].starts_with("14: \"e5\" is no legal move"), "{:?}", book.complaints);
    }

    #[test]
    fn moves_are_read_in_all_spellings() {
        let text = "[Event \"x\"]\n\n1 e4 e5 2.Nf3 ...Nc6 3 Bb5!? 3...Nf6 4. 0-0 Nxe4 5.Re1 Nd6 1-0\n";
        let book = read(text, 9);
        assert_eq!(
            (book.openings.len(), book.complaints.as_slice()),
            (1, [""; 0].map(String::from).as_slice())
        );
        assert_eq!(book.openings[0].moves.len(), 9);
        assert!(book.openings[0].moves[6].is_castle());
    }

    #[test]
    fn games_without_results_or_moves_end_at_the_next_tag() {
        let text = "[Event \"a\"]\n\n1. d4 d5 2. c4\n\n[Event \"b\"]\n\n1. c4\n";
        assert_eq!(read(text, 3).openings.iter().map(|o| o.moves.len()).collect::<Vec<_>>(), [3, 1]);
        assert!(read("", 3).openings.is_empty());
    }

    #[test]
    fn tags_come_in_any_order_and_comments_are_passed_over() {
        let fen = "4k3/8/8/8/8/8/8/4K1R1 w K - 0 1";
        let pgn = format!("[Event \"?\"]\n[FEN \"{fen}\"]\n[Variant \"Chess960\"]\n\n1. O-O *\n");
        let book = read(&pgn, 16);
        assert!(book.complaints.is_empty() && book.openings.len() == 1, "{:?}", book.complaints);
        let epd = format!("; one\n% two\n// three\n# four\n{fen}\n");
        let book = read(&epd, 16);
        assert!(book.complaints.is_empty() && book.openings.len() == 1, "{:?}", book.complaints);
    }

    #[test]
    fn the_same_seed_gives_the_same_order() {
        let order = |seed| {
            let text: String = (1..=40).map(|n| format!("8/8/4k3/8/8/4K3/4P3/8 w - - 0 {n}\n")).collect();
            let mut book = read(&text, 0);
            book.shuffle(seed);
            book.openings.iter().map(|opening| opening.start.fen()).collect::<Vec<_>>()
        };
        assert_eq!(order(5), order(5));
        let first = |n: &str| format!("8/8/4k3/8/8/4K3/4P3/8 w - - 0 {n}");
        assert_eq!(order(5)[..3], ["36", "1", "5"].map(first), "the order of matches that are resumed");
        assert_ne!(order(5), order(6));
        assert_ne!(order(5), order(0));
        let mut sorted = order(5);
        let mut all = order(0);
        sorted.sort();
        all.sort();
        assert_eq!(sorted, all);
    }
}
