//! `espalier learn games`.

use std::collections::BTreeMap;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressStyle};
use thread_priority::{
    NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
    thread_native_id,
};

use super::shared::one_thread;
use crate::adjudication::{Adjudication, DrawRule, ResignRule};
use crate::board::{Game, Position};
use crate::cli::{Assignments, Failure, terminal};
use crate::engine::Engine;
use crate::epd::suite::Suite;
use crate::learn::games::{Generator, Openings, Series, SeriesError, Terms, Totals};
use crate::options::Options;
use crate::parallel::{Jobs, parallel_map};
use crate::provenance::digest;
use crate::search::transposition_table::TranspositionTable;
use crate::text_table::thousands;

const EXAMPLES: &str = "\
Examples:
  espalier learn games --out data --for 2h --idle
      plays for two hours with what is left of the machine; run the same command to resume
  espalier learn games --out data --seed 2 --nodes 5000 --games 10000
      another 10,000 games into the same folder, fewer and better ones
  espalier learn games --report data
      what there is: games, usable positions, duplicates, how well scores predict results

Games end early when both sides see a clear win or a dead draw (--resign, --draw, --longest; --play-out plays all of them to \
the end), or when they reach endgame tables that --set SyzygyPath=DIR names. Everything is written; which positions are \
learned from is for the reader to decide. Without --games, --positions or --for it plays until it is interrupted.";

/// Plays games of the engine against itself, for everything that learns from games
///
/// Every game begins with random moves and is then played with a few hundred nodes a move, on all cores. The files hold
/// the start position, every move with its score, and the result, in viriformat, which the trainers of other engines
/// read too. A game depends on the seed and its number alone, so that the same command goes on where it was
/// interrupted, and the same seed gives the same games on any number of cores.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The folder to write games into; several runs with different seeds may write into one folder
    #[arg(long, value_name = "DIR", required_unless_present = "report")]
    out: Option<PathBuf>,
    /// Games of this seed to have in the end
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Usable positions of this seed to have in the end
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,
    /// How long to play, such as 90s, 30m or 2h
    #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration)]
    time: Option<Duration>,
    /// Games at once; as many as there are cores if not given
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=512))]
    jobs: Option<u32>,
    /// Nodes a move after which no new iteration begins; eight times as many end the search
    #[arg(long, default_value_t = Terms::default().nodes, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// Hash table in MB, cleared for every game; 2 if nothing else is set
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(i32).range(1..=65_536))]
    hash: Option<i32>,
    /// Another seed plays other games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Positions to begin with instead of the start position: a file (EPD or FEN), or the name of a suite
    #[arg(long, value_name = "FILE|NAME", conflicts_with = "chess960")]
    openings: Option<String>,
    /// Begins with the start positions of Chess960
    #[arg(long)]
    chess960: bool,
    /// Random plies at the beginning; one half of the games has one more
    #[arg(long, value_name = "PLIES", default_value_t = Terms::default().random_plies, value_parser = clap::value_parser!(u32).range(0..=40))]
    random_plies: u32,
    /// Won when both sides say so: MOVES in a row, by CENTIPAWNS
    #[arg(long, value_name = "MOVES,CENTIPAWNS|none", default_value = "3,1500", value_parser = unless_none::<ResignRule>)]
    resign: Rule<ResignRule>,
    /// Drawn when both sides say so: not before move FROM, MOVES in a row, within CENTIPAWNS
    #[arg(long, value_name = "FROM,MOVES,CENTIPAWNS|none", default_value = "40,5,8", value_parser = unless_none::<DrawRule>)]
    draw: Rule<DrawRule>,
    /// Drawn after so many moves behind the opening
    #[arg(long, value_name = "MOVES", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    longest: u32,
    /// Plays every game to the end of the rules
    #[arg(long, conflicts_with_all = ["resign", "draw", "longest"])]
    play_out: bool,
    /// Megabytes after which a new file is begun
    #[arg(long, value_name = "MB", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=4_096))]
    file_size: u64,
    /// Leaves the processor to everybody else (lowest priority)
    #[arg(long)]
    idle: bool,
    /// Says what is in folders of games, and ends
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = PLAYING)]
    report: Vec<PathBuf>,
    #[command(flatten)]
    shown: super::games_report::ReportArguments,
    #[command(flatten)]
    pub set: Assignments,
}

/// Arguments that mean nothing in a report.
const PLAYING: [&str; 17] = [
    "out",
    "games",
    "positions",
    "time",
    "nodes",
    "hash",
    "seed",
    "openings",
    "chess960",
    "random_plies",
    "resign",
    "draw",
    "longest",
    "play_out",
    "file_size",
    "idle",
    "set",
];

/// A rule of adjudication, or none.
#[derive(Copy, Clone, Debug)]
struct Rule<T>(Option<T>);

