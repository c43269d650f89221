//! Results of one or two engines on a suite, as tables.

use serde_json::{Value, json};

use super::runner::{Answer, SearchCost};
use super::summary::SuiteSummary;
use crate::board::san::san;
use crate::epd::Task;
use crate::epd::suite::Suite;
use crate::text_table::{Table, thousands};
use crate::uci::EngineErrorKind;

/// A suite and the answers of one or two engines or settings.
pub(crate) struct SuiteResults {
    pub suite: Suite,
    /// One column for each engine.
    pub columns: Vec<Column>,
}

/// The answers of one engine or setting.
pub(crate) struct Column {
    pub name: String,
    /// A short description of version and settings.
    pub made_by: String,
    /// Every option in one line.
    pub every_option: String,
    /// The answers in the order of the suite.
    pub answers: Vec<Answer>,
}

/// Columns of the CSV table of positions.
const POSITION_HEADER: [&str; 20] = [
    "suite",
    "engine",
    "position",
    "line",
    "fen",
    "expected",
    "played",
    "score",
    "solved",
    "points",
    "settled_depth",
    "settled_nodes",
    "settled_ms",
    "depth",
    "nodes",
    "ms",
    "failure",
    "limit",
    "made_by",
    "options",
];

impl SuiteResults {
    fn task(&self, answer: &Answer) -> Option<&Task> {
        self.suite.tasks.get(answer.task)
    }

    /// The totals of each column.
    pub(crate) fn summaries(&self) -> Vec<SuiteSummary> {
        self.columns.iter().map(|column| SuiteSummary::of(&self.suite.tasks, &column.answers)).collect()
    }

    /// Totals and averages of each column, and a comparison if there are two.
    pub(crate) fn overview(&self) -> Table {
        let summaries = self.summaries();
        let mut header = vec![self.suite.name.as_str()];
        header.extend(self.columns.iter().map(|column| column.name.as_str()));
        let two = matches!(summaries.as_slice(), [_, _]);
        header.extend(two.then_some("second / first"));
        let mut table = Table::new(&header);
        let mut row = |name: &str,
                       cell: &dyn Fn(&SuiteSummary) -> String,
                       compare: &dyn Fn(&SuiteSummary, &SuiteSummary) -> String| {
            let mut cells = vec![name.to_owned()];
            cells.extend(summaries.iter().map(cell));
            if let [first, second] = summaries.as_slice() {
                cells.push(compare(first, second));
            }
            table.rows.push(cells);
        };
        let no_ratio = |_: &SuiteSummary, _: &SuiteSummary| String::new();
        row("positions", &|s| s.positions.to_string(), &no_ratio);
        if summaries.iter().any(|s| s.questions > 0) {
            row("solved", &solved, &|a, b| difference(a.solved as i64, b.solved as i64));
        }
        if summaries.iter().any(|s| s.most_points > 0) {
            let points = |s: &SuiteSummary| format!("{} of {}", s.points, s.most_points);
            row("points", &points, &|a, b| difference(a.points.into(), b.points.into()));
        }
        if summaries.iter().any(|s| s.failures > 0) {
            row("no answer, or an illegal one", &|s| s.failures.to_string(), &no_ratio);
        }
        row("nodes", &|s| thousands(s.nodes), &|a, b| ratio(a.nodes as f64, b.nodes as f64));
        row("nodes a position", &|s| whole(s.average.nodes), &|a, b| ratio(a.average.nodes, b.average.nodes));
        row("depth (no mate seen)", &|s| tenths(s.average.depth), &no_ratio);
        row("seconds of search", &|s| tenths(s.milliseconds / 1e3), &|a, b| {
            ratio(a.milliseconds, b.milliseconds)
        });
        row("ms a position", &|s| tenths(s.average.milliseconds), &|a, b| {
            ratio(a.average.milliseconds, b.average.milliseconds)
        });
        if summaries.iter().any(|s| s.solved > 0) {
            row("solved: settled at depth", &|s| tenths(s.settled.depth), &no_ratio);
            // No ratio: the columns may have solved different positions.
            row("solved: settled at node", &|s| whole(s.settled.nodes), &no_ratio);
            row("solved: settled after ms", &|s| tenths(s.settled.milliseconds), &no_ratio);
        }
        table
    }

