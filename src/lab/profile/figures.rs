//! A profile as sections of named figures.

use super::counts::{AtDepth, MethodUse, PLIES, Profile, share};
use crate::search::event::End;
use crate::selective::METHODS;
use crate::text_table::thousands;

/// A number with its unit.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) enum Figure {
    /// A count.
    Count(u64),
    /// A share, from 0 to 1.
    Share(f64),
    /// A mean, in plies or as a factor.
    Mean(f64),
}

impl Figure {
    /// The number for CSV and JSON; shares are percentages.
    pub(super) fn value(self) -> f64 {
        match self {
            Self::Count(count) => count as f64,
            Self::Share(share) => 100.0 * share,
            Self::Mean(mean) => mean,
        }
    }

    /// The full text.
    pub(super) fn text(self) -> String {
        match self {
            Self::Count(count) => thousands(count),
            Self::Share(share) => format!("{:.1} %", 100.0 * share),
            Self::Mean(mean) => format!("{mean:.2}"),
        }
    }

    /// The text for a terminal.
    pub(super) fn narrow(self) -> String {
        match self {
            Self::Count(10_000_000..) => self.short(),
            other => other.text(),
        }
    }

    /// The text for narrow columns.
    pub(super) fn short(self) -> String {
        match self {
            Self::Count(count @ 0..10_000) => count.to_string(),
            Self::Count(count @ 10_000..999_500) => format!("{:.0}k", count as f64 / 1e3),
            Self::Count(count) => format!("{:.1}M", count as f64 / 1e6),
            other => other.text(),
        }
    }
}

/// A section of the profile.
pub(super) struct Section {
    /// Its name in CSV and JSON.
    pub key: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Heading of the first column, which names the rows.
    pub row: &'static str,
    /// Headings of the other columns.
    pub measures: Vec<String>,
    pub rows: Vec<FigureRow>,
    /// Whether the columns belong together, like those of a histogram.
    pub whole: bool,
}

/// A row of a section.
pub(super) struct FigureRow {
    pub name: String,
    /// A figure for every measure, where there is one.
    pub figures: Vec<Option<Figure>>,
}

impl FigureRow {
    fn new<const N: usize>(name: impl Into<String>, figures: [Option<Figure>; N]) -> Self {
        Self { name: name.into(), figures: figures.into() }
    }

    /// Whether any figure is not zero.
    pub(super) fn is_filled(&self) -> bool {
        self.figures.iter().flatten().any(|figure| figure.value() != 0.0)
    }
}

/// The rows that several profiles have in common, so that they can be compared.
pub(super) struct Layout {
    /// Nodes after which the completed depth is shown.
    checkpoints: Vec<u64>,
    /// The deepest iteration of all profiles.
    iterations: i32,
    /// The number of remaining depths.
    plies: usize,
}

impl Layout {
    /// The layout for searches of this many nodes.
    pub(super) fn of(profiles: &[&Profile], nodes: u64) -> Self {
        let plies = profiles.iter().map(|profile| profile.by_depth.len()).max().unwrap_or(0);
        let iterations = profiles.iter().map(|profile| profile.deepest()).max().unwrap_or(0);
        Self { checkpoints: checkpoints(nodes), iterations, plies }
    }
}

/// 4,000 and 40,000 nodes, then four times as many each, up to the limit.
fn checkpoints(nodes: u64) -> Vec<u64> {
    let fourfold = std::iter::successors(Some(40_000_u64), |nodes| nodes.checked_mul(4));
    let before = std::iter::once(4_000).chain(fourfold).take_while(|at| *at < nodes);
    before.chain([nodes]).collect()
}

/// All sections of a profile, with the same rows for all profiles of the layout.
pub(super) fn sections(profile: &Profile, layout: &Layout) -> Vec<Section> {
    vec![
        overview(profile),
        completed(profile, layout),
        iterations(profile, layout),
        methods(profile),
        singular(profile),
        depths(profile, layout),
        reductions(profile, layout),
        ends(profile),
    ]
}

fn count(count: u64) -> Option<Figure> {
    Some(Figure::Count(count))
}

fn part(part: u64, whole: u64) -> Option<Figure> {
    share(part, whole).map(Figure::Share)
}

fn mean(mean: Option<f64>) -> Option<Figure> {
    mean.map(Figure::Mean)
}

fn names<const N: usize>(measures: [&str; N]) -> Vec<String> {
    measures.map(str::to_owned).into()
}

