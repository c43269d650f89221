//! Adding a method: the one of `selective/example.rs` is in `methods!` in tests only and is named nowhere else. These
//! tests show that it appears wherever methods are listed.

use crate::cli::options_page;
use crate::lab::experiments::{ablation, methods};
use crate::learn::spsa::rows;
use crate::options::{self, Options};
use crate::search::Outcome;
use crate::search::event::Event;
use crate::search::observer::{Observer, Tally};
use crate::selective::Id;
use crate::tree::{legend, marks};

/// Options with nothing but the example.
fn alone() -> Options {
    let mut options = Options::default();
    options.set("Preset", "FullWidth").unwrap();
    options.set("Example", "true").unwrap();
    options
}

#[test]
fn its_options_are_in_the_table_and_in_the_documents() {
    assert_eq!(Options::default().selective.example.margin, 120);
    assert_eq!(
        options::row("examplemargin").map(|row| row.read(&Options::default())),
        Some("120".to_owned())
    );
    let groups = options::groups();
    let group = groups.iter().find(|group| group.name == "example").unwrap();
    assert_eq!(group.rows.iter().map(|row| row.name).collect::<Vec<_>>(), ["Example", "ExampleMargin"]);
    assert!(options_page().contains("| `ExampleMargin` | a whole number from 0 to 500 | `120` | `100` |"));
}

#[test]
fn presets_of_papers_use_its_published_value_and_switch_it_off() {
    let mut options = Options::default();
    options.set("Example", "true").unwrap();
    options.set("Preset", "Turk").unwrap();
    assert!(!options.selective.example.on && options.selective.example.margin == 100);
}

#[test]
fn the_search_knows_that_it_is_on_and_what_it_needs() {
    let rules = alone().rules(false);
    assert!(!rules.full_width && rules.eval_from < crate::depth::Depth::PLY && !rules.judges_moves);
    assert!(alone().rules(true).full_width);
}

#[test]
fn statistics_count_it_by_name() {
    let mut tally = Tally::default();
    tally.on(&Event::Act { method: Id::Example });
    let outcome = Outcome { counts: tally.counts(), ..Outcome::default() };
    let json = serde_json::to_string(&outcome.statistics()).unwrap();
    assert!(json.contains(r#""method":"Example""#), "{json}");
}

#[test]
fn trees_mark_it_and_the_legend_explains_it() {
    assert_eq!(marks::bit(Id::Example), 1024);
    assert!(marks::ALL.iter().any(|mark| mark.name == "example-acted"));
    assert!(legend::legend().to_string().contains("the example acted"));
}

#[test]
fn experiments_and_tuners_find_it() {
    let lines = methods::alone();
    assert!(lines.contains(&("example", vec!["Example=true".to_owned()])));
    let twice = vec!["Example=true".to_owned(), "ExampleMargin=200".to_owned()];
    assert!(lines.contains(&("example, twice", twice)));
    assert!(ablation::switches(&alone()).contains(&"Example"));
    let numbers = rows::parameters(&["Example".to_owned()], &alone()).unwrap();
    assert_eq!(numbers[0].name, "ExampleMargin");
}
