//! `espalier match` and `espalier config` on the real binary, with engines that misbehave.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::script;

const ENGINE: &str = env!("CARGO_BIN_EXE_espalier");

fn run(args: &[&str]) -> Output {
    Command::new(ENGINE).args(args).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a match with these arguments prints as JSON; it must succeed.
fn result(args: &[&str]) -> Value {
    let output = run(&[&["match", "--json", "--set", "Hash=1"], args].concat());
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// A path of its own for every test, gone afterwards.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("espalier-match-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    fn text(&self) -> &str {
        self.0.to_str().expect("a path in UTF-8")
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("the file is there")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn four_games_are_played_and_the_same_again() {
    let play = || result(&["--a", "Preset=Turk", "--b", "Preset=TurkMC", "--games", "4", "--nodes", "200"]);
    let once = play();
    assert_eq!(once["result"]["games"], 4);
    let pairs = once["result"]["pentanomial"].as_array().expect("five counts");
    assert_eq!(pairs.iter().filter_map(Value::as_u64).sum::<u64>(), 2);
    assert_eq!(once["match"]["players"][1]["configuration"]["options"]["MultiCut"], "true");
    let again = play();
    for part in ["nodes", "moves", "wins", "draws", "endings"] {
        assert_eq!(once["result"][part], again["result"][part], "{part}");
    }
}

#[test]
fn the_table_says_what_people_look_for() {
    let output = run(&["match", "--games", "2", "--nodes", "50", "--longest", "5", "--concurrency", "1"]);
    let table = text(&output.stdout);
    for word in ["Elo", "LOS", "l_95", "normalised", "pairs", "draws", "endings", "too long 2", "failures"] {
        assert!(table.contains(word), "{word} is missing in {table}");
    }
}

#[test]
fn a_match_is_gone_on_with_or_refused() {
    let scratch = Scratch::new("resume");
    let play = |games: &str, nodes: &str| {
        run(&["match", "--set", "Hash=1", "--games", games, "--nodes", nodes, "--out", scratch.text()])
    };
    assert!(play("2", "100").status.success());
    let before = scratch.read("games.jsonl");
    // As if the first games had been played on another day.
    let pgn = scratch.read("games.pgn");
    let today = pgn.split("[Date \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a day");
    std::fs::write(scratch.0.join("games.pgn"), pgn.replace(today, "2001.02.03")).expect("written");
    let on = play("4", "100");
    assert_eq!(scratch.read("games.pgn").matches("[Date \"2001.02.03\"]").count(), 2);
    assert!(text(&on.stderr).contains("2 games are played already"), "{}", text(&on.stderr));
    let after = scratch.read("games.jsonl");
    assert!(after.starts_with(&before) && after.lines().count() == 4);
    assert_eq!(scratch.read("games.pgn").matches("[Event ").count(), 4);
    let result: Value = serde_json::from_str(&scratch.read("result.json")).expect("JSON");
    assert_eq!(result["result"]["games"], 4);
    let refused = play("4", "200");
    assert!(!refused.status.success());
    assert!(text(&refused.stderr).contains("limit was \"100 nodes a move\", is \"200 nodes a move\""));
    assert_eq!(scratch.read("games.jsonl"), after);
}

#[test]
fn a_file_of_games_is_not_overwritten() {
    let scratch = Scratch::new("pgn");
    let play = || run(&["match", "--games", "2", "--nodes", "20", "--longest", "4", "--pgn", scratch.text()]);
    assert!(play().status.success());
    let games = std::fs::read_to_string(&scratch.0).expect("the games");
    assert!(
        games.contains("[Termination \"adjudication\"]")
            && games.contains("[Ending \"too long\"]")
            && games.contains("1/2-1/2")
    );
    assert!(!play().status.success());
    assert_eq!(std::fs::read_to_string(&scratch.0).expect("the games"), games);
}

#[test]
fn a_decided_test_ends_the_match() {
    let weak = ["Preset=FullWidth", "Quiescence=false", "--nodes", "300", "--games", "400"];
    for (player, elo, verdict) in [
        ("--b", "0,300", "elo1 accepted"),
        ("--a", "0,300", "elo0 accepted"),
        ("--a", "-300,0", "elo0 accepted"),
    ] {
        let found = result(&[&[player], &weak[..], &["--sprt", elo]].concat());
        assert_eq!(found["result"]["sprt"]["verdict"], verdict, "{player} is weak, {elo}: {found}");
        assert!(found["result"]["games"].as_u64().expect("a number") < 400);
    }
    let refused = run(&["match", "--sprt", "0,3000"]);
    assert!(!refused.status.success() && text(&refused.stderr).contains("more than 2000 Elo"));
}

/// Three players at a few nodes a move.
const THREE: [&str; 7] =
    ["match", "--player", "Preset=Turk Hash=1", "--player", "Preset=Crafty Hash=1", "--player", "name=weak"];

#[test]
fn several_players_make_a_cross_table_and_can_be_gone_on_with() {
    let scratch = Scratch::new("tournament");
    let play = |more: &[&str]| {
        let fixed = ["--set", "Hash=1", "--nodes", "60", "--longest", "30", "--out", scratch.text()];
        run(&[&THREE[..], &fixed[..], more].concat())
    };
    let first = play(&["--games", "2"]);
    let table = text(&first.stdout);
    assert!(first.status.success(), "{}", text(&first.stderr));
    for part in
        ["Elo", "points", " weak", "Preset=Turk Hash=1", "drawn from move 40", "won if both see", "60 nodes"]
    {
        assert!(table.contains(part), "{part} is missing in {table}");
    }
    let again = play(&["--games", "4", "--json"]);
    assert!(text(&again.stderr).contains("6 games are played already"), "{}", text(&again.stderr));
    let found: Value = serde_json::from_slice(&again.stdout).expect("JSON");
    let games = |of: &str| found[of].as_array().expect("a list").len();
    assert_eq!((games("table"), games("matches")), (3, 3));
    let points: f64 = (0..3).filter_map(|line| found["table"][line]["points"].as_f64()).sum();
    assert_eq!(points, 12.0);
    assert_eq!(scratch.read("2-3/games.pgn").matches("[White \"weak\"]").count(), 2);
    let kept: Value = serde_json::from_str(&scratch.read("result.json")).expect("JSON");
    assert_eq!(kept["table"], found["table"]);
}

#[test]
fn in_a_gauntlet_only_the_first_meets_all() {
    let games = Scratch::new("gauntlet");
    let more =
        ["--gauntlet", "--games", "2", "--nodes", "30", "--longest", "4", "--csv", "--pgn", games.text()];
    let output = run(&[&THREE[..], &more[..]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert!(table.starts_with(",Elo,") && table.lines().count() == 4, "{table}");
    let pgn = std::fs::read_to_string(&games.0).expect("the games");
    assert_eq!(pgn.matches("[Event ").count(), 4);
    assert!(pgn.split("[Event ").skip(1).all(|game| game.contains("\"Preset=Turk Hash=1\"")), "{pgn}");
}

#[test]
fn tournaments_that_make_no_sense_are_refused() {
    let alone = run(&["match", "--player", "Preset=Turk"]);
    assert!(text(&alone.stderr).contains("nobody to play against"), "{}", text(&alone.stderr));
    let tested = run(&[&THREE[..], &["--sprt", "0,5"]].concat());
    assert!(text(&tested.stderr).contains("--sprt tests one player"), "{}", text(&tested.stderr));
    let wrong = run(&["match", "--player", "Preset=Turk", "--player", "Telepathy=1"]);
    assert!(text(&wrong.stderr).contains("--player Telepathy=1"), "{}", text(&wrong.stderr));
    assert_eq!(run(&["match", "--player", "Hash=1", "--a", "Hash=2"]).status.code(), Some(2));
}

#[test]
fn games_are_adjudicated_unless_told_otherwise() {
    let conditions = |more: &[&str]| {
        let found = result(&[&["--games", "2", "--nodes", "40"], more].concat());
        found["match"]["adjudication"].clone()
    };
    let usual = conditions(&[]);
    assert_eq!((&usual["draw"]["within"], &usual["resign"]["by"]), (&Value::from(10), &Value::from(700)));
    assert_eq!(conditions(&["--draw", "none"])["draw"], Value::Null);
    let none = conditions(&["--no-adjudication"]);
    assert_eq!((&none["draw"], &none["resign"]), (&Value::Null, &Value::Null));
    let said = run(&["match", "--games", "1", "--nodes", "10", "--no-adjudication"]);
    assert!(text(&said.stdout).contains("adjudicated none"), "{}", text(&said.stdout));
    assert!(text(&said.stderr).contains("no partner with colours reversed"), "{}", text(&said.stderr));
    assert!(text(&said.stderr).contains("both players are the same"), "{}", text(&said.stderr));
}

#[test]
fn a_result_is_a_row_for_documents_and_programs() {
    let play =
        |form: &str| text(&run(&["match", "--games", "2", "--nodes", "20", "--longest", "3", form]).stdout);
    let markdown = play("--markdown");
    assert!(
        markdown.starts_with("| player | against | games |") && markdown.lines().count() == 3,
        "{markdown}"
    );
    assert!(play("--csv").starts_with("player,against,games,wins,"));
}

#[test]
fn times_that_no_clock_shows_are_refused() {
    for tc in ["35:18446744073709549568", "1e19+1e19"] {
        let refused = run(&["match", "--engine-b", ENGINE, "--games", "1", "--tc", tc]);
        assert_eq!(refused.status.code(), Some(2), "{tc}: {}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains("more than a day"), "{}", text(&refused.stderr));
    }
    for flag in ["--movetime", "--margin"] {
        let refused = run(&["match", "--engine-b", ENGINE, "--games", "1", flag, "18446744073709551615"]);
        assert_eq!(refused.status.code(), Some(2), "{flag}: {}", text(&refused.stderr));
    }
}

/// Waits until `done`, but not for ever.
fn wait_until(mut done: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !done() {
        assert!(begin.elapsed() < Duration::from_secs(120), "nothing happened");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A match that is under way, in a process group of its own.
#[cfg(unix)]
fn start(args: &[&str]) -> std::process::Child {
    use std::os::unix::process::CommandExt as _;
    let mut command = Command::new(ENGINE);
    command.args(["match", "--set", "Hash=1"]).args(args).process_group(0);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// Presses Ctrl-C, which every process of the group hears.
#[cfg(unix)]
fn interrupt(child: &std::process::Child) {
    let sent = Command::new("kill").args(["-INT", "--", &format!("-{}", child.id())]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

#[test]
#[cfg(unix)]
fn an_interrupted_match_says_so_and_can_be_gone_on_with() {
    let scratch = Scratch::new("interrupt");
    let games = || std::fs::read_to_string(scratch.0.join("games.jsonl")).unwrap_or_default();
    let b = format!("{ENGINE} --set Hash=1");
    let play = ["--engine-b", b.as_str(), "--nodes", "2000", "--longest", "20", "--out", scratch.text()];
    let child = start(&[&play[..], &["--games", "10000", "--concurrency", "1"]].concat());
    wait_until(|| !games().is_empty());
    let second = run(&[&["match", "--set", "Hash=1", "--games", "10000"], &play[..]].concat());
    assert!(!second.status.success());
    assert!(
        text(&second.stderr).contains("another process is playing this match"),
        "{}",
        text(&second.stderr)
    );
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let (table, said) = (text(&output.stdout), text(&output.stderr));
    assert!(table.contains("Elo") && table.contains("espalier (b): none"), "{table}");
    assert!(said.contains("of 10000 games; run the same command to resume"), "{said}");
    let before = games().lines().count();
    assert!(!games().contains("crash"));
    let on = run(&[&["match", "--set", "Hash=1", "--games", "1"], &play[..]].concat());
    assert!(on.status.success() && games().lines().count() == before, "{}", text(&on.stderr));
}

#[test]
#[cfg(target_os = "linux")]
fn a_second_interrupt_ends_engines_that_do_not_listen() {
    let scratch = Scratch::new("deaf");
    let engine = script(&format!("echo $$ > {}; exec sleep 600", scratch.text()));
    let mut child = start(&["--engine-a", engine.as_str(), "--games", "1", "--concurrency", "1"]);
    let id = || std::fs::read_to_string(&scratch.0).unwrap_or_default().trim().to_owned();
    wait_until(|| !id().is_empty());
    interrupt(&child);
    let mut said = std::io::BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("press Ctrl-C again") {
        line.clear();
        assert!(std::io::BufRead::read_line(&mut said, &mut line).expect("text") > 0);
    }
    interrupt(&child);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    // Nobody may be there to bury it.
    let state = std::fs::read_to_string(format!("/proc/{}/stat", id())).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
}

#[test]
fn engines_are_told_of_chess960() {
    let (told, openings) = (Scratch::new("told"), Scratch::new("960"));
    std::fs::write(&openings.0, "rbbnqknr/pppppppp/8/8/8/8/PPPPPPPP/RBBNQKNR w HAha - 0 1\n")
        .expect("written");
    let engine = format!(
        "sh -c 'while read line; do case \"$line\" in uci) echo option name UCI_Chess960 type check; echo uciok;; \
         isready) echo readyok;; setoption*) echo $line > {};; go*) echo bestmove 0000;; quit) exit 0;; esac; done'",
        told.text()
    );
    let play =
        ["match", "--games", "1", "--nodes", "50", "--engine-a", &engine, "--openings", openings.text()];
    run(&play);
    let said = std::fs::read_to_string(&told.0).unwrap_or_default();
    assert_eq!(said.trim(), "setoption name UCI_Chess960 value true");
}

#[test]
fn our_engine_plays_as_a_process_too() {
    let found = result(&["--engine-b", ENGINE, "--b", "Hash=1", "--games", "2", "--nodes", "100"]);
    assert_eq!(found["result"]["games"], 2);
    assert_eq!(found["result"]["failures"], serde_json::json!([{}, {}]));
    let both = result(&["--games", "2", "--nodes", "100"]);
    assert_eq!(both["result"]["nodes"], found["result"]["nodes"], "it plays the same as in this process");
}

#[test]
fn an_engine_that_does_not_start_is_named() {
    let output = run(&["match", "--engine-a", "/no/such/engine", "--games", "2"]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("\"/no/such/engine\" does not start"), "{}", text(&output.stderr));
    let output = run(&["match", "--engine-a", ENGINE, "--a", "Telepathy=1", "--games", "2"]);
    assert!(text(&output.stderr).contains("has no option named \"Telepathy\""), "{}", text(&output.stderr));
}

/// Plays four games against a script; the failures of the script, and whether all games were played.
fn failures_of(go: &str, more: &[&str]) -> (Value, String) {
    let engine = script(go);
    let fixed = ["match", "--json", "--games", "4", "--engine-b", engine.as_str(), "--timeout", "1"];
    let output = run(&[&fixed[..], more].concat());
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["result"]["wins"], 4, "{}", text(&output.stderr));
    (found["result"]["failures"][1].clone(), text(&output.stderr))
}

#[test]
fn faults_are_counted_and_named_and_the_match_goes_on() {
    let nodes = ["--nodes", "50"];
    let (illegal, said) = failures_of("echo bestmove e2e5", &nodes);
    assert_eq!(illegal, serde_json::json!({"illegal move": 4}));
    assert!(said.contains("Scripted") && said.contains("illegal move \"e2e5\""), "{said}");
    let (crash, said) = failures_of("echo out of memory >&2; exit 9", &nodes);
    assert_eq!(crash, serde_json::json!({"crash": 4}));
    assert!(said.contains("out of memory"), "{said}");
    let (silence, _) = failures_of("true", &["--movetime", "50", "--margin", "950"]);
    assert_eq!(silence, serde_json::json!({"disconnect": 4}));
    let (late, said) = failures_of("sleep 1.5; echo bestmove a1a1", &["--movetime", "50", "--margin", "950"]);
    assert_eq!(late, serde_json::json!({"time forfeit": 4}));
    assert!(said.contains("overstepped its time"), "{said}");
}

#[test]
fn openings_that_are_missing_wrong_or_too_few_are_named() {
    let missing = run(&["match", "--openings", "/no/such/file.epd"]);
    assert!(!missing.status.success() && text(&missing.stderr).contains("/no/such/file.epd"));
    let scratch = Scratch::new("openings");
    std::fs::write(&scratch.0, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\nnonsense\n")
        .expect("written");
    let play = ["match", "--games", "4", "--nodes", "20", "--longest", "3", "--openings", scratch.text()];
    let output = run(&play);
    let said = text(&output.stderr);
    assert!(
        !output.status.success() && text(&output.stdout).contains("games       4"),
        "the rest still runs"
    );
    assert!(
        said.contains(&format!("{}:2: ", scratch.text())) && said.contains("games will repeat themselves"),
        "{said}"
    );
    std::fs::write(&scratch.0, "").expect("written");
    assert!(text(&run(&play).stderr).contains("no usable opening"));
}

#[test]
fn config_prints_what_results_carry() {
    let output = run(&["config", "--json", "--seed", "3", "--set", "Preset=Turk"]);
    let config: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&config["seed"], &config["options"]["Preset"]), (&Value::from(3), &Value::from("Turk")));
    let version = config["version"].as_str().and_then(|version| version.split_once('+'));
    let (number, search) = version.expect("a version and a digest");
    assert_eq!((number, search.len()), (env!("CARGO_PKG_VERSION"), 8));
    let hash = config["hash"].as_str().expect("a text");
    assert!(text(&run(&["config", "--set", "Preset=Turk"]).stdout).contains(hash));
    assert!(!text(&run(&["config"]).stdout).contains(hash));
}
