//! From reports to text.

use std::fmt::Write;

use shakmaty::Move;

use crate::board::{Position, uci_text};
use crate::score::{Bound, Score};
use crate::search::{Effort, Line, Outcome, Share};

/// How to write.
#[derive(Copy, Clone, Debug, Default)]
pub struct UciStyle {
    /// Castling is king-takes-rook.
    pub chess960: bool,
    /// Add win/draw/loss.
    pub wdl: bool,
}

impl UciStyle {
    /// A line of the search as `info`.
    pub fn line(&self, line: &Line, effort: &Effort) -> String {
        let mut text = format!(
            "info depth {} seldepth {} multipv {} score {}",
            line.depth, line.selective_depth, line.rank, line.score
        );
        match line.bound {
            Bound::Exact => {}
            Bound::Lower => text.push_str(" lowerbound"),
            Bound::Upper => text.push_str(" upperbound"),
        }
        if self.wdl {
            let [win, draw, loss] = wdl(line.score);
            let _ = write!(text, " wdl {win} {draw} {loss}");
        }
        let _ = write!(
            text,
            " nodes {} nps {} hashfull {} tbhits {} time {} pv",
            effort.nodes,
            effort.nps(),
            effort.hash_permille,
            effort.tb_hits,
            effort.time.as_millis()
        );
        for &m in &line.moves {
            let _ = write!(text, " {}", self.m(m));
        }
        text
    }

    /// A move.
    pub fn m(&self, m: Move) -> String {
        uci_text(m, self.chess960)
    }

    /// The move a long search has come to.
    pub fn current_move(&self, depth: i32, m: Move, number: usize) -> String {
        format!("info depth {depth} currmove {} currmovenumber {number}", self.m(m))
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

/// What there is to say about a position without legal moves.
pub fn no_moves(position: &Position) -> &'static str {
    if position.in_check() { "info depth 0 score mate 0" } else { "info depth 0 score cp 0" }
}

/// A method's share of a search.
pub fn share(share: &Share) -> String {
    format!(
        "info string method {:?} attempts {} successes {} ({:.1} %) nodes {} ({:.1} %)",
        share.method,
        share.attempts,
        share.successes,
        100.0 * share.success_rate,
        share.nodes,
        100.0 * share.node_share
    )
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

/// The score at which half of the games are won, and how fast the share grows around it: fitted to 37,538
/// positions of 1,000 games of the engine against itself at 0.5 s + 0.01 s.
const WIN_HALF: f64 = 100.0;
const WIN_SLOPE: f64 = 105.0;

/// The board as people like to see it, with what identifies the position.
pub fn board(position: &Position) -> String {
    let mut text = String::from("\n +---+---+---+---+---+---+---+---+\n");
    for rank in shakmaty::Rank::ALL.into_iter().rev() {
        for file in shakmaty::File::ALL {
            let piece = position.board().piece_at(shakmaty::Square::from_coords(file, rank));
            let _ = write!(text, " | {}", piece.map_or(' ', |piece| piece.char()));
        }
        let _ = writeln!(text, " | {}\n +---+---+---+---+---+---+---+---+", rank.char());
    }
    text.push_str("   a   b   c   d   e   f   g   h\n\n");
    let checkers: Vec<String> = position.checkers().into_iter().map(|square| square.to_string()).collect();
    let _ = write!(
        text,
        "Fen: {}\nKey: {:016X}\nCheckers: {}",
        position.fen(),
        position.key(),
        checkers.join(" ")
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_line_is_written_with_integers_only() {
        let line = Line {
            rank: 1,
            depth: 7,
            selective_depth: 12,
            score: Score::cp(35),
            bound: Bound::Lower,
            moves: vec![Position::default().parse_move("e2e4").unwrap()],
        };
        let effort = Effort { nodes: 1000, time: Duration::from_millis(10), hash_permille: 3, tb_hits: 4 };
        assert_eq!(
            UciStyle::default().line(&line, &effort),
            "info depth 7 seldepth 12 multipv 1 score cp 35 lowerbound nodes 1000 nps 100000 hashfull 3 tbhits 4 time 10 pv e2e4"
        );
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
