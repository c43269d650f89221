//! `espalier options`.

use std::fmt::Write as _;
use std::io::Write;

use serde_json::{Value, json};

use super::shared::Common;
use super::{Failure, terminal};
use crate::options::presets::Preset;
use crate::options::{self, Effect, Group, Kind, OptionRow, Options};
use crate::text_table::{Table, fold};

const EXAMPLES: &str = "\
Examples:
  espalier options                       all of them, group by group
  espalier options futility              those with this word in name, group or description
  espalier options --group engine        everyday options
  espalier options --set Preset=Turk --json";

/// Lists the UCI options, their ranges and what they do
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Only options with this text in their name, group or description
    pattern: Option<String>,
    /// Only this group: engine, endgame tables, preset, search, move ordering, or a method
    #[arg(long, value_name = "NAME")]
    group: Option<String>,
    #[command(flatten)]
    pub common: Common,
}

impl Arguments {
    pub(super) fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        let groups = self.groups().map_err(Failure::Wrong)?;
        if self.common.form.json {
            let rows: Vec<Value> = groups.iter().flat_map(|group| described(group, options)).collect();
            serde_json::to_writer_pretty(&mut *out, &rows).map_err(std::io::Error::from)?;
            writeln!(out)?;
        } else if self.common.form.csv {
            write!(out, "{}", table(&groups, options).to_csv())?;
        } else if self.common.form.markdown {
            write!(out, "{}", page(&groups))?;
        } else {
            write!(out, "{}", listed(&groups, options, terminal::width()))?;
        }
        Ok(())
    }

    /// The selected groups and rows.
    fn groups(&self) -> Result<Vec<Group>, String> {
        let mut groups = options::groups();
        if let Some(name) = &self.group {
            let names: Vec<&str> = groups.iter().map(|group| group.name).collect();
            if !names.iter().any(|other| other.eq_ignore_ascii_case(name)) {
                return Err(format!(
                    "--group {name:?}: there is no such group; groups are {}",
                    names.join("; ")
                ));
            }
            groups.retain(|group| group.name.eq_ignore_ascii_case(name));
        }
        if let Some(pattern) = &self.pattern {
            let pattern = pattern.to_lowercase();
            let has = |text: &str| text.to_lowercase().contains(&pattern);
            for group in &mut groups {
                let name = group.name;
                group.rows.retain(|row| has(name) || has(row.name) || has(row.doc));
            }
            groups.retain(|group| !group.rows.is_empty());
            if groups.is_empty() {
                return Err(format!("no option has {pattern:?} in its name, group or description"));
            }
        }
        Ok(groups)
    }
}

/// For a terminal: each option with its value and range, and below it the folded description.
fn listed(groups: &[Group], options: &Options, width: usize) -> String {
    let mut text = String::new();
    for group in groups {
        let _ = writeln!(text, "{}", group.name.to_uppercase());
        for row in &group.rows {
            let value = row.read(options);
            let value = if matches!(row.kind, Kind::Button) { "(button)" } else { &value };
            let head = format!("{} = {value} ({})", row.name, row.kind);
            let head = if matches!(row.kind, Kind::Button) { format!("{} {value}", row.name) } else { head };
            for (index, line) in fold(&head, width.saturating_sub(2)).iter().enumerate() {
                let _ = writeln!(text, "  {}{line}", if index == 0 { "" } else { "  " });
            }
            for line in fold(row.doc, width.saturating_sub(6)) {
                let _ = writeln!(text, "      {line}");
            }
        }
        text.push('\n');
    }
    text
}

/// For JSON, with numbers and booleans as such.
fn described(group: &Group, options: &Options) -> Vec<Value> {
    let typed = |row: &OptionRow, text: &str| match row.kind {
        Kind::Check(_) => json!(text == "true"),
        Kind::Spin { .. } => text.parse::<i64>().map_or(Value::Null, |number| json!(number)),
        Kind::Text(_) if text == "<empty>" => json!(""),
        Kind::Combo { .. } | Kind::Text(_) => json!(text),
        Kind::Button => Value::Null,
    };
    let one = |row: &&'static OptionRow| {
        let (kind, range) = match row.kind {
            Kind::Check(_) => ("check", json!(null)),
            Kind::Spin { min, max, .. } => ("spin", json!([min, max])),
            Kind::Combo { words, .. } => ("combo", json!(words)),
            Kind::Text(_) => ("string", json!(null)),
            Kind::Button => ("button", json!(null)),
        };
        json!({
            "name": row.name,
            "group": group.name,
            "type": kind,
            "takes": range,
            "default": typed(row, &row.kind.default_text()),
            "value": typed(row, &row.read(options)),
            "published": row.published.map(|value| typed(row, value)),
            "about": row.doc,
        })
    };
    group.rows.iter().map(one).collect()
}

/// For CSV: ranges have a column for each end.
fn table(groups: &[Group], options: &Options) -> Table {
    let mut table = Table::new(&[
        "name",
        "group",
        "type",
        "min",
        "max",
        "words",
        "default",
        "value",
        "published",
        "about",
    ]);
    for row in groups.iter().flat_map(|group| described(group, options)) {
        let text = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let words = match &row["takes"] {
            Value::Array(words) if row["type"] == "combo" => {
                words.iter().map(text).collect::<Vec<_>>().join(" ")
            }
            _ => String::new(),
        };
        let end = |end: usize| if words.is_empty() { text(&row["takes"][end]) } else { String::new() };
        let [name, group, kind, default, value, published, about] =
            ["name", "group", "type", "default", "value", "published", "about"].map(|key| text(&row[key]));
        table.push([name, group, kind, end(0), end(1), words.clone(), default, value, published, about]);
    }
    table
}

