//! Test suites: files of positions, found by path or name.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use super::line::with_line_feeds;
use super::{Task, library};
use crate::board::san::san;

/// The positions of a file, and its defects.
#[derive(Clone, Debug, Default)]
pub struct Suite {
    /// The name of the file without its extension.
    pub name: String,
    /// The usable positions, in the order of the file.
    pub tasks: Vec<Task>,
    /// Unusable lines and notes.
    pub defects: Vec<Defect>,
}

/// An error or a note about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The file, as named by the user.
    pub file: String,
    /// The line, from 1; 0 for the whole file.
    pub line: usize,
    /// The defect in words.
    pub what: String,
    /// Whether the line is unusable; otherwise it is a note.
    pub fatal: bool,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if self.line > 0 {
            write!(f, "{}:", self.line)?;
        }
        if !self.fatal {
            write!(f, " note:")?;
        }
        write!(f, " {}", self.what)
    }
}

impl Suite {
    /// Reads a suite by path or name: see [`library::read`].
    pub fn load(what: &str, chess960: bool) -> Result<Self, String> {
        Self::load_from(what, None, chess960)
    }

    /// Reads a suite; names are looked up in `folder` first.
    pub fn load_from(what: &str, folder: Option<&Path>, chess960: bool) -> Result<Self, String> {
        let source = library::read(what, folder)?;
        Ok(Self::parse(&source.name, &source.text, chess960))
    }

    /// Reads the text of a file.
    pub fn parse(file: &str, text: &str, chess960: bool) -> Self {
        let name =
            Path::new(file).file_stem().map_or(file.into(), |stem| stem.to_string_lossy().into_owned());
        let mut suite = Self { name, ..Self::default() };
        for (number, line) in (1..).zip(with_line_feeds(text).lines()) {
            match Task::parse(line, number, chess960) {
                Ok(task) => suite.tasks.extend(task),
                Err(error) => suite.defects.push(defect(file, number, error.to_string(), true)),
            }
        }
        suite.note_oddities(file);
        if suite.tasks.is_empty() {
            suite.defects.push(defect(file, 0, "no usable position".to_owned(), true));
        }
        suite.defects.sort_by_key(|defect| defect.line);
        suite
    }

    /// Notes impossible castling rights, moves with points twice, and positions that occur twice.
    fn note_oddities(&mut self, file: &str) {
        let mut seen = HashMap::new();
        for task in &self.tasks {
            let mut note = |what| self.defects.push(defect(file, task.line, what, false));
            if let Some(field) = &task.impossible_castling {
                note(format!("castling field {field:?} allows more than king and rooks do"));
            }
            if let Some(m) = task.scored_twice() {
                note(format!("{} has points twice; the first count", san(&task.position, m)));
            }
            if task.is_question()
                && let Some(line) = seen.insert(task.position.key(), task.line)
            {
                note(format!("the same position as in line {line}"));
            }
        }
    }

    /// The number of positions with a solution.
    pub fn questions(&self) -> usize {
        self.tasks.iter().filter(|task| task.is_question()).count()
    }

    /// The suite thinned to at most this many positions, evenly spaced.
    pub fn thinned(mut self, most: usize) -> Self {
        let count = self.tasks.len();
        if most > 0 && count > most {
            let keep: Vec<usize> = (0..most).map(|index| index * count / most).collect();
            let mut index = 0..;
            self.tasks.retain(|_| index.next().is_some_and(|index| keep.binary_search(&index).is_ok()));
        }
        self
    }
}

fn defect(file: &str, line: usize, what: String, fatal: bool) -> Defect {
    Defect { file: file.to_owned(), line, what, fatal }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_damaged(suite: &Suite) -> bool {
        suite.defects.iter().any(|defect| defect.fatal)
    }

    const GOOD: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm O-O; id \"a\";";

    #[test]
    fn lines_may_end_with_carriage_returns_alone() {
        let suite = Suite::parse("old.epd", &format!("{GOOD}\r{GOOD}\rnonsense\r"), false);
        assert_eq!((suite.tasks.len(), suite.tasks[1].line), (2, 2));
        assert!(suite.defects.iter().any(|defect| defect.fatal && defect.line == 3));
    }

    #[test]
    fn bad_lines_are_named_and_the_rest_is_used() {
        let text = format!("# a comment\r\n{GOOD}\r\nnonsense\r\n\r\n{GOOD}\r\n{} bm Qa4;", &GOOD[..32]);
        let suite = Suite::parse("dir/some.epd", &text, false);
        assert_eq!((suite.name.as_str(), suite.tasks.len(), is_damaged(&suite)), ("some", 2, true));
        let said: Vec<String> = suite.defects.iter().map(Defect::to_string).collect();
        assert!(said[0].starts_with("dir/some.epd:3: not EPD"), "{said:?}");
        assert_eq!(said[1], "dir/some.epd:5: note: the same position as in line 2");
        assert!(said[2].starts_with("dir/some.epd:6: bm: \"Qa4\""), "{said:?}");
    }

    #[test]
    fn a_move_with_points_twice_is_noticed() {
        let line = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - c0 \"O-O=3, e1g1=4\"";
        let suite = Suite::parse("twice.epd", line, false);
        assert_eq!(suite.defects[0].to_string(), "twice.epd:1: note: O-O has points twice; the first count");
        assert!(!is_damaged(&suite));
    }

    #[test]
    fn an_empty_file_is_damaged() {
        let suite = Suite::parse("empty.epd", "# nothing\n", false);
        assert_eq!(suite.defects[0].to_string(), "empty.epd: no usable position");
        assert!(is_damaged(&suite));
    }

    #[test]
    fn suites_are_found_by_name_and_path_and_the_others_are_listed() {
        let by_name = Suite::load("bk", false).unwrap();
        let by_path = Suite::load("epd/bk.epd", false).unwrap();
        assert_eq!((by_name.tasks.len(), by_path.tasks.len()), (24, 24));
        let error = Suite::load("bq", false).unwrap_err();
        assert!(error.starts_with("bq: ") && error.contains("bk, ") && error.contains("wac"), "{error}");
        assert!(Suite::load("", false).is_err() && Suite::load("epd", false).is_err());
    }

    #[test]
    fn every_question_that_comes_with_the_sources_can_be_read() {
        for (name, count) in [("wac", 300), ("bk", 24), ("mates", 914)] {
            let suite = Suite::load(name, false).unwrap();
            assert_eq!(
                (suite.questions(), suite.tasks.len(), is_damaged(&suite)),
                (count, count, false),
                "{name}"
            );
        }
        assert_eq!(Suite::load("openings", false).unwrap().questions(), 0);
    }

    #[test]
    fn a_thinned_suite_is_spread_over_the_whole() {
        let lines = |suite: Suite| suite.tasks.iter().map(|task| task.line).collect::<Vec<_>>();
        let suite = Suite::load("bk", false).unwrap();
        assert_eq!(lines(suite.clone().thinned(4)), [1, 7, 13, 19]);
        assert_eq!(lines(suite.clone().thinned(100)).len(), 24);
        assert_eq!(lines(suite.thinned(0)).len(), 24);
    }
}
