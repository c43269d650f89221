//! Uncertainty cut-offs against plain principal variation search: thesis table 4.1 and figures 4.4 and 4.5,
//! and the table of the paper of 1996.

use super::{Experiment, Findings, Interrupted, Laboratory, percent, with_error};
use crate::lab::table::{Table, thousands};
use crate::limits::Limits;
use crate::picture::{Chart, Point, Series};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "uncertainty",
    title: "Uncertainty cut-offs: nodes by the share of moves looked at",
    source: "Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, table 4.1; \
             Y. Björnsson, T. A. Marsland, J. Schaeffer and A. Junghanns, *Searching with Uncertainty \
             Cut-offs*, 1996",
    time: "5 min",
    run,
};

/// Percent of the moves; total and average percentage of the nodes.
type Row = (i32, f64, f64);

/// Published: percent of the moves, total and average percentage of the nodes on Plaat's positions at 8 ply.
const THESIS: [Row; 9] = [
    (10, 119.68, 121.94),
    (20, 109.10, 111.06),
    (30, 106.33, 107.26),
    (40, 99.46, 100.87),
    (50, 98.82, 99.98),
    (60, 92.87, 94.24),
    (70, 94.87, 95.92),
    (80, 96.36, 97.14),
    (90, 98.78, 99.17),
];

/// The best of them, for the deepest searches.
const BEST: [Row; 1] = [THESIS[5]];

/// Published: the restricted form on Bratko-Kopec at 5 ply.
const PAPER: [Row; 3] = [(10, 104.0, 102.0), (30, 100.0, 99.0), (50, 97.0, 97.0)];

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let suite = lab.suite("bk", lab.either(12, 0)).ok_or("the suite bk is missing".to_owned())?;
    let mut findings = Findings {
        method: format!(
            "Preset `FullWidth` (no other selectivity) on {} positions of Bratko and Kopec; Plaat's 20 are not to \
             be had. Nodes are given as a percentage of those without the cut-offs: of all positions together, \
             and as the mean over positions with its standard error; the program of 1996 had extensions, ours has none \
             here. The value at the root must not change: \
             the last column counts the positions where it did.",
            suite.tasks.len()
        ),
        ..Findings::default()
    };
    let mut picture = Chart {
        title: "Uncertainty cut-offs".into(),
        x: "moves looked at (%)".into(),
        y: "nodes (% of plain PVS)".into(),
        ..Chart::default()
    };
    let published = THESIS.iter().map(|&(ratio, _, average)| (f64::from(ratio), average));
    picture.series.push(Series::new("thesis, average, 8 ply", published));
    let general: &[(i32, &[Row])] = lab.either(&[(5, &THESIS)], &[(6, &THESIS), (7, &THESIS), (8, &BEST)]);
    for &(depth, published) in general {
        let (table, series) = one_depth(lab, &suite, depth, "false", published)?;
        findings.tables.push((format!("General form (thesis), {depth} ply"), table));
        picture.series.push(series);
    }
    let (table, _) = one_depth(lab, &suite, 5, "true", &PAPER)?;
    findings.tables.push(("Restricted form (1996), 5 ply".into(), table));
    findings.pictures.push((String::new(), picture));
    Ok(findings)
}

fn one_depth(
    lab: &Laboratory,
    suite: &crate::lab::suite::Suite,
    depth: i32,
    restricted: &str,
    published: &[Row],
) -> Result<(Table, Series), Interrupted> {
    let limits = Limits::depth(depth);
    let plain = lab.measure(suite, &lab.with(&["Preset=FullWidth"])?, &limits)?;
    let mut table = Table::new(&[
        "moves %",
        "published total %",
        "total %",
        "published average %",
        "average % ± SE",
        "nodes",
        "other values",
    ]);
    let mut points = Vec::new();
    for &(ratio, total, average) in published {
        let options = lab.with(&[
            "Preset=FullWidth",
            "Uncertainty=true",
            &format!("UncertaintyRatio={ratio}"),
            &format!("UncertaintyRestricted={restricted}"),
        ])?;
        let cut = lab.measure(suite, &options, &limits)?;
        let ours = cut.average_percent(&plain);
        points.push(Point { x: f64::from(ratio), y: ours.mean, error: ours.standard_error() });
        table.push([
            ratio.to_string(),
            percent(total),
            percent(cut.total_percent(&plain)),
            percent(average),
            with_error(ours),
            thousands(cut.nodes()),
            cut.other_values(&plain).to_string(),
        ]);
    }
    table.push([
        "100".into(),
        String::new(),
        "100.00".into(),
        String::new(),
        String::new(),
        thousands(plain.nodes()),
        String::new(),
    ]);
    Ok((table, Series { name: format!("ours, average, {depth} ply"), points }))
}
