//! The one table of options.
//!
//! A [`Row`] names an option, says what values it takes, explains it in a sentence and knows its field.
//! The UCI handshake, `setoption`, `--set NAME=VALUE`, `docs/OPTIONS.md` and the tests all walk the same
//! rows; defaults live in rows alone and are written by the same checked writer as everything else.

pub mod presets;
pub mod settings_file;

use std::fmt;

use crate::search::{self, syzygy};
use crate::selective;

use presets::Preset;

/// Everything a person can set.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Options {
    /// Hash table size in MiB.
    pub hash: i32,
    /// Search threads.
    pub threads: i32,
    /// The client may ask to ponder.
    pub ponder: bool,
    /// Number of lines to search.
    pub multi_pv: i32,
    /// Milliseconds lost between engine and clock.
    pub move_overhead: i32,
    /// Castling is written king-takes-rook.
    pub chess960: bool,
    /// Add win/draw/loss to every score.
    pub show_wdl: bool,
    /// The client analyses instead of playing.
    pub analyse_mode: bool,
    /// Play at `elo` instead of full strength.
    pub limit_strength: bool,
    /// The strength to play at.
    pub elo: i32,
    /// The system to be.
    pub preset: Preset,
    /// File that receives everything in and out.
    pub log_file: String,
    /// File of settings that was loaded.
    pub settings_file: String,
    /// File that receives the tree of every search.
    pub tree_file: String,
    /// File with the weights of the evaluation.
    pub evaluation_file: String,
    /// File that says how the evaluation's features are combined.
    pub combination_file: String,
    /// Endgame tables.
    pub syzygy: syzygy::Settings,
    /// How to search.
    pub search: search::Settings,
    /// What to prune and extend.
    pub selective: selective::Settings,
}

