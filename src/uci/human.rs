//! The readable form of a search for a terminal, in place of `info` lines.

use std::time::Duration;

use shakmaty::Move;

use crate::board::Position;
use crate::board::san::san;
use crate::score::{Bound, Score};
use crate::search::{Effort, Line, Outcome};

/// The heading, for a terminal of this width.
pub(super) fn heading(width: usize) -> &'static str {
    const WHOLE: &str = "depth   score      time     nodes  moves (score for the side to move, in pawns)";
    if WHOLE.len() <= width { WHOLE } else { "depth   score      time     nodes  moves" }
}

/// A variation of this position, cut to a terminal of this width.
pub(super) fn line(position: &Position, line: &Line, effort: &Effort, width: usize) -> String {
    let bound = match line.bound {
        Bound::Exact => "",
        Bound::Lower => "≥",
        Bound::Upper => "≤",
    };
    let score = format!("{bound}{}", pawns(line.score));
    let (time, nodes) = (seconds(effort.time), short(effort.nodes));
    let mut text = format!("{:>5} {score:>7} {time:>9} {nodes:>9} ", line.depth);
    let mut position = position.clone();
    for &m in &line.moves {
        let word = format!(" {}", san(&position, m));
        if text.chars().count() + word.chars().count() > width {
            break;
        }
        text.push_str(&word);
        position = position.play(m);
    }
    text
}

/// What a person was shown last of each line of a search, by rank.
#[derive(Default)]
pub(super) struct ShownLines(Vec<ShownLine>);

/// What makes a line worth showing. A mate has no depth here: deeper iterations only confirm it.
#[derive(PartialEq)]
struct ShownLine {
    depth: Option<i32>,
    score: Score,
    bound: Bound,
    moves: Vec<Move>,
}

impl ShownLines {
    /// Remembers the line. False if only time and nodes have changed since its rank was shown last.
    pub(super) fn is_news(&mut self, line: &Line) -> bool {
        let Line { rank, score, bound, ref moves, .. } = *line;
        let depth = score.mate_in().is_none().then_some(line.depth);
        let new = ShownLine { depth, score, bound, moves: moves.clone() };
        match self.0.get_mut(rank.saturating_sub(1)) {
            Some(shown) if *shown == new => return false,
            Some(shown) => *shown = new,
            None => self.0.push(new),
        }
        true
    }
}

/// The line with the best move.
pub(super) fn best_move(position: &Position, outcome: &Outcome) -> String {
    let Some(best) = outcome.best_move() else { return "no legal move".to_owned() };
    let reply = outcome.ponder_move().map(|reply| san(&position.play(best), reply));
    let reply = reply.map_or(String::new(), |reply| format!(", expecting {reply}"));
    format!("best move {}{reply}", san(position, best))
}

/// `+0.35`, `mate 3` or `-mate 3`.
fn pawns(score: Score) -> String {
    match score.mate_in() {
        Some(moves) if score > Score::DRAW => format!("mate {moves}"),
        Some(moves) => format!("-mate {}", moves.abs()),
        None => format!("{:+.2}", f64::from(score.raw()) / 100.0),
    }
}

fn seconds(time: Duration) -> String {
    match time.as_secs() {
        0..60 => format!("{:.2} s", time.as_secs_f64()),
        seconds => format!("{}:{:02} min", seconds / 60, seconds % 60),
    }
}

/// A number with at most four digits, in thousands or millions if necessary.
fn short(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..10_000_000 => format!("{} k", number / 1_000),
        _ => format!("{} M", number / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Game, Limits};

    #[test]
    fn a_search_is_told_in_pawns_seconds_and_standard_notation() {
        let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/R3R1K1 w - - 0 1", false).unwrap();
        let mut engine = Engine::default();
        engine.set_game(Game::new(position.clone()));
        let outcome = engine.search(Limits::depth(4));
        let text = line(&position, &outcome.lines[0], &outcome.effort, 80);
        assert!(text.contains(" mate 1 ") && text.trim_end().ends_with('#'), "{text}");
        assert!(best_move(&position, &outcome).ends_with('#'));
    }

    #[test]
    fn a_line_is_shown_again_only_if_it_says_something_new() {
        let m = Position::default().parse_move("e2e4").unwrap();
        let line = |rank, depth, score| Line { rank, depth, score, ..Line::untested(m, score) };
        let mut shown = ShownLines::default();
        let mut news = |rank, depth, score| shown.is_news(&line(rank, depth, Score::cp(score)));
        // Two lines, told again at the end of the search.
        assert!(news(1, 5, 30) && news(2, 5, 10));
        assert!(!news(1, 5, 30) && !news(2, 5, 10));
        assert!(news(1, 6, 30) && news(2, 6, 10) && news(2, 6, 20));
        let mate = Score::mate_at(5);
        assert!(shown.is_news(&line(1, 7, mate)) && !shown.is_news(&line(1, 8, mate)));
    }

    #[test]
    fn lines_end_between_moves_and_numbers_stay_short() {
        let position = Position::default();
        let m = position.parse_move("e2e4").unwrap();
        let long = Line { bound: Bound::Lower, ..Line::untested(m, Score::cp(35)) };
        let effort = Effort { nodes: 12_345_678, time: Duration::from_secs(75), ..Effort::default() };
        let text = line(&position, &long, &effort, 80);
        assert!(text.contains("≥+0.35") && text.contains("1:15 min") && text.ends_with("12 M  e4"), "{text}");
        assert!([80, 60].iter().all(|&width| heading(width).len() <= width));
        let no_room = line(&position, &long, &effort, 30);
        assert!(no_room.ends_with("12 M "), "{no_room}");
        assert_eq!([9_999, 10_000, 10_000_000].map(short), ["9999", "10 k", "10 M"]);
    }
}
