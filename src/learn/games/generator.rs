//! Playing games to learn from: a random opening, then the engine against itself at a soft limit of nodes.

use serde::{Deserialize, Serialize};
use shakmaty::{Board, CastlingMode, Chess, Color, FromSetup, Position as _, Setup};
use shakmaty_syzygy::Wdl;

use super::viriformat::{GameResult, GameWriter};
use crate::board::{Game, Position};
use crate::engine::Engine;
use crate::lab::matches::adjudication::{Adjudication, Adjudicator, DrawRule, ResignRule, by_rules};
use crate::limits::Limits;
use crate::options::Options;
use crate::random::Random;
use crate::search::Search;
use crate::search::syzygy::Syzygy;

/// What a game begins with, before its random moves.
#[derive(Clone, Debug)]
pub enum Openings {
    /// The start position.
    Start,
    /// One of the 960 start positions of Chess960.
    Chess960,
    /// One of these positions.
    Positions(Vec<Position>),
}

/// How games are played. Two generators with the same terms, options and seed play the same games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// What games begin with, in words.
    pub openings: String,
    /// Random legal plies at the beginning: this many, or one more.
    pub random_plies: u32,
    /// An opening that the first search judges further from equal than this, in centipawns, is thrown away.
    pub balance: i32,
    /// Nodes a move after which no new iteration begins.
    pub nodes: u64,
    /// When games end before the rules of chess end them.
    pub adjudication: Adjudication,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            openings: "start position".to_owned(),
            random_plies: 8,
            balance: 500,
            nodes: 250,
            adjudication: Adjudication {
                draw: Some(DrawRule { from: 40, moves: 5, within: 8 }),
                resign: Some(ResignRule { moves: 3, by: 1_500 }),
                longest: Some(200),
            },
        }
    }
}

/// Plays games of a series, each from the seed and its number alone.
#[derive(Clone, Debug)]
pub struct Generator {
    /// The options of the engine.
    pub options: Options,
    /// How games are played.
    pub terms: Terms,
    /// What games begin with.
    pub openings: Openings,
    /// What makes one series different from another.
    pub seed: u64,
}

impl Generator {
    /// An engine that plays, one for each thread.
    pub fn engine(&self) -> Engine {
        Engine::new(self.options.clone())
    }

    /// Plays the game of this number, on a thread with a stack of [`STACK`](crate::search::STACK). Its bytes.
    pub fn play(&self, engine: &mut Engine, number: u64) -> Vec<u8> {
        let mut random = Random::split(self.seed, number);
        loop {
            let start = self.opening(&mut random);
            if let Some(game) = self.play_from(engine, start) {
                return game;
            }
        }
    }

    /// An opening in which the game is not over.
    pub fn opening(&self, random: &mut Random) -> Position {
        loop {
            let mut game = Game::new(self.first_position(random));
            let plies = self.terms.random_plies as usize + random.below(2);
            for _ in 0..plies {
                let legal = game.position().legal_moves();
                if let Some(&m) = legal.get(random.below(legal.len())) {
                    game.play(m);
                }
            }
            if !game.is_over() {
                return game.position().clone();
            }
        }
    }

    fn first_position(&self, random: &mut Random) -> Position {
        match &self.openings {
            Openings::Start => Position::default(),
            Openings::Chess960 => chess960(random.below(960) as u32),
            Openings::Positions(positions) => {
                positions.get(random.below(positions.len())).cloned().unwrap_or_default()
            }
        }
    }

    /// An opening that is not lost for one side, for those who want nothing but that.
    pub fn balanced_opening(&self, engine: &mut Engine, random: &mut Random) -> Position {
        loop {
            let start = self.opening(random);
            engine.new_game();
            engine.set_game(Game::new(start.clone()));
            let score = engine.search(Limits::soft_nodes(self.terms.nodes)).score();
            if score.is_some_and(|score| score.raw().abs() <= self.terms.balance) {
                return start;
            }
        }
    }

