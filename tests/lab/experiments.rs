//! `espalier lab`, as a person runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("espalier-lab-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn lab(arguments: &[&str], out: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_espalier"));
    command.arg("lab").args(arguments).arg("--out").arg(out).output().unwrap()
}

#[test]
fn an_experiment_writes_its_files_and_a_second_run_gives_the_same() {
    let out = folder("files");
    let first = lab(&["uncertainty", "--quick", "--set", "Hash=2", "--markdown"], &out);
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    let page = String::from_utf8(first.stdout).unwrap();
    assert!(
        page.contains("| 60 | 92.87 |") && page.contains("espalier lab uncertainty --quick --set Hash=2")
    );
    assert!(!page.contains(&out.display().to_string()), "a result names no folder of this machine");
    for name in ["uncertainty.md", "uncertainty.csv", "uncertainty.svg", "notebook.jsonl", "provenance.json"]
    {
        assert!(out.join(name).metadata().unwrap().len() > 0, "{name}");
    }
    let measured = std::fs::read_to_string(out.join("notebook.jsonl")).unwrap();
    // Half of it is lost, as if the run had been interrupted.
    let half: String =
        measured.lines().take(measured.lines().count() / 2).map(|line| format!("{line}\n")).collect();
    std::fs::write(out.join("notebook.jsonl"), half).unwrap();
    let again = lab(&["uncertainty", "--quick", "--set", "Hash=2", "--jobs", "1", "--markdown"], &out);
    assert_eq!(String::from_utf8(again.stdout).unwrap(), page);
    let shown = |more: &[&str]| {
        let arguments = [&["uncertainty", "--quick", "--set", "Hash=2"], more].concat();
        let mut command = Command::new(env!("CARGO_BIN_EXE_espalier"));
        let output = command.arg("lab").args(arguments).arg("--out").arg(&out);
        String::from_utf8(output.env("COLUMNS", "80").output().unwrap().stdout).unwrap()
    };
    let text = shown(&[]);
    assert!(text.contains("published") && text.contains("reproduced") && !text.contains("| 60 |"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&shown(&["--json"])).unwrap();
    assert!(json["tables"][0]["rows"][0].is_object() && json["tables"][0]["verdicts"].is_array());
    std::fs::remove_dir_all(&out).unwrap();
}

#[test]
fn a_second_run_knows_what_the_first_has_used() {
    let out = folder("twice");
    let provenance = || std::fs::read_to_string(out.join("provenance.json")).unwrap();
    assert!(lab(&["alpha-beta", "--quick"], &out).status.success());
    let first = provenance();
    assert!(first.contains("Minimax"), "{first}");
    assert!(lab(&["alpha-beta", "--quick"], &out).status.success());
    assert_eq!(provenance(), first);
    std::fs::remove_dir_all(&out).unwrap();
}

#[test]
fn the_notebook_of_another_experiment_is_left_alone() {
    let out = folder("other");
    assert!(lab(&["alpha-beta", "--quick"], &out).status.success());
    let before = std::fs::read(out.join("notebook.jsonl")).unwrap();
    let other = lab(&["alpha-beta", "--quick", "--set", "Hash=4"], &out);
    let said = String::from_utf8(other.stderr).unwrap();
    assert!(
        !other.status.success() && said.contains("another experiment") && said.contains("Hash"),
        "{said}"
    );
    assert_eq!(std::fs::read(out.join("notebook.jsonl")).unwrap(), before);
    std::fs::remove_dir_all(&out).unwrap();
}

#[test]
fn experiments_are_listed_and_an_unknown_one_is_named() {
    let out = folder("list");
    let list = String::from_utf8(lab(&["list"], &out).stdout).unwrap();
    assert!(list.contains("rankcut-match") && list.contains("two minutes"));
    let unknown = lab(&["rancut"], &out);
    let said = String::from_utf8(unknown.stderr).unwrap();
    assert!(!unknown.status.success() && said.contains("\"rancut\"") && said.contains("rankcut"), "{said}");
    assert!(!out.exists(), "nothing is made for an experiment that is not there");
}
