//! Analyses a position: `cargo run --example analyse -- "FEN" DEPTH`.

use espalier::board::san::san_list;
use espalier::{Engine, Game, Limits, Position};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let position = match arguments.next() {
        Some(fen) => Position::from_fen(&fen, false)?,
        None => Position::default(),
    };
    let depth = arguments.next().map_or(Ok(8), |depth| depth.parse())?;

    let mut engine = Engine::default();
    engine.set_option("Hash", "64")?;
    engine.set_option("MultiPV", "3")?;
    engine.set_game(Game::new(position.clone()));
    let outcome = engine.search(Limits::depth(depth));

    println!("{} nodes", outcome.effort.nodes);
    for line in &outcome.lines {
        println!("{:>6}  {}", line.score.raw(), san_list(&position, &line.moves[..1]));
    }
    Ok(())
}
