//! `espalier perft`.

use std::io::Write;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::shared::{Common, PositionArguments, whole};
use super::{Failure, terminal};
use crate::board::uci_text;
use crate::options::Options;
use crate::perft;
use crate::text_table::Table;

const EXAMPLES: &str = "\
Examples:
  espalier perft 5
  espalier perft 4 --moves e4 e5 --divide
  espalier perft 4 --fen \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\" --divide --csv";

/// Counts the legal-move tree of a position
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Plies
    #[arg(value_parser = whole::<u32>(..=i64::from(perft::MAX_DEPTH)))]
    depth: u32,
    #[command(flatten)]
    position: PositionArguments,
    /// Shows the count of every first move
    #[arg(long)]
    divide: bool,
    #[command(flatten)]
    pub common: Common,
}

impl Arguments {
    pub(super) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        let chess960 = options.chess960;
        let game = self.position.game(chess960)?;
        let began = Instant::now();
        let mut result = Ok(());
        let mut moves = Table::new(&["move", "nodes"]);
        let stop = terminal::interrupt();
        let mut counted = 0;
        let nodes = perft::divide(game.position(), self.depth, &stop, |m, nodes| {
            counted += 1;
            if self.divide && self.common.form.is_text() && result.is_ok() {
                result = writeln!(out, "{}: {nodes}", uci_text(m, chess960));
            }
            moves.push([uci_text(m, chess960).to_string(), nodes.to_string()]);
        });
        result?;
        let all = game.position().legal_moves().len();
        if self.depth > 0 && counted < all && stop.load(Ordering::Relaxed) {
            return Err(Failure::Wrong(format!(
                "interrupted after {counted} of {all} first moves, {nodes} nodes"
            )));
        }
        let seconds = began.elapsed().as_secs_f64();
        if !self.common.form.is_text() {
            let mut whole = Table::new(&["depth", "nodes", "seconds"]);
            whole.push([self.depth.to_string(), nodes.to_string(), format!("{seconds:.3}")]);
            write!(out, "{}", self.common.form.show(if self.divide { &moves } else { &whole }))?;
            return Ok(());
        }
        writeln!(out, "{nodes}")?;
        // To standard error, so that standard output holds only the number. A few milliseconds say nothing about speed.
        let speed = format!(", {:.1} million a second", nodes as f64 / seconds.max(1e-9) / 1e6);
        let speed = if seconds < 0.02 { "" } else { &speed };
        let _ = writeln!(std::io::stderr(), "{seconds:.3} s{speed}");
        Ok(())
    }
}
