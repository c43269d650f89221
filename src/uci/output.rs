//! Where answers go: to the client, and to a log if there is one.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::command::shortened_to;
use crate::files::append_to;

/// Characters of a message that are shown: a client may have sent a line of a million.
const LONGEST_MESSAGE: usize = 1_000;

/// The client's end of the conversation. An error means that the client has closed its end.
pub struct Output<W> {
    out: W,
    log: Option<File>,
}

impl<W: Write> Output<W> {
    /// Writes here, and no log.
    pub fn new(out: W) -> Self {
        Self { out, log: None }
    }

    /// Prints one or more lines at once.
    pub fn say(&mut self, text: &str) -> io::Result<()> {
        self.log("<<", text);
        writeln!(self.out, "{text}")?;
        self.out.flush()
    }

    /// Says that something is wrong.
    pub fn error(&mut self, what: &str) -> io::Result<()> {
        let what = shortened_to(what, LONGEST_MESSAGE);
        log::warn!("{what}");
        self.say(&format!("info string ERROR {what}"))
    }

    /// Writes the conversation to this file from now on; to none if the path is empty.
    pub fn open_log(&mut self, path: &str) -> Result<(), String> {
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
    pub fn log(&mut self, direction: &str, text: &str) {
        if let Some(log) = &mut self.log
            && text.lines().try_for_each(|line| writeln!(log, "{direction} {line}")).is_err()
        {
            // A full disk must not cost the game.
            self.log = None;
        }
    }
}
