//! Recordings of any engine, from a stream of events with one JSON object per line.
//!
//! `contrib/espalier_trace.h` writes such a stream from C and C++; `docs/TREE.md` describes it.

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::path::Path;

use serde::Deserialize;

use super::legend::current_name;
use super::node::NO_NUMBER;
use super::{Keep, Recorder, Subject};
use crate::board::{PackedMove, Position};
use crate::depth::Depth;
use crate::score::{Score, Window};
use crate::search::Written;
use crate::search::event::{End, Event, NodeKind, Purpose, Visit};
use crate::search::observer::Observer;

/// A line of the stream.
#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "lowercase", deny_unknown_fields)]
enum StreamLine {
    Start {
        program: Option<String>,
        fen: Option<String>,
        #[serde(default)]
        chess960: bool,
        #[serde(default)]
        options: BTreeMap<String, String>,
    },
    Iteration {
        depth: i32,
    },
    Enter(Enter),
    Eval {
        value: i32,
    },
    Leave {
        value: i32,
        reason: String,
    },
    End {},
}

/// A node that the search enters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Enter {
    #[serde(rename = "move")]
    m: Option<String>,
    alpha: Option<i32>,
    beta: Option<i32>,
    /// In plies; fractions count.
    depth: f64,
    kind: Option<String>,
    purpose: Option<String>,
}

/// An error in a stream, with its line.
#[derive(Debug)]
pub struct ImportError {
    /// The line, from 1; 0 for the whole stream.
    pub line: usize,
    /// The error in words.
    pub what: String,
}

impl std::fmt::Display for ImportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line > 0 { write!(f, "line {}: {}", self.line, self.what) } else { f.write_str(&self.what) }
    }
}

impl std::error::Error for ImportError {}

/// Synonyms for reasons that this program knows.
const REASONS: [(&str, End); 8] = [
    ("beta-cutoff", End::Cut),
    ("fail-high", End::Cut),
    ("fail-low", End::AllMoves),
    ("exact", End::AllMoves),
    ("tt", End::Hash),
    ("null-move", End::NullMove),
    ("mate", End::Checkmate),
    ("draw", End::Repetition),
];

/// A stream may define at most this many reasons of its own.
const MOST_REASONS: usize = 1000;

/// A stream being read.
struct Import {
    recorder: Recorder,
    subject: Subject,
    /// The positions on the path, starting with the root.
    path: Vec<Position>,
    /// The depth of the current iteration and the value of its last root.
    iteration: Option<(i32, Option<Score>)>,
    begun: bool,
}

/// Reads a stream and writes the recording.
pub fn import(input: impl BufRead, out: &Path) -> Result<Written, ImportError> {
    let whole = |what: String| ImportError { line: 0, what };
    let recorder =
        Recorder::new(out, Keep::All).map_err(|error| whole(format!("{}: {error}", out.display())))?;
    let mut import = Import {
        recorder,
        subject: Subject::default(),
        path: vec![Position::default()],
        iteration: None,
        begun: false,
    };
    for (index, line) in input.lines().enumerate() {
        let wrong = |what: String| ImportError { line: index + 1, what };
        let line = line.map_err(|error: io::Error| wrong(error.to_string()))?;
        if line.trim().is_empty() {
            continue;
        }
        let event: StreamLine = serde_json::from_str(&line).map_err(|error| wrong(fault(&error)))?;
        import.take(event).map_err(wrong)?;
    }
    import.end_iteration();
    let Import { recorder, subject, .. } = import;
    recorder.finish(&subject).map_err(whole)
}

/// The error without serde's line number, which counts within one line.
fn fault(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    if error.is_data() { what.to_owned() } else { format!("{what} at column {}", error.column()) }
}

impl Import {
    fn take(&mut self, line: StreamLine) -> Result<(), String> {
        if !self.begun && !matches!(line, StreamLine::Start { .. }) {
            return Err("the first event must be \"start\"".to_owned());
        }
        match line {
            StreamLine::Start { .. } if self.begun => return Err("a second \"start\"".to_owned()),
            StreamLine::Start { program, fen, chess960, options } => {
                let position = match &fen {
                    Some(fen) => {
                        Position::from_fen(fen, chess960).map_err(|error| format!("{fen:?}: {error}"))?
                    }
                    None => Position::default(),
                };
                let program = Some(program.unwrap_or_else(|| "another engine".to_owned()));
                let options = options.into_iter().collect();
                self.subject =
                    Subject { fen: position.fen(), chess960, options, program, reasons: Vec::new() };
                self.path = vec![position];
                self.begun = true;
            }
            StreamLine::Iteration { depth } => {
                self.end_iteration();
                self.begin_iteration(depth);
            }
            StreamLine::Enter(enter) => self.enter(&enter)?,
            StreamLine::Eval { value } => {
                self.inside("eval")?;
                self.recorder.on(&Event::Evaluated { value: score(value), cut: None });
            }
            StreamLine::Leave { value, reason } => self.leave(value, &reason)?,
            StreamLine::End {} => self.end_iteration(),
        }
        Ok(())
    }

