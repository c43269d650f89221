//! The table of all options.
//!
//! The UCI handshake, `setoption`, `--set NAME=VALUE`, `docs/OPTIONS.md` and the tests all use these rows. Defaults are
//! only in the declarations of the settings.

use super::opponent::rating_of_opponent;
use super::presets::Preset;
use super::row::{Choice, Declared, Effect, Holds, Kind, OptionValue, Row, SetError, Slot, settings};
use super::{presets, settings_file};
use crate::eval::EvaluationKind;
use crate::search::{self, Asked, LearnedFiles, Rules, ordering, syzygy};
use crate::selective;

/// The least contempt in centipawns, with which draws are wanted most.
const LEAST_CONTEMPT: i32 = -300;

settings! {
    /// Everything a person can set.
    pub struct Options {
        /// Size of the hash table in MiB.
        hash: "Hash" = 16 in 1..=1_048_576 step 16 then NewTable;
        /// Clears the hash table and everything else remembered from earlier searches.
        clear_hash: "Clear Hash" = button then Forget;
        /// Number of search threads.
        threads: "Threads" = 1 in 1..=512 step 1 then NewThreads;
        /// The client lets the engine think on the opponent's time, so a move may take a little longer.
        ponder: "Ponder" = false;
        /// Number of best lines to search and show.
        multi_pv: "MultiPV" = 1 in 1..=256 step 1;
        /// Milliseconds reserved on each move for delays between engine and clock.
        move_overhead: "Move Overhead" = 10 in 0..=10_000 step 10;
        /// Chess960: castling is written as the king taking its own rook.
        chess960: "UCI_Chess960" = false;
        /// Shows with every score the expected wins, draws and losses in a thousand games.
        show_wdl: "UCI_ShowWDL" = false;
        /// The client analyses: UCI_LimitStrength, OwnBook and Contempt are ignored.
        analyse_mode: "UCI_AnalyseMode" = false;
        /// Plays at the strength of UCI_Elo instead of as well as possible.
        limit_strength: "UCI_LimitStrength" = false;
        /// The approximate strength to play at with UCI_LimitStrength.
        elo: "UCI_Elo" = 1800 in 1000..=2600 step 50;
        /// Centipawns by which the engine values a draw below an even position; above it, if negative. Ignored
        /// in analysis, and at a limited strength against an opponent rated as high (UCI_Opponent).
        contempt: "Contempt" = 0 in LEAST_CONTEMPT..=300 step 10 then ValueDraws;
        /// The opponent, as the GUI names it: title, rating, human or computer, name.
        opponent: "UCI_Opponent" = "";
        /// Plays moves from BookFile, without a search, while it knows the position.
        own_book: "OwnBook" = false;
        /// The opening book of OwnBook, in the Polyglot format (.bin).
        book_file: "BookFile" = "" then OpenBook;
        /// Appends everything the engine reads and writes to this file.
        log_file: "Debug Log File" = "" then OpenLog;
        /// Loads options from this file, one NAME=VALUE a line; `espalier learn weights` and `espalier learn spsa`
        /// write such files.
        settings_file: "SettingsFile" = "" then LoadSettings;
        /// Records the tree of every search (its last iteration, first thread) in this file, for espalier tree;
        /// slower, and the move is sent after the file is written.
        tree_file: "TreeFile" = "" then RecordTrees;
        /// How positions are evaluated: by a network, or by hand-written terms with tuned weights, as presets
        /// of published programs do.
        evaluation: "Evaluation" = Network of EvaluationKind then ReadNetwork;
        /// The network, as `espalier learn network` writes it; empty for the built-in one.
        eval_file: "EvalFile" = "" then ReadNetwork;
        /// Weights of the classical evaluation, as `espalier learn evaluation` writes them; empty for the built-in
        /// ones.
        evaluation_file: "EvaluationFile" = "" then ReadWeights;
        /// Combines a few features of the evaluation as this file says, instead of the usual sum;
        /// `espalier lab bayes` writes such files. Slower; ignored by the network.
        combination_file: "CombinationFile" = "" then ReadCombination;
        with {
            /// Endgame tables.
            syzygy: syzygy::Settings;
            /// The system to be.
            preset: Preset;
            /// How to search.
            search: search::Settings;
            /// What histories learn from and how they order moves.
            ordering: ordering::Settings;
            /// What to prune and extend.
            selective: selective::Settings;
        }
    }
}

