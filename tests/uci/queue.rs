//! What waits for the end of a search: in order, as much as there is room for, and never in the way of `isready`, `stop`
//! and `quit`.

use std::time::{Duration, Instant};

use crate::client::{Client, SLACK, TIMEOUT, is_error, ms};
use crate::game::Game;

/// Options that make the engine work: each value differs from the one before.
fn options(count: usize) -> String {
    let lines = (0..count).map(|n| format!("setoption name MultiPV value {}\n", n % 5 + 1));
    lines.collect::<String>().trim_end().to_owned()
}

/// `isready` is answered at once.
fn is_awake(client: &mut Client, when: &str) {
    let took = client.time_to_ready();
    assert!(took < ms(100) * SLACK, "{when}: {took:?}");
}

// 25,000 options during a search: `isready` and `stop` are answered at once, before and after its end.
#[test]
fn many_options_during_a_search_keep_nobody_waiting() {
    let mut client = Client::at("position startpos");
    client.send("go infinite");
    client.searching_for(ms(50));
    let begin = Instant::now();
    client.send(&options(25_000));
    client.sync();
    // Most of it is the way through the pipe.
    assert!(begin.elapsed() < ms(300) * SLACK, "{:?}", begin.elapsed());
    is_awake(&mut client, "during the search");
    client.send("stop");
    assert!(Game::default().is_legal(&client.answer().best));
    is_awake(&mut client, "while the options are set");
    let lines = client.search("go depth 3").lines;
    assert!(lines.iter().any(|line| line.contains("multipv 5")), "the last option counts: {lines:?}");
}

// Linear: eight times as many options take about eight times as long.
#[test]
fn the_time_for_what_waits_grows_with_its_number_and_not_with_its_square() {
    let time = |count: usize| {
        let mut client = Client::at("position startpos");
        client.send("go infinite");
        let begin = Instant::now();
        client.send(&options(count));
        client.send("stop\nposition startpos\ngo depth 1");
        client.answer();
        client.answer();
        begin.elapsed()
    };
    let least = |count: usize| (0..2).map(|_| time(count)).min().expect("twice");
    let (few, many) = (least(10_000), least(80_000));
    assert!(many < few * 20 + ms(100), "{few:?} for 10,000, {many:?} for 80,000");
}

// Bounded: one message, every `go` is answered, and no search of a position that was not meant.
#[test]
fn more_than_there_is_room_for_is_dropped_with_a_message_and_every_go_is_answered() {
    let mut client = Client::at("position startpos");
    client.send("go infinite");
    client.send(&options(100_001));
    client.send("position startpos moves e2e4\ngo depth 2\ngo depth 2");
    assert!(Game::default().is_legal(&client.answer().best), "the search under way");
    let lines = client.until("the second answer that is none", Duration::from_secs(120), {
        let mut answers = 0;
        move |line| {
            answers += usize::from(line == "bestmove 0000");
            answers == 2
        }
    });
    assert_eq!(
        lines.iter().filter(|line| is_error(line) && line.contains("commands were dropped")).count(),
        1
    );
    assert_eq!(client.search("go depth 2").best, "0000", "its position was dropped");
    let game = Game::default().after("e2e4");
    let answer = client.search(&format!("{}\ngo depth 2", game.command()));
    assert!(game.is_legal(&answer.best) && answer.errors() == 0);
}

#[test]
fn quit_is_obeyed_at_once_whatever_waits() {
    let mut client = Client::at("position startpos");
    client.send("go infinite");
    client.send(&options(50_000));
    client.sync();
    client.send("quit");
    client.ends_well_within(ms(500) * SLACK);
}

// A new game after a new game has nothing to forget, however often it is asked for.
#[test]
fn many_new_games_in_a_row_keep_nobody_waiting() {
    let mut client = Client::at("position startpos");
    assert!(Game::default().is_legal(&client.search("go depth 4").best));
    client.send(&"ucinewgame\nsetoption name Clear Hash\n".repeat(1_000));
    // Several seconds where each of them cleared the table.
    let took = client.time_to_ready();
    assert!(took < ms(500) * SLACK, "{took:?}");
    client.send(&"ucinewgame\n".repeat(1_000));
    client.send("quit");
    client.ends_well_within(ms(500) * SLACK);
}

// A name of a million letters is like no option, which must not take long to find out.
#[test]
fn names_of_options_that_are_endless_keep_nobody_waiting() {
    let mut client = Client::ready();
    for part in ["x", "x ", "Hash ", "é"] {
        client.send(&format!("setoption name {} value 3", part.repeat(1_000_000 / part.len())));
        // Ten seconds where it was compared with all names.
        let took = client.time_to_ready();
        assert!(took < ms(500) * SLACK, "{part}: {took:?}");
    }
}

// Clearing a large table takes seconds where memory is slow; the loop is alive meanwhile, and nothing overtakes it.
#[test]
fn a_large_table_is_cleared_beside_the_loop() {
    let mut client = Client::ready();
    client.accept("setoption name Hash value 1024");
    for clears in ["ucinewgame", "setoption name Clear Hash"] {
        let begin = Instant::now();
        client.send(&format!("{clears}\nhelp"));
        client.expect("help", TIMEOUT, |line| line.contains("ucinewgame"));
        assert!(begin.elapsed() < ms(50) * SLACK, "{clears}: {:?}", begin.elapsed());
        client.send("position startpos moves e2e4\ngo depth 2");
        assert!(Game::default().after("e2e4").is_legal(&client.answer().best));
    }
    client.send("ucinewgame\nisready\nisready");
    for _ in 0..2 {
        client.expect("readyok", TIMEOUT, |line| line == "readyok");
    }
    client.send("setoption name Hash value 1100\nucinewgame\nisready\nquit");
    client.ends_well_within(ms(500) * SLACK);
}

// A stop that is meant for a search that waits finds it, however many others were sent.
#[test]
fn a_stop_behind_a_search_that_waits_ends_that_one() {
    let mut client = Client::at("position startpos");
    client.send(&format!("go infinite\n{}\ngo infinite\nstop\nstop", options(1_000)));
    client.answer();
    client.expect("the second answer", TIMEOUT, |line| line.starts_with("bestmove"));
    client.sync();
    client.silent_for(ms(100));
}

// What a client writes before it reads anything is not lost.
#[test]
fn a_client_that_writes_first_and_reads_later_gets_every_answer() {
    let mut client = Client::ready();
    client.send(&"isready\n".repeat(20_000));
    for _ in 0..20_000 {
        client.expect("readyok", TIMEOUT, |line| line == "readyok");
    }
}
