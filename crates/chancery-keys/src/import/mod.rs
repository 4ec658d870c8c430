//! Keys that were made elsewhere: decrypted, read and checked here, and sealed like our own. In clear they exist in this
//! crate only.

mod pbes2;
mod pkcs12;
mod private_key;

use chancery_types::{Base64, KeyId};
use der::{Decode, asn1::OctetStringRef};
use spki::AlgorithmIdentifierRef;
use thiserror::Error;

use crate::{Custodian, Failed, Generated, KeyRef, KeySpec, Purpose, Secret, WeakKey};
pub use pkcs12::Pkcs12;

/// Why a key was not taken. The texts hold nothing of what was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ImportError {
    /// Neither PEM nor base64.
    #[error("PEM is expected, or DER in base64.")]
    NotBase64,
    /// PEM of something else.
    #[error("The PEM holds something else than one PRIVATE KEY or ENCRYPTED PRIVATE KEY (PKCS#8).")]
    OtherPem,
    /// A private key in the form that OpenSSL had before PKCS#8.
    #[error("Private keys are read as PKCS#8; convert the file with: openssl pkcs8 -topk8 -v2 aes-256-cbc -in FILE")]
    Traditional,
    /// It does not decode.
    #[error("This is no PKCS#8 private key in DER.")]
    Unreadable,
    /// It does not decode.
    #[error("This is no PKCS#12 file in DER that is protected by a password.")]
    UnreadablePkcs12,
    /// It is encrypted, and no password was given.
    #[error("The private key is encrypted; its password is expected.")]
    PasswordMissing,
    /// It is not encrypted, and a password was given.
    #[error("The private key is not encrypted, so no password belongs to it.")]
    PasswordNeedless,
    /// The password is wrong, or the bytes were altered: nobody can tell which.
    #[error("The password is wrong, or the file was altered.")]
    WrongPassword,
    /// RC2, DES, 3DES or a MAC over SHA-1 or MD5.
    #[error(
        "The encryption is of the old kind (RC2, DES, 3DES, or a MAC over SHA-1 or MD5), which protects too little. \
         Convert the file with OpenSSL 3: a PKCS#12 file with `openssl pkcs12 -legacy -in OLD -nodes | openssl pkcs12 \
         -export -out NEW`, a PKCS#8 key with `openssl pkcs8 -in OLD -topk8 -v2 aes-256-cbc -out NEW`."
    )]
    Legacy,
    /// Another encryption than PBES2 with PBKDF2 and AES-CBC.
    #[error("The encryption is not known; PBES2 with PBKDF2 (HMAC-SHA-1 or SHA-2) and AES-CBC is read.")]
    UnknownEncryption,
    /// The file has no MAC, so that nobody could tell a wrong password from an altered file.
    #[error("The PKCS#12 file has no MAC, or one of another kind than HMAC-SHA-256, 384 or 512.")]
    NoMac,
    /// The iterations ask for more work than is done for one file.
    #[error("The iterations of the file's password derivations are more than are computed for one file.")]
    TooMuchWork,
    /// There is no private key, or there are several.
    #[error("The PKCS#12 file must hold exactly one private key.")]
    NotOneKey,
    /// Another kind of key than ours.
    #[error(
        "The private key is of no kind that is kept: RSA with 2048, 3072 or 4096 bits and an exponent from 65537 to 2^33, \
         EC on P-256, P-384 or P-521, Ed25519, or ML-DSA with its seed."
    )]
    Kind,
    /// One that anybody could break, or whose halves do not belong together.
    #[error("The private key {0}.")]
    Weak(WeakKey),
}

/// A key from elsewhere, in clear: without Debug, Clone and serialisation, and wiped, like everything that is.
pub struct ForeignKey {
    spec: KeySpec,
    pkcs8: Secret,
    public_key: Vec<u8>,
}

impl ForeignKey {
    /// Reads a PKCS#8 key, in PEM or as DER in base64; with a password it is encrypted by PBES2. `work_max` bounds the
    /// iterations that are computed.
    pub fn open(text: &str, password: Option<&Secret>, work_max: u32) -> Result<Self, ImportError> {
        let der = key_der(text)?;
        match (encrypted(der.expose()), password) {
            (Some((algorithm, data)), Some(password)) => {
                let mut work = Work::new(work_max);
                private_key::read(pbes2::decrypt(algorithm, data, password, &mut work)?.expose())
                    // What decrypts to no key was most likely decrypted under another one: padding fits by chance.
                    .map_err(|error| if error == ImportError::Unreadable { ImportError::WrongPassword } else { error })
            }
            (Some(_), None) => Err(ImportError::PasswordMissing),
            (None, None) => private_key::read(der.expose()),
            (None, Some(_)) => {
                private_key::read(der.expose())?;
                Err(ImportError::PasswordNeedless)
            }
        }
    }

