//! What an experiment has measured so far, and what its reader should know.

use std::collections::BTreeMap;

use super::games;
use super::notebook::Notebook;
use crate::lab::matches::standing::Standing;
use crate::provenance::Configuration;
use crate::text_table::Table;

/// Measurements, games, and the settings they were made with.
#[derive(Debug, Default)]
pub struct Records {
    /// Measurements, on disk too if the results are kept.
    pub notebook: Notebook,
    /// Matches by name, finished or not.
    pub matches: Vec<(String, Standing)>,
    /// Every setting that was used, by its hash.
    pub used: BTreeMap<String, Configuration>,
}

impl Records {
    /// What was measured, finished or not: searches, then games.
    pub fn so_far(&self) -> Vec<Table> {
        let mut games = Table::new(&games::columns(&["match so far"]));
        for (name, standing) in &self.matches {
            games.push([name.clone()].into_iter().chain(games::cells(standing)));
        }
        let mut tables = vec![self.notebook.so_far(), games];
        tables.retain(|table| !table.rows.is_empty());
        for cell in tables.iter_mut().flat_map(|table| &mut table.rows).filter_map(|row| row.first_mut()) {
            *cell = self.in_words(cell);
        }
        tables
    }

    /// A text in which hashes of settings are replaced by what these settings are.
    fn in_words(&self, text: &str) -> String {
        let named =
            |text: String, (hash, setting): (&String, &Configuration)| text.replace(hash, &setting.changes());
        self.used.iter().fold(text.to_owned(), named)
    }
}

/// What is said about an experiment, each thing once.
#[derive(Debug, Default)]
pub struct Remarks {
    /// What the reader of the result should know.
    pub notes: Vec<String>,
    /// What is wrong in the user's files.
    pub complaints: Vec<String>,
}

/// Adds a text unless it was said before.
pub fn say_once(said: &mut Vec<String>, text: String) {
    if !said.contains(&text) {
        said.push(text);
    }
}
