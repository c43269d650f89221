//! Published selective-search methods, one file per paper.
//!
//! *Asked and resolved are two types*: a method's `Settings` are what the user typed; at `go` they become
//! a `Rule` of plain numbers. *Plan, probe, conclude*: a method never recurses and never sees a board. It
//! looks at [`Facts`], may ask one question (a [`Probe`]), and judges the answer. A method that is off has
//! a threshold no node reaches, not one more branch.

pub mod null_move;

use crate::depth::Depth;
use crate::options::Row;
use crate::score::Score;

/// What the tables, statistics and documents say about a method.
pub struct Method {
    /// Its name in statistics.
    pub id: Id,
    /// Whose idea it is.
    pub paper: &'static str,
    /// Its options.
    pub rows: &'static [Row],
}

/// Every method.
pub const METHODS: &[Method] = &[null_move::METHOD];

/// Names a method wherever one is counted, drawn or logged.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Id {
    /// [`null_move`]
    NullMove,
}

/// What the user asked for.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Settings {
    /// See [`null_move`].
    pub null_move: null_move::Settings,
}

/// What the search reads: plain numbers, fixed for one `go`.
#[derive(Copy, Clone, Debug)]
pub struct Rules {
    /// See [`null_move`].
    pub null_move: null_move::Rule,
}

impl Settings {
    /// The rules these settings mean.
    pub fn resolve(&self) -> Rules {
        Rules { null_move: self.null_move.resolve() }
    }

    /// The rules of a search that must not overlook anything: nothing that prunes.
    pub fn resolve_full_width(&self) -> Rules {
        Rules { null_move: null_move::Settings { on: false, ..self.null_move.clone() }.resolve() }
    }
}

/// Everything a method may look at before the move loop of a minimal-window node.
#[derive(Copy, Clone, Debug)]
pub struct Facts {
    /// Remaining depth.
    pub depth: Depth,
    /// The node asks whether its value is at least this.
    pub beta: Score,
    /// Static value; [`Score::NONE`] in check.
    pub eval: Score,
    /// The side to move is in check.
    pub in_check: bool,
    /// The side to move has more than king and pawns.
    pub has_pieces: bool,
    /// The move that led here was a null move.
    pub after_null: bool,
    /// A null-move cut-off above has not been verified yet, so those here must be.
    pub verify: bool,
}

/// A question put to the tree: is the value at least `beta`, searched this deep?
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// How deep.
    pub depth: Depth,
    /// Against what.
    pub beta: Score,
}
