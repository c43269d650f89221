//! Move pruning: moves of a node that are not searched at all.

use shakmaty::Move;

use super::Searcher;
use super::event::{CutNode, Event, Interest};
use super::move_picker::{PickStage, PickedMove, Picker, is_noisy};
use super::node::{MoveLoop, Node};
use super::observer::Observer;
use crate::board::{PackedMove, Position, see};
use crate::score::Score;
use crate::selective::uncertainty::Doubt;
use crate::selective::{Facts, Id};

/// What prunes single moves of a node, worked out before its move loop.
#[derive(Copy, Clone, Debug)]
pub(super) struct MovePruner<'a> {
    /// Moves after which quiet ones are skipped.
    quota: usize,
    /// The most a quiet move can reach, if that is below beta, and the method that says so.
    pub ceiling: Option<(Id, Score)>,
    /// Moves are judged one by one on these facts, at the depth they would be searched to.
    judged: Option<&'a Facts>,
    /// The node may give up on these facts (uncertainty cut-off), and how doubtful that makes it.
    unsure: Option<&'a Facts>,
    pub gave_up: Doubt,
}

impl MovePruner<'_> {
    /// No move is pruned.
    pub(super) const OFF: Self =
        Self { quota: usize::MAX, ceiling: None, judged: None, unsure: None, gave_up: Doubt::NONE };
}

/// Why a single move is pruned.
#[derive(Copy, Clone, Debug)]
struct PruneCause {
    method: Id,
    /// The number that decided: what the move could reach, or the least history or exchange it must have.
    by: i32,
}

/// What pruning decides before a move is played.
pub(super) enum Pruned {
    Nothing,
    /// This move, and perhaps the quiet moves after it.
    Move,
    /// All moves that are left.
    Rest,
}

