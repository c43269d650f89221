//! The UCI server: a loop that answers the client and never searches itself.
//!
//! The loop waits for commands, reports of the search, and the deadline of the running search. It answers `isready` at
//! once, raises the stop flag when the time is up, and is the only place that prints.

use std::io::{self, IsTerminal, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, after, at, never, select, unbounded};

use super::command::{Command, shortened};
use super::display;
use super::go::Go;
use super::human;
use super::info::{UciStyle, no_moves};
use super::introduction::Introduction;
use super::output::{Output, screen_width};
use super::reader::{Input, Unread, read};
use super::solver::{self, SolverCommand, SolverFrontEnd};
use super::task;
use super::waiting::{MOST_BYTES, MOST_COMMANDS, Waiting, is_signal};
use crate::board::san::san;
use crate::board::{Game, Position, uci_text};
use crate::engine::{Change, Engine, OptionError};
use crate::eval;
use crate::limits::Limits;
use crate::options::{self, Effect, Listing, Options};
use crate::search::control::Control;
use crate::search::observer::Tally;
use crate::search::{Effort, Line, Outcome, Report, STACK, Search};
use crate::selective::METHODS;
use crate::tree::{self, Keep};

/// Options of the server.
#[derive(Copy, Clone, Debug)]
pub struct ServerOptions {
    /// Which options `uci` lists.
    pub listing: Listing,
    /// Prints raw UCI lines even in a terminal.
    pub raw: bool,
}

/// Serves a client on standard input and output until it quits.
pub fn run(options: Options, server_options: ServerOptions) -> io::Result<()> {
    std::panic::set_hook(Box::new(|info| log::error!("{info}")));
    let (sender, commands) = unbounded();
    let unread = Unread::default();
    let its_unread = unread.clone();
    let reader = move || read(io::stdin().lock(), &sender, &its_unread);
    std::thread::Builder::new().name("reader".to_owned()).spawn(reader)?;
    let mut server = Server::new(options, io::stdout());
    server.listing = server_options.listing;
    server.human = !server_options.raw && io::stdin().is_terminal() && io::stdout().is_terminal();
    server.out.human = server.human;
    if io::stdin().is_terminal() {
        server.out.say(&display::greeting(screen_width()))?;
    }
    server.serve(commands, &unread)
}

/// Events from background work.
pub(super) enum ServerEvent {
    Search(Report),
    Text(String),
    TaskDone,
    /// The hash table is cleared.
    Cleared,
    /// The files of an option were read, or could not be; with the number of the reading.
    Read(u64, Box<Result<Change, OptionError>>),
}

/// How long the loop works through waiting commands before it looks at new ones.
const AT_A_TIME: Duration = Duration::from_millis(2);
/// How long `isready` waits for a file that is being read.
const READY_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a file may take to be read.
const READ_TIMEOUT: Duration = Duration::from_secs(10);
/// At most this many illegal `searchmoves` are reported.
const MOST_WRONG: usize = 8;

/// An option whose files are being read.
struct PendingFile {
    number: u64,
    name: String,
    since: Instant,
    /// Number of `isready` commands that wait for it.
    ready: usize,
    /// Since when they have waited, for other files before this one too.
    awaited_since: Instant,
}

impl PendingFile {
    /// When waiting `isready` commands are answered or, if there are none, the reading is abandoned.
    fn deadline(&self, timeout: Duration) -> Instant {
        if self.ready > 0 { self.awaited_since + READY_TIMEOUT } else { self.since + timeout }
    }

    /// Takes over the `isready` commands that waited for the last file, without a new timeout.
    fn inherit(&mut self, before: &Self) {
        if before.ready > 0 {
            (self.ready, self.awaited_since) = (self.ready + before.ready, before.awaited_since);
        }
    }
}

