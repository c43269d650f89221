//! Where the pure methods of [`selective`](crate::selective) meet the tree: their questions are searched here.

use shakmaty::Move;

use super::node::{Course, Value};
use super::observer::Observer;
use super::picker::{Phase, Picker, is_noisy};
use super::recursion::Node;
use super::visit::Purpose;
use super::{Algorithm, Searcher, Stopped};
use crate::depth::Depth;
use crate::position::{PackedMove, Position};
use crate::score::{Score, Window};
use crate::selective::extensions::{self, Classes};
use crate::selective::multi_cut;
use crate::selective::null_move::Verdict;
use crate::selective::rank_cut::State;
use crate::selective::singular::Known;
use crate::selective::{Facts, Id, MoveFacts, Stage};

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

/// Which quiet moves of a node are not searched.
pub(super) struct Gate {
    /// Moves after which quiet ones are skipped.
    quota: usize,
    /// The most a quiet move can reach, if that is too little.
    pub ceiling: Option<Score>,
    /// The node may give up on these facts (uncertainty cut-off), and whether it did.
    unsure: Option<Facts>,
    pub gave_up: bool,
}

impl Gate {
    /// Every move passes.
    pub const OPEN: Self = Self { quota: usize::MAX, ceiling: None, unsure: None, gave_up: false };
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
        match self.rules.algorithm {
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
        let value = -self.mws(child, -beta + 1, step.depth - step.by, ply, cut)?;
        if step.by > Depth::ZERO {
            self.observer.answer(step.method, self.nodes, value.score < beta);
            if step.again && value.score >= beta {
                self.observer.asks(Purpose::SearchedDeeper);
                return Ok(-self.mws(child, -beta + 1, step.depth, ply, !cut)?);
            }
        }
        Ok(value)
    }

    /// Passes, if the rule wants to, and says what came of it and whether that is uncertain.
    pub(super) fn null_move(
        &mut self,
        node: &Node,
        facts: &Facts,
    ) -> Result<Option<(Verdict, bool)>, Stopped> {
        let rule = self.rules.selective.null_move;
        let Some(probe) = rule.plan(facts) else { return Ok(None) };
        let Some(passed) = node.position.pass() else { return Ok(None) };
        self.observer.attempt(Id::NullMove, self.nodes);
        let frame = &mut self.frames[node.ply];
        (frame.passed, frame.extended) = (true, false);
        (frame.played, frame.captured_on) = (PackedMove::NONE, None);
        self.frames[node.ply + 1].inherited = self.frames[node.ply].inherited;
        self.observer.stepped(node.ply, node.depth, Default::default());
        self.observer.asks(Purpose::NullMove);
        let value = -self.mws(&passed, -probe.beta + 1, probe.depth, node.ply + 1, !facts.cut)?;
        self.frames[node.ply].passed = false;
        let verdict = rule.conclude(facts, &probe, value.score);
        self.frames[node.ply].threat = verdict.is_none() && rule.threatened(&probe, value.score);
        self.observer.answer(Id::NullMove, self.nodes, verdict.is_some());
        Ok(verdict.map(|verdict| (verdict, value.uncertain)))
    }

    /// Makes the shallow searches of ProbCut, if there are any here.
    pub(super) fn prob_cut(&mut self, node: &Node, facts: &Facts) -> Result<Option<Value>, Stopped> {
        let checks = self.rules.selective.prob_cut.plan(facts, &self.job.tables.fits);
        if checks.is_empty() {
            return Ok(None);
        }
        let Node { position, window, ply, .. } = *node;
        let before = self.frames[ply];
        self.frames[ply].inherited.probing = true;
        let mut found = None;
        for check in checks {
            self.observer.attempt(Id::ProbCut, self.nodes);
            self.observer.asks(Purpose::ProbCut);
            let high = self.mws(position, check.high, check.depth, ply, facts.cut)?;
            if high.score >= check.high {
                found = Some(Value { score: window.beta, uncertain: high.uncertain });
            } else {
                self.observer.asks(Purpose::ProbCut);
                let low = self.mws(position, check.low + 1, check.depth, ply, facts.cut)?;
                if low.score <= check.low {
                    found = Some(Value { score: window.alpha, uncertain: low.uncertain });
                }
            }
            self.observer.answer(Id::ProbCut, self.nodes, found.is_some());
            if found.is_some() {
                break;
            }
        }
        self.restore(ply, &before);
        Ok(found)
    }

