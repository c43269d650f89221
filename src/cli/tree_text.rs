//! A node of a recording as text and as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};
use shakmaty::san::SanPlus;

use super::terminal::{paragraphs, table_width};
use super::tree_why::{depth, depth_change, left_out_rules, left_out_why, line, named, score, why};
use crate::board::{PackedMove, Position, uci_text};
use crate::score::{Bound, Score};
use crate::search::event::Purpose;
use crate::text_table::Table;
use crate::tree::left_out::LeftOut;
use crate::tree::node::{CLASSES, NO_BEST, NO_NUMBER};
use crate::tree::{FileError, Meta, Recording, Tree, TreeNode};

/// A node, the path to it, and its children.
pub(super) struct Shown<'a> {
    recording: &'a Recording,
    path: Vec<ShownNode>,
    children: Vec<ShownNode>,
    /// The node's siblings, and itself.
    beside: Vec<TreeNode>,
    /// Moves that a method left out.
    left_out: Vec<LeftOut>,
}

/// A node with its move, position and replies.
struct ShownNode {
    index: u32,
    node: TreeNode,
    /// In SAN; `--` for a pass, empty if nothing was played.
    san: String,
    uci: String,
    /// The best reply and the answer to it, in SAN.
    replies: Vec<String>,
    position: Position,
}

impl ShownNode {
    fn new(tree: &Tree, index: u32, node: TreeNode, before: &Position) -> Result<Self, FileError> {
        let position = tree.position_after(before, &node, index)?;
        let m = before.unpack(node.m);
        let san = match m {
            Some(m) => SanPlus::from_move(before.chess().clone(), m).to_string(),
            None if node.purpose == Purpose::NullMove => "--".to_owned(),
            None => String::new(),
        };
        let uci = m.map_or_else(String::new, |m| uci_text(m, tree.meta().chess960));
        let replies = line(&position, &tree.replies(&node)?);
        Ok(Self { index, node, san, uci, replies, position })
    }

    fn json(&self, meta: &Meta) -> Value {
        let node = &self.node;
        let bits = |names: &[&'static str], bits: u8| -> Vec<&'static str> {
            names.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| *name).collect()
        };
        json!({
            "why": why(node, &self.position, &self.replies, meta.end_label(node)),
            "index": self.index, "san": self.san, "uci": self.uci, "fen": self.position.fen(),
            "purpose": node.purpose.name(), "end": meta.end_name(node), "kind": node.kind.name(),
            "cut": node.cut, "bound": bound(node.bound), "uncertain": node.uncertain, "raised": node.raised,
            "marks": node.acted().map(|mark| mark.name).collect::<Vec<_>>(),
            "number": node.number, "change": node.change.name(), "by": node.by.raw(),
            "classes": bits(&CLASSES, node.classes),
            "alpha": node.window.alpha.raw(), "beta": node.window.beta.raw(), "value": node.value.raw(),
            "eval": (node.eval != Score::NONE).then_some(node.eval.raw()), "depth": node.depth.raw(),
            "best": (node.best != NO_BEST).then_some(node.best), "nodes": node.nodes,
            "parent": node.parent, "print": node.print, "replies": self.replies,
            "numbers": node.numbers.map(|number| (number != NO_NUMBER && node.left_out().is_none()).then_some(number)),
        })
    }

    /// A move of its position in SAN.
    fn name(&self, m: shakmaty::Move) -> String {
        SanPlus::from_move(self.position.chess().clone(), m).to_string()
    }

    /// The moves left out at this node, each with the reason.
    fn left_out(&self, out: &[LeftOut]) -> Value {
        let told =
            |each: &LeftOut| json!({ "move": self.name(each.m), "why": left_out_why(&self.node, each) });
        out.iter().map(told).collect()
    }

    /// Its cells: node, #, move, value, window, depth, kind, nodes, why.
    fn cells(&self, meta: &Meta, siblings: &[TreeNode]) -> [String; 9] {
        let node = &self.node;
        let name = if self.san.is_empty() { probe_name(node.purpose) } else { &self.san };
        // A no-break space keeps the window on one line.
        let window = format!("({},\u{a0}{})", score(node.window.alpha.raw()), score(node.window.beta.raw()));
        let number = if node.number > 0 { node.number.to_string() } else { String::new() };
        let sign = match node.bound {
            Bound::Upper => "≤",
            Bound::Lower => "≥",
            Bound::Exact => "",
        };
        [
            self.index.to_string(),
            number,
            name.to_owned(),
            format!("{sign}{}", score(node.value.raw())),
            window,
            depth(node.depth.raw()),
            node.kind.name().to_owned(),
            node.nodes.to_string(),
            self.why(meta, siblings),
        ]
    }

