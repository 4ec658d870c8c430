//! Policies that are proposed: what a service signs, and after how many approvals, is decided by as many people as any
//! of its signatures takes.

use std::sync::Arc;

use chancery_store::{Tx, tables};
use chancery_types::{
    ProposalId, ProposalKind, SelfApproval,
    wire::{
        ObjInfo,
        proposals::{Proposal, ProposedPolicy},
        reports::AccessEffect,
        signing_policies::{PolicyRules, SigningPolicy},
    },
};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    Approvals, Caller, Error, Event, Grant, Limits, Result, Signing,
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
    identity::{
        Directory,
        effect::{self, Demands},
    },
    signing::{
        algorithms::Choice,
        policy::{NAME_TAKEN, Present, TOPIC},
        policy_rules,
        policy_terms::Terms,
        service::{Policy, Service},
    },
};

/// A policy before and after.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::signing) struct NewPolicy {
    pub(in crate::signing) before: Option<SigningPolicy>,
    pub(in crate::signing) after: SigningPolicy,
}

impl Content for NewPolicy {
    const KIND: ProposalKind = ProposalKind::Policy;
}

/// Reads one that is stored.
pub(crate) const READ: Read = proposals::read::<NewPolicy>;

impl Effect for NewPolicy {
    /// The highest count of the service, and the policy's own steps.
    fn requirement<'t>(
        &'t self,
        tx: &'t mut Tx,
        _: &'t tables::proposals::Row,
    ) -> BoxFuture<'t, Result<Option<Requirement>>> {
        Box::pin(async move {
            let service = Service::load(tx, self.after.service_uuid).await?;
            let service = service.ok_or_else(|| Error::internal("a proposal's service is not there"))?;
            let rows = tables::signing_policies::of_service(tx, service.id.into()).await?;
            let policies = rows.into_iter().map(|row| Policy::from_row(row, &service)).collect::<Result<Vec<_>>>()?;
            let own = policies.iter().find(|policy| policy.id == self.after.obj_info.uuid);
            let never = policies.iter().any(|policy| policy.self_approval == SelfApproval::Never);
            let demanded = Requirement::new(
                policies.iter().map(|policy| policy.num_approvals).max().unwrap_or(0),
                own.map(|policy| requirement::steps(&policy.rules.approval_steps)).unwrap_or_default(),
                if never { SelfApproval::Never } else { SelfApproval::DualControl },
            );
            Ok(Some(demanded.with_passkeys(policies.iter().any(|policy| policy.rules.signed_approvals))))
        })
    }

    fn prepare<'t>(&'t self, approvals: &'t Approvals, grant: &'t Grant, _: ApprovedProposal) -> BoxFuture<'t, Ready> {
        let (new, limits, hardened) = (self.clone(), approvals.context.limits.clone(), approvals.context.hardened);
        let ready = Apply { new, limits, hardened };
        Box::pin(async move {
            let checked = approvals.context.storage.read(grant, move |tx| {
                Box::pin(async move { check(tx, &ready.new, &ready.limits, ready.hardened).await.map(|_| ready) })
            });
            prepared(checked.await)
        })
    }

    fn recorded(&self, record: Event, limits: &Limits) -> Result<Event> {
        let change = Change::of(ChangeKind::SigningService, self.after.service_uuid);
        Ok(record.changed(&self.before, &self.after, limits)?.changes(change))
    }

    fn access(&self, directory: &Directory, _: &str) -> Option<AccessEffect> {
        Some(effect_of(directory, self.before.as_ref(), &self.after))
    }

    fn shown(&self, proposal: Proposal) -> Proposal {
        let Self { before, after } = self.clone();
        Proposal { policy: Some(ProposedPolicy { before, after }), ..proposal }
    }
}

/// What the rules of a policy demand of those who submit and approve.
pub(in crate::signing) fn demands_of(rules: &PolicyRules, num_approvals: u32) -> Demands<'_> {
    Demands {
        submitters: Some(&rules.submitter_role_uuids),
        approvals: num_approvals.into(),
        steps: &rules.approval_steps,
    }
}

