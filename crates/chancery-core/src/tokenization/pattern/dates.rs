//! Groups that are a date: the days of a range, in a layout.

use std::ops::{Range, RangeInclusive};

use jiff::{ToSpan, civil::Date};

use super::{Flaw, numbers::put_number};

/// Digits of a date.
pub(super) const DIGITS: usize = 8;

/// What a range is where none is said.
const RANGE: (Date, Date) = (jiff::civil::date(1900, 1, 1), jiff::civil::date(2099, 12, 31));

/// What may stand between year, month and day.
const SEPARATORS: [char; 4] = ['-', '.', '/', ' '];

/// The days from one to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dates {
    layout: Vec<Field>,
    first: Date,
    last: Date,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Year,
    Month,
    Day,
    Separator(char),
}

impl Dates {
    /// `layout` and, if given, `first..last`, as written. `position` is where the layout begins.
    pub(super) fn new(layout: &str, range: Option<&str>, position: usize) -> Result<Self, Flaw> {
        let flaw = |message: &str| Flaw { position, message: message.into() };
        let fields = parse_layout(layout).ok_or_else(|| {
            flaw("a date's layout has YYYY, MM and DD once each, with - . / or a space between them.")
        })?;
        let (first, last) = match range {
            None => RANGE,
            Some(range) => parse_range(range)
                .ok_or_else(|| flaw("a date's range is YYYY-MM-DD..YYYY-MM-DD, of two days at least."))?,
        };
        Ok(Self { layout: fields, first, last })
    }

    /// Characters of a date.
    pub(super) fn width(&self) -> usize {
        self.layout.iter().map(|field| field.width()).sum()
    }

    /// How many days there are.
    pub(super) fn size(&self) -> u32 {
        self.days_to(self.last).map_or(0, |days| days + 1)
    }

    pub(super) fn separators(&self) -> impl Iterator<Item = char> {
        self.layout.iter().filter_map(|field| match field {
            Field::Separator(separator) => Some(*separator),
            Field::Year | Field::Month | Field::Day => None,
        })
    }

    pub(super) fn has_separator(&self, character: char) -> bool {
        self.layout.contains(&Field::Separator(character))
    }

    /// Whether the character at `index` is a digit, and not a separator.
    pub(super) fn is_digit(&self, index: usize) -> bool {
        let mut at = 0;
        for field in &self.layout {
            at += field.width();
            if index < at {
                return !matches!(field, Field::Separator(_));
            }
        }
        false
    }

    /// Which of the digits are the year's, the month's and the day's.
    pub(super) fn digits(&self) -> [Range<usize>; 3] {
        [Field::Year, Field::Month, Field::Day].map(|field| {
            let before = self.layout.iter().take_while(|other| **other != field);
            let start = before.filter(|other| !matches!(other, Field::Separator(_))).map(|other| other.width()).sum();
            start..start + field.width()
        })
    }

    /// The years of which every day is in the range.
    pub(super) fn whole_years(&self) -> RangeInclusive<u32> {
        let begins = self.first.month() == 1 && self.first.day() == 1;
        let ends = self.last.month() == 12 && self.last.day() == 31;
        let year = |date: Date| u32::from(date.year().unsigned_abs());
        year(self.first) + u32::from(!begins)..=year(self.last).saturating_sub(u32::from(!ends))
    }

    /// The day's position in the range, from 0.
    pub(super) fn rank(&self, text: &[char]) -> Option<u32> {
        let (mut year, mut month, mut day) = (0, 0, 0);
        let mut rest = text;
        for field in &self.layout {
            let (here, after) = rest.split_at_checked(field.width())?;
            rest = after;
            let number = || here.iter().try_fold(0, |number, digit| Some(number * 10 + digit.to_digit(10)?));
            match field {
                Field::Year => year = number()?,
                Field::Month => month = number()?,
                Field::Day => day = number()?,
                Field::Separator(separator) if here == [*separator] => {}
                Field::Separator(_) => return None,
            }
        }
        let date = Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
        (self.first..=self.last).contains(&date).then(|| self.days_to(date)).flatten()
    }

