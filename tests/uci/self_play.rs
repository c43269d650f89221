//! Whole games of the engine against itself, every move under the eyes of a match runner.

use crate::client::{Client, SLACK, ms};
use crate::game::{Game, MIDDLE_GAME};
use crate::info::Score;
use crate::judge::{judge, verdict};
use espalier::random::Random;

/// The longest game played.
const MOST_PLIES: usize = 160;

/// How a game is played.
#[derive(Clone, Copy)]
struct GameTerms {
    go: &'static str,
    lines: usize,
    wdl: bool,
}

/// Plays to the end, or as far as [`MOST_PLIES`], and checks every answer.
fn play(mut game: Game, setup: &str, terms: GameTerms) -> Option<&'static str> {
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
    let terms = GameTerms { go: "go nodes 3000", lines: 1, wdl: false };
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
        play(opening(seed), setup, GameTerms { go: "go nodes 4000", lines: 4, wdl: true });
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
        play(Game::chess960(fen), setup, GameTerms { go: "go nodes 2000", lines: 1, wdl: false });
    }
}

#[test]
fn games_on_a_short_clock_give_no_cause_for_complaint() {
    for seed in 30..32 {
        let terms = GameTerms { go: "go wtime 300 btime 300 winc 5 binc 5", lines: 1, wdl: false };
        play(opening(seed), "setoption name Threads value 2", terms);
    }
}

/// Very fast games, one after the other with one engine, as a match runner plays them.
fn fast_games(seeds: std::ops::Range<u64>, setup: &str, go: &str) {
    let mut client = Client::at(setup);
    let mut ends = 0;
    for seed in seeds {
        client.send("ucinewgame");
        client.sync();
        let mut game = opening(seed);
        let mut before = None;
        while game.end().is_none() && game.plies() < MOST_PLIES {
            let answer = client.search(&format!("{}\n{go}", game.command()));
            let infos = judge(&game, &answer, 1);
            let score = verdict(&infos).score;
            if let (Some(Score::Mate(theirs)), Some(Score::Mate(ours))) = (before, score) {
                assert!(theirs.signum() != ours.signum(), "both sides give mate, or neither: {}", game.fen());
            }
            before = score;
            game.play(&answer.best).unwrap();
        }
        ends += usize::from(game.end().is_some());
    }
    assert!(ends > 0, "some games come to an end");
}

#[test]
fn a_hundred_games_at_a_few_nodes_give_no_cause_for_complaint() {
    fast_games(100..200, "setoption name Hash value 1", "go nodes 120");
}

#[test]
fn forty_games_at_a_fixed_depth_give_no_cause_for_complaint() {
    fast_games(200..240, "setoption name Hash value 1", "go depth 3");
}

#[test]
fn thirty_games_of_two_threads_give_no_cause_for_complaint() {
    fast_games(300..330, "setoption name Threads value 2", "go nodes 300");
}

#[test]
fn games_of_every_preset_give_no_cause_for_complaint() {
    for preset in ["Turk", "TurkMC", "TurkUC", "Crafty", "RankCut", "Mulan", "FullWidth", "Winston"] {
        let setup = format!("setoption name Preset value {preset}\nsetoption name Hash value 1");
        fast_games(400..404, &setup, "go nodes 200");
    }
}

// Alpha-beta without minimal windows takes values from the hash table in the principal variation too: the line of a mate
// must not end there, nor at a move beyond the horizon.
#[test]
fn games_of_plain_alpha_beta_show_mates_to_the_end() {
    fast_games(700..740, "setoption name Preset value Winston\nsetoption name Hash value 1", "go nodes 300");
}

#[test]
fn forty_chess960_games_give_no_cause_for_complaint() {
    let text = include_str!("../../epd/perft_fischer960.epd");
    let starts =
        text.lines().filter_map(|line| line.split(';').next()).map(str::trim).filter(|fen| !fen.is_empty());
    for fen in starts.step_by(24).take(40) {
        let terms = GameTerms { go: "go nodes 150", lines: 1, wdl: false };
        play(
            Game::chess960(fen),
            "setoption name UCI_Chess960 value true\nsetoption name Hash value 1",
            terms,
        );
    }
}

// Nobody loses on time: clocks that run as in a match, beside everything else that the machine does.
#[test]
fn games_on_a_running_clock_are_not_lost_on_time() {
    let increment = ms(20);
    for seed in 500..503 {
        let mut client = Client::at("setoption name Threads value 2");
        let mut game = opening(seed);
        let mut clocks = [ms(1000); 2];
        while game.end().is_none() && game.plies() < 80 {
            let mover = game.plies() % 2;
            let [white, black] = clocks.map(|clock| clock.as_millis());
            let go = format!("{}\ngo wtime {white} btime {black} winc 20 binc 20", game.command());
            let answer = client.search(&go);
            // A busy machine may take some of the time.
            let allowed = clocks[mover] + ms(60) * SLACK;
            assert!(answer.took <= allowed, "{:?} of {:?} in {}", answer.took, clocks[mover], game.fen());
            clocks[mover] = clocks[mover].saturating_sub(answer.took) + increment;
            judge(&game, &answer, 1);
            game.play(&answer.best).unwrap();
        }
    }
}

// Pondering: the expected move is played or another, and both answers are good.
#[test]
fn thirty_games_with_pondering_give_no_cause_for_complaint() {
    let mut random = Random::new(9);
    let mut client = Client::at("setoption name Ponder value true\nsetoption name Hash value 1");
    for seed in 600..630 {
        let mut game = opening(seed);
        let mut pending = None;
        while game.end().is_none() && game.plies() < 60 {
            let answer = match pending.take() {
                Some(answer) => answer,
                None => client.search(&format!("{}\ngo nodes 200", game.command())),
            };
            judge(&game, &answer, 1);
            game.play(&answer.best).unwrap();
            let Some(expected) = answer.ponder.filter(|_| game.end().is_none()) else { continue };
            let after = game.clone().after(&expected);
            if after.end().is_some() {
                continue;
            }
            client.send(&format!("{}\ngo ponder wtime 60 btime 60 nodes 500", after.command()));
            if random.below(2) == 0 {
                client.send("ponderhit");
                game = after;
                pending = Some(client.answer());
            } else {
                client.send("stop");
                judge(&after, &client.answer(), 1);
                let choice = game.legal();
                game.play(random.pick::<String>(&choice)).unwrap();
            }
        }
    }
}
