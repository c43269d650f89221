//! `espalier learn rankcut`.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::shared::{Checkpoint, Play, beside, error_if_interrupted, one_thread, read_part};
use crate::board::Position;
use crate::cli::shared::{Common, TableForm, whole};
use crate::cli::{Failure, terminal};
use crate::learn::checkpoint::RunSettings;
use crate::learn::rank_statistics::{Better, Collected, Collection, Movement, movement};
use crate::options::Options;
use crate::parallel::{Jobs, Shard};
use crate::picture::{Chart, Series};
use crate::provenance::{Configuration, version};
use crate::search::Learned;
use crate::selective::rank_cut::depth_and_number;
use crate::selective::rank_table::{self, RankCounts};
use crate::self_play::SelfPlay;
use crate::text_table::{Table, thousands};

const EXAMPLES: &str = "\
Examples:
  espalier learn rankcut --set Preset=Crafty --out ranks.bin
      fifty games at 300,000 nodes a move; ranks.svg shows the probability by move number
  espalier learn rankcut --set Preset=Crafty --games 500 --depth 10 --out ranks.bin
      more games, deeper; Ctrl-C keeps what was counted; run the same command to resume
  espalier learn rankcut --set Preset=Crafty --again --out ranks.bin
      then collects with RankCut on, round after round, until the table settles
  espalier bench --depth 9 --set Preset=RankCut --set RankCutFile=ranks.bin
      uses the table (at depth 7 and more below the root)
  espalier learn rankcut --show ranks.bin
      shows how a table was made

Without --nodes, --depth or --time: 300,000 nodes a move.";

/// Counts in self-play how often late moves turn out best (the table of RankCut)
///
/// RankCut (Lim & Lee, 2006) searches late moves shallower where statistics say that none of them will be
/// the best. The statistics are of one program's move ordering, so collect them with the options that will
/// use them. They are counted with RankCut off.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Games to play
    #[arg(long, default_value_t = 50, value_parser = whole::<u32>(1..))]
    games: u32,
    #[command(flatten)]
    play: Play,
    /// Also counts moves that are best so far but below alpha, where they cannot change the node
    #[arg(long)]
    below_alpha: bool,
    /// Leaves out states seen less often than this
    #[arg(long, default_value_t = 200, value_parser = whole::<u32>(0..))]
    least: u32,
    /// Repeats the collection with RankCut on until the table settles, at most this many times
    #[arg(long, value_name = "ROUNDS", num_args = 0..=1, default_missing_value = "5", value_parser = whole::<u32>(0..))]
    again: Option<u32>,
    /// The file to write; the option RankCutFile reads it. A picture and a checkpoint are written beside it
    #[arg(long, required_unless_present = "show")]
    out: Option<PathBuf>,
    /// Only a part of the games, such as 2/5 for the second of five; --merge combines the parts
    #[arg(
        long,
        value_name = "K/N",
        default_value = "1/1",
        hide_default_value = true,
        conflicts_with = "again"
    )]
    shard: Shard,
    /// Combines parts played with --shard and otherwise the same options: their files, each with its checkpoint
    /// beside it
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["shard", "again"])]
    merge: Vec<PathBuf>,
    /// Shows how a table was made; "built-in" for the one in this program
    #[arg(long, value_name = "FILE")]
    show: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common,
}

/// Nodes per move unless another limit is given.
const NODES: u64 = 300_000;

/// Kind and version of the checkpoint.
const KIND: &str = "learn rankcut 3";

/// A table has settled when less than this share of the samples changed sides in a round.
const SETTLED: f64 = 0.01;

/// The state of a run, stored in its checkpoint.
#[derive(Default, Serialize, Deserialize)]
struct RankCutState {
    /// Statistics of earlier rounds; the first round is played without RankCut.
    finished: Vec<RankCounts>,
    /// How much the probabilities moved from each round to the next.
    movements: Vec<Movement>,
    /// The current round so far.
    current: Collected,
}

