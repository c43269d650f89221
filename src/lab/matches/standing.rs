//! The score of a match so far, and what it says.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::record::{Ending, Record};
use crate::lab::statistics::{Estimate, Pentanomial, Sprt, Trinomial, Verdict, l_95};

/// The games so far, from the first player's point of view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// Losses, draws, wins.
    pub games: Trinomial,
    /// Whole pairs.
    pub pairs: Pentanomial,
    /// How often games ended how.
    pub endings: BTreeMap<Ending, u64>,
    /// What each player did wrong, and how often.
    pub troubles: [BTreeMap<Ending, u64>; 2],
    /// Nodes of each player.
    pub nodes: [u64; 2],
    /// Moves of each player.
    pub moves: [u64; 2],
    /// Milliseconds of each player.
    pub ms: [u64; 2],
    /// Half points of the pairs of which one game is played.
    pub(crate) halves: HashMap<u64, usize>,
}

impl Standing {
    /// Of these games.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut standing = Self::default();
        records.into_iter().for_each(|record| standing.add(record));
        standing
    }

    /// Counts one more game.
    pub fn add(&mut self, record: &Record) {
        let points = record.half_points();
        self.games.0[points] += 1;
        match self.halves.remove(&(record.number / 2)) {
            Some(other) => self.pairs.0[points + other] += 1,
            None => drop(self.halves.insert(record.number / 2, points)),
        }
        *self.endings.entry(record.ending).or_default() += 1;
        if let Some((player, _)) = record.trouble {
            *self.troubles[player.min(1)].entry(record.ending).or_default() += 1;
        }
        self.count_work(record);
    }

    fn count_work(&mut self, record: &Record) {
        let black_begins = record.start.split_whitespace().nth(1) == Some("b");
        let white = record.white.min(1);
        let first = if black_begins == record.book.len().is_multiple_of(2) { 1 - white } else { white };
        for (index, ply) in record.plies.iter().enumerate() {
            let player = if index % 2 == 0 { first } else { 1 - first };
            self.nodes[player] += ply.nodes;
            self.ms[player] += ply.ms;
            self.moves[player] += 1;
        }
    }

    /// Elo: from pairs as soon as there are any, else from games.
    pub fn elo(&self) -> Estimate {
        if self.pairs.total() > 0 { self.pairs.elo() } else { self.games.elo() }
    }

    /// One line for a progress bar.
    pub fn brief(&self) -> String {
        let [losses, draws, wins] = self.games.0;
        format!("+{wins} ={draws} -{losses}  Elo {}", show(self.elo()))
    }

    /// Everything, for machines.
    pub fn summary(&self, sprt: Option<&Sprt>) -> Summary {
        let [losses, draws, wins] = self.games.0;
        let named = |counts: &BTreeMap<Ending, u64>| {
            counts.iter().map(|(ending, count)| (ending.to_string(), *count)).collect()
        };
        let normalised = self.pairs.normalised_elo();
        Summary {
            games: self.games.total(),
            wins,
            draws,
            losses,
            score: self.games.score(),
            pentanomial: self.pairs.0,
            elo: self.elo().value,
            elo_error: self.elo().error,
            normalised_elo: normalised.value,
            normalised_elo_error: normalised.error,
            los: self.superiority(),
            l_95: l_95(self.games.score(), self.games.total()),
            draw_ratio: self.games.draw_ratio(),
            sprt: sprt.map(|test| self.sprt(test)),
            endings: named(&self.endings),
            troubles: [named(&self.troubles[0]), named(&self.troubles[1])],
            nodes: self.nodes,
            moves: self.moves,
            milliseconds: self.ms,
        }
    }

    fn superiority(&self) -> f64 {
        if self.pairs.total() > 0 {
            self.pairs.likelihood_of_superiority()
        } else {
            self.games.likelihood_of_superiority()
        }
    }

    fn sprt(&self, test: &Sprt) -> SprtSummary {
        let (low, high) = test.bounds();
        SprtSummary {
            elo0: test.elo0,
            elo1: test.elo1,
            model: format!("{:?}", test.model).to_lowercase(),
            llr: self.pairs.log_likelihood_ratio(test),
            low,
            high,
            verdict: match test.judge(&self.pairs) {
                Verdict::First => "elo0 accepted",
                Verdict::Second => "elo1 accepted",
                Verdict::Open => "open",
            },
        }
    }
}

/// The result of a match in numbers; what is infinite is null in JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Games played.
    pub games: u64,
    /// Of the first player.
    pub wins: u64,
    /// Draws.
    pub draws: u64,
    /// Of the first player.
    pub losses: u64,
    /// Share of the points of the first player.
    pub score: f64,
    /// Pairs with 0, ½, 1, 1½ and 2 points.
    pub pentanomial: [u64; 5],
    /// Logistic Elo difference.
    pub elo: f64,
    /// Half of its 95 % interval.
    pub elo_error: f64,
    /// Normalised Elo difference.
    pub normalised_elo: f64,
    /// Half of its 95 % interval.
    pub normalised_elo_error: f64,
    /// Likelihood that the first player is stronger.
    pub los: f64,
    /// Lim & Lee's test; the winner is better if it is above 0.
    pub l_95: f64,
    /// Share of drawn games.
    pub draw_ratio: f64,
    /// The sequential test, if one was asked for.
    pub sprt: Option<SprtSummary>,
    /// How games ended.
    pub endings: BTreeMap<String, u64>,
    /// What the players did wrong.
    pub troubles: [BTreeMap<String, u64>; 2],
    /// Nodes of the players.
    pub nodes: [u64; 2],
    /// Moves of the players.
    pub moves: [u64; 2],
    /// Time of the players.
    pub milliseconds: [u64; 2],
}

