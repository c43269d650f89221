//! The text part of a recording: its subject, its iterations, and a summary of each tree.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::Subject;
use super::legend::current_name;
use super::marks;
use super::node::{DepthChange, TreeNode};
use crate::score::Score;
use crate::search::event::{End, NodeKind, Purpose};
use crate::search::observer::{MethodCount, Observer, Tally};

/// The program and version that this build writes into recordings.
const PROGRAM: &str = concat!("Espalier ", env!("CARGO_PKG_VERSION"));

/// The text part of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// The program that wrote the file, with its version.
    pub program: String,
    /// FEN of the root.
    pub fen: String,
    /// Whether castling is written as king takes rook.
    pub chess960: bool,
    /// Options that differ from their defaults.
    pub options: Vec<(String, String)>,
    /// Names of the recording's own reasons, in the order of their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Every iteration of the search, recorded or not.
    pub iterations: Vec<IterationSummary>,
    /// The trees in the file, in the order of their iterations.
    pub trees: Vec<TreeSummary>,
}

impl Meta {
    pub(super) fn new(
        subject: &Subject,
        iterations: Vec<IterationSummary>,
        mut trees: Vec<TreeSummary>,
    ) -> Self {
        let Subject { fen, chess960, options, program, reasons } = subject.clone();
        for tree in &mut trees {
            let own = reasons.iter().cloned().zip(tree.own.iter().copied());
            tree.ends.extend(own.filter(|(_, count)| *count > 0));
        }
        let program = program.unwrap_or_else(|| PROGRAM.to_owned());
        Self { program, fen, chess960, options, reasons, iterations, trees }
    }

    /// The name in files of the reason a node ended.
    pub fn end_name(&self, node: &TreeNode) -> &str {
        let own = node.own_reason().and_then(|own| self.reasons.get(own));
        own.map_or(node.end.name(), String::as_str)
    }

    /// The label of the reason a node ended.
    pub fn end_label(&self, node: &TreeNode) -> &str {
        let own = node.own_reason().and_then(|own| self.reasons.get(own));
        own.map_or(node.end.label(), String::as_str)
    }
}

/// Cost and value of an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IterationSummary {
    /// Nominal depth in plies.
    pub depth: i32,
    /// Nodes of this iteration alone.
    pub nodes: u64,
    /// How long it took.
    pub milliseconds: u64,
    /// The value of the root for the side to move; `None` if it was stopped.
    pub value: Option<i32>,
}

impl IterationSummary {
    /// It was searched to its end.
    pub fn is_complete(&self) -> bool {
        self.value.is_some()
    }

    pub(super) fn new(depth: i32, nodes: u64, time: std::time::Duration, value: Option<Score>) -> Self {
        Self { depth, nodes, milliseconds: time.as_millis() as u64, value: value.map(Score::raw) }
    }
}

/// Numbers of nodes or moves by name.
pub type NamedCounts = BTreeMap<String, u64>;

/// Reads counts whose names may be those of an earlier version.
fn counts_by_current_name<'de, D: Deserializer<'de>>(input: D) -> Result<NamedCounts, D::Error> {
    let written = NamedCounts::deserialize(input)?;
    Ok(written.into_iter().map(|(name, count)| (current_name(&name).to_owned(), count)).collect())
}

/// Counts of one tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TreeSummary {
    /// Nominal depth of the iteration.
    pub iteration: i32,
    /// It was searched to its end.
    pub complete: bool,
    /// The index of its first record in the file.
    pub start: u64,
    /// Number of records, without the end mark that follows.
    pub records: u64,
    /// Nodes of the search: all records but the first, which stands for the iteration.
    pub nodes: u64,
    /// Words of the lists of moves left out, which follow the records of all trees.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// Nodes whose list of moves left out lost its numbers for lack of room.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub without_numbers: u64,
    /// Nodes whose list was dropped for lack of room. Their marks still name the rules.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u64,
    /// Records on each level, starting with the iteration.
    pub levels: Vec<u64>,
    /// Nodes by kind.
    pub kinds: NamedCounts,
    /// Nodes by the reason they ended.
    #[serde(deserialize_with = "counts_by_current_name")]
    pub ends: NamedCounts,
    /// Nodes by the number of a reason of the recording's own; part of `ends` in the file.
    #[serde(skip)]
    pub own: Vec<u64>,
    /// Nodes by purpose.
    #[serde(deserialize_with = "counts_by_current_name")]
    pub purposes: NamedCounts,
    /// Nodes in the subtrees of each purpose other than a plain move; subtrees inside another of the same purpose are
    /// counted once.
    #[serde(deserialize_with = "counts_by_current_name")]
    pub spent: NamedCounts,
    /// Nodes by the marks that are set.
    pub marks: NamedCounts,
    /// Moves by the reason their depth was changed.
    pub changes: NamedCounts,
    /// How often the first, second … move caused a cut-off, outside quiescence search.
    pub cuts: Vec<u64>,
    /// The same in quiescence search.
    pub quiescence_cuts: Vec<u64>,
    /// Actions of the methods, as `debug on` shows them.
    pub methods: Vec<MethodSummary>,
    /// Sum of the checksums of all records, in hexadecimal.
    pub checksum: String,
}

