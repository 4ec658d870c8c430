//! What every certificate must satisfy before it is signed, read off the very bytes that will be signed.

use std::fmt;

use chancery_types::Presence;
use der::{Decode, Encode, Tag, Tagged, asn1::ObjectIdentifier};
use x509_cert::{
    TbsCertificate, Version,
    ext::pkix::{
        AuthorityKeyIdentifier, BasicConstraints, CertificatePolicies, ExtendedKeyUsage, KeyUsage, SubjectAltName,
        SubjectKeyIdentifier,
    },
    time::Time,
};

use super::{
    cert_profile::{CertProfile, TIME_STAMPING},
    certificate::{self, Issuer, key_identifier},
    name_constraints::{self, Written},
};

/// Signature algorithms over MD5, RIPEMD-160 and SHA-1, and RSASSA-PSS, whose parameters default to SHA-1.
const WEAK: &[ObjectIdentifier] = &[
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.4"),
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.5"),
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.10"),
    ObjectIdentifier::new_unwrap("1.3.36.3.3.1.2"),
    ObjectIdentifier::new_unwrap("1.2.840.10045.4.1"),
];

/// A rule that the certificate breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    /// The rule's name.
    pub(crate) rule: &'static str,
    /// What it demands.
    demand: &'static str,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "The certificate would break the rule {}: {}.", self.rule, self.demand)
    }
}

impl std::error::Error for Broken {}

/// What the rules look at.
struct Subject<'a> {
    tbs: &'a TbsCertificate,
    profile: &'a CertProfile,
    issuer: Option<&'a Issuer>,
}

