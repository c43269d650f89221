//! How to search: the algorithm, and the enhancements around it. Move ordering and windows do not change the value of
//! the root as long as quiescence search tries every evasion. Cut-offs from the hash table may change it (another path,
//! another depth); quiescence search does.
//!
//! Each has a switch of its own, so that published ablations can be repeated. X. Liang, *The Evolution of
//! Mulan*, MSc thesis, New Mexico 2003, names them A, M, N × I, T, TT, K, H.

use super::history::HistoryWeight;
use super::{ordering, syzygy};
use crate::choice;
use crate::depth::Depth;
use crate::options::row::settings;
use crate::selective::{self, Need, Resolve, rule};

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

/// More moves than a position can have.
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
        /// Tries early those quiet moves that caused a cut-off at the same ply before.
        killers: "Killers" = true;
        /// Orders quiet moves by how often they have cut anywhere.
        history: "History" = true;
        /// What a cut-off at depth d adds to a history: 16 times d squared or two to the power of d, at most
        /// 1600; or as HistorySlope, HistoryOffset and HistoryMost say.
        history_weight: "HistoryWeight" = Linear of HistoryWeight published Square;
        /// Keeps separate histories for quiet moves that leave or enter an attacked square.
        history_threats: "HistoryThreats" = true published false;
        /// Tries early the quiet move that last refuted the opponent's previous move.
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
        /// Also corrects static values by how far they were off after the same last two moves.
        correction_moves: "CorrectionMoves" = true published false;
        /// Uses the value in the hash table as the static value where it is a bound on the right side.
        hash_eval: "HashEval" = true published false;
        /// Stores the static value of a new position in the hash table before the position is searched.
        hash_static: "HashStatic" = true published false;
        /// Lets a bound in the hash table end a node only if it was searched deeper; an exact value needs the same depth.
        hash_deeper: "HashDeeper" = true published false;
        /// Remembers in the hash table which positions have been in a principal variation.
        pv_marks: "PvMarks" = true published false;
        /// Centipawns the static value is taken to have risen where the earlier one is unknown.
        unknown_improvement: "UnknownImprovement" = 65 in 0..=500 step 10 published 0;
        /// Expects a cut-off where the hash table's value says so, though it is too shallow to cut.
        cut_by_hash: "CutByHash" = false published true;
        /// Expects a cut-off after every move that is searched at reduced depth.
        reduced_cut: "ReducedCut" = true published false;
        /// Prunes single moves of principal-variation nodes, too.
        pv_pruning: "PvPruning" = true published false;
        /// Searches the other moves of a shallow principal-variation node a ply less once one has raised alpha.
        raised_alpha: "RaisedAlpha" = true published false;
        /// Searches the root with a narrow window around the last value first.
        aspiration: "Aspiration" = true;
        /// Half the width of the first aspiration window at the root, in centipawns.
        aspiration_window: "AspirationWindow" = 5 in 1..=1000 step 2 published 20;
        /// Divisor of the square of the expected value, in centipawns, that is added to the window; 0 for none.
        aspiration_value: "AspirationValue" = 6000 in 0..=50_000 step 1000 published 0;
        /// Opens the side on which the value fell outside the window completely and at once (Björnsson's algorithm 3).
        aspiration_open: "AspirationOpen" = false published true;
        /// Percent by which the window grows when the value lies outside it.
        aspiration_growth: "AspirationGrowth" = 30 in 10..=400 step 10;
        /// Half the width in centipawns beyond which the window is opened.
        aspiration_most: "AspirationMost" = 1900 in 50..=10_000 step 100;
        /// Brings beta to the middle of the window after a fail-low, and searches a ply less after a fail-high.
        aspiration_adaptive: "AspirationAdaptive" = true published false;
        /// Uses the running mean of the root's values as the expected value.
        aspiration_mean: "AspirationMean" = true published false;
        /// Searches a pv-node without a hash move two plies shallower first, to find one.
        internal_deepening: "InternalDeepening" = false published true;
        /// Searches captures, promotions and check evasions at the leaves until the position is quiet.
        quiescence: "Quiescence" = true;
        /// Searches quiet checks that lose no material on the first ply of quiescence search.
        quiescence_checks: "QuiescenceChecks" = true published false;
        /// Most quiet evasions of a check in quiescence search; more only while every move loses by force.
        quiescence_evasions: "QuiescenceEvasions" = 2 in 0..=ALL_MOVES step 1 published 256;
        /// Most captures of a node in quiescence search, not counting recaptures, checks and promotions.
        quiescence_moves: "QuiescenceMoves" = 2 in 1..=ALL_MOVES step 1 published 256;
    }
}

