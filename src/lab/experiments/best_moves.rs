//! Where the best move of an all-node stands: figure 6 of Y. Björnsson, T. A. Marsland, J. Schaeffer and A. Junghanns,
//! *Searching with Uncertainty Cut-offs*, 1996, whose numbers are not printed.
//!
//! The paper's figure is drawn from The Turk, whose order of moves was another: all captures come before the quiet
//! moves, and the hash table keeps the best move of a node that failed low, too. Ours searches losing captures last
//! and keeps no move there. All moves of an all-node are searched with the same bound, so its values do not depend on
//! their order, and one search tells where the best move stands in either order.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::laboratory::{cell_name, sound};
use super::{Interrupted, Laboratory, percent};
use crate::board::{Game, PackedMove, see};
use crate::depth::Depth;
use crate::engine::Engine;
use crate::limits::Limits;
use crate::picture::{Chart, Series};
use crate::random::Random;
use crate::score::Score;
use crate::search::Search;
use crate::search::event::{Event, Interest, NodeKind};
use crate::search::move_picker::{PickStage, PickedMove};
use crate::search::observer::Observer;
use crate::text_table::{Table, thousands};

/// All-nodes with fewer moves are not counted, as in the paper.
const LEAST_MOVES: usize = 10;

/// Full plies of the search, as in the paper.
const PLIES: i32 = 5;

/// In which order the moves of a node are put, and which nodes count.
#[derive(Copy, Clone, PartialEq, Eq)]
enum MoveOrder {
    /// As they were searched.
    Searched,
    /// The same, at every node that failed low, expected or not.
    AnyFailLow,
    /// Hash move, captures by what they take, quiet moves.
    CapturesFirst,
    /// The best move of the iteration before, then as above.
    BestKept,
}

impl MoveOrder {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Searched, "as searched"),
        (Self::AnyFailLow, "as searched, any node that failed low"),
        (Self::CapturesFirst, "all captures first"),
        (Self::BestKept, "and the earlier best move before them"),
    ];

    /// A move's place among the others: the least comes first, equal ones as they were searched.
    fn rank(self, picked: PickedMove, earlier: Option<PackedMove>) -> (u8, Reverse<i32>) {
        let first_of_all = self == Self::BestKept && earlier == Some(picked.m.into());
        match (self, picked.m.capture()) {
            (Self::Searched | Self::AnyFailLow, _) => (0, Reverse(0)),
            _ if first_of_all => (0, Reverse(0)),
            _ if picked.stage == PickStage::Hash => (1, Reverse(0)),
            (_, Some(victim)) => (2, Reverse(see::piece_value(victim))),
            (_, None) => (3, Reverse(0)),
        }
    }
}

/// What kind of move is the best one.
const KINDS: [(&str, PickStage); 5] = [
    ("hash move", PickStage::Hash),
    ("captures that lose nothing", PickStage::GoodCapture),
    ("killers", PickStage::Killer),
    ("quiet moves", PickStage::Quiet),
    ("losing captures", PickStage::BadCapture),
];

/// A node that is being searched.
struct OrderedNode {
    /// Which node it is: the moves that led to it.
    path: u64,
    minimal: bool,
    /// It is expected to fail low.
    all: bool,
    cut: bool,
    frontier: bool,
    moves: Vec<(PickedMove, Score)>,
}

/// Counts where the best moves of all-nodes stand, in tenths of the moves, and what kind of moves they are.
#[derive(Default)]
struct BestPlaces {
    tenths: [[u64; 10]; MoveOrder::ALL.len()],
    /// Moves of each kind, best moves, and best moves at nodes with more than a ply to go.
    kinds: [[u64; 3]; KINDS.len()],
    /// Nodes where several moves have the best value.
    ties: u64,
    nodes: u64,
    open: Vec<OrderedNode>,
    /// The best move of each node that failed low in an earlier iteration.
    earlier: HashMap<u64, PackedMove>,
}

impl Observer for BestPlaces {
    const WANTS: Interest = Interest::TREE.and(Interest::MOVES);

