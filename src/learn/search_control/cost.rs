//! The cost of a search, `C(p, w, d) = B(p, w)^d`, and its gradient by the weights (thesis 6.4 and appendix C).

use shakmaty::Move;

use super::CLASSES;
use crate::board::Position;
use crate::depth::Depth;
use crate::selective::extensions::{Classes, Rule};

/// The growth of a tree, and its growth with each weight raised by δ.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Growth {
    /// Plies of the search.
    pub depth: f64,
    /// Nodes with the current weights.
    pub nodes: f64,
    /// Nodes with each weight raised.
    pub raised: [f64; CLASSES],
    /// δ in plies.
    pub delta: f64,
}

/// The growth rate of a search with this many nodes and this depth: equation 6.3.
pub fn growth_rate(nodes: f64, depth: f64) -> f64 {
    nodes.powf(1.0 / depth)
}

/// The depth of a solution path.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct SolutionPath {
    /// The depth D in plies.
    pub depth: f64,
    /// The derivative of the depth by the weight of each class: the number of moves of that class.
    pub slope: [f64; CLASSES],
}

impl SolutionPath {
    /// The depth of these moves. The first move always counts as a ply, as in the search.
    pub fn along(start: &Position, moves: &[Move], rule: &Rule) -> Self {
        let little = Depth::hundredths(1);
        let mut path = Self { depth: 0.0, slope: [0.0; CLASSES] };
        let mut position = start.clone();
        let mut captured_on = None;
        for (ply, &m) in moves.iter().enumerate() {
            let child = position.play(m);
            let classes = Classes {
                check: child.in_check(),
                recapture: m.is_capture() && captured_on == Some(m.to()),
                forced: position.in_check() && position.legal_moves().len() == 1,
                pawn: position.is_advanced_push(m),
                threat: false,
            };
            if ply == 0 {
                path.depth += 1.0;
            } else {
                let phase = position.game_phase();
                path.depth += f64::from(rule.weight(phase, classes).raw()) / 100.0;
                let longer = rule.class_deltas(phase, classes, little);
                for (slope, longer) in path.slope.iter_mut().zip(longer) {
                    *slope += f64::from(longer.raw());
                }
            }
            captured_on = m.is_capture().then_some(m.to());
            position = child;
        }
        path
    }
}

/// The cost of searching a path, and its gradient.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Cost {
    /// Nodes according to the model.
    pub nodes: f64,
    /// The derivative by each weight.
    pub gradient: [f64; CLASSES],
}

impl Cost {
    /// The cost of searching a path in a tree with this growth; `None` if the tree is too small to tell.
    pub fn of(growth: &Growth, path: &SolutionPath) -> Option<Self> {
        if growth.nodes < 2.0 || growth.depth < 1.0 || path.depth <= 0.0 {
            return None;
        }
        let rate = growth_rate(growth.nodes, growth.depth);
        let nodes = rate.powf(path.depth);
        let gradient = std::array::from_fn(|class| {
            // Equation 6.4. A tree has at least its root.
            let raised = growth_rate(growth.raised[class].max(1.0), growth.depth);
            derivative(
                nodes,
                &Varying { value: path.depth, slope: path.slope[class] },
                &Varying { value: rate, slope: (raised - rate) / growth.delta },
            )
        });
        nodes.is_finite().then_some(Self { nodes, gradient })
    }
}

/// A value with its derivative by a weight.
struct Varying {
    value: f64,
    slope: f64,
}

/// Equation 6.2: the derivative of the cost `B^D` by a weight, from the depth `D` and the growth rate `B`.
fn derivative(cost: f64, depth: &Varying, rate: &Varying) -> f64 {
    cost * (depth.value / rate.value * rate.slope + rate.value.ln() * depth.slope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selective::Resolve;
    use crate::selective::extensions::Settings;

    #[test]
    fn growth_rates_are_those_of_appendix_b() {
        assert!((growth_rate(17.0, 2.0) - 4.123).abs() < 5e-4);
        assert!((growth_rate(11.0, 2.0) - 3.317).abs() < 5e-4);
    }

    // Appendix C: a tree whose growth and depth both depend on a weight, against finite differences.
    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let rate = |w: f64| 4.0 - 0.7 * w + 0.2 * w * w;
        let depth = |w: f64| 3.0 + 2.0 * w;
        let cost = |w: f64| rate(w).powf(depth(w));
        for w in [0.1, 0.5, 1.0, 1.7] {
            let varying = |value: f64, slope: f64| Varying { value, slope };
            let exact = derivative(cost(w), &varying(depth(w), 2.0), &varying(rate(w), -0.7 + 0.4 * w));
            let h = 1e-5;
            let finite = (cost(w + h) - cost(w - h)) / (2.0 * h);
            assert!((exact - finite).abs() < 1e-5 * finite.abs(), "{w}: {exact} against {finite}");
        }
    }

    #[test]
    fn a_cost_falls_where_the_tree_shrinks_faster_than_the_path_grows() {
        let growth = Growth { depth: 2.0, nodes: 17.0, raised: [11.0, 17.0, 17.0, 17.0], delta: 0.1 };
        let path = SolutionPath { depth: 3.0, slope: [0.0, 2.0, 0.0, 0.0] };
        let cost = Cost::of(&growth, &path).unwrap();
        assert!((cost.nodes - 17_f64.powf(1.5)).abs() < 1e-9);
        assert!(cost.gradient[0] < 0.0 && cost.gradient[1] > 0.0 && cost.gradient[2] == 0.0);
        assert_eq!(Cost::of(&Growth { nodes: 1.0, ..growth }, &path), None);
    }

    #[test]
    fn a_path_is_as_deep_as_its_moves_weigh() {
        let mut settings = Settings { on: true, ..Settings::default() };
        settings.set_weights(&[0.3, 0.1, 0.2, 0.47]);
        let rule = settings.resolve();
        let mut position = Position::default();
        let start = position.clone();
        let moves: Vec<Move> = ["e2e4", "d7d5", "e4d5", "d8d5", "f1b5"]
            .iter()
            .map(|text| {
                let m = position.parse_move(text).unwrap();
                position = position.play(m);
                m
            })
            .collect();
        // A ply for the root, one for d5, one for the capture, a recapture, and a check.
        let path = SolutionPath::along(&start, &moves, &rule);
        assert!((path.depth - 3.4).abs() < 1e-9, "{path:?}");
        assert_eq!(path.slope, [1.0, 1.0, 0.0, 0.0]);
    }
}
