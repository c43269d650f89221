//! Counting for RankCut: how often this or a later move of a node became its best, state by state.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::self_play;
use crate::engine::Engine;
use crate::limits::Limits;
use crate::options::Options;
use crate::position::{Game, Position};
use crate::score::MAX_PLY;
use crate::search::observer::Observer;
use crate::selective::rank_table::Counts;

/// Watches a search and counts.
pub struct RankCounter {
    counts: Counts,
    /// States seen at every ply of the path, and whether a best move came after them.
    open: Vec<Vec<(usize, bool)>>,
}

impl Default for RankCounter {
    fn default() -> Self {
        Self { counts: Counts::default(), open: vec![Vec::new(); MAX_PLY + 1] }
    }
}

impl Observer for RankCounter {
    const RANKS: bool = true;

    fn node_begun(&mut self, ply: usize) {
        self.open[ply].clear();
    }

    fn ranked(&mut self, ply: usize, state: usize) {
        self.open[ply].push((state, false));
    }

    fn searched(&mut self, ply: usize, best: bool) {
        if best {
            for (_, better) in &mut self.open[ply] {
                *better = true;
            }
        }
    }

    fn node_done(&mut self, ply: usize) {
        for (state, better) in self.open[ply].drain(..) {
            self.counts.add(state, better);
        }
    }
}

/// How to collect.
pub struct Collection<'a> {
    /// The system that plays.
    pub options: &'a Options,
    /// Where games begin, in turn.
    pub openings: &'a [Position],
    /// How many games.
    pub games: usize,
    /// How long to think about every move.
    pub limits: Limits,
    /// Games at once.
    pub jobs: usize,
}

impl Collection<'_> {
    /// Plays the games and counts; `progress` hears the number of games played.
    pub fn run(&self, progress: impl Fn(usize) + Sync) -> Counts {
        let sum = Mutex::new(Counts::default());
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| {
                    let mut engine = Engine::new(self.options.clone());
                    while let Some(opening) = self.opening(next.fetch_add(1, Ordering::Relaxed)) {
                        self_play::play(&mut engine, Game::new(opening.clone()), |engine| {
                            let (outcome, counters) =
                                engine.search_watched::<RankCounter>(self.limits.clone());
                            let mut sum = sum.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                            counters.iter().for_each(|counter| sum.merge(&counter.counts));
                            outcome
                        });
                        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
                    }
                });
            }
        });
        sum.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn opening(&self, game: usize) -> Option<&Position> {
        if game < self.games { self.openings.get(game % self.openings.len().max(1)) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selective::rank_table::Count;

    #[test]
    fn a_best_move_counts_for_the_states_before_it_and_not_after() {
        let mut counter = RankCounter::default();
        counter.node_begun(3);
        counter.ranked(3, 10);
        counter.searched(3, false);
        counter.ranked(3, 11);
        counter.searched(3, true);
        counter.ranked(3, 12);
        counter.searched(3, false);
        counter.node_done(3);
        assert_eq!(counter.counts.get(10), Count { better: 1, seen: 1 });
        assert_eq!(counter.counts.get(11), Count { better: 1, seen: 1 });
        assert_eq!(counter.counts.get(12), Count { better: 0, seen: 1 });
    }

    #[test]
    fn self_play_fills_the_counts() {
        let options = Options::defaults();
        let openings = [Position::default()];
        let limits = Limits::nodes(2_000);
        let collection = Collection { options: &options, openings: &openings, games: 1, limits, jobs: 2 };
        assert!(collection.run(|_| {}).seen_at_least(10) > 0);
    }
}
