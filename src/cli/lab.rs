//! `espalier lab`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::shared::{Common, TableForm, is_folder, whole};
use super::{Assignments, Failure, lab_merge, lab_report, profile, terminal};
use crate::lab::experiments::{
    self, EXPERIMENTS, Experiment, Findings, Interrupted, LabProgress, Laboratory, SEED, Setup, Size, Watch,
    picture_name,
};
use crate::lab::report::{Origin, ResultFile};
use crate::lab::verdict::verdicts;
use crate::options::Options;
use crate::parallel::Shard;
use crate::provenance::{Configuration, Provenance, folded, version};
use crate::text_table::{Table, fold};

const EXAMPLES: &str = "Examples:
  espalier lab list
  espalier lab uncertainty --quick
  espalier lab rankcut --suites ~/suites --out rankcut
  espalier lab multi-cut --count 30
  espalier lab profile --compare Singular=false
  espalier lab uncertainty --shard 2/3      # then: espalier lab merge results/uncertainty-*-of-3 --out whole

Each published number gets a verdict: it is reproduced if it lies in the 95 % interval of ours. Markdown, CSV, \
pictures and a log of all measurements go into --out. You can interrupt a run with Ctrl-C; run the same command to \
resume. Suites that are not included are read from --suites, as ecm.epd, wcsac.epd, lct2.epd and bwtc.epd \
(epd/README.md says where to get them). A missing suite is left out or replaced by wac, with a note.";

/// Reproduces published tables, beside the published numbers
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    tool: Option<Tool>,
    /// The experiment, or `list` for all of them
    #[arg(default_value = "list")]
    name: String,
    /// A short version: at most two minutes on two cores
    #[arg(long)]
    quick: bool,
    /// Where the results go [default: results/NAME, or results/NAME-quick]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// A folder with suites that are not included
    #[arg(long, value_name = "DIR")]
    suites: Option<PathBuf>,
    /// A sample: at most this many positions of each suite, evenly spaced (rankcut: this many at 12 ply, and twice as
    /// many for each ply less); of no effect where only games are played
    #[arg(long, alias = "positions", value_parser = whole::<u32>(1..))]
    count: Option<u32>,
    /// Positions or games at once [default: one for each core]
    #[arg(long, value_parser = whole::<u16>(1..=1024))]
    jobs: Option<u16>,
    /// Only a part of the work, such as 2/5 for the second of five; `espalier lab merge` combines the parts
    #[arg(long, value_name = "K/N", default_value = "1/1", hide_default_value = true)]
    shard: Shard,
    #[command(flatten)]
    pub common: Common,
}

/// Subcommands that are not experiments.
#[derive(clap::Subcommand)]
enum Tool {
    Profile(profile::Arguments),
    Merge(lab_merge::Arguments),
    Report(lab_report::Arguments),
}

impl Arguments {
    pub(super) fn assignments(&self) -> &Assignments {
        match &self.tool {
            Some(Tool::Profile(arguments)) => &arguments.common.set,
            Some(Tool::Merge(_) | Tool::Report(_)) | None => &self.common.set,
        }
    }

