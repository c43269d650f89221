//! Where the endgame tables meet the tree: nodes are looked up, and the moves of the root are chosen.

use std::sync::atomic::Ordering;

use super::{ProbeFacts, ProbeRule, Ranking, Syzygy};
use crate::board::{PackedMove, Position};
use crate::depth::Depth;
use crate::score::Score;
use crate::search::observer::Observer;
use crate::search::root::RootMove;
use crate::search::transposition_table::TtEntry;
use crate::search::{Job, Searcher};

/// A table's answer is worth more than a search: its hash entry counts as searched so much deeper.
const TRUST: Depth = Depth::plies(6);

impl Job {
    /// When nodes are looked up: never without tables.
    pub(in crate::search) fn probing(&self) -> ProbeRule {
        self.rules.syzygy.within(self.syzygy.as_ref().map_or(0, |tables| tables.men()))
    }

    /// What the tables say of the root, if it is in them.
    fn ranking(&self) -> Option<&Ranking> {
        let tables = self.syzygy.as_ref()?;
        let ask = || {
            let ranking = tables.rank(&self.game, &self.rules.syzygy)?;
            self.count_tb_hits(ranking.moves.len() as u64);
            Some(ranking)
        };
        self.ranking.get_or_init(ask).as_ref()
    }

    fn count_tb_hits(&self, hits: u64) {
        self.tb_hits.fetch_add(hits, Ordering::Relaxed);
    }
}

impl RootMove {
    /// The value to show: what the tables say, unless the search has found the mate behind it.
    pub(in crate::search) fn shown(&self) -> Score {
        let mate = |tb_score: Score| {
            let same_winner = (tb_score > Score::DRAW) == (self.score > Score::DRAW);
            self.score.is_mate() && tb_score.is_decided() && same_winner
        };
        self.tb_score.filter(|tb_score| !mate(*tb_score)).unwrap_or(self.score)
    }
}

impl<O: Observer> Searcher<'_, O> {
    /// The value of a node that the tables know. It ends the node: a mate behind a table win is looked for only
    /// when the win is on the board.
    #[inline(always)]
    pub(in crate::search) fn probe_syzygy(
        &mut self,
        position: &Position,
        depth: Depth,
        ply: usize,
    ) -> Option<Score> {
        // Without tables this comparison is the whole cost.
        if self.probing.men == 0 { None } else { self.look_up_syzygy(position, depth, ply) }
    }

    #[inline(never)]
    fn look_up_syzygy(&mut self, position: &Position, depth: Depth, ply: usize) -> Option<Score> {
        let facts = ProbeFacts {
            men: position.board().occupied().count(),
            depth,
            clock: position.halfmoves(),
            castling: !Syzygy::covers(position),
        };
        if !self.probing.wants(&facts) {
            return None;
        }
        let outcome = self.job.syzygy.as_ref()?.outcome(position)?;
        // A mate on the board is more than a loss.
        if position.in_check() && position.legal_moves().is_empty() {
            return None;
        }
        self.job.count_tb_hits(1);
        let (mut score, bound) = self.probing.value(outcome, ply);
        if score == Score::DRAW {
            score = self.draw_value(ply);
        }
        if self.rules.search.hash.is_used() {
            let entry = TtEntry {
                best: PackedMove::NONE,
                second: PackedMove::NONE,
                score: score.to_tt(ply),
                eval: Score::NONE.raw() as i16,
                depth: depth + TRUST,
                bound: Some(bound),
                was_pv: false,
            };
            self.job.tt.store(position.key(), entry);
        }
        Some(score)
    }

    /// Leaves only those moves of the root that keep the best outcome, and as many more as there are lines to show.
    /// With the distances known, or nothing to win, the tables have said all they can, and the search looks for
    /// mates and traps instead.
    pub(in crate::search) fn keep_best_by_syzygy(&mut self) {
        let Some(ranking) = self.job.ranking() else { return };
        let mut kept: Vec<RootMove> = Vec::new();
        let mut best = None;
        for ranked in &ranking.moves {
            let Some(found) = self.root_moves.iter().find(|root| root.m == ranked.m) else { continue };
            if *best.get_or_insert(ranked.rank) == ranked.rank || kept.len() < self.rules.multi_pv {
                kept.push(RootMove { tb_score: Some(ranked.score), ..found.clone() });
            }
        }
        if ranking.by_distance || kept.first().is_some_and(|root| root.tb_score <= Some(Score::DRAW)) {
            self.probing.men = 0;
        }
        self.root_moves = kept;
    }
}
