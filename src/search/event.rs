//! What a search tells its observer, as data.
//!
//! An [`Event`] belongs to one kind of [`Interest`]; an observer says which kinds it wants, and the others are never
//! constructed.

use shakmaty::Bitboard;

use super::history::History;
use super::move_picker::PickedMove;
use crate::board::{PackedMove, Position};
use crate::depth::Depth;
use crate::score::{Score, Window};
use crate::selective::Id;
use crate::selective::extensions::{CLASSES, Classes};
use crate::selective::singular::SingularVerdict;

/// Declares an enumeration whose variants have a number and a name in files and a label for people.
macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $code:literal $word:literal $label:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum $name { $(#[doc = $label] $variant = $code),+ }

        impl $name {
            /// Every variant, in the order of the numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The variant of a number.
            pub fn from_code(code: u8) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// Its name in files.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// In words.
            pub fn label(self) -> &'static str {
                match self { $(Self::$variant => $label),+ }
            }
        }
    };
}

named! {
    /// Which routine searches a node.
    NodeKind {
        Pv = 0 "P" "principal-variation node",
        Minimal = 1 "N" "minimal-window node",
        Quiescence = 2 "Q" "quiescence node",
        Iteration = 3 "I" "iteration",
    }
}

named! {
    /// Why a node is searched.
    Purpose {
        Iteration = 0 "iteration" "an iteration",
        Root = 1 "root" "search of the root",
        RootFailedLow = 2 "root-low" "root again: fail-low",
        RootFailedHigh = 3 "root-high" "root again: fail-high",
        RootNextLine = 4 "root-line" "search of the next line",
        Move = 5 "move" "move",
        NullMove = 6 "null-move" "null-move probe",
        ProbCut = 7 "probcut-probe" "ProbCut probe",
        MultiCut = 8 "multi-cut-probe" "multi-cut probe",
        Singular = 9 "singular-probe" "probe without the hash move",
        InternalDeepening = 10 "internal-deepening" "internal deepening",
        ReSearchDepth = 11 "re-search-depth" "re-search at full depth: the reduced search surprised",
        ReSearchWindow = 12 "re-search-window" "re-search with an open window: the move proved better",
        ReSearchUncertain = 13 "re-search-uncertain" "re-search: the value was uncertain",
        StaticSingular = 14 "static-singular" "static singular extension at the horizon",
        Verification = 15 "verification" "verification of a null-move cut-off",
        CaptureProbCut = 16 "capture-probe" "probe of a capture that may cut",
        QuiescenceRazoring = 17 "razoring-probe" "quiescence search of a node far below alpha",
    }
}

impl Purpose {
    /// Why the root is searched for the first time in an iteration, after `before` other lines.
    pub(super) fn of_line(before: usize) -> Self {
        if before == 0 { Self::Root } else { Self::RootNextLine }
    }

    /// The move has been searched before, less deep or with a smaller window.
    pub fn is_re_search(self) -> bool {
        matches!(self, Self::ReSearchDepth | Self::ReSearchWindow | Self::ReSearchUncertain)
    }

    /// The position of the parent is searched: no move was played.
    pub fn keeps_position(self) -> bool {
        matches!(self, Self::ProbCut | Self::Singular | Self::InternalDeepening | Self::QuiescenceRazoring)
    }
}

