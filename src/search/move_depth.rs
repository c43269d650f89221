//! How deep a move is searched, and the searches that make it so.

use shakmaty::Move;

use super::alpha_beta::Node;
use super::event::Purpose;
use super::move_picker::{Phase, is_noisy};
use super::node::{Course, Value};
use super::observer::Observer;
use super::{Algorithm, Searcher, Stopped};
use crate::board::{PackedMove, Position};
use crate::depth::Depth;
use crate::score::{Score, Window};
use crate::selective::extensions::{self, Classes};
use crate::selective::rank_cut::State;
use crate::selective::{Id, MoveFacts, Stage};

/// How deep to search a move.
#[derive(Copy, Clone, Debug)]
pub(super) struct Reduced {
    /// With its weight alone.
    pub depth: Depth,
    /// How much shallower a method wants it.
    pub by: Depth,
    /// A shallow search that surprises is repeated at full depth.
    pub again: bool,
    /// Which method.
    pub method: Id,
}

impl Reduced {
    /// No method has a say.
    pub fn plain(depth: Depth) -> Self {
        Self { depth, by: Depth::ZERO, again: true, method: Id::LateMoves }
    }

    /// The depth whose value counts in the end.
    pub fn last_depth(&self) -> Depth {
        if self.again { self.depth } else { self.depth - self.by }
    }
}

/// A move that is searched deeper than others, or shallower.
#[derive(Copy, Clone, Debug)]
pub(super) struct Longer {
    pub m: PackedMove,
    pub by: Depth,
}

impl Longer {
    /// All moves are searched alike.
    pub const NONE: Self = Self { m: PackedMove::NONE, by: Depth::ZERO };
}

