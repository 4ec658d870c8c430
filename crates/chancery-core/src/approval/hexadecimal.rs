//! A digest in the wrong spelling.

use chancery_types::Base64;

use crate::Error;

/// What to say of a digest that came as base64 and reads as hexadecimal digits, which no digest does by chance; else nothing.
pub(crate) fn hexadecimal_hint(digest: &[u8]) -> &'static str {
    // Of the shortest hash that anybody prints.
    const DIGITS_MIN: usize = 32;
    let text = Base64::encode(digest);
    let is_hexadecimal = text.len() >= DIGITS_MIN
        && text.bytes().all(|digit| digit.is_ascii_hexdigit())
        // A row of zeros is a row of the letter A.
        && text.bytes().any(|digit| digit.is_ascii_digit());
    if is_hexadecimal { " Digests are given in base64; this looks like hexadecimal." } else { "" }
}

/// Refuses to approve by a digest that is not what would be approved.
pub(crate) fn other_digest(message: &str, given: &[u8]) -> Error {
    Error::value("/digest", format!("{message}{}", hexadecimal_hint(given)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_every_hash_are_told_from_base64() {
        for bytes in [20, 32, 48, 64] {
            let digest: Vec<u8> = (0..bytes).map(|byte| 201_u8.wrapping_mul(byte)).collect();
            let lower = hex::encode(&digest);
            for text in [lower.to_uppercase(), lower] {
                let Base64(taken) = Base64::decode(&text).unwrap();
                assert!(hexadecimal_hint(&taken).contains("hexadecimal"), "{text}");
            }
            assert_eq!(hexadecimal_hint(&digest), "");
            assert_eq!(hexadecimal_hint(&vec![0; usize::from(bytes)]), "");
        }
    }
}
