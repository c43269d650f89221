//! `espalier learn`: one file per learner.

mod evaluation;
pub(super) mod games;
mod games_report;
mod mine;
mod network;
mod probcut;
mod rankcut;
mod shared;
mod spsa;
mod spsa_games;
mod spsa_report;
mod weights;
mod weights_report;

use std::io::{self, Write};

use clap::Subcommand;

use super::{Assignments, Failure};
use crate::options::Options;

/// Learns what to prune, what to extend and how to evaluate; writes files that the engine loads
///
/// You can interrupt any learner with Ctrl-C; run the same command to resume after the last finished game (rankcut, mine,
/// spsa, games), position (probcut), iteration (weights) or pass (network). evaluation, which takes a minute or two, starts over.
#[derive(Subcommand)]
pub(super) enum LearnCommand {
    Rankcut(rankcut::Arguments),
    Probcut(probcut::Arguments),
    Weights(weights::Arguments),
    Mine(mine::Arguments),
    Spsa(Box<spsa::Arguments>),
    Evaluation(evaluation::Arguments),
    Games(Box<games::Arguments>),
    Network(network::Arguments),
}

/// A writer that ignores a closed pipe: learners write files and continue when their output is closed.
struct IgnoreBrokenPipe<W>(W);

impl<W: Write> Write for IgnoreBrokenPipe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unless_closed(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_closed(self.0.flush(), ())
    }
}

/// The result, or `otherwise` if the reader has closed the pipe.
fn unless_closed<T>(result: io::Result<T>, otherwise: T) -> io::Result<T> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(otherwise),
        result => result,
    }
}

impl LearnCommand {
    pub(super) fn assignments(&self) -> &Assignments {
        match self {
            Self::Rankcut(arguments) => &arguments.common.set,
            Self::Probcut(arguments) => &arguments.common.set,
            Self::Weights(arguments) => &arguments.common.set,
            Self::Mine(arguments) => &arguments.common.set,
            Self::Spsa(arguments) => &arguments.common.set,
            Self::Evaluation(arguments) => &arguments.common.set,
            Self::Games(arguments) => &arguments.set,
            Self::Network(arguments) => &arguments.common.set,
        }
    }

    pub(super) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        let out = &mut IgnoreBrokenPipe(out);
        match self {
            Self::Rankcut(arguments) => arguments.run(options, out),
            Self::Probcut(arguments) => arguments.run(options, out),
            Self::Weights(arguments) => arguments.run(options, out),
            Self::Mine(arguments) => arguments.run(options, out),
            Self::Spsa(arguments) => arguments.run(options, out),
            Self::Evaluation(arguments) => arguments.run(options, out),
            Self::Games(arguments) => arguments.run(options, out),
            Self::Network(arguments) => arguments.run(options, out),
        }
    }
}
