//! `espalier epd` on small files, good and bad.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

use crate::script;

const LADDER: &str = "7k/8/8/8/8/8/R7/1R5K w - - bm Rb7 Ra7; dm 2; id \"ladder; either rook\";";
const FORK: &str = "4k3/8/8/8/8/3N4/q7/4K3 w - - 0 1 bm Nc1 Nb4; id \"hit the queen\"";
const BACK_RANK: &str = "6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm Re8#; c0 \"Re8=10, Kf1=1\";";

/// A file that is gone when the test is over.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("espalier-{}-{name}.epd", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn epd(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_espalier")).arg("epd").args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(arguments: &[&str]) -> (Value, Output) {
    let output = epd(&[arguments, &["--json"]].concat());
    (serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}")), output)
}

#[test]
fn good_lines_run_and_bad_ones_are_named_with_file_and_line() {
    let bad = "8/8/8/8/8/8/8/8 w - - bm e4;";
    let text =
        format!("# suite\r\n{LADDER}\r\nhello\r\n{bad}\r\n{BACK_RANK}\r\n{}\r\n", FORK.replace("Nc1", "Qd4"));
    let file = TemporaryFile::new("mixed", &text);
    let output = epd(&[file.path(), "--depth", "5", "--set", "Hash=1"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    for line in [3, 4, 6] {
        assert!(stderr(&output).contains(&format!("{}:{line}: ", file.path())), "{output:?}");
    }
    assert!(stderr(&output).contains("bm: \"Qd4\" is no legal move here"), "{output:?}");
    assert!(stdout(&output).contains("2 of 2 (100.0 ± 0.0 %)"), "{output:?}");
    assert!(stdout(&output).contains("10 of 10"), "{output:?}");
}

#[test]
fn files_that_are_missing_or_empty_are_named_and_the_rest_runs() {
    let (empty, good) = (TemporaryFile::new("empty", "\n"), TemporaryFile::new("good", LADDER));
    let output = epd(&["/no/such/file.epd", empty.path(), good.path(), "--depth", "4"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        stderr(&output).contains("/no/such/file.epd: ") && stderr(&output).contains(empty.path()),
        "{output:?}"
    );
    assert!(stdout(&output).contains("1 of 1"), "{output:?}");
    // Alone it gets a sentence, and no table of zeros.
    let output = epd(&[empty.path(), "--depth", "4"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr(&output).contains("no usable position") && output.stdout.is_empty(), "{output:?}");
}

#[test]
fn results_do_not_depend_on_jobs() {
    let run = |jobs| {
        let (document, output) = json(&["bk", "--nodes", "2000", "--jobs", jobs, "--set", "Hash=1"]);
        assert!(output.status.success(), "{output:?}");
        let run = &document["suites"][0]["runs"][0];
        assert_eq!(run["summary"]["positions"], 24);
        let view = |position: &Value| {
            (position["position"].clone(), position["played"].clone(), position["total"]["nodes"].clone())
        };
        run["positions"].as_array().unwrap().iter().map(view).collect::<Vec<_>>()
    };
    let one = run("1");
    assert_eq!(one.len(), 24);
    assert_eq!(one, run("2"));
}

#[test]
fn unsolved_positions_are_listed_with_both_moves() {
    let file = TemporaryFile::new("wrong", "6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm Kf1; id \"not so\";");
    let output = epd(&[file.path(), "--depth", "3"]);
    assert!(output.status.success(), "{output:?}");
    let line = stdout(&output).lines().find(|line| line.starts_with("not so")).map(str::to_owned);
    assert_eq!(line.unwrap().split_whitespace().collect::<Vec<_>>()[2..5], ["Kf1", "Re8#", "#1"]);
}

#[test]
fn two_settings_are_compared() {
    let (document, output) = json(&["bk", "--most", "4", "--depth", "5", "--compare", "NullMove=false"]);
    assert!(output.status.success(), "{output:?}");
    let runs = document["suites"][0]["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    assert_ne!(runs[0]["summary"]["nodes"], runs[1]["summary"]["nodes"]);
    assert_eq!(document["engines"][1]["options"]["NullMove"], "false");
    let text = stdout(&epd(&["bk", "--most", "4", "--depth", "3", "--compare", "NullMove=false"]));
    assert!(text.contains("NullMove=false") && text.contains("second / first"), "{text}");
}

#[test]
fn tables_can_be_had_for_spreadsheets_and_documents() {
    let csv = stdout(&epd(&["bk", "--most", "3", "--depth", "2", "--csv"]));
    assert_eq!(csv.lines().count(), 4);
    assert!(csv.starts_with("suite,engine,position,"));
    let markdown = stdout(&epd(&["bk", "--most", "3", "--depth", "2", "--markdown"]));
    assert!(markdown.contains("| nodes | "), "{markdown}");
}

#[test]
fn another_engine_runs_through_the_same_code() {
    let file = TemporaryFile::new("others", LADDER);
    let (document, output) = json(&[file.path(), "--depth", "4", "--engine", env!("CARGO_BIN_EXE_espalier")]);
    assert!(output.status.success(), "{output:?}");
    let position = &document["suites"][0]["runs"][0]["positions"][0];
    assert_eq!((&position["solved"], &position["total"]["depth"]), (&Value::Bool(true), &4.into()));
    let (ours, _) = json(&[file.path(), "--depth", "4"]);
    assert_eq!(ours["suites"][0]["runs"][0]["positions"][0]["total"]["nodes"], position["total"]["nodes"]);
}

#[test]
fn engines_that_misbehave_are_named_and_the_run_goes_on() {
    let file = TemporaryFile::new("worried", &format!("{LADDER}\n{FORK}\n"));
    let run = |engine: &str| epd(&[file.path(), "--depth", "1", "--jobs", "1", "--engine", engine]);
    for (engine, says) in
        [(script("exit 3"), "ended unexpectedly"), (script("echo bestmove h8h1"), "illegal move \"h8h1\"")]
    {
        let output = run(&engine);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_eq!(stderr(&output).matches(says).count(), 2, "{output:?}");
        assert!(stdout(&output).contains("no answer"), "{output:?}");
    }
    let output = run("/no/such/engine");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr(&output).contains("\"/no/such/engine\" does not start"), "{output:?}");
}

#[test]
fn a_suite_nobody_knows_is_answered_with_those_there_are() {
    let output = epd(&["wax"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr(&output).contains("wax") && stderr(&output).contains("wac"), "{output:?}");
}

#[test]
fn an_option_among_the_suites_is_refused_before_anything_runs() {
    let file = TemporaryFile::new("option", LADDER);
    let output = epd(&[file.path(), "--depth", "1", "--set", "Hash=1", "Threads=1"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr(&output).contains("Threads=1 is no suite"), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
}

#[test]
fn an_engine_that_starts_only_once_has_one_job() {
    let suite = TemporaryFile::new("once", &format!("{LADDER}\n{BACK_RANK}\n"));
    let lock = std::env::temp_dir().join(format!("espalier-{}-once.lock", std::process::id()));
    let once =
        format!("mkdir '{0}' && {{ '{1}'; rmdir '{0}'; }}", lock.display(), env!("CARGO_BIN_EXE_espalier"));
    let engine = format!("sh -c \"{once}\"");
    let output = epd(&[suite.path(), "--nodes", "2000", "--jobs", "2", "--engine", &engine, "--json"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("job 2 of 2 is left out"), "{said}");
    assert!(stdout(&output).contains("\"positions\": 2"), "{}", stdout(&output));
}

/// A file for a part, gone when the test is over.
fn part(name: &str) -> TemporaryFile {
    TemporaryFile(std::env::temp_dir().join(format!("espalier-{}-{name}.json", std::process::id())))
}

#[test]
fn parts_put_together_are_the_whole_run() {
    let suite = TemporaryFile::new("whole", &[LADDER, FORK, BACK_RANK].join("\n"));
    let run = ["--depth", "4", "--compare", "NullMove=false", "--csv"];
    let with = |more: &[&str]| epd(&[&[suite.path()], run.as_slice(), more].concat());
    let parts = ["1/2", "2/2"].map(|shard| {
        let file = part(&shard.replace('/', "-of-"));
        let output = with(&["--shard", shard, "--out", file.path()]);
        assert!(stdout(&output).starts_with(&format!("part {shard} is finished: ")), "{output:?}");
        file
    });
    // Times differ from run to run.
    let without_times = |output: &Output| {
        assert!(output.status.success(), "{output:?}");
        let fields = |line: &str| {
            let fields =
                line.split(',').filter(|field| field.parse::<f64>().is_err() || !field.contains('.'));
            fields.map(str::to_owned).collect::<Vec<_>>()
        };
        stdout(output).lines().map(fields).collect::<Vec<_>>()
    };
    let merged = with(&["--merge", parts[0].path(), parts[1].path()]);
    assert_eq!(without_times(&merged), without_times(&with(&[])));
    assert_eq!(without_times(&merged).len(), 7);
}

#[test]
fn parts_that_do_not_fit_together_are_refused() {
    let suite = TemporaryFile::new("refused", &[LADDER, FORK].join("\n"));
    let (one, two) = (part("one"), part("two"));
    for (shard, file) in [("1/2", &one), ("2/2", &two)] {
        epd(&[suite.path(), "--depth", "3", "--shard", shard, "--out", file.path()]);
    }
    let refused = |depth: &str, parts: &[&str], why: &str| {
        let output = epd(&[&[suite.path(), "--depth", depth, "--merge"], parts].concat());
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(stderr(&output).contains(why), "{output:?}");
    };
    refused("3", &[one.path()], "hit the queen: is in no part");
    refused("3", &[one.path(), two.path(), one.path()], "ladder; either rook: is in another part, too");
    refused("4", &[one.path(), two.path()], "limits was \"depth 3\" then and is \"depth 4\" now");
    refused("3", &[suite.path()], "not a checkpoint");
}
