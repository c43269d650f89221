//! Reads and writes commands. Any input becomes a [`Command`]; nothing here can fail.

use std::fmt;

use super::go::{Go, Perft};
use super::solver::SolverCommand;

/// The longest line read; a longer one is dropped and reported.
pub const MAX_LINE: usize = 1 << 20;

/// A command of the client.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `uci`: name the engine and list its options.
    Uci,
    /// `debug`: report more, or less.
    Debug(bool),
    /// `isready`: answered at once, even during a search.
    IsReady,
    /// `setoption`; waits for the end of a running search.
    SetOption {
        /// The option's name, which may contain blanks.
        name: String,
        /// Its value, which may contain blanks.
        value: String,
    },
    /// `ucinewgame`: the next position is of another game.
    NewGame,
    /// Set up a position.
    Position {
        /// The start position; `None` for that of chess.
        fen: Option<String>,
        /// The moves played from it.
        moves: Vec<String>,
    },
    /// `go`: search with these limits.
    Go(Go),
    /// Count the legal-move tree.
    Perft(u32),
    /// One of the three commands of learning search control.
    Solver(SolverCommand),
    /// `stop`: end the search and answer with the best move so far.
    Stop,
    /// `ponderhit`: the expected move was played.
    PonderHit,
    /// `quit`: end the program.
    Quit,
    /// `d`: show the board, the FEN and the key.
    Display,
    /// `flip`: exchange the colours and the side to move.
    Flip,
    /// `eval`: explain the static evaluation.
    Eval,
    /// `bench`: search a fixed set of positions.
    Bench(Option<i32>),
    /// `help`: list the commands with a sentence each.
    Help,
    /// Panic on purpose, now or in the next search; only in builds with debug assertions.
    Crash {
        /// In the next search.
        search: bool,
    },
    /// An empty line, or a command without effect.
    Nothing,
    /// An invalid `position`, and why. There is nothing to search until a valid one comes.
    BadPosition(String),
    /// Another invalid command, and why.
    Malformed(String),
}

/// The form that a client sends; empty for what a client cannot send.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uci => f.write_str("uci"),
            Self::Debug(on) => write!(f, "debug {}", if *on { "on" } else { "off" }),
            Self::IsReady => f.write_str("isready"),
            Self::SetOption { name, value } if value.is_empty() => write!(f, "setoption name {name}"),
            Self::SetOption { name, value } => write!(f, "setoption name {name} value {value}"),
            Self::NewGame => f.write_str("ucinewgame"),
            Self::Position { fen, moves } => {
                match fen {
                    Some(fen) => write!(f, "position fen {fen}")?,
                    None => f.write_str("position startpos")?,
                }
                if moves.is_empty() { Ok(()) } else { write!(f, " moves {}", moves.join(" ")) }
            }
            Self::Go(go) => go.fmt(f),
            Self::Perft(depth) => write!(f, "go perft {depth}"),
            Self::Solver(command) => command.fmt(f),
            Self::Stop => f.write_str("stop"),
            Self::PonderHit => f.write_str("ponderhit"),
            Self::Quit => f.write_str("quit"),
            Self::Display => f.write_str("d"),
            Self::Flip => f.write_str("flip"),
            Self::Eval => f.write_str("eval"),
            Self::Bench(None) => f.write_str("bench"),
            Self::Bench(Some(depth)) => write!(f, "bench {depth}"),
            Self::Help => f.write_str("help"),
            Self::Crash { search } => write!(f, "{CRASH}{}", if *search { " search" } else { "" }),
            Self::Nothing | Self::BadPosition(_) | Self::Malformed(_) => Ok(()),
        }
    }
}

/// Panics on purpose, for the tests that a panic is contained. No release has it.
const CRASH: &str = "crash";

/// Control characters, and the byte-order mark that some Windows shells write at the beginning of a pipe.
fn is_blank(c: char) -> bool {
    c.is_control() || c == '\u{feff}'
}