/// Implements `Holds` for a part of the options.
macro_rules! part {
    ($($type:ty: $($field:ident)?),+) => {
        $(impl Holds<$type> for Options {
            fn part(&self) -> &$type {
                &(*self)$(.$field)?
            }

            fn part_mut(&mut self) -> &mut $type {
                &mut (*self)$(.$field)?
            }
        })+
    };
}

part!(
    Self:,
    syzygy::Settings: syzygy,
    search::Settings: search,
    ordering::Settings: ordering,
    selective::Settings: selective
);

/// A row of the table.
pub type OptionRow = Row<Options>;

/// The row that sets all research rows.
static PRESET: OptionRow = Row {
    name: "Preset",
    kind: Kind::Combo { default: Preset::WORDS[0], words: Preset::WORDS },
    published: None,
    effect: Effect::ApplyPreset,
    doc: "Sets the search and every selective method to those of a system; single options still override.",
    slot: |options| Slot::Choice(&mut options.preset),
    value: |options| OptionValue::Choice(options.preset.index()),
};

fn rows_of<P: Declared<Options>>() -> std::slice::Iter<'static, OptionRow> {
    P::ROWS.iter()
}

/// The rows of the search, which a preset sets.
pub fn research_rows() -> impl Iterator<Item = &'static OptionRow> {
    rows_of::<search::Settings>().chain(rows_of::<ordering::Settings>()).chain(selective::rows())
}

/// Whether a preset sets this row: all rows of the search, and the kind of evaluation.
pub fn is_set_by_presets(row: &OptionRow) -> bool {
    let evaluation = row.effect == Effect::ReadNetwork && !row.is_text();
    evaluation || research_rows().any(|other| other.name == row.name)
}

/// All rows: those of the engine, of the search, then of each selective method.
pub fn rows() -> impl Iterator<Item = &'static OptionRow> {
    rows_of::<Options>().chain(rows_of::<syzygy::Settings>()).chain([&PRESET]).chain(research_rows())
}

/// A group of options.
pub struct Group {
    /// The name of a selective method or a part of the engine.
    pub name: &'static str,
    /// The rows in the order of their declaration.
    pub rows: Vec<&'static OptionRow>,
}

/// All rows in groups: engine, endgame tables, preset, search, move ordering, then one group per selective method.
pub fn groups() -> Vec<Group> {
    let group =
        |name, rows: &mut dyn Iterator<Item = &'static OptionRow>| Group { name, rows: rows.collect() };
    let mut groups = vec![
        group("engine", &mut rows_of::<Options>()),
        group("endgame tables", &mut rows_of::<syzygy::Settings>()),
        group("preset", &mut [&PRESET].into_iter()),
        group("search", &mut rows_of::<search::Settings>()),
        group("move ordering", &mut rows_of::<ordering::Settings>()),
    ];
    let mut methods = selective::rows();
    for method in selective::METHODS {
        groups.push(group(method.about.label, &mut methods.by_ref().take(method.rows.len())));
    }
    groups
}

/// The options that the UCI handshake lists.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Every option.
    All,
    /// Those of the engine and the preset, for clients that cannot show all; the others can still be set.
    Basic,
}

/// The rows of a handshake: those of the engine, the preset, the switches of the search and the methods, then all others.
pub fn listed(listing: Listing) -> impl Iterator<Item = &'static OptionRow> {
    let everyday = rows_of::<Options>().chain(rows_of::<syzygy::Settings>()).chain([&PRESET]);
    let is_switch = |row: &&OptionRow| matches!(row.kind, Kind::Check(_));
    let switches = research_rows().filter(is_switch);
    let others = research_rows().filter(move |row| !is_switch(row));
    everyday.chain(switches.chain(others).filter(move |_| listing == Listing::All))
}

