//! Profiles: where a search spends its nodes, over a suite, for one setting or two.
//!
//! | file | contents |
//! | --- | --- |
//! | `profiler` | the observer: events of one search become counts |
//! | `counts` | the counts, their sums, and ratios |
//! | `figures` | the counts as named figures, in the sections of the table |
//! | `tables`, `pictures` | output |

mod counts;
mod figures;
mod pictures;
mod profiler;
mod tables;

pub(crate) use counts::Profile;
pub(crate) use pictures::picture;
pub(crate) use tables::{to_csv, to_json, to_markdown, to_text};

use std::sync::atomic::{AtomicBool, Ordering};

use crate::board::Game;
use crate::engine::Engine;
use crate::epd::Task;
use crate::limits::Limits;
use crate::options::Options;
use crate::parallel::{Jobs, parallel_map};
use crate::search::Search;
use profiler::Profiler;

/// The searches of a profile.
pub(crate) struct ProfileRun<'a> {
    pub tasks: &'a [Task],
    /// Nodes per position.
    pub nodes: u64,
    /// Positions at once.
    pub jobs: usize,
}

impl ProfileRun<'_> {
    /// The profile of a setting. Each position is searched as a new game, so that the result does not depend on the number
    /// of jobs. `stop` ends the run at once, and unfinished positions do not count.
    pub(crate) fn run(
        &self,
        options: &Options,
        stop: &AtomicBool,
        done: impl Fn() + Sync,
    ) -> Result<Profile, String> {
        let mut sum = Ok(Profile::default());
        let jobs = self.jobs.clamp(1, self.tasks.len().max(1));
        let search = |(): &mut (), index: usize| self.search(options, index, stop).transpose();
        let add = |profile: Result<Profile, String>| {
            done();
            match (&mut sum, profile) {
                (Ok(sum), Ok(profile)) => sum.add(profile),
                (Ok(_), Err(error)) => sum = Err(error),
                (Err(_), _) => {}
            }
        };
        parallel_map(Jobs { count: jobs, stop }, 0..self.tasks.len(), || (), search, add);
        sum
    }

    /// The profile of a position; `None` if the search was stopped.
    fn search(&self, options: &Options, index: usize, stop: &AtomicBool) -> Result<Option<Profile>, String> {
        let mut engine = Engine::new(options.clone());
        engine.set_game(Game::new(self.tasks[index].position.clone()));
        let search = Search::new(Limits::nodes(self.nodes)).observer(Profiler::default());
        let (outcome, profilers) = engine.start(search).observed_or(stop);
        if let Some(panic) = outcome.panicked {
            return Err(format!("{}: the search panicked: {panic}", self.tasks[index].name()));
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let mut profile = Profile::default();
        profilers.into_iter().take(1).for_each(|profiler| profile.add(profiler.into_profile(index)));
        Ok(Some(profile))
    }
}
