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

#[test]
fn bench_takes_a_depth_as_the_command_does() {
    let last = |args: &[&str]| signature(succeeds(args).lines().last().expect("a last line"));
    assert_eq!(last(&["bench", "3"]), last(&["bench", "--depth", "3"]));
    fails(&["bench", "3", "--depth", "4"]);
}

#[test]
fn tables_are_printed_for_programs_and_nothing_beside_them() {
    let divided = succeeds(&["perft", "2", "--divide", "--csv"]);
    assert!(divided.starts_with("move,nodes\n") && divided.lines().count() == 21, "{divided}");
    assert!(succeeds(&["perft", "2", "--markdown"]).contains("| 2 | 400 | "));
    let shown = ["learn", "rankcut", "--show", "built-in"];
    let table: serde_json::Value =
        serde_json::from_str(&succeeds(&[&shown[..], &["--json"]].concat())).expect("JSON");
    assert_eq!(table[0]["depth"], 3);
    assert!(succeeds(&[&shown[..], &["--csv"]].concat()).starts_with("depth,samples,"));
    assert!(succeeds(&shown).contains("states seen"));
    let bench = succeeds(&["bench", "2", "--csv"]);
    assert!(bench.starts_with("position,nodes\n1,") && !bench.contains("nps"), "{bench}");
    assert!(
        succeeds(&["bench", "2", "--markdown"]).starts_with("| position | nodes |\n| ---: | ---: |\n| 1 | ")
    );
    let options = succeeds(&["options", "--group", "null move", "--csv"]);
    assert!(
        options.starts_with("name,group,type,min,max,") && options.contains("\nNullMove,null move,check,")
    );
}

#[test]
fn files_and_folders_that_are_of_no_use_are_named_and_nothing_is_printed_for_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (empty, words, page) = (path("empty"), path("words"), path("page.md"));
    std::fs::write(&empty, "").expect("a file");
    std::fs::write(&words, "hello world ".repeat(100)).expect("a file");
    let (place, nowhere) = (folder.path().to_str().expect("text"), path("nowhere"));
    let book = format!("BookFile={words}");
    let first = format!("{empty}:1");
    for (args, why) in [
        (&["learn", "games", "--report", &empty][..], "no whole game"),
        (&["learn", "games", "--report", &words], "no whole game"),
        (&["bench", "1", "--set", &book], "no Polyglot book"),
        (&["match", "--b", &book, "--games", "2", "--nodes", "10"], "no Polyglot book"),
        (&["epd", "bk", "--suites", &nowhere, "--nodes", "10"], "no such folder"),
        (&["lab", "report", "--results", place, "--out", &page], "no results"),
        (&["perft", "1", "--epd", &first], "no usable position"),
        (&["match", "--b", "Hash=2", "--openings", &words, "--games", "2"], "no usable opening"),
    ] {
        let output = fails(args);
        let said = text(&output.stderr);
        assert!(said.contains(why) && output.stdout.is_empty(), "{args:?}: {output:?}");
        // A line of rubbish is not repeated whole.
        assert!(
            said.len() < 600 && !said.contains("panicked") && !said.contains("ERROR"),
            "{args:?}: {said}"
        );
    }
    assert!(!folder.path().join("page.md").exists());
}

#[test]
fn config_prints_a_file_that_settings_loads_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.txt");
    let printed =
        succeeds(&["config", "--set", "Preset=Crafty", "--set", "NullMove=false", "--set", "Hash=3"]);
    std::fs::write(&file, &printed).expect("a file");
    let path = file.to_str().expect("text");
    // With the same hash, too.
    assert_eq!(succeeds(&["config", "--settings", path]), printed);
    assert!(
        printed.contains("Preset=Crafty") && printed.contains("NullMove=false") && printed.contains("Hash=3")
    );
}

#[test]
fn a_basic_list_ends_with_the_preset_and_the_other_options_can_be_set() {
    let mut child = crate::client::engine(["--basic"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the engine starts");
    let mut input = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut input, b"uci\nsetoption name NullMove value false\nisready\nquit\n")
        .expect("it reads");
    drop(input);
    let said = text(&child.wait_with_output().expect("it ends").stdout);
    let names: Vec<&str> = said.lines().filter(|line| line.starts_with("option name ")).collect();
    assert!(names.last().is_some_and(|last| last.starts_with("option name Preset ")), "{said}");
    assert!(names.len() < 40 && !said.contains("ERROR"), "{said}");
}

#[test]
fn the_program_has_its_suites_with_it_and_explains_those_it_has_not() {
    let elsewhere = tempfile::tempdir().expect("a folder");
    let program = elsewhere.path().join("espalier");
    std::fs::copy(env!("CARGO_BIN_EXE_espalier"), &program).expect("a copy");
    let run = |args: &[&str]| {
        std::process::Command::new(&program)
            .args(args)
            .current_dir(elsewhere.path())
            .env("XDG_DATA_HOME", elsewhere.path().join("data"))
            .output()
            .expect("it runs")
    };
    let solved = run(&["epd", "wac", "--count", "2", "--depth", "2"]);
    assert!(solved.status.success(), "{solved:?}");
    let asked = run(&["epd", "ecm", "--depth", "1"]);
    let advice = text(&asked.stderr);
    assert!(advice.contains("Middlegames") && advice.contains("suites/ecm.epd"), "{advice}");
    let place = elsewhere.path().join("data/espalier/suites");
    std::fs::create_dir_all(&place).expect("a folder");
    std::fs::write(place.join("ecm.epd"), "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#;\n").expect("a file");
    let found = run(&["epd", "ecm", "--depth", "2"]);
    assert!(found.status.success(), "{found:?}");
}

#[test]
fn a_book_move_is_played_at_once_and_not_in_an_analysis() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = folder.path().join("book.bin");
    // 1. a4, which no search would play: the key of the start position, a2a4, weight 1, nothing learned.
    let (key, code): (u64, u16) = (0x463b_9618_1691_fc9c, 24 | 8 << 6);
    std::fs::write(&book, [&key.to_be_bytes()[..], &code.to_be_bytes(), &[0, 1], &[0; 4]].concat())
        .expect("a file");
    let mut client = Client::ready();
    client.send(&format!(
        "setoption name BookFile value {}\nsetoption name OwnBook value true",
        book.display()
    ));
    assert_eq!(client.search("position startpos\ngo depth 3").best, "a2a4");
    client.send("setoption name UCI_AnalyseMode value true");
    assert_ne!(client.search("position startpos\ngo depth 3").best, "a2a4");
    client.send("setoption name UCI_AnalyseMode value false");
    assert_ne!(client.search("position startpos moves e2e4\ngo depth 3").best, "a2a4");
    assert!(client.refuse("setoption name BookFile value /no/such/book.bin").contains("as it was"));
}

#[test]
fn flip_exchanges_the_colours_and_d_says_whose_move_it_is() {
    let mut client = Client::ready();
    client.send("position startpos moves e2e4\nflip\nd");
    let said = client.sync().join("\n");
    assert!(said.contains("White to move") && said.contains("/4p3/8/8/PPPPPPPP/RNBQKBNR w "), "{said}");
}
