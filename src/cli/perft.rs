//! `espalier perft`.

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::shared::PositionArguments;
use super::{Assignments, Failure};
use crate::board::uci_text;
use crate::options::Options;
use crate::perft;

/// Counts the legal-move tree of a position
#[derive(clap::Args)]
pub struct Arguments {
    /// Plies
    #[arg(value_parser = clap::value_parser!(u32).range(..=i64::from(perft::MAX_DEPTH)))]
    depth: u32,
    #[command(flatten)]
    position: PositionArguments,
    /// Shows the count of every first move
    #[arg(long)]
    divide: bool,
    #[command(flatten)]
    pub set: Assignments,
}

impl Arguments {
    pub fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        let chess960 = options.chess960;
        let game = self.position.game(chess960)?;
        let began = Instant::now();
        let mut result = Ok(());
        let nodes = perft::divide(game.position(), self.depth, &AtomicBool::new(false), |m, nodes| {
            if self.divide && result.is_ok() {
                result = writeln!(out, "{}: {nodes}", uci_text(m, chess960));
            }
        });
        result?;
        let seconds = began.elapsed().as_secs_f64();
        writeln!(out, "{nodes}")?;
        // For people, so that the number stays alone for programs.
        eprintln!("{seconds:.3} s, {:.1} million a second", nodes as f64 / seconds.max(1e-9) / 1e6);
        Ok(())
    }
}
