//! `espalier match`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::ProgressBar;
use serde_json::json;

use super::match_files::{Files, new_pgn};
use super::shared::{Common, OrNone, TableForm, duration, unless_none, whole};
use super::{Failure, assign, assignment, terminal};
use crate::adjudication::{Adjudication, DrawRule, ResignRule};
use crate::epd::library;
use crate::game_record::GameEnd;
use crate::lab::matches::Match;
use crate::lab::matches::game::Conditions;
use crate::lab::matches::limit::{LONGEST_PART, Limit, TimeControl};
use crate::lab::matches::openings::{self, Book};
use crate::lab::matches::player::{PlayerConfig, PlayerDescription};
use crate::lab::matches::standing::Standing;
use crate::lab::matches::store::MatchTerms;
use crate::options::Options;
use crate::parallel::Shard;
use crate::provenance::{assignments, digest, version};
use crate::statistics::{EloModel, Sprt};
use crate::text_table::fold;
use crate::uci::Program;
use crate::uci::process::words_of;

/// Nodes per move unless another limit is given.
const NODES: u64 = 20_000;

/// The longest time in milliseconds.
const DAY: u64 = LONGEST_PART.as_millis() as u64;

const EXAMPLES: &str = "Examples:
  espalier match --a Preset=Turk --b Preset=TurkMC --games 100 --nodes 20000
  espalier match --b NullMove=false --tc 4+0.04 --sprt 0,5 --games 20000 --out nullmove
  espalier match --engine-b \"stockfish\" --b UCI_LimitStrength=true UCI_Elo=1800 --tc 10+0.1 --pgn games.pgn
  espalier match --player Preset=Turk --player Preset=TurkMC --player Preset=Crafty --games 40
  espalier match --gauntlet --player name=new --player engine=./old --player \"engine=stockfish Threads=1\"

Each opening is played twice, with colours reversed. Elo is that of a over b, with the half width of its 95 % \
interval, from pairs of games. An error shown as ? is not known yet: all results so far are the same, or one side has \
all the points. At fixed nodes or plies and one thread the same command plays the same games. You can interrupt a match \
with --out (Ctrl-C); run the same command to resume, with more --games if you like. Games are adjudicated unless \
--no-adjudication is given; the rules are printed below the result. Three or more --player play a round robin, or with \
--gauntlet a gauntlet, with --games for each pair; in the cross table the average player has Elo 0. The exit status is \
1 if the match was interrupted, an engine crashed or played an illegal move, or an opening could not be used; losses on \
time do not change it.";

