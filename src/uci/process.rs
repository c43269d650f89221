//! Child processes that are talked to in lines.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded};
use parking_lot::{Mutex, MutexGuard};

/// No line of an engine is longer; what comes after is taken for the next one.
const LONGEST_LINE: u64 = 1 << 16;

/// Lines an engine may be ahead of its reader.
const QUEUE: usize = 1 << 12;

/// A line of output and when it came.
pub(crate) struct OutputLine {
    /// When it was read, for measuring how long an answer took.
    pub at: Instant,
    /// The line without its line feed.
    pub text: String,
}

/// Starts a program with pipes at all its ends.
pub(crate) fn spawn(command: &str) -> Result<Child, String> {
    let words = words_of(command);
    let (program, arguments) = words.split_first().ok_or("no program is named")?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    {
        // A process group of its own: Ctrl-C must not reach it.
        use std::os::unix::process::CommandExt as _;
        command.process_group(0);
    }
    command.spawn().map_err(|error| error.to_string())
}

/// Every process that may have to be ended.
static ALL: Mutex<Vec<Weak<Mutex<Child>>>> = Mutex::new(Vec::new());

/// A process that [`exit_with_all`] knows of.
pub(crate) struct ChildProcess(Arc<Mutex<Child>>);

impl ChildProcess {
    /// Of a process that was just started.
    pub(crate) fn new(child: Child) -> Self {
        let running = Arc::new(Mutex::new(child));
        let mut all = ALL.lock();
        all.retain(|other| other.strong_count() > 0);
        all.push(Arc::downgrade(&running));
        Self(running)
    }

    /// The exit status, if the process ends in time.
    pub(crate) fn exit_within(&self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            let status = self.0.lock().try_wait();
            match status {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
                _ => return None,
            }
        }
    }

    /// Ends the process without asking.
    pub(crate) fn end(&self) {
        kill(&mut self.0.lock());
    }
}

/// Ends a process, and those it has started, without asking.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(None) = child.try_wait() {
        // It leads a group of its own. Where that cannot be ended, the process alone is.
        use nix::{sys::signal, unistd::Pid};
        let _ = signal::killpg(Pid::from_raw(child.id().cast_signed()), signal::Signal::SIGKILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Ends the program at once, and all processes with it.
pub(crate) fn exit_with_all(status: i32) -> ! {
    let known = ALL.lock();
    let all: Vec<Arc<Mutex<Child>>> = known.iter().filter_map(Weak::upgrade).collect();
    // The locks are held to the end, so that no other thread notices that a process has died.
    let mut held: Vec<MutexGuard<'_, Child>> = all.iter().map(|child| child.lock()).collect();
    for child in &mut held {
        kill(child);
    }
    std::process::exit(status)
}

/// The words of a command, split at blanks that are not inside quotes. A path to a file is one word.
pub(crate) fn words_of(command: &str) -> Vec<String> {
    if std::path::Path::new(command).is_file() {
        return vec![command.to_owned()];
    }
    let (mut words, mut word, mut open) = (Vec::new(), None::<String>, None);
    for letter in command.chars() {
        match (open, letter) {
            (Some(quote), _) if letter == quote => open = None,
            (None, '"' | '\'') => {
                open = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// Reads lines in a thread, until the pipe or the receiver is gone.
pub(crate) fn lines_of(pipe: impl Read + Send + 'static) -> Receiver<OutputLine> {
    let (sender, receiver) = bounded(QUEUE);
    let mut reader = BufReader::new(pipe);
    std::thread::spawn(move || {
        while let Some(text) = next_line(&mut reader) {
            if sender.send(OutputLine { at: Instant::now(), text }).is_err() {
                break;
            }
        }
    });
    receiver
}

/// The last line of a pipe that is not blank.
pub(crate) struct LastLine {
    text: Arc<Mutex<String>>,
    /// Hangs up when the pipe is at its end.
    end: Receiver<()>,
}

impl LastLine {
    /// Reads a pipe to its end in a thread.
    pub(crate) fn of(pipe: impl Read + Send + 'static) -> Self {
        let text = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&text);
        let (at_end, end) = bounded(0);
        let mut reader = BufReader::new(pipe);
        std::thread::spawn(move || {
            while let Some(line) = next_line(&mut reader) {
                if !line.trim().is_empty() {
                    *kept.lock() = line;
                }
            }
            drop(at_end);
        });
        Self { text, end }
    }

    /// The last line of a process that is over, which may still be on its way for as long as `limit`.
    pub(crate) fn after_end(&self, limit: Duration) -> String {
        let _ = self.end.recv_timeout(limit);
        self.text.lock().clone()
    }
}

fn next_line(reader: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    let count = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes).ok()?;
    (count > 0).then(|| String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_program_is_not_in_our_process_group_and_ends_when_told() {
        let child = spawn("sleep 60").unwrap();
        let id = child.id();
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
        let group = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(2));
        assert_eq!(group, Some(id.to_string().as_str()));
        let running = ChildProcess::new(child);
        assert!(running.exit_within(Duration::ZERO).is_none());
        running.end();
        assert!(running.exit_within(Duration::ZERO).is_some());
    }

    #[test]
    fn commands_are_split_at_blanks_outside_quotes() {
        assert_eq!(words_of("  engine  -a 'b c' d\" e\"f "), ["engine", "-a", "b c", "d ef"]);
        assert_eq!(words_of("x ''"), ["x", ""]);
        assert_eq!(words_of(" "), [""; 0]);
    }
}
