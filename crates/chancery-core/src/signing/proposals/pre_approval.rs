//! Pre-approvals: approvals that are given before there is a request, for digests or for a submitter.

use std::{collections::HashSet, sync::Arc};

use chancery_store::{Tx, tables};
use chancery_types::{
    Action, Base64, IdentityId, Perm, PolicyId, ProposalId, ProposalKind, SelfApproval,
    wire::proposals::{CreatePreApproval, Proposal, Proposed},
};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    Approvals, Caller, Error, Event, Grant, Limits, Result, Signing,
    approval::{
        PreApprovalLife, Requirement,
        proposals::{self, About, ApplyProposal, ApprovedProposal, Content, Effect, NewProposal, Read, Ready},
        requirement,
    },
    base::text::check_name,
    context::record::Actor,
    signing::{
        policy_rules,
        service::{Policy, Service},
        submission::check_length,
    },
};

/// Approvals of requests to come: of these digests, or of so many requests of one submitter.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Beforehand {
    policy_uuid: PolicyId,
    digests: Option<Vec<Base64>>,
    submitter_uuid: Option<IdentityId>,
    max_requests: u32,
    lifetime_ms: Option<i64>,
}

impl Content for Beforehand {
    const KIND: ProposalKind = ProposalKind::PreApproval;
}

/// Reads one that is stored.
pub(crate) const READ: Read = proposals::read::<Beforehand>;

impl Effect for Beforehand {
    /// What the policy takes, of people who did not ask for it.
    fn requirement<'t>(
        &'t self,
        tx: &'t mut Tx,
        _: &'t tables::proposals::Row,
    ) -> BoxFuture<'t, Result<Option<Requirement>>> {
        Box::pin(async move {
            let found = policy(tx, self.policy_uuid).await?;
            let (policy, _) = found.ok_or_else(|| Error::internal("a pre-approval's policy is not there"))?;
            let steps = requirement::steps(&policy.rules.approval_steps);
            let demanded = Requirement::new(policy.num_approvals, steps, SelfApproval::Never);
            Ok(Some(demanded.with_passkeys(policy.rules.signed_approvals)))
        })
    }

    fn submit<'t>(&'t self, tx: &'t mut Tx, id: ProposalId) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            let row = tables::pre_approvals::Row {
                id: id.into(),
                policy_id: self.policy_uuid.into(),
                submitter_id: self.submitter_uuid.map(Uuid::from),
                state: PreApprovalLife::Waiting.word().to_owned(),
                uses: 0,
                uses_max: self.max_requests,
                ends_at_ms: None,
            };
            tables::pre_approvals::insert(tx, &row).await?;
            let digests: Vec<_> = self.digests.iter().flatten().map(|Base64(digest)| digest.clone()).collect();
            Ok(tables::pre_approvals::insert_digests(tx, row.id, &digests).await?)
        })
    }

    fn prepare<'t>(&'t self, _: &'t Approvals, _: &'t Grant, _: ApprovedProposal) -> BoxFuture<'t, Ready> {
        Box::pin(async { Ok(Ok(Box::new(Nothing) as Box<dyn ApplyProposal>)) })
    }

    fn recorded(&self, record: Event, _: &Limits) -> Result<Event> {
        Ok(record)
    }

    fn shown(&self, proposal: Proposal) -> Proposal {
        proposal
    }

    fn lifetime_ms(&self) -> Option<i64> {
        self.lifetime_ms
    }
}

/// It takes effect by itself: requests look for it.
struct Nothing;

impl ApplyProposal for Nothing {
    fn apply<'t>(self: Box<Self>, _: &'t mut Tx, _: ProposalId, _: &'t Actor, _: i64) -> BoxFuture<'t, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}

impl Signing {
    /// Proposes a pre-approval; it can be used once it has the approvals that its policy demands of requests.
    pub async fn create_pre_approval(&self, caller: &Caller, request: CreatePreApproval) -> Result<Proposed> {
        let id = request.policy_uuid;
        let grant = self.context.grant(caller, Perm::SigningSubmit, Action::ProposalSubmit, Some(id.into())).await?;
        let policy = self.context.storage.read(&grant, move |tx| {
            Box::pin(async move {
                let found = policy(tx, id).await?;
                let missing = || Error::selection("/policyUuid", "There is no such signing policy.");
                let (policy, service) = found.ok_or_else(missing)?;
                service.certificate()?;
                Ok::<_, Error>(policy)
            })
        });
        let policy = policy.await?;
        if policy.num_approvals == 0 {
            return Err(Error::state("The policy demands no approvals: requests are signed when they are submitted."));
        }
        if policy.rules.signed_approvals {
            return Err(Error::state(
                "The policy demands that each approval is signed for its request: there are no pre-approvals.",
            ));
        }
        check_name("/name", &request.name, &self.context.limits)?;
        let now_ms = self.context.clock.now_ms();
        let beforehand = self.beforehand(&request, &policy, now_ms)?;
        if let Some(submitter) = beforehand.submitter_uuid {
            let read =
                self.context.storage.read(&grant, move |tx| Box::pin(tables::identities::by_id(tx, submitter.into())));
            if read.await?.is_none() {
                return Err(Error::selection("/submitterUuid", "There is no such identity."));
            }
        }
        let new = NewProposal {
            name: request.name,
            note: self.approvals.note(request.note)?,
            effect: Arc::new(beforehand),
            about: About { service: Some(policy.service), policy: Some(policy.id), ..About::default() },
            first: None,
            required: policy.num_approvals,
            expires_at_ms: policy_rules::expiry(&policy.rules, now_ms).map_err(Error::internal)?,
        };
        self.approvals.propose(caller, &grant, new, now_ms).await
    }

