//! Six sets of extension weights, a round robin: thesis table 6.2.

use super::extensions_alone::{SETS, assignments};
use super::games::{self, MatchTotal, NODES};
use super::{Experiment, Findings, Interrupted, Laboratory};
use crate::picture::Chart;
use crate::text_table::Table;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "extensions-match",
    title: "Six sets of extension weights in games",
    source: "Y. Björnsson, *Selective Depth-First Game-Tree Search*, PhD thesis, Alberta 2002, table 6.2",
    time: "20 min",
    run,
};

/// Published points of 500, in the order of the weight sets.
const PUBLISHED: [f64; 6] = [183.5, 260.5, 282.5, 246.5, 267.5, 259.5];

/// Published points of 100 of the first set against the second, in the order of the pairs.
const PUBLISHED_PAIRS: [f64; 15] = [
    35.5, 36.5, 42.0, 34.0, 35.5, // none
    49.0, 50.5, 46.5, 50.0, // hand-set
    59.5, 54.5, 54.0, // learned online
    47.0, 51.5, // learned on ECM
    49.5, // all 0.50
];

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let games = lab.either(4, 100);
    let book = lab.openings("openings", games / 2)?;
    let options = SETS
        .iter()
        .map(|(_, middle, end)| {
            let assignments = assignments(*middle, *end);
            lab.with(&assignments.iter().map(String::as_str).collect::<Vec<_>>())
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut sums: [MatchTotal; SETS.len()] = Default::default();
    let mut published = PUBLISHED_PAIRS.iter();
    let mut pairs = Table::new(&games::columns(&["a", "b", "published %"]));
    for (a, first) in options.iter().enumerate() {
        for (b, second) in options.iter().enumerate().skip(a + 1) {
            let limit = games::nodes(lab.either(NODES / 10, NODES));
            let standing = lab.play([first, second], games as u64, limit, &book)?;
            sums[a].add(&standing);
            sums[b].add_reversed(&standing);
            let known = published.next().map_or(String::new(), |points| format!("{points:.1}"));
            let head = [SETS[a].0.to_owned(), SETS[b].0.to_owned(), known];
            pairs.push(head.into_iter().chain(games::cells(&standing)));
        }
    }
    let all = games * (SETS.len() - 1);
    let mut table = Table::new(&["weights", "published of 500", "published %", "points", "%", "± SE"]);
    let mut dots = Vec::new();
    for (index, (name, ..)) in SETS.iter().enumerate() {
        let (share, error) = sums[index].share();
        let error = 100.0 * error;
        dots.push(((*name).to_owned(), [Some((PUBLISHED[index] / 5.0, 0.0)), Some((100.0 * share, error))]));
        table.push([
            (*name).to_owned(),
            format!("{:.1}", PUBLISHED[index]),
            format!("{:.1}", PUBLISHED[index] / 5.0),
            format!("{:.1} of {all}", sums[index].points()),
            format!("{:.1}", 100.0 * share),
            format!("{error:.1}"),
        ]);
    }
    Ok(Findings {
        method: format!(
            "Preset `Turk` with the weights named, a round robin, {games} games a pair, every \
             opening with both colours, {} nodes a move.",
            lab.either(NODES / 10, NODES)
        ),
        tables: vec![("Points".into(), table), ("Pairs".into(), pairs)],
        pictures: vec![(
            String::new(),
            Chart::in_rows("Weights of extensions", "points (%)", ["published", "ours"], dots),
        )],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_pairs_add_up_to_the_published_points() {
        let mut points = [0.0; SETS.len()];
        let pairs = (0..SETS.len()).flat_map(|a| (a + 1..SETS.len()).map(move |b| (a, b)));
        for ((a, b), won) in pairs.zip(PUBLISHED_PAIRS) {
            points[a] += won;
            points[b] += 100.0 - won;
        }
        assert_eq!(points, PUBLISHED);
    }
}
