//! The front-end thread: turns standard input into commands and never waits for anything else.

use std::io::{self, BufRead};

use crossbeam_channel::Sender;

use super::command::{Command, MAX_LINE, parse, shortened};

/// What comes in on standard input.
pub enum Input {
    /// A line as it came, and what it means.
    Line(String, Command),
    /// Standard input was closed.
    End,
}

/// Reads lines as bytes, whatever they contain, and never holds more than a line's worth of them.
pub fn read(mut input: impl BufRead, sender: &Sender<Input>) {
    let mut line = Vec::new();
    let mut too_long = false;
    loop {
        let chunk = match input.fill_buf() {
            Ok([]) => break,
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let (taken, used) = match end {
            Some(end) => (chunk.get(..end).unwrap_or_default(), end + 1),
            None => (chunk, chunk.len()),
        };
        too_long |= line.len() + taken.len() > MAX_LINE;
        if !too_long {
            line.extend_from_slice(taken);
        }
        input.consume(used);
        if end.is_some() && send(sender, &mut line, &mut too_long).is_err() {
            return;
        }
    }
    if !line.is_empty() || too_long {
        let _ = send(sender, &mut line, &mut too_long);
    }
    let _ = sender.send(Input::End);
}

fn send(sender: &Sender<Input>, line: &mut Vec<u8>, too_long: &mut bool) -> Result<(), ()> {
    let text = String::from_utf8_lossy(line).trim_end().to_owned();
    let input = if *too_long {
        let what = format!("a line of more than {} bytes was dropped", MAX_LINE);
        let position = text.trim_start().starts_with("position");
        let command = if position { Command::BadPosition(what) } else { Command::Malformed(what) };
        Input::Line(shortened(&text), command)
    } else {
        Input::Line(text, parse(line))
    };
    line.clear();
    *too_long = false;
    sender.send(input).map_err(|_| ())
}
