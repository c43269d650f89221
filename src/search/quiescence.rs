//! Quiescence search: captures and promotions until the position is quiet, and on its first ply
//! quiet checks if they are asked for.

use shakmaty::Move;

use super::event::{End, Event, NodeKind, Purpose, Visit};
use super::move_picker::{PickedMove, Picker, is_noisy};
use super::node::Ending;
use super::node_pruning::StandoutMove;
use super::observer::Observer;
use super::static_eval::STATIC_DEPTH;
use super::transposition_table::TtEntry;
use super::{Searcher, Stopped};
use crate::board::{PackedMove, Position, see};
use crate::depth::Depth;
use crate::score::{Bound, MAX_PLY, Score, Window};
use crate::selective::Id;

/// A node of the quiescence search whose moves are about to be searched.
struct QuiescenceNode<'a> {
    position: &'a Position,
    window: Window,
    ply: usize,
    entry: Option<TtEntry>,
    /// Quiet moves that give check are searched too.
    checks: bool,
    /// Static value, corrected; [`Score::NONE`] in check.
    eval: Score,
    /// The best value so far.
    best: Score,
    best_move: PackedMove,
    /// Quiet evasions of a check that are left.
    evasions: i32,
    /// Moves seen so far.
    seen: i32,
}

impl<O: Observer> Searcher<'_, O> {
    /// The value at the horizon: static, or that of the quiescence search.
    pub(super) fn horizon(
        &mut self,
        position: &Position,
        window: Window,
        ply: usize,
    ) -> Result<Score, Stopped> {
        let singular = self.static_singular(position, ply);
        if singular.is_none() && self.rules.search.quiescence {
            return self.quiescence(position, window, ply, self.rules.search.quiescence_checks);
        }
        self.enter_quiescence(position, window, ply)?;
        if !window.is_minimal() {
            self.variations.clear(ply);
        }
        let ending = match (self.game_end(position, ply), singular) {
            (Some(ending), _) => ending,
            (None, Some(singular)) => self.beyond_horizon(position, window, ply, singular)?,
            (None, None) => {
                let value = self.evaluate(position, ply);
                self.tell(Event::Evaluated { value, cut: None });
                Ending::new(value, End::Horizon)
            }
        };
        Ok(self.leave(ending).score)
    }

    /// Searches the one move that stands out beyond the horizon. If it disappoints, the alternatives count.
    fn beyond_horizon(
        &mut self,
        position: &Position,
        window: Window,
        ply: usize,
        StandoutMove { m, second }: StandoutMove,
    ) -> Result<Ending, Stopped> {
        let rule = self.rules.selective.static_singular;
        self.tell(Event::Act { method: Id::StaticSingular });
        let child = self.play(position, m, ply);
        self.tell(Event::Asks(Purpose::StaticSingular));
        let value = -self.horizon(&child, rule.window(window, second).flip(), ply + 1)?;
        let in_line = !window.is_minimal();
        if !rule.disappoints(value, second) || value >= window.beta {
            if value > window.alpha && in_line {
                self.variations.set(ply, m);
            }
            return Ok(Ending::new(value, End::Singular));
        }
        let alternative = if self.rules.search.quiescence {
            self.quiescence_node(position, window, ply, self.rules.search.quiescence_checks)?.value.score
        } else {
            self.evaluate(position, ply)
        };
        if value > alternative && value > window.alpha && in_line {
            // The search of the alternatives has overwritten its line.
            self.variations.clear(ply + 1);
            self.variations.set(ply, m);
        }
        Ok(Ending::new(value.max(alternative), End::Singular))
    }

    /// Enters a node of the quiescence search.
    #[inline(always)]
    fn enter_quiescence(&mut self, position: &Position, window: Window, ply: usize) -> Result<(), Stopped> {
        self.count_node(position, ply)?;
        let (m, depth, kind) = (self.last_move(ply), Depth::ZERO, NodeKind::Quiescence);
        self.tell(Event::Entered(Visit { m, window, depth, kind, cut: None }));
        Ok(())
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
        if !window.is_minimal() {
            self.variations.clear(ply);
        }
        self.enter_quiescence(position, window, ply)?;
        let ending = self.quiescence_node(position, window, ply, checks)?;
        Ok(self.leave(ending).score)
    }

    /// The steps of a quiescence node.
    #[inline(always)]
    fn quiescence_node(
        &mut self,
        position: &Position,
        window: Window,
        ply: usize,
        checks: bool,
    ) -> Result<Ending, Stopped> {
        // 1. The end of the game.
        if let Some(ending) = self.game_end(position, ply) {
            return Ok(ending);
        }

        // 2. Hash table. What was searched without checks does not answer for a search with them.
        let in_check = position.in_check();
        let without_checks = self.rules.search.quiescence_checks && !checks && !in_check;
        let depth = if without_checks { -Depth::PLY } else { Depth::ZERO };
        let entry = self.probe(position);
        self.tell(Event::HashProbed { hit: entry.is_some() });
        if window.is_minimal()
            && let Some(entry) = entry
            && entry.allows_cutoff(depth, window, ply)
            && self.trusts_tt(position)
        {
            self.tell(Event::Numbers([entry.depth.raw(), 0, 0]));
            return Ok(Ending::new(entry.score(ply), End::Hash));
        }

        // 3. Stand pat: the static value is enough.
        let raw = self.raw_eval(position, &entry, ply);
        let eval = self.stand_pat(position, &entry, raw, ply);
        self.tell(Event::Evaluated { value: eval, cut: None });
        let best = if in_check { -Score::INFINITE } else { eval };
        if best >= window.beta {
            if self.rules.search.hash_static && entry.is_none() {
                self.store_stand_pat(position, raw, best, ply);
            }
            return Ok(Ending::new(best, End::StandPat));
        }
        if ply + 1 >= MAX_PLY {
            let value = if in_check { self.evaluate(position, ply) } else { best };
            return Ok(Ending::new(value, if in_check { End::PathLimit } else { End::StandPat }));
        }

        // 4. The moves.
        let evasions = self.rules.search.quiescence_evasions;
        let checks = checks && !in_check;
        let (best_move, seen) = (PackedMove::NONE, 0);
        let mut node =
            QuiescenceNode { position, window, ply, entry, checks, eval, best, best_move, evasions, seen };
        self.quiescence_moves(&mut node)?;

        // 5. Checkmate, or store the value.
        if node.best == -Score::INFINITE {
            return Ok(self.no_moves(position, ply));
        }
        self.store_quiescence(&node, raw, depth);
        Ok(Ending::new(node.best, if node.best >= window.beta { End::Cut } else { End::Quiet }))
    }

    /// Searches the moves of a node until one cuts.
    #[inline(always)]
    fn quiescence_moves(&mut self, node: &mut QuiescenceNode) -> Result<(), Stopped> {
        let QuiescenceNode { position, window, ply, .. } = *node;
        let in_check = position.in_check();
        let mut picker = if in_check {
            self.note_attacks(position, ply);
            Picker::new(self.hints(&node.entry, ply))
        } else {
            Picker::of_captures(self.capture_hints(&node.entry), node.checks)
        };
        while let Some(PickedMove { m, .. }) = picker.next(position, &self.thread_data.history) {
            if in_check && !is_noisy(m) {
                // Later quiet evasions are rarely better, once one is known that does not lose.
                if node.evasions <= 0 && !node.best.is_loss() {
                    picker.skip_quiets();
                    continue;
                }
                node.evasions -= 1;
            } else if !in_check && self.prune_quiescence(node, m) {
                continue;
            }
            let child = self.play(position, m, ply);
            let open = Window { alpha: window.alpha.max(node.best), beta: window.beta };
            let value = -self.quiescence(&child, open.flip(), ply + 1, false)?;
            if value <= node.best {
                continue;
            }
            node.best = value;
            if value > window.alpha {
                node.best_move = m.into();
                if !window.is_minimal() {
                    self.variations.set(ply, m);
                }
            }
            if value >= window.beta {
                break;
            }
        }
        Ok(())
    }

    /// The value to stand pat on: static, or the hash table's where that is a better bound.
    #[inline(always)]
    fn stand_pat(&self, position: &Position, entry: &Option<TtEntry>, raw: Score, ply: usize) -> Score {
        let eval = self.corrected(position, raw, ply);
        match entry {
            Some(entry) if self.rules.search.hash_eval && eval != Score::NONE => entry.improves_on(eval, ply),
            _ => eval,
        }
    }

    /// Leaves out a move of a node that is not in check.
    #[inline(always)]
    fn prune_quiescence(&mut self, node: &mut QuiescenceNode, m: Move) -> bool {
        node.seen += 1;
        let position = node.position;
        if !is_noisy(m) {
            let context = self.context(node.ply);
            return self.rules.search.continuation_history
                && self.rules.ordering.kinds
                && self.thread_data.history.never_good_after(position.turn(), m, &context);
        }
        if m.promotion().is_some() {
            return false;
        }
        let recaptures = node.ply > 0 && self.frames[node.ply - 1].captured_on == Some(m.to());
        let many = node.seen > self.rules.search.quiescence_moves && !recaptures;
        if many && !node.best.is_loss() && !position.gives_check(m) {
            return true;
        }
        self.delta_prunes(node, m)
    }

    /// Delta pruning: a capture whose victim is not worth enough is left out.
    #[inline(always)]
    fn delta_prunes(&mut self, node: &mut QuiescenceNode, m: Move) -> bool {
        let alpha = node.window.alpha.max(node.best);
        let rule = self.rules.selective.delta;
        let by_exchange =
            || rule.even_ceiling(node.eval, alpha).filter(|_| !see::at_least(node.position, m, 1));
        let most = rule.ceiling(node.eval, see::captured_value(m), alpha).or_else(by_exchange);
        let Some(most) = most else { return false };
        self.tell(Event::Act { method: Id::Delta });
        self.tell(Event::LeftOut { method: Id::Delta, m: m.into(), by: most.raw() });
        node.best = node.best.max(most);
        true
    }

    /// Stores a static value that was enough for a cut-off.
    fn store_stand_pat(&mut self, position: &Position, raw: Score, best: Score, ply: usize) {
        if self.rules.search.hash.is_used() {
            let entry = TtEntry {
                best: PackedMove::NONE,
                second: PackedMove::NONE,
                score: best.to_tt(ply),
                eval: raw.raw() as i16,
                depth: STATIC_DEPTH,
                bound: Some(Bound::Lower),
                was_pv: false,
            };
            self.job.tt.store(position.key(), entry);
        }
    }

    /// Stores the result of a node in the hash table.
    #[inline(always)]
    fn store_quiescence(&mut self, node: &QuiescenceNode, raw: Score, depth: Depth) {
        if self.rules.search.hash.is_used() {
            let entry = TtEntry {
                best: node.best_move,
                second: PackedMove::NONE,
                score: node.best.to_tt(node.ply),
                eval: raw.raw() as i16,
                depth,
                bound: Some(Bound::of(node.best, node.window)),
                was_pv: node.entry.is_some_and(|entry| entry.was_pv),
            };
            self.job.tt.store(node.position.key(), entry);
        }
    }
}
