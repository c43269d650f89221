//! Training games: the engine plays against itself, and learners read positions, scores and results.
//!
//! [`Generator`] plays the game with a given number; [`GameSeries`] writes games to files of bounded size, each with a
//! description beside it; [`GameFiles`] reads them, as games or as positions that pass a [`Filter`]; [`GamesReport`]
//! checks and summarises them. All positions are written, and each learner filters what it reads.

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
