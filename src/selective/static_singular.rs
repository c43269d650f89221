//! P. H. Winston, *Artificial Intelligence*, chapter 6 (singular-extension heuristic).
//!
//! *Claim.* When one move is statically far better than all the others, the line after it is forced: at the
//! horizon it is worth another ply. [`singular`](super::singular) asks the same of a search.
//! "If that static value proves to be wrong, the move is wrong": then the alternatives count after all, and the node is
//! worth what it would be worth without the extension, or what the move proved to be worth if that is more.
//! *Known failure.* A move that wins material at once stands out even if the reply takes it back.
//! *What differs.* The book gives no margin; ours is an option. The alternatives are those of the quiescence search.

use super::{NEVER, method, rule};
use crate::score::{Score, Window};

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

    /// The move that stood out is worth no more than its rival: the alternatives count.
    pub fn disappoints(&self, value: Score, second: Score) -> bool {
        value <= second
    }

    /// The window in which to search the move, so that it shows whether the move disappoints.
    pub fn window(&self, window: Window, second: Score) -> Window {
        Window { alpha: window.alpha.min(second), ..window }
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

    #[test]
    fn a_move_that_is_worth_no_more_than_its_rival_disappoints_whatever_the_window() {
        let rule = Settings { on: true, margin: 300 }.resolve();
        let second = Score::cp(50);
        assert!(rule.disappoints(second, second) && !rule.disappoints(second + 1, second));
        let window = |alpha| rule.window(Window { alpha: Score::cp(alpha), beta: Score::cp(400) }, second);
        assert_eq!([window(200).alpha, window(-30).alpha], [second, Score::cp(-30)]);
        assert_eq!(window(200).beta, Score::cp(400));
    }
}
