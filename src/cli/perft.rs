//! `espalier perft`.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use super::{Assignments, Failure};
use crate::board::{Position, uci_text};
use crate::options::Options;
use crate::perft;

/// Counts the legal-move tree of a position
#[derive(clap::Args)]
pub struct Arguments {
    /// Plies
    #[arg(value_parser = clap::value_parser!(u32).range(..=i64::from(perft::MAX_DEPTH)))]
    depth: u32,
    /// The position; the start of a game if not given
    #[arg(long)]
    fen: Option<String>,
    /// Shows the count of every first move
    #[arg(long)]
    divide: bool,
    #[command(flatten)]
    pub set: Assignments,
}

impl Arguments {
    pub fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        let chess960 = options.chess960;
        let position = match self.fen {
            None => Position::default(),
            Some(fen) => Position::from_fen(&fen, chess960)
                .map_err(|error| Failure::Wrong(format!("--fen: {error} in {fen:?}")))?,
        };
        let mut result = Ok(());
        let nodes = perft::divide(&position, self.depth, &AtomicBool::new(false), |m, nodes| {
            if self.divide && result.is_ok() {
                result = writeln!(out, "{}: {nodes}", uci_text(m, chess960));
            }
        });
        result?;
        writeln!(out, "{nodes}")?;
        Ok(())
    }
}
