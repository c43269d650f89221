//! Multi-cut for all combinations of C, E and R: thesis table 5.3, figures 5.2 and 5.3.

use super::{Experiment, Findings, Interrupted, Laboratory, percent, solved_with_error, with_error};
use crate::epd::suite::Suite;
use crate::limits::Limits;
use crate::picture::{Chart, Point, Series};
use crate::selective::Id;
use crate::text_table::{Table, thousands};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "multi-cut",
    title: "Multi-cut: nodes and solutions over C, E and R",
    source: "Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, table 5.3, \
             figures 5.2 and 5.3",
    time: "12 h",
    run,
};

/// Published: R, C, E, percent of nodes, percent of solutions.
const PUBLISHED: [(i32, i32, i32, f64, f64); 72] = [
    (1, 2, 2, 92.05, 98.1),
    (1, 2, 4, 93.33, 97.6),
    (1, 2, 6, 93.02, 97.2),
    (1, 2, 8, 91.71, 97.2),
    (1, 2, 10, 92.10, 96.8),
    (1, 2, 12, 93.39, 96.8),
    (1, 3, 4, 134.17, 99.2),
    (1, 3, 6, 144.14, 99.2),
    (1, 3, 8, 150.31, 98.9),
    (1, 3, 10, 153.00, 98.7),
    (1, 3, 12, 157.34, 98.5),
    (1, 4, 4, 175.38, 99.4),
    (1, 4, 6, 194.19, 99.4),
    (1, 4, 8, 210.41, 99.3),
    (1, 4, 10, 222.67, 99.1),
    (1, 4, 12, 234.33, 99.0),
    (1, 5, 6, 227.73, 99.5),
    (1, 5, 8, 252.26, 99.6),
    (1, 5, 10, 276.16, 99.5),
    (1, 5, 12, 286.82, 99.4),
    (1, 6, 6, 239.81, 99.7),
    (1, 6, 8, 269.33, 99.7),
    (1, 6, 10, 312.24, 99.7),
    (1, 6, 12, 335.51, 99.7),
    (2, 2, 2, 77.28, 98.1),
    (2, 2, 4, 70.48, 97.4),
    (2, 2, 6, 67.61, 97.2),
    (2, 2, 8, 61.56, 97.2),
    (2, 2, 10, 60.04, 97.0),
    (2, 2, 12, 59.38, 96.8),
    (2, 3, 4, 87.46, 99.5),
    (2, 3, 6, 84.41, 99.3),
    (2, 3, 8, 82.60, 99.2),
    (2, 3, 10, 81.66, 99.1),
    (2, 3, 12, 79.95, 99.2),
    (2, 4, 4, 100.14, 99.7),
    (2, 4, 6, 98.86, 99.6),
    (2, 4, 8, 98.50, 99.4),
    (2, 4, 10, 98.51, 99.2),
    (2, 4, 12, 98.04, 99.2),
    (2, 5, 6, 109.63, 99.8),
    (2, 5, 8, 109.93, 99.8),
    (2, 5, 10, 110.67, 99.7),
    (2, 5, 12, 110.88, 99.6),
    (2, 6, 6, 113.77, 99.9),
    (2, 6, 8, 116.40, 99.9),
    (2, 6, 10, 118.61, 99.9),
    (2, 6, 12, 120.23, 99.9),
    (3, 2, 2, 79.21, 96.8),
    (3, 2, 4, 71.60, 95.8),
    (3, 2, 6, 67.71, 95.8),
    (3, 2, 8, 63.17, 95.5),
    (3, 2, 10, 60.57, 95.2),
    (3, 2, 12, 57.13, 95.1),
    (3, 3, 4, 86.07, 97.7),
    (3, 3, 6, 82.92, 97.5),
    (3, 3, 8, 79.30, 97.5),
    (3, 3, 10, 75.86, 97.1),
    (3, 3, 12, 72.21, 97.0),
    (3, 4, 4, 98.33, 98.6),
    (3, 4, 6, 94.20, 97.9),
    (3, 4, 8, 89.96, 97.9),
    (3, 4, 10, 87.39, 97.7),
    (3, 4, 12, 84.89, 97.6),
    (3, 5, 6, 97.23, 98.5),
    (3, 5, 8, 94.95, 98.1),
    (3, 5, 10, 92.02, 97.9),
    (3, 5, 12, 90.24, 97.8),
    (3, 6, 6, 100.97, 99.2),
    (3, 6, 8, 99.42, 98.3),
    (3, 6, 10, 100.24, 98.3),
    (3, 6, 12, 95.66, 98.0),
];

/// C and E for quick runs and for other depths.
const FEW: [(i32, i32); 3] = [(2, 10), (3, 10), (4, 10)];

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let most = lab.either(20, 0);
    let (suite, same) = lab.suite_or_wac("bwtc", most, most)?;
    let depths: &[i32] = lab.either(&[7], &[7, 8]);
    let mut findings = Findings {
        method: format!(
            "Preset `Turk` with and without multi-cut on {} positions of the suite `{}` (published: all 1,001 of \
             *1001 Brilliant Ways to Checkmate*, 7 ply). Nodes and solutions as percentages of those without it; \
             the standard error of the solved positions beside their number.",
            suite.tasks.len(),
            suite.name
        ),
        ..Findings::default()
    };
    for &depth in depths {
        let (table, pictures) = at_depth(lab, &suite, same, depth)?;
        findings.tables.push((format!("{depth} ply"), table));
        findings.pictures.extend(charts(&depth.to_string(), &format!("{depth} ply"), pictures));
    }
    if same {
        let mut pictures: [Vec<Series>; 2] = Default::default();
        for (_, c, e, nodes, solved) in PUBLISHED.into_iter().filter(|(r, ..)| *r == 2) {
            extend(&mut pictures, c, e, [nodes, solved]);
        }
        findings.pictures.extend(charts("published", "7 ply, published", pictures));
    }
    findings.tables.push(("Attempts and nodes of multi-cut (3, 10, 2)".into(), shares(lab, suite, same)?));
    Ok(findings)
}

