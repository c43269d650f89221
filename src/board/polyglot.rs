//! Opening books in the Polyglot format: sorted entries of 16 bytes, each a key, a move, a weight and something to
//! learn.
//!
//! The keys are those that the rules crate computes; a test holds them to the published examples of the format.

use std::fmt;
use std::path::Path;

use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, File, Move, Position as _, Rank, Role, Square};

use super::Position;
use crate::files::{LARGEST_TABLE, read_file};
use crate::random::Random;

/// Bytes of an entry.
const ENTRY: usize = 16;

/// A book in memory.
#[derive(Clone, PartialEq, Eq)]
pub struct PolyglotBook {
    entries: Vec<Entry>,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Entry {
    key: u64,
    code: u16,
    weight: u16,
}

/// Why a file is no book.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Its length is not that of whole entries.
    #[error("{0} bytes are no Polyglot book: its entries have {ENTRY} bytes each")]
    Length(usize),
    /// Its entries are not in the order of their keys, so nothing could be found in it.
    #[error("no Polyglot book: entry {0} is out of order")]
    Order(usize),
}

impl PolyglotBook {
    /// Reads a file.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        Self::from_bytes(&read_file(path, LARGEST_TABLE)?)
    }

    /// Reads the contents of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BookError> {
        let (chunks, rest) = bytes.as_chunks::<ENTRY>();
        if !rest.is_empty() || chunks.is_empty() {
            return Err(BookError::Length(bytes.len()));
        }
        let entries: Vec<Entry> = chunks.iter().map(Entry::read).collect();
        match entries.iter().zip(&entries[1..]).position(|(one, next)| one.key > next.key) {
            Some(index) => Err(BookError::Order(index + 2)),
            None => Ok(Self { entries }),
        }
    }

    /// The legal moves that the book knows here, with their weights.
    pub fn moves(&self, position: &Position) -> Vec<(Move, u16)> {
        let key = key(position);
        let first = self.entries.partition_point(|entry| entry.key < key);
        let here = self.entries[first..].iter().take_while(|entry| entry.key == key);
        let legal = position.legal_moves();
        let known = |entry: &Entry| {
            let m = legal.iter().find(|m| code(**m) == Some(entry.code))?;
            Some((*m, entry.weight))
        };
        here.filter_map(known).filter(|(_, weight)| *weight > 0).collect()
    }

    /// One of these moves by chance, each as likely as its weight says.
    pub fn pick(&self, position: &Position, random: &mut Random) -> Option<Move> {
        let moves = self.moves(position);
        let total: usize = moves.iter().map(|(_, weight)| usize::from(*weight)).sum();
        let mut left = random.below(total.max(1));
        moves.into_iter().find_map(|(m, weight)| {
            let chosen = left < usize::from(weight);
            left = left.saturating_sub(usize::from(weight));
            chosen.then_some(m)
        })
    }
}

impl fmt::Debug for PolyglotBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a book of {} entries", self.entries.len())
    }
}

impl fmt::Display for PolyglotBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut keys: Vec<u64> = self.entries.iter().map(|entry| entry.key).collect();
        keys.dedup();
        write!(f, "book of {} moves in {} positions", self.entries.len(), keys.len())
    }
}

impl Entry {
    fn read(bytes: &[u8; ENTRY]) -> Self {
        let [key @ .., c0, c1, w0, w1, _, _, _, _] = *bytes;
        Self {
            key: u64::from_be_bytes(key),
            code: u16::from_be_bytes([c0, c1]),
            weight: u16::from_be_bytes([w0, w1]),
        }
    }
}

/// The key of a position in books.
fn key(position: &Position) -> u64 {
    position.chess().zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0
}

/// A move as books write it: castling is the king taking its own rook.
fn code(m: Move) -> Option<u16> {
    let square = |square: Square| {
        let (file, rank): (File, Rank) = (square.file(), square.rank());
        u16::from(file) | u16::from(rank) << 3
    };
    let promotion = match m.promotion() {
        None => 0,
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(Role::Queen) => 4,
        Some(Role::Pawn | Role::King) => return None,
    };
    Some(square(m.to()) | square(m.from()?) << 6 | promotion << 12)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Game;

    fn after(moves: &str) -> Position {
        let mut game = Game::default();
        for text in moves.split_whitespace() {
            game.play(game.position().parse_move(text).unwrap());
        }
        game.position().clone()
    }

    #[test]
    fn keys_are_those_of_the_format() {
        for (moves, expected) in [
            ("", 0x463b_9618_1691_fc9c),
            ("e2e4", 0x823c_9b50_fd11_4196),
            ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
            ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
            ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
            ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
            ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
            ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
            ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
        ] {
            assert_eq!(key(&after(moves)), expected, "{moves}");
        }
    }

    fn entry(position: &Position, uci: &str, weight: u16) -> Vec<u8> {
        let code = code(position.parse_move(uci).unwrap()).unwrap();
        [&key(position).to_be_bytes()[..], &code.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
    }

    #[test]
    fn moves_are_found_with_their_weights_and_picked_by_them() {
        let start = after("");
        let castles = after("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6");
        let mut parts = [
            (key(&start), entry(&start, "e2e4", 3)),
            (key(&start), entry(&start, "d2d4", 1)),
            (key(&start), entry(&start, "a2a3", 0)),
            (key(&castles), entry(&castles, "e1g1", 7)),
        ];
        parts.sort_by_key(|(key, _)| *key);
        let bytes: Vec<u8> = parts.into_iter().flat_map(|(_, bytes)| bytes).collect();
        let book = PolyglotBook::from_bytes(&bytes).unwrap();
        assert_eq!(book.to_string(), "book of 4 moves in 2 positions");
        let named = |position: &Position| -> Vec<(String, u16)> {
            let moves = book.moves(position);
            moves.into_iter().map(|(m, weight)| (crate::board::uci_text(m, false), weight)).collect()
        };
        assert_eq!(named(&start), [("e2e4".to_owned(), 3), ("d2d4".to_owned(), 1)]);
        assert_eq!(named(&castles), [("e1g1".to_owned(), 7)]);
        assert_eq!(book.pick(&after("c2c4"), &mut Random::new(1)), None);
        let mut random = Random::new(1);
        let e4 = start.parse_move("e2e4").unwrap();
        let often = (0..400).filter(|_| book.pick(&start, &mut random) == Some(e4)).count();
        assert!((240..360).contains(&often), "{often} of 400, three quarters expected");
    }

    #[test]
    fn what_is_no_book_is_refused() {
        let start = after("");
        let refused = |bytes: &[u8]| PolyglotBook::from_bytes(bytes).unwrap_err().to_string();
        assert!(refused(b"").contains("no Polyglot book") && refused(&[0; 17]).contains("17 bytes"));
        let wrong = [entry(&start, "e2e4", 1), vec![0; 16]].concat();
        assert!(refused(&wrong).contains("entry 2"));
    }

    #[test]
    fn promotions_name_their_piece() {
        let position = Position::from_fen("8/P6k/8/8/8/8/8/K7 w - - 0 1", false).unwrap();
        let codes: Vec<u16> = ["q", "r", "b", "n"]
            .map(|piece| position.parse_move(&format!("a7a8{piece}")).unwrap())
            .map(|m| code(m).unwrap() >> 12)
            .to_vec();
        assert_eq!(codes, [4, 3, 2, 1]);
    }
}
