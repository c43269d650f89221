//! Why a node ended, in one sentence with its numbers, seen by the side to move there. The page says the same
//! (`src/tree/viewer/why.js`).

use shakmaty::san::SanPlus;

use crate::board::{PackedMove, Position};
use crate::depth::Depth;
use crate::score::{Bound, MAX_PLY, Score};
use crate::search::event::{End, NodeKind, Purpose};
use crate::tree::TreeNode;
use crate::tree::node::{DepthChange, NO_NUMBER};

/// A score in pawns with its sign, or the moves to a mate.
pub fn score(raw: i32) -> String {
    let sign = if raw < 0 { "−" } else { "" };
    let size = raw.abs();
    if raw == Score::NONE.raw() {
        "–".to_owned()
    } else if size >= Score::INFINITE.raw() {
        format!("{sign}∞")
    } else if size >= Score::MATE.raw() - MAX_PLY as i32 {
        let plies = Score::MATE.raw() - size;
        format!("{sign}#{}", if raw > 0 { (plies + 1) / 2 } else { plies / 2 })
    } else {
        let sign = if raw > 0 { "+" } else { sign };
        format!("{sign}{}.{:02}", size / 100, size % 100)
    }
}

/// A depth in plies, with a fraction if it has one.
pub fn depth(hundredths: i32) -> String {
    if hundredths % 100 == 0 {
        (hundredths / 100).to_string()
    } else {
        format!("{:.2}", f64::from(hundredths) / 100.0)
    }
}

/// Moves in SAN from a position on, as far as they are legal.
pub fn line(position: &Position, moves: &[PackedMove]) -> Vec<String> {
    let mut here = position.clone();
    let mut names = Vec::new();
    for packed in moves {
        let Some(m) = here.unpack(*packed) else { break };
        names.push(SanPlus::from_move(here.chess().clone(), m).to_string());
        here = here.play(m);
    }
    names
}

fn at_least(value: i32, node: &TreeNode) -> String {
    format!("{} ≥ β {}", score(value), score(node.window.beta.raw()))
}

fn at_most(value: i32, node: &TreeNode) -> String {
    format!("{} ≤ α {}", score(value), score(node.window.alpha.raw()))
}

fn margin(size: i32) -> String {
    format!("margin {}.{:02}", size.abs() / 100, size.abs() % 100)
}

fn dots(position: &Position) -> &'static str {
    if position.turn().is_white() { "" } else { "…" }
}

/// Why a node ended; `label` is what its recording calls that.
pub fn why(node: &TreeNode, position: &Position, label: &str) -> String {
    let sentence = if node.end == End::Cut {
        let line = line(position, &node.replies);
        (!line.is_empty()).then(|| {
            let value = at_least(node.value.raw(), node);
            format!("refuted by {}{} ({value})", dots(position), line.join(" "))
        })
    } else if node.end == End::StandPat && node.eval != Score::NONE {
        Some(format!("stands pat: static {}", at_least(node.value.raw(), node)))
    } else if node.numbers[0] != NO_NUMBER
        && let Some(sentence) = ended(node)
    {
        Some(sentence)
    } else if node.end.leaves_out() || matches!(node.end, End::AllMoves | End::Quiet) {
        moves(node, position)
    } else {
        None
    };
    sentence.unwrap_or_else(|| label.to_owned())
}

/// A node that a rule ended, by its numbers.
fn ended(node: &TreeNode) -> Option<String> {
    let [a, b, c] = node.numbers.map(i32::from);
    let beta = node.window.beta.raw();
    Some(match node.end {
        End::ReverseFutility => {
            let sign = if b > 0 { "−" } else { "+" };
            format!("reverse futility: static {} {sign} {} ≥ β {}", score(a), margin(b), score(beta))
        }
        End::QuiescenceRazoring => {
            let sign = if b >= 0 { "+" } else { "−" };
            let (alpha, value) = (score(beta - 1), score(node.value.raw()));
            format!(
                "razoring: static {} {sign} {} ≤ α {alpha}, quiescence search gives {value}",
                score(a),
                margin(b)
            )
        }
        End::NullMove => {
            format!("null move: a pass at depth {} gives {}", depth(b.max(0)), at_least(a, node))
        }
        End::ProbCut => format!("ProbCut: depth {} gives {}, asked for {}", depth(c), score(b), score(a)),
        End::CaptureCut => format!(
            "ProbCut by a capture: depth {} gives {}, asked for {} ({})",
            depth(c.max(0)),
            score(b),
            score(a),
            at_least(a, node)
        ),
        End::MultiCut => format!("multi-cut: {a} of {b} moves reach β {} at depth {}", score(beta), depth(c)),
        End::SingularCut => format!(
            "without the hash move still {}, asked for {} (hash {}): {}",
            score(b),
            score(a),
            score(c),
            at_least(a, node)
        ),
        End::CheckCut => {
            format!("in check, the hash table's capture is worth {} ({})", score(a), at_least(a, node))
        }
        End::Hash => hash(node, a),
        _ => return None,
    })
}

