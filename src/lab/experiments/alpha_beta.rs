//! Static evaluations saved by alpha-beta: Winston's example trees and formula, and chess.

use serde::{Deserialize, Serialize};

use super::laboratory::sound;
use super::{Experiment, Findings, Interrupted, Laboratory};
use crate::board::{Game, Position};
use crate::engine::Engine;
use crate::limits::Limits;
use crate::picture::{Chart, Series};
use crate::search::Search;
use crate::search::event::{Event, Interest};
use crate::search::observer::Observer;
use crate::text_table::{Table, thousands};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "alpha-beta",
    title: "Alpha-beta: static evaluations of minimax, alpha-beta and the perfectly ordered tree",
    source: "P. H. Winston, *Artificial Intelligence*, chapter 6",
    time: "2 min",
    run,
};

/// A tree with values at its leaves.
enum BookTree {
    Leaf(i32),
    Node(Vec<BookTree>),
}

impl BookTree {
    /// A uniform tree over these leaves.
    fn over(leaves: &[i32], branching: usize) -> Self {
        match leaves {
            [value] => Self::Leaf(*value),
            _ => Self::Node(
                leaves
                    .chunks(leaves.len().div_ceil(branching))
                    .map(|part| Self::over(part, branching))
                    .collect(),
            ),
        }
    }

    /// The value for the maximizer and the number of static evaluations, with or without cut-offs.
    fn value(&self, maximizing: bool, mut alpha: i32, mut beta: i32, cuts: bool) -> (i32, u64) {
        let children = match self {
            Self::Leaf(value) => return (*value, 1),
            Self::Node(children) => children,
        };
        let (mut best, mut evaluations) = (if maximizing { i32::MIN } else { i32::MAX }, 0);
        for child in children {
            let (value, more) = child.value(!maximizing, alpha, beta, cuts);
            evaluations += more;
            if maximizing {
                best = best.max(value);
                alpha = alpha.max(best);
            } else {
                best = best.min(value);
                beta = beta.min(best);
            }
            if cuts && alpha >= beta {
                break;
            }
        }
        (best, evaluations)
    }
}

/// Static evaluations that alpha-beta needs in a perfectly ordered tree.
fn perfect(branching: f64, depth: i32) -> f64 {
    if depth % 2 == 0 {
        2.0 * branching.powi(depth / 2) - 1.0
    } else {
        branching.powi((depth + 1) / 2) + branching.powi((depth - 1) / 2) - 1.0
    }
}

/// Winston's figure 6.3: a maximizer above two minimizers.
const FIGURE_3: [i32; 4] = [2, 7, 1, 8];

/// Winston's figure 6.4, from its explanation. Leaves that the text does not give are chosen to fit it.
const FIGURE_4: [i32; 27] = [8, 7, 3, 9, 1, 6, 2, 4, 1, 1, 3, 5, 3, 9, 2, 6, 5, 2, 1, 2, 3, 9, 7, 2, 1, 6, 4];

/// The same shape with the best move of both sides always first, as in figure 6.5.
const FIGURE_5: [i32; 27] =
    [14, 13, 12, 15, 16, 17, 16, 17, 18, 11, 10, 9, 19, 20, 21, 22, 23, 24, 8, 7, 6, 25, 26, 27, 28, 29, 30];

/// Counts interior nodes.
#[derive(Default)]
struct InteriorNodes {
    nodes: u64,
}

impl Observer for InteriorNodes {
    const WANTS: Interest = Interest::MOVES;

    fn on(&mut self, event: &Event) {
        self.nodes += u64::from(matches!(event, Event::NodeBegun { .. }));
    }
}

/// The static evaluations of one search.
#[derive(Serialize, Deserialize)]
struct LeafCount {
    evaluations: u64,
}

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let mut book = Table::new(&[
        "tree",
        "published minimax",
        "minimax",
        "published alpha-beta",
        "alpha-beta",
        "formula",
        "value",
    ]);
    let trees = [
        ("figure 6.3", FIGURE_3.as_slice(), (2, 2), ["4", "3"]),
        ("figure 6.4", &FIGURE_4, (3, 3), ["27", "16"]),
        ("figure 6.5, perfectly ordered", &FIGURE_5, (3, 3), ["27", "11"]),
    ];
    for (name, leaves, (branching, depth), [all, some]) in trees {
        let tree = BookTree::over(leaves, branching);
        let ((value, minimax), (same, cut)) =
            (tree.value(true, i32::MIN, i32::MAX, false), tree.value(true, i32::MIN, i32::MAX, true));
        if value != same {
            return Err(Interrupted::Wrong(format!("{name}: minimax says {value}, alpha-beta {same}")));
        }
        let formula = perfect(branching as f64, depth).to_string();
        book.push([
            name.into(),
            all.into(),
            minimax.to_string(),
            some.into(),
            cut.to_string(),
            formula,
            value.to_string(),
        ]);
    }
    let (chess, chart) = on_chess(lab)?;
    Ok(Findings {
        method: "The book's trees are searched leaf by leaf. Its text gives all leaves of figure 6.3 and some of 6.4; the \
                 others of 6.4, and all of 6.5, were chosen to fit what it says of them. On chess the start of a \
                 game and Kiwipete are searched to a fixed depth without quiescence search, hash table or \
                 extensions; static evaluations are the nodes without moves searched, in the deepened search those of all \
                 iterations. The formula takes the \
                 mean branching factor that the minimax search found. Order: alpha-beta with moves as they are \
                 usually ordered, and again after iterative deepening with a hash table for the moves alone."
            .to_owned(),
        tables: vec![("The book's trees".into(), book), ("Chess".into(), chess)],
        pictures: vec![(String::new(), chart)],
    })
}

