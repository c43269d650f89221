//! Counts of searches, their sums, and the ratios computed from them.

use std::ops::AddAssign;

use serde::Serialize;

use crate::depth::Depth;
use crate::search::event::End;
use crate::selective::{Id, METHODS};

/// Columns of the histogram of reductions: whole plies from 0; the last one includes all larger reductions.
pub(super) const PLIES: usize = 9;

/// The branching factor is computed from this iteration on; shallower ones have too few nodes.
const GROWTH_FROM: i32 = 5;

/// Counts over the searches of some positions.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Profile {
    /// Nodes, including quiescence search.
    pub nodes: u64,
    /// Nodes of the principal variation.
    pub pv_nodes: u64,
    /// Nodes of quiescence search.
    pub quiescence_nodes: u64,
    /// Cut-offs by a move outside quiescence search.
    pub cutoffs: u64,
    /// Cut-offs by the first move.
    pub first_move_cutoffs: u64,
    /// The hash table in the main search.
    pub hash: HashUse,
    /// The hash table in quiescence search.
    pub quiescence_hash: HashUse,
    /// Nodes by the reason they ended, in the order of [`End::ALL`].
    pub ends: Sums,
    /// Counts of the methods, in the order of [`METHODS`].
    pub methods: Vec<MethodUse>,
    /// Verdicts of singular tests.
    pub singular: Verdicts,
    /// Counts by remaining depth in plies; 0 is quiescence search.
    pub by_depth: Vec<AtDepth>,
    /// The completed iterations of each position, in the order of the positions.
    pub searches: Vec<CompletedIterations>,
}

/// Counts by index, as long as needed.
pub(super) type Sums = Vec<u64>;

/// Probes of the hash table.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct HashUse {
    /// Number of probes.
    pub probes: u64,
    /// Probes that found an entry.
    pub hits: u64,
    /// Nodes that ended by a hash cut-off.
    pub cutoffs: u64,
}

/// Counts of one method.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct MethodUse {
    pub method: Id,
    /// How often it probed the tree or acted.
    pub tries: u64,
    /// How often that cut, reduced or extended.
    pub successes: u64,
    /// How often it acted without a probe, which also counts as a try and a success.
    pub acts: u64,
    /// Nodes inside its probes, including nested probes of other methods.
    pub nodes: u64,
}

/// Verdicts of singular tests about the hash move.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Verdicts {
    /// Extend by less than two plies.
    pub by_one: u64,
    /// Extend by two plies or more.
    pub by_two: u64,
    /// Reduce.
    pub shorter: u64,
    /// Cut the node, because another move would cut too.
    pub cut: u64,
    /// No change.
    pub nothing: u64,
}

/// Counts at nodes with a given remaining depth.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct AtDepth {
    pub nodes: u64,
    /// Moves that were reduced.
    pub reduced: u64,
    /// Sum of the reductions in hundredths of a ply.
    pub reduction: u64,
    /// Reduced moves that were re-searched at full depth.
    pub again: u64,
    /// Reduced moves by rounded reduction in plies.
    pub by_plies: [u64; PLIES],
}

/// The completed iterations of one search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct CompletedIterations {
    /// The position, as its index in the suite.
    pub position: usize,
    /// Nodes of the whole search.
    pub nodes: u64,
    /// Depth of each completed iteration, and the nodes of the search when it ended.
    pub iterations: Vec<(i32, u64)>,
}

impl CompletedIterations {
    /// The deepest iteration completed within this many nodes; `None` if the search ended before.
    pub(crate) fn depth_at(&self, nodes: u64) -> Option<i32> {
        let complete = || self.iterations.iter().take_while(|(_, end)| *end <= nodes);
        (self.nodes >= nodes).then(|| complete().last().map_or(0, |(depth, _)| *depth))
    }

    /// The nodes of a completed iteration alone.
    fn nodes_of(&self, depth: i32) -> Option<u64> {
        let index = self.iterations.iter().position(|(other, _)| *other == depth)?;
        let before = index.checked_sub(1).map_or(0, |before| self.iterations[before].1);
        Some(self.iterations[index].1 - before)
    }

    /// The nodes of an iteration divided by those of the one before.
    pub(crate) fn growth(&self, depth: i32) -> Option<f64> {
        Some(self.nodes_of(depth)? as f64 / self.nodes_of(depth - 1)?.max(1) as f64)
    }
}

impl AtDepth {
    /// Counts a move that is reduced.
    pub(crate) fn reduce(&mut self, by: Depth) {
        let hundredths = by.raw().max(0) as usize;
        let ply = Depth::PLY.raw() as usize;
        self.reduced += 1;
        self.reduction += hundredths as u64;
        self.by_plies[((hundredths + ply / 2) / ply).min(PLIES - 1)] += 1;
    }