    /// What is asked for, checked.
    fn beforehand(&self, request: &CreatePreApproval, policy: &Policy, now_ms: i64) -> Result<Beforehand> {
        let CreatePreApproval { digests, submitter_uuid, max_requests, lifetime, .. } = request;
        let end_ms = lifetime.as_ref().map(|lifetime| requirement::end("/lifetime", lifetime, now_ms)).transpose()?;
        let lifetime_ms = end_ms.map(|end_ms| end_ms - now_ms);
        let max_requests = match (digests, submitter_uuid) {
            (Some(digests), None) if max_requests.is_none() => self.check_digests(digests, policy)?,
            (Some(_), None) => {
                return Err(Error::value("/maxRequests", "Each of the digests is signed once."));
            }
            (None, Some(_)) => self.check_window(*max_requests, lifetime_ms)?,
            (Some(_), Some(_)) => {
                return Err(Error::value("/digests", "Either digests or submitterUuid is given, not both."));
            }
            (None, None) => {
                return Err(Error::malformed("/digests", "Either digests or submitterUuid is needed."));
            }
        };
        Ok(Beforehand {
            policy_uuid: policy.id,
            digests: digests.clone(),
            submitter_uuid: *submitter_uuid,
            max_requests,
            lifetime_ms,
        })
    }

    /// How many digests there are, each once and of the hash's length.
    fn check_digests(&self, digests: &[Base64], policy: &Policy) -> Result<u32> {
        if digests.is_empty() {
            return Err(Error::value("/digests", "At least one digest is approved."));
        }
        if digests.len() > self.context.limits.pre_approvals.digests_max {
            let message =
                format!("At most {} digests are approved at a time.", self.context.limits.pre_approvals.digests_max);
            return Err(Error::too_large("/digests", message));
        }
        let hash = policy.choice.hash;
        let mut seen = HashSet::new();
        for (index, Base64(digest)) in digests.iter().enumerate() {
            let refused = |message: String| Error::value(format!("/digests/{index}"), message);
            check_length(hash, digest).map_err(refused)?;
            if !seen.insert(digest) {
                return Err(refused("This digest is there already; each is signed once.".to_owned()));
            }
        }
        u32::try_from(digests.len()).map_err(Error::internal)
    }

    /// How many requests a submitter may make.
    fn check_window(&self, max_requests: Option<i64>, lifetime_ms: Option<i64>) -> Result<u32> {
        if self.context.hardened {
            let message = "In hardened mode nothing is approved before it is known; digests can be.";
            return Err(Error::selection("/submitterUuid", message));
        }
        let max = self.context.limits.pre_approvals.requests_max;
        let count = max_requests.ok_or_else(|| {
            Error::malformed("/maxRequests", "maxRequests is needed: how many requests are approved.")
        })?;
        let count = u32::try_from(count).ok().filter(|count| (1..=max).contains(count));
        let count = count.ok_or_else(|| Error::value("/maxRequests", format!("maxRequests is 1 to {max}.")))?;
        let lifetime_ms = lifetime_ms
            .ok_or_else(|| Error::malformed("/lifetime", "A lifetime is needed: for how long they are approved."))?;
        let lifetime_max = self.context.limits.pre_approvals.window_max;
        if u128::try_from(lifetime_ms).is_ok_and(|lifetime| lifetime > lifetime_max.as_millis()) {
            let hours = lifetime_max.as_secs() / 3_600;
            return Err(Error::value("/lifetime/amount", format!("The lifetime is at most {hours} hours.")));
        }
        Ok(count)
    }
}

async fn policy(tx: &mut Tx, id: PolicyId) -> Result<Option<(Policy, Service)>> {
    let Some(row) = tables::signing_policies::by_id(tx, id.into()).await? else { return Ok(None) };
    let service = Service::load(tx, row.service_id.into()).await?;
    let service = service.ok_or_else(|| Error::internal("a policy's service is not there"))?;
    Ok(Some((Policy::from_row(row, &service)?, service)))
}
