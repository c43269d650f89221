//! Espalier: a UCI chess engine and a laboratory of selective game-tree search.
pub mod bench;
pub mod cli;
pub mod depth;
pub mod engine;
pub mod eval;
pub mod limits;
pub mod options;
pub mod perft;
pub mod position;
pub mod score;
pub mod search;
pub mod see;
pub mod selective;
pub mod uci;

pub use depth::Depth;
pub use engine::Engine;
pub use limits::Limits;
pub use options::Options;
pub use position::{Game, PackedMove, Position};
pub use score::{Bound, MAX_PLY, Score, Window};
pub use search::Outcome;
