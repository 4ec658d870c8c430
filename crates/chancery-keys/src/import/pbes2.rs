//! Encryption under a password: PBES2 of RFC 8018, with PBKDF2 and AES in CBC mode.

use aws_lc_rs::{
    cipher::{AES_128, AES_192, AES_256, Algorithm, DecryptionContext, PaddedBlockDecryptingKey, UnboundCipherKey},
    iv::FixedLength,
    pbkdf2,
};
use der::{
    Sequence,
    asn1::{ObjectIdentifier, OctetStringRef},
};
use spki::AlgorithmIdentifierRef;

use super::{ImportError, Work};
use crate::Secret;

const fn oid(dotted: &str) -> ObjectIdentifier {
    ObjectIdentifier::new_unwrap(dotted)
}

const PBES2: ObjectIdentifier = oid("1.2.840.113549.1.5.13");
const PBKDF2: ObjectIdentifier = oid("1.2.840.113549.1.5.12");
const HMAC_WITH_SHA1: ObjectIdentifier = oid("1.2.840.113549.2.7");
pub(super) const HMAC_WITH_SHA256: ObjectIdentifier = oid("1.2.840.113549.2.9");
pub(super) const HMAC_WITH_SHA384: ObjectIdentifier = oid("1.2.840.113549.2.10");
pub(super) const HMAC_WITH_SHA512: ObjectIdentifier = oid("1.2.840.113549.2.11");
const AES128_CBC: ObjectIdentifier = oid("2.16.840.1.101.3.4.1.2");
const AES192_CBC: ObjectIdentifier = oid("2.16.840.1.101.3.4.1.22");
const AES256_CBC: ObjectIdentifier = oid("2.16.840.1.101.3.4.1.42");

/// Whatever stands under these is of the old kind: PBES1 (RFC 8018, A.3), the schemes of RFC 7292, appendix C, and the
/// ciphers of RFC 8018, B.2 before AES.
const LEGACY_ARCS: [&str; 3] = ["1.2.840.113549.1.5.", "1.2.840.113549.1.12.1.", "1.2.840.113549.3."];

/// DES-CBC of OIW, which stands alone.
const DES_CBC: ObjectIdentifier = oid("1.3.14.3.2.7");

/// ```text
/// PBES2-params ::= SEQUENCE { keyDerivationFunc AlgorithmIdentifier, encryptionScheme AlgorithmIdentifier }
/// ```
#[derive(Sequence)]
struct Pbes2Params<'a> {
    key_derivation: AlgorithmIdentifierRef<'a>,
    encryption: AlgorithmIdentifierRef<'a>,
}

/// ```text
/// PBKDF2-params ::= SEQUENCE {
///   salt CHOICE { specified OCTET STRING, otherSource AlgorithmIdentifier },
///   iterationCount INTEGER (1..MAX),
///   keyLength INTEGER (1..MAX) OPTIONAL,
///   prf AlgorithmIdentifier DEFAULT algid-hmacWithSHA1 }
/// ```
#[derive(Sequence)]
struct Pbkdf2Params<'a> {
    salt: &'a OctetStringRef,
    iterations: u32,
    key_length: Option<u32>,
    prf: Option<AlgorithmIdentifierRef<'a>>,
}

/// Decrypts; a wrong password shows as padding that does not fit, or as bytes that are nothing.
pub(super) fn decrypt(
    algorithm: AlgorithmIdentifierRef<'_>,
    ciphertext: &[u8],
    password: &Secret,
    work: &mut Work,
) -> Result<Secret, ImportError> {
    if algorithm.oid != PBES2 {
        return Err(unknown(algorithm.oid));
    }
    let params = parameters::<Pbes2Params<'_>>(algorithm)?;
    let (cipher, key_len) = match params.encryption.oid {
        AES128_CBC => (&AES_128, 16),
        AES192_CBC => (&AES_192, 24),
        AES256_CBC => (&AES_256, 32),
        other => return Err(unknown(other)),
    };
    let iv = parameters::<&OctetStringRef>(params.encryption)?;
    let iv = <[u8; 16]>::try_from(iv.as_bytes()).map_err(|_| ImportError::UnknownEncryption)?;
    let key = pbkdf2(params.key_derivation, key_len, password, work)?;
    cbc(cipher, &key, iv, ciphertext)
}

/// PBKDF2 (RFC 8018, 5.2): a key of this length.
pub(super) fn pbkdf2(
    algorithm: AlgorithmIdentifierRef<'_>,
    len: usize,
    password: &Secret,
    work: &mut Work,
) -> Result<Secret, ImportError> {
    if algorithm.oid != PBKDF2 {
        return Err(ImportError::UnknownEncryption);
    }
    let params = parameters::<Pbkdf2Params<'_>>(algorithm)?;
    if params.key_length.is_some_and(|stated| usize::try_from(stated) != Ok(len)) {
        return Err(ImportError::UnknownEncryption);
    }
    let function = match params.prf.map_or(HMAC_WITH_SHA1, |prf| prf.oid) {
        HMAC_WITH_SHA1 => pbkdf2::PBKDF2_HMAC_SHA1,
        HMAC_WITH_SHA256 => pbkdf2::PBKDF2_HMAC_SHA256,
        HMAC_WITH_SHA384 => pbkdf2::PBKDF2_HMAC_SHA384,
        HMAC_WITH_SHA512 => pbkdf2::PBKDF2_HMAC_SHA512,
        _ => return Err(ImportError::UnknownEncryption),
    };
    let iterations = work.take(params.iterations)?;
    Secret::filled(len, |key| {
        pbkdf2::derive(function, iterations, params.salt.as_bytes(), password.expose(), key);
        Ok(())
    })
}

fn cbc(cipher: &'static Algorithm, key: &Secret, iv: [u8; 16], ciphertext: &[u8]) -> Result<Secret, ImportError> {
    let key = UnboundCipherKey::new(cipher, key.expose()).and_then(PaddedBlockDecryptingKey::cbc_pkcs7);
    let key = key.map_err(|_| ImportError::UnknownEncryption)?;
    let mut len = 0;
    let mut plain = Secret::filled(ciphertext.len(), |buffer| {
        buffer.copy_from_slice(ciphertext);
        let decrypted = key.decrypt(buffer, DecryptionContext::Iv128(FixedLength::from(iv)));
        len = decrypted.map_err(|_| ImportError::WrongPassword)?.len();
        Ok(())
    })?;
    plain.truncate(len);
    Ok(plain)
}

/// The parameters of an algorithm.
pub(super) fn parameters<'a, T: der::Choice<'a> + der::DecodeValue<'a>>(
    algorithm: AlgorithmIdentifierRef<'a>,
) -> Result<T, ImportError> {
    let parameters = algorithm.parameters.ok_or(ImportError::UnknownEncryption)?;
    parameters.decode_as().map_err(|_| ImportError::UnknownEncryption)
}

/// What is said of an algorithm that is not read.
pub(super) fn unknown(oid: ObjectIdentifier) -> ImportError {
    let text = oid.to_string();
    let legacy = oid == DES_CBC || LEGACY_ARCS.iter().any(|arc| text.starts_with(arc));
    if legacy { ImportError::Legacy } else { ImportError::UnknownEncryption }
}
