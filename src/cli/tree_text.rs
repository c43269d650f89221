//! A node of a recording as text and as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};
use shakmaty::san::SanPlus;

use super::terminal;
use super::tree_why::{depth, depth_change, left_out_rules, line, score, why};
use crate::board::{PackedMove, Position, uci_text};
use crate::score::{Bound, Score};
use crate::search::event::Purpose;
use crate::text_table::fold;
use crate::tree::node::{CLASSES, NO_BEST, NO_NUMBER};
use crate::tree::{FileError, Meta, Recording, Tree, TreeNode, left_out};

/// How much to print.
pub struct TextSize {
    /// Children, the largest ones.
    pub most: usize,
}

/// A node, the path to it, and its children.
pub struct Shown<'a> {
    recording: &'a Recording,
    path: Vec<ShownNode>,
    children: Vec<ShownNode>,
    /// The children of its parent.
    beside: Vec<TreeNode>,
    /// Moves that a method left out.
    left_out: Vec<String>,
}

/// A node with what its place on the board adds.
struct ShownNode {
    index: u32,
    node: TreeNode,
    /// In SAN; `--` for a pass, empty if nothing was played.
    san: String,
    uci: String,
    position: Position,
}

impl ShownNode {
    fn new(index: u32, node: TreeNode, before: &Position, position: Position, chess960: bool) -> Self {
        let m = before.unpack(node.m);
        let san = match m {
            Some(m) => SanPlus::from_move(before.chess().clone(), m).to_string(),
            None if node.purpose == Purpose::NullMove => "--".to_owned(),
            None => String::new(),
        };
        let uci = m.map_or_else(String::new, |m| uci_text(m, chess960));
        Self { index, node, san, uci, position }
    }

    fn json(&self, meta: &Meta) -> Value {
        let node = &self.node;
        let bits = |names: &[&'static str], bits: u8| -> Vec<&'static str> {
            names.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| *name).collect()
        };
        json!({
            "why": why(node, &self.position, meta.end_label(node)),
            "index": self.index, "san": self.san, "uci": self.uci, "fen": self.position.fen(),
            "purpose": node.purpose.name(), "end": meta.end_name(node), "kind": node.kind.name(),
            "cut": node.cut, "bound": bound(node.bound), "uncertain": node.uncertain, "raised": node.raised,
            "marks": node.acted().map(|mark| mark.name).collect::<Vec<_>>(),
            "number": node.number, "change": node.change.name(), "by": node.by.raw(),
            "classes": bits(&CLASSES, node.classes),
            "alpha": node.window.alpha.raw(), "beta": node.window.beta.raw(), "value": node.value.raw(),
            "eval": (node.eval != Score::NONE).then_some(node.eval.raw()), "depth": node.depth.raw(),
            "best": (node.best != NO_BEST).then_some(node.best), "nodes": node.nodes,
            "parent": node.parent, "print": node.print, "replies": line(&self.position, &node.replies),
            "numbers": node.numbers.map(|number| (number != NO_NUMBER).then_some(number)),
        })
    }

