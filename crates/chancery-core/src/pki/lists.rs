//! Revocation lists: a complete one, and a delta list that adds to an earlier complete one.
//!
//! Both are signed together when one is asked for: if something was revoked or released since the last ones, or half of
//! their life is over. So they are right after a restart, and a revocation does not wait for a signature. Whether that is so,
//! and the lists themselves, are known in memory until something is revoked (`kept_lists`).

use std::{collections::HashSet, sync::Arc};

use chancery_keys::SignatureScheme;
use chancery_store::{Tx, tables};
use chancery_types::{Action, CertificateId, Origin};
use serde_json::json;
use uuid::Uuid;

use super::{
    address,
    authority::issuer_of,
    certificate::{Serial, assemble},
    crl::{self, Draft, Entry},
    kept_lists::Lists,
    order::scheme,
    stored_certificate::StoredCertificate,
};
use crate::{
    Error, Event, Pki, Result, Visitor,
    context::storage::{Evidence, MayRead, Recording},
    custody::{Message, Signer},
};

/// A list counts as signed by so much later than it was at most, where lists follow each other within a second.
const AHEAD_MAX_S: i64 = 3_600;

/// Which of an authority's two lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// All that is revoked.
    Complete,
    /// What changed since an earlier complete list.
    Delta,
}

/// Which of an authority's lists those are that were signed last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListVersion {
    /// Their number.
    pub number: i64,
    /// When they were signed, in seconds since 1970 UTC. Of two lists the later one has a later second, also where both were
    /// signed within one: then it is a little in the future.
    pub signed_s: i64,
}

/// A signed revocation list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevocationList {
    /// The list in DER.
    pub der: Arc<[u8]>,
    /// Its number.
    pub number: i64,
}

/// An authority, what is known of its lists, and what the next ones have to say.
struct ListState {
    issuer: StoredCertificate,
    /// Since when its lists know all that was revoked in its name; `None` where others may have done so.
    keeps_since_s: Option<i64>,
    newest: tables::crls::Head,
    revoked: Vec<Entry>,
    released: Vec<Entry>,
}

/// Answers anybody who asks for authorities and revocation lists, and signs these when they are due. Made only here.
pub(crate) struct PublishingLists(());

impl Evidence for PublishingLists {}
impl MayRead for PublishingLists {}
impl Recording for PublishingLists {
    const NAME: &'static str = "crl";
    const ACTIONS: &'static [Action] = &[Action::CrlSign];
}

impl Pki {
    /// Which revocation lists of an authority are the newest, for anybody; they are signed where that is due.
    pub async fn revocation_list_version(&self, _visitor: &Visitor, issuer: CertificateId) -> Result<ListVersion> {
        let now_s = self.context.clock.now_ms().div_euclid(1_000);
        // A node that has not followed the store for long asks it.
        let kept = self.kept_lists.newest(issuer).filter(|_| self.context.knows_what_is_revoked());
        if let Some(newest) = kept.filter(|newest| newest.is_young(now_s)) {
            return Ok(newest);
        }
        if let Some(newest) = self.newest_in_store(issuer, now_s).await?.0 {
            return Ok(newest);
        }
        // One at a time for each authority, so that a crowd that meets a stale list has it signed once.
        let turn = self.kept_lists.turn(issuer);
        let _turn = turn.lock().await;
        if let Some(newest) = self.newest_in_store(issuer, now_s).await?.0 {
            return Ok(newest);
        }
        let signed = self.sign_lists(issuer, now_s).await;
        // Where nothing could be signed, or another node was faster, the newest list there is stands: an authority that
        // cannot sign any more has said its last word with it.
        let (fresh, last) = self.newest_in_store(issuer, now_s).await?;
        let newest = fresh.or(last.filter(|last| last.number > 0));
        newest.ok_or_else(|| signed.err().unwrap_or_else(|| Error::internal("a signed list was not stored")))
    }

    /// The newest revocation list of an authority, for anybody.
    pub async fn revocation_list(
        &self,
        visitor: &Visitor,
        issuer: CertificateId,
        kind: ListKind,
    ) -> Result<RevocationList> {
        let ListVersion { number, .. } = self.revocation_list_version(visitor, issuer).await?;
        if let Some(lists) = self.kept_lists.lists(issuer, number) {
            return Ok(RevocationList { der: lists.of(kind), number });
        }
        let (number, lists) = match self.stored_lists(&PublishingLists(()), issuer).await? {
            (number, Some(lists)) => (number, lists),
            (_, None) => self.lists_anew(issuer).await?,
        };
        self.kept_lists.keep(issuer, number, &lists);
        Ok(RevocationList { der: lists.of(kind), number })
    }

