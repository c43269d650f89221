//! Uncertainty cut-offs against plain principal variation search: thesis table 4.1 and figures 4.4 and 4.5,
//! and the table of the paper of 1996.

use std::collections::HashMap;

use super::laboratory::{cell_name, sound};
use super::{Experiment, Findings, Interrupted, Laboratory, percent, with_error};
use crate::board::Game;
use crate::engine::Engine;
use crate::epd::suite::Suite;
use crate::limits::Limits;
use crate::options::Options;
use crate::picture::{Chart, Point, Series};
use crate::search::Search;
use crate::search::event::{Event, Interest};
use crate::search::observer::Observer;
use crate::text_table::{Table, thousands};

pub const EXPERIMENT: Experiment = Experiment {
    name: "uncertainty",
    title: "Uncertainty cut-offs: nodes by the share of moves looked at",
    source: "Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, table 4.1; \
             Y. Björnsson, T. A. Marsland, J. Schaeffer and A. Junghanns, *Searching with Uncertainty \
             Cut-offs*, 1996",
    time: "10 min",
    run,
};

/// Percent of the moves; total and average percentage of the nodes.
type NodeShares = (i32, f64, f64);

/// Published: percent of the moves, total and average percentage of the nodes on Plaat's positions at 8 ply.
const THESIS: [NodeShares; 9] = [
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

/// Published: the restricted form on Bratko-Kopec at 5 ply.
const PAPER: [NodeShares; 3] = [(10, 104.0, 102.0), (30, 100.0, 99.0), (50, 97.0, 97.0)];

/// Published: nodes in percent for the three shares, Bratko-Kopec from the first to the last.
const PAPER_BY_POSITION: [[u32; 3]; 24] = [
    [89, 91, 87],
    [106, 100, 101],
    [108, 99, 98],
    [97, 98, 98],
    [103, 101, 99],
    [100, 90, 88],
    [101, 100, 100],
    [102, 100, 100],
    [105, 100, 100],
    [104, 100, 100],
    [96, 89, 88],
    [101, 100, 100],
    [103, 104, 102],
    [92, 94, 94],
    [101, 111, 100],
    [98, 96, 96],
    [100, 100, 100],
    [105, 104, 97],
    [102, 100, 100],
    [113, 99, 99],
    [100, 99, 99],
    [117, 104, 94],
    [108, 100, 86],
    [101, 99, 99],
];

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
    let general: &[(i32, &[NodeShares])] = lab.either(&[(5, &THESIS)], &[(6, &THESIS), (8, &THESIS)]);
    for &(depth, published) in general {
        let (table, series) = one_depth(lab, &suite, depth, "false", published)?;
        findings.tables.push((format!("General form (thesis), {depth} ply"), table));
        picture.series.push(series);
    }
    let (table, _) = one_depth(lab, &suite, 5, "true", &PAPER)?;
    findings.tables.push(("Restricted form (1996), 5 ply".into(), table));
    if suite.tasks.len() == PAPER_BY_POSITION.len() {
        findings.tables.push(("Restricted form (1996), by position".into(), by_position(lab, &suite)?));
    }
    findings.pictures.push((String::new(), picture));
    let (table, chart) = searched_again(lab, &suite, lab.either(5, 6))?;
    findings.tables.push(("Re-searches, general form".into(), table));
    findings.pictures.push(("again".into(), chart));
    Ok(findings)
}

/// The options of a search with the cut-offs.
fn cutting(lab: &Laboratory, ratio: i32, restricted: &str) -> Result<Options, String> {
    lab.with(&[
        "Preset=FullWidth",
        "Uncertainty=true",
        &format!("UncertaintyRatio={ratio}"),
        &format!("UncertaintyRestricted={restricted}"),
    ])
}

