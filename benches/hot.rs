//! The hot parts, one by one: `cargo bench`.

use std::sync::atomic::AtomicBool;

use divan::{Bencher, black_box};
use espalier::board::{PackedMove, see};
use espalier::eval::Evaluator;
use espalier::learn::games::{GameFiles, GameTerms, Generator, Openings, ReadOptions};
use espalier::search::history::History;
use espalier::search::move_picker::{Hints, Picker};
use espalier::search::transposition_table::{TranspositionTable, TtEntry};
use espalier::{Bound, Depth, Options, Position, bench};

fn main() {
    divan::main();
}

/// Positions read from files of games, filtered and shuffled, on all cores: all in memory, and all in a temporary file.
#[divan::bench(sample_count = 5, args = [1 << 30, 0])]
fn read_games(bencher: Bencher, memory: usize) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let terms = GameTerms { nodes: 50, ..GameTerms::default() };
    let generator = Generator { options: Options::default(), terms, openings: Openings::Start, seed: 1 };
    let play = || {
        (0..100)
            .flat_map(|number| {
                generator.play(&mut generator.engine(), number, &AtomicBool::new(false)).unwrap().unwrap()
            })
            .collect()
    };
    let thread = std::thread::Builder::new().stack_size(espalier::search::STACK);
    let games: Vec<u8> =
        std::thread::scope(|scope| thread.spawn_scoped(scope, play).unwrap().join().unwrap());
    for file in 0..40 {
        std::fs::write(folder.path().join(format!("{file}.vf")), games.repeat(10))
            .expect("a file is written");
    }
    let files = GameFiles::find(&[folder.path().to_owned()]).expect("there are games");
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let reading = ReadOptions { validation: 0.05, jobs, memory, ..ReadOptions::default() };
    let read = || {
        let samples = files.samples(&reading, &AtomicBool::new(false)).expect("a temporary file is written");
        let sides = [&samples.training, &samples.validation];
        let parts = sides.into_iter().flat_map(|side| side.iter().map(|part| part.expect("a part is read")));
        parts.map(|part| black_box(part).len()).sum::<usize>()
    };
    bencher.counter(read()).bench_local(read);
}

#[divan::bench]
fn evaluate(bencher: Bencher) {
    let positions = bench::positions();
    let mut evaluator = Evaluator::default();
    bencher.counter(positions.len()).bench_local(|| {
        for position in &positions {
            black_box(evaluator.evaluate(black_box(position)));
        }
    });
}

#[divan::bench]
fn pick_all_moves(bencher: Bencher) {
    let positions = bench::positions();
    let history = History::default();
    bencher.counter(positions.len()).bench_local(|| {
        for position in &positions {
            let mut picker = Picker::new(Hints::default());
            while let Some(picked) = picker.next(black_box(position), &history) {
                black_box(picked);
            }
        }
    });
}

#[divan::bench]
fn pick_captures(bencher: Bencher) {
    let positions: Vec<Position> = bench::positions().into_iter().filter(|p| !p.in_check()).collect();
    let history = History::default();
    bencher.counter(positions.len()).bench_local(|| {
        for position in &positions {
            let mut picker = Picker::of_captures(Hints::default(), false);
            while let Some(picked) = picker.next(black_box(position), &history) {
                black_box(picked);
            }
        }
    });
}

#[divan::bench]
fn exchange(bencher: Bencher) {
    let captures: Vec<(Position, shakmaty::Move)> = bench::positions()
        .into_iter()
        .filter(|position| !position.in_check())
        .flat_map(|position| {
            let mut captures = Vec::new();
            position.each_capture(|m| captures.push((position.clone(), m)));
            captures
        })
        .collect();
    bencher.counter(captures.len()).bench_local(|| {
        for (position, m) in &captures {
            black_box(see::at_least(black_box(position), *m, 0));
        }
    });
}

#[divan::bench]
fn table_store_and_probe(bencher: Bencher) {
    let table = TranspositionTable::new(16).expect("16 MiB");
    let entry = TtEntry {
        best: PackedMove::from_bits(0x123),
        second: PackedMove::NONE,
        score: 12,
        eval: 3,
        depth: Depth::plies(5),
        bound: Some(Bound::Lower),
        was_pv: false,
    };
    let mut key = 1_u64;
    bencher.counter(1_u32).bench_local(|| {
        key = key.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        table.store(black_box(key), entry);
        black_box(table.probe(black_box(key)))
    });
}

#[divan::bench]
fn play_all_moves(bencher: Bencher) {
    let positions = bench::positions();
    let moves: usize = positions.iter().map(|position| position.legal_moves().len()).sum();
    bencher.counter(moves).bench_local(|| {
        for position in &positions {
            for m in position.legal_moves() {
                black_box(position.play(m));
            }
        }
    });
}
