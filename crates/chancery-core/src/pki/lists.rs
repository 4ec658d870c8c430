//! Revocation lists: a complete one, and a delta list that adds to an earlier complete one.
//!
//! Both are signed together when one is asked for: if something was revoked or released since the last ones, or half of
//! their life is over. So they are right after a restart, and a revocation does not wait for a signature.

use std::sync::Arc;

use chancery_keys::{SignatureScheme, SigningKey};
use chancery_store::{Tx, tables};
use chancery_types::{Action, CertificateId};
use serde_json::json;
use uuid::Uuid;

use super::{
    address,
    certificate::{Issuer, Serial, assemble},
    crl::{self, Draft, Entry},
    order::scheme,
    stored::StoredCertificate,
};
use crate::{Chancery, Error, Event, Result, Visitor, audit::Actor};

/// Which of an authority's two lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// All that is revoked.
    Complete,
    /// What changed since an earlier complete list.
    Delta,
}

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

/// An authority, its newest lists, and what the next ones have to say.
struct ListState {
    issuer: StoredCertificate,
    newest: tables::crls::Row,
    revoked: Vec<Entry>,
    released: Vec<Entry>,
}

impl Chancery {
    /// The revocation list of an authority, for anybody.
    pub async fn revocation_list(
        &self,
        _visitor: &Visitor,
        issuer: CertificateId,
        kind: ListKind,
    ) -> Result<RevocationList> {
        let now_s = self.clock.now_ms().div_euclid(1_000);
        let state = self.list_state(issuer).await?;
        if let Some(list) = state.fresh(kind, now_s) {
            return Ok(list);
        }
        // One at a time, so that a crowd that meets a stale list has it signed once.
        let _turn = self.crl_turn.lock().await;
        let state = self.list_state(issuer).await?;
        if let Some(list) = state.fresh(kind, now_s) {
            return Ok(list);
        }
        let signed = self.sign_lists(&state, now_s).await;
        // Where nothing could be signed, or another node was faster, the newest list there is stands: an authority that
        // cannot sign any more has said its last word with it.
        let newest = self.list_state(issuer).await?.newest(kind);
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

    /// Signs and stores the next lists. Where another node was faster its lists are as good, and ours are discarded.
    async fn sign_lists(&self, state: &ListState, now_s: i64) -> Result<()> {
        let ListState { issuer, newest, revoked, released } = state;
        let key = issuer.key.ok_or_else(|| Error::not_found("revocation list: the authority's key was not saved"))?;
        let key = self.signing_key(key).await?;
        let scheme = scheme(issuer.spec, None)?;
        let facts = Issuer::from_der(&issuer.der).map_err(Error::internal)?;
        let freshest = self.public_url.as_deref().map(|url| address::delta(url, issuer.id));
        let (number, base) = (newest.number + 1, base(newest, now_s));
        let algorithm = scheme.algorithm_identifier();
        let complete = Draft {
            issuer: &facts,
            number: number.unsigned_abs(),
            base_number: None,
            freshest: freshest.as_deref(),
            this_update_s: now_s,
            algorithm: &algorithm,
            entries: revoked,
        };
        let since: Vec<_> = revoked.iter().chain(released).filter(|entry| entry.at_s >= base.1).copied().collect();
        let delta = Draft { base_number: Some(base.0.unsigned_abs()), freshest: None, entries: &since, ..complete };
        let signed = tables::crls::Signed {
            this_update_s: now_s,
            base,
            der: self.sign_list(&key, scheme, &complete).await?,
            delta: self.sign_list(&key, scheme, &delta).await?,
        };
        let event = Event::new(Action::CrlSign).on(Uuid::from(issuer.id)).detail(json!({"number": number}));
        let from = newest.clone();
        self.commit_as(Actor::host("crl"), event, move |tx| {
            Box::pin(async move {
                if tables::crls::replace(tx, &from, &signed).await? {
                    return Ok(());
                }
                Err(Error::busy("Another node is signing the list; try again.", 1))
            })
        })
        .await
    }

    async fn sign_list(&self, key: &Arc<SigningKey>, scheme: SignatureScheme, list: &Draft<'_>) -> Result<Vec<u8>> {
        let to_be_signed = crl::to_be_signed(list).map_err(Error::internal)?;
        let signature = self.sign(key, scheme, to_be_signed.clone()).await?;
        assemble(&to_be_signed, scheme.algorithm_identifier(), &signature).map_err(Error::internal)
    }
}

/// Number and time of the complete list to which the next delta list refers: the same for a while, then that list itself.
const fn base(newest: &tables::crls::Row, now_s: i64) -> (i64, i64) {
    let young = newest.base_number > 0 && now_s >= newest.base_s && now_s - newest.base_s < crl::BASE_LIFETIME_S;
    if young { (newest.base_number, newest.base_s) } else { (newest.number + 1, now_s) }
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
        base_number: 0,
        base_s: 0,
        delta: None,
    });
    let revoked = tables::certificates::revoked_by(tx, id.into()).await?;
    let revoked = revoked.iter().map(|row| {
        let reason = row.revocation_reason.parse().map_err(Error::internal)?;
        Ok(Entry { serial: serial(&row.serial)?, at_s: row.revoked_at_s, reason: Some(reason) })
    });
    let revoked = revoked.collect::<Result<_>>()?;
    let released = tables::crls::releases(tx, id.into()).await?;
    let released =
        released.iter().map(|row| Ok(Entry { serial: serial(&row.serial)?, at_s: row.released_at_s, reason: None }));
    Ok(ListState { issuer, newest, revoked, released: released.collect::<Result<_>>()? })
}

fn serial(text: &str) -> Result<Serial> {
    Serial::from_hex(text).ok_or_else(|| Error::internal("a stored serial number is not one"))
}

impl ListState {
    /// The newest list, however old.
    fn newest(&self, kind: ListKind) -> Option<RevocationList> {
        let newest = &self.newest;
        let der = match kind {
            ListKind::Complete => newest.der.clone()?,
            ListKind::Delta => newest.delta.clone()?,
        };
        Some(RevocationList { der, number: newest.number, this_update_s: newest.this_update_s })
    }

    /// The newest list, if it need not be signed anew.
    fn fresh(&self, kind: ListKind, now_s: i64) -> Option<RevocationList> {
        let newest = &self.newest;
        let young = (newest.this_update_s..newest.this_update_s + crl::LIFETIME_S / 2).contains(&now_s);
        if young && newest.changes == newest.changes_signed { self.newest(kind) } else { None }
    }
}
