//! Tournaments: the schedule and the cross table.

use serde_json::{Value, json};

use super::standing::{Standing, show};
use crate::statistics::{Estimate, Pairing, ratings};
use crate::text_table::Table;

/// The pairings of a tournament.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Everybody plays everybody else.
    RoundRobin,
    /// The first player plays everybody else.
    Gauntlet,
}

impl Schedule {
    /// The pairings of this many players, by index; the first of each pair is the first player of the match.
    pub fn matches(self, players: usize) -> Vec<[usize; 2]> {
        let hosts = match self {
            Self::RoundRobin => players,
            Self::Gauntlet => players.min(1),
        };
        (0..hosts).flat_map(|first| (first + 1..players).map(move |second| [first, second])).collect()
    }
}

/// The standing of a tournament.
#[derive(Clone, Debug, Default)]
pub struct CrossTable {
    /// The players in the given order.
    pub names: Vec<String>,
    /// The matches so far: players, and the standing of the first.
    pub matches: Vec<([usize; 2], Standing)>,
}

/// A player's line of the cross table.
struct TableLine {
    player: usize,
    games: u64,
    points: f64,
    rating: Option<Estimate>,
}

impl CrossTable {
    /// Games of all matches.
    pub fn games(&self) -> u64 {
        self.matches.iter().map(|(_, standing)| standing.games.total()).sum()
    }

    /// The table, best player first, with points against each of the others in the same order. Names come last, where they
    /// may be long.
    pub fn table(&self) -> Table {
        let lines = self.lines();
        let ranks: Vec<String> = (1..=lines.len()).map(|rank| rank.to_string()).collect();
        let mut header = vec!["", "Elo", "games", "points", "%"];
        header.extend(ranks.iter().map(String::as_str));
        header.push("player");
        let mut table = Table::new(&header);
        for (line, rank) in lines.iter().zip(&ranks) {
            let share = 100.0 * line.points / line.games.max(1) as f64;
            let share = if line.games == 0 { String::new() } else { format!("{share:.1}") };
            let against = lines.iter().map(|other| match self.points(line.player, other.player) {
                _ if line.player == other.player => "·".to_owned(),
                None => String::new(),
                Some(points) => points.to_string(),
            });
            let rating = line.rating.map_or(String::new(), show);
            let head = [rank.clone(), rating, line.games.to_string(), line.points.to_string(), share];
            table.push(head.into_iter().chain(against).chain([self.names[line.player].clone()]));
        }
        table
    }

    /// Whether the games determine ratings.
    pub fn has_ratings(&self) -> bool {
        self.lines().iter().all(|line| line.rating.is_some())
    }

    /// The table as JSON.
    pub fn to_json(&self) -> Value {
        let line = |line: &TableLine| {
            json!({
                "player": self.names[line.player],
                "games": line.games,
                "points": line.points,
                "elo": line.rating.map(|rating| rating.value),
                "elo_error": line.rating.map(|rating| rating.error),
            })
        };
        self.lines().iter().map(line).collect()
    }

    /// Points of a player against another; `None` if they did not play.
    fn points(&self, player: usize, other: usize) -> Option<f64> {
        let played = self.matches.iter().filter(|(_, standing)| standing.games.total() > 0);
        let points = played.filter_map(|(players, standing)| {
            let all = standing.games.total() as f64;
            let first = standing.games.score() * all;
            match players {
                _ if *players == [player, other] => Some(first),
                _ if *players == [other, player] => Some(all - first),
                _ => None,
            }
        });
        points.reduce(|sum, points| sum + points)
    }

    /// The lines, best player first; equal ones keep the given order.
    fn lines(&self) -> Vec<TableLine> {
        let pairings: Vec<Pairing> = self
            .matches
            .iter()
            .map(|(players, standing)| Pairing {
                players: *players,
                games: standing.games,
                pairs: standing.pairs,
            })
            .collect();
        let ratings = ratings(self.names.len(), &pairings);
        let line = |player: usize| TableLine {
            player,
            games: self.matches_of(player).map(|standing| standing.games.total()).sum(),
            points: (0..self.names.len())
                .filter_map(|other| self.points(player, other))
                .fold(0.0, |sum, more| sum + more),
            rating: ratings.as_ref().and_then(|ratings| ratings.get(player)).copied(),
        };
        let mut lines: Vec<TableLine> = (0..self.names.len()).map(line).collect();
        let strength = |line: &TableLine| {
            line.rating.map_or(line.points / line.games.max(1) as f64, |rating| rating.value)
        };
        lines.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
        lines
    }

    fn matches_of(&self, player: usize) -> impl Iterator<Item = &Standing> {
        self.matches
            .iter()
            .filter(move |(players, _)| players.contains(&player))
            .map(|(_, standing)| standing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(games: [u64; 3], pairs: [u64; 5]) -> Standing {
        Standing { games: games.into(), pairs: pairs.into(), ..Standing::default() }
    }

    fn three() -> CrossTable {
        CrossTable {
            names: ["a", "b", "c"].map(str::to_owned).to_vec(),
            matches: vec![
                ([0, 1], standing([2, 1, 1], [1, 0, 1, 0, 0])),
                ([0, 2], standing([1, 2, 1], [0, 0, 2, 0, 0])),
                ([1, 2], standing([0, 2, 2], [0, 0, 0, 2, 0])),
            ],
        }
    }

    #[test]
    fn everybody_meets_everybody_or_the_first_meets_all() {
        assert_eq!(Schedule::RoundRobin.matches(3), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(Schedule::Gauntlet.matches(4), [[0, 1], [0, 2], [0, 3]]);
        assert!(Schedule::Gauntlet.matches(0).is_empty());
    }

    #[test]
    fn the_best_comes_first_and_columns_follow_the_lines() {
        let table = three().table();
        let cells = |row: usize| table.rows[row][2..].join(" ");
        assert_eq!(cells(0), "8 5.5 68.8 · 2.5 3 b", "{}", table.to_text());
        assert_eq!(cells(1), "8 3.5 43.8 1.5 · 2 a");
        assert_eq!(cells(2), "8 3 37.5 1 2 · c");
        assert!(table.rows.iter().all(|row| row[1].contains(" ± ") && !row[1].contains('?')));
        assert_eq!(three().games(), 12);
        assert_eq!(three().to_json()[0]["points"], 5.5);
    }

    #[test]
    fn what_is_not_known_is_left_blank() {
        let mut table = three();
        table.matches.truncate(1);
        let text = table.table().to_text();
        assert!(!table.has_ratings() && !text.contains('±') && !text.contains("NaN"), "{text}");
        assert_eq!(table.to_json()[0]["elo"], Value::Null);
        assert_eq!(CrossTable::default().table().rows.len(), 0);
    }
}