/// The state of the loop.
struct Server<W> {
    engine: Engine,
    /// What `uci` announces as defaults: the options that the program was started with.
    start: Options,
    introduction: Introduction,
    out: Output<W>,
    events: (Sender<ServerEvent>, Receiver<ServerEvent>),
    /// Stops the running search.
    search: Option<Arc<Control>>,
    /// The stop flag of a perft or bench that is running.
    task: Option<Arc<AtomicBool>>,
    solver: SolverFrontEnd,
    /// Which options `uci` lists.
    listing: Listing,
    /// Whether the output is for a terminal.
    human: bool,
    /// The lines last shown on a terminal, by rank.
    shown: human::ShownLines,
    /// Commands that wait for the end of the search.
    waiting: Waiting,
    /// While a large hash table is cleared: the number of `isready` commands that wait for it.
    clearing: Option<usize>,
    /// The option whose files are being read.
    reading: Option<PendingFile>,
    /// Number of readings so far.
    readings: u64,
    /// Cached names of options that differ from the preset; `None` after an option was set.
    changed_options: Option<Vec<&'static str>>,
    /// Why the last `position` was refused. There is nothing to search until a valid one comes.
    refused: Option<String>,
    debug: bool,
    /// The next search panics on purpose.
    crash_search: bool,
    /// Whether standard input is closed.
    ended: bool,
    quitting: bool,
}

/// The loop, and panic containment.
impl<W: Write> Server<W> {
    fn new(options: Options, out: W) -> Self {
        let mut server = Self {
            engine: Engine::new(options.clone()),
            start: options,
            introduction: Introduction::default(),
            out: Output::new(out),
            events: unbounded(),
            search: None,
            task: None,
            solver: SolverFrontEnd::default(),
            listing: Listing::All,
            human: false,
            shown: human::ShownLines::default(),
            waiting: Waiting::default(),
            clearing: None,
            reading: None,
            readings: 0,
            changed_options: None,
            refused: None,
            debug: false,
            crash_search: false,
            ended: false,
            quitting: false,
        };
        server.engine.clear_elsewhere();
        let path = server.engine.options().log_file.clone();
        if let Err(error) = server.out.open_log(&path) {
            log::error!("{error}");
        }
        server
    }

    /// Runs until `quit`; an error means that the client has closed its end.
    fn serve(&mut self, mut commands: Receiver<Input>, unread: &Unread) -> io::Result<()> {
        let events = self.events.1.clone();
        while !self.quitting || self.busy() {
            // Search threads check the clock too, but with more threads than cores none may run in time.
            let deadline = self.search.as_ref().and_then(|search| search.deadline());
            let time_is_up = deadline.map_or_else(never, at);
            let read_too_long =
                self.reading.as_ref().map_or_else(never, |reading| at(reading.deadline(self.read_timeout())));
            let go_on = if self.can_resume() { after(Duration::ZERO) } else { never() };
            select! {
                recv(time_is_up) -> _ => self.stop_search(),
                recv(read_too_long) -> _ => self.stop_waiting_for_file()?,
                recv(go_on) -> _ => self.resume()?,
                recv(commands) -> input => match input {
                    Ok(Input::Line(text, command)) => {
                        unread.taken(&text);
                        self.out.log(">>", &text);
                        self.guarded_command(*command, Self::obey)?;
                    }
                    Ok(Input::End) => self.end()?,
                    // The reader has ended, normally or by a panic.
                    Err(_) => {
                        commands = never();
                        self.end()?;
                    }
                },
                recv(events) -> event => if let Ok(event) = event {
                    self.guarded_event(event)?;
                },
            }
            self.quitting |= self.ended && self.waiting.is_empty() && !self.busy();
            if self.quitting {
                commands = never();
            }
        }
        Ok(())
    }

    /// Handles the end of standard input. Earlier commands are still carried out. Searches are stopped, except those of
    /// `gountil`, which end by themselves.
    fn end(&mut self) -> io::Result<()> {
        self.ended = true;
        self.resume()
    }

