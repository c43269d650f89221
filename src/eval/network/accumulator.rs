//! The hidden layer along the path of a search, worked out only where a value is wanted.
//!
//! A move changes two to four inputs of either side, so as many rows are added to or subtracted from the sums of the
//! position before it, in one pass. A king that crosses the middle of the board mirrors its side's view: the sums are
//! then made from the last board seen in that view ([`Refresh`]), by the pieces in which the two differ.

use std::sync::Arc;

use shakmaty::{Bitboard, Board, CastlingSide, Color, Move, Role, Square};

use super::features::View;
use super::{Lane, Network, with_lanes};
use crate::Position;
use crate::score::MAX_PLY;

/// One ply of the path.
#[derive(Copy, Clone, Debug)]
struct PathPly {
    /// What was played to come here, and by whom; nothing at the root and after passing.
    played: Option<(Color, Move)>,
    /// How Black and White see the board.
    views: [View; 2],
    /// Whether the sums of Black's and White's view are up to date.
    known: [bool; 2],
}

/// The sums of a board seen before, for every view, from which another is made by its differences.
#[derive(Clone, Debug)]
struct Refresh {
    board: Board,
    sums: Vec<Lane>,
}

/// Hidden layers of all positions from the root to the node.
#[derive(Clone, Debug)]
pub struct Accumulators {
    network: Arc<Network>,
    plies: Vec<PathPly>,
    /// The lanes of each ply and colour.
    sums: Vec<Lane>,
    /// By colour, and whether the view is mirrored.
    refreshes: Vec<Refresh>,
}

/// Plies of the longest path, with room for the root.
const PLIES: usize = MAX_PLY + 2;

/// Up to this many plies the sums are updated move by move, beyond that by differences.
const NEAR: usize = 6;

impl Accumulators {
    /// Nothing is known of any position.
    pub fn new(network: Arc<Network>) -> Self {
        let views = [View::new(Color::Black, Square::E8), View::new(Color::White, Square::E1)];
        let refresh = || Refresh { board: Board::empty(), sums: network.biases.clone() };
        Self {
            plies: vec![PathPly { played: None, views, known: [false; 2] }; PLIES],
            sums: vec![Lane::ZERO; PLIES * 2 * network.lanes()],
            refreshes: (0..4).map(|_| refresh()).collect(),
            network,
        }
    }

    /// The network that these accumulators belong to.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// A path begins: this board stands at ply 0.
    pub fn reset(&mut self, board: &Board) {
        let views = [Color::Black, Color::White].map(|color| View::of(board, color));
        self.plies[0] = PathPly { played: None, views, known: [false; 2] };
    }

    /// A move of `mover` was played: `child` stands at `ply`.
    #[inline]
    pub fn push(&mut self, ply: usize, mover: Color, m: Move, child: &Board) {
        let mut views = self.plies[ply - 1].views;
        if m.role() == Role::King {
            views[mover as usize] = View::of(child, mover);
        }
        self.plies[ply] = PathPly { played: Some((mover, m)), views, known: [false; 2] };
    }

    /// The mover has passed; the resulting position is at `ply`.
    #[inline]
    pub fn push_null(&mut self, ply: usize) {
        self.plies[ply] = PathPly { played: None, known: [false; 2], ..self.plies[ply - 1] };
    }

    /// The value in centipawns for the side to move of the position that stands at `ply`.
    #[inline]
    pub fn value(&mut self, position: &Position, ply: usize) -> i32 {
        self.value_of(position.board(), position.turn(), ply)
    }

    /// The value of a board without a path, for the side to move.
    pub fn value_alone(&mut self, board: &Board, turn: Color) -> i32 {
        self.reset(board);
        self.value_of(board, turn, 0)
    }

    fn value_of(&mut self, board: &Board, turn: Color, ply: usize) -> i32 {
        self.make_known(board, ply, Color::Black);
        self.make_known(board, ply, Color::White);
        let lanes = self.network.lanes();
        let sums = |color: Color| &self.sums[place(ply, color) * lanes..][..lanes];
        self.network.output(sums(turn), sums(!turn), board.occupied().count())
    }

