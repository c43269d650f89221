//! Static exchange evaluation: what a capture sequence on one square wins, without searching.

use shakmaty::{Bitboard, Move, Role, Square, attacks};

use crate::board::Position;

/// Exchange values in centipawns, by role; a king is never given up.
///
/// A piece is worth what the evaluation loses without it, on average over positions that are not decided
/// (`tests/suite/scale.rs`), so that margins of the search mean the same here and there. Knight and bishop share one
/// value: a bishop given for a knight is an even exchange.
pub const fn piece_value(role: Role) -> i32 {
    // Pawn to king. A `match` would be compiled to jumps, which processors mispredict.
    const VALUES: [i32; 6] = [100, 350, 350, 530, 1_125, 20_000];
    VALUES[role as usize - 1]
}

/// The value of the piece a move takes.
pub fn captured_value(m: Move) -> i32 {
    m.capture().map_or(0, piece_value)
}

/// Whether the exchange that starts with `m` wins at least `threshold` for the mover, both sides
/// capturing with their least valuable piece and stopping when it pays.
///
/// ```
/// use espalier::{Position, board::see};
/// let position = Position::from_fen("4k3/8/3p4/4p3/8/8/8/4RK2 w - - 0 1", false).unwrap();
/// let rook_takes_pawn = position.parse_move("e1e5").unwrap();
/// assert!(!see::at_least(&position, rook_takes_pawn, 0));
/// assert!(see::at_least(&position, rook_takes_pawn, 100 - 530));
/// ```
pub fn at_least(position: &Position, m: Move, threshold: i32) -> bool {
    let Move::Normal { role, from, capture, to, promotion } = m else {
        // En passant wins a pawn that is at worst traded back; castling exchanges nothing.
        return threshold <= 0 || (m.is_en_passant() && threshold <= piece_value(Role::Pawn));
    };
    let placed = promotion.unwrap_or(role);
    let gained = capture.map_or(0, piece_value)
        + if promotion.is_some() { piece_value(placed) - piece_value(Role::Pawn) } else { 0 };
    let mut balance = gained - threshold;
    if balance < 0 {
        return false;
    }
    balance -= piece_value(placed);
    if balance >= 0 {
        return true;
    }
    exchange(position, from, to, balance)
}

/// Plays the recaptures out. `balance` is what the first mover has over the threshold if the piece now
/// standing on `to` is lost for nothing.
fn exchange(position: &Position, from: Square, to: Square, mut balance: i32) -> bool {
    let board = position.board();
    let diagonal = board.bishops_and_queens();
    let straight = board.rooks_and_queens();
    let mut occupied = board.occupied().without(from).with(to);
    let mut attackers = board.attacks_to(to, shakmaty::Color::White, occupied)
        | board.attacks_to(to, shakmaty::Color::Black, occupied);
    let mut side = !position.turn();
    let mut first_mover_ahead = true;
    loop {
        attackers &= occupied;
        let ours = attackers & board.by_color(side);
        let Some((role, square)) = least_valuable(position, ours) else {
            break;
        };
        first_mover_ahead = !first_mover_ahead;
        balance = -balance - 1 - piece_value(role);
        side = !side;
        // A king's worth makes a capture into a defended square lose, as the rules do.
        if balance >= 0 {
            break;
        }
        occupied = occupied.without(square);
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= attacks::bishop_attacks(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= attacks::rook_attacks(to, occupied) & straight;
        }
    }
    first_mover_ahead
}

fn least_valuable(position: &Position, candidates: Bitboard) -> Option<(Role, Square)> {
    if candidates.is_empty() {
        return None;
    }
    Role::ALL
        .into_iter()
        .find_map(|role| (candidates & position.board().by_role(role)).first().map(|square| (role, square)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exact value, found with the threshold question alone.
    fn value(fen: &str, text: &str) -> i32 {
        let position = Position::from_fen(fen, false).unwrap();
        let m = position.parse_move(text).unwrap();
        (-2000..=2000).rev().find(|&threshold| at_least(&position, m, threshold)).unwrap()
    }

    #[test]
    fn an_undefended_piece_is_won() {
        assert_eq!(value("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5"), 100);
    }

    #[test]
    fn x_rays_join_the_exchange() {
        // NxP, NxN, RxN, BxR, and the queen behind the rooks decides that White should stop.
        let fen = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1";
        assert_eq!(value(fen, "d3e5"), 100 - 350);
    }

    #[test]
    fn a_quiet_move_into_attack_loses_the_piece() {
        assert_eq!(value("4k3/8/3p4/8/8/8/8/2R1K3 w - - 0 1", "c1c5"), -530);
    }

    #[test]
    fn a_king_does_not_capture_a_defended_piece() {
        assert_eq!(value("8/8/8/3k4/4p3/8/8/K3R3 w - - 0 1", "e1e4"), 100 - 530);
        assert_eq!(value("8/8/8/3k4/4p3/8/4R3/K3R3 w - - 0 1", "e2e4"), 100);
    }

    #[test]
    fn promotions_and_special_moves_count() {
        assert_eq!(value("8/P7/8/8/8/8/8/k1K5 w - - 0 1", "a7a8q"), 1_125 - 100);
        assert_eq!(value("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), 100);
        assert_eq!(value("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"), 0);
    }
}
