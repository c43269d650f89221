//! `espalier match`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;

use super::match_files::Files;
use super::shared::duration;
use super::{Assignments, Failure, assign, assignment, terminal};
use crate::adjudication::{Adjudication, DrawRule, ResignRule};
use crate::epd::library;
use crate::game_record::Ending;
use crate::lab::matches::Match;
use crate::lab::matches::game::Conditions;
use crate::lab::matches::limit::{LONGEST_PART, Limit, TimeControl};
use crate::lab::matches::openings::{self, Book};
use crate::lab::matches::player::PlayerConfig;
use crate::lab::matches::standing::Standing;
use crate::lab::matches::store::Terms;
use crate::options::Options;
use crate::provenance::{digest, version};
use crate::statistics::{EloModel, Sprt};
use crate::uci::Program;
use crate::uci::process::words_of;

/// Nodes for every move if nothing is said.
const NODES: u64 = 20_000;

/// No time in milliseconds is longer.
const DAY: u64 = LONGEST_PART.as_millis() as u64;

const EXAMPLES: &str = "Examples:
  espalier match --a Preset=Turk --b Preset=TurkMC --games 100 --nodes 20000
  espalier match --b NullMove=false --tc 4+0.04 --sprt 0,5 --games 20000 --out nullmove
  espalier match --engine-b \"stockfish\" --b UCI_LimitStrength=true UCI_Elo=1800 --tc 10+0.1 --pgn games.pgn

Every opening is played twice, with colours reversed. Elo is that of a over b, with the half width of its \
95 % interval, computed from pairs of games. At fixed nodes or plies and one thread, the same command plays the \
same games again. A match with --out can be interrupted (Ctrl-C); run the same command to resume; --games \
may then be larger. An error shown as ? is not known yet: the results so far are all the same, or one side has all \
the points. The exit status is 1 if the match was interrupted, an engine broke down or played an illegal move, or an \
opening could not be used; losses on time alone do not change it.";

/// Plays two settings of the engine, or any two UCI engines, against each other
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Options of player a; for our own engine they come on top of --set
    #[arg(long, value_name = "NAME=VALUE", num_args = 1..)]
    a: Vec<String>,
    /// Options of player b
    #[arg(long, value_name = "NAME=VALUE", num_args = 1..)]
    b: Vec<String>,
    /// Player a is this UCI engine, as another process
    #[arg(long, value_name = "COMMAND")]
    engine_a: Option<String>,
    /// Player b is this UCI engine
    #[arg(long, value_name = "COMMAND")]
    engine_b: Option<String>,
    /// Games to play
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Nodes for every move [default: 20000, if no other limit is given]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Plies for every move
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: Option<u32>,
    /// A clock: [MOVES/][MINUTES:]SECONDS[+INCREMENT]
    #[arg(long, value_name = "CONTROL")]
    tc: Option<TimeControl>,
    /// Time for every move, such as 100ms or 2s
    #[arg(long, alias = "movetime", value_parser = duration)]
    time: Option<Duration>,
    /// Milliseconds by which time may be overstepped
    #[arg(long, value_name = "MS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(..=DAY))]
    margin: u64,
    /// Where games begin: an EPD or PGN file, or the name of one in epd/
    #[arg(long, value_name = "FILE", default_value = "openings")]
    openings: String,
    /// Moves taken from every game of a PGN file, in plies
    #[arg(long, default_value_t = 16)]
    plies: usize,
    /// Shuffles the openings; 0 keeps the order of the file
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Games at once [default: one for every core]
    #[arg(long, alias = "concurrency", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Ends the match as soon as it is decided (95 % sure) whether Elo is ELO0 or ELO1
    #[arg(long, value_name = "ELO0,ELO1", value_parser = hypotheses, allow_hyphen_values = true)]
    sprt: Option<(f64, f64)>,
    /// The Elo of --sprt is logistic instead of normalised
    #[arg(long, requires = "sprt")]
    logistic: bool,
    /// Drawn when both players say so: not before move FROM, MOVES in a row, within CENTIPAWNS
    #[arg(long, value_name = "FROM,MOVES,CENTIPAWNS")]
    draw: Option<DrawRule>,
    /// Won when both players say so: MOVES in a row, by CENTIPAWNS
    #[arg(long, value_name = "MOVES,CENTIPAWNS")]
    resign: Option<ResignRule>,
    /// Drawn after so many moves behind the opening
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    longest: Option<u32>,
    /// Seconds an engine may be late beyond its time; one that says nothing for twelve times as long is given up
    #[arg(long, alias = "patience", value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Keeps games, PGN (games.pgn) and result in this directory, and resumes the match that is there; not
    /// together with --pgn
    #[arg(long, value_name = "DIR", conflicts_with = "pgn")]
    out: Option<PathBuf>,
    /// Writes the games as PGN, with scores as comments, to a file that is not there yet
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub set: Assignments,
}

