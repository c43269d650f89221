//! From text to commands. Whatever a client sends becomes a [`Command`]; nothing here can fail.

use std::fmt;
use std::time::Duration;

use crate::board::perft::MAX_DEPTH;

/// The longest line read; a longer one is dropped and reported.
pub const MAX_LINE: usize = 1 << 20;

/// One thing a client asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Say who you are and what you can be set to.
    Uci,
    /// Tell more, or less.
    Debug(bool),
    /// Are you there?
    IsReady,
    /// Set an option.
    SetOption {
        /// Its name.
        name: String,
        /// Its value, blanks and all.
        value: String,
    },
    /// The next position is of another game.
    NewGame,
    /// Set up a position.
    Position {
        /// Where from; `None` for the start of a game.
        fen: Option<String>,
        /// What was played since.
        moves: Vec<String>,
    },
    /// Search.
    Go(Go),
    /// Count the legal-move tree.
    Perft(u32),
    /// Forget everything and set up a position (learning search control).
    SetBoard(String),
    /// Set the weights of the extensions (learning search control).
    SetParam(Vec<f64>),
    /// Search until a move is the best or so many nodes were searched (learning search control).
    GoUntil {
        /// The moves, any of which will do.
        moves: Vec<String>,
        /// The most nodes; 0 if this or the moves are missing, which are all words then.
        nodes: u64,
    },
    /// End the search.
    Stop,
    /// The move pondered on was played.
    PonderHit,
    /// End.
    Quit,
    /// Show the board.
    Display,
    /// Explain the static value.
    Eval,
    /// Search a fixed set of positions.
    Bench(Option<i32>),
    /// List the commands.
    Help,
    /// Panic on purpose, now or in the next search.
    Crash {
        /// In the next search.
        search: bool,
    },
    /// Nothing to do.
    Nothing,
    /// A `position` that cannot be understood, and why: there is nothing to search until a good one comes.
    BadPosition(String),
    /// Another command that cannot be understood, and why.
    Malformed(String),
}

/// What `go` asks for, still without a position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Go {
    /// Moves to restrict the search to.
    pub search_moves: Vec<String>,
    /// Search on the opponent's time.
    pub ponder: bool,
    /// Clock of White, in milliseconds.
    pub white_time: Option<i64>,
    /// Clock of Black.
    pub black_time: Option<i64>,
    /// Increment of White.
    pub white_increment: Option<i64>,
    /// Increment of Black.
    pub black_increment: Option<i64>,
    /// Moves to the time control.
    pub moves_to_go: Option<i64>,
    /// Plies.
    pub depth: Option<i64>,
    /// Nodes.
    pub nodes: Option<i64>,
    /// Mate in so many moves.
    pub mate: Option<i64>,
    /// Milliseconds.
    pub move_time: Option<i64>,
    /// Until `stop`.
    pub infinite: bool,
}

/// As a client sends it.
impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("go")?;
        for (word, on) in [("ponder", self.ponder), ("infinite", self.infinite)] {
            if on {
                write!(f, " {word}")?;
            }
        }
        for (word, number) in [
            ("wtime", self.white_time),
            ("btime", self.black_time),
            ("winc", self.white_increment),
            ("binc", self.black_increment),
            ("movestogo", self.moves_to_go),
            ("depth", self.depth),
            ("nodes", self.nodes),
            ("mate", self.mate),
            ("movetime", self.move_time),
        ] {
            if let Some(number) = number {
                write!(f, " {word} {number}")?;
            }
        }
        if !self.search_moves.is_empty() {
            write!(f, " searchmoves {}", self.search_moves.join(" "))?;
        }
        Ok(())
    }
}

/// Milliseconds, nothing if negative.
pub fn milliseconds(value: i64) -> Duration {
    Duration::from_millis(value.max(0).unsigned_abs())
}

const COMMANDS: &[&str] = &[
    "uci",
    "debug",
    "isready",
    "setoption",
    "ucinewgame",
    "position",
    "go",
    "setboard",
    "setparam",
    "gountil",
    "stop",
    "ponderhit",
    "quit",
    "register",
    "copyprotection",
    "d",
    "eval",
    "bench",
    "help",
    "crash",
    "exit",
];

/// Reads one line. Unknown words before a known command are skipped, as the protocol wants.
pub fn parse(line: &[u8]) -> Command {
    let text: String =
        String::from_utf8_lossy(line).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
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
        if COMMANDS.contains(&word) {
            return command(word, after);
        }
        rest = after;
    }
}