    /// Carries out a command; a panic is reported and the engine continues.
    fn guarded_command(
        &mut self,
        command: Command,
        handle: fn(&mut Self, Command) -> io::Result<()>,
    ) -> io::Result<()> {
        self.guarded(&shortened(&format!("{command:?}")), |server| handle(server, command))
    }

    /// Handles an event. If that panics, `bestmove` is still sent.
    fn guarded_event(&mut self, event: ServerEvent) -> io::Result<()> {
        let answer = match &event {
            ServerEvent::Search(Report::Finished(outcome)) => Some(self.style().best_move(outcome)),
            _ => None,
        };
        let mut done = false;
        self.guarded("a report of the background", |server| {
            server.event(event)?;
            done = true;
            Ok(())
        })?;
        answer.filter(|_| !done).map_or(Ok(()), |answer| self.out.say(&answer))
    }

    /// Runs a closure; a panic is reported and the engine continues.
    fn guarded(&mut self, doing: &str, work: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        match catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(result) => result,
            Err(_) => {
                self.log_panic(doing);
                self.out.error(&format!("internal error in {doing}; the engine goes on"))
            }
        }
    }

    /// Logs details of a panic.
    fn log_panic(&mut self, doing: &str) {
        let current = self.engine.options();
        let changed: Vec<String> = options::rows()
            .filter(|row| row.read(current) != row.kind.default_text())
            .map(|row| format!("{}={}", row.name, row.read(current)))
            .collect();
        let fen = self.engine.game().position().fen();
        let text = format!("contained a panic in {doing}; position {fen}; options {}", changed.join(", "));
        log::error!("{text}");
        self.out.log("!!", &text);
    }
}

/// Commands: which are done at once, which wait, and what each does.
impl<W: Write> Server<W> {
    fn busy(&self) -> bool {
        self.search.is_some() || self.task.is_some() || self.reading.is_some() || self.clearing.is_some()
    }

    /// Carries out a command, or what the client means by it between `uci` and its next command.
    fn obey(&mut self, command: Command) -> io::Result<()> {
        self.introduction.pass(command).into_iter().try_for_each(|command| self.obey_or_keep(command))
    }

    /// Carries out a command at once, or keeps it until the running search is over: options, positions and new searches must
    /// neither interfere with a search nor overtake waiting commands. A new search ends the running one.
    fn obey_or_keep(&mut self, command: Command) -> io::Result<()> {
        let meant_for_later = match command {
            Command::Stop | Command::PonderHit => {
                self.waiting.has_other_start() || (self.waiting.has_start() && !self.solver.is_searching())
            }
            Command::SetOption { .. } | Command::NewGame | Command::Solver(_) => self.is_occupied(),
            Command::Position { .. } | Command::BadPosition(_) | Command::Flip => self.is_occupied(),
            Command::Go(_) | Command::Perft(_) | Command::Bench(_) => self.is_occupied(),
            Command::Crash { search: true } => self.is_occupied(),
            // They show options and position, which waiting commands may change.
            Command::Display | Command::Eval => {
                let searching = self.search.is_some() || self.task.is_some();
                self.reading.is_some() || (!self.waiting.is_empty() && !searching)
            }
            Command::IsReady => return self.ready(),
            _ => false,
        };
        if meant_for_later {
            let started_dropping = !self.waiting.begins_to_drop();
            self.waiting.push(command);
            if started_dropping && self.waiting.begins_to_drop() {
                self.out.error(&format!(
                    "more than {MOST_COMMANDS} commands or {} MiB of them wait for the end of the search; \
                     what follows is dropped until they are done",
                    MOST_BYTES >> 20
                ))?;
            }
            return self.resume();
        }
        self.act(command)
    }

    /// Whether a command must wait.
    fn is_occupied(&self) -> bool {
        self.busy() || !self.waiting.is_empty()
    }

