//! How a batch is described and what it answers.

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
    /// Whether value and tweak lie within buffers of these lengths.
    #[inline]
    pub(crate) fn check(&self, symbols: usize, tweaks: usize) -> Result<(), Error> {
        let within = |start: usize, length, end| start.checked_add(length).is_some_and(|sum| sum <= end);
        if within(self.start, self.length, symbols) && within(self.tweak_start, self.tweak_length, tweaks) {
            Ok(())
        } else {
            Err(Error::OutOfBounds)
        }
    }
}
