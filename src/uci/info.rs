//! Reads and writes `info` lines and the answer to `go`.

use std::fmt;
use std::str::SplitWhitespace;
use std::time::Duration;

use shakmaty::Move;

use crate::board::{Position, uci_text};
use crate::score::{Bound, MAX_PLY, Score};
use crate::search::{Effort, Line, Outcome, Report};

/// One `info` line; missing fields are `None` or empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info {
    /// Nominal depth of the iteration, in plies.
    pub depth: Option<i32>,
    /// The deepest ply searched.
    pub selective_depth: Option<i32>,
    /// The number of the line, from 1.
    pub rank: Option<usize>,
    /// Score for the side to move.
    pub score: Option<Score>,
    /// Whether the score is exact or a bound.
    pub bound: Option<Bound>,
    /// Wins, draws and losses expected in a thousand games.
    pub wdl: Option<[i32; 3]>,
    /// Nodes of all threads since `go`.
    pub nodes: Option<u64>,
    /// Nodes per second by the engine's own clock.
    pub nps: Option<u64>,
    /// Thousandths of the hash table in use.
    pub hash_permille: Option<u32>,
    /// Positions found in the endgame tables.
    pub tb_hits: Option<u64>,
    /// Time since `go`, by the engine's own clock.
    pub time: Option<Duration>,
    /// The root move being searched.
    pub current_move: Option<String>,
    /// Its number, from 1.
    pub current_number: Option<usize>,
    /// The variation, in UCI notation.
    pub moves: Vec<String>,
}

impl Info {
    /// Reads a line of output; `None` if it is not `info`, or only `info string`.
    ///
    /// ```
    /// use espalier::uci::info::Info;
    /// let info = Info::parse("info depth 5 score mate 2 nodes 900 pv h5f7 e8e7").unwrap();
    /// assert_eq!(info.score.and_then(|score| score.mate_in()), Some(2));
    /// assert_eq!(info.moves, ["h5f7", "e8e7"]);
    /// ```
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        if words.next() != Some("info") {
            return None;
        }
        let mut info = Self::default();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = number(&mut words),
                "seldepth" => info.selective_depth = number(&mut words),
                "multipv" => info.rank = number(&mut words),
                "nodes" => info.nodes = number(&mut words),
                "nps" => info.nps = number(&mut words),
                "hashfull" => info.hash_permille = number(&mut words),
                "tbhits" => info.tb_hits = number(&mut words),
                "time" => info.time = number(&mut words).map(Duration::from_millis),
                "score" => (info.score, info.bound) = score(&mut words),
                "lowerbound" => info.bound = Some(Bound::Lower),
                "upperbound" => info.bound = Some(Bound::Upper),
                "wdl" => info.wdl = three(&mut words),
                "currmove" => info.current_move = words.next().map(str::to_owned),
                "currmovenumber" => info.current_number = number(&mut words),
                "pv" => info.moves = words.by_ref().map(str::to_owned).collect(),
                "string" => break,
                _ => {}
            }
        }
        (info != Self::default()).then_some(info)
    }

    /// Whether this is a line of the engine's first choice.
    pub fn is_first_line(&self) -> bool {
        self.rank.unwrap_or(1) == 1 && !self.moves.is_empty()
    }
}

/// The form that an engine writes.
impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn field(f: &mut fmt::Formatter<'_>, name: &str, value: Option<impl fmt::Display>) -> fmt::Result {
            value.map_or(Ok(()), |value| write!(f, " {name} {value}"))
        }
        f.write_str("info")?;
        field(f, "depth", self.depth)?;
        field(f, "seldepth", self.selective_depth)?;
        field(f, "multipv", self.rank)?;
        field(f, "score", self.score)?;
        match self.bound {
            None | Some(Bound::Exact) => {}
            Some(Bound::Lower) => f.write_str(" lowerbound")?,
            Some(Bound::Upper) => f.write_str(" upperbound")?,
        }
        field(f, "wdl", self.wdl.map(|[win, draw, loss]| format!("{win} {draw} {loss}")))?;
        field(f, "nodes", self.nodes)?;
        field(f, "nps", self.nps)?;
        field(f, "hashfull", self.hash_permille)?;
        field(f, "tbhits", self.tb_hits)?;
        field(f, "time", self.time.map(|time| time.as_millis()))?;
        field(f, "currmove", self.current_move.as_deref())?;
        field(f, "currmovenumber", self.current_number)?;
        field(f, "pv", (!self.moves.is_empty()).then(|| self.moves.join(" ")))
    }
}

