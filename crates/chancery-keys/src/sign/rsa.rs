//! RSA signatures (RFC 8017, section 8). Names and step numbers are the standard's.

use chancery_rsa::GROUP;
use zeroize::Zeroize;

use super::{
    RsaBatch,
    emsa::{TooShort, emsa_pkcs1_v1_5, emsa_pss, emsa_pss_matches},
    pkcs1,
    raw_rsa::{PrivateKey, PublicKey},
};
use crate::{
    Digest, Failed, SignError,
    random::{self, random},
};

/// From how many operations on it costs less to do them together than one after the other.
pub(super) const TOGETHER_MIN: usize = 3;

/// An RSA private key.
pub(super) struct Key {
    raw: PrivateKey,
    /// The same key, ready for several operations at once; none where it may not be used so, or this machine cannot.
    grouped: Option<chancery_rsa::PrivateKey>,
}

impl Key {
    /// Parses an RSAPrivateKey (RFC 8017, A.1.2) and checks that its parts belong together.
    pub(super) fn from_pkcs1(der: &[u8], batch: RsaBatch) -> Option<Self> {
        let raw = PrivateKey::from_pkcs1(der)?;
        let grouped = match batch {
            RsaBatch::Allowed => pkcs1::parts(der).and_then(|parts| chancery_rsa::PrivateKey::new(&parts)),
            RsaBatch::Never => None,
        };
        Some(Self { raw, grouped })
    }

    /// Length of the modulus in bits.
    pub(super) fn modulus_bits(&self) -> usize {
        self.raw.modulus_bits()
    }

    /// Whether several operations at once cost less.
    pub(super) const fn gains_in_groups(&self) -> bool {
        self.grouped.is_some()
    }

    /// RSASP1 for an encoded message.
    pub(super) fn private_transform(&self, encoded: &[u8]) -> Result<Vec<u8>, Failed> {
        self.raw.private_transform(encoded)
    }
}

/// RSASP1 for several encoded messages: together where that costs less. Besides, how many results were wrong and had to be
/// made again.
pub(super) fn private_transforms(jobs: &[(&Key, Vec<u8>)]) -> (Vec<Result<Vec<u8>, Failed>>, usize) {
    let mut wrong = 0;
    let mut transform = |(key, encoded): &(&Key, Vec<u8>), together: Option<Vec<u8>>| {
        // What does not stand before the public key is never given out: it could give the primes away. Then a fault has met
        // it, and the library's own way comes to an answer.
        match together {
            Some(result) if key.raw.public_transform(&result).as_ref() == Some(encoded) => return Ok(result),
            Some(mut result) => result.zeroize(),
            None => return key.private_transform(encoded),
        }
        let made_again = key.private_transform(encoded);
        wrong += usize::from(made_again.is_ok());
        made_again
    };
    let mut results = Vec::with_capacity(jobs.len());
    for group in jobs.chunks(GROUP) {
        let mut together = together(group).unwrap_or_default().into_iter();
        results.extend(group.iter().map(|job| transform(job, together.next())));
    }
    (results, wrong)
}

/// None where they do not gain by it, or not all have the same length.
fn together(group: &[(&Key, Vec<u8>)]) -> Option<Vec<Vec<u8>>> {
    if group.len() < TOGETHER_MIN {
        return None;
    }
    let jobs = group.iter().map(|(key, encoded)| key.grouped.as_ref().map(|key| (key, encoded.as_slice())));
    chancery_rsa::private_transforms(&jobs.collect::<Option<Vec<_>>>()?, random::fill)
}

/// RSASSA-PKCS1-v1_5, 8.2.1, step 1: what the private key is applied to.
pub(super) fn encode_pkcs1_v1_5(key: &Key, digest: &Digest) -> Result<Vec<u8>, SignError> {
    let k = key.modulus_bits().div_ceil(8);
    Ok(emsa_pkcs1_v1_5(digest, k)?)
}

/// RSASSA-PKCS1-v1_5, 8.2.2.
pub(super) fn verify_pkcs1_v1_5(key: &PublicKey, digest: &Digest, signature: &[u8]) -> bool {
    let k = key.modulus_bits().div_ceil(8);
    let expected = emsa_pkcs1_v1_5(digest, k);
    key.public_transform(signature).zip(expected.ok()).is_some_and(|(em, expected)| em == expected)
}

/// RSASSA-PSS, 8.1.1, steps 1 and 2a, with a salt as long as the digest: what the private key is applied to.
pub(super) fn encode_pss(key: &Key, digest: &Digest) -> Result<Vec<u8>, SignError> {
    let mod_bits = key.modulus_bits();
    let salt: [u8; Digest::MAX_LEN] = random();
    let em = emsa_pss(digest, &salt[..digest.as_bytes().len()], mod_bits - 1)?;
    // EM may be one byte shorter than the modulus.
    let mut m = vec![0; mod_bits.div_ceil(8) - em.len()];
    m.extend_from_slice(&em);
    Ok(m)
}

