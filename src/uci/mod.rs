//! The Universal Chess Interface: our engine as a server, and a client for other engines.
//!
//! | Files | What they do |
//! | --- | --- |
//! | `command`, `go` | commands as text, and limits as `go`, in both directions |
//! | `info` | reports of a search as text, in both directions |
//! | `server`, `reader`, `introduction`, `waiting`, `output`, `task`, `display`, `human` | our engine as a server |
//! | `solver` | three further commands, for learning search control |
//! | `client`, `process`, `error` | any UCI engine as a child process |
//! | `player`, `program` | one adapter for our engine in this process and any other engine |

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

pub mod client;
pub mod command;
mod display;
mod error;
pub mod go;
mod human;
pub mod info;
mod introduction;
mod output;
pub mod player;
pub(crate) mod process;
pub mod program;
mod reader;
mod server;
pub mod solver;
mod task;
mod waiting;

pub use display::{board, name};
pub use error::{EngineError, EngineErrorKind};
pub use player::Player;
pub use program::Program;
pub use server::{ServerOptions, run};