    /// What a search of the same node at the same ply has written over; its killers stay.
    fn restore(&mut self, ply: usize, before: &super::node::Frame) {
        let killers = self.frames[ply].killers;
        self.frames[ply] = super::node::Frame { killers, ..*before };
    }

    /// Makes the shallow searches of multi-cut, if there are any here; `extend` receives a singular move.
    pub(super) fn multi_cut(
        &mut self,
        node: &Node,
        facts: &Facts,
        extend: &mut PackedMove,
    ) -> Result<Option<Value>, Stopped> {
        let rule = self.rules.selective.multi_cut;
        let Some(plan) = rule.plan(facts) else { return Ok(None) };
        let Node { position, window, ply, .. } = *node;
        self.observer.attempt(Id::MultiCut, self.nodes);
        let mut picker = Picker::new(self.hints(node));
        let (mut successes, mut uncertain, mut good) = (0, false, PackedMove::NONE);
        for _ in 0..plan.moves {
            let Some((m, _)) = picker.next(position, &self.memory.history) else { break };
            let child = self.play(position, m, ply);
            self.observer.stepped(ply, node.depth, Default::default());
            self.observer.asks(Purpose::MultiCut);
            let value = -self.mws(&child, -window.alpha, plan.probe.depth, ply + 1, !facts.cut)?;
            if value.score >= window.beta {
                successes += 1;
                uncertain |= value.uncertain;
                good = m.into();
                if successes >= plan.cuts {
                    break;
                }
            }
        }
        let verdict = rule.conclude(&plan, successes, self.frames[ply].inherited.licensed);
        self.observer.answer(Id::MultiCut, self.nodes, verdict == multi_cut::Verdict::Cut);
        match verdict {
            multi_cut::Verdict::Cut => return Ok(Some(Value { score: window.beta, uncertain })),
            multi_cut::Verdict::License => self.frames[ply].inherited.licensed = true,
            multi_cut::Verdict::Extend => *extend = good,
            multi_cut::Verdict::GoOn => {}
        }
        Ok(None)
    }

    /// Searches the node without its hash move, if the rule wants to, and says whether that move is alone.
    pub(super) fn is_singular(&mut self, node: &Node, facts: &Facts) -> Result<bool, Stopped> {
        let Node { position, ply, .. } = *node;
        let rule = self.rules.selective.singular;
        let Some(entry) = node.entry.filter(|entry| entry.best != PackedMove::NONE) else { return Ok(false) };
        let known = Known { score: entry.score(ply), bound: entry.bound, depth: entry.depth };
        let Some(probe) = rule.plan(facts, &known) else { return Ok(false) };
        if ply >= self.extension_limit {
            return Ok(false);
        }
        self.observer.attempt(Id::Singular, self.nodes);
        let before = self.frames[ply];
        self.frames[ply].excluded = entry.best;
        self.observer.asks(Purpose::Singular);
        let value = self.mws(position, probe.beta, probe.depth, ply, facts.cut)?;
        self.restore(ply, &before);
        let singular = !value.uncertain && rule.conclude(&probe, value.score);
        self.observer.answer(Id::Singular, self.nodes, singular);
        Ok(singular)
    }

    /// The moves of a node: in the usual order, or ranked by their static values where only the best of
    /// them are searched. All evasions of a check are searched, so their order is the usual one.
    #[inline]
    pub(super) fn picker(&mut self, node: &Node) -> Picker {
        if self.width(node.ply) == u32::MAX || node.position.in_check() {
            return Picker::new(self.hints(node));
        }
        Picker::ranked(self.statically_ranked(node.position).into_iter().map(|(m, _)| m))
    }

