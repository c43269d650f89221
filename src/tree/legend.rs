//! The meaning of the numbers in a file. Viewer and documents take it from here.

use serde::Serialize;
use serde_json::{Value, json};

use super::compare::PROBES;
use super::file::{HEADER, VERSION};
use super::left_out::{HISTORY_STEP, LEFT_OUT_SIZE};
use super::marks;
use super::node::{CLASSES, DepthChange, SIZE, SIZE_2, SIZE_EARLY};
use crate::score::{MAX_PLY, Score};
use crate::search::event::{End, NodeKind, Purpose};
use crate::selective::{LeavesOut, LeavesOutBy};

/// A code of the format.
#[derive(Serialize)]
struct LegendEntry {
    code: u16,
    name: &'static str,
    label: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'static str>,
    /// For an end: whether moves were left out. For a mark: whether it applies only in quiescence search, or only
    /// elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    when: Option<bool>,
    /// For a mark: the rule by which its method left out moves.
    #[serde(rename = "leavesOut", skip_serializing_if = "Option::is_none")]
    leaves_out: Option<RuleWord>,
}

/// A rule that leaves out moves.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RuleWord {
    rule: &'static str,
    by: LeavesOutBy,
    spares_captures: bool,
}

impl From<LeavesOut> for RuleWord {
    fn from(LeavesOut { name, by }: LeavesOut) -> Self {
        Self { rule: name, by, spares_captures: by.spares_captures() }
    }
}

/// The family of a reason, which gives it its colour.
fn family(end: End) -> &'static str {
    match end {
        End::Cut => "cut",
        End::AllMoves | End::OnlyMove => "all",
        End::Hash | End::Tablebase => "hash",
        End::Repetition | End::FiftyMoves | End::DeadPosition | End::PathLimit => "draw",
        End::MateDistance | End::Checkmate | End::Stalemate => "mate",
        End::NullMove | End::NullMoveVerified => "null",
        End::MultiCut | End::SingularCut => "multi",
        End::ReverseFutility | End::QuiescenceRazoring => "static",
        End::ProbCut | End::CaptureProbCut | End::CheckCut => "prob",
        End::Uncertainty => "unsure",
        End::Futility | End::LateMoves | End::SeePruning | End::NBest | End::Tapered => "late",
        End::Horizon | End::StandPat | End::Quiet | End::Singular => "quiet",
        End::Stopped => "stopped",
    }
}

/// The families and their labels.
const FAMILIES: [(&str, &str); 13] = [
    ("cut", "cut-off by a move"),
    ("all", "all moves searched"),
    ("hash", "hash, endgame table"),
    ("null", "null move"),
    ("static", "reverse futility, razoring"),
    ("multi", "multi-cut, others cut too"),
    ("prob", "ProbCut"),
    ("unsure", "uncertainty"),
    ("late", "moves left out"),
    ("quiet", "quiescence"),
    ("draw", "draw by rule"),
    ("mate", "mate, stalemate"),
    ("stopped", "stopped"),
];

/// Names in older recordings and their replacements.
const RENAMED: [(&str, &str); 2] = [("dropped", "quiescence-razoring"), ("drop-probe", "razoring-probe")];

/// The current form of a name in a recording or a stream.
pub(super) fn current_name(name: &str) -> &str {
    RENAMED.iter().find(|(old, _)| *old == name).map_or(name, |(_, current)| current)
}

/// The whole legend for the viewer.
pub fn legend() -> Value {
    let ends = End::ALL.iter().map(|end| LegendEntry {
        code: *end as u16,
        name: end.name(),
        label: end.label(),
        group: Some(family(*end)),
        when: Some(end.leaves_out()),
        leaves_out: None,
    });
    let plain =
        |code, name, label| LegendEntry { code, name, label, group: None, when: None, leaves_out: None };
    let purposes = Purpose::ALL.iter().map(|p| plain(*p as u16, p.name(), p.label()));
    let kinds = NodeKind::ALL.iter().map(|k| plain(*k as u16, k.name(), k.label()));
    let changes = DepthChange::ALL.iter().map(|(change, name, label)| plain(*change as u16, name, label));
    let acted = marks::ALL.iter().map(|mark| LegendEntry {
        when: mark.quiescence,
        leaves_out: mark.leaves_out.map(RuleWord::from),
        ..plain(mark.bit, mark.name, mark.label)
    });
    let probes = PROBES.iter().map(|(purpose, name, ends)| {
        let ends: Vec<u8> = ends.iter().map(|end| *end as u8).collect();
        json!({ "purpose": *purpose as u8, "name": name, "ends": ends })
    });
    json!({
        "version": VERSION,
        "renamed": RENAMED,
        "header": HEADER,
        "size": SIZE,
        "sizes": { "2": [SIZE_2], "3": [SIZE, SIZE_EARLY] },
        "leftOutSize": LEFT_OUT_SIZE,
        "historyStep": HISTORY_STEP,
        "mate": Score::MATE.raw(),
        "maxPly": MAX_PLY,
        "infinite": Score::INFINITE.raw(),
        "none": Score::NONE.raw(),
        "ends": ends.collect::<Vec<_>>(),
        "purposes": purposes.collect::<Vec<_>>(),
        "kinds": kinds.collect::<Vec<_>>(),
        "changes": changes.collect::<Vec<_>>(),
        "marks": acted.collect::<Vec<_>>(),
        "classes": CLASSES,
        "families": FAMILIES,
        "probes": probes.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_colour_with_a_name() {
        for end in End::ALL {
            assert!(FAMILIES.iter().any(|(name, _)| *name == family(*end)), "{end:?}");
        }
    }

    #[test]
    fn a_name_that_was_replaced_is_not_in_use_and_its_successor_is() {
        let ends = End::ALL.iter().map(|end| end.name());
        let used: Vec<&str> = ends.chain(Purpose::ALL.iter().map(|purpose| purpose.name())).collect();
        for (old, current) in RENAMED {
            assert!(!used.contains(&old) && used.contains(&current), "{old} {current}");
        }
    }
}
