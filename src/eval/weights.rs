//! The numbers of the classical evaluation: one flat table with named groups.
//!
//! Every weight is a [`Pair`] in one array: a vector for the tuner, named groups in the text file, and constants
//! for where each group starts in the evaluation.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};
use std::sync::{Arc, LazyLock};

/// A middle-game and an endgame value in one word, so that one addition adds both.
#[derive(Copy, Clone, PartialEq, Eq, Default)]
pub struct Pair(i32);

impl Pair {
    /// Worth nothing in either half.
    pub const ZERO: Self = Self(0);

    /// From both halves, each within sixteen bits.
    pub const fn new(mg: i32, eg: i32) -> Self {
        Self(eg * 65_536 + mg)
    }

    /// The middle-game half, sign included.
    pub const fn mg(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The endgame half, with the borrow of a negative middle-game half undone.
    pub const fn eg(self) -> i32 {
        (self.0 + 0x8000) >> 16
    }
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.mg(), self.eg())
    }
}

impl Add for Pair {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Pair {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Pair {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl SubAssign for Pair {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl Neg for Pair {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Mul<i32> for Pair {
    type Output = Self;
    #[inline(always)]
    fn mul(self, count: i32) -> Self {
        Self(self.0 * count)
    }
}

/// How a group enters the evaluation.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TermKind {
    /// Weight times count, added up.
    Linear,
    /// Weight times count goes into a king's danger, which is squared for the middle game.
    Danger,
    /// Weight times count pushes the endgame value away from zero or back to it, by its own size at most.
    Complexity,
}

/// A named run of weights.
#[derive(Copy, Clone, Debug)]
pub struct TermGroup {
    /// As the text format and the explanation write it.
    pub name: &'static str,
    /// Index of the first weight.
    pub start: usize,
    /// Number of weights in the run.
    pub len: usize,
    /// How they enter the evaluation.
    pub kind: TermKind,
}

macro_rules! layout {
    ($($(#[$doc:meta])* $name:ident $text:literal $len:literal $kind:ident;)*) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "named like the constants below")]
        enum GroupIndex { $($name),* }

        /// All groups, in the order of the table.
        pub const GROUPS: [TermGroup; [$($text),*].len()] =
            lay_out([$(TermGroup { name: $text, start: 0, len: $len, kind: TermKind::$kind }),*]);

        $($(#[$doc])* pub(super) const $name: TermGroup = GROUPS[GroupIndex::$name as usize];)*
    };
}

const fn lay_out<const N: usize>(mut groups: [TermGroup; N]) -> [TermGroup; N] {
    let mut i = 1;
    while i < N {
        groups[i].start = groups[i - 1].start + groups[i - 1].len;
        i += 1;
    }
    groups
}

layout! {
    /// Pawn, knight, bishop, rook, queen.
    MATERIAL "material" 5 Linear;
    /// Bishops on squares of both colours.
    BISHOP_PAIR "bishop-pair" 1 Linear;
    /// Own pawns beyond five, for each knight and for each rook.
    PIECE_PAWNS "piece-pawns" 2 Linear;
    /// Two knights, two rooks.
    REDUNDANCY "redundancy" 2 Linear;
    /// Half a board per piece (files a to d, mirrored), first rank first.
    PST_PAWN "square-pawn" 32 Linear;
    PST_KNIGHT "square-knight" 32 Linear;
    PST_BISHOP "square-bishop" 32 Linear;
    PST_ROOK "square-rook" 32 Linear;
    PST_QUEEN "square-queen" 32 Linear;
    PST_KING "square-king" 32 Linear;
    /// A whole board per piece (pawn to queen), turned so that the own king stands on files e to h.
    WING_OWN "wing-own" 320 Linear;
    /// The same, turned so that the enemy king does.
    WING_ENEMY "wing-enemy" 320 Linear;
    /// By number of squares a piece can go to without meeting a pawn's capture.
    MOBILITY_KNIGHT "mobility-knight" 9 Linear;
    MOBILITY_BISHOP "mobility-bishop" 14 Linear;
    MOBILITY_ROOK "mobility-rook" 15 Linear;
    MOBILITY_QUEEN "mobility-queen" 28 Linear;
    /// Knight and bishop on a square no pawn can drive them from: bare, defended by a pawn.
    OUTPOST_KNIGHT "outpost-knight" 2 Linear;
    OUTPOST_BISHOP "outpost-bishop" 2 Linear;
    /// A knight that can go to a defended outpost.
    OUTPOST_REACH "outpost-reach" 1 Linear;
    /// A minor piece right behind a pawn: knight, bishop.
    BEHIND_PAWN "behind-pawn" 2 Linear;
    /// Per square of distance from the own king: knight, bishop.
    KING_PROTECTOR "king-protector" 2 Linear;
    /// Own pawns on the bishop's colour: each, each that is rammed.
    BAD_BISHOP "bad-bishop" 2 Linear;
    /// Enemy pawns on the bishop's lines, seen through everything.
    BISHOP_XRAY_PAWNS "bishop-xray-pawns" 1 Linear;
    /// A bishop that sees both central squares of a long diagonal.
    LONG_DIAGONAL "long-diagonal" 1 Linear;
    /// Rook's file: half open, open, closed by an own pawn that is blocked.
    ROOK_FILE "rook-file" 3 Linear;
    /// Rook on the seventh with something to bite on.
    ROOK_SEVENTH "rook-seventh" 1 Linear;
    /// Rook shut in by its king.
    ROOK_TRAPPED "rook-trapped" 1 Linear;
    /// Pawns rammed head to head, for each knight, bishop, rook.
    CLOSED "closed" 3 Linear;
    /// Bishop, rook aiming at the enemy king's ring from behind other pieces.
    RING_XRAY "ring-xray" 2 Linear;
    /// A queen behind one piece on an enemy slider's line.
    QUEEN_PINNED "queen-pinned" 1 Linear;
    /// By file, edge to centre.
    ISOLATED "isolated" 4 Linear;
    /// Extra on a half-open file.
    ISOLATED_OPEN "isolated-open" 1 Linear;
    /// A pawn with another of its side ahead on the file: unsupported, supported by a pawn.
    DOUBLED "doubled" 2 Linear;
    /// Opposed, on a half-open file.
    BACKWARD "backward" 2 Linear;
    /// By rank of the pawn, seen from its side.
    SUPPORTED "supported" 8 Linear;
    /// By rank of the pawn, seen from its side.
    PHALANX "phalanx" 8 Linear;
    /// By rank: a pawn that can become passed, with enough helpers, with just as many as needed.
    CANDIDATE "candidate" 16 Linear;
    /// Each group of pawns without a neighbour file.
    ISLANDS "islands" 1 Linear;
    /// By rank; four times: stop square taken, taken and attacked, free and attacked, free and safe.
    PASSED "passed" 32 Linear;
    /// By rank, per square of distance from the own king to the stop square.
    PASSED_OWN_KING "passed-own-king" 8 Linear;
    /// By rank, per square of distance from the enemy king to the stop square.
    PASSED_ENEMY_KING "passed-enemy-king" 8 Linear;
    /// By rank: supported by a pawn or standing beside one.
    PASSED_CONNECTED "passed-connected" 8 Linear;
    /// By rank: the whole way is empty and unattacked.
    PASSED_FREE_PATH "passed-free-path" 8 Linear;
    /// By rank, per square of the way the enemy holds alone.
    PASSED_PATH_HELD "passed-path-held" 8 Linear;
    /// By file, edge to centre.
    PASSED_FILE "passed-file" 4 Linear;
    /// Own rook behind it, enemy rook behind it.
    PASSED_ROOK_BEHIND "passed-rook-behind" 2 Linear;
    /// No enemy piece left and the king outside the square.
    PASSED_UNSTOPPABLE "passed-unstoppable" 1 Linear;
    /// Own pawn before the king: beside or on its file, by file edge to centre, by distance; 7 is none.
    SHELTER "shelter" 64 Linear;
    /// Enemy pawn before the king: free or rammed, by file edge to centre, by distance; 7 is none.
    STORM "storm" 64 Linear;
    /// Per square of distance from the king to the nearest pawn.
    KING_PAWN_DISTANCE "king-pawn-distance" 1 Linear;
    /// For each right to castle.
    CASTLING "castling" 1 Linear;
    /// Minor pieces near the own king.
    KING_DEFENDERS "king-defenders" 4 Linear;
    /// Knights and bishops hitting a pawn, knight, bishop, rook, queen.
    THREAT_MINOR "threat-by-minor" 5 Linear;
    /// Rooks hitting a weak pawn, knight, bishop, rook, queen.
    THREAT_ROOK "threat-by-rook" 5 Linear;
    /// The king hitting something weak.
    THREAT_KING "threat-by-king" 1 Linear;
    /// Attacked and not defended, or twice attacked.
    HANGING "hanging" 2 Linear;
    /// Weak and defended by the queen alone.
    WEAK_QUEEN_DEFENCE "weak-queen-defence" 1 Linear;
    /// A safe pawn hitting a minor piece, a rook, a queen.
    THREAT_PAWN "threat-by-pawn" 3 Linear;
    /// A safe push that would hit a piece.
    THREAT_PUSH "threat-by-push" 1 Linear;
    /// Safe squares from which the queen is hit: by a knight, by a bishop or rook.
    THREAT_QUEEN_NEXT "threat-queen-next" 2 Linear;
    /// Enemy moves hampered: squares taken, empty squares.
    RESTRICTED "restricted" 2 Linear;
    /// Safe squares in the middle behind the pawns, times pieces, in eighths.
    SPACE "space" 1 Linear;
    /// Safe attacks on the four central squares.
    CENTRE "centre" 1 Linear;
    /// The right to move.
    TEMPO "tempo" 1 Linear;
    /// Knight, bishop, rook, queen aiming at the king's ring.
    DANGER_ATTACKER "danger-attacker" 4 Danger;
    /// Each attack on a square of the ring.
    DANGER_HITS "danger-hits" 1 Danger;
    /// Ring squares attacked and weakly defended.
    DANGER_WEAK "danger-weak-squares" 1 Danger;
    /// Safe checks by knight, bishop, rook, queen: one, more.
    DANGER_SAFE_CHECK "danger-safe-check" 8 Danger;
    /// Checks that lose the piece.
    DANGER_UNSAFE_CHECK "danger-unsafe-check" 1 Danger;
    /// Squares of the king's flank the enemy attacks, attacks twice, and the own side defends.
    DANGER_FLANK "danger-flank" 3 Danger;
    /// The attacker has no queen.
    DANGER_NO_QUEEN "danger-no-queen" 1 Danger;
    /// Pieces that must not leave the king's lines.
    DANGER_PINNED "danger-pinned" 1 Danger;
    /// A knight defends the ring.
    DANGER_KNIGHT_DEFENDER "danger-knight-defender" 1 Danger;
    /// Own pawn before the king: beside or on its file, by distance; 7 is none.
    DANGER_SHELTER "danger-shelter" 16 Danger;
    /// Enemy pawn before the king: free or rammed, by distance; 7 is none.
    DANGER_STORM "danger-storm" 16 Danger;
    /// A constant in every king's danger.
    DANGER_BASE "danger-base" 1 Danger;
    /// Pawns on the board; pawns on both wings; nothing but pawns; always; passed pawns; kings that have
    /// crossed the middle; files between the kings less ranks.
    COMPLEXITY "complexity" 7 Complexity;
}

/// How many weights there are.
pub const COUNT: usize = GROUPS[GROUPS.len() - 1].start + GROUPS[GROUPS.len() - 1].len;

/// The built-in weights, as [`Weights::to_text`] wrote them.
const BUILT_IN: &str = include_str!("weights.txt");

/// The largest value that half of a weight may have, about four queens. A table full of such numbers can overflow a
/// [`Pair`]; its values would be nonsense in any case.
pub(crate) const LIMIT: i32 = 4_000;

/// The weights of the classical evaluation.
///
/// ```
/// use espalier::eval::Weights;
/// let weights = Weights::default();
/// let (group, material) = weights.groups().next().unwrap();
/// assert_eq!((group.name, material.len()), ("material", 5));
/// assert_eq!(Weights::from_text(&weights.to_text()).unwrap(), weights);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights {
    values: [Pair; COUNT],
}

impl Default for Weights {
    fn default() -> Self {
        Self::clone(&Self::built_in())
    }
}

impl Weights {
    /// The built-in weights; parsed once, then shared.
    pub fn built_in() -> Arc<Self> {
        static WEIGHTS: LazyLock<Arc<Weights>> = LazyLock::new(|| {
            Arc::new(Weights::from_text(BUILT_IN).expect("a test reads the built-in table"))
        });
        Arc::clone(&WEIGHTS)
    }

    /// A table of zeros.
    pub fn zero() -> Self {
        Self { values: [Pair::ZERO; COUNT] }
    }

    /// The weights of all groups one after the other, as [`GROUPS`] lays them out.
    pub fn values(&self) -> &[Pair; COUNT] {
        &self.values
    }

    /// All weights, to be changed.
    pub fn values_mut(&mut self) -> &mut [Pair; COUNT] {
        &mut self.values
    }

    /// The named groups and their weights.
    pub fn groups(&self) -> impl Iterator<Item = (TermGroup, &[Pair])> {
        GROUPS.iter().map(|group| (*group, &self.values[group.start..group.start + group.len]))
    }

    #[inline(always)]
    pub(super) fn at(&self, index: usize) -> Pair {
        self.values[index]
    }

    /// As text: `[group]` lines, then `mg:eg` pairs, at most eight on a line.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (group, pairs) in self.groups() {
            text += &format!("[{}]\n", group.name);
            for row in pairs.chunks(if group.name.starts_with("square-") { 4 } else { 8 }) {
                let row: Vec<String> = row.iter().map(|pair| format!("{pair:?}")).collect();
                text += &row.join(" ");
                text.push('\n');
            }
        }
        text
    }

    /// Reads what [`Weights::to_text`] writes. Groups may come in any order, `#` starts a comment,
    /// each group must be there once and be complete.
    pub fn from_text(text: &str) -> Result<Self, WeightsError> {
        let mut weights = Self::zero();
        let mut filled = [None; GROUPS.len()];
        let mut current: Option<usize> = None;
        for (number, line) in (1..).zip(text.lines()) {
            let fail = |reason: String| WeightsError { line: number, reason };
            let line = line.split('#').next().unwrap_or("").trim();
            if let Some(name) = line.strip_prefix('[') {
                let name = name
                    .strip_suffix(']')
                    .ok_or_else(|| fail("a group name ends with a bracket".to_owned()))?;
                let slot = GROUPS
                    .iter()
                    .position(|group| group.name == name)
                    .ok_or_else(|| fail(format!("no group is called {name:?}")))?;
                if filled[slot].is_some() {
                    return Err(fail(format!("the group {name:?} comes twice")));
                }
                filled[slot] = Some(0);
                current = Some(slot);
                continue;
            }
            for word in line.split_whitespace() {
                let slot = current.ok_or_else(|| fail("a weight before the first group".to_owned()))?;
                let pair = parse_pair(word)
                    .ok_or_else(|| fail(format!("{word:?} is no pair like 12:-3 within ±{LIMIT}")))?;
                let group = GROUPS[slot];
                let taken = filled[slot].get_or_insert(0);
                if *taken == group.len {
                    return Err(fail(format!("the group {:?} has only {} weights", group.name, group.len)));
                }
                weights.values[group.start + *taken] = pair;
                *taken += 1;
            }
        }
        for (group, taken) in GROUPS.iter().zip(filled) {
            let taken = taken.unwrap_or(0);
            if taken != group.len {
                let reason = format!("the group {:?} has {taken} of {} weights", group.name, group.len);
                return Err(WeightsError { line: text.lines().count(), reason });
            }
        }
        Ok(weights)
    }
}

fn parse_pair(word: &str) -> Option<Pair> {
    let (mg, eg) = word.split_once(':')?;
    let half = |text: &str| text.parse().ok().filter(|value: &i32| (-LIMIT..=LIMIT).contains(value));
    Some(Pair::new(half(mg)?, half(eg)?))
}

/// Why a table of weights was refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct WeightsError {
    /// The line, counted from one.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_do_not_leak_into_each_other() {
        for mg in [-3000, -1, 0, 1, 77, 2999] {
            for eg in [-3000, -1, 0, 1, 77, 2999] {
                let pair = Pair::new(mg, eg);
                assert_eq!((pair.mg(), pair.eg()), (mg, eg));
                assert_eq!(((pair * -7).mg(), (pair * -7).eg()), (mg * -7, eg * -7));
                let other = pair - Pair::new(5, -9) + Pair::new(-1, 1);
                assert_eq!((other.mg(), other.eg()), (mg - 6, eg + 10));
            }
        }
    }

