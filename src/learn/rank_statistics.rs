//! Statistics for RankCut: how often this or a later move of a node became its best, by state.
//!
//! Y. J. Lim and W. S. Lee, "RankCut – A Domain Independent Forward Pruning Method for Games", AAAI 2006.
//!
//! The paper counts a move as better than x, "the score of the current best move", or "a value like α". In a fail-hard
//! program the two are the same. This program is fail-soft: below alpha, moves are often slightly better than the best
//! so far, which says nothing about the value of the node. So a move counts if it is better than both;
//! [`Better::ThanBest`] is the literal reading.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use crate::board::Game;
use crate::depth::Depth;
use crate::engine::Engine;
use crate::limits::Limits;
use crate::parallel::Shard;
use crate::score::MAX_PLY;
use crate::search::Search;
use crate::search::event::{Event, Interest};
use crate::search::observer::Observer;
use crate::selective::rank_cut::{self, depth_and_number};
use crate::selective::rank_table::RankCounts;
use crate::self_play::{self, SelfPlay};

/// What a move must beat to count as better.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Better {
    /// The best value so far and alpha.
    #[default]
    ThanAlpha,
    /// The best value so far, even below alpha.
    ThanBest,
}

/// Counts the states of a search, and whether a better move came after them.
pub(crate) struct RankCounter<const ABOVE_ALPHA: bool> {
    /// The states seen: twice their number, plus one if a better move came after. A search sees few of all states, so a
    /// list is faster than a table.
    seen: Vec<u32>,
    /// Counts of earlier contents of the list.
    sums: Option<Box<RankCounts>>,
    /// States at each ply of the path, and whether a better move came after them.
    open: Vec<Vec<(u32, bool)>>,
}

/// The list is summed up at this length.
const LONG: usize = 4 << 20;

impl<const ABOVE_ALPHA: bool> Default for RankCounter<ABOVE_ALPHA> {
    fn default() -> Self {
        Self { seen: Vec::new(), sums: None, open: vec![Vec::new(); MAX_PLY + 1] }
    }
}

impl<const ABOVE_ALPHA: bool> Observer for RankCounter<ABOVE_ALPHA> {
    const WANTS: Interest = Interest::MOVES;
    const RANKS_FROM: Depth = Depth::plies(3);

    fn on(&mut self, event: &Event) {
        match *event {
            Event::NodeBegun { ply } => self.open[ply].clear(),
            Event::Ranked { ply, state } => self.open[ply].push((state as u32, false)),
            Event::Searched { ply, best, raises, .. } if if ABOVE_ALPHA { raises } else { best } => {
                for (_, better) in &mut self.open[ply] {
                    *better = true;
                }
            }
            Event::NodeDone { ply } => self.node_done(ply),
            _ => {}
        }
    }
}

impl<const ABOVE_ALPHA: bool> RankCounter<ABOVE_ALPHA> {
    fn node_done(&mut self, ply: usize) {
        self.seen.extend(self.open[ply].drain(..).map(|(state, better)| 2 * state + u32::from(better)));
        if self.seen.len() >= LONG {
            let mut sums = self.sums.take().unwrap_or_default();
            self.add_to(&mut sums);
            self.seen.clear();
            self.sums = Some(sums);
        }
    }

    /// Adds all samples to the counts.
    fn add_to(&self, counts: &mut RankCounts) {
        for sample in &self.seen {
            counts.add((sample / 2) as usize, sample % 2 == 1);
        }
        if let Some(sums) = &self.sums {
            counts.merge(sums);
        }
    }
}

/// The statistics collected so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Collected {
    /// Numbers of the games played.
    pub games: BTreeSet<u32>,
    pub positions: u64,
    pub nodes: u64,
    /// Samples and better moves by state.
    pub counts: RankCounts,
}

