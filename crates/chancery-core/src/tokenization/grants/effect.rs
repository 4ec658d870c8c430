//! What a request for a grant does once it is approved: it serves, for its time and its count.

use chancery_store::{Tx, tables};
use chancery_types::{
    IdentityId, ProposalId, RoleId, TokenProfileId,
    wire::{
        ObjInfo,
        proposals::Proposal,
        token_profiles::{ControlRule, ProposedGrant},
    },
};
use futures::future::BoxFuture;
use serde_json::json;
use uuid::Uuid;

use super::{Asked, grant_of};
use crate::{
    Approvals, Error, Event, Grant, Limits, Result,
    approval::{
        PreApprovalLife, Requirement,
        proposals::{ApplyProposal, ApprovedProposal, Effect, Reading, Ready, StoredProposal, prepared},
    },
    budgets::month_start,
    context::record::Actor,
    identity::Directory,
    tokenization::{rules::grant_requirement, spec::ProfileSpec},
};

/// Grants of this month that an approver sees at most.
const SHOWN_MAX: u32 = 100;

impl Asked {
    fn detail(&self) -> serde_json::Value {
        let Self { token_profile, role_uuid, reason, ticket, requested_by, tokens, max_values, lifetime_s, tags: _ } =
            self;
        json!({
            "tokenProfileUuid": token_profile.uuid, "tokenProfile": token_profile.name, "roleUuid": role_uuid,
            "reason": reason, "ticket": ticket, "requestedBy": requested_by,
            "tokens": tokens.as_ref().map(|listed| listed.count), "maxValues": max_values, "lifetimeS": lifetime_s,
        })
    }
}

impl Effect for Asked {
    /// What the Control Rule demands now. Where it is gone the grant is of no use, whatever approvals it gets.
    fn requirement<'t>(
        &'t self,
        tx: &'t mut Tx,
        _: &'t tables::proposals::Row,
    ) -> BoxFuture<'t, Result<Option<Requirement>>> {
        Box::pin(async move {
            let rules = rules_of(tx, self.token_profile.uuid).await?;
            let mut own = rules.iter().filter(|rule| rule.role_uuid == self.role_uuid);
            Ok(own.find_map(|rule| rule.approval.as_ref()).map(grant_requirement))
        })
    }

    fn submit<'t>(&'t self, tx: &'t mut Tx, id: ProposalId) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            let row = tables::detokenize_grants::Row {
                id: id.into(),
                profile_id: self.token_profile.uuid.into(),
                role_id: self.role_uuid.into(),
                state: PreApprovalLife::Waiting.word().to_owned(),
                uses: 0,
                uses_max: self.max_values,
                granted_at_ms: None,
                ends_at_ms: None,
            };
            tables::detokenize_grants::insert(tx, &row).await?;
            if let Some(tags) = self.tags.clone() {
                let tokens = tables::detokenize_grants::Tokens { grant_id: row.id, tags };
                tables::detokenize_grants::insert_tokens(tx, &tokens).await?;
            }
            Ok(())
        })
    }

    /// Where all of them lost the role, or got it again since, none may use it. Of who is gone `prepare` tells.
    fn check_useful(&self, directory: &Directory, submitted_at_ms: i64) -> Result<()> {
        let holds = |(role, since_ms): &(RoleId, i64)| *role == self.role_uuid && *since_ms <= submitted_at_ms;
        let lost = |requester: &ObjInfo<IdentityId>| {
            let found = directory.identities().find(|(id, _)| *id == requester.uuid);
            found.is_some_and(|(_, identity)| !identity.roles.iter().any(holds))
        };
        if self.requested_by.iter().all(lost) {
            let message = "Who asked for this grant has lost the role by which it was asked for, so nobody could use it: deny \
                           it; whoever holds the role again asks again.";
            return Err(Error::state(message));
        }
        Ok(())
    }

    /// Those who asked may use it only while they hold the role; approvers are not asked for what cannot be used.
    fn prepare<'t>(&'t self, approvals: &'t Approvals, grant: &'t Grant, _: ApprovedProposal) -> BoxFuture<'t, Ready> {
        Box::pin(async move {
            let (profile, role) = (self.token_profile.uuid, self.role_uuid);
            let rules = approvals.context.storage.read(grant, move |tx| Box::pin(rules_of(tx, profile)));
            let is_own =
                |rule: &ControlRule| rule.role_uuid == role && rule.operation == chancery_types::Operation::Detokenize;
            if !rules.await?.iter().any(is_own) {
                return prepared::<Serves>(Err(Error::state("The Control Rule that demanded the approvals is gone.")));
            }
            let directory = approvals.identities.state.directory.load();
            for requester in &self.requested_by {
                let found = directory.identities().find(|(id, _)| *id == requester.uuid);
                if found.is_none_or(|(_, identity)| identity.locked) {
                    let message = format!("{} is locked or removed.", requester.name);
                    return prepared::<Serves>(Err(Error::state(message)));
                }
            }
            prepared(Ok(Serves))
        })
    }

    fn submitted(&self, record: Event, _: &Limits) -> Result<Event> {
        record.also("grant", self.detail())
    }

    fn recorded(&self, record: Event, _: &Limits) -> Result<Event> {
        record.also("grant", self.detail())
    }

    fn shown(&self, proposal: Proposal) -> Proposal {
        proposal
    }

    fn looked_up<'t>(
        &'t self,
        tx: &'t mut Tx,
        reading: Reading,
        proposal: Proposal,
    ) -> BoxFuture<'t, Result<Proposal>> {
        Box::pin(async move {
            let id = proposal.obj_info.uuid;
            let grant = grant_of(&StoredProposal::load(tx, reading.effects, id).await?, reading)?;
            let profile = self.token_profile.uuid.into();
            let since_ms = month_start(reading.now_ms);
            let mut this_month = Vec::new();
            let others = if reading.sees_others {
                tables::detokenize_grants::since(tx, profile, since_ms, SHOWN_MAX).await?
            } else {
                Vec::new()
            };
            for other in others {
                if other != Uuid::from(id) {
                    this_month
                        .push(grant_of(&StoredProposal::load(tx, reading.effects, other.into()).await?, reading)?);
                }
            }
            let tokens_digest = self.tokens.as_ref().map(|listed| listed.digest.clone());
            Ok(Proposal { detokenize_grant: Some(ProposedGrant { grant, tokens_digest, this_month }), ..proposal })
        })
    }

    fn lifetime_ms(&self) -> Option<i64> {
        Some(i64::try_from(self.lifetime_s).unwrap_or(i64::MAX).saturating_mul(1_000))
    }
}

/// The Control Rules of a profile; none where it is gone.
async fn rules_of(tx: &mut Tx, id: TokenProfileId) -> Result<Vec<ControlRule>> {
    let row = tables::token_profiles::by_id(tx, id.into()).await?;
    let spec = row.as_ref().map(ProfileSpec::from_row).transpose()?;
    Ok(spec.map(|spec| spec.control_rules).unwrap_or_default())
}

/// It takes effect by itself: calls name it.
struct Serves;

impl ApplyProposal for Serves {
    fn apply<'t>(self: Box<Self>, _: &'t mut Tx, _: ProposalId, _: &'t Actor, _: i64) -> BoxFuture<'t, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}
