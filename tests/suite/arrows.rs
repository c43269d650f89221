//! Dependencies between modules: arrows point down.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::common::file;

/// The layers of modules, lowest first. A module may use modules of lower layers, but none of its own or a higher one.
const LAYERS: &[&[&str]] = &[
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

/// Files that contain only tests, which may use everything.
const TESTS: [&str; 3] = ["tests.rs", "example_method.rs", "selective/example.rs"];

fn layer(module: &str) -> usize {
    let found = LAYERS.iter().position(|modules| modules.contains(&module));
    found.unwrap_or_else(|| panic!("{module} has no layer: add it to the list"))
}

/// The top-level module of a file or a path; `options/row` counts as one.
fn module_of(path: &str) -> Option<String> {
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

/// The code without comments, up to its tests, which may use everything.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let tests = lines.peek().is_some_and(|next| next.contains("mod ") && next.ends_with('{'));
        if line.trim() == "#[cfg(test)]" && tests {
            break;
        }
        code += line.split("//").next().unwrap_or(line);
        code.push('\n');
    }
    code
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Expands a path such as `a::{b, c::d}`, which may span several lines.
fn branches(text: &str) -> Vec<String> {
    let text = text.trim_start();
    let name: String = text.chars().take_while(|c| is_name(*c)).collect();
    if let Some(rest) = text[name.len()..].strip_prefix("::").filter(|_| !name.is_empty()) {
        return branches(rest).into_iter().map(|branch| format!("{name}::{branch}")).collect();
    }
    let Some(group) = text.strip_prefix('{') else { return vec![name] };
    let mut depth = 0;
    let mut parts = vec![String::new()];
    for c in group.chars() {
        match c {
            '}' if depth == 0 => break,
            ',' if depth == 0 => parts.push(String::new()),
            c => {
                depth += i32::from(c == '{') - i32::from(c == '}');
                parts.last_mut().unwrap().push(c);
            }
        }
    }
    parts.iter().filter(|part| !part.trim().is_empty()).flat_map(|part| branches(part)).collect()
}

/// The paths from the root of the crate in the code of a module that is `level` levels below the root.
fn paths(code: &str, level: usize) -> Vec<String> {
    let to_root = ["crate::".to_owned(), "super::".repeat(level)];
    let found = to_root.iter().flat_map(|prefix| {
        code.match_indices(prefix.as_str()).filter_map(|(at, _)| {
            let whole_word = !code[..at].ends_with(is_name);
            // Of several `super::` in a row the first ones are the prefix.
            let first = !code[..at].ends_with("super::");
            (whole_word && first).then(|| branches(&code[at + prefix.len()..]))
        })
    });
    found.flatten().collect()
}

/// Names that the root of the crate exports, with the modules they come from.
fn exported(root: &str) -> BTreeMap<String, String> {
    let uses = code(root);
    let of = |line: &str| -> Vec<(String, String)> {
        let paths = branches(line);
        paths.into_iter().filter_map(|path| Some((path.rsplit("::").next()?.to_owned(), path))).collect()
    };
    let mut exported: BTreeMap<_, _> = uses.split("pub use ").skip(1).flat_map(of).collect();
    // Macros are always exported from the root.
    exported.insert("choice".to_owned(), "options::row".to_owned());
    exported
}

#[test]
fn arrows_point_down() {
    let source = file("src");
    let exported = exported(&std::fs::read_to_string(source.join("lib.rs")).unwrap());
    let mut wrong = BTreeSet::new();
    let mut arrows = 0;
    visit_sources(&source, &mut |path, text| {
        let inside = path.strip_prefix(&source).unwrap().to_str().unwrap().replace('\\', "/");
        let is_test = TESTS.iter().any(|name| inside.ends_with(name));
        if is_test || inside == "lib.rs" || inside == "main.rs" {
            return;
        }
        let module = module_of(&inside).unwrap();
        let level = inside.trim_end_matches("/mod.rs").split('/').count();
        for path in paths(&code(text), level) {
            let first = path.split("::").next().unwrap_or_default();
            let other = module_of(exported.get(first).unwrap_or(&path)).unwrap_or_default();
            arrows += usize::from(other != module);
            if other != module && layer(&other) >= layer(&module) {
                wrong.insert(format!("src/{inside}: {module} uses {other}: {path}"));
            }
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
    assert!(arrows > 1_000, "only {arrows} arrows found");
}

#[test]
fn every_module_has_a_layer() {
    let root = code(&std::fs::read_to_string(file("src/lib.rs")).unwrap());
    let modules = root.lines().filter_map(|line| line.split("mod ").nth(1)?.strip_suffix(';'));
    let modules: BTreeSet<&str> = modules.collect();
    let placed: BTreeSet<&str> = LAYERS.concat().into_iter().filter(|module| !module.contains('/')).collect();
    assert_eq!(modules, placed);
}

#[test]
fn the_documents_show_the_layers_in_this_order() {
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
    let layers: Vec<BTreeSet<String>> = LAYERS
        .iter()
        .map(|modules| modules.iter().map(|module| module.replace('/', "::")).collect())
        .collect();
    assert_eq!(format!("{lines:?}"), format!("{layers:?}"));
    for module in layers.iter().flatten() {
        assert!(page.contains(&format!("`{module}`")), "docs/ARCHITECTURE.md does not name {module}");
    }
}

#[test]
fn modules_are_read_from_paths_and_lines() {
    assert_eq!(module_of("options/row.rs").as_deref(), Some("options/row"));
    assert_eq!(module_of("search/pool.rs").as_deref(), Some("search"));
    let line = "use crate::options::row::Kind; let x = $crate::engine::Engine::default();";
    assert_eq!(paths(line, 1), ["options::row::Kind", "engine::Engine::default"]);
    let groups =
        "use crate::{\n    Position, lab::{self, runner::{Answer, SuiteRun}},\n    uci::info as x,\n};";
    let found = ["Position", "lab::self", "lab::runner::Answer", "lab::runner::SuiteRun", "uci::info"];
    assert_eq!(paths(groups, 1), found);
    assert_eq!(
        paths("use super::engine::Engine; use super::super::uci;", 1),
        ["engine::Engine", "super::uci"]
    );
    assert_eq!(paths("use super::node::Node; use super::super::engine::Engine;", 2), ["engine::Engine"]);
    assert_eq!(
        code("a // crate::x\n#[cfg(test)]\nmod tests;\nb\n#[cfg(test)]\nmod tests {\nc"),
        "a \n#[cfg(test)]\nmod tests;\nb\n"
    );
    let root = exported("pub use engine::Engine;\npub use board::{Game, Position};");
    assert_eq!(root["Engine"], "engine::Engine");
    assert_eq!((module_of(&root["Position"]).as_deref(), root.len()), (Some("board"), 4));
}