/// The row with this name; case does not matter.
pub fn row(name: &str) -> Option<&'static OptionRow> {
    rows().find(|row| row.name.eq_ignore_ascii_case(name))
}

/// The name of the row with this effect, for writing settings files.
pub fn name_of(effect: Effect) -> &'static str {
    rows().find(|row| row.effect == effect).map_or("", |row| row.name)
}

/// The effect of the option with this name; none if there is no such option.
pub fn effect_of(name: &str) -> Effect {
    row(name).map_or(Effect::Nothing, |row| row.effect)
}

impl Options {
    /// Sets an option by name. On an error nothing changes. A preset sets all options of the search.
    ///
    /// ```
    /// use espalier::Options;
    /// let mut options = Options::default();
    /// options.set("hash", "64").unwrap();
    /// assert_eq!(options.hash, 64);
    /// assert_eq!(
    ///     options.set("Hash", "0").unwrap_err().to_string(),
    ///     "option Hash takes a whole number from 1 to 1048576, not \"0\""
    /// );
    /// ```
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SetError> {
        let row = row(name).ok_or_else(|| unknown(name))?;
        row.write(self, value)?;
        if row.effect == Effect::ApplyPreset {
            self.apply_preset();
        }
        Ok(())
    }

    /// Sets an option, and loads the settings file if the option names one.
    pub fn set_and_load(&mut self, name: &str, value: &str) -> Result<(), AssignError> {
        self.set(name, value).map_err(AssignError::Refused)?;
        match effect_of(name) {
            Effect::LoadSettings => settings_file::load_named(self).map_err(AssignError::File),
            _ => Ok(()),
        }
    }

    /// Sets all rows of the search by the preset.
    fn apply_preset(&mut self) {
        let published = self.preset != Preset::Modern;
        for row in research_rows() {
            let value = if published { row.published_text() } else { row.kind.default_text() };
            row.write(self, &value).expect("a row's own values are values of its kind");
        }
        self.evaluation = Self::default().evaluation;
        if published {
            self.evaluation = EvaluationKind::Classical;
            self.selective.switch_off();
        }
        presets::apply(self);
    }

    /// The names of options whose values differ from the preset's.
    pub fn changed_from_preset(&self) -> Vec<&'static str> {
        let mut preset = Self { preset: self.preset, ..Self::default() };
        preset.apply_preset();
        let differing = rows().filter(|row| row.differs(self, &preset) && is_set_by_presets(row));
        differing.map(|row| row.name).collect()
    }

    /// The rules for one `go`. `exhaustive` switches everything off that might overlook a move.
    pub fn rules(&self, exhaustive: bool) -> Rules {
        let Self { search, ordering, selective, syzygy, multi_pv, .. } = self;
        Asked { search, ordering, selective, syzygy, multi_pv: *multi_pv }.resolve(exhaustive)
    }

    /// Contempt in centipawns for the side that moves at the root: none in analysis, and none at a limited strength
    /// against an opponent rated as high.
    pub fn contempt_in_play(&self) -> i32 {
        let outrated = self.limit_strength
            && rating_of_opponent(&self.opponent).is_some_and(|rating| rating >= self.elo);
        if self.analyse_mode || outrated { 0 } else { self.contempt }
    }

    /// The files that were learned off-line.
    pub(crate) fn learned_files(&self) -> LearnedFiles<'_> {
        LearnedFiles {
            fits: &self.selective.prob_cut.file,
            weights: &self.evaluation_file,
            combination: &self.combination_file,
            evaluation: self.evaluation,
            network: &self.eval_file,
            ranks: &self.selective.rank_cut,
        }
    }

    /// The effects of changing these options to others, each once and in the order of the rows.
    pub fn effects(&self, new: &Self) -> Vec<Effect> {
        let mut effects: Vec<Effect> = Vec::new();
        for row in rows() {
            if row.differs(self, new) && !effects.contains(&row.effect) {
                effects.push(row.effect);
            }
        }
        effects
    }
}

