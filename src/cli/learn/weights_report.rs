//! What `espalier learn weights` shows and writes: a line for every iteration, a table, two pictures, and the
//! file of settings.

use std::io::Write;
use std::path::Path;

use super::shared::beside;
use crate::cli::{Failure, terminal};
use crate::lab::provenance::{Configuration, version};
use crate::learn::search_control::{Iteration, NAMES, extensions_with};
use crate::options::{self, Options};
use crate::picture::{Chart, Series};
use crate::selective::Stage;

/// Shows and writes what was learned.
pub struct Report<'a> {
    /// The options that were learned with.
    pub options: &'a Options,
    /// Learned from games, not from a suite.
    pub games: bool,
    /// The file of settings.
    pub path: &'a Path,
}

impl Report<'_> {
    /// The names of the columns.
    pub fn head(&self, out: &mut impl Write) -> Result<(), Failure> {
        let (solved, weights) = (self.solved(), NAMES.join("/"));
        Ok(writeln!(out, "iteration         nodes  of first  {solved}  {weights} (opening, middle, end)")?)
    }

    fn solved(&self) -> &'static str {
        if self.games { "critical/moves" } else { "solved" }
    }

    /// One iteration.
    pub fn line(
        &self,
        number: usize,
        iteration: &Iteration,
        all: &[Iteration],
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let first = all.first().map_or(iteration.nodes, |first| first.nodes).max(1);
        let share = 100.0 * iteration.nodes as f64 / first as f64;
        let weights = iteration.weights.map(|weights| weights.map(|w| format!("{w:.2}")).join("/"));
        let weights = if weights[0] == weights[1] && weights[1] == weights[2] {
            weights[0].clone()
        } else {
            weights.join("  ")
        };
        let Iteration { nodes, solved, positions, .. } = iteration;
        let solved =
            format!("{solved}/{positions} ({:.1} %)", 100.0 * *solved as f64 / (*positions).max(1) as f64);
        writeln!(out, "{number:>9} {nodes:>13} {share:>7.1} %  {solved}  {weights}")?;
        out.flush()?;
        Ok(())
    }

    /// The iteration whose weights are kept: the one with the fewest nodes; of games the last one.
    fn best<'a>(&self, iterations: &'a [Iteration]) -> Option<&'a Iteration> {
        if self.games { iterations.last() } else { iterations.iter().min_by_key(|iteration| iteration.nodes) }
    }

    /// Writes everything.
    pub fn write(&self, iterations: &[Iteration]) -> Result<(), Failure> {
        let Some(best) = self.best(iterations) else { return Ok(()) };
        terminal::write_file(self.path, self.settings(best))?;
        terminal::write_file(&beside(self.path, ".csv")?, table(iterations))?;
        terminal::write_file(&beside(self.path, "-nodes.svg")?, self.progress_chart(iterations).to_svg())?;
        terminal::write_file(&beside(self.path, "-weights.svg")?, weights_chart(iterations).to_svg())
    }

    /// The text of the file of settings.
    fn settings(&self, best: &Iteration) -> String {
        let mut options = self.options.clone();
        options.settings_file = String::new();
        options.selective.extensions = extensions_with(&options.selective.extensions, &best.weights);
        let mut text = format!(
            "# espalier {}, learned weights: {} nodes, {} {} of {}\n",
            version(),
            best.nodes,
            best.solved,
            if self.games { "critical positions" } else { "solved" },
            best.positions,
        );
        for (name, value) in Configuration::of(&options).assignments() {
            text.push_str(&format!("{name}={value}\n"));
        }
        // All weights of the classes that were learned, even if they are those of the preset.
        for row in options::rows().filter(|row| row.name.starts_with("Weight")) {
            if !text.contains(&format!("\n{}=", row.name)) {
                text.push_str(&format!("{}={}\n", row.name, row.read(&options)));
            }
        }
        text
    }

    fn progress_chart(&self, iterations: &[Iteration]) -> Chart {
        let first = iterations.first().map_or(1, |first| first.nodes.max(1)) as f64;
        let points = |value: &dyn Fn(&Iteration) -> f64| -> Vec<(f64, f64)> {
            iterations
                .iter()
                .enumerate()
                .map(|(number, iteration)| (number as f64, value(iteration)))
                .collect()
        };
        let nodes = points(&|iteration| 100.0 * iteration.nodes as f64 / first);
        let solved = points(&|iteration| 100.0 * iteration.solved as f64 / iteration.positions.max(1) as f64);
        Chart {
            title: "Search effort while learning".to_owned(),
            x: "iteration".to_owned(),
            y: "%".to_owned(),
            series: vec![Series::new("nodes", nodes), Series::new(self.solved(), solved)],
            ..Chart::default()
        }
    }

    /// Where everything is.
    pub fn last_words(&self, iterations: &[Iteration], out: &mut impl Write) -> Result<(), Failure> {
        let best = self.best(iterations).and_then(|best| iterations.iter().position(|other| other == best));
        writeln!(
            out,
            "weights of iteration {} written to {file}; use them with --settings {file}",
            best.unwrap_or_default(),
            file = self.path.display()
        )?;
        Ok(())
    }
}