    fn why(&self, meta: &Meta, siblings: &[TreeNode]) -> String {
        let node = &self.node;
        let mut words = vec![why(node, &self.position, &self.replies, meta.end_label(node))];
        if !matches!(node.purpose, Purpose::Move | Purpose::Root | Purpose::Iteration) {
            words.push(node.purpose.label().to_owned());
        }
        words.extend(depth_change(node, siblings));
        if node.end.leaves_out() {
            words.push(format!("left out by {}", named(&left_out_rules(node), ", ")));
        } else {
            words.extend(node.acted().map(|mark| mark.label.to_owned()));
        }
        words.join("; ")
    }
}

fn bound(bound: Bound) -> &'static str {
    match bound {
        Bound::Upper => "<=",
        Bound::Lower => ">=",
        Bound::Exact => "=",
    }
}

/// The name of a node that was reached without a move.
fn probe_name(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Iteration => "iteration",
        Purpose::Root => "root",
        Purpose::RootFailedLow | Purpose::RootFailedHigh => "root again",
        Purpose::RootNextLine => "next line",
        _ => "probe",
    }
}

/// A table of nodes.
fn table(rows: Vec<[String; 9]>) -> Table {
    let mut table = Table::new(&["node", "#", "move", "value", "window", "depth", "kind", "nodes", "why"]);
    rows.into_iter().for_each(|row| table.push(row));
    table
}

impl<'a> Shown<'a> {
    pub(super) fn new(recording: &'a Recording, tree: &Tree, index: u32) -> Result<Self, FileError> {
        let mut here = tree.positions(&[0])?.remove(0);
        let mut path = Vec::new();
        for index in tree.path(index)? {
            let entry = ShownNode::new(tree, index, tree.node(index)?, &here)?;
            here = entry.position.clone();
            path.push(entry);
        }
        let parent = tree.node(index)?.parent;
        let beside = if index == 0 { Vec::new() } else { tree.children(parent)? };
        let below = tree.child_range(index)?.zip(tree.children(index)?);
        let children =
            below.map(|(place, node)| ShownNode::new(tree, place, node, &here)).collect::<Result<_, _>>()?;
        Ok(Self { recording, path, children, beside, left_out: tree.left_out(index, &here)? })
    }

    /// The node at the end of a line of moves. Where a move was searched more than once, the last search counts.
    pub(super) fn find(tree: &Tree, line: &str) -> Result<u32, super::Failure> {
        let mut here = *tree.principal_variation()?.get(1).unwrap_or(&0);
        let mut position = tree.positions(&[here])?.remove(0);
        for word in line.split_whitespace() {
            let m = parse(&position, word).ok_or_else(|| {
                super::Failure::Wrong(format!("--line: {word:?} is no move in {}", position.fen()))
            })?;
            let children = tree.child_range(here)?.zip(tree.children(here)?);
            let plays = |node: &TreeNode| node.m == PackedMove::new(m) && node.number > 0;
            let found = children.rev().find(|(_, node)| plays(node));
            let missing = || super::Failure::Wrong(format!("--line: {word} was not searched there"));
            here = found.ok_or_else(missing)?.0;
            position = position.play(m);
        }
        Ok(here)
    }

    pub(super) fn json(&self) -> Value {
        let meta = self.recording.meta();
        let all = |entries: &[ShownNode]| entries.iter().map(|entry| entry.json(meta)).collect::<Vec<_>>();
        json!({
            "fen": self.path.last().map(|entry| entry.position.fen()),
            "path": all(&self.path),
            "children": all(&self.children),
            "left_out": self.path.last().map(|entry| entry.left_out(&self.left_out)),
        })
    }

