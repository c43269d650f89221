//! Limits: clocks, nodes, depths, mates and move lists, sensible or not.

use std::time::Duration;

use crate::client::{Client, SLACK, in_time, ms};
use crate::game::{Game, MATE_IN_ONE, MATE_IN_TWO, MIDDLE_GAME};
use crate::info::{Info, Score};
use crate::judge::{judge, verdict};

/// Sends a `go` in the start position; the answer must be legal.
fn go(client: &mut Client, go: &str) -> (String, Duration) {
    let answer = client.search(&format!("position startpos\n{go}"));
    assert!(Game::default().is_legal(&answer.best), "{go}: {}", answer.best);
    (answer.best, answer.took)
}

/// One try of eight of the `go` ends within the limit: a busy machine may spoil the others.
fn ends_within(limit: Duration, command: &str) {
    let mut client = Client::ready();
    in_time(limit, || go(&mut client, command).1);
}

// Only one's own clock given.
#[test]
fn only_ones_own_clock_is_enough() {
    ends_within(ms(1000), "go wtime 1000");
    let black = Game::default().after("e2e4");
    let mut client = Client::at(&black.command());
    let answer = client.search("go btime 1000");
    assert!(black.is_legal(&answer.best));
    assert!(answer.took < ms(1000) * SLACK, "{:?}", answer.took);
}

// Clocks of 0, 1 or negative; the opponent's clock negative. At once, that is 50 ms.
#[test]
fn an_empty_clock_still_gives_a_legal_move_at_once() {
    for clock in ["go wtime 0 btime 0", "go wtime 1 btime 1", "go wtime -5000 btime 1000 winc -1"] {
        ends_within(ms(50) * SLACK, clock);
    }
    ends_within(ms(1000), "go wtime 1000 btime -1000 binc -10");
}

// Bug reports: time lost in sudden death with a few milliseconds left (demanded: the clock itself).
#[test]
fn a_few_milliseconds_are_not_overstepped() {
    ends_within(ms(20) * SLACK, "go wtime 20 btime 20");
    ends_within(ms(50) * 2, "go wtime 50 btime 50 winc 10 binc 10");
    ends_within(ms(100), "go wtime 100 btime 100");
}

// Bug reports: time lost on the move after the time control; `movestogo` 1, 0, −5.
#[test]
fn the_last_move_before_the_time_control_is_in_time() {
    for moves in ["1", "0", "-5", "40"] {
        ends_within(ms(500), &format!("go wtime 500 btime 500 movestogo {moves}"));
    }
}

// Bug reports: time lost with a large hash (first touch of memory) or with many threads starting.
#[test]
fn a_large_hash_and_many_threads_do_not_cost_the_game() {
    let mut client = Client::ready();
    client.send("setoption name Hash value 256\nsetoption name Threads value 4\nucinewgame");
    client.sync();
    in_time(ms(300), || go(&mut client, "go wtime 300 btime 300").1);
}

// Bug reports: time lost with more threads than cores.
#[test]
fn more_threads_than_cores_keep_the_clock() {
    let mut client = Client::ready();
    client.send("setoption name Threads value 64");
    client.sync();
    in_time(ms(150), || go(&mut client, "go movetime 50").1);
    in_time(ms(150), || go(&mut client, "go wtime 150 btime 150").1);
}

// `movetime` 300: 200–400 ms measured.
#[test]
fn movetime_is_kept() {
    let mut client = Client::ready();
    let mut off_by = || go(&mut client, "go movetime 300").1.abs_diff(ms(300));
    in_time(ms(100), &mut off_by);
}

// `movetime` 0, 1 (demanded: at once, that is 50 ms).
#[test]
fn the_shortest_movetimes_give_a_move_at_once() {
    for go in ["go movetime 0", "go movetime 1"] {
        ends_within(ms(50) * SLACK, go);
    }
}

// `nodes` kept within 1 %.
#[test]
fn node_limits_are_kept_within_one_percent() {
    let game = Game::from_fen(MIDDLE_GAME);
    let mut client = Client::ready();
    for limit in [5_000, 20_000, 100_000] {
        let infos = judge(&game, &client.search(&format!("{}\ngo nodes {limit}", game.command())), 1);
        let nodes = infos.iter().filter_map(|info| info.nodes).max().expect("nodes are reported");
        assert!(nodes.abs_diff(limit) <= limit / 100, "{nodes} for a limit of {limit}");
    }
}

// `depth 0` answers.
#[test]
fn depth_zero_and_less_are_answered() {
    let mut client = Client::ready();
    for command in ["go depth 0", "go depth 0 nodes 1000", "go depth -3 nodes 1000"] {
        go(&mut client, command);
    }
}

#[test]
fn the_last_iteration_is_the_depth_asked_for() {
    let game = Game::default();
    let mut client = Client::at(&game.command());
    for depth in [1, 2, 4] {
        let infos = judge(&game, &client.search(&format!("go depth {depth}")), 1);
        assert_eq!(verdict(&infos).depth, Some(depth));
    }
}

// `depth 999`.
#[test]
fn a_depth_beyond_reach_searches_until_stopped() {
    let game = Game::from_fen(MIDDLE_GAME);
    let mut client = Client::at(&game.command());
    client.send("go depth 999");
    client.searching_for(ms(300));
    client.send("stop");
    assert!(game.is_legal(&client.answer().best));
}

// Bare `go` = infinite.
#[test]
fn a_bare_go_is_infinite() {
    let mut client = Client::at("position startpos");
    client.send("go");
    client.searching_for(ms(500));
    client.send("stop");
    assert!(Game::default().is_legal(&client.answer().best));
}

