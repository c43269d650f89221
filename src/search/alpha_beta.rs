//! The two routines of the search.
//!
//! Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, algorithms 5 and 6.
//! [`pvs`](Searcher::pvs) walks the expected principal variation; [`mws`](Searcher::mws) asks one question
//! with a minimal window and is the only place where selective methods cut. Both are fail-soft.

use arrayvec::ArrayVec;
use shakmaty::Move;

use super::event::{End, Event, NodeKind, Purpose};
use super::move_depth::SingularExtension;
use super::move_picker::Picker;
use super::move_pruning::{MovePruner, Pruned};
use super::node::{Ending, Node, Value};
use super::observer::Observer;
use super::terminal::mate_distance;
use super::transposition_table::TtEntry;
use super::{Algorithm, Searcher, Stopped};
use crate::board::PackedMove;
use crate::depth::Depth;
use crate::score::{Bound, Score};
use crate::selective::uncertainty::Doubt;

/// Moves searched that were not the best.
pub(super) type SearchedMoves = ArrayVec<Move, 256>;

impl<O: Observer> Searcher<'_, O> {
    /// Searches an expected pv-node: the first move with the whole window, the others with a minimal one
    /// and again with the whole window if they prove better. No method cuts here.
    ///
    /// The thesis opens the second search at the value `v` of the first; ours opens at the bound, so that
    /// a value of exactly `v` still yields its variation. The value is the same.
    pub(super) fn pvs(&mut self, node: Node) -> Result<Score, Stopped> {
        self.variations.clear(node.ply);
        self.tell(Event::Visited { ply: node.ply });
        if node.depth.is_horizon() {
            return self.horizon(node.position, node.window, node.ply);
        }
        self.enter(&node, NodeKind::Pv)?;
        let ending = self.pv_node(node)?;
        Ok(self.leave(ending).score)
    }

    /// The steps of a pv-node.
    #[inline(always)]
    fn pv_node(&mut self, mut node: Node) -> Result<Ending, Stopped> {
        let Node { position, window, ply, .. } = node;

        // 1. The end of the game.
        if let Some(ending) = self.game_end(position, ply) {
            return Ok(ending);
        }

        // 2. Mate distance: a faster mate, for either side, has been found already.
        if let Some(ending) = mate_distance(window, ply) {
            return Ok(ending);
        }

        // 3. Hash table: for its move. Its value cuts only where every node is of this kind, and not if it is that of a
        // mate, whose line would end here.
        self.begin_node(ply);
        node.entry = self.probe(position);
        node.was_pv = self.rules.search.pv_marks;
        self.tell(Event::HashProbed { hit: node.entry.is_some() });
        if self.rules.search.algorithm == Algorithm::AlphaBeta
            && !node.hash_is_mate_inside()
            && let Some(ending) = self.tt_cutoff(&node)
        {
            return Ok(ending);
        }
        // Endgame tables: with few men the value is known.
        if let Some(score) = self.probe_syzygy(position, node.depth, ply) {
            return Ok(Ending::new(score, End::Tablebase));
        }

        // 4. Internal iterative deepening: no first move is known, so find one.
        if node.hash_move() == PackedMove::NONE && node.depth >= self.rules.internal_deepening {
            self.tell(Event::Asks(Purpose::InternalDeepening));
            self.pvs(Node { depth: node.depth - Depth::plies(2), ..node })?;
            node.entry = self.probe(position);
        }
        self.evaluate_node(&node);
        self.learn_swing(&node);
        self.tell(Event::Evaluated { value: self.frames[ply].eval, cut: None });
        self.frames[ply].threat = false;

        // 5. Still no move known: search shallower. All others much worse than the one that is: deeper.
        let depth = node.depth;
        self.internal_iterative_reduction(&mut node);
        let mut extension = SingularExtension::NONE;
        if !self.rules.full_width && depth >= self.rules.selective.singular.min_depth {
            let facts = self.facts(&node);
            self.singular(&node, &facts, &mut extension)?;
        }

        // 6. The moves.
        self.pv_moves(&node, extension)
    }

    /// The moves of a pv-node; one of them may be searched deeper.
    fn pv_moves(&mut self, node: &Node, extension: SingularExtension) -> Result<Ending, Stopped> {
        let mut node = *node;
        let Node { position, window, ply, .. } = node;
        self.note_attacks(position, ply);
        let facts = self.facts(&node);
        let pruner = self.pv_move_pruner(&facts);
        let mut picker = self.picker(&node);
        let mut move_loop = self.move_loop(&node, pruner, &extension);
        let mut best_move = None;
        let mut searched = SearchedMoves::new();
        self.variations.clear(ply);
        while let Some(picked) = picker.next(position, &self.thread_data.history) {
            match self.prune(&node, &mut move_loop, picked, &mut picker) {
                Pruned::Nothing => {}
                Pruned::Move => continue,
                Pruned::Rest => break,
            }
            let m = picked.m;
            let after = self.play(position, m, ply);
            let mut child = Node { pv_beta: Some(window.beta), ..node.child(&after) };
            child.window.beta = -window.alpha.max(move_loop.best);
            let move_depth = self.move_depth::<true>(&node, &mut move_loop, picked, &mut child);
            let move_depth = self.extend(move_depth, m, &extension, &mut child);
            let value = self.pv_child(child, move_depth, move_loop.searched == 0)?;
            let best = move_loop.record(value);
            self.tell(Event::Searched { ply, picked, value, best, raises: best && value > window.alpha });
            if best && value > window.alpha {
                // The best move so far has failed after all.
                searched.extend(best_move.replace(m));
                move_loop.rank_cut = false;
                self.variations.set(ply, m);
            }
            if best && value >= window.beta {
                self.count_cutoff(ply);
                break;
            }
            if best && value > window.alpha {
                self.reduce_after_raise(&mut node, value);
            }
            if best_move != Some(m) {
                searched.push(m);
            }
        }
        if move_loop.searched == 0 {
            return Ok(self.no_moves(position, ply));
        }
        self.tell(Event::NodeDone { ply });
        self.learn(&node, move_loop.best.into(), best_move, &searched);
        self.store(&node, move_loop.best.into(), best_move);
        Ok(Ending::new(move_loop.best, move_loop.end(window)))
    }

    /// A move has raised alpha at a shallow pv-node: the others are less likely to, and get a ply less.
    fn reduce_after_raise(&self, node: &mut Node, value: Score) {
        let shallow = node.depth >= Depth::plies(2) && node.depth < Depth::plies(6);
        if self.rules.search.raised_alpha && shallow && !value.is_decided() && !node.window.beta.is_decided()
        {
            node.depth = node.depth - Depth::PLY;
        }
    }

    /// Asks whether the value is at least beta. The node's `cut` says that the answer is expected to be yes.
    pub(super) fn mws(&mut self, node: Node) -> Result<Value, Stopped> {
        self.tell(Event::Visited { ply: node.ply });
        if node.depth.is_horizon() {
            return Ok(self.horizon(node.position, node.window, node.ply)?.into());
        }
        self.enter(&node, NodeKind::Minimal)?;
        let ending = self.mws_node(node)?;
        Ok(self.leave(ending))
    }

    /// The steps of a minimal-window node.
    #[inline(always)]
    fn mws_node(&mut self, mut node: Node) -> Result<Ending, Stopped> {
        // 1. to 3. The end of the game, mate distance, hash table and endgame tables.
        if let Some(ending) = self.known_ending(&mut node) {
            return Ok(ending);
        }
        if self.rules.full_width {
            self.clear_eval(node.ply);
            self.tell(Event::Evaluated { value: Score::NONE, cut: Some(node.cut) });
            return self.mws_moves::<false>(&node, MovePruner::OFF, SingularExtension::NONE);
        }
        if node.excluded != PackedMove::NONE {
            return self.excluding_node(node);
        }

        // 4. Static value, if a method may ask for it.
        self.evaluate_if_asked(&node);
        self.learn_swing(&node);
        let mut facts = self.facts(&node);

        // 5. The move that led here was reduced: with the static value known, perhaps too much or too little.
        self.hindsight(&mut node, &mut facts);

        // 6. and 7. So far above beta that nothing can spoil it (reverse futility), or so far below alpha that
        // captures alone or a ply less will do (razoring).
        if let Some(ending) = self.prune_statically(&mut node, &mut facts)? {
            return Ok(ending);
        }

        // 8. Null move.
        if let Some(ending) = self.null_move_pruning(&node, &facts)? {
            return Ok(ending);
        }

        // 9. No move is known: a ply less will do until one is.
        if self.internal_iterative_reduction(&mut node) {
            facts.depth = node.depth;
        }

        // 10. and 11. ProbCut: a shallow search predicts the deep one; a capture may do the same, in check one that the
        // hash table knows.
        if let Some(ending) = self.predicted_cut(&node, &facts)? {
            return Ok(ending);
        }

        // 12. Multi-cut: several good moves make a fail-low unlikely; a single one may be singular.
        let mut extension = SingularExtension::NONE;
        if let Some(value) = self.multi_cut(&mut node, &facts, &mut extension)? {
            return Ok(Ending::new(value, End::MultiCut));
        }

        // 13. Singular extension: all other moves are much worse than the hash move, or another cuts too.
        if let Some(value) = self.singular(&node, &facts, &mut extension)? {
            return Ok(Ending::new(value, End::SingularCut));
        }

        // 14. The moves.
        self.mws_moves::<true>(&node, self.move_pruner(&facts), extension)
    }

    /// The steps of a node that is searched without its hash move: no pass, no second test, nothing stored. Its static
    /// value is that of the node itself, found before.
    fn excluding_node(&mut self, mut node: Node) -> Result<Ending, Stopped> {
        let mut facts = self.facts(&node);
        if let Some(ending) = self.prune_statically(&mut node, &mut facts)? {
            return Ok(ending);
        }
        if let Some(value) = self.capture_prob_cut(&node, &facts)? {
            return Ok(Ending::new(value, End::CaptureProbCut));
        }
        self.mws_moves::<true>(&node, self.move_pruner(&facts), SingularExtension::NONE)
    }

    /// A node that ends at once: the game is over, a mate is near enough, or a table knows the answer. A hash entry
    /// that does not answer still corrects the guess whether the node cuts.
    #[inline(always)]
    fn known_ending(&mut self, node: &mut Node) -> Option<Ending> {
        let Node { position, window, ply, .. } = *node;
        if let Some(ending) = self.game_end(position, ply) {
            return Some(ending);
        }
        if let Some(ending) = mate_distance(window, ply) {
            return Some(ending);
        }
        // Without its best move the node is another one, about which the tables know nothing.
        if node.excluded != PackedMove::NONE {
            node.entry = None;
            return None;
        }
        self.begin_node(ply);
        node.entry = self.probe(position);
        node.was_pv = self.rules.search.pv_marks && node.entry.is_some_and(|entry| entry.was_pv);
        self.tell(Event::HashProbed { hit: node.entry.is_some() });
        if let Some(ending) = self.tt_cutoff(node) {
            return Some(ending);
        }
        if let Some(score) = self.probe_syzygy(position, node.depth, ply) {
            return Some(Ending::new(score, End::Tablebase));
        }
        if let Some(entry) = node.entry.filter(|_| self.rules.search.cut_by_hash) {
            node.cut = corrected_cut_guess(node.cut, &entry, window.beta, ply);
        }
        None
    }

    /// The moves of a minimal-window node; one of them may be searched deeper. With every method off the
    /// compiler leaves out what they would do.
    pub(super) fn mws_moves<const SELECTIVE: bool>(
        &mut self,
        node: &Node,
        pruner: MovePruner,
        extension: SingularExtension,
    ) -> Result<Ending, Stopped> {
        let Node { position, window, ply, .. } = *node;
        self.note_attacks(position, ply);
        let mut picker =
            if SELECTIVE { self.picker(node) } else { Picker::new(self.hints(&node.entry, ply)) };
        let mut move_loop = self.move_loop(node, pruner, &extension);
        let (mut best_move, mut doubt) = (None, Doubt::NONE);
        let mut searched = SearchedMoves::new();
        self.tell_expected_cut(node, &move_loop);
        while let Some(picked) = picker.next(position, &self.thread_data.history) {
            if SELECTIVE {
                match self.prune(node, &mut move_loop, picked, &mut picker) {
                    Pruned::Nothing => {}
                    Pruned::Move => continue,
                    Pruned::Rest => break,
                }
            }
            let after = self.play(position, picked.m, ply);
            if SELECTIVE && self.futile(&mut move_loop, picked.m, &after) {
                continue;
            }
            let mut child = node.child(&after);
            let mut move_depth = self.move_depth::<SELECTIVE>(node, &mut move_loop, picked, &mut child);
            if SELECTIVE {
                move_depth = self.extend(move_depth, picked.m, &extension, &mut child);
            }
            let value = self.reduced_mws(child, move_depth)?;
            let best = move_loop.record(value.score);
            let raises = value.score >= window.beta;
            self.tell(Event::Searched { ply, picked, value: value.score, best, raises });
            doubt = doubt.or(value.doubt);
            if value.score >= window.beta {
                best_move = Some(picked.m);
                doubt = value.doubt;
                move_loop.pruner.gave_up = Doubt::NONE;
                self.count_cutoff(ply);
                break;
            }
            searched.push(picked.m);
        }
        self.tell_cut(node, &move_loop);
        let excluding = SELECTIVE && node.excluded != PackedMove::NONE;
        if move_loop.searched == 0 {
            let only = Ending::new(window.alpha, End::OnlyMove);
            return Ok(if excluding { only } else { self.no_moves(position, ply) });
        }
        self.tell(Event::NodeDone { ply });
        let value = Value { score: move_loop.best, doubt: doubt.or(move_loop.pruner.gave_up) };
        self.learn(node, value, best_move, &searched);
        if !excluding {
            self.store(node, value, best_move);
        }
        Ok(Ending::new(value, move_loop.end(window)))
    }
}

/// Whether a cut-off is expected, corrected by a hash entry that is too shallow to cut.
fn corrected_cut_guess(cut: bool, entry: &TtEntry, beta: Score, ply: usize) -> bool {
    match entry.bound {
        Some(Bound::Lower | Bound::Exact) if entry.score(ply) >= beta => true,
        Some(Bound::Upper | Bound::Exact) if entry.score(ply) < beta => false,
        _ => cut,
    }
}
