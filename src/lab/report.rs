//! Result files of experiments, and the page generated from them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::experiments::{EXPERIMENTS, Experiment, Findings, picture_name};
use crate::text_table::Table;

/// The results of an experiment, with a summary and comments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResultFile {
    /// The name of the experiment.
    pub experiment: String,
    pub title: String,
    /// The publication it reproduces.
    pub source: String,
    /// The version of the program.
    pub version: String,
    /// The hash of its options.
    pub options: String,
    /// The command that repeats it.
    pub command: String,
    /// A description of the method.
    pub method: String,
    /// Published and measured numbers; written by hand.
    #[serde(default)]
    pub summary: Vec<Claim>,
    /// A comment on the tables in Markdown; written by hand.
    #[serde(default)]
    pub comment: String,
    pub pictures: Vec<PictureFile>,
    pub tables: Vec<NamedTable>,
}

/// A published number and ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claim {
    /// What was measured.
    pub what: String,
    pub published: String,
    /// Our number and its error.
    pub ours: String,
    pub verdict: Agreement,
    /// The reason in a sentence.
    pub why: String,
}

/// Whether a published number was reproduced.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Agreement {
    Reproduced,
    Partly,
    Not,
}

impl Agreement {
    fn word(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Partly => "partly",
            Self::Not => "not",
        }
    }
}

/// A picture in the folder of pictures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PictureFile {
    pub title: String,
    pub file: String,
}

/// A table with its title.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NamedTable {
    pub title: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// Version, options and command of a result.
pub(crate) struct Origin {
    pub version: String,
    pub options: String,
    pub command: String,
}

impl ResultFile {
    /// The results without a summary or a comment.
    pub(crate) fn new(experiment: &Experiment, findings: &Findings, origin: Origin) -> Self {
        let table = |(title, table): &(String, Table)| NamedTable {
            title: title.clone(),
            header: table.header.clone(),
            rows: table.rows.clone(),
        };
        let picture = |(word, chart): &(String, crate::picture::Chart)| PictureFile {
            title: chart.title.clone(),
            file: picture_name(experiment, word),
        };
        Self {
            experiment: experiment.name.to_owned(),
            title: experiment.title.to_owned(),
            source: experiment.source.to_owned(),
            version: origin.version,
            options: origin.options,
            command: origin.command,
            method: findings.method.clone(),
            summary: Vec::new(),
            comment: String::new(),
            pictures: findings.pictures.iter().map(picture).collect(),
            tables: findings.tables.iter().map(table).collect(),
        }
    }

    /// The section about this experiment.
    fn section(&self) -> String {
        let Self { experiment, title, source, command, version, options, method, .. } = self;
        let mut text = format!(
            "## {experiment}\n\n{title}. {source}.\n\n`{command}` (made by version {version}, options {options})\n\n{method}\n"
        );
        for PictureFile { title, file } in &self.pictures {
            text.push_str(&format!("\n![{title}](pictures/{file})\n"));
        }
        if !self.comment.is_empty() {
            text.push_str(&format!("\n{}\n", self.comment.trim_end()));
        }
        for NamedTable { title, header, rows } in &self.tables {
            let table = Table { header: header.clone(), rows: rows.clone() };
            text.push_str(&format!("\n### {title}\n\n{}", table.to_markdown()));
        }
        text
    }
}

/// The beginning of the page.
const HEAD: &str = "# Published experiments, reproduced

This page is made by `espalier lab report` from the files in [results](results); a test fails if they differ. `espalier lab
list` names all experiments. Each section is the output of its command, by the version it names, with a comment before the
tables. Node counts are the same on every machine. A full run is the published table as far as two cores allow;
`--count N` takes a sample of N positions of every suite. `--quick` is a shorter sample that takes two minutes at most
and only shows that the experiment works: nothing is concluded from it. Suites that are not part of the sources were given
with `--suites` ([epd/README.md](../epd/README.md)). The digits after the plus of a version tell one search from another.
How to split an experiment over machines: [CLUSTER.md](CLUSTER.md).
";

/// The page: first the summary table, then a section for each result.
pub(crate) fn page(results: &[ResultFile]) -> String {
    let mut table = Table::new(&["experiment", "what", "published", "ours", "reproduced", "why"]);
    for result in results {
        for claim in &result.summary {
            let name = format!("[{0}](#{0})", result.experiment);
            let cells = [name, claim.what.clone(), claim.published.clone(), claim.ours.clone()];
            table.push(cells.into_iter().chain([claim.verdict.word().to_owned(), claim.why.clone()]));
        }
    }
    let sections: String = results.iter().map(|result| format!("\n{}", result.section())).collect();
    format!("{HEAD}\n{}{sections}", table.to_markdown())
}

/// The results in a folder, in the order of `espalier lab list`. The error names an unusable file.
pub(crate) fn read(folder: &Path) -> Result<Vec<ResultFile>, String> {
    let wrong = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let mut results = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| wrong(folder, &error))? {
        let path = entry.map_err(|error| wrong(folder, &error))?.path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(|error| wrong(&path, &error))?;
        let result: ResultFile = serde_json::from_str(&text).map_err(|error| wrong(&path, &error))?;
        let place = EXPERIMENTS.iter().position(|experiment| experiment.name == result.experiment);
        let place = place.ok_or_else(|| wrong(&path, &format!("no experiment {:?}", result.experiment)))?;
        results.push((place, result));
    }
    results.sort_by_key(|(place, _)| *place);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_made_of_the_results() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
        let (results, path) = (read(&docs.join("results")).unwrap(), docs.join("EXPERIMENTS.md"));
        if std::env::var_os("ESPALIER_BLESS").is_some() {
            std::fs::write(&path, page(&results)).unwrap();
        }
        let there = std::fs::read_to_string(&path).unwrap();
        assert!(
            there == page(&results),
            "docs/EXPERIMENTS.md differs from docs/results: run `espalier lab report`"
        );
        for picture in results.iter().flat_map(|result| &result.pictures) {
            assert!(docs.join("pictures").join(&picture.file).exists(), "{} is missing", picture.file);
        }
    }

    #[test]
    fn a_page_begins_with_what_was_reproduced() {
        let mut findings = Findings { method: "Done so.".into(), ..Findings::default() };
        let mut table = Table::new(&["a"]);
        table.push(["7".to_owned()]);
        findings.tables.push(("Numbers".into(), table));
        let origin = Origin { version: "1".into(), options: "2".into(), command: "espalier lab x".into() };
        let mut result = ResultFile::new(&EXPERIMENTS[0], &findings, origin);
        result.summary.push(Claim {
            what: "nodes".into(),
            published: "81.7 %".into(),
            ours: "81 ± 2 %".into(),
            verdict: Agreement::Partly,
            why: "Too few positions.".into(),
        });
        let text = page(&[result.clone()]);
        assert!(text.find("| partly | Too few positions. |").unwrap() < text.find("## uncertainty").unwrap());
        assert!(text.contains("### Numbers\n\n| a |\n| ---: |\n| 7 |\n"), "{text}");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x.json"), serde_json::to_string(&result).unwrap()).unwrap();
        assert_eq!(read(folder.path()), Ok(vec![result]));
        std::fs::write(folder.path().join("y.json"), "{}").unwrap();
        assert!(read(folder.path()).unwrap_err().contains("y.json"));
    }
}
