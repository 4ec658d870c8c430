//! One decision over many signing requests of one policy: all of them are decided on, as they were shown, or none is.

use std::{collections::HashSet, sync::Arc};

use chancery_keys::hash;
use chancery_store::Tx;
use chancery_types::{
    Base64, Decision, ErrorCode, HashType, SigningRequestId,
    wire::signing_requests::{BatchDecided, BatchDecidedItem, Statement},
};
use chancery_verify::{decisions_statement, policy_digest};
use futures::{StreamExt, stream};

use super::{
    decide::{Ending, Ready, Write},
    decide_many::PARALLEL,
    policy_rules,
    service::{Policy, Service},
    statement::Says,
};
use crate::{Caller, Error, Grant, Meaning, Result, Signing, budgets::Counted};

const POLICY_CHANGED: &str =
    "The policy changed meanwhile, so nothing was decided; read it again, and what waits under it.";

/// One of the list, and where it stands there.
type Place = (usize, SigningRequestId);

/// What is decided, by whom.
struct AsOne<'a> {
    signing: &'a Arc<Signing>,
    caller: &'a Caller,
    grant: &'a Arc<Grant>,
    first: SigningRequestId,
    uuids: Vec<SigningRequestId>,
    decision: Decision,
    note: &'a str,
}

/// What a statement is made of, as it is now.
struct Seen {
    policy: Policy,
    /// What an approval of each request is of.
    digests: Vec<Vec<u8>>,
}

impl Signing {
    /// Decides on all of them in one transaction, if `digest` is that of the statement over them.
    pub(super) async fn decide_as_one(
        self: &Arc<Self>,
        caller: &Caller,
        grant: &Arc<Grant>,
        (uuids, decision): (Vec<SigningRequestId>, Decision),
        note: &str,
        digest: &Base64,
    ) -> Result<BatchDecided> {
        let first = check_list(&uuids, self.context.limits.lists.statement_rows_max)?;
        // In one order, so that no two wait for each other. A denial waits for nobody.
        let mut sorted = if decision == Decision::Approve { uuids.clone() } else { Vec::new() };
        sorted.sort_unstable();
        let as_one = AsOne { signing: self, caller, grant, first, uuids, decision, note };
        let mut locks = Vec::with_capacity(sorted.len());
        for id in sorted {
            locks.push(self.approvals.decision_locks.lock(id.into()).await);
        }
        let seen = as_one.look().await?;
        let statement = as_one.statement(&seen)?;
        if statement.digest != *digest {
            // The digest that it should be is not told: whoever decides makes it of what was shown.
            let message = "Nothing was decided: the policy, an approvalDigest, the list or the decision is not as this digest \
                           says. Read the policy and the requests again, and make the digest of them.";
            let refusal = Error::state(message).at("/digest");
            return Err(as_one.refused(as_one.first, refusal).await);
        }
        as_one.store(seen, statement).await
    }
}

/// The first of the list.
fn check_list(uuids: &[SigningRequestId], max: usize) -> Result<SigningRequestId> {
    if uuids.len() > max {
        return Err(Error::too_large("/uuids", format!("At most {max} requests are decided on by one digest.")));
    }
    let Some(first) = uuids.first() else {
        return Err(Error::value("/uuids", "A decision by one digest is over one request at least."));
    };
    let mut known = HashSet::new();
    match uuids.iter().position(|id| !known.insert(*id)) {
        None => Ok(*first),
        Some(index) => Err(Error::value(format!("/uuids/{index}"), "This request is listed twice.")),
    }
}

/// What is refused of one of them is refused of all. One that is not there is a member that is wrong, and no wrong path.
fn naming((index, id): Place, refusal: Error) -> Error {
    let is_none = refusal.meaning() == Meaning::NotFound;
    let refusal = if is_none { Error::new(Meaning::Selection, refusal.message().to_owned()) } else { refusal };
    refusal.naming(format_args!("Nothing was decided. Request {id}")).at(format!("/uuids/{index}"))
}

/// Stores all of it, or nothing.
async fn insert(tx: &mut Tx, policy: Policy, writes: Vec<(Place, Write)>, now_ms: i64) -> Result<()> {
    let service = Service::load(tx, policy.service).await?.ok_or_else(|| Error::state(POLICY_CHANGED))?;
    if Policy::load(tx, policy.id, &service).await?.as_ref() != Some(&policy) {
        return Err(Error::state(POLICY_CHANGED));
    }
    let signatures = writes.iter().map(|(_, write)| write.signatures()).sum();
    if signatures > 0 {
        // All at once, and before any row: whoever waits for a turn here holds none.
        policy_rules::check_rate(tx, &policy, signatures, now_ms).await?;
    }
    let mut counted: Vec<Counted> = Vec::with_capacity(writes.len());
    for (place, write) in writes {
        counted.extend(write.insert(tx).await.map_err(|refusal| naming(place, refusal))?);
    }
    counted.into_iter().for_each(Counted::keep);
    Ok(())
}