    fn begin_iteration(&mut self, depth: i32) {
        self.recorder.on(&Event::IterationBegins { depth });
        self.iteration = Some((depth, None));
    }

    /// The iteration is complete if its last root was left.
    fn end_iteration(&mut self) {
        let Some((depth, value)) = self.iteration.take() else { return };
        let value = value.filter(|_| self.path.len() == 1);
        self.path.truncate(1);
        self.recorder.on(&Event::IterationEnds { depth, value });
    }

    fn inside(&self, event: &str) -> Result<(), String> {
        if self.path.len() > 1 { Ok(()) } else { Err(format!("{event:?} outside of every node")) }
    }

    fn enter(&mut self, enter: &Enter) -> Result<(), String> {
        let depth = Depth::hundredths((enter.depth * 100.0).round().clamp(-30_000.0, 30_000.0) as i32);
        if self.iteration.is_none() {
            self.begin_iteration(depth.whole());
        }
        let at_root = self.path.len() == 1;
        let purpose = self.purpose(enter, at_root)?;
        let here = self.path.last().cloned().unwrap_or_default();
        let (m, after) = match &enter.m {
            Some(text) if !matches!(purpose, Purpose::NullMove) && !purpose.keeps_position() && !at_root => {
                let m = here.parse_move(text).map_err(|error| error.to_string())?;
                (PackedMove::new(m), here.play(m))
            }
            _ if purpose == Purpose::NullMove => {
                let passed = here.pass().ok_or_else(|| format!("a pass in check, in {}", here.fen()))?;
                (PackedMove::NONE, passed)
            }
            _ => (PackedMove::NONE, here),
        };
        let infinite = Score::INFINITE.raw();
        let window = Window {
            alpha: score(enter.alpha.unwrap_or(-infinite)),
            beta: score(enter.beta.unwrap_or(infinite)),
        };
        let kind = kind(enter, window, depth)?;
        self.recorder.on(&Event::Asks(purpose));
        self.recorder.on(&Event::Entered(Visit { m, window, depth, kind, cut: None }));
        self.path.push(after);
        Ok(())
    }

    /// The purpose of a node, by name. Roots and moves need none.
    fn purpose(&self, enter: &Enter, at_root: bool) -> Result<Purpose, String> {
        let known = |name: &str| {
            let name = current_name(name);
            Purpose::ALL.iter().copied().find(|purpose| purpose.name() == name)
        };
        match &enter.purpose {
            None if at_root => Ok(Purpose::Root),
            None if enter.m.is_some() => Ok(Purpose::Move),
            None => Err("a node without a move needs a \"purpose\"".to_owned()),
            Some(name) => known(name).filter(|purpose| *purpose != Purpose::Iteration).ok_or_else(|| {
                let names: Vec<&str> = Purpose::ALL[1..].iter().map(|purpose| purpose.name()).collect();
                format!("the purpose {name:?} is none of {}", names.join(", "))
            }),
        }
    }

    fn leave(&mut self, value: i32, reason: &str) -> Result<(), String> {
        self.inside("leave")?;
        let reason = current_name(reason);
        let known = End::ALL.iter().copied().find(|end| end.name() == reason);
        let other = || REASONS.iter().find(|(name, _)| *name == reason).map(|(_, end)| *end);
        let end = match known.or_else(other) {
            Some(end) => end,
            None => {
                let none = i32::from(NO_NUMBER);
                let own = self.own_reason(reason)?;
                self.recorder.on(&Event::Numbers([none, none, own as i32]));
                End::Stopped
            }
        };
        self.recorder.on(&Event::Left { value: score(value), uncertain: false, end });
        self.path.pop();
        if let (1, Some((_, last))) = (self.path.len(), &mut self.iteration) {
            *last = Some(score(value));
        }
        Ok(())
    }

    /// The number of a reason that is not built in.
    fn own_reason(&mut self, name: &str) -> Result<usize, String> {
        let reasons = &mut self.subject.reasons;
        if let Some(known) = reasons.iter().position(|reason| reason == name) {
            return Ok(known);
        }
        if reasons.len() == MOST_REASONS {
            return Err(format!("more than {MOST_REASONS} reasons that this program does not know"));
        }
        reasons.push(name.to_owned());
        Ok(reasons.len() - 1)
    }
}

fn score(value: i32) -> Score {
    Score::cp(value.clamp(-Score::INFINITE.raw(), Score::INFINITE.raw()))
}

/// The kind of a node, given by name or by its window and depth.
fn kind(enter: &Enter, window: Window, depth: Depth) -> Result<NodeKind, String> {
    match enter.kind.as_deref() {
        Some("pv" | "P") => Ok(NodeKind::Pv),
        Some("minimal" | "N") => Ok(NodeKind::Minimal),
        Some("quiescence" | "Q") => Ok(NodeKind::Quiescence),
        Some(other) => Err(format!("the kind {other:?} is none of pv, minimal, quiescence")),
        None if depth <= Depth::ZERO => Ok(NodeKind::Quiescence),
        None => Ok(if window.is_minimal() { NodeKind::Minimal } else { NodeKind::Pv }),
    }
}
