//! Handshake: from the start of the process to `uciok`, and what the option lines promise.

use std::collections::HashSet;
use std::time::Duration;

use crate::client::{Client, SLACK, TIMEOUT, in_time, ms};
use crate::declared::{self, KEYWORDS};
use crate::game::Game;
use crate::info::Info;
use crate::judge::judge;

/// Names with a meaning that clients know; all others are research switches.
const STANDARD: [&str; 17] = [
    "Hash",
    "Clear Hash",
    "Threads",
    "Ponder",
    "MultiPV",
    "Move Overhead",
    "Debug Log File",
    "UCI_Chess960",
    "UCI_ShowWDL",
    "UCI_AnalyseMode",
    "UCI_LimitStrength",
    "UCI_Elo",
    "UCI_Opponent",
    "UCI_EngineAbout",
    "SyzygyPath",
    "EvalFile",
    "OwnBook",
];

// `uci` → `id name`, `id author`, every option, `uciok`, with no `info` in between.
// Bug reports: early `info string` lines before `uciok` make a GUI reject the engine.
#[test]
fn uci_gives_name_author_options_and_uciok_in_this_order_and_no_info() {
    let mut client = Client::start();
    client.send("uci");
    let lines = client.until("uciok", TIMEOUT, |line| line == "uciok");
    assert!(!lines.iter().any(|line| line.starts_with("info")), "no info before uciok");
    let place = |start: &str| lines.iter().position(|line| line.starts_with(start)).expect(start);
    assert!(place("id name ") < place("id author "));
    assert!(place("id author ") < place("option name "));
    let last_id = lines.iter().rposition(|line| line.starts_with("id ")).expect("id lines");
    assert!(last_id < place("option name "));
    client.silent_for(ms(100));
}

// `uciok` under 500 ms from start; our own goal is 100 ms, with slack for a busy machine.
#[test]
fn uciok_comes_quickly_after_the_start() {
    in_time(ms(100) * SLACK, || {
        let mut client = Client::start();
        client.send("uci");
        client.time_from_start("uciok")
    });
}

// `isready` works before `uci`.
#[test]
fn isready_is_answered_before_uci() {
    let mut client = Client::start();
    client.sync();
}

// Also what scripts do: no handshake at all.
#[test]
fn go_works_without_a_handshake() {
    let mut client = Client::start();
    let answer = client.search("go depth 3");
    judge(&Game::default(), &answer, 1);
}

// `uci` and `quit` in one write exit 0 within a second.
#[test]
fn uci_and_quit_in_one_write_end_well_within_a_second() {
    let mut client = Client::start();
    client.send("uci\nquit");
    client.ends_well_within(ms(1000) * SLACK);
}

// A GUI may ask twice.
#[test]
fn a_second_uci_gives_the_same_answer() {
    let mut client = Client::ready();
    let mut ask = || {
        client.send("uci");
        client.until("uciok", TIMEOUT, |line| line == "uciok")
    };
    assert_eq!(ask(), ask());
}

#[test]
fn the_options_clients_know_are_there() {
    let options = declared::options(&mut Client::ready());
    for (name, kind) in [
        ("Hash", "spin"),
        ("Clear Hash", "button"),
        ("Threads", "spin"),
        ("Ponder", "check"),
        ("MultiPV", "spin"),
        ("Move Overhead", "spin"),
        ("UCI_Chess960", "check"),
        ("UCI_ShowWDL", "check"),
        ("UCI_AnalyseMode", "check"),
        ("UCI_LimitStrength", "check"),
        ("UCI_Elo", "spin"),
        ("Debug Log File", "string"),
        ("Algorithm", "combo"),
        ("IterativeDeepening", "check"),
        ("HashCutoffs", "check"),
        ("Killers", "check"),
        ("History", "check"),
        ("Aspiration", "check"),
        ("Quiescence", "check"),
        ("NullMove", "check"),
    ] {
        let found = options.iter().find(|option| option.name == name);
        assert_eq!(found.map(|option| option.kind.as_str()), Some(kind), "{name}");
    }
}

#[test]
fn the_hash_table_has_sixteen_megabytes_by_default_and_at_least_one() {
    let (default, min, _) = declared::option(&mut Client::ready(), "Hash").range();
    assert_eq!((default, min), (16, 1));
}

