//! Reads training games, and their positions in a random order.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Move, Position as _};

use super::series::{ENDING, SeriesDescription};
use super::shuffle::{Blocks, Scatterer, Shuffled};
use super::viriformat::{GameResult, Games, PackedGame, PackedPosition};
use crate::board::Position;
use crate::eval::network::Network;
use crate::eval::{Evaluator, Weights};
use crate::parallel::{Jobs, parallel_map};
use crate::random::Random;
use crate::score::Score;
use crate::statistics::logistic;

/// Selects the positions to learn from.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// Plies before the first position, including random ones.
    pub min_ply: u32,
    /// Leaves out positions in check.
    pub quiet_king: bool,
    /// Leaves out positions whose best move is a capture or promotion.
    pub quiet_move: bool,
    /// Leaves out mate and endgame table scores.
    pub undecided: bool,
    /// Leaves out scores beyond this.
    pub max_score: i32,
}

impl Default for Filter {
    fn default() -> Self {
        let max_score = i32::from(i16::MAX);
        Self { min_ply: 16, quiet_king: true, quiet_move: true, undecided: true, max_score }
    }
}

impl Filter {
    /// The filter that keeps every position.
    pub const NONE: Self =
        Self { min_ply: 0, quiet_king: false, quiet_move: false, undecided: false, max_score: i32::MAX };

    /// Whether a position is kept, given its best move and score.
    #[inline]
    pub fn keeps(&self, chess: &Chess, m: Move, score: i16) -> bool {
        let ply = 2 * (chess.fullmoves().get() - 1) + chess.turn().fold_wb(0, 1);
        let score = i32::from(score);
        ply >= self.min_ply
            && score.abs() <= self.max_score
            && !(self.quiet_move && (m.is_capture() || m.is_promotion()))
            && !(self.undecided && score.abs() > Score::MAX_EVAL.raw())
            && !(self.quiet_king && chess.is_check())
    }
}

/// The number of positions of a game that a filter keeps; `None` if the game cannot be replayed.
pub(super) fn usable_positions(game: &PackedGame, filter: &Filter) -> Option<u64> {
    let mut count = 0;
    let start = game.start().unpack().ok()?;
    game.replay(start, |chess, m, score| count += u64::from(filter.keeps(chess, m, score))).ok()?;
    Some(count)
}

/// Damage in a file of games. Complete games before it are read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The file.
    pub file: PathBuf,
    /// The damage in words.
    pub what: String,
    /// Whether the whole file is left out.
    pub left_out: bool,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.what)
    }
}

/// Files of games, sorted by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFiles {
    files: Vec<PathBuf>,
}

/// One file, read and checked.
pub struct LoadedFile {
    /// The path of the file.
    pub path: PathBuf,
    /// Its description, if it has one.
    pub description: Option<SeriesDescription>,
    bytes: Vec<u8>,
}

impl LoadedFile {
    /// Reads a file; an error if its checksum does not match.
    pub(super) fn read(path: &Path) -> Result<Self, Damage> {
        let damage = |what: String| Damage { file: path.to_owned(), what, left_out: true };
        // Read the description first: a file that is being written can then only be longer than described.
        let description = SeriesDescription::beside(path);
        let bytes = std::fs::read(path).map_err(|error| damage(error.to_string()))?;
        if let Some(known) = &description {
            let length = known.totals.bytes as usize;
            // Games may have been added since; the checksum is of those described.
            let fits = |described: &[u8]| format!("{:08x}", crc32fast::hash(described)) == known.crc32;
            if bytes.get(..length).is_some_and(|described| !fits(described)) {
                return Err(damage("the checksum does not fit; left out".to_owned()));
            }
        }
        Ok(Self { path: path.to_owned(), description, bytes })
    }

