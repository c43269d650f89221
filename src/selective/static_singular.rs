//! P. H. Winston, *Artificial Intelligence*, chapter 6 (singular-extension heuristic).
//!
//! *Claim.* When one move is statically far better than all the others, the line after it is forced: at the
//! horizon it is worth another ply. [`singular`](super::singular) asks the same of a search.
//! *Known failure.* A move that wins material at once stands out even if the reply takes it back.

use super::{NEVER, method, rule};
use crate::score::Score;

method! {
    "singular, static", "Winston, chapter 6";
    pub struct Settings {
        /// Searches a ply beyond the horizon when one move is statically far above the rest (Winston).
        on: "SingularStatic" = false;
        /// Centipawns by which it must be above them.
        margin: "SingularStaticMargin" = 300 in 0..=2000 step 25;
    }
}

rule! { asked =>
    /// Static values are looked at, at the horizon.
    pub on: bool = asked.on;
    margin: i32 = if asked.on { asked.margin } else { NEVER };
}

impl Rule {
    /// One of the static values after the moves stands far above the rest.
    pub fn stands_out(&self, best: Score, second: Score) -> bool {
        best - second >= self.margin
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolve;
    use super::*;

    #[test]
    fn a_move_must_stand_out() {
        let rule = Settings { on: true, margin: 300 }.resolve();
        assert!(rule.stands_out(Score::cp(350), Score::cp(50)));
        assert!(!rule.stands_out(Score::cp(349), Score::cp(50)));
    }
}