// Every spin default lies in its range and all three fit 32-bit signed.
#[test]
fn every_spin_default_lies_in_its_range_and_fits_32_bits() {
    for option in declared::options(&mut Client::ready()) {
        if option.kind == "spin" {
            let (default, min, max) = option.range();
            assert!((min..=max).contains(&default), "{option:?}");
            assert!([default, min, max].iter().all(|number| i32::try_from(*number).is_ok()), "{option:?}");
        }
    }
}

// The other kinds keep their promises too; combo values are single words.
#[test]
fn every_check_and_combo_default_is_one_of_its_values() {
    for option in declared::options(&mut Client::ready()) {
        let default = option.default.clone().unwrap_or_default();
        match option.kind.as_str() {
            "check" => assert!(["true", "false"].contains(&default.as_str()), "{option:?}"),
            "combo" => {
                assert!(option.vars.contains(&default), "{option:?}");
                assert!(option.vars.iter().all(|var| var.split_whitespace().count() == 1), "{option:?}");
            }
            "button" => assert!(option.default.is_none(), "{option:?}"),
            "spin" | "string" => {}
            other => panic!("{other} is no kind of option: {option:?}"),
        }
    }
}

// An empty string default is printed `<empty>` and `<empty>` sets it.
#[test]
fn an_empty_string_is_written_and_read_as_empty_in_angle_brackets() {
    let mut client = Client::ready();
    for option in declared::options(&mut client).iter().filter(|option| option.kind == "string") {
        assert_ne!(option.default.as_deref(), Some(""), "{option:?}");
        if option.default.as_deref() == Some("<empty>") {
            client.accept(&option.set("<empty>"));
        }
    }
}

// Option names contain none of the words that separate an option line, no hyphen, and (for research
// switches) no blank and no `UCI_` prefix; no two names differ in case only.
#[test]
fn option_names_are_ones_that_every_client_can_parse() {
    let mut seen = HashSet::new();
    for option in declared::options(&mut Client::ready()) {
        let name = option.name.to_lowercase();
        let reserved = |word: &str| KEYWORDS.contains(&word) || word == "value";
        assert!(!name.is_empty() && !name.split(' ').any(reserved), "{option:?}");
        assert!(!name.contains('-'), "{option:?}");
        let plain = !name.contains(' ') && !name.starts_with("uci_");
        assert!(plain || STANDARD.contains(&option.name.as_str()), "{option:?}");
        assert!(seen.insert(name), "twice: {option:?}");
    }
}

// Names are matched without regard to case …
#[test]
fn option_names_are_matched_without_regard_to_case() {
    let mut client = Client::at("position startpos");
    client.accept("setoption name mUlTiPv value 3");
    let infos = Info::all(&client.search("go depth 2").lines);
    assert_eq!(infos.iter().map(Info::line).max(), Some(3));
}

// … and as whole names.
#[test]
fn a_part_of_a_name_or_more_than_a_name_sets_nothing() {
    let mut client = Client::at("position startpos");
    for name in ["Multi", "MultiPV Lines", "PV"] {
        let error = client.refuse(&format!("setoption name {name} value 3"));
        assert!(error.contains(name), "{error}");
    }
    let infos = Info::all(&client.search("go depth 2").lines);
    assert_eq!(infos.iter().map(Info::line).max(), Some(1));
}

// `register …` and `copyprotection` are accepted and ignored.
#[test]
fn registration_and_copy_protection_are_ignored() {
    let mut client = Client::ready();
    for command in ["register later", "register name A Person code 4711", "copyprotection"] {
        assert_eq!(client.reply(command), [] as [&str; 0], "{command}");
    }
}

// A button may come with `value true`.
#[test]
fn a_button_may_come_with_a_value() {
    let mut client = Client::ready();
    for command in ["setoption name Clear Hash", "setoption name Clear Hash value true"] {
        client.accept(command);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_default_hash_keeps_the_process_under_a_hundred_megabytes() {
    let mut client = Client::at("position startpos");
    client.search("go nodes 50000");
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.id())).expect("status");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("VmRSS");
    let kilobytes: u64 = resident.trim().trim_end_matches(" kB").parse().expect("a number");
    assert!(kilobytes < 100_000, "{kilobytes} kB");
}

// Clients that close the pipe right after the handshake.
#[test]
fn the_end_of_input_after_the_handshake_ends_the_process() {
    let mut client = Client::ready();
    client.close_input();
    client.ends_well_within(Duration::from_secs(2));
}
