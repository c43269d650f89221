//! Learning from games: numbers that are found, not guessed.

pub mod checkpoint;
pub mod random;
pub mod rank_statistics;
pub mod self_play;
pub mod tuning;
