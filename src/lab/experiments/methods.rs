//! Each method alone against the full-width search: nodes and solved positions.

use super::{Experiment, Findings, Interrupted, Laboratory, percent, solved_with_error, with_error};
use crate::limits::Limits;
use crate::picture::Chart;
use crate::selective::METHODS;
use crate::text_table::{Table, thousands};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "methods",
    title: "Every method alone against the full-width search",
    source: "No published table: the methods of this program side by side",
    time: "10 min",
    run,
};

/// Label and options of each row: every method alone, then its variants.
pub(crate) fn alone() -> Vec<(&'static str, Vec<String>)> {
    let lines = METHODS.iter().flat_map(|method| {
        let switch = format!("{}=true", method.switch());
        let form = move |(label, settings): &(&'static str, &[&str])| {
            let settings = settings.iter().map(|setting| (*setting).to_owned());
            (*label, std::iter::once(switch.clone()).chain(settings).collect())
        };
        let plain: (&'static str, &[&str]) = (method.about.label, &[]);
        [plain].iter().chain(method.about.variants).map(form).collect::<Vec<_>>()
    });
    lines.collect()
}

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
    for (name, switches) in alone() {
        let switches: Vec<&str> =
            ["Preset=FullWidth"].into_iter().chain(switches.iter().map(String::as_str)).collect();
        let measured = lab.measure(&suite, &lab.with(&switches)?, &limits)?;
        let average = measured.average_percent(&plain);
        dots.push((name.to_owned(), [Some((average.mean, average.standard_error()))]));
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
            Chart::in_rows("Every method alone", "nodes (% of the full width), average", [""], dots),
        )],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    #[test]
    fn every_method_has_a_line_that_can_be_set() {
        let lines = alone();
        for method in METHODS {
            assert!(lines.iter().any(|(label, _)| *label == method.about.label));
        }
        for (label, settings) in lines {
            let mut options = Options::default();
            for (name, value) in settings.iter().filter_map(|setting| setting.split_once('=')) {
                options.set(name, value).unwrap_or_else(|error| panic!("{label}: {error}"));
            }
        }
    }
}
