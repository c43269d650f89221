//! Games to learn from: the engine plays against itself by the thousand, and trainers read what it thought.
//!
//! [`Generator`] plays a game of a given number; [`GameSeries`] writes games into files of bounded size, each with a
//! description beside it; [`GameFiles`] reads them back, as games or as positions under a [`Filter`]; [`GamesReport`]
//! says what there is. Everything that was played is written: which positions are worth learning from is for the
//! reader to decide.

mod generator;
mod reader;
mod report;
mod series;
mod shuffle;
pub mod viriformat;

pub use generator::{GameTerms, Generator, GeneratorError, Openings};
pub use reader::{Damage, Filter, GameFiles, ReadOptions, Samples};
pub use report::{Accuracy, GamesReport, ScoreBin, expected_points};
pub use series::{ENDING, GameSeries, SeriesDescription, SeriesError, Totals};
pub use shuffle::Shuffled;
