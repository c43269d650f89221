//! A node of a recording as text and as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};
use shakmaty::san::SanPlus;

use crate::board::{PackedMove, Position, uci_text};
use crate::score::{Bound, Score};
use crate::search::event::Purpose;
use crate::tree::node::{CLASSES, DepthChange, NO_BEST, NO_NUMBER};
use crate::tree::{FileError, Recording, Tree, TreeNode, left_out};

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

    fn json(&self) -> Value {
        let node = &self.node;
        let bits = |names: &[&'static str], bits: u8| -> Vec<&'static str> {
            names.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| *name).collect()
        };
        json!({
            "index": self.index, "san": self.san, "uci": self.uci, "fen": self.position.fen(),
            "purpose": node.purpose.name(), "end": node.end.name(), "kind": node.kind.name(),
            "cut": node.cut, "bound": bound(node.bound), "uncertain": node.uncertain, "raised": node.raised,
            "marks": node.acted().map(|mark| mark.name).collect::<Vec<_>>(),
            "number": node.number, "change": node.change.name(), "by": node.by.raw(),
            "classes": bits(&CLASSES, node.classes),
            "alpha": node.window.alpha.raw(), "beta": node.window.beta.raw(), "value": node.value.raw(),
            "eval": (node.eval != Score::NONE).then_some(node.eval.raw()), "depth": node.depth.raw(),
            "best": (node.best != NO_BEST).then_some(node.best), "nodes": node.nodes,
            "parent": node.parent, "print": node.print, "replies": self.replies(),
            "numbers": node.numbers.map(|number| (number != NO_NUMBER).then_some(number)),
        })
    }

    /// The best reply and the answer to it, in SAN.
    fn replies(&self) -> Vec<String> {
        let mut position = self.position.clone();
        let mut names = Vec::new();
        for packed in self.node.replies {
            let Some(m) = position.unpack(packed) else { break };
            names.push(SanPlus::from_move(position.chess().clone(), m).to_string());
            position = position.play(m);
        }
        names
    }

    fn row(&self) -> String {
        let node = &self.node;
        let name = if self.san.is_empty() { node.purpose.label() } else { &self.san };
        let window = format!("({}, {})", short(node.window.alpha), short(node.window.beta));
        let depth = f64::from(node.depth.raw()) / 100.0;
        let value = format!("{}{}", bound(node.bound), short(node.value));
        let kind = node.kind.name();
        let start = format!("{:>9}  {name:<8} {value:>8} {kind} {window:>16} {depth:>6.2}", self.index);
        format!("{start} {:>10}  {}", node.nodes, self.why())
    }

    fn why(&self) -> String {
        let node = &self.node;
        let mut words = vec![node.end.label().to_owned()];
        if !matches!(node.purpose, Purpose::Move | Purpose::Root) && !self.san.is_empty() {
            words.push(node.purpose.label().to_owned());
        }
        if node.change != DepthChange::None {
            let label = DepthChange::ALL[node.change as usize].2;
            words.push(format!("{label} {:+.2}", -f64::from(node.by.raw()) / 100.0));
        }
        let acted = node.acted().filter(|mark| mark.label != node.end.label());
        words.extend(acted.map(|mark| mark.label.to_owned()));
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

/// A score in pawns, or the moves to a mate.
fn short(score: Score) -> String {
    match score.mate_in() {
        _ if score.raw().abs() >= Score::INFINITE.raw() => {
            if score.raw() > 0 { "inf" } else { "-inf" }.to_owned()
        }
        Some(moves) => format!("#{moves}"),
        None => format!("{:.2}", f64::from(score.raw()) / 100.0),
    }
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
        let left_out = positions.last().map_or_else(Vec::new, |position| left_out(&here, &below, position));
        let mut children = Vec::new();
        for (place, node) in tree.child_range(index)?.zip(below) {
            let Some(before) = positions.last() else { break };
            let position = tree.position_after(before, &node, place)?;
            children.push(ShownNode::new(place, node, before, position, chess960));
        }
        Ok(Self { recording, path, children, left_out })
    }

    /// The node behind a line of moves, where each move is the last search of it.
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
        json!({
            "fen": self.path.last().map(|entry| entry.position.fen()),
            "path": self.path.iter().map(ShownNode::json).collect::<Vec<_>>(),
            "children": self.children.iter().map(ShownNode::json).collect::<Vec<_>>(),
            "left_out": self.left_out,
        })
    }

    pub fn print(&self, out: &mut impl Write, style: TextSize) -> io::Result<()> {
        let meta = self.recording.meta();
        writeln!(out, "{}", meta.fen)?;
        let line: Vec<&str> =
            self.path.iter().map(|entry| entry.san.as_str()).filter(|san| !san.is_empty()).collect();
        if !line.is_empty() {
            writeln!(out, "line: {}", line.join(" "))?;
        }
        writeln!(out, "     node  move        value            window  depth      nodes  why")?;
        for entry in &self.path {
            writeln!(out, "{}", entry.row())?;
        }
        if !self.children.is_empty() {
            writeln!(out, "\nchildren, in the order of the search:")?;
        }
        let mut sizes: Vec<u32> = self.children.iter().map(|entry| entry.node.nodes).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let least = sizes.get(style.most).map_or(0, |size| size + 1);
        for entry in self.children.iter().filter(|entry| entry.node.nodes >= least) {
            writeln!(out, "{}", entry.row())?;
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
        let mut line = entry.json();
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
