//! Plays training games: random openings, then self-play with a soft node limit.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use shakmaty::{Board, CastlingMode, Chess, Color, FromSetup, Position as _, Setup};
use shakmaty_syzygy::Wdl;

use super::viriformat::{GameResult, GameWriter};
use crate::adjudication::{Adjudication, Adjudicator, DrawRule, ResignRule, by_rules};
use crate::board::{Game, Position};
use crate::engine::Engine;
use crate::limits::Limits;
use crate::options::Options;
use crate::random::Random;
use crate::score::Score;
use crate::search::Search;
use crate::search::syzygy::Syzygy;

/// Start positions, before the random moves.
#[derive(Clone, Debug)]
pub enum Openings {
    /// The start position.
    Start,
    /// One of the 960 start positions of Chess960.
    Chess960,
    /// A random one of these positions for every game.
    Positions(Vec<Position>),
}

/// How games are played. The same terms, options and seed give the same games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameTerms {
    /// A description of the start positions.
    pub openings: String,
    /// Random plies at the beginning: this many or one more.
    pub random_plies: u32,
    /// An opening is discarded if the first search scores it beyond this, in centipawns.
    pub balance: i32,
    /// Soft node limit per move.
    pub nodes: u64,
    /// When games are adjudicated.
    pub adjudication: Adjudication,
}

impl Default for GameTerms {
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

/// Plays the games of a series. A game depends only on the seed and its number.
#[derive(Clone, Debug)]
pub struct Generator {
    /// The options of the engine.
    pub options: Options,
    /// Limits, random moves and adjudication.
    pub terms: GameTerms,
    /// Start positions.
    pub openings: Openings,
    /// The seed of the series.
    pub seed: u64,
}

impl Generator {
    /// An engine for one thread.
    pub fn engine(&self) -> Engine {
        Engine::new(self.options.clone())
    }

