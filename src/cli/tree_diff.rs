//! `espalier tree diff`: where two recorded searches first go different ways, and how much each method was worth.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use serde_json::json;
use shakmaty::Position as _;
use shakmaty::san::SanPlus;

use super::tree::choose;
use super::tree_why::{depth, score};
use super::{Assignments, Failure};
use crate::board::Position;
use crate::search::event::{End, Purpose};
use crate::text_table::Table;
use crate::tree::compare::{Difference, HowDiffers, first_difference};
use crate::tree::node::DepthChange;
use crate::tree::{Meta, Recording, Tree, TreeNode, TreeSummary};

/// Compares two recordings of the same position: where they first differ, and their nodes by reason
#[derive(clap::Args)]
pub struct Diff {
    /// The first recording, A
    a: PathBuf,
    /// The second recording, B
    b: PathBuf,
    /// The iteration; the last complete one of each file if not given
    #[arg(long, value_name = "DEPTH")]
    iteration: Option<i32>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub set: Assignments,
}

impl Diff {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let (one, other) = (Recording::open(&self.a)?, Recording::open(&self.b)?);
        let fens = [&one, &other].map(|recording| recording.meta().fen.clone());
        if fens[0] != fens[1] {
            let what = format!("not the same position: A is about {}, B about {}", fens[0], fens[1]);
            return Err(Failure::Wrong(what));
        }
        let (a, b) = (choose(&one, self.iteration)?, choose(&other, self.iteration)?);
        let difference = first_difference(&a, &b)?;
        let sentence = match &difference {
            None => "The two trees are equal.".to_owned(),
            Some(difference) => sentence(difference, &a, [one.meta(), other.meta()])?,
        };
        let totals = totals(a.summary, b.summary, [one.meta(), other.meta()]);
        if self.json {
            let rows: Vec<_> =
                totals.iter().map(|(name, a, b)| json!({ "reason": name, "a": a, "b": b })).collect();
            writeln!(out, "{}", json!({ "difference": sentence, "totals": rows }))?;
            return Ok(());
        }
        for (side, path, recording, tree) in [("A", &self.a, &one, &a), ("B", &self.b, &other, &b)] {
            let options = differing(recording.meta(), if side == "A" { other.meta() } else { one.meta() });
            writeln!(out, "{side}  {}: iteration {}, {options}", path.display(), tree.summary.iteration)?;
        }
        writeln!(out, "\n{sentence}\n")?;
        write!(out, "{}", table(&totals).to_text())?;
        Ok(())
    }
}

/// The options of a recording that differ from those of another.
fn differing(mine: &Meta, other: &Meta) -> String {
    let value = |meta: &Meta, name: &String| {
        let set = meta.options.iter().find(|(option, _)| option == name);
        set.map_or_else(|| "default".to_owned(), |(_, value)| value.clone())
    };
    let names: BTreeSet<&String> = mine.options.iter().chain(&other.options).map(|(name, _)| name).collect();
    let differ = names.into_iter().filter(|name| value(mine, name) != value(other, name));
    let words: Vec<String> = differ.map(|name| format!("{name}={}", value(mine, name))).collect();
    if words.is_empty() { "the same options".to_owned() } else { words.join(", ") }
}

/// All nodes, then nodes by reason, the largest difference first.
fn totals(a: &TreeSummary, b: &TreeSummary, metas: [&Meta; 2]) -> Vec<(String, u64, u64)> {
    let names: BTreeSet<&String> = a.ends.keys().chain(b.ends.keys()).collect();
    let own = |name: &String| metas.iter().any(|meta| meta.reasons.contains(name));
    let label = |name: &String| match End::ALL.iter().find(|end| end.name() == name) {
        Some(end) if !own(name) => end.label().to_owned(),
        _ => name.clone(),
    };
    let count = |summary: &TreeSummary, name: &String| summary.ends.get(name).copied().unwrap_or(0);
    let mut rows: Vec<_> =
        names.into_iter().map(|name| (label(name), count(a, name), count(b, name))).collect();
    rows.sort_by_key(|(_, a, b)| std::cmp::Reverse(a.abs_diff(*b)));
    rows.insert(0, ("all nodes".to_owned(), a.nodes, b.nodes));
    rows
}

fn table(totals: &[(String, u64, u64)]) -> Table {
    let mut table = Table::new(&["reason", "A", "B", "B - A", "B / A"]);
    for (name, a, b) in totals {
        let ratio = if *a > 0 { format!("{:.2}", *b as f64 / *a as f64) } else { String::new() };
        let apart = format!("{:+}", *b as i64 - *a as i64);
        table.push([name.clone(), a.to_string(), b.to_string(), apart, ratio]);
    }
    table
}

