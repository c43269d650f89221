//! What several test targets share.

use std::path::PathBuf;

use espalier::random::Random;
use espalier::{Engine, Options, Position};

/// The last positions of `count` random games of random length.
pub fn playouts(count: usize, seed: u64) -> Vec<Position> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|_| {
            let mut position = Position::default();
            for _ in 0..random.below(160) {
                let moves = position.legal_moves();
                if moves.is_empty() || position.halfmoves() >= 80 {
                    break;
                }
                position = position.play(*random.pick(&moves));
            }
            position
        })
        .collect()
}

/// An engine with a small table and these options.
pub fn engine(settings: &[(&str, &str)]) -> Engine {
    let mut options = Options::default();
    options.set("Hash", "1").unwrap();
    for (name, value) in settings {
        options.set(name, value).unwrap_or_else(|error| panic!("{error}"));
    }
    Engine::new(options)
}

/// A file of the repository.
pub fn file(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The lines of a file in `epd/`.
pub fn lines(name: &str) -> Vec<String> {
    let path = file("epd").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(str::to_owned).filter(|line| !line.trim().is_empty()).collect()
}

/// A larger data file that may stand beside the checkout; says so if it does not.
pub fn shared_lines(name: &str) -> Option<Vec<String>> {
    let path = file("../shared/epd").join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text.lines().map(str::to_owned).collect()),
        Err(_) => {
            eprintln!("skipped: {} is not there", path.display());
            None
        }
    }
}
