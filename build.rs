//! Tells the program which commit it is built from and the day of it, which results, games and `--version` carry.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=src");
    let date = git(&["log", "-1", "--format=%cs"]);
    println!("cargo::rustc-env=ESPALIER_DATE={}", date.as_deref().unwrap_or("unknown"));
    let changed = git(&["status", "--porcelain", "--", "src"]).is_some();
    let commit =
        git(&["log", "-1", "--format=%h"]).map(|commit| if changed { commit + ", changed" } else { commit });
    println!("cargo::rustc-env=ESPALIER_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
}

/// What git says, if it says anything.
fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}
