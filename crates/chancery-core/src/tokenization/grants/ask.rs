//! Asking for a grant.

use std::sync::Arc;

use chancery_store::tables;
use chancery_types::{
    Action, TokenProfileId,
    wire::{ObjInfo, proposals::Proposed, token_profiles::RequestGrant},
};
use uuid::Uuid;

use super::{Asked, Listed, tokens};
use crate::{
    Caller, Error, Event, Grant, Result, Tokens,
    approval::{
        proposals::{About, NewProposal, StoreFirst},
        requirement,
    },
    base::text::check_name,
    tokenization::{
        Profile,
        rules::{MayAsk, grant_requirement},
    },
};

impl Tokens {
    /// Asks for approvals of detokenizing in full, as a Control Rule demands them.
    pub async fn request_grant(&self, caller: &Caller, id: TokenProfileId, request: RequestGrant) -> Result<Proposed> {
        let named = request.role_uuid;
        let profile = self.token_profiles.find(id)?;
        let (role, rules, grant) = match self.may_ask(caller, &profile, named) {
            Ok((role, rules, evidence)) => (role, rules.clone(), self.grant_to_ask(caller, &evidence)),
            Err(refusal) => return Err(self.not_asked(caller, id, refusal).await),
        };
        check_name("/reason", &request.reason, &self.context.limits)?;
        request.ticket.as_ref().map(|ticket| check_name("/ticket", ticket, &self.context.limits)).transpose()?;
        let note = self.approvals.note(request.note.clone())?;
        let now_ms = self.context.clock.now_ms();
        let max_values = self.check_values(request.max_values)?;
        let lifetime_s = self.check_lifetime(&request, now_ms)?;
        let (tags, listed) = self.listed(&profile, request.tokens).await?.unzip();
        let requirement = grant_requirement(&rules);
        let expires_at_ms = requirement.expiry(now_ms)?;
        let requested_by =
            caller.members().iter().map(|one| ObjInfo { name: one.name.clone(), uuid: one.id }).collect();
        let asked = Asked {
            token_profile: ObjInfo { name: profile.name.clone(), uuid: id },
            role_uuid: role,
            reason: request.reason.clone(),
            ticket: request.ticket,
            requested_by,
            tokens: listed,
            max_values,
            lifetime_s,
            tags,
        };
        let new = NewProposal {
            name: request.reason,
            note,
            effect: Arc::new(asked),
            about: About { token_profile: Some(id), ..About::default() },
            first: Some(room_for(caller, self.context.limits.grants.waiting_per_caller_max, now_ms)),
            required: requirement.count(),
            expires_at_ms,
        };
        self.approvals.propose(caller, &grant, new, now_ms).await
    }

    /// Refuses a large body of somebody who may not ask.
    pub(crate) async fn admit_grant_request(&self, caller: &Caller, id: TokenProfileId) -> Result<()> {
        let profile = self.token_profiles.find(id)?;
        let lacks_right = |refusal: &Error| refusal.meaning() == crate::Meaning::Forbidden;
        // Which role is meant stands in the body.
        match self.may_ask(caller, &profile, None).map(drop) {
            Err(refusal) if lacks_right(&refusal) => Err(self.not_asked(caller, id, refusal).await),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn may_ask<'p>(
        &self,
        caller: &Caller,
        profile: &'p Profile,
        named: Option<chancery_types::RoleId>,
    ) -> Result<(chancery_types::RoleId, &'p chancery_types::wire::token_profiles::GrantRules, MayAsk)> {
        if caller.restricted_by().is_some() {
            return Err(Error::forbidden("The API key is restricted, and not to this."));
        }
        profile.may_ask(caller.roles(), named)
    }

    fn grant_to_ask(&self, caller: &Caller, evidence: &MayAsk) -> Grant {
        self.context.grant_by_rule(caller, evidence, Action::ProposalSubmit)
    }

    async fn not_asked(&self, caller: &Caller, id: TokenProfileId, refusal: Error) -> Error {
        if refusal.meaning() != crate::Meaning::Forbidden {
            return refusal;
        }
        self.context.refused(caller, Event::new(Action::ProposalSubmit).on(Uuid::from(id)), refusal).await
    }

    fn check_values(&self, max_values: i64) -> Result<u32> {
        let max = self.context.limits.grants.values_max;
        let count = u32::try_from(max_values).ok().filter(|count| (1..=max).contains(count));
        count.ok_or_else(|| Error::value("/maxValues", format!("maxValues is 1 to {max}.")))
    }

    /// For how many seconds it serves.
    fn check_lifetime(&self, request: &RequestGrant, now_ms: i64) -> Result<u64> {
        let end_ms = requirement::end("/lifetime", &request.lifetime, now_ms)?;
        let seconds = u64::try_from(end_ms.saturating_sub(now_ms)).unwrap_or_default() / 1_000;
        let max = self.context.limits.grants.lifetime_max.as_secs();
        if seconds > max {
            let message = format!("The lifetime is at most {} hours.", max / 3_600);
            return Err(Error::value("/lifetime/amount", message));
        }
        Ok(seconds)
    }

    async fn listed(&self, profile: &Arc<Profile>, tokens: Option<Vec<String>>) -> Result<Option<(Vec<u8>, Listed)>> {
        let Some(tokens) = tokens else { return Ok(None) };
        let (custodian, limits, profile) =
            (Arc::clone(&self.context.custodian), self.context.limits.clone(), Arc::clone(profile));
        let list = move || tokens::list(&custodian, &profile, &tokens, &limits);
        self.context.pool.run(list).await?.map(Some)
    }
}

/// Refuses one more of a caller of whom too many wait: each of them is in front of every approver.
fn room_for(caller: &Caller, max: u32, now_ms: i64) -> StoreFirst {
    let members: Vec<_> = caller.members().iter().map(|one| (Uuid::from(one.id), one.name.clone())).collect();
    Box::new(move |tx, _| {
        Box::pin(async move {
            // So that two that ask for the last one at the same time do not both see room for it.
            tables::turns::take(tx, "grants").await?;
            for (id, name) in members {
                if tables::detokenize_grants::waiting_of(tx, id, now_ms).await? >= i64::from(max) {
                    return Err(Error::state(format!(
                        "{name} has asked for {max} grants that wait for approvals, the most there can be; take one back, \
                         or wait until one is decided on."
                    )));
                }
            }
            Ok(())
        })
    })
}
