//! `espalier learn probcut`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::shared::{Checkpoint, Play, said_if_interrupted};
use crate::cli::{Assignments, Failure, terminal};
use crate::engine::Engine;
use crate::learn::checkpoint;
use crate::learn::pool::share_out;
use crate::learn::regression::{self, Fitted, Sample};
use crate::learn::self_play::SelfPlay;
use crate::options::Options;
use crate::picture::{Chart, Series};
use crate::position::Position;
use crate::selective::Stage;
use crate::selective::prob_cut::HEADER;

const EXAMPLES: &str = "\
Examples:
  espalier learn probcut --set Preset=Crafty --out probcut.txt
      a thousand positions a stage; probcut.svg shows depth 4 against depth 8
  espalier bench --depth 9 --set ProbCut=true --set ProbCutMulti=true --set ProbCutFile=probcut.txt
      uses the parameters

Without --nodes, --depth or --time games are played at 5,000 nodes a move.";

/// Fits the value of a deep search to that of a shallow one: the parameters of ProbCut
///
/// Positions of self-play games are searched to depth 8, some of them to 10 and a few to 12. For every stage
/// of the game and every pair of depths a straight line v_deep = a v_shallow + b is fitted, with the standard
/// deviation sigma of the error, and the share r² of the variance that the line explains.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Positions a stage of the game (opening, middle game, endgame)
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(20..))]
    positions: u32,
    /// How many of them are searched to depth 10
    #[arg(long, default_value_t = 200)]
    deep: u32,
    /// How many of those are searched to depth 12
    #[arg(long, default_value_t = 50)]
    deepest: u32,
    #[command(flatten)]
    play: Play,
    /// The file to write; the option ProbCutFile reads it. A picture and a checkpoint are put beside it
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    pub set: Assignments,
}

/// Nodes a move of the games if nothing else is said.
const NODES: u64 = 5_000;
/// Games after which no more positions of a stage are waited for.
const MOST_GAMES: u32 = 10_000;

/// Where a run stands.
#[derive(Default, Serialize, Deserialize)]
struct State {
    /// The positions, once they are known.
    positions: Vec<String>,
    /// What was found in them, by their place in the list.
    samples: BTreeMap<usize, Sample>,
}

