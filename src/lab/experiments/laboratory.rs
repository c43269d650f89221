//! Where experiments are made: suites are found, searched with all cores and written down; games are played.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::measured::Measured;
use super::notebook::{Heading, Notebook, Taken};
use super::{Interrupted, SEED, games};
use crate::board::Game;
use crate::engine::Engine;
use crate::lab::epd::Task;
use crate::lab::matches::standing::Standing;
use crate::lab::provenance::{Configuration, PRESET, Provenance, digest};
use crate::lab::runner::{Answer, ask};
use crate::lab::suite::Suite;
use crate::lab::table::Table;
use crate::limits::Limits;
use crate::options::Options;
use crate::options::settings_file;
use crate::parallel::parallel_map;
use crate::search::observer::Tally;
use crate::search::{Outcome, Search, Statistics};
use crate::uci::Program;

/// How an experiment is made.
pub struct Laboratory<'a> {
    /// Options of every engine unless the experiment changes them.
    pub options: &'a Options,
    /// A short form of the experiment is wanted.
    pub quick: bool,
    /// Positions or games at once.
    pub jobs: usize,
    /// A folder to look for suites in first.
    pub suites: Option<&'a Path>,
    /// Positions of a suite at the most; 0 for as many as the experiment wants.
    pub positions: usize,
    /// Where results go; games are kept there too.
    pub out: Option<&'a Path>,
    /// End as soon as this is raised.
    pub stop: &'a AtomicBool,
    /// Hears what is being done, and of every piece of it.
    pub progress: &'a (dyn Fn(LabProgress) + Sync),
    notebook: Mutex<Notebook>,
    notes: Mutex<Vec<String>>,
    complaints: Mutex<Vec<String>>,
    /// Matches, finished or not, and how they stand.
    matches: Mutex<Vec<(String, Standing)>>,
    /// What the user has set.
    set: Vec<String>,
    /// Every setting that was used.
    used: Mutex<BTreeMap<String, Configuration>>,
}

/// How much of an experiment is made, and how fast.
#[derive(Copy, Clone, Debug)]
pub struct Size {
    /// The short form.
    pub quick: bool,
    /// Positions of a suite at the most; 0 for as many as the experiment wants.
    pub positions: usize,
    /// Positions or games at once.
    pub jobs: usize,
}

/// What is being done.
#[derive(Clone, Debug)]
pub enum LabProgress {
    /// A measurement of so many pieces begins.
    Begin(String, u64),
    /// One piece more is done.
    Piece,
}

impl<'a> Laboratory<'a> {
    /// A laboratory whose notebook is in `out`, if there is one.
    pub fn new(
        experiment: &str,
        options: &'a Options,
        Size { quick, positions, jobs }: Size,
        (suites, out): (Option<&'a Path>, Option<&'a Path>),
        (stop, progress): (&'a AtomicBool, &'a (dyn Fn(LabProgress) + Sync)),
    ) -> Result<Self, String> {
        let heading = Heading {
            experiment: experiment.to_owned(),
            provenance: Provenance::new(options, SEED),
            quick,
            suites: suites.is_some(),
            positions,
        };
        let notebook =
            out.map_or_else(|| Ok(Notebook::default()), |folder| Notebook::open(folder, &heading))?;
        let (notebook, notes, complaints) = (Mutex::new(notebook), Mutex::default(), Mutex::default());
        let (used, matches) = (Mutex::default(), Mutex::default());
        Ok(Self {
            options,
            quick,
            jobs,
            suites,
            positions,
            out,
            stop,
            progress,
            notebook,
            notes,
            complaints,
            matches,
            used,
            set: Vec::new(),
        })
    }