    /// The contents of the file.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its games, up to the first incomplete one.
    pub fn games(&self) -> Games<'_> {
        Games::new(&self.bytes)
    }

    /// Bytes missing or left over at the end.
    pub fn damage(&self) -> Option<Damage> {
        let mut games = self.games();
        games.by_ref().for_each(drop);
        let described = self.description.as_ref().map_or(0, |known| known.totals.bytes);
        let missing = described.saturating_sub(self.bytes.len() as u64);
        let what = match (games.rest().len(), missing) {
            (0, 0) => return None,
            (0, missing) => format!("cut off: {missing} bytes are missing"),
            (rest, 0) => format!("cut off: {rest} bytes after the last whole game are not read"),
            (rest, missing) => {
                format!("cut off: {missing} bytes are missing, {rest} after the last whole game are not read")
            }
        };
        Some(Damage { file: self.path.clone(), what, left_out: false })
    }
}

impl GameFiles {
    /// Finds files of games, given folders or the files themselves.
    pub fn find(places: &[PathBuf]) -> Result<Self, String> {
        let mut files = Vec::new();
        for place in places {
            let wrong = |error: io::Error| format!("{}: {error}", place.display());
            if std::fs::metadata(place).map_err(wrong)?.is_file() {
                files.push(place.canonicalize().map_err(wrong)?);
                continue;
            }
            let before = files.len();
            for entry in std::fs::read_dir(place.canonicalize().map_err(wrong)?).map_err(wrong)? {
                let path = entry.map_err(wrong)?.path();
                if path.extension().is_some_and(|ending| ending == ENDING) && path.is_file() {
                    files.push(path);
                }
            }
            if files.len() == before {
                return Err(format!("{}: no games here (files that end with .{ENDING})", place.display()));
            }
        }
        files.sort();
        files.dedup();
        Ok(Self { files })
    }

    /// Whether a folder has files of games.
    pub fn are_in(folder: &Path) -> bool {
        Self::find(&[folder.to_owned()]).is_ok()
    }

    /// The files in the order they are read.
    pub fn paths(&self) -> &[PathBuf] {
        &self.files
    }

    /// Total size of the files in bytes.
    pub fn bytes(&self) -> u64 {
        self.files.iter().filter_map(|path| path.metadata().ok()).map(|data| data.len()).sum()
    }

    /// Calls `work` for all files, `jobs` at a time, until `stop` is raised. Returns the results in the order of the files,
    /// and damage.
    pub fn map<R: Send>(
        &self,
        jobs: usize,
        stop: &AtomicBool,
        work: impl Fn(usize, &LoadedFile) -> R + Sync,
    ) -> (Vec<R>, Vec<Damage>) {
        let mut done: Vec<(usize, Result<R, Damage>, Option<Damage>)> = Vec::new();
        let one = |(): &mut (), (index, path): (usize, &PathBuf)| {
            Some(match LoadedFile::read(path) {
                Ok(file) => (index, Ok(work(index, &file)), file.damage()),
                Err(damage) => (index, Err(damage), None),
            })
        };
        let jobs = Jobs { count: jobs, stop };
        parallel_map(jobs, self.files.iter().enumerate(), || (), one, |result| done.push(result));
        done.sort_by_key(|(index, ..)| *index);
        let (mut results, mut damages) = (Vec::new(), Vec::new());
        for (_, result, damage) in done {
            match result {
                Ok(result) => results.push(result),
                Err(damage) => damages.push(damage),
            }
            damages.extend(damage);
        }
        (results, damages)
    }

    /// All selected positions in a random order, with whole games held out for validation. Files are read in parallel until
    /// `stop` is raised. Errors are those of the temporary file.
    pub fn samples(&self, reading: &ReadOptions, stop: &AtomicBool) -> io::Result<Samples> {
        let training = (self.bytes() / BUCKET).clamp(1, MOST_BUCKETS) as usize;
        let validation = (training as f64 * reading.validation).ceil() as usize;
        let blocks = Arc::new(Blocks::new(training + validation, reading.memory));
        let (read, damages) = self.map(reading.jobs, stop, |index, file| {
            let mut scattered = Scattered {
                reading,
                training,
                validation,
                random: Random::split(reading.seed, index as u64),
                scatterer: Scatterer::new(&blocks, index),
                judges: Judges::default(),
                games: 0,
                bad_games: 0,
            };
            scattered.add_all(file).map(|()| (scattered.games, scattered.bad_games))
        });
        let mut samples = Samples { damages, ..Samples::default() };
        for counts in read {
            let (games, bad_games) = counts?;
            samples.games += games;
            samples.bad_games += bad_games;
        }
        samples.training = blocks.shuffled(0..training, reading.seed);
        samples.validation = blocks.shuffled(training..training + validation, reading.seed);
        Ok(samples)
    }
}

