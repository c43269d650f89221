//! Which quiet moves have been good elsewhere: the history heuristic and its relatives.
//!
//! J. Schaeffer, "The History Heuristic and Alpha-Beta Search Enhancements in Practice", IEEE PAMI 11(11),
//! 1989; S. G. Akl and M. M. Newborn, "The Principal Continuation and the Killer Heuristic", 1977.

use shakmaty::{Color, Move, Square};

use crate::choice;
use crate::depth::Depth;
use crate::position::PackedMove;

choice! {
    /// What a cut-off at depth d adds to a move's history.
    HistoryWeight {
        /// Sixteen times d squared.
        Square = "Square",
        /// Two to the power of d, as in Mulan, up to the same limit.
        Power = "Power",
    }
}

impl HistoryWeight {
    fn bonus(self, depth: Depth) -> i32 {
        let plies = depth.whole().max(1);
        match self {
            Self::Square => (16 * plies * plies).min(MAX_BONUS),
            Self::Power => (1 << plies.min(20)).min(MAX_BONUS),
        }
    }
}

const MAX_BONUS: i32 = 1_600;
const LIMIT: i32 = 16_384;

/// Tables one thread keeps between its searches.
pub struct History {
    quiet: Box<[[[i16; 64]; 64]; 2]>,
    counter: Box<[[PackedMove; 64]; 64]>,
}

impl Default for History {
    fn default() -> Self {
        Self { quiet: Box::new([[[0; 64]; 64]; 2]), counter: Box::new([[PackedMove::NONE; 64]; 64]) }
    }
}

impl History {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Halves everything: what was learned for the last move counts less for the next.
    pub fn age(&mut self) {
        for value in self.quiet.iter_mut().flatten().flatten() {
            *value /= 2;
        }
    }

    /// How good a quiet move has been.
    pub fn quiet(&self, side: Color, m: Move) -> i32 {
        let (from, to) = squares(m);
        i32::from(self.quiet[side as usize][from][to])
    }

    /// The quiet move that refuted `previous` last time.
    pub fn counter(&self, previous: PackedMove) -> PackedMove {
        previous
            .squares()
            .map_or(PackedMove::NONE, |(from, to)| self.counter[Square::to_usize(from)][Square::to_usize(to)])
    }

    /// `best` cut at `depth`, the moves in `tried` did not.
    pub fn reward(&mut self, side: Color, best: Move, tried: &[Move], depth: Depth, weight: HistoryWeight) {
        let bonus = weight.bonus(depth);
        self.add(side, best, bonus);
        for &m in tried {
            self.add(side, m, -bonus);
        }
    }

    /// `best` refuted `previous`.
    pub fn set_counter(&mut self, previous: PackedMove, best: Move) {
        if let Some((from, to)) = previous.squares() {
            self.counter[from.to_usize()][to.to_usize()] = best.into();
        }
    }

    /// Moves a value towards the limit, the slower the nearer it is, so that it never overflows.
    fn add(&mut self, side: Color, m: Move, bonus: i32) {
        let (from, to) = squares(m);
        let value = &mut self.quiet[side as usize][from][to];
        let old = i32::from(*value);
        *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
    }
}

fn squares(m: Move) -> (usize, usize) {
    (m.from().map_or(0, Square::to_usize), m.to().to_usize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    fn moves() -> (Move, Move) {
        let position = Position::default();
        (position.parse_move("e2e4").unwrap(), position.parse_move("d2d4").unwrap())
    }

    #[test]
    fn a_cut_off_raises_the_mover_and_lowers_the_tried() {
        let (good, bad) = moves();
        let mut history = History::default();
        history.reward(Color::White, good, &[bad], Depth::plies(4), HistoryWeight::Square);
        assert_eq!(history.quiet(Color::White, good), 256);
        assert_eq!(history.quiet(Color::White, bad), -256);
        assert_eq!(history.quiet(Color::Black, good), 0);
        history.age();
        assert_eq!(history.quiet(Color::White, good), 128);
    }

    #[test]
    fn values_stay_within_their_limit() {
        let (good, _) = moves();
        let mut history = History::default();
        for _ in 0..10_000 {
            history.reward(Color::White, good, &[], Depth::plies(60), HistoryWeight::Power);
        }
        assert!((1..=LIMIT).contains(&history.quiet(Color::White, good)));
    }

    #[test]
    fn a_counter_move_belongs_to_the_move_it_refuted() {
        let (previous, reply) = moves();
        let mut history = History::default();
        history.set_counter(previous.into(), reply);
        assert_eq!(history.counter(previous.into()), reply.into());
        assert_eq!(history.counter(reply.into()), PackedMove::NONE);
        assert_eq!(history.counter(PackedMove::NONE), PackedMove::NONE);
    }
}