/// Plays matches and tournaments between settings of Espalier or any UCI engines
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Options of player a; for Espalier, in addition to --set
    #[arg(long, value_name = "NAME=VALUE", num_args = 1..)]
    a: Vec<String>,
    /// Options of player b
    #[arg(long, value_name = "NAME=VALUE", num_args = 1..)]
    b: Vec<String>,
    /// Player a is this UCI engine, run as a separate process
    #[arg(long, value_name = "COMMAND")]
    engine_a: Option<String>,
    /// Player b is this UCI engine
    #[arg(long, value_name = "COMMAND")]
    engine_b: Option<String>,
    /// A player of a tournament; repeat for each. NAME=VALUE options in quotes, and among them engine=COMMAND for
    /// another engine, name=NAME for the table
    #[arg(long = "player", value_name = "SETTINGS", conflicts_with_all = ["a", "b", "engine_a", "engine_b"])]
    players: Vec<String>,
    /// The first --player plays each of the others; they do not play each other
    #[arg(long, requires = "players")]
    pub(super) gauntlet: bool,
    /// Games to play; in a tournament, for each pair of players
    #[arg(long, default_value_t = 100, value_parser = whole::<u64>(1..))]
    pub(super) games: u64,
    /// Nodes per move [default: 20000, if no other limit is given]
    #[arg(long, value_parser = whole::<u64>(1..))]
    nodes: Option<u64>,
    /// Plies per move
    #[arg(long, value_parser = whole::<u32>(1..=100))]
    depth: Option<u32>,
    /// A clock: [MOVES/][MINUTES:]SECONDS[+INCREMENT]
    #[arg(long, value_name = "CONTROL")]
    tc: Option<TimeControl>,
    /// Time per move, such as 100ms or 2s
    #[arg(long, alias = "movetime", value_parser = duration)]
    time: Option<Duration>,
    /// Milliseconds by which a player may exceed its time
    #[arg(long, value_name = "MS", default_value_t = 20, value_parser = whole::<u64>(..=DAY as i64))]
    margin: u64,
    /// Openings: an EPD or PGN file, or the name of an included one
    #[arg(long, value_name = "FILE", default_value = "openings")]
    openings: String,
    /// Plies taken from each game of a PGN file
    #[arg(long, default_value_t = 16, value_parser = whole::<usize>(0..))]
    plies: usize,
    /// Shuffles the openings; 0 keeps the order of the file
    #[arg(long, default_value_t = 0, value_parser = whole::<u64>(0..))]
    seed: u64,
    /// Games at once [default: one for each core]
    #[arg(long, alias = "concurrency", value_parser = whole::<u16>(1..=1024))]
    jobs: Option<u16>,
    /// Ends the match as soon as it is decided, with 95 % confidence, between ELO0 and ELO1
    #[arg(long, value_name = "ELO0,ELO1", value_parser = hypotheses, allow_hyphen_values = true)]
    sprt: Option<(f64, f64)>,
    /// The Elo of --sprt is logistic instead of normalised
    #[arg(long, requires = "sprt")]
    logistic: bool,
    /// Drawn from move FROM on when both players see at most CENTIPAWNS for MOVES in a row
    #[arg(long, value_name = "FROM,MOVES,CENTIPAWNS|none", default_value = "40,8,10", value_parser = unless_none::<DrawRule>)]
    draw: OrNone<DrawRule>,
    /// Won when both players see at least CENTIPAWNS for MOVES in a row
    #[arg(long, value_name = "MOVES,CENTIPAWNS|none", default_value = "4,700", value_parser = unless_none::<ResignRule>)]
    resign: OrNone<ResignRule>,
    /// Plays every game until the rules of chess end it
    #[arg(long, alias = "play-out", conflicts_with_all = ["draw", "resign", "longest"])]
    no_adjudication: bool,
    /// Drawn after this many moves after the opening
    #[arg(long, value_parser = whole::<u32>(1..=100_000))]
    longest: Option<u32>,
    /// Seconds an engine may be late; after twelve times as long the match goes on without it
    #[arg(long, alias = "patience", value_name = "SECONDS", default_value_t = 10, value_parser = whole::<u64>(1..=86_400))]
    timeout: u64,
    /// Keeps games, PGN (games.pgn) and result in this directory, and resumes the match there; excludes --pgn
    #[arg(long, value_name = "DIR", conflicts_with = "pgn")]
    pub(super) out: Option<PathBuf>,
    /// Writes the games as PGN, with scores as comments, to a new file
    #[arg(long, value_name = "FILE")]
    pub(super) pgn: Option<PathBuf>,
    #[command(flatten)]
    pub(super) common: Common,
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

/// Shared by all matches of the command.
pub(super) struct Shared {
    pub(super) arguments: Arguments,
    /// The name of the openings.
    source: String,
    pub(super) book: Book,
}

