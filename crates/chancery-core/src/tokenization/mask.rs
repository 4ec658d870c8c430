//! What a caller with only a partial rule sees of a message.

use std::ops::Range;

use chancery_types::RevealFrom;

/// So many messages must stay possible beside a masked one. Fewer are tried out, or looked up, as easily as the message
/// itself is read.
pub(crate) const CANDIDATES_MIN: u64 = 100_000;

/// How a partial Control Rule shows a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mask {
    /// So many symbols stay readable.
    pub(crate) reveal: usize,
    /// At this end.
    pub(crate) from: RevealFrom,
    /// What stands for each hidden symbol.
    pub(crate) with: char,
    /// What this one and the other masks over the same tokens show between them.
    pub(crate) together: Reveals,
}

/// What some masks show between them of a value: so many symbols at its beginning, and so many at its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Reveals {
    start: usize,
    end: usize,
}

impl Reveals {
    pub(crate) fn of(reveal: usize, from: RevealFrom) -> Self {
        match from {
            RevealFrom::Start => Self { start: reveal, end: 0 },
            RevealFrom::End => Self { start: 0, end: reveal },
        }
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self { start: self.start.max(other.start), end: self.end.max(other.end) }
    }

    /// How many of so many symbols are shown at the beginning, and how many others at the end. A mask that reveals no less
    /// than all of a value shows nothing of it, but a smaller one beside it may: so that counts as all but one.
    pub(crate) fn of_symbols(self, symbols: usize) -> (usize, usize) {
        let most = symbols.saturating_sub(1);
        let start = self.start.min(most);
        (start, self.end.min(most).min(symbols - start))
    }
}

impl Mask {
    /// A mask beside which there is no other.
    pub(crate) fn new(reveal: usize, from: RevealFrom, with: char) -> Self {
        Self { reveal, from, with, together: Reveals::of(reveal, from) }
    }

    /// The mask beside others over the same tokens.
    pub(crate) fn beside(self, others: Reveals) -> Self {
        Self { together: self.together.and(others), ..self }
    }

    /// Appends characters as the caller may see them; only those that are marked as symbols are counted and masked.
    /// `candidates` says for so many symbols how many messages stay possible for one who sees the token and what all masks
    /// over it reveal: where they are fewer than [`CANDIDATES_MIN`], everything is masked.
    pub(crate) fn append(
        &self,
        out: &mut String,
        value: impl Iterator<Item = (char, bool)> + Clone,
        candidates: impl FnOnce(usize) -> u64,
    ) {
        let symbols = value.clone().filter(|&(_, is_symbol)| is_symbol).count();
        let hides = self.reveal > 0 && candidates(symbols) >= CANDIDATES_MIN;
        let shown = if hides { self.shown(symbols) } else { 0..0 };
        let mut place = 0;
        for (character, is_symbol) in value {
            let hidden = is_symbol && !shown.contains(&place);
            out.push(if hidden { self.with } else { character });
            place += usize::from(is_symbol);
        }
    }

    /// Which of so many symbols are revealed. A value that is not longer than what may be revealed reveals nothing, for
    /// otherwise short values would be open to all.
    pub(crate) fn shown(&self, symbols: usize) -> Range<usize> {
        let reveal = if symbols > self.reveal { self.reveal } else { 0 };
        match self.from {
            RevealFrom::Start => 0..reveal,
            RevealFrom::End => symbols - reveal..symbols,
        }
    }
}

/// How many values so many symbols of this radix have, or the largest number.
pub(crate) fn values(radix: u32, symbols: usize) -> u64 {
    u64::from(radix).saturating_pow(u32::try_from(symbols).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(value: &str, reveal: usize, from: RevealFrom, candidates: u64) -> String {
        let mut out = String::from("kept ");
        let marked = value.chars().map(|character| (character, character.is_ascii_digit()));
        Mask::new(reveal, from, '*').append(&mut out, marked, |_| candidates);
        out.split_off(5)
    }

    #[test]
    fn reveals_so_many_symbols_at_one_end() {
        let masked = |value, reveal, from| masked(value, reveal, from, CANDIDATES_MIN);
        assert_eq!(masked("4111 1111-1111 1234", 4, RevealFrom::End), "**** ****-**** 1234");
        assert_eq!(masked("4111 1111-1111 1234", 6, RevealFrom::Start), "4111 11**-**** ****");
        assert_eq!(masked("4111111111111234", 0, RevealFrom::End), "****************");
    }

    #[test]
    fn a_value_not_longer_than_that_reveals_nothing() {
        let masked = |value, reveal, from| masked(value, reveal, from, CANDIDATES_MIN);
        assert_eq!(masked("12-34", 4, RevealFrom::End), "**-**");
        assert_eq!(masked("1234", 9, RevealFrom::Start), "****");
        assert_eq!(masked("12345", 4, RevealFrom::End), "*2345");
        assert_eq!(masked("", 4, RevealFrom::End), "");
    }

    #[test]
    fn masks_at_both_ends_show_both_ends() {
        let both = Reveals::of(6, RevealFrom::Start).and(Reveals::of(4, RevealFrom::End));
        assert_eq!(
            [16, 10, 8, 6, 4, 1, 0].map(|symbols| both.of_symbols(symbols)),
            [(6, 4), (6, 4), (6, 2), (5, 1), (3, 1), (0, 0), (0, 0)]
        );
        let smaller = both.and(Reveals::of(2, RevealFrom::Start));
        assert_eq!(smaller, both);
    }

    #[test]
    fn a_value_of_which_few_candidates_stay_reveals_nothing() {
        assert_eq!(masked("4111 1111", 4, RevealFrom::End, CANDIDATES_MIN - 1), "**** ****");
    }
}
