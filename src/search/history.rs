//! Which moves have been good elsewhere: the history heuristic and its relatives.
//!
//! J. Schaeffer, "The History Heuristic and Alpha-Beta Search Enhancements in Practice", IEEE PAMI 11(11),
//! 1989; S. G. Akl and M. M. Newborn, "The Principal Continuation and the Killer Heuristic", 1977.

use shakmaty::{Bitboard, Color, Move, Role, Square};

use super::ordering;
use crate::board::{PackedMove, role_and_squares};
use crate::choice;
use crate::depth::Depth;
use crate::selective::Resolve;

choice! {
    /// What a cut-off at depth d adds to a move's history.
    HistoryWeight {
        /// Sixteen times d squared.
        Square = "Square",
        /// Two to the power of d, as in Mulan, up to the same limit.
        Power = "Power",
        /// `HistorySlope` times d, less `HistoryOffset`, at most `HistoryMost`.
        Linear = "Linear",
    }
}

impl HistoryWeight {
    /// Points for a cut-off at this depth.
    pub fn bonus(self, depth: Depth, rule: &ordering::Rule) -> i32 {
        let plies = depth.whole().max(1);
        match self {
            Self::Square => (16 * plies * plies).min(MAX_BONUS),
            Self::Power => (1 << plies.min(20)).min(MAX_BONUS),
            Self::Linear => (rule.slope * plies - rule.offset).clamp(0, rule.most),
        }
    }
}

const MAX_BONUS: i32 = 1_600;

/// A piece and the square it moved to: the index of the continuation histories.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PieceTo(u16);

impl PieceTo {
    /// How many there are.
    pub const COUNT: usize = 2 * 6 * 64;
    /// No move, or a pass.
    pub const NONE: Self = Self(Self::COUNT as u16);

    /// The index of a move of `side`.
    #[inline]
    pub fn new(side: Color, m: Move) -> Self {
        let (role, _, to) = role_and_squares(m);
        Self((64 * Self::piece(side, role) + to.to_usize()) as u16)
    }

    /// The number of a piece, from 0 to 11.
    #[inline]
    fn piece(side: Color, role: Role) -> usize {
        6 * side as usize + role as usize - 1
    }

    /// As an index, up to [`COUNT`](Self::COUNT), which is that of [`NONE`](Self::NONE).
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// An earlier move, as the continuation histories know it: its piece and square, and whether it was a capture or
/// answered a check.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Continuation(u16);

impl Continuation {
    /// Captures apart from quiet moves, moves out of check apart from others.
    const KINDS: usize = 4;
    /// No move, or a pass.
    pub const NONE: Self = Self((Self::KINDS * PieceTo::COUNT) as u16);

    /// An earlier move of this kind, from 0 to 3.
    #[inline]
    pub fn new(piece_to: PieceTo, kind: u16) -> Self {
        Self(kind * PieceTo::COUNT as u16 + piece_to.0)
    }

    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What the history of a quiet move depends on besides the move itself.
#[derive(Copy, Clone, Debug)]
pub struct ContinuationContext {
    /// What was moved one, two, four and six plies before; all none where continuations do not count.
    pub before: [Continuation; 4],
    /// Squares that the opponent attacks; none where threats do not count.
    pub attacked: Bitboard,
}

/// Nothing but the move counts.
pub const NO_CONTEXT: ContinuationContext =
    ContinuationContext { before: [Continuation::NONE; 4], attacked: Bitboard::EMPTY };

/// Tables one thread keeps between its searches.
pub struct History {
    /// Limits and curves.
    rule: ordering::Rule,
    /// By side, whether the move leaves and enters an attacked square, and its squares.
    quiet: Box<[[[[i16; 64]; 64]; 4]; 2]>,
    counter: Box<[[PackedMove; 64]; 64]>,
    /// By the piece that takes, where, and the piece taken.
    capture: Box<[[i16; 7]]>,
    /// By an earlier move and the piece and square of this one; after no move, nothing is ever learned.
    continuation: Box<[[i16; PieceTo::COUNT]]>,
}

impl Default for History {
    fn default() -> Self {
        Self {
            rule: ordering::Settings::default().resolve(),
            quiet: Box::new([[[[0; 64]; 64]; 4]; 2]),
            counter: Box::new([[PackedMove::NONE; 64]; 64]),
            capture: vec![[0; 7]; PieceTo::COUNT].into_boxed_slice(),
            continuation: vec![[0; PieceTo::COUNT]; Continuation::NONE.index() + 1].into_boxed_slice(),
        }
    }
}

impl History {
    /// Clears all histories, for a new game.
    pub fn clear(&mut self) {
        // In place: fresh memory would have to be allocated and mapped.
        self.quiet.as_flattened_mut().as_flattened_mut().as_flattened_mut().fill(0);
        self.counter.as_flattened_mut().fill(PackedMove::NONE);
        self.capture.as_flattened_mut().fill(0);
        self.continuation.as_flattened_mut().fill(0);
    }

