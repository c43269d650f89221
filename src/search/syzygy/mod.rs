//! Endgame tables: with few men on the board, what every position is worth is known.
//!
//! The tables are the Syzygy tables of R. de Man (2013), read through `shakmaty-syzygy`. A WDL table says of every
//! position whether it is won, drawn or lost, and whether the fifty-move rule changes that; a DTZ table says how
//! many plies away the next capture or pawn move is. Files are opened when they are first asked. One that turns
//! out to be damaged answers nothing, which is noted once, and the search continues without it.

mod files;
mod probe;
mod root;

pub use files::Syzygy;
pub use root::{Ranked, Ranking};

use shakmaty_syzygy::Wdl;

use crate::depth::Depth;
use crate::options::row::settings;
use crate::score::{Bound, Score};

/// The option that names the directories, for messages.
const OPTION: &str = "SyzygyPath";

/// The most men a table can have.
const MOST_MEN: i32 = 7;

settings! {
    /// The options of the endgame tables, as the user set them.
    pub struct Settings {
        /// Directories of Syzygy endgame tables, separated by a colon (on Windows by a semicolon).
        path: "SyzygyPath" = "" then OpenSyzygy;
        /// Least remaining plies at which the search looks a position up; with fewer men than the largest table
        /// has it always does.
        depth: "SyzygyProbeDepth" = 1 in 1..=100 step 1;
        /// Most men, kings included, of a position that is looked up; 0 for none.
        limit: "SyzygyProbeLimit" = MOST_MEN in 0..=MOST_MEN step 1;
        /// Counts a win that needs more than fifty moves without a capture or pawn move as a draw.
        fifty_moves: "Syzygy50MoveRule" = true;
    }
}

impl Settings {
    /// What they mean in a search; `exhaustive` ones find their mates themselves.
    pub fn resolve(&self, exhaustive: bool) -> ProbeRule {
        let men = if exhaustive { 0 } else { self.limit.clamp(0, MOST_MEN) as usize };
        ProbeRule { men, depth: Depth::plies(self.depth), fifty_moves: self.fifty_moves }
    }
}

/// When nodes are looked up: the settings, resolved at `go`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ProbeRule {
    /// Most men of a position that is looked up; 0 if none is.
    pub men: usize,
    /// Least depth at which a position with that many men is looked up.
    pub depth: Depth,
    /// The fifty-move rule counts.
    pub fifty_moves: bool,
}

/// What decides whether a node is looked up.
#[derive(Copy, Clone, Debug)]
pub struct ProbeFacts {
    /// Men on the board.
    pub men: usize,
    /// Remaining depth.
    pub depth: Depth,
    /// Plies since the last capture or pawn move.
    pub clock: u32,
    /// Either side may still castle.
    pub castling: bool,
}

impl ProbeRule {
    /// The rule with tables of at most this many men.
    pub fn within(self, men: usize) -> Self {
        Self { men: self.men.min(men), ..self }
    }

    /// A node is looked up: the tables know it, and their answer is worth the time. They are right for a clock
    /// that has just been set back, so only captures and pawn moves lead to such nodes.
    pub fn wants(&self, facts: &ProbeFacts) -> bool {
        facts.men <= self.men
            && (facts.depth >= self.depth || facts.men < self.men)
            && facts.clock == 0
            && !facts.castling
    }

    /// The value of an outcome `ply` plies from the root. Behind a win or a loss there may be a mate, so it is a bound.
    /// What only the fifty-move rule saves is a draw, a little better for one side.
    pub fn value(&self, outcome: Wdl, ply: usize) -> (Score, Bound) {
        match outcome {
            Wdl::CursedWin if self.fifty_moves => (Score::CURSED_WIN, Bound::Exact),
            Wdl::BlessedLoss if self.fifty_moves => (-Score::CURSED_WIN, Bound::Exact),
            Wdl::Win | Wdl::CursedWin => (Score::tb_win_at(ply), Bound::Lower),
            Wdl::Loss | Wdl::BlessedLoss => (Score::tb_loss_at(ply), Bound::Upper),
            Wdl::Draw => (Score::DRAW, Bound::Exact),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: ProbeRule = ProbeRule { men: 5, depth: Depth::plies(3), fifty_moves: true };

    #[test]
    fn only_fresh_positions_of_few_men_are_looked_up() {
        let facts = ProbeFacts { men: 5, depth: Depth::plies(3), clock: 0, castling: false };
        assert!(RULE.wants(&facts));
        assert!(!RULE.wants(&ProbeFacts { men: 6, ..facts }));
        assert!(!RULE.wants(&ProbeFacts { depth: Depth::plies(2), ..facts }));
        assert!(
            RULE.wants(&ProbeFacts { depth: Depth::plies(2), men: 4, ..facts }),
            "smaller tables are cheap"
        );
        assert!(!RULE.wants(&ProbeFacts { clock: 1, ..facts }));
        assert!(!RULE.wants(&ProbeFacts { castling: true, ..facts }));
        assert!(
            !RULE.within(0).wants(&facts) && !RULE.within(4).wants(&facts) && RULE.within(7).wants(&facts)
        );
    }

    #[test]
    fn a_cursed_win_is_a_win_only_without_the_fifty_move_rule() {
        let lenient = ProbeRule { fifty_moves: false, ..RULE };
        assert_eq!(RULE.value(Wdl::CursedWin, 4), (Score::cp(1), Bound::Exact));
        assert_eq!(RULE.value(Wdl::BlessedLoss, 4), (Score::cp(-1), Bound::Exact));
        assert_eq!(lenient.value(Wdl::CursedWin, 4), (Score::tb_win_at(4), Bound::Lower));
        assert_eq!(lenient.value(Wdl::BlessedLoss, 4), (Score::tb_loss_at(4), Bound::Upper));
        assert_eq!(lenient.value(Wdl::Draw, 4), (Score::DRAW, Bound::Exact));
    }

    #[test]
    fn a_search_for_a_mate_looks_nothing_up() {
        let settings = Settings { limit: 6, ..Settings::default() };
        assert_eq!((settings.resolve(true).men, settings.resolve(false).men), (0, 6));
    }
}
