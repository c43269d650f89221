//! The moves of a node, one at a time, the most promising first.
//!
//! Hash moves, winning captures, killers and counter-move, quiet moves by history, losing captures. Captures
//! are generated only when the hash moves have not cut, quiet moves only when no capture has.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, ByRole, Move, Role};

use super::history::{ContinuationContext, History, NO_CONTEXT};
use super::ordering;
use crate::board::see;
use crate::board::{Attacks, PackedMove, Position};

/// A move, and the stage that brought it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PickedMove {
    /// A legal move.
    pub m: Move,
    /// Which stage of the picker gave it out.
    pub stage: PickStage,
}

/// Where in the order a move came from.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PickStage {
    /// From the hash table.
    Hash,
    /// A capture or promotion that does not lose material.
    GoodCapture,
    /// A killer or the counter-move.
    Killer,
    /// A quiet move, by its history; under-promotions come last.
    Quiet,
    /// A capture that loses material.
    BadCapture,
}

/// What the picker may know of a node besides the position.
#[derive(Copy, Clone)]
pub struct Hints {
    /// Best moves from the hash table.
    pub hash: [PackedMove; 2],
    /// Killers of this ply and the counter-move.
    pub killers: [PackedMove; 3],
    /// What was moved before and what is attacked, for the quiet moves' history.
    pub context: ContinuationContext,
    /// Captures are ordered by their history too.
    pub capture_history: bool,
    /// What the opponent attacks, where anybody asks.
    pub attacks: Attacks,
}

impl Default for Hints {
    fn default() -> Self {
        Self {
            hash: Default::default(),
            killers: Default::default(),
            context: NO_CONTEXT,
            capture_history: false,
            attacks: Attacks::NONE,
        }
    }
}

#[derive(Copy, Clone)]
struct Scored {
    m: Move,
    score: i32,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum PickerState {
    Ranked,
    Hash(u8),
    GenerateCaptures,
    Captures,
    GenerateQuiets,
    Quiets,
    BadCaptures,
    Done,
}

/// Yields the legal moves of one node, each once.
pub struct Picker {
    hints: Hints,
    state: PickerState,
    /// Captures first, quiet moves behind them; those before `next` have been yielded or put aside.
    moves: ArrayVec<Scored, 256>,
    next: usize,
    captures_end: usize,
    /// Losing captures are put aside at the front of `moves`.
    bad_end: usize,
    captures_only: bool,
    /// Moves that came from the hash table.
    from_hash: usize,
}

impl Picker {
    /// All legal moves.
    #[inline(always)]
    pub fn new(hints: Hints) -> Self {
        Self::of_kind(hints, false)
    }

    /// All legal moves, or only captures and queen promotions that do not lose material (not for
    /// positions in check).
    #[inline(always)]
    pub fn of_kind(hints: Hints, captures_only: bool) -> Self {
        Self {
            hints,
            state: PickerState::Hash(0),
            moves: ArrayVec::new(),
            next: 0,
            captures_end: 0,
            bad_end: 0,
            captures_only,
            from_hash: 0,
        }
    }

    /// These moves in this order.
    pub fn ranked(moves: impl Iterator<Item = Move>) -> Self {
        let mut picker = Self { state: PickerState::Ranked, ..Self::new(Hints::default()) };
        picker.moves.extend(moves.map(|m| Scored { m, score: 0 }));
        picker
    }

    /// Passes over the quiet moves that are left; losing captures still come.
    pub fn skip_quiets(&mut self) {
        if self.state == PickerState::Quiets {
            self.next = self.moves.len();
        }
    }

    /// The number of legal moves; known only once the quiet ones were generated.
    pub fn legal_count(&self) -> usize {
        self.moves.len() + self.from_hash
    }

