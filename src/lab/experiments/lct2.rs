//! The LCT II test with and without RankCut.

use std::time::Duration;

use super::{Experiment, Findings, Interrupted, Laboratory, solved_percent, solved_with_error, with_error};
use crate::limits::Limits;
use crate::picture::Chart;
use crate::text_table::Table;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "lct2",
    title: "LCT II with and without RankCut",
    source: "Y. J. Lim and W. S. Lee, *RankCut: A Domain Independent Forward Pruning Method for Games*, AAAI \
             2006: both programs solved the same 28 of 35, RankCut at 16.5 instead of 15.7 plies",
    time: "12 min",
    run,
};

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let seconds = lab.either(2, 20);
    let (suite, same) = lab.suite_or_wac("lct2", 0, 35)?;
    let limits = Limits { move_time: Some(Duration::from_secs(seconds)), ..Limits::default() };
    let mut table = Table::new(&["preset", "published solved", "solved", "published depth", "mean depth"]);
    let mut dots = Vec::new();
    let known = |text: &str| if same { text.to_owned() } else { String::new() };
    for (preset, depth) in [("Crafty", "15.7"), ("RankCut", "16.5")] {
        let measured = lab.measure(&suite, &lab.with(&[&format!("Preset={preset}")])?, &limits)?;
        table.push([
            preset.to_owned(),
            known("28 of 35"),
            solved_with_error(&measured),
            known(depth),
            with_error(measured.depth()),
        ]);
        dots.push((preset.to_owned(), [same.then_some((80.0, 0.0)), Some(solved_percent(&measured))]));
    }
    Ok(Findings {
        method: format!(
            "{seconds} s a position of the suite `{}`; depth is that of positions without a mate. Times, and with \
             them these numbers, depend on the machine. The paper's ratings (2575 without RankCut, 2635 with it) come \
             from the times of the solutions by a formula of the test's own and are not computed here.",
            suite.name
        ),
        tables: vec![("Solved and depth".into(), table)],
        pictures: vec![(String::new(), Chart::in_rows("LCT II", "solved (%)", ["published", "ours"], dots))],
    })
}
