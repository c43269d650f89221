//! The front-end thread: turns standard input into commands and waits for nothing else.

use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_channel::Sender;

use super::command::{Command, MAX_LINE, parse, shortened};

/// Input from the client.
pub(super) enum Input {
    /// A line, and the command it means.
    Line(String, Box<Command>),
    /// Standard input was closed.
    End,
}

/// Bytes of lines in the queue.
#[derive(Clone, Default)]
pub(super) struct Unread(Arc<AtomicUsize>);

/// Bytes that may be queued between the reader and the loop. More pile up only if the loop is blocked because no one
/// reads the answers; then the reader waits too, and the client with it.
const MOST_UNREAD: usize = 64 << 20;
/// Bytes of a line besides its text.
const PER_LINE: usize = 256;

impl Unread {
    /// Removes a line that the loop has taken.
    pub(super) fn taken(&self, text: &str) {
        self.0.fetch_sub(text.len() + PER_LINE, Ordering::Relaxed);
    }

    fn sent(&self, text: &str) {
        while self.0.load(Ordering::Relaxed) > MOST_UNREAD {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.0.fetch_add(text.len() + PER_LINE, Ordering::Relaxed);
    }
}

/// Reads lines as bytes, whatever they contain, and never holds more than a line's worth of them.
pub(super) fn read(mut input: impl BufRead, sender: &Sender<Input>, unread: &Unread) {
    let mut line = Vec::new();
    let mut too_long = false;
    let pass_on = |line: &mut Vec<u8>, too_long: &mut bool| {
        let input = input_of(line, *too_long);
        if let Input::Line(text, _) = &input {
            unread.sent(text);
        }
        line.clear();
        *too_long = false;
        sender.send(input).map_err(drop)
    };
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
        if end.is_some() && pass_on(&mut line, &mut too_long).is_err() {
            return;
        }
    }
    if !line.is_empty() || too_long {
        let _ = pass_on(&mut line, &mut too_long);
    }
    let _ = sender.send(Input::End);
}

/// The command of a line.
fn input_of(line: &[u8], too_long: bool) -> Input {
    let text = String::from_utf8_lossy(line).trim_end().to_owned();
    if !too_long {
        return Input::Line(text, Box::new(parse(line)));
    }
    let what = format!("a line of more than {MAX_LINE} bytes was dropped");
    let position = text.trim_start().starts_with("position");
    let command = if position { Command::BadPosition(what) } else { Command::Malformed(what) };
    Input::Line(shortened(&text), Box::new(command))
}
