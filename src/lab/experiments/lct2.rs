//! The LCT II test with and without RankCut.

use std::time::Duration;

use super::{Experiment, Findings, Interrupted, Laboratory, solved_with_error};
use crate::lab::table::Table;
use crate::limits::Limits;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "lct2",
    title: "LCT II with and without RankCut",
    source: "Y. J. Lim and W. S. Lee, *RankCut: A Domain Independent Forward Pruning Method for Games*, AAAI \
             2006: both programs solved the same 28 of 35, RankCut at 16.5 instead of 15.7 plies",
    time: "12 min",
    run,
};

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let seconds = lab.either(2, 20);
    let suite = lab.suite("lct2", 0).or_else(|| lab.suite("wac", 35));
    let suite = suite.ok_or("the suite wac is missing".to_owned())?;
    let limits = Limits { move_time: Some(Duration::from_secs(seconds)), ..Limits::default() };
    let mut table = Table::new(&["preset", "published solved", "solved", "published depth", "mean depth"]);
    for (preset, depth) in [("Crafty", "15.7"), ("RankCut", "16.5")] {
        let measured = lab.measure(&suite, &lab.with(&[&format!("Preset={preset}")])?, &limits)?;
        table.push([
            preset.to_owned(),
            "28 of 35".to_owned(),
            solved_with_error(&measured),
            depth.to_owned(),
            format!("{:.2}", measured.depth()),
        ]);
    }
    Ok(Findings {
        method: format!(
            "{seconds} s a position of the suite `{}` (published: ten minutes a position). Times, and with them \
             these numbers, depend on the machine.",
            suite.name
        ),
        tables: vec![("Solved and depth".into(), table)],
        pictures: Vec::new(),
    })
}
