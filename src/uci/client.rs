//! Runs any UCI engine as a child process, without trusting it.
//!
//! Every wait has a deadline, and every failure is an [`EngineError`] that names the engine. After a failure drop the
//! client and start another.

use std::io::Write;
use std::process::ChildStdin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::command::Command;
use super::error::{EngineError, EngineErrorKind};
use super::go::Go;
use super::info::{Info, parse_best_move};
use super::process::{ChildProcess, LastLine, OutputLine, lines_of, spawn};

/// How long an engine may take to answer anything but `go`.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// An engine limited only by depth or nodes is sent `stop` after this.
pub const LONGEST: Duration = Duration::from_secs(3600);

/// The longest wait: adding more to an [`Instant`] could overflow.
const FOREVER: Duration = Duration::from_secs(1 << 30);

/// How often a wait checks whether it should end.
const TICK: Duration = Duration::from_millis(20);

/// How long a process that has closed its pipes may take to end.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// A UCI engine that runs as a child process, with pipes to it.
pub struct Client {
    name: String,
    running: ChildProcess,
    input: ChildStdin,
    output: Receiver<OutputLine>,
    last_words: LastLine,
    options: Vec<String>,
    timeout: Duration,
}

/// The answer to `go`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The move as the engine wrote it, unchecked.
    pub best: String,
    /// The reply it expects.
    pub ponder: Option<String>,
    /// All `info` lines that are not empty.
    pub lines: Vec<Info>,
    /// From `go` to the arrival of `bestmove`.
    pub took: Duration,
    /// Whether `stop` was sent because its time was up.
    pub forced: bool,
}

impl Reply {
    /// The last line of the first choice.
    pub fn last_line(&self) -> Option<&Info> {
        self.lines.iter().rev().find(|info| info.is_first_line())
    }
}

impl Client {
    /// Starts a program with arguments (quoted if they contain blanks) and does the handshake.
    pub fn start(command: &str) -> Result<Self, EngineError> {
        Self::start_within(command, TIMEOUT)
    }

    /// Starts a program with this timeout.
    pub fn start_within(command: &str, timeout: Duration) -> Result<Self, EngineError> {
        let mut client = Self::launch(command, timeout)?;
        client.handshake()?;
        Ok(client)
    }

    /// Starts a program, sets these options, and waits until they have taken effect.
    pub fn start_with_options(
        command: &str,
        options: &[(String, String)],
        timeout: Duration,
    ) -> Result<Self, EngineError> {
        let mut client = Self::start_within(command, timeout)?;
        for (name, value) in options {
            client.set_option(name, value)?;
        }
        client.sync()?;
        Ok(client)
    }

