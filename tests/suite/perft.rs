//! The picker yields every legal move once: counts that others have computed.

use crate::common::{lines, shared_lines};
use espalier::{Position, perft::perft};

/// Checks every count of at most `most` nodes in lines of the form "FEN ;D1 20 ;D2 400 …".
fn check(lines: &[String], most: u64, chess960: bool) -> u64 {
    let mut counted = 0;
    for line in lines {
        let mut fields = line.split(';');
        let fen = fields.next().unwrap_or_default().trim();
        let position = Position::from_fen(fen, chess960).unwrap_or_else(|error| panic!("{fen}: {error}"));
        for field in fields.filter_map(|field| field.trim().strip_prefix('D')) {
            let (depth, nodes) = field.split_once(' ').expect("D<depth> <nodes>");
            let (depth, nodes): (u32, u64) = (depth.parse().unwrap(), nodes.trim().parse().unwrap());
            if nodes <= most {
                assert_eq!(perft(&position, depth), nodes, "{fen} at depth {depth}");
                counted += 1;
            }
        }
    }
    counted
}

#[test]
fn ordinary_positions() {
    assert!(check(&lines("perft_standard.epd"), 400_000, false) > 400);
}

#[test]
fn random_positions() {
    assert!(check(&lines("perft_random.epd"), 50_000, false) > 1_000);
}

#[test]
fn castling_and_en_passant_corner_cases() {
    assert!(check(&lines("perft_tricky.epd"), 5_000_000, true) > 50);
}

#[test]
fn chess960() {
    assert!(check(&lines("perft_fischer960.epd"), 15_000, true) > 2_000);
}

#[test]
fn more_positions_where_they_are() {
    for (name, most, chess960) in [
        ("perft_cpw6.epd", 6_000_000, false),
        ("perft_random.epd", 5_000, false),
        ("perft_fischer960.epd", 15_000, true),
    ] {
        if let Some(lines) = shared_lines(name) {
            assert!(check(&lines, most, chess960) > 20);
        }
    }
}
