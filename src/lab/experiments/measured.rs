//! What the searches of a suite gave, and how two such compare.

use super::notebook::Taken;
use crate::score::Score;
use crate::statistics::Sample;

/// The searches of a suite with one set of options.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    /// What each position gave, in the order of the suite.
    pub taken: Vec<Taken>,
}

impl Measured {
    pub(crate) fn nodes(&self) -> u64 {
        self.taken.iter().map(|taken| taken.nodes).sum()
    }

    /// Positions whose best move was found.
    pub(crate) fn solved(&self) -> u64 {
        self.taken.iter().filter(|taken| taken.solved).count() as u64
    }

    /// Mean depth reached where no mate was found: with one, depth means nothing.
    pub(crate) fn depth(&self) -> Sample {
        let is_mate = |raw: i32| Score::cp(raw).mate_in().is_some();
        let open = self.taken.iter().filter(|taken| !taken.score.is_some_and(is_mate));
        Sample::of(&open.map(|taken| f64::from(taken.depth)).collect::<Vec<_>>())
    }

    /// Nodes as a percentage of those of the same positions searched otherwise: of all together.
    pub(crate) fn total_percent(&self, other: &Self) -> f64 {
        100.0 * self.nodes() as f64 / other.nodes().max(1) as f64
    }

    /// The same percentage position by position: its mean and how sure that is.
    pub(crate) fn average_percent(&self, other: &Self) -> Sample {
        let ratio = |(mine, theirs): (&Taken, &Taken)| 100.0 * mine.nodes as f64 / theirs.nodes.max(1) as f64;
        Sample::of(&self.taken.iter().zip(&other.taken).map(ratio).collect::<Vec<_>>())
    }

    /// Positions to which the other search gave another value.
    pub(crate) fn other_values(&self, other: &Self) -> usize {
        self.taken.iter().zip(&other.taken).filter(|(mine, theirs)| mine.score != theirs.score).count()
    }

    /// By how many centipawns the values differ, where neither is a mate.
    pub(crate) fn mean_error(&self, other: &Self) -> Sample {
        let value = |taken: &Taken| taken.score.map(Score::cp).filter(|score| score.mate_in().is_none());
        let pairs = self.taken.iter().zip(&other.taken);
        let errors =
            pairs.filter_map(|(mine, theirs)| Some(f64::from((value(mine)? - value(theirs)?).abs())));
        Sample::of(&errors.collect::<Vec<_>>())
    }

    /// Both, as if they were one suite.
    pub(crate) fn and(mut self, more: Self) -> Self {
        self.taken.extend(more.taken);
        self
    }
}
