//! Runs a test suite on all cores: `cargo run --example suite -- wac 10000`.

use std::sync::atomic::AtomicBool;

use espalier::epd::suite::Suite;
use espalier::lab::{runner::SuiteRun, summary::SuiteSummary};
use espalier::{Limits, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "bk".to_owned());
    let nodes = arguments.next().map_or(Ok(2_000), |nodes| nodes.parse())?;

    let suite = Suite::load(&name, false)?;
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let run = SuiteRun::new(Options::default(), Limits::nodes(nodes), jobs);
    let answers = run.run(&suite.tasks, &AtomicBool::new(false), |_| {})?;

    let summary = SuiteSummary::of(&suite.tasks, &answers);
    println!("{name}: {} of {} solved, {} nodes", summary.solved, summary.questions, summary.nodes);
    Ok(())
}
