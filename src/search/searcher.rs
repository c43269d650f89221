//! One thread's search: its state, and the questions the recursion asks of it.

use shakmaty::Move;

use super::alpha_beta::SearchedMoves;
use super::aspiration::RunningMean;
use super::correction_history::CorrectionHistory;
use super::event::{End, Event, NodeKind, Visit};
use super::history::{Continuation, ContinuationContext, History, NO_CONTEXT, PieceTo};
use super::move_picker::{Hints, is_noisy};
use super::node::{Ending, Frame, Node, SearchStack, Value, Variations};
use super::observer::Observer;
use super::root::RootMove;
use super::time_manager::EarlierSearch;
use super::transposition_table::TtEntry;
use super::{Job, Learned, Rules, Stopped, syzygy};
use crate::board::{PackedMove, Position};
use crate::depth::Depth;
use crate::eval::Evaluator;
use crate::score::Bound;
use crate::selective::Facts;

/// What a search thread keeps from one search to the next: histories and caches.
#[derive(Default)]
pub(super) struct ThreadData {
    /// Which moves have been good.
    pub history: History,
    /// How far static values were off.
    pub correction: CorrectionHistory,
    /// The evaluation and its caches.
    pub evaluator: Evaluator,
    /// The last search of this game.
    pub earlier: Option<EarlierSearch>,
    /// Room for the path; away while a search runs.
    path: Option<SearchStack>,
}

impl ThreadData {
    /// Makes the evaluation that the learned tables ask for, unless it is there already.
    fn set_evaluation(&mut self, learned: &Learned) {
        let Learned { network, weights, combination, .. } = learned;
        if !self.evaluator.is_with(network.as_ref(), weights, combination.as_deref()) {
            self.evaluator = Evaluator::with(network.as_ref(), weights, combination.as_deref());
        }
    }

    /// Clears histories and caches, for a new game.
    pub(super) fn clear(&mut self) {
        self.history.clear();
        self.correction.clear();
        self.evaluator.clear();
        self.earlier = None;
    }
}

/// One thread's search of one job.
pub(super) struct Searcher<'a, O> {
    pub job: &'a Job,
    pub rules: Rules,
    /// Which thread this is; the first one looks at the clock and reports.
    pub thread: usize,
    pub thread_data: &'a mut ThreadData,
    pub observer: O,
    pub nodes: u64,
    next_check: u64,
    pub selective_depth: usize,
    pub frames: Box<[Frame]>,
    pub variations: Variations,
    /// Keys of the game, followed by those of the path.
    pub keys: Vec<u64>,
    pub root_moves: Vec<RootMove>,
    /// No move is extended from this ply on: twice the nominal depth.
    pub extension_limit: usize,
    /// Running mean of the root's values.
    pub mean: RunningMean,
    /// Width of the root's window.
    pub root_window: i32,
    /// The iteration under way, in plies.
    pub iteration: i32,
    /// When nodes are looked up in the endgame tables.
    pub probing: syzygy::ProbeRule,
}

impl<'a, O: Observer> Searcher<'a, O> {
    pub(super) fn new(job: &'a Job, thread_data: &'a mut ThreadData, thread: usize, observer: O) -> Self {
        let mut path = thread_data.path.take().unwrap_or_default();
        path.begin(job.game.earlier_keys());
        let SearchStack { frames, variations, keys } = path;
        thread_data.history.begin(&job.rules.ordering, job.rules.search.history_weight);
        thread_data.set_evaluation(&job.learned);
        thread_data.evaluator.reset(job.game.position());
        Self {
            job,
            rules: job.rules,
            thread,
            thread_data,
            observer,
            nodes: 0,
            next_check: 0,
            selective_depth: 0,
            frames,
            variations,
            keys,
            root_moves: Vec::new(),
            extension_limit: 0,
            mean: RunningMean::default(),
            root_window: 1,
            iteration: 0,
            probing: job.probing(),
        }
    }

    /// Ends the search: returns its observer, and keeps its stack for the next search.
    pub(super) fn into_observer(self) -> O {
        let Self { frames, variations, keys, .. } = self;
        self.thread_data.path = Some(SearchStack { frames, variations, keys });
        self.observer
    }

    /// Tells the observer what happens, if it wants to hear of that.
    #[inline(always)]
    pub(super) fn tell(&mut self, event: Event) {
        if O::WANTS.includes(event.interest()) {
            self.observer.on(&event);
        }
    }

    /// Enters a node with remaining depth.
    #[inline(always)]
    pub(super) fn enter(&mut self, node: &Node, kind: NodeKind) -> Result<(), Stopped> {
        self.count_node(node.position, node.ply)?;
        let Node { window, depth, ply, .. } = *node;
        let cut = (kind == NodeKind::Minimal).then_some(node.cut);
        self.tell(Event::Entered(Visit { m: self.last_move(ply), window, depth, kind, cut }));
        Ok(())
    }

