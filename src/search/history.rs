//! Which moves have been good elsewhere: the history heuristic and its relatives.
//!
//! J. Schaeffer, "The History Heuristic and Alpha-Beta Search Enhancements in Practice", IEEE PAMI 11(11),
//! 1989; S. G. Akl and M. M. Newborn, "The Principal Continuation and the Killer Heuristic", 1977.

use shakmaty::{Bitboard, Color, Move, Square};

use super::move_picker::is_noisy;
use crate::board::PackedMove;
use crate::choice;
use crate::depth::Depth;

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

/// A piece and the square it moved to: the index of the continuation histories.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PieceTo(u16);

impl PieceTo {
    /// How many there are.
    pub const COUNT: usize = 2 * 6 * 64;
    /// No move, or a pass.
    pub const NONE: Self = Self(Self::COUNT as u16);

    /// That of a move of `side`.
    #[inline]
    pub fn new(side: Color, m: Move) -> Self {
        let piece = 6 * side as u16 + m.role() as u16 - 1;
        Self(64 * piece + m.to() as u16)
    }

    /// Its number, up to [`COUNT`](Self::COUNT).
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// What the history of a quiet move depends on besides the move itself.
#[derive(Copy, Clone, Debug)]
pub struct ContinuationContext {
    /// What was moved one, two and four plies before; all none where continuations do not count.
    pub before: [PieceTo; 3],
    /// Squares that the opponent attacks; none where threats do not count.
    pub attacked: Bitboard,
}

/// Nothing but the move counts.
pub const NO_CONTEXT: ContinuationContext =
    ContinuationContext { before: [PieceTo::NONE; 3], attacked: Bitboard::EMPTY };

/// A move that proved best, and the moves searched before it that did not.
pub struct HistoryUpdate<'a> {
    /// The side that moved.
    pub side: Color,
    /// The move that cut or became best.
    pub best: Move,
    /// Moves searched before it that did not cut.
    pub searched: &'a [Move],
    /// What was moved before, and what was attacked.
    pub context: ContinuationContext,
    /// How deep it was searched.
    pub depth: Depth,
    /// What that is worth.
    pub weight: HistoryWeight,
    /// Captures are learned too.
    pub captures: bool,
}

/// Tables one thread keeps between its searches.
pub struct History {
    /// By side, whether the move leaves and enters an attacked square, and its squares.
    quiet: Box<[[[[i16; 64]; 64]; 4]; 2]>,
    counter: Box<[[PackedMove; 64]; 64]>,
    /// By the piece that takes, where, and the piece taken.
    capture: Box<[[i16; 7]]>,
    /// By an earlier piece and square and those of the move; behind no move, nothing is ever learned.
    continuation: Box<[[i16; PieceTo::COUNT]]>,
}

impl Default for History {
    fn default() -> Self {
        Self {
            quiet: Box::new([[[[0; 64]; 64]; 4]; 2]),
            counter: Box::new([[PackedMove::NONE; 64]; 64]),
            capture: vec![[0; 7]; PieceTo::COUNT].into_boxed_slice(),
            continuation: vec![[0; PieceTo::COUNT]; PieceTo::COUNT + 1].into_boxed_slice(),
        }
    }
}

impl History {
    /// Clears all histories, for a new game.
    pub fn clear(&mut self) {
        // In place: new memory would have to be asked for and mapped.
        self.quiet.as_flattened_mut().as_flattened_mut().as_flattened_mut().fill(0);
        self.counter.as_flattened_mut().fill(PackedMove::NONE);
        self.capture.as_flattened_mut().fill(0);
        self.continuation.as_flattened_mut().fill(0);
    }

    /// Halves the plain history: what was learned for the last move counts less for the next.
    pub fn age(&mut self) {
        for value in self.quiet.as_flattened_mut().as_flattened_mut().as_flattened_mut() {
            *value /= 2;
        }
    }

    /// How good a quiet move has been.
    #[inline]
    pub fn quiet(&self, side: Color, m: Move, attacked: Bitboard) -> i32 {
        let (from, to) = squares(m);
        i32::from(self.quiet[side as usize][threat_index(m, attacked)][from][to])
    }

    /// How good a quiet move has been, anywhere and after what was moved before.
    #[inline]
    pub fn quiet_score(&self, side: Color, m: Move, context: &ContinuationContext) -> i32 {
        let here = PieceTo::new(side, m).index();
        let behind = |earlier: PieceTo| i32::from(self.continuation[earlier.index()][here]);
        let [one, two, four] = context.before;
        self.quiet(side, m, context.attacked) + behind(one) + behind(two) + behind(four)
    }

    /// How good a capture has been.
    #[inline]
    pub fn capture(&self, side: Color, m: Move) -> i32 {
        i32::from(self.capture[PieceTo::new(side, m).index()][victim(m)])
    }

    /// The quiet move that refuted `previous` last time.
    pub fn counter(&self, previous: PackedMove) -> PackedMove {
        previous
            .squares()
            .map_or(PackedMove::NONE, |(from, to)| self.counter[Square::to_usize(from)][Square::to_usize(to)])
    }

    /// Raises the best move and lowers the others searched: quiet ones if it was quiet, captures in any case.
    pub fn update(&mut self, update: &HistoryUpdate) {
        let bonus = update.weight.bonus(update.depth);
        let quiet = !is_noisy(update.best);
        for (&m, bonus) in
            std::iter::once((&update.best, bonus)).chain(update.searched.iter().map(|m| (m, -bonus)))
        {
            if !is_noisy(m) {
                if quiet {
                    self.add_quiet(update.side, m, &update.context, bonus);
                }
            } else if update.captures {
                let here = PieceTo::new(update.side, m).index();
                gravity::<LIMIT>(&mut self.capture[here][victim(m)], bonus);
            }
        }
    }

