//! What a person can set: the rows of the options, the table of all rows, presets and files of settings.

mod opponent;
pub mod presets;
pub mod row;
pub mod settings_file;
pub mod table;

pub use opponent::rating_of_opponent;
pub use row::{Choice, Effect, Kind, Row, SetError};
pub use table::{
    AssignError, Group, Listing, OptionRow, Options, effect_of, groups, is_set_by_presets, listed, name_of,
    research_rows, row, rows,
};
