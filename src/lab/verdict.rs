//! Compares the published numbers of a table with ours.
//!
//! A column `published X` comes before ours. The error of ours is in its own cell (`99.8 ± 0.5`), in that of a number of
//! solved positions after it (`97 of 100 ± 1.7`), or in the Elo of a match.

use crate::statistics::{Z_TWO_SIDED_95, elo_of_score};
use crate::text_table::Table;

/// More comparisons than these are counted, not listed.
const MOST_LISTED: usize = 8;

/// A published number beside ours.
#[derive(Clone, Debug, PartialEq)]
struct Comparison {
    /// The row, and the column if there are several.
    what: String,
    published: String,
    ours: String,
    agrees: bool,
}

impl Comparison {
    fn sentence(&self) -> String {
        let verdict = if self.agrees { "reproduced" } else { "not reproduced" };
        let what = if self.what.is_empty() { String::new() } else { format!("{}: ", self.what) };
        format!("{what}published {}, ours {}: {verdict}", self.published, self.ours)
    }
}

/// One sentence for each published number that can be compared, or their count if there are too many. A number is
/// reproduced if it lies in the 95 % interval of ours.
pub(crate) fn verdicts(table: &Table) -> Vec<String> {
    let columns: Vec<usize> = (0..table.header.len()).filter(|&column| is_published(table, column)).collect();
    let several = columns.len() > 1;
    let compared = |row: &Vec<String>| -> Vec<Comparison> {
        columns.iter().filter_map(|&column| compare(table, row, column, several)).collect()
    };
    let found: Vec<Comparison> = table.rows.iter().flat_map(compared).collect();
    if found.len() <= MOST_LISTED {
        return found.iter().map(Comparison::sentence).collect();
    }
    let agreeing = found.iter().filter(|comparison| comparison.agrees).count();
    let are = if agreeing == 1 { "is" } else { "are" };
    let mut lines = vec![format!("{agreeing} of {} published values {are} reproduced", found.len())];
    lines.extend(found.iter().find(|comparison| comparison.agrees).map(Comparison::sentence));
    lines.extend(found.iter().find(|comparison| !comparison.agrees).map(Comparison::sentence));
    lines
}

fn is_published(table: &Table, column: usize) -> bool {
    table.header[column].starts_with("published")
}

/// Compares the published number of a row with ours, if both are there and our error is known.
fn compare(table: &Table, row: &[String], column: usize, several: bool) -> Option<Comparison> {
    let number: f64 = row.get(column)?.parse().ok()?;
    let after = (column + 1..table.header.len()).take_while(|&other| !is_published(table, other));
    let after: Vec<usize> = after.collect();
    let name = &table.header[column];
    let percent = name.contains('%');
    let unit = if percent { " %" } else { "" };
    let first = *after.first()?;
    let elo = after.iter().find(|&&other| table.header[other].starts_with("Elo"));
    let (published, ours, agrees) = if let Some((value, error)) = with_error(row.get(first)?) {
        let ours = format!("{value} ± {error}{unit}");
        (format!("{number}{unit}"), ours, within(number, value, Z_TWO_SIDED_95 * error))
    } else if let (true, Some(&elo)) = (percent, elo) {
        let (value, error) = with_error(row.get(elo)?)?;
        let published = elo_of_score(number / 100.0);
        let shown = format!("{number} % (Elo {published:+.0})");
        (shown, format!("Elo {value:+} ± {error}"), within(published, value, error))
    } else {
        let value: f64 = row.get(first)?.parse().ok()?;
        let relative = after.iter().find_map(|&other| relative_error(row.get(other)?))?;
        let error = value * relative;
        let ours = format!("{value} ± {error:.1}{unit}");
        (format!("{number}{unit}"), ours, within(number, value, Z_TWO_SIDED_95 * error))
    };
    let rows = table.header.iter().zip(row).take_while(|(name, _)| !name.starts_with("published"));
    let rows = rows.filter(|(_, cell)| !cell.is_empty()).map(|(name, cell)| format!("{name} {cell}"));
    let about = several.then(|| name.trim_start_matches("published").trim().to_owned());
    let what: Vec<String> = rows.chain(about.filter(|about| !about.is_empty())).collect();
    Some(Comparison { what: what.join(", "), published, ours, agrees })
}

