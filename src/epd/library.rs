//! Finds suites and openings: by path, in a folder, or inside the program.

use std::path::{Path, PathBuf};

/// The name under which standard input is read.
const STANDARD_INPUT: &str = "-";

/// The folder of suites in a checkout.
const FOLDER: &str = "epd";

/// The built-in suites.
const BUILT_IN: [(&str, &str); 6] = [
    ("bench", include_str!("../../epd/bench.epd")),
    ("bk", include_str!("../../epd/bk.epd")),
    ("espalier", include_str!("../../epd/espalier.epd")),
    ("mates", include_str!("../../epd/mates.epd")),
    ("openings", include_str!("../../epd/openings.epd")),
    ("wac", include_str!("../../epd/wac.epd")),
];

/// A well-known suite that cannot be included, and where to get it.
struct Elsewhere {
    name: &'static str,
    title: &'static str,
    place: &'static str,
}

/// Suites without a known licence.
const ELSEWHERE: [Elsewhere; 7] = [
    Elsewhere {
        name: "ecm",
        title: "Encyclopedia of Chess Middlegames",
        place: "ECM.epd of github.com/stannous/shatranj",
    },
    Elsewhere {
        name: "ecm98",
        title: "Encyclopedia of Chess Middlegames, corrected",
        place: "test/testdata/testsets/ecm98.epd of github.com/frankkopp/FrankyGo",
    },
    Elsewhere {
        name: "wcsac",
        title: "1001 Winning Chess Sacrifices and Combinations",
        place: "wcsac.epd of github.com/albertoruibal/carballo",
    },
    Elsewhere { name: "lct2", title: "LCT II", place: "lctii.epd of github.com/albertoruibal/carballo" },
    Elsewhere {
        name: "sts",
        title: "Strategic Test Suite",
        place: "STS1-STS15_LAN_v3.epd of github.com/fsmosca/STS-Rating",
    },
    Elsewhere {
        name: "bwtc",
        title: "1001 Brilliant Ways to Checkmate",
        place: "pgn/1001bwtc.pgn of github.com/DHTMLGoodies/dhtmlchess, converted to EPD",
    },
    Elsewhere {
        name: "wacnew",
        title: "Win at Chess, corrected",
        place: "tests/wacnew.epd of github.com/jdart1/arasan-chess",
    },
];

/// The text of a file of positions, and its name in messages.
#[derive(Clone, Debug)]
pub struct Source {
    /// A path, `standard input`, or the file name of a built-in suite.
    pub name: String,
    /// The contents.
    pub text: String,
}

/// Reads a path, standard input (`-`) or a suite. Suites are looked up in `folder`, among the built-in ones, in the
/// user's folder, and in folders named `epd` above the working directory and the program, in this order.
pub fn read(what: &str, folder: Option<&Path>) -> Result<Source, String> {
    if what.is_empty() {
        return Err("the name of a file or suite is empty".to_owned());
    }
    if what == STANDARD_INPUT {
        let text = std::io::read_to_string(std::io::stdin());
        let text = text.map_err(|error| format!("standard input: {error}"))?;
        return Ok(Source { name: "standard input".to_owned(), text });
    }
    let path = PathBuf::from(what);
    // Not `is_file`: a pipe is allowed.
    if path.exists() && !path.is_dir() {
        return read_file(&path);
    }
    let in_folder = |folder: &Path| Some(folder.join(file_name(what)?)).filter(|path| path.is_file());
    if let Some(path) = folder.and_then(in_folder) {
        return read_file(&path);
    }
    if let Some((name, text)) = BUILT_IN.iter().find(|(name, _)| file_name(what) == file_name(name)) {
        return Ok(Source { name: format!("{name}.epd"), text: (*text).to_owned() });
    }
    let folders: Vec<PathBuf> = user_folder().into_iter().chain(folders_near()).collect();
    match folders.iter().find_map(|folder| in_folder(folder)) {
        Some(path) => read_file(&path),
        None => Err(missing(what, folder.map(Path::to_owned).into_iter().chain(folders))),
    }
}