impl Arguments {
    pub(super) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        let players = self.players(options)?;
        if players.len() > 2 && self.sprt.is_some() {
            return Err(Failure::Wrong("--sprt tests one player against another; there are more".to_owned()));
        }
        let (path, book) = read_book(&self.openings, self.plies, self.seed)?;
        let source = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let shared = Shared { arguments: self, source, book };
        warn(&players, shared.arguments.games);
        for player in &players {
            player
                .try_out(shared.timeout())
                .map_err(|failure| Failure::Wrong(format!("{}: {failure}", player.name)))?;
        }
        match <[PlayerConfig; 2]>::try_from(players) {
            Ok(two) => shared.play_match(&two, out),
            Err(several) => shared.play_tournament(&several, out),
        }
    }

    /// All players, with distinct names.
    fn players(&self, options: &Options) -> Result<Vec<PlayerConfig>, Failure> {
        let mut players = if self.players.is_empty() {
            let first = player("--a", options, self.engine_a.as_deref(), &self.a)?;
            vec![first, player("--b", options, self.engine_b.as_deref(), &self.b)?]
        } else {
            let read = |text: &String| player_of_tournament(text, options);
            self.players.iter().map(read).collect::<Result<_, _>>()?
        };
        match players.as_mut_slice() {
            [_] => {
                return Err(Failure::Wrong("one --player has nobody to play against; give more".to_owned()));
            }
            [first, second] if first.name == second.name => {
                first.name.push_str(" (a)");
                second.name.push_str(" (b)");
            }
            several => number_namesakes(several),
        }
        Ok(players)
    }

    fn conditions(&self) -> Conditions {
        let mut limit = Limit { time: self.tc, move_time: self.time, nodes: self.nodes, depth: self.depth };
        if limit == Limit::default() {
            limit.nodes = Some(NODES);
        }
        let adjudication = match self.no_adjudication {
            true => Adjudication::default(),
            false => Adjudication { draw: self.draw.0, resign: self.resign.0, longest: self.longest },
        };
        Conditions { limit, margin: Duration::from_millis(self.margin), adjudication }
    }

    fn jobs(&self, players: &[PlayerConfig]) -> usize {
        let threads = players.iter().filter_map(|player| player.program.threads()).max().unwrap_or(1);
        self.jobs.map_or_else(|| terminal::engines_at_once(threads), usize::from)
    }

    fn sprt(&self) -> Option<Sprt> {
        let model = if self.logistic { EloModel::Logistic } else { EloModel::Normalised };
        self.sprt.map(|(elo0, elo1)| Sprt::new(elo0, elo1, model))
    }

    /// Says that a match was interrupted, and how to resume it.
    pub(super) fn interrupted(&self, played: u64, wanted: u64) -> String {
        let how = match self.out {
            Some(_) => "run the same command to resume",
            None => "with --out DIR a match can be resumed",
        };
        format!("interrupted after {played} of {wanted} games; {how}")
    }
}

impl Shared {
    fn timeout(&self) -> Duration {
        Duration::from_secs(self.arguments.timeout)
    }

    /// The match between two players.
    pub(super) fn game<'a>(&'a self, players: &'a [PlayerConfig; 2]) -> Match<'a> {
        Match {
            players,
            openings: &self.book.openings,
            conditions: self.arguments.conditions(),
            games: self.arguments.games,
            concurrency: self.arguments.jobs(players),
            timeout: self.timeout(),
            sprt: self.arguments.sprt(),
            shard: Shard::WHOLE,
        }
    }

    pub(super) fn terms(&self, game: &Match<'_>) -> MatchTerms {
        let openings: String =
            self.book.openings.iter().map(|opening| opening.game().position().fen() + "\n").collect();
        MatchTerms {
            version: version(),
            seed: self.arguments.seed,
            players: game.players.each_ref().map(PlayerConfig::describe),
            limit: game.conditions.limit.to_string(),
            margin: self.arguments.margin,
            adjudication: game.conditions.adjudication,
            openings: (self.source.clone(), digest(openings.as_bytes())),
            sprt: game.sprt.map(|test| test.to_string()),
        }
    }

    fn play_match(&self, players: &[PlayerConfig; 2], out: &mut impl Write) -> Result<(), Failure> {
        let (arguments, game) = (&self.arguments, self.game(players));
        if let Some(warning) = openings_again(&game) {
            terminal::say(&warning);
        }
        let terms = self.terms(&game);
        let pgn = arguments.pgn.as_deref().map(new_pgn).transpose()?;
        let mut files = Files::open(arguments.out.as_deref(), pgn, &terms)?;
        let watch = Watching::new(files.done.len() as u64, game.games);
        let standing = play(&game, &mut files, &watch, "")?;
        watch.bar.finish_and_clear();
        let summary = standing.summary(game.sprt.as_ref());
        let result = json!({ "match": terms, "games": game.games, "result": summary });
        if let Some(store) = &files.store {
            terminal::write_file(&store.path("result.json"), format!("{result:#}\n"))?;
        }
        let names = [players[0].name.as_str(), players[1].name.as_str()];
        match arguments.common.form {
            TableForm { json: true, .. } => writeln!(out, "{result:#}")?,
            form if form != TableForm::default() => write!(out, "{}", form.show(&summary.row(names)))?,
            _ => writeln!(out, "{}\n{}", indented(&summary.table(names)), made_by(&terms, &terms.players))?,
        }
        let unfinished = watch.is_stopped() && !standing.is_decided() && standing.games.total() < game.games;
        let interrupted = unfinished.then(|| arguments.interrupted(standing.games.total(), game.games));
        complaints(&[&standing], &self.book, interrupted)
    }
}

