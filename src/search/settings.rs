//! How to search: the algorithm, and the enhancements around it. Move ordering and windows do not change the
//! value it finds while quiescence search tries every evasion; cut-offs from the hash table may (another
//! path, another depth), quiescence does.
//!
//! Each has its own switch, so that published ablations can be repeated. X. Liang, *The Evolution of
//! Mulan*, MSc thesis, New Mexico 2003, names them A, M, N × I, T, TT, K, H.

use super::history::HistoryWeight;
use crate::choice;
use crate::depth::Depth;
use crate::options::row::settings;
use crate::search::syzygy;
use crate::selective::{self, Need};

choice! {
    /// Which tree search.
    Algorithm {
        /// Principal variation search, the same tree as NegaScout.
        Pvs = "PVS",
        /// Fail-soft alpha-beta with an open window everywhere.
        AlphaBeta = "AlphaBeta",
        /// No cut-offs at all.
        Minimax = "Minimax",
        /// Repeated minimal-window searches around a guess.
        Mtd = "MTD(f)",
    }
}

choice! {
    /// What the hash table is used for.
    HashUse {
        /// One best move per position (T).
        One = "One",
        /// Two best moves per position (TT).
        Two = "Two",
        /// Nothing.
        Off = "Off",
    }
}

impl HashUse {
    /// The table is read and written.
    pub fn is_used(self) -> bool {
        self != Self::Off
    }

    /// The best move before the best is tried too.
    pub fn keeps_two(self) -> bool {
        self == Self::Two
    }
}

/// More than a position has.
const ALL_MOVES: i32 = 256;

settings! {
    /// The options of the search, as the user set them.
    pub struct Settings {
        /// The tree search; in preset FullWidth, without hash cut-offs, all of them find the same value.
        algorithm: "Algorithm" = Pvs of Algorithm;
        /// Stride of MTD(f) in centipawns; above 1 it encloses the value first and then halves (Mulan).
        mtd_step: "MTDStep" = 1 in 1..=500 step 5;
        /// Searches depth 1, 2, 3 and so on; off, a search with a depth limit goes there at once.
        iterative: "IterativeDeepening" = true;
        /// Best moves kept per position in the hash table: one, two, or no table at all.
        hash: "HashUse" = One of HashUse;
        /// Lets a value in the hash table end a node; off, the table only orders moves.
        hash_cutoffs: "HashCutoffs" = true;
        /// Tries quiet moves early that cut at the same ply before.
        killers: "Killers" = true;
        /// Orders quiet moves by how often they have cut anywhere.
        history: "History" = true;
        /// What a cut-off at depth d adds to a history: 16 times d squared, or two to the power of d; at most
        /// 1600.
        history_weight: "HistoryWeight" = Square of HistoryWeight;
        /// Tells quiet moves apart in the history that leave or enter a square the opponent attacks.
        history_threats: "HistoryThreats" = true published false;
        /// Tries the quiet move early that refuted the opponent's last move before.
        counter_moves: "CounterMoves" = true;
        /// Orders quiet moves by how good they were after the same moves one, two and four plies before.
        continuation_history: "ContinuationHistory" = true published false;
        /// Orders captures by how good they have been, besides the piece they take.
        capture_history: "CaptureHistory" = true published false;
        /// Corrects static values by how far they were off in positions with the same pawns or pieces.
        correction_history: "CorrectionHistory" = true published false;
        /// Centipawns by which the pawns, or the last two moves, correct a static value at most; each side's
        /// pieces by half of it.
        correction_most: "CorrectionMost" = 48 in 0..=500 step 8;
        /// Corrects static values by how far they were off behind the same last two moves, too.
        correction_moves: "CorrectionMoves" = true published false;
        /// Takes a value in the hash table for the static one where it is a bound on the right side.
        hash_eval: "HashEval" = true published false;
        /// Searches the root with a narrow window around the last value first.
        aspiration: "Aspiration" = true;
        /// Half the width of the first aspiration window at the root, in centipawns.
        aspiration_window: "AspirationWindow" = 23 in 1..=1000 step 5 published 20;
        /// Searches a pv-node without a hash move two plies shallower first, to find one.
        internal_deepening: "InternalDeepening" = true;
        /// Searches captures, promotions and check evasions at the leaves until the position is quiet.
        quiescence: "Quiescence" = true;
        /// Searches quiet checks that lose no material on the first ply of quiescence search.
        quiescence_checks: "QuiescenceChecks" = true published false;
        /// Most quiet evasions of a check in quiescence search; more only while every move loses by force.
        quiescence_evasions: "QuiescenceEvasions" = 2 in 0..=ALL_MOVES step 1 published 256;
    }
}

