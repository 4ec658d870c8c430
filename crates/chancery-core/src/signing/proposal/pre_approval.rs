//! Pre-approvals: approvals that are given before there is a request, for digests or for a submitter.

use std::collections::HashSet;

use chancery_keys::Digest;
use chancery_store::{Tx, tables};
use chancery_types::{
    Action, Base64, IdentityId, Perm, ProposalId,
    wire::proposals::{CreatePreApproval, Proposed},
};
use uuid::Uuid;

use super::{
    content::{Beforehand, Content},
    life::{self, Life},
    propose::{About, NewProposal},
    stored::StoredProposal,
};
use crate::{
    Caller, Chancery, Error, Result,
    signing::{
        request::Standing,
        rules,
        service::{Policy, Service},
    },
    text::check_name,
};

/// Pre-approvals that are looked at for one request. There are rarely two.
const CANDIDATES_MAX: u32 = 16;

/// The evidence that a pre-approval stands in for the approvals of one request. Made only here.
#[derive(Debug)]
pub(crate) struct PreApproved {
    id: ProposalId,
    /// What is submitted.
    digest: Vec<u8>,
    /// Who submits it.
    submitters: Vec<IdentityId>,
}

impl Chancery {
    /// Proposes a pre-approval; it can be used once it has the approvals that its policy demands of requests.
    pub async fn create_pre_approval(&self, caller: &Caller, request: CreatePreApproval) -> Result<Proposed> {
        let id = request.policy_uuid;
        let grant = self.grant(caller, Perm::SigningSubmit, Action::ProposalSubmit, Some(id.into())).await?;
        let policy = self.store.read(move |tx| {
            Box::pin(async move {
                let row = tables::signing_policies::by_id(tx, id.into()).await?;
                let row = row.ok_or_else(|| Error::selection("/policyUuid", "There is no such signing policy."))?;
                let service = Service::load(tx, row.service_id.into()).await?;
                let service = service.ok_or_else(|| Error::internal("a policy's service is not there"))?;
                service.certificate()?;
                Policy::from_row(row, &service)
            })
        });
        let policy = policy.await?;
        if policy.num_approvals == 0 {
            return Err(Error::state("The policy demands no approvals: requests are signed when they are submitted."));
        }
        check_name("/name", &request.name, &self.limits)?;
        let now_ms = self.clock.now_ms();
        let beforehand = self.beforehand(&request, &policy, now_ms)?;
        if let Some(submitter) = beforehand.submitter_uuid {
            let read = self.store.read(move |tx| Box::pin(tables::identities::by_id(tx, submitter.into())));
            if read.await?.is_none() {
                return Err(Error::selection("/submitterUuid", "There is no such identity."));
            }
        }
        let new = NewProposal {
            name: request.name,
            note: self.note(request.note)?,
            content: Content::PreApproval(beforehand),
            about: About::policy(policy.service, policy.id),
            service: None,
            required: policy.num_approvals,
            expires_at_ms: rules::expiry(&policy.rules, now_ms).map_err(Error::internal)?,
        };
        self.propose(caller, &grant, new, now_ms).await
    }

    /// What is asked for, checked.
    fn beforehand(&self, request: &CreatePreApproval, policy: &Policy, now_ms: i64) -> Result<Beforehand> {
        let CreatePreApproval { digests, submitter_uuid, max_requests, lifetime, .. } = request;
        let end_ms = lifetime.as_ref().map(|lifetime| rules::end("/lifetime", lifetime, now_ms)).transpose()?;
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
        if digests.len() > self.limits.pre_approved_digests_max {
            let message = format!("At most {} digests are approved at a time.", self.limits.pre_approved_digests_max);
            return Err(Error::too_large("/digests", message));
        }
        let hash = policy.choice.hash;
        let mut seen = HashSet::new();
        for (index, Base64(digest)) in digests.iter().enumerate() {
            let refused = |message: String| Error::value(format!("/digests/{index}"), message);
            if digest.len() != hash.digest_len() {
                let (expected, found) = (hash.digest_len(), digest.len());
                return Err(refused(format!("A digest of {hash} has {expected} bytes, not {found}.")));
            }
            if !seen.insert(digest) {
                return Err(refused("This digest is there already; each is signed once.".to_owned()));
            }
        }
        u32::try_from(digests.len()).map_err(Error::internal)
    }

