//! Learning from games and positions.

pub(crate) mod checkpoint;
pub mod games;
pub(crate) mod mine;
pub mod network;
pub(crate) mod rank_statistics;
pub(crate) mod regression;
pub mod search_control;
pub(crate) mod spsa;
pub(crate) mod tuning;
