//! What can be wrong with an engine.

use std::fmt;
use std::time::Duration;

/// An error of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineError {
    /// Its name, or the command that should have started it.
    pub engine: String,
    /// What went wrong.
    pub kind: EngineErrorKind,
}

/// What can go wrong with an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineErrorKind {
    /// The program cannot be started; why.
    NotStarted(String),
    /// No answer came.
    Silent {
        /// The command it should have answered.
        after: &'static str,
        /// How long it had.
        waited: Duration,
    },
    /// The process ended.
    Died {
        /// With which status.
        status: String,
        /// The last line it wrote to standard error.
        last_words: String,
    },
    /// Its search broke down; why.
    Panicked(String),
    /// It does not have this option.
    NoOption(String),
    /// It played what cannot be played.
    IllegalMove {
        /// The move, as it wrote it.
        text: String,
        /// Where.
        fen: String,
    },
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "engine {:?} ", self.engine)?;
        match &self.kind {
            EngineErrorKind::NotStarted(why) => write!(f, "does not start: {why}"),
            EngineErrorKind::Silent { after, waited } => {
                write!(f, "does not answer: nothing came within {:.1} s of {after:?}", waited.as_secs_f64())
            }
            EngineErrorKind::Died { status, last_words } if last_words.is_empty() => {
                write!(f, "died: {status}")
            }
            EngineErrorKind::Died { status, last_words } => {
                write!(f, "died: {status}; it last said {last_words:?}")
            }
            EngineErrorKind::Panicked(why) => write!(f, "broke down in its search: {why}"),
            EngineErrorKind::NoOption(name) => write!(f, "has no option named {name:?}"),
            EngineErrorKind::IllegalMove { text, fen } => {
                write!(f, "played the illegal move {text:?} in {fen}")
            }
        }
    }
}

impl std::error::Error for EngineError {}
