//! Reports on training games, and checks them.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use shakmaty::{Chess, Color, Position as _};

use super::reader::{Damage, Filter, GameFiles, LoadedFile};
use super::series::{SeriesDescription, Totals};
use super::viriformat::{GameResult, PackedGame, PackedPosition};
use crate::adjudication::{Adjudicator, by_rules};
use crate::board::{Game, Position};
use crate::game_record::GameEnd;
use crate::score::Score;
use crate::statistics::{best_positive, logistic};

/// Width of a score bin in centipawns.
const SCORE_STEP: i32 = 50;
/// Larger scores are counted as this.
const SCORE_LIMIT: i32 = 1_500;
/// Width of a bin of game lengths in plies.
const LENGTH_STEP: u64 = 20;

/// A report on training games.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GamesReport {
    /// Number of files.
    pub files: usize,
    /// Games, plies, usable positions, bytes and results.
    #[serde(flatten)]
    pub totals: Totals,
    /// Repetitions of usable positions.
    pub duplicates: u64,
    /// Games by ending.
    pub endings: BTreeMap<String, u64>,
    /// Games by length in plies, in steps of `LENGTH_STEP`.
    pub lengths: BTreeMap<u64, u64>,
    /// Usable positions by score from White's view, in steps of `SCORE_STEP`, with White's points.
    pub scores: BTreeMap<i32, ScoreBin>,
    /// Usable positions by the number of men on the board.
    pub men: BTreeMap<u32, u64>,
    /// How well scores predict results.
    pub accuracy: Accuracy,
    /// Counts by series.
    pub series: Vec<Played>,
    /// Games with an illegal move or a wrong result.
    pub unsound: u64,
    /// Games with legal moves and a wrong result.
    pub wrong_results: u64,
    /// Games whose result cannot be checked: adjudicated by endgame tables, or in a file without a description.
    pub unchecked: u64,
    /// Damaged files and games.
    pub damages: Vec<Damage>,
}

/// Positions with similar scores.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize)]
pub struct ScoreBin {
    /// Number of positions.
    pub positions: u64,
    /// White's points in them.
    pub points: f64,
}

/// How well scores predict results by expected points 1 / (1 + exp(−slope · score)).
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize)]
pub struct Accuracy {
    /// The slope of the sigmoid, per centipawn.
    pub slope: f64,
    /// Mean squared error of the prediction.
    pub error: f64,
    /// Mean squared error of predicting the mean result.
    pub constant_error: f64,
}

impl Accuracy {
    /// Fits the slope to positions.
    pub fn of(positions: &[PackedPosition]) -> Self {
        let (mut bins, mut squares) = (BTreeMap::new(), 0.0);
        for position in positions {
            let Some(points) = position.result().map(GameResult::points) else { continue };
            add_score(&mut bins, i32::from(position.score()).clamp(-SCORE_LIMIT, SCORE_LIMIT), points);
            squares += points * points;
        }
        Self::fit(&bins, squares)
    }

    /// Fits the slope to positions counted by score.
    fn fit(bins: &BTreeMap<i32, ScoreBin>, squares: f64) -> Self {
        let total: f64 = bins.values().map(|bin| bin.positions as f64).sum();
        if total == 0.0 {
            return Self::default();
        }
        let points: f64 = bins.values().map(|bin| bin.points).sum();
        // Squared errors are sums over single positions: r² − 2 r p + p².
        let error = |slope: f64| {
            let of_bin = |(score, bin): (&i32, &ScoreBin)| {
                let expected = expected_points(slope, f64::from(*score));
                bin.positions as f64 * expected * expected - 2.0 * expected * bin.points
            };
            (squares + bins.iter().map(of_bin).sum::<f64>()) / total
        };
        let slope = best_positive(1e-4..0.1, 60, error);
        let mean = points / total;
        Self { slope, error: error(slope), constant_error: squares / total - mean * mean }
    }
}

/// White's expected points at a score in centipawns.
pub fn expected_points(slope: f64, score: f64) -> f64 {
    logistic(slope * score)
}

/// Counts of a series.
#[derive(Clone, Debug, Serialize)]
pub struct Played {
    /// Version of the program.
    pub version: String,
    /// Soft node limit per move.
    pub nodes: u64,
    /// The seed of the series.
    pub seed: u64,
    /// Options that differ from the defaults.
    pub options: Vec<String>,
    /// Number of games.
    pub games: u64,
    /// Usable positions.
    pub positions: u64,
}

/// The report on one file, to be merged with others.
#[derive(Default)]
struct FileReport {
    report: GamesReport,
    fine: BTreeMap<i32, ScoreBin>,
    squares: f64,
    keys: Vec<u64>,
    unsound: Option<String>,
}

