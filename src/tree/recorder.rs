//! The observer that records the tree.

use std::io;
use std::path::{Path, PathBuf};

use super::Subject;
use super::draft::{Closed, Draft, publish};
use super::header::MAGIC;
use super::left_out::LeftOutMove;
use super::node::{DepthChange, TreeNode, short};
use super::open::{Open, Step, mix};
use super::summary::{IterationSummary, Meta, PURPOSES};
use crate::board::PackedMove;
use crate::depth::Depth;
use crate::files::may_be_replaced;
use crate::score::{Bound, Score};
use crate::search::Written;
use crate::search::event::{End, Event, Interest, Purpose, Visit};
use crate::search::observer::{MethodCount, Observer, Tally};
use crate::selective::Id;

/// Which iterations to keep.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The last complete one, and the stopped one after it, if any.
    Last,
    /// Every iteration, from depth 1.
    All,
}

/// Writes the tree of a search to a file. The default recorder, used by the helper threads of a search, records nothing.
#[derive(Default)]
pub struct Recorder(Option<Box<RecordingInProgress>>);

/// A recording in progress.
struct RecordingInProgress {
    path: PathBuf,
    keep: Keep,
    draft: Option<Draft>,
    kept: Vec<Closed>,
    iterations: Vec<IterationSummary>,
    /// Why recording ended before the search did.
    failed: Option<String>,
    path_down: Vec<Open>,
    /// The purpose of the next node, and its reduction.
    purpose: Option<Purpose>,
    reduced: (DepthChange, Depth),
    /// Numbers for the next node.
    asked: Option<[i32; 3]>,
    /// Number of open nodes by purpose.
    open: [u32; PURPOSES],
    /// Moves that the open nodes have left out, outermost node first.
    left_out: Vec<LeftOutMove>,
    /// Actions of the methods in this iteration, and in all.
    tally: Tally,
    total: Tally,
}

impl RecordingInProgress {
    fn on(&mut self, event: &Event) {
        match *event {
            Event::IterationBegins { depth } => self.begin(depth),
            Event::IterationEnds { value, .. } => self.end(value),
            Event::Attempt { .. } | Event::Answer { .. } | Event::Act { .. } => {
                self.tally.on(event);
                self.total.on(event);
            }
            Event::Asks(purpose) => self.purpose = Some(purpose),
            Event::Numbers(numbers) if self.purpose.is_some() => {
                self.asked = Some(numbers);
                return;
            }
            Event::LeftOut { method, m, by } if !self.path_down.is_empty() => {
                self.left_out.push(LeftOutMove::new(method, m, by));
            }
            Event::Entered(visit) => self.enter(visit),
            Event::Left { value, uncertain, end } => self.leave(value, uncertain, end),
            Event::Reduced { method, by, .. } => {
                let change =
                    if method == Id::RankCut { DepthChange::RankCut } else { DepthChange::LateMoves };
                self.reduced = (change, by);
            }
            _ => {}
        }
        if let Some(top) = self.path_down.last_mut() {
            top.on(event);
            if matches!(event, Event::Verifies(_)) {
                self.left_out.truncate(top.left_out_before);
            }
        }
    }

    fn enter(&mut self, visit: Visit) {
        let asked = self.purpose.take().unwrap_or(Purpose::Move);
        let reduced = std::mem::take(&mut self.reduced);
        let numbers = self.asked.take();
        let Some(parent) = self.path_down.last_mut() else { return };
        let purpose = match asked {
            Purpose::Move if parent.verifying => Purpose::Verification,
            asked => asked,
        };
        let mut open = Open::new(&visit, purpose);
        open.left_out_before = self.left_out.len();
        let node = &mut open.node;
        node.number = parent.number(purpose);
        if node.number > 0 {
            let Step { change, by, classes } = parent.step;
            (node.change, node.by, node.classes) = (change, by, classes);
            if reduced.1 > Depth::ZERO {
                (node.change, node.by) = (reduced.0, by + reduced.1);
            }
        }
        if purpose.keeps_position() {
            node.m = PackedMove::NONE;
        }
        if let Some(numbers) = numbers {
            node.numbers = numbers.map(short);
        }
        self.open[purpose as usize] += 1;
        self.path_down.push(open);
    }

