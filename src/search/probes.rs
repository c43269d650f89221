//! Where the pure methods of [`selective`](crate::selective) meet the tree: their questions are searched here.

use shakmaty::Move;

use super::history::Footprint;
use super::node::{Course, Value};
use super::observer::Observer;
use super::picker::{Phase, Picker, is_noisy};
use super::recursion::Node;
use super::visit::Purpose;
use super::{Algorithm, Searcher, Stopped};
use crate::depth::Depth;
use crate::position::{PackedMove, Position};
use crate::score::Bound;
use crate::score::{Score, Window};
use crate::see;
use crate::selective::exchange::Least;
use crate::selective::extensions::{self, Classes};
use crate::selective::multi_cut;
use crate::selective::null_move::Verdict;
use crate::selective::rank_cut::State;
use crate::selective::singular::{self, Known};
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

/// A move that is searched deeper than others, or shallower.
#[derive(Copy, Clone, Debug)]
pub(super) struct Longer {
    m: PackedMove,
    by: Depth,
}

impl Longer {
    /// All moves are searched alike.
    pub const NONE: Self = Self { m: PackedMove::NONE, by: Depth::ZERO };
}

/// Which moves of a node are not searched.
pub(super) struct Gate {
    /// Moves after which quiet ones are skipped.
    quota: usize,
    /// The most a quiet move can reach, if that is too little.
    pub ceiling: Option<Score>,
    /// The same for a move without a history, if moves are judged by theirs.
    deep_ceiling: Option<Score>,
    /// Quiet moves with a worse history are skipped.
    history_floor: i32,
    /// What moves must win in their exchange.
    exchange: Option<Least>,
    /// The node may give up on these facts (uncertainty cut-off), and whether it did.
    unsure: Option<Facts>,
    pub gave_up: bool,
}

impl Gate {
    /// Every move passes.
    pub const OPEN: Self = Self {
        quota: usize::MAX,
        ceiling: None,
        deep_ceiling: None,
        history_floor: i32::MIN,
        exchange: None,
        unsure: None,
        gave_up: false,
    };
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
        (frame.played, frame.footprint, frame.captured_on) = (PackedMove::NONE, Footprint::NONE, None);
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

