//! Presets, each of which sets the search and every selective method.

use super::Options;
use crate::choice;
use crate::search::history::HistoryWeight;
use crate::search::{self, Algorithm};
use crate::selective::{self, extensions};

choice! {
    /// A set of search options, named after the program or paper it follows.
    Preset {
        /// The strongest settings: the defaults of all rows.
        Modern = "Modern",
        /// The Turk (Björnsson 2002): null move, checks weigh half a ply.
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

impl Preset {
    /// The word of the option.
    pub fn name(self) -> &'static str {
        Self::WORDS[self as usize]
    }
}

/// Sets everything except the published values of all rows, after all methods were switched off.
pub(super) fn apply(options: &mut Options) {
    let Options { preset, search, selective, .. } = options;
    match preset {
        Preset::Modern | Preset::FullWidth => {}
        Preset::Turk | Preset::TurkMc => {
            history_only(search);
            null_move_and_extensions(selective, &extensions::HALF_PLY_CHECKS);
            selective.multi_cut.on = *preset == Preset::TurkMc;
        }
        Preset::TurkUc => {
            history_only(search);
            selective.uncertainty.on = true;
        }
        Preset::Crafty | Preset::RankCut => {
            search.counter_moves = false;
            null_move_and_extensions(selective, &extensions::BY_HAND);
            selective.futility.on = true;
            selective.extended_futility.on = true;
            selective.razoring.on = true;
            selective.rank_cut.on = *preset == Preset::RankCut;
        }
        Preset::Mulan => {
            (search.counter_moves, search.internal_deepening, search.aspiration) = (false, false, false);
            search.history_weight = HistoryWeight::Power;
        }
        Preset::Winston => {
            history_only(search);
            search.algorithm = Algorithm::AlphaBeta;
            (search.history, search.aspiration) = (false, false);
            selective.static_singular.on = true;
            selective.tapered.on = true;
        }
    }
}

/// Ordering as of 2000: captures, then history.
fn history_only(search: &mut search::Settings) {
    (search.killers, search.counter_moves, search.internal_deepening) = (false, false, false);
}

/// The null move as published, and extensions with these weights.
fn null_move_and_extensions(selective: &mut selective::Settings, weights: &[f64]) {
    selective.null_move.on = true;
    selective.extensions.on = true;
    selective.extensions.set_weights(weights);
}
