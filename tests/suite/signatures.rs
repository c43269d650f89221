//! A number guards every change: nodes of a fixed search, by default, with everything off, and with every
//! row of the search moved alone.
//!
//! When a change is meant to change the tree, run the tests with `ESPALIER_BLESS=1` and commit the new file
//! with it. A row that changes no signature fails the build: an option that nothing reads is a lie.

use std::fmt::Write;

use crate::common::{engine, file};
use espalier::options::presets::Preset;
use espalier::options::{Kind, OptionRow, research_rows};
use espalier::selective::METHODS;
use espalier::{Game, Limits, Position, bench};

const DEPTH: i32 = 6;

/// RankCut looks at nodes of seven plies and more, so that its preset is Crafty's at less.
const RANK_CUT_DEPTH: i32 = 8;

/// Values of a row that should change the tree.
fn values(row: &OptionRow) -> Vec<String> {
    match row.kind {
        Kind::Check(default) => vec![(!default).to_string()],
        Kind::Spin { default, min, max, .. } => {
            [min, max].into_iter().filter(|value| *value != default).map(|value| value.to_string()).collect()
        }
        Kind::Combo { default, words } => {
            words.iter().filter(|word| **word != default).map(|word| (*word).to_owned()).collect()
        }
        Kind::Text(_) | Kind::Button => Vec::new(),
    }
}

/// Settings without which a row has no say: the switch of its method, and what makes it act at the depths
/// searched here.
fn needs(row: &OptionRow) -> Vec<(&'static str, &'static str)> {
    let method = METHODS.iter().find(|method| method.rows.iter().any(|other| other.is(row)));
    let mut needs: Vec<(&str, &str)> = match row.name {
        "MTDStep" => vec![("Algorithm", "MTD(f)")],
        // Deepening leaves a hash move at almost every pv-node.
        "InternalDeepening" => vec![("IterativeDeepening", "false")],
        // Windows of a few centipawns hardly ever grow beyond the most.
        "AspirationMost" => vec![("Evaluation", "Classical"), ("AspirationGrowth", "400")],
        // So few nodes of an endgame that it depends on the evaluation whether one of them is decided by this.
        "ProbCutEnd" => vec![("Evaluation", "Classical")],
        "NullMoveAdaptive" => vec![("NullMoveReduction", "0"), ("NullMoveDeep", "2")],
        "NullMoveDeep" => vec![("NullMoveReduction", "0"), ("NullMoveAdaptive", "true")],
        "NullMoveDepthDivisor" | "NullMoveEvalDivisor" => vec![("NullMoveReduction", "0")],
        // These act beyond the depth searched here, or where two other conditions meet.
        "NullMoveHistory" => {
            vec![("LateMoveDepth", "2"), ("LateMoveFirst", "1"), ("NullMoveStatic", "false")]
        }
        "NullMoveOneSide" => vec![("NullMoveConfirm", "3"), ("NullMoveReduction", "0")],
        "LateMoveThreatened" => vec![("LateMoveThreatenedDepth", "3")],
        "LateMoveThreatenedDepth" => vec![("LateMoveThreatened", "300")],
        "NullMoveThreat" => {
            vec![("Extensions", "true"), ("WeightThreatMiddle", "0"), ("WeightThreatEnd", "0")]
        }
        // Razoring by quiescence search would end these nodes before.
        "Futility" | "FutilityMargin" | "ExtendedFutility" => {
            vec![("RazoringDrop", "false"), ("DeepFutility", "false"), ("HistoryPruning", "false")]
        }
        "Razoring" => vec![("RazoringDrop", "false")],
        "ExtendedFutilityMargin" => vec![("ExtendedFutility", "true"), ("RazoringDrop", "false")],
        "RazoringMargin" => vec![("Razoring", "true"), ("RazoringDrop", "false")],
        // Static judgements would end most nodes before a history is asked.
        "DeepFutilityHistory" => vec![("ReverseFutility", "false"), ("DeepFutilityMargin", "0")],
        // A margin that grows with depth leaves little to prune far from the horizon.
        "CaptureFutilityDepth" => vec![("CaptureFutilityMargin", "0")],
        "UncertaintyCertainty" => vec![("UncertaintyUnsafe", "true")],
        "SingularStaticMargin" => vec![("SingularStatic", "true")],
        "HistoryPruning" | "HistoryPruningDepth" => vec![("HistoryPruningFloor", "0")],
        _ => Vec::new(),
    };
    if let Some(method) = method {
        match method.switch() {
            "RankCut" => needs.extend([
                ("RankCutDepth", "3"),
                ("RankCutThreshold", "500"),
                ("LateMoveReductions", if row.name == "RankCutFormula" { "true" } else { "false" }),
            ]),
            // Late-move pruning would stop a node before it gives up.
            "Uncertainty" => needs.push(("LateMovePruning", "false")),
            // The published height is beyond the depth searched here.
            "ProbCut" => needs.push(("ProbCutHeight", "5")),
            "Singular" | "SingularStatic" => needs.push(("SingularDepth", "4")),
            // Heinz builds on futility.
            "ExtendedFutility" | "Razoring" | "RazoringDrop" => needs.push(("Futility", "true")),
            "CaptureCut" => needs.push(("CaptureCutDepth", "4")),
            "InternalReduction" => needs.push(("InternalReductionDepth", "3")),
            // Static judgements would end most nodes before these have a say.
            "NullMove" => needs.extend([("NullMoveDepthDivisor", "0"), ("ReverseFutility", "false")]),
            "Extensions" if row.name != "Extensions" => needs.insert(0, ("Preset", "Turk")),
            _ => {}
        }
        if row.name != method.switch() && needs.iter().all(|(name, _)| *name != method.switch()) {
            needs.push((method.switch(), "true"));
        }
        needs.retain(|(name, _)| *name != row.name);
    }
    needs
}