fn unless_none<T: FromStr<Err = String>>(text: &str) -> Result<Rule<T>, String> {
    if text.eq_ignore_ascii_case("none") { Ok(Rule(None)) } else { text.parse().map(|rule| Rule(Some(rule))) }
}

impl Arguments {
    pub fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        match &self.out {
            Some(folder) => self.play(folder, options, out),
            None => self.shown.run(&self.report, self.jobs(), out),
        }
    }

    fn jobs(&self) -> usize {
        self.jobs.map_or_else(|| terminal::engines_at_once(1), |jobs| jobs as usize)
    }

    fn generator(&self, options: &Options) -> Result<Generator, Failure> {
        let mut options = options.clone();
        let said = Some(options.hash).filter(|hash| *hash != Options::default().hash);
        options.hash = self.hash.or(said).unwrap_or(SMALL_HASH);
        // An engine would make do with less, and nobody would know.
        TranspositionTable::new(options.hash as usize).map_err(|error| Failure::Wrong(error.to_string()))?;
        let (openings, described) = match &self.openings {
            _ if self.chess960 => (Openings::Chess960, "Chess960".to_owned()),
            None => (Openings::Start, Terms::default().openings),
            Some(name) => openings(name)?,
        };
        let adjudication = if self.play_out {
            Adjudication::default()
        } else {
            Adjudication { draw: self.draw.0, resign: self.resign.0, longest: Some(self.longest) }
        };
        let terms = Terms {
            openings: described,
            random_plies: self.random_plies,
            nodes: self.nodes,
            adjudication,
            ..Terms::default()
        };
        Ok(Generator { options, terms, openings, seed: self.seed })
    }

    fn play(&self, folder: &Path, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        one_thread(options)?;
        let generator = self.generator(options)?;
        let wrong = |error: SeriesError| Failure::Wrong(error.to_string());
        let series = Series::open(folder, &generator, self.file_size << 20).map_err(wrong)?;
        let stop = terminal::interrupt();
        let before = series.totals();
        if before.games > 0 {
            terminal::say(&format!("resuming after {} games of seed {}", thousands(before.games), self.seed));
        }
        if series.cut() > 0 {
            terminal::say(&format!("removed {} bytes of a game that was cut off", series.cut()));
        }
        let mut run = Run {
            arguments: self,
            progress: Progress::new(self, before),
            waiting: BTreeMap::new(),
            next: before.games,
            failed: None,
            series,
        };
        run.play(&generator, &stop);
        run.progress.bar.finish_and_clear();
        let totals = run.series.totals();
        writeln!(
            out,
            "{}: {} games, {} usable positions, {} in all of seed {} (files {}-*.vf)",
            folder.display(),
            thousands(totals.games),
            thousands(totals.positions),
            HumanBytes(totals.bytes),
            self.seed,
            run.series.name()
        )?;
        match run.failed {
            Some(error) => Err(Failure::Wrong(format!("{error}; the games before it are safe"))),
            None => Ok(()),
        }
    }

    /// The goal is reached.
    fn enough(&self, totals: &Totals, began: Instant) -> bool {
        self.games.is_some_and(|wanted| totals.games >= wanted)
            || self.positions.is_some_and(|wanted| totals.positions >= wanted)
            || self.time.is_some_and(|time| began.elapsed() >= time)
    }
}

/// MB of hash table for games of a few hundred nodes a move.
const SMALL_HASH: i32 = 2;

/// The positions of a file, and words for them that change with its contents.
pub(in crate::cli) fn openings(name: &str) -> Result<(Openings, String), Failure> {
    let suite = Suite::load(name, false).map_err(Failure::Wrong)?;
    if let Some(defect) = suite.defects.iter().find(|defect| defect.fatal) {
        return Err(Failure::Wrong(defect.to_string()));
    }
    let (over, positions): (Vec<Position>, Vec<Position>) = suite
        .tasks
        .into_iter()
        .map(|task| task.position)
        .partition(|opening| Game::new(opening.clone()).is_over());
    if let Some(first) = over.first() {
        terminal::say(&format!("{name}: {} openings in which the game is over: {}", over.len(), first.fen()));
    }
    if positions.is_empty() {
        return Err(Failure::Wrong(format!("{name}: no opening to begin with")));
    }
    let fens: String = positions.iter().map(|position| position.fen() + "\n").collect();
    Ok((Openings::Positions(positions), format!("{name} {}", digest(fens.as_bytes()))))
}

/// A run under way.
struct Run<'a> {
    arguments: &'a Arguments,
    series: Series,
    /// Games that wait for one before them.
    waiting: BTreeMap<u64, Vec<u8>>,
    next: u64,
    failed: Option<String>,
    progress: Progress,
}

/// The description of a file is brought up to date this often.
const DESCRIBED: Duration = Duration::from_secs(60);

