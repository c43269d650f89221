//! What an engine says while it thinks: lines of `info`, read.

use std::str::SplitWhitespace;
use std::time::Duration;

use crate::score::{Bound, MAX_PLY, Score};

/// One line of `info`; what it did not say is `None` or empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info {
    /// The iteration.
    pub depth: Option<i32>,
    /// The deepest ply looked at.
    pub selective_depth: Option<i32>,
    /// Which line of several, from 1.
    pub rank: Option<usize>,
    /// Value for the side to move.
    pub score: Option<Score>,
    /// What the value says.
    pub bound: Option<Bound>,
    /// Nodes since `go`.
    pub nodes: Option<u64>,
    /// Time since `go`, by the engine's own clock.
    pub time: Option<Duration>,
    /// The variation, in UCI notation.
    pub moves: Vec<String>,
}

impl Info {
    /// Reads a line of output; `None` if it is no `info`, or one that is only text.
    ///
    /// ```
    /// use espalier::lab::info::Info;
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
                "time" => info.time = number(&mut words).map(Duration::from_millis),
                "score" => (info.score, info.bound) = score(&mut words),
                "lowerbound" => info.bound = Some(Bound::Lower),
                "upperbound" => info.bound = Some(Bound::Upper),
                "pv" => info.moves = words.by_ref().map(str::to_owned).collect(),
                "string" => break,
                _ => {}
            }
        }
        (info != Self::default()).then_some(info)
    }

    /// A variation that is the engine's first choice.
    pub fn is_first_line(&self) -> bool {
        self.rank.unwrap_or(1) == 1 && !self.moves.is_empty()
    }
}

fn number<N: std::str::FromStr>(words: &mut SplitWhitespace<'_>) -> Option<N> {
    words.next()?.parse().ok()
}

fn score(words: &mut SplitWhitespace<'_>) -> (Option<Score>, Option<Bound>) {
    let score = match words.next() {
        Some("cp") => number(words).map(|value: i32| Score::cp(value).clamp_eval()),
        Some("mate") => number(words).map(mate),
        _ => None,
    };
    (score, score.map(|_| Bound::Exact))
}

/// A mate in so many moves; negative for the side that is mated. Mates beyond what a score can express are
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
}