    /// Starts a program that need not speak UCI; only [`send`](Self::send) and [`ask`](Self::ask) are for it.
    pub fn launch(command: &str, timeout: Duration) -> Result<Self, EngineError> {
        let failure = |kind| EngineError { engine: command.to_owned(), kind };
        let mut child = spawn(command).map_err(|why| failure(EngineErrorKind::NotStarted(why)))?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(failure(EngineErrorKind::NotStarted("no pipes".to_owned())));
        };
        Ok(Self {
            name: command.to_owned(),
            running: ChildProcess::new(child),
            input,
            output: lines_of(output),
            last_words: LastLine::of(errors),
            options: Vec::new(),
            timeout,
        })
    }

    /// Sends a line and waits for a line in which `answer` finds something, for at most `within` or until `stop` is raised.
    pub fn ask<T>(
        &mut self,
        line: &str,
        within: Duration,
        stop: &AtomicBool,
        answer: impl Fn(&str) -> Option<T>,
    ) -> Result<T, EngineError> {
        self.discard_output();
        self.send(line)?;
        let deadline = after(Instant::now(), within);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || stop.load(Ordering::Relaxed) {
                return Err(
                    self.error(EngineErrorKind::Silent { after: "a question", waited: within - left })
                );
            }
            if let Some(found) = self.line_within(TICK.min(left))?.and_then(|line| answer(&line.text)) {
                return Ok(found);
            }
        }
    }

    fn handshake(&mut self) -> Result<(), EngineError> {
        self.command(&Command::Uci)?;
        let deadline = after(Instant::now(), self.timeout);
        let mut name = None;
        loop {
            let line = self.line_before(deadline, "uci")?.text;
            if line.trim() == "uciok" {
                break;
            }
            if let Some(text) = line.strip_prefix("id name ") {
                name = Some(text.trim().to_owned());
            }
            self.options.extend(option_name(&line));
        }
        self.name = name.unwrap_or_else(|| std::mem::take(&mut self.name));
        self.sync()
    }

    /// The name it gives itself, or the command that started it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the engine has this option; case does not matter.
    pub fn has_option(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.eq_ignore_ascii_case(name))
    }

    /// Sets an option, which the engine must have; an empty value is for buttons.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        if !self.has_option(name) {
            return Err(self.error(EngineErrorKind::NoOption(name.to_owned())));
        }
        self.command(&Command::SetOption { name: name.to_owned(), value: value.to_owned() })
    }

    /// Waits until the engine has done everything asked so far.
    pub fn sync(&mut self) -> Result<(), EngineError> {
        self.command(&Command::IsReady)?;
        let deadline = after(Instant::now(), self.timeout);
        while self.line_before(deadline, "isready")?.text.trim() != "readyok" {}
        Ok(())
    }

    /// Sets whether the next game is Chess960, if the engine has that option.
    pub fn set_chess960(&mut self, chess960: bool) -> Result<(), EngineError> {
        if chess960 || self.has_option("UCI_Chess960") {
            self.set_option("UCI_Chess960", if chess960 { "true" } else { "false" })?;
        }
        Ok(())
    }

    /// Begins a new game.
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        self.command(&Command::NewGame)?;
        self.sync()
    }

    /// Sets the position: the start of the game, and the moves since in UCI notation.
    pub fn position(&mut self, fen: Option<&str>, moves: &[String]) -> Result<(), EngineError> {
        self.command(&Command::Position { fen: fen.map(str::to_owned), moves: moves.to_vec() })
    }

    /// Changes the timeout.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
    }

    /// Lets the engine search. After `within`, or when `stop` is raised, it is sent `stop` and has its timeout to answer;
    /// a late answer still counts. An engine that writes nothing for six times its timeout is sent `isready`, and given
    /// up if it writes nothing for as long again. `readyok` alone does not count before its first line of the search.
    pub fn go(&mut self, go: &Go, within: Duration, stop: &AtomicBool) -> Result<Reply, EngineError> {
        self.discard_output();
        let mut wait = Wait::new(within);
        self.send(&go.to_string())?;
        let mut lines = Vec::new();
        loop {
            let now = Instant::now();
            if let Some(command) = wait.next_command(now, self.timeout, stop) {
                let waited = wait.begin.elapsed();
                let command =
                    command.map_err(|GivenUp| self.error(EngineErrorKind::Silent { after: "go", waited }))?;
                self.command(&command)?;
            }
            let left = wait.deadline.saturating_duration_since(now);
            let Some(line) = self.line_within(TICK.min(left))? else { continue };
            if !lines.is_empty() || line.text.trim() != "readyok" {
                (wait.heard, wait.asked) = (line.at, false);
            }
            if let Some((best, ponder)) = parse_best_move(&line.text) {
                let took = line.at.saturating_duration_since(wait.begin);
                return Ok(Reply { best, ponder, lines, took, forced: wait.forced });
            }
            lines.extend(Info::parse(&line.text));
        }
    }

    /// An error of this engine.
    pub fn error(&self, kind: EngineErrorKind) -> EngineError {
        EngineError { engine: self.name.clone(), kind }
    }

    fn command(&mut self, command: &Command) -> Result<(), EngineError> {
        self.send(&command.to_string())
    }

    /// Sends a line without waiting for an answer.
    pub fn send(&mut self, line: &str) -> Result<(), EngineError> {
        let sent = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        sent.map_err(|_| self.death())
    }

    /// Discards lines that answer earlier commands.
    fn discard_output(&mut self) {
        while self.output.try_recv().is_ok() {}
    }

    fn line_before(&mut self, deadline: Instant, after: &'static str) -> Result<OutputLine, EngineError> {
        let left = deadline.saturating_duration_since(Instant::now());
        let silent = EngineErrorKind::Silent { after, waited: self.timeout };
        self.line_within(left)?.ok_or_else(|| self.error(silent))
    }

    fn line_within(&mut self, limit: Duration) -> Result<Option<OutputLine>, EngineError> {
        match self.output.recv_timeout(limit) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.death()),
        }
    }

    /// The error for an engine that closed its pipes.
    fn death(&mut self) -> EngineError {
        let status = self.running.exit_within(EXIT_TIMEOUT);
        let status = status.map_or("closed its pipes".to_owned(), |status| status.to_string());
        let last_words = self.last_words.after_end(EXIT_TIMEOUT);
        self.error(EngineErrorKind::Died { status, last_words })
    }
}

