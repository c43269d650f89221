//! The moves of the root, ranked by what the tables say of them.

use std::collections::HashSet;

use shakmaty::Move;
use shakmaty_syzygy::Wdl;

use super::{ProbeRule, Syzygy};
use crate::board::{Game, Position};
use crate::score::Score;

/// Rank of a sure win, and of a sure loss below zero; further from zero than any number of plies.
const SURE: i32 = 10_000;

/// The last ply of the fifty-move rule, less the one by which tables may be off.
const LAST_PLY: i32 = 99;

/// A move of the root and what the tables say of it.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The move.
    pub m: Move,
    /// The higher the better; moves of the same rank keep the same outcome.
    pub rank: i32,
    /// Plies to the next capture or pawn move, this move included; negative for the side that loses.
    pub plies: i32,
    /// What it is worth.
    pub score: Score,
}

/// All moves of the root, the best first.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// Every legal move that the tables know, the best first.
    pub moves: Vec<Ranked>,
    /// DTZ tables were there: a move of the best rank makes progress.
    pub by_distance: bool,
}

impl Syzygy {
    /// Ranks the moves of the position, by distance or else by outcome; `None` if a table is missing.
    pub fn rank(&self, game: &Game, rule: &ProbeRule) -> Option<Ranking> {
        let position = game.position();
        if position.board().occupied().count() > rule.men.min(self.men()) || !Self::covers(position) {
            return None;
        }
        let repeated = has_repeated(game);
        let ranked = |find: fn(&Self, &Position, Move) -> Option<RootOutcome>| -> Option<Vec<Ranked>> {
            let judge = |&m: &Move| {
                let outcome =
                    if is_drawn_by(game, m) { RootOutcome::DRAWN } else { find(self, position, m)? };
                let (rank, score) = outcome.judge(rule.fifty_moves, repeated);
                Some(Ranked { m, rank, plies: outcome.plies, score })
            };
            position.legal_moves().iter().map(judge).collect()
        };
        let by_distance = ranked(Self::by_distance);
        let known = by_distance.is_some();
        let mut moves = by_distance.or_else(|| ranked(Self::by_outcome))?;
        moves.sort_by_key(|ranked| (std::cmp::Reverse(ranked.rank), ranked.plies));
        Some(Ranking { moves, by_distance: known })
    }

    /// What follows a move, from the DTZ tables.
    fn by_distance(&self, position: &Position, m: Move) -> Option<RootOutcome> {
        let child = position.play(m);
        if m.is_zeroing() || is_mate(&child) {
            return self.by_outcome(position, m);
        }
        let plies = -self.distance(&child)?.ignore_rounding().0;
        Some(RootOutcome { plies: plies + plies.signum(), clock: position.halfmoves().min(1000) as i32 })
    }

    /// What follows a move, from the WDL tables, as if it set the clock back.
    fn by_outcome(&self, position: &Position, m: Move) -> Option<RootOutcome> {
        let child = position.play(m);
        let outcome = if is_mate(&child) { Wdl::Loss } else { self.outcome(&child)? };
        let plies = match outcome {
            Wdl::Loss => 1,
            Wdl::BlessedLoss => LAST_PLY + 2,
            Wdl::Draw => 0,
            Wdl::CursedWin => -LAST_PLY - 2,
            Wdl::Win => -1,
        };
        Some(RootOutcome { plies, clock: 0 })
    }
}

/// How a game continues with best play after a move of the root, by the tables.
#[derive(Copy, Clone, Debug)]
struct RootOutcome {
    /// Plies to the next capture or pawn move; 0 for a draw, negative for a loss.
    plies: i32,
    /// Plies without one so far.
    clock: i32,
}

impl RootOutcome {
    const DRAWN: Self = Self { plies: 0, clock: 0 };

    /// Rank and value. All sure wins have the same rank, for the search to choose among, unless positions have been
    /// `repeated`: then the shortest is best. Of wins that the fifty-move rule endangers the shortest is best, too, of
    /// such losses the longest.
    fn judge(self, fifty_moves: bool, repeated: bool) -> (i32, Score) {
        let total = self.plies.abs() + self.clock;
        let in_time = !fifty_moves || total <= LAST_PLY;
        match self.plies {
            0 => (0, Score::DRAW),
            1.. if in_time => (if repeated { SURE - total } else { SURE }, Score::tb_win_at(1)),
            1.. => (SURE - total, Score::CURSED_WIN),
            // Far from the fifty moves, a loss is left to the search, which sets traps.
            _ if !fifty_moves || total - self.plies < LAST_PLY => (-SURE, Score::tb_loss_at(1)),
            _ => (total - SURE, if in_time { Score::tb_loss_at(1) } else { -Score::CURSED_WIN }),
        }
    }
}

fn is_mate(position: &Position) -> bool {
    position.in_check() && position.legal_moves().is_empty()
}

/// The move ends the game as a draw.
fn is_drawn_by(game: &Game, m: Move) -> bool {
    let mut game = game.clone();
    game.play(m);
    game.is_over() && !is_mate(game.position())
}

/// Some position since the last capture or pawn move has occurred before.
fn has_repeated(game: &Game) -> bool {
    let mut seen = HashSet::from([game.position().key()]);
    let before = game.earlier_keys().iter().rev().take(game.position().reversible());
    before.into_iter().any(|&key| !seen.insert(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(plies: i32, clock: i32) -> (i32, Score) {
        RootOutcome { plies, clock }.judge(true, false)
    }

    #[test]
    fn sure_wins_rank_alike_and_endangered_ones_by_their_length() {
        assert_eq!(judged(3, 0), judged(99, 0));
        assert_eq!(judged(3, 96), judged(99, 0));
        assert!(
            judged(4, 96).0 < judged(3, 96).0 && judged(5, 96).0 < judged(4, 96).0 && judged(5, 96).0 > 0
        );
        assert_eq!((judged(5, 96).1, judged(3, 96).1), (Score::cp(1), Score::tb_win_at(1)));
        assert_eq!(
            RootOutcome { plies: 150, clock: 20 }.judge(false, false),
            judged(1, 0),
            "without the rule"
        );
        let hurried = |plies| RootOutcome { plies, clock: 7 }.judge(true, true).0;
        assert!(hurried(3) > hurried(5) && hurried(5) > 0);
    }

    #[test]
    fn losses_rank_alike_until_the_fifty_moves_are_near() {
        assert_eq!(judged(-3, 0), judged(-40, 0));
        assert!(judged(-60, 30).0 > judged(-50, 30).0 && judged(-60, 30).0 < 0);
        assert_eq!((judged(-60, 30).1, judged(-75, 30).1), (Score::tb_loss_at(1), Score::cp(-1)));
        assert_eq!(
            RootOutcome { plies: -150, clock: 20 }.judge(false, false),
            judged(-1, 0),
            "without the rule"
        );
    }

    #[test]
    fn a_game_that_turns_in_circles_is_seen() {
        let mut game = Game::default();
        for text in ["g1f3", "g8f6", "f3g1"] {
            game.play(game.position().parse_move(text).unwrap());
        }
        assert!(!has_repeated(&game));
        game.play(game.position().parse_move("f6g8").unwrap());
        assert!(has_repeated(&game));
        game.play(game.position().parse_move("e2e4").unwrap());
        assert!(!has_repeated(&game));
    }
}