named! {
    /// Why a node ended.
    End {
        Stopped = 0 "stopped" "the search was stopped here",
        Cut = 1 "cut-off" "cut-off by a move",
        AllMoves = 2 "all-moves" "all moves searched",
        Hash = 3 "hash" "hash cut-off",
        Repetition = 4 "repetition" "repetition",
        FiftyMoves = 5 "fifty-moves" "fifty-move rule",
        DeadPosition = 6 "dead" "nobody can win",
        PathLimit = 7 "path-limit" "longest path",
        MateDistance = 8 "mate-distance" "mate distance",
        Checkmate = 9 "checkmate" "checkmate",
        Stalemate = 10 "stalemate" "stalemate",
        NullMove = 11 "null-move-cut" "null-move cut",
        NullMoveVerified = 12 "null-move-verified" "null-move cut, verified",
        ProbCut = 13 "probcut" "ProbCut",
        MultiCut = 14 "multi-cut" "multi-cut",
        Uncertainty = 15 "uncertainty" "uncertainty cut",
        Futility = 16 "futility" "futility: some moves left out",
        LateMoves = 17 "late-moves" "late moves left out",
        NBest = 18 "n-best" "only the N best moves searched",
        Tapered = 19 "tapered" "tapered: only some moves searched",
        Horizon = 20 "horizon" "static value at the horizon",
        StandPat = 21 "stand-pat" "quiescence: stands pat",
        Quiet = 22 "quiet" "quiescence: no better capture",
        Singular = 23 "singular" "horizon moved behind a singular move",
        OnlyMove = 24 "only-move" "no move besides the excluded one",
        ReverseFutility = 25 "reverse-futility" "reverse futility: static value far above beta",
        CaptureProbCut = 26 "capture-cut" "ProbCut by a capture",
        SingularCut = 27 "singular-cut" "moves besides the hash move cut too",
        Tablebase = 28 "tablebase" "endgame table",
        SeePruning = 29 "losing-moves" "losing moves left out",
        QuiescenceRazoring = 30 "quiescence-razoring" "razoring: quiescence search does not raise it",
        CheckCut = 31 "check-cut" "in check, a capture of the hash table cuts",
    }
}

impl End {
    /// Methods that leave out moves, the one first that names the end of a node where several did.
    const LEAVING_OUT: [(Id, Self); 10] = [
        (Id::Uncertainty, Self::Uncertainty),
        (Id::NBest, Self::NBest),
        (Id::Tapered, Self::Tapered),
        (Id::LateMovePruning, Self::LateMoves),
        (Id::HistoryPruning, Self::LateMoves),
        (Id::Futility, Self::Futility),
        (Id::ExtendedFutility, Self::Futility),
        (Id::DeepFutility, Self::Futility),
        (Id::CaptureFutility, Self::Futility),
        (Id::SeePruning, Self::SeePruning),
    ];

    /// The end of a node where no move cut: before, it was this one, and now a method leaves out moves.
    pub fn with_left_out(self, method: Id) -> Self {
        let named = Self::LEAVING_OUT.iter().find(|(leaves, end)| *leaves == method || *end == self);
        named.map_or(self, |(_, end)| *end)
    }

    /// No move cut, and a method left out those that were not searched.
    pub fn leaves_out(self) -> bool {
        Self::LEAVING_OUT.iter().any(|(_, end)| *end == self)
    }
}

