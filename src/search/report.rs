//! What a search reports while it runs and at its end. Nothing here is text.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shakmaty::Move;

use super::observer::MethodCount;
use crate::score::{Bound, Score};
use crate::selective::Id;
use crate::text_table::thousands;

/// Receives reports while the search runs. Called from the main search thread.
pub trait Listener: Send {
    /// Receives one report; the search waits until it returns.
    fn report(&mut self, report: Report);

    /// It wants to hear of lines; if not, they are not put together.
    fn wants_lines(&self) -> bool {
        true
    }
}

/// A listener that ignores every report.
impl Listener for () {
    fn report(&mut self, _report: Report) {}

    fn wants_lines(&self) -> bool {
        false
    }
}

impl<F: FnMut(Report) + Send> Listener for F {
    fn report(&mut self, report: Report) {
        self(report);
    }
}

/// What a listener is told.
#[derive(Clone, Debug)]
pub enum Report {
    /// A line was found or improved.
    Line(Line, Effort),
    /// A long search begins with this move of the root.
    CurrentMove {
        /// Nominal depth of the iteration in plies.
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
    /// Nominal depth of the iteration in plies.
    pub depth: i32,
    /// The deepest ply looked at.
    pub selective_depth: usize,
    /// Value for the side to move at the root.
    pub score: Score,
    /// What the value says.
    pub bound: Bound,
    /// The moves of the variation, the one to play first.
    pub moves: Vec<Move>,
}

impl Line {
    /// A move that was not searched, with a static value.
    pub fn untested(m: Move, score: Score) -> Self {
        Self { rank: 1, depth: 1, selective_depth: 1, score, bound: Bound::Exact, moves: vec![m] }
    }
}

/// What the search has cost so far.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Effort {
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time since `go`.
    pub time: Duration,
    /// Thousandths of the hash table in use.
    pub hash_permille: u32,
    /// Positions found in the endgame tables.
    pub tb_hits: u64,
}

impl Effort {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-6)) as u64
    }
}

/// A recording that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file that was written.
    pub path: PathBuf,
    /// Number of trees in it, one per iteration kept.
    pub trees: usize,
    /// Nodes of these trees.
    pub nodes: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// A problem that did not prevent the recording.
    pub note: Option<String>,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, trees, nodes, bytes, note } = self;
        let trees = if *trees == 1 { "a tree".to_owned() } else { format!("{trees} trees") };
        let (nodes, bytes) = (thousands(*nodes), thousands(*bytes));
        write!(f, "{trees} of {nodes} nodes in {}, {bytes} bytes", path.display())?;
        note.as_ref().map_or(Ok(()), |note| write!(f, "; {note}"))
    }
}

/// How a search ended.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The best lines, best first; empty only if the root has no legal move.
    pub lines: Vec<Line>,
    /// Nodes, time and hash use of the whole search.
    pub effort: Effort,
    /// What the methods did, if they were counted.
    pub counts: Vec<MethodCount>,
    /// A panic was contained; what it said.
    pub panicked: Option<String>,
    /// The recording that was asked for, or why there is none.
    pub recorded: Option<Result<Written, String>>,
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

    /// What the methods did, if they were counted.
    pub fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        statistics.add(self);
        statistics
    }

    /// The value of the root.
    pub fn score(&self) -> Option<Score> {
        self.lines.first().map(|line| line.score)
    }
}

/// What the methods did in one search or in several; serde writes it as JSON.
///
/// ```
/// use espalier::search::observer::Tally;
/// use espalier::{Engine, Limits, Search};
/// let mut engine = Engine::default();
/// let outcome = engine.start(Search::new(Limits::depth(6)).observer(Tally::default())).wait();
/// let json = serde_json::to_string(&outcome.statistics()).unwrap();
/// assert!(json.contains(r#""method":"NullMove""#));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Nodes of all searches.
    pub nodes: u64,
    /// One entry per method that did something.
    pub methods: Vec<MethodStatistics>,
}

/// What one method did.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodStatistics {
    /// The method.
    pub method: Id,
    /// How often it probed the tree or acted.
    pub attempts: u64,
    /// How often that cut, reduced or extended.
    pub successes: u64,
    /// Nodes spent on its probes.
    pub nodes: u64,
    /// Successes per attempt.
    pub success_rate: f64,
    /// Part of all nodes that were spent on its probes.
    pub node_share: f64,
}

impl Statistics {
    /// Adds what was counted in a search.
    pub fn add(&mut self, outcome: &Outcome) {
        self.nodes += outcome.effort.nodes;
        for &MethodCount { method, attempts, successes, nodes } in &outcome.counts {
            self.count(MethodStatistics { attempts, successes, nodes, ..MethodStatistics::none(method) });
        }
        self.divide();
    }

    /// The sum of two.
    pub fn and(mut self, more: Self) -> Self {
        self.nodes += more.nodes;
        more.methods.into_iter().for_each(|share| self.count(share));
        self.divide();
        self
    }

    fn count(&mut self, more: MethodStatistics) {
        let share = self.method_mut(more.method);
        share.attempts += more.attempts;
        share.successes += more.successes;
        share.nodes += more.nodes;
    }

    fn divide(&mut self) {
        for share in &mut self.methods {
            share.success_rate = share.successes as f64 / share.attempts.max(1) as f64;
            share.node_share = share.nodes as f64 / self.nodes.max(1) as f64;
        }
    }

    /// What a method did; nothing if it was never asked.
    pub fn method(&self, method: Id) -> MethodStatistics {
        self.methods
            .iter()
            .find(|share| share.method == method)
            .copied()
            .unwrap_or(MethodStatistics::none(method))
    }

    fn method_mut(&mut self, method: Id) -> &mut MethodStatistics {
        let index = self.methods.iter().position(|share| share.method == method).unwrap_or_else(|| {
            self.methods.push(MethodStatistics::none(method));
            self.methods.len() - 1
        });
        &mut self.methods[index]
    }
}

impl MethodStatistics {
    fn none(method: Id) -> Self {
        Self { method, attempts: 0, successes: 0, nodes: 0, success_rate: 0.0, node_share: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_two_searches_add_up() {
        let count = MethodCount { method: Id::MultiCut, attempts: 4, successes: 3, nodes: 20 };
        let effort = Effort { nodes: 50, ..Effort::default() };
        let outcome = Outcome { counts: vec![count], effort, ..Outcome::default() };
        let mut statistics = outcome.statistics();
        statistics.add(&Outcome { counts: Vec::new(), ..outcome });
        let share = statistics.method(Id::MultiCut);
        assert_eq!((share.attempts, share.success_rate, share.node_share), (4, 0.75, 0.2));
        assert_eq!(statistics.method(Id::NullMove).attempts, 0);
    }
}
