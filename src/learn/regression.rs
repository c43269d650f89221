//! Fits the parameters of ProbCut, which predict the value of a deep search from a shallow one.
//!
//! M. Buro, "ProbCut", 1995; A. Jiang and M. Buro, "First experimental results of ProbCut applied to chess",
//! 2003; X. Liang, *The Evolution of Mulan*, MSc thesis, New Mexico 2003, section 4.3. Positions come from self-play; one
//! search with iterative deepening gives their values at all depths.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::games::Shuffled;
use crate::board::{Game, GamePhase, Position};
use crate::engine::Engine;
use crate::limits::Limits;
use crate::random::Random;
use crate::score::Bound;
use crate::search::{Report, Search};
use crate::selective::prob_cut::Fit;
use crate::self_play;
use crate::statistics::RegressionLine;

/// Pairs of shallow and deep search depths.
pub(crate) const PAIRS: [(i32, i32); 10] =
    [(1, 3), (2, 4), (1, 5), (3, 5), (2, 6), (4, 6), (3, 7), (4, 8), (4, 10), (6, 12)];

/// One position is picked per this many plies of a game.
const EVERY: usize = 8;

/// Positions with scores beyond this, in centipawns, are left out.
const CLEAR: i32 = 1_000;

/// A position picked from a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Picked {
    /// The phase of the game.
    #[serde(rename = "stage")]
    pub phase: GamePhase,
    pub fen: String,
}

/// The first `wanted` positions of each phase of the game.
pub(crate) fn chosen<'a>(found: impl Iterator<Item = &'a Picked>, wanted: usize) -> Vec<&'a Picked> {
    let mut left = [wanted; 3];
    let take = |picked: &&Picked| {
        let left = &mut left[picked.phase as usize];
        let taken = *left > 0;
        *left -= usize::from(taken);
        taken
    };
    found.filter(take).collect()
}

/// Plays a game and picks some of its positions; `None` if it was stopped.
pub(crate) fn pick(
    engine: &mut Engine,
    start: Game,
    limits: &Limits,
    seed: u64,
    stop: &AtomicBool,
) -> Option<Vec<Picked>> {
    let mut random = Random::split(seed, start.position().key());
    let mut picked = Vec::new();
    self_play::play(engine, start, stop, |engine| {
        let outcome = engine.search(limits.clone());
        let position = engine.game().position();
        let balanced = outcome.score().is_some_and(|score| score.raw().abs() < CLEAR);
        if random.below(EVERY) == 0 && balanced && !position.in_check() {
            picked.push(Picked { phase: phase(position), fen: position.fen() });
        }
        outcome
    })?;
    Some(picked)
}

/// Picks balanced positions of stored games, up to `wanted` of each phase.
pub(crate) fn pick_from(positions: &Shuffled, wanted: usize) -> io::Result<Vec<Picked>> {
    let mut left = [wanted; 3];
    let mut found = Vec::new();
    for part in positions.iter() {
        let balanced = part?.into_iter().filter(|packed| i32::from(packed.score()).abs() < CLEAR);
        for position in balanced.filter_map(|packed| packed.unpack().ok().map(Position::new)) {
            let phase = phase(&position);
            if left[phase as usize] > 0 {
                left[phase as usize] -= 1;
                found.push(Picked { phase, fen: position.fen() });
            }
        }
        if left == [0; 3] {
            break;
        }
    }
    Ok(found)
}

/// The phase of the game of a position.
fn phase(position: &Position) -> GamePhase {
    position.game_phase()
}

/// The values of a position at increasing depths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct DepthSample {
    /// The phase of the game.
    #[serde(rename = "stage")]
    pub phase: GamePhase,
    /// Values in centipawns at depth 1, 2, 3 …, up to the first mate.
    pub values: Vec<i32>,
}

