//! Where a result comes from: the version, every option, and the seed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::options::{self, Kind, Options};

/// The options of an engine, in a form that can be written down and compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Configuration {
    /// A short name for exactly these values.
    pub hash: String,
    /// Every option that has a value.
    pub options: BTreeMap<String, String>,
}

impl Configuration {
    /// All rows of the table of options, as they are set.
    pub fn of(options: &Options) -> Self {
        let valued = options::rows().filter(|row| !matches!(row.kind, Kind::Button));
        let options: BTreeMap<String, String> =
            valued.map(|row| (row.name.to_owned(), row.read(options))).collect();
        Self { hash: short_hash(&options), options }
    }

    /// The options that are not at their defaults, as `NAME=VALUE`.
    pub fn changed(&self) -> Vec<String> {
        let default = |name: &str| options::row(name).map(|row| row.kind.default_text());
        let changed = self.options.iter().filter(|(name, value)| default(name).as_ref() != Some(*value));
        changed.map(|(name, value)| format!("{name}={value}")).collect()
    }
}

/// What every result file carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The version of the program.
    pub version: String,
    /// What everything random was drawn from.
    pub seed: u64,
    /// How the engine was set.
    #[serde(flatten)]
    pub configuration: Configuration,
}

impl Provenance {
    /// Of a result made now.
    pub fn new(options: &Options, seed: u64) -> Self {
        Self { version: version(), seed, configuration: Configuration::of(options) }
    }
}

/// The version of the program.
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Eight hexadecimal digits that change when any option does (FNV-1a, folded).
fn short_hash(options: &BTreeMap<String, String>) -> String {
    let text: String = options.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    digest(text.as_bytes())
}

/// Eight hexadecimal digits that tell one content from another (FNV-1a, folded).
pub fn digest(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{:08x}", (hash >> 32) as u32 ^ hash as u32)
}

/// What differs between two pieces of JSON, one line each: where, what it was, what it is.
pub fn differences(was: &Value, is: &Value) -> Vec<String> {
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
        let base = Configuration::of(&Options::defaults());
        assert_eq!(base, Configuration::of(&Options::defaults()));
        assert_eq!((base.hash.len(), base.changed()), (8, Vec::<String>::new()));
        let mut options = Options::defaults();
        options.set("NullMove", "false").unwrap();
        let other = Configuration::of(&options);
        assert_ne!(base.hash, other.hash);
        assert_eq!(other.changed(), ["NullMove=false"]);
    }

    #[test]
    fn a_provenance_survives_its_text() {
        let provenance = Provenance::new(&Options::defaults(), 7);
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
