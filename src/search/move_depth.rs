//! How deep a move is searched: extensions, reductions, and re-searches after them.

use shakmaty::Move;

use super::event::{Event, Interest, Purpose};
use super::move_picker::{PickStage, PickedMove, is_noisy};
use super::node::{MoveLoop, Node, Value};
use super::observer::Observer;
use super::{Algorithm, Searcher, Stopped};
use crate::board::{PackedMove, Position};
use crate::depth::Depth;
use crate::score::{Score, Window};
use crate::selective::extensions::{self, Classes};
use crate::selective::rank_cut::RankState;
use crate::selective::{Id, MoveFacts};

/// Differences beyond this many centipawns are the same to RankCut: before the first move they are infinite.
const FAR: i32 = 10_000;

/// How deep to search a move.
#[derive(Copy, Clone, Debug)]
pub(super) struct MoveDepth {
    /// The depth before any reduction.
    pub depth: Depth,
    /// By how much a method reduces it.
    pub reduction: Depth,
    /// A reduced search that fails high is repeated at full depth.
    pub re_search: bool,
    /// The best value of the node so far.
    pub best: Score,
    /// The method that reduces it.
    pub method: Id,
}

impl MoveDepth {
    /// The depth of a move that no method changes.
    pub(super) fn plain(depth: Depth) -> Self {
        Self { depth, reduction: Depth::ZERO, re_search: true, best: -Score::INFINITE, method: Id::LateMoves }
    }

    /// The depth of the last search of the move, after any re-search.
    pub(super) fn last_depth(&self) -> Depth {
        if self.re_search { self.depth } else { self.depth - self.reduction }
    }
}

/// A move that is searched deeper than the others, because it is singular, or shallower, because it is not.
#[derive(Copy, Clone, Debug)]
pub(super) struct SingularExtension {
    pub m: PackedMove,
    pub by: Depth,
    /// The method that found out.
    pub method: Id,
}

impl SingularExtension {
    /// All moves are searched alike.
    pub(super) const NONE: Self = Self { m: PackedMove::NONE, by: Depth::ZERO, method: Id::Singular };
}

