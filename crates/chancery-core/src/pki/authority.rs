//! Authorities that are ready to issue: what each of their certificates needs of them, read, parsed and opened once.
//!
//! They are part of the compiled state, which may lag behind the store for a moment. So whatever was signed by one is
//! handed out only when the transaction that records it has found the authority as it was.

use std::sync::Arc;

use chancery_store::{Tx, tables};
use chancery_types::{CertificateId, KeyId, KeyUsage, wire::approval::ApprovalRules};
use chancery_verify::path::Link;

use super::{ISSUER, certificate::Issuer, stored_certificate::StoredCertificate};
use crate::{
    Error, Pki, Result,
    base::compiled::Compiled,
    context::storage::{Evidence, MayRead},
    custody::Signer,
    keys::check_use,
};

/// The authorities that issued something since this node started.
pub(crate) type ReadyAuthorities = Compiled<CertificateId, ReadyAuthority>;

/// An authority that issues.
pub(crate) struct ReadyAuthority {
    /// Its certificate, and what issued it, up to the root.
    chain: Vec<StoredCertificate>,
    /// The MACs of their rows: while they are the same, so is the chain.
    macs: Vec<Option<Vec<u8>>>,
    /// Its key, by which it is found when that changes.
    key: KeyId,
    pub(super) signer: Signer,
    pub(super) facts: Issuer,
    /// The chain as relying parties read it.
    pub(super) path: Vec<Link>,
}

impl ReadyAuthority {
    /// Its certificate.
    pub(super) fn der(&self) -> &[u8] {
        &self.chain[0].der
    }

    /// What it demands of everything that it issues.
    pub(super) fn approval(&self) -> Option<&ApprovalRules> {
        self.chain[0].approval.as_ref()
    }

    /// Whether it hangs on this key; any key where none is named.
    pub(crate) fn has_key(&self, key: Option<KeyId>) -> bool {
        key.is_none_or(|key| key == self.key)
    }

    /// Whether it hangs on this certificate; any where none is named.
    pub(crate) fn rests_on(&self, certificate: Option<CertificateId>) -> bool {
        certificate.is_none_or(|id| self.chain.iter().any(|certificate| certificate.id == id))
    }

    /// Looks in the transaction that records a certificate whether the authority may issue still. On the way it answers
    /// since when there are so many certificates of a name and one more: it costs one statement.
    pub(super) async fn check_again(
        &self,
        tx: &mut Tx,
        name_key: &str,
        newer: u32,
        now_ms: i64,
    ) -> Result<Option<i64>> {
        check_issuer(&self.chain, now_ms)?;
        let chain: Vec<_> = self.chain.iter().map(|certificate| certificate.id.into()).collect();
        let standing = tables::certificates::standing(tx, &chain, name_key, newer).await?;
        let standing = standing.ok_or_else(|| refused(KEYLESS))?;
        if standing.macs != self.macs {
            self.check_anew(tx, now_ms).await?;
        }
        let usages: Vec<KeyUsage> = serde_json::from_str(&standing.key_usages).map_err(Error::internal)?;
        check_use(standing.key_state.parse().map_err(Error::internal)?, &usages, KeyUsage::Sign)?;
        Ok(standing.oldest_start_s)
    }

    /// Reads the chain again: something of it was changed.
    async fn check_anew(&self, tx: &mut Tx, now_ms: i64) -> Result<()> {
        let chain = issuer_chain(tx, self.chain[0].id).await?;
        check_issuer(&chain, now_ms)?;
        if chain[0].approval.as_ref() != self.approval() {
            return Err(refused("What the issuer demands of what it issues was changed at the same time; try again."));
        }
        Ok(())
    }
}

/// Compiles authorities, which stay for whoever needs them next. Made only here.
pub(crate) struct CompilingAuthorities(());

impl Evidence for CompilingAuthorities {}
impl MayRead for CompilingAuthorities {}

impl Pki {
    /// The authority that a request names; refuses one that may not issue now.
    pub(super) async fn ready_authority(&self, id: CertificateId, now_ms: i64) -> Result<Arc<ReadyAuthority>> {
        if let Some(ready) = self.authorities.find(&id) {
            check_issuer(&ready.chain, now_ms)?;
            return Ok(ready);
        }
        let read = self.authorities.generation();
        let read_chain = self.context.storage.read(&CompilingAuthorities(()), move |tx| {
            Box::pin(async move {
                let chain = issuer_chain(tx, id).await?;
                let ids: Vec<_> = chain.iter().map(|certificate| certificate.id.into()).collect();
                Ok::<_, Error>((chain, tables::certificates::macs(tx, &ids).await?))
            })
        });
        let (chain, macs) = read_chain.await?;
        let key = check_issuer(&chain, now_ms)?;
        let facts = issuer_of(chain.iter().map(|link| link.der.as_slice()))?;
        let path = chain.iter().map(|link| Link::read(&link.der)).collect::<Option<_>>();
        let path = path.ok_or_else(|| refused(UNREADABLE))?;
        let ready =
            Arc::new(ReadyAuthority { signer: self.keys.signing_key(key).await?, chain, macs, key, facts, path });
        self.authorities.keep(read, id, &ready);
        Ok(ready)
    }
}

/// [`Issuer::of_chain`] of certificates that are stored; what cannot be read issues nothing, for good.
pub(super) fn issuer_of<'a>(chain: impl DoubleEndedIterator<Item = &'a [u8]>) -> Result<Issuer> {
    Issuer::of_chain(chain).map_err(|_| refused(UNREADABLE))
}

/// The issuer that a request names, and what issued it.
async fn issuer_chain(tx: &mut Tx, id: CertificateId) -> Result<Vec<StoredCertificate>> {
    let issuer = StoredCertificate::find(tx, id).await?;
    issuer.ok_or_else(|| Error::selection(ISSUER, "There is no such certificate."))?.with_issuers(tx).await
}

const REVOKED: &str = "The issuer, or what issued it, is revoked or on hold.";
const UNTRUSTED: &str = "The certificate was not trusted as an issuer (trustCert), so it cannot issue others.";
const UNREADABLE: &str = "The issuer's certificate, or one above it, has an extension that cannot be read, so nothing is signed \
                          by it: it was imported by a release that did not look.";
const KEYLESS: &str = "The issuer's private key was not saved, so it cannot issue others.";

fn refused(why: &'static str) -> Error {
    Error::state(why).at(ISSUER)
}

/// Whether the first of the chain may issue now; answers its key.
fn check_issuer(chain: &[StoredCertificate], now_ms: i64) -> Result<KeyId> {
    if chain.iter().any(|certificate| certificate.revoked.is_some()) {
        return Err(refused(REVOKED));
    }
    if !chain.iter().all(|certificate| certificate.validity.contains(now_ms)) {
        return Err(refused("The issuer, or what issued it, is expired or not yet valid."));
    }
    let issuer = chain.first().filter(|issuer| issuer.trusted).ok_or_else(|| refused(UNTRUSTED))?;
    issuer.key.ok_or_else(|| refused(KEYLESS))
}

#[cfg(test)]
mod tests;
