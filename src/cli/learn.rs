//! `espalier learn`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Subcommand;

use super::{Assignments, Failure, terminal};
use crate::learn::rank_statistics::Collection;
use crate::limits::Limits;
use crate::options::Options;
use crate::position::Position;

/// Makes the tables that the search looks up, from games of the engine against itself
#[derive(Subcommand)]
pub enum Job {
    Rankcut(Rankcut),
}

impl Job {
    pub fn assignments(&self) -> &Assignments {
        match self {
            Self::Rankcut(arguments) => &arguments.set,
        }
    }

    pub fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        match self {
            Self::Rankcut(arguments) => arguments.run(options, out),
        }
    }
}

/// Counts in self-play how often late moves are best, for RankCut
#[derive(clap::Args)]
pub struct Rankcut {
    /// Games to play
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// Nodes to think about every move
    #[arg(long, default_value_t = 300_000)]
    nodes: u64,
    /// Games at once
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=512))]
    jobs: u32,
    /// Openings, one FEN a line
    #[arg(long, default_value = "epd/openings.epd")]
    openings: PathBuf,
    /// States seen less often than this are not written
    #[arg(long, default_value_t = 200)]
    least: u32,
    /// The file to write; the option RankCutFile reads it
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    pub set: Assignments,
}

impl Rankcut {
    fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        let Self { games, nodes, jobs, openings, least, out: path, .. } = self;
        let wrong = |error: io::Error, path: &Path| Failure::Wrong(format!("{}: {error}", path.display()));
        let text = std::fs::read_to_string(&openings).map_err(|error| wrong(error, &openings))?;
        let positions: Vec<Position> =
            text.lines().filter_map(|line| Position::from_fen(line, false).ok()).collect();
        if positions.is_empty() {
            return Err(Failure::Wrong(format!("{}: no opening positions", openings.display())));
        }
        let collection = Collection {
            options,
            openings: &positions,
            games: games as usize,
            limits: Limits::nodes(nodes),
            jobs: jobs as usize,
        };
        let bar = terminal::progress(u64::from(games), "games");
        let counts = collection.run(|done| bar.set_position(done as u64));
        bar.finish();
        terminal::write_file(&path, counts.to_bytes(least))?;
        let samples = options.selective.rank_cut.samples.max(1) as u32;
        writeln!(out, "{} states seen {samples} times or more", counts.seen_at_least(samples))?;
        writeln!(out, "written to {}", path.display())?;
        Ok(())
    }
}
