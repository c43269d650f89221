//! Bits of [`TreeNode::marks`](super::TreeNode::marks): which methods acted at a node. Each method declares its own.

use std::sync::LazyLock;

use super::node::TreeNode;
use crate::search::event::NodeKind;
use crate::selective::{Id, METHODS, Mark};

/// The marks of all methods, in the order of their bits.
pub static ALL: LazyLock<Vec<Mark>> = LazyLock::new(|| {
    let mut marks: Vec<Mark> = METHODS.iter().filter_map(|method| method.about.mark).collect();
    marks.sort_by_key(|mark| (mark.bit, mark.quiescence));
    // Related methods may share a mark, because a record has only twelve bits.
    marks.dedup();
    marks
});

/// The bit of a method; 0 if it leaves no mark.
pub fn bit(method: Id) -> u16 {
    method.about().mark.map_or(0, |mark| mark.bit)
}

impl Mark {
    /// Whether the mark is set at this node.
    pub fn is_on(&self, node: &TreeNode) -> bool {
        let quiescence = node.kind == NodeKind::Quiescence;
        node.marks & self.bit != 0 && self.quiescence.is_none_or(|only| only == quiescence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of a record on disk.
    const BITS: u16 = (1 << 12) - 1;

    #[test]
    fn every_mark_has_one_bit_of_its_own() {
        let both = |one: &Mark, other: &Mark| {
            one.quiescence.is_none() || other.quiescence.is_none() || one.quiescence == other.quiescence
        };
        for (index, mark) in ALL.iter().enumerate() {
            assert!(mark.bit.is_power_of_two() && mark.bit & BITS != 0, "{mark:?}");
            for other in &ALL[..index] {
                assert!(mark.name != other.name, "{mark:?} {other:?}");
                assert!(mark.bit != other.bit || !both(mark, other), "{mark:?} {other:?}");
            }
        }
    }

    #[test]
    fn marks_of_old_recordings_mean_what_they_meant() {
        let meaning = |bit: u16| ALL.iter().find(|mark| mark.bit == bit).map(|mark| mark.name);
        let names = ["futility-moves", "late-moves-out", "gave-up", "n-best-moves", "tapered-moves"];
        let more = ["razoring", "losing-moves-out", "no-hash-move", "hindsight"];
        for (bit, name) in names.into_iter().chain(more).enumerate() {
            assert_eq!(meaning(1 << bit), Some(name));
        }
    }
}
