//! Learning from games: numbers that are found, not guessed.

pub mod tuning;
