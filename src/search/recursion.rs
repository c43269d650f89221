//! The two routines of the search.
//!
//! Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, algorithms 5 and 6.
//! [`pvs`](Searcher::pvs) walks the expected principal variation; [`mws`](Searcher::mws) asks one question
//! with a minimal window and is the only place where selective methods prune. Both are fail-soft.

use arrayvec::ArrayVec;
use shakmaty::Move;

use super::observer::Observer;
use super::picker::{Picker, is_noisy};
use super::table::Entry;
use super::{Algorithm, Searcher, Stopped};
use crate::depth::Depth;
use crate::position::Position;
use crate::score::{Bound, Score, Window};
use crate::selective::null_move::Verdict;
use crate::selective::{Facts, Id};

/// A node whose moves are about to be searched.
#[derive(Copy, Clone)]
pub(super) struct Node<'a> {
    pub position: &'a Position,
    pub window: Window,
    pub depth: Depth,
    pub ply: usize,
    pub entry: Option<Entry>,
}

/// Quiet moves searched that were not the best.
pub(super) type Tried = ArrayVec<Move, 256>;

impl<O: Observer> Searcher<'_, O> {
    /// Searches an expected pv-node: the first move with the whole window, the others with a minimal one
    /// and again with the whole window if they prove better. Nothing is pruned here.
    ///
    /// The thesis opens the second search at the value `v` of the first; ours opens at the bound, so that
    /// a value of exactly `v` still yields its variation. The value is the same.
    pub(super) fn pvs(
        &mut self,
        position: &Position,
        window: Window,
        depth: Depth,
        ply: usize,
    ) -> Result<Score, Stopped> {
        self.variations.clear(ply);
        if depth.is_horizon() {
            return self.horizon(position, window, ply);
        }

        // 1. Count the node, stop if told to, and recognise the end of the game.
        self.enter(position, ply)?;
        if let Some(score) = self.game_end(position, ply) {
            return Ok(score);
        }

        // 2. Mate distance: a faster mate, for either side, has been found already.
        if let Some(score) = beyond_mates(window, ply) {
            return Ok(score);
        }

        // 3. Hash table: for its move. Its value cuts only where every node is of this kind.
        let mut entry = self.probe(position);
        if self.rules.algorithm == Algorithm::AlphaBeta
            && let Some(score) = self.settled(&entry, position, window, depth, ply)
        {
            return Ok(score);
        }

        // 4. Internal iterative deepening: no first move is known, so find one.
        if entry.is_none_or(|entry| entry.best == Default::default())
            && depth >= self.rules.internal_deepening
        {
            self.pvs(position, window, depth - Depth::plies(2), ply)?;
            entry = self.probe(position);
        }
        self.frames[ply].eval = self.static_value(position, &entry);

        // 5. The moves.
        let node = Node { position, window, depth, ply, entry };
        let mut picker = Picker::new(self.hints(&node));
        let (mut best, mut best_move) = (-Score::INFINITE, None);
        let mut tried = Tried::new();
        let mut first = true;
        self.variations.clear(ply);
        while let Some((m, _)) = picker.next(position, &self.memory.history) {
            let child = self.play(position, m, ply);
            let open = Window { alpha: window.alpha.max(best), beta: window.beta };
            let value = self.pv_child(&child, open, depth - Depth::PLY, ply + 1, first)?;
            first = false;
            if value > best {
                best = value;
                if value > window.alpha {
                    // The best move so far has failed after all.
                    tried.extend(best_move.filter(|m| !is_noisy(*m)));
                    best_move = Some(m);
                    self.variations.set(ply, m);
                }
                if best >= window.beta {
                    break;
                }
            }
            if !is_noisy(m) && best_move != Some(m) {
                tried.push(m);
            }
        }

        // 6. No legal move: mate or stalemate.
        if first {
            return Ok(no_moves(position, ply));
        }
        self.remember(&node, best, best_move, &tried);
        Ok(best)
    }

    /// A move of a pv-node, searched as the chosen algorithm does.
    pub(super) fn pv_child(
        &mut self,
        child: &Position,
        open: Window,
        depth: Depth,
        ply: usize,
        first: bool,
    ) -> Result<Score, Stopped> {
        match self.rules.algorithm {
            Algorithm::Minimax => Ok(-self.pvs(child, Window::FULL, depth, ply)?),
            Algorithm::AlphaBeta => Ok(-self.pvs(child, open.flip(), depth, ply)?),
            Algorithm::Pvs | Algorithm::Mtd if open.is_minimal() => {
                self.variations.clear(ply);
                Ok(-self.mws(child, -open.alpha, depth, ply, true)?)
            }
            Algorithm::Pvs | Algorithm::Mtd if first => Ok(-self.pvs(child, open.flip(), depth, ply)?),
            Algorithm::Pvs | Algorithm::Mtd => {
                let value = -self.mws(child, -open.alpha, depth, ply, true)?;
                if value <= open.alpha || value >= open.beta {
                    self.variations.clear(ply);
                    return Ok(value);
                }
                Ok(-self.pvs(child, open.flip(), depth, ply)?)
            }
        }
    }

    /// Asks whether the value is at least `beta`. `cut` says that the answer is expected to be yes.
    pub(super) fn mws(
        &mut self,
        position: &Position,
        beta: Score,
        depth: Depth,
        ply: usize,
        cut: bool,
    ) -> Result<Score, Stopped> {
        let window = Window::minimal(beta);
        if depth.is_horizon() {
            return self.horizon(position, window, ply);
        }

        // 1. Count the node, stop if told to, and recognise the end of the game.
        self.enter(position, ply)?;
        if let Some(score) = self.game_end(position, ply) {
            return Ok(score);
        }

        // 2. Mate distance.
        if let Some(score) = beyond_mates(window, ply) {
            return Ok(score);
        }

        // 3. Hash table: a value as deep as this one answers the question, any other corrects the guess.
        let entry = self.probe(position);
        if let Some(score) = self.settled(&entry, position, window, depth, ply) {
            return Ok(score);
        }
        let cut = entry.map_or(cut, |entry| corrected(cut, &entry, beta, ply));

        // 4. Static value.
        self.frames[ply].eval = self.static_value(position, &entry);
        let node = Node { position, window, depth, ply, entry };
        let facts = self.facts(&node);

        // 5. Null move.
        if let Some(verdict) = self.null_move(&node, &facts, cut)? {
            match verdict {
                Verdict::Cut(score) => return Ok(score),
                Verdict::Verify => {
                    self.frames[ply].verify = false;
                    let shallower = Node { depth: depth - Depth::PLY, ..node };
                    let value = self.mws_moves(&shallower, cut)?;
                    if value >= beta {
                        return Ok(value);
                    }
                    self.frames[ply].verify = true;
                }
            }
        }

        // 6. The moves.
        self.mws_moves(&node, cut)
    }

    /// The moves of a minimal-window node.
    fn mws_moves(&mut self, node: &Node, cut: bool) -> Result<Score, Stopped> {
        let Node { position, window, depth, ply, .. } = *node;
        let mut picker = Picker::new(self.hints(node));
        let (mut best, mut best_move) = (-Score::INFINITE, None);
        let mut tried = Tried::new();
        let mut first = true;
        while let Some((m, _)) = picker.next(position, &self.memory.history) {
            first = false;
            let child = self.play(position, m, ply);
            let value = -self.mws(&child, -window.alpha, depth - Depth::PLY, ply + 1, !cut)?;
            best = best.max(value);
            if value >= window.beta {
                best_move = Some(m);
                break;
            }
            if !is_noisy(m) {
                tried.push(m);
            }
        }
        if first {
            return Ok(no_moves(position, ply));
        }
        self.remember(node, best, best_move, &tried);
        Ok(best)
    }

    /// Passes, if the rule wants to, and says what came of it.
    fn null_move(&mut self, node: &Node, facts: &Facts, cut: bool) -> Result<Option<Verdict>, Stopped> {
        let Some(probe) = self.rules.selective.null_move.plan(facts) else { return Ok(None) };
        let Some(passed) = node.position.pass() else { return Ok(None) };
        self.observer.attempt(Id::NullMove, self.nodes);
        self.frames[node.ply].passed = true;
        self.frames[node.ply].played = Default::default();
        self.frames[node.ply + 1].verify = facts.verify;
        let value = -self.mws(&passed, -probe.beta + 1, probe.depth, node.ply + 1, !cut)?;
        self.frames[node.ply].passed = false;
        let verdict = self.rules.selective.null_move.conclude(facts, &probe, value);
        self.observer.answer(Id::NullMove, self.nodes, verdict.is_some());
        Ok(verdict)
    }
}

/// The best that can still happen is no better than alpha, or the worst no worse than beta: that value.
fn beyond_mates(window: Window, ply: usize) -> Option<Score> {
    let (worst, best) = (Score::mated_at(ply), Score::mate_at(ply + 1));
    if best <= window.alpha {
        Some(best)
    } else if worst >= window.beta {
        Some(worst)
    } else {
        None
    }
}

/// What an entry that cannot answer says about the guess.
fn corrected(cut: bool, entry: &Entry, beta: Score, ply: usize) -> bool {
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
