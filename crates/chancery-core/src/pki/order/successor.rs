//! The order for what takes the place of a certificate: renewed under its key, or with another one.

use std::sync::Arc;

use chancery_keys::KeySpec;
use chancery_types::{
    CertKeyUsage, CertProfileId, CertificateId, KeyTypeId, RevocationReason,
    wire::x509::{CertParams, NewKey, RekeyCertificate, RenewCertificate, RenewParams},
};
use der::{
    Decode,
    oid::{AssociatedOid, ObjectIdentifier},
};
use x509_cert::{
    Certificate, TbsCertificate,
    ext::{
        Extension,
        pkix::{
            AuthorityInfoAccessSyntax, AuthorityKeyIdentifier, BasicConstraints, CertificatePolicies,
            CrlDistributionPoints, ExtendedKeyUsage, InhibitAnyPolicy, KeyUsage, NameConstraints, PolicyConstraints,
            SubjectAltName, SubjectKeyIdentifier,
        },
    },
};

use super::{GivenKey, Order, check_kind_of_key, lost, period};
use crate::{
    Error, Grant, Pki, Result,
    keys::key_type,
    pki::{
        alt_name::AltName, cert_profile::CertProfile, certificate, dn::DistinguishedName, issuance::Ordered,
        name_constraints::Written, stored_certificate::StoredCertificate,
    },
};

impl Pki {
    /// A certificate again, for the same key and names.
    pub(in crate::pki) async fn ordered_again(
        &self,
        grant: &Grant,
        id: CertificateId,
        request: RenewCertificate,
    ) -> Result<Ordered> {
        let RenewCertificate { cert_profile_uuid, issuer_uuid, cert_params } = request;
        let old = self.context.storage.read(grant, move |tx| Box::pin(StoredCertificate::load(tx, id))).await?;
        let said = Said::of(&old)?;
        check_renewable(&old)?;
        let (unsaid, is_authority) = (said.unsaid()?, said.is_authority()?);
        let key = GivenKey { spki: said.spki.clone(), id: old.key };
        let profile = self.profile_again(&old, cert_profile_uuid).await?;
        let params = cert_params.unwrap_or_default();
        let warnings = unsaid.into_iter().chain(said.lost(&profile, old.spec)?).collect();
        let order = successor(&old, &profile, said, issuer_uuid, &params, old.spec)?;
        let order = Order { given: Some(key), save_key: false, ..order };
        Ok(Ordered { warnings, renews_authority: old.trusted || is_authority, ..Ordered::kept(order) })
    }

    /// A certificate again, for the same names and another key.
    pub(in crate::pki) async fn ordered_with_another_key(
        &self,
        grant: &Grant,
        id: CertificateId,
        request: RekeyCertificate,
    ) -> Result<Ordered> {
        let RekeyCertificate { cert_profile_uuid, issuer_uuid, new_key, csr, cert_params } = request;
        if new_key.is_some() && csr.is_some() {
            return Err(Error::value("/csr", "The new key is made here (newKey) or elsewhere (csr), not both."));
        }
        let old = self.context.storage.read(grant, move |tx| Box::pin(StoredCertificate::load(tx, id))).await?;
        let said = Said::of(&old)?;
        let mut warnings: Vec<_> = said.unsaid()?.into_iter().collect();
        let profile = self.profile_again(&old, cert_profile_uuid).await?;
        let params = cert_params.unwrap_or_default();
        let order = match csr {
            Some(text) => {
                let csr = self.read_csr(text).await?;
                warnings.extend(said.lost(&profile, csr.spec)?);
                let order = successor(&old, &profile, said, issuer_uuid, &params, csr.spec)?;
                check_kind_of_key(&order.profile, order.spec, "/csr", self.context.hardened)?;
                Order { given: Some(GivenKey { spki: csr.spki, id: None }), save_key: false, ..order }
            }
            None => {
                let NewKey { key_type_uuid, save } = new_key.unwrap_or_default();
                let spec = key_type_uuid.map_or(Ok(old.spec), signing_spec)?;
                warnings.extend(said.lost(&profile, spec)?);
                let order = successor(&old, &profile, said, issuer_uuid, &params, spec)?;
                check_kind_of_key(&order.profile, order.spec, "/newKey/keyTypeUuid", self.context.hardened)?;
                Order { save_key: save.unwrap_or(old.key.is_some()), ..order }
            }
        };
        Ok(Ordered { warnings, ..Ordered::kept(order) })
    }

