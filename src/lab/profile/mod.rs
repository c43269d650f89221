//! Where a search spends its nodes: counted over a suite, for one setting or two side by side.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `profiler` | the observer: events of one search become counts |
//! | `counts` | the counts, how they add up, and the quotients read off them |
//! | `figures` | the counts as named figures, in the sections of the table |
//! | `tables`, `pictures` | how the figures are shown |

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

/// What is searched, and how far.
pub(crate) struct ProfileRun<'a> {
    /// The positions.
    pub tasks: &'a [Task],
    /// Nodes for each of them.
    pub nodes: u64,
    /// Positions at once.
    pub jobs: usize,
}

impl ProfileRun<'_> {
    /// The profile of a setting. Every position is searched as a new game, so that the result does not depend on the
    /// number of jobs. Raised, `stop` ends the run at once, and positions under way do not count. The error says what
    /// went wrong in a search.
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

    /// The profile of a position; none if the search was stopped.
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
