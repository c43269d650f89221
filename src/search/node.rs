//! A node as its parent asks about it, and what the searcher keeps per ply: frames along the path, and the
//! variations found.

use std::cell::OnceCell;
use std::ops::Neg;

use arrayvec::ArrayVec;
use shakmaty::{Color, Move, Square};

use super::event::End;
use super::history::{Continuation, ContinuationContext, NO_CONTEXT, PieceTo};
use super::move_pruning::MovePruner;
use super::transposition_table::TtEntry;
use crate::board::{Attacks, CheckSquares, PackedMove, Position};
use crate::depth::Depth;
use crate::score::{Bound, MAX_PLY, Score, Window};
use crate::selective::MethodRules;
use crate::selective::null_move::NullMoveVerdict;
use crate::selective::uncertainty::Doubt;

/// What a minimal-window search found. A value that is too doubtful proves nothing (see
/// [`uncertainty`](crate::selective::uncertainty)).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// For the side to move, as far as it was searched.
    pub score: Score,
    /// Moves were left out that might have changed it.
    pub doubt: Doubt,
}

impl From<Score> for Value {
    fn from(score: Score) -> Self {
        Self { score, doubt: Doubt::NONE }
    }
}

impl Neg for Value {
    type Output = Self;
    fn neg(self) -> Self {
        Self { score: -self.score, ..self }
    }
}

/// How the search of a node ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Ending {
    pub value: Value,
    pub end: End,
}

impl Ending {
    /// The node has this value, for this reason.
    #[inline(always)]
    pub(super) fn new(value: impl Into<Value>, end: End) -> Self {
        Self { value: value.into(), end }
    }
}

/// A node to be searched: the question its parent asks, and what holds on the way to it. A re-search of the same
/// node asks with a copy, so it cannot find what the first search left behind.
#[derive(Copy, Clone)]
pub(super) struct Node<'a> {
    pub position: &'a Position,
    pub window: Window,
    /// Remaining depth.
    pub depth: Depth,
    pub ply: usize,
    /// Its value is expected to be beta or more.
    pub cut: bool,
    /// What the hash table knows of it, once that was asked.
    pub entry: Option<TtEntry>,
    /// The move left out of its search; usually none.
    pub excluded: PackedMove,
    /// By how much the move that led here is reduced.
    pub reduced: Depth,
    /// The move that led here was a null move.
    pub after_null: bool,
    /// Beta of the node above, if that is a pv-node.
    pub pv_beta: Option<Score>,
    /// The position is, or has been, part of a principal variation.
    pub was_pv: bool,
    /// What the node above knew of the move that led here.
    pub arrival: Arrival,
    pub inherited: Inherited,
}

/// What a node knows of the move that led to it.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Arrival {
    /// Its number among the moves seen at the node above, from 1; 0 at the root and after a pass.
    pub number: usize,
    /// Its history, if it was considered for a reduction; otherwise 0.
    pub history: i32,
    /// The node above is, or has been, part of a principal variation.
    pub from_pv: bool,
    /// The hash table knew the node above.
    pub from_known: bool,
}

impl<'a> Node<'a> {
    /// The root of a search.
    pub(super) fn root(position: &'a Position, window: Window, depth: Depth, inherited: Inherited) -> Self {
        Self {
            position,
            window,
            depth,
            ply: 0,
            cut: false,
            entry: None,
            excluded: PackedMove::NONE,
            reduced: Depth::ZERO,
            after_null: false,
            pv_beta: None,
            was_pv: true,
            arrival: Arrival::default(),
            inherited,
        }
    }

    /// The same node, searched to verify a null-move cut-off.
    pub(super) fn verification(mut self, verdict: NullMoveVerdict) -> Self {
        if let NullMoveVerdict::Confirm { depth, both } = verdict {
            if both {
                self.inherited.no_null = true;
            } else {
                let until = self.ply + (3 * depth.whole().max(0) / 4) as usize;
                self.inherited.null_ban = Some(NullBan { side: self.position.turn(), until });
            }
            Self { depth, cut: both && self.cut, ..self }
        } else {
            self.inherited.verify = false;
            Self { depth: self.depth - Depth::PLY, ..self }
        }
    }

