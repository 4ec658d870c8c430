//! Revocation lists (RFC 5280, 5): complete ones and deltas, of the issuer or of somebody whom it named (indirect), and parts
//! of them (by distribution point, by kind of certificate, by reason).

use std::collections::{HashMap, HashSet};

use chancery_keys::NamedAlgorithm;
use chancery_x509::{certificate::Signed, crl::EXPIRED_CERTS_ON_CRL, dn::FoundName, name_constraints::NameKey};
use der::{
    Any, Decode, Encode, Sequence, Tag,
    asn1::{GeneralizedTime, ObjectIdentifier},
    oid::AssociatedOid,
};
use spki::AlgorithmIdentifierOwned;
use x509_cert::{
    Version,
    crl::RevokedCert,
    ext::{
        Extension,
        pkix::{
            BaseCrlNumber, CrlNumber, CrlReason, IssuingDistributionPoint, KeyUsages,
            crl::dp::{DistributionPoint, ReasonFlags},
            name::{DistributionPointName, GeneralName, GeneralNames},
        },
    },
    name::{Name, RelativeDistinguishedName},
    time::Time,
};

use super::Link;

/// issuingDistributionPoint, certificateIssuer, invalidityDate.
const ISSUING_DISTRIBUTION_POINT: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.28");
const CERTIFICATE_ISSUER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.29");
const INVALIDITY_DATE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.24");

/// All reasons there are: bits 1 to 8.
pub(super) const ALL_REASONS: u16 = 0x1fe;

/// ```text
/// TBSCertList ::= SEQUENCE {
///   version             Version OPTIONAL, -- if present, MUST be v2
///   signature           AlgorithmIdentifier,
///   issuer              Name,
///   thisUpdate          Time,
///   nextUpdate          Time OPTIONAL,
///   revokedCertificates SEQUENCE OF … OPTIONAL,
///   crlExtensions       [0] EXPLICIT Extensions OPTIONAL -- if present, version MUST be v2 }
/// ```
///
/// x509-cert's own type does not read lists of version 1, which OpenSSL makes unless it is told otherwise.
#[derive(Sequence)]
struct TbsCertList {
    #[asn1(optional = "true")]
    version: Option<Version>,
    signature: AlgorithmIdentifierOwned,
    issuer: Name,
    this_update: Time,
    #[asn1(optional = "true")]
    next_update: Option<Time>,
    #[asn1(optional = "true")]
    revoked_certificates: Option<Vec<RevokedCert>>,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    crl_extensions: Option<Vec<Extension>>,
}

/// A revocation list.
#[derive(Debug)]
pub struct Crl {
    issuer: Name,
    pub(super) issuer_key: NameKey,
    to_be_signed: Vec<u8>,
    algorithm: Option<NamedAlgorithm>,
    signature: Vec<u8>,
    this_update_s: i64,
    next_update_s: Option<i64>,
    number: Option<Number>,
    /// It names certificates that end at this moment or later also after their end.
    keeps_since_s: Option<i64>,
    /// Whether it only adds to another list.
    is_delta: bool,
    /// The extension that limits it, as it stands and read.
    scope: Option<(Vec<u8>, IssuingDistributionPoint)>,
    entries: HashMap<Vec<u8>, Vec<Entry>>,
    /// It has an extension that is critical and not known, cannot be read, or is there twice: what it says is not certain
    /// (4.2, 5.2, 5.3).
    is_unusable: bool,
}

/// A positive integer, most significant byte first, without zeros before it: its length decides first.
type Number = (usize, Vec<u8>);

/// What a list says of one certificate.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Whose certificate it is, where not the list's own issuer's.
    issuer: Option<NameKey>,
    /// Since when it is not to be trusted.
    pub(super) since_s: i64,
    pub(super) reason: Option<CrlReason>,
}

/// Where a certificate says that its lists are.
pub(super) struct Point {
    names: Option<Vec<GeneralName>>,
    reasons: u16,
    crl_issuers: Option<GeneralNames>,
}