fn number<N: std::str::FromStr>(words: &mut SplitWhitespace<'_>) -> Option<N> {
    words.next()?.parse().ok()
}

fn three(words: &mut SplitWhitespace<'_>) -> Option<[i32; 3]> {
    Some([number(words)?, number(words)?, number(words)?])
}

fn score(words: &mut SplitWhitespace<'_>) -> (Option<Score>, Option<Bound>) {
    let score = match words.next() {
        Some("cp") => number(words).map(|value: i32| Score::cp(value).clamp_eval()),
        Some("mate") => number(words).map(mate),
        _ => None,
    };
    (score, score.map(|_| Bound::Exact))
}

/// A mate in this many moves; negative for the side that is mated. Mates beyond what a score can express are
/// plain wins.
fn mate(moves: i32) -> Score {
    let plies = (moves.unsigned_abs() as usize).saturating_mul(2);
    match (moves > 0, plies > MAX_PLY) {
        (true, false) => Score::mate_at(plies - 1),
        (false, false) => Score::mated_at(plies),
        (true, true) => Score::MAX_EVAL,
        (false, true) => -Score::MAX_EVAL,
    }
}

/// The moves in `bestmove e2e4 ponder e7e5`.
pub fn parse_best_move(line: &str) -> Option<(String, Option<String>)> {
    let mut words = line.split_whitespace();
    if words.next() != Some("bestmove") {
        return None;
    }
    let best = words.next().unwrap_or_default().to_owned();
    let ponder = words.next().filter(|word| *word == "ponder").and(words.next());
    Some((best, ponder.map(str::to_owned)))
}

/// How to format reports of our search.
#[derive(Copy, Clone, Debug, Default)]
pub struct UciStyle {
    /// Whether castling is written as king takes rook.
    pub chess960: bool,
    /// Whether to add win, draw and loss probabilities.
    pub wdl: bool,
}

impl UciStyle {
    /// A report as `info`; `None` for the end of a search.
    pub fn info(&self, report: &Report) -> Option<Info> {
        match report {
            Report::Line(line, effort) => Some(self.line(line, effort)),
            Report::CurrentMove { depth, m, number } => Some(Info {
                depth: Some(*depth),
                current_move: Some(self.m(*m)),
                current_number: Some(*number),
                ..Info::default()
            }),
            Report::Finished(_) => None,
        }
    }

    fn line(&self, line: &Line, effort: &Effort) -> Info {
        Info {
            depth: Some(line.depth),
            selective_depth: i32::try_from(line.selective_depth).ok(),
            rank: Some(line.rank),
            score: Some(line.score),
            bound: Some(line.bound),
            wdl: self.wdl.then(|| wdl(line.score)),
            nodes: Some(effort.nodes),
            nps: Some(effort.nps()),
            hash_permille: Some(effort.hash_permille),
            tb_hits: Some(effort.tb_hits),
            time: Some(effort.time),
            moves: line.moves.iter().map(|&m| self.m(m)).collect(),
            ..Info::default()
        }
    }

    /// A move in UCI notation; castling differs in Chess960.
    pub fn m(&self, m: Move) -> String {
        uci_text(m, self.chess960)
    }

    /// The answer to `go`.
    pub fn best_move(&self, outcome: &Outcome) -> String {
        match (outcome.best_move(), outcome.ponder_move()) {
            (None, _) => "bestmove (none)".to_owned(),
            (Some(best), None) => format!("bestmove {}", self.m(best)),
            (Some(best), Some(ponder)) => format!("bestmove {} ponder {}", self.m(best), self.m(ponder)),
        }
    }
}

/// The line for a position without legal moves.
pub fn no_moves(position: &Position) -> Info {
    let score = if position.in_check() { Score::mated_at(0) } else { Score::DRAW };
    Info { depth: Some(0), score: Some(score), ..Info::default() }
}

