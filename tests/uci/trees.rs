//! Recordings of search trees, from the command line and through UCI.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::client::{Client, drain, engine, exit_within, run};

/// A folder of its own for a test, removed when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("espalier-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder").flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name().display().to_string()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn succeeds(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn fails(args: &[&str]) -> String {
    let output = run(args);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && !text.contains("panicked"), "{args:?}: {output:?}");
    text
}

#[test]
fn a_search_is_recorded_checked_printed_and_put_into_a_page() {
    let folder = Folder::new("record");
    let tree = folder.file("a.tree");
    // Without aspiration windows the root is searched once.
    let record = ["tree", "record", "--depth", "4", "--set", "Aspiration=false", "--out", &tree];
    assert!(succeeds(&record).contains("a tree of "));
    assert!(succeeds(&["tree", "check", &tree]).contains("all as written"));
    assert!(succeeds(&["tree", "show", &tree]).contains("root"));
    let e4 = succeeds(&["tree", "show", &tree, "--line", "e4"]);
    assert!(e4.contains("line: e4"), "{e4}");
    let nodes = succeeds(&["tree", "dump", &tree]);
    assert!(nodes.lines().count() > 100 && nodes.lines().all(|line| line.starts_with('{')));
    let page = tree.replace(".tree", ".html");
    assert_eq!(succeeds(&["tree", "view", &tree]).trim(), page);
    assert_eq!(
        succeeds(&["tree", "view", &tree]).trim(),
        page.replace(".html", "-2.html"),
        "never over a file"
    );
    let page = std::fs::read_to_string(page).expect("the page");
    assert!(page.starts_with("<!doctype html>") && page.contains("class=\"embedded\""));
    assert_eq!(folder.names(), ["a-2.html", "a.html", "a.tree"], "nothing else is left");
}

/// A tree in which many moves are refuted, whatever the default evaluation thinks of them.
fn record_of_turk<'a>(depth: &'a str, tree: &'a str) -> [&'a str; 10] {
    ["tree", "record", "--depth", depth, "--set", "Preset=Turk", "--set", "Aspiration=false", "--out", tree]
}

#[test]
fn rows_stand_in_columns_and_say_why() {
    let folder = Folder::new("show");
    let tree = folder.file("a.tree");
    succeeds(&record_of_turk("6", &tree));
    let shown = succeeds(&["tree", "show", &tree]);
    let is_header = |line: &&str| line.ends_with("  why") && line.contains("window");
    let header = shown.lines().rfind(is_header).expect("a header");
    let rows: Vec<&str> = shown.lines().filter(|line| line.contains("refuted by …")).collect();
    let place = |row: &str| row.split("refuted").next().map(|before| before.chars().count());
    assert!(
        rows.len() > 5 && rows.iter().all(|row| place(row) == Some(header.chars().count() - 3)),
        "{shown}"
    );
}

/// What a command prints in a terminal of this width.
fn in_columns(width: usize, args: &[&str]) -> String {
    let output = engine(args).env("COLUMNS", width.to_string()).output().expect("the program runs");
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn nothing_is_wider_than_a_narrow_terminal() {
    let folder = Folder::new("narrow");
    let (a, b) = (folder.file("a.tree"), folder.file("b.tree"));
    succeeds(&["tree", "record", "--depth", "7", "--set", "Preset=Turk", "--out", &a]);
    succeeds(&["tree", "record", "--depth", "7", "--set", "Preset=TurkMC", "--out", &b]);
    for width in [60, 80] {
        // All but the position, which is one word after the other that none may break.
        let shown = in_columns(width, &["tree", "show", &a]);
        assert!(shown.lines().skip(1).all(|line| line.chars().count() <= width), "{shown}");
        assert!(shown.contains("moves searched") && !shown.contains('\u{a0}'), "{shown}");
        // The names of the files are as long as they are.
        let compared = in_columns(width, &["tree", "diff", &a, &b]).replace(&a, "a").replace(&b, "b");
        assert!(compared.lines().all(|line| line.chars().count() <= width), "{compared}");
    }
}

#[test]
fn trees_are_printed_for_programs_too() {
    let folder = Folder::new("values");
    let tree = folder.file("a.tree");
    succeeds(&["tree", "record", "--depth", "5", "--out", &tree]);
    let values = succeeds(&["tree", "show", &tree, "--csv"]);
    let mut lines = values.lines();
    assert_eq!(lines.next(), Some("node,number,move,bound,value,alpha,beta,depth,kind,nodes,why"));
    assert!(lines.clone().count() >= 20, "{values}");
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        for number in [0, 1, 4, 5, 6, 7, 9] {
            assert!(cells[number].parse::<i64>().is_ok(), "{line}");
        }
    }
    assert!(succeeds(&["tree", "show", &tree, "--markdown"]).starts_with("| node | # | move |"));
    let same = succeeds(&["tree", "diff", &tree, &tree, "--csv"]);
    assert!(same.starts_with("reason,A,B,B - A,B / A\nall nodes,"), "{same}");
}