fn read_file(path: &Path) -> Result<Source, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Source { name: path.display().to_string(), text: String::from_utf8_lossy(&bytes).into_owned() })
}

/// The file name for `wac` and `wac.epd`, but not for `wac.txt`: a missing file must not be replaced by a suite.
fn file_name(what: &str) -> Option<PathBuf> {
    let path = Path::new(what);
    let is_name = !what.is_empty()
        && path.file_name() == Some(path.as_os_str())
        && path.extension().is_none_or(|ending| ending == "epd");
    is_name.then(|| path.with_extension("epd"))
}

/// The message that nothing was found: two lines for a suite that is available elsewhere, one otherwise.
fn missing(what: &str, folders: impl Iterator<Item = PathBuf>) -> String {
    if Path::new(what).is_dir() {
        return format!("{what}: a folder, not a file of positions; name the files in it");
    }
    let known = ELSEWHERE.iter().find(|suite| file_name(what) == file_name(suite.name));
    if let Some(Elsewhere { name, title, place }) = known {
        let there = user_folder().unwrap_or_else(|| PathBuf::from(FOLDER)).join(name).with_extension("epd");
        return format!(
            "{what}: {title} is not included (no stated licence); get {place}\n\
             and save it as {}, or name its folder with --suites",
            there.display()
        );
    }
    let mut names: Vec<String> = BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect();
    names.extend(folders.flat_map(|folder| suites_in(&folder)));
    names.sort();
    names.dedup();
    format!("{what}: no such file or suite; suites here: {}", names.join(", "))
}

/// The user's own suites: `espalier/suites` in the data directory.
fn user_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = set("XDG_DATA_HOME")
        .or_else(|| set("APPDATA"))
        .or_else(|| std::env::home_dir().map(|home| home.join(".local/share")));
    data.map(|data| data.join("espalier").join("suites"))
}

/// The folders of suites above the working directory and above the program, nearest first.
fn folders_near() -> Vec<PathBuf> {
    let starts = [std::env::current_dir(), std::env::current_exe()];
    let above = |start: PathBuf| start.ancestors().map(|folder| folder.join(FOLDER)).collect::<Vec<_>>();
    let mut folders: Vec<PathBuf> = starts.into_iter().flatten().flat_map(above).collect();
    folders.retain(|folder| folder.is_dir());
    folders.dedup();
    folders
}

/// The names of the suites in a folder.
fn suites_in(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let stem = |path: PathBuf| {
        let is_suite = path.extension().is_some_and(|ending| ending == "epd");
        is_suite.then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned())).flatten()
    };
    files.filter_map(|file| stem(file.path())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_does_not_become_a_suite_of_the_same_name() {
        assert!(read("wac", None).is_ok() && read("wac.epd", None).is_ok());
        assert!(read("wac.txt", None).unwrap_err().contains("wac.txt: no such file or suite"));
        assert!(read("src", None).unwrap_err().contains("a folder"));
    }

    #[test]
    fn what_comes_with_the_program_is_what_the_folder_has() {
        for (name, text) in BUILT_IN {
            let file = format!("{FOLDER}/{name}.epd");
            assert_eq!(read(&file, None).unwrap().text, text, "{file}");
            assert_eq!(read(name, None).unwrap().name, format!("{name}.epd"));
        }
    }

    #[test]
    fn a_folder_of_the_user_comes_first_and_a_suite_that_is_not_included_is_explained_in_two_lines() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("wac.epd"), "mine").unwrap();
        std::fs::write(folder.path().join("ecm.epd"), "ours").unwrap();
        assert_eq!(read("wac", Some(folder.path())).unwrap().text, "mine");
        assert_eq!(read("ecm", Some(folder.path())).unwrap().text, "ours");
        let advice = missing("ecm", std::iter::empty());
        assert_eq!(advice.lines().count(), 2, "{advice}");
        assert!(advice.contains("Middlegames") && advice.contains("ecm.epd") && advice.contains("--suites"));
    }
}
