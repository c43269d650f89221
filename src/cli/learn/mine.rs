//! `espalier learn mine`.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};

use super::shared::{Checkpoint, Play, Speed, error_if_interrupted, one_thread};
use crate::cli::shared::{Common, whole};
use crate::cli::{Failure, terminal};
use crate::engine::Engine;
use crate::learn::mine::{Demands, Found, Judge, line};
use crate::learn::search_control::online::Critical;
use crate::options::Options;
use crate::parallel::Jobs;
use crate::self_play::{SelfPlay, in_a_row};
use crate::text_table::Table;

const EXAMPLES: &str = "\
Examples:
  espalier learn mine --count 500 --out espalier.epd
  espalier epd espalier.epd --depth 8
  espalier learn weights --online espalier.epd --set Preset=Crafty --out weights.txt
      the learners take the solution paths from the suite

Without --nodes, --depth or --time games are played at 3,000 nodes a move.";

/// Makes a test suite of positions that the engine misjudged in its own games
///
/// A position is critical if the value fell by more than a third of a pawn within a move. It is kept if a longer
/// search finds one move clearly better than all others, and only from some depth on. A first search with a tenth of
/// the nodes skips positions that are easy, lost, or won anyway.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Positions to find
    #[arg(long, default_value_t = 500, value_parser = whole::<u32>(1..))]
    count: u32,
    /// Nodes of the longer searches
    #[arg(long, default_value_t = 300_000, value_parser = whole::<u64>(1_000..))]
    check: u64,
    /// Centipawns by which the best move must be better than the second
    #[arg(long, default_value_t = 100, value_parser = whole::<i32>(1..=2_000))]
    gap: i32,
    /// Least depth from which the best move must be found
    #[arg(long, default_value_t = 5, value_parser = whole::<i32>(1..=60))]
    least: i32,
    #[command(flatten)]
    play: Play,
    /// The suite to write; a checkpoint is written beside it
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    pub common: Common,
}

/// Nodes per move of the games unless another limit is given.
const NODES: u64 = 3_000;

/// The yield of one game.
#[derive(Serialize, Deserialize)]
struct Mined {
    /// Critical positions looked at.
    critical: usize,
    found: Vec<Found>,
}

/// The games so far, by number.
type MineState = BTreeMap<u32, Mined>;

impl Arguments {
    pub(crate) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        one_thread(options)?;
        let openings = self.play.openings()?;
        let mut settings = self.play.settings(options, NODES, &openings);
        for (name, value) in [
            ("check", self.check.to_string()),
            ("gap", self.gap.to_string()),
            ("least", self.least.to_string()),
        ] {
            settings.insert(name.to_owned(), value);
        }
        let mut checkpoint = Checkpoint::new(&self.out, "learn mine 4", settings);
        let mut state: MineState = checkpoint.resume()?;
        checkpoint.say_resuming(state.len(), "games");
        let stop = terminal::interrupt();
        let jobs = Jobs { count: self.play.jobs(), stop: &stop };
        let players = SelfPlay::new(options, openings, self.play.seed, jobs);
        self.mine(&players, &mut state, &mut checkpoint);
        // If the checkpoint cannot be written, the suite still should be.
        let written = checkpoint.write(&state);
        let harvest = self.harvest(&state);
        if !harvest.found.is_empty() {
            self.write(&harvest, out)?;
        }
        written?;
        let done = format!("{} of {} positions are found", harvest.found.len(), self.count);
        error_if_interrupted(&stop, &done)?;
        let enough = harvest.found.len() >= self.count as usize;
        if enough { Ok(()) } else { Err(Failure::Wrong(format!("{done}, and no more games are played"))) }
    }

    /// Plays games and checks their critical positions until there are enough.
    fn mine(&self, players: &SelfPlay, state: &mut MineState, checkpoint: &mut Checkpoint) {
        let stop = players.jobs.stop;
        let limits = self.play.limits(NODES);
        let demands = Demands { nodes: self.check, gap: self.gap, depth: self.least };
        let bar = terminal::progress(u64::from(self.count), "positions");
        let speed = Speed::since(state.len());
        let play = |(engine, judge): &mut (Engine, Judge), start| {
            let critical = Critical::default().play(engine, start, &limits, stop)?.examples;
            let mut found = Vec::new();
            for example in &critical {
                if stop.load(Ordering::Relaxed) {
                    return None;
                }
                found.extend(judge.judge(&example.position, &demands));
            }
            Some(Mined { critical: critical.len(), found })
        };
        players.run_until(
            state,
            || (players.engine(), Judge::new(players.options)),
            play,
            |state| {
                let Harvest { critical, found, .. } = self.harvest(state);
                bar.set_position(found.len() as u64);
                bar.set_message(format!("{critical} critical positions, {}", speed.of(state.len())));
                checkpoint.write_periodically(state);
                found.len() >= self.count as usize
            },
        );
        bar.finish_and_clear();
    }

    /// The positions of the first games that together have enough, each once.
    fn harvest<'a>(&self, state: &'a MineState) -> Harvest<'a> {
        let mut harvest = Harvest::default();
        let mut known = HashSet::new();
        for mined in in_a_row(state) {
            if harvest.found.len() >= self.count as usize {
                break;
            }
            harvest.games += 1;
            harvest.critical += mined.critical;
            harvest.found.extend(mined.found.iter().filter(|found| known.insert(&found.board)));
        }
        harvest.found.truncate(self.count as usize);
        harvest
    }

    /// Writes the suite, the easiest positions first, and prints its depths.
    fn write(&self, harvest: &Harvest, out: &mut impl Write) -> Result<(), Failure> {
        let mut found = harvest.found.clone();
        found.sort_by_key(|found| found.depth);
        let lines: Vec<String> =
            found.iter().zip(1..).map(|(found, number)| line(found, number) + "\n").collect();
        terminal::write_file(&self.out, lines.concat())?;
        let mut depths: BTreeMap<i32, usize> = BTreeMap::new();
        found.iter().for_each(|found| *depths.entry(found.depth).or_default() += 1);
        let mut table = Table::new(&["depth", "positions"]);
        for (depth, count) in depths {
            table.push([depth.to_string(), count.to_string()]);
        }
        write!(out, "{}", self.common.form.show(&table))?;
        let Harvest { games, critical, .. } = harvest;
        let counts = format!("kept {} of {critical} critical positions (games: {games})", found.len());
        self.common.form.remark(&counts, out)?;
        self.common.form.remark(&format!("written to {}", self.out.display()), out)?;
        Ok(())
    }
}

/// The yield of the first games in a row.
#[derive(Default)]
struct Harvest<'a> {
    games: usize,
    critical: usize,
    found: Vec<&'a Found>,
}