    fn on(&mut self, event: &Event) {
        match *event {
            Event::Entered(visit) => {
                let above = self.open.last().map_or(0, |node| node.path);
                self.open.push(OrderedNode {
                    path: Random::split(above, visit.m.bits().into()).number(),
                    minimal: visit.kind == NodeKind::Minimal,
                    all: visit.cut == Some(false),
                    cut: false,
                    frontier: visit.depth <= Depth::PLY,
                    moves: Vec::new(),
                });
            }
            Event::Evaluated { cut: Some(cut), .. } => {
                self.open.last_mut().into_iter().for_each(|node| node.all = !cut);
            }
            Event::Searched { picked, value, raises, .. } => {
                if let Some(node) = self.open.last_mut() {
                    node.moves.push((picked, value));
                    node.cut |= raises;
                }
            }
            Event::Left { .. } => {
                let node = self.open.pop();
                node.into_iter().for_each(|node| self.count(&node));
            }
            _ => {}
        }
    }
}

impl BestPlaces {
    fn count(&mut self, node: &OrderedNode) {
        let Some(best) = node.moves.iter().map(|(_, value)| *value).max() else { return };
        if !node.minimal || node.cut {
            return;
        }
        let earlier = self.earlier.get(&node.path).copied();
        let first = node.moves.iter().find(|(_, value)| *value == best);
        first.into_iter().for_each(|(picked, _)| _ = self.earlier.insert(node.path, picked.m.into()));
        if node.moves.len() < LEAST_MOVES {
            return;
        }
        for ((order, _), tenths) in MoveOrder::ALL.into_iter().zip(&mut self.tenths) {
            if node.all || order == MoveOrder::AnyFailLow {
                let mut moves: Vec<_> = node.moves.iter().collect();
                moves.sort_by_key(|(picked, _)| order.rank(*picked, earlier));
                let place = moves.iter().position(|(_, value)| *value == best).unwrap_or(0);
                tenths[10 * place / moves.len()] += 1;
            }
        }
        if node.all {
            self.nodes += 1;
            self.ties += u64::from(node.moves.iter().filter(|(_, value)| *value == best).count() > 1);
            for ((_, stage), counts) in KINDS.into_iter().zip(&mut self.kinds) {
                counts[0] += node.moves.iter().filter(|(picked, _)| picked.stage == stage).count() as u64;
                let is_best = u64::from(first.is_some_and(|(picked, _)| picked.stage == stage));
                counts[1] += is_best;
                counts[2] += is_best * u64::from(!node.frontier);
            }
        }
    }

    /// Everything counted, in a row.
    fn sums(&self) -> Vec<u64> {
        let tenths = self.tenths.iter().flatten();
        tenths.chain(self.kinds.iter().flatten()).chain([&self.ties, &self.nodes]).copied().collect()
    }
}

/// How often the best move of an all-node stands in each tenth of its moves, and what kind of move it is.
pub(super) fn measure(lab: &Laboratory) -> Result<(Vec<(String, Table)>, Chart), Interrupted> {
    let suite = lab.suite("bk", 0).ok_or("the suite bk is missing".to_owned())?;
    // The Turk orders by captures and history alone.
    let options = lab.with(&["Preset=TurkUC", "Uncertainty=false"])?;
    let limits = Limits::depth(PLIES);
    let cell = format!("places of best moves on {}", cell_name(&suite, &options, &limits));
    let parts = lab.each(&cell, suite.tasks.len(), |index| {
        let mut engine = Engine::new(options.clone());
        engine.set_game(Game::new(suite.tasks[index].position.clone()));
        let (outcome, watchers) =
            engine.start(Search::new(limits.clone()).observer(BestPlaces::default())).observed();
        sound(outcome)?;
        let mut sums = vec![0; BestPlaces::default().sums().len()];
        for watcher in &watchers {
            sums.iter_mut().zip(watcher.sums()).for_each(|(sum, more)| *sum += more);
        }
        Ok(HashMap::from([("counts".to_owned(), sums)]))
    })?;
    let of = |index: usize| parts.iter().filter_map(|part| part.get("counts")?.get(index)).sum::<u64>();
    let (places, chart) = places(&of);
    let first_kind = 10 * MoveOrder::ALL.len();
    let kinds = kinds(&|kind, column| of(first_kind + 3 * kind + column));
    let [ties, nodes] = [0, 1].map(|index| of(first_kind + 3 * KINDS.len() + index));
    let title =
        format!("Where the best move of an all-node stands (1996, figure 6), {PLIES} ply, % of the nodes");
    let of_kinds = format!(
        "Kinds of moves at these {} nodes; {} % have several best moves",
        thousands(nodes),
        percent(share(ties, nodes))
    );
    Ok((vec![(title, places), (of_kinds, kinds)], chart))
}