fn hypotheses(text: &str) -> Result<(f64, f64), String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[elo0, elo1]) if elo0.abs().max(elo1.abs()) > Sprt::FARTHEST => {
            Err(format!("no test can tell players apart who are more than {} Elo away", Sprt::FARTHEST))
        }
        Some(&[elo0, elo1]) if elo0 < elo1 => Ok((elo0, elo1)),
        _ => Err("two numbers of Elo, the smaller first, such as 0,5".to_owned()),
    }
}

impl Arguments {
    pub fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        let players = self.players(options)?;
        let (path, book) = read_book(&self.openings, self.plies, self.seed)?;
        let sprt = self.sprt();
        let game = Match {
            players: &players,
            openings: &book.openings,
            conditions: self.conditions(),
            games: self.games,
            concurrency: self.jobs(&players),
            timeout: Duration::from_secs(self.timeout),
            sprt,
        };
        say_how_often(&game);
        say_what_is_odd(&game);
        for player in &players {
            player
                .try_out(game.timeout)
                .map_err(|failure| Failure::Wrong(format!("{}: {failure}", player.name)))?;
        }
        let terms = self.terms(&game, &path, &book);
        let mut files = Files::open(self.out.as_deref(), self.pgn.as_deref(), &terms)?;
        let (standing, stopped) = play(&game, &mut files)?;
        let summary = standing.summary(sprt.as_ref());
        let result = json!({ "match": terms, "games": self.games, "result": summary });
        let text = serde_json::to_string_pretty(&result).map_err(io::Error::from)? + "\n";
        if let Some(store) = &files.store {
            terminal::write_file(&store.path("result.json"), &text)?;
        }
        if self.json {
            write!(out, "{text}")?;
        } else {
            writeln!(out, "{}", summary.table([&players[0].name, &players[1].name]))?;
            writeln!(out, "{}", made_by(&terms))?;
        }
        let unfinished = stopped && !standing.is_decided() && standing.games.total() < self.games;
        complaints(&standing, &book, unfinished.then(|| self.interrupted(&standing)))
    }

    /// The match was ended too early: how far it got, and how to go on.
    fn interrupted(&self, standing: &Standing) -> String {
        let how = match self.out {
            Some(_) => "run the same command to resume",
            None => "with --out DIR a match can be resumed",
        };
        format!("interrupted after {} of {} games; {how}", standing.games.total(), self.games)
    }

    fn players(&self, options: &Options) -> Result<[PlayerConfig; 2], Failure> {
        let mut first = player("--a", options, self.engine_a.as_deref(), &self.a)?;
        let mut second = player("--b", options, self.engine_b.as_deref(), &self.b)?;
        if first.name == second.name {
            first.name.push_str(" (a)");
            second.name.push_str(" (b)");
        }
        Ok([first, second])
    }

    fn conditions(&self) -> Conditions {
        let mut limit = Limit { time: self.tc, move_time: self.time, nodes: self.nodes, depth: self.depth };
        if limit == Limit::default() {
            limit.nodes = Some(NODES);
        }
        Conditions {
            limit,
            margin: Duration::from_millis(self.margin),
            adjudication: Adjudication { draw: self.draw, resign: self.resign, longest: self.longest },
        }
    }

    fn jobs(&self, players: &[PlayerConfig]) -> usize {
        let threads = players.iter().filter_map(|player| player.program.threads()).max().unwrap_or(1);
        self.jobs.map_or_else(|| terminal::engines_at_once(threads), usize::from)
    }

    fn sprt(&self) -> Option<Sprt> {
        let model = if self.logistic { EloModel::Logistic } else { EloModel::Normalised };
        self.sprt.map(|(elo0, elo1)| Sprt::new(elo0, elo1, model))
    }

    fn terms(&self, game: &Match<'_>, path: &Path, book: &Book) -> Terms {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let openings: String =
            book.openings.iter().map(|opening| opening.game().position().fen() + "\n").collect();
        Terms {
            version: version(),
            seed: self.seed,
            players: game.players.each_ref().map(PlayerConfig::describe),
            limit: game.conditions.limit.to_string(),
            margin: self.margin,
            adjudication: game.conditions.adjudication,
            openings: (name, digest(openings.as_bytes())),
            sprt: self.sprt().map(|test| test.to_string()),
        }
    }
}

