//! Learning from games: numbers that are found, not guessed.

pub mod checkpoint;
pub mod discriminant;
pub mod games;
pub mod mine;
pub mod network;
pub mod rank_statistics;
pub mod regression;
pub mod search_control;
pub mod self_play;
pub mod spsa;
pub mod tuning;
