//! Revocation, and holds that are released.

use chancery_store::{Tx, tables};
use chancery_types::{
    Action, CertificateId, Perm, RevocationReason,
    wire::x509::{Certificate, RevokeCertificate},
};
use chancery_x509::crl::Revocation;
use der::Decode;
use serde_json::{Value, json};
use uuid::Uuid;
use x509_cert::ext::pkix::{BasicConstraints, ExtendedKeyUsage};

use super::{
    cert_profile::{OCSP_SIGNING, TIME_STAMPING},
    stored_certificate::StoredCertificate,
};
use crate::{
    Caller, Error, Event, Grant, Pki, Result,
    context::changes::{Change, ChangeKind},
    log::inclusion_proof,
};

impl Pki {
    /// Revokes a certificate, or puts it on hold (`certificateHold`).
    pub async fn revoke_certificate(
        &self,
        caller: &Caller,
        id: CertificateId,
        request: RevokeCertificate,
    ) -> Result<Certificate> {
        let action = Action::CertificateRevoke;
        let grant = self.context.grant(caller, Perm::CertManageGenerate, action, Some(id.into())).await?;
        self.revoke(caller, &grant, id, request).await
    }

    /// Revokes a certificate, unless its end takes two persons and this is one.
    pub(crate) async fn revoke(
        &self,
        caller: &Caller,
        grant: &Grant,
        id: CertificateId,
        request: RevokeCertificate,
    ) -> Result<Certificate> {
        self.check_end(caller, grant, id).await?;
        let action = Action::CertificateRevoke;
        let RevokeCertificate { reason } = request;
        let now_ms = self.context.clock.now_ms();
        let (event, told) = event(action, id).detail(json!({"reason": reason})).told();
        self.context
            .commit(grant, event, move |tx| {
                Box::pin(async move {
                    let certificate = StoredCertificate::load(tx, id).await?;
                    told.members(names(&certificate))?;
                    check_revocation(certificate.revoked, reason)?;
                    let at_s = now_ms.div_euclid(1_000);
                    if reason == RevocationReason::CertificateHold && certificate.validity.not_after_s() < at_s {
                        let message = "The certificate has expired: a hold could not be released any more.";
                        return Err(Error::state(message).at("/reason"));
                    }
                    // It was not to be believed since the hold: after the end nothing takes that back.
                    let held = certificate.revoked.filter(|_| certificate.validity.not_after_s() < at_s);
                    let since_s = held.map_or(at_s, |held| held.at_s);
                    if !tables::certificates::revoke(tx, id.into(), since_s, reason.as_str()).await? {
                        return Err(already_revoked());
                    }
                    tables::crls::changed(tx, certificate.issuer.into(), since_s).await?;
                    tables::crls::revoked_again(tx, certificate.issuer.into(), &certificate.serial).await?;
                    detail(tx, id, now_ms).await
                })
            })
            .await
    }