    /// Writes the day at this position, which must be below [`size`](Self::size).
    pub(super) fn put(&self, rank: u32, text: &mut [char]) {
        let date = self.first.saturating_add(i64::from(rank).days());
        let mut at = 0;
        for field in &self.layout {
            let here = &mut text[at..at + field.width()];
            at += field.width();
            match field {
                Field::Year => put_number(u32::from(date.year().unsigned_abs()), here),
                Field::Month => put_number(u32::from(date.month().unsigned_abs()), here),
                Field::Day => put_number(u32::from(date.day().unsigned_abs()), here),
                Field::Separator(separator) => here.fill(*separator),
            }
        }
    }

    /// Days from the first one.
    fn days_to(&self, date: Date) -> Option<u32> {
        u32::try_from(self.first.until(date).ok()?.get_days()).ok()
    }
}

impl Field {
    fn width(self) -> usize {
        match self {
            Self::Year => 4,
            Self::Month | Self::Day => 2,
            Self::Separator(_) => 1,
        }
    }
}

fn parse_layout(text: &str) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let named = [("YYYY", Field::Year), ("MM", Field::Month), ("DD", Field::Day)];
        let found = named.into_iter().find_map(|(name, field)| Some((rest.strip_prefix(name)?, field)));
        let (after, field) = match found {
            Some((after, field)) if !fields.contains(&field) => (after, field),
            None if SEPARATORS.contains(&first) => (rest.strip_prefix(first)?, Field::Separator(first)),
            Some(_) | None => return None,
        };
        rest = after;
        fields.push(field);
    }
    [Field::Year, Field::Month, Field::Day].iter().all(|field| fields.contains(field)).then_some(fields)
}

fn parse_range(text: &str) -> Option<(Date, Date)> {
    let (first, last) = text.split_once("..")?;
    let date = |text: &str| (text.len() == 10).then(|| Date::strptime("%Y-%m-%d", text).ok()).flatten();
    let (first, last) = (date(first)?, date(last)?);
    (first.year() >= 0 && first < last).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(dates: &Dates, text: &str) -> Option<u32> {
        dates.rank(&text.chars().collect::<Vec<_>>())
    }

    #[test]
    fn days_of_a_range_in_order() {
        let dates = Dates::new("DD.MM.YYYY", None, 0).unwrap();
        assert_eq!((dates.width(), dates.size()), (10, 73_049));
        assert_eq!(rank(&dates, "01.01.1900"), Some(0));
        assert_eq!(rank(&dates, "31.12.2099"), Some(73_048));
        // 1900 was no leap year: the 60th day is the first of March. 2000 was one.
        assert_eq!(rank(&dates, "01.03.1900"), Some(59));
        assert_eq!(rank(&dates, "29.02.1900"), None);
        assert!(rank(&dates, "29.02.2000").is_some());
        for refused in
            ["31.04.2001", "00.01.2001", "01.13.2001", "31.12.1899", "01.01.2100", "01-01-2001", "1.01.02001"]
        {
            assert_eq!(rank(&dates, refused), None, "{refused}");
        }
        for position in 0..dates.size() {
            let mut text = ['x'; 10];
            dates.put(position, &mut text);
            assert_eq!(dates.rank(&text), Some(position));
        }
    }

    #[test]
    fn layouts_and_ranges() {
        let dates = Dates::new("YYYYMMDD", Some("2000-02-28..2000-03-01"), 0).unwrap();
        assert_eq!((dates.size(), rank(&dates, "20000229")), (3, Some(1)));
        for layout in ["", "YYYY-MM", "YYYY-MM-DD-DD", "YYYY:MM:DD", "YY-MM-DD", "yyyy-mm-dd"] {
            assert!(Dates::new(layout, None, 0).unwrap_err().message.contains("once each"), "{layout}");
        }
        for range in ["2000-01-01", "2000-01-01..2000-01-01", "2000-02-30..2001-01-01", "2001-01-01..2000-01-01"] {
            let error = Dates::new("YYYYMMDD", Some(range), 7).unwrap_err();
            assert_eq!((error.position, error.message.contains("two days at least")), (7, true), "{range}");
        }
    }
}
