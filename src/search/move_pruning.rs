//! Which moves of a node are not searched at all.

use shakmaty::Move;

use super::Searcher;
use super::alpha_beta::Node;
use super::move_picker::Phase;
use super::node::Course;
use super::observer::Observer;
use crate::board::Position;
use crate::board::see;
use crate::score::Score;
use crate::selective::see_pruning::Least;
use crate::selective::{Facts, Id};

/// Which moves of a node are not searched.
pub(super) struct Gate {
    /// Moves after which quiet ones are skipped.
    quota: usize,
    /// The most a quiet move can reach, if that is too little.
    pub ceiling: Option<Score>,
    /// Quiet moves are judged one by one on these facts, at the depth they would be searched to.
    judged: Option<Facts>,
    /// What captures must win in their exchange.
    exchange: Option<Least>,
    /// The node may give up on these facts (uncertainty cut-off), and whether it did.
    unsure: Option<Facts>,
    pub gave_up: bool,
}

impl Gate {
    /// Every move passes.
    pub const OPEN: Self =
        Self { quota: usize::MAX, ceiling: None, judged: None, exchange: None, unsure: None, gave_up: false };
}

impl<O: Observer> Searcher<'_, O> {
    pub(super) fn gate(&self, facts: &Facts) -> Gate {
        let rules = &self.rules.selective;
        Gate {
            quota: rules.late_moves.quota(facts),
            ceiling: rules.futility.ceiling(facts),
            judged: self.rules.judges_moves.then_some(*facts),
            exchange: rules.see_pruning.least(facts),
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
        let verdict = match phase {
            Phase::Quiet => self.hopeless_quiet(node, gate, course, m),
            Phase::BadCapture => gate
                .exchange
                .filter(|least| loses(node.position, m, least.capture))
                .map(|_| (Id::Exchange, course.best)),
            _ => None,
        };
        // A check may be worth more than it looks.
        let Some((method, most)) = verdict.filter(|_| !node.position.gives_check(m)) else { return false };
        self.observer.act(method);
        course.best = most;
        true
    }

    /// Which method does without a quiet move, and the most it could reach.
    fn hopeless_quiet(&self, node: &Node, gate: &Gate, course: &Course, m: Move) -> Option<(Id, Score)> {
        let facts = gate.judged?;
        let (position, rules) = (node.position, &self.rules.selective);
        let facts = Facts { depth: rules.late_moves.prospect(facts.depth, course.searched + 1), ..facts };
        let (floor, ceiling) = (rules.late_moves.history_floor(&facts), rules.futility.deep_ceiling(&facts));
        if floor > i32::MIN || ceiling.is_some() {
            let history = self.memory.history.after(position.turn(), m, &course.trail);
            if history < floor {
                return Some((Id::LateMoves, course.best));
            }
            let reach = ceiling.map(|most| most + rules.futility.by_history(history));
            if let Some(reach) = reach.filter(|reach| *reach < node.window.beta) {
                return Some((Id::Futility, course.best.max(reach)));
            }
        }
        let losing = rules.see_pruning.least(&facts).filter(|least| loses(position, m, least.quiet));
        losing.map(|_| (Id::Exchange, course.best))
    }

    pub(super) fn width(&self, ply: usize) -> u32 {
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
}

/// The exchange that begins with `m` wins less than `least`.
fn loses(position: &Position, m: Move, least: i32) -> bool {
    !see::at_least(position, m, least)
}
