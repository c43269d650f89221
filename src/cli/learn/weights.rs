//! `espalier learn weights`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::shared::{Checkpoint, Play, Speed, beside, error_if_interrupted, one_thread, settings_of};
use super::weights_report::WeightsReport;
use crate::board::{Position, uci_text};
use crate::cli::shared::{Common, whole};
use crate::cli::{Failure, terminal};
use crate::engine::Engine;
use crate::epd::Task;
use crate::epd::suite::Suite;
use crate::learn::checkpoint;
use crate::learn::search_control::offline::{self, Offline, Solvers};
use crate::learn::search_control::online::{self, Critical, Example, LearnedGame};
use crate::learn::search_control::solver::{ExternalEngine, Solver};
use crate::learn::search_control::{CLASSES, ClassWeights, Iteration, Pace, Problem, extensions_with};
use crate::options::Options;
use crate::parallel::{Jobs, parallel_map};
use crate::self_play::SelfPlay;

const EXAMPLES: &str = "\
Examples:
  espalier learn weights --offline wac --set Preset=Crafty --nodes 100000 --together --out weights.txt
      learns one set of weights from a suite; weights.csv and two pictures show how
  espalier learn weights --online --set Preset=Crafty --iterations 20 --out weights.txt
      learns a set for each phase of the game from critical positions of its own games
  espalier learn weights --online wac --set Preset=Crafty --together --out weights.txt
      learns from single searches of a suite
  espalier learn weights --offline wac --engine ./myengine --out weights.txt
      learns the four weights of any program that understands setboard, setparam and gountil
  espalier bench --depth 7 --settings weights.txt
      uses the weights (UCI: setoption name SettingsFile value weights.txt)

Without --nodes, --depth or --time: 500,000 nodes a position of a suite, 100,000 a move of a game.";

/// Learns the weights of fractional-ply extensions (Björnsson, 2002)
///
/// A check, a recapture, the only reply to a check and the push of an advanced passed pawn count as less than a
/// ply. How much less is learned: offline by searching every position of a suite with each weight changed in
/// turn until the best move is found, online by predicting from single searches what other weights would cost.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("method").required(true).args(["offline", "online"]))]
pub(crate) struct Arguments {
    /// LSC-offline: searches every position of the suite once more for each weight
    #[arg(long, value_name = "SUITE")]
    offline: Option<String>,
    /// LSC: learns from single searches, of a suite or of its own games
    #[arg(long, value_name = "SUITE", num_args = 0..=1, default_missing_value = "")]
    online: Option<String>,
    /// Learns for another program, which understands setboard, setparam and gountil
    #[arg(long, value_name = "COMMAND", conflicts_with = "online")]
    engine: Option<String>,
    /// Seconds to wait for an answer of that program
    #[arg(long, alias = "patience", default_value_t = 60, value_parser = whole::<u64>(1..))]
    timeout: u64,
    /// Iterations; the last one only measures
    #[arg(long, default_value_t = 12, value_parser = whole::<u32>(1..))]
    iterations: u32,
    /// At most this many positions of the suite, evenly spaced
    #[arg(long, alias = "most", value_parser = whole::<u32>(1..))]
    count: Option<u32>,
    /// Games per iteration, when learning from games
    #[arg(long, default_value_t = 24, value_parser = whole::<u32>(1..))]
    games: u32,
    /// One set of weights for the whole game instead of one for each phase
    #[arg(long)]
    together: bool,
    /// Weights to start with
    #[arg(long, default_value_t = 1.0, value_parser = weight)]
    start: f64,
    /// Learning rate [default: 1 for a suite, 0.25 for games]
    #[arg(long, value_parser = positive)]
    rate: Option<f64>,
    /// Factor of the learning rate after each iteration
    #[arg(long, default_value_t = 1.0, value_parser = positive)]
    decay: f64,
    /// How much a weight changes when that doubles the nodes
    #[arg(long, default_value_t = 1.0, value_parser = positive)]
    step: f64,
    /// Offline, how much a weight is changed to measure its effect (online, 0.1)
    #[arg(long, default_value_t = 0.5, value_parser = change)]
    delta: f64,
    #[command(flatten)]
    play: Play,
    /// The file of settings to write. A table, two pictures and a checkpoint are written beside it
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    pub common: Common,
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && *number <= 100.0);
    number.ok_or_else(|| "a number above 0 and at most 100".to_owned())
}

fn change(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && *number <= 1.0);
    number.ok_or_else(|| "a number of plies above 0 and at most 1".to_owned())
}

