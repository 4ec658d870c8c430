//! PKCS#12 files (RFC 7292) as OpenSSL 3 writes them: certificates and key under PBES2, the whole under a MAC.

use aws_lc_rs::hmac;
use chancery_types::HashType;
use der::{
    Decode, Sequence, Tag, TagNumber, Tagged,
    asn1::{AnyRef, ObjectIdentifier, OctetStringRef},
};
use spki::AlgorithmIdentifierRef;

use super::{
    ForeignKey, ImportError, Work, encrypted,
    pbes2::{self, HMAC_WITH_SHA256, HMAC_WITH_SHA384, HMAC_WITH_SHA512, parameters},
    private_key,
};
use crate::{Secret, hash};

const fn oid(dotted: &str) -> ObjectIdentifier {
    ObjectIdentifier::new_unwrap(dotted)
}

const DATA: ObjectIdentifier = oid("1.2.840.113549.1.7.1");
const ENCRYPTED_DATA: ObjectIdentifier = oid("1.2.840.113549.1.7.6");
const KEY_BAG: ObjectIdentifier = oid("1.2.840.113549.1.12.10.1.1");
const SHROUDED_KEY_BAG: ObjectIdentifier = oid("1.2.840.113549.1.12.10.1.2");
const CERT_BAG: ObjectIdentifier = oid("1.2.840.113549.1.12.10.1.3");
const X509_CERTIFICATE: ObjectIdentifier = oid("1.2.840.113549.1.9.22.1");
const PBMAC1: ObjectIdentifier = oid("1.2.840.113549.1.5.14");
const MD5: ObjectIdentifier = oid("1.2.840.113549.2.5");
const SHA1: ObjectIdentifier = oid("1.3.14.3.2.26");
const SHA256: ObjectIdentifier = oid("2.16.840.1.101.3.4.2.1");
const SHA384: ObjectIdentifier = oid("2.16.840.1.101.3.4.2.2");
const SHA512: ObjectIdentifier = oid("2.16.840.1.101.3.4.2.3");

/// What a PKCS#12 file holds: one private key, and certificates in no certain order.
pub struct Pkcs12 {
    /// The key.
    pub key: ForeignKey,
    /// The certificates in DER, not read yet.
    pub certificates: Vec<Vec<u8>>,
}

/// ```text
/// PFX ::= SEQUENCE { version INTEGER {v3(3)}, authSafe ContentInfo, macData MacData OPTIONAL }
/// ```
#[derive(Sequence)]
struct Pfx<'a> {
    version: u8,
    auth_safe: ContentInfo<'a>,
    mac_data: Option<MacData<'a>>,
}

/// ```text
/// ContentInfo ::= SEQUENCE { contentType OBJECT IDENTIFIER, content [0] EXPLICIT ANY DEFINED BY contentType }
/// ```
#[derive(Sequence)]
struct ContentInfo<'a> {
    content_type: ObjectIdentifier,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    content: AnyRef<'a>,
}

/// ```text
/// MacData ::= SEQUENCE { mac DigestInfo, macSalt OCTET STRING, iterations INTEGER DEFAULT 1 }
/// ```
#[derive(Sequence)]
struct MacData<'a> {
    mac: DigestInfo<'a>,
    salt: &'a OctetStringRef,
    iterations: Option<u32>,
}

#[derive(Sequence)]
struct DigestInfo<'a> {
    algorithm: AlgorithmIdentifierRef<'a>,
    digest: &'a OctetStringRef,
}

/// ```text
/// PBMAC1-params ::= SEQUENCE { keyDerivationFunc AlgorithmIdentifier, messageAuthScheme AlgorithmIdentifier }
/// ```
#[derive(Sequence)]
struct Pbmac1Params<'a> {
    key_derivation: AlgorithmIdentifierRef<'a>,
    mac: AlgorithmIdentifierRef<'a>,
}

/// ```text
/// EncryptedData ::= SEQUENCE { version INTEGER, encryptedContentInfo SEQUENCE {
///   contentType OBJECT IDENTIFIER, contentEncryptionAlgorithm AlgorithmIdentifier,
///   encryptedContent [0] IMPLICIT OCTET STRING OPTIONAL } }
/// ```
#[derive(Sequence)]
struct EncryptedData<'a> {
    version: u8,
    info: EncryptedContentInfo<'a>,
}

