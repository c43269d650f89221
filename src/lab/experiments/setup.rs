//! What an experiment is made with, and who watches it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::SEED;
use super::notebook::Heading;
use crate::options::{self, AssignError, Effect, Options};
use crate::parallel::Shard;
use crate::provenance::Provenance;

/// Everything that decides what an experiment measures, and where it is kept.
#[derive(Clone, Debug)]
pub(crate) struct Setup<'a> {
    /// Options of every engine unless the experiment changes them.
    pub options: &'a Options,
    /// What the user has set, `NAME=VALUE`, in this order: it outlasts the presets of an experiment.
    pub set: Vec<String>,
    /// How much is measured, and how fast.
    pub size: Size,
    /// A folder to look for suites in first.
    pub suites: Option<&'a Path>,
    /// Where results go; games are kept there too. Without it everything stays in memory.
    pub out: Option<&'a Path>,
}

/// How much of an experiment is made, and how fast.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Size {
    /// The short form: two minutes at the most on two cores.
    pub quick: bool,
    /// Positions of a suite at the most; 0 for as many as the experiment wants.
    pub positions: usize,
    /// Positions or games at once.
    pub jobs: usize,
    /// Which part of it, if it is split over machines.
    pub shard: Shard,
}

impl Setup<'_> {
    /// The head of the notebook: an experiment is resumed only under the same.
    pub(super) fn heading(&self, experiment: &str) -> Heading {
        Heading {
            experiment: experiment.to_owned(),
            provenance: Provenance::new(self.options, SEED),
            quick: self.size.quick,
            suites: self.suites.is_some(),
            positions: self.size.positions,
            shard: (!self.size.shard.is_whole()).then(|| self.size.shard.to_string()),
        }
    }

    /// The options with these assignments on top. A preset among them comes first and takes the place of the
    /// user's own; what the user set besides stays set.
    pub(super) fn options_with(&self, assignments: &[&str]) -> Result<Options, String> {
        let mut options = self.options.clone();
        let is_preset = |assignment: &str| {
            assignment.split('=').next().map(options::effect_of) == Some(Effect::ApplyPreset)
        };
        if let Some(preset) = assignments.iter().find(|assignment| is_preset(assignment)) {
            assign(&mut options, preset)?;
            let chosen = options.preset;
            for users in &self.set {
                assign(&mut options, users)?;
                if options.preset != chosen {
                    return Err(format!("{users}: this experiment chooses its presets itself ({preset})"));
                }
            }
        }
        for assignment in assignments.iter().filter(|assignment| !is_preset(assignment)) {
            assign(&mut options, assignment)?;
        }
        Ok(options)
    }
}

/// Sets one option; a file of settings is loaded.
fn assign(options: &mut Options, assignment: &str) -> Result<(), String> {
    let (name, value) = assignment.split_once('=').unwrap_or((assignment, ""));
    options.set_and_load(name, value).map_err(|error| match error {
        AssignError::Refused(error) => format!("{assignment}: {error}"),
        AssignError::File(error) => error,
    })
}

/// How an experiment is stopped early, and where its progress is reported.
#[derive(Copy, Clone)]
pub(crate) struct Watch<'a> {
    /// The experiment ends as soon as this is raised.
    pub stop: &'a AtomicBool,
    /// Called with what is being done, and for every piece of it.
    pub progress: &'a (dyn Fn(LabProgress) + Sync),
}

/// What a laboratory tells while it works.
#[derive(Clone, Debug)]
pub(crate) enum LabProgress {
    /// A measurement begins.
    Begin {
        /// What is measured, in words.
        what: String,
        /// Searches or games that it takes.
        pieces: u64,
        /// Those that were made before.
        done: u64,
    },
    /// One piece more is done.
    Piece,
}

impl Watch<'_> {
    /// The experiment was asked to stop.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(super) fn begin(&self, what: String, pieces: u64, done: u64) {
        (self.progress)(LabProgress::Begin { what, pieces, done });
    }

    pub(super) fn piece_done(&self) {
        (self.progress)(LabProgress::Piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provenance::Configuration;

    #[test]
    fn what_the_user_sets_survives_the_presets_of_an_experiment() {
        let mut options = Options::default();
        options.set("NullMove", "false").unwrap();
        options.set("Hash", "2").unwrap();
        let size = Size { quick: true, positions: 0, jobs: 1, shard: Shard::WHOLE };
        let setup = |set: &[&str]| Setup {
            options: &options,
            set: set.iter().map(|&text| text.to_owned()).collect(),
            size,
            suites: None,
            out: None,
        };
        let both = setup(&["NullMove=false", "Hash=2"]);
        let turk =
            Configuration::of(&both.options_with(&["MultiCut=true", "Preset=Turk"]).unwrap()).changed();
        assert_eq!(turk[..2], ["Preset=Turk", "Hash=2"]);
        assert!(turk.contains(&"MultiCut=true".to_owned()) && !turk.contains(&"NullMove=true".to_owned()));
        assert!(!both.options_with(&["Preset=Turk"]).unwrap().selective.null_move.on);
        let with_null_move = setup(&["NullMove=true"]);
        assert!(
            with_null_move.options_with(&["Preset=FullWidth"]).unwrap().selective.null_move.on,
            "a default is set, too"
        );
        let other = setup(&["Preset=Crafty"]);
        assert!(other.options_with(&["Preset=Turk"]).unwrap_err().contains("chooses its presets itself"));
        let path = std::env::temp_dir().join(format!("espalier-lab-{}.txt", std::process::id()));
        std::fs::write(&path, "NullMoveReduction=150\n").unwrap();
        let by_file = setup(&[&format!("{}={}", options::name_of(Effect::LoadSettings), path.display())]);
        let reduction =
            by_file.options_with(&["Preset=Turk"]).map(|options| options.selective.null_move.reduction);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(reduction, Ok(150), "a file of settings outlasts presets, too");
        assert!(both.options_with(&["NoSuchThing=1"]).is_err());
    }
}
