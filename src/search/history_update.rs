//! What the histories learn from the end of a node, from the hash table, from re-searches and from static values.

use shakmaty::Move;

use super::alpha_beta::SearchedMoves;
use super::history::PieceTo;
use super::move_picker::is_noisy;
use super::node::{Frame, Node, Value};
use super::observer::Observer;
use super::transposition_table::TtEntry;
use super::{Searcher, ordering};
use crate::board::PackedMove;
use crate::depth::Depth;
use crate::score::Score;

/// Quiet moves below this depth that leave the opponent without a good reply teach nothing, outside of the principal
/// variation.
const FAIL_LOW_DEPTH: Depth = Depth::plies(5);
/// Centipawns per ply below alpha that count a fail-low twice.
const CLEAR_FAIL_LOW: i32 = 24;
/// Captures learn from re-searches a fraction of what quiet moves do.
const CAPTURE_SHARE: i32 = 6;

impl<O: Observer> Searcher<'_, O> {
    /// Points of history for a cut-off at this depth.
    fn bonus(&self, depth: Depth) -> i32 {
        self.rules.search.history_weight.bonus(depth, &self.rules.ordering)
    }

    /// A quiet move at `ply` was this much better or worse than expected.
    fn add_quiet(&mut self, node: &Node, m: Move, bonus: i32) {
        let side = node.position.turn();
        let attacked = self.frames[node.ply].attacks.all;
        self.thread_data.history.add_quiet(side, m.into(), attacked, bonus);
        self.add_continuation(node.ply, PieceTo::new(side, m), node.position.in_check(), bonus);
    }

    /// The same in the continuation histories only.
    fn add_continuation(&mut self, ply: usize, here: PieceTo, in_check: bool, bonus: i32) {
        let before = self.context(ply).before;
        // Out of check, what happened long before says little.
        let reach = if in_check && self.rules.ordering.kinds { 2 } else { 4 };
        self.thread_data.history.add_continuation(here, &before[..reach], bonus);
    }

    /// A node has found its best move: histories, killers and counter-move keep that.
    pub(super) fn learn_best_move(&mut self, node: &Node, best: Value, m: Move, searched: &SearchedMoves) {
        let ordering::Rule { surprise, refuted, .. } = self.rules.ordering;
        let (here, deeper) = (self.bonus(node.depth), self.bonus(node.depth + Depth::PLY));
        let quiet = !is_noisy(m);
        if quiet {
            let by = if best.score > node.window.beta + surprise { deeper } else { here };
            self.learn_quiets(node, m, searched, by);
            self.keep_refutation(node, m);
        }
        if self.rules.search.capture_history {
            self.learn_captures(node, m, searched, deeper);
        }
        if refuted && self.was_expected(node) {
            self.credit_last_move(node, -deeper);
        }
    }

    /// The move that led here was thought good: the first that was not known to be, or a killer.
    fn was_expected(&self, node: &Node) -> bool {
        let early = node.arrival.number == 1 + usize::from(node.arrival.from_known);
        early || node.ply > 0 && self.frames[node.ply - 1].killers[0] == self.last_move(node.ply)
    }

    fn learn_quiets(&mut self, node: &Node, m: Move, searched: &SearchedMoves, by: i32) {
        if !self.rules.search.history {
            return;
        }
        self.add_quiet(node, m, by);
        for &other in searched.iter().filter(|m| !is_noisy(**m)) {
            self.add_quiet(node, other, -by);
        }
    }

    /// Captures searched before the best move are lowered; the best move is raised if it is one.
    fn learn_captures(&mut self, node: &Node, m: Move, searched: &SearchedMoves, by: i32) {
        let side = node.position.turn();
        let history = &mut self.thread_data.history;
        if is_noisy(m) {
            history.add_capture(side, m, by);
        }
        for &other in searched.iter().filter(|m| is_noisy(**m)) {
            history.add_capture(side, other, -by);
        }
    }

    /// A quiet move cut: a killer, and the answer to the move before.
    fn keep_refutation(&mut self, node: &Node, m: Move) {
        if self.rules.search.killers {
            self.frames[node.ply].add_killer(m.into());
        }
        if self.rules.search.counter_moves && node.ply > 0 {
            self.thread_data.history.set_counter(self.frames[node.ply - 1].played, m);
        }
    }

    /// Credits the quiet move that led here in the continuation histories.
    fn credit_last_move(&mut self, node: &Node, bonus: i32) {
        let Some(ply) = node.ply.checked_sub(1) else { return };
        let frame = self.frames[ply];
        if frame.quiet && self.rules.search.continuation_history {
            self.add_continuation(ply, frame.piece_to, frame.in_check, bonus);
        }
    }

    /// No move of the node was good: the move that led here was.
    pub(super) fn learn_fail_low(&mut self, node: &Node, best: Score) {
        if !self.rules.ordering.fail_low || !(node.is_pv() || node.depth >= FAIL_LOW_DEPTH) {
            return;
        }
        let clear = best < node.window.alpha - CLEAR_FAIL_LOW * node.depth.whole();
        let twice = node.is_pv() || node.cut || clear;
        let bonus = self.bonus(node.depth);
        self.credit_last_move(node, if twice { 2 * bonus } else { bonus });
    }

    /// The reduced move of the node at `ply` was searched again to this depth.
    pub(super) fn learn_research(&mut self, ply: usize, depth: Depth, beat_alpha: bool) {
        if !self.rules.ordering.research || !self.rules.search.continuation_history {
            return;
        }
        let bonus = if beat_alpha { self.bonus(depth) } else { -self.bonus(depth) };
        let Frame { quiet, piece_to, in_check, .. } = self.frames[ply];
        self.add_continuation(ply, piece_to, in_check, if quiet { bonus } else { bonus / CAPTURE_SHARE });
    }

    /// The hash table ends the node, or would if the fifty-move rule were not near.
    pub(super) fn learn_hash_cutoff(&mut self, node: &Node, entry: &TtEntry) {
        if !self.rules.ordering.hash_cutoffs || entry.best == PackedMove::NONE {
            return;
        }
        let fails_high = entry.score(node.ply) >= node.window.beta;
        if let Some(m) = node.position.unpack(entry.best).filter(|m| !is_noisy(*m)) {
            self.note_attacks(node.position, node.ply);
            let bonus = self.bonus(node.depth);
            self.add_quiet(node, m, if fails_high { bonus } else { -bonus });
            if fails_high {
                self.keep_refutation(node, m);
            }
        }
        if fails_high && (1..=2).contains(&node.arrival.number) {
            self.credit_last_move(node, -self.bonus(node.depth + Depth::PLY));
        }
    }

    /// The static value here, after a quiet move, is not what it was before it: the move gains or loses by that.
    pub(super) fn learn_swing(&mut self, node: &Node) {
        let ordering::Rule { swing, swing_most, .. } = self.rules.ordering;
        let Some(ply) = node.ply.checked_sub(1).filter(|_| swing > 0 && self.rules.search.history) else {
            return;
        };
        let (before, here) = (self.frames[ply], self.frames[node.ply].eval);
        if !before.quiet || before.eval == Score::NONE || here == Score::NONE {
            return;
        }
        // Values of both sides to move: equal and opposite if nothing changed.
        let gain = -swing * (before.eval.raw() + here.raw());
        let bonus = gain.clamp(-swing_most, swing_most);
        self.thread_data.history.add_quiet(!node.position.turn(), before.played, before.attacks.all, bonus);
    }
}
