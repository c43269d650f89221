//! What histories learn from and how they order moves: the numbers that no paper names.
//!
//! Presets of published programs have the values under which only a cut-off teaches, as in Schaeffer 1989.

use crate::options::row::settings;
use crate::selective::rule;

settings! {
    /// The options of histories and move ordering, as the user set them.
    pub struct Settings {
        /// Points of history that a cut-off adds per remaining ply, with HistoryWeight Linear.
        slope: "HistorySlope" = 320 in 0..=1000 step 20;
        /// Points of history taken from that, with HistoryWeight Linear.
        offset: "HistoryOffset" = 300 in 0..=1000 step 20;
        /// Most points of history that a cut-off adds, with HistoryWeight Linear.
        most: "HistoryMost" = 1594 in 1..=4000 step 100;
        /// Centipawns above beta from which a cut-off counts as one a ply deeper; 0 for never.
        surprise: "HistorySurprise" = 53 in 0..=500 step 5 published 0;
        /// Limit of the history by squares.
        limit: "HistoryLimit" = 7183 in 1000..=30_000 step 500 published 16384;
        /// Limit of the continuation history.
        continuation_limit: "ContinuationLimit" = 29952 in 1000..=30_000 step 1000 published 16384;
        /// Limit of the history of captures.
        capture_limit: "CaptureHistoryLimit" = 10692 in 1000..=30_000 step 500 published 16384;
        /// Keeps separate continuation histories for moves after a capture and for answers to a check.
        kinds: "ContinuationKinds" = true published false;
        /// Orders quiet moves also by how good they were after the same move six plies before.
        six: "ContinuationSix" = true published false;
        /// Histories learn from cut-offs by the hash table.
        hash_cutoffs: "HistoryHash" = true published false;
        /// Points of history that a quiet move loses per centipawn the static value turned against it; 0 for none.
        swing: "HistorySwing" = 49 in 0..=300 step 5 published 0;
        /// Most points of history that a swing of the static value is worth.
        swing_most: "HistorySwingMost" = 1914 in 0..=8000 step 100;
        /// Histories learn that an early quiet move was refuted.
        refuted: "HistoryRefuted" = true published false;
        /// Histories learn that a quiet move left the opponent without a good reply.
        fail_low: "HistoryFailLow" = true published false;
        /// Histories learn from the re-search of a reduced move.
        research: "HistoryResearch" = true published false;
        /// Forgets killers of the replies to the replies at every node.
        killers_local: "KillersLocal" = true published false;
        /// Points that a quiet move gets in the order for giving check.
        check: "OrderCheck" = 16384 in 0..=60_000 step 1000 published 0;
        /// Points that a queen gets in the order for leaving the attack of a lesser piece.
        escape_queen: "OrderEscapeQueen" = 50000 in 0..=100_000 step 2500 published 0;
        /// Points that a rook gets in the order for leaving the attack of a minor piece or pawn.
        escape_rook: "OrderEscapeRook" = 25000 in 0..=100_000 step 2500 published 0;
        /// Points that a piece gets in the order for leaving the attack of a pawn.
        escape_minor: "OrderEscapeMinor" = 15000 in 0..=100_000 step 1500 published 0;
        /// Points of capture history that weigh as much as a point of exchange value, in sixteenths.
        capture_divisor: "OrderCaptureHistory" = 1 in 1..=16 step 1 published 4;
        /// Thousandths of its score in the order that a capture may lose in the exchange and still come early.
        capture_slack: "OrderCaptureSlack" = 26 in 0..=200 step 4 published 0;
    }
}

rule! { asked =>
    pub(super) slope: i32 = asked.slope;
    pub(super) offset: i32 = asked.offset;
    pub(super) most: i32 = asked.most;
    pub(super) surprise: i32 = if asked.surprise > 0 { asked.surprise } else { i32::MAX / 2 };
    pub(super) limit: i32 = asked.limit;
    pub(super) continuation_limit: i32 = asked.continuation_limit;
    pub(super) capture_limit: i32 = asked.capture_limit;
    pub(super) kinds: bool = asked.kinds;
    pub(super) six: bool = asked.six;
    pub(super) hash_cutoffs: bool = asked.hash_cutoffs;
    pub(super) swing: i32 = asked.swing;
    pub(super) swing_most: i32 = asked.swing_most;
    pub(super) refuted: bool = asked.refuted;
    pub(super) fail_low: bool = asked.fail_low;
    pub(super) research: bool = asked.research;
    pub(super) killers_local: bool = asked.killers_local;
    pub(super) check: i32 = asked.check;
    pub(super) escape_queen: i32 = asked.escape_queen;
    pub(super) escape_rook: i32 = asked.escape_rook;
    pub(super) escape_minor: i32 = asked.escape_minor;
    pub(super) capture_divisor: i32 = asked.capture_divisor.max(1);
    pub(super) capture_slack: i32 = asked.capture_slack;
}
