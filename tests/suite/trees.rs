//! Recordings of search trees: what is written is what was searched, and what is wrong is said.

use std::path::{Path, PathBuf};

use espalier::search::event::{End, NodeKind, Purpose};
use espalier::search::move_picker::is_noisy;
use espalier::tree::left_out::LeftOut;
use espalier::tree::node::NO_NUMBER;
use espalier::tree::{self, Keep, Recording, Tree, TreeNode, TreeSummary};
use espalier::{Bound, Engine, Game, Limits, Outcome, Position, Score, Search};

use crate::common::{engine, file};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const PROMOTIONS: &str = "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1";

/// Options and their values.
type Set = &'static [(&'static str, &'static str)];

/// A file of its own for a test, removed when the test is over.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("espalier-{}-{name}.tree", std::process::id())))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn engine_at(fen: &str, settings: &[(&str, &str)]) -> Engine {
    let mut engine = engine(settings);
    engine.set_game(Game::new(Position::from_fen(fen, false).unwrap()));
    engine
}

fn search_recorded(mut engine: Engine, limits: Limits, keep: Keep, place: &Path) -> Outcome {
    let search = tree::recorded(Search::new(limits), &engine, place, keep);
    engine.start(search).wait()
}

fn record(fen: &str, settings: &[(&str, &str)], limits: Limits, keep: Keep, place: &Path) -> u64 {
    let outcome = search_recorded(engine_at(fen, settings), limits, keep, place);
    let written = outcome.recorded.unwrap().unwrap();
    assert_eq!(written.note, None);
    assert_eq!(written.bytes, std::fs::metadata(place).unwrap().len());
    if keep == Keep::All {
        assert_eq!(written.nodes, outcome.effort.nodes, "every node is there");
    }
    outcome.effort.nodes
}

/// Walks a whole tree and holds every node to what its neighbours say.
fn walk(tree: &Tree) {
    tree.check(|_| {}).unwrap();
    let start = tree.positions(&[0]).unwrap().remove(0);
    let mut open = vec![(0, tree.node(0).unwrap(), start)];
    let mut nodes = 0;
    while let Some((index, node, position)) = open.pop() {
        nodes += 1;
        let range = tree.child_range(index).unwrap();
        let children = tree.children(index).unwrap();
        hold(&node, &children);
        hold_left_out(tree, index, &position);
        for (place, child) in range.zip(children) {
            assert_eq!(child.parent, index);
            let position = tree.position_after(&position, &child, place).unwrap();
            open.push((place, child, position));
        }
    }
    assert_eq!(nodes, tree.summary.records);
    assert_eq!(tree.summary.ends.values().sum::<u64>(), tree.summary.nodes);
    assert_eq!(tree.summary.kinds.values().sum::<u64>(), tree.summary.nodes);
    assert_eq!(tree.summary.levels.iter().sum::<u64>(), tree.summary.records);
}

fn hold(node: &TreeNode, children: &[TreeNode]) {
    let below: u32 = children.iter().map(|child| child.nodes).sum();
    assert_eq!(node.nodes, below + u32::from(node.kind != NodeKind::Iteration), "{node:?}");
    if node.end == End::Stopped || node.kind == NodeKind::Iteration {
        return;
    }
    assert_eq!(node.bound, Bound::of(node.value, node.window));
    let moves = children.iter().filter(|child| child.number > 0).count();
    match node.end {
        End::Cut => assert!(node.value >= node.window.beta && moves > 0, "{node:?}"),
        End::AllMoves => assert!(node.value < node.window.beta && moves > 0, "{node:?}"),
        End::Repetition | End::FiftyMoves | End::DeadPosition | End::Stalemate => {
            assert!(node.value == Score::DRAW && children.is_empty(), "{node:?}");
        }
        End::Checkmate => assert!(node.value.is_mate() && children.is_empty(), "{node:?}"),
        End::Hash | End::StandPat | End::Horizon | End::MateDistance => {
            assert!(children.is_empty(), "{node:?}");
        }
        // Every move may have been left out by several methods, but never by none.
        end if end.leaves_out() => assert!(moves > 0 && node.acted().next().is_some(), "{node:?}"),
        End::NullMove => {
            assert!(children.last().is_some_and(|child| child.purpose == Purpose::NullMove), "{node:?}");
        }
        End::ReverseFutility => assert!(node.value >= node.window.beta && children.is_empty(), "{node:?}"),
        End::QuiescenceRazoring => {
            assert!(node.value < node.window.beta, "{node:?}");
            assert!(
                children.last().is_some_and(|child| child.purpose == Purpose::QuiescenceRazoring),
                "{node:?}"
            );
        }
        End::CaptureProbCut => {
            assert!(
                children.last().is_some_and(|child| child.purpose == Purpose::CaptureProbCut),
                "{node:?}"
            );
        }
        End::SingularCut => {
            assert!(children.last().is_some_and(|child| child.purpose == Purpose::Singular), "{node:?}");
        }
        End::MultiCut => {
            assert!(children.last().is_some_and(|child| child.purpose == Purpose::MultiCut), "{node:?}");
        }
        _ => {}
    }
    if matches!(node.end, End::Cut | End::AllMoves) && node.value > node.window.alpha {
        let best = children[usize::from(node.best)];
        assert_eq!(-best.value, node.value, "{node:?} {best:?}");
        assert!(best.raised);
    }
    if node.purpose != Purpose::Singular {
        hold_numbers(node);
    }
}