    /// What was measured, finished or not: searches, then games.
    pub fn so_far(&self) -> Vec<Table> {
        let searches = self.notebook.lock().unwrap_or_else(PoisonError::into_inner).so_far();
        let mut games = Table::new(&games::columns(&["match so far"]));
        for (name, standing) in self.matches.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            games.push([name.clone()].into_iter().chain(games::cells(standing)));
        }
        let used = self.used();
        let named = |cell: &String| {
            used.iter().fold(cell.clone(), |cell, (hash, setting)| cell.replace(hash, &setting.changes()))
        };
        let tables = [searches, games].into_iter().filter(|table| !table.rows.is_empty());
        let in_words = |mut table: Table| {
            table.rows.iter_mut().filter_map(|row| row.first_mut()).for_each(|cell| *cell = named(cell));
            table
        };
        tables.map(in_words).collect()
    }

    /// Remembers how a match stands.
    pub(super) fn played(&self, name: String, standing: &Standing) {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner).push((name, standing.clone()));
    }

    /// One of two values, by whether the experiment is a quick one.
    pub fn either<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }

    /// The same with what the user has set, `NAME=VALUE`, in this order: it outlasts the presets of an experiment.
    pub fn setting(self, set: Vec<String>) -> Self {
        Self { set, ..self }
    }

    /// The options of the laboratory with these on top. A preset among them comes first and takes the place of
    /// the laboratory's own; what the user set besides stays set.
    pub fn with(&self, assignments: &[&str]) -> Result<Options, String> {
        let mut options = self.options.clone();
        let set = |options: &mut Options, assignment: &str| {
            let (name, value) = assignment.split_once('=').unwrap_or((assignment, ""));
            options.set(name, value).map_err(|error| format!("{assignment}: {error}"))?;
            let is_file = name.eq_ignore_ascii_case(settings_file::OPTION);
            if is_file { settings_file::load_named(options) } else { Ok(()) }
        };
        let is_preset = |assignment: &str| assignment.split('=').next() == Some(PRESET);
        if let Some(preset) = assignments.iter().find(|assignment| is_preset(assignment)) {
            set(&mut options, preset)?;
            let chosen = options.preset;
            for users in &self.set {
                set(&mut options, users)?;
                if options.preset != chosen {
                    return Err(format!("{users}: this experiment chooses its presets itself ({preset})"));
                }
            }
        }
        assignments
            .iter()
            .filter(|a| !is_preset(a))
            .try_for_each(|assignment| set(&mut options, assignment))?;
        let configuration = Configuration::of(&options);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.insert(configuration.hash.clone(), configuration);
        Ok(options)
    }

    /// Every setting that was used so far, by its hash.
    pub fn used(&self) -> BTreeMap<String, Configuration> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Something in the user's files is wrong; said once.
    pub(super) fn complain(&self, what: String) {
        let mut complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        if !complaints.contains(&what) {
            complaints.push(what);
        }
    }

    /// Everything that was wrong so far.
    pub fn complaints(&self) -> Vec<String> {
        self.complaints.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Something the reader of the result should know; said once.
    pub fn note(&self, text: String) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&text) {
            notes.push(text);
        }
    }

    /// All notes so far.
    pub fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Searches a suite, or what is not in the notebook yet.
    pub fn measure(
        &self,
        suite: &Suite,
        options: &Options,
        limits: &Limits,
    ) -> Result<Measured, Interrupted> {
        let mut measured = self.measure_all(&[(suite, options.clone(), limits.clone())])?;
        Ok(measured.pop().unwrap_or_default())
    }

    /// Searches suites, or what is not in the notebook yet: all of them together, so that no core waits for the
    /// slowest position of each.
    pub fn measure_all(&self, searches: &[(&Suite, Options, Limits)]) -> Result<Vec<Measured>, Interrupted> {
        let cells = searches.iter().map(|(suite, options, limits)| {
            let name = cell_name(suite, options, limits);
            (name, suite.tasks.len())
        });
        let programs: Vec<Program> = searches.iter().map(|(_, options, _)| options.clone().into()).collect();
        let taken = self.each_of(&cells.collect::<Vec<_>>(), |cell, task| {
            let (suite, _, limits) = &searches[cell];
            let answer = ask(&programs[cell], &suite.tasks[task], limits, self.stop);
            match answer.trouble {
                _ if self.stop.load(Ordering::Relaxed) => Err(Interrupted::Stopped),
                Some(trouble) => Err(Interrupted::Wrong(trouble.to_string())),
                None => Ok(taken_from(&answer)),
            }
        })?;
        Ok(taken.into_iter().map(|taken| Measured { taken }).collect())
    }

    /// Makes so many pieces of work on all cores, or those that are not in the notebook yet.
    pub fn each<T: Serialize + DeserializeOwned + Send>(
        &self,
        cell: &str,
        count: usize,
        work: impl Fn(usize) -> Result<T, Interrupted> + Sync,
    ) -> Result<Vec<T>, Interrupted> {
        let mut made = self.each_of(&[(cell.to_owned(), count)], |_, piece| work(piece))?;
        Ok(made.pop().unwrap_or_default())
    }

    /// The same for several kinds of pieces, each with a name and a number; `work` hears which kind and which
    /// piece of it.
    fn each_of<T: Serialize + DeserializeOwned + Send>(
        &self,
        cells: &[(String, usize)],
        work: impl Fn(usize, usize) -> Result<T, Interrupted> + Sync,
    ) -> Result<Vec<Vec<T>>, Interrupted> {
        let notebook = self.notebook.lock().unwrap_or_else(PoisonError::into_inner);
        let mut done: Vec<HashMap<usize, T>> = cells.iter().map(|(name, _)| notebook.cell(name)).collect();
        drop(notebook);
        let all = |cell: usize| (0..cells[cell].1).map(move |piece| (cell, piece));
        let missing = (0..cells.len()).flat_map(all).filter(|(cell, piece)| !done[*cell].contains_key(piece));
        let missing: Vec<(usize, usize)> = missing.collect();
        let what = match cells {
            [(name, _)] => name.clone(),
            several => format!("{} measurements", several.len()),
        };
        (self.progress)(LabProgress::Begin(what, missing.len() as u64));
        let (failed, mut trouble) = (AtomicBool::new(false), None);
        let make = |(): &mut (), (cell, piece)| {
            (!failed.load(Ordering::Relaxed)).then(|| (cell, piece, work(cell, piece)))
        };
        let unwritten = |error| Interrupted::Wrong(format!("the notebook cannot be written: {error}"));
        let keep = |(cell, piece, found): (usize, usize, Result<T, Interrupted>)| {
            let mut notebook = self.notebook.lock().unwrap_or_else(PoisonError::into_inner);
            let written = found.and_then(|found| {
                notebook.add(&cells[cell].0, piece, &found).map_err(unwritten).map(|()| found)
            });
            match written {
                Ok(found) => {
                    (self.progress)(LabProgress::Piece);
                    done[cell].insert(piece, found);
                }
                Err(error) => {
                    failed.store(true, Ordering::Relaxed);
                    trouble.get_or_insert(error);
                }
            }
        };
        parallel_map(self.jobs, missing.into_iter(), self.stop, || (), make, keep);
        let in_order = |(mut done, &(_, count)): (HashMap<usize, T>, &(String, usize))| {
            (0..count).map(|piece| done.remove(&piece)).collect::<Option<Vec<T>>>()
        };
        match trouble {
            Some(trouble) => Err(trouble),
            None => {
                done.into_iter().zip(cells).map(in_order).collect::<Option<_>>().ok_or(Interrupted::Stopped)
            }
        }
    }

    /// What the methods do in the searches of a suite.
    pub fn statistics(
        &self,
        suite: &Suite,
        options: &Options,
        limits: &Limits,
    ) -> Result<Statistics, Interrupted> {
        let cell = format!("counting on {}", cell_name(suite, options, limits));
        let parts = self.each(&cell, suite.tasks.len(), |index| {
            let mut engine = Engine::new(options.clone());
            engine.set_game(Game::new(suite.tasks[index].position.clone()));
            Ok(sound(engine.start(Search::new(limits.clone()).observer(Tally::default())).wait())?
                .statistics())
        })?;
        Ok(parts.into_iter().fold(Statistics::default(), Statistics::and))
    }
}