    /// Counts a node and pushes its key; stops here if the search must end.
    #[inline]
    pub(super) fn count_node(&mut self, position: &Position, ply: usize) -> Result<(), Stopped> {
        if self.nodes >= self.next_check {
            self.check_limits()?;
        }
        self.nodes += 1;
        self.selective_depth = self.selective_depth.max(ply);
        let here = self.job.game.earlier_keys().len() + ply;
        self.keys[here] = position.key();
        Ok(())
    }

    /// Leaves a node; returns its value.
    #[inline(always)]
    pub(super) fn leave(&mut self, ending: Ending) -> Value {
        let Ending { value, end } = ending;
        let uncertain = !self.rules.selective.uncertainty.accepts(value.doubt);
        self.tell(Event::Left { value: value.score, uncertain, end });
        value
    }

    /// The move that led to a node; none at the root and after a pass.
    #[inline(always)]
    pub(super) fn last_move(&self, ply: usize) -> PackedMove {
        if ply > 0 { self.frames[ply - 1].played } else { PackedMove::NONE }
    }

    /// The search has found what it was looking for.
    pub(super) fn stop_here(&mut self) {
        self.job.control.reach_limit();
        self.next_check = 0;
    }

    /// Checks the clock, the node limit and the stop flag.
    #[cold]
    fn check_limits(&mut self) -> Result<(), Stopped> {
        self.job.publish_nodes(self.thread, self.nodes);
        let control = &self.job.control;
        let mut next = self.nodes + self.job.poll_interval;
        if self.thread == 0 {
            if let Some(limit) = self.job.limits.nodes {
                let total = self.job.total_nodes();
                if total >= limit {
                    control.reach_limit();
                } else if self.job.threads() == 1 {
                    next = next.min(limit);
                }
            }
            if self.job.time_manager.must_stop(control) {
                control.reach_limit();
            }
        }
        self.next_check = next;
        if control.is_over() { Err(Stopped) } else { Ok(()) }
    }

    /// What the histories of the quiet moves of a node depend on.
    pub(super) fn context(&self, ply: usize) -> ContinuationContext {
        let attacked = self.frames[ply].attacks.all;
        if !self.rules.search.continuation_history {
            return ContinuationContext { attacked, ..NO_CONTEXT };
        }
        let before = |plies: usize| {
            self.frames.get(ply.wrapping_sub(plies)).map_or(Continuation::NONE, |frame| frame.continuation)
        };
        let six = if self.rules.ordering.six { before(6) } else { Continuation::NONE };
        ContinuationContext { before: [before(1), before(2), before(4), six], attacked }
    }

    /// The piece moved `plies` plies before a node, and where to.
    #[inline]
    pub(super) fn piece_to(&self, ply: usize, plies: usize) -> PieceTo {
        self.frames.get(ply.wrapping_sub(plies)).map_or(PieceTo::NONE, |frame| frame.piece_to)
    }

    /// A node begins: counts of cut-offs two plies below, and perhaps killers there, are stale.
    #[inline]
    pub(super) fn begin_node(&mut self, ply: usize) {
        if let Some(frame) = self.frames.get_mut(ply + 2) {
            frame.cutoffs = 0;
            if self.rules.ordering.killers_local {
                frame.killers = Default::default();
            }
        }
    }

    /// A node at this ply refuted the move that led to it.
    #[inline]
    pub(super) fn count_cutoff(&mut self, ply: usize) {
        self.frames[ply].cutoffs = self.frames[ply].cutoffs.saturating_add(1);
    }

    /// Computes the squares that the opponent attacks, if quiet moves are ordered by them.
    #[inline]
    pub(super) fn note_attacks(&mut self, position: &Position, ply: usize) {
        if self.rules.search.history_threats {
            self.frames[ply].attacks = position.attacks_on(position.turn());
        }
    }

    /// What the hash table knows.
    #[inline]
    pub(super) fn probe(&self, position: &Position) -> Option<TtEntry> {
        if self.rules.search.hash.is_used() { self.job.tt.probe(position.key()) } else { None }
    }

    /// The score in the hash table, if it is deep enough and its bound cuts.
    #[inline(always)]
    pub(super) fn tt_cutoff(&mut self, node: &Node) -> Option<Ending> {
        let Node { position, window, depth, ply, .. } = *node;
        let entry = node.entry.filter(|entry| entry.allows_cutoff(depth, window, ply))?;
        let shallow =
            self.rules.search.hash_deeper && entry.bound != Some(Bound::Exact) && entry.depth <= depth;
        if shallow || !self.rules.search.hash_cutoffs {
            return None;
        }
        self.learn_hash_cutoff(node, &entry);
        self.trusts_tt(position).then(|| {
            self.tell(Event::Numbers([entry.depth.raw(), 0, 0]));
            Ending::new(entry.score(ply), End::Hash)
        })
    }

    /// Scores in the hash table may cut here. Close to the fifty-move rule the same position may be worth
    /// something else.
    #[inline(always)]
    pub(super) fn trusts_tt(&self, position: &Position) -> bool {
        self.rules.search.hash_cutoffs && position.halfmoves() < 90
    }

