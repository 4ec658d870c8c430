//! Certificates for keys that exist already: PKCS#10 requests, renewal, and the change of a key.

use std::sync::Arc;

use chancery_keys::KeySpec;
use chancery_store::{Tx, tables};
use chancery_types::{
    CertKeyUsage, CertProfileId, CertificateId, KeyTypeId, ObjectId, RevocationReason,
    wire::x509::{CertParams, NewKey, RekeyCertificate, RenewCertificate, RenewParams, RequestCertificate},
};
use der::{Decode, oid::AssociatedOid};
use uuid::Uuid;
use x509_cert::{
    Certificate, TbsCertificate,
    ext::pkix::{BasicConstraints, ExtendedKeyUsage, KeyUsage, SubjectAltName},
};

use super::{
    ALT_NAMES, ISSUER, SUBJECT,
    alt_name::AltName,
    cert_profile::CertProfile,
    certificate,
    csr::Csr,
    dn::DistinguishedName,
    name_constraints::Written,
    order::{self, GivenKey, Order},
    requested::Ordered,
    stored::StoredCertificate,
};
use crate::{Chancery, Error, Result, keys::key_type::KeyType};

const AUTHORITY: &str = "/serviceOrIssuerUuid";
const PROFILE: &str = "/certProfileUuid";

/// Requests up to this, which have an EC or RSA key and few names, are read where the call is: the way to the pool and back
/// takes as long.
const CSR_INLINE_MAX: usize = 4 * 1024;

impl Chancery {
    /// A certificate for the key of a PKCS#10 request.
    pub(super) async fn ordered_by_csr(&self, request: RequestCertificate) -> Result<Ordered> {
        let profile = self.issuing_profile(request.cert_profile_uuid).await?;
        let issuer = self.named_authority(request.service_or_issuer_uuid).await?;
        let csr = self.read_csr(request.csr.clone()).await?;
        let (warnings, save) = (ignored(&csr).into_iter().collect(), request.save_cert.unwrap_or(true));
        check_named(&request, &csr, &profile)?;
        let order = requested(&request, csr, &profile, issuer, self.hardened);
        Ok(Ordered { order: order.map_err(|refusal| at_origin(&request, refusal))?, save, warnings })
    }

    /// A certificate again, for the same key and names.
    pub(super) async fn ordered_again(&self, id: CertificateId, request: RenewCertificate) -> Result<Ordered> {
        let RenewCertificate { cert_profile_uuid, issuer_uuid, cert_params } = request;
        let old = self.store.read(move |tx| Box::pin(StoredCertificate::load(tx, id))).await?;
        check_renewable(&old)?;
        let said = Said::of(&old)?;
        let key = GivenKey { spki: said.spki.clone(), id: old.key };
        let profile = self.profile_again(&old, cert_profile_uuid).await?;
        let params = cert_params.unwrap_or_default();
        let order = successor(&old, &profile, said, issuer_uuid, &params, old.spec)?;
        Ok(Ordered::kept(Order { given: Some(key), save_key: false, ..order }))
    }

    /// A certificate again, for the same names and another key.
    pub(super) async fn ordered_with_another_key(
        &self,
        id: CertificateId,
        request: RekeyCertificate,
    ) -> Result<Ordered> {
        let RekeyCertificate { cert_profile_uuid, issuer_uuid, new_key, csr, cert_params } = request;
        if new_key.is_some() && csr.is_some() {
            return Err(Error::value("/csr", "The new key is made here (newKey) or elsewhere (csr), not both."));
        }
        let old = self.store.read(move |tx| Box::pin(StoredCertificate::load(tx, id))).await?;
        let said = Said::of(&old)?;
        let profile = self.profile_again(&old, cert_profile_uuid).await?;
        let params = cert_params.unwrap_or_default();
        let order = match csr {
            Some(text) => {
                let csr = self.read_csr(text).await?;
                let order = successor(&old, &profile, said, issuer_uuid, &params, csr.spec)?;
                order::check_key_type(&order.profile, order.key_type, "/csr", self.hardened)?;
                Order { given: Some(GivenKey { spki: csr.spki, id: None }), save_key: false, ..order }
            }
            None => {
                let NewKey { key_type_uuid, save } = new_key.unwrap_or_default();
                let spec = key_type_uuid.map_or(Ok(old.spec), signing_spec)?;
                let order = successor(&old, &profile, said, issuer_uuid, &params, spec)?;
                order::check_key_type(&order.profile, order.key_type, "/newKey/keyTypeUuid", self.hardened)?;
                Order { save_key: save.unwrap_or(old.key.is_some()), ..order }
            }
        };
        Ok(Ordered::kept(order))
    }

