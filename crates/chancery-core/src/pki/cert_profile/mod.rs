//! Certificate profiles: what a certificate is for, as the extensions that say so. Here what they are and those that
//! come with Chancery; `text.rs` reads and writes them, `narrowing.rs` holds requests against them, `manage.rs` has the
//! door methods.

mod manage;
mod narrowing;
mod text;

use std::{
    borrow::Cow,
    sync::{Arc, LazyLock},
};

use chancery_types::{
    CertKeyUsage, CertProfileId, HashType, KeyTypeId, Presence,
    wire::{
        ObjInfo,
        approval::ApprovalRules,
        cert_profiles::{AltNameRules, SubjectRules},
        x509::{CertProfileStub, ValidityPeriod},
    },
};
use der::asn1::ObjectIdentifier;

use super::{name_constraints::Written, validity::Period};
use crate::base::compiled::Compiled;

pub(crate) use chancery_x509::certificate::{CLIENT_AUTH, CODE_SIGNING, OCSP_SIGNING, SERVER_AUTH, TIME_STAMPING};
pub(crate) use manage::{approval_of, change, check_change};
pub(super) use text::{purpose, purpose_text};

/// The profiles of people's own under which something was issued since this node started.
pub(crate) type ReadyCertProfiles = Compiled<CertProfileId, CertProfile>;

/// Whether the subject is a certificate authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Authority {
    /// A self-signed one.
    Root,
    /// One that may have this many further authorities below it on a path.
    Issuing { path_len: Option<u8> },
    /// None: a leaf.
    None,
}

/// What the holder of a certificate's key can make others believe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Power {
    /// Whose keys others are.
    Authority,
    /// Which certificates are revoked.
    Responder,
    /// When something was signed.
    Stamps,
}

/// Where relying parties find what they need: `None` is below this installation's `publicUrl`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Urls {
    pub(crate) crl: Option<Vec<String>>,
    pub(crate) ocsp: Option<Vec<String>>,
    pub(crate) issuer: Option<Vec<String>>,
}

/// A certificate profile.
#[derive(Clone, Debug)]
pub(crate) struct CertProfile {
    pub(crate) id: CertProfileId,
    pub(crate) name: Cow<'static, str>,
    /// Used where a request states no validity period.
    pub(crate) validity: Period,
    /// The longest that a request may ask for; the issuer's own end limits it in any case.
    pub(crate) max_validity: Option<Period>,
    pub(crate) authority: Authority,
    pub(crate) key_usages: Cow<'static, [CertKeyUsage]>,
    pub(crate) extended_key_usages: Cow<'static, [ObjectIdentifier]>,
    /// The key types allowed; `None`: all that sign.
    pub(crate) key_types: Option<Vec<KeyTypeId>>,
    /// The hashes allowed; `None`: all that are not weak.
    pub(crate) hashes: Option<Vec<HashType>>,
    pub(crate) subject: SubjectRules,
    pub(crate) alt_names: AltNameRules,
    /// The names that its authorities may certify.
    pub(in crate::pki) name_constraints: Option<Written>,
    pub(crate) policies: Vec<ObjectIdentifier>,
    pub(crate) urls: Urls,
    pub(crate) enabled: bool,
    /// Who approves its certificates before they are issued.
    pub(crate) approval: ApprovalRules,
    /// Whether it came with Chancery.
    pub(crate) system: bool,
    /// Which state of a profile of the store this is.
    pub(crate) version: i64,
}

impl CertProfile {
    /// As lists show it.
    pub(crate) fn stub(&self) -> CertProfileStub {
        CertProfileStub {
            obj_info: ObjInfo { name: self.name.to_string(), uuid: self.id },
            validity_period: ValidityPeriod::from(self.validity),
            system: self.system,
        }
    }

    /// Whether its certificates are self-signed only.
    pub(crate) const fn is_root(&self) -> bool {
        matches!(self.authority, Authority::Root)
    }

    /// Whether its certificates can issue others.
    pub(crate) const fn is_authority(&self) -> bool {
        !matches!(self.authority, Authority::None)
    }

    /// What others believe of its certificates beyond a name: `None` for those that only say whose key it is.
    pub(crate) fn power(&self) -> Option<Power> {
        if self.is_authority() {
            return Some(Power::Authority);
        }
        let powers = [(OCSP_SIGNING, Power::Responder), (TIME_STAMPING, Power::Stamps)];
        powers.into_iter().find_map(|(purpose, power)| self.extended_key_usages.contains(&purpose).then_some(power))
    }

    /// A time stamping certificate has this one extended key usage, and it is critical (RFC 3161, 2.3).
    pub(crate) fn extended_key_usage_is_critical(&self) -> bool {
        self.extended_key_usages.contains(&TIME_STAMPING)
    }

