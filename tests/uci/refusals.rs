//! Positions that are refused: each keeps the previous position and prints one error that names the reason;
//! a `go` right after it answers `bestmove 0000`; the next valid position is played.

use crate::client::Client;
use crate::game::Game;
use crate::positions::shown;

/// All that a client may rely on after a bad `position`; the error must contain one of the words.
fn refused(bad: &str, words: &[&str]) {
    let before = Game::default().after("d2d4 g8f6");
    let mut client = Client::at(&before.command());
    let error = client.refuse(bad);
    let lower = error.to_lowercase();
    assert!(words.iter().any(|word| lower.contains(word)), "{bad}: {error:?} names none of {words:?}");
    assert_eq!(shown(&mut client, "Fen:"), before.fen(), "{bad}");
    for _ in 0..2 {
        let answer = client.search("go depth 2");
        assert_eq!(answer.best, "0000", "{bad}");
        assert_eq!(answer.errors(), 1, "{bad}: go says why");
    }
    let answer = client.search("go perft 2");
    assert_eq!(
        (answer.best.as_str(), answer.errors(), answer.lines.len()),
        ("0000", 1, 1),
        "{bad}: go perft"
    );
    let next = Game::default().after("e2e4");
    let answer = client.search(&format!("{}\ngo depth 2", next.command()));
    assert!(next.is_legal(&answer.best), "{bad}: {}", answer.best);
    assert_eq!(answer.errors(), 0, "{bad}");
}

fn refused_fen(fen: &str, words: &[&str]) {
    refused(&format!("position fen {fen}"), words);
}

// Empty board.
#[test]
fn an_empty_board_is_refused() {
    refused_fen("8/8/8/8/8/8/8/8 w - - 0 1", &["empty", "king"]);
}

// A king missing or doubled.
#[test]
fn a_missing_king_is_refused() {
    refused_fen("4k3/8/8/8/8/8/8/8 w - - 0 1", &["king"]);
    refused_fen("8/8/8/8/8/8/8/4K3 w - - 0 1", &["king"]);
}

#[test]
fn a_second_king_is_refused() {
    refused_fen("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", &["king"]);
    refused_fen("4kk2/8/8/8/8/8/8/4K3 w - - 0 1", &["king"]);
}

// Side to move could capture the king.
#[test]
fn a_king_that_could_be_captured_is_refused() {
    refused_fen("4k3/8/8/8/8/8/8/K3R3 w - - 0 1", &["king", "check"]);
}

// Kings adjacent.
#[test]
fn adjacent_kings_are_refused() {
    refused_fen("8/8/8/8/8/8/4k3/4K3 w - - 0 1", &["king", "check"]);
}

// Pawn on the first or last rank.
#[test]
fn pawns_on_the_first_and_last_rank_are_refused() {
    refused_fen("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", &["pawn"]);
    refused_fen("p3k3/8/8/8/8/8/8/4K3 w - - 0 1", &["pawn"]);
}

// Nine files; seven ranks; garbage.
#[test]
fn boards_of_the_wrong_size_are_refused() {
    for board in ["4k4/8/8/8/8/8/8/4K3", "4k3/9/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/8/4K3"]
    {
        refused_fen(&format!("{board} w - - 0 1"), &["board", "rank", "file", "fen"]);
    }
}

#[test]
fn garbage_instead_of_a_fen_is_refused() {
    refused_fen("hello world how are you", &["board", "fen", "turn", "side", "clock"]);
    refused_fen("4k3/8/8/8/8/8/8/4X3 w - - 0 1", &["board", "fen", "piece"]);
}

// Side `x`.
#[test]
fn a_side_that_is_neither_white_nor_black_is_refused() {
    refused_fen("4k3/8/8/8/8/8/8/4K3 x - - 0 1", &["turn", "side"]);
}

// More than 32 pieces or 16 of a side.
#[test]
fn too_many_pieces_are_refused() {
    let words = ["16", "32", "pieces", "material"];
    refused_fen("4k3/8/8/8/8/QQQQQQQQ/QQQQQQQQ/QQQQK3 w - - 0 1", &words);
    refused_fen("rnbqkbnr/pppppppp/pppppppp/8/8/PPPPPPPP/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &words);
}

// Bare `position`, `position fen`, `position foo`.
#[test]
fn a_position_command_without_a_position_is_refused() {
    let words = ["startpos", "fen", "position", "board", "side"];
    for command in ["position", "position fen", "position foo", "position moves e2e4"] {
        refused(command, &words);
    }
}

// Counters of 10^11 or negative.
#[test]
fn absurd_counters_are_refused() {
    let board = "4k3/8/8/8/8/8/8/4K3 w - -";
    for counters in ["100000000000 1", "0 100000000000", "-3 1", "0 -3", "x 1", "0 x"] {
        refused_fen(&format!("{board} {counters}"), &["clock", "number", "counter", "halfmove", "fullmove"]);
    }
}

// An illegal, malformed or `0000` move in the list: the moves before it are not played either.
#[test]
fn a_bad_move_refuses_the_whole_command() {
    for bad in ["e1e3", "e7e5", "xyz", "0000", "e2e4q", "e9e4", "a2a1n", "O-O"] {
        refused(&format!("position startpos moves e2e4 e7e6 {bad} d2d4"), &[&bad.to_lowercase()]);
    }
}
