//! The other end of the pipes: starts the engine, talks to it, and shows the whole talk when a test fails.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

/// How long to wait where no time is demanded.
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// By how much a demanded time may be missed on a busy machine.
pub const SLACK: u32 = 4;

/// Milliseconds, briefly.
pub const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// The engine under test, not yet started.
pub fn engine<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let words = std::env::var("ESPALIER_ENGINE").unwrap_or(env!("CARGO_BIN_EXE_espalier").to_owned());
    let mut words = words.split_whitespace();
    let mut command = Command::new(words.next().expect("ESPALIER_ENGINE names a program"));
    command.args(words).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a subcommand to its end.
pub fn run(args: &[&str]) -> Output {
    let mut command = engine(args);
    let mut child = command.stdin(Stdio::null()).spawn().expect("the engine starts");
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let status = exit_within(&mut child, Duration::from_secs(60)).unwrap_or_else(|| {
        let _ = child.kill();
        panic!("{args:?} is still running after a minute")
    });
    Output { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

/// Reads a pipe to its end, beside everything else.
pub fn drain(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// The exit status, if the process ends in time.
pub fn exit_within(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait().expect("the process can be asked") {
            return Some(status);
        }
        if Instant::now() >= deadline {
            return None;
        }
        sleep(ms(2));
    }
}

/// One of eight attempts must take no longer than the limit: a busy machine may spoil the others.
pub fn in_time(limit: Duration, mut attempt: impl FnMut() -> Duration) {
    let mut took = Vec::new();
    for _ in 0..8 {
        let time = attempt();
        if time <= limit {
            return;
        }
        took.push(time);
        sleep(ms(100));
    }
    panic!("{limit:?} are allowed, and it took {took:?}");
}

/// A line of output and when it came.
struct Line {
    at: Instant,
    text: String,
}

/// What came from a `go`, up to and with its `bestmove`.
pub struct Answer {
    /// All lines before `bestmove`.
    pub lines: Vec<String>,
    pub best: String,
    pub ponder: Option<String>,
    /// From the last thing sent to the arrival of `bestmove`.
    pub took: Duration,
}

impl Answer {
    /// The error lines among the output.
    pub fn errors(&self) -> usize {
        self.lines.iter().filter(|line| is_error(line)).count()
    }
}

pub fn is_error(line: &str) -> bool {
    line.starts_with("info string ERROR")
}

fn is_bestmove(line: &str) -> bool {
    line.split_whitespace().next() == Some("bestmove")
}

/// A running engine.
pub struct Client {
    child: Child,
    /// To the thread that writes, so that an engine that does not read cannot block the test.
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<Line>,
    stderr: Arc<Mutex<Vec<u8>>>,
    transcript: Vec<String>,
    started: Instant,
    last_sent: Instant,
}

impl Client {
    /// Starts the engine and says nothing yet.
    pub fn start() -> Self {
        Self::of(&mut engine(None::<&str>))
    }

    /// The engine with these arguments.
    pub fn started_with(arguments: &[&str]) -> Self {
        Self::of(engine(None::<&str>).args(arguments))
    }

    /// The engine after the handshake, started by a shell that does this first.
    #[cfg(unix)]
    pub fn limited(first: &str) -> Self {
        let engine = engine(None::<&str>);
        let mut shell = Command::new("bash");
        shell
            .args(["-c", &format!("{first}; exec \"$0\" \"$@\"")])
            .arg(engine.get_program())
            .args(engine.get_args());
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut client = Self::of(&mut shell);
        client.shake_hands();
        client
    }

    fn of(command: &mut Command) -> Self {
        let mut child = command.spawn().expect("the engine starts");
        let started = Instant::now();
        let (input, orders) = channel::<Vec<u8>>();
        let mut stdin = child.stdin.take().expect("a pipe");
        spawn(move || {
            for bytes in orders {
                if stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        let output = lines_of(child.stdout.take().expect("a pipe"));
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let (sink, mut pipe) = (Arc::clone(&stderr), child.stderr.take().expect("a pipe"));
        spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = pipe.read(&mut buffer) {
                sink.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        let transcript = Vec::new();
        Self { child, input: Some(input), output, stderr, transcript, started, last_sent: started }
    }

    /// Starts the engine and goes through the handshake.
    pub fn ready() -> Self {
        let mut client = Self::start();
        client.shake_hands();
        client
    }

    fn shake_hands(&mut self) {
        self.send("uci");
        self.expect("uciok", TIMEOUT, |line| line == "uciok");
        self.sync();
    }

    /// Like [`Client::ready`], with a position set up.
    pub fn at(position: &str) -> Self {
        let mut client = Self::ready();
        client.send(position);
        client
    }

    /// Sends a line, or several in one write.
    pub fn send(&mut self, lines: &str) {
        self.send_bytes(format!("{lines}\n").as_bytes());
    }

    /// Sends bytes as they are, in one write.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        for line in String::from_utf8_lossy(bytes).lines() {
            self.note("<", line);
        }
        self.last_sent = Instant::now();
        let input = self.input.as_ref().expect("the input is still open");
        let _ = input.send(bytes.to_vec());
    }

    /// Ends the engine's input.
    pub fn close_input(&mut self) {
        self.note("<", "(end of input)");
        self.last_sent = Instant::now();
        self.input = None;
    }

    /// All lines up to and with the first that `is_end` accepts.
    pub fn until(&mut self, what: &str, limit: Duration, is_end: impl FnMut(&str) -> bool) -> Vec<String> {
        self.timed_until(what, limit, is_end).0
    }

    fn timed_until(
        &mut self,
        what: &str,
        limit: Duration,
        mut is_end: impl FnMut(&str) -> bool,
    ) -> (Vec<String>, Instant) {
        let deadline = Instant::now() + limit;
        let mut lines = Vec::new();
        loop {
            match self.receive(deadline) {
                Ok(Line { at, text }) => {
                    let ended = is_end(&text);
                    lines.push(text);
                    if ended {
                        return (lines, at);
                    }
                }
                Err(RecvTimeoutError::Timeout) => panic!("no {what} within {limit:?}"),
                Err(RecvTimeoutError::Disconnected) => panic!("the output ended before {what}"),
            }
        }
    }

    /// The first line that matches; those before it are passed over.
    pub fn expect(&mut self, what: &str, limit: Duration, is_it: impl FnMut(&str) -> bool) -> String {
        self.until(what, limit, is_it).pop().expect("until ends with a line")
    }

    /// `isready`, and the lines that came before `readyok`.
    pub fn sync(&mut self) -> Vec<String> {
        self.lines_after("isready")
    }

    /// `isready`, and how long `readyok` took.
    pub fn time_to_ready(&mut self) -> Duration {
        self.send("isready");
        let (_, at) = self.timed_until("readyok", TIMEOUT, |line| line == "readyok");
        at - self.last_sent
    }

    /// From the start of the process to the line that was waited for.
    pub fn time_from_start(&mut self, what: &str) -> Duration {
        let (_, at) = self.timed_until(what, TIMEOUT, |line| line == what);
        at - self.started
    }

    fn lines_after(&mut self, isready: &str) -> Vec<String> {
        self.send(isready);
        let mut lines = self.until("readyok", TIMEOUT, |line| line == "readyok");
        lines.pop();
        lines
    }

    /// The lines an idle engine says to a command.
    pub fn reply(&mut self, command: &str) -> Vec<String> {
        self.lines_after(&format!("{command}\nisready"))
    }

    /// The error lines an idle engine says to a command.
    pub fn errors(&mut self, command: &str) -> Vec<String> {
        self.reply(command).into_iter().filter(|line| is_error(line)).collect()
    }

    /// A command that must not be refused.
    pub fn accept(&mut self, command: &str) {
        assert_eq!(self.errors(command), [] as [&str; 0], "{command} was refused");
    }

    /// A command that must be refused with exactly one line, which is returned.
    pub fn refuse(&mut self, command: &str) -> String {
        let mut errors = self.errors(command);
        assert_eq!(errors.len(), 1, "one error line for {command:?}, not {errors:?}");
        errors.pop().expect("one line")
    }

    /// Sends a `go` (or anything that ends in one) and waits for its answer.
    pub fn search(&mut self, go: &str) -> Answer {
        self.send(go);
        self.answer()
    }

    /// Waits for the answer of a `go` that runs already.
    pub fn answer(&mut self) -> Answer {
        let (mut lines, at) = self.timed_until("bestmove", TIMEOUT, is_bestmove);
        let last = lines.pop().expect("until ends with a line");
        let words: Vec<&str> = last.split(' ').collect();
        let (best, ponder) = match words[..] {
            ["bestmove", best] => (best.to_owned(), None),
            ["bestmove", best, "ponder", ponder] => (best.to_owned(), Some(ponder.to_owned())),
            _ => panic!("{last:?} is no bestmove line"),
        };
        Answer { lines, best, ponder, took: at.saturating_duration_since(self.last_sent) }
    }

    /// Nothing at all is said for a while.
    pub fn silent_for(&mut self, duration: Duration) {
        if let Ok(line) = self.receive(Instant::now() + duration) {
            panic!("silence was expected, not {:?}", line.text);
        }
    }

    /// The search goes on for a while: information may come, `bestmove` may not.
    pub fn searching_for(&mut self, duration: Duration) {
        let deadline = Instant::now() + duration;
        loop {
            match self.receive(deadline) {
                Ok(line) => assert!(!is_bestmove(&line.text), "the search ended by itself: {}", line.text),
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => panic!("the output ended during a search"),
            }
        }
    }

    /// The process has ended, within the limit and with status 0; what it still said is returned.
    pub fn ends_well_within(&mut self, limit: Duration) -> Vec<String> {
        let status = exit_within(&mut self.child, limit);
        let status = status.unwrap_or_else(|| panic!("the engine still runs after {limit:?}"));
        assert!(status.success(), "it ended with {status}");
        let mut lines = Vec::new();
        while let Ok(line) = self.receive(Instant::now() + ms(500)) {
            lines.push(line.text);
        }
        lines
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What came on standard error so far.
    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr.lock().unwrap()).into_owned()
    }

    fn receive(&mut self, deadline: Instant) -> Result<Line, RecvTimeoutError> {
        let line = self.output.recv_timeout(deadline.saturating_duration_since(Instant::now()))?;
        self.note(">", &line.text);
        Ok(line)
    }

    /// Writes the transcript; very long lines are shortened.
    fn note(&mut self, direction: &str, line: &str) {
        let time = self.started.elapsed().as_millis();
        let shown: String = line.chars().take(400).collect();
        self.transcript.push(format!("{time:>6} {direction} {}", shown.escape_debug()));
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            println!("The talk (milliseconds, < sent, > received):\n{}", self.transcript.join("\n"));
            println!("On standard error: {:?}", self.stderr());
        }
    }
}

/// A thread that reads lines and notes when they came; the channel closes with the pipe.
fn lines_of(pipe: impl Read + Send + 'static) -> Receiver<Line> {
    let (sender, receiver) = channel();
    spawn(move || {
        let mut reader = BufReader::new(pipe);
        let mut bytes = Vec::new();
        while let Ok(1..) = reader.read_until(b'\n', &mut bytes) {
            let text = String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned();
            bytes.clear();
            if sender.send(Line { at: Instant::now(), text }).is_err() {
                break;
            }
        }
    });
    receiver
}