impl GamesReport {
    /// Replays all games of these files; `done` is called after every file.
    pub fn of(
        files: &GameFiles,
        filter: &Filter,
        jobs: usize,
        stop: &AtomicBool,
        done: impl Fn() + Sync,
    ) -> Self {
        let (reports, damages) = files.map(jobs, stop, |_, file| {
            let report = FileReport::of(file, filter);
            done();
            report
        });
        let mut all = Self { files: files.paths().len(), damages, ..Self::default() };
        let (mut keys, mut fine, mut squares) = (Vec::new(), BTreeMap::new(), 0.0);
        for file in reports {
            all.merge(file.report);
            merge_bins(&mut fine, &file.fine);
            squares += file.squares;
            keys.extend(file.keys);
        }
        all.accuracy = Accuracy::fit(&fine, squares);
        keys.sort_unstable();
        let positions = keys.len();
        keys.dedup();
        all.duplicates = (positions - keys.len()) as u64;
        all
    }

    fn merge(&mut self, other: Self) {
        self.totals.merge(&other.totals);
        self.unsound += other.unsound;
        self.wrong_results += other.wrong_results;
        self.unchecked += other.unchecked;
        self.damages.extend(other.damages);
        merge_bins(&mut self.scores, &other.scores);
        add_counts(&mut self.endings, other.endings);
        add_counts(&mut self.lengths, other.lengths);
        add_counts(&mut self.men, other.men);
        for played in other.series {
            let same = |known: &&mut Played| {
                (&known.version, known.nodes, known.seed, &known.options)
                    == (&played.version, played.nodes, played.seed, &played.options)
            };
            match self.series.iter_mut().find(same) {
                Some(known) => {
                    known.games += played.games;
                    known.positions += played.positions;
                }
                None => self.series.push(played),
            }
        }
    }

    /// Bytes per usable position.
    pub fn bytes_per_position(&self) -> f64 {
        self.totals.bytes as f64 / self.totals.positions.max(1) as f64
    }
}

fn add_score(bins: &mut BTreeMap<i32, ScoreBin>, score: i32, points: f64) {
    let bin = bins.entry(score).or_default();
    bin.positions += 1;
    bin.points += points;
}

fn merge_bins(sum: &mut BTreeMap<i32, ScoreBin>, more: &BTreeMap<i32, ScoreBin>) {
    for (score, bin) in more {
        let known = sum.entry(*score).or_default();
        known.positions += bin.positions;
        known.points += bin.points;
    }
}

fn add_counts<K: Ord>(sum: &mut BTreeMap<K, u64>, more: BTreeMap<K, u64>) {
    for (key, count) in more {
        *sum.entry(key).or_default() += count;
    }
}

impl FileReport {
    fn of(file: &LoadedFile, filter: &Filter) -> Self {
        let mut found = Self::default();
        for (number, game) in file.games().enumerate() {
            if let Err(what) = found.add(&game, filter, file.description.as_ref()) {
                found.report.unsound += 1;
                found.unsound.get_or_insert_with(|| format!("game {} of the file: {what}", number + 1));
            }
        }
        if let Some(what) = found.unsound.take() {
            found.report.damages.push(Damage { file: file.path.clone(), what, left_out: false });
        }
        let totals = found.report.totals;
        let played = |known: &SeriesDescription| Played {
            version: known.version.clone(),
            nodes: known.terms.nodes,
            seed: known.seed,
            options: known.options.clone(),
            games: totals.games,
            positions: totals.positions,
        };
        found.report.series.extend(file.description.as_ref().map(played));
        found
    }

    /// Adds a game; an error if it is not valid.
    fn add(
        &mut self,
        game: &PackedGame,
        filter: &Filter,
        description: Option<&SeriesDescription>,
    ) -> Result<(), String> {
        let header = game.start();
        let start = header.unpack()?;
        let result = header.result().ok_or("no result")?;
        // Replay it first: an invalid game must not be counted at all.
        game.replay(start.clone(), |_, _, _| ())
            .map_err(|error| format!("move {} is illegal", error.ply + 1))?;
        let mut replayed = Replayed::new(start.clone(), description);
        let mut kept = 0;
        let _ = game.replay(start, |chess, m, score| {
            if filter.keeps(chess, m, score) {
                kept += 1;
                self.count(chess, score, result);
                self.keys.push(replayed.game.position().key());
            }
            replayed.play(m, score);
        });
        let plies = game.plies().len() as u64;
        let totals = &mut self.report.totals;
        totals.games += 1;
        totals.plies += plies;
        totals.positions += kept;
        totals.bytes += game.bytes().len() as u64;
        totals.results[result as usize] += 1;
        *self.report.lengths.entry(plies / LENGTH_STEP * LENGTH_STEP).or_default() += 1;
        let (ending, expected) = replayed.ending();
        *self.report.endings.entry(ending.clone()).or_default() += 1;
        self.report.unchecked += u64::from(expected.is_none());
        match expected {
            Some(expected) if expected != result => {
                self.report.wrong_results += 1;
                Err(format!("the result does not fit the end of the game ({ending})"))
            }
            _ => Ok(()),
        }
    }