impl<O: Observer> Searcher<'_, O> {
    /// A move of a pv-node, searched as the chosen algorithm does.
    pub(super) fn pv_child(
        &mut self,
        child: &Position,
        open: Window,
        step: Reduced,
        ply: usize,
        first: bool,
    ) -> Result<Score, Stopped> {
        let depth = step.last_depth();
        self.observer.reduced(step.method, step.depth - depth);
        match self.rules.search.algorithm {
            Algorithm::Minimax => Ok(-self.pvs(child, Window::FULL, depth, ply)?),
            Algorithm::AlphaBeta => Ok(-self.pvs(child, open.flip(), depth, ply)?),
            Algorithm::Pvs | Algorithm::Mtd if first && !open.is_minimal() => {
                Ok(-self.pvs(child, open.flip(), depth, ply)?)
            }
            Algorithm::Pvs | Algorithm::Mtd => {
                let value = self.reduced_mws(child, open.alpha + 1, step, ply, true)?;
                let settled = open.is_minimal() || value.score <= open.alpha || value.score >= open.beta;
                if settled && !value.uncertain {
                    self.variations.clear(ply);
                    return Ok(value.score);
                }
                // An uncertain value is not even a bound.
                self.observer.asks(if settled { Purpose::SearchedSurely } else { Purpose::SearchedWider });
                self.observer.reduced(step.method, step.depth - depth);
                Ok(-self.pvs(child, open.flip(), depth, ply)?)
            }
        }
    }

    /// Asks about a child with a minimal window, shallower first where a method said so.
    #[inline]
    pub(super) fn reduced_mws(
        &mut self,
        child: &Position,
        beta: Score,
        step: Reduced,
        ply: usize,
        cut: bool,
    ) -> Result<Value, Stopped> {
        self.observer.reduced(step.method, step.by);
        if step.by > Depth::ZERO {
            self.observer.attempt(step.method, self.nodes);
        }
        self.frames[ply - 1].reduced = step.by;
        let value = -self.mws(child, -beta + 1, step.depth - step.by, ply, cut)?;
        self.frames[ply - 1].reduced = Depth::ZERO;
        if step.by > Depth::ZERO {
            self.observer.answer(step.method, self.nodes, value.score < beta);
            if step.again && value.score >= beta {
                self.observer.asks(Purpose::SearchedDeeper);
                return Ok(-self.mws(child, -beta + 1, step.depth, ply, !cut)?);
            }
        }
        Ok(value)
    }

    /// How deep to search a move.
    #[inline]
    pub(super) fn step<const SELECTIVE: bool>(
        &mut self,
        node: &Node,
        course: &mut Course,
        picked: (Move, Phase),
        child: &Position,
    ) -> Reduced {
        if !SELECTIVE && O::RANKS_FROM == Depth::NEVER {
            return Reduced::plain(node.depth - Depth::PLY);
        }
        self.weighed(node, course, picked, child)
    }

    /// A ply or the weight of its class, and what the methods for late moves take off.
    fn weighed(
        &mut self,
        node: &Node,
        course: &mut Course,
        (m, phase): (Move, Phase),
        child: &Position,
    ) -> Reduced {
        let Node { position, depth, ply, .. } = *node;
        let job = self.job;
        let rules = &job.rules.selective;
        let rank = course.searched + 1;
        self.observer.next_move();
        let width = self.frames[ply].inherited.width;
        self.frames[ply + 1].inherited.width = rules.tapered.below(width, rank);
        let weight = if rules.extensions.on { self.weight(node, course, m, child) } else { Depth::PLY };
        if O::DELTA > Depth::ZERO {
            let longer = self.lengthened(node, course, m, child);
            self.observer.stepped(ply, depth, longer);
        }
        self.frames[ply].extended = weight < Depth::PLY;
        let quiet = !is_noisy(m);
        let known = quiet && rules.late_moves.is_late(depth, rank);
        let code = self.rank_code(node, course, (m, phase));
        let facts = MoveFacts {
            number: rank,
            quiet,
            losing: phase == Phase::BadCapture,
            in_check: position.in_check(),
            gives_check: child.in_check(),
            weight,
            killer: phase == Phase::Killer,
            history: if known { self.memory.history.after(position.turn(), m, &course.trail) } else { 0 },
            pv: !node.window.is_minimal(),
            cut: node.cut,
            improving: self.frames[ply].improving,
            learned: code.and_then(|code| rules.rank_cut.learned(code)),
        };
        let late = rules.late_moves.reduction(depth, &facts);
        let mut reduced = Reduced { by: late, ..Reduced::plain(depth - weight) };
        if let Some(code) = code.filter(|_| facts.learned.is_none()) {
            let by = rules.rank_cut.reduction(&mut course.pruning, code, &facts);
            let by = by.min((depth - Depth::plies(2)).max(Depth::PLY));
            if by > reduced.by {
                reduced = Reduced { by, again: rules.rank_cut.research, method: Id::RankCut, ..reduced };
            }
        }
        reduced
    }

    /// What RankCut's table says of a move from the history phase on, where RankCut acts; the observer hears of its
    /// state where it asks for that.
    #[inline]
    fn rank_code(&mut self, node: &Node, course: &Course, (m, phase): (Move, Phase)) -> Option<u16> {
        let acts = self.rules.selective.rank_cut.applies(node.depth);
        if phase < Phase::Quiet || !(acts || node.depth >= O::RANKS_FROM) {
            return None;
        }
        let state = self.rank_state(node, course, m);
        self.observer.ranked(node.ply, state);
        acts.then(|| self.job.tables.rank_code(state))
    }

    /// The step of the move that is searched deeper than others, if this is the one.
    #[inline]
    pub(super) fn lengthen(&mut self, step: Reduced, m: Move, longer: &Longer, ply: usize) -> Reduced {
        if longer.m == PackedMove::NONE || longer.m != m.into() {
            return step;
        }
        self.observer.extended(longer.by);
        self.frames[ply].extended = longer.by > Depth::ZERO;
        Reduced::plain(step.depth + longer.by)
    }

    /// The weight of a move by its classes.
    fn weight(&mut self, node: &Node, course: &Course, m: Move, child: &Position) -> Depth {
        let Some(classes) = self.classes(node, course, m, child) else { return Depth::PLY };
        let stage = Stage::of(node.position.piece_worth());
        let weight = self.rules.selective.extensions.weight(stage, classes);
        if weight != Depth::PLY {
            self.observer.act(Id::Extensions);
            self.observer.classed(classes, weight);
        }
        weight
    }

    /// The classes of a move, unless the path is too long for any.
    fn classes(&self, node: &Node, course: &Course, m: Move, child: &Position) -> Option<Classes> {
        let Node { position, ply, .. } = *node;
        (ply < self.extension_limit).then(|| Classes {
            check: child.in_check(),
            recapture: ply > 0 && m.is_capture() && self.frames[ply - 1].captured_on == Some(m.to()),
            forced: course.forced,
            pawn: position.is_advanced_push(m),
            threat: self.frames[ply].threat,
        })
    }

    /// How much more a move would weigh if each class weighed what the observer adds.
    fn lengthened(
        &self,
        node: &Node,
        course: &Course,
        m: Move,
        child: &Position,
    ) -> [Depth; extensions::CLASSES] {
        let rule = &self.rules.selective.extensions;
        let classes = if rule.on { self.classes(node, course, m, child) } else { None };
        let stage = Stage::of(node.position.piece_worth());
        classes.map_or_else(Default::default, |classes| rule.lengthened(stage, classes, O::DELTA))
    }

    fn rank_state(&self, node: &Node, course: &Course, m: Move) -> usize {
        let far = 10_000;
        State {
            depth: node.depth.whole(),
            in_check: node.position.in_check(),
            number: course.searched + 1,
            changes: course.changes,
            lead: (course.best - node.window.alpha).max(-far),
            last: (course.last - course.best).max(-far),
            rest: is_noisy(m)
                || self.memory.history.quiet(node.position.turn(), m, course.trail.attacked) <= 0,
        }
        .index()
    }
}
