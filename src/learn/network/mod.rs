//! Training a network on games: 768 inputs a side, one hidden layer, one output a bucket of material.
//!
//! The inputs are sparse, so that a position touches a few dozen rows of the first layer, both forwards and backwards;
//! the rest is AdamW (I. Loshchilov and F. Hutter, "Decoupled weight decay regularization", 2019) on batches, with a
//! learning rate that falls along a cosine.

mod model;
mod scale;
mod train;

pub use model::{Gradient, Model, Shape, target};
pub use scale::{centipawns_as_before, centipawns_per_logit};
pub use train::{PassLoss, Recipe, Trainer, TrainerError, TrainingProgress};