    /// Works out the sums of a view: from a position of the path not far back that has them and is seen the same way,
    /// or from a board seen before.
    #[inline]
    fn make_known(&mut self, board: &Board, ply: usize, color: Color) {
        let side = color as usize;
        let view = self.plies[ply].views[side];
        let mut from = ply;
        while !self.plies[from].known[side] {
            if from == 0 || ply - from == NEAR || self.plies[from - 1].views[side] != view {
                return self.refresh(board, ply, color);
            }
            from -= 1;
        }
        for next in from + 1..=ply {
            self.update(next, color);
        }
    }

    /// From the ply before.
    #[inline]
    fn update(&mut self, ply: usize, color: Color) {
        let PathPly { played, views, known } = &mut self.plies[ply];
        known[color as usize] = true;
        let lanes = self.network.lanes();
        let (before, here) = self.sums.split_at_mut(place(ply, color) * lanes);
        let before = &before[before.len() - 2 * lanes..][..lanes];
        let update = Update { rows: &self.network.rows, before, here: &mut here[..lanes] };
        match *played {
            Some((mover, m)) => update.play(m, mover, views[color as usize]),
            None => update.nothing(),
        }
    }

    /// From the last board that was seen this way.
    fn refresh(&mut self, board: &Board, ply: usize, color: Color) {
        let view = self.plies[ply].views[color as usize];
        let lanes = self.network.lanes();
        let refresh = &mut self.refreshes[2 * color as usize + usize::from(view.is_mirrored())];
        let rows = &self.network.rows;
        each_difference(&refresh.board, board, |input, comes| {
            let at = view.input(input.0, input.1) * lanes;
            with_lanes!(lanes, n => {
                for (sums, row) in refresh.sums[..n].iter_mut().zip(&rows[at..at + n]) {
                    for (sum, weight) in sums.0.iter_mut().zip(row.0) {
                        *sum = if comes { sum.wrapping_add(weight) } else { sum.wrapping_sub(weight) };
                    }
                }
            });
        });
        refresh.board.clone_from(board);
        self.sums[place(ply, color) * lanes..][..lanes].copy_from_slice(&refresh.sums);
        self.plies[ply].known[color as usize] = true;
    }
}

/// Where the sums of a ply and colour are.
#[inline]
fn place(ply: usize, color: Color) -> usize {
    2 * ply + color as usize
}

/// Calls `tell` for every piece that is on one board and not on the other, with `true` if it is on the second.
#[inline]
fn each_difference(before: &Board, after: &Board, mut tell: impl FnMut((shakmaty::Piece, Square), bool)) {
    for color in Color::ALL {
        for role in Role::ALL {
            let piece = role.of(color);
            let (old, new) = (before.by_piece(piece), after.by_piece(piece));
            let mut each = |squares: Bitboard, comes| {
                for square in squares {
                    tell((piece, square), comes);
                }
            };
            each(old & !new, false);
            each(new & !old, true);
        }
    }
}

/// The sums of a view before and after a move.
struct Update<'a> {
    rows: &'a [Lane],
    before: &'a [Lane],
    here: &'a mut [Lane],
}

