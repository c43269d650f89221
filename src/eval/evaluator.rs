//! The evaluation as a search thread owns it: a state that follows the path from the root.
//!
//! The search tells it when a path begins and when a move or a null move is played, from the one place where each
//! happens, so that an evaluation can keep something per ply, as the network keeps its accumulators. Moves are never
//! taken back: the next push to the same ply overwrites what was there.

use std::fmt;
use std::sync::Arc;

use shakmaty::Move;

use super::cache::EvalCache;
use super::combination::Combination;
use super::network::{Accumulators, Network};
use super::pawns::PawnTable;
use super::{NoTrace, SCALE_MAX, Weights, classical, for_mover};
use crate::{Position, Score, choice};

choice! {
    /// What says how good a position is.
    EvaluationKind {
        /// Terms written by hand, with tuned weights.
        Classical = "Classical",
        /// A neural network, read from `EvalFile`.
        Network = "Network",
    }
}

/// What an evaluation does along a path. One without state needs only `value`.
pub(super) trait FollowsPath {
    /// A path begins: the root stands at ply 0.
    fn reset(&mut self, _root: &Position) {}

    /// A move was played: `child` stands at `ply`, `parent` at the ply before.
    #[inline(always)]
    fn push(&mut self, _ply: usize, _parent: &Position, _m: Move, _child: &Position) {}

    /// The mover has passed: `child` stands at `ply`, `parent` at the ply before.
    #[inline(always)]
    fn push_null(&mut self, _ply: usize, _parent: &Position, _child: &Position) {}

    /// The value for the side to move of the position that stands at `ply`.
    fn value(&mut self, position: &Position, ply: usize) -> Score;

    /// Forgets what was seen; no value depends on it.
    fn clear(&mut self) {}
}

/// The classical evaluation, with tables of its own for pawn structures and whole positions seen before.
pub struct ClassicalEvaluation {
    weights: Arc<Weights>,
    pawns: PawnTable,
    cache: EvalCache,
}

impl ClassicalEvaluation {
    fn new(weights: Arc<Weights>) -> Self {
        Self { weights, pawns: PawnTable::default(), cache: EvalCache::default() }
    }
}

impl FollowsPath for ClassicalEvaluation {
    fn value(&mut self, position: &Position, _ply: usize) -> Score {
        if let Some(value) = self.cache.value(position) {
            return value;
        }
        let pawns = self.pawns.of(position, &self.weights);
        let outcome = classical::evaluate(position, &self.weights, pawns, &mut NoTrace);
        let value = for_mover(position, outcome.value);
        self.cache.keep(position, value);
        value
    }

    fn clear(&mut self) {
        self.pawns.clear();
        self.cache.clear();
    }
}

/// The classical evaluation's features, combined by a learned function instead of summed.
pub struct CombinedEvaluation {
    weights: Arc<Weights>,
    combination: Combination,
}

impl FollowsPath for CombinedEvaluation {
    fn value(&mut self, position: &Position, _ply: usize) -> Score {
        self.combination.evaluate(position, &self.weights)
    }
}

/// A network, whose hidden layer follows the path.
pub struct NetworkEvaluation {
    accumulators: Accumulators,
    /// Evaluates positions with a bare king: it knows how to mate, and which pawns do not win.
    classical: ClassicalEvaluation,
}

impl NetworkEvaluation {
    fn new(network: Arc<Network>, weights: Arc<Weights>) -> Self {
        let accumulators = Accumulators::new(network);
        Self { accumulators, classical: ClassicalEvaluation::new(weights) }
    }
}

impl FollowsPath for NetworkEvaluation {
    fn reset(&mut self, root: &Position) {
        self.accumulators.reset(root.board());
    }

    #[inline(always)]
    fn push(&mut self, ply: usize, parent: &Position, m: Move, child: &Position) {
        self.accumulators.push(ply, parent.turn(), m, child.board());
    }

    #[inline(always)]
    fn push_null(&mut self, ply: usize, _parent: &Position, _child: &Position) {
        self.accumulators.push_null(ply);
    }

    // No cache: only one value in a hundred would be found in it.
    #[inline]
    fn value(&mut self, position: &Position, ply: usize) -> Score {
        let board = position.board();
        if board.white().count() == 1 || board.black().count() == 1 {
            return self.classical.value(position, ply);
        }
        let damping = classical::damping(position.halfmoves());
        let value = self.accumulators.value(position, ply) * damping / SCALE_MAX;
        Score::cp(value).clamp_eval()
    }

    fn clear(&mut self) {
        self.classical.clear();
    }
}

/// One of the evaluations. Which one is decided when a search begins.
pub enum Evaluator {
    /// Hand-written terms with tuned weights.
    Classical(ClassicalEvaluation),
    /// A learned combination of its features.
    Combined(Box<CombinedEvaluation>),
    /// A network.
    Network(Box<NetworkEvaluation>),
    /// Checks that the search follows its path.
    #[cfg(test)]
    Checked(Box<checked::Checked>),
}

impl Default for Evaluator {
    fn default() -> Self {
        Self::new(Weights::built_in())
    }
}

