//! Endgame tables as a client sees them.

use std::path::Path;

use crate::client::Client;

fn tables() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy").display().to_string()
}

const QUEEN: &str = "position fen 8/8/8/3k4/8/8/8/KQ6 w - - 0 1";

#[test]
fn a_path_with_tables_says_what_was_found_and_counts_hits() {
    let mut client = Client::ready();
    let replies = client.reply(&format!("setoption name SyzygyPath value {}", tables()));
    assert_eq!(replies, ["info string 6 WDL and 6 DTZ tables of up to 4 men found"]);
    let answer = client.search(&format!("{QUEEN}\ngo depth 1"));
    let text = answer.lines.join("\n");
    assert!(text.contains("score cp 31499") && !text.contains("tbhits 0 "), "{text}");
    assert!(client.reply("setoption name SyzygyPath value <empty>").is_empty());
    let answer = client.search(&format!("{QUEEN}\ngo depth 1"));
    assert!(answer.lines.iter().any(|line| line.contains("tbhits 0 ")), "{:?}", answer.lines);
}

#[test]
fn a_wrong_path_is_named_and_keeps_the_tables() {
    let mut client = Client::ready();
    client.reply(&format!("setoption name SyzygyPath value {}", tables()));
    for (path, says) in
        [("/no such/place", "cannot be read"), (env!("CARGO_MANIFEST_DIR"), "no Syzygy tables")]
    {
        let error = client.refuse(&format!("setoption name SyzygyPath value {path}"));
        assert!(error.contains(path) && error.contains(says), "{error}");
    }
    let answer = client.search(&format!("{QUEEN}\ngo depth 2"));
    let hits =
        answer.lines.iter().filter(|line| line.contains("tbhits") && !line.contains("tbhits 0 ")).count();
    assert!(hits > 0, "{:?}", answer.lines);
}

#[test]
fn a_damaged_table_is_told_once_and_the_engine_plays_on() {
    let folder = std::env::temp_dir().join(format!("espalier damaged tables {}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let whole = std::fs::read(Path::new(&tables()).join("KQvK.rtbw")).expect("a table");
    std::fs::write(folder.join("KQvK.rtbw"), &whole[..80]).expect("a file");
    let mut client = Client::ready();
    client.reply(&format!("setoption name SyzygyPath value {}", folder.display()));
    for told in [1, 0] {
        let answer = client.search(&format!("{QUEEN}\ngo depth 4"));
        let errors = answer.lines.iter().filter(|line| line.contains("KQvK.rtbw is damaged")).count();
        assert_eq!(errors, told, "{:?}", answer.lines);
    }
    let _ = std::fs::remove_dir_all(folder);
}
