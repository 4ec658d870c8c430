//! HMAC-SHA-256 (RFC 2104).

use aws_lc_rs::hmac;

/// HMAC-SHA-256 under one key.
pub struct HmacSha256(hmac::Key);

impl HmacSha256 {
    /// For keys in custody: [`DataKey::hmac_sha_256`](crate::DataKey::hmac_sha_256).
    #[must_use]
    pub fn new(key: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, key))
    }

    /// The code of the concatenated parts. Whoever passes several is responsible that no two sets of parts concatenate
    /// to the same bytes.
    #[must_use]
    pub fn code(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut hmac = hmac::Context::with_key(&self.0);
        parts.iter().for_each(|part| hmac.update(part));
        hmac.sign().as_ref().try_into().expect("HMAC-SHA-256 has 32 bytes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, section 4: test cases 1 to 4, 6 and 7 (5 is of truncated output).
    #[test]
    fn vectors_of_rfc_4231() {
        let long_key = "Test Using Larger Than Block-Size Key - Hash Key First";
        let long_data = "This is a test using a larger than block-size key and a larger than block-size data. The key \
                         needs to be hashed before being used by the HMAC algorithm.";
        let counting: Vec<u8> = (1..=25).collect();
        for (key, data, code) in [
            (&[0x0b; 20][..], &b"Hi There"[..], "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (&[0xaa; 20], &[0xdd; 50], "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
            (&counting, &[0xcd; 50], "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
            (&[0xaa; 131], long_key.as_bytes(), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
            (&[0xaa; 131], long_data.as_bytes(), "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
        ] {
            let hmac = HmacSha256::new(key);
            assert_eq!(hex::encode(hmac.code(&[data])), code);
            let (start, end) = data.split_at(data.len() / 2);
            assert_eq!(hex::encode(hmac.code(&[start, end])), code);
        }
    }
}