    /// `isready` is answered at once, but for a moment in which a file is read, because a client may ask whether its
    /// option was accepted, and while the hash table is cleared, because the clock must not run during that.
    fn ready(&mut self) -> io::Result<()> {
        match (&mut self.clearing, &mut self.reading) {
            (Some(ready), _) => *ready += 1,
            (None, Some(reading)) if reading.awaited_since.elapsed() < READY_TIMEOUT => reading.ready += 1,
            _ => self.out.say("readyok")?,
        }
        Ok(())
    }

    /// Clears a large hash table in another thread, if necessary.
    fn clear_table(&mut self) -> io::Result<()> {
        let Some(clear) = self.engine.clearing() else { return Ok(()) };
        let events = self.events.0.clone();
        let run = move || {
            clear();
            let _ = events.send(ServerEvent::Cleared);
        };
        std::thread::Builder::new().name("clearing".to_owned()).spawn(run)?;
        self.clearing = Some(0);
        Ok(())
    }

    /// Whether a waiting command can be carried out now.
    fn can_resume(&self) -> bool {
        self.waiting.front().is_some_and(|next| is_signal(next) || !self.busy())
    }

    /// Carries out waiting commands for a short time, as far as a running search allows; the loop continues later.
    fn resume(&mut self) -> io::Result<()> {
        let begun = Instant::now();
        while self.can_resume() && begun.elapsed() < AT_A_TIME {
            if let Some(command) = self.waiting.pop() {
                self.guarded_command(command, Self::act)?;
            }
        }
        // A search of `gountil` ends by itself, and its client waits for the answer.
        if self.busy() && (self.ended || self.waiting.has_start()) && !self.solver.is_searching() {
            self.stop();
        }
        if self.waiting.is_empty() && !self.busy() { self.report_dropped() } else { Ok(()) }
    }

    /// Reports commands that were dropped, when everything else is done. Every search has an answer.
    fn report_dropped(&mut self) -> io::Result<()> {
        let Some(dropped) = self.waiting.take_dropped() else { return Ok(()) };
        let what = format!("{} commands were dropped", dropped.commands);
        self.out.error(&what)?;
        if dropped.position {
            self.refused = Some(what);
        }
        (0..dropped.searches).try_for_each(|_| self.out.say("bestmove 0000"))
    }

    fn act(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Uci => {
                // A client that sends `uci` expects the protocol, not readable text.
                (self.human, self.out.human) = (false, false);
                self.introduce()
            }
            Command::Debug(on) => {
                self.debug = on;
                Ok(())
            }
            Command::SetOption { name, value } => self.set_option(&name, &value),
            Command::NewGame => {
                self.engine.new_game();
                self.refused = None;
                self.clear_table()
            }
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            Command::Go(go) => self.go(&go),
            Command::Solver(command) => self.solve(command),
            Command::Perft(depth) => {
                if self.refused.is_some() {
                    return self.answer_nothing();
                }
                let position = self.engine.game().position().clone();
                self.task = Some(task::perft(&self.events.0, position, depth, self.style())?);
                Ok(())
            }
            Command::Bench(depth) => {
                self.task = Some(task::bench(&self.events.0, self.engine.options().clone(), depth)?);
                Ok(())
            }
            other => self.act_at_once(other),
        }
    }

    /// Commands that never wait.
    fn act_at_once(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Stop => self.stop(),
            Command::PonderHit => self.search.iter().for_each(|search| search.ponder_hit()),
            Command::Quit => {
                self.waiting.clear();
                // Files being read and a table being cleared no longer matter.
                (self.reading, self.clearing) = (None, None);
                self.quitting = true;
                self.stop();
            }
            Command::Display => return self.display(),
            Command::Eval => return self.explain(),
            Command::Flip => self.flip(),
            Command::Help => return self.out.say(&display::help(screen_width())),
            Command::Crash { search: true } => self.crash_search = true,
            #[expect(clippy::panic, reason = "this command exists to show that a panic is contained")]
            Command::Crash { search: false } => panic!("panic on purpose"),
            Command::BadPosition(what) => return self.refuse_position(what),
            Command::Malformed(what) => return self.out.error(&what),
            _ => {}
        }
        Ok(())
    }

    /// Prints the static evaluation: its total, its terms, and with a network also the terms of the classical evaluation.
    fn explain(&mut self) -> io::Result<()> {
        let position = self.engine.game().position();
        let explanation = eval::explain(position, self.engine.weights());
        if let Some(network) = self.engine.network() {
            let values = eval::network::piece_values(position, network);
            let (mover, turn) = position.turn().fold_wb((values.white, "White"), (-values.white, "Black"));
            self.out.say(&format!(
                "total {:+} for White, {mover:+} for {turn} to move (network)",
                values.white
            ))?;
            self.out.say(&values.to_string())?;
            self.out.say("\nThe classical evaluation, for comparison:")?;
        }
        self.out.say(&explanation.to_string())
    }

    fn stop_search(&self) {
        if let Some(search) = &self.search {
            search.stop();
        }
    }

    fn stop(&mut self) {
        self.stop_search();
        self.solver.cut_short();
        if let Some(task) = &self.task {
            task.store(true, Ordering::Relaxed);
        }
    }
}

