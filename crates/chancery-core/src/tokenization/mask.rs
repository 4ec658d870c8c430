//! What a caller with only a partial rule sees of a message.

use chancery_types::{MaskTemplate, RevealFrom, wire::token_profiles::ControlRule};

/// So many messages must stay possible beside a masked one. Fewer are tried out, or looked up, as easily as the message
/// itself is read.
pub(crate) const CANDIDATES_MIN: u64 = 100_000;

/// How a partial Control Rule shows a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mask {
    /// What stays readable.
    pub(crate) shows: Reveals,
    /// What stands for each hidden symbol.
    pub(crate) with: char,
    /// What this one and the other masks over the same tokens show between them.
    pub(crate) together: Reveals,
}

/// What masks show of a value: so many symbols at its beginning, and so many at its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Reveals {
    start: usize,
    end: usize,
    /// And at its end the domain of an e-mail address, which each value has another one of.
    domain: bool,
}

impl Reveals {
    /// What a partial rule shows.
    pub(crate) fn of_rule(rule: &ControlRule) -> Self {
        let reveal = usize::try_from(rule.reveal.unwrap_or_default()).unwrap_or(usize::MAX);
        let by_number = || Self::of(reveal, rule.reveal_from.unwrap_or(RevealFrom::End));
        rule.mask.map_or_else(by_number, Self::of_template)
    }

    const fn of_template(template: MaskTemplate) -> Self {
        let (start, end) = match template {
            MaskTemplate::FirstOne => (1, 0),
            MaskTemplate::FirstSix => (6, 0),
            MaskTemplate::FirstSixLastFour => (6, 4),
            MaskTemplate::LastTwo => (0, 2),
            MaskTemplate::LastFour => (0, 4),
            MaskTemplate::FirstAndLast => (1, 1),
            MaskTemplate::EmailDomain => (0, 0),
        };
        Self { start, end, domain: matches!(template, MaskTemplate::EmailDomain) }
    }

    pub(crate) fn of(reveal: usize, from: RevealFrom) -> Self {
        match from {
            RevealFrom::Start => Self { start: reveal, ..Self::default() },
            RevealFrom::End => Self { end: reveal, ..Self::default() },
        }
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self { start: self.start.max(other.start), end: self.end.max(other.end), domain: self.domain || other.domain }
    }

    /// So many symbols, but for those of a domain.
    pub(crate) const fn count(self) -> usize {
        self.start.saturating_add(self.end)
    }

    /// Whether it shows more than the other. A domain is less than any symbol that is counted.
    pub(crate) fn is_more_than(self, other: Self) -> bool {
        (self.count(), self.domain) > (other.count(), other.domain)
    }

    /// Of a value whose last symbols, this many, are an e-mail address's domain.
    fn of_value(self, domain: usize) -> Self {
        let end = if self.domain { self.end.max(domain) } else { self.end };
        Self { end, domain: false, ..self }
    }

    /// How many of so many symbols stay readable at the beginning and at the end. A value that is not longer than what may
    /// be revealed reveals nothing, for otherwise short values would be open to all.
    const fn shown(self, symbols: usize) -> (usize, usize) {
        if symbols > self.count() { (self.start, self.end) } else { (0, 0) }
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
    pub(crate) const fn new(shows: Reveals, with: char) -> Self {
        Self { shows, with, together: shows }
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
        candidates: impl FnOnce(usize, Reveals) -> u64,
    ) {
        let symbols = value.clone().filter(|&(_, is_symbol)| is_symbol).count();
        let domain = if self.together.domain { domain(value.clone()) } else { 0 };
        let (shows, together) = (self.shows.of_value(domain), self.together.of_value(domain));
        let hides = shows.count() > 0 && candidates(symbols, together) >= CANDIDATES_MIN;
        let (start, end) = if hides { shows.shown(symbols) } else { (0, 0) };
        let mut place = 0;
        for (character, is_symbol) in value {
            let hidden = is_symbol && (start..symbols - end).contains(&place);
            out.push(if hidden { self.with } else { character });
            place += usize::from(is_symbol);
        }
    }
}

/// How many symbols there are from the last `@` on.
fn domain(value: impl Iterator<Item = (char, bool)>) -> usize {
    let mut symbols = None;
    for (character, is_symbol) in value {
        if character == '@' {
            symbols = Some(0);
        }
        symbols = symbols.map(|symbols| symbols + usize::from(is_symbol));
    }
    symbols.unwrap_or_default()
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
        Mask::new(Reveals::of(reveal, from), '*').append(&mut out, marked, |_, _| candidates);
        out.split_off(5)
    }

    fn by_template(template: MaskTemplate, value: &str) -> String {
        let mut out = String::new();
        let marked = value.chars().map(|character| (character, character != '-'));
        let mask = Mask::new(Reveals::of_template(template), '*');
        mask.append(&mut out, marked, |symbols, together| {
            let (start, end) = together.of_symbols(symbols);
            values(10, symbols - start - end)
        });
        out
    }

    #[test]
    fn templates_reveal_what_their_names_say() {
        let pan = "4111-1111-1111-1234";
        let shown = MaskTemplate::ALL.iter().map(|template| by_template(*template, pan)).collect::<Vec<_>>();
        assert_eq!(
            shown,
            [
                "4***-****-****-****",
                "4111-11**-****-****",
                "4111-11**-****-1234",
                "****-****-****-**34",
                "****-****-****-1234",
                "4***-****-****-***4",
                "****-****-****-****",
            ]
        );
    }

    #[test]
    fn of_an_email_address_the_domain_is_revealed_where_enough_of_it_is_hidden() {
        let masked = |value| by_template(MaskTemplate::EmailDomain, value);
        assert_eq!(masked("jane.doe@example.com"), "********@example.com");
        assert_eq!(masked("\"j@k\"12@example.com"), "*******@example.com", "from the last one on");
        // Of fewer than five hidden symbols too few candidates are left.
        assert_eq!(masked("jane@example.com"), "****************");
        assert_eq!(masked("@example.com"), "************");
        assert_eq!(masked("no address"), "**********");
    }

    /// What one role sees of the end tells another that sees the beginning, of the domain as of digits.
    #[test]
    fn a_domain_counts_beside_what_others_see() {
        let start = Reveals::of(5, RevealFrom::Start);
        let mask = Mask::new(Reveals::of_template(MaskTemplate::EmailDomain), '*').beside(start);
        let mut hidden = 0;
        let value = "jane.doe@example.com".chars().map(|character| (character, true));
        mask.append(&mut String::new(), value, |symbols, together| {
            let (start, end) = together.of_symbols(symbols);
            hidden = symbols - start - end;
            CANDIDATES_MIN
        });
        assert_eq!(hidden, 3);
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