fn overview(profile: &Profile) -> Section {
    let (nodes, hash, late) = (profile.nodes, profile.hash_use(), profile.reductions());
    let (singular, tests) = (profile.singular, profile.singular.tests());
    let main = nodes - profile.quiescence_nodes;
    let rows = vec![
        FigureRow::new("positions", [count(profile.searches.len() as u64)]),
        FigureRow::new("nodes", [count(nodes)]),
        FigureRow::new("effective branching factor", [mean(profile.branching())]),
        FigureRow::new("nodes in quiescence search", [part(profile.quiescence_nodes, nodes)]),
        FigureRow::new("nodes of the principal variation", [part(profile.pv_nodes, nodes)]),
        FigureRow::new("first-move cut-offs", [part(profile.first_move_cutoffs, profile.cutoffs)]),
        FigureRow::new("hash hits", [part(hash.hits, hash.probes)]),
        FigureRow::new("hash hits in the main search", [part(profile.hash.hits, profile.hash.probes)]),
        FigureRow::new(
            "hash hits in quiescence search",
            [part(profile.quiescence_hash.hits, profile.quiescence_hash.probes)],
        ),
        FigureRow::new("hash cut-offs", [part(hash.cutoffs, nodes)]),
        FigureRow::new("hash cut-offs in the main search", [part(profile.hash.cutoffs, main)]),
        FigureRow::new(
            "hash cut-offs in quiescence search",
            [part(profile.quiescence_hash.cutoffs, profile.quiescence_nodes)],
        ),
        FigureRow::new("reduced moves", [count(late.reduced)]),
        FigureRow::new("plies of reduction, mean", [mean(late.mean_reduction())]),
        FigureRow::new("reduced moves searched again", [part(late.again, late.reduced)]),
        FigureRow::new("singular tests", [count(tests)]),
        FigureRow::new("singular tests that extend", [part(singular.by_one + singular.by_two, tests)]),
        FigureRow::new(
            "extensions by two or more",
            [part(singular.by_two, singular.by_one + singular.by_two)],
        ),
        FigureRow::new("singular tests that shorten", [part(singular.shorter, tests)]),
    ];
    Section { key: "overview", title: "Overview", row: "", measures: names(["value"]), rows, whole: false }
}

fn completed(profile: &Profile, layout: &Layout) -> Section {
    let row = |nodes: &u64| FigureRow::new(thousands(*nodes), [mean(profile.depth_at(*nodes))]);
    Section {
        key: "completed_depth",
        title: "Completed depth after so many nodes",
        row: "nodes",
        measures: names(["depth"]),
        rows: layout.checkpoints.iter().map(row).collect(),
        whole: false,
    }
}

fn iterations(profile: &Profile, layout: &Layout) -> Section {
    let row = |depth: i32| {
        let (nodes, positions) = profile.iteration(depth);
        let nodes = nodes.map(|nodes| Figure::Count(nodes.round() as u64));
        FigureRow::new(depth.to_string(), [count(positions), nodes, mean(profile.growth(depth))])
    };
    Section {
        key: "iterations",
        title: "Iterations",
        row: "depth",
        measures: names(["positions", "nodes, mean", "branching"]),
        rows: (1..=layout.iterations).map(row).collect(),
        whole: false,
    }
}

fn methods(profile: &Profile) -> Section {
    let row = |used: MethodUse| {
        let probes = |figure: Option<Figure>| figure.filter(|_| used.probes());
        let figures = [
            count(used.tries),
            probes(part(used.successes, used.tries)),
            probes(count(used.nodes)),
            probes(part(used.nodes, profile.nodes)),
        ];
        FigureRow::new(used.method.about().label, figures)
    };
    Section {
        key: "methods",
        title: "Methods",
        row: "method",
        measures: names(["tried or acted", "successful", "nodes", "of all nodes"]),
        rows: METHODS.iter().map(|method| row(profile.method(method.id))).collect(),
        whole: false,
    }
}

fn singular(profile: &Profile) -> Section {
    let (verdicts, tests) = (profile.singular, profile.singular.tests());
    let row = |name: &str, verdict: u64| FigureRow::new(name, [count(verdict), part(verdict, tests)]);
    let rows = vec![
        row("extended by one ply", verdicts.by_one),
        row("extended by two or more", verdicts.by_two),
        row("shortened", verdicts.shorter),
        row("node cut", verdicts.cut),
        row("nothing", verdicts.nothing),
    ];
    Section {
        key: "singular",
        title: "Verdicts of singular tests",
        row: "hash move or node",
        measures: names(["tests", "of all tests"]),
        rows,
        whole: false,
    }
}

