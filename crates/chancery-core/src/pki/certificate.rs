//! X.509 certificates (RFC 5280, 4.1): what will be signed, and the signed whole.

use chancery_types::CertKeyUsage;
use der::{
    Decode, Encode, Sequence,
    asn1::{BitString, Null, ObjectIdentifier, OctetString},
    flagset::FlagSet,
    oid::AssociatedOid,
};
use sha2::{Digest, Sha256};
use spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};
use x509_cert::{
    Version,
    ext::{
        Extension,
        pkix::{
            AuthorityKeyIdentifier, BasicConstraints, CertificatePolicies, ExtendedKeyUsage, KeyUsage, KeyUsages,
            SubjectAltName, SubjectKeyIdentifier, certpolicy::PolicyInformation, name::GeneralName,
        },
    },
    name::Name,
    serial_number::SerialNumber,
    time::Validity as X509Validity,
};

use super::{
    address::Addresses,
    alt_name::AltName,
    cert_profile::{Authority, CertProfile},
    dn::DistinguishedName,
    name_constraints::{self, Breach, NameConstraints},
    validity::{Validity, x509_time},
};

/// id-pkix-ocsp-nocheck (RFC 6960, 4.2.2.2.1).
pub(crate) const OCSP_NO_CHECK: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.1.5");

/// rsaEncryption (RFC 8017).
const RSA_ENCRYPTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");

/// id-ecPublicKey (RFC 5480).
const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

/// A serial number. Ours have 20 bytes of which 158 bits are random: the top bit is clear, so that the number is positive,
/// and the next one is set, so that it always has 20 bytes and is never zero. Those of certificates from elsewhere may be
/// shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Serial {
    bytes: [u8; 20],
    len: usize,
}

impl Serial {
    /// Shapes random bytes into a serial number.
    pub(crate) const fn from_random(mut bytes: [u8; 20]) -> Self {
        bytes[0] = bytes[0] & 0x3f | 0x40;
        Self { bytes, len: bytes.len() }
    }

    /// Reads a serial number back from the store.
    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        let read = hex::decode(text).ok()?;
        let mut bytes = [0; 20];
        bytes.get_mut(..read.len()).filter(|bytes| !bytes.is_empty())?.copy_from_slice(&read);
        Some(Self { bytes, len: read.len() })
    }

    /// Upper-case hexadecimal digits, as OpenSSL prints them.
    pub(crate) fn to_hex(self) -> String {
        hex::encode_upper(self.as_bytes())
    }

    pub(crate) const fn as_bytes(&self) -> &[u8] {
        self.bytes.split_at(self.len).0
    }

    pub(crate) fn to_x509(self) -> der::Result<SerialNumber> {
        SerialNumber::new(self.as_bytes())
    }
}

/// A serial number as the store has it: the byte that only says that the number is positive is left out.
pub(crate) fn serial_text(serial: &SerialNumber) -> String {
    match serial.as_bytes() {
        [0, rest @ ..] if !rest.is_empty() => hex::encode_upper(rest),
        bytes => hex::encode_upper(bytes),
    }
}

/// What an issuer lends to the certificates that it signs.
#[derive(Clone, Debug)]
pub(crate) struct Issuer {
    pub(crate) name: Name,
    pub(crate) key_identifier: Vec<u8>,
    pub(crate) validity: Validity,
    /// How many authorities may stand below it; `None` for any number.
    pub(crate) path_len: Option<u8>,
    pub(crate) is_authority: bool,
    /// What it and what issued it constrain of the names below.
    pub(crate) name_constraints: Vec<NameConstraints>,
}

