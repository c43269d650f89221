//! `espalier tree`: records searches, and opens, prints and checks recordings.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Subcommand;
use serde_json::json;

use super::shared::{Common, PositionArguments, duration, whole};
use super::tree_diff::Diff;
use super::tree_text::{Shown, dump, with_plain_blanks};
use super::{Assignments, Failure, terminal};
use crate::board::Game;
use crate::engine::Engine;
use crate::files::may_be_replaced;
use crate::limits::Limits;
use crate::options::Options;
use crate::search::{Outcome, Report, Search};
use crate::tree::{self, FileError, Keep, Recording, Tree, page};

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::Wrong(error.to_string())
    }
}

/// Records the tree of a search and shows it in a browser
#[derive(Subcommand)]
#[command(after_help = "Examples:
  espalier tree record --depth 8 --out start.tree
  espalier tree view start.tree --open
      writes start.html and opens it
  espalier tree record --depth 8 --set MultiCut=true --out cut.tree
  espalier tree view start.tree cut.tree
      one page that compares the two
  espalier tree diff start.tree cut.tree
      the same in words
  espalier tree show start.tree --line \"e4 e5\"
  espalier tree import events.jsonl --out other.tree
      the tree of another engine")]
pub(super) enum TreeCommand {
    Record(RecordArguments),
    View(ViewArguments),
    Show(Show),
    Dump(Dump),
    Check(Check),
    Diff(Diff),
    Import(ImportArguments),
}

impl TreeCommand {
    pub(super) fn assignments(&self) -> &Assignments {
        match self {
            Self::Record(arguments) => &arguments.set,
            Self::View(arguments) => &arguments.set,
            Self::Show(arguments) => &arguments.common.set,
            Self::Dump(arguments) => &arguments.set,
            Self::Check(arguments) => &arguments.set,
            Self::Diff(arguments) => &arguments.common.set,
            Self::Import(arguments) => &arguments.set,
        }
    }

    pub(super) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        match self {
            Self::Record(arguments) => arguments.run(options, out),
            Self::View(arguments) => arguments.run(out),
            Self::Show(arguments) => arguments.run(out),
            Self::Dump(arguments) => arguments.run(out),
            Self::Check(arguments) => arguments.run(out),
            Self::Diff(arguments) => arguments.run(out),
            Self::Import(arguments) => arguments.run(out),
        }
    }
}

/// Searches a position and writes the tree of its last iteration to a file
#[derive(clap::Args)]
#[command(
    group = clap::ArgGroup::new("limit").required(true).multiple(true).args(["depth", "nodes", "time"]),
    after_help = "Ctrl-C ends the search and writes what was searched so far."
)]
pub(super) struct RecordArguments {
    #[command(flatten)]
    position: PositionArguments,
    /// Plies to search
    #[arg(long, value_parser = whole::<i32>(1..=120))]
    depth: Option<i32>,
    /// Nodes to search
    #[arg(long, value_parser = whole::<u64>(1..))]
    nodes: Option<u64>,
    /// Time to search, such as 100ms or 2s
    #[arg(long, value_parser = duration)]
    time: Option<Duration>,
    /// Writes the trees of all iterations
    #[arg(long)]
    all: bool,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Prints JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub set: Assignments,
}

impl RecordArguments {
    fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        let game = self.game(options)?;
        let stop = terminal::interrupt();
        let bar = terminal::progress(0, "");
        bar.set_style(indicatif::ProgressStyle::default_spinner());
        let mut engine = Engine::new(options.clone());
        engine.set_game(game);
        let limits =
            Limits { depth: self.depth, nodes: self.nodes, move_time: self.time, ..Limits::default() };
        let told = bar.clone();
        let search = Search::new(limits).listener(move |report| {
            if let Report::Line(line, effort) = report {
                told.set_message(format!("depth {}  {} nodes", line.depth, effort.nodes));
                told.tick();
            }
        });
        let keep = if self.all { Keep::All } else { Keep::Last };
        let outcome = engine.start(tree::recorded(search, &engine, &self.out, keep)).wait_or(&stop);
        bar.finish_and_clear();
        self.report(&outcome, out)
    }

    fn game(&self, options: &Options) -> Result<Game, Failure> {
        let game = self.position.game(options.chess960)?;
        if game.position().legal_moves().is_empty() {
            let fen = game.position().fen();
            return Err(Failure::Wrong(format!("there is nothing to search in {fen}")));
        }
        Ok(game)
    }

    fn report(&self, outcome: &Outcome, out: &mut impl Write) -> Result<(), Failure> {
        if let Some(what) = &outcome.panicked {
            return Err(Failure::Wrong(format!("the search failed: {what}")));
        }
        let written = match &outcome.recorded {
            Some(Ok(written)) => written,
            Some(Err(what)) => return Err(Failure::Wrong(what.clone())),
            None => return Err(Failure::Wrong("nothing was recorded".to_owned())),
        };
        if self.json {
            let path = written.path.to_string_lossy();
            let (trees, nodes, bytes) = (written.trees, written.nodes, written.bytes);
            let record = json!({ "file": path, "trees": trees, "nodes": nodes, "bytes": bytes,
                "searched": outcome.effort.nodes, "milliseconds": outcome.effort.time.as_millis() as u64 });
            writeln!(out, "{record}")?;
        } else {
            let score = outcome.score().map_or_else(String::new, |score| format!("{score}; "));
            writeln!(out, "{score}{written}")?;
        }
        if let Some(note) = &written.note {
            return Err(Failure::Wrong(note.clone()));
        }
        Ok(())
    }
}

