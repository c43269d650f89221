//! Options: nonsense is refused with a message that names the range, keeps the old value, and the engine
//! plays on.

use crate::client::{Client, SLACK, TIMEOUT, ms};
use crate::declared::{self, Declared};
use crate::game::Game;
use crate::info::Info;
use crate::judge::judge;

/// The engine still plays, with so many lines.
fn plays_on(client: &mut Client, lines: usize) {
    judge(&Game::default(), &client.search("position startpos\ngo depth 2"), lines);
}

/// Every value is refused and the message names the option and its range.
fn refuses(name: &str, values: &[&str]) {
    let mut client = Client::ready();
    client.accept("setoption name MultiPV value 3");
    let option = declared::option(&mut client, name);
    for value in values {
        let error = client.refuse(&option.set(value));
        let range = [option.min.as_deref().unwrap_or("true"), option.max.as_deref().unwrap_or("false")];
        assert!(error.contains(name), "{value}: {error} names {name}");
        assert!(range.iter().all(|end| error.contains(end)), "{value}: {error} names {range:?}");
        plays_on(&mut client, 3);
    }
}

// Unknown option.
#[test]
fn an_unknown_option_is_named_in_the_error() {
    let mut client = Client::ready();
    for command in ["setoption name Telepathy value 3", "setoption name Telepathy"] {
        let error = client.refuse(command);
        assert!(error.contains("Telepathy"), "{error}");
        plays_on(&mut client, 1);
    }
}

// `Hash` 0, −1, `abc`, empty, 2^63.
#[test]
fn hash_sizes_outside_the_range_are_refused() {
    refuses("Hash", &["0", "-1", "abc", "", "9223372036854775808", "1.5", "16 MB"]);
    let mut client = Client::ready();
    client.refuse("setoption name Hash");
    plays_on(&mut client, 1);
}

// More than the machine has (old table kept).
#[test]
#[cfg(target_os = "linux")]
fn a_hash_table_larger_than_the_machine_is_refused() {
    let mut client = Client::ready();
    let hash = declared::option(&mut client, "Hash");
    let memory = std::fs::read_to_string("/proc/meminfo").expect("meminfo");
    let total = memory.lines().find_map(|line| line.strip_prefix("MemTotal:")).expect("MemTotal");
    let kilobytes: i64 = total.trim().trim_end_matches(" kB").parse().expect("a number");
    let (_, _, max) = hash.range();
    if max > kilobytes / 1024 {
        client.refuse(&hash.set(max));
    }
    plays_on(&mut client, 1);
}

// `Hash` 8192 → 16384: the old table is given back first, and a table that cannot be had costs nothing but what was
// in the old one. A limit on address space stands for a small machine.
#[test]
#[cfg(target_os = "linux")]
fn a_larger_hash_table_needs_no_room_beside_the_old_one() {
    let mut client = Client::limited("ulimit -v 2500000");
    client.accept("setoption name Hash value 1200");
    client.accept("setoption name Hash value 1600");
    plays_on(&mut client, 1);
    let error = client.refuse("setoption name Hash value 4000");
    assert!(error.contains("4000 MiB"), "{error}");
    client.accept("setoption name Hash value 1600");
    plays_on(&mut client, 1);
}

// `Threads` 0, `abc`, 10^9.
#[test]
fn thread_counts_outside_the_range_are_refused() {
    refuses("Threads", &["0", "abc", "1000000000", "-4", ""]);
}

// `MultiPV` 0, 10^5: refused, the old value stays.
#[test]
fn numbers_of_lines_outside_the_range_are_refused() {
    refuses("MultiPV", &["0", "100000", "-1", "x"]);
}

// `MultiPV` larger than the number of legal moves: as many lines as there are moves.
#[test]
fn there_are_never_more_lines_than_legal_moves() {
    let mut client = Client::ready();
    let (_, _, max) = declared::option(&mut client, "MultiPV").range();
    client.accept(&format!("setoption name MultiPV value {}", max.min(256)));
    plays_on(&mut client, 256);
    let many = Game::from_fen("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1");
    let answer = client.search(&format!("{}\ngo depth 1", many.command()));
    judge(&many, &answer, max.min(256) as usize);
}

