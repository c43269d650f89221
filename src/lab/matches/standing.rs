//! The score of a match so far.

use std::collections::{BTreeMap, HashMap};

use super::summary::signed;
pub use super::summary::{MatchSummary, SprtSummary, show};
use crate::game_record::{GameEnd, GameRecord};
use crate::statistics::{Estimate, Pentanomial, Sprt, SprtVerdict, Trinomial, l_95};

/// The games so far, from the first player's point of view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// Losses, draws and wins of the first player.
    pub games: Trinomial,
    /// Pairs of games by points of the first player: 0, ½, 1, 1½, 2.
    pub pairs: Pentanomial,
    /// Number of games by ending.
    pub endings: BTreeMap<GameEnd, u64>,
    /// Failures of each player by ending.
    pub failures: [BTreeMap<GameEnd, u64>; 2],
    /// Nodes of each player.
    pub nodes: [u64; 2],
    /// Moves of each player.
    pub moves: [u64; 2],
    /// Milliseconds of each player.
    pub ms: [u64; 2],
    /// Half points of the first player in pairs with one finished game.
    pub(crate) halves: HashMap<u64, usize>,
    /// The decision of the sequential test.
    pub(crate) decision: Option<Decision>,
}

/// A state of the sequential test.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Decision {
    verdict: SprtVerdict,
    ratio: f64,
}

