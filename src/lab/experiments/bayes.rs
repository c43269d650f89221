//! Features combined by Bayes' rule against a linear combination: Mulan's section 4.4.3, on chess.

use std::path::Path;

use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::discriminant::{linear, quadratic};
use super::games;
use super::{Experiment, Findings, Interrupted, Laboratory};
use crate::board::{Game, GamePhase};
use crate::eval::combination::{self, Combination, FEATURES, Features, N, Quadratic};
use crate::limits::Limits;
use crate::parallel::Jobs;
use crate::picture::{Chart, Series};
use crate::self_play::{self, SelfPlay};
use crate::statistics::{Sample, logistic};
use crate::text_table::Table;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bayes",
    title: "Features combined by Bayes' rule and by a line",
    source: "X. Liang, *The Evolution of Mulan*, MSc thesis, New Mexico 2003, table 4.25 (Amazons), after K.-F. Lee \
             and S. Mahajan, *A Pattern Classification Approach to Evaluation Function Learning*, 1988 (Othello)",
    time: "10 min",
    run,
};

/// Published: the criterion, games won and lost by the Bayesian program.
const PUBLISHED: [(&str, u32, u32); 2] = [("30 seconds a move", 55, 145), ("100,000 leaves a move", 68, 132)];

/// A position of a decided game, seen by the side to move.
#[derive(Copy, Clone, Serialize, Deserialize)]
struct DecidedPosition {
    #[serde(rename = "stage")]
    phase: usize,
    /// Hundredths of a pawn.
    features: [i32; N],
    /// The classical evaluation.
    value: i32,
    /// The side to move won.
    won: bool,
}

impl DecidedPosition {
    fn features(&self) -> Features {
        self.features.map(|feature| f64::from(feature) / 100.0)
    }
}

/// The positions of one game; none if it was drawn.
#[derive(Default, Serialize, Deserialize)]
struct BayesGame {
    seen: Vec<DecidedPosition>,
}

