//! Ends of games: by the rules of chess, and by adjudication when both players agree on the result.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use shakmaty::Color;

use crate::board::Game;
use crate::game_record::GameEnd;
use crate::score::Score;

/// Adjudicates a draw when both players see one.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawRule {
    /// Not before this move of the game.
    pub from: u32,
    /// Consecutive moves of both players.
    pub moves: u32,
    /// Largest score in centipawns.
    pub within: i32,
}

/// Adjudicates a win when both players see the same side winning.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResignRule {
    /// Consecutive moves of both players.
    pub moves: u32,
    /// Least score in centipawns.
    pub by: i32,
}

/// When games end before the rules of chess end them.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjudication {
    /// Draws by agreement of the scores.
    pub draw: Option<DrawRule>,
    /// Wins by agreement of the scores.
    pub resign: Option<ResignRule>,
    /// Moves after which a game is drawn.
    pub longest: Option<u32>,
}

impl fmt::Display for Adjudication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let draw = self.draw.map(|DrawRule { from, moves, within }| {
            format!("drawn from move {from} if both see at most {within} centipawns for {moves} moves")
        });
        let win = self.resign.map(|ResignRule { moves, by }| {
            format!("won if both see at least {by} centipawns for {moves} moves")
        });
        let longest = self.longest.map(|longest| format!("drawn after {longest} moves"));
        let rules: Vec<String> = [draw, win, longest].into_iter().flatten().collect();
        f.write_str(if rules.is_empty() { "none".to_owned() } else { rules.join("; ") }.as_str())
    }
}

impl FromStr for DrawRule {
    type Err = String;

    /// Reads `from,moves,centipawns`.
    fn from_str(text: &str) -> Result<Self, String> {
        match numbers(text).as_deref() {
            Some(&[from, moves, within]) if moves > 0 => Ok(Self { from, moves, within: within as i32 }),
            _ => Err(format!("{text:?} is not FROM,MOVES,CENTIPAWNS such as 34,8,20")),
        }
    }
}

impl FromStr for ResignRule {
    type Err = String;

    /// Reads `moves,centipawns`.
    fn from_str(text: &str) -> Result<Self, String> {
        match numbers(text).as_deref() {
            Some(&[moves, by]) if moves > 0 && by > 0 => Ok(Self { moves, by: by as i32 }),
            _ => Err(format!("{text:?} is not MOVES,CENTIPAWNS such as 3,600")),
        }
    }
}

fn numbers(text: &str) -> Option<Vec<u32>> {
    text.split(',').map(|word| word.trim().parse().ok().filter(|&number| number <= 100_000)).collect()
}

/// Applies adjudication rules to the scores of a game.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    rules: Adjudication,
    /// Consecutive plies with a drawish score.
    drawish: u32,
    /// Consecutive plies with White, and with Black, winning.
    winning: [u32; 2],
    plies: u32,
}

impl Adjudicator {
    /// Before the first move.
    pub fn new(rules: Adjudication) -> Self {
        Self { rules, drawish: 0, winning: [0; 2], plies: 0 }
    }

    /// Adds a move with the mover's score; returns winner and reason if that ends the game. `number` is the move number.
    pub fn add_move(
        &mut self,
        mover: Color,
        score: Option<Score>,
        number: u32,
    ) -> Option<(Option<Color>, GameEnd)> {
        self.plies += 1;
        let white = score.map(|score| mover.fold_wb(score, -score).raw());
        if let (Some(rule), Some(value)) = (self.rules.draw, white) {
            self.drawish = if value.abs() <= rule.within { self.drawish + 1 } else { 0 };
        }
        if let (Some(rule), Some(value)) = (self.rules.resign, white) {
            for (color, value) in [(Color::White, value), (Color::Black, -value)] {
                let count = &mut self.winning[color as usize];
                *count = if value >= rule.by { *count + 1 } else { 0 };
            }
        }
        if white.is_none() {
            (self.drawish, self.winning) = (0, [0; 2]);
        }
        self.verdict(number)
    }

    fn verdict(&self, number: u32) -> Option<(Option<Color>, GameEnd)> {
        if let Some(rule) = self.rules.resign
            && let Some(winner) =
                Color::ALL.into_iter().find(|&color| self.winning[color as usize] >= 2 * rule.moves)
        {
            return Some((Some(winner), GameEnd::AdjudicatedWin));
        }
        if self.rules.draw.is_some_and(|rule| number >= rule.from && self.drawish >= 2 * rule.moves) {
            return Some((None, GameEnd::AdjudicatedDraw));
        }
        if self.rules.longest.is_some_and(|longest| self.plies >= 2 * longest) {
            return Some((None, GameEnd::TooLong));
        }
        None
    }
}

