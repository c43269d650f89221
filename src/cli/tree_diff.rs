//! `espalier tree diff`: where two recorded searches first differ, and their nodes by the reason they ended.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use serde_json::json;
use shakmaty::Position as _;
use shakmaty::san::SanPlus;

use super::Failure;
use super::shared::{Common, whole};
use super::terminal::paragraphs;
use super::tree::choose;
use super::tree_why::{depth, left_out_rule, score};
use crate::board::{PackedMove, Position};
use crate::score::Score;
use crate::search::event::{End, Purpose};
use crate::text_table::Table;
use crate::tree::compare::{Difference, HowDiffers, IndexedNode, PROBES, first_difference};
use crate::tree::node::{DepthChange, NO_NUMBER};
use crate::tree::{Meta, Recording, Tree, TreeNode, TreeSummary};

/// Compares two recordings of the same position: where they first differ, and their nodes by reason
#[derive(clap::Args)]
pub(super) struct Diff {
    /// The first recording, A
    a: PathBuf,
    /// The second recording, B
    b: PathBuf,
    /// The iteration [default: the last complete one of each file]
    #[arg(long, value_name = "DEPTH", value_parser = whole::<i32>(0..))]
    iteration: Option<i32>,
    #[command(flatten)]
    pub common: Common,
}

impl Diff {
    pub(super) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
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
            Some(difference) => sentence(difference, [&a, &b])?,
        };
        let totals = totals(a.summary, b.summary, [one.meta(), other.meta()]);
        if self.common.form.json {
            let rows: Vec<_> =
                totals.iter().map(|(name, a, b)| json!({ "reason": name, "a": a, "b": b })).collect();
            writeln!(out, "{}", json!({ "difference": sentence, "totals": rows }))?;
            return Ok(());
        }
        if !self.common.form.is_text() {
            write!(out, "{}", self.common.form.show(&table(&totals)))?;
            self.common.form.remark(&sentence, out)?;
            return Ok(());
        }
        for (side, path, recording, tree) in [("A", &self.a, &one, &a), ("B", &self.b, &other, &b)] {
            let options = differing(recording.meta(), if side == "A" { other.meta() } else { one.meta() });
            let told = format!("{side}  {}: iteration {}, {options}", path.display(), tree.summary.iteration);
            writeln!(out, "{}", paragraphs(&told))?;
        }
        writeln!(out, "\n{}\n", paragraphs(&sentence))?;
        write!(out, "{}", self.common.form.show(&table(&totals)))?;
        Ok(())
    }
}

/// Said if no option differs.
const SAME_OPTIONS: &str = "the same options";

