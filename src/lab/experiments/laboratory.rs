//! Runs the measurements of an experiment on all cores and records them, so that a run can resume.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::measured::Measured;
use super::notebook::{MeasuredSearch, Notebook};
use super::records::{Records, Remarks, say_once};
use super::{Interrupted, Setup, Watch};
use crate::board::Game;
use crate::engine::Engine;
use crate::epd::Task;
use crate::epd::suite::Suite;
use crate::lab::matches::standing::Standing;
use crate::lab::runner::{Answer, ask};
use crate::limits::Limits;
use crate::options::Options;
use crate::parallel::{Jobs, parallel_map};
use crate::provenance::{Configuration, digest};
use crate::search::observer::Tally;
use crate::search::{Outcome, Search, Statistics};
use crate::text_table::Table;
use crate::uci::Program;

/// The setup of an experiment, its progress, and its records.
pub(crate) struct Laboratory<'a> {
    /// Options and size of the experiment.
    pub setup: Setup<'a>,
    /// Stop flag and progress reports.
    pub watch: Watch<'a>,
    records: Mutex<Records>,
    remarks: Mutex<Remarks>,
}

impl<'a> Laboratory<'a> {
    /// A laboratory with its notebook in the folder for results.
    pub(crate) fn new(experiment: &str, setup: Setup<'a>, watch: Watch<'a>) -> Result<Self, String> {
        let heading = setup.heading(experiment);
        let notebook = setup.out.map(|folder| Notebook::open(folder, &heading)).transpose()?;
        let records = Records { notebook: notebook.unwrap_or_default(), ..Records::default() };
        Ok(Self { setup, watch, records: Mutex::new(records), remarks: Mutex::default() })
    }

    /// Tables of everything measured so far: searches, then games.
    pub(crate) fn so_far(&self) -> Vec<Table> {
        self.records.lock().so_far()
    }

    /// Records the standing of a match.
    pub(super) fn played(&self, name: String, standing: &Standing) {
        self.records.lock().matches.push((name, standing.clone()));
    }

    /// The first value in a quick run, the second in a full one.
    pub(super) fn either<T>(&self, quick: T, full: T) -> T {
        if self.setup.size.quick { quick } else { full }
    }

    /// The options of the run with these assignments applied. A preset among them comes first and replaces the preset of
    /// the run; options that the user set keep their values.
    pub(super) fn with(&self, assignments: &[&str]) -> Result<Options, String> {
        let options = self.setup.options_with(assignments)?;
        let configuration = Configuration::of(&options);
        self.records.lock().used.insert(configuration.hash.clone(), configuration);
        Ok(options)
    }

    /// Every setting that was used so far, by its hash.
    pub(crate) fn used(&self) -> BTreeMap<String, Configuration> {
        self.records.lock().used.clone()
    }

    /// Records a problem in the user's files, once.
    pub(super) fn complain(&self, what: String) {
        say_once(&mut self.remarks.lock().complaints, what);
    }

    /// The problems so far.
    pub(crate) fn complaints(&self) -> Vec<String> {
        self.remarks.lock().complaints.clone()
    }

    /// Records a note for the reader of the results, once.
    pub(super) fn note(&self, text: String) {
        say_once(&mut self.remarks.lock().notes, text);
    }

