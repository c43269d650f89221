//! The same question after a new game has the same answer and costs the same nodes.

use crate::common::engine;
use espalier::{Engine, Game, Limits, Position};

fn ask(engine: &mut Engine, limits: Limits) -> (u64, Option<shakmaty::Move>, Vec<shakmaty::Move>) {
    let fen = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9";
    engine.set_game(Game::new(Position::from_fen(fen, false).unwrap()));
    let outcome = engine.search(limits);
    (outcome.effort.nodes, outcome.best_move(), outcome.lines[0].moves.clone())
}

#[test]
fn after_a_new_game_nothing_is_left_of_the_last() {
    let mut engine = engine(&[("Hash", "4")]);
    for step in 1..=20 {
        let limits = Limits::nodes(step * 997);
        engine.new_game();
        let first = ask(&mut engine, limits.clone());
        engine.new_game();
        engine.search(Limits::nodes(3_000 + step));
        engine.new_game();
        assert_eq!(ask(&mut engine, limits), first);
    }
}

#[test]
fn clearing_the_hash_forgets_as_much_as_a_new_game() {
    let mut engine = engine(&[]);
    let first = ask(&mut engine, Limits::depth(7));
    assert_ne!(ask(&mut engine, Limits::depth(7)).0, first.0, "the table should have helped");
    engine.set_option("Clear Hash", "").unwrap();
    assert_eq!(ask(&mut engine, Limits::depth(7)), first);
}
