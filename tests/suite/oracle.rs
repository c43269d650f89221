//! All algorithms find the same value when nothing selective is on: the strongest test a search can have.



use crate::common::{Rng, engine, playouts};
use espalier::{Game, Limits, Position, Score};

/// Nothing that depends on what was searched before, and nothing that prunes.
const PLAIN: &[(&str, &str)] = &[("NullMove", "false"), ("HashCutoffs", "false")];

fn value(position: &Position, depth: i32, settings: &[(&str, &str)]) -> (Score, u64) {
    let mut engine = engine(&[PLAIN, settings].concat());
    engine.set_game(Game::new(position.clone()));
    let outcome = engine.search(Limits::depth(depth));
    (outcome.score().expect("the position has moves"), outcome.effort.nodes)
}

/// Positions from random games: openings, middle games, endgames, also absurd ones.
fn positions(count: usize, seed: u64) -> Vec<Position> {
    playouts(count, seed).into_iter().filter(|position| !position.legal_moves().is_empty()).collect()
}

#[test]
fn all_algorithms_find_the_value_of_minimax() {
    let mut checked = 0;
    for position in positions(300, 1) {
        // Plain minimax looks at everything: go only as deep as the number of moves allows.
        let moves = position.legal_moves().len() as u64;
        for depth in (1..=5).take_while(|&depth| depth == 1 || moves.pow(depth as u32) < 6_000) {
            let (expected, minimax_nodes) = value(&position, depth, &[("Algorithm", "Minimax")]);
            for algorithm in ["AlphaBeta", "PVS", "MTD(f)"] {
                let (found, nodes) = value(&position, depth, &[("Algorithm", algorithm)]);
                assert_eq!(found, expected, "{algorithm} at depth {depth}: {}", position.fen());
                assert!(algorithm == "MTD(f)" || depth < 3 || nodes <= minimax_nodes);
            }
            checked += 1;
        }
    }
    assert!(checked > 600, "only {checked} comparisons");
}

#[test]
fn no_enhancement_changes_the_value() {
    let variants: &[&[(&str, &str)]] = &[
        &[("IterativeDeepening", "false")],
        &[("HashUse", "Off")],
        &[("HashUse", "Two")],
        &[("Killers", "false")],
        &[("History", "false")],
        &[("HistoryWeight", "Power")],
        &[("CounterMoves", "false")],
        &[("Aspiration", "false")],
        &[("AspirationWindow", "1")],
        &[("InternalDeepening", "false")],
        &[("Algorithm", "MTD(f)"), ("MTDStep", "50")],
        &[("Algorithm", "AlphaBeta"), ("AspirationWindow", "3"), ("HashUse", "Off")],
    ];
    for position in positions(40, 2) {
        for depth in [3, 4] {
            let (expected, _) = value(&position, depth, &[]);
            for variant in variants {
                let (found, _) = value(&position, depth, variant);
                assert_eq!(found, expected, "{variant:?} at depth {depth}: {}", position.fen());
            }
        }
    }
}

#[test]
fn the_static_horizon_is_a_value_too() {
    for position in positions(100, 3) {
        let still = [("Quiescence", "false"), ("Algorithm", "Minimax")];
        let (expected, _) = value(&position, 2, &still);
        let (found, _) = value(&position, 2, &[("Quiescence", "false")]);
        assert_eq!(found, expected, "{}", position.fen());
    }
}

#[test]
fn random_numbers_are_random_enough_to_give_different_games() {
    let mut rng = Rng::new(7);
    let (a, b) = (rng.below(1_000), rng.below(1_000));
    assert_ne!(a, b);
    let fens: std::collections::HashSet<String> = positions(300, 1).iter().map(Position::fen).collect();
    assert!(fens.len() > 280, "only {} different positions", fens.len());
}
