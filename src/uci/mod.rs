//! The UCI front end: a reader thread that never blocks, and a loop that answers.
//!
//! The reader turns standard input into [`Command`]s on a channel. The loop waits for commands and for
//! reports of the search: it answers `isready` at once even while a search runs, raises the stop flag
//! itself, and is the only one who prints.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

pub mod command;
pub mod report;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, IsTerminal, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, at, never, select, unbounded};
use shakmaty::san::San;
use shakmaty::{Color, Move};

use crate::bench;
use crate::board::perft;
use crate::board::{Game, Position};
use crate::engine::Engine;
use crate::eval;
use crate::learn::search_control::solver::SolverResult;
use crate::limits::{Clock, Limits};
use crate::options::{self, Options};
use crate::search::control::Control;
use crate::search::observer::Tally;
use crate::search::{Outcome, Report, STACK, Search};
use crate::selective::METHODS;
use crate::tree::{self, Keep};
use command::{Command, Go, milliseconds, shortened};
use report::UciStyle;

/// Serves a client on standard input and output until it quits.
pub fn run(options: Options) -> io::Result<()> {
    std::panic::set_hook(Box::new(|info| log::error!("{info}")));
    let (sender, commands) = unbounded();
    std::thread::Builder::new().name("reader".to_owned()).spawn(move || read(io::stdin().lock(), &sender))?;
    let mut front = FrontEnd::new(options, io::stdout());
    if io::stdin().is_terminal() {
        front.say(&greeting())?;
    }
    front.serve(&commands)
}

/// The name the engine gives itself.
pub fn name() -> String {
    format!("Espalier {}", env!("CARGO_PKG_VERSION"))
}

fn greeting() -> String {
    format!("{}, a chess engine that speaks UCI; help lists the commands, quit ends", name())
}

/// What comes in on standard input.
enum Input {
    Line(String, Command),
    End,
}

/// Reads lines as bytes, whatever they contain, and never holds more than a line's worth of them.
fn read(mut input: impl BufRead, sender: &Sender<Input>) {
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
        too_long |= line.len() + taken.len() > command::MAX_LINE;
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
        let what = format!("a line of more than {} bytes was dropped", command::MAX_LINE);
        let position = text.trim_start().starts_with("position");
        let command = if position { Command::BadPosition(what) } else { Command::Malformed(what) };
        Input::Line(shortened(&text), command)
    } else {
        Input::Line(text, command::parse(line))
    };
    line.clear();
    *too_long = false;
    sender.send(input).map_err(|_| ())
}

/// What comes out of the work in the background.
enum Event {
    Search(Report),
    Text(String),
    TaskDone,
}

/// The loop's state.
struct FrontEnd<W> {
    engine: Engine,
    out: W,
    log: Option<File>,
    /// Commands that wait for the end of the search.
    waiting: VecDeque<Command>,
    /// Why the last `position` was refused: there is nothing to search until a good one comes.
    refused: Option<String>,
    /// The stop flag of a perft or bench that is running.
    task: Option<Arc<AtomicBool>>,
    events: (Sender<Event>, Receiver<Event>),
    debug: bool,
    /// What ends the search under way.
    search: Option<Arc<Control>>,
    /// The next search panics on purpose.
    crash_search: bool,
    /// The moves that the search under way is looking for; then only `nodes` is printed.
    until: Option<Until>,
    quitting: bool,
}

impl<W: Write> FrontEnd<W> {
    fn new(options: Options, out: W) -> Self {
        let mut front = Self {
            engine: Engine::new(options),
            out,
            log: None,
            waiting: VecDeque::new(),
            refused: None,
            task: None,
            events: unbounded(),
            debug: false,
            search: None,
            crash_search: false,
            until: None,
            quitting: false,
        };
        let path = front.engine.options().log_file.clone();
        if let Err(error) = front.open_log(&path) {
            log::error!("{error}");
        }
        front
    }