impl Crl {
    /// Reads a list in DER; `None` for what is none.
    #[must_use]
    pub fn read(der: &[u8]) -> Option<Self> {
        let signed = Signed::from_der(der).ok()?;
        let to_be_signed = signed.to_be_signed.to_der().ok()?;
        let list = TbsCertList::from_der(&to_be_signed).ok()?;
        let mut crl = Self {
            to_be_signed,
            algorithm: NamedAlgorithm::read(&signed.algorithm, None).filter(|_| list.signature == signed.algorithm),
            signature: signed.signature.as_bytes()?.to_vec(),
            this_update_s: second(list.this_update),
            next_update_s: list.next_update.map(second),
            number: None,
            keeps_since_s: None,
            is_delta: false,
            scope: None,
            entries: HashMap::new(),
            // Extensions are for version 2.
            is_unusable: list.version != Some(Version::V2) && (list.version.is_some() || list.crl_extensions.is_some()),
            issuer_key: NameKey::of(&list.issuer),
            issuer: list.issuer,
        };
        for extension in list.crl_extensions.iter().flatten() {
            let known = crl.take(extension);
            crl.is_unusable |= known.map_or(true, |known| !known && extension.critical);
        }
        crl.is_unusable |= has_one_twice(list.crl_extensions.as_deref().unwrap_or_default());
        let mut issuer: Option<NameKey> = None;
        for revoked in list.revoked_certificates.unwrap_or_default() {
            let entry = crl.take_entry(&revoked, issuer.take());
            issuer.clone_from(&entry.issuer);
            crl.entries.entry(revoked.serial_number.as_bytes().to_vec()).or_default().push(entry);
        }
        Some(crl)
    }

    /// Its issuer on one line.
    #[must_use]
    pub fn issuer_text(&self) -> String {
        FoundName::from(&self.issuer).to_string()
    }

    /// When it was issued, in milliseconds since the epoch.
    #[must_use]
    pub const fn this_update_ms(&self) -> i64 {
        self.this_update_s.saturating_mul(1_000)
    }

    /// Until when it counts, in milliseconds since the epoch; `None` where it does not say, and counts for nothing.
    #[must_use]
    pub fn next_update_ms(&self) -> Option<i64> {
        self.next_update_s.map(|until_s| until_s.saturating_mul(1_000))
    }

