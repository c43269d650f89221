//! Shared by the experiments with games.

use crate::lab::matches::limit::Limit;
use crate::lab::matches::standing::{Standing, show};
use crate::statistics::{Trinomial, l_95};

/// Nodes per move in a full run, unless the experiment says otherwise.
pub(super) const NODES: u64 = 10_000;

pub(super) fn nodes(nodes: u64) -> Limit {
    Limit { nodes: Some(nodes), ..Limit::default() }
}

/// The names of columns: some of the experiment's own, then those of [`cells`].
pub(super) fn columns<'a>(own: &[&'a str]) -> Vec<&'a str> {
    [own, &["games", "score", "%", "Elo (95 %)", "l_95"]].concat()
}

/// The cells of a match in a table.
pub(super) fn cells(standing: &Standing) -> [String; 5] {
    row(standing.games, show(standing.elo()))
}

/// A match in a chart: Elo and its error.
pub(super) fn dot(standing: &Standing) -> Option<(f64, f64)> {
    let elo = standing.elo();
    Some((elo.value, elo.error))
}

fn row(games: Trinomial, elo: String) -> [String; 5] {
    let [losses, draws, wins] = games.0;
    let share = games.score();
    [
        games.total().to_string(),
        format!("+{wins} ={draws} -{losses}"),
        format!("{:.1}", 100.0 * share),
        elo,
        l_95(share, games.total()).map_or("?".to_owned(), |bound| format!("{bound:+.3}")),
    ]
}

/// The sum of several matches.
#[derive(Default)]
pub(super) struct MatchTotal {
    games: Trinomial,
    pairs: crate::statistics::Pentanomial,
}

impl MatchTotal {
    pub(super) fn add(&mut self, standing: &Standing) {
        for (sum, games) in self.games.0.iter_mut().zip(standing.games.0) {
            *sum += games;
        }
        for (sum, pairs) in self.pairs.0.iter_mut().zip(standing.pairs.0) {
            *sum += pairs;
        }
    }

    /// Adds a match from the second player's view.
    pub(super) fn add_reversed(&mut self, standing: &Standing) {
        let (mut games, mut pairs) = (standing.games, standing.pairs);
        games.0.reverse();
        pairs.0.reverse();
        self.add(&Standing { games, pairs, ..Standing::default() });
    }

    /// The share of the points, and its standard error from pairs of games.
    pub(super) fn share(&self) -> (f64, f64) {
        (self.games.score(), self.pairs.standard_error())
    }

    /// The cells of the sum in a table.
    pub(super) fn cells(&self) -> [String; 5] {
        row(self.games, show(self.pairs.elo()))
    }

    /// Points of the first player.
    pub(super) fn points(&self) -> f64 {
        self.games.score() * self.games.total() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Outcomes;

    #[test]
    fn a_row_says_what_the_paper_says() {
        // RankCut against Crafty: +40 -10 =74.
        let standing = Standing { games: Outcomes([10, 74, 40]), ..Standing::default() };
        let [games, score, share, _, bound] = cells(&standing);
        assert_eq!((games.as_str(), score.as_str(), share.as_str()), ("124", "+40 =74 -10", "62.1"));
        assert_eq!(bound, "+0.099");
        let mut sum = MatchTotal::default();
        sum.add(&standing);
        sum.add(&standing);
        assert_eq!(sum.points(), 154.0);
        sum.add_reversed(&standing);
        assert_eq!(sum.points(), 154.0 + 47.0);
    }
}
