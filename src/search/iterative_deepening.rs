//! Iterative deepening: depth 1, 2, 3 and so on, until a limit is reached.

use super::event::Event;
use super::observer::Observer;
use super::report::Line;
use super::searcher::Searcher;
use super::time_manager::{EarlierSearch, SearchProgress};
use super::{MAX_DEPTH, Stopped};
use crate::score::{Bound, Score};

impl<O: Observer> Searcher<'_, O> {
    /// Searches deeper and deeper until a limit is reached; returns the best lines of the last complete
    /// iteration, or of the one under way where it has found something better.
    pub(super) fn iterative_deepening(&mut self) -> Vec<Line> {
        self.collect_root_moves();
        let last = self.last_depth();
        let first = if self.rules.search.iterative || self.job.limits.depth.is_none() {
            1 + (self.thread as i32 & 1).min(last - 1)
        } else {
            last
        };
        let mut lines: Vec<Line> = Vec::new();
        let mut values = [Score::DRAW; 2];
        let mut progress = SearchProgress::default();
        self.set_first_fallback();
        for depth in first..=last {
            self.tell(Event::IterationBegins { depth });
            let complete = self.iterate(depth, &mut values, &mut lines);
            self.tell(Event::IterationEnds { depth, value: complete.is_ok().then_some(values[1]) });
            self.job.publish_nodes(self.thread, self.nodes);
            if complete.is_err() || self.should_stop(depth, &lines, &mut progress, &values) {
                break;
            }
        }
        let key = self.job.game.position().key();
        self.thread_data.earlier = lines.first().map(|line| EarlierSearch { key, value: line.score });
        lines
    }

    /// Sets a first answer before the clock is checked: the first move of the order, with the static value.
    fn set_first_fallback(&mut self) {
        if let Some(root_move) = self.root_moves.first().filter(|_| self.thread == 0) {
            let m = root_move.m;
            let value = self.evaluate(self.job.game.position(), 0);
            self.job.set_best_line(Line::untested(m, value));
        }
    }

    fn last_depth(&self) -> i32 {
        let by_mate = self.job.limits.mate.map(|moves| moves.saturating_mul(2).saturating_sub(1));
        let asked = self.job.limits.depth.into_iter().chain(by_mate).min();
        asked.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH)
    }

    /// One iteration: every line of the root once.
    fn iterate(&mut self, depth: i32, values: &mut [Score; 2], lines: &mut Vec<Line>) -> Result<(), Stopped> {
        self.iteration = depth;
        let wanted = self.rules.multi_pv.min(self.root_moves.len());
        let single = wanted == 1;
        let mut found: Vec<Line> = Vec::with_capacity(wanted);
        for index in 0..wanted {
            let guess = if index == 0 { self.guess(values) } else { self.root_moves[index].previous };
            let value = self.aspiration_search(guess, depth, index, &mut |searcher, line| {
                // After a fail-high the root is searched a ply shallower; the line still belongs to this iteration.
                let line = Line { depth, ..line };
                // A better move counts at once when there is only one line to show. One that loses by force waits for
                // the others: if the search is stopped before them, the iteration before counts.
                let counts = single && !line.score.is_loss();
                if counts && line.bound == Bound::Exact {
                    searcher.publish(&line);
                    *lines = vec![line];
                } else if counts && !line.score.is_mate() {
                    // Proved better than the rest, if not by how much. A mate waits for its whole line.
                    *lines = vec![Line { bound: Bound::Exact, ..line }];
                }
            })?;
            if index == 0 {
                *values = [values[1], value];
            }
            found.push(self.line(index, depth, Bound::Exact));
        }
        // A line may turn out worse than one searched after it.
        found.sort_by_key(|line| std::cmp::Reverse(line.score));
        self.root_moves[..wanted].sort_by_key(|root| std::cmp::Reverse(root.score));
        for root_move in &mut self.root_moves {
            root_move.previous = root_move.score;
        }
        for (index, line) in found.iter_mut().enumerate() {
            line.rank = index + 1;
            self.job.complete(line);
            self.publish(line);
        }
        *lines = found;
        Ok(())
    }

    /// Tells the listener of an exact line.
    fn publish(&mut self, line: &Line) {
        if self.thread == 0 {
            self.job.publish_nodes(0, self.nodes);
            if line.rank == 1 {
                self.job.set_best_line(line.clone());
                if line.moves.first().is_some_and(|m| self.job.limits.until.contains(m)) {
                    self.stop_here();
                }
            }
            self.job.tell_line(line);
        }
    }

    /// No further iteration: a mate or soft node limit is reached, or there is not enough time for another one.
    fn should_stop(
        &self,
        depth: i32,
        lines: &[Line],
        progress: &mut SearchProgress,
        values: &[Score; 2],
    ) -> bool {
        if self.thread != 0 {
            return self.job.control.is_over();
        }
        let Some(best) = lines.first() else { return true };
        let mate = best.score.mate_in();
        if let (Some(wanted), Some(found)) = (self.job.limits.mate, mate)
            && found > 0
            && found <= wanted
        {
            return true;
        }
        if self.job.limits.soft_nodes.is_some_and(|limit| self.nodes >= limit) {
            return true;
        }
        let nodes = self.root_moves.first().map_or(0, |root| root.nodes);
        progress.record_best(best.moves.first().copied());
        progress.drop = if values[0].is_mate() { 0 } else { values[0] - values[1] };
        let earlier = self.thread_data.earlier;
        progress.drop_since_move = earlier.map_or(0, |earlier| earlier.drop(&self.job.game, values[1]));
        progress.best_share = nodes as f64 / self.nodes.max(1) as f64;
        if self.job.time_manager.is_timed()
            && self.job.limits.move_time.is_none()
            && !self.job.control.pondering()
        {
            // One legal move, or a mate that a deeper search cannot shorten: do not waste the clock.
            let forced = self.root_moves.len() == 1 && depth >= 6;
            let proven = mate.is_some_and(|moves| 2 * moves.abs() + 2 <= depth);
            if forced || proven {
                return true;
            }
        }
        self.job.time_manager.enough(&self.job.control, progress)
    }
}
