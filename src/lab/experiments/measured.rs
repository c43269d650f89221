//! The searches of a suite, and comparisons of two such runs.

use super::notebook::MeasuredSearch;
use crate::score::Score;
use crate::statistics::Sample;

/// The searches of a suite with one set of options.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    /// One search per position, in the order of the suite.
    pub searches: Vec<MeasuredSearch>,
}

impl Measured {
    pub(crate) fn nodes(&self) -> u64 {
        self.searches.iter().map(|search| search.nodes).sum()
    }

    /// Positions whose best move was found.
    pub(crate) fn solved(&self) -> u64 {
        self.searches.iter().filter(|search| search.solved).count() as u64
    }

    /// Mean depth, without positions where a mate was found, whose depth means nothing.
    pub(crate) fn depth(&self) -> Sample {
        let is_mate = |raw: i32| Score::cp(raw).mate_in().is_some();
        let open = self.searches.iter().filter(|search| !search.score.is_some_and(is_mate));
        Sample::of(&open.map(|taken| f64::from(taken.depth)).collect::<Vec<_>>())
    }

    /// All nodes as a percentage of those of another run on the same positions.
    pub(crate) fn total_percent(&self, other: &Self) -> f64 {
        100.0 * self.nodes() as f64 / other.nodes().max(1) as f64
    }

    /// The mean of the percentages of single positions.
    pub(crate) fn average_percent(&self, other: &Self) -> Sample {
        let ratio = |(mine, theirs): (&MeasuredSearch, &MeasuredSearch)| {
            100.0 * mine.nodes as f64 / theirs.nodes.max(1) as f64
        };
        Sample::of(&self.searches.iter().zip(&other.searches).map(ratio).collect::<Vec<_>>())
    }

    /// Number of positions with a different value in the other run.
    pub(crate) fn other_values(&self, other: &Self) -> usize {
        self.searches.iter().zip(&other.searches).filter(|(mine, theirs)| mine.score != theirs.score).count()
    }

    /// The difference of the values in centipawns, where neither is a mate.
    pub(crate) fn mean_error(&self, other: &Self) -> Sample {
        let value =
            |search: &MeasuredSearch| search.score.map(Score::cp).filter(|score| score.mate_in().is_none());
        let pairs = self.searches.iter().zip(&other.searches);
        let errors =
            pairs.filter_map(|(mine, theirs)| Some(f64::from((value(mine)? - value(theirs)?).abs())));
        Sample::of(&errors.collect::<Vec<_>>())
    }

    /// Both runs as one suite.
    pub(crate) fn and(mut self, more: Self) -> Self {
        self.searches.extend(more.searches);
        self
    }
}