    /// Its cells: node, #, move, value, window, depth, kind, nodes, why.
    fn cells(&self, meta: &Meta, siblings: &[TreeNode]) -> [String; 9] {
        let node = &self.node;
        let name = if self.san.is_empty() { node.purpose.label() } else { &self.san };
        let window = format!("({}, {})", score(node.window.alpha.raw()), score(node.window.beta.raw()));
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
        let mut words = vec![why(node, &self.position, meta.end_label(node))];
        if !matches!(node.purpose, Purpose::Move | Purpose::Root) && !self.san.is_empty() {
            words.push(node.purpose.label().to_owned());
        }
        words.extend(depth_change(node, siblings));
        if node.end.leaves_out() {
            words.extend(left_out_rules(node).into_iter().map(|rule| format!("left out by {rule}")));
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

/// As narrow as the reasons may become in a narrow terminal.
const NARROWEST_WHY: usize = 20;

/// Rows with their columns one below the other; the numbers to the right, and the reasons folded to the terminal.
fn print_rows(out: &mut impl Write, rows: &[[String; 9]]) -> io::Result<()> {
    const NAMES: [&str; 9] = ["node", "#", "move", "value", "window", "depth", "kind", "nodes", "why"];
    let header = NAMES.map(str::to_owned);
    let width = |column: usize| rows.iter().chain([&header]).map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..NAMES.len()).map(|column| width(column).unwrap_or(0)).collect();
    let indent: usize = widths[..NAMES.len() - 1].iter().map(|width| width + 2).sum();
    let room = terminal::table_width().saturating_sub(indent).max(NARROWEST_WHY);
    for row in std::iter::once(&header).chain(rows) {
        let mut line = String::new();
        let [numbers @ .., why] = row;
        for (column, (cell, width)) in numbers.iter().zip(&widths).enumerate() {
            let blanks = " ".repeat(width - cell.chars().count());
            match column {
                2 | 6 => line.push_str(&format!("{cell}{blanks}  ")),
                _ => line.push_str(&format!("{blanks}{cell}  ")),
            }
        }
        line.push_str(&fold(why, room).join(&format!("\n{}", " ".repeat(indent))));
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

impl<'a> Shown<'a> {
    pub fn new(recording: &'a Recording, tree: &Tree, index: u32) -> Result<Self, FileError> {
        let chess960 = recording.meta().chess960;
        let indices = tree.path(index)?;
        let positions = tree.positions(&indices)?;
        let mut path = Vec::new();
        for (at, (&index, position)) in indices.iter().zip(&positions).enumerate() {
            let before = positions.get(at.wrapping_sub(1)).unwrap_or(position);
            path.push(ShownNode::new(index, tree.node(index)?, before, position.clone(), chess960));
        }
        let below = tree.children(index)?;
        let here = tree.node(index)?;
        let beside = if index == 0 { Vec::new() } else { tree.children(here.parent)? };
        let left_out = positions.last().map_or_else(Vec::new, |position| left_out(&here, &below, position));
        let mut children = Vec::new();
        for (place, node) in tree.child_range(index)?.zip(below) {
            let Some(before) = positions.last() else { break };
            let position = tree.position_after(before, &node, place)?;
            children.push(ShownNode::new(place, node, before, position, chess960));
        }
        Ok(Self { recording, path, children, beside, left_out })
    }

    /// The node that a line of moves leads to, by the last search of each move.
    pub fn find(tree: &Tree, line: &str) -> Result<u32, super::Failure> {
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

    pub fn json(&self) -> Value {
        let meta = self.recording.meta();
        let all = |entries: &[ShownNode]| entries.iter().map(|entry| entry.json(meta)).collect::<Vec<_>>();
        json!({
            "fen": self.path.last().map(|entry| entry.position.fen()),
            "path": all(&self.path),
            "children": all(&self.children),
            "left_out": self.left_out,
        })
    }

    pub fn print(&self, out: &mut impl Write, style: TextSize) -> io::Result<()> {
        let meta = self.recording.meta();
        writeln!(out, "{}", meta.fen)?;
        let moves: Vec<&str> =
            self.path.iter().map(|entry| entry.san.as_str()).filter(|san| !san.is_empty()).collect();
        if !moves.is_empty() {
            writeln!(out, "line: {}", moves.join(" "))?;
        }
        writeln!(out, "values are for the side to move; ≤ and ≥ are bounds; depth: plies left; kind:")?;
        writeln!(out, "P principal variation, N minimal window, Q quiescence; nodes: here and below\n")?;
        let rows: Vec<_> = self.path.iter().map(|entry| entry.cells(meta, &self.beside)).collect();
        print_rows(out, &rows)?;
        if !self.children.is_empty() {
            writeln!(out, "\nchildren, in the order of the search:")?;
        }
        let mut sizes: Vec<u32> = self.children.iter().map(|entry| entry.node.nodes).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let least = sizes.get(style.most).map_or(0, |size| size + 1);
        let below: Vec<TreeNode> = self.children.iter().map(|entry| entry.node).collect();
        let shown = self.children.iter().filter(|entry| entry.node.nodes >= least);
        let rows: Vec<_> = shown.map(|entry| entry.cells(meta, &below)).collect();
        if !rows.is_empty() {
            print_rows(out, &rows)?;
        }
        if !self.left_out.is_empty() {
            writeln!(out, "\nleft out: {}", self.left_out.join(" "))?;
        }
        Ok(())
    }
}

/// Prints every node as a line of JSON.
pub fn dump(recording: &Recording, tree: &Tree, out: &mut impl Write) -> Result<(), super::Failure> {
    let chess960 = recording.meta().chess960;
    let start = tree.positions(&[0])?.remove(0);
    let mut open = vec![ShownNode::new(0, tree.node(0)?, &start, start.clone(), chess960)];
    while let Some(entry) = open.pop() {
        let range = tree.child_range(entry.index)?;
        let children = tree.children(entry.index)?;
        let mut line = entry.json(recording.meta());
        line["left_out"] = left_out(&entry.node, &children, &entry.position).into();
        writeln!(out, "{line}")?;
        for (index, node) in range.zip(children).rev() {
            let position = tree.position_after(&entry.position, &node, index)?;
            open.push(ShownNode::new(index, node, &entry.position, position, chess960));
        }
    }
    Ok(())
}

/// A move in SAN or UCI notation.
fn parse(position: &Position, word: &str) -> Option<shakmaty::Move> {
    let san = word.parse::<SanPlus>().ok().and_then(|san| san.san.to_move(position.chess()).ok());
    san.or_else(|| position.parse_move(word).ok())
}
