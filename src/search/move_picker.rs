//! The moves of a node, one at a time, the most promising first.
//!
//! Hash moves, winning captures, killers and counter-move, quiet moves by history, losing captures. Captures
//! are generated only when the hash moves have not cut, quiet moves only when no capture has.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, ByRole, Move, Role, Square};

use super::history::{ContinuationContext, History, NO_CONTEXT, QuietOrder, RoleOrder};
use super::ordering;
use super::scores::Scores;
use crate::board::{Attacks, PackedMove, Position, role_and_squares, see};

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
    /// What the opponent attacks, if an option needs it.
    pub attacks: Attacks,
}

impl Hints {
    /// Squares to which a hash move or a killer goes.
    fn special_targets(&self) -> Bitboard {
        let moves = self.hash.iter().chain(&self.killers);
        moves.filter_map(|packed| packed.squares()).map(|(_, to)| to).collect()
    }
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

/// Where the next move comes from.
#[derive(Copy, Clone, PartialEq, Eq)]
enum PickerState {
    Ranked,
    /// The hash move of this number.
    Hash(u8),
    Captures,
    Quiets,
    BadCaptures,
    Checks,
    Done,
}

/// Yields the legal moves of one node, each once.
pub struct Picker {
    hints: Hints,
    state: PickerState,
    /// Captures first, quiet moves behind them; those before `next` have been yielded or put aside.
    moves: ArrayVec<Move, 256>,
    /// Their scores; those of the quiet moves only once they are needed.
    scores: Scores,
    next: usize,
    captures_end: usize,
    /// Losing captures are put aside at the front of `moves`.
    bad_end: usize,
    captures_only: bool,
    /// Quiet moves that give check follow the captures.
    checks: bool,
    /// Moves that came from the hash table.
    from_hash: usize,
}

impl Picker {
    /// All legal moves.
    #[inline(always)]
    pub fn new(hints: Hints) -> Self {
        Self {
            hints,
            state: PickerState::Hash(if hints.hash == [PackedMove::NONE; 2] { 2 } else { 0 }),
            moves: ArrayVec::new(),
            scores: Scores::default(),
            next: 0,
            captures_end: 0,
            bad_end: 0,
            captures_only: false,
            checks: false,
            from_hash: 0,
        }
    }

    /// Only captures and queen promotions that do not lose material and, with `checks`, quiet moves that give check and
    /// lose nothing either, castling and promotions left out (not for positions in check).
    #[inline(always)]
    pub fn of_captures(hints: Hints, checks: bool) -> Self {
        Self { captures_only: true, checks, ..Self::new(hints) }
    }

    /// These moves in this order.
    pub fn ranked(moves: impl Iterator<Item = Move>) -> Self {
        let mut picker = Self { state: PickerState::Ranked, ..Self::new(Hints::default()) };
        picker.moves.extend(moves);
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
        while self.state != PickerState::Done {
            if let Some((m, stage)) = self.pick(position, history) {
                return Some(PickedMove { m, stage });
            }
            self.advance(position, history);
        }
        None
    }

    /// The next move of this state, if one is left.
    #[inline(always)]
    fn pick(&mut self, position: &Position, history: &History) -> Option<(Move, PickStage)> {
        match self.state {
            PickerState::Ranked => {
                let next = *self.moves.get(self.next)?;
                self.next += 1;
                Some((next, if is_noisy(next) { PickStage::GoodCapture } else { PickStage::Quiet }))
            }
            PickerState::Hash(number) => {
                let m = (number..2).find_map(|number| {
                    self.state = PickerState::Hash(number + 1);
                    self.hash_move(position, usize::from(number))
                })?;
                self.from_hash += 1;
                Some((m, PickStage::Hash))
            }
            PickerState::Captures => {
                let m = self.good_capture(position, history.rule().capture_slack)?;
                Some((m, PickStage::GoodCapture))
            }
            PickerState::Quiets => {
                let (m, score) = self.take_best(self.moves.len())?;
                Some((m, if score >= KILLER { PickStage::Killer } else { PickStage::Quiet }))
            }
            PickerState::BadCaptures => {
                let next = *self.moves[..self.bad_end].get(self.next)?;
                self.next += 1;
                Some((next, PickStage::BadCapture))
            }
            PickerState::Checks => Some((self.safe_check(position)?, PickStage::Quiet)),
            PickerState::Done => None,
        }
    }

    /// No move of this state is left: the moves of the next one are generated.
    #[inline(always)]
    fn advance(&mut self, position: &Position, history: &History) {
        self.state = match self.state {
            PickerState::Hash(_) => {
                self.generate_captures(position, history);
                PickerState::Captures
            }
            PickerState::Captures if !self.captures_only => {
                self.generate_quiets(position, history);
                PickerState::Quiets
            }
            PickerState::Captures if self.checks => {
                self.generate_checks(position);
                PickerState::Checks
            }
            PickerState::Quiets => {
                self.next = 0;
                PickerState::BadCaptures
            }
            _ => PickerState::Done,
        };
    }

