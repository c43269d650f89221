//! Aspiration windows: the root is searched with a narrow window around the expected value first.
//!
//! Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, algorithm 3: a window around the
//! value of the iteration before; a value outside of it is the bound of a second search that is open on its other
//! side (`AspirationOpen`). The second search opens a point beyond that bound, so that a value of exactly the bound
//! has a variation; the first three iterations and those after a mate have an open window; and where the second
//! search contradicts the first, which the hash table makes possible, a third one has no window at all.

use super::Stopped;
use super::event::Purpose;
use super::observer::Observer;
use super::report::Line;
use super::root::RootSearch;
use super::searcher::Searcher;
use super::settings::{Algorithm, AspirationRule};
use crate::score::{Bound, Score, Window};

/// A running mean of the root's values: two thirds new, one third old.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct RunningMean(Option<Score>);

impl RunningMean {
    /// Adds a value; a decided one replaces the mean.
    pub(super) fn record(&mut self, value: Score) {
        self.0 = Some(match self.0 {
            Some(old) if !value.is_decided() && !old.is_decided() => {
                Score::cp((2 * value.raw() + old.raw()) / 3)
            }
            _ => value,
        });
    }

    /// The mean, if there is any yet.
    pub(super) fn value(self) -> Option<Score> {
        self.0
    }
}

impl AspirationRule {
    /// Half the width of the first window around a value.
    fn first(&self, guess: Score) -> i32 {
        let square = guess.raw().saturating_mul(guess.raw());
        self.window + square.checked_div(self.by_value).unwrap_or(0)
    }

    /// Half the width of the next window.
    fn wider(&self, radius: i32) -> i32 {
        radius.saturating_add((radius.saturating_mul(self.growth) / 100).max(1))
    }

    /// The window of the next search, after a value outside this one.
    fn next(&self, window: Window, value: Score, radius: i32) -> Window {
        let Window { alpha, beta } = window;
        if self.open {
            return match Bound::of(value, window) {
                Bound::Upper => Window { alpha: -Score::INFINITE, beta: value + 1 },
                _ => Window { alpha: value - 1, beta: Score::INFINITE },
            };
        }
        let around = Window::around(value, radius);
        match Bound::of(value, window) {
            Bound::Upper if self.adaptive => {
                Window { alpha: around.alpha, beta: Score::cp((alpha.raw() + beta.raw()) / 2).max(value + 1) }
            }
            Bound::Upper => Window { alpha: around.alpha, beta: beta.min(value + 1) },
            _ if self.adaptive => Window { alpha, beta: around.beta },
            _ => Window { alpha: alpha.max(value - 1), beta: around.beta },
        }
    }
}

impl<O: Observer> Searcher<'_, O> {
    /// The expected value: the running mean, if the rule asks for it; otherwise that of the last iteration or, in
    /// MTD(f), of the one before if odd and even iterations differ much.
    pub(super) fn guess(&self, values: &[Score; 2]) -> Score {
        if let Some(mean) = self.mean.value().filter(|_| self.rules.search.aspiration.mean) {
            return mean;
        }
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
        let rule = self.rules.search.aspiration;
        let narrow = rule.window > 0
            && depth >= 4
            && !guess.is_mate()
            && guess != -Score::INFINITE
            && self.rules.search.algorithm != Algorithm::Minimax;
        let mut radius = rule.first(guess);
        let mut window = if narrow { Window::around(guess, radius) } else { Window::FULL };
        let mut purpose = Purpose::of_line(from);
        let mut shallower = 0;
        loop {
            let search = RootSearch { window, depth: (depth - shallower).max(1), from, purpose, cut: false };
            let value = self.search_root(search, improved)?;
            let bound = Bound::of(value, window);
            if from == 0 {
                self.mean.record(value);
            }
            if bound == Bound::Exact || window == Window::FULL {
                return Ok(value);
            }
            let searched_before = purpose != Purpose::of_line(from);
            purpose = if bound == Bound::Upper { Purpose::RootFailedLow } else { Purpose::RootFailedHigh };
            self.tell_bound(depth, from, bound, value);
            shallower = if rule.adaptive && bound == Bound::Lower { shallower + 1 } else { 0 };
            radius = rule.wider(radius);
            let contradicted = rule.open && searched_before;
            window = if contradicted || (!rule.open && radius > rule.most) || value.is_mate() {
                Window::FULL
            } else {
                rule.next(window, value, radius)
            };
        }
    }

    /// Reports a value outside the window, once the search has taken a second.
    fn tell_bound(&mut self, depth: i32, index: usize, bound: Bound, value: Score) {
        let in_tables = self.root_moves[index].tb_score.is_some();
        if self.thread == 0
            && self.rules.multi_pv == 1
            && !in_tables
            && self.job.control.elapsed().as_secs() >= 1
        {
            self.job.publish_nodes(0, self.nodes);
            let line = Line { score: value, ..self.line(index, depth, bound) };
            self.job.tell_line(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: AspirationRule = AspirationRule {
        window: 20,
        by_value: 0,
        open: false,
        growth: 200,
        most: 500,
        adaptive: false,
        mean: false,
    };

    fn window(alpha: i32, beta: i32) -> Window {
        Window { alpha: Score::cp(alpha), beta: Score::cp(beta) }
    }

    #[test]
    fn a_failed_window_opens_on_the_side_where_it_failed() {
        assert_eq!(RULE.wider(20), 60);
        assert_eq!(RULE.next(window(-20, 20), Score::cp(-30), 60), window(-90, -29));
        assert_eq!(RULE.next(window(-20, 20), Score::cp(30), 60), window(29, 90));
    }

    #[test]
    fn as_in_algorithm_3_the_side_of_the_value_is_opened_completely() {
        let rule = AspirationRule { open: true, ..RULE };
        let infinite = Score::INFINITE.raw();
        assert_eq!(rule.next(window(-20, 20), Score::cp(-30), 60), window(-infinite, -29));
        assert_eq!(rule.next(window(-20, 20), Score::cp(30), 60), window(29, infinite));
    }

    #[test]
    fn an_adaptive_window_comes_to_its_middle_after_a_fail_low() {
        let rule = AspirationRule { adaptive: true, growth: 30, ..RULE };
        assert_eq!(rule.wider(20), 26);
        assert_eq!(rule.next(window(-20, 20), Score::cp(-30), 26), window(-56, 0));
        assert_eq!(rule.next(window(-20, 20), Score::cp(30), 26), window(-20, 56));
    }

    #[test]
    fn the_first_window_grows_with_the_square_of_the_value() {
        assert_eq!(RULE.first(Score::cp(300)), 20);
        assert_eq!(AspirationRule { by_value: 6_000, ..RULE }.first(Score::cp(-300)), 20 + 15);
    }

    #[test]
    fn the_mean_follows_by_two_thirds_and_decided_values_stand_alone() {
        let mut mean = RunningMean::default();
        mean.record(Score::cp(30));
        mean.record(Score::cp(60));
        assert_eq!(mean.value(), Some(Score::cp(50)));
        mean.record(Score::mate_at(5));
        mean.record(Score::cp(10));
        assert_eq!(mean.value(), Some(Score::cp(10)));
    }
}
