//! What the learners share: how games are played, and checkpoints.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::board::Position;
use crate::cli::shared::{milliseconds, whole};
use crate::cli::{Failure, terminal};
use crate::epd::suite::Suite;
use crate::learn::checkpoint::{self, RunSettings};
use crate::limits::Limits;
use crate::options::Options;
use crate::provenance::{digest, version};

/// How self-play games are played.
#[derive(clap::Args, Clone)]
pub(super) struct Play {
    /// Games or searches at once [default: one for each core]
    #[arg(long, value_parser = whole::<u32>(1..=512))]
    jobs: Option<u32>,
    /// Opening positions: a file (EPD or FEN), or the name of a suite
    #[arg(long, default_value = "openings", value_name = "FILE|NAME")]
    openings: String,
    /// Seed of the order in which openings are played
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0..))]
    pub seed: u64,
    #[command(flatten)]
    thinking: Thinking,
}

/// How long to think about a move.
#[derive(clap::Args, Clone)]
#[group(multiple = false)]
struct Thinking {
    /// Nodes per move
    #[arg(long, value_parser = whole::<u64>(1..))]
    nodes: Option<u64>,
    /// Plies per move
    #[arg(long, value_parser = whole::<i32>(1..=60))]
    depth: Option<i32>,
    /// Time per move, such as 100ms or 2s; such games cannot be repeated exactly
    #[arg(long, value_parser = milliseconds)]
    time: Option<u64>,
}

impl Play {
    /// Games or searches at once.
    pub(super) fn jobs(&self) -> usize {
        self.jobs.map_or_else(|| terminal::engines_at_once(1), |jobs| jobs as usize)
    }

    /// How long to think, `nodes` if nothing was said.
    pub(super) fn limits(&self, nodes: u64) -> Limits {
        match &self.thinking {
            Thinking { depth: Some(plies), .. } => Limits::depth(*plies),
            Thinking { time: Some(ms), .. } => {
                Limits { move_time: Some(Duration::from_millis(*ms)), ..Limits::default() }
            }
            Thinking { nodes: asked, .. } => Limits::nodes(asked.unwrap_or(nodes)),
        }
    }

    /// The same in words.
    pub(super) fn pace(&self, nodes: u64) -> String {
        match &self.thinking {
            Thinking { depth: Some(plies), .. } => format!("depth {plies}"),
            Thinking { time: Some(ms), .. } => format!("{ms} ms"),
            Thinking { nodes: asked, .. } => format!("{} nodes", asked.unwrap_or(nodes)),
        }
    }

    /// The positions in which games begin.
    pub(super) fn openings(&self) -> Result<Vec<Position>, Failure> {
        let suite = Suite::load(&self.openings, false).map_err(Failure::Wrong)?;
        if let Some(defect) = suite.defects.iter().find(|defect| defect.fatal) {
            return Err(Failure::Wrong(defect.to_string()));
        }
        let openings: Vec<Position> = suite.tasks.into_iter().map(|task| task.position).collect();
        match openings.iter().find(|opening| opening.legal_moves().is_empty()) {
            Some(over) => Err(Failure::Wrong(format!("{}: no legal move in {}", self.openings, over.fen()))),
            None => Ok(openings),
        }
    }

    /// What makes a run that plays from these openings this run; `nodes` a move if nothing was said.
    pub(super) fn settings(&self, options: &Options, nodes: u64, openings: &[Position]) -> RunSettings {
        let fens: String = openings.iter().map(|opening| opening.fen() + "\n").collect();
        let mut settings = settings_of(options, "openings", &self.openings, &fens);
        settings.insert("seed".to_owned(), self.seed.to_string());
        settings.insert("thinking".to_owned(), self.pace(nodes));
        settings
    }

    /// True if plies or a time were asked for.
    pub(super) fn is_without_nodes(&self) -> bool {
        self.thinking.depth.is_some() || self.thinking.time.is_some()
    }
}

/// What every run depends on: the search, its options, and the files they name.
pub(super) fn settings_of(options: &Options, what: &str, name: &str, contents: &str) -> RunSettings {
    let mut settings = checkpoint::settings_of(options);
    settings.insert(what.to_owned(), format!("{name} {}", digest(contents.as_bytes())));
    settings.insert("version".to_owned(), version());
    settings
}

/// Every core has a search of its own, so that none depends on how many there are.
pub(super) fn one_thread(options: &Options) -> Result<(), Failure> {
    for (name, value) in [("Threads", options.threads), ("MultiPV", options.multi_pv)] {
        if value > 1 {
            let what = format!(
                "{name}={value}: learners search one line with one thread (--jobs: searches at once)"
            );
            return Err(Failure::Wrong(what));
        }
    }
    Ok(())
}