/// Why an option was not set, or its settings file not loaded.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AssignError {
    /// There is no such option, or the value is not accepted.
    #[error(transparent)]
    Refused(SetError),
    /// The file cannot be loaded.
    #[error("{0}")]
    File(String),
}

fn unknown(name: &str) -> SetError {
    SetError::Unknown { name: name.to_owned(), meant: nearest(name) }
}

/// The row with the most similar name, if any is similar. Names of very different length are not compared, because that
/// would take seconds for a name of a million letters.
fn nearest(name: &str) -> Option<&'static str> {
    const ALIKE: f64 = 0.9;
    let comparable = |row: &&OptionRow| row.name.len() <= 2 * name.len() && name.len() <= 2 * row.name.len();
    let wanted = name.to_lowercase();
    let alike = |row: &OptionRow| strsim::jaro_winkler(&wanted, &row.name.to_lowercase());
    let rated = rows().filter(comparable).map(|row| (alike(row), row.name));
    let (most, meant) = rated.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (most >= ALIKE).then_some(meant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// A value of the row other than its default.
    fn other(row: &OptionRow) -> Option<String> {
        Some(match row.kind {
            Kind::Check(default) => (!default).to_string(),
            Kind::Spin { default, min, max, .. } => (if default == max { min } else { max }).to_string(),
            Kind::Combo { default, words } => words.iter().find(|word| **word != default)?.to_string(),
            Kind::Text(default) => format!("{default} else"),
            Kind::Button => return None,
        })
    }

    #[test]
    fn names_are_unique_and_clients_can_set_them() {
        let mut seen = HashSet::new();
        for row in rows() {
            assert!(seen.insert(row.name.to_lowercase()), "{} stands twice", row.name);
            assert!(row.doc.ends_with('.'), "{} has no sentence", row.name);
            assert!(!row.name.contains('-'), "{}", row.name);
            for word in ["name", "type", "value", "default", "min", "max", "var"] {
                assert!(!row.name.split(' ').any(|part| part.eq_ignore_ascii_case(word)), "{}", row.name);
            }
            if let Kind::Combo { words, .. } = row.kind {
                assert!(words.iter().all(|word| !word.contains(char::is_whitespace)), "{}", row.name);
            }
        }
        for row in research_rows() {
            assert!(!row.name.contains(' ') && !row.name.starts_with("UCI_"), "{}", row.name);
        }
    }

    #[test]
    fn groups_and_listings_have_every_row_once_and_the_basic_one_ends_with_the_preset() {
        let names = |rows: &mut dyn Iterator<Item = &OptionRow>| rows.map(|row| row.name).collect::<Vec<_>>();
        let all = names(&mut rows());
        assert_eq!(names(&mut groups().iter().flat_map(|group| group.rows.iter().copied())), all);
        let listed_all = names(&mut listed(Listing::All));
        let mut sorted = (listed_all.clone(), all);
        sorted.0.sort_unstable();
        sorted.1.sort_unstable();
        assert_eq!(sorted.0, sorted.1);
        let basic = names(&mut listed(Listing::Basic));
        assert_eq!(basic.last(), Some(&"Preset"));
        assert_eq!(basic, listed_all[..basic.len()]);
        let is_check = |name: &str| matches!(row(name).unwrap().kind, Kind::Check(_));
        assert!(listed_all[basic.len()..].is_sorted_by_key(|name| !is_check(name)), "switches come first");
        let delta = groups().into_iter().find(|group| group.name == "delta pruning").unwrap();
        assert_eq!(names(&mut delta.rows.into_iter())[0], "DeltaPruning");
    }

    #[test]
    fn defaults_are_values_of_their_rows() {
        let options = Options::default();
        for row in rows() {
            assert_eq!(row.read(&options), row.kind.default_text(), "{}", row.name);
            if let Kind::Spin { default, min, max, step } = row.kind {
                assert!((min..=max).contains(&default) && step > 0, "{}", row.name);
            }
        }
    }

    #[test]
    fn every_row_moves_its_own_field_and_no_other() {
        let base = Options::default();
        let mut images: Vec<Options> = Vec::new();
        for row in rows().filter(|row| row.effect != Effect::ApplyPreset) {
            let Some(value) = other(row) else { continue };
            let mut options = base.clone();
            options.set(&row.name.to_uppercase(), &value).unwrap();
            assert_eq!(row.read(&options), value, "{} cannot be read back", row.name);
            assert_ne!(options, base, "{} writes nothing", row.name);
            assert!(!images.contains(&options), "{} shares a field", row.name);
            images.push(options);
        }
    }

    #[test]
    fn a_change_has_the_effect_of_its_row() {
        let base = Options::default();
        assert_eq!(base.effects(&base), []);
        for row in rows().filter(|row| row.effect != Effect::ApplyPreset) {
            let mut options = base.clone();
            options.set(row.name, &other(row).unwrap_or_default()).unwrap();
            assert_eq!(base.effects(&options), [row.effect], "{}", row.name);
        }
        let mut options = base.clone();
        options.set("Preset", "RankCut").unwrap();
        assert!(base.effects(&options).contains(&Effect::ReadRanks));
    }

    #[test]
    fn a_preset_sets_all_research_rows_and_single_options_still_override() {
        let mut options = Options::default();
        options.set("Hash", "64").unwrap();
        options.set("Killers", "false").unwrap();
        for word in Preset::WORDS {
            options.set("Preset", word).unwrap();
            let mut fresh = Options::default();
            fresh.set("hash", "64").unwrap();
            fresh.set("Preset", word).unwrap();
            assert_eq!(options, fresh, "{word} depends on what was set before");
        }
        options.set("Preset", "RankCut").unwrap();
        options.set("RankCut", "false").unwrap();
        assert!(!options.selective.rank_cut.on && options.preset == Preset::RankCut);
        options.set("Preset", "Modern").unwrap();
        assert_eq!(options.search, Options::default().search);
        assert_eq!(options.selective, Options::default().selective);
    }

    #[test]
    fn what_departs_from_the_preset_is_named() {
        let mut options = Options::default();
        options.set("Hash", "64").unwrap();
        for word in Preset::WORDS {
            options.set("Preset", word).unwrap();
            assert_eq!(options.changed_from_preset(), [] as [&str; 0], "{word}");
        }
        options.set("Preset", "Turk").unwrap();
        options.set("Killers", "true").unwrap();
        assert_eq!(options.changed_from_preset(), ["Killers"]);
        for row in rows().filter(|row| !matches!(row.kind, Kind::Button) && row.effect != Effect::ApplyPreset)
        {
            options.set(row.name, &row.kind.default_text()).unwrap();
        }
        assert!(options.changed_from_preset().len() > 20, "{:?}", options.changed_from_preset());
    }

    #[test]
    fn a_refused_value_changes_nothing_and_names_what_is_taken() {
        let mut options = Options::default();
        let before = options.clone();
        for (name, value, says) in [
            ("Hash", "0", "from 1 to"),
            ("Hash", "-1", "from 1 to"),
            ("Hash", "abc", "from 1 to"),
            ("Hash", "", "from 1 to"),
            ("Hash", "9223372036854775808", "from 1 to"),
            ("Threads", "1000000000", "to 512"),
            ("Ponder", "maybe", "true or false"),
            ("Algorithm", "Magic", "one of PVS"),
            ("Nonsense", "1", "no option is named \"Nonsense\"; `espalier options` lists them"),
            ("nulmove", "1", "is NullMove meant?"),
        ] {
            let error = options.set(name, value).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        assert_eq!(options, before);
    }

    #[test]
    fn an_empty_text_is_shown_and_set_as_such() {
        let mut options = Options::default();
        options.set("Debug Log File", "a file.txt").unwrap();
        assert_eq!(options.log_file, "a file.txt");
        options.set("Debug Log File", "<empty>").unwrap();
        assert_eq!(options.log_file, "");
    }
}
