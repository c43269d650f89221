//! The hidden layer along the path of a search, worked out only where a value is wanted.
//!
//! A move changes two to four inputs of either side, so that the sums of the position before it are changed by as many
//! rows. A king that crosses the middle of the board mirrors everything its side sees: that side's sums are made from
//! the nearest board seen the same way ([`Refresh`]), by the pieces in which the two differ.

use std::sync::Arc;

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Board, Color, Piece, Role};

use super::Network;
use super::features::View;
use crate::score::MAX_PLY;

/// Inputs that a move switches on and off: at most two pieces come and two go (a capture, or castling).
type Changed = ArrayVec<usize, 2>;

/// One ply of the path.
#[derive(Clone, Debug)]
struct Ply {
    board: Board,
    /// The sums of White's and Black's view are those of this board.
    known: [bool; 2],
}

/// The sums of a board seen before, for every view, from which another is made by its differences.
#[derive(Clone, Debug)]
struct Refresh {
    board: Board,
    sums: Vec<i16>,
}

/// Hidden layers of all positions from the root to the node.
#[derive(Clone, Debug)]
pub struct Accumulators {
    network: Arc<Network>,
    plies: Vec<Ply>,
    /// `width` numbers for each ply and colour.
    sums: Vec<i16>,
    /// By colour, and whether the view is mirrored.
    refreshes: Vec<Refresh>,
    now: usize,
}

/// Plies of the longest path, with room for the root.
const PLIES: usize = MAX_PLY + 2;