    /// How many certificates it names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.values().map(Vec::len).sum()
    }

    /// Whether it names none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Takes in what one extension says; whether it is known.
    fn take(&mut self, extension: &Extension) -> der::Result<bool> {
        let value = extension.extn_value.as_bytes();
        match extension.extn_id {
            CrlNumber::OID => self.number = Some(number(CrlNumber::from_der(value)?.0.as_bytes())),
            BaseCrlNumber::OID => self.is_delta = BaseCrlNumber::from_der(value).map(|_| true)?,
            ISSUING_DISTRIBUTION_POINT => {
                self.scope = Some((value.to_vec(), IssuingDistributionPoint::from_der(value)?));
            }
            // One that cannot be read says nothing of this, and nothing against what the list names.
            EXPIRED_CERTS_ON_CRL => {
                let since = GeneralizedTime::from_der(value).ok();
                self.keeps_since_s = since.map(|since| second(Time::GeneralTime(since)));
                return Ok(since.is_some());
            }
            // issuerAltName, authorityKeyIdentifier, freshestCRL
            other => return Ok(["2.5.29.18", "2.5.29.35", "2.5.29.46"].contains(&other.to_string().as_str())),
        }
        Ok(true)
    }

    /// Reads one entry. `issuer` is that of the entry before, until another one is named (5.3.3). What a list names is revoked
    /// when it is signed, whatever date stands there (6.3.3 (i) asks for none), and whatever else there cannot be read; what
    /// is critical, or says whose certificate it is, has to be understood.
    fn take_entry(&mut self, revoked: &RevokedCert, issuer: Option<NameKey>) -> Entry {
        let since_s = second(revoked.revocation_date).min(self.this_update_s);
        let mut entry = Entry { issuer, since_s, reason: None };
        let extensions = revoked.crl_entry_extensions.as_deref().unwrap_or_default();
        self.is_unusable |= has_one_twice(extensions);
        for extension in extensions {
            let is_needed = extension.critical || extension.extn_id == CERTIFICATE_ISSUER;
            self.is_unusable |= entry.take(extension).is_none() && is_needed;
        }
        // Only a delta takes something back (5.3.1): what a complete list names is revoked.
        if !self.is_delta && entry.is_removal() {
            entry.reason = None;
        }
        entry
    }

    /// For which reasons it speaks of a certificate by this point; none where it does not (6.3.3, b).
    pub(super) fn reasons_for(&self, link: &Link, point: &Point) -> u16 {
        let scope = self.scope.as_ref().map(|(_, scope)| scope);
        let of_issuer = match &point.crl_issuers {
            None => link.issuer_key == self.issuer_key,
            Some(names) => {
                let named = |name: &GeneralName| matches!(name, GeneralName::DirectoryName(name) if NameKey::of(name) == self.issuer_key);
                names.iter().any(named) && (self.is_unusable || scope.is_some_and(|scope| scope.indirect_crl))
            }
        };
        if !of_issuer {
            return 0;
        }
        // Of one that is not understood, what limits it is not certain either.
        let Some(scope) = scope.filter(|_| !self.is_unusable) else { return point.reasons };
        let is_authority = link.facts.is_authority;
        if scope.only_contains_attribute_certs
            || scope.only_contains_user_certs && is_authority
            || scope.only_contains_ca_certs && !is_authority
        {
            return 0;
        }
        if let Some(own) = &scope.distribution_point {
            let own = names_of(own, &self.issuer);
            let asked = point.names.as_ref().or(point.crl_issuers.as_ref());
            let is_there = |name: &GeneralName| own.iter().any(|own| is_same_general_name(own, name));
            if !asked.is_some_and(|asked| asked.iter().any(is_there)) {
                return 0;
            }
        }
        point.reasons & scope.only_some_reasons.map_or(ALL_REASONS, mask)
    }

    pub(super) const fn is_delta(&self) -> bool {
        self.is_delta
    }

    /// Whether it says how things stood at a moment, as far as is known now. A later list is as good as one of the moment,
    /// unless it calls itself younger than now; one that was over before it is not.
    pub(super) fn is_current(&self, at_ms: i64, now_ms: i64) -> bool {
        let has_begun = self.this_update_s <= now_ms.div_euclid(1_000);
        has_begun && self.next_update_s.is_some() && !self.is_over(at_ms)
    }

    /// Whether it would name the certificate if that were revoked: past the certificate's end the issuer may have dropped it
    /// (3.3), unless the list says that it keeps such ones.
    pub(super) fn would_name(&self, link: &Link) -> bool {
        let end_s = link.not_after_s();
        self.this_update_s <= end_s || self.keeps_since_s.is_some_and(|since_s| since_s <= end_s)
    }

    /// Whether its time was over at a moment.
    pub(super) fn is_over(&self, at_ms: i64) -> bool {
        self.next_update_s.is_some_and(|until_s| until_s < at_ms.div_euclid(1_000))
    }

    /// Whether it takes the place of another one: of the same issuer, about the same certificates, and newer (5.2.3).
    pub(super) fn replaces(&self, other: &Self) -> bool {
        let scope = |crl: &Self| crl.scope.as_ref().map(|(der, _)| der.clone());
        let is_newer = match (&self.number, &other.number) {
            (Some(own), Some(other)) => own > other,
            _ => self.this_update_s > other.this_update_s,
        };
        is_newer && self.issuer_key == other.issuer_key && scope(self) == scope(other)
    }

    /// All that it says of a certificate, or may say where it is not understood.
    pub(super) fn entries(&self, link: &Link) -> impl Iterator<Item = &Entry> {
        let entries = self.entries.get(link.parsed.tbs_certificate().serial_number().as_bytes()).into_iter().flatten();
        entries
            .filter(|entry| self.is_unusable || link.issuer_key == *entry.issuer.as_ref().unwrap_or(&self.issuer_key))
    }

    /// How it is signed, where that can be checked and proves something, and where it is understood what is signed.
    pub(super) fn algorithm(&self, allow_weak: bool) -> Option<NamedAlgorithm> {
        let is_strong = |named: &NamedAlgorithm| !named.hash().is_some_and(chancery_types::HashType::is_weak);
        self.algorithm.filter(|named| !self.is_unusable && (allow_weak || is_strong(named)))
    }

    pub(super) fn is_signed_by(&self, signer: &Link, allow_weak: bool) -> bool {
        let named = self.algorithm(allow_weak);
        let may = signer.facts.usage.is_none_or(|usage| usage.0.contains(KeyUsages::CRLSign));
        may && named.is_some_and(|named| named.verify(signer.public_key(), &self.to_be_signed, &self.signature).is_ok())
    }
}