// `Move Overhead` −1.
#[test]
fn a_negative_move_overhead_is_refused() {
    refuses("Move Overhead", &["-1", "abc", "99999999"]);
}

// A check option set to `maybe`: the old value stays.
#[test]
fn a_check_option_is_true_or_false_and_nothing_else() {
    refuses("UCI_Chess960", &["maybe", "", "2", "truefalse"]);
    let mut client = Client::ready();
    client.accept("setoption name UCI_Chess960 value true");
    client.refuse("setoption name UCI_Chess960 value maybe");
    let castle = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1\ngo depth 1 searchmoves e1h1";
    assert_eq!(client.search(castle).best, "e1h1", "the old value is kept");
}

// A combo value that is none of its words.
#[test]
fn a_combo_option_takes_only_its_own_words() {
    let mut client = Client::ready();
    let algorithm = declared::option(&mut client, "Algorithm");
    let error = client.refuse(&algorithm.set("Oracle"));
    assert!(algorithm.vars.iter().all(|var| error.contains(var)), "{error} names the choice");
    plays_on(&mut client, 1);
}

// `setoption` alone, `setoption name`, value before name.
#[test]
fn malformed_setoption_commands_are_refused() {
    let mut client = Client::ready();
    for command in ["setoption", "setoption name", "setoption name value 3", "setoption Hash 16"] {
        client.refuse(command);
        plays_on(&mut client, 1);
    }
    client.refuse("setoption value 3 name MultiPV");
    plays_on(&mut client, 1);
}

// `UCI_Opponent`.
#[test]
fn the_name_of_the_opponent_disturbs_nothing() {
    let mut client = Client::ready();
    let replies = client.reply("setoption name UCI_Opponent value GM 2800 human Garry Kasparov");
    assert!(replies.len() <= 1, "{replies:?}");
    plays_on(&mut client, 1);
}

// Blanks around and between the words of `setoption` do not matter.
#[test]
fn values_may_be_padded_with_blanks() {
    let mut client = Client::ready();
    client.accept("  setoption   name\tMultiPV   value    2  ");
    plays_on(&mut client, 2);
}

/// The two ends of an option, or all its values; nothing that would eat the machine.
fn extremes(option: &Declared) -> Vec<String> {
    match option.kind.as_str() {
        "check" => vec!["true".to_owned(), "false".to_owned()],
        "combo" => option.vars.clone(),
        "spin" if ["Hash", "Threads"].contains(&option.name.as_str()) => vec!["1".to_owned(), "2".to_owned()],
        "spin" => [option.min.clone(), option.max.clone()].into_iter().flatten().collect(),
        _ => Vec::new(),
    }
}

// One table of options: what is declared can be set, from end to end, and leaves a playing engine.
#[test]
fn every_declared_option_takes_its_extremes_and_the_engine_plays_on() {
    let game = Game::from_fen(crate::game::MIDDLE_GAME);
    let mut client = Client::ready();
    // Without a network in the program one must be named before it is asked for.
    let (file, weights) = (tempfile::NamedTempFile::new().expect("a file"), vec![0.01; (768 + 3) * 16 + 1]);
    let network = espalier::eval::network::Network::quantised(16, 1, 100, &weights);
    std::fs::write(file.path(), network.to_bytes()).expect("written");
    client.accept(&format!("setoption name EvalFile value {}", file.path().display()));
    for option in declared::options(&mut client) {
        for value in extremes(&option) {
            client.accept(&option.set(&value));
            let answer = client.search(&format!("ucinewgame\n{}\ngo nodes 1000", game.command()));
            let mode = option.name == "UCI_Chess960" && value == "true";
            let here = if mode { Game::chess960(crate::game::MIDDLE_GAME) } else { game.clone() };
            assert!(here.is_legal(&answer.best), "{} = {value}: {}", option.name, answer.best);
        }
        if let (Some(default), false) = (&option.default, option.kind == "string") {
            client.accept(&option.set(default));
        }
    }
}

