//! Values of positions evaluated lately, many of which come again before the hash table has an entry for them.

use super::classical::UNDAMPED;
use crate::{Position, Score};

const ENTRIES: usize = 1 << 14;
/// The low bits of a word hold the value, the others those of the key.
const VALUE_BITS: u64 = 0xffff;

/// Remembers values by the position's key.
pub(super) struct EvalCache {
    words: Box<[u64]>,
}

impl Default for EvalCache {
    fn default() -> Self {
        Self { words: vec![0; ENTRIES].into_boxed_slice() }
    }
}

impl EvalCache {
    pub(super) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// The value, if it is remembered. It changes with the fifty-move counter, which is not in the key, once
    /// that is high; such positions are not kept.
    #[inline]
    pub(super) fn value(&self, position: &Position) -> Option<Score> {
        let word = self.words[slot(position)];
        let known = (word ^ position.key()) & !VALUE_BITS == 0 && word != 0 && keeps(position);
        known.then(|| Score::cp(i32::from(word as u16 as i16)))
    }

    #[inline]
    pub(super) fn keep(&mut self, position: &Position, value: Score) {
        if keeps(position) {
            let value = u64::from(value.raw() as i16 as u16);
            self.words[slot(position)] = (position.key() & !VALUE_BITS) | value;
        }
    }
}

fn keeps(position: &Position) -> bool {
    position.halfmoves() <= UNDAMPED
}

/// From the low bits, which the word does not hold.
fn slot(position: &Position) -> usize {
    position.key() as usize % ENTRIES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_kept_until_the_fifty_move_counter_changes_it() {
        let at = |halfmoves| {
            Position::from_fen(&format!("4k3/8/8/8/8/8/4P3/4K3 w - - {halfmoves} 60"), false).unwrap()
        };
        let mut cache = EvalCache::default();
        assert_eq!(cache.value(&at(0)), None);
        cache.keep(&at(0), Score::cp(-77));
        assert_eq!(cache.value(&at(20)), Some(Score::cp(-77)));
        assert_eq!(cache.value(&at(21)), None);
        cache.keep(&at(50), Score::cp(5));
        assert_eq!(cache.value(&at(0)), Some(Score::cp(-77)));
    }
}