    /// The unsolved positions of a column (with `all`, all positions), with the moves played.
    pub(crate) fn played(&self, column: &Column, all: bool) -> Table {
        let mut table = Table::new(&[
            "position",
            "expected",
            "played",
            "score",
            "depth",
            "nodes",
            "settled at depth",
            "node",
            "ms",
        ]);
        for answer in &column.answers {
            let Some(task) = self.task(answer) else { continue };
            if !(all || task.is_question() && !answer.solved) {
                continue;
            }
            let settled = answer.settled.map(cost_cells).unwrap_or_default();
            let [depth, nodes, _] = cost_cells(answer.total);
            let mark = if all && answer.solved { "✓ " } else { "" };
            let played = format!("{mark}{}", played(task, answer));
            let cells = [task.name(), task.expected(), played, score(answer), depth, nodes];
            table.push(cells.into_iter().chain(settled));
        }
        table
    }

    /// The positions that one of two columns solved and the other did not.
    pub(crate) fn differences(&self) -> Option<Table> {
        let [first, second] = self.columns.as_slice() else { return None };
        let mut table = Table::new(&["position", "expected", &first.name, &second.name]);
        for answer in &first.answers {
            let Some(other) = second.answers.iter().find(|other| other.task == answer.task) else { continue };
            let Some(task) = self.task(answer).filter(|_| answer.solved != other.solved) else { continue };
            let cell = |answer: &Answer| {
                let mark = if answer.solved { '✓' } else { '✗' };
                format!("{mark} {}", played(task, answer))
            };
            table.push([task.name(), task.expected(), cell(answer), cell(other)]);
        }
        Some(table)
    }

    /// All details of all positions for CSV; `limit` describes the limits of the searches.
    pub(crate) fn positions(&self, limit: &str) -> Table {
        let mut table = Table::new(&POSITION_HEADER);
        let answers = self.columns.iter().flat_map(|c| c.answers.iter().enumerate().map(move |a| (c, a)));
        for (column, (index, answer)) in answers {
            let Some(task) = self.task(answer) else { continue };
            // Long and the same in every line, so only the first has them.
            let options = if index == 0 { column.every_option.clone() } else { String::new() };
            let cells = [
                self.suite.name.clone(),
                column.name.clone(),
                task.id.clone(),
                task.line.to_string(),
                task.position.fen(),
                task.expected(),
                answer.best.map_or(String::new(), |m| san(&task.position, m)),
                score(answer),
                if task.is_question() { answer.solved.to_string() } else { String::new() },
                if task.points.is_empty() { String::new() } else { answer.points.to_string() },
            ];
            let costs = [answer.settled, Some(answer.total)].map(plain_cells).concat();
            let failure = answer.failure.as_ref().map_or(String::new(), ToString::to_string);
            table.push(cells.into_iter().chain(costs).chain([
                failure,
                limit.to_owned(),
                column.made_by.clone(),
                options,
            ]));
        }
        table
    }

    pub(crate) fn to_json(&self) -> Value {
        let columns: Vec<Value> = self
            .columns
            .iter()
            .zip(self.summaries())
            .map(|(column, summary)| {
                let positions: Vec<Value> = column
                    .answers
                    .iter()
                    .filter_map(|answer| Some(answer_json(self.task(answer)?, answer)))
                    .collect();
                json!({ "engine": column.name, "summary": summary, "positions": positions })
            })
            .collect();
        let defects: Vec<String> = self.suite.defects.iter().map(ToString::to_string).collect();
        json!({ "suite": self.suite.name, "defects": defects, "runs": columns })
    }
}

fn answer_json(task: &Task, answer: &Answer) -> Value {
    json!({
        "position": task.id,
        "line": task.line,
        "fen": task.position.fen(),
        "expected": task.expected(),
        "played": answer.best.map(|m| san(&task.position, m)),
        "score": answer.score.map(|score| score.to_string()),
        "solved": task.is_question().then_some(answer.solved),
        "points": (!task.points.is_empty()).then_some(answer.points),
        "settled": answer.settled,
        "total": answer.total,
        "failure": answer.failure.as_ref().map(ToString::to_string),
    })
}

fn played(task: &Task, answer: &Answer) -> String {
    match (&answer.failure, answer.best) {
        (Some(failure), _) => match &failure.kind {
            EngineErrorKind::IllegalMove { text, .. } => format!("(illegal: {text:?})"),
            EngineErrorKind::Died { .. } | EngineErrorKind::Panicked(_) => "(died)".to_owned(),
            EngineErrorKind::NotStarted(_) | EngineErrorKind::NoOption(_) => "(did not start)".to_owned(),
            EngineErrorKind::Silent { .. } => "(no answer)".to_owned(),
        },
        (None, Some(m)) if task.points.is_empty() => san(&task.position, m),
        (None, Some(m)) => format!("{} ({})", san(&task.position, m), answer.points),
        (None, None) => "(no legal move)".to_owned(),
    }
}

