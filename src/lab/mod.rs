//! The laboratory: test suites, matches and published experiments, with our engine or any UCI engine.
//!
//! ```
//! use espalier::epd::suite::Suite;
//! use espalier::lab::{runner::SuiteRun, summary::SuiteSummary};
//! use espalier::{Limits, Options};
//! use std::sync::atomic::AtomicBool;
//!
//! let suite = Suite::load("bk", false).unwrap().thinned(4);
//! let run = SuiteRun::new(Options::default(), Limits::nodes(1_000), 2);
//! let answers = run.run(&suite.tasks, &AtomicBool::new(false), |_| {}).unwrap();
//! assert_eq!(SuiteSummary::of(&suite.tasks, &answers).nodes, 4_000);
//! ```

pub(crate) mod experiments;
pub mod matches;
pub(crate) mod profile;
pub(crate) mod report;
pub(crate) mod results;
pub mod runner;
pub mod summary;
pub(crate) mod verdict;
