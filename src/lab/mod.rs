//! The laboratory: other engines as child processes, EPD suites, matches, and the statistics they are judged by.

pub mod client;
pub mod epd;
pub mod experiments;
pub mod info;
pub mod matches;
pub mod notation;
pub mod provenance;
pub mod runner;
pub mod sheet;
pub mod statistics;
pub mod suite;
pub mod summary;
pub mod table;
