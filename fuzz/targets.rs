//! What is fuzzed: one function per kind of input, each of which must survive any bytes and hold what it promises.
//!
//! cargo-fuzz runs them (`fuzz/fuzz_targets`); `cargo test --test fuzz` runs the same functions on stable
//! Rust, over the seeds of `fuzz/corpus` and thousands of mutations of them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use espalier::board::{polyglot::PolyglotBook, san};
use espalier::epd::suite::Suite;
use espalier::eval::Weights;
use espalier::eval::combination::Combination;
use espalier::eval::network::{Network, piece_values};
use espalier::lab::matches::{openings, store};
use espalier::learn::games::viriformat::Games;
use espalier::options::{rows, settings_file};
use espalier::random::Random;
use espalier::selective::prob_cut::Fits;
use espalier::selective::rank_table::{self, RankCounts};
use espalier::tree::{Recording, import::import};
use espalier::uci::command::{Command, parse};
use espalier::uci::info::{Info, parse_best_move};
use espalier::uci::solver::SolverResult;
use espalier::{Engine, Limits, Options, Position, perft};

/// A line that a client sends. What can be said back is understood as it was meant.
pub fn uci_line(bytes: &[u8]) {
    for line in bytes.split(|byte| *byte == b'\n') {
        let command = parse(line);
        let said = command.to_string();
        if !said.is_empty() {
            assert_eq!(parse(said.as_bytes()).to_string(), said, "{command:?}");
        }
        if let Command::Go(go) = command {
            let (limits, _) = go.limits(&Position::default());
            assert!(limits.search_moves.len() <= go.search_moves.len());
            assert!(!(go.unclear && go.ignored.is_empty()), "what was not understood is named: {go:?}");
        }
    }
}

/// A line that another engine sends.
pub fn engine_line(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines() {
        if let Some(info) = Info::parse(line) {
            let said = info.to_string();
            assert_eq!(Info::parse(&said).map(|info| info.to_string()), Some(said));
        }
        parse_best_move(line);
        SolverResult::parse(line);
    }
}

/// A FEN. A position that is accepted can be written, read, played and evaluated.
pub fn position(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (fen, moves) = text.split_once('\n').unwrap_or((&text, ""));
    for chess960 in [false, true] {
        let Ok(mut position) = Position::from_fen(fen, chess960) else { continue };
        let again = Position::from_fen(&position.fen(), chess960).expect("what is written is read");
        assert_eq!((again.fen(), again.key()), (position.fen(), position.key()));
        let legal = position.legal_moves();
        assert_eq!(perft::divide(&position, 1, &AtomicBool::new(false), |_, _| {}), legal.len() as u64);
        for &m in &legal {
            assert_eq!(
                san::read_move(&position, &san::san(&position, m)).ok(),
                Some(m),
                "in {}",
                position.fen()
            );
            let next = position.play(m);
            assert_eq!(
                next.key(),
                Position::new(next.chess().clone()).key(),
                "after {m:?} in {}",
                position.fen()
            );
        }
        for word in moves.split_whitespace() {
            let _ = position.parse_move(word);
            if let Ok(m) = san::read_move(&position, word) {
                position = position.play(m);
            }
        }
        let _ = espalier::eval::explain(&position, &Weights::built_in()).to_string();
    }
}

/// A test suite.
pub fn epd_line(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for chess960 in [false, true] {
        let suite = Suite::parse("fuzz", &text, chess960);
        assert!(suite.questions() <= text.len());
    }
}

/// Games to take openings from, as PGN or EPD. Every opening can be played.
pub fn pgn(bytes: &[u8]) {
    let book = openings::read(&String::from_utf8_lossy(bytes), 16);
    for opening in &book.openings {
        assert!(!opening.game().position().legal_moves().is_empty());
    }
}

/// A file of settings. Whatever it sets can be read back, and the engine searches with it.
pub fn settings(bytes: &[u8]) {
    let mut options = Options::default();
    if settings_file::apply(&mut options, &String::from_utf8_lossy(bytes)).is_err() {
        assert_eq!(settings_file::apply(&mut Options::default(), ""), Ok(()));
    }
    let mut again = Options::default();
    for row in rows().filter(|row| !row.kind.default_text().is_empty()) {
        // The preset comes before what it sets.
        again.set(row.name, &row.read(&options)).expect("a value that was set is a value of its row");
    }
    for row in rows().filter(|row| row.is_text()) {
        options.set(row.name, "<empty>").expect("no file is a value");
    }
    (options.hash, options.threads, options.multi_pv) = (1, 1, options.multi_pv.min(3));
    options.evaluation = Options::default().evaluation;
    let outcome = Engine::new(options).search(Limits::nodes(150));
    assert!(outcome.best_move().is_some() && outcome.panicked.is_none(), "{:?}", outcome.panicked);
}