// Bug reports: clearing a large hash blocks `isready` for minutes (clear with all threads). Touching fresh
// memory takes seconds on a machine that is short of it, hence the wide limit.
#[test]
fn clearing_a_large_hash_does_not_block() {
    let mut client = Client::ready();
    for command in ["setoption name Hash value 256", "setoption name Clear Hash", "ucinewgame"] {
        client.send(command);
        let took = client.time_to_ready();
        assert!(took < ms(2000) * SLACK, "{command}: {took:?}");
    }
    plays_on(&mut client, 1);
}

// `UCI_Elo` acts only with `UCI_LimitStrength`.
#[test]
fn the_elo_acts_only_when_strength_is_limited() {
    let mut client = Client::ready();
    let weakest = declared::option(&mut client, "UCI_Elo").range().1;
    let full = outcomes(&mut client);
    client.accept(&format!("setoption name UCI_Elo value {weakest}"));
    assert_eq!(outcomes(&mut client), full, "without UCI_LimitStrength");
    client.accept("setoption name UCI_LimitStrength value true");
    assert_ne!(outcomes(&mut client), full, "with UCI_LimitStrength");
    client.accept("setoption name UCI_LimitStrength value false");
    assert_eq!(outcomes(&mut client), full, "switched off again");
}

/// Best moves and node counts of fresh searches along a game.
fn outcomes(client: &mut Client) -> Vec<(String, Option<u64>)> {
    let moves = "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6";
    let mut game = Game::default();
    let mut outcomes = Vec::new();
    for next in moves.split(' ') {
        let answer = client.search(&format!("ucinewgame\n{}\ngo nodes 5000", game.command()));
        assert!(game.is_legal(&answer.best), "{}", answer.best);
        outcomes.push((answer.best, Info::all(&answer.lines).iter().filter_map(|info| info.nodes).max()));
        game = game.after(next);
    }
    outcomes
}

/// A path for this test alone.
fn scratch(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("espalier test {} {name}", std::process::id()))
}

// Values may contain blanks (paths); `<empty>` sets the empty string.
#[test]
fn a_log_file_with_blanks_in_its_path_is_written_until_switched_off() {
    let path = scratch("with blanks.log");
    let mut client = Client::ready();
    client.accept(&format!("setoption name Debug Log File value {}", path.display()));
    plays_on(&mut client, 1);
    client.accept("setoption name Debug Log File value <empty>");
    let log = std::fs::read_to_string(&path).expect("the log file is there");
    plays_on(&mut client, 1);
    let later = std::fs::read_to_string(&path).expect("the log file is there");
    let _ = std::fs::remove_file(&path);
    assert!(log.contains("go depth 2") && log.contains("bestmove"), "{log}");
    assert_eq!(log, later, "nothing is logged any more");
}

// Bug reports: a log file path that cannot be written.
#[test]
fn a_log_file_that_cannot_be_written_is_an_error_and_no_more() {
    let mut client = Client::ready();
    let path = scratch("no such directory").join("engine.log");
    client.refuse(&format!("setoption name Debug Log File value {}", path.display()));
    plays_on(&mut client, 1);
}

// A panic is logged with position and options, wherever the log goes.
#[test]
#[cfg(debug_assertions)]
fn a_panic_is_logged_with_position_and_options() {
    let path = scratch("panic.log");
    let mut client = Client::ready();
    client.accept(&format!("setoption name Debug Log File value {}", path.display()));
    client.accept("setoption name Hash value 8");
    let answer = client.search("position startpos moves e2e4\ncrash search\ngo depth 5");
    client.accept("setoption name Debug Log File value <empty>");
    let log = std::fs::read_to_string(&path).unwrap_or_default();
    let _ = std::fs::remove_file(&path);
    let told = format!("{log}\n{}\n{}", client.stderr(), answer.lines.join("\n"));
    assert!(told.contains("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b"), "the position: {told}");
    assert!(told.contains("Hash=8"), "the options: {told}");
}