/// The numbers of a node say what its end says.
fn hold_numbers(node: &TreeNode) {
    let [a, b, c] = node.numbers.map(i32::from);
    let beta = node.window.beta.raw();
    let holds = match node.end {
        End::ReverseFutility => a - b >= beta,
        End::QuiescenceRazoring => a + b < beta,
        End::Hash => a >= node.depth.raw() || node.kind == NodeKind::Quiescence,
        End::NullMove | End::NullMoveVerified => a >= beta && b < node.depth.raw(),
        End::CaptureProbCut => a > beta && b >= a && c < node.depth.raw(),
        End::MultiCut => a > 0 && b >= a && c < node.depth.raw(),
        End::SingularCut => a >= beta && b >= a && c > a,
        _ => true,
    };
    assert!(holds, "{node:?}");
}

/// Every move left out has one rule, one that acted at the node, and its number says why.
fn hold_left_out(tree: &Tree, index: u32, position: &Position) {
    let node = tree.node(index).unwrap();
    for LeftOut { m, kept } in tree.left_out(index, position).unwrap() {
        let Some(kept) = kept else {
            assert!(node.left_out().is_none(), "{m:?} of {node:?}");
            continue;
        };
        let rule = kept.mark(&node).unwrap_or_else(|| panic!("{kept:?} of {node:?}")).name;
        let Some(number) = kept.number.map(i32::from) else { continue };
        let alpha = node.window.alpha.max(node.value).raw();
        let holds = match rule {
            "losing-moves-out" => number <= 0,
            "bad-history-out" => !is_noisy(m),
            "late-moves-out" => number > 0 && !is_noisy(m),
            "gave-up" | "n-best-moves" | "tapered-moves" => number > 0,
            _ => number <= alpha,
        };
        assert!(holds, "{m:?}: {kept:?} of {node:?}");
    }
}

#[test]
fn every_node_of_every_preset_is_recorded_and_holds_together() {
    for preset in ["Modern", "Turk", "TurkMC", "TurkUC", "Crafty", "RankCut", "Mulan", "FullWidth", "Winston"]
    {
        for (fen, depth) in [(KIWIPETE, 4), (PROMOTIONS, 4)] {
            let place = Place::new(&format!("preset-{preset}-{}", &fen[..2]));
            record(fen, &[("Preset", preset)], Limits::depth(depth), Keep::All, &place.0);
            let recording = Recording::open(&place.0).unwrap();
            assert_eq!(recording.meta().trees.len(), depth as usize, "{preset}");
            recording.trees().for_each(|tree| walk(&tree));
        }
    }
}

#[test]
fn every_reason_is_recorded_where_its_method_is_on() {
    let cases: [(Set, i32, End); 13] = [
        (
            &[("Preset", "FullWidth"), ("NullMove", "true"), ("NullMoveVerify", "true")],
            6,
            End::NullMoveVerified,
        ),
        (&[("NullMove", "true")], 6, End::NullMove),
        (&[("Preset", "TurkMC")], 6, End::MultiCut),
        (&[("Preset", "TurkUC"), ("UncertaintyRatio", "20")], 5, End::Uncertainty),
        (&[("Preset", "Crafty"), ("Futility", "true")], 4, End::Futility),
        (&[("Preset", "Mulan"), ("ProbCut", "true"), ("ProbCutHeight", "5")], 6, End::ProbCut),
        (&[("Preset", "FullWidth"), ("Quiescence", "false")], 3, End::Horizon),
        (&[("Preset", "FullWidth"), ("NBest", "true")], 4, End::NBest),
        (&[], 6, End::ReverseFutility),
        (&[("RazoringDropMargin", "50")], 6, End::QuiescenceRazoring),
        (&[("CaptureCut", "true")], 7, End::CaptureProbCut),
        (&[("SingularDepth", "4")], 8, End::SingularCut),
        (
            &[("LateMovePruning", "false"), ("HistoryPruning", "false"), ("DeepFutility", "false")],
            6,
            End::SeePruning,
        ),
    ];
    for (settings, depth, end) in cases {
        let place = Place::new(end.name());
        record(KIWIPETE, settings, Limits::depth(depth), Keep::Last, &place.0);
        let recording = Recording::open(&place.0).unwrap();
        let tree = recording.tree(0).unwrap();
        assert!(tree.summary.ends.contains_key(end.name()), "{end:?}: {:?}", tree.summary.ends);
        walk(&tree);
    }
}