impl TreeSummary {
    /// The index of a word of a list for the checksum: lists follow the records.
    pub(super) fn left_out_index(&self, place: u32) -> u32 {
        (self.records as u32).wrapping_add(place)
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The actions of a method in a tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodSummary {
    /// The name of the method in reports.
    pub method: String,
    /// Probes it asked for.
    pub attempts: u64,
    /// Probes that succeeded.
    pub successes: u64,
    /// Nodes spent on probes.
    pub nodes: u64,
}

/// How many purposes there are.
pub(super) const PURPOSES: usize = Purpose::ALL.len();

/// Counts nodes while a tree grows.
#[derive(Clone, Default)]
pub(super) struct Counter {
    kinds: [u64; 4],
    ends: [u64; 32],
    own: Vec<u64>,
    purposes: [u64; PURPOSES],
    spent: [u64; PURPOSES],
    /// In the order of [`marks::ALL`].
    marks: Vec<u64>,
    changes: [u64; 8],
    cuts: Vec<u64>,
    quiescence_cuts: Vec<u64>,
}

/// Adds to the count at `index`, which grows as needed.
pub(super) fn count_at(counts: &mut Vec<u64>, index: usize, by: u64) {
    if counts.len() <= index {
        counts.resize(index + 1, 0);
    }
    counts[index] += by;
}

impl Counter {
    /// Counts a completed node; `outermost` if no node of the same purpose is open above it.
    pub(super) fn add(&mut self, node: &TreeNode, cut_by: u8, outermost: bool) {
        self.kinds[node.kind as usize] += 1;
        match node.own_reason() {
            Some(own) => count_at(&mut self.own, own, 1),
            None => self.ends[node.end as usize & 31] += 1,
        }
        let purpose = node.purpose as usize;
        self.purposes[purpose] += 1;
        if outermost && node.purpose != Purpose::Move {
            self.spent[purpose] += u64::from(node.nodes);
        }
        self.changes[node.change as usize & 7] += 1;
        if node.marks != 0 {
            self.count_marks(node);
        }
        if node.end == End::Cut && cut_by > 0 {
            let quiescence = node.kind == NodeKind::Quiescence;
            let counts = if quiescence { &mut self.quiescence_cuts } else { &mut self.cuts };
            count_at(counts, usize::from(cut_by) - 1, 1);
        }
    }

    fn count_marks(&mut self, node: &TreeNode) {
        self.marks.resize(marks::ALL.len(), 0);
        for (count, mark) in self.marks.iter_mut().zip(marks::ALL.iter()) {
            *count += u64::from(mark.is_on(node));
        }
    }

    /// Everything counted, by name.
    pub(super) fn summary(&self, tally: &Tally) -> TreeSummary {
        let named = |pairs: &mut dyn Iterator<Item = (&'static str, u64)>| -> NamedCounts {
            pairs.filter(|(_, count)| *count > 0).map(|(name, count)| (name.to_owned(), count)).collect()
        };
        let ends = End::ALL.iter().map(|end| (end.name(), self.ends[*end as usize]));
        let kinds = NodeKind::ALL.iter().map(|kind| (kind.name(), self.kinds[*kind as usize]));
        let purposes = |counts: [u64; PURPOSES]| {
            Purpose::ALL.iter().map(move |purpose| (purpose.name(), counts[*purpose as usize]))
        };
        let changes =
            DepthChange::ALL.iter().skip(1).map(|(change, name, _)| (*name, self.changes[*change as usize]));
        let acted = marks::ALL.iter().zip(&self.marks).map(|(mark, count)| (mark.name, *count));
        TreeSummary {
            kinds: named(&mut kinds.into_iter()),
            ends: named(&mut ends.into_iter()),
            own: self.own.clone(),
            purposes: named(&mut purposes(self.purposes)),
            spent: named(&mut purposes(self.spent).skip(5)),
            marks: named(&mut acted.into_iter()),
            changes: named(&mut changes.into_iter()),
            cuts: self.cuts.clone(),
            quiescence_cuts: self.quiescence_cuts.clone(),
            methods: method_summaries(tally),
            ..TreeSummary::default()
        }
    }
}

fn method_summaries(tally: &Tally) -> Vec<MethodSummary> {
    let named = |MethodCount { method, attempts, successes, nodes }| MethodSummary {
        method: format!("{method:?}"),
        attempts,
        successes,
        nodes,
    };
    tally.counts().into_iter().map(named).collect()
}