impl Accumulators {
    /// Nothing is known of any position.
    pub fn new(network: Arc<Network>) -> Self {
        let empty = || Ply { board: Board::empty(), known: [false; 2] };
        let refresh = || Refresh { board: Board::empty(), sums: network.biases.clone() };
        Self {
            plies: (0..PLIES).map(|_| empty()).collect(),
            sums: vec![0; PLIES * 2 * network.width],
            refreshes: (0..4).map(|_| refresh()).collect(),
            now: 0,
            network,
        }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// A search begins here.
    pub fn reset(&mut self, board: &Board) {
        self.now = 0;
        self.set(board);
    }

    /// The search goes from the position at `ply` to this one.
    #[inline]
    pub fn push(&mut self, ply: usize, board: &Board) {
        self.now = (ply + 1).min(PLIES - 1);
        self.set(board);
    }

    #[inline]
    fn set(&mut self, board: &Board) {
        let ply = &mut self.plies[self.now];
        ply.board.clone_from(board);
        ply.known = [false; 2];
    }

    /// The value in centipawns for the side to move of the position at `ply`.
    pub fn value(&mut self, ply: usize, turn: Color) -> i32 {
        let ply = ply.min(PLIES - 1);
        for color in Color::ALL {
            self.make_known(ply, color);
        }
        let (own, other) = (self.place(ply, turn), self.place(ply, !turn));
        let width = self.network.width;
        let sums = |place: usize| &self.sums[place..place + width];
        self.network.output(sums(own), sums(other), self.plies[ply].board.occupied().count())
    }

    /// Where the sums of a ply and colour begin.
    fn place(&self, ply: usize, color: Color) -> usize {
        (2 * ply + color as usize) * self.network.width
    }

    /// Works out the sums of a view: from the nearest position of the path that has them and is seen the same way, or
    /// from a board seen before.
    fn make_known(&mut self, ply: usize, color: Color) {
        if self.plies[ply].known[color as usize] {
            return;
        }
        let view = View::of(&self.plies[ply].board, color);
        let mut from = ply;
        while from > 0 && !self.plies[from].known[color as usize] {
            from -= 1;
            if View::of(&self.plies[from].board, color) != view {
                return self.refresh(ply, color, view);
            }
        }
        if !self.plies[from].known[color as usize] {
            return self.refresh(ply, color, view);
        }
        for next in from + 1..=ply {
            self.update(next, color, view);
        }
    }

    /// From the ply before.
    fn update(&mut self, ply: usize, color: Color, view: View) {
        let (on, off) = changes(&self.plies[ply - 1].board, &self.plies[ply].board, view);
        let width = self.network.width;
        let place = self.place(ply, color);
        let (before, here) = self.sums.split_at_mut(place);
        let before = &before[place - 2 * width..][..width];
        let network = &self.network;
        apply(network, before, &mut here[..width], &on, &off);
        self.plies[ply].known[color as usize] = true;
    }

    /// From the last board that was seen this way.
    fn refresh(&mut self, ply: usize, color: Color, view: View) {
        let mirrored =
            self.plies[ply].board.king_of(color).is_some_and(|king| king.file() < shakmaty::File::E);
        let place = self.place(ply, color);
        let refresh = &mut self.refreshes[2 * color as usize + usize::from(mirrored)];
        let board = &self.plies[ply].board;
        each_difference(&refresh.board, board, |piece, square, comes| {
            let row = self.network.row(view.input(piece, square));
            for (sum, weight) in refresh.sums.iter_mut().zip(row) {
                *sum = if comes { sum.wrapping_add(*weight) } else { sum.wrapping_sub(*weight) };
            }
        });
        refresh.board.clone_from(board);
        self.sums[place..place + self.network.width].copy_from_slice(&refresh.sums);
        self.plies[ply].known[color as usize] = true;
    }
}

/// Tells of every piece that is on one board and not on the other; `true` if it comes.
#[inline]
fn each_difference(before: &Board, after: &Board, mut tell: impl FnMut(Piece, shakmaty::Square, bool)) {
    for color in Color::ALL {
        for role in Role::ALL {
            let piece = role.of(color);
            let (old, new) = (before.by_piece(piece), after.by_piece(piece));
            let mut each = |squares: Bitboard, comes| {
                for square in squares {
                    tell(piece, square, comes);
                }
            };
            each(old & !new, false);
            each(new & !old, true);
        }
    }
}

/// The inputs that a move switches on and off.
#[inline]
fn changes(before: &Board, after: &Board, view: View) -> (Changed, Changed) {
    let (mut on, mut off) = (Changed::new(), Changed::new());
    // Castling in Chess960 may change the pieces on squares that its side occupies before and after.
    let of_roles = Role::ALL.into_iter().map(|role| before.by_role(role) ^ after.by_role(role));
    let of_colors = Color::ALL.into_iter().map(|color| before.by_color(color) ^ after.by_color(color));
    for square in of_roles.chain(of_colors).fold(Bitboard::EMPTY, |all, some| all | some) {
        if let Some(piece) = before.piece_at(square) {
            off.push(view.input(piece, square));
        }
        if let Some(piece) = after.piece_at(square) {
            on.push(view.input(piece, square));
        }
    }
    (on, off)
}

/// Adds and takes away rows in one go.
#[inline]
fn apply(network: &Network, before: &[i16], here: &mut [i16], on: &[usize], off: &[usize]) {
    match (on, off) {
        (&[], &[]) => here.copy_from_slice(before),
        (&[a], &[b]) => {
            let rows = network.row(a).iter().zip(network.row(b));
            for ((here, before), (a, b)) in here.iter_mut().zip(before).zip(rows) {
                *here = before.wrapping_add(*a).wrapping_sub(*b);
            }
        }
        (&[a], &[b, c]) => {
            let rows = network.row(a).iter().zip(network.row(b)).zip(network.row(c));
            for ((here, before), ((a, b), c)) in here.iter_mut().zip(before).zip(rows) {
                *here = before.wrapping_add(*a).wrapping_sub(*b).wrapping_sub(*c);
            }
        }
        (on, off) => {
            here.copy_from_slice(before);
            for (inputs, sign) in [(on, 1), (off, -1)] {
                for &input in inputs {
                    for (here, weight) in here.iter_mut().zip(network.row(input)) {
                        *here = here.wrapping_add(sign * *weight);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::random;
    use super::*;
    use crate::Position;
    use crate::random::Random;

    fn from_scratch(network: &Arc<Network>, position: &Position) -> i32 {
        let mut fresh = Accumulators::new(Arc::clone(network));
        fresh.reset(position.board());
        fresh.value(0, position.turn())
    }

    /// Walks about at random, forwards and back, passing now and then, and asks for values now and then.
    fn walk(network: &Arc<Network>, start: &Position, seed: u64) -> usize {
        let mut random = Random::new(seed);
        let mut path = vec![start.clone()];
        let mut sums = Accumulators::new(Arc::clone(network));
        sums.reset(start.board());
        let mut asked = 0;
        for _ in 0..400 {
            let ply = path.len() - 1;
            let here = path[ply].clone();
            let legal = here.legal_moves();
            let back = legal.is_empty() || ply >= 60 || random.below(8) == 0;
            if back && ply > 0 {
                path.truncate(1 + random.below(ply));
                continue;
            }
            let passed =
                Some(&here).filter(|here| !here.in_check() && random.below(10) == 0).and_then(Position::pass);
            let next = match (passed, legal.get(random.below(legal.len()))) {
                (Some(passed), _) => passed,
                (None, Some(&m)) => here.play(m),
                (None, None) => return asked,
            };
            sums.push(ply, next.board());
            path.push(next);
            if random.below(3) == 0 {
                let here = &path[ply + 1];
                assert_eq!(sums.value(ply + 1, here.turn()), from_scratch(network, here), "{}", here.fen());
                asked += 1;
            }
        }
        asked
    }

    #[test]
    fn sums_kept_along_equal_sums_made_anew() {
        let network = Arc::new(random(32, 2));
        let mut asked = 0;
        for (seed, fen) in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "4k3/P6P/8/3pP3/8/8/p6p/4K3 w - d6 0 40",
            "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
            "8/8/3k4/8/8/3K4/8/8 w - - 0 1",
        ]
        .into_iter()
        .enumerate()
        {
            for round in 0..20 {
                asked += walk(&network, &Position::from_fen(fen, false).unwrap(), 100 * seed as u64 + round);
            }
        }
        assert!(asked > 5_000, "{asked}");
    }
}
