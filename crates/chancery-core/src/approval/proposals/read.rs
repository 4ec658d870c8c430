//! Reading proposals. Approvers, and whoever may deploy, see all of them; others what they made or may use.

use std::sync::Arc;

use chancery_store::{Listed, tables};
use chancery_types::{
    Action, Perm, ProposalId, ProposalState,
    wire::{
        Items, ListQuery,
        proposals::{Proposal, ProposalQuery, ProposalStub},
    },
};
use uuid::Uuid;

use super::{Reading, StoredProposal, sees_others};
use crate::{
    Approvals, Caller, Error, Event, Grant, Result,
    base::list::{Page, items},
};

/// What lets somebody read proposals.
const READERS: [Perm; 5] =
    [Perm::SigningApprove, Perm::ServicesDeploy, Perm::SigningSubmit, Perm::CertManageGenerate, Perm::CertManageManage];

impl Approvals {
    /// One proposal in full.
    pub async fn proposal(&self, caller: &Caller, id: ProposalId) -> Result<Proposal> {
        let grant = self.context.grant_any(caller, &READERS, Action::ProposalRead, Some(id.into())).await?;
        let effects = self.effects;
        let read = self.context.storage.read(&grant, move |tx| {
            Box::pin(async move {
                let stored = StoredProposal::load(tx, effects, id).await?;
                Ok::<_, Error>((stored, tables::pre_approvals::used(tx, id.into()).await?))
            })
        });
        let (stored, used) = read.await?;
        if !sees_all(&grant) && !stored.concerns(caller.members().iter().map(|member| member.id)) {
            let event = Event::new(Action::ProposalRead).on(Uuid::from(id));
            let refusal = Error::forbidden("Only approvers and those whom this proposal is of or for may read it.");
            return Err(self.context.refused(caller, event, refusal).await);
        }
        let effect = Arc::clone(&stored.effect);
        let (now_ms, hardened, looks) = (self.context.clock.now_ms(), self.context.hardened, Arc::clone(&effect));
        let sees_others = sees_others(caller);
        let proposal = stored.detail(caller, used, hardened, now_ms);
        let read = self.context.storage.read(&grant, move |tx| {
            let reading = Reading { effects, hardened, now_ms, sees_others };
            Box::pin(async move { looks.looked_up(tx, reading, proposal).await })
        });
        let mut proposal = read.await?;
        if proposal.state == ProposalState::Approval {
            proposal.effect = effect.access(&self.identities.state.directory.load(), &proposal.obj_info.name);
        }
        Ok(proposal)
    }

    /// The proposals that the caller may see.
    pub async fn proposals(&self, caller: &Caller, query: ProposalQuery) -> Result<Items<ProposalStub>> {
        let grant = self.context.grant_any(caller, &READERS, Action::ProposalRead, None).await?;
        let ProposalQuery { kind, policy_uuid, cert_profile_uuid, issuer_uuid, token_profile_uuid, waiting, .. } =
            query;
        let ProposalQuery { page, page_size, after, search, .. } = query;
        let page = Page::of(&ListQuery { page, page_size, after, search }, &self.context.limits)?;
        let own = || caller.members().iter().map(|member| member.id.into()).collect();
        let filter = tables::proposals::Filter {
            kind: kind.map(|kind| kind.as_str().to_owned()),
            policy_id: policy_uuid.map(Uuid::from),
            profile_id: cert_profile_uuid.map(Uuid::from),
            issuer_id: issuer_uuid.map(Uuid::from),
            token_profile_id: token_profile_uuid.map(Uuid::from),
            waiting_at_ms: (waiting == Some(true)).then(|| self.context.clock.now_ms()),
            search: page.term(),
            own: (!sees_all(&grant)).then(own),
        };
        let (rows, effects) = (page.rows(), self.effects);
        let read = self.context.read_list(caller, &grant, move |tx| {
            Box::pin(async move {
                let Listed { rows, total, total_is_at_least, next } =
                    tables::proposals::list(tx, filter, &rows).await?;
                let rows = StoredProposal::of_rows(tx, effects, rows).await?;
                Ok(Listed { rows, total, total_is_at_least, next })
            })
        });
        let (hardened, now_ms) = (self.context.hardened, self.context.clock.now_ms());
        items(read.await?, |one| Ok(one.stub(hardened, now_ms)))
    }
}

fn sees_all(grant: &Grant) -> bool {
    matches!(grant.perm(), Some(Perm::SigningApprove | Perm::ServicesDeploy))
}
