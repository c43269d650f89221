//! An engine that analyses one position after the other: ours, or another in a process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, unbounded};
use shakmaty::{Move, Position as _};

use super::client::{Client, EngineError, EngineErrorKind, LONGEST, PATIENCE};
use super::program::Program;
use super::runner::SearchCost;
use crate::board::{Game, Position};
use crate::engine::Engine;
use crate::limits::Limits;
use crate::options::Options;
use crate::score::Score;
use crate::search::{Outcome, Report, Search};
use crate::uci::command::Go;

/// How often a search is asked whether it should go on.
const TICK: Duration = Duration::from_millis(100);

/// The best move of an engine at some moment of a search.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct AnalysisStep {
    /// The move it would have played.
    pub best: Move,
    /// Its value.
    pub score: Option<Score>,
    /// What it had cost.
    pub cost: SearchCost,
}

/// The analysis of a position: every best move in turn, and the answer.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// One after the other.
    pub on_the_way: Vec<AnalysisStep>,
    /// The move at the end.
    pub best: Option<Move>,
    /// The value at the end.
    pub score: Option<Score>,
    /// What it cost.
    pub total: SearchCost,
}

impl Analysis {
    /// The first of the last steps that all hold; the end of the search if even the last one does not.
    pub fn settled(&self, holds: impl Fn(&AnalysisStep) -> bool) -> Option<SearchCost> {
        self.best?;
        let held = self.on_the_way.iter().rev().take_while(|step| holds(step)).last();
        Some(held.map_or(self.total, |step| step.cost))
    }
}

/// An engine that is running.
pub enum Analyst {
    /// Our own.
    Ours(Box<Engine>),
    /// Another, as a process.
    Other(Box<Client>),
    /// The engine got into trouble; another will be started.
    Empty,
}

impl Analyst {
    /// Starts an engine.
    pub fn start(program: &Program) -> Result<Self, EngineError> {
        match program {
            Program::Own(options) => {
                // There is no way to a clock, so that all the time is for thinking, as it is for other engines.
                let options = Options { move_overhead: 0, ..options.as_ref().clone() };
                Ok(Self::Ours(Box::new(Engine::new(options))))
            }
            Program::Other { command, options } => {
                Ok(Self::Other(Box::new(Client::start_told(command, options, PATIENCE)?)))
            }
        }
    }

    /// The engine analyses a position as if it had never seen another.
    pub fn analyse(
        &mut self,
        program: &Program,
        position: &Position,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Result<Analysis, EngineError> {
        if matches!(self, Self::Empty) {
            *self = Self::start(program)?;
        }
        let found = match self {
            Self::Ours(engine) => ours(engine, position, limits, stop),
            Self::Other(client) => other(client, position, limits, stop),
            Self::Empty => Ok(Analysis::default()),
        };
        if found.is_err() {
            *self = Self::Empty;
        }
        found
    }
}

/// Our own engine thinks.
fn ours(
    engine: &mut Engine,
    position: &Position,
    limits: &Limits,
    stop: &AtomicBool,
) -> Result<Analysis, EngineError> {
    engine.new_game();
    engine.set_game(Game::new(position.clone()));
    let (sender, reports) = unbounded();
    let handle = engine.start(Search::new(limits.clone()).listener(move |report| {
        // Nobody can be gone: the receiver lives until the search is over.
        let _ = sender.send(report);
    }));
    let mut analysis = Analysis::default();
    loop {
        match reports.recv_timeout(TICK) {
            Ok(Report::Line(line, effort)) if line.rank == 1 => {
                let cost = SearchCost { depth: line.depth, nodes: effort.nodes, time: effort.time };
                let step = |best| AnalysisStep { best, score: Some(line.score), cost };
                analysis.on_the_way.extend(line.moves.first().copied().map(step));
            }
            Ok(Report::Finished(outcome)) => {
                if let Some(panic) = outcome.panicked {
                    return Err(EngineError {
                        engine: "Espalier".into(),
                        kind: EngineErrorKind::Panicked(panic),
                    });
                }
                analysis.conclude(&outcome);
                break;
            }
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) if !stop.load(Ordering::Relaxed) => {}
            Err(RecvTimeoutError::Timeout) => handle.stop(),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    handle.wait();
    Ok(analysis)
}

impl Analysis {
    fn conclude(&mut self, outcome: &Outcome) {
        self.best = outcome.best_move();
        self.score = outcome.score();
        let depth = outcome.lines.first().map_or(0, |line| line.depth);
        self.total = SearchCost { depth, nodes: outcome.effort.nodes, time: outcome.effort.time };
    }
}

/// Another engine thinks.
fn other(
    client: &mut Client,
    position: &Position,
    limits: &Limits,
    stop: &AtomicBool,
) -> Result<Analysis, EngineError> {
    client.set_chess960(position.chess().castles().mode().is_chess960())?;
    client.new_game()?;
    let fen = position.fen();
    client.position(Some(&fen), &[])?;
    let within = limits.move_time.map_or(LONGEST, |time| time + PATIENCE);
    let reply = client.go(&go(limits), within, stop)?;
    let mut analysis = Analysis::default();
    let mut cost = SearchCost::default();
    for info in reply.lines.iter().filter(|info| info.is_first_line() || info.nodes.is_some()) {
        cost.depth = info.depth.unwrap_or(cost.depth);
        cost.nodes = info.nodes.unwrap_or(cost.nodes);
        cost.time = info.time.unwrap_or(cost.time);
        let first = info.moves.first().filter(|_| info.is_first_line());
        if let Some(best) = first.and_then(|text| position.parse_move(text).ok()) {
            analysis.score = info.score;
            analysis.on_the_way.push(AnalysisStep { best, score: info.score, cost });
        }
    }
    analysis.total = SearchCost { time: reply.took, ..cost };
    // An engine's clock may run ahead of ours.
    for step in &mut analysis.on_the_way {
        step.cost.time = step.cost.time.min(reply.took);
    }
    if !position.legal_moves().is_empty() {
        let illegal = |_| client.error(EngineErrorKind::IllegalMove { text: reply.best.clone(), fen });
        analysis.best = Some(position.parse_move(&reply.best).map_err(illegal)?);
    }
    Ok(analysis)
}

/// The limits as another engine is told them.
fn go(limits: &Limits) -> Go {
    Go {
        depth: limits.depth.map(i64::from),
        nodes: limits.nodes.map(|nodes| i64::try_from(nodes).unwrap_or(i64::MAX)),
        mate: limits.mate.map(i64::from),
        move_time: limits.move_time.map(|time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX)),
        infinite: limits.is_open(),
        ..Go::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_settles_where_it_stops_changing_its_mind() {
        let position = Position::default();
        let m = |text: &str| position.parse_move(text).unwrap();
        let step = |text: &str, nodes| AnalysisStep {
            best: m(text),
            score: None,
            cost: SearchCost { nodes, ..SearchCost::default() },
        };
        let analysis = Analysis {
            on_the_way: vec![step("e2e4", 1), step("d2d4", 2), step("e2e4", 3), step("e2e4", 4)],
            best: Some(m("e2e4")),
            score: None,
            total: SearchCost { nodes: 9, ..SearchCost::default() },
        };
        let nodes = |best: &str| analysis.settled(|step| step.best == m(best)).map(|cost| cost.nodes);
        assert_eq!((nodes("e2e4"), nodes("d2d4")), (Some(3), Some(9)));
    }
}
