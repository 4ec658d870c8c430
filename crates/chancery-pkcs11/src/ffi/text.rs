//! Texts of a fixed length, filled up with blanks.

/// As much of the text as there is room for, in whole characters.
pub(super) fn padded<const N: usize>(text: &str) -> [u8; N] {
    let mut field = [b' '; N];
    let end = (0..=N.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    field[..end].copy_from_slice(&text.as_bytes()[..end]);
    field
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(&padded::<6>("keys"), b"keys  ");
        assert_eq!(&padded::<4>("keys and more"), b"keys");
        assert_eq!(&padded::<4>("abcé"), b"abc ");
    }
}
