//! `espalier epd`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use indicatif::ProgressBar;
use serde_json::json;

use super::epd_parts;
use super::shared::{Common, duration, is_folder, whole};
use super::{Failure, assign, assignment, terminal};
use crate::epd::suite::{Defect, Suite};
use crate::lab::results::{Column, SuiteResults};
use crate::lab::runner::{Answer, SuiteRun};
use crate::learn::checkpoint::{RunSettings, settings_of};
use crate::limits::Limits;
use crate::options::{self, Effect, Options};
use crate::parallel::Shard;
use crate::provenance::{Configuration, folded, version};
use crate::text_table::Table;
use crate::uci::client::{Client, TIMEOUT};
use crate::uci::{EngineError, Program};

/// The time for every position if no limit is given.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// Shown with the results for uniformity: a test suite uses no random numbers.
const SEED: u64 = 0;

/// At most this many unusable lines of a file are reported one by one.
const MOST_DEFECTS: usize = 40;

/// At most this many notes are shown for a file.
const MOST_NOTES: usize = 5;

const EXAMPLES: &str = "\
Examples:
  espalier epd wac --time 100ms
  espalier epd bk --depth 10 --set Preset=Turk
  espalier epd wac --nodes 100000 --compare NullMove=false
  espalier epd ~/suites/ecm.epd --nodes 100000 --engine stockfish --engine-set Hash=16
  espalier epd wac bk --time 100ms --compare-engine stockfish --markdown > table.md
  espalier epd wac --nodes 1000000 --shard 1/2 --out part-1.json
      and part 2/2 on another machine; then:
  espalier epd wac --nodes 1000000 --merge part-1.json part-2.json

A position is solved if the final move is one of bm and none of am. If dm (or bm #N) announces a mate in N, \
finding a mate at least as short also solves it; without bm, nothing else does. If moves have points, as in the \
Strategic Test Suite, the points are added up. \"Settled\" is when the engine switched to a right move for good; \
if the position is not solved, when it switched to the move it would play.

Each position is searched as a new game. With --depth or --nodes and one thread, the result is always the same, \
whatever --jobs is. All of --time is used for thinking; Move Overhead is ignored. The standard error treats the \
positions as a random sample.

Names are looked up in --suites DIR, among the built-in suites (bench, bk, espalier, mates, openings, wac), in \
espalier/suites below $XDG_DATA_HOME or ~/.local/share, and in folders named epd here and above. Unusable lines \
are reported with file and line number; the rest runs, and the exit status is 1.";

/// Runs test suites: how many positions are solved, and at what cost
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Files of positions (EPD or FEN), names of suites (wac, bk, mates, …), or - for standard input
    #[arg(required = true, value_name = "FILE|NAME")]
    suites: Vec<String>,
    /// A folder with your own suites, searched first
    #[arg(long = "suites", value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Plies per position
    #[arg(long, value_parser = whole::<i32>(1..=200))]
    depth: Option<i32>,
    /// Nodes per position
    #[arg(long, value_parser = whole::<u64>(1..))]
    nodes: Option<u64>,
    /// Time per position, such as 100ms or 2s [default: 1s, if no other limit is given]
    #[arg(long, value_parser = duration)]
    time: Option<Duration>,
    /// Search threads per position
    #[arg(long, value_parser = whole::<u32>(1..=512))]
    threads: Option<u32>,
    /// Positions at once, each with its own engine [default: as many as the cores have room for]
    #[arg(long, value_parser = whole::<u32>(1..=512))]
    jobs: Option<u32>,
    /// At most this many positions of each suite, evenly spaced
    #[arg(long, alias = "most", value_parser = whole::<u32>(1..))]
    count: Option<u32>,
    /// Runs everything again with this option changed, and compares; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    compare: Vec<String>,
    /// Tests another UCI engine: a program, with arguments if it needs any
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,
    /// Sets an option of the other engine; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    engine_set: Vec<String>,
    /// Runs everything again with another UCI engine, and compares
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["compare", "engine"])]
    compare_engine: Option<String>,
    /// Lists all positions, not just the unsolved ones
    #[arg(long)]
    all: bool,
    /// Runs only part K of N: every N-th position. What it finds is written to --out
    #[arg(long, value_name = "K/N", default_value_t = Shard::WHOLE, hide_default_value = true, requires = "out")]
    shard: Shard,
    /// The file for a part
    #[arg(long, value_name = "FILE", requires = "shard")]
    out: Option<PathBuf>,
    /// Searches nothing, but puts parts together that were made with --shard and otherwise the same options
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["shard", "out"])]
    merge: Vec<PathBuf>,
    #[command(flatten)]
    pub common: Common,
}

