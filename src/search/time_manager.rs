//! Time management of one search: when to stop, and when not to begin another iteration.

use std::time::Duration;

use shakmaty::Move;

use super::control::Control;
use crate::board::Game;
use crate::limits::{Budget, Limits};
use crate::score::Score;

/// Decides about time for one search.
#[derive(Copy, Clone, Debug)]
pub(super) struct TimeManager {
    budget: Option<Budget>,
    /// A fixed time a move: all of it is used.
    fixed: bool,
}

/// How iterative deepening has gone so far, which decides whether the search deserves more or less time.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct SearchProgress {
    /// The best move of the last iteration.
    pub best: Option<Move>,
    /// Iterations since it changed last.
    pub stable_for: i32,
    /// How much the value fell since the last iteration, in centipawns.
    pub drop: i32,
    /// How much the value fell since the search before our last move, in centipawns.
    pub drop_since_move: i32,
    /// The best move's share of the nodes, from 0 to 1.
    pub best_share: f64,
}

/// What the search before our last move found, for comparison.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct EarlierSearch {
    /// Key of the position it searched.
    pub key: u64,
    /// The value it found for the side to move.
    pub value: Score,
}

impl EarlierSearch {
    /// How much the value of the game's position fell since then, in centipawns; nothing where that search was not two
    /// plies ago in this game, or where either value is decided.
    pub(super) fn drop(self, game: &Game, value: Score) -> i32 {
        let same_game = game.earlier_keys().iter().nth_back(1) == Some(&self.key);
        if same_game && !self.value.is_decided() && !value.is_decided() { self.value - value } else { 0 }
    }
}

impl TimeManager {
    /// For these limits, keeping `overhead` back. An infinite search looks at no clock.
    pub(super) fn new(limits: &Limits, overhead: Duration, ponder: bool) -> Self {
        if limits.infinite {
            return Self { budget: None, fixed: false };
        }
        let fixed = limits.move_time.map(|time| {
            let time = time.saturating_sub(overhead.min(time / 2)).max(Duration::from_millis(1));
            Budget { soft: time, hard: time }
        });
        let budget = match (fixed, limits.clock.map(|clock| clock.budget(overhead, ponder))) {
            (Some(fixed), Some(clock)) => {
                Some(Budget { soft: fixed.soft.min(clock.soft), hard: fixed.hard.min(clock.hard) })
            }
            (fixed, clock) => fixed.or(clock),
        };
        Self { budget, fixed: limits.clock.is_none() }
    }

    /// Time of our own after which the search is aborted.
    pub(super) fn hard(&self) -> Option<Duration> {
        self.budget.map(|budget| budget.hard)
    }

    /// A clock is running.
    pub(super) fn is_timed(&self) -> bool {
        self.budget.is_some()
    }

    /// Nodes between two checks of the clock: few when there is little time.
    pub(super) fn poll_interval(&self) -> u64 {
        match self.budget {
            Some(budget) if budget.hard < Duration::from_millis(20) => 64,
            Some(budget) if budget.hard < Duration::from_millis(200) => 256,
            _ => 1024,
        }
    }

    /// Time is up.
    pub(super) fn must_stop(&self, control: &Control) -> bool {
        self.budget.is_some_and(|budget| !control.pondering() && control.spent() >= budget.hard)
    }

    /// Another iteration would probably not be finished.
    pub(super) fn enough(&self, control: &Control, progress: &SearchProgress) -> bool {
        let Some(budget) = self.budget else { return false };
        if control.pondering() || self.fixed {
            return false;
        }
        control.spent() >= budget.soft.mul_f64(progress.factor()).min(budget.hard)
    }
}

impl SearchProgress {
    /// An iteration ended with this best move.
    pub(super) fn record_best(&mut self, best: Option<Move>) {
        self.stable_for = if best == self.best { self.stable_for + 1 } else { 0 };
        self.best = best;
    }

    /// The factor of the soft limit: small for a stable best move, larger when the value falls, since the last iteration
    /// or since our last move.
    fn factor(&self) -> f64 {
        let stability = 1.2 - 0.08 * f64::from(self.stable_for.clamp(0, 8));
        let drop = 1.0
            + f64::from(self.drop.clamp(0, 100)) / 100.0
            + f64::from(self.drop_since_move.clamp(-20, 80)) / 100.0;
        let share = 1.6 - self.best_share;
        stability * drop * share
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Clock;

    fn settled() -> SearchProgress {
        SearchProgress { stable_for: 8, best_share: 0.9, ..SearchProgress::default() }
    }

    #[test]
    fn a_settled_search_ends_sooner_than_a_troubled_one() {
        let troubled = SearchProgress { drop: 60, best_share: 0.4, ..SearchProgress::default() };
        assert!(settled().factor() < 0.6 && troubled.factor() > 1.5);
    }

    #[test]
    fn a_value_that_fell_since_our_last_move_deserves_more_time() {
        let since = |drop_since_move| SearchProgress { drop_since_move, ..settled() }.factor();
        assert!(since(30) > since(0) && since(0) > since(-30));
        assert_eq!([since(80), since(-20)], [since(800), since(-200)]);
    }

    #[test]
    fn values_are_compared_with_those_of_our_last_move_only() {
        let mut game = Game::default();
        let earlier = EarlierSearch { key: game.position().key(), value: Score::cp(40) };
        let mut drops = Vec::new();
        for _ in 0..4 {
            drops.push(earlier.drop(&game, Score::cp(15)));
            game.play(game.position().legal_moves()[0]);
        }
        assert_eq!(drops, [0, 0, 25, 0]);
        let mated = EarlierSearch { value: Score::mate_at(5), ..earlier };
        assert_eq!(mated.drop(&game, Score::cp(15)), 0);
    }

    #[test]
    fn a_best_move_is_stable_while_it_stays_the_same() {
        let legal = crate::Position::default().legal_moves();
        let mut progress = SearchProgress::default();
        let mut stable = |m| {
            progress.record_best(Some(legal[m]));
            progress.stable_for
        };
        assert_eq!([stable(0), stable(0), stable(0), stable(1), stable(0)], [0, 1, 2, 0, 0]);
    }

    #[test]
    fn pondering_stops_the_clock_until_the_hit() {
        let clock = Clock { left: Duration::ZERO, ..Clock::default() };
        let limits = Limits { ponder: true, clock: Some(clock), ..Limits::default() };
        let control = Control::new(&limits, None);
        let time_manager = TimeManager::new(&limits, Duration::ZERO, true);
        assert!(!time_manager.must_stop(&control) && !time_manager.enough(&control, &settled()));
        control.ponder_hit();
        assert!(time_manager.must_stop(&control) && time_manager.enough(&control, &settled()));
    }

    #[test]
    fn a_fixed_time_is_used_whole() {
        let limits = Limits { move_time: Some(Duration::from_secs(9)), ..Limits::default() };
        let time_manager = TimeManager::new(&limits, Duration::from_millis(10), false);
        let control = Control::new(&limits, None);
        assert!(!time_manager.must_stop(&control) && !time_manager.enough(&control, &settled()));
        assert_eq!(time_manager.hard(), Some(Duration::from_millis(8_990)));
    }

    #[test]
    fn without_a_clock_time_never_ends_a_search() {
        let time_manager = TimeManager::new(&Limits::depth(4), Duration::ZERO, false);
        assert!(!time_manager.is_timed());
        assert!(!time_manager.must_stop(&Control::new(&Limits::depth(4), None)));
    }
}
