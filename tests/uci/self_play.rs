//! Whole games of the engine against itself, every move under the eyes of a match runner.

use crate::client::Client;
use crate::game::{Game, MIDDLE_GAME};
use crate::judge::judge;
use espalier::random::Random;

/// The longest game played.
const MOST_PLIES: usize = 160;

/// How a game is played.
#[derive(Clone, Copy)]
struct Terms {
    go: &'static str,
    lines: usize,
    wdl: bool,
}

/// Plays to the end, or as far as [`MOST_PLIES`], and checks every answer.
fn play(mut game: Game, setup: &str, terms: Terms) -> Option<&'static str> {
    let mut client = Client::at(setup);
    client.send("ucinewgame");
    for _ in 0..MOST_PLIES {
        if let Some(reason) = game.end() {
            return Some(reason);
        }
        let answer = client.search(&format!("{}\n{}", game.command(), terms.go));
        let infos = judge(&game, &answer, terms.lines);
        assert!(infos.iter().all(|info| info.score.is_none() || info.wdl.is_some() == terms.wdl));
        game.play(&answer.best).unwrap();
    }
    None
}

fn opening(seed: u64) -> Game {
    Game::default().wander(8, &mut Random::new(seed))
}

// Match runners stop a run for any of: no info line, no score, illegal PV, PV after the end of the game,
// mate PV too short or too long, wrong mate sign, best move not the PV's first.
fn plain_games(seeds: std::ops::Range<u64>) {
    let terms = Terms { go: "go nodes 3000", lines: 1, wdl: false };
    let ends: Vec<_> = seeds.map(|seed| play(opening(seed), "setoption name Hash value 1", terms)).collect();
    assert!(ends.iter().any(Option::is_some), "some games come to an end");
}

#[test]
fn ten_games_against_itself_give_no_cause_for_complaint() {
    plain_games(0..10);
}

#[test]
fn ten_more_games_against_itself_give_no_cause_for_complaint() {
    plain_games(10..20);
}

// 1,000 self-play games under such checks show none: `cargo test --test uci -- --ignored`.
#[test]
#[ignore = "minutes long, for releases"]
fn a_thousand_games_against_itself_give_no_cause_for_complaint() {
    plain_games(1000..2000);
}

#[test]
fn games_with_four_lines_and_wdl_give_no_cause_for_complaint() {
    let setup = "setoption name MultiPV value 4\nsetoption name UCI_ShowWDL value true";
    for seed in 20..23 {
        play(opening(seed), setup, Terms { go: "go nodes 4000", lines: 4, wdl: true });
    }
}

#[test]
fn chess960_games_give_no_cause_for_complaint() {
    let setup = "setoption name UCI_Chess960 value true";
    for fen in [
        "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w GBgb - 0 1",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        MIDDLE_GAME,
    ] {
        play(Game::chess960(fen), setup, Terms { go: "go nodes 2000", lines: 1, wdl: false });
    }
}

#[test]
fn games_on_a_short_clock_give_no_cause_for_complaint() {
    for seed in 30..32 {
        let terms = Terms { go: "go wtime 300 btime 300 winc 5 binc 5", lines: 1, wdl: false };
        play(opening(seed), "setoption name Threads value 2", terms);
    }
}
