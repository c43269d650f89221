//! Each switch of the methods, and some of the search, toggled alone: nodes, solved positions and playing strength.

use super::games::{self, NODES};
use super::{Experiment, Findings, Interrupted, Laboratory, percent, solved_with_error};
use crate::limits::Limits;
use crate::options::{self, Kind, Options};
use crate::picture::Chart;
use crate::selective::{Id, METHODS};
use crate::text_table::Table;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "ablation",
    title: "Every method of the default switched off or on in turn",
    source: "No paper; leading programs publish such tables from time to time, e.g. Stockfish 16: Elo without \
             futility -40, null move -35, ProbCut -10, singular extensions -94, late-move reductions -117",
    time: "6 h",
    run,
};

/// Switches of move ordering, evaluation and quiescence search.
const OF_THE_SEARCH: [&str; 10] = [
    "Killers",
    "History",
    "HistoryThreats",
    "CounterMoves",
    "ContinuationHistory",
    "CaptureHistory",
    "CorrectionHistory",
    "CorrectionMoves",
    "HashEval",
    "QuiescenceChecks",
];

/// Published: Elo that Stockfish 16 loses without a method, by our closest method. Its futility pruning prunes moves.
const STOCKFISH: [(Id, i32); 5] = [
    (Id::DeepFutility, -40),
    (Id::NullMove, -35),
    (Id::CaptureProbCut, -10),
    (Id::Singular, -94),
    (Id::LateMoves, -117),
];

/// The switches that are on: of active methods, and of the search.
pub(crate) fn switches(options: &Options) -> Vec<&'static str> {
    let on = METHODS.iter().filter(|method| options.selective.is_on(method.id));
    let methods = on.flat_map(|method| method.rows).filter(|row| row.is_on(&options.selective));
    let search = OF_THE_SEARCH.iter().filter_map(|name| options::row(name)).filter(|row| row.is_on(options));
    methods.map(|row| row.name).chain(search.map(|row| row.name)).collect()
}

/// The switches that are off: of methods with their variants, of methods that are on, and of the search.
fn idle(options: &Options) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for method in METHODS {
        let on = |name: &str| format!("{name}=true");
        if options.selective.is_on(method.id) {
            let off = method.rows.iter().filter(|row| matches!(row.kind, Kind::Check(_)));
            found.extend(off.filter(|row| !row.is_on(&options.selective)).map(|row| vec![on(row.name)]));
        } else {
            found.push(vec![on(method.switch())]);
            let variants = method.about.variants.iter();
            found.extend(variants.map(|(_, set)| {
                std::iter::once(on(method.switch())).chain(set.iter().map(|&text| text.to_owned())).collect()
            }));
        }
    }
    let search = OF_THE_SEARCH.iter().filter_map(|name| options::row(name)).filter(|row| !row.is_on(options));
    found.extend(search.map(|row| vec![format!("{}=true", row.name)]));
    found
}

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let suite = lab.suite("wac", lab.either(40, 0)).ok_or("the suite wac is missing".to_owned())?;
    let bench = lab.suite("bk", lab.either(8, 0)).ok_or("the suite bk is missing".to_owned())?;
    let (plies, nodes, games) = (lab.either(8, 11), lab.either(5_000, 50_000), lab.either(4, 200));
    let book = lab.openings("openings", (games / 2).max(1))?;
    let whole = lab.setup.options.clone();
    let (tree, answers) = (
        lab.measure(&bench, &whole, &Limits::depth(plies))?,
        lab.measure(&suite, &whole, &Limits::nodes(nodes))?,
    );
    let mut table = Table::new(&games::columns(&["changed", "nodes %", "solved", "Stockfish 16"]));
    let head = ["nothing".to_owned(), "100.00".to_owned(), solved_with_error(&answers), String::new()];
    table.push(head.into_iter().chain([(); 5].map(|()| String::new())));
    let mut dots = Vec::new();
    let off = |switch: &str| format!("{switch}=false");
    let on_now = switches(&whole).into_iter().map(|switch| vec![off(switch)]);
    for change in on_now.chain(idle(&whole)) {
        let without = lab.with(&change.iter().map(String::as_str).collect::<Vec<_>>())?;
        let switch = change.join(" ");
        let smaller = lab.measure(&bench, &without, &Limits::depth(plies))?;
        let solved = lab.measure(&suite, &without, &Limits::nodes(nodes))?;
        let limit = games::nodes(lab.either(NODES / 10, NODES));
        let standing = lab.play([&without, &whole], games as u64, limit, &book)?;
        let known = STOCKFISH
            .iter()
            .find(|(id, _)| switch == off(METHODS[*id as usize].switch()))
            .map(|(_, elo)| *elo);
        let published = known.map(|elo| (f64::from(elo), 0.0));
        dots.push((switch.clone(), [published, games::dot(&standing)]));
        let head = [
            switch,
            percent(smaller.total_percent(&tree)),
            solved_with_error(&solved),
            known.map_or(String::new(), |elo| format!("{elo:+}")),
        ];
        table.push(head.into_iter().chain(games::cells(&standing)));
    }
    Ok(Findings {
        method: format!(
            "The options as given (preset `Modern` by default) with one switch turned off, or on if it is off. Nodes at {plies} ply on \
             Bratko-Kopec as a percentage of the whole; solved of `wac` in {nodes} nodes a position; {games} \
             games against the whole at {} nodes a move, Elo with the half width of its 95 % interval. Elo of Stockfish 16 \
             without a method that bears the same name; its search around it is another one.",
            lab.either(NODES / 10, NODES)
        ),
        tables: vec![("One switch changed".into(), table)],
        pictures: vec![(
            String::new(),
            Chart::in_rows("One switch changed", "Elo against the whole", ["Stockfish 16", "ours"], dots),
        )],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_switches_of_the_default_are_found_and_those_of_idle_methods_are_not() {
        let mut options = Options::default();
        assert!(switches(&options).contains(&"NullMove") && !switches(&options).contains(&"MultiCut"));
        assert!(switches(&options).contains(&"CorrectionHistory"));
        let idle = idle(&options);
        for change in
            ["MultiCut=true", "MultiCut=true MultiCutLayered=true", "NullMoveVerify=true", "RankCut=true"]
        {
            assert!(idle.iter().any(|found| found.join(" ") == change), "{change} is missing");
        }
        assert!(!idle.iter().any(|found| found.contains(&"NullMove=true".to_owned())));
        options.set("Preset", "FullWidth").unwrap();
        assert!(switches(&options).iter().all(|name| OF_THE_SEARCH.contains(name)));
        assert!(OF_THE_SEARCH.iter().all(|name| options::row(name).is_some()));
    }
}
