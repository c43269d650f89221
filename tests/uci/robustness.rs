//! Robustness: odd input, panics on purpose, closed pipes and random talk.

use std::io::Write;
use std::time::Duration;

use crate::client::{Client, TIMEOUT, drain, engine, exit_within, is_error, ms};
use crate::game::{Game, MIDDLE_GAME};
use crate::judge::judge;
use espalier::random::Random;

/// The engine answers and plays.
fn is_fit(client: &mut Client) {
    let game = Game::from_fen(MIDDLE_GAME);
    client.sync();
    judge(&game, &client.search(&format!("{}\ngo depth 3", game.command())), 1);
}

fn readyok(client: &mut Client, what: &str) {
    client.expect(&format!("readyok after {what}"), TIMEOUT, |line| line == "readyok");
}

// Unknown words are skipped and the rest of the line is parsed.
#[test]
fn unknown_words_before_a_command_are_skipped() {
    let mut client = Client::ready();
    for line in ["joho isready", "joho la la isready", "debug maybe\nisready", "xyzzy\nisready"] {
        client.send(line);
        readyok(&mut client, line);
    }
    client.send("joho position startpos moves e2e4\nfoo bar go depth 2");
    assert!(Game::default().after("e2e4").is_legal(&client.answer().best));
}

// Blanks, tabs, CRLF, empty lines.
#[test]
fn blanks_tabs_line_ends_and_empty_lines_do_not_matter() {
    let mut client = Client::start();
    client.send_bytes(b"\n\r\n   \n\t\n  uci  \r\n");
    client.expect("uciok", TIMEOUT, |line| line == "uciok");
    client.send_bytes(b" \t isready \t \r\n");
    readyok(&mut client, "blanks");
    client.send_bytes(b"\tposition \t startpos   moves  e2e4\te7e5  \r\n go\t depth   3 \r\n");
    let game = Game::default().after("e2e4 e7e5");
    judge(&game, &client.answer(), 1);
}

// Bytes that are no UTF-8, NUL bytes.
#[test]
fn bytes_that_are_no_text_are_survived() {
    let mut client = Client::ready();
    for bytes in [
        &b"\xff\xfe\xfd\n"[..],
        b"\xc3\x28 \xe2\x28\xa1\n",
        b"\0\0\0\n",
        b"position \xff\n",
        b"setoption name \xff value \xfe\n",
        "p\u{f6}sition \u{1f600}\n".as_bytes(),
        b"\x1b[31m\x07\n",
    ] {
        client.send_bytes(bytes);
        client.send("stop\nisready");
        readyok(&mut client, &String::from_utf8_lossy(bytes));
    }
    client.send("position startpos");
    client.send_bytes(b"go\0depth 3\n");
    client.expect("an answer", TIMEOUT, |line| line.starts_with("bestmove"));
    is_fit(&mut client);
}

#[test]
fn a_command_arriving_byte_by_byte_is_one_command() {
    let mut client = Client::ready();
    for byte in b"isready\n" {
        client.send_bytes(&[*byte]);
        std::thread::sleep(ms(5));
    }
    readyok(&mut client, "single bytes");
}

#[test]
fn the_last_line_counts_even_without_a_line_end() {
    let mut client = Client::ready();
    client.send_bytes(b"isready");
    client.close_input();
    readyok(&mut client, "end of input");
    client.ends_well_within(Duration::from_secs(2));
}

// A line above a stated cap (1 MiB) is dropped with a message.
#[test]
fn a_line_above_the_cap_is_dropped_with_one_message() {
    let mut client = Client::ready();
    for garbage in ["x".repeat(2 << 20), "go infinite ".repeat(200_000)] {
        let lines = client.reply(&garbage);
        assert!(lines.len() == 1 && is_error(&lines[0]), "{lines:?}");
        is_fit(&mut client);
    }
}

// Very long lines below the cap are read.
#[test]
fn a_line_below_the_cap_is_read() {
    let mut client = Client::ready();
    client.send(&format!("{}isready{}", " ".repeat(500_000), " ".repeat(500_000)));
    readyok(&mut client, "a million blanks");
    is_fit(&mut client);
}

