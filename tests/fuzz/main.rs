//! The fuzz targets of `fuzz/` on stable Rust: over their seeds and thousands of mutations of them, the same on every run.
//!
//! `ESPALIER_FUZZ=100000 cargo test --test fuzz` makes so many mutations of each target instead of the usual number, and
//! `ESPALIER_FUZZ_SEED=7` others. Seeds that a program writes (tables, networks, trees, games) are made here;
//! `ESPALIER_BLESS=1` writes them to `fuzz/corpus-generated` for cargo-fuzz.

#[path = "../../fuzz/targets.rs"]
mod targets;

mod mutate;
mod seeds;

use std::panic::{AssertUnwindSafe, catch_unwind};

use espalier::random::Random;
use mutate::mutate;

/// A number from the environment.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs a target over its seeds and `count` mutations of them. An input that it does not survive is shown.
fn fuzz(name: &str, target: fn(&[u8]), count: u64) {
    let seeds = seeds::of(name);
    assert!(!seeds.is_empty(), "{name} has no seeds");
    let survive = |bytes: &[u8], which: &str| {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(bytes))) {
            println!("{name}, {which}, does not survive {} bytes:\n{}", bytes.len(), bytes.escape_ascii());
            std::panic::resume_unwind(panic);
        }
    };
    for (index, seed) in seeds.iter().enumerate() {
        survive(seed, &format!("seed {index}"));
    }
    let begin = number("ESPALIER_FUZZ_SEED").unwrap_or(0);
    for index in 0..number("ESPALIER_FUZZ").unwrap_or(count) {
        let mut random = Random::split(begin, index);
        survive(&mutate(&seeds, &mut random), &format!("mutation {index} of seed {begin}"));
    }
}

macro_rules! targets {
    ($($name:ident $count:literal)+) => {
        $(#[test]
        fn $name() {
            fuzz(stringify!($name), targets::$name, $count);
        })+

        #[test]
        fn every_target_has_a_program_for_cargo_fuzz() {
            let manifest = include_str!("../../fuzz/Cargo.toml");
            let programs: Vec<&str> = manifest.split("name = \"").skip(2).filter_map(|rest| rest.split('"').next()).collect();
            assert_eq!(programs, [$(stringify!($name)),+]);
        }
    };
}

targets! {
    uci_line 20000
    engine_line 20000
    position 6000
    epd_line 10000
    pgn 6000
    settings 1500
    weights 3000
    tables 4000
    network 1000
    tree 1500
    games 6000
    match_games 6000
    trace 3000
    book 6000
}
