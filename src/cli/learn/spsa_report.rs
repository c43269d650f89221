//! Output of `espalier learn spsa`: tables, a picture, and the settings file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::cli::shared::TableForm;
use crate::cli::{Failure, terminal};
use crate::learn::spsa::{MatchScore, Parameter, SpsaState, Tuner};
use crate::options::{self, Effect, Options};
use crate::picture::{Chart, Series};
use crate::provenance::Configuration;
use crate::text_table::Table;

/// Least time between two periodic writes of the files.
const WRITE_INTERVAL: Duration = Duration::from_secs(20);
/// At most about this many points of a line are drawn.
const POINTS: usize = 200;

/// Shows and writes the results.
pub(super) struct SpsaReport<'a> {
    tuner: &'a Tuner,
    options: &'a Options,
    path: &'a Path,
    /// The limit per move, in words.
    pace: String,
    written: Instant,
}

/// A score in games and per cent.
pub(super) fn score(outcome: MatchScore) -> String {
    let MatchScore([losses, draws, wins]) = outcome;
    let share = 50.0 * f64::from(2 * wins + draws) / outcome.total().max(1) as f64;
    format!("+{wins} ={draws} -{losses} ({share:.1} %)")
}

impl<'a> SpsaReport<'a> {
    /// A report on a run with these options, for the settings file `path`.
    pub(super) fn new(tuner: &'a Tuner, options: &'a Options, path: &'a Path, pace: String) -> Self {
        Self { tuner, options, path, pace, written: Instant::now() }
    }

    /// Writes settings, table and picture.
    pub(super) fn write(&mut self, state: &SpsaState) -> Result<(), Failure> {
        self.written = Instant::now();
        let history = self.tuner.history(&state.outcomes);
        terminal::write_file(self.path, self.settings(state)?)?;
        terminal::write_file(&self.path.with_extension("csv"), self.table(state, &history))?;
        terminal::write_file(&self.path.with_extension("svg"), self.chart(&history).to_svg())
    }

    /// Writes the files if the last write was some time ago.
    pub(super) fn write_periodically(&mut self, state: &SpsaState) -> Result<(), Failure> {
        if self.written.elapsed() >= WRITE_INTERVAL { self.write(state) } else { Ok(()) }
    }

    /// The settings file: all options of the search that differ from the default, and every tuned parameter.
    fn settings(&self, state: &SpsaState) -> Result<String, Failure> {
        let tuned = self.tuner.parameters.iter().map(|parameter| parameter.name.as_str());
        let options = self.tuner.options_with(self.options, &whole(&state.values)).map_err(Failure::Wrong)?;
        let kept = |name: &str| {
            options::effect_of(name) == Effect::ApplyPreset
                || options::research_rows().any(|row| row.name == name)
        };
        let mut lines: Vec<(String, String)> =
            Configuration::of(&options).assignments().into_iter().filter(|(name, _)| kept(name)).collect();
        for row in tuned.filter_map(options::row) {
            if lines.iter().all(|(name, _)| name != row.name) {
                lines.push((row.name.to_owned(), row.read(&options)));
            }
        }
        let mut text = format!(
            "# espalier {}, learn spsa: {} of {} iterations, {} games at {}, {}, seed {}\n",
            env!("CARGO_PKG_VERSION"),
            state.outcomes.len(),
            self.tuner.gains.iterations,
            state.total().total(),
            self.pace,
            score(state.total()),
            self.tuner.seed,
        );
        lines.iter().for_each(|(name, value)| text.push_str(&format!("{name}={value}\n")));
        Ok(text)
    }

    /// A row for each iteration; the first row is the start.
    fn table(&self, state: &SpsaState, history: &[Vec<f64>]) -> String {
        let names = self.tuner.parameters.iter().map(|one| one.name.as_str());
        let counted = ["iteration", "losses", "draws", "wins"].into_iter();
        let mut table = Table::new(&counted.chain(names).collect::<Vec<_>>());
        let outcomes = std::iter::once(MatchScore::default()).chain(state.outcomes.iter().copied());
        for (number, (values, MatchScore([losses, draws, wins]))) in history.iter().zip(outcomes).enumerate()
        {
            let counted = [number.to_string(), losses.to_string(), draws.to_string(), wins.to_string()];
            table.push(counted.into_iter().chain(values.iter().map(|value| format!("{value:.4}"))));
        }
        table.to_csv()
    }

    /// The change of each parameter, in units of its step.
    fn chart(&self, history: &[Vec<f64>]) -> Chart {
        let every = history.len().div_ceil(POINTS).max(1);
        let last = history.len().saturating_sub(1);
        let shown = |number: &usize| number.is_multiple_of(every) || *number == last;
        let line = |(index, parameter): (usize, &Parameter)| {
            let moved = |values: &Vec<f64>| {
                values.get(index).map_or(0.0, |value| (value - parameter.start) / parameter.step)
            };
            let points = history.iter().enumerate().filter(|(number, _)| shown(number));
            Series::new(&parameter.name, points.map(|(number, values)| (number as f64, moved(values))))
        };
        Chart {
            title: "Numbers while tuning".to_owned(),
            x: "iteration".to_owned(),
            y: "change in steps".to_owned(),
            series: self.tuner.parameters.iter().enumerate().map(line).collect(),
            ..Chart::default()
        }
    }

