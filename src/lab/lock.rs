//! Files that one process has at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

/// Opens a file, makes it if it is not there, and locks it for as long as it is open, however the program ends. `None`
/// if another process has it.
pub fn locked(path: &Path) -> std::io::Result<Option<File>> {
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
