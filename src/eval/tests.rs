//! Properties of the whole evaluation.

use std::sync::Arc;

use shakmaty::{Board, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Position as _, Role};

use super::*;
use crate::random::Random;

/// Positions of every kind, so that each term is met.
const POSITIONS: [&str; 26] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8",
    "r2q1rk1/1b2bppp/p1nppn2/1p6/3NPP2/1BN1B3/PPPQ2PP/R4RK1 b - - 1 12",
    "2r3k1/1q1nbppp/r3p3/3pP3/pPpP4/P1Q2N2/2RN1PPP/2R4K b - b3 0 23",
    "6k1/5ppp/4p3/3pP3/3P1P2/2q3P1/6KP/1R1Q4 w - - 0 40",
    "8/5pk1/6p1/3P3p/1r5P/4RKP1/5P2/8 b - - 25 50",
    "8/2p3k1/1p1p4/pP1Pp1p1/P1P1P1P1/5K2/8/8 w - - 0 45",
    "8/P7/8/2k5/8/8/p4K2/8 w - - 0 1",
    "4k3/8/4b3/3p1p2/3P1P2/4B3/4K3/8 w - - 3 60",
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 9",
    "3rr1k1/pp3p1p/2p2QpB/8/8/1P4P1/P1q2P1P/3R2K1 w - - 0 25",
    "r4rk1/1pp1q1pp/p1n2p2/3Np3/2P1P1b1/3P1N2/PPQ2PPP/R4RK1 w - - 0 15",
    "5rk1/R4ppp/8/3N4/1p1bP3/1P1n1P2/6PP/3R3K b - - 6 28",
    "1k1r3r/ppp2pp1/2n1b3/q6p/3P3P/2PB1QP1/P4P2/1R2R1K1 w - - 1 21",
    "7k/1R4pp/8/8/8/8/6PP/r5K1 w - - 40 70",
    "8/8/3k4/8/2BN4/3K4/8/8 w - - 10 80",
    "8/8/3k4/8/2R5/3K4/8/8 b - - 10 80",
    "k7/8/8/8/8/4B3/P7/6K1 w - - 0 1",
    "8/8/4k3/3nn3/8/3K4/8/8 w - - 0 1",
    "8/8/4k3/3b4/8/2K1R3/8/8 b - - 0 1",
    "r1b2rk1/p1q2ppp/1pn1p3/2Pn4/3P4/P2Q1N2/1B3PPP/2R1R1K1 b - - 0 18",
    "Q7/8/8/8/3k4/8/8/K6q w - - 99 120",
    "rr4k1/8/8/PPP5/5ppp/8/8/1K4RR w - - 0 33",
    "2kr4/ppp5/2b5/8/8/5B2/5PPP/4R1K1 b - - 90 44",
    "q6k/qqqqqqqq/8/8/8/8/QQQQQQQQ/Q6K w - - 0 1",
    "r1bqkb1r/pp3ppp/2n2n2/1B1pp3/8/2N1PN2/PPPP1PPP/R1BQK2R w KQkq - 0 6",
];

