//! How records hang together. The hash after a record is SHA-256 over the hash before it, its number and the hash of its
//! body; the MAC of the record is over that. So a record's MAC vouches for all records before it, and a hash that
//! somebody keeps elsewhere does so even against whoever has the key.

use std::{fmt, str::FromStr};

use sha2::{Digest as _, Sha256};

/// A SHA-256 hash.
pub(crate) type Hash = [u8; 32];

/// How far a journal goes: the place of its newest record, and the hash of all records up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The segment, counted from 1.
    pub segment: u64,
    /// Number of the newest record, counted from 1 through all segments.
    pub record: u64,
    /// The hash; before the segment's first record that of its header, which has the hash before.
    pub hash: [u8; 32],
}

/// A body in the parts that it is made of: the tags of a batch, which are nearly all of it, are not copied into one.
pub(crate) type Parts<'b> = [&'b [u8]; 2];

/// Separates the hashes of headers from those of records.
const SEGMENT: &[u8] = b"chancery journal segment\0";
const RECORD: &[u8] = b"chancery journal record\0\0";

/// The hash with which a segment begins; its header has the one with which the segment before ended.
pub(crate) fn of_header(header: &[u8]) -> Hash {
    Sha256::new().chain_update(SEGMENT).chain_update(header).finalize().into()
}

/// How the bodies of a segment are hashed: what its first bytes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bodies {
    /// All by SHA-256: of segments that older releases wrote.
    Sha256,
    /// Long ones, of batches, by BLAKE3: a third of what SHA-256 costs. Short ones by SHA-256, which costs less there.
    ByLength,
}

/// Bodies that are so long are hashed by BLAKE3, several parts at a time.
const LONG: usize = 4 * 1_024;

/// BLAKE3 has the processor hash as many parts side by side as lie together from a multiple of their length on. So the
/// first ones are put together: after the head alone the tags would begin between two multiples.
const TOGETHER: usize = 16 * 1_024;

fn hash_of_long(head: &[u8], tags: &[u8]) -> Hash {
    let (begin, rest) = match TOGETHER.checked_sub(head.len()) {
        Some(room) if !head.is_empty() => tags.split_at(room.min(tags.len())),
        _ => (&[][..], tags),
    };
    let first = [head, begin].concat();
    blake3::Hasher::new().update(&first).update(rest).finalize().into()
}

impl Bodies {
    /// The hash of a record's body.
    pub(crate) fn hash(self, body: Parts<'_>) -> Hash {
        let [head, tags] = body;
        match self {
            Self::ByLength if head.len() + tags.len() >= LONG => hash_of_long(head, tags),
            Self::ByLength | Self::Sha256 => Sha256::new().chain_update(head).chain_update(tags).finalize().into(),
        }
    }

    /// What a segment begins with.
    pub(crate) const fn magic(self) -> &'static [u8; 8] {
        match self {
            Self::Sha256 => b"CHYJRNL1",
            Self::ByLength => b"CHYJRNL2",
        }
    }

    pub(crate) fn of_magic(magic: &[u8]) -> Option<Self> {
        [Self::Sha256, Self::ByLength].into_iter().find(|bodies| bodies.magic() == magic)
    }
}

/// How the bodies of new segments are hashed.
pub(crate) const BODIES: Bodies = Bodies::ByLength;

/// The hash after a record.
pub(crate) fn next(before: &Hash, record: u64, body: &Hash) -> Hash {
    let mut hash = Sha256::new();
    hash.update(RECORD);
    hash.update(record.to_be_bytes());
    hash.update(before);
    hash.update(body);
    hash.finalize().into()
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:", self.segment, self.record)?;
        self.hash.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// No head has this form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a head has the form SEGMENT:RECORD:HASH, the hash as 64 hexadecimal digits")]
pub struct NoHead;

impl FromStr for Head {
    type Err = NoHead;

    fn from_str(text: &str) -> Result<Self, NoHead> {
        let mut parts = text.trim().split(':');
        let (Some(segment), Some(record), Some(digits), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(NoHead);
        };
        let mut hash = [0; 32];
        if digits.len() != 64 || !digits.is_ascii() {
            return Err(NoHead);
        }
        for (place, byte) in hash.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).map_err(|_| NoHead)?;
        }
        let number = |text: &str| text.parse().map_err(|_| NoHead);
        Ok(Self { segment: number(segment)?, record: number(record)?, hash })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_a_text_that_people_can_keep() {
        let head = Head { segment: 3, record: 70_000, hash: std::array::from_fn(|place| 8 * place as u8) };
        assert_eq!(head.to_string().parse(), Ok(head));
        for bad in ["", "3:7", "3:7:00", &format!("x{head}"), &format!("{head}:1"), "1:1:é"] {
            assert_eq!(bad.parse::<Head>(), Err(NoHead), "{bad}");
        }
    }
}
