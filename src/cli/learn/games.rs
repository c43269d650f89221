//! `espalier learn games`.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressStyle};
use thread_priority::ThreadPriority;

use super::shared::one_thread;
use crate::adjudication::{Adjudication, DrawRule, ResignRule};
use crate::board::{Game, Position};
use crate::cli::shared::{OrNone, long_duration, unless_none, whole};
use crate::cli::{Assignments, Failure, terminal};
use crate::engine::Engine;
use crate::epd::suite::Suite;
use crate::learn::games::{GameSeries, GameTerms, Generator, Openings, SeriesError, Totals};
use crate::options::Options;
use crate::parallel::{Jobs, parallel_map};
use crate::provenance::digest;
use crate::search::transposition_table::TranspositionTable;
use crate::text_table::{Table, thousands};

const EXAMPLES: &str = "\
Examples:
  espalier learn games --out data --for 2h --idle
      plays for two hours at the lowest priority; run the same command to resume
  espalier learn games --out data --seed 2 --nodes 5000 --games 10000
      adds 10,000 games with longer searches to the same folder
  espalier learn games --report data
      shows games, usable positions, duplicates, and how well scores predict results

A game is adjudicated when both sides see a clear win or a dead draw, or when it gets too long (--resign, --draw, --longest; \
--play-out turns all three off), and when it reaches a position in the Syzygy tables of --set SyzygyPath=DIR. All moves and \
scores are written; each learner filters the positions it reads. Without --games, --positions or --for, games are played \
until you interrupt the command.";

/// Plays self-play games as training data for the other learners
///
/// Each game starts with random moves and is then played with a few hundred nodes a move, on all cores. The files hold
/// the start position, each move with its score, and the result, in viriformat, which the trainers of other engines also
/// read. The same seed gives the same games on any number of cores. However a run ends, only the games in progress are
/// lost: run the same command to resume.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Folder to write games to; several runs with different seeds can share one
    #[arg(long, value_name = "DIR", required_unless_present = "report")]
    out: Option<PathBuf>,
    /// Stop when there are this many games of this seed, those of earlier runs included
    #[arg(long, value_parser = whole::<u64>(1..))]
    games: Option<u64>,
    /// Stop when there are this many usable positions of this seed, those of earlier runs included
    #[arg(long, value_parser = whole::<u64>(1..))]
    positions: Option<u64>,
    /// Stop after this time, such as 90s, 30m or 2h
    #[arg(long = "for", value_name = "TIME", value_parser = long_duration)]
    time: Option<Duration>,
    /// Games at once [default: one for each core]
    #[arg(long, value_parser = whole::<u32>(1..=512))]
    jobs: Option<u32>,
    /// Soft node limit per move: no new iteration starts after this many; eight times as many abort the search
    #[arg(long, default_value_t = GameTerms::default().nodes, value_parser = whole::<u64>(1..=1_000_000_000))]
    nodes: u64,
    /// Hash table in MB, cleared before each game [default: 2]
    #[arg(long, value_name = "MB", value_parser = whole::<i32>(1..=65_536))]
    hash: Option<i32>,
    /// Seed of the random moves; each seed gives other games
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0..))]
    seed: u64,
    /// Start from the positions of a file (EPD or FEN) or of a built-in suite
    #[arg(long, value_name = "FILE|NAME", conflicts_with = "chess960")]
    openings: Option<String>,
    /// Start from random Chess960 start positions
    #[arg(long)]
    chess960: bool,
    /// Random plies at the start; half of the games have one more
    #[arg(long, value_name = "PLIES", default_value_t = GameTerms::default().random_plies, value_parser = whole::<u32>(0..=40))]
    random_plies: u32,
    /// Adjudicate a win when both sides see at least CENTIPAWNS for MOVES in a row
    #[arg(long, value_name = "MOVES,CENTIPAWNS|none", default_value = "3,1500", value_parser = unless_none::<ResignRule>)]
    resign: OrNone<ResignRule>,
    /// Adjudicate a draw from move FROM on when both sides see at most CENTIPAWNS for MOVES in a row
    #[arg(long, value_name = "FROM,MOVES,CENTIPAWNS|none", default_value = "40,5,8", value_parser = unless_none::<DrawRule>)]
    draw: OrNone<DrawRule>,
    /// Adjudicate a draw after this many moves
    #[arg(long, value_name = "MOVES", default_value_t = 200, value_parser = whole::<u32>(1..=1_000))]
    longest: u32,
    /// Play all games until the rules of chess end them
    #[arg(long, conflicts_with_all = ["resign", "draw", "longest"])]
    play_out: bool,
    /// Start a new file after this many megabytes
    #[arg(long, value_name = "MB", default_value_t = 16, value_parser = whole::<u64>(1..=4_096))]
    file_size: u64,
    /// Run at the lowest priority. On Linux begin the command with `setsid`, so that other sessions do not wait for it either
    #[arg(long)]
    idle: bool,
    /// Report on folders of games instead of playing
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