/// Something that happens in a search.
#[derive(Copy, Clone)]
pub enum Event<'a> {
    /// Iterative deepening starts a new depth at the root.
    IterationBegins {
        /// Plies, before extensions and reductions.
        depth: i32,
    },
    /// The iteration is over.
    IterationEnds {
        /// Plies, before extensions and reductions.
        depth: i32,
        /// The value of the root; none if the iteration was stopped.
        value: Option<Score>,
    },
    /// A method starts a probe or a reduced search.
    Attempt {
        /// Whose probe it is.
        method: Id,
        /// Nodes searched so far.
        nodes: u64,
    },
    /// The probe or reduced search is over.
    Answer {
        /// Whose probe it was.
        method: Id,
        /// Nodes searched so far.
        nodes: u64,
        /// The method got what it hoped for.
        success: bool,
    },
    /// A method decided something without a search.
    Act {
        /// Who decided.
        method: Id,
    },
    /// Why the next node is searched, if not as an ordinary move.
    Asks(Purpose),
    /// A node is entered.
    Entered(Visit),
    /// The static value of the node is known.
    Evaluated {
        /// The value; [`Score::NONE`] if no method needs it.
        value: Score,
        /// Whether a cut-off is expected, now that the hash table was asked; `None` in the principal variation.
        cut: Option<bool>,
    },
    /// The verification of a null-move cut-off begins (true) or ends.
    Verifies(bool),
    /// The node turns to its next move.
    NextMove,
    /// The move is of these classes.
    Classed {
        /// Why it is extended; a move can be of several classes.
        classes: Classes,
        /// The fraction of a ply that it costs.
        weight: Depth,
    },
    /// The move is searched deeper because it is singular, or shallower because it is not.
    Extended {
        /// Singular extensions or multi-cut.
        method: Id,
        /// Plies added; negative for a reduction.
        by: Depth,
    },
    /// The next search of the move is shallower.
    Reduced {
        /// The method that says so.
        method: Id,
        /// By how much; zero if it is not reduced.
        by: Depth,
        /// The depth without the reduction.
        depth: Depth,
    },
    /// The hash table was asked about the node.
    HashProbed {
        /// An entry for this position was found.
        hit: bool,
    },
    /// The hash move was tested for being singular.
    SingularTested(SingularVerdict),
    /// The numbers behind what ends this node or, after [`Asks`](Self::Asks), behind the question to the next one;
    /// `docs/TREE.md` says what they are.
    Numbers([i32; 3]),
    /// A method left out a move, and the number that decided: the most the move could reach, the least it must win,
    /// or how many moves are enough.
    LeftOut {
        /// The method that left it out.
        method: Id,
        /// The move; none for all moves that are left.
        m: PackedMove,
        /// The number that decided.
        by: i32,
    },
    /// The search of a node is over.
    Left {
        /// As seen by the side to move.
        value: Score,
        /// The value proves nothing.
        uncertain: bool,
        /// The reason its search stopped.
        end: End,
    },
    /// A node above quiescence search is visited.
    Visited {
        /// Plies from the root.
        ply: usize,
    },
    /// A move, played or null, is about to be searched.
    MoveBegun {
        /// Plies from the root to its node.
        ply: usize,
        /// The remaining depth of its node.
        depth: Depth,
        /// By how much its weight would grow if that of each class grew by
        /// [`DELTA`](super::observer::Observer::DELTA).
        class_deltas: [Depth; CLASSES],
    },
    /// The moves of a node are about to be searched.
    NodeBegun {
        /// Plies from the root.
        ply: usize,
    },
    /// The next move is in a state of RankCut.
    Ranked {
        /// Plies from the root to its node.
        ply: usize,
        /// Index of the state in RankCut's table.
        state: usize,
    },
    /// The search of a move is over, re-searches included.
    Searched {
        /// Plies from the root to its node.
        ply: usize,
        /// The move, and where in the order it came from.
        picked: PickedMove,
        /// Its value, a bound where the search of the move was cut.
        value: Score,
        /// Its value is the best of the node so far.
        best: bool,
        /// It is, and above alpha.
        raises: bool,
    },
    /// All moves of a node that are going to be searched were.
    NodeDone {
        /// Plies from the root.
        ply: usize,
    },
    /// The moves of an expected cut-node are about to be searched.
    ExpectsCut {
        /// Plies from the root.
        ply: usize,
        /// What an observer may look at before the first move.
        node: &'a CutNode<'a>,
    },
    /// The moves of an expected cut-node were searched.
    ExpectedCut {
        /// Plies from the root.
        ply: usize,
        /// A move reached beta.
        cut: bool,
    },
}

impl Event<'_> {
    /// The kind of events it belongs to.
    #[inline(always)]
    pub const fn interest(&self) -> Interest {
        match self {
            Self::IterationBegins { .. } | Self::IterationEnds { .. } => Interest::ITERATIONS,
            Self::Attempt { .. } | Self::Answer { .. } | Self::Act { .. } => Interest::METHODS,
            Self::Asks(_)
            | Self::Entered(_)
            | Self::Evaluated { .. }
            | Self::Verifies(_)
            | Self::NextMove
            | Self::Classed { .. }
            | Self::Extended { .. }
            | Self::Reduced { .. }
            | Self::HashProbed { .. }
            | Self::SingularTested(_)
            | Self::Numbers(_)
            | Self::LeftOut { .. }
            | Self::Left { .. } => Interest::TREE,
            Self::Visited { .. } | Self::MoveBegun { .. } => Interest::PATHS,
            Self::NodeBegun { .. } | Self::Ranked { .. } | Self::Searched { .. } | Self::NodeDone { .. } => {
                Interest::MOVES
            }
            Self::ExpectsCut { .. } | Self::ExpectedCut { .. } => Interest::CUTS,
        }
    }
}