fn command(word: &str, rest: &str) -> Command {
    match word {
        "uci" => Command::Uci,
        "debug" => match split_word(rest).0 {
            "on" => Command::Debug(true),
            "off" => Command::Debug(false),
            other => Command::Malformed(format!("debug takes on or off, not {:?}", shortened(other))),
        },
        "isready" => Command::IsReady,
        "setoption" => set_option(rest),
        "ucinewgame" => Command::NewGame,
        "position" => position(rest),
        "go" => go(rest),
        "setboard" => Command::SetBoard(rest.trim().to_owned()),
        "setparam" => set_param(rest),
        "gountil" => go_until(rest),
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" | "exit" => Command::Quit,
        "d" => Command::Display,
        "eval" => Command::Eval,
        "bench" => match split_word(rest).0 {
            "" => Command::Bench(None),
            depth => match depth.parse().ok().filter(|depth| (1..=100).contains(depth)) {
                Some(depth) => Command::Bench(Some(depth)),
                None => Command::Malformed(format!(
                    "bench wants a depth from 1 to 100, not {:?}",
                    shortened(depth)
                )),
            },
        },
        "help" => Command::Help,
        "crash" => Command::Crash { search: split_word(rest).0 == "search" },
        _ => Command::Nothing,
    }
}

fn set_param(rest: &str) -> Command {
    let number = |word: &str| word.parse().ok().filter(|weight: &f64| (0.0..=2.0).contains(weight));
    match rest.split_whitespace().map(number).collect::<Option<Vec<f64>>>() {
        Some(weights) if matches!(weights.len(), 4 | 5 | 12 | 15) => Command::SetParam(weights),
        _ => Command::Malformed(format!(
            "setparam wants 4 or 5 weights from 0.0 to 2.0 (check, recapture, forced reply, pawn push, threat), or as \
             many for each of three stages, not {:?}",
            shortened(rest)
        )),
    }
}

fn go_until(rest: &str) -> Command {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let read = words.split_last().and_then(|(nodes, moves)| Some((moves, nodes.parse().ok()?)));
    let read = read.filter(|(moves, nodes)| !moves.is_empty() && *nodes > 0);
    let (moves, nodes) = read.unwrap_or((&words, 0));
    Command::GoUntil { moves: moves.iter().map(|text| (*text).to_owned()).collect(), nodes }
}

/// The first word and what follows it.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_once(char::is_whitespace).unwrap_or((text, ""))
}

/// Enough of a text to recognise it by.
pub fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
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

/// What stands before and after a word.
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
        "startpos" => Command::Position { fen: None, moves },
        "fen" => Command::Position { fen: Some(setup.trim().to_owned()), moves },
        other => Command::BadPosition(format!("position wants startpos or fen, not {:?}", shortened(other))),
    }
}

const GO_WORDS: &[&str] = &[
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

fn go(rest: &str) -> Command {
    let mut go = Go::default();
    let mut words = rest.split_whitespace().peekable();
    while let Some(word) = words.next() {
        // A number that is none, or missing, is as if the limit had not been named.
        let mut number = || words.next_if(|word| !GO_WORDS.contains(word)).and_then(|word| word.parse().ok());
        match word {
            "searchmoves" => {
                while let Some(m) = words.next_if(|word| !GO_WORDS.contains(word)) {
                    go.search_moves.push(m.to_owned());
                }
            }
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "wtime" => go.white_time = number(),
            "btime" => go.black_time = number(),
            "winc" => go.white_increment = number(),
            "binc" => go.black_increment = number(),
            "movestogo" => go.moves_to_go = number(),
            "depth" => go.depth = number(),
            "nodes" => go.nodes = number(),
            "mate" => go.mate = number(),
            "movetime" => go.move_time = number(),
            "perft" => {
                let depth = number().and_then(|depth: i64| u32::try_from(depth).ok());
                return match depth.filter(|depth| *depth <= MAX_DEPTH) {
                    Some(depth) => Command::Perft(depth),
                    None => Command::Malformed(format!("go perft wants a depth from 0 to {MAX_DEPTH}")),
                };
            }
            _ => {}
        }
    }
    Command::Go(go)
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
    }

    #[test]
    fn go_takes_its_limits_in_any_order_and_skips_what_it_does_not_know() {
        let Command::Go(go) =
            read("go wtime 100 searchmoves e2e4 d2d4 depth 5 foo nodes abc mate movetime 7")
        else {
            panic!("not a go")
        };
        assert_eq!(go.search_moves, ["e2e4", "d2d4"]);
        assert_eq!(
            (go.white_time, go.depth, go.nodes, go.mate, go.move_time),
            (Some(100), Some(5), None, None, Some(7))
        );
        let Command::Go(go) = read("go depth 100000000000000000000000 wtime -5") else { panic!("not a go") };
        assert_eq!((go.depth, go.white_time), (None, Some(-5)));
        assert_eq!(read("go perft 3"), Command::Perft(3));
        assert!(matches!(read("go perft 1000"), Command::Malformed(_)));
    }

    #[test]
    fn go_is_written_as_it_is_read() {
        for text in ["go", "go infinite depth 3", "go ponder wtime 7 btime 8 winc 1 binc 2 movestogo 40"] {
            assert_eq!(read(&format!("{text} nodes 5 searchmoves e2e4 d2d4")), {
                let Command::Go(go) = read(text) else { panic!("not a go") };
                let go = Go { nodes: Some(5), search_moves: vec!["e2e4".into(), "d2d4".into()], ..go };
                read(&go.to_string())
            });
        }
    }

    #[test]
    fn long_texts_are_shortened_at_a_character() {
        assert_eq!(shortened(&"é".repeat(100)).chars().count(), 81);
    }
}