impl Entry {
    /// Takes in what one extension says; `None` where it is not known or cannot be read.
    fn take(&mut self, extension: &Extension) -> Option<()> {
        let value = extension.extn_value.as_bytes();
        match extension.extn_id {
            CrlReason::OID => self.reason = Some(CrlReason::from_der(value).ok()?),
            INVALIDITY_DATE => {
                // One that cannot be read may be any moment.
                let date = GeneralizedTime::from_der(value).ok();
                self.since_s = self.since_s.min(date.map_or(i64::MIN, |date| second(Time::GeneralTime(date))));
                date?;
            }
            CERTIFICATE_ISSUER => {
                let names = GeneralNames::from_der(value).ok()?;
                self.issuer = Some(NameKey::of(names.iter().find_map(directory)?));
            }
            _ => return None,
        }
        Some(())
    }
}

impl Point {
    pub(super) fn of(link: &Link, point: &DistributionPoint) -> Self {
        let named = point.crl_issuer.iter().flatten().find_map(directory);
        let base = named.unwrap_or(link.issuer());
        Self {
            names: point.distribution_point.as_ref().map(|names| names_of(names, base)),
            reasons: point.reasons.map_or(ALL_REASONS, mask),
            crl_issuers: point.crl_issuer.clone(),
        }
    }

    /// Lists of the issuer of which the certificate says nothing.
    pub(super) fn unsaid(link: &Link) -> Self {
        let names = Some(vec![GeneralName::DirectoryName(link.issuer().clone())]);
        Self { names, reasons: ALL_REASONS, crl_issuers: None }
    }
}

pub(super) fn second(time: Time) -> i64 {
    i64::try_from(time.to_unix_duration().as_secs()).unwrap_or(i64::MAX)
}

fn has_one_twice(extensions: &[Extension]) -> bool {
    let mut seen = HashSet::new();
    !extensions.iter().all(|extension| seen.insert(extension.extn_id))
}

fn number(bytes: &[u8]) -> Number {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    (bytes.len() - zeros, bytes[zeros..].to_vec())
}

fn mask(reasons: ReasonFlags) -> u16 {
    reasons.bits() & ALL_REASONS
}

/// The names of a point; what is relative is put below the list's issuer.
fn names_of(point: &DistributionPointName, issuer: &Name) -> Vec<GeneralName> {
    match point {
        DistributionPointName::FullName(names) => names.clone(),
        DistributionPointName::NameRelativeToCRLIssuer(part) => {
            below(issuer, part).ok().map(GeneralName::DirectoryName).into_iter().collect()
        }
    }
}

fn below(issuer: &Name, part: &RelativeDistinguishedName) -> der::Result<Name> {
    let parts = issuer.iter_rdn().chain([part]).map(Encode::to_der).collect::<der::Result<Vec<_>>>()?;
    Name::from_der(&Any::new(Tag::Sequence, parts.concat())?.to_der()?)
}

const fn directory(name: &GeneralName) -> Option<&Name> {
    if let GeneralName::DirectoryName(name) = name { Some(name) } else { None }
}

fn is_same_general_name(one: &GeneralName, other: &GeneralName) -> bool {
    match (one, other) {
        (GeneralName::DirectoryName(one), GeneralName::DirectoryName(other)) => NameKey::of(one) == NameKey::of(other),
        (one, other) => one == other,
    }
}