/// How the rules of chess end the game here, and who wins.
pub fn by_rules(game: &Game) -> Option<(Option<Color>, GameEnd)> {
    let position = game.position();
    if position.legal_moves().is_empty() {
        return Some(if position.in_check() {
            (Some(!position.turn()), GameEnd::Mate)
        } else {
            (None, GameEnd::Stalemate)
        });
    }
    let draw = if position.is_dead() {
        GameEnd::Material
    } else if game.is_threefold() {
        GameEnd::Repetition
    } else if position.halfmoves() >= 100 {
        GameEnd::FiftyMoves
    } else {
        return None;
    };
    Some((None, draw))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    fn ending(fen: &str) -> Option<(Option<Color>, GameEnd)> {
        by_rules(&Game::new(Position::from_fen(fen, false).unwrap()))
    }

    #[test]
    fn the_rules_end_games() {
        assert_eq!(ending("7k/6Q1/6K1/8/8/8/8/8 b - - 99 80"), Some((Some(Color::White), GameEnd::Mate)));
        assert_eq!(ending("7k/6Q1/6K1/8/8/8/8/8 b - - 100 80"), Some((Some(Color::White), GameEnd::Mate)));
        assert_eq!(ending("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), Some((None, GameEnd::Stalemate)));
        assert_eq!(ending("7k/8/6K1/8/8/8/8/N7 b - - 0 1"), Some((None, GameEnd::Material)));
        assert_eq!(ending("7k/8/6K1/8/8/8/8/R7 b - - 100 90"), Some((None, GameEnd::FiftyMoves)));
        assert_eq!(ending("7k/8/6K1/8/8/8/8/R7 b - - 99 90"), None);
    }

    #[test]
    fn a_game_that_both_see_won_is_won() {
        let rules = Adjudication { resign: "2,500".parse().ok(), ..Adjudication::default() };
        let mut judge = Adjudicator::new(rules);
        for (mover, score) in [(Color::Black, 600), (Color::White, -700), (Color::Black, 800)] {
            assert_eq!(judge.add_move(mover, Some(Score::cp(score)), 1), None);
        }
        let last = judge.add_move(Color::White, Some(Score::mated_at(8)), 1);
        assert_eq!(last, Some((Some(Color::Black), GameEnd::AdjudicatedWin)));
    }

    #[test]
    fn one_who_disagrees_plays_on() {
        let rules = Adjudication {
            resign: "1,500".parse().ok(),
            draw: "0,1,10".parse().ok(),
            ..Adjudication::default()
        };
        let mut judge = Adjudicator::new(rules);
        for (mover, score) in [(Color::White, 600), (Color::Black, 0), (Color::White, 600), (Color::Black, 5)]
        {
            assert_eq!(judge.add_move(mover, Some(Score::cp(score)), 50), None);
        }
        assert_eq!(judge.add_move(Color::White, None, 51), None, "no value says nothing");
        assert_eq!(judge.add_move(Color::Black, Some(Score::cp(0)), 51), None);
        assert_eq!(
            judge.add_move(Color::White, Some(Score::cp(0)), 52),
            Some((None, GameEnd::AdjudicatedDraw))
        );
    }

    #[test]
    fn draws_have_to_wait_and_games_may_be_cut_off() {
        let rules =
            Adjudication { draw: "40,1,10".parse().ok(), longest: Some(2), ..Adjudication::default() };
        let mut judge = Adjudicator::new(rules);
        for ply in 0..3 {
            assert_eq!(judge.add_move(Color::White, Some(Score::DRAW), 1 + ply / 2), None);
        }
        assert_eq!(judge.add_move(Color::Black, Some(Score::DRAW), 2), Some((None, GameEnd::TooLong)));
    }

    #[test]
    fn rules_are_told_with_their_numbers() {
        let usual =
            Adjudication { draw: "40,8,10".parse().ok(), resign: "4,700".parse().ok(), longest: None };
        assert_eq!(Adjudication::default().to_string(), "none");
        assert_eq!(
            usual.to_string(),
            "drawn from move 40 if both see at most 10 centipawns for 8 moves; won if both see at least 700 \
             centipawns for 4 moves"
        );
    }

    #[test]
    fn rules_that_make_no_sense_are_refused() {
        assert!("1,2".parse::<DrawRule>().is_err() && "1,0,5".parse::<DrawRule>().is_err());
        assert!("0,5".parse::<ResignRule>().is_err() && "x,5".parse::<ResignRule>().is_err());
    }
}