    /// How many requests a submitter may make.
    fn check_window(&self, max_requests: Option<i64>, lifetime_ms: Option<i64>) -> Result<u32> {
        if self.hardened {
            let message = "In hardened mode nothing is approved before it is known; digests can be.";
            return Err(Error::selection("/submitterUuid", message));
        }
        let max = self.limits.window_requests_max;
        let count = max_requests.ok_or_else(|| {
            Error::malformed("/maxRequests", "maxRequests is needed: how many requests are approved.")
        })?;
        let count = u32::try_from(count).ok().filter(|count| (1..=max).contains(count));
        let count = count.ok_or_else(|| Error::value("/maxRequests", format!("maxRequests is 1 to {max}.")))?;
        let lifetime_ms = lifetime_ms
            .ok_or_else(|| Error::malformed("/lifetime", "A lifetime is needed: for how long they are approved."))?;
        let lifetime_max = self.limits.window_max;
        if u128::try_from(lifetime_ms).is_ok_and(|lifetime| lifetime > lifetime_max.as_millis()) {
            let hours = lifetime_max.as_secs() / 3_600;
            return Err(Error::value("/lifetime/amount", format!("The lifetime is at most {hours} hours.")));
        }
        Ok(count)
    }

    /// A pre-approval that stands in for the approvals of what is being submitted, if there is one. Lists of digests
    /// come first: they say more.
    pub(in crate::signing) async fn pre_approved(
        &self,
        caller: &Caller,
        policy: &Policy,
        digest: Digest,
        now_ms: i64,
    ) -> Result<Option<PreApproved>> {
        let submitters: Vec<IdentityId> = caller.members().iter().map(|member| member.id).collect();
        let (policy, hardened) = (Uuid::from(policy.id), self.hardened);
        let read = self.store.read(move |tx| {
            Box::pin(async move {
                let bytes = digest.as_bytes();
                let mut found = tables::pre_approvals::of_digest(tx, policy, bytes, now_ms, CANDIDATES_MAX).await?;
                for submitter in &submitters {
                    let id = Uuid::from(*submitter);
                    let windows = tables::pre_approvals::of_submitter(tx, policy, id, now_ms, CANDIDATES_MAX).await?;
                    found.extend(windows);
                }
                for id in found {
                    let stored = StoredProposal::load(tx, id.into()).await?;
                    if serves(&stored, &submitters, hardened, now_ms) {
                        return Ok(Some(PreApproved { id: id.into(), digest: bytes.to_vec(), submitters }));
                    }
                }
                Ok::<_, Error>(None)
            })
        });
        read.await
    }
}

impl PreApproved {
    /// The pre-approval.
    pub(crate) const fn id(&self) -> ProposalId {
        self.id
    }

    /// Whether it was found for a submission by these.
    pub(crate) fn is_for(&self, submitters: &[IdentityId]) -> bool {
        self.submitters == submitters
    }

    /// Uses it, in the transaction that stores the request. InvalidState where it was used up, revoked or outgrown by
    /// its policy meanwhile.
    pub(crate) async fn redeem(self, tx: &mut Tx, request: Uuid, hardened: bool, now_ms: i64) -> Result<()> {
        let Self { id, digest, submitters } = self;
        let lost = || Error::state("The pre-approval cannot be used any more.");
        // First, since it keeps others from using or revoking it until the commit: what is read then stays so.
        let counted = tables::pre_approvals::use_once(tx, id.into(), now_ms).await?;
        let stored = StoredProposal::load(tx, id).await?;
        let known = match &stored.content {
            Content::PreApproval(Beforehand { digests: Some(_), .. }) => {
                tables::pre_approvals::use_digest(tx, id.into(), &digest, request).await?
            }
            Content::PreApproval(Beforehand { digests: None, .. }) => true,
            Content::Policy(_) | Content::Certificate(_) | Content::CertProfile(_) | Content::Issuer(..) => false,
        };
        let approved = stored.approved_for(&submitters, hardened, now_ms);
        if counted && known && approved { Ok(()) } else { Err(lost()) }
    }

    #[cfg(test)]
    pub(crate) fn for_tests(submitters: &[IdentityId]) -> Self {
        Self { id: ProposalId::from_u128(1), digest: Vec::new(), submitters: submitters.to_vec() }
    }
}

/// Whether a pre-approval can be used by these submitters at this moment.
fn serves(stored: &StoredProposal, submitters: &[IdentityId], hardened: bool, now_ms: i64) -> bool {
    let usable = stored.life(now_ms).is_some_and(|life| life::next(life, life::Event::Use(stored.uses_left())).is_ok());
    usable && stored.approved_for(submitters, hardened, now_ms)
}

impl StoredProposal {
    /// Whether it has every approval that its policy demands now, none of them of these submitters, and is for them.
    fn approved_for(&self, submitters: &[IdentityId], hardened: bool, now_ms: i64) -> bool {
        let facts = self.facts(hardened, now_ms);
        // The last use is counted already when this is asked inside the transaction.
        let in_effect = facts.standing == Standing::Signed && self.life(now_ms) != Some(Life::Revoked);
        let enough = facts.given() >= facts.required();
        let own = facts.approvals.iter().flat_map(|given| &given.identities).any(|id| submitters.contains(id));
        let theirs = self.submitter().is_none_or(|submitter| !hardened && submitters.contains(&submitter));
        in_effect && enough && !own && theirs
    }
}
