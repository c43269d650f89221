//! What the search of a node may depend on: the node it is asked about, and nothing that other searches at the same
//! ply left behind.

use super::node::{Inherited, Node};
use super::observer::{Observer, Silent, Tally};
use super::searcher::ThreadData;
use super::transposition_table::TranspositionTable;
use super::{Job, Learned, Resources, Searcher};
use crate::bench;
use crate::board::{Game, Position};
use crate::depth::Depth;
use crate::eval::Evaluator;
use crate::limits::Limits;
use crate::options::Options;
use crate::score::Window;
use crate::selective::Id;
use std::sync::Arc;

/// Nothing is learned from one node for another.
const NOTHING_KEPT: &[(&str, &str)] = &[
    ("HashUse", "Off"),
    ("Killers", "false"),
    ("History", "false"),
    ("CounterMoves", "false"),
    ("ContinuationHistory", "false"),
    ("CaptureHistory", "false"),
    ("CorrectionHistory", "false"),
];

fn job(settings: &[(&str, &str)]) -> Job {
    let mut options = Options::default();
    for (name, value) in settings {
        options.set(name, value).unwrap();
    }
    let resources = Resources {
        tt: Arc::new(TranspositionTable::new(1).unwrap()),
        learned: Arc::new(Learned::load(options.learned_files()).unwrap()),
        syzygy: None,
    };
    let rules = options.rules(false);
    Job::new(Game::default(), Limits::depth(DEPTH), rules, resources, Box::new(()))
}

/// Deep enough for multi-cut below the probes of multi-cut.
const DEPTH: i32 = 6;

/// The nodes it takes to answer whether a position is worth this much more than it looks, asked at ply 1.
fn nodes(searcher: &mut Searcher<Tally>, position: &Position, more: i32) -> u64 {
    let beta = Evaluator::default().evaluate(position) + more;
    let root = Node::root(
        position,
        Window::minimal(beta),
        Depth::plies(DEPTH),
        Inherited::new(&searcher.rules.selective),
    );
    let before = searcher.nodes;
    searcher.mws(Node { ply: 1, cut: true, ..root }).unwrap();
    searcher.nodes - before
}

/// Runs with a searcher of its own, which has searched nothing yet.
fn with_searcher<T>(settings: &[(&str, &str)], run: impl FnOnce(&mut Searcher<Tally>) -> T) -> T {
    let job = job(&[settings, NOTHING_KEPT].concat());
    let mut thread_data = ThreadData::default();
    let mut searcher = Searcher::new(&job, &mut thread_data, 0, Tally::default());
    searcher.extension_limit = 2 * DEPTH as usize;
    run(&mut searcher)
}

fn positions() -> Vec<Position> {
    bench::positions().into_iter().filter(|position| !position.in_check()).step_by(3).collect()
}

/// Asks every question twice at the same ply; the second answer must take as many nodes as the first.
fn asked_twice(settings: &[(&str, &str)], method: Id) {
    with_searcher(settings, |searcher| {
        for position in positions() {
            for more in [-120, 0] {
                let first = nodes(searcher, &position, more);
                let second = nodes(searcher, &position, more);
                assert_eq!(first, second, "{} {more}", position.fen());
            }
        }
        let acted = searcher.observer.counts().into_iter().find(|count| count.method == method);
        assert!(acted.is_some_and(|count| count.successes > 0), "{method:?} had no say");
    });
}

#[test]
fn a_re_search_finds_no_licence_of_its_first_search() {
    asked_twice(&[("Preset", "TurkMC"), ("MultiCutLayered", "true"), ("MultiCutC", "1")], Id::MultiCut);
}

#[test]
fn a_re_search_verifies_again_what_its_first_search_verified() {
    asked_twice(&[("Preset", "Turk"), ("NullMove", "true"), ("NullMoveVerify", "true")], Id::NullMove);
    asked_twice(&[("Preset", "Turk"), ("NullMove", "true"), ("NullMoveConfirm", "4")], Id::NullMove);
}

#[test]
fn the_probes_of_multi_cut_see_no_extension_of_another_node() {
    let settings = [("Preset", "TurkMC"), ("NullMove", "false")];
    // The only reply to a check is extended.
    let forced = Position::from_fen("3rR2k/6pp/8/8/8/8/6PP/7K b - - 0 1", false).unwrap();
    with_searcher(&settings, |used| {
        for position in positions() {
            let alone = with_searcher(&settings, |fresh| nodes(fresh, &position, -30));
            nodes(used, &forced, 0);
            assert_eq!(nodes(used, &position, -30), alone, "{}", position.fen());
        }
    });
}

/// An evaluation that keeps something per ply must hear of every move and every pass.
#[test]
fn the_evaluation_follows_the_path_whatever_is_searched() {
    let mut passes = 0;
    for preset in ["Modern", "TurkMC", "TurkUC", "RankCut", "Mulan", "FullWidth", "Winston"] {
        let more: &[(&str, &str)] = &[("NullMove", "true"), ("CaptureCut", "true"), ("CaptureCutDepth", "4")];
        let settings = [&[("Preset", preset), ("SingularDepth", "4")], more].concat();
        for position in positions().into_iter().step_by(4) {
            let job = Job { game: Game::new(position), ..job(&settings) };
            let mut thread_data = ThreadData::default();
            let mut searcher = Searcher::new(&job, &mut thread_data, 0, Silent);
            searcher.thread_data.evaluator = Evaluator::checked();
            searcher.thread_data.evaluator.reset(job.game.position());
            assert!(!searcher.iterative_deepening().is_empty());
            let Evaluator::Checked(checked) = &searcher.thread_data.evaluator else { panic!("another one") };
            assert!(checked.asked.0 > 50, "{preset}: {:?}", checked.asked);
            passes += checked.asked.1;
        }
    }
    assert!(passes > 0);
}