/// The paper's own table: nodes of every position in percent.
fn by_position(lab: &Laboratory, suite: &Suite) -> Result<Table, Interrupted> {
    let limits = Limits::depth(5);
    let plain = lab.measure(suite, &lab.with(&["Preset=FullWidth"])?, &limits)?;
    let mut cuts = Vec::new();
    for (ratio, ..) in PAPER {
        cuts.push(lab.measure(suite, &cutting(lab, ratio, "true")?, &limits)?);
    }
    let mut table = Table::new(&[
        "position",
        "published 10 %",
        "10 %",
        "published 30 %",
        "30 %",
        "published 50 %",
        "50 %",
    ]);
    for (index, (task, published)) in suite.tasks.iter().zip(PAPER_BY_POSITION).enumerate() {
        let ours = |cut: &super::Measured| {
            100.0 * cut.taken[index].nodes as f64 / plain.taken[index].nodes.max(1) as f64
        };
        let pairs = published.iter().zip(&cuts);
        let cells = pairs.flat_map(|(published, cut)| [published.to_string(), format!("{:.0}", ours(cut))]);
        table.push([task.name()].into_iter().chain(cells));
    }
    Ok(table)
}

/// Counts the searches of moves that had been searched before.
#[derive(Default)]
struct Repeats(u64);

impl Observer for Repeats {
    const WANTS: Interest = Interest::TREE;

    fn on(&mut self, event: &Event) {
        if let Event::Asks(purpose) = event {
            self.0 += u64::from(purpose.is_again());
        }
    }
}

/// The right half of figures 4.4 and 4.5, whose numbers are not printed: how many re-searches there were.
fn searched_again(lab: &Laboratory, suite: &Suite, depth: i32) -> Result<(Table, Chart), Interrupted> {
    let limits = Limits::depth(depth);
    let repeats = |options: &Options| -> Result<u64, Interrupted> {
        let cell = format!("re-searches on {}", cell_name(suite, options, &limits));
        let parts = lab.each(&cell, suite.tasks.len(), |index| {
            let mut engine = Engine::new(options.clone());
            engine.set_game(Game::new(suite.tasks[index].position.clone()));
            let (outcome, watchers) =
                engine.start(Search::new(limits.clone()).observer(Repeats::default())).observed();
            sound(outcome)?;
            let sum: u64 = watchers.iter().map(|watcher| watcher.0).sum();
            Ok(HashMap::from([("repeats".to_owned(), sum)]))
        })?;
        Ok(parts.iter().filter_map(|part| part.get("repeats")).sum())
    };
    let plain = repeats(&lab.with(&["Preset=FullWidth"])?)?;
    let mut table = Table::new(&["moves %", "re-searches", "% of plain PVS"]);
    let mut points = Vec::new();
    for (ratio, ..) in THESIS {
        let again = repeats(&cutting(lab, ratio, "false")?)?;
        let share = 100.0 * again as f64 / plain.max(1) as f64;
        table.push([ratio.to_string(), thousands(again), percent(share)]);
        points.push((f64::from(ratio), share));
    }
    table.push(["100".to_owned(), thousands(plain), percent(100.0)]);
    let chart = Chart {
        title: "Uncertainty cut-offs: re-searches".into(),
        x: "moves looked at (%)".into(),
        y: "re-searches (% of plain PVS)".into(),
        series: vec![Series::new(format!("ours, {depth} ply"), points)],
        ..Chart::default()
    };
    Ok((table, chart))
}

fn one_depth(
    lab: &Laboratory,
    suite: &Suite,
    depth: i32,
    restricted: &str,
    published: &[NodeShares],
) -> Result<(Table, Series), Interrupted> {
    let limits = Limits::depth(depth);
    let plain = lab.measure(suite, &lab.with(&["Preset=FullWidth"])?, &limits)?;
    let published_at = if restricted == "true" { 5 } else { 8 };
    let mut table = Table::new(&[
        "moves %",
        &format!("published total % ({published_at} ply)"),
        "total %",
        &format!("published average % ({published_at} ply)"),
        "average % ± SE",
        "nodes",
        "other values",
    ]);
    let mut points = Vec::new();
    for &(ratio, total, average) in published {
        let cut = lab.measure(suite, &cutting(lab, ratio, restricted)?, &limits)?;
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