pub(super) fn names_of(players: &[PlayerConfig]) -> Vec<String> {
    players.iter().map(|player| player.name.clone()).collect()
}

/// Appends numbers to names that occur more than once.
fn number_namesakes(players: &mut [PlayerConfig]) {
    let names = names_of(players);
    for (index, player) in players.iter_mut().enumerate() {
        if names.iter().filter(|name| **name == names[index]).count() > 1 {
            player.name.push_str(&format!(" ({})", index + 1));
        }
    }
}

/// The openings of a file or of a built-in suite, shuffled by the seed, and the path of the file. Unusable lines are
/// reported on standard error.
pub(super) fn read_book(name: &str, plies: usize, seed: u64) -> Result<(PathBuf, Book), Failure> {
    let source = library::read(name, None).map_err(|error| Failure::Wrong(format!("--openings {error}")))?;
    let mut book = openings::read(&source.text, plies);
    for complaint in &book.complaints {
        terminal::say(format_args!("{}:{complaint}", source.name));
    }
    if book.openings.is_empty() {
        return Err(Failure::Wrong(format!("{}: no usable opening", source.name)));
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
        terminal::say(format_args!("note: {name}: {note}"));
    }
    Ok(PlayerConfig { name, program: Program::Own(Box::new(options)) })
}

/// A player from `--player`: options, among them the engine and the name.
fn player_of_tournament(text: &str, base: &Options) -> Result<PlayerConfig, Failure> {
    let (mut engine, mut name, mut settings) = (None, None, Vec::new());
    for word in words_of(text) {
        match assignment("--player", &word).map_err(Failure::Wrong)? {
            (key, command) if key == "engine" => engine = Some(command),
            (key, called) if key == "name" => name = Some(called),
            _ => settings.push(word),
        }
    }
    let found = player("--player", base, engine.as_deref(), &settings)?;
    Ok(PlayerConfig { name: name.unwrap_or(found.name), ..found })
}

/// Conditions, version and players, printed after the table.
pub(super) fn made_by(terms: &MatchTerms, players: &[PlayerDescription]) -> String {
    let MatchTerms { version, seed, limit, openings: (book, _), .. } = terms;
    let facts = [
        ("conditions", format!("{limit}, openings {book}, seed {seed}")),
        ("adjudicated", terms.adjudication.to_string()),
        ("made by", format!("version {version}")),
    ];
    let described = players.iter().map(|player| ("player", describe(player)));
    let width = terminal::width();
    let lines = facts.into_iter().chain(described).flat_map(|(name, text)| fact(name, &text, width));
    lines.collect::<Vec<_>>().join("\n")
}

/// A name and a text, in two columns; the text is folded.
fn fact(name: &str, text: &str, width: usize) -> Vec<String> {
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    let lines = fold(text, width.saturating_sub(INDENT));
    names.zip(lines).map(|(name, line)| format!("{name:INDENT$}{line}")).collect()
}

/// Folds lines that are in two columns already and do not fit.
fn indented(text: &str) -> String {
    let width = terminal::table_width();
    let folded = |line: &str| match line.split_at_checked(INDENT) {
        _ if line.chars().count() <= width => vec![line.to_owned()],
        Some((name, said)) if name.ends_with(' ') => fact(name.trim_end(), said, width),
        _ => fold(line, width),
    };
    text.lines().flat_map(folded).collect::<Vec<_>>().join("\n")
}

/// Where the second column begins.
const INDENT: usize = 12;