    fn add_quiet(&mut self, side: Color, m: Move, context: &ContinuationContext, bonus: i32) {
        let (from, to) = squares(m);
        gravity::<LIMIT>(&mut self.quiet[side as usize][threat_index(m, context.attacked)][from][to], bonus);
        let here = PieceTo::new(side, m).index();
        for earlier in context.before.iter().filter(|piece_to| **piece_to != PieceTo::NONE) {
            gravity::<LIMIT>(&mut self.continuation[earlier.index()][here], bonus);
        }
    }

    /// `best` refuted `previous`.
    pub fn set_counter(&mut self, previous: PackedMove, best: Move) {
        if let Some((from, to)) = previous.squares() {
            self.counter[from.to_usize()][to.to_usize()] = best.into();
        }
    }
}

/// History gravity: adds a bonus, less of it the nearer the value is to its limit, so that it never overflows.
pub(super) fn gravity<const LIMIT: i32>(value: &mut i16, bonus: i32) {
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

fn squares(m: Move) -> (usize, usize) {
    (m.from().map_or(0, Square::to_usize), m.to().to_usize())
}

/// 0 to 3: whether a move leaves an attacked square, plus 2 if it enters one.
#[inline]
fn threat_index(m: Move, attacked: Bitboard) -> usize {
    let leaves = m.from().is_some_and(|from| attacked.contains(from));
    usize::from(leaves) + 2 * usize::from(attacked.contains(m.to()))
}

/// The piece taken, from 1; 0 for none.
fn victim(m: Move) -> usize {
    m.capture().map_or(0, |role| role as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    fn moves() -> (Move, Move) {
        let position = Position::default();
        (position.parse_move("e2e4").unwrap(), position.parse_move("d2d4").unwrap())
    }

    fn update(best: Move, searched: &[Move], plies: i32) -> HistoryUpdate<'_> {
        HistoryUpdate {
            side: Color::White,
            best,
            searched,
            context: NO_CONTEXT,
            depth: Depth::plies(plies),
            weight: HistoryWeight::Square,
            captures: true,
        }
    }

    #[test]
    fn a_cut_off_raises_the_mover_and_lowers_the_tried() {
        let (good, bad) = moves();
        let mut history = History::default();
        history.update(&update(good, &[bad], 4));
        assert_eq!(history.quiet(Color::White, good, Bitboard::EMPTY), 256);
        assert_eq!(history.quiet(Color::White, bad, Bitboard::EMPTY), -256);
        assert_eq!(history.quiet(Color::Black, good, Bitboard::EMPTY), 0);
        history.age();
        assert_eq!(history.quiet(Color::White, good, Bitboard::EMPTY), 128);
    }

    #[test]
    fn values_stay_within_their_limit() {
        let (good, _) = moves();
        let mut history = History::default();
        for _ in 0..10_000 {
            history.update(&HistoryUpdate { weight: HistoryWeight::Power, ..update(good, &[], 60) });
        }
        assert!((1..=LIMIT).contains(&history.quiet(Color::White, good, Bitboard::EMPTY)));
    }

    #[test]
    fn a_continuation_counts_only_behind_its_move() {
        let (good, before) = moves();
        let before_it = |side| [PieceTo::new(side, before), PieceTo::NONE, PieceTo::NONE];
        let context = ContinuationContext { before: before_it(Color::Black), ..NO_CONTEXT };
        let mut history = History::default();
        history.update(&HistoryUpdate { context, ..update(good, &[], 4) });
        assert_eq!(history.quiet_score(Color::White, good, &context), 512);
        assert_eq!(history.quiet_score(Color::White, good, &NO_CONTEXT), 256);
        let other = ContinuationContext { before: before_it(Color::White), ..NO_CONTEXT };
        assert_eq!(history.quiet_score(Color::White, good, &other), 256);
    }

    #[test]
    fn a_move_out_of_or_into_an_attack_is_another_move() {
        let (good, _) = moves();
        let mut history = History::default();
        let attacked = Bitboard::from(good.from().unwrap());
        history.update(&HistoryUpdate {
            context: ContinuationContext { attacked, ..NO_CONTEXT },
            ..update(good, &[], 4)
        });
        assert_eq!(history.quiet(Color::White, good, attacked), 256);
        assert_eq!(history.quiet(Color::White, good, Bitboard::EMPTY), 0);
        let into = Bitboard::from(good.to());
        assert_eq!(history.quiet(Color::White, good, into), 0);
        history.update(&HistoryUpdate {
            context: ContinuationContext { attacked: into, ..NO_CONTEXT },
            ..update(good, &[], 2)
        });
        assert_eq!(history.quiet(Color::White, good, into), 64);
    }

    #[test]
    fn captures_are_learned_by_victim_and_leave_quiet_moves_alone() {
        let position = Position::from_fen("4k3/8/8/3p1n2/4P3/8/8/4K3 w - - 0 1", false).unwrap();
        let [pawn, knight, quiet] = ["e4d5", "e4f5", "e1e2"].map(|text| position.parse_move(text).unwrap());
        let mut history = History::default();
        history.update(&update(knight, &[pawn, quiet], 4));
        assert_eq!(history.capture(Color::White, knight), 256);
        assert_eq!(history.capture(Color::White, pawn), -256);
        assert_eq!(history.quiet(Color::White, quiet, Bitboard::EMPTY), 0);
        history.update(&HistoryUpdate { captures: false, ..update(knight, &[], 4) });
        assert_eq!(history.capture(Color::White, knight), 256);
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