/// The openings of a file or of one that comes with the program, in the order of the seed, and the path of that file.
/// Says on standard error what of it cannot be used.
pub fn read_book(name: &str, plies: usize, seed: u64) -> Result<(PathBuf, Book), Failure> {
    let source = library::read(name, None).map_err(|error| Failure::Wrong(format!("--openings {error}")))?;
    let mut book = openings::read(&source.text, plies);
    for complaint in &book.complaints {
        eprintln!("espalier: {}:{complaint}", source.name);
    }
    if book.openings.is_empty() {
        return Err(Failure::Wrong(format!("{}: no opening in it can be used", source.name)));
    }
    book.shuffle(seed);
    Ok((PathBuf::from(source.name), book))
}

/// A player from the command line.
fn player(
    flag: &str,
    base: &Options,
    engine: Option<&str>,
    assignments: &[String],
) -> Result<PlayerConfig, Failure> {
    let settings = assignments.join(" ");
    let named = |program: &str| format!("{program} {settings}").trim().to_owned();
    if let Some(command) = engine {
        let pairs = assignments.iter().map(|text| assignment(flag, text));
        let options = pairs.collect::<Result<_, _>>().map_err(Failure::Wrong)?;
        let program = words_of(command).into_iter().next().unwrap_or_default();
        let program =
            Path::new(&program).file_name().map_or(program.as_str().into(), |name| name.to_string_lossy());
        return Ok(PlayerConfig {
            name: named(&program),
            program: Program::Other { command: command.to_owned(), options },
        });
    }
    let mut options = base.clone();
    assign(&mut options, flag, assignments).map_err(Failure::Wrong)?;
    let name = if settings.is_empty() { "espalier".to_owned() } else { settings };
    for note in options.selective.notes() {
        eprintln!("espalier: note: {name}: {note}");
    }
    Ok(PlayerConfig { name, program: Program::Own(Box::new(options)) })
}

/// What repeats the match, behind the table: conditions, program and players.
fn made_by(terms: &Terms) -> String {
    let Terms { version, seed, limit, openings: (book, _), .. } = terms;
    let mut lines = vec![
        format!("conditions  {limit}{}, openings {book}, seed {seed}", terms.adjudication),
        format!("made by     version {version}"),
    ];
    for player in &terms.players {
        let told = player.told.iter().map(|(name, value)| format!(" {name}={value}")).collect::<String>();
        let who = match (&player.configuration, &player.command) {
            (Some(own), _) => format!("options {} {}", own.hash, own.changed().join(" ")),
            (None, command) => format!("{}{told}", command.as_deref().unwrap_or_default()),
        };
        lines.push(format!("player      {}: {}", player.name, who.trim_end()));
    }
    lines.join("\n")
}

