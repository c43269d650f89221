//! Solvers search until a move is found: this engine, or any program that understands three commands.
//!
//! Thesis 7.3.1: `setboard POSITION`, `setparam W1 … Wn` and `gountil MOVE N`, answered by `nodes FLAG COUNT`. Such a
//! program need not speak UCI: it is driven through a [`Client`] without a handshake, not as a
//! [`Player`](crate::uci::player::Player).

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{ClassWeights, Problem, extensions_with};
use crate::board::{Game, uci_text};
use crate::engine::Engine;
use crate::limits::Limits;
use crate::uci::EngineErrorKind;
use crate::uci::client::Client;
use crate::uci::solver::SolverCommand;
pub use crate::uci::solver::SolverResult;

/// One search until a move is found.
#[derive(Copy, Clone)]
pub struct SolverTask<'a> {
    /// The position and the moves that solve it.
    pub problem: &'a Problem,
    /// Weights of the extensions, by phase of the game.
    pub weights: &'a [ClassWeights; 3],
    /// Most nodes of the search.
    pub nodes: u64,
}

/// Searches until a move is found.
pub trait Solver {
    /// Runs one search.
    fn count(&mut self, task: &SolverTask<'_>) -> Result<SolverResult, String>;
}

impl Solver for Engine {
    fn count(&mut self, task: &SolverTask<'_>) -> Result<SolverResult, String> {
        let SolverTask { problem, weights, nodes } = *task;
        let extensions = extensions_with(&self.options().selective.extensions, weights);
        self.set_extensions(extensions);
        self.new_game();
        self.set_game(Game::new(problem.position.clone()));
        let outcome = self.search(Limits { until: problem.moves.clone(), ..Limits::nodes(nodes) });
        let solved = outcome.best_move().is_some_and(|m| problem.moves.contains(&m));
        Ok(SolverResult::new(solved, outcome.effort.nodes, nodes))
    }
}

/// A program that understands the three commands. It gets the weights of the problem's phase.
pub struct ExternalEngine<'a> {
    client: Client,
    timeout: Duration,
    stop: &'a AtomicBool,
}

impl<'a> ExternalEngine<'a> {
    /// Starts the program. Waiting for an answer ends with the timeout or when `stop` is raised.
    pub fn start(command: &str, timeout: Duration, stop: &'a AtomicBool) -> Result<Self, String> {
        let client = Client::launch(command, timeout).map_err(|failure| failure.to_string())?;
        Ok(Self { client, timeout, stop })
    }
}

/// A program may exceed its node limit by this factor, because many check their counter rarely.
const OVERSTEP: u64 = 2;
/// A program may exceed its limit by this many nodes, if that is more.
const OVERSTEP_NODES: u64 = 100_000;

impl Solver for ExternalEngine<'_> {
    fn count(&mut self, task: &SolverTask<'_>) -> Result<SolverResult, String> {
        let SolverTask { problem, weights, nodes } = *task;
        let [move_to_find] = problem.moves.as_slice() else {
            return Err("gountil takes one move, and this problem has several".to_owned());
        };
        let weights = weights[problem.phase as usize].map(|weight| (100.0 * weight).round() / 100.0);
        let set_board = SolverCommand::SetBoard(problem.position.fen());
        let set_param = SolverCommand::SetParam(weights.to_vec());
        let question =
            SolverCommand::GoUntil { moves: vec![uci_text(*move_to_find, false)], nodes }.to_string();
        let mut ask = || {
            self.client.send(&set_board.to_string())?;
            self.client.send(&set_param.to_string())?;
            let answer = |line: &str| line.starts_with("nodes").then(|| line.to_owned());
            self.client.ask(&question, self.timeout, self.stop, answer)
        };
        let line = ask().map_err(|failure| match failure.kind {
            EngineErrorKind::Silent { waited, .. } => {
                format!(
                    "engine {:?}: no answer to {question:?} within {:.0} s",
                    failure.engine,
                    waited.as_secs_f64()
                )
            }
            _ => failure.to_string(),
        })?;
        let wrong =
            |what: &str| format!("engine {:?} answers {line:?} to {question:?}, {what}", self.client.name());
        let count = SolverResult::parse(&line).ok_or_else(|| wrong("not nodes FLAG COUNT"))?;
        if count == (SolverResult { solved: false, nodes: 0 }) {
            return Err(wrong("as if it could not search the position"));
        }
        if count.nodes > nodes.saturating_mul(OVERSTEP).max(nodes.saturating_add(OVERSTEP_NODES)) {
            return Err(wrong("far more than it was given"));
        }
        Ok(SolverResult::new(count.solved, count.nodes, nodes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::GamePhase;
    use crate::board::Position;
    #[cfg(unix)]
    use std::sync::atomic::Ordering;

    fn task(problem: &Problem, nodes: u64) -> SolverTask<'_> {
        SolverTask { problem, weights: &[[1.0; 4]; 3], nodes }
    }

    #[test]
    fn this_engine_stops_when_it_finds_the_move_and_at_the_limit_when_not() {
        let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", false).unwrap();
        let problem = |text: &str| Problem {
            moves: vec![position.parse_move(text).unwrap()],
            position: position.clone(),
            phase: GamePhase::End,
            path: Vec::new(),
        };
        let mut engine = Engine::default();
        let found = engine.count(&task(&problem("e1e8"), 5_000)).unwrap();
        assert!(found.solved && found.nodes < 5_000, "{found:?}");
        let missed = engine.count(&task(&problem("g1f1"), 5_000)).unwrap();
        assert_eq!(missed, SolverResult { solved: false, nodes: 5_000 });
        let kings = Position::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1", false).unwrap();
        let moves = vec![kings.parse_move("e1f1").unwrap()];
        let problem = Problem { position: kings, moves, phase: GamePhase::End, path: Vec::new() };
        assert_eq!(engine.count(&task(&problem, 10_000)).unwrap().nodes, 10_000, "a tree that ends");
    }

    #[test]
    #[cfg(unix)]
    fn a_program_that_oversteps_a_little_is_borne_and_a_raised_stop_ends_the_waiting() {
        let stop = AtomicBool::new(false);
        let position = Position::default();
        let moves = vec![position.legal_moves()[0]];
        let problem = Problem { position, moves, phase: GamePhase::Opening, path: Vec::new() };
        let script = "sh -c 'while read a; do case $a in gountil*) echo nodes 0 4096;; esac; done'";
        let mut slow = ExternalEngine::start(script, Duration::from_secs(5), &stop).unwrap();
        let count = slow.count(&task(&problem, 1_000)).unwrap();
        assert_eq!(count, SolverResult { solved: false, nodes: 1_000 });
        stop.store(true, Ordering::Relaxed);
        let begin = std::time::Instant::now();
        let mut silent = ExternalEngine::start("sleep 30", Duration::from_secs(30), &stop).unwrap();
        assert!(silent.count(&task(&problem, 1_000)).is_err());
        assert!(begin.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_program_that_dies_or_is_not_there_is_named() {
        let stop = AtomicBool::new(false);
        assert!(ExternalEngine::start("/no/such/engine", Duration::from_secs(1), &stop).is_err());
        let position = Position::default();
        let moves = vec![position.legal_moves()[0]];
        let problem = Problem { position, moves, phase: GamePhase::Opening, path: Vec::new() };
        let mut dead = ExternalEngine::start("true", Duration::from_secs(5), &stop).unwrap();
        assert!(dead.count(&task(&problem, 100)).unwrap_err().contains("true"));
    }
}
