//! `espalier learn evaluation`.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::network::share;
use super::shared::can_be_written;
use crate::board::Position;
use crate::cli::shared::{Common, whole};
use crate::cli::{Failure, terminal};
use crate::eval::Weights;
use crate::lab::matches::store::{GAMES, whole_games};
use crate::learn::games::viriformat::{GameResult, PackedPosition};
use crate::learn::games::{ENDING, Filter, GameFiles, ReadOptions};
use crate::learn::tuning::{TuningProgress, TuningSample, TuningSet, TuningSettings, quiet_positions, tune};
use crate::options::Options;
use crate::provenance::version;
use crate::search::Learned;
use crate::self_play::DECIDED;
use crate::text_table::{Table, thousands};

const EXAMPLES: &str = "\
Examples:
  espalier match --b DeltaPruning=false --nodes 4000 --games 20000 --openings book.epd --seed 7 --out games
      plays games to learn from; the players must differ a little, or each pair is one game twice
  espalier learn evaluation games --out weights.txt
      fits the weights of the evaluation to them, in a minute or two
  espalier learn games --out data --for 1h
  espalier learn evaluation data --out weights.txt
      the same with games played for learning: more positions, shorter searches
  espalier match --a EvaluationFile=weights.txt --nodes 20000 --games 1000 --out new-against-old
      measures the gain";

/// Fits the evaluation's weights to games (Texel's method; Österlund, 2014)
///
/// Quiet positions of the games are judged by what a search thought of them and by how their game ended; those that are
/// decided (15 pawns) are left out. The weights are moved until the static value, through a sigmoid, agrees best; the
/// last tenth of the positions is kept back to measure on, and the weights that do best there are written. Any match
/// of `espalier match --out` can be learned from, with the scores of its players, and the games of `espalier learn games`. It begins with the weights in the
/// program, or with those of --set EvaluationFile=FILE. Ctrl-C ends it, and nothing is written.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Directories of matches, or of games played by `learn games`
    #[arg(required = true, value_name = "DIR")]
    games: Vec<PathBuf>,
    /// Passes over the positions
    #[arg(long, alias = "epochs", default_value_t = TuningSettings::default().epochs as u32, value_parser = whole::<u32>(1..=10_000))]
    passes: u32,
    /// Share of the game's result in what is learned; the rest is the search's score
    #[arg(long, default_value_t = TuningSettings::default().result_share, value_parser = share)]
    result_weight: f64,
    /// The same in percent, as earlier versions took it
    #[arg(long, hide = true, conflicts_with = "result_weight", value_parser = whole::<u32>(0..=100))]
    result: Option<u32>,
    /// At most this many positions of games of `learn games`
    #[arg(long, default_value_t = 2_000_000, value_parser = whole::<u64>(1_000..))]
    positions: u64,
    /// First step size in centipawns; it falls to a twentieth
    #[arg(long, default_value_t = TuningSettings::default().rate, value_parser = rate)]
    rate: f64,
    /// The file of weights to write; the option EvaluationFile reads it
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    pub common: Common,
}

/// Share of the positions that is held out to measure on.
const HELD_OUT: f64 = 0.1;

fn rate(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && *number <= 100.0);
    number.ok_or_else(|| "a number above 0 and at most 100, such as 0.2".to_owned())
}

