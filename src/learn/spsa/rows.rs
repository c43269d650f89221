//! The options to tune and their ranges: `ROW`, `ROW=MIN..MAX`, `ROW=MIN..MAX:STEP`, or the switch of a method for all its
//! numbers.

use super::Parameter;
use crate::options::{self, Kind, OptionRow, Options};
use crate::selective::{METHODS, Method};

/// With smaller steps both sides would often play with the same values.
const SMALLEST_STEP: f64 = 0.5;

/// Appended to errors: what can be tuned.
const ACCEPTED: &str = "you can tune search options that take a whole number, such as AspirationWindow, or all those of a \
                        method by its switch, such as NullMove (`espalier options` lists them)";

/// A range from the command line.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Range {
    min: i32,
    max: i32,
    step: Option<f64>,
}

/// An option to tune; `word` is `None` if it was named by its method's switch.
struct AskedRow<'a> {
    row: &'static OptionRow,
    word: Option<&'a str>,
    range: Option<Range>,
}

/// The parameters that these words name, starting at their values in the options. An option named itself overrides the
/// same option named by its method.
pub(crate) fn parameters(words: &[String], options: &Options) -> Result<Vec<Parameter>, String> {
    let mut asked: Vec<AskedRow<'_>> = Vec::new();
    for word in words {
        for new in rows_of(word)? {
            match asked.iter_mut().find(|old| old.row.is(new.row)) {
                None => asked.push(new),
                Some(old) if old.word.is_none() => *old = new,
                Some(_) if new.word.is_none() => {}
                Some(_) => return Err(format!("{word}: {} is asked for twice", new.row.name)),
            }
        }
    }
    asked.iter().map(|asked| parameter(asked, options)).collect()
}

/// The switches of methods that are off although their numbers are tuned.
pub(crate) fn idle<'a>(
    parameters: &'a [Parameter],
    options: &'a Options,
) -> impl Iterator<Item = &'static str> {
    let has = |method: &Method, name: &str| method.rows.iter().any(|row| row.name == name);
    METHODS
        .iter()
        .filter(move |method| parameters.iter().any(|parameter| has(method, &parameter.name)))
        .filter(|method| !options.selective.is_on(method.id))
        .map(Method::switch)
}

/// A description of a parameter and its option, which shows if another version has other ranges.
pub(crate) fn describe(parameter: &Parameter) -> String {
    let Parameter { name, start, min, max, step } = parameter;
    let table = match options::row(name).map(|row| row.kind) {
        Some(Kind::Spin { default, min, max, .. }) => format!("{min}..{max}, default {default}"),
        _ => "nothing".to_owned(),
    };
    format!("{min}..{max}:{step} from {start} (the table of options says {table})")
}

fn rows_of(word: &str) -> Result<Vec<AskedRow<'_>>, String> {
    let (name, range) = match word.split_once('=') {
        Some((name, range)) => (name.trim(), Some(range.trim())),
        None => (word.trim(), None),
    };
    let row = options::row(name).ok_or_else(|| format!("no option is named {name:?}; {ACCEPTED}"))?;
    let method = METHODS.iter().find(|method| method.rows[0].is(row));
    match (row.kind, method) {
        (Kind::Spin { .. }, _) if options::research_rows().any(|other| other.is(row)) => {
            let range = range.map(|text| read_range(text, word)).transpose()?;
            Ok(vec![AskedRow { row, word: Some(word), range }])
        }
        (Kind::Spin { .. }, _) => Err(format!("option {} does not say how to search; {ACCEPTED}", row.name)),
        (_, Some(method)) => match range {
            Some(_) => Err(format!("{word}: a range is that of one number, and {} has several", row.name)),
            None => numbers_of(method),
        },
        (kind, None) => Err(format!("option {} takes {kind}; {ACCEPTED}", row.name)),
    }
}

fn numbers_of(method: &Method) -> Result<Vec<AskedRow<'static>>, String> {
    let spins = options::research_rows().filter(|row| matches!(row.kind, Kind::Spin { .. }));
    let own = spins.filter(|row| method.rows.iter().any(|other| other.is(row)));
    let asked: Vec<AskedRow<'_>> = own.map(|row| AskedRow { row, word: None, range: None }).collect();
    if asked.is_empty() {
        return Err(format!("method {} has no numbers; {ACCEPTED}", method.switch()));
    }
    Ok(asked)
}

/// Reads `MIN..MAX` and `MIN..MAX:STEP`.
fn read_range(text: &str, word: &str) -> Result<Range, String> {
    let wrong =
        || format!("{word} is not ROW=MIN..MAX or ROW=MIN..MAX:STEP, such as AspirationWindow=5..60:5");
    let (ends, step) = match text.split_once(':') {
        Some((ends, step)) => (ends, Some(step.trim().parse().map_err(|_| wrong())?)),
        None => (text, None),
    };
    let (min, max) = ends.split_once("..").ok_or_else(wrong)?;
    let end = |text: &str| text.trim().parse().map_err(|_| wrong());
    Ok(Range { min: end(min)?, max: end(max)?, step })
}

