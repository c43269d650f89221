//! Forced mates: found, of the right length, with the whole line.

use crate::common::{engine, lines};
use espalier::{Game, Limits, Position};

struct Problem {
    position: Position,
    moves: i32,
    id: String,
}

/// The problems of a mate in `moves`. Three of the file's are known to be wrong and left out.
fn problems(moves: i32) -> Vec<Problem> {
    const WRONG: [&str; 3] = ["M4.013", "M4.029", "M4.280"];
    lines("mates.epd")
        .iter()
        .filter(|line| line.contains(&format!("dm {moves};")) && !WRONG.iter().any(|id| line.contains(id)))
        .map(|line| {
            let (fen, rest) = line.split_once(" bm ").expect("an EPD with a best move");
            let id = rest.split('"').nth(1).unwrap_or_default().to_owned();
            Problem { position: Position::from_fen(fen, false).expect(fen), moves, id }
        })
        .collect()
}

fn check(problem: &Problem, limits: Limits) {
    let mut engine = engine(&[("Hash", "16")]);
    engine.set_game(Game::new(problem.position.clone()));
    let outcome = engine.search(limits);
    let line = &outcome.lines[0];
    assert_eq!(line.score.mate_in(), Some(problem.moves), "{}: {}", problem.id, line.score);
    assert_eq!(line.moves.len() as i32, 2 * problem.moves - 1, "{}", problem.id);
    let mut position = problem.position.clone();
    for &m in &line.moves {
        assert!(position.legal_moves().contains(&m), "{}", problem.id);
        position = position.play(m);
    }
    assert!(position.in_check() && position.legal_moves().is_empty(), "{}", problem.id);
}

#[test]
fn go_mate_finds_every_mate_in_two() {
    let problems = problems(2);
    assert!(problems.len() > 150);
    for problem in &problems {
        check(problem, Limits { mate: Some(2), ..Limits::default() });
    }
}

#[test]
fn go_mate_finds_mates_in_three() {
    for problem in problems(3).iter().step_by(8) {
        check(problem, Limits { mate: Some(3), ..Limits::default() });
    }
}

#[test]
fn the_default_search_finds_mates_too() {
    for problem in problems(2).iter().step_by(4) {
        check(problem, Limits::nodes(200_000));
    }
}

#[test]
fn a_mate_that_is_not_there_is_not_claimed() {
    let mut engine = engine(&[]);
    let outcome = engine.search(Limits { mate: Some(2), ..Limits::default() });
    assert_eq!(outcome.score().and_then(|score| score.mate_in()), None);
    assert_eq!(outcome.lines[0].depth, 3, "a mate in two is disproved at depth three");
}

// Tapering and N-best search only some replies; a mate is one only if none was left out. Nobody is mated here.
#[test]
fn replies_that_are_left_out_make_no_mate() {
    for fen in [
        "r1b2rk1/pp1n2pp/1q1bp3/3p1p2/6nN/1P1P2P1/PBQNPPBP/R3K2R w KQ - 2 4",
        "r1b1kn2/1pq2ppp/p7/4p3/4P1n1/P1N3P1/1PPQ1PBP/3RK1R1 b - - 1 20",
        "4nk2/p4pp1/7p/2b5/3Q2b1/1BN3P1/P1r2PKP/1R6 w - - 7 32",
        "3r2k1/pq1n1p2/1p1R2pQ/2p5/8/PbN1P1P1/1P3P1P/1B4K1 w - - 0 40",
    ] {
        for settings in [&[("Preset", "Winston")][..], &[("Preset", "Mulan"), ("NBest", "true")]] {
            let mut engine = engine(settings);
            engine.set_game(Game::new(Position::from_fen(fen, false).unwrap()));
            let outcome = engine.search(Limits::depth(2));
            assert_eq!(outcome.score().and_then(|score| score.mate_in()), None, "{settings:?} in {fen}");
        }
    }
}

// A search that is stopped when its first move has been seen to lose does not know yet that all do.
#[test]
fn a_search_that_is_cut_short_claims_no_mate_against_itself() {
    let fen = "4bnk1/p3Qpp1/1q2p2p/4P3/1n2R3/5P2/P5PP/3r2NK w - - 6 42";
    let position = Position::from_fen(fen, false).unwrap();
    for preset in ["Winston", "Modern", "FullWidth"] {
        let mut engine = engine(&[("Preset", preset)]);
        for nodes in (1..20).chain((20..400).step_by(20)) {
            engine.new_game();
            engine.set_game(Game::new(position.clone()));
            let outcome = engine.search(Limits::nodes(nodes));
            let mate = outcome.score().and_then(|score| score.mate_in());
            assert!(mate.is_none_or(|moves| moves < -1), "{preset}, {nodes} nodes: {mate:?}");
        }
    }
}

#[test]
fn a_quiet_mate_behind_the_horizon_is_seen_with_checks_there() {
    // The rook may not take: it guards the back rank.
    let position = Position::from_fen("4r1k1/5ppp/8/p7/8/8/5PPP/R5K1 w - - 0 1", false).unwrap();
    for (checks, takes) in [("false", true), ("true", false)] {
        let mut engine = engine(&[("Preset", "FullWidth"), ("QuiescenceChecks", checks)]);
        engine.set_game(Game::new(position.clone()));
        let best = engine.search(Limits::depth(1)).lines[0].moves[0];
        assert_eq!(best.is_capture(), takes, "{best}");
    }
}
