//! Multi-ProbCut against brute force: Mulan's tables 4.16 to 4.18, on chess.

use super::games::{self, NODES};
use super::n_best::share_within;
use super::{Experiment, Findings, Interrupted, Laboratory, percent, solved_with_error};
use crate::limits::Limits;
use crate::options::Options;
use crate::picture::Chart;
use crate::search::Learned;
use crate::selective::prob_cut::Fit;
use crate::statistics::elo_of_score;
use crate::text_table::Table;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "multi-probcut",
    title: "Multi-ProbCut against brute force",
    source: "X. Liang, *The Evolution of Mulan*, MSc thesis, New Mexico 2003, tables 4.16 to 4.18 (Amazons)",
    time: "15 min",
    run,
};

/// Published: threshold in hundredths, games won and lost in Amazons.
const PUBLISHED: [(i32, u32, u32); 4] = [(100, 52, 98), (120, 58, 92), (150, 63, 87), (200, 60, 90)];

/// Published fits in Amazons: move of the game, D', D, a, b, σ, r².
const PUBLISHED_FITS: [(u32, u32, u32, [f64; 4]); 8] = [
    (5, 1, 3, [0.78, 38.70, 21.13, 0.71]),
    (15, 1, 3, [0.75, 2.14, 48.52, 0.63]),
    (25, 1, 3, [0.81, -20.2, 65.30, 0.72]),
    (35, 1, 3, [0.88, -41.3, 91.20, 0.74]),
    (35, 2, 4, [1.02, 45.4, 52.73, 0.93]),
    (45, 1, 3, [1.01, -16.2, 35.87, 0.97]),
    (45, 2, 4, [1.03, 5.3, 23.20, 0.99]),
    (55, 1, 5, [1.14, -6.50, 21.36, 1.00]),
];

/// Published accuracy of Multi-ProbCut in Amazons: threshold in hundredths, and by stage of the game the speed-up in
/// leaves and the share of equal values in percent.
const PUBLISHED_ACCURACY: [(i32, [(f64, u32); 4]); 4] = [
    (100, [(3.45, 34), (3.02, 59), (10.44, 87), (18.37, 97)]),
    (120, [(3.05, 43), (2.58, 65), (8.13, 90), (16.31, 96)]),
    (150, [(2.75, 48), (2.27, 69), (7.75, 93), (13.31, 97)]),
    (200, [(2.09, 54), (2.07, 72), (6.14, 93), (10.18, 94)]),
];

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let suite = lab.suite("bk", lab.either(8, 0)).ok_or("the suite bk is missing".to_owned())?;
    let depth = lab.either(6, 8);
    let games = lab.either(4, 150);
    let book = lab.openings("openings", games / 2)?;
    let brute = lab.with(&["Preset=Mulan"])?;
    let whole = lab.measure(&suite, &brute, &Limits::depth(depth))?;
    let mut accuracy =
        Table::new(&["t", "form", "nodes %", "solved", "same value %", "within 10", "within 50"]);
    let head = ["", "none", "100.00"].map(str::to_owned).into_iter().chain([solved_with_error(&whole)]);
    accuracy.push(head.chain([(); 3].map(|()| String::new())));
    let mut matches = Table::new(&games::columns(&["t", "published"]));
    let mut dots = Vec::new();
    for (t, won, lost) in PUBLISHED {
        let threshold = format!("{:.2}", f64::from(t) / 100.0);
        for (form, multi) in [("ProbCut", "false"), ("Multi-ProbCut", "true")] {
            let options = cutting(lab, t, multi)?;
            let cut = lab.measure(&suite, &options, &Limits::depth(depth))?;
            let near = |centipawns: i32| share_within(&cut, &whole, centipawns);
            accuracy.push([
                threshold.clone(),
                form.to_owned(),
                percent(cut.total_percent(&whole)),
                solved_with_error(&cut),
                near(0),
                near(10),
                near(50),
            ]);
            if multi == "true" {
                let limit = games::nodes(lab.either(NODES / 10, NODES));
                let standing = lab.play([&options, &brute], games as u64, limit, &book)?;
                let share = 100.0 * f64::from(won) / f64::from(won + lost);
                let published = Some((elo_of_score(share / 100.0), 0.0));
                dots.push((format!("t = {threshold}"), [published, games::dot(&standing)]));
                let head = [threshold.clone(), format!("+{won} -{lost} ({share:.1} %)")];
                matches.push(head.into_iter().chain(games::cells(&standing)));
            }
        }
    }
    Ok(Findings {
        method: format!(
            "Preset `Mulan` with ProbCut or Multi-ProbCut at the threshold t in all stages, against itself \
             without: on {} positions of Bratko and Kopec at {depth} ply, and in games at {} nodes a move. ProbCut \
             checks where 6 plies remain (`ProbCutHeight`), Multi-ProbCut at every fitted height.",
            suite.tasks.len(),
            lab.either(NODES / 10, NODES)
        ),
        tables: vec![
            ("Fitted lines (table 4.16; r² in docs/LEARNING.md)".into(), fits(lab)?),
            ("Published lines of Amazons, some of them (table 4.16)".into(), published_fits()),
            ("Accuracy (table 4.17)".into(), accuracy),
            ("Published accuracy in Amazons, some stages (table 4.17)".into(), published_accuracy()),
            ("Games (table 4.18)".into(), matches),
        ],
        pictures: vec![(
            String::new(),
            Chart::in_rows("Multi-ProbCut in games", "Elo", ["Amazons, published", "chess"], dots),
        )],
    })
}