fn parameter(asked: &AskedRow<'_>, options: &Options) -> Result<Parameter, String> {
    let name = asked.row.name;
    let Kind::Spin { min: least, max: most, step: usual, .. } = asked.row.kind else {
        return Err(format!("option {name} takes {}; {ACCEPTED}", asked.row.kind));
    };
    let Range { min, max, step } = asked.range.unwrap_or(Range { min: least, max: most, step: None });
    let word = asked.word.unwrap_or(name);
    if min < least || max > most || min >= max {
        return Err(format!("{word}: the range must lie within {least}..{most} and not be empty"));
    }
    let width = f64::from(max) - f64::from(min);
    let step = step.unwrap_or_else(|| f64::from(usual).min(width / 2.0));
    if !(SMALLEST_STEP..=width).contains(&step) {
        return Err(format!("{word}: the step must be from {SMALLEST_STEP} to {width}"));
    }
    let value = asked.row.read(options);
    match value.parse() {
        Ok(start) if (min..=max).contains(&start) => Ok(Parameter {
            name: name.to_owned(),
            start: f64::from(start),
            min: f64::from(min),
            max: f64::from(max),
            step,
        }),
        _ => Err(format!(
            "{word}: {name} begins at {value}, outside of {min}..{max}; --set {name}=… lets it begin elsewhere"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &[&str]) -> Result<Vec<Parameter>, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        parameters(&words, &Options::default())
    }

    #[test]
    fn a_row_brings_its_range_unless_another_is_given() {
        let Some(Kind::Spin { default, min, max, step }) =
            options::row("AspirationWindow").map(|row| row.kind)
        else {
            panic!("a number")
        };
        let of = |min: i32, max: i32, step| Parameter {
            name: "AspirationWindow".to_owned(),
            start: f64::from(default),
            min: f64::from(min),
            max: f64::from(max),
            step,
        };
        assert_eq!(asked(&["aspirationwindow"]), Ok(vec![of(min, max, f64::from(step))]));
        let (near, far) = (default - 1, default + 2);
        assert_eq!(asked(&[&format!("AspirationWindow={near}..{far}")]), Ok(vec![of(near, far, 1.5)]));
        assert_eq!(asked(&[&format!("AspirationWindow = {near}..{far}:0.5")]), Ok(vec![of(near, far, 0.5)]));
    }

    #[test]
    fn a_switch_stands_for_the_numbers_of_its_method_and_a_row_goes_before_it() {
        for method in METHODS {
            let names: Vec<&str> = method
                .rows
                .iter()
                .filter(|row| matches!(row.kind, Kind::Spin { .. }))
                .map(|row| row.name)
                .collect();
            let found = asked(&[method.rows[0].name]).unwrap_or_default();
            assert_eq!(found.iter().map(|parameter| parameter.name.as_str()).collect::<Vec<_>>(), names);
        }
        for words in
            [["NullMove", "NullMoveReduction=100..400:20"], ["NullMoveReduction=100..400:20", "NullMove"]]
        {
            let found = asked(&words).unwrap();
            let row = found.iter().find(|parameter| parameter.name == "NullMoveReduction").unwrap();
            assert_eq!((row.min, row.max, row.step, found.len() > 1), (100.0, 400.0, 20.0, true));
        }
    }

    #[test]
    fn what_cannot_be_tuned_is_named_with_what_can() {
        let refused = |word: &str| asked(&[word]).unwrap_err();
        for (word, what) in [
            ("Nonsense", "no option is named \"Nonsense\""),
            ("Preset", "option Preset takes one of"),
            ("Quiescence", "option Quiescence takes true or false"),
            ("TreeFile", "option TreeFile takes any text"),
            ("Hash", "option Hash does not say how to search"),
        ] {
            let error = refused(word);
            assert!(error.contains(what) && error.contains("whole number"), "{error}");
        }
        assert!(refused("NullMove=1..2").contains("NullMove has several"));
        for wrong in ["=", "=5", "=5..", "=5-9", "=5..9:", "=5..9:x", "=a..b"] {
            assert!(refused(&format!("AspirationWindow{wrong}")).contains("MIN..MAX"), "{wrong}");
        }
        for wrong in ["=-9..20", "=20..50000", "=20..20", "=30..10"] {
            assert!(refused(&format!("AspirationWindow{wrong}")).contains("must lie within"), "{wrong}");
        }
        for wrong in ["0", "-1", "0.4", "46", "nan", "inf"] {
            assert!(refused(&format!("AspirationWindow=5..50:{wrong}")).contains("step"), "{wrong}");
        }
        assert!(refused("AspirationWindow=900..999").contains("outside of 900..999"));
        assert!(asked(&["AspirationWindow", "AspirationWindow"]).unwrap_err().contains("twice"));
    }

    #[test]
    fn numbers_of_a_method_that_is_off_are_idle() {
        let mut options = Options::default();
        let found = asked(&["NullMove", "AspirationWindow"]).unwrap();
        options.set("NullMove", "true").unwrap();
        assert_eq!(idle(&found, &options).count(), 0);
        options.set("NullMove", "false").unwrap();
        assert_eq!(idle(&found, &options).collect::<Vec<_>>(), ["NullMove"]);
    }
}