/// Who may submit and approve under a policy that they may not under it as it was, and who may not any more.
pub(in crate::signing) fn effect_of(
    directory: &Directory,
    before: Option<&SigningPolicy>,
    after: &SigningPolicy,
) -> AccessEffect {
    fn demands(policy: &SigningPolicy) -> Demands<'_> {
        demands_of(&policy.rules, policy.num_approvals)
    }
    let object = ObjInfo { name: after.obj_info.name.clone(), uuid: Uuid::from(after.obj_info.uuid).into() };
    effect::of_demands(directory, &object, before.map(demands), demands(after))
}

/// A policy that can be made or changed as proposed.
struct Apply {
    new: NewPolicy,
    limits: Limits,
    hardened: bool,
}

impl ApplyProposal for Apply {
    fn apply<'t>(self: Box<Self>, tx: &'t mut Tx, _: ProposalId, _: &'t Actor, _: i64) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { retried(self.store(tx).await) })
    }
}

impl Apply {
    async fn store(&self, tx: &mut Tx) -> Result<()> {
        tables::turns::take(tx, TOPIC).await?;
        let row = check(tx, &self.new, &self.limits, self.hardened).await?;
        if self.new.before.is_some() {
            return Ok(tables::signing_policies::change(tx, &row).await?);
        }
        let is_stored = tables::signing_policies::insert(tx, &row).await?;
        if is_stored { Ok(()) } else { Err(Error::state(NAME_TAKEN)) }
    }
}

impl Signing {
    /// Proposes a policy. The answer is the policy as it is, or as it will be where it is new, and what waits.
    pub(in crate::signing) async fn propose_policy(
        &self,
        caller: &Caller,
        grant: &Grant,
        required: u32,
        new: NewPolicy,
    ) -> Result<SigningPolicy> {
        let (limits, hardened) = (self.context.limits.clone(), self.context.hardened);
        let (service, checked) = (new.after.service_uuid, new.clone());
        let check = self
            .context
            .storage
            .read(grant, move |tx| Box::pin(async move { check(tx, &checked, &limits, hardened).await.map(drop) }));
        check.await?;
        let shown = new.before.clone().unwrap_or_else(|| new.after.clone());
        let about = About { service: Some(service), policy: Some(new.after.obj_info.uuid), ..About::default() };
        let proposal = NewProposal {
            name: new.after.obj_info.name.clone(),
            note: String::new(),
            effect: Arc::new(new),
            about,
            first: None,
            required,
            expires_at_ms: None,
        };
        let proposed = self.approvals.propose(caller, grant, proposal, self.context.clock.now_ms()).await?;
        Ok(SigningPolicy { pending_change: Some(proposed), ..shown })
    }
}

/// What would be stored.
pub(in crate::signing) async fn check(
    tx: &mut Tx,
    NewPolicy { before, after }: &NewPolicy,
    limits: &Limits,
    hardened: bool,
) -> Result<tables::signing_policies::Row> {
    let service = after.service_uuid;
    let present = Present::load(tx, service).await?;
    let SigningPolicy { obj_info, num_approvals, hash_algorithm, rsa_pss, time_stamp, self_approval, rules, .. } =
        after;
    let (rsa_pss, time_stamp) = (*rsa_pss, *time_stamp);
    let choice = Choice { format: present.service.format, hash: *hash_algorithm, rsa_pss, time_stamp };
    let rules: PolicyRules = rules.clone();
    let terms = Terms::read(choice, i64::from(*num_approvals), Some(*self_approval), rules, limits, hardened)?;
    let stricter = match before {
        None => true,
        Some(before) => {
            let old = present.policy(obj_info.uuid)?;
            if old.clone().body(hardened) != *before {
                return Err(Error::state("The policy is no longer what it was when this change was proposed."));
            }
            terms.differ_in_strictness(old, hardened)
        }
    };
    // What stays as it is goes round nothing that it did not go round before.
    if stricter {
        terms.check_beside(&present.policies)?;
    }
    policy_rules::check_roles(tx, &terms.rules).await?;
    let row = terms.row(obj_info.uuid, service, obj_info.name.clone())?;
    if tables::signing_policies::name_taken(tx, &row).await? {
        return Err(Error::exists(if before.is_some() { "/objInfo/name" } else { "/name" }, NAME_TAKEN));
    }
    Ok(row)
}
