//! RankCut on three suites at three depths: Lim & Lee's table 1.

use super::{Experiment, Findings, Interrupted, Laboratory, Measured, solved_with_error, with_error};
use crate::lab::table::{Table, thousands};
use crate::limits::Limits;
use crate::picture::{Chart, Series};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "rankcut",
    title: "RankCut: nodes and solutions at fixed depths",
    source: "Y. J. Lim and W. S. Lee, *RankCut: A Domain Independent Forward Pruning Method for Games*, \
             AAAI 2006, table 1",
    time: "3 h",
    run,
};

/// Change of the nodes in percent, solved without and with it.
type Change = (f64, u32, u32);

/// Published: suite, and for 8, 10 and 12 ply what changed.
const PUBLISHED: [(&str, [Change; 3]); 3] = [
    ("ecm", [(-8.9, 549, 547), (-31.2, 620, 613), (-41.3, 678, 665)]),
    ("wac", [(-7.2, 289, 287), (-34.0, 294, 294), (-35.7, 297, 296)]),
    ("wcsac", [(-10.6, 840, 841), (-23.4, 863, 864), (-36.1, 873, 871)]),
];

/// The last row of the published table.
const SUM: [Change; 3] = [(-9.5, 1678, 1675), (-28.3, 1777, 1771), (-38.7, 1848, 1832)];

/// Positions of every suite at 8, 10 and 12 ply; 0 for all. Deep searches are made of a sample.
const FULL: [usize; 3] = [0, 200, 30];
const QUICK: [usize; 3] = [12, 1, 0];

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let mut findings = Findings {
        method: "Preset `RankCut` against preset `Crafty` at the same fixed depth, with the table of \
                 probabilities in the option `RankCutFile` (the built-in one if it is empty). Published: all \
                 positions of the three suites; the deeper searches here are of a sample, the same number of each. \"Within\" says whether the solved positions agree within one \
                 standard error, the paper's criterion."
            .to_owned(),
        ..Findings::default()
    };
    let mut table = Table::new(&[
        "suite",
        "ply",
        "published nodes %",
        "nodes %",
        "average % ± SE",
        "published solved",
        "solved without",
        "solved with",
        "within",
        "nodes without",
    ]);
    let mut points = Vec::new();
    let depths = [8, 10, 12];
    for (index, &depth) in depths.iter().enumerate() {
        let most = lab.either(QUICK, FULL)[index];
        if lab.quick && most == 0 {
            continue;
        }
        let (mut sum, mut suites): (Option<(Measured, Measured)>, usize) = (None, 0);
        for (name, published) in PUBLISHED {
            let Some(suite) = lab.suite(name, most) else { continue };
            suites += 1;
            let limits = Limits::depth(depth);
            let without = lab.measure(&suite, &lab.with(&["Preset=Crafty"])?, &limits)?;
            let with = lab.measure(&suite, &lab.with(&["Preset=RankCut"])?, &limits)?;
            table.push(row(name, depth, published[index], &without, &with));
            sum = Some(match sum {
                None => (without, with),
                Some((a, b)) => (a.and(without), b.and(with)),
            });
        }
        // The published sum is that of all three suites.
        if let Some((without, with)) = sum.filter(|_| suites == PUBLISHED.len()) {
            table.push(row("sum", depth, SUM[index], &without, &with));
            points.push((f64::from(depth), with.total_percent(&without) - 100.0));
        }
    }
    findings.tables.push(("Nodes and solutions".into(), table));
    let published = depths.iter().zip(SUM).map(|(&depth, (nodes, ..))| (f64::from(depth), nodes));
    findings.pictures.push((
        String::new(),
        Chart {
            title: "RankCut: change of the nodes".into(),
            x: "depth (ply)".into(),
            y: "nodes (%)".into(),
            series: vec![Series::new("published", published), Series::new("ours", points)],
            ..Chart::default()
        },
    ));
    Ok(findings)
}

fn row(
    name: &str,
    depth: i32,
    (nodes, before, after): Change,
    without: &Measured,
    with: &Measured,
) -> [String; 10] {
    let all = without.taken.len() as u64;
    let error = crate::lab::statistics::standard_error_of_count(without.solved(), all);
    let within = (without.solved() as f64 - with.solved() as f64).abs() <= error;
    [
        name.to_owned(),
        depth.to_string(),
        format!("{nodes:+.1}"),
        format!("{:+.1}", with.total_percent(without) - 100.0),
        with_error(with.average_percent(without)),
        format!("{before} → {after}"),
        solved_with_error(without),
        with.solved().to_string(),
        if within { "yes" } else { "no" }.to_owned(),
        thousands(without.nodes()),
    ]
}