fn weight(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.1..=2.0).contains(number));
    number.ok_or_else(|| "a weight from 0.1 to 2.0".to_owned())
}

/// Node limit per position of a suite, as published.
const SUITE_NODES: u64 = 500_000;
/// Nodes per move in games.
const GAME_NODES: u64 = 100_000;

/// Message when a program has failed too often.
const GIVEN_UP: &str = "the program was given up: it must answer setboard, setparam and gountil with a line \"nodes FLAG COUNT\"";

/// The state of a run, stored in its checkpoint.
#[derive(Default, Serialize, Deserialize)]
struct WeightsState {
    /// Every set of weights that was tried, with its cost.
    iterations: Vec<Iteration>,
    /// Weights to try next.
    next: Option<[ClassWeights; 3]>,
    /// Directions in which weights move.
    signs: Option<[[i8; CLASSES]; 3]>,
    /// Solution paths, by index of the position in the suite.
    paths: BTreeMap<usize, Vec<String>>,
}

impl Arguments {
    pub(crate) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        one_thread(options)?;
        if self.engine.is_some() && !self.common.set.is_empty() {
            let what = "--set and --settings are for this engine; tell the program behind --engine what it needs in its own command";
            return Err(Failure::Wrong(what.to_owned()));
        }
        beside(&self.out, ".csv")?;
        let source = self.offline.as_deref().or(self.online.as_deref()).unwrap_or_default();
        let games = source.is_empty();
        if !games && self.play.is_without_nodes() {
            let what = "a suite is searched for --nodes; --depth and --time are for games".to_owned();
            return Err(Failure::Wrong(what));
        }
        let openings = if games { self.play.openings()? } else { Vec::new() };
        let (problems, unusable) = if games { Default::default() } else { self.problems(source)? };
        let settings = self.settings(options, &openings, &problems);
        let mut checkpoint = Checkpoint::new(&self.out, "learn weights 2", settings);
        let mut state: WeightsState = checkpoint.resume()?;
        let stop = terminal::interrupt();
        let run =
            WeightsRun { arguments: &self, options, openings: &openings, problems: &problems, stop: &stop };
        let (form, engine) = (self.common.form, self.engine.as_deref());
        let report = WeightsReport { options, games, engine, path: &self.out, form };
        checkpoint.say_resuming(state.iterations.len(), "iterations");
        report.head(out)?;
        for (number, iteration) in state.iterations.iter().enumerate() {
            report.line(number, iteration, &state.iterations, out)?;
        }
        while state.iterations.len() < self.iterations as usize && !stop.load(Ordering::Relaxed) {
            let Some(measured) = run.iterate(&mut state) else { break };
            state.iterations.push(measured);
            let number = state.iterations.len() - 1;
            report.line(number, &state.iterations[number], &state.iterations, out)?;
            checkpoint.write(&state)?;
            report.write(&state.iterations)?;
        }
        if state.iterations.is_empty() {
            error_if_interrupted(&stop, "no iteration is complete")?;
            return Err(Failure::Wrong(GIVEN_UP.to_owned()));
        }
        report.write(&state.iterations)?;
        report.conclude(&state.iterations, out)?;
        let done = format!("{} of {} iterations are complete", state.iterations.len(), self.iterations);
        error_if_interrupted(&stop, &done)?;
        if state.iterations.len() < self.iterations as usize {
            return Err(Failure::Wrong(format!("{GIVEN_UP}; {done}")));
        }
        match unusable {
            0 => Ok(()),
            count => {
                Err(Failure::Wrong(format!("{count} lines of {source}, named above, could not be used")))
            }
        }
    }

    /// The positions of the suite with a best move, and the number of unusable lines.
    fn problems(&self, source: &str) -> Result<(Vec<Problem>, usize), Failure> {
        let mut suite = Suite::load(source, false).map_err(Failure::Wrong)?;
        let unusable = suite.defects.iter().filter(|defect| defect.fatal);
        let unusable = unusable.inspect(|defect| terminal::say(format_args!("{defect}"))).count();
        if suite.tasks.is_empty() {
            return Err(Failure::Said);
        }
        if let Some(most) = self.count {
            suite = suite.thinned(most as usize);
        }
        let wanted = |task: &&Task| match task.best.len() {
            0 => false,
            count => count == 1 || self.engine.is_none(),
        };
        let (of_use, others): (Vec<_>, Vec<_>) = suite.tasks.iter().partition(wanted);
        if !others.is_empty() {
            let names: Vec<&str> =
                others.iter().map(|task| task.id.as_str()).filter(|id| !id.is_empty()).take(8).collect();
            let why = if self.engine.is_some() {
                "gountil asks for one best move"
            } else {
                "they have no best move"
            };
            let (left_out, all) = (others.len(), suite.tasks.len());
            let more = if left_out > names.len() { ", …" } else { "" };
            let which =
                if names.is_empty() { String::new() } else { format!(": {}{more}", names.join(", ")) };
            terminal::say(format_args!("note: {left_out} of {all} positions are left out ({why}){which}"));
        }
        let problems: Vec<Problem> = of_use.into_iter().filter_map(Problem::from_task).collect();
        if problems.is_empty() {
            return Err(Failure::Wrong(format!("{source}: no position with a best move")));
        }
        Ok((problems, unusable))
    }

    /// Everything that changes the result of the run.
    fn settings(
        &self,
        options: &Options,
        openings: &[Position],
        problems: &[Problem],
    ) -> checkpoint::RunSettings {
        let games = self.online.as_deref() == Some("");
        let mut settings = if games {
            self.play.settings(options, GAME_NODES, openings)
        } else {
            let told = |problem: &Problem| {
                format!("{} {:?} {:?}\n", problem.position.fen(), problem.moves, problem.path)
            };
            let contents: String = problems.iter().map(told).collect();
            let source = self.offline.as_ref().or(self.online.as_ref()).map_or("", String::as_str);
            let mut settings = settings_of(options, "suite", source, &contents);
            settings.insert("thinking".to_owned(), self.play.pace(SUITE_NODES));
            settings
        };
        let Pace { rate, decay, step, delta } = self.pace();
        let facts = [
            ("offline", self.offline.is_some().to_string()),
            ("engine", self.engine.clone().unwrap_or_default()),
            ("most", self.count.map(|most| most.to_string()).unwrap_or_default()),
            ("games", if games { self.games.to_string() } else { String::new() }),
            ("together", self.together.to_string()),
            ("start", self.start.to_string()),
            ("rate", rate.to_string()),
            ("decay", decay.to_string()),
            ("step", step.to_string()),
            ("delta", delta.to_string()),
        ];
        settings.extend(facts.map(|(name, value)| (name.to_owned(), value)));
        settings
    }

    fn pace(&self) -> Pace {
        let games = self.online.as_deref() == Some("");
        let rate = self.rate.unwrap_or(if games { 0.25 } else { 1.0 });
        Pace { rate, decay: self.decay, step: self.step, delta: self.delta }
    }
}