    pub(super) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        match self.tool {
            Some(Tool::Profile(arguments)) => return arguments.run(options, out),
            Some(Tool::Merge(arguments)) => return arguments.run(out),
            Some(Tool::Report(arguments)) => return arguments.run(out),
            None => {}
        }
        if self.name == "list" {
            return list(self.common.form, out);
        }
        let experiment = experiments::find(&self.name).ok_or_else(|| {
            let names: Vec<&str> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
            Failure::Wrong(format!("no experiment {:?}; there are: {}", self.name, names.join(", ")))
        })?;
        let folder = self.folder(experiment);
        is_folder(self.suites.as_deref())?;
        let jobs = self.jobs.map_or_else(|| terminal::engines_at_once(options.threads), usize::from);
        let (stop, bar) = (terminal::interrupt(), terminal::progress(0, ""));
        let progress = |progress: LabProgress| match progress {
            LabProgress::Begin { what, pieces, done } => {
                bar.inc_length(pieces);
                bar.inc(done);
                bar.reset_eta();
                bar.set_message(what);
            }
            LabProgress::Piece => bar.inc(1),
        };
        let size =
            Size { quick: self.quick, positions: self.count.unwrap_or(0) as usize, jobs, shard: self.shard };
        let setup = Setup {
            options,
            set: self.common.set.in_order().collect(),
            size,
            suites: self.suites.as_deref(),
            out: Some(&folder),
        };
        let watch = Watch { stop: &stop, progress: &progress };
        let laboratory = Laboratory::new(experiment.name, setup, watch).map_err(Failure::Wrong)?;
        let found = (experiment.run)(&laboratory);
        bar.finish_and_clear();
        self.conclude(experiment, found, &laboratory, out)
    }

    /// Writes the findings, or says why the experiment ended early.
    fn conclude(
        &self,
        experiment: &Experiment,
        found: Result<Findings, Interrupted>,
        laboratory: &Laboratory,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let folder = self.folder(experiment);
        let complaints = laboratory.complaints();
        complaints.iter().for_each(|complaint| terminal::say(format_args!("{complaint}")));
        match found {
            Ok(_) | Err(Interrupted::Part) if !self.shard.is_whole() => {
                laboratory.finish_part().map_err(Failure::Wrong)?;
                self.write_provenance(experiment, laboratory, &folder)?;
                writeln!(out, "part {} of {} is finished: {}", self.shard, self.name, folder.display())?;
                error_if_left_out(complaints.len())
            }
            Ok(findings) => {
                self.write(experiment, &findings, laboratory, out)?;
                error_if_left_out(complaints.len())
            }
            Err(Interrupted::Wrong(what)) => Err(Failure::Wrong(what)),
            Err(Interrupted::Stopped | Interrupted::Part) => {
                self.write_provenance(experiment, laboratory, &folder)?;
                for table in laboratory.so_far() {
                    writeln!(out, "{}", self.common.form.show(&table))?;
                }
                Err(Failure::Wrong(format!(
                    "interrupted; what was measured is in {}, run the same command to resume",
                    folder.display()
                )))
            }
        }
    }

    /// The folder for the results.
    fn folder(&self, experiment: &Experiment) -> PathBuf {
        let ending = if self.quick { "-quick" } else { "" };
        let part = if self.shard.is_whole() {
            String::new()
        } else {
            format!("-{}", self.shard).replace('/', "-of-")
        };
        let usual = || PathBuf::from("results").join(format!("{}{ending}{part}", experiment.name));
        self.out.clone().unwrap_or_else(usual)
    }

    fn write(
        &self,
        experiment: &Experiment,
        findings: &Findings,
        laboratory: &Laboratory,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let folder = self.folder(experiment);
        let origin = self.origin(laboratory.setup.options);
        let settings = settings(laboratory);
        let page = findings.to_markdown(experiment, &laboratory.notes(), &origin);
        let file = format!("{page}\n{}", folded(&settings));
        terminal::write_file(&folder.join(format!("{}.md", experiment.name)), file)?;
        let comments: String =
            std::iter::once(&origin).chain(&settings).map(|line| format!("# {line}\n")).collect();
        let values = format!("{comments}{}", findings.to_csv());
        terminal::write_file(&folder.join(format!("{}.csv", experiment.name)), &values)?;
        let origin_of_pictures = format!("{origin}\n{}", settings.join("\n"));
        for (word, chart) in &findings.pictures {
            let picture = chart.to_svg_from(&origin_of_pictures);
            terminal::write_file(&folder.join(picture_name(experiment, word)), picture)?;
        }
        self.write_provenance(experiment, laboratory, &folder)?;
        self.write_result(experiment, findings, laboratory)?;
        match self.common.form {
            TableForm { json: true, .. } => {
                writeln!(out, "{:#}", to_json(experiment, findings, &laboratory.notes(), &origin))?;
            }
            TableForm { csv: true, .. } => write!(out, "{values}")?,
            TableForm { markdown: true, .. } => write!(out, "{page}")?,
            _ => write!(out, "{}", to_text(experiment, findings, &laboratory.notes(), &origin))?,
        }
        terminal::say(format_args!("results are in {}", folder.display()));
        Ok(())
    }

    /// Writes the result file for docs/results.
    fn write_result(
        &self,
        experiment: &Experiment,
        findings: &Findings,
        laboratory: &Laboratory,
    ) -> Result<(), Failure> {
        let origin = Origin {
            version: version(),
            options: Configuration::of(laboratory.setup.options).hash,
            command: self.command(laboratory.setup.options),
        };
        let result = serde_json::to_string_pretty(&ResultFile::new(experiment, findings, origin));
        let result = result.map_err(|error| Failure::Wrong(error.to_string()))?;
        let path = self.folder(experiment).join(format!("{}.json", experiment.name));
        terminal::write_file(&path, result + "\n")
    }

    /// Writes every setting that was used, in full.
    fn write_provenance(
        &self,
        experiment: &Experiment,
        laboratory: &Laboratory,
        folder: &std::path::Path,
    ) -> Result<(), Failure> {
        let path = folder.join("provenance.json");
        // A resumed experiment may not need every setting again that it used before.
        let before = std::fs::read(&path).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        let before = before.and_then(|mut before| serde_json::from_value(before["used"].take()).ok());
        let mut used: BTreeMap<String, Configuration> = before.unwrap_or_default();
        used.extend(laboratory.used());
        let provenance = json!({
            "experiment": experiment.name,
            "quick": self.quick,
            "positions": self.count,
            "base": Provenance::new(laboratory.setup.options, SEED),
            "used": used,
        });
        terminal::write_file(&path, format!("{provenance:#}\n"))
    }

    /// Version, options and the command that repeats the run, without paths of this machine.
    fn origin(&self, options: &Options) -> String {
        let hash = Configuration::of(options).hash;
        format!(
            "Made by version {}, options {hash}, seed {SEED}, with `{}`.",
            version(),
            self.command(options)
        )
    }

    fn command(&self, options: &Options) -> String {
        let mut command = format!("espalier lab {}", self.name);
        if self.quick {
            command.push_str(" --quick");
        }
        if self.suites.is_some() {
            command.push_str(" --suites DIR");
        }
        if let Some(positions) = self.count {
            command.push_str(&format!(" --count {positions}"));
        }
        for change in Configuration::of(options).changed() {
            let quote = if change.contains(char::is_whitespace) { "'" } else { "" };
            command.push_str(&format!(" --set {quote}{change}{quote}"));
        }
        command
    }
}

