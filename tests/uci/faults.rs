//! Faults from outside: full disks, places that cannot be written, pipes that close, processes that are killed or stand
//! still. The answer comes all the same, or the error names what is wrong; nothing panics and nothing hangs.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::client::{Client, SLACK, drain, engine, exit_within, ms, run};
use crate::game::{Game, MIDDLE_GAME};
use crate::judge::judge;

fn signal(which: &str, id: u32) {
    let sent = Command::new("kill").args([which, &id.to_string()]).status().expect("kill");
    assert!(sent.success());
}

// A full disk: what the log cannot hold is lost, and nothing else.
#[test]
fn a_log_on_a_full_disk_does_not_cost_the_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("engine.log");
    let mut client = Client::limited("trap '' XFSZ; ulimit -f 4");
    client.accept(&format!("setoption name Debug Log File value {}", log.display()));
    let game = Game::from_fen(MIDDLE_GAME);
    for _ in 0..20 {
        judge(&game, &client.search(&format!("{}\ngo nodes 5000", game.command())), 1);
    }
    let length = std::fs::metadata(&log).expect("the log").len();
    assert!((1..=4 * 1024).contains(&length), "{length}");
}

// A folder that nobody can write to, not even its owner.
#[test]
#[cfg(target_os = "linux")]
fn places_that_cannot_be_written_are_named() {
    let cases: [&[&str]; 4] = [
        &["tree", "record", "--depth", "2", "--out", "/proc/a.tree"],
        &["match", "--games", "2", "--nodes", "20", "--out", "/proc/a"],
        &["match", "--games", "2", "--nodes", "20", "--pgn", "/proc/a"],
        &["learn", "games", "--games", "2", "--nodes", "20", "--out", "/proc/a"],
    ];
    for args in cases {
        let output = run(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && said.contains("/proc/a") && !said.contains("panicked"),
            "{args:?}: {said}"
        );
    }
}

/// Reads so many lines, closes the pipe and waits for the end.
fn hung_up(args: &[&str], talk: &str, lines: usize) {
    let mut child = engine(args).spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let _ = input.write_all(talk.as_bytes());
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    for _ in 0..lines {
        let _ = output.read_line(&mut line);
    }
    drop(output);
    let errors = drain(child.stderr.take());
    let status = exit_within(&mut child, Duration::from_secs(20));
    let _ = child.kill();
    let _ = child.wait();
    assert!(status.is_some(), "{args:?} still runs after {lines} lines");
    let errors = String::from_utf8_lossy(&errors.join().unwrap()).into_owned();
    assert!(!errors.contains("panicked"), "{args:?} after {lines} lines: {errors}");
}

// A closed output, at every write.
#[test]
fn a_client_may_hang_up_after_any_line() {
    let talk = "uci\nisready\nposition startpos\ngo nodes 20000\nd\neval\nhelp\ngo infinite\n";
    for lines in (0..40).chain([100, 200, 230, 240, 250, 260]) {
        hung_up(&[], talk, lines);
    }
}

#[test]
fn whoever_reads_the_output_of_a_command_may_stop_reading() {
    let commands: [&[&str]; 8] = [
        &["options"],
        &["config"],
        &["perft", "4"],
        &["bench", "--depth", "4"],
        &["epd", "bk", "--nodes", "500"],
        &["match", "--games", "4", "--nodes", "50", "--set", "Hash=1"],
        &["tree", "--help"],
        &["lab", "--help"],
    ];
    for args in commands {
        for lines in [0, 1, 5] {
            hung_up(args, "", lines);
        }
    }
}

// A machine that stands still for a second in the middle of a move: the answer comes as soon as it runs again.
#[test]
fn a_second_of_standstill_costs_a_second_and_no_more() {
    let game = Game::from_fen(MIDDLE_GAME);
    for go in ["go movetime 300", "go wtime 2000 btime 2000", "go movetime 300 depth 99"] {
        let mut client = Client::at(&format!("setoption name Threads value 2\n{}", game.command()));
        client.sync();
        client.send(go);
        std::thread::sleep(ms(100));
        signal("-STOP", client.id());
        std::thread::sleep(ms(1000));
        signal("-CONT", client.id());
        let woken = Instant::now();
        let answer = client.answer();
        assert!(game.is_legal(&answer.best));
        assert!(woken.elapsed() < ms(300) * SLACK, "{go}: {:?}", woken.elapsed());
        judge(&game, &client.search("go depth 3"), 1);
    }
}

#[test]
fn a_standstill_loses_no_command() {
    let mut client = Client::at("position startpos");
    client.send("go infinite");
    client.searching_for(ms(50));
    signal("-STOP", client.id());
    client.send("isready\nstop\nposition startpos moves e2e4\ngo depth 3");
    std::thread::sleep(ms(500));
    signal("-CONT", client.id());
    assert!(Game::default().is_legal(&client.answer().best));
    assert!(Game::default().after("e2e4").is_legal(&client.answer().best));
}

/// The processes that this one has started.
#[cfg(target_os = "linux")]
fn children(id: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>())
        .collect()
}

// An engine that is killed in a match loses that game and plays the next.
#[test]
#[cfg(target_os = "linux")]
fn a_match_survives_the_death_of_its_engines() {
    let other = engine([] as [&str; 0]).get_program().to_str().expect("a plain name").to_owned();
    let args =
        ["match", "--engine-b", &other, "--b", "Hash=1", "--set", "Hash=1", "--nodes", "2000", "--json"];
    let mut child = engine(args)
        .args(["--games", "12", "--concurrency", "1", "--longest", "40"])
        .spawn()
        .expect("it starts");
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let mut killed = 0;
    let deadline = Instant::now() + Duration::from_secs(60);
    while killed < 3 && Instant::now() < deadline {
        std::thread::sleep(ms(300));
        if let Some(engine) = children(child.id()).first() {
            // It may end by itself in this very moment.
            let _ = Command::new("kill").args(["-KILL", &engine.to_string()]).status();
            killed += 1;
        }
    }
    let status = exit_within(&mut child, Duration::from_secs(60));
    let _ = child.kill();
    let [out, said] =
        [stdout, stderr].map(|pipe| String::from_utf8_lossy(&pipe.join().unwrap()).into_owned());
    assert!(status.is_some_and(|status| status.code() == Some(1)), "{status:?}: {said}");
    let found: serde_json::Value =
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert_eq!(found["result"]["games"], 12, "{said}");
    let crashes = found["result"]["failures"][1]["crash"].as_u64().unwrap_or_default();
    assert!((1..=3).contains(&crashes), "{found}");
}

// Clock jumps: time is measured with clocks that only go forward, wherever a move depends on it.
#[test]
fn no_clock_that_can_be_set_decides_about_a_search() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut open =
        ["search", "uci", "selective", "eval", "lab/matches", "limits.rs", "engine.rs", "self_play.rs"]
            .map(|name| root.join(name))
            .to_vec();
    let mut seen = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).expect("a folder").flatten().map(|entry| entry.path()));
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        assert!(!code.contains("SystemTime"), "{}", path.display());
        seen += 1;
    }
    assert!(seen > 100, "{seen} files");
}
