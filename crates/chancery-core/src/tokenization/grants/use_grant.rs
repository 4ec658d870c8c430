//! Detokenizing under a grant. All of it is looked at in the store, each time: what approvers took back a moment ago, or
//! what another node counted, holds here at once. Calls without a grant know nothing of this.

use std::sync::Arc;

use chancery_store::{Tx, tables};
use chancery_types::{Action, ProposalId, RoleId, wire::Texts};
use serde_json::json;
use uuid::Uuid;

use super::{Asked, tokens};
use crate::{
    Caller, Error, Event, Meaning, Result, Tokens,
    approval::{
        IsProposer,
        proposals::{self, Reading, StoredProposal},
    },
    context::up_to_date::DetokenizesNow,
    tokenization::{
        Profile,
        rules::{Call, DetokenizeGrant, Unpaid},
    },
};

const FIELD: &str = "/grantUuid";

/// A grant that this caller may use for one call more.
struct Usable {
    asked: Asked,
    evidence: IsProposer,
    tags: Option<Vec<u8>>,
    /// Values that may still be sent.
    left: u32,
}

/// One call under a grant.
pub(crate) struct UnderGrant<'c> {
    pub(crate) id: ProposalId,
    pub(crate) call: Call,
    pub(crate) tokens: &'c Arc<Texts>,
    /// Where the tokens are in the body.
    pub(crate) field: &'static str,
}

impl Tokens {
    /// What lets a caller detokenize in full under the grant that the call names.
    pub(crate) async fn by_grant(
        &self,
        now: &DetokenizesNow,
        caller: &Caller,
        profile: &Arc<Profile>,
        under: UnderGrant<'_>,
    ) -> Result<Unpaid<DetokenizeGrant>> {
        let UnderGrant { id, call, tokens, field } = under;
        let (who, wanted, reading) = (caller.clone(), profile.id, self.reading_now());
        // It is shown to nobody but those whose it is.
        let read = self.context.storage.read(&self.context.grant_to_all(caller), move |tx| {
            Box::pin(async move { usable(tx, &who, id, reading).await })
        });
        let Usable { asked, tags, evidence, left } = read.await?;
        if asked.token_profile.uuid != wanted {
            let message = format!("This grant is for the token profile {}.", asked.token_profile.uuid);
            return Err(Error::selection(FIELD, message));
        }
        let unpaid = profile.may_detokenize_by_grant(now, caller.roles(), asked.role_uuid, call)?;
        if let Some(tags) = tags {
            self.check_listed(profile, tags, tokens, field).await?;
        }
        // Before anything is written; what decides is the transaction that counts.
        if tokens.len() > usize::try_from(left).unwrap_or(usize::MAX) {
            return Err(too_few(left, tokens.len()).at(FIELD));
        }
        Ok(unpaid.counted_in((id, evidence)))
    }

    /// Counts the values of a call in its grant, and records that. Whatever becomes of the call afterwards, they are used.
    pub(crate) async fn use_grant(
        &self,
        caller: &Caller,
        profile: &Profile,
        (id, evidence): &(ProposalId, IsProposer),
        values: usize,
    ) -> Result<()> {
        let (id, who, reading) = (*id, caller.clone(), self.reading_now());
        let grant = self.context.grant_proposer(caller, evidence, Action::DetokenizeGrantUse);
        let event = Event::new(Action::DetokenizeGrantUse).on(Uuid::from(id));
        let (event, told) = event.detail(json!({"tokenProfileUuid": profile.id, "values": values})).told();
        let count = u32::try_from(values).unwrap_or(u32::MAX);
        let used = self.context.commit(&grant, event, move |tx| {
            Box::pin(async move {
                // First, since it keeps others from using or revoking it until the commit: what is read then stays so.
                let counted = tables::detokenize_grants::use_values(tx, id.into(), count, reading.now_ms).await?;
                let (stored, _) = load(tx, &who, id, reading).await?;
                if !counted {
                    stored.check_in_effect(reading.hardened, reading.now_ms)?;
                    return Err(too_few(stored.uses_left(), values));
                }
                // Whether the count is reached now is no reason against the call that reached it.
                stored.check_approved(reading.hardened, reading.now_ms)?;
                let asked = check_use(&stored, &who)?;
                if stored.uses_left() == 0 {
                    tables::detokenize_grants::forget_tokens(tx, id.into()).await?;
                }
                told.members([
                    ("name", json!(asked.token_profile.name)),
                    ("reason", json!(asked.reason)),
                    ("ticket", json!(asked.ticket)),
                    ("used", json!(stored.grant().map(|row| row.uses))),
                    ("maxValues", json!(asked.max_values)),
                ])
            })
        });
        used.await.map_err(|refusal| if refusal.field().is_none() { refusal.at(FIELD) } else { refusal })
    }