/// One engine or setting to run.
struct Contender {
    name: String,
    run: SuiteRun,
}

/// Why there is no contender.
enum ContenderError {
    /// The command line is wrong.
    Wrong(String),
    /// The engine does not start, or not with these options.
    NotStarted(String),
}

impl Arguments {
    pub(super) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        if let Some(what) = self.misplaced_option() {
            let advice = "every NAME=VALUE needs its own --set, --compare or --engine-set";
            return Err(Failure::Wrong(format!("{what} is no suite; {advice}")));
        }
        is_folder(self.folder.as_deref())?;
        let (contenders, absent) = self.contenders(options).map_err(Failure::Wrong)?;
        let (mut suites, mut complaints) = self.load(options.chess960);
        // A suite without positions was reported when it was read.
        suites.retain(|suite| !suite.tasks.is_empty());
        if suites.is_empty() {
            return Err(Failure::Said);
        }
        complaints += absent;
        let settings = self.settings(&contenders, &suites);
        if !self.merge.is_empty() {
            let mut results: Vec<_> =
                suites.into_iter().map(|suite| unanswered(suite, &contenders)).collect();
            epd_parts::merge(&self.merge, &settings, &mut results)?;
            self.print(&results, &contenders, None, out)?;
            return complain(complaints);
        }
        let (results, interrupted) = self.play_all(suites, &contenders);
        complaints += results.iter().map(failures).sum::<usize>();
        match (&self.out, &interrupted) {
            (Some(path), None) => {
                epd_parts::write(path, &self.settings_of_part(settings), &results)?;
                writeln!(out, "part {} is finished: {}", self.shard, path.display())?;
            }
            _ => self.print(&results, &contenders, interrupted.as_deref(), out)?,
        }
        match interrupted {
            Some(interrupted) => Err(Failure::Wrong(interrupted)),
            None => complain(complaints),
        }
    }

    /// Runs all contenders on all suites. The second value says where the run was interrupted, if it was.
    fn play_all(&self, suites: Vec<Suite>, contenders: &[Contender]) -> (Vec<SuiteResults>, Option<String>) {
        let stop = terminal::interrupt();
        let ours = |suite: &Suite| (0..suite.tasks.len()).filter(|task| self.shard.has(*task as u64)).count();
        let positions: usize = suites.iter().map(ours).sum();
        let board = Scoreboard::new(positions * contenders.len());
        let mut results = Vec::new();
        for suite in suites {
            results.push(self.play(suite, contenders, &stop, &board));
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        board.bar.finish_and_clear();
        let interrupted = stop.load(Ordering::Relaxed).then(|| {
            let done = board.done.load(Ordering::Relaxed);
            format!("interrupted after {done} of {} searches", board.total)
        });
        (results, interrupted)
    }

    /// Runs all contenders on this part of a suite.
    fn play(
        &self,
        suite: Suite,
        contenders: &[Contender],
        stop: &AtomicBool,
        board: &Scoreboard,
    ) -> SuiteResults {
        let mut result = unanswered(suite, contenders);
        let SuiteResults { suite, columns } = &mut result;
        let ours: Vec<usize> = (0..suite.tasks.len()).filter(|task| self.shard.has(*task as u64)).collect();
        let tasks: Vec<_> = ours.iter().map(|task| suite.tasks[*task].clone()).collect();
        for (Contender { run, .. }, column) in contenders.iter().zip(columns.iter_mut()) {
            let (solved, questions) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let progress = |answer: &Answer| {
                let asked = tasks.get(answer.task).is_some_and(|task| task.is_question());
                board.add(&solved, &questions, asked, answer);
            };
            let answers = run.run(&tasks, stop, progress).unwrap_or_else(|failure| {
                let none = |task| Answer { task, failure: Some(failure.clone()), ..Answer::default() };
                (0..tasks.len()).map(none).collect()
            });
            column.answers =
                answers.into_iter().map(|answer| Answer { task: ours[answer.task], ..answer }).collect();
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        // After an interruption the second has fewer answers, perhaps none. Only positions that both searched are
        // compared.
        columns.retain({
            let mut first = true;
            move |column| std::mem::take(&mut first) || !column.answers.is_empty()
        });
        if let [first, second] = columns.as_mut_slice() {
            first.answers.retain(|answer| second.answers.iter().any(|other| other.task == answer.task));
        }
        result
    }

    /// Everything that changes the result, by name.
    fn settings(&self, contenders: &[Contender], suites: &[Suite]) -> RunSettings {
        let mut settings = RunSettings::from([
            ("version".to_owned(), version()),
            ("limits".to_owned(), self.limits_text()),
            ("suites".to_owned(), suites.iter().map(epd_parts::describe).collect::<Vec<_>>().join(", ")),
        ]);
        for (number, Contender { name, run }) in contenders.iter().enumerate() {
            let options = match &run.program {
                Program::Own(options) => settings_of(options),
                Program::Other { command, options } => [("command".to_owned(), command.clone())]
                    .into_iter()
                    .chain(options.iter().cloned())
                    .collect(),
            };
            let options: String = options.iter().map(|(name, value)| format!(" {name}={value}")).collect();
            settings.insert(format!("engine {}", number + 1), format!("{name}{options}"));
        }
        settings
    }

    fn settings_of_part(&self, mut settings: RunSettings) -> RunSettings {
        settings.insert("shard".to_owned(), self.shard.to_string());
        settings
    }

    /// An argument among the suites that looks like an option.
    fn misplaced_option(&self) -> Option<&String> {
        self.suites.iter().find(|what| what.contains('=') && !Path::new(what).exists())
    }

    /// The readable suites, and the number of problems reported.
    fn load(&self, chess960: bool) -> (Vec<Suite>, usize) {
        let (mut suites, mut complaints) = (Vec::new(), 0);
        for what in &self.suites {
            match Suite::load_from(what, self.folder.as_deref(), chess960) {
                Ok(suite) => {
                    complaints += report_defects(&suite);
                    suites.push(suite.thinned(self.count.unwrap_or(0) as usize));
                }
                Err(error) => {
                    terminal::say(format_args!("{error}"));
                    complaints += 1;
                }
            }
        }
        (suites, complaints)
    }

    fn limits(&self) -> Limits {
        let limits =
            Limits { depth: self.depth, nodes: self.nodes, move_time: self.time, ..Limits::default() };
        if limits.is_open() { Limits { move_time: Some(DEFAULT_TIME), ..limits } } else { limits }
    }

    /// The limits in words.
    fn limits_text(&self) -> String {
        let limits = self.limits();
        let depth = limits.depth.map(|depth| format!("depth {depth}"));
        let nodes = limits.nodes.map(|nodes| format!("{nodes} nodes"));
        let time = limits.move_time.map(|time| format!("{time:?}"));
        [depth, nodes, time].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    fn jobs(&self, options: &Options) -> usize {
        let told = self.engine_set.iter().chain(&self.compare).filter_map(|text| threads_among(text));
        let ours = self.threads.map_or(options.threads, |threads| threads as i32);
        let most = told.chain([ours]).max().unwrap_or(1);
        self.jobs.map_or_else(|| terminal::engines_at_once(most), |jobs| jobs as usize)
    }

    /// The engine to run and the one to compare it with, and how many of the two could not be started. It is an error
    /// if none could.
    fn contenders(&self, options: &Options) -> Result<(Vec<Contender>, usize), String> {
        if !self.engine_set.is_empty() && self.engine.is_none() && self.compare_engine.is_none() {
            return Err("--engine-set needs --engine or --compare-engine".to_owned());
        }
        if self.engine.is_some() && !self.common.set.is_empty() {
            return Err("--set is for Espalier; --engine-set sets options of the other engine".to_owned());
        }
        let base = match &self.engine {
            Some(command) => self.other(command, &[]),
            None => self.ours(options, &[]),
        };
        let second = match (&self.compare_engine, self.compare.is_empty(), &self.engine) {
            (Some(command), ..) => Some(self.other(command, &[])),
            (None, true, _) => None,
            (None, false, Some(command)) => Some(self.other(command, &self.compare)),
            (None, false, None) => Some(self.ours(options, &self.compare)),
        };
        let (limits, jobs) = (self.limits(), self.jobs(options));
        let (mut contenders, mut absent) = (Vec::new(), Vec::new());
        for found in std::iter::once(base).chain(second) {
            match found {
                Ok((name, program)) => {
                    contenders
                        .push(Contender { name, run: SuiteRun { program, limits: limits.clone(), jobs } });
                }
                Err(ContenderError::Wrong(what)) => return Err(what),
                Err(ContenderError::NotStarted(what)) => absent.push(what),
            }
        }
        if contenders.is_empty() {
            return Err(absent.join("; "));
        }
        absent.iter().for_each(|what| terminal::say(format_args!("{what}; the rest runs without it")));
        Ok((contenders, absent.len()))
    }

    /// Our own engine with some options changed.
    fn ours(&self, options: &Options, changes: &[String]) -> Result<(String, Program), ContenderError> {
        let mut options = options.clone();
        if let Some(threads) = self.threads {
            let set = options.set(options::name_of(Effect::NewThreads), &threads.to_string());
            set.map_err(|error| ContenderError::Wrong(error.to_string()))?;
        }
        assign(&mut options, "--compare", changes).map_err(ContenderError::Wrong)?;
        let name = if changes.is_empty() { "Espalier".to_owned() } else { changes.join(" ") };
        Ok((name, options.into()))
    }

    /// Another engine with its options and some changes. It is started once, to check that it runs and to learn its
    /// name.
    fn other(&self, command: &str, changes: &[String]) -> Result<(String, Program), ContenderError> {
        let threads = self.threads.map(|threads| Ok(("Threads".to_owned(), threads.to_string())));
        let set = self.engine_set.iter().chain(changes).map(|text| assignment("--engine-set", text));
        let options = threads
            .into_iter()
            .chain(set)
            .collect::<Result<Vec<_>, String>>()
            .map_err(ContenderError::Wrong)?;
        let not_started = |failure: EngineError| ContenderError::NotStarted(failure.to_string());
        let client = Client::start_with_options(command, &options, TIMEOUT).map_err(not_started)?;
        let name = if changes.is_empty() { client.name().to_owned() } else { changes.join(" ") };
        Ok((name, Program::Other { command: command.to_owned(), options }))
    }

    fn print(
        &self,
        results: &[SuiteResults],
        contenders: &[Contender],
        interrupted: Option<&str>,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        if self.common.form.json {
            let settings: Vec<_> = contenders.iter().map(settings).collect();
            let suites: Vec<_> = results.iter().map(SuiteResults::to_json).collect();
            let limits = self.limits_text();
            let document = json!({ "version": version(), "seed": SEED, "limits": limits, "interrupted": interrupted, "engines": settings, "suites": suites });
            writeln!(out, "{document:#}")?;
        } else if self.common.form.csv {
            let limits = self.limits_text();
            let mut tables = results.iter().map(|result| result.positions(&limits));
            let mut table = tables.next().unwrap_or_default();
            table.rows.extend(tables.flat_map(|table| table.rows));
            write!(out, "{}", table.to_csv())?;
        } else {
            let limits = self.limits_text();
            for result in results {
                self.print_results(result, &limits, out)?;
            }
            if let Some(interrupted) = interrupted {
                writeln!(out, "This is not all: {interrupted}.")?;
            }
        }
        Ok(())
    }

    fn print_results(
        &self,
        result: &SuiteResults,
        limits: &str,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let text = |table: &Table| {
            if self.common.form.markdown {
                table.to_markdown()
            } else {
                table.to_text_within(terminal::table_width())
            }
        };
        for column in &result.columns {
            let table = result.played(column, self.all);
            if !table.rows.is_empty() {
                let which = if self.all { "All positions" } else { "Not solved" };
                let who =
                    if result.columns.len() > 1 { format!(" ({})", column.name) } else { String::new() };
                writeln!(out, "{which}{who}:\n\n{}", text(&table))?;
            }
        }
        if let Some(table) = result.differences().filter(|table| !table.rows.is_empty()) {
            writeln!(out, "Solved by one and not by the other:\n\n{}", text(&table))?;
        }
        writeln!(out, "{limits} a position:\n\n{}", text(&result.overview()))?;
        for column in &result.columns {
            let made_by = format!("Made by {} ({}).", column.made_by, column.name);
            writeln!(
                out,
                "{}",
                if self.common.form.markdown { made_by } else { terminal::paragraphs(&made_by) }
            )?;
            if self.common.form.markdown && !column.every_option.is_empty() {
                write!(out, "\n{}", folded(std::slice::from_ref(&column.every_option)))?;
            }
        }
        writeln!(out)?;
        Ok(())
    }
}

/// A contender in the JSON output.
fn settings(contender: &Contender) -> serde_json::Value {
    let Contender { name, run } = contender;
    match &run.program {
        Program::Own(options) => {
            let Configuration { hash, options } = Configuration::of(options);
            json!({ "name": name, "jobs": run.jobs, "hash": hash, "options": options })
        }
        Program::Other { command, options } => {
            let options: BTreeMap<_, _> = options.iter().cloned().collect();
            json!({ "name": name, "jobs": run.jobs, "command": command, "options": options })
        }
    }
}

/// Counts for the progress bar.
struct Scoreboard {
    bar: ProgressBar,
    total: usize,
    done: AtomicUsize,
}

impl Scoreboard {
    fn new(total: usize) -> Self {
        Self { bar: terminal::progress(total as u64, "positions"), total, done: AtomicUsize::new(0) }
    }

    fn add(&self, solved: &AtomicUsize, questions: &AtomicUsize, asked: bool, answer: &Answer) {
        let solved =
            solved.fetch_add(usize::from(answer.solved), Ordering::Relaxed) + usize::from(answer.solved);
        let asked = questions.fetch_add(usize::from(asked), Ordering::Relaxed) + usize::from(asked);
        self.done.fetch_add(1, Ordering::Relaxed);
        self.bar.inc(1);
        self.bar.set_message(format!("solved {solved} of {asked}"));
    }
}

/// A suite with no answers yet.
fn unanswered(suite: Suite, contenders: &[Contender]) -> SuiteResults {
    let column = |Contender { name, run }: &Contender| Column {
        name: name.clone(),
        made_by: made_by(run),
        every_option: run.program.every_option(),
        answers: Vec::new(),
    };
    SuiteResults { suite, columns: contenders.iter().map(column).collect() }
}

/// An error if any problems were reported.
fn complain(complaints: usize) -> Result<(), Failure> {
    match complaints {
        0 => Ok(()),
        1 => Err(Failure::Wrong("something was wrong, see above".to_owned())),
        count => Err(Failure::Wrong(format!("{count} things were wrong, see above"))),
    }
}

/// A short description of a column's program and settings.
fn made_by(run: &SuiteRun) -> String {
    match &run.program {
        Program::Own(options) => {
            let configuration = Configuration::of(options);
            let seed = format!("seed {SEED}");
            let words = [version(), configuration.hash.clone(), seed].into_iter();
            let words = words.chain(configuration.changed());
            words.collect::<Vec<_>>().join(" ")
        }
        Program::Other { command, options } => {
            options.iter().fold(command.clone(), |words, (name, value)| format!("{words} {name}={value}"))
        }
    }
}

/// Reports the positions that an engine did not answer, and counts them.
fn failures(result: &SuiteResults) -> usize {
    let mut count = 0;
    for answer in result.columns.iter().flat_map(|column| &column.answers) {
        if let (Some(failure), Some(task)) = (&answer.failure, result.suite.tasks.get(answer.task)) {
            terminal::say(format_args!("{}, {}: {failure}", result.suite.name, task.name()));
            count += 1;
        }
    }
    count
}

/// Reports the unusable lines of a file and its first few notes; returns the number of unusable lines.
pub(super) fn report_defects(suite: &Suite) -> usize {
    let notes = suite.defects.iter().filter(|defect| !defect.fatal);
    let last_note = notes.clone().take(MOST_NOTES).last().map_or(0, |defect| defect.line);
    let fatal = suite.defects.iter().filter(|defect| defect.fatal);
    let last_fatal = fatal.clone().take(MOST_DEFECTS).last().map_or(0, |defect| defect.line);
    let is_shown = |defect: &&Defect| defect.line <= if defect.fatal { last_fatal } else { last_note };
    for defect in suite.defects.iter().filter(is_shown) {
        terminal::say(format_args!("{defect}"));
    }
    let more = fatal.count().saturating_sub(MOST_DEFECTS);
    if more > 0 {
        terminal::say(format_args!("{}: {more} more lines that cannot be used", suite.name));
    }
    let count = notes.count();
    if count > MOST_NOTES {
        terminal::say(format_args!("{}: note: {} more like these", suite.name, count - MOST_NOTES));
    }
    suite.defects.len() - count
}

/// The number of search threads that an assignment sets, if it sets it.
fn threads_among(text: &str) -> Option<i32> {
    let (name, value) = assignment("--set", text).ok()?;
    (options::effect_of(&name) == Effect::NewThreads).then(|| value.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_found_among_options() {
        assert_eq!(
            ["Threads=3", "threads = 2", "Hash=4", "Threads"].map(threads_among),
            [Some(3), Some(2), None, None]
        );
    }
}
