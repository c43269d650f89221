//! What mutations begin with.

use std::path::{Path, PathBuf};

use espalier::eval::Weights;
use espalier::eval::combination::{Combination, N, Quadratic};
use espalier::eval::network::Network;
use espalier::learn::games::viriformat::{GameResult, GameWriter};
use espalier::learn::network::{Model, Shape};
use espalier::options::rows;
use espalier::selective::rank_table::RankCounts;
use espalier::tree::{self, Keep};
use espalier::{Engine, Limits, Options, Score, Search};
use shakmaty::{Chess, Position as _};

/// The seeds of a target: the files of its corpus, and what the program itself would write.
pub fn of(target: &str) -> Vec<Vec<u8>> {
    let mut seeds = files(&folder("corpus").join(target));
    let made = made(target);
    if std::env::var_os("ESPALIER_BLESS").is_some() && !made.is_empty() {
        let folder = folder("corpus-generated").join(target);
        std::fs::create_dir_all(&folder).expect("a folder");
        for (index, bytes) in made.iter().enumerate() {
            std::fs::write(folder.join(format!("made-{index}")), bytes).expect("a seed");
        }
    }
    seeds.extend(made);
    seeds
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(name)
}

fn files(folder: &Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a seed")).collect()
}

fn made(target: &str) -> Vec<Vec<u8>> {
    match target {
        "settings" => vec![every_option()],
        "weights" => {
            let plain = Quadratic { linear: [1.0; N], ..Quadratic::default() };
            let combination = Combination::new([plain; 3], 20.0).to_text();
            vec![Weights::default().to_text().into_bytes(), combination.into_bytes()]
        }
        "tables" => {
            let mut counts = RankCounts::default();
            (0..300).for_each(|n| counts.add(n * 37, n % 3 == 0));
            vec![counts.to_bytes("made by a test", 1)]
        }
        "network" => {
            let shape = Shape { width: 16, buckets: 1 };
            vec![
                Network::quantised(shape.width, shape.buckets, 400, &Model::random(shape, 1).weights)
                    .to_bytes(),
            ]
        }
        "tree" => vec![recording(Keep::Last), recording(Keep::All)],
        "games" => vec![game()],
        "book" => vec![book()],
        _ => Vec::new(),
    }
}

/// Every option as it is announced.
fn every_option() -> Vec<u8> {
    let options = Options::default();
    let lines = rows().filter(|row| !row.read(&options).is_empty() && !row.is_text());
    lines.map(|row| format!("{}={}\n", row.name, row.read(&options))).collect::<String>().into_bytes()
}

fn recording(keep: Keep) -> Vec<u8> {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let mut engine = Engine::default();
    let search = tree::recorded(Search::new(Limits::depth(2)), &engine, file.path(), keep);
    engine.start(search).wait().recorded.expect("a recording").expect("a recording");
    std::fs::read(file.path()).expect("the recording")
}

/// The start position and another, with moves that are legal there and one that is not.
fn book() -> Vec<u8> {
    let entry = |key: u64, from: u16, to: u16| {
        let code = from << 6 | to;
        [&key.to_be_bytes()[..], &code.to_be_bytes(), &7_u16.to_be_bytes(), &[0; 4]].concat()
    };
    let start = 0x463b_9618_1691_fc9c;
    let (e2, e4, e7, e5) = (12, 28, 52, 36);
    [entry(start, e2, e4), entry(start, e7, e5), entry(0x823c_9b50_fd11_4196, e7, e5)].concat()
}

fn game() -> Vec<u8> {
    let mut chess = Chess::default();
    let mut writer = GameWriter::new(chess.clone());
    for _ in 0..30 {
        let m = chess.legal_moves()[0];
        writer.push(m, chess.turn(), Score::cp(17));
        chess.play_unchecked(m);
    }
    writer.finish(GameResult::Draw)
}