    /// A search begins with this rule. With the older weights, which grow without limit with the depth, all values of
    /// the last search are halved.
    pub fn begin(&mut self, rule: &ordering::Rule, weight: HistoryWeight) {
        self.rule = *rule;
        if weight != HistoryWeight::Linear {
            self.age();
        }
    }

    /// Halves the plain history.
    fn age(&mut self) {
        for value in self.quiet.as_flattened_mut().as_flattened_mut().as_flattened_mut() {
            *value /= 2;
        }
    }

    /// How good a quiet move has been.
    #[inline]
    pub fn quiet(&self, side: Color, m: Move, attacked: Bitboard) -> i32 {
        let (_, from, to) = role_and_squares(m);
        i32::from(self.quiet[side as usize][threat_index(from, to, attacked)][from.to_usize()][to.to_usize()])
    }

    /// How good a quiet move has been after each of these earlier moves.
    #[inline]
    fn continuations<const N: usize>(&self, side: Color, m: Move, before: [Continuation; N]) -> [i32; N] {
        let here = PieceTo::new(side, m).index();
        before.map(|earlier| i32::from(self.continuation[earlier.index()][here]))
    }

    /// The tables that order the quiet moves of a node.
    #[inline]
    pub fn quiet_order(&self, side: Color, context: &ContinuationContext) -> QuietOrder<'_> {
        QuietOrder {
            side,
            attacked: context.attacked,
            quiet: &self.quiet[side as usize],
            continuations: context.before.map(|earlier| &self.continuation[earlier.index()]),
        }
    }

    /// What capture history adds to the score of a capture in move ordering.
    #[inline]
    pub fn capture_order(&self, side: Color, m: Move) -> i32 {
        self.capture(side, m) / self.rule.capture_divisor
    }

    /// The rule of this search.
    pub fn rule(&self) -> &ordering::Rule {
        &self.rule
    }

    /// The history that reductions of quiet moves go by. The opponent's last move has less weight than in the order.
    #[inline]
    pub fn quiet_score(&self, side: Color, m: Move, context: &ContinuationContext) -> i32 {
        2 * self.quiet(side, m, context.attacked) + self.continuation_score(side, m, context)
    }

    /// How good a quiet move has been after what was moved one, two and four plies before.
    #[inline]
    pub fn continuation_score(&self, side: Color, m: Move, context: &ContinuationContext) -> i32 {
        let [one, two, four, _] = context.before;
        self.continuations(side, m, [one, two, four]).iter().sum()
    }

