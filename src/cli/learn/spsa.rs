//! `espalier learn spsa`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::ProgressBar;

use super::shared::{Checkpoint, error_if_interrupted};
use super::spsa_games::TuningGames;
use super::spsa_report::{SpsaReport, score};
use crate::adjudication::{Adjudication, DrawRule, ResignRule};
use crate::cli::matches::read_book;
use crate::cli::shared::{Common, duration, whole};
use crate::cli::{Failure, terminal};
use crate::files::make_folder;
use crate::game_record::GameRecord;
use crate::lab::matches::game::Conditions;
use crate::lab::matches::limit::{Limit, TimeControl};
use crate::lab::matches::openings::Book;
use crate::learn::checkpoint::{RunSettings, with_contents};
use crate::learn::spsa::{Gains, SpsaState, Tuner, rows};
use crate::options::{self, Effect, Kind, Options};
use crate::provenance::{digest, version};

const EXAMPLES: &str = "\
Examples:
  espalier learn spsa LateMoveReductions --games 4000 --nodes 10000 --out lmr.txt
      tunes all numbers of a method; lmr.csv and lmr.svg show how they moved
  espalier learn spsa AspirationWindow=5..60:4 NullMoveReduction=200..500:20 --tc 2+0.02 --out two.txt
      tunes two numbers, each in a range of its own, with a clock
  espalier learn spsa FutilityMargin --set Futility=true --rate 0.01 --games 600 --out futility.txt
      begins with other options, and takes larger steps because there are few games
  espalier match --a SettingsFile=lmr.txt --nodes 10000 --games 1000
      measures the gain (UCI: setoption name SettingsFile value lmr.txt)

A game that is won moves a number by about RATE times its step, at first twice that: 2,000 games at the rate of \
0.002 move it by some five steps if all are won, and by far less in practice, so few games want a larger rate. \
Ctrl-C keeps every finished game, run the same command to resume; other rows, ranges, options or another number of \
games need another --out. At fixed nodes or plies the same command gives the same numbers, however often it was \
interrupted.";

/// Nodes per move unless another limit is given.
const NODES: u64 = 10_000;
/// Moves may be late by this much: a busy machine should not lose games while parameters are tuned.
const MARGIN: Duration = Duration::from_millis(100);
/// File name if `--out` is a directory.
const FILE: &str = "spsa.txt";

/// Tunes search parameters by self-play (SPSA; Spall, 1992)
///
/// Every iteration moves all numbers at once, each up or down by chance, lets the engine play with them against
/// itself with the opposite, and moves each number a little towards the winner.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// What to tune: an option that takes a whole number, or the switch of a method for all its numbers. Range and
    /// last perturbation are those of the option if not given
    #[arg(required = true, value_name = "ROW[=MIN..MAX[:STEP]]")]
    rows: Vec<String>,
    /// Games to play, rounded up to whole iterations
    #[arg(long, default_value_t = 2_000, value_parser = whole::<u64>(2..=100_000_000))]
    games: u64,
    /// Pairs of games in every iteration, each pair from one opening with colours reversed
    #[arg(long, value_name = "PAIRS", default_value_t = 4, value_parser = whole::<u64>(1..=10_000))]
    pairs_per_step: u64,
    /// The learning rate of the last iteration: a game that is won is a step of so many perturbations
    #[arg(long, default_value_t = 0.002, value_parser = rate)]
    rate: f64,
    #[command(flatten)]
    thinking: MoveLimit,
    /// Openings: an EPD or PGN file, or the name of an included one
    #[arg(long, value_name = "FILE", default_value = "openings")]
    openings: String,
    /// Plies taken from each game of a PGN file
    #[arg(long, default_value_t = 16, value_parser = whole::<usize>(0..))]
    plies: usize,
    /// What everything random is drawn from
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0..))]
    seed: u64,
    /// Drawn when both players say so: not before move FROM, MOVES in a row, within CENTIPAWNS
    #[arg(long, value_name = "FROM,MOVES,CENTIPAWNS")]
    draw: Option<DrawRule>,
    /// Won when both players say so: MOVES in a row, by CENTIPAWNS
    #[arg(long, value_name = "MOVES,CENTIPAWNS")]
    resign: Option<ResignRule>,
    /// Games at once [default: one for each core]
    #[arg(long, alias = "concurrency", value_parser = whole::<u16>(1..=1024))]
    jobs: Option<u16>,
    /// The file of settings to write, or a directory for it. A table, a picture and a checkpoint are written beside it
    #[arg(long, value_name = "FILE|DIR", default_value = FILE)]
    out: PathBuf,
    #[command(flatten)]
    pub common: Common,
}

