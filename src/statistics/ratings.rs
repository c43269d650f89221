//! Ratings of several players from the games between them.
//!
//! R. A. Bradley and M. E. Terry, Rank analysis of incomplete block designs, Biometrika 1952: the ratings for which
//! each player's expected score is its actual score. The errors follow from the variance of the points of each pairing,
//! measured on pairs of games (P. J. Huber, The behavior of maximum likelihood estimates under nonstandard conditions,
//! 1967).

use super::Z_TWO_SIDED_95;
use super::outcomes::{Estimate, Pentanomial, Trinomial, score_of_elo};

/// Most iterations; a dozen is usual.
const MOST_ITERATIONS: usize = 200;

/// The iteration ends when no rating moves by more than this, in Elo.
const CLOSE: f64 = 1e-9;

/// The games of two players, from the first player's view.
#[derive(Copy, Clone, Debug)]
pub struct Pairing {
    /// The players, by their index.
    pub players: [usize; 2],
    /// Losses, draws and wins of the first one.
    pub games: Trinomial,
    /// The same games in pairs.
    pub pairs: Pentanomial,
}

impl Pairing {
    fn count(&self) -> f64 {
        self.games.total() as f64
    }

    /// The first player's expected share of the points under these ratings.
    fn expected(&self, ratings: &[f64]) -> f64 {
        let [first, second] = self.players;
        score_of_elo(ratings[first] - ratings[second])
    }

    /// The variance of the points. If all pairs ended alike it is unknown, and taken as that of games without draws, which
    /// is the largest.
    fn variance(&self, ratings: &[f64]) -> f64 {
        let expected = self.expected(ratings);
        let largest = self.count() * expected * (1.0 - expected);
        if self.pairs.is_uniform() {
            return largest;
        }
        (self.count() * self.pairs.standard_error()).powi(2)
    }
}

/// The rating of each player, 0 on average, with its 95 % interval. `None` if no finite ratings explain the games,
/// because some players have all the points against all others or never met them.
pub fn ratings(players: usize, pairings: &[Pairing]) -> Option<Vec<Estimate>> {
    if !is_connected(players, pairings) {
        return None;
    }
    let per_elo = std::f64::consts::LN_10 / 400.0;
    let mut ratings = vec![0.0; players];
    for _ in 0..MOST_ITERATIONS {
        let slopes = |pairing: &Pairing| {
            let expected = pairing.expected(&ratings);
            per_elo * pairing.count() * expected * (1.0 - expected)
        };
        let inverse = pseudo_inverse(laplacian(players, pairings, slopes))?;
        let missing = surplus(players, pairings, &ratings);
        let change = inverse.iter().map(|row| row.iter().zip(&missing).map(|(a, b)| a * b).sum::<f64>());
        // Far from the solution a full Newton step may be too large.
        let change: Vec<f64> = change.map(|step| step.clamp(-400.0, 400.0)).collect();
        ratings.iter_mut().zip(&change).for_each(|(rating, step)| *rating += step);
        if change.iter().all(|step| step.abs() < CLOSE) {
            let noise = laplacian(players, pairings, |pairing| pairing.variance(&ratings));
            let errors = spread(&inverse, &noise);
            let estimates = ratings.iter().zip(errors);
            return Some(estimates.map(|(&value, error)| Estimate { value, error }).collect());
        }
    }
    None
}

/// Whether each player is connected to each other by a chain of players each of whom took points from the next. Only
/// then finite ratings exist (L. R. Ford, 1957).
fn is_connected(players: usize, pairings: &[Pairing]) -> bool {
    let mut reaches = vec![vec![false; players]; players];
    for pairing in pairings {
        let ([first, second], [losses, draws, wins]) = (pairing.players, pairing.games.0);
        reaches[first][second] |= wins + draws > 0;
        reaches[second][first] |= losses + draws > 0;
    }
    for via in 0..players {
        for from in 0..players {
            for to in 0..players {
                reaches[from][to] |= reaches[from][via] && reaches[via][to];
            }
        }
    }
    (0..players).all(|from| (0..players).all(|to| from == to || reaches[from][to]))
}

/// The points of each player minus the expected points.
fn surplus(players: usize, pairings: &[Pairing], ratings: &[f64]) -> Vec<f64> {
    let mut surplus = vec![0.0; players];
    for pairing in pairings {
        let points = pairing.count() * (pairing.games.score() - pairing.expected(ratings));
        surplus[pairing.players[0]] += points;
        surplus[pairing.players[1]] -= points;
    }
    surplus
}

type Matrix = Vec<Vec<f64>>;

