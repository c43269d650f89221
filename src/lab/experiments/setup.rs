//! Options, size and progress of an experiment.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::SEED;
use super::notebook::Heading;
use crate::options::{self, AssignError, Effect, Options};
use crate::parallel::Shard;
use crate::provenance::Provenance;

/// Everything that determines what an experiment measures, and the folder for results.
#[derive(Clone, Debug)]
pub(crate) struct Setup<'a> {
    /// Options of every engine unless the experiment changes them.
    pub options: &'a Options,
    /// Options that the user set, `NAME=VALUE` in order. They survive the presets of the experiment.
    pub set: Vec<String>,
    /// Amount and parallelism.
    pub size: Size,
    /// A folder of suites, searched first.
    pub suites: Option<&'a Path>,
    /// The folder for results and games. Without it nothing is stored.
    pub out: Option<&'a Path>,
}

/// How much of an experiment runs, and how many jobs.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Size {
    /// The short form, at most two minutes on two cores.
    pub quick: bool,
    /// Most positions of a suite; 0 for the experiment's own number.
    pub positions: usize,
    /// Positions or games at once.
    pub jobs: usize,
    /// The part, if the experiment is split over several machines.
    pub shard: Shard,
}

impl Setup<'_> {
    /// The heading of the notebook.
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

    /// The options with these assignments applied. A preset among them comes first and replaces the user's; other options
    /// that the user set keep their values.
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

/// Sets one option, loading a settings file if it names one.
fn assign(options: &mut Options, assignment: &str) -> Result<(), String> {
    let (name, value) = assignment.split_once('=').unwrap_or((assignment, ""));
    options.set_and_load(name, value).map_err(|error| match error {
        AssignError::Refused(error) => format!("{assignment}: {error}"),
        AssignError::File(error) => error,
    })
}

/// Stops an experiment, and receives its progress.
#[derive(Copy, Clone)]
pub(crate) struct Watch<'a> {
    /// Ends the experiment when raised.
    pub stop: &'a AtomicBool,
    /// Called for every measurement and every piece of it.
    pub progress: &'a (dyn Fn(LabProgress) + Sync),
}

/// Progress of an experiment.
#[derive(Clone, Debug)]
pub(crate) enum LabProgress {
    /// A measurement begins.
    Begin {
        /// What is measured, in words.
        what: String,
        /// Number of searches or games.
        pieces: u64,
        /// Number of those done before.
        done: u64,
    },
    /// A piece is done.
    Piece,
}

impl Watch<'_> {
    /// Whether the experiment was told to stop.
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
