//! Checkpoints, from which long runs resume.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::options::{self, Effect, Options};
use crate::provenance::learned;

/// Everything that changes the result of a run, by name.
pub(crate) type RunSettings = BTreeMap<String, String>;

/// All options that differ from the defaults; learned files count with their contents.
pub(crate) fn settings_of(options: &Options) -> RunSettings {
    let defaults = Options::default();
    options::rows()
        .map(|row| (row.name.to_owned(), row.read(options), row.read(&defaults)))
        .filter(|(_, value, default)| value != default)
        .map(|(name, value, _)| with_contents(name, value))
        .collect()
}

/// An option and its value, with a digest of the learned file that it names, if it names one.
pub(crate) fn with_contents(name: String, value: String) -> (String, String) {
    let value = match learned(&name, &value) {
        Some(contents) => format!("{value} {contents}"),
        None => value,
    };
    (name, value)
}

#[derive(serde::Serialize, serde::Deserialize)]
struct File<T> {
    /// The learner, and the version of its file format.
    espalier: String,
    settings: RunSettings,
    state: T,
}

/// The text of a checkpoint.
pub(crate) fn write<T: Serialize>(kind: &str, settings: &RunSettings, state: &T) -> Result<String, String> {
    let file = File { espalier: kind.to_owned(), settings: settings.clone(), state };
    serde_json::to_string(&file).map_err(|error| error.to_string())
}

/// Reads the state from a checkpoint; an error if it is of another learner or has other settings.
pub(crate) fn read<T: DeserializeOwned>(kind: &str, settings: &RunSettings, text: &str) -> Result<T, String> {
    let file: File<serde_json::Value> =
        serde_json::from_str(text).map_err(|error| format!("not a checkpoint: {error}"))?;
    if file.espalier != kind {
        return Err(format!("a checkpoint of {:?}, not of {kind:?}", file.espalier));
    }
    if let Some(difference) = difference(&file.settings, settings) {
        return Err(format!("a checkpoint of a run with other settings: {difference}"));
    }
    serde_json::from_value(file.state).map_err(|error| format!("a damaged checkpoint: {error}"))
}

/// Reads the state from a checkpoint of any part of a run with these settings.
pub(crate) fn read_part<T: DeserializeOwned>(
    kind: &str,
    settings: &RunSettings,
    text: &str,
) -> Result<T, String> {
    let file: File<serde_json::Value> =
        serde_json::from_str(text).map_err(|error| format!("not a checkpoint: {error}"))?;
    let mut settings = settings.clone();
    settings.extend(file.settings.get_key_value("shard").map(|(name, part)| (name.clone(), part.clone())));
    read(kind, &settings, text)
}

/// At most this many differences are listed.
const NAMED: usize = 4;

/// The differences between two runs: first the preset, which explains many others, then settings that are not options,
/// then options.
fn difference(then: &RunSettings, now: &RunSettings) -> Option<String> {
    let value = |settings: &RunSettings, name: &str| {
        settings.get(name).map_or_else(|| "not given".to_owned(), |value| format!("{value:?}"))
    };
    let mut names: Vec<&String> = then.keys().chain(now.keys()).collect();
    let is_option = |name: &str| name.starts_with(char::is_uppercase);
    names.sort_by_key(|name| {
        (options::effect_of(name) != Effect::ApplyPreset, is_option(name), name.as_str())
    });
    names.dedup();
    names.retain(|name| then.get(*name) != now.get(*name));
    let named = names.iter().take(NAMED);
    let named =
        named.map(|name| format!("{name} was {} then and is {} now", value(then, name), value(now, name)));
    let more = names.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("and {more} more"));
    (!names.is_empty()).then(|| named.chain(more).collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(nodes: &str) -> RunSettings {
        [("nodes".to_owned(), nodes.to_owned())].into()
    }

    #[test]
    fn a_checkpoint_is_read_back() {
        let text = write("test 1", &settings("5"), &vec![1, 2, 3]).unwrap();
        assert_eq!(read("test 1", &settings("5"), &text), Ok(vec![1, 2, 3]));
    }

    #[test]
    fn a_part_is_read_whichever_it_is_and_one_of_another_run_is_not() {
        let part: RunSettings =
            [settings("5"), [("shard".to_owned(), "2/3".to_owned())].into()].into_iter().flatten().collect();
        let text = write("test 1", &part, &7).unwrap();
        assert_eq!(read_part("test 1", &settings("5"), &text), Ok(7));
        assert!(read_part::<i32>("test 1", &settings("6"), &text).unwrap_err().contains("nodes was"));
        assert!(read::<i32>("test 1", &settings("5"), &text).unwrap_err().contains("shard was"));
    }

    #[test]
    fn another_run_is_refused_and_the_difference_named() {
        let text = write("test 1", &settings("5"), &1).unwrap();
        let refused = |kind: &str, settings: RunSettings| read::<i32>(kind, &settings, &text).unwrap_err();
        let error = refused("test 1", settings("7"));
        assert!(error.contains("nodes was \"5\" then and is \"7\" now"), "{error}");
        assert!(refused("test 1", RunSettings::new()).contains("is not given now"));
        let many = ["a", "b", "c", "d", "Preset"].map(|name| (name.to_owned(), String::new())).into();
        let error = refused("test 1", many);
        assert!(error.contains("settings: Preset was not given") && error.contains("and 2 more"), "{error}");
        assert!(refused("test 2", settings("5")).contains("not of \"test 2\""));
        assert!(read::<i32>("test 1", &settings("5"), &text[..20]).unwrap_err().contains("not a checkpoint"));
        assert!(read::<Vec<i32>>("test 1", &settings("5"), &text).unwrap_err().contains("damaged"));
    }

    #[test]
    fn options_that_were_set_are_settings() {
        let mut options = Options::default();
        assert!(settings_of(&options).is_empty());
        options.set("Hash", "32").unwrap();
        assert_eq!(settings_of(&options), [("Hash".to_owned(), "32".to_owned())].into());
    }
}
