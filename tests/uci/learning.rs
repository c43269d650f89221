//! Learning search control: the three commands of the thesis, files of settings, and learners from the command
//! line that can be resumed.

use std::path::PathBuf;
use std::process::Command;

use crate::client::{Client, TIMEOUT, engine, exit_within, ms, run};

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("espalier-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The answer to `gountil`.
fn nodes(client: &mut Client, command: &str) -> (bool, u64) {
    client.send(command);
    let line = client.expect("nodes FLAG COUNT", TIMEOUT, |line| line.starts_with("nodes "));
    let words: Vec<&str> = line.split_whitespace().collect();
    let [_, flag, count] = words[..] else { panic!("{line:?} is not nodes FLAG COUNT") };
    (flag == "1", count.parse().expect("a count"))
}

const MATE: &str = "setboard 6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1";

#[test]
fn gountil_stops_at_the_move_or_at_the_limit_and_says_nothing_else() {
    let mut client = Client::ready();
    client.send(MATE);
    client.send("setparam 0.1 0.84 0.68 0.91");
    let (found, count) = nodes(&mut client, "gountil e1e8 5000");
    assert!(found && count < 5_000, "{count}");
    assert_eq!(nodes(&mut client, "gountil Re8 5000"), (found, nodes_again(&mut client)));
    assert_eq!(nodes(&mut client, "gountil g1f1 5000"), (false, 5_000));
}

#[test]
fn gountil_from_a_pipe_is_answered_in_full_and_one_that_is_stopped_has_found_nothing() {
    let start = "setboard rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let mut child = engine([""; 0]).spawn().expect("the engine starts");
    let script = format!("{start}\ngountil a2a3 20000\n{MATE}\ngountil e1e8 5000\n");
    std::io::Write::write_all(child.stdin.as_mut().expect("piped"), script.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends at the end of its input");
    let answers: Vec<String> =
        text(&output.stdout).lines().filter(|line| line.starts_with("nodes")).map(str::to_owned).collect();
    assert!(matches!(&answers[..], [_, second] if second.starts_with("nodes 1 ")), "{answers:?}");

    let mut client = Client::ready();
    client.send(start);
    client.send("gountil h2h4 500000000");
    client.send("gountil h2h4 1000");
    client.send("stop");
    let line = client.expect("the first answer", TIMEOUT, |line| line.starts_with("nodes "));
    assert!(line.starts_with("nodes 0 ") && line != "nodes 0 500000000", "{line}");
    let line = client.expect("the second answer", TIMEOUT, |line| line.starts_with("nodes "));
    assert_eq!(line, "nodes 0 1000");
    client.send(MATE);
    client.send("setboard nonsense");
    client.send("d");
    client.expect("the board before", TIMEOUT, |line| line.contains("4R1K1 w"));
}

/// `setboard` forgets everything: the same search costs the same again.
fn nodes_again(client: &mut Client) -> u64 {
    client.send(MATE);
    nodes(client, "gountil e1e8 5000").1
}

#[test]
fn weights_change_the_search_and_nonsense_is_refused() {
    let mut client = Client::ready();
    let mut count = |weights: &str| {
        client.send("setboard r1bqk2r/pp2bppp/2n1pn2/3p4/3P4/2N2N2/PP2BPPP/R1BQ1RK1 w kq - 0 9");
        client.send(&format!("setparam {weights}"));
        client.send("go depth 6");
        let line = client.expect("depth 6", TIMEOUT, |line| line.starts_with("info depth 6 "));
        client.expect("bestmove", TIMEOUT, |line| line.starts_with("bestmove"));
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let place = words.iter().position(|word| word == "nodes").expect("nodes are told");
        words[place + 1].parse::<u64>().expect("a count")
    };
    let plain = count("1 1 1 1");
    assert_ne!(count("0.1 0.1 0.1 0.1"), plain);
    assert_eq!(count("1.0 1.0 1.0 1.0 1.0"), plain);
    for nonsense in ["setparam", "setparam 1 2", "setparam 1 1 1 3", "setparam a b c d"] {
        client.refuse(nonsense);
    }
    client.refuse("gountil a1a8 500");
    for malformed in ["gountil", "gountil 5", "gountil e1e8", "gountil e1e8 0"] {
        assert_eq!(nodes(&mut client, malformed), (false, 0), "its driver waits for an answer");
    }
}

#[test]
fn a_file_of_settings_is_loaded_whole_or_not_at_all() {
    let folder = folder("settings");
    let (good, bad) = (folder.join("good.txt"), folder.join("bad.txt"));
    std::fs::write(&good, "# learned\nPreset=Crafty\nWeightCheckMiddle=47\n").expect("written");
    std::fs::write(&bad, "WeightCheckMiddle=48\nWeightCheckEnd=4711\n").expect("written");
    let mut client = Client::ready();
    client.accept(&format!("setoption name SettingsFile value {}", good.display()));
    let error = client.refuse(&format!("setoption name SettingsFile value {}", bad.display()));
    assert!(error.contains("line 2") && error.contains("WeightCheckEnd"), "{error}");
    let options = run(&["options", "--settings", &good.display().to_string()]);
    let weight = |text: &str| {
        text.lines().find(|line| line.trim_start().starts_with("WeightCheckMiddle")).map(str::to_owned)
    };
    assert!(weight(&text(&options.stdout)).is_some_and(|line| line.contains(" 47 ")), "{options:?}");
    let refused = run(&["options", "--settings", &bad.display().to_string()]);
    assert!(!refused.status.success() && text(&refused.stderr).contains("line 2"), "{refused:?}");
}

#[test]
fn rankcut_statistics_go_on_where_they_were_and_other_settings_are_refused() {
    let folder = folder("rankcut");
    let out = folder.join("ranks.bin").display().to_string();
    let learn = |games: &str, nodes: &str| {
        run(&["learn", "rankcut", "--games", games, "--nodes", nodes, "--jobs", "1", "--out", &out])
    };
    assert!(learn("1", "200").status.success());
    let two = learn("2", "200");
    assert!(text(&two.stdout).contains("2 games"), "{two:?}");
    assert!(folder.join("ranks.svg").exists());
    let other = learn("2", "300");
    assert!(!other.status.success(), "{other:?}");
    assert!(text(&other.stderr).contains("\"200 nodes\" then and is \"300 nodes\" now"), "{other:?}");
    let set = format!("RankCutFile={out}");
    assert!(run(&["perft", "1", "--set", "RankCut=true", "--set", &set]).status.success());
    let mut bytes = std::fs::read(&out).expect("the table");
    bytes[20] ^= 1;
    std::fs::write(&out, bytes).expect("written");
    let damaged = run(&["perft", "1", "--set", "RankCut=true", "--set", &set]);
    assert!(!damaged.status.success() && text(&damaged.stderr).contains("damaged"), "{damaged:?}");
}

/// Starts a learner and interrupts it as Ctrl-C does. One that had not come so far as to listen is given more time.
#[cfg(unix)]
fn interrupt(command: &[String]) {
    for wait in [100, 300, 900, 2_700] {
        let mut child = engine(command).spawn().expect("the engine starts");
        std::thread::sleep(ms(wait));
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(killed.is_ok_and(|status| status.success()));
        match exit_within(&mut child, TIMEOUT).expect("Ctrl-C ends it").code() {
            Some(1) => return,
            Some(0) => panic!("it was over before it was interrupted"),
            _ => {}
        }
    }
    panic!("it does not listen to Ctrl-C");
}

/// Runs a learner whole, and again with another number of jobs and an interruption: both write the same file.
#[cfg(unix)]
fn same_when_interrupted(folder: &std::path::Path, arguments: &[&str]) -> String {
    let path = |name: &str| folder.join(name).display().to_string();
    let (whole, cut) = (path("whole"), path("cut"));
    let command = |out: &str, jobs: &str| -> Vec<String> {
        let end = ["--jobs", jobs, "--out", out];
        ["learn"].iter().chain(arguments).chain(&end).map(|word| (*word).to_owned()).collect()
    };
    let output = engine(command(&whole, "1")).output().expect("the engine starts");
    assert!(output.status.success(), "{output:?}");
    interrupt(&command(&cut, "2"));
    let last = engine(command(&cut, "2")).output().expect("the engine starts");
    assert!(last.status.success(), "{last:?}");
    let read = |name: &str| std::fs::read_to_string(name).expect("it was written");
    assert_eq!(read(&cut), read(&whole));
    read(&whole)
}

/// A learner run in two parts that are put together writes the file of the undivided run; a part alone is refused.
fn parts_make_the_whole(name: &str, arguments: &[&str], twice: &str) {
    let folder = folder(&format!("{name}-parts"));
    let path = |name: &str| folder.join(name).display().to_string();
    let [whole, one, two, merged] = ["whole", "one", "two", "merged"].map(path);
    let learn = |end: &[&str]| run(&[&["learn", name], arguments, &["--jobs", "1"], end].concat());
    for end in [
        vec!["--out", &whole],
        vec!["--shard", "1/2", "--out", &one],
        vec!["--shard", "2/2", "--out", &two],
        vec!["--merge", &one, &two, "--out", &merged],
    ] {
        let output = learn(&end);
        assert!(output.status.success(), "{output:?}");
    }
    let read = |name: &str| std::fs::read(name).expect("it was written");
    assert!(read(&merged) == read(&whole), "{name}: the parts make another file");
    for (end, why) in [
        (vec!["--merge", &one, "--out", &merged], "is in no part"),
        (vec!["--merge", &one, &two, &two, "--out", &merged], twice),
    ] {
        let output = learn(&end);
        assert!(!output.status.success() && text(&output.stderr).contains(why), "{why}: {output:?}");
    }
}

#[test]
fn lines_fitted_in_parts_are_those_of_the_undivided_run() {
    parts_make_the_whole(
        "probcut",
        &["--positions", "25", "--deep", "0", "--deepest", "0", "--nodes", "500"],
        "is in another part, too",
    );
}

#[test]
fn ranks_collected_in_parts_are_those_of_the_undivided_run() {
    parts_make_the_whole("rankcut", &["--games", "4", "--nodes", "300"], "is in two parts");
}

#[test]
#[cfg(unix)]
fn a_mined_suite_does_not_depend_on_jobs_or_interruptions_and_can_be_solved() {
    let folder = folder("mine");
    let suite = same_when_interrupted(
        &folder,
        &["mine", "--count", "6", "--nodes", "1000", "--check", "20000", "--gap", "60", "--least", "2"],
    );
    assert_eq!(suite.lines().count(), 6);
    let depths: Vec<i32> =
        suite.lines().filter_map(|line| line.split("acd ").nth(1)?.split(';').next()?.parse().ok()).collect();
    assert!(depths.len() == 6 && depths.is_sorted(), "{depths:?}");
    let solved = run(&["epd", &folder.join("whole").display().to_string(), "--nodes", "20000"]);
    assert!(solved.status.success() && text(&solved.stdout).contains("of 6"), "{solved:?}");
}

#[test]
#[cfg(unix)]
fn fitted_lines_do_not_depend_on_jobs_or_interruptions_and_can_be_loaded() {
    let folder = folder("probcut");
    let file = same_when_interrupted(
        &folder,
        &["probcut", "--positions", "25", "--deep", "1", "--deepest", "0", "--nodes", "1000"],
    );
    let lines = file.lines().filter(|line| !line.starts_with('#')).count();
    assert!(lines > 10, "{file}");
    let set = format!("ProbCutFile={}", folder.join("whole").display());
    assert!(run(&["perft", "1", "--set", &set]).status.success());
}

#[test]
fn what_cannot_work_is_refused_before_the_first_game() {
    let folder = folder("refused");
    let path = |name: &str| folder.join(name).display().to_string();
    let suite = path("one.epd");
    std::fs::write(&suite, "6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm Re8#;\n").expect("written");
    let over = path("over.epd");
    std::fs::write(&over, "R5k1/5ppp/8/8/8/8/8/6K1 b - -\n").expect("written");
    let begin = std::time::Instant::now();
    for (arguments, why) in [
        (vec!["mine", "--out", &path("missing/x.epd")], "missing"),
        (vec!["rankcut", "--out", &path("x.svg")], "picture or table"),
        (vec!["probcut", "--out", &path("x.svg")], "picture or table"),
        (vec!["weights", "--online", "--out", &path("x.csv")], "picture or table"),
        (vec!["weights", "--online", &suite, "--depth", "3", "--out", &path("x.txt")], "--nodes"),
        (vec!["probcut", "--set", "Threads=2", "--out", &path("x.txt")], "Threads=2"),
        (vec!["rankcut", "--set", "MultiPV=3", "--out", &path("x.bin")], "MultiPV=3"),
        (vec!["mine", "--openings", &over, "--out", &path("x.epd")], "no legal move"),
    ] {
        let output = run(&[&["learn"], &arguments[..]].concat());
        assert!(!output.status.success() && text(&output.stderr).contains(why), "{arguments:?}: {output:?}");
    }
    assert!(begin.elapsed() < TIMEOUT, "no game is played");
}

#[test]
#[cfg(unix)]
fn a_round_with_rankcut_on_that_is_interrupted_leaves_the_table_as_it_was() {
    let folder = folder("again");
    let out = folder.join("ranks.bin");
    let path = out.display().to_string();
    let learn = |more: &[&'static str]| {
        let mut words = vec!["learn", "rankcut", "--games", "2", "--nodes", "20000"];
        words.extend(["--set", "RankCutSamples=1", "--out", &path]);
        words.iter().chain(more).map(|word| (*word).to_owned()).collect::<Vec<String>>()
    };
    assert!(engine(learn(&[])).output().expect("the engine starts").status.success());
    let whole = std::fs::read(&out).expect("the table");
    interrupt(&learn(&["--again"]));
    assert_eq!(std::fs::read(&out).expect("the table"), whole);
}

#[test]
fn weights_of_any_program_are_learned_and_one_that_fails_is_named() {
    let folder = folder("weights");
    let suite = folder.join("two.epd");
    std::fs::write(
        &suite,
        "6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm Re8#;\n\
         2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6;\n",
    )
    .expect("written");
    let learn = |engine: Option<&str>, out: &str| {
        let out = folder.join(out).display().to_string();
        let suite = suite.display().to_string();
        let mut arguments =
            vec!["learn", "weights", "--offline", &suite, "--nodes", "2000", "--iterations", "2"];
        arguments.extend(["--jobs", "1", "--timeout", "5", "--together", "--out", &out]);
        arguments.extend(engine.into_iter().flat_map(|engine| ["--engine", engine]));
        run(&arguments)
    };
    let own = learn(None, "own.txt");
    assert!(own.status.success() && folder.join("own.csv").exists(), "{own:?}");
    let foreign = learn(Some(env!("CARGO_BIN_EXE_espalier")), "foreign.txt");
    let lines = |output: &std::process::Output| {
        text(&output.stdout).lines().filter(|line| line.contains('%')).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(&foreign), lines(&own), "{foreign:?}");
    let dead = learn(Some("false"), "dead.txt");
    assert!(
        !dead.status.success() && text(&dead.stderr).contains("\"false\" ended unexpectedly"),
        "{dead:?}"
    );
    let nonsense = learn(Some("cat"), "nonsense.txt");
    assert!(!nonsense.status.success() && text(&nonsense.stderr).contains("\"cat\""), "{nonsense:?}");
}

#[test]
fn a_network_is_trained_on_games_and_evaluates() {
    let folder = folder("network");
    let path = |name: &str| folder.join(name).display().to_string();
    let (games, network) = (path("games"), path("small.net"));
    assert!(run(&["learn", "games", "--out", &games, "--games", "40", "--nodes", "50"]).status.success());
    let learn =
        ["learn", "network", &games, "--width", "32", "--passes", "3", "--batch", "256", "--rate", "0.01"];
    let learned = run(&[&learn[..], &["--validation", "0.2", "--out", &network]].concat());
    let (said, shown) = (text(&learned.stdout), text(&learned.stderr));
    assert!(learned.status.success() && shown.contains("pass 3 of 3: loss"), "{learned:?}");
    for what in ["real numbers", "whole numbers", "classical evaluation", "a constant"] {
        assert!(said.contains(what), "{said}");
    }
    let table = std::fs::read_to_string(path("small.csv")).expect("the curves");
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(folder.join("small.svg").exists() && !folder.join("small.net.checkpoint").exists());
    let other = path("other.net");
    let learned = run(&[&learn[..], &["--validation", "0.2", "--out", &other, "--json"]].concat());
    let errors: serde_json::Value =
        serde_json::from_slice(&learned.stdout).expect("JSON and nothing beside it");
    assert_eq!(errors[2]["evaluation"], "classical evaluation");
    assert!((0..4).all(|row| errors[row]["mean squared error"].is_f64()), "{errors}");

    let mut client = Client::ready();
    let error = client.refuse("setoption name EvalFile value /no/such.net");
    assert!(error.contains("/no/such.net"), "{error}");
    client.accept(&format!("setoption name EvalFile value {network}"));
    client.accept("setoption name Evaluation value Network");
    client.send("eval");
    client.expect("the network's value", TIMEOUT, |line| {
        line.starts_with("network ") && line.contains("for White")
    });
    client.expect("classical terms", TIMEOUT, |line| line.contains("tempo"));

    let mut bytes = std::fs::read(&network).expect("the network");
    bytes[999] ^= 1;
    std::fs::write(path("bad.net"), bytes).expect("written");
    let error = client.refuse(&format!("setoption name EvalFile value {}", path("bad.net")));
    assert!(error.contains("bad.net") && error.contains("checksum"), "{error}");
    client.send("go depth 3");
    client.expect("a move", TIMEOUT, |line| line.starts_with("bestmove"));
}

#[test]
fn the_evaluation_is_fitted_to_games_and_loaded() {
    let folder = folder("evaluation");
    let path = |name: &str| folder.join(name).display().to_string();
    let (games, weights) = (path("games"), path("weights.txt"));
    let play = ["match", "--b", "NullMove=false", "--games", "16", "--nodes", "300", "--out", &games];
    assert!(run(&play).status.success());
    let learn = ["learn", "evaluation", &games, "--epochs", "20", "--rate", "0.2", "--out", &weights];
    let learned = run(&learn);
    assert!(learned.status.success() && text(&learned.stdout).contains("of 16 games"), "{learned:?}");
    let once = std::fs::read_to_string(&weights).expect("the weights");
    assert!(run(&learn).status.success());
    assert_eq!(std::fs::read_to_string(&weights).ok(), Some(once.clone()), "the same again");
    let table = text(&run(&[&learn[..], &["--csv"]].concat()).stdout);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!((lines[0], lines.len()), ("positions,games,error before,error after", 2));
    assert!(lines[1].split(',').all(|cell| cell.parse::<f64>().is_ok()), "{table}");

    // Weights that are plainly wrong are mended, also as positions that were kept back see it.
    let worse = path("worse.txt");
    std::fs::write(&worse, once.replacen("[tempo]\n", "[tempo]\n300:300 #", 1)).expect("written");
    let (set, mended) = (format!("EvaluationFile={worse}"), path("mended.txt"));
    let learned = run(&[&learn[..7], &["--out", &mended, "--set", &set]].concat());
    let errors: Vec<f64> = text(&learned.stdout)
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .filter(|number: &f64| *number < 1.0)
        .collect();
    assert!(matches!(errors[..], [before, after] if after < before), "{learned:?}");

    let doubled = once.replacen("[tempo]\n", "[tempo]\n700:700 #", 1);
    std::fs::write(&weights, doubled).expect("written");
    let mut client = Client::ready();
    client.send("eval");
    let usual = client.expect("the usual tempo", TIMEOUT, |line| line.contains("tempo"));
    client.accept(&format!("setoption name EvaluationFile value {weights}"));
    client.send("eval");
    let other = client.expect("another tempo", TIMEOUT, |line| line.contains("tempo"));
    assert_ne!(usual, other);
    std::fs::write(path("bad.txt"), once.replacen("[tempo]\n", "[tempo]\nx", 1)).expect("written");
    let error = client.refuse(&format!("setoption name EvaluationFile value {}", path("bad.txt")));
    assert!(error.contains("bad.txt") && error.contains("line "), "{error}");

    let refused = |games: &str, out: &str, what: &str| {
        let output = run(&["learn", "evaluation", games, "--out", out]);
        assert!(!output.status.success() && text(&output.stderr).contains(what), "{output:?}");
    };
    refused(&path("nowhere"), &weights, "nowhere");
    refused(&games, &path("nowhere/weights.txt"), "no such folder");
    refused(&games, &path("games/games.jsonl"), "the games themselves");
}

/// A short run of SPSA that writes this file.
fn spsa<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let tiny =
        ["--games", "12", "--pairs-per-step", "2", "--nodes", "200", "--rate", "0.1", "--set", "Hash=1"];
    [
        &[
            "learn",
            "spsa",
            "ReverseFutility",
            "AspirationWindow=5..60:4",
            "DeltaMargin=0..1000:300",
            "--out",
            out,
        ],
        &tiny[..],
        more,
    ]
    .concat()
}

#[test]
fn spsa_writes_its_files_goes_on_and_gives_the_same_numbers_again() {
    let folder = folder("spsa");
    let path = |name: &str| folder.join(name).display().to_string();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the file is there");
    let once = run(&spsa(&path("once.txt"), &[]));
    assert!(once.status.success() && text(&once.stdout).contains("AspirationWindow"), "{once:?}");
    let table = read("once.csv");
    assert_eq!(table.lines().count(), 5, "{table}");
    assert!(read("once.svg").contains("</svg>") && read("once.txt").contains("\nReverseFutilityMargin="));
    assert!(run(&["perft", "1", "--settings", &path("once.txt")]).status.success());
    // A run that is over plays nothing more, and one with other threads gives the same.
    let over = run(&spsa(&path("once.txt"), &["--json"]));
    assert!(text(&over.stderr).contains("resuming after 12 games"), "{over:?}");
    assert!(text(&over.stdout).contains("\"wins\""), "{over:?}");
    assert!(run(&spsa(&format!("{}/", path("twice")), &["--concurrency", "3"])).status.success());
    assert_eq!(std::fs::read_to_string(folder.join("twice/spsa.csv")).ok(), Some(table));
    assert_ne!(read("once.csv"), {
        assert!(run(&spsa(&path("other.txt"), &["--seed", "2"])).status.success());
        read("other.csv")
    });
}

#[test]
#[cfg(unix)]
fn spsa_keeps_its_games_when_it_is_interrupted_killed_or_cannot_write() {
    let folder = folder("spsa-interrupted");
    let path = |name: &str| folder.join(name).display().to_string();
    let longer = ["--concurrency", "1"];
    let whole = run(&spsa(&path("whole.txt"), &longer));
    assert!(whole.status.success(), "{whole:?}");
    let (out, kept) = (path("cut.txt"), folder.join("cut.txt.checkpoint"));
    for signal in ["-INT", "-KILL"] {
        let before = std::fs::read(&kept).unwrap_or_default();
        let mut child = engine(spsa(&out, &longer)).spawn().expect("the engine starts");
        let begin = std::time::Instant::now();
        while std::fs::read(&kept).unwrap_or_default().len() <= before.len() && begin.elapsed() < ms(2_000) {
            std::thread::sleep(ms(1));
        }
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(killed.is_ok_and(|status| status.success()));
        let status = exit_within(&mut child, TIMEOUT).unwrap_or_else(|| panic!("{signal} does not end it"));
        assert!(signal == "-KILL" || !status.success(), "an interrupted run is not over");
    }
    // A file system that is full: what was kept stays.
    let before = std::fs::read(&kept).expect("a checkpoint");
    let partial = folder.join("cut.txt.checkpoint.partial");
    let _ = std::fs::remove_file(&partial);
    std::os::unix::fs::symlink("/dev/full", &partial).expect("a link can be made");
    let full = run(&spsa(&out, &longer));
    assert!(!full.status.success() && text(&full.stderr).contains("cut.txt.checkpoint: "), "{full:?}");
    assert_eq!(std::fs::read(&kept).expect("a checkpoint"), before);
    let _ = std::fs::remove_file(&partial);
    let last = run(&spsa(&out, &longer));
    assert!(last.status.success() && text(&last.stderr).contains("resuming after"), "{last:?}");
    assert_eq!(std::fs::read(folder.join("cut.csv")).ok(), std::fs::read(folder.join("whole.csv")).ok());
}

#[test]
fn spsa_refuses_foreign_checkpoints_and_rows_that_are_no_numbers() {
    let folder = folder("spsa-refused");
    let out = folder.join("a.txt").display().to_string();
    let learn = |rows: &[&str], more: &[&str]| {
        let tiny =
            ["--games", "2", "--pairs-per-step", "1", "--nodes", "20", "--set", "Hash=1", "--out", &out];
        run(&[&["learn", "spsa"], rows, &tiny[..], more].concat())
    };
    assert!(learn(&["AspirationWindow=5..60:4"], &[]).status.success());
    let refused = |rows: &[&str], more: &[&str], what: &str| {
        let output = learn(rows, more);
        let error = text(&output.stderr);
        assert!(!output.status.success() && error.contains(what), "{rows:?} {more:?}: {error}");
    };
    // Whatever the default is.
    let row = "row AspirationWindow was \"5..60:4 from ";
    refused(&["AspirationWindow=5..60:5"], &[], row);
    refused(&["AspirationWindow=5..60:4"], &["--set", "AspirationWindow=27"], "and is \"27\" now");
    refused(&["NullMoveReduction"], &[], row);
    refused(&["AspirationWindow=5..60:4"], &["--seed", "2"], "seed was \"1\" then and is \"2\" now");
    refused(&["AspirationWindow=5..60:4"], &["--set", "NullMove=false"], "NullMove was \"true\" then");
    // As if an older version of the table had been tuned.
    let kept = folder.join("a.txt.checkpoint");
    let checkpoint = std::fs::read_to_string(&kept).expect("a checkpoint");
    std::fs::write(&kept, checkpoint.replace("options says ", "options says 9")).expect("written");
    refused(&["AspirationWindow=5..60:4"], &[], "(the table of options says 9");
    std::fs::write(&kept, checkpoint.replace("\"NullMove\":", "\"NullMoveOld\":\"1\",\"NullMove\":"))
        .expect("written");
    refused(&["AspirationWindow=5..60:4"], &[], "NullMoveOld was \"1\" then and is not given now");
    refused(&["Nonsense"], &[], "no option is named \"Nonsense\"");
    refused(&["Quiescence"], &[], "option Quiescence takes true or false; you can tune");
    refused(&["AspirationWindow=60..5"], &[], "AspirationWindow=60..5: the range must lie within");
    refused(&["AspirationWindow=5..60:4"], &["--settings", &out], "--out must name another one");
}