impl Arguments {
    pub(crate) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        match (&self.show, &self.out) {
            (Some(path), _) => show(path, options, self.common.form, out),
            (None, Some(path)) => self.learn(path.clone(), options, out),
            (None, None) => Err(Failure::Wrong("--out FILE is missing".to_owned())),
        }
    }

    fn learn(&self, path: PathBuf, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        one_thread(options)?;
        let openings = self.play.openings()?;
        let mut settings = self.play.settings(options, NODES, &openings);
        settings.insert("better than".to_owned(), self.better_than().to_owned());
        let parts = self.parts(&settings)?;
        if !self.shard.is_whole() {
            settings.insert("shard".to_owned(), self.shard.to_string());
        }
        let mut run = RankCutRun {
            arguments: self,
            checkpoint: Checkpoint::new(&path, KIND, settings),
            openings,
            options,
            picture: beside(&path, ".svg")?,
            path,
            last: None,
        };
        let mut state: RankCutState = run.checkpoint.resume()?;
        if let Some(current) = parts {
            state = RankCutState { current, ..RankCutState::default() };
        }
        run.checkpoint.say_resuming(state.current.games.len(), "games");
        let stop = terminal::interrupt();
        let rounds = self.again.unwrap_or(0) as usize;
        loop {
            let collected = run.round(&mut state, &stop);
            let ours = (0..self.games).filter(|game| self.shard.has(u64::from(*game))).count();
            let whole = state.current.games.len() >= ours;
            // An unfinished round must not replace the table of a finished one.
            if whole || state.finished.is_empty() {
                run.report(&mut state, out)?;
            }
            collected?;
            if stop.load(Ordering::Relaxed) || state.finished.len() >= rounds || run.settled(&state, out)? {
                break;
            }
            let counts = std::mem::take(&mut state.current).counts;
            state.finished.push(counts);
            run.checkpoint.write(&state)?;
        }
        // JSON, CSV and Markdown get only the table of the last round.
        if !self.common.form.is_text()
            && let Some(table) = &run.last
        {
            write!(out, "{}", self.common.form.show(table))?;
        }
        let played = state.current.games.len();
        error_if_interrupted(&stop, &format!("{played} of {} games of this round are counted", self.games))
    }
}

impl Arguments {
    /// Merges the parts of `--merge`. It is an error if a part belongs to another run, or if games are missing.
    fn parts(&self, settings: &RunSettings) -> Result<Option<Collected>, Failure> {
        if self.merge.is_empty() {
            return Ok(None);
        }
        let mut sum = Collected::default();
        for path in &self.merge {
            let wrong = |what: String| Failure::Wrong(format!("{}: {what}", path.display()));
            let state: RankCutState = read_part(path, KIND, settings, wrong)?;
            sum.merge(&state.current).map_err(wrong)?;
        }
        match (0..self.games).find(|game| !sum.games.contains(game)) {
            Some(game) => Err(Failure::Wrong(format!("game {game} of {} is in no part", self.games))),
            None => Ok(Some(sum)),
        }
    }

    fn better(&self) -> Better {
        if self.below_alpha { Better::ThanBest } else { Better::ThanAlpha }
    }

    /// What a move must beat to be counted, in words.
    fn better_than(&self) -> &'static str {
        match self.better() {
            Better::ThanAlpha => "alpha and the best",
            Better::ThanBest => "the best",
        }
    }
}

/// What all rounds of a run need.
struct RankCutRun<'a> {
    arguments: &'a Arguments,
    options: &'a Options,
    openings: Vec<Position>,
    checkpoint: Checkpoint,
    path: PathBuf,
    picture: PathBuf,
    /// The table of the last round that was reported.
    last: Option<Table>,
}

