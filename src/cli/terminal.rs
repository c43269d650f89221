//! What the subcommands share: progress bars, Ctrl-C, and files that are never half written.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

use super::Failure;
use crate::files::write_whole;
use crate::uci::process::exit_with_all;

/// A progress bar on standard error; nothing is drawn if that is no terminal.
pub fn progress(total: u64, unit: &str) -> ProgressBar {
    let template = format!("{{bar:20}} {{pos}}/{{len}} {unit}  {{elapsed}} (left {{eta}})  {{wide_msg}}");
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(total).with_style(style)
}

/// Says something on standard error. Nobody may be listening any more; the work goes on all the same.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "espalier: {text}");
}

/// A flag that Ctrl-C, SIGTERM and SIGHUP raise, so that work can end cleanly; a second one ends the program at once.
pub fn interrupt() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    let handler = move || {
        if raised.swap(true, Ordering::Relaxed) {
            // Engines do not hear Ctrl-C themselves.
            exit_with_all(130);
        }
        say("stopping; press Ctrl-C again to end at once");
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        log::warn!("Ctrl-C will end the program at once: {error}");
    }
    flag
}

/// Writes a file whole or not at all; an error names the file.
pub fn write_file(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), Failure> {
    write_whole(path, contents).map_err(|error| Failure::Wrong(format!("{}: {error}", path.display())))
}

/// Columns of the terminal on standard output; 80 if it is none.
pub fn width() -> usize {
    terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0))
}

/// How many engines of so many threads find a core each.
pub fn engines_at_once(threads: i32) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (cores / threads.max(1) as usize).max(1)
}
