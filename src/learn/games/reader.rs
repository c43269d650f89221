//! Reading games back: which positions are worth learning from, in an order that tells nothing.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Move, Position as _};

use super::series::{Description, ENDING};
use super::viriformat::{Games, PackedGame, PackedPosition};
use crate::parallel::parallel_map;
use crate::random::Random;
use crate::score::Score;

/// Which positions a trainer wants.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// Plies from the start of the game, random ones included, before the first position.
    pub min_ply: u32,
    /// Leaves out positions in which the mover is in check.
    pub quiet_king: bool,
    /// Leaves out positions in which a capture or a promotion was best.
    pub quiet_move: bool,
    /// Leaves out scores that are mates or come from endgame tables.
    pub undecided: bool,
    /// Leaves out scores further from equal than this.
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

    /// The position is worth learning from; `m` was thought best there, with this score.
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

/// How many positions of a game a filter keeps; `None` if it cannot be replayed.
pub fn usable_positions(game: &PackedGame, filter: &Filter) -> Option<u64> {
    let mut count = 0;
    let start = game.start().unpack().ok()?;
    game.replay(start, |chess, m, score| count += u64::from(filter.keeps(chess, m, score))).ok()?;
    Some(count)
}

/// Something wrong with a file of games. Whole games before it are read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The file.
    pub file: PathBuf,
    /// What is wrong.
    pub what: String,
    /// Nothing of the file is read.
    pub left_out: bool,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.what)
    }
}

/// Files of games, in an order that depends on their names alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFiles {
    files: Vec<PathBuf>,
}

/// One file, read and checked.
pub struct LoadedFile {
    /// The file it was read from.
    pub path: PathBuf,
    /// What its description says, if it has one.
    pub description: Option<Description>,
    bytes: Vec<u8>,
}

impl LoadedFile {
    /// Reads a file. One whose checksum does not fit is refused.
    pub(super) fn read(path: &Path) -> Result<Self, Damage> {
        let damage = |what: String| Damage { file: path.to_owned(), what, left_out: true };
        // The description first: a file that is being written may only be longer than it says.
        let description = Description::beside(path);
        let bytes = std::fs::read(path).map_err(|error| damage(error.to_string()))?;
        if let Some(known) = &description {
            let length = known.totals.bytes as usize;
            // Games may have been added since; those described must be as they were.
            let fits = |described: &[u8]| format!("{:08x}", crc32fast::hash(described)) == known.crc32;
            if bytes.get(..length).is_some_and(|described| !fits(described)) {
                return Err(damage("the checksum does not fit; left out".to_owned()));
            }
        }
        Ok(Self { path: path.to_owned(), description, bytes })
    }

    /// All its bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its games, up to the first that is not whole.
    pub fn games(&self) -> Games<'_> {
        Games::new(&self.bytes)
    }

    /// What is missing or too much at its end.
    pub fn damage(&self) -> Option<Damage> {
        let mut games = self.games();
        games.by_ref().for_each(drop);
        let described = self.description.as_ref().map_or(0, |known| known.totals.bytes);
        let missing = described.saturating_sub(self.bytes.len() as u64);
        let what = match (games.rest().len(), missing) {
            (0, 0) => return None,
            (0, missing) => format!("cut off: {missing} bytes are missing"),
            (rest, 0) => format!("cut off: {rest} bytes behind the last whole game are not read"),
            (rest, missing) => format!(
                "cut off: {missing} bytes are missing, {rest} behind the last whole game are not read"
            ),
        };
        Some(Damage { file: self.path.clone(), what, left_out: false })
    }
}

impl GameFiles {
    /// All files of games in these folders, or the files themselves.
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

    /// A folder holds games of this kind.
    pub fn are_in(folder: &Path) -> bool {
        Self::find(&[folder.to_owned()]).is_ok()
    }

    /// All files, in the order in which they are read.
    pub fn paths(&self) -> &[PathBuf] {
        &self.files
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().filter_map(|path| path.metadata().ok()).map(|data| data.len()).sum()
    }

    /// Works on all files, `jobs` at a time, until `stop` is raised. The results come in the order of the files;
    /// what cannot be read is told at the end.
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
        parallel_map(jobs, self.files.iter().enumerate(), stop, || (), one, |result| done.push(result));
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

    /// All positions that a filter keeps, in a random order, those of `validation` of the games apart.
    pub fn samples(
        &self,
        filter: &Filter,
        validation: f64,
        seed: u64,
        jobs: usize,
        stop: &AtomicBool,
    ) -> Samples {
        let count = (self.bytes() / SHUFFLED_AT_ONCE).clamp(1, MOST_PARTS) as usize;
        let (read, damages) = self.map(jobs, stop, |index, file| {
            let mut random = Random::split(seed, index as u64);
            let mut scattered = Scattered { parts: vec![Vec::new(); count], ..Scattered::default() };
            for game in file.games() {
                scattered.add(&game, filter, validation, &mut random);
            }
            scattered
        });
        let mut samples = Samples { damages, ..Samples::default() };
        let mut pieces: Vec<Vec<Vec<PackedPosition>>> = (0..count).map(|_| Vec::new()).collect();
        let mut kept_back = Vec::new();
        for file in read {
            samples.games += file.games;
            samples.bad_games += file.bad_games;
            kept_back.push(file.validation);
            for (part, piece) in pieces.iter_mut().zip(file.parts) {
                part.push(piece);
            }
        }
        samples.validation = shuffled(kept_back, Random::split(seed, u64::MAX));
        let shuffle = |(): &mut (), (index, pieces): (usize, Vec<Vec<PackedPosition>>)| {
            Some((index, shuffled(pieces, Random::split(!seed, index as u64))))
        };
        let mut parts = Vec::new();
        parallel_map(jobs, pieces.into_iter().enumerate(), stop, || (), shuffle, |part| parts.push(part));
        parts.sort_by_key(|(index, _)| *index);
        samples.training = parts.into_iter().map(|(_, part)| part).collect();
        samples
    }
}

