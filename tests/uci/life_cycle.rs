//! Life cycle: searches start, go on, and end exactly when they should.

use std::time::Duration;

use crate::client::{Client, SLACK, TIMEOUT, in_time, ms};
use crate::game::{FOOLS_MATE, Game, KINGS_ALONE, MATE_IN_ONE, MIDDLE_GAME, ONE_MOVE, STALEMATE};
use crate::info::Info;
use crate::judge::judge;

/// How long "never ends by itself" is watched.
const A_WHILE: Duration = ms(400);

fn stops_with_a_legal_move(client: &mut Client, game: &Game) {
    client.send("stop");
    let answer = client.answer();
    assert!(game.is_legal(&answer.best), "{} in {}", answer.best, game.fen());
    client.silent_for(ms(100));
}

// `go depth 5`: one legal best move; exactly one `bestmove`, silence afterwards.
#[test]
fn a_search_gives_one_legal_move_and_then_silence() {
    let game = Game::default();
    let mut client = Client::at(&game.command());
    judge(&game, &client.search("go depth 5"), 1);
    client.silent_for(ms(300));
}

// `go infinite` never ends by itself: not with a mate found, a single legal move, maximum depth reached.
// Bug reports: best move printed before `stop` at maximum depth in `go infinite`.
#[test]
fn an_infinite_search_never_ends_by_itself() {
    for fen in [MIDDLE_GAME, MATE_IN_ONE, ONE_MOVE, KINGS_ALONE] {
        let game = Game::from_fen(fen);
        let mut client = Client::at(&game.command());
        client.send("go infinite");
        client.searching_for(A_WHILE);
        stops_with_a_legal_move(&mut client, &game);
    }
}

// … nor with a mated root.
#[test]
fn an_infinite_search_waits_for_stop_even_when_the_game_is_over() {
    for fen in [FOOLS_MATE, STALEMATE] {
        let mut client = Client::at(&format!("position fen {fen}"));
        client.send("go infinite");
        client.searching_for(A_WHILE);
        client.send("stop");
        assert_eq!(client.answer().best, "(none)");
        client.silent_for(ms(100));
    }
}

// After `stop` the answer comes within 100 ms (some GUIs wait 50).
#[test]
fn stop_is_answered_at_once() {
    let mut client = Client::at(&Game::from_fen(MIDDLE_GAME).command());
    in_time(ms(100) * SLACK, || {
        client.send("go infinite");
        client.searching_for(ms(200));
        client.send("stop");
        client.answer().took
    });
}

// `isready` during a search: `readyok` at once, the search goes on.
#[test]
fn isready_is_answered_during_a_search_that_goes_on() {
    let game = Game::from_fen(MIDDLE_GAME);
    let mut client = Client::at(&game.command());
    client.send("go infinite");
    client.searching_for(ms(100));
    in_time(ms(100) * SLACK, || client.time_to_ready());
    client.searching_for(A_WHILE);
    stops_with_a_legal_move(&mut client, &game);
}

// `debug` acts at once and disturbs nothing.
#[test]
fn debug_may_be_switched_during_a_search() {
    let game = Game::default();
    let mut client = Client::at(&game.command());
    client.send("go infinite\ndebug on\ndebug off\ndebug\nisready");
    client.expect("readyok", TIMEOUT, |line| line == "readyok");
    stops_with_a_legal_move(&mut client, &game);
}

// Idle `stop`/`ponderhit`: silent.
#[test]
fn stop_and_ponderhit_are_silent_without_a_search() {
    let mut client = Client::ready();
    client.send("stop\nponderhit\nstop");
    client.silent_for(ms(200));
    let answer = client.search("position startpos\ngo depth 2");
    assert!(Game::default().is_legal(&answer.best));
    client.send("stop\nponderhit");
    client.silent_for(ms(200));
}

// `quit` during a search: exit 0 within half a second.
#[test]
fn quit_ends_a_search_and_the_process() {
    let mut client = Client::at("position startpos");
    client.send("go infinite");
    client.searching_for(ms(100));
    client.send("quit");
    client.ends_well_within(ms(500) * SLACK);
}

