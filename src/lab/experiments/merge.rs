//! Merges the parts of an experiment that was split over several machines. The result is the same as that of a single
//! run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::notebook::{FINISHED, Heading, Lines};
use crate::files::make_folder;
use crate::lab::matches::store::{self, GAMES};
use crate::parallel::Shard;
use crate::provenance::differences;

/// Counts of what was merged.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Merged {
    pub experiment: String,
    pub parts: usize,
    pub measurements: usize,
    pub games: usize,
}

/// Merges the parts in these folders into another, which must be empty. The error names any difference between parts.
pub(crate) fn merge(folders: &[PathBuf], out: &Path) -> Result<Merged, String> {
    let parts: Vec<(&Path, Lines)> = folders
        .iter()
        .map(|folder| Ok((folder.as_path(), Lines::read(folder)?)))
        .collect::<Result<_, String>>()?;
    let (_, first) = parts.first().ok_or("no folders were named")?;
    let heading = Heading { shard: None, ..first.heading.clone() };
    every_part_once(&parts, &heading)?;
    let measurements = measurements(&parts)?;
    let matches = matches(folders)?;
    if std::fs::read_dir(out).is_ok_and(|mut there| there.next().is_some()) {
        return Err(format!("{}: is not empty; choose another --out", out.display()));
    }
    let mut text = serde_json::to_string(&heading).map_err(|error| error.to_string())? + "\n";
    measurements.values().for_each(|line| text.push_str(&format!("{line}\n")));
    write(&out.join("notebook.jsonl"), &text)?;
    let mut games = 0;
    for (name, (terms, lines)) in &matches {
        let folder = out.join("games").join(name);
        write(&folder.join("match.json"), terms)?;
        write(&folder.join(GAMES), &lines.values().map(|line| format!("{line}\n")).collect::<String>())?;
        games += lines.len();
    }
    let experiment = heading.experiment;
    Ok(Merged { experiment, parts: parts.len(), measurements: measurements.len(), games })
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", path.display());
    path.parent().map_or(Ok(()), make_folder).map_err(wrong)?;
    std::fs::write(path, text).map_err(wrong)
}

/// Checks that the parts are of the same run, that each is there once, and that all are finished.
fn every_part_once(parts: &[(&Path, Lines)], heading: &Heading) -> Result<(), String> {
    let mut there: BTreeMap<String, &Path> = BTreeMap::new();
    let mut split = None;
    for (folder, lines) in parts {
        let other = difference(heading, &Heading { shard: None, ..lines.heading.clone() })?;
        if !other.is_empty() {
            let (first, _) = parts[0];
            return Err(format!(
                "{}: part of another run than {}: {other}",
                folder.display(),
                first.display()
            ));
        }
        let part = lines
            .heading
            .shard
            .clone()
            .ok_or_else(|| format!("{}: no part, but a whole run", folder.display()))?;
        let shard: Shard = part.parse()?;
        if let Some(other) = there.insert(part.clone(), folder) {
            return Err(format!("part {part} is there twice: {} and {}", other.display(), folder.display()));
        }
        if shard.all().count() != split.get_or_insert(shard).all().count() {
            return Err(format!("{}: part {part} is of another split than the others", folder.display()));
        }
        if !lines.measurements.iter().any(|(cell, ..)| cell == FINISHED) {
            return Err(format!("{}: part {part} is not finished; run its command again", folder.display()));
        }
    }
    let missing = split.into_iter().flat_map(Shard::all).map(|part| part.to_string());
    let missing: Vec<String> = missing.filter(|part| !there.contains_key(part)).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("missing: part {}", missing.join(", "))) }
}

/// What differs between the headings of two parts, in words; nothing if they are of the same run.
fn difference(one: &Heading, other: &Heading) -> Result<String, String> {
    const MOST: usize = 8;
    let json = |heading: &Heading| serde_json::to_value(heading).map_err(|error| error.to_string());
    let found = differences(&json(one)?, &json(other)?);
    let more = if found.len() > MOST { format!("; and {} more", found.len() - MOST) } else { String::new() };
    Ok(found.into_iter().take(MOST).collect::<Vec<_>>().join("; ") + &more)
}

/// Every measurement by cell and piece; a piece that no part has is named.
fn measurements(parts: &[(&Path, Lines)]) -> Result<BTreeMap<(String, usize), String>, String> {
    let mut all = BTreeMap::new();
    for (folder, lines) in parts {
        for (cell, piece, line) in lines.measurements.iter().filter(|(cell, ..)| cell != FINISHED) {
            if all.insert((cell.clone(), *piece), line.clone()).is_some() {
                return Err(format!(
                    "{}: piece {piece} of {cell:?} is in another part, too",
                    folder.display()
                ));
            }
        }
    }
    let mut next: (&str, usize) = ("", 0);
    for (cell, piece) in all.keys() {
        let wanted = if cell == next.0 { next.1 } else { 0 };
        if *piece != wanted {
            return Err(format!(
                "piece {wanted} of {cell:?} is in no part: a line is missing, or the suites of the parts differ"
            ));
        }
        next = (cell, piece + 1);
    }
    Ok(all)
}

