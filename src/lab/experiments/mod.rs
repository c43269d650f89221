//! Published tables, reproduced with our engine: one file per experiment.

pub(crate) mod ablation;
mod alpha_beta;
mod bayes;
mod best_moves;
mod cut_nodes;
mod discriminant;
mod enhancements;
mod extensions_alone;
mod games;
mod laboratory;
mod lct2;
mod match_extensions;
mod match_multi_cut;
mod match_rank_cut;
mod measured;
pub(crate) mod merge;
pub(crate) mod methods;
mod multi_cut;
mod n_best;
mod notebook;
mod playing;
mod prob_cut;
mod rank_cut;
mod records;
mod setup;
mod suites;
mod uncertainty;

pub(crate) use laboratory::Laboratory;
pub(crate) use measured::Measured;
pub(crate) use playing::SEED;
pub(crate) use prob_cut::fit_cells;
pub(crate) use setup::{LabProgress, Setup, Size, Watch};

use crate::picture::Chart;
use crate::text_table::Table;

/// A published table and how to reproduce it.
pub(crate) struct Experiment {
    /// The name on the command line.
    pub name: &'static str,
    /// The heading of its page.
    pub title: &'static str,
    /// The publication: authors, title and tables.
    pub source: &'static str,
    /// Approximate time of a full run on two cores.
    pub time: &'static str,
    pub run: fn(&Laboratory) -> Result<Findings, Interrupted>,
}

/// All experiments, in the order of `espalier lab list`.
pub(crate) const EXPERIMENTS: &[Experiment] = &[
    uncertainty::EXPERIMENT,
    cut_nodes::EXPERIMENT,
    multi_cut::EXPERIMENT,
    match_multi_cut::EXPERIMENT,
    extensions_alone::EXPERIMENT,
    match_extensions::EXPERIMENT,
    rank_cut::EXPERIMENT,
    match_rank_cut::EXPERIMENT,
    lct2::EXPERIMENT,
    enhancements::EXPERIMENT,
    n_best::EXPERIMENT,
    prob_cut::EXPERIMENT,
    bayes::EXPERIMENT,
    alpha_beta::EXPERIMENT,
    methods::EXPERIMENT,
    ablation::EXPERIMENT,
];

/// The experiment of this name.
pub(crate) fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.name.eq_ignore_ascii_case(name))
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    /// A description of the method.
    pub method: String,
    /// Tables with their titles.
    pub tables: Vec<(String, Table)>,
    /// Charts, each with a word for its file name.
    pub pictures: Vec<(String, Chart)>,
}

impl Findings {
    /// The page about an experiment.
    pub(crate) fn to_markdown(&self, experiment: &Experiment, notes: &[String], origin: &str) -> String {
        let mut page = format!("# {}\n\n{}.\n\n{}\n", experiment.title, experiment.source, self.method);
        for note in notes {
            page.push_str(&format!("\n{note}\n"));
        }
        for (title, table) in &self.tables {
            page.push_str(&format!("\n## {title}\n\n{}", table.to_markdown()));
        }
        for (word, chart) in &self.pictures {
            page.push_str(&format!("\n![{}]({})\n", chart.title, picture_name(experiment, word)));
        }
        page.push_str(&format!("\n{origin}\n"));
        page
    }

    /// All tables as CSV, each after a line with its title.
    pub(crate) fn to_csv(&self) -> String {
        let tables = self.tables.iter().map(|(title, table)| format!("# {title}\n{}", table.to_csv()));
        tables.collect::<Vec<_>>().join("\n")
    }
}

/// The name of a picture's file.
pub(crate) fn picture_name(experiment: &Experiment, word: &str) -> String {
    if word.is_empty() {
        format!("{}.svg", experiment.name)
    } else {
        format!("{}-{word}.svg", experiment.name)
    }
}

/// Why an experiment ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Interrupted {
    /// The user pressed Ctrl-C; the same command resumes it.
    Stopped,
    /// The rest needs the results of all parts.
    Part,
    Wrong(String),
}

impl From<String> for Interrupted {
    fn from(what: String) -> Self {
        Self::Wrong(what)
    }
}

/// A percentage with two decimals.
fn percent(number: f64) -> String {
    format!("{number:.2}")
}

/// A mean and its standard error; empty for an empty sample.
fn with_error(sample: crate::statistics::Sample) -> String {
    match sample.standard_error() {
        _ if sample.count == 0 => String::new(),
        error if error.is_finite() => format!("{:.2} ± {error:.2}", sample.mean),
        _ => format!("{:.2} ± ?", sample.mean),
    }
}

/// The share of the positions solved and its standard error, in percent.
fn solved_percent(measured: &Measured) -> (f64, f64) {
    let (solved, all) = (measured.solved(), measured.searches.len() as u64);
    let share = solved as f64 / all.max(1) as f64;
    (100.0 * share, 100.0 * crate::statistics::standard_error_of_share(share, all))
}

/// Positions solved, and the standard error of that number.
fn solved_with_error(measured: &Measured) -> String {
    let (solved, all) = (measured.solved(), measured.searches.len() as u64);
    let error = crate::statistics::standard_error_of_count(solved, all);
    format!("{solved} of {all} ± {error:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn experiments_have_names_of_their_own() {
        let names: HashSet<_> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
        assert_eq!(names.len(), EXPERIMENTS.len());
        assert!(find("Uncertainty").is_some() && find("nothing").is_none());
    }

    #[test]
    fn one_number_says_nothing_about_its_error() {
        let sample = |numbers: &[f64]| with_error(crate::statistics::Sample::of(numbers));
        assert_eq!([sample(&[5.0]), sample(&[4.0, 6.0])], ["5.00 ± ?", "5.00 ± 1.00"]);
    }

    #[test]
    fn a_page_shows_tables_pictures_and_the_command() {
        let mut table = Table::new(&["a"]);
        table.push(["7".to_owned()]);
        let findings = Findings {
            method: "Done so.".into(),
            tables: vec![("Numbers".into(), table)],
            pictures: vec![("".into(), Chart::default())],
        };
        let page = findings.to_markdown(&EXPERIMENTS[0], &["A note.".into()], "Made with `espalier lab x`.");
        for part in ["## Numbers", "| 7 |", "A note.", "uncertainty.svg", "`espalier lab x`"] {
            assert!(page.contains(part), "{part} is missing in {page}");
        }
        assert_eq!(findings.to_csv(), "# Numbers\na\n7\n");
    }
}
