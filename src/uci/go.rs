//! Converts `go` to limits and back.

use std::fmt;
use std::iter::Peekable;
use std::str::SplitWhitespace;
use std::time::Duration;

use shakmaty::{Color, Move};

use super::command::shortened;
use crate::board::{MoveError, Position, uci_text};
use crate::limits::{Clock, Limits};
use crate::perft::MAX_DEPTH;

/// A `go` command before it is applied to a position: times in milliseconds, moves as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Go {
    /// Moves to restrict the search to.
    pub search_moves: Vec<String>,
    /// Search on the opponent's time.
    pub ponder: bool,
    /// `wtime`: time left on White's clock; negative if overdrawn.
    pub white_time: Option<i64>,
    /// `btime`: time left on Black's clock; negative if overdrawn.
    pub black_time: Option<i64>,
    /// `winc`: added to White's clock after every move.
    pub white_increment: Option<i64>,
    /// `binc`: added to Black's clock after every move.
    pub black_increment: Option<i64>,
    /// Moves to the time control.
    pub moves_to_go: Option<i64>,
    /// `depth`: the last iteration, in plies.
    pub depth: Option<i64>,
    /// `nodes`: nodes after which the search ends.
    pub nodes: Option<i64>,
    /// Mate in this many moves.
    pub mate: Option<i64>,
    /// `movetime`: time to search for.
    pub move_time: Option<i64>,
    /// `infinite`: no end before `stop`.
    pub infinite: bool,
    /// The first few words that were not understood, shortened.
    pub ignored: Vec<String>,
    /// Whether a limit was given that was not understood.
    pub unclear: bool,
}

/// At most this many ignored words are reported.
const MOST_IGNORED: usize = 8;

/// Search time if a limit was not understood, because the client may never stop the search.
const UNCLEAR: Duration = Duration::from_millis(500);

const WORDS: &[&str] = &[
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

type Words<'a> = Peekable<SplitWhitespace<'a>>;

/// The word after a keyword, empty if there is none, and its value as a number.
fn number_after<'a>(words: &mut Words<'a>) -> (&'a str, Option<i64>) {
    let word = words.next_if(|word| !WORDS.contains(word)).unwrap_or_default();
    (word, word.parse().ok())
}

/// The depth after `perft`, or the word in its place.
fn perft_depth<'a>(words: &mut Words<'a>) -> Result<u32, &'a str> {
    let (word, number) = number_after(words);
    number.and_then(|depth| u32::try_from(depth).ok()).filter(|depth| *depth <= MAX_DEPTH).ok_or(word)
}