/// How positions are read.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// The positions to keep.
    pub filter: Filter,
    /// Share of the games held out for validation.
    pub validation: f64,
    /// The seed of the random order.
    pub seed: u64,
    /// Files read at a time.
    pub jobs: usize,
    /// Bytes of positions to hold in memory; the rest goes to a temporary file.
    pub memory: usize,
    /// Positions off the game for each position of a game (`--detours`).
    pub detours: u32,
    /// Weight of the rest of the game in the score of a position ([`returns`]).
    pub td_lambda: f64,
    /// Weight of the classical evaluation in the score of a position.
    pub classical: f64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            filter: Filter::default(),
            validation: 0.0,
            seed: 1,
            jobs: 1,
            memory: 1 << 30,
            detours: 0,
            td_lambda: 0.0,
            classical: 0.0,
        }
    }
}

/// Bytes of game files per bucket, about ten megabytes of positions.
const BUCKET: u64 = 2 << 20;
/// Most buckets. With more, a temporary file would be read in very small pieces.
const MOST_BUCKETS: u64 = 1_024;

/// Distributes the positions of one file to buckets.
struct Scattered<'a> {
    reading: &'a ReadOptions,
    /// Number of training buckets.
    training: usize,
    /// Number of validation buckets, which follow them.
    validation: usize,
    random: Random,
    scatterer: Scatterer<'a>,
    judges: Judges,
    games: u64,
    bad_games: u64,
}

impl Scattered<'_> {
    fn add_all(&mut self, file: &LoadedFile) -> io::Result<()> {
        for game in file.games() {
            self.add(&game);
            self.scatterer.flush_if_full()?;
        }
        self.scatterer.flush()
    }

    fn add(&mut self, game: &PackedGame) {
        let header = game.start();
        let (Ok(start), Some(result)) = (header.unpack(), header.result()) else {
            self.bad_games += 1;
            return;
        };
        // Whether a game is held out depends only on its contents.
        let (first, buckets, wanted) = if is_held_out(game, self.reading.validation) {
            (self.training, self.validation, 0)
        } else {
            (0, self.training, self.reading.detours)
        };
        let Self { reading, random, scatterer, judges, .. } = self;
        let mut returns = returns(game, result, reading.td_lambda).into_iter();
        let played = game.replay(start, |chess, m, score| {
            let value = returns.next().unwrap_or(score);
            if reading.filter.keeps(chess, m, score) {
                let value = judges.blended(chess, value, reading.classical);
                scatterer.push(PackedPosition::new(chess, value, result), first + random.below(buckets));
                for _ in 0..wanted {
                    if let Some(beside) = judges.beside(chess, random) {
                        scatterer.push(beside, first + random.below(buckets));
                    }
                }
            }
        });
        self.games += 1;
        self.bad_games += u64::from(played.is_err());
    }
}

/// The λ-return of each position, from its own search and those after it: R. Sutton, "Learning to predict by the methods
/// of temporal differences", 1988. The result follows the last search.
///
/// Expected points are averaged rather than scores, because 3,000 centipawns mean hardly more than 1,000.
fn returns(game: &PackedGame, result: GameResult, lambda: f64) -> Vec<i16> {
    let mut values: Vec<i16> = game.plies().map(|(_, score)| score).collect();
    if lambda == 0.0 {
        return values;
    }
    let mut after = result.points();
    for value in values.iter_mut().rev() {
        after = (1.0 - lambda) * points(*value) + lambda * after;
        *value = centipawns(after);
    }
    values
}

/// Expected points of a score.
fn points(value: i16) -> f64 {
    logistic(f64::from(value) / CENTIPAWNS_PER_LOGIT)
}