    /// A quiet move has been bad after both of the last two moves, or is unknown there.
    #[inline]
    pub fn never_good_after(&self, side: Color, m: Move, context: &ContinuationContext) -> bool {
        let [one, two, ..] = context.before;
        self.continuations(side, m, [one, two]).iter().all(|points| *points <= 0)
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

    /// Adds points, positive or negative, to the plain history of a quiet move.
    pub fn add_quiet(&mut self, side: Color, m: PackedMove, attacked: Bitboard, points: i32) {
        let Some((from, to)) = m.squares() else { return };
        let threat = threat_index(from, to, attacked);
        let value = &mut self.quiet[side as usize][threat][from.to_usize()][to.to_usize()];
        gravity(value, points, self.rule.limit);
    }

    /// Adds points to the continuation history of a quiet move after these earlier moves.
    pub fn add_continuation(&mut self, here: PieceTo, before: &[Continuation], points: i32) {
        for earlier in before.iter().filter(|earlier| **earlier != Continuation::NONE) {
            let value = &mut self.continuation[earlier.index()][here.index()];
            gravity(value, points, self.rule.continuation_limit);
        }
    }

    /// Adds points to the history of a capture.
    pub fn add_capture(&mut self, side: Color, m: Move, points: i32) {
        let value = &mut self.capture[PieceTo::new(side, m).index()][victim(m)];
        gravity(value, points, self.rule.capture_limit);
    }

    /// `best` refuted `previous`.
    pub fn set_counter(&mut self, previous: PackedMove, best: Move) {
        if let Some((from, to)) = previous.squares() {
            self.counter[from.to_usize()][to.to_usize()] = best.into();
        }
    }
}

/// The histories that order the quiet moves of one node: the plain one and those after earlier moves.
pub struct QuietOrder<'a> {
    side: Color,
    attacked: Bitboard,
    quiet: &'a [[[i16; 64]; 64]; 4],
    continuations: [&'a [i16; PieceTo::COUNT]; 4],
}

impl<'a> QuietOrder<'a> {
    /// Narrowed to the moves of pieces of one kind.
    #[inline(always)]
    pub fn of_role(&self, role: Role) -> RoleOrder<'a> {
        let rows = PieceTo::piece(self.side, role);
        let continuations = self.continuations.map(|table| &table.as_chunks().0[rows]);
        RoleOrder { attacked: self.attacked, quiet: self.quiet, continuations }
    }
}

/// The histories that order the quiet moves of pieces of one kind.
pub struct RoleOrder<'a> {
    attacked: Bitboard,
    quiet: &'a [[[i16; 64]; 64]; 4],
    continuations: [&'a [i16; 64]; 4],
}

impl<'a> RoleOrder<'a> {
    /// Narrowed to the moves of the piece on one square.
    #[inline(always)]
    pub fn of_piece(&self, from: Square) -> PieceOrder<'a> {
        let leaves = usize::from(self.attacked.contains(from));
        let quiet = [leaves, leaves + 2].map(|threat| &self.quiet[threat][from.to_usize()]);
        PieceOrder { attacked: self.attacked, quiet, continuations: self.continuations }
    }
}

/// The histories that order the quiet moves of one piece.
pub struct PieceOrder<'a> {
    attacked: Bitboard,
    /// By whether the move enters an attacked square.
    quiet: [&'a [i16; 64]; 2],
    continuations: [&'a [i16; 64]; 4],
}

impl PieceOrder<'_> {
    /// The score of the move to this square; the highest is searched first.
    #[inline(always)]
    pub fn to(&self, to: Square) -> i32 {
        let at = to.to_usize();
        let anywhere = i32::from(self.quiet[usize::from(self.attacked.contains(to))][at]);
        let [one, two, four, six] = self.continuations.map(|row| i32::from(row[at]));
        2 * (anywhere + one) + two + four + six
    }
}

/// History gravity: adds points, fewer of them the nearer the value is to its limit, so that it never overflows.
#[inline]
pub(super) fn gravity(value: &mut i16, points: i32, limit: i32) {
    let (old, points) = (i32::from(*value), points.clamp(-limit, limit));
    *value = (old + points - old * points.abs() / limit).clamp(-limit, limit) as i16;
}

