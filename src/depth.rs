//! Remaining search depth, in fractions of a ply.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// A signed depth. One ply is a hundred units, because move weights are hundredths of a ply.
///
/// ```
/// use espalier::Depth;
/// let recapture = Depth::hundredths(25);
/// assert_eq!(Depth::plies(3) - recapture, Depth::hundredths(275));
/// assert_eq!((Depth::plies(3) - recapture).whole(), 2);
/// ```
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Depth(i32);

impl Depth {
    /// No depth left: quiescence search begins here.
    pub const ZERO: Self = Self(0);
    /// What one ordinary move takes from the remaining depth.
    pub const PLY: Self = Self(100);
    /// A threshold no node can reach: the resolved form of a method that is off.
    pub const NEVER: Self = Self(i32::MAX / 2);

    /// This many whole plies.
    pub const fn plies(n: i32) -> Self {
        Self(n * Self::PLY.0)
    }

    /// This many hundredths of a ply.
    pub const fn hundredths(n: i32) -> Self {
        Self(n)
    }

    /// Hundredths of a ply, as a number.
    pub const fn raw(self) -> i32 {
        self.0
    }

    /// Whole plies, rounded down.
    pub const fn whole(self) -> i32 {
        // Raised above zero first, because processors divide unsigned numbers by a constant in fewer steps.
        const RAISED: i32 = 20_000_000;
        let raised = (self.0 as u32).wrapping_add((RAISED * Self::PLY.0) as u32);
        (raised / Self::PLY.0 as u32) as i32 - RAISED
    }

    /// Whether the horizon is reached. Any fraction of a ply left still allows a move.
    pub const fn is_horizon(self) -> bool {
        self.0 <= 0
    }

    /// The form stored in the hash table.
    pub fn to_tt(self) -> i16 {
        self.0.clamp(i16::MIN as i32, i16::MAX as i32) as i16
    }

    /// Reads the form stored in the hash table.
    pub const fn from_tt(stored: i16) -> Self {
        Self(stored as i32)
    }
}

impl Add for Depth {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Depth {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Depth {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for Depth {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Mul<i32> for Depth {
    type Output = Self;
    fn mul(self, factor: i32) -> Self {
        Self(self.0 * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_depth_below_zero_does_not_wrap() {
        let depth = Depth::plies(1) - Depth::plies(4);
        assert_eq!(depth.whole(), -3);
        assert!(depth.is_horizon() && depth < Depth::ZERO);
        assert_eq!((-Depth::hundredths(25)).whole(), -1);
    }

    #[test]
    fn the_table_keeps_fractions_and_saturates() {
        assert_eq!(Depth::from_tt(Depth::hundredths(733).to_tt()), Depth::hundredths(733));
        assert_eq!(Depth::NEVER.to_tt(), i16::MAX);
    }
}