    /// The picker's hints for this node.
    pub(super) fn hints(&self, entry: &Option<TtEntry>, ply: usize) -> Hints {
        let frame = &self.frames[ply];
        let [first, second] = if self.rules.search.killers { frame.killers } else { Default::default() };
        let counter = if self.rules.search.counter_moves {
            self.thread_data.history.counter(self.last_move(ply))
        } else {
            PackedMove::NONE
        };
        Hints {
            killers: [first, second, counter],
            context: self.context(ply),
            attacks: frame.attacks,
            ..self.capture_hints(entry)
        }
    }

    /// The hints of a picker of captures.
    #[inline]
    pub(super) fn capture_hints(&self, entry: &Option<TtEntry>) -> Hints {
        let hash = entry.map_or(Default::default(), |entry| {
            [entry.best, if self.rules.search.hash.keeps_two() { entry.second } else { PackedMove::NONE }]
        });
        Hints { hash, capture_history: self.rules.search.capture_history, ..Hints::default() }
    }

    /// What a selective method may know here.
    pub(super) fn facts(&self, node: &Node) -> Facts {
        let frame = &self.frames[node.ply];
        Facts {
            depth: node.depth,
            beta: node.window.beta,
            alpha: node.window.alpha,
            cut: node.cut,
            eval: self.adjusted_eval(node),
            static_eval: frame.eval,
            improving: frame.improving,
            improvement: frame.improvement,
            pv: node.is_pv(),
            was_pv: node.was_pv,
            last_history: node.arrival.history,
            doubles: node.inherited.doubles,
            in_check: node.position.in_check(),
            has_pieces: node.position.has_pieces(node.position.turn()),
            phase: node.position.game_phase(),
            after_null: node.after_null,
            no_null: node.null_is_banned(),
            verify: node.inherited.verify,
            extended_lately: node.inherited.extended_lately(),
            pv_beta: node.pv_beta,
            probing: node.inherited.probing,
            excluding: node.excluded != PackedMove::NONE,
        }
    }

    /// Plays a move of the path: the only place where the search does.
    #[inline(always)]
    pub(super) fn play(&mut self, position: &Position, m: Move, ply: usize) -> Position {
        let keys = position.keys_moved(m);
        self.job.tt.prefetch(keys.all);
        self.thread_data.correction.prefetch(&keys);
        let child = position.play_with(m, keys);
        self.thread_data.evaluator.push(ply + 1, position, m, &child);
        let frame = &mut self.frames[ply];
        frame.played = m.into();
        frame.piece_to = PieceTo::new(position.turn(), m);
        frame.in_check = position.in_check();
        frame.quiet = !is_noisy(m);
        frame.captured_on = m.is_capture().then_some(m.to());
        let kind = if self.rules.ordering.kinds {
            u16::from(frame.in_check) + 2 * u16::from(m.is_capture())
        } else {
            0
        };
        frame.continuation = Continuation::new(frame.piece_to, kind);
        child
    }

    /// Makes a null move; `None` if the resulting position is illegal.
    #[inline(always)]
    pub(super) fn pass(&mut self, position: &Position, ply: usize) -> Option<Position> {
        self.job.tt.prefetch(position.key_passed());
        let child = position.pass()?;
        self.thread_data.evaluator.push_null(ply + 1, position, &child);
        let frame = &mut self.frames[ply];
        (frame.played, frame.piece_to, frame.captured_on) = (PackedMove::NONE, PieceTo::NONE, None);
        (frame.continuation, frame.quiet, frame.in_check) = (Continuation::NONE, false, false);
        Some(child)
    }

    /// The moves of a node were searched: the histories learn from it.
    pub(super) fn learn(
        &mut self,
        node: &Node,
        best: Value,
        best_move: Option<Move>,
        searched: &SearchedMoves,
    ) {
        match best_move {
            Some(m) => self.learn_best_move(node, best, m, searched),
            None => self.learn_fail_low(node, best.score),
        }
    }

    /// Stores the result of a node in the hash table, and how far its static value was off.
    pub(super) fn store(&mut self, node: &Node, best: Value, best_move: Option<Move>) {
        if self.rules.search.hash.is_used() {
            // A reply that fails low to a move of the principal variation belongs to it, too.
            let inherits = best.score <= node.window.alpha && node.depth > Depth::plies(3);
            let certain = self.rules.selective.uncertainty.accepts(best.doubt);
            let entry = TtEntry {
                best: best_move.map_or(PackedMove::NONE, PackedMove::new),
                second: PackedMove::NONE,
                score: best.score.to_tt(node.ply),
                eval: self.frames[node.ply].raw_eval.raw() as i16,
                depth: node.depth,
                bound: certain.then(|| Bound::of(best.score, node.window)),
                was_pv: node.was_pv || (inherits && node.arrival.from_pv && self.rules.search.pv_marks),
            };
            self.job.tt.store(node.position.key(), entry);
        }
        if self.rules.search.correction_history && !best_move.is_some_and(is_noisy) {
            self.update_correction(node, best);
        }
    }
}