    /// Signs lists in the place of some that the authority did not sign.
    async fn lists_anew(&self, issuer: CertificateId) -> Result<(i64, Lists)> {
        let turn = self.kept_lists.turn(issuer);
        let _turn = turn.lock().await;
        if let (number, Some(lists)) = self.stored_lists(&PublishingLists(()), issuer).await? {
            return Ok((number, lists));
        }
        self.sign_lists(issuer, self.context.clock.now_ms().div_euclid(1_000)).await?;
        self.kept_lists.look_again();
        let (number, lists) = self.stored_lists(&PublishingLists(()), issuer).await?;
        let lists = lists.ok_or_else(|| Error::unavailable("The stored revocation list is not its authority's."))?;
        Ok((number, lists))
    }

    /// When it is said that they were signed: not in the future (RFC 9110, 8.8.2.1).
    #[must_use]
    pub fn last_modified_s(&self, _visitor: &Visitor, lists: ListVersion) -> i64 {
        lists.signed_s.min(self.context.clock.now_ms().div_euclid(1_000))
    }

    /// The lists that the store has: if they need not be signed anew, and however old they are.
    async fn newest_in_store(
        &self,
        issuer: CertificateId,
        now_s: i64,
    ) -> Result<(Option<ListVersion>, Option<ListVersion>)> {
        let read = self.kept_lists.generation();
        let head = self.context.storage.read(&PublishingLists(()), move |tx| Box::pin(read_head(tx, issuer))).await?.1;
        let version = ListVersion { number: head.number, signed_s: head.this_update_s };
        let is_fresh = version.is_young(now_s) && head.changes == head.changes_signed;
        if is_fresh {
            self.kept_lists.note(read, issuer, version);
        }
        Ok((is_fresh.then_some(version), Some(version)))
    }

    /// The certificate of a trusted authority in DER, for anybody.
    pub async fn authority_certificate(&self, _visitor: &Visitor, id: CertificateId) -> Result<Vec<u8>> {
        let found = self
            .context
            .storage
            .read(&PublishingLists(()), move |tx| Box::pin(StoredCertificate::find(tx, id)))
            .await?;
        Ok(found.filter(|certificate| certificate.trusted).ok_or_else(|| Error::not_found("authority"))?.der)
    }

    /// Signs and stores the next lists. Where another node was faster its lists are as good, and ours are discarded.
    async fn sign_lists(&self, issuer: CertificateId, now_s: i64) -> Result<()> {
        let _making = self.kept_lists.making.lock().await;
        // The key first: where there is none, no entry need be read.
        let (authority, _) =
            self.context.storage.read(&PublishingLists(()), move |tx| Box::pin(read_head(tx, issuer))).await?;
        let key =
            authority.key.ok_or_else(|| Error::not_found("revocation list: the authority's key was not saved"))?;
        let key = self.keys.signing_key(key).await?;
        let state =
            self.context.storage.read(&PublishingLists(()), move |tx| Box::pin(read_list_state(tx, issuer))).await?;
        let from = state.newest.clone();
        let freshest = self.context.public_url.as_deref().map(|url| address::delta(url, issuer));
        let unsigned = self.context.pool.run(move || prepare(state, freshest.as_deref(), now_s)).await??;
        let signed = unsigned.sign(&key).await?;
        let detail = json!({"subject": authority.subject, "number": from.number + 1});
        let event = Event::new(Action::CrlSign).on(Uuid::from(issuer)).detail(detail);
        self.context
            .commit(&PublishingLists(()), event, move |tx| {
                Box::pin(async move {
                    if tables::crls::replace(tx, &from, &signed).await? {
                        return Ok(());
                    }
                    Err(Error::busy("Another node is signing the list; try again.", 1))
                })
            })
            .await
    }
}

/// The next lists, but for their signatures.
struct Unsigned {
    scheme: SignatureScheme,
    this_update_s: i64,
    base: tables::crls::Base,
    complete: Vec<u8>,
    delta: Vec<u8>,
}

/// Writes the next lists.
fn prepare(state: ListState, freshest: Option<&str>, now_s: i64) -> Result<Unsigned> {
    let ListState { issuer, keeps_since_s, newest, revoked, released } = state;
    let scheme = scheme(issuer.spec, None)?;
    let facts = issuer_of(std::iter::once(issuer.der.as_slice()))?;
    let base = base(&newest, now_s);
    let algorithm = scheme.algorithm_identifier();
    let complete = Draft {
        issuer: &facts,
        number: (newest.number + 1).unsigned_abs(),
        base_number: None,
        freshest,
        // Revocations are never forgotten here.
        keeps_since_s,
        this_update_s: now_s,
        algorithm: &algorithm,
        entries: &revoked,
    };
    let since_s = base.signed_at_s - tables::crls::LATE_S;
    let since: Vec<_> = revoked.iter().chain(&released).filter(|entry| entry.at_s >= since_s).copied().collect();
    let delta = Draft { base_number: Some(base.number.unsigned_abs()), freshest: None, entries: &since, ..complete };
    Ok(Unsigned {
        scheme,
        this_update_s: next_second(newest.this_update_s, now_s),
        base,
        complete: crl::to_be_signed(&complete).map_err(Error::internal)?,
        delta: crl::to_be_signed(&delta).map_err(Error::internal)?,
    })
}

