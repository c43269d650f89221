//! The engine to use: this one with some options, or another program.

use crate::options::{self, Effect, Options};
use crate::provenance::{Configuration, assignments};

/// An engine before it is started.
#[derive(Clone, Debug, PartialEq)]
pub enum Program {
    /// Our own, in this process.
    Own(Box<Options>),
    /// Any UCI engine, as another process.
    Other {
        /// The program and its arguments.
        command: String,
        /// Options that are sent after the start, by name.
        options: Vec<(String, String)>,
    },
}

impl From<Options> for Program {
    fn from(options: Options) -> Self {
        Self::Own(Box::new(options))
    }
}

impl Program {
    /// Every option of our own engine, or those sent to another, in one line.
    pub fn every_option(&self) -> String {
        match self {
            Self::Own(options) => Configuration::of(options).every_option(),
            Self::Other { options, .. } => assignments(options).join("; "),
        }
    }

    /// The number of its search threads, if known.
    pub fn threads(&self) -> Option<i32> {
        match self {
            Self::Own(options) => Some(options.threads),
            Self::Other { options, .. } => {
                let told =
                    options.iter().rfind(|(name, _)| options::effect_of(name) == Effect::NewThreads)?;
                told.1.parse().ok()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_and_options_of_both_kinds_are_known() {
        let mut options = Options::default();
        options.set("Threads", "3").unwrap();
        let own = Program::from(options);
        let told = vec![("threads".into(), "2".into()), ("Hash".into(), "4".into())];
        let other = Program::Other { command: "x".into(), options: told };
        assert_eq!((own.threads(), other.threads()), (Some(3), Some(2)));
    }

    #[test]
    fn options_of_both_kinds_are_known() {
        let told = vec![("threads".into(), "2".into()), ("Hash".into(), "4".into())];
        let other = Program::Other { command: "x".into(), options: told };
        assert_eq!(other.every_option(), "threads=2; Hash=4");
        assert!(Program::from(Options::default()).every_option().contains("; NullMove=true; "));
    }
}
