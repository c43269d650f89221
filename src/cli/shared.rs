//! Arguments that several subcommands share: positions, times and the form of tables.

use std::io::{self, Write};
use std::ops::{Bound, RangeBounds};
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use super::{Assignments, Failure, terminal};
use crate::board::san::read_move;
use crate::board::{Game, Position};
use crate::epd::suite::Suite;
use crate::text_table::Table;

/// A position, and moves played from it.
#[derive(clap::Args)]
pub(super) struct PositionArguments {
    /// The position as FEN, or `startpos` [default: startpos]
    #[arg(long, conflicts_with = "epd")]
    fen: Option<String>,
    /// A position of a suite, by its number or id, such as wac:7 or wac:WAC.007
    #[arg(long, value_name = "SUITE:WHICH")]
    epd: Option<String>,
    /// Moves played from it, in SAN or UCI notation
    #[arg(long, value_name = "MOVES", num_args = 1..)]
    moves: Vec<String>,
}

impl PositionArguments {
    /// The game up to the position.
    pub(super) fn game(&self, chess960: bool) -> Result<Game, Failure> {
        let mut game = Game::new(self.start(chess960).map_err(Failure::Wrong)?);
        for text in self.moves.iter().flat_map(|words| words.split_whitespace()) {
            let m = read_move(game.position(), text)
                .map_err(|error| Failure::Wrong(format!("--moves: {error} in {}", game.position().fen())))?;
            game.play(m);
        }
        Ok(game)
    }

    fn start(&self, chess960: bool) -> Result<Position, String> {
        if let Some(which) = &self.epd {
            return position_of(which, chess960).map_err(|error| format!("--epd {error}"));
        }
        match self.fen.as_deref() {
            None | Some("startpos") => Ok(Position::default()),
            Some(fen) => {
                Position::from_fen(fen, chess960).map_err(|error| format!("--fen: {error} in {fen:?}"))
            }
        }
    }
}

/// The position that `SUITE:WHICH` names.
fn position_of(text: &str, chess960: bool) -> Result<Position, String> {
    // The path of a suite may contain a colon, as on Windows.
    let (name, which) = text
        .rsplit_once(':')
        .ok_or_else(|| format!("wants a suite and a number, such as wac:7, not {text:?}"))?;
    let suite = Suite::load(name, chess960)?;
    let by_number = || which.parse::<usize>().ok().and_then(|number| suite.tasks.get(number.checked_sub(1)?));
    if suite.tasks.is_empty() {
        return Err(format!("{text}: {name} has no usable position"));
    }
    let task = suite.tasks.iter().find(|task| task.id.eq_ignore_ascii_case(which)).or_else(by_number);
    let missing =
        || format!("{text}: {name} has {} positions, and none of them is {which:?}", suite.tasks.len());
    task.map(|task| task.position.clone()).ok_or_else(missing)
}

/// The form of tables: aligned text by default.
#[derive(clap::Args, Copy, Clone, Default, PartialEq, Eq)]
pub(super) struct TableForm {
    /// Prints JSON
    #[arg(long, conflicts_with_all = ["csv", "markdown"])]
    pub json: bool,
    /// Prints comma-separated values
    #[arg(long, conflicts_with = "markdown")]
    pub csv: bool,
    /// Prints Markdown tables
    #[arg(long)]
    pub markdown: bool,
}

impl TableForm {
    /// Whether tables are aligned text, with remarks beside them.
    pub(super) fn is_text(self) -> bool {
        self == Self::default()
    }

    /// Prints a remark: after a text table, and otherwise to standard error.
    pub(super) fn remark(self, text: &str, out: &mut impl Write) -> io::Result<()> {
        if self.is_text() {
            return writeln!(out, "{}", terminal::paragraphs(text));
        }
        terminal::say(text);
        Ok(())
    }

    /// The table in this form, ending with a line break.
    pub(super) fn show(self, table: &Table) -> String {
        match self {
            Self { json: true, .. } => format!("{:#}\n", table.to_json()),
            Self { csv: true, .. } => table.to_csv(),
            Self { markdown: true, .. } => table.to_markdown(),
            _ => table.to_text_within(terminal::table_width()),
        }
    }
}

/// Arguments of all commands that print tables.
#[derive(clap::Args, Default)]
pub(super) struct Common {
    #[command(flatten)]
    pub form: TableForm,
    #[command(flatten)]
    pub set: Assignments,
}

/// A folder of `--suites` must exist; otherwise suites of another place would silently be used.
pub(super) fn is_folder(suites: Option<&Path>) -> Result<(), Failure> {
    match suites.filter(|folder| !folder.is_dir()) {
        Some(folder) => Err(Failure::Wrong(format!("--suites {}: no such folder", folder.display()))),
        None => Ok(()),
    }
}

/// A rule of adjudication, or none.
#[derive(Copy, Clone, Debug)]
pub(super) struct OrNone<T>(pub Option<T>);

/// Reads a rule, or `none`.
pub(super) fn unless_none<T: FromStr<Err = String>>(text: &str) -> Result<OrNone<T>, String> {
    if text.eq_ignore_ascii_case("none") {
        Ok(OrNone(None))
    } else {
        text.parse().map(|rule| OrNone(Some(rule)))
    }
}

