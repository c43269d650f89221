//! The notebook of an experiment stores every measurement at once, so that an interrupted run can resume.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::files::{locked, make_folder};
use crate::provenance::{Provenance, agree, sealed, unsealed};
use crate::text_table::{Table, thousands};

/// Everything that determines the measurements. A run can resume only with the same heading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Heading {
    pub experiment: String,
    /// Version, options and seed.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// Whether this is the short form of the experiment.
    pub quick: bool,
    /// Whether a folder of suites was given.
    pub suites: bool,
    /// Most positions of a suite; 0 for the experiment's own number.
    pub positions: usize,
    /// Which part of the experiment, if it is split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
}

/// The search of one position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct MeasuredSearch {
    pub solved: bool,
    pub nodes: u64,
    /// The depth the search reached, in plies.
    pub depth: i32,
    /// Centipawns for the side to move; mates as in [`Score`](crate::Score).
    pub score: Option<i32>,
    pub ms: f64,
}

#[derive(Serialize, Deserialize)]
struct NotebookEntry {
    cell: String,
    task: usize,
    #[serde(flatten)]
    found: Map<String, Value>,
}

/// Measurements on disk, or only in memory.
#[derive(Debug, Default)]
pub(super) struct Notebook {
    file: Option<File>,
    cells: HashMap<String, HashMap<usize, Map<String, Value>>>,
}

impl Notebook {
    /// Opens the notebook in a directory, or begins one if the directory is empty. It is an error if the notebook has
    /// another heading, or if another process is writing it. A truncated last line is dropped and measured again.
    pub(super) fn open(folder: &Path, heading: &Heading) -> Result<Self, String> {
        let path = &folder.join("notebook.jsonl");
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        make_folder(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        if !path.exists() && std::fs::read_dir(folder).is_ok_and(|mut there| there.next().is_some()) {
            let folder = folder.display();
            return Err(format!("{folder} is not empty and no experiment's; choose another --out"));
        }
        // Lock before reading, or a line that another process is writing would be dropped.
        let file = locked(path).map_err(|error| wrong(&error))?;
        let mut file = file.ok_or_else(|| wrong(&"another process is writing it"))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| wrong(&error))?;
        if !text.is_empty() && !text.contains('\n') {
            agree(&text, heading, "experiment").map_err(|error| wrong(&error))?;
        }
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut notebook = Self::default();
        let mut lines = (1..).zip(text[..whole].lines());
        let begun = match lines.next() {
            None => false,
            Some((_, first)) => {
                agree(first, heading, "experiment").map(|()| true).map_err(|error| wrong(&error))?
            }
        };
        for (number, line) in lines {
            let entry = read_line(line).map_err(|error| format!("{}:{number}: {error}", path.display()))?;
            notebook.cells.entry(entry.cell).or_default().insert(entry.task, entry.found);
        }
        file.set_len(whole as u64).map_err(|error| wrong(&error))?;
        io::Seek::seek(&mut file, io::SeekFrom::End(0)).map_err(|error| wrong(&error))?;
        if !begun {
            let line = serde_json::to_string(heading).map_err(|error| wrong(&error))?;
            writeln!(file, "{line}").map_err(|error| wrong(&error))?;
        }
        Ok(Self { file: Some(file), ..notebook })
    }

    /// For each cell the number of pieces measured, their nodes, and the number solved.
    pub(super) fn so_far(&self) -> Table {
        let mut table = Table::new(&["measured so far", "pieces", "nodes", "solved"]);
        let mut cells: Vec<_> = self.cells.iter().collect();
        cells.retain(|(cell, _)| cell.as_str() != FINISHED);
        cells.sort_by_key(|(cell, _)| cell.as_str());
        for (name, pieces) in cells {
            let searches: Vec<MeasuredSearch> = self.cell(name).into_values().collect();
            let nodes = searches.iter().map(|search| search.nodes).sum();
            let solved = searches.iter().filter(|search| search.solved).count().to_string();
            let [nodes, solved] =
                if searches.is_empty() { Default::default() } else { [thousands(nodes), solved] };
            table.push([name.clone(), pieces.len().to_string(), nodes, solved]);
        }
        table
    }

    /// The measurements of a cell, by task. Unreadable ones are left out and measured again.
    pub(super) fn cell<T: DeserializeOwned>(&self, cell: &str) -> HashMap<usize, T> {
        let read = |(&task, found): (&usize, &Map<String, Value>)| {
            serde_json::from_value(Value::Object(found.clone())).ok().map(|found| (task, found))
        };
        self.cells.get(cell).into_iter().flatten().filter_map(read).collect()
    }

    /// Adds a measurement, also to the file if there is one.
    pub(super) fn add(&mut self, cell: &str, task: usize, found: &impl Serialize) -> io::Result<()> {
        let Value::Object(found) = serde_json::to_value(found)? else {
            return Err(io::Error::other("a measurement has no names"));
        };
        self.cells.entry(cell.to_owned()).or_default().insert(task, found.clone());
        let Some(file) = &mut self.file else { return Ok(()) };
        let entry = NotebookEntry { cell: cell.to_owned(), task, found };
        file.write_all((sealed(&serde_json::to_string(&entry)?) + "\n").as_bytes())
    }