    /// The next move and its stage.
    pub fn next(&mut self, position: &Position, history: &History) -> Option<PickedMove> {
        let picked = |m, stage| Some(PickedMove { m, stage });
        loop {
            match self.state {
                PickerState::Ranked => {
                    let next = self.moves.get(self.next)?.m;
                    self.next += 1;
                    let stage = if is_noisy(next) { PickStage::GoodCapture } else { PickStage::Quiet };
                    return picked(next, stage);
                }
                PickerState::Hash(index) => {
                    self.state =
                        if index == 0 { PickerState::Hash(1) } else { PickerState::GenerateCaptures };
                    if let Some(m) = self.hash_move(position, usize::from(index)) {
                        self.from_hash += 1;
                        return picked(m, PickStage::Hash);
                    }
                }
                PickerState::GenerateCaptures => {
                    self.generate_captures(position, history);
                    self.state = PickerState::Captures;
                }
                PickerState::Captures => {
                    if let Some(m) = self.good_capture(position, history.rule().capture_slack) {
                        return picked(m, PickStage::GoodCapture);
                    }
                    self.state =
                        if self.captures_only { PickerState::Done } else { PickerState::GenerateQuiets };
                }
                PickerState::GenerateQuiets => {
                    self.generate_quiets(position, history);
                    self.state = PickerState::Quiets;
                }
                PickerState::Quiets => {
                    if let Some(quiet) = self.take_best(self.moves.len()) {
                        let stage = if quiet.score >= KILLER { PickStage::Killer } else { PickStage::Quiet };
                        return picked(quiet.m, stage);
                    }
                    self.next = 0;
                    self.state = PickerState::BadCaptures;
                }
                PickerState::BadCaptures => {
                    if self.next < self.bad_end {
                        self.next += 1;
                        return picked(self.moves[self.next - 1].m, PickStage::BadCapture);
                    }
                    self.state = PickerState::Done;
                }
                PickerState::Done => return None,
            }
        }
    }

    /// The hash move, if it is legal here: a key collision may bring any.
    fn hash_move(&mut self, position: &Position, index: usize) -> Option<Move> {
        let packed = self.hints.hash[index];
        if index == 1 && packed == self.hints.hash[0] {
            return None;
        }
        let fits = |m: Move| !self.captures_only || (is_noisy(m) && see::at_least(position, m, 0));
        let m = position.unpack(packed).filter(|&m| fits(m));
        if m.is_none() {
            self.hints.hash[index] = PackedMove::NONE;
        }
        m
    }

    #[inline(never)]
    fn generate_captures(&mut self, position: &Position, history: &History) {
        let (side, by_history) = (position.turn(), self.hints.capture_history);
        let score =
            |m: Move, _| capture_score(m) + if by_history { history.capture_order(side, m) } else { 0 };
        if position.in_check() {
            each_evasion(position, true, |m| self.add(m, score));
        } else {
            position.each_capture(|m| self.add(m, score));
        }
        self.captures_end = self.moves.len();
    }

    #[inline(never)]
    fn generate_quiets(&mut self, position: &Position, history: &History) {
        let (side, Hints { killers, context, attacks, .. }) = (position.turn(), self.hints);
        let extras = Extras::new(position, &attacks, history.rule());
        let score = |m: Move, packed| match killers.iter().position(|&killer| killer == packed) {
            Some(rank) => KILLER + 2 - rank as i32,
            None if m.is_promotion() => UNDER_PROMOTION,
            None => history.order(side, m, &context) + extras.of(m),
        };
        if position.in_check() {
            each_evasion(position, false, |m| self.add(m, score));
        } else {
            position.each_quiet(|m| self.add(m, score));
        }
    }

    /// Adds a move with its score, unless it came from the hash table before.
    #[inline(always)]
    fn add(&mut self, m: Move, score: impl Fn(Move, PackedMove) -> i32) {
        let packed = PackedMove::new(m);
        if !self.hints.hash.contains(&packed) {
            self.moves.push(Scored { m, score: score(m, packed) });
        }
    }

    fn good_capture(&mut self, position: &Position, slack: i32) -> Option<Move> {
        // Quiescence search wants no capture that loses anything.
        let slack = if self.captures_only { 0 } else { slack };
        while let Some(capture) = self.take_best(self.captures_end) {
            if see::at_least(position, capture.m, -(slack * capture.score.max(0) / 1_000)) {
                return Some(capture.m);
            }
            if !self.captures_only {
                self.moves[self.bad_end] = capture;
                self.bad_end += 1;
            }
        }
        None
    }

    /// The best of the moves from `next` to `end`, which then counts as yielded.
    fn take_best(&mut self, end: usize) -> Option<Scored> {
        let rest = self.moves.get_mut(self.next..end).filter(|rest| !rest.is_empty())?;
        // Score and place in one number: the largest is the best, the first of equals, found without a branch.
        let ranked = |(index, scored): (usize, &Scored)| scored.score << 8 | (255 - index as i32);
        let best = rest.iter().enumerate().map(ranked).fold(i32::MIN, i32::max);
        let best = (255 - (best & 255)) as usize;
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0])
    }
}

/// Above every history value, and small enough for [`Picker::take_best`].
const KILLER: i32 = 1 << 20;
/// Below every history value.
const UNDER_PROMOTION: i32 = -(1 << 20);

/// What is known at once about a quiet move: it gives check, or a piece leaves the attack of a lesser one.
struct Extras<'a> {
    checks: ByRole<Bitboard>,
    attacks: &'a Attacks,
    rule: &'a ordering::Rule,
}