/// A row's field.
pub enum Slot<'a> {
    /// A switch.
    Bool(&'a mut bool),
    /// A number.
    Int(&'a mut i32),
    /// One of several words.
    Choice(&'a mut dyn Choice),
    /// Any text.
    Text(&'a mut String),
    /// Nothing is kept: the engine acts at once.
    Button,
}

/// An enumeration whose variants are the words of a combo option, in their order.
pub trait Choice {
    /// Which word it is now.
    fn index(&self) -> usize;
    /// Becomes the word at `index`.
    fn select(&mut self, index: usize);
}

/// Declares an enumeration together with its words.
#[macro_export]
macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
        pub enum $name { #[default] $($(#[$doc])* $variant),+ }
        impl $name {
            /// The words, in the order of the variants.
            pub const WORDS: &'static [&'static str] = &[$($word),+];
            const ALL: &'static [Self] = &[$(Self::$variant),+];
        }
        impl $crate::options::Choice for $name {
            fn index(&self) -> usize {
                Self::ALL.iter().position(|v| v == self).unwrap_or(0)
            }
            fn select(&mut self, index: usize) {
                if let Some(&variant) = Self::ALL.get(index) {
                    *self = variant;
                }
            }
        }
    };
}

/// What values a row takes.
#[derive(Copy, Clone, Debug)]
pub enum Kind {
    /// `true` or `false`.
    Check(bool),
    /// A whole number in a range; `step` is the size of a sensible change, for tuners.
    Spin {
        /// Value at start.
        default: i32,
        /// Smallest value.
        min: i32,
        /// Largest value.
        max: i32,
        /// A sensible change.
        step: i32,
    },
    /// One of `words`.
    Combo {
        /// The word at start.
        default: &'static str,
        /// All words.
        words: &'static [&'static str],
    },
    /// Any text.
    Text(&'static str),
    /// An action.
    Button,
}

/// One option.
pub struct Row {
    /// As UCI shows it; matched without regard to case.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// One sentence.
    pub doc: &'static str,
    /// Its field.
    pub slot: fn(&mut Options) -> Slot<'_>,
}

/// Rows of the engine itself.
const ENGINE: &[Row] = &[
    Row {
        name: "Hash",
        kind: Kind::Spin { default: 16, min: 1, max: 1 << 20, step: 16 },
        doc: "Size of the hash table in MiB.",
        slot: |o| Slot::Int(&mut o.hash),
    },
    Row {
        name: "Clear Hash",
        kind: Kind::Button,
        doc: "Forgets everything learned in earlier searches.",
        slot: |_| Slot::Button,
    },
    Row {
        name: "Threads",
        kind: Kind::Spin { default: 1, min: 1, max: 512, step: 1 },
        doc: "Number of search threads.",
        slot: |o| Slot::Int(&mut o.threads),
    },
    Row {
        name: "Ponder",
        kind: Kind::Check(false),
        doc: "The client lets the engine think on the opponent's time, so a move may take a little longer.",
        slot: |o| Slot::Bool(&mut o.ponder),
    },
    Row {
        name: "MultiPV",
        kind: Kind::Spin { default: 1, min: 1, max: 256, step: 1 },
        doc: "Number of best lines to search and show.",
        slot: |o| Slot::Int(&mut o.multi_pv),
    },
    Row {
        name: "Move Overhead",
        kind: Kind::Spin { default: 10, min: 0, max: 10_000, step: 10 },
        doc: "Milliseconds kept back on every move for the way between engine and clock.",
        slot: |o| Slot::Int(&mut o.move_overhead),
    },
    Row {
        name: "UCI_Chess960",
        kind: Kind::Check(false),
        doc: "Chess960: castling is written as the king taking its own rook.",
        slot: |o| Slot::Bool(&mut o.chess960),
    },
    Row {
        name: "UCI_ShowWDL",
        kind: Kind::Check(false),
        doc: "Shows the expected wins, draws and losses in a thousand games with every score.",
        slot: |o| Slot::Bool(&mut o.show_wdl),
    },
    Row {
        name: "UCI_AnalyseMode",
        kind: Kind::Check(false),
        doc: "The client analyses: UCI_LimitStrength is disregarded.",
        slot: |o| Slot::Bool(&mut o.analyse_mode),
    },
    Row {
        name: "UCI_LimitStrength",
        kind: Kind::Check(false),
        doc: "Plays at the strength of UCI_Elo instead of as well as possible.",
        slot: |o| Slot::Bool(&mut o.limit_strength),
    },
    Row {
        name: "UCI_Elo",
        kind: Kind::Spin { default: 1800, min: 1000, max: 2600, step: 50 },
        doc: "The approximate strength to play at with UCI_LimitStrength.",
        slot: |o| Slot::Int(&mut o.elo),
    },
    Row {
        name: "Debug Log File",
        kind: Kind::Text(""),
        doc: "Appends everything the engine reads and writes to this file.",
        slot: |o| Slot::Text(&mut o.log_file),
    },
    Row {
        name: settings_file::OPTION,
        kind: Kind::Text(""),
        doc: "Loads options from this file, one NAME=VALUE a line; `espalier learn weights` and `espalier learn spsa` write such files.",
        slot: |o| Slot::Text(&mut o.settings_file),
    },
    Row {
        name: "TreeFile",
        kind: Kind::Text(""),
        doc: "Records the tree of every search (its last iteration, first thread) in this file, for espalier tree; slower, and the move comes when the file is written.",
        slot: |o| Slot::Text(&mut o.tree_file),
    },
    Row {
        name: "EvaluationFile",
        kind: Kind::Text(""),
        doc: "Weights of the evaluation, as `espalier learn evaluation` writes them; empty for those in the program.",
        slot: |o| Slot::Text(&mut o.evaluation_file),
    },
    Row {
        name: "CombinationFile",
        kind: Kind::Text(""),
        doc: "Combines a handful of the evaluation's features as this file says, in place of the usual sum; `espalier lab bayes` writes such files. Slower.",
        slot: |o| Slot::Text(&mut o.combination_file),
    },
    Row {
        name: syzygy::OPTION,
        kind: Kind::Text(""),
        doc: "Directories of Syzygy endgame tables, separated by a colon (on Windows by a semicolon).",
        slot: |o| Slot::Text(&mut o.syzygy.path),
    },
    Row {
        name: "SyzygyProbeDepth",
        kind: Kind::Spin { default: 1, min: 1, max: 100, step: 1 },
        doc: "Least remaining plies at which the search looks a position up; with fewer men than the largest table has it always does.",
        slot: |o| Slot::Int(&mut o.syzygy.depth),
    },
    Row {
        name: "SyzygyProbeLimit",
        kind: Kind::Spin { default: syzygy::MOST_MEN, min: 0, max: syzygy::MOST_MEN, step: 1 },
        doc: "Most men, kings included, of a position that is looked up; 0 for none.",
        slot: |o| Slot::Int(&mut o.syzygy.limit),
    },
    Row {
        name: "Syzygy50MoveRule",
        kind: Kind::Check(true),
        doc: "Takes a win that needs more than fifty moves without capture or pawn move as a draw.",
        slot: |o| Slot::Bool(&mut o.syzygy.fifty_moves),
    },
];

/// The row that sets all research rows.
const PRESET: Row = Row {
    name: "Preset",
    kind: Kind::Combo { default: "Modern", words: Preset::WORDS },
    doc: "Sets the search and every selective method to those of a system; single options still override.",
    slot: |o| Slot::Choice(&mut o.preset),
};

/// The rows that say how to search: what a preset sets.
pub fn research_rows() -> impl Iterator<Item = &'static Row> {
    search::ROWS.iter().chain(selective::METHODS.iter().flat_map(|method| method.rows))
}

