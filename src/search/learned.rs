//! What was learned off-line and is looked up in the search.

use std::path::Path;
use std::sync::Arc;

use crate::eval::Weights;
use crate::eval::combination::Combination;
use crate::options::Options;
use crate::selective::prob_cut::Fits;
use crate::selective::rank_cut::UNSEEN;
use crate::selective::rank_table::{self, RankCounts, RankTable};

/// Learned tables, shared by all threads of a search.
#[derive(Debug)]
pub struct Learned {
    /// Regressions of ProbCut.
    pub fits: Fits,
    /// Weights of the evaluation.
    pub weights: Arc<Weights>,
    /// What the static value is made of, if not as usual.
    pub combination: Option<Combination>,
    /// Probabilities of RankCut; there only if it is on, because they are large.
    ranks: Option<RankTable>,
}

impl Default for Learned {
    fn default() -> Self {
        Self { fits: Fits::default(), weights: Weights::built_in(), combination: None, ranks: None }
    }
}

impl Learned {
    /// The tables these options name; built in where no file is named.
    pub fn load(options: &Options) -> Result<Self, String> {
        let settings = &options.selective;
        let fits = match settings.prob_cut.file.as_str() {
            "" => Fits::default(),
            path => Fits::from_text(&read_text(path, "ProbCutFile")?)
                .map_err(|error| format!("ProbCutFile {path:?}: {error}"))?,
        };
        let weights = match options.evaluation_file.as_str() {
            "" => Weights::built_in(),
            path => Arc::new(
                Weights::from_text(&read_text(path, "EvaluationFile")?)
                    .map_err(|error| format!("EvaluationFile {path:?}: {error}"))?,
            ),
        };
        let combination = match options.combination_file.as_str() {
            "" => None,
            path => Some(
                Combination::from_text(&read_text(path, "CombinationFile")?)
                    .map_err(|error| format!("CombinationFile {path:?}: {error}"))?,
            ),
        };
        let counts = match settings.rank_cut.file.as_str() {
            "" => settings.rank_cut.on.then(rank_table::built_in),
            path => Some(
                RankCounts::from_bytes(&read(path, "RankCutFile")?)
                    .map_err(|error| format!("RankCutFile {path:?}: {error}"))?,
            ),
        };
        let ranks = counts
            .filter(|_| settings.rank_cut.on)
            .map(|counts| RankTable::new(&counts, settings.rank_cut.samples.max(1) as u32));
        Ok(Self { fits, weights, combination, ranks })
    }

    /// The static value of a position may be another one than with those.
    pub fn judge_otherwise(&self, before: &Self) -> bool {
        self.weights != before.weights || self.combination != before.combination
    }

    /// The same with these statistics of RankCut, of states seen at least `samples` times.
    pub fn with_ranks(self, counts: &RankCounts, samples: u32) -> Self {
        Self { ranks: Some(RankTable::new(counts, samples)), ..self }
    }

    /// The probability of a state of RankCut, as a code.
    #[inline]
    pub fn rank_code(&self, state: usize) -> u16 {
        self.ranks.as_ref().map_or(UNSEEN, |ranks| ranks.code(state))
    }
}

fn read_text(path: &str, option: &str) -> Result<String, String> {
    String::from_utf8(read(path, option)?).map_err(|_| format!("{option} {path:?} is not text"))
}

fn read(path: &str, option: &str) -> Result<Vec<u8>, String> {
    std::fs::read(Path::new(path)).map_err(|error| format!("{option} {path:?} cannot be read: {error}"))
}
