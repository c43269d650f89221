//! `espalier learn network`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::HumanDuration;

use super::shared::{beside, can_be_written};
use crate::board::Position;
use crate::cli::shared::{Common, TableForm, whole};
use crate::cli::{Failure, terminal};
use crate::eval::Evaluator;
use crate::eval::network::{Accumulators, Network};
use crate::files;
use crate::learn::games::viriformat::{GameResult, PackedPosition};
use crate::learn::games::{Accuracy, GameFiles, ReadOptions, Shuffled};
use crate::learn::network::{
    Model, PassLoss, Recipe, Shape, Trainer, TrainerError, centipawns_as_before, centipawns_per_logit, target,
};
use crate::options::Options;
use crate::picture::{Chart, Series};
use crate::statistics::logistic;
use crate::text_table::{Table, thousands};

const EXAMPLES: &str = "\
Examples:
  espalier learn games --out data --for 2h
  espalier learn network data --width 64 --out small.net
      trains on all usable positions of the folder; small.svg and small.csv show how the loss fell
  espalier match --a Evaluation=Network EvalFile=small.net --b Evaluation=Classical --nodes 20000 --games 400
  espalier learn network newer --start built-in --width 256 --rate 0.0003 --out next.net
      starts from the built-in network

The report at the end compares the error with that of the classical evaluation; only a match says which plays better.";

/// Trains a network on games of `learn games`
///
/// The network sees every piece from both sides, mirrored so that the own king stands on the files e to h, through one
/// hidden layer. It learns to predict a blend of the search's score and the game's result. Positions are shuffled over all
/// files, some games are kept back to measure on. A checkpoint is written after every pass; run the same command to resume.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Folders of games
    #[arg(required = true, value_name = "DIR")]
    games: Vec<PathBuf>,
    /// Neurons of the hidden layer, for each side
    #[arg(long, default_value_t = Recipe::default().shape.width as u32, value_parser = width)]
    width: u32,
    /// Outputs, chosen by the number of men on the board
    #[arg(long, default_value_t = 1, value_parser = whole::<u32>(1..=8))]
    buckets: u32,
    /// Passes over the positions
    #[arg(long, default_value_t = Recipe::default().passes, value_parser = whole::<u32>(1..=10_000))]
    passes: u32,
    /// Positions between two steps
    #[arg(long, default_value_t = Recipe::default().batch as u32, value_parser = whole::<u32>(1..=1_000_000))]
    batch: u32,
    /// Learning rate at the beginning; it falls along a cosine
    #[arg(long, default_value_t = Recipe::default().rate, value_parser = positive)]
    rate: f64,
    /// Learning rate at the end
    #[arg(long, default_value_t = Recipe::default().last_rate, value_parser = positive)]
    last_rate: f64,
    /// Share of the game's result in what is learned; the rest is the search's score
    #[arg(long, default_value_t = Recipe::default().result_weight, value_parser = share)]
    result_weight: f64,
    /// Positions beside the games for each position of a game: a random move or two away, worth the mean of the built-in
    /// network and the classical evaluation
    ///
    /// A search evaluates many positions that no game reaches. With few games a network misjudges them.
    #[arg(long, default_value_t = 0, value_parser = whole::<u32>(0..=16))]
    detours: u32,
    /// Share of what the rest of the game says in a position's score: the λ of temporal differences
    ///
    /// 0 takes each score as it was found; 0.8 lets the five searches after it say as much as itself together.
    #[arg(long, default_value_t = 0.0, value_parser = share)]
    td_lambda: f64,
    /// Share of the classical evaluation in the score of each position of a game
    ///
    /// It errs elsewhere than the network that played, so a blend is nearer to the value of a deep search.
    #[arg(long, default_value_t = 0.0, value_parser = share)]
    classical: f64,
    /// Positions to use at most, drawn at random
    #[arg(long, value_parser = whole::<u64>(1..))]
    positions: Option<u64>,
    /// Share of the games that is kept back to measure on
    #[arg(long, default_value_t = 0.02, value_parser = share)]
    validation: f64,
    /// Network to start from instead of random weights; `built-in` for the network in this binary
    ///
    /// Training continues from what it knows, so a few new games of a stronger player can improve it. Use a smaller --rate.
    /// The new network may be wider or have more outputs. Its centipawns are as large as those of the network it starts from.
    #[arg(long, value_name = "FILE|built-in")]
    start: Option<PathBuf>,
    /// Centipawns that a logit is worth [default: as large as those of the network of --start; without one, half of the
    /// games are won at 100]
    #[arg(long, value_parser = whole::<i32>(1..=10_000))]
    scale: Option<i32>,
    /// Another seed begins with other weights
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0..))]
    seed: u64,
    /// Threads [default: one for each core]
    #[arg(long, value_parser = whole::<u32>(1..=512))]
    jobs: Option<u32>,
    /// The network to write
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    pub common: Common,
}