    /// Releases a certificate that is on hold. Somebody had a reason to stop it, so that takes two persons.
    pub async fn release_certificate(&self, caller: &Caller, id: CertificateId) -> Result<Certificate> {
        let action = Action::CertificateRelease;
        let grant = self.context.grant(caller, Perm::CertManageManage, action, Some(id.into())).await?;
        if !caller.manages_trust() {
            return Err(self
                .context
                .refused(caller, Event::new(action).on(Uuid::from(id)), by_two("A hold is released"))
                .await);
        }
        let now_ms = self.context.clock.now_ms();
        let (event, told) = event(action, id).told();
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    let certificate = StoredCertificate::load(tx, id).await?;
                    told.members(names(&certificate))?;
                    let (issuer, at_s) = (certificate.issuer.into(), now_ms.div_euclid(1_000));
                    // Lists from after the end would take back what was true of it while it was believed.
                    if certificate.validity.not_after_s() < at_s {
                        return Err(Error::state("The certificate has expired: what lists say of it stays."));
                    }
                    if !tables::certificates::release(tx, id.into()).await? {
                        return Err(Error::state("The certificate is not on hold."));
                    }
                    tables::crls::changed(tx, issuer, at_s).await?;
                    tables::crls::released(tx, issuer, &certificate.serial, at_s).await?;
                    detail(tx, id, now_ms).await
                })
            })
            .await
    }

    /// Refuses one person who would end what others rest on: an authority, a responder, a stamp, a service. That takes
    /// what making one takes, for a hold too; other leaves are ended by whoever may issue them.
    async fn check_end(&self, caller: &Caller, grant: &Grant, id: CertificateId) -> Result<()> {
        if caller.manages_trust() {
            return Ok(());
        }
        // Neither changes under the revocation: a service takes its certificate in the transaction that issues it.
        let read = self.context.storage.read(grant, move |tx| {
            Box::pin(async move {
                let certificate = StoredCertificate::load(tx, id).await?;
                Ok::<_, Error>((certificate, tables::services::has_certificate(tx, id.into()).await?))
            })
        });
        let (certificate, is_of_service) = read.await?;
        if !is_of_service && !self.has_power(grant, &certificate).await? {
            return Ok(());
        }
        let what =
            "The certificate of an authority, an OCSP responder, a time stamp or a service is revoked or put on hold";
        let event = Event::new(Action::CertificateRevoke).on(Uuid::from(id));
        Err(self.context.refused(caller, event, by_two(what)).await)
    }

    /// Whether others believe more of a certificate than whose key it is. One that was not saved is what its profile says.
    async fn has_power(&self, grant: &Grant, certificate: &StoredCertificate) -> Result<bool> {
        if !certificate.der.is_empty() {
            return power_of(&certificate.der).map_err(Error::internal);
        }
        let Some(profile) = certificate.profile else { return Ok(true) };
        Ok(self.find_cert_profile(grant, profile).await?.is_none_or(|profile| profile.power().is_some()))
    }
}

fn by_two(what: &str) -> Error {
    Error::forbidden(format!("{what} by two persons: a session of a role with two logins and CertManage:Manage."))
}

/// As [`CertProfile::power`](super::cert_profile::CertProfile::power) says it of those that are made here.
fn power_of(der: &[u8]) -> der::Result<bool> {
    let certificate = x509_cert::Certificate::from_der(der)?;
    let tbs = certificate.tbs_certificate();
    let constraints = tbs.get_extension::<BasicConstraints>()?;
    let purposes = tbs.get_extension::<ExtendedKeyUsage>()?.map(|(_, purposes)| purposes.0).unwrap_or_default();
    Ok(constraints.is_some_and(|(_, constraints)| constraints.ca)
        || purposes.contains(&OCSP_SIGNING)
        || purposes.contains(&TIME_STAMPING))
}

fn event(action: Action, id: CertificateId) -> Event {
    Event::new(action).on(Uuid::from(id)).changes(Change::of(ChangeKind::Revocation, id))
}

/// What the audit records call a certificate.
fn names(certificate: &StoredCertificate) -> [(&'static str, Value); 2] {
    [("subject", json!(certificate.subject)), ("serialNumber", json!(certificate.serial))]
}

async fn detail(tx: &mut Tx, id: CertificateId, now_ms: i64) -> Result<Certificate> {
    let proof = inclusion_proof(tx, id.into()).await?;
    StoredCertificate::load(tx, id).await?.detail(proof, now_ms)
}

/// What is on hold can be revoked for good; nothing else changes a revocation.
fn check_revocation(revoked: Option<Revocation>, reason: RevocationReason) -> Result<()> {
    match revoked {
        None => Ok(()),
        Some(held) if held.reason == RevocationReason::CertificateHold && reason != held.reason => Ok(()),
        Some(_) => Err(already_revoked()),
    }
}

fn already_revoked() -> Error {
    Error::state("The certificate is revoked or on hold already.")
}