    /// Plays the game with this number, on a thread with a stack of [`STACK`](crate::search::STACK). Returns its bytes, or
    /// `None` if `stop` was raised.
    pub fn play(
        &self,
        engine: &mut Engine,
        number: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<u8>>, GeneratorError> {
        let mut random = Random::split(self.seed, number);
        for _ in 0..MOST_OPENINGS {
            let start = self.opening(&mut random)?;
            match self.play_from(engine, start, stop)? {
                OpeningUse::Whole(game) => return Ok(Some(game)),
                OpeningUse::Stopped => return Ok(None),
                OpeningUse::Lost => {}
            }
        }
        Err(GeneratorError::NoOpening)
    }

    /// An opening in which the game is not over.
    fn opening(&self, random: &mut Random) -> Result<Position, GeneratorError> {
        for _ in 0..MOST_OPENINGS {
            let mut game = Game::new(self.first_position(random));
            let plies = self.terms.random_plies as usize + random.below(2);
            for _ in 0..plies {
                let legal = game.position().legal_moves();
                if let Some(&m) = legal.get(random.below(legal.len())) {
                    game.play(m);
                }
            }
            if !game.is_over() {
                return Ok(game.position().clone());
            }
        }
        Err(GeneratorError::NoOpening)
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

    /// An opening that is not lost for either side.
    pub fn balanced_opening(
        &self,
        engine: &mut Engine,
        random: &mut Random,
    ) -> Result<Position, GeneratorError> {
        for _ in 0..MOST_OPENINGS {
            let start = self.opening(random)?;
            engine.new_game();
            engine.set_game(Game::new(start.clone()));
            let score = engine.search(Limits::soft_nodes(self.terms.nodes)).score();
            if score.is_some_and(|score| self.is_balanced(score)) {
                return Ok(start);
            }
        }
        Err(GeneratorError::NoOpening)
    }

    fn is_balanced(&self, score: Score) -> bool {
        score.raw().abs() <= self.terms.balance
    }

    fn play_from(
        &self,
        engine: &mut Engine,
        start: Position,
        stop: &AtomicBool,
    ) -> Result<OpeningUse, GeneratorError> {
        let limits = Limits::soft_nodes(self.terms.nodes);
        let mut adjudicator = Adjudicator::new(self.terms.adjudication);
        let mut writer = GameWriter::new(start.chess().clone());
        let mut game = Game::new(start);
        engine.new_game();
        let winner = loop {
            if stop.load(Ordering::Relaxed) {
                return Ok(OpeningUse::Stopped);
            }
            if let Some((winner, _)) = by_rules(&game) {
                break winner;
            }
            if let Some(winner) = known_outcome(engine, game.position()) {
                break winner;
            }
            engine.set_game(game.clone());
            let outcome = engine.start(Search::new(limits.clone()).on_this_thread()).wait();
            let crashed = |what: Option<String>| GeneratorError::Search(what.unwrap_or_default());
            let (Some(m), Some(score), None) = (outcome.best_move(), outcome.score(), &outcome.panicked)
            else {
                return Err(crashed(outcome.panicked));
            };
            if writer.is_empty() && !self.is_balanced(score) {
                return Ok(OpeningUse::Lost);
            }
            let position = game.position();
            let (turn, number) = (position.turn(), position.chess().fullmoves().get());
            writer.push(m, turn, score);
            game.play(m);
            if let Some((winner, _)) = adjudicator.add_move(turn, Some(score), number) {
                // A mate on the board overrules the adjudicator.
                break by_rules(&game).map_or(winner, |(winner, _)| winner);
            }
        };
        // The opening was decided by endgame tables, so no move was played.
        Ok(if writer.is_empty() {
            OpeningUse::Lost
        } else {
            OpeningUse::Whole(writer.finish(GameResult::won_by(winner)))
        })
    }
}

/// The result of playing an opening.
enum OpeningUse {
    /// The bytes of a complete game.
    Whole(Vec<u8>),
    /// The opening is lost for one side, or decided by endgame tables.
    Lost,
    /// The run was stopped.
    Stopped,
}

/// The generator gives up after this many unusable openings in a row.
const MOST_OPENINGS: usize = 1_000;

/// Why no more games can be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GeneratorError {
    /// The game is over, or lost for one side, in every opening.
    #[error("{MOST_OPENINGS} openings in a row were lost for one side, or the game was over")]
    NoOpening,
    /// A search panicked, with this message.
    #[error("a search panicked: {0}")]
    Search(String),
}

/// The winner by endgame tables, if they have the position.
fn known_outcome(engine: &Engine, position: &Position) -> Option<Option<Color>> {
    let tables = engine.syzygy()?;
    let few = position.board().occupied().count() <= tables.men();
    if !few || position.halfmoves() > 0 || !Syzygy::covers(position) {
        return None;
    }
    let turn = position.turn();
    Some(match tables.outcome(position)? {
        Wdl::Win => Some(turn),
        Wdl::Loss => Some(!turn),
        Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => None,
    })
}

/// The Chess960 start position with this Scharnagl number.
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
        let terms = GameTerms { nodes: 60, ..GameTerms::default() };
        let mut options = Options::default();
        options.set("Hash", "1").unwrap();
        Generator { options, terms, openings, seed: 7 }
    }

    fn played(generator: &Generator, engine: &mut Engine, number: u64) -> Vec<u8> {
        generator.play(engine, number, &AtomicBool::new(false)).unwrap().unwrap()
    }

    #[test]
    fn a_game_depends_on_its_number_alone() {
        let generator = generator(Openings::Start);
        let (mut one, mut other) = (generator.engine(), generator.engine());
        let games: Vec<Vec<u8>> = (0..4).map(|number| played(&generator, &mut one, number)).collect();
        for number in [3, 1, 0, 2] {
            assert_eq!(played(&generator, &mut other, number), games[number as usize]);
        }
        assert_ne!(games[0], games[1]);
        assert_ne!(played(&Generator { seed: 8, ..generator }, &mut one, 0), games[0]);
    }

