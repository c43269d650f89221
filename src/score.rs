//! Scores, bounds and windows.
//!
//! A score is in centipawns from the point of view of the side to move. A pawn is 100 everywhere: that is what the
//! evaluation loses on average when a pawn is taken off the board, what exchanges ([`crate::board::see`]) count it as,
//! and the unit of the search's margins and of the scores shown to users. At a score of 100 the engine wins half of its
//! games against itself. `tests/suite/scale.rs` checks this; newly learned weights must keep to it.
//!
//! Mates and wins by endgame tables are counted in plies from the root. The hash table counts them from the node;
//! [`Score::to_tt`] and [`Score::from_tt`] convert between the two, and nothing else does.

use std::fmt;
use std::ops::{Add, Neg, Sub};

/// The deepest path the search walks; also the number of plies a mate score can express.
pub const MAX_PLY: usize = 240;

/// A value in centipawns, or a mate.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Score(i32);

impl Score {
    /// The value of a drawn game, for either side.
    pub const DRAW: Self = Self(0);
    /// Mate on the board, seen by the winner.
    pub const MATE: Self = Self(32_000);
    /// Above every score: where a window is open.
    pub const INFINITE: Self = Self(32_001);
    /// The largest value an evaluation may return.
    pub const MAX_EVAL: Self = Self(29_999);
    /// Stands for no static evaluation, for example in check.
    pub const NONE: Self = Self(32_002);

    /// Won at the root according to the endgame tables: above every evaluation, below every mate.
    const TABLE_WIN: Self = Self(31_500);

    /// Won, but for the fifty-move rule.
    pub const CURSED_WIN: Self = Self(1);

    const MATE_BAND: i32 = Self::MATE.0 - MAX_PLY as i32;
    const TABLE_BAND: i32 = Self::TABLE_WIN.0 - MAX_PLY as i32;

    /// An evaluation in centipawns; not for mates.
    pub const fn cp(value: i32) -> Self {
        Self(value)
    }

    /// The side to move is mated at `ply` plies from the root.
    pub const fn mated_at(ply: usize) -> Self {
        Self(-Self::MATE.0 + ply as i32)
    }

    /// The side to move gives mate at `ply` plies from the root.
    pub const fn mate_at(ply: usize) -> Self {
        Self(Self::MATE.0 - ply as i32)
    }

    /// The endgame tables say at `ply` plies from the root that the side to move wins.
    pub const fn tb_win_at(ply: usize) -> Self {
        Self(Self::TABLE_WIN.0 - ply as i32)
    }

    /// The endgame tables say at `ply` plies from the root that the side to move loses.
    pub const fn tb_loss_at(ply: usize) -> Self {
        Self(-Self::TABLE_WIN.0 + ply as i32)
    }

    /// The number inside, for arithmetic and files; mates are large numbers.
    pub const fn raw(self) -> i32 {
        self.0
    }

    /// A forced mate, for either side.
    pub const fn is_mate(self) -> bool {
        self.0.abs() >= Self::MATE_BAND && self.0.abs() <= Self::MATE.0
    }

    /// A forced mate or a game that the endgame tables decide, for either side: no evaluation reaches it.
    pub const fn is_decided(self) -> bool {
        self.0.abs() >= Self::TABLE_BAND && self.0.abs() <= Self::MATE.0
    }

    /// The side to move is being mated, or lost according to the endgame tables.
    pub const fn is_loss(self) -> bool {
        self.0 <= -Self::TABLE_BAND
    }

    /// Full moves to the mate, negative when the side to move is mated; `None` if it is no mate.
    ///
    /// ```
    /// use espalier::Score;
    /// assert_eq!(Score::mate_at(3).mate_in(), Some(2));
    /// assert_eq!(Score::mated_at(2).mate_in(), Some(-1));
    /// assert_eq!(Score::cp(35).mate_in(), None);
    /// ```
    pub const fn mate_in(self) -> Option<i32> {
        if !self.is_mate() {
            return None;
        }
        let plies = Self::MATE.0 - self.0.abs();
        Some(if self.0 > 0 { (plies + 1) / 2 } else { -(plies / 2) })
    }

    /// Clamps an evaluation below the scores of endgame tables and mates.
    pub fn clamp_eval(self) -> Self {
        Self(self.0.clamp(-Self::MAX_EVAL.0, Self::MAX_EVAL.0))
    }

    /// The form stored in the hash table: mates and table wins are counted from this node.
    pub const fn to_tt(self, ply: usize) -> i16 {
        let size = self.0.abs();
        let counted = size <= Self::MATE.0 && size >= Self::MATE_BAND
            || size <= Self::TABLE_WIN.0 && size >= Self::TABLE_BAND;
        (if counted { self.0 + self.0.signum() * ply as i32 } else { self.0 }) as i16
    }

    /// Reads the form stored in the hash table at `ply`: mates and table wins are counted from the root again.
    pub const fn from_tt(stored: i16, ply: usize) -> Self {
        let value = stored as i32;
        let size = value.abs();
        let last = MAX_PLY as i32;
        let band = if size >= Self::MATE_BAND && size <= Self::MATE.0 + last {
            Self::MATE_BAND
        } else if size >= Self::TABLE_BAND && size <= Self::TABLE_WIN.0 + last {
            Self::TABLE_BAND
        } else {
            return Self(value);
        };
        // A mate beyond the last ply becomes a mere win.
        let rebased = size - ply as i32;
        Self(value.signum() * if rebased < band { band - 1 } else { rebased })
    }
}

