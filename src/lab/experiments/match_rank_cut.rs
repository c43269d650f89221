//! RankCut in games: Lim & Lee's match against the original program.

use super::games::{self, NODES};
use super::{Experiment, Findings, Interrupted, Laboratory};
use crate::picture::Chart;
use crate::statistics::elo_of_score;
use crate::text_table::Table;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "rankcut-match",
    title: "RankCut in games",
    source: "Y. J. Lim and W. S. Lee, *RankCut: A Domain Independent Forward Pruning Method for Games*, AAAI 2006",
    time: "15 min",
    run,
};

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let games = lab.either(16, 124);
    let book = lab.openings("openings", games / 2)?;
    // RankCut begins at a remaining depth of seven plies, so games need more nodes than elsewhere.
    let nodes = lab.either(NODES, 10 * NODES);
    let (with, without) = (lab.with(&["Preset=RankCut"])?, lab.with(&["Preset=Crafty"])?);
    let standing = lab.play([&with, &without], games as u64, games::nodes(nodes), &book)?;
    let mut table = Table::new(&games::columns(&[""]));
    let published = ["published", "124", "+40 =74 -10", "62.1", "", "+0.099"].map(str::to_owned);
    table.push(published);
    table.push(["ours".to_owned()].into_iter().chain(games::cells(&standing)));
    Ok(Findings {
        method: format!(
            "Preset `RankCut` against preset `Crafty`, every opening with both colours, {nodes} nodes a move \
             (published: 40 moves in 40 minutes, 62 openings). One program is better with 95 % confidence if l_95 \
             is above 0; the published l_95 follows with the one-sided 1.645, not with the 1.96 that the paper names."
        ),
        tables: vec![("RankCut against Crafty".into(), table)],
        pictures: vec![(
            String::new(),
            Chart::in_rows(
                "RankCut in games",
                "Elo",
                [""],
                [
                    ("published".to_owned(), [Some((elo_of_score(77.0 / 124.0), 0.0))]),
                    ("ours".to_owned(), [games::dot(&standing)]),
                ],
            ),
        )],
    })
}