impl Arguments {
    pub(crate) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
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
        // An engine would silently use a smaller table.
        TranspositionTable::new(options.hash as usize).map_err(|error| Failure::Wrong(error.to_string()))?;
        let (openings, described) = match &self.openings {
            _ if self.chess960 => (Openings::Chess960, "Chess960".to_owned()),
            None => (Openings::Start, GameTerms::default().openings),
            Some(name) => openings(name)?,
        };
        let adjudication = if self.play_out {
            Adjudication::default()
        } else {
            Adjudication { draw: self.draw.0, resign: self.resign.0, longest: Some(self.longest) }
        };
        let terms = GameTerms {
            openings: described,
            random_plies: self.random_plies,
            nodes: self.nodes,
            adjudication,
            ..GameTerms::default()
        };
        Ok(Generator { options, terms, openings, seed: self.seed })
    }

    fn play(&self, folder: &Path, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        one_thread(options)?;
        let generator = self.generator(options)?;
        let wrong = |error: SeriesError| Failure::Wrong(error.to_string());
        let series = GameSeries::open(folder, &generator, self.file_size << 20).map_err(wrong)?;
        let stop = terminal::interrupt();
        let before = series.totals();
        if before.games > 0 || series.waiting() > 0 {
            let ahead = match series.waiting() {
                0 => String::new(),
                games => format!(", with {games} later ones finished"),
            };
            let games = thousands(before.games);
            terminal::say(format!("resuming after {games} games of seed {}{ahead}", self.seed));
        }
        if series.cut() > 0 {
            terminal::say(format!("removed {} bytes of a game that was cut off", series.cut()));
        }
        let mut run = Run { arguments: self, progress: Progress::new(self, before), failed: None, series };
        let began = run.progress.began;
        run.play(&generator, &stop);
        run.progress.bar.finish_and_clear();
        self.print_totals(folder, &run.series, out)?;
        match run.failed {
            Some(error) => Err(Failure::Wrong(format!("{error}; the games before it are safe"))),
            None if self.has_goal() && !self.enough(&run.series.totals(), began) => {
                Err(Failure::Wrong("interrupted; run the same command to resume".to_owned()))
            }
            None => Ok(()),
        }
    }

    /// Prints the totals of this seed, including earlier runs.
    fn print_totals(&self, folder: &Path, series: &GameSeries, out: &mut impl Write) -> io::Result<()> {
        let (totals, form, name) = (series.totals(), self.shown.form, series.name());
        if form.is_text() {
            return writeln!(
                out,
                "{}: {} games, {} usable positions, {} in all of seed {} (files {name}-*.vf)",
                folder.display(),
                thousands(totals.games),
                thousands(totals.positions),
                HumanBytes(totals.bytes),
                self.seed,
            );
        }
        let mut table = Table::new(&["folder", "seed", "games", "usable positions", "bytes", "files"]);
        let [seed, games, positions, bytes] =
            [self.seed, totals.games, totals.positions, totals.bytes].map(|count| count.to_string());
        table.push([folder.display().to_string(), seed, games, positions, bytes, format!("{name}-*.vf")]);
        write!(out, "{}", form.show(&table))
    }

    /// Whether the run ends by itself. A run without a goal goes on until it is interrupted.
    fn has_goal(&self) -> bool {
        self.games.is_some() || self.positions.is_some() || self.time.is_some()
    }

    /// Whether the goal is reached.
    fn enough(&self, totals: &Totals, began: Instant) -> bool {
        self.games.is_some_and(|wanted| totals.games >= wanted)
            || self.positions.is_some_and(|wanted| totals.positions >= wanted)
            || self.time.is_some_and(|time| began.elapsed() >= time)
    }
}

