//! What was learned off-line and is looked up in the search.

use std::path::Path;

use crate::selective::Settings;
use crate::selective::prob_cut::Fits;
use crate::selective::rank_cut::UNSEEN;
use crate::selective::rank_table::{self, Counts, RankTable};

/// Learned tables, shared by all threads of a search.
#[derive(Debug, Default)]
pub struct Tables {
    /// Regressions of ProbCut.
    pub fits: Fits,
    /// Probabilities of RankCut; there only if it is on, because they are large.
    ranks: Option<RankTable>,
}

impl Tables {
    /// The tables these settings name; built in where no file is named.
    pub fn load(settings: &Settings) -> Result<Self, String> {
        let fits = match settings.prob_cut.file.as_str() {
            "" => Fits::default(),
            path => Fits::from_text(&read(path, "ProbCutFile").and_then(|bytes| {
                String::from_utf8(bytes).map_err(|_| format!("ProbCutFile {path:?} is not text"))
            })?)
            .map_err(|error| format!("ProbCutFile {path:?}: {error}"))?,
        };
        let counts = match settings.rank_cut.file.as_str() {
            "" => settings.rank_cut.on.then(rank_table::built_in),
            path => Some(
                Counts::from_bytes(&read(path, "RankCutFile")?)
                    .map_err(|error| format!("RankCutFile {path:?}: {error}"))?,
            ),
        };
        let ranks = counts
            .filter(|_| settings.rank_cut.on)
            .map(|counts| RankTable::new(&counts, settings.rank_cut.samples.max(1) as u32));
        Ok(Self { fits, ranks })
    }

    /// The same with these statistics of RankCut, of states seen at least `samples` times.
    pub fn with_ranks(self, counts: &Counts, samples: u32) -> Self {
        Self { ranks: Some(RankTable::new(counts, samples)), ..self }
    }

    /// The probability of a state of RankCut, as a code.
    #[inline]
    pub fn rank_code(&self, state: usize) -> u16 {
        self.ranks.as_ref().map_or(UNSEEN, |ranks| ranks.code(state))
    }
}

fn read(path: &str, option: &str) -> Result<Vec<u8>, String> {
    std::fs::read(Path::new(path)).map_err(|error| format!("{option} {path:?} cannot be read: {error}"))
}
