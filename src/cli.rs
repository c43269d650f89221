//! The command line.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use clap::{Parser, Subcommand};

use crate::learn::rank_statistics::Collection;
use crate::limits::Limits;
use crate::options::{self, Options};
use crate::position::{Position, uci_text};
use crate::search::Tables;
use crate::{bench, perft, uci};

/// A UCI chess engine and a laboratory of selective game-tree search.
///
/// Without a subcommand it speaks UCI on standard input and output, as chess GUIs want it.
#[derive(Parser)]
#[command(version, about, long_about)]
pub struct Arguments {
    #[command(flatten)]
    set: Assignments,

    #[command(subcommand)]
    job: Option<Job>,
}

#[derive(clap::Args)]
struct Assignments {
    /// Sets a UCI option before anything else; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
}

#[derive(Subcommand)]
enum Job {
    /// Searches a fixed set of positions and prints "N nodes M nps"; N is the same every time
    Bench {
        /// Plies to search every position
        #[arg(long, default_value_t = bench::DEPTH, value_parser = clap::value_parser!(i32).range(1..=100))]
        depth: i32,
        /// Prints JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        set: Assignments,
    },
    /// Counts the legal-move tree of a position
    Perft {
        /// Plies
        #[arg(value_parser = clap::value_parser!(u32).range(..=i64::from(perft::MAX_DEPTH)))]
        depth: u32,
        /// The position; the start of a game if not given
        #[arg(long)]
        fen: Option<String>,
        /// Shows the count of every first move
        #[arg(long)]
        divide: bool,
        #[command(flatten)]
        set: Assignments,
    },
    /// Makes the tables that the search looks up, from games of the engine against itself
    #[command(subcommand)]
    Learn(Learn),
    /// Lists the UCI options, what they take and what they do
    Options {
        /// As a Markdown table (docs/OPTIONS.md)
        #[arg(long)]
        markdown: bool,
        #[command(flatten)]
        set: Assignments,
    },
}

impl Job {
    fn assignments(&self) -> &[String] {
        let (Self::Bench { set, .. }
        | Self::Perft { set, .. }
        | Self::Options { set, .. }
        | Self::Learn(Learn::Rankcut { set, .. })) = self;
        &set.set
    }
}

#[derive(Subcommand)]
enum Learn {
    /// Counts in self-play how often late moves are best, for RankCut
    Rankcut {
        /// Games to play
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
        games: u32,
        /// Nodes to think about every move
        #[arg(long, default_value_t = 300_000)]
        nodes: u64,
        /// Games at once
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=512))]
        jobs: u32,
        /// Openings, one FEN a line
        #[arg(long, default_value = "epd/openings.epd")]
        openings: std::path::PathBuf,
        /// States seen less often than this are not written
        #[arg(long, default_value_t = 200)]
        least: u32,
        /// The file to write; the option RankCutFile reads it
        #[arg(long)]
        out: std::path::PathBuf,
        #[command(flatten)]
        set: Assignments,
    },
}

/// Runs what the command line asks for.
pub fn run(arguments: Arguments) -> ExitCode {
    match dispatch(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Io(error)) => complain(&error.to_string()),
        Err(Failure::Wrong(what)) => complain(&what),
    }
}

fn complain(what: &str) -> ExitCode {
    eprintln!("espalier: {what}");
    ExitCode::FAILURE
}