    #[test]
    fn groups_fill_the_table_without_gaps_and_names_are_unique() {
        let mut next = 0;
        for group in GROUPS {
            assert_eq!(group.start, next);
            next += group.len;
            assert_eq!(GROUPS.iter().filter(|other| other.name == group.name).count(), 1);
        }
        assert_eq!(next, COUNT);
    }

    #[test]
    fn text_goes_round() {
        let mut weights = Weights::default();
        for (i, pair) in weights.values_mut().iter_mut().enumerate() {
            *pair = Pair::new(i as i32 - 300, 500 - 2 * i as i32);
        }
        assert_eq!(Weights::from_text(&weights.to_text()), Ok(weights));
    }

    #[test]
    fn errors_name_the_line() {
        let text = Weights::zero().to_text();
        for (wrong, line, reason) in [
            (text.replace("[bishop-pair]", "[bishop-pear]"), 3, "bishop-pear"),
            (text.replace("[bishop-pair]", "[bishop-pair"), 3, "bracket"),
            (text.replace("[bishop-pair]\n", ""), 3, "\"material\" has only 5"),
            (text.replacen("0:0", "0:x", 1), 2, "0:x"),
            (text.replacen("0:0", "0:99999", 1), 2, "99999"),
            (text.replacen("0:0", "0:-2147483648", 1), 2, "-2147483648"),
            (format!("1:1\n{text}"), 1, "before the first group"),
            (format!("{text}[tempo]"), text.lines().count() + 1, "twice"),
            (text.replacen("0:0 0:0", "0:0 # 0:0", 1), text.lines().count(), "1 of 5"),
            (String::new(), 0, "\"material\" has 0 of 5"),
        ] {
            let error = Weights::from_text(&wrong).expect_err(reason);
            assert_eq!(error.line, line, "{error}");
            assert!(error.to_string().contains(reason), "{error}");
        }
    }
}
