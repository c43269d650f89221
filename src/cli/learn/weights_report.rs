//! Output of `espalier learn weights`: a line for each iteration, a table, two pictures, and the settings file.

use std::io::Write;
use std::path::Path;

use super::shared::beside;
use crate::board::GamePhase;
use crate::cli::shared::TableForm;
use crate::cli::{Failure, terminal};
use crate::learn::search_control::{Iteration, NAMES, extensions_with};
use crate::options::Options;
use crate::picture::{Chart, Series};
use crate::provenance::{Configuration, version};
use crate::selective::{Id, METHODS};
use crate::text_table::{Table, thousands};

/// Shows and writes the results.
pub(super) struct WeightsReport<'a> {
    /// The options of the run.
    pub options: &'a Options,
    /// Whether the weights are learned from games rather than a suite.
    pub games: bool,
    /// The command of the external program, if one is used.
    pub engine: Option<&'a str>,
    /// The settings file.
    pub path: &'a Path,
    /// The form of the table at the end. Text is printed line by line instead.
    pub form: TableForm,
}

impl WeightsReport<'_> {
    /// Prints the column names.
    pub(super) fn head(&self, out: &mut impl Write) -> Result<(), Failure> {
        let weights = NAMES.join("/");
        let share = if self.games { String::new() } else { format!("{:>8}", "of first") };
        let names = format!("iteration {:>12} {share} {:>17}  {weights}", "nodes", self.solved());
        Ok(self.form.remark(&names, out)?)
    }

    fn solved(&self) -> &'static str {
        if self.games { "critical/moves" } else { "solved" }
    }

    /// Prints the line of an iteration.
    pub(super) fn line(
        &self,
        number: usize,
        iteration: &Iteration,
        all: &[Iteration],
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let first = all.first().map_or(iteration.nodes, |first| first.nodes).max(1);
        // In games the node count says only how long they were.
        let share = if self.games {
            String::new()
        } else {
            format!("{:>6.1} %", 100.0 * iteration.nodes as f64 / first as f64)
        };
        let weights = iteration.weights.map(|weights| weights.map(|w| format!("{w:.2}")).join("/"));
        let Iteration { nodes, solved, positions, .. } = iteration;
        let percent = 100.0 * *solved as f64 / (*positions).max(1) as f64;
        let solved = format!("{solved}/{positions} ({percent:.1} %)");
        let line = format!("{number:>9} {:>12} {share} {solved:>17}  ", thousands(*nodes));
        if weights.iter().all(|one| *one == weights[0]) {
            self.form.remark(&(line + &weights[0]), out)?;
        } else {
            // A line for each phase, with the numbers of the iteration in the first.
            let width = line.chars().count();
            for (phase, one) in GamePhase::ALL.into_iter().zip(&weights) {
                let head = if phase == GamePhase::ALL[0] { line.as_str() } else { "" };
                self.form.remark(&format!("{head:width$}{one} {}", phase.name()), out)?;
            }
        }
        out.flush()?;
        Ok(())
    }

    /// The iteration whose weights are kept: for a suite the one with the fewest nodes, for games the last.
    fn best<'a>(&self, iterations: &'a [Iteration]) -> Option<&'a Iteration> {
        if self.games { iterations.last() } else { iterations.iter().min_by_key(|iteration| iteration.nodes) }
    }

    /// Writes settings, table and pictures.
    pub(super) fn write(&self, iterations: &[Iteration]) -> Result<(), Failure> {
        let Some(best) = self.best(iterations) else { return Ok(()) };
        terminal::write_file(self.path, self.settings(best))?;
        terminal::write_file(&beside(self.path, ".csv")?, self.table(iterations).to_csv())?;
        terminal::write_file(&beside(self.path, "-nodes.svg")?, self.progress_chart(iterations).to_svg())?;
        terminal::write_file(&beside(self.path, "-weights.svg")?, weights_chart(iterations).to_svg())
    }

    /// The text of the settings file.
    fn settings(&self, best: &Iteration) -> String {
        let mut options = self.options.clone();
        options.settings_file = String::new();
        options.selective.extensions = extensions_with(&options.selective.extensions, &best.weights);
        let made = format!(
            "# espalier {}, learned weights: {} nodes, {} {} of {}\n",
            version(),
            best.nodes,
            best.solved,
            if self.games { "critical positions" } else { "solved" },
            best.positions,
        );
        if let Some(engine) = self.engine {
            let lines = GamePhase::ALL.map(|phase| {
                let weights = best.weights[phase as usize].map(|weight| format!("{weight:.2}")).join(" ");
                format!("# {}:\nsetparam {weights}\n", phase.name())
            });
            return format!("{made}# of {engine}: {}\n{}", NAMES.join(", "), lines.concat());
        }
        let mut text = made;
        for (name, value) in Configuration::of(&options).assignments() {
            text.push_str(&format!("{name}={value}\n"));
        }
        // Write all learned weights, even those equal to the preset's.
        let [_switch, weights @ ..] = METHODS[Id::Extensions as usize].rows else { return text };
        for row in weights {
            if !text.contains(&format!("\n{}=", row.name)) {
                text.push_str(&format!("{}={}\n", row.name, row.read(&options.selective)));
            }
        }
        text
    }

    /// A row for each iteration.
    fn table(&self, iterations: &[Iteration]) -> Table {
        let [found, all] = if self.games { ["critical", "moves"] } else { ["solved", "positions"] };
        let mut table = Table::new(&["iteration", "nodes", found, all]);
        let columns = GamePhase::ALL.map(|phase| NAMES.map(|class| format!("{class}_{}", phase.name())));
        table.header.extend(columns.into_iter().flatten());
        for (number, Iteration { weights, nodes, solved, positions }) in iterations.iter().enumerate() {
            let counted =
                [number as u64, *nodes, *solved as u64, *positions as u64].map(|count| count.to_string());
            let weights = weights.as_flattened().iter().map(|weight| format!("{weight:.4}"));
            table.push(counted.into_iter().chain(weights));
        }
        table
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
            series: [
                (!self.games).then(|| Series::new("nodes", nodes)),
                Some(Series::new(self.solved(), solved)),
            ]
            .into_iter()
            .flatten()
            .collect(),
            ..Chart::default()
        }
    }

    /// Says which weights are kept and where they are written.
    pub(super) fn conclude(&self, iterations: &[Iteration], out: &mut impl Write) -> Result<(), Failure> {
        let best = self.best(iterations).and_then(|best| iterations.iter().position(|other| other == best));
        let (best, file) = (best.unwrap_or_default(), self.path.display());
        let how = match self.engine {
            Some(_) => "tell them to the program with setparam".to_owned(),
            None => format!("use them with --settings {file}, which also sets the preset"),
        };
        if !self.form.is_text() {
            write!(out, "{}", self.form.show(&self.table(iterations)))?;
        }
        let written = format!("weights of iteration {best} written to {file}; {how}");
        Ok(self.form.remark(&written, out)?)
    }
}