impl Update<'_> {
    /// Switches the inputs of a move on and off.
    #[inline(always)]
    fn play(self, m: Move, mover: Color, view: View) {
        let input = |color: Color, role: Role, square: Square| view.input(role.of(color), square);
        match m {
            Move::Normal { role, from, capture, to, promotion } => {
                let on = [input(mover, promotion.unwrap_or(role), to)];
                let off = input(mover, role, from);
                match capture {
                    None => self.switch(on, [off]),
                    Some(captured) => self.switch(on, [off, input(!mover, captured, to)]),
                }
            }
            odd => self.play_odd(odd, mover, view),
        }
    }

    /// The same for castling and en passant.
    #[cold]
    #[inline(never)]
    fn play_odd(self, m: Move, mover: Color, view: View) {
        let input = |color: Color, role: Role, square: Square| view.input(role.of(color), square);
        match m {
            Move::EnPassant { from, to } => {
                let taken = Square::from_coords(to.file(), from.rank());
                let off = [input(mover, Role::Pawn, from), input(!mover, Role::Pawn, taken)];
                self.switch([input(mover, Role::Pawn, to)], off);
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_king_side(king < rook);
                let on = [
                    input(mover, Role::King, side.king_to(mover)),
                    input(mover, Role::Rook, side.rook_to(mover)),
                ];
                self.switch(on, [input(mover, Role::King, king), input(mover, Role::Rook, rook)]);
            }
            Move::Normal { .. } | Move::Put { .. } => self.nothing(),
        }
    }

    /// Nothing has changed on the board.
    fn nothing(self) {
        self.here.copy_from_slice(self.before);
    }

    /// Adds and takes away the rows of these inputs in one go.
    #[inline(always)]
    fn switch<const ON: usize, const OFF: usize>(self, on: [usize; ON], off: [usize; OFF]) {
        let Self { rows, before, here } = self;
        match before.len() {
            // The width of the built-in network, which the compiler may count on.
            32 => Sum::new(rows, &before[..32], on, off).write::<16>(&mut here[..32]),
            lanes if lanes.is_multiple_of(16) => Sum::new(rows, before, on, off).write::<16>(here),
            lanes if lanes.is_multiple_of(4) => Sum::new(rows, before, on, off).write::<4>(here),
            _ => Sum::new(rows, before, on, off).write::<1>(here),
        }
    }
}

