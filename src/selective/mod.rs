//! Published selective-search methods, one file per paper.
//!
//! *Asked and resolved are two types*: a method's `Settings` are what the user typed; at `go` they become
//! a `Rule` of plain numbers. *Plan, probe, conclude*: a method never recurses and never sees a board. It
//! looks at [`Facts`], may ask one question (a [`Probe`]), and judges the answer. A method that is off has
//! a threshold no node reaches, not one more branch.

pub mod capture_prob_cut;
pub mod delta;
pub mod extensions;
pub mod futility;
pub mod hindsight;
pub mod internal_iterative_reduction;
pub mod late_moves;
pub mod multi_cut;
pub mod n_best;
pub mod null_move;
pub mod prob_cut;
pub mod rank_cut;
pub mod rank_table;
pub mod reverse_futility;
pub mod see_pruning;
pub mod singular;
pub mod tapered;
pub mod uncertainty;

use crate::depth::Depth;
use crate::options::Row;
use crate::score::Score;

/// What the tables, statistics and documents say about a method.
pub struct Method {
    /// Its name in statistics.
    pub id: Id,
    /// Whose idea it is.
    pub paper: &'static str,
    /// Its options; the first one is its switch.
    pub rows: &'static [Row],
}

/// Declares the methods: their names, their modules, and what follows from having them all.
macro_rules! methods {
    ($($id:ident $module:ident),+ $(,)?) => {
        /// Names a method wherever one is counted, drawn or logged.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum Id { $(#[doc = concat!("See [`", stringify!($module), "`].")] $id),+ }

        /// Every method, in the order of their [`Id`]s.
        pub const METHODS: &[Method] = &[$($module::METHOD),+];

        /// What the user asked for.
        #[derive(Clone, Debug, PartialEq, Default)]
        pub struct Settings {
            $(#[doc = concat!("See [`", stringify!($module), "`].")] pub $module: $module::Settings),+
        }

        /// What the search reads: plain numbers, fixed for one `go`.
        #[derive(Copy, Clone, Debug)]
        pub struct Rules {
            $(#[doc = concat!("See [`", stringify!($module), "`].")] pub $module: $module::Rule),+
        }

        impl Settings {
            /// The rules these settings mean.
            pub fn resolve(&self) -> Rules {
                Rules { $($module: self.$module.resolve()),+ }
            }

            /// Whether a method has anything to do.
            pub fn is_on(&self, method: Id) -> bool {
                match method { $(Id::$id => self.$module.is_on()),+ }
            }
        }
    };
}

methods! {
    NullMove null_move,
    MultiCut multi_cut,
    Uncertainty uncertainty,
    Extensions extensions,
    RankCut rank_cut,
    Futility futility,
    ProbCut prob_cut,
    NBest n_best,
    Tapered tapered,
    Singular singular,
    LateMoves late_moves,
    ReverseFutility reverse_futility,
    Exchange see_pruning,
    InternalReduction internal_iterative_reduction,
    CaptureCut capture_prob_cut,
    Delta delta,
    Hindsight hindsight,
}

impl Settings {
    /// Some method looks at the static value of every node.
    pub fn judges_statically(&self) -> bool {
        self.futility.is_on() || self.reverse_futility.is_on() || self.late_moves.is_on()
    }

    /// Some method may skip single quiet moves.
    pub fn judges_moves(&self) -> bool {
        self.futility.deep || self.late_moves.history_pruning || self.see_pruning.is_on()
    }

    /// What a person should know about contradictory or silly settings.
    pub fn notes(&self) -> Vec<String> {
        [self.multi_cut.note(), self.extensions.note()].into_iter().flatten().collect()
    }
}

/// Where in the game a position stands, by the pieces left.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GamePhase {
    /// Nearly all pieces are there.
    Opening,
    /// Some are gone.
    Middle,
    /// Few are left.
    End,
}

impl GamePhase {
    /// Every phase.
    pub const ALL: [Self; 3] = [Self::Opening, Self::Middle, Self::End];

    /// The phase of a game with pieces of this worth on the board: 1 for a minor piece, 2 for a rook, 4 for
    /// a queen, so 24 at the start.
    #[inline]
    pub fn of(worth: i32) -> Self {
        match worth {
            22.. => Self::Opening,
            9..=21 => Self::Middle,
            _ => Self::End,
        }
    }

    /// As files write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }

    /// As files write it, read back.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.name() == name)
    }
}