    /// Counts a usable position.
    fn count(&mut self, chess: &Chess, score: i16, result: GameResult) {
        let score = i32::from(score);
        let limited = score.clamp(-SCORE_LIMIT, SCORE_LIMIT);
        let coarse = (limited + SCORE_LIMIT + SCORE_STEP / 2) / SCORE_STEP * SCORE_STEP - SCORE_LIMIT;
        add_score(&mut self.report.scores, coarse, result.points());
        add_score(&mut self.fine, limited, result.points());
        self.squares += result.points() * result.points();
        *self.report.men.entry(chess.board().occupied().count() as u32).or_default() += 1;
    }
}

/// Replays a game with the adjudication of its series.
struct Replayed {
    game: Game,
    adjudicator: Option<Adjudicator>,
    verdict: Option<(Option<Color>, GameEnd)>,
    has_tables: bool,
}

impl Replayed {
    fn new(start: Chess, description: Option<&SeriesDescription>) -> Self {
        Self {
            game: Game::new(Position::new(start)),
            adjudicator: description.map(|known| Adjudicator::new(known.terms.adjudication)),
            verdict: None,
            has_tables: description.is_some_and(SeriesDescription::names_endgame_tables),
        }
    }

    fn play(&mut self, m: shakmaty::Move, score: i16) {
        let position = self.game.position();
        let (turn, number) = (position.turn(), position.chess().fullmoves().get());
        let score = Score::cp(turn.fold_wb(i32::from(score), -i32::from(score)));
        if let Some(adjudicator) = &mut self.adjudicator {
            self.verdict = adjudicator.add_move(turn, Some(score), number);
        }
        self.game.play(m);
    }

    /// Why the game ended, and its result if that can be known without endgame tables.
    fn ending(&self) -> (String, Option<GameResult>) {
        if let Some((winner, ending)) = by_rules(&self.game).or(self.verdict) {
            return (ending.to_string(), Some(GameResult::won_by(winner)));
        }
        let ending = match &self.adjudicator {
            Some(_) if self.has_tables => "endgame tables",
            Some(_) => "no reason",
            None => "not described",
        };
        (ending.to_owned(), None)
    }
}

#[cfg(test)]
mod tests {
    use super::super::viriformat::GameWriter;
    use super::*;

    fn scholars_mate(result: GameResult) -> Vec<u8> {
        let mut game = Game::default();
        let mut writer = GameWriter::new(game.position().chess().clone());
        for text in ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"] {
            let m = game.position().parse_move(text).unwrap();
            writer.push(m, game.position().turn(), Score::cp(30));
            game.play(m);
        }
        writer.finish(result)
    }

    fn report(files: &[Vec<u8>]) -> GamesReport {
        let folder = tempfile::tempdir().unwrap();
        for (number, bytes) in files.iter().enumerate() {
            std::fs::write(folder.path().join(format!("{number}.vf")), bytes).unwrap();
        }
        let files = GameFiles::find(&[folder.path().to_owned()]).unwrap();
        GamesReport::of(&files, &Filter::NONE, 2, &AtomicBool::new(false), || ())
    }

    #[test]
    fn games_are_counted_and_the_same_game_twice_is_seen() {
        let game = scholars_mate(GameResult::White);
        let found = report(&[game.clone(), [game.clone(), game].concat()]);
        assert_eq!((found.totals.games, found.totals.plies, found.totals.positions), (3, 21, 21));
        assert_eq!((found.duplicates, found.unsound), (14, 0));
        assert_eq!(found.endings.get("mate"), Some(&3));
        assert_eq!(found.totals.results, [0, 0, 3]);
        assert_eq!(found.men.get(&32), Some(&21));
    }

    #[test]
    fn a_result_against_the_last_position_and_an_illegal_move_are_named() {
        let found = report(&[scholars_mate(GameResult::Black)]);
        assert_eq!(found.unsound, 1);
        assert!(found.damages[0].what.contains("result does not fit"), "{:?}", found.damages);
        let mut bytes = scholars_mate(GameResult::White);
        // The pawn that goes to e4 goes on to e8 instead: no legal move.
        bytes[super::super::viriformat::HEADER] = 0x0c;
        bytes[super::super::viriformat::HEADER + 1] = 0x0f;
        assert!(report(&[bytes]).damages[0].what.contains("move 1 is illegal"));
    }

    #[test]
    fn the_slope_of_scores_that_predict_perfectly_is_found() {
        let slope = 0.004;
        let bins: BTreeMap<i32, ScoreBin> = (-10..=10)
            .map(|n| {
                (
                    100 * n,
                    ScoreBin {
                        positions: 1_000,
                        points: 1_000.0 * expected_points(slope, f64::from(100 * n)),
                    },
                )
            })
            .collect();
        let points: f64 = bins.values().map(|bin| bin.points).sum();
        // All games won or lost: the square of a result is the result.
        let found = Accuracy::fit(&bins, points);
        assert!((found.slope - slope).abs() < 1e-6 && found.error < found.constant_error, "{found:?}");
    }
}
