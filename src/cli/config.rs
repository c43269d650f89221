//! `espalier config`.

use std::io::Write;

use super::shared::whole;
use super::{Assignments, Failure};
use crate::options::{Options, settings_file};
use crate::provenance::Provenance;

const EXAMPLES: &str = "Examples:
  espalier config                                the default settings
  espalier config --set Preset=Turk --json       the same text that result files contain
  espalier config --set Hash=64 > mine.txt       a file that --settings mine.txt loads back

The part of the version after the plus is not a commit. It is a digest of the tested node counts and of the sources \
of time management: two programs with the same digest search alike.";

/// Prints what you need to repeat a result: version, options, their short hash, seed
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The seed to show
    #[arg(long, default_value_t = 0, value_parser = whole::<u64>(0..))]
    seed: u64,
    /// Prints JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub set: Assignments,
}

impl Arguments {
    pub(super) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        let provenance = Provenance::new(options, self.seed);
        if self.json {
            serde_json::to_writer_pretty(&mut *out, &provenance).map_err(std::io::Error::from)?;
            writeln!(out)?;
            return Ok(());
        }
        writeln!(out, "# version  {}", provenance.version)?;
        writeln!(out, "# hash     {}", provenance.configuration.hash)?;
        writeln!(out, "# seed     {}", provenance.seed)?;
        write!(out, "{}", settings_file::write(options))?;
        Ok(())
    }
}
