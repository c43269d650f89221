//! A game: the position now and what came before it.

use shakmaty::Move;

use super::Position;

/// A game: the position now and the keys of all positions before it.
#[derive(Clone, Debug, Default)]
pub struct Game {
    position: Position,
    /// Oldest first.
    earlier_keys: Vec<u64>,
}

impl Game {
    /// A game that starts here.
    pub fn new(position: Position) -> Self {
        Self { position, earlier_keys: Vec::new() }
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        self.earlier_keys.push(self.position.key());
        self.position = self.position.play(m);
    }

    /// The position after all moves played so far.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Keys of the earlier positions, oldest first.
    pub fn earlier_keys(&self) -> &[u64] {
        &self.earlier_keys
    }

    /// The rules end the game here.
    pub fn is_over(&self) -> bool {
        self.position.halfmoves() >= 100
            || self.is_threefold()
            || self.position.is_dead()
            || self.position.legal_moves().is_empty()
    }

    /// The position has now occurred three times.
    pub fn is_threefold(&self) -> bool {
        let key = self.position.key();
        self.earlier_keys.iter().rev().take(self.position.reversible()).filter(|&&k| k == key).count() >= 2
    }
}