fn score(answer: &Answer) -> String {
    answer.score.map_or(String::new(), |score| match score.mate_in() {
        Some(moves) => format!("#{moves}"),
        None => format!("{:+.2}", f64::from(score.raw()) / 100.0),
    })
}

fn cost_cells(cost: SearchCost) -> [String; 3] {
    [cost.depth.to_string(), thousands(cost.nodes), whole(cost.time.as_secs_f64() * 1e3)]
}

fn plain_cells(cost: Option<SearchCost>) -> [String; 3] {
    cost.map_or_else(Default::default, |cost| {
        [cost.depth.to_string(), cost.nodes.to_string(), format!("{:.3}", cost.time.as_secs_f64() * 1e3)]
    })
}

fn solved(summary: &SuiteSummary) -> String {
    let (percent, error) = (100.0 * summary.solved_share, 100.0 * summary.standard_error);
    format!("{} of {} ({percent:.1} ± {error:.1} %)", summary.solved, summary.questions)
}

fn difference(first: i64, second: i64) -> String {
    format!("{:+}", second - first)
}

fn ratio(first: f64, second: f64) -> String {
    if first > 0.0 { format!("{:.1} %", 100.0 * second / first) } else { String::new() }
}

fn whole(number: f64) -> String {
    thousands(number.max(0.0).round() as u64)
}

fn tenths(number: f64) -> String {
    format!("{number:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn results() -> SuiteResults {
        let text = "7k/8/8/8/8/8/R7/1R5K w - - bm Rb7 Ra7; id \"ladder\";\n4k3/8/8/8/8/8/8/4K2R w K - am O-O; c0 \"a, b\";";
        let suite = Suite::parse("two.epd", text, false);
        let cost = |nodes| SearchCost { depth: 3, nodes, time: Duration::from_millis(5) };
        let answer = |task: usize, m: &str, solved, nodes| Answer {
            task,
            best: Some(suite.tasks[task].position.parse_move(m).unwrap()),
            solved,
            settled: Some(cost(nodes / 2)),
            total: cost(nodes),
            ..Answer::default()
        };
        let first = vec![answer(0, "b1b7", true, 1000), answer(1, "e1g1", false, 1000)];
        let second = vec![answer(0, "a2a3", false, 500), answer(1, "e1g1", false, 500)];
        let (made_by, every_option) = ("0.1".to_owned(), "Hash=16; Threads=1".to_owned());
        let column = |name: &str, answers| Column {
            name: name.to_owned(),
            made_by: made_by.clone(),
            every_option: every_option.clone(),
            answers,
        };
        SuiteResults { columns: vec![column("one", first), column("two", second)], suite }
    }

    #[test]
    fn two_columns_are_compared() {
        let text = results().overview().to_text();
        assert!(
            text.contains("1 of 2 (50.0 ± 35.4 %)") && text.contains("50.0 %") && text.contains("-1"),
            "{text}"
        );
    }

    #[test]
    fn unsolved_positions_show_what_was_expected_and_played() {
        let results = results();
        let table = results.played(&results.columns[0], false);
        assert_eq!(table.rows.len(), 1);
        assert_eq!(table.rows[0][..3], ["line 2", "not O-O", "O-O"].map(str::to_owned));
        assert_eq!(results.played(&results.columns[0], true).rows[0][2], "✓ Rb7");
    }

    #[test]
    fn differences_are_those_in_solving() {
        let table = results().differences().unwrap();
        assert_eq!(table.rows, [["ladder", "Rb7 Ra7", "✓ Rb7", "✗ Ra3"].map(str::to_owned)]);
    }

    #[test]
    fn files_have_every_position_of_every_column() {
        let table = results().positions("1s");
        assert_eq!(table.rows.len(), 4);
        assert!(table.rows.iter().all(|row| row.len() == POSITION_HEADER.len()));
        let with_options = table.rows.iter().filter(|row| row.last().is_some_and(|cell| !cell.is_empty()));
        assert_eq!(with_options.count(), results().columns.len(), "once for every engine");
        let json = results().to_json();
        assert_eq!(json["runs"][0]["positions"][1]["solved"], false);
        assert_eq!(json["runs"][1]["summary"]["nodes"], 1000);
    }
}
