//! How to search: the algorithm, and the enhancements around it. Move ordering and windows do not change the
//! value it finds while quiescence search tries every evasion; cut-offs from the hash table may (another
//! path, another depth), quiescence does.
//!
//! Each has its own switch, so that published ablations can be repeated. X. Liang, *The Evolution of
//! Mulan*, MSc thesis, New Mexico 2003, names them A, M, N × I, T, TT, K, H.

use super::history::HistoryWeight;
use crate::choice;
use crate::depth::Depth;
use crate::options::{Kind, Options, Row, Slot};
use crate::search::syzygy;
use crate::selective::{self, METHODS};

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

/// The options of the search, as the user set them.
#[derive(Copy, Clone, Debug, PartialEq, Default)]
pub struct Settings {
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
    /// Quiet moves that cut at the same ply come early.
    pub killers: bool,
    /// Quiet moves are ordered by their history.
    pub history: bool,
    /// What a cut-off is worth to a history.
    pub history_weight: HistoryWeight,
    /// Histories by the squares that are attacked.
    pub history_threats: bool,
    /// The move that refuted the same move before comes early.
    pub counter_moves: bool,
    /// Quiet moves are ordered by what was moved before them too.
    pub continuation_history: bool,
    /// Captures are ordered by how good they have been.
    pub capture_history: bool,
    /// Static values are corrected by what searches of similar positions found.
    pub correction_history: bool,
    /// What a full entry of these errors is worth.
    pub correction_most: i32,
    /// Errors of static values behind the same two moves, too.
    pub correction_moves: bool,
    /// A value in the table that does not end a node may stand for its static value.
    pub hash_eval: bool,
    /// The root is searched with a narrow window first.
    pub aspiration: bool,
    /// Half its width in centipawns.
    pub aspiration_window: i32,
    /// A pv-node without a hash move is searched shallower first.
    pub internal_deepening: bool,
    /// Leaves are searched further, captures only, until they are quiet.
    pub quiescence: bool,
    /// Quiet checks too, on the first ply.
    pub quiescence_checks: bool,
    /// Most quiet evasions of a check in quiescence search.
    pub quiescence_evasions: i32,
}

