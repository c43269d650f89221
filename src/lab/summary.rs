//! Totals of a run on a suite.

use std::time::Duration;

use serde::Serialize;

use super::runner::{Answer, SearchCost};
use crate::epd::Task;
use crate::score::Score;
use crate::statistics::standard_error_of_share;

/// Totals and averages of answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SuiteSummary {
    /// Positions searched.
    pub positions: usize,
    /// Positions with a solution.
    pub questions: usize,
    /// Positions solved.
    pub solved: usize,
    /// Share of the positions with a solution that were solved.
    pub solved_share: f64,
    /// Standard error of that share, as for a random sample.
    pub standard_error: f64,
    /// Points earned, if moves have points.
    pub points: u32,
    /// Points that could be earned.
    pub most_points: u32,
    /// Positions without an answer because the engine failed.
    pub failures: usize,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Time of all searches in milliseconds.
    pub milliseconds: f64,
    /// The mean cost of a search. Depth is without searches that found a mate, whose depth means nothing.
    pub average: Average,
    /// The mean cost to settle on a right move, over the solved positions.
    pub settled: Average,
}

/// The mean cost of several searches.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize)]
pub struct Average {
    /// Mean depth of the last iteration, in plies.
    pub depth: f64,
    /// Mean number of nodes.
    pub nodes: f64,
    /// Time spent, in milliseconds.
    pub milliseconds: f64,
}

impl Average {
    fn of(costs: impl Iterator<Item = SearchCost>) -> Self {
        let (mut count, mut depth, mut nodes, mut time) = (0_u32, 0_i64, 0_u128, Duration::ZERO);
        for cost in costs {
            count += 1;
            depth += i64::from(cost.depth);
            nodes += u128::from(cost.nodes);
            time += cost.time;
        }
        let count = f64::from(count.max(1));
        Self {
            depth: depth as f64 / count,
            nodes: nodes as f64 / count,
            milliseconds: time.as_secs_f64() * 1e3 / count,
        }
    }
}

impl SuiteSummary {
    /// Sums up the answers to some of the positions.
    pub fn of(tasks: &[Task], answers: &[Answer]) -> Self {
        let answered: Vec<(&Task, &Answer)> =
            answers.iter().filter_map(|answer| Some((tasks.get(answer.task)?, answer))).collect();
        let questions = answered.iter().filter(|(task, _)| task.is_question()).count();
        let solved = answers.iter().filter(|answer| answer.solved).count();
        let share = solved as f64 / questions.max(1) as f64;
        let without_failure = || answers.iter().filter(|answer| answer.failure.is_none());
        // Nothing is searched where the game is over.
        let searched = || without_failure().filter(|answer| answer.best.is_some());
        let average = Average::of(searched().map(|answer| answer.total));
        let unfinished = searched().filter(|answer| !answer.score.is_some_and(Score::is_mate));
        let settled = answers.iter().filter(|answer| answer.solved).filter_map(|answer| answer.settled);
        Self {
            positions: answered.len(),
            questions,
            solved,
            solved_share: share,
            standard_error: standard_error_of_share(share, questions as u64),
            points: answers.iter().map(|answer| answer.points).sum(),
            most_points: answered.iter().map(|(task, _)| task.most_points()).sum(),
            failures: answers.len() - without_failure().count(),
            nodes: answers.iter().fold(0, |sum, answer| sum.saturating_add(answer.total.nodes)),
            milliseconds: answers.iter().map(|answer| answer.total.time).sum::<Duration>().as_secs_f64()
                * 1e3,
            average: Average { depth: Average::of(unfinished.map(|answer| answer.total)).depth, ..average },
            settled: Average::of(settled),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epd::suite::Suite;

    #[test]
    fn totals_and_averages_add_up() {
        let suite = Suite::load("bk", false).unwrap().thinned(4);
        let cost = |nodes| SearchCost { depth: 4, nodes, time: Duration::from_millis(nodes) };
        let answer = |task, solved| Answer {
            task,
            best: suite.tasks[task].position.legal_moves().first().copied(),
            solved,
            settled: Some(cost(10)),
            total: cost(100 * (task as u64 + 1)),
            ..Answer::default()
        };
        let answers = [answer(0, true), answer(1, false), answer(2, false), answer(3, false)];
        let summary = SuiteSummary::of(&suite.tasks, &answers);
        assert_eq!((summary.positions, summary.questions, summary.solved), (4, 4, 1));
        assert_eq!((summary.nodes, summary.average.nodes, summary.settled.nodes), (1000, 250.0, 10.0));
        assert!((summary.milliseconds - 1000.0).abs() < 1e-9);
        assert!((summary.standard_error - (0.25 * 0.75 / 4.0_f64).sqrt()).abs() < 1e-12);
        let mate = Answer {
            score: Some(Score::mate_at(1)),
            total: SearchCost { depth: 200, ..cost(1) },
            ..answer(3, true)
        };
        let depth = SuiteSummary::of(&suite.tasks, &[answer(0, true), mate]).average.depth;
        assert!((depth - 4.0).abs() < 1e-12, "{depth}");
        let over = Answer { best: None, ..answer(1, false) };
        let average = SuiteSummary::of(&suite.tasks, &[answer(0, true), over]).average;
        assert!((average.nodes - 100.0).abs() < 1e-12, "where the game is over nothing is searched");
        let much = Answer { total: cost(u64::MAX), ..answer(0, false) };
        assert_eq!(SuiteSummary::of(&suite.tasks, &[much.clone(), much]).nodes, u64::MAX);
        assert_eq!(SuiteSummary::of(&[], &[]), SuiteSummary::default());
    }
}
