//! Learning from games: numbers that are found, not guessed.

pub mod checkpoint;
pub mod games;
pub mod mine;
pub mod rank_statistics;
pub mod regression;
pub mod search_control;
pub mod spsa;
pub mod tuning;
