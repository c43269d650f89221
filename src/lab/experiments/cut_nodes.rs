//! Promising moves at true and false cut-nodes: thesis tables 5.1 and 5.2.

use serde::{Deserialize, Serialize};
use shakmaty::Move;

use super::laboratory::{cell_name, sound};
use super::{Experiment, Findings, Interrupted, Laboratory};
use crate::board::{Game, Position};
use crate::engine::Engine;
use crate::limits::Limits;
use crate::options::Options;
use crate::picture::Chart;
use crate::score::{MAX_PLY, Score};
use crate::search::Search;
use crate::search::event::{CutNode, Event, Interest};
use crate::search::move_picker::is_noisy;
use crate::search::observer::Observer;
use crate::statistics::{Sample, student_two_sided};
use crate::text_table::Table;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "cut-nodes",
    title: "Promising moves at true and false cut-nodes",
    source: "Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, tables 5.1 and 5.2",
    time: "15 min",
    run,
};

/// Schemes with their published means and standard deviations at true and false cut-nodes.
const SCHEMES: [(&str, [f64; 4]); 7] = [
    ("legal moves", [35.60, 11.74, 24.83, 14.46]),
    ("history > 0", [22.27, 8.87, 16.35, 9.77]),
    ("history > 100", [9.15, 5.72, 7.13, 5.33]),
    ("quiescence ≥ β", [20.48, 15.03, 0.32, 1.44]),
    ("quiescence ≥ β − 25", [23.70, 14.08, 1.66, 4.20]),
    ("search to d − 2 ≥ β", [20.62, 14.88, 0.17, 0.55]),
    ("search to d − 2 ≥ β − 25", [23.75, 14.00, 1.46, 3.75]),
];

/// Number of promising moves of a node by each scheme.
type PromisingMoves = [f64; SCHEMES.len()];

/// The schemes that are a search which must reach β.
const SEARCHES: [usize; 2] = [3, 5];

/// A quarter of a pawn, by which a search may miss β in two of the schemes.
const NEARLY: i32 = 25;

/// Published in table 5.2: mean and deviation at false cut-nodes with a promising move by either search.
const FILTERED: [[f64; 2]; 2] = [[2.31, 3.20], [1.45, 0.86]];

/// Least remaining depth of nodes that are examined.
const LEAST_PLIES: i32 = 3;

/// An expected cut-node that was examined.
struct SampledNode {
    position: Position,
    beta: Score,
    plies: i32,
    by_history: [usize; 2],
    is_cut: Option<bool>,
}

/// Samples expected cut-nodes of a search.
struct Watcher {
    found: Vec<SampledNode>,
    /// The index of the sampled node being searched, by ply.
    open: Vec<Option<usize>>,
}

impl Default for Watcher {
    fn default() -> Self {
        Self { found: Vec::new(), open: vec![None; MAX_PLY + 2] }
    }
}

impl Observer for Watcher {
    const WANTS: Interest = Interest::CUTS;

    fn on(&mut self, event: &Event) {
        match *event {
            Event::ExpectsCut { ply, node } => self.expects_cut(ply, node),
            Event::ExpectedCut { ply, cut } => {
                if let Some(index) = self.open[ply].take() {
                    self.found[index].is_cut = Some(cut);
                }
            }
            _ => {}
        }
    }
}

impl Watcher {
    fn expects_cut(&mut self, ply: usize, node: &CutNode) {
        self.open[ply] = None;
        let plies = node.depth.whole();
        // Mate scores say nothing about move ordering.
        if plies < LEAST_PLIES || node.position.in_check() || node.beta.mate_in().is_some() {
            return;
        }
        let side = node.position.turn();
        let legal = node.position.legal_moves();
        let above = |least: i32| {
            let good = |m: &&Move| is_noisy(**m) || node.history.quiet(side, **m, node.attacked) > least;
            legal.iter().filter(good).count()
        };
        self.open[ply] = Some(self.found.len());
        self.found.push(SampledNode {
            position: node.position.clone(),
            beta: node.beta,
            plies,
            by_history: [above(0), above(100)],
            is_cut: None,
        });
    }
}

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let suite = lab.suite("bk", lab.either(6, 0)).ok_or("the suite bk is missing".to_owned())?;
    let (depth, most) = (lab.either(6, 7), lab.either(8, 500));
    let options = lab.with(&["Preset=Turk"])?;
    let cell = format!("{} {most} nodes", cell_name(&suite, &options, &Limits::depth(depth)));
    let examined = lab.each(&cell, suite.tasks.len(), |index| {
        examine(lab, &options, &suite.tasks[index].position, depth, most)
    })?;
    let mut counts: [Vec<PromisingMoves>; 2] = Default::default();
    let mut all = [0_u64; 2];
    for position in examined {
        for kind in 0..2 {
            all[kind] += position.all[kind];
            counts[kind].extend_from_slice(&position.counts[kind]);
        }
    }
    let share = 100.0 * all[1] as f64 / (all[0] + all[1]).max(1) as f64;
    Ok(Findings {
        method: format!(
            "Preset `Turk` at {depth} ply on {} positions of Bratko and Kopec. All expected cut-nodes with \
             {LEAST_PLIES} plies or more to go are looked at ({}); {share:.1} % of them were false, that is, no move \
             reached β (published: 2.5 % of 100,000). Of either kind at most {most} a position are counted. \
             Captures count as good by history. A search asks about every legal move, to one ply (quiescence behind \
             it) or to two plies less than the node.",
            suite.tasks.len(),
            all[0] + all[1]
        ),
        tables: vec![
            ("Promising moves (table 5.1): mean and deviation".into(), table(&counts)),
            (
                "False cut-nodes with a promising move by either search (table 5.2)".into(),
                filtered(&counts[1]),
            ),
        ],
        pictures: vec![(String::new(), picture(&counts))],
    })
}