    /// Marks a part of an experiment as complete.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        if self.cells.contains_key(FINISHED) { Ok(()) } else { self.add(FINISHED, 0, &Map::new()) }
    }
}

/// The cell that marks a complete part; it has a single, empty piece.
pub(super) const FINISHED: &str = "finished";

/// Reads a measurement and verifies its checksum.
fn read_line(line: &str) -> Result<NotebookEntry, String> {
    serde_json::from_str(&unsealed(line)?).map_err(|error| error.to_string())
}

/// A notebook as lines: its heading, and each measurement with its cell and piece.
pub(super) struct Lines {
    pub heading: Heading,
    /// Cell, piece and the original line.
    pub measurements: Vec<(String, usize, String)>,
}

impl Lines {
    /// Reads the notebook in a folder. The error names a truncated or altered line.
    pub(super) fn read(folder: &Path) -> Result<Self, String> {
        let path = folder.join("notebook.jsonl");
        if !path.exists() {
            return Err(format!(
                "{}: no part of an experiment (there is no notebook.jsonl in it)",
                folder.display()
            ));
        }
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let wrong = |number: usize, error: String| format!("{}:{number}: {error}", path.display());
        let mut lines = (1..).zip(text.lines());
        let (_, first) = lines.next().ok_or_else(|| wrong(1, "there is no heading".to_owned()))?;
        let heading = serde_json::from_str(first).map_err(|error| wrong(1, error.to_string()))?;
        let read = |(number, line): (usize, &str)| {
            let entry = read_line(line).map_err(|error| wrong(number, error))?;
            Ok((entry.cell, entry.task, line.to_owned()))
        };
        Ok(Self { heading, measurements: lines.map(read).collect::<Result<_, String>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    fn heading(quick: bool) -> Heading {
        Heading {
            experiment: "some".into(),
            provenance: Provenance::new(&Options::default(), 0),
            quick,
            suites: false,
            positions: 0,
            shard: None,
        }
    }

    #[test]
    fn measurements_are_there_again_and_a_torn_line_is_not() {
        let folder = std::env::temp_dir().join(format!("espalier-notebook-{}", std::process::id()));
        let path = folder.join("notebook.jsonl");
        let taken = MeasuredSearch { solved: true, nodes: 5, depth: 3, score: Some(-7), ms: 0.5 };
        let mut notebook = Notebook::open(&folder, &heading(true)).unwrap();
        let locked = Notebook::open(&folder, &heading(true)).unwrap_err();
        assert!(locked.contains("another process"), "{locked}");
        notebook.add("cell", 4, &taken).unwrap();
        drop(notebook);
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"cell\": \"ce");
        std::fs::write(&path, text).unwrap();
        let mut again = Notebook::open(&folder, &heading(true)).unwrap();
        assert_eq!(again.cell::<MeasuredSearch>("cell"), HashMap::from([(4, taken.clone())]));
        again.add("cell", 5, &taken).unwrap();
        assert!(again.so_far().to_text().contains("2     10       2"), "{}", again.so_far().to_text());
        drop(again);
        assert_eq!(Notebook::open(&folder, &heading(true)).unwrap().cell::<MeasuredSearch>("cell").len(), 2);
        let other = Notebook::open(&folder, &heading(false)).unwrap_err();
        assert!(other.contains("quick was true, is false"), "{other}");
        std::fs::rename(&path, folder.join("elsewhere")).unwrap();
        let foreign = Notebook::open(&folder, &heading(true)).unwrap_err();
        assert!(foreign.contains("is not empty"), "{foreign}");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_notebook_cut_off_or_edited_anywhere_is_resumed_or_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notebook.jsonl");
        let taken = MeasuredSearch { solved: true, nodes: 5, depth: 3, score: Some(-7), ms: 0.5 };
        let mut notebook = Notebook::open(folder.path(), &heading(true)).unwrap();
        (0..3).for_each(|task| notebook.add("cell", task, &taken).unwrap());
        drop(notebook);
        let good = std::fs::read(&path).unwrap();
        let open = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let opened = Notebook::open(folder.path(), &heading(true));
            opened.map(|notebook| notebook.cell::<MeasuredSearch>("cell").len())
        };
        let first = good.iter().position(|byte| *byte == b'\n').unwrap();
        for end in (0..good.len()).step_by(7) {
            match open(&good[..end]) {
                Ok(cells) => assert_eq!(cells, good[..end].split(|b| *b == b'\n').count().saturating_sub(2)),
                Err(what) => assert!(what.contains("notebook.jsonl") && end <= first, "{end}: {what}"),
            }
        }
        for at in (0..good.len()).step_by(5) {
            let mut bytes = good.clone();
            bytes[at] ^= 1 << (at % 8);
            let opened = open(&bytes);
            if let Err(what) = &opened {
                assert!(what.contains("notebook.jsonl"), "{at}: {what}");
            }
            // Behind the heading nothing can be altered but the end of the last line, which is measured again.
            assert!(at <= first || opened != Ok(3), "{at} was not noticed");
        }
        assert_eq!(open(&good), Ok(3));
    }
}
