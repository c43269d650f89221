//! The options: rows, the table of all rows, presets and settings files.

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