#[test]
fn reasons_stand_below_their_rows_in_a_narrow_terminal() {
    let folder = Folder::new("reasons-below");
    let tree = folder.file("a.tree");
    succeeds(&record_of_turk("6", &tree));
    let narrow = std::process::Command::new(env!("CARGO_BIN_EXE_espalier"))
        .args(["tree", "show", &tree])
        .env("COLUMNS", "80")
        .output()
        .expect("it runs");
    let shown = String::from_utf8(narrow.stdout).expect("text");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let told = shown.lines().filter(|line| line.starts_with("      refuted by ")).count();
    assert!(told > 5, "{shown}");
}

#[test]
fn two_recordings_are_compared_in_words() {
    let folder = Folder::new("diff");
    let (a, b, other) = (folder.file("a.tree"), folder.file("b.tree"), folder.file("c.tree"));
    succeeds(&["tree", "record", "--depth", "6", "--set", "Preset=Turk", "--out", &a]);
    succeeds(&["tree", "record", "--depth", "6", "--set", "Preset=TurkMC", "--out", &b]);
    succeeds(&["tree", "record", "--depth", "2", "--moves", "e2e4", "--out", &other]);
    assert!(succeeds(&["tree", "diff", &a, &a]).contains("The two trees are equal."));
    let text = succeeds(&["tree", "diff", &a, &b]);
    assert!(text.contains("Preset=TurkMC") && !text.contains("Killers"), "{text}");
    assert!(text.contains("\nAfter 1.") && text.contains(", A searched "), "{text}");
    let all = text.lines().find(|line| line.starts_with("all nodes")).expect("the totals");
    let counts: Vec<i64> = all.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!(counts.len() == 3 && counts[1] - counts[0] == counts[2], "{all}");
    let refused = fails(&["tree", "diff", &a, &other]);
    assert!(refused.contains("not the same position"), "{refused}");
    // A page of both is named after both, and the browser that opens it is the user's.
    let page = folder.file("a-against-b.html");
    let mut opening = engine(["tree", "view", &a, &b, "--open"]);
    assert!(opening.env("BROWSER", "true").output().is_ok_and(|output| output.status.success()));
    assert!(std::path::Path::new(&page).exists());
    let mut nowhere = engine(["tree", "view", &a, "--open"]);
    let output = nowhere.env("BROWSER", "/nonexistent/browser").output().expect("the engine");
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nonexistent/browser"), "{output:?}");
}

const EVENTS: &str = r#"{"event":"start","program":"Other 1.0"}
{"event":"iteration","depth":2}
{"event":"enter","alpha":-50,"beta":50,"depth":2}
{"event":"enter","move":"e2e4","alpha":-50,"beta":50,"depth":1}
{"event":"enter","purpose":"null-move","alpha":49,"beta":50,"depth":0}
{"event":"eval","value":-30}
{"event":"leave","value":-30,"reason":"stand-pat"}
{"event":"enter","move":"e7e5","alpha":-50,"beta":50,"depth":0,"kind":"quiescence"}
{"event":"leave","value":10,"reason":"tower defence"}
{"event":"leave","value":-10,"reason":"fail-low"}
{"event":"leave","value":10,"reason":"exact"}
{"event":"end"}
"#;