/// Where the sequential test stands.
#[derive(Clone, Debug, Serialize)]
pub struct SprtSummary {
    /// The first hypothesis.
    pub elo0: f64,
    /// The second hypothesis.
    pub elo1: f64,
    /// What Elo means.
    pub model: String,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// Where `elo0` is accepted.
    pub low: f64,
    /// Where `elo1` is accepted.
    pub high: f64,
    /// What is accepted.
    pub verdict: &'static str,
}

/// `+12.3 ± 4.5`.
pub fn show(estimate: Estimate) -> String {
    let Estimate { value, error } = estimate;
    match (value.is_finite(), error.is_finite()) {
        (true, true) => format!("{value:+.1} ± {error:.1}"),
        (true, false) => format!("{value:+.1} ± ?"),
        _ => (if value > 0.0 { "+∞" } else { "-∞" }).to_owned(),
    }
}

impl Summary {
    /// The table people read.
    pub fn table(&self, names: [&str; 2]) -> String {
        let [first, second] = names;
        let estimate = |value, error| show(Estimate { value, error });
        let points = self.wins as f64 + self.draws as f64 / 2.0;
        let list = |counts: &BTreeMap<String, u64>| {
            let parts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
            if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
        };
        let mut lines = vec![
            format!("{first} against {second}"),
            format!("games       {}", self.games),
            format!("result      +{} ={} -{}", self.wins, self.draws, self.losses),
            format!("points      {points} of {} ({:.1} %)", self.games, 100.0 * self.score),
            format!(
                "pairs       {}  (0, ½, 1, 1½, 2 points)",
                self.pentanomial.map(|n| n.to_string()).join(" ")
            ),
            format!("Elo         {}", estimate(self.elo, self.elo_error)),
            format!("normalised  {}", estimate(self.normalised_elo, self.normalised_elo_error)),
            format!("LOS         {:.1} %", 100.0 * self.los),
            format!("l_95        {:+.3}  (above 0: the winner is better, 95 % sure)", self.l_95),
            format!("draws       {:.1} %", 100.0 * self.draw_ratio),
        ];
        lines.extend(self.sprt.as_ref().map(SprtSummary::line));
        lines.push(format!("endings     {}", list(&self.endings)));
        for (name, troubles) in names.iter().zip(&self.troubles) {
            lines.push(format!("troubles    {name}: {}", list(troubles)));
        }
        for (index, name) in names.iter().enumerate() {
            let moves = self.moves[index].max(1);
            let (nodes, ms) = (self.nodes[index] / moves, self.milliseconds[index] as f64 / moves as f64);
            lines.push(format!(
                "work        {name}: {} moves, {nodes} nodes and {ms:.1} ms each",
                self.moves[index]
            ));
        }
        lines.join("\n")
    }
}

impl SprtSummary {
    fn line(&self) -> String {
        format!(
            "SPRT        LLR {:.2} ({:.2}, {:.2}) for {} Elo [{}, {}]: {}",
            self.llr, self.low, self.high, self.model, self.elo0, self.elo1, self.verdict
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::{Ply, Points};
    use super::*;

    fn game(number: u64, result: Points) -> Record {
        let ply = |nodes| Ply { uci: "e2e4".into(), score: None, depth: 1, nodes, ms: 2 };
        Record {
            number,
            white: (number % 2) as usize,
            start: "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1".into(),
            book: Vec::new(),
            plies: vec![ply(10), ply(20), ply(30)],
            result,
            ending: Ending::Mate,
            trouble: None,
        }
    }

    #[test]
    fn games_make_pairs_in_any_order() {
        let games =
            [game(0, Points::White), game(3, Points::Draw), game(1, Points::Black), game(2, Points::Black)];
        let standing = Standing::of(&games);
        assert_eq!(standing.games.0, [1, 1, 2]);
        assert_eq!(standing.pairs.0, [0, 1, 0, 0, 1]);
        assert_eq!(standing.nodes, [40 * 2 + 20 * 2, 40 * 2 + 20 * 2]);
        assert_eq!(standing.brief(), "+2 =1 -1  Elo +88.7 ± ?");
    }

    #[test]
    fn the_first_to_think_is_found_from_side_to_move_and_book() {
        let mut record = game(0, Points::Draw);
        record.book = vec!["e2e4".into()];
        assert_eq!(Standing::of([&record]).nodes, [20, 40]);
        record.start = "8/8/4k3/8/8/4K3/4P3/8 b - - 0 1".into();
        assert_eq!(Standing::of([&record]).nodes, [40, 20]);
    }

    #[test]
    fn troubles_are_counted_for_whom_they_belong_to() {
        let mut record = game(0, Points::White);
        record.ending = Ending::IllegalMove;
        record.trouble = Some((1, "it did".into()));
        let summary = Standing::of([&record]).summary(None);
        assert_eq!(summary.troubles[1].get("illegal move"), Some(&1));
        let table = summary.table(["x", "y"]);
        assert!(table.contains("y: illegal move 1") && table.contains("x: none"), "{table}");
        assert!(serde_json::to_string(&summary).is_ok());
    }
}