/// The static evaluations of a search: its nodes minus the interior nodes.
fn leaves(engine: &mut Engine, depth: i32) -> Result<u64, Interrupted> {
    let (outcome, inner) =
        engine.start(Search::new(Limits::depth(depth)).observer(InteriorNodes::default())).observed();
    let inner = inner.iter().map(|inner| inner.nodes).sum::<u64>();
    Ok(sound(outcome)?.effort.nodes - inner)
}

fn on_chess(lab: &Laboratory) -> Result<(Table, Chart), Interrupted> {
    let mut table =
        Table::new(&["position", "ply", "minimax", "alpha-beta", "deepened", "formula", "branching"]);
    let mut lines = [(); 4].map(|()| Vec::new());
    let positions = [
        ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        ("Kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
    ];
    let plain = ["Preset=FullWidth", "Quiescence=false", "Aspiration=false", "HashCutoffs=false"];
    let direct = ["HashUse=Off", "IterativeDeepening=false"];
    let searches: [&[&str]; 3] = [
        &["Algorithm=Minimax", direct[0], direct[1]],
        &["Algorithm=AlphaBeta", direct[0], direct[1]],
        &["Algorithm=AlphaBeta"],
    ];
    for (name, fen) in positions {
        let position =
            Position::from_fen(fen, false).map_err(|error| Interrupted::Wrong(error.to_string()))?;
        for depth in 1..=lab.either(3, 4) {
            let leaves = lab.each(&format!("{name} {depth} plies"), searches.len(), |index| {
                let mut engine = Engine::new(lab.with(&[&plain, searches[index]].concat())?);
                engine.set_game(Game::new(position.clone()));
                Ok(LeafCount { evaluations: leaves(&mut engine, depth)? })
            })?;
            let [minimax, cut, deepened] = [0, 1, 2].map(|search| leaves[search].evaluations);
            let branching = (minimax as f64).powf(1.0 / f64::from(depth));
            let formula = perfect(branching, depth);
            if name == "start" {
                let values = [minimax as f64, cut as f64, deepened as f64, formula];
                for (line, value) in lines.iter_mut().zip(values) {
                    line.push((f64::from(depth), value.log10()));
                }
            }
            table.push([
                name.to_owned(),
                depth.to_string(),
                thousands(minimax),
                thousands(cut),
                thousands(deepened),
                thousands(formula.round() as u64),
                format!("{branching:.1}"),
            ]);
        }
    }
    let names = ["minimax", "alpha-beta", "alpha-beta, deepened", "perfectly ordered"];
    let chart = Chart {
        title: "Static evaluations from the start of a game".into(),
        x: "depth (ply)".into(),
        y: "static evaluations (power of ten)".into(),
        series: names.into_iter().zip(lines).map(|(name, line)| Series::new(name, line)).collect(),
        ..Chart::default()
    };
    Ok((table, chart))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_books_trees_take_as_many_evaluations_as_the_book_says() {
        for (leaves, branching, all, some) in
            [(&FIGURE_3[..], 2, 4, 3), (&FIGURE_4[..], 3, 27, 16), (&FIGURE_5[..], 3, 27, 11)]
        {
            let tree = BookTree::over(leaves, branching);
            let (value, minimax) = tree.value(true, i32::MIN, i32::MAX, false);
            assert_eq!(minimax, all);
            assert_eq!(tree.value(true, i32::MIN, i32::MAX, true), (value, some));
        }
    }

    #[test]
    fn minimax_evaluates_every_leaf_of_the_tree_of_legal_moves() {
        let mut options = crate::options::Options::default();
        for (name, value) in [
            ("Preset", "FullWidth"),
            ("Quiescence", "false"),
            ("Algorithm", "Minimax"),
            ("HashUse", "Off"),
            ("IterativeDeepening", "false"),
        ] {
            options.set(name, value).unwrap();
        }
        let mut engine = Engine::new(options);
        for depth in 1..=3 {
            let counted = crate::perft::perft(&Position::default(), depth as u32);
            assert_eq!(leaves(&mut engine, depth), Ok(counted));
        }
    }

    #[test]
    fn the_formula_gives_the_books_numbers() {
        assert_eq!((perfect(3.0, 3), perfect(5.0, 1), perfect(10.0, 4)), (11.0, 5.0, 199.0));
    }
}