/// Three models of the probability to win.
struct Models {
    names: [&'static str; 3],
    phases: [[Quadratic; 3]; 3],
    centipawns: f64,
}

fn run(lab: &Laboratory) -> Result<Findings, Interrupted> {
    let (games, nodes) = (lab.either(60, 2_000), lab.either(500, 2_000));
    let book = lab.openings("openings", games)?;
    let starts = book.iter().map(|opening| opening.game().position().clone()).collect();
    let players = SelfPlay::new(lab.setup.options, starts, 1, Jobs { count: 1, stop: lab.watch.stop });
    let played =
        lab.each(&format!("games {nodes} nodes"), games, |number| play_game(lab, &players, number, nodes))?;
    // The match below uses what is learned from all games.
    lab.needs_all_parts()?;
    let decisive: Vec<&BayesGame> = played.iter().filter(|game| !game.seen.is_empty()).collect();
    // Every other game is for training, the rest are for testing.
    let part = |odd: usize| decisive.iter().skip(odd).step_by(2).copied().collect::<Vec<_>>();
    let (training, test) = (part(0), part(1));
    let models = learn(&training).ok_or("too few games were won to learn from".to_owned())?;
    let (calibration, chart) = calibrate(&models, &test);
    let mut tables = vec![
        ("Positions".into(), counts(&training, &test)),
        ("How good the odds are, in games kept back".into(), compare(&models, &test)),
        ("Calibration".into(), calibration),
    ];
    if let Some(out) = lab.setup.out {
        tables.push(("Games".into(), play(lab, &models, out)?));
    }
    Ok(Findings {
        method: format!(
            "Features: {}, sums of terms of the evaluation in pawns for the side to move. {games} games of the engine \
             against itself at {nodes} nodes a move; positions of won games where the mover is not in check. For every \
             phase two functions are learned from half of the games: the quadratic discriminant of Lee and Mahajan \
             (equation 12 of the thesis) and a logistic regression, linear in the same features; beside them the usual \
             evaluation with a slope for every phase. Half of the games is kept back for testing. Losses are those \
             of the natural logarithm; differences are means over games, with their standard errors.",
            FEATURES.join(", ")
        ),
        tables,
        pictures: vec![(String::new(), chart)],
    })
}

/// Plays a game and samples its positions.
fn play_game(
    lab: &Laboratory,
    players: &SelfPlay,
    number: usize,
    nodes: u64,
) -> Result<BayesGame, Interrupted> {
    let mut engine = players.engine();
    let weights = engine.weights().clone();
    let start = players.start(number as u32).ok_or("no opening to play from".to_owned())?;
    let (mut seen, mut last, mut panicked) = (Vec::new(), None, None);
    let moves = self_play::play(&mut engine, start.clone(), lab.watch.stop, |engine| {
        let position = engine.game().position().clone();
        let outcome = engine.search(Limits::nodes(nodes));
        panicked = panicked.take().or_else(|| outcome.panicked.clone());
        last = outcome.score().map(|score| (position.turn(), score.raw()));
        if !position.in_check() {
            seen.push(position);
        }
        outcome
    });
    let moves = moves.ok_or(Interrupted::Stopped)?;
    if let Some(panic) = panicked {
        return Err(Interrupted::Wrong(panic));
    }
    let mut game = start;
    moves.into_iter().for_each(|m| game.play(m));
    let Some(winner) = winner(&game, last) else { return Ok(BayesGame::default()) };
    let keep = |position: &crate::Position| DecidedPosition {
        phase: combination::phase(position),
        features: combination::features(position, &weights).map(|feature| (100.0 * feature).round() as i32),
        value: crate::eval::explain(position, &weights).total().raw(),
        won: position.turn() == winner,
    };
    Ok(BayesGame { seen: seen.iter().map(keep).collect() })
}

/// The winner of a game: by mate, or because the last score is decisive.
fn winner(game: &Game, last: Option<(Color, i32)>) -> Option<Color> {
    let position = game.position();
    if game.is_over() {
        return (position.in_check() && position.legal_moves().is_empty()).then(|| !position.turn());
    }
    let (side, score) = last.filter(|(_, score)| score.abs() >= self_play::DECIDED)?;
    Some(if score > 0 { side } else { !side })
}

fn learn(training: &[&BayesGame]) -> Option<Models> {
    let usual = |seen: &DecidedPosition| [f64::from(seen.value) / 100.0, 0.0, 0.0, 0.0, 0.0];
    let pick =
        |phase: Option<usize>, won: bool, view: &dyn Fn(&DecidedPosition) -> Features| -> Vec<Features> {
            let all = training.iter().flat_map(|game| &game.seen);
            all.filter(|seen| seen.won == won && phase.is_none_or(|phase| seen.phase == phase))
                .map(view)
                .collect()
        };
    let of_phase = |phase: usize| -> Option<[Quadratic; 3]> {
        let [won, lost] = [true, false].map(|won| pick(Some(phase), won, &DecidedPosition::features));
        let usual = linear(&pick(Some(phase), true, &usual), &pick(Some(phase), false, &usual))?;
        Some([usual, linear(&won, &lost)?, quadratic(&won, &lost)?])
    };
    let by_phase = [of_phase(0)?, of_phase(1)?, of_phase(2)?];
    let phases = std::array::from_fn(|model| by_phase.map(|models| models[model]));
    let slope = linear(&pick(None, true, &usual), &pick(None, false, &usual))?.linear[0];
    Some(Models { names: ["usual", "linear", "Bayes"], phases, centipawns: 100.0 / slope.max(0.05) })
}

impl Models {
    /// The probability that the mover wins, by each of the models.
    fn odds(&self, seen: &DecidedPosition) -> [f64; 3] {
        let usual = [f64::from(seen.value) / 100.0, 0.0, 0.0, 0.0, 0.0];
        let views = [usual, seen.features(), seen.features()];
        std::array::from_fn(|model| logistic(self.phases[model][seen.phase].log_odds(&views[model])))
    }
}

fn counts(training: &[&BayesGame], test: &[&BayesGame]) -> Table {
    let mut table = Table::new(&["phase", "won games", "training positions", "test positions"]);
    let count = |games: &[&BayesGame], phase: usize| {
        games.iter().flat_map(|game| &game.seen).filter(|seen| seen.phase == phase).count()
    };
    for (index, phase) in GamePhase::ALL.iter().enumerate() {
        table.push([
            phase.name().to_owned(),
            (training.len() + test.len()).to_string(),
            count(training, index).to_string(),
            count(test, index).to_string(),
        ]);
    }
    table
}

/// Logarithmic and squared losses, and the difference to the linear combination game by game.
fn compare(models: &Models, test: &[&BayesGame]) -> Table {
    let mut table = Table::new(&["model", "log loss", "squared loss", "right %", "log loss − linear's"]);
    let per_game: Vec<[Sample; 3]> =
        test.iter().map(|game| loss_by(models, &game.seen, |p| -p.max(1e-12).ln())).collect();
    let all: Vec<DecidedPosition> = test.iter().flat_map(|game| game.seen.iter().copied()).collect();
    let (logarithmic, squared) =
        (loss_by(models, &all, |p| -p.max(1e-12).ln()), loss_by(models, &all, |p| (1.0 - p) * (1.0 - p)));
    let right = loss_by(models, &all, |p| if p > 0.5 { 100.0 } else { 0.0 });
    for (index, name) in models.names.iter().enumerate() {
        let differences: Vec<f64> =
            per_game.iter().map(|losses| losses[index].mean - losses[1].mean).collect();
        let difference = Sample::of(&differences);
        table.push([
            (*name).to_owned(),
            format!("{:.4}", logarithmic[index].mean),
            format!("{:.4}", squared[index].mean),
            format!("{:.1}", right[index].mean),
            if index == 1 {
                String::new()
            } else {
                format!("{:+.4} ± {:.4}", difference.mean, difference.standard_error())
            },
        ]);
    }
    table
}

/// The mean loss of each model, given the probability it assigned to the actual result.
fn loss_by(models: &Models, seen: &[DecidedPosition], loss: impl Fn(f64) -> f64) -> [Sample; 3] {
    std::array::from_fn(|model| {
        let of = |seen: &DecidedPosition| {
            let p = models.odds(seen)[model];
            loss(if seen.won { p } else { 1.0 - p })
        };
        Sample::of(&seen.iter().map(of).collect::<Vec<_>>())
    })
}

/// Share of won positions by predicted probability.
fn calibrate(models: &Models, test: &[&BayesGame]) -> (Table, Chart) {
    let mut table =
        Table::new(&["probability", "usual: won %", "of", "linear: won %", "of", "Bayes: won %", "of"]);
    let mut lines = [(); 3].map(|()| Vec::new());
    let mut bins = [[(0_u32, 0_u32); 3]; 10];
    for seen in test.iter().flat_map(|game| &game.seen) {
        for (model, p) in models.odds(seen).into_iter().enumerate() {
            let (won, all) = &mut bins[((10.0 * p) as usize).min(9)][model];
            *won += u32::from(seen.won);
            *all += 1;
        }
    }
    for (bin, models) in bins.iter().enumerate() {
        let mut row = vec![format!("{}–{} %", 10 * bin, 10 * bin + 10)];
        for (line, &(won, all)) in lines.iter_mut().zip(models) {
            let share = 100.0 * f64::from(won) / f64::from(all.max(1));
            row.extend([if all > 0 { format!("{share:.1}") } else { String::new() }, all.to_string()]);
            if all > 0 {
                line.push((10.0 * bin as f64 + 5.0, share));
            }
        }
        table.push(row);
    }
    let perfect = Series::new("perfect", [(0.0, 0.0), (100.0, 100.0)]);
    let series = models.names.iter().zip(lines).map(|(name, line)| Series::new(*name, line));
    let chart = Chart {
        title: "Calibration".into(),
        x: "probability given (%)".into(),
        y: "won (%)".into(),
        series: std::iter::once(perfect).chain(series).collect(),
        ..Chart::default()
    };
    (table, chart)
}

/// A match of the Bayesian against the linear combination, both loaded from files.
fn play(lab: &Laboratory, models: &Models, out: &Path) -> Result<Table, Interrupted> {
    let (games, nodes) = (lab.either(8, 200), lab.either(200, 2_000));
    let file = |model: usize, name: &str| {
        let path = out.join(name);
        let text = Combination::new(models.phases[model], models.centipawns).to_text();
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        lab.with(&[&format!("CombinationFile={}", path.display())])
    };
    let (line, bayes) = (file(1, "linear.json")?, file(2, "bayes.json")?);
    let book = lab.openings("openings", games / 2)?;
    let mut table = Table::new(&games::columns(&["Bayes against linear"]));
    for (criterion, won, lost) in PUBLISHED {
        let share = 100.0 * f64::from(won) / f64::from(won + lost);
        let cells = [(won + lost).to_string(), format!("+{won} =0 -{lost}"), format!("{share:.1}")];
        let head = [format!("published: Amazons, {criterion}")];
        table.push(head.into_iter().chain(cells).chain([String::new(), String::new()]));
    }
    let standing = lab.play([&bayes, &line], games as u64, games::nodes(nodes), &book)?;
    table.push([format!("{nodes} nodes a move")].into_iter().chain(games::cells(&standing)));
    let usual = lab.play([&line, lab.setup.options], games as u64, games::nodes(nodes), &book)?;
    table.push(
        [format!("linear against the usual evaluation, {nodes} nodes")]
            .into_iter()
            .chain(games::cells(&usual)),
    );
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games() -> Vec<BayesGame> {
        // Material decides: the side that is ahead by a pawn or more has won.
        let seen = |number: i32| DecidedPosition {
            phase: (number % 3) as usize,
            features: [number % 401 - 200, number % 7, number % 11, number % 13, number % 5],
            value: number % 401 - 200,
            won: number % 401 > 200,
        };
        (0..60)
            .map(|game| BayesGame { seen: (0..50).map(|ply| seen(game * 37 + ply * 101)).collect() })
            .collect()
    }

    #[test]
    fn what_decides_games_is_learned_by_every_model() {
        let games = games();
        let all: Vec<&BayesGame> = games.iter().collect();
        let models = learn(&all).unwrap();
        let ahead = DecidedPosition { phase: 1, features: [150, 0, 0, 0, 0], value: 150, won: true };
        let behind = DecidedPosition { features: [-150, 0, 0, 0, 0], value: -150, ..ahead };
        for (up, down) in models.odds(&ahead).into_iter().zip(models.odds(&behind)) {
            assert!(up > 0.8 && down < 0.2, "{up} {down}");
        }
        assert!(learn(&all[..0]).is_none());
    }

    #[test]
    fn the_winner_is_who_mates_or_is_far_ahead() {
        let over = |fen: &str| Game::new(crate::Position::from_fen(fen, false).unwrap());
        let mate = over("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1");
        let stalemate = over("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1");
        let open = Game::default();
        assert_eq!(winner(&mate, Some((Color::Black, 900))), Some(Color::White));
        assert_eq!(winner(&stalemate, Some((Color::White, 2_000))), None);
        assert_eq!(winner(&open, Some((Color::Black, 2_000))), Some(Color::Black));
        assert_eq!(winner(&open, Some((Color::Black, -2_000))), Some(Color::White));
        assert_eq!(winner(&open, Some((Color::Black, 300))), None);
    }
}