rule! { asked =>
    pub algorithm: Algorithm = asked.algorithm;
    pub mtd_step: i32 = asked.mtd_step;
    pub iterative: bool = asked.iterative;
    pub hash: HashUse = asked.hash;
    pub hash_cutoffs: bool = asked.hash_cutoffs;
    pub hash_deeper: bool = asked.hash_deeper;
    pub hash_eval: bool = asked.hash_eval;
    pub hash_static: bool = asked.hash_static;
    pub pv_marks: bool = asked.pv_marks;
    pub killers: bool = asked.killers;
    pub counter_moves: bool = asked.counter_moves;
    pub history: bool = asked.history;
    pub history_weight: HistoryWeight = asked.history_weight;
    pub history_threats: bool = asked.history_threats;
    pub continuation_history: bool = asked.continuation_history;
    pub capture_history: bool = asked.capture_history;
    pub correction_history: bool = asked.correction_history;
    pub correction_most: i32 = asked.correction_most;
    pub correction_moves: bool = asked.correction_moves;
    /// Centipawns the static value is taken to have risen where the earlier one is unknown.
    pub unknown_improvement: i32 = asked.unknown_improvement;
    pub cut_by_hash: bool = asked.cut_by_hash;
    pub reduced_cut: bool = asked.reduced_cut;
    pub pv_pruning: bool = asked.pv_pruning;
    pub raised_alpha: bool = asked.raised_alpha;
    pub aspiration: AspirationRule = asked.aspiration_rule();
    pub quiescence: bool = asked.quiescence;
    pub quiescence_checks: bool = asked.quiescence_checks;
    pub quiescence_evasions: i32 = asked.quiescence_evasions;
    pub quiescence_moves: i32 = asked.quiescence_moves;
}

/// How the root's window is chosen.
#[derive(Copy, Clone, Debug)]
pub struct AspirationRule {
    /// Half the width of the first window in centipawns; 0 for an open one.
    pub window: i32,
    /// Divisor of the square of the expected value that is added to it; 0 for none.
    pub by_value: i32,
    /// The side where the value lies is opened completely.
    pub open: bool,
    /// Percent by which a failed window grows.
    pub growth: i32,
    /// Width beyond which the window is opened.
    pub most: i32,
    /// A fail-low brings beta to the middle; a fail-high searches a ply shallower.
    pub adaptive: bool,
    /// The window lies around a running mean of the root's values.
    pub mean: bool,
}

impl Settings {
    fn aspiration_rule(&self) -> AspirationRule {
        AspirationRule {
            window: if self.aspiration { self.aspiration_window } else { 0 },
            by_value: self.aspiration_value,
            open: self.aspiration_open,
            growth: self.aspiration_growth,
            most: self.aspiration_most,
            adaptive: self.aspiration_adaptive,
            mean: self.aspiration_mean,
        }
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
    /// Algorithm, windows and everything else that is not a selective method.
    pub search: Rule,
    /// What histories learn from and how they order moves.
    pub ordering: ordering::Rule,
    /// Depth from which a pv-node without a hash move is searched shallower first.
    pub internal_deepening: Depth,
    /// Lines to find.
    pub multi_pv: usize,
    /// How far static values may be off, in centipawns: 0 unless the engine plays below its strength.
    pub noise: i32,
    /// Centipawns by which a draw is worth less than nothing to the side that moves at the root.
    pub contempt: i32,
    /// Depth from which minimal-window nodes need a static value.
    pub eval_from: Depth,
    /// Every selective method is off: nothing stands between a node and its moves.
    pub full_width: bool,
    /// Quiet moves are judged one by one.
    pub judges_moves: bool,
    /// When to look into the endgame tables.
    pub syzygy: syzygy::ProbeRule,
    /// What to prune and extend.
    pub selective: selective::MethodRules,
}

/// The parts of the options that say how to search.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Asked<'a> {
    /// Algorithm, windows and everything else that is not a selective method.
    pub search: &'a Settings,
    /// What histories learn from and how they order moves.
    pub ordering: &'a ordering::Settings,
    /// What to prune and extend.
    pub selective: &'a selective::Settings,
    /// Endgame tables.
    pub syzygy: &'a syzygy::Settings,
    /// Lines to find.
    pub multi_pv: i32,
}

impl Asked<'_> {
    /// The rules these options mean. `exhaustive` leaves out whatever might overlook a move.
    pub(crate) fn resolve(self, exhaustive: bool) -> Rules {
        let (mut search, mut selective) = (self.search.clone(), self.selective.clone());
        if exhaustive {
            selective.switch_off();
            (search.quiescence_evasions, search.quiescence_moves) = (ALL_MOVES, ALL_MOVES);
            (search.raised_alpha, search.aspiration_adaptive) = (false, false);
        }
        // Without quiescence search there is nothing to razor by.
        selective.quiescence_razoring.on &= self.search.quiescence;
        Rules {
            search: search.resolve(),
            ordering: self.ordering.resolve(),
            internal_deepening: self.search.internal_deepening_from(),
            multi_pv: self.multi_pv.max(1) as usize,
            noise: 0,
            contempt: 0,
            eval_from: if selective.needs(Need::Eval) { Depth::ZERO } else { Depth::plies(2) },
            full_width: !selective.any_is_on(),
            judges_moves: selective.needs(Need::EachMove),
            syzygy: self.syzygy.resolve(exhaustive),
            selective: selective.resolve(),
        }
    }
}
