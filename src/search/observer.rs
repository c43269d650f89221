//! Watching a search, at no cost to searches that are not watched.
//!
//! The searcher is generic over its observer, so [`Silent`] compiles to nothing.

use super::event::{Event, Interest};
use crate::depth::Depth;
use crate::selective::{Id, METHODS};

/// Receives the events of a search while it runs.
pub trait Observer: Default + Send {
    /// The events it wants; others are not even constructed.
    const WANTS: Interest;

    /// Wants to hear of the states that RankCut tells apart, from this depth on.
    const RANKS_FROM: Depth = Depth::NEVER;

    /// Wants to hear how much deeper paths would be if a class of moves weighed so much more.
    const DELTA: Depth = Depth::ZERO;

    /// Something happened.
    fn on(&mut self, event: &Event);

    /// What was counted, per method; empty if nothing was.
    fn counts(&self) -> Vec<MethodCount> {
        Vec::new()
    }
}

/// The observer of an ordinary search: it ignores everything and costs nothing.
#[derive(Default)]
pub struct Silent;

impl Observer for Silent {
    const WANTS: Interest = Interest::NONE;

    #[inline(always)]
    fn on(&mut self, _event: &Event) {}
}

/// Counts the attempts, successes and nodes of every method.
pub struct Tally {
    counts: [MethodCount; METHODS.len()],
    /// Attempts under way and the node count at their start; a method may try again inside its probe.
    open: Vec<(Id, u64)>,
}

impl Default for Tally {
    fn default() -> Self {
        let none =
            |index: usize| MethodCount { method: METHODS[index].id, attempts: 0, successes: 0, nodes: 0 };
        Self { counts: std::array::from_fn(none), open: Vec::new() }
    }
}

/// What one method did in a search.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct MethodCount {
    /// Whose attempts these are.
    pub method: Id,
    /// How often it probed the tree or acted.
    pub attempts: u64,
    /// How often that cut, reduced or extended.
    pub successes: u64,
    /// Nodes spent on its probes; a probe inside another of the same method counts once.
    pub nodes: u64,
}

impl Tally {
    /// The search was stopped: what is under way has no success, but cost its nodes.
    pub fn stop(&mut self, nodes: u64) {
        while let Some((method, _)) = self.open.last() {
            self.answer(*method, nodes, false);
        }
    }

    fn attempt(&mut self, method: Id, nodes: u64) {
        self.counts[method as usize].attempts += 1;
        self.open.push((method, nodes));
    }

    fn act(&mut self, method: Id) {
        let count = &mut self.counts[method as usize];
        count.attempts += 1;
        count.successes += 1;
    }

    fn answer(&mut self, method: Id, nodes: u64, success: bool) {
        let count = &mut self.counts[method as usize];
        count.successes += u64::from(success);
        if let Some((opened, since)) = self.open.pop() {
            debug_assert_eq!(opened, method);
            if !self.open.iter().any(|(other, _)| *other == method) {
                count.nodes += nodes - since;
            }
        }
    }
}

impl Observer for Tally {
    const WANTS: Interest = Interest::METHODS;

    fn on(&mut self, event: &Event) {
        match *event {
            Event::Attempt { method, nodes } => self.attempt(method, nodes),
            Event::Answer { method, nodes, success } => self.answer(method, nodes, success),
            Event::Act { method } => self.act(method),
            _ => {}
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

    #[test]
    fn questions_that_a_stop_leaves_open_cost_their_nodes() {
        let mut tally = Tally::default();
        tally.attempt(Id::LateMoves, 10);
        tally.attempt(Id::NullMove, 15);
        tally.attempt(Id::LateMoves, 20);
        tally.stop(40);
        let counts = tally.counts().into_iter().map(|count| (count.method, count.successes, count.nodes));
        assert_eq!(counts.collect::<Vec<_>>(), [(Id::NullMove, 0, 25), (Id::LateMoves, 0, 30)]);
    }
}
