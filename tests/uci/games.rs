//! Games to learn from: generator, report, and openings for test farms, through the real program.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use espalier::learn::games::viriformat::Games;
use shakmaty::Position as _;
use viriformat::dataformat::Game;

use crate::client::{engine, run};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Plays into a folder.
fn play(folder: &Path, more: &[&str]) -> Output {
    let folder = folder.to_str().expect("a plain name");
    run(&[&["learn", "games", "--nodes", "60", "--hash", "1", "--out", folder], more].concat())
}

fn game_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "vf")).collect();
    files.sort();
    files
}

#[test]
fn the_same_seed_gives_the_same_games_on_any_number_of_cores_and_in_parts() {
    let [one, three, halves] = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    for (folder, arguments) in [
        (&one, ["--games", "12", "--jobs", "1"]),
        (&three, ["--games", "12", "--jobs", "3"]),
        (&halves, ["--games", "5", "--jobs", "2"]),
        (&halves, ["--games", "12", "--jobs", "2"]),
    ] {
        let output = play(folder.path(), &arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let bytes = |folder: &tempfile::TempDir| {
        let files = game_files(folder.path());
        assert_eq!(files.len(), 1);
        std::fs::read(&files[0]).expect("a file of games")
    };
    assert_eq!(bytes(&one), bytes(&three));
    assert_eq!(bytes(&one), bytes(&halves));
    let other = play(three.path(), &["--games", "12", "--seed", "2"]);
    assert!(other.status.success());
    assert_eq!(game_files(three.path()).len(), 2, "another seed has files of its own");
}

#[test]
fn the_crate_of_the_format_reads_every_game_and_finds_every_move_legal() {
    let folder = tempfile::tempdir().expect("a folder");
    for arguments in [&["--games", "8"][..], &["--games", "8", "--chess960"]] {
        assert!(play(folder.path(), arguments).status.success());
    }
    let mut games = 0;
    for file in game_files(folder.path()) {
        let bytes = std::fs::read(file).expect("a file of games");
        let mut reader = BufReader::new(&bytes[..]);
        while !std::io::BufRead::fill_buf(&mut reader).expect("bytes").is_empty() {
            let game = Game::deserialise_from(&mut reader, Vec::new()).expect("a whole game");
            let mut board = game.initial_position();
            for m in game.moves() {
                assert!(board.legal_moves().contains(&m), "{m:?} in {board:?}");
                assert!(board.make_move_simple(m));
            }
            games += 1;
        }
    }
    assert_eq!(games, 16);
}

#[test]
fn a_report_counts_checks_and_draws_and_names_what_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(play(folder.path(), &["--games", "10"]).status.success());
    let place = folder.path().to_str().expect("a plain name");
    let json = run(&["learn", "games", "--report", place, "--json"]);
    assert!(json.status.success(), "{}", text(&json.stderr));
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!((&report["games"], &report["unsound"]), (&10.into(), &0.into()));
    assert!(report["positions"].as_u64() > Some(100) && report["series"][0]["nodes"] == 60);
    let values = text(&run(&["learn", "games", "--report", place, "--csv"]).stdout);
    assert!(values.starts_with("# totals\ntotal,value\nfiles,1\n"), "{values}");
    assert!(
        values.contains("\ngames,10\n") && values.contains("\n# scores\nscore near,positions,"),
        "{values}"
    );
    let page = text(&run(&["learn", "games", "--report", place, "--markdown"]).stdout);
    assert!(
        page.contains("| games | 10 |\n") && page.contains("\n## endings\n\n| ending | count | % |\n"),
        "{page}"
    );
    assert!(!folder.path().join("games.svg").exists(), "JSON and the others are for programs");
    let totals = text(&play(folder.path(), &["--games", "10", "--csv"]).stdout);
    assert!(totals.starts_with("folder,seed,games,usable positions,bytes,files\n"), "{totals}");
    assert!(totals.contains(",1,10,"), "{totals}");
    let shown = text(&run(&["learn", "games", "--report", place]).stdout);
    assert!(shown.contains("legal in 10 games") && shown.contains("bytes a usable position"), "{shown}");
    assert!(folder.path().join("games.svg").is_file());

    // Cut off in the middle: whole games are read, the rest is named.
    let file = &game_files(folder.path())[0];
    let bytes = std::fs::read(file).expect("a file of games");
    std::fs::write(file, &bytes[..bytes.len() - 10]).expect("written");
    let cut = text(&run(&["learn", "games", "--report", place]).stdout);
    assert!(cut.contains("cut off: 10 bytes are missing"), "{cut}");
    // Altered: left out. The same command plays on from the games that are whole.
    let mut altered = bytes.clone();
    altered[100] ^= 1;
    std::fs::write(file, altered).expect("written");
    let wrong = run(&["learn", "games", "--report", place]);
    let told = text(&wrong.stderr);
    assert!(told.contains("the checksum does not fit") && told.contains("no whole game"), "{told}");
    assert!(!wrong.status.success() && wrong.stdout.is_empty(), "{wrong:?}");
    std::fs::write(file, &bytes[..bytes.len() - 10]).expect("written");
    let again = play(folder.path(), &["--games", "10"]);
    assert!(again.status.success() && text(&again.stderr).contains("resuming after 9 games"));
    assert_eq!(std::fs::read(file).expect("a file of games"), bytes);
}

#[test]
#[cfg(unix)]
fn a_signal_ends_a_run_with_every_game_whole() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGKILL] {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().to_str().expect("a plain name");
        let mut child = engine(["learn", "games", "--nodes", "60", "--hash", "1", "--idle", "--out", place])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        let played = || game_files(folder.path()).first().and_then(|file| file.metadata().ok());
        let waited = std::time::Instant::now();
        while played().is_none_or(|data| data.len() < 3_000) {
            assert!(waited.elapsed() < Duration::from_secs(120), "no games are written");
            std::thread::sleep(Duration::from_millis(20));
        }
        kill(Pid::from_raw(child.id() as i32), signal).expect("a signal is sent");
        let status = child.wait().expect("the program ends");
        assert_eq!(status.success(), signal != Signal::SIGKILL);
        let report = run(&["learn", "games", "--report", place, "--json"]);
        let report: serde_json::Value = serde_json::from_slice(&report.stdout).expect("JSON");
        assert!(report["games"].as_u64() > Some(3) && report["unsound"] == 0, "{report}");
        // The same command resumes as if nothing had happened; games that were finished already may follow.
        let games = (report["games"].as_u64().expect("a count") + 3).to_string();
        assert!(play(folder.path(), &["--games", &games]).status.success());
        let bytes = std::fs::read(&game_files(folder.path())[0]).expect("a file of games");
        let games = Games::new(&bytes).count().to_string();
        let whole = tempfile::tempdir().expect("a folder");
        assert!(play(whole.path(), &["--games", &games]).status.success());
        let bytes = |folder: &Path| std::fs::read(&game_files(folder)[0]).expect("a file of games");
        assert_eq!(bytes(folder.path()), bytes(whole.path()));
        assert_eq!(report["damages"].as_array().map(Vec::len), Some(0), "{report}");
    }
}