impl Collected {
    /// Adds another part of the same run; an error if both have the same game.
    pub(crate) fn merge(&mut self, part: &Self) -> Result<(), String> {
        if let Some(game) = self.games.intersection(&part.games).next() {
            return Err(format!("game {game} is in two parts"));
        }
        self.games.extend(&part.games);
        self.positions += part.positions;
        self.nodes += part.nodes;
        self.counts.merge(&part.counts);
        Ok(())
    }
}

/// The counts of one game.
struct CountedGame {
    positions: u64,
    nodes: u64,
    counts: Box<RankCounts>,
}

/// A collection of statistics.
pub(crate) struct Collection<'a> {
    /// Options and openings of the games.
    pub players: &'a SelfPlay<'a>,
    pub games: u32,
    pub limits: &'a Limits,
    /// What counts as better.
    pub better: Better,
    /// The part of the games, if the run is split over several machines.
    pub shard: Shard,
}

impl Collection<'_> {
    /// Plays the missing games and counts; `progress` is called after every game. Only complete games count, so a resumed
    /// run gives the same result as one without interruption.
    pub(crate) fn collect(&self, collected: &mut Collected, mut progress: impl FnMut(&Collected) + Send) {
        let ours = (0..self.games).filter(|game| self.shard.has(u64::from(*game)));
        let missing: Vec<u32> = ours.filter(|game| !collected.games.contains(game)).collect();
        self.players.run(
            missing.into_iter(),
            |engine, start| {
                let (limits, stop) = (self.limits, self.players.jobs.stop);
                match self.better {
                    Better::ThanAlpha => counted::<true>(engine, start, limits, stop),
                    Better::ThanBest => counted::<false>(engine, start, limits, stop),
                }
            },
            |game, counted| {
                collected.games.insert(game);
                collected.positions += counted.positions;
                collected.nodes += counted.nodes;
                collected.counts.merge(&counted.counts);
                progress(collected);
            },
        );
    }
}

fn counted<const ABOVE_ALPHA: bool>(
    engine: &mut Engine,
    start: Game,
    limits: &Limits,
    stop: &AtomicBool,
) -> Option<CountedGame> {
    let mut counted = CountedGame { positions: 0, nodes: 0, counts: Box::default() };
    self_play::play(engine, start, stop, |engine| {
        let (outcome, counters) = engine
            .start(Search::new(limits.clone()).observer(RankCounter::<ABOVE_ALPHA>::default()))
            .observed();
        counted.positions += 1;
        counted.nodes += outcome.effort.nodes;
        counters.iter().for_each(|counter| counter.add_to(&mut counted.counts));
        outcome
    })?;
    Some(counted)
}

/// The difference between two tables of statistics.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Movement {
    /// States seen often enough in both.
    pub states: usize,
    /// Mean change of the probabilities, weighted by samples.
    pub mean: f64,
    /// The change expected by chance if samples were independent.
    pub chance: f64,
    /// Share of the samples whose state crossed the threshold.
    pub crossed: f64,
}

