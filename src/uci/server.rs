//! The engine as a client sees it: a loop that answers, and never searches itself.
//!
//! The loop waits for commands, for reports of the search and for the deadline of the search under way: it answers
//! `isready` at once, raises the stop flag itself when the time is up, and is the only one who prints.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, at, never, select, unbounded};

use super::command::{Command, shortened};
use super::display;
use super::go::Go;
use super::info::{UciStyle, no_moves};
use super::output::Output;
use super::reader::{Input, read};
use super::solver::{self, SolverCommand, SolverFrontEnd};
use super::task;
use crate::board::{Game, Position};
use crate::engine::Engine;
use crate::eval;
use crate::limits::Limits;
use crate::options::{self, Effect, Listing, Options};
use crate::search::control::Control;
use crate::search::observer::Tally;
use crate::search::{Outcome, Report, Search};
use crate::selective::METHODS;
use crate::tree::{self, Keep};

/// Serves a client on standard input and output until it quits.
pub fn run(options: Options, listing: Listing) -> io::Result<()> {
    std::panic::set_hook(Box::new(|info| log::error!("{info}")));
    let (sender, commands) = unbounded();
    std::thread::Builder::new().name("reader".to_owned()).spawn(move || read(io::stdin().lock(), &sender))?;
    let mut server = Server::new(options, io::stdout());
    server.listing = listing;
    if io::stdin().is_terminal() {
        server.out.say(&display::greeting())?;
    }
    server.serve(commands)
}

/// What comes out of the work in the background.
pub(super) enum Event {
    Search(Report),
    Text(String),
    TaskDone,
}

/// What the loop keeps between commands.
struct Server<W> {
    engine: Engine,
    out: Output<W>,
    events: (Sender<Event>, Receiver<Event>),
    /// What ends the search under way.
    search: Option<Arc<Control>>,
    /// The stop flag of a perft or bench that is running.
    task: Option<Arc<AtomicBool>>,
    solver: SolverFrontEnd,
    /// Which options `uci` lists.
    listing: Listing,
    /// Commands that wait for the end of the search.
    waiting: VecDeque<Command>,
    /// Why the last `position` was refused: there is nothing to search until a good one comes.
    refused: Option<String>,
    debug: bool,
    /// The next search panics on purpose.
    crash_search: bool,
    quitting: bool,
}

/// Waiting, and the care that a panic does not end the engine.
impl<W: Write> Server<W> {
    fn new(options: Options, out: W) -> Self {
        let mut server = Self {
            engine: Engine::new(options),
            out: Output::new(out),
            events: unbounded(),
            search: None,
            task: None,
            solver: SolverFrontEnd::default(),
            listing: Listing::All,
            waiting: VecDeque::new(),
            refused: None,
            debug: false,
            crash_search: false,
            quitting: false,
        };
        let path = server.engine.options().log_file.clone();
        if let Err(error) = server.out.open_log(&path) {
            log::error!("{error}");
        }
        server
    }

    /// Answers until told to quit; an error means that nobody reads the answers any more.
    fn serve(&mut self, mut commands: Receiver<Input>) -> io::Result<()> {
        let events = self.events.1.clone();
        while !self.quitting || self.busy() {
            // The search threads keep the clock too, but with more of them than cores none may get to see it in time.
            let deadline = self.search.as_ref().and_then(|search| search.deadline());
            let time_is_up = deadline.map_or_else(never, at);
            select! {
                recv(time_is_up) -> _ => self.stop_search(),
                recv(commands) -> input => match input {
                    Ok(Input::Line(text, command)) => {
                        self.out.log(">>", &text);
                        self.guarded(command, Self::obey)?;
                    }
                    Ok(Input::End) => self.end()?,
                    // The reader has gone; what is under way still ends properly.
                    Err(_) => commands = never(),
                },
                recv(events) -> event => if let Ok(event) = event {
                    self.event(event)?;
                },
            }
            if self.quitting {
                commands = never();
            }
        }
        Ok(())
    }

