//! Pre-approvals: approvals that are given before there is a request, for digests or for a submitter. How one is found for a
//! request, and used.

use chancery_store::{Tx, tables};
use chancery_types::{IdentityId, PolicyId, ProposalId};
use uuid::Uuid;

use super::{
    Standing,
    pre_approval_life::{self, Life},
    proposals::{Effects, StoredProposal},
};
use crate::{Approvals, Caller, Error, Grant, Result};

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

impl Approvals {
    /// A pre-approval that stands in for the approvals of what is being submitted, if there is one. Lists of digests
    /// come first: they say more.
    pub(crate) async fn pre_approved(
        &self,
        (caller, grant): (&Caller, &Grant),
        policy: PolicyId,
        digest: Vec<u8>,
        now_ms: i64,
    ) -> Result<Option<PreApproved>> {
        let submitters: Vec<IdentityId> = caller.members().iter().map(|member| member.id).collect();
        let (policy, effects, hardened) = (Uuid::from(policy), self.effects, self.context.hardened);
        let read = self.context.storage.read(grant, move |tx| {
            Box::pin(async move {
                let mut found = tables::pre_approvals::of_digest(tx, policy, &digest, now_ms, CANDIDATES_MAX).await?;
                for submitter in &submitters {
                    let id = Uuid::from(*submitter);
                    let windows = tables::pre_approvals::of_submitter(tx, policy, id, now_ms, CANDIDATES_MAX).await?;
                    found.extend(windows);
                }
                for id in found {
                    let stored = StoredProposal::load(tx, effects, id.into()).await?;
                    if serves(&stored, &submitters, hardened, now_ms) {
                        return Ok(Some(PreApproved { id: id.into(), digest, submitters }));
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
    pub(crate) async fn redeem(
        self,
        tx: &mut Tx,
        effects: Effects,
        request: Uuid,
        hardened: bool,
        now_ms: i64,
    ) -> Result<()> {
        let Self { id, digest, submitters } = self;
        let lost = || Error::state("The pre-approval cannot be used any more.");
        // First, since it keeps others from using or revoking it until the commit: what is read then stays so.
        let counted = tables::pre_approvals::use_once(tx, id.into(), now_ms).await?;
        let stored = StoredProposal::load(tx, effects, id).await?;
        // Without a submitter it lists digests.
        let known =
            stored.submitter().is_some() || tables::pre_approvals::use_digest(tx, id.into(), &digest, request).await?;
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
    let use_it = |life| pre_approval_life::next(life, pre_approval_life::Event::Use(stored.uses_left()));
    let usable = stored.life(now_ms).is_some_and(|life| use_it(life).is_ok());
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