/// The score for expected points, which are clamped because certainty would be infinite.
fn centipawns(points: f64) -> i16 {
    let points = points.clamp(0.0005, 0.9995);
    (CENTIPAWNS_PER_LOGIT * (points / (1.0 - points)).ln()).round() as i16
}

/// Converts scores to expected points for averaging. Games with a hundred nodes per move have 270, those with a thousand
/// 160; averages of similar scores depend little on it.
const CENTIPAWNS_PER_LOGIT: f64 = 250.0;

/// Evaluates positions without a search, by the classical evaluation and the built-in network. Their errors differ, so
/// their mean is nearer to the value of a deep search than either.
struct Judges {
    classical: Evaluator,
    network: Evaluator,
}

impl Default for Judges {
    fn default() -> Self {
        let network = Evaluator::with(Some(&Network::built_in()), &Weights::built_in(), None);
        Self { classical: Evaluator::default(), network }
    }
}

impl Judges {
    /// Blends a score from White's view with this share of the classical evaluation.
    fn blended(&mut self, chess: &Chess, score: i16, share: f64) -> i16 {
        if share == 0.0 {
            return score;
        }
        let classical = by_white(&mut self.classical, &Position::new(chess.clone()));
        centipawns((1.0 - share) * points(score) + share * points(classical))
    }

    /// A position one or two random moves away, as a search meets it but a game does not. `None` if it is in check or the
    /// game is over there.
    fn beside(&mut self, chess: &Chess, random: &mut Random) -> Option<PackedPosition> {
        let mut chess = chess.clone();
        for _ in 0..=random.below(2) {
            let legal = chess.legal_moves();
            chess.play_unchecked(*legal.get(random.below(legal.len().max(1)))?);
        }
        if chess.is_check() || chess.is_insufficient_material() || chess.legal_moves().is_empty() {
            return None;
        }
        let by_network = by_white(&mut self.network, &Position::new(chess.clone()));
        let mean = self.blended(&chess, by_network, 0.5);
        Some(PackedPosition::without_result(&chess, mean))
    }
}

/// An evaluation from White's view.
fn by_white(evaluator: &mut Evaluator, position: &Position) -> i16 {
    let value = evaluator.evaluate(position).raw();
    position.turn().fold_wb(value, -value) as i16
}

/// Whether a game is held out for validation, given the share of such games.
fn is_held_out(game: &PackedGame, share: f64) -> bool {
    let mut random = Random::new(crc32fast::hash(game.bytes()).into());
    (random.below(1 << 20) as f64) < share * f64::from(1 << 20)
}

/// Training positions, and validation positions of other games.
#[derive(Clone, Default)]
pub struct Samples {
    /// Training positions.
    pub training: Shuffled,
    /// Validation positions.
    pub validation: Shuffled,
    /// Games read.
    pub games: u64,
    /// Games with an illegal move; the positions before it are used.
    pub bad_games: u64,
    /// Damaged files.
    pub damages: Vec<Damage>,
}

impl Samples {
    /// Messages about damaged files and games.
    pub fn complaints(&self) -> Vec<String> {
        let mut complaints: Vec<String> = self.damages.iter().map(Damage::to_string).collect();
        if self.bad_games > 0 {
            complaints.push(format!("{} games with an illegal move are used up to it", self.bad_games));
        }
        complaints
    }
}

#[cfg(test)]
mod tests {
    use super::super::viriformat::GameWriter;
    use super::*;
    use crate::Position;
    use crate::board::Game;
    use std::collections::HashSet;

    /// A game of random moves, with the ply as the score.
    fn game(seed: u64, plies: usize) -> Vec<u8> {
        let mut random = Random::new(seed);
        let mut game = Game::default();
        let mut writer = GameWriter::new(game.position().chess().clone());
        for ply in 0..plies {
            let legal = game.position().legal_moves();
            let Some(&m) = legal.get(random.below(legal.len())) else { break };
            let turn = game.position().turn();
            writer.push(m, turn, turn.fold_wb(Score::cp(ply as i32), -Score::cp(ply as i32)));
            game.play(m);
        }
        writer.finish(GameResult::Draw)
    }

