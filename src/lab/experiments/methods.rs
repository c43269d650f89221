//! Every method alone against the full-width search: what each takes from the tree, and what it finds.

use super::{Experiment, Findings, Interrupted, Laboratory, percent, solved_with_error, with_error};
use crate::limits::Limits;
use crate::picture::Chart;
use crate::text_table::{Table, thousands};

pub const EXPERIMENT: Experiment = Experiment {
    name: "methods",
    title: "Every method alone against the full-width search",
    source: "No published table: the methods of this program side by side",
    time: "10 min",
    run,
};

/// What is switched on, and its name in the table.
const ALONE: &[(&str, &[&str])] = &[
    ("null move", &["NullMove=true"]),
    ("null move, verified", &["NullMove=true", "NullMoveVerify=true"]),
    ("multi-cut (3, 10, 2)", &["MultiCut=true"]),
    ("multi-cut, layered", &["MultiCut=true", "MultiCutLayered=true"]),
    ("uncertainty cut-offs 0.6", &["Uncertainty=true"]),
    ("extensions", &["Extensions=true"]),
    ("RankCut", &["RankCut=true"]),
    ("futility", &["Futility=true"]),
    ("futility, extended", &["Futility=true", "ExtendedFutility=true"]),
    ("razoring", &["Razoring=true"]),
    ("ProbCut", &["ProbCut=true"]),
    ("Multi-ProbCut", &["ProbCut=true", "ProbCutMulti=true"]),
    ("10-best", &["NBest=true", "NBestWidth=10"]),
    ("tapered", &["Tapered=true"]),
    ("singular, searched", &["Singular=true"]),
    ("singular, static", &["SingularStatic=true"]),
    ("late-move reductions", &["LateMoveReductions=true"]),
    ("late-move pruning", &["LateMovePruning=true"]),
    ("history pruning", &["HistoryPruning=true"]),
    ("deep futility", &["DeepFutility=true"]),
    ("razoring by captures", &["RazoringDrop=true"]),
    ("reverse futility", &["ReverseFutility=true"]),
    ("exchange pruning", &["ExchangePruning=true"]),
    ("internal reduction", &["InternalReduction=true"]),
    ("ProbCut by captures", &["CaptureCut=true"]),
    ("delta pruning", &["DeltaPruning=true"]),
];

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let suite = lab.suite("wac", lab.either(20, 60)).ok_or("the suite wac is missing".to_owned())?;
    let depth = lab.either(5, 7);
    let limits = Limits::depth(depth);
    let plain = lab.measure(&suite, &lab.with(&["Preset=FullWidth"])?, &limits)?;
    let mut table = Table::new(&["method", "nodes %", "average % ± SE", "solved", "other values", "nodes"]);
    let row = |name: &str, measured: &super::Measured| {
        [
            name.to_owned(),
            percent(measured.total_percent(&plain)),
            with_error(measured.average_percent(&plain)),
            solved_with_error(measured),
            measured.other_values(&plain).to_string(),
            thousands(measured.nodes()),
        ]
    };
    table.push(row("none (`FullWidth`)", &plain));
    let mut dots = Vec::new();
    for (name, switches) in ALONE {
        let switches = [&["Preset=FullWidth"], *switches].concat();
        let measured = lab.measure(&suite, &lab.with(&switches)?, &limits)?;
        let average = measured.average_percent(&plain);
        dots.push(((*name).to_owned(), [Some((average.mean, average.standard_error()))]));
        table.push(row(name, &measured));
    }
    Ok(Findings {
        method: format!(
            "Preset `FullWidth` with one method switched on, on {} positions of `wac` at {depth} ply. Nodes as \
             percentages of those of `FullWidth`; \"other values\" counts the positions whose value at the root \
             is not the one of `FullWidth`.",
            suite.tasks.len()
        ),
        tables: vec![(format!("{depth} ply"), table)],
        pictures: vec![(
            String::new(),
            Chart::in_rows(("Every method alone", "nodes (% of the full width), average"), [""], dots),
        )],
    })
}
