//! `espalier learn games --report`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use indicatif::HumanBytes;

use crate::cli::shared::{TableForm, whole};
use crate::cli::{Failure, terminal};
use crate::learn::games::{Filter, GameFiles, GamesReport, ScoreBin, expected_points};
use crate::picture::{Chart, Series, panels};
use crate::text_table::{Table, thousands};

/// How a report is shown, and which positions it counts.
#[derive(clap::Args)]
pub(super) struct ReportArguments {
    #[command(flatten)]
    pub form: TableForm,
    /// With --report: where to write the charts [default: games.svg in the first folder; none with --json, --csv, --markdown]
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    picture: Option<PathBuf>,
    /// With --report: count positions from this ply on
    #[arg(long, value_name = "PLY", default_value_t = Filter::default().min_ply, conflicts_with = "out", value_parser = whole::<u32>(0..))]
    min_ply: u32,
    /// With --report: count positions with scores up to this
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = Filter::default().max_score, conflicts_with = "out", value_parser = whole::<i32>(0..))]
    max_score: i32,
    /// With --report: also count positions in check
    #[arg(long, conflicts_with = "out")]
    with_checks: bool,
    /// With --report: also count positions whose best move is a capture or promotion
    #[arg(long, conflicts_with = "out")]
    with_captures: bool,
    /// With --report: also count positions with mate scores
    #[arg(long, conflicts_with = "out")]
    with_mates: bool,
}

/// At most this many damaged places are shown.
const MOST_DAMAGES: usize = 10;

impl ReportArguments {
    fn filter(&self) -> Filter {
        Filter {
            min_ply: self.min_ply,
            max_score: self.max_score,
            quiet_king: !self.with_checks,
            quiet_move: !self.with_captures,
            undecided: !self.with_mates,
        }
    }

    pub(super) fn run(&self, places: &[PathBuf], jobs: usize, out: &mut impl Write) -> Result<(), Failure> {
        let files = GameFiles::find(places).map_err(Failure::Wrong)?;
        let stop = terminal::interrupt();
        let bar = terminal::progress(files.paths().len() as u64, "files");
        let report = GamesReport::of(&files, &self.filter(), jobs, &stop, || bar.inc(1));
        bar.finish_and_clear();
        if stop.load(Ordering::Relaxed) {
            return Err(Failure::Wrong("interrupted; no report".to_owned()));
        }
        if report.totals.games == 0 {
            report.damages.iter().for_each(terminal::say);
            let names: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
            return Err(Failure::Wrong(format!("{}: no whole game", names.join(", "))));
        }
        if self.form.json {
            serde_json::to_writer_pretty(&mut *out, &report).map_err(std::io::Error::from)?;
            writeln!(out)?;
        } else {
            print(&report, self.form, out)?;
        }
        self.draw(&report, places);
        let left_out = report.damages.iter().filter(|damage| damage.left_out).count();
        match (report.unsound, left_out) {
            (0, 0) => Ok(()),
            (0, files) => Err(Failure::Wrong(format!("{files} damaged files are left out"))),
            (bad, _) => Err(Failure::Wrong(format!("{} bad games", thousands(bad)))),
        }
    }

    /// Draws the charts. If that fails, a message says so and the report stands.
    fn draw(&self, report: &GamesReport, places: &[PathBuf]) {
        let folder = places.first().filter(|place| place.is_dir() && self.form.is_text());
        let usual = folder.map(|folder| folder.join("games.svg"));
        let Some(picture) = self.picture.clone().or(usual) else { return };
        match terminal::write_file(&picture, panels(&charts(report))) {
            Ok(()) => terminal::say(format!("the picture is {}", picture.display())),
            Err(Failure::Wrong(error)) => terminal::say(format!("no picture: {error}")),
            Err(Failure::Io(error)) => terminal::say(format!("no picture: {error}")),
            Err(Failure::Said) => {}
        }
    }
}

fn print(report: &GamesReport, form: TableForm, out: &mut impl Write) -> std::io::Result<()> {
    let totals = &report.totals;
    let tables = [
        ("endings", counted("ending", &report.endings, totals.games)),
        ("lengths", counted("plies from", &report.lengths, totals.games)),
        ("material", counted("pieces", &report.men, totals.positions)),
        ("scores", scores(report)),
        ("series", series(report)),
    ];
    if form.is_text() {
        write!(out, "{}", facts(report).to_text().trim_start())?;
    } else {
        print_titled("totals", &totals_in_numbers(report), form, out)?;
    }
    for (title, table) in tables {
        print_titled(title, &table, form, out)?;
    }
    for damage in report.damages.iter().take(MOST_DAMAGES) {
        form.remark(&format!("\n{damage}"), out)?;
    }
    Ok(())
}

fn print_titled(title: &str, table: &Table, form: TableForm, out: &mut impl Write) -> std::io::Result<()> {
    let head = if form.csv {
        format!("# {title}\n")
    } else if form.markdown {
        format!("## {title}\n\n")
    } else {
        format!("\n{title}\n")
    };
    let gap = if form.markdown { "\n" } else { "" };
    write!(out, "{head}{}{gap}", form.show(table))
}

/// The totals for CSV and Markdown.
fn totals_in_numbers(report: &GamesReport) -> Table {
    let totals = &report.totals;
    let mut table = Table::new(&["total", "value"]);
    let counts = [
        ("files", report.files as u64),
        ("bytes", totals.bytes),
        ("games", totals.games),
        ("plies", totals.plies),
        ("black wins", totals.results[0]),
        ("draws", totals.results[1]),
        ("white wins", totals.results[2]),
        ("usable positions", totals.positions),
        ("duplicates", report.duplicates),
        ("wrong results", report.wrong_results),
        ("unchecked results", report.unchecked),
        ("bad games", report.unsound),
    ];
    counts.into_iter().for_each(|(name, count)| table.push([name.to_owned(), count.to_string()]));
    let measured = [
        ("slope a centipawn", report.accuracy.slope),
        ("mean squared error", report.accuracy.error),
        ("mean squared error of a constant", report.accuracy.constant_error),
    ];
    measured.into_iter().for_each(|(name, value)| table.push([name.to_owned(), format!("{value:.6}")]));
    table
}