/// The file that a picture or table is written to beside `out`, which must be another one.
pub(super) fn beside(out: &Path, ending: &str) -> Result<PathBuf, Failure> {
    let stem = out.file_stem().unwrap_or_default().to_string_lossy();
    let path = out.with_file_name(format!("{stem}{ending}"));
    if path == out {
        let what = format!(
            "{}: a picture or table of this name is written beside the result; choose another name",
            out.display()
        );
        return Err(Failure::Wrong(what));
    }
    Ok(path)
}

/// The file has a folder to be in and is none itself.
pub(super) fn can_be_written(out: &Path) -> Result<(), Failure> {
    let wrong = |what: &str| Err(Failure::Wrong(format!("{}: {what}", out.display())));
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    if out.is_dir() {
        return wrong("a folder; --out wants the name of a file");
    } else if folder.is_some_and(|folder| !folder.is_dir()) {
        return wrong("there is no such folder; make it first");
    }
    Ok(())
}

/// How fast games are played.
pub(super) struct Speed {
    began: Instant,
    before: usize,
}

impl Speed {
    /// Starts the clock, with `before` games already played.
    pub(super) fn since(before: usize) -> Self {
        Self { began: Instant::now(), before }
    }

    /// How many games there are now and how fast they came, in words.
    pub(super) fn of(&self, games: usize) -> String {
        let minutes = self.began.elapsed().as_secs_f64().max(1e-3) / 60.0;
        format!("{games} games, {:.1} a minute", (games - self.before.min(games)) as f64 / minutes)
    }
}

/// Says so if a run was interrupted, and what it has done.
pub(super) fn said_if_interrupted(stop: &AtomicBool, done: &str) -> Result<(), Failure> {
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::Wrong(format!("interrupted: {done}; run the same command to resume")));
    }
    Ok(())
}

/// A checkpoint beside the file that a run will write.
pub(super) struct Checkpoint {
    path: PathBuf,
    kind: &'static str,
    settings: RunSettings,
    written: Instant,
}

/// A checkpoint is not written more often than this, unless something asks for it.
const PAUSE: Duration = Duration::from_secs(20);

impl Checkpoint {
    pub(super) fn new(out: &Path, kind: &'static str, settings: RunSettings) -> Self {
        let path = out.with_added_extension("checkpoint");
        Self { path, kind, settings, written: Instant::now() }
    }

    /// Where an earlier run stood, or nothing if there was none.
    pub(super) fn read<T: DeserializeOwned + Default>(&self) -> Result<T, Failure> {
        let wrong = |what: String| self.wrong(&what);
        match std::fs::read_to_string(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(T::default()),
            Err(error) => Err(wrong(error.to_string())),
            Ok(text) => checkpoint::read(self.kind, &self.settings, &text).map_err(wrong),
        }
    }

    /// The same, and makes sure that it and the result can be written: better known before the first game than
    /// after the last.
    pub(super) fn resume<T: DeserializeOwned + Default + Serialize>(&mut self) -> Result<T, Failure> {
        can_be_written(&self.path.with_extension(""))?;
        let before = self.path.exists();
        let state = self.read()?;
        self.write(&state)?;
        // Nothing is kept of a run that has not begun, which may have been a mistake.
        if !before && let Err(error) = std::fs::remove_file(&self.path) {
            log::warn!("{}: {error}", self.path.display());
        }
        Ok(state)
    }

    /// Says that a run is resumed, unless it begins.
    pub(super) fn say_resuming(&self, done: usize, what: &str) {
        if done > 0 {
            terminal::say(format_args!("resuming after {done} {what}"));
        }
    }

    /// Something is wrong with what the file holds.
    pub(super) fn wrong(&self, what: &str) -> Failure {
        Failure::Wrong(format!("{}: {what} (move the file away to start over)", self.path.display()))
    }

    /// Keeps where the run stands.
    pub(super) fn write<T: Serialize>(&mut self, state: &T) -> Result<(), Failure> {
        self.written = Instant::now();
        let text = checkpoint::write(self.kind, &self.settings, state).map_err(Failure::Wrong)?;
        terminal::write_file(&self.path, text)
    }

    /// The same, if it is some time ago that it was done. An error is reported and the run continues: there may be
    /// room again at the next write.
    pub(super) fn write_now_and_then<T: Serialize>(&mut self, state: &T) {
        if self.written.elapsed() >= PAUSE
            && let Err(Failure::Wrong(error)) = self.write(state)
        {
            terminal::say(format_args!("{error}"));
        }
    }
}
