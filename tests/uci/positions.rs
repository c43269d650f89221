//! Positions that are accepted: ends of games, extreme ones, every way of writing them down.

use crate::client::{Client, TIMEOUT, is_error, ms};
use crate::game::{CASTLES, FOOLS_MATE, Game, KINGS_ALONE, STALEMATE};
use crate::info::{Info, Score};
use crate::judge::{judge, verdict};

/// What `d` says after a label such as `Fen:`.
pub fn shown(client: &mut Client, label: &str) -> String {
    let lines = client.reply("d");
    let found = lines.iter().find_map(|line| line.strip_prefix(label));
    found.unwrap_or_else(|| panic!("d has a line {label}")).trim().to_owned()
}

/// The number of leaves that `go perft` counts.
fn perft(client: &mut Client, position: &str, depth: u32) -> u64 {
    client.send(&format!("{position}\ngo perft {depth}"));
    let line = client.expect("a node count", TIMEOUT, |line| line.starts_with("Nodes searched:"));
    line.trim_start_matches("Nodes searched:").trim().parse().expect("a number")
}

/// A position the engine must play, with all checks on the answer.
fn plays(fen: &str) -> Vec<Info> {
    let game = Game::from_fen(fen);
    let mut client = Client::at(&game.command());
    judge(&game, &client.search("go depth 3 nodes 50000"), 1)
}

fn game_over(fen: &str, info: &str) {
    let mut client = Client::at(&format!("position fen {fen}"));
    for go in ["go depth 5", "go movetime 50", "go wtime 100 btime 100", "go nodes 10", "go mate 1"] {
        let answer = client.search(go);
        let facts = answer.lines.iter().filter(|line| is_error(line) || !line.starts_with("info string"));
        assert_eq!(facts.collect::<Vec<_>>(), [info], "{go}");
        assert_eq!(answer.best, "(none)", "{go}");
    }
    client.silent_for(ms(100));
}

// Mated root: `info depth 0 score mate 0` and `bestmove (none)`.
#[test]
fn a_mated_root_has_no_move_and_says_mate_zero() {
    game_over(FOOLS_MATE, "info depth 0 score mate 0");
}

// Stalemate: the same with `score cp 0`.
#[test]
fn a_stalemated_root_has_no_move_and_says_zero() {
    game_over(STALEMATE, "info depth 0 score cp 0");
}

// Half-move clock 100: a draw may be claimed, but a client that asks gets a move.
#[test]
fn a_position_with_the_half_move_clock_run_out_is_still_played() {
    plays("7k/8/8/8/8/8/R7/K7 w - - 100 80");
    plays("7k/8/8/8/8/8/R7/K7 b - - 149 90");
}

// KvK.
#[test]
fn bare_kings_are_played_as_a_draw() {
    assert_eq!(verdict(&plays(KINGS_ALONE)).score, Some(Score::Cp(0)));
}

const MOST_MOVES: &str = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";

// 218 legal moves, more than two queens. Bug reports: move-list overflow above 128 or 256 moves.
#[test]
fn positions_with_very_many_moves_are_played() {
    plays(MOST_MOVES);
    plays("3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1");
    plays("qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1");
}

#[test]
fn two_hundred_and_eighteen_moves_are_counted() {
    assert_eq!(perft(&mut Client::ready(), &format!("position fen {MOST_MOVES}"), 1), 218);
}

