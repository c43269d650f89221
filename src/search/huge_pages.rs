//! Zeroed memory in large pages, where the system has them.
//!
//! Reads of a hash table are scattered. With pages of four kilobytes most of them miss the TLB, and looking up the
//! page costs more than the read itself; with pages of two megabytes hardly any miss.

use std::marker::PhantomData;
use std::ops::Deref;

use bytemuck::Zeroable;
use memmap2::MmapMut;

/// Values of `T`, all zero at first. They are shared, so `T` must have interior mutability.
pub(super) struct Pages<T> {
    map: MmapMut,
    len: usize,
    holds: PhantomData<T>,
}

impl<T: Zeroable + Sync> Pages<T> {
    /// Room for `len` values; `None` if the system refuses.
    pub(super) fn zeroed(len: usize) -> Option<Self> {
        const { assert!(align_of::<T>() <= 4096 && !std::mem::needs_drop::<T>() && size_of::<T>() > 0) };
        let map = MmapMut::map_anon(len.checked_mul(size_of::<T>())?.max(1)).ok()?;
        // Only a hint: without huge pages everything works, if slower.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Some(Self { map, len, holds: PhantomData })
    }
}

impl<T: Zeroable + Sync> Deref for Pages<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the mapping is ours alone, starts at a page and so is aligned for `T`, holds `len` values, was
        // zeroed by the system, which is valid for `T`, and lives as long as the borrow. Nothing else looks at
        // its bytes.
        #[expect(unsafe_code, reason = "no safe interface makes a slice of atomics from a mapping")]
        unsafe {
            std::slice::from_raw_parts(self.map.as_ptr().cast(), self.len)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn pages_are_zero_and_keep_what_is_stored() {
        let pages = Pages::<AtomicU64>::zeroed(100_000).unwrap();
        assert!(pages.iter().all(|word| word.load(Ordering::Relaxed) == 0));
        pages[99_999].store(7, Ordering::Relaxed);
        assert_eq!(pages.iter().map(|word| word.load(Ordering::Relaxed)).sum::<u64>(), 7);
        assert_eq!(pages.len(), 100_000);
    }

    #[test]
    fn more_than_there_is_address_space_for_is_refused() {
        assert!(Pages::<AtomicU64>::zeroed(usize::MAX / 4).is_none());
        assert!(Pages::<AtomicU64>::zeroed(1 << 58).is_none());
    }
}