    /// Plays from here; nothing comes of an opening that is lost for one side.
    fn play_from(&self, engine: &mut Engine, start: Position) -> Option<Vec<u8>> {
        let limits = Limits::soft_nodes(self.terms.nodes);
        let mut judge = Adjudicator::new(self.terms.adjudication);
        let mut writer = GameWriter::new(start.chess().clone());
        let mut game = Game::new(start);
        let mut first = true;
        engine.new_game();
        let winner = loop {
            if let Some((winner, _)) = by_rules(&game) {
                break winner;
            }
            if let Some(winner) = known_outcome(engine, game.position()) {
                break winner;
            }
            engine.set_game(game.clone());
            let outcome = engine.start(Search::new(limits.clone()).on_this_thread()).wait();
            let (m, score) = (outcome.best_move()?, outcome.score()?);
            if std::mem::take(&mut first) && score.raw().abs() > self.terms.balance {
                return None;
            }
            let position = game.position();
            let (turn, number) = (position.turn(), position.chess().fullmoves().get());
            writer.push(m, turn, score);
            game.play(m);
            if let Some((winner, _)) = judge.hear(turn, Some(score), number) {
                // A mate on the board is not for the judge to decide.
                break by_rules(&game).map_or(winner, |(winner, _)| winner);
            }
        };
        Some(writer.finish(GameResult::won_by(winner)))
    }
}

/// Who wins, where endgame tables are loaded and know it.
fn known_outcome(engine: &Engine, position: &Position) -> Option<Option<Color>> {
    let tables = engine.syzygy()?;
    let few = position.board().occupied().count() <= tables.men();
    if !few || position.halfmoves() > 0 || !Syzygy::knows(position) {
        return None;
    }
    let turn = position.turn();
    Some(match tables.outcome(position)? {
        Wdl::Win => Some(turn),
        Wdl::Loss => Some(!turn),
        Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => None,
    })
}

/// The start position of Chess960 with this number in Scharnagl's numbering.
fn chess960(number: u32) -> Position {
    let mut setup = Setup::empty();
    setup.board = Board::chess960(number);
    setup.castling_rights = setup.board.rooks();
    let mode = CastlingMode::from_chess960(true);
    Chess::from_setup(setup, mode).map_or_else(|_| Position::default(), Position::new)
}

#[cfg(test)]
mod tests {
    use super::super::viriformat::PackedGame;
    use super::*;

    fn generator(openings: Openings) -> Generator {
        let terms = Terms { nodes: 60, ..Terms::default() };
        let mut options = Options::defaults();
        options.set("Hash", "1").unwrap();
        Generator { options, terms, openings, seed: 7 }
    }

    #[test]
    fn a_game_depends_on_its_number_alone() {
        let generator = generator(Openings::Start);
        let (mut one, mut other) = (generator.engine(), generator.engine());
        let games: Vec<Vec<u8>> = (0..4).map(|number| generator.play(&mut one, number)).collect();
        for number in [3, 1, 0, 2] {
            assert_eq!(generator.play(&mut other, number), games[number as usize]);
        }
        assert_ne!(games[0], games[1]);
        assert_ne!(Generator { seed: 8, ..generator }.play(&mut one, 0), games[0]);
    }

    #[test]
    fn openings_have_eight_or_nine_random_plies_and_another_start_in_chess960() {
        let mut random = Random::new(3);
        let plies = |position: &Position| {
            2 * (position.chess().fullmoves().get() - 1) + position.turn().fold_wb(0, 1)
        };
        let usual = generator(Openings::Start);
        let found: Vec<u32> = (0..40).map(|_| plies(&usual.opening(&mut random))).collect();
        assert!(found.contains(&8) && found.contains(&9) && found.iter().all(|n| (8..=9).contains(n)));
        assert_eq!(chess960(518).fen(), Position::default().fen());
        let mut other = generator(Openings::Chess960);
        other.terms.random_plies = 0;
        let castles = |position: Position| position.chess().castles().castling_rights().count();
        assert!((0..40).any(|_| castles(other.opening(&mut random)) == 4));
    }

    #[test]
    fn a_lost_opening_is_thrown_away() {
        let lost = Position::from_fen("4k3/8/8/8/8/8/QQ6/4K3 w - - 0 1", false).unwrap();
        let generator = generator(Openings::Start);
        assert_eq!(generator.play_from(&mut generator.engine(), lost), None);
    }

    #[test]
    fn a_mate_at_the_end_has_its_winner_whatever_the_judge_thinks() {
        let generator = generator(Openings::Start);
        let mut engine = generator.engine();
        for number in 0..6 {
            let bytes = generator.play(&mut engine, number);
            let game = PackedGame::first(&bytes).unwrap();
            let start = game.start();
            let last = game.replay(start.unpack().unwrap(), |_, _, _| ()).unwrap();
            if last.is_checkmate() {
                assert_eq!(start.result(), Some(GameResult::won_by(Some(!last.turn()))));
            }
        }
    }
}