    fn folder(files: &[&[Vec<u8>]]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (number, games) in files.iter().enumerate() {
            std::fs::write(folder.path().join(format!("{number}.vf")), games.concat()).unwrap();
        }
        folder
    }

    fn read(folder: &tempfile::TempDir, reading: &ReadOptions) -> Samples {
        let files = GameFiles::find(&[folder.path().to_owned()]).unwrap();
        files.samples(reading, &AtomicBool::new(false)).unwrap()
    }

    fn samples(folder: &tempfile::TempDir, validation: f64, jobs: usize) -> Samples {
        read(folder, &ReadOptions { validation, jobs, seed: 5, ..ReadOptions::default() })
    }

    fn all(shuffled: &Shuffled) -> Vec<PackedPosition> {
        shuffled.iter().flat_map(Result::unwrap).collect()
    }

    #[test]
    fn filters_leave_out_what_they_say() {
        let quiet = Position::from_fen("4k3/8/8/3p4/4P3/8/8/4K2R w K - 0 20", false).unwrap();
        let keeps =
            |filter: Filter, m: &str, score| filter.keeps(quiet.chess(), quiet.parse_move(m).unwrap(), score);
        let filter = Filter::default();
        assert!(keeps(filter, "e1e2", 50) && !keeps(filter, "e4d5", 50) && !keeps(filter, "e1e2", 31_990));
        assert!(!keeps(filter, "e1e2", 31_259) && !keeps(filter, "e1e2", 32_767), "mates of other engines");
        assert!(!keeps(Filter { min_ply: 39, ..filter }, "e1e2", 50));
        assert!(keeps(Filter { min_ply: 38, ..filter }, "e1e2", 50));
        assert!(!keeps(Filter { max_score: 49, ..filter }, "e1e2", -50));
        assert!(keeps(Filter::NONE, "e4d5", 32_000));
        let check = Position::from_fen("4k3/8/8/8/8/8/8/r3K3 w - - 0 20", false).unwrap();
        let flees = check.parse_move("e1e2").unwrap();
        assert!(!filter.keeps(check.chess(), flees, 0) && Filter::NONE.keeps(check.chess(), flees, 0));
    }

    #[test]
    fn positions_come_once_shuffled_and_the_same_however_many_read() {
        let games: Vec<Vec<u8>> = (0..40).map(|seed| game(seed, 90)).collect();
        let folder = folder(&[&games[..13], &games[13..]]);
        let (one, three) = (samples(&folder, 0.2, 1), samples(&folder, 0.2, 3));
        let on_disk =
            read(&folder, &ReadOptions { validation: 0.2, seed: 5, memory: 0, ..ReadOptions::default() });
        for again in [&three, &on_disk] {
            assert_eq!(all(&one.training), all(&again.training));
            assert_eq!(all(&one.validation), all(&again.validation));
        }
        assert_eq!((one.games, one.bad_games, one.damages.len()), (40, 0, 0));
        let expected: u64 = games
            .iter()
            .map(|bytes| usable_positions(&PackedGame::first(bytes).unwrap(), &Filter::default()).unwrap())
            .sum();
        assert_eq!((one.training.positions() + one.validation.positions()) as u64, expected);
        assert_eq!(all(&one.training).len(), one.training.positions());
        let scores: Vec<i16> = all(&one.training).iter().map(PackedPosition::score).collect();
        assert!(!scores.is_sorted() && scores.windows(2).filter(|pair| pair[1] == pair[0] + 1).count() < 40);
    }

