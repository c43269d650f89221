//! Uncertainty cut-offs against plain principal variation search: thesis table 4.1 and figures 4.4 and 4.5,
//! the table and figure 6 of the paper of 1996, and the unsafe form that its section 6 proposes.

use std::collections::HashMap;

use super::best_moves;
use super::laboratory::{cell_name, sound};
use super::{Experiment, Findings, Interrupted, Laboratory, percent, solved_with_error, with_error};
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

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "uncertainty",
    title: "Uncertainty cut-offs: nodes by the share of moves looked at",
    source: "Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, table 4.1; \
             Y. Björnsson, T. A. Marsland, J. Schaeffer and A. Junghanns, *Searching with Uncertainty \
             Cut-offs*, 1996",
    time: "40 min",
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

/// Published: nodes in percent for the three shares, for each Bratko-Kopec position.
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

/// A form of the cut-offs: options of both searches, further options of the one with cut-offs, and the depth of the
/// published numbers.
struct Form {
    both: &'static [&'static str],
    cutting: &'static [&'static str],
    published_at: i32,
}

const GENERAL: Form = Form { both: &[], cutting: &[], published_at: 8 };
const WITHOUT_HASH_CUTOFFS: Form = Form { both: &["HashCutoffs=false"], ..GENERAL };
const RESTRICTED: Form = Form { cutting: &["UncertaintyRestricted=true"], published_at: 5, ..GENERAL };

impl Form {
    /// The search without the cut-offs.
    fn plain(&self, lab: &Laboratory) -> Result<Options, String> {
        lab.with(&[&["Preset=FullWidth"], self.both].concat())
    }

    /// The search that examines this percentage of the moves.
    fn cutting(&self, lab: &Laboratory, ratio: i32) -> Result<Options, String> {
        let ratio = format!("UncertaintyRatio={ratio}");
        let own: &[&str] = &["Preset=FullWidth", "Uncertainty=true", &ratio];
        lab.with(&[own, self.both, self.cutting].concat())
    }
}

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let suite = lab.suite("bk", lab.either(12, 0)).ok_or("the suite bk is missing".to_owned())?;
    let mut findings = Findings {
        method: format!(
            "Preset `FullWidth` (no other selectivity) on {} positions of Bratko and Kopec; Plaat's 20 positions are \
             unavailable. Nodes are given as a percentage of those without the cut-offs: of all positions together, \
             and as the mean over positions with its standard error; the program of 1996 had extensions, ours has none \
             here. The value at the root must not change, except in the unsafe form: \
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
    for &depth in lab.either(&[5][..], &[6, 8]) {
        for (form, with) in [(&GENERAL, ""), (&WITHOUT_HASH_CUTOFFS, ", no hash cut-offs")] {
            let (table, series) = one_depth(lab, &suite, depth, form, &THESIS)?;
            findings.tables.push((format!("General form (thesis), {depth} ply{with}"), table));
            picture.series.push(Series { name: format!("{}{with}", series.name), ..series });
        }
    }
    let (table, _) = one_depth(lab, &suite, 5, &RESTRICTED, &PAPER)?;
    findings.tables.push(("Restricted form (1996), 5 ply".into(), table));
    if suite.tasks.len() == PAPER_BY_POSITION.len() {
        findings.tables.push(("Restricted form (1996), by position".into(), by_position(lab, &suite)?));
    }
    findings.pictures.push((String::new(), picture));
    let depth = lab.either(5, 6);
    let (table, chart) = unsafe_form(lab, &suite, depth)?;
    findings.tables.push((format!("Unsafe form (1996, section 6), {depth} ply"), table));
    findings.pictures.push(("unsafe".into(), chart));
    let (tables, chart) = best_moves::measure(lab)?;
    findings.tables.extend(tables);
    findings.pictures.push(("best-moves".into(), chart));
    let (table, chart) = searched_again(lab, &suite, depth)?;
    findings.tables.push(("Re-searches, general form".into(), table));
    findings.pictures.push(("again".into(), chart));
    Ok(findings)
}

/// Least certainties in percent, and percentages of the moves examined.
const CERTAINTIES: [i32; 6] = [99, 95, 90, 75, 50, 0];
const RISKED_RATIOS: [i32; 2] = [30, 60];

/// Nodes and errors of the unsafe form, for which nothing is published.
fn unsafe_form(lab: &Laboratory, suite: &Suite, depth: i32) -> Result<(Table, Chart), Interrupted> {
    let limits = Limits::depth(depth);
    let plain = lab.measure(suite, &GENERAL.plain(lab)?, &limits)?;
    let mut table = Table::new(&[
        "moves %",
        "least certainty %",
        "total %",
        "average % ± SE",
        "solved",
        "mean error in centipawns",
        "other values",
    ]);
    let mut chart = Chart {
        title: "Uncertainty cut-offs, unsafe form".into(),
        x: "least certainty (%)".into(),
        y: "nodes (% of plain PVS)".into(),
        ..Chart::default()
    };
    for ratio in RISKED_RATIOS {
        let mut points = Vec::new();
        for certainty in CERTAINTIES {
            let [of_moves, certain] = [("Ratio", ratio), ("Certainty", certainty)]
                .map(|(name, value)| format!("Uncertainty{name}={value}"));
            let own = ["Preset=FullWidth", "Uncertainty=true", "UncertaintyUnsafe=true", &of_moves, &certain];
            let risky = lab.with(&own)?;
            let cut = lab.measure(suite, &risky, &limits)?;
            let ours = cut.average_percent(&plain);
            points.push(Point { x: f64::from(certainty), y: ours.mean, error: ours.standard_error() });
            table.push([
                ratio.to_string(),
                certainty.to_string(),
                percent(cut.total_percent(&plain)),
                with_error(ours),
                solved_with_error(&cut),
                format!("{:.1}", cut.mean_error(&plain).mean),
                cut.other_values(&plain).to_string(),
            ]);
        }
        chart.series.push(Series { name: format!("{ratio} % of the moves"), points });
    }
    Ok((table, chart))
}

/// The paper's own table: nodes of every position in percent.
fn by_position(lab: &Laboratory, suite: &Suite) -> Result<Table, Interrupted> {
    let limits = Limits::depth(5);
    let plain = lab.measure(suite, &RESTRICTED.plain(lab)?, &limits)?;
    let mut cuts = Vec::new();
    for (ratio, ..) in PAPER {
        cuts.push(lab.measure(suite, &RESTRICTED.cutting(lab, ratio)?, &limits)?);
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
            100.0 * cut.searches[index].nodes as f64 / plain.searches[index].nodes.max(1) as f64
        };
        let pairs = published.iter().zip(&cuts);
        let cells = pairs.flat_map(|(published, cut)| [published.to_string(), format!("{:.0}", ours(cut))]);
        table.push([task.name()].into_iter().chain(cells));
    }
    Ok(table)
}