#[test]
#[cfg(unix)]
fn a_killed_process_keeps_finished_games_that_wait_for_an_earlier_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().to_str().expect("a plain name");
    let terms = ["learn", "games", "--nodes", "60", "--hash", "1", "--games", "150", "--jobs", "4"];
    let waiting = || {
        let entries = std::fs::read_dir(folder.path()).expect("a folder");
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.filter(|name| name.ends_with(".waiting")).count()
    };
    let mut kept = 0;
    for _ in 0..20 {
        let mut child = engine(terms)
            .args(["--out", place])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        while waiting() == 0 && child.try_wait().expect("a state").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("a signal is sent");
        child.wait().expect("the program ends");
        kept = waiting();
        if kept > 0 {
            break;
        }
    }
    assert!(kept > 0, "no game ever waits for an earlier one");
    let resumed = run(&[&terms[..], &["--out", place]].concat());
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    let told = text(&resumed.stderr);
    // An earlier game may have come into its place before the kill: then those behind it wait no longer.
    let ahead = told.split("with ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
    assert!(ahead.is_some_and(|ahead| ahead > 0 && ahead <= kept), "{kept} waited: {told}");
    assert_eq!(waiting(), 0);
    let whole = tempfile::tempdir().expect("a folder");
    assert!(play(whole.path(), &["--games", "150", "--jobs", "1"]).status.success());
    let bytes = |folder: &Path| std::fs::read(&game_files(folder)[0]).expect("a file of games");
    assert_eq!(bytes(folder.path()), bytes(whole.path()));
}