    /// Nothing more comes in. Searches until a move is found end by themselves, and whoever wrote them into a
    /// pipe waits for the answers; everything else ends now.
    fn end(&mut self) -> io::Result<()> {
        if self.solver.is_searching() || self.waiting.iter().any(is_until) {
            self.waiting.retain(|command| !is_start(command) || is_until(command));
            self.waiting.push_back(Command::Quit);
            return self.resume();
        }
        self.guarded(Command::Quit, Self::obey)
    }

    /// Obeys a command; a panic on the way is reported and the engine goes on.
    fn guarded(
        &mut self,
        command: Command,
        handle: fn(&mut Self, Command) -> io::Result<()>,
    ) -> io::Result<()> {
        let doing = shortened(&format!("{command:?}"));
        match catch_unwind(AssertUnwindSafe(|| handle(self, command))) {
            Ok(result) => result,
            Err(_) => {
                self.log_panic(&doing);
                self.out.error(&format!("internal error in {doing}; the engine goes on"))
            }
        }
    }

    /// Logs what somebody who hunts a panic wants to know.
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

/// Commands: which are obeyed at once, which wait, and what each does.
impl<W: Write> Server<W> {
    fn busy(&self) -> bool {
        self.search.is_some() || self.task.is_some()
    }

    /// Obeys at once, or keeps the command until the search under way is over: an option, a position or a
    /// new search must never mix with it. A new search ends the one under way.
    fn obey(&mut self, command: Command) -> io::Result<()> {
        let meant_for_later = match command {
            Command::Stop | Command::PonderHit => {
                self.waiting.iter().any(|c| is_start(c) && !is_until(c))
                    || (self.starts_waiting() && !self.solver.is_searching())
            }
            Command::SetOption { .. } | Command::NewGame | Command::Solver(_) => self.busy(),
            Command::Position { .. } | Command::BadPosition(_) => self.busy(),
            Command::Crash { search: true } => self.busy(),
            Command::Go(_) | Command::Perft(_) | Command::Bench(_) => self.busy(),
            _ => false,
        };
        if meant_for_later {
            self.waiting.push_back(command);
            return self.resume();
        }
        self.act(command)
    }

    /// Does what waited, as far as a search under way allows.
    fn resume(&mut self) -> io::Result<()> {
        while let Some(next) = self.waiting.front() {
            let signal = matches!(next, Command::Stop | Command::PonderHit);
            if self.busy() && !signal {
                // A search until a move is found ends by itself, and its driver waits for the answer.
                if self.starts_waiting() && !self.solver.is_searching() {
                    self.stop();
                }
                break;
            }
            if let Some(command) = self.waiting.pop_front() {
                self.guarded(command, Self::act)?;
            }
        }
        Ok(())
    }

    /// A `go` waits for the end of the search, so `stop` and `ponderhit` are meant for it.
    fn starts_waiting(&self) -> bool {
        self.waiting.iter().any(is_start)
    }

    fn act(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => self.out.say("readyok"),
            Command::Debug(on) => {
                self.debug = on;
                Ok(())
            }
            Command::SetOption { name, value } => self.set_option(&name, &value),
            Command::NewGame => {
                self.engine.new_game();
                self.refused = None;
                Ok(())
            }
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            Command::Go(go) => self.go(&go),
            Command::Solver(command) => self.solve(command),
            Command::Perft(depth) => {
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
                self.quitting = true;
                self.stop();
            }
            Command::Display => return self.display(),
            Command::Eval => {
                let explanation = eval::explain(self.engine.game().position(), self.engine.weights());
                self.out.say(&explanation.to_string())?;
                let position = self.engine.game().position();
                let network =
                    self.engine.network().map(|network| eval::network::piece_values(position, network));
                return network.map_or(Ok(()), |values| self.out.say(&values.to_string()));
            }
            Command::Help => return self.out.say(display::HELP),
            Command::Crash { search: true } => self.crash_search = true,
            #[expect(clippy::panic, reason = "this command exists to show that a panic is contained")]
            Command::Crash { search: false } => panic!("panic on purpose"),
            Command::BadPosition(what) => return self.refuse_position(what),
            Command::Malformed(what) => return self.out.error(&what),
            _ => {}
        }
        Ok(())
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

/// Searches: how they are started, and what is said of them.
impl<W: Write> Server<W> {
    fn go(&mut self, go: &Go) -> io::Result<()> {
        if let Some(reason) = &self.refused {
            self.out.error(&format!("no position to search: {reason}"))?;
            return self.out.say("bestmove 0000");
        }
        let (limits, wrong) = go.limits(self.engine.game().position());
        for error in wrong {
            self.out.error(&format!("searchmoves: {error}; skipped"))?;
        }
        self.start(limits);
        Ok(())
    }

