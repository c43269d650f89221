//! Multi-cut in games: thesis table 5.4.

use super::games::{self, NODES};
use super::{Experiment, Findings, Interrupted, Laboratory};
use crate::picture::Chart;
use crate::statistics::elo_of_score;
use crate::text_table::Table;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "multi-cut-match",
    title: "Multi-cut (3, 10, 2) in games",
    source: "Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, table 5.4",
    time: "15 min",
    run,
};

/// Published: minutes for 40 moves, and the share of points in 80 games.
const PUBLISHED: [(u32, f64); 4] = [(5, 57.5), (15, 52.5), (25, 54.4), (60, 53.8)];

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let games = lab.either(16, 80);
    let book = lab.openings("openings", games / 2)?;
    let (with, without) = (lab.with(&["Preset=TurkMC"])?, lab.with(&["Preset=Turk"])?);
    let mut table = Table::new(&games::columns(&["published", "published %", "nodes a move"]));
    let mut sum = games::MatchTotal::default();
    let mut dots = Vec::new();
    for (step, (minutes, share)) in PUBLISHED.into_iter().enumerate().take(lab.either(1, 4)) {
        // The published controls give the programs three, five and twelve times the time of the first.
        let nodes = lab.either(NODES / 10, NODES) << step;
        let standing = lab.play([&with, &without], games as u64, games::nodes(nodes), &book)?;
        let head = [format!("40 in {minutes} min"), format!("{share:.1}"), nodes.to_string()];
        table.push(head.into_iter().chain(games::cells(&standing)));
        dots.push((
            format!("40 in {minutes} min, {nodes} nodes"),
            [Some((elo_of_score(share / 100.0), 0.0)), games::dot(&standing)],
        ));
        sum.add(&standing);
    }
    // The published sum is that of all rows.
    let published = lab.either("", "54.5");
    let head = ["together", published, ""].map(str::to_owned);
    table.push(head.into_iter().chain(sum.cells()));
    Ok(Findings {
        method: format!(
            "Preset `TurkMC` against preset `Turk`, {games} games a row, every opening with both colours, the \
             nodes for a move fixed instead of the time, and doubled from row to row."
        ),
        tables: vec![("TurkMC against Turk".into(), table)],
        pictures: vec![(
            String::new(),
            Chart::in_rows("Multi-cut (3, 10, 2) in games", "Elo", ["published", "ours"], dots),
        )],
    })
}
