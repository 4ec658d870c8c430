//! As much of CBOR (RFC 8949) as authenticators write: the canonical form of CTAP2, which has one encoding for each value.
//! What is not in that form is refused. Nothing is allocated for what a length merely claims.

/// How deep values lie in each other: attestation statements have three levels.
const DEPTH_MAX: usize = 8;

/// Members of a map, and of an array: certificates of a statement are few.
const MEMBERS_MAX: u64 = 32;

/// Reads one value after the other from bytes that anybody may have sent.
#[derive(Clone)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

/// A key of a map: a small number, as in keys of COSE, or a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key<'a> {
    Number(i64),
    Text(&'a str),
}

/// The first three bits of a value.
mod major {
    pub(super) const UNSIGNED: u8 = 0;
    pub(super) const NEGATIVE: u8 = 1;
    pub(super) const BYTES: u8 = 2;
    pub(super) const TEXT: u8 = 3;
    pub(super) const ARRAY: u8 = 4;
    pub(super) const MAP: u8 = 5;
    pub(super) const SIMPLE: u8 = 7;
}

impl<'a> Reader<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What was not read.
    pub(super) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    fn take(&mut self, len: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(usize::try_from(len).ok()?)?;
        self.rest = rest;
        Some(taken)
    }

    /// The kind of a value, and its number or length, in the shortest form.
    fn head(&mut self) -> Option<(u8, u64)> {
        let first = *self.take(1)?.first()?;
        let (major, low) = (first >> 5, first & 31);
        let argument = |bytes: &[u8]| bytes.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        let (number, least) = match low {
            0..=23 => (u64::from(low), 0),
            24 => (argument(self.take(1)?), 24),
            25 => (argument(self.take(2)?), 1 << 8),
            26 => (argument(self.take(4)?), 1 << 16),
            27 => (argument(self.take(8)?), 1 << 32),
            // 31 is a length that is not said, the others are reserved.
            _ => return None,
        };
        (number >= least).then_some((major, number))
    }

    pub(super) fn number(&mut self) -> Option<i64> {
        match self.head()? {
            (major::UNSIGNED, number) => i64::try_from(number).ok(),
            (major::NEGATIVE, number) => Some(-1 - i64::try_from(number).ok()?),
            _ => None,
        }
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        match self.head()? {
            (major::BYTES, len) => self.take(len),
            _ => None,
        }
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        match self.head()? {
            (major::TEXT, len) => std::str::from_utf8(self.take(len)?).ok(),
            _ => None,
        }
    }

    /// How many members a map has.
    pub(super) fn map(&mut self) -> Option<u64> {
        match self.head()? {
            (major::MAP, members) if members <= MEMBERS_MAX => Some(members),
            _ => None,
        }
    }

    pub(super) fn key(&mut self) -> Option<Key<'a>> {
        match self.rest.first()? >> 5 {
            major::TEXT => self.text().map(Key::Text),
            _ => self.number().map(Key::Number),
        }
    }

    /// Passes over a value, whatever it is.
    pub(super) fn skip(&mut self) -> Option<()> {
        self.skip_within(DEPTH_MAX)
    }

    fn skip_within(&mut self, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match self.head()? {
            (major::UNSIGNED | major::NEGATIVE, _) => Some(()),
            (major::BYTES | major::TEXT, len) => self.take(len).map(drop),
            (major::ARRAY, members) if members <= MEMBERS_MAX => (0..members).try_for_each(|_| self.skip_within(depth)),
            (major::MAP, members) if members <= MEMBERS_MAX => {
                (0..2 * members).try_for_each(|_| self.skip_within(depth))
            }
            // false, true and null; nobody has numbers with a point or tags here.
            (major::SIMPLE, 20..=22) => Some(()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_in_their_one_form() {
        let mut reader = Reader::new(&[0x18, 0x64, 0x38, 0x63, 0x42, 1, 2, 0x61, b'a', 0xa1, 0x01, 0x26]);
        assert_eq!((reader.number(), reader.number()), (Some(100), Some(-100)));
        assert_eq!((reader.bytes(), reader.text()), (Some([1_u8, 2].as_slice()), Some("a")));
        assert_eq!((reader.map(), reader.key(), reader.number()), (Some(1), Some(Key::Number(1)), Some(-7)));
        assert!(reader.rest().is_empty());
        // Longer than it has to be, without a length, reserved, and of another kind.
        for bytes in [&[0x18, 0x17][..], &[0x19, 0, 0xff], &[0x5f, 0x41, 1, 0xff], &[0x1c], &[0x41, 1], &[0x1b], &[]] {
            assert_eq!(Reader::new(bytes).number(), None, "{bytes:?}");
        }
    }

    #[test]
    fn no_length_is_believed() {
        for bytes in [&[0x5a, 0xff, 0xff, 0xff, 0xff, 1][..], &[0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]] {
            assert_eq!(Reader::new(bytes).bytes(), None);
            assert_eq!(Reader::new(bytes).skip(), None);
        }
        assert_eq!(Reader::new(&[0x98, 33]).skip(), None, "so many members has nobody");
        assert_eq!(Reader::new(&[0xb8, 33]).map(), None);
        assert_eq!(Reader::new(&[0x81; 4_000]).skip(), None, "nor lie they so deep");
        let mut within = vec![0x81; DEPTH_MAX - 1];
        within.push(0xf6);
        assert_eq!(Reader::new(&within).skip(), Some(()));
        within.insert(0, 0x81);
        assert_eq!(Reader::new(&within).skip(), None);
    }
}