/// Searches a position with iterative deepening.
pub(crate) fn sample(engine: &mut Engine, position: &Position, depth: i32) -> DepthSample {
    let values = Arc::new(Mutex::new(vec![None; depth.max(0) as usize]));
    let heard = Arc::clone(&values);
    engine.new_game();
    engine.set_game(Game::new(position.clone()));
    let search = Search::new(Limits::depth(depth)).listener(move |report| {
        if let Report::Line(line, _) = report
            && line.bound == Bound::Exact
            && let Some(value) = heard.lock().get_mut(line.depth as usize - 1)
        {
            *value = (!line.score.is_mate()).then_some(line.score.raw());
        }
    });
    engine.start(search).wait();
    let values = values.lock();
    DepthSample { phase: phase(position), values: values.iter().map_while(|value| *value).collect() }
}

/// A fit and its quality.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Fitted {
    pub fit: Fit,
    /// Share of the variance explained.
    pub r_squared: f64,
    pub count: usize,
}

/// Shallow and deep values of the samples of a phase.
pub(crate) fn points(samples: &[DepthSample], phase: GamePhase, shallow: i32, deep: i32) -> Vec<(f64, f64)> {
    let value =
        |sample: &DepthSample, depth: i32| sample.values.get(depth as usize - 1).map(|&v| f64::from(v));
    samples
        .iter()
        .filter(|sample| sample.phase == phase)
        .filter_map(|sample| Some((value(sample, shallow)?, value(sample, deep)?)))
        .collect()
}

/// Least number of positions for a fit.
pub(crate) const LEAST: usize = 20;

/// Fits a line for every phase and pair of depths with enough positions.
pub(crate) fn fit(samples: &[DepthSample]) -> Vec<Fitted> {
    let mut fitted = Vec::new();
    for phase in GamePhase::ALL {
        for (shallow, deep) in PAIRS {
            let points = points(samples, phase, shallow, deep);
            let Some(line) = RegressionLine::through(&points).filter(|line| line.count >= LEAST) else {
                continue;
            };
            let fit = Fit {
                phase,
                shallow,
                deep,
                a: line.a as f32,
                b: line.b as f32,
                sigma: line.sigma as f32,
                t: None,
            };
            fitted.push(Fitted { fit, r_squared: line.r_squared, count: line.count });
        }
    }
    fitted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_gives_a_value_for_every_depth() {
        let sample = sample(&mut Engine::default(), &Position::default(), 5);
        assert_eq!((sample.values.len(), sample.phase), (5, GamePhase::Opening));
        assert!(sample.values.iter().all(|value| value.abs() < 200));
    }

    #[test]
    fn values_end_before_a_mate() {
        let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", false).unwrap();
        assert!(sample(&mut Engine::default(), &position, 8).values.len() < 8);
    }

    #[test]
    fn the_line_is_found_again_and_too_few_points_make_none() {
        let sample = |v: i32| DepthSample { phase: GamePhase::Middle, values: vec![v, 0, 2 * v + 10, 0] };
        let samples: Vec<DepthSample> = (-15..15).map(|n| sample(10 * n)).collect();
        let found = fit(&samples);
        let first = found[0];
        assert_eq!((first.fit.shallow, first.fit.deep, first.fit.phase), (1, 3, GamePhase::Middle));
        assert_eq!((first.fit.a, first.fit.b, first.count), (2.0, 10.0, 30));
        assert!(fit(&samples[..10]).is_empty());
    }

    #[test]
    fn positions_are_quiet_the_same_for_the_same_seed_and_the_first_of_each_stage_are_chosen() {
        let stop = AtomicBool::new(false);
        let picked = || pick(&mut Engine::default(), Game::default(), &Limits::nodes(300), 3, &stop).unwrap();
        let found = picked();
        assert_eq!(found, picked());
        let quiet = |picked: &Picked| !Position::from_fen(&picked.fen, false).unwrap().in_check();
        assert!(!found.is_empty() && found.iter().all(quiet));
        let first = chosen(found.iter(), 1);
        assert!(first[0] == &found[0] && first.len() <= 3);
        assert_eq!(chosen(found.iter(), found.len()).len(), found.len());
    }
}
