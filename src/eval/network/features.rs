//! What a network sees: every piece on its square, from the side of either player.

use shakmaty::{Board, Color, Piece, Square};

/// Own and enemy pieces of six kinds on 64 squares.
pub const INPUTS: usize = 2 * 6 * 64;

/// How a player looks at the board: Black sees it upside down, and a player whose king stands on the queen's wing sees
/// it left to right, so that the own king is always on the files e to h.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct View {
    color: Color,
    /// What the squares are changed by.
    flip: u32,
}

impl View {
    /// That of a player with the king on this square.
    #[inline]
    pub fn new(color: Color, king: Square) -> Self {
        let upside_down = color.fold_wb(0, 56);
        let mirrored = if king.file() < shakmaty::File::E { 7 } else { 0 };
        Self { color, flip: upside_down ^ mirrored }
    }

    /// That of a player on this board.
    pub fn of(board: &Board, color: Color) -> Self {
        Self::new(color, board.king_of(color).unwrap_or(Square::E1))
    }

    /// Left and right are exchanged.
    #[inline]
    pub fn is_mirrored(self) -> bool {
        self.flip & 7 != 0
    }

    /// The input that a piece on a square switches on.
    #[inline]
    pub fn input(self, piece: Piece, square: Square) -> usize {
        let side = usize::from(piece.color != self.color);
        (side * 6 + piece.role as usize - 1) * 64 + (u32::from(square) ^ self.flip) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;

    fn inputs(fen: &str, color: Color) -> Vec<usize> {
        let position = Position::from_fen(fen, false).unwrap();
        let board = position.board();
        let view = View::of(board, color);
        let mut inputs: Vec<usize> = board.iter().map(|(square, piece)| view.input(piece, square)).collect();
        inputs.sort_unstable();
        inputs
    }

    #[test]
    fn both_players_see_the_same_in_a_position_turned_round() {
        let white =
            inputs("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", Color::White);
        let black =
            inputs("r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R b KQkq - 0 1", Color::Black);
        assert_eq!(white, black);
    }

    #[test]
    fn a_king_on_the_other_wing_sees_the_mirrored_board() {
        let right = inputs("6k1/5ppp/8/8/8/8/1Q6/6K1 w - - 0 1", Color::White);
        let left = inputs("1k6/ppp5/8/8/8/8/6Q1/1K6 w - - 0 1", Color::White);
        assert_eq!(right, left);
        assert_ne!(right, inputs("6k1/5ppp/8/8/8/8/6Q1/6K1 w - - 0 1", Color::White));
    }

    #[test]
    fn no_two_pieces_share_an_input() {
        let view = View::new(Color::Black, Square::C8);
        let mut seen = [false; INPUTS];
        for piece in Color::ALL.into_iter().flat_map(|color| shakmaty::Role::ALL.map(|role| role.of(color))) {
            for square in Square::ALL {
                assert!(!std::mem::replace(&mut seen[view.input(piece, square)], true));
            }
        }
        assert!(seen.iter().all(|seen| *seen));
    }
}
