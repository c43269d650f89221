//! Aspiration windows: the root is searched with a narrow window around the expected value first.

use super::Stopped;
use super::event::Purpose;
use super::observer::Observer;
use super::report::Line;
use super::searcher::Searcher;
use super::settings::Algorithm;
use crate::score::{Bound, Score, Window};

impl<O: Observer> Searcher<'_, O> {
    /// The value to expect: the last one, or that of two iterations ago if odd and even differ much.
    pub(super) fn guess(&self, values: &[Score; 2]) -> Score {
        let odd_even = (values[1] - values[0]).abs() > 50 && !values[0].is_mate() && values[0] != Score::DRAW;
        if self.rules.search.algorithm == Algorithm::Mtd && odd_even { values[0] } else { values[1] }
    }

    /// The value of the root, found through narrower windows first where the rules say so.
    pub(super) fn aspiration_search(
        &mut self,
        guess: Score,
        depth: i32,
        from: usize,
        improved: &mut dyn FnMut(&mut Self, Line),
    ) -> Result<Score, Stopped> {
        if self.rules.search.algorithm == Algorithm::Mtd {
            return self.mtd(guess, depth, from, improved);
        }
        let narrow = self.rules.aspiration > 0
            && depth >= 4
            && !guess.is_mate()
            && guess != -Score::INFINITE
            && self.rules.search.algorithm != Algorithm::Minimax;
        let mut radius = self.rules.aspiration;
        let mut window = if narrow { Window::around(guess, radius) } else { Window::FULL };
        let mut purpose = Purpose::of_line(from);
        loop {
            let value = self.search_root(window, depth, from, purpose, improved)?;
            let bound = Bound::of(value, window);
            if bound == Bound::Exact || window == Window::FULL {
                return Ok(value);
            }
            purpose = if bound == Bound::Upper { Purpose::RootFailedLow } else { Purpose::RootFailedHigh };
            self.tell_bound(depth, from, bound, value);
            radius = radius.saturating_mul(3);
            if radius > 500 || value.is_mate() {
                window = Window::FULL;
            } else if bound == Bound::Upper {
                window =
                    Window { alpha: Window::around(value, radius).alpha, beta: window.beta.min(value + 1) };
            } else {
                window =
                    Window { alpha: window.alpha.max(value - 1), beta: Window::around(value, radius).beta };
            }
        }
    }

    /// In a long search, tells of a value outside the window.
    fn tell_bound(&mut self, depth: i32, index: usize, bound: Bound, value: Score) {
        let known = self.root_moves[index].known.is_some();
        if self.thread == 0 && self.rules.multi_pv == 1 && !known && self.job.control.elapsed().as_secs() >= 1
        {
            self.job.publish_nodes(0, self.nodes);
            let line = Line { score: value, ..self.line(index, depth, bound) };
            self.job.tell_line(&line);
        }
    }
}
