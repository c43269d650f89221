//! Shared by the learners: arguments for self-play, and checkpoints.

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

    /// The limits per move; `nodes` unless another limit is given.
    pub(super) fn limits(&self, nodes: u64) -> Limits {
        match &self.thinking {
            Thinking { depth: Some(plies), .. } => Limits::depth(*plies),
            Thinking { time: Some(ms), .. } => {
                Limits { move_time: Some(Duration::from_millis(*ms)), ..Limits::default() }
            }
            Thinking { nodes: asked, .. } => Limits::nodes(asked.unwrap_or(nodes)),
        }
    }

    /// The limits in words.
    pub(super) fn pace(&self, nodes: u64) -> String {
        match &self.thinking {
            Thinking { depth: Some(plies), .. } => format!("depth {plies}"),
            Thinking { time: Some(ms), .. } => format!("{ms} ms"),
            Thinking { nodes: asked, .. } => format!("{} nodes", asked.unwrap_or(nodes)),
        }
    }

    /// The opening positions.
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

    /// Everything that changes the result of a run from these openings, with `nodes` per move by default.
    pub(super) fn settings(&self, options: &Options, nodes: u64, openings: &[Position]) -> RunSettings {
        let fens: String = openings.iter().map(|opening| opening.fen() + "\n").collect();
        let mut settings = settings_of(options, "openings", &self.openings, &fens);
        settings.insert("seed".to_owned(), self.seed.to_string());
        settings.insert("thinking".to_owned(), self.pace(nodes));
        settings
    }

    /// Whether the limit is plies or time.
    pub(super) fn is_without_nodes(&self) -> bool {
        self.thinking.depth.is_some() || self.thinking.time.is_some()
    }
}

/// What the result of every run depends on: version, options, and the contents of a file.
pub(super) fn settings_of(options: &Options, what: &str, name: &str, contents: &str) -> RunSettings {
    let mut settings = checkpoint::settings_of(options);
    settings.insert(what.to_owned(), format!("{name} {}", digest(contents.as_bytes())));
    settings.insert("version".to_owned(), version());
    settings
}

/// Learners run one single-threaded search per core, so that results do not depend on the number of cores.
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

/// The path of a picture or table beside `out`. It is an error if they are the same.
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

/// Checks that the folder of the file exists and that the file is not a folder itself.
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

/// The state of a part of a run that `--merge` names, from the checkpoint beside its file; `wrong` makes errors about
/// that part.
pub(super) fn read_part<T: DeserializeOwned>(
    path: &Path,
    kind: &str,
    settings: &RunSettings,
    wrong: impl Fn(String) -> Failure,
) -> Result<T, Failure> {
    let text = std::fs::read_to_string(path.with_added_extension("checkpoint"));
    let text = text.map_err(|error| wrong(format!("its checkpoint: {error}")))?;
    checkpoint::read_part(kind, settings, &text).map_err(wrong)
}

/// Measures games per minute.
pub(super) struct Speed {
    began: Instant,
    before: usize,
}

impl Speed {
    /// Starts the clock, with `before` games already played.
    pub(super) fn since(before: usize) -> Self {
        Self { began: Instant::now(), before }
    }

    /// The number of games and their rate, in words.
    pub(super) fn of(&self, games: usize) -> String {
        let minutes = self.began.elapsed().as_secs_f64().max(1e-3) / 60.0;
        format!("{games} games, {:.1} a minute", (games - self.before.min(games)) as f64 / minutes)
    }
}

/// An error that says what was done, if the run was interrupted.
pub(super) fn error_if_interrupted(stop: &AtomicBool, done: &str) -> Result<(), Failure> {
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::Wrong(format!("interrupted: {done}; run the same command to resume")));
    }
    Ok(())
}

/// A checkpoint, written beside the result.
pub(super) struct Checkpoint {
    path: PathBuf,
    kind: &'static str,
    settings: RunSettings,
    written: Instant,
}

/// Least time between two periodic writes of a checkpoint.
const WRITE_INTERVAL: Duration = Duration::from_secs(20);

impl Checkpoint {
    pub(super) fn new(out: &Path, kind: &'static str, settings: RunSettings) -> Self {
        let path = out.with_added_extension("checkpoint");
        Self { path, kind, settings, written: Instant::now() }
    }

    /// The state of an earlier run, or the default if there was none.
    pub(super) fn read<T: DeserializeOwned + Default>(&self) -> Result<T, Failure> {
        let wrong = |what: String| self.wrong(&what);
        match std::fs::read_to_string(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(T::default()),
            Err(error) => Err(wrong(error.to_string())),
            Ok(text) => checkpoint::read(self.kind, &self.settings, &text).map_err(wrong),
        }
    }

    /// Like [`Self::read`], and checks that checkpoint and result can be written. An error is better before the first
    /// game than after the last.
    pub(super) fn resume<T: DeserializeOwned + Default + Serialize>(&mut self) -> Result<T, Failure> {
        can_be_written(&self.path.with_extension(""))?;
        let before = self.path.exists();
        let state = self.read()?;
        self.write(&state)?;
        // A run that stops before its first game leaves no file behind.
        if !before && let Err(error) = std::fs::remove_file(&self.path) {
            log::warn!("{}: {error}", self.path.display());
        }
        Ok(state)
    }

    /// Says that a run is resumed, unless nothing was done before.
    pub(super) fn say_resuming(&self, done: usize, what: &str) {
        if done > 0 {
            terminal::say(format_args!("resuming after {done} {what}"));
        }
    }

    /// An error about the contents of the checkpoint.
    pub(super) fn wrong(&self, what: &str) -> Failure {
        Failure::Wrong(format!("{}: {what} (move the file away to start over)", self.path.display()))
    }

    /// Writes the state of the run.
    pub(super) fn write<T: Serialize>(&mut self, state: &T) -> Result<(), Failure> {
        self.written = Instant::now();
        let text = checkpoint::write(self.kind, &self.settings, state).map_err(Failure::Wrong)?;
        terminal::write_file(&self.path, text)
    }

    /// Writes the state if the last write was some time ago. After an error the run continues, because the disk may
    /// have room again at the next write.
    pub(super) fn write_periodically<T: Serialize>(&mut self, state: &T) {
        if self.written.elapsed() >= WRITE_INTERVAL
            && let Err(Failure::Wrong(error)) = self.write(state)
        {
            terminal::say(format_args!("{error}"));
        }
    }
}