    async fn check_listed(&self, profile: &Arc<Profile>, tags: Vec<u8>, sent: &Arc<Texts>, field: &str) -> Result<()> {
        let other = if sent.len() <= tokens::INLINE {
            tokens::first_other(&self.context.custodian, profile, &tags, sent)
        } else {
            let (custodian, profile, sent) =
                (Arc::clone(&self.context.custodian), Arc::clone(profile), Arc::clone(sent));
            self.context.pool.run(move || tokens::first_other(&custodian, &profile, &tags, &sent)).await?
        };
        match other {
            None => Ok(()),
            Some(index) => {
                let at = if field == "/tokens" { format!("{field}/{index}") } else { field.to_owned() };
                Err(Error::forbidden("This token is none of those that the grant lists.").at(at))
            }
        }
    }

    pub(super) fn reading_now(&self) -> Reading {
        Reading {
            effects: self.approvals.effects,
            hardened: self.context.hardened,
            now_ms: self.context.clock.now_ms(),
            sees_others: false,
        }
    }
}

/// A grant of this caller; in the same words, whether there is another's or none.
async fn load(tx: &mut Tx, caller: &Caller, id: ProposalId, reading: Reading) -> Result<(StoredProposal, IsProposer)> {
    let none =
        || Error::selection(FIELD, "You have no such grant; GET /api/v2/token-profiles/{uuid}/grants lists yours.");
    let stored = match StoredProposal::load(tx, reading.effects, id).await {
        Err(failure) if failure.meaning() == Meaning::NotFound => return Err(none()),
        stored => stored?,
    };
    let evidence = stored.is_proposer(caller).filter(|_| stored.grant().is_some()).ok_or_else(none)?;
    Ok((stored, evidence))
}

async fn usable(tx: &mut Tx, caller: &Caller, id: ProposalId, reading: Reading) -> Result<Usable> {
    let (stored, evidence) = load(tx, caller, id, reading).await?;
    stored.check_in_effect(reading.hardened, reading.now_ms).map_err(|refusal| refusal.at(FIELD))?;
    let asked = check_use(&stored, caller)?;
    let tags = match &asked.tokens {
        None => None,
        Some(listed) => {
            let Some(found) = tables::detokenize_grants::tokens(tx, id.into()).await? else {
                // It ended meanwhile, and its list with it.
                load(tx, caller, id, reading).await?.0.check_in_effect(reading.hardened, reading.now_ms)?;
                return Err(Error::internal("a grant's list is missing"));
            };
            let tags = found.tags;
            tokens::check(listed, &tags)?;
            Some(tags)
        }
    };
    Ok(Usable { asked, evidence, tags, left: stored.uses_left() })
}

fn too_few(left: u32, values: usize) -> Error {
    Error::state(format!("The grant has {left} values left, and the call has {values}: none of them was looked at."))
}

/// What was asked for, by those who still hold the role by which they asked.
fn check_use(stored: &StoredProposal, caller: &Caller) -> Result<Asked> {
    let asked: Asked = proposals::parse(stored.content())?;
    let since = caller.members().iter().flat_map(|member| &member.roles);
    let since: Vec<i64> = since.filter(|(role, _)| *role == asked.role_uuid).map(|(_, since)| *since).collect();
    if still_holds(asked.role_uuid, caller.roles(), &since, stored.submitted_at_ms()) {
        return Ok(asked);
    }
    let message = "The role by which this grant was asked for was taken from you since; ask again.";
    Err(Error::forbidden(message).at(FIELD))
}

/// Whether a session has a role that its holders hold since before a moment. Who lost it, and got it again, asks again.
fn still_holds(role: RoleId, roles: &[RoleId], since_ms: &[i64], before_ms: i64) -> bool {
    roles.contains(&role) && !since_ms.is_empty() && since_ms.iter().all(|since| *since <= before_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_that_was_lost_and_given_again_does_not_bring_the_grant_back() {
        let (role, other) = (RoleId::from_u128(1), RoleId::from_u128(2));
        for (roles, since, holds) in [
            (&[role][..], &[5][..], true),
            (&[other, role], &[9, 10], true),
            (&[role], &[11], false),
            (&[role], &[5, 11], false),
            (&[role], &[], false),
            (&[other], &[5], false),
        ] {
            assert_eq!(still_holds(role, roles, since, 10), holds, "{roles:?} since {since:?}");
        }
    }
}
