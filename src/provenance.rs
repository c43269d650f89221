//! The origin of a result: version, options and seed.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::files::{LARGEST_TABLE, fnv1a, read_file};
use crate::options::{self, Effect, Kind, OptionRow, Options};

/// All options of an engine, for storing and comparing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Configuration {
    /// A short hash of these values.
    pub hash: String,
    /// Values by name; buttons have none.
    pub options: BTreeMap<String, String>,
}

impl Configuration {
    /// The current values of all options.
    pub fn of(options: &Options) -> Self {
        let options = values(options);
        Self { hash: short_hash(&options), options }
    }

    /// Every option in one line, `NAME=VALUE; NAME=VALUE; …`.
    pub fn every_option(&self) -> String {
        let all: Vec<String> = self.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        all.join("; ")
    }

    /// The assignments that turn the defaults into these options: first the preset, if it is not the default, then all
    /// options that differ from it.
    pub fn assignments(&self) -> Vec<(String, String)> {
        let mut base = Options::default();
        let name = options::name_of(Effect::ApplyPreset);
        let preset = self.options.get(name).filter(|preset| base.set(name, preset).is_ok());
        let preset = preset.filter(|_| base.preset != Options::default().preset);
        let base = values(&base);
        let others = self.options.iter().filter(|(name, value)| base.get(*name) != Some(*value));
        let others = others.map(|(name, value)| (name.clone(), value.clone()));
        preset.map(|preset| (name.to_owned(), preset.clone())).into_iter().chain(others).collect()
    }

    /// The assignments as `NAME=VALUE`.
    pub fn changed(&self) -> Vec<String> {
        assignments(&self.assignments())
    }

    /// The assignments in one line.
    pub fn changes(&self) -> String {
        let changed = self.changed();
        if changed.is_empty() { "the defaults".to_owned() } else { changed.join(" ") }
    }
}

fn values(options: &Options) -> BTreeMap<String, String> {
    let valued = options::rows().filter(|row| !matches!(row.kind, Kind::Button));
    // The settings in a file are among the other options.
    let value = |row: &OptionRow| match row.effect {
        Effect::LoadSettings => row.kind.default_text(),
        _ => row.read(options),
    };
    valued.map(|row| (row.name.to_owned(), value(row))).collect()
}

/// Stored in every result file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Provenance {
    /// The version of the program.
    pub version: String,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The options of the engine.
    #[serde(flatten)]
    pub configuration: Configuration,
}

impl Provenance {
    /// The provenance of a result of this program.
    pub(crate) fn new(options: &Options, seed: u64) -> Self {
        Self { version: version(), seed, configuration: Configuration::of(options) }
    }
}

/// The version of the program and, after the plus, a digest that identifies the search: of the tested node counts, and
/// of the sources of time management, which no node count covers.
pub(crate) fn version() -> String {
    let parts: [&[u8]; 3] = [
        include_bytes!("../tests/signatures.txt"),
        include_bytes!("limits.rs"),
        include_bytes!("search/time_manager.rs"),
    ];
    format!("{}+{}", env!("CARGO_PKG_VERSION"), digest(&parts.concat()))
}