/// Searches: how they are started, and what is printed about them.
impl<W: Write> Server<W> {
    fn go(&mut self, go: &Go) -> io::Result<()> {
        if self.refused.is_some() {
            return self.answer_nothing();
        }
        if let Some(note) = go.note() {
            self.out.say(&format!("info string NOTE {note}"))?;
        }
        let (limits, wrong) = go.limits(self.engine.game().position());
        for error in wrong.iter().take(MOST_WRONG) {
            self.out.error(&format!("searchmoves: {error}; skipped"))?;
        }
        if wrong.len() > MOST_WRONG {
            self.out.error(&format!("searchmoves: {} more; skipped", wrong.len() - MOST_WRONG))?;
        }
        self.tell_changed_options()?;
        if let Some(m) = self.engine.book_move(&limits) {
            if self.human {
                let book = format!("best move {} (from the book)", san(self.engine.game().position(), m));
                return self.out.say(&book);
            }
            self.out.say("info string book move")?;
            return self.out.say(&format!("bestmove {}", uci_text(m, self.engine.options().chess960)));
        }
        if self.human {
            self.shown = human::ShownLines::default();
            self.out.say(human::heading(screen_width()))?;
        }
        self.start(limits);
        Ok(())
    }

    /// Answers a search that has no position to search.
    fn answer_nothing(&mut self) -> io::Result<()> {
        let reason = self.refused.as_deref().unwrap_or_default();
        self.out.error(&format!("no position to search: {reason}"))?;
        self.out.say("bestmove 0000")
    }

    /// Reports options that differ from the preset: a client that sends every option as it was announced undoes it.
    fn tell_changed_options(&mut self) -> io::Result<()> {
        let options = self.engine.options();
        let names = self.changed_options.get_or_insert_with(|| options.changed_from_preset());
        if names.is_empty() {
            return Ok(());
        }
        let preset = options.preset.name();
        let which = if self.debug { format!(": {}", names.join(", ")) } else { String::new() };
        let count = if names.len() == 1 { "1 option".to_owned() } else { format!("{} options", names.len()) };
        self.out.say(&format!("info string NOTE Preset {preset} with {count} changed{which}"))
    }

    /// Starts a search that reports to the loop.
    fn start(&mut self, limits: Limits) {
        let sender = self.events.0.clone();
        let search = Search::new(limits).panicking(std::mem::take(&mut self.crash_search)).listener(
            move |report: Report| {
                let _ = sender.send(ServerEvent::Search(report));
            },
        );
        let file = PathBuf::from(&self.engine.options().tree_file);
        self.search = Some(if !file.as_os_str().is_empty() {
            let search = tree::recorded(search, &self.engine, &file, Keep::Last);
            self.engine.start(search).detach()
        } else if self.debug {
            self.engine.start(search.observer(Tally::default())).detach()
        } else {
            self.engine.start(search).detach()
        });
    }