    /// The hash move, if it is legal here: a key collision may bring any.
    fn hash_move(&mut self, position: &Position, index: usize) -> Option<Move> {
        let packed = self.hints.hash[index];
        if packed == PackedMove::NONE || index == 1 && packed == self.hints.hash[0] {
            return None;
        }
        let fits = |m: Move| !self.captures_only || (is_noisy(m) && see::at_least(position, m, 0));
        let m = position.unpack(packed).filter(|&m| fits(m));
        if m.is_none() {
            self.hints.hash[index] = PackedMove::NONE;
        }
        m
    }

    /// Captures and queen promotions; in check also all other moves, which are legal by the same test.
    #[inline(never)]
    fn generate_captures(&mut self, position: &Position, history: &History) {
        let (side, by_history) = (position.turn(), self.hints.capture_history);
        let score = |m: Move| capture_score(m) + if by_history { history.capture_order(side, m) } else { 0 };
        if position.in_check() {
            let evasions = position.legal_moves();
            evasions.iter().filter(|m| is_noisy(**m)).for_each(|m| self.add(*m, score));
            self.captures_end = self.moves.len();
            let hash = self.hints.hash;
            let quiet = evasions.iter().filter(|m| !is_noisy(**m) && !hash.contains(&PackedMove::new(**m)));
            self.moves.extend(quiet.copied());
        } else {
            position.each_capture(|m| self.add(m, score));
            self.captures_end = self.moves.len();
        }
        self.scores.close();
    }

    #[inline(never)]
    fn generate_quiets(&mut self, position: &Position, history: &History) {
        let hints = self.hints;
        let scores = QuietScores::new(position, &hints, history);
        if position.in_check() {
            self.scores.open(self.captures_end);
            self.scores.extend(self.moves[self.captures_end..].iter().map(|m| scores.of(*m)));
            self.scores.close();
            return;
        }
        let known = hints.attacks.all;
        let attacked = if known.any() { known } else { position.attacks_on(position.turn()).all };
        debug_assert_eq!(attacked, position.attacks_on(position.turn()).all, "attacks of another position");
        let pinned = position.blockers(position.turn());
        self.scores.open(self.captures_end);
        let pawns = scores.of_role(Role::Pawn);
        position.each_pawn_step(pinned, |from, to| self.add_steps(&scores, &pawns, from, to.into()));
        position.each_quiet_step(pinned, attacked, |role, from, targets| {
            self.add_steps(&scores, &scores.of_role(role), from, targets);
        });
        position.each_odd_quiet(|m| {
            if !hints.hash.contains(&m.into()) {
                self.moves.push(m);
                self.scores.push(scores.of(m));
            }
        });
        self.scores.close();
    }

    /// Adds the quiet moves of a piece, but for hash moves.
    #[inline(always)]
    fn add_steps(&mut self, scores: &QuietScores, of_role: &RoleScores, from: Square, targets: Bitboard) {
        let role = of_role.role;
        let order = of_role.order.of_piece(from);
        let threatened = scores.hints.attacks.threatened.contains(from);
        let special = if threatened { targets } else { of_role.special };
        for to in targets {
            let m = Move::Normal { role, from, capture: None, to, promotion: None };
            if !special.contains(to) {
                self.moves.push(m);
                self.scores.push(order.to(to));
            } else if !scores.hints.hash.contains(&m.into()) {
                let bonus = || of_role.check(to) + scores.escape(role, from, to);
                self.moves.push(m);
                self.scores.push(scores.as_killer(m.into()).unwrap_or_else(|| order.to(to) + bonus()));
            }
        }
    }

    #[inline(never)]
    fn generate_checks(&mut self, position: &Position) {
        position.each_quiet_check(|m| self.moves.push(m));
    }

    /// Adds a capture, unless it came from the hash table before.
    #[inline(always)]
    fn add(&mut self, m: Move, score: impl Fn(Move) -> i32) {
        if !self.hints.hash.contains(&PackedMove::new(m)) {
            self.moves.push(m);
            self.scores.push(score(m));
        }
    }

    fn good_capture(&mut self, position: &Position, slack: i32) -> Option<Move> {
        // Quiescence search wants no capture that loses anything.
        let slack = if self.captures_only { 0 } else { slack };
        while let Some((m, score)) = self.take_best(self.captures_end) {
            if see::at_least(position, m, -(slack * score.max(0) / 1_000)) {
                return Some(m);
            }
            if !self.captures_only {
                self.moves[self.bad_end] = m;
                self.bad_end += 1;
            }
        }
        None
    }