/// Names a measurement: what is searched, how long and with which options.
pub(super) fn cell_name(suite: &Suite, options: &Options, limits: &Limits) -> String {
    let line = |task: &Task| {
        let Task { position, best, avoid, mate, points, .. } = task;
        format!("{} {best:?} {avoid:?} {mate:?} {points:?}\n", position.fen())
    };
    let positions: String = suite.tasks.iter().map(line).collect();
    let changed = Configuration::of(options);
    let limit = match (limits.depth, limits.nodes, limits.move_time) {
        (Some(plies), ..) => format!("{plies} plies"),
        (_, Some(nodes), _) => format!("{nodes} nodes"),
        (.., Some(time)) => format!("{} ms", time.as_millis()),
        _ => "no limit".to_owned(),
    };
    format!("{} {} {limit} {}", suite.name, digest(positions.as_bytes()), changed.hash)
}

/// What a search found, unless it broke down.
pub(super) fn sound(outcome: Outcome) -> Result<Outcome, Interrupted> {
    match &outcome.panicked {
        Some(panic) => Err(Interrupted::Wrong(format!("a search panicked: {panic}"))),
        None => Ok(outcome),
    }
}

fn taken_from(answer: &Answer) -> Taken {
    Taken {
        solved: answer.solved,
        nodes: answer.total.nodes,
        depth: answer.total.depth,
        score: answer.score.map(|score| score.raw()),
        ms: answer.total.time.as_secs_f64() * 1e3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn pieces_are_made_once_and_in_order_whatever_the_jobs() {
        let folder = std::env::temp_dir().join(format!("espalier-pieces-{}", std::process::id()));
        let (options, stop, made) = (Options::defaults(), AtomicBool::new(false), AtomicUsize::new(0));
        let squares = |jobs: usize, most: usize| {
            let size = Size { quick: true, positions: 0, jobs };
            let lab =
                Laboratory::new("some", &options, size, (None, Some(&folder)), (&stop, &|_| {})).unwrap();
            lab.each("squares", 9, |piece| {
                if made.fetch_add(1, Ordering::Relaxed) >= most {
                    return Err(Interrupted::Stopped);
                }
                Ok(HashMap::from([("square".to_owned(), piece * piece)]))
            })
        };
        assert_eq!(squares(1, 4), Err(Interrupted::Stopped));
        let again = squares(3, usize::MAX).unwrap();
        assert_eq!(
            again.iter().map(|piece| piece["square"]).collect::<Vec<_>>(),
            (0..9).map(|n| n * n).collect::<Vec<_>>()
        );
        assert_eq!(made.load(Ordering::Relaxed), 10, "four, one refused, and the five that were missing");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_the_user_sets_survives_the_presets_of_an_experiment() {
        let mut options = Options::defaults();
        options.set("NullMove", "false").unwrap();
        options.set("Hash", "2").unwrap();
        let (stop, size) = (AtomicBool::new(false), Size { quick: true, positions: 0, jobs: 1 });
        let new = || Laboratory::new("some", &options, size, (None, None), (&stop, &|_| {})).unwrap();
        let set = |text: &str| text.split(' ').map(str::to_owned).collect();
        let lab = new().setting(set("NullMove=false Hash=2"));
        let changed = |more: &[&str]| Configuration::of(&lab.with(more).unwrap()).changed();
        let turk = changed(&["MultiCut=true", "Preset=Turk"]);
        assert_eq!(turk[..2], ["Preset=Turk", "Hash=2"]);
        assert!(turk.contains(&"MultiCut=true".to_owned()) && !turk.contains(&"NullMove=true".to_owned()));
        assert!(!lab.with(&["Preset=Turk"]).unwrap().selective.null_move.on);
        let with_null_move = new().setting(set("NullMove=true"));
        assert!(
            with_null_move.with(&["Preset=FullWidth"]).unwrap().selective.null_move.on,
            "a default is set, too"
        );
        let other = new().setting(set("Preset=Crafty"));
        assert!(other.with(&["Preset=Turk"]).unwrap_err().contains("chooses its presets itself"));
        let path = std::env::temp_dir().join(format!("espalier-lab-{}.txt", std::process::id()));
        std::fs::write(&path, "NullMoveReduction=150\n").unwrap();
        let by_file = new().setting(vec![format!("{}={}", settings_file::OPTION, path.display())]);
        let reduction = by_file.with(&["Preset=Turk"]).map(|options| options.selective.null_move.reduction);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(reduction, Ok(150), "a file of settings outlasts presets, too");
        assert!(lab.with(&["NoSuchThing=1"]).is_err());
    }
}