/// A match of equals, or one with a game that has no partner.
fn say_what_is_odd(game: &Match<'_>) {
    let [first, second] = game.players.each_ref().map(|player| &player.program);
    if first == second {
        eprintln!(
            "espalier: warning: both players are the same, so the result will be chance; see --a, --b, --engine-b"
        );
    }
    if !game.games.is_multiple_of(2) {
        eprintln!(
            "espalier: note: {} games: the last one has no partner with colours reversed; it counts in the points, but \
             not in Elo, which is computed from pairs",
            game.games
        );
    }
}

/// Openings that come again are worth less than they seem.
fn say_how_often(game: &Match<'_>) {
    let (openings, pairs) = (game.openings.len(), game.games.div_ceil(2));
    if game.repeats_itself() {
        eprintln!(
            "espalier: warning: {pairs} pairs and {openings} openings: both players always play the same here, so \
             games will repeat themselves and the errors will be too small; give more --openings or a clock (--tc)"
        );
    } else if game.goes_round() {
        eprintln!("espalier: note: {pairs} pairs and {openings} openings: openings will be played again");
    }
}

/// Plays what is left of the match, with a bar; every game goes into the files. Whether Ctrl-C ended it comes back,
/// too.
fn play(game: &Match<'_>, files: &mut Files) -> Result<(Standing, bool), Failure> {
    let stop = terminal::interrupt();
    let done = std::mem::take(&mut files.done);
    let bar = terminal::progress(game.games, "games");
    if !done.is_empty() {
        let rest = if done.len() as u64 >= game.games { "; no more are wanted" } else { "" };
        eprintln!("espalier: {} games are played already{rest}", done.len());
        bar.set_position(done.len() as u64);
        bar.reset_eta();
    }
    let mut failed = Ok(());
    let names = [game.players[0].name.as_str(), game.players[1].name.as_str()];
    let standing = game.run(&done, &stop, |record, standing| {
        if let Some((player, what)) = &record.failure {
            let name = names.get(*player).unwrap_or(&"?");
            bar.suspend(|| {
                eprintln!("espalier: game {}: {}: {name}: {what}", record.number + 1, record.ending)
            });
        }
        bar.inc(1);
        bar.set_message(standing.brief());
        let written = files.add(record);
        if written.is_err() && failed.is_ok() {
            failed = written;
            stop.store(true, Ordering::Relaxed);
        }
    });
    bar.finish_and_clear();
    failed?;
    Ok((standing, stop.load(Ordering::Relaxed)))
}

/// The match is over, but something was wrong.
fn complaints(standing: &Standing, book: &Book, interrupted: Option<String>) -> Result<(), Failure> {
    let faults: u64 = standing
        .failures
        .iter()
        .flatten()
        .filter_map(|(ending, count)| ending.is_fault().then_some(*count))
        .sum();
    let late = standing.failures.iter().flatten().filter(|(ending, _)| **ending == Ending::TimeForfeit);
    let late: u64 = late.map(|(_, count)| *count).sum();
    if 10 * late > standing.games.total() {
        eprintln!(
            "espalier: note: {late} of {} games were lost on time; are there cores for all --jobs games, and \
             for the threads of other engines (their option Threads)?",
            standing.games.total()
        );
    }
    let mut wrong = Vec::from_iter(interrupted);
    if faults > 0 {
        wrong.push(format!("{faults} games ended by the fault of an engine"));
    }
    if !book.complaints.is_empty() {
        wrong.push(format!("{} openings could not be used", book.complaints.len()));
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Wrong(wrong.join("; "))) }
}