enum Failure {
    Io(io::Error),
    Wrong(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn dispatch(arguments: Arguments) -> Result<(), Failure> {
    let behind = arguments.job.as_ref().map_or(&[][..], Job::assignments);
    let assignments = [&arguments.set.set, behind].concat();
    let options = settings(&assignments).map_err(Failure::Wrong)?;
    for note in options.selective.notes() {
        eprintln!("espalier: note: {note}");
    }
    let mut out = io::stdout().lock();
    match arguments.job {
        None => {
            drop(out);
            uci::run(options)?;
        }
        Some(Job::Bench { depth, json, .. }) => run_bench(&options, depth, json, &mut out)?,
        Some(Job::Perft { depth, fen, divide, .. }) => {
            let position = match fen {
                None => Position::default(),
                Some(fen) => Position::from_fen(&fen, options.chess960)
                    .map_err(|error| Failure::Wrong(format!("--fen: {error} in {fen:?}")))?,
            };
            run_perft(&position, depth, divide.then_some(options.chess960), &mut out)?;
        }
        Some(Job::Learn(learn)) => run_learn(&options, learn, &mut out)?,
        Some(Job::Options { markdown: true, .. }) => write!(out, "{}", options_page())?,
        Some(Job::Options { markdown: false, .. }) => list_options(&options, &mut out)?,
    }
    Ok(())
}

/// The options with every `--set NAME=VALUE` applied.
fn settings(assignments: &[String]) -> Result<Options, String> {
    let mut options = Options::defaults();
    for assignment in assignments {
        let (name, value) = assignment
            .split_once('=')
            .ok_or_else(|| format!("--set wants NAME=VALUE, not {assignment:?}"))?;
        options.set(name.trim(), value.trim()).map_err(|error| format!("--set {assignment}: {error}"))?;
    }
    Tables::load(&options.selective)?;
    Ok(options)
}

fn run_bench(options: &Options, depth: i32, json: bool, out: &mut impl Write) -> io::Result<()> {
    let mut result = Ok(());
    let measured = bench::run(options, depth, &AtomicBool::new(false), |number, nodes| {
        if !json && result.is_ok() {
            result = writeln!(out, "position {number:2}  {nodes:>10} nodes");
        }
    });
    result?;
    if json {
        let milliseconds = measured.time.as_millis();
        writeln!(
            out,
            "{{\"nodes\": {}, \"nps\": {}, \"milliseconds\": {milliseconds}, \"depth\": {depth}}}",
            measured.nodes,
            measured.nps()
        )
    } else {
        writeln!(out, "{} nodes {} nps", measured.nodes, measured.nps())
    }
}

fn run_perft(position: &Position, depth: u32, divide: Option<bool>, out: &mut impl Write) -> io::Result<()> {
    let mut result = Ok(());
    let nodes = perft::divide(position, depth, &AtomicBool::new(false), |m, nodes| {
        if let Some(chess960) = divide
            && result.is_ok()
        {
            result = writeln!(out, "{}: {nodes}", uci_text(m, chess960));
        }
    });
    result?;
    writeln!(out, "{nodes}")
}

fn run_learn(options: &Options, learn: Learn, out: &mut impl Write) -> Result<(), Failure> {
    let Learn::Rankcut { games, nodes, jobs, openings, least, out: path, .. } = learn;
    let wrong = |error: io::Error, path: &Path| Failure::Wrong(format!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(&openings).map_err(|error| wrong(error, &openings))?;
    let positions: Vec<Position> =
        text.lines().filter_map(|line| Position::from_fen(line, false).ok()).collect();
    if positions.is_empty() {
        return Err(Failure::Wrong(format!("{}: no opening positions", openings.display())));
    }
    let collection = Collection {
        options,
        openings: &positions,
        games: games as usize,
        limits: Limits::nodes(nodes),
        jobs: jobs as usize,
    };
    let counts = collection.run(|done| eprint!("\r{done} of {games} games"));
    eprintln!();
    std::fs::write(&path, counts.to_bytes(least)).map_err(|error| wrong(error, &path))?;
    let samples = options.selective.rank_cut.samples.max(1) as u32;
    writeln!(out, "{} states seen {samples} times or more", counts.seen_at_least(samples))?;
    writeln!(out, "written to {}", path.display())?;
    Ok(())
}

fn list_options(options: &Options, out: &mut impl Write) -> io::Result<()> {
    for row in options::rows() {
        let value = row.read(options);
        let value = if value.is_empty() { "(button)" } else { &value };
        writeln!(out, "{:<23} {value:<10} {}", row.name, row.kind)?;
        writeln!(out, "{:<23} {}", "", row.doc)?;
    }
    Ok(())
}

/// The text of `docs/OPTIONS.md`.
pub fn options_page() -> String {
    let mut page = String::from(
        "# Options\n\n\
         Made by `espalier options --markdown`; a test keeps it true. Every option can be set with UCI's\n\
         `setoption`, and with `--set NAME=VALUE` on the command line. Names are matched without regard to case.\n\n\
         | option | takes | default | what it does |\n| --- | --- | --- | --- |\n",
    );
    for row in options::rows() {
        let default = row.kind.default_text();
        let default = if default.is_empty() { String::new() } else { format!("`{default}`") };
        page.push_str(&format!("| `{}` | {} | {default} | {} |\n", row.name, row.kind, row.doc));
    }
    page
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
    fn settings_name_what_is_wrong() {
        assert!(settings(&["Hash".into()]).unwrap_err().contains("NAME=VALUE"));
        assert!(settings(&["Hash=0".into()]).unwrap_err().contains("from 1 to"));
        assert_eq!(settings(&["hash = 32".into()]).map(|options| options.hash), Ok(32));
    }
}
