//! What a centipawn is: the evaluation, the exchanges and the results of games agree on one scale.
//!
//! One pawn is one unit, 100 centipawns: taking a pawn off changes the evaluation by 100 on average, over positions that
//! are not decided. A side that is one unit ahead wins half of its games against itself (the rest is drawn or lost).

use espalier::board::see::piece_value;
use espalier::eval::Evaluator;
use espalier::learn::games::{Filter, GameFiles};
use espalier::{Position, Score};
use shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup, Position as _, Role, Square};

use crate::common;

/// A position whose value is further from equal is decided.
const UNDECIDED: i32 = 200;

/// Pieces by what they count in an exchange; a name and the roles.
const KINDS: [(&str, &[Role]); 4] = [
    ("pawn", &[Role::Pawn]),
    ("minor piece", &[Role::Knight, Role::Bishop]),
    ("rook", &[Role::Rook]),
    ("queen", &[Role::Queen]),
];

/// Changes of the evaluation when a piece is taken off, by the order of [`KINDS`].
#[derive(Default)]
struct Losses {
    evaluator: Evaluator,
    sums: [(f64, f64); KINDS.len()],
}

impl Losses {
    /// Takes off each piece in turn; nothing if the position is decided.
    fn add(&mut self, chess: &Chess) {
        let before = self.white_value(chess);
        if before.abs() > UNDECIDED {
            return;
        }
        for (kind, (_, roles)) in KINDS.iter().enumerate() {
            let board = chess.board();
            for square in roles.iter().flat_map(|role| board.by_role(*role)) {
                let Some(without) = without(chess, square) else { continue };
                let change = before - self.white_value(&without);
                let sign = if board.white().contains(square) { 1 } else { -1 };
                self.sums[kind].0 += f64::from(sign * change);
                self.sums[kind].1 += 1.0;
            }
        }
    }

    fn white_value(&mut self, chess: &Chess) -> i32 {
        let position = Position::new(chess.clone());
        let value: Score = self.evaluator.evaluate(&position);
        position.turn().fold_wb(value, -value).raw()
    }

    fn mean(&self, kind: usize) -> f64 {
        self.sums[kind].0 / self.sums[kind].1
    }
}

/// The position without one piece, if the mover could not take the king then.
fn without(chess: &Chess, square: Square) -> Option<Chess> {
    let mut setup = chess.to_setup(EnPassantMode::Legal);
    setup.board.discard_piece_at(square);
    setup.castling_rights.discard(square);
    setup.ep_square = None;
    Chess::from_setup(setup, CastlingMode::Chess960).ok()
}

#[test]
fn one_pawn_is_one_unit_and_exchanges_count_as_the_evaluation_does() {
    let mut losses = Losses::default();
    for line in ["wac.epd", "bench.epd", "bk.epd"].iter().flat_map(|name| common::lines(name)) {
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        let Ok(position) = Position::from_fen(&format!("{} 0 1", fields.join(" ")), false) else { continue };
        losses.add(position.chess());
    }
    for (kind, (name, roles)) in KINDS.iter().enumerate() {
        let (mean, unit) = (losses.mean(kind), f64::from(piece_value(roles[0])));
        println!("{name}: {mean:.1} over {} pieces, {unit} in exchanges", losses.sums[kind].1);
        assert!((mean / unit - 1.0).abs() < 0.05, "a {name} is worth {mean:.1}, {unit} in exchanges");
    }
    assert_eq!(piece_value(Role::Pawn), 100);
    assert_eq!(piece_value(Role::Knight), piece_value(Role::Bishop));
}

/// The same over games, and how often a side wins with a score; run with
/// `ESPALIER_GAMES=DIR cargo test --test suite scale -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn scale_of_games() {
    let folder = std::env::var_os("ESPALIER_GAMES").expect("ESPALIER_GAMES names a folder of games");
    let files = GameFiles::find(&[folder.into()]).unwrap();
    let (all, _) = files.map(1, &Default::default(), |_, file| {
        let (mut losses, mut seen) = (Losses::default(), 0_u64);
        // Scores of the search from 0 to 199 in steps of 10: games and wins of the side that has it.
        let mut wins = [(0_u64, 0_u64); 20];
        for game in file.games() {
            let header = game.start();
            let (Ok(start), Some(result)) = (header.unpack(), header.result()) else { continue };
            let replayed = game.replay(start, |chess, m, score| {
                if !Filter::default().keeps(chess, m, score) {
                    return;
                }
                for (score, points) in [(score, result.points()), (-score, 1.0 - result.points())] {
                    if let Some(bin) = wins.get_mut(usize::try_from(score).map_or(20, |score| score / 10)) {
                        *bin = (bin.0 + 1, bin.1 + u64::from(points == 1.0));
                    }
                }
                seen += 1;
                if seen.is_multiple_of(31) {
                    losses.add(chess);
                }
            });
            replayed.unwrap();
        }
        (losses, wins)
    });
    for (losses, wins) in all {
        for (kind, (name, _)) in KINDS.iter().enumerate() {
            println!("{name}: {:.1} over {} pieces", losses.mean(kind), losses.sums[kind].1);
        }
        for (bin, (games, won)) in wins.iter().enumerate() {
            let percent = 100.0 * *won as f64 / *games as f64;
            println!("score from {}: {percent:.1} % won of {games} positions", 10 * bin);
        }
    }
}
