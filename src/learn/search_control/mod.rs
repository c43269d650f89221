//! Learning search control: the weights of fractional-ply extensions.
//!
//! Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, chapters 6 and 7,
//! appendices B and C. [`cost`] is the cost model and its gradient, [`raised`] observes one search and counts its nodes
//! with other weights, [`online`] is algorithm 12 (LSC) and [`offline`] algorithm 13 (LSC-offline), which drives any
//! program through [`solver`].

pub mod cost;
pub mod offline;
pub mod online;
pub mod raised;
pub mod solver;

use serde::{Deserialize, Serialize};
use shakmaty::Move;

use crate::board::san::read_move;
use crate::board::{GamePhase, Position};
use crate::epd::Task;
use crate::selective::extensions;

/// Number of move classes whose weights are learned: all but the null-move threat, which a path does not show.
pub const CLASSES: usize = 4;

/// Names of the classes, in the order of the weights.
pub const NAMES: [&str; CLASSES] = ["check", "recapture", "forced", "pawn"];

/// Weights of the classes of moves, in plies.
pub type ClassWeights = [f64; CLASSES];

/// Range of the weights.
pub const RANGE: (f64, f64) = (0.1, 2.0);

/// A position with known best moves.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The position.
    pub position: Position,
    /// The best moves; any of them solves it.
    pub moves: Vec<Move>,
    /// The phase of the game.
    pub phase: GamePhase,
    /// The solution path; empty if unknown.
    pub path: Vec<Move>,
}

impl Problem {
    /// The problem of a position in a suite, if it has best moves.
    pub fn from_task(task: &Task) -> Option<Self> {
        let position = task.position.clone();
        let phase = position.game_phase();
        let path = solution_path(task);
        (!task.best.is_empty()).then(|| Self { position, moves: task.best.clone(), phase, path })
    }
}

/// The legal moves of the operation `pv`, if the first is a best move.
fn solution_path(task: &Task) -> Vec<Move> {
    let mut position = task.position.clone();
    let play = |text: &String| {
        let m = read_move(&position, text).ok()?;
        position = position.play(m);
        Some(m)
    };
    let path: Vec<Move> = task.operands("pv").unwrap_or_default().iter().map_while(play).collect();
    if path.first().is_some_and(|m| task.best.contains(m)) { path } else { Vec::new() }
}

/// The learning rate and step sizes.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Pace {
    /// The learning rate μ of the first iteration.
    pub rate: f64,
    /// The factor of μ after each iteration.
    pub decay: f64,
    /// The weight change Δw_max for a change of the nodes by all of them.
    pub step: f64,
    /// The change of a weight that measures its effect.
    pub delta: f64,
}

impl Pace {
    /// `μ Δw_max` in an iteration, from 0.
    pub fn step_in(&self, iteration: usize) -> f64 {
        self.rate * self.decay.powi(iteration as i32) * self.step
    }
}

/// One step of gradient descent, line 18 of algorithm 12: `w_i ← w_i − μ Δw_max (Δnodes_i / nodes)`, with `step` =
/// `μ Δw_max`.
pub fn descend(weights: &mut ClassWeights, change: &[f64; CLASSES], nodes: f64, step: f64) {
    for (weight, change) in weights.iter_mut().zip(change) {
        let share = change / nodes;
        if share.is_finite() {
            *weight = (*weight - step * share).clamp(RANGE.0, RANGE.1);
        }
    }
}

/// The measurements of an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// The weights by phase of the game.
    pub weights: [ClassWeights; 3],
    /// Nodes searched.
    pub nodes: u64,
    /// Positions solved, or critical positions in games.
    pub solved: usize,
    /// Positions searched, or moves in games.
    pub positions: usize,
}

/// The options of the extensions with these weights.
pub fn extensions_with(base: &extensions::Settings, weights: &[ClassWeights; 3]) -> extensions::Settings {
    let mut settings = base.clone();
    settings.on = true;
    settings.set_weights(weights.as_flattened());
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubling_of_the_nodes_changes_a_weight_by_the_step() {
        let mut weights = [1.0; CLASSES];
        descend(&mut weights, &[50.0, -50.0, 0.0, 500.0], 100.0, 1.0);
        assert_eq!(weights, [0.5, 1.5, 1.0, 0.1]);
        descend(&mut weights, &[f64::NAN, -1e9, 0.0, 0.0], 100.0, 1.0);
        assert_eq!(weights, [0.5, 2.0, 1.0, 0.1]);
    }

    #[test]
    fn a_solution_path_is_taken_from_the_suite_if_it_begins_with_the_best_move() {
        let path = |text: &str| {
            let task = Task::parse(text, 1, false).unwrap().unwrap();
            Problem::from_task(&task).unwrap().path.len()
        };
        let board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        assert_eq!(path(&format!("{board} bm e4; pv e4 e5 Nf3;")), 3);
        assert_eq!(path(&format!("{board} bm e4; pv e4 e6 Ke5;")), 2);
        assert_eq!(path(&format!("{board} bm e4; pv d4 d5;")), 0);
        assert_eq!(path(&format!("{board} bm e4;")), 0);
    }

    #[test]
    fn the_step_falls_from_iteration_to_iteration() {
        let pace = Pace { rate: 1.0, decay: 0.5, step: 2.0, delta: 0.1 };
        assert_eq!([0, 1, 3].map(|iteration| pace.step_in(iteration)), [2.0, 1.0, 0.25]);
    }
}
