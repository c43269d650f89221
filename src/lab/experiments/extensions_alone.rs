//! Fractional-ply extensions on tactical suites, for the same number of nodes: the weights of thesis table 6.1.

use super::{Experiment, Findings, Interrupted, Laboratory, solved_percent, solved_with_error};
use crate::limits::Limits;
use crate::picture::Chart;
use crate::text_table::Table;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "extensions",
    title: "Fractional-ply extensions on suites",
    source: "Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, table 6.1 (the \
             weights); published with learned weights: 39 % of ECM solved without extensions, 57 % with them, \
             in at most 500,000 nodes a position",
    time: "6 min",
    run,
};

/// Names of weight sets, and their weights for check, recapture, forced reply and pawn push, in the middle
/// game and in the endgame.
pub(super) const SETS: [(&str, [i32; 4], [i32; 4]); 6] = [
    ("none", [100; 4], [100; 4]),
    ("hand-set", [0, 25, 25, 25], [0, 25, 25, 25]),
    ("learned online", [30, 10, 10, 47], [10, 10, 15, 25]),
    ("learned on ECM", [10, 84, 68, 91], [10, 84, 68, 91]),
    ("all 0.50", [50; 4], [50; 4]),
    ("all 0.10", [10; 4], [10; 4]),
];

/// Published: per cent of ECM solved in at most 500,000 nodes, without extensions and with those learned on ECM.
fn published(set: &str, suite: &str) -> Option<f64> {
    match (set, suite) {
        ("none", "ecm") => Some(39.0),
        ("learned on ECM", "ecm") => Some(57.0),
        _ => None,
    }
}

/// The options for a weight set in preset `Turk`.
pub(super) fn assignments(middle: [i32; 4], end: [i32; 4]) -> Vec<String> {
    let classes = ["Check", "Recapture", "Forced", "Pawn"];
    let stage = |stage: &'static str, weights: [i32; 4]| {
        classes.into_iter().zip(weights).map(move |(class, weight)| format!("Weight{class}{stage}={weight}"))
    };
    let all = [("Opening", middle), ("Middle", middle), ("End", end)];
    let weights = all.into_iter().flat_map(|(name, weights)| stage(name, weights));
    ["Preset=Turk".to_owned(), "Extensions=true".to_owned()].into_iter().chain(weights).collect()
}

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let nodes = lab.either(10_000, 100_000);
    let mut findings = Findings {
        method: format!("Preset `Turk` with the weights named, {nodes} nodes a position."),
        ..Findings::default()
    };
    let mut table = Table::new(&["weights", "suite", "solved", "mean depth"]);
    let mut dots = Vec::new();
    for name in ["wac", "ecm"] {
        let Some(suite) = lab.suite(name, lab.either(100, 0)) else { continue };
        for (set, middle, end) in SETS {
            let assignments = assignments(middle, end);
            let words: Vec<&str> = assignments.iter().map(String::as_str).collect();
            let measured = lab.measure(&suite, &lab.with(&words)?, &Limits::nodes(nodes))?;
            let theirs = published(set, name).map(|percent| (percent, 0.0));
            dots.push((format!("{set}, {name}"), [theirs, Some(solved_percent(&measured))]));
            table.push([
                set.to_owned(),
                name.to_owned(),
                solved_with_error(&measured),
                format!("{:.2}", measured.depth().mean),
            ]);
        }
    }
    findings.tables.push(("Solved in the same number of nodes".into(), table));
    let series = ["published, 500,000 nodes", "ours"];
    let chart = Chart::in_rows("Weights of extensions", "solved (%)", series, dots);
    findings.pictures.push((String::new(), chart));
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    #[test]
    fn every_weight_set_is_a_set_of_options() {
        for (_, middle, end) in SETS {
            let mut options = Options::default();
            for assignment in assignments(middle, end) {
                let (name, value) = assignment.split_once('=').unwrap();
                options.set(name, value).unwrap();
            }
        }
    }
}
