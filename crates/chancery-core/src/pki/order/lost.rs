//! What the successor of a certificate lacks, though certificates that are issued here have such extensions: its profile does
//! not say it, or nothing here writes it.

use chancery_keys::KeySpec;
use x509_cert::ext::pkix::{CertificatePolicies, KeyUsage, KeyUsages, certpolicy::PolicyInformation};

use crate::pki::{
    cert_profile::CertProfile,
    certificate::{usage_bit, usages_of_key},
};

/// In the order of their bits (RFC 5280, 4.2.1.3). The last two are limits of key agreement, and no profile has them.
const USAGES: [(KeyUsages, &str); 9] = [
    (KeyUsages::DigitalSignature, "digitalSignature"),
    (KeyUsages::NonRepudiation, "nonRepudiation"),
    (KeyUsages::KeyEncipherment, "keyEncipherment"),
    (KeyUsages::DataEncipherment, "dataEncipherment"),
    (KeyUsages::KeyAgreement, "keyAgreement"),
    (KeyUsages::KeyCertSign, "keyCertSign"),
    (KeyUsages::CRLSign, "cRLSign"),
    (KeyUsages::EncipherOnly, "encipherOnly (a limit of keyAgreement)"),
    (KeyUsages::DecipherOnly, "decipherOnly (a limit of keyAgreement)"),
];

/// The usages that the new certificate, under this profile and with such a key, does not have.
pub(super) fn usages(before: KeyUsage, profile: &CertProfile, spec: KeySpec) -> Option<String> {
    let after: Vec<_> = usages_of_key(profile, Some(spec.algorithm())).map(usage_bit).collect();
    let lost = USAGES.iter().filter(|(usage, _)| before.0.contains(*usage) && !after.contains(usage));
    let names: Vec<_> = lost.map(|(_, name)| *name).collect();
    let warning = || {
        let names = names.join(", ");
        format!(
            "The profile or the new key does not have these key usages, and the new certificate lacks them: {names}."
        )
    };
    (!names.is_empty()).then(warning)
}

/// The policies that the new certificate does not state, and those of which it does not say as much.
pub(super) fn policies(before: &CertificatePolicies, profile: &CertProfile) -> Vec<String> {
    let CertificatePolicies(before) = before;
    let (kept, lost): (Vec<_>, Vec<_>) =
        before.iter().partition(|policy| profile.policies.contains(&policy.policy_identifier));
    let qualified: Vec<_> = kept.into_iter().filter(|policy| policy.policy_qualifiers.is_some()).collect();
    let texts = [
        ("The profile does not have these certificate policies, and the new certificate lacks them", lost),
        ("No profile writes qualifiers of certificate policies, and the new certificate lacks those of", qualified),
    ];
    let told = texts.into_iter().filter(|(_, policies)| !policies.is_empty());
    told.map(|(text, policies)| format!("{text}: {}.", listed(&policies))).collect()
}

fn listed(policies: &[&PolicyInformation]) -> String {
    let oids: Vec<_> = policies.iter().map(|policy| policy.policy_identifier.to_string()).collect();
    oids.join(", ")
}