fn at(fen: &str) -> Position {
    Position::from_fen(fen, false).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The positions above and those of random games.
fn many() -> Vec<Position> {
    let mut positions: Vec<Position> = POSITIONS.iter().map(|fen| at(fen)).collect();
    let mut random = Random::new(1);
    for game in 0..60 {
        let mut position = if game % 3 == 0 { at(POSITIONS[random.below(14)]) } else { Position::default() };
        for _ in 0..140 {
            let moves = position.legal_moves();
            if moves.is_empty() || position.is_dead() {
                break;
            }
            position = position.play(moves[random.below(moves.len())]);
            positions.push(position.clone());
        }
    }
    positions
}

/// Weights that all differ, so that no term can hide.
fn odd_weights() -> Weights {
    let mut weights = Weights::default();
    let mut random = Random::new(2);
    for pair in weights.values_mut() {
        *pair += Pair::new(random.below(9) as i32 - 4, random.below(9) as i32 - 4);
    }
    weights
}

#[test]
fn colours_are_treated_alike() {
    for weights in [Weights::default(), odd_weights()] {
        let mut evaluator = Evaluator::new(Arc::new(weights));
        for position in many() {
            let other = position.flipped().expect("the flipped position is legal");
            assert_eq!(evaluator.evaluate(&position), evaluator.evaluate(&other), "{}", position.fen());
        }
    }
}

#[test]
fn the_explanation_adds_up() {
    let weights = odd_weights();
    let mut evaluator = Evaluator::new(Arc::new(weights.clone()));
    for position in many() {
        let explanation = explain(&position, &weights);
        assert_eq!(explanation.total(), evaluator.evaluate(&position), "{}", position.fen());
        let sum = explanation.rows.iter().fold(Pair::ZERO, |sum, row| sum + row.white - row.black);
        let blend = sum.mg() * explanation.phase + sum.eg() * (PHASE_MAX - explanation.phase);
        let value = blend * explanation.scale / (PHASE_MAX * SCALE_MAX) + explanation.knowledge;
        let value = value * explanation.damping / SCALE_MAX;
        assert_eq!(value, explanation.white, "{}\n{explanation}", position.fen());
    }
}

#[test]
fn the_explanation_reads_well() {
    let text = explain(&at(POSITIONS[10]), &Weights::default()).to_string();
    for word in ["material", "mobility-queen", "king-danger", "phase 15 of 24", "for White"] {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
    let widths: Vec<usize> = text.lines().skip(1).take(10).map(str::len).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{text}");
}

#[test]
fn coefficients_times_weights_give_the_value() {
    let weights = odd_weights();
    let mut evaluator = Evaluator::new(Arc::new(weights.clone()));
    for position in many() {
        let coefficients = trace(&position, &weights);
        let white = position.turn().fold_wb(1.0, -1.0) * f64::from(evaluator.evaluate(&position).raw());
        let value = coefficients.value(&weights);
        // Each of the divisions may round.
        assert!((value - white).abs() < 4.0, "{} {value} {white}", position.fen());
    }
}

#[test]
fn the_pawn_table_changes_nothing() {
    let mut warm = Evaluator::default();
    let positions = many();
    for position in &positions {
        warm.evaluate(position);
    }
    let mut cold = Evaluator::default();
    for position in &positions {
        cold.clear();
        assert_eq!(warm.evaluate(position), cold.evaluate(position), "{}", position.fen());
    }
}

#[test]
fn every_weight_is_used_somewhere() {
    let weights = Weights::default();
    let mut used = [false; COUNT];
    for position in many() {
        for count in trace(&position, &weights).counts {
            used[usize::from(count.index)] = true;
        }
    }
    for (group, _) in weights.groups() {
        assert!(used[group.start..group.start + group.len].contains(&true), "nothing uses {}", group.name);
    }
}

#[test]
fn known_draws_are_worth_nothing_much() {
    let mut evaluator = Evaluator::default();
    for fen in [
        "8/8/4k3/8/3NN3/3K4/8/8 b - - 0 1",
        "8/8/4k3/8/3B4/3K4/8/8 w - - 0 1",
        "8/8/4k3/8/3B1B2/3K4/8/8 w - - 0 1",
        "k7/8/8/8/8/5B2/8/6K1 b - - 0 1",
        "k7/8/8/P7/P7/8/7B/6K1 b - - 0 1",
        "k7/8/8/P7/8/4B3/8/6K1 w - - 0 1",
        "1k6/8/P7/P7/8/8/8/6K1 w - - 0 1",
        "8/8/4k3/3b4/8/2K1R3/8/8 b - - 0 1",
        "8/8/4k3/3n4/8/3K1R2/8/8 b - - 0 1",
        "8/8/3rk3/8/8/2K1R3/3B4/8 b - - 0 1",
        "8/8/4k3/4p3/8/3KB3/8/8 w - - 0 1",
    ] {
        let value = evaluator.evaluate(&at(fen)).raw();
        // Rook and bishop against a rook, which few know how to hold, have the most.
        assert!(value.abs() <= 75, "{fen}: {value}");
    }
    let right = evaluator.evaluate(&at("1k6/8/8/P7/P7/8/4B3/6K1 w - - 0 1")).raw();
    assert!(right > 300, "the right bishop wins: {right}");
}

#[test]
fn opposite_bishops_are_drawish() {
    let mut evaluator = Evaluator::default();
    let opposite = evaluator.evaluate(&at("4k3/4b3/8/8/3P4/4K3/4B3/8 w - - 0 1")).raw();
    let same = evaluator.evaluate(&at("4k3/3b4/8/8/3P4/4K3/4B3/8 w - - 0 1")).raw();
    assert!(opposite < same, "{opposite} {same}");
}

#[test]
fn a_bare_king_is_driven_to_the_edge_and_to_the_right_corner() {
    let mut evaluator = Evaluator::default();
    let mut value = |fen: &str| evaluator.evaluate(&at(fen)).raw();
    let centre = value("8/8/8/3k4/8/3K4/3R4/8 w - - 0 1");
    let edge = value("3k4/8/3K4/8/8/8/3R4/8 w - - 0 1");
    assert!(edge > centre + 50 && centre > 500, "{edge} {centre}");
    // The bishop on f3 rules the light corners a8 and h1.
    let right = value("k7/8/1K6/3N4/8/5B2/8/8 w - - 0 1");
    let wrong = value("7k/8/6K1/4N3/8/5B2/8/8 w - - 0 1");
    assert!(right > wrong + 100, "{right} {wrong}");
}

#[test]
fn a_lone_pawn_is_judged_exactly() {
    let mut evaluator = Evaluator::default();
    let won = evaluator.evaluate(&at("8/8/8/8/1k6/8/7P/K7 w - - 0 1")).raw();
    let drawn = evaluator.evaluate(&at("8/8/4k3/8/4K3/4P3/8/8 w - - 0 1")).raw();
    assert!(won > 200 && drawn == 0, "{won} {drawn}");
}

#[test]
fn more_is_better() {
    let mut evaluator = Evaluator::default();
    let start = Position::default();
    for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        let mut setup = start.chess().to_setup(EnPassantMode::Legal);
        let gone = (setup.board.by_role(role) & setup.board.by_color(Color::Black)).first().unwrap();
        setup.board.discard_piece_at(gone);
        setup.castling_rights = shakmaty::Bitboard::EMPTY;
        let position = Position::new(Chess::from_setup(setup, CastlingMode::Standard).unwrap());
        let value = evaluator.evaluate(&position).raw();
        // A rook's pawn at the beginning is worth the least: it opens a file for the rook.
        assert!(value > 30, "{role:?}: {value}");
    }
    let tempo = evaluator.evaluate(&start).raw();
    assert!((1..60).contains(&tempo), "{tempo}");
    assert_eq!(Board::default(), *start.board());
}

#[test]
fn the_fifty_move_rule_damps() {
    let mut evaluator = Evaluator::default();
    let fresh = evaluator.evaluate(&at("7k/1R4pp/8/8/8/8/6PP/6K1 w - - 0 70")).raw();
    let stale = evaluator.evaluate(&at("7k/1R4pp/8/8/8/8/6PP/6K1 w - - 90 115")).raw();
    assert!(0 < stale && stale < fresh, "{stale} {fresh}");
}

/// How long an evaluation takes on middle-game positions one move apart, as a search meets them; run with
/// `cargo test --release --lib eval::tests::speed -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    let middle_games = POSITIONS.iter().map(|fen| at(fen)).filter(|p| p.board().occupied().count() > 20);
    let positions: Vec<Position> = middle_games
        .flat_map(|position| position.legal_moves().into_iter().map(move |m| position.play(m)))
        .collect();
    let mut evaluator = Evaluator::default();
    let best = (0..200).map(|_| {
        let start = std::time::Instant::now();
        for position in &positions {
            std::hint::black_box(evaluator.evaluate(std::hint::black_box(position)));
        }
        start.elapsed()
    });
    let best = best.min().unwrap_or_default().as_nanos() as usize / positions.len();
    println!("{} positions, {best} ns an evaluation", positions.len());
}
