//! Watching a search without slowing those that nobody watches.
//!
//! The searcher is generic over its observer, so [`Silent`] compiles to nothing.

use shakmaty::Bitboard;

use super::event::{End, Purpose, Visit};
use super::history::History;
use crate::board::Position;
use crate::depth::Depth;
use crate::score::Score;
use crate::selective::extensions::{CLASSES, Classes};
use crate::selective::{Id, METHODS};

/// What a search tells while it runs. Every default does nothing.
pub trait Observer: Default + Send {
    /// Wants to hear of the states that RankCut tells apart, from this depth on.
    const RANKS_FROM: Depth = Depth::NEVER;

    /// Wants to hear how much deeper paths would be if a class of moves weighed so much more.
    const DELTA: Depth = Depth::ZERO;

    /// Wants to hear of expected cut-nodes.
    const CUTS: bool = false;

    /// Wants to hear of every node.
    const TREE: bool = false;

    /// A method asks its question; `nodes` have been searched so far.
    #[inline(always)]
    fn attempt(&mut self, _method: Id, _nodes: u64) {}

    /// The question is answered; `success` if the method got what it hoped for.
    #[inline(always)]
    fn answer(&mut self, _method: Id, _nodes: u64, _success: bool) {}

    /// A method decided something without asking the tree.
    #[inline(always)]
    fn act(&mut self, _method: Id) {}

    /// A node at this ply is looked at; those that only the quiescence search sees are not told of.
    #[inline(always)]
    fn visited(&mut self, _ply: usize) {}

    /// A move is about to be searched from the node at this ply, which has so much depth left; by how much
    /// it would weigh more if each class weighed [`DELTA`](Self::DELTA) more.
    #[inline(always)]
    fn stepped(&mut self, _ply: usize, _depth: Depth, _longer: [Depth; CLASSES]) {}

    /// An iteration is complete.
    #[inline(always)]
    fn iterated(&mut self, _depth: i32) {}

    /// The moves of a node at this ply are about to be searched.
    #[inline(always)]
    fn node_begun(&mut self, _ply: usize) {}

    /// The next move of the node at this ply is in this state of RankCut.
    #[inline(always)]
    fn ranked(&mut self, _ply: usize, _state: usize) {}

    /// A move of the node at this ply was searched, and became the best or not.
    #[inline(always)]
    fn searched(&mut self, _ply: usize, _best: bool) {}

    /// All moves of the node at this ply that are going to be searched were.
    #[inline(always)]
    fn node_done(&mut self, _ply: usize) {}

    /// The moves of an expected cut-node at this ply are about to be searched.
    #[inline(always)]
    fn expects_cut(&mut self, _ply: usize, _node: &CutNode) {}

    /// They were searched, and one of them cut or none.
    #[inline(always)]
    fn expected_cut(&mut self, _ply: usize, _cut: bool) {}

    /// An iteration begins.
    #[inline(always)]
    fn iteration_begins(&mut self, _depth: i32) {}

    /// The iteration is over; there is no value if it was stopped.
    #[inline(always)]
    fn iteration_ends(&mut self, _value: Option<Score>) {}

    /// What the next node to be entered is searched for, if not as a move like any other.
    #[inline(always)]
    fn asks(&mut self, _purpose: Purpose) {}

    /// A node is entered.
    #[inline(always)]
    fn entered(&mut self, _visit: Visit) {}

    /// The static value of the node and, where that is asked, whether a cut-off is expected after all.
    #[inline(always)]
    fn evaluated(&mut self, _value: Score, _cut: Option<bool>) {}

    /// The moves of the node are searched, from here on or not any more, to verify a null-move cut-off.
    #[inline(always)]
    fn verifies(&mut self, _on: bool) {}

    /// The node turns to its next move.
    #[inline(always)]
    fn next_move(&mut self) {}

    /// That move is of these classes and weighs so much.
    #[inline(always)]
    fn classed(&mut self, _classes: Classes, _weight: Depth) {}

    /// That move is searched this much deeper because it stands alone, or shallower because it does not.
    #[inline(always)]
    fn extended(&mut self, _by: Depth) {}

    /// The next search of that move is shallower by this much.
    #[inline(always)]
    fn reduced(&mut self, _method: Id, _by: Depth) {}

    /// The node is left with this value; `uncertain` if it proves nothing.
    #[inline(always)]
    fn left(&mut self, _value: Score, _uncertain: bool, _end: End) {}

    /// What was counted, per method; empty if nothing was.
    fn counts(&self) -> Vec<MethodCount> {
        Vec::new()
    }
}

/// A node that is expected to reach beta.
pub struct CutNode<'a> {
    /// The position.
    pub position: &'a Position,
    /// What its value is asked to reach.
    pub beta: Score,
    /// Remaining depth.
    pub depth: Depth,
    /// How good quiet moves have been elsewhere.
    pub history: &'a History,
    /// Squares that the opponent attacks, where histories depend on it.
    pub attacked: Bitboard,
}

/// The observer of an ordinary search: it ignores everything and costs nothing.
#[derive(Default)]
pub struct Silent;

impl Observer for Silent {}

/// Counts the attempts, successes and nodes of every method.
#[derive(Default)]
pub struct Tally {
    counts: [MethodCount; METHODS.len()],
    /// Attempts under way and the node count at their start; a method may try again inside its probe.
    open: Vec<(Id, u64)>,
}

/// What one method did in a search.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodCount {
    /// The method.
    pub method: Option<Id>,
    /// How often it probed the tree or acted.
    pub attempts: u64,
    /// How often that cut, reduced or extended.
    pub successes: u64,
    /// Nodes spent on its probes; a probe inside another of the same method counts once.
    pub nodes: u64,
}

impl Observer for Tally {
    fn attempt(&mut self, method: Id, nodes: u64) {
        self.counts[method as usize].attempts += 1;
        self.open.push((method, nodes));
    }

    fn act(&mut self, method: Id) {
        let count = &mut self.counts[method as usize];
        count.method = Some(method);
        count.attempts += 1;
        count.successes += 1;
    }

    fn answer(&mut self, method: Id, nodes: u64, success: bool) {
        let count = &mut self.counts[method as usize];
        count.method = Some(method);
        count.successes += u64::from(success);
        if let Some((opened, since)) = self.open.pop() {
            debug_assert_eq!(opened, method);
            if !self.open.iter().any(|(other, _)| *other == method) {
                count.nodes += nodes - since;
            }
        }
    }

    fn counts(&self) -> Vec<MethodCount> {
        self.counts.iter().filter(|count| count.attempts > 0).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_a_question_inside_a_question_count_once() {
        let mut tally = Tally::default();
        tally.attempt(Id::NullMove, 10);
        tally.attempt(Id::NullMove, 15);
        tally.answer(Id::NullMove, 25, true);
        tally.answer(Id::NullMove, 40, false);
        let count = tally.counts()[0];
        assert_eq!((count.attempts, count.successes, count.nodes), (2, 1, 30));
    }
}