/// The preset with ProbCut at the threshold `t`, in hundredths, in all phases of the game.
fn cutting(lab: &Laboratory, t: i32, multi: &str) -> Result<Options, String> {
    lab.with(&[
        "Preset=Mulan",
        "ProbCut=true",
        &format!("ProbCutMulti={multi}"),
        // The largest fitted height below the moves of the root.
        "ProbCutHeight=6",
        &format!("ProbCutOpening={t}"),
        &format!("ProbCutMiddle={t}"),
        &format!("ProbCutEnd={t}"),
    ])
}

fn published_fits() -> Table {
    let mut table = Table::new(&["move", "D'", "D", "a", "b", "σ", "r²"]);
    for (number, shallow, deep, fit) in PUBLISHED_FITS {
        let depths = [number, shallow, deep].map(|number| number.to_string());
        table.push(depths.into_iter().chain(fit.map(|value| value.to_string())));
    }
    table
}

fn published_accuracy() -> Table {
    let mut table = Table::new(&[
        "t",
        "move 35, 4 plies: speed-up (leaves)",
        "same value %",
        "move 40, 4 plies",
        "same %",
        "move 50, 5 plies",
        "same %",
        "move 60, 6 plies",
        "same %",
    ]);
    for (t, stages) in PUBLISHED_ACCURACY {
        let stages = stages.into_iter().flat_map(|(fewer, same)| [format!("{fewer:.2}"), same.to_string()]);
        table.push([format!("{:.2}", f64::from(t) / 100.0)].into_iter().chain(stages));
    }
    table
}

/// The fits that the engine uses.
fn fits(lab: &Laboratory) -> Result<Table, Interrupted> {
    let mut table = Table::new(&["phase", "D'", "D", "a", "b", "σ"]);
    for fit in Learned::load(lab.setup.options.learned_files())?.fits.iter() {
        table.push(fit_cells(fit));
    }
    Ok(table)
}

/// A fitted line in a row of a table: phase, depths, a, b and σ.
pub(crate) fn fit_cells(fit: &Fit) -> [String; 6] {
    [
        fit.phase.name().to_owned(),
        fit.shallow.to_string(),
        fit.deep.to_string(),
        format!("{:.3}", fit.a),
        format!("{:.1}", fit.b),
        format!("{:.1}", fit.sigma),
    ]
}