// `ucinewgame` and `isready` right after many options.
#[test]
fn a_burst_of_options_is_worked_off_in_order() {
    let mut client = Client::ready();
    let burst: Vec<String> =
        (1..=50).map(|n| format!("setoption name MultiPV value {}", n % 5 + 1)).collect();
    client.send(&burst.join("\n"));
    client.send("ucinewgame\nisready");
    client.expect("readyok", TIMEOUT, |line| line == "readyok");
    plays_on(&mut client, 1);
}

// A client that sends every option as it was announced undoes the preset: the engine says so before it searches.
#[test]
fn a_preset_whose_options_were_changed_is_named_with_their_number() {
    let told = |client: &mut Client| -> Vec<String> {
        let answer = client.search("position startpos\ngo depth 2");
        answer.lines.into_iter().filter(|line| line.contains("Preset ")).collect()
    };
    let mut client = Client::ready();
    assert_eq!(told(&mut client), [] as [&str; 0]);
    client.accept("setoption name Preset value Turk");
    assert_eq!(told(&mut client), [] as [&str; 0]);
    client.accept("setoption name Killers value true");
    for _ in 0..2 {
        assert_eq!(told(&mut client), ["info string NOTE Preset Turk with 1 option changed"]);
    }
    client.accept("debug on\nsetoption name NullMove value false");
    let both = told(&mut client);
    assert!(both.len() == 1 && both[0].contains("2 options changed: Killers, NullMove"), "{both:?}");
    client.send("debug off");
    for option in declared::options(&mut client).iter().filter(|option| option.kind != "button") {
        if option.name != "Preset" {
            client.accept(&option.set(option.default.as_deref().unwrap_or("<empty>")));
        }
    }
    let all = told(&mut client);
    assert!(all.len() == 1 && all[0].contains("Preset Turk with") && !all[0].contains(':'), "{all:?}");
    client.accept("setoption name Preset value Turk");
    assert_eq!(told(&mut client), [] as [&str; 0]);
}

// Cute Chess sends every option after `uci`, in alphabetical order: a switch that was changed stays changed, although
// the preset comes after it.
#[test]
fn a_client_that_sends_all_options_by_name_gets_what_it_changed() {
    let mut client = Client::start();
    let mut options = declared::options(&mut client);
    options.retain(|option| option.kind != "button");
    options.sort_by(|a, b| a.name.cmp(&b.name));
    let sent = |option: &Declared| match option.name.as_str() {
        "NullMove" => option.set(false),
        "RankCut" => option.set(true),
        _ => option.set(option.default.as_deref().unwrap_or("<empty>")),
    };
    client.send(&options.iter().map(sent).collect::<Vec<_>>().join("\n"));
    client.sync();
    client.send("debug on");
    let lines = client.search("position startpos\ngo depth 2").lines;
    let note = "info string NOTE Preset Modern with 2 options changed: NullMove, RankCut";
    assert!(lines.iter().any(|line| line == note), "{lines:?}");
}

// What GUIs show as defaults is what the engine does if they change nothing.
#[test]
fn options_of_the_command_line_are_announced_as_defaults() {
    let mut client = Client::started_with(&["--set", "Preset=Turk", "--set", "Hash=3"]);
    let default = |client: &mut Client, name| declared::option(client, name).default;
    for (name, value) in
        [("Preset", "Turk"), ("Hash", "3"), ("Evaluation", "Classical"), ("Singular", "false")]
    {
        assert_eq!(default(&mut client, name).as_deref(), Some(value), "{name}");
    }
    client.accept("setoption name Hash value 5");
    assert_eq!(default(&mut client, "Hash").as_deref(), Some("3"));
}