/// The Laplacian of the graph whose edges are the pairings with these weights.
fn laplacian(players: usize, pairings: &[Pairing], weight: impl Fn(&Pairing) -> f64) -> Matrix {
    let mut matrix = vec![vec![0.0; players]; players];
    for pairing in pairings {
        let ([i, j], weight) = (pairing.players, weight(pairing));
        matrix[i][i] += weight;
        matrix[j][j] += weight;
        matrix[i][j] -= weight;
        matrix[j][i] -= weight;
    }
    matrix
}

/// The inverse of a connected graph's Laplacian on vectors with sum 0.
fn pseudo_inverse(mut matrix: Matrix) -> Option<Matrix> {
    let count = matrix.len();
    let level = 1.0 / count as f64;
    let mut inverse = vec![vec![0.0; count]; count];
    for i in 0..count {
        inverse[i][i] = 1.0;
        matrix[i].iter_mut().for_each(|cell| *cell += level);
    }
    for column in 0..count {
        let pivot = matrix[column][column];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return None;
        }
        for part in [&mut matrix, &mut inverse] {
            part[column].iter_mut().for_each(|cell| *cell /= pivot);
        }
        for row in (0..count).filter(|row| *row != column) {
            let factor = matrix[row][column];
            for part in [&mut matrix, &mut inverse] {
                let source = part[column].clone();
                part[row].iter_mut().zip(source).for_each(|(cell, other)| *cell -= factor * other);
            }
        }
    }
    inverse.iter_mut().flatten().for_each(|cell| *cell -= level);
    Some(inverse)
}

/// Half the width of each rating's 95 % interval: the noise of the points propagated through the inverse.
fn spread(inverse: &Matrix, noise: &Matrix) -> Vec<f64> {
    let variance = |row: &Vec<f64>| -> f64 {
        let pairs = noise.iter().zip(row);
        pairs.map(|(line, a)| a * line.iter().zip(row).map(|(noise, b)| noise * b).sum::<f64>()).sum()
    };
    inverse.iter().map(|row| Z_TWO_SIDED_95 * variance(row).max(0.0).sqrt()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairing(players: [usize; 2], games: [u64; 3], pairs: [u64; 5]) -> Pairing {
        Pairing { players, games: games.into(), pairs: pairs.into() }
    }

    #[test]
    fn two_players_are_half_their_difference_from_the_mean() {
        let match_of_two = pairing([0, 1], [10, 20, 30], [1, 4, 10, 10, 5]);
        let found = ratings(2, &[match_of_two]).unwrap();
        let difference = match_of_two.pairs.elo();
        assert!((found[0].value - found[1].value - match_of_two.games.elo().value).abs() < 1e-6);
        assert!((found[0].value + found[1].value).abs() < 1e-9);
        // The interval of a difference is not quite symmetric; that of a rating is.
        assert!((2.0 * found[0].error / difference.error - 1.0).abs() < 0.05, "{found:?} {difference:?}");
    }

    #[test]
    fn a_third_player_says_something_about_the_first_two() {
        let alone = ratings(2, &[pairing([0, 1], [10, 20, 10], [2, 5, 6, 5, 2])]).unwrap();
        let all = [
            pairing([0, 1], [10, 20, 10], [2, 5, 6, 5, 2]),
            pairing([0, 2], [5, 20, 15], [1, 4, 6, 6, 3]),
            pairing([1, 2], [5, 20, 15], [1, 4, 6, 6, 3]),
        ];
        let found = ratings(3, &all).unwrap();
        assert!((found[0].value - found[1].value).abs() < 1e-6);
        assert!(found[0].value > found[2].value + 50.0, "{found:?}");
        assert!(found[0].error.is_finite() && found[0].error > 0.0 && alone[0].error > 0.0);
    }

    #[test]
    fn pairs_that_all_ended_alike_do_not_make_sure() {
        let found = ratings(2, &[pairing([0, 1], [4, 0, 4], [0, 0, 4, 0, 0])]).unwrap();
        // Eight games without draws: 1.96 · 400 / ln 10 · 2 / √8 for the difference, half of it for each.
        assert!((found[0].error - 120.4).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn who_has_all_the_points_or_met_nobody_has_no_rating() {
        assert!(ratings(2, &[pairing([0, 1], [0, 0, 6], [0, 0, 0, 0, 3])]).is_none());
        assert!(ratings(3, &[pairing([0, 1], [3, 0, 3], [0, 0, 3, 0, 0])]).is_none());
        // Each of three beats the next: all have points from somebody.
        let ring = [[0, 1], [1, 2], [2, 0]].map(|players| pairing(players, [0, 0, 2], [0, 0, 0, 0, 1]));
        let found = ratings(3, &ring).unwrap();
        assert!(found.iter().all(|rating| rating.value.abs() < 1e-6 && rating.error > 0.0), "{found:?}");
    }
}
