//! The evaluation term by term, for people.

use std::fmt;

use shakmaty::Color;

use super::trace::TermCounts;
use super::weights::{GROUPS, Pair, TermKind, Weights};
use super::{SCALE_MAX, for_mover, watch};
use crate::{Position, Score};

/// One term for both sides.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ExplainedTerm {
    /// The group of weights.
    pub name: &'static str,
    /// What the group adds to White's side of the sum.
    pub white: Pair,
    /// What the group adds to Black's side of the sum.
    pub black: Pair,
}

/// A position's value, term by term.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The terms, in the order of the weights; the kings' danger and complexity at the end.
    pub rows: Vec<ExplainedTerm>,
    /// How much of the middle game is left, 0 to [`super::PHASE_MAX`].
    pub phase: i32,
    /// Share of the sum that counts, 0 to [`super::SCALE_MAX`].
    pub scale: i32,
    /// Share of the whole that the fifty-move rule leaves, 0 to [`super::SCALE_MAX`].
    pub damping: i32,
    /// Worth of endgame knowledge for White, besides the terms.
    pub knowledge: i32,
    /// The value for White.
    pub white: i32,
    turn: Color,
    total: Score,
}

impl Explanation {
    /// The value for the side to move, the same as that of [`super::Evaluator::evaluate`].
    pub fn total(&self) -> Score {
        self.total
    }
}

/// Evaluates a position term by term.
pub fn explain(position: &Position, weights: &Weights) -> Explanation {
    let mut counts = TermCounts::default();
    let outcome = watch(position, weights, &mut counts);
    let mut rows: Vec<ExplainedTerm> = GROUPS
        .iter()
        .filter(|group| group.kind == TermKind::Linear)
        .map(|group| ExplainedTerm { name: group.name, white: Pair::ZERO, black: Pair::ZERO })
        .collect();
    for count in counts.sparse() {
        let index = usize::from(count.index);
        let weight = weights.values()[index];
        let group = GROUPS.iter().find(|group| (group.start..group.start + group.len).contains(&index));
        if let Some(row) = group.and_then(|group| rows.iter_mut().find(|row| row.name == group.name)) {
            row.white += weight * i32::from(count.white);
            row.black += weight * i32::from(count.black);
        }
    }
    let [white, black] = outcome.danger_cost;
    rows.push(ExplainedTerm { name: "king-danger", white: -white, black: -black });
    rows.push(ExplainedTerm {
        name: "complexity",
        white: Pair::new(0, outcome.complexity),
        black: Pair::ZERO,
    });
    Explanation {
        rows,
        phase: outcome.phase,
        scale: outcome.scale,
        damping: outcome.damping,
        knowledge: outcome.knowledge,
        white: outcome.value,
        turn: position.turn(),
        total: for_mover(position, outcome.value),
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let turn = self.turn.fold_wb("White", "Black");
        writeln!(f, "total {:+} for White, {:+} for {turn} to move", self.white, self.total.raw())?;
        writeln!(f, "{:<22} {:^13} {:^13} {:^13}", "", "White", "Black", "difference")?;
        writeln!(
            f,
            "{:<22} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}",
            "term", "mg", "eg", "mg", "eg", "mg", "eg"
        )?;
        let mut sum = ExplainedTerm { name: "sum", white: Pair::ZERO, black: Pair::ZERO };
        let line = |f: &mut fmt::Formatter<'_>, row: &ExplainedTerm| {
            let difference = row.white - row.black;
            let cells = [row.white, row.black, difference].map(|pair| [pair.mg(), pair.eg()]);
            write!(f, "{:<22}", row.name)?;
            cells.concat().iter().try_for_each(|cell| write!(f, " {cell:>6}"))?;
            writeln!(f)
        };
        for row in &self.rows {
            sum.white += row.white;
            sum.black += row.black;
            if row.white != Pair::ZERO || row.black != Pair::ZERO {
                line(f, row)?;
            }
        }
        line(f, &sum)?;
        write!(f, "phase {} of {}, scale {} of {SCALE_MAX}", self.phase, super::PHASE_MAX, self.scale)?;
        if self.knowledge != 0 {
            write!(f, "\nendgame knowledge {:+}", self.knowledge)?;
        }
        if self.damping != SCALE_MAX {
            write!(f, "\nfifty-move rule leaves {} of {SCALE_MAX}", self.damping)?;
        }
        Ok(())
    }
}
