//! Counting for RankCut: how often this or a later move of a node became its best, state by state.
//!
//! Y. J. Lim and W. S. Lee, "RankCut – A Domain Independent Forward Pruning Method for Games", AAAI 2006.
//!
//! The paper counts a move as better than x, "the score of the current best move", or "a value like α". In a
//! fail-hard program the two are the same; in this one, which is fail-soft, moves below alpha are ever again a
//! little better than the best of those that failed too, which says nothing about the value of the node. So a
//! move counts here if it is better than both; [`Better::ThanBest`] counts as a fail-soft reader of the paper would.

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

/// What a move must beat to be counted as better.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Better {
    /// The best value so far and alpha.
    #[default]
    ThanAlpha,
    /// The best value so far, even if that is below alpha.
    ThanBest,
}

/// Watches a search and counts; above alpha, or whatever is better than the best so far.
pub(crate) struct RankCounter<const ABOVE_ALPHA: bool> {
    /// Every state seen, twice its number, plus one if a best move came after it. A search sees few of
    /// all the states, so a list is quicker than a table for each.
    seen: Vec<u32>,
    /// What the list held when it was long.
    sums: Option<Box<RankCounts>>,
    /// States seen at every ply of the path, and whether a best move came after them.
    open: Vec<Vec<(u32, bool)>>,
}

/// Samples after which the list is summed up.
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

    /// Adds what was seen.
    fn add_to(&self, counts: &mut RankCounts) {
        for sample in &self.seen {
            counts.add((sample / 2) as usize, sample % 2 == 1);
        }
        if let Some(sums) = &self.sums {
            counts.merge(sums);
        }
    }
}

/// What was collected so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Collected {
    /// Numbers of the games played.
    pub games: BTreeSet<u32>,
    pub positions: u64,
    pub nodes: u64,
    /// How often moves of every rank were best.
    pub counts: RankCounts,
}

impl Collected {
    /// Adds what another part of the same run collected; a game that both have is named.
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

/// What one game taught.
struct CountedGame {
    positions: u64,
    nodes: u64,
    counts: Box<RankCounts>,
}

/// The games to count in.
pub(crate) struct Collection<'a> {
    /// Who plays, from which openings.
    pub players: &'a SelfPlay<'a>,
    /// Games to have in the end.
    pub games: u32,
    /// What ends the search of a move.
    pub limits: &'a Limits,
    /// What counts.
    pub better: Better,
    /// Which of the games, if the run is split over machines.
    pub shard: Shard,
}

impl Collection<'_> {
    /// Plays the games that are missing and counts; `progress` is called after every game. Only whole games count, so
    /// that an interrupted collection that is resumed equals one that was not.
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

/// How far two tables of statistics are apart.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Movement {
    /// States seen often enough in both.
    pub states: usize,
    /// Mean change of a probability, weighted by how often the state was seen.
    pub mean: f64,
    /// The change that chance alone would bring, if every sample were independent.
    pub chance: f64,
    /// Share of the samples whose state is now on the other side of the threshold.
    pub crossed: f64,
}

/// Compares the probabilities of the states in which RankCut acts and that both have seen often enough.
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

    /// What three moves teach, of which the second raises alpha and the third is only the best below it.
    fn taught<const ABOVE_ALPHA: bool>() -> [RankCount; 4] {
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
        assert_eq!(taught::<true>(), [yes, yes, no, no]);
        assert_eq!(taught::<false>(), [yes, yes, yes, no], "what is below alpha counts too");
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