#[cfg(test)]
impl Event<'_> {
    /// Some move was searched.
    pub(crate) fn searched(ply: usize, best: bool, raises: bool) -> Self {
        use super::move_picker::PickStage;
        let m = Position::default().legal_moves()[0];
        let picked = PickedMove { m, stage: PickStage::Quiet };
        Self::Searched { ply, picked, value: Score::cp(0), best, raises }
    }
}

/// A set of kinds of events.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Interest(u8);

impl Interest {
    /// No events at all.
    pub const NONE: Self = Self(0);
    /// Iterations begin and end.
    pub const ITERATIONS: Self = Self(1);
    /// What the methods ask and do.
    pub const METHODS: Self = Self(2);
    /// Every node, with all that is decided there.
    pub const TREE: Self = Self(4);
    /// Every node above quiescence search and the weights of the moves between them.
    pub const PATHS: Self = Self(8);
    /// Every move above quiescence search, and how it fared.
    pub const MOVES: Self = Self(16);
    /// Expected cut-nodes.
    pub const CUTS: Self = Self(32);

    /// The kinds of both sets.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The two have a kind in common.
    #[inline(always)]
    pub const fn includes(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A node that is expected to reach beta.
pub struct CutNode<'a> {
    /// Board, side to move and rights.
    pub position: &'a Position,
    /// What its value is asked to reach.
    pub beta: Score,
    /// Remaining depth.
    pub depth: Depth,
    /// How good quiet moves have been elsewhere.
    pub history: &'a History,
    /// Squares that the opponent attacks, where histories depend on it.
    pub attacked: Bitboard,
}

/// A node that is entered.
#[derive(Copy, Clone, Debug)]
pub struct Visit {
    /// The move that led here; none at the root and after a pass.
    pub m: PackedMove,
    /// Alpha and beta when it was entered, before mate-distance pruning.
    pub window: Window,
    /// Remaining depth.
    pub depth: Depth,
    /// Which routine searches it.
    pub kind: NodeKind,
    /// Whether a cut-off is expected, where that is asked.
    pub cut: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selective::METHODS;

    #[test]
    fn the_end_names_the_method_that_left_out_most() {
        let end =
            |methods: &[Id]| methods.iter().fold(End::AllMoves, |end, method| end.with_left_out(*method));
        assert_eq!(end(&[]), End::AllMoves);
        assert_eq!(end(&[Id::SeePruning, Id::SeePruning]), End::SeePruning);
        assert_eq!(end(&[Id::SeePruning, Id::LateMovePruning, Id::Futility]), End::LateMoves);
        assert_eq!(end(&[Id::Futility, Id::Uncertainty]), End::Uncertainty);
        assert_eq!(end(&[Id::NBest, Id::Hindsight]), End::NBest);
    }

    #[test]
    fn every_method_that_leaves_out_moves_names_an_end() {
        for method in METHODS {
            let mark = method.about.mark.filter(|mark| mark.quiescence != Some(true));
            let leaves_out = mark.is_some_and(|mark| mark.leaves_out.is_some());
            let named = End::LEAVING_OUT.iter().any(|(id, _)| *id == method.id);
            assert_eq!(leaves_out, named, "{:?}", method.id);
        }
    }

    #[test]
    fn numbers_and_names_are_distinct_and_read_back() {
        for (index, end) in End::ALL.iter().enumerate() {
            assert_eq!(End::from_code(*end as u8), Some(*end));
            assert!(End::ALL[..index].iter().all(|other| other.name() != end.name()));
        }
        assert_eq!(Purpose::from_code(200), None);
        assert_eq!(NodeKind::Quiescence.name(), "Q");
    }
}