/// Writes a page that shows a recording, or compares two, in any browser
#[derive(clap::Args)]
#[command(
    after_help = "Recordings up to 8 MiB become part of the page. Larger ones are opened from it with a button, and it reads only what it shows. Without FILE the page is empty and opens any recording."
)]
pub(super) struct ViewArguments {
    /// One recording, or two of the same position
    #[arg(value_name = "FILE", num_args = 0..=2)]
    files: Vec<PathBuf>,
    /// The page to write [default: a new file beside the recording, named after it]
    #[arg(long, value_name = "PAGE")]
    out: Option<PathBuf>,
    /// Opens the page in the browser
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    pub set: Assignments,
}

impl ViewArguments {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        for path in &self.files {
            check(&Recording::open(path)?)?;
        }
        let page = self.out.unwrap_or_else(|| new_page(&self.files));
        if self.files.contains(&page) {
            return Err(Failure::Wrong(format!("{} is the recording itself", page.display())));
        }
        if !std::fs::metadata(&page).is_ok_and(|there| !there.is_file()) {
            may_be_replaced(&page, page::is_page)
                .map_err(|error| Failure::Wrong(format!("{}: {error}", page.display())))?;
        }
        let paths: Vec<&Path> = self.files.iter().map(PathBuf::as_path).collect();
        let mut text = Vec::new();
        page::write(&mut text, &paths)?;
        terminal::write_file(&page, text)?;
        writeln!(out, "{}", page.display())?;
        for path in
            paths.iter().filter(|path| std::fs::metadata(path).is_ok_and(|m| m.len() > page::EMBEDDED))
        {
            terminal::say(format_args!("{} is too large for the page; open it there", path.display()));
        }
        if self.open { open_in_browser(&page) } else { Ok(()) }
    }
}

/// A file name for a page that does not exist yet, beside the first recording and named after the recordings.
fn new_page(files: &[PathBuf]) -> PathBuf {
    let stem = |path: &PathBuf| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = match files {
        [] => "tree".to_owned(),
        [one] => stem(one),
        [one, other, ..] => format!("{}-against-{}", stem(one), stem(other)),
    };
    let folder = files.first().and_then(|first| first.parent()).unwrap_or(Path::new(""));
    let numbered = |number: u32| match number {
        1 => folder.join(format!("{name}.html")),
        _ => folder.join(format!("{name}-{number}.html")),
    };
    (1..).map(numbered).find(|page| !page.exists()).unwrap_or_else(|| numbered(1))
}

/// Opens a page with `$BROWSER` or the system's default program.
fn open_in_browser(page: &Path) -> Result<(), Failure> {
    let usual = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let program = std::env::var_os("BROWSER").unwrap_or_else(|| usual.into());
    let opened = std::process::Command::new(&program)
        .arg(std::path::absolute(page)?)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn();
    opened.map(drop).map_err(|error| {
        let (page, program) = (page.display(), program.to_string_lossy());
        Failure::Wrong(format!("{page} is written, but {program} does not open it: {error}"))
    })
}

/// Makes a recording from the events of another engine
#[derive(clap::Args)]
#[command(
    after_help = "docs/TREE.md describes the events; contrib/espalier_trace.h writes them from C and C++."
)]
pub(super) struct ImportArguments {
    /// The events, one JSON object per line; - for standard input
    file: PathBuf,
    /// The recording to write, in place of an earlier one [default: the name of the events file with .tree]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub set: Assignments,
}

impl ImportArguments {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let standard = self.file.as_os_str() == "-";
        let to = match self.out {
            Some(to) => to,
            None if standard => return Err(Failure::Wrong("--out is needed with standard input".to_owned())),
            None => self.file.with_extension("tree"),
        };
        if to == self.file {
            return Err(Failure::Wrong(format!(
                "{}: the recording would overwrite the events; name another file with --out",
                to.display()
            )));
        }
        let name = if standard { "standard input".to_owned() } else { self.file.display().to_string() };
        let wrong = |error: tree::import::ImportError| Failure::Wrong(format!("{name}: {error}"));
        let written = if standard {
            tree::import::import(std::io::stdin().lock(), &to).map_err(wrong)?
        } else {
            let file = std::fs::File::open(&self.file)
                .map_err(|error| Failure::Wrong(format!("{name}: {error}")))?;
            tree::import::import(std::io::BufReader::new(file), &to).map_err(wrong)?
        };
        writeln!(out, "{written}")?;
        Ok(())
    }
}

