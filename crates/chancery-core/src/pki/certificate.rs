//! X.509 certificates (RFC 5280, 4.1): what will be signed, and the signed whole.

use chancery_types::{CertKeyUsage, KeyAlgorithm};
use der::{
    Decode, Encode, Sequence,
    asn1::{Null, ObjectIdentifier, OctetString},
    flagset::FlagSet,
};
use spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};
use x509_cert::{
    Version,
    ext::{
        Extension,
        pkix::{
            BasicConstraints, CertificatePolicies, ExtendedKeyUsage, KeyUsage, SubjectAltName, SubjectKeyIdentifier,
            certpolicy::PolicyInformation,
        },
    },
    name::Name,
    serial_number::SerialNumber,
    time::Validity as X509Validity,
};

pub(crate) use chancery_x509::certificate::{
    Issuer, OCSP_NO_CHECK, Serial, Signed, assemble, authority_key_identifier, extension, key_identifier, serial_text,
    usage_bit,
};

use super::{
    address::Addresses,
    alt_name::AltName,
    cert_profile::{Authority, CertProfile},
    dn::DistinguishedName,
    validity::{Validity, x509_time},
};

/// rsaEncryption (RFC 8017).
const RSA_ENCRYPTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");

/// id-ecPublicKey (RFC 5480).
const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

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
        // Where it alone says who it is, nobody may pass it over (RFC 5280, 4.1.2.6).
        extensions.push(extension(draft.subject.is_empty(), &SubjectAltName(names))?);
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
    if let Some(constraints) = &profile.name_constraints {
        extensions.push(constraints.extension()?);
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

/// The profile's usages that a key of this algorithm can have: only RSA keys encipher, only EC keys agree (RFC 5480, 8410,
/// 9881).
pub(super) fn usages_of_key(
    profile: &CertProfile,
    algorithm: Option<KeyAlgorithm>,
) -> impl Iterator<Item = CertKeyUsage> {
    let suits = move |usage: &CertKeyUsage| match usage {
        CertKeyUsage::KeyEncipherment | CertKeyUsage::DataEncipherment => algorithm == Some(KeyAlgorithm::Rsa),
        CertKeyUsage::KeyAgreement => algorithm == Some(KeyAlgorithm::Ec),
        CertKeyUsage::DigitalSignature
        | CertKeyUsage::NonRepudiation
        | CertKeyUsage::KeyCertSign
        | CertKeyUsage::CrlSign => true,
    };
    profile.key_usages.iter().copied().filter(suits)
}

pub(super) fn key_usage(profile: &CertProfile, public_key: &SubjectPublicKeyInfoOwned) -> KeyUsage {
    let algorithm = match public_key.algorithm.oid {
        RSA_ENCRYPTION => Some(KeyAlgorithm::Rsa),
        EC_PUBLIC_KEY => Some(KeyAlgorithm::Ec),
        _ => None,
    };
    let usages = usages_of_key(profile, algorithm);
    KeyUsage(usages.fold(FlagSet::default(), |usages, usage| usages | usage_bit(usage)))
}

#[cfg(test)]
mod tests {
    use x509_cert::ext::pkix::AuthorityKeyIdentifier;

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