fn hash(node: &TreeNode, searched: i32) -> String {
    let value = node.value.raw();
    let said = match node.bound {
        Bound::Exact => score(value),
        Bound::Lower => at_least(value, node),
        Bound::Upper => at_most(value, node),
    };
    let to = match node.kind {
        NodeKind::Quiescence => String::new(),
        _ => format!(", searched to depth {}", depth(searched)),
    };
    format!("hash: {said}{to}")
}

/// A node whose moves were searched without a cut-off: what came nearest, or what was best.
fn moves(node: &TreeNode, position: &Position) -> Option<String> {
    let line = line(position, &node.replies);
    let (first, dots) = (line.first()?, dots(position));
    let value = score(node.value.raw());
    let (alpha, beta) = (score(node.window.alpha.raw()), score(node.window.beta.raw()));
    match node.bound {
        Bound::Exact => Some(format!("best {dots}{} ({value} in ({alpha}, {beta}))", line.join(" "))),
        Bound::Upper => Some(format!("nothing reaches α {alpha}; nearest {dots}{first} {value}")),
        Bound::Lower => None,
    }
}

/// What was decided about the depth of a move, and what came back; `siblings` are the children of its parent.
pub fn depth_change(node: &TreeNode, siblings: &[TreeNode]) -> Option<String> {
    if node.purpose == Purpose::Singular {
        let verdict = if node.value < node.window.beta { "singular" } else { "not singular" };
        return Some(format!("{}: {verdict}", singular(node)));
    }
    let label = DepthChange::ALL[node.change as usize].2;
    let by = node.by.raw();
    let size = format!("{}{}.{:02}", if by > 0 { "−" } else { "+" }, by.abs() / 100, by.abs() % 100);
    match node.change {
        DepthChange::None => None,
        DepthChange::Singular | DepthChange::NotSingular => {
            let probe = siblings.iter().rfind(|other| other.purpose == Purpose::Singular);
            let tested = probe.map_or_else(String::new, |probe| format!(" ({})", singular(probe)));
            Some(format!("{label} {size}{tested}"))
        }
        _ if node.by > Depth::ZERO && node.value != Score::NONE => {
            let value = node.value.raw();
            let back = match node.bound {
                Bound::Upper => format!("{}, which surprised", at_most(value, node)),
                _ => at_least(value, node),
            };
            let (reduced, full) = (depth(node.depth.raw()), depth(node.depth.raw() + by));
            Some(format!("{label} {size}: depth {reduced} of {full} gives {back}"))
        }
        _ => Some(format!("{label} {size}")),
    }
}

/// What a singular test asked and found.
fn singular(probe: &TreeNode) -> String {
    let (value, beta) = (probe.value.raw(), probe.window.beta.raw());
    let sign = if value < beta { "<" } else { "≥" };
    let known = i32::from(probe.numbers[0]);
    let from = match probe.numbers[0] {
        NO_NUMBER => String::new(),
        _ => format!(" = hash {} − {}", score(known), margin(known - beta)),
    };
    format!("others {} {sign} {}{from}", score(value), score(beta))
}

/// The rules that left out moves of a node, each with its number.
pub fn left_out_rules(node: &TreeNode) -> Vec<String> {
    let [reach, least, quota] = node.numbers;
    let has = |name: &str| node.acted().any(|mark| mark.name == name);
    let with = |name: &str, number: i16, text: String| {
        if number == NO_NUMBER { name.to_owned() } else { format!("{name}: {text}") }
    };
    let mut rules = Vec::new();
    if let Some(mark) =
        node.acted().find(|mark| mark.name.ends_with("futility-moves") || mark.name == "delta-moves")
    {
        let name = if mark.name == "delta-moves" { "delta pruning" } else { "futility" };
        let apart = i32::from(reach) - node.eval.raw();
        let sum = match node.eval {
            Score::NONE => score(reach.into()),
            eval => format!(
                "static {} {} {}",
                score(eval.raw()),
                if apart >= 0 { "+" } else { "−" },
                margin(apart)
            ),
        };
        rules.push(with(name, reach, format!("{sum} ≤ α {}", score(node.window.alpha.raw()))));
    }
    if has("late-moves-out") {
        rules.push(with("late moves", quota, format!("quiet moves after the first {quota}")));
    }
    if has("bad-history-out") {
        let own = if has("late-moves-out") { NO_NUMBER } else { quota };
        rules.push(with("bad history", own, format!("below {quota}")));
    }
    if has("losing-moves-out") {
        rules.push(with("losing exchange", least, format!("wins less than {}", plain(least))));
    }
    for (mark, name) in [("gave-up", "uncertainty"), ("n-best-moves", "N-best"), ("tapered-moves", "tapered")]
    {
        if has(mark) {
            let moves = if quota == 1 { "move" } else { "moves" };
            rules.push(with(name, quota, format!("after {quota} {moves}")));
        }
    }
    rules
}

/// Centipawns as pawns, without a sign if they are positive.
fn plain(number: i16) -> String {
    format!("{}{}.{:02}", if number < 0 { "−" } else { "" }, number.abs() / 100, number.abs() % 100)
}
