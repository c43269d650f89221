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

/// A piece and where it went: what a continuation goes on from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Footprint(u16);

impl Footprint {
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

/// What the worth of a quiet move depends on besides the move.
#[derive(Copy, Clone, Debug)]
pub struct Trail {
    /// What was moved one, two and four plies before; all none where continuations do not count.
    pub before: [Footprint; 3],
    /// Squares that the opponent attacks; none where threats do not count.
    pub attacked: Bitboard,
}

/// Nothing but the move counts.
pub const NO_TRAIL: Trail = Trail { before: [Footprint::NONE; 3], attacked: Bitboard::EMPTY };

/// A move that proved best, and all there is to learn from it.
pub struct Lesson<'a> {
    /// Whose move.
    pub side: Color,
    /// The move.
    pub best: Move,
    /// Moves searched in vain.
    pub tried: &'a [Move],
    /// What was moved before, and what was attacked.
    pub trail: Trail,
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
    /// By an earlier footprint and that of the move; nothing is ever learned behind no move.
    continuation: Box<[[i16; Footprint::COUNT]]>,
}

impl Default for History {
    fn default() -> Self {
        Self {
            quiet: Box::new([[[[0; 64]; 64]; 4]; 2]),
            counter: Box::new([[PackedMove::NONE; 64]; 64]),
            capture: vec![[0; 7]; Footprint::COUNT].into_boxed_slice(),
            continuation: vec![[0; Footprint::COUNT]; Footprint::COUNT + 1].into_boxed_slice(),
        }
    }
}

impl History {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Halves the plain history: what was learned for the last move counts less for the next.
    pub fn age(&mut self) {
        for value in self.quiet.iter_mut().flatten().flatten().flatten() {
            *value /= 2;
        }
    }

    /// How good a quiet move has been.
    #[inline]
    pub fn quiet(&self, side: Color, m: Move, attacked: Bitboard) -> i32 {
        let (from, to) = squares(m);
        i32::from(self.quiet[side as usize][peril(m, attacked)][from][to])
    }

    /// How good a quiet move has been, anywhere and after what was moved before.
    #[inline]
    pub fn after(&self, side: Color, m: Move, trail: &Trail) -> i32 {
        let here = Footprint::new(side, m).index();
        let behind = |earlier: Footprint| i32::from(self.continuation[earlier.index()][here]);
        let [one, two, four] = trail.before;
        self.quiet(side, m, trail.attacked) + behind(one) + behind(two) + behind(four)
    }

    /// How good a capture has been.
    #[inline]
    pub fn capture(&self, side: Color, m: Move) -> i32 {
        i32::from(self.capture[Footprint::new(side, m).index()][victim(m)])
    }

    /// The quiet move that refuted `previous` last time.
    pub fn counter(&self, previous: PackedMove) -> PackedMove {
        previous
            .squares()
            .map_or(PackedMove::NONE, |(from, to)| self.counter[Square::to_usize(from)][Square::to_usize(to)])
    }

    /// Raises the best move and lowers those tried: quiet ones if it was quiet, captures in any case.
    pub fn learn(&mut self, lesson: &Lesson) {
        let bonus = lesson.weight.bonus(lesson.depth);
        let quiet = !is_noisy(lesson.best);
        for (&m, bonus) in
            std::iter::once((&lesson.best, bonus)).chain(lesson.tried.iter().map(|m| (m, -bonus)))
        {
            if !is_noisy(m) {
                if quiet {
                    self.add_quiet(lesson.side, m, &lesson.trail, bonus);
                }
            } else if lesson.captures {
                let here = Footprint::new(lesson.side, m).index();
                towards::<LIMIT>(&mut self.capture[here][victim(m)], bonus);
            }
        }
    }

    fn add_quiet(&mut self, side: Color, m: Move, trail: &Trail, bonus: i32) {
        let (from, to) = squares(m);
        towards::<LIMIT>(&mut self.quiet[side as usize][peril(m, trail.attacked)][from][to], bonus);
        let here = Footprint::new(side, m).index();
        for earlier in trail.before.iter().filter(|footprint| **footprint != Footprint::NONE) {
            towards::<LIMIT>(&mut self.continuation[earlier.index()][here], bonus);
        }
    }

