//! Compares how many nodes published programs need for the same depth: `cargo run --example presets -- 6`.

use espalier::{Engine, Limits};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let depth = std::env::args().nth(1).map_or(Ok(6), |depth| depth.parse())?;
    for preset in ["FullWidth", "Turk", "TurkMC", "Crafty", "Modern"] {
        let mut engine = Engine::default();
        engine.set_option("Preset", preset)?;
        let outcome = engine.search(Limits::depth(depth));
        println!("{preset:>9}: {:>9} nodes", outcome.effort.nodes);
    }
    Ok(())
}
