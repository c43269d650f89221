//! Documents that the program writes are those in the repository.

use crate::common::file;

#[test]
fn the_page_of_options_is_true() {
    let path = file("docs/OPTIONS.md");
    let page = espalier::cli::options_page();
    if std::env::var_os("ESPALIER_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/OPTIONS.md is old; ESPALIER_BLESS=1 cargo test rewrites it");
}

#[test]
fn the_examples_for_contributors_are_lines_of_the_sources() {
    let page = std::fs::read_to_string(file("CONTRIBUTING.md")).unwrap();
    let blocks: Vec<&str> =
        page.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let sources = ["src/selective/delta.rs", "src/options/table.rs", "src/lab/experiments/n_best.rs"];
    assert_eq!(blocks.len(), sources.len());
    for (block, source) in blocks.into_iter().zip(sources) {
        let text = std::fs::read_to_string(file(source)).unwrap();
        let mut known = text.lines().map(str::trim);
        for line in block.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "// …") {
            assert!(known.any(|other| other == line), "{source} has no line {line:?}, or not in this order");
        }
    }
}