impl Unsigned {
    async fn sign(self, key: &Signer) -> Result<tables::crls::Signed> {
        let Self { scheme, this_update_s, base, complete, delta } = self;
        let list = async |bytes| {
            let (signed, signature) = key.sign(Message { scheme, bytes }).await?;
            assemble(&signed.bytes, scheme.algorithm_identifier(), &signature).map_err(Error::internal)
        };
        Ok(tables::crls::Signed { this_update_s, base, der: list(complete).await?, delta: list(delta).await? })
    }
}

/// The second that a list counts as signed in: each its own, so that `If-Modified-Since` can tell them apart. After the clock
/// was set back, that is given up.
fn next_second(before_s: i64, now_s: i64) -> i64 {
    if (now_s..=now_s + AHEAD_MAX_S).contains(&(before_s + 1)) { before_s + 1 } else { now_s }
}

/// The complete list to which the next delta list refers: the same for a while, then that list itself.
const fn base(newest: &tables::crls::Head, now_s: i64) -> tables::crls::Base {
    let young = newest.base_number > 0 && now_s >= newest.base_s && now_s - newest.base_s < crl::BASE_LIFETIME_S;
    if young {
        tables::crls::Base { number: newest.base_number, signed_at_s: newest.base_s }
    } else {
        tables::crls::Base { number: newest.number + 1, signed_at_s: now_s }
    }
}

async fn read_head(tx: &mut Tx, id: CertificateId) -> Result<(StoredCertificate, tables::crls::Head)> {
    let issuer = StoredCertificate::find(tx, id).await?.filter(|certificate| certificate.trusted);
    let issuer = issuer.ok_or_else(|| Error::not_found("revocation list"))?;
    let newest = tables::crls::head(tx, id.into()).await?.unwrap_or(tables::crls::Head {
        issuer_id: id.into(),
        number: 0,
        changes: 0,
        changes_signed: 0,
        this_update_s: 0,
        base_number: 0,
        base_s: 0,
    });
    Ok((issuer, newest))
}

/// A list speaks for a name (RFC 5280, 5): what it leaves out counts as good, whichever of the authorities of its name issued
/// it. So it has what any of them revoked.
async fn read_list_state(tx: &mut Tx, id: CertificateId) -> Result<ListState> {
    let (issuer, newest) = read_head(tx, id).await?;
    let mut authorities = vec![issuer.clone()];
    for namesake in tables::certificates::namesakes(tx, id.into()).await?.into_iter().map(CertificateId::from) {
        if namesake != id {
            authorities.push(StoredCertificate::load(tx, namesake).await?);
        }
    }
    let (mut revoked, mut keeps_since_s) = (Vec::new(), Some(issuer.validity.not_before_s()));
    let mut named = HashSet::new();
    for authority in authorities {
        let is_ours = has_key_of_ours(tx, &authority).await?;
        keeps_since_s = keeps_since_s.filter(|_| is_ours).map(|since_s| since_s.min(authority.validity.not_before_s()));
        for row in tables::certificates::revoked_by(tx, authority.id.into()).await? {
            let reason = row.revocation_reason.parse().map_err(Error::internal)?;
            revoked.push(Entry { serial: serial(&row.serial)?, at_s: row.revoked_at_s, reason: Some(reason) });
            named.insert(row.serial);
        }
    }
    let released = tables::crls::releases(tx, id.into()).await?;
    // Authorities that came from elsewhere may have given a number twice: what one of them revoked no other takes back.
    let released = released.iter().filter(|row| !named.contains(&row.serial));
    let released =
        released.map(|row| Ok(Entry { serial: serial(&row.serial)?, at_s: row.released_at_s, reason: None }));
    Ok(ListState { issuer, keeps_since_s, newest, revoked, released: released.collect::<Result<_>>()? })
}

/// Whether its key was made here, so that nobody else has revoked anything in its name.
async fn has_key_of_ours(tx: &mut Tx, authority: &StoredCertificate) -> Result<bool> {
    let Some(key) = authority.key else { return Ok(false) };
    let key = tables::keys::by_id(tx, key.into()).await?;
    Ok(key.is_some_and(|key| key.origin == Origin::Generated.as_str()))
}

fn serial(text: &str) -> Result<Serial> {
    Serial::from_hex(text).ok_or_else(|| Error::internal("a stored serial number is not one"))
}

impl ListVersion {
    /// Whether less than half of the lists' life is over.
    fn is_young(self, now_s: i64) -> bool {
        self.number > 0 && (self.signed_s - AHEAD_MAX_S..self.signed_s + crl::LIFETIME_S / 2).contains(&now_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_list_has_a_second_of_its_own() {
        let cases = [(0, 1_000, 1_000), (999, 1_000, 1_000), (1_000, 1_000, 1_001), (1_005, 1_000, 1_006)];
        for (before_s, now_s, expected_s) in cases {
            assert_eq!(next_second(before_s, now_s), expected_s);
        }
        assert_eq!(next_second(1_000_000, 1_000), 1_000, "the clock was set back");
    }
}