#[test]
fn the_events_of_another_engine_become_a_recording() {
    let folder = Folder::new("import");
    let (events, tree) = (folder.file("x.jsonl"), folder.file("x.tree"));
    std::fs::write(&events, EVENTS).expect("the events");
    assert!(succeeds(&["tree", "import", &events]).contains("a tree of 4 nodes"));
    assert!(succeeds(&["tree", "check", &tree]).contains("all as written"));
    let nodes: Vec<serde_json::Value> = succeeds(&["tree", "dump", &tree])
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let told = |node: &serde_json::Value| {
        let text = |name: &str| node[name].as_str().unwrap_or_default().to_owned();
        (text("san"), text("purpose"), text("end"), node["value"].as_i64().unwrap_or_default())
    };
    let wanted = [
        ("", "iteration", "all-moves", 10),
        ("", "root", "all-moves", 10),
        ("e4", "move", "all-moves", -10),
        ("--", "null-move", "stand-pat", -30),
        ("e5", "move", "tower defence", 10),
    ];
    let wanted =
        wanted.map(|(san, purpose, end, value)| (san.to_owned(), purpose.to_owned(), end.to_owned(), value));
    assert_eq!(nodes.iter().map(told).collect::<Vec<_>>(), wanted);
    assert!(succeeds(&["tree", "show", &tree, "--line", "e4 e5"]).contains("tower defence"));
    for (line, wrong, said) in [
        (3, r#"{"event":"enter","move":"e2e5","depth":1}"#, "line 4"),
        (3, r#"{"event":"enter","depth":1}"#, "needs a"),
        (3, r#"{"event":"enter","depth":1,"purpose":"magic"}"#, "magic"),
        (0, r#"{"event":"end"}"#, "must be"),
        (1, r#"{"event":"leave","value":1,"reason":"x"}"#, "outside of every node"),
        (5, "nonsense", "line 6"),
    ] {
        let mut lines: Vec<&str> = EVENTS.lines().collect();
        lines[line] = wrong;
        std::fs::write(&events, lines.join("\n")).expect("the events");
        let text = fails(&["tree", "import", &events]);
        assert!(text.contains(said) && text.contains("x.jsonl"), "{wrong}: {text}");
        assert!(text.matches(" w ").count() <= 1, "the position is named once: {text}");
    }
}

#[test]
fn wrong_words_and_files_are_named() {
    let folder = Folder::new("wrong");
    let tree = folder.file("a.tree");
    let other = folder.file("other.txt");
    std::fs::write(&other, "something else").expect("a file");
    succeeds(&["tree", "record", "--depth", "2", "--out", &tree]);
    let cases: [(&[&str], &str); 10] = [
        (&["tree", "view", &other], "not a recording"),
        (&["tree", "check", &other], "other.txt"),
        (&["tree", "show", "/nonexistent.tree"], "/nonexistent.tree"),
        (&["tree", "show", &tree, "--node", "4000000000"], "no node 4000000000"),
        (&["tree", "show", &tree, "--iteration", "9"], "iteration 9"),
        (&["tree", "show", &tree, "--line", "e5"], "e5"),
        (&["tree", "view", &tree, "--out", &tree], "the recording itself"),
        (&["tree", "record", "--depth", "2", "--out", "/nonexistent/a.tree"], "/nonexistent/a.tree"),
        (&["tree", "record", "--depth", "2", "--out", &other, "--fen", "nonsense"], "nonsense"),
        (&["tree", "record", "--depth", "2", "--out", &other, "--moves", "e2e5"], "e2e5"),
    ];
    for (args, named) in cases {
        let said = fails(args);
        assert!(said.contains(named), "{args:?}: {said}");
    }
    assert_eq!(std::fs::read_to_string(&other).expect("the file"), "something else");
}

// A limit on the size of files stands for a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_ends_the_recording_and_not_the_search() {
    let folder = Folder::new("full");
    let tree = folder.file("a.tree");
    let command = engine([] as [&str; 0]);
    let program = command.get_program();
    let script = format!(
        "trap '' XFSZ; ulimit -f 1200; exec {:?} tree record --depth 30 --nodes 200000 --out {tree}",
        Path::new(program)
    );
    let output = Command::new("bash").args(["-c", &script]).stdin(Stdio::null()).output().expect("bash");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("recording ended"), "{output:?}");
    // The last iteration that fitted is there, whole.
    assert!(succeeds(&["tree", "check", &tree]).contains("all as written"));
    assert_eq!(folder.names(), ["a.tree"]);
}

// Somebody's work is not overwritten by a slip of the hand; a recording, a page and an empty file may be.
#[test]
fn files_of_another_kind_are_not_overwritten() {
    let folder = Folder::new("foreign");
    let thesis = folder.file("thesis.txt");
    let work = "<!doctype html>\nyears of work";
    std::fs::write(&thesis, work).expect("a file");
    let record = |place: &str| run(&["tree", "record", "--depth", "2", "--out", place]);
    let tree = folder.file("a.tree");
    std::fs::write(&tree, "").expect("a file");
    assert!(record(&tree).status.success() && record(&tree).status.success());
    let said = fails(&["tree", "record", "--depth", "2", "--out", &thesis]);
    assert!(said.contains("thesis.txt") && said.contains("not overwritten"), "{said}");
    let said = fails(&["tree", "view", &tree, "--out", &thesis]);
    assert!(said.contains("thesis.txt") && said.contains("not overwritten"), "{said}");
    let page = folder.file("a.html");
    succeeds(&["tree", "view", &tree, "--out", &page]);
    succeeds(&["tree", "view", &tree, "--out", &page]);
    let mut client = Client::ready();
    client.accept(&format!("setoption name TreeFile value {thesis}"));
    let answer = client.search("position startpos\ngo depth 3");
    assert!(answer.lines.iter().any(|line| line.contains("not overwritten")), "{:?}", answer.lines);
    assert_eq!(std::fs::read_to_string(&thesis).expect("the file"), work);
    assert_eq!(folder.names(), ["a.html", "a.tree", "thesis.txt"]);
}

// A pipe that nobody writes into would keep the command waiting for ever.
#[cfg(unix)]
#[test]
fn a_pipe_is_no_recording() {
    let folder = Folder::new("pipe");
    let pipe = folder.file("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let page = folder.file("a.html");
    let commands: [&[&str]; 5] = [
        &["check", &pipe],
        &["show", &pipe],
        &["dump", &pipe],
        &["diff", &pipe, &pipe],
        &["view", &pipe, "--out", &page],
    ];
    for args in commands {
        let mut child = engine(["tree"].iter().chain(args)).spawn().expect("the engine");
        let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
        let status = exit_within(&mut child, Duration::from_secs(10));
        let _ = child.kill();
        assert!(status.is_some_and(|status| status.code() == Some(1)), "{args:?} waits: {status:?}");
        let said = [stdout, stderr].map(|pipe| String::from_utf8_lossy(&pipe.join().unwrap()).into_owned());
        assert!(said.concat().contains("not a regular file"), "{args:?}: {said:?}");
    }
    assert_eq!(folder.names(), ["pipe"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_search_and_keeps_what_was_searched() {
    let folder = Folder::new("interrupt");
    let tree = folder.file("a.tree");
    let mut child = engine(["tree", "record", "--depth", "100", "--out", &tree]).spawn().expect("the engine");
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    std::thread::sleep(Duration::from_millis(700));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let status = exit_within(&mut child, Duration::from_secs(30)).expect("it ends");
    let said = [stdout, stderr].map(|pipe| String::from_utf8_lossy(&pipe.join().unwrap()).into_owned());
    assert!(status.success(), "{said:?}");
    assert!(succeeds(&["tree", "check", &tree]).contains("all as written"));
    assert_eq!(folder.names(), ["a.tree"]);
}

#[test]
fn tree_file_records_every_search_until_it_is_empty() {
    let folder = Folder::new("uci");
    let tree = folder.file("with blanks.tree");
    let mut client = Client::ready();
    client.accept(&format!("setoption name TreeFile value {tree}"));
    let answer = client.search("position startpos\ngo depth 4");
    assert!(answer.lines.iter().any(|line| line.contains("info string a tree of")), "{:?}", answer.lines);
    assert!(succeeds(&["tree", "check", &tree]).contains("all as written"));
    let first = std::fs::read(&tree).expect("the file");
    client.search("position startpos moves e2e4\ngo depth 5");
    assert_ne!(std::fs::read(&tree).expect("the file"), first, "the next search replaces it");
    client.accept("setoption name TreeFile value <empty>");
    std::fs::remove_file(&tree).expect("the file");
    client.search("position startpos\ngo depth 4");
    assert!(folder.names().is_empty());
}

#[test]
fn a_tree_file_that_cannot_be_written_is_reported_and_the_move_comes() {
    let mut client = Client::ready();
    client.accept("setoption name TreeFile value /nonexistent/folder/a.tree");
    let answer = client.search("position startpos\ngo depth 4");
    let errors: Vec<_> =
        answer.lines.iter().filter(|line| line.contains("/nonexistent/folder/a.tree")).collect();
    assert_eq!(errors.len(), 1, "{:?}", answer.lines);
    assert!(crate::game::Game::default().is_legal(&answer.best));
}

// It looks like an empty file, and reading it never ends.
#[cfg(target_os = "linux")]
#[test]
fn what_only_looks_like_a_file_does_not_hold_up_the_search() {
    let mut client = Client::ready();
    client.accept("setoption name TreeFile value /proc/kmsg");
    let answer = client.search("position startpos\ngo depth 4");
    assert!(answer.lines.iter().any(|line| line.contains("no recording")), "{:?}", answer.lines);
    assert!(crate::game::Game::default().is_legal(&answer.best));
}

// A link to a device: no recording may take its place.
#[cfg(unix)]
#[test]
fn a_device_is_not_replaced_by_a_recording() {
    let folder = Folder::new("device");
    let full = folder.file("full");
    std::os::unix::fs::symlink("/dev/full", &full).expect("a link");
    let said = fails(&["tree", "record", "--depth", "2", "--out", &full]);
    assert!(said.contains("something else than a file"), "{said}");
    let mut client = Client::ready();
    client.accept(&format!("setoption name TreeFile value {full}"));
    let answer = client.search("position startpos\ngo depth 4");
    assert!(
        answer.lines.iter().any(|line| line.contains("something else than a file")),
        "{:?}",
        answer.lines
    );
    let said = fails(&["tree", "view", "--out", &full]);
    assert!(said.contains("No space left"), "{said}");
    assert!(std::fs::symlink_metadata(&full).expect("the link").is_symlink());
    assert_eq!(folder.names(), ["full"]);
}