impl AsOne<'_> {
    /// A refusal of one of them, recorded.
    async fn refused(&self, id: SigningRequestId, refusal: Error) -> Error {
        self.signing.decision_refused(self.caller, id, self.decision.into(), refusal).await
    }

    fn places(&self) -> impl Iterator<Item = Place> + use<> {
        self.uuids.clone().into_iter().enumerate()
    }

    /// Reads all of them, each as it would be decided on: whoever may not decide on one decides on none.
    async fn look(&self) -> Result<Seen> {
        let Self { signing, caller, grant, decision, note, .. } = *self;
        let look = |place: Place| async move {
            let look = async {
                let (decided, _) = signing.take(caller, grant, place.1, decision.into(), Says::note(note)).await?;
                let digest = signing.expect_approval_digest(grant, &decided.stored, None).await?;
                Ok((decided.stored.policy, decided.stored.row.items, digest))
            };
            (place, look.await.map_err(|refusal| naming(place, refusal)))
        };
        let mut looks = stream::iter(self.places()).map(look).buffered(PARALLEL);
        let (mut policy, mut digests, mut signatures) = (None, Vec::new(), 0_usize);
        while let Some((place, look)) = looks.next().await {
            let (own, items, digest) = match look {
                Ok(read) => read,
                Err(refusal) => return Err(self.refused(place.1, refusal).await),
            };
            let common = policy.get_or_insert_with(|| own.clone());
            if common.id != own.id {
                let refusal = Error::value("/uuids", "It is of another policy than the first of the list.");
                return Err(naming(place, refusal));
            }
            if *common != own {
                return Err(Error::state(POLICY_CHANGED));
            }
            digests.push(digest);
            signatures = signatures.saturating_add(items.max(1) as usize);
        }
        let max = signing.context.limits.manifest_items_max;
        if signatures > max {
            let message =
                format!("At most {max} signatures are decided on by one digest, and this would be {signatures}.");
            return Err(Error::too_large("/uuids", message));
        }
        let policy = policy.ok_or_else(|| Error::internal("a statement over no request"))?;
        Ok(Seen { policy, digests })
    }

    fn statement(&self, seen: &Seen) -> Result<Statement> {
        let Seen { policy, digests } = seen;
        let shown =
            serde_json::to_value(policy.clone().body(self.signing.context.hardened)).map_err(Error::internal)?;
        let requests = self.uuids.iter().copied().zip(digests.iter().map(Vec::as_slice));
        let text = decisions_statement(self.decision, (policy.id, &policy_digest(shown)), requests);
        let digest = Base64(hash(HashType::Sha2_256, text.as_bytes()).as_bytes().to_vec());
        Ok(Statement { digest, rows: u32::try_from(digests.len()).map_err(Error::internal)? })
    }

    /// Decides on each, signs what has all of its approvals, and stores all of it together.
    async fn store(&self, seen: Seen, statement: Statement) -> Result<BatchDecided> {
        let decide = |(place, digest): (Place, &Vec<u8>)| {
            let (digest, statement, policy) = (digest.clone(), &statement, &seen.policy);
            async move { (place, self.decide(place, (policy, digest), statement).await) }
        };
        let mut decided = stream::iter(self.places().zip(&seen.digests)).map(decide).buffered(PARALLEL);
        let (mut events, mut writes, mut results) = (Vec::new(), Vec::new(), Vec::new());
        while let Some((place, decided)) = decided.next().await {
            let Ready { event, write, stored } = match decided {
                Ok(ready) => ready,
                Err(refusal) => return Err(self.refused(place.1, refusal).await),
            };
            let (state, approval_state) = stored.standing.words();
            let (uuid, error_code) = (place.1, ErrorCode::Success);
            results.push(BatchDecidedItem { uuid, error_code, message: None, state, approval_state });
            events.push(event);
            writes.push((place, write));
        }
        drop(decided);
        // As the locks: no two transactions wait for each other's rows.
        writes.sort_unstable_by_key(|((_, id), _)| *id);
        let (policy, now_ms) = (seen.policy, self.signing.context.clock.now_ms());
        let stored = self
            .signing
            .context
            .commit_each(self.grant.as_ref(), events, move |tx| Box::pin(insert(tx, policy, writes, now_ms)));
        stored.await?;
        Ok(BatchDecided { results, digest: Some(statement.digest) })
    }

    /// Takes the decision on one, if it is as it was seen, and signs it where that was the last approval.
    async fn decide(&self, place: Place, (policy, digest): (&Policy, Vec<u8>), statement: &Statement) -> Result<Ready> {
        let Self { signing, caller, grant, decision, note, .. } = *self;
        let named = |refusal| naming(place, refusal);
        let taken = signing.take(caller, grant, place.1, decision.into(), Says::note(note)).await;
        let (decided, approved) = taken.map_err(named)?;
        let found = signing.expect_approval_digest(grant, &decided.stored, None).await.map_err(named)?;
        if decided.stored.policy != *policy {
            return Err(Error::state(POLICY_CHANGED));
        }
        if found != digest {
            return Err(named(Error::state("What would be signed changed meanwhile.")));
        }
        let signed = match approved {
            None => Some((decided, Ending::Decided)),
            Some(approved) => {
                let keep = |decided, ending| async move { Ok(Some((decided, ending))) };
                Box::pin(signing.sign_approved(grant, decided, approved, keep)).await.map_err(named)?
            }
        };
        let (decided, ending) = signed.ok_or_else(|| Error::state(POLICY_CHANGED))?;
        decided.ready(ending, Some(statement))
    }
}
