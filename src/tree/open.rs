//! A node that the search is in, updated as its children are left.

use super::marks;
use super::node::{DepthChange, NO_BEST, NO_NUMBER, TreeNode, short};
use crate::board::PackedMove;
use crate::depth::Depth;
use crate::random::GOLDEN_RATIO;
use crate::score::{Bound, Score, Window};
use crate::search::event::{End, Event, NodeKind, Purpose, Visit};
use crate::selective::Id;
use crate::selective::extensions::Classes;

/// A node that the search is in.
pub(super) struct Open {
    pub node: TreeNode,
    /// The fingerprint so far.
    pub hash: u64,
    pub nodes: u64,
    pub children: u32,
    /// Moves searched so far, probes left out.
    pub moves: u32,
    pub best: BestChild,
    /// `best` before the last move, in case that move is re-searched.
    pub best_before: BestChild,
    pub nearest: BestChild,
    pub nearest_before: BestChild,
    /// Number of moves that nodes above it have left out.
    pub left_out_before: usize,
    /// The depth of the move being searched.
    pub step: Step,
    /// Whether moves are searched to verify a null-move cut-off.
    pub verifying: bool,
}

#[derive(Copy, Clone)]
pub(super) struct BestChild {
    pub value: Score,
    pub child: u16,
    pub number: u8,
}

pub(super) const NOTHING_YET: BestChild =
    BestChild { value: Score::cp(-Score::INFINITE.raw()), child: NO_BEST, number: 0 };

#[derive(Copy, Clone, Default)]
pub(super) struct Step {
    pub change: DepthChange,
    pub by: Depth,
    pub classes: u8,
}

pub(super) fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(GOLDEN_RATIO).rotate_left(29)
}

impl Open {
    pub(super) fn new(visit: &Visit, purpose: Purpose) -> Self {
        let node = TreeNode {
            m: visit.m,
            purpose,
            end: End::Stopped,
            kind: visit.kind,
            cut: visit.cut,
            bound: Bound::Upper,
            uncertain: false,
            raised: false,
            again_below: false,
            change_below: false,
            marks: 0,
            number: 0,
            change: DepthChange::None,
            classes: 0,
            window: visit.window,
            value: Score::NONE,
            eval: Score::NONE,
            depth: visit.depth,
            by: Depth::ZERO,
            best: NO_BEST,
            nearest: NO_BEST,
            nodes: 0,
            first: 0,
            parent: 0,
            print: 0,
            numbers: [NO_NUMBER; 3],
        };
        Self {
            node,
            hash: 0,
            nodes: 1,
            children: 0,
            moves: 0,
            best: NOTHING_YET,
            best_before: NOTHING_YET,
            nearest: NOTHING_YET,
            nearest_before: NOTHING_YET,
            left_out_before: 0,
            step: Step::default(),
            verifying: false,
        }
    }

    /// Node 0, the iteration, which is not a node of the search.
    pub(super) fn iteration(depth: i32) -> Self {
        let visit = Visit {
            m: PackedMove::NONE,
            window: Window::FULL,
            depth: Depth::plies(depth),
            kind: NodeKind::Iteration,
            cut: None,
        };
        Self { nodes: 0, ..Self::new(&visit, Purpose::Iteration) }
    }

    /// Records an event at this node.
    pub(super) fn on(&mut self, event: &Event) {
        match *event {
            Event::Act { method } => self.node.marks |= marks::bit(method),
            Event::Evaluated { value, cut } => (self.node.eval, self.node.cut) = (value, cut),
            Event::Verifies(on) => self.verify(on),
            Event::NextMove => self.step = Step::default(),
            Event::Classed { classes, weight } => {
                let by = weight - Depth::PLY;
                self.step = Step { change: DepthChange::Extensions, by, classes: bits(classes) };
            }
            Event::Extended { method, by } => {
                self.step.change = match method {
                    _ if by < Depth::ZERO => DepthChange::NotSingular,
                    Id::MultiCut => DepthChange::MultiCut,
                    _ => DepthChange::Singular,
                };
                self.step.by = self.step.by - by;
            }
            // A singular test keeps the numbers it was asked with.
            _ if self.node.purpose == Purpose::Singular => {}
            Event::Numbers(numbers) => self.node.numbers = numbers.map(short),
            _ => {}
        }
    }

    fn verify(&mut self, on: bool) {
        self.verifying = on;
        if !on && self.best.value < self.node.window.beta {
            // Not verified: the moves are searched again from the first.
            self.moves = 0;
            (self.best, self.best_before) = (NOTHING_YET, NOTHING_YET);
            (self.nearest, self.nearest_before) = (NOTHING_YET, NOTHING_YET);
        }
    }

    /// The number of a move that is entered; 0 for probes.
    pub(super) fn number(&mut self, purpose: Purpose) -> u8 {
        match purpose {
            Purpose::Move | Purpose::Verification | Purpose::StaticSingular => self.moves += 1,
            _ if purpose.is_re_search() => {}
            _ => return 0,
        }
        u8::try_from(self.moves).unwrap_or(u8::MAX)
    }