/// A player's name and settings.
fn describe(player: &PlayerDescription) -> String {
    let who = match (&player.configuration, &player.command) {
        (Some(own), _) => format!("options {} {}", own.hash, own.changed().join(" ")),
        (None, command) => {
            format!("{} {}", command.as_deref().unwrap_or_default(), assignments(&player.told).join(" "))
        }
    };
    format!("{}: {who}", player.name)
}

/// Warns of identical players and of an odd number of games.
fn warn(players: &[PlayerConfig], games: u64) {
    let same = (1..players.len())
        .any(|index| players[..index].iter().any(|earlier| earlier.program == players[index].program));
    match players.len() {
        _ if !same => {}
        2 => terminal::say(
            "warning: both players are the same, so only chance decides; see --a, --b, --engine-b",
        ),
        _ => terminal::say("warning: two of the players are the same, so between them only chance decides"),
    }
    if games == 1 {
        terminal::say("note: one game has no partner with colours reversed, and says nothing of strength");
    } else if !games.is_multiple_of(2) {
        terminal::say(format!(
            "note: {games} games: the last one has no partner with colours reversed; it counts in the points, but not \
             in Elo, which is computed from pairs"
        ));
    }
}

/// A warning if openings are played more than once: such games say less than they seem to.
pub(super) fn openings_again(game: &Match<'_>) -> Option<String> {
    let (openings, pairs) = (game.openings.len(), game.games.div_ceil(2));
    if game.repeats_itself() {
        return Some(format!(
            "warning: {pairs} pairs and {openings} openings: both players always play the same here, so games will \
             repeat themselves and the errors will be too small; give more --openings or a clock (--tc)"
        ));
    }
    let again = || format!("note: {pairs} pairs and {openings} openings: openings will be played again");
    game.goes_round().then(again)
}

/// The progress of all games, and whether Ctrl-C ended them.
pub(super) struct Watching {
    pub(super) bar: ProgressBar,
    stop: Arc<AtomicBool>,
}

impl Watching {
    pub(super) fn new(done: u64, wanted: u64) -> Self {
        if done > 0 {
            let rest = if done >= wanted { "; no more are wanted" } else { "" };
            terminal::say(format!("{done} games are played already{rest}"));
        }
        Self { stop: terminal::interrupt(), bar: terminal::resumed_progress(done, wanted, "games") }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Plays the rest of a match and writes every game to its files.
pub(super) fn play(
    game: &Match<'_>,
    files: &mut Files,
    watch: &Watching,
    title: &str,
) -> Result<Standing, Failure> {
    let done = std::mem::take(&mut files.done);
    let mut failed = Ok(());
    let names = [game.players[0].name.as_str(), game.players[1].name.as_str()];
    let standing = game.run(&done, &watch.stop, |record, standing| {
        if let Some((player, what)) = &record.failure {
            let name = names.get(*player).unwrap_or(&"?");
            watch.bar.suspend(|| {
                terminal::say(format!("game {}: {}: {name}: {what}", record.number + 1, record.ending))
            });
        }
        watch.bar.inc(1);
        watch.bar.set_message(format!("{title}{}", standing.brief(game.sprt.as_ref())));
        let written = files.add(record);
        if written.is_err() && failed.is_ok() {
            failed = written;
            watch.stop.store(true, Ordering::Relaxed);
        }
    });
    failed?;
    Ok(standing)
}

/// An error if the match was interrupted, an engine failed or openings were unusable.
pub(super) fn complaints(
    standings: &[&Standing],
    book: &Book,
    interrupted: Option<String>,
) -> Result<(), Failure> {
    let counted = |counts: &dyn Fn(GameEnd) -> bool| -> u64 {
        let failures = standings.iter().flat_map(|standing| &standing.failures).flatten();
        failures.filter(|(ending, _)| counts(**ending)).map(|(_, count)| count).sum()
    };
    let (faults, late) = (counted(&GameEnd::is_fault), counted(&|ending| ending == GameEnd::TimeForfeit));
    let games: u64 = standings.iter().map(|standing| standing.games.total()).sum();
    if 10 * late > games {
        terminal::say(format!(
            "note: {late} of {games} games were lost on time; are there cores for all --jobs games, and for the threads \
             of other engines (their option Threads)?"
        ));
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