impl RankCutRun<'_> {
    /// Collects until the games of this round are played.
    fn round(&mut self, state: &mut RankCutState, stop: &AtomicBool) -> Result<(), Failure> {
        let play = &self.arguments.play;
        let mut options = self.options.clone();
        options.selective.rank_cut.on = !state.finished.is_empty();
        let jobs = Jobs { count: play.jobs(), stop };
        let mut players = SelfPlay::new(&options, self.openings.clone(), play.seed, jobs);
        if let Some(counts) = state.finished.last() {
            let learned = Learned::load(self.options.learned_files()).map_err(Failure::Wrong)?;
            players.learned = Some(Arc::new(learned.with_ranks(counts, samples(self.options))));
        }
        let bar = terminal::progress(u64::from(self.arguments.games), "games");
        bar.set_position(state.current.games.len() as u64);
        bar.reset_eta();
        let began = (std::time::Instant::now(), state.current.nodes);
        // The checkpoint holds the whole state, of which the games change only the current round.
        let RankCutState { finished, movements, current } = state;
        let limits = play.limits(NODES);
        let Arguments { games, shard, .. } = *self.arguments;
        let collection =
            Collection { players: &players, games, limits: &limits, better: self.arguments.better(), shard };
        collection.collect(current, |current| {
            let speed = (current.nodes - began.1) as f64 / began.0.elapsed().as_secs_f64().max(1e-3);
            bar.set_position(current.games.len() as u64);
            bar.set_message(format!("{} positions, {:.2} million nodes/s", current.positions, speed / 1e6));
            self.checkpoint.write_periodically(&RankCutStateRef { finished, movements, current });
        });
        bar.finish_and_clear();
        self.checkpoint.write(state)
    }

    /// Whether another round would show nothing new; says so if it is.
    fn settled(&self, state: &RankCutState, out: &mut impl Write) -> Result<bool, Failure> {
        let rule = &self.options.selective.rank_cut;
        let why = match state.movements.last() {
            None if self.known(&state.current.counts) == 0 => "another round would be the same",
            Some(Movement { states: 0, .. }) => "there is nothing to compare",
            Some(Movement { crossed, .. }) if *crossed < SETTLED => "the table has settled",
            _ => return Ok(false),
        };
        let why = format!("no more rounds: {why} (states of depth {} and more)", rule.depth);
        self.arguments.common.form.remark(&why, out)?;
        Ok(true)
    }

    /// Number of states in which RankCut can act.
    fn known(&self, counts: &RankCounts) -> usize {
        let acts = |index: usize| depth_and_number(index).0 >= self.options.selective.rank_cut.depth;
        counts.iter_seen(samples(self.options)).filter(|(index, _)| acts(*index)).count()
    }

    /// Reports the counts, and writes the table and the picture.
    fn report(&mut self, state: &mut RankCutState, out: &mut impl Write) -> Result<(), Failure> {
        let (counts, form) = (&state.current.counts, self.arguments.common.form);
        if let Some(before) = state.finished.last() {
            let moved = movement(before, counts, &self.options.selective.rank_cut);
            state.movements.truncate(state.finished.len() - 1);
            state.movements.push(moved);
            let round = format!(
                "round {}: {} states of depth {} and more compared, probabilities moved by {:.3} points on \
                 average ({:.3} by chance alone), {:.2} % of the samples changed sides",
                state.finished.len(),
                moved.states,
                self.options.selective.rank_cut.depth,
                100.0 * moved.mean,
                100.0 * moved.chance,
                100.0 * moved.crossed,
            );
            form.remark(&round, out)?;
        }
        let note = self.note(state);
        let bytes = counts.to_bytes(&note, self.arguments.least);
        terminal::write_file(&self.path, &bytes)?;
        terminal::write_file(&self.picture, chart(counts, samples(self.options)).to_svg())?;
        // The file leaves out states that were seen too seldom, so report what it holds.
        let written = RankCounts::from_bytes(&bytes).map_err(|error| Failure::Wrong(error.to_string()))?;
        let table = summary(&written, self.options);
        if form.is_text() {
            write!(out, "{}", form.show(&table))?;
        }
        self.last = Some(table);
        form.remark(&seen_often(&written, self.options), out)?;
        if self.known(&written) == 0 {
            let (depth, samples) = (self.options.selective.rank_cut.depth, samples(self.options));
            terminal::say(format_args!(
                "note: no state of depth {depth} or more was seen {samples} times, so RankCut would never act \
                 with this table; more games or more nodes a move make it larger"
            ));
        }
        form.remark(&note, out)?;
        let written = format!("written to {} and {}", self.path.display(), self.picture.display());
        form.remark(&written, out)?;
        Ok(())
    }

    /// How the table was made.
    fn note(&self, state: &RankCutState) -> String {
        let Collected { games, positions, nodes, .. } = &state.current;
        let mut note = format!(
            "espalier {}, {} games, {} a move, {positions} positions, {nodes} nodes, \
             better than {}, seed {}",
            version(),
            games.len(),
            self.arguments.play.pace(NODES),
            self.arguments.better_than(),
            self.arguments.play.seed,
        );
        if !state.finished.is_empty() {
            note.push_str(&format!(", RankCut on (round {})", state.finished.len()));
        }
        for change in Configuration::of(self.options).changed() {
            note.push_str(&format!(", {change}"));
        }
        note
    }
}