impl Go {
    /// Reads the words after `go`, or a perft depth.
    pub fn parse(text: &str) -> Result<Self, Perft> {
        let mut go = Self::default();
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "searchmoves" => {
                    while let Some(m) = words.next_if(|word| !WORDS.contains(word)) {
                        go.search_moves.push(m.to_owned());
                    }
                }
                "ponder" => go.ponder = true,
                "infinite" => go.infinite = true,
                "perft" => match perft_depth(&mut words) {
                    Ok(depth) => return Err(Perft(depth)),
                    Err(wrong) => go.misunderstand("perft", wrong),
                },
                known if WORDS.contains(&known) => go.limit(known, &mut words),
                unknown => go.skip(unknown, &mut words),
            }
        }
        go.forget_clockless();
        Ok(go)
    }

    /// Ignores increments and moves to go if no time was given.
    fn forget_clockless(&mut self) {
        if self.white_time.or(self.black_time).is_some() {
            return;
        }
        let told = [
            ("winc", self.white_increment.take()),
            ("binc", self.black_increment.take()),
            ("movestogo", self.moves_to_go.take()),
        ];
        for (word, number) in told {
            if let Some(number) = number {
                self.unclear = true;
                self.ignore(&format!("{word} {number}"));
            }
        }
    }

    /// Reads the number of a limit. If it is missing or makes no sense, the limit is ignored, and a value given before
    /// stays.
    fn limit(&mut self, keyword: &str, words: &mut Words<'_>) {
        let (word, read) = number_after(words);
        // A clock may be negative, other limits may not.
        let counted = matches!(keyword, "depth" | "nodes" | "mate");
        let number = read.filter(|number| !counted || *number >= 0);
        if number.is_none() {
            self.misunderstand(keyword, word);
        }
        let field = match keyword {
            "wtime" => &mut self.white_time,
            "btime" => &mut self.black_time,
            "winc" => &mut self.white_increment,
            "binc" => &mut self.black_increment,
            "movestogo" => &mut self.moves_to_go,
            "depth" => &mut self.depth,
            "nodes" => &mut self.nodes,
            "mate" => &mut self.mate,
            _ => &mut self.move_time,
        };
        *field = number.or(*field);
    }

    /// Records a limit with an invalid number.
    fn misunderstand(&mut self, keyword: &str, word: &str) {
        self.unclear = true;
        self.ignore(&match word {
            "" => format!("{keyword} without a number"),
            word => format!("{keyword} {word}"),
        });
    }

    /// Skips an unknown word and a number after it. A word that contains a digit, such as `depth=3`, counts as a limit that
    /// was not understood.
    fn skip(&mut self, word: &str, words: &mut Words<'_>) {
        match words.next_if(|next| next.parse::<f64>().is_ok()) {
            Some(number) => {
                self.unclear = true;
                self.ignore(&format!("{word} {number}"));
            }
            None => {
                self.unclear |= word.contains(|c: char| c.is_ascii_digit());
                self.ignore(word);
            }
        }
    }

    fn ignore(&mut self, what: &str) {
        if self.ignored.len() < MOST_IGNORED {
            self.ignored.push(shortened(what));
        }
    }

    /// Whether limits were given but none was understood.
    fn falls_back(&self) -> bool {
        let understood =
            [self.white_time, self.black_time, self.depth, self.nodes, self.mate, self.move_time];
        self.unclear && !self.infinite && understood.iter().all(Option::is_none)
    }

    /// A message about ignored words, if there are any.
    pub fn note(&self) -> Option<String> {
        let quoted: Vec<String> = self.ignored.iter().map(|what| format!("{what:?}")).collect();
        let instead = if self.falls_back() {
            format!("; no limit is left, so the search takes {} ms", UNCLEAR.as_millis())
        } else {
            String::new()
        };
        (!quoted.is_empty()).then(|| format!("go: ignored {}{instead}", quoted.join(", ")))
    }

    /// The `go` that asks another engine for these limits, with this side to move.
    pub fn asking(limits: &Limits, turn: Color, chess960: bool) -> Self {
        let time = |clock: Option<Clock>| clock.map(|clock| milliseconds(clock.left));
        let increment = |clock: Option<Clock>| clock.map(|clock| milliseconds(clock.increment));
        let [white, black] = match turn {
            Color::White => [limits.clock, limits.opponent],
            Color::Black => [limits.opponent, limits.clock],
        };
        Self {
            search_moves: limits.search_moves.iter().map(|&m| uci_text(m, chess960)).collect(),
            ponder: limits.ponder,
            white_time: time(white),
            black_time: time(black),
            white_increment: increment(white),
            black_increment: increment(black),
            moves_to_go: limits.clock.and_then(|clock| clock.moves_to_go).map(i64::from),
            depth: limits.depth.map(i64::from),
            nodes: limits.nodes.map(|nodes| i64::try_from(nodes).unwrap_or(i64::MAX)),
            mate: limits.mate.map(i64::from),
            move_time: limits.move_time.map(milliseconds),
            infinite: limits.is_open(),
            ignored: Vec::new(),
            unclear: false,
        }
    }

    /// The limits in this position, and the `searchmoves` that are not legal there.
    pub fn limits(&self, position: &Position) -> (Limits, Vec<MoveError>) {
        let (mut search_moves, mut wrong) = (Vec::new(), Vec::new());
        for text in &self.search_moves {
            match position.parse_move(text) {
                Ok(m) => search_moves.push(m),
                Err(error) => wrong.push(error),
            }
        }
        (self.limits_on(position.turn(), search_moves), wrong)
    }

    fn limits_on(&self, turn: Color, search_moves: Vec<Move>) -> Limits {
        let white = (self.white_time, self.white_increment);
        let black = (self.black_time, self.black_increment);
        let [own, other] = if turn == Color::White { [white, black] } else { [black, white] };
        let clock = |(time, increment): (Option<i64>, Option<i64>)| {
            time.map(|time| Clock {
                left: duration(time),
                increment: duration(increment.unwrap_or(0)),
                moves_to_go: self.moves_to_go.and_then(|moves| u32::try_from(moves).ok()).filter(|n| *n > 0),
            })
        };
        let moves = |count: i64| count.clamp(1, i64::from(i16::MAX)) as i32;
        Limits {
            depth: self.depth.map(moves),
            soft_nodes: None,
            nodes: self.nodes.map(|nodes| nodes.max(1).unsigned_abs()),
            mate: self.mate.map(moves),
            move_time: self.move_time.map(duration).or(self.falls_back().then_some(UNCLEAR)),
            // A client that sends only one clock means the mover's.
            clock: clock((own.0.or(other.0), own.1)),
            opponent: clock(other),
            infinite: self.infinite,
            ponder: self.ponder,
            search_moves,
            until: Vec::new(),
        }
    }
}

/// `go perft` to this depth.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Perft(pub u32);

