//! Nodes that end at once: mate, stalemate, repetition, fifty moves, and mate-distance pruning.

use super::Searcher;
use super::event::End;
use super::node::Ending;
use super::observer::Observer;
use crate::board::Position;
use crate::score::{MAX_PLY, Score, Window};

impl<O: Observer> Searcher<'_, O> {
    /// The game ends here by repetition, the fifty-move rule or for lack of material, or the path is as long as
    /// paths may be.
    #[inline]
    pub(super) fn game_end(&mut self, position: &Position, ply: usize) -> Option<Ending> {
        if self.repeats(position, ply) {
            return Some(Ending::new(self.draw_value(ply), End::Repetition));
        }
        if position.is_dead() {
            return Some(Ending::new(self.draw_value(ply), End::DeadPosition));
        }
        if position.halfmoves() >= 100 {
            // Mate comes before the fifty-move rule.
            let mated = position.in_check() && position.legal_moves().is_empty();
            let drawn = Ending::new(self.draw_value(ply), End::FiftyMoves);
            return Some(if mated { self.no_moves(position, ply) } else { drawn });
        }
        (ply >= MAX_PLY).then(|| Ending::new(self.evaluate(position, ply), End::PathLimit))
    }

    /// What a draw is worth to the side to move: with contempt, less to the side that moves at the root.
    #[inline]
    pub(super) fn draw_value(&self, ply: usize) -> Score {
        let contempt = self.rules.contempt;
        Score::DRAW + if ply.is_multiple_of(2) { -contempt } else { contempt }
    }

    /// A node without legal moves: mate or stalemate.
    pub(super) fn no_moves(&self, position: &Position, ply: usize) -> Ending {
        if position.in_check() {
            Ending::new(Score::mated_at(ply), End::Checkmate)
        } else {
            Ending::new(self.draw_value(ply), End::Stalemate)
        }
    }

    /// The position stood on the board once below the root, or twice at all.
    #[inline]
    fn repeats(&self, position: &Position, ply: usize) -> bool {
        let here = self.job.game.earlier_keys().len() + ply;
        let (mut back, mut seen) = (4, 0);
        while back <= position.reversible().min(here) {
            if self.keys[here - back] == position.key() {
                seen += 1;
                if back < ply || seen == 2 {
                    return true;
                }
            }
            back += 2;
        }
        false
    }
}

/// Mate-distance pruning: the best mate left is no better than alpha, or the worst no worse than beta.
#[inline]
pub(super) fn mate_distance(window: Window, ply: usize) -> Option<Ending> {
    let (worst, best) = (Score::mated_at(ply), Score::mate_at(ply + 1));
    if best <= window.alpha {
        Some(Ending::new(best, End::MateDistance))
    } else if worst >= window.beta {
        Some(Ending::new(worst, End::MateDistance))
    } else {
        None
    }
}
