//! The table files: finding, probing, and ignoring damaged ones.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use shakmaty::{Chess, Position as _};
use shakmaty_syzygy::{Dtz, MaybeRounded, Metric, ProbeError, SyzygyError, Wdl};

use super::OPTION;
use crate::board::Position;

/// Tables of some directories, shared by all threads.
#[derive(Default)]
pub struct Syzygy {
    tables: shakmaty_syzygy::Tablebase<Chess>,
    /// File names of the tables.
    names: HashSet<OsString>,
    /// Files with the name of a table that cannot be one, and why.
    skipped: Vec<String>,
    /// The first thing that went wrong with a table.
    failure: OnceLock<String>,
    told: AtomicBool,
    /// Reading a table panicked; none is read from then on.
    closed: AtomicBool,
}

impl Syzygy {
    /// The tables in these directories, separated as the system separates them; none for an empty path.
    pub fn load(path: &str) -> Result<Option<Self>, String> {
        let mut found = Self::default();
        for directory in std::env::split_paths(path).filter(|part| !part.as_os_str().is_empty()) {
            found.add(&directory)?;
        }
        match (found.names.is_empty(), path.is_empty()) {
            (false, _) => Ok(Some(found)),
            (true, true) => Ok(None),
            (true, false) => Err(format!("{OPTION} {path:?} names no directory")),
        }
    }

    /// Adds the tables of a directory; a name that is there already counts for the first directory.
    fn add(&mut self, directory: &Path) -> Result<(), String> {
        let unreadable = |error| format!("{OPTION} {directory:?} cannot be read: {error}");
        let mut files = Vec::new();
        for entry in std::fs::read_dir(directory).map_err(unreadable)? {
            files.push(entry.map_err(unreadable)?.path());
        }
        files.sort();
        let (mut found, mut skipped) = (false, Vec::new());
        for file in files {
            let Some(name) = file.file_name().map(OsString::from) else { continue };
            if self.names.contains(&name) {
                found = true;
                continue;
            }
            if std::fs::metadata(&file).is_ok_and(|there| !there.is_file()) {
                // Opening a pipe would block.
                continue;
            }
            match self.tables.add_file(&file) {
                Ok(()) => found = self.names.insert(name),
                // Any other file.
                Err(error) if error.kind() == ErrorKind::InvalidInput => {}
                Err(error) => skipped.push(format!("{} ({error})", file.display())),
            }
        }
        self.skipped.append(&mut skipped);
        if found {
            return Ok(());
        }
        let but = if self.skipped.is_empty() { "" } else { "; " };
        Err(format!("{OPTION} {directory:?} has no Syzygy tables{but}{}", self.left_out()))
    }

    /// The most men of a table.
    pub fn men(&self) -> usize {
        self.tables.max_pieces()
    }

    /// The outcome of a position whose clock has just been set back; `None` if no table tells.
    pub fn outcome(&self, position: &Position) -> Option<Wdl> {
        self.ask(|tables| tables.probe_wdl_after_zeroing(position.chess()))
    }

    /// Plies to the next capture or pawn move, negative for the side that loses; `None` if no table tells.
    pub fn distance(&self, position: &Position) -> Option<MaybeRounded<Dtz>> {
        self.ask(|tables| tables.probe_dtz(position.chess()))
    }

    /// There can be a table for the position: there is none for positions with castling rights.
    pub fn covers(position: &Position) -> bool {
        !position.chess().castles().any()
    }

    /// The first failure of a table, returned only once.
    pub fn unreported_failure(&self) -> Option<&str> {
        let failure = self.failure.get()?;
        (!self.told.swap(true, Ordering::Relaxed)).then_some(failure.as_str())
    }

    fn ask<T>(
        &self,
        question: impl FnOnce(&shakmaty_syzygy::Tablebase<Chess>) -> Result<T, SyzygyError>,
    ) -> Option<T> {
        if self.closed.load(Ordering::Relaxed) {
            return None;
        }
        match catch_unwind(AssertUnwindSafe(|| question(&self.tables))) {
            Ok(Ok(answer)) => Some(answer),
            Ok(Err(error)) => {
                self.note(&error);
                None
            }
            Err(_) => {
                self.closed.store(true, Ordering::Relaxed);
                self.failure.get_or_init(|| {
                    format!("{OPTION}: a table is damaged beyond reading; no table is asked any more")
                });
                None
            }
        }
    }

    /// Notes the first failure. A missing table is none.
    fn note(&self, error: &SyzygyError) {
        let SyzygyError::ProbeFailed { metric, material, error } = error else { return };
        self.failure.get_or_init(|| {
            let ending = match metric {
                Metric::Wdl => "rtbw",
                Metric::Dtz => "rtbz",
            };
            let why = match error.as_ref() {
                ProbeError::Read { error } => format!("cannot be read: {error}"),
                ProbeError::Magic { .. } => "is no Syzygy table".to_owned(),
                ProbeError::CorruptedTable { .. } => "is damaged".to_owned(),
            };
            format!("{OPTION}: {material}.{ending} {why}; what it says is disregarded")
        });
    }

    fn left_out(&self) -> String {
        match self.skipped.as_slice() {
            [] => String::new(),
            [one] => format!("1 damaged file left out: {one}"),
            [first, ..] => format!("{} damaged files left out, the first: {first}", self.skipped.len()),
        }
    }
}