impl Arguments {
    pub fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        let mut settings = checkpoint::settings_of(options);
        self.play.describe(NODES, &mut settings);
        for (name, value) in [("positions", self.positions), ("deep", self.deep), ("deepest", self.deepest)] {
            settings.insert(name.to_owned(), value.to_string());
        }
        let mut checkpoint = Checkpoint::new(&self.out, "learn probcut 1", settings);
        let mut state: State = checkpoint.read()?;
        let stop = terminal::interrupt();
        let mut options = options.clone();
        options.selective.prob_cut.on = false;
        if state.positions.is_empty() {
            state.positions = self.positions(&options, &stop)?;
            checkpoint.write(&state)?;
        }
        self.search(&options, &mut state, &mut checkpoint, &stop)?;
        checkpoint.write(&state)?;
        let done = format!("{} of {} positions are searched", state.samples.len(), state.positions.len());
        said_if_interrupted(&stop, &done)?;
        self.report(&options, &state, out)
    }

    /// Positions of games, three stages of them.
    fn positions(&self, options: &Options, stop: &AtomicBool) -> Result<Vec<String>, Failure> {
        let players = SelfPlay::new(options, self.play.openings()?, self.play.seed, self.play.jobs());
        let wanted = self.positions as usize;
        let bar = terminal::progress(3 * u64::from(self.positions), "positions");
        let amount = (wanted, MOST_GAMES);
        let found = regression::positions(&players, &self.play.limits(NODES), amount, stop, |counts| {
            bar.set_position(counts.iter().map(|count| (*count).min(wanted) as u64).sum());
        });
        bar.finish_and_clear();
        if stop.load(Ordering::Relaxed) {
            let what = "interrupted while the games were played that positions are taken from; the same command plays them again";
            return Err(Failure::Wrong(what.to_owned()));
        }
        Ok(found.iter().map(Position::fen).collect())
    }

    /// How deep to search each position: the first of a stage deepest.
    fn depths(&self, positions: &[Position]) -> Vec<i32> {
        let mut seen = [0; 3];
        let depth = |position: &Position| {
            let rank = &mut seen[regression::stage(position) as usize];
            *rank += 1;
            match *rank {
                rank if rank <= self.deepest => 12,
                rank if rank <= self.deep => 10,
                _ => 8,
            }
        };
        positions.iter().map(depth).collect()
    }

    fn search(
        &self,
        options: &Options,
        state: &mut State,
        checkpoint: &mut Checkpoint,
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        let read = |fen: &String| {
            Position::from_fen(fen, false).map_err(|error| Failure::Wrong(format!("{fen}: {error}")))
        };
        let positions: Vec<Position> = state.positions.iter().map(read).collect::<Result<_, _>>()?;
        let depths = self.depths(&positions);
        let missing: Vec<usize> =
            (0..positions.len()).filter(|index| !state.samples.contains_key(index)).collect();
        let bar = terminal::progress(positions.len() as u64, "positions");
        bar.set_position(state.samples.len() as u64);
        bar.reset_eta();
        share_out(
            self.play.jobs(),
            missing.into_iter(),
            stop,
            || Engine::new(options.clone()),
            |engine, index| {
                let (position, depth) = (positions.get(index)?, *depths.get(index)?);
                Some((index, regression::sample(engine, position, depth)))
            },
            |(index, sample)| {
                state.samples.insert(index, sample);
                bar.set_position(state.samples.len() as u64);
                checkpoint.write_now_and_then(&*state);
            },
        );
        bar.finish_and_clear();
        Ok(())
    }

    /// Shows the regressions, and writes the file and the picture.
    fn report(&self, options: &Options, state: &State, out: &mut impl Write) -> Result<(), Failure> {
        let samples: Vec<Sample> = state.samples.values().cloned().collect();
        let fitted = regression::fit(&samples);
        if fitted.is_empty() {
            return Err(Failure::Wrong("too few positions for a regression".to_owned()));
        }
        writeln!(out, "stage    pair          a        b    sigma     r²  positions")?;
        for Fitted { fit, r_squared, count } in &fitted {
            let pair = format!("({},{})", fit.shallow, fit.deep);
            writeln!(
                out,
                "{:<8} {pair:<7} {:>7.3} {:>8.1} {:>8.1} {r_squared:>6.3} {count:>10}",
                fit.stage.name(),
                fit.a,
                fit.b,
                fit.sigma
            )?;
        }
        let picture = self.out.with_extension("svg");
        terminal::write_file(&self.out, self.text(options, &fitted))?;
        terminal::write_file(&picture, chart(&samples).to_scatter_svg())?;
        writeln!(out, "written to {} and {}", self.out.display(), picture.display())?;
        Ok(())
    }

    fn text(&self, options: &Options, fitted: &[Fitted]) -> String {
        let assignments: Vec<String> =
            checkpoint::assignments(options).iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut text = format!(
            "{HEADER}\n# stage shallow deep a b sigma # r² and positions\n\
             # espalier {}, self-play at {} a move, seed {}; searched with {}\n",
            env!("CARGO_PKG_VERSION"),
            self.play.pace(NODES),
            self.play.seed,
            if assignments.is_empty() { "the defaults".to_owned() } else { assignments.join(", ") },
        );
        for Fitted { fit, r_squared, count } in fitted {
            text.push_str(&format!("{fit} # {r_squared:.3} {count}\n"));
        }
        text
    }
}

/// Depth 4 against depth 8, a colour for every stage.
fn chart(samples: &[Sample]) -> Chart {
    let pair = (4, 8);
    let near = |(x, y): &(f64, f64)| x.abs() < 600.0 && y.abs() < 600.0;
    let series = Stage::ALL.map(|stage| {
        Series::new(stage.name(), regression::points(samples, stage, pair).into_iter().filter(near))
    });
    Chart {
        title: "Values of a shallow and a deep search".to_owned(),
        x: format!("after {} plies, in centipawns", pair.0),
        y: format!("after {} plies", pair.1),
        series: series.into_iter().filter(|series| !series.points.is_empty()).collect(),
        ..Chart::default()
    }
}