/// More centipawns than two scores can differ by: the resolved form of a margin that is off.
const NEVER: i32 = 4 * Score::INFINITE.raw();

/// Everything a method may look at before the move loop of a minimal-window node.
#[derive(Copy, Clone, Debug)]
pub struct Facts {
    /// Remaining depth.
    pub depth: Depth,
    /// The node asks whether its value is at least this.
    pub beta: Score,
    /// The answer is expected to be yes.
    pub cut: bool,
    /// Static value; [`Score::NONE`] in check.
    pub eval: Score,
    /// It has risen since the mover's last move.
    pub improving: bool,
    /// The side to move is in check.
    pub in_check: bool,
    /// The side to move has more than king and pawns.
    pub has_pieces: bool,
    /// Where in the game.
    pub phase: GamePhase,
    /// The move that led here was a null move.
    pub after_null: bool,
    /// Nobody passes here, because a null-move cut-off is being verified.
    pub no_null: bool,
    /// A null-move cut-off above has not been verified yet, so those here must be.
    pub verify: bool,
    /// One of the three moves before was extended.
    pub extended_lately: bool,
    /// The node above is a pv-node with this beta.
    pub pv_beta: Option<Score>,
    /// Somewhere above, ProbCut is asking.
    pub probing: bool,
    /// The node is searched without its hash move.
    pub excluding: bool,
}

/// Everything a method may look at for one move.
#[derive(Copy, Clone, Debug)]
pub struct MoveFacts {
    /// Its number among the moves searched, from 1.
    pub number: usize,
    /// Neither a capture nor a promotion to a queen.
    pub quiet: bool,
    /// A capture or queen promotion that loses material in its exchange.
    pub losing: bool,
    /// The mover is in check.
    pub in_check: bool,
    /// The move gives check.
    pub gives_check: bool,
    /// What it takes from the depth.
    pub weight: Depth,
    /// It has refuted something nearby before: a killer or the counter-move.
    pub killer: bool,
    /// How good it has been elsewhere.
    pub history: i32,
    /// The node is one of the principal variation.
    pub pv: bool,
    /// The node is expected to reach beta.
    pub cut: bool,
    /// The static value of the node has risen since the mover's last move.
    pub improving: bool,
    /// What a learned table takes from the depth, in place of a formula.
    pub learned: Option<Depth>,
}

/// A question put to the tree: is the value at least `beta`, searched this deep?
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// How deep.
    pub depth: Depth,
    /// Against what.
    pub beta: Score,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An expected cut-node in the middle game where every method may act.
    pub(super) fn facts() -> Facts {
        Facts {
            depth: Depth::plies(5),
            beta: Score::cp(10),
            cut: true,
            eval: Score::cp(50),
            improving: false,
            in_check: false,
            has_pieces: true,
            phase: GamePhase::Middle,
            after_null: false,
            no_null: false,
            verify: false,
            extended_lately: false,
            pv_beta: None,
            probing: false,
            excluding: false,
        }
    }

    /// A late quiet move of an ordinary node.
    pub(super) fn late_move() -> MoveFacts {
        MoveFacts {
            number: 20,
            quiet: true,
            losing: false,
            in_check: false,
            gives_check: false,
            weight: Depth::PLY,
            killer: false,
            history: 0,
            pv: false,
            cut: false,
            improving: true,
            learned: None,
        }
    }

    #[test]
    fn methods_stand_in_the_order_of_their_names() {
        for (index, method) in METHODS.iter().enumerate() {
            assert_eq!(method.id as usize, index);
            assert!(!method.paper.is_empty() && !method.rows.is_empty());
        }
    }

    #[test]
    fn phases_are_read_as_they_are_written() {
        for phase in GamePhase::ALL {
            assert_eq!(GamePhase::from_name(phase.name()), Some(phase));
        }
        assert_eq!([24, 22, 21, 9, 8, 0].map(GamePhase::of).map(|phase| phase as u8), [0, 0, 1, 1, 2, 2]);
    }
}