/// Counts re-searches.
#[derive(Default)]
struct ReSearches(u64);

impl Observer for ReSearches {
    const WANTS: Interest = Interest::TREE;

    fn on(&mut self, event: &Event) {
        if let Event::Asks(purpose) = event {
            self.0 += u64::from(purpose.is_re_search());
        }
    }
}

/// The number of re-searches, as in the right half of figures 4.4 and 4.5, whose numbers are not printed.
fn searched_again(lab: &Laboratory, suite: &Suite, depth: i32) -> Result<(Table, Chart), Interrupted> {
    let limits = Limits::depth(depth);
    let repeats = |options: &Options| -> Result<u64, Interrupted> {
        let cell = format!("re-searches on {}", cell_name(suite, options, &limits));
        let parts = lab.each(&cell, suite.tasks.len(), |index| {
            let mut engine = Engine::new(options.clone());
            engine.set_game(Game::new(suite.tasks[index].position.clone()));
            let (outcome, watchers) =
                engine.start(Search::new(limits.clone()).observer(ReSearches::default())).observed();
            sound(outcome)?;
            let sum: u64 = watchers.iter().map(|watcher| watcher.0).sum();
            Ok(HashMap::from([("repeats".to_owned(), sum)]))
        })?;
        Ok(parts.iter().filter_map(|part| part.get("repeats")).sum())
    };
    let plain = repeats(&GENERAL.plain(lab)?)?;
    let mut table = Table::new(&["moves %", "re-searches", "% of plain PVS"]);
    let mut points = Vec::new();
    for (ratio, ..) in THESIS {
        let again = repeats(&GENERAL.cutting(lab, ratio)?)?;
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
    form: &Form,
    published: &[NodeShares],
) -> Result<(Table, Series), Interrupted> {
    let limits = Limits::depth(depth);
    let plain = lab.measure(suite, &form.plain(lab)?, &limits)?;
    let published_at = form.published_at;
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
        let cut = lab.measure(suite, &form.cutting(lab, ratio)?, &limits)?;
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
