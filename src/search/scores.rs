//! The scores of a node's moves, from which the best is taken again and again.
//!
//! Score and index are packed into one number, so that the largest is the best move and the first of equals. The
//! maximum is taken sixteen numbers at a time, without branches; sixteen sentinels after the last score make the
//! length a multiple of that.

use arrayvec::ArrayVec;

/// As many as are compared at once.
const LANES: usize = 16;
/// Lower than the number of any move.
const NOTHING: i32 = i32::MIN;

/// Scores of up to 256 moves, by the places of the moves.
#[derive(Default)]
pub(super) struct Scores {
    numbers: ArrayVec<i32, { 256 + LANES }>,
}

impl Scores {
    /// Adds the score of the next move: less than 2^23, of either sign.
    #[inline(always)]
    pub(super) fn push(&mut self, score: i32) {
        self.numbers.push(number(score, self.numbers.len()));
    }

    /// Adds the scores of the next moves.
    #[inline(always)]
    pub(super) fn extend(&mut self, scores: impl Iterator<Item = i32>) {
        let first = self.numbers.len();
        self.numbers.extend(scores.zip(first..).map(|(score, place)| number(score, place)));
    }

    /// More scores will be added behind the first `len`.
    #[inline]
    pub(super) fn open(&mut self, len: usize) {
        self.numbers.truncate(len);
    }

    /// All scores were added; from now on the best may be taken.
    #[inline]
    pub(super) fn close(&mut self) {
        self.numbers.try_extend_from_slice(&[NOTHING; LANES]).expect("256 moves leave room for it");
    }

    /// The place of the best from `next` to `end`, the last one that was added, and its score. The score at `next` goes
    /// to that place.
    #[inline(always)]
    pub(super) fn take_best(&mut self, next: usize, end: usize) -> (usize, i32) {
        let (chunks, _) = self.numbers[next..end + LANES].as_chunks::<LANES>();
        let best_of = |chunk: &[i32; LANES]| chunk.iter().copied().fold(NOTHING, i32::max);
        let best = chunks.iter().map(best_of).fold(NOTHING, i32::max);
        let place = (255 - (best & 255)) as usize;
        self.numbers[place] = number(self.numbers[next] >> 8, place);
        (place, best >> 8)
    }
}

/// The score in the upper bits, the index in the lower eight; a lower index makes a higher number.
#[inline(always)]
fn number(score: i32, place: usize) -> i32 {
    score << 8 | (255 - place as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of all scores, the best first, found with the moves alone.
    fn plainly(scores: &[i32]) -> Vec<(usize, i32)> {
        let mut left: Vec<(usize, i32)> = scores.iter().copied().enumerate().collect();
        let mut found = Vec::new();
        for next in 0..left.len() {
            let best = (next..left.len()).rev().max_by_key(|place| left[*place].1).unwrap();
            left.swap(next, best);
            found.push(left[next]);
        }
        found
    }

    #[test]
    fn the_best_comes_first_and_the_first_of_equals() {
        for len in [1, 2, 7, 8, 9, 31, 100, 256] {
            let all: Vec<i32> = (0..len).map(|index| (index * 37 % 11 - 5) * 100_000).collect();
            let mut scores = Scores::default();
            let half = all.len() / 2;
            scores.extend(all[..half].iter().copied());
            scores.close();
            scores.open(half);
            all[half..].iter().for_each(|score| scores.push(*score));
            scores.close();
            let mut places: Vec<usize> = (0..all.len()).collect();
            let found = (0..all.len()).map(|next| {
                let (best, score) = scores.take_best(next, all.len());
                places.swap(next, best);
                (places[next], score)
            });
            assert_eq!(found.collect::<Vec<_>>(), plainly(&all));
        }
    }
}
