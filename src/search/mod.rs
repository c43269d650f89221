//! The search, from the threads down to the static value of a leaf.
//!
//! A [`Search`] says what to do, [`Engine::start`](crate::Engine::start) does it on the threads of the engine, and a
//! [`Handle`] stops it and waits for its [`Outcome`]. It never prints; what it finds on the way goes to a [`Listener`].
//!
//! | file | what is in it |
//! | --- | --- |
//! | `request`, `control` | what a search is asked, and how to stop it while it runs |
//! | `pool` | the threads of an engine, asleep between searches |
//! | `threads`, `job` | the threads of a search and what they share |
//! | `iterative_deepening`, `aspiration`, `mtd` | from one iteration to the next, and the windows of one |
//! | `root` | the moves of the root |
//! | `alpha_beta` | the recursion: `pvs` and `mws` |
//! | `quiescence` | captures, promotions and checks at the leaves |
//! | `node_pruning` | null move, ProbCut, multi-cut and singular extension: probes of a whole node |
//! | `move_pruning` | moves that are not searched at all |
//! | `move_depth` | extensions, reductions and re-searches |
//! | `static_eval`, `terminal` | what a node is worth before its moves are searched |
//! | `move_picker`, `history`, `history_update`, `correction_history`, `ordering`, `scores` | move ordering and what is learned for it during a search |
//! | `transposition_table`, `huge_pages`, `prefetch` | the hash table and its memory |
//! | `learned`, `syzygy` | what was learned off-line, and endgame tables |
//! | `time_manager` | when to stop |
//! | `observer`, `event`, `report` | observers and listeners, and what they receive |
//! | `searcher`, `node`, `settings` | the state of one thread, a node with what it inherits, and the options |

mod alpha_beta;
mod aspiration;
pub(crate) mod control;
mod correction_history;
pub mod event;
pub mod history;
mod history_update;
mod huge_pages;
mod iterative_deepening;
mod job;
mod learned;
mod move_depth;
pub mod move_picker;
mod move_pruning;
mod mtd;
mod node;
mod node_pruning;
pub mod observer;
pub(crate) mod ordering;
mod pool;
mod prefetch;
mod quiescence;
pub mod report;
mod request;
mod root;
mod scores;
mod searcher;
mod settings;
mod static_eval;
pub mod syzygy;
mod terminal;
#[cfg(test)]
mod tests;
mod threads;
mod time_manager;
pub mod transposition_table;

pub(crate) use job::{Job, Resources};
pub use learned::Learned;
pub(crate) use learned::LearnedFiles;
pub use pool::STACK;
pub(crate) use pool::ThreadPool;
pub use report::{Effort, Line, Listener, MethodStatistics, Outcome, Report, Statistics, Written};
pub use request::{Handle, Search};
pub(crate) use settings::Asked;
pub use settings::{Algorithm, HashUse, Rules, Settings};
pub(crate) use threads::{MainTask, start};

use searcher::Searcher;

use crate::score::MAX_PLY;

/// The search was told to end; values on the way up mean nothing any more.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

/// The deepest iteration.
pub const MAX_DEPTH: i32 = MAX_PLY as i32 / 2;
