//! The core of the options: rows, and the macro that declares settings together with their rows.
//!
//! A [`Row`] has the name of an option, its values, a sentence of documentation, its field in the settings it belongs to,
//! and the effect of a change. This module does not depend on any particular setting.

use std::fmt;

/// The field of a row, for writing.
pub enum Slot<'a> {
    /// A switch, set by a row of kind [`Kind::Check`].
    Bool(&'a mut bool),
    /// A number, kept within the range of its row.
    Int(&'a mut i32),
    /// One of several words.
    Choice(&'a mut dyn Choice),
    /// Any text, as a file name.
    Text(&'a mut String),
    /// How often a button was pressed.
    Button(&'a mut u32),
}

/// The value of a row's field.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OptionValue<'a> {
    /// Whether a switch is on.
    Bool(bool),
    /// A number.
    Int(i32),
    /// One of several words, by its index.
    Choice(usize),
    /// Any text, as a file name.
    Text(&'a str),
    /// How often a button was pressed.
    Button(u32),
}

/// An enumeration whose variants are the words of a combo option.
pub trait Choice {
    /// The index of the current word.
    fn index(&self) -> usize;
    /// Sets the word at `index`.
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
        impl $crate::options::row::Choice for $name {
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

/// The kind and the range of a row's values.
#[derive(Copy, Clone, Debug)]
pub enum Kind {
    /// A switch that is `true` or `false`, with its default.
    Check(bool),
    /// A whole number in a range; `step` is the size of a sensible change, for tuners.
    Spin {
        /// The value before anything is set.
        default: i32,
        /// The least value.
        min: i32,
        /// The greatest value.
        max: i32,
        /// The step of a tuner, large enough to have an effect.
        step: i32,
    },
    /// One word of a list.
    Combo {
        /// The word before anything is set.
        default: &'static str,
        /// The accepted words; case does not matter.
        words: &'static [&'static str],
    },
    /// Any text, as a file name.
    Text(&'static str),
    /// A button without a value; setting it triggers an action.
    Button,
}

/// The effect of a change, besides the next search reading it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// No further effect: the next search reads the new value.
    Nothing,
    /// All options of the search are set by the preset.
    ApplyPreset,
    /// Options are loaded from the file it names.
    LoadSettings,
    /// The hash table is resized.
    NewTable,
    /// The hash table and histories are cleared.
    Forget,
    /// The value of a draw changes, so the hash table and histories are cleared.
    ValueDraws,
    /// The number of search threads changes.
    NewThreads,
    /// The endgame tables are opened.
    OpenSyzygy,
    /// The opening book is read.
    OpenBook,
    /// The weights of the evaluation are read.
    ReadWeights,
    /// The combination of the evaluation's features is read.
    ReadCombination,
    /// The network is read, if it is used.
    ReadNetwork,
    /// The regressions of ProbCut are read.
    ReadFits,
    /// The table of RankCut is computed.
    ReadRanks,
    /// The front end logs to another file.
    OpenLog,
    /// Trees are recorded to another file.
    RecordTrees,
}

impl Effect {
    /// Whether learned files are read.
    pub fn reads_learned(self) -> bool {
        matches!(
            self,
            Self::ReadWeights | Self::ReadCombination | Self::ReadNetwork | Self::ReadFits | Self::ReadRanks
        )
    }
}

/// One option of the settings `S`.
pub struct Row<S: 'static> {
    /// The name as in UCI; case does not matter.
    pub name: &'static str,
    /// The accepted values and the default.
    pub kind: Kind,
    /// The published value of the paper, or of the programs of its time, if it is not the default.
    pub published: Option<&'static str>,
    /// The effect of a change.
    pub effect: Effect,
    /// One sentence for users, shown by `espalier options` and in `docs/OPTIONS.md`.
    pub doc: &'static str,
    /// The field in the settings, for writing.
    pub slot: fn(&mut S) -> Slot<'_>,
    /// The value of that field.
    pub value: fn(&S) -> OptionValue<'_>,
}

/// Settings that contain others, which makes the rows of the part rows of the whole.
pub trait Holds<P>: 'static {
    /// The settings that are contained.
    fn part(&self) -> &P;
    /// The part, for writing.
    fn part_mut(&mut self) -> &mut P;
}

/// Settings declared with their rows. The rows can be used with any settings `S` that contain them.
pub trait Declared<S: 'static> {
    /// One row per setting, in the order of the declaration.
    const ROWS: &'static [Row<S>];
}

/// Declares settings: every line gives a field, its default, its row and its published value.
///
/// ```text
/// settings! {
///     /// The options of something.
///     pub struct Settings {
///         /// One sentence: the documentation of the field and of the row.
///         on: "Switch" = true;
///         /// A number, with the value of its paper where the default is another.
///         margin: "Margin" = 120 in 0..=500 step 10 published 100;
///         /// One of the words of a `choice!`.
///         algorithm: "Algorithm" = Pvs of Algorithm;
///         /// A text, and what a change of it needs.
///         file: "File" = "" then ReadFits;
///         /// An action.
///         clear: "Clear Hash" = button then Forget;
///     }
/// }
/// ```
///
/// `with { … }` at the end adds fields that have no row of their own: settings that have rows themselves.
macro_rules! settings {
    (
        $(#[$meta:meta])*
        pub struct $settings:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $name:literal = $default:tt
                $(in $min:tt ..= $max:tt step $step:tt)?
                $(of $choice:ident)?
                $(published $published:tt)?
                $(then $effect:ident)?;
            )+
            $(with { $($(#[$part_meta:meta])* $part:ident: $type:ty;)+ })?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $settings {
            $($(#[doc = $doc])+ pub $field: $crate::options::row::settings!(
                @type $default $(in $min)? $(of $choice)?),)+
            $($($(#[$part_meta])* pub $part: $type,)+)?
        }

        impl Default for $settings {
            fn default() -> Self {
                Self {
                    $($field: $crate::options::row::settings!(
                        @default $default $(in $min)? $(of $choice)?),)+
                    $($($part: Default::default(),)+)?
                }
            }
        }

        impl<S: $crate::options::row::Holds<$settings>> $crate::options::row::Declared<S> for $settings {
            const ROWS: &'static [$crate::options::row::Row<S>] = &[$($crate::options::row::Row {
                name: $name,
                kind: $crate::options::row::settings!(
                    @kind $default $(in $min, $max, $step)? $(of $choice)?),
                published: $crate::options::row::settings!(@published $($published)?),
                effect: $crate::options::row::settings!(@effect $($effect)?),
                doc: $crate::options::row::sentence(concat!($($doc),+)),
                slot: |whole| {
                    let field = &mut whole.part_mut().$field;
                    $crate::options::row::settings!(@slot field $default $(in $min)? $(of $choice)?)
                },
                value: |whole| {
                    let field = &whole.part().$field;
                    $crate::options::row::settings!(@value field $default $(in $min)? $(of $choice)?)
                },
            }),+];
        }
    };

    (@type true) => { bool };
    (@type false) => { bool };
    (@type button) => { u32 };
    (@type $default:tt in $min:tt) => { i32 };
    (@type $default:tt of $choice:ident) => { $choice };
    (@type $default:tt) => { String };

    (@default true) => { true };
    (@default false) => { false };
    (@default button) => { 0 };
    (@default $default:tt in $min:tt) => { $default };
    (@default $default:tt of $choice:ident) => { $choice::$default };
    (@default $default:tt) => { String::from($default) };

    (@kind true) => { $crate::options::row::Kind::Check(true) };
    (@kind false) => { $crate::options::row::Kind::Check(false) };
    (@kind button) => { $crate::options::row::Kind::Button };
    (@kind $default:tt in $min:tt, $max:tt, $step:tt) => {
        $crate::options::row::Kind::Spin { default: $default, min: $min, max: $max, step: $step }
    };
    (@kind $default:tt of $choice:ident) => {
        $crate::options::row::Kind::Combo {
            default: $choice::WORDS[$choice::$default as usize],
            words: $choice::WORDS,
        }
    };
    (@kind $default:tt) => { $crate::options::row::Kind::Text($default) };

    (@slot $field:ident true) => { $crate::options::row::Slot::Bool($field) };
    (@slot $field:ident false) => { $crate::options::row::Slot::Bool($field) };
    (@slot $field:ident button) => { $crate::options::row::Slot::Button($field) };
    (@slot $field:ident $default:tt in $min:tt) => { $crate::options::row::Slot::Int($field) };
    (@slot $field:ident $default:tt of $choice:ident) => { $crate::options::row::Slot::Choice($field) };
    (@slot $field:ident $default:tt) => { $crate::options::row::Slot::Text($field) };

    (@value $field:ident true) => { $crate::options::row::OptionValue::Bool(*$field) };
    (@value $field:ident false) => { $crate::options::row::OptionValue::Bool(*$field) };
    (@value $field:ident button) => { $crate::options::row::OptionValue::Button(*$field) };
    (@value $field:ident $default:tt in $min:tt) => { $crate::options::row::OptionValue::Int(*$field) };
    (@value $field:ident $default:tt of $choice:ident) => {
        $crate::options::row::OptionValue::Choice($crate::options::row::Choice::index($field))
    };
    (@value $field:ident $default:tt) => { $crate::options::row::OptionValue::Text($field) };

    (@published) => { None };
    (@published $published:tt) => { Some(stringify!($published)) };

    (@effect) => { $crate::options::row::Effect::Nothing };
    (@effect $effect:ident) => { $crate::options::row::Effect::$effect };
}

pub(crate) use settings;

/// A doc comment without the leading blank.
pub(crate) const fn sentence(doc: &'static str) -> &'static str {
    doc.split_at(1).1
}

impl<S> Row<S> {
    /// Sets the field. On an error nothing changes.
    pub fn write(&self, settings: &mut S, text: &str) -> Result<(), SetError> {
        let refused = || SetError::Refused { name: self.name, kind: self.kind, value: text.to_owned() };
        match ((self.slot)(settings), self.kind) {
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
            (Slot::Button(presses), Kind::Button) => *presses = presses.wrapping_add(1),
            _ => unreachable!("{}: slot and kind disagree", self.name),
        }
        Ok(())
    }

    /// The current value in the form of `setoption`.
    pub fn read(&self, settings: &S) -> String {
        match ((self.value)(settings), self.kind) {
            (OptionValue::Bool(value), _) => value.to_string(),
            (OptionValue::Int(value), _) => value.to_string(),
            (OptionValue::Choice(index), Kind::Combo { words, .. }) => words[index].to_owned(),
            (OptionValue::Text(""), _) => "<empty>".to_owned(),
            (OptionValue::Text(value), _) => value.to_owned(),
            _ => String::new(),
        }
    }

    /// Whether it is a switch that is on.
    pub fn is_on(&self, settings: &S) -> bool {
        (self.value)(settings) == OptionValue::Bool(true)
    }

    /// Whether it is a text, which may name a file whose contents change.
    pub fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Text(_))
    }

    /// Whether both are the same option, perhaps as rows of different settings.
    pub fn is<T>(&self, other: &Row<T>) -> bool {
        self.name == other.name
    }

    /// Whether two settings differ in this row.
    pub fn differs(&self, one: &S, other: &S) -> bool {
        (self.value)(one) != (self.value)(other)
    }

    /// The row in the form of the UCI handshake, with this default.
    pub fn announcement(&self, default: &str) -> String {
        let takes = match self.kind {
            Kind::Check(_) => format!("check default {default}"),
            Kind::Spin { min, max, .. } => format!("spin default {default} min {min} max {max}"),
            Kind::Combo { words, .. } => format!("combo default {default} var {}", words.join(" var ")),
            Kind::Text(_) => format!("string default {default}"),
            Kind::Button => "button".to_owned(),
        };
        format!("option name {} type {takes}", self.name)
    }

    /// The published value in the form of `setoption`.
    pub fn published_text(&self) -> String {
        self.published.map_or_else(|| self.kind.default_text(), str::to_owned)
    }
}

impl Kind {
    /// The default in the form of `setoption`.
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

/// The accepted values in words.
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

/// The row in the form of the UCI handshake, with the default of the table.
impl<S> fmt::Display for Row<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.announcement(&self.kind.default_text()))
    }
}

/// Why an option was not set.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SetError {
    /// There is no such option.
    #[error("no option is named {name:?}; {}", suggestion(*.meant))]
    Unknown {
        /// The unknown name.
        name: String,
        /// The name that was probably meant.
        meant: Option<&'static str>,
    },
    /// The value is not accepted.
    #[error("option {name} takes {kind}, not {value:?}")]
    Refused {
        /// The name of the option as declared.
        name: &'static str,
        /// The accepted values and the default.
        kind: Kind,
        /// The value that was refused.
        value: String,
    },
}

fn suggestion(meant: Option<&str>) -> String {
    meant.map_or("`espalier options` lists them".to_owned(), |meant| format!("is {meant} meant?"))
}