fn share(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn places(of: &impl Fn(usize) -> u64) -> (Table, Chart) {
    let names = MoveOrder::ALL.map(|(_, name)| name);
    let mut table = Table::new(&[&["moves %"], &names[..]].concat());
    let counts = |order: usize| -> Vec<u64> { (0..10).map(|tenth| of(10 * order + tenth)).collect() };
    let shares: Vec<Vec<f64>> = (0..names.len())
        .map(|order| {
            let counts = counts(order);
            let all = counts.iter().sum();
            counts.into_iter().map(|count| share(count, all)).collect()
        })
        .collect();
    for tenth in 0..10 {
        let cells = shares.iter().map(|shares| percent(shares[tenth]));
        table.push([format!("{}–{}", 10 * tenth, 10 * tenth + 10)].into_iter().chain(cells));
    }
    let line = |(name, shares): (&str, &Vec<f64>)| {
        let points = shares.iter().enumerate().map(|(tenth, share)| (10.0 * tenth as f64 + 5.0, *share));
        Series::new(name, points)
    };
    let chart = Chart {
        title: "Where the best move of an all-node stands".into(),
        x: "place in the list of moves (%)".into(),
        y: "all-nodes (%)".into(),
        series: names.into_iter().zip(&shares).map(line).collect(),
        ..Chart::default()
    };
    (table, chart)
}

fn kinds(of: &impl Fn(usize, usize) -> u64) -> Table {
    let mut table = Table::new(&["kind", "moves %", "best moves %", "with more than a ply to go %"]);
    let sums = [0, 1, 2].map(|column| (0..KINDS.len()).map(|kind| of(kind, column)).sum::<u64>());
    for (kind, (name, _)) in KINDS.into_iter().enumerate() {
        let cells = (0..3).map(|column| percent(share(of(kind, column), sums[column])));
        table.push([name.to_owned()].into_iter().chain(cells));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    #[test]
    fn a_losing_capture_moves_up_where_captures_come_first_and_an_earlier_best_move_to_the_top() {
        // White can take a pawn that is protected; everything else is quiet.
        let position = Position::from_fen("7k/2p5/3p4/8/8/8/3Q4/K7 w - - 0 1", false).unwrap();
        let mut moves: Vec<_> = position.legal_moves().to_vec();
        moves.sort_by_key(|m| m.is_capture());
        let picked = |m: &shakmaty::Move| {
            let stage = if m.is_capture() { PickStage::BadCapture } else { PickStage::Quiet };
            PickedMove { m: *m, stage }
        };
        let count = moves.len();
        assert!(moves[count - 1].is_capture() && !moves[count - 2].is_capture() && count >= LEAST_MOVES);
        let node = |best: usize| OrderedNode {
            path: 7,
            minimal: true,
            all: true,
            cut: false,
            frontier: true,
            moves: (0..)
                .zip(&moves)
                .map(|(index, m)| (picked(m), Score::cp(i32::from(index == best))))
                .collect(),
        };
        let tenth = |places: &BestPlaces| places.tenths.map(|tenths| tenths.iter().position(|&n| n > 0));
        let mut places = BestPlaces::default();
        places.count(&node(count - 1));
        assert_eq!(tenth(&places), [Some(9), Some(9), Some(0), Some(0)]);
        assert_eq!((places.kinds[4], places.ties, places.nodes), ([1, 1, 0], 0, 1));
        // The same node in the next iteration: its best move is a quiet one now, and stays in front of the captures.
        let mut places = BestPlaces { earlier: places.earlier, ..BestPlaces::default() };
        places.count(&node(count - 2));
        assert_eq!(tenth(&places), [Some(9), Some(9), Some(9), Some(9)], "another move was the best");
        let mut places = BestPlaces { earlier: places.earlier, ..BestPlaces::default() };
        places.count(&node(count - 2));
        assert_eq!(tenth(&places), [Some(9), Some(9), Some(9), Some(0)]);
        let fewer = OrderedNode { moves: node(0).moves[..LEAST_MOVES - 1].to_vec(), ..node(0) };
        places.count(&fewer);
        places.count(&OrderedNode { cut: true, ..node(0) });
        places.count(&OrderedNode { minimal: false, ..node(0) });
        assert_eq!(places.nodes, 1, "few moves, a cut-off, the principal variation");
    }
}
