//! Many values at once.

use alloc::vec::Vec;

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
    /// The value's part of the buffer.
    fn value<'a, T>(&self, symbols: &'a mut [T]) -> Result<&'a mut [T], Error> {
        let end = self.start.checked_add(self.length).ok_or(Error::OutOfBounds)?;
        symbols.get_mut(self.start..end).ok_or(Error::OutOfBounds)
    }

    /// The tweak's part of the buffer.
    fn tweak<'a>(&self, tweaks: &'a [u8]) -> Result<&'a [u8], Error> {
        let end = self.tweak_start.checked_add(self.tweak_length).ok_or(Error::OutOfBounds)?;
        tweaks.get(self.tweak_start..end).ok_or(Error::OutOfBounds)
    }
}

/// One item after the other.
pub(crate) fn each<T>(
    symbols: &mut [T],
    tweaks: &[u8],
    items: &[Item],
    mut crypt: impl FnMut(&[u8], &mut [T]) -> Result<(), Error>,
) -> Vec<Failure> {
    let mut failures = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let outcome = item.tweak(tweaks).and_then(|tweak| crypt(tweak, item.value(symbols)?));
        failures.extend(outcome.err().map(|error| Failure { index, error }));
    }
    failures
}
