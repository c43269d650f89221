//! The command line: one file per subcommand, each with its arguments and what it does with them.

mod bench;
mod completions;
mod config;
mod epd;
mod epd_parts;
#[cfg(test)]
mod example_method;
mod export;
pub mod genfens;
mod lab;
mod lab_merge;
mod lab_report;
mod learn;
mod match_files;
mod matches;
mod options;
mod perft;
mod profile;
mod shared;
mod terminal;
mod tournament;
mod tree;
mod tree_diff;
mod tree_text;
mod tree_why;

use std::io;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{Parser, Subcommand};

pub use options::options_page;

use crate::engine::load_book;
use crate::options::{AssignError, Effect, Listing, Options, effect_of, name_of};
use crate::provenance::{build_target, version};
use crate::search::Learned;
use crate::search::syzygy::Syzygy;
use crate::search::transposition_table::TranspositionTable;
use crate::uci;

/// The version as in result files, with the digest that identifies the search.
static VERSION: LazyLock<String> = LazyLock::new(version);

/// The version with what a bug report should include.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let (commit, date) = (env!("ESPALIER_COMMIT"), env!("ESPALIER_DATE"));
    format!("{}\ncommit {commit}, {date}\nbuilt for {}", version(), build_target())
});

/// A UCI chess engine and a laboratory for selective game-tree search.
///
/// Without a command it speaks UCI on standard input and output. This is what chess GUIs start.
#[derive(Parser)]
#[command(version = VERSION.as_str(), long_version = LONG_VERSION.as_str(), about, long_about)]
pub struct Arguments {
    #[command(flatten)]
    set: Assignments,

    /// Lists only everyday options and Preset to the GUI; all others can still be set
    #[arg(long)]
    basic: bool,

    /// Shows raw UCI lines in a terminal instead of readable searches
    #[arg(long)]
    uci: bool,

    #[command(subcommand)]
    command: Option<CliCommand>,
}

/// Options given on the command line, as every subcommand takes them.
#[derive(clap::Args, Default)]
pub struct Assignments {
    /// Sets a UCI option; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Loads options from a file, one NAME=VALUE per line, before --set
    #[arg(long = "settings", id = "settings_files", value_name = "FILE")]
    files: Vec<String>,
}

impl Assignments {
    /// All assignments as `NAME=VALUE`, in the order they apply.
    fn in_order(&self) -> impl Iterator<Item = String> {
        let option = name_of(Effect::LoadSettings);
        let files = self.files.iter().map(move |path| format!("{option}={path}"));
        files.chain(self.set.iter().cloned())
    }

    /// Whether no option is set.
    fn is_empty(&self) -> bool {
        self.set.is_empty() && self.files.is_empty()
    }
}

#[derive(Subcommand)]
enum CliCommand {
    Bench(bench::Arguments),
    Epd(epd::Arguments),
    Perft(perft::Arguments),
    #[command(subcommand)]
    Learn(learn::LearnCommand),
    #[command(subcommand)]
    Tree(tree::TreeCommand),
    Options(options::Arguments),
    Config(config::Arguments),
    Match(Box<matches::Arguments>),
    Lab(lab::Arguments),
    Export(export::Arguments),
    Completions(completions::Arguments),
    Man(completions::Man),
}

impl CliCommand {
    fn assignments(&self) -> &Assignments {
        match self {
            Self::Bench(arguments) => &arguments.common.set,
            Self::Epd(arguments) => &arguments.common.set,
            Self::Perft(arguments) => &arguments.common.set,
            Self::Learn(command) => command.assignments(),
            Self::Tree(command) => command.assignments(),
            Self::Options(arguments) => &arguments.common.set,
            Self::Config(arguments) => &arguments.set,
            Self::Match(arguments) => &arguments.common.set,
            Self::Lab(arguments) => arguments.assignments(),
            Self::Export(arguments) => &arguments.set,
            Self::Completions(arguments) => &arguments.set,
            Self::Man(arguments) => &arguments.set,
        }
    }
}

/// Runs the command.
pub fn run(arguments: Arguments) -> ExitCode {
    exit_code(dispatch(arguments))
}

/// The exit code; reports a failure first.
fn exit_code(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Io(error)) => complain(&error.to_string()),
        Err(Failure::Wrong(what)) => complain(&what),
        Err(Failure::Said) => ExitCode::FAILURE,
    }
}

fn complain(what: &str) -> ExitCode {
    terminal::say(what);
    ExitCode::FAILURE
}