    #[test]
    fn openings_have_eight_or_nine_random_plies() {
        let mut random = Random::new(3);
        let plies = |position: &Position| {
            2 * (position.chess().fullmoves().get() - 1) + position.turn().fold_wb(0, 1)
        };
        let usual = generator(Openings::Start);
        let found: Vec<u32> = (0..40).map(|_| plies(&usual.opening(&mut random).unwrap())).collect();
        assert!(found.contains(&8) && found.contains(&9) && found.iter().all(|n| (8..=9).contains(n)));
    }

    #[test]
    fn chess960_has_its_own_start_positions_with_all_castling_rights() {
        assert_eq!(chess960(518).fen(), Position::default().fen());
        let boards: std::collections::HashSet<String> =
            (0..960).map(|number| chess960(number).fen().split(' ').next().unwrap().to_owned()).collect();
        assert_eq!(boards.len(), 960);
        assert!((0..960).all(|n| chess960(n).chess().castles().castling_rights().count() == 4));
    }

    #[test]
    fn openings_that_are_lost_or_over_are_refused_and_do_not_last_for_ever() {
        for fen in ["4k3/8/8/8/8/8/QQ6/4K3 w - - 0 1", "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1"] {
            let position = Position::from_fen(fen, false).unwrap();
            let mut generator = generator(Openings::Positions(vec![position]));
            generator.terms.random_plies = 0;
            let mut engine = generator.engine();
            let stop = AtomicBool::new(false);
            assert_eq!(generator.play(&mut engine, 0, &stop), Err(GeneratorError::NoOpening), "{fen}");
        }
    }

    #[test]
    fn a_stopped_game_is_no_game() {
        let generator = generator(Openings::Start);
        let stopped = generator.play(&mut generator.engine(), 0, &AtomicBool::new(true));
        assert_eq!(stopped, Ok(None));
    }

    #[test]
    fn endgame_tables_end_a_game_and_name_its_winner() {
        // A capture leads to three men; the clock of the first two says that it is not known from the start.
        for (fen, result) in [
            ("4k3/8/8/8/8/8/r7/KR6 w - - 1 60", GameResult::White),
            ("kr6/R7/8/8/8/8/8/4K3 b - - 1 60", GameResult::Black),
            ("8/8/8/4k3/7p/8/6n1/7K w - - 0 60", GameResult::Draw),
        ] {
            let start = Position::from_fen(fen, false).unwrap();
            let mut generator = generator(Openings::Start);
            generator.terms.adjudication = Adjudication::default();
            generator.terms.balance = i32::MAX;
            let plies_and_result = |generator: &Generator| {
                let played =
                    generator.play_from(&mut generator.engine(), start.clone(), &AtomicBool::new(false));
                let Ok(OpeningUse::Whole(bytes)) = played else { panic!("no game") };
                let game = PackedGame::first(&bytes).unwrap();
                (game.plies().len(), game.start().result())
            };
            assert!(plies_and_result(&generator).0 > 1, "without tables it is played on");
            let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");
            generator.options.set("SyzygyPath", tables).unwrap();
            assert_eq!(plies_and_result(&generator), (1, Some(result)), "{fen}");
        }
    }

    #[test]
    fn a_mate_on_the_board_has_its_winner_whatever_the_adjudicator_thinks() {
        // Mate in one, and a rule that calls every game a draw at once.
        let start = Position::from_fen("6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 60", false).unwrap();
        let mut generator = generator(Openings::Start);
        generator.terms.adjudication.longest = Some(0);
        generator.terms.balance = i32::MAX;
        let played = generator.play_from(&mut generator.engine(), start, &AtomicBool::new(false));
        let Ok(OpeningUse::Whole(bytes)) = played else { panic!("no game") };
        let game = PackedGame::first(&bytes).unwrap();
        assert_eq!((game.plies().len(), game.start().result()), (1, Some(GameResult::White)));
    }
}
