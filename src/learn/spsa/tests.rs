use super::*;
use crate::game_record::{GameEnd, GameResult};

fn parameter(start: f64, min: f64, max: f64, step: f64) -> Parameter {
    Parameter { name: "x".to_owned(), start, min, max, step }
}

fn tuner(iterations: u64, rate: f64) -> Tuner {
    Tuner {
        parameters: vec![parameter(20.0, 0.0, 100.0, 5.0), parameter(90.0, 0.0, 100.0, 4.0)],
        gains: Gains { iterations, rate },
        seed: 3,
        games: 4,
    }
}

fn game(number: u64, result: GameResult) -> GameRecord {
    GameRecord {
        number,
        white: (number % 2) as usize,
        start: "somewhere".to_owned(),
        book: Vec::new(),
        plies: Vec::new(),
        result,
        ending: GameEnd::Mate,
        failure: None,
    }
}

#[test]
fn gains_end_where_they_should_and_fall_as_published() {
    let gains = Gains { iterations: 1_000, rate: 0.002 };
    assert!((gains.perturbation(1_000) - 1.0).abs() < 1e-12);
    assert!((gains.rate(1_000) - 0.002).abs() < 1e-12);
    assert!((gains.perturbation(1) - 1_000_f64.powf(0.101)).abs() < 1e-12);
    let a = |iteration| gains.rate(iteration) * gains.perturbation(iteration).powi(2);
    assert!((a(1) / a(500) - (600.0_f64 / 101.0).powf(0.602)).abs() < 1e-9);
}

#[test]
fn a_win_moves_every_number_towards_the_winner_by_the_rate() {
    let tuner = tuner(1, 0.01);
    let trial = tuner.trial(&tuner.start(), 1);
    assert_eq!(trial, tuner.trial(&tuner.start(), 1));
    let won = tuner.step(&tuner.start(), 1, MatchScore([1, 0, 3]));
    let lost = tuner.step(&tuner.start(), 1, MatchScore([3, 0, 1]));
    for (index, parameter) in tuner.parameters.iter().enumerate() {
        let towards = f64::from((trial.plus[index] - trial.minus[index]).signum());
        assert_eq!((trial.plus[index] - trial.minus[index]).abs(), 2 * parameter.step as i32);
        assert!((won[index] - parameter.start - towards * 2.0 * 0.01 * parameter.step).abs() < 1e-12);
        assert!((won[index] + lost[index] - 2.0 * parameter.start).abs() < 1e-12);
    }
    assert_eq!(tuner.step(&tuner.start(), 1, MatchScore([1, 2, 1])), tuner.start());
}

#[test]
fn numbers_stay_in_their_range() {
    let tuner = Tuner { parameters: vec![parameter(9.0, 0.0, 10.0, 3.0)], ..tuner(50, 5.0) };
    let history = tuner.history(&[MatchScore([0, 0, 4]); 50]);
    assert!(history.iter().flatten().all(|value| (0.0..=10.0).contains(value)), "{history:?}");
    assert!(history.iter().flatten().any(|value| *value == 0.0 || *value == 10.0));
    for iteration in 1..=50 {
        let Trial { plus, minus } = tuner.trial(&[10.0], iteration);
        assert!(plus.iter().chain(&minus).all(|value| (0..=10).contains(value)) && plus != minus);
    }
}

#[test]
fn a_number_between_two_whole_ones_is_each_of_them_in_its_share() {
    let tuner = Tuner { parameters: vec![parameter(5.0, 0.0, 10.0, 2.0)], ..tuner(1, 0.01) };
    let middle = |seed| {
        let Trial { plus, minus } = Tuner { seed, ..tuner.clone() }.trial(&[5.2], 1);
        assert_eq!((plus[0] - minus[0]).abs(), 4);
        (plus[0] + minus[0]) / 2
    };
    let sixes = (0..2_000).filter(|&seed| middle(seed) == 6).count();
    assert!((320..480).contains(&sixes), "{sixes}");
}

