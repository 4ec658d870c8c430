//! AES-256-SIV (RFC 5297): deterministic authenticated encryption. The same message under the same associated data is
//! always sealed to the same bytes, and that is all that anybody learns. Names are those of the RFC.

use aws_lc_rs::{
    cipher::{AES_256, EncryptingKey, EncryptionContext, UnboundCipherKey},
    cmac, constant_time, hkdf,
    iv::FixedLength,
};
use zeroize::Zeroizing;

use super::NotAuthentic;
use crate::{Failed, root::Bytes};

const BLOCK: usize = 16;

/// Tells the derived key from whatever else may be derived from the same key one day. Part of the format of tokens.
const LABEL: &[u8] = b"chancery AesSiv tokens";

/// AES-256-SIV under one key.
pub struct Aes256Siv {
    /// K1.
    mac: cmac::Key,
    /// K2.
    ctr: EncryptingKey,
}

impl Aes256Siv {
    /// The 64-byte key is derived by HKDF-SHA-256 (RFC 5869), since stored AES keys are shorter. For keys in custody:
    /// [`DataKey::aes_256_siv`](crate::DataKey::aes_256_siv).
    pub fn derive(key: &[u8]) -> Result<Self, Failed> {
        let mut derived = Zeroizing::new([0; 64]);
        let extracted = hkdf::Salt::new(hkdf::HKDF_SHA256, &[]).extract(key);
        extracted.expand(&[LABEL], Bytes(derived.len()))?.fill(&mut derived[..])?;
        Self::new(&derived)
    }

    /// Section 2.6: the leftmost half is for S2V, the other one for CTR.
    fn new(key: &[u8; 64]) -> Result<Self, Failed> {
        let (k1, k2) = key.split_at(32);
        let mac = cmac::Key::new(cmac::AES_256, k1)?;
        Ok(Self { mac, ctr: EncryptingKey::ctr(UnboundCipherKey::new(&AES_256, k2)?)? })
    }

    /// V ‖ C: 16 bytes more than the message.
    pub fn seal(&self, associated_data: &[u8], message: &[u8]) -> Result<Vec<u8>, Failed> {
        let v = self.s2v(associated_data, message)?;
        let mut sealed = [&v[..], message].concat();
        self.crypt(v, &mut sealed[BLOCK..])?;
        Ok(sealed)
    }

    /// The message that was sealed under this associated data.
    pub fn open(&self, associated_data: &[u8], sealed: &[u8]) -> Result<Vec<u8>, NotAuthentic> {
        let (v, ciphertext) = sealed.split_first_chunk::<BLOCK>().ok_or(NotAuthentic)?;
        let mut message = ciphertext.to_vec();
        self.crypt(*v, &mut message).map_err(|Failed| NotAuthentic)?;
        let t = self.s2v(associated_data, &message).map_err(|Failed| NotAuthentic)?;
        constant_time::verify_slices_are_equal(&t, v).map_err(|_| NotAuthentic)?;
        Ok(message)
    }

    /// Section 2.4 for one string of associated data.
    fn s2v(&self, associated_data: &[u8], message: &[u8]) -> Result<[u8; BLOCK], Failed> {
        let d = dbl(self.cmac(&[0; BLOCK])?) ^ self.cmac(associated_data)?;
        let t = match message.len().checked_sub(BLOCK) {
            Some(start) => {
                let mut t = message.to_vec();
                xor(&mut t[start..], d);
                t
            }
            None => {
                let mut t = [0; BLOCK];
                t[..message.len()].copy_from_slice(message);
                t[message.len()] = 0x80;
                xor(&mut t, dbl(d));
                t.to_vec()
            }
        };
        Ok(self.cmac(&Zeroizing::new(t))?.to_be_bytes())
    }

    fn cmac(&self, bytes: &[u8]) -> Result<u128, Failed> {
        let mut code = [0; BLOCK];
        cmac::sign_to_buffer(&self.mac, bytes, &mut code)?;
        Ok(u128::from_be_bytes(code))
    }

    /// Sections 2.6 and 2.7: CTR from V without its 32nd and 64th bit, counted from the right.
    fn crypt(&self, v: [u8; BLOCK], text: &mut [u8]) -> Result<(), Failed> {
        const CLEARED: u128 = 1 << 63 | 1 << 31;
        let q = u128::from_be_bytes(v) & !CLEARED;
        self.ctr.less_safe_encrypt(text, EncryptionContext::Iv128(FixedLength::from(q.to_be_bytes())))?;
        Ok(())
    }
}

/// Section 2.3: multiplication by x in GF(2^128), without a branch on the value.
const fn dbl(s: u128) -> u128 {
    (s << 1) ^ ((s >> 127) * 0x87)
}

fn xor(block: &mut [u8], with: u128) {
    block.iter_mut().zip(with.to_be_bytes()).for_each(|(byte, with)| *byte ^= with);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed by the Python package `cryptography` (OpenSSL's AES-256-SIV), with HKDF-SHA-256 over the same label.
    #[test]
    fn vectors_of_another_implementation() {
        let key: Vec<u8> = (0..32).collect();
        let siv = Aes256Siv::derive(&key).unwrap();
        for (message, sealed) in [
            ("", "ab7db08279392168627ffb7b65a83381"),
            ("a", "70f45e1753f0a95a9cf31e4adcd3bbaf5b"),
            ("0123456789abcdef", "f753c76c33e886840046e972c1c8bd60b6ef2f1b1db4ece55cf4227460c201cf"),
            ("0123456789abcdef0", "5246d43e7174d1b8055cfdde5b2b277bcaddf1d48e03602f04bcd39a7933a2801a"),
            (
                "the quick brown fox jumps over the lazy dog",
                "c5c77e8d91fa7661ef7e409a4b266857b63231be4adc8296fe4efea76c6bada47b541d981f58771c54794c0fc7ef54b6993abae5788\
                 ea495b49be6",
            ),
        ] {
            assert_eq!(hex::encode(siv.seal(&[b'd'; 16], message.as_bytes()).unwrap()), sealed);
            let opened = siv.open(&[b'd'; 16], &hex::decode(sealed).unwrap());
            assert_eq!(opened.as_deref(), Ok(message.as_bytes()));
        }
    }

    #[test]
    fn what_was_altered_or_moved_does_not_open() {
        let siv = Aes256Siv::derive(&[7; 32]).unwrap();
        let sealed = siv.seal(b"profile", b"message").unwrap();
        assert_eq!(siv.open(b"other", &sealed), Err(NotAuthentic));
        assert_eq!(Aes256Siv::derive(&[8; 32]).unwrap().open(b"profile", &sealed), Err(NotAuthentic));
        for end in [0, 1, 15, 16, sealed.len() - 1] {
            assert_eq!(siv.open(b"profile", &sealed[..end]), Err(NotAuthentic), "{end}");
        }
        for place in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[place] ^= 1;
            assert_eq!(siv.open(b"profile", &altered), Err(NotAuthentic), "{place}");
        }
    }
}
