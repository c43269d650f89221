//! Limits of a match: clocks, and limits per move.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use shakmaty::Color;

use crate::limits::{Clock, Limits};

/// The longest time that a part of a time control may name.
pub const LONGEST_PART: Duration = Duration::from_secs(24 * 60 * 60);

/// A clock as `--tc` describes it: `[MOVES/][MINUTES:]SECONDS[+INCREMENT]`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct TimeControl {
    /// Moves until the time is added again; `None` for the whole game.
    pub moves: Option<u32>,
    /// Time for these moves.
    pub base: Duration,
    /// Added after every move.
    pub increment: Duration,
}

/// The limits of a search; the first one reached ends it.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Limit {
    /// A clock for each player.
    pub time: Option<TimeControl>,
    /// Time per move.
    pub move_time: Option<Duration>,
    /// Nodes per move.
    pub nodes: Option<u64>,
    /// Plies per move.
    pub depth: Option<u32>,
}

impl Limit {
    /// Whether searches with one thread are reproducible.
    pub fn is_exact(&self) -> bool {
        self.time.is_none() && self.move_time.is_none()
    }
}

/// The limits in words, for reports and files.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.time.map(|time| time.to_string()),
            self.move_time.map(|time| format!("{} ms a move", time.as_millis())),
            self.nodes.map(|nodes| format!("{nodes} nodes a move")),
            self.depth.map(|depth| format!("{depth} plies")),
        ];
        write!(f, "{}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// The PGN form: `40/60+0.6`.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

impl FromStr for TimeControl {
    type Err = String;

    /// Reads `[moves/][minutes:]seconds[+increment]`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no time control such as 4+0.04, 40/60 or 1:30+1");
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => {
                (Some(moves.parse().ok().filter(|&moves| moves > 0).ok_or_else(wrong)?), rest)
            }
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let (minutes, seconds) = base.split_once(':').unwrap_or(("0", base));
        let minutes: u32 = minutes.parse().map_err(|_| wrong())?;
        let minutes = Duration::from_secs(60 * u64::from(minutes));
        let seconds = in_seconds(seconds).ok_or_else(wrong)?;
        let increment = in_seconds(increment).ok_or_else(wrong)?;
        if [minutes, seconds, increment].iter().any(|part| *part > LONGEST_PART) {
            return Err(format!("{text:?} has a part of more than a day"));
        }
        let base = minutes + seconds;
        if base.is_zero() && increment.is_zero() {
            return Err(wrong());
        }
        Ok(Self { moves, base, increment })
    }
}

fn in_seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.parse().ok()?).ok()
}

/// The clocks of a game.
#[derive(Clone, Debug)]
pub struct Clocks {
    limit: Limit,
    margin: Duration,
    left: [Duration; 2],
    moves: [u32; 2],
}

impl Clocks {
    /// Clocks before the first move. A player may exceed its time by `margin`.
    pub fn new(limit: Limit, margin: Duration) -> Self {
        let base = limit.time.map_or(Duration::ZERO, |time| time.base);
        Self { limit, margin, left: [base; 2], moves: [0; 2] }
    }

    /// The most time that this side may take; `None` without a time limit.
    pub fn most(&self, side: Color) -> Option<Duration> {
        let left = self.limit.time.map(|_| self.left[side as usize]);
        let least = [left, self.limit.move_time].into_iter().flatten().min()?;
        Some(least + self.margin)
    }

    /// Subtracts this time from the mover's clock; false if there was not enough.
    pub fn spend(&mut self, side: Color, took: Duration) -> bool {
        if self.most(side).is_some_and(|most| took > most) {
            return false;
        }
        if let Some(time) = self.limit.time {
            let index = side as usize;
            self.left[index] = self.left[index].saturating_sub(took) + time.increment;
            self.moves[index] += 1;
            if time.moves.is_some_and(|moves| self.moves[index].is_multiple_of(moves)) {
                self.left[index] += time.base;
            }
        }
        true
    }

    fn moves_to_go(&self, side: Color) -> Option<u32> {
        let moves = self.limit.time?.moves?;
        Some(moves - self.moves[side as usize] % moves)
    }

    /// The limits for a search of this side.
    pub fn limits(&self, side: Color) -> Limits {
        let clock = |side: Color| {
            self.limit.time.map(|time| Clock {
                left: self.left[side as usize],
                increment: time.increment,
                moves_to_go: self.moves_to_go(side),
            })
        };
        Limits {
            clock: clock(side),
            opponent: clock(!side),
            move_time: self.limit.move_time,
            nodes: self.limit.nodes,
            depth: self.limit.depth.map(|depth| depth as i32),
            ..Limits::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn time_controls_are_read_and_written() {
        let read = |text: &str| text.parse::<TimeControl>();
        assert_eq!(read("4+0.04"), Ok(TimeControl { moves: None, base: MS(4_000), increment: MS(40) }));
        assert_eq!(read("40/1:30"), Ok(TimeControl { moves: Some(40), base: MS(90_000), increment: MS(0) }));
        assert_eq!(read("40/60+0.5").unwrap().to_string(), "40/60+0.5");
        for wrong in ["", "4+", "x", "-1", "0/5", "1:", "0", "nan", "inf", "1e99"] {
            assert!(read(wrong).unwrap_err().contains("no time control"), "{wrong}");
        }
    }

    #[test]
    fn no_part_of_a_time_control_is_longer_than_a_day() {
        for long in ["35:18446744073709549568", "1e19+1e19", "86401", "1441:0", "1+86401", "4294967295:1"] {
            assert!(long.parse::<TimeControl>().unwrap_err().contains("more than a day"), "{long}");
        }
        assert!("1440:86400+86400".parse::<TimeControl>().is_ok());
    }

    #[test]
    fn a_clock_runs_is_given_again_and_falls() {
        let time = "2/1+0.1".parse().ok();
        let mut clocks = Clocks::new(Limit { time, ..Limit::default() }, MS(0));
        assert_eq!(clocks.limits(Color::White).clock.unwrap().moves_to_go, Some(2));
        assert!(clocks.spend(Color::White, MS(600)));
        assert_eq!(clocks.most(Color::White), Some(MS(500)));
        assert_eq!(clocks.limits(Color::White).clock.unwrap().moves_to_go, Some(1));
        assert!(clocks.spend(Color::White, MS(500)));
        assert_eq!(clocks.most(Color::White), Some(MS(1_100)));
        assert_eq!(clocks.most(Color::Black), Some(MS(1_000)));
        assert!(!clocks.spend(Color::Black, MS(1_001)));
    }

    #[test]
    fn nodes_and_plies_need_no_clock() {
        let limit = Limit { nodes: Some(5), depth: Some(3), ..Limit::default() };
        let mut clocks = Clocks::new(limit, MS(0));
        assert_eq!((clocks.most(Color::White), limit.is_exact()), (None, true));
        assert!(clocks.spend(Color::White, MS(999_999)));
        assert_eq!(clocks.limits(Color::White), Limits { depth: Some(3), ..Limits::nodes(5) });
        assert_eq!(limit.to_string(), "5 nodes a move, 3 plies");
    }

    #[test]
    fn a_margin_forgives() {
        let mut clocks = Clocks::new(Limit { move_time: Some(MS(100)), ..Limit::default() }, MS(20));
        assert!(clocks.spend(Color::White, MS(120)) && !clocks.spend(Color::White, MS(121)));
    }
}