#[derive(Sequence)]
struct EncryptedContentInfo<'a> {
    content_type: ObjectIdentifier,
    algorithm: AlgorithmIdentifierRef<'a>,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT")]
    content: &'a OctetStringRef,
}

/// ```text
/// CertBag ::= SEQUENCE { certId OBJECT IDENTIFIER, certValue [0] EXPLICIT ANY DEFINED BY certId }
/// ```
#[derive(Sequence)]
struct CertBag<'a> {
    id: ObjectIdentifier,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    value: &'a OctetStringRef,
}

impl Pkcs12 {
    /// Opens a file: DER in base64. `work_max` bounds the iterations that are computed, over all parts of the file.
    pub fn open(text: &str, password: &Secret, work_max: u32) -> Result<Self, ImportError> {
        let file = Secret::from_base64(text.trim()).ok_or(ImportError::NotBase64)?;
        let mut work = Work::new(work_max);
        let pfx = Pfx::from_der(file.expose()).map_err(|_| ImportError::UnreadablePkcs12)?;
        if pfx.version != 3 || pfx.auth_safe.content_type != DATA {
            return Err(ImportError::UnreadablePkcs12);
        }
        let safes: &OctetStringRef = pfx.auth_safe.content.decode_as().map_err(unreadable)?;
        check_mac(pfx.mac_data.as_ref().ok_or(ImportError::NoMac)?, safes.as_bytes(), password, &mut work)?;
        let mut found = Found::default();
        for safe in Vec::<ContentInfo<'_>>::from_der(safes.as_bytes()).map_err(unreadable)? {
            match safe.content_type {
                DATA => {
                    let content: &OctetStringRef = safe.content.decode_as().map_err(unreadable)?;
                    found.take(content.as_bytes(), password, &mut work)?;
                }
                ENCRYPTED_DATA => {
                    let EncryptedData { version: _, info } = safe.content.decode_as().map_err(unreadable)?;
                    let plain = pbes2::decrypt(info.algorithm, info.content.as_bytes(), password, &mut work)?;
                    found.take(plain.expose(), password, &mut work)?;
                }
                _ => return Err(ImportError::UnknownEncryption),
            }
        }
        let Found { key, certificates } = found;
        Ok(Self { key: key.ok_or(ImportError::NotOneKey)?, certificates })
    }
}

fn unreadable(_: der::Error) -> ImportError {
    ImportError::UnreadablePkcs12
}

#[derive(Default)]
struct Found {
    key: Option<ForeignKey>,
    certificates: Vec<Vec<u8>>,
}

impl Found {
    /// ```text
    /// SafeContents ::= SEQUENCE OF SafeBag
    /// SafeBag ::= SEQUENCE { bagId OBJECT IDENTIFIER, bagValue [0] EXPLICIT ANY, bagAttributes SET OPTIONAL }
    /// ```
    fn take(&mut self, contents: &[u8], password: &Secret, work: &mut Work) -> Result<(), ImportError> {
        const VALUE: Tag = Tag::ContextSpecific { constructed: true, number: TagNumber(0) };
        for bag in Vec::<Vec<AnyRef<'_>>>::from_der(contents).map_err(unreadable)? {
            let [id, value, ..] = bag.as_slice() else { return Err(ImportError::UnreadablePkcs12) };
            let id: ObjectIdentifier = id.decode_as().map_err(unreadable)?;
            if value.tag() != VALUE {
                return Err(ImportError::UnreadablePkcs12);
            }
            match id {
                KEY_BAG => self.take_key(private_key::read(value.value())?)?,
                SHROUDED_KEY_BAG => {
                    let (algorithm, data) = encrypted(value.value()).ok_or(ImportError::UnreadablePkcs12)?;
                    let plain = pbes2::decrypt(algorithm, data, password, work)?;
                    self.take_key(private_key::read(plain.expose())?)?;
                }
                CERT_BAG => {
                    let bag = CertBag::from_der(value.value()).map_err(unreadable)?;
                    if bag.id == X509_CERTIFICATE {
                        self.certificates.push(bag.value.as_bytes().to_vec());
                    }
                }
                // Lists, secrets and nested contents play no part.
                _ => {}
            }
        }
        Ok(())
    }

    fn take_key(&mut self, key: ForeignKey) -> Result<(), ImportError> {
        if self.key.replace(key).is_some() { Err(ImportError::NotOneKey) } else { Ok(()) }
    }
}