impl<O: Observer> Searcher<'_, O> {
    /// A move of a pv-node, searched as the chosen algorithm does; its value for the side that moved. A minimal window
    /// is expected to cut behind a pv-node; behind the root of MTD(f), if the root is expected to fail low.
    pub(super) fn pv_child(
        &mut self,
        child: Node,
        move_depth: MoveDepth,
        first: bool,
    ) -> Result<Score, Stopped> {
        let open = child.window.flip();
        let depth = move_depth.last_depth();
        let whole = Node { depth, cut: false, ..child };
        self.tell_reduced(move_depth, depth);
        match self.rules.search.algorithm {
            Algorithm::Minimax => Ok(-self.pvs(Node { window: Window::FULL, ..whole })?),
            Algorithm::AlphaBeta => Ok(-self.pvs(whole)?),
            Algorithm::Pvs | Algorithm::Mtd if first && !open.is_minimal() => Ok(-self.pvs(whole)?),
            Algorithm::Pvs | Algorithm::Mtd => {
                let window = Window::minimal(-open.alpha);
                let value = self.reduced_mws(Node { window, ..child }, move_depth)?;
                let is_bound = open.is_minimal() || value.score <= open.alpha || value.score >= open.beta;
                if is_bound && self.rules.selective.uncertainty.accepts(value.doubt) {
                    self.variations.clear(child.ply);
                    return Ok(value.score);
                }
                // An uncertain value is not even a bound.
                self.tell(Event::Asks(if is_bound {
                    Purpose::ReSearchUncertain
                } else {
                    Purpose::ReSearchWindow
                }));
                self.tell_reduced(move_depth, depth);
                Ok(-self.pvs(whole)?)
            }
        }
    }

    /// Tells how deep the next search of a move is.
    #[inline(always)]
    fn tell_reduced(&mut self, MoveDepth { method, depth, .. }: MoveDepth, to: Depth) {
        self.tell(Event::Reduced { method, by: depth - to, depth });
    }

    /// Asks about a child with a minimal window, shallower first where a method said so; its value for the side
    /// that moved.
    #[inline]
    pub(super) fn reduced_mws(&mut self, child: Node, move_depth: MoveDepth) -> Result<Value, Stopped> {
        let MoveDepth { depth, reduction, .. } = move_depth;
        let beta = child.window.flip().beta;
        self.tell_reduced(move_depth, depth - reduction);
        if reduction > Depth::ZERO {
            self.tell(Event::Attempt { method: move_depth.method, nodes: self.nodes });
        }
        let expects_cut = self.rules.search.reduced_cut && reduction > Depth::ZERO;
        let cut = expects_cut || child.cut;
        let value = -self.mws(Node { depth: depth - reduction, reduced: reduction, cut, ..child })?;
        if reduction > Depth::ZERO {
            let success = value.score < beta;
            self.tell(Event::Answer { method: move_depth.method, nodes: self.nodes, success });
            if move_depth.re_search && !success {
                return self.re_search(child, move_depth, value);
            }
        }
        Ok(value)
    }

    /// The reduced search of a move failed high: it is searched again, deeper the higher its value.
    fn re_search(&mut self, child: Node, move_depth: MoveDepth, found: Value) -> Result<Value, Stopped> {
        let MoveDepth { mut depth, reduction, best, method, .. } = move_depth;
        let beta = child.window.flip().beta;
        let reduced = depth - reduction;
        if method == Id::LateMoves {
            let (above, better) = (found.score - beta + 1, found.score - best);
            depth += self.rules.selective.late_moves.re_search(depth, reduction, above, better);
        }
        let mut value = found;
        if depth > reduced {
            self.tell(Event::Asks(Purpose::ReSearchDepth));
            let cut = if self.rules.search.reduced_cut { child.cut } else { !child.cut };
            value = -self.mws(Node { depth, cut, ..child })?;
        }
        self.learn_research(child.ply - 1, depth, value.score >= beta);
        Ok(value)
    }

    /// How deep to search a move; `child`, the node it leads to, inherits what the move changes.
    #[inline]
    pub(super) fn move_depth<const SELECTIVE: bool>(
        &mut self,
        node: &Node,
        move_loop: &mut MoveLoop,
        picked: PickedMove,
        child: &mut Node,
    ) -> MoveDepth {
        if !SELECTIVE && O::RANKS_FROM == Depth::NEVER {
            return MoveDepth::plain(node.depth - Depth::PLY);
        }
        self.reduced_depth(node, move_loop, picked, child)
    }

    /// The depth of a move: its node's less a ply or the weight of its classes, and the reduction of a late move.
    fn reduced_depth(
        &mut self,
        node: &Node,
        move_loop: &mut MoveLoop,
        picked: PickedMove,
        child: &mut Node,
    ) -> MoveDepth {
        let Node { depth, ply, .. } = *node;
        let m = picked.m;
        let job = self.job;
        let rules = &job.rules.selective;
        let rank = move_loop.searched + 1;
        self.tell(Event::NextMove);
        child.inherited.width = rules.tapered.below(node.inherited.width, rank);
        let after = child.position;
        let weight = if rules.extensions.on { self.weight(node, move_loop, m, after) } else { Depth::PLY };
        if O::WANTS.includes(Interest::PATHS) && O::DELTA > Depth::ZERO {
            let class_deltas = self.class_deltas(node, move_loop, m, after);
            self.tell(Event::MoveBegun { ply, depth, class_deltas });
        }
        child.inherited.set_extended(weight < Depth::PLY);
        child.arrival.number = move_loop.seen;
        let code = self.rank_code(node, move_loop, picked);
        let learned = code.and_then(|code| rules.rank_cut.learned(code));
        let mut facts = self.move_facts(node, move_loop, picked, after);
        (facts.weight, facts.learned) = (weight, learned);
        child.arrival.history = facts.history.map_or(0, |history| rules.late_moves.above_par(history));
        let late = rules.late_moves.reduction(depth, &facts);
        let reduced = MoveDepth {
            reduction: late.max(Depth::ZERO),
            best: move_loop.best,
            // With a very good history the reduction is negative: an extension.
            ..MoveDepth::plain(depth - weight - late.min(Depth::ZERO))
        };
        let Some(code) = code.filter(|_| facts.learned.is_none()) else { return reduced };
        let by = rules.rank_cut.reduction(&mut move_loop.rank_cut, code, &facts);
        let by = by.min((depth - Depth::plies(2)).max(Depth::PLY));
        if by <= reduced.reduction {
            return reduced;
        }
        MoveDepth { reduction: by, re_search: rules.rank_cut.research, method: Id::RankCut, ..reduced }
    }

    /// What the methods for late moves may know of a move, but for its weight and what was learned off-line.
    fn move_facts(
        &self,
        node: &Node,
        move_loop: &MoveLoop,
        PickedMove { m, stage }: PickedMove,
        after: &Position,
    ) -> MoveFacts {
        let Node { position, depth, ply, .. } = *node;
        let (rank, quiet) = (move_loop.searched + 1, !is_noisy(m));
        let rule = &self.rules.selective.late_moves;
        let known = quiet && rule.is_late(depth, rule.number(rank, move_loop.seen));
        let history = || self.thread_data.history.quiet_score(position.turn(), m, &move_loop.context);
        MoveFacts {
            number: rank,
            seen: move_loop.seen,
            quiet,
            losing: stage == PickStage::BadCapture,
            in_check: position.in_check(),
            gives_check: after.in_check(),
            weight: Depth::PLY,
            killer: stage == PickStage::Killer,
            history: known.then(history),
            pv: node.is_pv(),
            cut: node.cut,
            improving: self.frames[ply].improving,
            learned: None,
            was_pv: node.was_pv,
            last_number: node.arrival.number,
            singular_quiet: move_loop.singular_quiet,
            hash_capture: move_loop.hash_capture,
            refuted: self.frames[ply + 1].cutoffs,
            threatened: m.from().is_some_and(|from| self.frames[ply].attacks.threatened.contains(from)),
            window: if node.is_pv() { self.window_share(node) } else { 0 },
        }
    }

    /// The window of a node as a share of the root's, in hundredths.
    fn window_share(&self, node: &Node) -> i32 {
        let alpha = node.window.alpha;
        (100 * (node.window.beta - alpha) / self.root_window).min(100)
    }

    /// What RankCut's table says of a move from the quiet stage on, where RankCut acts; the observer is told its
    /// state where it asks for that.
    #[inline]
    fn rank_code(&mut self, node: &Node, move_loop: &MoveLoop, picked: PickedMove) -> Option<u16> {
        let acts = self.rules.selective.rank_cut.applies(node.depth);
        if picked.stage < PickStage::Quiet || !(acts || node.depth >= O::RANKS_FROM) {
            return None;
        }
        let state = self.rank_state(node, move_loop, picked.m);
        self.tell(Event::Ranked { ply: node.ply, state });
        acts.then(|| self.job.learned.rank_code(state))
    }

    /// The depth of a move with its singular extension, if it is the singular one.
    #[inline]
    pub(super) fn extend(
        &mut self,
        move_depth: MoveDepth,
        m: Move,
        extension: &SingularExtension,
        child: &mut Node,
    ) -> MoveDepth {
        if extension.m == PackedMove::NONE || extension.m != m.into() {
            return move_depth;
        }
        self.tell(Event::Extended { method: extension.method, by: extension.by });
        child.inherited.set_extended(extension.by > Depth::ZERO);
        child.inherited.doubles += u8::from(extension.by > Depth::PLY);
        MoveDepth::plain(move_depth.depth + extension.by)
    }

    /// The weight of a move by its classes.
    fn weight(&mut self, node: &Node, move_loop: &MoveLoop, m: Move, child: &Position) -> Depth {
        let Some(classes) = self.classes(node, move_loop, m, child) else { return Depth::PLY };
        let phase = node.position.game_phase();
        let weight = self.rules.selective.extensions.weight(phase, classes);
        if weight != Depth::PLY {
            self.tell(Event::Act { method: Id::Extensions });
            self.tell(Event::Classed { classes, weight });
        }
        weight
    }

    /// The classes of a move, unless the path is too long for any.
    fn classes(&self, node: &Node, move_loop: &MoveLoop, m: Move, child: &Position) -> Option<Classes> {
        let Node { position, ply, .. } = *node;
        (ply < self.extension_limit).then(|| Classes {
            check: child.in_check(),
            recapture: ply > 0 && m.is_capture() && self.frames[ply - 1].captured_on == Some(m.to()),
            forced: move_loop.forced,
            pawn: position.is_advanced_push(m),
            threat: self.frames[ply].threat,
        })
    }

    /// By how much the weight of a move would grow if that of each class grew by what the observer asks.
    fn class_deltas(
        &self,
        node: &Node,
        move_loop: &MoveLoop,
        m: Move,
        child: &Position,
    ) -> [Depth; extensions::CLASSES] {
        let rule = &self.rules.selective.extensions;
        let classes = if rule.on { self.classes(node, move_loop, m, child) } else { None };
        let phase = node.position.game_phase();
        classes.map_or_else(Default::default, |classes| rule.class_deltas(phase, classes, O::DELTA))
    }

    /// The state of a node and its next move in RankCut's table, as an index.
    fn rank_state(&self, node: &Node, move_loop: &MoveLoop, m: Move) -> usize {
        RankState {
            depth: node.depth.whole(),
            in_check: node.position.in_check(),
            number: move_loop.searched + 1,
            changes: move_loop.changes,
            lead: (move_loop.best - node.window.alpha).max(-FAR),
            last: (move_loop.last - move_loop.best).max(-FAR),
            rest: is_noisy(m)
                || self.thread_data.history.quiet(node.position.turn(), m, move_loop.context.attacked) <= 0,
        }
        .index()
    }
}