// FEN without counters (EPD style).
#[test]
fn a_fen_without_counters_is_read() {
    let mut client = Client::ready();
    for (fen, full) in [
        ("4k3/8/8/8/8/8/8/4K2R w K -", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ("4k3/8/8/8/8/8/8/4K2R b K", "4k3/8/8/8/8/8/8/4K2R b K - 0 1"),
        ("4k3/8/8/8/8/8/8/4K2R w", "4k3/8/8/8/8/8/8/4K2R w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 7", "4k3/8/8/8/8/8/8/4K2R w K - 7 1"),
    ] {
        client.accept(&format!("position fen {fen}"));
        assert_eq!(shown(&mut client, "Fen:"), full);
    }
    client.accept("position fen 4k3/8/8/8/8/8/8/4K2R w K - moves e1g1");
    assert_eq!(shown(&mut client, "Fen:"), "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
}

// X-FEN or Shredder castling letters.
#[test]
fn every_way_to_write_castling_rights_is_read() {
    let mut client = Client::ready();
    for rights in ["KQkq", "HAha", "KQha", "HQkq"] {
        let position = format!("position fen r3k2r/8/8/8/8/8/8/R3K2R w {rights} - 0 1");
        client.accept(&position);
        assert_eq!(perft(&mut client, &position, 1), 26, "{rights}");
        assert_eq!(perft(&mut client, &position, 2), 568, "{rights}");
    }
}

#[test]
fn chess960_positions_are_counted_right() {
    let mut client = Client::ready();
    client.send("setoption name UCI_Chess960 value true");
    for (fen, leaves) in [
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 12_189),
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9", 12_189),
        ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", 18_002),
    ] {
        assert_eq!(perft(&mut client, &format!("position fen {fen}"), 3), leaves, "{fen}");
    }
}

#[test]
fn perft_lists_every_root_move() {
    let mut client = Client::at("position startpos");
    client.send("go perft 2");
    let lines =
        client.until("a node count", TIMEOUT, |line| line.trim_start().starts_with("Nodes searched: 400"));
    for text in Game::default().legal() {
        assert!(lines.contains(&format!("{text}: 20")), "{text}");
    }
}

/// A knight shuffle of 2,000 plies in which White is a queen up and a pawn moves every 73 plies.
fn long_game() -> (Game, &'static str) {
    let mut game = Game::from_fen("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let mut pawn_moves = [["3", "4"], ["6", "5"]].map(|steps| {
        let files = "abcdegh".chars();
        let ways = files.flat_map(move |file| steps.map(|rank| format!("{file}{rank}")));
        ways.collect::<Vec<_>>().into_iter()
    });
    for ply in 0..2000 {
        let to =
            if ply % 73 == 0 { pawn_moves[ply % 2].next().expect("enough pawns") } else { String::new() };
        let pawn = game.legal().into_iter().find(|text| to.starts_with(&text[..1]) && text.ends_with(&to));
        let m = pawn.unwrap_or_else(|| shuffle(&game).to_owned());
        game.play(&m).unwrap();
    }
    let next = shuffle(&game);
    (game, next)
}

/// The king's knight out or back again.
fn shuffle(game: &Game) -> &'static str {
    let ways = ["g1f3", "f3g1", "g8f6", "f6g8"];
    ways.into_iter().find(|text| game.is_legal(text)).expect("a knight to move")
}

// A game of 2,000 plies on one line gives the right position and repetition history.
// Bug reports: blunders after long shuffling because the game history buffer was too short.
#[test]
fn a_game_of_two_thousand_plies_on_one_line_keeps_its_history() {
    let (game, repeating) = long_game();
    let again = game.clone().after(repeating);
    assert!(again.occurrences() >= 3 && game.fen().contains(" w "), "the test's own game");
    let mut client = Client::at(&game.command());
    assert_eq!(shown(&mut client, "Fen:"), game.fen());
    let infos = Info::all(&client.search(&format!("go depth 4 searchmoves {repeating}")).lines);
    assert_eq!(verdict(&infos).score, Some(Score::Cp(0)), "the third occurrence is a draw");
    let infos = judge(&game, &client.search("go depth 4"), 1);
    assert!(verdict(&infos).score.unwrap().rank() > 200, "a queen up: {:?}", verdict(&infos));
}

// Draws by the fifty-move rule and by repetition come from the list of moves too, and proven draws are 0.
#[test]
fn repetitions_and_the_fifty_moves_count_from_the_game_so_far() {
    let rook_up = "7k/8/8/8/8/8/R7/K7 w - - 99 80";
    assert_eq!(verdict(&plays(rook_up)).score, Some(Score::Cp(0)), "fifty moves");
    let game = Game::from_fen("7k/8/8/8/8/8/R7/K7 w - - 10 80").after("a1b1 h8g8 b1a1 g8h8 a1b1 h8g8 b1a1");
    let mut client = Client::at(&game.command());
    let infos = Info::all(&client.search("go depth 4 searchmoves g8h8").lines);
    assert_eq!(verdict(&infos).score, Some(Score::Cp(0)), "repetition");
}

