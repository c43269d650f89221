//! Writes games as PGN.

use std::collections::HashMap;

use shakmaty::Position as _;
use shakmaty::san::SanPlus;

use crate::game_record::{GameEnd, GameRecord};
use crate::score::Score;

/// The tags of a match's games.
#[derive(Clone, Debug)]
pub struct PgnHeading<'a> {
    /// The players, first and second.
    pub names: [&'a str; 2],
    /// Short hashes of their options, empty for other engines.
    pub hashes: [&'a str; 2],
    /// Their options that differ from the defaults.
    pub options: [&'a str; 2],
    /// All their options, written as a comment in the first game only.
    pub every_option: [&'a str; 2],
    /// The date of the game in PGN form.
    pub date: &'a str,
    /// The limit of every move, as `espalier match` shows it.
    pub limit: &'a str,
    /// The adjudication rules.
    pub adjudication: &'a str,
    /// The version of the program.
    pub version: &'a str,
    /// The seed of the match.
    pub seed: u64,
}

/// The PGN of a game, followed by a blank line.
pub fn write(record: &GameRecord, heading: &PgnHeading<'_>) -> String {
    let (white, black) = (record.white.min(1), 1 - record.white.min(1));
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        if !value.is_empty() {
            text.push_str(&format!("[{name} \"{}\"]\n", value.replace('\\', "\\\\").replace('"', "\\\"")));
        }
    };
    tag("Event", "espalier match");
    tag("Site", "?");
    tag("Date", heading.date);
    tag("Round", &round(record));
    tag("White", heading.names[white]);
    tag("Black", heading.names[black]);
    tag("Result", record.result.text());
    let start = record.first_position();
    if start.is_some_and(|start| start.chess().castles().mode().is_chess960()) {
        tag("Variant", "Chess960");
    }
    tag("SetUp", "1");
    tag("FEN", &record.start);
    tag("PlyCount", &(record.book.len() + record.plies.len()).to_string());
    tag("Termination", standard(record.ending));
    tag("Ending", &record.ending.to_string());
    tag("Limit", heading.limit);
    tag("Adjudication", heading.adjudication);
    tag("Version", heading.version);
    tag("Seed", &heading.seed.to_string());
    tag("WhiteOptions", format!("{} {}", heading.hashes[white], heading.options[white]).trim());
    tag("BlackOptions", format!("{} {}", heading.hashes[black], heading.options[black]).trim());
    text.push('\n');
    let whose = heading.names.iter().zip(heading.every_option);
    let remarks = whose.filter(|(_, options)| record.number == 0 && !options.is_empty());
    let remarks: Vec<String> = remarks.map(|(name, options)| remark(name, options)).collect();
    let remarks = remarks.iter().flat_map(|remark| remark.split(' ')).map(str::to_owned);
    text.push_str(&wrapped(&remarks.chain(moves(record)).collect::<Vec<_>>()));
    text.push('\n');
    text
}

/// The Round tag: the pair and the game in it.
pub fn round(record: &GameRecord) -> String {
    format!("{}.{}", record.number / 2 + 1, record.number % 2 + 1)
}

/// The date of each game in the output of [`write()`], by round.
pub fn dates_by_round(text: &str) -> HashMap<&str, &str> {
    let games = text.split("[Event ");
    games.filter_map(|game| Some((tag_in(game, "[Round \"")?, tag_in(game, "[Date \"")?))).collect()
}

fn tag_in<'a>(game: &'a str, begin: &str) -> Option<&'a str> {
    game.split_once(begin).and_then(|(_, rest)| rest.split('"').next())
}

/// A comment with every option of a player.
fn remark(name: &str, options: &str) -> String {
    format!("{{Every option of {}}}", format!("{name}: {options}").replace(['{', '}'], " "))
}

/// The Termination tag of the PGN standard.
fn standard(ending: GameEnd) -> &'static str {
    match ending {
        GameEnd::Mate
        | GameEnd::Stalemate
        | GameEnd::Repetition
        | GameEnd::FiftyMoves
        | GameEnd::Material => "normal",
        GameEnd::AdjudicatedWin | GameEnd::AdjudicatedDraw | GameEnd::TooLong => "adjudication",
        GameEnd::TimeForfeit => "time forfeit",
        GameEnd::IllegalMove => "rules infraction",
        GameEnd::Crash | GameEnd::Disconnect | GameEnd::Stopped | GameEnd::NotStarted => "abandoned",
    }
}

/// Words of the move text; each comment is one word.
fn moves(record: &GameRecord) -> Vec<String> {
    let mut words = Vec::new();
    let Some(mut position) = record.first_position() else {
        return vec![record.result.text().to_owned()];
    };
    let book = record.book.iter().map(|uci| (uci, "book".to_owned()));
    let played = record.plies.iter().map(|ply| {
        let score = ply.score.map_or("?".to_owned(), |score| pawns(Score::cp(score)));
        (&ply.uci, format!("{score}/{} {:.3}s", ply.depth, ply.ms as f64 / 1000.0))
    });
    for (index, (uci, comment)) in book.chain(played).enumerate() {
        let Ok(m) = position.parse_move(uci) else { break };
        let number = position.chess().fullmoves();
        if position.turn().is_white() {
            words.push(format!("{number}."));
        } else if index == 0 {
            words.push(format!("{number}..."));
        }
        words.push(SanPlus::from_move(position.chess().clone(), m).to_string());
        words.push(format!("{{{comment}}}"));
        position = position.play(m);
    }
    if let Some((_, text)) = &record.failure {
        words.push(format!("{{{}}}", text.replace(['{', '}', '\n', '\r'], " ")));
    }
    words.push(record.result.text().to_owned());
    words
}

