//! Suites of an experiment, without unusable lines.

use super::{Interrupted, Laboratory};
use crate::epd::Task;
use crate::epd::library::{self, Source};
use crate::epd::suite::Suite;

impl Laboratory<'_> {
    /// A suite, thinned to `most` positions. A missing one is noted, and the experiment continues without it.
    pub(crate) fn suite(&self, name: &str, most: usize) -> Option<Suite> {
        Some(self.whole_suite(name)?.thinned(most).thinned(self.setup.size.positions))
    }

    /// All positions of a suite with verified answers.
    pub(crate) fn whole_suite(&self, name: &str) -> Option<Suite> {
        let Ok(source) = self.source(name) else {
            self.note(format!("The suite `{name}` was not found; name its folder with `--suites`."));
            return None;
        };
        let mut suite = Suite::parse(&source.name, &source.text, false);
        let bad: Vec<_> = suite.defects.iter().filter(|defect| defect.fatal).collect();
        bad.iter().for_each(|defect| self.complain(defect.to_string()));
        if !bad.is_empty() {
            self.note(format!("{} lines of the suite `{name}` cannot be used and are left out.", bad.len()));
        }
        let all = suite.tasks.len();
        suite.tasks.retain(|task| !is_unverified(task));
        if suite.tasks.len() < all {
            let guessed = all - suite.tasks.len();
            self.note(format!(
                "{guessed} positions of `{name}` are left out: their file says that the answer is unverified."
            ));
        }
        (!suite.tasks.is_empty()).then_some(suite)
    }

    /// A file of positions or openings; the user's folder comes first.
    pub(super) fn source(&self, name: &str) -> Result<Source, String> {
        library::read(name, self.setup.suites)
    }

    /// A suite or, if it is missing, `of_wac` positions of `wac`; and whether it is the suite asked for.
    pub(crate) fn suite_or_wac(
        &self,
        name: &str,
        most: usize,
        of_wac: usize,
    ) -> Result<(Suite, bool), Interrupted> {
        if let Some(suite) = self.suite(name, most) {
            return Ok((suite, true));
        }
        self.note("`wac` takes its place, so nothing published stands beside the numbers.".to_owned());
        self.suite("wac", of_wac)
            .map(|suite| (suite, false))
            .ok_or_else(|| "the suite wac is missing".to_owned().into())
    }
}

/// Whether the file marks the answer as unverified.
fn is_unverified(task: &Task) -> bool {
    task.operands("c0").is_some_and(|words| words.iter().any(|word| word.starts_with("UNVERIFIED")))
}

#[cfg(test)]
mod tests {
    use super::super::{Setup, Size, Watch};
    use super::*;
    use crate::options::Options;
    use crate::parallel::Shard;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn wrong_lines_are_named_and_unverified_answers_left_out() {
        let folder = std::env::temp_dir().join(format!("espalier-suites-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let line = |c0: &str| format!("4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8; c0 \"{c0}\";\n");
        let text = format!("{}no position\n{}", line("fine"), line("UNVERIFIED engine move"));
        std::fs::write(folder.join("some.epd"), text).unwrap();
        std::fs::write(folder.join("book.epd"), "no opening\n").unwrap();
        let (options, stop) = (Options::default(), AtomicBool::new(false));
        let size = Size { quick: true, positions: 0, jobs: 1, shard: Shard::WHOLE };
        let setup = Setup { options: &options, set: Vec::new(), size, suites: Some(&folder), out: None };
        let lab = Laboratory::new("some", setup, Watch { stop: &stop, progress: &|_| {} }).unwrap();
        assert_eq!(lab.suite("some", 0).map(|suite| suite.tasks.len()), Some(1));
        assert!(lab.suite("nowhere", 0).is_none() && lab.complaints().len() == 1);
        assert!(lab.complaints()[0].contains("some.epd:2:"), "{:?}", lab.complaints());
        assert!(lab.notes().iter().any(|note| note.contains("unverified")), "{:?}", lab.notes());
        assert!(lab.openings("book", 4).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