    /// Carries out one of the three commands for learning search control.
    fn solve(&mut self, command: SolverCommand) -> io::Result<()> {
        match command {
            SolverCommand::SetBoard(fen) => {
                let before = self.engine.game().clone();
                self.engine.new_game();
                self.clear_table()?;
                self.set_position(Some(&fen), &[])?;
                if self.refused.is_some() {
                    self.engine.set_game(before);
                }
            }
            SolverCommand::SetParam(weights) => {
                self.changed_options = None;
                solver::set_weights(&mut self.engine, &weights);
            }
            SolverCommand::GoUntil { moves, nodes } => {
                let asked = match &self.refused {
                    Some(reason) if nodes > 0 => Err(format!("no position to search: {reason}")),
                    _ => self.solver.begin(self.engine.game().position(), &moves, nodes),
                };
                match asked {
                    Ok(limits) => self.start(limits),
                    Err(what) => {
                        self.out.error(&what)?;
                        // The client waits for an answer in any case.
                        self.out.say("nodes 0 0")?;
                    }
                }
            }
        }
        Ok(())
    }

    fn event(&mut self, event: ServerEvent) -> io::Result<()> {
        match event {
            ServerEvent::Text(text) => self.out.say(&text),
            ServerEvent::Search(Report::Finished(outcome)) => {
                self.search = None;
                self.conclude(&outcome)?;
                self.resume()
            }
            ServerEvent::Search(_) if self.solver.is_searching() => Ok(()),
            ServerEvent::Search(Report::Line(line, effort)) if self.human => self.show_line(&line, &effort),
            ServerEvent::Search(_) if self.human => Ok(()),
            ServerEvent::Search(report) => match self.style().info(&report) {
                Some(info) => self.out.say(&info.to_string()),
                None => Ok(()),
            },
            ServerEvent::TaskDone => {
                self.task = None;
                self.resume()
            }
            ServerEvent::Cleared => {
                let ready = self.clearing.take().unwrap_or_default();
                self.say_ready(ready)?;
                self.resume()
            }
            ServerEvent::Read(number, change) => {
                if let Some(reading) = self.reading.take_if(|reading| reading.number == number) {
                    self.change_options(*change)?;
                    self.resume()?;
                    // A command that waited for this file may have begun to read another.
                    return match &mut self.reading {
                        Some(next) => {
                            next.inherit(&reading);
                            Ok(())
                        }
                        None => self.now_ready(reading.ready),
                    };
                }
                Ok(())
            }
        }
    }

    /// Prints the end of a search.
    fn conclude(&mut self, outcome: &Outcome) -> io::Result<()> {
        if let Some(what) = &outcome.panicked {
            self.log_panic(&format!("the search ({what})"));
            self.out.error(&format!(
                "internal error in the search ({what}); answering with the best move known"
            ))?;
        }
        if let Some(what) = self.engine.syzygy().and_then(|tables| tables.unreported_failure()) {
            self.out.error(what)?;
        }
        if let Some(result) = self.solver.end(outcome) {
            return self.out.say(&result.to_string());
        }
        if outcome.lines.is_empty() {
            self.out.say(&no_moves(self.engine.game().position()).to_string())?;
        }
        match &outcome.recorded {
            Some(Ok(written)) => self.out.say(&format!("info string {written}"))?,
            Some(Err(what)) => self.out.error(what)?,
            None => {}
        }
        if self.debug {
            self.show_statistics(outcome)?;
        }
        if self.human {
            return self.out.say(&human::best_move(self.engine.game().position(), outcome));
        }
        self.out.say(&self.style().best_move(outcome))
    }

    /// Prints a line of a search on a terminal, unless only time and nodes have changed.
    fn show_line(&mut self, line: &Line, effort: &Effort) -> io::Result<()> {
        if !self.shown.is_news(line) {
            return Ok(());
        }
        self.out.say(&human::line(self.engine.game().position(), line, effort, screen_width()))
    }