/// Compares the probabilities of states where RankCut acts and that are frequent enough in both tables.
pub(crate) fn movement(before: &RankCounts, after: &RankCounts, rank_cut: &rank_cut::Settings) -> Movement {
    let (samples, threshold) = (rank_cut.samples.max(1) as u32, rank_cut.probability());
    let mut movement = Movement::default();
    let mut weights = 0.0;
    for (index, now) in after.iter_seen(samples) {
        let then = before.get(index);
        if then.seen < samples || depth_and_number(index).0 < rank_cut.depth {
            continue;
        }
        let (p, q, weight) = (then.probability(), now.probability(), f64::from(now.seen));
        let pooled = f64::from(then.better + now.better) / (f64::from(then.seen) + f64::from(now.seen));
        let variance = pooled * (1.0 - pooled) * (1.0 / f64::from(then.seen) + 1.0 / weight);
        movement.states += 1;
        movement.mean += weight * (p - q).abs();
        // The mean of |x| of a normal variable is σ·√(2/π).
        movement.chance += weight * (variance * std::f64::consts::FRAC_2_PI).sqrt();
        movement.crossed += if (p < threshold) == (q < threshold) { 0.0 } else { weight };
        weights += weight;
    }
    if weights > 0.0 {
        movement.mean /= weights;
        movement.chance /= weights;
        movement.crossed /= weights;
    }
    movement
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::options::Options;
    use crate::parallel::Jobs;
    use crate::selective::rank_table::RankCount;

    /// The counts after four moves, of which the second raises alpha and the third is only better than the best.
    fn counts_of_four_moves<const ABOVE_ALPHA: bool>() -> [RankCount; 4] {
        let mut counter = RankCounter::<ABOVE_ALPHA>::default();
        counter.on(&Event::NodeBegun { ply: 3 });
        for (state, best, raises) in
            [(10, false, false), (11, true, true), (12, true, false), (13, false, false)]
        {
            counter.on(&Event::Ranked { ply: 3, state });
            counter.on(&Event::searched(3, best, raises));
        }
        counter.node_done(3);
        let mut counts = RankCounts::default();
        counter.add_to(&mut counts);
        [10, 11, 12, 13].map(|state| counts.get(state))
    }

    #[test]
    fn a_better_move_counts_for_the_states_before_it_and_not_after() {
        let [yes, no] = [1, 0].map(|better| RankCount { better, seen: 1 });
        assert_eq!(counts_of_four_moves::<true>(), [yes, yes, no, no]);
        assert_eq!(counts_of_four_moves::<false>(), [yes, yes, yes, no], "what is below alpha counts too");
    }

    fn collected(games: &[u32], jobs: usize) -> Collected {
        part(games, jobs, Shard::WHOLE)
    }

    #[test]
    fn parts_put_together_are_the_whole_collection() {
        let mut sum = Collected::default();
        for shard in "1/2".parse::<Shard>().unwrap().all() {
            let part = part(&[3], 1, shard);
            sum.merge(&part).unwrap();
            assert!(sum.clone().merge(&part).unwrap_err().contains("is in two parts"));
        }
        assert_eq!(sum, collected(&[3], 1));
    }

    fn part(games: &[u32], jobs: usize, shard: Shard) -> Collected {
        let options = Options::default();
        let stop = AtomicBool::new(false);
        let jobs = Jobs { count: jobs, stop: &stop };
        let players = SelfPlay::new(&options, vec![Position::default()], 1, jobs);
        let mut collected = Collected::default();
        for &count in games {
            let limits = &Limits::nodes(1_000);
            let better = Better::ThanAlpha;
            let collection = Collection { players: &players, games: count, limits, better, shard };
            collection.collect(&mut collected, |_| {});
        }
        collected
    }

    #[test]
    fn a_resumed_collection_equals_one_that_was_not_interrupted() {
        let whole = collected(&[2], 2);
        assert_eq!(collected(&[1, 2], 1), whole);
        assert!(whole.counts.seen_at_least(10) > 0 && whole.games.len() == 2);
    }

    #[test]
    fn movement_is_nothing_between_equals_and_sees_a_crossing() {
        let rule = Options::default().selective.rank_cut;
        let state = (0..).find(|state| depth_and_number(*state).0 == rule.depth).unwrap();
        let counts = |better| {
            let mut counts = RankCounts::default();
            // The first state is of depth 1, where RankCut does nothing.
            (0..2_000).for_each(|i| counts.add(state, i < better));
            (0..2_000).for_each(|i| counts.add(0, i < 10 * better));
            counts
        };
        let same = movement(&counts(10), &counts(10), &rule);
        assert_eq!((same.states, same.mean, same.crossed), (1, 0.0, 0.0));
        let moved = movement(&counts(10), &counts(30), &rule);
        assert!((moved.mean - 0.01).abs() < 1e-12 && moved.crossed == 1.0 && moved.chance < moved.mean);
    }
}
