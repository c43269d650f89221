//! `espalier learn probcut`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::shared::{Checkpoint, Play, Speed, beside, error_if_interrupted, one_thread, read_part};
use crate::board::{GamePhase, Position};
use crate::cli::shared::{Common, whole};
use crate::cli::{Failure, terminal};
use crate::engine::Engine;
use crate::lab::experiments::fit_cells;
use crate::learn::checkpoint::RunSettings;
use crate::learn::games::{GameFiles, ReadOptions};
use crate::learn::regression::{self, DepthSample, Fitted, Picked};
use crate::options::Options;
use crate::parallel::{Jobs, Shard, parallel_map};
use crate::picture::{Chart, Series};
use crate::provenance::{Configuration, digest, version};
use crate::selective::prob_cut::HEADER;
use crate::self_play::{SelfPlay, in_a_row};
use crate::text_table::Table;

const EXAMPLES: &str = "\
Examples:
  espalier learn probcut --set Preset=Crafty --out probcut.txt
      a thousand positions a phase; probcut.svg shows depth 4 against depth 8
  espalier learn probcut --games data --set Preset=Crafty --out probcut.txt
      positions of games that `learn games` played
  espalier bench --depth 9 --set ProbCut=true --set ProbCutMulti=true --set ProbCutFile=probcut.txt
      uses the parameters

Without --nodes, --depth or --time games are played at 5,000 nodes a move.";

/// Predicts the value of a deep search from a shallow one (the parameters of ProbCut)
///
/// Positions of self-play games are searched to depth 8, some of them to 10 and a few to 12. For every phase
/// of the game and every pair of depths a straight line v_deep = a v_shallow + b is fitted, with the standard
/// deviation sigma of the error, and the share r² of the variance that the line explains.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Positions per phase of the game (opening, middle game, endgame)
    #[arg(long, alias = "positions", default_value_t = 1000, value_parser = whole::<u32>(20..))]
    count: u32,
    /// Positions of these that are searched to depth 10
    #[arg(long, default_value_t = 200, value_parser = whole::<u32>(0..))]
    deep: u32,
    /// Positions of these that are searched to depth 12
    #[arg(long, default_value_t = 50, value_parser = whole::<u32>(0..))]
    deepest: u32,
    /// Takes positions from these folders of `learn games` instead of playing games
    #[arg(long = "games", value_name = "DIR", num_args = 1..)]
    folders: Vec<PathBuf>,
    #[command(flatten)]
    play: Play,
    /// Searches only a part of the positions, such as 2/5 for the second of five (each part plays all games);
    /// --merge combines the parts
    #[arg(long, value_name = "K/N", default_value = "1/1", hide_default_value = true)]
    shard: Shard,
    /// Combines parts made with --shard and otherwise the same options: their --out files, each with its checkpoint
    /// beside it
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "shard")]
    merge: Vec<PathBuf>,
    /// The file to write; the option ProbCutFile reads it. A picture and a checkpoint are written beside it
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    pub common: Common,
}

/// Nodes per move of the games unless another limit is given.
const NODES: u64 = 5_000;

/// Kind and version of the checkpoint.
const KIND: &str = "learn probcut 2";

/// The state of a run, stored in its checkpoint.
#[derive(Default, Serialize, Deserialize)]
struct ProbCutState {
    /// Positions of the games so far, by the games' numbers.
    games: BTreeMap<u32, Vec<Picked>>,
    /// Search results of the chosen positions, by their index.
    samples: BTreeMap<usize, DepthSample>,
}

/// A borrowed [`ProbCutState`], to write a checkpoint while it changes.
#[derive(Serialize)]
struct ProbCutStateRef<'a> {
    games: &'a BTreeMap<u32, Vec<Picked>>,
    samples: &'a BTreeMap<usize, DepthSample>,
}