/// What is added up: the sums of the ply before, rows that come and rows that go.
struct Sum<'a, const ON: usize, const OFF: usize> {
    before: &'a [Lane],
    on: [&'a [Lane]; ON],
    off: [&'a [Lane]; OFF],
}

impl<'a, const ON: usize, const OFF: usize> Sum<'a, ON, OFF> {
    #[inline(always)]
    fn new(rows: &'a [Lane], before: &'a [Lane], on: [usize; ON], off: [usize; OFF]) -> Self {
        let row = |input: usize| &rows[input * before.len()..][..before.len()];
        Self { before, on: on.map(row), off: off.map(row) }
    }

    /// Adds and subtracts so many lanes at a time, a loop that the compiler unrolls.
    #[inline(always)]
    fn write<const LANES: usize>(&self, here: &mut [Lane]) {
        let here = here.as_chunks_mut::<LANES>().0;
        for (block, (before, here)) in self.before.as_chunks::<LANES>().0.iter().zip(here).enumerate() {
            let (on, off) = (
                self.on.map(|row| &row.as_chunks::<LANES>().0[block]),
                self.off.map(|row| &row.as_chunks::<LANES>().0[block]),
            );
            for lane in 0..LANES {
                let mut sums = before[lane];
                for row in on {
                    for (sum, weight) in sums.0.iter_mut().zip(row[lane].0) {
                        *sum = sum.wrapping_add(weight);
                    }
                }
                for row in off {
                    for (sum, weight) in sums.0.iter_mut().zip(row[lane].0) {
                        *sum = sum.wrapping_sub(weight);
                    }
                }
                here[lane] = sums;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::random;
    use super::*;
    use crate::random::Random;

    /// The value by nothing but the definition: all rows of all pieces added up for each side.
    fn from_scratch(network: &Arc<Network>, position: &Position) -> i32 {
        let board = position.board();
        let sums = |color: Color| {
            let mut sums = network.biases.clone();
            for (square, piece) in board.iter() {
                let row = View::of(board, color).input(piece, square) * network.lanes();
                for (sums, weights) in sums.iter_mut().zip(&network.rows[row..]) {
                    sums.0 = std::array::from_fn(|index| sums.0[index] + weights.0[index]);
                }
            }
            sums
        };
        let (own, other) = (sums(position.turn()), sums(!position.turn()));
        network.output(&own, &other, board.occupied().count())
    }

    /// What happened on a walk.
    #[derive(Default)]
    struct Seen {
        values: usize,
        castled: usize,
        promoted: usize,
        en_passant: usize,
        passed: usize,
        crossed: usize,
    }

    impl Seen {
        fn moved(&mut self, m: Move) {
            self.castled += usize::from(m.is_castle());
            self.promoted += usize::from(m.is_promotion());
            self.en_passant += usize::from(m.is_en_passant());
            let middle = |square: Square| square.file() < shakmaty::File::E;
            let crosses =
                m.role() == Role::King && m.from().is_some_and(|from| middle(from) != middle(m.to()));
            self.crossed += usize::from(crosses);
        }
    }

    /// Walks about at random, forwards and back, passing now and then, and asks for values now and then.
    fn walk(network: &Arc<Network>, start: &Position, seed: u64, seen: &mut Seen) {
        let mut random = Random::new(seed);
        let mut path = vec![start.clone()];
        let mut sums = Accumulators::new(Arc::clone(network));
        sums.reset(start.board());
        for _ in 0..400 {
            let ply = path.len() - 1;
            let here = path[ply].clone();
            let legal = here.legal_moves();
            let back = legal.is_empty() || ply >= 60 || random.below(8) == 0;
            if back && ply > 0 {
                path.truncate(1 + random.below(ply));
                continue;
            }
            let special = legal.iter().find(|m| m.is_castle() || m.is_en_passant() || m.is_promotion());
            let passed =
                Some(&here).filter(|here| !here.in_check() && random.below(10) == 0).and_then(Position::pass);
            let next = if let Some(passed) = passed {
                sums.push_null(ply + 1);
                seen.passed += 1;
                passed
            } else if let Some(&any) = legal.get(random.below(legal.len())) {
                let m = special.copied().filter(|_| random.below(2) == 0).unwrap_or(any);
                let next = here.play(m);
                sums.push(ply + 1, here.turn(), m, next.board());
                seen.moved(m);
                next
            } else {
                return;
            };
            path.push(next);
            if random.below(3) == 0 {
                let here = &path[ply + 1];
                assert_eq!(sums.value(here, ply + 1), from_scratch(network, here), "{}", here.fen());
                seen.values += 1;
            }
        }
    }

    const STARTS: [(&str, bool); 6] = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", false),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", false),
        ("4k3/P6P/8/3pP3/8/8/p6p/4K3 w - d6 0 40", false),
        ("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1", true),
        ("rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w EAea - 0 1", true),
        ("8/8/3k4/8/8/3K4/8/8 w - - 0 1", false),
    ];

    #[test]
    fn sums_kept_along_equal_sums_made_anew() {
        let mut seen = Seen::default();
        for (width, buckets) in [(32, 2), (64, 1), (128, 1), (256, 4)] {
            let network = Arc::new(random(width, buckets));
            for (seed, (fen, chess960)) in STARTS.into_iter().enumerate() {
                let start = Position::from_fen(fen, chess960).unwrap();
                for round in 0..8 {
                    walk(&network, &start, 100 * seed as u64 + round, &mut seen);
                }
            }
        }
        let Seen { values, castled, promoted, en_passant, passed, crossed } = seen;
        assert!(values > 10_000, "{values}");
        assert!([castled, promoted, en_passant, passed, crossed].iter().all(|count| *count > 50));
    }

    #[test]
    fn the_value_is_the_same_for_either_colour() {
        let network = Arc::new(random(64, 2));
        let mut sums = Accumulators::new(Arc::clone(&network));
        let mut random = Random::new(3);
        let mut position = Position::default();
        for _ in 0..2_000 {
            let legal = position.legal_moves();
            let Some(&m) = legal.get(random.below(legal.len())) else {
                position = Position::default();
                continue;
            };
            position = position.play(m);
            let other = position.flipped().expect("the flipped position is legal");
            let value = sums.value_alone(position.board(), position.turn());
            assert_eq!(value, sums.value_alone(other.board(), other.turn()), "{}", position.fen());
        }
    }
}