impl<O: Observer> Searcher<'_, O> {
    /// What prunes single moves of a node with these facts.
    pub(super) fn move_pruner<'f>(&self, facts: &'f Facts) -> MovePruner<'f> {
        let rules = &self.rules.selective;
        MovePruner {
            quota: rules.late_move_pruning.quota(facts),
            ceiling: match rules.futility.ceiling(facts) {
                Some(ceiling) => Some((Id::Futility, ceiling)),
                None => rules.extended_futility.ceiling(facts).map(|most| (Id::ExtendedFutility, most)),
            },
            judged: self.rules.judges_moves.then_some(facts),
            unsure: rules.uncertainty.applies(facts).then_some(facts),
            gave_up: Doubt::NONE,
        }
    }

    /// What prunes single moves of a pv-node, if anything does.
    pub(super) fn pv_move_pruner<'f>(&self, facts: &'f Facts) -> MovePruner<'f> {
        if !self.rules.search.pv_pruning {
            return MovePruner::OFF;
        }
        MovePruner { ceiling: None, unsure: None, ..self.move_pruner(facts) }
    }

    /// A method leaves out a move, or all that are left. The observer is told, and the end of the node is named after the
    /// method if the tree is recorded.
    #[inline(always)]
    fn leave_out(&mut self, move_loop: &mut MoveLoop, method: Id, m: Option<Move>, by: i32) {
        self.tell(Event::Act { method });
        if O::WANTS.includes(Interest::TREE) {
            let m = m.map_or(PackedMove::NONE, PackedMove::new);
            self.observer.on(&Event::LeftOut { method, m, by });
            move_loop.without_cut = move_loop.without_cut.with_left_out(method);
        }
    }

    /// Whether the next move of a node is searched, and those after it.
    #[inline(always)]
    pub(super) fn prune(
        &mut self,
        node: &Node,
        move_loop: &mut MoveLoop,
        picked: PickedMove,
        picker: &mut Picker,
    ) -> Pruned {
        if node.excluded != PackedMove::NONE && node.excluded == picked.m.into() {
            return Pruned::Move;
        }
        if self.out_of_width(node, move_loop) {
            return Pruned::Rest;
        }
        move_loop.seen += 1;
        if !is_noisy(picked.m) && self.skip_quiets(move_loop, picked, picker.legal_count()) {
            picker.skip_quiets();
            return Pruned::Move;
        }
        if self.prune_move(node, move_loop, picked) { Pruned::Move } else { Pruned::Nothing }
    }

    /// Futility: a quiet move that neither gives nor evades check, at a node where such moves cannot reach beta.
    #[inline(always)]
    pub(super) fn futile(&mut self, move_loop: &mut MoveLoop, m: Move, after: &Position) -> bool {
        let Some((method, ceiling)) = move_loop.pruner.ceiling.filter(|_| move_loop.searched > 0) else {
            return false;
        };
        if is_noisy(m) || after.in_check() {
            return false;
        }
        self.leave_out(move_loop, method, Some(m), ceiling.raw());
        move_loop.best = move_loop.best.max(ceiling);
        true
    }

    /// Skips all quiet moves that are left: enough were searched, or the node gives up.
    #[inline]
    fn skip_quiets(&mut self, move_loop: &mut MoveLoop, picked: PickedMove, legal: usize) -> bool {
        let before = self.rules.selective.late_moves.number(move_loop.searched, move_loop.seen - 1);
        if before >= move_loop.pruner.quota && picked.stage == PickStage::Quiet && !move_loop.best.is_loss() {
            self.leave_out(move_loop, Id::LateMovePruning, None, move_loop.pruner.quota as i32);
            return true;
        }
        if let Some(facts) = move_loop.pruner.unsure
            && self.rules.selective.uncertainty.gives_up(facts, move_loop.searched, legal, move_loop.best)
        {
            self.leave_out(move_loop, Id::Uncertainty, None, move_loop.searched as i32);
            move_loop.pruner.gave_up = self.rules.selective.uncertainty.doubt(move_loop.searched, legal);
            return true;
        }
        false
    }

    /// Prunes a move that has been bad everywhere, cannot reach alpha, or loses material.
    #[inline]
    fn prune_move(&mut self, node: &Node, move_loop: &mut MoveLoop, picked: PickedMove) -> bool {
        let Some(facts) = move_loop.pruner.judged else { return false };
        if move_loop.searched == 0 || move_loop.best.is_loss() || !facts.has_pieces {
            return false;
        }
        let cause = match picked.stage {
            PickStage::Killer | PickStage::Quiet => self.prune_quiet(node, facts, move_loop, picked.m),
            PickStage::GoodCapture | PickStage::BadCapture => {
                self.prune_capture(node, facts, move_loop, picked)
            }
            PickStage::Hash => None,
        };
        let Some(PruneCause { method, by }) = cause else { return false };
        self.leave_out(move_loop, method, Some(picked.m), by);
        true
    }

    /// The facts of a node at the depth to which the move whose turn it is would be reduced.
    #[inline]
    fn at_lmr_depth(&self, facts: &Facts, move_loop: &MoveLoop) -> Facts {
        let rule = &self.rules.selective.late_moves;
        let number = rule.number(move_loop.searched + 1, move_loop.seen);
        Facts { depth: rule.lmr_depth(facts.depth, number, facts.improving), ..*facts }
    }

    /// What prunes a quiet move.
    fn prune_quiet(&self, node: &Node, facts: &Facts, move_loop: &MoveLoop, m: Move) -> Option<PruneCause> {
        let (position, rules) = (node.position, &self.rules.selective);
        let judged = self.at_lmr_depth(facts, move_loop);
        let cause = |method, by| Some(PruneCause { method, by });
        // A check may be worth more than it looks, unless it loses much.
        let as_check = || {
            move_loop.gives_check(position, m).then(|| {
                let least = rules.see_pruning.least_capture(facts)?;
                if loses(position, m, least) { cause(Id::SeePruning, least) } else { None }
            })
        };
        let (history, side) = (&self.thread_data.history, position.turn());
        let behind = history.continuation_score(side, m, &move_loop.context);
        let floor = rules.history_pruning.floor(&judged, facts.depth);
        if behind < floor {
            return as_check().unwrap_or(cause(Id::HistoryPruning, floor));
        }
        if let Some(ceiling) = rules.deep_futility.ceiling(&judged) {
            let history = 2 * history.quiet(side, m, move_loop.context.attacked) + behind;
            let reach = ceiling + rules.deep_futility.by_history(history);
            if reach <= node.window.alpha {
                return as_check().unwrap_or(cause(Id::DeepFutility, reach.raw()));
            }
        }
        let least = rules.see_pruning.least_quiet(&judged)?;
        if loses(position, m, least) {
            return as_check().unwrap_or(cause(Id::SeePruning, least));
        }
        None
    }

    /// What prunes a capture.
    fn prune_capture(
        &self,
        node: &Node,
        facts: &Facts,
        move_loop: &MoveLoop,
        PickedMove { m, stage }: PickedMove,
    ) -> Option<PruneCause> {
        let (position, rules) = (node.position, &self.rules.selective);
        let judged = self.at_lmr_depth(facts, move_loop);
        let history = self.thread_data.history.capture(position.turn(), m);
        let reach = rules.capture_futility.ceiling(&judged, see::captured_value(m), history);
        if let Some(reach) = reach.filter(|reach| *reach < facts.alpha)
            && m.promotion().is_none()
            && !move_loop.gives_check(position, m)
        {
            return Some(PruneCause { method: Id::CaptureFutility, by: reach.raw() });
        }
        let least = rules.see_pruning.least_capture(facts).filter(|_| stage == PickStage::BadCapture)?;
        loses(position, m, least).then_some(PruneCause { method: Id::SeePruning, by: least })
    }

    /// The most moves that are searched at a node.
    pub(super) fn width(&self, node: &Node) -> u32 {
        self.rules.selective.n_best.width.min(node.inherited.width)
    }

    /// The node has searched as many moves as N-best or tapering allow. If all of them lose by force, the others are
    /// searched too: a mate is proved only if no reply was left out.
    #[inline]
    pub(super) fn out_of_width(&mut self, node: &Node, move_loop: &mut MoveLoop) -> bool {
        let enough = move_loop.searched as u32 >= self.width(node);
        if !enough || node.position.in_check() || move_loop.best.is_loss() {
            return false;
        }
        let n_best = move_loop.searched as u32 >= self.rules.selective.n_best.width;
        let by = move_loop.searched as i32;
        self.leave_out(move_loop, if n_best { Id::NBest } else { Id::Tapered }, None, by);
        true
    }

    /// Tells of an expected cut-node whose moves are about to be searched.
    #[inline(always)]
    pub(super) fn tell_expected_cut(&mut self, node: &Node, move_loop: &MoveLoop) {
        if O::WANTS.includes(Interest::CUTS) && node.cut {
            let Node { position, window, depth, ply, .. } = *node;
            let (history, attacked) = (&self.thread_data.history, move_loop.context.attacked);
            let node = &CutNode { position, beta: window.beta, depth, history, attacked };
            self.observer.on(&Event::ExpectsCut { ply, node });
        }
    }

    /// Tells whether the expected cut-off came.
    #[inline(always)]
    pub(super) fn tell_cut(&mut self, node: &Node, move_loop: &MoveLoop) {
        if node.cut {
            self.tell(Event::ExpectedCut { ply: node.ply, cut: move_loop.best >= node.window.beta });
        }
    }
}

/// The exchange that begins with `m` wins less than `least`.
fn loses(position: &Position, m: Move, least: i32) -> bool {
    !see::at_least(position, m, least)
}