impl Arguments {
    pub(crate) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        one_thread(options)?;
        let picture = beside(&self.out, ".svg")?;
        let openings = if self.folders.is_empty() { self.play.openings()? } else { Vec::new() };
        let mut settings = self.play.settings(options, NODES, &openings);
        for (name, value) in [("positions", self.count), ("deep", self.deep), ("deepest", self.deepest)] {
            settings.insert(name.to_owned(), value.to_string());
        }
        let picked = self.picked()?;
        if let Some(picked) = &picked {
            let fens: String = picked.iter().map(|picked| picked.fen.clone() + "\n").collect();
            settings.insert("games".to_owned(), digest(fens.as_bytes()));
        }
        let parts = self.parts(&settings)?;
        if !self.shard.is_whole() {
            settings.insert("shard".to_owned(), self.shard.to_string());
        }
        let mut checkpoint = Checkpoint::new(&self.out, KIND, settings);
        let mut state: ProbCutState = checkpoint.resume()?;
        if let Some(parts) = parts {
            state = parts;
        }
        checkpoint.say_resuming(state.games.len(), "games");
        checkpoint.say_resuming(state.samples.len(), "searches");
        let stop = terminal::interrupt();
        let mut options = options.clone();
        options.selective.prob_cut.on = false;
        match picked {
            Some(picked) => state.games = BTreeMap::from([(0, picked)]),
            None => {
                let jobs = Jobs { count: self.play.jobs(), stop: &stop };
                let players = SelfPlay::new(&options, openings, self.play.seed, jobs);
                self.play_games(&players, &mut state, &mut checkpoint)?;
            }
        }
        self.search(&options, &mut state, &mut checkpoint, &stop)?;
        if !self.shard.is_whole() {
            let done =
                format!("part {} is finished: {} positions are searched", self.shard, state.samples.len());
            self.common.form.remark(&done, out)?;
            return Ok(());
        }
        self.report(&options, &state, &picture, out)
    }

    /// Merges the parts of `--merge`. It is an error if a part belongs to another run, or if a position is in two parts or
    /// in none.
    fn parts(&self, settings: &RunSettings) -> Result<Option<ProbCutState>, Failure> {
        let mut sum: Option<ProbCutState> = None;
        for path in &self.merge {
            let wrong = |what: String| Failure::Wrong(format!("{}: {what}", path.display()));
            let part: ProbCutState = read_part(path, KIND, settings, wrong)?;
            let Some(sum) = &mut sum else {
                sum = Some(part);
                continue;
            };
            if self.chosen(&sum.games) != self.chosen(&part.games) {
                return Err(wrong("its positions are others".to_owned()));
            }
            for (index, sample) in part.samples {
                if sum.samples.insert(index, sample).is_some() {
                    return Err(wrong(format!("position {index} is in another part, too")));
                }
            }
        }
        let missing = sum.as_ref().and_then(|sum| {
            (0..self.chosen(&sum.games).len()).find(|index| !sum.samples.contains_key(index))
        });
        match missing {
            Some(index) => Err(Failure::Wrong(format!("position {index} is in no part"))),
            None => Ok(sum),
        }
    }

    /// Positions from the folders of `--games`, if there are any.
    fn picked(&self) -> Result<Option<Vec<Picked>>, Failure> {
        if self.folders.is_empty() {
            return Ok(None);
        }
        let files = GameFiles::find(&self.folders).map_err(Failure::Wrong)?;
        let nothing_stops = AtomicBool::new(false);
        let reading = ReadOptions { seed: self.play.seed, jobs: self.play.jobs(), ..ReadOptions::default() };
        let found = files.samples(&reading, &nothing_stops)?;
        found.complaints().iter().for_each(terminal::say);
        Ok(Some(regression::pick_from(&found.training, self.count as usize)?))
    }

    /// The positions to search: the first of each phase.
    fn chosen<'a>(&self, games: &'a BTreeMap<u32, Vec<Picked>>) -> Vec<&'a Picked> {
        regression::chosen(in_a_row(games).flatten(), self.count as usize)
    }

    /// Plays games until there are enough positions of all three phases.
    fn play_games(
        &self,
        players: &SelfPlay,
        state: &mut ProbCutState,
        checkpoint: &mut Checkpoint,
    ) -> Result<(), Failure> {
        let stop = players.jobs.stop;
        let limits = self.play.limits(NODES);
        let wanted = 3 * u64::from(self.count);
        let bar = terminal::progress(wanted, "positions");
        let speed = Speed::since(state.games.len());
        let ProbCutState { games, samples } = state;
        players.run_until(
            games,
            || players.engine(),
            |engine, start| regression::pick(engine, start, &limits, self.play.seed, stop),
            |games| {
                let chosen = self.chosen(games).len() as u64;
                bar.set_position(chosen);
                bar.set_message(speed.of(games.len()));
                checkpoint.write_periodically(&ProbCutStateRef { games, samples });
                chosen >= wanted
            },
        );
        bar.finish_and_clear();
        checkpoint.write(state)?;
        error_if_interrupted(stop, &format!("{} games are played", state.games.len()))
    }

    /// The depth to search each position to; the first ones of each phase are searched deepest.
    fn depths(&self, positions: &[&Picked]) -> Vec<i32> {
        let mut seen = [0; 3];
        let depth = |picked: &&Picked| {
            let rank = &mut seen[picked.phase as usize];
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
        state: &mut ProbCutState,
        checkpoint: &mut Checkpoint,
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        let ProbCutState { games, samples } = state;
        let chosen = self.chosen(games);
        let read = |picked: &&Picked| {
            let fen = &picked.fen;
            Position::from_fen(fen, false).map_err(|error| checkpoint.wrong(&format!("{fen}: {error}")))
        };
        let positions: Vec<Position> = chosen.iter().map(read).collect::<Result<_, _>>()?;
        let depths = self.depths(&chosen);
        let ours = (0..positions.len()).filter(|index| self.shard.has(*index as u64));
        let missing: Vec<usize> = ours.filter(|index| !samples.contains_key(index)).collect();
        let bar = terminal::progress(positions.len() as u64, "positions");
        bar.set_position(samples.len() as u64);
        bar.reset_eta();
        parallel_map(
            Jobs { count: self.play.jobs(), stop },
            missing.into_iter(),
            || Engine::new(options.clone()),
            |engine, index| {
                let (position, depth) = (positions.get(index)?, *depths.get(index)?);
                Some((index, regression::sample(engine, position, depth)))
            },
            |(index, sample)| {
                samples.insert(index, sample);
                bar.set_position(samples.len() as u64);
                checkpoint.write_periodically(&ProbCutStateRef { games, samples });
            },
        );
        bar.finish_and_clear();
        let done = format!("{} of {} positions are searched", samples.len(), positions.len());
        checkpoint.write(state)?;
        error_if_interrupted(stop, &done)
    }

    /// Shows the regressions, and writes the file and the picture.
    fn report(
        &self,
        options: &Options,
        state: &ProbCutState,
        picture: &Path,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let samples: Vec<DepthSample> = state.samples.values().cloned().collect();
        let fitted = regression::fit(&samples);
        if fitted.is_empty() {
            return Err(Failure::Wrong("too few positions for a regression".to_owned()));
        }
        write!(out, "{}", self.common.form.show(&table(&fitted)))?;
        terminal::write_file(&self.out, self.text(options, &fitted))?;
        terminal::write_file(picture, chart(&samples).to_scatter_svg())?;
        let left_out: Vec<String> = regression::PAIRS
            .iter()
            .filter(|pair| !fitted.iter().any(|fitted| (fitted.fit.shallow, fitted.fit.deep) == **pair))
            .map(|(shallow, deep)| format!("({shallow},{deep})"))
            .collect();
        if !left_out.is_empty() {
            let least = regression::LEAST;
            terminal::say(format_args!(
                "note: no line for {}: fewer than {least} positions",
                left_out.join(" ")
            ));
        }
        let written = format!("written to {} and {}", self.out.display(), picture.display());
        self.common.form.remark(&written, out)?;
        Ok(())
    }

    /// Where the positions come from.
    fn source(&self) -> String {
        match self.folders.as_slice() {
            [] => format!("self-play at {} a move", self.play.pace(NODES)),
            folders => {
                let names: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
                format!("positions of {}", names.join(" "))
            }
        }
    }

    fn text(&self, options: &Options, fitted: &[Fitted]) -> String {
        let mut text = format!(
            "{HEADER}\n# phase shallow deep a b sigma # r² and positions\n\
             # espalier {}, {}, seed {}; searched with {}\n",
            version(),
            self.source(),
            self.play.seed,
            Configuration::of(options).changes(),
        );
        for Fitted { fit, r_squared, count } in fitted {
            text.push_str(&format!("{fit} # {r_squared:.3} {count}\n"));
        }
        text
    }
}

/// A row for each regression.
fn table(fitted: &[Fitted]) -> Table {
    let mut table = Table::new(&["phase", "shallow", "deep", "a", "b", "sigma", "r²", "positions"]);
    for Fitted { fit, r_squared, count } in fitted {
        table.push(fit_cells(fit).into_iter().chain([format!("{r_squared:.3}"), count.to_string()]));
    }
    table
}

/// Depth 4 against depth 8, with a colour for each phase.
fn chart(samples: &[DepthSample]) -> Chart {
    let (shallow, deep) = (4, 8);
    let near = |(x, y): &(f64, f64)| x.abs() < 600.0 && y.abs() < 600.0;
    let series = GamePhase::ALL.map(|phase| {
        Series::new(phase.name(), regression::points(samples, phase, shallow, deep).into_iter().filter(near))
    });
    Chart {
        title: "Values of a shallow and a deep search".to_owned(),
        x: format!("after {shallow} plies, in centipawns"),
        y: format!("after {deep} plies"),
        series: series.into_iter().filter(|series| !series.points.is_empty()).collect(),
        ..Chart::default()
    }
}