impl Issuer {
    /// Reads an issuer off its chain, the issuer first and the root last: its path length is what all of them leave, and
    /// everybody's name constraints hold, the root's too.
    pub(crate) fn of_chain<'a>(chain: impl DoubleEndedIterator<Item = &'a [u8]>) -> der::Result<Self> {
        let mut links = chain.rev();
        let root = links.next().ok_or(der::ErrorKind::Failed)?;
        links.try_fold(Self::from_der(root)?, |above, link| {
            let own = Self::from_der(link)?;
            // What follows a change of key within one authority takes no place on a path (RFC 5280, 6.1.4, l).
            let left = above.path_len.map(|left| if own.name == above.name { left } else { left.saturating_sub(1) });
            let path_len = match (left, own.path_len) {
                (Some(left), Some(own)) => Some(left.min(own)),
                (left, own) => left.or(own),
            };
            let name_constraints = [above.name_constraints, own.name_constraints].concat();
            Ok(Self { path_len, name_constraints, ..own })
        })
    }

    /// Reads an issuer off its certificate.
    pub(crate) fn from_der(der: &[u8]) -> der::Result<Self> {
        let certificate = x509_cert::Certificate::from_der(der)?;
        let tbs = certificate.tbs_certificate();
        let second = |time: x509_cert::time::Time| {
            i64::try_from(time.to_unix_duration().as_secs()).map_err(|_| der::ErrorKind::DateTime)
        };
        let constraints = tbs.get_extension::<BasicConstraints>()?.map(|(_, constraints)| constraints);
        let key_identifier = match tbs.get_extension::<SubjectKeyIdentifier>()? {
            Some((_, identifier)) => identifier.0.into_bytes().to_vec(),
            None => key_identifier(tbs.subject_public_key_info()),
        };
        Ok(Self {
            name: tbs.subject().clone(),
            key_identifier,
            validity: Validity::between(second(tbs.validity().not_before)?, second(tbs.validity().not_after)?),
            path_len: constraints.as_ref().and_then(|constraints| constraints.path_len_constraint),
            is_authority: constraints.is_some_and(|constraints| constraints.ca),
            name_constraints: NameConstraints::of(tbs)?.into_iter().collect(),
        })
    }

    /// Whether a certificate below may bear these names. What follows a change of key within one authority may bear its
    /// name, whatever that is (RFC 5280, 6.1.3).
    pub(super) fn check_names(
        &self,
        subject: &Name,
        alt_names: &[GeneralName],
        is_authority: bool,
    ) -> Result<(), Breach> {
        if is_authority && *subject == self.name {
            return Ok(());
        }
        name_constraints::check(&self.name_constraints, subject, alt_names, is_authority)
    }
}

/// Everything that a certificate is going to say.
pub(crate) struct Draft<'a> {
    pub(crate) profile: &'a CertProfile,
    pub(crate) serial: Serial,
    pub(crate) subject: &'a DistinguishedName,
    /// The subject's SubjectPublicKeyInfo.
    pub(crate) public_key: &'a [u8],
    pub(crate) validity: Validity,
    pub(crate) alt_names: &'a [AltName],
    /// Who signs; `None` for the subject itself.
    pub(crate) issuer: Option<&'a Issuer>,
    /// Where the issuer's certificate and CRL are found, if anywhere.
    pub(crate) addresses: Option<&'a Addresses>,
    /// The signature's algorithm.
    pub(crate) algorithm: &'a AlgorithmIdentifierOwned,
}

/// ```text
/// TBSCertificate  ::=  SEQUENCE  {
///      version         [0]  EXPLICIT Version DEFAULT v1,
///      serialNumber         CertificateSerialNumber,
///      signature            AlgorithmIdentifier,
///      issuer               Name,
///      validity             Validity,
///      subject              Name,
///      subjectPublicKeyInfo SubjectPublicKeyInfo,
///      extensions      [3]  EXPLICIT Extensions OPTIONAL }
/// ```
///
/// x509-cert's own type has no public constructor apart from a builder that wants the signer at hand.
#[derive(Sequence)]
struct TbsCertificate {
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    version: Version,
    serial_number: SerialNumber,
    signature: AlgorithmIdentifierOwned,
    issuer: Name,
    validity: X509Validity,
    subject: Name,
    subject_public_key_info: SubjectPublicKeyInfoOwned,
    #[asn1(context_specific = "3", tag_mode = "EXPLICIT")]
    extensions: Vec<Extension>,
}

/// `SEQUENCE { toBeSigned, signatureAlgorithm, signature }`: a certificate, a CRL or an OCSP answer.
#[derive(Sequence)]
pub(super) struct Signed {
    pub(super) to_be_signed: der::Any,
    pub(super) algorithm: AlgorithmIdentifierOwned,
    pub(super) signature: BitString,
}

/// The bytes that the issuer signs.
pub(crate) fn to_be_signed(draft: &Draft<'_>) -> der::Result<Vec<u8>> {
    let public_key = SubjectPublicKeyInfoOwned::from_der(draft.public_key)?;
    let subject = draft.subject.as_name();
    TbsCertificate {
        version: Version::V3,
        serial_number: draft.serial.to_x509()?,
        signature: draft.algorithm.clone(),
        issuer: draft.issuer.map_or(subject, |issuer| &issuer.name).clone(),
        validity: X509Validity::new(
            x509_time(draft.validity.not_before_s())?,
            x509_time(draft.validity.not_after_s())?,
        ),
        subject: subject.clone(),
        extensions: extensions(draft, &public_key)?,
        subject_public_key_info: public_key,
    }
    .to_der()
}

/// Puts a signature to what was signed.
pub(crate) fn assemble(
    to_be_signed: &[u8],
    algorithm: AlgorithmIdentifierOwned,
    signature: &[u8],
) -> der::Result<Vec<u8>> {
    Signed { to_be_signed: der::Any::from_der(to_be_signed)?, algorithm, signature: BitString::from_bytes(signature)? }
        .to_der()
}