    /// Its kind.
    #[must_use]
    pub const fn spec(&self) -> KeySpec {
        self.spec
    }

    /// The public half as SubjectPublicKeyInfo in DER.
    #[must_use]
    pub fn public_key_spki(&self) -> &[u8] {
        &self.public_key
    }
}

impl Custodian {
    /// Seals a key from elsewhere as the first version of a signing key; in clear it ends here.
    pub fn seal_foreign_key(&self, id: KeyId, key: ForeignKey) -> Result<Generated, Failed> {
        let ForeignKey { spec, pkcs8, public_key } = key;
        let sealed = self.seal_key(KeyRef { id, version: 1, purpose: Purpose::Sign, spec }, &pkcs8)?;
        Ok(Generated { sealed, public_key: Some(public_key) })
    }
}

impl Secret {
    /// The bytes that a text of standard base64 stands for; line breaks are ignored.
    #[must_use]
    pub fn from_base64(text: &str) -> Option<Self> {
        Self::decoded(text, |byte| matches!(byte, b'\n' | b'\r'))
    }

    fn decoded(text: &str, is_ignored: fn(u8) -> bool) -> Option<Self> {
        // One line, of its final size from the start, so that no copy is left behind.
        let line = Self::filled(text.len(), |line| {
            let characters = text.bytes().filter(|byte| !is_ignored(*byte));
            line.iter_mut().zip(characters.chain(std::iter::repeat(b'\n'))).for_each(|(to, from)| *to = from);
            Ok::<_, ()>(())
        });
        let line = line.ok()?;
        let line = std::str::from_utf8(line.expose()).ok()?.trim_end_matches('\n');
        Base64::decode(line).map(|Base64(bytes)| Self::taken(bytes))
    }
}

/// The iterations that are left to one call.
struct Work(u32);

impl Work {
    const fn new(max: u32) -> Self {
        Self(max)
    }

    fn take(&mut self, iterations: u32) -> Result<std::num::NonZeroU32, ImportError> {
        self.0 = self.0.checked_sub(iterations).ok_or(ImportError::TooMuchWork)?;
        std::num::NonZeroU32::new(iterations).ok_or(ImportError::UnknownEncryption)
    }
}

/// The one private key of a text: in PEM with anything around it (RFC 7468, 2), or base64.
fn key_der(text: &str) -> Result<Secret, ImportError> {
    const BEGIN: &str = "-----BEGIN ";
    /// What may stand beside the key and is not asked for here.
    const PASSED_OVER: [&str; 5] =
        ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE", "PUBLIC KEY", "EC PARAMETERS"];
    if !text.contains(BEGIN) {
        return Secret::from_base64(text.trim()).ok_or(ImportError::NotBase64);
    }
    let mut found = None;
    for block in text.split(BEGIN).skip(1) {
        let (label, rest) = block.split_once("-----").ok_or(ImportError::NotBase64)?;
        let (inner, _) = rest.split_once(&format!("-----END {label}-----")).ok_or(ImportError::NotBase64)?;
        match label {
            "PRIVATE KEY" | "ENCRYPTED PRIVATE KEY" if found.is_none() => found = Some(inner),
            "RSA PRIVATE KEY" | "EC PRIVATE KEY" | "DSA PRIVATE KEY" => return Err(ImportError::Traditional),
            label if PASSED_OVER.contains(&label) => {}
            _ => return Err(ImportError::OtherPem),
        }
    }
    let is_blank = |byte: u8| byte.is_ascii_whitespace();
    Secret::decoded(found.ok_or(ImportError::OtherPem)?, is_blank).ok_or(ImportError::NotBase64)
}

/// ```text
/// EncryptedPrivateKeyInfo ::= SEQUENCE { encryptionAlgorithm AlgorithmIdentifier, encryptedData OCTET STRING }
/// ```
#[derive(der::Sequence)]
struct EncryptedPrivateKeyInfo<'a> {
    algorithm: AlgorithmIdentifierRef<'a>,
    data: &'a OctetStringRef,
}

/// RFC 5958, 3; `None` for what is not encrypted.
fn encrypted(der: &[u8]) -> Option<(AlgorithmIdentifierRef<'_>, &[u8])> {
    let info = EncryptedPrivateKeyInfo::from_der(der).ok()?;
    Some((info.algorithm, info.data.as_bytes()))
}
