//! What the searcher keeps per ply: frames along the path, and the variations found.

use arrayvec::ArrayVec;
use shakmaty::Move;

use crate::position::PackedMove;
use crate::score::{MAX_PLY, Score};

/// One ply of the path from the root.
#[derive(Copy, Clone, Debug)]
pub struct Frame {
    /// The move being searched from here; none during a pass.
    pub played: PackedMove,
    /// A pass is being searched from here.
    pub passed: bool,
    /// Null-move cut-offs here must be verified.
    pub verify: bool,
    /// Static value of the position; [`Score::NONE`] in check.
    pub eval: Score,
    /// Quiet moves that cut at this ply before.
    pub killers: [PackedMove; 2],
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            played: PackedMove::NONE,
            passed: false,
            verify: false,
            eval: Score::NONE,
            killers: [PackedMove::NONE; 2],
        }
    }
}

impl Frame {
    /// Remembers a quiet move that cut.
    pub fn add_killer(&mut self, m: PackedMove) {
        if self.killers[0] != m {
            self.killers = [m, self.killers[0]];
        }
    }
}

/// The best variation from every ply of the path, in the usual triangle.
pub struct Variations {
    lines: Vec<ArrayVec<Move, MAX_PLY>>,
}

impl Default for Variations {
    fn default() -> Self {
        Self { lines: vec![ArrayVec::new(); MAX_PLY + 1] }
    }
}

impl Variations {
    /// Nothing is known from `ply` on.
    pub fn clear(&mut self, ply: usize) {
        self.lines[ply].clear();
    }

    /// The best variation at `ply` is `m` and what was found behind it.
    pub fn set(&mut self, ply: usize, m: Move) {
        let (here, below) = self.lines.split_at_mut(ply + 1);
        let line = &mut here[ply];
        line.clear();
        line.push(m);
        let room = line.remaining_capacity();
        line.extend(below.first().into_iter().flatten().take(room).copied());
    }

    /// The best variation at `ply`.
    pub fn get(&self, ply: usize) -> &[Move] {
        &self.lines[ply]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    #[test]
    fn killers_are_distinct_and_the_newest_first() {
        let mut frame = Frame::default();
        let [a, b] = [PackedMove::from_bits(1), PackedMove::from_bits(2)];
        for m in [a, b, b] {
            frame.add_killer(m);
        }
        assert_eq!(frame.killers, [b, a]);
    }

    #[test]
    fn a_variation_is_its_first_move_and_the_one_behind_it() {
        let mut variations = Variations::default();
        let legal = Position::default().legal_moves();
        variations.set(2, legal[2]);
        variations.set(1, legal[1]);
        variations.set(0, legal[0]);
        assert_eq!(variations.get(0), &legal[..3]);
        variations.clear(1);
        variations.set(0, legal[5]);
        assert_eq!(variations.get(0), [legal[5]]);
    }
}