    /// The authority that a request names: itself, or by a service whose certificate it issued.
    async fn named_authority(&self, named: ObjectId) -> Result<CertificateId> {
        let id = Uuid::from(named).into();
        if self.authorities.find(&id).is_some() {
            return Ok(id);
        }
        self.store.read(move |tx| Box::pin(authority(tx, named))).await
    }

    async fn read_csr(&self, text: String) -> Result<Csr> {
        let csr = if text.len() <= CSR_INLINE_MAX {
            Csr::read(&text, self.limits.csr_max)
        } else {
            let bytes_max = self.limits.csr_max;
            self.pool.run(move || Csr::read(&text, bytes_max)).await?
        }?;
        self.check_key_of_request(&csr).await?;
        Ok(csr)
    }

    /// Whether nobody could break the request's key, which for RSA takes its time.
    async fn check_key_of_request(&self, csr: &Csr) -> Result<()> {
        if !matches!(csr.spec, KeySpec::Rsa(_)) {
            return Ok(csr.check_key()?);
        }
        let csr = csr.clone();
        Ok(self.pool.run(move || csr.check_key()).await??)
    }

    /// The profile of what takes a certificate's place: its own, or for one from elsewhere the one that is named.
    async fn profile_again(&self, old: &StoredCertificate, named: Option<CertProfileId>) -> Result<Arc<CertProfile>> {
        let profile = match (old.profile, named) {
            (Some(own), None) => own,
            (Some(own), Some(named)) if own == named => own,
            (Some(_), Some(_)) => {
                let message = "The certificate keeps its profile; generate makes one under another.";
                return Err(Error::value(PROFILE, message));
            }
            (None, Some(named)) => named,
            (None, None) => {
                let message = "The certificate was made elsewhere, under none of the profiles here; this member says \
                               which one its successor has.";
                return Err(Error::value(PROFILE, message));
            }
        };
        self.issuing_profile(profile).await
    }
}

impl Ordered {
    /// One that takes the place of another is always kept.
    pub(super) const fn kept(order: Order) -> Self {
        Self { order, save: true, warnings: Vec::new() }
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
        key_type: KeyType::by_spec(spec).ok_or_else(|| Error::internal("a certificate's kind of key has no type"))?,
        save_key: false,
        given: None,
        period: params.validity_period.as_ref().map_or(Ok(profile.validity), order::period)?,
        hash: params.hash_algorithm,
        trust: old.trusted,
        inherits: old.approval.clone(),
        profile,
    })
}

async fn authority(tx: &mut Tx, named: ObjectId) -> Result<CertificateId> {
    let id = Uuid::from(named);
    if tables::certificates::by_id(tx, id).await?.is_some() {
        return Ok(id.into());
    }
    let Some(service) = tables::services::by_id(tx, id).await? else {
        return Err(Error::selection(AUTHORITY, "There is no such certificate and no such service."));
    };
    let Some(certificate) = service.certificate_id else {
        return Err(Error::state("The service has no certificate, so nothing issued it.").at(AUTHORITY));
    };
    Ok(StoredCertificate::load(tx, certificate.into()).await?.issuer)
}

/// What issuing says of the issuer and of the names, where this request has them.
pub(super) fn at_origin(request: &RequestCertificate, refusal: Error) -> Error {
    let named = request.cert_params.as_ref().is_some_and(|params| params.subject_alt_names.is_some());
    match refusal.field() {
        Some(ISSUER) => refusal.at(AUTHORITY),
        Some(SUBJECT) if request.subject_oneline.is_none() => refusal.at("/csr"),
        Some(field) if field.starts_with(ALT_NAMES) && !named => refusal.at("/csr"),
        _ => refusal,
    }
}

/// Whether there is anything that says whose certificate it is.
fn check_named(request: &RequestCertificate, csr: &Csr, profile: &CertProfile) -> Result<()> {
    let names = request.cert_params.as_ref().and_then(|params| params.subject_alt_names.as_ref());
    let has_names = names.map_or(!csr.alt_names.is_empty(), |names| !names.is_empty());
    if request.subject_oneline.is_some() || !csr.subject.is_empty() || has_names && !profile.is_authority() {
        return Ok(());
    }
    let message = "The request leaves its subject empty and names nobody beside it, or an authority; subjectOneline says \
                   what it shall be.";
    Err(Error::value(SUBJECT, message))
}