    /// The node after a move of this one, a ply shallower and with the same question from the other side.
    #[inline(always)]
    pub(super) fn child<'b>(&self, position: &'b Position) -> Node<'b> {
        Node {
            position,
            window: self.window.flip(),
            depth: self.depth - Depth::PLY,
            ply: self.ply + 1,
            cut: !self.cut,
            entry: None,
            excluded: PackedMove::NONE,
            reduced: Depth::ZERO,
            after_null: false,
            pv_beta: None,
            was_pv: false,
            arrival: Arrival {
                number: 0,
                history: 0,
                from_pv: self.was_pv,
                from_known: self.entry.is_some(),
            },
            inherited: self.inherited.below(),
        }
    }

    /// The window is open: a node of the principal variation.
    #[inline(always)]
    pub(super) fn is_pv(&self) -> bool {
        !self.window.is_minimal()
    }

    /// The best move the hash table knows.
    #[inline(always)]
    pub(super) fn hash_move(&self) -> PackedMove {
        self.entry.map_or(PackedMove::NONE, |entry| entry.best)
    }

    /// The hash table knows a mate here that lies inside the window.
    #[inline(always)]
    pub(super) fn hash_is_mate_inside(&self) -> bool {
        self.entry.is_some_and(|entry| {
            let score = entry.score(self.ply);
            score.is_mate() && Bound::of(score, self.window) == Bound::Exact
        })
    }

    /// Passing is forbidden to the side to move here, because a null-move cut-off is being verified.
    #[inline(always)]
    pub(super) fn null_is_banned(&self) -> bool {
        self.inherited.no_null
            || self
                .inherited
                .null_ban
                .is_some_and(|ban| ban.side == self.position.turn() && self.ply < ban.until)
    }
}

/// One side does not pass before this ply.
#[derive(Copy, Clone, Debug)]
pub(super) struct NullBan {
    pub side: Color,
    pub until: usize,
}

/// What a node passes on to the nodes below it.
#[derive(Copy, Clone, Debug)]
pub(super) struct Inherited {
    /// Null-move cut-offs must be verified.
    pub verify: bool,
    /// The null move is forbidden here and below, while a cut-off is verified.
    pub no_null: bool,
    /// The node belongs to a probe of ProbCut, which does not probe again.
    pub probing: bool,
    /// Multi-cut would have cut above.
    pub licensed: bool,
    /// Branches left by a tapered search.
    pub width: u32,
    /// A side that must not pass for some plies, while its own cut-off is verified.
    pub null_ban: Option<NullBan>,
    /// Moves of the path that were extended by two plies.
    pub doubles: u8,
    /// Which of the last three moves were extended, a bit each, the last one lowest.
    pub(super) extended: u8,
}

impl Inherited {
    /// What holds at the root.
    pub(super) fn new(rules: &MethodRules) -> Self {
        Self {
            verify: rules.null_move.verify,
            no_null: false,
            probing: false,
            licensed: false,
            width: rules.tapered.width,
            null_ban: None,
            doubles: 0,
            extended: 0,
        }
    }

    /// What a child inherits after a move that is not extended.
    #[inline(always)]
    fn below(self) -> Self {
        Self { extended: self.extended << 1 & 0b111, ..self }
    }

    /// The last move is extended, or is not.
    #[inline(always)]
    pub(super) fn set_extended(&mut self, extended: bool) {
        self.extended = self.extended & 0b110 | u8::from(extended);
    }

    /// One of the last three moves was extended.
    #[inline(always)]
    pub(super) fn extended_lately(self) -> bool {
        self.extended != 0
    }
}

/// One ply of the path from the root.
#[derive(Copy, Clone, Debug)]
pub(super) struct Frame {
    /// The move being searched from here; none during a pass.
    pub played: PackedMove,
    /// The piece of that move and the square it went to.
    pub piece_to: PieceTo,
    /// The same as the continuation histories know it.
    pub continuation: Continuation,
    /// The mover was in check.
    pub in_check: bool,
    /// That move is neither a pass, nor a capture, nor a promotion to a queen.
    pub quiet: bool,
    /// The square on which that move captured, for recaptures.
    pub captured_on: Option<Square>,
    /// A pass would lose heavily.
    pub threat: bool,
    /// Static value of the position, corrected; [`Score::NONE`] in check.
    pub eval: Score,
    /// The same before its correction.
    pub raw_eval: Score,
    /// The static value has risen since the mover's last move.
    pub improving: bool,
    /// By how many centipawns it has risen since the mover's last move.
    pub improvement: i32,
    /// What the opponent attacks, if an option needs it.
    pub attacks: Attacks,
    /// Moves of the node above that this ply refuted.
    pub cutoffs: u8,
    /// Quiet moves that cut at this ply before.
    pub killers: [PackedMove; 2],
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            played: PackedMove::NONE,
            piece_to: PieceTo::NONE,
            continuation: Continuation::NONE,
            in_check: false,
            quiet: false,
            captured_on: None,
            threat: false,
            eval: Score::NONE,
            raw_eval: Score::NONE,
            improving: false,
            improvement: 0,
            attacks: Attacks::NONE,
            cutoffs: 0,
            killers: [PackedMove::NONE; 2],
        }
    }
}

impl Frame {
    /// Remembers a quiet move that cut.
    pub(super) fn add_killer(&mut self, m: PackedMove) {
        if self.killers[0] != m {
            self.killers = [m, self.killers[0]];
        }
    }
}

/// What a search keeps along its path. A thread reuses it from one search to the next: it is large, and short searches
/// would spend their time allocating it.
pub(super) struct SearchStack {
    /// One frame per ply.
    pub frames: Box<[Frame]>,
    /// The best variation from every ply.
    pub variations: Variations,
    /// Keys of the game, followed by those of the path.
    pub keys: Vec<u64>,
}