/// Every row: the engine's, the search's, then one group per selective method.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    ENGINE.iter().chain([&PRESET]).chain(research_rows())
}

/// The row of that name, whatever its case.
pub fn row(name: &str) -> Option<&'static Row> {
    rows().find(|row| row.name.eq_ignore_ascii_case(name))
}

impl Options {
    /// Every row at its default.
    pub fn defaults() -> Self {
        let mut options = Self::default();
        for row in rows() {
            row.write(&mut options, &row.kind.default_text())
                .expect("a row's default is a value of its kind");
        }
        options
    }

    /// Sets one option by name, or says why not and changes nothing.
    ///
    /// ```
    /// use espalier::Options;
    /// let mut options = Options::defaults();
    /// options.set("hash", "64").unwrap();
    /// assert_eq!(options.hash, 64);
    /// assert_eq!(
    ///     options.set("Hash", "0").unwrap_err().to_string(),
    ///     "option Hash takes a whole number from 1 to 1048576, not \"0\""
    /// );
    /// ```
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SetError> {
        let row = row(name).ok_or_else(|| SetError::Unknown(name.to_owned()))?;
        row.write(self, value)?;
        if row.name == PRESET.name {
            self.apply(self.preset);
        }
        Ok(())
    }

    /// Sets every research row to its default, then to what the preset says.
    fn apply(&mut self, preset: Preset) {
        for row in research_rows() {
            row.write(self, &row.kind.default_text()).expect("a row's default is a value of its kind");
        }
        for (name, value) in presets::values(preset) {
            self.set(name, value).expect("a preset's values are values of their rows");
        }
    }
}

impl Row {
    fn write(&'static self, options: &mut Options, text: &str) -> Result<(), SetError> {
        let refused = || SetError::Refused { row: self, value: text.to_owned() };
        match ((self.slot)(options), self.kind) {
            (Slot::Bool(field), Kind::Check(_)) => {
                *field = text.to_ascii_lowercase().parse().map_err(|_| refused())?;
            }
            (Slot::Int(field), Kind::Spin { min, max, .. }) => {
                *field = text.parse().ok().filter(|v| (min..=max).contains(v)).ok_or_else(refused)?;
            }
            (Slot::Choice(field), Kind::Combo { words, .. }) => {
                let index = words.iter().position(|word| word.eq_ignore_ascii_case(text));
                field.select(index.ok_or_else(refused)?);
            }
            (Slot::Text(field), Kind::Text(_)) => {
                *field = if text == "<empty>" { String::new() } else { text.to_owned() };
            }
            (Slot::Button, Kind::Button) => {}
            _ => unreachable!("{}: slot and kind disagree", self.name),
        }
        Ok(())
    }

    /// The value it has now, as `setoption` would take it.
    pub fn read(&self, options: &Options) -> String {
        match ((self.slot)(&mut options.clone()), self.kind) {
            (Slot::Bool(field), _) => field.to_string(),
            (Slot::Int(field), _) => field.to_string(),
            (Slot::Choice(field), Kind::Combo { words, .. }) => words[field.index()].to_owned(),
            (Slot::Text(field), _) if field.is_empty() => "<empty>".to_owned(),
            (Slot::Text(field), _) => field.clone(),
            _ => String::new(),
        }
    }
}

