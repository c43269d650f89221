//! The result of a match in numbers and as a table.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::statistics::Estimate;
use crate::text_table::Table;

/// The result of a match in numbers; infinite ones are null in JSON.
#[derive(Clone, Debug, Serialize)]
pub struct MatchSummary {
    /// Games so far.
    pub games: u64,
    /// Games that the first player won.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that the first player lost.
    pub losses: u64,
    /// Share of the points of the first player.
    pub score: f64,
    /// Pairs with 0, ½, 1, 1½ and 2 points.
    pub pentanomial: [u64; 5],
    /// Logistic Elo difference of the first player over the second.
    pub elo: f64,
    /// Half of its 95 % interval.
    pub elo_error: f64,
    /// Normalised Elo difference, which depends less on the draw rate.
    pub normalised_elo: f64,
    /// Half of its 95 % interval.
    pub normalised_elo_error: f64,
    /// Likelihood that the first player is stronger.
    pub los: f64,
    /// Lim & Lee's test; the winner is better if it is above 0.
    pub l_95: Option<f64>,
    /// Share of drawn games.
    pub draw_ratio: f64,
    /// The sequential test, if there is one.
    pub sprt: Option<SprtSummary>,
    /// Number of games by ending.
    pub endings: BTreeMap<String, u64>,
    /// Failures of each player by ending.
    pub failures: [BTreeMap<String, u64>; 2],
    /// Nodes of the players.
    pub nodes: [u64; 2],
    /// Moves of the players.
    pub moves: [u64; 2],
    /// Time of the players.
    pub milliseconds: [u64; 2],
}

/// The state of the sequential test.
#[derive(Clone, Debug, Serialize)]
pub struct SprtSummary {
    /// Elo difference of the null hypothesis.
    pub elo0: f64,
    /// Elo difference of the alternative.
    pub elo1: f64,
    /// Whether `elo0` and `elo1` are logistic or normalised Elo.
    pub model: String,
    /// Log-likelihood ratio of `elo1` to `elo0`; the test ends when it leaves `low` to `high`.
    pub llr: f64,
    /// The bound at which `elo0` is accepted.
    pub low: f64,
    /// The bound at which `elo1` is accepted.
    pub high: f64,
    /// The accepted hypothesis, or `open`.
    pub verdict: &'static str,
}

/// `+12.3 ± 4.5`.
pub fn show(estimate: Estimate) -> String {
    let Estimate { value, error } = estimate;
    match (value.is_finite(), error.is_finite()) {
        (true, true) => format!("{} ± {error:.1}", signed(value, 1)),
        (true, false) => format!("{} ± ?", signed(value, 1)),
        _ => (if value > 0.0 { "+∞" } else { "-∞" }).to_owned(),
    }
}

/// A number with its sign and so many decimals; never a negative zero.
pub(super) fn signed(value: f64, digits: usize) -> String {
    let text = format!("{value:+.digits$}");
    if text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) { text } else { text.replace('-', "+") }
}

impl MatchSummary {
    /// The result as one row, for CSV, JSON and Markdown.
    pub fn row(&self, names: [&str; 2]) -> Table {
        let mut table = Table::new(&[
            "player",
            "against",
            "games",
            "wins",
            "draws",
            "losses",
            "points",
            "%",
            "Elo",
            "normalised Elo",
            "LOS %",
            "l_95",
        ]);
        let [first, second] = names.map(str::to_owned);
        let counts = [self.games, self.wins, self.draws, self.losses].map(|count| count.to_string());
        let points = self.wins as f64 + self.draws as f64 / 2.0;
        let shown = [
            points.to_string(),
            format!("{:.1}", 100.0 * self.score),
            show(Estimate { value: self.elo, error: self.elo_error }),
            show(Estimate { value: self.normalised_elo, error: self.normalised_elo_error }),
            format!("{:.1}", 100.0 * self.los),
            self.l_95.map_or(String::new(), |bound| signed(bound, 3)),
        ];
        table.push([first, second].into_iter().chain(counts).chain(shown));
        table
    }

    /// The result as aligned text.
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
            match self.l_95 {
                Some(bound) => {
                    format!("l_95        {}  (above 0: the winner is better, 95 % sure)", signed(bound, 3))
                }
                None if self.games == 0 => "l_95        ?  (not known without games)".to_owned(),
                None => "l_95        ?  (not known while one side has all the points)".to_owned(),
            },
            format!("draws       {:.1} %", 100.0 * self.draw_ratio),
        ];
        lines.extend(self.sprt.as_ref().map(SprtSummary::line));
        lines.push(format!("endings     {}", list(&self.endings)));
        for (name, failures) in names.iter().zip(&self.failures) {
            lines.push(format!("failures    {name}: {}", list(failures)));
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
            "SPRT        LLR {} ({:.2}, {:.2}) for {} Elo [{}, {}]: {}",
            signed(self.llr, 2),
            self.low,
            self.high,
            self.model,
            self.elo0,
            self.elo1,
            self.verdict
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_a_negative_nothing() {
        let shown = |value, error| show(Estimate { value, error });
        assert_eq!(shown(-0.0, 3.0), "+0.0 ± 3.0");
        assert_eq!(shown(-0.04, f64::INFINITY), "+0.0 ± ?");
        assert_eq!((shown(-0.06, 1.0), shown(12.34, 1.0)), ("-0.1 ± 1.0".into(), "+12.3 ± 1.0".into()));
        assert_eq!(
            (shown(f64::NEG_INFINITY, f64::INFINITY), signed(-0.0004, 3)),
            ("-∞".into(), "+0.000".into())
        );
    }
}