/// Expected cut-nodes of a search, and the promising moves of some of them; true cut-nodes first.
#[derive(Default, Serialize, Deserialize)]
struct CutNodeCounts {
    all: [u64; 2],
    counts: [Vec<PromisingMoves>; 2],
}

fn examine(
    lab: &Laboratory,
    options: &Options,
    position: &Position,
    depth: i32,
    most: usize,
) -> Result<CutNodeCounts, Interrupted> {
    let mut engine = Engine::new(options.clone());
    engine.set_game(Game::new(position.clone()));
    let (outcome, watchers) =
        engine.start(Search::new(Limits::depth(depth)).observer(Watcher::default())).observed();
    sound(outcome)?;
    let found: Vec<SampledNode> = watchers.into_iter().flat_map(|watcher| watcher.found).collect();
    let mut counts = CutNodeCounts::default();
    // The searches that ask are tiny, and each begins with an empty hash table.
    let mut engine = Engine::new(lab.with(&["Preset=Turk", "Hash=1"])?);
    for (index, kind) in [true, false].into_iter().enumerate() {
        let of_kind: Vec<&SampledNode> = found.iter().filter(|found| found.is_cut == Some(kind)).collect();
        counts.all[index] = of_kind.len() as u64;
        let step = of_kind.len().div_ceil(most).max(1);
        for found in of_kind.into_iter().step_by(step) {
            if lab.watch.is_stopped() {
                return Err(Interrupted::Stopped);
            }
            counts.counts[index].push(promising(&mut engine, found));
        }
    }
    Ok(counts)
}

/// The number of promising moves of a node by each scheme.
fn promising(engine: &mut Engine, found: &SampledNode) -> PromisingMoves {
    let legal = found.position.legal_moves();
    let mut reach = |plies: i32| {
        let value = |m: &Move| {
            engine.new_game();
            engine.set_game(Game::new(found.position.clone()));
            engine.search(Limits { search_moves: vec![*m], ..Limits::depth(plies) }).score()
        };
        let values: Vec<Score> = legal.iter().filter_map(value).collect();
        [found.beta, found.beta - NEARLY].map(|least| values.iter().filter(|value| **value >= least).count())
    };
    let [quiet, nearly_quiet] = reach(1);
    let [deep, nearly_deep] = reach((found.plies - 2).max(1));
    let [history, more] = found.by_history;
    [legal.len(), history, more, quiet, nearly_quiet, deep, nearly_deep].map(|count| count as f64)
}

/// A chart of the means with standard errors.
fn picture(counts: &[Vec<PromisingMoves>; 2]) -> Chart {
    let rows = SCHEMES.into_iter().enumerate().map(|(index, (name, [published, _, false_published, _]))| {
        let [yes, no] = counts.each_ref().map(|rows| {
            let sample = Sample::of(&rows.iter().map(|row| row[index]).collect::<Vec<_>>());
            (sample.count > 0).then(|| (sample.mean, sample.standard_error()))
        });
        (name.to_owned(), [Some((published, 0.0)), yes, Some((false_published, 0.0)), no])
    });
    let series = ["true, published", "true", "false, published", "false"];
    Chart::in_rows("Promising moves at expected cut-nodes", "moves", series, rows)
}