/// Bytes of game files whose positions are shuffled in one piece, so that they stay in a processor's cache.
const SHUFFLED_AT_ONCE: u64 = 256 << 10;
const MOST_PARTS: u64 = 4_096;

/// Positions of one file, each in a part drawn at random.
#[derive(Default)]
struct Scattered {
    parts: Vec<Vec<PackedPosition>>,
    validation: Vec<PackedPosition>,
    games: u64,
    bad_games: u64,
}

impl Scattered {
    fn add(&mut self, game: &PackedGame, filter: &Filter, validation: f64, random: &mut Random) {
        let header = game.start();
        let (Ok(start), Some(result)) = (header.unpack(), header.result()) else {
            self.bad_games += 1;
            return;
        };
        // The same game is on the same side however it is read.
        let kept_back = is_kept_back(game, validation);
        let Self { parts, validation, .. } = self;
        let played = game.replay(start, |chess, m, score| {
            if filter.keeps(chess, m, score) {
                let drawn = random.below(parts.len());
                let part = if kept_back { &mut *validation } else { &mut parts[drawn] };
                part.push(PackedPosition::new(chess, score, result));
            }
        });
        self.games += 1;
        self.bad_games += u64::from(played.is_err());
    }
}

/// The game is one of those to measure on, which are this share of all.
fn is_kept_back(game: &PackedGame, share: f64) -> bool {
    let mut random = Random::new(crc32fast::hash(game.bytes()).into());
    (random.below(1 << 20) as f64) < share * f64::from(1 << 20)
}

fn shuffled(pieces: Vec<Vec<PackedPosition>>, mut random: Random) -> Vec<PackedPosition> {
    let mut all = pieces.concat();
    random.shuffle(&mut all);
    all
}

/// Positions to learn from, and positions of other games to measure on.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// To learn from: each part, and each position in its part, in a random order.
    pub training: Vec<Vec<PackedPosition>>,
    /// To measure on, in a random order.
    pub validation: Vec<PackedPosition>,
    /// Games read.
    pub games: u64,
    /// Games in which something is impossible; what came before it is used.
    pub bad_games: u64,
    /// What is wrong with files.
    pub damages: Vec<Damage>,
}

impl Samples {
    /// What a user should know of files and games that are not as they should be.
    pub fn complaints(&self) -> Vec<String> {
        let mut complaints: Vec<String> = self.damages.iter().map(Damage::to_string).collect();
        if self.bad_games > 0 {
            complaints.push(format!("{} games with an illegal move are used up to it", self.bad_games));
        }
        complaints
    }

    /// Positions to learn from.
    pub fn positions(&self) -> usize {
        self.training.iter().map(Vec::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::viriformat::{GameResult, GameWriter};
    use super::*;
    use crate::Position;
    use crate::board::Game;
    use std::collections::HashSet;

    /// A game of so many random moves, with its ply as the score.
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

    fn samples(folder: &tempfile::TempDir, validation: f64, jobs: usize) -> Samples {
        let files = GameFiles::find(&[folder.path().to_owned()]).unwrap();
        files.samples(&Filter::default(), validation, 5, jobs, &AtomicBool::new(false))
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
        assert_eq!((&one.training, &one.validation), (&three.training, &three.validation));
        assert_eq!((one.games, one.bad_games, one.damages.len()), (40, 0, 0));
        let expected: u64 = games
            .iter()
            .map(|bytes| usable_positions(&PackedGame::first(bytes).unwrap(), &Filter::default()).unwrap())
            .sum();
        assert_eq!((one.positions() + one.validation.len()) as u64, expected);
        let scores: Vec<i16> = one.training.iter().flatten().map(PackedPosition::score).collect();
        assert!(!scores.is_sorted() && scores.windows(2).filter(|pair| pair[1] == pair[0] + 1).count() < 40);
    }

    #[test]
    fn no_game_is_on_both_sides() {
        let games: Vec<Vec<u8>> = (0..60).map(|seed| game(seed, 60)).collect();
        let folder = folder(&[&games]);
        let found = samples(&folder, 0.3, 2);
        let bytes = |position: &PackedPosition| bytemuck::bytes_of(position).to_vec();
        let training: HashSet<Vec<u8>> = found.training.iter().flatten().map(bytes).collect();
        assert!(found.validation.iter().all(|position| !training.contains(&bytes(position))));
        let kept_back = games.iter().filter(|g| is_kept_back(&PackedGame::first(g).unwrap(), 0.3)).count();
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
        assert!(found.damages[0].what.contains("50 bytes behind the last whole game"), "{:?}", found.damages);
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
