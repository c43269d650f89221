//! The observer that profiles a search.

use super::counts::{CompletedIterations, Profile};
use crate::depth::Depth;
use crate::search::event::{End, Event, Interest, NodeKind, Purpose, Visit};
use crate::search::observer::{Observer, Tally};
use crate::selective::Id;
use crate::selective::singular::SingularVerdict;

/// Counts what happens in a search.
#[derive(Default)]
pub(super) struct Profiler {
    profile: Profile,
    climb: CompletedIterations,
    tally: Tally,
    /// The nodes from the root to the current one.
    path: Vec<ProfiledNode>,
    /// The reduction of the next move: method, size, and depth without it.
    reduced: Option<(Id, Depth, Depth)>,
    /// For every open probe: the remaining depth of the node, if it is a reduced move.
    asked: Vec<Option<usize>>,
    /// The same for the last probe that ended.
    answered: Option<usize>,
}

/// A node being searched.
struct ProfiledNode {
    kind: NodeKind,
    /// Whether its window is minimal, so that methods may cut.
    minimal: bool,
    /// Moves searched so far.
    searched: u32,
}

impl Profiler {
    /// The profile of a position, given by its index in the suite.
    pub(super) fn into_profile(mut self, position: usize) -> Profile {
        self.stop();
        for count in self.tally.counts() {
            let used = self.profile.method_mut(count.method);
            (used.tries, used.successes, used.nodes) = (count.attempts, count.successes, count.nodes);
        }
        let CompletedIterations { iterations, .. } = self.climb;
        self.profile.searches = vec![CompletedIterations { position, nodes: self.profile.nodes, iterations }];
        self.profile
    }

    /// Closes all open nodes of a stopped search.
    fn stop(&mut self) {
        self.tally.stop(self.profile.nodes);
        self.path.drain(..).for_each(|_| self.profile.end(End::Stopped));
        self.asked.clear();
    }

    fn enter(&mut self, visit: &Visit) {
        let Visit { window, depth, kind, .. } = *visit;
        let plies = if kind == NodeKind::Quiescence { 0 } else { remaining(depth) };
        self.profile.nodes += 1;
        self.profile.pv_nodes += u64::from(kind == NodeKind::Pv);
        self.profile.quiescence_nodes += u64::from(kind == NodeKind::Quiescence);
        self.profile.at_depth(plies).nodes += 1;
        self.path.push(ProfiledNode { kind, minimal: window.is_minimal(), searched: 0 });
        self.reduced = None;
    }

    fn leave(&mut self, end: End) {
        let Some(node) = self.path.pop() else { return };
        let quiescence = node.kind == NodeKind::Quiescence;
        self.profile.end(end);
        match end {
            // The number of the cutting move is unknown at the root.
            End::Cut if !quiescence && node.searched > 0 => {
                self.profile.cutoffs += 1;
                self.profile.first_move_cutoffs += u64::from(node.searched == 1);
            }
            End::Hash if quiescence => self.profile.quiescence_hash.cutoffs += 1,
            End::Hash => self.profile.hash.cutoffs += 1,
            _ => {}
        }
    }

    fn probe_hash(&mut self, hit: bool) {
        let quiescence = self.path.last().is_some_and(|node| node.kind == NodeKind::Quiescence);
        let count = if quiescence { &mut self.profile.quiescence_hash } else { &mut self.profile.hash };
        count.probes += 1;
        count.hits += u64::from(hit);
    }

    /// A probe begins. If it is a reduced move, the reduction is counted.
    fn attempt(&mut self, method: Id) {
        let reduced =
            self.reduced.take().filter(|(by_method, by, _)| *by_method == method && *by > Depth::ZERO);
        self.asked.push(reduced.map(|(_, by, depth)| {
            let plies = remaining(depth + Depth::PLY);
            self.profile.at_depth(plies).reduce(by);
            plies
        }));
    }

    fn test_singular(&mut self, verdict: SingularVerdict) {
        let minimal = self.path.last().is_some_and(|node| node.minimal);
        let verdicts = &mut self.profile.singular;
        match verdict {
            // A PV node is not cut.
            SingularVerdict::Cut(_) if minimal => verdicts.cut += 1,
            SingularVerdict::Extend(by) if by >= Depth::plies(2) => verdicts.by_two += 1,
            SingularVerdict::Extend(by) if by > Depth::ZERO => verdicts.by_one += 1,
            SingularVerdict::Extend(by) if by < Depth::ZERO => verdicts.shorter += 1,
            _ => verdicts.nothing += 1,
        }
    }

    fn iterated(&mut self, depth: i32, complete: bool) {
        if complete {
            self.climb.iterations.push((depth, self.profile.nodes));
        } else {
            self.stop();
        }
    }
}

impl Observer for Profiler {
    const WANTS: Interest =
        Interest::ITERATIONS.and(Interest::METHODS).and(Interest::TREE).and(Interest::MOVES);

    fn on(&mut self, event: &Event) {
        self.tally.on(event);
        match *event {
            Event::IterationEnds { depth, value } => self.iterated(depth, value.is_some()),
            Event::Entered(ref visit) => self.enter(visit),
            Event::Left { end, .. } => self.leave(end),
            Event::HashProbed { hit } => self.probe_hash(hit),
            Event::Reduced { method, by, depth } => self.reduced = Some((method, by, depth)),
            Event::Attempt { method, .. } => self.attempt(method),
            Event::Answer { .. } => self.answered = self.asked.pop().flatten(),
            Event::Act { method } => self.profile.method_mut(method).acts += 1,
            Event::Asks(Purpose::ReSearchDepth) => {
                if let Some(plies) = self.answered.take() {
                    self.profile.at_depth(plies).again += 1;
                }
            }
            Event::SingularTested(verdict) => self.test_singular(verdict),
            // The moves are searched again from the first.
            Event::Verifies(_) => self.path.last_mut().into_iter().for_each(|node| node.searched = 0),
            Event::Searched { .. } => self.path.last_mut().into_iter().for_each(|node| node.searched += 1),
            _ => {}
        }
    }
}