    /// Makes the shallow searches of multi-cut, if there are any here; `longer` receives a singular move.
    pub(super) fn multi_cut(
        &mut self,
        node: &Node,
        facts: &Facts,
        longer: &mut Longer,
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
            multi_cut::Verdict::Extend => *longer = Longer { m: good, by: Depth::PLY },
            multi_cut::Verdict::GoOn => {}
        }
        Ok(None)
    }

    /// Searches the node without its hash move, if the rule wants to. `longer` receives what that says of
    /// the hash move; a value is returned if it says that the node need not be searched at all.
    pub(super) fn singular(
        &mut self,
        node: &Node,
        facts: &Facts,
        longer: &mut Longer,
    ) -> Result<Option<Value>, Stopped> {
        let Node { position, ply, .. } = *node;
        let rule = self.rules.selective.singular;
        let Some(entry) = node.entry.filter(|entry| entry.best != PackedMove::NONE) else { return Ok(None) };
        let known = Known { score: entry.score(ply), bound: entry.bound, depth: entry.depth };
        let Some(probe) = rule.plan(facts, &known) else { return Ok(None) };
        if ply >= self.extension_limit {
            return Ok(None);
        }
        self.observer.attempt(Id::Singular, self.nodes);
        let before = self.frames[ply];
        self.frames[ply].excluded = entry.best;
        self.observer.asks(Purpose::Singular);
        let value = self.mws(position, probe.beta, probe.depth, ply, facts.cut)?;
        self.restore(ply, &before);
        let verdict = rule.conclude(facts, &known, &probe, value.score);
        self.observer.answer(Id::Singular, self.nodes, value.score < probe.beta);
        match verdict {
            _ if value.uncertain => {}
            singular::Verdict::Cut(_) if !node.window.is_minimal() => {}
            singular::Verdict::Cut(score) => return Ok(Some(score.into())),
            singular::Verdict::Lengthen(by) if by != Depth::ZERO => *longer = Longer { m: entry.best, by },
            singular::Verdict::Lengthen(_) => {}
        }
        Ok(None)
    }

    /// Tries captures that may prove well above beta in a shallower search, if the rule wants to.
    pub(super) fn capture_cut(&mut self, node: &Node, facts: &Facts) -> Result<Option<Value>, Stopped> {
        let Node { position, ply, .. } = *node;
        let known = node.entry.filter(|entry| entry.depth >= facts.depth - Depth::plies(3));
        let known = known.filter(|entry| matches!(entry.bound, Some(Bound::Upper | Bound::Exact)));
        let known = known.map(|entry| entry.score(ply));
        let Some(probe) = self.rules.selective.capture_cut.plan(facts, known) else { return Ok(None) };
        self.observer.attempt(Id::CaptureCut, self.nodes);
        let mut picker = Picker::of_kind(self.hints(node), true);
        let mut found = None;
        while let Some((m, _)) = picker.next(position, &self.memory.history) {
            if !see::at_least(position, m, probe.beta - facts.eval) {
                continue;
            }
            let child = self.play(position, m, ply);
            self.observer.stepped(ply, node.depth, Default::default());
            self.observer.asks(Purpose::CaptureCut);
            let mut value: Value = (-self.horizon(&child, Window::minimal(-probe.beta + 1), ply + 1)?).into();
            if value.score >= probe.beta {
                self.observer.asks(Purpose::CaptureCut);
                value = -self.mws(&child, -probe.beta + 1, probe.depth, ply + 1, !facts.cut)?;
            }
            if value.score >= probe.beta {
                let shallower = Node { depth: probe.depth + Depth::PLY, ..*node };
                self.remember(&shallower, value, Some(m), &Default::default());
                found = Some(value);
                break;
            }
        }
        self.observer.answer(Id::CaptureCut, self.nodes, found.is_some());
        Ok(found)
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
        Course { forced, trail: self.trail(node.ply), ..Course::default() }
    }

    pub(super) fn gate(&self, facts: &Facts) -> Gate {
        let rules = &self.rules.selective;
        Gate {
            quota: rules.late_moves.quota(facts),
            ceiling: rules.futility.ceiling(facts),
            deep_ceiling: rules.futility.deep_ceiling(facts),
            history_floor: rules.late_moves.history_floor(facts),
            exchange: rules.exchange.least(facts),
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

    /// A move that is not worth searching: bad everywhere before, unable to reach beta, or losing material.
    #[inline]
    pub(super) fn hopeless(
        &mut self,
        node: &Node,
        gate: &Gate,
        course: &mut Course,
        (m, phase): (Move, Phase),
    ) -> bool {
        if course.searched == 0 || course.best.is_loss() {
            return false;
        }
        match phase {
            Phase::Quiet => self.hopeless_quiet(node, gate, course, m),
            Phase::BadCapture
                if gate.exchange.is_some_and(|least| loses(node.position, m, least.capture)) =>
            {
                self.observer.act(Id::Exchange);
                true
            }
            _ => false,
        }
    }

    fn hopeless_quiet(&mut self, node: &Node, gate: &Gate, course: &mut Course, m: Move) -> bool {
        let position = node.position;
        let (mut method, mut most) = (None, course.best);
        if gate.history_floor > i32::MIN || gate.deep_ceiling.is_some() {
            let history = self.memory.history.after(position.turn(), m, &course.trail);
            let reach =
                gate.deep_ceiling.map(|most| most + self.rules.selective.futility.by_history(history));
            if history < gate.history_floor {
                method = Some(Id::LateMoves);
            } else if let Some(reach) = reach.filter(|reach| *reach < node.window.beta) {
                (method, most) = (Some(Id::Futility), most.max(reach));
            }
        }
        if method.is_none() && gate.exchange.is_some_and(|least| loses(position, m, least.quiet)) {
            method = Some(Id::Exchange);
        }
        // A check may be worth more than it looks.
        let Some(method) = method.filter(|_| !position.gives_check(m)) else { return false };
        self.observer.act(method);
        course.best = most;
        true
    }

    /// Searches a node shallower for which no move is known, and says whether it did.
    pub(super) fn reduce_unknown(&mut self, node: &mut Node) -> bool {
        let hash_move = node.entry.is_some_and(|entry| entry.best != PackedMove::NONE);
        let Some(depth) = self.rules.selective.internal_reduction.shallower(node.depth, hash_move) else {
            return false;
        };
        self.observer.act(Id::InternalReduction);
        self.observer.razored();
        node.depth = depth;
        true
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
        let known = rules.late_moves.is_late(depth, rank, quiet);
        let facts = MoveFacts {
            number: rank,
            quiet,
            in_check: position.in_check(),
            gives_check: child.in_check(),
            weight,
            killer: phase == Phase::Killer,
            history: if known { self.memory.history.after(position.turn(), m, &course.trail) } else { 0 },
            pv: !node.window.is_minimal(),
            cut: node.cut,
            improving: self.frames[ply].improving,
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

/// The exchange that begins with `m` wins less than `least`.
fn loses(position: &Position, m: Move, least: i32) -> bool {
    !see::at_least(position, m, least)
}
