//! Watching the evaluation add up: [`NoTrace`] for the search, recording ones for people and tuners.

use shakmaty::Color;

use super::king;
use super::weights::{COUNT, GROUPS, TermKind, Weights};

/// Receives every weight that the evaluation uses.
pub trait Trace {
    /// `color` used the weight at `index` `count` times.
    fn record(&mut self, color: Color, index: usize, count: i32);
}

/// Ignores everything and costs nothing.
#[derive(Copy, Clone, Default, Debug)]
pub struct NoTrace;

impl Trace for NoTrace {
    #[inline(always)]
    fn record(&mut self, _: Color, _: usize, _: i32) {}
}

/// One weight's counts in a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TermCount {
    /// Place of the weight in [`Weights::values`](super::Weights::values).
    pub index: u16,
    /// How often White used it.
    pub white: i16,
    /// How often Black used it.
    pub black: i16,
}

/// The counts of all weights.
#[derive(Clone, Debug)]
pub(super) struct TermCounts(Box<[[i16; 2]]>);

impl Default for TermCounts {
    fn default() -> Self {
        Self(vec![[0; 2]; COUNT].into_boxed_slice())
    }
}

impl Trace for TermCounts {
    fn record(&mut self, color: Color, index: usize, count: i32) {
        self.0[index][usize::from(color.is_black())] += count as i16;
    }
}

impl TermCounts {
    /// Only the weights that were used.
    pub(super) fn sparse(&self) -> Vec<TermCount> {
        let used = self.0.iter().enumerate().filter(|(_, counts)| **counts != [0; 2]);
        used.map(|(index, &[white, black])| TermCount { index: index as u16, white, black }).collect()
    }
}

/// What a position's value is made of: the counts of the weights and what is done with their sums.
///
/// With the weights `w` the value for White is that of [`Coefficients::value`].
#[derive(Clone, Debug)]
pub struct Coefficients {
    /// How often each weight was used; those that were not are left out.
    pub counts: Vec<TermCount>,
    /// How much of the middle game is left, 0 to [`super::PHASE_MAX`].
    pub phase: i32,
    /// Share of the sum that counts, 0 to [`super::SCALE_MAX`].
    pub scale: i32,
    /// Share of the whole that the fifty-move rule leaves, 0 to [`super::SCALE_MAX`].
    pub damping: i32,
    /// White's and Black's king are in enough danger for it to count.
    pub danger: [bool; 2],
    /// Worth of endgame knowledge for White, besides the weights.
    pub knowledge: i32,
}

/// The sums a position's value is made from, as real numbers.
#[derive(Copy, Clone, Debug, Default)]
pub struct TermSums {
    /// Linear part, middle game and endgame.
    pub linear: [f64; 2],
    /// Danger of White's and of Black's king, middle game and endgame each.
    pub danger: [[f64; 2]; 2],
    /// Complexity, which pushes the endgame value away from zero or towards it.
    pub complexity: f64,
}

impl Coefficients {
    /// Adds up counts times weights; `weight` gives middle game and endgame of an index.
    pub fn sums(&self, weight: impl Fn(usize) -> [f64; 2]) -> TermSums {
        let mut sums = TermSums::default();
        for count in &self.counts {
            let index = usize::from(count.index);
            let [mg, eg] = weight(index);
            let (white, black) = (f64::from(count.white), f64::from(count.black));
            match KINDS[index] {
                TermKind::Linear => {
                    sums.linear[0] += mg * (white - black);
                    sums.linear[1] += eg * (white - black);
                }
                TermKind::Danger => {
                    for (side, n) in [white, black].into_iter().enumerate() {
                        sums.danger[side][0] += mg * n;
                        sums.danger[side][1] += eg * n;
                    }
                }
                TermKind::Complexity => sums.complexity += eg * white,
            }
        }
        sums
    }

    /// White's view of the position under these weights, without rounding.
    pub fn value(&self, weights: &Weights) -> f64 {
        let pair = |index: usize| {
            let pair = weights.at(index);
            [f64::from(pair.mg()), f64::from(pair.eg())]
        };
        self.value_of(&self.sums(pair))
    }

    /// White's view of the position from its sums.
    pub fn value_of(&self, sums: &TermSums) -> f64 {
        let mut mg = sums.linear[0];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if self.danger[side] {
                let danger = sums.danger[side][0].max(0.0);
                let cost = danger * danger / f64::from(king::DANGER_DIVISOR.0);
                mg += sign * cost.min(f64::from(king::DANGER_MOST));
            }
        }
        let mut eg = self.endgame(sums);
        if eg != 0.0 {
            eg += eg.signum() * sums.complexity.clamp(-eg.abs(), eg.abs());
        }
        let (phase, most) = (f64::from(self.phase), f64::from(super::PHASE_MAX));
        let scale = f64::from(self.scale) / f64::from(super::SCALE_MAX);
        let value = (mg * phase + eg * (most - phase)) * scale / most;
        (value + f64::from(self.knowledge)) * f64::from(self.damping) / f64::from(super::SCALE_MAX)
    }

    /// How White's view changes with each of the sums.
    pub fn derivatives(&self, sums: &TermSums) -> TermSums {
        let share = f64::from(self.scale * self.damping) / f64::from(super::SCALE_MAX * super::SCALE_MAX);
        let phase = f64::from(self.phase) / f64::from(super::PHASE_MAX);
        let mut slopes = TermSums { linear: [share * phase, share * (1.0 - phase)], ..TermSums::default() };
        let eg = self.endgame(sums);
        if sums.complexity <= -eg.abs() {
            slopes.linear[1] = 0.0;
        } else if sums.complexity >= eg.abs() {
            slopes.linear[1] *= 2.0;
        } else {
            slopes.complexity = slopes.linear[1] * eg.signum();
        }
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let [mg, eg] = sums.danger[side];
            let divisor = (f64::from(king::DANGER_DIVISOR.0), f64::from(king::DANGER_DIVISOR.1));
            if self.danger[side] && mg > 0.0 && mg * mg / divisor.0 < f64::from(king::DANGER_MOST) {
                slopes.danger[side][0] = sign * slopes.linear[0] * 2.0 * mg / divisor.0;
            }
            if self.danger[side] && eg > 0.0 {
                slopes.danger[side][1] = sign * slopes.linear[1] / divisor.1;
            }
        }
        slopes
    }

    /// The endgame sum before complexity.
    fn endgame(&self, sums: &TermSums) -> f64 {
        let danger = |side: usize| if self.danger[side] { sums.danger[side][1].max(0.0) } else { 0.0 };
        sums.linear[1] + (danger(1) - danger(0)) / f64::from(king::DANGER_DIVISOR.1)
    }
}

/// How the weight at an index enters the evaluation.
pub fn kind(index: usize) -> TermKind {
    KINDS[index]
}

const KINDS: [TermKind; COUNT] = {
    let mut kinds = [TermKind::Linear; COUNT];
    let mut group = 0;
    while group < GROUPS.len() {
        let mut i = 0;
        while i < GROUPS[group].len {
            kinds[GROUPS[group].start + i] = GROUPS[group].kind;
            i += 1;
        }
        group += 1;
    }
    kinds
};
