//! Encodings of digests for RSA (RFC 8017, section 9) with any hash. Names and step numbers are the standard's.

use chancery_types::HashType;
use shake::{ExtendableOutput, Shake128, Shake256, XofReader};

use super::identifier;
use crate::{Digest, Hasher, hash};

/// The modulus is too short for this hash ("intended encoded message length too short", "encoding error").
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooShort;

/// EMSA-PKCS1-v1_5, 9.2: 00 ‖ 01 ‖ PS ‖ 00 ‖ T.
pub(super) fn emsa_pkcs1_v1_5(digest: &Digest, em_len: usize) -> Result<Vec<u8>, TooShort> {
    // Step 2: DigestInfo. Step 3: room for at least eight bytes of padding.
    let t = digest_info(digest);
    let ps_len = em_len.checked_sub(t.len() + 3).filter(|len| *len >= 8).ok_or(TooShort)?;
    // Steps 4 and 5.
    let mut em = vec![0xFF; em_len];
    em[..2].copy_from_slice(&[0x00, 0x01]);
    em[2 + ps_len] = 0x00;
    em[3 + ps_len..].copy_from_slice(&t);
    Ok(em)
}

/// The DER of
///
/// ```text
/// DigestInfo ::= SEQUENCE {
///   digestAlgorithm DigestAlgorithm,     -- with NULL parameters, for all hashes (9.2, note 1)
///   digest OCTET STRING }
/// ```
///
/// Nothing in it reaches 128 bytes, so each length is one byte.
fn digest_info(digest: &Digest) -> Vec<u8> {
    let oid = identifier::hash(digest.hash());
    let (oid, digest) = (oid.as_bytes(), digest.as_bytes());
    let algorithm = [&[0x06, oid.len() as u8], oid, &[0x05, 0x00]].concat();
    let body = [&[0x30, algorithm.len() as u8], &algorithm[..], &[0x04, digest.len() as u8], digest].concat();
    [&[0x30, body.len() as u8], &body[..]].concat()
}

/// EMSA-PSS, 9.1.1; for SHAKE with the mask of RFC 8702, section 3.2.1.
pub(super) fn emsa_pss(m_hash: &Digest, salt: &[u8], em_bits: usize) -> Result<Vec<u8>, TooShort> {
    let (h_len, s_len, em_len) = (m_hash.as_bytes().len(), salt.len(), em_bits.div_ceil(8));
    // Step 3.
    if em_len < h_len + s_len + 2 {
        return Err(TooShort);
    }
    // Steps 5 and 6: H = Hash(eight zeros ‖ mHash ‖ salt).
    let mut h = Hasher::new(m_hash.hash());
    h.update(&[0; 8]);
    h.update(m_hash.as_bytes());
    h.update(salt);
    let h = h.finish();
    // Steps 7 and 8: DB = PS ‖ 01 ‖ salt.
    let mut em = vec![0; em_len];
    let (db, rest) = em.split_at_mut(em_len - h_len - 1);
    let ps_len = db.len() - s_len - 1;
    db[ps_len] = 0x01;
    db[ps_len + 1..].copy_from_slice(salt);
    // Steps 9 and 10: maskedDB = DB ⊕ MGF(H).
    mask(db, &h);
    // Step 11: clear the bits above emBits.
    db[0] &= 0xFF >> (8 * em_len - em_bits);
    // Step 12: EM = maskedDB ‖ H ‖ BC.
    rest[..h_len].copy_from_slice(h.as_bytes());
    rest[h_len] = 0xBC;
    Ok(em)
}

/// EMSA-PSS verification, 9.1.2, for a salt of this length.
pub(super) fn emsa_pss_matches(m_hash: &Digest, salt_len: usize, em: &[u8], em_bits: usize) -> bool {
    let (h_len, em_len) = (m_hash.as_bytes().len(), em_bits.div_ceil(8));
    // Steps 3 to 5.
    if em.len() != em_len || em_len < h_len + salt_len + 2 || em[em_len - 1] != 0xBC {
        return false;
    }
    let (masked_db, rest) = em.split_at(em_len - h_len - 1);
    let Ok(h) = Digest::new(m_hash.hash(), &rest[..h_len]) else { return false };
    // Steps 7 to 9.
    let mut db = masked_db.to_vec();
    mask(&mut db, &h);
    db[0] &= 0xFF >> (8 * em_len - em_bits);
    // Steps 6, 10 and 12 to 14: the same salt must give the same encoding, bit by bit, so nothing else needs a look.
    let salt = &db[db.len() - salt_len..];
    emsa_pss(m_hash, salt, em_bits).is_ok_and(|expected| expected == em)
}

