//! `espalier lab profile`.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::epd::report_defects;
use super::shared::{Common, whole};
use super::{Failure, assign, terminal};
use crate::epd::Task;
use crate::epd::suite::Suite;
use crate::lab::profile::{Profile, ProfileRun, picture, to_csv, to_json, to_markdown, to_text};
use crate::options::Options;
use crate::picture::with_origin;
use crate::provenance::{Configuration, folded, version};
use crate::text_table::thousands;

/// Names of the two settings in tables.
const NAMES: [&str; 2] = ["A", "B"];

const HELP: &str = "\
Examples:
  espalier lab profile
  espalier lab profile --compare Singular=false
  espalier lab profile bk wac --count 20 --nodes 1000000 --picture profile.svg
  espalier lab profile --set Preset=Turk --compare Preset=TurkMC --markdown > table.md

How to read it:
  effective branching factor   nodes of an iteration / nodes of the one before, geometric mean from depth 5 on. \
Lower is deeper, but says nothing about what was left out for it.
  nodes in quiescence search   high: the tree is bushy near the leaves. The table by remaining depth says where \
the others are.
  first-move cut-offs          nodes where a move cut and the first one did: how good the move ordering is.
  hash hits, hash cut-offs     positions found, of those looked up; nodes that ended by that, of all nodes of their \
kind.
  reduced moves                late moves searched shallower first. Searched again: the reduced search surprised. \
Few of them at a large reduction mean that nothing is ever found out there, many that the reduction was wasted.
  singular tests               searches without the hash move. They extend it by one ply or more if no other move \
comes near, shorten it or cut the node if another is good enough, or do nothing.
  completed depth              the last iteration that was finished after so many nodes, averaged over the positions \
whose search went on so long.
  methods                      how often a method probed the tree or acted; for those that probe, how often that had \
success, and the nodes inside its probes. Probes lie inside each other, so these nodes add up to more than all. A \
method that only decides has no nodes: it costs none. One that is off, or never acted, is not listed.
  why nodes ended              every node once; \"stopped\" are those that were open at the end.

All positions of all suites together are thinned to --count, evenly spaced, and searched as new games, by one thread: \
the result is the same every time, whatever --jobs. B / A is the second setting divided by the first. With --csv and \
--json shares are percentages; --json has all counts besides.";

/// Shows where a search spends its nodes, for one setting or two side by side
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Arguments {
    /// Files of positions (EPD or FEN), names of suites such as bk or wac, or - for standard input
    #[arg(value_name = "FILE|NAME", default_value = "openings")]
    suites: Vec<String>,
    /// Positions, evenly spaced
    #[arg(long, default_value_t = 12, value_parser = whole::<u64>(1..))]
    count: u64,
    /// Nodes per position
    #[arg(long, default_value_t = 200_000, value_parser = whole::<u64>(1..))]
    nodes: u64,
    /// A second setting, beside the first: this option is changed too; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    compare: Vec<String>,
    /// Positions at once [default: one for each core]
    #[arg(long, value_parser = whole::<u16>(1..=1024))]
    jobs: Option<u16>,
    /// Draws depth by nodes, branching factor, nodes and reductions by depth
    #[arg(long, value_name = "FILE.svg")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common,
}

/// A setting and the profile of its searches.
struct ProfiledSetting {
    name: &'static str,
    configuration: Configuration,
    profile: Profile,
}