/// What the search reads: all options, resolved at `go`.
#[derive(Copy, Clone, Debug)]
pub struct Rules {
    /// The options of the search as they were set.
    pub search: Settings,
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

impl Rules {
    /// The rules these options mean. `exhaustive` leaves out whatever might overlook a move.
    pub fn resolve(options: &Options, exhaustive: bool) -> Self {
        let asked = &options.search;
        let mut search = options.search;
        let mut selective = if exhaustive { Default::default() } else { options.selective.clone() };
        if exhaustive {
            search.quiescence_evasions = ALL_MOVES;
        }
        // Without a search of captures nobody knows whether they would lift a node.
        selective.futility.razoring_quiescence &= search.quiescence;
        let full_width = !METHODS.iter().any(|method| selective.is_on(method.id));
        Self {
            eval_from: match selective.judges_statically() {
                true => Depth::ZERO,
                false => Depth::plies(2),
            },
            full_width,
            judges_moves: selective.judges_moves(),
            search,
            aspiration: if asked.aspiration { asked.aspiration_window } else { 0 },
            internal_deepening: if asked.internal_deepening
                && asked.hash.is_used()
                && matches!(asked.algorithm, Algorithm::Pvs | Algorithm::Mtd)
            {
                Depth::plies(4)
            } else {
                Depth::NEVER
            },
            multi_pv: options.multi_pv.max(1) as usize,
            noise: 0,
            syzygy: options.syzygy.resolve(exhaustive),
            selective: selective.resolve(),
        }
    }
}

/// More than a position has.
const ALL_MOVES: i32 = 256;

/// The rows of the search.
pub const ROWS: &[Row] = &[
    Row {
        name: "Algorithm",
        kind: Kind::Combo { default: "PVS", words: Algorithm::WORDS },
        doc: "The tree search; in preset FullWidth, without hash cut-offs, all of them find the same value.",
        slot: |o| Slot::Choice(&mut o.search.algorithm),
    },
    Row {
        name: "MTDStep",
        kind: Kind::Spin { default: 1, min: 1, max: 500, step: 5 },
        doc: "Stride of MTD(f) in centipawns; above 1 it encloses the value first and then halves (Mulan).",
        slot: |o| Slot::Int(&mut o.search.mtd_step),
    },
    Row {
        name: "IterativeDeepening",
        kind: Kind::Check(true),
        doc: "Searches depth 1, 2, 3 and so on; off, a search with a depth limit goes there at once.",
        slot: |o| Slot::Bool(&mut o.search.iterative),
    },
    Row {
        name: "HashUse",
        kind: Kind::Combo { default: "One", words: HashUse::WORDS },
        doc: "Best moves kept per position in the hash table: one, two, or no table at all.",
        slot: |o| Slot::Choice(&mut o.search.hash),
    },
    Row {
        name: "HashCutoffs",
        kind: Kind::Check(true),
        doc: "Lets a value in the hash table end a node; off, the table only orders moves.",
        slot: |o| Slot::Bool(&mut o.search.hash_cutoffs),
    },
    Row {
        name: "Killers",
        kind: Kind::Check(true),
        doc: "Tries quiet moves early that cut at the same ply before.",
        slot: |o| Slot::Bool(&mut o.search.killers),
    },
    Row {
        name: "History",
        kind: Kind::Check(true),
        doc: "Orders quiet moves by how often they have cut anywhere.",
        slot: |o| Slot::Bool(&mut o.search.history),
    },
    Row {
        name: "HistoryWeight",
        kind: Kind::Combo { default: "Square", words: HistoryWeight::WORDS },
        doc: "What a cut-off at depth d adds to a history: 16 times d squared, or two to the power of d; at most 1600.",
        slot: |o| Slot::Choice(&mut o.search.history_weight),
    },
    Row {
        name: "HistoryThreats",
        kind: Kind::Check(true),
        doc: "Tells quiet moves apart in the history that leave or enter a square the opponent attacks.",
        slot: |o| Slot::Bool(&mut o.search.history_threats),
    },
    Row {
        name: "CounterMoves",
        kind: Kind::Check(true),
        doc: "Tries the quiet move early that refuted the opponent's last move before.",
        slot: |o| Slot::Bool(&mut o.search.counter_moves),
    },
    Row {
        name: "ContinuationHistory",
        kind: Kind::Check(true),
        doc: "Orders quiet moves by how good they were after the same moves one, two and four plies before.",
        slot: |o| Slot::Bool(&mut o.search.continuation_history),
    },
    Row {
        name: "CaptureHistory",
        kind: Kind::Check(true),
        doc: "Orders captures by how good they have been, besides the piece they take.",
        slot: |o| Slot::Bool(&mut o.search.capture_history),
    },
    Row {
        name: "CorrectionHistory",
        kind: Kind::Check(true),
        doc: "Corrects static values by how far they were off in positions with the same pawns or pieces.",
        slot: |o| Slot::Bool(&mut o.search.correction_history),
    },
    Row {
        name: "CorrectionMost",
        kind: Kind::Spin { default: 48, min: 0, max: 500, step: 8 },
        doc: "Centipawns by which the pawns, or the last two moves, correct a static value at most; each side's pieces by half of it.",
        slot: |o| Slot::Int(&mut o.search.correction_most),
    },
    Row {
        name: "CorrectionMoves",
        kind: Kind::Check(true),
        doc: "Corrects static values by how far they were off behind the same last two moves, too.",
        slot: |o| Slot::Bool(&mut o.search.correction_moves),
    },
    Row {
        name: "HashEval",
        kind: Kind::Check(true),
        doc: "Takes a value in the hash table for the static one where it is a bound on the right side.",
        slot: |o| Slot::Bool(&mut o.search.hash_eval),
    },
    Row {
        name: "Aspiration",
        kind: Kind::Check(true),
        doc: "Searches the root with a narrow window around the last value first.",
        slot: |o| Slot::Bool(&mut o.search.aspiration),
    },
    Row {
        name: "AspirationWindow",
        kind: Kind::Spin { default: 23, min: 1, max: 1000, step: 5 },
        doc: "Half the width of the first aspiration window at the root, in centipawns.",
        slot: |o| Slot::Int(&mut o.search.aspiration_window),
    },
    Row {
        name: "InternalDeepening",
        kind: Kind::Check(true),
        doc: "Searches a pv-node without a hash move two plies shallower first, to find one.",
        slot: |o| Slot::Bool(&mut o.search.internal_deepening),
    },
    Row {
        name: "Quiescence",
        kind: Kind::Check(true),
        doc: "Searches captures, promotions and check evasions at the leaves until the position is quiet.",
        slot: |o| Slot::Bool(&mut o.search.quiescence),
    },
    Row {
        name: "QuiescenceChecks",
        kind: Kind::Check(true),
        doc: "Searches quiet checks that lose no material on the first ply of quiescence search.",
        slot: |o| Slot::Bool(&mut o.search.quiescence_checks),
    },
    Row {
        name: "QuiescenceEvasions",
        kind: Kind::Spin { default: 2, min: 0, max: ALL_MOVES, step: 1 },
        doc: "Most quiet evasions of a check in quiescence search; more only while every move loses by force.",
        slot: |o| Slot::Int(&mut o.search.quiescence_evasions),
    },
];
