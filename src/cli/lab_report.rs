//! `espalier lab report`.

use std::io::Write;
use std::path::PathBuf;

use super::{Failure, terminal};
use crate::lab::report;

/// Makes docs/EXPERIMENTS.md from the result files
///
/// An experiment writes NAME.json into its --out. Copy it to docs/results, keep the summary and the comment of the old one
/// as far as they are still true, and run this.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Where the results are
    #[arg(long, value_name = "DIR", default_value = "docs/results")]
    results: PathBuf,
    /// The page to write
    #[arg(long, value_name = "FILE", default_value = "docs/EXPERIMENTS.md")]
    out: PathBuf,
}

impl Arguments {
    pub(super) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let results = report::read(&self.results).map_err(Failure::Wrong)?;
        if results.is_empty() {
            let what = format!("{}: no results (NAME.json) in this folder", self.results.display());
            return Err(Failure::Wrong(what));
        }
        terminal::write_file(&self.out, report::page(&results))?;
        writeln!(out, "{} results are in {}", results.len(), self.out.display())?;
        Ok(())
    }
}
