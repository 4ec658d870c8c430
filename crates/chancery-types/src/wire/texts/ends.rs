//! Where the elements of an array end in its buffer.

use std::ops::Range;

/// Of each element where it ends in the buffer, and whether it is a text; a null ends where it begins. Texts of equally
/// many bytes, as most batches are, need no list of their ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ends(List);

/// `Each` is only what no `Even` is, so that equal ends compare as equal.
#[derive(Clone, Debug, PartialEq, Eq)]
enum List {
    /// So many texts of so many bytes each; 0 bytes where there is none.
    Even {
        count: usize,
        length: usize,
    },
    Each(Vec<(usize, bool)>),
}

impl Default for Ends {
    fn default() -> Self {
        Self(List::Even { count: 0, length: 0 })
    }
}

impl Ends {
    /// How many elements there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        match &self.0 {
            List::Even { count, .. } => *count,
            List::Each(ends) => ends.len(),
        }
    }

    /// Whether there is no element.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an element that ends here.
    pub fn push(&mut self, end: usize, is_text: bool) {
        match &mut self.0 {
            List::Even { count, length } if is_text && (*count == 0 || end == (*count + 1) * *length) => {
                *length = if *count == 0 { end } else { *length };
                *count += 1;
            }
            List::Even { .. } | List::Each(_) => self.extend(std::iter::once((end, is_text))),
        }
    }

    /// Adds so many texts of equally many bytes.
    pub fn push_even(&mut self, more: usize, bytes: usize) {
        let start = self.start(self.len());
        match &mut self.0 {
            _ if more == 0 => {}
            List::Even { count, length } if *count == 0 || *length == bytes => {
                *count += more;
                *length = bytes;
            }
            List::Even { .. } | List::Each(_) => {
                self.extend((1..=more).map(|index| (start + index * bytes, true)));
            }
        }
    }

    /// Adds those of another buffer, which begins where this one ends.
    pub(super) fn append(&mut self, other: &Self) {
        match &other.0 {
            List::Even { count, length } => self.push_even(*count, *length),
            List::Each(ends) => {
                let start = self.start(self.len());
                ends.iter().for_each(|&(end, is_text)| self.push(start + end, is_text));
            }
        }
    }

    /// Where an element ends, and whether it is a text.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<(usize, bool)> {
        match &self.0 {
            List::Even { count, length } => (index < *count).then(|| ((index + 1) * length, true)),
            List::Each(ends) => ends.get(index).copied(),
        }
    }

    /// Those from an element on.
    pub fn from(&self, index: usize) -> impl Iterator<Item = (usize, bool)> {
        (index..self.len()).filter_map(|index| self.at(index))
    }

    /// Where an element begins.
    pub(super) fn start(&self, index: usize) -> usize {
        index.checked_sub(1).and_then(|before| self.at(before)).map_or(0, |(end, _)| end)
    }

    /// How many bytes each of some elements has, if there are some and all are texts of equally many.
    pub(super) fn even(&self, range: Range<usize>) -> Option<usize> {
        match &self.0 {
            List::Even { count, length } => (range.start < range.end && range.end <= *count).then_some(*length),
            List::Each(ends) => {
                let start = self.start(range.start);
                let ends = ends.get(range)?;
                let length = ends.first()?.0 - start;
                let even = |(good, end), &element| (good & (element == (end, true)), end + length);
                let (good, _) = ends.iter().fold((true, start + length), even);
                good.then_some(length)
            }
        }
    }

    /// Whether they are those of this buffer.
    pub(super) fn fit(&self, buffer: &str) -> bool {
        let whole = self.len().checked_sub(1).and_then(|last| self.at(last)).map_or(0, |(end, _)| end) == buffer.len();
        let in_order = match &self.0 {
            List::Even { .. } => true,
            List::Each(ends) => ends.is_sorted_by_key(|&(end, _)| end),
        };
        whole && in_order && (buffer.is_ascii() || self.from(0).all(|(end, _)| buffer.is_char_boundary(end)))
    }

    fn extend(&mut self, more: impl Iterator<Item = (usize, bool)>) {
        match &mut self.0 {
            List::Each(ends) => ends.extend(more),
            List::Even { .. } => self.0 = List::Each(self.from(0).chain(more).collect()),
        }
    }
}