#[test]
fn the_end_of_the_game_is_recorded_for_what_it_is() {
    let cases = [
        ("8/8/8/8/8/6k1/5p2/5K2 b - - 0 1", 2, End::Stalemate),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", 2, End::Checkmate),
        ("6k1/8/8/8/8/8/7R/K7 w - - 98 90", 3, End::FiftyMoves),
        ("8/8/8/3k4/8/3K4/4p3/8 w - - 0 1", 2, End::DeadPosition),
        ("6k1/8/8/8/8/8/7R/K7 w - - 0 1", 7, End::Repetition),
    ];
    for (fen, depth, end) in cases {
        let place = Place::new(&format!("game-over-{}", end.name()));
        record(fen, &[("Preset", "FullWidth")], Limits::depth(depth), Keep::Last, &place.0);
        let recording = Recording::open(&place.0).unwrap();
        let tree = recording.tree(0).unwrap();
        assert!(tree.summary.ends.contains_key(end.name()), "{end:?}: {:?}", tree.summary.ends);
        walk(&tree);
    }
}

#[test]
fn reductions_extensions_and_repeated_searches_are_recorded() {
    let cases: [(Set, i32, &[&str]); 10] = [
        (&[("Hindsight", "true")], 8, &["hindsight"]),
        (
            &[("SingularDepth", "4"), ("InternalReduction", "true")],
            8,
            &[
                "not-singular",
                "no-hash-move",
                "losing-moves-out",
                "delta-moves",
                "deep-futility-moves",
                "re-search-depth",
            ],
        ),
        (&[("Preset", "Crafty"), ("LateMoveReductions", "true")], 6, &["lmr", "extension", "null-move"]),
        (&[("Preset", "Crafty")], 5, &["razoring", "futility-moves", "extended-futility-moves"]),
        (&[("Preset", "RankCut"), ("RankCutDepth", "2"), ("RankCutSamples", "1")], 6, &["rankcut"]),
        (&[("Singular", "true"), ("SingularDepth", "3")], 7, &["singular-extension", "singular-probe"]),
        (&[("Preset", "Winston")], 4, &["static-singular", "singular", "tapered"]),
        (&[("Preset", "Mulan"), ("ProbCut", "true"), ("ProbCutHeight", "5")], 6, &["probcut-probe"]),
        (
            &[("Preset", "TurkUC"), ("UncertaintyRatio", "20")],
            5,
            &["re-search-window", "gave-up", "root-low"],
        ),
        (
            &[("Preset", "FullWidth"), ("InternalDeepening", "true"), ("IterativeDeepening", "false")],
            5,
            &["internal-deepening"],
        ),
    ];
    for (settings, depth, names) in cases {
        let place = Place::new(names[0]);
        record(KIWIPETE, settings, Limits::depth(depth), Keep::Last, &place.0);
        let recording = Recording::open(&place.0).unwrap();
        let tree = recording.tree(0).unwrap();
        let TreeSummary { ends, purposes, changes, marks, .. } = tree.summary;
        for name in names {
            let counted = [ends, purposes, changes, marks].iter().any(|counts| counts.contains_key(*name));
            assert!(counted, "{settings:?}: no {name} in {:?}", tree.summary);
        }
        assert!(!changes.contains_key("multi-cut-extension"), "multi-cut is off: {changes:?}");
        walk(&tree);
    }
}

#[test]
fn values_from_endgame_tables_are_recorded() {
    let place = Place::new("tables");
    let tables = file("tests/data/syzygy").display().to_string();
    record(
        "8/8/8/3k4/8/8/1p6/KR6 w - - 0 1",
        &[("SyzygyPath", &tables)],
        Limits::depth(4),
        Keep::Last,
        &place.0,
    );
    let recording = Recording::open(&place.0).unwrap();
    let tree = recording.tree(0).unwrap();
    assert!(tree.summary.ends.contains_key("tablebase"), "{:?}", tree.summary.ends);
    walk(&tree);
}

