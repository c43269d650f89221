//! Output: what is printed about a search is true, complete and the same on every run.

use crate::client::Client;
use crate::game::{Game, KINGS_ALONE, MATE_IN_ONE, MATE_IN_TWO, MIDDLE_GAME, ONE_MOVE};
use crate::info::{Info, Score};
use crate::judge::{judge, verdict};

/// Positions of all sorts, sharp and quiet, won and drawn.
const VARIED: [&str; 8] = [
    MIDDLE_GAME,
    MATE_IN_ONE,
    MATE_IN_TWO,
    ONE_MOVE,
    KINGS_ALONE,
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "8/8/8/4k3/8/8/4P3/4K3 w - - 90 70",
];

fn searched(client: &mut Client, game: &Game, go: &str, lines: usize) -> Vec<Info> {
    judge(game, &client.search(&format!("{}\n{go}", game.command())), lines)
}

// Every PV move legal and the line ending with the game; depth starts at 1; `seldepth` with `depth`;
// bounds marked, and the last line before `bestmove` exact; integers only: see judge.rs.
#[test]
fn every_line_of_every_search_stands_up_to_a_match_runner() {
    let mut client = Client::ready();
    for fen in VARIED {
        let game = Game::from_fen(fen);
        for go in ["go depth 6 nodes 100000", "go nodes 2000", "go movetime 30"] {
            searched(&mut client, &game, go, 1);
        }
    }
}

// Iterations are reported in order.
#[test]
fn depths_are_reported_from_one_upwards() {
    let infos = searched(&mut Client::ready(), &Game::default(), "go depth 6", 1);
    let depths = infos.iter().filter(|info| info.is_exact()).filter_map(|info| info.depth);
    assert!(depths.is_sorted());
    assert_eq!(verdict(&infos).depth, Some(6));
}

// A mate PV has exactly the stated length; the mate sign is right for both sides.
#[test]
fn mates_are_announced_with_sign_and_length() {
    let mut client = Client::ready();
    for (fen, mate) in [
        (MATE_IN_ONE, 1),
        (MATE_IN_TWO, 2),
        ("7k/R7/8/8/8/8/8/1R4K1 b - - 0 1", -1),
        ("1r4k1/8/8/8/8/8/r7/7K w - - 0 1", -1),
        ("1r4k1/r7/8/8/8/8/8/7K b - - 0 1", 2),
    ] {
        let game = Game::from_fen(fen);
        let infos = searched(&mut client, &game, "go depth 7", 1);
        assert_eq!(verdict(&infos).score, Some(Score::Mate(mate)), "{fen}");
    }
}

// MultiPV lines 1..k together, in order, equal depth, distinct first moves, scores not increasing.
// Bug reports: the same move on two MultiPV lines; `mate 0` inside MultiPV.
#[test]
fn several_lines_come_together_sorted_and_distinct() {
    for lines in [2, 4, 10] {
        let mut client = Client::at(&format!("setoption name MultiPV value {lines}"));
        for fen in VARIED {
            let game = Game::from_fen(fen);
            searched(&mut client, &game, "go depth 4 nodes 100000", lines);
            searched(&mut client, &game, "go nodes 5000", lines);
        }
    }
}

// `wdl` sums to 1000 (judge.rs) and is there exactly when asked for.
#[test]
fn wdl_is_printed_exactly_when_asked_for() {
    let mut client = Client::ready();
    for wanted in [false, true, false] {
        client.accept(&format!("setoption name UCI_ShowWDL value {wanted}"));
        for fen in VARIED {
            let infos = searched(&mut client, &Game::from_fen(fen), "go depth 4 nodes 50000", 1);
            let scored = infos.iter().filter(|info| info.score.is_some());
            assert!(scored.into_iter().all(|info| info.wdl.is_some() == wanted), "{fen}");
        }
    }
}

#[test]
fn a_forced_mate_is_a_certain_win_in_wdl() {
    let mut client = Client::at("setoption name UCI_ShowWDL value true");
    let infos = searched(&mut client, &Game::from_fen(MATE_IN_TWO), "go depth 6", 1);
    assert_eq!(verdict(&infos).wdl, Some([1000, 0, 0]));
}

// Scores of a proven draw are 0.
#[test]
fn a_proven_draw_scores_zero() {
    let mut client = Client::ready();
    for (fen, only) in [
        (KINGS_ALONE, ""),
        ("8/8/4k3/8/8/4K3/8/6N1 w - - 0 1", ""),
        ("7k/8/8/8/8/8/R7/K7 w - - 99 80", ""),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "searchmoves g5g6"),
    ] {
        let answer = client.search(&format!("position fen {fen}\ngo depth 4 {only}"));
        assert_eq!(verdict(&Info::all(&answer.lines)).score, Some(Score::Cp(0)), "{fen}");
    }
}

/// What must not change from run to run.
fn outcome(
    client: &mut Client,
    game: &Game,
    nodes: u64,
) -> (String, Option<u64>, Option<Score>, Vec<String>) {
    client.send("ucinewgame");
    let infos = searched(client, game, &format!("go nodes {nodes}"), 1);
    let (most, last) = (infos.iter().filter_map(|info| info.nodes).max(), verdict(&infos));
    (last.pv[0].clone(), most, last.score, last.pv.clone())
}

// Same input after `ucinewgame` gives the same nodes and moves with one thread (at twenty node limits),
// also with a different search in between and in another process.
#[test]
fn the_same_search_after_ucinewgame_is_the_same_to_the_node() {
    let game = Game::from_fen(MIDDLE_GAME);
    let other = Game::default().after("e2e4");
    let (mut client, mut fresh) = (Client::ready(), Client::ready());
    for step in 0..20 {
        let nodes = 500 + 199 * step * step;
        let first = outcome(&mut client, &game, nodes);
        assert_eq!(outcome(&mut client, &game, nodes), first, "again at {nodes}");
        client.search(&format!("{}\ngo nodes 7000", other.command()));
        assert_eq!(outcome(&mut client, &game, nodes), first, "after another search at {nodes}");
        assert_eq!(outcome(&mut fresh, &game, nodes), first, "in another process at {nodes}");
    }
}

// `Clear Hash` forgets as much as a client may expect: the search is still sound.
#[test]
fn searches_stay_sound_across_clear_hash_and_a_tiny_table() {
    let mut client = Client::at("setoption name Hash value 1");
    for fen in VARIED {
        let game = Game::from_fen(fen);
        searched(&mut client, &game, "go nodes 20000", 1);
        client.accept("setoption name Clear Hash");
        searched(&mut client, &game, "go nodes 5000", 1);
    }
}