impl Arguments {
    pub(crate) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        can_be_written(&self.out)?;
        if self.games.iter().any(|directory| directory.join(GAMES) == self.out) {
            return Err(Failure::Wrong(format!("{}: these are the games themselves", self.out.display())));
        }
        let start = Learned::load(options.learned_files()).map_err(Failure::Wrong)?.weights;
        let (samples, games) = self.samples()?;
        let positions = samples.len() as u64;
        let known = format!("{} quiet positions of {} games", thousands(positions), thousands(games));
        terminal::say(format_args!("{known}"));
        let (weights, errors) = self.tune(samples, &start)?;
        self.write(&weights, &known)?;
        let best = errors.iter().copied().fold(f64::INFINITY, f64::min);
        if let Some(first) = errors.first().filter(|_| self.common.form.is_text()) {
            writeln!(out, "{known}")?;
            writeln!(out, "mean squared error on those kept back: {first:.6} before, {best:.6} after")?;
            if best >= *first {
                writeln!(
                    out,
                    "no pass made it smaller, so the weights are those it began with; more games may help"
                )?;
            }
        } else if let Some(first) = errors.first() {
            let mut table = Table::new(&["positions", "games", "error before", "error after"]);
            table.push([
                positions.to_string(),
                games.to_string(),
                format!("{first:.6}"),
                format!("{best:.6}"),
            ]);
            write!(out, "{}", self.common.form.show(&table))?;
        }
        Ok(self.common.form.remark(&format!("written to {}", self.out.display()), out)?)
    }

    fn result_share(&self) -> f64 {
        self.result.map_or(self.result_weight, |percent| f64::from(percent) / 100.0)
    }

    /// The best weights, and the errors on the positions kept back before the first pass and after every one.
    fn tune(&self, samples: TuningSet, start: &Weights) -> Result<(Weights, Vec<f64>), Failure> {
        let settings = TuningSettings {
            epochs: self.passes as usize,
            rate: self.rate,
            result_share: self.result_share(),
            ..TuningSettings::default()
        };
        let bar = terminal::progress(u64::from(self.passes), "passes");
        let stop = terminal::interrupt();
        let mut errors = Vec::new();
        let weights = tune(samples, start, &settings, |progress: &TuningProgress| {
            errors.push(progress.held_out);
            bar.set_position(progress.epoch as u64);
            let message = format!("error {:.6}, kept back {:.6}", progress.training, progress.held_out);
            // Without a progress bar, every tenth pass is a line.
            if bar.is_hidden() && progress.epoch.is_multiple_of(10) {
                terminal::say(format_args!("{} passes: {message}", progress.epoch));
            }
            bar.set_message(message);
            !stop.load(Ordering::Relaxed)
        });
        bar.finish_and_clear();
        if stop.load(Ordering::Relaxed) {
            let what = format!(
                "interrupted after {} of {} passes; nothing is written",
                errors.len().saturating_sub(1),
                self.passes
            );
            return Err(Failure::Wrong(what));
        }
        Ok((weights, errors))
    }

    /// All quiet positions, and the number of games they are from.
    fn samples(&self) -> Result<(TuningSet, u64), Failure> {
        let (generated, matches): (Vec<PathBuf>, Vec<PathBuf>) =
            self.games.iter().cloned().partition(|directory| GameFiles::are_in(directory));
        let (samples, mut games) = self.samples_of_matches(&matches)?;
        let mut set = TuningSet::split(samples, HELD_OUT);
        if !generated.is_empty() {
            let (more, count) = self.samples_of_files(&generated)?;
            games += count;
            set.training.extend(more.training);
            set.held_out.extend(more.held_out);
        }
        if set.training.is_empty() {
            return Err(Failure::Wrong("no quiet position with a score in these games".to_owned()));
        }
        Ok((set, games))
    }

    /// Positions of `learn games`, split by game, and the number of games.
    fn samples_of_files(&self, places: &[PathBuf]) -> Result<(TuningSet, u64), Failure> {
        let files = GameFiles::find(places).map_err(Failure::Wrong)?;
        let filter = Filter { max_score: DECIDED - 1, ..Filter::default() };
        let jobs = terminal::engines_at_once(1);
        let reading = ReadOptions { filter, validation: HELD_OUT, jobs, ..ReadOptions::default() };
        let found = files.samples(&reading, &AtomicBool::new(false))?;
        found.complaints().iter().for_each(terminal::say);
        let sample = |packed: &PackedPosition| {
            let (position, score) = (Position::new(packed.unpack().ok()?), i32::from(packed.score()));
            Some(TuningSample { position, score, result: packed.result().map(GameResult::points) })
        };
        let most = |share: f64| (self.positions as f64 * share) as usize;
        let training = found.training.first(most(1.0 - HELD_OUT))?.iter().filter_map(sample).collect();
        let held_out = found.validation.first(most(HELD_OUT))?.iter().filter_map(sample).collect();
        Ok((TuningSet { training, held_out }, found.games))
    }

    fn samples_of_matches(&self, directories: &[PathBuf]) -> Result<(Vec<TuningSample>, u64), Failure> {
        let (mut samples, mut games) = (Vec::new(), 0);
        let mut known = HashSet::new();
        for directory in directories {
            let path = directory.join(GAMES);
            let wrong =
                |error: &dyn std::fmt::Display| Failure::Wrong(format!("{}: {error}", path.display()));
            if directory.is_dir() && !path.exists() {
                let what = format!("no games here (files that end with .{ENDING}, or {GAMES} of a match)");
                return Err(Failure::Wrong(format!("{}: {what}", directory.display())));
            }
            if !directory.exists() {
                return Err(Failure::Wrong(format!("{}: no such folder", directory.display())));
            }
            let text = std::fs::read_to_string(&path).map_err(|error| wrong(&error))?;
            let mut records = whole_games(&text, &path).map_err(Failure::Wrong)?;
            // The file lists games in the order they ended, which differs from run to run.
            records.sort_by_key(|record| record.number);
            for record in &records {
                let found = quiet_positions(record)
                    .ok_or_else(|| wrong(&format!("game {} cannot be played over", record.number + 1)))?;
                samples.extend(found.into_iter().filter(|sample| known.insert(sample.position.key())));
            }
            games += records.len() as u64;
        }
        Ok((samples, games))
    }

    fn write(&self, weights: &Weights, known: &str) -> Result<(), Failure> {
        let (version, passes, result, rate) =
            (version(), self.passes, 100.0 * self.result_share(), self.rate);
        let note = format!(
            "# Fitted to {known} by version {version}: {passes} passes, results {result} %, rate {rate}.\n"
        );
        terminal::write_file(&self.out, note + &weights.to_text())
    }
}
