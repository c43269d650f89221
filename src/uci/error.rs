//! Errors of external engines.

use std::time::Duration;

use thiserror::Error;

/// A failure of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("engine {engine:?} {kind}")]
pub struct EngineError {
    /// Its name, or the command that starts it.
    pub engine: String,
    /// The failure; its message follows the name.
    pub kind: EngineErrorKind,
}

/// The kinds of failure.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EngineErrorKind {
    /// The program cannot be started.
    #[error("does not start: {0}")]
    NotStarted(String),
    /// It is running but did not answer in time.
    #[error("does not answer: nothing came within {:.1} s of {after:?}", .waited.as_secs_f64())]
    Silent {
        /// The command it should have answered.
        after: &'static str,
        /// How long it had.
        waited: Duration,
    },
    /// Its process ended before it answered.
    #[error("ended unexpectedly: {status}{}", last_said(.last_words))]
    Died {
        /// Exit status or signal, in words.
        status: String,
        /// The last line it wrote to standard error.
        last_words: String,
    },
    /// Its search panicked.
    #[error("broke down in its search: {0}")]
    Panicked(String),
    /// It does not have this option.
    #[error("has no option named {0:?}")]
    NoOption(String),
    /// It played an illegal move.
    #[error("played the illegal move {text:?} in {fen}")]
    IllegalMove {
        /// The move, as it wrote it.
        text: String,
        /// FEN of the position.
        fen: String,
    },
}

fn last_said(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!("; it last said {words:?}") }
}
