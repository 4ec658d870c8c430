//! Changes of certificate profiles whose certificates take approvals.

use std::sync::Arc;

use chancery_store::{Tx, tables};
use chancery_types::{
    ProposalId, ProposalKind,
    wire::{
        ObjInfo, approval::ProposedCertProfile, cert_profiles::CertProfile, proposals::Proposal, reports::AccessEffect,
    },
};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    Approvals, Caller, Event, Grant, Limits, Pki, Result,
    approval::{
        Requirement,
        proposals::{
            self, About, ApplyProposal, ApprovedProposal, Content, Effect, NewProposal, Read, Ready, prepared, retried,
        },
    },
    context::{
        changes::{Change, ChangeKind},
        record::Actor,
    },
    identity::{Directory, effect},
    pki::cert_profile::{approval_of, change, check_change},
};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
struct ProfileChange(ProposedCertProfile);

impl Content for ProfileChange {
    const KIND: ProposalKind = ProposalKind::CertProfile;
}

/// Reads one that is stored.
pub(crate) const READ: Read = proposals::read::<ProfileChange>;

impl Effect for ProfileChange {
    /// What the profile demands still.
    fn requirement<'t>(
        &'t self,
        tx: &'t mut Tx,
        _: &'t tables::proposals::Row,
    ) -> BoxFuture<'t, Result<Option<Requirement>>> {
        Box::pin(async move {
            let approval = approval_of(tx, self.0.after.obj_info.uuid).await?;
            Ok(approval.map(|rules| Requirement::all([&rules])))
        })
    }

    fn prepare<'t>(&'t self, approvals: &'t Approvals, grant: &'t Grant, _: ApprovedProposal) -> BoxFuture<'t, Ready> {
        let (new, limits) = (self.0.clone(), approvals.context.limits.clone());
        Box::pin(async move {
            let checked = approvals.context.storage.read(grant, move |tx| {
                Box::pin(async move { check_change(tx, &new, &limits).await.map(|_| Apply { new, limits }) })
            });
            prepared(checked.await)
        })
    }

    fn recorded(&self, record: Event, limits: &Limits) -> Result<Event> {
        let ProposedCertProfile { before, after } = &self.0;
        let change = Change::of(ChangeKind::CertProfile, after.obj_info.uuid);
        Ok(record.changed(before, after, limits)?.changes(change))
    }

    fn access(&self, directory: &Directory, name: &str) -> Option<AccessEffect> {
        Some(effect_of(directory, name, &self.0))
    }

    fn shown(&self, proposal: Proposal) -> Proposal {
        Proposal { cert_profile: Some(self.0.clone()), ..proposal }
    }
}

/// Who may approve certificates of a profile that may not as it was, and who may not any more.
pub(in crate::pki) fn effect_of(directory: &Directory, name: &str, new: &ProposedCertProfile) -> AccessEffect {
    let ProposedCertProfile { before, after } = new;
    let object = ObjInfo { name: name.to_owned(), uuid: Uuid::from(after.obj_info.uuid).into() };
    effect::of_approval(directory, &object, &before.approval, &after.approval)
}

/// A profile that can change as proposed.
struct Apply {
    new: ProposedCertProfile,
    limits: Limits,
}

impl ApplyProposal for Apply {
    fn apply<'t>(self: Box<Self>, tx: &'t mut Tx, _: ProposalId, _: &'t Actor, _: i64) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { retried(change(tx, self.new, self.limits).await) })
    }
}

impl Pki {
    /// Proposes the change of a certificate profile. The answer is the profile as it is, and what waits.
    pub(in crate::pki) async fn propose_cert_profile(
        &self,
        caller: &Caller,
        grant: &Grant,
        requirement: &Requirement,
        new: ProposedCertProfile,
    ) -> Result<CertProfile> {
        let (checked, limits) = (new.clone(), self.context.limits.clone());
        let check = self
            .context
            .storage
            .read(grant, move |tx| Box::pin(async move { check_change(tx, &checked, &limits).await.map(drop) }));
        check.await?;
        let (shown, name) = (new.before.clone(), new.after.obj_info.name.clone());
        let about = About { profile: Some(shown.obj_info.uuid), ..About::default() };
        let now_ms = self.context.clock.now_ms();
        let new = NewProposal::demanded(requirement, name, about, Arc::new(ProfileChange(new)), now_ms)?;
        let proposed = self.approvals.propose(caller, grant, new, now_ms).await?;
        Ok(CertProfile { pending_change: Some(proposed), ..shown })
    }
}