    /// Answers until told to quit; an error means that nobody reads the answers any more.
    fn serve(&mut self, commands: &Receiver<Input>) -> io::Result<()> {
        let events = self.events.1.clone();
        let mut commands = commands.clone();
        while !self.quitting || self.busy() {
            // The search threads keep the clock too, but with more of them than cores none may get to see it in time.
            let deadline = self.search.as_ref().and_then(|search| search.deadline());
            let time_is_up = deadline.map_or_else(never, at);
            select! {
                recv(time_is_up) -> _ => self.search.iter().for_each(|search| search.stop()),
                recv(commands) -> input => match input {
                    Ok(Input::Line(text, command)) => {
                        self.write_log(">>", &text);
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
        if self.until.is_some() || self.waiting.iter().any(is_until) {
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
                self.error(&format!("internal error in {doing}; the engine goes on"))
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
        self.write_log("!!", &text);
    }

    fn busy(&self) -> bool {
        self.search.is_some() || self.task.is_some()
    }

    /// Obeys at once, or keeps the command until the search under way is over: an option, a position or a
    /// new search must never mix with it. A new search ends the one under way.
    fn obey(&mut self, command: Command) -> io::Result<()> {
        let meant_for_later = match command {
            Command::Stop | Command::PonderHit => {
                self.waiting.iter().any(|c| is_start(c) && !is_until(c))
                    || (self.starts_waiting() && self.until.is_none())
            }
            Command::SetOption { .. } | Command::NewGame => self.busy(),
            Command::SetBoard(_) | Command::SetParam(_) | Command::GoUntil { .. } => self.busy(),
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

    fn act(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Uci => self.introduce()?,
            Command::IsReady => self.say("readyok")?,
            Command::Debug(on) => self.debug = on,
            Command::SetOption { name, value } => self.set_option(&name, &value)?,
            Command::NewGame => {
                self.engine.new_game();
                self.refused = None;
            }
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves)?,
            Command::Go(go) => self.go(&go)?,
            Command::SetBoard(fen) => self.set_board(&fen)?,
            Command::SetParam(weights) => self.set_param(&weights),
            Command::GoUntil { moves, nodes } => self.go_until(&moves, nodes)?,
            Command::Perft(depth) => self.perft(depth)?,
            Command::Bench(depth) => self.bench(depth)?,
            Command::Stop => self.stop(),
            Command::PonderHit => self.search.iter().for_each(|search| search.ponder_hit()),
            Command::Quit => {
                self.waiting.clear();
                self.quitting = true;
                self.stop();
            }
            Command::Display => {
                self.say(&report::board(self.engine.game().position()))?;
                if self.refused.is_some() {
                    self.say("info string NOTE the last position was refused; this is the one before it")?;
                }
            }
            Command::Eval => {
                let explanation = eval::explain(self.engine.game().position(), self.engine.weights());
                self.say(&explanation.to_string())?;
            }
            Command::Help => self.say(HELP)?,
            Command::Crash { search: true } => self.crash_search = true,
            #[expect(clippy::panic, reason = "this command exists to show that a panic is contained")]
            Command::Crash { search: false } => panic!("panic on purpose"),
            Command::Nothing => {}
            Command::BadPosition(what) => self.refuse_position(what)?,
            Command::Malformed(what) => self.error(&what)?,
        }
        Ok(())
    }

    /// A `go` waits for the end of the search, so `stop` and `ponderhit` are meant for it.
    fn starts_waiting(&self) -> bool {
        self.waiting.iter().any(is_start)
    }

    fn stop(&mut self) {
        self.search.iter().for_each(|search| search.stop());
        if let Some(until) = &mut self.until {
            until.cut_short = true;
        }
        if let Some(task) = &self.task {
            task.store(true, Ordering::Relaxed);
        }
    }

    fn event(&mut self, event: Event) -> io::Result<()> {
        let style = self.style();
        match event {
            Event::Text(text) => self.say(&text),
            Event::Search(Report::Line(..) | Report::CurrentMove { .. }) if self.until.is_some() => Ok(()),
            Event::Search(Report::Line(line, effort)) => self.say(&style.line(&line, &effort)),
            Event::Search(Report::CurrentMove { depth, m, number }) => {
                self.say(&style.current_move(depth, m, number))
            }
            Event::Search(Report::Finished(outcome)) => {
                self.search = None;
                self.conclude(&outcome)?;
                self.resume()
            }
            Event::TaskDone => {
                self.task = None;
                self.resume()
            }
        }
    }

    /// Does what waited, as far as a search under way allows.
    fn resume(&mut self) -> io::Result<()> {
        while let Some(next) = self.waiting.front() {
            let signal = matches!(next, Command::Stop | Command::PonderHit);
            if self.busy() && !signal {
                // A search until a move is found ends by itself, and its driver waits for the answer.
                if self.starts_waiting() && self.until.is_none() {
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

    /// The last words of a search.
    fn conclude(&mut self, outcome: &Outcome) -> io::Result<()> {
        if let Some(what) = &outcome.panicked {
            self.log_panic(&format!("the search ({what})"));
            self.error(&format!(
                "internal error in the search ({what}); answering with the best move known"
            ))?;
        }
        if let Some(what) = self.engine.syzygy().and_then(|tables| tables.news()).map(str::to_owned) {
            self.error(&what)?;
        }
        if let Some(until) = self.until.take() {
            let SolverResult { solved, nodes } = until.count(outcome);
            return self.say(&format!("nodes {} {nodes}", u8::from(solved)));
        }
        if outcome.lines.is_empty() {
            let text = report::no_moves(self.engine.game().position());
            self.say(text)?;
        }
        match &outcome.recorded {
            Some(Ok(written)) => self.say(&format!("info string {written}"))?,
            Some(Err(what)) => self.error(what)?,
            None => {}
        }
        if self.debug {
            let statistics = outcome.statistics();
            for method in METHODS {
                let share = statistics.share(method.id);
                if share.attempts > 0 || self.engine.options().selective.is_on(method.id) {
                    self.say(&report::share(&share))?;
                }
            }
        }
        self.say(&self.style().best_move(outcome))
    }

    fn style(&self) -> UciStyle {
        let options = self.engine.options();
        UciStyle { chess960: options.chess960, wdl: options.show_wdl }
    }

    fn introduce(&mut self) -> io::Result<()> {
        let mut text = format!("id name {}\nid author the Espalier authors\n", name());
        for row in options::rows() {
            text.push_str(&format!("{row}\n"));
        }
        self.say(&(text + "uciok"))
    }

    fn refuse_position(&mut self, what: String) -> io::Result<()> {
        self.error(&what)?;
        self.refused = Some(what);
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        let is_log = name.eq_ignore_ascii_case("Debug Log File");
        if is_log && let Err(error) = self.open_log(if value == "<empty>" { "" } else { value }) {
            return self.error(&error);
        }
        let before = self.engine.options().selective.notes();
        let syzygy = self.engine.syzygy().cloned();
        if let Err(error) = self.engine.set_option(name, value) {
            return self.error(&error.to_string());
        }
        for note in self.engine.options().selective.notes().iter().filter(|note| !before.contains(note)) {
            self.say(&format!("info string NOTE {note}"))?;
        }
        let same = |now: &Arc<_>| syzygy.as_ref().is_some_and(|before| Arc::ptr_eq(before, now));
        match self.engine.syzygy().filter(|now| !same(now)).map(|now| format!("info string {now}")) {
            Some(found) => self.say(&found),
            None => Ok(()),
        }
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> io::Result<()> {
        match self.read_position(fen, moves) {
            Ok(game) => {
                self.engine.set_game(game);
                self.refused = None;
                Ok(())
            }
            Err(what) => self.refuse_position(what),
        }
    }

    fn read_position(&self, fen: Option<&str>, moves: &[String]) -> Result<Game, String> {
        let chess960 = self.engine.options().chess960;
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

    fn go(&mut self, go: &Go) -> io::Result<()> {
        if let Some(reason) = &self.refused {
            let text = format!("no position to search: {reason}");
            self.error(&text)?;
            return self.say("bestmove 0000");
        }
        let limits = self.limits(go)?;
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

    /// `setboard` of learning search control: a position of its own, and nothing is remembered.
    fn set_board(&mut self, fen: &str) -> io::Result<()> {
        let before = self.engine.game().clone();
        self.engine.new_game();
        self.set_position(Some(fen), &[])?;
        if self.refused.is_some() {
            self.engine.set_game(before);
        }
        Ok(())
    }

    /// `setparam` of learning search control: weights for all stages, or for each.
    fn set_param(&mut self, weights: &[f64]) {
        let mut extensions = self.engine.options().selective.extensions.clone();
        extensions.on = true;
        extensions.set_weights(weights);
        self.engine.set_extensions(extensions);
    }

    /// `gountil` of learning search control. Its driver waits for an answer, so there is one in any case.
    fn go_until(&mut self, texts: &[String], nodes: u64) -> io::Result<()> {
        let until = match self.moves_to_find(texts, nodes) {
            Ok(until) => until,
            Err(what) => {
                self.error(&what)?;
                return self.say("nodes 0 0");
            }
        };
        self.until = Some(Until { moves: until.clone(), limit: nodes, cut_short: false });
        let limits = Limits { until, ..Limits::nodes(nodes) };
        self.start(limits);
        Ok(())
    }

    /// The moves that `gountil` is to find, or what is wrong with them.
    fn moves_to_find(&self, texts: &[String], nodes: u64) -> Result<Vec<Move>, String> {
        if nodes == 0 {
            let asked = texts.join(" ");
            return Err(format!("gountil wants: gountil MOVE NODES, not {:?}", shortened(&asked)));
        }
        if let Some(reason) = &self.refused {
            return Err(format!("no position to search: {reason}"));
        }
        let position = self.engine.game().position();
        let read = |text: &String| {
            read_move(position, text)
                .ok_or_else(|| format!("gountil: {:?} is no legal move here", shortened(text)))
        };
        texts.iter().map(read).collect()
    }

    /// What `go` means in this position.
    fn limits(&mut self, go: &Go) -> io::Result<Limits> {
        let position = self.engine.game().position().clone();
        let mut search_moves = Vec::new();
        for text in &go.search_moves {
            match position.parse_move(text) {
                Ok(m) => search_moves.push(m),
                Err(error) => self.error(&format!("searchmoves: {error}; skipped"))?,
            }
        }
        let own = position.turn() == Color::White;
        let (time, increment) = if own {
            (go.white_time.or(go.black_time), go.white_increment)
        } else {
            (go.black_time.or(go.white_time), go.black_increment)
        };
        let clock = time.map(|time| Clock {
            left: milliseconds(time),
            increment: milliseconds(increment.unwrap_or(0)),
            moves_to_go: go
                .moves_to_go
                .and_then(|moves| u32::try_from(moves).ok())
                .filter(|moves| *moves > 0),
        });
        Ok(Limits {
            depth: go.depth.map(|depth| depth.clamp(1, i64::from(i16::MAX)) as i32),
            soft_nodes: None,
            nodes: go.nodes.map(|nodes| nodes.max(1).unsigned_abs()),
            mate: go.mate.map(|moves| moves.clamp(1, i64::from(i16::MAX)) as i32),
            move_time: go.move_time.map(milliseconds),
            clock,
            infinite: go.infinite,
            ponder: go.ponder,
            search_moves,
            until: Vec::new(),
        })
    }

    /// Runs work in the background that tells its result as text.
    fn start_task(
        &mut self,
        work: impl FnOnce(&AtomicBool, &dyn Fn(String)) + Send + 'static,
    ) -> io::Result<()> {
        let stop = Arc::new(AtomicBool::new(false));
        self.task = Some(Arc::clone(&stop));
        let sender = self.events.0.clone();
        std::thread::Builder::new().name("task".to_owned()).stack_size(STACK).spawn(move || {
            let tell = |text| {
                let _ = sender.send(Event::Text(text));
            };
            if catch_unwind(AssertUnwindSafe(|| work(&stop, &tell))).is_err() {
                tell("info string ERROR internal error in a background task; the engine goes on".to_owned());
            }
            let _ = sender.send(Event::TaskDone);
        })?;
        Ok(())
    }

    fn perft(&mut self, depth: u32) -> io::Result<()> {
        let position = self.engine.game().position().clone();
        let style = self.style();
        self.start_task(move |stop, tell| {
            let total = perft::divide(&position, depth, stop, |m, nodes| {
                tell(format!("{}: {nodes}", style.m(m)));
            });
            let whole = if stop.load(Ordering::Relaxed) { " (stopped)" } else { "" };
            tell(format!("\nNodes searched: {total}{whole}"));
        })
    }

    fn bench(&mut self, depth: Option<i32>) -> io::Result<()> {
        let options = self.engine.options().clone();
        self.start_task(move |stop, tell| {
            let measured = bench::run(&options, depth.unwrap_or(bench::DEPTH), stop, |_, _| {});
            if stop.load(Ordering::Relaxed) {
                tell("info string NOTE bench was interrupted".to_owned());
            } else {
                tell(format!("{} nodes {} nps", measured.nodes, measured.nps()));
            }
        })
    }

    fn error(&mut self, what: &str) -> io::Result<()> {
        log::warn!("{what}");
        self.say(&format!("info string ERROR {what}"))
    }

    /// Prints one or more lines at once.
    fn say(&mut self, text: &str) -> io::Result<()> {
        self.write_log("<<", text);
        writeln!(self.out, "{text}")?;
        self.out.flush()
    }

    fn open_log(&mut self, path: &str) -> Result<(), String> {
        self.log = match path {
            "" => None,
            path => {
                let file = File::options().create(true).append(true).open(path);
                Some(file.map_err(|error| format!("Debug Log File {path:?} cannot be written: {error}"))?)
            }
        };
        Ok(())
    }

    fn write_log(&mut self, direction: &str, text: &str) {
        if let Some(log) = &mut self.log
            && text.lines().try_for_each(|line| writeln!(log, "{direction} {line}")).is_err()
        {
            // A full disk must not cost the game.
            self.log = None;
        }
    }
}

/// Commands that begin some work and end what is under way.
fn is_start(command: &Command) -> bool {
    matches!(command, Command::Go(_) | Command::GoUntil { .. } | Command::Perft(_) | Command::Bench(_))
}

fn is_until(command: &Command) -> bool {
    matches!(command, Command::GoUntil { .. })
}

/// A search until a move is found.
struct Until {
    moves: Vec<Move>,
    limit: u64,
    /// Somebody stopped it.
    cut_short: bool,
}

impl Until {
    /// What it took. A search that was stopped counts as one that has not found the move.
    fn count(&self, outcome: &Outcome) -> SolverResult {
        let (nodes, best) = (outcome.effort.nodes, outcome.best_move());
        if self.cut_short {
            return SolverResult { solved: false, nodes };
        }
        SolverResult::new(best.is_some_and(|m| self.moves.contains(&m)), nodes, self.limit)
    }
}

/// A move as UCI writes it, or as people do.
fn read_move(position: &Position, text: &str) -> Option<Move> {
    let as_people_do = || San::from_ascii(text.as_bytes()).ok()?.to_move(position.chess()).ok();
    position.parse_move(text).ok().or_else(as_people_do)
}

const HELP: &str = "\
uci                      who the engine is and what can be set
isready                  answers readyok, also during a search
setoption name N value V sets an option (espalier options explains them)
ucinewgame               forgets the last game
position startpos|fen F [moves M…]   sets up a position
go [depth|nodes|movetime|mate N] [wtime T btime T winc T binc T movestogo N]
   [searchmoves M…] [ponder] [infinite]   searches; stop ends it
setboard FEN, setparam W1 … Wn, gountil MOVE N   learn weights drives any engine with these three
go perft N               counts the legal-move tree, move by move
stop, ponderhit, quit    as UCI says
d                        board, FEN, key and checkers
eval                     the static evaluation, term by term
bench [DEPTH]            searches a fixed set of positions
debug on|off             with on, counts what every selective method does
crash [search]           panics on purpose, to show that the engine survives it";