/// Simulated games, in which strength falls with the square of the distance from (60, 30).
fn simulated(trial: &Trial, games: u64, random: &mut Random) -> MatchScore {
    let strength = |values: &[i32]| {
        let away = |value: i32, best: i32| f64::from((value - best).pow(2));
        -0.1 * (away(values[0], 60) + 2.0 * away(values[1], 30))
    };
    let elo = strength(&trial.plus) - strength(&trial.minus);
    let expected = 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
    let mut outcome = MatchScore::default();
    for _ in 0..games {
        // A third of the games are drawn whoever plays.
        let chance = random.below(3_000) as f64 / 2_000.0;
        outcome.0[if chance >= 1.0 { 1 } else { 2 * usize::from(chance < expected) }] += 1;
    }
    outcome
}

#[test]
fn the_best_of_a_noisy_quadratic_is_found() {
    for seed in 1..=5 {
        let tuner = Tuner { seed, games: 8, ..tuner(3_000, 0.01) };
        let mut random = Random::new(100 + seed);
        let mut values = tuner.start();
        for iteration in 1..=3_000 {
            let outcome = simulated(&tuner.trial(&values, iteration), 8, &mut random);
            values = tuner.step(&values, iteration, outcome);
        }
        assert!((values[0] - 60.0).abs() < 6.0 && (values[1] - 30.0).abs() < 6.0, "seed {seed}: {values:?}");
    }
}

/// Plays these games, of which White wins most.
fn played(tuner: &Tuner, games: std::ops::Range<u64>, state: &mut SpsaState) {
    for number in games {
        let result = if number % 7 == 0 { GameResult::Black } else { GameResult::White };
        tuner.take(state, &game(number % tuner.games, result));
    }
}

#[test]
fn an_interrupted_run_ends_as_if_it_had_not_been() {
    let tuner = tuner(5, 0.1);
    let mut whole = tuner.resume(SpsaState::default()).unwrap();
    played(&tuner, 0..20, &mut whole);
    let mut first = tuner.resume(SpsaState::default()).unwrap();
    played(&tuner, 0..10, &mut first);
    assert_eq!((first.outcomes.len(), first.games.len(), first.total().total()), (2, 2, 10));
    let text = serde_json::to_string(&first).unwrap();
    assert!(!text.contains("somewhere"));
    let mut second = tuner.resume(serde_json::from_str(&text).unwrap()).unwrap();
    played(&tuner, 10..20, &mut second);
    assert_eq!(second, whole);
    assert_ne!(whole.values, tuner.start());
    assert_eq!(tuner.history(&whole.outcomes).pop(), Some(whole.values.clone()));
    assert_eq!((tuner.iteration(&first), tuner.iteration(&whole)), (Some(3), None));
}

#[test]
fn a_state_that_cannot_be_is_refused() {
    let tuner = tuner(5, 0.1);
    let mut state = tuner.resume(SpsaState::default()).unwrap();
    played(&tuner, 0..9, &mut state);
    let refused = |change: &dyn Fn(&mut SpsaState)| {
        let mut damaged = state.clone();
        change(&mut damaged);
        tuner.resume(damaged).unwrap_err()
    };
    assert!(refused(&|state| state.values[0] += 1.0).contains("lead to"));
    assert!(refused(&|state| state.values.clear()).contains("lead to"));
    assert!(refused(&|state| state.outcomes[0].0[0] += 1).contains("cannot be"));
    assert!(refused(&|state| state.outcomes = vec![MatchScore([0, 4, 0]); 6]).contains("cannot be"));
    assert!(refused(&|state| state.games[0].number = 4).contains("cannot be"));
    assert!(refused(&|state| state.games.push(state.games[0].clone())).contains("cannot be"));
}

#[test]
fn only_the_numbers_that_are_tuned_are_set() {
    let options = Options::default();
    let parameters = rows::parameters(&["NullMove".to_owned()], &options).unwrap();
    let tuner = Tuner { parameters, ..tuner(4, 0.2) };
    let start: Vec<i32> = tuner.start().iter().map(|value| *value as i32).collect();
    assert_eq!(tuner.options_with(&options, &start).unwrap(), options);
    let mut moved = start.clone();
    moved[0] += 1;
    assert_ne!(tuner.options_with(&options, &moved).unwrap(), options);
    moved[0] = -1;
    assert!(tuner.options_with(&options, &moved).unwrap_err().contains(&tuner.parameters[0].name));
}