/// Trees with up to this many records are checked before a node is shown; for larger ones there is `tree check`.
const CHECKED_AT_ONCE: u64 = 1 << 20;

/// Prints a node of a recording, the path to it and its children; as CSV or Markdown only the children
#[derive(clap::Args)]
pub(super) struct Show {
    /// The recording
    file: PathBuf,
    /// The iteration [default: the last complete one]
    #[arg(long, value_name = "DEPTH", value_parser = whole::<i32>(0..))]
    iteration: Option<i32>,
    /// The node, by its number in the tree
    #[arg(long, conflicts_with = "line", value_parser = whole::<u32>(0..))]
    node: Option<u32>,
    /// Show the node after these moves, in SAN or UCI notation, as the search saw it last
    #[arg(long, value_name = "MOVES")]
    line: Option<String>,
    /// At most this many children, those with the most nodes
    #[arg(long, default_value_t = 300, value_parser = whole::<usize>(0..))]
    most: usize,
    #[command(flatten)]
    pub common: Common,
}

impl Show {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let recording = Recording::open(&self.file)?;
        let tree = choose(&recording, self.iteration)?;
        if tree.summary.records <= CHECKED_AT_ONCE {
            tree.check(|_| {})?;
        }
        let index = match (&self.node, &self.line) {
            (Some(node), _) => *node,
            (None, Some(line)) => Shown::find(&tree, line)?,
            (None, None) => *tree.principal_variation()?.get(1).unwrap_or(&0),
        };
        let shown = Shown::new(&recording, &tree, index)?;
        let out = &mut BufWriter::new(out);
        if self.common.form.json {
            writeln!(out, "{}", shown.json())?;
        } else if self.common.form.csv {
            write!(out, "{}", shown.largest_in_numbers(self.most).to_csv())?;
        } else if self.common.form.markdown {
            write!(out, "{}", with_plain_blanks(&shown.largest(self.most).to_markdown()))?;
        } else {
            shown.print(out, self.most)?;
        }
        out.flush()?;
        Ok(())
    }
}

/// Prints every node of a tree as a line of JSON, in the order of the search
#[derive(clap::Args)]
pub(super) struct Dump {
    /// The recording
    file: PathBuf,
    /// The iteration [default: the last complete one]
    #[arg(long, value_name = "DEPTH", value_parser = whole::<i32>(0..))]
    iteration: Option<i32>,
    #[command(flatten)]
    pub set: Assignments,
}

impl Dump {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let recording = Recording::open(&self.file)?;
        let tree = choose(&recording, self.iteration)?;
        tree.check(|_| {})?;
        let out = &mut BufWriter::new(out);
        dump(&recording, &tree, out)?;
        out.flush()?;
        Ok(())
    }
}

/// The tree of an iteration, or the last complete one.
pub(super) fn choose(recording: &Recording, iteration: Option<i32>) -> Result<Tree<'_>, Failure> {
    match iteration {
        Some(depth) => Ok(recording.iteration(depth)?),
        None => {
            let trees: Vec<Tree> = recording.trees().collect();
            let complete = trees.iter().rfind(|tree| tree.summary.complete);
            let tree = complete.or(trees.last()).copied();
            tree.ok_or_else(|| Failure::Wrong("there is no tree in the recording".to_owned()))
        }
    }
}

/// Checks all trees, with a progress bar, and returns the number of records.
fn check(recording: &Recording) -> Result<u64, Failure> {
    let total = recording.meta().trees.iter().map(|tree| tree.records).sum();
    let bar = terminal::progress(total, "nodes");
    let mut before = 0;
    for tree in recording.trees() {
        tree.check(|read| bar.set_position(before + read))?;
        before += tree.summary.records;
    }
    bar.finish_and_clear();
    Ok(total)
}

/// Checks a recording for damage
#[derive(clap::Args)]
pub(super) struct Check {
    /// The recording
    file: PathBuf,
    #[command(flatten)]
    pub set: Assignments,
}

impl Check {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let recording = Recording::open(&self.file)?;
        let total = check(&recording)?;
        let count = recording.meta().trees.len();
        let trees = if count == 1 { "tree" } else { "trees" };
        writeln!(out, "{}: {count} {trees}, {total} records, all as written", self.file.display())?;
        Ok(())
    }
}
