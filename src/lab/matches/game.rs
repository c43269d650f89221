//! Plays one game.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use shakmaty::{Color, Move, Position as _};

use super::limit::{Clocks, Limit};
use super::openings::Opening;
use super::player::{Board, ChosenMove, PlayerError, index_of, think};
use crate::adjudication::{self, Adjudication, Adjudicator};
use crate::board::{Game, uci_text};
use crate::game_record::{GameEnd, GameRecord, GameResult, Ply};
use crate::uci::Player;

/// The conditions of a game.
#[derive(Copy, Clone, Debug, Default)]
pub struct Conditions {
    /// Limits of a move or a game.
    pub limit: Limit,
    /// The time by which a player may exceed its limit.
    pub margin: Duration,
    /// When the game is adjudicated.
    pub adjudication: Adjudication,
}

/// Plays a game from this opening. The first player has White if the number is even. `None` if `stop` was raised.
pub fn play(
    players: &mut [Player; 2],
    number: u64,
    opening: &Opening,
    conditions: &Conditions,
    stop: &AtomicBool,
) -> Option<GameRecord> {
    let white = (number % 2) as usize;
    let mut game = GameInProgress::new(opening, conditions);
    let (winner, ending, failure) = game.play_out(players, white, stop)?;
    Some(GameRecord {
        number,
        white,
        start: game.start,
        book: game.moves.drain(..opening.moves.len()).collect(),
        plies: game.plies,
        result: GameResult::won_by(winner),
        ending,
        failure,
    })
}

/// The winner, the reason, and a failure with the player at fault.
type GameOutcome = (Option<Color>, GameEnd, Option<(usize, String)>);

/// A game in progress.
struct GameInProgress {
    game: Game,
    chess960: bool,
    start: String,
    moves: Vec<String>,
    plies: Vec<Ply>,
    clocks: Clocks,
    adjudicator: Adjudicator,
}

impl GameInProgress {
    fn new(opening: &Opening, conditions: &Conditions) -> Self {
        let chess960 = opening.start.chess().castles().mode().is_chess960();
        Self {
            game: opening.game(),
            chess960,
            start: opening.start.fen(),
            moves: opening.moves.iter().map(|&m| uci_text(m, chess960)).collect(),
            plies: Vec::new(),
            clocks: Clocks::new(conditions.limit, conditions.margin),
            adjudicator: Adjudicator::new(conditions.adjudication),
        }
    }

    fn play_out(
        &mut self,
        players: &mut [Player; 2],
        white: usize,
        stop: &AtomicBool,
    ) -> Option<GameOutcome> {
        for side in [Color::White, Color::Black] {
            let player = index_of(side, white);
            if let Err(error) = players[player].new_game(self.chess960).map_err(PlayerError::from) {
                if is_over(stop) {
                    return None;
                }
                return Some(forfeit(&mut players[player], side, player, error));
            }
        }
        loop {
            if let Some((winner, ending)) = adjudication::by_rules(&self.game) {
                return Some((winner, ending, None));
            }
            let side = self.game.position().turn();
            let player = index_of(side, white);
            let board = Board { game: &self.game, start: &self.start, moves: &self.moves };
            let chosen = think(&mut players[player], &board, &self.clocks, stop);
            if stop.load(Ordering::Relaxed) || (chosen.is_err() && is_over(stop)) {
                return None;
            }
            let ended = match chosen.and_then(|chosen| self.take(side, chosen)) {
                Ok(ended) => ended,
                Err(error) => return Some(forfeit(&mut players[player], side, player, error)),
            };
            if let Some((winner, ending)) = ended {
                return Some((winner, ending, None));
            }
        }
    }

    /// A move in UCI notation.
    fn uci(&self, m: Move) -> String {
        uci_text(m, self.chess960)
    }

    /// Plays a move; returns the adjudication, if there is one and the rules of chess do not end the game.
    fn take(
        &mut self,
        side: Color,
        chosen: ChosenMove,
    ) -> Result<Option<(Option<Color>, GameEnd)>, PlayerError> {
        if !self.clocks.spend(side, chosen.took) {
            return Err(PlayerError::Late(chosen.took));
        }
        let number = self.game.position().chess().fullmoves();
        self.game.play(chosen.best);
        self.moves.push(self.uci(chosen.best));
        self.plies.push(Ply {
            uci: self.uci(chosen.best),
            score: chosen.score.map(|score| score.raw()),
            depth: chosen.depth,
            nodes: chosen.nodes,
            ms: chosen.took.as_millis() as u64,
        });
        let verdict = self.adjudicator.add_move(side, chosen.score, u32::from(number));
        Ok(verdict.filter(|_| adjudication::by_rules(&self.game).is_none()))
    }
}

/// Whether the match was stopped, which would explain a failure: Ctrl-C may reach other engines too, and some exit before
/// the flag is raised.
fn is_over(stop: &AtomicBool) -> bool {
    std::thread::sleep(Duration::from_millis(50));
    stop.load(Ordering::Relaxed)
}

fn forfeit(player: &mut Player, side: Color, index: usize, error: PlayerError) -> GameOutcome {
    if error.ending().is_fault() {
        player.dismiss();
    }
    (Some(!side), error.ending(), Some((index, error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::super::openings;
    use super::super::player::PlayerConfig;
    use super::*;
    use crate::uci::Program;

    /// Plays a game against a program that is not there.
    fn against_nobody(stopped: bool) -> Option<GameRecord> {
        let player = |command: &str| PlayerConfig {
            name: command.to_owned(),
            program: Program::Other { command: command.to_owned(), options: Vec::new() },
        };
        let mut players =
            ["/no/such/a", "/no/such/b"].map(|command| player(command).start(Duration::from_secs(1)));
        let opening = openings::read("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1", 0).openings.remove(0);
        play(&mut players, 0, &opening, &Conditions::default(), &AtomicBool::new(stopped))
    }

    #[test]
    fn a_game_that_is_ended_from_outside_is_nobodys_loss() {
        assert_eq!(against_nobody(false).map(|record| record.ending), Some(GameEnd::NotStarted));
        assert_eq!(against_nobody(true), None);
    }
}