impl fmt::Display for Syzygy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |ending: &str| {
            self.names.iter().filter(|name| Path::new(name).extension().is_some_and(|e| e == ending)).count()
        };
        let (wdl, dtz) = (of("rtbw"), of("rtbz"));
        write!(f, "{wdl} WDL and {dtz} DTZ tables of up to {} men found", self.men())?;
        if self.skipped.is_empty() { Ok(()) } else { write!(f, "; {}", self.left_out()) }
    }
}

impl fmt::Debug for Syzygy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn real() -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy")
    }

    fn load(path: &Path) -> Result<Option<Syzygy>, String> {
        Syzygy::load(path.to_str().unwrap())
    }

    /// An empty directory for this test alone.
    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("espalier tables {} {name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    fn position(fen: &str) -> Position {
        Position::from_fen(fen, false).unwrap()
    }

    #[test]
    fn tables_are_found_counted_and_asked() {
        let tables = load(&real()).unwrap().unwrap();
        assert_eq!(tables.to_string(), "6 WDL and 6 DTZ tables of up to 4 men found");
        let won = position("8/8/8/3k4/8/8/8/KQ6 w - - 0 1");
        assert_eq!(tables.outcome(&won), Some(Wdl::Win));
        assert_eq!(tables.outcome(&position("8/8/8/3k4/8/8/8/KQ6 b - - 0 1")), Some(Wdl::Loss));
        assert_eq!(tables.outcome(&position("k7/8/8/8/8/8/P7/K7 w - - 0 1")), Some(Wdl::Draw));
        assert!(tables.distance(&won).unwrap().is_positive());
        let unknown = position("8/8/8/3k4/8/8/1r6/KQ6 b - - 0 1");
        assert_eq!(
            (tables.outcome(&unknown), tables.unreported_failure()),
            (None, None),
            "a missing table is no failure"
        );
    }

    #[test]
    fn a_path_without_tables_is_named() {
        let empty = scratch("empty");
        std::fs::write(empty.join("KQvK.txt"), "no table").unwrap();
        let refused = |path: &str| Syzygy::load(path).unwrap_err();
        assert!(refused("no/such/place").contains("\"no/such/place\" cannot be read"));
        assert!(refused(empty.to_str().unwrap()).contains("has no Syzygy tables"));
        let both = std::env::join_paths([real(), empty.join("KQvK.txt")]).unwrap();
        assert!(refused(both.to_str().unwrap()).contains("KQvK.txt\" cannot be read"));
        let separators = std::env::join_paths(["", ""]).unwrap();
        assert!(refused(separators.to_str().unwrap()).contains("names no directory"));
        assert!(Syzygy::load("").unwrap().is_none());
        let _ = std::fs::remove_dir_all(empty);
    }

    #[test]
    fn several_directories_are_one_collection() {
        let more = scratch("more");
        std::fs::copy(real().join("KRvK.rtbw"), more.join("KBNvK.rtbw")).unwrap();
        std::fs::copy(real().join("KRvK.rtbw"), more.join("KRvK.rtbw")).unwrap();
        let path = std::env::join_paths([real(), PathBuf::new(), more.clone()]).unwrap();
        let tables = Syzygy::load(path.to_str().unwrap()).unwrap().unwrap();
        assert_eq!(tables.to_string(), "7 WDL and 6 DTZ tables of up to 4 men found");
        let _ = std::fs::remove_dir_all(more);
    }

    #[test]
    fn damaged_files_are_left_out_or_disregarded_and_told_once() {
        let bad = scratch("bad");
        let bytes = std::fs::read(real().join("KQvK.rtbw")).unwrap();
        std::fs::write(bad.join("KQvK.rtbw"), &bytes[..100]).unwrap();
        assert!(load(&bad).unwrap_err().contains("1 damaged file left out: "));
        std::fs::write(bad.join("KRvK.rtbw"), &bytes[..80]).unwrap();
        let tables = load(&bad).unwrap().unwrap();
        assert!(tables.to_string().contains("1 WDL and 0 DTZ tables of up to 3 men found; 1 damaged file"));
        let rook = position("8/8/8/3k4/8/8/8/KR6 w - - 0 1");
        assert_eq!((tables.outcome(&rook), tables.outcome(&rook)), (None, None));
        assert!(tables.unreported_failure().unwrap().contains("KRvK.rtbw is damaged"));
        assert_eq!(tables.unreported_failure(), None);
        std::fs::write(bad.join("KRvK.rtbw"), vec![7; 208]).unwrap();
        let tables = load(&bad).unwrap().unwrap();
        assert_eq!(tables.outcome(&rook), None);
        assert!(tables.unreported_failure().unwrap().contains("KRvK.rtbw is no Syzygy table"));
        let _ = std::fs::remove_dir_all(bad);
    }

    #[test]
    fn no_damage_whatever_does_harm() {
        let bad = scratch("noise");
        let whole = std::fs::read(real().join("KPvK.rtbw")).unwrap();
        let mut failures = 0;
        for step in 0..400 {
            let mut bytes = whole.clone();
            let place = 4 + step * 7919 % if step % 2 == 0 { 120 } else { bytes.len() - 4 };
            bytes[place] ^= 1 << (step % 8);
            std::fs::write(bad.join("KPvK.rtbw"), &bytes).unwrap();
            let tables = load(&bad).unwrap().unwrap();
            for kings in ["K6k", "1K4k1", "2K3k1", "3K3k", "k3K3", "1k3K2", "k5K1", "2k4K"] {
                let asked = position(&format!("8/8/8/8/8/8/4P3/{kings} w - - 0 1"));
                failures += usize::from(tables.outcome(&asked).is_none());
            }
        }
        assert!(failures > 0 && failures < 3200, "{failures}");
        let _ = std::fs::remove_dir_all(bad);
    }
}
