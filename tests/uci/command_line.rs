//! The command line: subcommands that end by themselves, and what is wrong is said.

use std::process::Output;

use crate::client::{Client, run};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn succeeds(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    text(&output.stdout)
}

fn fails(args: &[&str]) -> Output {
    let output = run(args);
    assert!(!output.status.success(), "{args:?}: {output:?}");
    output
}

/// The nodes of a line `N nodes M nps`.
fn signature(line: &str) -> u64 {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [nodes, "nodes", speed, "nps"] = words[..] else { panic!("{line:?} is not N nodes M nps") };
    speed.parse::<u64>().expect("a number");
    nodes.parse().expect("a number")
}

// `espalier bench` ends by itself well under 60 s and prints `N nodes M nps`, N the same every time.
#[test]
fn bench_ends_with_the_same_node_count_every_time() {
    let bench = || signature(succeeds(&["bench"]).lines().last().expect("a last line"));
    assert_eq!(bench(), bench());
}

#[test]
fn bench_is_a_command_too_and_the_engine_plays_on() {
    let mut client = Client::ready();
    client.send("bench");
    let last =
        client.expect("the last line", std::time::Duration::from_secs(60), |line| line.ends_with(" nps"));
    assert!(signature(&last) > 0);
    client.sync();
    assert!(crate::game::Game::default().is_legal(&client.search("position startpos\ngo depth 2").best));
}

#[test]
fn perft_counts_the_start_position() {
    assert!(succeeds(&["perft", "4"]).contains("197281"));
}

#[test]
fn options_lists_every_option() {
    let table = succeeds(&["options"]);
    for option in crate::declared::options(&mut Client::ready()) {
        assert!(table.contains(&option.name), "{}", option.name);
    }
}

// `--set NAME=VALUE` on every subcommand.
#[test]
fn set_works_on_every_subcommand() {
    assert!(succeeds(&["perft", "3", "--set", "Hash=2"]).contains("8902"));
    succeeds(&["options", "--set", "MultiPV=2", "--set", "hash=1"]);
    let plain = signature(succeeds(&["bench", "--set", "Hash=16"]).lines().last().expect("a last line"));
    assert!(plain > 0);
}

#[test]
fn a_bad_set_ends_with_a_message_that_names_the_option() {
    for (assignment, named) in [
        ("Hash=0", "Hash"),
        ("Telepathy=1", "Telepathy"),
        ("UCI_Chess960=maybe", "UCI_Chess960"),
        ("Hash", "Hash"),
    ] {
        for subcommand in [&["perft", "2"][..], &["options"], &["bench"]] {
            let args = [subcommand, &["--set", assignment]].concat();
            let output = fails(&args);
            assert!(text(&output.stderr).contains(named), "{args:?}: {output:?}");
            assert!(!text(&output.stderr).contains("panicked"), "{args:?}: {output:?}");
        }
    }
}

#[test]
fn an_unknown_subcommand_exits_with_two_and_a_hint() {
    let output = fails(&["telepathy"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).to_lowercase().contains("usage"), "{output:?}");
}

#[test]
fn help_and_version_are_there() {
    assert!(succeeds(&["--help"]).contains("bench"));
    assert!(succeeds(&["--version"]).contains(env!("CARGO_PKG_VERSION")));
}