impl<'a> Extras<'a> {
    fn new(position: &Position, attacks: &'a Attacks, rule: &'a ordering::Rule) -> Self {
        let checks = if rule.check > 0 { position.check_squares() } else { ByRole::default() };
        Self { checks, attacks, rule }
    }

    #[inline]
    fn of(&self, m: Move) -> i32 {
        let Self { checks, attacks, rule } = self;
        let (role, to) = (m.role(), m.to());
        let check = if checks.get(role).contains(to) { rule.check } else { 0 };
        let escape = match m.from() {
            Some(from) if attacks.threatened.contains(from) => match role {
                Role::Queen if !attacks.rooks.contains(to) => rule.escape_queen,
                Role::Rook if !attacks.minors.contains(to) => rule.escape_rook,
                _ if !attacks.pawns.contains(to) => rule.escape_minor,
                _ => 0,
            },
            _ => 0,
        };
        check + escape
    }
}

/// The noisy or the quiet evasions of a check.
#[inline(never)]
fn each_evasion(position: &Position, noisy: bool, found: impl FnMut(Move)) {
    position.legal_moves().into_iter().filter(|m| is_noisy(*m) == noisy).for_each(found);
}

/// A capture or a promotion to a queen.
pub fn is_noisy(m: Move) -> bool {
    match m.promotion() {
        None => m.is_capture(),
        Some(role) => role == Role::Queen,
    }
}

/// Most valuable victim first, least valuable attacker first among those.
fn capture_score(m: Move) -> i32 {
    let victim = m.capture().map_or(0, see::piece_value);
    let promoted = m.promotion().map_or(0, see::piece_value);
    16 * (victim + promoted) - see::piece_value(m.role()) / 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn order(fen: &str, hints: Hints) -> Vec<(String, PickStage)> {
        let position = Position::from_fen(fen, false).unwrap();
        let mut picker = Picker::new(hints);
        let history = History::default();
        std::iter::from_fn(|| picker.next(&position, &history))
            .map(|PickedMove { m, stage }| (crate::board::uci_text(m, false), stage))
            .collect()
    }

    #[test]
    fn every_legal_move_comes_once_whatever_the_hints() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let position = Position::from_fen(fen, false).unwrap();
        let legal = position.legal_moves();
        let some = |index: usize| PackedMove::new(legal[index % legal.len()]);
        for index in 0..legal.len() {
            let hints = Hints {
                hash: [some(index), some(index * 7)],
                killers: [some(index + 1), PackedMove::from_bits(0x7777), some(index)],
                ..Hints::default()
            };
            let found = order(fen, hints);
            assert_eq!(found.len(), legal.len());
            let distinct: HashSet<_> = found.iter().map(|(text, _)| text).collect();
            assert_eq!(distinct.len(), legal.len());
            assert_eq!(found[0].0, crate::board::uci_text(legal[index], false));
        }
    }

    #[test]
    fn stages_come_in_their_order_and_losing_captures_last() {
        let fen = "4k3/3p4/4p3/3q4/8/2N5/8/3QK3 w - - 0 1";
        let killer = Position::from_fen(fen, false).unwrap().parse_move("e1f1").unwrap();
        let hints =
            Hints { killers: [killer.into(), PackedMove::NONE, PackedMove::NONE], ..Hints::default() };
        let found = order(fen, hints);
        assert!(found.is_sorted_by_key(|(_, stage)| *stage));
        assert_eq!(found[0], ("c3d5".into(), PickStage::GoodCapture), "the cheaper attacker first");
        assert_eq!(found[2], ("e1f1".into(), PickStage::Killer));
        let losing = order("4k3/3p4/4p3/8/8/8/8/3QK3 w - - 0 1", Hints::default());
        assert_eq!(losing.last(), Some(&("d1d7".into(), PickStage::BadCapture)));
    }

    #[test]
    fn an_illegal_hash_move_is_passed_over() {
        let hints =
            Hints { hash: [PackedMove::from_bits(0x7777), PackedMove::from_bits(1)], ..Hints::default() };
        let found = order("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", hints);
        assert!(found.iter().all(|(_, stage)| *stage != PickStage::Hash));
        assert_eq!(found.len(), 6);
    }

    #[test]
    fn a_promotion_and_218_moves_fit() {
        let found = order("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", Hints::default());
        assert_eq!(found.len(), 218);
        let promotion = order("8/P6k/8/8/8/8/8/K7 w - - 0 1", Hints::default());
        assert_eq!(promotion[0], ("a7a8q".into(), PickStage::GoodCapture));
    }
}
