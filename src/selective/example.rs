//! A method for the tests, and the shape of every other: "Author, *Where it was published*, 1999".
//!
//! *Claim.* What it says and why that is true.
//! *Known failure.* Where it is not. This one is nowhere called by the search.

use super::{Facts, method, rule};
use crate::depth::Depth;

method! {
    "example", "nobody 1999";
    variant "example, twice" = ["ExampleMargin=200"];
    mark 1024 quiescence "example-acted" "the example acted";
    needs Eval;
    pub struct Settings {
        /// Switches the example on.
        on: "Example" = false;
        /// Example: centipawns above beta.
        margin: "ExampleMargin" = 120 in 0..=500 step 10 published 100;
    }
}

rule! { asked =>
    min_depth: Depth = if asked.on { Depth::PLY } else { Depth::NEVER };
    margin: i32 = asked.margin;
}

impl Rule {
    /// The static value lies far enough above beta.
    pub fn applies(&self, facts: &Facts) -> bool {
        facts.depth >= self.min_depth && facts.eval >= facts.beta + self.margin
    }
}

mod tests {
    use super::super::Resolve;
    use super::super::tests::behind;
    use super::*;

    #[test]
    fn acts_above_the_margin_alone() {
        let rule = Settings { on: true, margin: 100 }.resolve();
        assert!(rule.applies(&behind(1, -100)) && !rule.applies(&behind(1, -99)));
        assert!(!Settings { on: false, margin: 0 }.resolve().applies(&behind(1, -100)));
    }
}
