//! Nodes that end at once: mate, stalemate, repetition, fifty moves, and mate-distance pruning.

use super::event::End;
use super::observer::Observer;
use super::transposition_table::TtEntry;
use super::{Searcher, Stopped};
use crate::board::Position;
use crate::score::{Bound, MAX_PLY, Score, Window};

impl<O: Observer> Searcher<'_, O> {
    /// The value of a game that ends here by repetition, the fifty-move rule, for lack of material, or
    /// because the path is as long as paths may be.
    #[inline]
    pub(super) fn game_end(&mut self, position: &Position, ply: usize) -> Option<Score> {
        if self.repeats(position, ply) || position.is_dead() {
            return Some(Score::DRAW);
        }
        if position.halfmoves() >= 100 {
            let mated = position.in_check() && position.legal_moves().is_empty();
            return Some(if mated { Score::mated_at(ply) } else { Score::DRAW });
        }
        (ply >= MAX_PLY).then(|| self.evaluate(position))
    }

    /// Leaves a node where the game is over.
    #[inline(always)]
    pub(super) fn leave_game_over(
        &mut self,
        score: Score,
        position: &Position,
        ply: usize,
    ) -> Result<Score, Stopped> {
        let end = if O::TREE { self.game_end_reason(position, ply) } else { End::Repetition };
        self.leave(score, end)
    }

    /// Which of the reasons of [`game_end`](Self::game_end) holds.
    #[cold]
    fn game_end_reason(&self, position: &Position, ply: usize) -> End {
        if self.repeats(position, ply) {
            End::Repetition
        } else if position.is_dead() {
            End::DeadPosition
        } else if position.halfmoves() >= 100 {
            let mated = position.in_check() && position.legal_moves().is_empty();
            if mated { End::Checkmate } else { End::FiftyMoves }
        } else {
            End::PathLimit
        }
    }

    /// The position stood on the board once below the root, or twice at all.
    #[inline]
    fn repeats(&self, position: &Position, ply: usize) -> bool {
        let here = self.job.game.earlier_keys().len() + ply;
        let mut seen = 0;
        for back in (4..=position.reversible().min(here)).step_by(2) {
            if self.keys[here - back] == position.key() {
                seen += 1;
                if back < ply || seen == 2 {
                    return true;
                }
            }
        }
        false
    }
}

/// Mate-distance pruning: the best mate left is no better than alpha, or the worst no worse than beta.
pub(super) fn mate_distance(window: Window, ply: usize) -> Option<Score> {
    let (worst, best) = (Score::mated_at(ply), Score::mate_at(ply + 1));
    if best <= window.alpha {
        Some(best)
    } else if worst >= window.beta {
        Some(worst)
    } else {
        None
    }
}

/// Whether a cut-off is expected, corrected by a hash entry that is too shallow to cut.
pub(super) fn corrected_cut_guess(cut: bool, entry: &TtEntry, beta: Score, ply: usize) -> bool {
    match entry.bound {
        Some(Bound::Lower | Bound::Exact) if entry.score(ply) >= beta => true,
        Some(Bound::Upper | Bound::Exact) if entry.score(ply) < beta => false,
        _ => cut,
    }
}

/// The value of a node without legal moves.
pub(super) fn no_moves(position: &Position, ply: usize) -> Score {
    if position.in_check() { Score::mated_at(ply) } else { Score::DRAW }
}
