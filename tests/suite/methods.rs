//! Properties of the selective methods in the tree.

use crate::common::{engine, playouts};
use espalier::options::presets::Preset;
use espalier::options::{Kind, Options, research_rows};
use espalier::random::Random;
use espalier::{Engine, Game, Limits, Position, Score};

fn root_value(position: &Position, depth: i32, settings: &[(&str, &str)]) -> Score {
    let plain = [("Preset", "FullWidth"), ("HashCutoffs", "false")];
    let mut engine = engine(&[&plain, settings].concat());
    engine.set_game(Game::new(position.clone()));
    engine.search(Limits::depth(depth)).score().expect("the position has moves")
}

fn positions(count: usize, seed: u64) -> Vec<Position> {
    playouts(count, seed).into_iter().filter(|position| !position.legal_moves().is_empty()).collect()
}

#[test]
fn uncertainty_cut_offs_never_change_the_value_of_the_root() {
    let forms: &[&[(&str, &str)]] = &[
        &[("Uncertainty", "true"), ("UncertaintyRatio", "10")],
        &[("Uncertainty", "true"), ("UncertaintyRatio", "60")],
        &[("Uncertainty", "true"), ("UncertaintyRatio", "30"), ("UncertaintyRestricted", "true")],
        &[("Uncertainty", "true"), ("UncertaintyRatio", "20"), ("HashUse", "Two")],
    ];
    for (index, position) in positions(200, 11).iter().enumerate() {
        for depth in 2..=3 + i32::from(index % 4 == 0) {
            let expected = root_value(position, depth, &[]);
            for form in forms {
                let found = root_value(position, depth, form);
                assert_eq!(found, expected, "{form:?} at depth {depth}: {}", position.fen());
            }
        }
    }
}

#[test]
fn a_chain_of_moves_that_weigh_nothing_ends() {
    let mut settings: Vec<(&str, &str)> = vec![("Preset", "FullWidth"), ("Extensions", "true")];
    settings.extend(research_rows().filter(|row| row.name.starts_with("Weight")).map(|row| (row.name, "0")));
    // The queen can give check for ever.
    for fen in ["6k1/5ppp/8/8/8/8/q4PPP/2Q3K1 w - - 0 1", "7k/8/8/3Q4/8/8/1r6/K7 w - - 0 1"] {
        let mut engine = engine(&settings);
        engine.set_game(Game::new(Position::from_fen(fen, false).unwrap()));
        let outcome = engine.search(Limits::depth(3));
        assert_eq!(outcome.lines[0].depth, 3);
    }
}

/// Any value that a row takes.
fn random_value(kind: Kind, random: &mut Random) -> Option<String> {
    Some(match kind {
        Kind::Check(_) => (random.below(2) == 1).to_string(),
        Kind::Spin { min, max, .. } => match random.below(3) {
            0 => min.to_string(),
            1 => max.to_string(),
            _ => (min + random.below((max - min + 1) as usize) as i32).to_string(),
        },
        Kind::Combo { words, .. } => words[random.below(words.len())].to_owned(),
        Kind::Text(_) | Kind::Button => return None,
    })
}

/// An engine with every research row at random; about a third of the switches are on.
fn random_engine(random: &mut Random) -> (Engine, String) {
    let mut options = Options::default();
    options.set("Hash", "1").unwrap();
    for row in research_rows() {
        if let Some(value) = random_value(row.kind, random) {
            options.set(row.name, &value).unwrap();
        }
    }
    let text = research_rows().map(|row| format!("{}={} ", row.name, row.read(&options))).collect();
    (Engine::new(options), text)
}

#[test]
fn every_combination_of_settings_searches_legally_and_ends() {
    let mut random = Random::new(5);
    for position in positions(300, 12) {
        let (mut engine, text) = random_engine(&mut random);
        engine.set_game(Game::new(position.clone()));
        let outcome = engine.search(Limits { depth: Some(7), ..Limits::nodes(3_000) });
        assert!(outcome.panicked.is_none(), "{:?}: {} with {text}", outcome.panicked, position.fen());
        assert!(outcome.effort.nodes <= 3_000, "{}", outcome.effort.nodes);
        let mut replay = position.clone();
        assert!(!outcome.lines[0].moves.is_empty());
        for &m in &outcome.lines[0].moves {
            assert!(replay.legal_moves().contains(&m), "{m} in {} with {text}", position.fen());
            replay = replay.play(m);
        }
    }
}

/// Positions of random games in which the side to move can mate at once.
fn mates_in_one(wanted: usize) -> Vec<Position> {
    let mut found = Vec::new();
    for seed in 0.. {
        for position in playouts(200, 1000 + seed) {
            let mates = |m: &shakmaty::Move| {
                let after = position.play(*m);
                after.in_check() && after.legal_moves().is_empty()
            };
            if position.legal_moves().iter().any(mates) {
                found.push(position);
            }
        }
        if found.len() >= wanted {
            break;
        }
    }
    found
}

#[test]
fn no_combination_of_settings_misses_a_mate_in_one_at_depth_two() {
    let mut random = Random::new(6);
    for position in mates_in_one(60) {
        for _ in 0..3 {
            let (mut engine, text) = random_engine(&mut random);
            engine.set_game(Game::new(position.clone()));
            let outcome = engine.search(Limits::depth(2));
            let mate = outcome.score().and_then(|score| score.mate_in());
            assert_eq!(mate, Some(1), "{} with {text}", position.fen());
        }
    }
}

#[test]
fn every_preset_finds_a_mate() {
    for word in Preset::WORDS {
        let mut engine = engine(&[("Preset", word)]);
        let position = Position::from_fen("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", false).unwrap();
        engine.set_game(Game::new(position));
        let outcome = engine.search(Limits::depth(4));
        assert_eq!(outcome.score().and_then(|score| score.mate_in()), Some(1), "{word}");
    }
}

#[test]
fn a_damaged_table_is_refused_and_the_old_one_stays() {
    let directory = std::env::temp_dir().join(format!("espalier-tables-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("bad.bin");
    std::fs::write(&path, b"esprank\x02garbage").unwrap();
    let path = path.to_str().unwrap();
    let mut engine = engine(&[]);
    let before = engine.options().clone();
    for (name, says) in [("RankCutFile", "damaged"), ("ProbCutFile", "not a file of ProbCut parameters")] {
        let error = engine.set_option(name, path).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    assert!(
        engine.set_option("RankCutFile", "/no/such/file").unwrap_err().to_string().contains("/no/such/file")
    );
    assert_eq!(*engine.options(), before);
    std::fs::remove_dir_all(directory).unwrap();
}
