//! Bytes as text.

/// Bytes in lower-case hexadecimal. `hex::encode` makes a text of single characters, at four times the cost: for what each
/// signature and certificate writes.
#[must_use]
pub fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}