/// Combines a buffer with the mask that a digest gives: MGF1, or for SHAKE its output at the length needed.
fn mask(buffer: &mut [u8], seed: &Digest) {
    match seed.hash() {
        HashType::Shake128 => xor(buffer, &xof(Shake128::default(), seed.as_bytes(), buffer.len())),
        HashType::Shake256 | HashType::Shake256_64 => {
            xor(buffer, &xof(Shake256::default(), seed.as_bytes(), buffer.len()));
        }
        HashType::Md5
        | HashType::RipeMd
        | HashType::Sha1
        | HashType::Sha2_224
        | HashType::Sha2_256
        | HashType::Sha2_384
        | HashType::Sha2_512
        | HashType::Sha3_224
        | HashType::Sha3_256
        | HashType::Sha3_384
        | HashType::Sha3_512 => mgf1(buffer, seed),
    }
}

/// MGF1, B.2.1, with the seed's own hash: Hash(seed ‖ 0) ‖ Hash(seed ‖ 1) ‖ …, as much as is needed.
fn mgf1(buffer: &mut [u8], seed: &Digest) {
    for (piece, counter) in buffer.chunks_mut(seed.as_bytes().len()).zip(0_u32..) {
        let mask = hash(seed.hash(), &[seed.as_bytes(), &counter.to_be_bytes()].concat());
        xor(piece, mask.as_bytes());
    }
}

/// Combines a buffer with a mask at least as long.
fn xor(buffer: &mut [u8], mask: &[u8]) {
    buffer.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
}

fn xof(mut state: impl ExtendableOutput, seed: &[u8], len: usize) -> Vec<u8> {
    state.update(seed);
    let mut output = vec![0; len];
    state.finalize_xof().read(&mut output);
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8017, 9.2, note 1: what DigestInfo consists of before the digest.
    #[test]
    fn digest_info_of_the_standard() {
        for (hash_type, prefix) in [
            (HashType::Md5, "3020300c06082a864886f70d020505000410"),
            (HashType::Sha1, "3021300906052b0e03021a05000414"),
            (HashType::Sha2_224, "302d300d06096086480165030402040500041c"),
            (HashType::Sha2_256, "3031300d060960864801650304020105000420"),
            (HashType::Sha2_384, "3041300d060960864801650304020205000430"),
            (HashType::Sha2_512, "3051300d060960864801650304020305000440"),
        ] {
            let digest = hash(hash_type, b"message");
            assert_eq!(hex::encode(digest_info(&digest)), prefix.to_owned() + &hex::encode(digest.as_bytes()));
        }
    }

    #[test]
    fn pkcs1_v1_5_needs_eight_bytes_of_padding() {
        let digest = hash(HashType::Sha2_256, b"message");
        let shortest = digest_info(&digest).len() + 11;
        assert_eq!(emsa_pkcs1_v1_5(&digest, shortest - 1), Err(TooShort));
        let em = emsa_pkcs1_v1_5(&digest, shortest).unwrap();
        assert_eq!(em[..11], [0x00, 0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00]);
        assert_eq!(em[11..], digest_info(&digest));
    }

    #[test]
    fn pss_needs_room_for_digest_and_salt() {
        let digest = hash(HashType::Sha2_512, b"message");
        let shortest = 64 + 64 + 2;
        assert_eq!(emsa_pss(&digest, &[0; 64], 8 * shortest - 8), Err(TooShort));
        // One bit less than whole bytes: the highest bit is clear, and the last byte is the trailer.
        let em = emsa_pss(&digest, &[0; 64], 8 * shortest - 1).unwrap();
        assert_eq!((em.len(), em[0] & 0x80, em[shortest - 1]), (shortest, 0, 0xBC));
    }

    #[test]
    fn a_pss_encoding_matches_its_own_digest_only() {
        for (hash_type, em_bits) in [(HashType::Sha2_256, 1023), (HashType::Shake128, 1021), (HashType::Sha3_224, 1024)]
        {
            let digest = hash(hash_type, b"message");
            let salt = vec![7; hash_type.digest_len()];
            let em = emsa_pss(&digest, &salt, em_bits).unwrap();
            assert!(emsa_pss_matches(&digest, salt.len(), &em, em_bits));
            assert!(!emsa_pss_matches(&hash(hash_type, b"another"), salt.len(), &em, em_bits));
            assert!(!emsa_pss_matches(&digest, salt.len(), &em[1..], em_bits));
            for bit in 0..8 * em.len() {
                let mut changed = em.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                assert!(!emsa_pss_matches(&digest, salt.len(), &changed, em_bits), "bit {bit}");
            }
        }
    }

    /// A salt of another length than the one that is expected is refused, also an empty one.
    #[test]
    fn a_pss_salt_is_as_long_as_expected() {
        let digest = hash(HashType::Sha2_256, b"message");
        for len in [0, 20, 31, 33] {
            let em = emsa_pss(&digest, &vec![7; len], 1023).unwrap();
            assert!(!emsa_pss_matches(&digest, 32, &em, 1023), "{len}");
            assert!(emsa_pss_matches(&digest, len, &em, 1023), "{len}");
        }
    }
}
