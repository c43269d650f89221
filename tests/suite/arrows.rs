//! Which modules may know which: arrows point down.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::file;

/// The rooms of the house, the lowest first. A room may know those above it in this list and none below; rooms of one
/// line do not know each other.
const HOUSE: &[&[&str]] = &[
    &["score", "depth", "random", "files", "text_table", "statistics", "picture", "parallel", "limits"],
    &["board"],
    &["game_record", "epd", "options/row"],
    &["adjudication", "selective", "eval"],
    &["search"],
    &["options", "perft"],
    &["provenance", "engine"],
    &["bench", "self_play", "tree"],
    &["uci"],
    &["lab", "learn"],
    &["cli"],
];

fn storey(room: &str) -> usize {
    let found = HOUSE.iter().position(|rooms| rooms.contains(&room));
    found.unwrap_or_else(|| panic!("{room} has no place in the house: add it to the list"))
}

/// The room of a file, or of a path behind `crate::`.
fn room_of(path: &str) -> Option<String> {
    let mut parts = path.split(['/', ':', '.']).filter(|part| !part.is_empty());
    let first = parts.next()?;
    let row = first == "options" && parts.next() == Some("row");
    Some(if row { "options/row".to_owned() } else { first.to_owned() })
}

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

/// The rooms that a line of code names.
fn named(line: &str) -> impl Iterator<Item = String> + '_ {
    line.split("crate::").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
        room_of(&rest[..end]).filter(|room| room.starts_with(char::is_lowercase))
    })
}

#[test]
fn arrows_point_down() {
    let source = file("src");
    let mut wrong = BTreeSet::new();
    visit_sources(&source, &mut |path, text| {
        let inside = path.strip_prefix(&source).unwrap().to_str().unwrap().replace('\\', "/");
        let is_test = ["tests.rs", "example_method.rs"].iter().any(|name| inside.ends_with(name));
        if is_test || inside == "lib.rs" || inside == "main.rs" {
            return;
        }
        let room = room_of(&inside).unwrap();
        // Tests may look anywhere.
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
        for (number, line) in (1..).zip(code.lines()) {
            if line.trim_start().starts_with("//") {
                continue;
            }
            for other in named(line).filter(|other| *other != room && other != "choice") {
                if storey(&other) >= storey(&room) {
                    wrong.insert(format!("src/{inside}:{number}: {room} knows {other}: {}", line.trim()));
                }
            }
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_documents_show_the_rooms_in_this_order() {
    let page = std::fs::read_to_string(file("docs/ARCHITECTURE.md")).unwrap();
    let tour = std::fs::read_to_string(file("src/lib.rs")).unwrap();
    let drawing = tour.split("```text").nth(1).and_then(|text| text.split("```").next()).expect("a drawing");
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let mut lines: Vec<BTreeSet<&str>> = drawing
        .lines()
        .map(|line| {
            line.trim_start_matches("//!").split(|c| !is_name(c)).filter(|word| !word.is_empty()).collect()
        })
        .collect();
    lines.retain(|line| !line.is_empty());
    lines.reverse();
    let rooms: Vec<BTreeSet<String>> =
        HOUSE.iter().map(|rooms| rooms.iter().map(|room| room.replace('/', "::")).collect()).collect();
    assert_eq!(format!("{lines:?}"), format!("{rooms:?}"));
    for room in rooms.iter().flatten() {
        assert!(page.contains(&format!("`{room}`")), "docs/ARCHITECTURE.md does not name {room}");
    }
}

#[test]
fn rooms_are_read_from_paths_and_lines() {
    assert_eq!(room_of("options/row.rs").as_deref(), Some("options/row"));
    assert_eq!(room_of("search/pool.rs").as_deref(), Some("search"));
    let line = "use crate::options::row::Kind; let x = crate::engine::Engine::default();";
    assert_eq!(named(line).collect::<Vec<_>>(), ["options/row", "engine"]);
    assert!(named("use crate::{Position, Score};").next().is_none());
}
