//! What was learned off-line and is looked up in the search.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use crate::eval::combination::Combination;
use crate::eval::network::Network;
use crate::eval::{EvaluationKind, Weights};
use crate::files::{LARGEST_TABLE, read_file};
use crate::options::row::Effect;
use crate::selective::prob_cut::Fits;
use crate::selective::rank_cut::{self, UNSEEN};
use crate::selective::rank_table::{self, RankCounts, RankTable};

/// Where learned tables are read from; empty names stand for the built-in ones.
#[derive(Copy, Clone, Debug)]
pub(crate) struct LearnedFiles<'a> {
    /// Regressions of ProbCut.
    pub fits: &'a str,
    /// Weights of the evaluation.
    pub weights: &'a str,
    /// How the evaluation's features are combined.
    pub combination: &'a str,
    /// Whether a network evaluates.
    pub evaluation: EvaluationKind,
    /// Path of that network, as `EvalFile` names it.
    pub network: &'a str,
    /// What makes the table of RankCut.
    pub ranks: &'a rank_cut::Settings,
}

/// Learned tables, shared by all threads of a search.
#[derive(Clone, Debug)]
pub struct Learned {
    /// Regressions of ProbCut.
    pub fits: Arc<Fits>,
    /// Weights of the evaluation.
    pub weights: Arc<Weights>,
    /// A learned function of the evaluation's features, in place of their sum.
    pub combination: Option<Arc<Combination>>,
    /// The network that evaluates in place of all that.
    pub network: Option<Arc<Network>>,
    /// Probabilities of RankCut; there only if it is on, because they are large.
    ranks: Option<Arc<RankTable>>,
}

impl Default for Learned {
    fn default() -> Self {
        Self {
            fits: Arc::default(),
            weights: Weights::built_in(),
            combination: None,
            network: Some(Network::built_in()),
            ranks: None,
        }
    }
}

impl Learned {
    /// The tables of these files.
    pub(crate) fn load(files: LearnedFiles<'_>) -> Result<Self, String> {
        let all = [
            Effect::ReadFits,
            Effect::ReadWeights,
            Effect::ReadCombination,
            Effect::ReadNetwork,
            Effect::ReadRanks,
        ];
        Self::default().reload(files, &all)
    }

    /// A copy in which the tables that these effects name are read again.
    pub(crate) fn reload(&self, files: LearnedFiles<'_>, effects: &[Effect]) -> Result<Self, String> {
        let mut learned = self.clone();
        for effect in effects {
            match effect {
                Effect::ReadFits => learned.fits = fits(files.fits)?,
                Effect::ReadWeights => learned.weights = weights(files.weights)?,
                Effect::ReadCombination => learned.combination = combination(files.combination)?,
                Effect::ReadNetwork => learned.network = network(files.evaluation, files.network)?,
                Effect::ReadRanks => learned.ranks = ranks(files.ranks)?,
                _ => {}
            }
        }
        Ok(learned)
    }

    /// A position may have another static value than before.
    pub fn changes_evaluation(&self, before: &Self) -> bool {
        self.weights != before.weights
            || self.combination != before.combination
            || self.network != before.network
    }

    /// The same with these statistics of RankCut, of states seen at least `samples` times.
    pub fn with_ranks(self, counts: &RankCounts, samples: u32) -> Self {
        Self { ranks: Some(Arc::new(RankTable::new(counts, samples))), ..self }
    }

    /// The probability of a state of RankCut, as a code.
    #[inline]
    pub fn rank_code(&self, state: usize) -> u16 {
        self.ranks.as_ref().map_or(UNSEEN, |ranks| ranks.code(state))
    }
}

fn fits(path: &str) -> Result<Arc<Fits>, String> {
    let fits = from_text("ProbCutFile", path, Fits::from_text)?;
    Ok(fits.map_or_else(Arc::default, Arc::new))
}

fn weights(path: &str) -> Result<Arc<Weights>, String> {
    let weights = from_text("EvaluationFile", path, Weights::from_text)?;
    Ok(weights.map_or_else(Weights::built_in, Arc::new))
}

fn combination(path: &str) -> Result<Option<Arc<Combination>>, String> {
    let combination = from_text("CombinationFile", path, Combination::from_text)?;
    Ok(combination.map(Arc::new))
}

/// A file that cannot be read is refused even while the classical evaluation is asked for.
fn network(evaluation: EvaluationKind, path: &str) -> Result<Option<Arc<Network>>, String> {
    let network = from_bytes("EvalFile", path, Network::from_bytes)?;
    let network = network.map_or_else(Network::built_in, Arc::new);
    Ok((evaluation == EvaluationKind::Network).then_some(network))
}

/// A file that cannot be read is refused even while RankCut is off.
fn ranks(settings: &rank_cut::Settings) -> Result<Option<Arc<RankTable>>, String> {
    let counts = from_bytes("RankCutFile", &settings.file, RankCounts::from_bytes)?;
    let counts = counts.or_else(|| settings.on.then(rank_table::built_in));
    let table = |counts| Arc::new(RankTable::new(&counts, settings.samples.max(1) as u32));
    Ok(counts.filter(|_| settings.on).map(table))
}

/// Reads the text file that an option names; `None` if the path is empty.
fn from_text<T, E: Display>(
    option: &str,
    path: &str,
    read: impl FnOnce(&str) -> Result<T, E>,
) -> Result<Option<T>, String> {
    from_bytes(option, path, |bytes| match str::from_utf8(bytes) {
        Ok(text) => read(text).map_err(|error| error.to_string()),
        Err(_) => Err("it is not text".to_owned()),
    })
}

/// Reads any file that an option names.
fn from_bytes<T, E: Display>(
    option: &str,
    path: &str,
    read: impl FnOnce(&[u8]) -> Result<T, E>,
) -> Result<Option<T>, String> {
    if path.is_empty() {
        return Ok(None);
    }
    let bytes = read_file(Path::new(path), LARGEST_TABLE)
        .map_err(|error| format!("{option} {path:?} cannot be read: {error}"))?;
    read(&bytes).map(Some).map_err(|error| format!("{option} {path:?}: {error}"))
}
