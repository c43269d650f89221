//! Tables as aligned text, Markdown, CSV and JSON.

use std::fmt::Write;

use serde_json::{Map, Value, json};

/// A table with named columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The names of the columns.
    pub header: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(header: &[&str]) -> Self {
        Self { header: header.iter().map(|name| (*name).to_owned()).collect(), rows: Vec::new() }
    }

    pub fn push(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(row.into_iter().collect());
    }

    /// Aligned text, with numbers right-aligned.
    pub fn to_text(&self) -> String {
        let columns: Vec<(usize, bool)> = (0..self.header.len()).map(|column| self.shape(column)).collect();
        let mut text = String::new();
        for row in std::iter::once(&self.header).chain(&self.rows) {
            let mut line = String::new();
            for (cell, (width, right)) in row.iter().zip(&columns) {
                let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
                let cell = if *right { format!("{blanks}{cell}") } else { format!("{cell}{blanks}") };
                let _ = write!(line, "{cell}  ");
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }

    /// Aligned text of at most this width: column names and then the widest text columns are folded between words. Numbers
    /// and single words are never broken. Columns that still do not fit follow in a second table that begins with the first
    /// column.
    pub fn to_text_within(&self, width: usize) -> String {
        let natural: Vec<(usize, bool)> = (0..self.header.len()).map(|column| self.shape(column)).collect();
        let gaps = GAP * natural.len().saturating_sub(1);
        if natural.iter().map(|(width, _)| width).sum::<usize>() + gaps <= width {
            return self.to_text();
        }
        if let Some((left, right)) = self.split_to_fit(width) {
            return format!("{}\n{}", left.to_text_within(width), right.to_text_within(width));
        }
        let mut columns: Vec<(usize, bool)> = natural
            .iter()
            .enumerate()
            .map(|(column, &(_, right))| {
                (self.widest_cell(column).max(longest_word(&self.header[column])), right)
            })
            .collect();
        let least: Vec<usize> = (0..columns.len()).map(|column| self.widest_word(column)).collect();
        while columns.iter().map(|(width, _)| width).sum::<usize>() + gaps > width {
            let foldable =
                (0..columns.len()).filter(|&column| !columns[column].1 && columns[column].0 > least[column]);
            let Some(widest) = foldable.max_by_key(|&column| columns[column].0) else { break };
            columns[widest].0 -= 1;
        }
        let rows = std::iter::once(&self.header).chain(&self.rows);
        rows.flat_map(|row| folded_row(row, &columns)).collect()
    }

    /// Like [`Self::to_text_within`], but if the last column would be narrower than `least`, its cells follow below their
    /// rows.
    pub fn to_text_or_last_below(&self, width: usize, least: usize) -> String {
        const INDENT: usize = 6;
        let Some(last) = self.header.len().checked_sub(1) else { return String::new() };
        let without_last = |row: &Vec<String>| row.iter().take(last).cloned().collect();
        let beside =
            Self { header: without_last(&self.header), rows: self.rows.iter().map(without_last).collect() };
        let used: usize = (0..last).map(|column| beside.shape(column).0 + GAP).sum();
        if width.saturating_sub(used) >= least || used > width + GAP {
            return self.to_text_within(width);
        }
        let indent = " ".repeat(INDENT);
        let mut text = String::new();
        for (line, row) in beside.to_text().lines().zip(std::iter::once(&self.header).chain(&self.rows)) {
            let _ = writeln!(text, "{line}");
            for part in fold(row.get(last).map_or("", String::as_str), width.saturating_sub(INDENT)) {
                let _ = writeln!(text, "{indent}{part}");
            }
        }
        text
    }

    /// Splits a table that is too wide into the columns that fit and the rest, both with the first column.
    fn split_to_fit(&self, width: usize) -> Option<(Self, Self)> {
        let mut ends = (0..self.header.len()).scan(0, |end, column| {
            *end += self.narrowest(column) + if column == 0 { 0 } else { GAP };
            Some(*end)
        });
        let too_wide = ends.position(|end| end > width)?;
        // Keep at least one column besides the first, or splitting would never end.
        let cut = too_wide.max(2);
        let pick = |columns: &dyn Fn(usize) -> bool| {
            let of = |row: &Vec<String>| {
                let cells = row.iter().enumerate().filter(|(column, _)| columns(*column));
                cells.map(|(_, cell)| cell.clone()).collect()
            };
            Self { header: of(&self.header), rows: self.rows.iter().map(of).collect() }
        };
        (cut < self.header.len())
            .then(|| (pick(&|column| column < cut), pick(&|column| column == 0 || column >= cut)))
    }

    fn cells(&self, column: usize) -> impl Iterator<Item = &String> {
        self.rows.iter().filter_map(move |row| row.get(column))
    }

    fn widest_cell(&self, column: usize) -> usize {
        self.cells(column).map(|cell| cell.chars().count()).max().unwrap_or(0)
    }

    /// The width of the longest word of a column or its name.
    fn widest_word(&self, column: usize) -> usize {
        let words = self.cells(column).chain(self.header.get(column)).map(|cell| longest_word(cell));
        words.max().unwrap_or(0)
    }

    /// The least width of a column; numbers are not folded.
    fn narrowest(&self, column: usize) -> usize {
        let is_number = self.shape(column).1;
        self.widest_word(column).max(if is_number { self.widest_cell(column) } else { 0 })
    }

    /// The width of a column, and whether it holds numbers.
    fn shape(&self, column: usize) -> (usize, bool) {
        let cells = || self.rows.iter().filter_map(|row| row.get(column));
        let width = cells().chain(self.header.get(column)).map(|cell| cell.chars().count()).max();
        let is_number = |cell: &String| {
            cell.starts_with(|letter: char| "+-−.≤≥".contains(letter) || letter.is_ascii_digit())
        };
        let filled = || cells().filter(|cell| !cell.is_empty());
        (width.unwrap_or(0), filled().next().is_some() && filled().all(is_number))
    }

    pub fn to_markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = |column| if self.shape(column).1 { "---:" } else { "---" }.to_owned();
        let rules: Vec<String> = (0..self.header.len()).map(rule).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("{}{}{rows}", line(&self.header), line(&rules))
    }

    /// Comma-separated values. Errors get a column after their values', numbers have no thousands separators, and unknown
    /// values are empty.
    pub fn to_csv(&self) -> String {
        let quoted = |cell: &str| {
            let needed = cell.contains([',', '"', '\n', '\r']);
            if needed { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
        };
        let has_error = |column| {
            self.rows.iter().filter_map(|row| row.get(column)).any(|cell: &String| cell.contains(ERROR))
        };
        let has_error: Vec<bool> = (0..self.header.len()).map(has_error).collect();
        let line = |cells: &mut dyn Iterator<Item = (String, String)>| {
            let cells = cells.zip(&has_error).flat_map(|((value, error), has_error)| {
                [Some(quoted(&value)), has_error.then(|| quoted(&error))].into_iter().flatten()
            });
            cells.collect::<Vec<_>>().join(",") + "\n"
        };
        let header = line(&mut self.header.iter().map(|name| {
            let (value, error) = name.split_once(ERROR).unwrap_or((name, ""));
            (value.to_owned(), format!("{value} ± {error}").trim_end().to_owned())
        }));
        let rows = self.rows.iter().map(|row| {
            line(&mut row.iter().map(|cell| {
                let (value, error) = cell.split_once(ERROR).unwrap_or((cell, ""));
                (known(value), known(error))
            }))
        });
        header + &rows.collect::<String>()
    }

    /// A list of objects, one per row, keyed by column name. Errors get a key after their values', and empty cells are null.
    pub fn to_json(&self) -> Value {
        let object = |row: &Vec<String>| {
            let mut object = Map::new();
            for (name, cell) in self.header.iter().zip(row) {
                let name = name.split_once(ERROR).map_or(name.as_str(), |(value, _)| value);
                let (value, error) = cell.split_once(ERROR).unwrap_or((cell, ""));
                object.insert(name.to_owned(), number_or_text(value));
                if !error.is_empty() {
                    object.insert(format!("{name} ±"), number_or_text(error));
                }
            }
            Value::Object(object)
        };
        self.rows.iter().map(object).collect()
    }
}

fn longest_word(text: &str) -> usize {
    text.split_ascii_whitespace().map(|word| word.chars().count()).max().unwrap_or(0)
}

/// Folds a row to columns of these widths, with numbers right-aligned.
fn folded_row(row: &[String], columns: &[(usize, bool)]) -> Vec<String> {
    let cells: Vec<Vec<String>> =
        row.iter().zip(columns).map(|(cell, (width, _))| fold(cell, *width)).collect();
    let lines = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let line = |number: usize| {
        let mut line = String::new();
        for (cell, (width, right)) in cells.iter().zip(columns) {
            let part = cell.get(number).map_or("", String::as_str);
            let blanks = " ".repeat(width.saturating_sub(part.chars().count()));
            let _ = if *right { write!(line, "{blanks}{part}  ") } else { write!(line, "{part}{blanks}  ") };
        }
        line.trim_end().to_owned() + "\n"
    };
    (0..lines).map(line).collect()
}

/// Blanks between columns.
const GAP: usize = 2;

/// Separates a value from its error.
const ERROR: &str = " ± ";

/// An unknown number.
const UNKNOWN: &str = "?";

/// Removes thousands separators from a number.
fn plain(cell: &str) -> String {
    let number = cell.replace(',', "");
    let separated = number.parse().is_ok_and(|value| thousands(value) == cell);
    if separated { number } else { cell.to_owned() }
}

/// Like [`plain`], but empty for an unknown number.
fn known(cell: &str) -> String {
    if cell == UNKNOWN { String::new() } else { plain(cell) }
}

/// A cell as JSON: null if empty or unknown, else a number or a text.
fn number_or_text(cell: &str) -> Value {
    let cell = plain(cell);
    match (cell.as_str(), cell.parse::<i64>(), cell.parse::<f64>()) {
        ("" | UNKNOWN, ..) => Value::Null,
        (_, Ok(whole), _) => json!(whole),
        (_, _, Ok(number)) if number.is_finite() => json!(number),
        _ => json!(cell),
    }
}

/// Width of the terminal on standard output, if it is one.
pub(crate) fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0))
}

