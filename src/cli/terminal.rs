//! Shared by the subcommands: progress bars, messages, Ctrl-C, and atomic writing of files.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::Failure;
use crate::files::write_whole;
use crate::text_table::{fold, terminal_width};
use crate::uci::process::exit_with_all;

/// How often a long run prints its progress without a terminal.
const NOTE_EVERY: Duration = Duration::from_secs(60);

/// A progress bar on standard error, or a line a minute if that is not a terminal.
pub(super) fn progress(total: u64, unit: &str) -> ProgressBar {
    let template = format!("{{bar:20}} {{pos}}/{{len}} {unit}  {{elapsed}} (left {{eta}})  {{wide_msg}}");
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(total).with_style(style);
    if !io::stderr().is_terminal() {
        print_progress(&bar, unit.to_owned());
    }
    bar
}

/// The progress bar of a resumed run: it starts at `done`, and the time left is estimated from new progress only.
pub(super) fn resumed_progress(done: u64, total: u64, unit: &str) -> ProgressBar {
    let bar = progress(total, unit);
    if done > 0 {
        bar.set_position(done);
        bar.reset_eta();
    }
    bar
}

/// Prints the progress every minute until the run is over.
fn print_progress(bar: &ProgressBar, unit: String) {
    let bar = bar.downgrade();
    let speaker = move || {
        let mut last = Instant::now();
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let Some(bar) = bar.upgrade().filter(|bar| !bar.is_finished()) else { return };
            if last.elapsed() >= NOTE_EVERY {
                last = Instant::now();
                say(progress_note(&bar, &unit));
            }
        }
    };
    // If the thread cannot be started, only these messages are missing.
    let _ = std::thread::Builder::new().name("progress".to_owned()).spawn(speaker);
}

/// `12 of 40 games, 3m, about 7m left: +5 =2 -5`.
fn progress_note(bar: &ProgressBar, unit: &str) -> String {
    let whole = |time: Duration| humantime::format_duration(Duration::from_secs(time.as_secs())).to_string();
    let of =
        bar.length().filter(|length| *length > 0).map_or(String::new(), |length| format!(" of {length}"));
    let left = if of.is_empty() || bar.position() == 0 {
        String::new()
    } else {
        format!(", about {} left", whole(bar.eta()))
    };
    let message = bar.message();
    let message = if message.is_empty() { String::new() } else { format!(": {message}") };
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    // Without unit and goal the number says nothing.
    let count = if unit.is_empty() && of.is_empty() {
        String::new()
    } else {
        format!("{}{of}{unit}, ", bar.position())
    };
    format!("{count}{}{left}{message}", whole(bar.elapsed()))
}

/// Writes to standard error, folded on a terminal. A closed standard error is ignored.
pub(super) fn say(text: impl Display) {
    let text = format!("espalier: {text}");
    let stderr = io::stderr();
    let width = terminal_size::terminal_size_of(&stderr).map(|(width, _)| usize::from(width.0));
    let width = width.filter(|_| stderr.is_terminal()).unwrap_or(usize::MAX);
    let _ = writeln!(&stderr, "{}", folded(&text, width));
}

/// Folds a text to lines of at most `width` characters; its own line breaks and indents stay.
fn folded(text: &str, width: usize) -> String {
    let lines = text.lines().flat_map(|line| match line.chars().count() > width {
        true => fold(line, width),
        false => vec![line.to_owned()],
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A flag that Ctrl-C, SIGTERM and SIGHUP raise, so that work can end cleanly; a second one ends the program at once.
pub(super) fn interrupt() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    let handler = move || {
        if raised.swap(true, Ordering::Relaxed) {
            // External engines do not receive Ctrl-C themselves.
            exit_with_all(130);
        }
        say("stopping; press Ctrl-C again to end at once");
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        log::warn!("Ctrl-C will end the program at once: {error}");
    }
    flag
}

/// Writes a file atomically; an error names the file.
pub(super) fn write_file(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), Failure> {
    write_whole(path, contents).map_err(|error| Failure::Wrong(format!("{}: {error}", path.display())))
}

/// Today's date (UTC) as in PGN: `2026.01.31`.
pub(super) fn date() -> String {
    let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    now.split('T').next().unwrap_or_default().replace('-', ".")
}

/// Width of the terminal on standard output, or of the variable COLUMNS, or 80.
pub(super) fn width() -> usize {
    known_width().unwrap_or(80)
}

/// Width at which tables are folded; unlimited if the output is not a terminal.
pub(super) fn table_width() -> usize {
    known_width().unwrap_or(usize::MAX)
}

fn known_width() -> Option<usize> {
    let told = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|width| *width > 0);
    terminal_width().or_else(told)
}

/// Folds a text to the width of the terminal; its own line breaks stay.
pub(super) fn paragraphs(text: &str) -> String {
    folded(text, table_width())
}

/// How many engines with this many threads fit the machine, with a core for each thread.
pub(super) fn engines_at_once(threads: i32) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (cores / threads.max(1) as usize).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_folded_and_keep_their_lines() {
        assert_eq!(folded("espalier: a b\n  c\nd e f", 10), "espalier:\na b\n  c\nd e f");
        assert_eq!(folded("one two", usize::MAX), "one two");
    }

    #[test]
    fn a_note_says_how_far_a_run_has_come() {
        let bar = ProgressBar::hidden();
        bar.set_length(40);
        bar.set_position(12);
        bar.set_message("+5 =2 -5");
        let note = progress_note(&bar, "games");
        assert!(
            note.starts_with("12 of 40 games, 0s, about ") && note.ends_with(" left: +5 =2 -5"),
            "{note}"
        );
        // A run that names its own units, and one whose end is not known.
        bar.set_position(0);
        assert_eq!(progress_note(&bar, ""), "0 of 40, 0s: +5 =2 -5");
        bar.set_length(0);
        assert_eq!(progress_note(&bar, ""), "0s: +5 =2 -5");
        let date = date();
        assert!(date.len() == 10 && date.split('.').count() == 3, "{date}");
    }
}
