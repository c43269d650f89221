//! Counts the leaves of the legal-move tree, using the move picker of the search.

use std::sync::atomic::{AtomicBool, Ordering};

use shakmaty::Move;

use crate::board::Position;
use crate::search::history::History;
use crate::search::move_picker::{Hints, PickedMove, Picker};

/// The largest depth. A deeper count would never end, and each ply needs stack.
pub const MAX_DEPTH: u32 = 64;

/// The number of paths of `depth` legal moves.
///
/// ```
/// use espalier::{Position, perft::perft};
/// assert_eq!(perft(&Position::default(), 3), 8_902);
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    count(position, depth, &History::default(), &AtomicBool::new(false))
}

/// Perft by first move. Ends early when `stop` is raised, and then reports only moves that were counted completely.
pub fn divide(position: &Position, depth: u32, stop: &AtomicBool, mut each: impl FnMut(Move, u64)) -> u64 {
    let history = History::default();
    let mut total = 0;
    for m in position.legal_moves() {
        if depth == 0 || stop.load(Ordering::Relaxed) {
            break;
        }
        let nodes = count(&position.play(m), depth - 1, &history, stop);
        if stop.load(Ordering::Relaxed) {
            break;
        }
        total += nodes;
        each(m, nodes);
    }
    if depth == 0 { 1 } else { total }
}

fn count(position: &Position, depth: u32, history: &History, stop: &AtomicBool) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut picker = Picker::new(Hints::default());
    let mut total = 0;
    while let Some(PickedMove { m, .. }) = picker.next(position, history) {
        if depth > 3 && stop.load(Ordering::Relaxed) {
            break;
        }
        total += if depth == 1 { 1 } else { count(&position.play(m), depth - 1, history, stop) };
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_was_cut_short_is_not_told() {
        let (position, stop) = (Position::default(), AtomicBool::new(false));
        let mut told = Vec::new();
        let total = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(20));
                stop.store(true, Ordering::Relaxed);
            });
            divide(&position, 8, &stop, |m, nodes| told.push((m, nodes)))
        });
        // A first move has more than three billion leaves at this depth.
        assert_eq!((total, told), (0, vec![]));
    }
}