// `a7a8Q` is accepted, output is always lower case.
#[test]
fn a_capital_promotion_is_read_and_a_small_one_written() {
    let fen = "8/P6k/8/8/8/8/8/K7 w - - 0 1";
    let mut client = Client::ready();
    client.accept(&format!("position fen {fen} moves a7a8Q h7h6 a8a7"));
    assert_eq!(shown(&mut client, "Fen:"), "8/Q7/7k/8/8/8/8/K7 b - - 2 2");
    let answer = client.search(&format!("position fen {fen}\ngo depth 3 searchmoves a7a8Q"));
    assert_eq!(answer.best, "a7a8q");
    assert!(Info::all(&answer.lines).iter().all(|info| info.pv.iter().all(|m| *m == m.to_lowercase())));
}

fn castles_as(client: &mut Client, text: &str) {
    let position = format!("position fen {CASTLES}");
    client.accept(&position);
    assert_eq!(client.search(&format!("go depth 1 searchmoves {text}")).best, text);
    client.accept(&format!("{position} moves {text}"));
    assert!(shown(client, "Fen:").starts_with("r3k2r/8/8/8/8/8/8/R4RK1 b "), "{text}");
}

// Castling is `e1g1` in and out unless `UCI_Chess960`, then king-takes-rook (`e1h1`) also on the normal
// array; switching it on and off again works.
#[test]
fn castling_is_written_as_the_variant_asks_for() {
    let mut client = Client::ready();
    for (chess960, text) in [(false, "e1g1"), (true, "e1h1"), (false, "e1g1"), (true, "e1h1")] {
        client.accept(&format!("setoption name UCI_Chess960 value {chess960}"));
        castles_as(&mut client, text);
    }
}

#[test]
fn the_start_position_is_played_in_chess960_too() {
    let mut client = Client::at("setoption name UCI_Chess960 value true");
    client.accept("position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1");
    assert!(shown(&mut client, "Fen:").contains("/RNBQ1RK1 b "));
}

// An en-passant square that nobody can use is dropped from `d` and from the key.
#[test]
fn an_en_passant_square_that_nobody_can_use_is_dropped() {
    let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let mut client = Client::ready();
    let mut keys = Vec::new();
    for position in [
        "startpos moves e2e4".to_owned(),
        format!("fen {after_e4}"),
        format!("fen {}", after_e4.replace(" - ", " e3 ")),
    ] {
        client.accept(&format!("position {position}"));
        assert_eq!(shown(&mut client, "Fen:"), after_e4, "{position}");
        keys.push(shown(&mut client, "Key:"));
    }
    assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
}

#[test]
fn an_en_passant_square_that_can_be_used_is_kept() {
    let fen = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3";
    let mut client = Client::at(&format!("position fen {fen}"));
    assert_eq!(shown(&mut client, "Fen:"), fen);
    let with = shown(&mut client, "Key:");
    client.accept(&format!("position fen {}", fen.replace(" e3 ", " - ")));
    assert_ne!(shown(&mut client, "Key:"), with);
}

// Castling rights without rook or king in place and nonsense en-passant squares: dropped, and on it goes.
#[test]
fn impossible_rights_and_en_passant_squares_are_dropped() {
    let mut client = Client::ready();
    for (fen, kept) in [
        ("4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("r3k3/8/8/8/8/8/8/4K2R w KQkq - 0 1", "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1"),
        ("4k3/8/8/8/8/4K3/8/R6R w KQ - 0 1", "4k3/8/8/8/8/4K3/8/R6R w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 w - d4 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 w - d6 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 w - nonsense 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ] {
        client.accept(&format!("position fen {fen}"));
        assert_eq!(shown(&mut client, "Fen:"), kept, "{fen}");
        assert!(Game::from_fen(kept).is_legal(&client.search("go depth 2").best), "{fen}");
    }
}

#[test]
fn the_checking_pieces_are_shown() {
    let mut client = Client::at(&format!("position fen {FOOLS_MATE}"));
    assert_eq!(shown(&mut client, "Checkers:"), "h4");
}

// The search and `ucinewgame` leave no trace in the position that a client set before.
#[test]
fn the_next_go_without_a_position_searches_the_last_one() {
    let game = Game::default().after("d2d4 d7d5 c2c4");
    let mut client = Client::at(&game.command());
    for _ in 0..2 {
        let answer = client.search("go depth 3");
        judge(&game, &answer, 1);
    }
    assert_eq!(shown(&mut client, "Fen:"), game.fen());
}
