//! Measurements of an experiment so far, and notes about it.

use std::collections::BTreeMap;

use super::games;
use super::laboratory::in_words;
use super::notebook::Notebook;
use crate::lab::matches::standing::Standing;
use crate::provenance::Configuration;
use crate::text_table::Table;

/// Measurements, games, and the settings used.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// Measurements, also on disk if there is a folder for results.
    pub notebook: Notebook,
    /// Matches by name, finished or not.
    pub matches: Vec<(String, Standing)>,
    /// Every setting that was used, by its hash.
    pub used: BTreeMap<String, Configuration>,
}

impl Records {
    /// Tables of everything measured so far: searches, then games.
    pub(super) fn so_far(&self) -> Vec<Table> {
        let mut games = Table::new(&games::columns(&["match so far"]));
        for (name, standing) in &self.matches {
            games.push([name.clone()].into_iter().chain(games::cells(standing)));
        }
        let mut searches = self.notebook.so_far();
        rename(&mut searches, |cell| in_words(cell, &self.used));
        rename(&mut games, |name| self.without_hashes(name));
        let mut tables = vec![searches, games];
        tables.retain(|table| !table.rows.is_empty());
        tables
    }

    /// Replaces hashes of settings by their changes.
    fn without_hashes(&self, text: &str) -> String {
        let named =
            |text: String, (hash, setting): (&String, &Configuration)| text.replace(hash, &setting.changes());
        self.used.iter().fold(text.to_owned(), named)
    }
}

/// Renames the first cells of all rows.
fn rename(table: &mut Table, name: impl Fn(&str) -> String) {
    table.rows.iter_mut().filter_map(|row| row.first_mut()).for_each(|cell| *cell = name(cell));
}

/// Notes and problems, each once.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    /// Notes for the reader of the results.
    pub notes: Vec<String>,
    /// Problems in the user's files.
    pub complaints: Vec<String>,
}

/// Adds a text unless it is there already.
pub(super) fn say_once(said: &mut Vec<String>, text: String) {
    if !said.contains(&text) {
        said.push(text);
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::cell_name;
    use super::*;
    use crate::epd::suite::Suite;
    use crate::limits::Limits;
    use crate::options::Options;

    #[test]
    fn what_was_measured_is_told_without_hashes() {
        let mut options = Options::default();
        options.set("Preset", "Turk").unwrap();
        let turk = Configuration::of(&options);
        let cell = cell_name(&Suite::load("bk", false).unwrap(), &options, &Limits::depth(7));
        let mut records = Records { used: BTreeMap::from([(turk.hash.clone(), turk)]), ..Records::default() };
        records.notebook.add(&cell, 0, &serde_json::json!({})).unwrap();
        assert_eq!(records.so_far()[0].rows[0][0], "bk 7 plies, Preset Turk");
    }
}
