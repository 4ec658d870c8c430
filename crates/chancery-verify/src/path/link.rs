//! A certificate with all that paths ask of it, read once.

use chancery_keys::{NamedAlgorithm, is_anyones_key, is_short_rsa_key, kind_of_public_key};
use chancery_x509::{
    certificate::{Signed, serial_text},
    dn::FoundName,
    has_padded_oid,
    name_constraints::{NameConstraints, NameKey},
};
use const_oid::db::rfc5912::RSA_ENCRYPTION;
use der::{Decode, Encode, asn1::ObjectIdentifier, oid::AssociatedOid};
use x509_cert::{
    Certificate, Version,
    ext::{
        Extension,
        pkix::{
            BasicConstraints, CertificatePolicies, CrlDistributionPoints, ExtendedKeyUsage, InhibitAnyPolicy, KeyUsage,
            NameConstraints as NameConstraintsExtension, PolicyConstraints, PolicyMappings, SubjectAltName,
            crl::dp::DistributionPoint, name::GeneralName,
        },
    },
    name::Name,
};

use super::{NotTrusted, Purpose, crl::second, early_times::as_of_1970, rules::is_for};

/// Extensions that say nothing a path hangs on, and that are known all the same: subjectKeyIdentifier, issuerAltName,
/// authorityKeyIdentifier, freshestCRL.
const HARMLESS: [&str; 4] = ["2.5.29.14", "2.5.29.18", "2.5.29.35", "2.5.29.46"];

/// anyExtendedKeyUsage (RFC 5280, 4.2.1.12).
const ANY_PURPOSE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37.0");

/// A certificate as a link of paths.
#[derive(Clone, Debug)]
pub struct Link {
    pub(crate) der: Vec<u8>,
    pub(crate) parsed: Certificate,
    to_be_signed: Vec<u8>,
    public_key: Vec<u8>,
    pub(super) subject_key: NameKey,
    pub(super) issuer_key: NameKey,
    pub(super) facts: Facts,
    /// Why it cannot stand in any path: an extension that cannot be read, that is there twice, or that is critical and
    /// not known.
    pub(super) fault: Option<ObjectIdentifier>,
}

/// What its extensions say.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) is_authority: bool,
    pub(super) path_len: Option<u8>,
    pub(super) usage: Option<KeyUsage>,
    pub(super) purposes: Option<(bool, Vec<ObjectIdentifier>)>,
    pub(super) alt_names: Vec<GeneralName>,
    pub(super) constraints: Option<NameConstraints>,
    pub(super) policies: Option<Vec<ObjectIdentifier>>,
    pub(super) mappings: Vec<(ObjectIdentifier, ObjectIdentifier)>,
    pub(super) require_explicit: Option<u32>,
    pub(super) inhibit_mapping: Option<u32>,
    pub(super) inhibit_any: Option<u32>,
    pub(super) crl_points: Vec<DistributionPoint>,
}

/// Certificates are the same where their bytes are.
impl PartialEq for Link {
    fn eq(&self, other: &Self) -> bool {
        self.der == other.der
    }
}

impl Eq for Link {}

impl Link {
    /// Reads a certificate in DER; `None` for what is none.
    #[must_use]
    pub fn read(der: &[u8]) -> Option<Self> {
        let parsed = Certificate::from_der(der).ok().or_else(|| Certificate::from_der(&as_of_1970(der)?).ok());
        let parsed = parsed.filter(|_| !has_padded_oid(der))?;
        let to_be_signed = Signed::from_der(der).ok()?.to_be_signed.to_der().ok()?;
        let tbs = parsed.tbs_certificate();
        let public_key = tbs.subject_public_key_info().to_der().ok()?;
        let extensions: &[Extension] = tbs.extensions().map_or(&[], |extensions| extensions.as_slice());
        let (facts, mut fault) = Facts::read(extensions, tbs.subject());
        // Extensions are for version 3 (RFC 5280, 4.1).
        if tbs.version() != Version::V3 {
            fault = fault.or(extensions.first().map(|extension| extension.extn_id));
        }
        let (subject_key, issuer_key) = (NameKey::of(tbs.subject()), NameKey::of(tbs.issuer()));
        Some(Self { der: der.to_vec(), to_be_signed, public_key, subject_key, issuer_key, facts, fault, parsed })
    }

