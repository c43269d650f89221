//! Where answers go: to the client, and to a log if there is one.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::command::shortened_to;
use crate::files::append_to;
use crate::text_table::{fold, terminal_width};

/// The width of lines for people.
pub(super) fn screen_width() -> usize {
    terminal_width().unwrap_or(80)
}

/// A message for people: without the words that programs look for, folded to the screen.
fn in_plain_words(message: &str) -> String {
    let marks = [("ERROR ", "error: "), ("NOTE ", "note: ")];
    let marked = |(mark, word)| Some(format!("{word}{}", message.strip_prefix(mark)?));
    let text = marks.into_iter().find_map(marked).unwrap_or_else(|| message.to_owned());
    fold(&text, screen_width()).join("\n")
}

/// Characters of a message that are shown: a client may have sent a line of a million.
const LONGEST_MESSAGE: usize = 1_000;

/// The client's end of the conversation. An error means that the client has closed its end.
pub(super) struct Output<W> {
    out: W,
    log: Option<File>,
    /// A person reads the answers: messages are plain words, in lines that fit a terminal.
    pub human: bool,
}

impl<W: Write> Output<W> {
    /// Writes here, and no log.
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

    /// Says that something is wrong.
    pub(super) fn error(&mut self, what: &str) -> io::Result<()> {
        let what = shortened_to(what, LONGEST_MESSAGE);
        log::warn!("{what}");
        self.say(&format!("info string ERROR {what}"))
    }

    /// Writes the conversation to this file from now on; to none if the path is empty.
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

    /// Notes something in the log.
    pub(super) fn log(&mut self, direction: &str, text: &str) {
        if let Some(log) = &mut self.log
            && text.lines().try_for_each(|line| writeln!(log, "{direction} {line}")).is_err()
        {
            // A full disk must not cost the game.
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
