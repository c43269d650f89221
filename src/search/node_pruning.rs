//! Where the pure methods of [`selective`](crate::selective) meet the tree: their probes are searched here.

use shakmaty::Move;

use super::event::{End, Event, Purpose};
use super::move_depth::SingularExtension;
use super::move_picker::{PickedMove, Picker};
use super::move_pruning::MovePruner;
use super::node::{Ending, Frame, Inherited, MoveLoop, Node, Value};
use super::observer::Observer;
use super::transposition_table::TtEntry;
use super::{Searcher, Stopped};
use crate::board::{PackedMove, Position, see};
use crate::depth::Depth;
use crate::score::{Score, Window};
use crate::selective::multi_cut::MultiCutVerdict;
use crate::selective::null_move::NullMoveVerdict;
use crate::selective::singular::SingularVerdict;
use crate::selective::uncertainty::Doubt;
use crate::selective::{Facts, Id};

/// A move whose static value stands far above all others.
pub(super) struct StandoutMove {
    pub m: Move,
    /// The value of the second-best move.
    pub second: Score,
}

impl<O: Observer> Searcher<'_, O> {
    /// Tells that the probe of a method is over, and whether it succeeded.
    #[inline(always)]
    fn answer(&mut self, method: Id, success: bool) {
        self.tell(Event::Answer { method, nodes: self.nodes, success });
    }

    /// Reverse futility and razoring: a node so far above beta or below alpha that its static value decides, or at
    /// least that a ply less will do.
    #[inline(always)]
    pub(super) fn prune_statically(
        &mut self,
        node: &mut Node,
        facts: &mut Facts,
    ) -> Result<Option<Ending>, Stopped> {
        if let Some(score) = self.rules.selective.reverse_futility.cut(facts) {
            self.tell(Event::Act { method: Id::ReverseFutility });
            let margin = self.rules.selective.reverse_futility.margin(facts);
            self.tell(Event::Numbers([facts.eval.raw(), margin, 0]));
            return Ok(Some(Ending::new(score, End::ReverseFutility)));
        }
        if let Some(value) = self.razoring(node, facts)? {
            let margin = self.rules.selective.quiescence_razoring.margin(facts);
            self.tell(Event::Numbers([facts.eval.raw(), margin, 0]));
            return Ok(Some(Ending::new(value, End::QuiescenceRazoring)));
        }
        if let Some(shallower) = self.rules.selective.razoring.shallower(facts) {
            self.tell(Event::Act { method: Id::Razoring });
            (node.depth, facts.depth) = (shallower, shallower);
        }
        Ok(None)
    }

    /// Null-move pruning: passes and, where the rule wants that, verifies the cut-off by a search of the node.
    #[inline(always)]
    pub(super) fn null_move_pruning(
        &mut self,
        node: &Node,
        facts: &Facts,
    ) -> Result<Option<Ending>, Stopped> {
        let Some((verdict, doubt)) = self.null_move(node, facts)? else { return Ok(None) };
        if let NullMoveVerdict::Cut(score) = verdict {
            return Ok(Some(Ending::new(Value { score, doubt }, End::NullMove)));
        }
        let asked = node.verification(verdict);
        let facts = Facts { depth: asked.depth, ..*facts };
        let pruner = self.move_pruner(&facts);
        self.tell(Event::Verifies(true));
        let value = self.mws_moves::<true>(&asked, pruner, SingularExtension::NONE)?.value;
        self.tell(Event::Verifies(false));
        let verified = value.score >= node.window.beta;
        Ok(verified.then(|| Ending::new(value, End::NullMoveVerified)))
    }

    /// Searches a null move, if the rule plans one; what its value means, and how doubtful it is.
    fn null_move(&mut self, node: &Node, facts: &Facts) -> Result<Option<(NullMoveVerdict, Doubt)>, Stopped> {
        let rule = self.rules.selective.null_move;
        let Some(probe) = rule.plan(facts) else { return Ok(None) };
        let Some(passed) = self.pass(node.position, node.ply) else { return Ok(None) };
        self.tell(Event::Attempt { method: Id::NullMove, nodes: self.nodes });
        self.tell(Event::MoveBegun { ply: node.ply, depth: node.depth, class_deltas: Default::default() });
        self.tell(Event::Asks(Purpose::NullMove));
        let value = -self.mws(Node { depth: probe.depth, after_null: true, ..node.child(&passed) })?;
        let verdict = rule.conclude(facts, &probe, value.score);
        self.frames[node.ply].threat = verdict.is_none() && rule.threatened(&probe, value.score);
        self.answer(Id::NullMove, verdict.is_some());
        if verdict.is_some() {
            self.tell(Event::Numbers([value.score.raw(), probe.depth.raw(), 0]));
        }
        Ok(verdict.map(|verdict| (verdict, value.doubt)))
    }

    /// Razoring: the value of a node far below alpha that quiescence search does not raise, if the rule asks for that.
    fn razoring(&mut self, node: &Node, facts: &Facts) -> Result<Option<Value>, Stopped> {
        if !self.rules.selective.quiescence_razoring.applies(facts) {
            return Ok(None);
        }
        self.tell(Event::Attempt { method: Id::QuiescenceRazoring, nodes: self.nodes });
        self.tell(Event::Asks(Purpose::QuiescenceRazoring));
        let value = self.horizon(node.position, node.window, node.ply)?;
        let fails_low = value < node.window.beta;
        self.answer(Id::QuiescenceRazoring, fails_low);
        Ok(fails_low.then(|| value.into()))
    }

    /// ProbCut in its three forms: by regression, by a capture, and in check by a capture of the hash table.
    #[inline(always)]
    pub(super) fn predicted_cut(&mut self, node: &Node, facts: &Facts) -> Result<Option<Ending>, Stopped> {
        if self.rules.selective.prob_cut.applies(facts)
            && let Some(value) = self.prob_cut(node, facts)?
        {
            return Ok(Some(Ending::new(value, End::ProbCut)));
        }
        if let Some(value) = self.capture_prob_cut(node, facts)? {
            return Ok(Some(Ending::new(value, End::CaptureProbCut)));
        }
        Ok(self.check_cut(node, facts).map(|value| Ending::new(value, End::CheckCut)))
    }

    /// Runs the shallow searches that ProbCut plans here, until one decides.
    fn prob_cut(&mut self, node: &Node, facts: &Facts) -> Result<Option<Value>, Stopped> {
        let checks = self.rules.selective.prob_cut.plan(facts, &self.job.learned.fits);
        if checks.is_empty() {
            return Ok(None);
        }
        let Node { window, ply, .. } = *node;
        let before = self.frames[ply];
        let inherited = Inherited { probing: true, ..node.inherited };
        let mut found = None;
        for check in checks {
            self.tell(Event::Attempt { method: Id::ProbCut, nodes: self.nodes });
            self.tell(Event::Asks(Purpose::ProbCut));
            let asked = Node { depth: check.depth, window: Window::minimal(check.high), inherited, ..*node };
            let high = self.mws(asked)?;
            if high.score >= check.high {
                self.tell(Event::Numbers([check.high.raw(), high.score.raw(), check.depth.raw()]));
                found = Some(Value { score: window.beta, doubt: high.doubt });
            } else {
                self.tell(Event::Asks(Purpose::ProbCut));
                let low = self.mws(Node { window: Window::minimal(check.low + 1), ..asked })?;
                if low.score <= check.low {
                    self.tell(Event::Numbers([check.low.raw(), low.score.raw(), check.depth.raw()]));
                    found = Some(Value { score: window.alpha, doubt: low.doubt });
                }
            }
            self.answer(Id::ProbCut, found.is_some());
            if found.is_some() {
                break;
            }
        }
        self.restore(ply, &before);
        Ok(found)
    }

    /// Restores the frame that a search of the same node at the same ply has overwritten; killers are kept.
    fn restore(&mut self, ply: usize, before: &Frame) {
        let killers = self.frames[ply].killers;
        self.frames[ply] = Frame { killers, ..*before };
    }

    /// Runs the shallow searches that multi-cut plans here. `extension` receives a singular move, and the node its
    /// licence.
    pub(super) fn multi_cut(
        &mut self,
        node: &mut Node,
        facts: &Facts,
        extension: &mut SingularExtension,
    ) -> Result<Option<Value>, Stopped> {
        let rule = self.rules.selective.multi_cut;
        let Some(plan) = rule.plan(facts) else { return Ok(None) };
        let Node { position, window, ply, .. } = *node;
        self.tell(Event::Attempt { method: Id::MultiCut, nodes: self.nodes });
        self.note_attacks(position, ply);
        let mut picker = Picker::new(self.hints(&node.entry, node.ply));
        let (mut successes, mut searched, mut doubt, mut good) = (0, 0, Doubt::NONE, PackedMove::NONE);
        for _ in 0..plan.moves {
            let Some(PickedMove { m, .. }) = picker.next(position, &self.thread_data.history) else { break };
            let child = self.play(position, m, ply);
            self.tell(Event::MoveBegun {
                ply: node.ply,
                depth: node.depth,
                class_deltas: Default::default(),
            });
            self.tell(Event::Asks(Purpose::MultiCut));
            let value = -self.mws(Node { depth: plan.probe.depth, ..node.child(&child) })?;
            searched += 1;
            if value.score >= window.beta {
                successes += 1;
                doubt = doubt.or(value.doubt);
                good = m.into();
                if successes >= plan.cuts {
                    break;
                }
            }
        }
        let verdict = rule.conclude(&plan, successes, node.inherited.licensed);
        self.answer(Id::MultiCut, verdict == MultiCutVerdict::Cut);
        match verdict {
            MultiCutVerdict::Cut => {
                self.tell(Event::Numbers([successes, searched, plan.probe.depth.raw()]));
                return Ok(Some(Value { score: window.beta, doubt }));
            }
            MultiCutVerdict::License => node.inherited.licensed = true,
            MultiCutVerdict::Extend => {
                *extension = SingularExtension { m: good, by: Depth::PLY, method: Id::MultiCut }
            }
            MultiCutVerdict::Inconclusive => {}
        }
        Ok(None)
    }

    /// Searches the node without its hash move, if the rule plans that. `extension` receives the extension or reduction
    /// of the hash move; a value is returned if the node need not be searched at all.
    pub(super) fn singular(
        &mut self,
        node: &Node,
        facts: &Facts,
        extension: &mut SingularExtension,
    ) -> Result<Option<Value>, Stopped> {
        let ply = node.ply;
        let rule = self.rules.selective.singular;
        let Some(entry) = node.entry.filter(|entry| entry.best != PackedMove::NONE) else { return Ok(None) };
        let tt = entry.facts(ply);
        let Some(probe) = rule.plan(facts, &tt) else { return Ok(None) };
        if ply >= self.extension_limit {
            return Ok(None);
        }
        self.tell(Event::Attempt { method: Id::Singular, nodes: self.nodes });
        let before = self.frames[ply];
        self.tell(Event::Asks(Purpose::Singular));
        self.tell(Event::Numbers([tt.score.raw(), tt.depth.raw(), 0]));
        let window = Window::minimal(probe.beta);
        let value = self.mws(Node { window, depth: probe.depth, excluded: entry.best, ..*node })?;
        self.restore(ply, &before);
        let verdict = rule.conclude(facts, &tt, &probe, value.score);
        self.answer(Id::Singular, value.score < probe.beta);
        self.tell(Event::SingularTested(verdict));
        match verdict {
            _ if !self.rules.selective.uncertainty.accepts(value.doubt) => {}
            SingularVerdict::Cut(_) if !node.window.is_minimal() => {}
            SingularVerdict::Cut(score) => {
                self.tell(Event::Numbers([probe.beta.raw(), value.score.raw(), tt.score.raw()]));
                return Ok(Some(score.into()));
            }
            SingularVerdict::Extend(by) if by != Depth::ZERO => {
                *extension = SingularExtension { m: entry.best, by, method: Id::Singular }
            }
            SingularVerdict::Extend(_) => {}
        }
        Ok(None)
    }

    /// The value of a node in check for which the hash table knows a good enough capture.
    #[inline]
    fn check_cut(&mut self, node: &Node, facts: &Facts) -> Option<Score> {
        let entry = node.entry.filter(|_| facts.in_check)?;
        let rule = self.rules.selective.check_cut;
        let tt = entry.facts(node.ply);
        let value = rule.cut(facts, &tt)?;
        node.position.unpack(entry.best).filter(|m| m.is_capture())?;
        self.tell(Event::Act { method: Id::CheckCut });
        self.tell(Event::Numbers([tt.score.raw(), tt.depth.raw(), 0]));
        Some(value)
    }

    /// Tries captures that may reach well above beta in a shallower search, if the rule plans that.
    pub(super) fn capture_prob_cut(&mut self, node: &Node, facts: &Facts) -> Result<Option<Value>, Stopped> {
        let Node { position, ply, .. } = *node;
        let deep = |entry: &TtEntry| entry.bound.is_some() && entry.depth >= facts.depth - Depth::plies(3);
        let known = node.entry.filter(deep).map(|entry| entry.score(ply));
        let Some(probe) = self.rules.selective.capture_prob_cut.plan(facts, known) else { return Ok(None) };
        self.tell(Event::Attempt { method: Id::CaptureProbCut, nodes: self.nodes });
        let mut picker = Picker::of_captures(self.capture_hints(&node.entry), false);
        let mut found = None;
        while let Some(PickedMove { m, .. }) = picker.next(position, &self.thread_data.history) {
            if node.excluded == m.into() || !see::at_least(position, m, probe.beta - facts.static_eval) {
                continue;
            }
            let child = self.play(position, m, ply);
            self.tell(Event::MoveBegun {
                ply: node.ply,
                depth: node.depth,
                class_deltas: Default::default(),
            });
            self.tell(Event::Asks(Purpose::CaptureProbCut));
            let window = Window::minimal(-probe.beta + 1);
            let mut value: Value = (-self.horizon(&child, window, ply + 1)?).into();
            if value.score >= probe.beta {
                self.tell(Event::Asks(Purpose::CaptureProbCut));
                value = -self.mws(Node { window, depth: probe.depth, ..node.child(&child) })?;
            }
            if value.score >= probe.beta {
                let shallower = Node { depth: probe.depth + Depth::PLY, ..*node };
                if node.excluded == PackedMove::NONE {
                    self.store(&shallower, value, Some(m));
                }
                self.tell(Event::Numbers([probe.beta.raw(), value.score.raw(), probe.depth.raw()]));
                found = Some(value);
                break;
            }
        }
        self.answer(Id::CaptureProbCut, found.is_some());
        Ok(found)
    }

    /// The moves of a node: in the usual order, or ranked by their static values where only the best of
    /// them are searched. All evasions of a check are searched, so their order is the usual one.
    #[inline]
    pub(super) fn picker(&mut self, node: &Node) -> Picker {
        if self.width(node) == u32::MAX || node.position.in_check() {
            return Picker::new(self.hints(&node.entry, node.ply));
        }
        Picker::ranked(self.statically_ranked(node.position, node.ply).into_iter().map(|(m, _)| m))
    }

    /// Legal moves with the static values after them, the best first.
    fn statically_ranked(&mut self, position: &Position, ply: usize) -> Vec<(Move, Score)> {
        let mut ranked: Vec<(Move, Score)> = Vec::new();
        for m in position.legal_moves() {
            let child = self.play(position, m, ply);
            ranked.push((m, -self.evaluate(&child, ply + 1)));
        }
        ranked.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
        ranked
    }

    /// The move whose static value stands far above all others, if the rule looks for one.
    #[inline]
    pub(super) fn static_singular(&mut self, position: &Position, ply: usize) -> Option<StandoutMove> {
        let rule = self.rules.selective.static_singular;
        if !rule.on || position.in_check() || ply >= self.extension_limit {
            return None;
        }
        match self.statically_ranked(position, ply)[..] {
            [(m, best), (_, second), ..] if rule.stands_out(best, second) => Some(StandoutMove { m, second }),
            _ => None,
        }
    }

    /// The state of the move loop before the first move.
    #[inline]
    pub(super) fn move_loop<'f>(
        &mut self,
        node: &Node,
        pruner: MovePruner<'f>,
        extension: &SingularExtension,
    ) -> MoveLoop<'f> {
        self.tell(Event::NodeBegun { ply: node.ply });
        let hash_capture = node
            .hash_move()
            .squares()
            .is_some_and(|(_, to)| node.position.board().by_color(!node.position.turn()).contains(to));
        let singular = extension.method == Id::Singular && extension.by > Depth::ZERO;
        let forced = self.rules.selective.extensions.on
            && node.position.in_check()
            && node.position.legal_moves().len() == 1;
        MoveLoop {
            forced,
            hash_capture,
            singular_quiet: singular && !hash_capture,
            context: self.context(node.ply),
            pruner,
            ..MoveLoop::default()
        }
    }

    /// Corrects the depth of a node whose move was reduced.
    pub(super) fn hindsight(&mut self, node: &mut Node, facts: &mut Facts) {
        let Some(before) = node.ply.checked_sub(1).map(|ply| self.frames[ply].eval) else { return };
        if let Some(depth) = self.rules.selective.hindsight.adjusted(facts, node.reduced, before) {
            self.tell(Event::Act { method: Id::Hindsight });
            (node.depth, facts.depth) = (depth, depth);
        }
    }

    /// Searches a node shallower for which no move is known, and says whether it did.
    pub(super) fn internal_iterative_reduction(&mut self, node: &mut Node) -> bool {
        if node.hash_move() != PackedMove::NONE {
            return false;
        }
        let rule = self.rules.selective.internal_iterative_reduction;
        let Some(depth) = rule.shallower(node.depth, node.is_pv(), node.cut) else { return false };
        self.tell(Event::Act { method: Id::InternalIterativeReduction });
        node.depth = depth;
        true
    }
}