    /// Completes the node when the search leaves it.
    pub(super) fn close(&mut self, value: Score, uncertain: bool, end: End) {
        let node = &mut self.node;
        node.value = value;
        node.uncertain = uncertain;
        node.bound = Bound::of(value, node.window);
        node.nodes = u32::try_from(self.nodes).unwrap_or(u32::MAX);
        node.first = self.children;
        node.best = self.best.child;
        node.nearest = if node.best == NO_BEST { self.nearest.child } else { node.best };
        node.end = end;
        let bytes = self.node.to_bytes();
        // The fingerprint covers everything except references to other nodes.
        for word in bytes[..26].chunks(8) {
            let value = word.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
            self.hash = mix(self.hash, value);
        }
        self.node.print = (self.hash >> 32) as u32;
    }

    /// Updates the best move with a child that was left.
    pub(super) fn learn(&mut self, child: &mut TreeNode) {
        let ordinal = u16::try_from(self.children).unwrap_or(NO_BEST);
        let is_root = self.node.kind == NodeKind::Iteration;
        let value = if is_root { child.value } else { -child.value };
        if child.purpose.is_re_search() {
            (self.best, self.nearest) = (self.best_before, self.nearest_before);
        } else if child.number > 0 {
            (self.best_before, self.nearest_before) = (self.best, self.nearest);
        }
        let stopped = child.end == End::Stopped && child.own_reason().is_none();
        let counts = child.number > 0 && !stopped;
        if counts && value > self.nearest.value {
            self.nearest = BestChild { value, child: ordinal, number: child.number };
        }
        if counts && value > self.node.window.alpha.max(self.best.value) {
            self.best = BestChild { value, child: ordinal, number: child.number };
            child.raised = true;
            if self.node.kind == NodeKind::Pv && !child.window.is_minimal() {
                self.node.change_below = true;
            }
        }
        if is_root {
            self.learn_root(child, ordinal);
        }
        self.node.again_below |= child.purpose.is_re_search() || child.again_below;
        self.node.change_below |= child.change_below;
    }

    /// Of several root searches, the last one that found a move counts; of several lines (MultiPV), the best.
    fn learn_root(&mut self, child: &TreeNode, ordinal: u16) {
        self.node.bound = child.bound;
        let better = child.purpose != Purpose::RootNextLine || child.value > self.best.value;
        if child.best != NO_BEST && better {
            self.best = BestChild { value: child.value, child: ordinal, number: 1 };
        }
    }
}

/// Move classes as bits.
fn bits(classes: Classes) -> u8 {
    let Classes { check, recapture, forced, pawn, threat } = classes;
    let bits = [check, recapture, forced, pawn, threat];
    bits.iter().enumerate().fold(0, |bits, (index, on)| bits | u8::from(*on) << index)
}

#[cfg(test)]
mod tests {
    use super::super::node::tests::node;
    use super::*;

    fn open() -> Open {
        let window = Window { alpha: Score::cp(0), beta: Score::cp(50) };
        let visit =
            Visit { m: PackedMove::NONE, window, depth: Depth::plies(3), kind: NodeKind::Pv, cut: None };
        Open::new(&visit, Purpose::Move)
    }

    /// Lets a child with this purpose and value be left.
    fn child(open: &mut Open, purpose: Purpose, value: i32) -> TreeNode {
        let number = open.number(purpose);
        let mut child = TreeNode { purpose, number, value: Score::cp(value), end: End::AllMoves, ..node() };
        child.raised = false;
        open.learn(&mut child);
        open.children += 1;
        child
    }

    #[test]
    fn the_best_child_is_the_last_word_on_the_best_move() {
        let mut open = open();
        assert!(child(&mut open, Purpose::Move, -10).raised);
        assert!(!child(&mut open, Purpose::NullMove, -90).raised, "a probe is no move");
        assert!(child(&mut open, Purpose::Move, -20).raised, "a reduced search surprises");
        assert!(!child(&mut open, Purpose::ReSearchDepth, -5).raised, "and the full one does not");
        assert_eq!((open.best.child, open.best.number, open.best.value), (0, 1, Score::cp(10)));
        child(&mut open, Purpose::Move, -30);
        assert_eq!((open.best.child, open.best.number), (4, 3));
    }

    #[test]
    fn marks_and_changes_are_those_the_search_tells_of() {
        let mut open = open();
        open.on(&Event::Act { method: Id::ReverseFutility });
        assert_eq!(open.node.marks, 0, "no mark is declared");
        open.on(&Event::Act { method: Id::Razoring });
        open.on(&Event::Act { method: Id::LateMovePruning });
        assert_eq!(open.node.marks, marks::bit(Id::Razoring) | marks::bit(Id::LateMovePruning));
        open.on(&Event::Extended { method: Id::MultiCut, by: Depth::PLY });
        assert_eq!((open.step.change, open.step.by), (DepthChange::MultiCut, -Depth::PLY));
        open.close(Score::cp(60), false, End::Cut);
        assert_eq!((open.node.end, open.node.bound), (End::Cut, Bound::Lower));
    }

    #[test]
    fn equal_subtrees_have_equal_fingerprints() {
        let closed = |value| {
            let mut open = open();
            open.close(Score::cp(value), false, End::StandPat);
            open.node.print
        };
        assert_eq!(closed(7), closed(7));
        assert_ne!(closed(7), closed(8));
    }
}
