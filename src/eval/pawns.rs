//! Pawn structure and king shelter, which rarely change and are kept in a small table.

use shakmaty::{Bitboard, Board, Color, File, Square, attacks};

use super::accumulator::ScoreAccumulator;
use super::masks::{self, ADJACENT_FILES, FORWARD_FILE, PASSED_SPAN};
use super::trace::{NoTrace, Trace};
use super::weights::{
    BACKWARD, CANDIDATE, DANGER_SHELTER, DANGER_STORM, DOUBLED, ISLANDS, ISOLATED, ISOLATED_OPEN,
    KING_PAWN_DISTANCE, PHALANX, PST_PAWN, Pair, SHELTER, STORM, SUPPORTED, WING_ENEMY, WING_OWN, Weights,
};
use crate::Position;

/// The evaluation of a pawn structure, and of the kings' shelter in it. Fills a cache line.
#[derive(Copy, Clone, Default)]
#[repr(align(64))]
pub(super) struct Pawns {
    /// The key of the pawns; meaningless while no king's shelter is known.
    key: u64,
    /// Structure, White minus Black.
    score: Pair,
    /// Passed pawns of both sides.
    pub(super) passed: Bitboard,
    /// Squares each side's pawns attack or could attack by advancing, Black first.
    pub(super) span: [Bitboard; 2],
    /// The kings' surroundings, Black first.
    shelters: [Shelter; 2],
}

/// A king among the pawns.
#[derive(Copy, Clone, Default)]
struct Shelter {
    king: Option<Square>,
    /// Worth of the structure, White's minus Black's.
    score: Pair,
    danger: Pair,
}

impl Pawns {
    /// Evaluates the pawn structure; the trace hears of every term.
    pub(super) fn new<T: Trace>(board: &Board, weights: &Weights, trace: &mut T) -> Self {
        let mut pawns = Self::default();
        let mut sum = ScoreAccumulator::new(weights, trace);
        for us in Color::ALL {
            let ours = board.pawns() & board.by_color(us);
            let (left, right) = masks::pawn_attacks(us, ours);
            pawns.span[us as usize] = masks::fill_up(us, left | right);
            pawns.passed |= structure(us, ours, board.pawns() & !ours, &mut sum);
        }
        pawns.score = sum.score;
        pawns
    }

    /// Evaluates the shelter of a king, unless it is known for this square.
    #[inline]
    pub(super) fn shelter<T: Trace>(
        &mut self,
        position: &Position,
        us: Color,
        weights: &Weights,
        trace: &mut T,
    ) {
        let king = position.king(us);
        let known = &mut self.shelters[us as usize];
        if known.king != Some(king) {
            let mut sum = ScoreAccumulator::new(weights, trace);
            shelter(us, king, position.board(), &mut sum);
            *known = Shelter { king: Some(king), score: sum.score, danger: sum.danger[us as usize] };
        }
    }

    /// Adds what is known of the pawns to the sum.
    #[inline(always)]
    pub(super) fn enter<T: Trace>(&self, sum: &mut ScoreAccumulator<T>) {
        sum.score += self.score + self.shelters[0].score + self.shelters[1].score;
        for (danger, shelter) in sum.danger.iter_mut().zip(&self.shelters) {
            *danger += shelter.danger;
        }
    }
}

/// Values every pawn by its place among the others; returns the passed ones.
fn structure<T: Trace>(
    us: Color,
    ours: Bitboard,
    theirs: Bitboard,
    sum: &mut ScoreAccumulator<T>,
) -> Bitboard {
    let mut passed = Bitboard::EMPTY;
    for square in ours {
        if pawn(us, square, ours, theirs, sum) {
            passed.add(square);
        }
    }
    let files = (masks::fill_up(Color::Black, ours).0 & 0xff) as u8;
    sum.add_many(us, ISLANDS, 0, (files & !(files << 1)).count_ones() as i32);
    passed
}