    /// Starts a search that tells the loop of everything.
    fn start(&mut self, limits: Limits) {
        let sender = self.events.0.clone();
        let search = Search::new(limits).panicking(std::mem::take(&mut self.crash_search)).listener(
            move |report: Report| {
                let _ = sender.send(Event::Search(report));
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

    /// Obeys one of the three commands of learning search control.
    fn solve(&mut self, command: SolverCommand) -> io::Result<()> {
        match command {
            SolverCommand::SetBoard(fen) => {
                let before = self.engine.game().clone();
                self.engine.new_game();
                self.set_position(Some(&fen), &[])?;
                if self.refused.is_some() {
                    self.engine.set_game(before);
                }
            }
            SolverCommand::SetParam(weights) => solver::set_weights(&mut self.engine, &weights),
            SolverCommand::GoUntil { moves, nodes } => {
                let asked = match &self.refused {
                    Some(reason) if nodes > 0 => Err(format!("no position to search: {reason}")),
                    _ => self.solver.begin(self.engine.game().position(), &moves, nodes),
                };
                match asked {
                    Ok(limits) => self.start(limits),
                    Err(what) => {
                        self.out.error(&what)?;
                        // Its driver waits for an answer in any case.
                        self.out.say("nodes 0 0")?;
                    }
                }
            }
        }
        Ok(())
    }

    fn event(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Text(text) => self.out.say(&text),
            Event::Search(Report::Finished(outcome)) => {
                self.search = None;
                self.conclude(&outcome)?;
                self.resume()
            }
            Event::Search(_) if self.solver.is_searching() => Ok(()),
            Event::Search(report) => match self.style().info(&report) {
                Some(info) => self.out.say(&info.to_string()),
                None => Ok(()),
            },
            Event::TaskDone => {
                self.task = None;
                self.resume()
            }
        }
    }

    /// The last words of a search.
    fn conclude(&mut self, outcome: &Outcome) -> io::Result<()> {
        if let Some(what) = &outcome.panicked {
            self.log_panic(&format!("the search ({what})"));
            self.out.error(&format!(
                "internal error in the search ({what}); answering with the best move known"
            ))?;
        }
        if let Some(what) = self.engine.syzygy().and_then(|tables| tables.news()) {
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
        self.out.say(&self.style().best_move(outcome))
    }

    fn show_statistics(&mut self, outcome: &Outcome) -> io::Result<()> {
        let statistics = outcome.statistics();
        for method in METHODS {
            let share = statistics.share(method.id);
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
            text.push_str(&format!("{row}\n"));
        }
        self.out.say(&(text + "uciok"))
    }

    fn set_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        let is_log = options::effect_of(name) == Effect::OpenLog;
        if is_log && let Err(error) = self.out.open_log(if value == "<empty>" { "" } else { value }) {
            return self.out.error(&error);
        }
        let before = self.engine.options().selective.notes();
        let syzygy = self.engine.syzygy().cloned();
        if let Err(error) = self.engine.set_option(name, value) {
            return self.out.error(&error.to_string());
        }
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

/// Commands that begin some work and end what is under way.
fn is_start(command: &Command) -> bool {
    matches!(command, Command::Go(_) | Command::Perft(_) | Command::Bench(_)) || is_until(command)
}

fn is_until(command: &Command) -> bool {
    matches!(command, Command::Solver(SolverCommand::GoUntil { .. }))
}
