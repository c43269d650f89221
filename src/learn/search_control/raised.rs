//! Thesis 6.4.2 and appendix B: estimates from one search how many nodes it would take with other weights.
//!
//! Each node has an additional depth for each class, as if that class weighed δ more. A node counts for a class while that
//! depth of its parent has not reached the horizon.

use super::CLASSES;
use super::cost::Growth;
use crate::depth::Depth;
use crate::score::MAX_PLY;
use crate::search::event::{Event, Interest};
use crate::search::observer::Observer;
use crate::selective::extensions;

/// Counts the nodes of a search, and those of the trees with raised weights. Quiescence search is not counted, because
/// its size beyond another horizon is unknown.
pub struct Raised {
    /// The additional depth of the path to each ply, by class, in hundredths.
    class_deltas: Vec<[i32; CLASSES]>,
    /// Whether the node at each ply would still exist, by class.
    open: Vec<[bool; CLASSES]>,
    nodes: u64,
    raised: [u64; CLASSES],
    last: Option<Growth>,
}

impl Default for Raised {
    fn default() -> Self {
        Self {
            class_deltas: vec![[0; CLASSES]; MAX_PLY + 3],
            open: vec![[true; CLASSES]; MAX_PLY + 3],
            nodes: 0,
            raised: [0; CLASSES],
            last: None,
        }
    }
}

impl Observer for Raised {
    const WANTS: Interest = Interest::PATHS.and(Interest::ITERATIONS);
    const DELTA: Depth = Depth::hundredths(10);

    fn on(&mut self, event: &Event) {
        match *event {
            Event::Visited { ply } => self.visited(ply),
            Event::MoveBegun { ply, depth, class_deltas } => self.move_begun(ply, depth, class_deltas),
            Event::IterationEnds { depth, value: Some(_) } => self.iterated(depth),
            _ => {}
        }
    }
}

impl Raised {
    fn visited(&mut self, ply: usize) {
        self.nodes += 1;
        for (count, open) in self.raised.iter_mut().zip(self.open[ply]) {
            *count += u64::from(open);
        }
    }

    fn move_begun(&mut self, ply: usize, depth: Depth, class_deltas: [Depth; extensions::CLASSES]) {
        for (class, class_deltas) in class_deltas.iter().enumerate().take(CLASSES) {
            let so_far = self.class_deltas[ply][class];
            self.open[ply + 1][class] = self.open[ply][class] && depth.raw() > so_far;
            self.class_deltas[ply + 1][class] = so_far + class_deltas.raw();
        }
    }

    fn iterated(&mut self, depth: i32) {
        self.last = Some(Growth {
            depth: f64::from(depth),
            nodes: self.nodes as f64,
            raised: self.raised.map(|count| count as f64),
            delta: f64::from(Self::DELTA.raw()) / 100.0,
        });
    }

    /// The growth up to the last complete iteration.
    pub fn growth(&self) -> Option<Growth> {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::super::cost::growth_rate;
    use super::*;
    use crate::engine::Engine;
    use crate::limits::Limits;
    use crate::options::Options;
    use crate::search::Search;

    /// A move of the first class with weight 0.4, or of the second with weight 1.0.
    enum SmallTree {
        Dotted(Vec<SmallTree>),
        Solid(Vec<SmallTree>),
    }
    use SmallTree::{Dotted, Solid};

    fn search(watched: &mut Raised, children: &[SmallTree], ply: usize, left: i32) {
        watched.visited(ply);
        assert_eq!(children.is_empty(), left <= 0, "a tree ends at the horizon");
        for child in children {
            let (class, weight, below) = match child {
                Dotted(below) => (0, 40, below),
                Solid(below) => (1, 100, below),
            };
            let mut class_deltas = [Depth::ZERO; extensions::CLASSES];
            class_deltas[class] = Raised::DELTA;
            watched.move_begun(ply, Depth::hundredths(left), class_deltas);
            search(watched, below, ply + 1, left - weight);
        }
    }

    // Appendix B: a tree of 17 nodes at depth 2.0, weights 0.4 and 1.0, δ = 0.1. Raising the first weight
    // leaves 11 nodes, raising the second all 17. (The figure is not in the text: this is a tree of that kind.)
    #[test]
    fn the_example_of_appendix_b() {
        let leaves = || vec![Dotted(vec![]), Solid(vec![])];
        let deep = vec![Dotted(leaves()), Dotted(leaves())];
        let less_deep = vec![Dotted(leaves()), Solid(vec![])];
        let tree = [Solid(vec![Solid(vec![]), Dotted(deep)]), Solid(vec![Solid(vec![]), Dotted(less_deep)])];
        let mut watched = Raised::default();
        search(&mut watched, &tree, 0, 200);
        assert_eq!((watched.nodes, watched.raised), (17, [11, 17, 17, 17]));
        watched.iterated(2);
        let growth = watched.growth().unwrap();
        assert!((growth_rate(growth.nodes, growth.depth) - 4.123).abs() < 5e-4);
        assert!((growth_rate(growth.raised[0], growth.depth) - 3.317).abs() < 5e-4);
        assert!((growth_rate(growth.raised[1], growth.depth) - 4.123).abs() < 5e-4);
    }

    #[test]
    fn raised_weights_make_trees_smaller_and_watching_changes_nothing() {
        let mut options = Options::default();
        options.set("Preset", "Crafty").unwrap();
        let mut engine = Engine::new(options);
        let plain = engine.search(Limits::depth(6)).effort.nodes;
        engine.new_game();
        let (outcome, watched) =
            engine.start(Search::new(Limits::depth(6)).observer(Raised::default())).observed();
        assert_eq!(outcome.effort.nodes, plain);
        let growth = watched[0].growth().unwrap();
        assert_eq!(growth.depth, 6.0);
        assert!(growth.raised.iter().all(|&nodes| nodes > 1.0 && nodes <= growth.nodes), "{growth:?}");
        assert!(growth.raised[1] < growth.nodes, "recaptures shape this tree: {growth:?}");
    }
}