    /// The notes so far.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.remarks.lock().notes.clone()
    }

    /// Searches the positions of a suite that are not in the notebook yet.
    pub(crate) fn measure(
        &self,
        suite: &Suite,
        options: &Options,
        limits: &Limits,
    ) -> Result<Measured, Interrupted> {
        let mut measured = self.measure_all(&[(suite, options.clone(), limits.clone())])?;
        Ok(measured.pop().unwrap_or_default())
    }

    /// Searches several suites together, so that no core waits for the slowest position of each.
    pub(crate) fn measure_all(
        &self,
        searches: &[(&Suite, Options, Limits)],
    ) -> Result<Vec<Measured>, Interrupted> {
        let cells = searches.iter().map(|(suite, options, limits)| {
            let name = cell_name(suite, options, limits);
            (name, suite.tasks.len())
        });
        let programs: Vec<Program> = searches.iter().map(|(_, options, _)| options.clone().into()).collect();
        let searched = self.each_of(&cells.collect::<Vec<_>>(), |cell, task| {
            let (suite, _, limits) = &searches[cell];
            let answer = ask(&programs[cell], &suite.tasks[task], limits, self.watch.stop);
            match answer.failure {
                _ if self.watch.is_stopped() => Err(Interrupted::Stopped),
                Some(failure) => Err(Interrupted::Wrong(failure.to_string())),
                None => Ok(measured_search(&answer)),
            }
        })?;
        Ok(searched.into_iter().map(|searches| Measured { searches }).collect())
    }

    /// Does `count` pieces of work on all cores, except those already in the notebook.
    pub(crate) fn each<T: Serialize + DeserializeOwned + Send>(
        &self,
        cell: &str,
        count: usize,
        work: impl Fn(usize) -> Result<T, Interrupted> + Sync,
    ) -> Result<Vec<T>, Interrupted> {
        let mut made = self.each_of(&[(cell.to_owned(), count)], |_, piece| work(piece))?;
        Ok(made.pop().unwrap_or_default())
    }

    /// Like [`Self::each`] for several cells, given by name and number of pieces; `work` gets the cell and the piece.
    fn each_of<T: Serialize + DeserializeOwned + Send>(
        &self,
        cells: &[(String, usize)],
        work: impl Fn(usize, usize) -> Result<T, Interrupted> + Sync,
    ) -> Result<Vec<Vec<T>>, Interrupted> {
        let mut done = self.done_before(cells);
        let all = |cell: usize| (0..cells[cell].1).map(move |piece| (cell, piece));
        let shard = self.setup.size.shard;
        let own = || (0..cells.len()).flat_map(all).filter(|(_, piece)| shard.has(*piece as u64));
        let missing = own().filter(|(cell, piece)| !done[*cell].contains_key(piece));
        let missing: Vec<(usize, usize)> = missing.collect();
        let pieces = own().count();
        self.watch.begin(self.in_words(cells), pieces as u64, (pieces - missing.len()) as u64);
        let (failed, mut failure) = (AtomicBool::new(false), None);
        let make = |(): &mut (), (cell, piece)| {
            (!failed.load(Ordering::Relaxed)).then(|| (cell, piece, work(cell, piece)))
        };
        let keep = |(cell, piece, found): (usize, usize, Result<T, Interrupted>)| match found
            .and_then(|found| self.write_down(&cells[cell].0, piece, found))
        {
            Ok(found) => {
                self.watch.piece_done();
                done[cell].insert(piece, found);
            }
            Err(error) => {
                failed.store(true, Ordering::Relaxed);
                failure.get_or_insert(error);
            }
        };
        let jobs = Jobs { count: self.setup.size.jobs, stop: self.watch.stop };
        parallel_map(jobs, missing.into_iter(), || (), make, keep);
        if let Some(failure) = failure {
            return Err(failure);
        }
        if !shard.is_whole() && !self.watch.is_stopped() {
            self.stand_ins(&mut done, cells, &work)?;
        }
        in_order(done, cells).ok_or(Interrupted::Stopped)
    }

    /// Fills in the pieces of other parts. A part has no results of its own but must run to its end to find all its
    /// pieces, so a copy of one of its own pieces stands in for each piece of another part. A part without a piece of a
    /// cell makes one and does not record it.
    fn stand_ins<T: Serialize + DeserializeOwned>(
        &self,
        done: &mut [HashMap<usize, T>],
        cells: &[(String, usize)],
        work: impl Fn(usize, usize) -> Result<T, Interrupted>,
    ) -> Result<(), Interrupted> {
        let wrong = |error: serde_json::Error| Interrupted::Wrong(error.to_string());
        for (cell, (done, (_, count))) in done.iter_mut().zip(cells).enumerate() {
            if done.is_empty() && *count > 0 {
                done.insert(0, work(cell, 0)?);
            }
            let Some(one) = done.values().next().map(serde_json::to_value) else { continue };
            let one = one.map_err(wrong)?;
            for piece in 0..*count {
                if let Entry::Vacant(missing) = done.entry(piece) {
                    missing.insert(serde_json::from_value(one.clone()).map_err(wrong)?);
                }
            }
        }
        Ok(())
    }

    /// Ends a part of an experiment here, because what follows depends on the results so far.
    pub(super) fn needs_all_parts(&self) -> Result<(), Interrupted> {
        if self.setup.size.shard.is_whole() { Ok(()) } else { Err(Interrupted::Part) }
    }

    /// Records that a part of an experiment is complete.
    pub(crate) fn finish_part(&self) -> Result<(), String> {
        self.records.lock().notebook.finish().map_err(|error| error.to_string())
    }

    /// What is measured, in words: the first cell, and the number of others.
    fn in_words(&self, cells: &[(String, usize)]) -> String {
        let used = &self.records.lock().used;
        match cells {
            [] => String::new(),
            [(name, _)] => in_words(name, used),
            [(name, _), rest @ ..] => format!("{} and {} more settings", in_words(name, used), rest.len()),
        }
    }

    /// The pieces of each cell that are in the notebook.
    fn done_before<T: DeserializeOwned>(&self, cells: &[(String, usize)]) -> Vec<HashMap<usize, T>> {
        let records = self.records.lock();
        cells.iter().map(|(name, _)| records.notebook.cell(name)).collect()
    }

    /// Adds a piece to the notebook and returns it.
    fn write_down<T: Serialize>(&self, cell: &str, piece: usize, found: T) -> Result<T, Interrupted> {
        let written = self.records.lock().notebook.add(cell, piece, &found);
        written
            .map(|()| found)
            .map_err(|error| Interrupted::Wrong(format!("the notebook cannot be written: {error}")))
    }

    /// Statistics of the methods over the searches of a suite.
    pub(crate) fn statistics(
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

/// The pieces of each cell in order; `None` if one is missing.
fn in_order<T>(done: Vec<HashMap<usize, T>>, cells: &[(String, usize)]) -> Option<Vec<Vec<T>>> {
    let kind = |(mut done, &(_, count)): (HashMap<usize, T>, &(String, usize))| {
        (0..count).map(|piece| done.remove(&piece)).collect()
    };
    done.into_iter().zip(cells).map(kind).collect()
}

/// The name of a measurement: suite, limit and options, with digests.
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

/// The name of a measurement for people: the digest of its options becomes their changes, others are left out.
pub(super) fn in_words(name: &str, used: &BTreeMap<String, Configuration>) -> String {
    let is_digest = |word: &str| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut words = Vec::new();
    let mut changes = None;
    for word in name.split(' ') {
        match used.get(word) {
            Some(configuration) => changes = Some(spoken_changes(configuration)),
            None if is_digest(word) => {}
            None => words.push(word),
        }
    }
    let name = words.join(" ");
    changes.map_or(name.clone(), |changes| format!("{name}, {changes}"))
}

/// `Preset Turk, MultiCut on`.
pub(super) fn spoken_changes(configuration: &Configuration) -> String {
    let spoken = |(name, value): (String, String)| match value.as_str() {
        "true" => format!("{name} on"),
        "false" => format!("{name} off"),
        _ => format!("{name} {value}"),
    };
    let changes: Vec<String> = configuration.assignments().into_iter().map(spoken).collect();
    if changes.is_empty() { "default options".to_owned() } else { changes.join(", ") }
}

/// The outcome of a search; an error if it panicked.
pub(super) fn sound(outcome: Outcome) -> Result<Outcome, Interrupted> {
    match &outcome.panicked {
        Some(panic) => Err(Interrupted::Wrong(format!("a search panicked: {panic}"))),
        None => Ok(outcome),
    }
}

fn measured_search(answer: &Answer) -> MeasuredSearch {
    MeasuredSearch {
        solved: answer.solved,
        nodes: answer.total.nodes,
        depth: answer.total.depth,
        score: answer.score.map(|score| score.raw()),
        ms: answer.total.time.as_secs_f64() * 1e3,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Size;
    use super::*;
    use crate::parallel::Shard;
    use std::sync::atomic::AtomicUsize;

    /// Runs an experiment or a part of it: its pieces, its games, and how many pieces were made.
    fn experiment(out: &std::path::Path, shard: Shard) -> (Vec<HashMap<String, usize>>, Standing, usize) {
        let (mut options, stop, made) = (Options::default(), AtomicBool::new(false), AtomicUsize::new(0));
        options.set("Hash", "1").unwrap();
        let size = Size { quick: true, positions: 0, jobs: 2, shard };
        let setup = Setup { options: &options, set: Vec::new(), size, suites: None, out: Some(out) };
        let lab = Laboratory::new("some", setup, Watch { stop: &stop, progress: &|_| {} }).unwrap();
        let pieces = lab.each("squares", 7, |piece| {
            made.fetch_add(1, Ordering::Relaxed);
            Ok(HashMap::from([("square".to_owned(), piece * piece)]))
        });
        let other = lab.with(&["NullMove=false"]).unwrap();
        let limit = super::super::games::nodes(200);
        let book = lab.openings("openings", 3).unwrap();
        let standing = lab.play([&options, &other], 6, limit, &book).unwrap();
        lab.finish_part().unwrap();
        (pieces.unwrap(), standing, made.into_inner())
    }

    #[test]
    fn parts_put_together_are_the_whole_run() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let (pieces, standing, made) = experiment(&place("whole"), Shard::WHOLE);
        assert_eq!((made, standing.games.total()), (7, 6));
        let mut parts = Vec::new();
        let mut together = 0;
        for shard in "1/3".parse::<Shard>().unwrap().all() {
            let part = place(&shard.to_string().replace('/', "-"));
            let (stand_ins, _, made) = experiment(&part, shard);
            assert_eq!(stand_ins.len(), 7);
            together += made;
            parts.push(part);
        }
        assert_eq!(together, 7);
        let merged = super::super::merge::merge(&parts, &place("merged")).unwrap();
        assert_eq!((merged.measurements, merged.games), (7, 6));
        let (again, played, made) = experiment(&place("merged"), Shard::WHOLE);
        assert_eq!((again, made), (pieces, 0), "nothing is measured again");
        assert_eq!((played.games, played.pairs), (standing.games, standing.pairs));
    }

    #[test]
    fn progress_is_told_in_words() {
        let mut options = Options::default();
        options.set("Preset", "Turk").unwrap();
        options.set("MultiCut", "true").unwrap();
        let changed = Configuration::of(&options);
        let suite = Suite::load("bk", false).unwrap();
        let name = cell_name(&suite, &options, &Limits::depth(7));
        let used = BTreeMap::from([(changed.hash.clone(), changed)]);
        assert_eq!(in_words(&name, &used), format!("{} 7 plies, Preset Turk, MultiCut on", suite.name));
        assert_eq!(in_words("squares", &used), "squares");
    }

    #[test]
    fn pieces_are_made_once_and_in_order_whatever_the_jobs() {
        let folder = std::env::temp_dir().join(format!("espalier-pieces-{}", std::process::id()));
        let (options, stop, made) = (Options::default(), AtomicBool::new(false), AtomicUsize::new(0));
        let squares = |jobs: usize, most: usize| {
            let size = Size { quick: true, positions: 0, jobs, shard: Shard::WHOLE };
            let setup = Setup { options: &options, set: Vec::new(), size, suites: None, out: Some(&folder) };
            let lab = Laboratory::new("some", setup, Watch { stop: &stop, progress: &|_| {} }).unwrap();
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
}
