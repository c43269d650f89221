//! What clients rely on, tested on the real binary through pipes.
//!
//! Every module is a section of the protocol checklist and every test one sentence of it. The variable
//! `ESPALIER_ENGINE` names another engine to run the same tests on (`ESPALIER_ENGINE="stockfish"`); that is
//! for checking the tests themselves, since no other engine passes all of them.

// Some tests are for Unix or Linux only; elsewhere nobody uses what only they need.
#![cfg_attr(not(target_os = "linux"), allow(unused_imports, dead_code))]

mod client;
mod declared;
mod faults;
mod files;
mod game;
mod games;
mod info;
mod judge;

mod command_line;
mod handshake;
mod learning;
mod life_cycle;
mod limits;
mod options;
mod output;
mod positions;
mod queue;
mod refusals;
mod robustness;
mod self_play;
mod signals;
mod tablebases;
mod trees;
