//! A number guards every change: nodes of a fixed search, by default, with everything off, and with every
//! row of the search moved alone.
//!
//! When a change is meant to change the tree, run the tests with `ESPALIER_BLESS=1` and commit the new file
//! with it. A row that changes no signature fails the build: an option that nothing reads is a lie.

use std::fmt::Write;

use crate::common::{engine, file};
use espalier::options::{Kind, Row};
use espalier::search::ROWS;
use espalier::selective::METHODS;
use espalier::{Game, Limits, bench};

const DEPTH: i32 = 6;

fn research_rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().chain(METHODS.iter().flat_map(|method| method.rows))
}

/// Values of a row that should change the tree.
fn values(row: &Row) -> Vec<String> {
    match row.kind {
        Kind::Check(default) => vec![(!default).to_string()],
        Kind::Spin { default, min, max, .. } => {
            [min, max].into_iter().filter(|value| *value != default).map(|value| value.to_string()).collect()
        }
        Kind::Combo { default, words } => {
            words.iter().filter(|word| **word != default).map(|word| (*word).to_owned()).collect()
        }
        Kind::Text(_) | Kind::Button => Vec::new(),
    }
}

/// Settings without which a row has no say.
fn needs(row: &Row) -> &'static [(&'static str, &'static str)] {
    match row.name {
        "MTDStep" => &[("Algorithm", "MTD(f)")],
        "NullMoveAdaptive" => &[("NullMoveDeep", "3")],
        "InternalDeepening" => &[("IterativeDeepening", "false")],
        _ => &[],
    }
}

/// Everything that a switch can turn off, off.
const PLAIN: &[(&str, &str)] = &[
    ("NullMove", "false"),
    ("HashUse", "Off"),
    ("Killers", "false"),
    ("History", "false"),
    ("CounterMoves", "false"),
    ("Aspiration", "false"),
    ("InternalDeepening", "false"),
];

/// Nodes over some of the bench positions. Minimax sees everything, so it gets less depth.
fn signature(settings: &[(&str, &str)]) -> u64 {
    let slow = settings.iter().any(|setting| setting.1 == "Minimax");
    let depth = if slow { 2 } else { DEPTH };
    let mut engine = engine(settings);
    bench::positions()
        .into_iter()
        .step_by(3)
        .map(|position| {
            engine.new_game();
            engine.set_game(Game::new(position));
            engine.search(Limits::depth(depth)).effort.nodes
        })
        .sum()
}

#[test]
fn signatures_are_as_recorded_and_every_row_has_one_of_its_own() {
    let default = signature(&[]);
    let mut found = format!("default {default}\nplain {}\n", signature(PLAIN));
    for row in research_rows() {
        let base = if needs(row).is_empty() { default } else { signature(needs(row)) };
        let mut changes = false;
        for value in values(row) {
            let mut settings = needs(row).to_vec();
            settings.push((row.name, &value));
            let nodes = signature(&settings);
            changes |= nodes != base;
            let _ = writeln!(found, "{}={value} {nodes}", row.name);
        }
        assert!(changes, "{} changes nothing in the tree", row.name);
    }
    let path = file("tests/signatures.txt");
    if std::env::var_os("ESPALIER_BLESS").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        recorded == found,
        "signatures changed; if that is meant, ESPALIER_BLESS=1 records them:\n{found}"
    );
}