    /// Prints the results and where they are.
    pub(super) fn conclude(
        &self,
        state: &SpsaState,
        form: TableForm,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        for (parameter, value) in self.tuner.parameters.iter().zip(&state.values) {
            let Parameter { name, start, min, max, .. } = parameter;
            if value != start && (value == min || value == max) {
                terminal::say(format_args!("note: {name} has come to the end of its range {min}..{max}"));
            }
        }
        if form.json { self.to_json(state, out) } else { self.to_table(state, form, out) }
    }

    fn to_table(&self, state: &SpsaState, form: TableForm, out: &mut impl Write) -> Result<(), Failure> {
        let mut table = Table::new(&["row", "start", "now", "change", "exactly", "range", "step"]);
        for ((parameter, value), whole) in
            self.tuner.parameters.iter().zip(&state.values).zip(self.whole(state))
        {
            let Parameter { name, start, min, max, step } = parameter;
            table.push([
                name.clone(),
                start.to_string(),
                whole.to_string(),
                format!("{:+}", f64::from(whole) - start),
                format!("{value:.2}"),
                format!("{min}..{max}"),
                step.to_string(),
            ]);
        }
        write!(out, "{}", form.show(&table))?;
        let games = format!("{} games, plus against minus {}", state.total().total(), score(state.total()));
        form.remark(&games, out)?;
        let file = self.path.display();
        form.remark(&format!("written to {file}; use it with --settings {file}"), out)?;
        Ok(())
    }

    fn to_json(&self, state: &SpsaState, out: &mut impl Write) -> Result<(), Failure> {
        let rows = self.tuner.parameters.iter().zip(&state.values).zip(self.whole(state));
        let described = |((parameter, exact), value): ((&Parameter, &f64), i32)| {
            let Parameter { name, start, min, max, step } = parameter;
            json!({"name": name, "start": start, "value": value, "exact": exact, "min": min, "max": max, "step": step})
        };
        let rows: Vec<_> = rows.map(described).collect();
        let MatchScore([losses, draws, wins]) = state.total();
        let file = |path: PathBuf| path.display().to_string();
        let result = json!({
            "rows": rows,
            "iterations": {"done": state.outcomes.len(), "of": self.tuner.gains.iterations},
            "games": {"losses": losses, "draws": draws, "wins": wins},
            "seed": self.tuner.seed,
            "rate": self.tuner.gains.rate,
            "thinking": self.pace,
            "files": {
                "settings": file(self.path.to_owned()),
                "table": file(self.path.with_extension("csv")),
                "picture": file(self.path.with_extension("svg")),
            },
        });
        serde_json::to_writer_pretty(&mut *out, &result).map_err(io::Error::from)?;
        writeln!(out)?;
        Ok(())
    }

    fn whole(&self, state: &SpsaState) -> Vec<i32> {
        whole(&state.values)
    }
}

/// The nearest whole numbers.
fn whole(values: &[f64]) -> Vec<i32> {
    values.iter().map(|value| value.round() as i32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::spsa::{Gains, rows};
    use crate::options::settings_file;

    fn tuner(options: &Options) -> Tuner {
        let words = ["NullMove".to_owned(), "AspirationWindow=1..100:4".to_owned()];
        let parameters = rows::parameters(&words, options).unwrap();
        Tuner { parameters, gains: Gains { iterations: 3_000, rate: 0.1 }, seed: 1, games: 2 }
    }

    fn state(tuner: &Tuner, iterations: usize) -> SpsaState {
        let outcomes = vec![MatchScore([0, 1, 1]); iterations];
        let values = tuner.history(&outcomes).pop().unwrap();
        SpsaState { values, outcomes, games: Vec::new() }
    }

    #[test]
    fn the_settings_that_are_written_are_those_that_were_found() {
        let mut options = Options::default();
        options.set("Preset", "Crafty").unwrap();
        options.set("Hash", "3").unwrap();
        let tuner = tuner(&options);
        for iterations in [0, 30] {
            let state = state(&tuner, iterations);
            let report =
                SpsaReport::new(&tuner, &options, Path::new("spsa.txt"), "5 nodes a move".to_owned());
            let text = report.settings(&state).unwrap_or_default();
            let mut again = Options::default();
            settings_file::apply(&mut again, &text).unwrap();
            let found = tuner.options_with(&options, &whole(&state.values)).unwrap();
            assert_eq!((again.search, again.selective), (found.search, found.selective), "{text}");
            assert!(text.contains("\nAspirationWindow=") && !text.contains("Hash"), "{text}");
        }
    }

    #[test]
    fn the_table_and_the_picture_go_from_start_to_now() {
        let options = Options::default();
        let tuner = tuner(&options);
        let state = state(&tuner, 1_001);
        let history = tuner.history(&state.outcomes);
        let report = SpsaReport::new(&tuner, &options, Path::new("spsa.txt"), String::new());
        let table = report.table(&state, &history);
        assert!(table.starts_with("iteration,losses,draws,wins,NullMove"), "{table}");
        assert_eq!(table.lines().count(), 1_003);
        assert!(table.lines().nth(1).is_some_and(|line| line.starts_with("0,0,0,0,")));
        assert!(table.lines().last().is_some_and(|line| line.starts_with("1001,0,1,1,")));
        let points = &report.chart(&history).series[0].points;
        assert!(points.len() <= POINTS + 2 && points[0] == (0.0, 0.0).into());
        assert_eq!(points.last().map(|point| point.x), Some(1_001.0));
    }

    #[test]
    fn a_score_is_said_in_games_and_per_cent() {
        assert_eq!(score(MatchScore([1, 2, 5])), "+5 =2 -1 (75.0 %)");
        assert_eq!(score(MatchScore::default()), "+0 =0 -0 (0.0 %)");
    }
}