/// Unusable lines are a failure even though there are results.
fn error_if_left_out(lines: usize) -> Result<(), Failure> {
    match lines {
        0 => Ok(()),
        count => Err(Failure::Wrong(format!(
            "{count} lines could not be used, see above; the results are without them"
        ))),
    }
}

/// All options of the run, and the changes that the experiment made for its searches.
fn settings(laboratory: &Laboratory) -> Vec<String> {
    let base = Configuration::of(laboratory.setup.options);
    let used = laboratory.used();
    let changes = used.values().map(|one| format!("Used as {}: {}", one.hash, one.changes()));
    let all =
        format!("Every option where the experiment changes none ({}): {}", base.hash, base.every_option());
    std::iter::once(all).chain(changes).collect()
}

/// The page of an experiment for a terminal: folded text, aligned tables and verdicts.
fn to_text(experiment: &Experiment, findings: &Findings, notes: &[String], origin: &str) -> String {
    let width = terminal::width().min(WIDEST_TEXT);
    let mut page = String::new();
    let mut say = |text: &str| {
        // Emphasis is for Markdown.
        let text = text.replace('*', "");
        fold(&text, width).iter().for_each(|line| page.push_str(&format!("{line}\n")));
        page.push('\n');
    };
    say(experiment.title);
    say(&format!("{}.", experiment.source));
    say(&findings.method);
    notes.iter().for_each(|note| say(note));
    for (title, table) in &findings.tables {
        page.push_str(&format!("{title}\n\n{}\n", table.to_text_within(terminal::table_width())));
        let verdicts = verdicts(table);
        verdicts
            .iter()
            .flat_map(|verdict| fold(verdict, width))
            .for_each(|line| page.push_str(&format!("{line}\n")));
        if !verdicts.is_empty() {
            page.push('\n');
        }
    }
    fold(origin, width).iter().for_each(|line| page.push_str(&format!("{line}\n")));
    page
}

/// Running text is folded at this width on wider terminals.
const WIDEST_TEXT: usize = 100;

/// The page of an experiment as JSON.
fn to_json(experiment: &Experiment, findings: &Findings, notes: &[String], origin: &str) -> Value {
    let table = |(title, table): &(String, Table)| json!({ "title": title, "rows": table.to_json(), "verdicts": verdicts(table) });
    json!({
        "experiment": experiment.name,
        "source": experiment.source,
        "method": findings.method,
        "notes": notes,
        "tables": findings.tables.iter().map(table).collect::<Vec<_>>(),
        "origin": origin,
    })
}

fn list(form: TableForm, out: &mut impl Write) -> Result<(), Failure> {
    let mut table = Table::new(&["experiment", "what it shows", "time"]);
    for experiment in EXPERIMENTS {
        table.push([experiment.name, experiment.title, experiment.time].map(str::to_owned));
    }
    write!(out, "{}", form.show(&table))?;
    if form != TableForm::default() {
        return Ok(());
    }
    let notes = [
        "Times are estimates for two cores at a million nodes a second each. With --quick each experiment takes two minutes \
         at most.",
        "`espalier lab profile` shows where a search spends its nodes (`espalier lab profile --help`).",
    ];
    writeln!(out)?;
    for line in notes.iter().flat_map(|note| fold(note, terminal::width())) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