/// The weights of the phases that changed; only the middle game if all phases are the same.
fn weights_chart(iterations: &[Iteration]) -> Chart {
    let alike =
        iterations.iter().all(|one| one.weights[0] == one.weights[1] && one.weights[1] == one.weights[2]);
    let moved = |phase: &GamePhase| {
        let weights = |one: &Iteration| one.weights[*phase as usize];
        iterations.windows(2).any(|two| weights(&two[0]) != weights(&two[1]))
    };
    let phases: Vec<GamePhase> =
        if alike { vec![GamePhase::Middle] } else { GamePhase::ALL.into_iter().filter(moved).collect() };
    let mut series = Vec::new();
    for phase in phases {
        for (class, name) in NAMES.iter().enumerate() {
            let name = if alike { (*name).to_owned() } else { format!("{name}, {}", phase.name()) };
            let points = iterations.iter().enumerate();
            let points = points.map(|(number, one)| (number as f64, one.weights[phase as usize][class]));
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

    fn report(options: &Options) -> WeightsReport<'_> {
        WeightsReport {
            options,
            games: false,
            engine: None,
            path: Path::new("weights.txt"),
            form: TableForm::default(),
        }
    }

    #[test]
    fn another_program_is_told_its_weights_with_setparam() {
        let options = Options::default();
        let iteration = Iteration { weights: [[0.1, 0.2, 0.3, 0.4]; 3], nodes: 5, solved: 1, positions: 2 };
        let text = WeightsReport { engine: Some("./mine"), ..report(&options) }.settings(&iteration);
        assert!(
            text.contains("# of ./mine: check") && text.contains("\nsetparam 0.10 0.20 0.30 0.40\n"),
            "{text}"
        );
        assert!(!text.contains("Preset"));
    }

    #[test]
    fn the_settings_that_are_written_can_be_read_again() {
        let mut options = Options::default();
        options.set("Preset", "Crafty").unwrap();
        let report = report(&options);
        let iteration = Iteration { weights: [[0.1, 0.2, 0.3, 0.4]; 3], nodes: 5, solved: 1, positions: 2 };
        let text = report.settings(&iteration);
        let mut again = Options::default();
        crate::options::settings_file::apply(&mut again, &text).unwrap();
        assert_eq!(
            again.selective.extensions,
            extensions_with(&options.selective.extensions, &iteration.weights)
        );
        assert_eq!(again.preset, options.preset);
    }

    #[test]
    fn the_table_has_a_line_for_every_iteration() {
        let iteration = Iteration { weights: [[1.0; 4]; 3], nodes: 5, solved: 1, positions: 2 };
        let options = Options::default();
        let text = report(&options).table(&[iteration.clone(), iteration]).to_csv();
        assert!(text.starts_with("iteration,nodes,solved,positions,check_opening,recapture_opening"));
        assert_eq!(text.lines().nth(2).map(|line| line.split(',').count()), Some(16));
    }
}