/// The first difference in one sentence; the page has the same.
fn sentence(difference: &Difference, tree: &Tree, metas: [&Meta; 2]) -> Result<String, Failure> {
    let [(index, a), (_, b)] = difference.at;
    let path = tree.path(index)?;
    let positions = tree.positions(&path)?;
    let Some(here) = positions.last() else { return Ok(String::new()) };
    let nodes = path.iter().map(|&index| tree.node(index)).collect::<Result<Vec<_>, _>>()?;
    let line = line(&nodes, &positions);
    let plain = matches!(a.purpose, Purpose::Move | Purpose::Root | Purpose::Iteration);
    let probe = if plain { String::new() } else { format!(" ({})", a.purpose.label()) };
    let place = if line.is_empty() { "At the root".to_owned() } else { format!("After {line}") };
    let place = format!("{place}{probe}");
    let labels = [metas[0].end_label(&a), metas[1].end_label(&b)];
    Ok(match &difference.how {
        HowDiffers::Entered { window, depth } => {
            let [left, right] = [a, b].map(|node| entered(&node, *window, *depth));
            format!("{place}, A searched with {left} and B with {right}.")
        }
        HowDiffers::Next(next) => {
            let [left, right] = next.map(|node| did(node, here));
            let both = next.iter().all(Option::is_some) && a.end != b.end;
            let why: Vec<String> = ["A", "B"]
                .iter()
                .zip(next)
                .zip(labels)
                .filter(|((_, node), _)| node.is_none() || both)
                .map(|((side, _), label)| format!("{side}: {label}"))
                .collect();
            let why = if why.is_empty() { String::new() } else { format!("; {}", why.join(", ")) };
            format!("{place}, A {left} and B {right}{why}.")
        }
        HowDiffers::Result => {
            format!("{place}, A and B searched the same, but with another {}.", results(&a, &b))
        }
    })
}

/// The moves to a node with their numbers.
fn line(nodes: &[TreeNode], positions: &[Position]) -> String {
    let mut words: Vec<String> = Vec::new();
    for (node, before) in nodes.iter().skip(1).zip(positions) {
        let name = name(node, before);
        if name.is_empty() {
            continue;
        }
        let full = before.chess().fullmoves();
        let number = match before.turn().is_white() {
            true => format!("{full}.\u{a0}"),
            false if words.is_empty() => format!("{full}…\u{a0}"),
            false => String::new(),
        };
        words.push(format!("{number}{name}"));
    }
    words.join(" ")
}

/// The move of a node in SAN; empty if nothing was played.
fn name(node: &TreeNode, before: &Position) -> String {
    match before.unpack(node.m) {
        Some(m) => SanPlus::from_move(before.chess().clone(), m).to_string(),
        None if node.purpose == Purpose::NullMove => "pass".to_owned(),
        None => String::new(),
    }
}

fn entered(node: &TreeNode, window: bool, deep: bool) -> String {
    let mut words = Vec::new();
    if window {
        let (alpha, beta) = (score(node.window.alpha.raw()), score(node.window.beta.raw()));
        words.push(format!("window ({alpha}, {beta})"));
    }
    if deep {
        words.push(format!("depth {}", depth(node.depth.raw())));
    }
    let change = match node.change {
        DepthChange::None => String::new(),
        change => format!(", {}", DepthChange::ALL[change as usize].2),
    };
    format!("{}{change}", words.join(" and "))
}

fn did(node: Option<TreeNode>, here: &Position) -> String {
    let Some(node) = node else { return "searched nothing more".to_owned() };
    let name = name(&node, here);
    match node.purpose {
        Purpose::Move => format!("searched {name}"),
        Purpose::Root => "searched Root".to_owned(),
        purpose if node.m == crate::board::PackedMove::NONE => format!("searched {}", purpose.label()),
        purpose => format!("searched {name} as {}", purpose.label()),
    }
}

fn results(a: &TreeNode, b: &TreeNode) -> String {
    let words = [
        (a.value != b.value, "value"),
        (a.bound != b.bound, "bound"),
        (a.end != b.end, "reason"),
        (a.marks != b.marks || a.change != b.change, "methods"),
        (a.nodes != b.nodes, "size"),
    ];
    let words: Vec<&str> = words.iter().filter(|(differs, _)| *differs).map(|(_, word)| *word).collect();
    if words.is_empty() { "result".to_owned() } else { words.join(", ") }
}
