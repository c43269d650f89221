//! What the subcommands share: progress bars, Ctrl-C, and files that are never half written.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

use super::Failure;
use crate::uci::process::exit_with_all;

/// A progress bar on standard error; nothing is drawn if that is no terminal.
pub fn progress(total: u64, unit: &str) -> ProgressBar {
    let template = format!("{{bar:20}} {{pos}}/{{len}} {unit}  {{elapsed}} (left {{eta}})  {{wide_msg}}");
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(total).with_style(style)
}

/// A flag that Ctrl-C raises, so that work can end cleanly; a second Ctrl-C ends the program at once.
pub fn interrupt() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    let handler = move || {
        if raised.swap(true, Ordering::Relaxed) {
            // Engines do not hear Ctrl-C themselves.
            exit_with_all(130);
        }
        eprintln!("\nespalier: finishing; press Ctrl-C again to end at once");
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        log::warn!("Ctrl-C will end the program at once: {error}");
    }
    flag
}

/// Writes a file whole or not at all.
pub fn write_file(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), Failure> {
    let wrong = |error: io::Error| Failure::Wrong(format!("{}: {error}", path.display()));
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        // A device or a pipe is written to, never replaced by a file.
        return std::fs::write(path, contents).map_err(wrong);
    }
    let partial = path.with_added_extension("partial");
    let written = std::fs::write(&partial, contents).and_then(|()| std::fs::rename(&partial, path));
    written.map_err(|error| {
        // After a full disk nothing half written is left.
        let _ = std::fs::remove_file(&partial);
        wrong(error)
    })
}

/// How many engines of so many threads find a core each.
pub fn engines_at_once(threads: i32) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (cores / threads.max(1) as usize).max(1)
}