/// RankCut ignores states seen less often than this.
fn samples(options: &Options) -> u32 {
    options.selective.rank_cut.samples.max(1) as u32
}

/// A borrowed [`RankCutState`], to write a checkpoint while it changes.
#[derive(Serialize)]
struct RankCutStateRef<'a> {
    finished: &'a [RankCounts],
    movements: &'a [Movement],
    current: &'a Collected,
}

fn show(
    path: &std::path::Path,
    options: &Options,
    form: TableForm,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let wrong = |what: String| Failure::Wrong(format!("{}: {what}", path.display()));
    let (note, counts) = if path.as_os_str() == "built-in" {
        (rank_table::built_in_note(), rank_table::built_in())
    } else {
        let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
        let refused = |error: rank_table::TableError| wrong(error.to_string());
        (rank_table::note(&bytes).map_err(refused)?, RankCounts::from_bytes(&bytes).map_err(refused)?)
    };
    write!(out, "{}", form.show(&summary(&counts, options)))?;
    form.remark(&seen_often(&counts, options), out)?;
    form.remark(&note, out)?;
    Ok(())
}

/// Samples by depth, the states seen often enough, and how many of these would be cut.
fn summary(counts: &RankCounts, options: &Options) -> Table {
    let (samples, threshold) = (samples(options), options.selective.rank_cut.probability());
    let (seen, below) = (format!("seen {samples} times"), format!("below {:.2} %", 100.0 * threshold));
    let mut table = Table::new(&["depth", "samples", &seen, &below]);
    for depth in 3..=16 {
        let here = || counts.iter_seen(1).filter(move |(index, _)| depth_and_number(*index).0 == depth);
        let samples_here: u64 = here().map(|(_, count)| u64::from(count.seen)).sum();
        let known = || here().filter(|(_, count)| count.seen >= samples);
        let low = known().filter(|(_, count)| count.probability() < threshold).count();
        if samples_here > 0 {
            let states = known().count();
            table.push([
                depth.to_string(),
                thousands(samples_here),
                thousands(states as u64),
                thousands(low as u64),
            ]);
        }
    }
    table
}

/// The number of states seen often enough, in words.
fn seen_often(counts: &RankCounts, options: &Options) -> String {
    let samples = samples(options);
    format!("{} states seen {samples} times or more", thousands(counts.seen_at_least(samples) as u64))
}

/// The probability that this or a later move becomes the best, by move number, with a line for each depth.
fn chart(counts: &RankCounts, samples: u32) -> Chart {
    let series = [3, 4, 5, 6, 7, 8, 10].map(|depth| {
        let mut sums = [(0_u64, 0_u64); 65];
        for (index, count) in counts.iter_seen(1) {
            let (here, number) = depth_and_number(index);
            if here == depth {
                sums[number].0 += u64::from(count.better);
                sums[number].1 += u64::from(count.seen);
            }
        }
        let points = sums.iter().enumerate().filter(|(_, (_, seen))| *seen >= u64::from(samples));
        Series::new(
            format!("depth {depth}"),
            points.map(|(number, (better, seen))| (number as f64, 100.0 * *better as f64 / *seen as f64)),
        )
    });
    Chart {
        title: "How likely this or a later move becomes the best".to_owned(),
        x: "move number".to_owned(),
        y: "probability in %".to_owned(),
        series: series.into_iter().filter(|series| !series.points.is_empty()).collect(),
        ..Chart::default()
    }
}