fn depths(profile: &Profile, layout: &Layout) -> Section {
    let row = |plies: usize| {
        let at = profile.depth(plies);
        let reduced = |figure: Option<Figure>| figure.filter(|_| at.reduced > 0);
        let figures = [
            count(at.nodes),
            part(at.nodes, profile.nodes),
            reduced(count(at.reduced)),
            mean(at.mean_reduction()),
            part(at.again, at.reduced),
        ];
        FigureRow::new(plies.to_string(), figures)
    };
    Section {
        key: "depths",
        title: "By remaining depth (0 is quiescence search)",
        row: "depth",
        measures: names(["nodes", "of all nodes", "reduced moves", "plies, mean", "searched again"]),
        rows: (0..layout.plies).map(row).collect(),
        whole: false,
    }
}

fn reductions(profile: &Profile, layout: &Layout) -> Section {
    let row = |plies: usize| {
        let AtDepth { by_plies, .. } = profile.depth(plies);
        FigureRow::new(plies.to_string(), by_plies.map(count))
    };
    let last = PLIES - 1;
    let measures = (0..PLIES).map(|plies| if plies < last { plies.to_string() } else { format!("{last}+") });
    Section {
        key: "reductions",
        title: "Reduced moves by remaining depth and plies of reduction (rounded)",
        row: "depth",
        measures: measures.collect(),
        rows: (1..layout.plies).map(row).collect(),
        whole: true,
    }
}

fn ends(profile: &Profile) -> Section {
    let row = |end: &End| {
        let nodes = profile.ended(*end);
        FigureRow::new(end.label(), [count(nodes), part(nodes, profile.nodes)])
    };
    Section {
        key: "ends",
        title: "Why nodes ended",
        row: "reason",
        measures: names(["nodes", "of all nodes"]),
        rows: End::ALL.iter().map(row).collect(),
        whole: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selective::Id;

    #[test]
    fn checkpoints_go_as_far_as_the_nodes() {
        assert_eq!(checkpoints(1), [1]);
        assert_eq!(checkpoints(40_000), [4_000, 40_000]);
        assert_eq!(checkpoints(200_000), [4_000, 40_000, 160_000, 200_000]);
        assert_eq!(checkpoints(3_000_000)[3..], [640_000, 2_560_000, 3_000_000]);
    }

    #[test]
    fn figures_have_their_units() {
        assert_eq!(Figure::Count(1_234_567).text(), "1,234,567");
        assert_eq!(
            [9_999, 10_400, 999_499, 999_500].map(|n| Figure::Count(n).short()),
            ["9999", "10k", "999k", "1.0M"]
        );
        assert_eq!((Figure::Share(0.5).text(), Figure::Share(0.5).value()), ("50.0 %".to_owned(), 50.0));
    }

    #[test]
    fn every_method_has_a_row_and_only_probes_succeed_or_cost() {
        let mut profile = Profile { nodes: 100, ..Profile::default() };
        *profile.method_mut(Id::Delta) =
            MethodUse { tries: 5, successes: 5, acts: 5, ..MethodUse::none(Id::Delta) };
        *profile.method_mut(Id::NullMove) =
            MethodUse { tries: 4, successes: 2, nodes: 20, ..MethodUse::none(Id::NullMove) };
        let rows = methods(&profile).rows;
        assert_eq!(rows.len(), METHODS.len());
        let texts =
            |id: Id| rows[id as usize].figures.iter().map(|f| f.map(Figure::text)).collect::<Vec<_>>();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(texts(Id::Delta), [some("5"), None, None, None]);
        assert_eq!(texts(Id::NullMove), [some("4"), some("50.0 %"), some("20"), some("20.0 %")]);
        assert!(!rows[Id::ProbCut as usize].is_filled());
    }

    #[test]
    fn sections_of_one_layout_have_the_same_rows() {
        let mut deep = Profile::default();
        deep.at_depth(7).nodes = 1;
        let layout = Layout::of(&[&deep, &Profile::default()], 5_000);
        let shape = |profile: &Profile| {
            sections(profile, &layout).iter().map(|section| section.rows.len()).collect::<Vec<_>>()
        };
        assert_eq!(shape(&deep), shape(&Profile::default()));
    }
}
