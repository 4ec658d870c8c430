//! Short byte strings as machine words, without a call to memcpy for each.

/// At most 8 bytes as a little-endian word: the first byte lowest, the rest of the word zero.
///
/// Branches on the length only. Two loads may overlap: the bytes they share are the same.
#[inline(always)]
pub(crate) fn word(bytes: &[u8]) -> u64 {
    let n = bytes.len();
    if let Some(whole) = bytes.first_chunk::<8>() {
        u64::from_le_bytes(*whole)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << (8 * (n - 4))
    } else {
        bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
    }
}

/// Writes the lowest bytes of the word, the lowest first; `bytes` has at most 8.
#[inline(always)]
pub(crate) fn put_word(bytes: &mut [u8], word: u64) {
    let n = bytes.len();
    if let Some(whole) = bytes.first_chunk_mut::<8>() {
        *whole = word.to_le_bytes();
    } else if n >= 4 {
        let low = |word: u64| (word as u32).to_le_bytes();
        bytes[..4].copy_from_slice(&low(word));
        bytes[n - 4..].copy_from_slice(&low(word >> (8 * (n - 4))));
    } else {
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = (word >> (8 * i)) as u8;
        }
    }
}

/// At most 16 bytes as the start of a big-endian block, the rest of it zero.
#[inline(always)]
pub(crate) fn block(bytes: &[u8]) -> u128 {
    let (first, rest) = bytes.split_at(bytes.len().min(8));
    u128::from(word(first).swap_bytes()) << 64 | u128::from(word(rest).swap_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: [u8; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

    #[test]
    fn words_of_every_length() {
        for n in 0..=8 {
            let mut padded = [0; 8];
            padded[..n].copy_from_slice(&BYTES[..n]);
            assert_eq!(word(&BYTES[..n]), u64::from_le_bytes(padded));
            let mut back = [0; 8];
            put_word(&mut back[..n], u64::from_le_bytes([1, 2, 3, 4, 5, 6, 7, 8]));
            assert_eq!(back, padded);
        }
    }

    #[test]
    fn blocks_of_every_length() {
        for n in 0..=16 {
            let mut padded = [0; 16];
            padded[..n].copy_from_slice(&BYTES[..n]);
            assert_eq!(block(&BYTES[..n]), u128::from_be_bytes(padded));
        }
    }
}