/// What all iterations of a run need.
struct WeightsRun<'a> {
    arguments: &'a Arguments,
    options: &'a Options,
    openings: &'a [Position],
    problems: &'a [Problem],
    stop: &'a AtomicBool,
}

impl WeightsRun<'_> {
    /// Measures the next weights and finds the ones after them; `None` if interrupted.
    fn iterate(&self, state: &mut WeightsState) -> Option<Iteration> {
        let weights = state.next.unwrap_or([[self.arguments.start; CLASSES]; 3]);
        match (&self.arguments.engine, self.arguments.online.as_deref()) {
            (_, Some("")) => self.play_games(&weights, state),
            (_, Some(_)) => self.search_once(&weights, state),
            (Some(command), None) => {
                let timeout = Duration::from_secs(self.arguments.timeout);
                self.search_often(&weights, state, &|| ExternalEngine::start(command, timeout, self.stop))
            }
            (None, None) => self.search_often(&weights, state, &|| Ok(Engine::new(self.options.clone()))),
        }
    }

    fn most_nodes(&self) -> u64 {
        self.arguments.play.limits(SUITE_NODES).nodes.unwrap_or(SUITE_NODES)
    }

    fn next_step(&self, state: &WeightsState) -> f64 {
        self.arguments.pace().step_in(state.iterations.len())
    }

    /// LSC-offline, algorithm 13 of the thesis.
    fn search_often<S: Solver>(
        &self,
        weights: &[ClassWeights; 3],
        state: &mut WeightsState,
        start: &(dyn Fn() -> Result<S, String> + Sync),
    ) -> Option<Iteration> {
        let offline = Offline {
            problems: self.problems,
            nodes: self.most_nodes(),
            jobs: self.arguments.play.jobs(),
            pace: self.arguments.pace(),
            together: self.arguments.together,
        };
        let bar = terminal::progress((self.problems.len() * (CLASSES + 1)) as u64, "searches");
        let failure = |what: &str| bar.suspend(|| terminal::say(format_args!("{what}")));
        let workers = Solvers { start, failure: &failure, progress: &|| bar.inc(1), stop: self.stop };
        let mut signs = state.signs.unwrap_or(offline::FIRST_SIGNS);
        let result = offline.iterate(weights, &mut signs, state.iterations.len(), &workers);
        bar.finish_and_clear();
        let (measured, next) = result?;
        (state.next, state.signs) = (Some(next), Some(signs));
        Some(measured)
    }

    /// Algorithm 12 on a suite. The first variation that solves a position becomes its solution path.
    fn search_once(&self, weights: &[ClassWeights; 3], state: &mut WeightsState) -> Option<Iteration> {
        let bar = terminal::progress(self.problems.len() as u64, "searches");
        let nodes = self.most_nodes();
        let mut watched = BTreeMap::new();
        parallel_map(
            Jobs { count: self.arguments.play.jobs(), stop: self.stop },
            self.problems.iter().enumerate(),
            || Engine::new(self.options.clone()),
            |engine, (index, problem)| Some((index, online::watch(engine, problem, weights, nodes))),
            |(index, found)| {
                watched.insert(index, found);
                bar.inc(1);
            },
        );
        bar.finish_and_clear();
        if watched.len() < self.problems.len() {
            return None;
        }
        let mut examples = Vec::new();
        for (index, (problem, found)) in self.problems.iter().zip(watched.values()).enumerate() {
            if found.solved {
                let text = |m: &shakmaty::Move| uci_text(*m, false);
                state.paths.entry(index).or_insert_with(|| found.variation.iter().map(text).collect());
            }
            let own = state.paths.get(&index).map(|texts| path(&problem.position, texts));
            let path = if problem.path.is_empty() { own } else { Some(problem.path.clone()) };
            if let (Some(path), Some(growth)) = (path, found.growth) {
                let position = problem.position.clone();
                examples.push(Example { position, phase: problem.phase, growth, path });
            }
        }
        let mut next = *weights;
        online::learn(&mut next, &examples, self.arguments.together, self.next_step(state));
        state.next = Some(next);
        Some(Iteration {
            weights: *weights,
            nodes: watched.values().map(|found| found.nodes).sum(),
            solved: watched.values().filter(|found| found.solved).count(),
            positions: self.problems.len(),
        })
    }

    /// Algorithm 12 on critical positions of the engine's own games.
    fn play_games(&self, weights: &[ClassWeights; 3], state: &mut WeightsState) -> Option<Iteration> {
        let play = &self.arguments.play;
        let mut options = self.options.clone();
        options.selective.extensions = extensions_with(&options.selective.extensions, weights);
        let jobs = Jobs { count: play.jobs(), stop: self.stop };
        let players = SelfPlay::new(&options, self.openings.to_vec(), play.seed, jobs);
        let bar = terminal::progress(u64::from(self.arguments.games), "games");
        let speed = Speed::since(0);
        let limits = play.limits(GAME_NODES);
        let first = state.iterations.len() as u32 * self.arguments.games;
        let mut games: BTreeMap<u32, LearnedGame> = BTreeMap::new();
        players.run(
            first..first + self.arguments.games,
            |engine, start| Critical::default().play(engine, start, &limits, self.stop),
            |number, game| {
                games.insert(number, game);
                bar.inc(1);
                let examples: usize = games.values().map(|game| game.examples.len()).sum();
                bar.set_message(format!("{examples} critical positions, {}", speed.of(games.len())));
            },
        );
        bar.finish_and_clear();
        if games.len() < self.arguments.games as usize {
            return None;
        }
        let examples: Vec<Example> = games.values().flat_map(|game| game.examples.iter().cloned()).collect();
        let mut next = *weights;
        online::learn(&mut next, &examples, self.arguments.together, self.next_step(state));
        state.next = Some(next);
        Some(Iteration {
            weights: *weights,
            nodes: games.values().map(|game| game.nodes).sum(),
            solved: examples.len(),
            positions: games.values().map(|game| game.moves).sum(),
        })
    }
}

/// The moves of a path, up to the first that is not legal.
fn path(start: &Position, texts: &[String]) -> Vec<shakmaty::Move> {
    let mut position = start.clone();
    let play = |text: &String| {
        let m = position.parse_move(text).ok()?;
        position = position.play(m);
        Some(m)
    };
    texts.iter().map_while(play).collect()
}