    fn show_statistics(&mut self, outcome: &Outcome) -> io::Result<()> {
        let statistics = outcome.statistics();
        for method in METHODS {
            let share = statistics.method(method.id);
            if share.attempts > 0 || self.engine.options().selective.is_on(method.id) {
                self.out.say(&display::share(&share))?;
            }
        }
        Ok(())
    }

    fn style(&self) -> UciStyle {
        let options = self.engine.options();
        UciStyle { chess960: options.chess960, wdl: options.show_wdl }
    }
}

/// Options and positions: what a client sets before it starts a search.
impl<W: Write> Server<W> {
    fn introduce(&mut self) -> io::Result<()> {
        let mut text = format!("id name {}\nid author the Espalier authors\n", display::name());
        for row in options::listed(self.listing) {
            text.push_str(&(row.announcement(&row.read(&self.start)) + "\n"));
        }
        self.introduction = Introduction::open(self.start.clone(), self.engine.options().clone());
        self.out.say(&(text + "uciok"))
    }

    fn set_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        let is_log = options::effect_of(name) == Effect::OpenLog;
        if is_log && let Err(error) = self.out.open_log(if value == "<empty>" { "" } else { value }) {
            return self.out.error(&error);
        }
        let preparation = self.engine.prepare(name, value);
        if !preparation.may_read() {
            return self.change_options(preparation.run());
        }
        // Reading a file may take long, so the loop does not wait for it.
        self.readings += 1;
        let (number, events) = (self.readings, self.events.0.clone());
        let read = move || {
            let change = catch_unwind(AssertUnwindSafe(|| preparation.run()));
            let change = change.unwrap_or_else(|_| Err(OptionError::File("internal error".to_owned())));
            let _ = events.send(ServerEvent::Read(number, Box::new(change)));
        };
        std::thread::Builder::new().name("file".to_owned()).stack_size(STACK).spawn(read)?;
        let since = Instant::now();
        self.reading =
            Some(PendingFile { number, name: name.to_owned(), since, ready: 0, awaited_since: since });
        Ok(())
    }

    /// The timeout for reading a file; short once the client is gone.
    fn read_timeout(&self) -> Duration {
        if self.ended { READY_TIMEOUT } else { READ_TIMEOUT }
    }

    /// Answers pending `isready` commands, or abandons a reading that takes too long.
    fn stop_waiting_for_file(&mut self) -> io::Result<()> {
        let timeout = self.read_timeout();
        let Some(reading) = &mut self.reading else { return Ok(()) };
        let ready = std::mem::take(&mut reading.ready);
        self.say_ready(ready)?;
        if let Some(reading) = self.reading.take_if(|reading| reading.since.elapsed() >= timeout) {
            let seconds = timeout.as_secs();
            let name = shortened(&reading.name);
            self.out.error(&format!(
                "option {name}: not read within {seconds} s; all options are as they were"
            ))?;
        }
        self.resume()
    }

    /// Answers pending `isready` commands after a file is read, unless they must wait for another.
    fn now_ready(&mut self, times: usize) -> io::Result<()> {
        match &mut self.clearing {
            Some(ready) => {
                *ready += times;
                Ok(())
            }
            None => self.say_ready(times),
        }
    }

    fn say_ready(&mut self, times: usize) -> io::Result<()> {
        (0..times).try_for_each(|_| self.out.say("readyok"))
    }

    /// Applies a change whose files were read, or reports the error.
    fn change_options(&mut self, change: Result<Change, OptionError>) -> io::Result<()> {
        let before = self.engine.options().selective.notes();
        let syzygy = self.engine.syzygy().cloned();
        self.changed_options = None;
        if let Err(error) = change.and_then(|change| self.engine.apply(change)) {
            return self.out.error(&error.to_string());
        }
        self.clear_table()?;
        for note in self.engine.options().selective.notes().iter().filter(|note| !before.contains(note)) {
            self.out.say(&format!("info string NOTE {note}"))?;
        }
        let same = |now: &Arc<_>| syzygy.as_ref().is_some_and(|before| Arc::ptr_eq(before, now));
        match self.engine.syzygy().filter(|now| !same(now)) {
            Some(found) => self.out.say(&format!("info string {found}")),
            None => Ok(()),
        }
    }

    fn display(&mut self) -> io::Result<()> {
        self.out.say(&display::board(self.engine.game().position()))?;
        match self.refused {
            Some(_) => {
                self.out.say("info string NOTE the last position was refused; this is the one before it")
            }
            None => Ok(()),
        }
    }

    /// Exchanges the colours and the side to move.
    fn flip(&mut self) {
        if let Some(position) = self.engine.game().position().flipped() {
            self.engine.set_game(Game::new(position));
        }
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> io::Result<()> {
        match read_position(fen, moves, self.engine.options().chess960) {
            Ok(game) => {
                self.engine.set_game(game);
                self.refused = None;
                Ok(())
            }
            Err(what) => self.refuse_position(what),
        }
    }

    fn refuse_position(&mut self, what: String) -> io::Result<()> {
        self.out.error(&what)?;
        self.refused = Some(what);
        Ok(())
    }
}

