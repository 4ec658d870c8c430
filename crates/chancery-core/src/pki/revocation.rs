//! Revocation, and the lists that tell of it.
//!
//! A list is signed when it is asked for: if there was a revocation since the last one, or half of its life is over. So
//! it is right after a restart, and a revocation does not wait for a signature.

use chancery_store::{Tx, tables};
use chancery_types::{
    Action, CertificateId, Perm, RevocationReason,
    wire::x509::{Certificate, RevokeCertificate},
};
use serde_json::json;
use uuid::Uuid;

use super::{
    certificate::{Issuer, Serial, assemble},
    crl::{self, Revoked},
    order::scheme,
    stored::{Revocation, StoredCertificate},
};
use crate::{Caller, Chancery, Error, Event, Result, Visitor, audit::Actor};

/// A signed revocation list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevocationList {
    /// The list in DER.
    pub der: Vec<u8>,
    /// Its number.
    pub number: i64,
    /// When it was signed, in seconds since 1970 UTC.
    pub this_update_s: i64,
}

/// An authority, its newest list, and what the next one has to say.
struct ListState {
    issuer: StoredCertificate,
    newest: tables::crls::Row,
    revoked: Vec<Revoked>,
}

impl Chancery {
    /// Revokes a certificate, or puts it on hold (`certificateHold`).
    pub async fn revoke_certificate(
        &self,
        caller: &Caller,
        id: CertificateId,
        request: RevokeCertificate,
    ) -> Result<Certificate> {
        let grant = self.grant(caller, Perm::CertManageGenerate, Action::CertificateRevoke, Some(id.into())).await?;
        let RevokeCertificate { reason } = request;
        let event = Event::new(Action::CertificateRevoke).on(Uuid::from(id)).detail(json!({"reason": reason}));
        let now_ms = self.clock.now_ms();
        self.commit(&grant, event, move |tx| {
            Box::pin(async move {
                let certificate = StoredCertificate::load(tx, id).await?;
                check_revocation(certificate.revoked, reason)?;
                let at_s = now_ms.div_euclid(1_000);
                if !tables::certificates::revoke(tx, id.into(), at_s, reason.as_str()).await? {
                    return Err(already_revoked());
                }
                tables::crls::changed(tx, certificate.issuer.into()).await?;
                StoredCertificate::load(tx, id).await?.detail(now_ms)
            })
        })
        .await
    }

    /// The revocation list of an authority, for anybody.
    pub async fn revocation_list(&self, _visitor: &Visitor, issuer: CertificateId) -> Result<RevocationList> {
        let now_s = self.clock.now_ms().div_euclid(1_000);
        let state = self.list_state(issuer).await?;
        if let Some(list) = state.fresh(now_s) {
            return Ok(list);
        }
        // One at a time, so that a crowd that meets a stale list has it signed once.
        let _turn = self.crl_turn.lock().await;
        let state = self.list_state(issuer).await?;
        if let Some(list) = state.fresh(now_s) {
            return Ok(list);
        }
        let signed = self.sign_list(&state, now_s).await;
        // Where nothing could be signed, or another node was faster, the newest list there is stands: an authority that
        // cannot sign any more has said its last word with it.
        let newest = self.list_state(issuer).await?.newest();
        newest.ok_or_else(|| signed.err().unwrap_or_else(|| Error::internal("a signed list was not stored")))
    }

    /// The certificate of a trusted authority in DER, for anybody.
    pub async fn authority_certificate(&self, _visitor: &Visitor, id: CertificateId) -> Result<Vec<u8>> {
        let found = self.store.read(move |tx| Box::pin(StoredCertificate::find(tx, id))).await?;
        Ok(found.filter(|certificate| certificate.trusted).ok_or_else(|| Error::not_found("authority"))?.der)
    }

    async fn list_state(&self, issuer: CertificateId) -> Result<ListState> {
        self.store.read(move |tx| Box::pin(read_list_state(tx, issuer))).await
    }

    /// Signs and stores the next list. Where another node was faster its list is as good, and ours is discarded.
    async fn sign_list(&self, state: &ListState, now_s: i64) -> Result<()> {
        let ListState { issuer, newest, revoked } = state;
        let key = issuer.key.ok_or_else(|| Error::not_found("revocation list: the authority's key was not saved"))?;
        let key = self.signing_key(key).await?;
        let scheme = scheme(issuer.spec, None)?;
        let algorithm = scheme.algorithm_identifier();
        let facts = Issuer::from_der(&issuer.der).map_err(Error::internal)?;
        let number = newest.number.unsigned_abs() + 1;
        let to_be_signed = crl::to_be_signed(&facts, number, now_s, &algorithm, revoked).map_err(Error::internal)?;
        let signature = self.sign(&key, scheme, to_be_signed.clone()).await?;
        let der = assemble(&to_be_signed, algorithm, &signature).map_err(Error::internal)?;
        let event = Event::new(Action::CrlSign).on(Uuid::from(issuer.id)).detail(json!({"number": number}));
        let from = newest.clone();
        self.commit_as(Actor::host("crl"), event, move |tx| {
            Box::pin(async move {
                if tables::crls::replace(tx, &from, now_s, &der).await? {
                    return Ok(());
                }
                Err(Error::busy("Another node is signing the list; try again.", 1))
            })
        })
        .await
    }
}

async fn read_list_state(tx: &mut Tx, id: CertificateId) -> Result<ListState> {
    let issuer = StoredCertificate::find(tx, id).await?.filter(|certificate| certificate.trusted);
    let issuer = issuer.ok_or_else(|| Error::not_found("revocation list"))?;
    let newest = tables::crls::by_issuer(tx, id.into()).await?.unwrap_or(tables::crls::Row {
        issuer_id: id.into(),
        number: 0,
        changes: 0,
        changes_signed: 0,
        this_update_s: 0,
        der: None,
    });
    let revoked = tables::certificates::revoked_by(tx, id.into()).await?;
    let revoked = revoked.iter().map(list_entry).collect::<Result<_>>()?;
    Ok(ListState { issuer, newest, revoked })
}

fn list_entry(row: &tables::certificates::Revoked) -> Result<Revoked> {
    Ok(Revoked {
        serial: Serial::from_hex(&row.serial).ok_or_else(|| Error::internal("a stored serial number is not one"))?,
        at_s: row.revoked_at_s,
        reason: row.revocation_reason.parse().map_err(Error::internal)?,
    })
}

impl ListState {
    /// The newest list, however old.
    fn newest(&self) -> Option<RevocationList> {
        let newest = &self.newest;
        let der = newest.der.clone()?;
        Some(RevocationList { der, number: newest.number, this_update_s: newest.this_update_s })
    }

    /// The newest list, if it need not be signed anew.
    fn fresh(&self, now_s: i64) -> Option<RevocationList> {
        let newest = &self.newest;
        let young = (newest.this_update_s..newest.this_update_s + crl::LIFETIME_S / 2).contains(&now_s);
        if young && newest.changes == newest.changes_signed { self.newest() } else { None }
    }
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