/// The form that a client sends.
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

/// Milliseconds as a duration; negative ones are zero.
fn duration(milliseconds: i64) -> Duration {
    Duration::from_millis(milliseconds.max(0).unsigned_abs())
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_taken_in_any_order_and_what_is_unknown_is_skipped() {
        let go = Go::parse("wtime 100 searchmoves e2e4 d2d4 depth 5 foo nodes abc mate movetime 7").unwrap();
        assert_eq!(go.search_moves, ["e2e4", "d2d4"]);
        assert_eq!(
            (go.white_time, go.depth, go.nodes, go.mate, go.move_time),
            (Some(100), Some(5), None, None, Some(7))
        );
        assert_eq!(go.note().unwrap(), "go: ignored \"foo\", \"nodes abc\", \"mate without a number\"");
        let go = Go::parse("depth 100000000000000000000000 wtime -5").unwrap();
        assert_eq!((go.depth, go.white_time), (None, Some(-5)));
        assert_eq!(Go::parse("depth 3 perft 4"), Err(Perft(4)));
    }

    #[test]
    fn a_limit_that_was_meant_never_becomes_an_endless_search() {
        let position = Position::default();
        for text in [
            "movetime abc",
            "dpeth 3",
            "depth -3",
            "nodes",
            "wtime x btime y winc 3",
            "ponder mate z",
            "depth=3",
            "5",
            "winc 100 binc 100",
            "movestogo 5",
            "perft",
            "perft x",
            "perft -1",
            "perft 65",
        ] {
            let go = Go::parse(text).unwrap();
            assert_eq!(go.limits(&position).0.move_time, Some(UNCLEAR), "{text}");
            assert!(go.note().unwrap().contains("500 ms"), "{text}");
        }
        for text in
            ["", "foo", "infinite depth x", "depth x nodes 5", "wtime 5 depth -1", "movetime -5", "depth 0"]
        {
            let limits = Go::parse(text).unwrap().limits(&position).0;
            assert_ne!(limits.move_time, Some(UNCLEAR), "{text}");
        }
        // Keeps a clock that was understood, which may have less than half a second.
        for text in ["wtime 100 wtime", "wtime 100 btime 100 wtime x", "wtime 100 wtime 1e3"] {
            let limits = Go::parse(text).unwrap().limits(&position).0;
            assert_eq!(limits.clock.map(|clock| clock.left), Some(Duration::from_millis(100)), "{text}");
            assert_eq!(limits.move_time, None, "{text}");
        }
        assert_eq!(Go::parse("infinite wtime 5").unwrap().note(), None);
        assert_eq!(Go::parse(&"x ".repeat(1000)).unwrap().ignored.len(), MOST_IGNORED);
    }

    #[test]
    fn go_is_written_as_it_is_read() {
        for text in ["", " infinite depth 3", " ponder wtime 7 btime 8 winc 1 binc 2 movestogo 40"] {
            let text = format!("{text} nodes 5 searchmoves e2e4 d2d4");
            assert_eq!(Go::parse(&text).unwrap().to_string(), format!("go{text}"));
        }
    }

    #[test]
    fn limits_survive_the_way_to_another_engine_and_back() {
        let position = Position::default();
        let ms = Duration::from_millis;
        let clock = |left| Clock { left: ms(left), increment: ms(5), moves_to_go: Some(30) };
        let whole = Limits {
            depth: Some(9),
            nodes: Some(1_000),
            mate: Some(3),
            move_time: Some(ms(70)),
            clock: Some(clock(900)),
            opponent: Some(clock(800)),
            search_moves: vec![position.parse_move("e2e4").unwrap()],
            ponder: true,
            ..Limits::default()
        };
        let open = Limits { infinite: true, ..Limits::default() };
        for limits in [whole, open, Limits::nodes(7)] {
            for position in [&position, &position.play(position.legal_moves()[0])] {
                let limits = match position.turn() {
                    Color::White => limits.clone(),
                    Color::Black => Limits { search_moves: Vec::new(), ..limits.clone() },
                };
                let text = Go::asking(&limits, position.turn(), false).to_string();
                let read = Go::parse(text.strip_prefix("go").unwrap()).unwrap();
                assert_eq!(read.limits(position), (limits, vec![]), "{text}");
            }
        }
        assert_eq!(Go::asking(&Limits::nodes(u64::MAX), Color::White, false).nodes, Some(i64::MAX));
    }

    #[test]
    fn moves_that_cannot_be_played_are_named() {
        let go = Go::parse("searchmoves e2e5 0000 e2e4").unwrap();
        let (limits, wrong) = go.limits(&Position::default());
        assert_eq!((limits.search_moves.len(), wrong.len()), (1, 2));
    }
}