impl Kind {
    /// The default as `setoption` would take it.
    pub fn default_text(self) -> String {
        match self {
            Self::Check(default) => default.to_string(),
            Self::Spin { default, .. } => default.to_string(),
            Self::Combo { default, .. } => default.to_owned(),
            Self::Text("") => "<empty>".to_owned(),
            Self::Text(default) => default.to_owned(),
            Self::Button => String::new(),
        }
    }
}

/// What a row takes, in words.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check(_) => write!(f, "true or false"),
            Self::Spin { min, max, .. } => write!(f, "a whole number from {min} to {max}"),
            Self::Combo { words, .. } => write!(f, "one of {}", words.join(", ")),
            Self::Text(_) => write!(f, "any text"),
            Self::Button => write!(f, "no value"),
        }
    }
}

/// As the UCI handshake shows it.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        let default = self.kind.default_text();
        match self.kind {
            Kind::Check(_) => write!(f, "check default {default}"),
            Kind::Spin { min, max, .. } => write!(f, "spin default {default} min {min} max {max}"),
            Kind::Combo { words, .. } => write!(f, "combo default {default} var {}", words.join(" var ")),
            Kind::Text(_) => write!(f, "string default {default}"),
            Kind::Button => write!(f, "button"),
        }
    }
}

/// The row that was probably meant, if one has a name much like this.
fn nearest(name: &str) -> Option<&'static str> {
    const ALIKE: f64 = 0.9;
    let name = name.to_lowercase();
    let alike = |row: &Row| strsim::jaro_winkler(&name, &row.name.to_lowercase());
    let most = rows().max_by(|one, other| alike(one).total_cmp(&alike(other)))?;
    (alike(most) >= ALIKE).then_some(most.name)
}

/// Why an option was not set.
pub enum SetError {
    /// No row has that name.
    Unknown(String),
    /// The row does not take that value.
    Refused {
        /// The row.
        row: &'static Row,
        /// The value.
        value: String,
    },
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => match nearest(name) {
                Some(meant) => write!(f, "no option is named {name:?}; is {meant} meant?"),
                None => write!(f, "no option is named {name:?}; `espalier options` lists them"),
            },
            Self::Refused { row, value } => {
                write!(f, "option {} takes {}, not {value:?}", row.name, row.kind)
            }
        }
    }
}

impl fmt::Debug for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SetError {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// A value of the row other than its default.
    fn other(row: &Row) -> Option<String> {
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
    fn defaults_are_values_of_their_rows() {
        let options = Options::defaults();
        for row in rows() {
            assert_eq!(row.read(&options), row.kind.default_text(), "{}", row.name);
            if let Kind::Spin { default, min, max, step } = row.kind {
                assert!((min..=max).contains(&default) && step > 0, "{}", row.name);
            }
        }
    }

    #[test]
    fn every_row_moves_its_own_field_and_no_other() {
        let base = Options::defaults();
        let mut images: Vec<Options> = Vec::new();
        for row in rows().filter(|row| row.name != PRESET.name) {
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
    fn a_preset_sets_all_research_rows_and_single_options_still_override() {
        let mut options = Options::defaults();
        options.set("Hash", "64").unwrap();
        options.set("Killers", "false").unwrap();
        for word in Preset::WORDS {
            options.set("Preset", word).unwrap();
            let mut fresh = Options::defaults();
            fresh.set("hash", "64").unwrap();
            fresh.set("Preset", word).unwrap();
            assert_eq!(options, fresh, "{word} depends on what was set before");
        }
        options.set("Preset", "RankCut").unwrap();
        options.set("RankCut", "false").unwrap();
        assert!(!options.selective.rank_cut.on && options.preset == Preset::RankCut);
        options.set("Preset", "Modern").unwrap();
        assert_eq!(options.search, Options::defaults().search);
        assert_eq!(options.selective, Options::defaults().selective);
    }

    #[test]
    fn a_refused_value_changes_nothing_and_names_what_is_taken() {
        let mut options = Options::defaults();
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
        let mut options = Options::defaults();
        options.set("Debug Log File", "a file.txt").unwrap();
        assert_eq!(options.log_file, "a file.txt");
        options.set("Debug Log File", "<empty>").unwrap();
        assert_eq!(options.log_file, "");
    }
}
