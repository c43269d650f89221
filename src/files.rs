//! Files that one process has at a time, and files that are never half written.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
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