/// Expected wins, draws and losses in a thousand games: two logistic curves in the score.
fn wdl(score: Score) -> [i32; 3] {
    if let Some(moves) = score.mate_in() {
        return if moves > 0 { [1000, 0, 0] } else { [0, 0, 1000] };
    }
    let rate = |centipawns: i32| {
        (1000.0 / (1.0 + ((WIN_HALF - f64::from(centipawns)) / WIN_SLOPE).exp())).round() as i32
    };
    let (win, loss) = (rate(score.raw()), rate(-score.raw()));
    [win, 1000 - win - loss, loss]
}

/// The score at which half of the games are won, and how fast the share grows around it: fitted to 34,027
/// positions of 414 games at 40,000 nodes a move (docs/MEASUREMENTS.md).
const WIN_HALF: f64 = 143.0;
const WIN_SLOPE: f64 = 83.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_in_any_order() {
        let line =
            "info time 10 nodes 1000 score cp -35 lowerbound multipv 2 depth 7 seldepth 9 pv e7e5 g1f3";
        let info = Info::parse(line).unwrap();
        assert_eq!((info.depth, info.selective_depth, info.rank), (Some(7), Some(9), Some(2)));
        assert_eq!((info.score, info.bound), (Some(Score::cp(-35)), Some(Bound::Lower)));
        assert_eq!((info.nodes, info.time), (Some(1000), Some(Duration::from_millis(10))));
        assert!(!info.is_first_line());
    }

    #[test]
    fn our_own_lines_are_integers_and_read_as_they_were_written() {
        let line = Line {
            rank: 1,
            depth: 7,
            selective_depth: 12,
            score: Score::cp(35),
            bound: Bound::Lower,
            moves: vec![Position::default().parse_move("e2e4").unwrap()],
        };
        let effort = Effort { nodes: 1000, time: Duration::from_millis(10), hash_permille: 3, tb_hits: 4 };
        let m = line.moves[0];
        let text = |style: UciStyle, report: &Report| style.info(report).unwrap().to_string();
        let report = Report::Line(line, effort);
        assert_eq!(
            text(UciStyle::default(), &report),
            "info depth 7 seldepth 12 multipv 1 score cp 35 lowerbound nodes 1000 nps 100000 hashfull 3 tbhits 4 time 10 pv e2e4"
        );
        for report in [report, Report::CurrentMove { depth: 3, m, number: 2 }] {
            let style = UciStyle { wdl: true, ..UciStyle::default() };
            assert_eq!(Info::parse(&text(style, &report)), style.info(&report));
        }
    }

    #[test]
    fn mates_of_any_length_are_scores() {
        for moves in [1, 2, 50, -1, -7] {
            assert_eq!(mate(moves).mate_in(), Some(moves));
        }
        assert_eq!(mate(0), Score::mated_at(0));
        assert_eq!((mate(i32::MAX), mate(i32::MIN)), (Score::MAX_EVAL, -Score::MAX_EVAL));
    }

    #[test]
    fn text_and_nonsense_are_no_information() {
        for line in ["info string depth 5", "info", "bestmove e2e4", "", "info depth five score"] {
            assert_eq!(Info::parse(line), None, "{line}");
        }
    }

    #[test]
    fn answers_are_read() {
        let ponder = Some("e7e5".to_owned());
        assert_eq!(parse_best_move("bestmove e2e4 ponder e7e5"), Some(("e2e4".to_owned(), ponder)));
        assert_eq!(parse_best_move("bestmove"), Some((String::new(), None)));
        assert_eq!(parse_best_move("info depth 1"), None);
    }

    #[test]
    fn a_position_without_moves_is_mate_or_a_draw() {
        let text = |fen: &str| no_moves(&Position::from_fen(fen, false).unwrap()).to_string();
        assert_eq!(text("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"), "info depth 0 score mate 0");
        assert_eq!(text("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), "info depth 0 score cp 0");
    }

    #[test]
    fn expectations_add_up_to_a_thousand_and_follow_the_score() {
        let mut last = -1;
        for centipawns in (-2000..=2000).step_by(10) {
            let [win, draw, loss] = wdl(Score::cp(centipawns));
            assert_eq!(win + draw + loss, 1000);
            assert!(win >= last && draw >= 0);
            last = win;
        }
        assert_eq!(wdl(Score::mate_at(3)), [1000, 0, 0]);
        assert_eq!(wdl(Score::mated_at(4)), [0, 0, 1000]);
    }
}
