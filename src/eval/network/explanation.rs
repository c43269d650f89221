//! What a network thinks of each piece, for people.

use std::fmt;
use std::sync::Arc;

use shakmaty::{Board, File, Piece, Rank, Role, Square};

use super::{Accumulators, Network};
use crate::Position;

/// What each piece is worth to a network: by how much the value changes if it is taken off the board.
#[derive(Clone, Debug)]
pub struct PieceValues {
    /// All pieces but the kings, with centipawns for White.
    pub pieces: Vec<(Square, Piece, i32)>,
    /// The value of the position for White.
    pub white: i32,
    position: Position,
}

/// Takes every piece but the kings off in turn, and puts it back.
pub fn piece_values(position: &Position, network: &Arc<Network>) -> PieceValues {
    let mut sums = Accumulators::new(Arc::clone(network));
    let turn = position.turn();
    let mut for_white = |board: &Board| {
        let value = sums.value_alone(board, turn);
        turn.fold_wb(value, -value)
    };
    let white = for_white(position.board());
    let mut pieces = Vec::new();
    for (square, piece) in position.board().iter().filter(|(_, piece)| piece.role != Role::King) {
        let mut without = position.board().clone();
        without.discard_piece_at(square);
        pieces.push((square, piece, white - for_white(&without)));
    }
    PieceValues { pieces, white, position: position.clone() }
}

/// A board with every piece above its worth to White.
impl fmt::Display for PieceValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = "+-------".repeat(8) + "+";
        writeln!(f, "network: what White gains by each piece, in pawns")?;
        writeln!(f, "{line}")?;
        for rank in Rank::ALL.into_iter().rev() {
            let squares = File::ALL.map(|file| Square::from_coords(file, rank));
            for square in squares {
                let piece = self.position.board().piece_at(square).map_or(' ', Piece::char);
                write!(f, "|{piece:^7}")?;
            }
            writeln!(f, "|")?;
            for square in squares {
                let worth = self.pieces.iter().find(|piece| piece.0 == square);
                let worth = worth.map(|piece| format!("{:+.2}", f64::from(piece.2) / 100.0));
                write!(f, "|{:^7}", worth.unwrap_or_default())?;
            }
            writeln!(f, "|\n{line}")?;
        }
        let (mover, turn) = self.position.turn().fold_wb((self.white, "White"), (-self.white, "Black"));
        write!(f, "network {:+} for White, {mover:+} for {turn} to move", self.white)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::random;
    use super::*;

    #[test]
    fn a_piece_is_worth_what_the_value_falls_by_without_it() {
        let network = Arc::new(random(32, 1));
        let value = |fen: &str| {
            let position = Position::from_fen(fen, false).unwrap();
            -Accumulators::new(Arc::clone(&network)).value_alone(position.board(), position.turn())
        };
        let position = Position::from_fen("4k3/8/8/3q4/8/8/4P3/4K3 b - - 0 1", false).unwrap();
        let values = piece_values(&position, &network);
        let whole = value("4k3/8/8/3q4/8/8/4P3/4K3 b - - 0 1");
        assert_eq!(values.white, whole);
        let worth: Vec<(Square, i32)> = values.pieces.iter().map(|piece| (piece.0, piece.2)).collect();
        let pawn = whole - value("4k3/8/8/3q4/8/8/8/4K3 b - - 0 1");
        let queen = whole - value("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1");
        assert_eq!(worth, [(Square::E2, pawn), (Square::D5, queen)]);
        let text = values.to_string();
        assert!(text.contains(&format!("{:+.2}", f64::from(queen) / 100.0)), "{text}");
        assert!(text.contains(&format!("network {whole:+} for White")), "{text}");
    }
}