    /// The extension for which it stands in no path, if there is one: it cannot be read, is there twice, or is critical and
    /// not known.
    #[must_use]
    pub const fn fault(&self) -> Option<ObjectIdentifier> {
        self.fault
    }

    pub(crate) fn subject(&self) -> &Name {
        self.parsed.tbs_certificate().subject()
    }

    /// Its subject on one line.
    #[must_use]
    pub fn subject_text(&self) -> String {
        FoundName::from(self.subject()).to_string()
    }

    /// Its issuer on one line.
    #[must_use]
    pub fn issuer_text(&self) -> String {
        FoundName::from(self.issuer()).to_string()
    }

    /// Its serial number in hexadecimal digits.
    #[must_use]
    pub fn serial_text(&self) -> String {
        serial_text(self.parsed.tbs_certificate().serial_number())
    }

    /// What else it is called by.
    #[must_use]
    pub fn alt_names(&self) -> &[GeneralName] {
        &self.facts.alt_names
    }

    /// Whether it says that it is an authority's.
    #[must_use]
    pub const fn is_authority(&self) -> bool {
        self.facts.is_authority
    }

    /// The purposes that it names, where it limits them.
    #[must_use]
    pub fn purposes(&self) -> Option<&[ObjectIdentifier]> {
        self.facts.purposes.as_ref().map(|(_, purposes)| purposes.as_slice())
    }

    /// Whether what it issues, and what stands below that, may be for this. Purposes of an authority are those of what it
    /// issues: the RFC leaves it open, and those who check them mean it so.
    #[must_use]
    pub fn issues_for(&self, purpose: ObjectIdentifier) -> bool {
        self.purposes().is_none_or(|named| named.contains(&purpose) || named.contains(&ANY_PURPOSE))
    }

    /// Whether it says something of certificate policies for which a path below it can be refused.
    #[must_use]
    pub const fn demands_policies(&self) -> bool {
        self.facts.require_explicit.is_some() || !self.facts.mappings.is_empty()
    }

    /// The certificate in DER.
    #[must_use]
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    pub(super) fn issuer(&self) -> &Name {
        self.parsed.tbs_certificate().issuer()
    }

    pub(super) fn is_self_issued(&self) -> bool {
        self.subject_key == self.issuer_key
    }

    /// The public key, a SubjectPublicKeyInfo in DER.
    #[must_use]
    pub fn public_key(&self) -> &[u8] {
        &self.public_key
    }

    /// Whether it is valid then, and for this, whoever issued it.
    pub(crate) fn is_for_at(&self, purpose: Purpose, at_ms: i64) -> bool {
        self.fault.is_none() && self.is_valid_at(at_ms) && is_for(self, purpose)
    }

    /// Whether the moment lies in its life.
    pub(super) fn is_valid_at(&self, at_ms: i64) -> bool {
        let validity = self.parsed.tbs_certificate().validity();
        (second(validity.not_before)..=second(validity.not_after)).contains(&at_ms.div_euclid(1_000))
    }

    /// The last second of its life.
    pub(super) fn not_after_s(&self) -> i64 {
        second(self.parsed.tbs_certificate().validity().not_after)
    }

    /// How it is signed; `None` where the two places that say so differ, or where the algorithm is not known.
    pub(super) fn algorithm(&self) -> Option<NamedAlgorithm> {
        let algorithm = self.parsed.signature_algorithm();
        let same = self.parsed.tbs_certificate().signature() == algorithm;
        NamedAlgorithm::read(algorithm, None).filter(|_| same)
    }

    /// Why it cannot be told whether the issuer's key made its signature.
    pub(super) fn unsupported_under(&self, issuer: &Self) -> Option<NotTrusted> {
        let algorithm = self.parsed.signature_algorithm();
        let is_known = NamedAlgorithm::read(algorithm, None).is_some();
        let algorithm = if is_known { issuer.unsupported_key()? } else { algorithm.oid };
        Some(NotTrusted::Unsupported { subject: self.subject_text(), algorithm })
    }

