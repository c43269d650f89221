//! `espalier "genfens N seed S book FILE|None"`: openings for test farms, as OpenBench asks for them.
//!
//! OpenBench passes the whole command as one argument and `quit` as another, so clap cannot parse it as a subcommand.

use std::io::{self, Write};
use std::process::ExitCode;

use super::{Failure, exit_code};
use crate::learn::games::{GameTerms, Generator, Openings};
use crate::options::Options;
use crate::random::Random;

/// A parsed `genfens` command.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Request {
    count: u64,
    seed: u64,
    book: Option<String>,
}

/// Nodes of the search that judges whether an opening is balanced.
const NODES: u64 = 1_000;
/// Random plies after a book position. Fewer than from the start position, because the book varies already.
const PLIES_AFTER_BOOK: u32 = 4;

/// Answers the command if the arguments of the program are one.
pub fn answer(arguments: impl Iterator<Item = String>) -> Option<ExitCode> {
    let words: Vec<String> =
        arguments.flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect();
    (words.first().map(String::as_str) == Some("genfens"))
        .then(|| exit_code(parse(&words).and_then(|asked| print(&asked, &mut io::stdout().lock()))))
}

fn parse(words: &[String]) -> Result<Request, Failure> {
    let wrong = |what: &str| {
        Failure::Wrong(format!("{what}; the command is: genfens COUNT seed SEED book FILE|None"))
    };
    let number = |text: Option<&String>, what: &str| {
        let text = text.ok_or_else(|| wrong(&format!("the {what} is missing")))?;
        text.parse::<u64>().map_err(|_| wrong(&format!("{text:?} is no {what}")))
    };
    let after = |name: &str| {
        let place = words.iter().position(|word| word.eq_ignore_ascii_case(name));
        place.and_then(|place| words.get(place + 1))
    };
    let book = after("book").ok_or_else(|| wrong("the book is missing"))?;
    Ok(Request {
        count: number(words.get(1), "number of openings")?,
        seed: number(after("seed"), "seed")?,
        book: Some(book).filter(|book| !book.eq_ignore_ascii_case("none")).cloned(),
    })
}

fn print(asked: &Request, out: &mut impl Write) -> Result<(), Failure> {
    let (openings, random_plies) = match &asked.book {
        None => (Openings::Start, GameTerms::default().random_plies),
        Some(book) => (super::learn::games::openings(book)?.0, PLIES_AFTER_BOOK),
    };
    let terms = GameTerms { nodes: NODES, random_plies, ..GameTerms::default() };
    let generator = Generator { options: Options::default(), terms, openings, seed: asked.seed };
    let mut engine = generator.engine();
    for number in 0..asked.count {
        let mut random = Random::split(asked.seed, number);
        let opening = generator.balanced_opening(&mut engine, &mut random);
        let opening = opening.map_err(|error| Failure::Wrong(error.to_string()))?;
        writeln!(out, "info string genfens {}", opening.fen())?;
        out.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Request, String> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        parse(&words).map_err(|failure| match failure {
            Failure::Wrong(what) => what,
            Failure::Io(error) => error.to_string(),
            Failure::Said => String::new(),
        })
    }

    #[test]
    fn the_command_is_read_as_openbench_writes_it() {
        let asked = Request { count: 12, seed: 7, book: None };
        assert_eq!(parsed("genfens 12 seed 7 book None"), Ok(asked.clone()));
        assert_eq!(parsed("genfens 12 seed 7 book None extra 3 quit"), Ok(asked.clone()));
        let book = Some("Books/my_book.epd".to_owned());
        assert_eq!(parsed("genfens 12 seed 7 book Books/my_book.epd"), Ok(Request { book, ..asked }));
    }

    #[test]
    fn what_is_missing_or_no_number_is_named() {
        for (text, what) in [
            ("genfens", "the book is missing"),
            ("genfens x seed 1 book None", "\"x\" is no number of openings"),
            ("genfens 3 seed book None", "\"book\" is no seed"),
            ("genfens 3 book None", "the seed is missing"),
        ] {
            assert!(parsed(text).unwrap_err().contains(what), "{text}");
        }
        assert_eq!(answer(["bench".to_owned()].into_iter()), None);
    }
}
