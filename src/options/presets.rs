//! The systems the engine can be: each sets the search and every selective method.

use crate::choice;

choice! {
    /// Which system.
    Preset {
        /// Whatever measures strongest: the defaults of all rows.
        Modern = "Modern",
        /// The Turk (Björnsson 2002): null move and fractional extensions.
        Turk = "Turk",
        /// The Turk with multi-cut (3, 10, 2).
        TurkMc = "TurkMC",
        /// The Turk without null move and extensions, with uncertainty cut-offs at 0.6.
        TurkUc = "TurkUC",
        /// Crafty as in Lim & Lee 2006: null move, futility, extensions by hand.
        Crafty = "Crafty",
        /// Crafty with RankCut as published.
        RankCut = "RankCut",
        /// Mulan (Liang 2003): NegaScout with I, T, K and H, no pruning.
        Mulan = "Mulan",
        /// PVS with nothing selective.
        FullWidth = "FullWidth",
        /// Winston, chapter 6: alpha-beta, progressive deepening, quiescence, static singular extension, tapering.
        Winston = "Winston",
    }
}

type Values = &'static [(&'static str, &'static str)];

/// Nothing selective; methods that are switched on are those of their papers, without what later programs
/// added to them; and nothing is learned on the way that the published programs did not learn.
const PLAIN: Values = &[
    ("NullMove", "false"),
    ("Extensions", "false"),
    ("LateMoveReductions", "false"),
    ("LateMovePruning", "false"),
    ("Futility", "false"),
    ("ExtendedFutility", "false"),
    ("Razoring", "false"),
    ("RazoringDrop", "false"),
    ("ProbCut", "false"),
    ("Singular", "false"),
    ("RankCut", "false"),
    ("MultiCut", "false"),
    ("HistoryPruning", "false"),
    ("DeepFutility", "false"),
    ("ReverseFutility", "false"),
    ("ExchangePruning", "false"),
    ("InternalReduction", "false"),
    ("CaptureCut", "false"),
    ("DeltaPruning", "false"),
    ("Hindsight", "false"),
    ("AspirationWindow", "20"),
    ("NullMoveReduction", "300"),
    ("NullMoveDepthDivisor", "0"),
    ("NullMoveEvalDivisor", "0"),
    ("NullMoveConfirm", "240"),
    ("NullMoveAdaptive", "true"),
    ("SingularMargin", "50"),
    ("SingularMarginDepth", "0"),
    ("SingularDouble", "false"),
    ("SingularCut", "false"),
    ("SingularReduction", "false"),
    ("LateMoveBase", "75"),
    ("LateMoveDivisor", "225"),
    ("LateMovePruningBase", "4"),
    ("LateMoveHistory", "0"),
    ("LateMoveCut", "0"),
    ("LateMoveWorsening", "0"),
    ("LateMovePv", "0"),
    ("LateMoveKiller", "0"),
    ("LateMoveCaptures", "false"),
    ("LateMoveWhole", "false"),
    ("LateMoveProspect", "false"),
    ("LateMovePruningWorsening", "100"),
    ("QuiescenceChecks", "false"),
    ("QuiescenceEvasions", "256"),
    ("CorrectionHistory", "false"),
    ("CorrectionMoves", "false"),
    ("ContinuationHistory", "false"),
    ("CaptureHistory", "false"),
    ("HashEval", "false"),
    ("HistoryThreats", "false"),
];

/// Ordering as of 2000: captures, then history.
const HISTORY_ONLY: Values =
    &[("Killers", "false"), ("CounterMoves", "false"), ("InternalDeepening", "false")];

/// Null move as of 2000: R is 2, or 3 when deep, and the static value is not asked.
const NULL_MOVE: Values = &[
    ("NullMove", "true"),
    ("NullMoveReduction", "200"),
    ("NullMoveAdaptive", "true"),
    ("NullMoveDeep", "6"),
    ("NullMoveEval", "false"),
];

/// Extension weights set by hand (thesis, table 6.1).
const BY_HAND: Values = &[
    ("Extensions", "true"),
    ("WeightCheckOpening", "0"),
    ("WeightCheckMiddle", "0"),
    ("WeightCheckEnd", "0"),
    ("WeightRecaptureOpening", "25"),
    ("WeightRecaptureMiddle", "25"),
    ("WeightRecaptureEnd", "25"),
    ("WeightForcedOpening", "25"),
    ("WeightForcedMiddle", "25"),
    ("WeightForcedEnd", "25"),
    ("WeightPawnOpening", "25"),
    ("WeightPawnMiddle", "25"),
    ("WeightPawnEnd", "25"),
    ("WeightThreatOpening", "100"),
    ("WeightThreatMiddle", "100"),
    ("WeightThreatEnd", "100"),
];

const FUTILITY: Values = &[("Futility", "true"), ("ExtendedFutility", "true"), ("Razoring", "true")];

/// What a preset changes in the defaults, in this order.
pub fn values(preset: Preset) -> impl Iterator<Item = (&'static str, &'static str)> {
    let parts: &[Values] = match preset {
        Preset::Modern => &[],
        Preset::Turk => &[PLAIN, HISTORY_ONLY, NULL_MOVE, BY_HAND],
        Preset::TurkMc => &[PLAIN, HISTORY_ONLY, NULL_MOVE, BY_HAND, &[("MultiCut", "true")]],
        Preset::TurkUc => &[PLAIN, HISTORY_ONLY, &[("Uncertainty", "true")]],
        Preset::Crafty => &[PLAIN, &[("CounterMoves", "false")], NULL_MOVE, BY_HAND, FUTILITY],
        Preset::RankCut => {
            &[PLAIN, &[("CounterMoves", "false")], NULL_MOVE, BY_HAND, FUTILITY, &[("RankCut", "true")]]
        }
        Preset::Mulan => &[
            PLAIN,
            &[("CounterMoves", "false"), ("InternalDeepening", "false"), ("HistoryWeight", "Power")],
            &[("Aspiration", "false")],
        ],
        Preset::FullWidth => &[PLAIN],
        Preset::Winston => &[
            PLAIN,
            HISTORY_ONLY,
            &[("Algorithm", "AlphaBeta"), ("SingularStatic", "true"), ("Tapered", "true")],
            &[("History", "false"), ("Aspiration", "false")],
        ],
    };
    parts.iter().flat_map(|part| part.iter().copied())
}
