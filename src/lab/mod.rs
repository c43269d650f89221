//! The laboratory: other engines as child processes, EPD suites and those who run them.

pub mod client;
pub mod info;