impl Default for SearchStack {
    fn default() -> Self {
        let frames = vec![Frame::default(); MAX_PLY + 2].into_boxed_slice();
        Self { frames, variations: Variations::default(), keys: Vec::new() }
    }
}

impl SearchStack {
    /// Clears what the last search left; `earlier` are the keys of the game so far.
    pub(super) fn begin(&mut self, earlier: &[u64]) {
        self.frames.fill(Frame::default());
        self.variations.clear_all();
        self.keys.clear();
        self.keys.extend_from_slice(earlier);
        self.keys.resize(earlier.len() + MAX_PLY + 1, 0);
    }
}

/// The state of the loop over the moves of a node.
#[derive(Clone, Debug)]
pub(super) struct MoveLoop<'a> {
    /// Number of moves searched so far.
    pub searched: usize,
    /// Number of moves seen so far, those pruned included.
    pub seen: usize,
    /// The best value so far; moves that were pruned may raise it.
    pub best: Score,
    /// How often the best move changed.
    pub changes: usize,
    /// Value of the last move.
    pub last: Score,
    /// RankCut reduces this move and all after it.
    pub rank_cut: bool,
    /// The only legal move answers a check.
    pub forced: bool,
    /// The hash move is quiet and was found to be singular.
    pub singular_quiet: bool,
    /// The hash move is a capture.
    pub hash_capture: bool,
    /// How the node ends if no move cuts.
    pub without_cut: End,
    /// What was moved before, and what is attacked.
    pub context: ContinuationContext,
    /// What prunes single moves.
    pub(super) pruner: MovePruner<'a>,
    /// The squares from which moves give check, computed when first needed.
    pub(super) checks: OnceCell<CheckSquares>,
}

impl Default for MoveLoop<'_> {
    fn default() -> Self {
        Self {
            searched: 0,
            seen: 0,
            best: -Score::INFINITE,
            changes: 0,
            last: -Score::INFINITE,
            rank_cut: false,
            forced: false,
            singular_quiet: false,
            hash_capture: false,
            without_cut: End::AllMoves,
            context: NO_CONTEXT,
            pruner: MovePruner::OFF,
            checks: OnceCell::new(),
        }
    }
}

impl MoveLoop<'_> {
    /// A move of the node's position gives check.
    #[inline]
    pub(super) fn gives_check(&self, position: &Position, m: Move) -> bool {
        self.checks.get_or_init(|| position.check_squares()).are_given_by(position, m)
    }

    /// A move was searched; returns whether it is the best so far.
    #[inline]
    pub(super) fn record(&mut self, value: Score) -> bool {
        self.searched += 1;
        self.last = value;
        let better = value > self.best;
        if better {
            self.changes += usize::from(self.searched > 1);
            self.best = value;
        }
        better
    }

    /// How the node ends, now that its moves were searched.
    #[inline(always)]
    pub(super) fn end(&self, window: Window) -> End {
        if self.best >= window.beta { End::Cut } else { self.without_cut }
    }
}

/// The best variation from every ply of the path, in the usual triangle.
pub(super) struct Variations {
    lines: Vec<ArrayVec<Move, MAX_PLY>>,
}

impl Default for Variations {
    fn default() -> Self {
        Self { lines: vec![ArrayVec::new(); MAX_PLY + 1] }
    }
}

impl Variations {
    /// Nothing is known anywhere.
    fn clear_all(&mut self) {
        self.lines.iter_mut().for_each(ArrayVec::clear);
    }

    /// Nothing is known from `ply` on.
    pub(super) fn clear(&mut self, ply: usize) {
        self.lines[ply].clear();
    }

    /// The best variation at `ply` is `m` followed by the best one of the next ply.
    pub(super) fn set(&mut self, ply: usize, m: Move) {
        let (here, below) = self.lines.split_at_mut(ply + 1);
        let line = &mut here[ply];
        line.clear();
        line.push(m);
        let room = line.remaining_capacity();
        line.extend(below.first().into_iter().flatten().take(room).copied());
    }

    /// The best variation at `ply`.
    pub(super) fn get(&self, ply: usize) -> &[Move] {
        &self.lines[ply]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

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
    fn an_extension_is_remembered_for_three_moves() {
        let mut inherited = Inherited::new(&crate::selective::Settings::default().resolve());
        inherited.set_extended(true);
        assert!(
            inherited.below().below().extended_lately()
                && !inherited.below().below().below().extended_lately()
        );
        let mut taken_back = inherited.below();
        taken_back.set_extended(true);
        taken_back.set_extended(false);
        assert_eq!(taken_back.extended, inherited.below().extended);
    }

    #[test]
    fn the_move_loop_counts_changes_of_the_best_move() {
        let mut move_loop = MoveLoop::default();
        assert!(
            move_loop.record(Score::cp(-30))
                && move_loop.record(Score::cp(5))
                && !move_loop.record(Score::cp(0))
        );
        assert_eq!(
            (move_loop.searched, move_loop.changes, move_loop.best.raw(), move_loop.last.raw()),
            (3, 1, 5, 0)
        );
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
