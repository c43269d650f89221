//! The root: its moves are a list that lives as long as the search, not a picker.

use std::time::Duration;

use shakmaty::Move;

use super::event::{End, Event, NodeKind, Purpose};
use super::move_depth::MoveDepth;
use super::move_picker::{PickedMove, Picker};
use super::node::{Ending, Inherited, Node};
use super::observer::Observer;
use super::report::{Line, Report};
use super::{Searcher, Stopped};
use crate::board::Position;
use crate::depth::Depth;
use crate::score::{Bound, Score, Window};

/// A move of the root and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub m: Move,
    /// Value in this iteration, [`-INFINITE`](Score::INFINITE) if it did not beat the best.
    pub score: Score,
    /// Value in the last complete iteration.
    pub previous: Score,
    /// The variation that begins with it.
    pub line: Vec<Move>,
    pub selective_depth: usize,
    /// Nodes spent on it since the search began.
    pub nodes: u64,
    /// What the endgame tables say it is worth.
    pub tb_score: Option<Score>,
}

/// A search of the root: with which window, how deep, from which of its moves on (those before it are other lines),
/// and why.
#[derive(Copy, Clone, Debug)]
pub(super) struct RootSearch {
    pub window: Window,
    pub depth: i32,
    pub from: usize,
    pub purpose: Purpose,
    /// With a minimal window: the value is expected to be beta or more.
    pub cut: bool,
}

/// Moves of the root are announced after so long; in tests, as soon as the nodes allow.
const ANNOUNCED_AFTER: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 3 });