fn width(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number: &u32| Model::WIDTHS.contains(&(*number as usize)));
    number.ok_or_else(|| format!("one of {:?}", Model::WIDTHS))
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && *number <= 1.0);
    number.ok_or_else(|| "a number above 0 and at most 1, such as 0.001".to_owned())
}

pub(super) fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 1, such as 0.35".to_owned())
}

impl Arguments {
    pub(crate) fn run(self, _options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        can_be_written(&self.out)?;
        let jobs = self.jobs.map_or_else(|| terminal::engines_at_once(1), |jobs| jobs as usize);
        let stop = terminal::interrupt();
        let files = GameFiles::find(&self.games).map_err(Failure::Wrong)?;
        let reading = ReadOptions {
            validation: self.validation,
            seed: self.seed,
            jobs,
            detours: self.detours,
            td_lambda: self.td_lambda,
            classical: self.classical,
            ..ReadOptions::default()
        };
        let samples = files.samples(&reading, &stop)?;
        samples.complaints().iter().for_each(terminal::say);
        let mut positions = samples.training;
        positions.truncate(self.positions.map_or(usize::MAX, |most| most as usize));
        if stop.load(Ordering::Relaxed) || positions.positions() == 0 {
            return Err(Failure::Wrong("no positions to learn from".to_owned()));
        }
        let validation = samples.validation.first(MOST_MEASURED)?;
        let slope = Accuracy::of(&positions.first(MOST_MEASURED)?).slope;
        let recipe = Recipe {
            shape: Shape { width: self.width as usize, buckets: self.buckets as usize },
            passes: self.passes,
            batch: self.batch as usize,
            rate: self.rate,
            last_rate: self.last_rate,
            result_weight: self.result_weight,
            slope: (slope * 1e5).round() / 1e5,
            seed: self.seed,
            ..Recipe::default()
        };
        let known = format!(
            "{} positions of {} games, {} to measure on, slope {:.5} a centipawn",
            thousands(positions.positions() as u64),
            thousands(samples.games),
            thousands(validation.len() as u64),
            recipe.slope
        );
        terminal::say(format_args!("{known}"));
        let start = self.start.as_deref().map(start_network).transpose()?;
        let (path, form, scale) = (self.out.clone(), self.common.form, self.scale);
        let run = TrainingRun { positions, validation, jobs, start, scale, out: path, form };
        let trainer = run.train(recipe, &stop)?;
        run.finish(&trainer, out)
    }
}

/// Validation loss and slope are measured on at most this many positions, drawn at random.
const MOST_MEASURED: usize = 2_000_000;

fn csv(curve: &[PassLoss]) -> String {
    let row = |loss: &PassLoss| format!("{},{:.7},{:.7}\n", loss.pass, loss.training, loss.validation);
    "pass,training,validation\n".to_owned() + &curve.iter().map(row).collect::<String>()
}

fn chart(curve: &[PassLoss]) -> Chart {
    let line = |name: &str, of: fn(&PassLoss) -> f64| {
        Series::new(name, curve.iter().map(|loss| (f64::from(loss.pass), of(loss))))
    };
    Chart {
        title: "Training of a network".to_owned(),
        x: "passes over the positions".to_owned(),
        y: "mean squared error".to_owned(),
        series: vec![line("training", |loss| loss.training), line("validation", |loss| loss.validation)],
        ..Chart::default()
    }
}

struct TrainingRun {
    positions: Shuffled,
    validation: Vec<PackedPosition>,
    jobs: usize,
    start: Option<Arc<Network>>,
    /// Centipawns of a logit, if the user chose them.
    scale: Option<i32>,
    out: PathBuf,
    form: TableForm,
}

