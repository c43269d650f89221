//! When a search ends: what `go` asked for, and the clock.

use std::time::Duration;

use shakmaty::Move;

/// What `go` asked for. Several limits together: the first one reached ends the search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// The last iteration, in plies.
    pub depth: Option<i32>,
    /// Nodes, of all threads together.
    pub nodes: Option<u64>,
    /// Nodes, of the first thread, after which no new iteration begins: the one under way is finished.
    pub soft_nodes: Option<u64>,
    /// Moves within which a mate must be found or disproved.
    pub mate: Option<i32>,
    /// Time to search for, no more and no less.
    pub move_time: Option<Duration>,
    /// The clock of the side to move, of which the time manager takes a share.
    pub clock: Option<Clock>,
    /// The opponent's clock; our search does not look at it.
    pub opponent: Option<Clock>,
    /// The search ends at `stop`, whatever it has found.
    pub infinite: bool,
    /// Not before `ponderhit` or `stop`.
    pub ponder: bool,
    /// Only these moves; empty for all.
    pub search_moves: Vec<Move>,
    /// Until one of these moves is the best; empty for none.
    pub until: Vec<Move>,
}

impl Limits {
    /// A search to a fixed depth.
    pub fn depth(plies: i32) -> Self {
        Self { depth: Some(plies), ..Self::default() }
    }

    /// A search of a fixed number of nodes.
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// A search that begins no new iteration after this many nodes, and is aborted at eight times that.
    pub fn soft_nodes(nodes: u64) -> Self {
        Self { soft_nodes: Some(nodes), ..Self::nodes(nodes.saturating_mul(SOFT_TO_HARD)) }
    }

    /// Nothing but `stop` ends it.
    pub fn is_open(&self) -> bool {
        self.infinite
            || (self.depth.is_none()
                && self.nodes.is_none()
                && self.soft_nodes.is_none()
                && self.mate.is_none()
                && self.move_time.is_none()
                && self.clock.is_none())
    }
}

/// How many times its soft limit an iteration under way may take.
const SOFT_TO_HARD: u64 = 8;

/// What a player's clock shows when the search begins.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left; a clock that is overdrawn has none.
    pub left: Duration,
    /// Added after every move.
    pub increment: Duration,
    /// Moves to the next time control; `None` if there is none.
    pub moves_to_go: Option<u32>,
}

/// How long to think.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// No new iteration is begun after this, stretched or shrunk by how the search goes.
    pub soft: Duration,
    /// The search is aborted here.
    pub hard: Duration,
}

/// Moves among which the time left is shared, if no time control comes sooner. Games last longer, but most moves are
/// settled before their share is spent.
const HORIZON: u32 = 17;

impl Clock {
    /// What to spend on this move, keeping `overhead` back for the way to the clock.
    ///
    /// ```
    /// use espalier::limits::Clock;
    /// use std::time::Duration;
    /// let clock = Clock { left: Duration::from_secs(60), ..Clock::default() };
    /// let budget = clock.budget(Duration::from_millis(10), false);
    /// assert!(budget.soft < Duration::from_secs(4) && budget.hard < Duration::from_secs(30));
    /// ```
    pub fn budget(&self, overhead: Duration, ponder: bool) -> Budget {
        let moves = self.moves_to_go.map_or(HORIZON, |moves| moves.clamp(1, HORIZON));
        // A machine that stalls for a moment must not cost the game: a reserve is never planned with.
        let reserve = (overhead * 20).min(self.left / 2);
        let usable = self.left.saturating_sub(overhead + reserve);
        // The increment of this move comes too late for it, but most of it can be counted on.
        let share = usable / moves + self.increment.mul_f64(0.75);
        let share = if ponder { share.mul_f64(1.25) } else { share };
        let most = usable.mul_f64(if moves == 1 { 0.9 } else { 0.5 });
        Budget { soft: share.min(most), hard: (share * 5).min(most) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn clock(left: u64, increment: u64, moves_to_go: Option<u32>) -> Clock {
        Clock { left: MS(left), increment: MS(increment), moves_to_go }
    }

    #[test]
    fn no_budget_exceeds_the_clock() {
        for left in [0, 1, 5, 9, 10, 11, 50, 300, 1_000, 60_000, 3_600_000] {
            for increment in [0, 10, 1_000] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40), Some(1_000)] {
                    let budget = clock(left, increment, moves).budget(MS(10), true);
                    assert!(budget.soft <= budget.hard);
                    assert!(budget.hard <= MS(left).saturating_sub(MS(10)), "{left} {increment} {moves:?}");
                }
            }
        }
    }

    #[test]
    fn a_clock_with_more_than_the_overhead_buys_some_time() {
        assert!(clock(4_000, 0, None).budget(MS(1_000), false).soft >= MS(25));
        assert!(clock(40, 0, None).budget(MS(10), false).hard > Duration::from_micros(500));
    }

    #[test]
    fn the_last_move_before_the_control_may_use_most_of_the_time() {
        assert_eq!(clock(1_210, 0, Some(1)).budget(MS(10), false).hard, MS(900));
    }

    #[test]
    fn an_increment_is_spent_and_pondering_is_worth_a_little() {
        let plain = clock(60_000, 0, None).budget(MS(10), false);
        assert!(clock(60_000, 600, None).budget(MS(10), false).soft > plain.soft);
        assert!(clock(60_000, 0, None).budget(MS(10), true).soft > plain.soft);
    }

    #[test]
    fn a_bare_go_is_open_and_a_limit_closes_it() {
        assert!(Limits::default().is_open());
        assert!(!Limits::depth(3).is_open());
        assert!(Limits { infinite: true, ..Limits::depth(3) }.is_open());
    }
}