/// Reads one line. Unknown words before a known command are skipped, as the protocol says.
pub fn parse(line: &[u8]) -> Command {
    let text: String =
        String::from_utf8_lossy(line).chars().map(|c| if is_blank(c) { ' ' } else { c }).collect();
    let mut rest = text.trim();
    loop {
        let (word, after) = split_word(rest);
        if word.is_empty() {
            return match text.trim() {
                "" => Command::Nothing,
                unknown => Command::Malformed(format!(
                    "no command in {:?} (help lists the commands)",
                    shortened(unknown)
                )),
            };
        }
        if let Some(command) = command(word, after) {
            return command;
        }
        rest = after;
    }
}

/// The command that a word and the rest of its line form, if the word is one.
fn command(word: &str, rest: &str) -> Option<Command> {
    Some(match word {
        "uci" => Command::Uci,
        "debug" => debug(rest),
        "isready" => Command::IsReady,
        "setoption" => set_option(rest),
        "ucinewgame" => Command::NewGame,
        "position" => position(rest),
        "go" => go(rest),
        "setboard" | "setparam" | "gountil" => {
            SolverCommand::parse(word, rest).map_or_else(Command::Malformed, Command::Solver)
        }
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" | "exit" => Command::Quit,
        "d" => Command::Display,
        "eval" => Command::Eval,
        "flip" => Command::Flip,
        "bench" => bench(rest),
        "help" => Command::Help,
        CRASH if cfg!(debug_assertions) => Command::Crash { search: split_word(rest).0 == "search" },
        // Part of the protocol, but of no use here.
        "register" | "copyprotection" => Command::Nothing,
        _ => return None,
    })
}

fn debug(rest: &str) -> Command {
    match split_word(rest).0 {
        "on" => Command::Debug(true),
        "off" => Command::Debug(false),
        other => Command::Malformed(format!("debug takes on or off, not {:?}", shortened(other))),
    }
}

fn bench(rest: &str) -> Command {
    let text = split_word(rest).0;
    match text.parse().ok().filter(|depth| (1..=100).contains(depth)) {
        _ if text.is_empty() => Command::Bench(None),
        Some(depth) => Command::Bench(Some(depth)),
        None => Command::Malformed(format!("bench wants a depth from 1 to 100, not {:?}", shortened(text))),
    }
}

/// The first word and what follows it.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_once(char::is_whitespace).unwrap_or((text, ""))
}

/// The beginning of a text, for messages.
pub fn shortened(text: &str) -> String {
    shortened_to(text, 80)
}

/// The first characters of a text.
pub fn shortened_to(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// `name <words> [value <text>]`: both may contain blanks, so the text is cut at the two keywords.
fn set_option(rest: &str) -> Command {
    let usage = || Command::Malformed("setoption wants: setoption name NAME [value VALUE]".to_owned());
    let ("name", rest) = split_word(rest) else { return usage() };
    let (name, value) = match find_word(rest, "value") {
        Some((before, after)) => (before, after.trim()),
        None => (rest, ""),
    };
    let name: Vec<&str> = name.split_whitespace().collect();
    if name.is_empty() {
        return usage();
    }
    Command::SetOption { name: name.join(" "), value: value.to_owned() }
}

/// The text before and after a word.
fn find_word<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let mut from = 0;
    while let Some(found) = text.get(from..)?.find(word) {
        let (start, end) = (from + found, from + found + word.len());
        let (before, after) = (text.get(..start)?, text.get(end..)?);
        let alone = (before.is_empty() || before.ends_with(char::is_whitespace))
            && (after.is_empty() || after.starts_with(char::is_whitespace));
        if alone {
            return Some((before, after));
        }
        from = end;
    }
    None
}

fn position(rest: &str) -> Command {
    let (kind, rest) = split_word(rest);
    let (setup, moves) = find_word(rest, "moves").unwrap_or((rest, ""));
    let moves = moves.split_whitespace().map(str::to_owned).collect();
    match kind {
        "startpos" => match setup.split_whitespace().find(|word| looks_like_a_move(word)) {
            Some(m) => Command::BadPosition(format!("position startpos: {m:?} does not follow \"moves\"")),
            None => Command::Position { fen: None, moves },
        },
        "fen" => Command::Position { fen: Some(setup.trim().to_owned()), moves },
        other => Command::BadPosition(format!("position wants startpos or fen, not {:?}", shortened(other))),
    }
}