    #[test]
    fn detours_leave_the_games_and_are_judged_by_both_evaluations() {
        let games: Vec<Vec<u8>> = (0..10).map(|seed| game(seed, 60)).collect();
        let folder = folder(&[&games]);
        let reading = ReadOptions { validation: 0.3, seed: 5, ..ReadOptions::default() };
        let (plain, with) = (read(&folder, &reading), read(&folder, &ReadOptions { detours: 2, ..reading }));
        assert_eq!(with.validation.positions(), plain.validation.positions());
        let (beside, of_games): (Vec<_>, Vec<_>) =
            all(&with.training).into_iter().partition(|position| position.result().is_none());
        assert_eq!(of_games.len(), plain.training.positions());
        assert!(beside.len() > of_games.len() && beside.len() <= 2 * of_games.len());
        let mut judges = Judges::default();
        for position in &beside {
            let chess = position.unpack().unwrap();
            assert!(!chess.is_check());
            let position_itself = Position::new(chess);
            let classical = by_white(&mut judges.classical, &position_itself);
            let network = by_white(&mut judges.network, &position_itself);
            let (least, most) = (classical.min(network), classical.max(network));
            assert!((least - 1..=most + 1).contains(&position.score().clamp(-1_800, 1_800)));
        }
    }

    #[test]
    fn a_score_is_blended_with_the_classical_evaluation_as_far_as_it_is_told() {
        let chess = Position::from_fen("4k3/8/8/8/8/8/PPP5/4K3 w - - 0 20", false).unwrap().chess().clone();
        let mut judges = Judges::default();
        let classical = judges.blended(&chess, 0, 1.0);
        assert!(classical > 200);
        assert_eq!(judges.blended(&chess, 40, 0.0), 40);
        let half = judges.blended(&chess, 0, 0.5);
        assert!(half > 0 && half < classical);
    }

    #[test]
    fn returns_look_ahead_as_far_as_they_are_told() {
        let game = game(3, 40);
        let game = PackedGame::first(&game).unwrap();
        let scores: Vec<i16> = game.plies().map(|(_, score)| score).collect();
        assert_eq!(returns(&game, GameResult::White, 0.0), scores);
        let some = returns(&game, GameResult::Draw, 0.5);
        // Scores rise by one each ply, so half of the way ahead is about one more; the end is a draw.
        assert_eq!(some[10], 11);
        assert!(some[39] > 0 && some[39] < 39);
        assert!(returns(&game, GameResult::White, 1.0).iter().all(|value| *value > 1_500));
    }

    #[test]
    fn no_game_is_on_both_sides() {
        let games: Vec<Vec<u8>> = (0..60).map(|seed| game(seed, 60)).collect();
        let folder = folder(&[&games]);
        let found = samples(&folder, 0.3, 2);
        let bytes = |position: &PackedPosition| bytemuck::bytes_of(position).to_vec();
        let training: HashSet<Vec<u8>> = all(&found.training).iter().map(bytes).collect();
        let validation = all(&found.validation);
        assert!(!validation.is_empty());
        assert!(validation.iter().all(|position| !training.contains(&bytes(position))));
        let kept_back = games.iter().filter(|g| is_held_out(&PackedGame::first(g).unwrap(), 0.3)).count();
        assert!((8..=30).contains(&kept_back), "{kept_back} of 60");
    }

    #[test]
    fn a_file_cut_off_is_read_up_to_its_last_whole_game_and_an_altered_one_is_left_out() {
        let games = [game(1, 40), game(2, 40)];
        let folder = folder(&[&games]);
        let path = folder.path().join("0.vf");
        std::fs::write(&path, &games.concat()[..games[0].len() + 50]).unwrap();
        let found = samples(&folder, 0.0, 1);
        assert_eq!(found.games, 1);
        assert!(found.damages[0].what.contains("50 bytes after the last whole game"), "{:?}", found.damages);
        // An impossible move: the positions before it are used.
        let mut bytes = games[0].clone();
        let middle = super::super::viriformat::HEADER + 4 * 30;
        bytes[middle..middle + 2].copy_from_slice(&[0xff, 0x0f]);
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(samples(&folder, 0.0, 1).bad_games, 1);
    }

    #[test]
    fn places_without_games_are_named() {
        let empty = tempfile::tempdir().unwrap();
        assert!(GameFiles::find(&[empty.path().to_owned()]).unwrap_err().contains("no games here"));
        assert!(GameFiles::find(&["/no/such".into()]).unwrap_err().contains("/no/such"));
    }
}
