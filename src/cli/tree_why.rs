//! Why a node ended, in one sentence with its numbers, from the view of the side to move. The viewer says the same
//! (`src/tree/viewer/why.js`).

use shakmaty::san::SanPlus;

use crate::board::{PackedMove, Position};
use crate::depth::Depth;
use crate::score::{Bound, MAX_PLY, Score};
use crate::search::event::{End, NodeKind, Purpose};
use crate::search::move_picker::is_noisy;
use crate::selective::{LeavesOut, LeavesOutBy};
use crate::tree::TreeNode;
use crate::tree::left_out::{HISTORY_STEP, LeftOut};
use crate::tree::node::{DepthChange, NO_NUMBER};

/// A score in pawns with its sign, or the moves to a mate.
pub(super) fn score(raw: i32) -> String {
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
pub(super) fn depth(hundredths: i32) -> String {
    if hundredths % 100 == 0 {
        (hundredths / 100).to_string()
    } else {
        format!("{:.2}", f64::from(hundredths) / 100.0)
    }
}

/// Moves in SAN from a position on, as far as they are legal.
pub(super) fn line(position: &Position, moves: &[PackedMove]) -> Vec<String> {
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

/// Why a node ended. `line` is the best reply and the answer to it, `label` the recording's name for the reason.
pub(super) fn why(node: &TreeNode, position: &Position, line: &[String], label: &str) -> String {
    let sentence = if node.end == End::Cut {
        (!line.is_empty()).then(|| {
            let value = at_least(node.value.raw(), node);
            // A root and a probe of the same position have no move that could be refuted.
            let moved = node.m != PackedMove::NONE || node.purpose == Purpose::NullMove;
            let what = if moved { "refuted by" } else { "fails high:" };
            format!("{what} {}{} ({value})", dots(position), line.join(" "))
        })
    } else if node.end == End::StandPat && node.eval != Score::NONE {
        Some(format!("stands pat: static {}", at_least(node.value.raw(), node)))
    } else if node.numbers[0] != NO_NUMBER
        && let Some(sentence) = ended(node)
    {
        Some(sentence)
    } else if node.end.leaves_out() || matches!(node.end, End::AllMoves | End::Quiet) {
        moves(node, position, line)
    } else {
        None
    };
    sentence.unwrap_or_else(|| label.to_owned())
}

/// The sentence for a node that a rule ended, with the numbers of the rule.
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
            format!("razoring: static {} {sign} {} ≤ α {alpha}, quiescence {value}", score(a), margin(b))
        }
        End::NullMove | End::NullMoveVerified => {
            let verified = match node.end {
                End::NullMove => String::new(),
                _ => format!(", verified {}", score(node.value.raw())),
            };
            format!("null move: a pass at depth {} gives {}{verified}", depth(b.max(0)), at_least(a, node))
        }
        End::ProbCut => format!("ProbCut: depth {} gives {}, asked for {}", depth(c), score(b), score(a)),
        End::CaptureProbCut => {
            format!("ProbCut by a capture: {} ≥ {}, depth {}", score(b), at_least(a, node), depth(c.max(0)))
        }
        End::MultiCut => format!("multi-cut: {a} of {b} moves reach β {} at depth {}", score(beta), depth(c)),
        End::SingularCut => {
            let [b, a, c, beta] = [b, a, c, beta].map(score);
            format!("others cut too: {b} ≥ {a} (hash {c}) ≥ β {beta}")
        }
        End::CheckCut => {
            format!("in check, a capture of the hash table is worth {}", at_least(a, node))
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

/// The sentence for a node whose moves were searched without a cut-off: the best move, or the nearest to alpha.
fn moves(node: &TreeNode, position: &Position, line: &[String]) -> Option<String> {
    let (first, dots) = (line.first()?, dots(position));
    let value = score(node.value.raw());
    let (alpha, beta) = (score(node.window.alpha.raw()), score(node.window.beta.raw()));
    match node.bound {
        Bound::Exact => Some(format!("best {dots}{} ({value} in ({alpha}, {beta}))", line.join(" "))),
        Bound::Upper => Some(format!("nothing reaches α {alpha}; nearest {dots}{first} {value}")),
        Bound::Lower => None,
    }
}

/// How the depth of a move was changed, and the result; `siblings` are the children of its parent.
pub(super) fn depth_change(node: &TreeNode, siblings: &[TreeNode]) -> Option<String> {
    if node.purpose == Purpose::Singular {
        let verdict = if node.value < node.window.beta { "singular" } else { "not singular" };
        return Some(format!("{}: {verdict}", singular(node)));
    }
    let label = match node.change {
        DepthChange::LateMoves => "LMR",
        change => DepthChange::ALL[change as usize].2,
    };
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

/// The bound and the result of a singular test.
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

/// The rules that left out moves of a node, each once: related methods share a rule.
pub(super) fn left_out_rules(node: &TreeNode) -> Vec<LeavesOut> {
    let mut rules = Vec::new();
    for rule in node.acted().filter_map(|mark| mark.leaves_out) {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    rules
}

/// The names of rules, joined by `between`.
pub(super) fn named(rules: &[LeavesOut], between: &str) -> String {
    rules.iter().map(|rule| rule.name).collect::<Vec<_>>().join(between)
}

/// Why a move was left out: the rule and its number or, if the recording does not say, all rules that acted at the
/// node and leave out such moves.
pub(super) fn left_out_why(node: &TreeNode, left_out: &LeftOut) -> String {
    let name = left_out_rule(node, left_out);
    let kept = left_out.kept.and_then(|kept| Some((kept.mark(node)?.leaves_out?, kept.number)));
    match kept {
        Some((rule, Some(number))) => format!("{name}: {}", rule_text(node, rule.by, number)),
        Some((_, None)) => format!("{name} (number not kept)"),
        None if name.contains(" or ") => format!("{name} (which one is not kept)"),
        None => name,
    }
}

/// The rule that left a move out, or the rules that may have.
pub(super) fn left_out_rule(node: &TreeNode, left_out: &LeftOut) -> String {
    if let Some(mark) = left_out.kept.and_then(|kept| kept.mark(node)) {
        return mark.leaves_out.map_or(mark.label, |rule| rule.name).to_owned();
    }
    let mut rules = left_out_rules(node);
    rules.retain(|rule| !(is_noisy(left_out.m) && rule.by.spares_captures()));
    if rules.is_empty() { node.end.label().to_owned() } else { named(&rules, " or ") }
}

/// The condition that a rule found true.
fn rule_text(node: &TreeNode, by: LeavesOutBy, number: i16) -> String {
    let alpha = node.window.alpha.raw();
    let number = i32::from(number);
    match by {
        LeavesOutBy::QuietCount => format!("quiet moves after the first {number}"),
        LeavesOutBy::History => format!("below about {}", hundreds(number * HISTORY_STEP)),
        LeavesOutBy::Exchange => format!("wins less than {}", plain(number)),
        LeavesOutBy::Count => format!("after {number} {}", if number == 1 { "move" } else { "moves" }),
        LeavesOutBy::Reach => {
            let apart = number - node.eval.raw();
            let sum = match node.eval {
                Score::NONE => score(number),
                eval => {
                    let sign = if apart >= 0 { "+" } else { "−" };
                    format!("static {} {sign} {}", score(eval.raw()), margin(apart))
                }
            };
            let enough = if number > alpha {
                "≤ best so far".to_owned()
            } else {
                format!("≤ α {}", score(alpha))
            };
            format!("{sum} {enough}")
        }
    }
}

/// A number rounded to hundreds.
fn hundreds(number: i32) -> String {
    let rounded = (number.abs() + 50) / 100 * 100;
    format!("{}{rounded}", if number < 0 && rounded > 0 { "−" } else { "" })
}

/// Centipawns as pawns, without a sign if they are positive.
fn plain(number: i32) -> String {
    format!("{}{}.{:02}", if number < 0 { "−" } else { "" }, number.abs() / 100, number.abs() % 100)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selective::Id;
    use crate::tree::marks;
    use crate::tree::node::tests::node;

    #[test]
    fn a_rule_that_several_methods_share_is_named_once() {
        let methods = [Id::Futility, Id::LateMovePruning, Id::SeePruning, Id::DeepFutility];
        let marks = methods.map(marks::bit).into_iter().fold(0, |all, bit| all | bit);
        let node = TreeNode { marks, end: End::Futility, ..node() };
        assert_eq!(named(&left_out_rules(&node), ", "), "futility, late moves, losing exchange");
        let position = Position::default();
        let quiet = LeftOut { m: position.parse_move("e2e4").unwrap(), kept: None };
        assert_eq!(left_out_rule(&node, &quiet), "futility or late moves or losing exchange");
        let before = Position::from_fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", false).unwrap();
        let capture = LeftOut { m: before.parse_move("e4d5").unwrap(), kept: None };
        assert_eq!(left_out_rule(&node, &capture), "futility or losing exchange");
    }
}