/// Everything that a switch can turn off, off.
const PLAIN: &[(&str, &str)] = &[
    ("Preset", "FullWidth"),
    ("HashUse", "Off"),
    ("Killers", "false"),
    ("History", "false"),
    ("CounterMoves", "false"),
    ("Aspiration", "false"),
    ("InternalDeepening", "false"),
];

/// Nodes over some of the bench positions. Minimax sees everything, so it gets less depth.
fn signature(settings: &[(&str, &str)]) -> u64 {
    let slow = settings.iter().any(|setting| setting.1 == "Minimax");
    signature_at(if slow { 2 } else { DEPTH }, settings)
}

fn signature_at(depth: i32, settings: &[(&str, &str)]) -> u64 {
    let mut engine = engine(settings);
    // A check with a single reply while all pieces are on the board, which the others lack.
    let forced = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4";
    let forced = Position::from_fen(forced, false).expect("a position of our own");
    bench::positions()
        .into_iter()
        .step_by(6)
        .chain([forced])
        .map(|position| {
            engine.new_game();
            engine.set_game(Game::new(position));
            engine.search(Limits::depth(depth)).effort.nodes
        })
        .sum()
}

#[test]
fn signatures_are_as_recorded_and_every_row_has_one_of_its_own() {
    let default = signature(&[]);
    let mut found = format!("default {default}\nplain {}\n", signature(PLAIN));
    for preset in Preset::WORDS {
        let depth = if *preset == "RankCut" { RANK_CUT_DEPTH } else { DEPTH };
        let _ = writeln!(found, "Preset={preset} {}", signature_at(depth, &[("Preset", preset)]));
    }
    let mut idle = Vec::new();
    for row in research_rows() {
        let needs = needs(row);
        let base = if needs.is_empty() { default } else { signature(&needs) };
        let mut changes = values(row).is_empty();
        for value in values(row) {
            let mut settings = needs.clone();
            settings.push((row.name, &value));
            let nodes = signature(&settings);
            changes |= nodes != base;
            let _ = writeln!(found, "{}={value} {nodes}", row.name);
        }
        if !changes {
            idle.push(row.name);
        }
    }
    let path = file("tests/signatures.txt");
    if std::env::var_os("ESPALIER_BLESS").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        recorded == found,
        "signatures changed; if that is meant, ESPALIER_BLESS=1 records them:\n{found}"
    );
    assert!(idle.is_empty(), "rows that change nothing in the tree: {idle:?}");
}

#[test]
fn the_preset_of_rank_cut_is_not_that_of_crafty() {
    let [crafty, rank_cut] =
        ["Crafty", "RankCut"].map(|preset| signature_at(RANK_CUT_DEPTH, &[("Preset", preset)]));
    assert_ne!(crafty, rank_cut);
}