/// Remaining depth in whole plies, at least 1 outside quiescence search.
fn remaining(depth: Depth) -> usize {
    depth.whole().max(1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::PackedMove;
    use crate::score::{Score, Window};

    fn entered(kind: NodeKind, depth: Depth) -> Event<'static> {
        let window = if kind == NodeKind::Pv { Window::FULL } else { Window::minimal(Score::cp(10)) };
        Event::Entered(Visit { m: PackedMove::NONE, window, depth, kind, cut: None })
    }

    fn left(end: End) -> Event<'static> {
        Event::Left { value: Score::DRAW, uncertain: false, end }
    }

    fn profile(events: &[Event]) -> Profile {
        let mut profiler = Profiler::default();
        events.iter().for_each(|event| profiler.on(event));
        profiler.into_profile(0)
    }

    /// A move at a node of depth 5 that is reduced by two plies and, if `surprises`, re-searched.
    fn late_move(surprises: bool) -> Vec<Event<'static>> {
        let (method, by, depth) = (Id::LateMoves, Depth::plies(2), Depth::plies(4));
        let mut events = vec![
            Event::Reduced { method, by, depth },
            Event::Attempt { method, nodes: 1 },
            entered(NodeKind::Minimal, depth - by),
            left(End::ReverseFutility),
            Event::Answer { method, nodes: 2, success: !surprises },
        ];
        if surprises {
            events.extend([
                Event::Asks(Purpose::ReSearchDepth),
                entered(NodeKind::Minimal, depth),
                left(End::Hash),
            ]);
        }
        events.push(Event::searched(0, surprises, surprises));
        events
    }

    #[test]
    fn reduced_moves_and_those_searched_again_are_counted_where_they_are_made() {
        let node = entered(NodeKind::Minimal, Depth::hundredths(550));
        let events = [vec![node], late_move(false), late_move(true), vec![left(End::Cut)]].concat();
        let profile = profile(&events);
        let at = profile.depth(5);
        assert_eq!((at.nodes, at.reduced, at.again, at.by_plies[2]), (1, 2, 1, 2));
        assert_eq!((profile.cutoffs, profile.first_move_cutoffs), (1, 0), "the second move cut");
        assert_eq!((profile.nodes, profile.hash.cutoffs, profile.ended(End::Cut)), (4, 1, 1));
        let used = profile.method(Id::LateMoves);
        assert_eq!((used.tries, used.successes, used.nodes, used.acts), (2, 1, 2, 0));
    }

    #[test]
    fn a_question_that_reduces_nothing_is_no_reduction() {
        let (method, by) = (Id::LateMoves, Depth::ZERO);
        let profile = profile(&[
            entered(NodeKind::Minimal, Depth::plies(3)),
            Event::Reduced { method, by, depth: Depth::plies(2) },
            entered(NodeKind::Minimal, Depth::plies(2)),
            Event::Attempt { method: Id::NullMove, nodes: 2 },
            Event::Answer { method: Id::NullMove, nodes: 5, success: true },
            left(End::NullMove),
        ]);
        assert_eq!(profile.reductions().reduced, 0);
        assert_eq!((profile.method(Id::NullMove).nodes, profile.ended(End::Stopped)), (3, 1));
    }

    #[test]
    fn the_first_move_cuts_even_after_a_verification() {
        let searched = Event::searched(0, true, true);
        let profile = profile(&[
            entered(NodeKind::Minimal, Depth::PLY),
            Event::Verifies(true),
            searched,
            Event::Verifies(false),
            searched,
            left(End::Cut),
            entered(NodeKind::Quiescence, Depth::ZERO),
            Event::HashProbed { hit: true },
            left(End::Cut),
        ]);
        assert_eq!((profile.cutoffs, profile.first_move_cutoffs), (1, 1));
        assert_eq!((profile.quiescence_hash.hits, profile.hash.probes), (1, 0));
    }

    #[test]
    fn verdicts_are_told_apart_and_no_pv_node_is_cut() {
        let says = |kind, verdict| {
            profile(&[entered(kind, Depth::plies(9)), Event::SingularTested(verdict)]).singular
        };
        let minimal = |verdict| says(NodeKind::Minimal, verdict);
        let extended = |plies| minimal(SingularVerdict::Extend(Depth::plies(plies)));
        assert_eq!(
            [1, 2, 3].map(|plies| (extended(plies).by_one, extended(plies).by_two)),
            [(1, 0), (0, 1), (0, 1)]
        );
        assert_eq!((extended(-1).shorter, extended(0).nothing), (1, 1));
        let cut = SingularVerdict::Cut(Score::DRAW);
        assert_eq!((minimal(cut).cut, says(NodeKind::Pv, cut).nothing), (1, 1));
    }

    #[test]
    fn only_completed_iterations_count() {
        let node = entered(NodeKind::Pv, Depth::PLY);
        let ends = |depth, value| Event::IterationEnds { depth, value };
        let profile =
            profile(&[node, left(End::AllMoves), ends(1, Some(Score::DRAW)), node, node, ends(2, None)]);
        assert_eq!((profile.searches[0].iterations.clone(), profile.nodes), (vec![(1, 1)], 3));
        assert_eq!((profile.pv_nodes, profile.ended(End::Stopped)), (3, 2));
    }
}