/// The options of a recording that differ from those of another.
fn differing(mine: &Meta, other: &Meta) -> String {
    let value = |meta: &Meta, name: &String| {
        let set = meta.options.iter().find(|(option, _)| option == name);
        set.map_or_else(|| "default".to_owned(), |(_, value)| value.clone())
    };
    let names: BTreeSet<&String> = mine.options.iter().chain(&other.options).map(|(name, _)| name).collect();
    let differ = names.into_iter().filter(|name| value(mine, name) != value(other, name));
    let words: Vec<String> = differ.map(|name| format!("{name}={}", value(mine, name))).collect();
    if words.is_empty() { SAME_OPTIONS.to_owned() } else { words.join(", ") }
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

/// The first difference in one sentence. The viewer says the same (`src/tree/viewer`).
fn sentence(difference: &Difference, trees: [&Tree; 2]) -> Result<String, Failure> {
    let [IndexedNode { index, node: a }, IndexedNode { node: b, .. }] = difference.at;
    let tree = trees[0];
    let path = tree.path(index)?;
    let positions = tree.positions(&path)?;
    let Some(here) = positions.last() else { return Ok(String::new()) };
    let nodes = path.iter().map(|&index| tree.node(index)).collect::<Result<Vec<_>, _>>()?;
    let line = line(&nodes, &positions);
    let plain = matches!(a.purpose, Purpose::Move | Purpose::Root | Purpose::Iteration);
    let probe = if plain { String::new() } else { format!(" ({})", a.purpose.label()) };
    let place = if line.is_empty() { "At the root".to_owned() } else { format!("After {line}") };
    let place = format!("{place}{probe}");
    Ok(match &difference.how {
        HowDiffers::Entered { window, depth } => {
            let [left, right] = [a, b].map(|node| entered(&node, *window, *depth));
            format!("{place}, A searched with {left} and B with {right}{}.", before(&[a, b], trees))
        }
        HowDiffers::Next(next) => {
            let [left, right] = next.map(|node| did(node, here));
            let why = causes(difference, next, trees, here)?;
            let why = if why.is_empty() { String::new() } else { format!("; {}", why.join(", ")) };
            format!("{place}, A {left} and B {right}{why}.")
        }
        HowDiffers::Result => {
            format!("{place}, A and B searched the same, but {}.", results(&a, &b))
        }
    })
}

/// Where a window comes from: at the root the value of the previous iteration, in a singular test that of the hash move.
fn before(nodes: &[TreeNode; 2], trees: [&Tree; 2]) -> String {
    if nodes.iter().all(|node| node.purpose == Purpose::Singular) {
        let [a, b] = nodes.map(|node| node.numbers[0]);
        let known = a != b && a != NO_NUMBER && b != NO_NUMBER;
        let told =
            || format!("; the hash move was worth {} in A and {} in B", score(a.into()), score(b.into()));
        return if known { told() } else { String::new() };
    }
    if nodes.iter().any(|node| node.purpose != Purpose::Root) {
        return String::new();
    }
    let [one, other] = trees.map(|tree| {
        let depth = tree.summary.iteration - 1;
        let found = tree.meta().iterations.iter().find(|each| each.depth == depth);
        found.and_then(|each| Some((depth, each.value?)))
    });
    match (one, other) {
        (Some((depth, a)), Some((same, b))) if depth == same && a != b => {
            format!("; iteration {depth} gave {} in A and {} in B", score(a), score(b))
        }
        _ => String::new(),
    }
}

/// Why two searches continued with different nodes, as far as the recordings show.
fn causes(
    difference: &Difference,
    next: &[Option<TreeNode>; 2],
    trees: [&Tree; 2],
    here: &Position,
) -> Result<Vec<String>, Failure> {
    let [a, b] = difference.at.map(|at| at.node);
    let sides = || ["A", "B"].iter().zip([a, b]).zip(next);
    let mut why = Vec::new();
    why.extend(sides().filter_map(|((side, node), probe)| probe_text(side, probe.as_ref()?, &node)));
    let both = next.iter().all(Option::is_some) && a.end != b.end;
    for (((side, node), entered), tree) in sides().zip(trees) {
        let cut = |probe| probe_text(side, probe, &node).is_some_and(|text| text.ends_with("cut here"));
        if entered.is_none() || (both && !entered.as_ref().is_some_and(cut)) {
            why.push(format!("{side}: {}", tree.meta().end_label(&node)));
        }
    }
    if next.iter().flatten().all(|node| node.purpose == Purpose::Move) {
        why.push(order(difference, next, trees, here)?);
    }
    Ok(why)
}

/// What happened to the moves that only one of the two searches chose.
fn order(
    difference: &Difference,
    [x, y]: &[Option<TreeNode>; 2],
    trees: [&Tree; 2],
    here: &Position,
) -> Result<String, Failure> {
    let mut fates = Vec::new();
    for (side, tree, at, other) in
        [("A", trees[0], difference.at[0], y), ("B", trees[1], difference.at[1], x)]
    {
        if let Some(other) = other {
            fates.push(fate(side, tree, at, other, here)?);
        }
    }
    let both = fates.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(", ");
    if fates.len() < 2 || !fates.iter().all(|(_, later)| *later) {
        return Ok(both);
    }
    let options = match differing(trees[0].meta(), trees[1].meta()).as_str() {
        SAME_OPTIONS => "",
        _ => " or in the options that differ",
    };
    Ok(format!(
        "{both}. Only the order of moves differs, and everything before is equal: the cause lies in earlier iterations \
         (hash table, histories){options}"
    ))
}

/// The outcome of a probe at a node.
fn probe_text(side: &str, probe: &TreeNode, node: &TreeNode) -> Option<String> {
    let (_, name, ends) = PROBES.iter().find(|(purpose, ..)| *purpose == probe.purpose)?;
    let verdict = if ends.contains(&node.end) { "cut" } else { "failed" };
    (node.value != Score::NONE).then(|| format!("{side}'s {name} {verdict} here"))
}

/// What one search did with the move that the other chose, and whether it only came later or would have.
fn fate(
    side: &str,
    tree: &Tree,
    at: IndexedNode,
    other: &TreeNode,
    here: &Position,
) -> Result<(String, bool), Failure> {
    let name = name(other, here);
    let children = tree.children(at.index)?;
    let first = |child: &&TreeNode| child.m == other.m && child.number > 0 && !child.purpose.is_re_search();
    if let Some(later) = children.iter().find(first) {
        return Ok((format!("{side} searched {name} as move {}", later.number), true));
    }
    let out = tree.left_out(at.index, here)?;
    Ok(match out.iter().find(|each| PackedMove::new(each.m) == other.m) {
        Some(out) => (format!("{side} left {name} out ({})", left_out_rule(&at.node, out)), false),
        None if at.node.end == End::Cut => (format!("{side} cut before {name}"), true),
        None => (format!("{side} did not search {name}"), false),
    })
}

/// The moves that lead to a node, with move numbers.
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
        purpose if node.m == PackedMove::NONE => format!("searched the {}", purpose.label()),
        purpose => format!("searched {name} as the {}", purpose.label()),
    }
}

fn results(a: &TreeNode, b: &TreeNode) -> String {
    let words = [
        (a.value != b.value, "value"),
        (a.bound != b.bound, "bound"),
        (a.end != b.end, "reason"),
        (a.marks != b.marks || a.change != b.change, "what methods did"),
        (a.nodes != b.nodes, "size"),
    ];
    let words: Vec<&str> = words.iter().filter(|(differs, _)| *differs).map(|(_, word)| *word).collect();
    let only = |side: &str, node: &TreeNode, other: &TreeNode| {
        let labels: Vec<&str> =
            node.acted().filter(|mark| !mark.is_on(other)).map(|mark| mark.label).collect();
        if labels.is_empty() { String::new() } else { format!("; only in {side}: {}", labels.join(", ")) }
    };
    let acted = format!("{}{}", only("A", a, b), only("B", b, a));
    let what = if words.is_empty() { "what came of it".to_owned() } else { words.join(", ") };
    format!("{what} {}{acted}", if words.len() > 1 { "differ" } else { "differs" })
}
