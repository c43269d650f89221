//! Six sets of extension weights, everybody against everybody: thesis table 6.2.

use super::extensions_alone::{SETS, assignments};
use super::games::{self, NODES, Sum};
use super::{Experiment, Findings, Interrupted, Laboratory};
use crate::lab::statistics::standard_error_of_share;
use crate::lab::table::Table;
use crate::picture::Chart;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "extensions-match",
    title: "Six sets of extension weights in games",
    source: "Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, table 6.2",
    time: "20 min",
    run,
};

/// Published points of 500, in the order of the weight sets.
const PUBLISHED: [f64; 6] = [183.5, 260.5, 282.5, 246.5, 267.5, 259.5];

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let games = lab.either(4, 100);
    let book = lab.openings("openings", games / 2)?;
    let options = SETS
        .iter()
        .map(|(_, middle, end)| {
            let assignments = assignments(*middle, *end);
            lab.with(&assignments.iter().map(String::as_str).collect::<Vec<_>>())
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut points = [0.0; SETS.len()];
    let mut pairs = Table::new(&games::columns(&["a", "b"]));
    for (a, first) in options.iter().enumerate() {
        for (b, second) in options.iter().enumerate().skip(a + 1) {
            let limit = games::nodes(lab.either(NODES / 10, NODES));
            let standing = lab.play((first, second), games as u64, limit, &book)?;
            let mut sum = Sum::default();
            sum.add(&standing);
            points[a] += sum.points();
            points[b] += games as f64 - sum.points();
            let head = [SETS[a].0.to_owned(), SETS[b].0.to_owned()];
            pairs.push(head.into_iter().chain(games::cells(&standing)));
        }
    }
    let all = (games * (SETS.len() - 1)) as f64;
    let mut table = Table::new(&["weights", "published of 500", "published %", "points", "%", "± SE"]);
    let mut dots = Vec::new();
    for (index, (name, ..)) in SETS.iter().enumerate() {
        let share = points[index] / all;
        let error = 100.0 * standard_error_of_share(share, all as u64);
        dots.push(((*name).to_owned(), [Some((PUBLISHED[index] / 5.0, 0.0)), Some((100.0 * share, error))]));
        table.push([
            (*name).to_owned(),
            format!("{:.1}", PUBLISHED[index]),
            format!("{:.1}", PUBLISHED[index] / 5.0),
            format!("{:.1} of {all}", points[index]),
            format!("{:.1}", 100.0 * share),
            format!("{error:.1}"),
        ]);
    }
    Ok(Findings {
        method: format!(
            "Preset `Turk` with the weights named, everybody against everybody, {games} games a pair, every \
             opening with both colours, {} nodes a move.",
            lab.either(NODES / 10, NODES)
        ),
        tables: vec![("Points".into(), table), ("Pairs".into(), pairs)],
        pictures: vec![(
            String::new(),
            Chart::in_rows(("Weights of extensions", "points (%)"), ["published", "ours"], dots),
        )],
    })
}
