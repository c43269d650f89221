//! What an observer of the whole tree is told about a node.

use crate::board::PackedMove;
use crate::depth::Depth;
use crate::score::Window;

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
        RootFailedLow = 2 "root-low" "root again, the value was below the window",
        RootFailedHigh = 3 "root-high" "root again, the value was above the window",
        RootNextLine = 4 "root-line" "search of the next line",
        Move = 5 "move" "move",
        NullMove = 6 "null-move" "null-move probe",
        ProbCut = 7 "probcut-probe" "ProbCut probe",
        MultiCut = 8 "multi-cut-probe" "multi-cut probe",
        Singular = 9 "singular-probe" "probe without the hash move",
        InternalDeepening = 10 "internal-deepening" "internal deepening",
        SearchedDeeper = 11 "re-search-depth" "re-search at full depth: the reduced search surprised",
        SearchedWider = 12 "re-search-window" "re-search with an open window: the move proved better",
        SearchedSurely = 13 "re-search-uncertain" "re-search: the value was uncertain",
        StaticSingular = 14 "static-singular" "static singular extension at the horizon",
        Verification = 15 "verification" "verification of a null-move cut-off",
        CaptureCut = 16 "capture-probe" "probe of a capture that may cut",
        Razoring = 17 "drop-probe" "quiescence search of a node far below alpha",
    }
}

impl Purpose {
    /// The move was searched before, and is again.
    pub fn is_again(self) -> bool {
        matches!(self, Self::SearchedDeeper | Self::SearchedWider | Self::SearchedSurely)
    }

    /// The position of the parent is searched itself: nothing was played.
    pub fn stays(self) -> bool {
        matches!(self, Self::ProbCut | Self::Singular | Self::InternalDeepening | Self::Razoring)
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
        CaptureCut = 26 "capture-cut" "ProbCut by a capture",
        SingularCut = 27 "singular-cut" "moves besides the hash move cut too",
        Tablebase = 28 "tablebase" "endgame table",
        Exchange = 29 "losing-moves" "losing moves left out",
        Razoring = 30 "dropped" "far below alpha, and captures alone do not lift it",
    }
}

impl End {
    /// No move cut, and a method left out those that were not searched.
    pub fn leaves_out(self) -> bool {
        use End::{Exchange, Futility, LateMoves, NBest, Tapered, Uncertainty};
        matches!(self, Uncertainty | Futility | LateMoves | NBest | Tapered | Exchange)
    }
}

/// A node that is entered.
#[derive(Copy, Clone, Debug)]
pub struct Visit {
    /// The move that led here; none at the root and after a pass.
    pub m: PackedMove,
    /// The window.
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