/// 0 to 3: whether a move leaves an attacked square, plus 2 if it enters one.
#[inline]
fn threat_index(from: Square, to: Square, attacked: Bitboard) -> usize {
    usize::from(attacked.contains(from)) + 2 * usize::from(attacked.contains(to))
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

    #[test]
    fn a_bonus_raises_a_move_for_its_side_alone() {
        let (good, bad) = moves();
        let mut history = History::default();
        history.add_quiet(Color::White, good.into(), Bitboard::EMPTY, 256);
        history.add_quiet(Color::White, bad.into(), Bitboard::EMPTY, -256);
        assert_eq!(history.quiet(Color::White, good, Bitboard::EMPTY), 256);
        assert_eq!(history.quiet(Color::White, bad, Bitboard::EMPTY), -256);
        assert_eq!(history.quiet(Color::Black, good, Bitboard::EMPTY), 0);
        history.age();
        assert_eq!(history.quiet(Color::White, good, Bitboard::EMPTY), 128);
    }

    #[test]
    fn the_curves_of_the_bonus() {
        let rule =
            ordering::Settings { slope: 300, offset: 250, most: 1_500, ..Default::default() }.resolve();
        let at = |weight: HistoryWeight, plies| weight.bonus(Depth::plies(plies), &rule);
        assert_eq!([1, 2, 5, 6].map(|plies| at(HistoryWeight::Linear, plies)), [50, 350, 1_250, 1_500]);
        assert_eq!([1, 4, 20].map(|plies| at(HistoryWeight::Square, plies)), [16, 256, 1_600]);
        assert_eq!([1, 4, 20].map(|plies| at(HistoryWeight::Power, plies)), [2, 16, 1_600]);
    }

    #[test]
    fn values_stay_within_their_limit() {
        let (good, _) = moves();
        let mut history = History::default();
        for _ in 0..10_000 {
            history.add_quiet(Color::White, good.into(), Bitboard::EMPTY, 1_600);
        }
        assert!((6_000..=7_183).contains(&history.quiet(Color::White, good, Bitboard::EMPTY)));
    }

    #[test]
    fn a_continuation_counts_only_behind_its_move() {
        let (good, before) = moves();
        let behind = |side, kind| {
            let one = Continuation::new(PieceTo::new(side, before), kind);
            ContinuationContext { before: [one, Continuation::NONE, Continuation::NONE, one], ..NO_CONTEXT }
        };
        let mut history = History::default();
        let here = PieceTo::new(Color::White, good);
        history.add_continuation(here, &behind(Color::Black, 0).before[..1], 256);
        let known = |context| {
            let (side, history) = (Color::White, &history);
            (
                history.quiet_order(side, &context).of_role(Role::Pawn).of_piece(Square::E2).to(Square::E4),
                history.quiet_score(side, good, &context),
            )
        };
        assert_eq!(known(behind(Color::Black, 0)), (2 * 256 + 256, 256));
        for other in [NO_CONTEXT, behind(Color::White, 0), behind(Color::Black, 1)] {
            assert_eq!(known(other), (0, 0));
        }
        assert!(!history.never_good_after(Color::White, good, &behind(Color::Black, 0)));
    }

    #[test]
    fn a_move_out_of_or_into_an_attack_is_another_move() {
        let (good, _) = moves();
        let mut history = History::default();
        let (from, to) = (Bitboard::from(good.from().unwrap()), Bitboard::from(good.to()));
        history.add_quiet(Color::White, good.into(), from, 256);
        let of = |history: &History| {
            [from, Bitboard::EMPTY, to].map(|attacked| history.quiet(Color::White, good, attacked))
        };
        assert_eq!(of(&history), [256, 0, 0]);
        history.add_quiet(Color::White, good.into(), to, 64);
        assert_eq!(of(&history), [256, 0, 64]);
    }

    #[test]
    fn captures_are_learned_by_victim() {
        let position = Position::from_fen("4k3/8/8/3p1n2/4P3/8/8/4K3 w - - 0 1", false).unwrap();
        let [pawn, knight] = ["e4d5", "e4f5"].map(|text| position.parse_move(text).unwrap());
        let mut history = History::default();
        history.add_capture(Color::White, knight, 256);
        assert_eq!([knight, pawn].map(|m| history.capture(Color::White, m)), [256, 0]);
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
