//! How a batch is described and what it answers.

use core::ops::Range;

use crate::Error;

/// Where one value of a batch is: its symbols in the buffer of symbols, its tweak in the buffer of tweaks.
///
/// Items may share a tweak, and a tweak may be empty.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Item {
    /// Index of the first symbol.
    pub start: usize,
    /// Number of symbols.
    pub length: usize,
    /// Index of the tweak's first byte.
    pub tweak_start: usize,
    /// Bytes in the tweak.
    pub tweak_length: usize,
}

/// One value of a batch that was refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Failure {
    /// Index of the item.
    pub index: usize,
    /// Why.
    pub error: Error,
}

impl Item {
    /// The value's part of the buffer, which may not be so long.
    #[inline(always)]
    pub(crate) fn value(&self) -> Option<Range<usize>> {
        Some(self.start..self.start.checked_add(self.length)?)
    }

    /// The tweak's part of the buffer, which may not be so long.
    #[inline(always)]
    pub(crate) fn tweak(&self) -> Option<Range<usize>> {
        Some(self.tweak_start..self.tweak_start.checked_add(self.tweak_length)?)
    }
}