/// The target of the build: architecture and relevant CPU features.
pub(crate) fn build_target() -> String {
    let features = [
        ("popcnt", cfg!(target_feature = "popcnt")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("avx512bw", cfg!(target_feature = "avx512bw")),
        ("neon", cfg!(target_feature = "neon")),
    ];
    let words = features.into_iter().filter(|(_, there)| *there).map(|(name, _)| name);
    std::iter::once(std::env::consts::ARCH).chain(words).collect::<Vec<_>>().join(" ")
}

/// Eight hexadecimal digits that change with any option and with the contents of learned files (FNV-1a, folded).
fn short_hash(options: &BTreeMap<String, String>) -> String {
    let line = |(name, value): (&String, &String)| {
        format!("{name}={}\n", learned(name, value).unwrap_or_else(|| value.clone()))
    };
    digest(options.iter().map(line).collect::<String>().as_bytes())
}

/// A digest of the learned file that an option names, if it names one.
pub(crate) fn learned(option: &str, path: &str) -> Option<String> {
    let learned = options::row(option).is_some_and(|row| row.is_text() && row.effect.reads_learned());
    let read = || read_file(Path::new(path), LARGEST_TABLE).ok();
    (learned && !path.is_empty()).then(read).flatten().map(|bytes| digest(&bytes))
}

/// Eight hexadecimal digits that identify the bytes (FNV-1a, folded).
pub(crate) fn digest(bytes: &[u8]) -> String {
    let hash = fnv1a(bytes);
    format!("{:08x}", (hash >> 32) as u32 ^ hash as u32)
}

/// The name of the checksum at the end of a line.
const SEAL: &str = ",\"sum\":\"";

/// Adds a checksum to a JSON object, so that changes are detected.
pub(crate) fn sealed(object: &str) -> String {
    let open = object.strip_suffix('}').unwrap_or(object);
    format!("{open}{SEAL}{}\"}}", digest(object.as_bytes()))
}

/// The JSON object of a line with a checksum; an error if the checksum does not match.
pub(crate) fn unsealed(line: &str) -> Result<String, String> {
    let (open, sum) = line.rsplit_once(SEAL).ok_or("the line has no checksum")?;
    let object = format!("{open}}}");
    if sum.strip_suffix("\"}") == Some(&digest(object.as_bytes())) {
        Ok(object)
    } else {
        Err("the line was altered: its checksum does not match".to_owned())
    }
}

/// Options as `NAME=VALUE`.
pub(crate) fn assignments(told: &[(String, String)]) -> Vec<String> {
    told.iter().map(|(name, value)| format!("{name}={value}")).collect()
}

/// Options as a collapsed section of a Markdown page.
pub(crate) fn folded(lines: &[String]) -> String {
    let items: String = lines.iter().map(|line| format!("- {line}\n")).collect();
    format!("<details><summary>Every option</summary>\n\n{items}\n</details>\n")
}

/// Checks that stored terms are those of the current run; the error names the first differences.
pub(crate) fn agree<T: Serialize>(text: &str, now: &T, what: &str) -> Result<(), String> {
    const MOST: usize = 8;
    let there =
        serde_json::from_str(text).map_err(|error| format!("not the terms of this {what}: {error}"))?;
    let here = serde_json::to_value(now).map_err(|error| error.to_string())?;
    let found = differences(&there, &here);
    if found.is_empty() {
        return Ok(());
    }
    let shown: Vec<&str> = found.iter().map(String::as_str).take(MOST).collect();
    let more = if found.len() > MOST { format!("; and {} more", found.len() - MOST) } else { String::new() };
    Err(format!("this is another {what}: {}{more}; choose another --out", shown.join("; ")))
}

/// The differences between two JSON values: path, old and new value.
pub(crate) fn differences(was: &Value, is: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", was, is, &mut found);
    found
}

fn compare(place: &str, was: &Value, is: &Value, found: &mut Vec<String>) {
    let inside = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
    match (was, is) {
        (Value::Object(old), Value::Object(new)) => {
            let mut names: Vec<&String> =
                old.keys().chain(new.keys().filter(|name| !old.contains_key(*name))).collect();
            names.sort();
            for name in names {
                let missing = &Value::Null;
                compare(
                    &inside(name),
                    old.get(name).unwrap_or(missing),
                    new.get(name).unwrap_or(missing),
                    found,
                );
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                compare(&inside(&index.to_string()), old, new, found);
            }
        }
        _ if was == is => {}
        _ => found.push(format!("{place} was {was}, is {is}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_hash_changes_with_every_option_and_only_then() {
        let base = Configuration::of(&Options::default());
        assert_eq!(base, Configuration::of(&Options::default()));
        assert_eq!((base.hash.len(), base.changed()), (8, Vec::<String>::new()));
        let mut options = Options::default();
        options.set("NullMove", "false").unwrap();
        let other = Configuration::of(&options);
        assert_ne!(base.hash, other.hash);
        assert_eq!(other.changed(), ["NullMove=false"]);
    }

    #[test]
    fn what_changed_makes_the_same_options_again() {
        let mut options = Options::default();
        for (name, value) in [("Preset", "Turk"), ("NullMove", "false"), ("Hash", "3")] {
            options.set(name, value).unwrap();
        }
        let here = Configuration::of(&options);
        assert_eq!(here.changed(), ["Preset=Turk", "Hash=3", "NullMove=false"]);
        let mut again = Options::default();
        for change in here.changed() {
            let (name, value) = change.split_once('=').unwrap();
            again.set(name, value).unwrap();
        }
        assert_eq!(Configuration::of(&again), here);
    }

    #[test]
    fn options_from_a_file_are_the_same_options() {
        let mut options = Options::default();
        options.set("Hash", "3").unwrap();
        let mut loaded = options.clone();
        loaded.settings_file = "mine.txt".to_owned();
        assert_eq!(Configuration::of(&loaded), Configuration::of(&options));
    }

    #[test]
    fn a_file_of_learned_numbers_counts_by_what_is_in_it() {
        let path = std::env::temp_dir().join(format!("espalier-learned-{}", std::process::id()));
        let hash = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let mut options = Options::default();
            options.set("ProbCutFile", path.to_str().unwrap()).unwrap();
            Configuration::of(&options).hash
        };
        let (one, other, same) = (hash("one"), hash("other"), hash("one"));
        assert_eq!(one, same);
        assert_ne!(one, other);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_provenance_survives_its_text() {
        let provenance = Provenance::new(&Options::default(), 7);
        let text = serde_json::to_string(&provenance).unwrap();
        assert_eq!(serde_json::from_str::<Provenance>(&text).unwrap(), provenance);
        assert!(text.contains("\"version\":") && text.contains("\"Hash\":\"16\""));
    }

    #[test]
    fn differences_are_named_with_their_place() {
        let (was, is) = (
            json!({"a": {"b": 1, "c": 2}, "d": [1, 2]}),
            json!({"a": {"b": 1, "c": 3}, "d": [1, 5], "e": 0}),
        );
        assert_eq!(differences(&was, &is), ["a.c was 2, is 3", "d.1 was 2, is 5", "e was null, is 0"]);
        assert_eq!(differences(&was, &was), [""; 0]);
    }

    #[test]
    fn digests_are_those_of_fnv_1a() {
        // FNV-1a of nothing is its offset basis, cbf29ce484222325.
        assert_eq!(digest(b""), format!("{:08x}", 0xcbf2_9ce4_u32 ^ 0x8422_2325));
        assert_ne!(digest(b"a"), digest(b"b"));
    }
}