struct Rule {
    name: &'static str,
    demand: &'static str,
    holds: fn(&Subject<'_>) -> der::Result<bool>,
}

const RULES: &[Rule] = &[
    Rule { name: "version", demand: "version 3", holds: |subject| Ok(subject.tbs.version() == Version::V3) },
    Rule { name: "serialNumber", demand: "a positive number of 20 bytes", holds: serial_number },
    Rule {
        name: "signatureAlgorithm",
        demand: "no MD5, RIPEMD-160 or SHA-1",
        holds: |subject| Ok(!WEAK.contains(&subject.tbs.signature().oid)),
    },
    Rule {
        name: "subject",
        demand: "a subject, or in a leaf alternative names alone",
        holds: |subject| Ok(!subject.tbs.subject().is_empty() || is_named_beside(subject)?),
    },
    Rule { name: "issuer", demand: "the issuer's subject, byte for byte", holds: issuer },
    Rule { name: "validity", demand: "an end after its start, both within the issuer's validity", holds: validity },
    Rule { name: "timeEncoding", demand: "UTCTime until 2049 and GeneralizedTime from 2050", holds: time_encoding },
    Rule { name: "uniqueIdentifiers", demand: "no unique identifiers", holds: unique_identifiers },
    Rule { name: "extensionsOnce", demand: "each extension once", holds: extensions_once },
    Rule { name: "basicConstraints", demand: "critical in an authority, absent in a leaf", holds: basic_constraints },
    Rule { name: "pathLength", demand: "a path length below the issuer's", holds: path_length },
    Rule {
        name: "keyUsage",
        demand: "critical, those of the profile that the key can have, and the signing of certificates for authorities only",
        holds: key_usage,
    },
    Rule {
        name: "extendedKeyUsage",
        demand: "that of the profile; time stamping alone and critical",
        holds: extended_key_usage,
    },
    Rule { name: "subjectKeyIdentifier", demand: "that of the public key", holds: subject_key_identifier },
    Rule {
        name: "authorityKeyIdentifier",
        demand: "the issuer's subject key identifier",
        holds: authority_key_identifier,
    },
    Rule { name: "certificatePolicies", demand: "those of the profile, not critical", holds: certificate_policies },
    Rule {
        name: "subjectAltName",
        demand: "as the profile says, critical where the subject is empty",
        holds: subject_alt_name,
    },
    Rule {
        name: "ownNameConstraints",
        demand: "those of the profile, critical, in an authority",
        holds: own_name_constraints,
    },
    Rule { name: name_constraints::RULE, demand: "names that all of its issuers may certify", holds: names },
];

/// Checks what is about to be signed. The outer error means that the bytes are no certificate at all.
pub(crate) fn check(
    to_be_signed: &[u8],
    profile: &CertProfile,
    issuer: Option<&Issuer>,
) -> der::Result<Result<(), Broken>> {
    let tbs = TbsCertificate::from_der(to_be_signed)?;
    let subject = Subject { tbs: &tbs, profile, issuer };
    for rule in RULES {
        if !(rule.holds)(&subject)? {
            return Ok(Err(Broken { rule: rule.name, demand: rule.demand }));
        }
    }
    Ok(Ok(()))
}

fn serial_number(subject: &Subject<'_>) -> der::Result<bool> {
    let bytes = subject.tbs.serial_number().as_bytes();
    Ok(bytes.len() == 20 && (0x01..=0x7f).contains(&bytes[0]))
}

fn issuer(subject: &Subject<'_>) -> der::Result<bool> {
    let expected = subject.issuer.map_or(subject.tbs.subject(), |issuer| &issuer.name);
    Ok(subject.tbs.issuer().to_der()? == expected.to_der()?)
}

fn validity(subject: &Subject<'_>) -> der::Result<bool> {
    let validity = subject.tbs.validity();
    let (start, end) = (validity.not_before.to_unix_duration(), validity.not_after.to_unix_duration());
    let within = subject.issuer.is_none_or(|issuer| {
        let seconds = |time: std::time::Duration| i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        issuer.validity.not_before_s() <= seconds(start) && seconds(end) <= issuer.validity.not_after_s()
    });
    Ok(start < end && within)
}

fn time_encoding(subject: &Subject<'_>) -> der::Result<bool> {
    let validity = subject.tbs.validity();
    let right = |time: Time| {
        let expected = if time.to_date_time().year() < 2050 { Tag::UtcTime } else { Tag::GeneralizedTime };
        time.tag() == expected
    };
    Ok(right(validity.not_before) && right(validity.not_after))
}

fn unique_identifiers(subject: &Subject<'_>) -> der::Result<bool> {
    Ok(subject.tbs.issuer_unique_id().is_none() && subject.tbs.subject_unique_id().is_none())
}

fn extensions_once(subject: &Subject<'_>) -> der::Result<bool> {
    let mut ids: Vec<_> = subject.tbs.extensions().into_iter().flatten().map(|extension| extension.extn_id).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    Ok(ids.len() == count)
}

fn basic_constraints(subject: &Subject<'_>) -> der::Result<bool> {
    let constraints = subject.tbs.get_extension::<BasicConstraints>()?;
    Ok(match constraints {
        Some((critical, constraints)) => subject.profile.is_authority() && critical && constraints.ca,
        None => !subject.profile.is_authority(),
    })
}

fn path_length(subject: &Subject<'_>) -> der::Result<bool> {
    let limit = subject.issuer.and_then(|issuer| issuer.path_len);
    let (Some(limit), Some((_, own))) = (limit, subject.tbs.get_extension::<BasicConstraints>()?) else {
        return Ok(true);
    };
    Ok(own.path_len_constraint.is_some_and(|own| own < limit))
}

fn key_usage(subject: &Subject<'_>) -> der::Result<bool> {
    let usage = subject.tbs.get_extension::<KeyUsage>()?;
    Ok(usage.is_some_and(|(critical, usage)| {
        let authority = subject.profile.is_authority();
        let expected = certificate::key_usage(subject.profile, subject.tbs.subject_public_key_info());
        critical
            && usage == expected
            && !usage.0.is_empty()
            && usage.key_cert_sign() == authority
            && usage.crl_sign() == authority
    }))
}

fn extended_key_usage(subject: &Subject<'_>) -> der::Result<bool> {
    let usage = subject.tbs.get_extension::<ExtendedKeyUsage>()?;
    let (critical, usages) = usage.map_or((false, Vec::new()), |(critical, usage)| (critical, usage.0));
    let stamps = usages.contains(&TIME_STAMPING);
    Ok(usages == *subject.profile.extended_key_usages && stamps == critical && (!stamps || usages.len() == 1))
}

fn subject_key_identifier(subject: &Subject<'_>) -> der::Result<bool> {
    let identifier = subject.tbs.get_extension::<SubjectKeyIdentifier>()?;
    let expected = key_identifier(subject.tbs.subject_public_key_info());
    Ok(identifier.is_some_and(|(critical, identifier)| !critical && identifier.0.as_bytes() == expected))
}

fn authority_key_identifier(subject: &Subject<'_>) -> der::Result<bool> {
    let identifier = subject.tbs.get_extension::<AuthorityKeyIdentifier>()?;
    let Some((critical, identifier)) = identifier else {
        return Ok(subject.issuer.is_none() && subject.profile.is_authority());
    };
    let own = key_identifier(subject.tbs.subject_public_key_info());
    let expected = subject.issuer.map_or(&own, |issuer| &issuer.key_identifier);
    Ok(!critical && identifier.key_identifier.is_some_and(|identifier| identifier.as_bytes() == expected))
}

fn subject_alt_name(subject: &Subject<'_>) -> der::Result<bool> {
    let names = subject.tbs.get_extension::<SubjectAltName>()?;
    Ok(match (names, subject.profile.alt_names.presence) {
        (Some((critical, names)), Presence::Optional | Presence::Required) => {
            critical == subject.tbs.subject().is_empty() && !names.0.is_empty()
        }
        (Some(_), Presence::Refused) | (None, Presence::Required) => false,
        (None, Presence::Optional | Presence::Refused) => true,
    })
}

fn is_named_beside(subject: &Subject<'_>) -> der::Result<bool> {
    let names = subject.tbs.get_extension::<SubjectAltName>()?;
    Ok(!subject.profile.is_authority() && names.is_some_and(|(critical, names)| critical && !names.0.is_empty()))
}

fn own_name_constraints(subject: &Subject<'_>) -> der::Result<bool> {
    let mut extensions = subject.tbs.extensions().into_iter().flatten();
    let found = extensions.find(|extension| extension.extn_id == name_constraints::OID);
    let expected = subject.profile.name_constraints.as_ref().map(Written::extension).transpose()?;
    Ok(found == expected.as_ref() && (found.is_none() || subject.profile.is_authority()))
}

fn names(subject: &Subject<'_>) -> der::Result<bool> {
    let Some(issuer) = subject.issuer else { return Ok(true) };
    let names = subject.tbs.get_extension::<SubjectAltName>()?.map(|(_, names)| names.0).unwrap_or_default();
    Ok(issuer.check_names(subject.tbs.subject(), &names, subject.profile.is_authority()).is_ok())
}

fn certificate_policies(subject: &Subject<'_>) -> der::Result<bool> {
    let found = subject.tbs.get_extension::<CertificatePolicies>()?;
    Ok(match found {
        Some((critical, found)) => !critical && found == certificate::policies(subject.profile),
        None => subject.profile.policies.is_empty(),
    })
}

#[cfg(test)]
mod tests;