/// How long to think about a move.
#[derive(clap::Args)]
#[group(multiple = false)]
struct MoveLimit {
    /// Nodes per move [default: 10000, if no other limit is given]
    #[arg(long, value_parser = whole::<u64>(1..))]
    nodes: Option<u64>,
    /// Plies per move
    #[arg(long, value_parser = whole::<u32>(1..=100))]
    depth: Option<u32>,
    /// Time per move, such as 100ms or 2s
    #[arg(long, value_parser = duration)]
    time: Option<Duration>,
    /// A clock: [MOVES/][MINUTES:]SECONDS[+INCREMENT]
    #[arg(long, value_name = "CONTROL")]
    tc: Option<TimeControl>,
}

impl MoveLimit {
    fn limit(&self) -> Limit {
        let limit = Limit { time: self.tc, move_time: self.time, nodes: self.nodes, depth: self.depth };
        if limit == Limit::default() { Limit { nodes: Some(NODES), ..limit } } else { limit }
    }
}

fn rate(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && *number <= 1.0);
    number.ok_or_else(|| "a number above 0 and at most 1, such as 0.002".to_owned())
}

impl Arguments {
    pub(crate) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        let tuner = self.tuner(options)?;
        let path = self.path(options)?;
        let (_, mut book) = read_book(&self.openings, self.plies, 0)?;
        let mut checkpoint = Checkpoint::new(&path, "learn spsa 1", self.settings(&tuner, &book, options));
        // Shuffled after `settings`, which records the seed rather than the order that follows from it.
        book.shuffle(self.seed);
        let mut state = tuner.resume(checkpoint.read()?).map_err(|what| checkpoint.wrong(&what))?;
        // Fail before the first game if the checkpoint cannot be written.
        checkpoint.write(&state)?;
        self.warn(&tuner, &book, options);
        let games = TuningGames {
            options,
            openings: &book.openings,
            conditions: self.conditions(),
            concurrency: self.jobs.map_or_else(|| terminal::engines_at_once(options.threads), usize::from),
        };
        let pace = games.conditions.limit.to_string();
        let mut report = SpsaReport::new(&tuner, options, &path, pace);
        let stop = terminal::interrupt();
        let run = SpsaRun { games: &games, tuner: &tuner, stop: &stop };
        let played = run.play(&mut state, &mut checkpoint, &mut report);
        // If a file cannot be written nothing is lost: the checkpoint holds everything.
        played.and(report.write(&state))?;
        report.conclude(&state, self.common.form, out)?;
        let (games, all) = (state.total().total(), tuner.gains.iterations * tuner.games);
        error_if_interrupted(&stop, &format!("{games} of {all} games are played"))
    }

    fn tuner(&self, options: &Options) -> Result<Tuner, Failure> {
        let games = 2 * self.pairs_per_step;
        Ok(Tuner {
            parameters: rows::parameters(&self.rows, options).map_err(Failure::Wrong)?,
            gains: Gains { iterations: self.games.div_ceil(games), rate: self.rate },
            seed: self.seed,
            games,
        })
    }

    /// The file of settings to write.
    fn path(&self, options: &Options) -> Result<PathBuf, Failure> {
        let wrong = |what: &dyn std::fmt::Display| Failure::Wrong(format!("{}: {what}", self.out.display()));
        let path = if self.out.is_dir() || self.out.as_os_str().as_encoded_bytes().ends_with(b"/") {
            make_folder(&self.out).map_err(|error| wrong(&error))?;
            self.out.join(FILE)
        } else {
            self.out.clone()
        };
        let begins_with = Path::new(&options.settings_file);
        let same = |canonical: PathBuf| begins_with.canonicalize().is_ok_and(|other| other == canonical);
        if path.canonicalize().is_ok_and(same) {
            return Err(wrong(&"the run begins with this file of settings; --out must name another one"));
        }
        Ok(path)
    }

    fn conditions(&self) -> Conditions {
        let adjudication = Adjudication { draw: self.draw, resign: self.resign, longest: None };
        Conditions { limit: self.thinking.limit(), margin: MARGIN, adjudication }
    }

    /// Everything that changes the result of the run, including all options.
    fn settings(&self, tuner: &Tuner, book: &Book, options: &Options) -> RunSettings {
        let names: Vec<&str> = tuner.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let of_no_effect = [Effect::LoadSettings, Effect::OpenLog, Effect::RecordTrees];
        let mut settings: RunSettings = options::rows()
            .filter(|row| !matches!(row.kind, Kind::Button))
            .filter(|row| !of_no_effect.contains(&row.effect))
            .map(|row| with_contents(row.name.to_owned(), row.read(options)))
            .collect();
        let openings: String =
            book.openings.iter().map(|opening| opening.game().position().fen() + "\n").collect();
        let facts = [
            ("adjudication", format!("{:?}", self.conditions().adjudication)),
            ("games", self.games.to_string()),
            ("openings", format!("{} {}", self.openings, digest(openings.as_bytes()))),
            ("pairs per step", self.pairs_per_step.to_string()),
            ("rate", self.rate.to_string()),
            ("rows", names.join(" ")),
            ("seed", self.seed.to_string()),
            ("thinking", self.thinking.limit().to_string()),
            ("version", version()),
        ];
        settings.extend(facts.map(|(name, value)| (name.to_owned(), value)));
        let tuned = tuner.parameters.iter();
        settings
            .extend(tuned.map(|parameter| (format!("row {}", parameter.name), rows::describe(parameter))));
        settings
    }

    fn warn(&self, tuner: &Tuner, book: &Book, options: &Options) {
        for switch in rows::idle(&tuner.parameters, options) {
            terminal::say(format_args!("warning: {switch} is off, so its numbers change nothing"));
        }
        let (pairs, openings) = (tuner.gains.iterations * self.pairs_per_step, book.openings.len());
        if pairs > openings as u64 {
            terminal::say(format_args!(
                "note: {pairs} pairs and {openings} openings: openings will be played again"
            ));
        }
        if options.threads > 1 && self.thinking.limit().is_exact() {
            terminal::say(format_args!("note: with several threads no run gives the same numbers again"));
        }
    }
}