impl<O: Observer> Searcher<'_, O> {
    /// The moves to search, in the picker's order.
    pub(super) fn collect_root_moves(&mut self) {
        let position = self.job.game.position();
        self.note_attacks(position, 0);
        let mut picker = Picker::new(self.hints(&self.probe(position), 0));
        let allowed = &self.job.limits.search_moves;
        while let Some(PickedMove { m, .. }) = picker.next(position, &self.thread_data.history) {
            if allowed.is_empty() || allowed.contains(&m) {
                self.root_moves.push(RootMove {
                    m,
                    score: -Score::INFINITE,
                    previous: -Score::INFINITE,
                    line: vec![m],
                    selective_depth: 0,
                    nodes: 0,
                    tb_score: None,
                });
            }
        }
        self.keep_best_by_syzygy();
    }

    /// Searches root moves and puts the best of them first. `improved` is called with every new best line: with its
    /// value, or with the bound it proved if it lies above the window, so that it is played even if there is no time to
    /// learn more.
    pub(super) fn search_root(
        &mut self,
        RootSearch { window, depth, from, purpose, cut }: RootSearch,
        improved: &mut dyn FnMut(&mut Self, Line),
    ) -> Result<Score, Stopped> {
        let job = self.job;
        let position: &Position = job.game.position();
        let inherited = Inherited::new(&self.rules.selective);
        let mut node = Node { cut, ..Node::root(position, window, Depth::plies(depth), inherited) };
        self.tell(Event::Asks(purpose));
        self.enter(&node, NodeKind::Pv)?;
        self.tell(Event::Visited { ply: 0 });
        self.tell(Event::NodeBegun { ply: 0 });
        node.entry = self.probe(position);
        self.evaluate_node(&node);
        self.tell(Event::Evaluated { value: self.frames[0].eval, cut: None });
        self.extension_limit = 2 * depth as usize;
        self.root_window = (window.beta - window.alpha).max(1);
        let mut best = -Score::INFINITE;
        for root_move in &mut self.root_moves[from..] {
            root_move.score = -Score::INFINITE;
        }
        for index in from..self.root_moves.len() {
            let value = self.search_root_move(&node, index, from, best)?;
            if value <= best {
                continue;
            }
            best = value;
            // A fail-low is only a bound, yet the first move keeps its place by it.
            if value > window.alpha || index == from {
                let line = self.raise_root_move(&node, index, from, value);
                if line.bound != Bound::Upper {
                    improved(self, line);
                }
            }
            if best >= window.beta {
                break;
            }
        }
        let best_move = (best > window.alpha && from == 0).then(|| self.root_moves[0].m);
        if from == 0 && job.limits.search_moves.is_empty() {
            self.learn(&node, best.into(), best_move, &Default::default());
            self.store(&node, best.into(), best_move);
        }
        let end = if best >= window.beta { End::Cut } else { End::AllMoves };
        Ok(self.leave(Ending::new(best, end)).score)
    }

    /// The value of one move of the root, of which the best so far has this value.
    fn search_root_move(
        &mut self,
        node: &Node,
        index: usize,
        from: usize,
        best: Score,
    ) -> Result<Score, Stopped> {
        let Node { position, window, depth, .. } = *node;
        let m = self.root_moves[index].m;
        self.announce(m, index + 1 - from);
        let before = self.nodes;
        self.selective_depth = 0;
        let after = self.play(position, m, 0);
        let mut child = node.child(&after);
        child.window.beta = -window.alpha.max(best);
        child.pv_beta = (!window.is_minimal()).then_some(window.beta);
        child.arrival.number = index + 1 - from;
        child.inherited.width = self.rules.selective.tapered.below(child.inherited.width, index - from + 1);
        self.tell(Event::MoveBegun { ply: 0, depth, class_deltas: Default::default() });
        let value = self.pv_child(child, MoveDepth::plain(depth - Depth::PLY), index == from);
        self.root_moves[index].nodes += self.nodes - before;
        value
    }

    /// A move of the root is the best so far: it comes to the front. Returns its line.
    fn raise_root_move(&mut self, node: &Node, index: usize, from: usize, value: Score) -> Line {
        let root_move = &mut self.root_moves[index];
        self.variations.set(0, root_move.m);
        root_move.score = value;
        root_move.selective_depth = self.selective_depth;
        if value > node.window.alpha {
            root_move.line = self.variations.get(0).to_vec();
        }
        let line = self.line(index, node.depth.whole(), Bound::of(value, node.window));
        self.root_moves[from..=index].rotate_right(1);
        line
    }

    /// The line of a root move as it stands.
    pub(super) fn line(&self, index: usize, depth: i32, bound: Bound) -> Line {
        let root_move = &self.root_moves[index];
        Line {
            rank: 1,
            depth,
            selective_depth: root_move.selective_depth.max(root_move.line.len()),
            score: root_move.shown(),
            bound,
            moves: root_move.line.clone(),
        }
    }

    /// In a long search, says which move is next. After a fail-high the root is searched a ply shallower; the move still
    /// belongs to its iteration, and GUIs begin a new row when the depth changes.
    fn announce(&mut self, m: Move, number: usize) {
        // Short searches do not read the clock here.
        if self.thread == 0 && self.nodes > 50_000 && self.job.control.elapsed() >= ANNOUNCED_AFTER {
            self.job.tell(Report::CurrentMove { depth: self.iteration, m, number });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parking_lot::Mutex;

    use super::*;
    use crate::{Engine, Game, Limits, Search};

    // Cute Chess begins a new row whenever the depth changes.
    #[test]
    fn the_depth_of_what_is_reported_never_falls() {
        let fen = "3rr1k1/pp3pp1/1qn2np1/8/3p4/PP1R1P2/2P1NQPP/R1B3K1 b - - 0 1";
        let mut engine = Engine::default();
        engine.set_game(Game::new(Position::from_fen(fen, false).unwrap()));
        let depths = Arc::<Mutex<Vec<i32>>>::default();
        let (told, moves) = (Arc::clone(&depths), Arc::<Mutex<usize>>::default());
        let announced = Arc::clone(&moves);
        let search = Search::new(Limits::depth(13)).listener(move |report| match report {
            Report::Line(line, _) => told.lock().push(line.depth),
            Report::CurrentMove { depth, .. } => {
                told.lock().push(depth);
                *announced.lock() += 1;
            }
            Report::Finished(_) => {}
        });
        let _ = engine.start(search).wait();
        assert!(depths.lock().is_sorted(), "{:?}", depths.lock());
        assert!(*moves.lock() > 0, "no move was announced");
    }
}
