//! The laboratory, tested on the real binary and on engines that misbehave.

mod client;
