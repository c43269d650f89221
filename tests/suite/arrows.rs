//! Which modules may know which.

use std::path::Path;

use crate::common::file;

/// Calls `visit` with every Rust file below a folder.
fn visit_sources(folder: &Path, visit: &mut impl FnMut(&Path, &str)) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            visit_sources(&path, visit);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            visit(&path, &std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn lab_and_learn_do_not_know_each_other() {
    // The client of UCI engines is the one thing that still lies in the laboratory and is used by a learner.
    const ALLOWED: &str = "crate::uci::client";
    for (room, other) in [("lab", "crate::learn"), ("learn", "crate::lab")] {
        visit_sources(&file("src").join(room), &mut |path, text| {
            for (number, line) in (1..).zip(text.lines()) {
                let knows = line.contains(other) && !line.contains(ALLOWED);
                assert!(!knows, "{}:{number}: {line}", path.display());
            }
        });
    }
}
