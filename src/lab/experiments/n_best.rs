//! N-best against brute force: Mulan's tables 4.12 and 4.13, on chess.

use super::games::{self, NODES};
use super::{Experiment, Findings, Interrupted, Laboratory, Measured};
use crate::limits::Limits;
use crate::picture::Chart;
use crate::statistics::{elo_of_score, standard_error_of_share};
use crate::text_table::Table;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "n-best",
    title: "N-best against brute force",
    source: "X. Liang, *The Evolution of Mulan*, MSc thesis, New Mexico 2003, tables 4.12 and 4.13 (Amazons)",
    time: "15 min",
    run,
};

/// Published: moves kept, games won and lost in Amazons.
const PUBLISHED: [(u32, u32, u32); 4] = [(20, 65, 45), (30, 75, 35), (40, 76, 34), (50, 73, 37)];

/// Speed-up, if it is legible, and the share of equal values in percent.
type SpeedUp = (Option<f64>, u32);

/// Published accuracy in Amazons: moves kept, and speed-up and share of equal values after 5, 25, 45 and 55 moves (2, 3,
/// 4 and 6 plies). One number is illegible in our copy.
const PUBLISHED_ACCURACY: [(u32, [SpeedUp; 4]); 4] = [
    (20, [(None, 81), (Some(12.78), 55), (Some(3.10), 78), (Some(0.44), 99)]),
    (30, [(Some(6.83), 89), (Some(8.78), 65), (Some(2.07), 88), (Some(0.36), 99)]),
    (40, [(Some(5.84), 91), (Some(6.61), 75), (Some(1.56), 91), (Some(0.33), 100)]),
    (50, [(Some(5.19), 96), (Some(5.40), 81), (Some(1.29), 94), (Some(0.31), 100)]),
];

/// Moves kept on chess, where positions have about 35.
const WIDTHS: [u32; 5] = [3, 5, 10, 15, 20];

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let suite = lab.suite("bk", lab.either(8, 0)).ok_or("the suite bk is missing".to_owned())?;
    let depth = lab.either(4, 6);
    let games = lab.either(4, 110);
    let book = lab.openings("openings", games / 2)?;
    let brute = lab.with(&["Preset=Mulan"])?;
    let whole = lab.measure(&suite, &brute, &Limits::depth(depth))?;
    let mut accuracy = Table::new(&["F", "speed-up", "same value %", "within 10", "within 50"]);
    let mut matches = Table::new(&games::columns(&["F"]));
    let mut dots = Vec::new();
    for width in WIDTHS {
        let options = lab.with(&["Preset=Mulan", "NBest=true", &format!("NBestWidth={width}")])?;
        let best = lab.measure(&suite, &options, &Limits::depth(depth))?;
        let near = |centipawns: i32| share_within(&best, &whole, centipawns);
        accuracy.push([
            width.to_string(),
            format!("{:.2}", whole.nodes() as f64 / best.nodes().max(1) as f64),
            near(0),
            near(10),
            near(50),
        ]);
        let limit = games::nodes(lab.either(NODES / 10, NODES));
        let standing = lab.play([&options, &brute], games as u64, limit, &book)?;
        dots.push((format!("F = {width}"), [None, games::dot(&standing)]));
        matches.push([width.to_string()].into_iter().chain(games::cells(&standing)));
    }
    dots.extend(PUBLISHED.map(|(width, won, lost)| {
        let score = f64::from(won) / f64::from(won + lost);
        (format!("F = {width}, Amazons"), [Some((elo_of_score(score), 0.0)), None])
    }));
    Ok(Findings {
        method: format!(
            "Preset `Mulan` with N-best against itself without. Accuracy on {} positions of Bratko and Kopec at \
             {depth} ply: nodes saved, and values of the root that are the same or within so many centipawns. \
             Games at {} nodes a move.",
            suite.tasks.len(),
            lab.either(NODES / 10, NODES)
        ),
        tables: vec![
            ("Accuracy".into(), accuracy),
            (
                "Published accuracy in Amazons, after 5, 25, 45 and 55 moves (table 4.12)".into(),
                published_accuracy(),
            ),
            ("Games on chess".into(), matches),
            ("Published games of Amazons (table 4.13)".into(), published_games()),
        ],
        pictures: vec![(
            String::new(),
            Chart::in_rows("N-best in games", "Elo", ["Amazons, published", "chess"], dots),
        )],
    })
}

fn published_accuracy() -> Table {
    let mut table = Table::new(&[
        "F",
        "2 plies: speed-up",
        "same value %",
        "3 plies",
        "same %",
        "4 plies",
        "same %",
        "6 plies",
        "same %",
    ]);
    for (width, stages) in PUBLISHED_ACCURACY {
        let stages = stages.into_iter().flat_map(|(faster, same)| {
            [faster.map_or("?".into(), |faster| format!("{faster:.2}")), same.to_string()]
        });
        table.push([width.to_string()].into_iter().chain(stages));
    }
    table
}

fn published_games() -> Table {
    let mut table = Table::new(&["F", "won", "lost", "%"]);
    for (width, won, lost) in PUBLISHED {
        let share = 100.0 * f64::from(won) / f64::from(won + lost);
        table.push([width.to_string(), won.to_string(), lost.to_string(), format!("{share:.0}")]);
    }
    table
}

/// The share of positions whose values differ by at most this much, with its standard error.
pub(super) fn share_within(mine: &Measured, theirs: &Measured, centipawns: i32) -> String {
    let pairs = || mine.searches.iter().zip(&theirs.searches).filter_map(|(a, b)| Some((a.score?, b.score?)));
    let near = pairs().filter(|(a, b)| (a - b).abs() <= centipawns).count();
    let all = pairs().count();
    let share = near as f64 / all.max(1) as f64;
    format!("{:.0} ± {:.0}", 100.0 * share, 100.0 * standard_error_of_share(share, all as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::experiments::notebook::MeasuredSearch;

    #[test]
    fn values_are_counted_as_near_up_to_the_distance() {
        let measured = |scores: [i32; 4]| Measured {
            searches: scores
                .map(|score| MeasuredSearch { score: Some(score), ..MeasuredSearch::default() })
                .to_vec(),
        };
        let (a, b) = (measured([0, 10, 20, 100]), measured([0, 0, 0, 0]));
        assert_eq!([0, 10, 99].map(|near| share_within(&a, &b, near)), ["25 ± 22", "50 ± 25", "75 ± 22"]);
    }
}