/// One pawn among the others; whether it is passed.
#[inline(always)]
fn pawn<T: Trace>(
    us: Color,
    square: Square,
    ours: Bitboard,
    theirs: Bitboard,
    sum: &mut ScoreAccumulator<T>,
) -> bool {
    let file = square.file().to_usize();
    let rank = masks::relative_rank(us, square);
    let ahead = FORWARD_FILE[us as usize][square.to_usize()];
    let stop = masks::up(us, square.into());
    let neighbours = ADJACENT_FILES[file] & ours;
    let support = attacks::pawn_attacks(!us, square) & ours;
    let phalanx = neighbours & Bitboard::from_rank(square.rank());
    let stoppers = PASSED_SPAN[us as usize][square.to_usize()] & theirs;
    let levers = attacks::pawn_attacks(us, square) & theirs;
    let (left, right) = masks::pawn_attacks(us, stop);
    let stop_guards = (left | right) & theirs;
    let open = (ahead & theirs).is_empty();

    sum.add(us, PST_PAWN, masks::half_board(us, square));
    if !stoppers.is_empty() && open && stoppers == levers | stop_guards {
        // Every pawn in the way can be traded off, if its own pawns suffice.
        let (left, right) = masks::pawn_attacks(!us, stop);
        let pushers = ((left | right) & ours).count();
        if pushers >= stop_guards.count() {
            let enough = usize::from(support.count() >= levers.count());
            sum.add(us, CANDIDATE, enough * 8 + rank);
        }
    }

    if neighbours.is_empty() {
        sum.add(us, ISOLATED, masks::edge(file));
        if open {
            sum.add(us, ISOLATED_OPEN, 0);
        }
    } else {
        let behind = !PASSED_SPAN[us as usize][square.to_usize()];
        if (neighbours & behind).is_empty() && (stop_guards | (stop & theirs)).any() {
            sum.add(us, BACKWARD, usize::from(open));
        }
    }
    if (ahead & ours).any() {
        sum.add(us, DOUBLED, usize::from(support.any()));
    }
    if support.any() {
        sum.add_many(us, SUPPORTED, rank, support.count() as i32);
    }
    if phalanx.any() {
        sum.add(us, PHALANX, rank);
    }
    stoppers.is_empty() && (ahead & ours).is_empty()
}

/// The own pawns before a king and the enemy pawns coming at it, on its file and the two beside it; and where all
/// pawns stand as seen from its wing.
fn shelter<T: Trace>(us: Color, king: Square, board: &Board, sum: &mut ScoreAccumulator<T>) {
    for (side, group) in [(us, WING_OWN), (!us, WING_ENEMY)] {
        for pawn in board.pawns() & board.by_color(side) {
            sum.add(side, group, masks::from_wing(side, pawn, king));
        }
    }
    let not_behind = !masks::up(!us, masks::fill_up(!us, Bitboard::from_rank(king.rank())));
    let ours = board.pawns() & board.by_color(us) & not_behind;
    let theirs = board.pawns() & board.by_color(!us) & not_behind;
    let distance = |pawns: Bitboard| {
        let nearest = if us.is_white() { pawns.first() } else { pawns.last() };
        nearest.map_or(7, |pawn| pawn.rank().distance(king.rank()) as usize)
    };
    let king_file = king.file().to_usize();
    for file in king_file.saturating_sub(1)..=(king_file + 1).min(7) {
        let mask = Bitboard::from_file(File::new(file as u32));
        let (own, enemy) = (distance(ours & mask), distance(theirs & mask));
        let on_file = usize::from(file == king_file);
        let rammed = usize::from(own != 7 && own + 1 == enemy);
        sum.add(us, SHELTER, on_file * 32 + masks::edge(file) * 8 + own);
        sum.add(us, STORM, rammed * 32 + masks::edge(file) * 8 + enemy);
        sum.endanger(us, DANGER_SHELTER, on_file * 8 + own, 1);
        sum.endanger(us, DANGER_STORM, rammed * 8 + enemy, 1);
    }
    let nearest = board.pawns().into_iter().map(|pawn| pawn.distance(king)).min().unwrap_or(0);
    sum.add_many(us, KING_PAWN_DISTANCE, 0, nearest as i32);
}

const ENTRIES: usize = 4096;

/// Remembers pawn structures by their key.
pub(super) struct PawnTable {
    entries: Box<[Pawns; ENTRIES]>,
}

impl Default for PawnTable {
    fn default() -> Self {
        let entries = vec![Pawns::default(); ENTRIES].into_boxed_slice();
        Self { entries: entries.try_into().unwrap_or_else(|_| unreachable!("made with this length")) }
    }
}

impl PawnTable {
    pub(super) fn clear(&mut self) {
        self.entries.fill(Pawns::default());
    }

    /// The pawns and shelters of a position, remembered or worked out.
    #[inline]
    pub(super) fn of(&mut self, position: &Position, weights: &Weights) -> &Pawns {
        let key = position.pawn_key();
        let pawns = &mut self.entries[key as usize % ENTRIES];
        if pawns.key != key || pawns.shelters[0].king.is_none() {
            *pawns = Pawns::new(position.board(), weights, &mut NoTrace);
            pawns.key = key;
        }
        for us in Color::ALL {
            pawns.shelter(position, us, weights, &mut NoTrace);
        }
        pawns
    }
}
