//! The laboratory: other engines as child processes, EPD suites and those who run them.

pub mod client;
pub mod epd;
pub mod info;
pub mod notation;
pub mod runner;
pub mod sheet;
pub mod suite;
pub mod summary;
pub mod table;