/// All settings at one depth against the preset without multi-cut, and the series for R = 2.
fn at_depth(
    lab: &Laboratory,
    suite: &Suite,
    same: bool,
    depth: i32,
) -> Result<(Table, [Vec<Series>; 2]), Interrupted> {
    let limits = Limits::depth(depth);
    let settings = grid(lab.setup.size.quick, depth);
    let mut searches = vec![(suite, lab.with(&["Preset=Turk"])?, limits.clone())];
    for (r, c, e) in &settings {
        let [r, c, e] = [format!("MultiCutR={r}"), format!("MultiCutC={c}"), format!("MultiCutE={e}")];
        searches.push((suite, lab.with(&["Preset=TurkMC", &c, &e, &r])?, limits.clone()));
    }
    let mut measured = lab.measure_all(&searches)?.into_iter();
    let plain = measured.next().unwrap_or_default();
    let mut table = Table::new(&[
        "R",
        "C",
        "E",
        "published nodes % (7 ply)",
        "nodes %",
        "average % ± SE",
        "published solved % (7 ply)",
        "solved %",
        "solved",
        "nodes",
    ]);
    let mut pictures: [Vec<Series>; 2] = Default::default();
    for ((r, c, e), cut) in settings.into_iter().zip(measured) {
        let known = PUBLISHED.iter().find(|known| same && (known.0, known.1, known.2) == (r, c, e));
        let solved = 100.0 * cut.solved() as f64 / plain.solved().max(1) as f64;
        let nodes = cut.total_percent(&plain);
        table.push([
            r.to_string(),
            c.to_string(),
            e.to_string(),
            known.map_or(String::new(), |known| percent(known.3)),
            percent(nodes),
            with_error(cut.average_percent(&plain)),
            known.map_or(String::new(), |known| format!("{:.1}", known.4)),
            format!("{solved:.1}"),
            solved_with_error(&cut),
            thousands(cut.nodes()),
        ]);
        if r == 2 {
            extend(&mut pictures, c, e, [nodes, solved]);
        }
    }
    table.push(
        ["", "", "none", "", "100.00", "", "", "100.0"]
            .map(str::to_owned)
            .into_iter()
            .chain([solved_with_error(&plain), thousands(plain.nodes())]),
    );
    Ok((table, pictures))
}

/// Adds a point to the series for this C in both charts.
fn extend(pictures: &mut [Vec<Series>; 2], c: i32, e: i32, values: [f64; 2]) {
    for (lines, value) in pictures.iter_mut().zip(values) {
        let (name, point) = (format!("C = {c}"), Point { x: f64::from(e), y: value, error: 0.0 });
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point),
            None => lines.push(Series { name, points: vec![point] }),
        }
    }
}

/// Figures 5.2 and 5.3, each with a word for its file name.
fn charts(word: &str, what: &str, pictures: [Vec<Series>; 2]) -> Vec<(String, Chart)> {
    let axes = [("nodes", "nodes (%)"), ("solved", "solved (%)")];
    let chart = |((name, y), series): ((&str, &str), Vec<Series>)| {
        let title = format!("Multi-cut, R = 2, {what}");
        (format!("{name}-{word}"), Chart { title, x: "E".into(), y: y.into(), series, ..Chart::default() })
    };
    axes.into_iter().zip(pictures).map(chart).collect()
}

/// How often the shallow searches lead to a cut-off, and their cost.
fn shares(lab: &Laboratory, suite: Suite, same: bool) -> Result<Table, Interrupted> {
    let mut table = Table::new(&["ply", "published success %", "success %", "published nodes %", "nodes %"]);
    let suite = suite.thinned(lab.either(8, 60));
    let depths: &[i32] = lab.either(&[7], &[7, 8]);
    for &depth in depths {
        let options = lab.with(&["Preset=TurkMC"])?;
        let share = lab.statistics(&suite, &options, &Limits::depth(depth))?.method(Id::MultiCut);
        table.push([
            depth.to_string(),
            if same { "45–50" } else { "" }.to_owned(),
            format!("{:.1}", 100.0 * share.success_rate),
            if same { "25–30" } else { "" }.to_owned(),
            format!("{:.1}", 100.0 * share.node_share),
        ]);
    }
    Ok(table)
}

/// R, C and E of the runs: all published ones at 7 ply, a few at other depths.
fn grid(quick: bool, depth: i32) -> Vec<(i32, i32, i32)> {
    if quick || depth != 7 {
        return FEW.map(|(c, e)| (2, c, e)).to_vec();
    }
    PUBLISHED.iter().map(|&(r, c, e, ..)| (r, c, e)).collect()
}