/// Folds a text between words to lines of at most this width; a longer word gets its own line.
pub(crate) fn fold(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    // Only ASCII white space separates words, so a no-break space does not.
    for word in text.split_ascii_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A number with thousands separators.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&["id", "nodes", "note"]);
        table.push(["a|b".to_owned(), "9".to_owned(), "x, \"y\"".to_owned()]);
        table.push(["longer".to_owned(), "1,000".to_owned(), String::new()]);
        table
    }

    #[test]
    fn numbers_are_set_to_the_right() {
        assert_eq!(table().to_text(), "id      nodes  note\na|b         9  x, \"y\"\nlonger  1,000\n");
    }

    #[test]
    fn narrow_terminals_fold_names_of_columns_and_then_text() {
        let mut table = Table::new(&["id", "published nodes", "what it shows"]);
        table.push(["a", "1,000", "how likely a late move becomes the best one"].map(str::to_owned));
        assert_eq!(table.to_text_within(200), table.to_text());
        let narrow = table.to_text_within(38);
        let expected = "id  published  what it shows\n        nodes\na       1,000  how likely a late move\n               \
                        becomes the best one\n";
        assert_eq!(narrow, expected);
        // Where nothing can be folded any more, no word is broken.
        assert!(table.to_text_within(5).contains("published") && table.to_text_within(5).contains("becomes"));
    }

    #[test]
    fn a_last_column_without_room_stands_below() {
        let mut table = Table::new(&["node", "nodes", "why"]);
        table.push(["e4", "12", "refuted by Nf6"].map(str::to_owned));
        assert_eq!(table.to_text_or_last_below(80, 14), table.to_text());
        assert_eq!(
            table.to_text_or_last_below(20, 14),
            "node  nodes\n      why\ne4       12\n      refuted by Nf6\n"
        );
        // Where not even the other columns fit, the table is divided.
        assert_eq!(table.to_text_or_last_below(8, 14), table.to_text_within(8));
    }

    #[test]
    fn columns_that_do_not_fit_follow_in_a_second_table() {
        let mut table = Table::new(&["id", "expected", "played", "nodes", "why"]);
        table.push(["WAC.001", "Qg6", "Kh1", "300", "all moves searched"].map(str::to_owned));
        let text = table.to_text_within(26);
        let expected = "id       expected  played\nWAC.001  Qg6       Kh1\n\n\
                        id       nodes  why\nWAC.001    300  all moves\n                searched\n";
        assert_eq!(text, expected);
        // A number is not folded, whatever stands behind it.
        let mut table = Table::new(&["suite", "Espalier", "NullMove=false"]);
        table.push(["solved", "1 of 4 (25.0 ± 21.7 %)", "2 of 4 (50.0 ± 25.0 %)"].map(str::to_owned));
        assert_eq!(
            table.to_text_within(40),
            "suite                 Espalier\nsolved  1 of 4 (25.0 ± 21.7 %)\n\n\
             suite           NullMove=false\nsolved  2 of 4 (50.0 ± 25.0 %)\n"
        );
    }

    #[test]
    fn markdown_and_values_escape_what_they_must() {
        assert_eq!(
            table().to_markdown(),
            "| id | nodes | note |\n| --- | ---: | --- |\n| a\\|b | 9 | x, \"y\" |\n| longer | 1,000 |  |\n"
        );
        assert_eq!(table().to_csv(), "id,nodes,note\na|b,9,\"x, \"\"y\"\"\"\nlonger,1000,\n");
    }

    #[test]
    fn values_for_programs_keep_errors_apart() {
        let mut table = Table::new(&["Elo", "mean ± SE", "games"]);
        table.push(["+12.0 ± 8.5", "3 ± 1", "1,200"].map(str::to_owned));
        table.push(["?", "", "1,2"].map(str::to_owned));
        let head = "Elo,Elo ±,mean,mean ± SE,games";
        assert_eq!(table.to_csv(), format!("{head}\n+12.0,8.5,3,1,1200\n,,,,\"1,2\"\n"));
    }

    #[test]
    fn json_has_numbers_as_numbers() {
        let mut table = Table::new(&["name", "mean ± SE", "games"]);
        table.push(["a", "+3.5 ± 1", "1,200"].map(str::to_owned));
        table.push(["7 of 9", "?", ""].map(str::to_owned));
        let expected = json!([
            { "name": "a", "mean": 3.5, "mean ±": 1, "games": 1200 },
            { "name": "7 of 9", "mean": null, "games": null },
        ]);
        assert_eq!(table.to_json(), expected);
    }

    #[test]
    fn lines_are_folded_between_words() {
        assert_eq!(fold("one two  three fourteen", 8), ["one two", "three", "fourteen"]);
        assert_eq!(fold("", 8), Vec::<String>::new());
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }
}
