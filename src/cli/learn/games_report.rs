//! `espalier learn games --report`.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use indicatif::HumanBytes;

use crate::cli::{Failure, terminal};
use crate::learn::games::{Filter, GameFiles, Report, expected_points};
use crate::picture::{Chart, Series, panels};
use crate::text_table::{Table, thousands};

/// How a report is shown, and which positions it counts.
#[derive(clap::Args)]
pub struct ReportArguments {
    /// With --report: prints JSON
    #[arg(long, requires = "report")]
    json: bool,
    /// With --report: the picture to draw; games.svg in the (first) folder if not given
    #[arg(long, value_name = "FILE", requires = "report")]
    picture: Option<PathBuf>,
    /// With --report: counts positions from this ply on
    #[arg(long, value_name = "PLY", default_value_t = Filter::default().min_ply, requires = "report")]
    min_ply: u32,
    /// With --report: counts positions up to this score, in centipawns
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = Filter::default().max_score, requires = "report")]
    max_score: i32,
    /// With --report: counts positions with the mover in check too
    #[arg(long, requires = "report")]
    with_checks: bool,
    /// With --report: counts positions whose best move is a capture or promotion too
    #[arg(long, requires = "report")]
    with_captures: bool,
    /// With --report: counts positions with mate scores too
    #[arg(long, requires = "report")]
    with_mates: bool,
}

/// So many defects are shown.
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

    pub fn run(&self, places: &[PathBuf], jobs: usize, out: &mut impl Write) -> Result<(), Failure> {
        let files = GameFiles::find(places).map_err(Failure::Wrong)?;
        let stop = terminal::interrupt();
        let bar = terminal::progress(files.paths().len() as u64, "files");
        let report = Report::of(&files, &self.filter(), jobs, &stop, || bar.inc(1));
        bar.finish_and_clear();
        if stop.load(Ordering::Relaxed) {
            return Err(Failure::Wrong("interrupted; a report of half the games would mislead".to_owned()));
        }
        let folder = places.first().filter(|place| place.is_dir()).cloned().unwrap_or_default();
        let picture = self.picture.clone().unwrap_or_else(|| folder.join("games.svg"));
        terminal::write_file(&picture, panels(&charts(&report)))?;
        if self.json {
            serde_json::to_writer_pretty(&mut *out, &report).map_err(std::io::Error::from)?;
            writeln!(out)?;
        } else {
            print(&report, out)?;
            writeln!(out, "picture: {}", picture.display())?;
        }
        match report.unsound {
            0 => Ok(()),
            bad => Err(Failure::Wrong(format!("{} games are not sound", thousands(bad)))),
        }
    }
}

fn print(report: &Report, out: &mut impl Write) -> std::io::Result<()> {
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
    fact("of these more than once", format!("{} ({twice})", thousands(report.duplicates)));
    fact("bytes a usable position", format!("{:.2}", report.bytes_per_position()));
    let accuracy = &report.accuracy;
    fact("slope of score to result", format!("{:.5} a centipawn", accuracy.slope));
    if accuracy.slope > 0.0 {
        let three_quarters = 3_f64.ln() / accuracy.slope;
        fact("75 % of the points are scored at", format!("{three_quarters:.0} centipawns"));
    }
    let errors = format!("{:.4} (of a constant: {:.4})", accuracy.error, accuracy.constant_error);
    fact("mean squared error of that", errors);
    let sound = match report.unsound {
        0 => "every move legal, every result as the game ended".to_owned(),
        bad => format!("{} games with an illegal move or a wrong result", thousands(bad)),
    };
    fact("sound", sound);
    write!(out, "{}", facts.to_text().trim_start())?;
    for (title, table) in [
        ("endings", counted("ending", &report.endings, totals.games)),
        ("lengths", counted("plies from", &report.lengths, totals.games)),
        ("material", counted("men", &report.men, totals.positions)),
        ("scores", scores(report)),
        ("series", series(report)),
    ] {
        writeln!(out, "\n{title}\n{}", table.to_text().trim_end())?;
    }
    for damage in report.damages.iter().take(MOST_DAMAGES) {
        writeln!(out, "\n{damage}")?;
    }
    Ok(())
}

fn counted<K: ToString>(name: &str, counts: &std::collections::BTreeMap<K, u64>, whole: u64) -> Table {
    let mut table = Table::new(&[name, "count", "%"]);
    for (key, count) in counts {
        let percent = 100.0 * *count as f64 / whole.max(1) as f64;
        table.push([key.to_string(), thousands(*count), format!("{percent:.1}")]);
    }
    table
}

/// In steps of 250 centipawns; the picture has more.
fn scores(report: &Report) -> Table {
    let mut table = Table::new(&["score", "positions", "%", "White scores %", "expected %"]);
    for (score, bin) in report.scores.iter().filter(|(score, _)| **score % 250 == 0) {
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

fn series(report: &Report) -> Table {
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

fn charts(report: &Report) -> [Chart; 4] {
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
        chart("Material", "men on the board", "positions", vec![Series::new("", by_men)]),
        chart("Lengths", "plies after the opening", "games", vec![Series::new("", by_length)]),
    ]
}
