//! Files that are none, and files that are not what they say: refused before they block the engine or eat its memory.

use crate::client::{Client, SLACK, TIMEOUT, is_error, ms};
use crate::game::Game;
use crate::judge::judge;

/// Every option that names a file to read.
const READ: [&str; 7] = [
    "BookFile",
    "EvaluationFile",
    "EvalFile",
    "CombinationFile",
    "SettingsFile",
    "RankCutFile",
    "ProbCutFile",
];

fn plays_on(client: &mut Client) {
    judge(&Game::default(), &client.search("position startpos\ngo depth 2"), 1);
}

/// The value is refused, and soon.
fn refuses(client: &mut Client, option: &str, path: &str) {
    let begin = std::time::Instant::now();
    let error = client.refuse(&format!("setoption name {option} value {path}"));
    assert!(error.contains(path), "{option}: {error}");
    assert!(begin.elapsed() < ms(500) * SLACK, "{option} {path}: {:?}", begin.elapsed());
}

#[test]
#[cfg(unix)]
fn pipes_devices_and_folders_are_no_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe").display().to_string();
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let link = folder.path().join("link").display().to_string();
    std::os::unix::fs::symlink("/dev/zero", &link).expect("a link");
    let mut client = Client::ready();
    for option in READ.into_iter().chain(["Debug Log File", "SyzygyPath"]) {
        for path in [&pipe, "/dev/zero", &link, "/dev/tty"] {
            refuses(&mut client, option, path);
        }
    }
    for option in READ.into_iter().chain(["Debug Log File"]) {
        refuses(&mut client, option, folder.path().to_str().expect("a plain name"));
    }
    plays_on(&mut client);
}

// An option that is added names a file, or is known not to.
#[test]
fn every_option_with_a_text_is_known_here() {
    let others = ["UCI_Opponent", "Debug Log File", "TreeFile", "SyzygyPath"];
    let mut client = Client::start();
    client.send("uci");
    let lines = client.until("uciok", TIMEOUT, |line| line == "uciok");
    let names = lines.iter().filter_map(|line| line.strip_prefix("option name ")?.split_once(" type string"));
    let mut found: Vec<&str> = names.map(|(name, _)| name).collect();
    let mut expected = [&READ[..], &others].concat();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

// A hole takes no room on a disk and would take all memory.
#[test]
fn a_file_larger_than_any_of_its_kind_is_not_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("hole");
    std::fs::File::create(&path).and_then(|file| file.set_len(1 << 36)).expect("a hole");
    let mut client = Client::ready();
    for option in READ {
        refuses(&mut client, option, path.to_str().expect("a plain name"));
    }
    plays_on(&mut client);
}

// A file in a folder of endgame tables that only has the name of one.
#[test]
#[cfg(unix)]
fn a_pipe_among_endgame_tables_does_not_block() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("KQvK.rtbw");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let mut client = Client::ready();
    refuses(&mut client, "SyzygyPath", folder.path().to_str().expect("a plain name"));
    let queen = "position fen 8/8/8/3k4/8/8/1Q6/K7 w - - 0 1\ngo depth 4";
    assert!(Game::from_fen("8/8/8/3k4/8/8/1Q6/K7 w - - 0 1").is_legal(&client.search(queen).best));
}

// A file that is slow to read keeps nobody waiting but the options and searches behind it.
#[test]
#[cfg(target_os = "linux")]
fn a_file_that_never_ends_is_given_up_and_the_loop_is_alive_meanwhile() {
    // Reading the kernel's messages waits for the next one; only its owner may.
    let path = "/proc/kmsg";
    if std::fs::File::open(path).is_err() {
        eprintln!("skipped: {path} cannot be opened");
        return;
    }
    let mut client = Client::ready();
    client.send(&format!("setoption name SettingsFile value {path}\nposition startpos\ngo depth 2"));
    let took = client.time_to_ready();
    assert!(took < ms(1000) + ms(100) * SLACK, "{took:?}");
    let took = client.time_to_ready();
    assert!(took < ms(100) * SLACK, "{took:?}");
    assert!(Game::default().is_legal(&client.answer().best));
    client.send(&format!("setoption name SettingsFile value {path}\nquit"));
    client.ends_well_within(ms(500) * SLACK);
}

// Options that name a file take effect before what follows them.
#[test]
fn an_option_that_reads_a_file_is_not_overtaken() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("settings");
    std::fs::write(&path, "MultiPV=3\n").expect("a file");
    let mut client = Client::ready();
    let talk = format!("setoption name SettingsFile value {}\nposition startpos\ngo depth 2", path.display());
    judge(&Game::default(), &client.search(&talk), 3);
    client.send(&format!("setoption name SettingsFile value {}", path.display()));
    client.accept("setoption name MultiPV value 2");
    judge(&Game::default(), &client.search("position startpos\ngo depth 2"), 2);
}

// A network that was made to do harm, with a checksum that fits, and a damaged one; both also while a search runs.
#[test]
fn hostile_and_damaged_networks_are_refused_and_the_old_one_plays_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("hostile.net");
    let good = include_bytes!("../../src/eval/network/built_in.net");
    let sealed = |change: fn(&mut Vec<u8>)| {
        let mut bytes = good[..good.len() - 4].to_vec();
        change(&mut bytes);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    };
    let hostile: [(Vec<u8>, &str); 6] = [
        (sealed(|bytes| bytes[28..].fill(0x7f)), "a weight of 32639"),
        (sealed(|bytes| bytes[16..20].fill(0xff)), "4294967295 neurons"),
        (sealed(|bytes| bytes[20..24].fill(0xff)), "4294967295 outputs"),
        (sealed(|bytes| bytes[24..28].fill(0xff)), "a scale of -1"),
        (sealed(|bytes| bytes.truncate(5_000)), "cut off or damaged"),
        (good.iter().map(|byte| byte ^ u8::from(*byte == 77)).collect(), "checksum"),
    ];
    let mut client = Client::ready();
    let alone = client.search("position startpos\ngo depth 6").best;
    for (bytes, reason) in hostile {
        std::fs::write(&path, bytes).expect("a file");
        for searching in [false, true] {
            if searching {
                client.send("go infinite");
            }
            client.send(&format!("setoption name EvalFile value {}", path.display()));
            if searching {
                client.send("stop");
                client.answer();
            }
            client.expect(reason, TIMEOUT, |line| is_error(line) && line.contains(reason));
        }
        assert_eq!(client.search("ucinewgame\nposition startpos\ngo depth 6").best, alone);
    }
}

// Many files one after the other: `isready` waits a second in all, not for each of them.
#[test]
fn isready_does_not_wait_for_one_file_after_the_other() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/selective/rank_cut.bin");
    let pair = format!("setoption name RankCutFile value {path}\nsetoption name RankCutFile value <empty>\n");
    let mut client = Client::ready();
    client.send(&pair.repeat(8_000));
    let took = client.time_to_ready();
    assert!(took < ms(1000) + ms(500) * SLACK, "{took:?}");
    client.send("quit");
    client.ends_well_within(ms(500) * SLACK);
}
