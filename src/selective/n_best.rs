//! X. Liang, *The Evolution of Mulan*, MSc thesis, New Mexico 2003, section 4.2 (N-best selective search).
//!
//! *Claim.* Only the F best moves of every node, ranked by the static value after each, are worth searching.
//! *Known failure.* In chess the best move often looks bad statically (sacrifices, quiet preparation). It is
//! here for comparison, and off by default. Check evasions are never dropped.
//! *What differs.* Where all moves searched lose by force the others are searched too, so that a mate is one.

use super::{method, rule};

method! {
    "N-best", "Liang 2003, section 4.2";
    mark 8 anywhere "n-best-moves" "N-best left out moves"
        leaves_out "N-best" by Count;
    pub struct Settings {
        /// Searches only the moves that look best statically; for comparison, not for play.
        on: "NBest" = false;
        /// N-best: how many moves of a node are searched.
        width: "NBestWidth" = 10 in 1..=256 step 1;
    }
}

rule! { asked =>
    /// Moves searched at a node.
    pub width: u32 = if asked.on { asked.width.max(1) as u32 } else { u32::MAX };
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::*;

    #[test]
    fn off_means_every_move_and_on_at_least_one() {
        assert_eq!(Settings { on: false, width: 3 }.resolve().width, u32::MAX);
        assert_eq!(Settings { on: true, width: 3 }.resolve().width, 3);
        assert_eq!(Settings { on: true, width: 0 }.resolve().width, 1);
    }
}