// End of input during a search: exit 0 within half a second. End of input = stop and quit.
#[test]
fn the_end_of_input_stops_a_search_and_ends_the_process() {
    let mut client = Client::at("position startpos");
    client.send("go infinite");
    client.searching_for(ms(100));
    client.close_input();
    let last_words = client.ends_well_within(ms(500) * SLACK);
    let answers = last_words.iter().filter(|line| line.starts_with("bestmove ")).count();
    assert_eq!(answers, 1, "stop, then quit: {last_words:?}");
}

// Scripts write everything into a pipe and close it: each `go` before the end is answered, also one that waits for a
// search, an option or a table to be cleared.
#[test]
fn what_was_asked_before_the_end_of_input_is_answered() {
    for (talk, answers) in [
        ("position startpos\ngo depth 3\ngo depth 2", 2),
        ("setoption name Preset value Turk\nposition startpos\ngo depth 3", 1),
        (
            "go infinite\nposition startpos moves e2e4\ngo infinite\nsetoption name MultiPV value 2\ngo ponder",
            3,
        ),
        ("setoption name Hash value 64\nucinewgame\nposition startpos\ngo depth 2", 1),
        ("go nodes 1\ngo perft 6\ngo depth 60", 2),
    ] {
        for _ in 0..3 {
            let mut client = Client::ready();
            client.send(talk);
            client.close_input();
            let said = client.ends_well_within(ms(500) * SLACK);
            let count = said.iter().filter(|line| line.starts_with("bestmove ")).count();
            assert_eq!(count, answers, "{talk}: {said:?}");
        }
    }
}

// `go` + `stop` in one write, thirty times: always a legal move. Before any clock is looked at, a legal
// move is known.
#[test]
fn go_and_stop_in_one_write_always_give_a_legal_move() {
    for fen in [MIDDLE_GAME, ONE_MOVE, MATE_IN_ONE] {
        let game = Game::from_fen(fen);
        let mut client = Client::ready();
        for go in ["go infinite\nstop", "go\nstop", "go ponder\nstop"].into_iter().cycle().take(10) {
            let answer = client.search(&format!("{}\n{go}", game.command()));
            assert!(game.is_legal(&answer.best), "{} in {fen}", answer.best);
        }
        client.silent_for(ms(100));
    }
}

// A hundred `go nodes 1` in a row.
#[test]
fn a_hundred_searches_of_one_node_give_a_hundred_moves() {
    let game = Game::default();
    let mut client = Client::at(&game.command());
    for _ in 0..100 {
        assert!(game.is_legal(&client.search("go nodes 1").best));
    }
    client.silent_for(ms(100));
}

// The same in one write: none is lost, each is answered once.
#[test]
fn a_hundred_searches_in_one_write_give_a_hundred_moves() {
    let game = Game::default();
    let mut client = Client::at(&game.command());
    client.send(&["go nodes 1"; 100].join("\n"));
    for _ in 0..100 {
        assert!(game.is_legal(&client.answer().best));
    }
    client.silent_for(ms(200));
}

// `go ponder`: silent until `ponderhit` (then within the clock given with `go`) …
#[test]
fn pondering_ends_after_ponderhit_within_the_clock() {
    let game = Game::default().after("e2e4");
    let mut client = Client::at(&format!("setoption name Ponder value true\n{}", game.command()));
    client.send("go ponder wtime 1000 btime 1000");
    client.searching_for(ms(1200));
    client.send("ponderhit");
    let answer = client.answer();
    assert!(answer.took < ms(1000), "{:?} with a second on the clock", answer.took);
    assert!(game.is_legal(&answer.best));
    client.silent_for(ms(100));
}

// … also when a limit was reached long before …
#[test]
fn pondering_is_silent_until_ponderhit_although_its_depth_is_reached() {
    for position in ["startpos".to_owned(), format!("fen {ONE_MOVE}"), format!("fen {MATE_IN_ONE}")] {
        let mut client = Client::at(&format!("position {position}"));
        client.send("go ponder depth 2 wtime 60000 btime 60000");
        client.searching_for(A_WHILE);
        client.send("ponderhit");
        client.answer();
        client.silent_for(ms(100));
    }
}