/// The network in a file, or the built-in one.
fn start_network(path: &Path) -> Result<Arc<Network>, Failure> {
    if path == Path::new("built-in") {
        return Ok(Network::built_in());
    }
    let wrong = |error: &dyn std::fmt::Display| Failure::Wrong(format!("{}: {error}", path.display()));
    let bytes = files::read_file(path, files::LARGEST_TABLE).map_err(|error| wrong(&error))?;
    Network::from_bytes(&bytes).map(Arc::new).map_err(|error| wrong(&error))
}

impl TrainingRun {
    fn checkpoint(&self) -> PathBuf {
        self.out.with_added_extension("checkpoint")
    }

    fn resume(&self, recipe: Recipe) -> Result<Trainer, Failure> {
        let path = self.checkpoint();
        match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => match &self.start {
                None => Ok(Trainer::new(recipe)),
                Some(network) => Trainer::from_network(recipe, network)
                    .map_err(|error| Failure::Wrong(format!("--start: {error}"))),
            },
            Err(error) => Err(Failure::Wrong(format!("{}: {error}", path.display()))),
            Ok(bytes) => {
                let trainer = Trainer::from_bytes(recipe, &bytes).map_err(|error| {
                    Failure::Wrong(format!("{}: {error} (move the file away to start over)", path.display()))
                })?;
                terminal::say(format_args!("resuming after {} passes", trainer.passes));
                Ok(trainer)
            }
        }
    }

    fn train(&self, recipe: Recipe, stop: &AtomicBool) -> Result<Trainer, Failure> {
        let mut trainer = self.resume(recipe)?;
        if self.start.is_some() && trainer.passes == 0 {
            let before = trainer.loss(&self.validation, self.jobs);
            terminal::say(format_args!("at the start: validation {before:.6}"));
        }
        let began = (Instant::now(), trainer.passes);
        while trainer.passes < recipe.passes {
            let start = Instant::now();
            let training = self.pass(&mut trainer, stop)?;
            let speed = self.positions.positions() as f64 / start.elapsed().as_secs_f64();
            let validation = trainer.loss(&self.validation, self.jobs);
            trainer.curve.push(PassLoss { pass: trainer.passes, training, validation });
            terminal::write_file(&self.checkpoint(), trainer.to_bytes())?;
            terminal::write_file(&beside(&self.out, ".csv")?, csv(&trainer.curve))?;
            terminal::write_file(&beside(&self.out, ".svg")?, chart(&trainer.curve).to_svg())?;
            let each = began.0.elapsed().as_secs_f64() / f64::from(trainer.passes - began.1);
            let left = Duration::from_secs((each * f64::from(recipe.passes - trainer.passes)) as u64);
            terminal::say(format_args!(
                "pass {} of {}: loss {training:.6}, validation {validation:.6}, {speed:.0} positions a second, {} left",
                trainer.passes,
                recipe.passes,
                HumanDuration(left)
            ));
        }
        Ok(trainer)
    }

    /// One pass with its progress; returns its mean squared error. After an error the last checkpoint stays.
    fn pass(&self, trainer: &mut Trainer, stop: &AtomicBool) -> Result<f64, Failure> {
        let done = trainer.passes;
        let bar = terminal::progress(self.positions.positions() as u64, "positions");
        let before = trainer.curve.last().map_or(String::new(), |loss| {
            format!(" (validation {:.6} after pass {})", loss.validation, loss.pass)
        });
        let start = Instant::now();
        let result = trainer.pass(&self.positions, self.jobs, stop, |progress| {
            bar.set_position(progress.positions as u64);
            let speed = progress.positions as f64 / start.elapsed().as_secs_f64().max(1e-3);
            bar.set_message(format!("loss {:.6}{before}, {speed:.0} a second", progress.loss));
        });
        bar.finish_and_clear();
        result.map_err(|error| {
            Failure::Wrong(match error {
                TrainerError::Stopped => {
                    format!("interrupted after {done} passes; run the same command to resume")
                }
                error if done == 0 => error.to_string(),
                error => format!("{error}; the checkpoint of pass {done} is kept"),
            })
        })
    }

    /// Writes the quantised network and reports the errors.
    fn finish(&self, trainer: &Trainer, out: &mut impl Write) -> Result<(), Failure> {
        let Recipe { shape, slope, .. } = trainer.recipe;
        let measured = &self.validation[..self.validation.len().min(MEASURED)];
        let (scale, why) = self.scale(&trainer.model, slope, measured);
        let network = Network::quantised(shape.width, shape.buckets, scale, &trainer.model.weights);
        terminal::write_file(&self.out, network.to_bytes())?;
        self.report(trainer, network, measured, out)?;
        self.form.remark(&format!("scale: {scale} centipawns per logit ({why})"), out)?;
        self.form.remark(&format!("written to {}", self.out.display()), out)?;
        remove(&self.checkpoint());
        Ok(())
    }

    /// What a logit of a network is worth in centipawns, and where that comes from.
    fn scale(&self, model: &Model, slope: f64, measured: &[PackedPosition]) -> (i32, &'static str) {
        if let Some(scale) = self.scale {
            return (scale, "as you chose");
        }
        if let Some(network) = &self.start
            && let Some(scale) = centipawns_as_before(&values_before(network, model, measured))
        {
            return (scale.round() as i32, "values are as large as those of the network at the start");
        }
        let outcomes: Vec<(f32, bool)> =
            measured.iter().map(|position| (model.value(position), mover_won(position))).collect();
        match centipawns_per_logit(&outcomes) {
            Some(scale) => (scale.round() as i32, "100 centipawns are worth half of the games won"),
            None => (
                (1.0 / slope).round() as i32,
                "too few games to measure what a centipawn is worth; taken from their scores",
            ),
        }
    }

    /// The errors of both networks, of the classical evaluation and of a constant on the same positions.
    fn report(
        &self,
        trainer: &Trainer,
        network: Network,
        measured: &[PackedPosition],
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let Recipe { slope, result_weight, .. } = trainer.recipe;
        let goal = |position: &PackedPosition| f64::from(target(position, slope, result_weight));
        let mean = measured.iter().map(goal).sum::<f64>() / measured.len().max(1) as f64;
        let error = |expected: &mut dyn FnMut(&PackedPosition) -> f64| {
            let sum: f64 =
                measured.iter().map(|position| (expected(position) - goal(position)).powi(2)).sum();
            sum / measured.len().max(1) as f64
        };
        let scale = f64::from(network.scale());
        let mut sums = Accumulators::new(network.into());
        let mut whole = |position: &PackedPosition| {
            let Ok(chess) = position.unpack() else { return 0.5 };
            let value = sums.value_alone(shakmaty::Position::board(&chess), position.turn());
            logistic(f64::from(value) / scale)
        };
        let mut evaluator = Evaluator::default();
        let mut classical = |position: &PackedPosition| {
            let Ok(chess) = position.unpack() else { return 0.5 };
            logistic(slope * f64::from(evaluator.evaluate(&Position::new(chess)).raw()))
        };
        let count = thousands(measured.len() as u64);
        let mut table = Table::new(&["evaluation", "mean squared error"]);
        for (name, error) in [
            ("network, real numbers", trainer.loss(measured, self.jobs)),
            ("network, whole numbers", error(&mut whole)),
            ("classical evaluation", error(&mut classical)),
            ("a constant", error(&mut |_| mean)),
        ] {
            table.push([name.to_owned(), format!("{error:.6}")]);
        }
        write!(out, "{}", self.form.show(&table))?;
        Ok(self.form.remark(&format!("measured on {count} positions of other games"), out)?)
    }
}

/// Positions that the report measures on at most.
const MEASURED: usize = 200_000;

/// The logits of a new network, and the values of an older one, for the same positions.
fn values_before(network: &Arc<Network>, model: &Model, measured: &[PackedPosition]) -> Vec<(f32, i32)> {
    let mut sums = Accumulators::new(Arc::clone(network));
    let both = |position: &PackedPosition| {
        let chess = position.unpack().ok()?;
        let before = sums.value_alone(shakmaty::Position::board(&chess), position.turn());
        Some((model.value(position), before))
    };
    measured.iter().filter_map(both).collect()
}

fn mover_won(position: &PackedPosition) -> bool {
    position.result() == Some(position.turn().fold_wb(GameResult::White, GameResult::Black))
}

/// Removes a checkpoint that is no longer needed.
fn remove(path: &Path) {
    if let Err(error) = std::fs::remove_file(path) {
        log::debug!("{}: {error}", path.display());
    }
}