    /// The kind of its key, where signatures of such keys are not verified here.
    pub(crate) fn unsupported_key(&self) -> Option<ObjectIdentifier> {
        let kind = self.key_algorithm();
        // RSA keys are taken at any length.
        (kind != RSA_ENCRYPTION && kind_of_public_key(&self.public_key).is_none()).then_some(kind)
    }

    pub(crate) fn key_algorithm(&self) -> ObjectIdentifier {
        self.parsed.tbs_certificate().subject_public_key_info().algorithm.oid
    }

    /// Whether the issuer's key made its signature.
    pub(super) fn is_signed_by(&self, issuer: &Self) -> bool {
        let signature = self.parsed.signature().as_bytes().unwrap_or_default();
        self.algorithm().is_some_and(|named| named.verify(&issuer.public_key, &self.to_be_signed, signature).is_ok())
    }

    /// Whether its signature rests on a broken hash.
    pub(super) fn is_weakly_signed(&self) -> bool {
        self.algorithm().and_then(|named| named.hash()).is_some_and(chancery_types::HashType::is_weak)
    }

    /// Whether its key is too short.
    pub(super) fn has_weak_key(&self) -> bool {
        is_short_rsa_key(&self.public_key)
    }

    /// Whether everybody can sign with its key, so that it names nobody.
    pub(super) fn has_anyones_key(&self) -> bool {
        is_anyones_key(&self.public_key)
    }

    pub(super) fn is_version_3(&self) -> bool {
        matches!(self.parsed.tbs_certificate().version(), Version::V3)
    }
}

impl Facts {
    /// What the extensions say, and the first one because of which nothing may be built on the certificate.
    fn read(extensions: &[Extension], subject: &Name) -> (Self, Option<ObjectIdentifier>) {
        let (mut facts, mut fault, mut seen) = (Self::default(), None, Vec::new());
        for extension in extensions {
            let known = facts.take(extension, subject);
            let bad = match known {
                Ok(known) => !known && extension.critical,
                Err(_) => true,
            };
            if bad || seen.contains(&extension.extn_id) {
                fault = fault.or(Some(extension.extn_id));
            }
            seen.push(extension.extn_id);
        }
        (facts, fault)
    }

    /// Takes in what one extension says; whether it is known.
    fn take(&mut self, extension: &Extension, subject: &Name) -> der::Result<bool> {
        let value = extension.extn_value.as_bytes();
        match extension.extn_id {
            BasicConstraints::OID => {
                let found = BasicConstraints::from_der(value)?;
                (self.is_authority, self.path_len) = (found.ca, found.path_len_constraint.filter(|_| found.ca));
            }
            KeyUsage::OID => self.usage = Some(KeyUsage::from_der(value)?),
            ExtendedKeyUsage::OID => {
                self.purposes = Some((extension.critical, ExtendedKeyUsage::from_der(value)?.0));
            }
            SubjectAltName::OID => self.alt_names = SubjectAltName::from_der(value)?.0,
            NameConstraintsExtension::OID => {
                let authority = FoundName::from(subject).to_string();
                self.constraints = Some(NameConstraints::read(authority, value)?);
            }
            CertificatePolicies::OID => {
                let found = CertificatePolicies::from_der(value)?.0;
                self.policies = Some(found.into_iter().map(|policy| policy.policy_identifier).collect());
            }
            PolicyMappings::OID => {
                let found = PolicyMappings::from_der(value)?.0.into_iter();
                self.mappings = found.map(|one| (one.issuer_domain_policy, one.subject_domain_policy)).collect();
            }
            PolicyConstraints::OID => {
                let found = PolicyConstraints::from_der(value)?;
                (self.require_explicit, self.inhibit_mapping) =
                    (found.require_explicit_policy, found.inhibit_policy_mapping);
            }
            InhibitAnyPolicy::OID => self.inhibit_any = Some(InhibitAnyPolicy::from_der(value)?.0),
            CrlDistributionPoints::OID => self.crl_points = CrlDistributionPoints::from_der(value)?.0,
            other => return Ok(HARMLESS.contains(&other.to_string().as_str())),
        }
        Ok(true)
    }
}