/// How to search: the options of the search, resolved at `go`.
#[derive(Copy, Clone, Debug)]
pub struct SearchRule {
    /// Which tree search.
    pub algorithm: Algorithm,
    /// Stride of MTD(f) in centipawns.
    pub mtd_step: i32,
    /// Depth 1, 2, 3 … instead of the last depth at once.
    pub iterative: bool,
    /// What the hash table is used for.
    pub hash: HashUse,
    /// A value in the table may end a node.
    pub hash_cutoffs: bool,
    /// A value in the table that does not end a node may stand for its static value.
    pub hash_eval: bool,
    /// Quiet moves that cut at the same ply come early.
    pub killers: bool,
    /// The move that refuted the same move before comes early.
    pub counter_moves: bool,
    /// Quiet moves are ordered by their history.
    pub history: bool,
    /// What a cut-off is worth to a history.
    pub history_weight: HistoryWeight,
    /// Histories tell apart the squares that are attacked.
    pub history_threats: bool,
    /// Quiet moves are ordered by what was moved before them too.
    pub continuation_history: bool,
    /// Captures are ordered by how good they have been.
    pub capture_history: bool,
    /// Static values are corrected by what searches of similar positions found.
    pub correction_history: bool,
    /// Centipawns by which they are corrected at most.
    pub correction_most: i32,
    /// Static values are corrected by the last two moves, too.
    pub correction_moves: bool,
    /// Leaves are searched until they are quiet.
    pub quiescence: bool,
    /// Quiet checks are searched on the first ply of that.
    pub quiescence_checks: bool,
    /// Most quiet evasions of a check in quiescence search.
    pub quiescence_evasions: i32,
}

impl Settings {
    /// The rule these settings mean; an exhaustive search leaves out no evasion.
    fn resolve(&self, exhaustive: bool) -> SearchRule {
        SearchRule {
            algorithm: self.algorithm,
            mtd_step: self.mtd_step,
            iterative: self.iterative,
            hash: self.hash,
            hash_cutoffs: self.hash_cutoffs,
            hash_eval: self.hash_eval,
            killers: self.killers,
            counter_moves: self.counter_moves,
            history: self.history,
            history_weight: self.history_weight,
            history_threats: self.history_threats,
            continuation_history: self.continuation_history,
            capture_history: self.capture_history,
            correction_history: self.correction_history,
            correction_most: self.correction_most,
            correction_moves: self.correction_moves,
            quiescence: self.quiescence,
            quiescence_checks: self.quiescence_checks,
            quiescence_evasions: if exhaustive { ALL_MOVES } else { self.quiescence_evasions },
        }
    }

    /// Half the width of the first window at the root in centipawns; 0 for an open one.
    fn first_window(&self) -> i32 {
        if self.aspiration { self.aspiration_window } else { 0 }
    }

    /// Depth from which a pv-node without a hash move is searched shallower first.
    fn internal_deepening_from(&self) -> Depth {
        let useful = self.hash.is_used() && matches!(self.algorithm, Algorithm::Pvs | Algorithm::Mtd);
        if self.internal_deepening && useful { Depth::plies(4) } else { Depth::NEVER }
    }
}

/// What the search reads: all options, resolved at `go`.
#[derive(Copy, Clone, Debug)]
pub struct Rules {
    /// How to search.
    pub search: SearchRule,
    /// Half the width of the first window at the root; 0 for an open one.
    pub aspiration: i32,
    /// Depth from which a pv-node without a hash move is searched shallower first.
    pub internal_deepening: Depth,
    /// Lines to find.
    pub multi_pv: usize,
    /// How far static values may be off, in centipawns: 0 unless the engine plays below its strength.
    pub noise: i32,
    /// Depth from which minimal-window nodes need a static value.
    pub eval_from: Depth,
    /// Every selective method is off: nothing stands between a node and its moves.
    pub full_width: bool,
    /// Quiet moves are judged one by one.
    pub judges_moves: bool,
    /// When to look into the endgame tables.
    pub syzygy: syzygy::ProbeRule,
    /// What to prune and extend.
    pub selective: selective::Rules,
}

/// The parts of the options that say how to search.
#[derive(Copy, Clone, Debug)]
pub struct Asked<'a> {
    /// How to search.
    pub search: &'a Settings,
    /// What to prune and extend.
    pub selective: &'a selective::Settings,
    /// Endgame tables.
    pub syzygy: &'a syzygy::Settings,
    /// Lines to find.
    pub multi_pv: i32,
}

impl Asked<'_> {
    /// The rules these options mean. `exhaustive` leaves out whatever might overlook a move.
    pub fn resolve(self, exhaustive: bool) -> Rules {
        let mut selective = self.selective.clone();
        if exhaustive {
            selective.switch_off();
        }
        // Without a search of captures nobody knows whether they would lift a node.
        selective.quiescence_razoring.on &= self.search.quiescence;
        Rules {
            search: self.search.resolve(exhaustive),
            aspiration: self.search.first_window(),
            internal_deepening: self.search.internal_deepening_from(),
            multi_pv: self.multi_pv.max(1) as usize,
            noise: 0,
            eval_from: if selective.needs(Need::Eval) { Depth::ZERO } else { Depth::plies(2) },
            full_width: !selective.any_is_on(),
            judges_moves: selective.needs(Need::EachMove),
            syzygy: self.syzygy.resolve(exhaustive),
            selective: selective.resolve(),
        }
    }
}