/// The text of `docs/OPTIONS.md`.
pub fn options_page() -> String {
    page(&options::groups())
}

fn page(groups: &[Group]) -> String {
    let mut page = String::from(
        "# Options\n\n\
         This page is the output of `espalier options --markdown`; a test keeps it up to date. Set any option with UCI's\n\
         `setoption`, or with `--set NAME=VALUE` on the command line. Names are not case-sensitive. *Published* is the value of the\n\
         method's paper, or of the programs of its time, where it differs from the default. The last column lists the presets that\n\
         set another value than the default.\n",
    );
    let presets = presets();
    for group in groups {
        let _ = write!(
            page,
            "\n## {}\n\n| option | takes | default | published | what it does | presets |\n\
             | --- | --- | --- | --- | --- | --- |\n",
            capitalised(group.name)
        );
        for row in &group.rows {
            let code = |text: &str| if text.is_empty() { String::new() } else { format!("`{text}`") };
            let _ = writeln!(
                page,
                "| `{}` | {} | {} | {} | {} | {} |",
                row.name,
                row.kind,
                code(&row.kind.default_text()),
                code(row.published.unwrap_or_default()),
                row.doc,
                in_presets(row, &presets)
            );
        }
    }
    page
}

/// The options of every preset but the default.
fn presets() -> Vec<(&'static str, Options)> {
    let name = options::name_of(Effect::ApplyPreset);
    let options = |word: &&'static str| {
        let mut options = Options::default();
        options.set(name, word).ok().map(|()| (*word, options))
    };
    Preset::WORDS[1..].iter().filter_map(options).collect()
}

/// The values that presets give to an option, where they are not the default: `300` in Turk, TurkMC.
fn in_presets(row: &OptionRow, presets: &[(&'static str, Options)]) -> String {
    if row.effect == Effect::ApplyPreset {
        return String::new();
    }
    let mut values: Vec<(String, Vec<&str>)> = Vec::new();
    for (word, options) in presets {
        let value = row.read(options);
        if value == row.kind.default_text() {
            continue;
        }
        match values.iter_mut().find(|(known, _)| *known == value) {
            Some((_, words)) => words.push(word),
            None => values.push((value, vec![word])),
        }
    }
    let named = |(value, words): &(String, Vec<&str>)| match words.len() {
        count if count == presets.len() => format!("`{value}` in all others"),
        _ => format!("`{value}` in {}", words.join(", ")),
    };
    values.iter().map(named).collect::<Vec<_>>().join("; ")
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(pattern: Option<&str>, group: Option<&str>) -> Arguments {
        let (pattern, group) = (pattern.map(str::to_owned), group.map(str::to_owned));
        Arguments { pattern, group, common: Common::default() }
    }

    #[test]
    fn a_list_fits_the_terminal_and_breaks_between_words() {
        let text = listed(&options::groups(), &Options::default(), 80);
        assert!(text.lines().all(|line| line.chars().count() <= 80));
        assert!(text.contains(
            "  Hash = 16 (a whole number from 1 to 1048576)\n      Size of the hash table in MiB.\n"
        ));
    }

    #[test]
    fn options_are_found_by_group_and_by_pattern() {
        let names = |arguments: Arguments| -> Result<Vec<&str>, String> {
            Ok(arguments.groups()?.iter().flat_map(|group| &group.rows).map(|row| row.name).collect())
        };
        assert_eq!(names(asked(None, Some("Preset"))), Ok(vec!["Preset"]));
        let found = names(asked(Some("deltamargin"), None)).unwrap();
        assert!(found.contains(&"DeltaMargin") && !found.contains(&"Hash"), "{found:?}");
        assert!(names(asked(None, Some("x"))).unwrap_err().contains("delta pruning"));
        assert!(names(asked(Some("no such words"), None)).unwrap_err().contains("no such words"));
    }

    #[test]
    fn programs_get_numbers_as_numbers() {
        let groups = options::groups();
        let rows: Vec<Value> =
            groups.iter().flat_map(|group| described(group, &Options::default())).collect();
        let hash = rows.iter().find(|row| row["name"] == "Hash").unwrap();
        assert_eq!((&hash["value"], &hash["takes"]), (&json!(16), &json!([1, 1_048_576])));
        let null_move = rows.iter().find(|row| row["name"] == "NullMove").unwrap();
        assert_eq!((&null_move["value"], &null_move["group"]), (&json!(true), &json!("null move")));
    }

    #[test]
    fn a_table_of_options_has_numbers_words_and_no_text_for_what_is_missing() {
        let csv = table(&options::groups(), &Options::default()).to_csv();
        assert!(csv.contains("\nHash,engine,spin,1,1048576,,16,16,,"), "{csv}");
        let line =
            |name: &str| csv.lines().find(|line| line.starts_with(&format!("{name},"))).unwrap().to_owned();
        assert!(line("Algorithm").contains(",combo,,,PVS AlphaBeta "), "{}", line("Algorithm"));
        assert!(line("NullMove").contains(",check,,,,true,true,"), "{}", line("NullMove"));
    }

    #[test]
    fn the_page_names_presets_with_other_values() {
        let page = options_page();
        let line = |name: &str| {
            page.lines().find(|line| line.starts_with(&format!("| `{name}` "))).unwrap().to_owned()
        };
        assert!(line("MultiCut").contains("`true` in TurkMC |"), "{}", line("MultiCut"));
        assert!(
            line("LateMoveReductions").contains("`false` in all others"),
            "{}",
            line("LateMoveReductions")
        );
        assert!(line("Hash").ends_with("|  |"));
    }
}
