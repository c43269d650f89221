//! The two routines of the search.
//!
//! Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, algorithms 5 and 6.
//! [`pvs`](Searcher::pvs) walks the expected principal variation; [`mws`](Searcher::mws) asks one question
//! with a minimal window and is the only place where selective methods cut. Both are fail-soft.

use arrayvec::ArrayVec;
use shakmaty::Move;

use super::event::{End, NodeKind, Purpose};
use super::move_depth::SingularExtension;
use super::move_picker::{Picker, is_noisy};
use super::move_pruning::MovePruner;
use super::node::{Node, Value};
use super::observer::{CutNode, Observer};
use super::terminal::{corrected_cut_guess, mate_distance, no_moves};
use super::{Algorithm, Searcher, Stopped};
use crate::board::PackedMove;
use crate::depth::Depth;
use crate::score::Score;
use crate::selective::null_move::NullMoveVerdict;
use crate::selective::{Facts, Id};

/// Moves searched that were not the best.
pub(super) type SearchedMoves = ArrayVec<Move, 256>;

impl<O: Observer> Searcher<'_, O> {
    /// Searches an expected pv-node: the first move with the whole window, the others with a minimal one
    /// and again with the whole window if they prove better. No method cuts here.
    ///
    /// The thesis opens the second search at the value `v` of the first; ours opens at the bound, so that
    /// a value of exactly `v` still yields its variation. The value is the same.
    pub(super) fn pvs(&mut self, mut node: Node) -> Result<Score, Stopped> {
        let Node { position, window, depth, ply, .. } = node;
        self.variations.clear(ply);
        self.observer.visited(ply);
        if depth.is_horizon() {
            return self.horizon(position, window, ply);
        }

        // 1. Count the node, stop if told to, and recognise the end of the game.
        self.enter(position, ply)?;
        self.tell_entered(NodeKind::Pv, window, depth, ply, None);
        if let Some(score) = self.game_end(position, ply) {
            return self.leave_game_over(score, position, ply);
        }

        // 2. Mate distance: a faster mate, for either side, has been found already.
        if let Some(score) = mate_distance(window, ply) {
            return self.leave(score, End::MateDistance);
        }

        // 3. Hash table: for its move. Its value cuts only where every node is of this kind.
        node.entry = self.probe(position);
        if self.rules.search.algorithm == Algorithm::AlphaBeta
            && let Some(score) = self.tt_cutoff(&node.entry, position, window, depth, ply)
        {
            return self.leave(score, End::Hash);
        }
        // Endgame tables: with few men the value is known.
        if let Some(score) = self.probe_syzygy(position, depth, ply) {
            return self.leave(score, End::Tablebase);
        }

        // 4. Internal iterative deepening: no first move is known, so find one.
        if node.entry.is_none_or(|entry| entry.best == PackedMove::NONE)
            && depth >= self.rules.internal_deepening
        {
            self.observer.asks(Purpose::InternalDeepening);
            self.pvs(Node { depth: depth - Depth::plies(2), ..node })?;
            node.entry = self.probe(position);
        }
        self.evaluate_node(position, &node.entry, ply);
        self.observer.evaluated(self.frames[ply].eval, None);
        self.frames[ply].threat = false;

        // 5. Still no move known: search shallower. All others much worse than the one that is: deeper.
        self.internal_iterative_reduction(&mut node);
        let mut extension = SingularExtension::NONE;
        if !self.rules.full_width && depth >= self.rules.selective.singular.min_depth {
            let facts = self.facts(&node);
            self.singular(&node, &facts, &mut extension)?;
        }

        // 6. The moves.
        self.note_attacks(position, ply);
        let mut picker = self.picker(&node);
        let mut move_loop = self.move_loop(&node);
        let mut best_move = None;
        let mut searched = SearchedMoves::new();
        self.variations.clear(ply);
        while let Some((m, stage)) = picker.next(position, &self.thread_data.history) {
            if self.out_of_width(&node, &move_loop) {
                break;
            }
            let after = self.play(position, m, ply);
            let mut child = Node { pv_beta: Some(window.beta), ..node.child(&after) };
            child.window.beta = -window.alpha.max(move_loop.best);
            let move_depth = self.move_depth::<true>(&node, &mut move_loop, (m, stage), &mut child);
            let move_depth = self.extend(move_depth, m, &extension, &mut child);
            let value = self.pv_child(child, move_depth, move_loop.searched == 0)?;
            let best = move_loop.record(value);
            self.observer.searched(ply, best);
            if best {
                if value > window.alpha {
                    // The best move so far has failed after all.
                    searched.extend(best_move);
                    best_move = Some(m);
                    move_loop.pruning = false;
                    self.variations.set(ply, m);
                }
                if value >= window.beta {
                    break;
                }
            }
            if best_move != Some(m) {
                searched.push(m);
            }
        }

        // 7. No legal move: mate or stalemate.
        if move_loop.searched == 0 {
            return self.leave(no_moves(position, ply), End::Checkmate);
        }
        self.observer.node_done(ply);
        self.store(&node, move_loop.best.into(), best_move, &searched);
        self.leave(move_loop.best, End::AllMoves)
    }

    /// Asks whether the value is at least beta. The node's `cut` says that the answer is expected to be yes.
    pub(super) fn mws(&mut self, mut node: Node) -> Result<Value, Stopped> {
        let Node { position, window, depth, ply, cut, excluded, .. } = node;
        self.observer.visited(ply);
        if depth.is_horizon() {
            return Ok(self.horizon(position, window, ply)?.into());
        }

        // 1. Count the node, stop if told to, and recognise the end of the game.
        self.enter(position, ply)?;
        self.tell_entered(NodeKind::Minimal, window, depth, ply, Some(cut));
        if let Some(score) = self.game_end(position, ply) {
            return Ok(self.leave_game_over(score, position, ply)?.into());
        }

        // 2. Mate distance.
        if let Some(score) = mate_distance(window, ply) {
            return self.leave(score.into(), End::MateDistance);
        }

        // 3. Hash table: a value as deep as this one answers the question, any other corrects the guess.
        // Without its best move the node is another one, about which the table knows nothing.
        node.entry = if excluded == PackedMove::NONE { self.probe(position) } else { None };
        if let Some(score) = self.tt_cutoff(&node.entry, position, window, depth, ply) {
            return self.leave(score.into(), End::Hash);
        }
        // Endgame tables.
        if excluded == PackedMove::NONE
            && let Some(score) = self.probe_syzygy(position, depth, ply)
        {
            return self.leave(score.into(), End::Tablebase);
        }
        node.cut = node.entry.map_or(cut, |entry| corrected_cut_guess(cut, &entry, window.beta, ply));

        if self.rules.full_width {
            self.clear_eval(ply);
            self.observer.evaluated(Score::NONE, Some(node.cut));
            let value = self.mws_moves::<false>(&node, MovePruner::OFF, SingularExtension::NONE)?;
            return self.leave(value, End::AllMoves);
        }

        // 4. Static value, if a method may ask for it.
        if depth >= self.rules.eval_from {
            self.evaluate_node(position, &node.entry, ply);
        } else {
            self.clear_eval(ply);
        }
        self.observer.evaluated(self.frames[ply].eval, Some(node.cut));
        self.frames[ply].threat = false;
        let mut facts = self.facts(&node);
        if facts.excluding {
            let value = self.mws_moves::<true>(&node, self.move_pruner(&facts), SingularExtension::NONE)?;
            return self.leave(value, End::AllMoves);
        }

        // 5. The move that led here was reduced: with the static value known, perhaps too much or too little.
        self.hindsight(&mut node, &mut facts);

        // 6. Reverse futility: so far above beta that nothing can spoil it.
        if let Some(score) = self.rules.selective.reverse_futility.cut(&facts) {
            self.observer.act(Id::ReverseFutility);
            return self.leave(score.into(), End::ReverseFutility);
        }

        // 7. Razoring: far below alpha and near the horizon, captures alone or a ply less will do.
        if let Some(value) = self.razoring(&node, &facts)? {
            return self.leave(value, End::Razoring);
        }
        if let Some(shallower) = self.rules.selective.futility.razored(&facts) {
            self.observer.act(Id::Futility);
            self.observer.razored();
            (node.depth, facts.depth) = (shallower, shallower);
        }

        // 8. Null move.
        match self.null_move(&node, &facts)? {
            Some((NullMoveVerdict::Cut(score), uncertain)) => {
                return self.leave(Value { score, uncertain }, End::NullMove);
            }
            Some((verdict, _)) => {
                let asked = node.verification(verdict);
                let pruner = self.move_pruner(&Facts { depth: asked.depth, ..facts });
                self.observer.verifies(true);
                let value = self.mws_moves::<true>(&asked, pruner, SingularExtension::NONE)?;
                self.observer.verifies(false);
                if value.score >= window.beta {
                    return self.leave(value, End::NullMoveVerified);
                }
            }
            None => {}
        }

        // 9. No move is known: a ply less will do until one is.
        if self.internal_iterative_reduction(&mut node) {
            facts.depth = node.depth;
        }

        // 10. ProbCut: a shallow search predicts the deep one; a capture may do the same.
        if let Some(value) = self.prob_cut(&node, &facts)? {
            return self.leave(value, End::ProbCut);
        }
        if let Some(value) = self.capture_prob_cut(&node, &facts)? {
            return self.leave(value, End::CaptureCut);
        }

        // 11. Multi-cut: several good moves make a fail-low unlikely; a single one may be singular.
        let mut extension = SingularExtension::NONE;
        if let Some(value) = self.multi_cut(&mut node, &facts, &mut extension)? {
            return self.leave(value, End::MultiCut);
        }

        // 12. Singular extension: all other moves are much worse than the hash move, or another cuts too.
        if let Some(value) = self.singular(&node, &facts, &mut extension)? {
            return self.leave(value, End::SingularCut);
        }

        // 13. The moves.
        let value = self.mws_moves::<true>(&node, self.move_pruner(&facts), extension)?;
        self.leave(value, End::AllMoves)
    }

    /// The moves of a minimal-window node; one of them may be searched deeper. With every method off the
    /// compiler leaves out what they would do.
    fn mws_moves<const SELECTIVE: bool>(
        &mut self,
        node: &Node,
        mut pruner: MovePruner,
        extension: SingularExtension,
    ) -> Result<Value, Stopped> {
        let Node { position, window, depth, ply, .. } = *node;
        let excluded = if SELECTIVE { node.excluded } else { PackedMove::NONE };
        self.note_attacks(position, ply);
        let mut picker =
            if SELECTIVE { self.picker(node) } else { Picker::new(self.hints(&node.entry, node.ply)) };
        let mut move_loop = self.move_loop(node);
        let (mut best_move, mut uncertain) = (None, false);
        let mut searched = SearchedMoves::new();
        if O::CUTS && node.cut {
            let (history, attacked) = (&self.thread_data.history, move_loop.context.attacked);
            let seen = CutNode { position, beta: window.beta, depth, history, attacked };
            self.observer.expects_cut(ply, &seen);
        }
        while let Some((m, stage)) = picker.next(position, &self.thread_data.history) {
            if excluded != PackedMove::NONE && excluded == m.into() {
                continue;
            }
            if SELECTIVE && self.out_of_width(node, &move_loop) {
                break;
            }
            let quiet = !is_noisy(m);
            if SELECTIVE && quiet && self.skip_quiets(&mut pruner, &move_loop, picker.legal_count()) {
                uncertain |= pruner.gave_up;
                picker.skip_quiets();
                continue;
            }
            if SELECTIVE && self.prune_move(node, &pruner, &mut move_loop, (m, stage)) {
                continue;
            }
            let after = self.play(position, m, ply);
            if SELECTIVE && quiet && move_loop.searched > 0 && pruner.ceiling.is_some() && !after.in_check() {
                self.observer.act(Id::Futility);
                move_loop.best = move_loop.best.max(pruner.ceiling.unwrap_or(move_loop.best));
                continue;
            }
            let mut child = node.child(&after);
            let mut move_depth = self.move_depth::<SELECTIVE>(node, &mut move_loop, (m, stage), &mut child);
            if SELECTIVE {
                move_depth = self.extend(move_depth, m, &extension, &mut child);
            }
            let value = self.reduced_mws(child, move_depth)?;
            let best = move_loop.record(value.score);
            self.observer.searched(ply, best);
            if value.score >= window.beta {
                best_move = Some(m);
                uncertain = value.uncertain;
                break;
            }
            uncertain |= value.uncertain;
            searched.push(m);
        }
        if O::CUTS && node.cut {
            self.observer.expected_cut(ply, move_loop.best >= window.beta);
        }
        if move_loop.searched == 0 {
            let only = excluded != PackedMove::NONE;
            return Ok(if only { window.alpha } else { no_moves(position, ply) }.into());
        }
        self.observer.node_done(ply);
        let value = Value { score: move_loop.best, uncertain };
        if excluded == PackedMove::NONE {
            self.store(&Node { depth, ..*node }, value, best_move, &searched);
        }
        Ok(value)
    }
}