impl Arguments {
    pub(super) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        let settings = self.settings(options).map_err(Failure::Wrong)?;
        let (tasks, complaints) = self.load(options.chess960)?;
        let columns = self.measure(&tasks, settings)?;
        if let Some(path) = &self.picture {
            let profiles: Vec<_> = columns.iter().map(|column| (column.name, &column.profile)).collect();
            let svg = with_origin(&picture(&profiles, self.nodes), &self.origin(&columns));
            terminal::write_file(path, svg)?;
        }
        self.print(&columns, out)?;
        match complaints {
            0 => Ok(()),
            count => Err(Failure::Wrong(format!(
                "{count} lines could not be used, see above; the profile is without them"
            ))),
        }
    }

    /// The options of the command line and, with `--compare`, the second set.
    fn settings(&self, options: &Options) -> Result<Vec<Options>, String> {
        let mut settings = vec![options.clone()];
        if !self.compare.is_empty() {
            let mut second = options.clone();
            assign(&mut second, "--compare", &self.compare)?;
            settings.push(second);
        }
        match settings.iter().find(|options| options.threads != 1) {
            Some(options) => {
                Err(format!("a profile is of a search by one thread, and Threads is {}", options.threads))
            }
            None => Ok(settings),
        }
    }

    /// The positions, and how many lines could not be used.
    fn load(&self, chess960: bool) -> Result<(Vec<Task>, usize), Failure> {
        let mut all = Suite::default();
        let mut complaints = 0;
        for what in &self.suites {
            if what.contains('=') && !Path::new(what).exists() {
                let why = format!("{what} is no suite; every NAME=VALUE needs its own --set or --compare");
                return Err(Failure::Wrong(why));
            }
            let suite = Suite::load(what, chess960).map_err(Failure::Wrong)?;
            complaints += report_defects(&suite);
            if suite.tasks.is_empty() {
                return Err(Failure::Said);
            }
            all.tasks.extend(suite.tasks);
        }
        // Nothing is searched where the game is over.
        all.tasks.retain(|task| !task.position.legal_moves().is_empty());
        if all.tasks.is_empty() {
            let why = format!("{}: nobody can move in any of the positions", self.suites.join(", "));
            return Err(Failure::Wrong(why));
        }
        Ok((all.thinned(usize::try_from(self.count).unwrap_or(usize::MAX)).tasks, complaints))
    }

    fn measure(&self, tasks: &[Task], settings: Vec<Options>) -> Result<Vec<ProfiledSetting>, Failure> {
        let jobs = self.jobs.map_or_else(|| terminal::engines_at_once(1), usize::from);
        let run = ProfileRun { tasks, nodes: self.nodes, jobs };
        let stop = terminal::interrupt();
        let bar = terminal::progress((settings.len() * tasks.len()) as u64, "positions");
        let mut columns = Vec::new();
        for (name, options) in NAMES.into_iter().zip(settings) {
            let profile = run.run(&options, &stop, || bar.inc(1)).map_err(Failure::Wrong)?;
            columns.push(ProfiledSetting { name, configuration: Configuration::of(&options), profile });
        }
        bar.finish_and_clear();
        let done: usize = columns.iter().map(|column: &ProfiledSetting| column.profile.searches.len()).sum();
        let all = columns.len() * tasks.len();
        if done < all {
            return Err(Failure::Wrong(format!(
                "interrupted after {done} of {all} searches; there is no profile of a part"
            )));
        }
        Ok(columns)
    }

    fn print(&self, columns: &[ProfiledSetting], out: &mut impl Write) -> Result<(), Failure> {
        let profiles: Vec<&Profile> = columns.iter().map(|column| &column.profile).collect();
        if self.common.form.json {
            writeln!(out, "{:#}", self.document(columns))?;
        } else if self.common.form.csv {
            let named: Vec<_> = columns.iter().map(|column| (column.name, &column.profile)).collect();
            write!(out, "{}", to_csv(&named, self.nodes))?;
        } else if self.common.form.markdown {
            write!(out, "{}\n{}", self.origin(columns), to_markdown(&profiles, self.nodes))?;
            for column in columns {
                write!(out, "{}", folded(&[column.configuration.every_option()]))?;
            }
        } else {
            let width = terminal::table_width();
            let origin = terminal::paragraphs(&self.origin(columns));
            write!(out, "{origin}\n\n{}", to_text(&profiles, self.nodes, width))?;
        }
        Ok(())
    }

    fn document(&self, columns: &[ProfiledSetting]) -> Value {
        let setting = |column: &ProfiledSetting| {
            let Configuration { hash, options } = &column.configuration;
            let figures = to_json(&column.profile, self.nodes);
            json!({ "name": column.name, "hash": hash, "options": options, "figures": figures, "counts": column.profile })
        };
        let settings: Vec<Value> = columns.iter().map(setting).collect();
        json!({ "version": version(), "suites": self.suites, "nodes": self.nodes, "settings": settings })
    }

    /// Positions, settings and version, a paragraph each.
    fn origin(&self, columns: &[ProfiledSetting]) -> String {
        let positions = columns.first().map_or(0, |column| column.profile.searches.len());
        let nodes = thousands(self.nodes);
        let mut text = format!("{positions} positions of {}, {nodes} nodes each.\n", self.suites.join(", "));
        for ProfiledSetting { name, configuration, .. } in columns {
            text += &format!("{name}: {} (options {}).\n", configuration.changes(), configuration.hash);
        }
        text + &format!("Made by version {}.\n", version())
    }
}