/// One line an iteration.
fn table(iterations: &[Iteration]) -> String {
    let columns = Stage::ALL.map(|stage| NAMES.map(|class| format!("{class}_{}", stage.name())).join(","));
    let mut text = format!("iteration,nodes,solved,positions,{}\n", columns.join(","));
    for (number, Iteration { weights, nodes, solved, positions }) in iterations.iter().enumerate() {
        let weights: Vec<String> =
            weights.as_flattened().iter().map(|weight| format!("{weight:.4}")).collect();
        text.push_str(&format!("{number},{nodes},{solved},{positions},{}\n", weights.join(",")));
    }
    text
}

/// The weights of the stages that moved; those of the middle game if all moved alike, or none.
fn weights_chart(iterations: &[Iteration]) -> Chart {
    let alike =
        iterations.iter().all(|one| one.weights[0] == one.weights[1] && one.weights[1] == one.weights[2]);
    let moved = |stage: &Stage| {
        let weights = |one: &Iteration| one.weights[*stage as usize];
        iterations.windows(2).any(|two| weights(&two[0]) != weights(&two[1]))
    };
    let stages: Vec<Stage> =
        if alike { vec![Stage::Middle] } else { Stage::ALL.into_iter().filter(moved).collect() };
    let mut series = Vec::new();
    for stage in stages {
        for (class, name) in NAMES.iter().enumerate() {
            let name = if alike { (*name).to_owned() } else { format!("{name}, {}", stage.name()) };
            let points = iterations.iter().enumerate();
            let points = points.map(|(number, one)| (number as f64, one.weights[stage as usize][class]));
            series.push(Series::new(name, points));
        }
    }
    Chart {
        title: "Weights while learning".to_owned(),
        x: "iteration".to_owned(),
        y: "weight in plies".to_owned(),
        series,
        ..Chart::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_that_are_written_can_be_read_again() {
        let mut options = Options::defaults();
        options.set("Preset", "Crafty").unwrap();
        let report = Report { options: &options, games: false, path: Path::new("weights.txt") };
        let iteration = Iteration { weights: [[0.1, 0.2, 0.3, 0.4]; 3], nodes: 5, solved: 1, positions: 2 };
        let text = report.settings(&iteration);
        let mut again = Options::defaults();
        crate::settings_file::apply(&mut again, &text).unwrap();
        assert_eq!(
            again.selective.extensions,
            extensions_with(&options.selective.extensions, &iteration.weights)
        );
        assert_eq!(again.preset, options.preset);
    }

    #[test]
    fn the_table_has_a_line_for_every_iteration() {
        let iteration = Iteration { weights: [[1.0; 4]; 3], nodes: 5, solved: 1, positions: 2 };
        let text = table(&[iteration.clone(), iteration]);
        assert!(text.starts_with("iteration,nodes,solved,positions,check_opening,recapture_opening"));
        assert_eq!(text.lines().nth(2).map(|line| line.split(',').count()), Some(16));
    }
}
