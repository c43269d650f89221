//! All algorithms find the same value when nothing selective is on: the strongest test a search can have.

use crate::common::{engine, playouts};
use espalier::{Engine, Game, Limits, Position, Score};

/// Nothing that depends on what was searched before, and nothing that prunes.
const PLAIN: &[(&str, &str)] = &[("Preset", "FullWidth"), ("HashCutoffs", "false")];

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

/// Compares all algorithms with minimax, which looks at everything: only as deep as `most` paths allow.
fn compare_with_minimax(position: &Position, most: u64, settings: &[(&str, &str)]) -> usize {
    let moves = position.legal_moves().len() as u64;
    let depths = (1..=5).take_while(|&depth| depth == 1 || moves.pow(depth as u32) < most);
    depths
        .map(|depth| {
            let with = |algorithm| value(position, depth, &[settings, &[("Algorithm", algorithm)]].concat());
            let (expected, minimax_nodes) = with("Minimax");
            for algorithm in ["AlphaBeta", "PVS", "MTD(f)"] {
                let (found, nodes) = with(algorithm);
                assert_eq!(found, expected, "{algorithm} at depth {depth}: {}", position.fen());
                assert!(algorithm == "MTD(f)" || depth < 3 || nodes <= minimax_nodes);
            }
        })
        .count()
}

#[test]
fn all_algorithms_find_the_value_of_minimax() {
    let compared: usize = positions(300, 1)
        .iter()
        .map(|position| compare_with_minimax(position, 12_000, &[("Quiescence", "false")]))
        .sum();
    assert!(compared > 600, "only {compared} comparisons");
}

#[test]
fn all_algorithms_find_the_value_of_minimax_with_quiescence() {
    // Minimax has no window, so a wild position can keep its quiescence search busy for minutes; these have none.
    for position in positions(100, 5) {
        compare_with_minimax(&position, 150, &[]);
    }
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

/// Black's rook mates on the first rank as soon as White's has left it to win a pawn. A search of Black's move before
/// sees that capture one ply later in quiescence search, where quiet checks are searched no more.
#[test]
fn what_was_searched_without_checks_does_not_answer_for_a_search_with_them() {
    let with_checks: &[(&str, &str)] =
        &[("Preset", "FullWidth"), ("QuiescenceChecks", "true"), ("Algorithm", "MTD(f)")];
    let before = Position::from_fen("2r3k1/1p3pp1/7p/8/8/8/5PPP/1R4K1 b - - 0 1", false).unwrap();
    let waits = before.parse_move("g8f8").unwrap();
    let after = before.play(waits);
    let value = |engine: &mut Engine, position: &Position, search_moves| {
        engine.set_game(Game::new(position.clone()));
        engine.search(Limits { search_moves, ..Limits::depth(1) }).score()
    };
    let alone = value(&mut engine(with_checks), &after, Vec::new());
    let mut used = engine(with_checks);
    value(&mut used, &before, vec![waits]);
    assert_eq!(value(&mut used, &after, Vec::new()), alone);
}

#[test]
fn random_games_differ() {
    let fens: std::collections::HashSet<String> = positions(300, 1).iter().map(Position::fen).collect();
    assert!(fens.len() > 280, "only {} different positions", fens.len());
}