/// The totals for a terminal.
fn facts(report: &GamesReport) -> Table {
    let totals = &report.totals;
    let share = |part: u64, whole: u64| format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64);
    let mut facts = Table::new(&["", ""]);
    let mut fact = |name: &str, value: String| facts.push([name.to_owned(), value]);
    fact("files", format!("{} ({})", thousands(report.files as u64), HumanBytes(totals.bytes)));
    fact("games", thousands(totals.games));
    fact("plies", thousands(totals.plies));
    let [black, drawn, white] = totals.results.map(|count| share(count, totals.games));
    fact("results", format!("White {white}, drawn {drawn}, Black {black}"));
    let usable = share(totals.positions, totals.plies);
    fact("usable positions", format!("{} ({usable} of the plies)", thousands(totals.positions)));
    let twice = share(report.duplicates, totals.positions);
    fact("of these duplicates", format!("{} ({twice})", thousands(report.duplicates)));
    fact("bytes a usable position", format!("{:.2}", report.bytes_per_position()));
    let accuracy = &report.accuracy;
    fact("slope of score to result", format!("{:.5} a centipawn", accuracy.slope));
    if accuracy.slope > 0.0 {
        let three_quarters = 3_f64.ln() / accuracy.slope;
        fact("75 % of the points are scored at", format!("{three_quarters:.0} centipawns"));
    }
    let errors = format!("{:.4} (of a constant: {:.4})", accuracy.error, accuracy.constant_error);
    fact("mean squared error of that", errors);
    fact("moves", format!("legal in {} games", thousands(totals.games)));
    let checked = totals.games.saturating_sub(report.unchecked);
    let unchecked = match report.unchecked {
        0 => String::new(),
        games => format!(", {} cannot be checked", thousands(games)),
    };
    fact("results", format!("as the game ended in {}{unchecked}", thousands(checked - report.wrong_results)));
    if report.unsound > 0 {
        fact("bad games", thousands(report.unsound));
    }
    facts
}

fn counted<K: ToString>(name: &str, counts: &BTreeMap<K, u64>, whole: u64) -> Table {
    let mut table = Table::new(&[name, "count", "%"]);
    for (key, count) in counts {
        let percent = 100.0 * *count as f64 / whole.max(1) as f64;
        table.push([key.to_string(), thousands(*count), format!("{percent:.1}")]);
    }
    table
}

/// White's results by score, in steps of 250 centipawns; the chart has finer ones.
fn scores(report: &GamesReport) -> Table {
    const STEP: i32 = 250;
    let mut table = Table::new(&["score near", "positions", "%", "White scores %", "expected %"]);
    let mut bins: BTreeMap<i32, ScoreBin> = BTreeMap::new();
    for (score, bin) in &report.scores {
        let sum = bins.entry((score + STEP / 2).div_euclid(STEP) * STEP).or_default();
        sum.positions += bin.positions;
        sum.points += bin.points;
    }
    for (score, bin) in &bins {
        table.push([
            format!("{score:+}"),
            thousands(bin.positions),
            format!("{:.2}", 100.0 * bin.positions as f64 / report.totals.positions.max(1) as f64),
            format!("{:.1}", 100.0 * bin.points / bin.positions.max(1) as f64),
            format!("{:.1}", 100.0 * expected_points(report.accuracy.slope, f64::from(*score))),
        ]);
    }
    table
}

fn series(report: &GamesReport) -> Table {
    let mut table = Table::new(&["seed", "nodes", "games", "positions", "version", "options"]);
    for played in &report.series {
        table.push([
            played.seed.to_string(),
            thousands(played.nodes),
            thousands(played.games),
            thousands(played.positions),
            played.version.clone(),
            played.options.join(" "),
        ]);
    }
    table
}

fn charts(report: &GamesReport) -> [Chart; 4] {
    let chart = |title: &str, x: &str, y: &str, series: Vec<Series>| Chart {
        title: title.into(),
        x: x.into(),
        y: y.into(),
        series,
        ..Chart::default()
    };
    let seen = report.scores.iter().filter(|(_, bin)| bin.positions >= 20);
    let results = seen.map(|(score, bin)| (f64::from(*score), 100.0 * bin.points / bin.positions as f64));
    let slope = report.accuracy.slope;
    let fitted = report
        .scores
        .keys()
        .map(|score| (f64::from(*score), 100.0 * expected_points(slope, f64::from(*score))));
    let scored = vec![Series::new("played", results), Series::new("fitted", fitted)];
    let by_score = report.scores.iter().map(|(score, bin)| (f64::from(*score), bin.positions as f64));
    let by_men = report.men.iter().map(|(men, count)| (f64::from(*men), *count as f64));
    let by_length = report.lengths.iter().map(|(plies, count)| (*plies as f64, *count as f64));
    [
        chart("What a score is worth", "score in centipawns, seen by White", "White's points in %", scored),
        chart("Scores", "centipawns, seen by White", "positions", vec![Series::new("", by_score)]),
        chart("Material", "pieces on the board", "positions", vec![Series::new("", by_men)]),
        chart("Lengths", "plies after the opening", "games", vec![Series::new("", by_length)]),
    ]
}
