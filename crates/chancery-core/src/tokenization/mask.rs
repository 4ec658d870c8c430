//! What a caller with only a partial rule sees of a message.

use chancery_types::RevealFrom;

/// How a partial Control Rule shows a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mask {
    /// So many symbols stay readable.
    pub(crate) reveal: usize,
    /// At this end.
    pub(crate) from: RevealFrom,
    /// What stands for each hidden symbol.
    pub(crate) with: char,
}

impl Mask {
    /// Appends `value` as the caller may see it. Only symbols are counted and masked. A value that is
    /// not longer than what may be revealed reveals nothing, for otherwise short values would be open to all.
    pub(crate) fn append(&self, out: &mut String, value: &str, is_symbol: impl Fn(char) -> bool) {
        self.append_marked(out, value.chars().map(|character| (character, is_symbol(character))));
    }

    /// Appends characters as the caller may see them; only those that are marked as symbols are counted and masked.
    pub(crate) fn append_marked(&self, out: &mut String, value: impl Iterator<Item = (char, bool)> + Clone) {
        let symbols = value.clone().filter(|&(_, is_symbol)| is_symbol).count();
        let reveal = if symbols > self.reveal { self.reveal } else { 0 };
        let shown = match self.from {
            RevealFrom::Start => 0..reveal,
            RevealFrom::End => symbols - reveal..symbols,
        };
        let mut place = 0;
        for (character, is_symbol) in value {
            let hidden = is_symbol && !shown.contains(&place);
            out.push(if hidden { self.with } else { character });
            place += usize::from(is_symbol);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(value: &str, reveal: usize, from: RevealFrom) -> String {
        let mut out = String::from("kept ");
        Mask { reveal, from, with: '*' }.append(&mut out, value, |symbol| symbol.is_ascii_digit());
        out.split_off(5)
    }

    #[test]
    fn reveals_so_many_symbols_at_one_end() {
        assert_eq!(masked("4111 1111-1111 1234", 4, RevealFrom::End), "**** ****-**** 1234");
        assert_eq!(masked("4111 1111-1111 1234", 6, RevealFrom::Start), "4111 11**-**** ****");
        assert_eq!(masked("4111111111111234", 0, RevealFrom::End), "****************");
    }

    #[test]
    fn a_value_not_longer_than_that_reveals_nothing() {
        assert_eq!(masked("12-34", 4, RevealFrom::End), "**-**");
        assert_eq!(masked("1234", 9, RevealFrom::Start), "****");
        assert_eq!(masked("12345", 4, RevealFrom::End), "*2345");
        assert_eq!(masked("", 4, RevealFrom::End), "");
    }
}