/// `+0.35`, or `-M3`.
fn pawns(score: Score) -> String {
    match score.mate_in() {
        Some(moves) if score > Score::DRAW => format!("+M{moves}"),
        Some(moves) => format!("-M{}", moves.abs()),
        None => format!("{:+.2}", f64::from(score.raw()) / 100.0),
    }
}

/// Wraps words to lines of at most 80 characters.
fn wrapped(words: &[String]) -> String {
    let (mut text, mut width) = (String::new(), 0);
    for word in words {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > 80 {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += length;
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::super::openings;
    use super::*;
    use crate::game_record::{GameEnd, GameResult, Ply};

    fn record() -> GameRecord {
        let ply = |uci: &str, score| Ply { uci: uci.into(), score: Some(score), depth: 7, nodes: 9, ms: 12 };
        GameRecord {
            number: 3,
            white: 1,
            start: "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2".into(),
            book: vec!["d1h5".into()],
            plies: vec![ply("b8c6", -20), ply("f1c4", 35), ply("g8f6", -100), ply("h5f7", 31_999)],
            result: GameResult::White,
            ending: GameEnd::Mate,
            failure: None,
        }
    }

    fn heading() -> PgnHeading<'static> {
        let (names, hashes, options) = (["a", "b \"x\""], ["1234", ""], ["Hash=1", ""]);
        PgnHeading {
            names,
            hashes,
            options,
            every_option: ["Hash=1; Threads=1", ""],
            date: "2026.01.31",
            limit: "5 nodes",
            adjudication: "none",
            version: "1",
            seed: 4,
        }
    }

    #[test]
    fn a_game_is_written_with_scores() {
        let text = write(&record(), &heading());
        let (tags, moves) = text.split_once("\n\n").unwrap();
        for tag in [
            "[White \"b \\\"x\\\"\"]\n[Black \"a\"]\n[Result \"1-0\"]",
            "[Round \"2.2\"]",
            "[Date \"2026.01.31\"]",
            "[Limit \"5 nodes\"]\n[Adjudication \"none\"]",
            "[BlackOptions \"1234 Hash=1\"]",
        ] {
            assert!(tags.contains(tag), "{tag}\n{tags}");
        }
        let words: Vec<&str> = moves.split_whitespace().collect();
        assert_eq!(
            words.join(" "),
            "2. Qh5 {book} Nc6 {-0.20/7 0.012s} 3. Bc4 {+0.35/7 0.012s} Nf6 {-1.00/7 0.012s} 4. Qxf7# {+M1/7 0.012s} 1-0"
        );
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        assert!(!text.contains("WhiteOptions"));
    }

    #[test]
    fn days_are_found_again() {
        let text = [0, 1, 2].map(|number| write(&GameRecord { number, ..record() }, &heading())).concat();
        let dates = dates_by_round(&text);
        assert_eq!((dates.len(), dates.get("2.1")), (3, Some(&"2026.01.31")));
        assert!(dates_by_round("nonsense [Event x").is_empty());
    }

    #[test]
    fn the_first_game_names_every_option() {
        let first = write(&GameRecord { number: 0, ..record() }, &heading());
        assert!(first.contains("\n\n{Every option of a: Hash=1; Threads=1} 2. Qh5 {book}"), "{first}");
        assert_eq!(openings::read(&first, 3).openings[0].moves.len(), 3, "readers skip it");
    }

    #[test]
    fn castling_in_chess960_is_written_and_read_again() {
        // The king is on e1, but no rook stands in a corner.
        let start = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w KQkq - 0 1";
        let plies =
            ["e1g1", "e8b8"].map(|uci| Ply { uci: uci.into(), score: None, depth: 1, nodes: 1, ms: 1 });
        let game = GameRecord { start: start.into(), book: Vec::new(), plies: plies.into(), ..record() };
        let text = write(&game, &heading());
        assert!(text.contains("[Variant \"Chess960\"]") && text.contains("O-O-O"), "{text}");
        let book = openings::read(&text, 2);
        assert_eq!((book.openings.len(), book.openings[0].moves.len()), (1, 2), "{:?}", book.complaints);
        assert!(!write(&record(), &heading()).contains("Variant"));
    }

    #[test]
    fn what_is_written_can_be_read_as_openings() {
        let book = openings::read(&write(&record(), &heading()), 3);
        assert_eq!((book.openings.len(), book.complaints.len()), (1, 0));
        assert_eq!(book.openings[0].moves.len(), 3);
    }
}
