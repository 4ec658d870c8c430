//! What proposals do once they are approved. `signing` and `pki` implement this for what they propose.

use std::{collections::BTreeMap, sync::Arc};

use chancery_store::{Tx, tables};
use chancery_types::{
    CertificateId, Perm, ProposalId, ProposalKind,
    wire::{proposals::Proposal, reports::AccessEffect},
};
use futures::future::BoxFuture;
use serde::{Serialize, de::DeserializeOwned};

use super::ApprovedProposal;
use crate::{
    Approvals, Caller, Error, Event, Grant, Limits, Meaning, Result, approval::Requirement, context::record::Actor,
    identity::Directory,
};

/// What comes of preparing an effect: it can take place, or never any more, and why.
pub(crate) type Ready = Result<Result<Box<dyn ApplyProposal>, String>>;

/// What a proposal of one kind says.
pub(crate) trait Content: Serialize + DeserializeOwned {
    const KIND: ProposalKind;
}

/// What is stored of a proposal. It follows from its [`Content`].
pub(crate) trait StoredContent {
    fn kind(&self) -> ProposalKind;

    /// The text that people approve. It is stored as it was written, and read again from there.
    fn text(&self) -> Result<String>;
}

impl<T: Content> StoredContent for T {
    fn kind(&self) -> ProposalKind {
        T::KIND
    }

    fn text(&self) -> Result<String> {
        serde_json::to_string(&BTreeMap::from([(T::KIND.as_str(), self)])).map_err(Error::internal)
    }
}

/// What is proposed.
pub(crate) trait Effect: StoredContent + Send + Sync {
    /// What it takes now, whatever it took when it was made. None where that stays.
    fn requirement<'t>(
        &'t self,
        tx: &'t mut Tx,
        proposal: &'t tables::proposals::Row,
    ) -> BoxFuture<'t, Result<Option<Requirement>>>;

    /// Stores what belongs to it, in the transaction that has just stored the proposal.
    fn submit<'t>(&'t self, _: &'t mut Tx, _: ProposalId) -> BoxFuture<'t, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// InvalidState where nobody could do anything with it any more, so that nobody is asked to approve it.
    fn check_useful(&self, _: &Directory, _submitted_at_ms: i64) -> Result<()> {
        Ok(())
    }

    /// Makes what can be made before the transaction, and looks whether it can take place. What only passes is an error,
    /// after which nothing has happened.
    fn prepare<'t>(
        &'t self,
        approvals: &'t Approvals,
        grant: &'t Grant,
        approved: ApprovedProposal,
    ) -> BoxFuture<'t, Ready>;

    /// Adds to the record of the submission what is asked for.
    fn submitted(&self, record: Event, _: &Limits) -> Result<Event> {
        Ok(record)
    }

    /// Adds to the record of the last approval what changes by it.
    fn recorded(&self, record: Event, limits: &Limits) -> Result<Event>;

    /// Adds what readers see of it.
    fn shown(&self, proposal: Proposal) -> Proposal;

    /// Adds what readers see of it that only the store has.
    fn looked_up<'t>(&'t self, _: &'t mut Tx, _: Reading, proposal: Proposal) -> BoxFuture<'t, Result<Proposal>> {
        Box::pin(async { Ok(proposal) })
    }

    /// Who would gain and lose what by it, by what identities hold now; none where it is about nobody's rights. `name` is
    /// the proposal's.
    fn access(&self, _: &Directory, _name: &str) -> Option<AccessEffect> {
        None
    }

    /// For how long it is in effect, from the last approval on, where it ends by itself.
    fn lifetime_ms(&self) -> Option<i64> {
        None
    }
}

/// What lets somebody see what others asked for, and why: whoever asks sees of a proposal what is their own.
const SEE_OTHERS: [Perm; 3] = [Perm::SigningApprove, Perm::TokenizationManage, Perm::AuditRead];