/// Asks the engine to quit, and ends it if it does not.
impl Drop for Client {
    fn drop(&mut self) {
        let _ = writeln!(self.input, "stop\nquit").and_then(|()| self.input.flush());
        if self.running.exit_within(Duration::from_millis(500)).is_none() {
            self.running.end();
        }
    }
}

/// A moment plus a duration, limited so that the [`Instant`] cannot overflow.
fn after(moment: Instant, span: Duration) -> Instant {
    moment + span.min(FOREVER)
}

/// The name in `option name Clear Hash type button`.
fn option_name(line: &str) -> Option<String> {
    let rest = line.trim().strip_prefix("option name ")?;
    let name = rest.split_once(" type ").map_or(rest, |(name, _)| name);
    Some(name.trim().to_owned())
}

/// The state of waiting for the answer to `go`.
struct Wait {
    begin: Instant,
    deadline: Instant,
    /// Whether `stop` was sent.
    stopped: bool,
    /// Whether that was because its time was up.
    forced: bool,
    /// When it last wrote a line, and whether `isready` was sent since.
    heard: Instant,
    asked: bool,
}

/// The error for an engine that wrote nothing.
struct GivenUp;

impl Wait {
    fn new(within: Duration) -> Self {
        let begin = Instant::now();
        let deadline = after(begin, within);
        Self { begin, deadline, stopped: false, forced: false, heard: begin, asked: false }
    }

    /// The command to send now, if any.
    fn next_command(
        &mut self,
        now: Instant,
        timeout: Duration,
        stop: &AtomicBool,
    ) -> Option<Result<Command, GivenUp>> {
        if !self.stopped && (now >= self.deadline || stop.load(Ordering::Relaxed)) {
            self.stopped = true;
            self.forced = now >= self.deadline;
            self.deadline = after(now, timeout);
            return Some(Ok(Command::Stop));
        }
        let silent = now.saturating_duration_since(self.heard) >= timeout.saturating_mul(6);
        if (self.stopped && now >= self.deadline) || (silent && self.asked) {
            return Some(Err(GivenUp));
        }
        if silent {
            (self.heard, self.asked) = (now, true);
            return Some(Ok(Command::IsReady));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_names_are_read() {
        assert_eq!(option_name("option name Clear Hash type button").as_deref(), Some("Clear Hash"));
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let failure = Client::start("/no/such/engine --fast").err().unwrap();
        assert!(failure.to_string().starts_with("engine \"/no/such/engine --fast\" does not start: "));
        assert!(matches!(Client::start("").err().unwrap().kind, EngineErrorKind::NotStarted(_)));
    }
}
