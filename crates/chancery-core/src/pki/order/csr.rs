//! The order for the key of a PKCS#10 request.

use std::sync::Arc;

use chancery_keys::KeySpec;
use chancery_store::{Tx, tables};
use chancery_types::{CertificateId, ObjectId, wire::x509::RequestCertificate};
use uuid::Uuid;

use super::{GivenKey, Order, alt_names, check_kind_of_key, period};
use crate::{
    Error, Grant, Pki, Result,
    pki::{
        ALT_NAMES, ISSUER, SUBJECT, cert_profile::CertProfile, csr::Csr, dn::DnError, issuance::Ordered,
        stored_certificate::StoredCertificate,
    },
};

const AUTHORITY: &str = "/serviceOrIssuerUuid";
const SERVICE: &str = "/serviceUuid";

/// Requests up to this, which have an EC or RSA key and few names, are read where the call is: the way to the pool and back
/// takes as long.
const CSR_INLINE_MAX: usize = 4 * 1024;

impl Pki {
    /// A certificate for the key of a PKCS#10 request.
    pub(in crate::pki) async fn ordered_by_csr(&self, grant: &Grant, request: RequestCertificate) -> Result<Ordered> {
        let (named, member) = authority_of(&request)?;
        let profile = self.issuing_profile(request.cert_profile_uuid).await?;
        let issuer = self.named_authority(grant, (named, member)).await?;
        let csr = self.read_csr(request.csr.clone()).await?;
        let (warnings, save) = (ignored(&csr).into_iter().collect(), request.save_cert.unwrap_or(true));
        check_named(&request, &csr, &profile)?;
        let order = requested(&request, csr, &profile, issuer, self.context.hardened);
        let order = order.map_err(|refusal| at_origin(&request, refusal))?;
        Ok(Ordered { save, warnings, ..Ordered::kept(order) })
    }

    /// The authority that a request names: itself, or by a service whose certificate it issued.
    async fn named_authority(&self, grant: &Grant, (named, member): (ObjectId, &'static str)) -> Result<CertificateId> {
        let id = Uuid::from(named).into();
        if self.authorities.find(&id).is_some() {
            return Ok(id);
        }
        self.context.storage.read(grant, move |tx| Box::pin(authority(tx, named, member))).await
    }

    pub(super) async fn read_csr(&self, text: String) -> Result<Csr> {
        let csr = if text.len() <= CSR_INLINE_MAX {
            Csr::read(&text, self.context.limits.csr_max)
        } else {
            let bytes_max = self.context.limits.csr_max;
            self.context.pool.run(move || Csr::read(&text, bytes_max)).await?
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
        Ok(self.context.pool.run(move || csr.check_key()).await??)
    }
}

/// Which authority a request names, and by which of its members.
fn authority_of(request: &RequestCertificate) -> Result<(ObjectId, &'static str)> {
    match (request.service_or_issuer_uuid, request.service_uuid) {
        (Some(named), other) if other.is_none_or(|other| other == named) => Ok((named, AUTHORITY)),
        (Some(_), _) => Err(Error::value(SERVICE, "serviceOrIssuerUuid names another one; one of the two is enough.")),
        (None, Some(named)) => Ok((named, SERVICE)),
        (None, None) => Err(Error::malformed(AUTHORITY, "This member is missing.")),
    }
}

async fn authority(tx: &mut Tx, named: ObjectId, member: &'static str) -> Result<CertificateId> {
    let id = Uuid::from(named);
    if tables::certificates::by_id(tx, id).await?.is_some() {
        return Ok(id.into());
    }
    let Some(service) = tables::services::by_id(tx, id).await? else {
        return Err(Error::selection(member, "There is no such certificate and no such service."));
    };
    let Some(certificate) = service.certificate_id else {
        return Err(Error::state("The service has no certificate, so nothing issued it.").at(member));
    };
    Ok(StoredCertificate::load(tx, certificate.into()).await?.issuer)
}

/// What issuing says of the issuer and of the names, where this request has them.
pub(in crate::pki) fn at_origin(request: &RequestCertificate, refusal: Error) -> Error {
    let named = request.cert_params.as_ref().is_some_and(|params| params.subject_alt_names.is_some());
    match refusal.field() {
        Some(ISSUER) => refusal.at(authority_of(request).map_or(AUTHORITY, |(_, member)| member)),
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
        return Err(Error::value("/certProfileUuid", message));
    }
    let profile = profile.narrowed(&params)?;
    check_kind_of_key(&profile, csr.spec, "/csr", hardened)?;
    let subject = match &request.subject_oneline {
        Some(line) => line.parse().map_err(|why: DnError| Error::value(SUBJECT, why.to_string()))?,
        None => csr.subject,
    };
    let asked = match &params.subject_alt_names {
        Some(texts) => alt_names(texts)?,
        None => csr.alt_names,
    };
    Ok(Order {
        issuer: Some(issuer),
        alt_names: profile.names(&subject, asked)?,
        subject,
        numbered: false,
        spec: csr.spec,
        save_key: false,
        given: Some(GivenKey { spki: csr.spki, id: None }),
        period: params.validity_period.as_ref().map_or(Ok(profile.validity), period)?,
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
