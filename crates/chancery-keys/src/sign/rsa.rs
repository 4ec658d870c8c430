//! RSA signatures (RFC 8017, section 8) with any hash. Names and step numbers are the standard's.

use chancery_types::HashType;
use shake::{ExtendableOutput, Shake128, Shake256, XofReader};

use super::{identifier, raw_rsa::PrivateKey};
use crate::{Digest, Hasher, SignError, hash, random};

/// RSASSA-PKCS1-v1_5, 8.2.1.
pub(super) fn sign_pkcs1_v1_5(key: &PrivateKey, digest: &Digest) -> Result<Vec<u8>, SignError> {
    let k = (key.modulus_bits() as usize).div_ceil(8);
    let em = emsa_pkcs1_v1_5(digest, k)?;
    Ok(key.private_transform(&em)?)
}

/// RSASSA-PSS, 8.1.1, with a salt as long as the digest.
pub(super) fn sign_pss(key: &PrivateKey, digest: &Digest) -> Result<Vec<u8>, SignError> {
    let mod_bits = key.modulus_bits() as usize;
    let salt = random::<MAX_HASH_LEN>();
    // Step 1; step 2 is to sign EM as an integer of the modulus's length.
    let em = emsa_pss(digest, &salt[..digest.as_bytes().len()], mod_bits - 1)?;
    let k = mod_bits.div_ceil(8);
    let mut m = vec![0; k - em.len()];
    m.extend_from_slice(&em);
    Ok(key.private_transform(&m)?)
}

const MAX_HASH_LEN: usize = 64;

/// EMSA-PKCS1-v1_5, 9.2: 00 ‖ 01 ‖ PS ‖ 00 ‖ T.
fn emsa_pkcs1_v1_5(digest: &Digest, em_len: usize) -> Result<Vec<u8>, SignError> {
    // Step 2: DigestInfo. Step 3: room for at least eight bytes of padding.
    let t = digest_info(digest);
    let ps_len = em_len.checked_sub(t.len() + 3).filter(|len| *len >= 8).ok_or(SignError::KeyTooShort)?;
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
fn emsa_pss(m_hash: &Digest, salt: &[u8], em_bits: usize) -> Result<Vec<u8>, SignError> {
    let (h_len, s_len, em_len) = (m_hash.as_bytes().len(), salt.len(), em_bits.div_ceil(8));
    // Step 3.
    if em_len < h_len + s_len + 2 {
        return Err(SignError::KeyTooShort);
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
    for (byte, mask) in db.iter_mut().zip(mask(&h, em_len - h_len - 1)) {
        *byte ^= mask;
    }
    // Step 11: clear the bits above emBits.
    db[0] &= 0xFF >> (8 * em_len - em_bits);
    // Step 12: EM = maskedDB ‖ H ‖ BC.
    rest[..h_len].copy_from_slice(h.as_bytes());
    rest[h_len] = 0xBC;
    Ok(em)
}

/// The mask for a digest's own hash: MGF1, or for SHAKE its output at the length needed.
fn mask(seed: &Digest, len: usize) -> Vec<u8> {
    match seed.hash() {
        HashType::Shake128 => xof(Shake128::default(), seed.as_bytes(), len),
        HashType::Shake256 | HashType::Shake256_64 => xof(Shake256::default(), seed.as_bytes(), len),
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
        | HashType::Sha3_512 => mgf1(seed, len),
    }
}

/// MGF1, B.2.1.
fn mgf1(seed: &Digest, len: usize) -> Vec<u8> {
    // Step 3: T = Hash(seed ‖ 0) ‖ Hash(seed ‖ 1) ‖ …; step 4 cuts it.
    let mut t = Vec::with_capacity(len + MAX_HASH_LEN);
    for counter in 0_u32.. {
        if t.len() >= len {
            break;
        }
        t.extend_from_slice(hash(seed.hash(), &[seed.as_bytes(), &counter.to_be_bytes()].concat()).as_bytes());
    }
    t.truncate(len);
    t
}

fn xof(mut state: impl ExtendableOutput, seed: &[u8], len: usize) -> Vec<u8> {
    state.update(seed);
    let mut output = vec![0; len];
    state.finalize_xof().read(&mut output);
    output
}