    /// Another of the checks that are left, one that loses nothing in the exchange.
    fn safe_check(&mut self, position: &Position) -> Option<Move> {
        while self.moves.len() > self.captures_end {
            let check = self.moves.pop().filter(|m| see::at_least(position, *m, 0));
            if check.is_some() {
                return check;
            }
        }
        None
    }

    /// The best of the moves from `next` to `end` and its score; it then counts as yielded.
    #[inline(always)]
    fn take_best(&mut self, end: usize) -> Option<(Move, i32)> {
        if self.next >= end {
            return None;
        }
        let (best, score) = self.scores.take_best(self.next, end);
        let m = self.moves[best];
        self.moves[best] = self.moves[self.next];
        self.next += 1;
        Some((m, score))
    }
}

/// Above every history value, and small enough for [`Scores`].
const KILLER: i32 = 1 << 20;
/// Below every history value.
const UNDER_PROMOTION: i32 = -(1 << 20);

/// What orders the quiet moves of a node.
struct QuietScores<'a> {
    hints: &'a Hints,
    order: QuietOrder<'a>,
    /// Squares from which pieces give check.
    checks: ByRole<Bitboard>,
    /// Squares to which a hash move or a killer goes.
    special: Bitboard,
    rule: &'a ordering::Rule,
}

impl<'a> QuietScores<'a> {
    fn new(position: &Position, hints: &'a Hints, history: &'a History) -> Self {
        let rule = history.rule();
        let order = history.quiet_order(position.turn(), &hints.context);
        let checks = if rule.check > 0 { position.direct_checks() } else { ByRole::default() };
        Self { hints, order, checks, special: hints.special_targets(), rule }
    }

    /// The score of any quiet move.
    fn of(&self, m: Move) -> i32 {
        let (role, from, to) = role_and_squares(m);
        match self.as_killer(m.into()) {
            Some(score) => score,
            None if m.is_promotion() => UNDER_PROMOTION,
            None => {
                let of_role = self.of_role(role);
                of_role.order.of_piece(from).to(to) + of_role.check(to) + self.escape(role, from, to)
            }
        }
    }

    /// The score of a killer or counter-move.
    #[inline(always)]
    fn as_killer(&self, m: PackedMove) -> Option<i32> {
        self.hints.killers.iter().position(|&killer| killer == m).map(|rank| KILLER + 2 - rank as i32)
    }

    /// The bonus of a piece for escaping the attack of a lesser one.
    fn escape(&self, role: Role, from: Square, to: Square) -> i32 {
        let (attacks, rule) = (&self.hints.attacks, self.rule);
        match role {
            _ if !attacks.threatened.contains(from) => 0,
            Role::Queen if !attacks.rooks.contains(to) => rule.escape_queen,
            Role::Rook if !attacks.minors.contains(to) => rule.escape_rook,
            _ if !attacks.pawns.contains(to) => rule.escape_minor,
            _ => 0,
        }
    }

    /// Narrowed to the moves of pieces of one kind.
    #[inline(always)]
    fn of_role(&self, role: Role) -> RoleScores<'a> {
        let checks = *self.checks.get(role);
        let special = self.special | checks;
        RoleScores { role, order: self.order.of_role(role), checks, check: self.rule.check, special }
    }
}

/// What orders the quiet moves of pieces of one kind.
struct RoleScores<'a> {
    role: Role,
    order: RoleOrder<'a>,
    /// Squares from which they give check, and the bonus for that.
    checks: Bitboard,
    check: i32,
    /// Squares on which more than the history counts, or to which a hash move or killer goes.
    special: Bitboard,
}

impl RoleScores<'_> {
    /// The bonus of a move to this square for giving check.
    #[inline(always)]
    fn check(&self, to: Square) -> i32 {
        if self.checks.contains(to) { self.check } else { 0 }
    }
}

/// A capture or a promotion to a queen.
#[inline]
pub fn is_noisy(m: Move) -> bool {
    match m {
        Move::Normal { capture, promotion: None, .. } => capture.is_some(),
        Move::Normal { promotion, .. } => promotion == Some(Role::Queen),
        _ => m.is_en_passant(),
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
    fn checks_that_lose_nothing_follow_the_captures_where_they_are_wanted() {
        let position = Position::from_fen("4k3/1b6/8/8/8/8/8/R3K2R w - - 0 1", false).unwrap();
        let found = |checks| {
            let mut picker = Picker::of_captures(Hints::default(), checks);
            let history = History::default();
            let moves = std::iter::from_fn(|| picker.next(&position, &history));
            moves.map(|picked| crate::board::uci_text(picked.m, false)).collect::<Vec<_>>()
        };
        // The bishop would take the rook on a8.
        assert_eq!(found(true), ["h1h8"]);
        assert!(found(false).is_empty());
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