// A message quotes what it is about, but not a line of a million characters.
#[test]
fn messages_about_long_lines_are_short() {
    let mut client = Client::ready();
    let long = "x".repeat(900_000);
    for line in [
        format!("setoption name {long} value 1"),
        format!("setoption name Hash value {long}"),
        format!("setoption name EvalFile value {long}"),
        format!("position fen {long}"),
        long.clone(),
    ] {
        let error = client.refuse(&line);
        assert!(error.len() < 2_000, "{} characters", error.len());
    }
    is_fit(&mut client);
}

// A panic anywhere is contained: reported as `info string ERROR …`, the engine goes on.
#[test]
#[cfg(debug_assertions)]
fn a_panic_in_the_command_loop_is_contained() {
    let mut client = Client::at("position startpos");
    for _ in 0..3 {
        assert_ne!(client.errors("crash"), [] as [&str; 0], "the panic is reported");
        is_fit(&mut client);
    }
}

// The pending `go` is answered with the best legal move known.
#[test]
#[cfg(debug_assertions)]
fn a_panic_in_the_search_is_answered_with_a_legal_move() {
    let game = Game::from_fen(MIDDLE_GAME);
    let mut client = Client::at(&game.command());
    for _ in 0..3 {
        let answer = client.search("crash search\ngo depth 5");
        assert!(game.is_legal(&answer.best), "{}", answer.best);
        assert!(answer.errors() >= 1, "the panic is reported");
        client.silent_for(ms(100));
        judge(&game, &client.search("go depth 3"), 1);
    }
}

#[test]
#[cfg(debug_assertions)]
fn a_panic_with_several_threads_or_in_an_infinite_search_is_contained() {
    let game = Game::from_fen(MIDDLE_GAME);
    let mut client = Client::at(&format!("setoption name Threads value 2\n{}", game.command()));
    client.send("crash search\ngo infinite");
    std::thread::sleep(ms(200));
    client.send("stop");
    let answer = client.answer();
    assert!(game.is_legal(&answer.best));
    assert!(answer.errors() >= 1, "the panic is reported");
    is_fit(&mut client);
}

#[test]
#[cfg(debug_assertions)]
fn a_panic_in_the_command_loop_during_a_search_loses_no_answer() {
    let game = Game::from_fen(MIDDLE_GAME);
    let mut client = Client::at(&game.command());
    client.send("go infinite");
    assert_ne!(client.errors("crash"), [] as [&str; 0], "the panic is reported");
    client.send("stop");
    assert!(game.is_legal(&client.answer().best));
    is_fit(&mut client);
}

// A closed output ends the process quietly.
#[test]
fn a_closed_output_ends_the_process_quietly() {
    for talk in ["uci\nisready\n", "position startpos\ngo infinite\n", "go depth 20\nd\nisready\n"] {
        let mut child = engine(None::<&str>).spawn().expect("the engine starts");
        drop(child.stdout.take());
        let errors = drain(child.stderr.take());
        let mut input = child.stdin.take().expect("a pipe");
        let _ = input.write_all(talk.as_bytes());
        let status = exit_within(&mut child, Duration::from_secs(3));
        let _ = child.kill();
        let _ = child.wait();
        assert!(status.is_some_and(|status| status.success()), "{status:?} after {talk:?}");
        let errors = String::from_utf8_lossy(&errors.join().unwrap()).into_owned();
        assert!(!errors.contains("panic"), "{errors}");
    }
}

// Input of random bytes, the same on every run.
#[test]
fn a_thousand_lines_of_random_bytes_are_survived() {
    let mut random = Random::new(1);
    let mut client = Client::ready();
    for _ in 0..1000 {
        let mut line: Vec<u8> = (0..random.below(120)).map(|_| random.number() as u8).collect();
        line.retain(|byte| *byte != b'\n');
        line.push(b'\n');
        client.send_bytes(&line);
    }
    client.send("stop");
    is_fit(&mut client);
}