/// Reads a whole number in a range, with or without thousands separators. The error names the range.
pub(super) fn whole<T: TryFrom<i128> + Clone + Send + Sync + 'static>(
    range: impl RangeBounds<i64> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    let least = match range.start_bound() {
        Bound::Included(&least) => i128::from(least),
        Bound::Excluded(&below) => i128::from(below) + 1,
        Bound::Unbounded => 0,
    };
    let most = match range.end_bound() {
        Bound::Included(&most) => Some(i128::from(most)),
        Bound::Excluded(&above) => Some(i128::from(above) - 1),
        Bound::Unbounded => None,
    };
    move |text| {
        let number = text.replace([',', '_'], "").parse::<i128>().ok();
        let inside = |number: &i128| *number >= least && most.is_none_or(|most| *number <= most);
        number.filter(inside).and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            match (most, number) {
                (Some(most), _) => format!("it takes a whole number from {least} to {most}"),
                (None, Some(number)) if number >= least => "it takes a smaller number".to_owned(),
                (None, _) => format!("it takes a whole number, {least} or more"),
            }
        })
    }
}

/// Reads `100ms`, `1.5s` or `2m`; a bare number is milliseconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let split = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit {
        "ms" | "" => 1e-3,
        "s" => 1.0,
        "m" | "min" => 60.0,
        _ => return Err(NOT_A_TIME.to_owned()),
    };
    let seconds = number.trim().parse::<f64>().map_err(|_| NOT_A_TIME)? * factor;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|time| *time >= Duration::from_millis(1) && *time <= Duration::from_secs(86_400))
        .ok_or_else(|| "a time is at least 1ms and at most a day".to_owned())
}

const NOT_A_TIME: &str = "a time is a number and ms, s or m, such as 100ms";

/// Reads the length of a long run: `90s`, `30m` or `1h 30m`.
pub(super) fn long_duration(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| "it takes a time above zero, such as 90s, 30m or 1h 30m".to_owned())
}

/// Reads a time as [`duration`] does, in whole milliseconds.
pub(super) fn milliseconds(text: &str) -> Result<u64, String> {
    duration(text).map(|time| time.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_are_milliseconds_without() {
        assert_eq!(duration("100ms"), Ok(Duration::from_millis(100)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(milliseconds("250"), Ok(250));
        for text in ["", "s", "-1s", "0ms", "0", "1e30s", "NaNs", "1h", "infs"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn whole_numbers_are_in_their_range_or_the_range_is_named() {
        assert_eq!(whole::<u32>(1..=512)("20"), Ok(20));
        assert_eq!(["1,000,000", "1_000_000"].map(whole::<u64>(1..)), [Ok(1_000_000), Ok(1_000_000)]);
        assert_eq!(whole::<i32>(..=10)("0"), Ok(0));
        for text in ["0", "513", "", "-1", "1.5", "many", "99999999999999999999"] {
            assert_eq!(
                whole::<u32>(1..=512)(text),
                Err("it takes a whole number from 1 to 512".to_owned()),
                "{text}"
            );
        }
        assert!(whole::<u16>(1..)("70000").unwrap_err().contains("smaller"));
        assert!(whole::<u16>(1..)("0").unwrap_err().contains("1 or more"));
    }

    #[test]
    fn long_runs_have_a_length() {
        assert_eq!(long_duration("1h 30m"), Ok(Duration::from_secs(5_400)));
        for text in ["", "0s", "0", "abc", "-1s", "90"] {
            assert!(long_duration(text).unwrap_err().contains("30m"), "{text}");
        }
    }

    fn fen(arguments: PositionArguments) -> Result<String, String> {
        match arguments.game(false) {
            Ok(game) => Ok(game.position().fen()),
            Err(Failure::Wrong(what)) => Err(what),
            Err(Failure::Io(error)) => Err(error.to_string()),
            Err(Failure::Said) => Err(String::new()),
        }
    }

    #[test]
    fn positions_come_from_a_fen_a_suite_or_the_start_and_moves_in_either_notation() {
        let at = |fen: Option<&str>, epd: Option<&str>, moves: &str| PositionArguments {
            fen: fen.map(str::to_owned),
            epd: epd.map(str::to_owned),
            moves: vec![moves.to_owned()],
        };
        assert_eq!(fen(at(Some("startpos"), None, "")), Ok(Position::default().fen()));
        assert_eq!(fen(at(None, None, "e4 e7e5 Nf3")), fen(at(None, None, "e2e4 e5 g1f3")));
        let fourth = Suite::load("wac", false).unwrap().tasks[3].position.fen();
        assert_eq!(fen(at(None, Some("wac:4"), "")), Ok(fourth.clone()));
        assert_eq!(fen(at(None, Some("wac:wac.004"), "")), Ok(fourth));
        assert!(fen(at(None, Some("wac:301"), "")).unwrap_err().contains("300 positions"));
        assert!(fen(at(None, Some("wac"), "")).unwrap_err().contains("wac:7"));
        assert!(fen(at(None, None, "e4 e4")).unwrap_err().contains("e4"));
        assert!(fen(at(Some("x"), None, "")).unwrap_err().starts_with("--fen: "));
    }
}
