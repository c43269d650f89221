//! `espalier learn mine`.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::shared::{Checkpoint, Play, said_if_interrupted};
use crate::cli::{Assignments, Failure, terminal};
use crate::engine::Engine;
use crate::learn::checkpoint;
use crate::learn::mine::{Demands, Found, Judge, line};
use crate::learn::pool::share_out;
use crate::learn::search_control::online::Critical;
use crate::learn::self_play::SelfPlay;
use crate::options::Options;

const EXAMPLES: &str = "\
Examples:
  espalier learn mine --count 500 --out espalier.epd
  espalier epd espalier.epd --depth 8
  espalier learn weights --online espalier.epd --set Preset=Crafty --out weights.txt
      the learners take the solution paths from the suite

Without --nodes, --depth or --time games are played at 20,000 nodes a move.";

/// Makes a test suite of positions that the engine misjudged in its own games
///
/// A position is critical if the value fell by more than a third of a pawn within a move. It is kept if a longer
/// search knows one move that is clearly better than the second, and a search must look some plies to stay with it.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Positions to find
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// Nodes of the searches that check a position
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1_000..))]
    check: u64,
    /// By how many centipawns the best move must be better than the second
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(i32).range(1..=2_000))]
    gap: i32,
    /// Plies that a search must look at least
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(i32).range(1..=60))]
    least: i32,
    #[command(flatten)]
    play: Play,
    /// The suite to write; a checkpoint is put beside it
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    pub set: Assignments,
}

/// Nodes a move of the games if nothing else is said.
const NODES: u64 = 20_000;
/// Games played before the suite is looked at again.
const BATCH: u32 = 8;
/// Games after which it is given up.
const MOST_GAMES: u32 = 100_000;

/// Where a run stands.
#[derive(Default, Serialize, Deserialize)]
struct State {
    /// Games played, in whole batches.
    games: u32,
    /// Critical positions looked at.
    critical: usize,
    /// What was found.
    found: Vec<Found>,
}

impl Arguments {
    pub fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        let mut settings = checkpoint::settings_of(options);
        self.play.describe(NODES, &mut settings);
        for (name, value) in [
            ("check", self.check.to_string()),
            ("gap", self.gap.to_string()),
            ("least", self.least.to_string()),
        ] {
            settings.insert(name.to_owned(), value);
        }
        let mut checkpoint = Checkpoint::new(&self.out, "learn mine 1", settings);
        let mut state: State = checkpoint.read()?;
        let stop = terminal::interrupt();
        let players = SelfPlay::new(options, self.play.openings()?, self.play.seed, self.play.jobs());
        let bar = terminal::progress(u64::from(self.count), "positions");
        while state.found.len() < self.count as usize && state.games < MOST_GAMES {
            bar.set_position(state.found.len() as u64);
            bar.set_message(format!("{} games, {} critical positions", state.games, state.critical));
            if !self.batch(&players, options, &mut state, &stop) {
                break;
            }
            checkpoint.write(&state)?;
        }
        bar.finish_and_clear();
        state.found.truncate(self.count as usize);
        let done = format!("{} of {} positions are found", state.found.len(), self.count);
        if !state.found.is_empty() {
            self.write(state, out)?;
        }
        said_if_interrupted(&stop, &done)
    }

    /// Plays some games and checks their critical positions; false if it was interrupted.
    fn batch(&self, players: &SelfPlay, options: &Options, state: &mut State, stop: &AtomicBool) -> bool {
        let limits = self.play.limits(NODES);
        let mut lessons = BTreeMap::new();
        players.run(
            state.games..state.games + BATCH,
            stop,
            |engine: &mut Engine, start| Critical::default().play(engine, start, &limits, stop),
            |game, lesson| {
                lessons.insert(game, lesson.examples);
            },
        );
        let critical: Vec<_> = lessons.into_values().flatten().map(|example| example.position).collect();
        let demands = Demands { nodes: self.check, gap: self.gap, depth: self.least };
        let mut judged = BTreeMap::new();
        share_out(
            self.play.jobs(),
            critical.iter().enumerate(),
            stop,
            || Judge::new(options),
            |judge, (index, position)| judge.judge(position, &demands).map(|found| (index, found)),
            |(index, found)| {
                judged.insert(index, found);
            },
        );
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        let mut known: HashSet<String> = state.found.iter().map(|found| found.board.clone()).collect();
        state.found.extend(judged.into_values().filter(|found| known.insert(found.board.clone())));
        state.critical += critical.len();
        state.games += BATCH;
        true
    }

    /// Writes the suite, the easiest first, and says what is in it.
    fn write(&self, mut state: State, out: &mut impl Write) -> Result<(), Failure> {
        state.found.sort_by_key(|found| found.depth);
        let lines: Vec<String> =
            state.found.iter().zip(1..).map(|(found, number)| line(found, number) + "\n").collect();
        terminal::write_file(&self.out, lines.concat())?;
        let mut depths: BTreeMap<i32, usize> = BTreeMap::new();
        state.found.iter().for_each(|found| *depths.entry(found.depth).or_default() += 1);
        writeln!(out, "depth  positions")?;
        for (depth, count) in depths {
            writeln!(out, "{depth:>5} {count:>10}")?;
        }
        let State { games, critical, found } = state;
        writeln!(out, "{} positions of {critical} critical ones from {games} games", found.len())?;
        writeln!(out, "written to {}", self.out.display())?;
        Ok(())
    }
}