/// RSASSA-PSS, 8.1.2, with a salt of this length.
pub(super) fn verify_pss(key: &PublicKey, digest: &Digest, salt_len: usize, signature: &[u8]) -> bool {
    let em_bits = key.modulus_bits() - 1;
    key.public_transform(signature).is_some_and(|m| {
        let (above, em) = m.split_at(m.len() - em_bits.div_ceil(8));
        above.iter().all(|byte| *byte == 0) && emsa_pss_matches(digest, salt_len, em, em_bits)
    })
}

impl From<TooShort> for SignError {
    fn from(TooShort: TooShort) -> Self {
        Self::KeyTooShort
    }
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::{
        encoding::{AsDer, Pkcs8V1Der},
        rsa::{KeyPair, KeySize},
    };

    use super::*;
    use crate::sign::pkcs8;

    fn key(size: KeySize) -> Key {
        opened(size, RsaBatch::Allowed)
    }

    fn opened(size: KeySize, batch: RsaBatch) -> Key {
        let pair = KeyPair::generate(size).unwrap();
        let der: Pkcs8V1Der<'_> = pair.as_der().unwrap();
        Key::from_pkcs1(pkcs8::private_key(der.as_ref()).unwrap(), batch).unwrap()
    }

    /// A message below each modulus.
    fn message(key: &Key, byte: u8) -> Vec<u8> {
        let mut message = vec![byte; key.modulus_bits() / 8];
        message[0] = 0;
        message
    }

    /// The operation has one result only, so the library's own tells whether that of a group is right.
    #[test]
    fn groups_give_what_the_library_gives() {
        for size in [KeySize::Rsa2048, KeySize::Rsa3072, KeySize::Rsa4096] {
            let keys = [key(size), key(size)];
            assert_eq!(keys[0].gains_in_groups(), chancery_rsa::is_supported());
            for count in 0..=2 * GROUP + 1 {
                let jobs: Vec<_> = (0..count).map(|i| (&keys[i % 2], message(&keys[i % 2], i as u8 + 1))).collect();
                let expected: Vec<_> = jobs.iter().map(|(key, message)| key.private_transform(message)).collect();
                assert!(expected.iter().all(Result::is_ok));
                assert_eq!(private_transforms(&jobs), (expected, 0), "{size:?}, {count}");
                for group in jobs.chunks(GROUP).filter(|_| chancery_rsa::is_supported()) {
                    let together = together(group).map(|together| together.into_iter().map(Ok).collect::<Vec<_>>());
                    let alone: Vec<_> = group.iter().map(|(key, message)| key.private_transform(message)).collect();
                    assert_eq!(together, (group.len() >= TOGETHER_MIN).then_some(alone));
                }
            }
        }
    }

    /// Also where it comes among others that may.
    #[test]
    fn a_key_that_may_not_be_in_a_group_never_is() {
        let (allowed, never) = (key(KeySize::Rsa2048), opened(KeySize::Rsa2048, RsaBatch::Never));
        assert!(!never.gains_in_groups());
        for keys in [[&never; GROUP], [&allowed, &allowed, &never, &allowed]] {
            let jobs: Vec<_> = keys.into_iter().map(|key| (key, message(key, 1))).collect();
            assert_eq!(together(&jobs), None);
            let expected: Vec<_> = jobs.iter().map(|(key, message)| key.private_transform(message)).collect();
            assert_eq!(private_transforms(&jobs), (expected, 0));
        }
    }

    #[test]
    fn keys_of_several_lengths_do_not_meet() {
        let keys = [key(KeySize::Rsa2048), key(KeySize::Rsa3072)];
        let jobs: Vec<_> = (0..GROUP).map(|i| (&keys[i % 2], message(&keys[i % 2], i as u8 + 1))).collect();
        assert_eq!(together(&jobs), None);
        assert!(private_transforms(&jobs).0.iter().all(Result::is_ok));
    }

    /// A key that is ready with the primes of another one, as a fault in memory would have it.
    #[test]
    fn a_wrong_result_is_never_given_out() {
        let (mut faulty, other) = (key(KeySize::Rsa2048), key(KeySize::Rsa2048));
        faulty.grouped = other.grouped;
        let jobs: Vec<_> = (0..GROUP).map(|i| (&faulty, message(&faulty, i as u8 + 1))).collect();
        let expected: Vec<_> = jobs.iter().map(|(key, message)| key.private_transform(message)).collect();
        let wrong = if faulty.gains_in_groups() { GROUP } else { 0 };
        assert_eq!(private_transforms(&jobs), (expected, wrong));
    }

    #[test]
    fn a_message_above_the_modulus_is_refused_without_harm_to_others() {
        let key = key(KeySize::Rsa2048);
        let mut jobs: Vec<_> = (0..GROUP).map(|i| (&key, message(&key, i as u8 + 1))).collect();
        jobs[2].1.fill(0xFF);
        let (results, wrong) = private_transforms(&jobs);
        assert_eq!(results.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false, true]);
        assert_eq!(wrong, 0, "the message is at fault");
    }
}
