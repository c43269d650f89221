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
    assert!(written == page, "docs/OPTIONS.md is old; ESPALIER_BLESS=1 cargo test writes it anew");
}