    /// `best` refuted `previous`.
    pub fn set_counter(&mut self, previous: PackedMove, best: Move) {
        if let Some((from, to)) = previous.squares() {
            self.counter[from.to_usize()][to.to_usize()] = best.into();
        }
    }
}

/// Moves a value towards the limit, the slower the nearer it is, so that it never overflows.
pub(super) fn towards<const LIMIT: i32>(value: &mut i16, bonus: i32) {
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

fn squares(m: Move) -> (usize, usize) {
    (m.from().map_or(0, Square::to_usize), m.to().to_usize())
}

/// Whether a move leaves an attacked square and whether it enters one.
#[inline]
fn peril(m: Move, attacked: Bitboard) -> usize {
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

    fn lesson(best: Move, tried: &[Move], plies: i32) -> Lesson<'_> {
        Lesson {
            side: Color::White,
            best,
            tried,
            trail: NO_TRAIL,
            depth: Depth::plies(plies),
            weight: HistoryWeight::Square,
            captures: true,
        }
    }

    #[test]
    fn a_cut_off_raises_the_mover_and_lowers_the_tried() {
        let (good, bad) = moves();
        let mut history = History::default();
        history.learn(&lesson(good, &[bad], 4));
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
            history.learn(&Lesson { weight: HistoryWeight::Power, ..lesson(good, &[], 60) });
        }
        assert!((1..=LIMIT).contains(&history.quiet(Color::White, good, Bitboard::EMPTY)));
    }

    #[test]
    fn a_continuation_counts_only_behind_its_move() {
        let (good, before) = moves();
        let before_it = |side| [Footprint::new(side, before), Footprint::NONE, Footprint::NONE];
        let trail = Trail { before: before_it(Color::Black), ..NO_TRAIL };
        let mut history = History::default();
        history.learn(&Lesson { trail, ..lesson(good, &[], 4) });
        assert_eq!(history.after(Color::White, good, &trail), 512);
        assert_eq!(history.after(Color::White, good, &NO_TRAIL), 256);
        let other = Trail { before: before_it(Color::White), ..NO_TRAIL };
        assert_eq!(history.after(Color::White, good, &other), 256);
    }

    #[test]
    fn a_move_out_of_or_into_an_attack_is_another_move() {
        let (good, _) = moves();
        let mut history = History::default();
        let attacked = Bitboard::from(good.from().unwrap());
        history.learn(&Lesson { trail: Trail { attacked, ..NO_TRAIL }, ..lesson(good, &[], 4) });
        assert_eq!(history.quiet(Color::White, good, attacked), 256);
        assert_eq!(history.quiet(Color::White, good, Bitboard::EMPTY), 0);
        let into = Bitboard::from(good.to());
        assert_eq!(history.quiet(Color::White, good, into), 0);
        history.learn(&Lesson { trail: Trail { attacked: into, ..NO_TRAIL }, ..lesson(good, &[], 2) });
        assert_eq!(history.quiet(Color::White, good, into), 64);
    }

    #[test]
    fn captures_are_learned_by_victim_and_leave_quiet_moves_alone() {
        let position = Position::from_fen("4k3/8/8/3p1n2/4P3/8/8/4K3 w - - 0 1", false).unwrap();
        let [pawn, knight, quiet] = ["e4d5", "e4f5", "e1e2"].map(|text| position.parse_move(text).unwrap());
        let mut history = History::default();
        history.learn(&lesson(knight, &[pawn, quiet], 4));
        assert_eq!(history.capture(Color::White, knight), 256);
        assert_eq!(history.capture(Color::White, pawn), -256);
        assert_eq!(history.quiet(Color::White, quiet, Bitboard::EMPTY), 0);
        history.learn(&Lesson { captures: false, ..lesson(knight, &[], 4) });
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