pub(crate) fn sees_others(caller: &Caller) -> bool {
    caller.restricted_by().is_none() && SEE_OTHERS.iter().any(|perm| caller.has(*perm))
}

/// How proposals are read at a moment.
#[derive(Clone, Copy)]
pub(crate) struct Reading {
    pub(crate) effects: Effects,
    pub(crate) hardened: bool,
    pub(crate) now_ms: i64,
    /// Whether for somebody who may see what others asked for, too.
    pub(crate) sees_others: bool,
}

/// What is ready to take effect.
pub(crate) trait ApplyProposal: Send {
    /// The certificate that it issues.
    fn certificate(&self) -> Option<CertificateId> {
        None
    }

    /// Lets it take effect, in the transaction that stores the last approval. InvalidState where something is no longer as
    /// it was when this was prepared: it is tried again then.
    fn apply<'t>(
        self: Box<Self>,
        tx: &'t mut Tx,
        proposal: ProposalId,
        actor: &'t Actor,
        now_ms: i64,
    ) -> BoxFuture<'t, Result<()>>;
}

/// Reads an effect from its text.
pub(crate) type Read = fn(&str) -> Result<Arc<dyn Effect>>;

/// How the effects of each kind are read.
#[derive(Clone, Copy)]
pub(crate) struct Effects {
    pub(crate) pre_approval: Read,
    pub(crate) policy: Read,
    pub(crate) certificate: Read,
    pub(crate) cert_profile: Read,
    pub(crate) issuer: Read,
    pub(crate) detokenize_grant: Read,
}

impl Effects {
    /// What a stored proposal does.
    pub(super) fn read(self, row: &tables::proposals::Row) -> Result<Arc<dyn Effect>> {
        let read = match row.kind.parse().map_err(Error::internal)? {
            ProposalKind::PreApproval => self.pre_approval,
            ProposalKind::Policy => self.policy,
            ProposalKind::Certificate => self.certificate,
            ProposalKind::CertProfile => self.cert_profile,
            ProposalKind::Issuer => self.issuer,
            ProposalKind::DetokenizeGrant => self.detokenize_grant,
        };
        read(&row.content)
    }
}

/// What a stored text says.
pub(crate) fn parse<T: Content>(text: &str) -> Result<T> {
    let mut members: BTreeMap<String, T> = serde_json::from_str(text).map_err(Error::internal)?;
    members.remove(T::KIND.as_str()).ok_or_else(|| Error::internal("a proposal's content is of another kind"))
}

/// The effect that a stored text says.
pub(crate) fn read<T: Content + Effect + 'static>(text: &str) -> Result<Arc<dyn Effect>> {
    Ok(Arc::new(parse::<T>(text)?))
}

/// What comes of preparing it, where that was tried.
pub(crate) fn prepared<T: ApplyProposal + 'static>(tried: Result<T>) -> Ready {
    Ok(lasting(tried)?.map(|ready| Box::new(ready) as Box<dyn ApplyProposal>))
}

/// Tells what can never be done any more, and why, from what cannot be done now.
fn lasting<T>(result: Result<T>) -> Result<Result<T, String>> {
    match result {
        Ok(done) => Ok(Ok(done)),
        Err(refusal) => match refusal.meaning() {
            Meaning::Value | Meaning::Selection | Meaning::Exists | Meaning::State | Meaning::NotFound => {
                Ok(Err(refusal.message().to_owned()))
            }
            Meaning::Malformed
            | Meaning::Method
            | Meaning::ContentType
            | Meaning::Unauthenticated
            | Meaning::Forbidden
            | Meaning::ApiAccessDisabled
            | Meaning::TooLarge
            | Meaning::Busy
            | Meaning::Sealed
            | Meaning::Unavailable
            | Meaning::Internal => Err(refusal),
        },
    }
}

/// What can never be done any more is InvalidState here: the next attempt finds out why, and stores that.
pub(crate) fn retried<T>(done: Result<T>) -> Result<()> {
    lasting(done)?.map(drop).map_err(Error::state)
}