// … or `stop`.
#[test]
fn pondering_ends_at_stop() {
    let game = Game::from_fen(MIDDLE_GAME);
    let mut client = Client::at(&game.command());
    client.send("go ponder wtime 100 btime 100");
    client.searching_for(A_WHILE);
    stops_with_a_legal_move(&mut client, &game);
}

// A new `go` stops the running search (its `bestmove` comes first).
#[test]
fn a_second_go_ends_the_first_search() {
    let game = Game::default();
    let mut client = Client::at(&game.command());
    client.send("go infinite");
    client.searching_for(ms(100));
    client.send("go infinite");
    assert!(game.is_legal(&client.answer().best), "of the first search");
    client.searching_for(ms(200));
    stops_with_a_legal_move(&mut client, &game);
}

// `position` + `go` during a search: the answers come in order, each for its own position.
#[test]
fn a_new_position_and_go_during_a_search_answer_both_in_order() {
    let (first, second) = (Game::from_fen(ONE_MOVE), Game::from_fen(MATE_IN_ONE));
    let mut client = Client::at(&first.command());
    client.send("go infinite");
    client.searching_for(ms(100));
    client.send(&format!("{}\ngo depth 3", second.command()));
    assert_eq!(client.answer().best, "a1a2");
    judge(&second, &client.answer(), 1);
    client.silent_for(ms(100));
}

// `setoption Hash`, `Clear Hash`, `position`, `ucinewgame` during a search, then `stop`: never hangs, one
// `bestmove`, and the engine is fit afterwards.
#[test]
fn commands_during_an_infinite_search_neither_hang_nor_get_lost() {
    for command in [
        "setoption name Hash value 2",
        "setoption name Clear Hash",
        "setoption name Threads value 2",
        "setoption name MultiPV value 2",
        "position startpos moves e2e4",
        "ucinewgame",
        "ucinewgame\nsetoption name Hash value 4\nposition startpos",
        "d",
        "eval",
        "uci",
    ] {
        let game = Game::default();
        let mut client = Client::at(&game.command());
        client.send("go infinite");
        client.searching_for(ms(50));
        client.send(&format!("{command}\nisready"));
        client.send("stop");
        let answer = client.answer();
        assert!(game.is_legal(&answer.best), "{command}: {}", answer.best);
        client.sync();
        client.send("position startpos moves d2d4\ngo depth 2");
        let next = client.answer();
        assert!(Game::default().after("d2d4").is_legal(&next.best), "{command}: {}", next.best);
    }
}

// An option takes effect when the search is over.
#[test]
fn an_option_set_during_a_search_takes_effect_after_it() {
    let mut client = Client::at("position startpos");
    client.send("go infinite");
    client.searching_for(ms(100));
    client.send("setoption name MultiPV value 3\nstop");
    let during = Info::all(&client.answer().lines);
    assert!(during.iter().all(|info| info.line() == 1), "not while the search runs");
    judge(&Game::default(), &client.search("position startpos\ngo depth 3"), 3);
}

// A position set during a search is the one the next `go` searches.
#[test]
fn a_position_sent_during_a_search_is_not_lost() {
    let mut client = Client::at("position startpos");
    client.send("go infinite");
    client.searching_for(ms(50));
    client.send(&format!("position fen {ONE_MOVE}\nstop"));
    assert!(Game::default().is_legal(&client.answer().best), "for the position of its own go");
    assert_eq!(client.search("go depth 2").best, "a1a2");
}

// More threads keep the same rules.
#[test]
fn several_threads_give_one_answer() {
    let game = Game::from_fen(MIDDLE_GAME);
    let mut client = Client::at(&format!("setoption name Threads value 4\n{}", game.command()));
    judge(&game, &client.search("go nodes 20000"), 1);
    client.send("go infinite");
    client.searching_for(ms(200));
    stops_with_a_legal_move(&mut client, &game);
}