/// Valid commands, invalid ones and pieces of both.
const SOUP: [&str; 47] = [
    "uci",
    "isready",
    "ucinewgame",
    "stop",
    "stop",
    "stop",
    "ponderhit",
    "debug on",
    "debug off",
    "debug",
    "register later",
    "position startpos",
    "position startpos moves e2e4 e7e5",
    "position startpos moves e2e5",
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "position fen rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
    "position fen 1r6/8/8/8/8/8/7k/K7 w - - 0 1",
    "position",
    "position fen",
    "go infinite",
    "go infinite",
    "go ponder wtime 100 btime 100",
    "go depth 3",
    "go depth 4",
    "go nodes 500",
    "go nodes 1",
    "go movetime 5",
    "go wtime 50 btime 50",
    "go mate 1",
    "go depth 0",
    "go depth 3 searchmoves e2e4 0000",
    "setoption name Hash value 1",
    "setoption name Hash value 4",
    "setoption name Hash value 0",
    "setoption name Clear Hash",
    "setoption name MultiPV value 3",
    "setoption name MultiPV value 1",
    "setoption name Threads value 2",
    "setoption name Threads value 1",
    "setoption name UCI_Chess960 value true",
    "setoption name UCI_Chess960 value false",
    "setoption name Nonsense value 7",
    "setoption",
    "d",
    "eval",
];

// Whatever is said in whatever order: exactly one `bestmove` per `go`, and the reader never blocks.
#[test]
fn a_soup_of_commands_gets_one_answer_per_go_and_never_hangs() {
    let mut random = Random::new(2);
    for _ in 0..12 {
        let mut client = Client::ready();
        let talk: Vec<&str> = (0..80).map(|_| *random.pick(&SOUP)).collect();
        let searches = talk.iter().filter(|line| line.starts_with("go")).count();
        client.send(&talk.join("\n"));
        client.send("stop\nposition startpos\ngo depth 1");
        for _ in 0..searches {
            client.answer();
        }
        let last = client.answer();
        assert!(Game::default().is_legal(&last.best), "the last go is for the start position: {}", last.best);
        client.sync();
        client.silent_for(ms(100));
    }
}

// The same, one line at a time with pauses, so that commands meet searches that run.
#[test]
fn a_slow_soup_of_commands_gets_one_answer_per_go_and_never_hangs() {
    let mut random = Random::new(3);
    let mut client = Client::ready();
    let mut searches = 0;
    for _ in 0..300 {
        let line = random.pick(&SOUP);
        searches += usize::from(line.starts_with("go"));
        client.send(line);
        std::thread::sleep(ms(random.below(8) as u64));
    }
    client.send("stop");
    for _ in 0..searches {
        client.answer();
    }
    client.sync();
    client.silent_for(ms(200));
}

// Words in random order: nothing of it may be taken for more than it is.
#[test]
fn lines_of_shuffled_words_are_survived() {
    let words: Vec<&str> = SOUP
        .iter()
        .flat_map(|line| line.split(' '))
        .chain(["name", "value", "-1", "1e9", "<empty>"])
        .collect();
    let mut random = Random::new(4);
    let mut client = Client::ready();
    for _ in 0..400 {
        let line: Vec<&str> = (0..1 + random.below(9)).map(|_| *random.pick(&words)).collect();
        client.send(&line.join(" "));
        client.send("stop");
    }
    client.send("setoption name UCI_Chess960 value false\nsetoption name MultiPV value 1\nstop\nisready");
    readyok(&mut client, "shuffled words");
    client.send("position startpos\ngo depth 1 searchmoves h2h3");
    client.until("the last answer", TIMEOUT, |line| line.starts_with("bestmove h2h3"));
}

// What a person types at the engine.
#[test]
fn the_extra_commands_say_something() {
    let mut client = Client::at("position startpos");
    for command in ["d", "eval", "help"] {
        let lines = client.reply(command);
        assert!(!lines.is_empty() && !lines.iter().any(|line| is_error(line)), "{command}: {lines:?}");
    }
}
