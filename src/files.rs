//! Locking files, writing them atomically, and refusing devices and pipes.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Opens or creates a file and locks it until it is closed, however the program ends. `None` if another process has the
/// lock.
pub(crate) fn locked(path: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        // Some file systems have no locks.
        Err(TryLockError::Error(error)) => {
            log::warn!("{}: not locked: {error}", path.display());
            Ok(Some(file))
        }
    }
}

/// Creates a folder and its parents. The error says if there is a file in the way.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            io::Error::other("there is a file where a folder should be")
        }
        _ => error,
    })
}

/// Writes a file atomically.
pub(crate) fn write_whole(path: &Path, contents: impl AsRef<[u8]>) -> io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        // A device or a pipe is written to, not replaced.
        return std::fs::write(path, contents);
    }
    let partial = path.with_added_extension("partial");
    std::fs::write(&partial, contents).and_then(|()| std::fs::rename(&partial, path)).inspect_err(|_| {
        // Do not leave a partial file behind, for example on a full disk.
        let _ = std::fs::remove_file(&partial);
    })
}

/// The FNV-1a hash: detects changes and damage, but not attacks.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The largest size of a table, network or opening book.
pub(crate) const LARGEST_TABLE: u64 = 256 << 20;

/// Opens a regular file for reading. Other kinds are refused before they are opened: a pipe without a writer would block.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    match std::fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::Error::other("not a regular file")),
    }
}

/// Reads a regular file of at most `most` bytes. Other kinds are refused before they are opened: reading them might never
/// end.
pub(crate) fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let refused = |what: String| Err(io::Error::other(what));
    let file = open_file(path)?;
    let there = file.metadata()?;
    let mut bytes = Vec::new();
    if there.is_file() && there.len() <= most {
        // Some files are longer than their metadata says.
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    if !there.is_file() || there.len() > most || bytes.len() as u64 > most {
        return refused(format!("larger than {} MiB, which nothing of its kind is", most >> 20));
    }
    Ok(bytes)
}

/// Opens or creates a regular file for appending. Other kinds are refused before they are opened: a pipe without a reader
/// would block.
pub(crate) fn append_to(path: &Path) -> io::Result<File> {
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(io::Error::other("not a regular file"));
    }
    File::options().create(true).append(true).open(path)
}

/// Shows whether a file has changed since it was read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    length: u64,
    modified: SystemTime,
}

/// A file modified more recently than this could change again without a new modification time.
const TOO_FRESH: Duration = Duration::from_secs(2);

impl FileStamp {
    /// The stamp of a file; `None` if it was modified too recently or is not a regular file.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let there = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        let modified = there.modified().ok()?;
        let old = modified.elapsed().is_ok_and(|age| age > TOO_FRESH);
        old.then_some(Self { length: there.len(), modified })
    }
}

/// Bytes read to recognise a file.
const BEGINNING: u64 = 1 << 10;

/// Refuses to replace a device, a folder, or a file of another kind, which may be the user's work. `is_ours` gets the
/// beginning of the file; an empty one may always be replaced.
pub(crate) fn may_be_replaced(path: &Path, is_ours: impl FnOnce(&[u8]) -> bool) -> io::Result<()> {
    let there = match std::fs::metadata(path) {
        Ok(there) => there,
        // Writing will report any other problem.
        Err(_) => return Ok(()),
    };
    if !there.is_file() {
        return Err(io::Error::other("there is something else than a file"));
    }
    // Virtual files such as /proc/kmsg have length 0, and reading them may never end.
    if there.len() == 0 {
        return Ok(());
    }
    let mut beginning = Vec::new();
    File::open(path)?.take(BEGINNING).read_to_end(&mut beginning)?;
    if is_ours(&beginning) {
        return Ok(());
    }
    Err(io::Error::other("there is a file of another kind, which is not overwritten"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_folder_is_made_where_a_file_is() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        std::fs::write(&file, "").unwrap();
        for path in [file.clone(), file.join("below")] {
            assert!(make_folder(&path).unwrap_err().to_string().contains("a file where a folder should be"));
        }
        assert!(make_folder(&place.path().join("a/b")).is_ok() && place.path().join("a/b").is_dir());
    }

    #[test]
    fn only_files_of_a_sensible_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, "abc").unwrap();
        assert_eq!(read_file(&path, 3).unwrap(), b"abc");
        assert!(read_file(&path, 2).unwrap_err().to_string().contains("larger than"));
        assert!(read_file(folder.path(), 3).unwrap_err().to_string().contains("not a regular file"));
        assert!(append_to(folder.path()).is_err());
        // A hole takes no room on the disk and would take all memory.
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(read_file(&path, 1 << 20).is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_without_a_length_is_not_read_before_it_is_replaced() {
        // The first would keep the program waiting for ever, if it may read it.
        for path in ["/proc/kmsg", "/proc/self/environ"] {
            assert!(may_be_replaced(Path::new(path), |_| false).is_ok(), "{path}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn devices_and_pipes_are_refused_before_they_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [&pipe, Path::new("/dev/zero"), Path::new("/dev/null")] {
            assert!(read_file(path, 1 << 20).is_err(), "{path:?}");
            assert!(append_to(path).is_err(), "{path:?}");
        }
    }

    #[test]
    fn a_stamp_tells_of_changes_and_does_not_rely_on_a_fresh_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, "abc").unwrap();
        assert_eq!(FileStamp::of(&path), None);
        let date = |seconds| {
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
            FileStamp::of(&path).unwrap()
        };
        let one = date(1_000_000);
        assert_eq!(date(1_000_000), one);
        assert_ne!(date(1_000_001), one);
        assert_eq!(FileStamp::of(folder.path()), None);
    }
}