    /// The mean reduction in plies.
    pub(crate) fn mean_reduction(&self) -> Option<f64> {
        share(self.reduction, self.reduced).map(|mean| mean / f64::from(Depth::PLY.raw()))
    }
}

impl AddAssign for AtDepth {
    fn add_assign(&mut self, more: Self) {
        self.nodes += more.nodes;
        self.reduced += more.reduced;
        self.reduction += more.reduction;
        self.again += more.again;
        self.by_plies.iter_mut().zip(more.by_plies).for_each(|(sum, count)| *sum += count);
    }
}

impl AddAssign for HashUse {
    fn add_assign(&mut self, more: Self) {
        self.probes += more.probes;
        self.hits += more.hits;
        self.cutoffs += more.cutoffs;
    }
}

impl AddAssign for Verdicts {
    fn add_assign(&mut self, more: Self) {
        self.by_one += more.by_one;
        self.by_two += more.by_two;
        self.shorter += more.shorter;
        self.cut += more.cut;
        self.nothing += more.nothing;
    }
}

impl Verdicts {
    /// The number of tests.
    pub(crate) fn tests(&self) -> u64 {
        self.by_one + self.by_two + self.shorter + self.cut + self.nothing
    }
}

impl MethodUse {
    /// The counts of a method that did nothing.
    pub(crate) fn none(method: Id) -> Self {
        Self { method, tries: 0, successes: 0, acts: 0, nodes: 0 }
    }

    /// Whether it used probes, which may fail and cost nodes.
    pub(crate) fn probes(&self) -> bool {
        self.tries > self.acts
    }
}

impl Profile {
    /// Mutable counts at this remaining depth.
    pub(crate) fn at_depth(&mut self, plies: usize) -> &mut AtDepth {
        if self.by_depth.len() <= plies {
            self.by_depth.resize_with(plies + 1, AtDepth::default);
        }
        &mut self.by_depth[plies]
    }

    /// Counts at this remaining depth.
    pub(crate) fn depth(&self, plies: usize) -> AtDepth {
        self.by_depth.get(plies).copied().unwrap_or_default()
    }

    /// Counts a node that ended for this reason.
    pub(crate) fn end(&mut self, end: End) {
        add_at(&mut self.ends, end as usize, 1);
    }

    /// The number of nodes that ended for this reason.
    pub(crate) fn ended(&self, end: End) -> u64 {
        self.ends.get(end as usize).copied().unwrap_or(0)
    }

    /// Counts of a method.
    pub(crate) fn method(&self, method: Id) -> MethodUse {
        self.methods.get(method as usize).copied().unwrap_or(MethodUse::none(method))
    }

    /// Mutable counts of a method.
    pub(crate) fn method_mut(&mut self, method: Id) -> &mut MethodUse {
        if self.methods.is_empty() {
            self.methods = METHODS.iter().map(|method| MethodUse::none(method.id)).collect();
        }
        &mut self.methods[method as usize]
    }

    /// Adds another profile; positions are kept in order.
    pub(crate) fn add(&mut self, more: Self) {
        self.nodes += more.nodes;
        self.pv_nodes += more.pv_nodes;
        self.quiescence_nodes += more.quiescence_nodes;
        self.cutoffs += more.cutoffs;
        self.first_move_cutoffs += more.first_move_cutoffs;
        self.hash += more.hash;
        self.quiescence_hash += more.quiescence_hash;
        self.singular += more.singular;
        more.ends.iter().enumerate().for_each(|(end, count)| add_at(&mut self.ends, end, *count));
        for used in more.methods {
            let sum = self.method_mut(used.method);
            sum.tries += used.tries;
            sum.successes += used.successes;
            sum.acts += used.acts;
            sum.nodes += used.nodes;
        }
        more.by_depth.into_iter().enumerate().for_each(|(plies, more)| *self.at_depth(plies) += more);
        self.searches.extend(more.searches);
        self.searches.sort_by_key(|climb| climb.position);
    }

    /// The reductions of all depths.
    pub(crate) fn reductions(&self) -> AtDepth {
        let mut all = AtDepth::default();
        self.by_depth.iter().for_each(|at| all += *at);
        all
    }

    /// The hash table in all nodes.
    pub(crate) fn hash_use(&self) -> HashUse {
        let mut all = self.hash;
        all += self.quiescence_hash;
        all
    }

