//! Reading and ending grants: for those who asked for them, and for who approves, manages token profiles or audits.

use chancery_store::{Listed, tables};
use chancery_types::{
    Action, Perm, ProposalDecision, ProposalId, ProposalKind, ProposalState, TokenProfileId,
    wire::{
        Items, ListQuery,
        proposals::Proposed,
        signing_requests::DecideRequest,
        token_profiles::{DetokenizeGrant, GrantQuery},
    },
};
use uuid::Uuid;

use super::grant_of;
use crate::{
    Caller, Error, Event, Result, Tokens,
    approval::proposals::{StoredProposal, sees_others},
    base::list::{Page, items},
};

impl Tokens {
    /// The grants of a token profile that the caller may see, by their reasons.
    pub async fn grants(
        &self,
        caller: &Caller,
        profile: TokenProfileId,
        query: GrantQuery,
    ) -> Result<Items<DetokenizeGrant>> {
        let GrantQuery { waiting, page, page_size, after, search } = query;
        caller.check_profile(profile)?;
        let _there = self.token_profiles.find(profile)?;
        let evidence = self.context.grant_to_all(caller);
        let page = Page::of(&ListQuery { page, page_size, after, search }, &self.context.limits)?;
        let own = || caller.members().iter().map(|member| member.id.into()).collect();
        let reading = self.reading_now();
        let filter = tables::proposals::Filter {
            kind: Some(ProposalKind::DetokenizeGrant.as_str().to_owned()),
            token_profile_id: Some(profile.into()),
            waiting_at_ms: (waiting == Some(true)).then_some(reading.now_ms),
            search: page.term(),
            own: (!sees_others(caller)).then(own),
            ..tables::proposals::Filter::default()
        };
        let rows = page.rows();
        let read = self.context.read_list(caller, &evidence, move |tx| {
            Box::pin(async move {
                let Listed { rows, total, total_is_at_least, next } =
                    tables::proposals::list(tx, filter, &rows).await?;
                let rows = StoredProposal::of_rows(tx, reading.effects, rows).await?;
                Ok(Listed { rows, total, total_is_at_least, next })
            })
        });
        items(read.await?, |one| grant_of(&one, reading))
    }

    /// One grant.
    pub async fn detokenize_grant(
        &self,
        caller: &Caller,
        profile: TokenProfileId,
        id: ProposalId,
    ) -> Result<DetokenizeGrant> {
        let stored = self.readable_grant(caller, profile, id, Action::DetokenizeGrantRead).await?;
        grant_of(&stored, self.reading_now())
    }

    /// Ends a grant at once, or the request for one. Who asked for it takes it back; approvers, and who manages token
    /// profiles, deny or revoke it.
    pub async fn revoke_grant(
        &self,
        caller: &Caller,
        profile: TokenProfileId,
        id: ProposalId,
        request: DecideRequest,
    ) -> Result<Proposed> {
        let stored = self.readable_grant(caller, profile, id, Action::ProposalRevoke).await?;
        let (state, _) = stored.state_at(self.context.hardened, self.context.clock.now_ms());
        let asked_by_caller = stored.is_proposer(caller);
        let waits = state == ProposalState::Approval && !stored.took_effect();
        let (decision, action) = match (waits, &asked_by_caller) {
            (false, _) => (ProposalDecision::Revoke, Action::ProposalRevoke),
            (true, Some(_)) => (ProposalDecision::Withdraw, Action::ProposalWithdraw),
            (true, None) => (ProposalDecision::Deny, Action::ProposalDeny),
        };
        let (grant, by) = match asked_by_caller {
            Some(evidence) => (self.context.grant_proposer(caller, &evidence, action), Perm::SigningApprove),
            None => {
                let perms = [Perm::SigningApprove, Perm::TokenizationManage];
                let grant = self.context.grant_any(caller, &perms, action, Some(id.into())).await?;
                let by = grant.perm().unwrap_or(Perm::SigningApprove);
                (grant, by)
            }
        };
        let note = self.approvals.note(request.note)?;
        Box::pin(self.approvals.end_one((caller, by), &grant, id, decision, &note)).await
    }

    async fn readable_grant(
        &self,
        caller: &Caller,
        profile: TokenProfileId,
        id: ProposalId,
        action: Action,
    ) -> Result<StoredProposal> {
        caller.check_profile(profile)?;
        let effects = self.approvals.effects;
        let read = self.context.storage.read(&self.context.grant_to_all(caller), move |tx| {
            Box::pin(async move { StoredProposal::load(tx, effects, id).await })
        });
        let none = || Error::not_found("grant");
        let stored = match read.await {
            Err(failure) if failure.meaning() == crate::Meaning::NotFound => return Err(none()),
            stored => stored?,
        };
        if stored.grant().is_none_or(|row| row.profile_id != Uuid::from(profile)) {
            return Err(none());
        }
        if !sees_others(caller) && !stored.submitted_by().iter().any(|one| is_member(caller, one.uuid)) {
            let refusal = Error::forbidden("Only those who asked for a grant, and approvers, see it.");
            return Err(self.context.refused(caller, Event::new(action).on(Uuid::from(id)), refusal).await);
        }
        Ok(stored)
    }
}

fn is_member(caller: &Caller, id: chancery_types::IdentityId) -> bool {
    caller.members().iter().any(|member| member.id == id)
}
