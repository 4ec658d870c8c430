//! What relying parties refuse in an authority though nothing here would trip over it: nobody could verify what it issues.

use der::{
    Decode,
    asn1::{BitStringRef, ObjectIdentifier},
    oid::AssociatedOid,
};
use x509_cert::{
    TbsCertificate,
    ext::pkix::{
        AuthorityInfoAccessSyntax, AuthorityKeyIdentifier, CrlDistributionPoints, ExtendedKeyUsage, FreshestCrl,
        IssuerAltName, SubjectAltName, SubjectInfoAccessSyntax, SubjectKeyIdentifier, name::GeneralName,
    },
};

use super::{number_resources, read::Why};
use crate::pki::name_constraints::NameConstraints;

/// Extensions that are never critical (RFC 5280, 4.2.1.1, 4.2.1.2, 4.2.1.15, 4.2.2), or should not be (4.2.1.7): verifiers do not know
/// them as such.
const NEVER_CRITICAL: [(ObjectIdentifier, &str); 6] = [
    (SubjectKeyIdentifier::OID, "subjectKeyIdentifier"),
    (AuthorityKeyIdentifier::OID, "authorityKeyIdentifier"),
    (AuthorityInfoAccessSyntax::OID, "authorityInfoAccess"),
    (SubjectInfoAccessSyntax::OID, "subjectInfoAccess"),
    (FreshestCrl::OID, "freshestCRL"),
    (IssuerAltName::OID, "issuerAltName"),
];

/// Whether the value of an extension can be read.
type IsOne = fn(&[u8]) -> bool;

/// Extensions that OpenSSL reads in every certificate of a path.
const ALWAYS_READ: [(ObjectIdentifier, IsOne, &str); 3] = [
    (ObjectIdentifier::new_unwrap("2.16.840.1.113730.1.1"), |v| BitStringRef::from_der(v).is_ok(), "nsCertType"),
    (ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.1.7"), number_resources::are_addresses, "ipAddrBlocks"),
    (ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.1.8"), number_resources::are_systems, "autonomousSysIds"),
];

/// proxyCertInfo (RFC 3820): a proxy is nobody's authority.
const PROXY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.1.14");

/// Refuses an authority with such an extension. All that are read here were read before.
pub(super) fn check(tbs: &TbsCertificate) -> Result<(), Why> {
    for extension in tbs.extensions().into_iter().flatten() {
        let id = extension.extn_id;
        if let Some((_, name)) = NEVER_CRITICAL.iter().find(|(oid, _)| extension.critical && *oid == id) {
            return Err(format!("its {name} is critical, so that verifiers do not know it (RFC 5280, 4.2)."));
        }
        let value = extension.extn_value.as_bytes();
        if let Some((_, _, name)) = ALWAYS_READ.iter().find(|(oid, is_one, _)| *oid == id && !is_one(value)) {
            return Err(format!("its {name} cannot be read."));
        }
        if id == PROXY {
            return Err("it is a proxy certificate (RFC 3820), which issues nothing.".to_owned());
        }
    }
    check_lists(tbs)?;
    match NameConstraints::of(tbs).ok().flatten().and_then(|constraints| constraints.unreadable()) {
        Some(subtree) => {
            Err(format!("its name constraints have a subtree that is no name: {subtree} (RFC 5280, 4.2.1.10)."))
        }
        None => Ok(()),
    }
}

/// Lists have members, and a place where revocation lists are says where that is.
fn check_lists(tbs: &TbsCertificate) -> Result<(), Why> {
    fn empty<'t, E: AssociatedOid + Decode<'t>>(tbs: &'t TbsCertificate, is_empty: fn(&E) -> bool) -> bool {
        tbs.get_extension::<E>().is_ok_and(|found| found.is_some_and(|(_, value)| is_empty(&value)))
    }
    let lists = [
        ("subjectAltName", empty::<SubjectAltName>(tbs, |names| names.0.is_empty())),
        ("issuerAltName", empty::<IssuerAltName>(tbs, |names| names.0.is_empty())),
        ("extKeyUsage", empty::<ExtendedKeyUsage>(tbs, |usages| usages.0.is_empty())),
        ("authorityInfoAccess", empty::<AuthorityInfoAccessSyntax>(tbs, |places| places.0.is_empty())),
        ("subjectInfoAccess", empty::<SubjectInfoAccessSyntax>(tbs, |places| places.0.is_empty())),
        ("cRLDistributionPoints", empty::<CrlDistributionPoints>(tbs, |points| points.0.is_empty())),
    ];
    if let Some((name, _)) = lists.iter().find(|(_, is_empty)| *is_empty) {
        return Err(format!("its {name} is empty (RFC 5280, 4.2)."));
    }
    let points = tbs.get_extension::<CrlDistributionPoints>().ok().flatten();
    let is_nowhere = points.is_some_and(|(_, points)| {
        points.0.iter().any(|point| point.distribution_point.is_none() && point.crl_issuer.is_none())
    });
    if is_nowhere {
        Err("a cRLDistributionPoints of it says no place (RFC 5280, 4.2.1.13).".to_owned())
    } else {
        Ok(())
    }
}

/// Whether a certificate's authorityKeyIdentifier names another key or another certificate than its issuer's: verifiers look
/// for the issuer by it (RFC 5280, 4.2.1.1).
pub(super) fn names_another_issuer(certificate: &TbsCertificate, issuer: &TbsCertificate) -> bool {
    let Ok(Some((_, named))) = certificate.get_extension::<AuthorityKeyIdentifier>() else { return false };
    let identifier = issuer.get_extension::<SubjectKeyIdentifier>().ok().flatten();
    let is_other_key = named.key_identifier.zip(identifier).is_some_and(|(named, (_, own))| named != own.0);
    let is_other_serial =
        named.authority_cert_serial_number.as_ref().is_some_and(|serial| serial != issuer.serial_number());
    // The issuer's own issuer, as it stands there.
    let names = named.authority_cert_issuer.iter().flatten();
    let mut names =
        names.filter_map(|name| if let GeneralName::DirectoryName(name) = name { Some(name) } else { None });
    let is_other_name = names.next().is_some_and(|name| name != issuer.issuer());
    // "MUST both be present or both be absent".
    let is_half = named.authority_cert_issuer.is_some() != named.authority_cert_serial_number.is_some();
    is_other_key || is_other_serial || is_other_name || is_half
}