impl Neg for Score {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Self;
    fn add(self, centipawns: i32) -> Self {
        Self(self.0 + centipawns)
    }
}

impl Sub<i32> for Score {
    type Output = Self;
    fn sub(self, centipawns: i32) -> Self {
        Self(self.0 - centipawns)
    }
}

/// The distance between two scores, in centipawns.
impl Sub for Score {
    type Output = i32;
    fn sub(self, other: Self) -> i32 {
        self.0 - other.0
    }
}

impl fmt::Display for Score {
    /// As UCI writes it: `cp 35` or `mate -3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mate_in() {
            Some(moves) => write!(f, "mate {moves}"),
            None => write!(f, "cp {}", self.0),
        }
    }
}

/// How a value relates to the true value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Bound {
    /// The true value is this or less.
    Upper = 1,
    /// The true value is this or more.
    Lower = 2,
    /// The value lies inside the window it was searched with, so it is the true one.
    Exact = 3,
}

impl Bound {
    /// The bound that a fail-soft search of `window` has proved by returning `value`.
    pub fn of(value: Score, window: Window) -> Self {
        if value >= window.beta {
            Self::Lower
        } else if value <= window.alpha {
            Self::Upper
        } else {
            Self::Exact
        }
    }
}

/// The open interval (alpha, beta) in which a search must tell values apart.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// Values up to here need only an upper bound.
    pub alpha: Score,
    /// Values from here on need only a lower bound.
    pub beta: Score,
}

impl Window {
    /// All values are exact.
    pub const FULL: Self = Self { alpha: Score(-Score::INFINITE.0), beta: Score::INFINITE };

    /// The minimal window below `beta`: it only asks "at least beta?".
    pub fn minimal(beta: Score) -> Self {
        Self { alpha: beta - 1, beta }
    }

    /// `radius` centipawns to both sides of `centre`, within the scale.
    pub fn around(centre: Score, radius: i32) -> Self {
        Self { alpha: (centre - radius).max(Self::FULL.alpha), beta: (centre + radius).min(Self::FULL.beta) }
    }

    /// The same window for the other side.
    pub fn flip(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// Whether the result can only be a bound.
    pub fn is_minimal(self) -> bool {
        self.beta - self.alpha == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_scores_are_never_shifted_by_the_table() {
        for value in (-29_999..=29_999).step_by(7) {
            for (put, get) in [(0, 9), (5, 60), (90, 1)] {
                assert_eq!(Score::from_tt(Score::cp(value).to_tt(put), get), Score::cp(value));
            }
        }
    }

    #[test]
    fn a_mate_is_stored_at_one_ply_and_read_at_another() {
        // Mated four plies below a node at ply 3, met again at ply 10.
        assert_eq!(Score::from_tt(Score::mated_at(7).to_tt(3), 10), Score::mated_at(14));
        assert_eq!(Score::from_tt(Score::mate_at(7).to_tt(3), 10), Score::mate_at(14));
    }

    #[test]
    fn a_mate_read_too_deep_is_only_a_win() {
        let deep = Score::from_tt(Score::mate_at(200).to_tt(0), 200);
        assert!(!deep.is_mate() && deep > Score::MAX_EVAL);
        assert_eq!(Score::from_tt(deep.to_tt(100), 3), deep, "and stays one");
    }

    #[test]
    fn a_table_win_is_stored_at_one_ply_and_read_at_another() {
        assert_eq!(Score::from_tt(Score::tb_win_at(7).to_tt(3), 10), Score::tb_win_at(14));
        assert_eq!(Score::from_tt(Score::tb_loss_at(7).to_tt(7), 2), Score::tb_loss_at(2));
        assert_eq!(Score::from_tt(Score::tb_win_at(MAX_PLY).to_tt(0), 0), Score::tb_win_at(MAX_PLY));
    }

    #[test]
    fn table_wins_lie_between_evaluations_and_mates() {
        for ply in 0..=MAX_PLY {
            let (win, loss) = (Score::tb_win_at(ply), Score::tb_loss_at(ply));
            assert!(win > Score::MAX_EVAL && win < Score::mate_at(MAX_PLY) && win == -loss);
            assert!(win.is_decided() && loss.is_decided() && !win.is_mate() && loss.is_loss());
        }
        assert!(
            Score::mated_at(3).is_decided() && !Score::MAX_EVAL.is_decided() && !Score::NONE.is_decided()
        );
        assert_eq!(Score::tb_win_at(1).to_string(), "cp 31499");
    }

    #[test]
    fn mates_are_counted_in_moves() {
        assert_eq!(Score::MATE.mate_in(), Some(0));
        assert_eq!(Score::mate_at(1).mate_in(), Some(1));
        assert_eq!(Score::mate_at(5).mate_in(), Some(3));
        assert_eq!(Score::mated_at(0).mate_in(), Some(0));
        assert_eq!(Score::mated_at(4).mate_in(), Some(-2));
        assert_eq!(Score::MAX_EVAL.mate_in(), None);
    }

    #[test]
    fn windows_flip_and_bounds_follow_from_them() {
        let window = Window { alpha: Score::cp(-5), beta: Score::cp(30) };
        assert_eq!(window.flip().flip(), window);
        assert_eq!(Bound::of(Score::cp(30), window), Bound::Lower);
        assert_eq!(Bound::of(Score::cp(-5), window), Bound::Upper);
        assert_eq!(Bound::of(Score::cp(0), window), Bound::Exact);
        assert!(Window::minimal(Score::cp(3)).is_minimal());
    }
}