    /// The mean completed depth after this many nodes, over the positions with as many.
    pub(crate) fn depth_at(&self, nodes: u64) -> Option<f64> {
        let depths = self.searches.iter().filter_map(|climb| climb.depth_at(nodes)).map(f64::from);
        mean(depths)
    }

    /// The mean nodes of an iteration, and the number of positions that completed it.
    pub(crate) fn iteration(&self, depth: i32) -> (Option<f64>, u64) {
        let nodes = || self.searches.iter().filter_map(|climb| climb.nodes_of(depth));
        (mean(nodes().map(|nodes| nodes as f64)), nodes().count() as u64)
    }

    /// The growth of an iteration: the geometric mean over positions.
    pub(crate) fn growth(&self, depth: i32) -> Option<f64> {
        geometric_mean(self.searches.iter().filter_map(|climb| climb.growth(depth)))
    }

    /// The effective branching factor: the geometric mean of the growth over all but the shallowest iterations.
    pub(crate) fn branching(&self) -> Option<f64> {
        let depths = GROWTH_FROM..=self.deepest();
        geometric_mean(
            depths.flat_map(|depth| self.searches.iter().filter_map(move |climb| climb.growth(depth))),
        )
    }

    /// The deepest iteration that any position completed.
    pub(crate) fn deepest(&self) -> i32 {
        self.searches.iter().filter_map(|climb| climb.iterations.last()).map(|last| last.0).max().unwrap_or(0)
    }
}

/// The share of a part; `None` if the whole is 0.
pub(super) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn add_at(sums: &mut Sums, index: usize, count: u64) {
    if sums.len() <= index {
        sums.resize(index + 1, 0);
    }
    sums[index] += count;
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

fn geometric_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    mean(values.map(f64::ln)).map(f64::exp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn climb(position: usize, ends: &[u64]) -> CompletedIterations {
        let iterations = (1..).zip(ends.iter().copied()).collect();
        CompletedIterations { position, nodes: ends.last().copied().unwrap_or(0) + 50, iterations }
    }

    #[test]
    fn depth_and_growth_are_read_off_the_ends_of_iterations() {
        let climb = climb(0, &[10, 30, 90]);
        assert_eq!([0, 9, 10, 89, 90, 140].map(|nodes| climb.depth_at(nodes).unwrap()), [0, 0, 1, 2, 3, 3]);
        assert_eq!(climb.depth_at(141), None, "the search ended before");
        assert_eq!([1, 2, 3, 4].map(|depth| climb.nodes_of(depth)), [Some(10), Some(20), Some(60), None]);
        assert_eq!((climb.growth(1), climb.growth(3)), (None, Some(3.0)));
    }

    #[test]
    fn means_are_over_the_positions_that_got_there() {
        let profile =
            Profile { searches: vec![climb(0, &[10, 30, 90]), climb(1, &[10, 50])], ..Profile::default() };
        assert_eq!((profile.depth_at(60), profile.depth_at(120)), (Some(2.0), Some(3.0)));
        assert_eq!((profile.iteration(2), profile.deepest()), ((Some(30.0), 2), 3));
        // 2 and 4.
        assert!((profile.growth(2).unwrap() - 8_f64.sqrt()).abs() < 1e-12);
        assert_eq!(profile.branching(), None, "no iteration is deep enough");
    }

    #[test]
    fn reductions_are_rounded_to_plies_and_averaged_exactly() {
        let mut at = AtDepth::default();
        [49, 50, 149, 150, 5_000].into_iter().for_each(|by| at.reduce(Depth::hundredths(by)));
        assert_eq!(at.by_plies, [1, 2, 1, 0, 0, 0, 0, 0, 1]);
        assert_eq!((at.reduced, at.mean_reduction()), (5, Some(53.98 / 5.0)));
        assert_eq!(AtDepth::default().mean_reduction(), None);
    }

    #[test]
    fn profiles_add_up_in_any_order() {
        let part = |position: usize| {
            let mut profile =
                Profile { nodes: 7, searches: vec![climb(position, &[5])], ..Profile::default() };
            profile.at_depth(position).nodes = 7;
            profile.end(End::ALL[position]);
            profile.method_mut(Id::NullMove).tries = 3;
            profile
        };
        let sum = |order: [usize; 3]| {
            let mut sum = Profile::default();
            order.into_iter().for_each(|position| sum.add(part(position)));
            sum
        };
        let all = sum([0, 1, 2]);
        assert_eq!(all, sum([2, 0, 1]));
        assert_eq!((all.nodes, all.method(Id::NullMove).tries, all.ends.iter().sum()), (21, 9, 3));
        assert_eq!(all.by_depth.iter().map(|at| at.nodes).collect::<Vec<_>>(), [7, 7, 7]);
    }
}
