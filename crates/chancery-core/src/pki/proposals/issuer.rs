//! What an authority demands of everything that it issues, and its change: where it demands approvals, so does the change.

use std::sync::Arc;

use chancery_store::{Tx, tables};
use chancery_types::{
    Action, CertificateId, Perm, ProposalId, ProposalKind,
    wire::{
        ObjInfo,
        approval::{ApprovalRules, IssuerApproval, ProposedIssuerApproval},
        proposals::Proposal,
        reports::AccessEffect,
    },
};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::{
    Approvals, Caller, Error, Event, Grant, Limits, Pki, Result,
    approval::{
        Requirement,
        proposals::{
            self, About, ApplyProposal, ApprovedProposal, Content, Effect, NewProposal, Read, Ready, prepared, retried,
        },
        requirement,
    },
    context::{
        changes::{Change, ChangeKind},
        record::Actor,
    },
    identity::{Directory, effect},
    pki::stored_certificate::StoredCertificate,
};

/// Who changes what an authority demands does so one after the other.
const TOPIC: &str = "issuer approvals";

/// What an authority shall demand.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct IssuerChange(CertificateId, ProposedIssuerApproval);

impl Content for IssuerChange {
    const KIND: ProposalKind = ProposalKind::Issuer;
}

/// Reads one that is stored.
pub(crate) const READ: Read = proposals::read::<IssuerChange>;

/// What is stored of an authority's demands.
pub(in crate::pki) fn parse(text: Option<&str>) -> Result<Option<ApprovalRules>> {
    text.map(serde_json::from_str).transpose().map_err(Error::internal)
}

/// As it is stored.
pub(in crate::pki) fn text(rules: &ApprovalRules) -> Result<String> {
    serde_json::to_string(rules).map_err(Error::internal)
}

/// What an authority demands; none where it demands nothing, or where there is none.
pub(super) async fn demands_of(tx: &mut Tx, id: Option<CertificateId>) -> Result<Option<ApprovalRules>> {
    match id {
        Some(id) => Ok(StoredCertificate::load(tx, id).await?.approval),
        None => Ok(None),
    }
}

impl Effect for IssuerChange {
    /// What it demands still.
    fn requirement<'t>(
        &'t self,
        tx: &'t mut Tx,
        _: &'t tables::proposals::Row,
    ) -> BoxFuture<'t, Result<Option<Requirement>>> {
        Box::pin(async move { Ok(Some(Requirement::all(demands_of(tx, Some(self.0)).await?.iter()))) })
    }

    fn prepare<'t>(&'t self, approvals: &'t Approvals, grant: &'t Grant, _: ApprovedProposal) -> BoxFuture<'t, Ready> {
        let change = self.clone();
        Box::pin(async move {
            let checked = approvals
                .context
                .storage
                .read(grant, move |tx| Box::pin(async move { change.check(tx).await.map(|()| change) }));
            prepared(checked.await)
        })
    }

    /// What is compiled of the authority is stale after it.
    fn recorded(&self, record: Event, limits: &Limits) -> Result<Event> {
        let Self(id, ProposedIssuerApproval { before, after }) = self;
        Ok(record.changed(before, after, limits)?.changes(Change::of(ChangeKind::Revocation, *id)))
    }

    fn access(&self, directory: &Directory, name: &str) -> Option<AccessEffect> {
        let Self(id, ProposedIssuerApproval { before, after }) = self;
        let object = ObjInfo { name: name.to_owned(), uuid: Uuid::from(*id).into() };
        Some(effect::of_approval(directory, &object, before, after))
    }

    fn shown(&self, proposal: Proposal) -> Proposal {
        Proposal { issuer_approval: Some(self.1.clone()), ..proposal }
    }
}

impl ApplyProposal for IssuerChange {
    fn apply<'t>(self: Box<Self>, tx: &'t mut Tx, _: ProposalId, _: &'t Actor, _: i64) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { retried(self.store(tx).await) })
    }
}

impl IssuerChange {
    /// Whether an authority's demands can change so.
    async fn check(&self, tx: &mut Tx) -> Result<()> {
        let Self(id, ProposedIssuerApproval { before, after }) = self;
        let issuer = StoredCertificate::load(tx, *id).await?;
        if issuer.approval.unwrap_or_default() != *before {
            return Err(Error::state("What the authority demands was changed by somebody else at the same time."));
        }
        requirement::check_roles(tx, "", &after.approval_steps).await
    }

    async fn store(&self, tx: &mut Tx) -> Result<()> {
        tables::turns::take(tx, TOPIC).await?;
        self.check(tx).await?;
        let Self(id, ProposedIssuerApproval { after, .. }) = self;
        let approval = (after.num_approvals > 0).then(|| text(after)).transpose()?;
        Ok(tables::certificates::demand(tx, (*id).into(), approval.as_deref()).await?)
    }
}

impl Pki {
    /// Says what an authority demands of everything that it issues. Where it demands approvals now, so does the change.
    pub async fn demand_approval(
        &self,
        caller: &Caller,
        id: CertificateId,
        after: ApprovalRules,
    ) -> Result<IssuerApproval> {
        let action = Action::IssuerApprovalChange;
        let grant = self.context.grant(caller, Perm::CertManageManage, action, Some(id.into())).await?;
        let issuer = self.context.storage.read(&grant, move |tx| Box::pin(StoredCertificate::load(tx, id))).await?;
        if !issuer.trusted {
            return Err(Error::state(
                "The certificate was not trusted as an issuer (trustCert), so it issues nothing.",
            ));
        }
        requirement::check(&after, &self.context.limits)?;
        let before = issuer.approval.unwrap_or_default();
        if before == after {
            return Ok(IssuerApproval { approval: after, pending_change: None });
        }
        let requirement = Requirement::all([&before]);
        let change = IssuerChange(id, ProposedIssuerApproval { before, after });
        if !requirement.is_none() {
            return Box::pin(self.propose_issuer_change(caller, &grant, &requirement, issuer.name, change)).await;
        }
        let event = Event::new(action).on(Uuid::from(id)).detail(json!({"name": &issuer.name}));
        let mut event = change.recorded(event, &self.context.limits)?;
        if let Some(effect) = change.access(&self.identities.state.directory.load(), &issuer.name) {
            event = event.effect(&effect)?;
        }
        let approval = change.1.after.clone();
        self.context.commit(&grant, event, move |tx| Box::pin(async move { change.store(tx).await })).await?;
        Ok(IssuerApproval { approval, pending_change: None })
    }

    /// The answer is what the authority demands now, and what waits.
    async fn propose_issuer_change(
        &self,
        caller: &Caller,
        grant: &Grant,
        requirement: &Requirement,
        name: String,
        change: IssuerChange,
    ) -> Result<IssuerApproval> {
        let checked = change.clone();
        self.context.storage.read(grant, move |tx| Box::pin(async move { checked.check(tx).await })).await?;
        let approval = change.1.before.clone();
        let about = About { issuer: Some(change.0), ..About::default() };
        let now_ms = self.context.clock.now_ms();
        let new = NewProposal::demanded(requirement, name, about, Arc::new(change), now_ms)?;
        let proposed = self.approvals.propose(caller, grant, new, now_ms).await?;
        Ok(IssuerApproval { approval, pending_change: Some(proposed) })
    }
}
