//! Quiescence search: captures and promotions until the position is quiet, and on its first ply
//! quiet checks if they are asked for.

use super::event::{End, NodeKind, Purpose};
use super::move_picker::{Picker, is_noisy};
use super::observer::Observer;
use super::terminal::no_moves;
use super::transposition_table::TtEntry;
use super::{Searcher, Stopped};
use crate::board::see;
use crate::board::{PackedMove, Position};
use crate::depth::Depth;
use crate::score::{Bound, MAX_PLY, Score, Window};
use crate::selective::Id;
use shakmaty::MoveList;
use std::cell::LazyCell;

impl<O: Observer> Searcher<'_, O> {
    /// The value at the horizon: static, or that of the quiescence search.
    pub(super) fn horizon(
        &mut self,
        position: &Position,
        window: Window,
        ply: usize,
    ) -> Result<Score, Stopped> {
        if let Some(m) = self.static_singular(position, ply) {
            self.enter(position, ply)?;
            self.tell_entered(NodeKind::Quiescence, window, Depth::ZERO, ply, None);
            if let Some(score) = self.game_end(position, ply) {
                return self.leave_game_over(score, position, ply);
            }
            self.observer.act(Id::StaticSingular);
            let child = self.play(position, m, ply);
            self.observer.asks(Purpose::StaticSingular);
            let value = -self.horizon(&child, window.flip(), ply + 1)?;
            return self.leave(value, End::Singular);
        }
        if self.rules.search.quiescence {
            return self.quiescence(position, window, ply, self.rules.search.quiescence_checks);
        }
        self.enter(position, ply)?;
        self.tell_entered(NodeKind::Quiescence, window, Depth::ZERO, ply, None);
        if let Some(score) = self.game_end(position, ply) {
            return self.leave_game_over(score, position, ply);
        }
        let value = self.evaluate(position);
        self.observer.evaluated(value, None);
        self.leave(value, End::Horizon)
    }

    /// Searches captures that do not lose material, moves out of check and, with `checks`, quiet moves that
    /// give check. The mover may always stand pat on the static value unless in check. Without delta pruning
    /// and with all moves out of check, what is searched depends neither on the window nor on the order of
    /// moves, so the value is the same whatever window asks for it.
    fn quiescence(
        &mut self,
        position: &Position,
        window: Window,
        ply: usize,
        checks: bool,
    ) -> Result<Score, Stopped> {
        let pv = !window.is_minimal();
        if pv {
            self.variations.clear(ply);
        }
        self.enter(position, ply)?;
        self.tell_entered(NodeKind::Quiescence, window, Depth::ZERO, ply, None);
        if let Some(score) = self.game_end(position, ply) {
            return self.leave_game_over(score, position, ply);
        }
        let entry = self.probe(position);
        let in_check = position.in_check();
        // What was searched without checks does not answer for a search with them.
        let blind = self.rules.search.quiescence_checks && !checks && !in_check;
        let depth = if blind { -Depth::PLY } else { Depth::ZERO };
        if !pv && let Some(score) = self.tt_cutoff(&entry, position, window, depth, ply) {
            return self.leave(score, End::Hash);
        }
        let raw = self.raw_eval(position, &entry);
        let eval = self.corrected(position, raw, ply);
        self.observer.evaluated(eval, None);
        let mut best = if in_check { -Score::INFINITE } else { eval };
        if best >= window.beta || ply + 1 >= MAX_PLY {
            let (value, end) =
                if in_check { (self.evaluate(position), End::PathLimit) } else { (best, End::StandPat) };
            return self.leave(value, end);
        }

        if in_check {
            self.note_attacks(position, ply);
        }
        let hints = self.hints(&entry, ply);
        let mut picker = Picker::of_kind(hints, !in_check);
        let mut best_move = PackedMove::NONE;
        let mut evasions = self.rules.search.quiescence_evasions;
        let wanted = checks && !in_check;
        let mut checks = LazyCell::new(|| safe_checks(position));
        while let Some(m) = picker
            .next(position, &self.thread_data.history)
            .map(|(m, _)| m)
            .or_else(|| if wanted { checks.pop() } else { None })
        {
            if !in_check
                && is_noisy(m)
                && m.promotion().is_none()
                && let Some(most) =
                    self.rules.selective.delta.ceiling(eval, see::captured_value(m), window.alpha.max(best))
            {
                self.observer.act(Id::Delta);
                best = best.max(most);
                continue;
            }
            // Few of the later quiet evasions are better, if one that is known does not lose.
            if in_check && !is_noisy(m) {
                if evasions <= 0 && !best.is_loss() {
                    picker.skip_quiets();
                    continue;
                }
                evasions -= 1;
            }
            let child = self.play(position, m, ply);
            let open = Window { alpha: window.alpha.max(best), beta: window.beta };
            let value = -self.quiescence(&child, open.flip(), ply + 1, false)?;
            if value > best {
                best = value;
                if value > window.alpha {
                    best_move = m.into();
                    if pv {
                        self.variations.set(ply, m);
                    }
                }
                if best >= window.beta {
                    break;
                }
            }
        }
        if best == -Score::INFINITE {
            return self.leave(no_moves(position, ply), End::Checkmate);
        }
        if self.rules.search.hash.is_used() {
            self.job.tt.store(
                position.key(),
                TtEntry {
                    best: best_move,
                    second: PackedMove::NONE,
                    score: best.to_tt(ply),
                    eval: raw.raw() as i16,
                    depth,
                    bound: Some(Bound::of(best, window)),
                },
            );
        }
        self.leave(best, End::Quiet)
    }
}

/// Quiet moves that give check and lose nothing in the exchange, castling and promotions left out.
fn safe_checks(position: &Position) -> MoveList {
    let mut moves = MoveList::new();
    position.each_quiet_check(|m| {
        if see::at_least(position, m, 0) {
            moves.push(m);
        }
    });
    moves
}
