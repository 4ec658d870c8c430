//! A buffer for many short pieces of text.

/// Bytes that are appended without a call for each few of them.
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    /// What is after these has no meaning.
    pub(super) used: usize,
}

impl Buffer {
    pub(super) fn with_room(bytes: usize) -> Self {
        Self { bytes: vec![0; bytes.saturating_add(64)], used: 0 }
    }

    /// Appends the lowest bytes of the word.
    #[inline]
    pub(super) fn append_word(&mut self, word: u64, bytes: usize) {
        let start = self.used;
        self.make_room(start + bytes);
        self.bytes[start..][..8].copy_from_slice(&word.to_le_bytes());
        self.used = start + bytes;
    }

    /// Appends the lowest bytes of each of so many words, equally many of each.
    pub(super) fn append_words(&mut self, words: impl Iterator<Item = u64>, (count, bytes): (usize, usize)) {
        self.make_room(self.used + count * bytes);
        let mut room = &mut self.bytes[self.used..];
        for word in words.take(count) {
            let Some((first, _)) = room.split_first_chunk_mut::<8>() else { break };
            *first = word.to_le_bytes();
            room = &mut room[bytes..];
        }
        self.used += count * bytes;
    }

    /// For so many, and for eight more.
    #[inline]
    fn make_room(&mut self, bytes: usize) {
        if self.bytes.len() < bytes + 8 {
            self.bytes.resize(2 * bytes + 64, 0);
        }
    }

    #[inline]
    pub(super) fn append(&mut self, part: &[u8]) {
        let (start, end) = (self.used, self.used + part.len());
        self.make_room(end);
        let room = &mut self.bytes[start..end + 8];
        match (part.first_chunk::<8>(), part.last_chunk::<8>()) {
            (Some(first), Some(last)) if part.len() <= 24 => {
                let middle = &part[(part.len() - 8) / 2..][..8];
                room[..8].copy_from_slice(first);
                room[(part.len() - 8) / 2..][..8].copy_from_slice(middle);
                room[part.len() - 8..][..8].copy_from_slice(last);
            }
            (Some(_), Some(_)) => room[..part.len()].copy_from_slice(part),
            _ => room[..8].copy_from_slice(&short_word(part).to_le_bytes()),
        }
        self.used = end;
    }

    /// Those in use, from one on.
    #[inline]
    pub(super) fn since(&mut self, start: usize) -> &mut [u8] {
        &mut self.bytes[start..self.used]
    }
}

/// Fewer than eight bytes, the first one lowest.
#[inline]
pub(super) fn short_word(part: &[u8]) -> u64 {
    match (part.first_chunk::<4>(), part.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
            u64::from(first) | u64::from(last) << (8 * (part.len() - 4))
        }
        _ => part.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}
