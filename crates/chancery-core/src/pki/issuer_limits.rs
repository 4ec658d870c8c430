//! What an authority leaves to the certificates under it: its end, its path length, its names and its purposes, and those of
//! what stands above it. Whatever way a certificate is asked for, it is held against them here.

use std::{iter, sync::Arc};

use chancery_verify::path::{Breach, Link, NotTrusted, PathSettings, PolicySettings, Purpose, check_path};
use der::asn1::ObjectIdentifier;

use super::{
    ALT_NAMES, ISSUER, SUBJECT,
    alt_name::AltName,
    authority::ReadyAuthority,
    cert_profile::{CertProfile, OCSP_SIGNING, purpose_text},
    certificate::Issuer,
    issue::link,
    name_constraints::NameKey,
    order::Order,
    validity::Validity,
};
use crate::{Error, Result, time::rfc3339};

/// Purposes that a text lists.
const LISTED_MAX: usize = 5;

/// Characters of a foreign name that a text repeats.
const TEXT_MAX: usize = 255;

/// Whether the authority may issue this; answers the profile as it is under it.
pub(super) fn check(authority: &ReadyAuthority, order: &Order, validity: Validity) -> Result<Arc<CertProfile>> {
    let issuer = &authority.facts;
    check_ordered(issuer, validity)?;
    let profile = order.profile.below(issuer.path_len)?;
    check_names(issuer, order)?;
    check_purposes(&authority.path, &profile)?;
    Ok(profile)
}

/// Whether the issuer may issue at all, and for so long.
fn check_ordered(issuer: &Issuer, validity: Validity) -> Result<()> {
    if !issuer.is_authority {
        return Err(Error::state("The certificate is no certificate authority, so it cannot issue others.").at(ISSUER));
    }
    if !validity.within(issuer.validity) {
        let end = rfc3339(issuer.validity.not_after_s());
        let message = format!("The certificate would outlive its issuer, which ends on {end}.");
        return Err(Error::value("/certParams/validityPeriod", message));
    }
    Ok(())
}

/// Whether all of the issuers may certify these names; what is signed is held against that again.
fn check_names(issuer: &Issuer, order: &Order) -> Result<()> {
    let alt_names = order.alt_names.iter().map(AltName::general_name).collect::<Result<Vec<_>, _>>();
    let alt_names = alt_names.map_err(Error::internal)?;
    // Who reads only names would take it for its issuer. An authority may: so its key is changed.
    if !order.profile.is_authority() && NameKey::of(order.subject.as_name()) == NameKey::of(&issuer.name) {
        return Err(Error::value(
            SUBJECT,
            "A certificate that is no authority's does not bear the name of its issuer.",
        ));
    }
    let checked = issuer.check_names(order.subject.as_name(), &alt_names, order.profile.is_authority());
    checked.map_err(|breach| {
        let field = match breach.alt_name {
            Some(index) => format!("{ALT_NAMES}/{index}"),
            None => SUBJECT.to_owned(),
        };
        Error::value(field, breach.to_string())
    })
}

/// Refuses what nobody would accept for any of the purposes that it states. A certificate that states none is for those of
/// its issuers.
fn check_purposes(path: &[Link], profile: &CertProfile) -> Result<()> {
    let excluded = excluded(path, profile);
    if excluded.len() < profile.extended_key_usages.len() {
        return Ok(());
    }
    let Some(first) = excluded.first() else { return Ok(()) };
    let message = format!("The certificate would break the rule extendedKeyUsage: {}.", first.text());
    Err(Error::value(ISSUER, message))
}

/// A purpose that a certificate states, and the authority above it that does not issue for it.
struct Excluded<'a> {
    purpose: &'a ObjectIdentifier,
    authority: &'a Link,
}

impl Excluded<'_> {
    /// Without a full stop.
    fn text(&self) -> String {
        let authority: String = self.authority.subject_text().chars().take(TEXT_MAX).collect();
        let permitted = self.authority.purposes().unwrap_or_default();
        let listed: Vec<_> = permitted.iter().take(LISTED_MAX).map(purpose_text).collect();
        let more = if permitted.len() > LISTED_MAX { ", and others" } else { "" };
        let purpose = purpose_text(self.purpose);
        format!("{purpose} lies outside of what {authority} permits: {}{more}", listed.join(", "))
    }
}

/// The purposes that the path, its issuer first, does not leave. An authority's responder is held against none: who relies
/// on it looks at its own purpose, and at who issued it (RFC 6960, 4.2.2.2), and authorities for TLS may not even name
/// that purpose (CA/Browser Forum, Baseline Requirements, 7.1.2.10.6).
fn excluded<'a>(path: &'a [Link], profile: &'a CertProfile) -> Vec<Excluded<'a>> {
    let held = profile.extended_key_usages.iter().filter(|purpose| **purpose != OCSP_SIGNING);
    let found = held.filter_map(|purpose| {
        let authority = path.iter().find(|link| !link.issues_for(*purpose))?;
        Some(Excluded { purpose, authority })
    });
    found.collect()
}

/// What people should know of a certificate that is issued all the same: for what relying parties refuse it.
pub(super) fn warnings(path: &[Link], profile: &CertProfile, der: &[u8], now_ms: i64) -> Result<Vec<String>> {
    let excluded = excluded(path, profile);
    let refused = |excluded: &Excluded<'_>| {
        let purpose = purpose_text(excluded.purpose);
        format!("Relying parties refuse the certificate for {purpose} (extendedKeyUsage): {}.", excluded.text())
    };
    let mut warnings: Vec<_> = excluded.iter().map(refused).collect();
    if path.iter().any(Link::demands_policies) {
        let leaf = link(der)?;
        let path: Vec<_> = iter::once(&leaf).chain(path).collect();
        let checked = check_path(&path, &for_anything(now_ms));
        if let Err(why @ NotTrusted::Broken { breach: Breach::Policy | Breach::PolicyMapping, .. }) = checked {
            warnings.push(format!(
                "Relying parties refuse the certificate because of what stands above it (policyConstraints): {why}; its \
                 profile states its policies."
            ));
        }
    }
    Ok(warnings)
}

/// A path as such, whatever it is for; whose hashes and keys are too weak is looked at elsewhere.
pub(super) fn for_anything(now_ms: i64) -> PathSettings<'static> {
    PathSettings {
        at_ms: now_ms,
        purpose: Purpose::Any,
        allow_weak: true,
        crls: None,
        policies: PolicySettings::default(),
    }
}
