//! Endgame tables in play, with the real ones of `tests/data/syzygy`.

use std::path::PathBuf;

use crate::common::{engine, file};
use espalier::{Engine, Game, Limits, Outcome, Position, Score};

/// An engine with these tables and options at a position.
fn at(tables: &str, fen: &str, settings: &[(&str, &str)]) -> Engine {
    let path = file(tables).display().to_string();
    let mut engine = engine(&[&[("SyzygyPath", path.as_str())], settings].concat());
    assert!(engine.syzygy().is_some(), "{tables}");
    engine.set_game(Game::new(Position::from_fen(fen, false).unwrap()));
    engine
}

fn search(fen: &str, settings: &[(&str, &str)], depth: i32) -> Outcome {
    at("tests/data/syzygy", fen, settings).search(Limits::depth(depth))
}

/// A directory with some of the tables, for this test alone.
fn some_tables(name: &str, files: &[&str]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("espalier suite {} {name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    for name in files {
        std::fs::copy(file("tests/data/syzygy").join(name), path.join(name)).unwrap();
    }
    path
}

const QUEEN: &str = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1";
const ROOK: &str = "8/8/8/3k4/8/8/8/KR6 w - - 0 1";
const PAWN: &str = "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1";
const CAPTURE: &str = "8/8/8/3k4/8/8/1p6/KR6 w - - 0 1";

#[test]
fn a_won_root_is_won_at_depth_one() {
    for fen in [QUEEN, ROOK, PAWN] {
        let outcome = search(fen, &[], 1);
        assert_eq!(outcome.score(), Some(Score::tb_win_at(1)), "{fen}");
        assert!(outcome.effort.tb_hits > 0, "{fen}");
    }
    let lost = search(&QUEEN.replace('w', "b"), &[], 1);
    assert_eq!(lost.score(), Some(Score::tb_loss_at(1)));
    assert_eq!(engine(&[]).search(Limits::depth(3)).effort.tb_hits, 0);
}

#[test]
fn a_drawn_root_is_worth_nothing_however_it_looks() {
    for fen in ["k7/8/8/8/8/8/P7/K7 w - - 0 1", "8/8/8/8/4k3/8/4P3/4K3 w - - 0 1"] {
        for depth in [1, 6] {
            assert_eq!(search(fen, &[], depth).score(), Some(Score::DRAW), "{fen}");
        }
    }
}

#[test]
fn a_mate_behind_the_tables_is_still_found() {
    let outcome = search("8/8/8/8/8/2K5/1Q6/k7 b - - 0 1", &[], 1);
    assert!(outcome.lines.is_empty(), "mated already");
    let outcome = search("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", &[], 3);
    assert_eq!(outcome.score().and_then(Score::mate_in), Some(1));
}

#[test]
fn only_moves_that_keep_the_win_are_searched() {
    // Two king moves win; all others, of which some look as good, do not.
    let lines = search(PAWN, &[("MultiPV", "20")], 3).lines;
    let winning: Vec<String> = lines
        .iter()
        .filter(|line| line.score.is_decided())
        .map(|line| espalier::board::uci_text(line.moves[0], false))
        .collect();
    assert!(winning.len() < lines.len() && winning.iter().all(|m| m == "e6d6" || m == "e6f6"), "{winning:?}");
    assert!(lines[winning.len()..].iter().all(|line| line.score == Score::DRAW));
    for depth in 1..8 {
        let best = search(PAWN, &[], depth).best_move().unwrap();
        assert!(winning.contains(&espalier::board::uci_text(best, false)), "depth {depth}");
    }
}

#[test]
fn search_moves_may_give_the_win_away() {
    let mut engine = at("tests/data/syzygy", PAWN, &[]);
    let drawing = engine.game().position().parse_move("e6d5").unwrap();
    let limits = Limits { search_moves: vec![drawing], ..Limits::depth(4) };
    let outcome = engine.search(limits);
    assert_eq!((outcome.best_move(), outcome.score()), (Some(drawing), Some(Score::DRAW)));
}

#[test]
fn a_capture_into_the_tables_is_worth_their_win() {
    let outcome = search(CAPTURE, &[], 4);
    assert_eq!(outcome.score(), Some(Score::tb_win_at(1)));
    assert!(outcome.effort.tb_hits > 0);
    for off in [("SyzygyProbeLimit", "2"), ("SyzygyProbeLimit", "0")] {
        let outcome = search(CAPTURE, &[off], 4);
        assert!(outcome.effort.tb_hits == 0 && !outcome.score().unwrap().is_decided(), "{off:?}");
    }
}

