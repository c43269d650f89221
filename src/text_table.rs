//! Tables of text, for people to read and to paste.

use std::fmt::Write;

/// A table: the first row names the columns.
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

    /// With columns one below the other; numbers are set to the right.
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

    /// The width of a column, and whether it holds numbers.
    fn shape(&self, column: usize) -> (usize, bool) {
        let cells = || self.rows.iter().filter_map(|row| row.get(column));
        let width = cells().chain(self.header.get(column)).map(|cell| cell.chars().count()).max();
        let is_number = |cell: &String| {
            cell.starts_with(|letter: char| "+-−.".contains(letter) || letter.is_ascii_digit())
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

    /// As comma-separated values for programs: an error has a column of its own after its value's, thousands are
    /// not separated, and what needs it is quoted.
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
                (plain(value), plain(error))
            }))
        });
        header + &rows.collect::<String>()
    }
}

/// What stands between a value and its error.
const ERROR: &str = " ± ";

/// A number without commas between thousands; anything else as it is.
fn plain(cell: &str) -> String {
    let number = cell.replace(',', "");
    let separated = number.parse().is_ok_and(|value| thousands(value) == cell);
    if separated { number } else { cell.to_owned() }
}

/// A text in lines of this width at the most, broken between words; a longer word has a line of its own.
pub fn fold(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
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

/// A number with commas between thousands.
pub fn thousands(number: u64) -> String {
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
        assert_eq!(table.to_csv(), format!("{head}\n+12.0,8.5,3,1,1200\n?,,,,\"1,2\"\n"));
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