fn within(published: f64, ours: f64, error: f64) -> bool {
    (published - ours).abs() <= error
}

/// `99.8 ± 0.5`.
fn with_error(cell: &str) -> Option<(f64, f64)> {
    let (value, error) = cell.split_once(" ± ")?;
    Some((value.parse().ok()?, error.parse().ok()?))
}

/// The relative error of `97 of 100 ± 1.7`.
fn relative_error(cell: &str) -> Option<f64> {
    let (counted, error) = cell.split_once(" ± ")?;
    let (solved, _) = counted.split_once(" of ")?;
    let (solved, error): (f64, f64) = (solved.parse().ok()?, error.parse().ok()?);
    (solved > 0.0).then(|| error / solved)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(header: &[&str], rows: &[&[&str]]) -> Table {
        let mut table = Table::new(header);
        rows.iter().for_each(|row| table.push(row.iter().map(|cell| (*cell).to_owned())));
        table
    }

    #[test]
    fn a_number_outside_our_interval_is_not_reproduced() {
        let found = table(
            &["moves %", "published average % (8 ply)", "average % ± SE", "nodes"],
            &[
                &["10", "92.9", "99.8 ± 0.5", "1"],
                &["30", "80.5", "79.9 ± 0.5", "1"],
                &["50", "", "60.0 ± 1.0", "1"],
            ],
        );
        assert_eq!(
            verdicts(&found),
            [
                "moves % 10: published 92.9 %, ours 99.8 ± 0.5 %: not reproduced",
                "moves % 30: published 80.5 %, ours 79.9 ± 0.5 %: reproduced",
            ]
        );
    }

    #[test]
    fn matches_are_compared_by_their_elo() {
        let found = table(
            &["published %", "games", "score", "%", "Elo (95 %)", "l_95"],
            &[
                &["54.5", "80", "+1 =1 -1", "52.0", "+14.0 ± 30.0", "?"],
                &["90.0", "80", "", "52.0", "+14.0 ± 30.0", ""],
            ],
        );
        let said = verdicts(&found);
        assert_eq!(said[0], "published 54.5 % (Elo +31), ours Elo +14 ± 30: reproduced");
        assert!(said[1].ends_with("not reproduced"), "{said:?}");
    }

    #[test]
    fn solved_positions_lend_their_error() {
        let found = table(
            &[
                "R",
                "published nodes %",
                "nodes %",
                "average % ± SE",
                "published solved %",
                "solved %",
                "solved",
            ],
            &[&["2", "81.7", "75.0", "74.0 ± 1.0", "99.1", "95.0", "95 of 100 ± 2.2"]],
        );
        // Nodes of all positions together have no error of their own.
        assert_eq!(verdicts(&found), ["R 2, solved %: published 99.1 %, ours 95 ± 2.2 %: reproduced"]);
    }

    #[test]
    fn many_are_counted_and_none_is_no_verdict() {
        let row: &[&str] = &["81.7", "75.0 ± 1.0"];
        let found = table(&["published %", "ours"], &[row; 9]);
        let said = verdicts(&found);
        assert_eq!((said[0].as_str(), said.len()), ("0 of 9 published values are reproduced", 2));
        let mut one: [&[&str]; 9] = [row; 9];
        one[0] = &["75.5", "75.0 ± 1.0"];
        assert_eq!(
            verdicts(&table(&["published %", "ours"], &one))[0],
            "1 of 9 published values is reproduced"
        );
        assert!(verdicts(&table(&["a"], &[&["1"]])).is_empty());
        assert!(verdicts(&table(&["published", "ours"], &[&["45–50", "47.0"]])).is_empty());
    }
}
