//! Groups of numbers: those of some ranges, all written in one width.

use super::Flaw;

/// More digits would not fit one place of a mixed number.
pub(super) const WIDTH_MAX: usize = 9;

/// Numbers of one width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Numbers {
    width: usize,
    /// First and last, ascending, without overlap.
    ranges: Vec<(u32, u32)>,
}

impl Numbers {
    /// `ranges` as written, each with its position.
    pub(super) fn new(ranges: &[(usize, &str, &str)]) -> Result<Self, Flaw> {
        let width = ranges.first().map_or(0, |(_, first, _)| first.len());
        let mut numbers = Self { width, ranges: Vec::new() };
        for &(position, first, last) in ranges {
            let flaw = |message: String| Flaw { position, message };
            if first.len() != width || last.len() != width || width > WIDTH_MAX {
                return Err(flaw(format!(
                    "all numbers of a group are written with the same number of digits, 1 to {WIDTH_MAX}."
                )));
            }
            let parse = |text: &str| text.parse::<u32>().map_err(|_| flaw("a number has digits only.".into()));
            let (first, last) = (parse(first)?, parse(last)?);
            if first > last || numbers.ranges.last().is_some_and(|&(_, before)| before >= first) {
                return Err(flaw("ranges are written from the lowest number to the highest, without overlap.".into()));
            }
            numbers.ranges.push((first, last));
        }
        Ok(numbers)
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// First and last of each range, ascending.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (u32, u32)> {
        self.ranges.iter().copied()
    }

    /// How many numbers there are.
    pub(super) fn size(&self) -> u32 {
        self.ranges.iter().map(|(first, last)| last - first + 1).sum()
    }

    /// The position of a number among all, from 0.
    pub(super) fn rank(&self, digits: &[char]) -> Option<u32> {
        let number = digits.iter().try_fold(0, |number, digit| Some(number * 10 + digit.to_digit(10)?))?;
        let mut before = 0;
        for &(first, last) in &self.ranges {
            if (first..=last).contains(&number) {
                return Some(before + (number - first));
            }
            before += last - first + 1;
        }
        None
    }

    /// Writes the number at this position, which must be below [`size`](Self::size).
    pub(super) fn put(&self, rank: u32, digits: &mut [char]) {
        let mut left = rank;
        for &(first, last) in &self.ranges {
            let size = last - first + 1;
            if left < size {
                return put_number(first + left, digits);
            }
            left -= size;
        }
    }
}

/// Writes a number with leading zeros.
pub(super) fn put_number(mut number: u32, digits: &mut [char]) {
    for digit in digits.iter_mut().rev() {
        *digit = char::from_digit(number % 10, 10).unwrap_or('0');
        number /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_of_social_security_numbers() {
        let areas = Numbers::new(&[(1, "001", "665"), (10, "667", "899")]).unwrap();
        assert_eq!((areas.width(), areas.size()), (3, 898));
        let rank = |text: &str| areas.rank(&text.chars().collect::<Vec<_>>());
        assert_eq!((rank("001"), rank("665"), rank("667"), rank("899")), (Some(0), Some(664), Some(665), Some(897)));
        for refused in ["000", "666", "900", "999", "12a", "١٢٣"] {
            assert_eq!(rank(refused), None, "{refused}");
        }
        for position in 0..898 {
            let mut text = ['x'; 3];
            areas.put(position, &mut text);
            assert_eq!(areas.rank(&text), Some(position));
        }
    }

    #[test]
    fn the_widest() {
        let all = Numbers::new(&[(0, "000000000", "999999999")]).unwrap();
        assert_eq!(all.size(), 1_000_000_000);
        assert!(Numbers::new(&[(0, "0000000000", "0000000001")]).unwrap_err().message.contains("1 to 9"));
    }
}
