//! What a search says to whoever listens. Nothing here is text.

use std::time::Duration;

use shakmaty::Move;

use super::observer::Count;
use crate::score::{Bound, Score};

/// Receives reports while the search runs. Called from the main search thread.
pub trait Listener: Send {
    /// Something to tell.
    fn report(&mut self, report: Report);
}

/// Nobody listens.
impl Listener for () {
    fn report(&mut self, _report: Report) {}
}

impl<F: FnMut(Report) + Send> Listener for F {
    fn report(&mut self, report: Report) {
        self(report);
    }
}

/// One thing to tell.
#[derive(Clone, Debug)]
pub enum Report {
    /// A line was found or improved.
    Line(Line, Effort),
    /// A long search begins with this move of the root.
    CurrentMove {
        /// The iteration.
        depth: i32,
        /// The move.
        m: Move,
        /// Its number, from 1.
        number: usize,
    },
    /// The search is over; nothing follows.
    Finished(Box<Outcome>),
}

/// A variation and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Which line of several, from 1.
    pub rank: usize,
    /// The iteration.
    pub depth: i32,
    /// The deepest ply looked at.
    pub selective_depth: usize,
    /// Value for the side to move at the root.
    pub score: Score,
    /// What the value says.
    pub bound: Bound,
    /// The moves.
    pub moves: Vec<Move>,
}

impl Line {
    /// A move nobody has searched, with a static value.
    pub fn untested(m: Move, score: Score) -> Self {
        Self { rank: 1, depth: 1, selective_depth: 1, score, bound: Bound::Exact, moves: vec![m] }
    }
}

/// What it cost so far.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Effort {
    /// Nodes of all threads.
    pub nodes: u64,
    /// Since `go`.
    pub time: Duration,
    /// Thousandths of the hash table in use.
    pub hash_permille: u32,
}

impl Effort {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-6)) as u64
    }
}

/// How a search ended.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The best lines, best first; empty only if the root has no legal move.
    pub lines: Vec<Line>,
    /// What it cost.
    pub effort: Effort,
    /// What the methods did, if somebody counted.
    pub counts: Vec<Count>,
    /// A panic was contained; what it said.
    pub panicked: Option<String>,
}

impl Outcome {
    /// The move to play.
    pub fn best_move(&self) -> Option<Move> {
        self.lines.first().and_then(|line| line.moves.first()).copied()
    }

    /// The reply it expects.
    pub fn ponder_move(&self) -> Option<Move> {
        self.lines.first().and_then(|line| line.moves.get(1)).copied()
    }

    /// The value of the root.
    pub fn score(&self) -> Option<Score> {
        self.lines.first().map(|line| line.score)
    }
}