impl Run<'_> {
    fn play(&mut self, generator: &Generator, stop: &AtomicBool) {
        let (arguments, began) = (self.arguments, self.progress.began);
        let full = AtomicBool::new(arguments.enough(&self.series.totals(), began));
        let late = || arguments.time.is_some_and(|time| began.elapsed() >= time);
        let numbers = (self.next..arguments.games.unwrap_or(u64::MAX))
            .take_while(|_| !full.load(Ordering::Relaxed) && !late());
        let begin = || {
            if arguments.idle {
                step_aside();
            }
            generator.engine()
        };
        let play = |engine: &mut Engine, number| match generator.play(engine, number, stop) {
            Ok(game) => game.map(|game| Ok((number, game))),
            Err(error) => Some(Err(format!("game {number}: {error}"))),
        };
        // A panic outside the search must not leave the others playing for a game that never comes.
        let play = |engine: &mut Engine, number| {
            let played = catch_unwind(AssertUnwindSafe(|| play(engine, number)));
            played.unwrap_or_else(|_| Some(Err(format!("game {number}: the program panicked"))))
        };
        let mut described = Instant::now();
        parallel_map(Jobs { count: arguments.jobs(), stop }, numbers, begin, play, |played| {
            match played {
                Ok((number, game)) => self.keep(number, game),
                Err(error) => self.failed = Some(error),
            }
            if described.elapsed() >= DESCRIBED {
                described = Instant::now();
                self.describe();
            }
            if self.failed.is_some() || arguments.enough(&self.series.totals(), began) {
                full.store(true, Ordering::Relaxed);
            }
        });
        self.describe();
    }

    /// Writes a game once those before it are written.
    fn keep(&mut self, number: u64, game: Vec<u8>) {
        self.waiting.insert(number, game);
        while self.failed.is_none()
            && let Some(game) = self.waiting.remove(&self.next)
        {
            match self.series.write(&game) {
                Ok(()) => self.next += 1,
                Err(error) => self.failed = Some(error.to_string()),
            }
        }
        self.progress.show(&self.series.totals());
    }

    fn describe(&mut self) {
        if let Err(error) = self.series.describe() {
            self.failed.get_or_insert(error.to_string());
        }
    }
}

/// Lets everybody else go first.
fn step_aside() {
    let policy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    if let Err(error) = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy) {
        log::warn!("the priority could not be lowered: {error:?}");
    }
}

/// Shows how far a run is: a bar on a terminal, a line a minute elsewhere.
struct Progress {
    bar: ProgressBar,
    began: Instant,
    told: Instant,
    before: Totals,
    games: Option<u64>,
    positions: Option<u64>,
    time: Option<Duration>,
}

/// Who cannot see a bar hears of a run this often.
const SILENCE: Duration = Duration::from_secs(60);

impl Progress {
    fn new(arguments: &Arguments, before: Totals) -> Self {
        let Arguments { games, positions, time, .. } = *arguments;
        let bar = ProgressBar::new(1_000);
        let endless = games.is_none() && positions.is_none() && time.is_none();
        let template = if endless { "{spinner} {wide_msg}" } else { "{bar:10} {wide_msg}" };
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        let now = Instant::now();
        Self { bar, began: now, told: now, before, games, positions, time }
    }

    /// The share of the work that is done and the seconds left, by the goal that comes first.
    fn left(&self, totals: &Totals) -> Option<(f64, f64)> {
        let seconds = self.began.elapsed().as_secs_f64().max(1e-3);
        let counted = |goal: Option<u64>, now: u64, before: u64| {
            let goal = goal? as f64;
            let speed = (now - before) as f64 / seconds;
            Some((now as f64 / goal, (goal - now as f64).max(0.0) / speed.max(1e-9)))
        };
        let timed =
            self.time.map(|time| time.as_secs_f64()).map(|goal| (seconds / goal.max(1e-3), goal - seconds));
        let goals = [
            counted(self.games, totals.games, self.before.games),
            counted(self.positions, totals.positions, self.before.positions),
            timed,
        ];
        goals.into_iter().flatten().min_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn show(&mut self, totals: &Totals) {
        let left = self.left(totals);
        if let Some((share, _)) = left {
            self.bar.set_position((1_000.0 * share.min(1.0)) as u64);
        }
        let hidden = self.bar.is_hidden();
        if hidden && self.told.elapsed() < SILENCE {
            return;
        }
        let seconds = self.began.elapsed().as_secs_f64().max(1e-3);
        let rate = (totals.positions - self.before.positions) as f64 / seconds;
        let left = left.map_or(String::new(), |(_, seconds)| {
            format!(", {:#} left", HumanDuration(Duration::from_secs(seconds.clamp(0.0, 1e9) as u64)))
        });
        let text = format!(
            "{} games, {} positions, {}/s, {}{left}",
            thousands(totals.games),
            thousands(totals.positions),
            thousands(rate as u64),
            HumanBytes(totals.bytes)
        );
        if hidden {
            terminal::say(&text);
            self.told = Instant::now();
        } else {
            self.bar.set_message(text);
            self.bar.tick();
        }
    }
}
