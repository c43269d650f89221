//! The static value of a node: evaluated, read from the hash table, corrected.

use super::Searcher;
use super::correction_history::corrected;
use super::event::Event;
use super::history::PieceTo;
use super::node::{Node, Value};
use super::observer::Observer;
use super::transposition_table::TtEntry;
use crate::board::{PackedMove, Position};
use crate::depth::Depth;
use crate::random::GOLDEN_RATIO;
use crate::score::{Bound, Score};

/// The depth of an entry that holds a static value alone: less than any search.
pub(super) const STATIC_DEPTH: Depth = Depth::plies(-6);

impl<O: Observer> Searcher<'_, O> {
    /// The static value of the position at `ply`, for the side to move.
    pub(super) fn evaluate(&mut self, position: &Position, ply: usize) -> Score {
        let value = self.thread_data.evaluator.value(position, ply);
        match self.rules.noise {
            0 => value,
            // A weakened engine misjudges every position by an amount of its own.
            noise => {
                let hash = position.key().wrapping_mul(GOLDEN_RATIO) >> 33;
                (value + (hash % (2 * noise as u64 + 1)) as i32 - noise).clamp_eval()
            }
        }
    }

    /// The static value, from the hash table if it is there; [`Score::NONE`] in check.
    pub(super) fn raw_eval(&mut self, position: &Position, entry: &Option<TtEntry>, ply: usize) -> Score {
        match entry {
            _ if position.in_check() => Score::NONE,
            Some(entry) if entry.eval() != Score::NONE => entry.eval(),
            _ => self.evaluate(position, ply),
        }
    }

    /// The static value with its correction.
    #[inline]
    pub(super) fn corrected(&self, position: &Position, value: Score, ply: usize) -> Score {
        if self.rules.search.correction_history && value != Score::NONE {
            corrected(
                value,
                self.thread_data.correction.of(position, self.path(ply), self.rules.search.correction_most),
            )
        } else {
            value
        }
    }

    /// A key of the last two moves, if corrections use them and both are known.
    #[inline]
    fn path(&self, ply: usize) -> Option<u64> {
        if !self.rules.search.correction_moves || ply < 2 {
            return None;
        }
        let [last, before] = [1, 2].map(|plies| self.piece_to(ply, plies).index());
        let moves = (last * (PieceTo::COUNT + 1) + before) as u64;
        // The high bits of the product depend on all bits of the factors.
        Some(moves.wrapping_mul(GOLDEN_RATIO) >> 32)
    }

    /// Sets the static value of a node, and whether it is improving.
    pub(super) fn evaluate_node(&mut self, node: &Node) {
        let Node { position, ply, .. } = *node;
        let raw = self.raw_eval(position, &node.entry, ply);
        let eval = self.corrected(position, raw, ply);
        let earlier = |plies: usize| {
            let frame = self.frames.get(ply.wrapping_sub(plies));
            frame.map(|frame| frame.eval).filter(|value| *value != Score::NONE)
        };
        let improvement = match earlier(2).or(earlier(4)) {
            _ if eval == Score::NONE => 0,
            Some(before) => eval - before,
            None => self.rules.search.unknown_improvement,
        };
        let frame = &mut self.frames[ply];
        (frame.raw_eval, frame.eval) = (raw, eval);
        (frame.improvement, frame.improving) = (improvement, improvement > 0);
        if self.rules.search.hash_static && node.entry.is_none() && raw != Score::NONE {
            self.store_static(node, raw);
        }
    }

    /// Stores the static value of a position that the hash table does not know.
    fn store_static(&mut self, node: &Node, raw: Score) {
        if self.rules.search.hash.is_used() {
            let entry = TtEntry {
                best: PackedMove::NONE,
                second: PackedMove::NONE,
                score: 0,
                eval: raw.raw() as i16,
                depth: STATIC_DEPTH,
                bound: None,
                was_pv: node.was_pv,
            };
            self.job.tt.store(node.position.key(), entry);
        }
    }

    /// Sets the static value of a minimal-window node deep enough for a method that asks for it.
    #[inline(always)]
    pub(super) fn evaluate_if_asked(&mut self, node: &Node) {
        if node.depth >= self.rules.eval_from {
            self.evaluate_node(node);
        } else {
            self.clear_eval(node.ply);
        }
        self.tell(Event::Evaluated { value: self.frames[node.ply].eval, cut: Some(node.cut) });
        self.frames[node.ply].threat = false;
    }

    /// Marks the static value of a node as unknown, where no method asks for it.
    pub(super) fn clear_eval(&mut self, ply: usize) {
        let frame = &mut self.frames[ply];
        (frame.raw_eval, frame.eval) = (Score::NONE, Score::NONE);
        (frame.improvement, frame.improving) = (0, false);
    }

    /// The static value, or the score in the hash table where that is a better bound.
    pub(super) fn adjusted_eval(&self, node: &Node) -> Score {
        let eval = self.frames[node.ply].eval;
        match node.entry.filter(|_| self.rules.search.hash_eval && eval != Score::NONE) {
            Some(entry) => entry.improves_on(eval, node.ply),
            None => eval,
        }
    }

    /// Updates the correction history with how far the static value was off.
    pub(super) fn update_correction(&mut self, node: &Node, best: Value) {
        let eval = self.frames[node.ply].eval;
        let says_nothing = match Bound::of(best.score, node.window) {
            Bound::Lower => best.score <= eval,
            Bound::Upper => best.score >= eval,
            Bound::Exact => false,
        };
        let certain = self.rules.selective.uncertainty.accepts(best.doubt);
        if eval != Score::NONE && certain && !best.score.is_decided() && !says_nothing {
            let path = self.path(node.ply);
            self.thread_data.correction.update(node.position, path, best.score - eval, node.depth);
        }
    }
}