/// Whether a word before `moves` looks like a move: ignoring it would set up another position.
fn looks_like_a_move(word: &str) -> bool {
    word.len() <= 5 && matches!(word.as_bytes(), [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', ..])
}

fn go(rest: &str) -> Command {
    match Go::parse(rest) {
        Ok(go) => Command::Go(go),
        Err(Perft(depth)) => Command::Perft(depth),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Command {
        parse(text.as_bytes())
    }

    #[test]
    fn words_before_a_command_are_skipped() {
        assert_eq!(read("  joho   debug \t on \r"), Command::Debug(true));
        assert_eq!(read(""), Command::Nothing);
        assert_eq!(read(" \0 \t"), Command::Nothing);
        // PowerShell begins its output into a pipe with this mark.
        assert_eq!(read("\u{feff}uci"), Command::Uci);
        assert!(matches!(read("hello there"), Command::Malformed(_)));
        assert!(matches!(parse(b"\xff\xfe"), Command::Malformed(_)));
    }

    #[test]
    fn option_names_and_values_may_have_blanks() {
        let expected =
            Command::SetOption { name: "Debug Log File".into(), value: "C:\\my  games\\a.log".into() };
        assert_eq!(read("setoption name Debug  Log File value C:\\my  games\\a.log"), expected);
        let button = Command::SetOption { name: "Clear Hash".into(), value: String::new() };
        assert_eq!(read("setoption name Clear Hash"), button);
    }

    #[test]
    fn setoption_without_a_name_is_malformed() {
        for text in ["setoption", "setoption name", "setoption value 3 name Hash", "setoption name value 3"] {
            assert!(matches!(read(text), Command::Malformed(_)), "{text}");
        }
    }

    #[test]
    fn positions_keep_their_fen_and_moves() {
        let moves = vec!["e2e4".to_owned(), "e7e5".to_owned()];
        assert_eq!(read("position startpos moves e2e4 e7e5"), Command::Position { fen: None, moves });
        let fen = Some("8/8/8/8/8/8/8/K1k5 w - - 0 1".to_owned());
        assert_eq!(
            read("position fen 8/8/8/8/8/8/8/K1k5 w - - 0 1"),
            Command::Position { fen, moves: vec![] }
        );
        assert!(matches!(read("position"), Command::BadPosition(_)));
        assert!(matches!(read("position foo"), Command::BadPosition(_)));
        // Unknown words are skipped, except moves without `moves` before them.
        assert!(matches!(read("position startpos e2e4 e7e5"), Command::BadPosition(_)));
        let moves = vec!["e2e4".to_owned()];
        assert_eq!(read("position startpos foo moves e2e4"), Command::Position { fen: None, moves });
    }

    #[test]
    fn perft_is_a_kind_of_go_and_has_a_limit() {
        assert_eq!(read("go perft 3"), Command::Perft(3));
        // The client waits for an answer.
        assert!(matches!(read("go perft 1000"), Command::Go(_)));
        assert!(matches!(read("go depth 3"), Command::Go(_)));
    }

    #[test]
    fn commands_are_read_as_they_were_written() {
        for text in [
            "uci",
            "debug off",
            "isready",
            "setoption name Clear Hash",
            "setoption name Debug Log File value a b.log",
            "ucinewgame",
            "position startpos moves e2e4 e7e5",
            "position fen 8/8/8/8/8/8/8/K1k5 w - - 0 1",
            "go wtime 5 searchmoves e2e4",
            "go perft 2",
            "setboard 8/8/8/8/8/8/8/K1k5 w - - 0 1",
            "setparam 0.5 1.25 1 2",
            "gountil e2e4 500",
            "stop",
            "ponderhit",
            "bench 7",
            "quit",
        ] {
            assert_eq!(read(text).to_string(), text);
        }
    }

    #[test]
    fn only_builds_for_tests_panic_on_purpose() {
        let understood = matches!(read("crash search"), Command::Crash { search: true });
        assert_eq!(understood, cfg!(debug_assertions));
        assert!(!crate::uci::display::help(80).contains(CRASH));
    }

    #[test]
    fn long_texts_are_shortened_at_a_character() {
        assert_eq!(shortened(&"é".repeat(100)).chars().count(), 81);
    }
}