// `searchmoves` anywhere among the tokens, with `0000` or illegal moves in it.
#[test]
fn searchmoves_restrict_the_root_wherever_they_stand() {
    let mut client = Client::ready();
    for command in [
        "go searchmoves a2a3 h2h4 depth 3",
        "go depth 3 searchmoves a2a3 h2h4",
        "go nodes 3000 searchmoves h2h4 a2a3 depth 20",
        "go depth 3 searchmoves 0000 a2a3",
        "go depth 3 searchmoves e2e5 h2h4 xyz a2a3 a1a1",
    ] {
        let best = go(&mut client, command).0;
        assert!(["a2a3", "h2h4"].contains(&best.as_str()), "{command}: {best}");
    }
}

#[test]
fn searchmoves_with_no_legal_move_still_give_a_legal_move() {
    let mut client = Client::ready();
    for command in ["go depth 3 searchmoves", "go depth 3 searchmoves e2e5 0000", "go searchmoves depth 3"] {
        go(&mut client, command);
    }
}

// MultiPV counts only the moves that are searched.
#[test]
fn searchmoves_limit_the_number_of_lines() {
    let mut client = Client::at("setoption name MultiPV value 4\nposition startpos");
    let infos = Info::all(&client.search("go depth 3 searchmoves a2a3 h2h4").lines);
    assert_eq!(infos.iter().map(Info::line).max(), Some(2));
}

// `mate N` ends when a mate in N is found …
#[test]
fn a_search_for_a_mate_ends_when_it_is_found() {
    for (fen, moves) in [(MATE_IN_ONE, 1), (MATE_IN_TWO, 2), (MATE_IN_TWO, 3)] {
        let game = Game::from_fen(fen);
        let mut client = Client::at(&game.command());
        let infos = judge(&game, &client.search(&format!("go mate {moves}")), 1);
        let score = verdict(&infos).score;
        assert!(
            matches!(score, Some(Score::Mate(found)) if (1..=moves).contains(&found)),
            "{fen}: {score:?}"
        );
    }
}

// … or disproved at that depth.
#[test]
fn a_search_for_a_mate_ends_when_there_is_none() {
    let mut client = Client::ready();
    for command in ["go mate 1", "go mate 2"] {
        go(&mut client, command);
    }
}

// Several limits together: the first one reached ends it.
#[test]
fn the_first_limit_reached_ends_the_search() {
    for command in [
        "go depth 60 nodes 3000",
        "go nodes 1000000000000 depth 2",
        "go movetime 100000 nodes 3000",
        "go wtime 1000000 btime 1000000 nodes 3000",
        "go depth 200 movetime 100",
        "go movetime 100000 wtime 100000 depth 2",
    ] {
        ends_within(ms(2000), command);
    }
}

// Unknown tokens, non-numbers and 10^23 as values are skipped.
#[test]
fn what_makes_no_sense_in_a_go_is_skipped() {
    for command in [
        "go foo depth 3 bar",
        "go depth abc nodes 2000",
        "go depth 100000000000000000000000 nodes 2000",
        "go nodes 100000000000000000000000 depth 3",
        "go wtime abc depth 3",
        "go depth 3 nodes",
        "go movetime 1e3 depth 3",
        "go depth 2.5 depth 3",
    ] {
        ends_within(ms(3000), command);
    }
}

// `go movetime abc`, `go dpeth 3`, `go depth -3`: what was ignored is said, and nobody waits for ever.
#[test]
fn a_limit_that_makes_no_sense_is_named_and_ends_the_search_all_the_same() {
    let mut client = Client::ready();
    for (command, named) in [
        ("go movetime abc", "movetime abc"),
        ("go dpeth 3", "dpeth 3"),
        ("go depth -3", "depth -3"),
        ("go nodes", "nodes without a number"),
        ("go wtime x btime y", "wtime x"),
        ("go winc 100 binc 100", "winc 100"),
        ("go depth=3", "depth=3"),
        ("go perft", "perft without a number"),
        ("go perft x", "perft x"),
        ("go perft 65", "perft 65"),
        ("go depth 100000000000000000000000", "depth 1000"),
    ] {
        let answer = client.search(&format!("position startpos\n{command}"));
        assert!(Game::default().is_legal(&answer.best), "{command}: {}", answer.best);
        assert!(answer.took < ms(1000) * SLACK, "{command}: {:?}", answer.took);
        let told = answer.lines.iter().filter(|line| line.starts_with("info string") && line.contains(named));
        assert_eq!(told.count(), 1, "{command}: {:?}", answer.lines);
    }
}

#[test]
fn unknown_words_are_named_and_change_nothing() {
    let mut client = Client::ready();
    let answer = client.search("position startpos\ngo foo depth 3 bar");
    assert!(answer.lines.iter().any(|line| line.contains("\"foo\", \"bar\"")), "{:?}", answer.lines);
    client.send("go foo");
    client.searching_for(ms(800));
    client.send("stop");
    client.answer();
    let silent = client.search("go depth 3 wtime 1000 btime 1000");
    assert!(!silent.lines.iter().any(|line| line.starts_with("info string")), "{:?}", silent.lines);
    // A flood of nonsense is not answered with a flood of messages.
    let answer =
        client.search(&format!("go depth 2 {} searchmoves {}", "x ".repeat(5000), "e2e5 ".repeat(5000)));
    assert!(answer.lines.iter().filter(|line| line.starts_with("info string")).count() < 12);
}