    pub(super) fn print(&self, out: &mut impl Write, most: usize) -> io::Result<()> {
        let meta = self.recording.meta();
        writeln!(out, "{}", meta.fen)?;
        let moves: Vec<&str> =
            self.path.iter().map(|entry| entry.san.as_str()).filter(|san| !san.is_empty()).collect();
        if !moves.is_empty() {
            writeln!(out, "{}", paragraphs(&format!("line: {}", moves.join(" "))))?;
        }
        writeln!(out, "{}\n", paragraphs(LEGEND))?;
        let rows = self.path.iter().map(|entry| entry.cells(meta, &self.beside)).collect();
        print_table(out, &table(rows))?;
        if !self.children.is_empty() {
            writeln!(out, "\nchildren, in the order of the search:")?;
            print_table(out, &self.largest(most))?;
        }
        if !self.left_out.is_empty() {
            writeln!(out, "\nleft out:")?;
            print_table(out, &self.left_out_table())?;
        }
        Ok(())
    }

    /// The `most` largest children, in the order of the search.
    pub(super) fn largest(&self, most: usize) -> Table {
        let below: Vec<TreeNode> = self.children.iter().map(|entry| entry.node).collect();
        table(self.largest_entries(most).map(|entry| entry.cells(self.recording.meta(), &below)).collect())
    }

    /// The largest children with the raw numbers of the JSON form.
    pub(super) fn largest_in_numbers(&self, most: usize) -> Table {
        let names =
            ["node", "number", "move", "bound", "value", "alpha", "beta", "depth", "kind", "nodes", "why"];
        let mut table = Table::new(&names);
        let below: Vec<TreeNode> = self.children.iter().map(|entry| entry.node).collect();
        for entry in self.largest_entries(most) {
            let node = &entry.node;
            let [index, number, name, .., kind, nodes, why] = entry.cells(self.recording.meta(), &below);
            let [value, alpha, beta] =
                [node.value, node.window.alpha, node.window.beta].map(|score| score.raw().to_string());
            let (bound, depth) = (bound(node.bound).to_owned(), node.depth.raw().to_string());
            table.push([index, number, name, bound, value, alpha, beta, depth, kind, nodes, why]);
        }
        table
    }

    fn largest_entries(&self, most: usize) -> impl Iterator<Item = &ShownNode> {
        let mut sizes: Vec<u32> = self.children.iter().map(|entry| entry.node.nodes).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let least = sizes.get(most).map_or(0, |size| size + 1);
        self.children.iter().filter(move |entry| entry.node.nodes >= least)
    }

    fn left_out_table(&self) -> Table {
        let mut table = Table::new(&["move", "why"]);
        let Some(here) = self.path.last() else { return table };
        for each in &self.left_out {
            table.push([here.name(each.m), left_out_why(&here.node, each)]);
        }
        table
    }
}

/// The explanation above the tables.
const LEGEND: &str = "values are for the side to move; ≤ and ≥ are bounds; depth: plies left; kind: P principal \
                      variation, N minimal window, Q quiescence; nodes: here and below";

/// In narrower columns the reason is printed below its row.
const NARROWEST_WHY: usize = 44;

fn print_table(out: &mut impl Write, table: &Table) -> io::Result<()> {
    write!(out, "{}", with_plain_blanks(&table.to_text_or_last_below(table_width(), NARROWEST_WHY)))
}

/// Replaces no-break spaces, which are only needed while lines are folded.
pub(super) fn with_plain_blanks(text: &str) -> String {
    text.replace('\u{a0}', " ")
}

/// Prints every node as a line of JSON.
pub(super) fn dump(recording: &Recording, tree: &Tree, out: &mut impl Write) -> Result<(), super::Failure> {
    let start = tree.positions(&[0])?.remove(0);
    let mut open = vec![ShownNode::new(tree, 0, tree.node(0)?, &start)?];
    while let Some(entry) = open.pop() {
        let range = tree.child_range(entry.index)?;
        let children = tree.children(entry.index)?;
        let mut line = entry.json(recording.meta());
        line["left_out"] = entry.left_out(&tree.left_out(entry.index, &entry.position)?);
        writeln!(out, "{line}")?;
        for (index, node) in range.zip(children).rev() {
            open.push(ShownNode::new(tree, index, node, &entry.position)?);
        }
    }
    Ok(())
}

/// A move in SAN or UCI notation.
fn parse(position: &Position, word: &str) -> Option<shakmaty::Move> {
    let san = word.parse::<SanPlus>().ok().and_then(|san| san.san.to_move(position.chess()).ok());
    san.or_else(|| position.parse_move(word).ok())
}
