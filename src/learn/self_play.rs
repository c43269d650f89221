//! Games of the engine against itself: where everything that is learned comes from.

use shakmaty::Move;

use crate::engine::Engine;
use crate::position::Game;
use crate::search::Outcome;

/// A game longer than this teaches nothing new.
const MAX_PLIES: usize = 240;

/// Plays a game from here to its end. `think` searches every position; the engine plays what it answers.
pub fn play(engine: &mut Engine, start: Game, mut think: impl FnMut(&mut Engine) -> Outcome) -> Vec<Move> {
    let mut game = start;
    let mut moves = Vec::new();
    engine.new_game();
    while moves.len() < MAX_PLIES && !game.is_over() {
        engine.set_game(game.clone());
        let Some(best) = think(engine).best_move() else { break };
        game.play(best);
        moves.push(best);
    }
    moves
}
