//! Settings files: one `NAME=VALUE` per line, as after `--set`. Lines that begin with `#` are comments.

use std::path::Path;

use crate::files::read_file;
use crate::options::{Effect, Options, effect_of, rows};

/// The largest size of a settings file.
const LARGEST: u64 = 1 << 20;

/// Sets the options of a text in order.
///
/// ```
/// use espalier::{Options, options::settings_file};
/// let mut options = Options::default();
/// settings_file::apply(&mut options, "# learned\nPreset=Crafty\nWeightCheckMiddle=10\n").unwrap();
/// assert_eq!(options.selective.extensions.check_middle, 10);
/// ```
pub fn apply(options: &mut Options, text: &str) -> Result<(), String> {
    // Some Windows editors begin a file with a byte-order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |what: String| format!("line {number}: {what}");
        let (name, value) =
            line.split_once('=').ok_or_else(|| wrong(format!("{line:?} is not NAME=VALUE")))?;
        let (name, value) = (name.trim(), value.trim());
        if effect_of(name) == Effect::LoadSettings {
            return Err(wrong("a file of settings cannot name another one".to_owned()));
        }
        options.set(name, value).map_err(|error| wrong(error.to_string()))?;
    }
    Ok(())
}

/// A settings file with all options, which results in these options whatever was set before.
pub fn write(options: &Options) -> String {
    // A preset sets other options, so it comes first. A settings file cannot name another one.
    let preset = rows().filter(|row| row.effect == Effect::ApplyPreset);
    let others = rows()
        .filter(|row| !matches!(row.effect, Effect::ApplyPreset | Effect::LoadSettings | Effect::Forget));
    preset.chain(others).map(|row| format!("{}={}\n", row.name, row.read(options))).collect()
}

/// Loads options from a file. On an error nothing changes.
pub fn load(options: &mut Options, path: &str) -> Result<(), String> {
    let bytes = read_file(Path::new(path), LARGEST).map_err(|error| format!("{path}: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{path}: not text"))?;
    let mut changed = options.clone();
    apply(&mut changed, &text).map_err(|error| format!("{path}: {error}"))?;
    *options = changed;
    Ok(())
}

/// Loads the settings file that the options name, if they name one.
pub fn load_named(options: &mut Options) -> Result<(), String> {
    match options.settings_file.clone().as_str() {
        "" => Ok(()),
        path => load(options, path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_line_is_named_by_its_number() {
        let mut options = Options::default();
        let mut refused = |text| apply(&mut options, text).unwrap_err();
        assert!(refused("Hash=2\nnonsense\n").contains("line 2: \"nonsense\" is not NAME=VALUE"));
        assert!(refused("Hash=0").contains("line 1"));
        assert!(refused("settingsfile=x").contains("another one"));
    }

    #[test]
    fn files_of_windows_editors_are_read() {
        let mut options = Options::default();
        assert_eq!(apply(&mut options, "\u{feff}Hash=3\r\nThreads=2\r\n"), Ok(()));
        assert_eq!((options.hash, options.threads), (3, 2));
    }

    #[test]
    fn what_is_written_makes_the_same_options_again() {
        let mut options = Options::default();
        for (name, value) in
            [("Preset", "Crafty"), ("NullMove", "false"), ("Hash", "64"), ("SyzygyPath", "/a b")]
        {
            options.set(name, value).unwrap();
        }
        let mut others = Options::default();
        others.set("Preset", "Winston").unwrap();
        others.set("Debug Log File", "some.log").unwrap();
        apply(&mut others, &write(&options)).unwrap();
        assert_eq!(others, options);
    }

    #[test]
    fn a_file_that_is_not_there_changes_nothing() {
        let mut options = Options::default();
        assert!(load(&mut options, "no/such/file").unwrap_err().contains("no/such/file"));
        assert_eq!(options, Options::default());
    }
}