    fn leave(&mut self, value: Score, uncertain: bool, end: End) {
        let Some(mut open) = self.path_down.pop() else { return };
        let level = self.path_down.len();
        if let Some(parent) = self.path_down.last_mut() {
            let mut child = TreeNode { value, bound: Bound::of(value, open.node.window), end, ..open.node };
            child.best = open.best.child;
            parent.learn(&mut child);
            open.node.raised = child.raised;
        }
        open.close(value, uncertain, end);
        let purpose = open.node.purpose as usize;
        if let Some(parent) = self.path_down.last_mut() {
            parent.hash = mix(parent.hash, open.hash);
            parent.nodes += open.nodes;
            parent.children += 1;
            self.open[purpose] -= 1;
        }
        if let Some(draft) = &mut self.draft {
            if level > 0 {
                draft.counter.add(&open.node, open.best.number, self.open[purpose] == 0);
            }
            if let Err(error) = draft.add(open.node, level, &self.left_out[open.left_out_before..]) {
                self.fail(&error);
            }
        }
        self.left_out.truncate(open.left_out_before);
    }

    fn fail(&mut self, error: &io::Error) {
        self.failed = Some(format!("recording ended: {}: {error}", self.path.display()));
        self.draft = None;
        self.path_down.clear();
        self.left_out.clear();
    }

    fn begin(&mut self, depth: i32) {
        if self.failed.is_some() {
            return;
        }
        self.tally = Tally::default();
        self.open = [0; PURPOSES];
        (self.purpose, self.reduced, self.asked) = (None, Default::default(), None);
        self.left_out.clear();
        self.path_down = vec![Open::iteration(depth)];
        match Draft::new(&self.path, depth) {
            Ok(draft) => self.draft = Some(draft),
            Err(error) => self.fail(&error),
        }
    }

    fn end(&mut self, value: Option<Score>) {
        while self.path_down.len() > 1 {
            self.leave(Score::NONE, true, End::Stopped);
        }
        let nodes = self.path_down.first().map_or(0, |open| open.nodes);
        match value {
            Some(value) => self.leave(value, false, End::AllMoves),
            None => self.leave(Score::NONE, true, End::Stopped),
        }
        let Some(draft) = self.draft.take() else { return };
        let time = draft.begun.elapsed();
        self.iterations.push(IterationSummary::new(draft.iteration, nodes, time, value));
        match draft.close(value.is_some(), &self.tally) {
            Ok(closed) => {
                if self.keep == Keep::Last && closed.is_complete() {
                    self.kept.clear();
                }
                self.kept.push(closed);
            }
            Err(error) => self.fail(&error),
        }
    }
}

impl Recorder {
    /// Records to this file, which is written by [`Self::finish`].
    pub fn new(path: &Path, keep: Keep) -> io::Result<Self> {
        // Fail before the search if the file cannot be written.
        may_be_replaced(path, |first| first.starts_with(&MAGIC))?;
        drop(Draft::new(path, 0)?);
        Ok(Self(Some(Box::new(RecordingInProgress {
            path: path.to_owned(),
            keep,
            draft: None,
            kept: Vec::new(),
            iterations: Vec::new(),
            failed: None,
            path_down: Vec::new(),
            purpose: None,
            reduced: Default::default(),
            asked: None,
            open: [0; PURPOSES],
            left_out: Vec::new(),
            tally: Tally::default(),
            total: Tally::default(),
        }))))
    }

    /// Writes the file. If recording failed during the search, writes what was recorded until then.
    pub fn finish(self, subject: &Subject) -> Result<Written, String> {
        let Some(recording) = self.0 else { return Err("nothing was recorded".to_owned()) };
        let RecordingInProgress { path, kept, iterations, failed, .. } = *recording;
        if kept.is_empty() {
            return Err(failed.unwrap_or_else(|| "nothing was searched, so nothing was recorded".to_owned()));
        }
        let meta = |summaries| Meta::new(subject, iterations.clone(), summaries);
        match publish(&path, kept, meta) {
            Ok(written) => Ok(Written { note: failed, ..written }),
            Err(error) => Err(failed.unwrap_or(format!("no recording: {}: {error}", path.display()))),
        }
    }
}

impl Observer for Recorder {
    const WANTS: Interest = Interest::ITERATIONS.and(Interest::METHODS).and(Interest::TREE);

    fn on(&mut self, event: &Event) {
        if let Some(recording) = &mut self.0 {
            recording.on(event);
        }
    }

    fn counts(&self) -> Vec<MethodCount> {
        self.0.as_ref().map(|recording| recording.total.counts()).unwrap_or_default()
    }
}
