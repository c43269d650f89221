//! `espalier config`.

use std::io::Write;

use super::{Assignments, Failure};
use crate::options::{Options, settings_file};
use crate::provenance::Provenance;

const EXAMPLES: &str = "Examples:
  espalier config                                the engine as it is without options
  espalier config --set Preset=Turk --json       the same text that result files carry
  espalier config --set Hash=64 > mine.txt       a file that --settings mine.txt loads back

What stands behind the plus of the version is no commit: it is a digest of the node counts that the tests hold the search \
to, and of the sources that decide about time. Two programs with the same one search alike.";

/// Prints what makes a result repeatable: version, options, their short hash, seed
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The seed to show
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Prints JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub set: Assignments,
}

impl Arguments {
    pub fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
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
