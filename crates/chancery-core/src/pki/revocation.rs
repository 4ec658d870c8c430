//! Revocation, and holds that are released.

use chancery_store::{Tx, tables};
use chancery_types::{
    Action, CertificateId, Perm, RevocationReason,
    wire::x509::{Certificate, RevokeCertificate},
};
use serde_json::json;
use uuid::Uuid;

use chancery_x509::crl::Revocation;

use super::stored_certificate::StoredCertificate;
use crate::{
    Caller, Chancery, Error, Event, Result,
    changes::{Change, ChangeKind},
    log::inclusion_proof,
};

impl Chancery {
    /// Revokes a certificate, or puts it on hold (`certificateHold`).
    pub async fn revoke_certificate(
        &self,
        caller: &Caller,
        id: CertificateId,
        request: RevokeCertificate,
    ) -> Result<Certificate> {
        let action = Action::CertificateRevoke;
        let grant = self.grant(caller, Perm::CertManageGenerate, action, Some(id.into())).await?;
        let RevokeCertificate { reason } = request;
        let now_ms = self.clock.now_ms();
        self.commit(&grant, event(action, id).detail(json!({"reason": reason})), move |tx| {
            Box::pin(async move {
                let certificate = StoredCertificate::load(tx, id).await?;
                check_revocation(certificate.revoked, reason)?;
                let at_s = now_ms.div_euclid(1_000);
                if !tables::certificates::revoke(tx, id.into(), at_s, reason.as_str()).await? {
                    return Err(already_revoked());
                }
                tables::crls::changed(tx, certificate.issuer.into()).await?;
                tables::crls::revoked_again(tx, certificate.issuer.into(), &certificate.serial).await?;
                detail(tx, id, now_ms).await
            })
        })
        .await
    }

    /// Releases a certificate that is on hold.
    pub async fn release_certificate(&self, caller: &Caller, id: CertificateId) -> Result<Certificate> {
        let action = Action::CertificateRelease;
        let grant = self.grant(caller, Perm::CertManageGenerate, action, Some(id.into())).await?;
        let now_ms = self.clock.now_ms();
        self.commit(&grant, event(action, id), move |tx| {
            Box::pin(async move {
                let certificate = StoredCertificate::load(tx, id).await?;
                if !tables::certificates::release(tx, id.into()).await? {
                    return Err(Error::state("The certificate is not on hold."));
                }
                let (issuer, at_s) = (certificate.issuer.into(), now_ms.div_euclid(1_000));
                tables::crls::changed(tx, issuer).await?;
                tables::crls::released(tx, issuer, &certificate.serial, at_s).await?;
                detail(tx, id, now_ms).await
            })
        })
        .await
    }
}

fn event(action: Action, id: CertificateId) -> Event {
    Event::new(action).on(Uuid::from(id)).changes(Change::of(ChangeKind::Revocation, id))
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
