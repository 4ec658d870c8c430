//! The FF1 tweak of a value.
//!
//! 16-byte domain ‖ iv (0 or 16 bytes) ‖ kept leading symbols (UTF-8) ‖ 0xFF ‖ kept trailing symbols (UTF-8)
//!
//! 0xFF occurs in no UTF-8 text, so kept leading and trailing symbols cannot be shifted into each other; a profile
//! either always has an iv or never. The layout is frozen: any change would orphan every token. The domain comes first
//! because it is the same for all values of a profile, so the cipher can prepare it.

use super::alphabet::Alphabet;

/// Stands between the kept leading and the kept trailing symbols.
pub(super) const SEPARATOR: u8 = 0xFF;

/// Appends what follows the domain to `tweak`.
pub(crate) fn append(tweak: &mut Vec<u8>, iv: Option<&[u8]>, alphabet: &Alphabet, leading: &[u16], trailing: &[u16]) {
    tweak.extend(iv.unwrap_or_default());
    alphabet.write_bytes(leading, tweak);
    tweak.push(SEPARATOR);
    alphabet.write_bytes(trailing, tweak);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_frozen() {
        let decimal = Alphabet::parse("Decimal").unwrap();
        let cards = Alphabet::parse("äß🂡01").unwrap();
        let iv = [0xA5; 16];
        for (iv, alphabet, leading, trailing, frozen) in [
            (None, &decimal, &[][..], &[][..], "ff"),
            (None, &decimal, &[4, 1, 1, 1, 1, 1], &[1, 2, 3, 4], "343131313131ff31323334"),
            (None, &decimal, &[], &[0, 0, 0, 5], "ff30303035"),
            (Some(&iv[..]), &decimal, &[9], &[], "a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a539ff"),
            (None, &cards, &[0, 1], &[2, 3], "c3a4c39ffff09f82a130"),
        ] {
            let mut tweak = Vec::new();
            append(&mut tweak, iv, alphabet, leading, trailing);
            assert_eq!(hex::encode(tweak), frozen);
        }
    }
}
