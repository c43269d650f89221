//! `espalier lab merge`.

use std::io::Write;
use std::path::PathBuf;

use super::Failure;
use crate::lab::experiments::merge::merge;

/// Combines the parts of an experiment that were made with --shard
///
/// The parts must be of the same version, options and size, each must be there once, and all must be finished; otherwise
/// nothing is written and the difference is named. The command of the experiment without --shard then finds everything
/// measured and writes the tables.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Folders of the parts
    #[arg(required = true, value_name = "DIR")]
    parts: Vec<PathBuf>,
    /// An empty folder for the whole
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Arguments {
    pub(super) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let merged = merge(&self.parts, &self.out).map_err(Failure::Wrong)?;
        writeln!(
            out,
            "{} parts, {} measurements, {} games are in {}.\n\
             `espalier lab {} --out {}`, with the other options of the parts but --shard, makes the tables.",
            merged.parts,
            merged.measurements,
            merged.games,
            self.out.display(),
            merged.experiment,
            self.out.display(),
        )?;
        Ok(())
    }
}
