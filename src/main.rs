//! Parses the command line and runs the job.

use std::process::ExitCode;

use clap::Parser;
use espalier::cli;

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("error")).init();
    cli::genfens::answer(std::env::args().skip(1)).unwrap_or_else(|| cli::run(cli::Arguments::parse()))
}
