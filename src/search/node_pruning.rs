//! Where the pure methods of [`selective`](crate::selective) meet the tree: their questions are searched here.

use shakmaty::Move;

use super::event::Purpose;
use super::history::PieceTo;
use super::move_depth::SingularExtension;
use super::move_picker::Picker;
use super::node::{Frame, Inherited, MoveLoop, Node, Value};
use super::observer::Observer;
use super::{Searcher, Stopped};
use crate::board::see;
use crate::board::{PackedMove, Position};
use crate::depth::Depth;
use crate::score::{Bound, Score, Window};
use crate::selective::multi_cut::MultiCutVerdict;
use crate::selective::null_move::NullMoveVerdict;
use crate::selective::singular::{Known, SingularVerdict};
use crate::selective::{Facts, Id};

impl<O: Observer> Searcher<'_, O> {
    /// Passes, if the rule wants to, and says what came of it and whether that is uncertain.
    pub(super) fn null_move(
        &mut self,
        node: &Node,
        facts: &Facts,
    ) -> Result<Option<(NullMoveVerdict, bool)>, Stopped> {
        let rule = self.rules.selective.null_move;
        let Some(probe) = rule.plan(facts) else { return Ok(None) };
        let Some(passed) = node.position.pass() else { return Ok(None) };
        self.observer.attempt(Id::NullMove, self.nodes);
        let frame = &mut self.frames[node.ply];
        (frame.played, frame.piece_to, frame.captured_on) = (PackedMove::NONE, PieceTo::NONE, None);
        self.observer.stepped(node.ply, node.depth, Default::default());
        self.observer.asks(Purpose::NullMove);
        let value = -self.mws(Node { depth: probe.depth, after_null: true, ..node.child(&passed) })?;
        let verdict = rule.conclude(facts, &probe, value.score);
        self.frames[node.ply].threat = verdict.is_none() && rule.threatened(&probe, value.score);
        self.observer.answer(Id::NullMove, self.nodes, verdict.is_some());
        Ok(verdict.map(|verdict| (verdict, value.uncertain)))
    }

    /// Razoring: the value of a node far below alpha that quiescence search does not raise, if the rule asks for that.
    pub(super) fn razoring(&mut self, node: &Node, facts: &Facts) -> Result<Option<Value>, Stopped> {
        if !self.rules.selective.futility.razors_to_quiescence(facts) {
            return Ok(None);
        }
        self.observer.attempt(Id::Futility, self.nodes);
        self.observer.asks(Purpose::Razoring);
        let value = self.horizon(node.position, node.window, node.ply)?;
        let fails_low = value < node.window.beta;
        self.observer.answer(Id::Futility, self.nodes, fails_low);
        Ok(fails_low.then(|| value.into()))
    }

    /// Makes the shallow searches of ProbCut, if there are any here.
    pub(super) fn prob_cut(&mut self, node: &Node, facts: &Facts) -> Result<Option<Value>, Stopped> {
        let checks = self.rules.selective.prob_cut.plan(facts, &self.job.learned.fits);
        if checks.is_empty() {
            return Ok(None);
        }
        let Node { window, ply, .. } = *node;
        let before = self.frames[ply];
        let inherited = Inherited { probing: true, ..node.inherited };
        let mut found = None;
        for check in checks {
            self.observer.attempt(Id::ProbCut, self.nodes);
            self.observer.asks(Purpose::ProbCut);
            let asked = Node { depth: check.depth, window: Window::minimal(check.high), inherited, ..*node };
            let high = self.mws(asked)?;
            if high.score >= check.high {
                found = Some(Value { score: window.beta, uncertain: high.uncertain });
            } else {
                self.observer.asks(Purpose::ProbCut);
                let low = self.mws(Node { window: Window::minimal(check.low + 1), ..asked })?;
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
    fn restore(&mut self, ply: usize, before: &Frame) {
        let killers = self.frames[ply].killers;
        self.frames[ply] = Frame { killers, ..*before };
    }

    /// Makes the shallow searches of multi-cut, if there are any here; `extension` receives a singular move, and
    /// the node its licence.
    pub(super) fn multi_cut(
        &mut self,
        node: &mut Node,
        facts: &Facts,
        extension: &mut SingularExtension,
    ) -> Result<Option<Value>, Stopped> {
        let rule = self.rules.selective.multi_cut;
        let Some(plan) = rule.plan(facts) else { return Ok(None) };
        let Node { position, window, ply, .. } = *node;
        self.observer.attempt(Id::MultiCut, self.nodes);
        self.note_attacks(position, ply);
        let mut picker = Picker::new(self.hints(&node.entry, node.ply));
        let (mut successes, mut uncertain, mut good) = (0, false, PackedMove::NONE);
        for _ in 0..plan.moves {
            let Some((m, _)) = picker.next(position, &self.thread_data.history) else { break };
            let child = self.play(position, m, ply);
            self.observer.stepped(ply, node.depth, Default::default());
            self.observer.asks(Purpose::MultiCut);
            let value = -self.mws(Node { depth: plan.probe.depth, ..node.child(&child) })?;
            if value.score >= window.beta {
                successes += 1;
                uncertain |= value.uncertain;
                good = m.into();
                if successes >= plan.cuts {
                    break;
                }
            }
        }
        let verdict = rule.conclude(&plan, successes, node.inherited.licensed);
        self.observer.answer(Id::MultiCut, self.nodes, verdict == MultiCutVerdict::Cut);
        match verdict {
            MultiCutVerdict::Cut => return Ok(Some(Value { score: window.beta, uncertain })),
            MultiCutVerdict::License => node.inherited.licensed = true,
            MultiCutVerdict::Extend => *extension = SingularExtension { m: good, by: Depth::PLY },
            MultiCutVerdict::GoOn => {}
        }
        Ok(None)
    }

    /// Searches the node without its hash move, if the rule wants to. `extension` receives what that says of
    /// the hash move; a value is returned if it says that the node need not be searched at all.
    pub(super) fn singular(
        &mut self,
        node: &Node,
        facts: &Facts,
        extension: &mut SingularExtension,
    ) -> Result<Option<Value>, Stopped> {
        let ply = node.ply;
        let rule = self.rules.selective.singular;
        let Some(entry) = node.entry.filter(|entry| entry.best != PackedMove::NONE) else { return Ok(None) };
        let known = Known { score: entry.score(ply), bound: entry.bound, depth: entry.depth };
        let Some(probe) = rule.plan(facts, &known) else { return Ok(None) };
        if ply >= self.extension_limit {
            return Ok(None);
        }
        self.observer.attempt(Id::Singular, self.nodes);
        let before = self.frames[ply];
        self.observer.asks(Purpose::Singular);
        let window = Window::minimal(probe.beta);
        let value = self.mws(Node { window, depth: probe.depth, excluded: entry.best, ..*node })?;
        self.restore(ply, &before);
        let verdict = rule.conclude(facts, &known, &probe, value.score);
        self.observer.answer(Id::Singular, self.nodes, value.score < probe.beta);
        match verdict {
            _ if value.uncertain => {}
            SingularVerdict::Cut(_) if !node.window.is_minimal() => {}
            SingularVerdict::Cut(score) => return Ok(Some(score.into())),
            SingularVerdict::Extend(by) if by != Depth::ZERO => {
                *extension = SingularExtension { m: entry.best, by }
            }
            SingularVerdict::Extend(_) => {}
        }
        Ok(None)
    }

    /// Tries captures that may prove well above beta in a shallower search, if the rule wants to.
    pub(super) fn capture_prob_cut(&mut self, node: &Node, facts: &Facts) -> Result<Option<Value>, Stopped> {
        let Node { position, ply, .. } = *node;
        let known = node.entry.filter(|entry| entry.depth >= facts.depth - Depth::plies(3));
        let known = known.filter(|entry| matches!(entry.bound, Some(Bound::Upper | Bound::Exact)));
        let known = known.map(|entry| entry.score(ply));
        let Some(probe) = self.rules.selective.capture_prob_cut.plan(facts, known) else { return Ok(None) };
        self.observer.attempt(Id::CaptureCut, self.nodes);
        let mut picker = Picker::of_kind(self.hints(&node.entry, node.ply), true);
        let mut found = None;
        while let Some((m, _)) = picker.next(position, &self.thread_data.history) {
            if !see::at_least(position, m, probe.beta - facts.eval) {
                continue;
            }
            let child = self.play(position, m, ply);
            self.observer.stepped(ply, node.depth, Default::default());
            self.observer.asks(Purpose::CaptureCut);
            let window = Window::minimal(-probe.beta + 1);
            let mut value: Value = (-self.horizon(&child, window, ply + 1)?).into();
            if value.score >= probe.beta {
                self.observer.asks(Purpose::CaptureCut);
                value = -self.mws(Node { window, depth: probe.depth, ..node.child(&child) })?;
            }
            if value.score >= probe.beta {
                let shallower = Node { depth: probe.depth + Depth::PLY, ..*node };
                self.store(&shallower, value, Some(m), &Default::default());
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
        if self.width(node) == u32::MAX || node.position.in_check() {
            return Picker::new(self.hints(&node.entry, node.ply));
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

    /// What there is to know before the first move.
    #[inline]
    pub(super) fn move_loop(&mut self, node: &Node) -> MoveLoop {
        self.observer.node_begun(node.ply);
        let forced = self.rules.selective.extensions.on
            && node.position.in_check()
            && node.position.legal_moves().len() == 1;
        MoveLoop { forced, context: self.context(node.ply), ..MoveLoop::default() }
    }

    /// Corrects the depth of a node whose move was reduced.
    pub(super) fn hindsight(&mut self, node: &mut Node, facts: &mut Facts) {
        let Some(before) = node.ply.checked_sub(1).map(|ply| self.frames[ply].eval) else { return };
        if let Some(depth) = self.rules.selective.hindsight.adjusted(facts, node.reduced, before) {
            self.observer.act(Id::Hindsight);
            (node.depth, facts.depth) = (depth, depth);
        }
    }

    /// Searches a node shallower for which no move is known, and says whether it did.
    pub(super) fn internal_iterative_reduction(&mut self, node: &mut Node) -> bool {
        let hash_move = node.entry.is_some_and(|entry| entry.best != PackedMove::NONE);
        let Some(depth) = self.rules.selective.internal_iterative_reduction.shallower(node.depth, hash_move)
        else {
            return false;
        };
        self.observer.act(Id::InternalReduction);
        node.depth = depth;
        true
    }
}