    /// The profile of what takes a certificate's place: its own, or for one from elsewhere the one that is named.
    async fn profile_again(&self, old: &StoredCertificate, named: Option<CertProfileId>) -> Result<Arc<CertProfile>> {
        let profile = match (old.profile, named) {
            (Some(own), None) => own,
            (Some(own), Some(named)) if own == named => own,
            (Some(_), Some(_)) => {
                let message = "The certificate keeps its profile; generate makes one under another.";
                return Err(Error::value("/certProfileUuid", message));
            }
            (None, Some(named)) => named,
            (None, None) => {
                let message = "The certificate was made elsewhere, under none of the profiles here; this member says \
                               which one its successor has.";
                return Err(Error::value("/certProfileUuid", message));
            }
        };
        self.issuing_profile(profile).await
    }
}

/// The order for a certificate that says what the old one says.
fn successor(
    old: &StoredCertificate,
    profile: &Arc<CertProfile>,
    said: Said,
    issuer: Option<CertificateId>,
    params: &RenewParams,
    spec: KeySpec,
) -> Result<Order> {
    let profile = profile.narrowed(&said.narrowing(profile)?)?.constrained(said.constraints)?;
    let issuer = issuer.or_else(|| (!old.is_self_signed()).then_some(old.issuer));
    Ok(Order {
        issuer,
        alt_names: profile.names(&said.subject, said.alt_names)?,
        subject: said.subject,
        numbered: false,
        spec,
        save_key: false,
        given: None,
        period: params.validity_period.as_ref().map_or(Ok(profile.validity), period)?,
        hash: params.hash_algorithm,
        trust: old.trusted,
        inherits: old.approval.clone(),
        profile,
    })
}

/// The kind of key of a key type that signs.
fn signing_spec(id: KeyTypeId) -> Result<KeySpec> {
    let spec = key_type::by_id(id).filter(|spec| spec.fits(chancery_keys::Purpose::Sign));
    let message = "There is no such key type that signs; /api/v2/key-types/stubs lists them.";
    spec.ok_or_else(|| Error::selection("/newKey/keyTypeUuid", message))
}

/// What is revoked is not made valid again by the same key; a hold may be released first.
fn check_renewable(old: &StoredCertificate) -> Result<()> {
    match old.revoked {
        Some(revoked) if revoked.reason == RevocationReason::CertificateHold => {
            Err(Error::state("The certificate is on hold; it is released first, or takes another key (rekey)."))
        }
        Some(_) => Err(Error::state("The certificate is revoked; only another key (rekey) takes its place.")),
        None => Ok(()),
    }
}

/// What a certificate says that its successor shall say too.
struct Said {
    subject: DistinguishedName,
    alt_names: Vec<AltName>,
    constraints: Option<Written>,
    spki: Vec<u8>,
    parsed: Certificate,
}

/// What certificates that are issued here have, where their profile and their names want it.
const WRITTEN: [ObjectIdentifier; 11] = [
    SubjectKeyIdentifier::OID,
    KeyUsage::OID,
    SubjectAltName::OID,
    BasicConstraints::OID,
    NameConstraints::OID,
    CrlDistributionPoints::OID,
    CertificatePolicies::OID,
    AuthorityKeyIdentifier::OID,
    ExtendedKeyUsage::OID,
    AuthorityInfoAccessSyntax::OID,
    certificate::OCSP_NO_CHECK,
];

/// Others that have a name (RFC 5280, 4.2.1).
const KNOWN: [(ObjectIdentifier, &str); 2] =
    [(PolicyConstraints::OID, "policyConstraints"), (InhibitAnyPolicy::OID, "inhibitAnyPolicy")];

/// Why nothing takes the place of a certificate from elsewhere.
fn unsayable(what: &str, why: impl std::fmt::Display) -> Error {
    let message =
        format!("{what} of the certificate cannot be issued again: {why} Generate makes one with other names.");
    Error::state(message)
}