/// HMAC under a key from the password: by PKCS#12's own derivation, or by PBKDF2 (PBMAC1, RFC 9579).
fn check_mac(data: &MacData<'_>, content: &[u8], password: &Secret, work: &mut Work) -> Result<(), ImportError> {
    let algorithm = data.mac.algorithm;
    let digest = data.mac.digest.as_bytes();
    if algorithm.oid == PBMAC1 {
        let params = parameters::<Pbmac1Params<'_>>(algorithm)?;
        let (function, len) = match params.mac.oid {
            HMAC_WITH_SHA256 => (hmac::HMAC_SHA256, 32),
            HMAC_WITH_SHA384 => (hmac::HMAC_SHA384, 48),
            HMAC_WITH_SHA512 => (hmac::HMAC_SHA512, 64),
            _ => return Err(ImportError::NoMac),
        };
        return verify(function, &pbes2::pbkdf2(params.key_derivation, len, password, work)?, content, digest);
    }
    let (function, hash) = match algorithm.oid {
        SHA256 => (hmac::HMAC_SHA256, HashType::Sha2_256),
        SHA384 => (hmac::HMAC_SHA384, HashType::Sha2_384),
        SHA512 => (hmac::HMAC_SHA512, HashType::Sha2_512),
        SHA1 | MD5 => return Err(ImportError::Legacy),
        _ => return Err(ImportError::NoMac),
    };
    let iterations = work.take(data.iterations.unwrap_or(1))?.get();
    let key = mac_key(hash, &bmp_string(password)?, data.salt.as_bytes(), iterations)?;
    verify(function, &key, content, digest)
}

fn verify(function: hmac::Algorithm, key: &Secret, content: &[u8], digest: &[u8]) -> Result<(), ImportError> {
    hmac::verify(&hmac::Key::new(function, key.expose()), content, digest).map_err(|_| ImportError::WrongPassword)
}

/// RFC 7292, B.2, with the standard's letters. The key is as long as the hash (n = u), so that one A is enough (c = 1) and
/// step 6.C, the update of I, never comes.
fn mac_key(hash_type: HashType, password: &Secret, salt: &[u8], iterations: u32) -> Result<Secret, ImportError> {
    /// What the key is for (B.3): a MAC.
    const ID: u8 = 3;
    let v = if hash_type == HashType::Sha2_256 { 64 } else { 128 };
    let multiple = |len: usize| len.div_ceil(v) * v;
    // Steps 1 to 4: D, then S and P, which are repeated to multiples of v.
    let (s, p) = (multiple(salt.len()), multiple(password.expose().len()));
    let di = Secret::filled(v + s + p, |di| {
        let (d, i) = di.split_at_mut(v);
        d.fill(ID);
        let (s, p) = i.split_at_mut(s);
        s.iter_mut().zip(salt.iter().cycle()).for_each(|(to, from)| *to = *from);
        p.iter_mut().zip(password.expose().iter().cycle()).for_each(|(to, from)| *to = *from);
        Ok::<_, ImportError>(())
    })?;
    // Step 6.A.
    let mut a = hash(hash_type, di.expose());
    for _ in 1..iterations {
        a = hash(hash_type, a.as_bytes());
    }
    Ok(Secret::copied(a.as_bytes()))
}

/// RFC 7292, B.1: UTF-16, the high byte first, with a zero character at the end.
fn bmp_string(password: &Secret) -> Result<Secret, ImportError> {
    let text = std::str::from_utf8(password.expose()).map_err(|_| ImportError::WrongPassword)?;
    let len = 2 * (text.encode_utf16().count() + 1);
    Secret::filled(len, |bytes| {
        let units = text.encode_utf16().chain([0]);
        bytes.chunks_exact_mut(2).zip(units).for_each(|(to, unit)| to.copy_from_slice(&unit.to_be_bytes()));
        Ok(())
    })
}