fn requested(
    request: &RequestCertificate,
    csr: Csr,
    profile: &Arc<CertProfile>,
    issuer: CertificateId,
    hardened: bool,
) -> Result<Order> {
    let params = request.cert_params.clone().unwrap_or_default();
    if profile.is_root() {
        let message = "A root is self-signed; a request is issued under another profile.";
        return Err(Error::value(PROFILE, message));
    }
    let profile = profile.narrowed(&params)?;
    let key_type = KeyType::by_spec(csr.spec).ok_or_else(|| Error::internal("a kind of key has no type"))?;
    order::check_key_type(&profile, key_type, "/csr", hardened)?;
    let subject = match &request.subject_oneline {
        Some(line) => line.parse().map_err(|why: super::dn::DnError| Error::value(SUBJECT, why.to_string()))?,
        None => csr.subject,
    };
    let asked = match &params.subject_alt_names {
        Some(texts) => order::alt_names(texts)?,
        None => csr.alt_names,
    };
    Ok(Order {
        issuer: Some(issuer),
        alt_names: profile.names(&subject, asked)?,
        subject,
        numbered: false,
        key_type,
        save_key: false,
        given: Some(GivenKey { spki: csr.spki, id: None }),
        period: params.validity_period.as_ref().map_or(Ok(profile.validity), order::period)?,
        hash: params.hash_algorithm,
        trust: false,
        inherits: None,
        profile,
    })
}

/// What was asked for and not taken.
fn ignored(csr: &Csr) -> Option<String> {
    if csr.ignored.is_empty() {
        return None;
    }
    let oids: Vec<_> = csr.ignored.iter().map(ToString::to_string).collect();
    Some(format!("The profile decides, so these extensions of the request were not taken: {}.", oids.join(", ")))
}

/// The kind of key of a key type that signs.
fn signing_spec(id: KeyTypeId) -> Result<KeySpec> {
    let key_type = KeyType::by_id(id).filter(|key_type| key_type.spec.fits(chancery_keys::Purpose::Sign));
    let message = "There is no such key type that signs; /api/v2/key-types/stubs lists them.";
    Ok(key_type.ok_or_else(|| Error::selection("/newKey/keyTypeUuid", message))?.spec)
}

/// What is revoked is not made valid again by the same key; a hold may be released first.
fn check_renewable(old: &StoredCertificate) -> Result<()> {
    match old.revoked {
        Some(revoked) if revoked.reason == RevocationReason::CertificateHold => {
            Err(Error::state("The certificate is on hold; it is released first, or takes another key (rekey)."))
        }
        Some(_) => Err(Error::state("The certificate is revoked; only another key (rekey) takes its place.")),
        // Two certificates of one authority and key would each have a revocation list that calls itself the whole.
        None if old.trusted => Err(Error::state(
            "An authority takes another key when it is renewed (rekey); its old one stays with what it issued.",
        )),
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

    /// By how much the old certificate says less than its profile: so does the new one.
    fn narrowing(&self, profile: &CertProfile) -> Result<CertParams> {
        let tbs = self.parsed.tbs_certificate();
        let usage = said::<KeyUsage>(tbs, "The extension keyUsage")?;
        let whole = certificate::key_usage(profile, tbs.subject_public_key_info());
        let has = |kept: &CertKeyUsage| usage.is_some_and(|usage| usage.0.contains(certificate::usage_bit(*kept)));
        let purposes = said::<ExtendedKeyUsage>(tbs, "The extension extKeyUsage")?;
        let purposes = purposes.map(|ExtendedKeyUsage(purposes)| purposes).unwrap_or_default();
        let path = said::<BasicConstraints>(tbs, "The extension basicConstraints")?;
        let path = path.and_then(|constraints| constraints.path_len_constraint);
        Ok(CertParams {
            key_usages: (usage != Some(whole)).then(|| profile.key_usages.iter().copied().filter(has).collect()),
            extended_key_usages: (purposes != *profile.extended_key_usages)
                .then(|| purposes.iter().map(ToString::to_string).collect()),
            path_length: path,
            ..CertParams::default()
        })
    }
}