fn table(counts: &[Vec<PromisingMoves>; 2]) -> Table {
    let mut table = Table::new(&[
        "scheme",
        "published true",
        "true",
        "published false",
        "false",
        "t",
        "p (Student, two-sided)",
    ]);
    for (index, (name, [mean, deviation, false_mean, false_deviation])) in SCHEMES.into_iter().enumerate() {
        let [yes, no] =
            counts.each_ref().map(|rows| Sample::of(&rows.iter().map(|row| row[index]).collect::<Vec<_>>()));
        let test = differ(yes, no);
        table.push([
            name.to_owned(),
            format!("{mean:.2} (σ {deviation:.2})"),
            show(yes),
            format!("{false_mean:.2} (σ {false_deviation:.2})"),
            show(no),
            test.map_or(String::new(), |(t, _)| format!("{t:.1}")),
            test.map_or(String::new(), |(_, p)| if p < 1e-4 { "< 0.0001".into() } else { format!("{p:.4}") }),
        ]);
    }
    table
}

/// Welch's t-test of two means: t and its p-value.
fn differ(a: Sample, b: Sample) -> Option<(f64, f64)> {
    let [first, second] = [a, b].map(|sample| sample.standard_error().powi(2));
    let error = (first + second).sqrt();
    if a.count < 2 || b.count < 2 || error == 0.0 {
        return None;
    }
    let part = |square: f64, sample: Sample| square * square / (sample.count as f64 - 1.0);
    let degrees = (first + second).powi(2) / (part(first, a) + part(second, b));
    let t = (a.mean - b.mean) / error;
    Some((t, student_two_sided(t, degrees)))
}

/// A mean and its deviation, or "none" for an empty sample.
fn show(sample: Sample) -> String {
    if sample.count == 0 {
        "none".to_owned()
    } else {
        format!("{:.2} (σ {:.2})", sample.mean, sample.deviation)
    }
}

fn filtered(counts: &[PromisingMoves]) -> Table {
    let kept: Vec<&PromisingMoves> =
        counts.iter().filter(|row| SEARCHES.into_iter().any(|index| row[index] > 0.0)).collect();
    let mut table = Table::new(&["scheme", "published", "ours", "nodes"]);
    for ([mean, deviation], index) in FILTERED.into_iter().zip(SEARCHES) {
        let sample = Sample::of(&kept.iter().map(|row| row[index]).collect::<Vec<_>>());
        table.push([
            SCHEMES[index].0.to_owned(),
            format!("{mean:.2} (σ {deviation:.2})"),
            show(sample),
            kept.len().to_string(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mating_move_is_promising_whatever_the_depth() {
        let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/R3R1K1 w - - 0 1", false).unwrap();
        let found =
            SampledNode { position, beta: Score::cp(2_000), plies: 3, by_history: [0, 0], is_cut: None };
        let [legal, .., quiet, nearly_quiet, deep, nearly_deep] = promising(&mut Engine::default(), &found);
        assert_eq!([quiet, nearly_quiet, deep, nearly_deep], [2.0; 4], "both rooks mate");
        assert!(legal > 20.0);
    }

    #[test]
    fn a_quarter_of_a_pawn_makes_a_move_promising_that_was_not() {
        let position = Position::default();
        let mut engine = Engine::default();
        let best = engine.search(Limits::depth(1)).score().unwrap();
        let found = |beta| SampledNode {
            position: position.clone(),
            beta,
            plies: 3,
            by_history: [0, 0],
            is_cut: None,
        };
        let [.., quiet, nearly_quiet, _, _] = promising(&mut engine, &found(best + 10));
        assert!(quiet == 0.0 && nearly_quiet >= 1.0, "{quiet} {nearly_quiet}");
        for index in SEARCHES {
            assert!(SCHEMES[index].0.ends_with("≥ β"));
        }
    }

    #[test]
    fn a_search_meets_true_and_false_cut_nodes() {
        let mut engine = Engine::default();
        let (_, watchers) =
            engine.start(Search::new(Limits::depth(11)).observer(Watcher::default())).observed();
        let of_kind = |kind: bool| {
            let found = watchers.iter().flat_map(|watcher| &watcher.found);
            found.filter(|found| found.is_cut == Some(kind)).count()
        };
        assert!(of_kind(true) > of_kind(false) && of_kind(false) > 0, "{} {}", of_kind(true), of_kind(false));
    }

    #[test]
    fn means_that_differ_are_told_from_those_that_do_not() {
        let sample = |shift: f64| Sample::of(&(0..40).map(|n| shift + f64::from(n % 7)).collect::<Vec<_>>());
        let (t, p) = differ(sample(3.0), sample(0.0)).unwrap();
        assert!(t > 6.0 && p < 1e-6, "{t} {p}");
        assert_eq!(differ(sample(0.0), sample(0.0)), Some((0.0, 1.0)));
        assert_eq!(differ(Sample::of(&[1.0]), sample(0.0)), None);
    }
}
