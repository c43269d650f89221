//! SIGTERM and SIGHUP end a run as Ctrl-C does: the result so far, files closed, an exit status that says it.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use crate::client::{drain, engine, exit_within, ms, run};

/// Starts a command, sends it a signal when `begun`, and returns how it ended and what it printed.
fn signalled(args: &[&str], signal: &str, begun: impl Fn() -> bool) -> (ExitStatus, String) {
    let mut child = engine(args).spawn().expect("the program starts");
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let deadline = Instant::now() + Duration::from_secs(60);
    while !begun() && Instant::now() < deadline {
        std::thread::sleep(ms(10));
    }
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
    assert!(sent.success(), "{args:?} has ended by itself");
    let status = exit_within(&mut child, Duration::from_secs(30)).unwrap_or_else(|| {
        let _ = child.kill();
        panic!("{args:?} goes on after {signal}")
    });
    let said = [stdout, stderr].map(|pipe| String::from_utf8_lossy(&pipe.join().unwrap()).into_owned());
    (status, said.concat())
}

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

#[test]
fn a_match_ends_with_its_result_and_can_be_resumed() {
    for signal in ["-TERM", "-HUP", "-INT"] {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("match");
        let place = out.to_str().expect("a plain name");
        let args = ["match", "--nodes", "200", "--games", "100000", "--set", "Hash=1", "--out", place];
        let (status, said) = signalled(&args, signal, || lines(&out.join("games.jsonl")) >= 2);
        assert_eq!(status.code(), Some(1), "{signal}: {said}");
        assert!(said.contains("interrupted after") && said.contains("Elo"), "{signal}: {said}");
        let played = lines(&out.join("games.jsonl"));
        let more = (played + 2).to_string();
        let again = ["match", "--nodes", "200", "--games", &more, "--set", "Hash=1", "--out", place];
        let again = run(&again);
        assert!(again.status.success(), "{again:?}");
        assert_eq!(lines(&out.join("games.jsonl")), played + 2);
    }
}

#[test]
fn a_recording_is_whole() {
    for signal in ["-TERM", "-HUP"] {
        let folder = tempfile::tempdir().expect("a folder");
        let tree = folder.path().join("a.tree").display().to_string();
        let begin = Instant::now();
        let args = ["tree", "record", "--depth", "100", "--out", &tree];
        let (status, said) = signalled(&args, signal, || begin.elapsed() > ms(700));
        assert!(status.success(), "{signal}: {said}");
        assert!(run(&["tree", "check", &tree]).status.success());
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 1);
    }
}

#[test]
fn a_test_suite_ends_with_what_was_solved() {
    for signal in ["-TERM", "-HUP"] {
        let begin = Instant::now();
        let args = ["epd", "wac", "--nodes", "50000000"];
        let (status, said) = signalled(&args, signal, || begin.elapsed() > ms(700));
        assert!(!status.success() && status.code().is_some(), "{signal}: {status} {said}");
        assert!(said.contains("interrupted"), "{signal}: {said}");
    }
}

// What was counted so far, and no table of half a run.
#[test]
fn bench_perft_and_a_profile_end_at_once_and_say_how_far_they_came() {
    let commands: [(&[&str], &str); 3] = [
        (&["bench", "--depth", "40"], "positions"),
        (&["perft", "12"], "first moves"),
        (&["lab", "profile", "--nodes", "2000000000", "--set", "Hash=1"], "searches"),
    ];
    for (args, things) in commands {
        for signal in ["-TERM", "-HUP", "-INT"] {
            let begin = Instant::now();
            let (status, said) = signalled(args, signal, || begin.elapsed() > ms(700));
            assert_eq!(status.code(), Some(1), "{args:?} {signal}: {status} {said}");
            // The first position of `bench` is a mate, and searched to any depth in no time.
            assert!(said.contains("interrupted after ") && said.contains(things), "{args:?}: {said}");
        }
    }
}

// A script must not take a part of the games for all of them.
#[test]
fn games_that_were_wanted_and_not_played_are_missed() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().to_str().expect("a plain name");
    let begun = || {
        let files = std::fs::read_dir(folder.path()).into_iter().flatten().flatten();
        files.filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum::<u64>() > 3_000
    };
    let args = ["learn", "games", "--nodes", "60", "--hash", "1", "--games", "1000000", "--out", place];
    let (status, said) = signalled(&args, "-TERM", begun);
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(said.contains("usable positions") && said.contains("interrupted"), "{said}");
}

// A second signal ends the program at once.
#[test]
fn a_second_signal_ends_everything_at_once() {
    let mut child = engine(["epd", "wac", "--nodes", "500000000"]).spawn().expect("the program starts");
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    std::thread::sleep(ms(500));
    for _ in 0..2 {
        let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
        std::thread::sleep(ms(30));
    }
    let status = exit_within(&mut child, Duration::from_secs(10));
    let _ = child.kill();
    assert!(status.is_some_and(|status| !status.success()), "{status:?}");
    drop((stdout, stderr));
}
