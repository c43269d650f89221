//! The laboratory: other engines as child processes, EPD suites, matches, and the statistics they are judged by.
//!
//! ```
//! use espalier::lab::{runner::SuiteRun, suite::Suite, summary::SuiteSummary};
//! use espalier::{Limits, Options};
//! use std::sync::atomic::AtomicBool;
//!
//! let suite = Suite::load("bk", false).unwrap().thinned(4);
//! let run = SuiteRun::new(Options::defaults(), Limits::nodes(1_000), 2);
//! let answers = run.run(&suite.tasks, &AtomicBool::new(false), |_| {}).unwrap();
//! assert_eq!(SuiteSummary::of(&suite.tasks, &answers).nodes, 4_000);
//! ```

pub mod epd;
pub mod experiments;
mod line;
pub mod lock;
pub mod matches;
pub mod notation;
pub mod provenance;
pub mod results;
pub mod runner;
pub mod statistics;
pub mod suite;
pub mod summary;
pub mod table;
