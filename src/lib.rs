//! Espalier: a UCI chess engine and a laboratory of selective game-tree search.
pub mod depth;
pub mod position;
pub mod score;

pub use depth::Depth;
pub use position::{Game, PackedMove, Position};
pub use score::{Bound, MAX_PLY, Score, Window};