fn read_position(fen: Option<&str>, moves: &[String], chess960: bool) -> Result<Game, String> {
    let start = match fen {
        None => Position::default(),
        Some(fen) => Position::from_fen(fen, chess960)
            .map_err(|error| format!("position refused: {error} in {:?}", shortened(fen)))?,
    };
    let mut game = Game::new(start);
    for (index, text) in moves.iter().enumerate() {
        let m = game.position().parse_move(text).map_err(|error| {
            format!("position refused: move {}, {}", index + 1, shortened(&error.to_string()))
        })?;
        game.play(m);
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An output that panics at its first line.
    #[derive(Default)]
    struct Trap {
        sprung: bool,
        text: Vec<u8>,
    }

    impl Write for Trap {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            assert!(std::mem::replace(&mut self.sprung, true), "panic on purpose");
            self.text.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_is_gone_ends_the_engine_and_the_search_is_answered() {
        let mut text = Vec::new();
        let (sender, commands) = unbounded();
        let go = Command::Go(Go { infinite: true, ..Go::default() });
        assert!(sender.send(Input::Line("go infinite".to_owned(), Box::new(go))).is_ok());
        drop(sender);
        Server::new(Options::default(), &mut text).serve(commands, &Unread::default()).unwrap();
        assert_eq!(String::from_utf8(text).unwrap().matches("bestmove").count(), 1);
    }

    // Waiting commands are carried out in steps, and new commands arrive meanwhile.
    #[test]
    fn the_static_evaluation_is_that_of_the_position_before_it() {
        let mut text = Vec::new();
        let mut server = Server::new(Options::default(), &mut text);
        let fen = "4k3/8/8/8/8/8/8/QQQQK3 w - - 0 1".to_owned();
        server.waiting.push(Command::Position { fen: Some(fen), moves: Vec::new() });
        server.obey(Command::Eval).unwrap();
        let text = String::from_utf8(text).unwrap();
        let total = text.split_whitespace().nth(1).and_then(|total| total.parse::<i32>().ok());
        assert!(total.is_some_and(|total| total > 1_000), "{text}");
    }

    #[test]
    fn a_panic_over_a_report_is_contained() {
        let mut server = Server::new(Options::default(), Trap::default());
        server.task = Some(Arc::default());
        let finished = ServerEvent::Search(Report::Finished(Box::default()));
        for event in [finished, ServerEvent::TaskDone] {
            assert!(server.events.0.send(event).is_ok());
        }
        let (sender, commands) = unbounded();
        assert!(sender.send(Input::End).is_ok());
        server.serve(commands, &Unread::default()).unwrap();
        let said = String::from_utf8(server.out.into_inner().text).unwrap();
        assert!(said.contains("ERROR internal error in a report of the background"), "{said}");
        assert_eq!(said.matches("bestmove").count(), 1, "{said}");
    }
}
