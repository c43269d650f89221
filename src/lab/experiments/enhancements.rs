//! Enhancements of alpha-beta, MTD(f) and NegaScout: Mulan's tables 4.3 to 4.10, on chess.

use super::{Experiment, Findings, Interrupted, Laboratory, percent, with_error};
use crate::limits::Limits;
use crate::picture::Chart;
use crate::text_table::{Table, thousands};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "enhancements",
    title: "Enhancements: A, M and N with I, T, TT, K and H",
    source: "X. Liang, *The Evolution of Mulan*, MSc thesis, New Mexico 2003, tables 4.3 to 4.10 (Amazons)",
    time: "5 min",
    run,
};

/// The letters of an enhancement set, and the published leaf nodes of alpha-beta, MTD(f) and NegaScout in
/// Amazons at move 45 and 4 ply; the tables do not give those of MITKH.
const SETS: [(&str, [Option<u32>; 3]); 10] = [
    ("", [Some(1_127_314), None, None]),
    ("I", [Some(1_186_022), Some(1_266_889), Some(1_026_527)]),
    ("IT", [Some(476_202), Some(500_658), Some(405_539)]),
    ("IK", [Some(107_867), Some(129_719), Some(114_937)]),
    ("IH", [Some(146_210), Some(179_579), Some(158_432)]),
    ("ITT", [Some(402_873), Some(467_254), Some(329_653)]),
    ("ITK", [Some(99_375), Some(107_886), Some(94_275)]),
    ("ITH", [Some(116_292), Some(98_395), Some(94_438)]),
    ("IKH", [Some(67_262), Some(81_700), Some(67_032)]),
    ("ITKH", [Some(64_231), None, Some(54_032)]),
];

/// Published leaf nodes of AI, the baseline.
const BASE: f64 = 1_186_022.0;

const ALGORITHMS: [(&str, &str); 3] = [("A", "AlphaBeta"), ("M", "MTD(f)"), ("N", "PVS")];

/// The options for a set of letters.
fn assignments(algorithm: &str, letters: &str) -> Vec<String> {
    let hash = match letters.matches('T').count() {
        0 => "Off",
        1 => "One",
        _ => "Two",
    };
    vec![
        "Preset=Mulan".to_owned(),
        format!("Algorithm={algorithm}"),
        format!("IterativeDeepening={}", letters.contains('I')),
        format!("HashUse={hash}"),
        format!("Killers={}", letters.contains('K')),
        format!("History={}", letters.contains('H')),
        "CounterMoves=false".to_owned(),
        "Aspiration=false".to_owned(),
    ]
}

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let suite = lab.suite("bk", lab.either(6, 0)).ok_or("the suite bk is missing".to_owned())?;
    let depth = lab.either(4, 6);
    let mut table =
        Table::new(&["set", "algorithm", "published % of AI", "nodes % of AI", "average % ± SE", "nodes"]);
    let mut dots = Vec::new();
    let measure = |algorithm: &str, letters: &str| {
        let assignments = assignments(algorithm, letters);
        let words: Vec<&str> = assignments.iter().map(String::as_str).collect();
        lab.measure(&suite, &lab.with(&words)?, &Limits::depth(depth))
    };
    let base = measure("AlphaBeta", "I")?;
    for (letters, published) in SETS {
        for ((letter, algorithm), published) in ALGORITHMS.into_iter().zip(published) {
            // Without iterative deepening MTD(f) has no first guess, and the thesis tried only alpha-beta.
            if letters.is_empty() && letter != "A" {
                continue;
            }
            let measured = measure(algorithm, letters)?;
            let share = published.map(|nodes| (100.0 * f64::from(nodes) / BASE, 0.0));
            let ours = measured.average_percent(&base);
            dots.push((format!("{letter}{letters}"), [share, Some((ours.mean, ours.standard_error()))]));
            table.push([
                format!("{letter}{letters}"),
                algorithm.to_owned(),
                published.map_or(String::new(), |nodes| percent(100.0 * f64::from(nodes) / BASE)),
                percent(measured.total_percent(&base)),
                with_error(measured.average_percent(&base)),
                thousands(measured.nodes()),
            ]);
        }
    }
    Ok(Findings {
        method: format!(
            "Preset `Mulan` with the enhancements named, on {} positions of Bratko and Kopec at {depth} ply. I: \
             iterative deepening, T and TT: hash table with one or two moves, K: killers, H: history. The \
             published numbers are leaf nodes in another game (Amazons, move 45, 4 ply); ours are all nodes. \
             Captures come first in every set, which is worth more than any of the enhancements in chess.",
            suite.tasks.len()
        ),
        tables: vec![("Nodes".into(), table)],
        pictures: vec![(
            String::new(),
            Chart::in_rows("Enhancements", "nodes (% of AI)", ["Amazons, published", "chess, average"], dots),
        )],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    #[test]
    fn letters_become_options() {
        let mut options = Options::default();
        for assignment in assignments("MTD(f)", "ITTK") {
            let (name, value) = assignment.split_once('=').unwrap();
            options.set(name, value).unwrap();
        }
        assert!(options.search.killers && !options.search.history && options.search.hash.keeps_two());
    }
}
