//! `espalier bench`.

use std::io::Write;
use std::sync::atomic::Ordering;

use super::shared::{Common, whole};
use super::{Failure, terminal};
use crate::bench;
use crate::options::Options;
use crate::text_table::Table;

/// Searches a fixed set of positions and prints "N nodes M nps"; N is the same on every machine
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[arg(
        help = format!("Plies to search each position, as in the UCI command `bench 5` [default: {}]", bench::DEPTH),
        value_name = "DEPTH",
        conflicts_with = "depth",
        value_parser = whole::<i32>(1..=100)
    )]
    plies: Option<i32>,
    /// Plies to search each position
    #[arg(long, value_parser = whole::<i32>(1..=100))]
    depth: Option<i32>,
    #[command(flatten)]
    pub common: Common,
}

impl Arguments {
    pub(super) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        let form = self.common.form;
        let depth = self.plies.or(self.depth).unwrap_or(bench::DEPTH);
        let (mut result, mut done) = (Ok(()), 0);
        let mut table = Table::new(&["position", "nodes"]);
        let stop = terminal::interrupt();
        let measured = bench::run(options, depth, &stop, |number, nodes| {
            done = number;
            if form.is_text() && result.is_ok() {
                result = writeln!(out, "position {number:2}  {nodes:>10} nodes");
            }
            table.push([number.to_string(), nodes.to_string()]);
        });
        result?;
        let all = bench::positions().len();
        if done < all && stop.load(Ordering::Relaxed) {
            let nodes = measured.nodes;
            return Err(Failure::Wrong(format!(
                "interrupted after {done} of {all} positions, {nodes} nodes"
            )));
        }
        let total = format!("{} nodes {} nps", measured.nodes, measured.nps());
        if form.json {
            let milliseconds = measured.time.as_millis();
            writeln!(
                out,
                "{{\"nodes\": {}, \"nps\": {}, \"milliseconds\": {milliseconds}, \"depth\": {depth}}}",
                measured.nodes,
                measured.nps()
            )?;
            return Ok(());
        } else if !form.is_text() {
            write!(out, "{}", form.show(&table))?;
        }
        form.remark(&total, out)?;
        Ok(())
    }
}