impl fmt::Debug for Evaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evaluator").finish_non_exhaustive()
    }
}

/// Calls a method of whichever evaluation it is.
macro_rules! each {
    ($self:ident.$method:ident($($argument:expr),*)) => {
        match $self {
            Evaluator::Classical(evaluator) => evaluator.$method($($argument),*),
            Evaluator::Combined(evaluator) => evaluator.$method($($argument),*),
            Evaluator::Network(evaluator) => evaluator.$method($($argument),*),
            #[cfg(test)]
            Evaluator::Checked(evaluator) => evaluator.$method($($argument),*),
        }
    };
}

impl Evaluator {
    /// The classical evaluation with these weights.
    pub fn new(weights: Arc<Weights>) -> Self {
        Self::Classical(ClassicalEvaluation::new(weights))
    }

    /// The network if there is one, otherwise the learned combination if there is one, otherwise the classical
    /// evaluation.
    pub fn with(
        network: Option<&Arc<Network>>,
        weights: &Arc<Weights>,
        combination: Option<&Combination>,
    ) -> Self {
        let weights = Arc::clone(weights);
        match (network, combination) {
            (Some(network), _) => {
                Self::Network(Box::new(NetworkEvaluation::new(Arc::clone(network), weights)))
            }
            (None, None) => Self::new(weights),
            (None, Some(combination)) => {
                Self::Combined(Box::new(CombinedEvaluation { weights, combination: combination.clone() }))
            }
        }
    }

    /// It is the one that [`with`](Self::with) would make, so its caches are still valid.
    pub fn is_with(
        &self,
        network: Option<&Arc<Network>>,
        weights: &Arc<Weights>,
        combination: Option<&Combination>,
    ) -> bool {
        match self {
            Self::Network(networked) => {
                network.is_some_and(|network| Arc::ptr_eq(network, networked.accumulators.network()))
                    && Arc::ptr_eq(&networked.classical.weights, weights)
            }
            Self::Classical(_) | Self::Combined(_) if network.is_some() => false,
            Self::Classical(classical) => combination.is_none() && Arc::ptr_eq(&classical.weights, weights),
            Self::Combined(combined) => {
                combination == Some(&combined.combination) && Arc::ptr_eq(&combined.weights, weights)
            }
            #[cfg(test)]
            Self::Checked(_) => true,
        }
    }

    /// A path begins: the root stands at ply 0.
    pub fn reset(&mut self, root: &Position) {
        each!(self.reset(root));
    }

    /// A move was played: `child` stands at `ply`, `parent` at the ply before.
    #[inline(always)]
    pub fn push(&mut self, ply: usize, parent: &Position, m: Move, child: &Position) {
        each!(self.push(ply, parent, m, child));
    }

    /// The mover has passed: `child` stands at `ply`, `parent` at the ply before.
    #[inline(always)]
    pub fn push_null(&mut self, ply: usize, parent: &Position, child: &Position) {
        each!(self.push_null(ply, parent, child));
    }

    /// The value for the side to move of the position that stands at `ply`.
    #[inline]
    pub fn value(&mut self, position: &Position, ply: usize) -> Score {
        each!(self.value(position, ply))
    }

    /// The value of a position for the side to move, without a path.
    pub fn evaluate(&mut self, position: &Position) -> Score {
        self.reset(position);
        self.value(position, 0)
    }

    /// Forgets the positions seen; no value depends on them.
    pub fn clear(&mut self) {
        each!(self.clear());
    }
}

#[cfg(test)]
pub(crate) mod checked {
    use super::*;

    /// The classical evaluation of a search that says everything it must.
    pub struct Checked {
        classical: Evaluator,
        /// Keys of the positions on the path.
        path: Vec<u64>,
        /// Values asked for, and passes.
        pub asked: (u64, u64),
    }

    impl Evaluator {
        /// Panics if it is asked about a position that the search has not played on the path.
        pub fn checked() -> Self {
            let classical = Self::default();
            Self::Checked(Box::new(Checked { classical, path: Vec::new(), asked: (0, 0) }))
        }
    }

    impl Checked {
        fn put(&mut self, ply: usize, parent: &Position, child: &Position) {
            assert_eq!(self.path.get(ply - 1), Some(&parent.key()), "played from another position");
            self.path.truncate(ply);
            self.path.push(child.key());
        }
    }

    impl FollowsPath for Checked {
        fn reset(&mut self, root: &Position) {
            self.path = vec![root.key()];
        }

        fn push(&mut self, ply: usize, parent: &Position, m: Move, child: &Position) {
            assert_eq!(parent.play(m).key(), child.key());
            self.put(ply, parent, child);
        }

        fn push_null(&mut self, ply: usize, parent: &Position, child: &Position) {
            assert_ne!(parent.turn(), child.turn());
            self.asked.1 += 1;
            self.put(ply, parent, child);
        }

        fn value(&mut self, position: &Position, ply: usize) -> Score {
            assert_eq!(self.path.get(ply), Some(&position.key()), "a position that was not played");
            self.asked.0 += 1;
            self.classical.evaluate(position)
        }
    }
}