/// Weights of the evaluation, and how it is combined. What is accepted is written as it was read.
pub fn weights(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(weights) = Weights::from_text(&text) {
        assert_eq!(Weights::from_text(&weights.to_text()).as_ref(), Ok(&weights));
        let position =
            Position::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", false);
        let _ = espalier::eval::explain(&position.expect("a position"), &weights).to_string();
    }
    if let Ok(combination) = Combination::from_text(&text) {
        let _ = combination.evaluate(&Position::default(), &Weights::built_in());
    }
}

/// Tables of RankCut, as they are and with a checksum that fits, and of ProbCut.
pub fn tables(bytes: &[u8]) {
    let mut sealed = bytes[..bytes.len().saturating_sub(8)].to_vec();
    let sum = sealed.iter().fold(0xcbf2_9ce4_8422_2325, |sum: u64, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    sealed.extend(sum.to_le_bytes());
    for bytes in [bytes, &sealed] {
        if let Ok(counts) = RankCounts::from_bytes(bytes) {
            assert!(rank_table::note(bytes).is_ok());
            assert!(counts.iter_seen(1).all(|(_, count)| count.better <= count.seen));
        }
        let _ = rank_table::note(bytes);
    }
    let _ = Fits::from_text(&String::from_utf8_lossy(bytes));
}

/// A network, as it is and with a checksum that fits, since whoever makes a hostile file sees to that. One that is
/// accepted can be written and evaluates.
pub fn network(bytes: &[u8]) {
    let mut sealed = bytes[..bytes.len().saturating_sub(4)].to_vec();
    sealed.extend(crc32fast::hash(&sealed).to_le_bytes());
    for bytes in [bytes, &sealed] {
        if let Ok(network) = Network::from_bytes(bytes) {
            assert_eq!(network.to_bytes(), bytes);
            let values = piece_values(&Position::default(), &Arc::new(network));
            assert!(!values.to_string().is_empty());
        }
    }
}

/// A recording of a search tree: what can be opened can be walked without harm, whatever its records say.
pub fn tree(bytes: &[u8]) {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), bytes).expect("written");
    let Ok(recording) = Recording::open(file.path()) else { return };
    for tree in recording.trees() {
        let _ = tree.check(|_| {});
        let _ = tree.principal_variation().and_then(|line| tree.positions(&line));
        for index in
            (0..tree.summary.records.min(1 << 20) as u32).step_by(1 + tree.summary.records as usize / 64)
        {
            let Ok(node) = tree.node(index) else { continue };
            let _ = tree.replies(&node);
            if let Ok(positions) = tree.path(index).and_then(|path| tree.positions(&path))
                && let Some(position) = positions.last()
            {
                let _ = tree.left_out(index, position);
            }
        }
    }
}

/// A stream of events from which a recording is made: what is accepted can be opened and is whole.
pub fn trace(bytes: &[u8]) {
    let file = tempfile::NamedTempFile::new().expect("a file");
    if import(bytes, file.path()).is_ok() {
        let recording = Recording::open(file.path()).expect("what was written is a recording");
        for tree in recording.trees() {
            tree.check(|_| {}).expect("a whole tree");
        }
    }
}

/// An opening book: whatever it says is a legal move.
pub fn book(bytes: &[u8]) {
    if let Ok(book) = PolyglotBook::from_bytes(bytes) {
        let position = Position::default();
        let moves = book.moves(&position);
        assert!(moves.iter().all(|(m, weight)| *weight > 0 && position.legal_moves().contains(m)));
        let picked = book.pick(&position, &mut Random::new(1));
        assert_eq!(picked.is_some(), !moves.is_empty());
    }
}

/// Games in viriformat: whatever is called a game can be replayed or is refused.
pub fn games(bytes: &[u8]) {
    for game in Games::new(bytes) {
        let mut plies = 0;
        let Ok(start) = game.start().unpack() else { continue };
        if game.replay(start, |_, _, _| plies += 1).is_ok() {
            assert_eq!(plies, game.plies().len());
        }
    }
}

/// The games of a match, one a line.
pub fn match_games(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(records) = store::whole_games(&text, Path::new("fuzz")) {
        assert!(records.len() <= text.lines().count());
        for record in &records {
            let _ = record.first_position();
        }
    }
}
