//! RankCut on three suites at three depths: Lim & Lee's table 1.

use super::{Experiment, Findings, Interrupted, Laboratory, Measured, solved_with_error, with_error};
use crate::limits::Limits;
use crate::picture::{Chart, Point, Series};
use crate::statistics::Sample;
use crate::text_table::{Table, thousands};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "rankcut",
    title: "RankCut: nodes and solutions at fixed depths",
    source: "Y. J. Lim and W. S. Lee, *RankCut: A Domain Independent Forward Pruning Method for Games*, \
             AAAI 2006, table 1",
    time: "16 h",
    run,
};

/// Change of the nodes in percent, solved without RankCut, solved with it.
type NodeChange = (f64, u32, u32);

/// Published: suite, its positions, and the changes at 8, 10 and 12 ply.
const PUBLISHED: [(&str, u32, [NodeChange; 3]); 3] = [
    ("ecm", 879, [(-8.9, 549, 547), (-31.2, 620, 613), (-41.3, 678, 665)]),
    ("wac", 300, [(-7.2, 289, 287), (-34.0, 294, 294), (-35.7, 297, 296)]),
    ("wcsac", 1001, [(-10.6, 840, 841), (-23.4, 863, 864), (-36.1, 873, 871)]),
];

/// The last row of the published table.
const SUM: [NodeChange; 3] = [(-9.5, 1678, 1675), (-28.3, 1777, 1771), (-38.7, 1848, 1832)];

/// Depths, and positions of each suite that a quick run searches at each.
const DEPTHS: [i32; 3] = [8, 10, 12];
const QUICK: [usize; 3] = [12, 2, 0];

/// Positions of each suite at a depth; 0 for all. A sample has twice as many for each ply less, so that no depth takes
/// most of the time.
fn most(lab: &Laboratory, index: usize) -> usize {
    let plies_less = DEPTHS[DEPTHS.len() - 1] - DEPTHS[index];
    let sample = lab.setup.size.positions << plies_less;
    if lab.setup.size.quick && (sample == 0 || QUICK[index] < sample) { QUICK[index] } else { sample }
}

/// The measurements of a suite at a depth, both given by index.
struct SuiteComparison {
    suite: usize,
    depth: usize,
    without: Measured,
    with: Measured,
}

/// Searches all available suites at all depths.
fn measure(lab: &Laboratory) -> Result<Vec<SuiteComparison>, Interrupted> {
    let mut suites = Vec::new();
    for depth in (0..DEPTHS.len()).filter(|&depth| !lab.setup.size.quick || most(lab, depth) > 0) {
        for (suite, (name, ..)) in PUBLISHED.iter().enumerate() {
            let found = lab.whole_suite(name).map(|found| found.thinned(most(lab, depth)));
            suites.extend(found.map(|found| (suite, depth, found)));
        }
    }
    let mut searches = Vec::new();
    for (_, depth, suite) in &suites {
        for preset in ["Preset=Crafty", "Preset=RankCut"] {
            searches.push((suite, lab.with(&[preset])?, Limits::depth(DEPTHS[*depth])));
        }
    }
    let mut measured = lab.measure_all(&searches)?.into_iter();
    let mut next = || measured.next().unwrap_or_default();
    let row = |&(suite, depth, _): &_| SuiteComparison { suite, depth, without: next(), with: next() };
    Ok(suites.iter().map(row).collect())
}

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let mut findings = Findings {
        method: "Preset `RankCut` against preset `Crafty` at the same fixed depth, with the table of \
                 probabilities in the option `RankCutFile` (the built-in one if it is empty). Published: all \
                 positions of the three suites; of a sample (`--count N`) N of every suite at 12 ply, and twice as \
                 many for every ply less. Nodes as the change of their sum, and as the mean change over positions. \
                 \"Within\" says whether the solved positions agree within one standard error, the paper's criterion."
            .to_owned(),
        ..Findings::default()
    };
    let mut table = Table::new(&[
        "suite",
        "ply",
        "published change %",
        "change %",
        "average change % ± SE",
        "published solved %",
        "solved without",
        "solved with",
        "within",
        "nodes without",
    ]);
    let mut points = Vec::new();
    let rows = measure(lab)?;
    for (index, &depth) in DEPTHS.iter().enumerate() {
        let mut sum: Option<(Measured, Measured)> = None;
        let all = PUBLISHED.iter().map(|(_, positions, _)| positions).sum();
        let here = rows.iter().filter(|row| row.depth == index);
        let suites = here.clone().count();
        for SuiteComparison { suite, without, with, .. } in here {
            let (name, positions, published) = PUBLISHED[*suite];
            let published = Published { suite: name, positions, change: Some(published[index]) };
            table.push(row(&published, depth, without, with));
            let (without, with) = (without.clone(), with.clone());
            sum = Some(match sum {
                None => (without, with),
                Some((a, b)) => (a.and(without), b.and(with)),
            });
        }
        if let Some((without, with)) = sum {
            // The published sum is that of all three suites.
            let change = Some(SUM[index]).filter(|_| suites == PUBLISHED.len());
            if suites > 1 {
                let published = Published { suite: "sum", positions: all, change };
                table.push(row(&published, depth, &without, &with));
            }
            let average = with.average_percent(&without);
            points.push(Point {
                x: f64::from(depth),
                y: average.mean - 100.0,
                error: average.standard_error(),
            });
        }
    }
    findings.tables.push(("Nodes and solutions".into(), table));
    findings.pictures.push((String::new(), chart(points)));
    Ok(findings)
}

/// The change of the nodes at every depth, published and ours.
fn chart(points: Vec<Point>) -> Chart {
    let published = DEPTHS.iter().zip(SUM).map(|(&depth, (nodes, ..))| (f64::from(depth), nodes));
    Chart {
        title: "RankCut: change of the nodes".into(),
        x: "depth (ply)".into(),
        y: "nodes (%)".into(),
        series: vec![
            Series::new("published, of all nodes", published),
            Series { name: "ours, average".into(), points },
        ],
        ..Chart::default()
    }
}

/// Published numbers of a suite, or of all suites, at one depth.
struct Published {
    suite: &'static str,
    /// Positions of the whole suite.
    positions: u32,
    change: Option<NodeChange>,
}

fn row(published: &Published, depth: i32, without: &Measured, with: &Measured) -> [String; 10] {
    let Published { suite, positions, change } = published;
    let all = without.searches.len() as u64;
    let error = crate::statistics::standard_error_of_count(without.solved(), all);
    let within = (without.solved() as f64 - with.solved() as f64).abs() <= error;
    let average = with.average_percent(without);
    let share = |solved: u32| 100.0 * f64::from(solved) / f64::from(*positions);
    [
        (*suite).to_owned(),
        depth.to_string(),
        change.map_or(String::new(), |(nodes, ..)| format!("{nodes:+.1}")),
        format!("{:+.1}", with.total_percent(without) - 100.0),
        with_error(Sample { mean: average.mean - 100.0, ..average }),
        change.map_or(String::new(), |(_, before, after)| {
            format!("{:.1} → {:.1}", share(before), share(after))
        }),
        solved_with_error(without),
        with.solved().to_string(),
        if within { "yes" } else { "no" }.to_owned(),
        thousands(without.nodes()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_suites_add_up_to_the_published_sum() {
        for (index, (_, before, after)) in SUM.into_iter().enumerate() {
            let sum = |pick: fn(NodeChange) -> u32| -> u32 {
                PUBLISHED.iter().map(|(.., rows)| pick(rows[index])).sum()
            };
            assert_eq!((sum(|row| row.1), sum(|row| row.2)), (before, after));
        }
    }
}
