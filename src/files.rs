//! Files that one process has at a time, and files that are never half written.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::Path;

/// Opens a file, makes it if it is not there, and locks it for as long as it is open, however the program ends. `None`
/// if another process has it.
pub fn locked(path: &Path) -> io::Result<Option<File>> {
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

/// Writes a file whole or not at all.
pub fn write_whole(path: &Path, contents: impl AsRef<[u8]>) -> io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        // A device or a pipe is written to, never replaced by a file.
        return std::fs::write(path, contents);
    }
    let partial = path.with_added_extension("partial");
    std::fs::write(&partial, contents).and_then(|()| std::fs::rename(&partial, path)).inspect_err(|_| {
        // After a full disk nothing half written is left.
        let _ = std::fs::remove_file(&partial);
    })
}

/// How much of a file tells what it is.
const BEGINNING: u64 = 1 << 10;

/// Refuses to put a file where a device or a folder is, or in place of a file of another kind, which may be somebody's
/// work. `is_ours` sees how the file begins; one that is empty is nobody's.
pub fn may_be_replaced(path: &Path, is_ours: impl FnOnce(&[u8]) -> bool) -> io::Result<()> {
    let there = match std::fs::metadata(path) {
        Ok(there) => there,
        // What else is wrong with the place is found out by writing.
        Err(_) => return Ok(()),
    };
    if !there.is_file() {
        return Err(io::Error::other("there is something else than a file"));
    }
    let mut beginning = Vec::new();
    File::open(path)?.take(BEGINNING).read_to_end(&mut beginning)?;
    if beginning.is_empty() || is_ours(&beginning) {
        return Ok(());
    }
    Err(io::Error::other("there is a file of another kind, which is not overwritten"))
}