/// MB of hash table for games of a few hundred nodes a move.
const SMALL_HASH: i32 = 2;

/// The positions of a file, and its name with a digest of them.
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
        terminal::say(format!("{name}: {} openings in which the game is over: {}", over.len(), first.fen()));
    }
    if positions.is_empty() {
        return Err(Failure::Wrong(format!("{name}: no opening to begin with")));
    }
    let fens: String = positions.iter().map(|position| position.fen() + "\n").collect();
    Ok((Openings::Positions(positions), format!("{name} {}", digest(fens.as_bytes()))))
}

/// A run in progress.
struct Run<'a> {
    arguments: &'a Arguments,
    series: GameSeries,
    failed: Option<String>,
    progress: Progress,
}

/// How often the description beside a file is updated.
const DESCRIBE_INTERVAL: Duration = Duration::from_secs(60);

impl Run<'_> {
    fn play(&mut self, generator: &Generator, stop: &AtomicBool) {
        let (arguments, began) = (self.arguments, self.progress.began);
        if arguments.idle {
            lower_group_priority();
        }
        let full = AtomicBool::new(arguments.enough(&self.series.totals(), began));
        let late = || arguments.time.is_some_and(|time| began.elapsed() >= time);
        let last = arguments.games.unwrap_or(u64::MAX);
        let numbers = self
            .series
            .missing()
            .take_while(|number| *number < last && !full.load(Ordering::Relaxed) && !late());
        let begin = || {
            if arguments.idle {
                lower_priority();
            }
            generator.engine()
        };
        let play = |engine: &mut Engine, number| match generator.play(engine, number, stop) {
            Ok(game) => game.map(|game| Ok((number, game))),
            Err(error) => Some(Err(format!("game {number}: {error}"))),
        };
        // A panic must not leave the other threads waiting for a game that never comes.
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
            if described.elapsed() >= DESCRIBE_INTERVAL {
                described = Instant::now();
                self.describe();
            }
            if self.failed.is_some() || arguments.enough(&self.series.totals(), began) {
                full.store(true, Ordering::Relaxed);
            }
        });
        self.describe();
    }

    fn keep(&mut self, number: u64, game: Vec<u8>) {
        if let Err(error) = self.series.add(number, game) {
            self.failed.get_or_insert(error.to_string());
        }
        self.progress.show(&self.series.totals());
    }

    fn describe(&mut self) {
        if let Err(error) = self.series.describe() {
            self.failed.get_or_insert(error.to_string());
        }
    }
}

/// Lowers the priority of the task group on Linux, where with automatic groups a thread's priority counts only within
/// its session. The session must be this program's own (`setsid`), or other programs of it would be slowed down too.
#[cfg(target_os = "linux")]
fn lower_group_priority() {
    if nix::unistd::getsid(None) == Ok(nix::unistd::getpid()) {
        // Without automatic groups the file is missing, and the thread's priority is enough.
        let _ = std::fs::write("/proc/self/autogroup", "19");
    }
}

#[cfg(not(target_os = "linux"))]
fn lower_group_priority() {}

/// Lowers the priority of this thread as far as it goes.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    let lowered = {
        use thread_priority::{NormalThreadSchedulePolicy, ThreadSchedulePolicy};
        let policy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
        let thread = thread_priority::thread_native_id();
        thread_priority::set_thread_priority_and_policy(thread, ThreadPriority::Min, policy)
    };
    #[cfg(not(target_os = "linux"))]
    let lowered = thread_priority::set_current_thread_priority(ThreadPriority::Min);
    if let Err(error) = lowered {
        log::warn!("the priority could not be lowered: {error:?}");
    }
}

/// Shows progress: a bar on a terminal, a line a minute elsewhere.
struct Progress {
    bar: ProgressBar,
    began: Instant,
    last_line: Instant,
    before: Totals,
    games: Option<u64>,
    positions: Option<u64>,
    time: Option<Duration>,
}

/// How often a line is printed when there is no terminal for a bar.
const LINE_INTERVAL: Duration = Duration::from_secs(60);

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
        Self { bar, began: now, last_line: now, before, games, positions, time }
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
        if hidden && self.last_line.elapsed() < LINE_INTERVAL {
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
            self.last_line = Instant::now();
        } else {
            self.bar.set_message(text);
            self.bar.tick();
        }
    }
}