#[test]
fn games_that_reach_endgame_tables_end_there_with_the_result_of_the_tables() {
    let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");
    let mut probed = shakmaty_syzygy::Tablebase::new();
    probed.add_directory(tables).expect("tables");
    let folder = tempfile::tempdir().expect("a folder");
    let path = format!("SyzygyPath={tables}");
    // Pawn endings, each side to win the pawn of the other, and one in which nobody does.
    let book = folder.path().join("book.epd");
    let openings = [
        "8/8/8/3p4/1K1P4/8/8/5k2 w - - 0 60\n",
        "5K2/8/8/1k1p4/3P4/8/8/8 b - - 0 60\n",
        "8/8/3k4/3p4/3P4/3K4/8/8 w - - 0 60\n",
    ];
    std::fs::write(&book, openings.concat()).expect("written");
    let book = ["--openings", book.to_str().expect("a plain name"), "--random-plies", "2"];
    let output = play(folder.path(), &[&["--games", "40", "--play-out", "--set", &path][..], &book].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut ended = [0; 3];
    let bytes = std::fs::read(&game_files(folder.path())[0]).expect("a file of games");
    for game in Games::new(&bytes) {
        let start = game.start().unpack().expect("a position");
        let last = game.replay(start, |_, _, _| ()).expect("legal moves");
        if last.is_game_over() || last.halfmoves() > 0 || last.board().occupied().count() > 4 {
            continue;
        }
        let Ok(known) = probed.probe_wdl_after_zeroing(&last) else { continue };
        let points = known.signum() * last.turn().fold_wb(1, -1);
        assert_eq!(game.start().result().map(|result| result as i32 - 1), Some(points), "{last:?}");
        ended[(points + 1) as usize] += 1;
    }
    assert!(ended[0] > 0 && ended[2] > 0, "{ended:?}");
    let place = folder.path().to_str().expect("a plain name");
    let report = run(&["learn", "games", "--report", place, "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).expect("JSON");
    assert_eq!(report["endings"]["endgame tables"].as_i64(), Some(ended.iter().sum()), "{report}");
    assert_eq!((&report["unsound"], &report["endings"]["no reason"]), (&0.into(), &serde_json::Value::Null));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_named_and_loses_nothing_that_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().to_str().expect("a plain name");
    let program = env!("CARGO_BIN_EXE_espalier");
    // A limit on the size of files is as good as a full disk, and needs no rights.
    let command =
        format!("trap '' XFSZ; ulimit -f 8; exec {program} learn games --nodes 60 --hash 1 --out {place}");
    let output = Command::new("bash").args(["-c", &command]).output().expect("bash runs");
    assert!(!output.status.success());
    let told = text(&output.stderr);
    assert!(told.contains("File too large") && told.contains("games before it are safe"), "{told}");
    let report = text(&run(&["learn", "games", "--report", place]).stdout);
    assert!(report.contains("legal in") && !report.contains("cut off"), "{report}");
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().to_str().expect("a plain name");
    for (arguments, reason) in [
        (&["learn", "games"][..], "--out"),
        (&["learn", "games", "--out", place, "--for", "soon"], "soon"),
        (&["learn", "games", "--out", place, "--openings", "/no/such.epd"], "/no/such.epd"),
        (&["learn", "games", "--out", place, "--set", "Threads=2"], "Threads=2"),
        (&["learn", "games", "--report", place], "no games here"),
        (&["learn", "games", "--report", place, "--nodes", "9"], "--nodes"),
        (&["learn", "games", "--out", place, "--draw", "often"], "often"),
        (&["learn", "games", "--out", place, "--hash", "65000"], "no memory"),
        (&["learn", "games", "--report", "/no/such"], "/no/such"),
        (&["genfens 3 seed x book None"], "is no seed"),
        (&["genfens 3 seed 1 book /no/such.epd", "quit"], "/no/such.epd"),
    ] {
        let output = run(arguments);
        let told = text(&output.stderr);
        assert!(!output.status.success() && told.contains(reason), "{arguments:?}: {told}");
    }
}

#[test]
fn a_run_ends_when_it_has_what_was_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let positions = |folder: &tempfile::TempDir| {
        let place = folder.path().to_str().expect("a plain name");
        let report = run(&["learn", "games", "--report", place, "--json"]);
        let report: serde_json::Value = serde_json::from_slice(&report.stdout).expect("JSON");
        (report["positions"].as_u64().expect("a count"), report["endings"].clone())
    };
    assert!(play(folder.path(), &["--positions", "1500"]).status.success());
    assert!((1_500..4_000).contains(&positions(&folder).0));
    let timed = tempfile::tempdir().expect("a folder");
    let begin = std::time::Instant::now();
    assert!(play(timed.path(), &["--for", "1s"]).status.success());
    assert!(begin.elapsed() < Duration::from_secs(20) && positions(&timed).0 > 0);
    let played_out = tempfile::tempdir().expect("a folder");
    assert!(play(played_out.path(), &["--games", "8", "--play-out"]).status.success());
    let endings = positions(&played_out).1;
    assert!(endings.get("adjudicated win").is_none() && endings.get("too long").is_none(), "{endings}");
}

#[test]
fn openings_come_from_a_file_and_those_that_are_over_or_lost_end_the_run_with_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = folder.path().join("book.epd");
    let write = |text: &str| std::fs::write(&book, text).expect("written");
    let book_name = book.to_str().expect("a plain name");
    write("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\n");
    let output = play(&folder.path().join("good"), &["--games", "2", "--openings", book_name]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for (position, reason) in [
        ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1\n", "no opening to begin with"),
        ("4k3/8/8/8/8/8/QQ6/4K3 w - - 0 1\n", "1000 openings in a row"),
    ] {
        write(position);
        let output = play(
            &folder.path().join("bad"),
            &["--games", "2", "--openings", book_name, "--random-plies", "0"],
        );
        assert!(
            !output.status.success() && text(&output.stderr).contains(reason),
            "{}",
            text(&output.stderr)
        );
    }
}

#[test]
fn learners_read_the_same_folders() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(play(folder.path(), &["--games", "60"]).status.success());
    let place = folder.path().to_str().expect("a plain name");
    let weights = folder.path().join("weights.txt");
    let weights = weights.to_str().expect("a plain name");
    let output = run(&["learn", "evaluation", place, "--epochs", "2", "--out", weights]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("of 60 games"), "{}", text(&output.stdout));
    let fits = folder.path().join("probcut.txt");
    let fits = fits.to_str().expect("a plain name");
    let arguments = ["--positions", "20", "--deep", "0", "--deepest", "0", "--out", fits];
    let output = run(&[&["learn", "probcut", "--games", place][..], &arguments].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("opening        1     3"), "{}", text(&output.stdout));
}

#[test]
fn test_farms_get_openings_as_they_ask_for_them() {
    let book = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(book.path(), "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\n")
        .expect("written");
    let book = book.path().to_str().expect("a plain name");
    for book in ["None", book] {
        let ask = |seed| text(&run(&[&format!("genfens 6 seed {seed} book {book}"), "quit"]).stdout);
        let (found, again, other) = (ask(42), ask(42), ask(43));
        assert_eq!(found, again);
        assert_ne!(found, other);
        let fens: Vec<&str> =
            found.lines().map(|line| line.strip_prefix("info string genfens ").expect("a line")).collect();
        assert_eq!(fens.len(), 6);
        for fen in fens {
            espalier::Position::from_fen(fen, false).expect("a legal position");
        }
    }
}
