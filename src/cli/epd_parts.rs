//! Suites split over several machines: the file of one part, and merging all parts.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use shakmaty::Position as _;

use super::{Failure, terminal};
use crate::board::{Position, uci_text};
use crate::epd::suite::Suite;
use crate::lab::results::{Column, SuiteResults};
use crate::lab::runner::{Answer, SearchCost};
use crate::learn::checkpoint::{self, RunSettings};
use crate::provenance::digest;
use crate::score::Score;

/// Kind and version of the file format.
const KIND: &str = "epd 1";

/// An answer as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredAnswer {
    task: usize,
    best: Option<String>,
    score: Option<i32>,
    solved: bool,
    points: u32,
    settled: Option<SearchCost>,
    total: SearchCost,
}

/// Answers of a part, `[suite][engine][position]`.
type Part = Vec<Vec<Vec<StoredAnswer>>>;

impl StoredAnswer {
    fn new(answer: &Answer, position: &Position) -> Self {
        let chess960 = position.chess().castles().mode().is_chess960();
        Self {
            task: answer.task,
            best: answer.best.map(|m| uci_text(m, chess960)),
            score: answer.score.map(Score::raw),
            solved: answer.solved,
            points: answer.points,
            settled: answer.settled,
            total: answer.total,
        }
    }

    fn to_answer(&self, position: &Position) -> Result<Answer, String> {
        let best = self.best.as_deref().map(|text| position.parse_move(text)).transpose();
        Ok(Answer {
            task: self.task,
            best: best.map_err(|error| error.to_string())?,
            score: self.score.map(Score::cp),
            solved: self.solved,
            points: self.points,
            settled: self.settled,
            total: self.total,
            failure: None,
        })
    }
}

/// Name, size and digest of a suite.
pub(super) fn describe(suite: &Suite) -> String {
    let lines = suite.tasks.iter().map(|task| format!("{} {}\n", task.name(), task.position.fen()));
    format!(
        "{} ({} positions, {})",
        suite.name,
        suite.tasks.len(),
        digest(lines.collect::<String>().as_bytes())
    )
}

/// Writes the answers of a part. Positions that an engine did not answer are left out, so that merging notices.
pub(super) fn write(path: &Path, settings: &RunSettings, results: &[SuiteResults]) -> Result<(), Failure> {
    let part: Part = results.iter().map(records).collect();
    let text = checkpoint::write(KIND, settings, &part).map_err(Failure::Wrong)?;
    terminal::write_file(path, text + "\n")
}

fn records(result: &SuiteResults) -> Vec<Vec<StoredAnswer>> {
    let of_column = |column: &Column| {
        let answered = column.answers.iter().filter(|answer| answer.failure.is_none());
        answered.map(|answer| StoredAnswer::new(answer, &result.suite.tasks[answer.task].position)).collect()
    };
    result.columns.iter().map(of_column).collect()
}

/// Collects the answers of all parts in the order of the suite. It is an error if a part belongs to another run, or
/// if a position is in two parts or in none.
pub(super) fn merge(
    paths: &[PathBuf],
    settings: &RunSettings,
    results: &mut [SuiteResults],
) -> Result<(), Failure> {
    for path in paths {
        let wrong = |what: String| Failure::Wrong(format!("{}: {what}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let part: Part = checkpoint::read_part(KIND, settings, &text).map_err(wrong)?;
        for (result, columns) in results.iter_mut().zip(&part) {
            for (column, records) in result.columns.iter_mut().zip(columns) {
                add(&result.suite, column, records).map_err(wrong)?;
            }
        }
    }
    for SuiteResults { suite, columns } in results {
        for column in columns {
            column.answers.sort_by_key(|answer| answer.task);
            let is_missing =
                |index: &usize| column.answers.binary_search_by_key(index, |answer| answer.task).is_err();
            if let Some(missing) = (0..suite.tasks.len()).find(is_missing) {
                let name = suite.tasks[missing].name();
                return Err(Failure::Wrong(format!("{}, {name}: is in no part", suite.name)));
            }
        }
    }
    Ok(())
}

/// Adds the answers of one part to a column.
fn add(suite: &Suite, column: &mut Column, records: &[StoredAnswer]) -> Result<(), String> {
    for record in records {
        let task =
            suite.tasks.get(record.task).ok_or("a damaged part: it has more positions than the suite")?;
        if column.answers.iter().any(|answer| answer.task == record.task) {
            return Err(format!("{}, {}: is in another part, too", suite.name, task.name()));
        }
        column.answers.push(record.to_answer(&task.position)?);
    }
    Ok(())
}
