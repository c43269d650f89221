//! The benchmark: node count and speed on fixed positions.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::board::{Game, Position};
use crate::engine::Engine;
use crate::limits::Limits;
use crate::options::Options;
use crate::search::{Effort, Search};

/// Default depth.
pub const DEPTH: i32 = 11;

/// The Bratko-Kopec middlegames, then endgames and unusual positions.
pub fn positions() -> Vec<Position> {
    include_str!("../epd/bench.epd")
        .lines()
        .filter_map(|line| Position::from_fen(line.split(" bm ").next().unwrap_or(line), false).ok())
        .collect()
}

/// Searches each position to `depth` with an empty hash table until `stop` is raised; `each` gets the number and nodes
/// of every finished position.
pub fn run(options: &Options, depth: i32, stop: &AtomicBool, mut each: impl FnMut(usize, u64)) -> Effort {
    let mut engine = Engine::new(options.clone());
    let mut total = Effort::default();
    for (index, position) in positions().into_iter().enumerate() {
        engine.new_game();
        engine.set_game(Game::new(position));
        let effort = engine.start(Search::new(Limits::depth(depth))).wait_or(stop).effort;
        if stop.load(Ordering::Relaxed) {
            break;
        }
        total.nodes += effort.nodes;
        total.time += effort.time;
        each(index + 1, effort.nodes);
    }
    total
}