/// A recording takes 48 bytes a node at most, whatever is left out; in the default search every move left out has its
/// rule with its number.
#[test]
fn moves_left_out_have_their_rules_in_48_bytes_a_node() {
    let many: Set = &[("LateMovePruning", "false"), ("DeepFutilityDepth", "12"), ("DeepFutilityMargin", "0")];
    for (settings, all) in [(&[] as Set, true), (many, false)] {
        let place = Place::new(&format!("room-{all}"));
        let nodes = record(KIWIPETE, settings, Limits::depth(9), Keep::All, &place.0);
        let recording = Recording::open(&place.0).unwrap();
        let (mut told, mut untold, mut dropped) = (0, 0, 0);
        let words: u64 = recording.trees().map(|tree| tree.summary.left_out).sum();
        let bytes = std::fs::metadata(&place.0).unwrap().len();
        let besides = bytes - 44 * nodes - 4 * words;
        assert!(
            bytes <= (48 * nodes).max(47 * nodes + besides),
            "{bytes} for {nodes} nodes, {besides} for the text"
        );
        for tree in recording.trees() {
            let summary = tree.summary;
            dropped += summary.dropped;
            assert!(!all || summary.without_numbers == 0, "every number is kept");
            for index in 1..summary.records as u32 {
                let node = tree.node(index).unwrap();
                let leaves_out = node.end.leaves_out() && node.purpose != Purpose::Singular;
                told += u64::from(leaves_out && node.left_out().is_some());
                untold += u64::from(leaves_out && node.left_out().is_none());
            }
        }
        assert!(told > nodes / 50 && untold <= dropped, "{told} and {untold} of {nodes}");
        assert_eq!(dropped == 0, all, "the summary says what is lost");
    }
}