/// A run of the tuner: the parts that do not change.
struct SpsaRun<'a> {
    games: &'a TuningGames<'a>,
    tuner: &'a Tuner,
    stop: &'a AtomicBool,
}

impl SpsaRun<'_> {
    /// Plays the rest of the run. Each finished game goes into the checkpoint; the run ends if that fails.
    fn play(
        &self,
        state: &mut SpsaState,
        checkpoint: &mut Checkpoint,
        report: &mut SpsaReport<'_>,
    ) -> Result<(), Failure> {
        let Self { games, tuner, stop } = *self;
        let bar = terminal::progress(tuner.gains.iterations * tuner.games, "games");
        let before = state.total().total();
        if before > 0 {
            terminal::say(format_args!("resuming after {before} games"));
            bar.set_position(before);
            bar.reset_eta();
        }
        let mut failed = Ok(());
        while tuner.iteration(state).is_some() && !stop.load(Ordering::Relaxed) && failed.is_ok() {
            let each = |record: &GameRecord, state: &SpsaState| {
                show(&bar, tuner, record, state);
                let written = checkpoint.write(state);
                if written.is_err() && failed.is_ok() {
                    failed = written;
                    stop.store(true, Ordering::Relaxed);
                }
            };
            games.play(tuner, state, stop, each).map_err(Failure::Wrong)?;
            if failed.is_ok() {
                failed = report.write_periodically(state);
            }
        }
        bar.finish_and_clear();
        failed
    }
}

/// Shows a finished game.
fn show(bar: &ProgressBar, tuner: &Tuner, record: &GameRecord, state: &SpsaState) {
    if let Some((player, what)) = &record.failure {
        let side = if *player == 0 { "plus" } else { "minus" };
        let iteration = state.outcomes.len() + usize::from(!state.games.is_empty());
        bar.suspend(|| {
            terminal::say(format_args!("iteration {iteration}: {}: {side}: {what}", record.ending))
        });
    }
    let (whole, all) = (state.outcomes.len() as u64, tuner.gains.iterations);
    let message = format!("iteration {whole}/{all}  {}", score(state.total()));
    bar.inc(1);
    // Without a progress bar, print a line after each tenth of the run.
    let tenth = |iteration: u64| 10 * iteration / all.max(1);
    if bar.is_hidden() && state.games.is_empty() && tenth(whole) > tenth(whole.saturating_sub(1)) {
        terminal::say(format_args!("{message}"));
    }
    bar.set_message(message);
}