    /// Nobody asks the responder whether the responder is revoked (RFC 6960, 4.2.2.2.1).
    pub(crate) fn ocsp_no_check(&self) -> bool {
        self.extended_key_usages.contains(&OCSP_SIGNING)
    }
}

const CA_USAGES: &[CertKeyUsage] = &[CertKeyUsage::KeyCertSign, CertKeyUsage::CrlSign];
const LEAF_USAGES: &[CertKeyUsage] = &[CertKeyUsage::DigitalSignature];
/// RSA keys of TLS servers also encipher the premaster secret of TLS 1.2's oldest suites.
const TLS_SERVER_USAGES: &[CertKeyUsage] = &[CertKeyUsage::DigitalSignature, CertKeyUsage::KeyEncipherment];

/// The id of the built-in profile with this number: "cp" in ASCII stands in its fourth group.
const fn built_in_id(number: u128) -> CertProfileId {
    CertProfileId::from_u128((0x6370 << 48) | number)
}

fn authority(number: u128, name: &'static str, years: i64, authority: Authority) -> CertProfile {
    CertProfile {
        id: built_in_id(number),
        name: Cow::Borrowed(name),
        validity: Period::years(years),
        authority,
        max_validity: None,
        key_usages: Cow::Borrowed(CA_USAGES),
        extended_key_usages: Cow::Borrowed(&[]),
        key_types: None,
        hashes: None,
        subject: SubjectRules::default(),
        alt_names: any_alt_names(Presence::Refused),
        name_constraints: None,
        policies: Vec::new(),
        urls: Urls::default(),
        enabled: true,
        approval: ApprovalRules::default(),
        system: true,
        version: 0,
    }
}

fn leaf(number: u128, name: &'static str, years: i64, purpose: &'static [ObjectIdentifier]) -> CertProfile {
    CertProfile {
        authority: Authority::None,
        key_usages: Cow::Borrowed(LEAF_USAGES),
        extended_key_usages: Cow::Borrowed(purpose),
        alt_names: any_alt_names(Presence::Optional),
        ..authority(number, name, years, Authority::None)
    }
}

/// The built-in profiles do not look into alternative names.
fn any_alt_names(presence: Presence) -> AltNameRules {
    AltNameRules { presence, wildcards: true, ..AltNameRules::default() }
}

/// The profile under which services' signing certificates are issued.
pub(crate) const CODE_SIGNING_CERTIFICATE: CertProfileId = built_in_id(3);

/// The profile of time-stamping authorities' certificates.
pub(crate) const TIME_STAMPING_CERTIFICATE: CertProfileId = built_in_id(4);

/// The profile of OCSP responders' certificates.
pub(crate) const OCSP_RESPONDER: CertProfileId = built_in_id(5);

/// The profiles that come with Chancery, by exact name. An issuing authority has no further authority below it.
pub(crate) static BUILT_IN: LazyLock<[Arc<CertProfile>; 7]> = LazyLock::new(|| {
    [
        authority(1, "Root Certificate Authority", 20, Authority::Root),
        authority(2, "Issuing Certificate Authority", 10, Authority::Issuing { path_len: Some(0) }),
        leaf(3, "Code Signing Certificate", 3, &[CODE_SIGNING]),
        leaf(4, "Time Stamping", 10, &[TIME_STAMPING]),
        leaf(5, "OCSP Responder", 1, &[OCSP_SIGNING]),
        CertProfile {
            key_usages: Cow::Borrowed(TLS_SERVER_USAGES),
            alt_names: any_alt_names(Presence::Required),
            ..leaf(6, "TLS Server", 1, &[SERVER_AUTH])
        },
        leaf(7, "TLS Client", 1, &[CLIENT_AUTH]),
    ]
    .map(Arc::new)
});

/// The built-in profile of this id.
pub(crate) fn built_in(id: CertProfileId) -> Option<Arc<CertProfile>> {
    BUILT_IN.iter().find(|profile| profile.id == id).map(Arc::clone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_profiles_are_those_of_the_interface() {
        let listed: Vec<_> = BUILT_IN
            .iter()
            .map(|profile| format!("{} {} {}", profile.id, profile.name, profile.validity.amount))
            .collect();
        assert_eq!(
            listed,
            [
                "00000000-0000-0000-6370-000000000001 Root Certificate Authority 20",
                "00000000-0000-0000-6370-000000000002 Issuing Certificate Authority 10",
                "00000000-0000-0000-6370-000000000003 Code Signing Certificate 3",
                "00000000-0000-0000-6370-000000000004 Time Stamping 10",
                "00000000-0000-0000-6370-000000000005 OCSP Responder 1",
                "00000000-0000-0000-6370-000000000006 TLS Server 1",
                "00000000-0000-0000-6370-000000000007 TLS Client 1",
            ]
        );
        assert_eq!(built_in(CODE_SIGNING_CERTIFICATE).unwrap().name, "Code Signing Certificate");
    }
}
