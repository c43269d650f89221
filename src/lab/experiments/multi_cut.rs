//! Multi-cut over the whole grid of C, E and R: thesis table 5.3, figures 5.2 and 5.3.

use super::{Experiment, Findings, Interrupted, Laboratory, percent, solved_with_error};
use crate::lab::table::{Table, thousands};
use crate::limits::Limits;
use crate::picture::{Chart, Series};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "multi-cut",
    title: "Multi-cut: nodes and solutions over C, E and R",
    source: "Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, table 5.3, \
             figures 5.2 and 5.3",
    time: "90 min",
    run,
};

/// Published for R = 2: C, E, percent of nodes, percent of solutions.
const PUBLISHED: [(i32, i32, f64, f64); 23] = [
    (2, 2, 77.28, 98.1),
    (2, 4, 70.48, 97.4),
    (2, 6, 67.61, 97.2),
    (2, 8, 61.56, 97.2),
    (2, 10, 60.04, 97.0),
    (2, 12, 59.38, 96.8),
    (3, 4, 87.46, 99.5),
    (3, 6, 84.41, 99.3),
    (3, 8, 82.60, 99.2),
    (3, 10, 81.66, 99.1),
    (3, 12, 79.95, 99.2),
    (4, 4, 100.14, 99.7),
    (4, 6, 98.86, 99.6),
    (4, 8, 98.50, 99.4),
    (4, 10, 98.51, 99.2),
    (4, 12, 98.04, 99.2),
    (5, 6, 109.63, 99.8),
    (5, 8, 109.93, 99.8),
    (5, 10, 110.67, 99.7),
    (5, 12, 110.88, 99.6),
    (6, 6, 113.77, 99.9),
    (6, 8, 116.40, 99.9),
    (6, 12, 120.23, 99.9),
];

/// What a quick run and the runs for other reductions look at.
const FEW: [(i32, i32); 3] = [(2, 10), (3, 10), (4, 10)];

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let suite = lab.suite("bwtc", lab.either(100, 0)).or_else(|| lab.suite("wac", lab.either(100, 0)));
    let suite = suite.ok_or("the suite wac is missing".to_owned())?;
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
        let limits = Limits::depth(depth);
        let plain = lab.measure(&suite, &lab.with(&["Preset=Turk"])?, &limits)?;
        let mut table = Table::new(&[
            "R",
            "C",
            "E",
            "published nodes %",
            "nodes %",
            "published solved %",
            "solved %",
            "solved",
            "nodes",
        ]);
        let mut pictures = [(); 2].map(|()| Vec::<(i32, Vec<(f64, f64)>)>::new());
        for (r, c, e) in grid(lab.quick, depth) {
            let options = lab.with(&[
                "Preset=TurkMC",
                &format!("MultiCutC={c}"),
                &format!("MultiCutE={e}"),
                &format!("MultiCutR={r}"),
            ])?;
            let cut = lab.measure(&suite, &options, &limits)?;
            let known = PUBLISHED.iter().find(|known| r == 2 && (known.0, known.1) == (c, e));
            let solved = 100.0 * cut.solved() as f64 / plain.solved().max(1) as f64;
            let nodes = cut.total_percent(&plain);
            table.push([
                r.to_string(),
                c.to_string(),
                e.to_string(),
                known.map_or(String::new(), |known| percent(known.2)),
                percent(nodes),
                known.map_or(String::new(), |known| format!("{:.1}", known.3)),
                format!("{solved:.1}"),
                solved_with_error(&cut),
                thousands(cut.nodes()),
            ]);
            if r == 2 {
                for (lines, value) in pictures.iter_mut().zip([nodes, solved]) {
                    match lines.iter_mut().find(|(cuts, _)| *cuts == c) {
                        Some((_, points)) => points.push((f64::from(e), value)),
                        None => lines.push((c, vec![(f64::from(e), value)])),
                    }
                }
            }
        }
        table.push(
            ["", "", "none", "", "100.00", "", "100.0"]
                .map(str::to_owned)
                .into_iter()
                .chain([solved_with_error(&plain), thousands(plain.nodes())]),
        );
        findings.tables.push((format!("{depth} ply"), table));
        for ((word, y), lines) in [("nodes", "nodes (%)"), ("solved", "solved (%)")].into_iter().zip(pictures)
        {
            let series =
                lines.into_iter().map(|(c, points)| Series::new(format!("C = {c}"), points)).collect();
            let title = format!("Multi-cut, R = 2, {depth} ply");
            let chart = Chart { title, x: "E".into(), y: y.into(), series };
            findings.pictures.push((format!("{word}-{depth}"), chart));
        }
    }
    Ok(findings)
}

/// Reductions, cuts and moves to try: the published grid for R = 2 at 7 ply, a few of it elsewhere.
fn grid(quick: bool, depth: i32) -> Vec<(i32, i32, i32)> {
    let few = |r| FEW.map(|(c, e)| (r, c, e));
    if quick || depth != 7 {
        return few(2).to_vec();
    }
    let published = PUBLISHED.iter().map(|&(c, e, ..)| (2, c, e));
    few(1).into_iter().chain(published).chain(few(3)).collect()
}
