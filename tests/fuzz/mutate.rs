//! How inputs are changed.

use espalier::random::Random;

/// Words that mean something to one target or another.
const WORDS: [&str; 40] = [
    "setoption name ",
    " value ",
    "position fen ",
    " moves ",
    "startpos",
    "go ",
    "searchmoves ",
    "infinite",
    "wtime ",
    "-1",
    "0",
    "99999999999999999999",
    "2147483648",
    "-9223372036854775808",
    "1e308",
    "nan",
    "inf",
    "<empty>",
    "=",
    "\n",
    "\r\n",
    "\0",
    "\u{feff}",
    "\u{1f600}",
    "KQkq",
    "HAha",
    "w - - 0 1",
    "O-O-O",
    "e1g1",
    "a7a8q",
    "bm ",
    "id \"",
    ";",
    "1. e4 ",
    "{",
    "}",
    "[Event \"x\"]",
    "1-0",
    "Preset",
    "\"number\":",
];

/// A mutation of one of the seeds: a few changes, small ones more often.
pub fn mutate(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = random.pick(seeds).clone();
    for _ in 0..1 + random.below(4) {
        change(&mut bytes, seeds, random);
    }
    bytes
}

/// A piece of the bytes: where it begins and ends.
fn piece(bytes: &[u8], random: &mut Random) -> std::ops::Range<usize> {
    let from = random.below(bytes.len() + 1);
    let most = (bytes.len() - from).min(1 << random.below(8));
    from..from + random.below(most + 1)
}

fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let at = random.below(bytes.len().max(1));
    match random.below(10) {
        0 | 1 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
        2 if !bytes.is_empty() => {
            bytes[at] = *random.pick(&[0, 0xff, b' ', b'\n', b'0', b'9', b'/', b'-', 0x80])
        }
        3 => {
            let piece = piece(bytes, random);
            bytes.drain(piece);
        }
        4 => {
            let copy = bytes[piece(bytes, random)].to_vec();
            let at = random.below(bytes.len() + 1);
            bytes.splice(at..at, copy);
        }
        5 | 6 => {
            let word = random.pick(&WORDS).as_bytes();
            let place = if random.below(2) == 0 {
                piece(bytes, random)
            } else {
                at.min(bytes.len())..at.min(bytes.len())
            };
            bytes.splice(place, word.iter().copied());
        }
        7 => {
            let other = random.pick(seeds);
            let copy = other[piece(other, random)].to_vec();
            let place = piece(bytes, random);
            bytes.splice(place, copy);
        }
        8 => bytes.truncate(at),
        _ => {
            let raw = random.number().to_le_bytes();
            let place = piece(bytes, random);
            bytes.splice(place, raw.into_iter().take(random.below(9)));
        }
    }
}
