//! What match runners and GUIs check on every move, and stop a run for.

use crate::client::{Answer, is_error};
use crate::game::Game;
use crate::info::{Info, Score};

/// Checks everything about an answer from a position that has legal moves; `lines` is the MultiPV setting.
pub fn judge(game: &Game, answer: &Answer, lines: usize) -> Vec<Info> {
    assert!(!answer.lines.iter().any(|line| is_error(line)), "an error was reported in {}", game.fen());
    let infos = Info::all(&answer.lines);
    for info in &infos {
        check_shape(info);
        check_variation(game, info);
    }
    check_depths(&infos);
    let last = infos.iter().rfind(|info| info.score.is_some()).expect("there is a line with a score");
    assert!(last.is_exact(), "the last line is a bound: {last:?}");
    check_moves(game, answer, &infos);
    check_groups(&infos, lines.min(game.legal().len()));
    infos
}

/// The last exact information on the best line.
pub fn verdict(infos: &[Info]) -> &Info {
    let found = infos.iter().rfind(|info| info.line() == 1 && info.is_exact());
    found.expect("there is an exact line for multipv 1")
}

fn check_shape(info: &Info) {
    assert!(info.seldepth.is_none() || info.depth.is_some(), "seldepth without depth: {info:?}");
    assert_ne!(info.score, Some(Score::Mate(0)), "mate 0 although there are moves: {info:?}");
    assert!(!info.is_exact() || !info.pv.is_empty(), "a score without a line: {info:?}");
    if let Some(wdl) = info.wdl {
        assert_eq!(wdl.iter().sum::<u64>(), 1000, "{info:?}");
    }
}

/// Legal to its end, no move after the end of the game, and a mate exactly as long as its score says.
fn check_variation(game: &Game, info: &Info) {
    let mut line = game.clone();
    let drawn_already = game.end().is_some();
    for (ply, text) in info.pv.iter().enumerate() {
        if let Some(reason) = line.end()
            && !drawn_already
        {
            panic!("from {}: move {ply} of the PV comes after {reason}: {info:?}", game.fen());
        }
        line.play(text).unwrap_or_else(|error| panic!("from {}: {error}: {info:?}", game.fen()));
    }
    if let Some(Score::Mate(moves)) = info.score
        && !info.bound
    {
        let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
        assert_eq!(info.pv.len(), plies as usize, "from {}: length of a mate: {info:?}", game.fen());
        assert!(line.is_mate(), "from {}: the line of a mate does not end in it: {info:?}", game.fen());
    }
}

fn check_depths(infos: &[Info]) {
    let first = infos.iter().find_map(|info| info.depth);
    assert_eq!(first, Some(1), "depth starts at 1");
}

fn check_moves(game: &Game, answer: &Answer, infos: &[Info]) {
    let mut after = game.clone();
    after.play(&answer.best).unwrap_or_else(|error| panic!("best move: {error}"));
    let verdict = verdict(infos);
    assert_eq!(verdict.pv.first(), Some(&answer.best), "the best move is not the PV's first: {verdict:?}");
    if let Some(ponder) = &answer.ponder {
        assert!(after.is_legal(ponder), "ponder move {ponder} in {}", after.fen());
    }
}

/// MultiPV lines come together, in order, from one iteration, distinct and sorted.
fn check_groups(infos: &[Info], size: usize) {
    let exact: Vec<&Info> = infos.iter().filter(|info| info.is_exact()).collect();
    for group in exact.chunks(size) {
        let numbers: Vec<u64> = group.iter().map(|info| info.line()).collect();
        assert!(numbers.iter().copied().eq(1..=size as u64), "multipv 1..{size}, not {numbers:?}: {group:?}");
        assert!(group.iter().all(|info| info.depth == group[0].depth), "unequal depths: {group:?}");
        let ranks = group.iter().filter_map(|info| info.score).map(Score::rank);
        assert!(ranks.is_sorted_by(|better, worse| better >= worse), "scores increase: {group:?}");
        let mut firsts: Vec<&String> = group.iter().filter_map(|info| info.pv.first()).collect();
        firsts.sort();
        firsts.dedup();
        assert_eq!(firsts.len(), size, "the same move on two lines: {group:?}");
    }
}