/// Moves left out and moves searched are all the legal ones, wherever a method left out some.
#[test]
fn moves_left_out_are_those_nobody_searched() {
    let place = Place::new("left-out");
    record(KIWIPETE, &[], Limits::depth(8), Keep::Last, &place.0);
    let recording = Recording::open(&place.0).unwrap();
    let tree = recording.tree(0).unwrap();
    let mut seen = 0;
    for index in 0..tree.summary.records as u32 {
        let node = tree.node(index).unwrap();
        let plain = |child: &TreeNode| child.purpose == Purpose::Move;
        if !node.end.leaves_out() || node.purpose == Purpose::Singular {
            continue;
        }
        let position = tree.positions(&tree.path(index).unwrap()).unwrap().pop().unwrap();
        let children = tree.children(index).unwrap();
        let searched = children.iter().filter(|child| plain(child)).count();
        let out = tree.left_out(index, &position).unwrap().len();
        assert_eq!(out + searched, position.legal_moves().len(), "node {index}: {node:?}");
        seen += usize::from(out > 0);
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn a_recorded_search_is_the_same_search() {
    let place = Place::new("same");
    let plain = engine_at(KIWIPETE, &[]).search(Limits::depth(7));
    let recorded = search_recorded(engine_at(KIWIPETE, &[]), Limits::depth(7), Keep::Last, &place.0);
    assert_eq!((plain.effort.nodes, &plain.lines), (recorded.effort.nodes, &recorded.lines));
    assert_eq!(recorded.recorded.unwrap().unwrap().trees, 1);
    let recording = Recording::open(&place.0).unwrap();
    let tree = recording.tree(0).unwrap();
    let variation = tree.principal_variation().unwrap();
    let moves: Vec<_> = variation.iter().map(|&index| tree.node(index).unwrap().m).collect();
    let line = &plain.lines[0].moves;
    // One of them may go on, into quiescence or by moves of the hash table.
    let same = line.iter().zip(&moves[2..]).all(|(&one, &other)| other == one.into());
    assert!(same && moves.len() > 3, "{moves:?} {line:?}");
    assert_eq!(tree.node(variation[1]).unwrap().value, plain.score().unwrap());
}

#[test]
fn a_stopped_search_keeps_the_last_complete_tree_and_the_one_begun() {
    let place = Place::new("stopped");
    record(KIWIPETE, &[], Limits::nodes(30_000), Keep::Last, &place.0);
    let recording = Recording::open(&place.0).unwrap();
    let [complete, begun] = &recording.meta().trees[..] else { panic!("two trees") };
    assert!(complete.complete && !begun.complete && begun.ends.contains_key("stopped"));
    recording.trees().for_each(|tree| walk(&tree));
}

#[test]
fn other_threads_are_not_recorded_and_several_lines_are() {
    let place = Place::new("threads");
    record(KIWIPETE, &[("Threads", "2"), ("MultiPV", "3")], Limits::depth(5), Keep::Last, &place.0);
    let recording = Recording::open(&place.0).unwrap();
    let tree = recording.tree(0).unwrap();
    walk(&tree);
    let lines = tree.children(0).unwrap();
    assert!(lines.iter().filter(|line| line.purpose == Purpose::RootNextLine).count() >= 2);
}

/// Records had 38 bytes, without numbers; early development builds wrote 48 bytes, and other numbers, as version 3.
#[test]
fn recordings_of_earlier_versions_still_open() {
    for name in ["tests/data/version2.tree", "tests/data/version3-early.tree"] {
        let recording = Recording::open(&file(name)).unwrap();
        let tree = recording.tree(0).unwrap();
        tree.check(|_| {}).unwrap();
        assert_eq!((tree.summary.iteration, tree.summary.nodes), (3, 286));
        let root = tree.children(0).unwrap()[0];
        assert_eq!((root.value, root.nodes, root.numbers), (Score::cp(1), 286, [NO_NUMBER; 3]));
        let line = tree.principal_variation().unwrap();
        assert_eq!(tree.positions(&line).unwrap().len(), line.len());
        let below: u32 = tree.children(1).unwrap().iter().map(|child| child.nodes).sum();
        assert_eq!(below, 285);
        let nodes = (0..tree.summary.records as u32).map(|index| tree.node(index).unwrap());
        assert!(nodes.filter(|node| node.left_out().is_some()).count() == 0, "{name} has no lists");
    }
}

/// It was made when razoring was called "dropped" and its probe "drop-probe".
#[test]
fn names_of_old_recordings_are_read_as_those_of_today() {
    let recording = Recording::open(&file("tests/data/version2.tree")).unwrap();
    let TreeSummary { ends, purposes, spent, .. } = recording.tree(0).unwrap().summary;
    assert_eq!(ends.get(End::QuiescenceRazoring.name()), Some(&18));
    let probe = Purpose::QuiescenceRazoring.name();
    assert_eq!((purposes.get(probe), spent.get(probe)), (Some(&18), Some(&72)));
    let old = ["dropped", "drop-probe"];
    assert!(old.iter().all(|name| ![ends, purposes, spent].iter().any(|counts| counts.contains_key(*name))));
}

#[test]
fn a_file_that_is_no_recording_says_what_it_is() {
    let place = Place::new("damage");
    record(KIWIPETE, &[], Limits::depth(2), Keep::Last, &place.0);
    let good = std::fs::read(&place.0).unwrap();
    let error = |bytes: &[u8]| {
        std::fs::write(&place.0, bytes).unwrap();
        let found = Recording::open(&place.0).and_then(|r| r.trees().try_for_each(|tree| tree.check(|_| {})));
        found.err().map_or_else(String::new, |error| error.to_string())
    };
    let changed = |at: usize, by: u8| {
        let mut bytes = good.clone();
        bytes[at] ^= by;
        bytes
    };
    assert_eq!(error(&good), "");
    assert!(error(b"").ends_with("not a recording of a search tree"));
    assert!(error(b"%PDF-1.7 and so on").contains("not a recording"));
    assert!(error(&good[..40]).contains("truncated: 40 of 64"));
    assert!(error(&good[..good.len() - 1]).contains("truncated"));
    assert!(error(&[&good[..], b"x"].concat()).contains("damaged"));
    assert!(error(&changed(8, 4)).contains("version 7"));
    assert!(error(&changed(good.len() - 9, 1)).contains("text part"));
    // Every bit of the header and of the end mark is guarded, and one of every byte between and behind them.
    std::fs::write(&place.0, &good).unwrap();
    let records = Recording::open(&place.0).unwrap().meta().trees[0].records as usize;
    let end = 64 + (records + 1) * 44;
    for at in (0..64).chain(end - 44..end) {
        (0..8).for_each(|bit| assert_ne!(error(&changed(at, 1 << bit)), "", "bit {bit} of byte {at}"));
    }
    for at in (64..end - 44).step_by(29).chain((end..good.len()).step_by(7)) {
        assert!(error(&changed(at, 1 << (at % 8))).contains("damaged"), "byte {at}");
    }
}

#[test]
fn a_place_that_cannot_be_written_costs_the_recording_and_not_the_search() {
    let nowhere = Path::new("/nonexistent/folder/x.tree");
    let outcome = search_recorded(engine_at(KIWIPETE, &[]), Limits::depth(3), Keep::Last, nowhere);
    assert!(outcome.best_move().is_some());
    assert!(outcome.recorded.unwrap().unwrap_err().contains("/nonexistent/folder/x.tree"));
}
