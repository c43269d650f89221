//! The header of a recording, its checksums, and errors.

use std::io;

use super::node::{SIZE, SIZE_2, SIZE_EARLY};
use crate::random::GOLDEN_RATIO;

/// Bytes of the header.
pub const HEADER: usize = 64;
/// Bytes of it that are in use; the others are zero.
const USED: usize = 48;
/// The first bytes of every recording.
pub(super) const MAGIC: [u8; 8] = *b"ESPTREE\n";
/// The version this program writes. It reads version 2 too, which has shorter records.
pub const VERSION: u32 = 3;
/// The longest text part; a longer one is damage.
const LONGEST_TEXT: u64 = 64 << 20;

/// The layout of a file.
pub(super) struct Header {
    /// Bytes of a record, which depend on the version.
    pub size: usize,
    pub meta_offset: u64,
    pub meta_length: u64,
    /// Of the whole file.
    pub length: u64,
    pub meta_sum: u64,
}

impl Header {
    pub(super) fn to_bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&(SIZE as u32).to_le_bytes());
        let longs = [self.meta_offset, self.meta_length, self.length, self.meta_sum];
        for (slot, value) in bytes[16..USED].chunks_exact_mut(8).zip(longs) {
            slot.copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; HEADER]) -> Result<Self, RecordingError> {
        if bytes[..8] != MAGIC {
            return Err(RecordingError::NotARecording);
        }
        let word = |at: usize| bytes[at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
        let long = |at: usize| bytes[at..].first_chunk().map_or(0, |long| u64::from_le_bytes(*long));
        let size = match word(8) {
            VERSION if word(12) == SIZE_EARLY as u32 => SIZE_EARLY,
            VERSION => SIZE,
            2 => SIZE_2,
            other => return Err(RecordingError::OtherVersion(other)),
        };
        if word(12) != size as u32 {
            return Err(RecordingError::Damaged(format!(
                "its nodes should have {size} bytes, not {}",
                word(12)
            )));
        }
        if bytes[USED..].iter().any(|byte| *byte != 0) {
            return Err(RecordingError::Damaged("its header is not what was written".to_owned()));
        }
        Ok(Self { size, meta_offset: long(16), meta_length: long(24), length: long(32), meta_sum: long(40) })
    }

    pub(super) fn check(&self, length: u64) -> Result<(), RecordingError> {
        if length != self.length {
            return Err(RecordingError::Length { is: length, should: self.length });
        }
        let fits = self.meta_offset.checked_add(self.meta_length) == Some(self.length);
        if !fits || self.meta_length > LONGEST_TEXT || self.meta_offset < HEADER as u64 {
            return Err(RecordingError::Damaged("its header contradicts itself".to_owned()));
        }
        Ok(())
    }
}

/// One round of mixing for the checksums.
fn mixed(value: u64) -> u64 {
    let value = (value ^ value >> 31).wrapping_mul(GOLDEN_RATIO);
    value ^ value >> 29
}

/// The checksum of bytes.
pub(super) fn text_sum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(bytes.len() as u64, |sum, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mixed(sum ^ u64::from_le_bytes(word))
    })
}

/// The checksum of a record. The sum over all records does not depend on their order.
pub(super) fn record_sum(index: u32, bytes: &[u8]) -> u64 {
    mixed(text_sum(bytes) ^ mixed(u64::from(index)))
}

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is a file of another kind.
    #[error("not a recording of a search tree")]
    NotARecording,
    /// Written by another version of the format.
    #[error("a recording in version {0} of the format; this program reads 2 and {VERSION}")]
    OtherVersion(u32),
    /// It is shorter or longer than its header says.
    #[error("{}", wrong_length(*.is, *.should))]
    Length {
        /// Bytes in the file.
        is: u64,
        /// Bytes there should be.
        should: u64,
    },
    /// It contradicts itself.
    #[error("damaged: {0}")]
    Damaged(String),
    /// It has no such tree or node.
    #[error("there is no {0} in it")]
    Missing(String),
}

fn wrong_length(is: u64, should: u64) -> String {
    if is < should {
        format!("truncated: {is} of {should} bytes are there")
    } else {
        format!("damaged: {is} bytes where {should} should be")
    }
}