/// RFC 7093, method 1: the leftmost 160 bits of the SHA-256 hash of the public key's bits.
pub(crate) fn key_identifier(public_key: &SubjectPublicKeyInfoOwned) -> Vec<u8> {
    Sha256::digest(public_key.subject_public_key.raw_bytes())[..20].to_vec()
}

fn extensions(draft: &Draft<'_>, public_key: &SubjectPublicKeyInfoOwned) -> der::Result<Vec<Extension>> {
    let profile = draft.profile;
    let own_identifier = key_identifier(public_key);
    let mut extensions = Vec::new();
    if profile.is_authority() {
        let path_len_constraint = match profile.authority {
            Authority::Issuing { path_len } => path_len,
            Authority::Root | Authority::None => None,
        };
        extensions.push(extension(true, &BasicConstraints { ca: true, path_len_constraint })?);
    }
    extensions.push(extension(true, &key_usage(profile, public_key))?);
    if !profile.extended_key_usages.is_empty() {
        let usages = ExtendedKeyUsage(profile.extended_key_usages.to_vec());
        extensions.push(extension(profile.extended_key_usage_is_critical(), &usages)?);
    }
    if !draft.alt_names.is_empty() {
        let names = draft.alt_names.iter().map(AltName::general_name).collect::<der::Result<_>>()?;
        extensions.push(extension(false, &SubjectAltName(names))?);
    }
    extensions.push(extension(false, &SubjectKeyIdentifier(OctetString::new(own_identifier.as_slice())?))?);
    // A self-signed authority's two identifiers would say the same (RFC 5280, 4.2.1.1).
    if draft.issuer.is_some() || !profile.is_authority() {
        let identifier = draft.issuer.map_or(&own_identifier, |issuer| &issuer.key_identifier);
        extensions.push(extension(false, &authority_key_identifier(identifier)?)?);
    }
    if !profile.policies.is_empty() {
        extensions.push(extension(false, &policies(profile))?);
    }
    if let Some(addresses) = draft.addresses {
        extensions.extend(addresses.extensions()?);
    }
    if profile.ocsp_no_check() {
        let value = OctetString::new(Null.to_der()?)?;
        extensions.push(Extension { extn_id: OCSP_NO_CHECK, critical: false, extn_value: value });
    }
    Ok(extensions)
}

pub(super) fn policies(profile: &CertProfile) -> CertificatePolicies {
    let policy = |oid: &ObjectIdentifier| PolicyInformation { policy_identifier: *oid, policy_qualifiers: None };
    CertificatePolicies(profile.policies.iter().map(policy).collect())
}

/// The profile's usages that this kind of key can have: only RSA keys encipher, only EC keys agree (RFC 5480, 8410,
/// 9881).
pub(super) fn key_usage(profile: &CertProfile, public_key: &SubjectPublicKeyInfoOwned) -> KeyUsage {
    let is = |oid| public_key.algorithm.oid == oid;
    let suits = |usage: &&CertKeyUsage| match usage {
        CertKeyUsage::KeyEncipherment | CertKeyUsage::DataEncipherment => is(RSA_ENCRYPTION),
        CertKeyUsage::KeyAgreement => is(EC_PUBLIC_KEY),
        CertKeyUsage::DigitalSignature
        | CertKeyUsage::NonRepudiation
        | CertKeyUsage::KeyCertSign
        | CertKeyUsage::CrlSign => true,
    };
    let usages = profile.key_usages.iter().filter(suits);
    KeyUsage(usages.fold(FlagSet::default(), |usages, usage| usages | usage_bit(*usage)))
}

/// The usage as the extension has it.
pub(super) const fn usage_bit(usage: CertKeyUsage) -> KeyUsages {
    match usage {
        CertKeyUsage::DigitalSignature => KeyUsages::DigitalSignature,
        CertKeyUsage::NonRepudiation => KeyUsages::NonRepudiation,
        CertKeyUsage::KeyEncipherment => KeyUsages::KeyEncipherment,
        CertKeyUsage::DataEncipherment => KeyUsages::DataEncipherment,
        CertKeyUsage::KeyAgreement => KeyUsages::KeyAgreement,
        CertKeyUsage::KeyCertSign => KeyUsages::KeyCertSign,
        CertKeyUsage::CrlSign => KeyUsages::CRLSign,
    }
}

/// The extension by which certificates and CRLs name the key that signed them.
pub(crate) fn authority_key_identifier(identifier: &[u8]) -> der::Result<AuthorityKeyIdentifier> {
    Ok(AuthorityKeyIdentifier { key_identifier: Some(OctetString::new(identifier)?), ..Default::default() })
}

