//! Writes answers to the client, and to a log if there is one.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::command::shortened_to;
use crate::files::append_to;
use crate::text_table::{fold, terminal_width};

/// Width of readable lines.
pub(super) fn screen_width() -> usize {
    terminal_width().unwrap_or(80)
}

/// A readable message: without `info string`, folded to the screen.
fn in_plain_words(message: &str) -> String {
    let marks = [("ERROR ", "error: "), ("NOTE ", "note: ")];
    let marked = |(mark, word)| Some(format!("{word}{}", message.strip_prefix(mark)?));
    let text = marks.into_iter().find_map(marked).unwrap_or_else(|| message.to_owned());
    fold(&text, screen_width()).join("\n")
}

/// Most characters of a message; a client may have sent a line of a million.
const LONGEST_MESSAGE: usize = 1_000;

/// The output to the client. An error means that the client has closed it.
pub(super) struct Output<W> {
    out: W,
    log: Option<File>,
    /// Whether messages are readable text, folded to the terminal.
    pub human: bool,
}

impl<W: Write> Output<W> {
    /// An output without a log.
    pub(super) fn new(out: W) -> Self {
        Self { out, log: None, human: false }
    }

    /// The writer.
    #[cfg(test)]
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Prints one or more lines at once.
    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        self.log("<<", text);
        match text.strip_prefix("info string ").filter(|_| self.human) {
            Some(message) => writeln!(self.out, "{}", in_plain_words(message))?,
            None => writeln!(self.out, "{text}")?,
        }
        self.out.flush()
    }

    /// Reports a problem.
    pub(super) fn error(&mut self, what: &str) -> io::Result<()> {
        let what = shortened_to(what, LONGEST_MESSAGE);
        log::warn!("{what}");
        self.say(&format!("info string ERROR {what}"))
    }

    /// Starts logging to this file, or ends logging if the path is empty.
    pub(super) fn open_log(&mut self, path: &str) -> Result<(), String> {
        self.log = match path {
            "" => None,
            path => {
                let file = append_to(Path::new(path));
                Some(file.map_err(|error| format!("Debug Log File {path:?} cannot be written: {error}"))?)
            }
        };
        Ok(())
    }

    /// Adds a line to the log.
    pub(super) fn log(&mut self, direction: &str, text: &str) {
        if let Some(log) = &mut self.log
            && text.lines().try_for_each(|line| writeln!(log, "{direction} {line}")).is_err()
        {
            // A full disk must not stop the engine.
            self.log = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_messages_in_plain_words_and_programs_as_they_are() {
        let said = |human: bool| {
            let mut bytes = Vec::new();
            let mut out = Output { human, ..Output::new(&mut bytes) };
            out.error("no option is named \"Hsah\"").unwrap();
            out.say("bestmove e2e4").unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(said(false), "info string ERROR no option is named \"Hsah\"\nbestmove e2e4\n");
        assert_eq!(said(true), "error: no option is named \"Hsah\"\nbestmove e2e4\n");
    }
}
