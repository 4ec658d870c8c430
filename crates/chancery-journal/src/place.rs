//! Where a walk through a journal is left, and goes on later.

use crate::chain::Hash;

/// Where a walk was left. Who goes on at a place that was made up finds faults where there are none, and no more than that: the
/// hash is what the MACs of the next records are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The segment that is read next.
    pub segment: u64,
    /// What of it was read; none where it is read from its beginning.
    pub read: Option<Read>,
}

/// How far a segment was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// The number of the newest record that was read.
    pub record: u64,
    /// The hash of all records up to it.
    pub hash: [u8; 32],
    /// Bytes up to there, not compressed.
    pub length: u64,
}

/// Bytes of a place.
const LEN: usize = 8 + 8 + 8 + size_of::<Hash>();

impl Place {
    pub(crate) const fn at_begin(segment: u64) -> Self {
        Self { segment, read: None }
    }

    /// As bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let Read { record, hash, length } = self.read.unwrap_or(Read { record: 0, hash: [0; 32], length: 0 });
        let numbers = [self.segment, record, length].map(u64::to_be_bytes);
        [&numbers.concat()[..], &hash].concat()
    }

    /// From bytes; none where these are of no place.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; LEN] = bytes.try_into().ok()?;
        let (numbers, hash) = bytes.split_first_chunk::<24>()?;
        let (numbers, _) = numbers.as_chunks::<8>();
        let [segment, record, length] = [numbers[0], numbers[1], numbers[2]].map(u64::from_be_bytes);
        // No segment is read up to its very beginning: its header is there.
        let read = (length > 0).then_some(Read { record, hash: hash.try_into().ok()?, length });
        Some(Self { segment, read })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_was_written() {
        let read = Read { record: 7, hash: std::array::from_fn(|place| place as u8), length: 900 };
        for place in [Place { segment: 3, read: Some(read) }, Place::at_begin(u64::MAX)] {
            assert_eq!(Place::of_bytes(&place.to_bytes()), Some(place));
        }
        assert_eq!(Place::of_bytes(&[1; 55]), None);
        assert_eq!(Place::of_bytes(&[1; 57]), None);
    }
}