/// Terms of a match, and its games by number.
type MatchGames = (String, BTreeMap<u64, String>);

/// The games of all matches, by the name of the match.
fn matches(folders: &[PathBuf]) -> Result<BTreeMap<String, MatchGames>, String> {
    let mut all: BTreeMap<String, MatchGames> = BTreeMap::new();
    for folder in folders.iter().map(|folder| folder.join("games")).filter(|folder| folder.is_dir()) {
        let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
        let names: BTreeSet<_> = std::fs::read_dir(&folder)
            .map_err(wrong)?
            .map(|entry| Ok(entry.map_err(wrong)?.file_name().to_string_lossy().into_owned()))
            .collect::<Result<_, String>>()?;
        for name in names {
            let place = folder.join(&name);
            let terms = std::fs::read_to_string(place.join("match.json"))
                .map_err(|error| format!("{}: {error}", place.display()))?;
            let (there, games) = all.entry(name).or_insert_with(|| (terms.clone(), BTreeMap::new()));
            if *there != terms {
                return Err(format!("{}: match.json differs from that of another part", place.display()));
            }
            for (number, line) in store::sealed_games(&place.join(GAMES))? {
                if games.insert(number, line).is_some() {
                    return Err(format!("{}: game {number} is in another part, too", place.display()));
                }
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::super::notebook::Notebook;
    use super::*;
    use crate::options::Options;
    use crate::provenance::Provenance;

    /// How a part was made.
    #[derive(Copy, Clone)]
    struct Making {
        version: &'static str,
        hash: &'static str,
        quick: bool,
        finished: bool,
        /// The number of its only measurement, if that is not the right one.
        piece: Option<usize>,
    }

    const USUAL: Making = Making { version: "1", hash: "1", quick: true, finished: true, piece: None };

    /// A part with one measurement, in a folder of its own.
    fn part(folder: &Path, shard: &str, making: Making) -> PathBuf {
        let place = (0..).map(|n| folder.join(n.to_string())).find(|place| !place.exists()).unwrap();
        let mut options = Options::default();
        options.set("Hash", making.hash).unwrap();
        let heading = Heading {
            experiment: "some".into(),
            provenance: Provenance { version: making.version.into(), ..Provenance::new(&options, 0) },
            quick: making.quick,
            suites: false,
            positions: 0,
            shard: Some(shard.to_owned()),
        };
        let mut notebook = Notebook::open(&place, &heading).unwrap();
        let right = shard.split('/').next().unwrap().parse::<usize>().unwrap() - 1;
        let found = serde_json::json!({ "nodes": 7 });
        notebook.add("cell", making.piece.unwrap_or(right), &found).unwrap();
        if making.finished {
            notebook.finish().unwrap();
        }
        place
    }

    #[test]
    fn parts_that_fit_make_one_notebook_and_others_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let [one, two] = ["1/2", "2/2"].map(|shard| part(folder, shard, USUAL));
        let out = folder.join("out");
        let refused = |parts: &[&PathBuf]| {
            merge(&parts.iter().map(|part| (*part).clone()).collect::<Vec<_>>(), &out).unwrap_err()
        };
        assert!(refused(&[&one]).contains("missing: part 2/2"));
        assert!(refused(&[&one, &one]).contains("part 1/2 is there twice"));
        assert!(refused(&[&one, &part(folder, "2/3", USUAL)]).contains("another split"));
        for (making, what) in [
            (Making { quick: false, ..USUAL }, "quick was true, is false"),
            (Making { version: "2", ..USUAL }, "version was \"1\", is \"2\""),
            (Making { hash: "2", ..USUAL }, "options.Hash was \"1\", is \"2\""),
            (Making { finished: false, ..USUAL }, "part 2/2 is not finished"),
            (Making { piece: Some(3), ..USUAL }, "piece 1 of \"cell\" is in no part"),
            (Making { piece: Some(0), ..USUAL }, "piece 0 of \"cell\" is in another part"),
        ] {
            let said = refused(&[&one, &part(folder, "2/2", making)]);
            assert!(said.contains(what), "{said}");
        }
        assert!(refused(&[&folder.to_owned()]).contains("notebook.jsonl"));
        let merged = merge(&[two.clone(), one.clone()], &out).unwrap();
        assert_eq!((merged.parts, merged.measurements, merged.games), (2, 2, 0));
        assert!(refused(&[&one, &two]).contains("is not empty"));
        let altered = std::fs::read_to_string(one.join("notebook.jsonl"))
            .unwrap()
            .replace("\"nodes\":7", "\"nodes\":8");
        std::fs::write(one.join("notebook.jsonl"), altered).unwrap();
        assert!(refused(&[&one, &two]).contains("notebook.jsonl:2: the line was altered"));
    }
}