impl Standing {
    /// The standing after these games.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a GameRecord>) -> Self {
        let mut standing = Self::default();
        records.into_iter().for_each(|record| standing.add(record));
        standing
    }

    /// Counts one more game.
    pub fn add(&mut self, record: &GameRecord) {
        let points = record.half_points();
        self.games.0[points] += 1;
        match self.halves.remove(&(record.number / 2)) {
            Some(other) => self.pairs.0[points + other] += 1,
            None => drop(self.halves.insert(record.number / 2, points)),
        }
        *self.endings.entry(record.ending).or_default() += 1;
        if let Some((player, _)) = record.failure {
            *self.failures[player.min(1)].entry(record.ending).or_default() += 1;
        }
        self.count_work(record);
    }

    /// Counts one more game of a match with a sequential test. Games in progress when it decides still count, but do not
    /// change the decision.
    pub fn add_tested(&mut self, record: &GameRecord, test: Option<&Sprt>) {
        let pairs = self.pairs.total();
        self.add(record);
        if let Some(test) = test
            && self.decision.is_none()
            && self.pairs.total() > pairs
        {
            self.decision =
                Some(self.evaluate(test)).filter(|decision| decision.verdict != SprtVerdict::Open);
        }
    }

    /// Whether the sequential test has decided.
    pub fn is_decided(&self) -> bool {
        self.decision.is_some()
    }

    fn evaluate(&self, test: &Sprt) -> Decision {
        let ratio = self.pairs.log_likelihood_ratio(test);
        Decision { verdict: test.verdict(ratio), ratio }
    }

    fn count_work(&mut self, record: &GameRecord) {
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

    /// Elo from pairs, or from games as long as there are no pairs.
    pub fn elo(&self) -> Estimate {
        if self.pairs.total() > 0 { self.pairs.elo() } else { self.games.elo() }
    }

    /// One line for a progress bar: score, Elo and the state of the test.
    pub fn brief(&self, test: Option<&Sprt>) -> String {
        let [losses, draws, wins] = self.games.0;
        let score = format!("+{wins} ={draws} -{losses}  Elo {}", show(self.elo()));
        let Some(test) = test else { return score };
        let ((low, high), ratio) =
            (test.bounds(), self.decision.unwrap_or_else(|| self.evaluate(test)).ratio);
        format!("{score}  LLR {} ({low:.2}, {high:.2})", signed(ratio, 2))
    }

    /// All numbers, as in `--json`.
    pub fn summary(&self, sprt: Option<&Sprt>) -> MatchSummary {
        let [losses, draws, wins] = self.games.0;
        let named = |counts: &BTreeMap<GameEnd, u64>| {
            counts.iter().map(|(ending, count)| (ending.to_string(), *count)).collect()
        };
        let normalised =
            if self.pairs.total() > 0 { self.pairs.normalised_elo() } else { self.games.normalised_elo() };
        MatchSummary {
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
            failures: [named(&self.failures[0]), named(&self.failures[1])],
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
        let Decision { verdict, ratio } = self.decision.unwrap_or_else(|| self.evaluate(test));
        SprtSummary {
            elo0: test.elo0,
            elo1: test.elo1,
            model: format!("{:?}", test.model).to_lowercase(),
            llr: ratio,
            low,
            high,
            verdict: match verdict {
                SprtVerdict::H0 => "elo0 accepted",
                SprtVerdict::H1 => "elo1 accepted",
                SprtVerdict::Open => "open",
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_record::{GameResult, Ply};

    fn game(number: u64, result: GameResult) -> GameRecord {
        let ply = |nodes| Ply { uci: "e2e4".into(), score: None, depth: 1, nodes, ms: 2 };
        GameRecord {
            number,
            white: (number % 2) as usize,
            start: "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1".into(),
            book: Vec::new(),
            plies: vec![ply(10), ply(20), ply(30)],
            result,
            ending: GameEnd::Mate,
            failure: None,
        }
    }

    #[test]
    fn games_make_pairs_in_any_order() {
        let games = [
            game(0, GameResult::White),
            game(3, GameResult::Draw),
            game(1, GameResult::Black),
            game(2, GameResult::Black),
        ];
        let standing = Standing::of(&games);
        assert_eq!(standing.games.0, [1, 1, 2]);
        assert_eq!(standing.pairs.0, [0, 1, 0, 0, 1]);
        assert_eq!(standing.nodes, [40 * 2 + 20 * 2, 40 * 2 + 20 * 2]);
        assert_eq!(standing.brief(None), "+2 =1 -1  Elo +88.7 ± ?");
        let test = Sprt::new(0.0, 5.0, crate::statistics::EloModel::Normalised);
        let tested = standing.brief(Some(&test));
        assert!(tested.contains("Elo +88.7 ± ?  LLR +0.0") && tested.ends_with("(-2.94, 2.94)"), "{tested}");
    }

    #[test]
    fn games_in_progress_do_not_undo_a_decision() {
        let test = Sprt::new(0.0, 100.0, crate::statistics::EloModel::Normalised);
        let mut standing = Standing::default();
        let mut number = 0;
        while !standing.is_decided() && number < 1_000 {
            let result = if number % 2 == 0 { GameResult::White } else { GameResult::Black };
            standing.add_tested(&game(number, result), Some(&test));
            number += 1;
        }
        let decided = standing.summary(Some(&test)).sprt.unwrap();
        assert_eq!(decided.verdict, "elo1 accepted");
        for late in number..number + 4 {
            let result = if late % 2 == 0 { GameResult::Black } else { GameResult::White };
            standing.add_tested(&game(late, result), Some(&test));
        }
        assert_eq!(standing.evaluate(&test).verdict, SprtVerdict::Open, "the games in progress were lost");
        let after = standing.summary(Some(&test)).sprt.unwrap();
        assert_eq!((after.verdict, after.llr), (decided.verdict, decided.llr));
        assert_eq!(standing.games.total(), number + 4);
    }

    #[test]
    fn the_first_to_think_is_found_from_side_to_move_and_book() {
        let mut record = game(0, GameResult::Draw);
        record.book = vec!["e2e4".into()];
        assert_eq!(Standing::of([&record]).nodes, [20, 40]);
        record.start = "8/8/4k3/8/8/4K3/4P3/8 b - - 0 1".into();
        assert_eq!(Standing::of([&record]).nodes, [40, 20]);
    }

    #[test]
    fn failures_are_counted_for_whom_they_belong_to() {
        let mut record = game(0, GameResult::White);
        record.ending = GameEnd::IllegalMove;
        record.failure = Some((1, "it did".into()));
        let summary = Standing::of([&record]).summary(None);
        assert_eq!(summary.failures[1].get("illegal move"), Some(&1));
        let table = summary.table(["x", "y"]);
        assert!(table.contains("y: illegal move 1") && table.contains("x: none"), "{table}");
        assert!(serde_json::to_string(&summary).is_ok());
    }
}
