//! Profiles as charts: depth by nodes, branching factor, nodes and reductions by depth.

use super::counts::{Profile, share};
use crate::picture::{Chart, Series, panels};

/// The first point of the completed depth.
const FIRST_NODES: f64 = 1_000.0;

/// Four charts, each with a series per setting; `nodes` is the limit of a search.
pub(crate) fn picture(profiles: &[(&str, &Profile)], nodes: u64) -> String {
    let chart = |title: &str, x: &str, y: &str, points: &dyn Fn(&Profile) -> Vec<(f64, f64)>| {
        let name = |name: &str| if profiles.len() > 1 { name.to_owned() } else { String::new() };
        let series = profiles.iter().map(|(setting, profile)| Series::new(name(setting), points(profile)));
        Chart { title: title.into(), x: x.into(), y: y.into(), series: series.collect(), ..Chart::default() }
    };
    panels(&[
        chart("Completed depth", "nodes (power of ten)", "plies, mean", &|profile| climb(profile, nodes)),
        chart("Effective branching factor", "iteration", "nodes / nodes of the iteration before", &growth),
        chart("Where the nodes are", "remaining depth (0 is quiescence search)", "% of all nodes", &spread),
        chart("Reductions", "remaining depth", "plies, mean", &reductions),
    ])
}

fn climb(profile: &Profile, nodes: u64) -> Vec<(f64, f64)> {
    let steps =
        std::iter::successors(Some(FIRST_NODES), |at| Some(at * 2.0)).take_while(|at| *at < nodes as f64);
    let all = steps.chain([nodes as f64]);
    all.filter_map(|at| Some((at.log10(), profile.depth_at(at as u64)?))).collect()
}

fn growth(profile: &Profile) -> Vec<(f64, f64)> {
    (2..=profile.deepest()).filter_map(|depth| Some((f64::from(depth), profile.growth(depth)?))).collect()
}

fn spread(profile: &Profile) -> Vec<(f64, f64)> {
    let at = profile.by_depth.iter().enumerate();
    at.filter_map(|(plies, at)| Some((plies as f64, 100.0 * share(at.nodes, profile.nodes)?))).collect()
}

fn reductions(profile: &Profile) -> Vec<(f64, f64)> {
    let at = profile.by_depth.iter().enumerate();
    at.filter_map(|(plies, at)| Some((plies as f64, at.mean_reduction()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::counts::CompletedIterations;
    use super::*;
    use crate::depth::Depth;

    #[test]
    fn a_picture_has_four_charts_and_names_two_settings() {
        let climb = CompletedIterations {
            position: 0,
            nodes: 5_000,
            iterations: vec![(1, 100), (2, 400), (3, 1_200)],
        };
        let mut profile = Profile { nodes: 5_000, searches: vec![climb], ..Profile::default() };
        profile.at_depth(3).reduce(Depth::PLY);
        let growth: Vec<String> = growth(&profile).iter().map(|(x, y)| format!("{x} {y:.3}")).collect();
        assert_eq!(growth, ["2 3.000", "3 2.667"]);
        let depths = super::climb(&profile, 4_000).into_iter().map(|(_, depth)| depth);
        assert_eq!(depths.collect::<Vec<_>>(), [2.0, 3.0, 3.0], "after 1,000, 2,000 and 4,000 nodes");
        assert_eq!(reductions(&profile), [(3.0, 1.0)]);
        let text = picture(&[("first", &profile), ("second", &profile)], 5_000);
        for word in ["Completed depth", "branching", "remaining depth", "Reductions", "first", "second"] {
            assert!(text.contains(word), "{word}");
        }
    }
}