#[test]
fn a_limit_of_depth_spares_the_largest_tables_only() {
    let hits = |limit, depth| {
        let settings = [("SyzygyProbeLimit", limit), ("SyzygyProbeDepth", depth)];
        search(CAPTURE, &settings, 4).effort.tb_hits
    };
    assert!(hits("3", "1") > 0 && hits("4", "90") > 0);
    assert_eq!(hits("3", "90"), 0);
}

#[test]
fn a_win_that_comes_too_late_is_a_draw_by_the_fifty_move_rule() {
    let late = ROOK.replace("0 1", "90 60");
    assert_eq!(search(&late, &[], 4).score(), Some(Score::CURSED_WIN));
    let outcome = search(&late, &[("Syzygy50MoveRule", "false")], 4);
    assert_eq!(outcome.score(), Some(Score::tb_win_at(1)));
    let early = ROOK.replace("0 1", "40 60");
    assert_eq!(search(&early, &[], 4).score(), Some(Score::tb_win_at(1)));
}

/// The engine mates from here against itself, the weaker side with the tables too.
fn mates(tables: &str, fen: &str, settings: &[(&str, &str)], plies: usize) {
    let mut engine = at(tables, fen, settings);
    let mut game = engine.game().clone();
    for _ in 0..plies {
        let best = engine.search(Limits::depth(3)).best_move().unwrap();
        game.play(best);
        if game.is_over() {
            let position = game.position();
            assert!(position.in_check() && position.legal_moves().is_empty(), "{}", position.fen());
            return;
        }
        engine.set_game(game.clone());
    }
    panic!("no mate from {fen} in {plies} plies");
}

#[test]
fn won_endings_are_won_on_the_board() {
    for fen in [QUEEN, ROOK, PAWN, CAPTURE] {
        mates("tests/data/syzygy", fen, &[], 100);
        mates("tests/data/syzygy", fen, &[("Threads", "2"), ("Algorithm", "MTD(f)")], 100);
    }
    // At the last moment: mate must come before the counter does.
    mates("tests/data/syzygy", &ROOK.replace("0 1", "68 60"), &[], 32);
}

#[test]
fn without_distances_the_outcome_alone_ranks_the_moves() {
    let folder = some_tables("wdl", &["KPvK.rtbw", "KQvK.rtbw", "KRvK.rtbw", "KBvK.rtbw", "KNvK.rtbw"]);
    let path = folder.display().to_string();
    let outcome = at(&path, PAWN, &[]).search(Limits::depth(1));
    assert_eq!(outcome.score(), Some(Score::tb_win_at(1)));
    mates(&path, PAWN, &[], 100);
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn a_damaged_table_costs_its_knowledge_and_no_more() {
    let folder = some_tables("damaged", &["KQvK.rtbw", "KRvK.rtbw"]);
    let whole = std::fs::read(folder.join("KRvK.rtbw")).unwrap();
    std::fs::write(folder.join("KRvK.rtbw"), &whole[..80]).unwrap();
    let mut engine = at(&folder.display().to_string(), CAPTURE, &[]);
    let outcome = engine.search(Limits::depth(6));
    assert!(outcome.panicked.is_none() && outcome.best_move().is_some());
    assert_eq!(outcome.effort.tb_hits, 0);
    assert!(engine.syzygy().unwrap().unreported_failure().unwrap().contains("KRvK.rtbw is damaged"));
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn a_wrong_path_keeps_the_tables_that_were_there() {
    let mut engine = at("tests/data/syzygy", QUEEN, &[]);
    let before = engine.options().clone();
    let error = engine.set_option("SyzygyPath", "no/such/place").unwrap_err().to_string();
    assert!(error.contains("\"no/such/place\" cannot be read") && error.contains("as they were"), "{error}");
    assert_eq!(engine.options(), &before);
    assert!(engine.search(Limits::depth(1)).effort.tb_hits > 0);
    engine.set_option("SyzygyPath", "<empty>").unwrap();
    assert!(engine.syzygy().is_none());
    assert_eq!(engine.search(Limits::depth(1)).effort.tb_hits, 0);
}
