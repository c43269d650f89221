//! A fixed amount of work: how fast, and whether the search is still the same.

use std::time::Duration;

use crate::engine::Engine;
use crate::limits::Limits;
use crate::options::Options;
use crate::position::{Game, Position};

/// Depth of every position unless asked otherwise.
pub const DEPTH: i32 = 9;

/// Middle games of Bratko and Kopec, then endgames and odd positions of our own.
pub fn positions() -> Vec<Position> {
    include_str!("../epd/bench.epd")
        .lines()
        .filter_map(|line| Position::from_fen(line.split(" bm ").next().unwrap_or(line), false).ok())
        .collect()
}

/// What a bench measured.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Measured {
    /// The signature: the same on every machine and in every run.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
}

impl Measured {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-6)) as u64
    }
}

/// Searches every position to `depth`, each from an empty table; `each` hears the number of the
/// position and its nodes. One thread and 16 MiB of hash unless the options say otherwise.
pub fn run(options: &Options, depth: i32, mut each: impl FnMut(usize, u64)) -> Measured {
    let mut engine = Engine::new(options.clone());
    let mut measured = Measured { nodes: 0, time: Duration::ZERO };
    for (index, position) in positions().into_iter().enumerate() {
        engine.new_game();
        engine.set_game(Game::new(position));
        let effort = engine.search(Limits::depth(depth)).effort;
        measured.nodes += effort.nodes;
        measured.time += effort.time;
        each(index + 1, effort.nodes);
    }
    measured
}