/// Why a subcommand failed.
pub enum Failure {
    /// Standard output failed.
    Io(io::Error),
    /// A message for the user.
    Wrong(String),
    /// A failure that was reported already.
    Said,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn dispatch(arguments: Arguments) -> Result<(), Failure> {
    let of_command = arguments.command.as_ref().map(CliCommand::assignments);
    let assignments: Vec<String> =
        [Some(&arguments.set), of_command].into_iter().flatten().flat_map(Assignments::in_order).collect();
    let options = settings(&assignments).map_err(Failure::Wrong)?;
    if let Some(undone) = undone(&assignments) {
        terminal::say(format_args!("warning: {undone}"));
    }
    for note in options.selective.notes() {
        terminal::say(format_args!("note: {note}"));
    }
    let listing = if arguments.basic { Listing::Basic } else { Listing::All };
    let server_options = uci::ServerOptions { listing, raw: arguments.uci };
    let Some(command) = arguments.command else { return Ok(uci::run(options, server_options)?) };
    let out = &mut io::stdout().lock();
    match command {
        CliCommand::Bench(arguments) => arguments.run(&options, out),
        CliCommand::Epd(arguments) => arguments.run(&options, out),
        CliCommand::Perft(arguments) => arguments.run(&options, out),
        CliCommand::Learn(command) => command.run(&options, out),
        CliCommand::Tree(command) => command.run(&options, out),
        CliCommand::Options(arguments) => arguments.run(&options, out),
        CliCommand::Config(arguments) => arguments.run(&options, out),
        CliCommand::Match(arguments) => arguments.run(&options, out),
        CliCommand::Lab(arguments) => arguments.run(&options, out),
        CliCommand::Export(arguments) => arguments.run(&options, out),
        CliCommand::Completions(arguments) => arguments.run(out),
        CliCommand::Man(arguments) => arguments.run(out),
    }
}

/// A warning if a preset follows a settings file: it sets everything and so undoes the file.
fn undone(assignments: &[String]) -> Option<String> {
    let has = |text: &str, effect: Effect| {
        text.split_once('=').is_some_and(|(name, _)| effect_of(name.trim()) == effect)
    };
    let file = assignments.iter().position(|text| has(text, Effect::LoadSettings))?;
    let preset = assignments[file..].iter().find(|text| has(text, Effect::ApplyPreset))?;
    Some(format!("--set {preset} undoes what the file of settings said; the file sets its preset itself"))
}

/// The options with every `--set NAME=VALUE` applied.
fn settings(assignments: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    assign(&mut options, "--set", assignments)?;
    Ok(options)
}

/// Applies assignments `NAME=VALUE` that were given with `flag`.
fn assign(options: &mut Options, flag: &str, assignments: &[String]) -> Result<(), String> {
    for text in assignments {
        let (name, value) = assignment(flag, text)?;
        options.set_and_load(&name, &value).map_err(|error| match error {
            AssignError::Refused(error) => format!("{flag} {text}: {error}"),
            AssignError::File(error) => error,
        })?;
    }
    // An engine would run without these files or with a smaller table; a command fails instead.
    TranspositionTable::new(options.hash as usize).map_err(|error| format!("{flag}: {error}"))?;
    Learned::load(options.learned_files())?;
    load_book(options).map_err(|error| format!("{flag} BookFile={error}"))?;
    Syzygy::load(&options.syzygy.path).map(drop)
}

/// The name and the value in `NAME=VALUE`, given with `flag`.
fn assignment(flag: &str, text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').ok_or_else(|| format!("{flag} wants NAME=VALUE, not {text:?}"))?;
    Ok((pair.0.trim().to_owned(), pair.1.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_preset_after_a_settings_file_is_warned_of() {
        let undone =
            |texts: &[&str]| undone(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert!(
            undone(&["SettingsFile=a.txt", "Hash=3", "preset=Turk"])
                .is_some_and(|w| w.contains("preset=Turk"))
        );
        assert_eq!(undone(&["Preset=Turk", "SettingsFile=a.txt", "Hash=3"]), None);
    }

    #[test]
    fn settings_name_what_is_wrong() {
        assert!(settings(&["Hash".into()]).unwrap_err().contains("NAME=VALUE"));
        assert!(settings(&["Hash=0".into()]).unwrap_err().contains("from 1 to"));
        assert_eq!(settings(&["hash = 32".into()]).map(|options| options.hash), Ok(32));
    }
}