    /// Legal moves with the static values behind them, the best first.
    fn statically_ranked(&mut self, position: &Position) -> Vec<(Move, Score)> {
        let legal = position.legal_moves();
        let mut ranked: Vec<(Move, Score)> =
            legal.iter().map(|&m| (m, -self.evaluate(&position.play(m)))).collect();
        ranked.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
        ranked
    }

    /// The move whose static value stands far above all others, if the rule looks for one.
    #[inline]
    pub(super) fn static_singular(&mut self, position: &Position, ply: usize) -> Option<Move> {
        let rule = self.rules.selective.singular;
        if !rule.statically || position.in_check() || ply >= self.extension_limit {
            return None;
        }
        match self.statically_ranked(position)[..] {
            [(m, best), (_, second), ..] if rule.stands_out(best, second) => Some(m),
            _ => None,
        }
    }

    fn width(&self, ply: usize) -> u32 {
        self.rules.selective.n_best.width.min(self.frames[ply].inherited.width)
    }

    /// As many moves as the node may have were searched.
    #[inline]
    pub(super) fn out_of_width(&mut self, node: &Node, course: &Course) -> bool {
        if (course.searched as u32) < self.width(node.ply) || node.position.in_check() {
            return false;
        }
        let n_best = course.searched as u32 >= self.rules.selective.n_best.width;
        self.observer.act(if n_best { Id::NBest } else { Id::Tapered });
        true
    }

    /// What there is to know before the first move.
    #[inline]
    pub(super) fn course(&mut self, node: &Node) -> Course {
        self.observer.node_begun(node.ply);
        let forced = self.rules.selective.extensions.on
            && node.position.in_check()
            && node.position.legal_moves().len() == 1;
        Course { forced, ..Course::default() }
    }

    pub(super) fn gate(&self, facts: &Facts) -> Gate {
        let rules = &self.rules.selective;
        Gate {
            quota: rules.late_moves.quota(facts.depth, facts.in_check),
            ceiling: rules.futility.ceiling(facts),
            unsure: rules.uncertainty.applies(facts).then_some(*facts),
            gave_up: false,
        }
    }

    /// A quiet move is not searched any more: too many were, or the node gives up.
    #[inline]
    pub(super) fn gate_closed(&mut self, gate: &mut Gate, course: &Course, legal: usize) -> bool {
        if course.searched >= gate.quota && !course.best.is_loss() {
            self.observer.act(Id::LateMoves);
            return true;
        }
        if let Some(facts) = &gate.unsure
            && self.rules.selective.uncertainty.gives_up(facts, course.searched, legal, course.best)
        {
            self.observer.act(Id::Uncertainty);
            gate.gave_up = true;
            return true;
        }
        false
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
        let facts = MoveFacts {
            number: rank,
            quiet: !is_noisy(m),
            in_check: position.in_check(),
            gives_check: child.in_check(),
            weight,
        };
        let late = rules.late_moves.reduction(depth, &facts);
        let mut reduced = Reduced { by: late, ..Reduced::plain(depth - weight) };
        if phase >= Phase::Quiet && (rules.rank_cut.applies(depth) || depth >= O::RANKS_FROM) {
            let state = self.rank_state(node, course, m);
            self.observer.ranked(ply, state);
            let code = job.tables.rank_code(state);
            if rules.rank_cut.applies(depth) {
                let by = rules.rank_cut.reduction(&mut course.pruning, code, &facts);
                if by > reduced.by {
                    reduced = Reduced { by, again: rules.rank_cut.research, method: Id::RankCut, ..reduced };
                }
            }
        }
        if reduced.by > Depth::ZERO {
            self.observer.attempt(reduced.method, self.nodes);
        }
        reduced
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
            rest: is_noisy(m) || self.memory.history.quiet(node.position.turn(), m) <= 0,
        }
        .index()
    }
}
