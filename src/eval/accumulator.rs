//! Adds up the terms of a position.

use shakmaty::Color;

use super::trace::Trace;
use super::weights::{Pair, TermGroup, Weights};

/// Sums of the terms seen so far.
pub(super) struct ScoreAccumulator<'a, T: Trace> {
    weights: &'a Weights,
    trace: &'a mut T,
    /// Linear terms, White minus Black.
    pub(super) score: Pair,
    /// Danger of the black and of the white king.
    pub(super) danger: [Pair; 2],
    /// Complexity of the endgame.
    pub(super) complexity: Pair,
}

impl<'a, T: Trace> ScoreAccumulator<'a, T> {
    pub(super) fn new(weights: &'a Weights, trace: &'a mut T) -> Self {
        Self { weights, trace, score: Pair::ZERO, danger: [Pair::ZERO; 2], complexity: Pair::ZERO }
    }

    #[inline(always)]
    fn weight(&mut self, color: Color, group: TermGroup, index: usize, count: i32) -> Pair {
        debug_assert!(index < group.len, "{} has no weight {index}", group.name);
        self.trace.record(color, group.start + index, count);
        self.weights.at(group.start + index) * count
    }

    /// Adds a linear term for `color`, `count` times.
    #[inline(always)]
    pub(super) fn add_many(&mut self, color: Color, group: TermGroup, index: usize, count: i32) {
        let value = self.weight(color, group, index, count);
        if color.is_white() {
            self.score += value;
        } else {
            self.score -= value;
        }
    }

    /// Adds a linear term for `color`.
    #[inline(always)]
    pub(super) fn add(&mut self, color: Color, group: TermGroup, index: usize) {
        self.add_many(color, group, index, 1);
    }

    /// Adds danger for the king of `color`, `count` times.
    #[inline(always)]
    pub(super) fn endanger(&mut self, color: Color, group: TermGroup, index: usize, count: i32) {
        let value = self.weight(color, group, index, count);
        self.danger[color as usize] += value;
    }

    /// Adds to the complexity of the endgame: how easy or hard it is to win.
    #[inline(always)]
    pub(super) fn complicate(&mut self, group: TermGroup, index: usize, count: i32) {
        let value = self.weight(Color::White, group, index, count);
        self.complexity += value;
    }
}