/// An extension that the old certificate may have.
fn said<'a, T: AssociatedOid + der::Decode<'a>>(tbs: &'a TbsCertificate, what: &str) -> Result<Option<T>>
where
    der::Error: From<T::Error>,
{
    let found = tbs.extensions().into_iter().flatten().find(|extension| extension.extn_id == T::OID);
    let read = found.map(|extension| T::from_der(extension.extn_value.as_bytes())).transpose();
    read.map_err(|_| unsayable(what, "it cannot be read."))
}

impl Said {
    fn of(old: &StoredCertificate) -> Result<Self> {
        old.check_saved()?;
        let parsed = Certificate::from_der(&old.der).map_err(Error::internal)?;
        let tbs = parsed.tbs_certificate();
        let names = said::<SubjectAltName>(tbs, "The extension subjectAltName")?;
        let names = names.map(|SubjectAltName(names)| names).unwrap_or_default();
        let name = |name| AltName::taken(name).map_err(|why| unsayable("An alternative name", why));
        Ok(Self {
            subject: DistinguishedName::taken(tbs.subject()).map_err(|why| unsayable("The subject", why))?,
            alt_names: names.iter().map(name).collect::<Result<_>>()?,
            constraints: Written::of(tbs).map_err(|_| unsayable("The name constraints", "they cannot be read."))?,
            spki: der::Encode::to_der(tbs.subject_public_key_info()).map_err(Error::internal)?,
            parsed,
        })
    }

    /// Whether it may issue others, whoever trusts it here.
    fn is_authority(&self) -> Result<bool> {
        let constraints = said::<BasicConstraints>(self.parsed.tbs_certificate(), "The extension basicConstraints")?;
        Ok(constraints.is_some_and(|constraints| constraints.ca))
    }

    /// What of it the new one does not say, since no profile writes it. What whoever reads it has to know is not left out.
    fn unsaid(&self) -> Result<Option<String>> {
        let extensions = self.parsed.tbs_certificate().extensions().into_iter().flatten();
        let unwritten = extensions.filter(|extension| !WRITTEN.contains(&extension.extn_id)).collect::<Vec<_>>();
        let name = |extension: &&Extension| match KNOWN.iter().find(|(oid, _)| *oid == extension.extn_id) {
            Some((oid, name)) => format!("{name} ({oid})"),
            None => extension.extn_id.to_string(),
        };
        if let Some(critical) = unwritten.iter().find(|extension| extension.critical) {
            let why = "it is critical, and no profile here writes it.";
            return Err(unsayable(&format!("The extension {}", name(critical)), why));
        }
        let names: Vec<_> = unwritten.iter().map(name).collect();
        let warning =
            || format!("No profile writes these extensions, and the new certificate lacks them: {}.", names.join(", "));
        Ok((!names.is_empty()).then(warning))
    }

    /// What of it the new one, under this profile and with such a key, does not say either.
    fn lost(&self, profile: &CertProfile, spec: KeySpec) -> Result<Vec<String>> {
        let tbs = self.parsed.tbs_certificate();
        let usage = said::<KeyUsage>(tbs, "The extension keyUsage")?;
        let policies = said::<CertificatePolicies>(tbs, "The extension certificatePolicies")?;
        let usages = usage.and_then(|usage| lost::usages(usage, profile, spec));
        let policies = policies.map(|policies| lost::policies(&policies, profile)).unwrap_or_default();
        Ok(usages.into_iter().chain(policies).collect())
    }

    /// By how much the old certificate says less than its profile: so does the new one. One without a key usage says nothing of
    /// it (RFC 5280, 4.2.1.3).
    fn narrowing(&self, profile: &CertProfile) -> Result<CertParams> {
        let tbs = self.parsed.tbs_certificate();
        let usage = said::<KeyUsage>(tbs, "The extension keyUsage")?;
        let whole = certificate::key_usage(profile, tbs.subject_public_key_info());
        let purposes = said::<ExtendedKeyUsage>(tbs, "The extension extKeyUsage")?;
        let purposes = purposes.map(|ExtendedKeyUsage(purposes)| purposes).unwrap_or_default();
        let path = said::<BasicConstraints>(tbs, "The extension basicConstraints")?;
        let path = path.and_then(|constraints| constraints.path_len_constraint);
        Ok(CertParams {
            key_usages: usage.filter(|usage| *usage != whole).map(|usage| {
                let has = |kept: &CertKeyUsage| usage.0.contains(certificate::usage_bit(*kept));
                profile.key_usages.iter().copied().filter(has).collect()
            }),
            extended_key_usages: (purposes != *profile.extended_key_usages)
                .then(|| purposes.iter().map(ToString::to_string).collect()),
            path_length: path,
            ..CertParams::default()
        })
    }
}
