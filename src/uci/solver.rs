//! A small front end besides UCI: the three commands with which learning search control drives any program.
//!
//! Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, 7.3.1: `setboard POSITION`,
//! `setparam W1 … Wn` and `gountil MOVE N`, answered by `nodes FLAG COUNT`.

use std::fmt;

use shakmaty::Move;
use shakmaty::san::San;

use super::command::shortened;
use crate::board::Position;
use crate::engine::Engine;
use crate::limits::Limits;
use crate::search::Outcome;

/// One of the three commands.
#[derive(Clone, Debug, PartialEq)]
pub enum SolverCommand {
    /// Forget everything and set up a position.
    SetBoard(String),
    /// Set the weights of the extensions, for all phases of the game or for each.
    SetParam(Vec<f64>),
    /// Search until one of these moves is the best, or up to a number of nodes.
    GoUntil {
        /// The moves, of which any counts.
        moves: Vec<String>,
        /// The node limit; 0 if it or the moves are missing.
        nodes: u64,
    },
}

impl SolverCommand {
    /// Reads the words after the command.
    pub(super) fn parse(word: &str, rest: &str) -> Result<Self, String> {
        match word {
            "setboard" => Ok(Self::SetBoard(rest.trim().to_owned())),
            "setparam" => parse_weights(rest).map(Self::SetParam),
            _ => {
                let words: Vec<&str> = rest.split_whitespace().collect();
                let read = words.split_last().and_then(|(nodes, moves)| Some((moves, nodes.parse().ok()?)));
                let read = read.filter(|(moves, nodes)| !moves.is_empty() && *nodes > 0);
                let (moves, nodes) = read.unwrap_or((&words, 0));
                Ok(Self::GoUntil { moves: moves.iter().map(|text| (*text).to_owned()).collect(), nodes })
            }
        }
    }
}

fn parse_weights(text: &str) -> Result<Vec<f64>, String> {
    let number = |word: &str| word.parse().ok().filter(|weight: &f64| (0.0..=2.0).contains(weight));
    let weights = text.split_whitespace().map(number).collect::<Option<Vec<f64>>>();
    weights.filter(|weights| matches!(weights.len(), 4 | 5 | 12 | 15)).ok_or_else(|| {
        format!(
            "setparam wants 4 or 5 weights from 0.0 to 2.0 (check, recapture, forced reply, pawn push, threat), or as \
             many for each of three phases, not {:?}",
            shortened(text)
        )
    })
}

/// The form that a client sends.
impl fmt::Display for SolverCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SetBoard(fen) => write!(f, "setboard {fen}"),
            Self::SetParam(weights) => {
                f.write_str("setparam")?;
                weights.iter().try_for_each(|weight| write!(f, " {weight}"))
            }
            Self::GoUntil { moves, nodes: 0 } => write!(f, "gountil {}", moves.join(" ")),
            Self::GoUntil { moves, nodes } => write!(f, "gountil {} {nodes}", moves.join(" ")),
        }
    }
}

/// The result of a search until a move is found.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SolverResult {
    /// Whether the move was found.
    pub solved: bool,
    /// Nodes until the move was found, or the limit.
    pub nodes: u64,
}

impl SolverResult {
    /// The result: the move was found after `nodes` nodes, or not within `limit` nodes, which then count instead.
    pub fn new(found: bool, nodes: u64, limit: u64) -> Self {
        let solved = found && nodes <= limit;
        Self { solved, nodes: if solved { nodes } else { limit } }
    }

    /// Reads `nodes FLAG COUNT`.
    pub fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["nodes", flag @ ("0" | "1"), count] = words.as_slice() else { return None };
        Some(Self { solved: *flag == "1", nodes: count.parse().ok()? })
    }
}

impl fmt::Display for SolverResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nodes {} {}", u8::from(self.solved), self.nodes)
    }
}

/// The running search of `gountil`, if there is one. Only its result is printed.
#[derive(Default)]
pub(super) struct SolverFrontEnd {
    until: Option<Until>,
}

struct Until {
    moves: Vec<Move>,
    limit: u64,
    /// Whether it was stopped before it found the move or reached its limit.
    cut_short: bool,
}

impl SolverFrontEnd {
    /// Whether the running search is one of these.
    pub(super) fn is_searching(&self) -> bool {
        self.until.is_some()
    }

    /// The limits of a `gountil`.
    pub(super) fn begin(
        &mut self,
        position: &Position,
        texts: &[String],
        nodes: u64,
    ) -> Result<Limits, String> {
        if nodes == 0 {
            let asked = texts.join(" ");
            return Err(format!("gountil wants: gountil MOVE NODES, not {:?}", shortened(&asked)));
        }
        let read = |text: &String| {
            read_move(position, text)
                .ok_or_else(|| format!("gountil: {:?} is no legal move here", shortened(text)))
        };
        let moves: Vec<Move> = texts.iter().map(read).collect::<Result<_, _>>()?;
        self.until = Some(Until { moves: moves.clone(), limit: nodes, cut_short: false });
        Ok(Limits { until: moves, ..Limits::nodes(nodes) })
    }

    /// Records that the search was stopped.
    pub(super) fn cut_short(&mut self) {
        if let Some(until) = &mut self.until {
            until.cut_short = true;
        }
    }

    /// Ends the search and returns its result, if it was one of these.
    pub(super) fn end(&mut self, outcome: &Outcome) -> Option<SolverResult> {
        let until = self.until.take()?;
        let (nodes, best) = (outcome.effort.nodes, outcome.best_move());
        if until.cut_short {
            // A stopped search has not found the move.
            return Some(SolverResult { solved: false, nodes });
        }
        Some(SolverResult::new(best.is_some_and(|m| until.moves.contains(&m)), nodes, until.limit))
    }
}

/// Carries out `setparam`; a single set of weights is for all phases.
pub(super) fn set_weights(engine: &mut Engine, weights: &[f64]) {
    let mut extensions = engine.options().selective.extensions.clone();
    extensions.on = true;
    extensions.set_weights(weights);
    engine.set_extensions(extensions);
}

/// A move in UCI notation or SAN.
fn read_move(position: &Position, text: &str) -> Option<Move> {
    let as_people_do = || San::from_ascii(text.as_bytes()).ok()?.to_move(position.chess()).ok();
    position.parse_move(text).ok().or_else(as_people_do)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_and_nonsense_is_not() {
        let result = SolverResult { solved: true, nodes: 4711 };
        assert_eq!(SolverResult::parse("nodes 1 4711"), Some(result));
        assert_eq!(result.to_string(), "nodes 1 4711");
        for nonsense in ["nodes 2 5", "nodes 1", "nodes 1 -5", "nodes 1 5 6", "bestmove e2e4"] {
            assert_eq!(SolverResult::parse(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn a_search_that_was_stopped_has_found_nothing() {
        let mut front = SolverFrontEnd::default();
        let position = Position::default();
        assert!(front.begin(&position, &["e2e5".into()], 9).is_err() && !front.is_searching());
        assert!(front.begin(&position, &[], 0).is_err());
        let limits = front.begin(&position, &["Nf3".into()], 9).unwrap();
        assert_eq!((limits.nodes, limits.until.len()), (Some(9), 1));
        front.cut_short();
        assert_eq!(front.end(&Outcome::default()), Some(SolverResult { solved: false, nodes: 0 }));
        assert_eq!(front.end(&Outcome::default()), None);
    }
}
