//! Tests of the library as a whole, in one target because every target is linked with full optimisation.

mod arrows;
mod common;
mod documents;
mod mates;
mod methods;
mod oracle;
mod perft;
mod reproducible;
mod scale;
mod signatures;
mod tablebases;
mod trees;
