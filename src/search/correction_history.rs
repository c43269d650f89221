//! How far static values have been off in positions like this one: correction history.
//!
//! No paper, but the practice of leading programs since Caissa (M. Witanowski, 2023): when the search of a
//! node disagrees with its static value, the difference is remembered under what the evaluation judges
//! most often wrongly, the pawn structure and the placement of either side's pieces, and under the last two moves,
//! and added to the static value of the next position that shares it.

use shakmaty::Color;

use super::history::gravity;
use super::prefetch::prefetch;
use crate::board::{Keys, Position};
use crate::depth::Depth;
use crate::score::Score;

const SIZE: usize = 1 << 14;
/// No entry grows beyond this.
const LIMIT: i32 = 1_024;
/// One search changes an entry by no more than this.
const MAX_STEP: i32 = LIMIT / 4;

type Errors = Box<[[i16; 2]; SIZE]>;

/// Errors of the static value, by the side to move, what was on the board and what led there.
pub(super) struct CorrectionHistory {
    pawns: Errors,
    pieces: [Errors; 2],
    moves: Errors,
}

impl Default for CorrectionHistory {
    fn default() -> Self {
        let errors = || Box::new([[0; 2]; SIZE]);
        Self { pawns: errors(), pieces: [errors(), errors()], moves: errors() }
    }
}

impl CorrectionHistory {
    /// Clears the history, for a new game.
    pub(super) fn clear(&mut self) {
        for errors in [&mut self.pawns, &mut self.moves].into_iter().chain(&mut self.pieces) {
            errors.as_flattened_mut().fill(0);
        }
    }

    /// Prefetches the entries of a position with these keys.
    #[inline]
    pub(super) fn prefetch(&self, keys: &Keys) {
        prefetch(&self.pawns[slot(keys.pawns)]);
        for (errors, key) in self.pieces.iter().zip(keys.pieces) {
            prefetch(&errors[slot(key)]);
        }
    }

    /// The correction of the static value in centipawns; a full entry is worth `most`.
    pub(super) fn of(&self, position: &Position, path: Option<u64>, most: i32) -> i32 {
        let side = position.turn() as usize;
        let error = |errors: &Errors, key: u64| i32::from(errors[slot(key)][side]);
        let pieces = |color: Color| error(&self.pieces[color as usize], position.piece_key(color));
        let moves = path.map_or(0, |path| error(&self.moves, path));
        let halves = 2 * (error(&self.pawns, position.pawn_key()) + moves);
        let sum = halves + pieces(Color::White) + pieces(Color::Black);
        sum * most / (2 * LIMIT)
    }

    /// Learns that a search of this depth found a value `above` the static one by so much.
    pub(super) fn update(&mut self, position: &Position, path: Option<u64>, above: i32, depth: Depth) {
        let points = (above * depth.whole().max(1) / 8).clamp(-MAX_STEP, MAX_STEP);
        let side = position.turn() as usize;
        gravity(&mut self.pawns[slot(position.pawn_key())][side], points, LIMIT);
        if let Some(path) = path {
            gravity(&mut self.moves[slot(path)][side], points, LIMIT);
        }
        for color in Color::ALL {
            let key = slot(position.piece_key(color));
            gravity(&mut self.pieces[color as usize][key][side], points, LIMIT);
        }
    }
}

/// A static value with its correction; [`Score::NONE`] stays.
pub(super) fn corrected(value: Score, by: i32) -> Score {
    if value == Score::NONE { value } else { (value + by).clamp_eval() }
}

fn slot(key: u64) -> usize {
    key as usize % SIZE
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: i32 = 48;

    #[test]
    fn errors_are_remembered_for_the_side_to_move_and_limited() {
        let position = Position::default();
        let mut correction = CorrectionHistory::default();
        assert_eq!(correction.of(&position, None, MOST), 0);
        correction.update(&position, None, 40, Depth::plies(8));
        let once = correction.of(&position, None, MOST);
        assert!(once > 0 && once < 40, "{once}");
        for _ in 0..1_000 {
            correction.update(&position, None, 3_000, Depth::plies(20));
        }
        assert_eq!(correction.of(&position, None, MOST), 2 * MOST);
        let reply = position.play(position.parse_move("g1f3").unwrap());
        assert_eq!(correction.of(&reply, None, MOST), 0, "the other side's values are its own");
    }

    #[test]
    fn a_position_that_shares_the_pawns_shares_their_part() {
        let position = Position::from_fen("4k3/pp6/8/8/8/8/PP6/R3K3 w - - 0 1", false).unwrap();
        let other = Position::from_fen("k7/pp6/8/8/8/8/PP6/4K2R w - - 0 1", false).unwrap();
        let mut correction = CorrectionHistory::default();
        correction.update(&position, None, 100, Depth::plies(10));
        assert!(
            correction.of(&other, None, MOST) > 0
                && correction.of(&other, None, MOST) < correction.of(&position, None, MOST)
        );
    }

    #[test]
    fn moves_that_led_here_have_a_part_of_their_own() {
        let position = Position::default();
        let mut correction = CorrectionHistory::default();
        correction.update(&position, Some(7), 100, Depth::plies(10));
        let (same, other) =
            (correction.of(&position, Some(7), MOST), correction.of(&position, Some(8), MOST));
        assert!(same > other && other == correction.of(&position, None, MOST));
    }

    #[test]
    fn no_static_value_stays_none() {
        assert_eq!(corrected(Score::NONE, 12), Score::NONE);
        assert_eq!(corrected(Score::cp(5), 12), Score::cp(17));
    }
}