/// Wraps an extension's value.
pub(crate) fn extension<T: AssociatedOid + Encode>(critical: bool, value: &T) -> der::Result<Extension> {
    Ok(Extension { extn_id: T::OID, critical, extn_value: OctetString::new(value.to_der()?)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pki::cert_profile::{BUILT_IN, CODE_SIGNING_CERTIFICATE, built_in};

    /// Ed25519 (RFC 8410, 10.1).
    const PUBLIC_KEY: &str = "302a300506032b657003210019bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1";
    const ED25519: &str = "300506032b6570";

    fn der_of(
        profile: &CertProfile,
        issuer: Option<&Issuer>,
        addresses: Option<&Addresses>,
    ) -> x509_cert::TbsCertificate {
        let public_key = hex::decode(PUBLIC_KEY).unwrap();
        let algorithm = AlgorithmIdentifierOwned::from_der(&hex::decode(ED25519).unwrap()).unwrap();
        let draft = Draft {
            profile,
            serial: Serial::from_random([0xff; 20]),
            subject: &"CN=a,C=US".parse().unwrap(),
            public_key: &public_key,
            validity: Validity::between(0, 1),
            alt_names: &[],
            issuer,
            addresses,
            algorithm: &algorithm,
        };
        x509_cert::TbsCertificate::from_der(&to_be_signed(&draft).unwrap()).unwrap()
    }

    fn issuer() -> Issuer {
        Issuer {
            name: "CN=issuer".parse::<DistinguishedName>().unwrap().as_name().clone(),
            key_identifier: vec![7; 20],
            validity: Validity::between(0, 100),
            path_len: None,
            is_authority: true,
            name_constraints: Vec::new(),
        }
    }

    #[test]
    fn serials_are_positive_and_have_20_bytes() {
        for bytes in [[0; 20], [0xff; 20], [0x80; 20]] {
            let serial = Serial::from_random(bytes);
            let der = serial.to_x509().unwrap().to_der().unwrap();
            assert_eq!((der[0], der[1], der[2] & 0xc0), (2, 20, 0x40), "{bytes:?}");
            assert_eq!(Serial::from_hex(&serial.to_hex()), Some(serial));
        }
    }

    #[test]
    fn serials_from_elsewhere_have_up_to_20_bytes() {
        for (bytes, text) in [(&[1][..], "01"), (&[0xb3, 1], "B301"), (&[0], "00"), (&[0x7f; 20], &"7F".repeat(20))] {
            let serial = SerialNumber::new(bytes).unwrap();
            assert_eq!(serial_text(&serial), text);
            assert_eq!(Serial::from_hex(text).unwrap().to_x509().unwrap(), serial);
        }
        for text in ["", "0", "x", &"7F".repeat(21)] {
            assert_eq!(Serial::from_hex(text), None, "{text}");
        }
    }

    #[test]
    fn roots_carry_no_authority_key_identifier_and_leaves_do() {
        for profile in BUILT_IN.iter() {
            let tbs = der_of(profile, None, None);
            let identifier = tbs.get_extension::<AuthorityKeyIdentifier>().unwrap();
            assert_eq!(identifier.is_some(), !profile.is_authority(), "{}", profile.name);
            let tbs = der_of(profile, Some(&issuer()), None);
            let (_, identifier) = tbs.get_extension::<AuthorityKeyIdentifier>().unwrap().unwrap();
            assert_eq!(identifier.key_identifier.unwrap().as_bytes(), [7; 20], "{}", profile.name);
        }
    }

    #[test]
    fn addresses_appear_only_where_they_are_known() {
        let profile = &*built_in(CODE_SIGNING_CERTIFICATE).unwrap();
        let addresses =
            Addresses::of(profile, Some("http://pki.example/"), chancery_types::CertificateId::from_u128(1));
        for (addresses, expected) in [(None, 0), (Some(&addresses), 2)] {
            let tbs = der_of(profile, Some(&issuer()), addresses);
            let found = tbs.extensions().unwrap().iter().filter(|extension| {
                let value = String::from_utf8_lossy(extension.extn_value.as_bytes()).into_owned();
                value.contains("http://pki.example/crl/00000000-0000-0000-0000-000000000001.crl")
                    || value.contains("http://pki.example/ca/00000000-0000-0000-0000-000000000001.crt")
            });
            assert_eq!(found.count(), expected);
        }
    }

    #[test]
    fn only_time_stamping_is_a_critical_purpose() {
        for profile in BUILT_IN.iter() {
            let usage = der_of(profile, None, None).get_extension::<ExtendedKeyUsage>().unwrap();
            let critical = usage.is_some_and(|(critical, _)| critical);
            assert_eq!(critical, profile.name == "Time Stamping", "{}", profile.name);
        }
    }
}
