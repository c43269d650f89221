//! MTD(f): a sequence of minimal windows instead of one open window.
//!
//! A. Plaat, J. Schaeffer, W. Pijls, A. de Bruin, "Best-First Fixed-Depth Minimax Algorithms", Artificial
//! Intelligence 87, 1996.
//!
//! As in algorithm 8 of Björnsson's thesis the root is a node of a minimal-window search: it has an expectation,
//! whether it reaches the bound, and its moves have the opposite one. What differs: no method prunes the root itself,
//! since a move is wanted.

use super::Stopped;
use super::event::Purpose;
use super::observer::Observer;
use super::report::Line;
use super::root::RootSearch;
use super::searcher::Searcher;
use crate::score::{Bound, Score, Window};

impl<O: Observer> Searcher<'_, O> {
    /// MTD(f), thesis algorithm 8: minimal windows around a guess until the bounds meet. A step above 1
    /// (Mulan) takes larger strides until the value is enclosed, then halves what is left.
    pub(super) fn mtd(
        &mut self,
        guess: Score,
        depth: i32,
        from: usize,
        improved: &mut dyn FnMut(&mut Self, Line),
    ) -> Result<Score, Stopped> {
        let step = self.rules.search.mtd_step;
        let (mut low, mut high) = (-Score::INFINITE, Score::INFINITE);
        let mut beta = if guess == -Score::INFINITE { Score::DRAW } else { guess };
        let mut purpose = Purpose::of_line(from);
        while low < high {
            // Above a proven lower bound the root is expected to fail low, elsewhere to reach what it is asked for.
            let cut = beta <= low.max(guess);
            let search = RootSearch { window: Window::minimal(beta), depth, from, purpose, cut };
            let value = self.search_root(search, improved)?;
            if value < beta {
                (high, purpose) = (value, Purpose::RootFailedLow);
            } else {
                (low, purpose) = (value, Purpose::RootFailedHigh);
            }
            let enclosed = low > -Score::INFINITE && high < Score::INFINITE;
            let next = match (value < beta, step > 1 && enclosed) {
                (_, true) => low + (high - low + 1) / 2,
                (true, false) => value - (step - 1),
                (false, false) => value + step,
            };
            beta = next.max(low + 1).min(high.max(low + 1));
        }
        self.root_moves[from].score = low;
        let mut line = self.line(from, depth, Bound::Exact);
        self.job.complete(&mut line);
        improved(self, line);
        Ok(low)
    }
}
